//! The simulation core of Serosa: a [`World`] and its [`step`].
//!
//! What is absent: files, clocks, devices, screens, printing, and any thread pool of its own making (stages
//! use whatever pool the caller runs in). The core cannot fail: it reports (see [`StepReport`]).
//!
//! Data come in four kinds that are never mixed: [`Model`] (fixed), [`State`] (saved), [`Params`] (chosen
//! between steps) and [`Scratch`] (derived, never saved). SI units throughout.

pub mod algebra;
pub mod audit;
pub mod body;
pub mod cover;
pub mod detect;
pub mod energy;
pub mod filter;
pub mod guard;
pub mod input;
pub mod ledger;
pub mod model;
pub mod params;
pub mod probe;
pub mod random;
pub mod report;
pub mod respond;
pub mod row;
pub mod scratch;
pub mod state;
mod step;
mod tools;
pub mod world;

pub use input::{Control, Hand, Input};
pub use model::Model;
pub use params::Params;
pub use report::{Stage, StepReport, Stopwatch};
pub use row::Row;
pub use scratch::Scratch;
pub use state::State;
pub use step::step;
pub use world::World;

pub use serosa_geometry as geometry;
pub use serosa_geometry::{BodyId, Mat3, PrimId, Quat, Real, RigidId, ToolId, Vec3, VertexId};
