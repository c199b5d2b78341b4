//! Solids from surfaces and functions: against volumes, distances by brute force, and what every mesh must be.

use proptest::prelude::*;
use serosa_bake::fill::{
    Fill, FillFault, Filled, GREATEST_ANGLE, LEAST_ANGLE, Size, embed, fill, fill_implicit, orient,
};
use serosa_geometry::implicit::{Implicit, Operator, Part, Shape};
use serosa_geometry::isosurface::Field;
use serosa_geometry::tets::Tets;
use serosa_geometry::{Aabb, Fineness, Mesh, Topology, Vec3, closest_on_triangle, isosurface};

fn ball(center: Vec3, radius: f64, edge: f64) -> Mesh {
    let value = |p: Vec3| p.distance(center) - radius;
    let bounds = Aabb { min: center - 1.2 * radius, max: center + 1.2 * radius };
    isosurface(&Field { value: &value, bounds }, Fineness::Edge(edge)).unwrap()
}

fn join(a: &Mesh, b: &Mesh) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let start = a.points.len() as u32;
    let moved = b.triangles.iter().map(|t| t.map(|i| i + start));
    ([&a.points[..], &b.points].concat(), a.triangles.iter().copied().chain(moved).collect())
}

fn filled(points: &[Vec3], triangles: &[[u32; 3]], how: &Fill) -> Filled {
    fill(points, triangles, how, &mut |_| {}).unwrap()
}

/// What must hold of every filling, found again from its tetrahedra alone.
fn check(solid: &Filled) -> Tets {
    let facts = Tets::of(&solid.points, &solid.tets);
    assert_eq!((facts.inverted.len(), facts.flat.len(), facts.crowded_faces), (0, 0, 0));
    let degrees = |a: Option<f64>| a.unwrap().to_degrees();
    assert!(degrees(facts.least_angle) >= LEAST_ANGLE, "{}", degrees(facts.least_angle));
    assert!(degrees(facts.greatest_angle) <= GREATEST_ANGLE, "{}", degrees(facts.greatest_angle));
    assert_eq!(facts.least_angle.unwrap(), solid.report.least_angle);
    let skin = Topology::of(&facts.boundary, solid.points.len());
    assert!(skin.is_closed() && skin.is_oriented());
    let by_place = facts.surface(&solid.points);
    assert!(by_place.is_watertight() && by_place.pinched_points.is_empty());
    assert!((by_place.volume.unwrap() - facts.volume).abs() <= 1e-9 * facts.volume, "divergence theorem");
    assert_eq!(solid.report.pieces.iter().sum::<usize>(), solid.tets.len());
    assert_eq!(by_place.unused_points, solid.points.len() - used_points(&facts.boundary));
    facts
}

fn used_points(faces: &[[u32; 3]]) -> usize {
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    used.len()
}

