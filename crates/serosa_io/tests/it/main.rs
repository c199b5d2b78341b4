//! The tests of this crate.

mod recording;
mod scene;
