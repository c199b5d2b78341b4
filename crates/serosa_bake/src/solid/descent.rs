//! Which way a solid descends, and the factor for those that descend as a whole.

use super::coarse;
use crate::Fault;
use crate::assemble::{Lame, add_inertia, elastic_stiffness, quadratic_stiffness};
use crate::cholesky::{FactorError, factor};
use crate::raw::{Place, RawModel};
use crate::scene::Oven;
use serosa_geometry::{Aabb, Real, Vec3};
use serosa_sim::algebra::sparse::Precision;
use serosa_sim::model::{BodyKind, Descent, Global, Law, Model, Region, SolidBody};

/// How a solid descends its potential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawDescent {
    /// As measurements have it for its size and stiffness.
    #[default]
    Auto,
    /// Vertex by vertex.
    Vertex,
    /// As a whole, on a factor.
    Global,
}

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
            let rest = &self.model.rest[self.model.bodies[b].vertex_range()];
            let times = [substep_s, elastic.relaxation_s];
            if body.quadratic.is_some() && elastic.descent == RawDescent::Vertex {
                let help = "write descent = \"global\" or leave it out, or element = \"linear\"";
                let message =
                    format!("quadratic tetrahedra of \"{}\" cannot descend vertex by vertex", raw.name);
                self.faults.push(Fault::new(Place::Body(b), message, help));
                continue;
            }
            let every = match elastic.descent {
                RawDescent::Auto if body.quadratic.is_some() => Some(quadratic_every(self.params.sweeps)),
                RawDescent::Auto => every(&self.model, body, rest, (times, self.params.sweeps)),
                RawDescent::Vertex => None,
                RawDescent::Global => Some(1),
            };
            let Some(every) = every else {
                let coarse = Box::new(coarse::choose(&self.model, b, body));
                if let BodyKind::Solid(body) = &mut self.model.bodies[b].kind {
                    body.coarse = coarse;
                }
                continue;
            };
            let made = global(&self.model, b, body, times).map(|made| Global { every, ..made });
            match (made, &mut self.model.bodies[b].kind) {
                (Ok(made), BodyKind::Solid(body)) => body.descent = Descent::Global(Box::new(made)),
                (Err(error), _) => {
                    let help = "write descent = \"vertex\" and element = \"linear\"";
                    self.fault(Place::Body(b), format!("no factor for its descent: {error}"), help);
                }
                _ => {}
            }
        }
    }
}

/// A step as a whole takes the time of this many sweeps for a body of one vertex, and grows with the cube root of their
/// number; measured from 1,000 to 20,000 vertices. Three times as many where tetrahedra turn.
const STEP: Real = 0.6;
/// So many steps quadratic tetrahedra take in a substep, of as many sweeps or more.
const QUADRATIC_STEPS: u32 = 4;
/// Fewer steps are no better than sweeps.
const FEWEST: Real = 2.0;

/// In every how many-th sweep the body takes a step as a whole, so that it takes no longer than sweeps; none where these
/// suffice, or where it could not take two.
///
/// A sweep carries information one edge far, and at random: as many are needed as the edges squared that a wave of
/// pressure passes in a substep, or that the body has.
fn every(
    model: &Model,
    body: &SolidBody,
    rest: &[Vec3],
    ([substep_s, relaxation_s], sweeps): ([Real; 2], u32),
) -> Option<u32> {
    let tets = &model.tets[body.tets.start as usize..body.tets.end as usize];
    let volume = tets.iter().map(|t| t.volume).sum::<Real>() / tets.len().max(1) as Real;
    let edge = (volume * 6.0 * core::f64::consts::SQRT_2).cbrt();
    let speed_sq = |r: &Region| {
        let Lame { lambda, mu } = Lame::of(r.young * (1.0 + relaxation_s / substep_s), r.poisson);
        (lambda + 2.0 * mu) / r.density
    };
    let fastest = body.regions.iter().map(speed_sq).fold(0.0, Real::max).sqrt();
    let bounds = Aabb::around(rest.iter().copied());
    let far = (fastest * substep_s).min((bounds.max - bounds.min).max_element()) / edge;
    let turns = relaxation_s > 0.0 || body.regions.iter().any(|r| r.law == Law::Corotated);
    let every = (STEP * (rest.len() as Real).cbrt() * if turns { 3.0 } else { 1.0 }).ceil();
    (far * far > Real::from(sweeps) && Real::from(sweeps) >= FEWEST * every).then_some(every as u32)
}

/// The same of quadratic tetrahedra, which have no other way.
fn quadratic_every(sweeps: u32) -> u32 {
    (sweeps / QUADRATIC_STEPS).max(1)
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
    let stiffer = 1.0 + relaxation_s / substep_s;
    let material = |r: u32| {
        let region = &body.regions[r as usize];
        Lame::of(region.young * stiffer, region.poisson)
    };
    let materials: Vec<Lame> = tets.iter().map(|t| material(t.region)).collect();
    let fixed: Vec<bool> = vertices.clone().map(|v| model.inv_mass[v] == 0.0).collect();
    let points = &model.rest[vertices.clone()];
    let mut matrix = match &body.quadratic {
        Some(ten) => quadratic_stiffness(points, &ten.nodes, &materials, &fixed),
        None => {
            let nodes: Vec<[u32; 4]> = tets.iter().map(|t| t.nodes.map(|v| v.0 - first)).collect();
            elastic_stiffness(points, &nodes, &materials, &fixed)
        }
    };
    add_inertia(&mut matrix, &model.mass[vertices], substep_s);
    for wall in &body.walls {
        matrix.add_diagonal(wall.vertex.0 - first, wall.stiffness);
    }
    Ok(Global { factor: factor(&matrix, points, Precision::Single)?, substep_s, relaxation_s, every: 1 })
}
