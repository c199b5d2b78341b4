//! Distances against all triangles, and against shapes whose distance is known.

use super::*;
use core::f64::consts::{PI, TAU};

struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    /// In the cube from −size to size.
    fn point(&mut self, size: Real) -> Vec3 {
        (Vec3::new(self.next(), self.next(), self.next()) * 2.0 - 1.0) * size
    }
}

type Shape = (Vec<Vec3>, Vec<[u32; 3]>);

/// The cube from 0 to 1, outward.
fn cube() -> Shape {
    let points = (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real)).collect();
    let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// A unit ball of `n` rings and 2 n slices, outward.
fn ball(n: u32) -> Shape {
    let at = |ring: u32, slice: u32| match ring {
        0 => 0,
        r if r == n => 1,
        r => 2 + (r - 1) * 2 * n + slice % (2 * n),
    };
    let mut points = vec![Vec3::Z, Vec3::NEG_Z];
    let mut faces = Vec::new();
    for ring in 0..n {
        for slice in 0..2 * n {
            let (v, u) = (PI * Real::from(ring) / Real::from(n), TAU * Real::from(slice) / Real::from(2 * n));
            if ring > 0 {
                let (s, c) = (libm::sin(v), libm::cos(v));
                points.push(Vec3::new(s * libm::cos(u), s * libm::sin(u), c));
            }
            let [a, b] = [at(ring, slice), at(ring, slice + 1)];
            let [c, d] = [at(ring + 1, slice), at(ring + 1, slice + 1)];
            faces.extend(
                [[a, c, d], [a, d, b]].into_iter().filter(|f| f[0] != f[1] && f[1] != f[2] && f[2] != f[0]),
            );
        }
    }
    (points, faces)
}

fn of((points, faces): &Shape) -> Distance {
    Distance::of(Arc::new(Topology::of(faces, points.len())), points)
}

/// The slow twin: all triangles in turn.
fn closest_of_all(distance: &Distance, p: Vec3) -> (Real, u32) {
    let mut best = (Real::INFINITY, NONE);
    for t in 0..distance.topology.triangles.len() as u32 {
        let distance_sq = p.distance_squared(closest_on_triangle(p, &distance.corners(t)).point);
        if distance_sq < best.0 {
            best = (distance_sq, t);
        }
    }
    best
}

/// Points all around a surface, on its corners, and near its edges.
fn queries(distance: &Distance, n: usize) -> Vec<Vec3> {
    let mut random = Random(7);
    let mut all: Vec<Vec3> = (0..n).map(|_| random.point(1.6)).collect();
    all.extend(distance.points.iter().take(n).flat_map(|p| [*p, *p * 1.01, *p * 0.99]));
    let edges = distance.topology.edges.iter().take(n);
    all.extend(edges.map(|e| 0.505 * (distance.points[e[0] as usize] + distance.points[e[1] as usize])));
    all.extend([Vec3::ZERO, Vec3::ONE * 1e6, Vec3::ONE * 1e-9]);
    all
}

fn wave(points: &[Vec3], phase: Real) -> Vec<Vec3> {
    points.iter().map(|p| *p * (1.0 + 0.1 * libm::sin(5.0 * p.x + 3.0 * p.y + phase))).collect()
}

#[test]
fn the_search_finds_what_all_triangles_give_bit_by_bit() {
    // Far from the origin too, where single precision sees little.
    let far = Vec3::new(1000.0, -500.0, 2000.0);
    for (shape, by) in [(cube(), Vec3::ZERO), (ball(5), far), (ball(16), Vec3::ZERO), (ball(16), far * 100.0)]
    {
        let moved = |points: Vec<Vec3>| -> Vec<Vec3> { points.iter().map(|p| *p + by).collect() };
        let asked = moved(queries(&of(&shape), 300));
        let mut distance = of(&(moved(shape.0.clone()), shape.1.clone()));
        for phase in 0..3 {
            let mut found = vec![Near::NOTHING; asked.len()];
            distance.signed_all(&asked, &mut found);
            for (p, near) in asked.iter().zip(&found) {
                let (distance_sq, triangle) = closest_of_all(&distance, *p);
                assert_eq!((near.distance.abs(), near.triangle), (distance_sq.sqrt(), triangle), "{p}");
                assert_eq!(*near, distance.signed(*p));
                let [a, b, c] = distance.corners(triangle);
                let [u, v, w] = near.weights;
                assert!((a * u + b * v + c * w).distance(near.point) < 1e-6);
            }
            let mut bare = vec![Near::NOTHING; asked.len()];
            distance.closest_all(&asked, &mut bare);
            let unsigned = |near: &Near| Near { distance: near.distance.abs(), ..*near };
            assert!(bare.iter().copied().eq(found.iter().map(unsigned)), "all but the sign");
            let rev: Vec<Vec3> = asked.iter().rev().copied().collect();
            let mut back = found.clone();
            distance.signed_all(&rev, &mut back);
            assert!(back.iter().rev().eq(&found), "hints change nothing");
            distance.refit(&moved(wave(&shape.0, Real::from(phase))));
        }
    }
}

