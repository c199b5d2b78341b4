//! A solid sample by sample, written in full: for how much it is strained, and to check what the frame does.

use super::material::gradient;
use super::quadratic::{TABLE, gradients};
use crate::model::{Model, SolidBody, Tet};
use crate::{Mat3, Real, Vec3};

/// Von Mises' equivalent of Green's strain at every vertex of a solid, the mean of the samples next to it by their
/// volumes; `out` is one per vertex of the body. Rigid motion and even swelling give none. O(tetrahedra).
pub fn strain(model: &Model, b: usize, pos: &[Vec3], out: &mut Vec<Real>) {
    out.clear();
    let crate::model::BodyKind::Solid(body) = &model.bodies[b].kind else { return };
    let first = model.bodies[b].vertex_range().start;
    let mut weight = vec![0.0; model.bodies[b].vertex_range().len()];
    out.resize(weight.len(), 0.0);
    each_sample(model, body, pos, |sample| {
        let c = sample.f.transpose() * sample.f;
        // Green's strain is (C − 1)/2; its deviator is that of C/2.
        let third = (c.x_axis.x + c.y_axis.y + c.z_axis.z) / 3.0;
        let straight = [c.x_axis.x - third, c.y_axis.y - third, c.z_axis.z - third];
        let mixed = [c.x_axis.y, c.y_axis.z, c.z_axis.x];
        let square: Real =
            straight.iter().map(|d| d * d).sum::<Real>() + 2.0 * mixed.iter().map(|d| d * d).sum::<Real>();
        let equivalent = (square / 6.0).sqrt();
        for v in sample.next_to {
            out[v - first] += equivalent * sample.weight;
            weight[v - first] += sample.weight;
        }
    });
    out.iter_mut().zip(weight).filter(|(_, w)| *w > 0.0).for_each(|(e, w)| *e /= w);
}

/// A place at which a tetrahedron is integrated, in a deformed body.
pub(super) struct Sample<'a> {
    pub tet: &'a Tet,
    /// All vertices of the tetrahedron.
    pub nodes: &'a [usize],
    /// Gradients of their shape functions at rest \[1/m\].
    pub gradients: &'a [Vec3],
    /// Those of them that are next to it.
    pub next_to: [usize; 4],
    /// The volume that it stands for \[m³\].
    pub weight: Real,
    /// The deformation gradient.
    pub f: Mat3,
}

/// Calls `see` with every sample of a solid, those of one tetrahedron after the other.
pub(super) fn each_sample(model: &Model, body: &SolidBody, pos: &[Vec3], see: impl FnMut(Sample)) {
    each_sample_of(model, body, pos, |_| true, see);
}

/// The same of those tetrahedra whose vertices are `wanted`.
pub(super) fn each_sample_of(
    model: &Model,
    body: &SolidBody,
    pos: &[Vec3],
    wanted: impl Fn(&[usize]) -> bool,
    mut see: impl FnMut(Sample),
) {
    let Some(quadratic) = &body.quadratic else {
        for tet in tets(model, body) {
            let nodes = tet.nodes.map(|v| v.at());
            if !wanted(&nodes) {
                continue;
            }
            let f = gradient(tet, nodes.map(|v| pos[v]));
            let (gradients, weight) = (&tet.gradients(), tet.volume);
            see(Sample { tet, nodes: &nodes, gradients, next_to: nodes, weight, f });
        }
        return;
    };
    for (tet, local) in tets(model, body).iter().zip(&quadratic.nodes) {
        let first = tet.nodes[0].at() - local[0] as usize;
        let nodes = local.map(|v| first + v as usize);
        if !wanted(&nodes) {
            continue;
        }
        for (k, gradients) in gradients(tet).iter().enumerate() {
            let mut f = Mat3::ZERO;
            for (v, g) in nodes.iter().zip(gradients) {
                let x = pos[*v];
                f += Mat3::from_cols(x * g.x, x * g.y, x * g.z);
            }
            let next_to = TABLE[k].map(|i| nodes[i]);
            see(Sample { tet, nodes: &nodes, gradients, next_to, weight: 0.25 * tet.volume, f });
        }
    }
}

/// The tetrahedra of a solid.
pub(super) fn tets<'a>(model: &'a Model, body: &SolidBody) -> &'a [Tet] {
    &model.tets[body.tets.start as usize..body.tets.end as usize]
}
