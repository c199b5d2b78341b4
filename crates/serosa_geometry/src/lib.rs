//! Geometry of Serosa: vectors, typed indices, meshes and their generators, grids, and the kernels of
//! distance, closest points and continuous detection.
//!
//! What is absent: bodies, mass and time. Every function here is a pure function of a few vectors.
//! All lengths are metres, all angles radians.

pub mod aabb;
pub mod ccd;
pub mod collide;
pub mod consistent;
pub mod crossing;
mod deepest;
pub mod distance;
mod edges;
pub mod generate;
pub mod grid;
pub mod implicit;
pub mod index;
pub mod inside;
pub mod isosurface;
pub mod meet;
pub mod mesh;
pub mod overlap;
pub mod pierce;
pub mod rotation;
#[cfg(test)]
mod sample;
pub mod segment;
pub mod shape;
pub mod solid;
pub mod surface;
pub mod tets;
pub mod topology;
pub mod tree;
pub mod triangle;
pub mod weld;

pub use aabb::Aabb;
pub use crossing::{Crossing, Crossings};
pub use distance::{Distance, Near, Sign};
pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
pub use grid::Grid;
pub use implicit::Implicit;
pub use index::{BodyId, PrimId, RigidId, ToolId, VertexId};
pub use inside::{Inside, Intersection};
pub use isosurface::{Fineness, isosurface};
pub use mesh::Mesh;
pub use pierce::Of;
pub use segment::{SegmentPair, closest_on_segment, closest_segments};
pub use shape::Shape;
pub use solid::{Cuboid, Facet, Plane, Round, Solid, Touch};
pub use surface::Surface;
pub use topology::Topology;
pub use tree::Tree;
pub use triangle::{Feature, OnTriangle, closest_on_triangle, closest_segment_triangle};

/// The one scalar of the engine: `f64` on the CPU.
pub type Real = f64;
