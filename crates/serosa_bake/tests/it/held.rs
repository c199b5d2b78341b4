//! Bodies that run away: held where they were apart from everything, told, given back, and no trouble to their neighbours.

use crate::counting::allocations;
use crate::make::*;
use crate::solid_contact::{at_240, cube, ground};
use crate::specimens::{ORGAN, organ, organ_mesh, strip};
use serosa_bake::raw::*;
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::generate::{Sheet, membrane};
use serosa_geometry::{BodyId, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::guard::{Fault, MOST_S, RESHAPED, steps_held};
use serosa_sim::ledger::Ledger;
use serosa_sim::model::{BodyKind, Law, Limits, MeanRotation, Region};
use serosa_sim::{Input, World, step};

/// Tetrahedra that stand on the floor, computed beforehand.
fn slab() -> RawBody {
    let (corner, size) = (Vec3::new(-0.05, -0.05, 0.002), Vec3::new(0.1, 0.1, 0.03));
    let (mesh, tets) = block(&Block { corner, size, cells: [4, 4, 2] });
    let model = RawModel::Flexible(Box::new(RawFlexible {
        method: RawMethod::Finite,
        base: Region { name: "soft".into(), law: Law::Corotated, young: 2e4, poisson: 0.4, density: 1000.0 },
        regions: Vec::new(),
        controls: Vec::new(),
        rotation: MeanRotation::Polar,
        limits: Limits { strain: f64::INFINITY, stretch: f64::INFINITY, angle: 1.0 },
        compliance: RawCompliance::Auto,
        thickness: Some(1e-3),
    }));
    let mut slab = body("slab", RawGeometry::Tets(RawTets { mesh, tets, ..RawTets::default() }), model);
    slab.attachments = vec![Selector::Name("bottom".into())];
    slab
}

fn sheet(at: Vec3) -> RawBody {
    let (along, across) = (Vec3::X * 0.08, Vec3::Y * 0.08);
    let flat = Sheet { corner: at - (along + across) * 0.5, along, across, columns: 6, rows: 6 };
    springs("sheet", membrane(&flat), 0.02, 100.0, 0.02)
}

/// A body of every kind in a heap; all but the slab are loose.
fn heap() -> RawScene {
    let mut bun = organ_mesh(1, Vec3::new(0.025, 0.025, 0.02));
    bun.points.iter_mut().for_each(|p| *p += Vec3::Z * 0.056);
    let at = Vec3::new(0.0, 0.0, 0.094);
    let rigid = |mass| RawModel::Rigid { mass };
    let mut gut = strip(3, 6, 0.01, Vec3::new(0.06, 0.045, 0.02));
    gut.strip.mesh.sets.remove("root");
    let gut = body("gut", RawGeometry::Strip(gut), RawModel::Band(crate::specimens::GUT));
    let mut raw = at_240(vec![
        ground(),
        slab(),
        organ("bun", bun, ORGAN),
        sheet(Vec3::Z * 0.084),
        rope("rope", (at - Vec3::X * 0.05, at + Vec3::X * 0.05), 7, 0.004, ROPE),
        cube("cube", Vec3::new(0.06, -0.02, 0.002), 0.04, 2, 2e4),
        gut,
        solid("ball", RawSolid::Sphere { radius: 0.012 }, Vec3::Z * 0.115, rigid(0.05)),
        solid("box", RawSolid::Cuboid { size: Vec3::splat(0.03) }, Vec3::new(0.08, 0.0, 0.06), rigid(0.1)),
    ]);
    raw.tools.push(tool("probe", Vec3::new(-0.08, 0.0, 0.05), Vec3::NEG_Z));
    raw
}

/// Sets the speed of one vertex of a body, or of its frame.
fn kick(world: &mut World, b: usize, speed: f64) {
    match world.model.bodies[b].kind {
        BodyKind::Rigid(r) => world.state.twist[r.at()].vel.z = speed,
        _ => {
            let range = world.model.bodies[b].vertex_range();
            world.state.vel[(range.start + range.end) / 2].z = speed;
        }
    }
}

#[track_caller]
fn all_is_finite(world: &World, what: &str) {
    let state = &world.state;
    let soft = state.pos.iter().chain(&state.vel).all(|p| p.is_finite());
    let rigid = state.pose.iter().all(|p| p.pos.is_finite() && p.rot.is_finite());
    let kept = state.kept.iter().all(|k| k.lambda.is_finite() && k.drag.is_finite() && k.stick.is_finite());
    assert!(soft && rigid && kept, "{what}: something is not a number");
}

fn places(world: &World, b: usize) -> Vec<Vec3> {
    match world.model.bodies[b].kind {
        BodyKind::Rigid(r) => vec![world.state.pose[r.at()].pos],
        _ => world.state.pos[world.model.bodies[b].vertex_range()].to_vec(),
    }
}

fn farthest(from: &[Vec3], to: &[Vec3]) -> f64 {
    from.iter().zip(to).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// A vertex of every body of the heap becomes no number, too fast and absurdly fast while the heap falls together: that body
/// stands where it was, the others go on around it, nothing ever overlaps, and it is given back and moves.
#[test]
fn one_vertex_gone_wrong_is_held_given_back_and_moves_again() {
    let mut start = baked(&heap()).world();
    run(&mut start, 20);
    let held_for = steps_held(start.params.dt_s, 1);
    for b in 1..start.model.bodies.len() {
        let name = start.model.bodies[b].name.clone();
        for (speed, why) in [(f64::NAN, Fault::NotFinite), (250.0, Fault::TooFast), (1e6, Fault::TooFast)] {
            let (mut world, mut auditor) = (start.clone(), Auditor::default());
            let (input, what) = (Input::at_rest(&world), format!("{name}, {speed}"));
            kick(&mut world, b, speed);
            let stood = places(&world, b);
            for k in 0..held_for {
                step(&mut world, &input, &mut || 0);
                assert_eq!(world.report.quarantined.len(), usize::from(k == 0), "{what}, step {k}");
                assert!(world.state.frozen[b] && world.report.held.len() == 1, "{what}, step {k}");
                let held = &world.report.held[0];
                assert_eq!((held.body, held.why, held.times), (BodyId::from(b), why, 1), "{what}");
                assert_eq!(places(&world, b), stood, "{what}, step {k}: it stands");
                all_is_finite(&world, &what);
                if k % 4 == 0 {
                    let audit = auditor.check(&world);
                    assert!(audit.deepest_m <= 0.0 && audit.missed == 0, "{what}, step {k}: {audit:?}");
                }
            }
            // Given back; where it could rest it is sent on.
            world.state.vel[world.model.bodies[b].vertex_range()].fill(Vec3::ZERO);
            step(&mut world, &input, &mut || 0);
            assert_eq!(world.report.released, [BodyId::from(b)], "{what}");
            assert!(!world.state.frozen[b] && world.report.held.is_empty(), "{what}");
            kick(&mut world, b, 0.5);
            for k in 0..12 {
                step(&mut world, &input, &mut || 0);
                assert!(world.report.quarantined.is_empty(), "{what}, step {k} after");
                let audit = auditor.check(&world);
                assert!(audit.deepest_m <= 0.0, "{what}, step {k} after: {audit:?}");
            }
            all_is_finite(&world, &what);
            let is_quasi_static = matches!(world.model.bodies[b].kind, BodyKind::Flexible(_));
            assert!(is_quasi_static || farthest(&places(&world, b), &stood) > 1e-4, "{what}: it moves again");
        }
    }
}

/// What turns out too fast where a step ends stands where the step began, and what followed it closely is stopped by it. (Once
/// it was rolled back into the room that the other had taken.)
#[test]
fn what_follows_a_runaway_closely_does_not_end_up_in_it() {
    let ball = |name: &str, z: f64| {
        solid(name, RawSolid::Sphere { radius: 0.01 }, Vec3::Z * z, RawModel::Rigid { mass: 0.05 })
    };
    let line =
        |name: &str, z: f64| rope(name, (Vec3::new(-0.1, 0.0, z), Vec3::new(0.1, 0.0, z)), 9, 0.004, ROPE);
    let pairs = [[ball("ahead", 0.5), ball("behind", 0.5203)], [line("ahead", 0.5), line("behind", 0.5083)]];
    for pair in pairs {
        let raw = at_240(pair.to_vec());
        let mut world = baked(&raw).world();
        world.params.guard.speed_max = 1.0;
        world.state.vel.fill(Vec3::Z * -0.98);
        world.state.twist.iter_mut().for_each(|twist| twist.vel.z = -0.98);
        // The one behind is a little slower, and stays below the bound in the first step.
        let behind = world.model.bodies[1].vertex_range();
        world.state.vel[behind].fill(Vec3::Z * -0.95);
        if let Some(twist) = world.state.twist.get_mut(1) {
            twist.vel.z = -0.95;
        }
        let stood = places(&world, 0);
        run(&mut world, 1);
        assert_eq!(world.report.quarantined, [BodyId(0)]);
        assert_eq!(world.report.held[0].why, Fault::TooFast);
        assert_eq!(places(&world, 0), stood);
        let audit = Auditor::default().check(&world);
        assert!(audit.deepest_m <= 0.0, "{audit:?}");
    }
}

/// A body whose motion cannot be computed for a while: its neighbours are as they would be beside a body that stands there.
#[test]
fn what_cannot_be_computed_leaves_its_neighbours_as_if_it_stood_there() {
    let mut start = baked(&heap()).world();
    run(&mut start, 30);
    // A rope, a bowel; springs and solids go no step that they cannot compute.
    for b in [4, 6] {
        let (mut world, mut twin) = (start.clone(), start.clone());
        let sound = world.params.bodies[b];
        (world.params.bodies[b].stiffness, world.params.bodies[b].tube_stretch) = (f64::NAN, f64::NAN);
        twin.state.frozen[b] = true;
        run(&mut world, 1);
        run(&mut twin, 1);
        let name = world.model.bodies[b].name.clone();
        assert_eq!(world.report.quarantined, [BodyId::from(b)], "{name}");
        let own = world.model.bodies[b].vertex_range();
        for v in (0..world.state.pos.len()).filter(|v| !own.contains(v)) {
            assert_eq!(world.state.pos[v], twin.state.pos[v], "{name}: vertex {v}");
            assert_eq!(world.state.vel[v], twin.state.vel[v], "{name}: vertex {v}");
        }
        assert_eq!((&world.state.pose, &world.state.kept), (&twin.state.pose, &twin.state.kept), "{name}");
        world.params.bodies[b] = sound;
        let held_for = steps_held(world.params.dt_s, 1);
        run(&mut world, held_for + 20);
        assert!(!world.state.frozen[b] && world.report.held.is_empty(), "{name}");
    }
}

/// With a low bound on speeds something is held in most steps, and several at once.
fn troubled() -> World {
    let mut world = baked(&heap()).world();
    world.params.guard.speed_max = 0.6;
    world
}

#[test]
fn held_bodies_have_the_same_bits() {
    let start = troubled();
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, mut input) = (start.clone(), Input::at_rest(&start));
            let mut restored = 0;
            for i in 0..160 {
                input.release = (i % 11 == 10).then_some(BodyId(4));
                if i % 40 == 5 {
                    kick(&mut world, 2 + i / 40, if i < 80 { f64::NAN } else { 1e6 });
                }
                step(&mut world, &input, &mut || 0);
                if threads == 2 && world.state.holds.iter().any(|h| h.left > 1 && h.left % 5 == 0) {
                    restored += 1;
                    let mut fresh = World::new(world.model.clone(), world.params.clone());
                    fresh.state = world.state.clone();
                    world = fresh;
                }
            }
            assert!(threads != 2 || restored > 5, "{restored}");
            hashes.push(world.state.hash());
        });
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

