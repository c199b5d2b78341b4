//! Flexible bodies among rows.
//!
//! What rows push is all that a body asks of its contacts: with q the push of each row, b the way between its points and
//! W = J G Jᵀ, b = b_free + W q, and the potential of the body is ½ q·W q. Newton's method on that and on the potentials of
//! the rows is a system of the directions in which rows resist, no larger however many vertices there are: the
//! capacitance of James and Pai (1999), with friction. It is exact for all touched vertices together; the others follow
//! when the sweeps are done.

use super::columns::{Columns, block};
use super::{FlexibleWork, shape};
use crate::algebra::Dense;
use crate::body::Substep;
use crate::model::{BodyKind, Compliance, FlexibleBody, NONE, Pose};
use crate::params::Response;
use crate::respond::augmented_lagrangian::{Axes, Touching};
use crate::row::Side;
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3};
use rayon::prelude::*;

/// Newton steps of a sweep: as many as rows begin and cease to push.
const ROUNDS: u32 = 6;
/// A step that raises the potential is halved at most so often, then given up.
const HALVINGS: u32 = 8;
/// Vertices that one job moves.
const JOB: usize = 512;
/// What is nearer to its free shape than this is there \[m\].
const NEAR: Real = 1e-9;
/// In this time a body goes all but 1/e of the way to where pushes take it \[s\]: a third of it in 10 ms.
///
/// Rows hold the points where they were found. A body without inertia that went all the way at once would turn its faces
/// under what presses it so far that the next rows are found elsewhere, and turn them back again: it would never rest. As
/// it is it creeps like a material with some viscosity, and where it comes to rest is the same.
const CREEP: Real = 25e-3;
/// Vertices of one body that a row can hold.
const HELD: usize = 6;

/// How much of the way to where pushes take it a body goes in a substep of `h`: the exact creep of a Kelvin material, so
/// that the clock of the simulation does not set its time.
pub(crate) fn pace(h: Real) -> Real {
    -libm::expm1(-h / CREEP)
}

/// What a substep knows of a body that is touched.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// See [`pace`].
    pace: Real,
    columns: Columns,
    /// Where each vertex goes while nothing touches it \[m\].
    free: Vec<Vec3>,
    /// How far contacts had moved each vertex before this substep, in the body's own axes \[m\]; empty where none had.
    carried: Vec<Vec3>,
    rows: Vec<Own>,
    /// Vertices that rows hold, counted from the first of the body, ascending.
    vertices: Vec<u32>,
    /// How rows act on one another through the body, in the world \[m/N\]: for each row that was felt, one block for every
    /// row.
    between: Vec<Mat3>,
    /// How rows that were felt act on `vertices`, in the same way.
    within: Vec<Mat3>,
    newton: Newton,
    /// Force on each of `vertices` in the body's own axes \[N\].
    forces: Vec<Vec3>,
    /// What the body holds beyond its free shape \[J\].
    pub energy: Real,
    /// The same when the substep began.
    held: Real,
}

/// A row as the body sees it.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// Which row at work.
    row: u32,
    /// Its place in `between` and `within`; [`NONE`] until it is felt.
    felt: u32,
    /// Its vertices, counted from the first of the body, and their weights.
    held: [(u32, Real); HELD],
    /// What it pushes with, on side A \[N\].
    push: Vec3,
    /// From B to A while nothing pushes the body \[m\].
    free: Vec3,
    /// By how much the pushes of all rows change that \[m\].
    moved: Vec3,
}

/// A direction in which a row resists.
#[derive(Clone, Copy, Debug)]
struct Way {
    own: u32,
    dir: Vec3,
    stiffness: Real,
}

/// Room for Newton's method.
#[derive(Clone, Debug, Default)]
struct Newton {
    axes: Vec<Axes>,
    ways: Vec<Way>,
    dense: Dense,
    right: Vec<Real>,
    /// Pushes that are to be, and how they move rows.
    push: Vec<Vec3>,
    moved: Vec<Vec3>,
}

