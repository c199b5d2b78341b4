//! The list with its skin against all pairs, along motions that no list would choose.

use crate::make::*;
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::*;
use serosa_geometry::{Quat, Real, Vec3, rotation};
use serosa_sim::World;
use serosa_sim::detect::{Finder, Places, Reach, Search};
use serosa_sim::model::Law;
use serosa_sim::params::{Detector, Filter};

fn crowd(seed: &mut u64) -> World {
    let mut bodies = vec![floor()];
    for i in 0..8 {
        let (at, dir) = (noise3(seed) * 0.1 + Vec3::Z * 0.1, noise3(seed) * 0.1);
        bodies.push(rope(&format!("rope{i}"), (at - dir, at + dir), 20, 0.004, ROPE));
    }
    let rigid = RawModel::Rigid { mass: 0.1 };
    for i in 0..4 {
        let shape = match i % 3 {
            0 => RawSolid::Sphere { radius: 0.02 },
            1 => RawSolid::Capsule { length: 0.1, radius: 0.01 },
            _ => RawSolid::Cuboid { size: Vec3::new(0.05, 0.03, 0.08) },
        };
        bodies.push(solid(&format!("solid{i}"), shape, noise3(seed) * 0.1 + Vec3::Z * 0.1, rigid.clone()));
    }
    baked(&scene(bodies)).world()
}

/// Creeping, running, jumping; one at a time or all; radii that grow; margins from nothing to centimetres: the rows of
/// the list are those of all pairs, every time.
#[test]
fn the_list_misses_nothing() {
    let mut seed = 4;
    let (mut rows, mut all, mut found) = (Vec::new(), Vec::new(), 0);
    for round in 0..6 {
        let mut world = crowd(&mut seed);
        let (mut list, mut every) = (Finder::default(), Finder::default());
        for tick in 0..60 {
            let speed = [1e-5, 1e-4, 1e-3, 1e-2][tick % 4];
            world.state.pos.iter_mut().for_each(|p| *p += noise3(&mut seed) * speed);
            for pose in &mut world.state.pose[1..] {
                pose.pos += noise3(&mut seed) * speed;
                let turn = serosa_geometry::rotation::from_rotation_vector(noise3(&mut seed) * speed * 10.0);
                pose.rot = (turn * pose.rot).normalize();
            }
            if tick % 7 == 3 {
                // One body is somewhere else at once.
                let body = world.model.bodies[1 + tick % 8].vertex_range();
                let jump = noise3(&mut seed) * 0.2;
                world.state.pos[body].iter_mut().for_each(|p| *p += jump);
                world.state.pose[1 + tick % 4].pos = noise3(&mut seed) * 0.1;
            }
            if tick % 5 == 0 {
                let grows = tick % world.state.radius.len();
                world.state.radius[grows..].iter_mut().step_by(3).for_each(|r| *r *= 1.1);
            }
            let far = if tick % 3 == 1 { 5e-4 } else { 5e-3 * noise(&mut seed).abs() };
            let (model, params) = (&world.model, &world.params);
            let mut reach = Reach::around(
                model,
                world.state.radius.iter().map(|_| far * (1.0 + noise(&mut seed))).collect(),
            );
            reach.ways.iter_mut().for_each(|way| *way = noise3(&mut seed) * far);
            reach.bound(model);
            let search = if tick % 3 == 0 { Search::Overlap } else { Search::Near(&reach) };
            let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
            list.rows(model, params, Detector::Grid, (at, search), &mut rows);
            every.rows(model, params, Detector::AllPairs, (at, search), &mut all);
            assert_eq!(rows.len(), all.len(), "round {round}, tick {tick}");
            assert!(rows == all, "round {round}, tick {tick}");
            assert!(list.near == every.near, "round {round}, tick {tick}");
            found += rows.len();
        }
    }
    assert!(found > 10_000, "{found}");
}

