//! Solids in contact: weight, friction, theory, tools and jaws.

use crate::make::*;
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::*;
use serosa_geometry::generate::{Sheet, membrane};
use serosa_geometry::{PrimId, Vec3, rotation};
use serosa_sim::audit::Auditor;
use serosa_sim::model::Law;
use serosa_sim::params::Filter;
use serosa_sim::respond::augmented_lagrangian::REST_GAP;
use serosa_sim::{Hand, Input, World, step};

/// A cube of soft flesh, its lowest corner there.
pub fn cube(name: &str, corner: Vec3, edge: f64, cells: usize, young: f64) -> RawBody {
    let material = elastic(Law::NeoHookean, young, 0.4, 1000.0, 5e-3);
    let mut body = flesh(name, (corner, Vec3::splat(edge)), [cells; 3], material);
    body.friction = 0.5;
    body
}

fn by(mut body: RawBody, descent: RawDescent) -> RawBody {
    if let RawModel::Solid(elastic) = &mut body.model {
        elastic.descent = descent;
    }
    body
}

pub fn ground() -> RawBody {
    let mut ground = floor();
    ground.friction = 0.5;
    ground
}

/// At 240 steps a second.
pub fn at_240(bodies: Vec<RawBody>) -> RawScene {
    let mut raw = lagrangian(bodies, Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps) = (1.0 / 240.0, 10);
    raw
}

fn radius(world: &World, b: usize) -> f64 {
    world.state.radius[world.model.bodies[b].prims.start as usize]
}

fn center(world: &World, b: usize) -> Vec3 {
    let v = world.model.bodies[b].vertex_range();
    world.state.pos[v.clone()].iter().sum::<Vec3>() / v.len() as f64
}

fn fastest(world: &World) -> f64 {
    world.state.vel.iter().map(|v| v.length()).fold(0.0, f64::max)
}

fn close(found: f64, exact: f64, share: f64, what: &str) {
    assert!((found / exact - 1.0).abs() < share, "{what}: {found} for {exact}");
}

#[test]
fn a_cube_on_a_plane_weighs_what_it_weighs() {
    for (descent, law) in [
        (RawDescent::Vertex, Law::NeoHookean),
        (RawDescent::Vertex, Law::Corotated),
        (RawDescent::Global, Law::NeoHookean),
    ] {
        let mut body = by(cube("cube", Vec3::Z * 2e-3, 0.05, 4, 2e4), descent);
        if let RawModel::Solid(elastic) = &mut body.model {
            elastic.base.law = law;
        }
        let mut world = baked(&at_240(vec![ground(), body])).world();
        run(&mut world, 480);
        let weight = 1000.0 * 0.05f64.powi(3) * 9.81;
        let load = world.scratch.contact_force[0];
        assert!((load + Vec3::Z * weight).length() < 0.002 * weight, "{descent:?}: {load} for {weight}");
        let low = world.state.pos.iter().map(|p| p.z).fold(1.0, f64::min);
        let height = radius(&world, 1) + REST_GAP;
        assert!((low - height).abs() < 0.05 * REST_GAP, "{descent:?}: {low} {height}");
        assert!(Auditor::default().check(&world).deepest_m <= 0.0);
        assert!(fastest(&world) < 1e-4, "{descent:?}: {}", fastest(&world));
    }
}

/// Quadratic tetrahedra rest on their middles as well.
#[test]
fn a_quadratic_cube_weighs_what_it_weighs() {
    let body = crate::specimens::raised(by(cube("cube", Vec3::Z * 2e-3, 0.05, 2, 2e4), RawDescent::Global));
    let mut world = baked(&at_240(vec![ground(), body])).world();
    run(&mut world, 480);
    close(-world.scratch.contact_force[0].z, 1000.0 * 0.05f64.powi(3) * 9.81, 0.01, "load");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
}

/// A cube on a slope along x, after so many seconds; how far it went in the seconds after that.
fn slides(friction: f64, slope: f64, settle_s: f64, seconds: f64) -> f64 {
    let height = 5e-4 + REST_GAP;
    let mut body = cube("cube", Vec3::new(-0.02, -0.02, height), 0.04, 2, 5e4);
    body.friction = friction;
    let mut plane = floor();
    plane.friction = friction;
    let mut raw = at_240(vec![plane, body]);
    let down = slope.atan();
    raw.world.gravity = Vec3::new(down.sin(), 0.0, -down.cos()) * 9.81;
    let mut world = baked(&raw).world();
    run(&mut world, (settle_s * 240.0) as u32);
    let from = center(&world, 1);
    run(&mut world, (seconds * 240.0) as u32);
    (center(&world, 1) - from).x
}

