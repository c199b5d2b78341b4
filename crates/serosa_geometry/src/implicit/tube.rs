//! Capsules joined end to end, and a tree of balls around them.

use crate::{Aabb, Real, Vec3};

/// Straight pieces between two given points of a tube: enough that its bends look round.
const PIECES: usize = 8;

/// The most stations of a tube.
pub(super) const STATIONS_MAX: usize = 8 * 256;

/// What rounding may take from a distance, as a share of it.
const ROUNDING: Real = 1e-12;

/// Capsules joined end to end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tube {
    /// Centre and radius of each station.
    stations: Vec<(Vec3, Real)>,
    /// Balls around runs of pieces: one around all, followed by those of its first half, then those of its second.
    hulls: Vec<(Vec3, Real)>,
}

impl Tube {
    /// A tube through stations, each with its radius. O(n log n).
    pub fn through(stations: Vec<(Vec3, Real)>) -> Self {
        let mut hulls = Vec::with_capacity(2 * stations.len());
        if stations.len() > 1 {
            surround(&stations, &mut hulls);
        }
        Self { stations, hulls }
    }

    /// A tube along the smooth curve through `points`, whose radius goes smoothly through `radii`, one for each point:
    /// a cubic in each span, its tangents half the way between the neighbours (Catmull and Rom 1974).
    pub fn along(points: &[Vec3], radii: &[Real]) -> Self {
        let at = |i: usize| {
            let r = radii.get(i).or(radii.last()).copied().unwrap_or(0.0);
            points[i].extend(r)
        };
        let last = points.len().saturating_sub(1);
        let mut stations = Vec::with_capacity(last * PIECES + 1);
        for i in 0..last {
            let (a, b) = (at(i), at(i + 1));
            let before = if i > 0 { at(i - 1) } else { a };
            let after = if i + 2 <= last { at(i + 2) } else { b };
            let (from, to) = (0.5 * (b - before), 0.5 * (after - a));
            for k in 0..PIECES {
                let t = k as Real / PIECES as Real;
                let (t2, t3) = (t * t, t * t * t);
                let x = a * (2.0 * t3 - 3.0 * t2 + 1.0) + b * (3.0 * t2 - 2.0 * t3);
                let x = x + from * (t3 - 2.0 * t2 + t) + to * (t3 - t2);
                // A cubic through radii may dip below them.
                stations.push((x.truncate(), x.w.max(0.5 * a.w.min(b.w))));
            }
        }
        if !points.is_empty() {
            stations.push((points[last], at(last).w));
        }
        Self::through(stations)
    }

    /// Centre and radius of each station.
    pub fn stations(&self) -> &[(Vec3, Real)] {
        &self.stations
    }

    /// The least value of its pieces, or anything from `most` on where that is not below it. O(log n) for most points.
    pub(super) fn value_below(&self, p: Vec3, most: Real) -> Real {
        let mut best = Real::INFINITY;
        if self.stations.len() > 1 {
            self.search(p, (0, 0, self.stations.len() - 1), most, &mut best);
        }
        best
    }

    /// Looks at the pieces of a run, the nearer half first, but for those that cannot be less than `most` and `best`.
    fn search(&self, p: Vec3, (hull, first, last): (usize, usize, usize), most: Real, best: &mut Real) {
        if last - first == 1 {
            *best = best.min(cone(p, self.stations[first], self.stations[last]));
            return;
        }
        let middle = first + (last - first) / 2;
        let halves = [(hull + 1, first, middle), (hull + 2 * (middle - first), middle, last)];
        // No point of a ball is nearer than its centre by more than its radius.
        let [low, high] = halves.map(|(hull, ..)| {
            let (center, radius) = self.hulls[hull];
            let far = (p - center).length();
            far - radius - ROUNDING * (far + radius)
        });
        let order = if high < low {
            [(halves[1], high), (halves[0], low)]
        } else {
            [(halves[0], low), (halves[1], high)]
        };
        for (half, least) in order {
            if !(least >= *best || least >= most) {
                self.search(p, half, most, best);
            }
        }
    }

    /// A box around it.
    pub(super) fn bounds(&self) -> Aabb {
        let ball = |s: &(Vec3, Real)| Aabb { min: s.0 - s.1, max: s.0 + s.1 };
        self.stations.iter().fold(Aabb::EMPTY, |all, s| all.join(ball(s)))
    }
}

/// Adds a ball around all stations, then those around the halves.
fn surround(stations: &[(Vec3, Real)], hulls: &mut Vec<(Vec3, Real)>) {
    let around = Aabb::around(stations.iter().map(|s| s.0));
    let center = 0.5 * (around.min + around.max);
    let radius = stations.iter().map(|s| (s.0 - center).length() + s.1).fold(0.0, Real::max);
    hulls.push((center, radius));
    if stations.len() > 2 {
        let middle = (stations.len() - 1) / 2;
        surround(&stations[..=middle], hulls);
        surround(&stations[middle..], hulls);
    }
}

/// The hull of two balls: the least over the axis of the distance to it less its radius there. With x along and y away
/// from the axis, and the radius growing by s a metre, the least lies at x + y s/√(1−s²), or at an end.
pub(super) fn cone(p: Vec3, (a, ra): (Vec3, Real), (b, rb): (Vec3, Real)) -> Real {
    let (axis, d) = (b - a, p - a);
    let length_sq = axis.length_squared();
    let slope_sq = (rb - ra) * (rb - ra) / length_sq.max(Real::MIN_POSITIVE);
    if slope_sq >= 1.0 {
        // One ball holds the other.
        return (d.length() - ra).min((p - b).length() - rb);
    }
    let t = d.dot(axis) / length_sq;
    let away = (d - axis * t).length();
    let shift = (rb - ra) * away / (length_sq * libm::sqrt(1.0 - slope_sq));
    let t = (t + shift).clamp(0.0, 1.0);
    (d - axis * t).length() - (ra + (rb - ra) * t)
}
