//! MCAP records, walked with every length checked before anything believes it.
//!
//! The readers of the `mcap` crate trust the lengths inside a chunk: one record that claims 2⁶³ bytes ends the
//! program, and a few kilobytes of zstd may claim to unpack to gigabytes. So the outer records are walked
//! here, and only whole chunks of a sane size are given to the crate, each with its own limit, to be unpacked
//! and checked against their sums.

use super::bits::{Bytes, Malformed};
use super::{CHUNK_MAX, FILE_TOPIC, HEADER_TOPIC, KEYFRAME_TOPIC, TICKS_TOPIC};
use mcap::records::op;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;

/// Opcode and length of a record \[bytes\].
const RECORD_HEAD: usize = 9;
/// Times the length of the file that all chunks together may unpack to, beyond the first [`CHUNK_MAX`] bytes.
/// Hashes and motion do not shrink at all; meshes and states some ten times.
const GROWTH_MAX: u64 = 32;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// [`Header`](super::Header)
    Header,
    /// A file that the scene used.
    File,
    /// A batch.
    Ticks,
    /// A keyframe.
    Keyframe,
}

impl Topic {
    fn of(name: &[u8]) -> Option<Self> {
        let topics = [
            (HEADER_TOPIC, Self::Header),
            (FILE_TOPIC, Self::File),
            (TICKS_TOPIC, Self::Ticks),
            (KEYFRAME_TOPIC, Self::Keyframe),
        ];
        topics.iter().find(|(topic, _)| topic.as_bytes() == name).map(|(_, topic)| *topic)
    }
}

/// A message of ours.
pub type Message = (Topic, Vec<u8>);

/// What the walk came to.
#[derive(Debug)]
pub enum Step {
    /// The messages of ours in a whole chunk, perhaps none.
    Messages(Vec<Message>),
    /// The end of the data, as a finished file has it.
    End,
    /// The file cannot be read farther, for this reason.
    Cut(String),
}

/// An MCAP file being walked.
#[derive(Debug)]
pub struct Container<'a> {
    rest: Bytes<'a>,
    length: usize,
    channels: BTreeMap<u16, Option<Topic>>,
    unpacked: u64,
    /// Whether the file says that it is something else than a recording of ours.
    pub is_foreign: bool,
}

