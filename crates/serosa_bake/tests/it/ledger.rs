//! The ledger: what keeps energy and momentum has a clean one, and what does not is seen.

use crate::counting::allocations;
use crate::make::*;
use serosa_geometry::Vec3;
use serosa_sim::audit::Auditor;
use serosa_sim::detect::Near;
use serosa_sim::ledger::{Ledger, of_last_substep};
use serosa_sim::params::Filter;
use serosa_sim::row::Row;
use serosa_sim::{Input, World, step};

/// Two ropes that cross: the upper falls on the lower, which lies on the floor.
fn ropes() -> World {
    let a = rope("a", (Vec3::new(-0.1, 0.0, 0.012), Vec3::new(0.1, 0.0, 0.012)), 9, 0.01, ROPE);
    let b = rope("b", (Vec3::new(0.01, -0.1, 0.04), Vec3::new(0.01, 0.1, 0.04)), 9, 0.01, ROPE);
    baked(&lagrangian(vec![a, b, floor()], Filter::Planes)).world()
}

/// The same with no floor and no weight, thrown at one another.
fn thrown() -> World {
    let a = rope("a", (Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0)), 9, 0.01, ROPE);
    let b = rope("b", (Vec3::new(0.01, -0.1, 0.03), Vec3::new(0.01, 0.1, 0.03)), 9, 0.01, ROPE);
    let mut raw = scene(vec![a, b]);
    raw.world.gravity = Vec3::ZERO;
    let mut world = baked(&raw).world();
    world.state.vel[9..].fill(Vec3::new(0.1, 0.0, -0.5));
    world
}

fn ledger_of(world: &mut World, steps: u32, mut after: impl FnMut(u32, &mut World)) -> Ledger {
    let (mut ledger, input) = (Ledger::default(), Input::at_rest(world));
    for k in 0..steps {
        ledger.begin(world, &input);
        step(world, &input, &mut || 0);
        after(k, world);
        ledger.end(world);
    }
    ledger
}

#[test]
fn ropes_that_fall_on_one_another_gain_nothing_and_the_balance_is_told_by_cause() {
    let mut world = ropes();
    let ledger = ledger_of(&mut world, 1000, |_, _| {});
    assert!(ledger.gain < 0.01, "{} of {}", ledger.gain, ledger.gain_j);
    let (start, now) = (ledger.start.total(), ledger.energies.total());
    assert!(now < start && ledger.losses.friction >= 0.0);
    let told = ledger.losses.total() + ledger.remainder();
    assert!((start - now + ledger.work.total() - told).abs() < 1e-12, "{told}");
    assert_eq!(ledger.work.total(), 0.0, "nobody works on them");
}

#[test]
fn energy_that_comes_from_nowhere_is_a_gain_and_what_the_outside_gives_is_work() {
    let pushed = ledger_of(&mut ropes(), 200, |k, world| {
        if k == 60 {
            world.state.vel.iter_mut().for_each(|v| *v *= 1.05);
        }
    });
    assert!(pushed.gain > 0.01, "{}", pushed.gain);
    let mut world = ropes();
    let (mut ledger, input) = (Ledger::default(), Input::at_rest(&world));
    for k in 0..200 {
        if k == 60 {
            world.state.vel.iter_mut().for_each(|v| *v *= 1.05);
        }
        ledger.begin(&mut world, &input);
        step(&mut world, &input, &mut || 0);
        ledger.end(&world);
    }
    assert!(ledger.gain < 0.01 && ledger.work.outside > 0.0, "{} {:?}", ledger.gain, ledger.work);
}

#[test]
fn a_hand_that_drags_its_tool_does_work() {
    let mut raw = lagrangian(vec![floor()], Filter::Planes);
    raw.tools.push(tool("probe", Vec3::new(0.0, 0.0, 0.1), Vec3::NEG_Z));
    let mut world = baked(&raw).world();
    let (mut ledger, mut input) = (Ledger::default(), Input::at_rest(&world));
    for k in 0..200 {
        lead(&mut input, Vec3::new(2e-4 * f64::from(k), 0.0, 0.1), false);
        ledger.begin(&mut world, &input);
        step(&mut world, &input, &mut || 0);
        ledger.end(&world);
    }
    // It has come to the speed of the hand, 0.2 m/s, with 40 g: what it has, and as much in the damper.
    let kinetic = 0.5 * 0.04 * 0.2 * 0.2;
    assert!(ledger.gain < 1e-6, "{}", ledger.gain);
    assert!((ledger.energies.kinetic / kinetic - 1.0).abs() < 1e-3, "{:?}", ledger.energies);
    assert!((ledger.work.hands / kinetic - 2.0).abs() < 0.3, "{:?}", ledger.work);
    assert!(ledger.losses.damping > 0.5 * kinetic, "{:?}", ledger.losses);
}

