//! Bodies and rows descend one potential together: augmented-Lagrangian contact with a friction cone.
//!
//! Each row pushes with max(0, λ − k·gap), where the multiplier λ is what it pushed with before: the stiffness k
//! only has to catch changes, so a resting contact holds its gap exactly with a soft k. After each sweep λ takes
//! over the push. Friction keeps an anchor, the place where sticking began, and pulls back to it within the cone
//! μλ; a row that slides drags its anchor along at the end of the step. (Not after each sweep: a row would then stick
//! to wherever an unfinished solve has taken it, and a rope on a slope creep.) Multipliers and anchors are saved with
//! the state.
//!
//! The mathematics is that of the incremental potential with rows as in the augmented vertex-block descent of
//! Giles et al. (2025); what differs is that whole bands descend at once.

use crate::algebra::Six;
use crate::algebra::small::along_and_across;
use crate::body::Substep;
use crate::body::band;
use crate::model::{BodyKind, Pose};
use crate::report::StepReport;
use crate::row::{Row, Side};
use crate::scratch::{Mobility, Scratch};
use crate::state::{Kept, State};
use crate::{Mat3, PrimId, Real, RigidId, Vec3, filter};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// The distance that contacts keep \[m\]: room for the filter to let things settle without touching them.
pub const REST_GAP: Real = 1e-4;
/// Stiffness of a row as a multiple of what its nodes' inertia resists with, m/h².
const FIRMNESS: Real = 2.0;
/// A step of a rigid frame that raises the potential is halved at most so often, then given up.
const HALVINGS: u32 = 6;
/// In the first sweep a row is taken to stick as long as its pull is less than so many times its limit. Free motion
/// goes 2 n limits too far where a vertex sticks in n rows that could hold it; taken for sliding it would be thrown
/// back beyond its anchor, and forth again in the next sweep.
const TRIAL: Real = 5.0;
/// How much of an old overlap is left to the next step, so that nothing pops.
const KEEP: Real = 0.95;
/// How much of a multiplier is handed to the next step.
const FADE: Real = 0.99;

/// A row at work, or a vertex held in jaws.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    /// Which row, or which grip.
    source: Source,
    /// A and B.
    pub sides: [Side; 2],
    /// Their bodies.
    pub bodies: [u32; 2],
    normal: Vec3,
    offset: Real,
    /// \[N/m\]
    stiffness: Real,
    /// Push along the normal \[N\].
    lambda: Real,
    friction: Real,
    /// From B's point to where A's is not carried from its anchor, across the normal; for a grip, in all directions \[m\].
    anchor: Vec3,
    /// Push across the normal \[N\].
    drag: Vec3,
    /// Most that `drag` may reach \[N\].
    limit: Real,
    /// Whether the pull has gone beyond the limit.
    slides: bool,
    /// Before the first sweep: the pull is that of the free motion, and most of it will be gone.
    trial: bool,
    /// From B's point to A's when the multipliers were last updated \[m\].
    between: Vec3,
}

/// Where a row at work comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Row(u32),
    Grip(u32),
}

/// What a row does at some positions.
pub struct Answer {
    /// On side A \[N\].
    pub force: Vec3,
    /// How that changes as A moves, positive semidefinite \[N/m\].
    pub matrix: Mat3,
    /// \[J\]
    pub potential: Real,
}

/// Speed along `dir` for a unit impulse along it \[1/kg\].
fn mobility(side: &Side, inv_mass: &[Real], rigid: &[Mobility], pose: &[Pose], dir: Vec3) -> Real {
    match *side {
        Side::Rigid(r, local) => {
            let (mobility, rot) = (&rigid[r.at()], pose[r.at()].rot);
            let torque = rot.conjugate() * (rot * local).cross(dir);
            mobility.inv_mass + torque.dot(mobility.inv_inertia * torque)
        }
        Side::Soft([v, w], [s, t]) => s * s * inv_mass[v.at()] + t * t * inv_mass[w.at()],
        Side::Face(vertices, weights) => {
            vertices.iter().zip(weights).map(|(v, w)| w * w * inv_mass[v.at()]).sum()
        }
    }
}

impl Touching {
    /// Whether one of its sides belongs to that body.
    pub fn holds(&self, body: u32) -> bool {
        self.bodies[0] == body || self.bodies[1] == body
    }

    /// From B's point to A's \[m\].
    #[inline]
    pub fn between(&self, pos: &[Vec3], pose: &[Pose]) -> Vec3 {
        self.sides[0].place(pos, pose) - self.sides[1].place(pos, pose)
    }

    #[inline]
    fn is_grip(&self) -> bool {
        matches!(self.source, Source::Grip(_))
    }

