//! Contacts, limits and jaws as constraints of one quadratic programme for the new velocities (QP-Collide, Raghupathi and
//! Faure 2006).
//!
//! ```text
//! minimise ½ vᵀK v − bᵀv    so that    J v ≥ c,    J v = c where something is held
//! ```
//!
//! K and b are those of [`crate::body::system`]. A contact with the gap g asks n·(v_A − v_B) ≥ −g/h, so that the gap is
//! closed at most; an edge of the length l along d that may reach l_max asks −d·(v_b − v_a) ≥ −(l_max − l)/h. Both are
//! linear where the gaps are not. After a solve the substep is looked at: what overlaps in the end, what has passed through on the
//! way, what is longer than it may be and jaws that hold more than they can get rows of their own, or lose them, and the programme is solved
//! again, as often as the world has sweeps. The paper leaves that loop open; as printed it never ends.
//!
//! What was active pushes first in the next step: multipliers are kept by the keys of rows.

mod hold;
mod limit;
mod report;

pub use report::{Asked, Constraint, Difficulty, QpReport};

use crate::algebra::qp::{self, Problem, Rows, Solution, Term, Workspace};
use crate::body::Substep;
use crate::body::system::{self, System, unknown_of, velocity};
use crate::detect::{Places, Search};
use crate::model::BodyKind;
use crate::params::{Detector, Filter, Solver};
use crate::report::StepReport;
use crate::respond::augmented_lagrangian::REST_GAP;
use crate::row::{Node, Row, RowKey, Slot};
use crate::scratch::Mobility;
use crate::state::{Kept, State, Twist};
use crate::{Model, Real, Scratch, Vec3};
use hold::Hold;
use limit::Limit;
use serosa_geometry::rotation::from_rotation_vector;

/// Overlaps are parted by this share of them in a substep, and never faster than [`PART_SPEED`]: all at once they would
/// fly apart.
const PART_SHARE: Real = 0.2;
/// \[m/s\]
const PART_SPEED: Real = 0.5;
/// An overlap in the end that is let pass \[m\].
const LET_PASS: Real = 5e-6;
/// A row turns with its contact, and does not look back, where the cosine of the turn is larger.
const SAME: Real = 0.8;
/// Rounds of normals and slips in turn: most steps need two or three. Friction itself is known to a few per cent.
const EXACT: qp::Solver = qp::Solver::Exact { staggers: 20, tolerance: 1e-3 };
/// With the factor, which is at hand: threads and cables are far stiffer than heavy.
const LARGE: qp::Solver = qp::Solver::Large { sweeps: 100, tolerance: 1e-3, factored: true };

/// The constraints of a substep and room to solve them. Grown once.
#[derive(Clone, Debug, Default)]
pub struct Programme {
    rows: Rows,
    /// What each of them is.
    sources: Vec<Constraint>,
    /// What each contact asks \[m/s\].
    asked: Vec<Real>,
    limits: Vec<Limit>,
    holds: Vec<Hold>,
    /// b, and what jaws pull with that cannot hold.
    load: Vec<Real>,
    solution: Solution,
    work: Workspace,
    /// What touches on the way, by key.
    found: Vec<Row>,
    /// Keys of the contacts and where they stand, sorted; those that were found in this look follow when it ends.
    places: Vec<(RowKey, u32)>,
    /// Whether rows contradict one another: their multipliers then grow without end, and are no guess for the next solve.
    contradict: bool,
    /// Unknowns that move.
    moves: Vec<bool>,
    room: Vec<Real>,
}

/// The whole response.
pub(super) fn answer(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    let Some(system) = scratch.system.take() else { return };
    let mut programme = core::mem::take(&mut scratch.programme);
    if let Some(trouble) = system.trouble {
        report::name_trouble(sub.model, trouble, &mut report.qp);
        stand_still(sub, state, scratch, trouble);
    } else {
        scratch.target_pose.copy_from_slice(&scratch.pose);
        programme.begin(sub, state, scratch, &system);
        for pass in 1..=sub.sweeps.max(1) {
            report.qp.passes += 1;
            programme.solve(sub, state, scratch, &system, report);
            programme.carry_out(sub, state, scratch, &system);
            let more = programme.look_again(sub, state, scratch, &system);
            if !more || pass == sub.sweeps.max(1) {
                break;
            }
        }
        programme.store(sub, state, scratch, report, &system);
    }
    scratch.programme = programme;
    scratch.system = Some(system);
}

