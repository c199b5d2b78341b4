//! Writes a recording while a world runs.

use super::bits::put_varint;
use super::encode::Builder;
use super::plots::{self, PROBES_TOPIC, SCHEMA_ENCODING};
use super::{CHUNK_MAX, FILE_TOPIC, HEADER_TOPIC, Header, KEYFRAME_TOPIC, PROFILE, TICKS_TOPIC, VERSION};
use mcap::McapError;
use mcap::records::MessageHeader;
use mcap::write::NoSeek;
use serde_json::Value;
use serosa_sim::{Input, Real, State, World};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A state of this many bytes is kept every second, of twice as many every other second, …
const STATE_PER_SECOND: u64 = 64 << 10;
/// Longest time between keyframes \[s\].
const KEYFRAME_SECONDS_MAX: u64 = 10;

/// How often the whole state is kept, beside the one at the start. Keyframes let a reader jump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keyframes {
    /// Every second, and less often for states beyond 64 KiB: at least every 10 seconds.
    #[default]
    BySize,
    /// Every so many seconds; 0 counts as 1.
    Every(u64),
    /// Only the one at the start.
    Off,
}

/// Why a recording cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The sink refused: a full disk, a closed pipe. What was kept can be read and replayed.
    #[error("the recording could not be written after {seconds_kept:.1} s: {source}")]
    Write {
        /// Simulated time that is safely written \[s\].
        seconds_kept: Real,
        /// What the sink said.
        source: io::Error,
    },
    /// A header that does not belong to the world.
    #[error("the recording cannot begin: {0}")]
    Header(String),
    /// A file or a state beyond what a reader would believe.
    #[error("the recording cannot hold {what} of {bytes} bytes; the most is {CHUNK_MAX}")]
    TooLarge {
        /// What it is.
        what: String,
        /// How large.
        bytes: u64,
    },
    /// Ticks that do not follow each other: a world that was set back begins a new recording.
    #[error("tick {found} cannot follow tick {last} in a recording; begin a new one")]
    Order {
        /// The last tick taken.
        last: u64,
        /// The tick offered.
        found: u64,
    },
}

/// Numbers of the channels.
struct Channels {
    header: u16,
    file: u16,
    ticks: u16,
    keyframe: u16,
    tools: Vec<u16>,
    probes: Option<u16>,
}

/// Writes a recording to a sink, tick by tick.
///
/// Every simulated second is flushed as it ends. [`finish`](Self::finish) writes what is left and the index
/// that other programs use; dropping does the same but tells no one whether it worked.
pub struct Writer<W: Write> {
    /// Gone once finished.
    out: Option<mcap::Writer<NoSeek<W>>>,
    channels: Channels,
    dt_s: Real,
    ticks_per_second: u64,
    keyframes: Keyframes,
    next_keyframe: u64,
    state_bytes: u64,
    batch: Builder,
    start: u64,
    last: u64,
    /// The last tick that is safely written.
    kept: u64,
    failure: Option<(io::ErrorKind, String)>,
    probe_values: Vec<Real>,
}

impl<W: Write> Writer<W> {
    /// Begins a recording of `world`, which has yet to take its first recorded step. Header, files and the
    /// state at the start are written and flushed.
    pub fn create(
        sink: W,
        header: &Header,
        files: &[(String, Vec<u8>)],
        world: &World,
    ) -> Result<Self, RecordError> {
        check_header(header, world).map_err(RecordError::Header)?;
        let text = serde_json::to_vec(header).map_err(|e| RecordError::Header(e.to_string()))?;
        let begin = |e| RecordError::Write { seconds_kept: 0.0, source: io_error(e) };
        let mut out = mcap::WriteOptions::new()
            .profile(PROFILE)
            .library(format!("serosa {VERSION}"))
            .compression(Some(mcap::Compression::Zstd))
            .compression_threads(0)
            .chunk_size(None)
            .disable_seeking(true)
            .create(NoSeek::new(sink))
            .map_err(begin)?;
        let channels = open_channels(&mut out, world).map_err(begin)?;
        let tick = world.state.tick;
        let mut writer = Self {
            out: Some(out),
            dt_s: header.dt_s,
            ticks_per_second: header.ticks_per_second(),
            keyframes: Keyframes::default(),
            next_keyframe: tick,
            state_bytes: 0,
            batch: Builder::default(),
            start: tick,
            last: tick,
            kept: tick,
            failure: None,
            probe_values: Vec::new(),
            channels,
        };
        check_size("a scene", text.len())?;
        writer.message(writer.channels.header, &text)?;
        writer.flush()?;
        for (name, bytes) in files {
            writer.file(name, bytes)?;
        }
        writer.keyframe(&world.state, world.state.hash())?;
        Ok(writer)
    }

