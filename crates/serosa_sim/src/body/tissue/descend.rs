//! Tissue that descends with rows: in each pass one step of Newton's method, all vertices together, on
//!
//! Φ(x) = Σ m/(2h²) |x − y|² + Σ ½ K (q − r)² + restoration + rows.
//!
//! q is a length, an area or a volume. Its elastic energy ½ k (q − q₀)² and its viscous potential τk/(2h) (q − qⁿ)² are
//! together one quadratic of the stiffness K = k (1 + τ/h) about a value r between q₀ and qⁿ. Restoration pulls to a shape
//! that is made so of the rest shape and of where the body was, and that lies where it fits x best: laid anew at every x,
//! it has neither a sum nor a moment.
//!
//! The matrix is that of the free motion ([`System`]) with the rows' added, and semidefinite. Its equations are solved by
//! conjugate gradients; the preconditioner knows the block of each vertex, the enclosed volume, and how a free body moves
//! as a whole on inertia and rows. A step that would raise Φ is halved.

mod gradients;

use super::element::{self, Along, Bent, Spread};
use super::solve::System;
use super::whole::{Drift, Lie, Whole};
use super::{Tissue, TissueWork, at, cotangents, enclosed, fold_stiffness};
use crate::algebra::{Six, widest};
use crate::body::Substep;
use crate::model::{BodyKind, TissueBody};
use crate::respond::augmented_lagrangian::Contacts;
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3};
use gradients::Held;

/// A step that raises Φ is halved at most so often, then given up.
const HALVINGS: u32 = 8;

/// How much of what elements resist at a vertex a row feels of it: the body descends as a whole, and its neighbours go along.
/// Rows that feel all of it are so firm that few passes bring no organ to rest, and that two organs which collide, each
/// solved with the other standing still, lose most of their momentum. Rows that feel nothing learn for many passes.
const YIELD: Real = 1.0 / 16.0;

/// Working arrays of one tissue body among rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Descent {
    /// Where each spring neither pushes nor pulls \[m\].
    lengths: Vec<Real>,
    /// The same for triangles \[m²\].
    areas: Vec<Real>,
    /// The same for folds \[m³\].
    folds: Vec<Real>,
    /// The same for the enclosed volume \[m³\].
    volume: Real,
    /// The shape to which restoration pulls \[m\]; empty where nothing does.
    shape: Vec<Vec3>,
    /// The centre of its masses \[m\].
    center: Vec3,
    /// What the rows add to the matrix.
    rows: Vec<Held>,
    /// One per vertex: its block of the matrix \[kg\], then the inverse; none where it does not move.
    blocks: Vec<Mat3>,
    /// The inverse blocks times the gradient of the enclosed volume.
    swollen: Vec<Vec3>,
    /// How much of it makes up for that volume in the preconditioner.
    swollen_share: Real,
    /// The body as if it were rigid; none where something holds it.
    rigid: Option<Six>,
    /// Change of the velocities in this pass \[m/s\].
    step: Vec<Vec3>,
    /// Working vectors of the conjugate gradients.
    direction: Vec<Vec3>,
    image: Vec<Vec3>,
    eased: Vec<Vec3>,
    /// Places before a step \[m\].
    from: Vec<Vec3>,
}

/// The inertial target, and what stays the same in a substep.
pub(super) fn aim(sub: &Substep, b: usize, body: &TissueBody, state: &State, scratch: &mut Scratch) {
    let fall = sub.params.fall() * (sub.h * sub.h);
    // Whether it falls is seen when it descends; until then it goes on as it did in the last substep.
    let carried = if crate::body::is_carried(sub, b, state) { fall } else { Vec3::ZERO };
    for v in sub.model.bodies[b].vertex_range() {
        let moves = scratch.inv_mass[v] > 0.0;
        let way = if moves { state.vel[v] * sub.h + fall } else { Vec3::ZERO };
        scratch.vel[v] = way / sub.h;
        scratch.target[v] = state.pos[v] + way;
        scratch.pos[v] = scratch.target[v] - if moves { carried } else { Vec3::ZERO };
    }
    if !state.frozen[b] {
        let tissue = Tissue::new(sub, b, body, &state.pos);
        let work = &mut scratch.tissues[b];
        tissue.settle_rests(&mut work.descent, &state.pos);
        tissue.assemble(work, &scratch.target, &state.pos);
        let System { inverse, weight, .. } = &mut work.system;
        inverse.clear();
        // Inertia counts once, and all that an element does, whatever its direction.
        inverse.extend(work.descent.blocks.iter().zip(weight).map(|(block, weight)| {
            let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
            1.0 / (*weight + YIELD * (trace - 3.0 * *weight))
        }));
    }
}

