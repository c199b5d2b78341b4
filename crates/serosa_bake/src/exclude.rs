//! Which primitives of one body may not touch each other.

use serosa_geometry::solid::touches;
use serosa_geometry::{Aabb, Grid, PrimId, Real, VertexId};
use serosa_sim::detect::{Places, solid_of};
use serosa_sim::model::{Exclusions, Model, PrimKind};
use std::collections::BTreeSet;

/// Leaves out, in every body that may touch itself, two kinds of pairs.
///
/// Neighbours: two points of a tube of radius r, bent as tightly as it can be, touch when they are π r apart
/// along it, so edges nearer than that along the body (whatever the way) are left out. Taking only edges that
/// share a vertex, as published, would report contacts for ever where edges are shorter than the tube is wide.
///
/// Pairs closer at rest than their radii, like the crossing diagonals of a membrane's cell: they are counted.
pub fn exclusions(model: &Model) -> Exclusions {
    let mut pairs: BTreeSet<(PrimId, PrimId)> = BTreeSet::new();
    let ring = rings(model);
    for body in model.bodies.iter().filter(|b| b.self_contact) {
        for prim in body.prims.clone().map(PrimId) {
            neighbours(model, &ring, prim, &mut pairs);
        }
    }
    let overlapping = overlapping_at_rest(model, &pairs);
    let overlapping_at_rest = overlapping.len() as u32;
    pairs.extend(overlapping);

    let mut starts = Vec::with_capacity(model.prims.len() + 1);
    let mut partners = Vec::with_capacity(pairs.len());
    let mut rest = pairs.into_iter().peekable();
    for i in 0..model.prims.len() {
        starts.push(partners.len() as u32);
        while let Some((_, j)) = rest.next_if(|(a, _)| a.at() == i) {
            partners.push(j);
        }
    }
    starts.push(partners.len() as u32);
    Exclusions { starts, partners, overlapping_at_rest }
}

/// For each vertex, the segments at it: (segment, other end, length).
fn rings(model: &Model) -> Vec<Vec<(PrimId, VertexId, Real)>> {
    let mut rings = vec![Vec::new(); model.rest.len()];
    for (i, prim) in model.prims.iter().enumerate() {
        if let PrimKind::Segment([a, b]) = prim.kind {
            let length = (model.rest[a.at()] - model.rest[b.at()]).length();
            rings[a.at()].push((PrimId::from(i), b, length));
            rings[b.at()].push((PrimId::from(i), a, length));
        }
    }
    rings
}

/// Walks outwards from a segment and leaves out every later segment that begins nearer than π r.
fn neighbours(
    model: &Model,
    rings: &[Vec<(PrimId, VertexId, Real)>],
    prim: PrimId,
    pairs: &mut BTreeSet<(PrimId, PrimId)>,
) {
    let PrimKind::Segment(ends) = model.prims[prim.at()].kind else { return };
    let reach = core::f64::consts::PI * model.prims[prim.at()].radius;
    // The walk is short, so a list serves as the set of vertices reached, with the shortest way to each.
    let mut reached: Vec<(VertexId, Real)> = ends.iter().map(|&v| (v, 0.0)).collect();
    let mut next = 0;
    while next < reached.len() {
        let (v, way) = reached[next];
        next += 1;
        for &(other, far, length) in &rings[v.at()] {
            if other > prim {
                pairs.insert((prim, other));
            }
            let way = way + length;
            match reached.iter_mut().position(|(w, _)| *w == far) {
                Some(k) if reached[k].1 <= way => {}
                Some(k) => {
                    reached[k].1 = way;
                    next = next.min(k);
                }
                None if way < reach => reached.push((far, way)),
                None => {}
            }
        }
    }
}

fn overlapping_at_rest(model: &Model, known: &BTreeSet<(PrimId, PrimId)>) -> Vec<(PrimId, PrimId)> {
    let radius: Vec<Real> = model.prims.iter().map(|p| p.radius).collect();
    let pose: Vec<_> = model.rigids.iter().map(|r| r.rest).collect();
    let at = Places { pos: &model.rest, pose: &pose, radius: &radius };
    let solids: Vec<_> = (0..model.prims.len()).map(|i| solid_of(model, PrimId::from(i), at)).collect();
    let boxes: Vec<Aabb> = solids.iter().map(|s| s.bounds()).collect();
    let mut grid = Grid::default();
    grid.build(&boxes);
    let mut found = Vec::new();
    for job in 0..grid.jobs() {
        grid.pairs_in(job, &boxes, |i, j| {
            let (a, b) = (PrimId(i), PrimId(j));
            let body = model.prims[a.at()].body;
            let own = body == model.prims[b.at()].body && model.bodies[body.at()].self_contact;
            if own && !known.contains(&(a, b)) {
                let mut overlap = false;
                touches(&solids[a.at()], &solids[b.at()], 0.0, &mut |_| overlap = true);
                if overlap {
                    found.push((a, b));
                }
            }
        });
    }
    found
}
