//! Every slope and curvature of the yardstick against differences.

use super::barrier::{Barrier, Pair, Rub};
use super::bodies::{Bodies, spring_energy, spring_piece};
use super::near::{Kind, Near, crossed};
use super::newton::ground_piece;
use super::piece::{Piece, Square, eigen, outer, project};
use crate::make::{baked, noise, noise3, scene, solid, springs};
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::{RawGeometry, RawModel, RawSolid};
use serosa_geometry::{Mat3, Real, Vec3};
use serosa_sim::model::Law;

/// Compares slopes and curvatures with those of the energy; returns the worst errors relative to their sizes.
fn compare(x: [Vec3; 4], step: Real, of: impl Fn(&[Vec3; 4]) -> Piece) -> [Real; 2] {
    let exact = of(&x);
    let moved = |k: usize, by: Real| {
        let mut y = x;
        y[k / 3][k % 3] += by;
        of(&y)
    };
    let size = exact.gradient.iter().map(|g| g.length()).fold(0.0, Real::max);
    let bend = exact.hessian.iter().flatten().fold(0.0, |m: Real, h| m.max(h.abs()));
    let (mut slope_error, mut bend_error): (Real, Real) = (0.0, 0.0);
    for k in 0..12 {
        let (hi, lo) = (moved(k, step), moved(k, -step));
        let slope = (hi.energy - lo.energy) / (2.0 * step);
        slope_error = slope_error.max((slope - exact.gradient[k / 3][k % 3]).abs());
        for i in 0..12 {
            let slope = (hi.gradient[i / 3][i % 3] - lo.gradient[i / 3][i % 3]) / (2.0 * step);
            bend_error = bend_error.max((slope - exact.hessian[i][k]).abs());
        }
    }
    [slope_error / size.max(1e-300), bend_error / bend.max(1e-300)]
}

const KINDS: [Kind; 2] = [Kind::VertexTriangle, Kind::EdgeEdge];

#[test]
fn distances_have_the_slopes_they_say() {
    let (mut seed, mut features) = (3, [0; 3]);
    for round in 0..600 {
        let (x, kind) = ([(); 4].map(|()| noise3(&mut seed)), KINDS[round % 2]);
        let near = Near::of(kind, &x);
        let interior = near.weights.iter().filter(|w| **w != 0.0).count();
        features[interior - 2] += 1;
        // Away from where the closest feature changes.
        let border = near.weights.iter().any(|w| *w != 0.0 && w.abs() < 0.02);
        if near.distance() < 0.05 || border || crossed(&x).energy < 1e-2 {
            continue;
        }
        let [slope, bend] = compare(x, 1e-6, |x| Near::of(kind, x).measure(x));
        assert!(slope < 1e-6 && bend < 1e-6, "{kind:?} {slope:e} {bend:e} {near:?}");
        if kind == Kind::EdgeEdge {
            let [slope, bend] = compare(x, 1e-6, crossed);
            assert!(slope < 1e-7 && bend < 1e-7, "{slope:e} {bend:e}");
        }
    }
    assert!(features.iter().all(|n| *n > 30), "corners, edges and faces: {features:?}");
}

/// Barriers at all gaps, with thickness, edges nearly parallel too.
#[test]
fn barriers_have_the_slopes_they_say() {
    let (mut seed, mut parallel, mut seen) = (8, 0, 0);
    for round in 0..3000 {
        let kind = KINDS[round % 2];
        let mut x = [(); 4].map(|()| noise3(&mut seed));
        if round % 4 == 3 {
            x[3] = x[2] + (x[1] - x[0]) + noise3(&mut seed) * 0.05;
        }
        let near = Near::of(kind, &x);
        let d = near.distance();
        let border = near.weights.iter().any(|w| *w != 0.0 && w.abs() < 0.05);
        let angle = crossed(&x).energy;
        if d < 0.2 || border || kind == Kind::EdgeEdge && angle < 1e-3 {
            continue;
        }
        let gap = d * (0.1 + 0.5 * noise(&mut seed).abs());
        let barrier = Barrier { reach: 1.2 * gap, stiffness: 7.0 };
        let pair = Pair { kind, nodes: [0, 1, 2, 3], thickness: d - gap, crossed: 0.2, friction: 0.0 };
        let [slope, bend] = compare(x, 1e-7 * gap, |x| pair.piece(x, &barrier));
        assert!(slope < 1e-5 && bend < 1e-4, "{kind:?} {slope:e} {bend:e} {near:?} {gap} {angle}");
        assert!((pair.energy(&x, &barrier) - pair.piece(&x, &barrier).energy).abs() < 1e-12);
        seen += 1;
        parallel += u32::from(kind == Kind::EdgeEdge && angle < 0.2);
    }
    assert!(seen > 300 && parallel > 30, "{seen} {parallel}");
}