/// How the ring lies.
fn askew() -> Quat {
    rotation::between(Vec3::Z, Vec3::new(1.0, 2.0, 3.0).normalize())
}

/// A strip of flesh bent almost to a ring, lying askew; its ends are a few millimetres apart.
fn ring() -> World {
    let mut strip = flesh(
        "ring",
        (Vec3::new(0.0, -0.02, -0.005), Vec3::new(0.2, 0.04, 0.01)),
        [20, 4, 1],
        elastic(Law::NeoHookean, 1e4, 0.4, 1000.0, 0.0),
    );
    let RawGeometry::Tets(tets) = &mut strip.geometry else { panic!("tetrahedra") };
    for p in &mut tets.mesh.points {
        let (angle, radius) = (p.x / 0.2 * 6.2, 0.0325 + p.z);
        *p = askew() * Vec3::new(radius * angle.cos(), p.y, -radius * angle.sin());
    }
    baked(&lagrangian(vec![strip], Filter::Planes)).world()
}

/// Each vertex goes its own way and strays as far as it likes, the body deforms and turns between: the rows of a solid with
/// itself are those of all pairs.
#[test]
fn a_solid_beside_itself_has_all_its_rows() {
    let mut seed = 9;
    let (mut rows, mut all, mut found) = (Vec::new(), Vec::new(), 0);
    for round in 0..6 {
        let mut world = ring();
        let (mut list, mut every) = (Finder::default(), Finder::default());
        for tick in 0..60 {
            let turn = rotation::from_rotation_vector(noise3(&mut seed) * 0.1);
            let speed = [1e-6, 1e-5, 1e-4][tick % 3];
            world.state.pos.iter_mut().for_each(|p| *p = turn * *p + noise3(&mut seed) * speed);
            let (model, params) = (&world.model, &world.params);
            let mut reach = Reach::around(model, Vec::new());
            let far = 3e-3 * noise(&mut seed).abs();
            // Few are fast, or free; seldom the same.
            let rarely = |seed: &mut u64| if noise(seed) > 0.7 { 1.0 } else { 0.02 };
            reach.ways.iter_mut().for_each(|way| *way = noise3(&mut seed) * far * rarely(&mut seed));
            reach.strays = model.rest.iter().map(|_| far * rarely(&mut seed)).collect();
            let farthest = |p: &serosa_sim::model::Prim| {
                p.kind.vertices().iter().map(|v| reach.strays[v.at()]).fold(0.0, Real::max)
            };
            reach.prims = model.prims.iter().map(farthest).collect();
            reach.bound(model);
            let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
            list.rows(model, params, Detector::Grid, (at, Search::Near(&reach)), &mut rows);
            every.rows(model, params, Detector::AllPairs, (at, Search::Near(&reach)), &mut all);
            assert_eq!(rows.len(), all.len(), "round {round}, tick {tick}");
            assert!(rows == all, "round {round}, tick {tick}");
            found += rows.len();
        }
    }
    assert!(found > 1000, "{found}");
}

