//! Springs between solids.

use super::raise;
use crate::raw::{Place, RawBody, RawModel, RawTie};
use crate::scene::Oven;
use crate::select::select;
use serosa_geometry::{BodyId, Mat3, Real, Vec3, VertexId};
use serosa_sim::model::{BodyKind, Knot, Model, Tie};

impl Oven<'_> {
    /// Ties of all solids, when all bodies are there.
    pub(crate) fn add_ties(&mut self) {
        if !self.faults.is_empty() {
            return;
        }
        let raw = self.raw;
        for (i, body) in raw.bodies.iter().enumerate() {
            let RawModel::Solid(elastic) = &body.model else { continue };
            elastic.ties.iter().for_each(|tie| self.add_tie(i, body, tie));
        }
    }

    fn add_tie(&mut self, i: usize, raw: &RawBody, tie: &RawTie) {
        let place = Place::Body(i);
        let Some(to) = self.raw.bodies.iter().position(|b| b.name == tie.to) else {
            return self.fault(
                place,
                format!("there is no body \"{}\" to tie it to", tie.to),
                "name another solid",
            );
        };
        if to == i || !matches!(self.model.bodies[to].kind, BodyKind::Solid(_)) {
            let message = format!("\"{}\" cannot be tied to \"{}\"", raw.name, tie.to);
            return self.fault(
                place,
                message,
                "ties join two solids; to hold one where it is write `attach`",
            );
        }
        let chosen = raw.geometry.mesh().and_then(|mesh| select(mesh, &tie.which)).unwrap_or_default();
        let first = self.model.bodies[i].vertices.start;
        let knots: Vec<(VertexId, Knot)> = chosen
            .iter()
            .filter_map(|v| {
                let vertex = VertexId(first + v);
                Some((vertex, knot(&self.model, to, self.model.rest[vertex.at()], tie.reach)?))
            })
            .collect();
        if knots.is_empty() {
            let message = format!("no chosen vertex lies within {} mm of \"{}\"", tie.reach * 1e3, tie.to);
            return self.fault(place, message, "choose other vertices or a larger `reach`");
        }
        let stiffness = tie.stiffness / knots.len() as Real;
        for (vertex, other) in knots {
            let own = Knot { body: BodyId::from(i), nodes: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0] };
            let apart = own.place(&self.model.rest) - other.place(&self.model.rest);
            self.model.ties.push(Tie { ends: [own, other], apart, stiffness });
        }
        for b in [i, to] {
            if let BodyKind::Solid(solid) = &mut self.model.bodies[b].kind {
                solid.free = false;
            }
        }
    }
}

/// Where a place lies in a solid at rest, or its nearest vertex within reach. O(tetrahedra).
fn knot(model: &Model, b: usize, at: Vec3, reach: Real) -> Option<Knot> {
    let BodyKind::Solid(solid) = &model.bodies[b].kind else { return None };
    let body = BodyId::from(b);
    let tets = &model.tets[solid.tets.start as usize..solid.tets.end as usize];
    let first = model.bodies[b].vertices.start;
    let inside = tets.iter().enumerate().find_map(|(t, tet)| {
        let inverse: Mat3 = tet.inverse;
        let w = inverse * (at - model.rest[tet.nodes[0].at()]);
        let weights = [1.0 - w.x - w.y - w.z, w.x, w.y, w.z];
        if weights.iter().any(|w| *w < 0.0) {
            return None;
        }
        // Of ten nodes those of the piece it lies in.
        let piece = solid.quadratic.as_ref().and_then(|q| raise::within(model, &q.nodes[t], first, at));
        Some(match piece {
            Some((nodes, weights)) => Knot { body, nodes: nodes.map(|v| VertexId(first + v)), weights },
            None => Knot { body, nodes: tet.nodes, weights },
        })
    });
    if inside.is_some() {
        return inside;
    }
    let distance = |v: &usize| (model.rest[*v] - at).length();
    let nearest =
        model.bodies[b].vertex_range().min_by(|v, w| distance(v).total_cmp(&distance(w)).then(v.cmp(w)))?;
    let knot = Knot { body, nodes: [VertexId::from(nearest); 4], weights: [1.0, 0.0, 0.0, 0.0] };
    (distance(&nearest) <= reach).then_some(knot)
}
