//! Which way a solid descends, and the factor for those that descend as a whole.

use crate::assemble::{Lame, add_inertia, elastic_stiffness};
use crate::cholesky::{FactorError, factor};
use crate::raw::{Place, RawDescent, RawModel};
use crate::scene::Oven;
use serosa_geometry::Real;
use serosa_sim::algebra::sparse::Precision;
use serosa_sim::model::{BodyKind, Descent, Global, Model, SolidBody};

impl Oven<'_> {
    /// Descents of all solids, when all of their vertices are there.
    pub(crate) fn choose_descents(&mut self) {
        if !self.faults.is_empty() {
            return;
        }
        let substep_s = self.params.dt_s / Real::from(self.params.substeps.max(1));
        for (b, raw) in self.raw.bodies.iter().enumerate() {
            let (RawModel::Solid(elastic), BodyKind::Solid(body)) = (&raw.model, &self.model.bodies[b].kind)
            else {
                continue;
            };
            let whole = match elastic.descent {
                RawDescent::Auto => is_slow(&self.model, body, substep_s),
                RawDescent::Vertex => false,
                RawDescent::Global => true,
            };
            if !whole {
                continue;
            }
            let made = global(&self.model, b, body, [substep_s, elastic.relaxation_s]);
            match (made, &mut self.model.bodies[b].kind) {
                (Ok(made), BodyKind::Solid(body)) => body.descent = Descent::Global(Box::new(made)),
                (Err(error), _) => {
                    let help = "write descent = \"vertex\"";
                    self.fault(Place::Body(b), format!("no factor for its descent: {error}"), help);
                }
                _ => {}
            }
        }
    }
}

/// Whether vertices alone converge slowly.
fn is_slow(_: &Model, _: &SolidBody, _: Real) -> bool {
    false
}

/// Factors the linear body at rest. About n² operations for n vertices.
fn global(
    model: &Model,
    b: usize,
    body: &SolidBody,
    [substep_s, relaxation_s]: [Real; 2],
) -> Result<Global, FactorError> {
    let vertices = model.bodies[b].vertex_range();
    let first = vertices.start as u32;
    let tets = &model.tets[body.tets.start as usize..body.tets.end as usize];
    let nodes: Vec<[u32; 4]> = tets.iter().map(|t| t.nodes.map(|v| v.0 - first)).collect();
    let stiffer = 1.0 + relaxation_s / substep_s;
    let material = |r: u32| {
        let region = &body.regions[r as usize];
        Lame::of(region.young * stiffer, region.poisson)
    };
    let materials: Vec<Lame> = tets.iter().map(|t| material(t.region)).collect();
    let fixed: Vec<bool> = vertices.clone().map(|v| model.inv_mass[v] == 0.0).collect();
    let points = &model.rest[vertices.clone()];
    let mut matrix = elastic_stiffness(points, &nodes, &materials, &fixed);
    add_inertia(&mut matrix, &model.mass[vertices], substep_s);
    for wall in &body.walls {
        matrix.add_diagonal(wall.vertex.0 - first, wall.stiffness);
    }
    Ok(Global { factor: factor(&matrix, points, Precision::Single)?, substep_s, relaxation_s })
}
