//! Quadratic programmes of contact: time and what is left of the conditions of optimality, all solvers in one run.
//!
//! CPU time of one thread. `random` and `local` are made by the recipe that other solvers were timed on: a shaken lattice of nodes
//! with springs, contacts of a node with three others, a tenth of the rows dependent. `pile` are the organs of the scene
//! `organ-pile` at rest on one another, all contacts with friction.

#[cfg(feature = "clarabel")]
mod clarabel;
mod pile;
mod problem;

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use crate::session::clock::thread_cpu_ns;
use problem::{Dice, Made};
use serde_json::json;
use serosa_bake::cholesky::elimination;
use serosa_sim::World;
use serosa_sim::algebra::Elimination;
use serosa_sim::algebra::qp::{
    Problem, Residual, Rows, Solution, Solver, Workspace, form_schur, solve, solve_again, solve_anew,
};

/// Unknowns and rows of the lattices.
const SIZES: [(usize, usize); 2] = [(501, 50), (3000, 500)];
/// Contacts of the pile.
const PILES: [usize; 2] = [200, 1000];
/// What judges the others there: normals and slips in turn.
const JUDGE: Solver = Solver::Exact { staggers: 400, tolerance: 1e-8 };
/// The promises: what the exact answer leaves, and how far the large solver may be from it.
const RESIDUAL: f64 = 1e-9;
const NEAR: f64 = 0.02;
/// How much loads differ from those of the last answer, where it is at hand.
const CHANGED: f64 = 0.02;
/// Promised times with --strict \[ms\]: with the factor and the last set at hand, of the rounds alone, of the large solver on the
/// pile.
const PROMISED: [(&str, f64); 4] =
    [("exact-warm", 30.0), ("exact-rounds", 4.0), ("large", 4.0), ("large-warm", 4.0)];

/// One method on one case.
struct Line<'a> {
    case: &'a str,
    method: &'a str,
    rows: usize,
    unknowns: usize,
    ms: [f64; 2],
    rounds: u32,
    residual: f64,
    /// How far velocities and wrenches are from the exact answer, where that is measured.
    apart: Option<[f64; 2]>,
}

