//! The filter: nothing passes through anything, whatever drives it.

use crate::make::*;
use serosa_bake::raw::*;
use serosa_geometry::generate;
use serosa_geometry::{Mesh, Vec3, closest_segments};
use serosa_sim::audit::Auditor;
use serosa_sim::model::PrimKind;
use serosa_sim::params::{Filter, Response};
use serosa_sim::{Input, World, step};

fn chain(name: &str, from: Vec3, to: Vec3, nodes: usize, radius: f64) -> RawBody {
    let mesh: Mesh = generate::chain(from, to, nodes);
    let mut body = springs(name, mesh, 0.02, 200.0, 0.01);
    if let RawGeometry::Mesh { radius: r, .. } = &mut body.geometry {
        *r = radius;
    }
    body
}

/// Two crossed chains, thrown at each other.
fn crossed(speed: f64, filter: Filter, response: Response) -> World {
    let x = chain("x", Vec3::new(-0.1, 0.0, 0.03), Vec3::new(0.1, 0.0, 0.03), 9, 2e-3);
    let y = chain("y", Vec3::new(0.0, -0.1, -0.03), Vec3::new(0.0, 0.1, -0.03), 9, 2e-3);
    let mut raw = weightless(vec![x, y]);
    (raw.world.filter, raw.world.response) = (filter, response);
    let mut world = baked(&raw).world();
    for v in world.model.bodies[0].vertex_range() {
        world.state.vel[v].z = -speed;
    }
    for v in world.model.bodies[1].vertex_range() {
        world.state.vel[v].z = speed;
    }
    world
}

/// Whether the first chain is below the second where they cross as seen from above.
fn passed(world: &World) -> bool {
    let chain = |b: usize| world.state.pos[world.model.bodies[b].vertex_range()].windows(2);
    let cross = |a: Vec3, b: Vec3| a.x * b.y - a.y * b.x;
    chain(0).any(|p| {
        chain(1).any(|q| {
            let (d, e, between) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
            let [s, t] = [e, d].map(|way| cross(between, way) / cross(d, e));
            (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) && (p[0] + d * s).z < (q[0] + e * t).z
        })
    })
}

#[test]
fn fast_chains_pass_through_without_it_and_not_with_it() {
    for response in [Response::DisplacementVelocity, Response::Ignore] {
        let mut off = crossed(60.0, Filter::Off, response);
        run(&mut off, 10);
        assert!(passed(&off), "so fast that a step jumps over the whole thickness");
        let mut on = crossed(60.0, Filter::Planes, response);
        let mut auditor = Auditor::default();
        let input = Input::at_rest(&on);
        let mut truncated = 0;
        // Later the free ends may swing round one another.
        for _ in 0..10 {
            step(&mut on, &input, &mut || 0);
            truncated += on.report.truncated;
            assert!(auditor.check(&on).deepest_m <= 0.0 && !passed(&on));
        }
        assert!(truncated > 0);
    }
}

/// Every instant of every step, not only the ends: the gap of all pairs, sampled between the ends.
#[test]
fn no_instant_of_a_step_is_in_contact() {
    let mut seed = 3;
    for round in 0..30 {
        let mut bodies = Vec::new();
        for i in 0..4 {
            let at = Vec3::new(0.0, 0.0, 0.03 * f64::from(i));
            let dir = Vec3::new(noise(&mut seed), noise(&mut seed), 0.0).normalize() * 0.05;
            bodies.push(chain(&format!("c{i}"), at - dir, at + dir, 4, 4e-3));
        }
        bodies.push(solid(
            "ball",
            RawSolid::Sphere { radius: 0.01 },
            Vec3::new(0.0, 0.0, 0.15),
            RawModel::Rigid { mass: 0.1 },
        ));
        bodies.push(solid(
            "rod",
            RawSolid::Capsule { length: 0.1, radius: 0.005 },
            Vec3::new(0.08, 0.0, 0.05),
            RawModel::Rigid { mass: 0.1 },
        ));
        bodies.push(solid(
            "block",
            RawSolid::Cuboid { size: Vec3::new(0.2, 0.2, 0.02) },
            Vec3::new(0.0, 0.0, -0.05),
            RawModel::Rigid { mass: 0.5 },
        ));
        let mut raw = weightless(bodies);
        raw.world.filter = Filter::Planes;
        let mut world = baked(&raw).world();
        let input = Input::at_rest(&world);
        for _ in 0..20 {
            world.state.vel.iter_mut().for_each(|v| *v = noise3(&mut seed) * 30.0);
            for (k, twist) in world.state.twist.iter_mut().enumerate() {
                let spin = if k == 0 { 1.0 } else { 100.0 };
                (twist.vel, twist.omega) = (noise3(&mut seed) * 20.0, noise3(&mut seed) * spin);
            }
            let from = world.state.clone();
            step(&mut world, &input, &mut || 0);
            assert!(segments_stay_apart(&world, &from.pos), "round {round}");
            assert!(Auditor::default().check(&world).deepest_m <= 0.0, "round {round}");
        }
    }
}

fn segments_stay_apart(world: &World, from: &[Vec3]) -> bool {
    let segment = |i: usize| match world.model.prims[i].kind {
        PrimKind::Segment(ends) => Some(ends),
        _ => None,
    };
    for k in 0..=8 {
        let t = f64::from(k) / 8.0;
        let at = |v: serosa_geometry::VertexId| from[v.at()].lerp(world.state.pos[v.at()], t);
        for i in 0..world.model.prims.len() {
            for j in i + 1..world.model.prims.len() {
                let (Some(a), Some(b)) = (segment(i), segment(j)) else { continue };
                if world.model.may_touch(i.into(), j.into()) {
                    let [a, b] = [a.map(at), b.map(at)];
                    let p = closest_segments(a[0], a[1], b[0], b[1]);
                    let gap = (a[0].lerp(a[1], p.s) - b[0].lerp(b[1], p.t)).length();
                    if gap <= world.state.radius[i] + world.state.radius[j] {
                        return false;
                    }
                }
            }
        }
    }
    true
}
