//! Recordings, written and read, whole and broken off.

#![allow(clippy::unwrap_used, clippy::panic)]

mod hostile;

use serosa_io::recording::{Header, Keyframes, ReadError, RecordError, Recording, SceneSource, Writer};
use serosa_sim::model::{Body, BodyKind, Pose, Rigid, Shape, Tool};
use serosa_sim::params::{BodyParams, Coupling, Params, Target, Tunable};
use serosa_sim::probe::{Measure, Place, Probe};
use serosa_sim::{BodyId, Hand, Input, Model, Quat, RigidId, ToolId, Vec3, World, step};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Ticks per second in these tests.
const RATE: u64 = 240;
/// Length of the record that ends the data of an MCAP file \[bytes\].
const DATA_END: usize = 9 + 4;

/// Seeded noise (splitmix64).
struct Noise(u64);

impl Noise {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// Mean 0, deviation 1: the sum of twelve uniform numbers, less six.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| (self.bits() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
    }

    fn vec(&mut self) -> Vec3 {
        Vec3::new(self.normal(), self.normal(), self.normal())
    }
}

/// A tool in empty space, three probes and a tunable.
fn world() -> World {
    let body = Body {
        name: "grasper".into(),
        kind: BodyKind::Rigid(RigidId(0)),
        vertices: 0..0,
        prims: 0..0,
        self_contact: false,
        membrane_contact: false,
    };
    let rigid = Rigid {
        body: BodyId(0),
        shape: Shape::Ball,
        mass: 0.1,
        inv_mass: 10.0,
        inertia: Vec3::splat(1e-4),
        inv_inertia: Vec3::splat(1e4),
        rest: Pose::IDENTITY,
    };
    let place = |at: Vec3| Place::Frame(RigidId(0), at);
    let probes = [
        ("tip", Measure::Position(place(Vec3::ZERO))),
        ("span", Measure::Distance(place(Vec3::X), place(Vec3::Y))),
        ("grip", Measure::HandForce(ToolId(0))),
    ];
    let model = Model {
        bodies: vec![body],
        rigids: vec![rigid],
        tools: vec![Tool {
            name: "grasper".into(),
            body: BodyId(0),
            rigid: RigidId(0),
            tip: Vec3::ZERO,
            reach: 0.01,
            strength: 5.0,
            holds: 8,
        }],
        probes: probes.map(|(name, measure)| Probe { name: name.into(), measure }).into(),
        ..Model::default()
    };
    let drag = Tunable {
        name: "drag".into(),
        target: Target::Drag(BodyId(0)),
        unit: ("1/s".into(), 1.0),
        min: 0.0,
        max: 10.0,
        start: 1.0,
    };
    let coupling = Coupling {
        stiffness: 500.0,
        damping: Some(10.0),
        turn_stiffness: 1.0,
        turn_damping: 0.01,
        speed_max: 1.0,
    };
    let params = Params {
        dt_s: 1.0 / RATE as f64,
        bodies: vec![BodyParams::default()],
        couplings: vec![coupling],
        tunables: vec![drag],
        ..Params::default()
    };
    World::new(Arc::new(model), params)
}

fn header(world: &World) -> Header {
    let scene = SceneSource { name: "bench", text: "title = \"Bench\"\n", hash: 7, bake_hash: u64::MAX };
    Header::new(world, scene, 42)
}

fn files() -> Vec<(String, Vec<u8>)> {
    vec![("meshes/liver.obj".into(), b"v 0 0 0\n".repeat(50)), ("empty".into(), Vec::new())]
}

/// A surgeon's hand: slow sweeps up to 0.2 m/s, and tremor of 40 µm and a milliradian in every tick.
fn hand(tick: u64, noise: &mut Noise) -> Hand {
    let t = tick as f64 / RATE as f64;
    let wave = |hz: f64, phase: f64| (std::f64::consts::TAU * hz * t + phase).sin();
    let axis = |i: f64| 0.025 * wave(0.7 + 0.1 * i, i) + 0.01 * wave(1.3 + 0.2 * i, 2.0 * i);
    let turn = |i: f64| 0.5 * wave(0.4 + 0.05 * i, 3.0 * i) + 0.1 * wave(1.1 + 0.1 * i, i);
    let pos = Vec3::new(axis(0.0), axis(1.0), axis(2.0)) + noise.vec() * 40e-6;
    let turn = Vec3::new(turn(0.0), turn(1.0), turn(2.0)) + noise.vec() * 1e-3;
    Hand::new(pos, Quat::from_scaled_axis(turn)).unwrap()
}

