//! Bands: ropes, and tubes with their membranes, numbered so that coupled vertices are near one another.

use crate::lattice::Lattice;
use crate::raw::{RawBand, RawStrip};
use crate::{springs, strip};
use serosa_geometry::{Mesh, Real, VertexId};
use serosa_sim::model::{BandBody, Bend, FIXED, Model, Prim, PrimKind, Rod, Spring, SpringKind};

/// The vertices of a mesh that is one open path, from the end with the smaller number.
pub fn path(mesh: &Mesh) -> Option<Vec<u32>> {
    let n = mesh.points.len();
    let mut around = vec![Vec::new(); n];
    for &[a, b] in &mesh.edges {
        around.get_mut(a as usize)?.push(b);
        around.get_mut(b as usize)?.push(a);
    }
    let first = around.iter().position(|ring| ring.len() == 1)? as u32;
    let mut path = vec![first];
    let mut before = FIXED;
    while path.len() < n {
        let here = *path.last()?;
        let ring = &around[here as usize];
        let next = *ring.iter().find(|v| **v != before).filter(|_| ring.len() <= 2)?;
        before = here;
        path.push(next);
    }
    (mesh.edges.len() + 1 == n).then_some(path)
}

/// Adds a rope: a mesh whose vertices follow one another along `path`.
pub fn add_rope(
    model: &mut Model,
    (mesh, path): (&Mesh, &[u32]),
    radius: Real,
    raw: &RawBand,
    fixed: &[u32],
) -> BandBody {
    let open = Open::of(model);
    let first = springs::add_vertices(model, &mesh.points, springs::lumped(mesh, raw.mass), fixed);
    let along: Vec<u32> = path.iter().map(|v| first + v).collect();
    add_tube(model, &along);
    let body = serosa_geometry::BodyId::from(model.bodies.len());
    model.prims.extend(mesh.edges.iter().map(|e| {
        let kind = PrimKind::Segment(e.map(|v| VertexId(first + v)));
        Prim { body, kind, radius, membrane: false }
    }));
    open.close(model, &along)
}

/// Adds a tube with its membrane.
pub fn add_strip(model: &mut Model, geometry: &RawStrip, raw: &RawBand, fixed: &[u32]) -> BandBody {
    let open = Open::of(model);
    let source = &geometry.strip;
    let lattice = Lattice::from(source);
    let masses = strip::masses(source, raw.tube_mass.unwrap_or(0.0), raw.mass);
    let first = springs::add_vertices(model, &source.mesh.points, masses, fixed);
    let border: Vec<u32> = (0..source.columns).map(|c| first + lattice.at(0, c)).collect();
    add_tube(model, &border);
    let id = |v: u32| VertexId(first + v);
    let on_border = |nodes: &[u32]| nodes.iter().all(|v| lattice.row_of(*v) == 0);
    let moves = |nodes: &[u32]| nodes.iter().any(|v| fixed.binary_search(v).is_err());
    // The border is the tube's; its springs are far stiffer than what the sheet would add there.
    let links = lattice.links().into_iter().filter(|l| !on_border(&l.ends) && moves(&l.ends));
    model.springs.extend(links.map(|l| Spring {
        ends: l.ends.map(id),
        rest_m: lattice.length(l.ends),
        kind: SpringKind::Stretch,
        share: l.share,
    }));
    let curves = lattice.curves().into_iter().filter(|c| !on_border(&c.nodes) && moves(&c.nodes));
    model.bends.extend(curves.map(|c| Bend { nodes: c.nodes.map(id), weights: c.weights, share: c.area }));
    strip::add_prims(model, geometry, first);
    // Vertices lie column by column already.
    let order: Vec<u32> = (first..model.rest.len() as u32).collect();
    open.close(model, &order)
}

/// Springs and bending along vertices that follow one another.
fn add_tube(model: &mut Model, along: &[u32]) {
    let length = |a: u32, b: u32| (model.rest[b as usize] - model.rest[a as usize]).length();
    let lengths: Vec<Real> = along.windows(2).map(|w| length(w[0], w[1])).collect();
    model.springs.extend(along.windows(2).zip(&lengths).map(|(w, l)| Spring {
        ends: [VertexId(w[0]), VertexId(w[1])],
        rest_m: *l,
        kind: SpringKind::Tube,
        share: 1.0 / l,
    }));
    model.rods.extend(along.windows(3).zip(lengths.windows(2)).map(|(w, l)| Rod {
        nodes: [VertexId(w[0]), VertexId(w[1]), VertexId(w[2])],
        length: 0.5 * (l[0] + l[1]),
    }));
}

/// Where the shares of a band begin.
struct Open {
    springs: u32,
    bends: u32,
    rods: u32,
}

impl Open {
    fn of(model: &Model) -> Self {
        Self {
            springs: model.springs.len() as u32,
            bends: model.bends.len() as u32,
            rods: model.rods.len() as u32,
        }
    }

    /// Numbers the vertices that move in the given order and measures the band.
    fn close(self, model: &mut Model, order: &[u32]) -> BandBody {
        model.unknown.resize(model.rest.len(), FIXED);
        let mut unknowns = 0;
        for &v in order {
            if model.inv_mass[v as usize] > 0.0 {
                model.unknown[v as usize] = unknowns;
                unknowns += 1;
            }
        }
        let mut body = BandBody {
            springs: self.springs..model.springs.len() as u32,
            bends: self.bends..model.bends.len() as u32,
            rods: self.rods..model.rods.len() as u32,
            unknowns,
            half_band: 0,
        };
        body.half_band = couplings(model, &body).iter().map(|nodes| spread(model, nodes)).max().unwrap_or(0);
        body
    }
}

/// The vertices of each spring and stencil of a band.
fn couplings<'a>(model: &'a Model, body: &BandBody) -> Vec<&'a [VertexId]> {
    let range = |r: &core::ops::Range<u32>| r.start as usize..r.end as usize;
    let springs = model.springs[range(&body.springs)].iter().map(|s| s.ends.as_slice());
    let bends = model.bends[range(&body.bends)].iter().map(|b| b.nodes.as_slice());
    let rods = model.rods[range(&body.rods)].iter().map(|r| r.nodes.as_slice());
    springs.chain(bends).chain(rods).collect()
}

/// The largest difference of numbers among the vertices that move.
fn spread(model: &Model, nodes: &[VertexId]) -> u32 {
    let numbers = nodes.iter().map(|v| model.unknown[v.at()]).filter(|u| *u != FIXED);
    let (lo, hi) = numbers.fold((FIXED, 0), |(lo, hi), u| (lo.min(u), hi.max(u)));
    hi.saturating_sub(lo)
}
