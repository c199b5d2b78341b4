//! `cargo xtask soak [STEPS] [SCENE...] [--write]`: long runs with violent tools, every promise checked on the way.
//!
//! Too long for every change: it is run before a release, and after changes to detection, response or filter.

mod table;

use crate::shell;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::sync::Mutex;
use std::thread;

/// Steps of each case if none are given.
const STEPS: u32 = 20_000;
/// Steps over which the number of threads must not matter.
const SAME_BITS_STEPS: u32 = 1_000;
/// The scenes of soft organs in contact.
const SCENES: [&str; 8] =
    ["intestine", "colon-access", "liver-press", "gallbladder-lift", "abdomen", "squeeze", "twist", "drape"];
/// Those whose bowel is grasped: the motion of [`script`] fits them.
const BOWEL: &[&str] = &["intestine", "colon-access"];
/// What leads the tools, the seed, and in which scenes.
const LEADS: [(&str, u64, &[&str]); 5] = [
    ("random:2", 9, &SCENES),
    ("script", 0, BOWEL),
    ("random:0.2", 1, BOWEL),
    ("random:1", 2, BOWEL),
    ("storm:2", 5, BOWEL),
];
/// Every so many steps is looked at exhaustively.
const AUDIT: u32 = 100;
/// The deepest overlap that passes \[m\]: what `serosa run` lets pass.
const DEPTH_MAX: f64 = 1e-6;
/// By how much energy may rise, as a share of the largest (kinetic + elastic + |work|).
const GAIN_MAX: f64 = 0.01;
/// Momentum and its moment that nothing explains, as a share of what was exchanged in a step.
const UNKEPT_MAX: f64 = 1e-6;
/// Memory may grow by so much from the first tenth of a run to its end \[MB\], or by this share of it: buffers grow with the
/// most pairs of any moment yet, and a crumpled sheet lists three million of 8 bytes, half a million of which are near, with
/// some 80 bytes each. What is lost in every step adds up to more: a kilobyte and a half a step in 20,000 steps.
const MEMORY_MAX: (f64, f64) = (32.0, 0.25);

/// A run to be made.
#[derive(Clone, Copy)]
struct Task {
    scene: &'static str,
    lead: &'static str,
    seed: u64,
    steps: u32,
}

/// A run and what it reported.
struct Case {
    task: Task,
    report: Value,
    broken: Vec<String>,
}

/// Runs all cases, prints a table and fails if any promise was broken.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let (steps, scenes, write) = read(arguments)?;
    let program = shell::program()?;
    let task = |(scene, lead, seed)| Task { scene, lead, seed, steps };
    let mut tasks: Vec<Task> = runs(&scenes).map(task).collect();
    // The last of the scenes take longest: they begin.
    tasks.reverse();
    let page = Mutex::new(());
    let cases = beside(&tasks, |task| {
        let case = soak(&program, task)?;
        println!("{}", table::line(&case));
        if write {
            let _alone = page.lock().map_err(|_| "a run broke off".to_owned())?;
            table::write(std::slice::from_ref(&case), &[])?;
        }
        Ok(case)
    })?;
    let mut threads = Vec::new();
    for scene in scenes {
        threads.push(same_bits(&program, scene, steps.min(SAME_BITS_STEPS))?);
        println!("{}", threads[threads.len() - 1].0);
        if write {
            table::write(&[], &threads)?;
        }
    }
    let mut broken: Vec<String> = cases.iter().flat_map(|case| case.broken.clone()).collect();
    broken.extend(threads.into_iter().filter(|(_, same)| !same).map(|(line, _)| line));
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

/// The runs of some scenes: scene, what leads the tools, and seed.
fn runs(scenes: &[&'static str]) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
    scenes.iter().flat_map(|&scene| {
        let leads = LEADS.into_iter().filter(move |(.., scenes)| scenes.contains(&scene));
        leads.map(move |(lead, seed, _)| (scene, lead, seed))
    })
}

/// Steps, scenes, and whether the page is written.
fn read(arguments: &[String]) -> Result<(u32, Vec<&'static str>, bool), String> {
    let (mut steps, mut scenes, mut write) = (STEPS, Vec::new(), false);
    for argument in arguments {
        if argument == "--write" {
            write = true;
        } else if let Some(scene) = SCENES.into_iter().find(|scene| scene == argument) {
            scenes.push(scene);
        } else {
            steps = argument.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
                format!(
                    "`{argument}` is neither a number of steps nor one of {}; write, for example, `cargo xtask soak 20000 twist`",
                    SCENES.join(", ")
                )
            })?;
        }
    }
    Ok((steps, if scenes.is_empty() { SCENES.to_vec() } else { scenes }, write))
}

