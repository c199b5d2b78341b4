use super::*;
use crate::sample::{Body, lump};

fn search(a: &Body, b: &Body) -> Overlap {
    let (a, b) = (a.shape(), b.shape());
    let mut intersection = Intersection::default();
    intersection.find(&a, &b);
    let mut overlap = Overlap::default();
    overlap.find(&a, &b, &intersection);
    overlap
}

/// Two balls of 1,016 vertices, turned so that no vertex lies on the axis.
#[test]
fn the_depth_of_two_spheres_is_within_two_hundredths_of_the_radius() {
    for k in 0..20 {
        let turn = crate::Quat::from_rotation_y(0.1 * f64::from(k))
            * crate::Quat::from_rotation_z(0.07 * f64::from(k));
        let apart = 1.99 - 0.03 * f64::from(k);
        let a = Body::sphere(13).moved(|p| turn * p);
        let b = Body::sphere(13).moved(|p| p + Vec3::new(apart, 0.0, 0.0));
        let found = search(&a, &b);
        let [region] = found.regions() else { panic!("{k}: one region, not {:?}", found.regions()) };
        assert!((region.depth - (2.0 - apart)).abs() < 0.02, "{k}: {} of {}", region.depth, 2.0 - apart);
        // The deepest point may be anywhere on a flat face about the axis.
        assert!(region.normal.dot(-Vec3::X) > 0.99, "{k}: {}", region.normal);
    }
}

/// By the nearest of all faces, for every vertex inside.
#[test]
fn points_and_exits_agree_with_the_slow_twin() {
    let (a, b) = (lump(9, 0.3), lump(8, 1.4).moved(|p| p + Vec3::new(1.1, 0.2, 0.1)));
    let found = search(&a, &b);
    let vertices = found.points().iter().filter(|p| p.corners[0] == p.corners[1]);
    assert!(vertices.clone().count() > 30);
    for p in vertices {
        let to = if p.of == Of::First { &b } else { &a };
        let distance = |t: &[u32; 3]| {
            let corners = t.map(|v| to.points[v as usize]);
            crate::triangle::closest_on_triangle(p.place, &corners).point.distance(p.place)
        };
        let slow = to.topology.triangles.iter().map(distance).fold(Real::INFINITY, Real::min);
        assert_eq!(p.distance, slow);
    }
    for region in found.regions() {
        let points = &found.points()[range(&region.points)];
        assert!(points.iter().all(|p| p.distance <= region.depth));
        for p in points {
            let out = if p.of == Of::First { region.normal } else { -region.normal };
            assert!(
                (p.push - (p.exit - p.place).dot(out).max(0.0)).abs() < 1e-15
                    && p.push <= region.depth * (1.0 + 1e-12)
            );
        }
    }
}

#[test]
fn two_bumps_give_two_regions_with_two_directions() {
    let (left, right) = (
        Body::sphere(8).moved(|p| 0.3 * p + Vec3::new(-1.2, 0.1, 0.05)),
        Body::sphere(8).moved(|p| 0.3 * p + Vec3::new(0.1, 0.07, 1.1)),
    );
    let found = search(&left.with(&right), &Body::cube(4));
    let [first, second] = found.regions() else { panic!("{:?}", found.regions()) };
    assert!(first.normal.distance(-Vec3::X) < 1e-6 && second.normal.distance(Vec3::Z) < 1e-6);
    assert!(
        (first.depth - 0.1).abs() < 0.01 && (second.depth - 0.2).abs() < 0.01,
        "{} {}",
        first.depth,
        second.depth
    );
    // One body with two bumps: a dumbbell lies across the corner of the box.
    let both = search(&dumbbell(), &Body::cube(4));
    let [first, second] = both.regions() else { panic!("{:?}", both.regions()) };
    assert!(first.normal.dot(second.normal).abs() < 0.1, "{} {}", first.normal, second.normal);
    assert!(first.normal.distance(Vec3::X).min(first.normal.distance(Vec3::Z)) < 0.1);
}

/// One connected body, bent about the edge of the box at x = z = 1: its ends are thick and dip into lid and wall, its
/// middle is thin and does not.
fn dumbbell() -> Body {
    Body::sphere(12).moved(|p| {
        let angle = core::f64::consts::FRAC_PI_4 + 0.96 * p.x;
        let thick = 0.05 + 0.9 * p.x * p.x;
        let out = Vec3::new(libm::cos(angle), 0.0, libm::sin(angle));
        Vec3::new(0.6, 0.0, 0.6) + out * (0.65 - thick * p.z) + Vec3::Y * thick * p.y
    })
}

