//! Continuous collision detection: when do a vertex and a triangle, or two edges, first come as near as a gap, if every
//! corner moves straight from its start to its end?
//!
//! Both questions are one. A vertex meets a triangle where the triangle, seen from the vertex, covers the origin; two
//! edges meet where the parallelogram of their differences does. So a flat polygon of three or four corners moves, and
//! what is asked is when it first comes within the gap of the origin.
//!
//! The motion is followed from start to end with a plane between origin and polygon, by its unit normal n:
//!
//! * **the plane stands still.** n·r is linear in time for each corner r, so if it exceeds the gap at two instants it does
//!   so between them, and with the corners the whole polygon. How long a plane holds is a division.
//! * **the plane turns.** n goes straight from the best normal of one instant to that of another. n·r is then quadratic,
//!   and no less than the least of its three Bernstein coefficients n₀·r₀, (n₀·r₁ + n₁·r₀)/2, n₁·r₁; nor is |n| above 1.
//!
//! The first converges to a hit as Newton's method does and passes a slide in one advance, however near it is; the second
//! keeps what turns close by from being followed in advances of gap over speed.
//!
//! **Rounding.** A plane counts only if n·r exceeds the gap by 16 u M, with u = 2⁻⁵³ and M the greatest coordinate of the
//! differences between the two primitives at start and end. Of a computed coefficient, differences of coordinates are
//! wrong by u M, places between start and end by another 3 u M, and the product by 3 u M in each of at most √3 of |n|₁,
//! the mean of two by u M once more: 8 √3 u M < 14 u M. The normals themselves need not be right, only unit
//! within 3 u. Hence an answer is never later than the true time of the exact motion of the coordinates as given, and no
//! hit is missed; and what stays farther than the gap by 40 u M is reported only if it keeps turning so near that
//! the [`ADVANCES`] run out.
//!
//! Additive advancement (Li et al. 2021) was refused: it bounds the motion by lengths of vectors, pays for slides, and is
//! not conservative when rounded. Inclusion in time and both parameters (Wang et al. 2021) is, and takes a search in
//! three dimensions where this takes one.

use crate::{Real, Vec3};

/// The most advances with which a motion is followed. When they run out, the time reached is the answer: a hit that may
/// be none. Pairs that move as tissue does need three or four, hits about ten.
pub const ADVANCES: u32 = 256;

/// Half a unit in the last place of 1.
const UNIT: Real = Real::EPSILON / 2.0;

/// More than underflow can add to a product of three numbers below 4.
const UNDERFLOW: Real = 1e-290;

/// The first time in [0, 1] at which a vertex may be as near to a triangle as `gap`, or `None` if it never is. Corners are
/// vertex, then triangle, at the start and at the end of a straight motion.
///
/// The answer is never later than the true time, and earlier only by rounding or where [`ADVANCES`] run out. A triangle
/// may be flat to a segment or a point. A gap below 0 counts as 0, where touching is a hit. What is not finite, or so far
/// apart that a difference is not, is a hit at 0. Constant time, no allocation.
pub fn vertex_triangle(start: [Vec3; 4], end: [Vec3; 4], gap: Real) -> Option<Real> {
    let seen = |[p, a, b, c]: [Vec3; 4]| [a - p, b - p, c - p];
    follow(seen(start), seen(end), gap)
}

/// The first time in [0, 1] at which two edges may be as near as `gap`, or `None` if they never are. Corners are the two
/// ends of one edge, then of the other. Otherwise as [`vertex_triangle`]; edges may be parallel or points.
pub fn edge_edge(start: [Vec3; 4], end: [Vec3; 4], gap: Real) -> Option<Real> {
    let seen = |[a0, a1, b0, b1]: [Vec3; 4]| [b0 - a0, b1 - a0, b1 - a1, b0 - a1];
    follow(seen(start), seen(end), gap)
}

/// Follows a polygon by planes between it and the origin.
fn follow<const K: usize>(start: [Vec3; K], end: [Vec3; K], gap: Real) -> Option<Real> {
    let Some(motion) = Motion::new(start, end, gap) else { return Some(0.0) };
    if motion.clears_at_once() {
        return None;
    }
    let (mut time, mut now) = (0.0, motion.start);
    let mut normal = best_normal(&now);
    let mut stride = 1.0;
    if motion.room(normal, &now) <= 0.0 {
        return Some(0.0);
    }
    for _ in 0..ADVANCES {
        let hold = motion.hold(normal, &now)? * (1.0 - time);
        if stride > 4.0 * hold {
            let next = (time + stride).min(1.0);
            let places = motion.at(next);
            let turned = best_normal(&places);
            if motion.room_between((normal, &now), (turned, &places)) > 0.0 {
                if next >= 1.0 {
                    return None;
                }
                (time, now, normal, stride) = (next, places, turned, 2.0 * stride);
                continue;
            }
            stride *= 0.25;
        }
        let next = time + hold;
        let places = motion.at(next);
        let room = motion.room(normal, &places);
        if next <= time || room <= 0.0 {
            let clears = |n: Vec3| motion.room(n, &now).min(motion.room(n, &motion.end)) > 0.0;
            if Vec3::AXES.into_iter().any(|n| clears(n) || clears(-n)) { return None; }
            return Some(time);
        }
        let turned = best_normal(&places);
        if motion.room(turned, &places) > room {
            normal = turned;
        }
        (time, now) = (next, places);
    }
    Some(time)
}

