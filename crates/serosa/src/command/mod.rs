//! The commands, one file each.

pub mod bake;
pub mod check;
pub mod convert;
pub mod query;
pub mod replay;
pub mod run;
pub mod scenes;
