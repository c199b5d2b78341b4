//! `cargo xtask soak [MINUTES] [--write]`: long runs with violent tools, every promise checked on the way.
//!
//! Too long for every change: it is run before a release, and after changes to detection, response or filter.

mod table;

use crate::shell;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// Simulated minutes of each case if none are given.
const MINUTES: f64 = 10.0;
/// Simulated minutes over which the number of threads must not matter.
const SAME_BITS_MINUTES: f64 = 1.0;
/// Scenes with deformable organs; one that the program does not have is left out, and that is said.
const SCENES: [&str; 2] = ["intestine", "colon-access"];
/// What leads the tools, the seed, and for how much of the time. `script` is the motion of [`script`].
const LEADS: [(&str, u64, f64); 5] = [
    ("script", 0, 1.0),
    ("random:2", 4, 1.0),
    ("random:0.2", 1, 0.1),
    ("random:1", 2, 0.1),
    ("storm:2", 5, 0.1),
];
/// Every so many steps is looked at exhaustively.
const AUDIT: u32 = 50;
/// The deepest overlap that passes \[m\]: what `serosa run` lets pass.
const DEPTH_MAX: f64 = 1e-6;
/// Memory may grow by so much from the first tenth of a run to its end \[MB\]: buffers grow with the largest number of
/// contacts yet, and then stop.
const MEMORY_MAX: f64 = 16.0;

/// A run and what it reported.
struct Case {
    scene: &'static str,
    lead: &'static str,
    seed: u64,
    minutes: f64,
    report: Value,
    broken: Vec<String>,
}

/// Runs all cases, prints a table and fails if any promise was broken.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let (options, numbers): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.as_str() == "--write");
    let minutes = match numbers.as_slice() {
        [] => MINUTES,
        [text] => text.parse().ok().filter(|m| (0.001..=1e4).contains(m)).ok_or_else(|| not_minutes(text))?,
        [_, more, ..] => {
            return Err(format!("`{more}` is not expected; write `cargo xtask soak [MINUTES] [--write]`"));
        }
    };
    let program = shell::program()?;
    let known = shell::capture(&program, &["scenes"])?;
    let has = |scene: &str| known.lines().any(|line| line.split_whitespace().next() == Some(scene));
    let mut cases = Vec::new();
    let mut threads = Vec::new();
    for scene in SCENES {
        if !has(scene) {
            println!("{scene}: left out, the program has no such scene");
            continue;
        }
        for (lead, seed, share) in LEADS {
            let case = soak(&program, scene, (lead, seed), minutes * share)?;
            println!("{}", table::line(&case));
            cases.push(case);
        }
        threads.push(same_bits(&program, scene, minutes.min(SAME_BITS_MINUTES))?);
        println!("{}", threads[threads.len() - 1].0);
    }
    if !options.is_empty() {
        table::write(&cases, &threads)?;
    }
    let mut broken: Vec<String> = cases.iter().flat_map(|case| case.broken.clone()).collect();
    broken.extend(threads.into_iter().filter(|(_, same)| !same).map(|(line, _)| line));
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

fn not_minutes(text: &str) -> String {
    format!("`{text}` is no number of simulated minutes; write, for example, `cargo xtask soak 10`")
}

/// One long run.
fn soak(
    program: &str,
    scene: &'static str,
    (lead, seed): (&'static str, u64),
    minutes: f64,
) -> Result<Case, String> {
    let input = match lead {
        "script" => script(program, scene, minutes)?,
        random => random.to_owned(),
    };
    let audit = format!("--audit={AUDIT}");
    let report = report(
        program,
        scene,
        minutes,
        &["--input", &input, "--seed", &seed.to_string(), "--threads", "1", &audit],
    )?;
    let broken = broken(scene, lead, seed, &report);
    Ok(Case { scene, lead, seed, minutes, report, broken })
}

/// Runs the program; the report of a run whose audit failed is a report too.
fn report(program: &str, scene: &str, minutes: f64, more: &[&str]) -> Result<Value, String> {
    let steps = format!("{}", (minutes * 60.0 / step_s(program, scene)?).round());
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
fn broken(scene: &str, lead: &str, seed: u64, report: &Value) -> Vec<String> {
    let number = |name: &str| report[name].as_f64().unwrap_or(f64::NAN);
    let memory = |name: &str| report["memory_mb"][name].as_f64();
    let grown = memory("end").zip(memory("start")).map_or(0.0, |(end, start)| end - start);
    let checks = [
        ("contacts missed", number("missed_contacts"), 0.0),
        ("metres of overlap", number("deepest_penetration_m"), DEPTH_MAX),
        ("bodies frozen", number("quarantined"), 0.0),
        ("megabytes more", grown, MEMORY_MAX),
    ];
    let fails = checks.into_iter().filter(|(_, value, most)| value.is_nan() || value > most);
    fails.map(|(what, value, _)| format!("{scene}, {lead}, seed {seed}: {value:e} {what}")).collect()
}

/// The same inputs on 1, 2 and 8 threads: what was seen, and whether all bits agree.
fn same_bits(program: &str, scene: &str, minutes: f64) -> Result<(String, bool), String> {
    let mut hashes = Vec::new();
    for threads in ["1", "2", "8"] {
        let more = ["--input", "storm:1", "--seed", "7", "--threads", threads];
        hashes.push(report(program, scene, minutes, &more)?["hash"].to_string());
    }
    let same = hashes.iter().all(|hash| *hash == hashes[0]) && hashes[0].len() > 2;
    let told = if same { "the same".to_owned() } else { format!("DIFFERENT: {}", hashes.join(", ")) };
    Ok((format!("{scene}: hash after {minutes} simulated minutes on 1, 2 and 8 threads: {told}"), same))
}

/// A motion like a surgeon's, over and over: both tools dip into the middle of the scene; jaws close below, lift, and let
/// go above. Returns the file.
fn script(program: &str, scene: &str, minutes: f64) -> Result<String, String> {
    let text = shell::capture(program, &["scenes", scene])?;
    let names = text.split("[[tool]]").skip(1).filter_map(|part| part.split('"').nth(1));
    let mut moves = String::new();
    for (k, tool) in names.enumerate() {
        let mut time = 2.0;
        while time < (minutes * 60.0).max(3.0) {
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
        });
        assert!(broken("s", "random:2", 1, &fine).is_empty());
        let wrong = [
            ("missed_contacts", json!(1)),
            ("deepest_penetration_m", json!(2e-6)),
            ("deepest_penetration_m", json!(null)),
            ("quarantined", json!(1)),
            ("memory_mb", json!({"start": 9.0, "end": 99.0})),
        ];
        for (name, value) in wrong {
            let mut report = fine.clone();
            report[name] = value;
            assert_eq!(broken("s", "random:2", 1, &report).len(), 1, "{name}");
        }
    }
}
