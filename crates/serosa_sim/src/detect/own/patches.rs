//! A body's surface in patches: a few vertices that hang together, with the primitives that begin in them.
//!
//! What a patch does as if it were rigid changes no distance in it, and hardly one to the patch beside it. So how far
//! something has gone is counted from the rigid motion that fits its patch best.

use crate::model::{Body, Model, PrimKind};
use crate::{Mat3, Quat, Real, Vec3};
use std::collections::VecDeque;
use std::ops::Range;

/// The most vertices of a patch: smaller ones bend less, and are more.
const MOST: usize = 6;
/// Rounds in which the turn of a patch is found.
const ROUNDS: usize = 3;
/// Of what has no number.
const NONE: u32 = u32::MAX;

/// The patches of a body. Primitives and vertices are counted from the first of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches {
    /// Primitives patch by patch, ascending in each, and where those of each patch start.
    prims: Vec<u32>,
    starts: Vec<u32>,
    /// The vertices that the primitives of each patch have, each once a patch, and where they start.
    corners: Vec<u32>,
    corner_starts: Vec<u32>,
    /// One per primitive, patch by patch: which of `corners` it has, the last of a segment twice.
    places: Vec<[u32; 3]>,
}

/// A rigid motion of a patch, from where it was once to where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    from: Vec3,
    to: Vec3,
    turn: Quat,
    /// How far its vertices were from `from` at most \[m\].
    radius: Real,
}

impl Fit {
    const STILL: Self = Self { from: Vec3::ZERO, to: Vec3::ZERO, turn: Quat::IDENTITY, radius: 0.0 };

    /// How far two rigid motions together are at most, on what their patches were, from one that lies between them \[m\]: a
    /// motion with their mean turn that takes the middle between the two to the middle between where they are.
    #[inline]
    pub fn differ(&self, other: &Self) -> Real {
        let (x, y) = (self.turn, if self.turn.dot(other.turn) < 0.0 { -other.turn } else { other.turn });
        let mean = (x + y).normalize();
        let apart = (self.to - other.to - mean * (self.from - other.from)).length();
        // Rotations differ by no more than twice what their quaternions do.
        apart + 2.0 * ((x - mean).length() * self.radius + (y - mean).length() * other.radius)
    }
}

impl Patches {
    /// Cuts a body into patches, along its edges.
    pub fn cut(model: &Model, body: &Body) -> Self {
        let (first, count) = (body.vertices.start, body.vertex_range().len());
        let prims = &model.prims[body.prims.start as usize..body.prims.end as usize];
        let beside = beside(prims.iter().map(|p| p.kind), first, count);
        let (of_vertex, patches) = parts(&beside);
        let patch_of = |kind: &PrimKind| {
            kind.vertices().first().map_or(0, |v| of_vertex[(v.0 - first) as usize].min(patches))
        };
        let mut cut = Self::default();
        let mut order: Vec<(u32, u32)> =
            prims.iter().zip(0..).map(|(p, number)| (patch_of(&p.kind), number)).collect();
        order.sort_unstable();
        let mut place_of = vec![NONE; count];
        for run in order.chunk_by(|a, b| a.0 == b.0) {
            let begin = cut.corners.len();
            cut.starts.push(cut.prims.len() as u32);
            cut.corner_starts.push(begin as u32);
            for (_, prim) in run {
                let mut places = [NONE; 3];
                for (k, v) in prims[*prim as usize].kind.vertices().iter().enumerate() {
                    let v = v.0 - first;
                    if place_of[v as usize] == NONE {
                        place_of[v as usize] = cut.corners.len() as u32;
                        cut.corners.push(v);
                    }
                    places[k..].fill(place_of[v as usize]);
                }
                cut.prims.push(*prim);
                cut.places.push(places);
            }
            cut.corners[begin..].iter().for_each(|v| place_of[*v as usize] = NONE);
        }
        cut.starts.push(cut.prims.len() as u32);
        cut.corner_starts.push(cut.corners.len() as u32);
        cut
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether these are patches of a body with so many primitives.
    pub fn fit(&self, prims: usize) -> bool {
        !self.starts.is_empty() && self.prims.len() == prims
    }

    /// The primitives of a patch.
    #[inline]
    pub fn of(&self, patch: u32) -> &[u32] {
        &self.prims[self.range(patch as usize)]
    }

    fn range(&self, patch: usize) -> Range<usize> {
        self.starts[patch] as usize..self.starts[patch + 1] as usize
    }

    /// Where the vertices of all patches are, one after the other.
    pub fn gather(&self, pos: &[Vec3], out: &mut Vec<Vec3>) {
        out.clear();
        out.extend(self.corners.iter().map(|v| pos[*v as usize]));
    }

    /// The rigid motion of each patch from where its vertices were once, how far each primitive is from there, and how far
    /// any of its patch is. `offs` is one for each vertex of a patch; motions are found from those of the last time.
    pub fn measure(&self, then: &[Vec3], now: &[Vec3], (fits, offs, fars): Measures) {
        fits.resize(self.len(), Fit::STILL);
        offs.clear();
        fars.resize(self.prims.len(), 0.0);
        for (patch, last) in fits.iter_mut().enumerate() {
            let corners = self.corner_starts[patch] as usize..self.corner_starts[patch + 1] as usize;
            let (then, now) = (&then[corners.clone()], &now[corners]);
            let fit = fit(then, now, last.turn);
            let off = |(x, y): (&Vec3, &Vec3)| (*x - fit.to - fit.turn * (*y - fit.from)).length();
            offs.extend(now.iter().zip(then).map(off));
            *last = fit;
            for k in self.range(patch) {
                let worse = |x: Real, y: Real| if x.is_nan() || y.is_nan() { Real::NAN } else { x.max(y) };
                let corners = self.places[k].into_iter().filter(|place| *place != NONE);
                fars[self.prims[k] as usize] = corners.map(|place| offs[place as usize]).fold(0.0, worse);
            }
        }
    }
}

/// What [`Patches::measure`] writes: motions, distances of vertices, distances of primitives.
pub(super) type Measures<'a> = (&'a mut Vec<Fit>, &'a mut Vec<Real>, &'a mut Vec<Real>);

