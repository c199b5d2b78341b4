//! The conformance kit: what every body model must pass, untouched.

use crate::counting::allocations;
use crate::make::{baked, floor, noise, noise3, run, scene, weightless};
use crate::specimens::{Specimen, all, placed};
use serosa_bake::RawScene;
use serosa_geometry::{Mat3, Vec3, rotation};
use serosa_sim::energy::{EnergyKind, momentum, world_energy};
use serosa_sim::model::BodyKind;
use serosa_sim::{Input, World, body, step};

fn world_of(specimen: &Specimen) -> World {
    baked(&answered(specimen, weightless(vec![specimen.body.clone()]))).world()
}

/// A scene with the specimen's response.
fn answered(specimen: &Specimen, mut raw: RawScene) -> RawScene {
    raw.world.response = specimen.response;
    raw
}

fn forces(world: &World, pos: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; pos.len()];
    body::forces(&world.model, &world.params, pos, &mut out);
    out
}

fn elastic(world: &World, pos: &[Vec3]) -> f64 {
    let mut world = world.clone();
    world.state.pos.copy_from_slice(pos);
    world_energy(&world, EnergyKind::Elastic)
}

/// Rest positions, deformed at random by a tenth of the shortest edge.
fn deformed(world: &World, seed: &mut u64) -> Vec<Vec3> {
    let shortest = world.model.springs.iter().map(|s| s.rest_m).fold(1.0, f64::min);
    world.model.rest.iter().map(|p| *p + noise3(seed) * (0.1 * shortest)).collect()
}

fn shaken(world: &mut World, speed: f64, seed: &mut u64) {
    world.state.vel.iter_mut().for_each(|v| *v = noise3(seed) * speed);
    for twist in &mut world.state.twist {
        (twist.vel, twist.omega) = (noise3(seed) * speed, noise3(seed) * 5.0);
    }
}

#[test]
fn force_is_minus_the_gradient_of_energy() {
    for specimen in all() {
        let world = world_of(&specimen);
        let mut seed = 7;
        let pos = deformed(&world, &mut seed);
        let force = forces(&world, &pos);
        let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        for (v, f) in force.iter().enumerate() {
            for k in 0..3 {
                let h = 1e-6;
                let (mut hi, mut lo) = (pos.clone(), pos.clone());
                hi[v][k] += h;
                lo[v][k] -= h;
                let slope = (elastic(&world, &hi) - elastic(&world, &lo)) / (2.0 * h);
                let error = (f[k] + slope).abs();
                assert!(error < 1e-6 * scale, "{}: vertex {v}: {} {slope}", specimen.name, f[k]);
            }
        }
    }
}

#[test]
fn rigid_motion_changes_no_energy_and_rest_has_no_force() {
    for specimen in all() {
        let world = world_of(&specimen);
        let at_rest = forces(&world, &world.model.rest);
        assert!(at_rest.iter().all(|f| f.length() < 1e-9), "{}", specimen.name);
        let mut seed = 3;
        for _ in 0..20 {
            let pos = deformed(&world, &mut seed);
            let (turn, shift) = (rotation::from_rotation_vector(noise3(&mut seed) * 3.0), noise3(&mut seed));
            let moved: Vec<Vec3> = pos.iter().map(|p| turn * *p + shift).collect();
            let (before, after) = (elastic(&world, &pos), elastic(&world, &moved));
            assert!((before - after).abs() <= 1e-9 * before, "{}: {before} {after}", specimen.name);
        }
    }
}

#[test]
fn the_patch_test() {
    for specimen in all().iter().filter(|s| !s.inner.is_empty()) {
        let world = world_of(specimen);
        let mut seed = 11;
        let affine =
            Mat3::from_cols_array(&std::array::from_fn(|i| f64::from(i % 4 == 0) + 0.2 * noise(&mut seed)));
        let pos: Vec<Vec3> = world.model.rest.iter().map(|p| affine * *p).collect();
        let force = forces(&world, &pos);
        let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(scale > 0.1, "{}: the deformation should strain the border", specimen.name);
        for &v in &specimen.inner {
            assert!(force[v].length() < 1e-9 * scale, "{}: vertex {v}: {}", specimen.name, force[v]);
        }
    }
}