#[test]
fn bodies_that_run_away_warm_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = baked(&heap()).world();
    let input = Input::at_rest(&world);
    pool.install(|| (0..240).for_each(|_| step(&mut world, &input, &mut || 0)));
    let start = world.state.clone();
    let (mut ran, mut back) = (0, 0);
    let mut kicked = |world: &mut World| {
        for i in 0..60 {
            if i % 30 == 0 {
                kick(world, 4, f64::NAN);
                kick(world, 7, 1.0);
            }
            // In flight the ball is too fast where the step ends, and the step is made again.
            world.params.guard.speed_max = if i % 30 == 1 { 0.9 } else { 200.0 };
            step(world, &input, &mut || 0);
            (ran, back) = (ran + world.report.quarantined.len(), back + world.report.released.len());
        }
    };
    for _ in 0..2 {
        pool.install(|| kicked(&mut world));
        world.state.clone_from(&start);
        world.state.kept.reserve(10_000);
    }
    let count = allocations(&pool, || kicked(&mut world));
    assert!(ran >= 12 && back >= 12, "{ran} {back}");
    assert_eq!(count, 0);
}

/// Runs away as often as it is given back: held for longer and longer, up to the bound, and told each time.
#[test]
fn a_body_that_never_holds_is_held_for_longer_and_longer() {
    let raw = at_240(vec![ground(), rope("rope", (Vec3::Z * 0.1, Vec3::new(0.1, 0.0, 0.1)), 7, 0.004, ROPE)]);
    let mut world = baked(&raw).world();
    let (input, dt) = (Input::at_rest(&world), world.params.dt_s);
    world.params.bodies[1].tube_stretch = f64::NAN;
    let (mut at, mut times) = (Vec::new(), 0);
    for k in 0..1600_u32 {
        step(&mut world, &input, &mut || 0);
        if !world.report.quarantined.is_empty() {
            at.push(k);
            times += 1;
            assert_eq!(world.report.held[0].times, times);
            assert_eq!(world.report.held[0].why, Fault::NotComputed);
        }
    }
    let spans: Vec<u32> = at.windows(2).map(|w| w[1] - w[0]).collect();
    let expected: Vec<u32> = (1..=spans.len() as u32).map(|times| steps_held(dt, times)).collect();
    assert_eq!(spans, expected);
    assert_eq!((spans[0], spans[1], *spans.last().unwrap()), (12, 24, (MOST_S / dt) as u32));
    // Sound again, it is given back for good, and in the end nothing is remembered.
    world.params.bodies[1].tube_stretch = 500.0;
    run(&mut world, 2 * (MOST_S / dt) as u32 + 10);
    assert_eq!(world.state.holds[1], Default::default());
    assert!(!world.state.frozen[1]);
}

