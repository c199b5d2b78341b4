//! Springs that descend with rows: each vertex in turn, on
//!
//! Φ(x) = Σ m/(2h²) |x − y|² + Σ ½ k (l − l₀)² + Σ c/(2h) (l − lⁿ)² + rows.
//!
//! This is backward Euler with the springs as they will be, where the impulses of a free motion take them as they were.

use super::{SpringWork, constants};
use crate::algebra::small::along_and_across;
use crate::body::Substep;
use crate::body::band::Taut;
use crate::model::{Spring, SpringBody};
use crate::respond::augmented_lagrangian::{Contacts, Local};
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3};
use std::ops::Range;

/// Working arrays of a spring body that descends with rows.
#[derive(Clone, Debug, Default)]
pub struct NetWork {
    /// Elastic and viscous resistance together, one per spring.
    taut: Vec<Taut>,
    /// Where the springs of each vertex start, two more than there are vertices.
    starts: Vec<u32>,
    /// Springs, counted from the first of the body.
    springs: Vec<u32>,
    /// Whether the next pass goes from the last vertex to the first, so that a pull travels both ways.
    back: bool,
}

impl NetWork {
    fn at(&self, v: usize) -> &[u32] {
        &self.springs[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Which springs meet at a vertex. Once for a model. O(springs).
    fn sort_out(&mut self, springs: &[Spring], vertices: &Range<usize>) {
        if self.starts.len() == vertices.len() + 2 {
            return;
        }
        let ends = || springs.iter().map(|s| s.ends.map(|v| v.at() - vertices.start));
        self.starts.resize(vertices.len() + 2, 0);
        ends().flatten().for_each(|v| self.starts[v + 2] += 1);
        (2..self.starts.len()).for_each(|k| self.starts[k] += self.starts[k - 1]);
        self.springs.resize(2 * springs.len(), 0);
        for (k, both) in ends().enumerate() {
            for v in both {
                let next = &mut self.starts[v + 1];
                self.springs[*next as usize] = k as u32;
                *next += 1;
            }
        }
    }
}

/// Everything a vertex looks at.
struct Net<'a> {
    springs: &'a [Spring],
    work: &'a NetWork,
    target: &'a [Vec3],
    mass: &'a [Real],
    per_h2: Real,
    first: usize,
}

impl Net<'_> {
    /// The other ends of the springs of a vertex, and how they resist.
    fn around(&self, v: usize) -> impl Iterator<Item = (usize, &Taut)> {
        self.work.at(v - self.first).iter().map(move |k| {
            let [a, b] = self.springs[*k as usize].ends.map(|v| v.at());
            (if a == v { b } else { a }, &self.work.taut[*k as usize])
        })
    }

    /// Φ of the body as one vertex of it moves, but for what does not change with it \[J\].
    fn energy(&self, v: usize, x: Vec3, pos: &[Vec3]) -> Real {
        let inertia = 0.5 * self.mass[v] * self.per_h2 * (x - self.target[v]).length_squared();
        inertia + self.around(v).map(|(w, taut)| taut.energy((pos[w] - x).length())).sum::<Real>()
    }

    fn local(&self, v: usize, pos: &[Vec3]) -> Local {
        let (x, inertia) = (pos[v], self.mass[v] * self.per_h2);
        let mut force = (self.target[v] - x) * inertia;
        let mut matrix = Mat3::from_diagonal(Vec3::splat(inertia));
        for (w, taut) in self.around(v) {
            let along = pos[w] - x;
            let length = along.length();
            let dir = serosa_geometry::rotation::unit_or(along, Vec3::Z);
            force += dir * (taut.stiffness * (length - taut.rest));
            let across = if length > taut.rest { 1.0 - taut.rest / length } else { 0.0 };
            matrix += along_and_across(dir, taut.stiffness, taut.stiffness * across);
        }
        Local { force, matrix }
    }

    /// Φ of the whole body, but for rows \[J\].
    fn whole(&self, vertices: Range<usize>, pos: &[Vec3]) -> Real {
        let inertia: Real = vertices
            .map(|v| 0.5 * self.mass[v] * self.per_h2 * (pos[v] - self.target[v]).length_squared())
            .sum();
        let length = |s: &Spring| (pos[s.ends[1].at()] - pos[s.ends[0].at()]).length();
        inertia + self.springs.iter().zip(&self.work.taut).map(|(s, t)| t.energy(length(s))).sum::<Real>()
    }
}

