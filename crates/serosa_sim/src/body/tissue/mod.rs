//! Tissue: a surface of triangles that keeps its lengths, areas, folds and volume, and its rest shape.
//!
//! The energies are those of Teschner et al. (2004), on the surface alone as the LAPAROS simulator has them: lengths of
//! edges, areas of triangles, volumes of virtual tetrahedra, of which there is one for every two triangles at an edge;
//! and, beyond that paper, the volume enclosed by a closed surface. Restoration pulls every vertex to its place in the
//! rest shape, laid where it fits best.
//!
//! A substep is backward Euler, linearised once where it begins, solved by conjugate gradients for the velocities. The
//! matrix is the Gauss–Newton one and the stiffness that tension has across itself; both are positive semidefinite.
//! However few gradients are taken, a free body keeps its linear and its angular momentum: the six motions that no
//! element resists are solved apart, and exactly. Verlet's explicit scheme is there as published.

mod descend;
mod element;
mod solve;
mod together;
mod whole;

use super::Substep;
use crate::algebra::widest;
use crate::model::{Integrator, Model, TissueBody};
use crate::params::{BodyParams, Response};
use crate::state::State;
use crate::{Real, Scratch, Vec3};
use descend::Descent;
pub(crate) use descend::{descend, settle, start};
use element::{Along, Bent, Clock, Spread};
use solve::System;
use std::ops::Range;
use together::Shape;
pub(crate) use together::{linearise, shape_is_free};
use whole::Lie;
pub(crate) use whole::{Drift, Whole};

/// 16 √3/27. The volume of two regular triangles of side a, folded by the small angle θ, is θ a³/8 = θ 3/√8 Ṽ; with
/// this share their energy is ½ (2/√3) B θ², which makes a net of them a sheet of the bending stiffness B (Seung and
/// Nelson 1988).
const FOLD_SHARE: Real = 1.026_400_478_559_334_7;

/// Working arrays of one tissue body.
#[derive(Clone, Debug, Default)]
pub struct TissueWork {
    system: System,
    /// Impulses of the springs if nothing moved \[N s\].
    pulls: Vec<Vec3>,
    /// Where restoration pulls each vertex \[m\].
    goal: Vec<Vec3>,
    /// Velocities under solution \[m/s\].
    vel: Vec<Vec3>,
    /// Where it descends with rows.
    descent: Descent,
    /// How its rest shape goes along, where it is one of many bodies in a system.
    shape: Shape,
}

impl TissueWork {
    /// How far a vertex of the body yields to an impulse within this substep, its neighbours held \[1/kg\]; `None` where
    /// the body is none of tissue.
    pub(crate) fn compliance(&self, vertex: usize) -> Option<Real> {
        self.system.inverse.get(vertex).copied()
    }
}

/// Everything a substep of one body looks at.
struct Tissue<'a> {
    model: &'a Model,
    body: &'a TissueBody,
    material: &'a BodyParams,
    vertices: Range<usize>,
    clock: Clock,
    /// Its masses at the positions that it is looked at.
    whole: Whole,
}

/// How much more than its mass restoration makes a vertex resist a push within a substep, as a share of its mass.
pub(crate) fn resistance(sub: &Substep, b: usize, body: &TissueBody) -> Real {
    let BodyParams { restoration, relaxation, .. } = sub.params.bodies[b];
    match body.integrator {
        Integrator::Implicit => restoration * restoration * sub.h * (sub.h + relaxation),
        Integrator::Verlet => 0.0,
    }
}

/// Predict: the whole motion, but for contacts. Cost: O(elements × (1 + sweeps)). Where it descends with rows, the inertial
/// target alone.
pub(super) fn predict(sub: &Substep, b: usize, body: &TissueBody, state: &State, scratch: &mut Scratch) {
    if sub.params.response == Response::AugmentedLagrangian {
        return descend::aim(sub, b, body, state, scratch);
    }
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
    let tissue = Tissue::new(sub, b, body, &state.pos);
    let work = &mut scratch.tissues[b];
    work.vel.clear();
    work.vel.extend_from_slice(&scratch.vel[vertices.clone()]);
    tissue.begin(work, &state.pos);
    tissue.move_freely(work, &state.pos, (sub.sweeps, fall));
    if work.vel.iter().all(|v| v.is_finite()) {
        scratch.vel[vertices.clone()].copy_from_slice(&work.vel);
        vertices.for_each(|v| scratch.pos[v] = state.pos[v] + scratch.vel[v] * sub.h);
    } else {
        scratch.lost[b] = true;
        scratch.pos[vertices.clone()].copy_from_slice(&state.pos[vertices.clone()]);
        scratch.vel[vertices].fill(Vec3::ZERO);
    }
}

