//! Bad input: an error when the scene is checked, or a fault that is contained; never a panic, never a hang.

use crate::make::*;
use crate::specimens::{GUT, strip};
use serosa_bake::raw::*;
use serosa_bake::{RawScene, bake};
use serosa_geometry::generate::chain_through;
use serosa_geometry::{Quat, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::params::{Filter, Response};
use serosa_sim::{Hand, Input, step};

/// A rope over a floor with a tool above it.
fn plain(band: RawBand) -> RawScene {
    let line = rope("rope", (Vec3::new(-0.1, 0.0, 0.03), Vec3::new(0.1, 0.0, 0.03)), 15, 0.005, band);
    let mut raw = lagrangian(vec![floor(), line], Filter::Planes);
    raw.bodies.iter_mut().for_each(|b| b.friction = 0.4);
    raw.tools.push(tool("probe", Vec3::new(0.01, 0.0, 0.06), Vec3::NEG_Z));
    raw
}

/// Runs it under a hand that goes through the floor; all is finite in the end and, with the filter, apart.
fn survives(what: &str, raw: &RawScene, steps: u32) -> Vec<String> {
    let bake = bake(raw).unwrap_or_else(|f| panic!("{what}: {}", f[0].message));
    let mut world = bake.world();
    let mut input = Input::at_rest(&world);
    let mut frozen = Vec::new();
    for i in 0..steps {
        if let Some(hand) = input.hands.first_mut() {
            *hand = Hand::new(Vec3::Z * (0.06 - 0.001 * f64::from(i)), Quat::IDENTITY)
                .unwrap()
                .gripping(i > steps / 2);
        }
        step(&mut world, &input, &mut || 0);
        frozen.extend(world.report.quarantined.iter().map(|b| world.model.bodies[b.at()].name.clone()));
        frozen.sort();
        frozen.dedup();
        assert!(world.state.pos.iter().chain(&world.state.vel).all(|p| p.is_finite()), "{what}: step {i}");
        assert!(world.state.pose.iter().all(|p| p.pos.is_finite() && p.rot.is_finite()), "{what}: step {i}");
        assert!(world.state.kept.iter().all(|k| k.lambda.is_finite() && k.drag.is_finite()), "{what}: {i}");
    }
    if raw.world.filter == Filter::Planes {
        let deepest = Auditor::default().check(&world).deepest_m;
        assert!(deepest <= 0.0, "{what}: {deepest}");
    }
    frozen
}

#[test]
fn absurd_materials_are_survived() {
    let cases = [
        ("no stiffness at all", RawBand { tube_stretch: 0.0, tube_bending: 0.0, relaxation_s: 0.0, ..ROPE }),
        ("as stiff as a bridge", RawBand { tube_stretch: 1e9, tube_bending: 1e9, ..ROPE }),
        ("as viscous as rock", RawBand { relaxation_s: 1e9, ..ROPE }),
        ("as heavy as a mountain", RawBand { mass: 1e9, ..ROPE }),
    ];
    for (what, band) in cases {
        let frozen = survives(what, &plain(band), 150);
        assert!(frozen.is_empty(), "{what}: {frozen:?}");
    }
}

/// A hand of a hundred million newtons on a rope of a few grams, and a common hand on one of a nanogram: what little a
/// squeeze of that size leaves unbalanced may throw the rope out. Then it is held, and that is reported.
#[test]
fn squeezes_beyond_reason_are_contained() {
    let light = plain(RawBand { mass: 1e-12, ..ROPE });
    let mut hard = plain(ROPE);
    (hard.tools[0].stiffness, hard.tools[0].turn_stiffness) = (1e9, 1e9);
    (hard.tools[0].speed_max, hard.tools[0].strength) = (1e3, 1e9);
    for (what, raw) in [("light", light), ("hard", hard)] {
        let frozen = survives(what, &raw, 150);
        assert!(frozen.iter().all(|b| b == "rope"), "{what}: {frozen:?}");
    }
}

/// Beyond what numbers can say: the rope is held and reported as often as it is given back, the rest goes on.
#[test]
fn materials_that_are_no_numbers_are_contained() {
    survives("1e300 N", &plain(RawBand { tube_stretch: 1e300, ..ROPE }), 60);
    for stretch in [f64::INFINITY, f64::NAN] {
        for filter in [Filter::Planes, Filter::Off] {
            for response in [Response::AugmentedLagrangian, Response::DisplacementVelocity] {
                let mut raw = plain(RawBand { tube_stretch: stretch, ..ROPE });
                (raw.world.filter, raw.world.response) = (filter, response);
                let what = format!("{stretch:e}, {filter:?}, {response:?}");
                let frozen = survives(&what, &raw, 60);
                assert_eq!(frozen, ["rope"], "{what}");
            }
        }
    }
}

#[test]
fn absurd_steps_are_survived() {
    for (dt_s, substeps, sweeps) in [(0.05, 1, 2), (0.05, 0, 0), (1.0, 1, 2), (1e-9, 1, 2), (0.05, 7, 1)] {
        for filter in [Filter::Planes, Filter::Off] {
            let mut raw = plain(ROPE);
            (raw.world.dt_s, raw.world.substeps, raw.world.sweeps) = (dt_s, substeps, sweeps);
            raw.world.filter = filter;
            survives(&format!("{dt_s} s, {substeps}, {sweeps}, {filter:?}"), &raw, 100);
        }
    }
}

#[test]
fn absurd_tools_are_survived() {
    for (stiffness, mass, turn) in [(1e6, 0.04, 1e6), (1e9, 1e-9, 0.0), (0.0, 1e6, 0.0), (1e-9, 1e-9, 1e-9)] {
        let mut raw = plain(ROPE);
        (raw.tools[0].stiffness, raw.tools[0].mass, raw.tools[0].turn_stiffness) = (stiffness, mass, turn);
        (raw.tools[0].speed_max, raw.tools[0].strength) = (1e3, 1e9);
        let frozen = survives(&format!("tool {stiffness} {mass} {turn}"), &raw, 150);
        assert!(!frozen.iter().any(|b| b == "rope"), "{stiffness}, {mass}: {frozen:?}");
    }
}

#[test]
fn what_starts_inside_something_is_refused_with_the_filter_on() {
    let mut raw = plain(ROPE);
    raw.tools[0].tip = Vec3::new(0.01, 0.0, 0.03);
    let faults = bake(&raw).unwrap_err();
    assert_eq!(faults[0].place, Place::Tool(0));
    assert!(faults[0].message.contains("overlap"), "{}", faults[0].message);
    raw.world.filter = Filter::Off;
    assert!(survives("a tool in a rope, no filter", &raw, 100).is_empty());
    let mut wide = plain(ROPE);
    if let RawGeometry::Mesh { radius, .. } = &mut wide.bodies[1].geometry {
        *radius = 3.0;
    }
    assert!(bake(&wide).is_err(), "a rope of six metres across");
}

/// The smallest strips, and smaller ones.
#[test]
fn strips_of_three_columns_run_and_of_two_are_refused() {
    for (rows, columns) in [(2, 3), (4, 3), (3, 4)] {
        let geometry = strip(rows, columns, 0.02, Vec3::Z * 0.05);
        let gut = body("gut", RawGeometry::Strip(geometry), RawModel::Band(GUT));
        let mut raw = lagrangian(vec![floor(), gut], Filter::Planes);
        raw.tools.push(tool("probe", Vec3::new(0.01, -0.02, 0.1), Vec3::NEG_Z));
        assert!(survives(&format!("{rows} × {columns}"), &raw, 200).is_empty());
    }
    let narrow = strip(4, 2, 0.02, Vec3::Z * 0.05);
    let gut = body("gut", RawGeometry::Strip(narrow), RawModel::Band(GUT));
    assert!(bake(&lagrangian(vec![floor(), gut], Filter::Planes)).is_err());
}

/// A tube folded flat on itself has no curvature to speak of.
#[test]
fn a_rope_folded_flat_is_survived() {
    let points = [0.0, 0.02, 0.04, 0.02, 0.0, 0.02].map(|x| Vec3::new(x, 0.0, 0.05)).to_vec();
    let flat = RawGeometry::Mesh { mesh: chain_through(points), radius: 1e-3 };
    let mut flat = body("flat", flat, RawModel::Band(RawBand { tube_bending: 0.1, ..ROPE }));
    flat.self_contact = false;
    survives("folded flat", &lagrangian(vec![floor(), flat], Filter::Planes), 200);
}

/// Nothing to solve for: a rope held everywhere stays, and is not called lost.
#[test]
fn a_rope_held_everywhere_stays() {
    let mut raw = plain(ROPE);
    let all = serosa_geometry::Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
    raw.bodies[1].attachments = vec![Selector::Box(all)];
    for response in [Response::AugmentedLagrangian, Response::DisplacementVelocity] {
        raw.world.response = response;
        assert!(survives("held everywhere", &raw, 60).is_empty());
    }
}
