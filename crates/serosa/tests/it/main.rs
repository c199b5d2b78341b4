//! Integration tests of the program: its command line, its recordings, its promises.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
mod bad_input;
mod bake;
mod bits;
mod cli;
mod convert;
mod depth;
mod fuzz;
#[cfg(feature = "page")]
mod led;
mod measure;
mod organs;
mod pairs;
mod papers;
mod query;
mod record;
#[cfg(feature = "page")]
mod server;
mod tell;
