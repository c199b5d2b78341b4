//! How much a solid is strained, for colours and probes.

use super::material::gradient;
use crate::model::{Model, SolidBody};
use crate::{Real, Vec3};

/// Von Mises' equivalent of Green's strain at every vertex of a solid, the mean of the tetrahedra at it by their volumes;
/// `out` is one per vertex of the body. Rigid motion and even swelling give none. O(tetrahedra).
pub fn strain(model: &Model, b: usize, pos: &[Vec3], out: &mut Vec<Real>) {
    out.clear();
    let crate::model::BodyKind::Solid(body) = &model.bodies[b].kind else { return };
    let first = model.bodies[b].vertex_range().start;
    let mut weight = vec![0.0; model.bodies[b].vertex_range().len()];
    out.resize(weight.len(), 0.0);
    for tet in tets(model, body) {
        let f = gradient(tet, tet.nodes.map(|v| pos[v.at()]));
        let c = f.transpose() * f;
        // Green's strain is (C − 1)/2; its deviator is that of C/2.
        let third = (c.x_axis.x + c.y_axis.y + c.z_axis.z) / 3.0;
        let straight = [c.x_axis.x - third, c.y_axis.y - third, c.z_axis.z - third];
        let mixed = [c.x_axis.y, c.y_axis.z, c.z_axis.x];
        let square: Real =
            straight.iter().map(|d| d * d).sum::<Real>() + 2.0 * mixed.iter().map(|d| d * d).sum::<Real>();
        let equivalent = (square / 6.0).sqrt();
        for v in tet.nodes {
            out[v.at() - first] += equivalent * tet.volume;
            weight[v.at() - first] += tet.volume;
        }
    }
    out.iter_mut().zip(weight).filter(|(_, w)| *w > 0.0).for_each(|(e, w)| *e /= w);
}

/// The tetrahedra of a solid.
pub(super) fn tets<'a>(model: &'a Model, body: &SolidBody) -> &'a [crate::model::Tet] {
    &model.tets[body.tets.start as usize..body.tets.end as usize]
}