/// Nothing moves for a substep.
fn stand_still(sub: &Substep, state: &State, scratch: &mut Scratch, trouble: system::Trouble) {
    let keep = trouble == system::Trouble::NoTime;
    for body in &sub.model.bodies {
        match body.kind {
            BodyKind::Rigid(r) => {
                scratch.pose[r.at()] = state.pose[r.at()];
                scratch.twist[r.at()] = if keep { state.twist[r.at()] } else { Twist::default() };
            }
            ref kind if system::moved_together(kind) => {
                for v in body.vertex_range() {
                    scratch.pos[v] = state.pos[v];
                    scratch.vel[v] = if keep { state.vel[v] } else { Vec3::ZERO };
                }
            }
            _ => {}
        }
    }
}

/// What `asked` is for a gap: closed at most, and opened slowly where it overlaps.
fn asked_for(gap: Real, h: Real) -> Real {
    if gap >= 0.0 { -gap / h } else { (-gap * PART_SHARE / h).min(PART_SPEED) }
}

/// The gap that rows keep \[m\]: the filter needs some room.
fn rest_gap(sub: &Substep) -> Real {
    if sub.params.filter == Filter::Off { 0.0 } else { REST_GAP }
}

impl Programme {
    /// The first constraints: contacts that are near, limits that the free motion would reach, and what jaws hold.
    fn begin(&mut self, sub: &Substep, state: &State, scratch: &mut Scratch, system: &System) {
        let model = sub.model;
        self.contradict = false;
        self.moves.clear();
        self.moves.extend(scratch.inv_mass.iter().map(|w| *w > 0.0));
        let frames = scratch.rigid_mobility.iter().flat_map(|m: &Mobility| [m.inv_mass > 0.0; 2]);
        self.moves.extend(frames);
        for v in 0..self.moves.len() {
            self.moves[v] &= system.matrix.node_of(v as u32).is_some();
        }
        self.asked.clear();
        let keep = rest_gap(sub);
        let mut kept = state.kept.iter().peekable();
        for row in &mut scratch.rows {
            self.asked.push(asked_for(row.gap - keep, sub.h));
            while kept.next_if(|k| k.key < row.key).is_some() {}
            if let Some(kept) = kept.peek().filter(|k| k.key == row.key) {
                row.lambda = kept.lambda * sub.h;
                row.slip = (kept.drag - row.normal * kept.drag.dot(row.normal)) * sub.h;
            }
        }
        self.places.clear();
        self.places.extend(scratch.rows.iter().zip(0..).map(|(row, i)| (row.key, i)));
        self.places.sort_unstable();
        limit::begin((sub, &system.edges), state, &scratch.pos, &mut self.limits);
        hold::begin(model, state, sub.h, &mut self.holds);
    }

    /// The rows J, c and a guess of λ from all constraints, each where it was last.
    fn gather(&mut self, sub: &Substep, state: &State, scratch: &Scratch, system: &System) {
        self.rows.clear();
        self.sources.clear();
        self.solution.lambda.clear();
        self.load.clone_from(&system.load);
        let mut build = Build {
            model: sub.model,
            state,
            moves: &self.moves,
            rows: &mut self.rows,
            sources: &mut self.sources,
            lambda: &mut self.solution.lambda,
        };
        for (i, row) in scratch.rows.iter().enumerate() {
            build.contact(row, i as u32, self.asked[i]);
        }
        for (limit, i) in self.limits.iter().zip(0..) {
            build.limit(i, limit);
        }
        for (hold, i) in self.holds.iter().zip(0..) {
            build.hold(i, hold, sub.h, &mut self.load);
        }
        if self.contradict {
            self.solution.lambda.fill(0.0);
        }
    }