impl Own {
    fn of(row: u32, work: &Touching, vertices: &std::ops::Range<usize>) -> Self {
        let mut held = [(NONE, 0.0); HELD];
        let mut count = 0;
        for (side, sign) in work.sides.iter().zip([1.0, -1.0]) {
            let mut hold = |v: usize, weight: Real| {
                if weight != 0.0 && vertices.contains(&v) {
                    held[count] = ((v - vertices.start) as u32, sign * weight);
                    count += 1;
                }
            };
            match *side {
                Side::Soft(ends, weights) => ends.iter().zip(weights).for_each(|(v, w)| hold(v.at(), w)),
                Side::Face(corners, weights) => {
                    corners.iter().zip(weights).for_each(|(v, w)| hold(v.at(), w))
                }
                Side::Rigid(..) => {}
            }
        }
        Self { row, felt: NONE, held, push: Vec3::ZERO, free: Vec3::ZERO, moved: Vec3::ZERO }
    }

    fn held(&self) -> impl Iterator<Item = (u32, Real)> {
        self.held.iter().copied().take_while(|(v, _)| *v != NONE)
    }
}

/// The flexible bodies that yield, with what is known of them.
fn each(
    sub: &Substep,
    state: &State,
    scratch: &mut Scratch,
    mut work: impl FnMut(&FlexibleBody, Mat3, &mut Touched, Among),
) {
    let Scratch { pos, pose, touching, links, flexibles, .. } = scratch;
    for (b, body) in sub.model.bodies.iter().enumerate() {
        let BodyKind::Flexible(flexible) = &body.kind else { continue };
        if state.frozen[b] || matches!(flexible.compliance, Compliance::None) {
            continue;
        }
        let rot = flexibles[b].frame.rot;
        let rows = links.rows_of(b);
        let among = Among { pos, pose, touching, rows, vertices: body.vertex_range() };
        work(flexible, rot, &mut flexibles[b].touched, among);
    }
}

/// Where everything is, and the rows of the body at hand.
struct Among<'a> {
    pos: &'a mut [Vec3],
    pose: &'a [Pose],
    touching: &'a [Touching],
    rows: &'a [u32],
    vertices: std::ops::Range<usize>,
}

/// Predict, before elements move: how far what touched a body had moved it from its free shape.
///
/// A body that is still pressed would spring back to its free shape and be pressed again in every step; what is near
/// would be looked for all along that way. Only the state is asked, so that a restored one goes on as it did.
pub(super) fn recall(
    sub: &Substep,
    (b, body): (usize, &FlexibleBody),
    state: &State,
    work: &mut FlexibleWork,
) {
    let yields =
        sub.params.response == Response::AugmentedLagrangian && !matches!(body.compliance, Compliance::None);
    let mut touched = std::mem::take(&mut work.touched);
    touched.pace = pace(sub.h);
    touched.carried.clear();
    if yields {
        touched.columns.look_ahead((b, body), sub.model, state, sub.h);
        let vertices = sub.model.bodies[b].vertex_range();
        touched.free.resize(vertices.len(), Vec3::ZERO);
        shape(body, work, &sub.model.rest[vertices.clone()], &mut touched.free);
        let back = work.frame.rot.transpose();
        let moved = state.pos[vertices].iter().zip(&touched.free).map(|(x, free)| back * (*x - *free));
        touched.carried.extend(moved);
        if touched.carried.iter().all(|moved| moved.length_squared() < NEAR * NEAR) {
            touched.carried.clear();
        }
    }
    touched.held = if touched.carried.is_empty() { 0.0 } else { touched.energy };
    // Left alone, it keeps a share of its way.
    touched.energy = (1.0 - touched.pace).powi(2) * touched.held;
    work.touched = touched;
}

/// Predict, when its free shape is known: it starts as far from it as it was, and left alone goes a share of the way back.
pub(super) fn carry(work: &mut FlexibleWork, pos: &mut [Vec3]) {
    let Touched { free, carried, pace, .. } = &mut work.touched;
    free.clear();
    free.extend_from_slice(pos);
    for ((x, free), moved) in pos.iter_mut().zip(free).zip(carried) {
        let moved = work.frame.rot * *moved;
        *x += moved;
        *free += moved * (1.0 - *pace);
    }
}

/// Begins a substep: bodies go where the rows of the last one push them.
pub(crate) fn start(sub: &Substep, state: &State, scratch: &mut Scratch) {
    each(sub, state, scratch, |body, rot, touched, mut among| {
        touched.begin(&among);
        let pushing = |own: &&Own| among.touching[own.row as usize].pushes() != Vec3::ZERO;
        let Touched { columns, rows, .. } = touched;
        columns.prepare(body, rows.iter().filter(pushing).flat_map(|own| own.held().map(|(v, _)| v)));
        for i in 0..touched.rows.len() {
            let push = among.touching[touched.rows[i].row as usize].pushes();
            if push != Vec3::ZERO {
                touched.feel(body, rot, i);
                touched.rows[i].push = push;
            }
        }
        touched.place(&mut among);
    });
}