/// A needle of three sides through a box: no vertex of either is inside the other.
fn needle() -> Body {
    let at = |x: Real, k: usize| {
        let angle = 2.0 * core::f64::consts::PI * k as Real / 3.0 + 0.2;
        Vec3::new(x, 0.05 * libm::cos(angle) + 0.3, 0.05 * libm::sin(angle) + 0.8)
    };
    let points = (0..3).map(|k| at(-3.0, k)).chain((0..3).map(|k| at(3.0, k))).collect();
    let mut faces = vec![[0, 2, 1], [3, 4, 5]];
    for k in 0..3u32 {
        let next = (k + 1) % 3;
        faces.extend([[k, next, k + 3], [next, next + 3, k + 3]]);
    }
    Body::of(points, &faces)
}

#[test]
fn a_needle_between_the_vertices_is_found() {
    let (needle, cube) = (needle(), Body::cube(1));
    assert!(crate::Surface::of(&needle.points, &needle.topology.triangles).volume.is_some_and(|v| v > 0.0));
    let found = search(&needle, &cube);
    let [region] = found.regions() else { panic!("{:?}", found.regions()) };
    assert!(found.points().iter().all(|p| p.corners[0] != p.corners[1]), "no vertex is inside");
    let lowest = needle.points.iter().map(|p| p.z).fold(Real::INFINITY, Real::min);
    assert!((region.depth - (1.0 - lowest)).abs() < 1e-6 && region.normal.distance(Vec3::Z) < 1e-6);
    for p in found.points() {
        let between: Vec3 = (0..3).map(|k| needle.points[p.corners[k] as usize] * p.weights[k]).sum();
        assert!(between.distance(p.place) < 1e-12 && (p.weights.iter().sum::<Real>() - 1.0).abs() < 1e-12);
    }
    // The same the other way round.
    let swapped = search(&cube, &needle);
    assert_eq!(swapped.regions().len(), 1);
    assert!((swapped.regions()[0].depth - region.depth).abs() < 1e-6);
}