impl<'a> Tissue<'a> {
    fn new(sub: &Substep<'a>, b: usize, body: &'a TissueBody, pos: &[Vec3]) -> Self {
        let (material, vertices) = (&sub.params.bodies[b], sub.model.bodies[b].vertex_range());
        let implicit = body.integrator == Integrator::Implicit;
        Self {
            model: sub.model,
            body,
            material,
            whole: Whole::of(&sub.model.mass[vertices.clone()], &pos[vertices.clone()]),
            vertices,
            clock: Clock { h: sub.h, relaxation: material.relaxation, implicit },
        }
    }

    fn mass(&self) -> &'a [Real] {
        &self.model.mass[self.vertices.clone()]
    }

    /// Whether nothing holds it.
    fn free(&self) -> bool {
        self.model.inv_mass[self.vertices.clone()].iter().all(|w| *w > 0.0)
    }

    /// Impulse by restoration for a unit of distance and for a unit of speed, both for a unit of mass.
    fn restoration(&self) -> (Real, Real) {
        let (clock, rate) = (self.clock, self.material.restoration);
        let ahead = if clock.implicit { clock.h } else { 0.0 };
        (rate * rate * (clock.h + clock.relaxation), rate * rate * clock.h * (ahead + clock.relaxation))
    }

    /// Weights and goals, which stay the same in a substep.
    fn begin(&self, work: &mut TissueWork, pos: &[Vec3]) {
        work.system.weight.clear();
        work.system.weight.extend(self.mass().iter().map(|m| m * (1.0 + self.restoration().1)));
        self.lay_goals(work, pos);
    }

    /// Where restoration pulls. The rest shape moves with the body while the substep lasts. What pulls back and what
    /// resists being pulled go to one place between the goal and where the vertex would be without deforming.
    fn lay_goals(&self, work: &mut TissueWork, pos: &[Vec3]) {
        work.goal.clear();
        if self.material.restoration == 0.0 {
            return;
        }
        let (rest, here) = (&self.model.rest[self.vertices.clone()], &pos[self.vertices.clone()]);
        let (lie, drift) = if self.body.held {
            (Lie::STILL, Drift::default())
        } else {
            let lie = Lie::nearest(self.mass(), rest, self.body.center, here, self.whole.center);
            (lie, self.whole.drift(self.mass(), here, &work.vel))
        };
        let Clock { h, relaxation, implicit } = self.clock;
        let ahead = if implicit { h } else { 0.0 };
        let (old, new) = (relaxation / (h + relaxation), h / (h + relaxation));
        work.goal.extend(rest.iter().zip(here).map(|(r, x)| {
            let along = drift.at(*x);
            (lie.goal(*r) + along * ahead) * new + (*x + along * h) * old
        }));
    }

    /// The motion without contacts, into `work.vel`, which holds the velocities of free fall; `fall` is what gravity has
    /// given them \[m/s\].
    ///
    /// A free body falls, and the gradients begin with that. One that is held does not: they begin with its velocities
    /// before, since the few gradients taken would leave a part of the fall, and what hangs at rest would quiver.
    fn move_freely(&self, work: &mut TissueWork, pos: &[Vec3], (sweeps, fall): (u32, Vec3)) {
        let here = &pos[self.vertices.clone()];
        let before = self.free().then(|| self.whole.drift(self.mass(), here, &work.vel));
        let inv_mass = &self.model.inv_mass[self.vertices.clone()];
        let mut vel = std::mem::take(&mut work.vel);
        let held = before.is_none();
        if held {
            vel.iter_mut().zip(inv_mass).filter(|(_, w)| **w > 0.0).for_each(|(v, _)| *v -= fall);
        }
        self.linearise(work, here, &vel);
        if held {
            let weighed = work.system.residual.iter_mut().zip(self.mass());
            weighed.for_each(|(r, m)| *r += fall * *m);
        }
        match self.body.integrator {
            Integrator::Implicit => work.system.solve(&mut vel, sweeps),
            Integrator::Verlet => {
                let pushed = work.system.residual.iter().zip(inv_mass);
                vel.iter_mut().zip(pushed).for_each(|(v, (r, w))| *v += *r * *w);
            }
        }
        if let Some(before) = before {
            let now = self.whole.drift(self.mass(), here, &vel);
            let lost = Drift { vel: before.vel - now.vel, omega: before.omega - now.omega, ..before };
            vel.iter_mut().zip(here).for_each(|(v, x)| *v += lost.at(*x));
        }
        work.vel = vel;
    }

    /// The system at some positions, and what the velocities `guess` leave unsolved there.
    fn linearise(&self, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        let tissue = self;
        widest!(at_guess(tissue, work, here, guess))
    }

    #[inline(always)]
    fn linearise_here(&self, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        let system = &mut work.system;
        system.residual.clear();
        system.residual.resize(guess.len(), Vec3::ZERO);
        system.inverse.clear();
        system.inverse.extend_from_slice(&system.weight);
        system.swell.clear();
        if self.body.volume.is_some() {
            system.swell.resize(guess.len(), Vec3::ZERO);
        }
        self.restore(work, here, guess);
        self.stretch(work, here);
        self.spread(work, here, guess);
        self.pull(work, guess);
        self.bend(work, here, guess);
        self.swell(work, here, guess);
        let inv_mass = &self.model.inv_mass[self.vertices.clone()];
        for (d, w) in work.system.inverse.iter_mut().zip(inv_mass) {
            *d = if *w > 0.0 { 1.0 / *d } else { 0.0 };
        }
    }

    #[inline(always)]
    fn restore(&self, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        let (pull, rate) = self.restoration();
        let here = here.iter().zip(guess);
        let residual = work.system.residual.iter_mut().zip(self.mass());
        for ((r, m), ((x, u), goal)) in residual.zip(here.zip(&work.goal)) {
            *r -= ((*x - *goal) * pull + *u * rate) * *m;
        }
    }

    /// The springs, but for what triangles add to them.
    #[inline(always)]
    fn stretch(&self, work: &mut TissueWork, here: &[Vec3]) {
        let (clock, first) = (self.clock, self.vertices.start as u32);
        let springs = &self.model.springs[at(&self.body.springs)];
        work.system.along.resize(springs.len(), Along::default());
        work.pulls.resize(springs.len(), Vec3::ZERO);
        for ((spring, e), push) in springs.iter().zip(&mut work.system.along).zip(&mut work.pulls) {
            e.ends = spring.ends.map(|v| v.0 - first);
            let [a, b] = e.ends.map(|v| here[v as usize]);
            let length = (b - a).length();
            let dir = (b - a) * if length > 0.0 { 1.0 / length } else { 0.0 };
            let k = self.material.stiffness * spring.share;
            let (pull, rate) = clock.impulse(k, spring.rest_m, length);
            e.across = if clock.implicit && pull > 0.0 { clock.h * pull / length } else { 0.0 };
            e.grad = dir * (rate - e.across).max(0.0).sqrt();
            *push = dir * pull;
        }
    }

    /// The triangles. One under tension also resists being turned aside; that is given to its sides, with the
    /// cotangents of the angles across them, which bounds it from above.
    #[inline(always)]
    fn spread(&self, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        let System { along, spread, residual, inverse, swell, .. } = &mut work.system;
        let (clock, first) = (self.clock, self.vertices.start as u32);
        let faces = &self.model.faces[at(&self.body.faces)];
        spread.resize(faces.len(), Spread::default());
        for (face, e) in faces.iter().zip(spread) {
            e.corners = face.corners.map(|v| v.0 - first);
            let [a, b, c] = e.corners.map(|v| v as usize);
            let places = [here[a], here[b], here[c]];
            let (area, [f, g], twice) = element::area(places);
            let (pull, rate) = clock.impulse(self.material.area / face.area, face.area, area);
            if clock.implicit && pull > 0.0 {
                for (side, cot) in face.sides.iter().zip(cotangents(places, area)) {
                    along[*side as usize].across += 0.5 * clock.h * pull * cot.max(0.0);
                }
            }
            let back = f + g;
            let push = pull + rate * (f.dot(guess[b] - guess[a]) + g.dot(guess[c] - guess[a]));
            residual[a] += back * push;
            residual[b] -= f * push;
            residual[c] -= g * push;
            inverse[a] += rate * back.length_squared();
            inverse[b] += rate * f.length_squared();
            inverse[c] += rate * g.length_squared();
            let root = rate.sqrt();
            e.grads = [f * root, g * root];
            if !swell.is_empty() {
                [a, b, c].into_iter().for_each(|v| swell[v] += twice);
            }
        }
    }

    /// What the springs leave unsolved.
    #[inline(always)]
    fn pull(&self, work: &mut TissueWork, guess: &[Vec3]) {
        let System { along, residual, inverse, .. } = &mut work.system;
        for (e, pull) in along.iter().zip(&work.pulls) {
            let [a, b] = e.ends.map(|v| v as usize);
            let push = *pull + e.answer(guess[b] - guess[a]);
            residual[a] += push;
            residual[b] -= push;
            let rate = e.grad.length_squared() + e.across;
            inverse[a] += rate;
            inverse[b] += rate;
        }
    }

    #[inline(always)]
    fn bend(&self, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        let System { bent, residual, inverse, .. } = &mut work.system;
        let (k, first) = (fold_stiffness(self.body, self.material), self.vertices.start as u32);
        let folds = &self.model.folds[at(&self.body.folds)];
        bent.resize(folds.len(), Bent::default());
        let root = self.clock.impulse(k, 0.0, 0.0).1.sqrt();
        for (fold, e) in folds.iter().zip(bent) {
            e.nodes = fold.nodes.map(|v| v.0 - first);
            let [a, b, c, d] = e.nodes.map(|v| v as usize);
            let (volume, [f, g, j]) = element::volume([here[a], here[b], here[c], here[d]]);
            let (pull, rate) = self.clock.impulse(k, fold.volume, volume);
            let from = guess[a];
            let speed = f.dot(guess[b] - from) + g.dot(guess[c] - from) + j.dot(guess[d] - from);
            let (push, back) = (pull + rate * speed, f + g + j);
            residual[a] += back * push;
            residual[b] -= f * push;
            residual[c] -= g * push;
            residual[d] -= j * push;
            inverse[a] += rate * back.length_squared();
            inverse[b] += rate * f.length_squared();
            inverse[c] += rate * g.length_squared();
            inverse[d] += rate * j.length_squared();
            e.grads = [f * root, g * root, j * root];
        }
    }

    /// The enclosed volume: its gradient at a vertex is a third of the area around it, as a vector.
    #[inline(always)]
    fn swell(&self, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        let System { swell, swell_rate, residual, .. } = &mut work.system;
        let Some(rest) = self.body.volume else { return };
        let from = here.first().copied().unwrap_or_default();
        let (mut volume, mut speed) = (Vec3::ZERO, Vec3::ZERO);
        for ((g, x), u) in swell.iter_mut().zip(here).zip(guess) {
            *g *= 1.0 / 6.0;
            volume += (*x - from) * *g;
            speed += *u * *g;
        }
        // Homogeneous of degree three: Σ x·∇V = 3 V.
        let now = (volume.x + volume.y + volume.z) / 3.0;
        let (pull, rate) = self.clock.impulse(self.material.bulk / rest, rest, now);
        *swell_rate = rate;
        // One rank for the whole body: of no use to a preconditioner that knows diagonals alone, and left out of it.
        let push = pull + rate * (speed.x + speed.y + speed.z);
        residual.iter_mut().zip(swell.iter()).for_each(|(r, g)| *r -= *g * push);
    }
}

