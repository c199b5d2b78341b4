//! The deepest point of a face or of a piece of an edge inside another shape.
//!
//! Vertices alone miss it: a thin tool passes between them, and the deepest point of a round body is seldom a vertex.
//! The distance to the surface of a convex shape is concave inside it: the plane of the nearest face bounds it from
//! above everywhere. Each place looked at gives such a plane, and the next place is where the least of them is greatest
//! (Kelley's cutting planes, 1960): a few steps reach the maximum, and the bound tells when. Inside other shapes the planes
//! are no bounds, and the best place looked at is a lower bound of the depth. Frank–Wolfe steps, as in Macklin et al.
//! 2020, were refused: they look at several times as many places for the same depth.

use crate::pierce::Of;
use crate::shape::{Nearest, Shape};
use crate::triangle::Feature;
use crate::{Real, Vec3};

/// Most places looked at on a face or an edge.
const LOOKS: usize = 6;
/// What may be missing at the end, as a part of the depth, where the bound holds.
const CLOSE: Real = 1e-3;

/// A place inside the other shape and the nearest point of that shape's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Weights of the corners of the face, or of the ends of the piece.
    pub weights: Vec3,
    pub nearest: Nearest,
    /// The way out, a unit vector.
    pub out: Vec3,
}

impl Place {
    /// By the shortest way.
    pub fn of(weights: Vec3, place: Vec3, nearest: Nearest) -> Self {
        Self { weights, nearest, out: (nearest.on.point - place).normalize_or_zero() }
    }
}

/// The deepest place of a face with these corners, of the shape `of`, found from a place that is inside. `None` where
/// nothing is deeper.
pub(crate) fn deepest_on_face(corners: [Vec3; 3], from: Place, of: Of, within: &Shape) -> Option<Place> {
    let mut cuts = [Vec3::ZERO; LOOKS + 1];
    cuts[0] = cut(&corners, &from, true)?;
    let mut best = from;
    for k in 1..=LOOKS {
        let weights = highest(&cuts[..k]);
        let bound = least(weights, &cuts[..k]);
        if bound * bound <= (1.0 + CLOSE) * (1.0 + CLOSE) * best.nearest.distance_sq {
            break;
        }
        let p = at(&corners, weights);
        let place = Place::of(weights, p, within.nearest_from(p, best.nearest.face)?);
        let inside = is_inside(p, &place.nearest, of, within);
        if inside && place.nearest.distance_sq > best.nearest.distance_sq {
            best = place;
        }
        cuts[k] = cut(&corners, &place, inside)?;
    }
    (best.nearest.distance_sq > from.nearest.distance_sq).then_some(best)
}

pub(crate) fn at(corners: &[Vec3; 3], weights: Vec3) -> Vec3 {
    corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z
}

/// Whether a place is inside: by the nearest point where that is inside a face, else by a ray.
fn is_inside(p: Vec3, nearest: &Nearest, of: Of, within: &Shape) -> bool {
    match nearest.on.feature {
        Feature::Face => within.normal(nearest.face).dot(p - nearest.on.point) < 0.0,
        _ => within.winding_about(p, of) > 0,
    }
}

/// The distance to the plane through the nearest point, at the three corners: positive inside.
fn cut(corners: &[Vec3; 3], place: &Place, inside: bool) -> Option<Vec3> {
    let away = at(corners, place.weights) - place.nearest.on.point;
    let inward = if inside { away } else { -away }.try_normalize()?;
    Some(Vec3::from_array(corners.map(|c| (c - place.nearest.on.point).dot(inward))))
}

/// The least of the cuts at a place.
fn least(weights: Vec3, cuts: &[Vec3]) -> Real {
    cuts.iter().fold(Real::INFINITY, |low, cut| low.min(cut.dot(weights)))
}

