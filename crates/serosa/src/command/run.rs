//! `serosa run`: a scene without a window.

use crate::cli::{AuditEvery, RunArgs};
use crate::scenes::{self, SceneText};
use crate::session::runaway::Runaway;
use crate::session::{Device, Recorder, Session, checks, memory};
use crate::{Console, Failure};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use serosa_io::recording::Recording;
use serosa_io::scene::{Loaded, load_script};
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::{Stage, World};
use std::io::IsTerminal;
use std::path::Path;

/// Simulated seconds if no number of steps is given.
const DEFAULT_SECONDS: f64 = 5.0;
/// Speed of random tools if none is given \[m/s\].
const RANDOM_SPEED: f64 = 0.5;
/// Scenes of fewer primitives are audited in every step.
const AUDIT_ALWAYS: usize = 2000;

/// What `serosa` alone does: the default scene, and where to go next.
pub fn first_look(scene: &str, console: &mut Console) -> Result<(), Failure> {
    let args = RunArgs {
        scene: scene.to_owned(),
        steps: None,
        threads: None,
        seed: 0,
        input: None,
        record: None,
        audit: Some(AuditEvery::Fitting),
        json: false,
    };
    run(&args, console)?;
    console.say("\nNext: `serosa scenes` lists the scenes, `serosa run NAME` runs one, `serosa --help` tells the rest.");
    Ok(())
}

/// Runs a scene and says what was seen.
pub fn run(args: &RunArgs, console: &mut Console) -> Result<(), Failure> {
    let scene = scenes::find(&args.scene)?;
    let loaded = scenes::load_kept(&scene, console)?;
    let threads = args.threads.map_or_else(default_threads, usize::from);
    let pool = pool(threads)?;
    let world = loaded.baked.world();
    let steps = args.steps.unwrap_or((DEFAULT_SECONDS / world.params.dt_s).round() as u64);
    let device = device(args, &loaded, &world)?;
    let mut session = Session::new(world, device);
    session.audit_every = args.audit.map(|every| match every {
        AuditEvery::Steps(n) => n.get(),
        AuditEvery::Fitting if session.world.model.prims.len() < AUDIT_ALWAYS => 1,
        AuditEvery::Fitting => 100,
    });
    if let Some(path) = &args.record {
        let recorder = Recorder::begin(path, &scene, &loaded, &session.world, args.seed)?;
        if let Some(moved) = &recorder.moved {
            console.note(format!("note: the {} that was there is now {}", path.display(), moved.display()));
        }
        session.recorder = Some(recorder);
    }
    for note in loaded.baked.notes.iter().filter(|_| !args.json) {
        console.note(format!("note: {note}"));
    }
    let bar = progress(steps, &scene.name);
    let outcome = pool.install(|| {
        for i in 0..steps {
            session.step()?;
            if i == steps / 10 {
                session.seen.memory_mb[0] = memory::resident_mb();
            }
            if i % 64 == 0 {
                bar.set_position(i);
            }
        }
        // So that an audit has always seen something.
        session.audit_now(steps);
        session.seen.memory_mb[1] = memory::resident_mb();
        Ok(())
    });
    bar.finish_and_clear();
    outcome.map_err(|e| record_failure(&session, &e))?;
    let recorded = finish_recording(&mut session)?;
    if args.json {
        console.say(as_json(&scene, &session, threads, args.seed));
    } else {
        summary(&scene, &loaded, &session, threads, console);
        if let Some((path, bytes)) = recorded {
            console.say(format!("  recorded to {path} ({:.1} kB)", bytes as f64 / 1e3));
        }
    }
    verdict(&session)
}

/// A pool of threads; the session runs its whole loop inside it.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::input(format!("error: {threads} threads cannot be started: {e}")))
}

/// One thread per core.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(256)
}

/// A progress bar on a terminal, nothing elsewhere.
pub fn progress(steps: u64, what: &str) -> ProgressBar {
    bar(steps, what.to_owned(), "steps")
}