    fn solve(
        &mut self,
        sub: &Substep,
        state: &State,
        scratch: &mut Scratch,
        system: &System,
        report: &mut StepReport,
    ) {
        self.gather(sub, state, scratch, system);
        let problem = Problem { matrix: &system.matrix, load: &self.load, rows: &self.rows };
        if self.rows.is_empty() && self.load == system.load {
            // Nothing touches: the free motion, to its last bit.
            self.solution.velocity.clone_from(&system.free);
            self.solution.trouble.clear();
        } else {
            let solver = match sub.params.solver {
                Solver::Exact => EXACT,
                Solver::Faithful => qp::Solver::FAITHFUL,
                Solver::Large => LARGE,
            };
            qp::solve(&problem, &system.factor, solver, &mut self.work, &mut self.solution);
            report.qp.rounds += self.solution.rounds;
        }
        report.qp.rows = self.rows.len() as u32;
        let infeasible = |t: &qp::Trouble| matches!(t, qp::Trouble::Infeasible { .. });
        self.contradict = self.solution.trouble.iter().any(infeasible);
        self.hand_back(scratch);
    }

    /// Multipliers go back to what they belong to.
    fn hand_back(&mut self, scratch: &mut Scratch) {
        scratch.rows.iter_mut().for_each(|row| (row.lambda, row.slip) = (0.0, Vec3::ZERO));
        self.limits.iter_mut().for_each(|limit| limit.lambda = 0.0);
        self.holds.iter_mut().filter(|hold| !hold.slips).for_each(|hold| hold.impulse = Vec3::ZERO);
        for (source, lambda) in self.sources.iter().zip(&self.solution.lambda) {
            match *source {
                Constraint::Contact(i) => scratch.rows[i as usize].lambda = *lambda,
                Constraint::Slip(i, k) => {
                    let row = &mut scratch.rows[i as usize];
                    row.slip += Rows::across(row.normal)[usize::from(k)] * *lambda;
                }
                Constraint::Limit(i) => self.limits[i as usize].lambda = *lambda,
                Constraint::Held(i, k) => self.holds[i as usize].impulse[usize::from(k)] = *lambda,
            }
        }
    }

    /// Takes the velocities over, and everything where they lead.
    fn carry_out(&self, sub: &Substep, state: &State, scratch: &mut Scratch, system: &System) {
        let x = &self.solution.velocity;
        for body in &sub.model.bodies {
            match body.kind {
                BodyKind::Rigid(r) => {
                    let first = unknown_of(sub.model, r) as usize;
                    if !self.moves[first] {
                        continue;
                    }
                    // A frame that nothing touches goes as it would alone, turning in second order.
                    let free = &scratch.target_pose[r.at()];
                    let [shift, turn] =
                        [0, 1].map(|k| (velocity(x, first + k) - velocity(&system.free, first + k)) * sub.h);
                    let pose = &mut scratch.pose[r.at()];
                    pose.pos = free.pos + shift;
                    pose.rot = (from_rotation_vector(turn) * free.rot).normalize();
                    scratch.twist[r.at()] = Twist { vel: velocity(x, first), omega: velocity(x, first + 1) };
                }
                ref kind if system::moved_together(kind) => {
                    for v in body.vertex_range() {
                        scratch.vel[v] = if self.moves[v] { velocity(x, v) } else { Vec3::ZERO };
                        scratch.pos[v] = state.pos[v] + scratch.vel[v] * sub.h;
                    }
                }
                _ => {}
            }
        }
    }

    /// Looks where the substep ends; whether the programme has changed.
    fn look_again(&mut self, sub: &Substep, state: &State, scratch: &mut Scratch, system: &System) -> bool {
        let missed = self.find_missed(sub, state, scratch);
        let longer = limit::look_again((sub, &system.edges), state, &scratch.pos, &mut self.limits);
        let slips = hold::look_again(&mut self.holds);
        missed || longer || slips
    }

