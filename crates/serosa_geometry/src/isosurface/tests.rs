use super::*;
use crate::Surface;
use crate::generate::organ::{Organ, organ, surface_of};
use crate::implicit::{Bumps, Implicit, Operator, Part, Shape};
use crate::surface::{PAIRS_MAX, self_meetings};
use core::f64::consts::PI;

fn cube(half: Real) -> Aabb {
    Aabb { min: Vec3::splat(-half), max: Vec3::splat(half) }
}

fn unit_ball(fineness: Fineness) -> Mesh {
    isosurface(&Field { value: &|p| p.length() - 1.0, bounds: cube(1.1) }, fineness).unwrap()
}

/// Least and mean least angle \[°\], and the shortest and longest edge beside the mean.
fn quality(mesh: &Mesh) -> [Real; 4] {
    let (mut least, mut sum) = (180.0, 0.0);
    for t in &mesh.triangles {
        let p = t.map(|i| mesh.points[i as usize]);
        let own = (0..3).map(|k| {
            let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
            libm::atan2(u.cross(v).length(), u.dot(v)).to_degrees()
        });
        let own = own.fold(180.0, Real::min);
        least = own.min(least);
        sum += own;
    }
    let lengths =
        mesh.edges.iter().map(|e| (mesh.points[e[0] as usize] - mesh.points[e[1] as usize]).length());
    let lengths: Vec<Real> = lengths.collect();
    let mean = lengths.iter().sum::<Real>() / lengths.len() as Real;
    let (short, long) = lengths.iter().fold((mean, mean), |(s, l), x| (x.min(s), x.max(l)));
    [least, sum / mesh.triangles.len() as Real, short / mean, long / mean]
}

/// Closed, manifold, oriented outward; its Euler characteristic.
fn euler(mesh: &Mesh) -> i64 {
    let surface = Surface::of(&mesh.points, &mesh.triangles);
    assert!(surface.is_watertight() && surface.is_oriented());
    assert!(surface.pinched_points.is_empty() && surface.duplicate_points == 0 && surface.unused_points == 0);
    assert!(surface.flat_faces.is_empty() && surface.collapsed_faces.is_empty());
    assert!(surface.volume.unwrap() > 0.0);
    mesh.points.len() as i64 - mesh.edges.len() as i64 + mesh.triangles.len() as i64
}

#[test]
fn area_and_volume_of_a_ball_converge_with_the_square_of_the_edge() {
    let errors = [0.4, 0.2, 0.1].map(|edge| {
        let mesh = unit_ball(Fineness::Edge(edge));
        assert_eq!(euler(&mesh), 2);
        assert!(mesh.points.iter().all(|p| (p.length() - 1.0).abs() < 1e-6));
        let surface = Surface::of(&mesh.points, &mesh.triangles);
        (1.0 - surface.area / (4.0 * PI), 1.0 - surface.volume.unwrap() / (4.0 / 3.0 * PI))
    });
    for pair in errors.windows(2) {
        for order in [libm::log2(pair[0].0 / pair[1].0), libm::log2(pair[0].1 / pair[1].1)] {
            assert!((1.8..2.3).contains(&order), "{errors:?}");
        }
    }
}

#[test]
fn the_number_of_vertices_is_exact() {
    for n in [12, 20, 50, 241, 993, 1500] {
        let mesh = unit_ball(Fineness::Vertices(n));
        assert_eq!(mesh.points.len(), n);
        assert_eq!(euler(&mesh), 2);
        assert!(quality(&mesh)[0] > 20.0, "{n}: {:?}", quality(&mesh));
    }
}