/// Beside sides, edges and corners of a turned box.
#[test]
fn boxes_have_the_slopes_they_say() {
    let mut brick = solid("brick", RawSolid::Cuboid { size: Vec3::ONE }, Vec3::X, RawModel::Fixed);
    let RawGeometry::Solid { pose, .. } = &mut brick.geometry else { panic!("a shape") };
    pose.rot = serosa_geometry::rotation::from_rotation_vector(Vec3::new(0.3, -0.2, 1.0));
    let bodies = Bodies::of(&baked(&scene(vec![brick])).world(), 0.0);
    assert_eq!((bodies.vertices.len(), bodies.edges.len(), bodies.grounds.len()), (8, 12, 1));
    let ground = &bodies.grounds[0];
    let (mut seed, mut seen) = (4, 0);
    while seen < 100 {
        let x = Vec3::X + noise3(&mut seed);
        let gap = ground.measure(x).0;
        if gap < 0.1 {
            continue;
        }
        let barrier = Barrier { reach: 1.3 * gap, stiffness: 2.0 };
        let at = |x: &[Vec3; 4]| ground_piece(ground, x[0], barrier.at(ground.measure(x[0]).0));
        let [slope, bend] = compare([x; 4], 1e-7, at);
        assert!(slope < 1e-6 && bend < 1e-5, "{slope:e} {bend:e}");
        seen += 1;
    }
}

#[test]
fn friction_has_the_slopes_it_says() {
    let mut seed = 5;
    for still in [0.1, 1.0, 10.0] {
        for _ in 0..50 {
            let (old, x) = ([(); 4].map(|()| noise3(&mut seed)), [(); 4].map(|()| noise3(&mut seed)));
            let n = noise3(&mut seed).normalize();
            let [s, t] = [noise(&mut seed), noise(&mut seed)];
            let rub = Rub {
                nodes: [0, 1, 2, 3],
                weights: [1.0 - s, s, t - 1.0, -t],
                tangential: Mat3::IDENTITY - outer(n, n),
                limit: 3.0,
            };
            let [slope, bend] = compare(x, 1e-6, |x| rub.piece(x, &old, still));
            assert!(slope < 1e-7 && bend < 1e-5, "{still} {slope:e} {bend:e}");
            let force = rub.force(&x, &old, still);
            assert!(force.length() <= 3.0 + 1e-12 && (force.dot(n)).abs() < 1e-12);
            let values = eigen(rub.piece(&x, &old, still).hessian).0;
            assert!(values.iter().all(|v| *v > -1e-9), "friction curves upwards");
        }
    }
}

#[test]
fn bodies_have_the_slopes_they_say() {
    let mut seed = 2;
    for law in [Law::NeoHookean, Law::Corotated] {
        let raw =
            scene(vec![flesh("a", (Vec3::ZERO, Vec3::ONE), [1, 1, 1], elastic(law, 3.0, 0.4, 1.0, 0.0))]);
        let world = baked(&raw).world();
        let bodies = Bodies::of(&world, 0.0);
        assert_eq!((bodies.triangles.len(), bodies.edges.len(), bodies.vertices.len()), (12, 18, 8));
        for element in &bodies.elements {
            let x = element.nodes.map(|v| world.model.rest[v as usize] + noise3(&mut seed) * 0.2);
            let at = |x: &[Vec3; 4]| {
                let mut pos = world.model.rest.clone();
                element.nodes.iter().zip(x).for_each(|(v, x)| pos[*v as usize] = *x);
                element.piece(&pos, false)
            };
            let [slope, bend] = compare(x, 1e-5, at);
            assert!(slope < 1e-8 && bend < 1e-8, "{law:?} {slope:e} {bend:e}");
        }
    }
    let chain = serosa_geometry::generate::chain(Vec3::ZERO, Vec3::X, 4);
    let world = baked(&scene(vec![springs("chain", chain, 1.0, 50.0, 0.0)])).world();
    let bodies = Bodies::of(&world, 0.0);
    for spring in &bodies.springs {
        let [a, b] = spring.0.ends.map(|v| v.at());
        let x = [a, b, b, b].map(|v| world.model.rest[v] + noise3(&mut seed) * 0.3);
        let at = |x: &[Vec3; 4]| {
            let mut pos = world.model.rest.clone();
            (pos[a], pos[b]) = (x[0], x[1]);
            let piece = spring_piece(spring, &pos, false);
            assert!((piece.energy - spring_energy(spring, &pos)).abs() < 1e-12, "as the engine has it");
            piece
        };
        let [slope, bend] = compare(x, 1e-6, at);
        assert!(slope < 1e-7 && bend < 1e-7, "{slope:e} {bend:e}");
    }
}

#[test]
fn projections_keep_what_curves_upwards() {
    let mut seed = 6;
    for _ in 0..20 {
        let mut m: Square<12> = [[0.0; 12]; 12];
        for i in 0..12 {
            for j in 0..=i {
                m[i][j] = noise(&mut seed);
                m[j][i] = m[i][j];
            }
        }
        let (values, vectors) = eigen(m);
        let mut projected = m;
        project(&mut projected);
        for (value, v) in values.iter().zip(&vectors) {
            for i in 0..12 {
                let [was, is] = [&m, &projected].map(|m| (0..12).map(|j| m[i][j] * v[j]).sum::<Real>());
                assert!((was - value * v[i]).abs() < 1e-12 && (is - value.max(0.0) * v[i]).abs() < 1e-12);
            }
        }
    }
}