/// Where the least of the cuts is greatest: at a corner, or where cuts are equal on a side or inside. With so few of
/// them all such places are tried. O(k³) for k cuts.
fn highest(cuts: &[Vec3]) -> Vec3 {
    let mut best = (Real::NEG_INFINITY, Vec3::X);
    let mut try_at = |weights: Vec3| {
        let sum = weights.x + weights.y + weights.z;
        // Adding 0 turns −0 into 0.
        let weights = weights / sum + Vec3::ZERO;
        let low = least(weights, cuts);
        // Weights that are not numbers fail both.
        if weights.cmpge(Vec3::ZERO).all() && low > best.0 {
            best = (low, weights);
        }
    };
    Vec3::AXES.into_iter().for_each(&mut try_at);
    for i in 0..cuts.len() {
        for j in 0..i {
            let equal = cuts[i] - cuts[j];
            Vec3::AXES.into_iter().for_each(|side| try_at(equal.cross(side)));
            (0..j).for_each(|k| try_at(equal.cross(cuts[i] - cuts[k])));
        }
    }
    best.1
}

/// One end of a piece of an edge that is inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub place: Vec3,
    /// The face that it passes through, or that is nearest.
    face: u32,
    /// How deep it is.
    depth: Real,
    /// The direction in which it becomes deeper, by its length.
    inward: Vec3,
}

impl End {
    /// Where the edge passes through a face.
    pub fn crossing(place: Vec3, face: u32, within: &Shape) -> Self {
        Self { place, face, depth: 0.0, inward: -within.normal(face) }
    }

    /// A vertex inside, of which depth and direction are known and the nearest face is not.
    pub fn known(place: Vec3, depth: Real, inward: Vec3) -> Self {
        Self { place, face: 0, depth, inward }
    }

    /// A vertex inside, and the nearest point of the other surface.
    pub fn vertex(place: Vec3, nearest: &Nearest) -> Self {
        let inward = (place - nearest.on.point).normalize_or_zero();
        Self { place, face: nearest.face, depth: nearest.distance_sq.sqrt(), inward }
    }
}

/// The deepest place of a piece of an edge, where that is between its ends. The weights are those of the two ends.
/// `None` where an end is as deep, or less deep by no more than `slack` at the most: inside a convex shape the depth must
/// grow from both ends towards it, no faster than it does at them.
///
/// Mostly two walls are equally near there, and which of them is nearest is chance. The way out is that of either end's
/// side mixed so that it does not lead along the edge: across the rim between the walls, as edges push one another.
pub(crate) fn deepest_between(ends: [End; 2], within: &Shape, slack: Real) -> Option<Place> {
    let along = ends[1].place - ends[0].place;
    let look = |s: Real, end: End| Look { s, end, slope: end.inward.dot(along) };
    let (mut low, mut high) = (look(0.0, ends[0]), look(1.0, ends[1]));
    // Through a wall that it grazes a crossing leads inside all the same.
    if (low.end.depth > 0.0 && low.slope <= 0.0) || (high.end.depth > 0.0 && high.slope >= 0.0) {
        return None;
    }
    (low.slope, high.slope) = (low.slope.max(0.0), high.slope.min(0.0));
    let end = ends[0].depth.max(ends[1].depth);
    if low.end.depth + low.slope * meeting_of(&low, &high) < end + slack {
        return None;
    }
    let mut best: Option<(Real, Nearest)> = None;
    for _ in 0..LOOKS {
        let s = meeting_of(&low, &high);
        let p = ends[0].place + along * s;
        let nearest = within.nearest_from(p, low.end.face)?;
        if best.is_none_or(|(_, b)| nearest.distance_sq > b.distance_sq) {
            best = Some((s, nearest));
        }
        let here = look(s, End::vertex(p, &nearest));
        let bound = low.end.depth + low.slope * (s - low.s);
        if here.slope > 0.0 {
            low = here;
        } else {
            high = here;
        }
        if bound <= (1.0 + CLOSE) * here.end.depth || here.slope == 0.0 {
            break;
        }
    }
    let (s, nearest) = best.filter(|(_, nearest)| nearest.distance_sq > end * end)?;
    let place = Place::of(Vec3::new(1.0 - s, s, 0.0), ends[0].place + along * s, nearest);
    Some(Place { out: across(&low, &high).unwrap_or(place.out), ..place })
}

/// The mean of the ways out at two places, without what leads from one to the other.
fn across(low: &Look, high: &Look) -> Option<Vec3> {
    let part = low.slope / (low.slope - high.slope);
    let inward = low.end.inward * (1.0 - part) + high.end.inward * part;
    (-inward).try_normalize().filter(|_| inward.length_squared() > 0.1)
}

