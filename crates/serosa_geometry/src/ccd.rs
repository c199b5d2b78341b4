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
//! What slides past within rounding, where the best plane gives way, is tried with planes square to an axis: differences of
//! coordinates have the right sign however small they are.
//!
//! **Rounding.** A plane counts only if n·r exceeds the gap by 10 u Σ|n_c| R_c for each corner, with u = 2⁻⁵³ and R_c its
//! greater coordinate, of start and end, on each axis c. Of a computed coefficient, the difference of two coordinates is
//! wrong by u R_c, a place between start and end by 3 u R_c more, products and sums by 3 u, the mean of two and the last
//! difference by u each: 9 u, and less than the tenth for the products of these. Normals need not be right, only of
//! length 1 within 5 u, which the gap is widened for (8 u). Hence no hit is missed, and no answer is later than the true
//! time of the exact motion of the coordinates as given; and what stays farther than the gap by 60 u times its size
//! is reported only if it keeps turning so near that the [`ADVANCES`] run out: a pair of size 1 at a distance d that
//! turns by θ needs about θ/√(8 d) of them.
//!
//! Additive advancement (Li et al. 2021) was refused: it bounds motion by lengths of vectors, pays for every slide, and
//! is not conservative once rounded. Inclusion in time and both parameters (Wang et al. 2021) is, but searches three
//! dimensions where this searches one.

use crate::{Real, Vec3};

/// The most advances with which a motion is followed. When they run out, the time reached is the answer: a hit that may
/// be none. In the mean of random motions, two places are looked at where they miss and 16 where they hit, at most.
pub const ADVANCES: u32 = 256;

/// Half a unit in the last place of 1.
const UNIT: Real = Real::EPSILON / 2.0;

/// More than underflow can add to a product of three numbers below 4.
const UNDERFLOW: Real = 1e-290;

/// The least square of a length of which a unit is made: far above the numbers that have fewer digits.
const SMALLEST: Real = 1e-200;

/// How long another plane must hold to be worth a change: longer than rounding would give.
const LASTING: Real = 1e-12;

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
    let mut now = motion.at(0.0);
    if now.room <= 0.0 {
        return Some(0.0);
    }
    let mut stride = 1.0;
    for _ in 0..ADVANCES {
        let hold = motion.hold(now.normal, &now)?;
        let mut next = None;
        if stride > hold {
            next = motion.turn(&now, stride);
            if next.as_ref().is_some_and(|n| n.time >= 1.0) {
                return None;
            }
            stride *= 0.25;
        }
        match next.or_else(|| motion.stand(&now, hold)) {
            Some(next) => {
                stride = next_stride(&now, &next, stride);
                now = next;
            }
            None if motion.change_plane(&mut now) => {}
            None => break,
        }
    }
    Some(now.time)
}

