//! Where the surface crosses the edges of the lattice, and which points are moved onto it.

use super::background::Background;
use super::body::{Body, Known};
use super::octree::Octree;
use super::stencil::{Corners, Side, WARP_LONG, WARP_SHORT};
use serosa_geometry::{Real, Vec3};

/// Crossings are found to this part of the smallest edge; what is left is mended when points are smoothed.
const NEAR: Real = 1e-3;
/// By halving alone, to this part.
const NARROW: Real = 0.02;
/// Evaluations for one crossing, at most. Each at least halves what is left every other time.
const ROUNDS: usize = 12;
/// Stands where an edge is no longer cut.
const GONE: Real = Real::INFINITY;

/// A mesh as it comes from the lattice.
pub(super) struct Raw {
    pub points: Vec<Vec3>,
    pub tets: Vec<[u32; 4]>,
}

/// An edge of the lattice from inside to outside, and where between both the surface crosses it.
#[derive(Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    at: Real,
}

/// Cuts the lattice along the surface. O(n log n) for n tetrahedra.
pub(super) fn stuff(body: &Body, tree: &Octree, background: &Background) -> Raw {
    let mut points: Vec<Vec3> = background.keys.iter().map(|k| tree.place(*k)).collect();
    let mut edges = crossed(background);
    cross(body, &points, background, &mut edges);
    let sides = warp(&mut points, background, &mut edges);
    cut(points, &sides, background, &edges)
}

