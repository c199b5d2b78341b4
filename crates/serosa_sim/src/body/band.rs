//! Tubes, and tubes with their membrane, solved as one band by Newton's method.
//!
//! A substep looks for the positions x that make the incremental potential least,
//!
//! Φ(x) = Σ m/(2h²) |x − y|² + elastic energy + viscous potential + potentials of the rows,
//!
//! where y is where the vertices would be without forces. Ordered column by column the matrix of a strip is a
//! band, and a Newton step costs one band Cholesky factorisation. Every element's matrix is made positive
//! semidefinite, and a step that would raise Φ is halved, so each step descends.
//!
//! Viscosity: a spring of stiffness k and length l resists with τ k l̇. Taken implicitly that is a spring of
//! stiffness k (1 + τ/h) whose rest length lies between l₀ and the length at the start of the step, so damping
//! costs nothing and acts along the spring alone: momenta are kept. The curvature of tubes is damped alike.

mod forces;
mod together;

pub use forces::{damping, energy, forces};

pub(crate) use together::{add_pairs, linearise, multiply};

use super::Substep;
use super::curve::{Curve, Lever, outer};
use super::springs::constants;
use crate::algebra::band::{add_scaled, add_three, dot, scale_and_add, three};
use crate::algebra::small::along_and_across;
use crate::algebra::{BandMatrix, widest};
use crate::model::{BandBody, Bend, FIXED, Model, Pose, Rod, Spring};
use crate::params::{BodyParams, Response};
use crate::respond::augmented_lagrangian::Touching;
use crate::row::Side;
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3, VertexId};
use std::ops::Range;

/// By how much the diagonal of a matrix is strengthened, one after another, where rounding has made it indefinite.
pub(crate) const STRENGTHS: [Real; 3] = [0.0, 1e-10, 1e-6];
/// A step that raises Φ is halved at most so often, then given up.
const HALVINGS: u32 = 8;
/// The most conjugate gradients of a Newton step.
const GRADIENTS: u32 = 10;
/// They end when the squared error, as the preconditioner measures it, has fallen to this share.
const CLOSE: Real = 1e-3;
/// The most Newton steps of a free motion; a response that descends with the body has its own count.
const FREE_STEPS: u32 = 4;

/// Working arrays of one band.
#[derive(Clone, Debug, Default)]
pub struct BandWork {
    matrix: BandMatrix,
    /// Minus the gradient, then the residual of the Newton system.
    residual: Vec<Real>,
    /// The Newton step.
    step: Vec<Real>,
    /// Working vectors of the conjugate gradients.
    krylov: [Vec<Real>; 3],
    /// The contacts of the body with itself. Made by assembly.
    own: Vec<Own>,
    /// Positions before a step, one per vertex of the body.
    from: Vec<Vec3>,
    springs: Vec<Taut>,
    rods: Vec<Taut>,
    /// Elastic energy and viscous potential at the start of the substep \[J\].
    elastic: Real,
    /// Whether the next Newton step is the first of the substep.
    fresh: bool,
}

/// A contact of a band with itself.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// What it holds; without weight where that is no unknown.
    nodes: [u32; 4],
    weights: [Real; 4],
    matrix: Mat3,
}

/// A quadratic in a length or a curvature: energy = ½ stiffness (value − rest)².
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taut {
    pub(super) stiffness: Real,
    pub(super) rest: Real,
}

impl Taut {
    /// Elastic and viscous resistance together, for a step of `h` that begins at `now`.
    fn viscous(stiffness: Real, rest: Real, now: Real, viscous: Real) -> Self {
        Self { stiffness: stiffness * (1.0 + viscous), rest: (rest + viscous * now) / (1.0 + viscous) }
    }

    pub(super) fn energy(&self, value: Real) -> Real {
        0.5 * self.stiffness * (value - self.rest) * (value - self.rest)
    }
}

