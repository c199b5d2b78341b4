//! The guarantee: from a separated start nothing overlaps at any instant, whatever hands, spins, growth and broken
//! numbers do.

use crate::make::*;
use crate::specimens::{GUT, strip};
use serosa_bake::raw::*;
use serosa_bake::{RawScene, bake};
use serosa_geometry::generate::{Helix, helix};
use serosa_geometry::rotation::{between, from_rotation_vector, to_rotation_vector};
use serosa_geometry::{Quat, Vec3};
use serosa_sim::detect::{Finder, Places, Search};
use serosa_sim::model::Pose;
use serosa_sim::params::{Detector, Filter};
use serosa_sim::{Hand, Input, State, World, step};

/// Every pair, at instants of a step.
#[derive(Default)]
struct Witness {
    finder: Finder,
    rows: Vec<serosa_sim::Row>,
}

impl Witness {
    /// The deepest overlap at instants of the step from `from` to where the world is, its end among them \[m\].
    fn deepest(&mut self, world: &World, from: &State, instants: u32) -> f64 {
        let to = &world.state;
        let mut deepest = 0.0f64;
        for k in 1..=instants {
            let t = f64::from(k) / f64::from(instants);
            let pos: Vec<Vec3> = from.pos.iter().zip(&to.pos).map(|(a, b)| a.lerp(*b, t)).collect();
            let pose: Vec<Pose> = from.pose.iter().zip(&to.pose).map(|(a, b)| way(a, b, t)).collect();
            let radius: Vec<f64> = from.radius.iter().zip(&to.radius).map(|(a, b)| a + (b - a) * t).collect();
            let at = Places { pos: &pos, pose: &pose, radius: &radius };
            let search = (at, Search::Overlap);
            self.finder.rows(&world.model, &world.params, Detector::AllPairs, search, &mut self.rows);
            deepest = self.rows.iter().map(|row| -row.gap).fold(deepest, f64::max);
        }
        deepest
    }
}

fn way(a: &Pose, b: &Pose, t: f64) -> Pose {
    let turn = to_rotation_vector(b.rot * a.rot.conjugate());
    Pose { pos: a.pos.lerp(b.pos, t), rot: (from_rotation_vector(turn * t) * a.rot).normalize() }
}

/// Ropes, solids and tools anywhere in a box of 20 cm over a floor; nothing where that does not start separated.
fn jumble(seed: &mut u64, filter: Filter) -> Option<RawScene> {
    let place = |seed: &mut u64| noise3(seed) * 0.08 + Vec3::Z * 0.1;
    let mut bodies = vec![floor()];
    for i in 0..3 {
        let (at, dir) = (place(seed), noise3(seed).normalize() * 0.06);
        let band = RawBand { mass: 0.02, tube_bending: 1e-4, tube_stretch: 50.0, ..ROPE };
        let radius = 0.003 + 0.002 * noise(seed).abs();
        bodies.push(rope(&format!("rope{i}"), (at - dir, at + dir), 9, radius, band));
    }
    let rigid = RawModel::Rigid { mass: 0.05 };
    bodies.push(solid("ball", RawSolid::Sphere { radius: 0.012 }, place(seed), rigid.clone()));
    bodies.push(solid("rod", RawSolid::Capsule { length: 0.08, radius: 0.004 }, place(seed), rigid.clone()));
    let size = Vec3::new(0.05, 0.03, 0.02);
    bodies.push(solid("box", RawSolid::Cuboid { size }, place(seed), rigid.clone()));
    bodies.push(solid("brick", RawSolid::Cuboid { size: size * 0.8 }, place(seed), rigid.clone()));
    bodies.push(solid(
        "post",
        RawSolid::Capsule { length: 0.1, radius: 0.005 },
        place(seed),
        RawModel::Fixed,
    ));
    for body in &mut bodies {
        if let RawGeometry::Solid { solid, pose } = &mut body.geometry
            && !matches!(solid, RawSolid::Plane)
        {
            pose.rot = between(Vec3::Z, noise3(seed).normalize());
        }
        body.friction = 0.3;
    }
    let mut raw = lagrangian(bodies, filter);
    raw.world.sweeps = 2;
    for (name, x) in [("left", -0.12), ("right", 0.12)] {
        let mut shaft = tool(name, Vec3::new(x, 0.0, 0.2), Vec3::NEG_Z);
        (shaft.speed_max, shaft.stiffness, shaft.turn_stiffness) = (20.0, 3000.0, 2.0);
        raw.tools.push(shaft);
    }
    bake(&raw).is_ok().then_some(raw)
}

