//! Forces and energies of solids, written apart from the sweeps, to check them.

use super::material::Moduli;
use super::scale;
use super::strain::each_sample;
use crate::model::{Model, SolidBody};
use crate::params::BodyParams;
use crate::{Real, Vec3};

/// Elastic forces and those of walls, added to `out` \[N\].
pub fn forces(model: &Model, body: &SolidBody, params: &BodyParams, pos: &[Vec3], out: &mut [Vec3]) {
    let scale = scale(body, params);
    each_sample(model, body, pos, |s| {
        let stress = Moduli::of(&body.regions[s.tet.region as usize], scale).stress(&s.f) * s.weight;
        s.nodes.iter().zip(s.gradients).for_each(|(v, g)| out[*v] -= stress * *g);
    });
    for wall in &body.walls {
        out[wall.vertex.at()] -= (pos[wall.vertex.at()] - wall.at) * wall.stiffness;
    }
}

/// Elastic energy and that of walls \[J\].
pub fn energy(model: &Model, body: &SolidBody, params: &BodyParams, pos: &[Vec3]) -> Real {
    let walls = body
        .walls
        .iter()
        .map(|w| 0.5 * w.stiffness * (pos[w.vertex.at()] - w.at).length_squared())
        .sum::<Real>();
    (0..body.regions.len()).map(|r| region_energy(model, body, r, params, pos)).sum::<Real>() + walls
}

/// Elastic energy of one region \[J\].
pub fn region_energy(
    model: &Model,
    body: &SolidBody,
    region: usize,
    params: &BodyParams,
    pos: &[Vec3],
) -> Real {
    let moduli = Moduli::of(&body.regions[region], scale(body, params));
    let mut sum = 0.0;
    each_sample(model, body, pos, |s| {
        if s.tet.region as usize == region {
            sum += moduli.density(&s.f) * s.weight;
        }
    });
    sum
}

/// Forces of ties on the vertices, added to `out` \[N\].
pub fn tie_forces(model: &Model, pos: &[Vec3], out: &mut [Vec3]) {
    for tie in &model.ties {
        let pull = (tie.ends[0].place(pos) - tie.ends[1].place(pos) - tie.apart) * tie.stiffness;
        for (knot, sign) in tie.ends.iter().zip([-1.0, 1.0]) {
            knot.nodes.iter().zip(knot.weights).for_each(|(v, w)| out[v.at()] += pull * (sign * w));
        }
    }
}

/// Energy of ties; each body has half of its own \[J\].
pub fn tie_energy(model: &Model, b: usize, pos: &[Vec3]) -> Real {
    let one = |t: &crate::model::Tie| {
        let own = t.ends.iter().filter(|k| k.body.at() == b).count() as Real;
        let apart = t.ends[0].place(pos) - t.ends[1].place(pos) - t.apart;
        0.25 * own * t.stiffness * apart.length_squared()
    };
    model.ties.iter().map(one).sum()
}
