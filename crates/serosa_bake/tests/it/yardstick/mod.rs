//! The yardstick: a slow solver of the same incremental potential, by which the engine's contact is measured.
//!
//! Inertia, the engine's own elastic energies, barriers between all vertices and triangles and all pairs of edges (Li et
//! al. 2020), friction with last known normal forces, repeated until they agree. Every Newton step is solved by a sparse
//! factor and cut short before anything touches, so that no place it accepts has a gap of nothing.

// Entries of small matrices are named by their numbers.
#![allow(clippy::needless_range_loop)]

mod barrier;
mod beside;
mod bodies;
mod derivatives;
mod near;
mod newton;
mod oracle;
mod piece;
mod rest;

pub use barrier::Barrier;
pub use newton::{Exactness, Told, Yardstick};