/// Hands that jump and turn and grasp at random.
fn wild(input: &mut Input, seed: &mut u64) {
    for hand in &mut input.hands {
        let tip = noise3(seed) * 0.12 + Vec3::Z * 0.05;
        let rot = between(Vec3::NEG_Z, noise3(seed).normalize());
        *hand = Hand::new(tip, rot).unwrap().gripping(noise(seed) > 0.0);
    }
}

/// The deepest overlap of a run, and how many steps were shortened.
fn storm(raw: &RawScene, seed: u64, steps: u32) -> (f64, u64) {
    let mut seed = seed;
    let mut world = baked(raw).world();
    let mut input = Input::at_rest(&world);
    let (mut witness, mut deepest, mut truncated) = (Witness::default(), 0.0f64, 0);
    for i in 0..steps {
        if i % 20 == 0 {
            wild(&mut input, &mut seed);
        }
        if i % 30 == 5 {
            world.state.vel.iter_mut().for_each(|v| *v += noise3(&mut seed) * 5.0);
            for twist in &mut world.state.twist[1..4] {
                (twist.vel, twist.omega) = (noise3(&mut seed) * 5.0, noise3(&mut seed) * 300.0);
            }
        }
        let from = world.state.clone();
        step(&mut world, &input, &mut || 0);
        truncated += u64::from(world.report.truncated);
        deepest = deepest.max(witness.deepest(&world, &from, 4));
        // Without the filter a shaft that is deep in something may be thrown out of bounds.
        let whole = raw.world.filter == Filter::Off || world.state.frozen.iter().all(|f| !f);
        assert!(whole, "step {i}: {:?}", world.report.quarantined);
    }
    (deepest, truncated)
}

#[test]
fn nothing_overlaps_in_a_storm() {
    let (mut seed, mut scenes, mut all_truncated) = (17, 0, 0);
    while scenes < 12 {
        let Some(raw) = jumble(&mut seed, Filter::Planes) else { continue };
        let (deepest, truncated) = storm(&raw, seed, 150);
        assert!(deepest <= 0.0, "scene {scenes}: {deepest} m");
        all_truncated += truncated;
        scenes += 1;
    }
    assert!(all_truncated > 100, "the filter should have had work: {all_truncated}");
}

/// The same storms without the filter: the test above can fail.
#[test]
fn without_the_filter_a_storm_leaves_overlap() {
    let (mut seed, mut scenes, mut hit) = (17, 0, 0);
    while scenes < 6 {
        let Some(mut raw) = jumble(&mut seed, Filter::Planes) else { continue };
        raw.world.filter = Filter::Off;
        hit += u32::from(storm(&raw, seed, 150).0 > 1e-3);
        scenes += 1;
    }
    assert!(hit >= 5, "{hit} of 6 storms left more than a millimetre");
}

/// Something that a shaft is driven into at 20 m/s, and a hand that asks for the other side of the table.
#[test]
fn a_tool_driven_into_a_rope_on_a_table_stops() {
    let up = Vec3::Z * 0.0105;
    let line = rope("rope", (up - Vec3::X * 0.1, up + Vec3::X * 0.1), 21, 0.01, ROPE);
    let table = solid(
        "table",
        RawSolid::Cuboid { size: Vec3::new(0.4, 0.4, 0.02) },
        Vec3::Z * -0.01,
        RawModel::Fixed,
    );
    for (table, tilt) in [(floor(), 0.0), (table, 0.0), (floor(), 0.5)] {
        let mut raw = lagrangian(vec![table, line.clone()], Filter::Planes);
        raw.world.sweeps = 2;
        let tip = Vec3::new(0.003, 0.0, 0.3);
        let mut shaft = tool("shaft", tip, Vec3::new(tilt, 0.1, -1.0).normalize());
        (shaft.speed_max, shaft.stiffness) = (20.0, 5000.0);
        raw.tools.push(shaft);
        let mut world = baked(&raw).world();
        let mut input = Input::at_rest(&world);
        lead(&mut input, Vec3::new(0.003, 0.0, -0.3), false);
        let (mut witness, mut fastest) = (Witness::default(), 0.0f64);
        for i in 0..300 {
            let from = world.state.clone();
            step(&mut world, &input, &mut || 0);
            let deepest = witness.deepest(&world, &from, 4);
            assert!(deepest <= 0.0, "step {i}: {deepest}");
            fastest = fastest.max(world.state.twist.last().unwrap().vel.length());
        }
        let tip = world.state.pose.last().unwrap().point(world.model.tools[0].tip);
        assert!(tip.z > 0.005 && tip.z < 0.1, "{tip}: above the table");
        assert!(world.state.twist.last().unwrap().vel.length() < 0.1, "it has stopped");
        assert!(fastest > 5.0, "it came fast: {fastest}");
    }
}

