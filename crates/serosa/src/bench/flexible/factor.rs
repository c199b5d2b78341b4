//! The factor of a bake and the solves with it beside CHOLMOD, on the same matrix and the same right-hand sides.
//!
//! Both on one thread, in turn, several times; times are those of the processor, which other programs do not lengthen, and
//! of the clock. What counts is the least of each.

use super::super::Report;
use super::super::python::Script;
use super::Published;
use crate::Failure;
use crate::command::run::pool;
use crate::session::clock::thread_cpu_ns;
use serde_json::{Value, json};
use serosa_bake::cholesky::factor;
use serosa_bake::flexible::{SIDES, System};
use serosa_sim::algebra::sparse::{Fronts, Precision};
use std::path::Path;
use std::time::Instant;

const SCRIPT: Script = Script { text: include_str!("factor.py"), needs: "numpy, scipy and scikit-sparse" };
/// Orders of elimination that CHOLMOD is asked for.
const ORDERS: &str = "metis,amd";
/// Times that all take turns.
const ROUNDS: usize = 4;

/// What one of them took.
#[derive(Clone, Debug)]
struct Took {
    method: String,
    version: Option<String>,
    entries: u64,
    /// Factor and solves, each on the clock and on the processor \[s\].
    times: [f64; 4],
    difference: f64,
}

impl Took {
    fn cpu_s(&self) -> f64 {
        self.times[1] + self.times[3]
    }

    /// The less of two times, each for itself.
    fn least(&mut self, other: &Self) {
        self.times.iter_mut().zip(other.times).for_each(|(t, o)| *t = t.min(o));
    }

    fn of(line: &Value) -> Option<Self> {
        let real = |key: &str| line[key].as_f64();
        Some(Self {
            method: line["method"].as_str()?.to_owned(),
            version: line["version"].as_str().map(str::to_owned),
            entries: line["entries"].as_u64()?,
            times: [real("factor_s")?, real("factor_cpu_s")?, real("solve_s")?, real("solve_cpu_s")?],
            difference: real("difference")?,
        })
    }
}

/// Runs all on the system of a body. Whether ours took no longer than the best of the others.
pub fn bench(
    published: &Published,
    system: &System,
    python: &Path,
    report: &mut Report,
) -> Result<bool, Failure> {
    let alone = pool(1)?;
    let sides: Vec<Vec<f64>> = (0..system.columns()).map(|k| system.right_side(k)).collect();
    let mut all: Vec<Took> = Vec::new();
    for _ in 0..ROUNDS {
        let (ours, found) = alone.install(|| ours(system, &sides))?;
        let others = SCRIPT.run(python, ORDERS, &bytes(system, &sides, &found))?;
        for took in std::iter::once(ours).chain(others.iter().filter_map(Took::of)) {
            match all.iter_mut().find(|t| t.method == took.method) {
                Some(known) => known.least(&took),
                None => all.push(took),
            }
        }
    }
    let best = all.iter().skip(1).map(Took::cpu_s).fold(f64::INFINITY, f64::min);
    for took in &all {
        told(published, system, took, best, report);
    }
    Ok(all[0].cpu_s() <= best)
}

fn told(published: &Published, system: &System, took: &Took, best: f64, report: &mut Report) {
    let ([factor_s, factor_cpu_s, solve_s, solve_cpu_s], unknowns) =
        (took.times, 3 * system.matrix.free().len());
    let object = json!({
        "bench": "flexible", "case": published.case, "method": took.method, "version": took.version,
        "n": unknowns, "sides": system.columns(), "entries": took.entries, "factor_s": factor_s,
        "factor_cpu_s": factor_cpu_s, "solve_s": solve_s, "solve_cpu_s": solve_cpu_s,
        "ms": 1e3 * (factor_s + solve_s), "cpu_ms": 1e3 * took.cpu_s(), "of_best": took.cpu_s() / best,
        "difference": took.difference, "threads": 1, "rounds": ROUNDS,
    });
    let text = format!(
        "{:<5} {:<14} factor {factor_cpu_s:>6.3} s, {} solves {solve_cpu_s:>6.3} s on the processor, {:.2} of the best CHOLMOD",
        published.case,
        took.method,
        system.columns(),
        took.cpu_s() / best
    );
    report.line(&object, &text);
}

/// Our factor and solves, as the bake makes them, and what was found: for each side all numbers of all nodes.
fn ours(system: &System, sides: &[Vec<f64>]) -> Result<(Took, Vec<Vec<f64>>), Failure> {
    let clocks = |start: Instant, cpu: Option<u64>| {
        let spent = thread_cpu_ns().zip(cpu).map(|(now, then)| (now - then) as f64 * 1e-9);
        [start.elapsed().as_secs_f64(), spent.unwrap_or(start.elapsed().as_secs_f64())]
    };
    let (start, cpu) = (Instant::now(), thread_cpu_ns());
    let factor = factor(&system.matrix, system.points, Precision::Double)
        .map_err(|e| Failure::input(format!("error: {e}")))?;
    let [factor_s, factor_cpu_s] = clocks(start, cpu);
    let (start, cpu) = (Instant::now(), thread_cpu_ns());
    let (mut fronts, mut found, mut x) = (Fronts::default(), Vec::new(), Vec::new());
    for some in sides.chunks(SIDES) {
        x.clear();
        x.extend((0..some[0].len()).flat_map(|k| some.iter().map(move |side| side[k])));
        factor.solve(&mut x, some.len(), &mut fronts);
        found.extend((0..some.len()).map(|r| x.iter().skip(r).step_by(some.len()).copied().collect()));
    }
    let [solve_s, solve_cpu_s] = clocks(start, cpu);
    let took = Took {
        method: "factor".into(),
        version: None,
        entries: factor.entries() as u64,
        times: [factor_s, factor_cpu_s, solve_s, solve_cpu_s],
        difference: 0.0,
    };
    Ok((took, found))
}

/// Matrix, sides and solutions of the free nodes, as the script reads them: little-endian.
fn bytes(system: &System, sides: &[Vec<f64>], found: &[Vec<f64>]) -> Vec<u8> {
    let free = system.matrix.free();
    let mut entries: Vec<([u32; 2], f64)> = Vec::new();
    for j in 0..free.len() {
        for (i, block) in system.matrix.column(j) {
            for (p, row) in block.iter().enumerate() {
                for (q, value) in row.iter().enumerate() {
                    let at = [3 * i + p as u32, (3 * j + q) as u32];
                    entries.push((at, *value));
                    if i as usize != j {
                        entries.push(([at[1], at[0]], *value));
                    }
                }
            }
        }
    }
    let counts = [3 * free.len(), entries.len(), sides.len()];
    let mut bytes: Vec<u8> = counts.iter().flat_map(|n| (*n as u64).to_le_bytes()).collect();
    bytes.extend(entries.iter().flat_map(|(at, _)| at[0].to_le_bytes()));
    bytes.extend(entries.iter().flat_map(|(at, _)| at[1].to_le_bytes()));
    bytes.extend(entries.iter().flat_map(|(_, value)| value.to_le_bytes()));
    for all in [sides, found] {
        for k in free.iter().flat_map(|v| (0..3).map(move |axis| 3 * *v as usize + axis)) {
            bytes.extend(all.iter().flat_map(|side| side[k].to_le_bytes()));
        }
    }
    bytes
}
