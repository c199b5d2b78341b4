//! What a programme has to say for itself, in plain words.

use super::LET_PASS;
use super::hold::Hold;
use super::limit::Limit;
use crate::algebra::qp::{self, Kind, Problem, Solution};
use crate::body::Substep;
use crate::body::system::{self, body_of};
use crate::report::StepReport;
use crate::{BodyId, Model, Real, Scratch, ToolId, VertexId};

/// A solve whose rounds ran out with a smaller residual is finished all the same: multipliers of dependent rows wander.
const FINISHED: Real = 1e-3;

/// What a row of a programme is about, by its number in its list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// A contact.
    Contact(u32),
    /// One of its two slips.
    Slip(u32, u8),
    /// A strain limit.
    Limit(u32),
    /// One direction of a vertex in jaws.
    Held(u32, u8),
}

/// Something that no velocities satisfy, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// That two bodies do not overlap.
    Apart(BodyId, BodyId),
    /// That an edge between two vertices of a body is no longer, or no shorter, than it may be.
    Limit {
        /// The body.
        body: BodyId,
        /// The ends of the edge.
        ends: [VertexId; 2],
        /// Whether it is too long.
        longest: bool,
    },
    /// That a tool holds a vertex.
    Held(ToolId, VertexId),
}

/// What went wrong in a programme. The substep goes on in any case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Difficulty {
    /// The substep has no length. Nothing moves.
    NoTime,
    /// The matrix is not positive definite. Nothing moves.
    NotPositive(BodyId),
    /// No velocities satisfy all constraints: the compromise leaves the least squares of what they miss. This one misses
    /// most.
    Infeasible {
        /// What is asked.
        what: Asked,
        /// By how much \[m/s\].
        missing: Real,
    },
    /// The solver ran out of rounds, and the answer is no better than [`QpReport::residual`] says.
    Unfinished,
    /// The faithful solver dropped a constraint that toggled.
    Dropped(Asked),
}

/// The report of the programmes of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QpReport {
    /// Rows in the last solve, two slips for each contact with friction among them.
    pub rows: u32,
    /// Solves, with what was found where they ended.
    pub passes: u32,
    /// Rounds of the active set, or sweeps, in all of them.
    pub rounds: u32,
    /// The largest error of the last solve: of the equations of motion over the loads, or of a row or a slip over the fastest
    /// motion, with rows or without.
    pub residual: Real,
    /// What went wrong, nothing in most steps.
    pub trouble: Vec<Difficulty>,
}

impl QpReport {
    pub(crate) fn clear(&mut self) {
        (self.rows, self.passes, self.rounds, self.residual) = (0, 0, 0, 0.0);
        self.trouble.clear();
    }
}

impl Difficulty {
    /// In words, for people.
    pub fn words(&self, model: &Model) -> String {
        let name = |b: &BodyId| model.bodies[b.at()].name.as_str();
        let first = |b: &BodyId| model.bodies[b.at()].vertices.start;
        let asked = |what: &Asked| match what {
            Asked::Apart(a, b) if a == b => format!("that \"{}\" does not pass through itself", name(a)),
            Asked::Apart(a, b) => format!("that \"{}\" and \"{}\" do not overlap", name(a), name(b)),
            Asked::Limit { body, ends, longest } => format!(
                "that the edge of \"{}\" between its vertices {} and {} is no {} than its strain limit",
                name(body),
                ends[0].0 - first(body),
                ends[1].0 - first(body),
                if *longest { "longer" } else { "shorter" },
            ),
            Asked::Held(tool, v) => {
                let body = BodyId::from(body_of(model, v.0));
                let tool = &model.tools[tool.at()].name;
                format!("that \"{tool}\" holds vertex {} of \"{}\"", v.0 - first(&body), name(&body))
            }
        };
        match self {
            Self::NoTime => "the step has no length: nothing moves".into(),
            Self::NotPositive(b) => format!(
                "the matrix of the step is not positive definite at \"{}\": nothing moves; its stiffness may be too \
                 large for its mass, or a number is none",
                name(b)
            ),
            Self::Infeasible { what, missing } => format!(
                "the constraints cannot all be satisfied; the compromise leaves the least squares of what they miss, most \
                 of it by {missing:.3e} m/s what asks {}",
                asked(what)
            ),
            Self::Unfinished => "the solver ran out of rounds".into(),
            Self::Dropped(what) => format!("a constraint toggled and was dropped: {}", asked(what)),
        }
    }
}