/// A shaft that starts between the turns of a coil and is torn out sideways and driven along it.
#[test]
fn a_tool_between_folds_is_torn_out() {
    let wound = Helix { base: Vec3::Z * 0.05, nodes: 60, spacing: 0.01, radius: 0.03, pitch: 0.03 };
    let coil = body(
        "coil",
        RawGeometry::Mesh { mesh: helix(&wound), radius: 0.006 },
        RawModel::Band(RawBand { tube_bending: 1e-4, ..ROPE }),
    );
    let mut raw = lagrangian(vec![floor(), coil], Filter::Planes);
    raw.world.sweeps = 2;
    let mut shaft = tool("shaft", Vec3::new(0.0, 0.0, 0.06), Vec3::NEG_Z);
    (shaft.speed_max, shaft.stiffness) = (20.0, 3000.0);
    raw.tools.push(shaft);
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    let mut witness = Witness::default();
    let mut seed = 5;
    for i in 0..400 {
        if i % 40 == 0 {
            lead(&mut input, noise3(&mut seed) * 0.2 + Vec3::Z * 0.1, false);
        }
        let from = world.state.clone();
        step(&mut world, &input, &mut || 0);
        let deepest = witness.deepest(&world, &from, 3);
        assert!(deepest <= 0.0, "step {i}: {deepest}");
    }
    assert!(world.state.frozen.iter().all(|f| !f));
}

/// A strip whose tube widens while a hand stirs it.
#[test]
fn a_growing_strip_is_stirred() {
    let mut geometry = strip(4, 30, 0.01, Vec3::new(-0.15, 0.0, 0.05));
    (geometry.radius, geometry.start_radius, geometry.inflation_s) = (0.008, Some(0.002), 0.15);
    let gut = body("gut", RawGeometry::Strip(geometry), RawModel::Band(GUT));
    let other = rope("rope", (Vec3::new(-0.1, -0.02, 0.065), Vec3::new(0.1, -0.02, 0.065)), 15, 0.006, ROPE);
    let mut raw = lagrangian(vec![floor(), gut, other], Filter::Planes);
    raw.world.sweeps = 2;
    let mut shaft = tool("shaft", Vec3::new(0.0, -0.03, 0.09), Vec3::NEG_Z);
    (shaft.speed_max, shaft.stiffness) = (10.0, 2000.0);
    raw.tools.push(shaft);
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    let mut witness = Witness::default();
    let mut seed = 9;
    for i in 0..300 {
        if i % 30 == 0 {
            wild(&mut input, &mut seed);
        }
        let from = world.state.clone();
        step(&mut world, &input, &mut || 0);
        let deepest = witness.deepest(&world, &from, 2);
        assert!(deepest <= 0.0, "step {i}: {deepest}");
    }
    assert!(world.state.radius.iter().copied().fold(0.0, f64::max) > 0.007, "it has grown");
}

/// A number that is none, in one body: that body is held where it was and reported, the others go on, it is given back, and
/// the guarantee holds for all of them.
#[test]
fn a_body_that_is_not_a_number_is_held_among_others() {
    let mut seed = 17;
    let raw = loop {
        if let Some(raw) = jumble(&mut seed, Filter::Planes) {
            break raw;
        }
    };
    for broken in [1, 2, 4, 6] {
        let mut world = baked(&raw).world();
        let mut input = Input::at_rest(&world);
        let mut witness = Witness::default();
        let held_for = serosa_sim::guard::steps_held(world.params.dt_s, 1) as usize;
        // Let things fall on one another first, so that rows hold and stick.
        run(&mut world, 250);
        match world.model.bodies[broken].kind {
            serosa_sim::model::BodyKind::Rigid(r) => world.state.twist[r.at()].vel.x = f64::NAN,
            _ => world.state.vel[world.model.bodies[broken].vertex_range().start + 3].y = f64::NAN,
        }
        let (mut reported, mut held) = (0, 0);
        for i in 0..150 {
            if i % 20 == 0 {
                wild(&mut input, &mut seed);
            }
            let from = world.state.clone();
            step(&mut world, &input, &mut || 0);
            reported += world.report.quarantined.len();
            held += (0..world.state.frozen.len()).filter(|b| world.state.frozen[*b]).count();
            assert!(world.state.frozen[broken] || held == held_for, "{broken}, step {i}");
            let deepest = witness.deepest(&world, &from, 2);
            assert!(deepest <= 0.0, "{broken}, step {i}: {deepest}");
            let finite = world.state.kept.iter().all(|k| k.lambda.is_finite() && k.drag.is_finite());
            assert!(finite, "{broken}, step {i}: a multiplier is no number");
        }
        assert_eq!((reported, held), (1, held_for), "{broken}");
        let moving = world.state.vel.iter().filter(|v| v.length() > 1e-3).count();
        assert!(moving > 5, "the others go on: {moving}");
    }
}