/// One body goes to the least of its potential and that of its rows, all others where they are.
pub(crate) fn descend(sub: &Substep, b: usize, body: &FlexibleBody, state: &State, scratch: &mut Scratch) {
    let Scratch { pos, pose, touching, links, flexibles, .. } = scratch;
    let rows = links.rows_of(b);
    if state.frozen[b] || rows.is_empty() || matches!(body.compliance, Compliance::None) {
        return;
    }
    let rot = flexibles[b].frame.rot;
    let mut among = Among { pos, pose, touching, rows, vertices: sub.model.bodies[b].vertex_range() };
    let touched = &mut flexibles[b].touched;
    touched.look(&among);
    for _ in 0..ROUNDS {
        if !touched.step(body, rot, among.touching) {
            break;
        }
    }
    touched.place(&mut among);
}

/// Ends the sweeps: all vertices of touched bodies follow. O(vertices · pushed vertices).
pub(crate) fn spread(sub: &Substep, state: &State, scratch: &mut Scratch) {
    each(sub, state, scratch, |body, rot, touched, among| {
        touched.gather(rot);
        touched.energy = touched.holds();
        let Touched { columns, free, vertices, forces, pace, .. } = &*touched;
        let pushed = || vertices.iter().zip(forces).filter(|(_, force)| **force != Vec3::ZERO);
        let own = &mut among.pos[among.vertices.clone()];
        if pushed().next().is_none() {
            return own.copy_from_slice(free);
        }
        own.par_chunks_mut(JOB).zip(free.par_chunks(JOB)).enumerate().for_each(|(job, (pos, free))| {
            let first = (job * JOB) as u32;
            pos.fill(Vec3::ZERO);
            for (v, force) in pushed() {
                let columns = columns.of(body, *v);
                let force = *force * *pace;
                pos.iter_mut().zip(first..).for_each(|(pos, v)| *pos += block(&columns, v) * force);
            }
            pos.iter_mut().zip(free).for_each(|(pos, free)| *pos = *free + rot * *pos);
        });
    });
}

impl Touched {
    /// What the body holds when the substep ends. It creeps: of the way u that it was from its free shape it keeps (1 − p) u,
    /// and pushes f add p G f, so that of ½ u·G⁻¹u there is then
    ///
    /// ```text
    /// (1 − p)² ½ u·G⁻¹u + p (1 − p) u·f + ½ p² f·G f
    /// ```
    ///
    /// and what pushes do is never less than what is gained. (Half of f·G f alone is what it would hold when it had yielded for
    /// long: a blow of a millisecond would give it many times the energy of what strikes.)
    fn holds(&self) -> Real {
        let kept = 1.0 - self.pace;
        let carried = |v: u32| self.carried.get(v as usize).copied().unwrap_or(Vec3::ZERO);
        let along: Real = self.forces().map(|(v, force)| carried(v).dot(force)).sum();
        let added: Real = self.rows.iter().map(|own| own.push.dot(own.moved)).sum();
        kept * kept * self.held + self.pace * (kept * along + 0.5 * added)
    }

    /// Vertices that are pushed, counted from the first of the body, and the force on each in the body's own axes \[N\].
    pub fn forces(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.vertices.iter().copied().zip(self.forces.iter().copied())
    }

    /// See [`Columns::late`].
    pub fn late(&self) -> u32 {
        self.columns.late()
    }

    /// How far a vertex would go back towards its free shape in this substep, if nothing pushed any more \[m\].
    pub(crate) fn springs_back(&self, vertex: usize) -> Option<Real> {
        self.carried.get(vertex).map(|moved| self.pace * moved.length())
    }

    /// Lists the rows of a body and the vertices that they hold.
    fn begin(&mut self, among: &Among) {
        self.columns.make_room();
        self.rows.clear();
        self.rows
            .extend(among.rows.iter().map(|r| Own::of(*r, &among.touching[*r as usize], &among.vertices)));
        self.vertices.clear();
        self.vertices.extend(self.rows.iter().flat_map(|own| own.held().map(|(v, _)| v)));
        self.vertices.sort_unstable();
        self.vertices.dedup();
        self.between.clear();
        self.within.clear();
    }