/// The rigid motion that brings some points nearest to others, or hardly less near: any will do, and from that of the step
/// before it is not far. Each round turns towards it by the torque that draws points to points (Müller et al. 2016).
fn fit(then: &[Vec3], now: &[Vec3], mut turn: Quat) -> Fit {
    let count = then.len().max(1) as Real;
    let [from, to] = [then, now].map(|all| all.iter().sum::<Vec3>() / count);
    let (mut spread, mut radius) = (Mat3::ZERO, 0.0);
    for (x, y) in now.iter().zip(then) {
        let (x, y) = (*x - to, *y - from);
        spread += Mat3::from_cols(x * y.x, x * y.y, x * y.z);
        radius = Real::max(radius, y.length_squared());
    }
    for _ in 0..ROUNDS {
        let r = Mat3::from_quat(turn);
        let torque =
            r.x_axis.cross(spread.x_axis) + r.y_axis.cross(spread.y_axis) + r.z_axis.cross(spread.z_axis);
        let along = r.x_axis.dot(spread.x_axis) + r.y_axis.dot(spread.y_axis) + r.z_axis.dot(spread.z_axis);
        let half = torque / (2.0 * along.abs());
        if half.is_finite() {
            turn = (Quat::from_xyzw(half.x, half.y, half.z, 1.0) * turn).normalize();
        }
    }
    Fit { from, to, turn, radius: radius.sqrt() }
}

/// For each vertex those that an edge leads to: where they start, and which they are. None where nothing touches.
fn beside(prims: impl Iterator<Item = PrimKind> + Clone, first: u32, count: usize) -> Vec<Vec<u32>> {
    let mut beside = vec![Vec::new(); count];
    for kind in prims {
        let corners = kind.vertices();
        for (k, a) in corners.iter().enumerate() {
            let b = corners[(k + 1) % corners.len()];
            let (a, b) = (a.0 - first, b.0 - first);
            beside[a as usize].push(b);
            beside[b as usize].push(a);
        }
    }
    beside
}

/// The part of each vertex, numbered from 0, and how many parts there are: halved along their longest way until none has
/// more than [`MOST`] vertices. Vertices that nothing touches have none.
fn parts(beside: &[Vec<u32>]) -> (Vec<u32>, u32) {
    let mut order: Vec<u32> = (0..beside.len() as u32).filter(|v| !beside[*v as usize].is_empty()).collect();
    let mut part = vec![NONE; beside.len()];
    let (mut todo, mut parts) = (Vec::new(), 0);
    todo.push(0..order.len());
    let mut mark = 0;
    let mut marks = vec![0_u32; beside.len()];
    while let Some(range) = todo.pop() {
        if range.len() <= MOST {
            order[range.clone()].iter().for_each(|v| part[*v as usize] = parts);
            parts += u32::from(!range.is_empty());
            continue;
        }
        // Members are marked, and what has been seen of them by the next mark.
        for _ in 0..2 {
            mark += 2;
            order[range.clone()].iter().for_each(|v| marks[*v as usize] = mark);
            order[range.clone()].reverse();
            let seen = visit(&order[range.clone()], beside, (&mut marks, mark));
            order[range.clone()].copy_from_slice(&seen);
        }
        let middle = range.start + range.len() / 2;
        todo.extend([middle..range.end, range.start..middle]);
    }
    (part, parts)
}