/// Distance to a surface by all of its triangles.
fn brute(p: Vec3, points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let one = |t: &[u32; 3]| closest_on_triangle(p, &t.map(|i| points[i as usize])).point.distance(p);
    triangles.iter().map(one).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_ball_has_its_volume_and_its_points_lie_on_it() {
    let ball = ball(Vec3::new(0.3, -0.2, 0.1), 1.0, 0.15);
    let mut before = f64::INFINITY;
    for edge in [0.3, 0.15] {
        let solid = filled(&ball.points, &ball.triangles, &Fill::with_edge(edge));
        let facts = check(&solid);
        assert_eq!(filled(&ball.points, &ball.triangles, &Fill::with_edge(edge)), solid, "the same bits");
        let report = &solid.report;
        let surface = report.surface_volume.unwrap();
        assert!((surface - 4.1888).abs() < 0.06, "{surface}");
        let off = (report.volume / surface - 1.0).abs();
        assert!(off < 0.3 * edge * edge && off < before, "{off}");
        before = off;
        let deviation = |p: &u32| brute(solid.points[*p as usize], &ball.points, &ball.triangles);
        let worst = facts.boundary.iter().flatten().map(deviation).fold(0.0, f64::max);
        assert!(worst < 1e-3 * edge && worst <= report.off_surface, "{worst} {}", report.off_surface);
        // Flat faces between points of a ball lie at most this deep below it.
        assert!(report.off_surface < 0.5 * edge * edge + 0.01, "{}", report.off_surface);
        let missed = report.missed_surface.unwrap();
        let skin: Vec<[u32; 3]> = facts.boundary.clone();
        let slow = ball.points.iter().map(|p| brute(*p, &solid.points, &skin)).fold(0.0, f64::max);
        assert!(slow <= missed + 1e-12 && missed < 2.0 * slow, "{slow} {missed}");
        assert_eq!(report.pieces.len(), 1);
    }
}

#[test]
fn edges_grow_inside_or_not_as_asked() {
    let ball = ball(Vec3::ZERO, 1.0, 0.2);
    let even = filled(&ball.points, &ball.triangles, &Fill::with_edge(0.1).even());
    let how = Fill { coarsest: 2.9, ..Fill::with_edge(0.1) };
    let graded = filled(&ball.points, &ball.triangles, &how);
    check(&even);
    let facts = check(&graded);
    assert!(5 * graded.tets.len() < 4 * even.tets.len(), "{} {}", graded.tets.len(), even.tets.len());
    let longest = |solid: &Filled| {
        let edges = solid.tets.iter().flat_map(|t| [[t[0], t[1]], [t[2], t[3]], [t[0], t[2]], [t[1], t[3]]]);
        edges.map(|[a, b]| solid.points[a as usize].distance(solid.points[b as usize])).fold(0.0, f64::max)
    };
    assert!(longest(&even) < 0.17 && (0.19..0.25).contains(&longest(&graded)), "{}", longest(&graded));
    assert_eq!(facts.boundary.len(), Tets::of(&even.points, &even.tets).boundary.len(), "the same skin");
}

#[test]
fn a_number_of_tetrahedra_may_be_asked_for() {
    let ball = ball(Vec3::ZERO, 0.05, 0.01);
    for (count, coarsest) in [(600, 1.0), (9000, 1.0), (9000, 4.0)] {
        let how = Fill { coarsest, ..Fill::with_tets(count) };
        let solid = filled(&ball.points, &ball.triangles, &how);
        check(&solid);
        let part = solid.tets.len() as f64 / count as f64;
        assert!((0.9..1.1).contains(&part), "{count}: {}", solid.tets.len());
    }
}

#[test]
fn overlaps_holes_and_surfaces_inside_out_are_filled() {
    let (a, b) = (ball(Vec3::ZERO, 1.0, 0.2), ball(Vec3::X * 1.2, 1.0, 0.2));
    let (points, triangles) = join(&a, &b);
    let solid = filled(&points, &triangles, &Fill::with_edge(0.15));
    check(&solid);
    // Two balls less the lens in which they overlap: 2 π h² (3 - h) / 3 with h = 0.4.
    let union = 2.0 * 4.18879 - 2.0 * core::f64::consts::PI * 0.16 * 2.6 / 3.0;
    assert!((solid.report.volume / union - 1.0).abs() < 0.03, "{} {union}", solid.report.volume);
    assert!(solid.report.missed_surface.unwrap() < 0.1, "{:?}", solid.report.missed_surface);
    assert!(solid.report.off_surface < 0.1, "{:?}", solid.report);
    let turned: Vec<[u32; 3]> = a.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let turned = filled(&a.points, &turned, &Fill::with_edge(0.15));
    assert_eq!(turned.tets, filled(&a.points, &a.triangles, &Fill::with_edge(0.15)).tets);
    // A ball without a cap is closed about where the cap was.
    let below = |t: &&[u32; 3]| t.iter().all(|i| a.points[*i as usize].z < 0.8);
    let open: Vec<[u32; 3]> = a.triangles.iter().filter(below).copied().collect();
    let capped = filled(&a.points, &open, &Fill::with_edge(0.15));
    check(&capped);
    assert!(capped.report.open_edges > 10 && capped.report.surface_volume.is_none());
    assert!((0.9..1.0).contains(&(capped.report.volume / turned.report.volume)), "{}", capped.report.volume);
}

#[test]
fn pieces_are_told_and_may_be_left_out() {
    let (a, b) = (ball(Vec3::X * 3.0, 0.6, 0.2), ball(Vec3::ZERO, 1.0, 0.2));
    let (points, triangles) = join(&a, &b);
    let mut solid = filled(&points, &triangles, &Fill::with_edge(0.2));
    check(&solid);
    assert_eq!(solid.report.pieces.len(), 2);
    assert!(solid.report.pieces[0] > solid.report.pieces[1]);
    solid.keep_pieces(1);
    let facts = check(&solid);
    assert!((facts.volume / 4.18879 - 1.0).abs() < 0.05 && solid.points.iter().all(|p| p.length() < 1.1));
}

#[test]
fn what_cannot_be_filled_is_refused_with_a_way_out() {
    let good = ball(Vec3::ZERO, 1.0, 0.3);
    let ask = |points: &[Vec3], triangles: &[[u32; 3]], how: Fill| {
        fill(points, triangles, &how, &mut |_| {}).unwrap_err()
    };
    let with = |how: Fill| ask(&good.points, &good.triangles, how);
    assert_eq!(ask(&[], &[], Fill::with_edge(0.1)), FillFault::Empty);
    let far = ask(&good.points, &[[0, 1, 9999]], Fill::with_edge(0.1));
    assert!(matches!(far, FillFault::NoPoint { triangle: 0, corner: 9999, .. }), "{far}");
    let mut bad = good.points.clone();
    bad[7].y = f64::NAN;
    assert_eq!(ask(&bad, &good.triangles, Fill::with_edge(0.1)), FillFault::NotFinite { point: 7 });
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(with(Fill::with_edge(edge)), FillFault::BadEdge { .. }), "{edge}");
    }
    let how = Fill { coarsest: 0.5, ..Fill::with_edge(0.1) };
    assert!(matches!(with(how), FillFault::BadGrading { .. }));
    assert!(matches!(with(Fill { size: Size::Tets(0), ..how.even() }), FillFault::BadCount { .. }));
    let square = [Vec3::ZERO, Vec3::X, Vec3::ONE - Vec3::Z, Vec3::Y];
    let sheet = ask(&square, &[[0, 1, 2], [0, 2, 3]], Fill::with_edge(0.05));
    assert_eq!(sheet, FillFault::Open { open: 4 });
    let doubled = ask(&square, &[[0, 1, 2], [0, 2, 1]], Fill::with_edge(0.05));
    assert_eq!(doubled, FillFault::Hollow);
    let FillFault::TooCoarse { fitting, .. } = with(Fill::with_edge(9.0)) else { panic!("too coarse") };
    check(&filled(&good.points, &good.triangles, &Fill::with_edge(fitting)));
    for edge in [1e-4, 1e-12, 1e-300] {
        let fault = with(Fill::with_edge(edge));
        let FillFault::TooFine { fitting, .. } = fault else { panic!("{fault}") };
        assert!(fitting > edge && fitting < 0.3, "{fault}");
    }
    assert!(fill_implicit(&Implicit::default(), &how.even(), &mut |_| {}).is_err());
}