/// Linear momentum to rounding. Angular too, but for what backward Euler is known to take: converged, no force
/// has a moment where the step ends, Σ x⁺ × m (v⁺ − v) = 0, and so L⁺ = L + h Σ m v⁺ × v. Four Newton steps leave
/// less than 1e-7 of it.
#[test]
fn momentum_is_kept() {
    for specimen in all() {
        let mut raw = answered(&specimen, weightless(vec![specimen.body.clone()]));
        raw.bodies[0].self_contact = false;
        let mut world = baked(&raw).world();
        let implicit = matches!(world.model.bodies[0].kind, BodyKind::Band(_));
        let mut seed = 5;
        world.state.pos = deformed(&world, &mut seed);
        shaken(&mut world, 0.3, &mut seed);
        let (linear, mut angular) = momentum(&world);
        let begun = angular;
        for _ in 0..500 {
            let vel = world.state.vel.clone();
            run(&mut world, 1);
            for v in (0..vel.len()).filter(|_| implicit) {
                angular += world.state.vel[v].cross(vel[v]) * (world.params.dt_s * world.model.mass[v]);
            }
        }
        let (after, turned) = momentum(&world);
        let name = specimen.name;
        assert!((after - linear).length() < 1e-12 * 500.0, "{name}: {linear} {after}");
        assert!((turned - angular).length() < 1e-7 * begun.length(), "{name}: {angular} {turned}");
        assert!((turned - begun).length() < 0.02 * begun.length(), "{name}: {begun} {turned}");
    }
}

/// Linear momentum does not wait for convergence: one Newton step from a wild state keeps it to rounding. (A body
/// that touches itself keeps it as well as the conjugate gradients converge; see the folds in `lagrangian.rs`.)
#[test]
fn an_unconverged_band_keeps_its_linear_momentum() {
    for specimen in all() {
        let mut raw = answered(&specimen, weightless(vec![specimen.body.clone()]));
        raw.bodies[0].self_contact = false;
        let mut world = baked(&raw).world();
        if !matches!(world.model.bodies[0].kind, BodyKind::Band(_)) {
            continue;
        }
        world.params.sweeps = 1;
        let mut seed = 21;
        for round in 0..200 {
            world.state.pos = deformed(&world, &mut seed);
            world.state.pos.iter_mut().for_each(|p| *p *= 1.0 + 0.5 * noise(&mut seed));
            shaken(&mut world, 3.0, &mut seed);
            let before = momentum(&world).0;
            // Rounding is as large as what cancels: the impulses of all forces.
            let pulls: f64 = forces(&world, &world.state.pos).iter().map(|f| f.length()).sum();
            let size = before.length() + pulls * world.params.dt_s;
            run(&mut world, 1);
            let after = momentum(&world).0;
            let error = (after - before).length() / size;
            assert!(error < 1e-12, "{}: {round}: {error:e}", specimen.name);
        }
    }
}

/// Steps without rows: E(x⁺) + ½|v⁺ − v − h a|² ≤ E(xⁿ) + ½|v + h a|², however wild the start and however few the
/// Newton steps.
#[test]
fn a_band_never_rises_above_where_it_starts() {
    for specimen in all() {
        let mut raw = answered(&specimen, scene(vec![specimen.body.clone()]));
        raw.bodies[0].self_contact = false;
        let mut world = baked(&raw).world();
        if !matches!(world.model.bodies[0].kind, BodyKind::Band(_)) {
            continue;
        }
        let mut seed = 33;
        for round in 0..300u32 {
            world.params.sweeps = 1 + round % 3;
            world.state.pos = deformed(&world, &mut seed);
            if round % 2 == 0 {
                // Far from rest, folded and turned inside out.
                world.state.pos.iter_mut().for_each(|p| *p += noise3(&mut seed) * 0.02);
            }
            shaken(&mut world, 2.0, &mut seed);
            let fall = world.params.fall() * world.params.dt_s;
            let model = world.model.clone();
            let kinetic = |change: &dyn Fn(usize) -> Vec3| -> f64 {
                (0..model.mass.len()).map(|v| 0.5 * model.mass[v] * change(v).length_squared()).sum()
            };
            let vel = world.state.vel.clone();
            let before = world_energy(&world, EnergyKind::Elastic) + kinetic(&|v| vel[v] + fall);
            run(&mut world, 1);
            let now = &world.state.vel;
            let after = world_energy(&world, EnergyKind::Elastic) + kinetic(&|v| now[v] - vel[v] - fall);
            assert!(after <= before * (1.0 + 1e-9), "{}: {round}: {before} {after}", specimen.name);
        }
    }
}