/// The vertices with a mark, in the order in which they are reached from the first of a list; those that it does not reach
/// from the next of it.
fn visit(list: &[u32], beside: &[Vec<u32>], (marks, mark): (&mut [u32], u32)) -> Vec<u32> {
    let (mut seen, mut queue) = (Vec::with_capacity(list.len()), VecDeque::new());
    for start in list {
        queue.push_back(*start);
        while let Some(v) = queue.pop_front() {
            if std::mem::replace(&mut marks[v as usize], mark + 1) == mark {
                seen.push(v);
                queue.extend(beside[v as usize].iter().filter(|w| marks[**w as usize] == mark));
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::super::noise3;
    use super::*;
    use serosa_geometry::rotation::from_rotation_vector;

    /// A lattice of so many by so many vertices, and some that nothing touches behind it.
    fn lattice(n: u32, alone: usize) -> Vec<Vec<u32>> {
        let mut beside = vec![Vec::new(); (n * n) as usize + alone];
        for (x, y) in (0..n).flat_map(|y| (0..n).map(move |x| (x, y))) {
            let v = y * n + x;
            let mut join = |w: u32| {
                beside[v as usize].push(w);
                beside[w as usize].push(v);
            };
            if x + 1 < n {
                join(v + 1);
            }
            if y + 1 < n {
                join(v + n);
            }
        }
        beside
    }

    #[test]
    fn parts_are_small_and_hang_together_and_hold_every_vertex_once() {
        for n in [1, 2, 3, 7, 20] {
            let beside = lattice(n, 3);
            let (part, parts) = parts(&beside);
            let touched = |v: usize| !beside[v].is_empty();
            assert!((0..beside.len()).all(|v| (part[v] < parts) == touched(v)), "{n}");
            let mut scattered = 0;
            for of in 0..parts {
                let members: Vec<usize> = (0..part.len()).filter(|v| part[*v] == of).collect();
                assert!(!members.is_empty() && members.len() <= MOST, "{n}: {members:?}");
                let linked = |v: &usize| beside[*v].iter().any(|w| part[*w as usize] == of);
                scattered += members.iter().filter(|v| members.len() > 1 && !linked(v)).count();
            }
            assert!(scattered * 10 <= part.len(), "{n}: {scattered} of {}", part.len());
            assert!(parts as usize * MOST >= (n * n) as usize * usize::from(n > 1));
            assert!((parts as usize) < 4 * part.len() / MOST + 4, "{n}: {parts}");
        }
    }

    /// No point of either patch is led farther apart by the two motions than they are said to differ.
    #[test]
    fn motions_differ_by_no_more_than_is_said() {
        let (mut seed, mut least) = (1, Real::INFINITY);
        for round in 0..300 {
            let size = [1e-3, 0.1, 3.0][round % 3];
            let mut some = || {
                let from = noise3(&mut seed);
                let turn = from_rotation_vector(noise3(&mut seed) * size);
                Fit { from, to: from + noise3(&mut seed) * size, turn, radius: 0.3 }
            };
            let (x, y) = (some(), some());
            let most = x.differ(&y);
            let at = |fit: &Fit, p: Vec3| fit.to + fit.turn * (p - fit.from);
            // What either does to the distance of two points is no more than that.
            let mut needed: Real = 0.0;
            for _ in 0..30 {
                let mut of = |fit: &Fit| fit.from + noise3(&mut seed).normalize_or_zero() * fit.radius;
                let (p, q) = (of(&x), of(&y));
                needed = needed.max((at(&x, p).distance(at(&y, q)) - p.distance(q)).abs());
            }
            assert!(needed <= most * (1.0 + 1e-12), "{needed} {most}");
            least = least.min(most / needed);
        }
        // It is not said of everything that it differs.
        assert!(least < 2.0, "{least}");
    }

    #[test]
    fn a_rigid_motion_goes_nowhere_beside_itself() {
        let mut seed = 3;
        let then: Vec<Vec3> = (0..9).map(|_| noise3(&mut seed)).collect();
        let turn = from_rotation_vector(noise3(&mut seed));
        let now: Vec<Vec3> = then.iter().map(|p| turn * *p + Vec3::X).collect();
        let moved = (0..20).fold(Fit::STILL, |last, _| fit(&then, &now, last.turn));
        let still = fit(&then, &then, Quat::IDENTITY);
        assert!(
            then.iter()
                .zip(&now)
                .all(|(y, x)| { (moved.to + moved.turn * (*y - moved.from)).distance(*x) < 1e-12 })
        );
        assert!(moved.differ(&moved) < 1e-12 && moved.differ(&still) > 0.5);
        assert!(Fit { to: Vec3::NAN, ..moved }.differ(&still).is_nan());
    }
}