/// A sheet, held at one side where asked, that something has drawn out to the tenfold and that snaps back too fast.
fn drawn_out(is_attached: bool) -> World {
    let mut cloth = sheet(Vec3::Z * 0.3);
    if let RawModel::Springs { stiffness, .. } = &mut cloth.model {
        *stiffness = 1e6;
    }
    if is_attached {
        let side =
            serosa_geometry::Aabb { min: Vec3::new(-0.05, -1.0, 0.0), max: Vec3::new(-0.039, 1.0, 1.0) };
        cloth.attachments = vec![Selector::Box(side)];
    }
    let ball = RawSolid::Sphere { radius: 0.01 };
    let mut raw = at_240(vec![ground(), cloth, solid("ball", ball, Vec3::Z, RawModel::Rigid { mass: 0.01 })]);
    raw.world.gravity = Vec3::ZERO;
    let mut world = baked(&raw).world();
    let (moves, rest) = (world.model.inv_mass.clone(), world.model.rest.clone());
    for (v, pos) in world.state.pos.iter_mut().enumerate().filter(|(v, _)| moves[*v] > 0.0) {
        *pos = Vec3::new(rest[v].x * 10.0 + 1.0, rest[v].y * 10.0, 0.5);
    }
    world.params.guard.speed_max = 5.0;
    world
}

