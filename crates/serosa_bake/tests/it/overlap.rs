//! Bodies that overlap at the start: found with their place, refused or parted; and pairs that are left out.

use crate::make::*;
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::*;
use serosa_bake::{Baked, Fault, bake};
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::model::Law;
use serosa_sim::model::Tie;
use serosa_sim::params::Filter;

/// A block of soft flesh of 4 cm about a place.
fn block(name: &str, middle: Vec3) -> RawBody {
    let size = Vec3::splat(0.04);
    flesh(name, (middle - 0.5 * size, size), [4; 3], elastic(Law::NeoHookean, 1e4, 0.4, 1000.0, 5e-3))
}

fn ball(name: &str, at: Vec3) -> RawBody {
    solid(name, RawSolid::Sphere { radius: 0.01 }, at, RawModel::Rigid { mass: 0.1 })
}

fn filtered(bodies: Vec<RawBody>) -> RawScene {
    let mut raw = lagrangian(bodies, Filter::Planes);
    raw.world.dt_s = 5e-3;
    raw
}

fn faults(raw: &RawScene) -> Vec<Fault> {
    bake(raw).expect_err("should be refused")
}

#[test]
fn every_pair_that_overlaps_is_told_with_its_place_and_depth() {
    let mut raw = filtered(vec![
        block("a", Vec3::ZERO),
        block("b", Vec3::X * 0.037),
        block("far", Vec3::X * 0.2),
        ball("stone", Vec3::new(0.2, 0.0, 0.025)),
    ]);
    let told = faults(&raw);
    assert_eq!(told.iter().map(|f| f.place).collect::<Vec<_>>(), [Place::Body(1), Place::Body(3)]);
    // 3 mm of flesh and a thickness of 1 mm; a ball 5 mm in flesh, of which half the thickness counts.
    assert!(told[0].message.contains("\"a\" and \"b\" overlap by 4.00 mm"), "{told:?}");
    assert!(told[0].message.contains("near (0.0"), "{told:?}");
    assert!(told[1].message.contains("\"far\" and \"stone\" overlap by 5.50 mm"), "{told:?}");
    assert!(told[0].help.contains("overlaps = \"part\""), "{told:?}");
    raw.world.filter = Filter::Off;
    let notes = bake(&raw).unwrap().notes;
    assert_eq!(notes.iter().filter(|n| n.contains("will be pushed apart")).count(), 2, "{notes:?}");
}

/// So deep inside that nothing of it touches the surface.
#[test]
fn a_tool_that_starts_inside_an_organ_is_found() {
    let mut organ = block("organ", Vec3::ZERO);
    organ.attachments = vec![Selector::Name("left".into())];
    let mut raw = filtered(vec![organ, ball("stone", Vec3::Z * 0.005)]);
    raw.bodies[1].geometry =
        RawGeometry::Solid { solid: RawSolid::Sphere { radius: 2e-3 }, pose: at(Vec3::new(0.0, 0.0, 0.005)) };
    raw.tools = vec![tool("probe", Vec3::new(0.0, 0.005, 0.0), Vec3::NEG_Z)];
    raw.tools[0].solid = RawSolid::Sphere { radius: 3e-3 };
    let told = faults(&raw);
    assert_eq!(told.iter().map(|f| f.place).collect::<Vec<_>>(), [Place::Body(1), Place::Tool(0)]);
    assert!(told[0].message.contains("\"stone\" lies inside \"organ\", by 17.5"), "{told:?}");
    assert!(told[1].message.contains("\"probe\" lies inside \"organ\", by 18.5"), "{told:?}");
    // A shaft that goes right through is not inside.
    raw.tools[0].solid = RawSolid::Capsule { length: 0.1, radius: 1e-3 };
    raw.tools[0].tip = Vec3::new(0.01, 0.011, -0.05);
    raw.bodies.truncate(1);
    let told = faults(&raw);
    assert!(told[0].message.contains("\"organ\" and \"probe\" overlap by 10"), "{told:?}");
}

#[test]
fn what_nothing_holds_is_parted_and_the_rest_is_not() {
    let mut held = block("held", Vec3::ZERO);
    held.attachments = vec![Selector::Name("left".into())];
    let mut raw =
        filtered(vec![held, block("free", Vec3::X * 0.036), ball("stone", Vec3::new(0.036, 0.0, 0.022))]);
    raw.world.overlaps = Overlaps::Part;
    let baked = bake(&raw).unwrap();
    let (moved, notes) = (&baked.model.rest, &baked.notes);
    assert_eq!(baked.world().state.pos[0], Vec3::splat(-0.02), "what is held stays");
    let shift = moved[125] - Vec3::new(0.016, -0.02, -0.02);
    // 4 mm of flesh, 1 mm of thickness and a tenth of clearance.
    assert!((0.005..0.006).contains(&shift.x), "{shift}");
    assert!(
        notes.iter().any(|n| n.contains("\"free\" overlapped others at the start and was moved by 6.")),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|n| n.contains("\"stone\"")) && !notes.iter().any(|n| n.contains("\"held\" over"))
    );
    let mut world = baked.world();
    for _ in 0..5 {
        run(&mut world, 5);
        assert_eq!(Auditor::default().check(&world).deepest_m, 0.0);
    }
    assert!(world.report.quarantined.is_empty());
}