/// The inertial target.
pub(super) fn aim(sub: &Substep, b: usize, state: &State, scratch: &mut Scratch) {
    let fall = sub.params.fall() * (sub.h * sub.h);
    // Whether it falls is seen when it descends; until then it goes on as it did in the last substep.
    let carried = if crate::body::is_carried(sub, b, state) { fall } else { Vec3::ZERO };
    for v in sub.model.bodies[b].vertex_range() {
        scratch.target[v] = state.pos[v] + scratch.vel[v] * sub.h;
        scratch.pos[v] = scratch.target[v] - if scratch.inv_mass[v] > 0.0 { carried } else { Vec3::ZERO };
    }
}

/// Where spring bodies begin a substep among rows: where they would fall to, where they would go without weight, or
/// where they were, by which Φ is least.
pub(crate) fn start(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let Scratch { pos, pose, target, touching, links, nets, inv_mass, .. } = scratch;
    let contacts = Contacts { pos, pose, touching, links };
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        let crate::model::BodyKind::Springs(springs) = &body.kind else { continue };
        let (vertices, material) = (body.vertex_range(), &sub.params.bodies[b]);
        let springs = &sub.model.springs[springs.springs()];
        let work = &mut nets[b];
        work.sort_out(springs, &vertices);
        work.taut.clear();
        work.taut.extend(springs.iter().map(|s| {
            let (k, c) = constants(s, material);
            let (now, viscous) =
                ((state.pos[s.ends[1].at()] - state.pos[s.ends[0].at()]).length(), c / sub.h);
            let stiffness = k + viscous;
            let rest = if stiffness > 0.0 { (k * s.rest_m + viscous * now) / stiffness } else { s.rest_m };
            Taut { stiffness, rest }
        }));
        work.back = false;
        let net = Net {
            springs,
            work,
            target,
            mass: &sub.model.mass,
            per_h2: 1.0 / (sub.h * sub.h),
            first: vertices.start,
        };
        let fall = sub.params.fall() * (sub.h * sub.h);
        let coast = |v: usize| if inv_mass[v] > 0.0 { target[v] - fall } else { target[v] };
        let starts: [&dyn Fn(usize) -> Vec3; 3] = [&|v| target[v], &coast, &|v| state.pos[v]];
        let mut best = (Real::INFINITY, 0);
        for (k, from) in starts.iter().enumerate() {
            vertices.clone().for_each(|v| contacts.pos[v] = from(v));
            let phi = net.whole(vertices.clone(), contacts.pos) + contacts.potential(b);
            if phi < best.0 {
                best = (phi, k);
            }
        }
        vertices.for_each(|v| contacts.pos[v] = starts[best.1](v));
    }
}

/// One pass over the vertices of a spring body. O(springs + rows).
pub(crate) fn descend(sub: &Substep, b: usize, body: &SpringBody, state: &State, scratch: &mut Scratch) {
    if state.frozen[b] || scratch.lost[b] {
        return;
    }
    let Scratch { pos, pose, target, touching, links, nets, lost, .. } = scratch;
    let vertices = sub.model.bodies[b].vertex_range();
    nets[b].back = !nets[b].back;
    let net = Net {
        springs: &sub.model.springs[body.springs()],
        work: &nets[b],
        target,
        mass: &sub.model.mass,
        per_h2: 1.0 / (sub.h * sub.h),
        first: vertices.start,
    };
    let mut contacts = Contacts { pos, pose, touching, links };
    for k in 0..vertices.len() {
        let v = if nets[b].back { vertices.start + k } else { vertices.end - 1 - k };
        if sub.model.inv_mass[v] > 0.0 {
            let (local, here) = (net.local(v, contacts.pos), contacts.pos[v]);
            let before = net.energy(v, here, contacts.pos);
            contacts.lower(v, &local, |pos, d| net.energy(v, here + d, pos) - before);
        }
    }
    if contacts.pos[vertices.clone()].iter().any(|x| !x.is_finite()) {
        lost[b] = true;
        contacts.pos[vertices.clone()].copy_from_slice(&state.pos[vertices]);
    }
}

/// What the springs have given their ends in the substep, as after a free motion, for those who ask. O(springs).
pub(crate) fn finish(sub: &Substep, b: usize, body: &SpringBody, scratch: &mut Scratch) {
    let Scratch { pos, springs, nets, .. } = scratch;
    let all = body.springs();
    for ((spring, taut), out) in
        sub.model.springs[all.clone()].iter().zip(&nets[b].taut).zip(&mut springs[all])
    {
        let along = pos[spring.ends[1].at()] - pos[spring.ends[0].at()];
        let dir = serosa_geometry::rotation::unit_or(along, Vec3::Z);
        let impulse = -taut.stiffness * (along.length() - taut.rest) * sub.h;
        *out = SpringWork { dir, impulse, ..SpringWork::default() };
    }
}