/// All cases up to the largest asked for, in rows.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let largest = args.largest.map_or(usize::MAX, |n| n as usize).max(SIZES[0].1);
    let mut broken = Vec::new();
    report.text(
        "case     rows  unknowns  method                 ms   quietest  rounds   residual  velocity   wrench",
    );
    let one = pool(1)?;
    for (unknowns, rows) in SIZES.into_iter().filter(|s| s.1 <= largest) {
        for case in ["random", "local"] {
            let made = problem::lattice(unknowns, rows, case == "local", 0);
            let bar = progress(1, &format!("{case} {rows}"));
            let lines = one.install(|| lattice(case, &made))?;
            bar.finish_and_clear();
            broken.extend(tell(&lines, args.strict, report));
        }
    }
    if PILES.iter().any(|n| 3 * n <= largest) {
        let bar = progress(1, "pile");
        let world = one.install(pile::settled)?;
        bar.finish_and_clear();
        for contacts in PILES.into_iter().filter(|n| 3 * n <= largest) {
            let lines = one.install(|| pile(&world, contacts))?;
            broken.extend(tell(&lines, args.strict, report));
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

/// Mean and quietest CPU time \[ms\] of so many runs.
fn time(runs: usize, mut run: impl FnMut()) -> [f64; 2] {
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = thread_cpu_ns();
        run();
        times.extend(start.zip(thread_cpu_ns()).map(|(a, b)| (b - a) as f64 * 1e-6));
    }
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    [mean, times.into_iter().fold(f64::INFINITY, f64::min)]
}

fn pattern(made: &Made) -> Result<Elimination, Failure> {
    elimination(&made.matrix, &made.points)
        .ok_or_else(|| Failure::input("error: the matrix of the benchmark has no order"))
}

/// All methods on a lattice.
fn lattice<'a>(case: &'a str, made: &Made) -> Result<Vec<Line<'a>>, Failure> {
    let (problem, mut factor, mut work) = (made.problem(), pattern(made)?, Workspace::default());
    let line = |method: &'a str, ms: [f64; 2], problem: &Problem, solution: &Solution| Line {
        case,
        method,
        rows: problem.rows.len(),
        unknowns: problem.load.len(),
        ms,
        rounds: solution.rounds,
        residual: Residual::of(problem, solution).worst(),
        apart: None,
    };
    let (mut lines, mut exact) = (Vec::new(), Solution::default());
    // Everything included, the order of elimination as well.
    let ms = time(10, || {
        let Ok(mut factor) = pattern(made) else { return };
        exact = Solution::default();
        solve_anew(&problem, &mut factor, Solver::EXACT, &mut Workspace::default(), &mut exact);
    });
    lines.push(line("exact", ms, &problem, &exact));
    let mut solution = Solution::default();
    let ms = time(20, || {
        solution.lambda.fill(0.0);
        solve_anew(&problem, &mut factor, Solver::EXACT, &mut work, &mut solution);
    });
    lines.push(line("exact-step", ms, &problem, &solution));
    // Loads and bounds a little different, and the answer before that change at hand.
    let (load, rows) = changed(made);
    let next = Problem { matrix: &made.matrix, load: &load, rows: &rows };
    let ms = time(20, || {
        solution.clone_from(&exact);
        solve(&next, &factor, Solver::EXACT, &mut work, &mut solution);
    });
    lines.push(line("exact-warm", ms, &next, &solution));
    form_schur(&problem, &factor, &mut work);
    let ms = time(20, || {
        solution.lambda.fill(0.0);
        solve_again(&problem, &factor, Solver::EXACT, &mut work, &mut solution);
    });
    lines.push(line("exact-rounds", ms, &problem, &solution));
    let others = [
        ("faithful", Solver::FAITHFUL),
        ("faithful-schur", Solver::Faithful { compliance: 1e-3, rounds: 20, whole: false }),
        ("large", Solver::LARGE),
    ];
    for (method, solver) in others {
        let ms = time(3, || {
            solution = Solution::default();
            solve(&problem, &factor, solver, &mut work, &mut solution);
        });
        lines.push(line(method, ms, &problem, &solution));
    }
    #[cfg(feature = "clarabel")]
    {
        let posed = clarabel::Posed::of(&problem);
        let ms = time(3, || solution = posed.solve().unwrap_or_default());
        lines.push(line("clarabel", ms, &problem, &solution));
    }
    Ok(lines)
}

/// The loads and bounds of the next step.
fn changed(made: &Made) -> (Vec<f64>, Rows) {
    let mut dice = Dice::new(1);
    let load = made.load.iter().map(|b| b * (1.0 + CHANGED * dice.normal())).collect();
    let mut rows = Rows::default();
    for i in 0..made.rows.len() {
        // Dependent rows must stay what they are, or no velocities might satisfy them.
        rows.push(made.rows.terms(i).iter().copied(), made.rows.asked()[i] * (1.0 + CHANGED), false);
    }
    (load, rows)
}