#[test]
fn a_cube_sticks_at_0_51_and_slides_at_0_49() {
    let stays = slides(0.51, 0.5, 0.5, 1.0);
    assert!(stays.abs() < 1e-5, "{stays}");
    let goes = slides(0.49, 0.5, 0.0, 1.0);
    let down = 0.5f64.atan();
    // From s = g/2 (sin − μ cos) t².
    let felt = (down.sin() - 2.0 * goes / 9.81) / down.cos();
    close(felt, 0.49, 0.01, "friction");
}

#[test]
fn a_cube_near_its_limit_does_not_creep() {
    let creeps = slides(0.5, 0.45, 1.0, 5.0);
    assert!(creeps.abs() * 12.0 < 1e-4, "{} mm a minute", creeps * 12e3);
}

/// How deep a rigid ball is pressed into a block of 2 n × 2 n × n cells by its weight, and the thickness of its surface \[m\].
fn sinks(n: usize, (young, poisson, ball, mass): (f64, f64, f64, f64), size: Vec3) -> [f64; 2] {
    let material = elastic(Law::NeoHookean, young, poisson, 1000.0, 0.02);
    let corner = Vec3::new(-0.08, -0.08, -0.08);
    let mut block = flesh("block", (corner, size), [2 * n, 2 * n, n], material);
    if let RawModel::Solid(elastic) = &mut block.model {
        elastic.thickness = Some(1e-3);
    }
    block.attachments = vec![Selector::Name("bottom".into())];
    let start = Vec3::Z * (ball + 1e-3);
    let weight = solid("ball", RawSolid::Sphere { radius: ball }, start, RawModel::Rigid { mass });
    let mut raw = at_240(vec![block, weight]);
    (raw.world.sweeps, raw.world.gravity) = (20, Vec3::ZERO);
    let mut world = baked(&raw).world();
    // The weight of the ball alone: the block would sink by itself.
    let thick = radius(&world, 0);
    for _ in 0..400 {
        world.state.twist[0].vel *= 0.9;
        world.state.twist[0].vel.z -= 9.81 / 240.0;
        run(&mut world, 1);
    }
    let depth = thick + ball + REST_GAP - world.state.pose[0].pos.z;
    close(-world.scratch.contact_force[0].z, mass * 9.81, 0.01, "force");
    [depth, thick]
}

/// Beside the theory of Hertz, on two meshes: what linear tetrahedra are too stiff by falls with the square of the length of
/// their edges, which is half of the radius of contact on the finer.
#[test]
fn a_ball_sinks_in_as_hertz_says() {
    let (young, poisson, ball, mass) = (2e4, 0.3, 0.05, 0.15);
    let size = Vec3::new(0.16, 0.16, 0.08);
    let [[coarse, _], [fine, thick]] = [8, 12].map(|n| sinks(n, (young, poisson, ball, mass), size));
    let depth = fine + (fine - coarse) / (1.5 * 1.5 - 1.0);
    let force = mass * 9.81;
    let (modulus, around) = (young / (1.0 - poisson * poisson), ball + thick);
    let hertz = (0.75 * force / (modulus * around.sqrt())).powf(2.0 / 3.0);
    // A wide layer on a firm ground is stiffer than a half-space (Dimitriadis et al. 2002, to second order). A block on
    // a firm ground, its sides free, lies between the two.
    let chi = 2.0 * (around * depth).sqrt() / core::f64::consts::PI / size.z;
    let alpha = (1.2876 - 1.4678 * poisson + 1.3442 * poisson * poisson) / (1.0 - poisson);
    let layer = hertz / (1.0 + alpha * chi + alpha * alpha * chi * chi).powf(2.0 / 3.0);
    assert!(coarse < fine && fine < hertz, "{coarse} {fine}: {hertz}");
    assert!(
        depth > 0.97 * layer && depth < 1.03 * hertz,
        "{depth} of {coarse} and {fine}: {layer} to {hertz}"
    );
}

/// Two cubes on one another: the lower carries one, the floor two.
#[test]
fn stacked_cubes_share_their_weight() {
    let high = cube("high", Vec3::new(0.003, 0.004, 0.055), 0.05, 3, 2e4);
    let low = cube("low", Vec3::Z * 2e-3, 0.05, 4, 2e4);
    let mut world = baked(&at_240(vec![ground(), low, high])).world();
    run(&mut world, 720);
    let weight = 1000.0 * 0.05f64.powi(3) * 9.81;
    close(-world.scratch.contact_force[0].z, 2.0 * weight, 0.01, "floor");
    close(world.scratch.contact_force[2].z, weight, 0.01, "high");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
    assert!(center(&world, 2).z > 0.07 && fastest(&world) < 5e-3, "{}", fastest(&world));
}