/// The filter leaves alone what nothing is near: a stretched rope snaps back as without it.
#[test]
fn the_filter_does_not_slow_what_is_alone() {
    let shrink = |filter: Filter| {
        let band = RawBand { relaxation_s: 0.0, ..ROPE };
        let far = rope("far", (Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.1, 1.0, 0.0)), 3, 0.002, band);
        let taut = rope("taut", (Vec3::ZERO, Vec3::X * 0.2), 11, 0.002, band);
        let mut raw = lagrangian(vec![taut, far], filter);
        raw.world.gravity = Vec3::ZERO;
        let mut world = baked(&raw).world();
        world.state.pos[..11].iter_mut().for_each(|p| p.x *= 1.2);
        run(&mut world, 5);
        assert!(world.state.vel[10].x < -2.0);
        world.state.pos
    };
    assert_eq!(shrink(Filter::Off), shrink(Filter::Planes));
}

/// A rod in a hand that turns as fast as hands may, beside a rope: chords of its path are not the path.
#[test]
fn a_spinning_shaft_hits_a_rope() {
    let line = rope("rope", (Vec3::new(0.05, -0.1, 0.1), Vec3::new(0.05, 0.1, 0.1)), 11, 0.004, ROPE);
    let mut rod = solid(
        "rod",
        RawSolid::Capsule { length: 0.2, radius: 0.004 },
        Vec3::Z * 0.1,
        RawModel::Rigid { mass: 0.1 },
    );
    if let RawGeometry::Solid { pose, .. } = &mut rod.geometry {
        pose.rot = Quat::IDENTITY;
    }
    let brick = solid(
        "box",
        RawSolid::Cuboid { size: Vec3::new(0.08, 0.02, 0.02) },
        Vec3::new(-0.06, 0.03, 0.1),
        RawModel::Rigid { mass: 0.1 },
    );
    let mut raw = lagrangian(vec![line, rod, brick], Filter::Planes);
    raw.world.gravity = Vec3::ZERO;
    for seed in 0..8 {
        let mut seed = seed * 7 + 1;
        let mut world = baked(&raw).world();
        let mut witness = Witness::default();
        let input = Input::at_rest(&world);
        for i in 0..60 {
            if i % 10 == 0 {
                for twist in &mut world.state.twist {
                    (twist.omega, twist.vel) = (noise3(&mut seed) * 500.0, noise3(&mut seed) * 3.0);
                }
            }
            let from = world.state.clone();
            step(&mut world, &input, &mut || 0);
            let deepest = witness.deepest(&world, &from, 8);
            assert!(deepest <= 0.0, "{seed}, step {i}: {deepest}");
        }
    }
}

/// What the filter stops, it stops by an impulse: together the two keep their momentum, they go towards one another no
/// more, and nothing is gained.
#[test]
fn rigid_bodies_that_are_stopped_are_stopped() {
    let ball = |name: &str, x: f64, mass: f64| {
        solid(name, RawSolid::Sphere { radius: 0.02 }, Vec3::X * x, RawModel::Rigid { mass })
    };
    let mut raw = lagrangian(vec![ball("a", -0.05, 0.1), ball("b", 0.05, 0.3)], Filter::Planes);
    (raw.world.sweeps, raw.world.gravity) = (1, Vec3::ZERO);
    let mut world = bake(&raw).unwrap().world();
    (world.state.twist[0].vel, world.state.twist[1].vel) = (Vec3::X * 100.0, Vec3::X * -100.0);
    let momentum = 0.1 * 100.0 - 0.3 * 100.0;
    step(&mut world, &Input::default(), &mut || 0);
    assert!(world.report.truncated > 0);
    let [a, b] = [0, 1].map(|r| world.state.twist[r].vel);
    assert!((0.1 * a + 0.3 * b - Vec3::X * momentum).length() < 1e-9 * momentum.abs(), "{a} {b}");
    assert!(a.x <= b.x + 1e-9, "{a} {b}");
    let energy = 0.05 * a.length_squared() + 0.15 * b.length_squared();
    assert!(energy <= 0.2 * 100.0 * 100.0 * (1.0 + 1e-12), "{energy}");
}