/// Where tissue begins a substep among rows: where it would fall to, where it would go without weight, or where it was,
/// by which Φ is least.
pub(crate) fn start(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let Scratch { pos, pose, target, touching, links, tissues, inv_mass, .. } = scratch;
    let contacts = Contacts { pos, pose, touching, links };
    let fall = sub.params.fall() * (sub.h * sub.h);
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        let BodyKind::Tissue(kind) = &body.kind else { continue };
        let vertices = body.vertex_range();
        let tissue = Tissue::new(sub, b, kind, &state.pos);
        let coast = |v: usize| if inv_mass[v] > 0.0 { target[v] - fall } else { target[v] };
        let starts: [&dyn Fn(usize) -> Vec3; 3] = [&|v| target[v], &coast, &|v| state.pos[v]];
        let mut best = (Real::INFINITY, 0);
        for (k, from) in starts.iter().enumerate() {
            vertices.clone().for_each(|v| contacts.pos[v] = from(v));
            let phi = tissue.potential(&tissues[b].descent, target, contacts.pos) + contacts.potential(b);
            if phi < best.0 {
                best = (phi, k);
            }
        }
        vertices.for_each(|v| contacts.pos[v] = starts[best.1](v));
    }
}

/// One pass: a Newton step of the whole body. O(elements + rows) for each gradient.
pub(crate) fn descend(sub: &Substep, b: usize, body: &TissueBody, state: &State, scratch: &mut Scratch) {
    if state.frozen[b] || scratch.lost[b] {
        return;
    }
    let Scratch { pos, pose, target, touching, links, tissues, lost, .. } = scratch;
    let tissue = Tissue::new(sub, b, body, pos);
    let mut contacts = Contacts { pos, pose, touching, links };
    if !tissue.newton(&mut tissues[b], target, (b, &mut contacts)) {
        // It stays where it was, so that the filter certifies what the guard will leave.
        lost[b] = true;
        pos[tissue.vertices.clone()].copy_from_slice(&state.pos[tissue.vertices]);
    }
}

/// Ends the sweeps: what nothing else pushes or holds has its momenta exactly, however few gradients were taken.
pub(crate) fn settle(sub: &Substep, state: &State, scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate() {
        if let BodyKind::Tissue(tissue) = &body.kind {
            settle_body(sub, b, tissue, state, scratch);
        }
    }
}

fn settle_body(sub: &Substep, b: usize, body: &TissueBody, state: &State, scratch: &mut Scratch) {
    let Scratch { pos, vel, target, touching, links, lost, .. } = scratch;
    let vertices = sub.model.bodies[b].vertex_range();
    for v in vertices.clone() {
        vel[v] = (pos[v] - state.pos[v]) / sub.h;
    }
    let pushed = links.rows_of(b).iter().map(|r| &touching[*r as usize]);
    let pushed = pushed.filter(|row| row.bodies[0] != row.bodies[1]).any(|row| row.is_felt());
    let tissue = Tissue::new(sub, b, body, &state.pos);
    if pushed || state.frozen[b] || lost[b] || !tissue.free() {
        return;
    }
    let here = &state.pos[vertices.clone()];
    let way = |(y, x): (&Vec3, &Vec3)| (*y - *x) / sub.h;
    let free: Whole = tissue.whole;
    let wanted = free.drift_of(tissue.mass(), here, target[vertices.clone()].iter().zip(here).map(way));
    let now = free.drift(tissue.mass(), here, &vel[vertices.clone()]);
    let lost = Drift { vel: wanted.vel - now.vel, omega: wanted.omega - now.omega, ..wanted };
    for v in vertices {
        vel[v] += lost.at(state.pos[v]);
        pos[v] = state.pos[v] + vel[v] * sub.h;
    }
}

