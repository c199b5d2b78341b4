//! Strips: a tube along the border of a membrane whose last row is held. What all their models share.

use crate::Fault;
use crate::lattice::Lattice;
use crate::raw::{Place, RawStrip, SpringTube};
use crate::springs;
use core::ops::Range;
use serosa_geometry::generate::intestine::Strip;
use serosa_geometry::{BodyId, PrimId, Real, Vec3, VertexId, closest_segments};
use serosa_sim::model::{Growth, Model, Prim, PrimKind, SpringBody, SpringKind};

/// Of the widest tube that is free at the start, how much is taken where a scene does not say.
const ROOM: Real = 0.98;

/// What is wrong with a strip, besides what is wrong with any mesh.
pub fn faults(raw: &RawStrip, place: Place) -> Vec<Fault> {
    let strip = &raw.strip;
    let wanted = strip.rows * strip.columns;
    let mut faults = Vec::new();
    if strip.rows < 2 || strip.columns < 3 || strip.mesh.points.len() != wanted {
        let message = format!(
            "{} points do not make a strip of {} rows and {} columns",
            strip.mesh.points.len(),
            strip.rows,
            strip.columns
        );
        return vec![Fault::new(place, message, "use at least 2 rows and 3 columns")];
    }
    if let Some(start) = raw.start_radius.filter(|s| *s > raw.radius) {
        let message = format!(
            "the tube starts with a radius of {:.2} mm and ends with {:.2} mm: it cannot shrink",
            start * 1e3,
            raw.radius * 1e3
        );
        faults.push(Fault::new(place, message, "write a smaller start_radius, or leave it out"));
    }
    faults
}

/// The vertices of the last row and those attached besides, ascending.
pub fn held(strip: &Strip, attached: &[u32]) -> Vec<u32> {
    let mut held: Vec<u32> = attached.to_vec();
    held.extend_from_slice(strip.mesh.sets.get("root").map_or(&[], Vec::as_slice));
    held.sort_unstable();
    held.dedup();
    held
}

/// Masses of all vertices \[kg\]: the tube's by length along the border, the membrane's by area.
pub fn masses(strip: &Strip, tube: Real, membrane: Real) -> Vec<Real> {
    let areas = Lattice::from(strip).vertex_areas();
    let total: Real = areas.iter().sum();
    let mut masses: Vec<Real> = areas.iter().map(|a| membrane * a / total).collect();
    let border = strip.border();
    let lengths: Vec<Real> = border.windows(2).map(|w| (w[1] - w[0]).length()).collect();
    let half = 0.5 * tube / lengths.iter().sum::<Real>();
    for (column, length) in lengths.iter().enumerate() {
        masses[column * strip.rows] += half * length;
        masses[(column + 1) * strip.rows] += half * length;
    }
    masses
}

/// Adds the capsules: the tube's first, then those of the membrane along rows and columns. The tube gets the
/// radius it ends with, and a growth; [`fit`] says later with what it starts.
pub fn add_prims(model: &mut Model, raw: &RawStrip, first: u32) {
    let (body, tube) = (BodyId::from(model.bodies.len()), raw.strip.border_edges());
    let start = model.prims.len() as u32;
    for (i, e) in raw.strip.mesh.edges.iter().enumerate() {
        let (radius, membrane) = if i < tube { (raw.radius, false) } else { (raw.half_thickness, true) };
        let kind = PrimKind::Segment(e.map(|v| VertexId(first + v)));
        model.prims.push(Prim { body, kind, radius, membrane });
    }
    let prims = start..start + tube as u32;
    model.growths.push(Growth { prims, to: raw.radius, duration_s: raw.inflation_s });
}