    /// The part of a vector in which friction acts: across the normal, for a grip all of it.
    #[inline]
    fn across(&self, v: Vec3) -> Vec3 {
        if self.is_grip() { v } else { v - self.normal * v.dot(self.normal) }
    }

    /// How far A's point is from its anchor.
    #[inline]
    fn carried(&self, between: Vec3) -> Vec3 {
        self.across(between) - self.anchor
    }

    /// Force, matrix and potential where B's point is `between` away from A's.
    #[inline]
    pub fn answer(&self, between: Vec3) -> Answer {
        let (push, (pull, size)) = (self.push(between), self.rub(between));
        let mut answer = Answer {
            force: self.normal * push,
            matrix: Mat3::ZERO,
            potential: self.push_potential(push) + self.pull_potential(size),
        };
        let along = if push > 0.0 { self.stiffness } else { 0.0 };
        let (mut across, mut slide) = (0.0, Vec3::ZERO);
        if size > self.most() {
            // Sliding resists turning aside, not going on.
            slide = pull / size;
            across = self.stiffness * self.limit / size;
            answer.force += slide * self.limit;
        } else if self.limit > 0.0 {
            across = self.stiffness;
            answer.force += pull;
        }
        answer.matrix = match (self.is_grip(), slide == Vec3::ZERO) {
            (true, _) => along_and_across(slide, 0.0, across),
            (false, true) => along_and_across(self.normal, along, across),
            (false, false) => {
                along_and_across(self.normal, along, across) - along_and_across(slide, across, 0.0)
            }
        };
        answer
    }

    /// The potential alone \[J\].
    #[inline]
    pub fn potential(&self, between: Vec3) -> Real {
        self.push_potential(self.push(between)) + self.pull_potential(self.rub(between).1)
    }

    #[inline]
    fn push_potential(&self, push: Real) -> Real {
        (push * push - self.lambda * self.lambda) / (2.0 * self.stiffness)
    }

    #[inline]
    fn pull_potential(&self, size: Real) -> Real {
        if size > self.most() {
            self.limit * (size - 0.5 * self.limit) / self.stiffness
        } else {
            0.5 * size * size / self.stiffness
        }
    }

    /// The pull beyond which it slides \[N\].
    #[inline]
    fn most(&self) -> Real {
        if self.trial { TRIAL * self.limit } else { self.limit }
    }

    /// The push along the normal \[N\]; a grip has none.
    #[inline]
    fn push(&self, between: Vec3) -> Real {
        if self.is_grip() {
            return 0.0;
        }
        (self.lambda - self.stiffness * (between.dot(self.normal) - self.offset)).max(0.0)
    }

    /// The pull towards the anchor before the cone bounds it, and its size.
    #[inline]
    fn pull(&self, between: Vec3) -> (Vec3, Real) {
        let pull = self.drag - self.carried(between) * self.stiffness;
        (pull, pull.length())
    }

    /// The same; nothing where there is no friction.
    #[inline]
    fn rub(&self, between: Vec3) -> (Vec3, Real) {
        if self.limit > 0.0 { self.pull(between) } else { (Vec3::ZERO, 0.0) }
    }

    /// The multipliers take over what the row now pushes with.
    fn update(&mut self, between: Vec3) {
        if !self.is_grip() {
            self.lambda = self.push(between);
            self.limit = self.friction * self.lambda;
        }
        let (pull, size) = self.rub(between);
        (self.slides, self.trial, self.between) = (size > self.limit, false, between);
        self.drag = if self.slides { pull * (self.limit / size) } else { pull };
    }
}

/// The whole response: sweeps in which every body descends, every row updates and the filter clips.
pub(super) fn answer(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    scratch.target_pose.copy_from_slice(&scratch.pose);
    prepare(sub, state, scratch);
    for sweep in 0..sub.sweeps {
        if sweep + 1 == sub.sweeps {
            scratch.last_sweep.copy_from_slice(&scratch.pos);
        }
        for (b, body) in sub.model.bodies.iter().enumerate() {
            match &body.kind {
                BodyKind::Band(band) => band::descend(sub, b, band, state, scratch),
                BodyKind::Rigid(r) => descend_rigid(sub, b as u32, *r, scratch),
                BodyKind::Springs(_) | BodyKind::Tissue(_) | BodyKind::Solid(_) => {}
            }
        }
        if sweep + 1 < sub.sweeps {
            // The last clip is the Filter stage.
            filter::clip(sub, state, scratch);
        }
        let Scratch { pos, pose, touching, .. } = scratch;
        for row in touching.iter_mut() {
            row.update(row.between(pos, pose));
        }
    }
    report.residual_m = Some(moved(&scratch.last_sweep, &scratch.pos).max(report.residual_m.unwrap_or(0.0)));
    velocities(sub, state, scratch);
    store(sub, state, scratch, report);
}