#[test]
fn groups_and_hints_change_nothing() {
    let shape = ball(24);
    let mut distance = of(&shape);
    let mut random = Random(3);
    // Near ones and far ones mixed, some at one place, some nowhere, and more than are put in order at once.
    let mut asked = queries(&distance, 1000);
    asked.extend((0..2 * CHUNK).map(|_| random.point(0.3)));
    asked.extend([Vec3::ZERO; 20]);
    asked.extend([Vec3::NAN, Vec3::INFINITY, Vec3::X * 1e300]);
    for phase in 0..2 {
        distance.refit(&wave(&shape.0, Real::from(phase)));
        let alone: Vec<Near> = asked.iter().map(|p| distance.signed(*p)).collect();
        let is_same = |found: &[Near]| {
            let same = |(a, b): (&Near, &Near)| a == b || (a.triangle, b.triangle) == (NONE, NONE);
            found.iter().zip(&alone).all(same)
        };
        let mut found = vec![Near::NOTHING; asked.len()];
        distance.signed_all(&asked, &mut found);
        assert!(is_same(&found));
        // Any triangle or none, and weights that are no weights.
        for (k, near) in found.iter_mut().enumerate() {
            near.triangle = (random.next() * 3000.0) as u32;
            near.weights = [[0.0; 3], [Real::NAN; 3], [-5.0, 2.0, 9.0], [1e300; 3]][k % 4];
        }
        distance.signed_all(&asked, &mut found);
        assert!(is_same(&found));
        // Parts of the list, each for itself.
        for (asked, found) in asked.chunks(7).zip(found.chunks_mut(7)) {
            distance.signed_all(asked, found);
        }
        assert!(is_same(&found));
    }
}

#[test]
fn edges_and_corners_of_a_cube_have_the_right_sign() {
    let distance = of(&cube());
    assert_eq!(distance.sign(), Sign::Pseudonormal);
    let mut random = Random(1);
    for k in 0..5000 {
        // Around corners and edges, where the normal of one face lies.
        let p = match k % 3 {
            0 => random.point(0.6) + Vec3::ONE,
            1 => random.point(0.6) + Vec3::new(0.5, 1.0, 0.0),
            _ => random.point(1.2) + 0.5,
        };
        let q = (p - 0.5).abs() - 0.5;
        let should = q.max(Vec3::ZERO).length() + q.max_element().min(0.0);
        let is = distance.signed(p).distance;
        assert!((is - should).abs() < 1e-12, "{p}: {is} {should}");
    }
    let corner = distance.normal_at(&distance.closest(Vec3::ONE * 2.0)).unwrap();
    assert!(
        corner.distance(Vec3::ONE.normalize()) < 1e-12,
        "angles of three faces are alike, however many triangles"
    );
    let edge = distance.normal_at(&distance.closest(Vec3::new(2.0, 0.4, 2.0))).unwrap();
    assert!(edge.distance(Vec3::new(1.0, 0.0, 1.0).normalize()) < 1e-12);
    assert_eq!(distance.signed(Vec3::new(0.25, 0.5, 1.0)).distance, 0.0);
}

/// A star with deep notches: vertices where face normals disagree about the side.
fn star() -> Shape {
    let (points, faces) = ball(8);
    let points = points.iter().enumerate().map(|(i, p)| if i % 3 == 0 { *p * 2.2 } else { *p * 0.8 });
    (points.collect(), faces)
}

#[test]
fn pseudonormals_and_winding_numbers_agree() {
    let mut random = Random(3);
    let mut inside = 0;
    for shape in [star(), ball(12), cube()] {
        let by_normals = of(&shape);
        let by_winding = Distance::with(by_normals.topology.clone(), &shape.0, Sign::Winding);
        for _ in 0..4000 {
            let p = random.point(1.8);
            let near = by_normals.signed(p);
            let winding = by_normals.winding_exact(p);
            assert!((winding - winding.round()).abs() < 1e-9);
            assert_eq!(near.distance < 0.0, winding > 0.5, "{p} {near:?}");
            assert_eq!(by_winding.signed(p), near);
            inside += usize::from(winding > 0.5);
        }
    }
    assert!(inside > 800, "{inside}");
}