/// Makes the runs on all cores, one thread each; what they gave in the order of the tasks.
fn beside(tasks: &[Task], work: impl Fn(Task) -> Result<Case, String> + Sync) -> Result<Vec<Case>, String> {
    let (next, done) = (Mutex::new(tasks.iter().enumerate()), Mutex::new(Vec::new()));
    let take = || next.lock().ok().and_then(|mut next| next.next());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((k, task)) = take() {
                    let case = work(*task);
                    if let Ok(mut done) = done.lock() {
                        done.push((k, case));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|_| "a run broke off".to_owned())?;
    done.sort_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, case)| case).collect()
}

/// One long run.
fn soak(program: &str, task: Task) -> Result<Case, String> {
    let input = match task.lead {
        "script" => script(program, task.scene, f64::from(task.steps) * step_s(program, task.scene)?)?,
        random => random.to_owned(),
    };
    let (seed, audit) = (task.seed.to_string(), format!("--audit={AUDIT}"));
    let more = ["--input", &input, "--seed", &seed, "--threads", "1", &audit];
    let report = report(program, task.scene, task.steps, &more)?;
    let broken = broken(task, &report);
    Ok(Case { task, report, broken })
}

/// Runs the program; the report of a run whose audit failed is a report too.
fn report(program: &str, scene: &str, steps: u32, more: &[&str]) -> Result<Value, String> {
    let steps = steps.to_string();
    let mut arguments = vec!["run", scene, "--json", "--steps", &steps];
    arguments.extend_from_slice(more);
    let told = format!("serosa {}", arguments.join(" "));
    let output =
        shell::command(program, &arguments).output().map_err(|e| shell::cannot_start(program, &e))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    let parsed = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
    parsed.ok_or_else(|| format!("`{told}` gave no report: {}", complaint.trim()))
}

/// The step of a scene \[s\].
fn step_s(program: &str, scene: &str) -> Result<f64, String> {
    let text = shell::capture(program, &["run", scene, "--json", "--steps", "1", "--threads", "1"])?;
    let report: Value = serde_json::from_str(text.trim()).map_err(|e| format!("a report of serosa: {e}"))?;
    report["dt_s"].as_f64().ok_or_else(|| "a report of serosa has no dt_s".to_owned())
}

/// What a run broke. Written so that a figure that is missing or not a number is broken.
fn broken(Task { scene, lead, seed, .. }: Task, report: &Value) -> Vec<String> {
    let number = |name: &str| report[name].as_f64().unwrap_or(f64::NAN);
    let memory = |name: &str| report["memory_mb"][name].as_f64().unwrap_or(f64::NAN);
    let ledger = |name: &str| report["ledger"][name].as_f64().unwrap_or(f64::NAN);
    let (start, end) = (memory("start"), memory("end"));
    let checks = [
        ("contacts missed", number("missed_contacts"), 0.0),
        ("metres of overlap", number("deepest_penetration_m"), DEPTH_MAX),
        ("pairs too near with nothing to stand for them", number("unanswered_contacts"), 0.0),
        ("of the energy gained", ledger("energy_gain"), GAIN_MAX),
        ("of an impulse explained by nothing", ledger("momentum_error"), UNKEPT_MAX),
        ("of a moment explained by nothing", ledger("spin_error"), UNKEPT_MAX),
        ("steps shortened with nothing near", ledger("lost_motion"), 0.0),
        ("bodies frozen", number("quarantined"), 0.0),
        ("megabytes more", end - start, MEMORY_MAX.0.max(MEMORY_MAX.1 * start)),
    ];
    let fails = checks.into_iter().filter(|(_, value, most)| value.is_nan() || value > most);
    fails.map(|(what, value, _)| format!("{scene}, {lead}, seed {seed}: {value:e} {what}")).collect()
}