/// A place on a piece of an edge: how deep it is and how the depth grows along the piece.
#[derive(Clone, Copy, Debug)]
struct Look {
    s: Real,
    end: End,
    slope: Real,
}

/// Where two tangents meet, or the middle where they do not between their places.
fn meeting_of(low: &Look, high: &Look) -> Real {
    let s =
        (high.end.depth - low.end.depth + low.slope * low.s - high.slope * high.s) / (low.slope - high.slope);
    if s > low.s && s < high.s { s } else { 0.5 * (low.s + high.s) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Body, lump};

    /// The slow twin: every place of a fine grid.
    fn slowly(corners: &[Vec3; 3], within: &Shape) -> Real {
        let n = 60;
        let places = (0..=n).flat_map(|i| (0..=n - i).map(move |j| (i, j)));
        let depth = |(i, j): (i32, i32)| {
            let weights = Vec3::new(f64::from(i), f64::from(j), f64::from(n - i - j)) / f64::from(n);
            let p = at(corners, weights);
            let inside = within.winding_about(p, Of::First) > 0;
            within.nearest(p).filter(|_| inside).map_or(0.0, |x| x.distance_sq.sqrt())
        };
        places.map(depth).fold(0.0, Real::max)
    }

    #[test]
    fn the_deepest_place_of_a_face_is_found_in_a_few_looks() {
        let ball = Body::sphere(6);
        let body = ball.shape();
        for k in 0..12 {
            let t = f64::from(k);
            let p = |s: Real| {
                (0.8 + s)
                    * Vec3::new(libm::sin(t + s), libm::cos(2.0 * t + s), libm::sin(3.0 * t + 2.0 * s))
                        .normalize()
            };
            let corners = [p(0.0), p(0.3), p(0.9)];
            let nearest = body.nearest(corners[0]).unwrap();
            let from = Place::of(Vec3::X, corners[0], nearest);
            let found = deepest_on_face(corners, from, Of::First, &body).map_or(nearest, |x| x.nearest);
            let (fast, slow) = (found.distance_sq.sqrt(), slowly(&corners, &body));
            assert!(fast >= slow * (1.0 - 2.0 * CLOSE), "{k}: {fast} but {slow}");
            assert!(fast <= slow + 0.05, "{k}: {fast} but {slow}");
        }
    }

    /// In a dented body the planes are no bounds, and what is found is a depth all the same.
    #[test]
    fn in_a_dented_body_nothing_is_overstated() {
        let lump = lump(8, 0.4);
        let body = lump.shape();
        let corners = [Vec3::new(0.5, 0.1, 0.0), Vec3::new(-0.3, 0.6, 0.1), Vec3::new(0.0, -0.4, 0.5)];
        let from = Place::of(Vec3::X, corners[0], body.nearest(corners[0]).unwrap());
        let found = deepest_on_face(corners, from, Of::First, &body).unwrap();
        let again = body.nearest(at(&corners, found.weights)).unwrap();
        assert_eq!(again, found.nearest);
        assert!(found.nearest.distance_sq.sqrt() <= slowly(&corners, &body) * 1.01);
    }

    #[test]
    fn the_deepest_place_of_a_piece_of_an_edge() {
        let cube = Body::cube(3);
        let body = cube.shape();
        // From the lid to a wall: the depth is that of the nearer of the two planes, greatest where they are equal.
        let ends = [Vec3::new(0.2, 0.1, 1.0), Vec3::new(1.0, 0.1, 0.6)];
        let face_at = |p: Vec3| body.nearest(p).unwrap().face;
        let pieces = ends.map(|p| End::crossing(p, face_at(p), &body));
        let found = deepest_between(pieces, &body, 0.0).unwrap();
        let p = ends[0] * found.weights.x + ends[1] * found.weights.y;
        assert!((p.x - p.z).abs() < 1e-9 && (found.nearest.distance_sq.sqrt() - (1.0 - p.x)).abs() < 1e-12);
        assert!((p.x - (0.2 + 0.8 * 2.0 / 3.0)).abs() < 1e-9, "{p}");
    }
}