    /// What touches on the way and is passed through gets a row as it first touched, or turns the row that it has (in the end it
    /// may be through, and its normal any); where nothing does, what overlaps in the end. Whether there is any.
    fn find_missed(&mut self, sub: &Substep, state: &State, scratch: &mut Scratch) -> bool {
        let Scratch { finder, pos, pose, rows, growth, found_radius, .. } = scratch;
        let mut radius = core::mem::take(&mut self.room);
        radius.clear();
        radius.extend(found_radius.iter().zip(&*growth).map(|(r, more)| r + more));
        let start = Places { pos: &state.pos, pose: &state.pose, radius: &radius };
        let end = Places { pos, pose, radius: &radius };
        let complete = match sub.params.detector {
            Detector::Tracker => Detector::Grid,
            complete => complete,
        };
        let mut missed = false;
        for search in [(start, Search::Between(end)), (end, Search::Overlap)] {
            finder.rows(sub.model, sub.params, complete, search, &mut self.found);
            finder.merge(&mut self.found);
            missed = self.take_missed(sub, state, matches!(search.1, Search::Overlap), rows);
            if missed {
                break;
            }
        }
        self.room = radius;
        missed
    }

    /// Rows of what was found and the velocities miss; the gaps are those of the end, or of the start. Whether there is any.
    fn take_missed(&mut self, sub: &Substep, state: &State, ended: bool, rows: &mut Vec<Row>) -> bool {
        let (mut any, known) = (false, rows.len());
        for row in &self.found {
            let speed: Real = row.slots().map(|s| self.speed_of(sub.model, state, s).dot(row.normal)).sum();
            let began = if ended { row.gap - speed * sub.h } else { row.gap };
            // What begins as an overlap may still be one.
            let overlap = began.min(0.0);
            let allowed = overlap + asked_for(overlap, sub.h) * sub.h;
            if began + speed * sub.h >= allowed - LET_PASS {
                continue;
            }
            any = true;
            let asked = asked_for(began - rest_gap(sub), sub.h);
            match self.place_of(row, rows, known) {
                Some(k) => {
                    rows[k] = Row { lambda: rows[k].lambda, slip: Vec3::ZERO, ..*row };
                    self.asked[k] = asked;
                }
                None => {
                    rows.push(*row);
                    self.asked.push(asked);
                }
            }
        }
        self.places.extend(rows.iter().zip(0..).skip(known).map(|(row, i)| (row.key, i)));
        self.places.sort_unstable();
        any
    }

    /// Where the row of a touch stands, the first of several: among those `known` before this look, by their sorted keys,
    /// or among the last, since what is found comes by key. O(log rows).
    fn place_of(&self, row: &Row, rows: &[Row], known: usize) -> Option<usize> {
        let same = |k: &usize| rows[*k].normal.dot(row.normal) > SAME;
        let start = self.places.partition_point(|(key, _)| *key < row.key);
        let before = self.places[start..].iter().take_while(|(key, _)| *key == row.key);
        before.map(|(_, k)| *k as usize).find(same).or_else(|| {
            let latest = rows[known..].iter().rev().take_while(|last| last.key == row.key).count();
            (rows.len() - latest..rows.len()).find(same)
        })
    }

    /// The velocity of a slot times its weight.
    fn speed_of(&self, model: &Model, state: &State, slot: Slot) -> Vec3 {
        let x = &self.solution.velocity;
        let speed = match slot.node {
            Node::Vertex(v) if self.moves[v.at()] => velocity(x, v.at()),
            Node::Rigid(r, local) if self.moves[unknown_of(model, r) as usize] => {
                let first = unknown_of(model, r) as usize;
                velocity(x, first) + velocity(x, first + 1).cross(state.pose[r.at()].rot * local)
            }
            _ => Vec3::ZERO,
        };
        speed * slot.weight
    }

