//! Reads a recording, whole or broken off.

use super::batch::{Batch, Player};
use super::bits::{Bytes, Malformed};
use super::container::{Container, Message, Step, Topic};
use super::{FORMAT, Header, OtherVersion};
use serosa_sim::{Input, Real, State};

/// Why a file is not a recording that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Some other file.
    #[error("this is not a recording: it does not begin with the MCAP magic bytes")]
    NotMcap,
    /// Some other program's file.
    #[error("this is an MCAP file, but not made by Serosa")]
    Foreign,
    /// Nothing of it was written.
    #[error("the recording ends before its header: {0}")]
    Empty(String),
    /// A layout that this program does not know.
    #[error("the recording has format {found}, this program reads format {FORMAT}")]
    Format {
        /// The number in the file.
        found: u64,
    },
    /// A header that makes no sense.
    #[error("the header of the recording is malformed: {0}")]
    Header(String),
    /// A message that makes no sense, though its checksum is right.
    #[error("{what} of the recording is malformed: {reason}")]
    Malformed {
        /// Which.
        what: String,
        /// Why.
        reason: Malformed,
    },
    /// Ticks without the state they began from.
    #[error("the recording has ticks, but no state to begin them from")]
    NoStart,
    /// Ticks that do not follow each other.
    #[error("the recording has a gap: tick {found} follows tick {last}")]
    Gap {
        /// The last tick before.
        last: u64,
        /// The first tick after.
        found: u64,
    },
}

/// A state kept in a recording.
#[derive(Clone, Debug)]
pub struct Keyframe {
    /// Steps taken before it.
    pub tick: u64,
    payload: Vec<u8>,
}

impl Keyframe {
    fn new(payload: Vec<u8>) -> Result<Self, Malformed> {
        let tick = Bytes(&payload).varint()?;
        Ok(Self { tick, payload })
    }

    /// The state. Ask [`State::fits`] before using it.
    pub fn state(&self) -> Result<State, Malformed> {
        let read = postcard::take_from_bytes::<(u64, State, u64)>(&self.payload);
        let ((tick, state, hash), rest) = read.map_err(|_| Malformed("it is not a state"))?;
        if !rest.is_empty() || tick != state.tick || hash != state.hash() {
            return Err(Malformed("its hash does not agree"));
        }
        Ok(state)
    }
}

/// A recording, read whole.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What was simulated.
    pub header: Header,
    /// Names and bytes of the files that the scene used.
    pub files: Vec<(String, Vec<u8>)>,
    /// The ticks, a second in each, one after another without a gap.
    pub batches: Vec<Batch>,
    /// States, the first of them before the first tick, ascending.
    pub keyframes: Vec<Keyframe>,
    /// Why the recording ends where it does, if it was not finished or is damaged. What was read before is
    /// whole and sound.
    pub cut: Option<String>,
}

impl Recording {
    /// Reads all that can be read.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut container = Container::new(bytes).ok_or(ReadError::NotMcap)?;
        let (header, mut messages) = read_header(&mut container)?;
        let mut recording =
            Self { header, files: Vec::new(), batches: Vec::new(), keyframes: Vec::new(), cut: None };
        loop {
            for message in messages {
                recording.take(message)?;
            }
            messages = match container.step() {
                Step::Messages(messages) => messages,
                Step::End => break,
                Step::Cut(reason) => {
                    recording.cut = Some(reason);
                    break;
                }
            };
        }
        Ok(recording)
    }

    fn take(&mut self, (topic, bytes): Message) -> Result<(), ReadError> {
        let malformed = |what: &str| {
            let what = format!("{what} after {:.1} s", self.duration_s());
            move |reason| ReadError::Malformed { what, reason }
        };
        match topic {
            Topic::Header => return Err(ReadError::Header("there is a second one".to_owned())),
            Topic::File => self.files.push(read_file(&bytes).map_err(malformed("a file"))?),
            Topic::Keyframe => {
                let keyframe = Keyframe::new(bytes).map_err(malformed("a state"))?;
                if let Some(last) = self.last_tick().filter(|last| *last != keyframe.tick) {
                    return Err(ReadError::Gap { last, found: keyframe.tick });
                }
                self.keyframes.push(keyframe);
            }
            Topic::Ticks => {
                let batch = Batch::new(bytes).map_err(malformed("a batch"))?;
                let last = self.last_tick().ok_or(ReadError::NoStart)?;
                if last.checked_add(1) != Some(batch.first()) {
                    return Err(ReadError::Gap { last, found: batch.first() });
                }
                self.batches.push(batch);
            }
        }
        Ok(())
    }

    /// Whether this program can replay the run bit for bit.
    pub fn check_version(&self) -> Result<(), OtherVersion> {
        self.header.check_version()
    }

    /// Steps taken before the first recorded one; 0 unless the recording began in the middle of a run.
    pub fn start_tick(&self) -> u64 {
        self.keyframes.first().map_or(0, |keyframe| keyframe.tick)
    }

    fn last_tick(&self) -> Option<u64> {
        let start = self.keyframes.first().map(|keyframe| keyframe.tick);
        self.batches.last().map(Batch::last).or(start)
    }

    /// How many ticks were recorded.
    pub fn ticks(&self) -> u64 {
        self.last_tick().map_or(0, |last| last - self.start_tick())
    }

    /// Simulated time that was recorded \[s\].
    pub fn duration_s(&self) -> Real {
        self.ticks() as Real * self.header.dt_s
    }

    /// Place in [`batches`](Self::batches) of the one that holds the time `s` since the start \[s\].
    pub fn batch_of_second(&self, s: Real) -> Option<usize> {
        // The tick that ends at or after this time; the first ends at `dt_s`.
        let ticks = (s / self.header.dt_s - 1e-6).ceil();
        let inside = ticks >= 0.0 && ticks <= self.ticks() as Real;
        if !inside { None } else { self.batch_of_tick(self.start_tick() + (ticks as u64).max(1)) }
    }

    fn batch_of_tick(&self, tick: u64) -> Option<usize> {
        let i = self.batches.partition_point(|batch| batch.last() < tick);
        self.batches.get(i).filter(|batch| batch.first() <= tick).map(|_| i)
    }

    /// All ticks.
    pub fn play(&self) -> Ticks<'_> {
        Ticks { batches: self.batches.iter(), player: None }
    }

    /// The ticks from number `tick` on; none if it was not recorded.
    pub fn play_from(&self, tick: u64) -> Ticks<'_> {
        let i = self.batch_of_tick(tick).unwrap_or(self.batches.len());
        let mut ticks = Ticks { batches: self.batches[i..].iter(), player: None };
        if let Some(batch) = self.batches.get(i) {
            for _ in batch.first()..tick {
                ticks.next_tick();
            }
        }
        ticks
    }

    /// The values of all tunables after a tick; `None` if none were given by then. They stay until given
    /// again and are no part of a state: who runs on from a keyframe tunes the world with them first.
    pub fn tunables_at(&self, tick: u64) -> Option<Vec<Real>> {
        let before = self.batches.iter().rev().filter(|batch| batch.first() <= tick);
        for batch in before {
            let mut player = batch.play().ok()?;
            if player.input().tunables.is_empty() {
                continue;
            }
            while player.advance() == Ok(true) && player.tick() < tick {}
            return Some(player.input().tunables.clone());
        }
        None
    }

    /// The latest sound state at or before a tick, to run on from, with [`tunables_at`](Self::tunables_at)
    /// that tick. Ask [`State::fits`] before using it.
    pub fn keyframe_before(&self, tick: u64) -> Option<(u64, State)> {
        let before = self.keyframes.iter().rev().filter(|keyframe| keyframe.tick <= tick);
        before.flat_map(Keyframe::state).map(|state| (state.tick, state)).next()
    }
}