/// Inputs of all kinds: still, moving, other sweeps, other tunables, times without any hand or tunable.
fn varied(tick: u64, noise: &mut Noise) -> Input {
    let moving = (tick / 100).is_multiple_of(2);
    let hands =
        if tick % 700 > 600 { vec![] } else { vec![hand(if moving { tick } else { 0 }, &mut Noise(3))] };
    let drag = if tick.is_multiple_of(91) { noise.normal() } else { (tick / 60) as f64 };
    let tunables = if tick % 640 > 460 { vec![] } else { vec![drag] };
    Input { hands, sweeps: (tick / 150) as u32 * 5, tunables, ..Input::default() }
}

/// What happened in one tick.
type Event = (u64, Input, u64);

/// Records `ticks` ticks of a world that only pretends to step.
fn record<W: Write>(
    writer: &mut Writer<W>,
    world: &mut World,
    ticks: u64,
    mut input: impl FnMut(u64, &mut Noise) -> Input,
) -> (Vec<Event>, Result<(), RecordError>) {
    let mut noise = Noise(1);
    let mut events = Vec::new();
    for _ in 0..ticks {
        world.state.tick += 1;
        let tick = world.state.tick;
        let input = input(tick, &mut noise);
        if let Some(hand) = input.hands.first() {
            world.state.pose[0] = hand.pose();
            world.scratch.hand_force[0] = noise.vec();
        }
        let hash = noise.bits();
        if let Err(error) = writer.tick(&input, world, hash) {
            return (events, Err(error));
        }
        events.push((tick, input, hash));
    }
    (events, Ok(()))
}

/// A finished recording of varied inputs.
fn recorded(ticks: u64) -> (Vec<Event>, Vec<u8>) {
    let mut world = world();
    let mut writer = Writer::create(Vec::new(), &header(&world), &files(), &world).unwrap();
    let (events, result) = record(&mut writer, &mut world, ticks, varied);
    result.unwrap();
    (events, writer.finish().unwrap())
}

/// Whether a recording holds the first of these events and nothing else; how many they are.
#[track_caller]
fn assert_prefix(recording: &Recording, events: &[Event]) -> usize {
    let mut ticks = recording.play();
    let mut n = 0;
    while let Some(found) = ticks.next_tick() {
        let (tick, input, hash) = &events[n];
        assert_eq!((found.tick, found.input), (*tick, input));
        assert!(found.agrees(*hash) && !found.agrees(*hash ^ 1));
        n += 1;
    }
    assert_eq!(recording.ticks(), n as u64);
    n
}

#[test]
fn what_is_written_is_read() {
    let (events, bytes) = recorded(2000);
    let recording = Recording::read(&bytes).unwrap();
    assert_eq!(recording.header, header(&world()));
    assert_eq!(recording.files, files());
    assert_eq!(recording.cut, None);
    assert_eq!(recording.check_version(), Ok(()));
    assert_eq!(assert_prefix(&recording, &events), 2000);
    assert!((recording.duration_s() - 2000.0 / 240.0).abs() < 1e-9);
    let frames: Vec<u64> = recording.keyframes.iter().map(|frame| frame.tick).collect();
    assert_eq!(frames, (0..9).map(|s| s * RATE).collect::<Vec<_>>());
}

#[test]
fn any_second_can_be_jumped_to() {
    let (events, bytes) = recorded(2000);
    let recording = Recording::read(&bytes).unwrap();
    for second in 0..8 {
        let batch = &recording.batches[recording.batch_of_second(f64::from(second) + 0.5).unwrap()];
        let middle = u64::from(second as u32) * RATE + RATE / 2;
        assert!((batch.first()..=batch.last()).contains(&middle), "{second}");
    }
    assert_eq!(recording.batch_of_second(0.0), Some(0));
    let end = recording.batches.len() - 1;
    assert_eq!(recording.batch_of_second(recording.duration_s()), Some(end));
    for outside in [-1.0, recording.duration_s() + 0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(recording.batch_of_second(outside), None);
    }
    for tick in [1, 2, 240, 241, 601, 602, 1999, 2000] {
        let mut ticks = recording.play_from(tick);
        let found = ticks.next_tick().unwrap();
        assert_eq!((found.tick, found.input), (tick, &events[tick as usize - 1].1));
    }
    assert!(recording.play_from(2001).next_tick().is_none());
    assert!(recording.play_from(0).next_tick().is_none());
}

