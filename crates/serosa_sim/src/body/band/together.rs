//! Bands as one of many bodies in one linear system: the matrix of their own Newton step, where the substep begins.

use super::{Band, BandWork, at, prepare};
use crate::algebra::band::three;
use crate::body::Substep;
use crate::body::curve::Curve;
use crate::model::{BandBody, FIXED, Model};
use crate::state::State;
use crate::{Real, Scratch, Vec3};

/// Assembles a body where the substep begins, about no motion at all: its matrix with inertia, and its forces alone.
pub(crate) fn linearise(sub: &Substep, b: usize, body: &BandBody, state: &State, scratch: &mut Scratch) {
    let work = &mut scratch.bands[b];
    prepare(sub, b, body, state, work);
    let band = Band {
        model: sub.model,
        body,
        material: &sub.params.bodies[b],
        vertices: sub.model.bodies[b].vertex_range(),
        h: sub.h,
        index: b as u32,
        target: &state.pos,
        pose: &state.pose,
        rows: &[],
    };
    band.assemble(work, &state.pos);
}

/// Vertices that share an element.
pub(crate) fn add_pairs(model: &Model, body: &BandBody, pairs: &mut Vec<[u32; 2]>) {
    pairs.extend(model.springs[at(&body.springs)].iter().map(|s| s.ends.map(|v| v.0)));
    let bends = model.bends[at(&body.bends)].iter().map(|bend| bend.nodes);
    let rods = model.rods[at(&body.rods)].iter().map(|rod| rod.nodes);
    pairs.extend(bends.chain(rods).flat_map(|[a, b, c]| [[a.0, b.0], [b.0, c.0], [a.0, c.0]]));
}

impl BandWork {
    /// The block between two vertices \[N/m\], inertia over h² included.
    pub(crate) fn block(&self, model: &Model, a: u32, b: u32) -> [[Real; 3]; 3] {
        self.matrix.block(model.unknown[a as usize], model.unknown[b as usize])
    }

    /// The force on a vertex \[N\].
    pub(crate) fn force(&self, model: &Model, v: usize) -> Vec3 {
        let unknown = model.unknown[v];
        if unknown == FIXED { Vec3::ZERO } else { three(&self.residual, unknown) }
    }
}

/// How the elements of a linearised body resist some motions, without a matrix and without inertia: adds the forces times
/// `scale`.
pub(crate) fn multiply(
    sub: &Substep,
    (b, body): (usize, &BandBody),
    (pos, work): (&[Vec3], &BandWork),
    (at_vertex, scale): (impl Fn(usize) -> Vec3, Real),
    out: &mut [Vec3],
) {
    let (model, material) = (sub.model, &sub.params.bodies[b]);
    for (spring, taut) in model.springs[at(&body.springs)].iter().zip(&work.springs) {
        let [a, c] = spring.ends.map(|v| v.at());
        let (along, apart) = (pos[c] - pos[a], at_vertex(c) - at_vertex(a));
        let side = taut.stiffness * (1.0 - taut.rest / along.length()).max(0.0);
        let dir = along.normalize_or_zero();
        let straight = dir * dir.dot(apart);
        let pull = (straight * taut.stiffness + (apart - straight) * side) * scale;
        out[a] -= pull;
        out[c] += pull;
    }
    for bend in &model.bends[at(&body.bends)] {
        let nodes = bend.nodes.map(|v| v.at());
        let bent: Vec3 = nodes.iter().zip(bend.weights).map(|(v, w)| at_vertex(*v) * w).sum();
        let push = bent * (material.bending * bend.share * scale);
        nodes.iter().zip(bend.weights).for_each(|(v, w)| out[*v] += push * w);
    }
    for (rod, taut) in model.rods[at(&body.rods)].iter().zip(&work.rods) {
        let [a, c, d] = rod.nodes.map(|v| v.at());
        let curve = Curve::of(rod, pos);
        let [by_e, by_f] = curve.levers();
        let size = curve.kb.length();
        let edges = [at_vertex(c) - at_vertex(a), at_vertex(d) - at_vertex(c)];
        let turned = by_e.turns(curve.kb, edges[0]) + by_f.turns(curve.kb, edges[1]);
        let dir = curve.kb.normalize_or_zero();
        let across =
            if size > 0.0 { (taut.stiffness * (1.0 - taut.rest / size)).max(0.0) } else { taut.stiffness };
        let moment = (turned * across + dir * (dir.dot(turned) * (taut.stiffness - across))) * scale;
        let [p, q] = [by_e.pulls(curve.kb, moment), by_f.pulls(curve.kb, moment)];
        out[a] -= p;
        out[c] += p - q;
        out[d] += q;
    }
}
