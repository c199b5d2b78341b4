//! Point masses with damped springs: chains, nets and membranes.
//!
//! Integrated spring by spring with implicit impulses. This is a reconstruction of the "impulsion springs"
//! that the 2003 intestine simulator names and that were never published: each spring is integrated
//! implicitly on its own two masses, as an impulse, in sequence, and the impulse given so far is kept so that
//! further passes converge to the implicit step of the whole body. One spring alone is exact backward Euler;
//! few passes leave a long chain softer than its springs.

use super::Substep;
use crate::model::{BLOCK, Spring, SpringBody, SpringKind};
use crate::params::BodyParams;
use crate::state::State;
use crate::{Real, Scratch, Vec3};
use rayon::prelude::*;
use serosa_geometry::rotation::unit_or;
use std::ops::Range;

/// Springs prepared by one job.
const CHUNK: usize = 2048;

/// What a spring needs during a substep: fixed numbers and the impulse given so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpringWork {
    /// Unit direction from the first end to the second.
    dir: Vec3,
    /// h k (l − l₀): the impulse of the stretch at the start \[N s\].
    pull: Real,
    /// h (k h + c): impulse for each unit of lengthening speed \[kg\].
    rate: Real,
    /// 1 / (1 + rate (w_a + w_b)).
    gain: Real,
    /// Impulse so far \[N s\]; positive pushes the ends apart.
    impulse: Real,
}

impl SpringWork {
    /// The impulse given to the second end in the substep \[N s\]; the first end got the opposite.
    pub fn push(&self) -> Vec3 {
        self.dir * self.impulse
    }
}

/// The stiffness [N/m] and damping [N s/m] of a spring.
fn constants(spring: &Spring, p: &BodyParams) -> (Real, Real) {
    match spring.kind {
        SpringKind::Stretch => (p.stiffness, p.damping),
        SpringKind::Bend => {
            let share = if p.stiffness > 0.0 { p.bending / p.stiffness } else { 0.0 };
            (p.bending, p.damping * share)
        }
    }
}

/// Free motion: gravity, then passes of spring impulses, forwards and backwards in turn so that a pull
/// travels along a chain both ways. Cost: O(sweeps × springs); blocks run side by side.
pub(super) fn predict(sub: &Substep, b: usize, body: &SpringBody, state: &State, scratch: &mut Scratch) {
    let (vertices, all) = (sub.model.bodies[b].vertex_range(), body.springs());
    let moves = !state.frozen[b];
    for v in vertices.clone() {
        let fall = if scratch.inv_mass[v] > 0.0 { sub.params.gravity * sub.h } else { Vec3::ZERO };
        scratch.vel[v] = if moves { state.vel[v] + fall } else { Vec3::ZERO };
    }
    if moves {
        let springs = &sub.model.springs[all.clone()];
        let work = &mut scratch.springs[all.clone()];
        let (material, inv_mass) = (&sub.params.bodies[b], &scratch.inv_mass);
        springs.par_chunks(CHUNK).zip(work.par_chunks_mut(CHUNK)).for_each(|(springs, work)| {
            for (spring, work) in springs.iter().zip(work) {
                *work = prepare(spring, material, &state.pos, inv_mass, sub.h);
            }
        });
        let patch = Patch {
            springs,
            work,
            vel: &mut scratch.vel[vertices.clone()],
            inv_mass: &inv_mass[vertices.clone()],
            first: vertices.start,
        };
        solve(patch, body, all.start, sub.sweeps);
    }
    for v in vertices {
        scratch.pos[v] = state.pos[v] + scratch.vel[v] * sub.h;
    }
}

fn prepare(spring: &Spring, material: &BodyParams, pos: &[Vec3], inv_mass: &[Real], h: Real) -> SpringWork {
    let (k, c) = constants(spring, material);
    let [a, b] = spring.ends.map(|v| v.at());
    let along = pos[b] - pos[a];
    let rate = h * (k * h + c);
    SpringWork {
        dir: unit_or(along, Vec3::Z),
        pull: h * k * (along.length() - spring.rest_m),
        rate,
        gain: 1.0 / (1.0 + rate * (inv_mass[a] + inv_mass[b])),
        impulse: 0.0,
    }
}

