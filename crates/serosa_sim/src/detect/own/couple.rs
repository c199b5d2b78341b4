//! Two patches of a body, or one with itself, and the list of their pairs.

use crate::model::{Model, PrimKind};
use crate::{PrimId, Real, Vec3, VertexId};
use serosa_geometry::{Aabb, Facet, Round, Solid, closest_segments};
use std::ops::Range;

/// A list of which so many times the room is used up that it began with is made anew: too much of it is looked at.
const DEAR: Real = 2.0;

/// A list is in order from near to far by so many steps.
const BINS: usize = 8;

/// A pair of primitives and how far apart it was \[m\].
pub(super) type Listed = (u64, Real);

/// Two patches and their list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Couple {
    /// The two, the smaller number first and in the high half.
    pub key: u64,
    /// Where its list is.
    pub start: usize,
    pub count: usize,
    /// All pairs that were no farther apart are listed \[m\].
    pub cut: Real,
    /// How much of that was used up before it was measured from anew \[m\].
    pub used: Real,
    /// How far the rigid motions of the two differ \[m\].
    pub bend: Real,
}

impl Couple {
    /// Two patches without a list.
    pub fn new(key: u64) -> Self {
        Self { key, start: 0, count: 0, cut: 0.0, used: 0.0, bend: 0.0 }
    }

    /// Where its list is.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.count
    }

    /// No pair of the list is farther apart than one that comes after it by more than this \[m\].
    pub fn bin(&self) -> Real {
        self.cut / BINS as Real
    }

    /// Whether the list has all pairs that may come nearer by so much, when so much has been gone since. What is not a number
    /// it has not.
    pub fn holds(&self, need: Real, gone: Real) -> bool {
        need + self.used + gone <= self.cut
    }

    /// Whether so much has been gone that one made now would have far fewer pairs.
    pub fn is_dear(&self, need: Real, gone: Real, skin: Real) -> bool {
        self.used + gone > DEAR * skin + need
    }
}

/// Lists that are being made.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    pub pairs: Vec<Listed>,
    spare: Vec<Listed>,
    /// How long each list is.
    pub counts: Vec<usize>,
}

/// The primitives of all patches, as they stand, patch by patch.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    edges: Vec<Edge>,
    faces: Vec<Face>,
    /// Where the edges and the faces of each patch begin, and where the last end.
    starts: Vec<[usize; 2]>,
    /// One per primitive of the body.
    slots: Vec<Slot>,
}

/// Which piece a primitive is.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Edge(u32),
    Face(u32),
    Other,
}

impl Pieces {
    /// Takes those of each patch, of a body whose first primitive has that number.
    pub fn place<'a>(&mut self, of: (&Model, u32, &[Solid]), patches: impl Iterator<Item = &'a [u32]>) {
        let Self { edges, faces, starts, slots } = self;
        let (model, first, solids) = of;
        edges.clear();
        faces.clear();
        starts.clear();
        starts.push([0; 2]);
        slots.clear();
        slots.resize(solids.len(), Slot::Other);
        for patch in patches {
            for prim in patch {
                let id = PrimId(first + prim);
                let of = Who::of(model, id);
                match &solids[*prim as usize] {
                    Solid::Round(round) => {
                        slots[*prim as usize] = Slot::Edge(edges.len() as u32);
                        edges.push(Edge::new(of, round));
                    }
                    Solid::Facet(facet) => {
                        slots[*prim as usize] = Slot::Face(faces.len() as u32);
                        faces.push(Face::new(of, facet));
                    }
                    Solid::Cuboid(_) | Solid::Plane(_) => {}
                }
            }
            starts.push([edges.len(), faces.len()]);
        }
    }

    /// How far apart two primitives of the body are at least, by their numbers in it \[m\].
    #[inline(always)]
    pub fn gap(&self, a: usize, b: usize) -> Real {
        match (self.slots[a], self.slots[b]) {
            (Slot::Edge(x), Slot::Edge(y)) => self.edges[x as usize].gap(&self.edges[y as usize]),
            (Slot::Face(x), Slot::Edge(y)) | (Slot::Edge(y), Slot::Face(x)) => {
                self.faces[x as usize].gap(&self.edges[y as usize])
            }
            _ => Real::NEG_INFINITY,
        }
    }

    /// The edges and faces of a patch.
    fn of(&self, patch: PrimId) -> (&[Edge], &[Face]) {
        let ([a, b], [c, d]) = (self.starts[patch.at()], self.starts[patch.at() + 1]);
        (&self.edges[a..c], &self.faces[b..d])
    }
}

