//! What bake refuses, and how it says so.

use crate::make::{body, scene, solid, springs};
use serosa_bake::raw::{Place, RawGeometry, RawModel, RawSolid, Selector};
use serosa_bake::{RawScene, bake};
use serosa_geometry::generate::chain;
use serosa_geometry::{Mesh, Vec3};

fn messages(scene: &RawScene) -> Vec<(Place, String)> {
    bake(scene).expect_err("should be refused").into_iter().map(|f| (f.place, f.message)).collect()
}

#[test]
fn a_chain_of_one_node_is_refused() {
    let mesh = Mesh { points: vec![Vec3::ZERO], ..Mesh::default() };
    let found = messages(&scene(vec![springs("dot", mesh, 1.0, 1.0, 0.0)]));
    assert_eq!(found[0].0, Place::Body(0));
    assert!(found[0].1.contains("1 vertices and 0 edges"), "{found:?}");
}

#[test]
fn all_faults_are_said_at_once() {
    let mut nan = chain(Vec3::ZERO, Vec3::X, 3);
    nan.points[1].y = f64::NAN;
    let mut held = springs("held", chain(Vec3::ZERO, Vec3::X, 3), 1.0, 1.0, 0.0);
    held.attachments = vec![Selector::Name("middle".into())];
    let plane = solid("plane", RawSolid::Plane, Vec3::ZERO, RawModel::Rigid { mass: 1.0 });
    let wrong = body(
        "wrong",
        RawGeometry::Mesh { mesh: chain(Vec3::ZERO, Vec3::X, 3), radius: 0.01 },
        RawModel::Fixed,
    );
    let found = messages(&scene(vec![springs("nan", nan, 1.0, 1.0, 0.0), held, plane, wrong]));
    let places: Vec<Place> = found.iter().map(|f| f.0).collect();
    assert_eq!(places, [Place::Body(0), Place::Attachment(1, 0), Place::Body(2), Place::Body(3)]);
}

#[test]
fn names_must_differ_and_something_must_be_there() {
    assert!(messages(&RawScene::default())[0].1.contains("no body"));
    let twice = scene(vec![crate::make::floor(), crate::make::floor()]);
    assert!(messages(&twice)[0].1.contains("used twice"));
}

#[test]
fn overlap_at_the_start_is_noted() {
    let ball = |name: &str, x: f64| {
        solid(name, RawSolid::Sphere { radius: 0.1 }, Vec3::X * x, RawModel::Rigid { mass: 1.0 })
    };
    let notes = bake(&scene(vec![ball("a", 0.0), ball("b", 0.15)])).unwrap().notes;
    assert!(notes[0].contains("\"a\" and \"b\" overlap by 50.00 mm"), "{notes:?}");
    assert!(bake(&scene(vec![ball("a", 0.0), ball("b", 0.25)])).unwrap().notes.is_empty());
}

/// Legal but absurd: a thread ten metres thick with edges of a millimetre. It is refused in good time.
#[test]
fn a_body_far_thicker_than_its_edges_is_refused() {
    let mut thick = springs("thick", chain(Vec3::ZERO, Vec3::X * 20.0, 20_000), 1.0, 1.0, 0.0);
    if let RawGeometry::Mesh { radius, .. } = &mut thick.geometry {
        *radius = 10.0;
    }
    let found = messages(&scene(vec![thick.clone()]));
    assert!(found[0].1.contains("thicker than its edges"), "{found:?}");
    thick.self_contact = false;
    assert!(bake(&scene(vec![thick])).is_ok());
}
