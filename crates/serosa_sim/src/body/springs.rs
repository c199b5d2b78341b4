//! Point masses with damped springs: chains, nets and membranes.
//!
//! Integrated spring by spring with implicit impulses. This is a reconstruction of the "impulsion springs"
//! that the 2003 intestine simulator names and that were never published: each spring is integrated
//! implicitly on its own two masses, as an impulse, in sequence, and the impulse given so far is kept so that
//! further passes converge to the implicit step of the whole body. One spring alone is exact backward Euler;
//! few passes leave a long chain softer than its springs.

mod net;

pub use net::NetWork;
pub(crate) use net::{descend, finish, start};

use super::Substep;
use crate::model::{BLOCK, Spring, SpringBody, SpringKind};
use crate::params::{BodyParams, Response};
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
    /// 1/mass of the two ends \[1/kg\].
    inv_mass: [Real; 2],
    /// The two ends, counted from the first vertex of the body.
    ends: [u32; 2],
    /// Impulse so far \[N s\]; positive pushes the ends apart.
    impulse: Real,
}

impl SpringWork {
    /// The impulse given to the second end in the substep \[N s\]; the first end got the opposite.
    pub fn push(&self) -> Vec3 {
        self.dir * self.impulse
    }

    /// Sets that impulse, where something else has found it.
    pub(super) fn give(&mut self, push: Vec3) {
        self.dir = unit_or(push, Vec3::Z);
        self.impulse = push.length();
    }
}

/// The stiffness [N/m] and damping [N s/m] of a spring.
pub(crate) fn constants(spring: &Spring, p: &BodyParams) -> (Real, Real) {
    match spring.kind {
        SpringKind::Stretch => (p.stiffness * spring.share, p.damping),
        SpringKind::Bend => (p.bending * spring.share, p.damping * p.bend_share),
        SpringKind::Tube => (p.tube_stretch * spring.share, p.damping),
    }
}

/// Free motion: gravity, then passes of spring impulses, forwards and backwards in turn so that a pull
/// travels along a chain both ways. Cost: O(sweeps × springs); blocks run side by side.
pub(super) fn predict(sub: &Substep, b: usize, body: &SpringBody, state: &State, scratch: &mut Scratch) {
    let (vertices, all) = (sub.model.bodies[b].vertex_range(), body.springs());
    let moves = !state.frozen[b];
    for v in vertices.clone() {
        let fall = if scratch.inv_mass[v] > 0.0 { sub.params.fall() * sub.h } else { Vec3::ZERO };
        scratch.vel[v] = if moves { state.vel[v] + fall } else { Vec3::ZERO };
    }
    if sub.params.response == Response::AugmentedLagrangian {
        return net::aim(sub, b, state, scratch);
    }
    if moves {
        let springs = &sub.model.springs[all.clone()];
        let work = &mut scratch.springs[all.clone()];
        let (material, inv_mass) = (&sub.params.bodies[b], &scratch.inv_mass);
        springs.par_chunks(CHUNK).zip(work.par_chunks_mut(CHUNK)).for_each(|(springs, work)| {
            for (spring, work) in springs.iter().zip(work) {
                *work = prepare(spring, material, &state.pos, inv_mass, sub.h);
                work.ends = spring.ends.map(|v| v.0 - vertices.start as u32);
            }
        });
        let inner = body.between.start as usize - all.start;
        solve(work.split_at_mut(inner), &mut scratch.vel[vertices.clone()], &body.blocks, sub.sweeps);
    } else {
        // A frozen body's springs carry nothing.
        scratch.springs[all].fill(SpringWork::default());
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
        inv_mass: [inv_mass[a], inv_mass[b]],
        ends: [0, 0],
        impulse: 0.0,
    }
}

/// All passes: springs inside blocks and springs between them, in turn.
fn solve(
    (inner, between): (&mut [SpringWork], &mut [SpringWork]),
    vel: &mut [Vec3],
    blocks: &[Range<u32>],
    sweeps: u32,
) {
    for pass in 0..sweeps {
        if pass % 2 == 0 {
            relax_blocks(inner, vel, 0, blocks, false);
            relax(between, vel, 0, false);
        } else {
            relax(between, vel, 0, true);
            relax_blocks(inner, vel, 0, blocks, true);
        }
    }
}

/// One pass over the blocks, halved until one is left. Each half owns its springs and the only vertices they
/// touch, `vel` from number `first` on, so the halves run side by side where threads are free.
fn relax_blocks(
    springs: &mut [SpringWork],
    vel: &mut [Vec3],
    first: u32,
    blocks: &[Range<u32>],
    backwards: bool,
) {
    if blocks.len() <= 1 {
        return relax(springs, vel, first, backwards);
    }
    let mid = blocks.len() / 2;
    let vertices = mid as u32 * BLOCK;
    let (springs_lo, springs_hi) = springs.split_at_mut((blocks[mid].start - blocks[0].start) as usize);
    let (vel_lo, vel_hi) = vel.split_at_mut(vertices as usize);
    rayon::join(
        || relax_blocks(springs_lo, vel_lo, first, &blocks[..mid], backwards),
        || relax_blocks(springs_hi, vel_hi, first + vertices, &blocks[mid..], backwards),
    );
}

/// One pass over springs in order, or in the opposite order.
fn relax(springs: &mut [SpringWork], vel: &mut [Vec3], first: u32, backwards: bool) {
    let mut one = |spring: &mut SpringWork| {
        let [a, b] = spring.ends.map(|v| (v - first) as usize);
        let (va, vb) = (vel[a], vel[b]);
        let speed = spring.dir.dot(vb - va);
        let more = (-spring.pull - spring.rate * speed - spring.impulse) * spring.gain;
        spring.impulse += more;
        vel[a] = va - spring.dir * (spring.inv_mass[0] * more);
        vel[b] = vb + spring.dir * (spring.inv_mass[1] * more);
    };
    if backwards {
        springs.iter_mut().rev().for_each(&mut one);
    } else {
        springs.iter_mut().for_each(&mut one);
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