    /// Finds how a row acts on all rows and vertices, once a substep. O(vertices + rows).
    fn feel(&mut self, body: &FlexibleBody, rot: Mat3, i: usize) {
        if self.rows[i].felt != NONE {
            return;
        }
        self.rows[i].felt = (self.between.len() / self.rows.len()) as u32;
        let start = self.within.len();
        self.within.resize(start + self.vertices.len(), Mat3::ZERO);
        for (v, weight) in self.rows[i].held() {
            let columns = self.columns.of(body, v);
            for (to, vertex) in self.within[start..].iter_mut().zip(&self.vertices) {
                *to += block(&columns, *vertex) * (weight * self.pace);
            }
        }
        let back = rot.transpose();
        self.within[start..].iter_mut().for_each(|m| *m = rot * *m * back);
        for own in &self.rows {
            let mut sum = Mat3::ZERO;
            for (v, weight) in own.held() {
                let at = self.vertices.binary_search(&v).unwrap_or(0);
                sum += self.within[start + at] * weight;
            }
            self.between.push(sum);
        }
    }

    /// How the push of one row moves another.
    #[inline]
    fn block(&self, moved: usize, by: u32) -> &Mat3 {
        &self.between[by as usize * self.rows.len() + moved]
    }

    /// Where the other sides of the rows have gone.
    fn look(&mut self, among: &Among) {
        let first = among.vertices.start;
        for own in &mut self.rows {
            let mut free = among.touching[own.row as usize].between(among.pos, among.pose);
            for (v, weight) in own.held() {
                free += (self.free[v as usize] - among.pos[first + v as usize]) * weight;
            }
            own.free = free;
        }
        self.newton.push.clear();
        self.newton.push.extend(self.rows.iter().map(|own| own.push));
        self.reach();
        self.rows.iter_mut().zip(&self.newton.moved).for_each(|(own, moved)| own.moved = *moved);
    }

    /// How the pushes of `newton` move all rows.
    fn reach(&mut self) {
        let Self { rows, between, newton: Newton { push, moved, .. }, .. } = self;
        moved.clear();
        moved.resize(rows.len(), Vec3::ZERO);
        for (own, push) in
            rows.iter().zip(&*push).filter(|(own, push)| own.felt != NONE && **push != Vec3::ZERO)
        {
            let blocks = &between[own.felt as usize * rows.len()..][..rows.len()];
            moved.iter_mut().zip(blocks).for_each(|(moved, block)| *moved += *block * *push);
        }
    }

    /// One Newton step, shortened where it would raise the potential. True where rows resist otherwise behind it.
    fn step(&mut self, body: &FlexibleBody, rot: Mat3, touching: &[Touching]) -> bool {
        self.resist(touching);
        let resists = |axes: &Axes| axes.force != Vec3::ZERO || axes.stiffness != [0.0; 3];
        // All at once: the factor is read once for several.
        let Self { columns, rows, newton, .. } = self;
        let felt = rows.iter().zip(&newton.axes).filter(|(own, axes)| own.felt == NONE && resists(axes));
        columns.prepare(body, felt.flat_map(|(own, _)| own.held().map(|(v, _)| v)));
        for i in 0..self.rows.len() {
            if resists(&self.newton.axes[i]) {
                self.feel(body, rot, i);
            }
        }
        if !self.solve() {
            return false;
        }
        self.reach();
        let (mut share, start) = (1.0, self.potential(touching, 0.0));
        for _ in 0..HALVINGS {
            if self.potential(touching, share).0 <= start.0 + 1e-13 * start.1 {
                let Self { rows, newton: Newton { push, moved, .. }, .. } = self;
                for ((own, push), moved) in rows.iter_mut().zip(&*push).zip(&*moved) {
                    own.push += (*push - own.push) * share;
                    own.moved += (*moved - own.moved) * share;
                }
                return share < 1.0 || self.has_changed(touching);
            }
            share *= 0.5;
        }
        false
    }

