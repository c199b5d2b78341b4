//! `serosa bench`: standing benchmarks, fast and slow twin in the same run.

mod bar;
mod chain;
mod collide;
mod contact;
mod flexible;
mod import;
mod intestine;
mod laparos;
mod medvr;
mod organ;
mod python;
mod qp;
mod rope;
mod truth;
mod validation;
mod walk;

use crate::cli::BenchArgs;
use crate::{Console, Failure};
use serde_json::Value;

/// (name, what it measures, how). A new benchmark is a row here and a file beside this one.
type Bench = (&'static str, &'static str, fn(&BenchArgs, &mut Report) -> Result<(), Failure>);

const BENCHES: &[Bench] = &[
    ("chain", "detection on a growing chain on a plane, grid against all pairs", chain::bench),
    (
        "intestine",
        "a tube settling on a plane, published stochastic detection against complete",
        intestine::bench,
    ),
    (
        "collide",
        "all intersecting triangle pairs of deforming spheres, default against cascade, all pairs and other programs",
        collide::bench,
    ),
    (
        "contact",
        "a soft blob dropped on a box and on a ball, two pressed together, against the fastest of other engines",
        contact::bench,
    ),
    (
        "flexible",
        "bodies of precomputed shapes: bake and online sum, beside the published times and conjugate gradients",
        flexible::bench,
    ),
    ("rope", "a rope piles up on a floor, against the best of other engines", rope::bench),
    (
        "laparos",
        "a rigid sphere presses into a soft one, nine sizes and three approaches, beside the published times",
        laparos::bench,
    ),
    (
        "medvr",
        "two organs pressed into one another, detection and response step by step, beside the published times",
        medvr::bench,
    ),
    (
        "organ",
        "solids of tetrahedra: 20 sweeps a step, from 6,000 to 511,000; a bar against an exact step and other engines",
        organ::bench,
    ),
    ("qp", "quadratic programmes of contact: all solvers, what they leave, a pile with friction", qp::bench),
    ("validation", "solids beside theory, published reference values and measured tissue", validation::bench),
    ("truth", "scenes whose answer is known, beside that answer", truth::bench),
    ("import", "a million triangles read in every mesh format", import::bench),
];

/// Runs a benchmark, or lists them.
pub fn bench(args: &BenchArgs, console: &mut Console) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        BENCHES.iter().for_each(|b| console.say(format!("{:<12} {}", b.0, b.1)));
        return Ok(());
    };
    if args.svg.is_some() && !["intestine", "medvr"].contains(&name.as_str()) {
        return Err(Failure::input(
            "error: only the benchmarks \"intestine\" and \"medvr\" draw figures\n  help: leave --svg out",
        ));
    }
    if args.peers.is_some() && !["collide", "flexible"].contains(&name.as_str()) {
        return Err(Failure::input(
            "error: only the benchmarks \"collide\" and \"flexible\" run other programs\n  help: leave --peers out",
        ));
    }
    if (args.quick || args.only.is_some()) && name != "truth" {
        return Err(Failure::input(
            "error: only the benchmark \"truth\" has cases to choose from\n  help: leave --quick and --only out",
        ));
    }
    match BENCHES.iter().find(|b| b.0 == name) {
        Some((_, _, run)) => run(args, &mut Report { console, json: args.json }),
        None => {
            let names: Vec<&str> = BENCHES.iter().map(|b| b.0).collect();
            Err(Failure::input(format!(
                "error: there is no benchmark called \"{name}\"\n  help: there are: {}",
                names.join(", ")
            )))
        }
    }
}

/// Where a benchmark writes its lines as they come.
pub struct Report<'a, 'b> {
    console: &'a mut Console<'b>,
    json: bool,
}

impl Report<'_, '_> {
    /// A result: a JSON object for programs, a line for people.
    pub fn line(&mut self, object: &Value, text: &str) {
        if self.json {
            self.console.say(object);
        } else {
            self.console.say(text);
        }
    }

    /// A line for people alone.
    pub fn text(&mut self, text: &str) {
        if !self.json {
            self.console.say(text);
        }
    }
}