/// The longest way from one of these places to those \[m\].
fn moved(from: &[Vec3], to: &[Vec3]) -> Real {
    from.iter().zip(to).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max)
}

fn prepare(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let Scratch { rows, touching, inv_mass, rigid_mobility, .. } = scratch;
    touching.clear();
    let mut kept = state.kept.iter().peekable();
    for (i, row) in rows.iter().enumerate() {
        while kept.next_if(|k| k.key < row.key).is_some() {}
        let memory = kept.peek().filter(|k| k.key == row.key).copied();
        if let Some(work) = of_row(sub, state, (inv_mass, rigid_mobility), (i, row), memory) {
            touching.push(work);
        }
    }
    for (i, grip) in state.grips.iter().enumerate() {
        let tool = &sub.model.tools[grip.tool.at()];
        let body = sub.model.bodies.iter().position(|b| b.vertices.contains(&grip.vertex.0)).unwrap_or(0);
        let shares = state.grips.iter().filter(|g| g.tool == grip.tool).count();
        let mut work = Touching {
            source: Source::Grip(i as u32),
            sides: [Side::Soft([grip.vertex; 2], [1.0, 0.0]), Side::Rigid(tool.rigid, grip.at)],
            bodies: [body as u32, tool.body.0],
            normal: Vec3::Z,
            offset: 0.0,
            stiffness: 0.0,
            lambda: 0.0,
            friction: 0.0,
            anchor: Vec3::ZERO,
            drag: grip.pull,
            limit: tool.strength / shares as Real,
            slides: false,
            trial: true,
            between: Vec3::ZERO,
        };
        if firm(&mut work, sub, state, (inv_mass, rigid_mobility)) {
            touching.push(work);
        }
    }
}

/// Sets the stiffness; false where nothing can move or something is not a number.
fn firm(
    work: &mut Touching,
    sub: &Substep,
    state: &State,
    (inv_mass, rigid): (&[Real], &[Mobility]),
) -> bool {
    let softness: Real =
        work.sides.iter().map(|s| mobility(s, inv_mass, rigid, &state.pose, work.normal)).sum();
    work.stiffness = FIRMNESS / (softness * sub.h * sub.h);
    work.stiffness.is_finite() && work.anchor.is_finite()
}

fn of_row(
    sub: &Substep,
    state: &State,
    mobility: (&[Real], &[Mobility]),
    (i, row): (usize, &Row),
    memory: Option<&Kept>,
) -> Option<Touching> {
    let body = |p: PrimId| sub.model.prims[p.at()].body.0;
    let mut work = Touching {
        source: Source::Row(i as u32),
        sides: row.sides,
        bodies: [body(row.key.a), body(row.key.b)],
        normal: row.normal,
        offset: row.offset + REST_GAP + KEEP * row.gap.min(0.0),
        stiffness: 0.0,
        lambda: 0.0,
        friction: row.friction,
        anchor: Vec3::ZERO,
        drag: Vec3::ZERO,
        limit: 0.0,
        slides: false,
        trial: true,
        between: Vec3::ZERO,
    };
    // The points of a touch lie opposite one another, along the normal: there the anchor begins.
    if let Some(kept) = memory {
        work.lambda = FADE * kept.lambda;
        work.anchor = -work.across(kept.stick);
        work.drag = work.across(kept.drag);
        work.limit = work.friction * work.lambda;
    }
    firm(&mut work, sub, state, mobility).then_some(work)
}

/// One Newton step of a rigid frame on inertia, coupling and rows: six unknowns. Shortened where it would raise the
/// potential.
fn descend_rigid(sub: &Substep, body: u32, r: RigidId, scratch: &mut Scratch) {
    let Scratch { pos, pose, target_pose, rigid_mobility, touching, .. } = scratch;
    let frame = Frame {
        rigid: r,
        body,
        mobility: rigid_mobility[r.at()],
        per_h2: 1.0 / (sub.h * sub.h),
        target: target_pose[r.at()],
        rows: touching,
    };
    if frame.mobility.inv_mass == 0.0 {
        return;
    }
    let from = pose[r.at()];
    let Some((shift, turn)) = frame.system(pos, pose).solve() else { return };
    let before = frame.potential(pos, pose);
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let turned = (from_rotation_vector(turn * share) * from.rot).normalize();
        pose[r.at()] = Pose { pos: from.pos + shift * share, rot: turned };
        // Beyond rounding: at the minimum it cannot fall any more.
        if frame.potential(pos, pose).0 <= before.0 + 1e-12 * before.1 {
            return;
        }
        share *= 0.5;
    }
    pose[r.at()] = from;
}