/// Where there was nothing to solve.
pub(super) fn name_trouble(model: &Model, trouble: system::Trouble, report: &mut QpReport) {
    report.trouble.push(match trouble {
        system::Trouble::NoTime => Difficulty::NoTime,
        system::Trouble::NotPositive(unknown) => {
            Difficulty::NotPositive(BodyId::from(body_of(model, unknown)))
        }
    });
}

/// Troubles of the last solve by the names of what they are about.
pub(super) fn name_all(
    sub: &Substep,
    scratch: &Scratch,
    solution: &Solution,
    (sources, limits, holds): (&[Constraint], &[Limit], &[Hold]),
    report: &mut StepReport,
) {
    let model = sub.model;
    let asked = |row: u32| match sources[row as usize] {
        Constraint::Contact(i) | Constraint::Slip(i, _) => {
            let key = scratch.rows[i as usize].key;
            Asked::Apart(model.prims[key.a.at()].body, model.prims[key.b.at()].body)
        }
        Constraint::Limit(i) => {
            let limit = &limits[i as usize];
            let (ends, body) = (limit.ends, BodyId::from(body_of(model, limit.ends[0].0)));
            Asked::Limit { body, ends, longest: limit.longest }
        }
        Constraint::Held(i, _) => {
            let hold = &holds[i as usize];
            Asked::Held(hold.tool, hold.vertex)
        }
    };
    // What an unfinished solve misses by a little need not be infeasible, and one may be as good as finished.
    let unfinished = solution.trouble.contains(&qp::Trouble::Unfinished);
    let least = if unfinished { 100.0 * LET_PASS } else { LET_PASS };
    let residual = report.qp.residual;
    let worth = |trouble: &&qp::Trouble| match trouble {
        qp::Trouble::Infeasible { missing, .. } => missing * sub.h > least,
        qp::Trouble::Unfinished => residual > FINISHED,
        _ => true,
    };
    report.qp.trouble.extend(solution.trouble.iter().filter(worth).map(|trouble| match *trouble {
        qp::Trouble::Infeasible { row, missing } => Difficulty::Infeasible { what: asked(row), missing },
        qp::Trouble::Unfinished => Difficulty::Unfinished,
        qp::Trouble::Dropped { row } => Difficulty::Dropped(asked(row)),
        qp::Trouble::NotPositive { vertex } => Difficulty::NotPositive(BodyId::from(body_of(model, vertex))),
    }));
}

/// See [`QpReport::residual`]. Cost: one product with K and J.
pub(super) fn residual(problem: &Problem, solution: &Solution, free: &[Real], room: &mut Vec<Real>) -> Real {
    let (rows, v, lambda) = (problem.rows, &solution.velocity, &solution.lambda);
    room.clear();
    room.resize(v.len(), 0.0);
    problem.matrix.multiply(v, room);
    (0..rows.len()).for_each(|i| rows.push_with(i, -lambda[i], room));
    let (mut off, mut load) = (0.0 as Real, 0.0 as Real);
    // Of what rests the free motion, a step of falling, is the measure.
    let mut fastest = 0.0 as Real;
    for unknown in problem.matrix.free() {
        let at = 3 * *unknown as usize;
        for k in at..at + 3 {
            off = off.max((room[k] - problem.load[k]).abs());
            load = load.max(problem.load[k].abs());
            fastest = fastest.max(v[k].abs()).max(free[k].abs());
        }
    }
    let most = lambda.iter().fold(0.0, |m: Real, l| m.max(l.abs()));
    let mut missed = 0.0 as Real;
    for (i, kind) in rows.kinds().iter().enumerate() {
        let (moved, asked) = (rows.velocity(i, v), rows.asked()[i]);
        missed = missed.max(match kind {
            Kind::Equal => (asked - moved).abs(),
            Kind::AtLeast => asked - moved,
            Kind::Contact { friction } if i + 2 < rows.len() => {
                let slip = [i + 1, i + 2].map(|k| rows.velocity(k, v));
                (asked - moved)
                    .max(rubbed(*friction * lambda[i], [lambda[i + 1], lambda[i + 2]], slip) / most)
            }
            Kind::Contact { .. } | Kind::Slip => 0.0,
        });
    }
    over(off, load).max(over(missed, fastest))
}

/// How much less a slip dissipates than friction of that size could \[W s\]; none where it sticks, or slides straight back.
fn rubbed(radius: Real, t: [Real; 2], u: [Real; 2]) -> Real {
    let speed = (u[0] * u[0] + u[1] * u[1]).sqrt();
    radius * speed + t[0] * u[0] + t[1] * u[1]
}

/// 0 / 0 is nothing.
fn over(a: Real, b: Real) -> Real {
    if a > 0.0 { a / b } else { 0.0 }
}