/// Everything a Newton step looks at.
struct Band<'a> {
    model: &'a Model,
    body: &'a BandBody,
    material: &'a BodyParams,
    vertices: Range<usize>,
    h: Real,
    /// Which body this is.
    index: u32,
    target: &'a [Vec3],
    pose: &'a [Pose],
    rows: &'a [Touching],
}

/// Predict: the inertial target. Where the response corrects a free motion afterwards, the whole motion.
pub(super) fn predict(sub: &Substep, b: usize, body: &BandBody, state: &State, scratch: &mut Scratch) {
    let vertices = sub.model.bodies[b].vertex_range();
    let fall = sub.params.fall() * sub.h;
    for v in vertices.clone() {
        let free = scratch.inv_mass[v] > 0.0;
        scratch.vel[v] = if free { state.vel[v] + fall } else { Vec3::ZERO };
        scratch.target[v] = state.pos[v] + scratch.vel[v] * sub.h;
        scratch.pos[v] = scratch.target[v];
    }
    if state.frozen[b] {
        return;
    }
    prepare(sub, b, body, state, &mut scratch.bands[b]);
    if sub.params.response != Response::AugmentedLagrangian {
        for _ in 0..sub.sweeps.min(FREE_STEPS) {
            descend(sub, b, body, state, scratch);
        }
        for v in vertices {
            scratch.vel[v] = (scratch.pos[v] - state.pos[v]) / sub.h;
        }
    }
}

/// What stays the same in a substep.
fn prepare(sub: &Substep, b: usize, body: &BandBody, state: &State, work: &mut BandWork) {
    let (model, material) = (sub.model, &sub.params.bodies[b]);
    let viscous = material.relaxation / sub.h;
    let BandWork { springs, rods, elastic, .. } = work;
    let bend = |b: &Bend| 0.5 * material.bending * b.share * curvature(b, &state.pos).length_squared();
    *elastic = model.bends[at(&body.bends)].iter().map(bend).sum();
    springs.clear();
    springs.extend(model.springs[at(&body.springs)].iter().map(|s| {
        let length = (state.pos[s.ends[1].at()] - state.pos[s.ends[0].at()]).length();
        let taut = Taut::viscous(constants(s, material).0, s.rest_m, length, viscous);
        *elastic += taut.energy(length);
        taut
    }));
    rods.clear();
    rods.extend(model.rods[at(&body.rods)].iter().map(|rod| {
        let now = Curve::of(rod, &state.pos).kb.length();
        let taut = Taut::viscous(material.tube_bending / rod.length, 0.0, now, viscous);
        *elastic += taut.energy(now);
        taut
    }));
    work.fresh = true;
}

/// One Newton step of a band on Φ with all else standing still. Cost: one assembly over its elements, one
/// factorisation of unknowns × half-band², and one or more evaluations of Φ.
pub(crate) fn descend(sub: &Substep, b: usize, body: &BandBody, state: &State, scratch: &mut Scratch) {
    if state.frozen[b] || scratch.lost[b] {
        return;
    }
    let Scratch { pos, pose, target, bands, touching, lost, .. } = scratch;
    let band = Band {
        model: sub.model,
        body,
        material: &sub.params.bodies[b],
        vertices: sub.model.bodies[b].vertex_range(),
        h: sub.h,
        index: b as u32,
        target,
        pose,
        rows: touching,
    };
    let work = &mut bands[b];
    if !newton(&band, work, &state.pos, pos) {
        // It stays where it was, so that the filter certifies what the guard will leave.
        lost[b] = true;
        pos[band.vertices.clone()].copy_from_slice(&state.pos[band.vertices.clone()]);
    }
}

/// The kernel for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Band, BandWork, Vec3};

    #[target_feature(enable = "avx2")]
    pub(super) fn descend_from(band: &Band, work: &mut BandWork, old: &[Vec3], pos: &mut [Vec3]) -> bool {
        super::descend_from(band, work, old, pos)
    }
}