/// A soft ball of a third more than the hole is pressed through a ring.
#[test]
fn a_ball_goes_through_a_ring() {
    let (mut mesh, tets) =
        serosa_geometry::generate::block::block(&serosa_geometry::generate::block::Block {
            corner: Vec3::splat(-1.0),
            size: Vec3::splat(2.0),
            cells: [6; 3],
        });
    for p in &mut mesh.points {
        let round = if p.length() > 0.0 { p.abs().max_element() / p.length() } else { 0.0 };
        *p = *p * round * 0.03 + Vec3::Z * 0.05;
    }
    let material = elastic(Law::NeoHookean, 4e3, 0.4, 1000.0, 5e-3);
    let geometry = RawGeometry::Tets(RawTets { mesh, tets, ..Default::default() });
    let mut bodies = vec![body("ball", geometry, RawModel::Solid(material))];
    for i in 0..12 {
        let angle = core::f64::consts::TAU * f64::from(i) / 12.0;
        let (out, along) =
            (Vec3::new(angle.cos(), angle.sin(), 0.0), Vec3::new(-angle.sin(), angle.cos(), 0.0));
        let shape = RawSolid::Capsule { length: 0.018, radius: 0.006 };
        let mut rod = solid(&format!("rod{i}"), shape, out * 0.0285, RawModel::Fixed);
        if let RawGeometry::Solid { pose, .. } = &mut rod.geometry {
            pose.rot = rotation::between(Vec3::Z, along);
        }
        bodies.push(rod);
    }
    let mut raw = at_240(bodies);
    raw.world.gravity = Vec3::NEG_Z * 60.0;
    let mut world = baked(&raw).world();
    let mut auditor = Auditor::default();
    for i in 0..480 {
        run(&mut world, 1);
        if i % 8 == 0 {
            assert!(auditor.check(&world).deepest_m <= 0.0, "step {i}");
        }
        if center(&world, 0).z < -0.1 {
            assert!(world.state.frozen.iter().all(|f| !f));
            return;
        }
    }
    panic!("it is stuck at {}", center(&world, 0));
}

fn bed() -> RawBody {
    let mut bed = cube("bed", Vec3::new(-0.05, -0.05, -0.1), 0.1, 5, 3e4);
    bed.attachments = vec![Selector::Name("bottom".into())];
    bed
}

#[test]
fn a_membrane_lies_on_a_solid() {
    let flat = Sheet {
        corner: Vec3::new(-0.03, -0.03, 4e-3),
        along: Vec3::X * 0.06,
        across: Vec3::Y * 0.06,
        columns: 9,
        rows: 9,
    };
    let mut cloth = springs("cloth", membrane(&flat), 0.02, 100.0, 0.02);
    (cloth.friction, cloth.drag) = (0.5, 1.0);
    let mut world = baked(&at_240(vec![bed(), cloth])).world();
    run(&mut world, 720);
    close(world.scratch.contact_force[1].z, 0.02 * 9.81, 0.01, "cloth");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
    let low = world.state.pos[world.model.bodies[1].vertex_range()].iter().map(|p| p.z).fold(1.0, f64::min);
    assert!(low > -5e-3, "{low}");
}

#[test]
fn a_rope_lies_on_a_solid() {
    let up = Vec3::Z * 0.01;
    let mut rope = rope("rope", (up - Vec3::X * 0.04, up + Vec3::X * 0.04), 9, 0.005, ROPE);
    (rope.friction, rope.drag) = (0.5, 1.0);
    let mut world = baked(&at_240(vec![bed(), rope])).world();
    run(&mut world, 720);
    close(world.scratch.contact_force[1].z, 0.1 * 9.81, 0.01, "rope");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
}

/// The hand that presses a solid feels what the solid feels.
#[test]
fn a_tool_presses_a_solid() {
    let mut raw = at_240(vec![bed()]);
    raw.tools.push(tool("probe", Vec3::Z * 0.02, Vec3::NEG_Z));
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    for i in 0..720 {
        lead(&mut input, Vec3::Z * (0.005 - 0.015 * (f64::from(i) / 240.0).min(1.0)), false);
        step(&mut world, &input, &mut || 0);
    }
    let (hand, bed) = (world.scratch.hand_force[0].z, world.scratch.contact_force[0].z);
    assert!(hand < -0.3, "{hand}");
    close(bed, hand, 0.02, "bed");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
}