#[test]
fn points_are_carried_by_the_tetrahedra_around_them() {
    let ball = ball(Vec3::ZERO, 1.0, 0.1);
    let solid = filled(&ball.points, &ball.triangles, &Fill::with_edge(0.25));
    let queries: Vec<Vec3> = ball.points.iter().flat_map(|p| [*p, *p * 0.7, *p * 1.05]).collect();
    let carried = embed(&queries, &solid.points, &solid.tets);
    let bend = |p: Vec3| Vec3::new(p.x + 0.3 * p.y, 1.1 * p.y, p.z - 0.2 * p.x) + Vec3::ONE;
    for (p, at) in queries.iter().zip(&carried) {
        let corners = solid.tets[at.tet as usize].map(|i| solid.points[i as usize]);
        let mean: Vec3 = corners.iter().zip(at.weights).map(|(c, w)| *c * w).sum();
        assert!(mean.distance(*p) < 1e-9 && (at.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // An affine motion of the solid carries the point along exactly.
        let moved: Vec3 = corners.iter().zip(at.weights).map(|(c, w)| bend(*c) * w).sum();
        assert!(moved.distance(bend(*p)) < 1e-9);
        let least = at.weights.iter().fold(1.0, |m: f64, w| m.min(*w));
        assert!(least > if p.length() < 0.8 { -1e-8 } else { -1.5 }, "{p} {least}");
    }
    assert!(embed(&queries, &[], &[]).is_empty());
}

#[test]
fn imported_tetrahedra_are_turned_and_counted() {
    let ball = ball(Vec3::ZERO, 1.0, 0.3);
    let solid = filled(&ball.points, &ball.triangles, &Fill::with_edge(0.4));
    let mut tets = solid.tets.clone();
    tets.iter_mut().step_by(3).for_each(|t| t.swap(0, 1));
    let count = tets.len().div_ceil(3);
    tets.push([0, 0, 1, 2]);
    let found = orient(&solid.points, &mut tets);
    assert_eq!((found.turned, &found.flat[..]), (count, &[tets.len() as u32 - 1][..]));
    assert!(Tets::of(&solid.points, &tets).inverted.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Blended balls of any size: thin necks, crumbs and shapes below the lattice's size among them.
    #[test]
    fn random_shapes_are_filled_soundly(
        balls in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), 0.05..0.7f64, 0.0..0.2f64), 1..6),
        edge in 0.08..0.4f64,
        coarsest in 1.0..5.0f64,
        rounds in 0..4usize,
    ) {
        let part = |(i, (center, radius, blend)): (usize, &([f64; 3], f64, f64))| Part {
            shape: Shape::Ball { center: Vec3::from(*center), radius: *radius },
            operator: if i % 3 == 2 { Operator::Cut } else { Operator::Join },
            blend: *blend,
        };
        let shape = Implicit { parts: balls.iter().enumerate().map(part).collect(), ..Implicit::default() };
        let how = Fill { coarsest, rounds, ..Fill::with_edge(edge) };
        match fill_implicit(&shape, &how, &mut |_| {}) {
            Ok(solid) => { check(&solid); }
            Err(fault) => prop_assert!(matches!(fault, FillFault::TooCoarse { .. }), "{}", fault),
        }
    }
}
