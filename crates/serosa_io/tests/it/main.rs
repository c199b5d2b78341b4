//! The tests of this crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod memory;
mod recording;
mod scene;
mod surface;