/// A shape that throws itself is given up for that at rest.
#[test]
fn a_shape_that_never_holds_is_laid_back_as_it_was_at_rest() {
    for is_attached in [false, true] {
        let mut world = drawn_out(is_attached);
        let mut ledger = Ledger::default();
        let (input, mut ran) = (Input::at_rest(&world), 0);
        for _ in 0..600 {
            ledger.begin(&mut world, &input);
            step(&mut world, &input, &mut || 0);
            ledger.end(&world);
            ran += world.report.quarantined.len() as u32;
        }
        assert_eq!(ran, RESHAPED, "attached: {is_attached}");
        assert!(!world.state.frozen[1]);
        let size = farthest(&places(&world, 1)[..1], &places(&world, 1)[35..]);
        assert!(size < 0.15, "attached: {is_attached}: {size}");
        assert!(world.state.vel.iter().all(|v| v.length() < 1e-3), "it lies still");
        let start = ledger.start.total();
        assert!(ledger.losses.guard > 0.9 * start && ledger.gain <= 0.01, "{start} {:?}", ledger.losses);
    }
}

/// Where the shape at rest does not fit it is held on, and told; the hand may still give it back.
#[test]
fn a_shape_that_does_not_fit_is_held_on_until_someone_asks() {
    let mut world = drawn_out(true);
    // In the sheet as it was at rest, and under it as it is now.
    world.state.pose[1].pos = Vec3::new(0.03, 0.0, 0.2925);
    let mut input = Input::at_rest(&world);
    run(&mut world, 800);
    let held = world.report.held[0];
    assert_eq!((held.body, held.stuck, held.times), (BodyId(1), true, RESHAPED));
    assert!(world.state.frozen[1]);
    let stood = places(&world, 1);
    input.release = Some(BodyId(1));
    step(&mut world, &input, &mut || 0);
    // It runs away at once, as before, and is told again.
    assert_eq!((world.report.released.len(), world.report.quarantined.len()), (1, 1));
    assert_eq!(places(&world, 1), stood);
    // Room is made, and it goes back.
    input.release = None;
    world.state.pose[1].pos = Vec3::Z;
    for _ in 0..800 {
        step(&mut world, &input, &mut || 0);
    }
    assert!(!world.state.frozen[1] && world.report.held.is_empty());
    assert!(farthest(&places(&world, 1)[..1], &places(&world, 1)[35..]) < 0.15);
}

