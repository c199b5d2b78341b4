//! Forces and energies of a band where it is, for probes and reports.

use super::{at, curvature};
use crate::body::curve::Curve;
use crate::body::springs::{self, constants};
use crate::model::{BandBody, Bend, Model, Rod};
use crate::params::BodyParams;
use crate::{Real, Vec3};

/// Elastic forces, added to `out` \[N\].
pub fn forces(model: &Model, body: &BandBody, material: &BodyParams, pos: &[Vec3], out: &mut [Vec3]) {
    springs::forces(&model.springs[at(&body.springs)], material, pos, out);
    for bend in &model.bends[at(&body.bends)] {
        let push = curvature(bend, pos) * (-material.bending * bend.share);
        (0..3).for_each(|i| out[bend.nodes[i].at()] += push * bend.weights[i]);
    }
    for rod in &model.rods[at(&body.rods)] {
        let curve = Curve::of(rod, pos);
        let [force_e, force_f] = curve.levers().map(|by| by.turn * (material.tube_bending / rod.length));
        let [a, b, c] = rod.nodes.map(|v| v.at());
        out[a] += force_e;
        out[b] += force_f - force_e;
        out[c] -= force_f;
    }
}

/// Forces of damping in a substep of `h` from some positions to others, added to `out` \[N\].
pub fn damping(
    model: &Model,
    body: &BandBody,
    (material, h): (&BodyParams, Real),
    [from, to]: [&[Vec3]; 2],
    out: &mut [Vec3],
) {
    let rate = material.relaxation / h;
    for spring in &model.springs[at(&body.springs)] {
        let [a, b] = spring.ends.map(|v| v.at());
        let (before, along) = ((from[b] - from[a]).length(), to[b] - to[a]);
        let length = along.length();
        if length > 0.0 {
            let pull = along * (constants(spring, material).0 * rate * (length - before) / length);
            out[a] += pull;
            out[b] -= pull;
        }
    }
    for rod in &model.rods[at(&body.rods)] {
        let (before, now) = (Curve::of(rod, from).kb.length(), Curve::of(rod, to));
        let size = now.kb.length();
        if size > 0.0 {
            let moment = material.tube_bending / rod.length * rate * (1.0 - before / size);
            let [force_e, force_f] = now.levers().map(|by| by.turn * moment);
            let [a, b, c] = rod.nodes.map(|v| v.at());
            out[a] += force_e;
            out[b] += force_f - force_e;
            out[c] -= force_f;
        }
    }
}

/// Elastic energy \[J\].
pub fn energy(model: &Model, body: &BandBody, material: &BodyParams, pos: &[Vec3]) -> Real {
    let springs = springs::energy(&model.springs[at(&body.springs)], material, pos);
    let bend = |b: &Bend| 0.5 * material.bending * b.share * curvature(b, pos).length_squared();
    let rod = |r: &Rod| 0.5 * material.tube_bending / r.length * Curve::of(r, pos).kb.length_squared();
    let bends: Real = model.bends[at(&body.bends)].iter().map(bend).sum();
    let rods: Real = model.rods[at(&body.rods)].iter().map(rod).sum();
    springs + bends + rods
}