/// The promise that recordings are for: the same inputs give the same hashes, from the start and from any
/// keyframe.
#[test]
fn a_replay_agrees() {
    let mut world = world();
    let mut writer = Writer::create(Vec::new(), &header(&world), &[], &world).unwrap();
    let mut noise = Noise(5);
    let mut clock = || 0;
    for tick in 1..=900 {
        let input = varied(tick, &mut noise);
        step(&mut world, &input, &mut clock);
        let hash = world.state.hash();
        writer.tick(&input, &world, hash).unwrap();
    }
    let recording = Recording::read(&writer.finish().unwrap()).unwrap();
    for from in [0, 300, 500, 899] {
        let mut world = self::world();
        let (tick, state) = recording.keyframe_before(from).unwrap();
        assert_eq!(tick, from / RATE * RATE);
        assert!(state.fits(&world.model));
        world.state = state;
        world.params.tune(&recording.tunables_at(tick).unwrap_or_default());
        let mut ticks = recording.play_from(tick + 1);
        while let Some(tick) = ticks.next_tick() {
            step(&mut world, tick.input, &mut clock);
            assert!(tick.agrees(world.state.hash()), "tick {}", tick.tick);
        }
        assert_eq!(world.state.tick, 900);
    }
}

#[test]
fn a_recording_may_begin_in_the_middle_of_a_run() {
    let mut world = world();
    world.state.tick = 1_000_003;
    let mut writer = Writer::create(Vec::new(), &header(&world), &[], &world).unwrap();
    let (events, _) = record(&mut writer, &mut world, 500, varied);
    let recording = Recording::read(&writer.finish().unwrap()).unwrap();
    assert_eq!(assert_prefix(&recording, &events), 500);
    assert_eq!(recording.start_tick(), 1_000_003);
    let batch = &recording.batches[recording.batch_of_second(1.5).unwrap()];
    assert!((batch.first()..=batch.last()).contains(&1_000_363));
}

/// What plotting programs find.
#[test]
fn tools_and_probes_are_plain_json() {
    let (_, bytes) = recorded(480);
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let channel = summary.channels.values().find(|channel| channel.topic == "/probes").unwrap();
    assert_eq!(channel.schema.as_ref().unwrap().encoding, "jsonschema");
    assert_eq!(summary.stats.unwrap().message_end_time, 2_000_000_000);
    let messages = messages_of(&bytes);
    let json = |topic: &str| -> Vec<serde_json::Value> {
        let of_topic = messages.iter().filter(|(found, _)| found == topic);
        of_topic.map(|(_, data)| serde_json::from_slice(data).unwrap()).collect()
    };
    let (tools, probes) = (json("/tools/grasper"), json("/probes"));
    assert_eq!((tools.len(), probes.len()), (20, 20));
    let pose = hand(24, &mut Noise(3)).pose();
    assert_eq!(tools[0]["t"], 0.1);
    assert!((tools[0]["position_m"]["y"].as_f64().unwrap() - pose.pos.y).abs() < 1e-6);
    assert!((tools[0]["rotation"]["w"].as_f64().unwrap() - pose.rot.w).abs() < 1e-5);
    assert_eq!(probes[19]["t"], 2.0);
    let [seen, led] = [&probes[0]["tip"]["y"], &tools[0]["position_m"]["y"]].map(|y| y.as_f64().unwrap());
    assert!((seen - led).abs() < 1e-6, "{seen} {led}: they are written to different digits");
    assert_eq!(probes[0]["span"].to_string(), "1.41421");
    let difference = probes[3]["grip"].as_f64().unwrap() - tools[3]["force_n"].as_f64().unwrap();
    assert!(difference.abs() < 1e-4);
}

#[test]
fn ticks_follow_each_other() {
    let mut world = world();
    let mut writer = Writer::create(Vec::new(), &header(&world), &[], &world).unwrap();
    world.state.tick = 2;
    let error = writer.tick(&Input::default(), &world, 0).unwrap_err();
    assert_eq!(error.to_string(), "tick 2 cannot follow tick 0 in a recording; begin a new one");
}

/// Tremor is data: on a lattice of 1/64 µm it has six bits more a number than on one of 1 µm, which took five megabytes.
#[test]
fn twenty_minutes_take_less_than_six_and_a_half_megabytes() {
    let ticks = 20 * 60 * RATE;
    let mut world = world();
    let mut writer = Writer::create(Vec::new(), &header(&world), &[], &world).unwrap();
    writer.set_keyframes(Keyframes::Off);
    let moving = |tick, noise: &mut Noise| Input { hands: vec![hand(tick, noise)], ..Input::default() };
    let (events, result) = record(&mut writer, &mut world, ticks, moving);
    result.unwrap();
    let bytes = writer.finish().unwrap();
    assert!(bytes.len() < 6_500_000, "{} bytes", bytes.len());
    let recording = Recording::read(&bytes).unwrap();
    assert_eq!(assert_prefix(&recording, &events), ticks as usize);
    let mut samples = [0; 2];
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let topic = &message.unwrap().channel.topic;
        samples[0] += usize::from(topic == "/tools/grasper");
        samples[1] += usize::from(topic == "/probes");
    }
    assert_eq!(samples, [12_000; 2]);
}