    /// Chooses how often the whole state is kept, from here on.
    pub fn set_keyframes(&mut self, keyframes: Keyframes) {
        self.keyframes = keyframes;
        self.next_keyframe = self.keyframe_after(self.last);
    }

    /// Simulated time that is safely written \[s\].
    pub fn seconds_kept(&self) -> Real {
        (self.kept - self.start) as Real * self.dt_s
    }

    /// Takes one tick: what was asked, the world after the step, and the hash of its state.
    ///
    /// After an error nothing more is written; every later call gives the error again.
    pub fn tick(&mut self, input: &Input, world: &World, hash: u64) -> Result<(), RecordError> {
        self.check_failure()?;
        let tick = world.state.tick;
        if self.last.checked_add(1) != Some(tick) {
            return Err(RecordError::Order { last: self.last, found: tick });
        }
        if !self.batch.fits(input) {
            self.write_batch()?;
        }
        self.batch.push(tick, input, hash);
        self.last = tick;
        if plots::is_due(tick, self.dt_s) {
            self.plot(world)?;
        }
        if (tick - self.start).is_multiple_of(self.ticks_per_second) {
            self.write_batch()?;
            if tick >= self.next_keyframe {
                self.keyframe(&world.state, hash)?;
            }
        }
        Ok(())
    }

    /// Writes all ticks so far and sends them all the way, before the second is over: for runs in which a
    /// simulated second takes long.
    pub fn flush_now(&mut self) -> Result<(), RecordError> {
        self.check_failure()?;
        self.write_batch()
    }

    /// Writes what is left and the index, and gives the sink back.
    pub fn finish(mut self) -> Result<W, RecordError> {
        self.close()?;
        match self.out.take() {
            Some(out) => Ok(out.into_inner().into_inner()),
            None => Err(self.failed(McapError::AttemptedWriteAfterFailure)),
        }
    }

    fn close(&mut self) -> Result<(), RecordError> {
        self.check_failure()?;
        self.write_batch()?;
        let result = self.out.as_mut().map_or(Ok(()), |out| out.finish().map(|_| ()));
        result.map_err(|e| self.failed(e))
    }