fn newton(band: &Band, work: &mut BandWork, old: &[Vec3], pos: &mut [Vec3]) -> bool {
    widest!(descend_from(band, work, old, pos))
}

/// A Newton step; false where it could not be computed.
#[inline(always)]
fn descend_from(band: &Band, work: &mut BandWork, old: &[Vec3], pos: &mut [Vec3]) -> bool {
    if work.fresh {
        work.fresh = false;
        band.start(work, old, pos);
    }
    let Some(before) = band.factor(work, pos) else { return false };
    band.solve(work);
    if work.step.iter().any(|x| !x.is_finite()) {
        return false;
    }
    work.from.clear();
    work.from.extend_from_slice(&pos[band.vertices.clone()]);
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        band.advance(work, share, pos);
        // Beyond rounding: at the minimum Φ cannot fall any more.
        if band.potential(work, pos) <= before.0 + 1e-12 * before.1 {
            return true;
        }
        share *= 0.5;
    }
    pos[band.vertices.clone()].copy_from_slice(&work.from);
    true
}

impl Band<'_> {
    /// Begins at the inertial target, or at the old positions where Φ without rows is less there. A body that
    /// nothing holds is moved on with its centre of mass: that lowers Φ further, and a Newton step then keeps the
    /// momentum however much it is shortened.
    #[inline(always)]
    fn start(&self, work: &BandWork, old: &[Vec3], pos: &mut [Vec3]) {
        // At the target there is no inertia to pay.
        let (there, here) = (self.elastic(work, pos), work.elastic + self.inertial(old));
        if there.is_nan() || there > here {
            let shift =
                if self.body.unknowns as usize == self.vertices.len() { self.drift(old) } else { Vec3::ZERO };
            self.vertices.clone().for_each(|v| pos[v] = old[v] + shift);
        }
    }

    /// How far the centre of mass goes from the old positions to the inertial target \[m\].
    fn drift(&self, old: &[Vec3]) -> Vec3 {
        let mass: Real = self.model.mass[self.vertices.clone()].iter().sum();
        let way: Vec3 = self.vertices.clone().map(|v| (self.target[v] - old[v]) * self.model.mass[v]).sum();
        way / mass
    }

    /// Assembles and factors; returns what [`Self::assemble`] does. A tube folded nearly flat has entries so large that
    /// rounding hides the inertia of its vertices; then they are given a little more.
    #[inline(always)]
    fn factor(&self, work: &mut BandWork, pos: &[Vec3]) -> Option<(Real, Real)> {
        // Loops, here and below: what an iterator calls is not compiled for the widest units.
        for share in STRENGTHS {
            let before = self.assemble(work, pos);
            work.matrix.strengthen(share);
            if work.matrix.factor() {
                return Some(before);
            }
        }
        None
    }

    #[inline(always)]
    fn advance(&self, work: &BandWork, share: Real, pos: &mut [Vec3]) {
        for v in self.vertices.clone() {
            let u = self.model.unknown[v];
            if u != FIXED {
                pos[v] = work.from[v - self.vertices.start] + three(&work.step, u) * share;
            }
        }
    }

    fn springs(&self) -> &[Spring] {
        &self.model.springs[at(&self.body.springs)]
    }

    fn bends(&self) -> &[Bend] {
        &self.model.bends[at(&self.body.bends)]
    }

    fn rods(&self) -> &[Rod] {
        &self.model.rods[at(&self.body.rods)]
    }

    /// Φ at some positions \[J\].
    #[inline(always)]
    fn potential(&self, work: &BandWork, pos: &[Vec3]) -> Real {
        let mut sum = self.inertial(pos) + self.elastic(work, pos);
        for row in self.rows.iter().filter(|row| row.holds(self.index)) {
            sum += row.potential(row.between(pos, self.pose));
        }
        sum
    }

    /// What inertia adds to Φ \[J\].
    #[inline(always)]
    fn inertial(&self, pos: &[Vec3]) -> Real {
        let mut sum = 0.0;
        for v in self.vertices.clone().filter(|&v| self.model.unknown[v] != FIXED) {
            sum += self.inertia(v) * (pos[v] - self.target[v]).length_squared();
        }
        0.5 * sum
    }

    /// Elastic energy and viscous potential \[J\].
    #[inline(always)]
    fn elastic(&self, work: &BandWork, pos: &[Vec3]) -> Real {
        let mut sum = 0.0;
        for (spring, taut) in self.springs().iter().zip(&work.springs) {
            sum += taut.energy((pos[spring.ends[1].at()] - pos[spring.ends[0].at()]).length());
        }
        for bend in self.bends() {
            sum += 0.5 * self.material.bending * bend.share * curvature(bend, pos).length_squared();
        }
        for (rod, taut) in self.rods().iter().zip(&work.rods) {
            sum += taut.energy(Curve::of(rod, pos).kb.length());
        }
        sum
    }

    fn inertia(&self, v: usize) -> Real {
        self.model.mass[v] / (self.h * self.h)
    }

    /// Matrix and minus the gradient at some positions. Returns Φ there, and the sum of the sizes of its terms.
    #[inline(always)]
    fn assemble(&self, work: &mut BandWork, pos: &[Vec3]) -> (Real, Real) {
        let BandWork { matrix, residual: step, springs, rods, own, .. } = work;
        matrix.clear(self.body.unknowns as usize, self.body.half_band as usize);
        step.clear();
        step.resize(3 * self.body.unknowns as usize, 0.0);
        own.clear();
        let mut sum = 0.0;
        for v in self.vertices.clone() {
            let (u, k) = (self.model.unknown[v], self.inertia(v));
            if u != FIXED {
                let away = self.target[v] - pos[v];
                matrix.add_scalar(u, u, k);
                add_three(step, u, away * k);
                sum += 0.5 * k * away.length_squared();
            }
        }
        let mut frame = Frame { unknown: &self.model.unknown, matrix, step };
        for (spring, taut) in self.springs().iter().zip(springs.iter()) {
            sum += frame.add_spring(spring, taut, pos);
        }
        for bend in self.bends() {
            sum += frame.add_bend(bend, self.material.bending, pos);
        }
        for (rod, taut) in self.rods().iter().zip(rods.iter()) {
            sum += frame.add_rod(rod, taut, pos);
        }
        let mut size = sum;
        for row in self.rows.iter().filter(|row| row.holds(self.index)) {
            let answer = row.answer(row.between(pos, self.pose));
            sum += answer.potential;
            size += answer.potential.abs();
            if row.bodies == [self.index; 2] {
                own.extend(frame.add_own(row.sides, answer.force, answer.matrix));
                continue;
            }
            for ((side, sign), body) in row.sides.iter().zip([1.0, -1.0]).zip(row.bodies) {
                if let (Side::Soft(vertices, weights), true) = (*side, body == self.index) {
                    frame.add_side((vertices, weights), answer.force * sign, answer.matrix);
                }
            }
        }
        (sum, size)
    }

    /// The Newton step, from the factor and the residual.
    ///
    /// The factor P treats the two sides of a contact of the body with itself as if each stood alone. The true matrix
    /// is A = P + E, where E couples them; a few conjugate gradients with P as preconditioner bring it in, so that
    /// folds that lie on one another move together. A p is had for nothing: P p follows the same recurrence as p.
    /// Cost: one band solve and one pass over the contacts each.
    #[inline(always)]
    fn solve(&self, work: &mut BandWork) {
        let BandWork { matrix, residual, step, krylov: [z, p, pp], own, .. } = work;
        step.clear();
        step.extend_from_slice(residual);
        matrix.solve(step);
        if own.is_empty() {
            return;
        }
        // Begin with P⁻¹ r, the step without the coupling, as the first direction.
        let mut rho = dot(residual, step);
        let enough = rho * CLOSE;
        p.clone_from(step);
        pp.clone_from(residual);
        step.fill(0.0);
        for _ in 0..GRADIENTS {
            // z holds A p for a moment.
            z.clone_from(pp);
            let (directions, pulls) = (p.as_chunks().0, z.as_chunks_mut().0);
            for contact in own.iter() {
                contact.couple(directions, pulls);
            }
            let alpha = rho / dot(p, z);
            if !alpha.is_finite() {
                break;
            }
            add_scaled(step, p, alpha);
            for (r, z) in residual.iter_mut().zip(z.iter_mut()) {
                *r -= alpha * *z;
                *z = *r;
            }
            matrix.solve(z);
            let next = dot(residual, z);
            if next <= enough || next.is_nan() {
                add_scaled(step, z, 1.0);
                break;
            }
            let beta = next / rho;
            rho = next;
            scale_and_add(p, beta, z);
            scale_and_add(pp, beta, residual);
        }
    }
}

