//! Which primitives of one body, or of bodies tied together, may not touch each other.

use serosa_geometry::solid::touches;
use serosa_geometry::{Aabb, Grid, PrimId, Real, VertexId, closest_segments};
use serosa_sim::detect::{Places, solid_of};
use serosa_sim::model::{Exclusions, Knot, Model, PrimKind};

/// The most pairs that may be left out. Beyond it bodies are far thicker than their edges are long.
pub const PAIRS_MAX: usize = 20_000_000;

/// Leaves out, in every body that may touch itself, two kinds of pairs.
///
/// Neighbours: two points of a tube of radius r, bent as tightly as it can be, touch when they are π r apart
/// along it, so edges nearer than that along the body (whatever the way) are left out. Taking only edges that
/// share a vertex, as published, would report contacts for ever where edges are shorter than the tube is wide.
///
/// Triangles are left out with the edges that begin as near to one of their corners.
///
/// A tube is measured by the radius it ends with, so that what is left out does not change while it widens. Of the
/// membrane near along the body, a tube leaves out what hangs on it and what it will cover at rest; the rest it may
/// touch.
///
/// Pairs closer at rest than their radii, like the crossing diagonals of a membrane's cell: they are counted.
/// Not so for a tube with a membrane: it starts with a radius that touches nothing.
///
/// So are the pairs of two bodies that a tie joins, where any of them begins closer than its radii: the tie holds what
/// contact would part.
///
/// Returns the pairs that overlap too. The error is the number of the body that would leave out too many.
pub fn exclusions(model: &Model) -> Result<(Exclusions, Vec<(PrimId, PrimId)>), usize> {
    let (rings, fans) = (rings(model), fans(model));
    let wide = wide(model);
    let mut walk =
        Walk { way: vec![0.0; model.rest.len()], round: vec![0; model.rest.len()], ..Walk::default() };
    let mut excluded = Exclusions::default();
    for (i, prim) in model.prims.iter().enumerate() {
        excluded.starts.push(excluded.partners.len() as u32);
        let body = &model.bodies[prim.body.at()];
        if body.self_contact && (!prim.membrane || body.membrane_contact) {
            let (i, start) = (PrimId::from(i), excluded.partners.len());
            let reach = core::f64::consts::PI * wide[i.at()];
            walk.neighbours(model, (&rings, &fans), (i, reach), &mut excluded.partners);
            if !prim.membrane {
                let mut kept = excluded.partners.split_off(start);
                kept.retain(|j| !model.prims[j.at()].membrane || covers(model, &rings, &wide, (i, *j)));
                excluded.partners.append(&mut kept);
            }
        }
        if excluded.partners.len() > PAIRS_MAX {
            return Err(prim.body.at());
        }
    }
    excluded.starts.push(excluded.partners.len() as u32);
    let overlapping = overlapping_at_rest(model, &excluded, (&rings, &fans))?;
    Ok((with_more(excluded, &overlapping), overlapping))
}

/// The exclusions with more pairs, sorted, merged in.
fn with_more(excluded: Exclusions, more: &[(PrimId, PrimId)]) -> Exclusions {
    let mut merged = Exclusions { overlapping_at_rest: more.len() as u32, ..Exclusions::default() };
    let mut rest = more.iter().peekable();
    for (i, ends) in excluded.starts.windows(2).enumerate() {
        let start = merged.partners.len();
        merged.starts.push(start as u32);
        merged.partners.extend_from_slice(&excluded.partners[ends[0] as usize..ends[1] as usize]);
        while let Some((_, j)) = rest.next_if(|(a, _)| a.at() == i) {
            merged.partners.push(*j);
        }
        merged.partners[start..].sort_unstable();
    }
    merged.starts.push(merged.partners.len() as u32);
    merged
}

/// The largest radius that each primitive will have \[m\].
fn wide(model: &Model) -> Vec<Real> {
    let mut wide: Vec<Real> = model.prims.iter().map(|p| p.radius).collect();
    for growth in &model.growths {
        for i in growth.prims.clone() {
            wide[i as usize] = wide[i as usize].max(growth.to);
        }
    }
    wide
}