/// Springs together with the only vertices they touch, so that two patches can be solved at the same time.
struct Patch<'a> {
    springs: &'a [Spring],
    work: &'a mut [SpringWork],
    vel: &'a mut [Vec3],
    inv_mass: &'a [Real],
    /// Number of the first vertex.
    first: usize,
}

fn solve(patch: Patch, body: &SpringBody, first_spring: usize, sweeps: u32) {
    let Patch { springs, work, vel, inv_mass, first } = patch;
    let inner = body.between.start as usize - first_spring;
    let (springs, between) = springs.split_at(inner);
    let (work, work_between) = work.split_at_mut(inner);
    for pass in 0..sweeps {
        let backwards = pass % 2 == 1;
        if backwards {
            relax(Patch { springs: between, work: work_between, vel, inv_mass, first }, true);
        }
        relax_blocks(Patch { springs, work, vel, inv_mass, first }, &body.blocks, backwards);
        if !backwards {
            relax(Patch { springs: between, work: work_between, vel, inv_mass, first }, false);
        }
    }
}

/// One pass over the blocks, halved until one is left; the halves run side by side where threads are free.
fn relax_blocks(patch: Patch, blocks: &[Range<u32>], backwards: bool) {
    if blocks.len() <= 1 {
        return relax(patch, backwards);
    }
    let mid = blocks.len() / 2;
    let (vertices, springs) = (mid * BLOCK as usize, (blocks[mid].start - blocks[0].start) as usize);
    let (springs_lo, springs_hi) = patch.springs.split_at(springs);
    let (work_lo, work_hi) = patch.work.split_at_mut(springs);
    let (vel_lo, vel_hi) = patch.vel.split_at_mut(vertices);
    let (inv_lo, inv_hi) = patch.inv_mass.split_at(vertices);
    let first = patch.first;
    let lo = Patch { springs: springs_lo, work: work_lo, vel: vel_lo, inv_mass: inv_lo, first };
    let first = first + vertices;
    let hi = Patch { springs: springs_hi, work: work_hi, vel: vel_hi, inv_mass: inv_hi, first };
    rayon::join(
        || relax_blocks(lo, &blocks[..mid], backwards),
        || relax_blocks(hi, &blocks[mid..], backwards),
    );
}

/// One pass over springs in order, or in the opposite order.
fn relax(patch: Patch, backwards: bool) {
    let Patch { springs, work, vel, inv_mass, first } = patch;
    let mut one = |(spring, work): (&Spring, &mut SpringWork)| {
        let [a, b] = spring.ends.map(|v| v.at() - first);
        let speed = work.dir.dot(vel[b] - vel[a]);
        let more = (-work.pull - work.rate * speed - work.impulse) * work.gain;
        work.impulse += more;
        vel[a] -= work.dir * (inv_mass[a] * more);
        vel[b] += work.dir * (inv_mass[b] * more);
    };
    if backwards {
        springs.iter().zip(work).rev().for_each(&mut one);
    } else {
        springs.iter().zip(work).for_each(&mut one);
    }
}

/// Elastic forces, added to `out` \[N\].
pub fn forces(springs: &[Spring], material: &BodyParams, pos: &[Vec3], out: &mut [Vec3]) {
    for spring in springs {
        let [a, b] = spring.ends.map(|v| v.at());
        let along = pos[b] - pos[a];
        let length = along.length();
        if length > 0.0 {
            let pull = along * (constants(spring, material).0 * (length - spring.rest_m) / length);
            out[a] += pull;
            out[b] -= pull;
        }
    }
}

/// Elastic energy \[J\].
pub fn energy(springs: &[Spring], material: &BodyParams, pos: &[Vec3]) -> Real {
    let one = |s: &Spring| {
        let stretch = (pos[s.ends[1].at()] - pos[s.ends[0].at()]).length() - s.rest_m;
        0.5 * constants(s, material).0 * stretch * stretch
    };
    springs.iter().map(one).sum()
}