/// A strip whips in waves of any length, one vertex is torn out, all springs back at once, and every place is asked of more
/// than once with other reaches: the near pairs and rows of a solid with itself are those of all pairs.
#[test]
fn a_solid_that_whips_has_all_its_pairs() {
    let mut seed = 21;
    let (mut rows, mut all, mut found) = (Vec::new(), Vec::new(), [0, 0]);
    for round in 0..4 {
        let mut world = ring();
        let (mut list, mut every) = (Finder::default(), Finder::default());
        for tick in 0..45 {
            let (long, high) = ([5.0, 20.0, 100.0][tick % 3], [1e-5, 3e-4, 3e-3][(tick / 3) % 3]);
            let (wave, height) = (noise3(&mut seed) * long, noise3(&mut seed) * high);
            let turn = rotation::from_rotation_vector(noise3(&mut seed) * 0.3);
            world.state.pos.iter_mut().for_each(|p| *p = turn * (*p + height * (wave.dot(*p) + 1.0).sin()));
            if tick % 7 == 6 {
                let torn = tick * 5 % world.state.pos.len();
                world.state.pos[torn] += noise3(&mut seed) * 0.05;
            }
            if tick % 15 == 14 {
                world.state.pos.copy_from_slice(&world.model.rest);
            }
            if tick % 4 == 0 {
                world.state.radius.iter_mut().skip(tick).step_by(3).for_each(|r| *r *= 1.02);
            }
            let (model, params) = (&world.model, &world.params);
            let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
            for far in [2e-3 * noise(&mut seed).abs(), 1e-4, 0.0] {
                let prims = model.prims.iter().map(|_| far * noise(&mut seed).abs()).collect();
                let mut reach = Reach::around(model, prims);
                let (drift, spin) = (noise3(&mut seed) * 0.02, noise3(&mut seed) * 0.1);
                let way = |p: &Vec3| drift + spin.cross(*p) + height * (wave.dot(*p) + 1.2).sin() * far * 1e3;
                reach.ways = world.state.pos.iter().map(way).collect();
                reach.bound(model);
                let search = Search::Near(&reach);
                list.rows(model, params, Detector::Grid, (at, search), &mut rows);
                every.rows(model, params, Detector::AllPairs, (at, search), &mut all);
                assert!(rows == all, "round {round}, tick {tick}: {} rows of {}", rows.len(), all.len());
                assert!(list.near == every.near, "round {round}, tick {tick}");
                found = [found[0] + rows.len(), found[1] + list.near.len()];
            }
        }
    }
    assert!(found[0] > 1000 && found[1] > 3000, "{found:?}");
}

/// The ring closes until its ends touch: where nothing moves rows are made up to the gap at which surfaces rest, and where
/// surfaces thicken, as soon as they meet.
#[test]
fn a_solid_that_closes_on_itself_has_all_its_rows() {
    let mut world = ring();
    let (model, params) = (&world.model, &world.params);
    let bent = |rest: Vec3, total: Real| {
        let p = askew().conjugate() * rest;
        let (angle, radius) = ((-p.z).atan2(p.x).rem_euclid(std::f64::consts::TAU), p.x.hypot(p.z));
        // Those at the first end may lie a bit before it.
        let angle = if angle > 6.25 { 0.0 } else { angle } * total / 6.2;
        askew() * Vec3::new(radius * angle.cos(), p.y, -radius * angle.sin())
    };
    // All go the same way: none comes nearer, and what rests has its rows all the same.
    let mut reach = Reach::around(model, vec![0.0; model.prims.len()]);
    reach.ways.fill(Vec3::X * 6e-5);
    reach.bound(model);
    let thick: Vec<Real> = world.state.radius.iter().map(|r| r + 1e-3).collect();
    let (mut rows, mut all, mut found) = (Vec::new(), Vec::new(), [0, 0]);
    let (mut list, mut every) = (Finder::default(), Finder::default());
    for tick in 0..200 {
        let total = 6.2 + 4e-4 * f64::from(tick);
        world.state.pos.iter_mut().zip(&model.rest).for_each(|(p, rest)| *p = bent(*rest, total));
        let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
        let thicker = Search::Between(Places { radius: &thick, ..at });
        for (k, search) in [Search::Near(&reach), thicker].into_iter().enumerate() {
            every.rows(model, params, Detector::AllPairs, (at, search), &mut all);
            for list in [&mut list, &mut Finder::default()] {
                list.rows(model, params, Detector::Grid, (at, search), &mut rows);
                assert!(rows == all, "search {k} at {total}: {} rows of {}", rows.len(), all.len());
            }
            // Before they overlap; gaps on the way are those with the thickness at its end.
            found[k] += all.iter().filter(|row| row.gap > [0.0, -2e-3][k]).count();
        }
    }
    assert!(found[0] > 20 && found[1] > 20, "{found:?}");
}