/// The same, of things of another kind.
pub fn bar(count: u64, what: String, kind: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template(&format!("{{msg}} {{wide_bar}} {{pos}}/{{len}} {kind}, {{eta}} left"));
    let bar = ProgressBar::new(count).with_message(what);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn device(args: &RunArgs, loaded: &Loaded, world: &World) -> Result<Device, Failure> {
    let Some(input) = &args.input else { return Ok(Device::of_scene(&loaded.raw, &loaded.baked.model)) };
    if loaded.raw.tools.is_empty() && world.state.controls.is_empty() {
        let message =
            "error: the scene has no tool that --input could lead\n  help: add a [[tool]] to the scene";
        return Err(Failure::input(message));
    }
    let (kind, speed) =
        input.split_once(':').map_or((input.as_str(), None), |(kind, speed)| (kind, Some(speed)));
    let make = match kind {
        "random" => Device::random,
        "storm" => Device::storm,
        _ => return file_device(input, loaded),
    };
    let speed = match speed {
        None => RANDOM_SPEED,
        Some(text) => text.parse().ok().filter(|s| (1e-3..=100.0).contains(s)).ok_or_else(|| {
            Failure::input(format!(
                "error: \"{input}\" has no usable speed\n  help: write {kind}:0.5 for half a metre a second (0.001 to \
                 100)"
            ))
        })?,
    };
    Ok(make(world, args.seed, speed))
}

/// A script or a recording from a file.
fn file_device(path: &str, loaded: &Loaded) -> Result<Device, Failure> {
    let bad =
        |reason: String| Failure::input(format!("error: the input \"{path}\" cannot be used: {reason}"));
    let bytes = scenes::read_bounded(Path::new(path), 1 << 30).map_err(bad)?;
    let tools: Vec<&str> = loaded.raw.tools.iter().map(|t| t.name.as_str()).collect();
    if bytes.starts_with(scenes::MCAP_MAGIC) {
        let recording = Recording::read(&bytes).map_err(|e| bad(e.to_string()))?;
        let (theirs, ours) = (recording.header.dt_s, loaded.baked.params.dt_s);
        if theirs != ours {
            let reason = format!("it was recorded in steps of {theirs} s, the scene has {ours} s");
            return Err(bad(reason + "\n  help: write the same step into the scene"));
        }
        if recording.header.tools != tools {
            let theirs = recording.header.tools.join(", ");
            return Err(bad(format!("it leads the tools [{theirs}], the scene has [{}]", tools.join(", "))));
        }
        return Ok(playback(&recording, loaded));
    }
    let text = String::from_utf8(bytes).map_err(|_| bad("it is neither a recording nor a text".into()))?;
    let moves = load_script(&text, &tools)
        .map_err(|problems| Failure::BadInput(crate::diagnostics::render(path, &text, &problems)))?;
    Ok(Device::script(&loaded.raw, &loaded.baked.model, moves))
}

/// The inputs of a recording, kept where they change. Tunables go along only if the scene has the same ones.
fn playback(recording: &Recording, loaded: &Loaded) -> Device {
    let ours = loaded.baked.params.tunables.iter().map(|t| t.name.as_str());
    let same_tunables = ours.eq(recording.header.tunables.iter().map(String::as_str));
    let mut changes: Vec<(u64, serosa_sim::Input)> = Vec::new();
    let mut ticks = recording.play();
    while let Some(tick) = ticks.next_tick() {
        let mut input = tick.input.clone();
        if !same_tunables {
            input.tunables.clear();
        }
        if changes.last().is_none_or(|(_, last)| *last != input) {
            changes.push((tick.tick.saturating_sub(1), input));
        }
    }
    Device::Playback(changes, 0)
}

fn record_failure(session: &Session, error: &serosa_io::recording::RecordError) -> Failure {
    let path = session.recorder.as_ref().map_or(String::new(), |r| r.path().display().to_string());
    Failure::input(format!(
        "error: {path}: {error}\n  help: make room or choose another disk; what was written replays with \
         `serosa replay {path}`"
    ))
}

fn finish_recording(session: &mut Session) -> Result<Option<(String, u64)>, Failure> {
    let Some(recorder) = session.recorder.take() else { return Ok(None) };
    let path = recorder.path().display().to_string();
    let (_, size) = recorder.finish().map_err(|e| {
        let help = format!("what was written replays with `serosa replay {path}`");
        Failure::input(format!("error: {path}: {e}\n  help: make room or choose another disk; {help}"))
    })?;
    Ok(Some((path, size)))
}

/// The audit fails on what the table of limits says.
fn verdict(session: &Session) -> Result<(), Failure> {
    let broken = checks::broken(session);
    let words: Vec<String> = broken.iter().map(|b| format!("audit failed: {}", b.words(session))).collect();
    if words.is_empty() { Ok(()) } else { Err(Failure::CheckFailed(words.join("\n"))) }
}

/// The values of all probes, by name.
pub fn probes_json(world: &World) -> Value {
    let mut numbers = Vec::new();
    let mut map = Map::new();
    for p in &world.model.probes {
        numbers.clear();
        p.read(world, &mut numbers);
        map.insert(p.name.clone(), if p.width() == 1 { json!(numbers[0]) } else { json!(numbers) });
    }
    Value::Object(map)
}

fn as_json(scene: &SceneText, session: &Session, threads: usize, seed: u64) -> Value {
    let (world, seen) = (&session.world, &session.seen);
    let steps = world.state.tick;
    let per_step = |ns: u64| ns as f64 * 1e-6 / steps.max(1) as f64;
    let stages: Map<String, Value> = Stage::ALL
        .iter()
        .map(|s| (s.name().to_owned(), json!(per_step(seen.stage_ns[*s as usize]))))
        .collect();
    let audited = seen.audits > 0;
    json!({
        "scene": scene.name,
        "steps": steps,
        "dt_s": world.params.dt_s,
        "threads": threads,
        "seed": seed,
        "vertices": world.model.rest.len(),
        "elements": world.model.springs.len() + world.model.tets.len(),
        "ms": seen.wall.json(),
        "cpu_ms": seen.cpu.json(),
        "stage_ms": stages,
        "contacts": {
            "mean": seen.contacts_sum as f64 / steps.max(1) as f64,
            "max": seen.contacts_max,
        },
        "deepest_penetration_m": if audited { json!(seen.deepest_m) } else { Value::Null },
        "missed_contacts": if audited { json!(seen.missed) } else { Value::Null },
        "unanswered_contacts": if audited { json!(seen.unanswered) } else { Value::Null },
        "audited_steps": seen.audits,
        "ledger": checks::json(session),
        "truncated": seen.gauge.truncated,
        "quality": seen.gauge.json(world.params.sweeps),
        "quarantined": seen.quarantined.len(),
        "guard": seen.quarantined.iter().map(Runaway::json).collect::<Vec<_>>(),
        "refusals": seen.refusals.iter().map(|(r, _)| r.words(&world.model)).collect::<Vec<_>>(),
        "qp": seen.programmes.json(&world.model),
        "memory_mb": { "start": seen.memory_mb[0], "end": seen.memory_mb[1] },
        "energy_j": world_energy(world, EnergyKind::Total),
        "hash": format!("{:016x}", world.state.hash()),
        "probes": probes_json(world),
    })
}

/// Energy and momentum of an audited run.
fn ledger(session: &Session, console: &mut Console) {
    let ledger = &session.ledger;
    let losses = &ledger.losses;
    console.say(format!(
        "  energy rose by {:.2} % at most; put in {:.4} J; lost to friction {:.4}, damping {:.4}, filter {:.4}, guard {:.4}, the rest {:.4} J",
        100.0 * ledger.gain,
        ledger.work.total(),
        losses.friction,
        losses.damping,
        losses.filter,
        losses.guard,
        ledger.remainder()
    ));
    console.say(format!(
        "  of the impulse exchanged in a step {:.1e} at most is explained by nothing, of its moment {:.1e}",
        ledger.unkept.linear, ledger.unkept.angular
    ));
}

fn summary(scene: &SceneText, loaded: &Loaded, session: &Session, threads: usize, console: &mut Console) {
    let (world, seen) = (&session.world, &session.seen);
    let (model, simulated, wall) = (&world.model, session.time_s(), seen.wall.sum_s());
    console.say(format!("{}: {}", scene.name, loaded.raw.title));
    console.say(format!(
        "  {} vertices, {} springs, {} tetrahedra, {} collision primitives, {} tool(s)",
        model.rest.len(),
        model.springs.len(),
        model.tets.len(),
        model.prims.len(),
        model.tools.len()
    ));
    console.say(format!(
        "  {} steps = {simulated:.2} s simulated in {wall:.2} s on {threads} thread(s): {:.1} times real time",
        world.state.tick,
        simulated / wall.max(1e-9)
    ));
    console.say(format!(
        "  step {:.3} ms on average, 99 % below {:.3} ms",
        seen.wall.mean_ms(),
        seen.wall.percentile_ms(0.99)
    ));
    console.say(format!(
        "  contacts {:.0} on average, {} at most",
        seen.contacts_sum as f64 / world.state.tick.max(1) as f64,
        seen.contacts_max
    ));
    if seen.audits > 0 {
        console.say(format!(
            "  audited {} steps against all pairs: {} contacts missed, deepest overlap {:.3} mm",
            seen.audits,
            seen.missed,
            seen.deepest_m * 1e3
        ));
        ledger(session, console);
    } else {
        let deepest_mm = seen.gauge.deepest_m * 1e3;
        console.say(format!(
            "  deepest overlap left {deepest_mm:.3} mm by the rows' own estimate; --audit measures it"
        ));
    }
    console.say(format!("  quality: {}", seen.gauge.words(world.params.sweeps)));
    for runaway in &seen.quarantined {
        console.say(format!("  WARNING: {}", runaway.words()));
    }
    for (refusal, time) in &seen.refusals {
        console.say(format!("  WARNING: at {time:.3} s: {}", refusal.words(model)));
    }
    for (what, steps, first_s) in &seen.programmes.trouble {
        console.say(format!("  WARNING: in {steps} steps, first at {first_s:.3} s: {}", what.words(model)));
    }
    let mut numbers = Vec::new();
    for p in &model.probes {
        numbers.clear();
        p.read(world, &mut numbers);
        let text: Vec<String> = numbers.iter().map(|n| format!("{n:.4}")).collect();
        console.say(format!("  {:<16} {} {}", p.name, text.join(", "), p.unit()));
    }
    console.say(format!("  hash {:016x}", world.state.hash()));
}