#[test]
fn free_fall_moves_the_centre_as_theory_says() {
    for specimen in all() {
        let mut raw = answered(&specimen, scene(vec![specimen.body.clone()]));
        raw.world.gravity = Vec3::new(1.0, 0.0, -9.81);
        let mut world = baked(&raw).world();
        let center = |w: &World| {
            let m = &w.model;
            let soft: Vec3 = (0..m.rest.len()).map(|v| w.state.pos[v] * m.mass[v]).sum();
            let stiff: Vec3 = w.state.pose.iter().zip(&m.rigids).map(|(p, r)| p.pos * r.mass).sum();
            let mass: f64 = m.mass.iter().sum::<f64>() + m.rigids.iter().map(|r| r.mass).sum::<f64>();
            (soft + stiff) / mass
        };
        let start = center(&world);
        let (n, h) = (300, world.params.dt_s);
        run(&mut world, n);
        // Backward Euler falls h² g n (n + 1) / 2, a little more than g t² / 2.
        let fall = raw.world.gravity * (h * h * f64::from(n * (n + 1)) / 2.0);
        assert!((center(&world) - start - fall).length() < 1e-12, "{}", specimen.name);
    }
}

#[test]
fn energy_is_not_made() {
    for specimen in all() {
        let mut world = world_of(&specimen);
        let mut seed = 9;
        world.state.pos = deformed(&world, &mut seed);
        shaken(&mut world, 0.05, &mut seed);
        // Implicit steps of the linearised springs: converged, they take energy out in every step.
        world.params.sweeps = 200;
        let mut before = world_energy(&world, EnergyKind::Total);
        let first = before;
        for i in 0..300 {
            run(&mut world, 1);
            let now = world_energy(&world, EnergyKind::Total);
            assert!(now <= before * (1.0 + 1e-6), "{}: step {i}: {before} {now}", specimen.name);
            before = now;
        }
        if world.model.rigids.is_empty() {
            assert!(before < 0.7 * first, "{}: {first} {before}", specimen.name);
        } else {
            assert!((before - first).abs() < 1e-3 * first, "{}: {first} {before}", specimen.name);
        }
    }
}

fn is_placed(world: &World) -> bool {
    matches!(world.model.bodies[0].kind, BodyKind::Flexible(_))
}

#[test]
fn a_warm_step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for specimen in all().into_iter().chain(placed()) {
        let mut world = baked(&answered(&specimen, scene(vec![specimen.body.clone(), floor()]))).world();
        let input = Input::at_rest(&world);
        pool.install(|| run(&mut world, 600));
        assert!(world.report.contacts > 0 || !is_placed(&world), "{} lies on the floor", specimen.name);
        let count = allocations(&pool, || {
            for _ in 0..200 {
                step(&mut world, &input, &mut || 0);
            }
        });
        assert_eq!(count, 0, "{}", specimen.name);
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_after_a_restore() {
    for specimen in all().into_iter().chain(placed()) {
        let bake = baked(&answered(&specimen, scene(vec![specimen.body.clone(), floor()])));
        let mut hashes = Vec::new();
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut world = bake.world();
            pool.install(|| run(&mut world, 400));
            let half = world.state.clone();
            pool.install(|| run(&mut world, 400));
            hashes.push(world.state.hash());
            let mut again = bake.world();
            again.state = half;
            pool.install(|| run(&mut again, 400));
            hashes.push(again.state.hash());
        }
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{}: {hashes:x?}", specimen.name);
    }
}

#[test]
fn a_body_gone_wrong_is_held_and_the_others_go_on() {
    for specimen in all() {
        let mut other = specimen.body.clone();
        other.name = "other".into();
        let mut world = baked(&answered(&specimen, weightless(vec![specimen.body.clone(), other]))).world();
        let alone = {
            let mut alone = world_of(&specimen);
            run(&mut alone, 50);
            alone
        };
        if world.model.rest.is_empty() {
            world.state.pose[1].pos += Vec3::X * 5.0;
            world.state.twist[0].vel = Vec3::NAN;
        } else {
            let n = world.model.bodies[0].vertices.end as usize;
            world.state.pos[n..].iter_mut().for_each(|p| *p += Vec3::X * 5.0);
            world.state.vel[n / 2] = Vec3::NAN;
        }
        run(&mut world, 1);
        assert_eq!(world.report.quarantined.len(), 1, "{}", specimen.name);
        let held_for = serosa_sim::guard::steps_held(world.params.dt_s, 1);
        assert!((5..=50).contains(&held_for), "{}: {held_for}", specimen.name);
        run(&mut world, held_for - 1);
        assert!(world.state.frozen[0] && !world.state.frozen[1], "{}", specimen.name);
        run(&mut world, 50 - held_for);
        assert!(held_for == 50 || !world.state.frozen[0], "{}", specimen.name);
        assert!(world.state.pos.iter().all(|p| p.is_finite()));
        let n = alone.state.pos.len();
        for (a, b) in alone.state.pos.iter().zip(&world.state.pos[n..]) {
            assert!((*a + Vec3::X * 5.0 - *b).length() < 1e-12, "{}", specimen.name);
        }
    }
}