impl Tissue<'_> {
    /// Elastic and viscous stiffness together, as a multiple of the elastic one.
    fn firmer(&self) -> Real {
        1.0 + self.clock.relaxation / self.clock.h
    }

    /// Where quantities, and restoration, neither push nor pull in this substep.
    fn settle_rests(&self, work: &mut Descent, pos: &[Vec3]) {
        let (new, old) = (1.0 / self.firmer(), 1.0 - 1.0 / self.firmer());
        let between = |rest: Real, now: Real| rest * new + now * old;
        work.lengths.clear();
        work.lengths.extend(self.model.springs[at(&self.body.springs)].iter().map(|s| {
            let [a, b] = s.ends.map(|v| pos[v.at()]);
            between(s.rest_m, (b - a).length())
        }));
        work.areas.clear();
        let faces = self.model.faces[at(&self.body.faces)].iter();
        work.areas.extend(faces.map(|f| between(f.area, f.now(pos).0)));
        work.folds.clear();
        let folds = self.model.folds[at(&self.body.folds)].iter();
        work.folds.extend(folds.map(|f| between(f.volume, f.now(pos).0)));
        work.volume = self.body.volume.map_or(0.0, |v| between(v, enclosed(self.model, self.body, pos)));
        work.center = self.whole.center;
        work.shape.clear();
        if self.material.restoration > 0.0 {
            let (rest, here) = (&self.model.rest[self.vertices.clone()], &pos[self.vertices.clone()]);
            let lie = match self.body.held {
                true => Lie::STILL,
                false => Lie::nearest(self.mass(), rest, self.body.center, here, self.whole.center),
            };
            work.shape.extend(rest.iter().zip(here).map(|(r, x)| lie.goal(*r) * new + *x * old));
        }
    }

    /// Where the shape of restoration lies at some positions, whose centre of mass is `center`.
    fn lay_shape(&self, work: &Descent, here: &[Vec3], center: Vec3) -> Lie {
        match self.body.held {
            true => Lie::STILL,
            false => Lie::nearest(self.mass(), &work.shape, work.center, here, center),
        }
    }

    /// Φ at some positions, but for rows \[J\].
    fn potential(&self, work: &Descent, target: &[Vec3], pos: &[Vec3]) -> Real {
        let tissue = self;
        widest!(potential(tissue, work, target, pos))
    }

    #[inline(always)]
    fn potential_here(&self, work: &Descent, target: &[Vec3], pos: &[Vec3]) -> Real {
        let (model, body, material) = (self.model, self.body, self.material);
        let (mut inertial, per_h2) = (0.0, 1.0 / (self.clock.h * self.clock.h));
        for v in self.vertices.clone() {
            inertial += self.model.mass[v] * (pos[v] - target[v]).length_squared();
        }
        let mut sum = 0.0;
        for (spring, rest) in model.springs[at(&body.springs)].iter().zip(&work.lengths) {
            let more = (pos[spring.ends[1].at()] - pos[spring.ends[0].at()]).length() - rest;
            sum += material.stiffness * spring.share * more * more;
        }
        for (face, rest) in model.faces[at(&body.faces)].iter().zip(&work.areas) {
            let more = face.now(pos).0 - rest;
            sum += material.area / face.area * more * more;
        }
        let bending = fold_stiffness(body, material);
        for (fold, rest) in model.folds[at(&body.folds)].iter().zip(&work.folds) {
            let more = fold.now(pos).0 - rest;
            sum += bending * more * more;
        }
        if let Some(rest) = body.volume {
            let more = enclosed(model, body, pos) - work.volume;
            sum += material.bulk / rest * more * more;
        }
        if !work.shape.is_empty() {
            let here = &pos[self.vertices.clone()];
            let lie = self.lay_shape(work, here, Whole::center_of(self.mass(), here));
            let mut away = 0.0;
            for ((m, x), goal) in self.mass().iter().zip(here).zip(&work.shape) {
                away += m * (*x - lie.goal(*goal)).length_squared();
            }
            sum += material.restoration * material.restoration * away;
        }
        0.5 * (inertial * per_h2 + sum * self.firmer())
    }

    /// The matrix at some positions, without rows, and in the residual what the forces there leave undone \[N s\].
    fn assemble(&self, work: &mut TissueWork, target: &[Vec3], pos: &[Vec3]) {
        let tissue = self;
        widest!(assemble(tissue, work, target, pos))
    }

    #[inline(always)]
    fn assemble_here(&self, work: &mut TissueWork, target: &[Vec3], pos: &[Vec3]) {
        let here = &pos[self.vertices.clone()];
        let (pull, rate) = self.restoration();
        let System { weight, residual, .. } = &mut work.system;
        weight.clear();
        weight.extend(self.mass().iter().map(|m| m * (1.0 + rate)));
        work.descent.blocks.clear();
        work.descent.blocks.extend(weight.iter().map(|w| Mat3::from_diagonal(Vec3::splat(*w))));
        residual.clear();
        let towards = target[self.vertices.clone()].iter().zip(here).zip(self.mass());
        residual.extend(towards.map(|((y, x), m)| (*y - *x) * (m / self.clock.h)));
        if !work.descent.shape.is_empty() {
            let lie = self.lay_shape(&work.descent, here, self.whole.center);
            let goals = work.descent.shape.iter().zip(here).zip(self.mass());
            for (r, ((goal, x), m)) in residual.iter_mut().zip(goals) {
                *r += (lie.goal(*goal) - *x) * (pull * m);
            }
        }
        self.pull_edges(work, here);
        self.press_faces(work, here);
        self.couple_edges(work);
        self.bend_folds(work, here);
        self.blow_up(work, here);
    }

    /// Impulse along the gradient of a quantity, and the rate at which it grows with the speed of it.
    #[inline(always)]
    fn push(&self, stiffness: Real, more: Real) -> (Real, Real) {
        let firm = stiffness * self.firmer() * self.clock.h;
        (firm * more, firm * self.clock.h)
    }

    /// The springs, but for what triangles add to them.
    #[inline(always)]
    fn pull_edges(&self, work: &mut TissueWork, here: &[Vec3]) {
        let first = self.vertices.start as u32;
        let springs = &self.model.springs[at(&self.body.springs)];
        let TissueWork { system, pulls, descent, .. } = work;
        system.along.resize(springs.len(), Along::default());
        pulls.resize(springs.len(), Vec3::ZERO);
        let each = springs.iter().zip(&descent.lengths).zip(&mut system.along).zip(pulls);
        for (((spring, rest), e), push) in each {
            e.ends = spring.ends.map(|v| v.0 - first);
            let [a, b] = e.ends.map(|v| here[v as usize]);
            let length = (b - a).length();
            let dir = (b - a) * if length > 0.0 { 1.0 / length } else { 0.0 };
            let (pull, rate) = self.push(self.material.stiffness * spring.share, length - rest);
            e.across = if pull > 0.0 { self.clock.h * pull / length } else { 0.0 };
            e.grad = dir * (rate - e.across).max(0.0).sqrt();
            *push = dir * pull;
        }
    }

    /// The triangles. What one under tension resists across itself is given to its sides.
    #[inline(always)]
    fn press_faces(&self, work: &mut TissueWork, here: &[Vec3]) {
        let TissueWork { system, descent, .. } = work;
        let System { along, spread, residual, swell, .. } = system;
        let first = self.vertices.start as u32;
        let faces = &self.model.faces[at(&self.body.faces)];
        spread.resize(faces.len(), Spread::default());
        swell.clear();
        swell.resize(if self.body.volume.is_some() { here.len() } else { 0 }, Vec3::ZERO);
        for ((face, rest), e) in faces.iter().zip(&descent.areas).zip(spread) {
            e.corners = face.corners.map(|v| v.0 - first);
            let [a, b, c] = e.corners.map(|v| v as usize);
            let places = [here[a], here[b], here[c]];
            let (area, [f, g], twice) = element::area(places);
            let (pull, rate) = self.push(self.material.area / face.area, area - rest);
            if pull > 0.0 {
                for (side, cot) in face.sides.iter().zip(cotangents(places, area)) {
                    along[*side as usize].across += 0.5 * self.clock.h * pull * cot.max(0.0);
                }
            }
            let (root, back) = (rate.sqrt(), f + g);
            e.grads = [f * root, g * root];
            for (v, grad) in [(a, -back), (b, f), (c, g)] {
                residual[v] -= grad * pull;
                add_outer(&mut descent.blocks[v], grad, rate);
            }
            if !swell.is_empty() {
                [a, b, c].into_iter().for_each(|v| swell[v] += twice);
            }
        }
    }

    #[inline(always)]
    fn couple_edges(&self, work: &mut TissueWork) {
        let TissueWork { system, pulls, descent, .. } = work;
        for (e, pull) in system.along.iter().zip(pulls) {
            let [a, b] = e.ends.map(|v| v as usize);
            system.residual[a] += *pull;
            system.residual[b] -= *pull;
            for v in [a, b] {
                let block = &mut descent.blocks[v];
                add_outer(block, e.grad, 1.0);
                block.x_axis.x += e.across;
                block.y_axis.y += e.across;
                block.z_axis.z += e.across;
            }
        }
    }

    #[inline(always)]
    fn bend_folds(&self, work: &mut TissueWork, here: &[Vec3]) {
        let TissueWork { system, descent, .. } = work;
        let (k, first) = (fold_stiffness(self.body, self.material), self.vertices.start as u32);
        let folds = &self.model.folds[at(&self.body.folds)];
        system.bent.resize(folds.len(), Bent::default());
        for ((fold, rest), e) in folds.iter().zip(&descent.folds).zip(&mut system.bent) {
            e.nodes = fold.nodes.map(|v| v.0 - first);
            let [a, b, c, d] = e.nodes.map(|v| v as usize);
            let (volume, [f, g, j]) = element::volume([here[a], here[b], here[c], here[d]]);
            let (pull, rate) = self.push(k, volume - rest);
            let root = rate.sqrt();
            e.grads = [f * root, g * root, j * root];
            for (v, grad) in [(a, -(f + g + j)), (b, f), (c, g), (d, j)] {
                system.residual[v] -= grad * pull;
                add_outer(&mut descent.blocks[v], grad, rate);
            }
        }
    }

    /// The enclosed volume.
    #[inline(always)]
    fn blow_up(&self, work: &mut TissueWork, here: &[Vec3]) {
        let TissueWork { system, descent, .. } = work;
        let Some(rest) = self.body.volume else { return };
        let from = here.first().copied().unwrap_or_default();
        let mut volume = Vec3::ZERO;
        for (g, x) in system.swell.iter_mut().zip(here) {
            *g *= 1.0 / 6.0;
            volume += (*x - from) * *g;
        }
        // Homogeneous of degree three: Σ x·∇V = 3 V.
        let now = (volume.x + volume.y + volume.z) / 3.0;
        let (pull, rate) = self.push(self.material.bulk / rest, now - descent.volume);
        system.swell_rate = rate;
        system.residual.iter_mut().zip(&system.swell).for_each(|(r, g)| *r -= *g * pull);
    }

    /// One step that lowers Φ; false where it could not be computed.
    fn newton(&self, work: &mut TissueWork, target: &[Vec3], (b, contacts): (usize, &mut Contacts)) -> bool {
        self.assemble(work, target, contacts.pos);
        work.descent.rigid = self.free().then(|| self.whole.system());
        self.touch(work, b, contacts);
        self.invert(work);
        let vertices = self.vertices.clone();
        self.solve(work, &contacts.pos[vertices.clone()]);
        let Descent { from, step, .. } = &mut work.descent;
        if step.iter().any(|s| !s.is_finite()) {
            return false;
        }
        from.clear();
        from.extend_from_slice(&contacts.pos[vertices.clone()]);
        let phi = |work: &TissueWork, contacts: &Contacts| {
            let rows = contacts.potential(b);
            let body = self.potential(&work.descent, target, contacts.pos);
            (body + rows, body + rows.abs())
        };
        let (before, mut share) = (phi(work, contacts), self.clock.h);
        for _ in 0..HALVINGS {
            let Descent { from, step, .. } = &work.descent;
            let moved = contacts.pos[vertices.clone()].iter_mut().zip(from).zip(step);
            moved.for_each(|((x, from), step)| *x = *from + *step * share);
            // Beyond rounding: at the minimum Φ cannot fall any more.
            if phi(work, contacts).0 <= before.0 + 1e-12 * before.1 {
                return true;
            }
            share *= 0.5;
        }
        contacts.pos[vertices].copy_from_slice(&work.descent.from);
        true
    }
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Descent, Real, Tissue, TissueWork, Vec3};

    #[target_feature(enable = "avx2")]
    pub(super) fn assemble(tissue: &Tissue, work: &mut TissueWork, target: &[Vec3], pos: &[Vec3]) {
        super::assemble(tissue, work, target, pos);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn potential(tissue: &Tissue, work: &Descent, target: &[Vec3], pos: &[Vec3]) -> Real {
        super::potential(tissue, work, target, pos)
    }
}

#[inline(always)]
fn assemble(tissue: &Tissue, work: &mut TissueWork, target: &[Vec3], pos: &[Vec3]) {
    tissue.assemble_here(work, target, pos);
}

#[inline(always)]
fn potential(tissue: &Tissue, work: &Descent, target: &[Vec3], pos: &[Vec3]) -> Real {
    tissue.potential_here(work, target, pos)
}

/// Adds scale · g gᵀ.
#[inline(always)]
fn add_outer(block: &mut Mat3, g: Vec3, scale: Real) {
    let scaled = g * scale;
    block.x_axis += scaled * g.x;
    block.y_axis += scaled * g.y;
    block.z_axis += scaled * g.z;
}
