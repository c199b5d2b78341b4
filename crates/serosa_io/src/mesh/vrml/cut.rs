//! Polygons to triangles: fans where they are convex, ears elsewhere. A polygon of n corners always gives n − 2.

use serosa_geometry::Vec3;

/// Cuts a polygon; the numbers are places in `corners`. `effort` is how many more points may be looked at before
/// fans must do, so that a polygon of a million corners cannot hang the reader. False where they had to.
pub(super) fn cut(corners: &[Vec3], effort: &mut u64, triangles: &mut Vec<[u32; 3]>) -> bool {
    let flat = flatten(corners);
    if corners.len() <= 3 || is_convex(&flat) {
        fan(corners.len(), triangles);
        return true;
    }
    let mut ring: Vec<u32> = (0..corners.len() as u32).collect();
    while ring.len() > 3 {
        let Some(place) = find_ear(&flat, &ring, effort) else {
            triangles.extend((1..ring.len() - 1).map(|i| [ring[0], ring[i], ring[i + 1]]));
            return false;
        };
        let (before, after) = neighbours(&ring, place);
        triangles.push([ring[before], ring[place], ring[after]]);
        ring.remove(place);
    }
    triangles.push([ring[0], ring[1], ring[2]]);
    true
}

fn fan(count: usize, triangles: &mut Vec<[u32; 3]>) {
    triangles.extend((2..count as u32).map(|i| [0, i - 1, i]));
}

/// The corners seen along the axis in which the polygon is widest, anticlockwise.
fn flatten(corners: &[Vec3]) -> Vec<[f64; 2]> {
    let next = corners.iter().cycle().skip(1);
    let first = corners.first().copied().unwrap_or(Vec3::ZERO);
    let normal: Vec3 = corners.iter().zip(next).map(|(a, b)| (*a - first).cross(*b - first)).sum();
    let size = normal.abs();
    let (u, v, along) = match () {
        () if size.x >= size.y && size.x >= size.z => (1, 2, normal.x),
        () if size.y >= size.z => (2, 0, normal.y),
        () => (0, 1, normal.z),
    };
    let sign = if along < 0.0 { -1.0 } else { 1.0 };
    corners.iter().map(|p| [p[u] * sign, p[v]]).collect()
}

/// Twice the area of a triangle, positive where it goes anticlockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn is_convex(flat: &[[f64; 2]]) -> bool {
    let count = flat.len();
    (0..count).all(|i| {
        let (a, b, c) = (flat[i], flat[(i + 1) % count], flat[(i + 2) % count]);
        let lengths = libm::hypot(b[0] - a[0], b[1] - a[1]) * libm::hypot(c[0] - b[0], c[1] - b[1]);
        // What is nearly straight is no notch.
        turn(a, b, c) >= -1e-9 * lengths
    })
}

fn neighbours(ring: &[u32], place: usize) -> (usize, usize) {
    let count = ring.len();
    ((place + count - 1) % count, (place + 1) % count)
}

/// A corner that can be cut off: a true ear, else the flattest one; none where the effort is spent.
fn find_ear(flat: &[[f64; 2]], ring: &[u32], effort: &mut u64) -> Option<usize> {
    let at = |place: usize| flat[ring[place] as usize];
    let mut flattest = (f64::INFINITY, 0);
    for place in 0..ring.len() {
        let (before, after) = neighbours(ring, place);
        let (a, b, c) = (at(before), at(place), at(after));
        let area = turn(a, b, c);
        if area.abs() < flattest.0 {
            flattest = (area.abs(), place);
        }
        *effort = effort.checked_sub(1)?;
        if area <= 0.0 {
            continue;
        }
        let inside = |p: [f64; 2]| {
            p != a && p != b && p != c && turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
        };
        let blocker = ring.iter().position(|&i| inside(flat[i as usize]));
        *effort = effort.checked_sub(blocker.unwrap_or(ring.len()) as u64)?;
        if blocker.is_none() {
            return Some(place);
        }
    }
    Some(flattest.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3], triangles: &[[u32; 3]]) -> (f64, f64) {
        let one = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| corners[i as usize]);
            (b - a).cross(c - a).z / 2.0
        };
        (triangles.iter().map(one).sum(), triangles.iter().map(|t| one(t).abs()).sum())
    }

    fn polygon(flat: &[[f64; 2]]) -> Vec<Vec3> {
        flat.iter().map(|p| Vec3::new(p[0], p[1], 3.0)).collect()
    }

    #[test]
    fn a_notched_square_is_cut_without_overlap() {
        let corners = polygon(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]]);
        let mut triangles = Vec::new();
        assert!(cut(&corners, &mut 1000, &mut triangles));
        assert_eq!((triangles.len(), area(&corners, &triangles)), (3, (10.0, 10.0)));
        let backwards: Vec<Vec3> = corners.into_iter().rev().collect();
        triangles.clear();
        cut(&backwards, &mut 1000, &mut triangles);
        assert_eq!(area(&backwards, &triangles), (-10.0, 10.0));
    }

    #[test]
    fn combs_and_flat_ones_give_two_fewer_triangles_than_corners() {
        let comb: Vec<[f64; 2]> = (0..40).map(|i| [f64::from(i), f64::from(i % 2) * 5.0]).collect();
        let mut corners = polygon(&comb);
        corners.push(Vec3::new(20.0, -900.0, 3.0));
        let mut triangles = Vec::new();
        cut(&corners, &mut 1_000_000, &mut triangles);
        let (signed, absolute) = area(&corners, &triangles);
        assert_eq!(triangles.len(), 39);
        assert!((signed.abs() - absolute).abs() < 1e-9);
        triangles.clear();
        cut(&[Vec3::ONE; 6], &mut 1000, &mut triangles);
        assert_eq!(triangles.len(), 4);
    }

    #[test]
    fn the_effort_is_bounded() {
        let mut comb: Vec<[f64; 2]> = (0..4000).map(|i| [f64::from(i), f64::from(i % 2) * 5.0]).collect();
        comb.push([2000.0, -1e6]);
        let mut triangles = Vec::new();
        assert!(!cut(&polygon(&comb), &mut 10, &mut triangles));
        assert_eq!(triangles.len(), 3999);
    }
}
