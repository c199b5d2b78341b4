//! Files that are broken, foreign or made to do harm.

use super::{Noise, assert_prefix, header, messages_of, record, recorded, varied, world};
use serosa_io::recording::batch::Batch;
use serosa_io::recording::{Header, ReadError, Recording, VERSION, Writer};
use std::io;

/// An MCAP file of these messages, made by another program.
fn mcap_of(messages: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = mcap::Writer::new(io::Cursor::new(Vec::new())).unwrap();
    for (topic, data) in messages {
        let channel_id = writer.add_channel(0, topic, "json", &Default::default()).unwrap();
        let header = mcap::records::MessageHeader { channel_id, sequence: 0, log_time: 0, publish_time: 0 };
        writer.write_to_known_channel(&header, data).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

#[test]
fn other_files_are_refused_by_name() {
    let error = |bytes: &[u8]| Recording::read(bytes).unwrap_err().to_string();
    let magic = "this is not a recording: it does not begin with the MCAP magic bytes";
    assert_eq!(error(b""), magic);
    assert_eq!(error(b"solid cube\nfacet normal 0 0 1\n"), magic);
    let foreign = mcap_of(&[("/camera".into(), b"{}".to_vec())]);
    assert_eq!(error(&foreign), "this is an MCAP file, but not made by Serosa");
    assert_eq!(error(&foreign[..60]), "this is an MCAP file, but not made by Serosa");
    assert_eq!(
        error(&recorded(10).1[..60]),
        "the recording ends before its header: \
         the file breaks off in the middle of a record that begins at byte 43"
    );
}

#[test]
fn other_versions_are_told_apart() {
    let mut world = world();
    let old = Header { version: "0.0.9".into(), ..header(&world) };
    let mut writer = Writer::create(Vec::new(), &old, &[], &world).unwrap();
    let (events, _) = record(&mut writer, &mut world, 10, varied);
    let recording = Recording::read(&writer.finish().unwrap()).unwrap();
    assert_eq!(assert_prefix(&recording, &events), 10, "it can still be looked at");
    let text = recording.check_version().unwrap_err().to_string();
    assert!(text.starts_with(&format!("recorded by serosa 0.0.9, this is {VERSION}: ")), "{text}");
    let newer = mcap_of(&[("serosa/header".into(), b"{\"format\": 5}".to_vec())]);
    assert_eq!(Recording::read(&newer).unwrap_err(), ReadError::Format { found: 5 });
    let empty = mcap_of(&[("serosa/header".into(), b"{\"format\": 4}".to_vec())]);
    assert!(matches!(Recording::read(&empty), Err(ReadError::Header(text)) if text.contains("version")));
}

#[test]
fn missing_and_misplaced_parts_are_named() {
    let (_, bytes) = recorded(1000);
    let messages = messages_of(&bytes);
    let without = |leave: &dyn Fn(usize, &str) -> bool| {
        let mut seen = std::collections::BTreeMap::new();
        let mut keep = messages.clone();
        keep.retain(|(topic, _)| {
            let n = seen.entry(topic.clone()).and_modify(|n| *n += 1).or_insert(0);
            !leave(*n, topic)
        });
        Recording::read(&mcap_of(&keep)).map(|recording| recording.ticks()).map_err(|e| e.to_string())
    };
    assert_eq!(without(&|_, _| false), Ok(1000));
    assert_eq!(without(&|_, topic| topic.starts_with('/')), Ok(1000));
    assert_eq!(without(&|n, topic| n > 0 && topic == "serosa/keyframe"), Ok(1000));
    let first = |n: usize, topic: &str| n == 0 && topic == "serosa/ticks";
    let gap = |tick: u64| format!("the recording has a gap: tick {tick} follows tick 0");
    assert_eq!(without(&first).unwrap_err(), gap(240));
    let bare = |n: usize, topic: &str| first(n, topic) || n > 0 && topic == "serosa/keyframe";
    assert_eq!(without(&bare).unwrap_err(), gap(241));
    let start = "the recording has ticks, but no state to begin them from";
    assert_eq!(without(&|_, topic| topic == "serosa/keyframe").unwrap_err(), start);
    let mut bad = messages[..5].to_vec();
    bad.push(("serosa/ticks".into(), vec![1]));
    let text = Recording::read(&mcap_of(&bad)).unwrap_err().to_string();
    assert_eq!(text, "a batch after 0.0 s of the recording is malformed: it ends too early");
    // A state with one wrong bit, or one that lies about its size, is passed over for an earlier one.
    let mut bad = messages.clone();
    let second = bad.iter_mut().filter(|(topic, _)| topic == "serosa/keyframe").nth(1).unwrap();
    let middle = second.1.len() / 2;
    second.1[middle] ^= 1;
    assert_eq!(Recording::read(&mcap_of(&bad)).unwrap().keyframe_before(479).unwrap().0, 0);
    let mut bad = messages[..4].to_vec();
    assert_eq!(bad[3].0, "serosa/keyframe");
    bad.push(("serosa/keyframe".into(), [&[0; 2][..], &[0xff; 8], &[0x7f; 8]].concat()));
    assert_eq!(Recording::read(&mcap_of(&bad)).unwrap().keyframe_before(9).unwrap().0, 0);
}

/// A chunk of these records, as another program might claim it.
fn chunk(records: &[u8], compression: &str, claimed: u64) -> Vec<u8> {
    let mut body = vec![0; 16];
    body.extend(claimed.to_le_bytes());
    body.extend([0; 4]);
    body.extend((compression.len() as u32).to_le_bytes());
    body.extend(compression.as_bytes());
    body.extend((records.len() as u64).to_le_bytes());
    body.extend(records);
    [&[6], &(body.len() as u64).to_le_bytes()[..], &body].concat()
}

/// Up to 255 bytes as a frame of zstd, not compressed.
fn zstd_frame(bytes: &[u8]) -> Vec<u8> {
    let head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.len() as u8];
    let block = ((bytes.len() as u32) << 3 | 1).to_le_bytes();
    [&head, &block[..3], bytes].concat()
}

#[test]
fn lengths_that_lie_cost_nothing() {
    let (events, bytes) = recorded(240);
    let recording = Recording::read(&bytes).unwrap();
    assert_eq!(assert_prefix(&recording, &events), 240);
    let end = data_end(&bytes);
    let record = |length: u64| [&[5], &length.to_le_bytes()[..], &[0; 22]].concat();
    let mut fine = record(22);
    fine[9] = 1;
    for (reason, more) in [
        ("claims to unpack", chunk(&zstd_frame(&fine), "zstd", 1 << 40)),
        ("two lengths", chunk(&fine, "", 1 << 30)),
        ("packed by `lz4`", chunk(&fine, "lz4", 31)),
        ("without a channel", chunk(&record(22), "", 31)),
        ("no progress", chunk(&zstd_frame(&fine), "zstd", 200 << 20)),
        ("limit", chunk(&zstd_frame(&record(u64::MAX)), "zstd", 31)),
        ("limit", chunk(&zstd_frame(&record(1 << 62)), "zstd", 31)),
        ("limit", chunk(&record(1 << 62), "", 31)),
        ("middle of a record", chunk(&record(23), "", 31)),
        ("breaks off", [&[6][..], &[0xff; 8]].concat()),
    ] {
        let damaged = [&bytes[..end], &more, &bytes[end..]].concat();
        let recording = Recording::read(&damaged).unwrap();
        assert!(recording.cut.as_ref().is_some_and(|cut| cut.contains(reason)), "{:?}", recording.cut);
        assert_eq!(assert_prefix(&recording, &events), 240);
    }
}

/// A few kilobytes of zstd that unpack to `mebibytes` of zeros: blocks of one byte, repeated 128 Ki times.
fn zstd_bomb(mebibytes: u32) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
    let blocks = mebibytes * 8;
    for i in 0..blocks {
        let head = (128 << 10) << 3 | 1 << 1 | u32::from(i == blocks - 1);
        frame.extend(&head.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

#[test]
fn a_bomb_is_defused() {
    let (events, bytes) = recorded(240);
    let end = data_end(&bytes);
    // A multiple of nine, to be read as empty records.
    let bomb = chunk(&zstd_bomb(252), "zstd", 252 << 20);
    assert!(bomb.len() < 10_000);
    let clock = std::time::Instant::now();
    let recording = Recording::read(&[&bytes[..end], &bomb, &bomb, &bytes[end..]].concat()).unwrap();
    assert!(
        recording.cut.as_ref().is_some_and(|cut| cut.contains("claims to unpack")),
        "{:?}",
        recording.cut
    );
    assert_eq!(assert_prefix(&recording, &events), 240);
    assert!(clock.elapsed().as_secs() < 10, "{:?}", clock.elapsed());
}

/// Where the record that ends the data stands.
fn data_end(bytes: &[u8]) -> usize {
    bytes.windows(9).rposition(|w| w == [15, 4, 0, 0, 0, 0, 0, 0, 0]).unwrap()
}

/// Some bytes of `bytes` changed, cut, repeated, removed or added.
fn mutate(bytes: &[u8], noise: &mut Noise) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=noise.below(3) {
        let (at, n) = (noise.below(bytes.len()), noise.below(40));
        let end = (at + n).min(bytes.len());
        let random: Vec<u8> = (0..n).map(|_| noise.bits() as u8).collect();
        match noise.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, random)),
            3 => {
                let again = bytes[at..end].to_vec();
                let to = noise.below(bytes.len());
                bytes.splice(to..to, again);
            }
            _ if bytes.is_empty() => {}
            4 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][noise.below(5)],
            _ => bytes[at] ^= 1 << noise.below(8),
        }
    }
    bytes
}