/// A sink that remembers when it was flushed.
#[derive(Default)]
struct Flushed {
    bytes: Vec<u8>,
    at: Vec<usize>,
}

impl Write for Flushed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.at.push(self.bytes.len());
        Ok(())
    }
}

#[test]
fn a_file_that_breaks_off_keeps_all_that_was_flushed() {
    let mut world = world();
    let mut writer = Writer::create(Flushed::default(), &header(&world), &files(), &world).unwrap();
    writer.set_keyframes(Keyframes::Off);
    let (events, _) = record(&mut writer, &mut world, 1500, varied);
    let Flushed { bytes, at } = writer.finish().unwrap();
    let whole = Recording::read(&bytes).unwrap();
    // Header, two files and the state at the start are flushed before the first batch.
    let (opening, batches) = (at[0], &at[4..4 + whole.batches.len()]);
    let mut seen = 0;
    for cut in (0..bytes.len()).step_by(97).chain(at.iter().copied()) {
        let flushed = batches.iter().filter(|end| **end <= cut).count();
        match Recording::read(&bytes[..cut]) {
            Ok(recording) => {
                let n = recording.batches.len();
                assert!(n == flushed || n == flushed + 1, "{n} of {flushed} at {cut}");
                assert_prefix(&recording, &events);
                let reason = recording.cut.as_deref();
                assert_eq!(
                    reason.is_none(),
                    cut >= batches[batches.len() - 1] + DATA_END,
                    "{reason:?} at {cut}"
                );
                seen += 1;
            }
            Err(ReadError::NotMcap) => assert!(cut < 8),
            Err(ReadError::Empty(_)) => assert!((8..opening).contains(&cut)),
            Err(error) => panic!("{error} at {cut}"),
        }
    }
    assert!(seen > 50);
}

/// A disk that is full after so many bytes. The test keeps what reached it.
struct Full {
    disk: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.room);
        if n == 0 && !bytes.is_empty() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "No space left on device"));
        }
        self.room -= n;
        self.disk.lock().unwrap().write(&bytes[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_keeps_what_it_has() {
    let (events, whole) = recorded(1500);
    let whole = whole.len();
    for room in (0..whole).step_by(499).chain([whole - 1]) {
        let disk = Arc::new(Mutex::new(Vec::new()));
        let mut world = world();
        let sink = Full { disk: disk.clone(), room };
        let kept = match Writer::create(sink, &header(&world), &files(), &world) {
            Err(error) => kept(&error),
            Ok(mut writer) => {
                let (_, result) = record(&mut writer, &mut world, 1500, varied);
                let error = match result {
                    Ok(()) => writer.finish().map(|_| ()).unwrap_err(),
                    Err(error) => {
                        world.state.tick -= 1;
                        let again = writer.tick(&Input::default(), &world, 0).unwrap_err();
                        assert_eq!(again.to_string(), error.to_string());
                        error
                    }
                };
                let recording = Recording::read(&disk.lock().unwrap()).unwrap();
                let n = assert_prefix(&recording, &events) as f64;
                // All that was kept, and at most a second that arrived without its index.
                let ticks = kept(&error) * RATE as f64;
                assert!(n > ticks - 0.5 && n < ticks + RATE as f64 + 0.5, "{n} of {ticks}");
                kept(&error)
            }
        };
        assert!(room > 0 || kept == 0.0);
        assert!(room < whole - 1 || kept == 1500.0 / RATE as f64);
    }
}

#[track_caller]
fn kept(error: &RecordError) -> f64 {
    let RecordError::Write { seconds_kept, .. } = error else { panic!("{error}") };
    let text =
        format!("the recording could not be written after {seconds_kept:.1} s: No space left on device");
    assert_eq!(error.to_string(), text);
    *seconds_kept
}

#[test]
fn dropping_a_writer_finishes_the_file() {
    let disk = Arc::new(Mutex::new(Vec::new()));
    let mut world = world();
    let sink = Full { disk: disk.clone(), room: usize::MAX };
    let mut writer = Writer::create(sink, &header(&world), &[], &world).unwrap();
    let (events, _) = record(&mut writer, &mut world, 300, varied);
    drop(writer);
    let recording = Recording::read(&disk.lock().unwrap()).unwrap();
    assert_eq!((assert_prefix(&recording, &events), recording.cut), (300, None));
}

/// The messages of an MCAP file.
fn messages_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let messages = mcap::MessageStream::new(bytes).unwrap().map(Result::unwrap);
    messages.map(|message| (message.channel.topic.clone(), message.data.into_owned())).collect()
}