/// Everything a rigid frame looks at.
struct Frame<'a> {
    rigid: RigidId,
    body: u32,
    mobility: Mobility,
    /// 1/h² \[1/s²\]
    per_h2: Real,
    target: Pose,
    rows: &'a [Touching],
}

impl Frame<'_> {
    fn rows(&self) -> impl Iterator<Item = &Touching> {
        self.rows.iter().filter(|row| row.holds(self.body))
    }

    /// The way to the inertial target.
    fn way(&self, now: &Pose) -> (Vec3, Vec3) {
        (self.target.pos - now.pos, to_rotation_vector(self.target.rot * now.rot.conjugate()))
    }

    /// The potential, and the sum of the sizes of its terms \[J\].
    fn potential(&self, pos: &[Vec3], pose: &[Pose]) -> (Real, Real) {
        let now = &pose[self.rigid.at()];
        let (away, turn) = self.way(now);
        let turn = now.rot.conjugate() * turn;
        let spin = turn.dot(turn / self.mobility.inv_inertia);
        let inertia = 0.5 * self.per_h2 * (away.length_squared() / self.mobility.inv_mass + spin);
        self.rows()
            .map(|row| row.potential(row.between(pos, pose)))
            .fold((inertia, inertia), |sum, p| (sum.0 + p, sum.1 + p.abs()))
    }

    /// The Newton system.
    fn system(&self, pos: &[Vec3], pose: &[Pose]) -> Six {
        let now = &pose[self.rigid.at()];
        let linear = self.per_h2 / self.mobility.inv_mass;
        let mut six = Six::diagonal(linear);
        let (away, turn) = self.way(now);
        let axes = Mat3::from_quat(now.rot);
        let inertia = self.mobility.inv_inertia.recip() * self.per_h2;
        for k in 0..3 {
            six.add_outer(Vec3::ZERO, axes.col(k), inertia[k]);
        }
        six.add_rhs(away * linear, axes * (inertia * (axes.transpose() * turn)));
        for row in self.rows() {
            let answer = row.answer(row.between(pos, pose));
            for (side, sign) in row.sides.iter().zip([1.0, -1.0]) {
                if let Side::Rigid(frame, local) = *side
                    && frame == self.rigid
                {
                    let (arm, force) = (now.rot * local, answer.force * sign);
                    six.add_rhs(force, arm.cross(force));
                    six.add_block(arm, answer.matrix);
                }
            }
        }
        six
    }
}

/// Velocities are what the positions did.
fn velocities(sub: &Substep, state: &State, scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate() {
        match body.kind {
            BodyKind::Band(_) => {
                for v in body.vertex_range() {
                    scratch.vel[v] = (scratch.pos[v] - state.pos[v]) / sub.h;
                }
            }
            BodyKind::Rigid(r) if !state.frozen[b] => {
                let (pose, free) = (&scratch.pose[r.at()], &scratch.target_pose[r.at()]);
                let twist = &mut scratch.twist[r.at()];
                twist.vel += (pose.pos - free.pos) / sub.h;
                twist.omega += to_rotation_vector(pose.rot * free.rot.conjugate()) / sub.h;
            }
            _ => {}
        }
    }
}

/// Multipliers and anchors go to the state, impulses to the rows, and grips that cannot hold slip.
fn store(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { pos, pose, rows, touching, .. } = scratch;
    state.kept.clear();
    for work in touching.iter() {
        match work.source {
            Source::Row(i) => {
                let row = &mut rows[i as usize];
                (row.lambda, row.slip) = (work.lambda * sub.h, work.drag * sub.h);
                if work.lambda > 0.0 {
                    let (lambda, drag) = (work.lambda, work.drag);
                    let stick = if work.slides { Vec3::ZERO } else { work.carried(work.between) };
                    state.kept.push(Kept { key: row.key, lambda, stick, drag });
                }
            }
            Source::Grip(i) => {
                let grip = &mut state.grips[i as usize];
                grip.pull = work.drag;
                if work.drag.length() >= 0.999 * work.limit {
                    grip.slipped += work.between.length();
                    let tool = &sub.model.tools[grip.tool.at()];
                    grip.at = pose[tool.rigid.at()].local(work.sides[0].place(pos, pose));
                }
            }
        }
    }
    let before = state.grips.len();
    state.grips.retain(|g| g.slipped <= sub.model.tools[g.tool.at()].reach);
    report.slipped_out += (before - state.grips.len()) as u32;
    // Near pairs that did not push touched nothing.
    report.contacts = state.kept.len() as u32;
}