/// Whether a piece of membrane hangs on the tube, or is covered by one of its segments at rest.
fn covers(model: &Model, rings: &Rings, wide: &[Real], (tube, sheet): (PrimId, PrimId)) -> bool {
    let (PrimKind::Segment(a), PrimKind::Segment(b)) =
        (model.prims[tube.at()].kind, model.prims[sheet.at()].kind)
    else {
        return false;
    };
    if b.iter().any(|v| rings[v.at()].iter().any(|(i, ..)| !model.prims[i.at()].membrane)) {
        return true;
    }
    let [a, b] = [a, b].map(|ends| ends.map(|v| model.rest[v.at()]));
    let near = closest_segments(a[0], a[1], b[0], b[1]);
    let distance = (a[0].lerp(a[1], near.s) - b[0].lerp(b[1], near.t)).length();
    distance < wide[tube.at()] + wide[sheet.at()]
}

/// For each vertex, the segments at it: (segment, other end, length).
type Rings = Vec<Vec<(PrimId, VertexId, Real)>>;

/// For each vertex, the triangles at it.
type Fans = Vec<Vec<PrimId>>;

fn fans(model: &Model) -> Fans {
    let mut fans = vec![Vec::new(); model.rest.len()];
    for (i, prim) in model.prims.iter().enumerate() {
        if let PrimKind::Triangle(corners) = prim.kind {
            corners.iter().for_each(|v| fans[v.at()].push(PrimId::from(i)));
        }
    }
    fans
}