/// The same inputs on 1, 2 and 8 threads: what was seen, and whether all bits agree.
fn same_bits(program: &str, scene: &str, steps: u32) -> Result<(String, bool), String> {
    let mut hashes = Vec::new();
    for threads in ["1", "2", "8"] {
        let more = ["--input", "storm:1", "--seed", "7", "--threads", threads];
        hashes.push(report(program, scene, steps, &more)?["hash"].to_string());
    }
    let same = hashes.iter().all(|hash| *hash == hashes[0]) && hashes[0].len() > 2;
    let told = if same { "the same".to_owned() } else { format!("DIFFERENT: {}", hashes.join(", ")) };
    Ok((format!("{scene}: hash after {steps} steps of a storm on 1, 2 and 8 threads: {told}"), same))
}

/// A motion like a surgeon's, over and over: both tools dip into the middle of the scene; jaws close below, lift, and let
/// go above. Returns the file.
fn script(program: &str, scene: &str, seconds: f64) -> Result<String, String> {
    let text = shell::capture(program, &["scenes", scene])?;
    let names = text.split("[[tool]]").skip(1).filter_map(|part| part.split('"').nth(1));
    let mut moves = String::new();
    for (k, tool) in names.enumerate() {
        let mut time = 2.0;
        while time < seconds.max(3.0) {
            // A place that wanders with the time and never comes back to the same.
            let (x, y) = (10.0 * (0.7 * time + k as f64).sin(), 8.0 * (0.45 * time + 2.0 * k as f64).cos());
            for (after, height, grip) in
                [(0.0, 34.0, false), (1.2, 14.0, false), (1.4, 14.0, true), (2.4, 32.0, true)]
            {
                let _ = writeln!(
                    moves,
                    "[[move]]\ntool = \"{tool}\"\ntime = \"{:.3} s\"\ntip = [\"{x:.2} cm\", \"{y:.2} cm\", \"{height} cm\"]\n\
                     grip = {grip}\n",
                    time + after
                );
            }
            time += 3.2;
        }
    }
    let path = shell::target().join(format!("soak-{scene}.toml"));
    fs::write(&path, moves).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_that_breaks_a_promise_or_lacks_a_figure_is_broken() {
        let fine = json!({
            "missed_contacts": 0, "deepest_penetration_m": 0.0, "quarantined": 0, "memory_mb": {"start": 9.0, "end": 12.0},
            "unanswered_contacts": 0,
            "ledger": {"energy_gain": 0.0, "momentum_error": 1e-9, "spin_error": 0.0, "lost_motion": 0},
        });
        let task = Task { scene: "twist", lead: "random:2", seed: 1, steps: 9 };
        assert!(broken(task, &fine).is_empty());
        let wrong = [
            ("missed_contacts", json!(1)),
            ("deepest_penetration_m", json!(2e-6)),
            ("deepest_penetration_m", json!(null)),
            ("unanswered_contacts", json!(1)),
            ("quarantined", json!(1)),
            ("memory_mb", json!({"start": 9.0, "end": 99.0})),
            ("memory_mb", json!(null)),
        ];
        for (name, value) in wrong {
            let mut report = fine.clone();
            report[name] = value;
            assert_eq!(broken(task, &report).len(), 1, "{name}");
        }
        let wrong = [
            ("energy_gain", json!(0.011)),
            ("energy_gain", json!(null)),
            ("momentum_error", json!(2e-6)),
            ("momentum_error", json!(null)),
            ("spin_error", json!(2e-6)),
            ("spin_error", json!(null)),
            ("lost_motion", json!(1)),
            ("lost_motion", json!(null)),
        ];
        for (name, value) in wrong {
            let mut report = fine.clone();
            report["ledger"][name] = value;
            assert_eq!(broken(task, &report).len(), 1, "{name}");
        }
        let mut none = fine.clone();
        none["ledger"] = json!(null);
        assert_eq!(broken(task, &none).len(), 4, "a run without a ledger");
    }

    #[test]
    fn steps_and_scenes_are_told_apart_and_words_that_are_neither_are_refused() {
        let read = |words: &[&str]| read(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(read(&[]).unwrap(), (STEPS, SCENES.to_vec(), false));
        assert_eq!(read(&["twist", "50", "--write"]).unwrap(), (50, vec!["twist"], true));
        for word in ["0", "-1", "twisst", "--writ"] {
            assert!(read(&[word]).unwrap_err().contains(word), "{word}");
        }
    }
}