/// Places that are no numbers leave only the shape at rest: where it was, or beside everything where that is taken.
#[test]
fn a_body_that_is_nowhere_is_put_where_there_is_room() {
    let mut start = baked(&heap()).world();
    run(&mut start, 60);
    for b in 1..start.model.bodies.len() {
        let (mut world, mut auditor) = (start.clone(), Auditor::default());
        let name = world.model.bodies[b].name.clone();
        match world.model.bodies[b].kind {
            BodyKind::Rigid(r) => world.state.pose[r.at()].pos.y = f64::NAN,
            _ => world.state.pos[world.model.bodies[b].vertex_range().start + 3].x = f64::INFINITY,
        }
        run(&mut world, 1);
        all_is_finite(&world, &name);
        assert_eq!(world.report.quarantined, [BodyId::from(b)], "{name}");
        for k in 0..30 {
            run(&mut world, 1);
            let audit = auditor.check(&world);
            assert!(audit.deepest_m <= 0.0, "{name}, step {k}: {audit:?}");
        }
        assert!(!world.state.frozen[b], "{name}");
    }
}

/// Given back by hand at once, and only what is held.
#[test]
fn a_hand_gives_a_body_back_at_once() {
    let mut world = baked(&heap()).world();
    run(&mut world, 10);
    kick(&mut world, 4, f64::NAN);
    run(&mut world, 2);
    let mut input = Input::at_rest(&world);
    for other in [3, 1000] {
        input.release = Some(BodyId(other));
        step(&mut world, &input, &mut || 0);
        assert!(world.report.released.is_empty() && world.state.frozen[4]);
    }
    input.release = Some(BodyId(4));
    step(&mut world, &input, &mut || 0);
    assert_eq!(world.report.released, [BodyId(4)]);
    assert!(!world.state.frozen[4]);
    assert_eq!(world.state.holds[4].times, 1, "it is remembered for a while");
}

/// What the guard takes is told as its own, and nothing is made of it, with several substeps and tools too.
#[test]
fn what_the_guard_takes_is_in_the_ledger() {
    let mut raw = heap();
    raw.world.substeps = 2;
    // What is led by control elements is not judged by its energy.
    raw.bodies.retain(|body| body.name != "slab");
    for (name, speed) in
        [("rope", 150.0), ("ball", 150.0), ("probe", 150.0), ("ball", f64::NAN), ("none", 0.0)]
    {
        let mut world = baked(&raw).world();
        let b = world.model.bodies.iter().position(|body| body.name == name);
        let (input, mut ledger) = (Input::at_rest(&world), Ledger::default());
        for k in 0..60 {
            if let (Some(b), 10) = (b, k) {
                kick(&mut world, b, speed);
                world.params.guard.speed_max = 100.0;
            }
            ledger.begin(&mut world, &input);
            step(&mut world, &input, &mut || 0);
            ledger.end(&world);
        }
        assert!(ledger.gain <= 0.01, "{name}: {}", ledger.gain);
        let (taken, put) = (ledger.losses.guard, ledger.work.outside);
        match b {
            None => assert_eq!(taken, 0.0),
            Some(b) => assert_eq!(world.state.holds[b].times, 1, "{name}"),
        }
        if speed.is_finite() {
            assert!((taken - put).abs() <= 0.02 * put, "{name}: {taken} of {put}");
            assert!(b.is_none() || put > 1.0, "{name}: {put}");
        } else {
            assert!(taken >= 0.0 && ledger.balance().is_finite(), "{name}");
        }
    }
}