/// The kernel for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Tissue, TissueWork, Vec3};

    #[target_feature(enable = "avx2")]
    pub(super) fn at_guess(tissue: &Tissue, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
        super::at_guess(tissue, work, here, guess);
    }
}

#[inline(always)]
fn at_guess(tissue: &Tissue, work: &mut TissueWork, here: &[Vec3], guess: &[Vec3]) {
    tissue.linearise_here(work, here, guess);
}

/// Of the angles at the three corners.
#[inline]
fn cotangents([a, b, c]: [Vec3; 3], area: Real) -> [Real; 3] {
    let (u, v, w) = (b - a, c - a, c - b);
    let scale = 0.5 / area.max(1e-20);
    [u.dot(v) * scale, -u.dot(w) * scale, v.dot(w) * scale]
}

fn fold_stiffness(body: &TissueBody, material: &BodyParams) -> Real {
    FOLD_SHARE * material.bending / (body.fold_volume * body.fold_volume)
}

/// The volume that the surface encloses \[m³\]; 0 where it does not keep it.
pub fn enclosed(model: &Model, body: &TissueBody, pos: &[Vec3]) -> Real {
    let faces = &model.faces[at(&body.faces)];
    let (Some(_), Some(first)) = (body.volume, faces.first()) else { return 0.0 };
    let from = pos[first.corners[0].at()];
    let six = |f: &crate::model::Face| {
        let [a, b, c] = f.corners.map(|v| pos[v.at()] - from);
        a.dot(b.cross(c))
    };
    faces.iter().map(six).sum::<Real>() / 6.0
}

