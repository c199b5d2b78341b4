//! Distances of the cores of primitives, written apart from those of detection.

use crate::model::{Model, Pose, PrimKind, Shape};
use crate::{Mat3, PrimId, Real, Vec3};
use serosa_geometry::Aabb;

/// Edges whose directions differ by less than this sine run side by side.
const LEVEL: Real = 0.05;
/// Rounds of a search along an edge; each leaves two thirds of it.
const ROUNDS: u32 = 100;

/// A primitive without its radius, in the world.
#[derive(Clone, Copy, Debug)]
pub(super) enum Core {
    /// A point where both ends are one.
    Edge([Vec3; 2]),
    Face([Vec3; 3]),
    /// Centre, axes, half of each edge.
    Block(Vec3, Mat3, Vec3),
    /// Normal and offset: solid below.
    Half(Vec3, Real),
}

/// The closest points of two cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// On the first and on the second \[m\].
    pub(super) points: [Vec3; 2],
    /// \[m\], 0 where the cores meet; below a plane less than that.
    pub(super) distance: Real,
    /// Two edges side by side, or something flat: other places are as near.
    pub(super) level: bool,
}

impl Core {
    /// Of a primitive.
    pub(super) fn of(model: &Model, prim: PrimId, pos: &[Vec3], pose: &[Pose]) -> Self {
        let r = match model.prims[prim.at()].kind {
            PrimKind::Segment(ends) => return Self::Edge(ends.map(|v| pos[v.at()])),
            PrimKind::Triangle(corners) => return Self::Face(corners.map(|v| pos[v.at()])),
            PrimKind::Shape(r) => r.at(),
        };
        let Pose { pos: center, rot } = pose[r];
        match model.rigids[r].shape {
            Shape::Ball => Self::Edge([center; 2]),
            Shape::Capsule { half } => {
                Self::Edge([center - rot * Vec3::Z * half, center + rot * Vec3::Z * half])
            }
            Shape::Cuboid { half } => Self::Block(center, Mat3::from_quat(rot), half),
            Shape::Plane => Self::Half(rot * Vec3::Z, (rot * Vec3::Z).dot(center)),
        }
    }

    pub(super) fn is_plane(&self) -> bool {
        matches!(self, Self::Half(..))
    }

    pub(super) fn bounds(&self) -> Aabb {
        let mut all = Aabb::EMPTY;
        let mut add = |p: Vec3| all = Aabb { min: all.min.min(p), max: all.max.max(p) };
        match self {
            Self::Edge(ends) => ends.iter().for_each(|p| add(*p)),
            Self::Face(corners) => corners.iter().for_each(|p| add(*p)),
            Self::Block(center, axes, half) => corners_of(*center, axes, *half).into_iter().for_each(add),
            Self::Half(..) => {
                add(Vec3::splat(Real::NEG_INFINITY));
                add(Vec3::splat(Real::INFINITY));
            }
        }
        all
    }
}

impl Nearest {
    fn between(p: Vec3, q: Vec3, level: bool) -> Self {
        Self { points: [p, q], distance: (p - q).length(), level }
    }

    fn turned(self) -> Self {
        let [p, q] = self.points;
        Self { points: [q, p], ..self }
    }

    fn nearer(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }

    /// Of two cores; none where one is a face that is not touched inside, or both are faces or planes.
    pub(super) fn of(a: &Core, b: &Core) -> Option<Self> {
        match (a, b) {
            (Core::Edge(x), Core::Edge(y)) => Some(edges(*x, *y)),
            (Core::Edge(x), Core::Face(y)) => edge_face(*x, *y),
            (Core::Edge(x), Core::Block(c, axes, half)) => Some(edge_block(*x, (*c, axes, *half))),
            (Core::Edge(x), Core::Half(n, o)) => lowest(x, *n, *o),
            (Core::Face(x), Core::Block(c, axes, half)) => face_block(*x, (*c, axes, *half)),
            (Core::Block(c, axes, half), Core::Block(d, others, size)) => {
                Some(blocks((*c, axes, *half), (*d, others, *size)))
            }
            (Core::Block(c, axes, half), Core::Half(n, o)) => lowest(&corners_of(*c, axes, *half), *n, *o),
            (Core::Face(_) | Core::Half(..), Core::Face(_) | Core::Half(..)) => None,
            _ => Self::of(b, a).map(Self::turned),
        }
    }
}

