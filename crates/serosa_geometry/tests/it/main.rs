//! Tests of the geometry from outside.

mod counting;
mod warm;