/// Its gradient, added to `out`, which begins with vertex `first`: for a closed surface a third of the area around.
fn volume_gradient(model: &Model, body: &TissueBody, first: usize, pos: &[Vec3], out: &mut [Vec3]) {
    for face in &model.faces[at(&body.faces)] {
        let [a, b, c] = face.corners.map(|v| pos[v.at()]);
        let sixth = (b - a).cross(c - a) * (1.0 / 6.0);
        face.corners.iter().for_each(|v| out[v.at() - first] += sixth);
    }
}

fn at(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Where the rest shape lies.
fn lie(model: &Model, body: &TissueBody, vertices: Range<usize>, pos: &[Vec3]) -> Lie {
    if body.held {
        return Lie::STILL;
    }
    let (mass, here) = (&model.mass[vertices.clone()], &pos[vertices.clone()]);
    Lie::nearest(mass, &model.rest[vertices], body.center, here, Whole::of(mass, here).center)
}

/// Elastic forces, added to `out` \[N\]. Written apart from the substep, to check it.
pub fn forces(
    model: &Model,
    body: &TissueBody,
    b: usize,
    material: &BodyParams,
    pos: &[Vec3],
    out: &mut [Vec3],
) {
    super::springs::forces(&model.springs[at(&body.springs)], material, pos, out);
    for face in &model.faces[at(&body.faces)] {
        let (area, grads, _) = face.now(pos);
        let tension = material.area / face.area * (area - face.area);
        let [a, b, c] = face.corners.map(|v| v.at());
        out[a] += (grads[0] + grads[1]) * tension;
        out[b] -= grads[0] * tension;
        out[c] -= grads[1] * tension;
    }
    for fold in &model.folds[at(&body.folds)] {
        let (volume, grads) = fold.now(pos);
        let push = fold_stiffness(body, material) * (volume - fold.volume);
        out[fold.nodes[0].at()] += (grads[0] + grads[1] + grads[2]) * push;
        (0..3).for_each(|i| out[fold.nodes[i + 1].at()] -= grads[i] * push);
    }
    let vertices = model.bodies[b].vertex_range();
    if let Some(rest) = body.volume {
        let mut grad = vec![Vec3::ZERO; vertices.len()];
        volume_gradient(model, body, vertices.start, pos, &mut grad);
        let pressure = material.bulk / rest * (enclosed(model, body, pos) - rest);
        vertices.clone().zip(grad).for_each(|(v, g)| out[v] -= g * pressure);
    }
    let lie = lie(model, body, vertices.clone(), pos);
    let rate = material.restoration * material.restoration;
    for v in vertices {
        out[v] -= (pos[v] - lie.goal(model.rest[v])) * (rate * model.mass[v]);
    }
}

/// Elastic energy \[J\].
pub fn energy(model: &Model, body: &TissueBody, b: usize, material: &BodyParams, pos: &[Vec3]) -> Real {
    let mut sum = super::springs::energy(&model.springs[at(&body.springs)], material, pos);
    for face in &model.faces[at(&body.faces)] {
        let more = face.now(pos).0 - face.area;
        sum += 0.5 * material.area / face.area * more * more;
    }
    for fold in &model.folds[at(&body.folds)] {
        let more = fold.now(pos).0 - fold.volume;
        sum += 0.5 * fold_stiffness(body, material) * more * more;
    }
    if let Some(rest) = body.volume {
        let more = enclosed(model, body, pos) - rest;
        sum += 0.5 * material.bulk / rest * more * more;
    }
    if material.restoration > 0.0 {
        let vertices = model.bodies[b].vertex_range();
        let lie = lie(model, body, vertices.clone(), pos);
        let rate = material.restoration * material.restoration;
        for v in vertices {
            sum += 0.5 * rate * model.mass[v] * (pos[v] - lie.goal(model.rest[v])).length_squared();
        }
    }
    sum
}
