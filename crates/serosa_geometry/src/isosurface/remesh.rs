//! Even triangles: edges split, collapsed and flipped, vertices slid along the surface.

use super::Field;
use super::corners::{Corners, next, prev};
use crate::{Real, Vec3};

/// Edges above this many target lengths are split, those below [`SHORT`] collapsed: so neither makes work for the other.
const LONG: Real = 4.0 / 3.0;
const SHORT: Real = 4.0 / 5.0;

/// The least cosine between the normals of a face before and after it is changed: no face is turned over.
const KEPT: Real = 0.5;

/// Brings all edges near a length. O(rounds · n).
pub(super) fn even_out(corners: &mut Corners, field: &Field, edge: Real, rounds: usize) {
    for _ in 0..rounds {
        split_long(corners, edge);
        collapse_short(corners, edge);
        flip_to_six(corners);
        slide(corners, field, edge);
        slide(corners, field, edge);
    }
}

/// The last touch: flips that widen the least angle, slides, and vertices on the surface as exactly as it is given.
pub(super) fn settle(corners: &mut Corners, field: &Field, edge: Real) {
    for _ in 0..6 {
        flip_to_six(corners);
        slide(corners, field, edge);
    }
    for _ in 0..4 {
        widen(corners);
        slide(corners, field, edge);
    }
    for v in corners.each_vertex().collect::<Vec<_>>() {
        let place = field.project(corners.point(v), 0.5 * edge, 12);
        put(corners, v, place);
    }
}

/// Splits long edges or collapses short ones until there are exactly `n` vertices. Whether it could be done.
pub(super) fn count_to(corners: &mut Corners, field: &Field, edge: Real, n: usize) -> bool {
    for _ in 0..64 {
        let now = corners.vertices();
        if now == n {
            return true;
        }
        let mut edges: Vec<(Real, u32)> =
            (0..corners.len()).filter(|h| corners.leads(*h)).map(|h| (length(corners, h), h)).collect();
        edges.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        if now < n {
            for (_, h) in edges.iter().rev().take((n - now).min(edges.len() / 8 + 1)) {
                corners.split(*h, middle(corners, *h));
            }
        } else {
            let mut left = now - n;
            // An edge may be gone, or another, after those before it; it is measured anew.
            for (_, h) in edges {
                if left > 0
                    && corners.leads(h)
                    && length(corners, h) < 1.2 * edge
                    && collapse(corners, h, 2.0 * edge)
                {
                    left -= 1;
                }
            }
            if left == now - n {
                return false;
            }
        }
        flip_to_six(corners);
        slide(corners, field, edge);
    }
    corners.vertices() == n
}

fn length(corners: &Corners, h: u32) -> Real {
    (corners.point(corners.end(h)) - corners.point(corners.start(h))).length()
}

fn middle(corners: &Corners, h: u32) -> Vec3 {
    0.5 * (corners.point(corners.end(h)) + corners.point(corners.start(h)))
}

fn split_long(corners: &mut Corners, edge: Real) {
    // Halves made here are looked at in the next round.
    for h in 0..corners.len() {
        if corners.leads(h) && length(corners, h) > LONG * edge {
            corners.split(h, middle(corners, h));
        }
    }
}

fn collapse_short(corners: &mut Corners, edge: Real) {
    for h in 0..corners.len() {
        if corners.leads(h) && length(corners, h) < SHORT * edge {
            collapse(corners, h, LONG * edge);
        }
    }
}

/// Collapses an edge to its middle where that makes no edge longer than `longest` and turns no face over.
fn collapse(corners: &mut Corners, h: u32, longest: Real) -> bool {
    if !corners.can_collapse(h) {
        return false;
    }
    let place = middle(corners, h);
    let (f, g) = (h / 3, corners.twin(h) / 3);
    for v in [corners.start(h), corners.end(h)] {
        for ray in corners.around(v).filter(|ray| ray / 3 != f && ray / 3 != g) {
            let (a, b) = (corners.point(corners.end(ray)), corners.point(corners.start(prev(ray))));
            let old = (a - corners.point(v)).cross(b - corners.point(v));
            let new = (a - place).cross(b - place);
            let long = (a - place).length() > longest || (b - place).length() > longest;
            if long || !is_kept(old, new) {
                return false;
            }
        }
    }
    corners.collapse(h, place);
    true
}