    fn write_batch(&mut self) -> Result<(), RecordError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let bytes = self.batch.encode();
        self.batch.clear();
        self.message(self.channels.ticks, &bytes)?;
        self.flush()?;
        self.kept = self.last;
        Ok(())
    }

    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), RecordError> {
        check_size(name, bytes.len())?;
        let mut message = Vec::with_capacity(name.len() + bytes.len() + 10);
        put_varint(&mut message, name.len() as u64);
        message.extend(name.as_bytes());
        message.extend(bytes);
        self.message(self.channels.file, &message)?;
        self.flush()
    }

    /// A chunk of its own: however large it is, the second before is already safe.
    fn keyframe(&mut self, state: &State, hash: u64) -> Result<(), RecordError> {
        let bytes = postcard::to_stdvec(&(state.tick, state, hash));
        let bytes = bytes.map_err(|e| self.failed(McapError::Io(io::Error::other(e))))?;
        check_size("a state", bytes.len())?;
        self.state_bytes = bytes.len() as u64;
        self.message(self.channels.keyframe, &bytes)?;
        self.flush()?;
        self.next_keyframe = self.keyframe_after(state.tick);
        Ok(())
    }

    fn keyframe_after(&self, tick: u64) -> u64 {
        let seconds = match self.keyframes {
            Keyframes::BySize => self.state_bytes.div_ceil(STATE_PER_SECOND).clamp(1, KEYFRAME_SECONDS_MAX),
            Keyframes::Every(seconds) => seconds.max(1),
            Keyframes::Off => return u64::MAX,
        };
        tick.saturating_add(seconds.saturating_mul(self.ticks_per_second))
    }

    fn plot(&mut self, world: &World) -> Result<(), RecordError> {
        let t = self.last as Real * self.dt_s;
        // JSON into memory fails for no number; a plot that did would not be worth the recording.
        for (i, tool) in world.model.tools.iter().enumerate() {
            if let (Some(id), Ok(text)) = (self.channels.tools.get(i), plots::tool(world, i, tool, t)) {
                self.message(*id, &text)?;
            }
        }
        if let Some(id) = self.channels.probes
            && let Ok(text) = plots::probes(world, t, &mut self.probe_values)
        {
            self.message(id, &text)?;
        }
        Ok(())
    }

    fn message(&mut self, channel_id: u16, data: &[u8]) -> Result<(), RecordError> {
        let time = (self.last as Real * self.dt_s * 1e9).round() as u64;
        let header = MessageHeader { channel_id, sequence: 0, log_time: time, publish_time: time };
        let result = self.out.as_mut().map_or(Ok(()), |out| out.write_to_known_channel(&header, data));
        result.map_err(|e| self.failed(e))
    }

    /// Ends the chunk and sends it all the way.
    fn flush(&mut self) -> Result<(), RecordError> {
        let result = self.out.as_mut().map_or(Ok(()), |out| out.flush());
        result.map_err(|e| self.failed(e))
    }

    /// The error to give for this one, now and from now on.
    fn failed(&mut self, error: McapError) -> RecordError {
        let source = io_error(error);
        self.failure = Some((source.kind(), source.to_string()));
        RecordError::Write { seconds_kept: self.seconds_kept(), source }
    }

    fn check_failure(&self) -> Result<(), RecordError> {
        let Some((kind, text)) = &self.failure else { return Ok(()) };
        let source = io::Error::new(*kind, text.clone());
        Err(RecordError::Write { seconds_kept: self.seconds_kept(), source })
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        if self.out.is_some() {
            // No one is left to tell.
            let _ = self.close();
        }
    }
}

fn io_error(error: McapError) -> io::Error {
    match error {
        McapError::Io(source) => source,
        other => io::Error::other(other),
    }
}

/// The rest of a chunk, with some messages to plot, takes less than this \[bytes\].
const CHUNK_REST: u64 = 1 << 20;

fn check_size(what: &str, bytes: usize) -> Result<(), RecordError> {
    let bytes = bytes as u64;
    if bytes <= CHUNK_MAX - CHUNK_REST {
        return Ok(());
    }
    Err(RecordError::TooLarge { what: what.to_owned(), bytes })
}

fn check_header(header: &Header, world: &World) -> Result<(), String> {
    header.check_dt()?;
    let tools = world.model.tools.iter().map(|tool| &tool.name);
    let probes = world.model.probes.iter().map(|probe| &probe.name);
    if !tools.eq(&header.tools) || !probes.eq(header.probes.iter().map(|probe| &probe.name)) {
        return Err("its header is that of another scene".to_owned());
    }
    Ok(())
}

fn open_channels<W: Write>(out: &mut mcap::Writer<NoSeek<W>>, world: &World) -> Result<Channels, McapError> {
    let none = BTreeMap::new();
    let mut plain = |topic: &str, encoding: &str| out.add_channel(0, topic, encoding, &none);
    let header = plain(HEADER_TOPIC, "json")?;
    let file = plain(FILE_TOPIC, "x-serosa-file")?;
    let keyframe = plain(KEYFRAME_TOPIC, "x-postcard")?;
    let ticks = plain(TICKS_TOPIC, "x-serosa-ticks")?;
    let mut plotted = |topic: &str, name: &str, schema: &Value| {
        let schema = out.add_schema(name, SCHEMA_ENCODING, schema.to_string().as_bytes())?;
        out.add_channel(schema, topic, "json", &none)
    };
    let mut tools = Vec::new();
    for tool in &world.model.tools {
        tools.push(plotted(&plots::tool_topic(&tool.name), "serosa.Tool", &plots::tool_schema())?);
    }
    let probes = match &world.model.probes[..] {
        [] => None,
        probes => Some(plotted(PROBES_TOPIC, "serosa.Probes", &plots::probes_schema(probes))?),
    };
    Ok(Channels { header, file, ticks, keyframe, tools, probes })
}
