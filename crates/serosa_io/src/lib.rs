//! Every byte format of Serosa: scene files, mesh importers, recordings.
//!
//! The only room that knows formats. Importers take bytes, not paths: opening files is the program's work.

pub mod baked;
pub mod fingerprint;
pub mod mesh;
pub mod modes;
pub mod recording;
pub mod scene;
pub mod wire;