/// The published response answers rows by impulses: momentum is kept to rounding. One side scaled, or a push that another
/// does not feel, is seen.
#[test]
fn momentum_is_kept_where_impulses_answer_and_what_nothing_explains_is_seen() {
    let mut world = thrown();
    let input = Input::at_rest(&world);
    let (mut touched, mut worst) = (0, 0.0_f64);
    for _ in 0..200 {
        let before = world.state.clone();
        step(&mut world, &input, &mut || 0);
        let kept = of_last_substep(&world, &before);
        if kept.exchanged > 0.0 {
            touched += 1;
            worst = worst.max(kept.linear);
            let mut wrong = world.clone();
            wrong.scratch.vel[..9].iter_mut().for_each(|v| *v *= 1.0 + 1e-3);
            wrong.scratch.vel[0] += Vec3::X * 1e-3;
            assert!(of_last_substep(&wrong, &before).linear > 1e-6);
            // A turn about the middle of its vertices, all of the same mass but for the ends, is spin that nothing gave.
            let mut turned = world.clone();
            let (vel, pos) = (&mut turned.scratch.vel[..9], &world.scratch.pos[..9]);
            let middle = pos.iter().sum::<Vec3>() / 9.0;
            let turn = (pos[8] - pos[0]).any_orthonormal_vector();
            vel.iter_mut().zip(pos).for_each(|(v, p)| *v += turn.cross(*p - middle));
            assert!(of_last_substep(&turned, &before).angular > 1e-6);
        }
    }
    assert!(touched > 3 && worst < 1e-9, "{touched} {worst}");
}

#[test]
fn a_push_of_the_floor_that_no_row_tells_is_seen() {
    let mut raw = scene(vec![
        rope("a", (Vec3::new(-0.1, 0.0, 0.012), Vec3::new(0.1, 0.0, 0.012)), 9, 0.01, ROPE),
        floor(),
    ]);
    raw.world.sweeps = 10;
    let mut world = baked(&raw).world();
    let input = Input::at_rest(&world);
    let mut seen = 0;
    for _ in 0..100 {
        let before = world.state.clone();
        step(&mut world, &input, &mut || 0);
        let pushes = |row: &Row| row.lambda > 0.0;
        if world.scratch.rows.iter().filter(|row| pushes(row)).count() > 1 {
            assert!(of_last_substep(&world, &before).linear < 1e-9);
            let most = world.scratch.rows.iter().position(pushes).unwrap();
            world.scratch.rows.remove(most);
            assert!(of_last_substep(&world, &before).linear > 1e-6);
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_contact_that_has_lost_its_row_is_unanswered() {
    let mut world = ropes();
    let (input, mut auditor) = (Input::at_rest(&world), Auditor::default());
    let mut seen = 0;
    for _ in 0..200 {
        step(&mut world, &input, &mut || 0);
        assert_eq!(auditor.check(&world).unanswered, 0, "tick {}", world.state.tick);
        let mut blind = world.clone();
        blind.scratch.rows.clear();
        blind.scratch.finder.near = Vec::<Near>::new();
        seen += u32::from(auditor.check(&blind).unanswered > 0);
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn the_ledger_changes_nothing_and_allocates_nothing_when_warm() {
    let (mut with, mut without) = (ropes(), ropes());
    let input = Input::at_rest(&with);
    ledger_of(&mut with, 300, |_, _| {});
    (0..300).for_each(|_| step(&mut without, &input, &mut || 0));
    assert_eq!(with.state.hash(), without.state.hash());
    let mut ledger = Ledger::default();
    let mut once = |world: &mut World| {
        ledger.begin(world, &input);
        step(world, &input, &mut || 0);
        ledger.end(world);
    };
    (0..300).for_each(|_| once(&mut with));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let count = allocations(&pool, || (0..100).for_each(|_| once(&mut with)));
    assert_eq!(count, 0);
}