/// A primitive by its number, with its vertices, the last as often as there is room, and its group.
#[derive(Clone, Copy, Debug)]
struct Who {
    prim: PrimId,
    vertices: [VertexId; 3],
    group: u32,
}

impl Who {
    fn of(model: &Model, prim: PrimId) -> Self {
        let vertices = match model.prims[prim.at()].kind {
            PrimKind::Segment([a, b]) => [a, b, b],
            PrimKind::Triangle(corners) => corners,
            PrimKind::Shape(_) => [VertexId(u32::MAX); 3],
        };
        Self { prim, vertices, group: model.group(prim) }
    }
}

/// A capsule.
#[derive(Clone, Copy, Debug)]
struct Edge {
    who: Who,
    ball: Ball,
    round: Round,
}

/// A facet.
#[derive(Clone, Copy, Debug)]
struct Face {
    who: Who,
    ball: Ball,
    radius: Real,
    /// Its own plane, and those that stand on its sides, as normals that point out and offsets.
    planes: [(Vec3, Real); 4],
}

/// A ball around a primitive.
#[derive(Clone, Copy, Debug)]
struct Ball {
    middle: Vec3,
    radius: Real,
}

impl Ball {
    /// Whether two balls are farther apart than a cut.
    #[inline(always)]
    fn is_beyond(&self, other: &Self, cut: Real) -> bool {
        let far = self.radius + other.radius + cut;
        (self.middle - other.middle).length_squared() > far * far * (1.0 + 1e-9)
    }
}

impl Listing {
    /// Room for so many pairs and so many lists.
    pub fn reserve(&mut self, (pairs, lists): (usize, usize)) {
        self.pairs.reserve(pairs);
        self.counts.reserve(lists);
    }

    /// Lists the pairs of two patches, of which the second may be the first, that are no farther apart than a cut. Each has a
    /// box around it.
    pub fn list(&mut self, model: &Model, pieces: &Pieces, patches: [(PrimId, Aabb); 2], cut: Real) {
        let before = self.pairs.len();
        let same = patches[0].0 == patches[1].0;
        let [one, two] = patches.map(|(patch, _)| pieces.of(patch));
        // What lies beyond the other patch is not looked at.
        let near = |ball: &Ball, side: usize| {
            let far = ball.radius + cut;
            let apart = patches[1 - side].1.distance_sq(ball.middle);
            apart.is_nan() || apart <= far * far * (1.0 + 1e-9)
        };
        let pairs = &mut self.pairs;
        for (k, x) in one.0.iter().enumerate().filter(|(_, x)| near(&x.ball, 0)) {
            let others = if same { &two.0[k + 1..] } else { two.0 };
            for y in others.iter().filter(|y| !x.ball.is_beyond(&y.ball, cut)) {
                add(model, [&x.who, &y.who], cut, pairs, || x.gap(y));
            }
        }
        let sides = [(one.1, two.0), (two.1, one.0)];
        for (side, (faces, edges)) in sides.into_iter().enumerate().take(if same { 1 } else { 2 }) {
            for face in faces.iter().filter(|face| near(&face.ball, side)) {
                for edge in edges.iter().filter(|edge| !face.ball.is_beyond(&edge.ball, cut)) {
                    add(model, [&face.who, &edge.who], cut, pairs, || face.gap(edge));
                }
            }
        }
        self.bin(before, cut);
        self.counts.push(self.pairs.len() - before);
    }

    /// Brings the pairs of a list into bins, from near to far. O(pairs)
    fn bin(&mut self, start: usize, cut: Real) {
        let Self { pairs, spare, .. } = self;
        spare.clear();
        spare.extend_from_slice(&pairs[start..]);
        // What is not a number, and what overlaps, is nearest.
        let of = |gap: Real| ((gap * (BINS as Real / cut)) as usize).min(BINS - 1);
        let mut ends = [0; BINS];
        spare.iter().for_each(|(_, gap)| ends[of(*gap)] += 1);
        let mut next = start;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        for listed in spare.iter() {
            let to = &mut ends[of(listed.1)];
            pairs[*to] = *listed;
            *to += 1;
        }
    }
}