/// One tick of a recording.
#[derive(Clone, Copy, Debug)]
pub struct Tick<'a> {
    /// Its number: steps taken, it included.
    pub tick: u64,
    /// What was asked.
    pub input: &'a Input,
    /// Low half of the hash of the state after it.
    pub hash32: u32,
    /// The whole hash, for the last tick of each batch.
    pub hash64: Option<u64>,
}

impl Tick<'_> {
    /// Whether a state of this hash is the one that was recorded, as far as the recording can tell.
    pub fn agrees(&self, hash: u64) -> bool {
        self.hash32 == hash as u32 && self.hash64.is_none_or(|whole| whole == hash)
    }
}

/// Goes through ticks, holding one input at a time.
#[derive(Clone, Debug)]
pub struct Ticks<'a> {
    batches: std::slice::Iter<'a, Batch>,
    player: Option<Player<'a>>,
}

impl Ticks<'_> {
    /// The next tick; `None` after the last. No `Iterator`, because each tick lends out the one input.
    pub fn next_tick(&mut self) -> Option<Tick<'_>> {
        // Batches were read through once, so none fails here.
        while !self.player.as_mut().is_some_and(|player| player.advance() == Ok(true)) {
            self.player = Some(self.batches.next()?.play().ok()?);
        }
        let player = self.player.as_ref()?;
        Some(Tick {
            tick: player.tick(),
            input: player.input(),
            hash32: player.hash32(),
            hash64: player.hash64(),
        })
    }
}

/// The header, and the messages that came with it.
fn read_header(container: &mut Container) -> Result<(Header, Vec<Message>), ReadError> {
    loop {
        let mut messages = match container.step() {
            Step::Messages(messages) => messages,
            Step::Cut(reason) if !container.is_foreign => return Err(ReadError::Empty(reason)),
            Step::End | Step::Cut(_) => return Err(ReadError::Foreign),
        };
        if messages.is_empty() {
            continue;
        }
        let rest = messages.split_off(1);
        return match messages.pop() {
            Some((Topic::Header, bytes)) => Ok((parse_header(&bytes)?, rest)),
            _ => Err(ReadError::Foreign),
        };
    }
}

/// The format first: another one may have other fields.
fn parse_header(bytes: &[u8]) -> Result<Header, ReadError> {
    let malformed = |e: serde_json::Error| ReadError::Header(e.to_string());
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(malformed)?;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(found) if found != u64::from(FORMAT) => return Err(ReadError::Format { found }),
        Some(_) => {}
        None => return Err(ReadError::Header("it has no format number".to_owned())),
    }
    let header: Header = serde_json::from_value(value).map_err(malformed)?;
    header.check_dt().map_err(ReadError::Header)?;
    Ok(header)
}

fn read_file(bytes: &[u8]) -> Result<(String, Vec<u8>), Malformed> {
    let mut bytes = Bytes(bytes);
    let length = bytes.count(1)?;
    let name = std::str::from_utf8(bytes.take(length)?).map_err(|_| Malformed("its name is not UTF-8"))?;
    Ok((name.to_owned(), bytes.0.to_vec()))
}