/// Whether a face still looks where it looked. A face without area looked nowhere, and may look anywhere.
fn is_kept(old: Vec3, new: Vec3) -> bool {
    old.dot(new) >= KEPT * old.length() * new.length() && (new != Vec3::ZERO || old == Vec3::ZERO)
}

/// The four corners about an edge: its ends, and those opposite.
fn quad(corners: &Corners, h: u32) -> [u32; 4] {
    let t = corners.twin(h);
    [corners.start(h), corners.end(h), corners.start(prev(h)), corners.start(prev(t))]
}

/// Flips edges where that brings the numbers of edges at the four corners nearer to six.
fn flip_to_six(corners: &mut Corners) {
    for h in 0..corners.len() {
        if !corners.leads(h) {
            continue;
        }
        let [a, b, c, d] = quad(corners, h).map(|v| corners.valence(v) as i64 - 6);
        let sq = |x: i64| x * x;
        let now = sq(a) + sq(b) + sq(c) + sq(d);
        let then = sq(a - 1) + sq(b - 1) + sq(c + 1) + sq(d + 1);
        if then < now && can_flip(corners, h) {
            corners.flip(h);
        }
    }
}

/// Flips edges where that makes the least angle of the two faces larger.
fn widen(corners: &mut Corners) {
    for h in 0..corners.len() {
        if !corners.leads(h) {
            continue;
        }
        let [a, b, c, d] = quad(corners, h).map(|v| corners.point(v));
        let now = sharpest([a, b, c]).max(sharpest([b, a, d]));
        let then = sharpest([d, b, c]).max(sharpest([c, a, d]));
        if then < now - 1e-9 && can_flip(corners, h) {
            corners.flip(h);
        }
    }
}

/// The cosine of the least angle of a triangle.
fn sharpest([a, b, c]: [Vec3; 3]) -> Real {
    let cosine = |p: Vec3, q: Vec3, r: Vec3| (q - p).dot(r - p) / ((q - p).length() * (r - p).length());
    cosine(a, b, c).max(cosine(b, c, a)).max(cosine(c, a, b))
}

/// Whether an edge can be flipped: its ends keep three edges, the corners opposite are not joined, no face turns over.
fn can_flip(corners: &Corners, h: u32) -> bool {
    let [a, b, c, d] = quad(corners, h);
    if corners.valence(a) <= 3 || corners.valence(b) <= 3 || c == d || corners.joined(c, d) {
        return false;
    }
    let [a, b, c, d] = [a, b, c, d].map(|v| corners.point(v));
    let normal = |p: Vec3, q: Vec3, r: Vec3| (q - p).cross(r - p);
    let old = normal(a, b, c) + normal(b, a, d);
    is_kept(old, normal(d, b, c)) && is_kept(old, normal(c, a, d))
}

/// Slides every vertex to the middle of its neighbours, along the surface.
fn slide(corners: &mut Corners, field: &Field, edge: Real) {
    for v in corners.each_vertex().collect::<Vec<_>>() {
        let p = corners.point(v);
        let (mut sum, mut count, mut normal) = (Vec3::ZERO, 0.0, Vec3::ZERO);
        for ray in corners.around(v) {
            let (a, b) = (corners.point(corners.end(ray)), corners.point(corners.end(next(ray))));
            sum += a;
            count += 1.0;
            normal += (a - p).cross(b - p);
        }
        let normal = normal.normalize_or_zero();
        let to = sum / count - p;
        let aside = p + to - normal * to.dot(normal);
        put(corners, v, field.project(aside, 0.5 * edge, 1));
    }
}

/// Moves a vertex where that turns no face over.
fn put(corners: &mut Corners, v: u32, place: Vec3) {
    let p = corners.point(v);
    let fine = corners.around(v).all(|ray| {
        let (a, b) = (corners.point(corners.end(ray)), corners.point(corners.end(next(ray))));
        is_kept((a - p).cross(b - p), (a - place).cross(b - place))
    });
    if fine && place.is_finite() {
        corners.points[v as usize] = place;
    }
}