/// Springs as published in 2003: along rows, columns and both diagonals, all alike but for the tube's.
pub fn add_springs(
    model: &mut Model,
    raw: &RawStrip,
    (mass, tube, bends): (Real, Option<SpringTube>, bool),
    fixed: &[u32],
) -> SpringBody {
    let strip = &raw.strip;
    let lattice = Lattice::from(strip);
    let masses = match tube {
        Some(tube) => masses(strip, tube.mass, mass),
        None => springs::lumped(&strip.mesh, mass),
    };
    let first = springs::add_vertices(model, &strip.mesh.points, masses, fixed);
    let along_border = |e: &[u32; 2]| e.iter().all(|v| lattice.row_of(*v) == 0);
    let kind = |e: &[u32; 2]| match along_border(e) && tube.is_some() {
        true => SpringKind::Tube,
        false => SpringKind::Stretch,
    };
    let moves = |e: &[u32; 2]| along_border(e) || e.iter().any(|v| fixed.binary_search(v).is_err());
    let mut links: Vec<([u32; 2], SpringKind)> =
        lattice.links().iter().filter(|l| moves(&l.ends)).map(|l| (l.ends, kind(&l.ends))).collect();
    if bends {
        let across = springs::across(&strip.mesh).into_iter().filter(moves);
        links.extend(across.map(|e| (e, SpringKind::Bend)));
    }
    let body = springs::add_links(model, first, &strip.mesh.points, links);
    add_prims(model, raw, first);
    body
}

/// Gives the tube of a strip the radius it starts with. Needs the exclusions.
///
/// What is free is half the least distance of two parts of the tube, or the least distance of tube and membrane
/// less half the membrane's thickness, over all pairs that may touch. Every pair is looked at.
pub fn fit(model: &mut Model, body: usize, raw: &RawStrip) -> Result<(), Fault> {
    let prims = model.bodies[body].prims.clone();
    let tube = prims.start..prims.start + raw.strip.border_edges() as u32;
    let (free, at) = free(model, &tube, &prims);
    let wanted = raw.start_radius.unwrap_or(raw.radius.min(ROOM * free));
    if wanted >= free || wanted <= 0.0 {
        let near = format!("near ({:.3}, {:.3}, {:.3}) m", at.x, at.y, at.z);
        let (message, help) = if free > 0.0 {
            let message = format!(
                "a tube of radius {:.2} mm does not fit at the start: {near} it touches its own body",
                wanted * 1e3
            );
            (message, format!("write a start_radius below {:.2} mm, or leave it out", free * 1e3))
        } else {
            let message =
                format!("no tube fits at the start: {near} the membrane is too thick for its folds");
            (message, "write a smaller thickness".to_owned())
        };
        return Err(Fault::new(Place::Body(body), message, help));
    }
    tube.for_each(|i| model.prims[i as usize].radius = wanted);
    Ok(())
}

/// The widest tube that touches nothing of its own body, and where it would touch first.
fn free(model: &Model, tube: &Range<u32>, all: &Range<u32>) -> (Real, Vec3) {
    let (mut free, mut at) = (Real::INFINITY, Vec3::ZERO);
    let segment = |i: u32| match model.prims[i as usize].kind {
        PrimKind::Segment(ends) => ends.map(|v| model.rest[v.at()]),
        PrimKind::Shape(_) | PrimKind::Triangle(_) => [Vec3::INFINITY; 2],
    };
    let segments: Vec<([Vec3; 2], Vec3, Real)> =
        all.clone().map(segment).map(|[a, b]| ([a, b], (a + b) * 0.5, 0.5 * (b - a).length())).collect();
    for i in tube.clone() {
        let ([a, b], middle, half) = segments[(i - all.start) as usize];
        for j in i + 1..all.end {
            let ([c, d], other_middle, other_half) = segments[(j - all.start) as usize];
            let (share, thick) =
                if j < tube.end { (0.5, 0.0) } else { (1.0, model.prims[j as usize].radius) };
            // A bound first: most pairs are far apart.
            let bound = (middle - other_middle).length() - half - other_half;
            if share * (bound - thick) >= free || !model.may_touch(PrimId(i), PrimId(j)) {
                continue;
            }
            let near = closest_segments(a, b, c, d);
            let (p, q) = (a.lerp(b, near.s), c.lerp(d, near.t));
            let room = share * ((p - q).length() - thick);
            if room < free {
                (free, at) = (room, (p + q) * 0.5);
            }
        }
    }
    (free, at)
}