fn play_through(recording: &Recording) {
    let (mut ticks, mut n) = (recording.play(), 0);
    while ticks.next_tick().is_some() {
        n += 1;
    }
    assert_eq!(n, recording.ticks());
    recording.keyframe_before(u64::MAX);
    recording.batch_of_second(recording.duration_s() / 2.0);
}

/// Where the checksums of chunks stand.
fn sums(bytes: &[u8]) -> Vec<usize> {
    let (mut at, mut sums) = (8, Vec::new());
    while let Some(head) = bytes.get(at..at + 9) {
        if head[0] == 6 {
            sums.push(at + 9 + 24);
        }
        at += 9 + u64::from_le_bytes(head[1..].try_into().unwrap()) as usize;
    }
    sums
}

#[test]
fn damage_is_survived() {
    let clock = std::time::Instant::now();
    let (events, sound) = recorded(600);
    // Without checksums, damage goes in deeper.
    let mut unsummed = sound.clone();
    sums(&sound).iter().for_each(|at| unsummed[*at..][..4].fill(0));
    let mut noise = Noise(11);
    let mut outcomes = [0; 3];
    for i in 0..3000 {
        let bytes = mutate(if i % 2 == 0 { &sound } else { &unsummed }, &mut noise);
        match Recording::read(&bytes) {
            Ok(recording) => {
                outcomes[usize::from(recording.cut.is_some())] += 1;
                play_through(&recording);
                if i % 2 == 0 {
                    assert_prefix(&recording, &events);
                }
            }
            Err(error) => {
                outcomes[2] += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(outcomes.iter().all(|n| *n > 100), "{outcomes:?}");
    let batches = messages_of(&sound).into_iter().filter(|(topic, _)| topic == "serosa/ticks");
    let batches: Vec<Vec<u8>> = batches.map(|(_, data)| data).collect();
    let mut outcomes = [0; 2];
    for i in 0..3000 {
        let batch = Batch::new(mutate(&batches[i % batches.len()], &mut noise));
        outcomes[usize::from(batch.is_err())] += 1;
        if let Ok(batch) = batch {
            let mut player = batch.play().unwrap();
            let ticks = std::iter::from_fn(|| player.advance().unwrap().then_some(())).count();
            assert_eq!(ticks as u64, batch.ticks());
        }
    }
    assert!(outcomes.iter().all(|n| *n > 100), "{outcomes:?}");
    assert!(clock.elapsed().as_secs() < 10, "{:?}", clock.elapsed());
}