fn rings(model: &Model) -> Rings {
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

/// A walk outwards from a segment along the edges, its arrays kept from one walk to the next.
#[derive(Default)]
struct Walk {
    /// Shortest way found to each vertex \[m\]; valid where `round` is the present one.
    way: Vec<Real>,
    round: Vec<u32>,
    now: u32,
    queue: std::collections::VecDeque<VertexId>,
}

impl Walk {
    /// Adds every later segment and every triangle that begins nearer than `reach` to a segment, ascending. Cost: in
    /// proportion to what it reaches.
    fn neighbours(
        &mut self,
        model: &Model,
        (rings, fans): (&Rings, &Fans),
        (prim, reach): (PrimId, Real),
        partners: &mut Vec<PrimId>,
    ) {
        let PrimKind::Segment(ends) = model.prims[prim.at()].kind else { return };
        self.now += 1;
        let start = partners.len();
        ends.iter().for_each(|v| self.reach(*v, 0.0));
        while let Some(v) = self.queue.pop_front() {
            let way = self.way[v.at()];
            partners.extend_from_slice(&fans[v.at()]);
            for &(other, far, length) in &rings[v.at()] {
                if other > prim {
                    partners.push(other);
                }
                if way + length < reach {
                    self.reach(far, way + length);
                }
            }
            // A segment is seen from both its ends, and again when a shorter way is found.
            if partners.len() - start > PAIRS_MAX {
                break;
            }
        }
        self.queue.clear();
        partners[start..].sort_unstable();
        let mut kept = start;
        for k in start..partners.len() {
            if k == start || partners[k] != partners[k - 1] {
                partners[kept] = partners[k];
                kept += 1;
            }
        }
        partners.truncate(kept);
    }

    fn reach(&mut self, v: VertexId, way: Real) {
        let known = self.round[v.at()] == self.now;
        if !known || way < self.way[v.at()] {
            (self.round[v.at()], self.way[v.at()]) = (self.now, way);
            self.queue.push_back(v);
        }
    }
}

/// Whether two primitives are of one body and would touch if they overlapped at rest.
fn own(model: &Model, a: PrimId, b: PrimId) -> bool {
    let (a, b) = (&model.prims[a.at()], &model.prims[b.at()]);
    let body = &model.bodies[a.body.at()];
    match (a.membrane, b.membrane) {
        _ if a.body != b.body || !body.self_contact => false,
        (true, true) => body.membrane_contact,
        (false, false) => !model.growths.iter().any(|g| body.prims.contains(&g.prims.start)),
        _ => false,
    }
}

/// For each vertex the ends of ties at it: number of the tie, which end.
type Ties = Vec<Vec<(usize, usize)>>;

/// The vertices that an end of a tie holds.
fn felt(knot: &Knot) -> impl Iterator<Item = VertexId> {
    knot.nodes.iter().zip(knot.weights).filter(|(_, weight)| *weight > 0.0).map(|(v, _)| *v)
}

fn ties(model: &Model) -> Ties {
    let mut ties = vec![Vec::new(); model.rest.len()];
    for (t, tie) in model.ties.iter().enumerate() {
        for (end, knot) in tie.ends.iter().enumerate() {
            felt(knot).for_each(|v| ties[v.at()].push((t, end)));
        }
    }
    ties
}

/// The ties that join two primitives.
fn joined<'a>(model: &'a Model, ties: &'a Ties, a: PrimId, b: PrimId) -> impl Iterator<Item = usize> + 'a {
    let ends = move |prim: PrimId| model.prims[prim.at()].kind.vertices().iter().flat_map(|v| &ties[v.at()]);
    ends(a).filter(move |(tie, end)| ends(b).any(|other| *other == (*tie, 1 - end))).map(|(tie, _)| *tie)
}

/// All pairs of primitives that those ties join. With an edge always the faces at it: what slips past an edge that is
/// left out would be taken by its face for something that has come through.
fn pairs_at(model: &Model, ties: &[bool], (rings, fans): (&Rings, &Fans)) -> Vec<(PrimId, PrimId)> {
    let at = |knot: &Knot| -> Vec<PrimId> {
        let edges = felt(knot).flat_map(|v| rings[v.at()].iter().map(|(i, ..)| *i));
        edges.chain(felt(knot).flat_map(|v| fans[v.at()].iter().copied())).collect()
    };
    let mut pairs = Vec::new();
    for (_, tie) in ties.iter().zip(&model.ties).filter(|(overlaps, _)| **overlaps) {
        let [first, second] = [at(&tie.ends[0]), at(&tie.ends[1])];
        pairs.extend(first.iter().flat_map(|a| second.iter().map(|b| (*a.min(b), *a.max(b)))));
    }
    pairs
}

fn overlapping_at_rest(
    model: &Model,
    known: &Exclusions,
    paths: (&Rings, &Fans),
) -> Result<Vec<(PrimId, PrimId)>, usize> {
    let radius: Vec<Real> = model.prims.iter().map(|p| p.radius).collect();
    let pose: Vec<_> = model.rigids.iter().map(|r| r.rest).collect();
    let at = Places { pos: &model.rest, pose: &pose, radius: &radius };
    let solids: Vec<_> = (0..model.prims.len()).map(|i| solid_of(model, PrimId::from(i), at)).collect();
    let boxes: Vec<Aabb> = solids.iter().map(|s| s.bounds()).collect();
    let mut grid = Grid::default();
    grid.build(&boxes, |_| 0);
    let ties = ties(model);
    let mut overlaps = vec![false; model.ties.len()];
    let mut found: Vec<(PrimId, PrimId)> = Vec::new();
    for job in 0..grid.jobs() {
        grid.pairs_in(job, &boxes, |i, j| {
            let (a, b) = (PrimId(i), PrimId(j));
            let tied = || joined(model, &ties, a, b).next().is_some();
            if (own(model, a, b) || tied()) && found.len() <= PAIRS_MAX && !known.contains(a, b) {
                let mut overlap = false;
                touches(&solids[a.at()], &solids[b.at()], 0.0, &mut |_| overlap = true);
                if overlap {
                    found.push((a, b));
                    joined(model, &ties, a, b).for_each(|tie| overlaps[tie] = true);
                }
            }
        });
    }
    found.extend(pairs_at(model, &overlaps, paths));
    found.sort_unstable();
    found.dedup();
    match found.last() {
        Some((a, _)) if found.len() > PAIRS_MAX => Err(model.prims[a.at()].body.at()),
        _ => Ok(found),
    }
}
