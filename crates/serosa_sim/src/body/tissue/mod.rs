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

mod element;
mod solve;
mod whole;

use super::Substep;
use crate::model::{Integrator, Model, TissueBody};
use crate::params::BodyParams;
use crate::state::State;
use crate::{Real, Scratch, Vec3};
use element::{Along, Bent, Clock, Spread};
use solve::System;
use std::ops::Range;
use whole::{Drift, Lie};

/// 16 √3/9: a fold of two regular triangles then resists as a sheet of the bending stiffness does.
const FOLD_SHARE: Real = 3.079_201_435_678_004;

/// Working arrays of one tissue body.
#[derive(Clone, Debug, Default)]
pub struct TissueWork {
    system: System,
    /// Where restoration pulls each vertex \[m\].
    goal: Vec<Vec3>,
    /// Enclosed volume as the substep began \[m³\].
    volume: Real,
    /// Velocities under solution \[m/s\].
    vel: Vec<Vec3>,
}

/// Everything a substep of one body looks at.
struct Tissue<'a> {
    model: &'a Model,
    body: &'a TissueBody,
    material: &'a BodyParams,
    vertices: Range<usize>,
    clock: Clock,
}

/// Predict: the whole motion, but for contacts. Cost: O(elements × (1 + sweeps)).
pub(super) fn predict(sub: &Substep, b: usize, body: &TissueBody, state: &State, scratch: &mut Scratch) {
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
    let tissue = Tissue::new(sub, b, body);
    let work = &mut scratch.tissues[b];
    work.vel.clear();
    work.vel.extend_from_slice(&scratch.vel[vertices.clone()]);
    tissue.begin(work, &state.pos);
    tissue.move_freely(work, &state.pos, sub.sweeps);
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
    fn new(sub: &Substep<'a>, b: usize, body: &'a TissueBody) -> Self {
        let material = &sub.params.bodies[b];
        let implicit = body.integrator == Integrator::Implicit;
        Self {
            model: sub.model,
            body,
            material,
            vertices: sub.model.bodies[b].vertex_range(),
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

    /// k/Ṽ² of a fold.
    fn fold_stiffness(&self) -> Real {
        fold_stiffness(self.body, self.material)
    }

    /// Impulse by restoration for a unit of distance and for a unit of speed, both for a unit of mass.
    fn restoration(&self) -> (Real, Real) {
        let (clock, rate) = (self.clock, self.material.restoration);
        let ahead = if clock.implicit { clock.h } else { 0.0 };
        (rate * rate * (clock.h + clock.relaxation), rate * rate * clock.h * (ahead + clock.relaxation))
    }

    /// What stays the same in a substep: the elements at its start, weights and goals.
    fn begin(&self, work: &mut TissueWork, pos: &[Vec3]) {
        let TissueWork { system, goal, vel, .. } = work;
        let first = self.vertices.start as u32;
        let springs = &self.model.springs[at(&self.body.springs)];
        system.along.clear();
        system.along.extend(springs.iter().map(|s| {
            let ends = s.ends.map(|v| v.0 - first);
            let was = (pos[s.ends[1].at()] - pos[s.ends[0].at()]).length();
            Along { ends, was, ..Along::default() }
        }));
        let faces = &self.model.faces[at(&self.body.faces)];
        system.spread.clear();
        system.spread.extend(faces.iter().map(|f| {
            let corners = f.corners.map(|v| v.0 - first);
            Spread { corners, was: f.now(pos).0, ..Spread::default() }
        }));
        let folds = &self.model.folds[at(&self.body.folds)];
        system.bent.clear();
        system.bent.extend(folds.iter().map(|f| {
            let nodes = f.nodes.map(|v| v.0 - first);
            Bent { nodes, was: f.now(pos).0, ..Bent::default() }
        }));
        work.volume = enclosed(self.model, self.body, pos);
        system.weight.clear();
        system.weight.extend(self.mass().iter().map(|m| m * (1.0 + self.restoration().1)));
        self.lay_goals(goal, pos, vel);
    }

    /// Where restoration pulls. The rest shape moves with the body while the substep lasts. What pulls back and what
    /// resists being pulled go to one place between the goal and where the vertex would be without deforming.
    fn lay_goals(&self, goal: &mut Vec<Vec3>, pos: &[Vec3], vel: &[Vec3]) {
        goal.clear();
        if self.material.restoration == 0.0 {
            return;
        }
        let (rest, here) = (&self.model.rest[self.vertices.clone()], &pos[self.vertices.clone()]);
        let (lie, drift) = if self.body.held {
            (Lie::STILL, Drift::default())
        } else {
            let lie = Lie::nearest(self.mass(), rest, self.body.center, here);
            (lie, Drift::of(self.mass(), here, vel))
        };
        let Clock { h, relaxation, implicit } = self.clock;
        let ahead = if implicit { h } else { 0.0 };
        goal.extend(rest.iter().zip(here).map(|(r, x)| {
            let along = drift.at(*x);
            ((lie.goal(*r) + along * ahead) * h + (*x + along * h) * relaxation) / (h + relaxation)
        }));
    }

    /// The motion without contacts, into `work.vel`, which holds the velocities of free fall.
    fn move_freely(&self, work: &mut TissueWork, pos: &[Vec3], sweeps: u32) {
        let here = &pos[self.vertices.clone()];
        let before = self.free().then(|| Drift::of(self.mass(), here, &work.vel));
        let mut vel = std::mem::take(&mut work.vel);
        self.linearise(work, pos, &vel);
        match self.body.integrator {
            Integrator::Implicit => work.system.solve(&mut vel, sweeps),
            Integrator::Verlet => {
                let inv_mass = &self.model.inv_mass[self.vertices.clone()];
                let pushed = work.system.residual.iter().zip(inv_mass);
                vel.iter_mut().zip(pushed).for_each(|(v, (r, w))| *v += *r * *w);
            }
        }
        if let Some(before) = before {
            let now = Drift::of(self.mass(), here, &vel);
            let lost = Drift { vel: before.vel - now.vel, omega: before.omega - now.omega, ..before };
            vel.iter_mut().zip(here).for_each(|(v, x)| *v += lost.at(*x));
        }
        work.vel = vel;
    }

    /// The system at some positions, and what the velocities `guess` leave unsolved there.
    fn linearise(&self, work: &mut TissueWork, pos: &[Vec3], guess: &[Vec3]) {
        work.system.residual.clear();
        work.system.residual.resize(guess.len(), Vec3::ZERO);
        work.system.inverse.clear();
        work.system.inverse.extend_from_slice(&work.system.weight);
        self.restore(work, pos, guess);
        self.stretch(work, pos, guess);
        self.bend(work, pos, guess);
        self.swell(work, pos, guess);
        let inv_mass = &self.model.inv_mass[self.vertices.clone()];
        for (d, w) in work.system.inverse.iter_mut().zip(inv_mass) {
            *d = if *w > 0.0 { 1.0 / *d } else { 0.0 };
        }
    }

    fn restore(&self, work: &mut TissueWork, pos: &[Vec3], guess: &[Vec3]) {
        let (pull, rate) = self.restoration();
        let here = pos[self.vertices.clone()].iter().zip(guess);
        let residual = work.system.residual.iter_mut().zip(self.mass());
        for ((r, m), ((x, u), goal)) in residual.zip(here.zip(&work.goal)) {
            *r -= ((*x - *goal) * pull + *u * rate) * *m;
        }
    }

    /// Edges and triangles. A triangle under tension also resists being turned aside; that is given to its sides, with
    /// the cotangents of the angles across them, which bounds it from above.
    fn stretch(&self, work: &mut TissueWork, pos: &[Vec3], guess: &[Vec3]) {
        let System { along, spread, residual, inverse, .. } = &mut work.system;
        let (springs, clock) = (&self.model.springs[at(&self.body.springs)], self.clock);
        for (spring, e) in springs.iter().zip(along.iter_mut()) {
            let [a, b] = spring.ends.map(|v| pos[v.at()]);
            let length = (b - a).length();
            e.dir = if length > 0.0 { (b - a) / length } else { Vec3::ZERO };
            let k = self.material.stiffness * spring.share;
            let (pull, rate) = clock.impulse(k, spring.rest_m, length, e.was);
            let taut = clock.implicit && pull > 0.0;
            (e.pull, e.rates) = (pull, [rate, if taut { clock.h * pull / length } else { 0.0 }]);
        }
        let faces = &self.model.faces[at(&self.body.faces)];
        for (face, e) in faces.iter().zip(spread.iter_mut()) {
            let (area, grads, _) = face.now(pos);
            let (pull, rate) = clock.impulse(self.material.area / face.area, face.area, area, e.was);
            (e.grads, e.rate) = (grads, rate);
            if clock.implicit && pull > 0.0 {
                let across = cotangents(face.corners.map(|v| pos[v.at()]), area);
                for (side, cot) in face.sides.iter().zip(across) {
                    let more = 0.5 * clock.h * pull * cot.max(0.0);
                    along[*side as usize].rates.iter_mut().for_each(|r| *r += more);
                }
            }
            let [a, b, c] = e.corners.map(|v| v as usize);
            let push = pull + rate * (grads[0].dot(guess[b] - guess[a]) + grads[1].dot(guess[c] - guess[a]));
            let back = grads[0] + grads[1];
            residual[a] += back * push;
            residual[b] -= grads[0] * push;
            residual[c] -= grads[1] * push;
            inverse[a] += rate * back.length_squared();
            inverse[b] += rate * grads[0].length_squared();
            inverse[c] += rate * grads[1].length_squared();
        }
        for e in along.iter() {
            let [a, b] = e.ends.map(|v| v as usize);
            let push = e.dir * e.pull + e.answer(guess[b] - guess[a]);
            residual[a] += push;
            residual[b] -= push;
            inverse[a] += e.rates[0];
            inverse[b] += e.rates[0];
        }
    }

    fn bend(&self, work: &mut TissueWork, pos: &[Vec3], guess: &[Vec3]) {
        let System { bent, residual, inverse, .. } = &mut work.system;
        let k = self.fold_stiffness();
        for (fold, e) in self.model.folds[at(&self.body.folds)].iter().zip(bent.iter_mut()) {
            let (volume, grads) = fold.now(pos);
            let (pull, rate) = self.clock.impulse(k, fold.volume, volume, e.was);
            (e.grads, e.rate) = (grads, rate);
            let [a, b, c, d] = e.nodes.map(|v| v as usize);
            let speed = grads[0].dot(guess[b] - guess[a])
                + grads[1].dot(guess[c] - guess[a])
                + grads[2].dot(guess[d] - guess[a]);
            let push = pull + rate * speed;
            let back = grads[0] + grads[1] + grads[2];
            residual[a] += back * push;
            inverse[a] += rate * back.length_squared();
            for (v, grad) in [b, c, d].into_iter().zip(grads) {
                residual[v] -= grad * push;
                inverse[v] += rate * grad.length_squared();
            }
        }
    }

    fn swell(&self, work: &mut TissueWork, pos: &[Vec3], guess: &[Vec3]) {
        let System { swell, swell_rate, residual, .. } = &mut work.system;
        swell.clear();
        let Some(rest) = self.body.volume else { return };
        swell.resize(guess.len(), Vec3::ZERO);
        volume_gradient(self.model, self.body, self.vertices.start, pos, swell);
        let now = enclosed(self.model, self.body, pos);
        let (pull, rate) = self.clock.impulse(self.material.bulk / rest, rest, now, work.volume);
        *swell_rate = rate;
        // One rank for the whole body: it would spoil a preconditioner that knows diagonals alone, and is left out of it.
        let push = pull + rate * swell.iter().zip(guess).map(|(g, u)| g.dot(*u)).sum::<Real>();
        residual.iter_mut().zip(swell.iter()).for_each(|(r, g)| *r -= *g * push);
    }
}

/// Of the angles at the three corners.
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
    Lie::nearest(
        &model.mass[vertices.clone()],
        &model.rest[vertices.clone()],
        body.center,
        &pos[vertices.clone()],
    )
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