/// The lowest of some points over a plane.
fn lowest(points: &[Vec3], normal: Vec3, offset: Real) -> Option<Nearest> {
    let height = |p: &Vec3| p.dot(normal) - offset;
    let low = points.iter().copied().min_by(|p, q| height(p).total_cmp(&height(q)))?;
    let distance = height(&low);
    Some(Nearest { points: [low, low - normal * distance], distance, level: true })
}

/// Two edges: the closest points of both lines, cut to their ends.
fn edges([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> Nearest {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let cross = uu * vv - uv * uv;
    let level = cross <= LEVEL * LEVEL * uu * vv;
    let cut = |x: Real| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
    let mut s = if cross > 0.0 { cut((uv * vw - vv * uw) / cross) } else { 0.0 };
    let mut t = cut((uv * s + vw) / vv);
    s = cut((uv * t - uw) / uu);
    t = cut((uv * s + vw) / vv);
    let middle = Nearest::between(a + u * s, c + v * t, level);
    // Of edges that are all but parallel an end may be nearer than that.
    let end = |p: Vec3, q: Vec3, r: Vec3| Nearest::between(p, q + (r - q) * along(p, q, r), level);
    middle
        .nearer(end(a, c, d))
        .nearer(end(b, c, d))
        .nearer(end(c, a, b).turned())
        .nearer(end(d, a, b).turned())
}

/// Where on an edge a point is nearest.
fn along(p: Vec3, q: Vec3, r: Vec3) -> Real {
    let way = r - q;
    let share = (p - q).dot(way) / way.length_squared();
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// The foot of a point on a triangle, where that is inside.
fn foot(p: Vec3, [a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    let normal = (b - a).cross(c - a);
    let size = normal.length_squared();
    let inside = |x: Vec3, y: Vec3| (y - x).cross(p - x).dot(normal) > 0.0;
    let all = inside(a, b) && inside(b, c) && inside(c, a);
    (all && size > 0.0).then(|| p - normal * ((p - a).dot(normal) / size))
}

/// Where an edge goes through the inside of a triangle.
fn crossing([p, q]: [Vec3; 2], corners: [Vec3; 3]) -> Option<Vec3> {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let (from, to) = ((p - a).dot(normal), (q - a).dot(normal));
    if from * to > 0.0 || from == to {
        return None;
    }
    let at = p + (q - p) * (from / (from - to));
    foot(at, corners).map(|_| at)
}

/// An edge and the inside of a triangle: its ends over it, or through it.
fn edge_face(edge: [Vec3; 2], face: [Vec3; 3]) -> Option<Nearest> {
    if let Some(at) = crossing(edge, face) {
        return Some(Nearest::between(at, at, false));
    }
    let over = edge.iter().filter_map(|p| foot(*p, face).map(|q| Nearest::between(*p, q, false)));
    over.reduce(Nearest::nearer)
}

type Block<'a> = (Vec3, &'a Mat3, Vec3);

/// The nearest point of a box; the point itself inside.
fn in_block(p: Vec3, (center, axes, half): Block) -> Vec3 {
    let local = (axes.transpose() * (p - center)).clamp(-half, half);
    center + *axes * local
}

fn corners_of(center: Vec3, axes: &Mat3, half: Vec3) -> [Vec3; 8] {
    let sign = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
    std::array::from_fn(|k| center + *axes * (half * Vec3::new(sign(k, 1), sign(k, 2), sign(k, 4))))
}

/// The twelve edges of a box.
fn edges_of(block: Block) -> impl Iterator<Item = [Vec3; 2]> {
    let corners = corners_of(block.0, block.1, block.2);
    (0..8usize).flat_map(move |k| {
        [1, 2, 4].into_iter().filter(move |bit| k & bit == 0).map(move |bit| [corners[k], corners[k | bit]])
    })
}

/// The distance of a box from the points of an edge is convex along it: thirds are thrown away.
fn edge_block([a, b]: [Vec3; 2], block: Block) -> Nearest {
    let at = |s: Real| {
        let p = a + (b - a) * s;
        Nearest::between(p, in_block(p, block), true)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..ROUNDS {
        let third = (high - low) / 3.0;
        if at(low + third).distance <= at(high - third).distance { high -= third } else { low += third }
    }
    at(0.0).nearer(at(1.0)).nearer(at(0.5 * (low + high)))
}

/// A box and the inside of a triangle: its corners over it, or its edges through it. What the sides of the triangle do is
/// theirs.
fn face_block(face: [Vec3; 3], block: Block) -> Option<Nearest> {
    if let Some(at) = edges_of(block).find_map(|edge| crossing(edge, face)) {
        return Some(Nearest::between(at, at, true));
    }
    let corners = corners_of(block.0, block.1, block.2);
    let over = corners.iter().filter_map(|p| foot(*p, face).map(|q| Nearest::between(q, *p, true)));
    over.reduce(Nearest::nearer)
}

/// Two boxes: every edge of either with the other as a whole.
fn blocks(a: Block, b: Block) -> Nearest {
    let of_a = edges_of(a).map(|edge| edge_block(edge, b));
    let of_b = edges_of(b).map(|edge| edge_block(edge, a).turned());
    let far = Nearest { points: [a.0, b.0], distance: Real::INFINITY, level: true };
    of_a.chain(of_b).fold(far, Nearest::nearer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::Quat;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    /// Points all over a core.
    fn samples(core: &Core) -> Vec<Vec3> {
        const N: usize = 24;
        let part = |k: usize| k as Real / N as Real;
        match core {
            Core::Edge([a, b]) => (0..=N).map(|k| a.lerp(*b, part(k))).collect(),
            Core::Face([a, b, c]) => (0..=N)
                .flat_map(|i| (0..=N - i).map(move |j| (part(i), part(j))))
                .map(|(s, t)| *a + (*b - *a) * s + (*c - *a) * t)
                .collect(),
            Core::Block(center, axes, half) => (0..729)
                .map(|k| Vec3::new((k % 9) as Real, (k / 9 % 9) as Real, (k / 81) as Real) / 4.0 - Vec3::ONE)
                .map(|u| *center + *axes * (*half * u))
                .collect(),
            Core::Half(..) => Vec::new(),
        }
    }

    #[test]
    fn distances_are_those_of_the_nearest_samples() {
        let mut seed = 11;
        for round in 0..100 {
            let mut vec = || Vec3::new(some(&mut seed), some(&mut seed), some(&mut seed));
            let mut core = |kind: usize| match kind {
                0 => Core::Edge([vec(), vec()]),
                1 => Core::Face([vec(), vec(), vec()]),
                _ => {
                    let turn = Quat::from_xyzw(vec().x, vec().y, vec().z, 0.3).normalize();
                    Core::Block(vec(), Mat3::from_quat(turn), vec().abs() * 0.4 + Vec3::splat(0.05))
                }
            };
            for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (1, 0), (2, 0)] {
                let (a, b) = (core(i), core(j));
                let (p, q) = (samples(&a), samples(&b));
                let pairs = p.iter().flat_map(|x| q.iter().map(move |y| (*x - *y).length()));
                let least = pairs.fold(Real::INFINITY, Real::min);
                // A face is asked for its inside alone: there may be nothing, or something farther.
                let Some(found) = Nearest::of(&a, &b) else { continue };
                let gap = (found.points[0] - found.points[1]).length();
                assert!((gap - found.distance).abs() < 1e-12, "{round} {i}{j}");
                assert!(found.distance >= least - 0.3, "{round} {i}{j}: {} {least}", found.distance);
                let whole = i != 1 && j != 1;
                assert!(
                    !whole || found.distance <= least + 1e-9,
                    "{round} {i}{j}: {} {least}",
                    found.distance
                );
            }
        }
    }

    #[test]
    fn an_end_over_a_face_and_an_edge_through_it_are_found_and_one_beside_it_is_not() {
        let face = Core::Face([Vec3::ZERO, Vec3::X, Vec3::Y]);
        let over = |x: Real, z: Real| Core::Edge([Vec3::new(x, 0.2, z), Vec3::new(x, 0.2, 1.0)]);
        assert_eq!(Nearest::of(&over(0.2, 0.3), &face).unwrap().distance, 0.3);
        assert_eq!(Nearest::of(&over(0.2, -0.3), &face).unwrap().distance, 0.0);
        assert!(Nearest::of(&over(2.0, 0.3), &face).is_none());
        let floor = Core::Half(Vec3::Z, 0.1);
        assert!((Nearest::of(&floor, &over(0.2, 0.3)).unwrap().distance - 0.2).abs() < 1e-15);
    }
}