/// The large solver on a pile, beside the exact answer.
fn pile(world: &World, contacts: usize) -> Result<Vec<Line<'static>>, Failure> {
    let pile = pile::pile(world, contacts);
    let (made, mut work) = (&pile.made, Workspace::default());
    let (problem, mut factor) = (made.problem(), pattern(made)?);
    factor
        .refactor(&made.matrix)
        .map_err(|not| Failure::input(format!("error: not positive definite at vertex {}", not.vertex)))?;
    let mut exact = Solution::default();
    let ms = time(1, || solve(&problem, &factor, JUDGE, &mut work, &mut exact));
    let mut lines = Vec::new();
    let mut line = |method, ms, solution: &Solution| {
        lines.push(Line {
            case: "pile",
            method,
            rows: problem.rows.len(),
            unknowns: problem.load.len(),
            ms,
            rounds: solution.rounds,
            residual: Residual::of(&problem, solution).worst(),
            apart: Some(apart(&pile, solution, &exact)),
        });
    };
    line("exact", ms, &exact);
    let mut solution = Solution::default();
    // As from step to step: the answer to loads a little different at hand.
    let mut dice = Dice::new(1);
    let load: Vec<f64> = made.load.iter().map(|b| b * (1.0 + CHANGED * dice.normal())).collect();
    let mut before = Solution { velocity: pile.before.clone(), ..Solution::default() };
    // Errors are carried along as well, so it must be finer than one from nothing.
    let finer = Solver::Large { sweeps: 60, tolerance: 0.002, factored: false };
    solve(&Problem { load: &load, ..problem }, &factor, finer, &mut work, &mut before);
    let ms = time(50, || {
        solution.clone_from(&before);
        solve(&problem, &factor, finer, &mut work, &mut solution);
    });
    line("large-warm", ms, &solution);
    for (method, solver) in [
        ("large", Solver::LARGE),
        ("large-factored", Solver::Large { sweeps: 60, tolerance: 1e-3, factored: true }),
        ("large-to-the-end", Solver::Large { sweeps: 20_000, tolerance: 1e-11, factored: true }),
    ] {
        let ms = time(if method == "large" { 50 } else { 3 }, || {
            solution.velocity.clone_from(&pile.before);
            solution.lambda.fill(0.0);
            solve(&problem, &factor, solver, &mut work, &mut solution);
        });
        line(method, ms, &solution);
    }
    Ok(lines)
}

/// The largest difference of velocities over the largest, and of wrenches on bodies over the largest.
fn apart(pile: &pile::Pile, solution: &Solution, exact: &Solution) -> [f64; 2] {
    let largest = |all: &mut dyn Iterator<Item = f64>| all.map(f64::abs).fold(0.0, f64::max);
    let (v, w) = (&solution.velocity, &exact.velocity);
    let velocity = largest(&mut v.iter().zip(w).map(|(a, b)| a - b)) / largest(&mut w.iter().copied());
    let [a, b] = [solution, exact].map(|s| pile.wrenches(&s.lambda));
    let differ = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (*a - *b).length());
    let wrench = differ.fold(0.0, f64::max) / b.iter().flatten().map(|b| b.length()).fold(0.0, f64::max);
    [velocity, wrench]
}

/// Tells all lines; says which promises do not hold.
fn tell(lines: &[Line], strict: bool, report: &mut Report) -> Vec<String> {
    let mut broken = Vec::new();
    for line in lines {
        let Line { case, method, rows, unknowns, ms, rounds, residual, apart } = line;
        let object = json!({
            "bench": "qp", "case": case, "method": method, "n": rows, "unknowns": unknowns, "ms": ms[0],
            "ms_quiet": ms[1], "rounds": rounds, "residual": residual, "error_velocity": apart.map(|a| a[0]),
            "error_wrench": apart.map(|a| a[1]), "threads": 1,
        });
        let far = apart.map_or(String::new(), |a| format!("{:>9.1e} {:>8.1e}", a[0], a[1]));
        let text = format!(
            "{case:<7} {rows:>5} {unknowns:>9}  {method:<16} {:>9.3} {:>10.3} {rounds:>7} {residual:>10.1e} {far}",
            ms[0], ms[1]
        );
        report.line(&object, &text);
        let say = |what: String| format!("{case} of {rows} rows, {method}: {what}");
        if method.starts_with("exact") && *residual > RESIDUAL {
            broken.push(say(format!("leaves {residual:.1e}")));
        }
        if let Some(a) = apart.filter(|a| a[0] > NEAR || a[1] > NEAR) {
            broken.push(say(format!(
                "is {:.1e} from the exact velocities, {:.1e} from its wrenches",
                a[0], a[1]
            )));
        }
        let promised = PROMISED.iter().find(|p| p.0 == *method);
        if let Some((_, most)) = promised.filter(|p| strict && ms[1] > p.1) {
            broken.push(say(format!("takes {:.2} ms, more than {most}", ms[1])));
        }
    }
    broken
}
