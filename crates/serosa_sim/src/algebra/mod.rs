//! Linear algebra of the step: our own, with one fixed order of operations, so that results have the same bits
//! everywhere.

pub mod band;
pub mod small;

pub use band::BandMatrix;
pub use small::Six;