/// Two wedges whose sharp edges cross: the classical case that vertices miss.
#[test]
fn edges_that_cross_are_found() {
    let wedge = |turn: crate::Quat, by: Vec3| {
        let points = [
            (-1.0, -0.5, 0.0),
            (-1.0, 0.5, 0.0),
            (-1.0, 0.0, 1.0),
            (1.0, -0.5, 0.0),
            (1.0, 0.5, 0.0),
            (1.0, 0.0, 1.0),
        ];
        let faces = [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
        Body::of(points.iter().map(|&(x, y, z)| turn * Vec3::new(x, y, z) + by).collect(), &faces)
    };
    let a = wedge(crate::Quat::IDENTITY, Vec3::ZERO);
    let over = crate::Quat::from_rotation_x(core::f64::consts::PI)
        * crate::Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    let b = wedge(over, Vec3::new(0.1, 0.07, 1.9));
    let found = search(&a, &b);
    let [region] = found.regions() else { panic!("{:?}", found.regions()) };
    assert!(!region.enclosed && region.depth > 0.03 && region.depth <= 0.1, "{region:?}");
    assert_eq!(found.points().len(), 2, "the two edges");
}

#[test]
fn a_body_wholly_inside_is_freed_by_the_nearest_wall() {
    let ball = Body::sphere(5).moved(|p| 0.25 * p + Vec3::new(0.0, -0.6, 0.1));
    for swapped in [false, true] {
        let cube = Body::cube(3);
        let found = if swapped { search(&cube, &ball) } else { search(&ball, &cube) };
        let [region] = found.regions() else { panic!("{:?}", found.regions()) };
        let out = if swapped { Vec3::Y } else { -Vec3::Y };
        assert!(region.enclosed && region.normal.distance(out) < 1e-12);
        let highest = ball.points.iter().map(|p| p.y).fold(Real::NEG_INFINITY, Real::max);
        assert!((region.depth - (1.0 + highest)).abs() < 1e-12);
    }
}

#[test]
fn bodies_apart_or_with_nothing_in_common_have_no_region() {
    let far = Body::sphere(4).moved(|p| p + 5.0);
    assert!(search(&Body::cube(2), &far).regions().is_empty());
    let beside = Body::cube(2).moved(|p| p + Vec3::new(2.5, 0.0, 0.0));
    assert!(search(&Body::cube(2), &beside).regions().is_empty());
    let nothing = Body::of(Vec::new(), &[]);
    assert!(search(&nothing, &Body::cube(2)).regions().is_empty());
}

/// Warm buffers, and the order of faces in tree and file, change nothing.
#[test]
fn the_same_bits_in_any_order() {
    let (a, b) = (lump(9, 0.3), lump(8, 1.4).moved(|p| p + Vec3::new(1.1, 0.2, 0.1)));
    let (one, two) = (search(&a, &b), search(&a.scattered(), &b.scattered()));
    assert_eq!((one.regions(), one.points()), (two.regions(), two.points()));
    let (mut intersection, mut warm) = (Intersection::default(), Overlap::default());
    for other in [&Body::cube(2), &b, &Body::cube(3), &b] {
        intersection.find(&a.shape(), &other.shape());
        warm.find(&a.shape(), &other.shape(), &intersection);
    }
    assert_eq!((one.regions(), one.points()), (warm.regions(), warm.points()));
}

/// A blade of long edges through a ball of short ones, and the other way about: the regions know the same edges, where
/// these have both ends outside.
#[test]
fn edges_between_their_ends_are_found_from_consistent_depths_too() {
    let ball = Body::sphere(6);
    let blade = Body::sphere(1).moved(|p| Vec3::new(0.05 * p.x + 0.3, 3.0 * p.y, 3.0 * p.z));
    for [a, b] in [[&ball, &blade], [&blade, &ball]] {
        let found = search(a, b);
        let (a, b) = (a.shape(), b.shape());
        let mut intersection = Intersection::default();
        intersection.find(&a, &b);
        let (mut consistent, mut count) = (crate::consistent::Consistent::default(), 0);
        for (of, shapes) in [(Of::First, [&a, &b]), (Of::Second, [&b, &a])] {
            let inside = intersection.inside(of);
            let pierces = |p: &&Inner| {
                let ends = [p.corners[0], p.corners[1]];
                p.of == of && ends[0] != ends[1] && ends.iter().all(|v| inside.slot(*v).is_none())
            };
            let mut got = Vec::new();
            consistent.find(shapes, of, &intersection, None);
            consistent.edges(shapes, of, &intersection, 0.0, |p| got.push(*p));
            assert!(got.iter().all(|p| p.distance > 0.0 && (p.out.length() - 1.0).abs() < 1e-12));
            let sorted = |points: &[Inner]| {
                let mut points: Vec<Inner> = points.iter().filter(pierces).copied().collect();
                points.sort_by_key(Inner::key);
                points.iter().map(|p| (p.corners, p.place, p.exit, p.out)).collect::<Vec<_>>()
            };
            assert_eq!(sorted(&got), sorted(found.points()));
            count += sorted(&got).len();
        }
        assert!(count > 20, "{count}");
    }
}

/// Two balls that lie nearly in one place, and cross all over: with slack edges are passed over, and none that is deeper than that.
#[test]
fn edges_within_their_slack_are_passed_over() {
    let (a, b) = (Body::sphere(6), Body::sphere(5).moved(|p| p + Vec3::new(0.02, 0.01, 0.005)));
    let (a, b) = (a.shape(), b.shape());
    let mut intersection = Intersection::default();
    intersection.find(&a, &b);
    let (mut consistent, mut passed, mut kept) = (crate::consistent::Consistent::default(), 0, 0);
    let slack = 0.02;
    for (of, shapes) in [(Of::First, [&a, &b]), (Of::Second, [&b, &a])] {
        consistent.find(shapes, of, &intersection, None);
        let edges = |slack: Real| {
            let mut all = Vec::new();
            consistent.edges(shapes, of, &intersection, slack, |p| all.push(*p));
            all
        };
        let (all, deeper) = (edges(0.0), edges(slack));
        assert!(deeper.iter().all(|p| all.contains(p)));
        let known = |v: u32| consistent.found().iter().find(|f| f.vertex == v).map_or(0.0, |f| f.depth);
        for p in all.iter().filter(|p| !deeper.contains(p)) {
            let [v, w, _] = p.corners;
            let length = shapes[0].points[v as usize].distance(shapes[0].points[w as usize]);
            assert!(p.distance <= known(v).max(known(w)).max(0.0) + slack * length, "{p:?}");
            passed += 1;
        }
        kept += deeper.len();
    }
    assert!(passed > 5 && kept > 5, "{passed} and {kept}");
}