    /// Multipliers go to the state, jaws that could not hold slip, and what went wrong is reported.
    fn store(
        &mut self,
        sub: &Substep,
        state: &mut State,
        scratch: &mut Scratch,
        report: &mut StepReport,
        system: &System,
    ) {
        let problem = Problem { matrix: &system.matrix, load: &self.load, rows: &self.rows };
        report.qp.residual = report::residual(&problem, &self.solution, &system.free, &mut self.room);
        report::name_all(sub, scratch, &self.solution, (&self.sources, &self.limits, &self.holds), report);
        system::remember_springs(sub, state, &self.solution.velocity, scratch);
        hold::store(sub, state, scratch, &self.holds, report);
        scratch.rows.sort_unstable_by_key(|row| row.key);
        state.kept.clear();
        let Scratch { rows, pos, pose, .. } = scratch;
        let pushing = rows.iter().filter(|row| row.lambda > 0.0);
        state.kept.extend(pushing.map(|row| Kept {
            key: row.key,
            lambda: row.lambda / sub.h,
            stick: Vec3::ZERO,
            drag: row.slip / sub.h,
            goal: 0.0,
            at: row.sides[1].place(pos, pose),
            normal: row.normal,
        }));
        report.contacts = state.kept.len() as u32;
        if self.contradict {
            return state.kept.clear();
        }
        for limits in self.limits.chunk_by(|a, b| a.row_key() == b.row_key()) {
            let (key, lambda) = (limits[0].row_key(), limits.iter().map(|limit| limit.lambda).sum::<Real>());
            if lambda > 0.0 {
                let none = Vec3::ZERO;
                let lambda = lambda / sub.h;
                state.kept.push(Kept {
                    key,
                    lambda,
                    stick: none,
                    drag: none,
                    goal: 0.0,
                    at: none,
                    normal: none,
                });
            }
        }
    }
}

/// The programme as it is put together.
struct Build<'a> {
    model: &'a Model,
    state: &'a State,
    moves: &'a [bool],
    rows: &'a mut Rows,
    sources: &'a mut Vec<Constraint>,
    lambda: &'a mut Vec<Real>,
}

/// Terms of six slots, two for each of a rigid frame.
type Terms = core::iter::Flatten<core::array::IntoIter<Option<Term>, 12>>;

impl Build<'_> {
    /// How some nodes, with weights, move along a direction.
    fn terms(&self, slots: impl Iterator<Item = Slot>, dir: Vec3) -> Terms {
        let mut terms = [None; 12];
        for (k, slot) in slots.enumerate().take(6) {
            let along = dir * slot.weight;
            match slot.node {
                Node::Vertex(v) if self.moves[v.at()] => {
                    terms[2 * k] = Some(Term { vertex: v.0, direction: along.to_array() });
                }
                Node::Rigid(r, local) if self.moves[unknown_of(self.model, r) as usize] => {
                    let (first, arm) = (unknown_of(self.model, r), self.state.pose[r.at()].rot * local);
                    terms[2 * k] = Some(Term { vertex: first, direction: along.to_array() });
                    terms[2 * k + 1] =
                        Some(Term { vertex: first + 1, direction: arm.cross(along).to_array() });
                }
                _ => {}
            }
        }
        terms.into_iter().flatten()
    }

    fn contact(&mut self, row: &Row, i: u32, asked: Real) {
        let start = self.rows.len();
        let mut rows = core::mem::take(self.rows);
        rows.push_contact_along(|dir| self.terms(row.slots(), dir), row.normal, asked, row.friction);
        *self.rows = rows;
        self.sources.push(Constraint::Contact(i));
        self.lambda.push(row.lambda);
        if self.rows.len() > start + 1 {
            for (k, across) in Rows::across(row.normal).into_iter().enumerate() {
                self.sources.push(Constraint::Slip(i, k as u8));
                self.lambda.push(row.slip.dot(across));
            }
        }
    }

    fn push(
        &mut self,
        slots: impl Iterator<Item = Slot>,
        dir: Vec3,
        (asked, equal): (Real, bool),
        (source, lambda): (Constraint, Real),
    ) {
        let terms = self.terms(slots, dir);
        self.rows.push(terms, asked, equal);
        self.sources.push(source);
        self.lambda.push(lambda);
    }
}