/// A convex polygon whose corners move straight, in a unit near its own size.
struct Motion<const K: usize> {
    start: [Vec3; K],
    end: [Vec3; K],
    /// What n·r must exceed but for rounding.
    gap: Real,
    /// By how much a product n·r may be wrong for each corner, as a share of each coordinate of |n|.
    doubt: [Vec3; K],
}

impl<const K: usize> Motion<K> {
    /// `None` where a corner or the gap is not a number, or where there is nothing but the origin.
    fn new(start: [Vec3; K], end: [Vec3; K], gap: Real) -> Option<Motion<K>> {
        let corners = || start.iter().chain(&end);
        let size = corners().map(|r| r.abs().max_element()).fold(0.0, Real::max);
        if !corners().all(|r| r.is_finite()) || gap.is_nan() || size == 0.0 {
            return None;
        }
        // By a power of two nothing is rounded, and products of three lengths stay in range.
        let unit = Real::from_bits((2046 - (size.to_bits() >> 52)).max(1) << 52);
        let (start, end) = (start.map(|r| r * unit), end.map(|r| r * unit));
        let doubt = std::array::from_fn(|k| start[k].abs().max(end[k].abs()) * (10.0 * UNIT) + Vec3::splat(UNDERFLOW));
        Some(Motion { start, end, gap: gap.max(0.0) * unit * (1.0 + 8.0 * UNIT), doubt })
    }

    fn at(&self, time: Real) -> [Vec3; K] {
        std::array::from_fn(|k| self.start[k] * (1.0 - time) + self.end[k] * time)
    }

    /// How much farther than the gap all corners surely are, seen along a normal.
    fn room(&self, normal: Vec3, places: &[Vec3; K]) -> Real {
        let room = |k: usize| normal.dot(places[k]) - normal.abs().dot(self.doubt[k]);
        (0..K).map(room).fold(Real::INFINITY, Real::min) - self.gap
    }

    /// The same for a plane that turns from one normal to another between two instants, if there is room at the first.
    fn room_between(&self, from: (Vec3, &[Vec3; K]), to: (Vec3, &[Vec3; K])) -> Real {
        let room = |k: usize| {
            let crossed = from.0.dot(to.1[k]) + to.0.dot(from.1[k]);
            0.5 * (crossed - (from.0.abs() + to.0.abs()).dot(self.doubt[k]))
        };
        self.room(to.0, to.1).min((0..K).map(room).fold(Real::INFINITY, Real::min) - self.gap)
    }

    /// Whether a plane that is found without looking holds from start to end: square to an axis, or toward the middle.
    fn clears_at_once(&self) -> bool {
        let middle = self.start.iter().sum::<Vec3>();
        let clears = |n: Vec3| self.room(n, &self.start).min(self.room(n, &self.end)) > 0.0;
        clears(middle.normalize_or_zero()) || Vec3::AXES.into_iter().any(|n| clears(n) || clears(-n))
    }

    /// For which share of the rest of the motion a plane holds; `None` if to the end.
    fn hold(&self, normal: Vec3, now: &[Vec3; K]) -> Option<Real> {
        let mut share = None;
        for k in 0..K {
            let (here, there) = (normal.dot(now[k]), normal.dot(self.end[k]));
            let doubt = normal.abs().dot(self.doubt[k]);
            if there - doubt <= self.gap {
                let spare = 0.999 * (here - self.gap) - 3.0 * doubt;
                let held = spare.max(0.0) / (here - there);
                share = Some(share.map_or(held, |s: Real| s.min(held)));
            }
        }
        share
    }
}

/// The unit normal of the best plane between the origin and a polygon: across the face, across a side, or toward a
/// corner; zero if they touch. All are tried and the best is taken, rather than the one of the nearest feature:
/// whichever that is, rounding would have to be thought of at each border between features, and of needles.
fn best_normal<const K: usize>(places: &[Vec3; K]) -> Vec3 {
    let mut best = (0.0, Vec3::ZERO);
    let mut consider = |n: Vec3| {
        let (lo, hi) = places.iter().map(|r| n.dot(*r)).fold((Real::INFINITY, -Real::INFINITY), |(lo, hi), d| (lo.min(d), hi.max(d)));
        let (reach, n) = if lo > -hi { (lo, n) } else { (-hi, -n) };
        let score = reach * reach.abs() / n.length_squared();
        if score > best.0 {
            best = (score, n);
        }
    };
    consider((places[1] - places[0]).cross(places[K - 1] - places[0]));
    for k in 0..K {
        let side = places[(k + 1) % K] - places[k];
        // Twice across, the normal is square to the side however near the side is.
        consider(side.cross(places[k].cross(side)));
        consider(places[k]);
    }
    best.1.normalize_or_zero()
}

#[cfg(test)]
mod tests;