/// Jaws hold vertices of a solid and lift it.
#[test]
fn jaws_lift_a_solid() {
    let mut raw = at_240(vec![ground(), cube("cube", Vec3::new(-0.02, -0.02, 2e-3), 0.04, 3, 2e4)]);
    let mut probe = tool("probe", Vec3::Z * 0.06, Vec3::NEG_Z);
    probe.strength = 3.0;
    raw.tools.push(probe);
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    for i in 0..960 {
        let t = f64::from(i) / 240.0;
        let z = if t < 0.5 { 0.05 } else { 0.05 + 0.05 * (t - 0.5).min(1.0) };
        lead(&mut input, Vec3::Z * z, t > 0.4);
        step(&mut world, &input, &mut || 0);
    }
    assert!(!world.state.grips.is_empty());
    assert!(center(&world, 1).z > 0.04, "{}", center(&world, 1));
    close(world.scratch.hand_force[0].z, 0.064 * 9.81, 0.03, "hand");
}

/// Two flat jaws press a cube between them and lift it by friction alone.
#[test]
fn two_tools_grasp_a_cube_by_friction() {
    let mut raw = at_240(vec![ground(), cube("cube", Vec3::new(-0.015, -0.015, 2e-3), 0.03, 3, 3e4)]);
    for (name, x) in [("left", -0.03), ("right", 0.03)] {
        let mut jaw = tool(name, Vec3::new(x, 0.0, 0.02), Vec3::NEG_Z);
        jaw.solid = RawSolid::Cuboid { size: Vec3::new(0.01, 0.03, 0.03) };
        (jaw.friction, jaw.stiffness, jaw.turn_stiffness) = (0.8, 800.0, 5.0);
        raw.tools.push(jaw);
    }
    raw.bodies[1].friction = 0.8;
    let mut world = baked(&raw).world();
    let mut input = Input::at_rest(&world);
    let start = input.hands.clone();
    for i in 0..960 {
        let t = f64::from(i) / 240.0;
        let (inwards, up) = (0.016 * (t / 0.5).min(1.0), 0.04 * ((t - 1.0) / 1.5).clamp(0.0, 1.0));
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            let pose = start[k].pose();
            let to = pose.pos + Vec3::new(sign * inwards, 0.0, up);
            input.hands[k] = Hand::new(to, pose.rot).unwrap();
        }
        step(&mut world, &input, &mut || 0);
    }
    assert!(world.state.grips.is_empty());
    let lifted = center(&world, 1).z;
    assert!(lifted > 0.045, "{lifted}");
    assert!(world.scratch.contact_force[0].length() < 1e-9, "nothing rests on the floor");
    assert!(Auditor::default().check(&world).deepest_m <= 0.0);
}

#[test]
fn solids_can_be_made_to_ignore_themselves() {
    let mut body = cube("cube", Vec3::Z * 2e-3, 0.05, 2, 2e4);
    body.self_contact = false;
    let model = baked(&at_240(vec![ground(), body])).model;
    let prims = model.bodies[1].prims.clone();
    let touches = prims.clone().any(|i| (i + 1..prims.end).any(|j| model.may_touch(PrimId(i), PrimId(j))));
    assert!(!touches);
}

/// A chain that hangs pulls at its support with its weight, among rows too.
#[test]
fn a_hanging_chain_weighs_what_it_weighs() {
    let mesh = serosa_geometry::generate::chain(Vec3::Z * 0.3, Vec3::Z * 0.1, 6);
    let mut chain = springs("chain", mesh, 0.05, 300.0, 0.05);
    let top = serosa_geometry::Aabb { min: Vec3::new(-1.0, -1.0, 0.29), max: Vec3::ONE };
    (chain.attachments, chain.drag) = (vec![Selector::Box(top)], 2.0);
    let mut world = baked(&at_240(vec![ground(), chain])).world();
    run(&mut world, 1200);
    let ends = vec![serosa_geometry::VertexId(0)];
    let body = world.model.body("chain").unwrap();
    let measure = serosa_sim::probe::Measure::SupportForce(body, ends);
    let mut load = Vec::new();
    serosa_sim::probe::Probe { name: "load".into(), measure }.read(&world, &mut load);
    close(load[0], 0.05 * 9.81, 0.01, "support");
}
