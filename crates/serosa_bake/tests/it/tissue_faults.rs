//! What bake refuses to make tissue of, and how it says so.

use crate::make::{scene, solid};
use crate::specimens::{ORGAN, organ, organ_mesh};
use serosa_bake::bake;
use serosa_bake::raw::*;
use serosa_geometry::generate::chain;
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::model::Integrator;
use serosa_sim::params::Response;

fn ball() -> Mesh {
    organ_mesh(1, Vec3::splat(0.05))
}

fn again(mesh: Mesh) -> Mesh {
    Mesh::from_triangles(mesh.points, mesh.triangles)
}

fn open() -> Mesh {
    let mut mesh = ball();
    mesh.triangles.pop();
    again(mesh)
}

#[track_caller]
fn refused(mesh: Mesh, material: RawTissue, why: &str) {
    let faults = bake(&scene(vec![organ("organ", mesh, material)])).expect_err("should be refused");
    let said: Vec<&str> = faults.iter().map(|f| f.message.as_str()).collect();
    assert!(said.iter().any(|m| m.contains(why)), "{said:?}");
    assert!(faults.iter().all(|f| f.place == Place::Body(0) && !f.help.is_empty()));
}

#[test]
fn surfaces_that_cannot_be_tissue_are_refused_by_name() {
    refused(chain(Vec3::ZERO, Vec3::X, 3), ORGAN, "needs a surface of triangles");
    refused(open(), ORGAN, "open at 3 edges");
    let mut turned = ball();
    turned.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    refused(turned, ORGAN, "inside out");
    let mut one = ball();
    one.triangles[3].swap(0, 1);
    refused(one, ORGAN, "disagree about the outside");
    let mut flat = ball();
    let [a, b, _] = flat.triangles[0];
    flat.points.push((flat.points[a as usize] + flat.points[b as usize]) * 0.5);
    let c = flat.points.len() as u32 - 1;
    flat.triangles.push([a, b, c]);
    refused(again(flat), ORGAN, "no area");
    let mut crowded = ball();
    let [a, b, _] = crowded.triangles[0];
    crowded.points.push(Vec3::X);
    crowded.triangles.push([a, b, crowded.points.len() as u32 - 1]);
    refused(again(crowded), ORGAN, "more than two triangles");
    let mut two = ball();
    let n = two.points.len() as u32;
    two.points.extend(ball().points.iter().map(|p| *p + Vec3::X));
    two.triangles.extend(ball().triangles.iter().map(|t| t.map(|v| v + n)));
    refused(again(two), ORGAN, "2 parts");
    let mut torn = ball();
    torn.points.push(torn.points[torn.triangles[0][0] as usize]);
    torn.triangles[0][0] = torn.points.len() as u32 - 1;
    refused(again(torn), ORGAN, "torn");
    let mut wire = ball();
    wire.edges.push([0, 1]);
    refused(wire, ORGAN, "belong to no triangle");
    let mut wrong = ball();
    wrong.triangles.push([0, 1, 1000]);
    refused(wrong, ORGAN, "beyond the last");
}

#[test]
fn an_open_surface_without_a_volume_is_welcome() {
    let material = RawTissue { bulk: 0.0, ..ORGAN };
    assert!(bake(&scene(vec![organ("organ", open(), material)])).is_ok());
}

#[test]
fn a_volume_that_may_be_turned_on_needs_a_closed_surface() {
    let mut raw = scene(vec![organ("organ", open(), RawTissue { bulk: 0.0, ..ORGAN })]);
    let unit = ("Pa".to_owned(), 1.0);
    let target = "organ.bulk".to_owned();
    raw.tunables.push(RawTunable { name: String::new(), target, min: 0.0, max: 1e4, unit });
    assert!(bake(&raw).unwrap_err()[0].message.contains("open at 3 edges"));
    raw.bodies[0] = organ("organ", ball(), RawTissue { bulk: 0.0, ..ORGAN });
    assert!(bake(&raw).is_ok());
}

#[test]
fn verlet_is_refused_where_it_would_blow_up_and_stands_where_it_says() {
    let stiff = RawTissue { stiffness: 5000.0, integrator: Integrator::Verlet, ..ORGAN };
    let mut raw = scene(vec![organ("organ", ball(), stiff)]);
    raw.world.gravity = Vec3::ZERO;
    let faults = bake(&raw).unwrap_err();
    assert!(faults[0].message.contains("too stiff for Verlet"), "{faults:?}");
    let word = faults[0].message.rsplit(' ').nth(1).unwrap();
    let limit: f64 = word.parse::<f64>().unwrap() * 1e-3;
    for (share, stands) in [(0.95, true), (1.15, false)] {
        let mut world = {
            raw.world.dt_s = 1e-7;
            crate::make::baked(&raw).world()
        };
        world.params.dt_s = share * limit;
        world.state.vel[0] = Vec3::X * 1e-3;
        crate::make::run(&mut world, 3000);
        let calm = world.state.vel.iter().all(|v| v.length() < 1e-2) && !world.state.frozen[0];
        assert_eq!(calm, stands, "{share} of {limit}");
    }
}

#[test]
fn shapes_without_a_surface_are_not_for_tissue() {
    let brick =
        solid("box", RawSolid::Cuboid { size: Vec3::splat(0.1) }, Vec3::ZERO, RawModel::Tissue(ORGAN));
    assert!(bake(&scene(vec![brick])).unwrap_err()[0].message.contains("cannot be soft"));
}

#[test]
fn verlet_is_refused_where_everything_is_implicit() {
    for response in [Response::AugmentedLagrangian, Response::Qp] {
        let explicit = RawTissue { integrator: Integrator::Verlet, ..ORGAN };
        let mut raw = scene(vec![organ("organ", ball(), explicit)]);
        (raw.world.response, raw.world.dt_s) = (response, 1e-5);
        assert!(bake(&raw).unwrap_err()[0].message.contains("is moved by Verlet's explicit scheme"));
        raw.bodies[0] = organ("organ", ball(), ORGAN);
        assert!(bake(&raw).is_ok());
    }
}
