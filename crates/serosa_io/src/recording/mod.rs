//! Recordings: what was asked of a world in every tick, and a hash of what it did.
//!
//! A recording is an MCAP file (<https://mcap.dev/spec>), so that plotting programs open it, with chunks
//! compressed by zstd. It holds everything a replay needs, in this order:
//!
//! | topic | encoding | what |
//! |---|---|---|
//! | `serosa/header` | JSON | once: [`Header`], with the whole scene text |
//! | `serosa/file` | length of the name as a varint, name, bytes | each mesh file that the scene used |
//! | `serosa/keyframe` | postcard of tick, state, hash | at the start, then now and then |
//! | `serosa/ticks` | see [`batch`] | a batch a simulated second: inputs, and a hash for each tick |
//! | `/tools/NAME`, `/probes` | JSON with a schema | 10 times a second, for plotting only |
//!
//! Times in the file are simulated nanoseconds. Each batch ends its chunk and is flushed, so a killed process
//! loses one second at most, and a file that breaks off anywhere reads up to its last whole chunk.

pub mod batch;
mod bits;
mod container;
mod encode;
mod header;
mod plots;
mod predict;
mod reader;
mod writer;

pub use bits::Malformed;
pub use header::{Header, OtherVersion, ProbeHead, SceneSource};
pub use reader::{Keyframe, ReadError, Recording, Tick, Ticks};
pub use writer::{Keyframes, RecordError, Writer};

/// Number of the layout described here. A reader knows one layout only.
pub const FORMAT: u32 = 4;
/// Version of the program that writes and replays.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// MCAP profile of recordings.
const PROFILE: &str = "serosa";
const HEADER_TOPIC: &str = "serosa/header";
const FILE_TOPIC: &str = "serosa/file";
const TICKS_TOPIC: &str = "serosa/ticks";
const KEYFRAME_TOPIC: &str = "serosa/keyframe";

/// Largest chunk, unpacked \[bytes\]. Beyond it, a length in a file is taken for a lie.
const CHUNK_MAX: u64 = 256 << 20;