/// How far to try to go after an advance: farther than before, but not quite to where the room would end.
fn next_stride<const K: usize>(from: &Moment<K>, to: &Moment<K>, stride: Real) -> Real {
    let went = to.time - from.time;
    let closed = from.room - to.room;
    let wider = 2.0 * went.max(stride);
    if closed > 0.0 { wider.min(0.99 * to.room / closed * went) } else { wider }
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

/// The polygon at a time, with the plane in use.
struct Moment<const K: usize> {
    time: Real,
    corners: [Vec3; K],
    /// Unit, toward the polygon; zero where there is no plane between.
    normal: Vec3,
    /// How much farther than the gap all corners surely are, seen along the normal.
    room: Real,
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
        let doubt = std::array::from_fn(|k| {
            start[k].abs().max(end[k].abs()) * (10.0 * UNIT) + Vec3::splat(UNDERFLOW)
        });
        Some(Motion { start, end, gap: gap.max(0.0) * unit * (1.0 + 8.0 * UNIT), doubt })
    }

    /// The polygon at a time, the end at the latest, with its best plane.
    fn at(&self, time: Real) -> Moment<K> {
        let time = time.min(1.0);
        let corners = std::array::from_fn(|k| self.start[k] * (1.0 - time) + self.end[k] * time);
        let normal = best_normal(&corners);
        Moment { time, corners, normal, room: self.room(normal, &corners) }
    }

    /// Whether a plane that is found without looking holds from start to end: square to an axis, or toward the middle.
    fn clears_at_once(&self) -> bool {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for k in 0..K {
            low = low.min(self.start[k].min(self.end[k]) - self.doubt[k]);
            high = high.max(self.start[k].max(self.end[k]) + self.doubt[k]);
        }
        if low.max(-high).max_element() > self.gap {
            return true;
        }
        let middle = unit(self.start.iter().sum());
        self.room(middle, &self.start) > 0.0 && self.room(middle, &self.end) > 0.0
    }

    /// How much farther than the gap all corners surely are, seen along a normal.
    fn room(&self, normal: Vec3, corners: &[Vec3; K]) -> Real {
        let room = |k: usize| normal.dot(corners[k]) - normal.abs().dot(self.doubt[k]);
        (0..K).map(room).fold(Real::INFINITY, Real::min) - self.gap
    }

    /// How long from now a plane that stands still holds, with some rounding to spare; `None` if to the end.
    fn hold(&self, normal: Vec3, now: &Moment<K>) -> Option<Real> {
        let mut share = None;
        for k in 0..K {
            let (here, there) = (normal.dot(now.corners[k]), normal.dot(self.end[k]));
            let doubt = normal.abs().dot(self.doubt[k]);
            if there - doubt <= self.gap {
                let spare = (0.999 * (here - self.gap) - 3.0 * doubt).max(0.0) / (here - there);
                share = Some(share.map_or(spare, |s: Real| s.min(spare)));
            }
        }
        share.map(|s| s * (1.0 - now.time))
    }

    /// The instant after a stride, if a plane that turns to its normal holds until then.
    fn turn(&self, now: &Moment<K>, stride: Real) -> Option<Moment<K>> {
        let next = self.at(now.time + stride);
        let clears = |k: usize| {
            let crossed = now.normal.dot(next.corners[k]) + next.normal.dot(now.corners[k]);
            0.5 * (crossed - (now.normal.abs() + next.normal.abs()).dot(self.doubt[k])) > self.gap
        };
        (next.time > now.time && next.room > 0.0 && (0..K).all(clears)).then_some(next)
    }

    /// The instant until which the plane holds as it stands, if that is any advance.
    fn stand(&self, now: &Moment<K>, hold: Real) -> Option<Moment<K>> {
        let mut next = self.at(now.time + hold);
        let room = self.room(now.normal, &next.corners);
        if next.room < room {
            (next.normal, next.room) = (now.normal, room);
        }
        (next.time > now.time && room > 0.0).then_some(next)
    }

    /// Where the plane with the most room gives way, another may hold: what slides past within rounding is told from
    /// what hits by the planes square to an axis, along which differences of coordinates have the right sign however
    /// small they are. Says whether one was found that lasts.
    fn change_plane(&self, now: &mut Moment<K>) -> bool {
        let mut lasting = (LASTING, Vec3::ZERO);
        for n in Vec3::AXES.into_iter().flat_map(|n| [n, -n]) {
            let hold = self.hold(n, now).unwrap_or(Real::INFINITY);
            if hold > lasting.0 && self.room(n, &now.corners) > 0.0 {
                lasting = (hold, n);
            }
        }
        let found = lasting.0 > LASTING;
        if found {
            (now.normal, now.room) = (lasting.1, self.room(lasting.1, &now.corners));
        }
        found
    }
}

/// The unit normal of the best plane between the origin and a polygon: across the face, across a side, or toward a
/// corner; zero if they touch. All are tried and the best is taken, rather than the one of the nearest feature:
/// whichever that is, rounding would have to be thought of at each border between features, and of needles.
fn best_normal<const K: usize>(corners: &[Vec3; K]) -> Vec3 {
    // The square of the room, the square of the normal's length, the normal. A quotient is not worth its time.
    let mut best = (0.0, 1.0, Vec3::ZERO);
    let mut consider = |n: Vec3| {
        let along = corners.map(|r| n.dot(r));
        let (low, high) = along.iter().fold((along[0], along[0]), |(low, high), d| (d.min(low), d.max(high)));
        let (room, len_sq) = (low.max(-high), n.length_squared());
        if room > 0.0 && room * room * best.1 > best.0 * len_sq && len_sq > SMALLEST {
            best = (room * room, len_sq, if low > 0.0 { n } else { -n });
        }
    };
    consider((corners[1] - corners[0]).cross(corners[K - 1] - corners[0]));
    for k in 0..K {
        let side = corners[(k + 1) % K] - corners[k];
        // Twice across, the normal is square to the side however near the side is.
        consider(side.cross(corners[k].cross(side)));
        consider(corners[k]);
    }
    unit(best.2)
}

/// The unit vector along `n`; zero where `n` is too short to be sure of its length.
fn unit(n: Vec3) -> Vec3 {
    if n.length_squared() > SMALLEST { n / n.length() } else { Vec3::ZERO }
}

#[cfg(test)]
mod tests;
