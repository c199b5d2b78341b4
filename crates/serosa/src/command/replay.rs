//! `serosa replay`: re-simulates a recording and compares the hash of every tick.

use super::run::{default_threads, pool, probes_json, progress};
use crate::cache::Cache;
use crate::cli::ReplayArgs;
use crate::{Console, Failure, diagnostics, mapped, scenes};
use serde_json::json;
use serosa_bake::Baked;
use serosa_io::baked::BakeFile;
use serosa_io::fingerprint;
use serosa_io::recording::Recording;
use serosa_sim::{World, step};

/// The largest recording that is read \[bytes\].
const RECORDING_MAX: u64 = 4 << 30;

/// What a replay found.
#[derive(Debug)]
pub struct Outcome {
    /// First tick that was re-simulated, and the last.
    pub from: u64,
    /// Last tick that was re-simulated.
    pub to: u64,
    /// The first tick whose hash differs.
    pub first_difference: Option<u64>,
    /// The world as it was then.
    pub world: World,
}

/// Re-simulates a recording; exit 1 at the first difference.
pub fn replay(args: &ReplayArgs, console: &mut Console) -> Result<(), Failure> {
    let path = args.file.display();
    let refuse = |reason: String| {
        let help = "give a recording made by `serosa run --record` with this version of the program";
        Failure::input(format!("error: {path} cannot be replayed: {reason}\n  help: {help}"))
    };
    let bytes = scenes::read_bounded(&args.file, RECORDING_MAX).map_err(refuse)?;
    let recording = Recording::read(&bytes).map_err(|e| refuse(e.to_string()))?;
    let bake = args.bake.as_deref().map(|path| {
        let named = |why| refuse(format!("the bake {} cannot be used: {why}", path.display()));
        mapped::read_bake(path).map_err(named)
    });
    let world = open(&recording, bake.transpose()?.as_ref()).map_err(refuse)?;
    let threads = args.threads.map_or_else(default_threads, usize::from);
    let outcome = compare(&recording, world, (args.from, args.to), threads).map_err(refuse)?;
    report(args, &recording, &outcome, console);
    match outcome.first_difference {
        None => Ok(()),
        Some(tick) => Err(Failure::CheckFailed(format!(
            "replay differs from {path} at tick {tick}, {:.3} s",
            tick as f64 * recording.header.dt_s
        ))),
    }
}

/// The world that a recording began with, or why it cannot be had; from a bake of its scene, where one is given.
pub fn open(recording: &Recording, bake: Option<&BakeFile>) -> Result<World, String> {
    recording.check_version().map_err(|e| e.to_string())?;
    let header = &recording.header;
    let (baked, whose) = match bake {
        Some(bake) => (bake.baked.clone(), "the bake given is"),
        None => (bake_again(recording)?, "this program bakes the scene to"),
    };
    let bake = fingerprint::of_bake(&baked);
    if bake != header.bake_hash {
        return Err(format!(
            "it was recorded with bake {:016x}, {whose} {bake:016x}; replay it with the program that recorded it, or \
             with --bake and the bake it ran with",
            header.bake_hash
        ));
    }
    Ok(baked.world())
}

/// Bakes the scene of a recording, unless the user's cache has it.
fn bake_again(recording: &Recording) -> Result<Baked, String> {
    let header = &recording.header;
    let read = |path: &str| {
        let found = recording.files.iter().find(|(name, _)| name == path);
        found.map(|(_, bytes)| bytes.clone()).ok_or("the recording does not hold it".to_owned())
    };
    let loaded = Cache::of_user().load(&header.scene_text, &read, &mut |_| {}).map_err(|p| {
        format!("its scene is not sound\n{}", diagnostics::render(&header.scene, &header.scene_text, &p))
    })?;
    Ok(loaded.baked)
}

/// Re-simulates between two times \[s\], from the keyframe before the first.
pub fn compare(
    recording: &Recording,
    mut world: World,
    (from_s, to_s): (f64, Option<f64>),
    threads: usize,
) -> Result<Outcome, String> {
    let dt = recording.header.dt_s;
    let tick_of = |s: f64| (s / dt).round().max(0.0) as u64;
    if !(from_s.is_finite() && from_s >= 0.0 && from_s <= recording.duration_s() + dt) {
        return Err(format!("it holds {:.2} s, and {from_s} s is not in it", recording.duration_s()));
    }
    if to_s.is_some_and(|to| !(to.is_finite() && to > from_s)) {
        return Err(format!("--to must be a time after --from, {from_s} s"));
    }
    let (start, state) =
        recording.keyframe_before(tick_of(from_s)).ok_or("it holds no keyframe to begin from")?;
    if !state.fits(&world.model) {
        return Err("its keyframe does not fit its scene".into());
    }
    world.state = state;
    // Tunables are no part of the state: they stand in the inputs, which may have been silent since.
    world.params.tune(&recording.tunables_at(start).unwrap_or_default());
    let to = to_s.map_or(u64::MAX, tick_of);
    let bar = progress(recording.ticks().min(to).saturating_sub(start), "replay");
    let pool = pool(threads).map_err(|_| "the threads cannot be started".to_owned())?;
    let mut ticks = recording.play_from(start + 1);
    let mut first_difference = None;
    pool.install(|| {
        while let Some(tick) = ticks.next_tick().filter(|t| t.tick <= to) {
            step(&mut world, tick.input, &mut || 0);
            bar.inc(1);
            if world.state.tick != tick.tick || !tick.agrees(world.state.hash()) {
                first_difference = Some(tick.tick);
                break;
            }
        }
    });
    bar.finish_and_clear();
    Ok(Outcome { from: start, to: world.state.tick, first_difference, world })
}

fn report(args: &ReplayArgs, recording: &Recording, outcome: &Outcome, console: &mut Console) {
    let (header, compared) = (&recording.header, outcome.to - outcome.from);
    if args.json {
        return console.say(json!({
            "recording": args.file.display().to_string(),
            "scene": header.scene,
            "version": header.version,
            "ticks": compared,
            "from_tick": outcome.from,
            "to_tick": outcome.to,
            "recorded_s": recording.duration_s(),
            "equal": outcome.first_difference.is_none(),
            "first_difference": outcome.first_difference,
            "cut": recording.cut,
            "hash": format!("{:016x}", outcome.world.state.hash()),
            "probes": probes_json(&outcome.world),
        }));
    }
    if let Some(reason) = &recording.cut {
        let kept = recording.duration_s();
        console.say(format!("the recording breaks off ({reason}); {kept:.2} s of it are whole"));
    }
    if outcome.first_difference.is_none() {
        console.say(format!(
            "{}: {compared} ticks of \"{}\" re-simulated, every hash equal (last {:016x})",
            args.file.display(),
            header.scene,
            outcome.world.state.hash()
        ));
    }
}
