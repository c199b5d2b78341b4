//! VTK: the legacy files and their XML successors, which share cell types and data arrays.

mod array;
mod attributes;
mod data;
mod grid;
pub mod legacy;
mod markup;
mod write;
pub mod xml;

pub use write::export;
