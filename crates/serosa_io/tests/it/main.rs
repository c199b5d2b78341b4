//! The tests of this crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod baked;
mod collide;
mod factor;
mod fill;
mod filled;
mod memory;
mod organ;
mod quadratic;
mod recording;
mod scene;
mod surface;
mod volume;
mod vrml;