/// Adds a pair that may touch and is no farther apart than a cut. Those that share a vertex seldom may, and are asked that
/// first.
#[inline(always)]
fn add(model: &Model, [a, b]: [&Who; 2], cut: Real, pairs: &mut Vec<Listed>, gap: impl FnOnce() -> Real) {
    let (low, high) = (a.prim.min(b.prim), a.prim.max(b.prim));
    let shares = a.vertices.iter().any(|v| b.vertices.contains(v));
    if a.group > 0 && a.group == b.group || shares && !model.may_touch(low, high) {
        return;
    }
    let gap = gap();
    if gap > cut || !shares && !model.may_touch(low, high) {
        return;
    }
    // Not a number: better a pair too many.
    let gap = if gap.is_nan() { Real::NEG_INFINITY } else { gap };
    pairs.push(((u64::from(low.0) << 32) | u64::from(high.0), gap));
}

impl Edge {
    fn new(who: Who, round: &Round) -> Self {
        let radius = 0.5 * round.a.distance(round.b) + round.radius;
        Self { who, ball: Ball { middle: (round.a + round.b) * 0.5, radius }, round: *round }
    }

    /// How far apart two are \[m\].
    #[inline(always)]
    fn gap(&self, other: &Self) -> Real {
        let (x, y) = (&self.round, &other.round);
        let at = closest_segments(x.a, x.b, y.a, y.b);
        (x.a.lerp(x.b, at.s) - y.a.lerp(y.b, at.t)).length() - x.radius - y.radius
    }
}

impl Face {
    fn new(who: Who, facet: &Facet) -> Self {
        let t = &facet.corners;
        let middle = t.iter().sum::<Vec3>() / 3.0;
        let radius = t.iter().map(|p| p.distance(middle)).fold(0.0, Real::max) + facet.radius;
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        // A plane without a normal parts nothing.
        let plane = |n: Vec3, p: Vec3| {
            let n = n.normalize_or_zero();
            (n, n.dot(p))
        };
        let side = |k: usize| plane((t[(k + 1) % 3] - t[k]).cross(normal), t[k]);
        let planes = [plane(normal, t[0]), side(0), side(1), side(2)];
        Self { who, ball: Ball { middle, radius }, radius: facet.radius, planes }
    }

    /// How far apart a facet and a capsule are at least \[m\]: as far as one of its planes parts them, which is how far
    /// they are but where a corner is nearest, or sides that pass one another.
    #[inline(always)]
    fn gap(&self, edge: &Edge) -> Real {
        let Round { a, b, radius } = edge.round;
        let heights = |(n, offset): (Vec3, Real)| [n.dot(a) - offset, n.dot(b) - offset];
        let [x, y] = heights(self.planes[0]);
        let mut parted = x.min(y).max(-x.max(y)).max(0.0);
        for plane in &self.planes[1..] {
            let [x, y] = heights(*plane);
            parted = parted.max(x.min(y));
        }
        // What is not a number is lost in the larger of two.
        if (a + b).is_nan() { Real::NAN } else { parted * (1.0 - 1e-9) - radius - self.radius }
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise3;
    use super::*;
    use serosa_geometry::triangle::closest_segment_triangle;

    /// A facet and a capsule are never said to be farther apart than they are; and mostly nearly as far.
    #[test]
    fn planes_part_no_more_than_there_is() {
        let (mut seed, mut told, mut true_gaps) = (5, 0.0, 0.0);
        let id = Who { prim: PrimId(0), vertices: [VertexId(0); 3], group: 0 };
        for round in 0..4000 {
            let at = noise3(&mut seed) * 0.7;
            let [a, b] = [0; 2].map(|_| at + noise3(&mut seed) * [0.1, 1.0][round % 2]);
            let corners = [0; 3].map(|_| noise3(&mut seed) * 0.3);
            let (face, edge) = (
                Face::new(id, &Facet { corners, radius: 0.01 }),
                Edge::new(id, &Round { a, b, radius: 0.02 }),
            );
            let (s, on) = closest_segment_triangle(a, b, &corners);
            let true_gap = a.lerp(b, s).distance(on.point) - 0.03;
            let gap = face.gap(&edge);
            assert!(gap <= true_gap && gap >= -0.03, "{gap} {true_gap}");
            let beyond = face.ball.is_beyond(&edge.ball, 0.1);
            assert!(!beyond || true_gap > 0.1);
            (told, true_gaps) = (told + gap, true_gaps + true_gap);
        }
        assert!(told > 0.6 * true_gaps, "{told} {true_gaps}");
        let flat = Face::new(id, &Facet { corners: [Vec3::ZERO; 3], radius: 0.01 });
        let edge = Edge::new(id, &Round { a: Vec3::NAN, b: Vec3::X, radius: 0.02 });
        assert!(flat.gap(&edge).is_nan());
        assert_eq!(flat.gap(&Edge::new(id, &Round { a: Vec3::X, b: Vec3::Y, radius: 0.02 })), -0.03);
    }
}