/// A tool that begins in an organ is put beside it, and the hand that leads it with it: it would pull it back for ever.
#[test]
fn a_tool_that_is_parted_takes_its_hand_along() {
    let mut organ = block("organ", Vec3::ZERO);
    organ.attachments = vec![Selector::Name("left".into())];
    let mut raw = filtered(vec![organ]);
    raw.world.overlaps = Overlaps::Part;
    raw.world.gravity = Vec3::ZERO;
    raw.tools = vec![tool("probe", Vec3::new(0.0, 0.005, 0.0), Vec3::NEG_Z)];
    raw.tools[0].solid = RawSolid::Sphere { radius: 3e-3 };
    let away = |baked: &Baked| (baked.world().state.leads[0].target.pos - raw.tools[0].tip).length();
    let baked = bake(&raw).unwrap();
    assert!(away(&baked) > 0.015, "it was {} m deep", away(&baked));
    let told =
        |baked: &Baked, what: &str| baked.notes.iter().any(|n| n.contains("\"probe\"") && n.ends_with(what));
    assert!(told(&baked, ", and its hand with it"), "{:?}", baked.notes);
    let mut world = baked.world();
    run(&mut world, 100);
    let force = world.scratch.hand_force[0].length();
    assert!(force < 1e-3, "the hand holds {force} N");
    // Where its script leads it elsewhere, that is said.
    let to = Move { time_s: 1.0, tip: Vec3::X, direction: None, grip: false };
    raw.tools[0].moves = vec![Move { tip: raw.tools[0].tip, time_s: 0.0, ..to }, to];
    assert!(told(&bake(&raw).unwrap(), "stay as written"));
}

#[test]
fn what_cannot_be_parted_is_refused_with_the_reason() {
    let pair = || {
        let mut bodies = vec![block("a", Vec3::ZERO), block("b", Vec3::X * 0.036)];
        bodies.iter_mut().for_each(|b| b.attachments = vec![Selector::Name("left".into())]);
        let mut raw = filtered(bodies);
        raw.world.overlaps = Overlaps::Part;
        raw
    };
    let told = faults(&pair());
    assert!(told.len() == 1 && told[0].help.contains("both are held"), "{told:?}");
}

/// Two blocks that overlap by so much, or have a gap, the second tied to the first by its face in it.
fn tied(deep: f64) -> RawScene {
    let mut bodies = vec![block("a", Vec3::ZERO), block("b", Vec3::X * (0.04 - deep))];
    bodies[0].attachments = vec![Selector::Name("left".into())];
    if let RawModel::Solid(elastic) = &mut bodies[1].model {
        elastic.ties = vec![RawTie {
            which: Selector::Name("left".into()),
            to: "a".into(),
            reach: 0.01,
            stiffness: 2000.0,
        }];
    }
    filtered(bodies)
}

#[test]
fn bodies_that_overlap_where_they_are_tied_are_left_alone_there_and_told() {
    for deep in [0.0, -5e-4] {
        let baked = bake(&tied(deep)).unwrap();
        let told = |n: &&String| n.contains("of \"a\" and \"b\" are tied to each other");
        assert_eq!(baked.notes.iter().filter(told).count(), 1, "{:?}", baked.notes);
        assert!(baked.model.excluded.overlapping_at_rest > 0);
        let mut world = baked.world();
        run(&mut world, 200);
        assert_eq!(Auditor::default().check(&world).deepest_m, 0.0);
        assert!(world.report.quarantined.is_empty());
        // Contact does not part what the ties join.
        let pos = &world.state.pos;
        let stretch = |tie: &Tie| (tie.ends[0].place(pos) - tie.ends[1].place(pos) - tie.apart).length();
        assert!(world.model.ties.iter().map(stretch).fold(0.0, f64::max) < 0.01);
    }
}

#[test]
fn bodies_that_overlap_beyond_their_ties_are_refused() {
    let told = faults(&tied(0.025));
    assert!(told[0].message.contains("they are tied to each other"), "{told:?}");
    assert!(told[0].help.contains("leave a gap"), "{told:?}");
}

#[test]
fn a_surface_thicker_than_its_triangles_is_told() {
    let mut raw = filtered(vec![block("thick", Vec3::ZERO)]);
    let said = |raw: &RawScene| bake(raw).unwrap().notes.iter().filter(|n| n.contains("mm thick")).count();
    assert_eq!(said(&raw), 0);
    if let RawModel::Solid(elastic) = &mut raw.bodies[0].model {
        elastic.thickness = Some(0.02);
    }
    let notes = bake(&raw).unwrap().notes;
    assert!(notes.iter().any(|n| n.contains("\"thick\" is 20.0 mm thick and its edges are 1")), "{notes:?}");
}

/// Threads that run back along themselves, nearer than they are thick; each body says so for itself.
#[test]
fn pairs_left_out_are_told_body_by_body() {
    let folded = |name: &str, z: f64, n: u32| {
        let there = (0..n).map(|k| Vec3::new(0.01 * f64::from(k), 0.0, z));
        let back = (0..n).rev().map(|k| Vec3::new(0.01 * f64::from(k), 1.5e-3, z));
        let edges = (1..2 * n).map(|k| [k - 1, k]).collect();
        let mesh = Mesh { points: there.chain(back).collect(), edges, ..Mesh::default() };
        springs(name, mesh, 0.1, 100.0, 0.0)
    };
    let notes = bake(&scene(vec![folded("short", 0.0, 4), folded("long", 0.1, 20)])).unwrap().notes;
    let pairs = |name: &str| -> u32 {
        let of = notes.iter().find(|n| n.contains(&format!("of \"{name}\" lie closer at rest")));
        of.map_or(0, |n| n.split(' ').next().unwrap().parse().unwrap())
    };
    assert!(notes.len() == 2 && pairs("short") > 3 && pairs("long") > 4 * pairs("short"), "{notes:?}");
    assert!(notes[1].contains("near (") && notes[1].contains("0.100) m"), "{notes:?}");
}