impl<'a> Container<'a> {
    /// Stands before the first record; `None` if the magic bytes are missing.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let rest = Bytes(bytes.strip_prefix(mcap::MAGIC)?);
        Some(Self { rest, length: bytes.len(), channels: BTreeMap::new(), unpacked: 0, is_foreign: false })
    }

    /// Goes on to the next chunk, or to the end.
    pub fn step(&mut self) -> Step {
        loop {
            let at = self.length - self.rest.len();
            let Some((opcode, body)) = self.record() else {
                return Step::Cut(if self.rest.len() == 0 {
                    "the recording was not finished".to_owned()
                } else {
                    format!("the file breaks off in the middle of a record that begins at byte {at}")
                });
            };
            let mut messages = Vec::new();
            let result = match opcode {
                op::DATA_END => return Step::End,
                op::HEADER => self.header(body),
                op::CHUNK => self.chunk(body, &mut messages),
                _ => self.inner(opcode, body, &mut messages).map_err(|e| e.to_string()),
            };
            match result {
                Err(reason) => return Step::Cut(format!("the file is damaged at byte {at}: {reason}")),
                Ok(()) if opcode == op::CHUNK || !messages.is_empty() => return Step::Messages(messages),
                Ok(()) => {}
            }
        }
    }

    fn record(&mut self) -> Option<(u8, &'a [u8])> {
        let mut rest = self.rest;
        let opcode = rest.u8().ok()?;
        let length = usize::try_from(rest.u64().ok()?).ok()?;
        let body = rest.take(length).ok()?;
        self.rest = rest;
        Some((opcode, body))
    }

    fn header(&mut self, body: &[u8]) -> Result<(), String> {
        let profile = string(&mut Bytes(body)).map_err(|e| e.to_string())?;
        self.is_foreign = profile != super::PROFILE.as_bytes();
        Ok(())
    }

    /// A record that may stand in a chunk.
    fn inner(&mut self, opcode: u8, body: &[u8], messages: &mut Vec<Message>) -> Result<(), Malformed> {
        let mut body = Bytes(body);
        match opcode {
            op::CHANNEL => {
                let id = body.u16()?;
                let _schema = body.u16()?;
                self.channels.insert(id, Topic::of(string(&mut body)?));
            }
            op::MESSAGE => {
                let id = body.u16()?;
                let _sequence_and_times = body.take(4 + 8 + 8)?;
                let topic = self.channels.get(&id).ok_or(Malformed("a message without a channel"))?;
                messages.extend(topic.map(|topic| (topic, body.0.to_vec())));
            }
            _ => {}
        }
        Ok(())
    }

    fn chunk(&mut self, body: &[u8], messages: &mut Vec<Message>) -> Result<(), String> {
        let size = self.check_chunk(body)?;
        let options = LinearReaderOptions::default()
            .with_skip_start_magic(true)
            .with_skip_end_magic(true)
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(body.len().max(size));
        let mut reader = LinearReader::new_with_options(options);
        let mut head = [op::CHUNK; RECORD_HEAD];
        head[1..].copy_from_slice(&(body.len() as u64).to_le_bytes());
        let (mut head, mut body) = (&head[..], body);
        while let Some(event) = reader.next_event() {
            match event.map_err(|e| plain(&e))? {
                LinearReadEvent::ReadRequest(wanted) => {
                    let source = if head.is_empty() { &mut body } else { &mut head };
                    let (now, later) = source.split_at(wanted.min(source.len()));
                    reader.insert(now.len()).copy_from_slice(now);
                    reader.notify_read(now.len());
                    *source = later;
                }
                LinearReadEvent::Record { data, opcode } => {
                    self.inner(opcode, data, messages).map_err(|e| e.to_string())?;
                }
            }
        }
        Ok(())
    }

    /// The size of a chunk unpacked, if all its lengths can be true.
    fn check_chunk(&mut self, body: &[u8]) -> Result<usize, String> {
        let (size, compression, packed) = chunk_head(body).map_err(|e| e.to_string())?;
        let is_plain = compression.is_empty();
        if !is_plain && compression != b"zstd" {
            return Err(format!("chunks packed by `{}`", String::from_utf8_lossy(compression)));
        }
        if is_plain && size != packed {
            return Err("a chunk of two lengths".to_owned());
        }
        self.unpacked = self.unpacked.saturating_add(size);
        let most = GROWTH_MAX.saturating_mul(self.length as u64).saturating_add(CHUNK_MAX);
        if size > CHUNK_MAX || self.unpacked > most {
            return Err(format!("a chunk that claims to unpack to {size} bytes"));
        }
        usize::try_from(size).map_err(|e| e.to_string())
    }
}

/// Unpacked size, compression and packed size of a chunk. Nothing may follow its records: where something
/// does, the `mcap` crate loses count.
fn chunk_head(body: &[u8]) -> Result<(u64, &[u8], u64), Malformed> {
    let mut head = Bytes(body);
    let _times = head.take(8 + 8)?;
    let size = head.u64()?;
    let _sum = head.u32()?;
    let compression = string(&mut head)?;
    let packed = head.u64()?;
    if packed != head.len() as u64 {
        return Err(Malformed("a chunk of two lengths"));
    }
    Ok((size, compression, packed))
}

fn string<'a>(bytes: &mut Bytes<'a>) -> Result<&'a [u8], Malformed> {
    let length = bytes.u32()? as usize;
    bytes.take(length)
}

/// The reason in words that do not repeat where it happened.
fn plain(error: &mcap::McapError) -> String {
    match error {
        mcap::McapError::BadChunkCrc { .. } => "a checksum does not agree".to_owned(),
        mcap::McapError::UnexpectedEof | mcap::McapError::UnexpectedEoc => {
            "a chunk ends in the middle of a record".to_owned()
        }
        other => other.to_string(),
    }
}