    /// How all rows resist where they are.
    fn resist(&mut self, touching: &[Touching]) {
        let Self { rows, newton: Newton { axes, ways, .. }, .. } = self;
        axes.clear();
        axes.extend(rows.iter().map(|own| touching[own.row as usize].axes(own.free + own.moved)));
        ways.clear();
        for (own, axes) in axes.iter().enumerate() {
            let firm = axes.dirs.iter().zip(axes.stiffness).filter(|(_, k)| *k > 0.0);
            ways.extend(firm.map(|(dir, stiffness)| Way { own: own as u32, dir: *dir, stiffness }));
        }
    }

    /// Whether some row resists in other directions than the last step was made for.
    fn has_changed(&self, touching: &[Touching]) -> bool {
        self.rows.iter().zip(&self.newton.axes).any(|(own, before)| {
            let now = touching[own.row as usize].axes(own.free + own.moved);
            (0..3).any(|k| (now.stiffness[k] > 0.0) != (before.stiffness[k] > 0.0))
        })
    }

    /// The pushes that solve q/k + W q = F/k + W q₀ in the directions that resist, all others as they are; false where they
    /// cannot be found.
    fn solve(&mut self) -> bool {
        let mut newton = std::mem::take(&mut self.newton);
        let Newton { axes, ways, dense, right, push, moved } = &mut newton;
        // What no direction resists pushes as it does: its effect is known.
        push.clear();
        push.extend(axes.iter().map(|axes| {
            let firm = axes.dirs.iter().zip(axes.stiffness).filter(|(_, k)| *k > 0.0);
            axes.force - firm.map(|(dir, _)| *dir * dir.dot(axes.force)).sum::<Vec3>()
        }));
        std::mem::swap(&mut self.newton.push, push);
        std::mem::swap(&mut self.newton.moved, moved);
        self.reach();
        std::mem::swap(&mut self.newton.push, push);
        std::mem::swap(&mut self.newton.moved, moved);
        right.clear();
        right.extend(ways.iter().map(|way| {
            let i = way.own as usize;
            way.dir.dot(axes[i].force) / way.stiffness + way.dir.dot(self.rows[i].moved - moved[i])
        }));
        let entry = |i: usize, j: usize| {
            let (a, b) = (&ways[i], &ways[j]);
            let own = if i == j { 1.0 / a.stiffness } else { 0.0 };
            own + a.dir.dot(*self.block(a.own as usize, self.rows[b.own as usize].felt) * b.dir)
        };
        let found = dense.factor(ways.len(), entry).is_ok();
        if found {
            dense.solve(right);
            ways.iter().zip(&*right).for_each(|(way, q)| push[way.own as usize] += way.dir * *q);
        }
        self.newton = newton;
        found
    }

    /// The potential a share of the way to the pushes of `newton`, and the sum of the sizes of its terms \[J\].
    fn potential(&self, touching: &[Touching], share: Real) -> (Real, Real) {
        let Newton { push, moved, .. } = &self.newton;
        let mut sum = (0.0, 0.0);
        for ((own, push), moved) in self.rows.iter().zip(push).zip(moved) {
            let push = own.push + (*push - own.push) * share;
            let moved = own.moved + (*moved - own.moved) * share;
            for part in [0.5 * push.dot(moved), touching[own.row as usize].potential(own.free + moved)] {
                sum = (sum.0 + part, sum.1 + part.abs());
            }
        }
        sum
    }

    /// Puts the vertices that rows hold where the pushes take them.
    fn place(&self, among: &mut Among) {
        let first = among.vertices.start;
        for v in &self.vertices {
            among.pos[first + *v as usize] = self.free[*v as usize];
        }
        for own in self.rows.iter().filter(|own| own.felt != NONE && own.push != Vec3::ZERO) {
            let blocks = &self.within[own.felt as usize * self.vertices.len()..][..self.vertices.len()];
            for (v, block) in self.vertices.iter().zip(blocks) {
                among.pos[first + *v as usize] += *block * own.push;
            }
        }
    }

    /// Forces on vertices in the body's own axes.
    fn gather(&mut self, rot: Mat3) {
        self.forces.clear();
        self.forces.resize(self.vertices.len(), Vec3::ZERO);
        let back = rot.transpose();
        for own in self.rows.iter().filter(|own| own.push != Vec3::ZERO) {
            for (v, weight) in own.held() {
                let at = self.vertices.binary_search(&v).unwrap_or(0);
                self.forces[at] += back * own.push * weight;
            }
        }
    }
}
