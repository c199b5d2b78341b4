//! Solids thrown about: nothing passes through anything, and the promises hold.

use crate::make::*;
use crate::solid_contact::{at_240, cube, ground};
use serosa_bake::raw::*;
use serosa_geometry::generate::{Sheet, membrane};
use serosa_geometry::triangle::crossing;
use serosa_geometry::{PrimId, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::model::PrimKind;
use serosa_sim::{Hand, Input, World, step};

/// Solids, a sheet, a rope, shapes and a tool in a heap.
fn heap() -> RawScene {
    let flat = Sheet {
        corner: Vec3::new(-0.04, -0.04, 0.11),
        along: Vec3::X * 0.08,
        across: Vec3::Y * 0.08,
        columns: 6,
        rows: 6,
    };
    let at = Vec3::new(0.0, 0.0, 0.125);
    let box_at = Vec3::new(0.07, 0.0, 0.03);
    let mut raw = at_240(vec![
        ground(),
        cube("low", Vec3::new(-0.02, -0.02, 0.002), 0.04, 2, 2e4),
        cube("high", Vec3::new(-0.015, -0.018, 0.05), 0.04, 3, 8e3),
        springs("sheet", membrane(&flat), 0.02, 100.0, 0.02),
        rope("rope", (at - Vec3::X * 0.05, at + Vec3::X * 0.05), 7, 0.004, ROPE),
        solid("ball", RawSolid::Sphere { radius: 0.012 }, Vec3::Z * 0.16, RawModel::Rigid { mass: 0.05 }),
        solid("box", RawSolid::Cuboid { size: Vec3::splat(0.04) }, box_at, RawModel::Rigid { mass: 0.1 }),
    ]);
    raw.tools.push(tool("probe", Vec3::new(-0.08, 0.0, 0.05), Vec3::NEG_Z));
    raw
}

/// Edges of one surface that pass through triangles of another, or of itself but for neighbours.
fn crossings(world: &World) -> usize {
    let (model, pos) = (&world.model, &world.state.pos);
    let prims = (0..model.prims.len()).map(PrimId::from);
    let mut count = 0;
    for (t, s) in prims.clone().flat_map(|t| prims.clone().map(move |s| (t, s))) {
        if let (PrimKind::Triangle(corners), PrimKind::Segment(ends)) =
            (model.prims[t.at()].kind, model.prims[s.at()].kind)
            && !ends.iter().any(|v| corners.contains(v))
        {
            let [p, q] = ends.map(|v| pos[v.at()]);
            count += usize::from(crossing(p, q, &corners.map(|v| pos[v.at()])).is_some());
        }
    }
    count
}

#[test]
fn thrown_solids_never_pass_through_anything() {
    for round in 0..4 {
        let mut world = baked(&heap()).world();
        let input = Input::at_rest(&world);
        let (mut seed, mut auditor) = (round, Auditor::default());
        for i in 0..60 {
            if i % 6 == 0 {
                let by = [1.0, 6.0, 25.0][i / 6 % 3];
                for b in 1..world.model.bodies.len() {
                    let all = noise3(&mut seed) * by;
                    for v in world.model.bodies[b].vertex_range() {
                        world.state.vel[v] = all + noise3(&mut seed) * (0.3 * by);
                    }
                }
                for twist in world.state.twist.iter_mut().skip(1) {
                    (twist.vel, twist.omega) = (noise3(&mut seed) * by, noise3(&mut seed) * (20.0 * by));
                }
            }
            step(&mut world, &input, &mut || 0);
            let audit = auditor.check(&world);
            assert!(audit.deepest_m <= 0.0 && audit.missed == 0, "round {round}, step {i}: {audit:?}");
        }
        assert_eq!(crossings(&world), 0, "round {round}");
        assert!(world.state.frozen.iter().all(|f| !f), "round {round}: {:?}", world.state.frozen);
    }
}

/// A tool that jumps through a heap and stabs, with and without jaws.
#[test]
fn a_violent_tool_never_passes_through_solids() {
    let mut world = baked(&heap()).world();
    world.params.couplings[0].speed_max = 10.0;
    let mut input = Input::at_rest(&world);
    let (mut seed, mut auditor) = (5, Auditor::default());
    for i in 0..240 {
        if i % 12 == 0 {
            let to = noise3(&mut seed) * 0.07 + Vec3::Z * 0.06;
            let turn = serosa_geometry::rotation::from_rotation_vector(noise3(&mut seed) * 2.0);
            input.hands[0] = Hand::new(to, turn).unwrap().gripping(i % 36 == 0);
        }
        step(&mut world, &input, &mut || 0);
        if i % 4 == 0 {
            let audit = auditor.check(&world);
            assert!(audit.deepest_m <= 0.0 && audit.missed == 0, "step {i}: {audit:?}");
        }
    }
    assert_eq!(crossings(&world), 0);
    assert!(world.state.frozen.iter().all(|f| !f), "{:?}", world.state.frozen);
}

fn led(input: &mut Input, i: u32) {
    let t = f64::from(i) / 240.0;
    lead(input, Vec3::new(-0.08 + 0.1 * t, 0.0, 0.05 - 0.01 * (9.0 * t).sin()), i > 100);
}

/// On any number of threads, and gone on with from a saved state.
#[test]
fn heaps_have_the_same_bits() {
    let start = baked(&heap()).world();
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, mut input) = (start.clone(), Input::at_rest(&start));
            for i in 0..240 {
                led(&mut input, i);
                step(&mut world, &input, &mut || 0);
                if threads == 2 && i % 70 == 50 {
                    assert!(!world.state.kept.is_empty());
                    let mut fresh = World::new(world.model.clone(), world.params.clone());
                    fresh.state = world.state.clone();
                    world = fresh;
                }
            }
            hashes.push(world.state.hash());
        });
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

#[test]
fn a_warm_heap_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = baked(&heap()).world();
    let mut input = Input::at_rest(&world);
    pool.install(|| {
        for i in 0..600 {
            led(&mut input, i % 240);
            step(&mut world, &input, &mut || 0);
        }
    });
    let count = crate::counting::allocations(&pool, || {
        (0..120).for_each(|_| step(&mut world, &input, &mut || 0));
    });
    assert!(world.report.contacts > 10, "{}", world.report.contacts);
    assert_eq!(count, 0);
}