/// Edges with one end inside and one outside, ascending.
fn crossed(background: &Background) -> Vec<Edge> {
    let mut edges = Vec::new();
    let value = |p: u32| background.values[p as usize];
    for tet in &background.tets {
        for (i, p) in tet.iter().enumerate() {
            let outside =
                tet.iter().enumerate().filter(|(j, q)| *j != i && value(*p) < 0.0 && value(**q) > 0.0);
            edges.extend(outside.map(|(_, q)| [*p, *q]));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|ends| Edge { ends, at: 0.5 }).collect()
}

/// An interval in which an edge crosses the surface: from inside to outside, with the values there.
#[derive(Clone, Copy)]
struct Bracket {
    edge: usize,
    from: (Real, Real),
    to: (Real, Real),
}

impl Bracket {
    /// Where to look next: by regula falsi, or in the middle where values tell nothing (jumps of the winding number in a
    /// hole, parts of the surface inside) and now and then elsewhere.
    fn guess(&self, halve: bool) -> Real {
        let ((a, fa), (b, fb)) = (self.from, self.to);
        let guess = (a * fb - b * fa) / (fb - fa);
        if guess > a && guess < b && !halve { guess } else { 0.5 * (a + b) }
    }
}

/// Finds all crossings together.
fn cross(body: &Body, points: &[Vec3], background: &Background, edges: &mut [Edge]) {
    let value = |p: u32| background.values[p as usize];
    let bracket = |(edge, e): (usize, &Edge)| Bracket {
        edge,
        from: (0.0, value(e.ends[0])),
        to: (1.0, value(e.ends[1])),
    };
    let mut open: Vec<Bracket> = edges.iter().enumerate().map(bracket).collect();
    for round in 0..ROUNDS {
        // Where the surface overlaps itself a small value may be that of a part of it inside, and tells nothing.
        let overlaps = body.overlaps.get();
        let (halve, narrow) = if overlaps { (true, NARROW) } else { (round % 3 == 2, NEAR) };
        let place = |b: &Bracket, at: Real| {
            let [p, q] = edges[b.edge].ends.map(|i| points[i as usize]);
            p.lerp(q, at)
        };
        let known = |i: usize| {
            let ends = [open[i].from, open[i].to].map(|(at, value)| (place(&open[i], at), value));
            Known { values: ends.map(Some), outward: ends[1].0 - ends[0].0 }
        };
        let guesses: Vec<Vec3> = open.iter().map(|b| place(b, b.guess(halve))).collect();
        let values = body.values(&guesses, known);
        let mut left = Vec::new();
        for (mut bracket, value) in open.into_iter().zip(values) {
            let at = bracket.guess(halve);
            let [p, q] = edges[bracket.edge].ends.map(|i| points[i as usize]);
            edges[bracket.edge].at = at;
            *(if value < 0.0 { &mut bracket.from } else { &mut bracket.to }) = (at, value);
            let near = value.abs() <= NEAR * p.distance(q) && !overlaps;
            if !near && bracket.to.0 - bracket.from.0 > narrow {
                left.push(bracket);
            }
        }
        if left.is_empty() {
            return;
        }
        open = left;
    }
}

/// Moves points that have a crossing close by onto the nearest such; the edges of a point moved are no longer cut.
/// In the order of the points, which decides where two would move.
fn warp(points: &mut [Vec3], background: &Background, edges: &mut [Edge]) -> Vec<Side> {
    let mut sides: Vec<Side> = background.values.iter().map(|v| side(*v)).collect();
    let mut around: Vec<(u32, u32)> =
        edges.iter().zip(0..).flat_map(|(e, i)| e.ends.map(|p| (p, i))).collect();
    around.sort_unstable();
    for of_point in around.chunk_by(|a, b| a.0 == b.0) {
        let point = of_point[0].0;
        let mut nearest = (GONE, Vec3::ZERO);
        for (_, edge) in of_point {
            let Edge { ends: [p, q], at } = edges[*edge as usize];
            let (from, to) = (points[p as usize], points[q as usize]);
            let part = if point == p { at } else { 1.0 - at };
            let most = if is_long(background, p, q) { WARP_LONG } else { WARP_SHORT };
            if at != GONE && part < most && part * from.distance(to) < nearest.0 {
                nearest = (part * from.distance(to), from.lerp(to, at));
            }
        }
        if nearest.0 < GONE {
            points[point as usize] = nearest.1;
            sides[point as usize] = Side::On;
            of_point.iter().for_each(|(_, edge)| edges[*edge as usize].at = GONE);
        }
    }
    sides
}

fn side(value: Real) -> Side {
    if value < 0.0 {
        Side::Inside
    } else if value > 0.0 {
        Side::Outside
    } else {
        Side::On
    }
}

/// Whether an edge runs along an axis.
fn is_long(background: &Background, p: u32, q: u32) -> bool {
    let (a, b) = (background.keys[p as usize], background.keys[q as usize]);
    (0..3).filter(|i| a[*i] != b[*i]).count() == 1
}

/// Keeps of each tetrahedron what is inside, and of the points those that are used.
fn cut(mut points: Vec<Vec3>, sides: &[Side], background: &Background, edges: &[Edge]) -> Raw {
    let mut number = vec![0; edges.len()];
    for (edge, number) in edges.iter().zip(&mut number).filter(|(e, _)| e.at != GONE) {
        let [p, q] = edge.ends.map(|i| points[i as usize]);
        *number = points.len() as u32;
        points.push(p.lerp(q, edge.at));
    }
    let mut tets = Vec::with_capacity(background.tets.len());
    for tet in &background.tets {
        let crossing = |p: usize, m: usize| {
            let ends = [tet[p], tet[m]];
            edges.binary_search_by_key(&ends, |e| e.ends).map_or(0, |e| number[e])
        };
        let corners = Corners {
            points: *tet,
            sides: tet.map(|p| sides[p as usize]),
            keys: tet.map(|p| background.keys[p as usize]),
            crossing: &crossing,
        };
        corners.fill(|t| tets.push(t));
    }
    Raw { points, tets }.compact()
}

impl Raw {
    /// Leaves out points that no tetrahedron has.
    pub fn compact(mut self) -> Self {
        let mut number = vec![u32::MAX; self.points.len()];
        self.tets.iter().flatten().for_each(|p| number[*p as usize] = 0);
        number.iter_mut().filter(|n| **n == 0).zip(0..).for_each(|(n, next)| *n = next);
        let mut used = number.iter();
        self.points.retain(|_| used.next().is_some_and(|n| *n != u32::MAX));
        self.tets.iter_mut().flatten().for_each(|p| *p = number[*p as usize]);
        self
    }
}