#[test]
fn fast_winding_numbers_are_near_exact_ones() {
    let (points, mut faces) = ball(24);
    let closed = Distance::with(Arc::new(Topology::of(&faces, points.len())), &points, Sign::Winding);
    faces.retain(|f| f.iter().all(|v| points[*v as usize].z < 0.6));
    let mut open = of(&(points.clone(), faces));
    assert_eq!(open.sign(), Sign::Winding);
    let mut random = Random(5);
    let mut worst: Real = 0.0;
    for phase in 0..3 {
        for _ in 0..2000 {
            let p = random.point(1.5);
            worst = worst.max((closed.winding(p) - closed.winding_exact(p)).abs());
            worst = worst.max((open.winding(p) - open.winding_exact(p)).abs());
        }
        open.refit(&wave(&points, Real::from(phase)));
    }
    assert!(worst < 0.01, "{worst}");
    assert!(worst > 1e-6, "nothing was seen from afar");
    assert!(open.winding(Vec3::ZERO) > 0.5 && open.winding(Vec3::Z * 1.5) < 0.5);
}

#[test]
fn a_refitted_surface_answers_as_one_built_anew() {
    let shape = ball(16);
    let mut kept = of(&shape);
    let mut turned = Distance::with(kept.topology.clone(), &shape.0, Sign::Winding);
    for phase in 0..4 {
        // The last one tears the tree apart, so that it is built anew on the way.
        let moved: Vec<Vec3> = match phase {
            3 => shape.0.iter().map(|p| Vec3::new(p.y * 9.0 * p.x, p.z * p.x, p.x)).collect(),
            _ => wave(&shape.0, Real::from(phase)),
        };
        kept.refit(&moved);
        turned.refit(&moved);
        let fresh = of(&(moved, shape.1.clone()));
        for p in queries(&fresh, 200) {
            assert_eq!(kept.signed(p), fresh.signed(p));
            assert!((turned.winding(p) - fresh.winding_exact(p)).abs() < 0.02);
        }
    }
}

#[test]
fn a_ball_is_as_round_as_its_triangles() {
    let distance = of(&ball(48));
    let mut random = Random(9);
    for _ in 0..2000 {
        let p = random.point(1.7);
        // A facet lies within 1 − cos² of half a step below the sphere.
        let error = distance.signed(p).distance - (p.length() - 1.0);
        assert!((-1e-12..2.5e-3).contains(&error), "{p}: {error}");
    }
}

#[test]
fn flat_faces_holes_and_nothing_are_answered() {
    // A cube with a face cut at the middle of a side: a triangle that is a line, and the corner on it.
    let (mut points, mut faces) = cube();
    points.push(Vec3::new(0.5, 0.0, 0.0));
    faces.push([0, 1, 8]);
    let torn = of(&(points, faces));
    assert_eq!(torn.sign(), Sign::Winding, "the line is not closed");
    assert!(torn.signed(Vec3::new(0.5, 0.1, 0.1)).distance < 0.0);
    assert!(torn.signed(Vec3::new(0.5, -0.1, -0.1)).distance > 0.0);
    // The same, closed: the far face has the middle point as a corner.
    let (mut points, mut faces) = cube();
    points.push(Vec3::new(0.5, 0.0, 0.0));
    let at = faces.iter().position(|f| [0, 1, 5].iter().all(|v| f.contains(v))).unwrap();
    faces[at] = [0, 8, 5];
    faces.extend([[8, 1, 5], [0, 1, 8]]);
    let mended = of(&(points, faces));
    assert_eq!(mended.sign(), Sign::Pseudonormal, "{:?}", mended.topology.open);
    let mut random = Random(11);
    for _ in 0..500 {
        let p = random.point(0.3) + Vec3::new(0.5, 0.0, 0.0);
        let q = (p - 0.5).abs() - 0.5;
        let should = q.max(Vec3::ZERO).length() + q.max_element().min(0.0);
        assert!((mended.signed(p).distance - should).abs() < 1e-12, "{p}");
    }
    let nothing = of(&(vec![Vec3::ZERO], Vec::new()));
    assert_eq!(nothing.signed(Vec3::ONE).triangle, NONE);
    let mut broken = of(&cube());
    assert_eq!(broken.signed(Vec3::NAN).triangle, NONE);
    let mut moved = cube().0;
    moved[7] = Vec3::NAN;
    broken.refit(&moved);
    assert!((broken.signed(Vec3::new(0.1, 0.3, -1.0)).distance.abs() - 1.0).abs() < 1e-12);
}