impl Own {
    /// Adds E p of one contact: the pull of what both sides do together.
    #[inline(always)]
    fn couple(&self, p: &[[Real; 3]], out: &mut [[Real; 3]]) {
        let mut sum = Vec3::ZERO;
        for k in 0..4 {
            sum += Vec3::from(p[self.nodes[k] as usize]) * self.weights[k];
        }
        let pull = self.matrix * -sum;
        for k in 0..4 {
            let out = &mut out[self.nodes[k] as usize];
            *out = (Vec3::from(*out) + pull * self.weights[k]).into();
        }
    }
}

/// A matrix and a right-hand side under assembly.
struct Frame<'a> {
    unknown: &'a [u32],
    matrix: &'a mut BandMatrix,
    step: &'a mut [Real],
}

impl Frame<'_> {
    #[inline]
    fn force(&mut self, u: u32, force: Vec3) {
        if u != FIXED {
            add_three(self.step, u, force);
        }
    }

    /// The blocks of a two-node element whose matrix is [H −H; −H H].
    #[inline]
    fn pair(&mut self, a: u32, b: u32, block: Mat3) {
        match (a != FIXED, b != FIXED) {
            (true, true) => self.matrix.add_pair(a, b, block),
            (true, false) => self.matrix.add_diagonal(a, block),
            (false, true) => self.matrix.add_diagonal(b, block),
            (false, false) => {}
        }
    }

    /// A spring: k [n nᵀ + max(0, 1 − rest/l) (I − n nᵀ)].
    #[inline(always)]
    fn add_spring(&mut self, spring: &Spring, taut: &Taut, pos: &[Vec3]) -> Real {
        let [a, b] = spring.ends.map(|v| self.unknown[v.at()]);
        let along = pos[spring.ends[1].at()] - pos[spring.ends[0].at()];
        let length = along.length();
        if length > 0.0 {
            let n = along / length;
            let pull = n * (taut.stiffness * (length - taut.rest));
            self.force(a, pull);
            self.force(b, -pull);
            let side = taut.stiffness * (1.0 - taut.rest / length).max(0.0);
            self.pair(a, b, along_and_across(n, taut.stiffness, side));
        }
        taut.energy(length)
    }

    #[inline(always)]
    fn add_bend(&mut self, bend: &Bend, bending: Real, pos: &[Vec3]) -> Real {
        let k = bending * bend.share;
        let curved = curvature(bend, pos);
        let u = bend.nodes.map(|v| self.unknown[v.at()]);
        for i in 0..3 {
            self.force(u[i], curved * (-k * bend.weights[i]));
            for j in 0..=i {
                if u[i] != FIXED && u[j] != FIXED {
                    self.matrix.add_scalar(u[i], u[j], k * bend.weights[i] * bend.weights[j]);
                }
            }
        }
        0.5 * k * curved.length_squared()
    }

    /// A tube's curvature, Gauss–Newton: Gᵀ S G with G the derivative of κ and S its stiffness, along κ and across it.
    #[inline(always)]
    fn add_rod(&mut self, rod: &Rod, taut: &Taut, pos: &[Vec3]) -> Real {
        let curve = Curve::of(rod, pos);
        let size = curve.kb.length();
        // Along κ there is `along` · κ κᵀ more than across it.
        let (moment, across, along) = if size > 0.0 {
            let moment = taut.stiffness * (1.0 - taut.rest / size);
            let across = moment.max(0.0);
            (moment, across, (taut.stiffness - across) / (size * size))
        } else {
            (0.0, taut.stiffness, 0.0)
        };
        // κ depends on e and f alone: the blocks of the three vertices are sums of those of e and f.
        let [by_e, by_f] = curve.levers();
        let (force_e, force_f) = (by_e.turn * moment, by_f.turn * moment);
        let u = rod.nodes.map(|v| self.unknown[v.at()]);
        self.force(u[0], force_e);
        self.force(u[1], force_f - force_e);
        self.force(u[2], -force_f);
        let block = |x: &Lever, y: &Lever| {
            let block = x.with(y) * across;
            if along > 0.0 { block + outer(x.turn * along, y.turn) } else { block }
        };
        let (ee, fe, ff) = (block(&by_e, &by_e), block(&by_f, &by_e), block(&by_f, &by_f));
        let diagonal = [ee, ee - fe.transpose() - fe + ff, ff];
        for (u, block) in u.iter().zip(diagonal).filter(|(u, _)| **u != FIXED) {
            self.matrix.add_diagonal(*u, block);
        }
        for (i, j, block) in [(1, 0, fe - ee), (2, 1, fe - ff), (2, 0, fe * -1.0)] {
            if u[i] != FIXED && u[j] != FIXED {
                self.matrix.add_block(u[i], u[j], block);
            }
        }
        taut.energy(size)
    }

    /// A contact of the body with itself. Its two sides lie far apart in the order; JᵀJ ≤ 2 (J_AᵀJ_A + J_BᵀJ_B) lets each
    /// stand alone and keeps the band. What that leaves out is returned, where there is any.
    #[inline(always)]
    fn add_own(&mut self, sides: [Side; 2], force: Vec3, matrix: Mat3) -> Option<Own> {
        let ([Side::Soft(v, s), Side::Soft(w, t)], true) = (sides, matrix != Mat3::ZERO) else { return None };
        self.add_side((v, s), force, matrix * 2.0);
        self.add_side((w, t), -force, matrix * 2.0);
        let nodes = [v[0], v[1], w[0], w[1]].map(|v| self.unknown[v.at()]);
        let weights = [s[0], s[1], t[0], t[1]];
        let known = |k: usize| nodes[k] == FIXED;
        Some(Own {
            nodes: core::array::from_fn(|k| if known(k) { 0 } else { nodes[k] }),
            weights: core::array::from_fn(|k| if known(k) { 0.0 } else { weights[k] }),
            matrix,
        })
    }

    /// One side of a row: its force, and its matrix.
    #[inline(always)]
    fn add_side(&mut self, (vertices, w): ([VertexId; 2], [Real; 2]), force: Vec3, block: Mat3) {
        let u = vertices.map(|v| self.unknown[v.at()]);
        for i in 0..2 {
            if u[i] == FIXED || w[i] == 0.0 {
                continue;
            }
            add_three(self.step, u[i], force * w[i]);
            self.matrix.add_diagonal(u[i], block * (w[i] * w[i]));
        }
        if u[0] != FIXED && u[1] != FIXED && w[0] != 0.0 && w[1] != 0.0 {
            self.matrix.add_block(u[0], u[1], block * (w[0] * w[1]));
        }
    }
}

fn curvature(bend: &Bend, pos: &[Vec3]) -> Vec3 {
    let [a, b, c] = bend.nodes.map(|v| pos[v.at()]);
    a * bend.weights[0] + b * bend.weights[1] + c * bend.weights[2]
}

fn at(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