#[test]
fn a_torus_has_one_handle_and_its_volume() {
    let torus = Shape::Torus { center: Vec3::X, axis: Vec3::Y, major: 0.5, minor: 0.2 };
    let recipe = Implicit { parts: vec![Part::join(torus, 0.0)], ..Implicit::default() };
    let mesh = surface_of(&recipe, Fineness::Edge(0.04)).unwrap();
    assert_eq!(euler(&mesh), 0);
    let volume = Surface::of(&mesh.points, &mesh.triangles).volume.unwrap();
    let truth = 2.0 * PI * PI * 0.5 * 0.2 * 0.2;
    assert!((volume / truth - 1.0).abs() < 0.015, "{volume} {truth}");
    assert!(quality(&mesh)[0] > 25.0, "{:?}", quality(&mesh));
}

#[test]
fn organs_are_balls_of_even_triangles() {
    for which in Organ::ALL {
        for n in [500, 2000] {
            let mesh = organ(which, Fineness::Vertices(n)).unwrap();
            assert_eq!((euler(&mesh), mesh.points.len()), (2, n), "{which:?}");
            let [least, mean, short, long] = quality(&mesh);
            println!("{which:?} {n}: least {least:.1}, mean {mean:.1}, edges {short:.2} to {long:.2}");
            assert!(least > 30.0 && mean > 50.0 && short > 0.4 && long < 1.6, "{which:?} {n}");
            let met = self_meetings(&mesh.points, &mesh.triangles, &|_| 0, PAIRS_MAX, &mut |_| true);
            assert!(met.complete && met.pairs == 0 && met.folded.is_empty(), "{which:?} {n}");
            assert!(mesh.sets.values().all(|set| set.len() > 2), "{which:?} {:?}", mesh.sets);
        }
    }
}

#[test]
fn any_function_gives_a_closed_manifold() {
    // Noise alone: islands, tunnels and necks of the width of a cell.
    for seed in 0..6 {
        let bumps = Bumps { height: 1.0, size: 0.3, seed };
        let value = |p: Vec3| bumps.height_at(p) + (4.0 * (p.length() - 0.9)).max(0.0);
        let mesh = isosurface(&Field { value: &value, bounds: cube(1.2) }, Fineness::Edge(0.1)).unwrap();
        euler(&mesh);
    }
}

#[test]
fn the_same_recipe_gives_the_same_bits() {
    let [a, b] = [0, 1].map(|_| organ(Organ::Kidney, Fineness::Edge(0.005)).unwrap());
    assert_eq!(a, b);
}

#[test]
fn hostile_input_is_refused() {
    let said = |value: &dyn Fn(Vec3) -> Real, bounds, fineness| {
        isosurface(&Field { value, bounds }, fineness).unwrap_err().message
    };
    let ball = |p: Vec3| p.length() - 1.0;
    let edge = Fineness::Edge(0.1);
    assert!(said(&|_| 1.0, cube(1.0), edge).contains("nothing of the shape"));
    assert!(said(&|_| Real::NAN, cube(1.0), edge).contains("nothing of the shape"));
    assert!(said(&|_| -1.0, cube(1.0), edge).contains("out of its box"));
    assert!(said(&ball, cube(0.5), edge).contains("out of its box"));
    for bad in [1e-9, 0.0, -1.0, Real::NAN] {
        assert!(said(&ball, cube(1.1), Fineness::Edge(bad)).contains("too fine"), "{bad}");
    }
    assert!(said(&ball, Aabb::ALL, edge).contains("without bounds"));
    assert!(said(&ball, Aabb::EMPTY, edge).contains("without bounds"));
    for n in [0, 3, 11, VERTICES_MAX + 1, usize::MAX] {
        assert!(said(&ball, cube(1.1), Fineness::Vertices(n)).contains("vertices"));
    }
    // Too few vertices for the holes: a torus needs seven, twenty of them a hundred and more.
    let rings = |k: i32| {
        let shape = Shape::Torus { center: Vec3::X * Real::from(k), axis: Vec3::X, major: 0.3, minor: 0.1 };
        Part { shape, operator: Operator::Join, blend: 0.0 }
    };
    let recipe = Implicit { parts: (0..20).map(rings).collect(), ..Implicit::default() };
    assert!(surface_of(&recipe, Fineness::Vertices(60)).is_err());
}
