//! Shapes whose facts are known.

use super::*;
use crate::meet::triangles_meet;
use core::f64::consts::{PI, TAU};

type Shape = (Vec<Vec3>, Vec<[u32; 3]>);

/// The unit cube, outward.
fn cube() -> Shape {
    let points = (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real)).collect();
    let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// A torus of `n` × `m` squares.
fn torus(n: u32, m: u32) -> Shape {
    let at = |i: u32, j: u32| (i % n) * m + j % m;
    let point = |i: u32, j: u32| {
        let (u, v) = (TAU * Real::from(i) / Real::from(n), TAU * Real::from(j) / Real::from(m));
        let r = 3.0 + libm::cos(v);
        Vec3::new(r * libm::cos(u), r * libm::sin(u), libm::sin(v))
    };
    let grid = || (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let square = |(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    (grid().map(|(i, j)| point(i, j)).collect(), grid().flat_map(square).collect())
}

/// A strip of `n` squares, its ends joined with half a turn.
fn moebius(n: u32) -> Shape {
    let point = |k: u32| {
        let (u, w) = (TAU * Real::from(k / 2) / Real::from(n), if k.is_multiple_of(2) { -0.3 } else { 0.3 });
        let r = 1.0 + w * libm::cos(u / 2.0);
        Vec3::new(r * libm::cos(u), r * libm::sin(u), w * libm::sin(u / 2.0))
    };
    let square = |i: u32| {
        let (a, b) = (2 * i, 2 * i + 1);
        let (c, d) = if i + 1 < n { (a + 2, b + 2) } else { (1, 0) };
        [[a, c, d], [a, d, b]]
    };
    ((0..2 * n).map(point).collect(), (0..n).flat_map(square).collect())
}

/// A ball of `n` slices and `n` rings.
fn ball(center: Vec3, radius: Real, n: u32) -> Shape {
    let at = |ring: u32, slice: u32| match ring {
        0 => 0,
        r if r == n => 1,
        r => 2 + (r - 1) * n + slice % n,
    };
    let mut points = vec![center + Vec3::Z * radius, center - Vec3::Z * radius];
    let mut faces = Vec::new();
    for ring in 1..n {
        let v = PI * Real::from(ring) / Real::from(n);
        for slice in 0..n {
            let u = TAU * Real::from(slice) / Real::from(n);
            let (s, c) = (libm::sin(v), libm::cos(v));
            points.push(center + radius * Vec3::new(s * libm::cos(u), s * libm::sin(u), c));
        }
    }
    for (ring, slice) in (0..n).flat_map(|r| (0..n).map(move |s| (r, s))) {
        let [a, b] = [at(ring, slice), at(ring, slice + 1)];
        let [c, d] = [at(ring + 1, slice), at(ring + 1, slice + 1)];
        let two = [[a, c, d], [a, d, b]];
        faces.extend(two.into_iter().filter(|f| !repeats(f)));
    }
    (points, faces)
}

fn join((mut points, mut faces): Shape, other: &Shape) -> Shape {
    let from = points.len() as u32;
    points.extend(&other.0);
    faces.extend(other.1.iter().map(|f| f.map(|i| i + from)));
    (points, faces)
}

/// Every face with corners of its own, as STL files have them.
fn soup((points, faces): &Shape) -> Shape {
    let corners = faces.iter().flatten().map(|i| points[*i as usize]).collect();
    (corners, (0..faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect())
}

fn look((points, faces): &Shape) -> Surface {
    Surface::of(points, faces)
}

fn own((points, faces): &Shape) -> Meetings {
    self_meetings(points, faces, &|_| 0, PAIRS_MAX, &mut |_| true)
}

#[test]
fn a_cube() {
    let facts = look(&cube());
    assert!(facts.is_watertight() && facts.is_oriented() && !facts.torn);
    assert!((facts.volume.unwrap() - 1.0).abs() < 1e-12 && (facts.area - 6.0).abs() < 1e-12);
    assert!(facts.vector_area.length() < 1e-12);
    assert_eq!(facts.bounds, Some(Aabb { min: Vec3::ZERO, max: Vec3::ONE }));
    let [one] = &facts.components[..] else { panic!("{facts:?}") };
    assert_eq!((one.euler, one.genus, one.loops, one.closed), (2, Some(0), 0, true));
    assert_eq!(own(&cube()), Meetings { complete: true, ..Meetings::default() });
    let inside_out: Vec<[u32; 3]> = cube().1.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!((look(&(cube().0, inside_out)).volume.unwrap() + 1.0).abs() < 1e-12);
}

#[test]
fn a_box_without_a_lid_says_where_it_is_open() {
    let (points, faces) = cube();
    let facts = look(&(points, [&faces[..2], &faces[4..]].concat()));
    assert!(!facts.is_watertight() && facts.is_oriented() && facts.volume.is_none());
    let [rim] = &facts.loops[..] else { panic!("{:?}", facts.loops) };
    assert!(
        rim.closed
            && (rim.length - 4.0).abs() < 1e-12
            && rim.center.distance(Vec3::new(0.5, 0.5, 1.0)) < 1e-12
    );
    assert_eq!((facts.open_edges.len(), rim.points.len()), (4, 4));
    let [one] = &facts.components[..] else { panic!() };
    assert_eq!((one.euler, one.genus, one.loops, one.closed), (1, Some(0), 1, false));
    assert!((facts.vector_area + Vec3::Z).length() < 1e-12, "the lid is missing, which is 1 upwards");
}

#[test]
fn a_torus_has_a_handle() {
    let facts = look(&torus(24, 12));
    assert_eq!((facts.components[0].euler, facts.components[0].genus), (0, Some(1)));
    assert!(facts.is_watertight() && facts.volume.unwrap() > 50.0);
    let (points, mut faces) = torus(24, 12);
    faces.remove(100);
    let holed = look(&(points, faces)).components[0].clone();
    assert_eq!((holed.euler, holed.genus, holed.loops), (-1, Some(1), 1));
}

#[test]
fn a_moebius_strip_has_one_rim_and_no_outside() {
    let facts = look(&moebius(20));
    let [one] = &facts.components[..] else { panic!() };
    assert_eq!((one.euler, one.loops, one.orientable, one.genus), (0, 1, false, None));
    assert_eq!((facts.loops.len(), facts.open_edges.len()), (1, 40));
    assert!(!facts.is_oriented(), "somewhere two faces disagree, however they are turned");
}

#[test]
fn a_turned_face_is_told_from_a_surface_without_an_outside() {
    let (points, mut faces) = cube();
    faces[3].swap(0, 1);
    let facts = look(&(points, faces));
    assert!(facts.is_watertight() && facts.volume.is_none() && facts.components[0].orientable);
    assert_eq!(facts.flipped_edges.len(), 3);
}

#[test]
fn torn_corners_are_one_place() {
    let facts = look(&soup(&cube()));
    assert!(facts.is_watertight() && facts.torn);
    assert_eq!((facts.duplicate_points, facts.components.len()), (36 - 8, 1));
    assert!(own(&soup(&cube())).faces.is_empty(), "neighbours are neighbours by place too");
}

#[test]
fn parts_that_share_a_wall_are_each_whole() {
    let beside = (cube().0.iter().map(|p| *p + Vec3::X).collect(), cube().1);
    let (points, faces) = join(cube(), &beside);
    let part = |i: u32| i / 8;
    let facts = Surface::of_parts(&points, &faces, &part);
    assert!(facts.is_watertight() && facts.components.len() == 2 && facts.duplicate_points == 0);
    assert!(!look(&(points.clone(), faces.clone())).is_watertight(), "as one surface it has a wall inside");
    let found = self_meetings(&points, &faces, &part, PAIRS_MAX, &mut |_| true);
    assert!(found.faces.is_empty() && found.folded.is_empty() && found.between.len() > 4);
}

#[test]
fn pinched_and_crowded() {
    // Two cubes that share a corner: two components, one point between them.
    let shifted = (cube().0.iter().map(|p| *p + 1.0).collect(), cube().1);
    let corner = look(&join(cube(), &shifted));
    assert_eq!((corner.components.len(), &corner.pinched_points[..]), (2, &[7][..]));
    assert!(corner.is_watertight() && corner.components.iter().all(|c| c.genus == Some(0)));
    // Two that share an edge: four faces there.
    let beside = (cube().0.iter().map(|p| *p + Vec3::new(1.0, 1.0, 0.0)).collect(), cube().1);
    let edge = look(&join(cube(), &beside));
    assert_eq!((edge.crowded_edges.len(), edge.components.len()), (1, 1));
    assert!(!edge.is_watertight() && edge.components[0].genus.is_none());
    // Two holes that touch in a point: pulled apart there, they are one.
    let sheet =
        crate::generate::Sheet { corner: Vec3::ZERO, along: Vec3::X, across: Vec3::Y, columns: 6, rows: 6 };
    let sheet = crate::generate::membrane(&sheet);
    let hole = |f: usize| [24, 25, 36, 37].contains(&f);
    let holed = sheet.triangles.iter().enumerate().filter(|(f, _)| !hole(*f)).map(|(_, t)| *t).collect();
    let facts = look(&(sheet.points, holed));
    assert_eq!((facts.components[0].genus, facts.components[0].loops), (Some(0), 2));
    assert_eq!(facts.pinched_points.len(), 1);
}

#[test]
fn faults_of_single_faces_and_points() {
    let (mut points, mut faces) = cube();
    points.extend([
        Vec3::new(9.0, 0.0, 0.0),
        Vec3::new(9.5, 0.001, 0.0),
        Vec3::NAN,
        Vec3::new(0.5, 0.0, 0.0),
    ]);
    let sound = faces.len() as u32;
    faces.extend([[0, 1, 1], [2, 0, 3], [0, 8, 9], [0, 1, 11], [0, 1, 10]]);
    let facts = look(&(points, faces));
    assert_eq!(facts.collapsed_faces, [sound]);
    assert_eq!(facts.duplicate_faces, [sound + 1]);
    assert_eq!(facts.needles, [sound + 2]);
    assert_eq!(facts.flat_faces, [sound + 3]);
    assert_eq!((&facts.not_finite[..], facts.unused_points), (&[10][..], 0));
    assert!(facts.bounds.is_some_and(|b| b.max.x == 9.5));
    let nothing = look(&(Vec::new(), Vec::new()));
    assert!(!nothing.is_watertight() && nothing.bounds.is_none());
}

#[test]
fn a_fold_at_a_corner_is_told_apart() {
    // Two triangles about one corner, the second pierced by the side of the first.
    let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [2.0, 2.0, 5.0], [2.0, 2.0, -5.0]]
        .map(Vec3::from);
    let found = own(&(points.to_vec(), vec![[0, 1, 2], [3, 4, 0]]));
    assert_eq!((&found.folded[..], found.pairs), (&[0, 1][..], 0));
}

#[test]
fn two_balls_in_one_another_meet_as_all_pairs_say() {
    let cases = [
        (12, Vec3::new(0.9, 0.2, 0.1), 1.0),
        (9, Vec3::X, 1.0),
        (16, Vec3::new(0.0, 0.0, 1.99), 1.0),
        (12, Vec3::new(1.0, 0.001, 0.0005), 0.01),
        (10, Vec3::X, 30.0),
    ];
    for (n, offset, radius) in cases {
        let both = join(ball(Vec3::ZERO, 1.0, n), &ball(offset * Real::max(1.0, radius), radius, n));
        let (points, faces) = &both;
        let mut slow = std::collections::BTreeSet::new();
        let mut pairs = 0;
        for i in 0..faces.len() {
            for j in 0..i {
                let share = faces[i].iter().any(|p| faces[j].contains(p));
                let at = |f: usize| faces[f].map(|p| points[p as usize]);
                if !share && triangles_meet(&at(i), &at(j)) {
                    slow.extend([i as u32, j as u32]);
                    pairs += 1;
                }
            }
        }
        let found = own(&both);
        assert!(found.faces.iter().copied().eq(slow) && found.pairs == pairs && pairs > 5, "{pairs}");
        assert!(look(&both).is_watertight(), "each ball is whole all the same");
        let stopped = self_meetings(points, faces, &|_| 0, 20, &mut |_| true);
        assert!(!stopped.complete && stopped.pairs <= 20, "{radius}");
        assert!(!self_meetings(points, faces, &|_| 0, PAIRS_MAX, &mut |_| false).complete);
    }
}
