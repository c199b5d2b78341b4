//! From a [`RawScene`] to a [`Baked`] scene that can be stepped.
//!
//! Runs once, before the frame and never in it. What is wrong with a scene is said all at once, as
//! [`Fault`]s that name the place; nothing is repaired in silence and nothing missing is made up.

pub mod assemble;
pub mod band;
mod bodies;
pub mod boundary;
pub mod cholesky;
pub mod exclude;
pub mod fill;
pub mod flexible;
pub mod lattice;
pub mod neighbours;
mod overlap;
mod probes;
mod programme;
pub mod raw;
pub mod rigid;
pub mod scene;
pub mod select;
pub mod shells;
pub mod solid;
pub mod springs;
pub mod statics;
pub mod strip;
pub mod tissue;
mod tunables;

pub use raw::RawScene;
pub use scene::{Baked, bake, bake_watched};

/// Which state of the code bakes here, 16 hexadecimal digits: what another one baked is not taken for its own.
pub const BAKER: &str = env!("SEROSA_BAKE_ID");

/// Something wrong with a scene, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The part of the scene that is meant.
    pub place: raw::Place,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Fault {
    /// A fault at a place.
    pub fn new(place: raw::Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place, message: message.into(), help: help.into() }
    }
}
