//! Solids against slow twins and theory.

use crate::make::{baked, noise3, run, scene, weightless};
use crate::specimens::{elastic, flesh, raised};
use serosa_bake::RawScene;
use serosa_bake::raw::{RawBody, RawDescent, RawModel, RawTie, RawWall, Selector, WallStiffness};
use serosa_geometry::{Mat3, Real, Vec3};
use serosa_sim::energy::{EnergyKind, momentum, world_energy};
use serosa_sim::model::{BodyKind, Law, NONE, SolidBody};
use serosa_sim::{Input, World, body, step};

const LAWS: [Law; 2] = [Law::NeoHookean, Law::Corotated];

/// A soft beam along x of 2 cm cells, held at its left end.
pub fn beam(law: Law, cells: [usize; 3], relaxation_s: Real) -> RawBody {
    let size = Vec3::from_array(cells.map(|n| 0.02 * n as Real));
    let mut body = flesh("beam", (Vec3::ZERO, size), cells, elastic(law, 2e4, 0.4, 1000.0, relaxation_s));
    body.attachments = vec![Selector::Name("left".into())];
    body
}

/// How a body descends, and with how many nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Vertex,
    Global,
    Quadratic,
}

const WAYS: [Way; 3] = [Way::Vertex, Way::Global, Way::Quadratic];

/// All laws and ways.
fn ways() -> impl Iterator<Item = (Law, Way)> {
    LAWS.into_iter().flat_map(|law| WAYS.map(|way| (law, way)))
}

fn by(way: Way, mut body: RawBody) -> RawBody {
    let RawModel::Solid(model) = &mut body.model else { panic!("a solid") };
    model.descent = if way == Way::Vertex { RawDescent::Vertex } else { RawDescent::Global };
    if way == Way::Quadratic { raised(body) } else { body }
}

fn world_of(mut raw: RawScene, dt_s: Real) -> World {
    raw.world.dt_s = dt_s;
    baked(&raw).world()
}

fn steps(world: &mut World, sweeps: u32, count: u32) {
    let input = Input { sweeps, ..Input::at_rest(world) };
    (0..count).for_each(|_| step(world, &input, &mut || 0));
}

fn solid(world: &World) -> &SolidBody {
    let BodyKind::Solid(solid) = &world.model.bodies[0].kind else { panic!("a solid") };
    solid
}

/// Deforms and shakes what is free, wildly.
fn wild(world: &mut World, by: Real, speed: Real, seed: &mut u64) {
    for v in (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] > 0.0) {
        world.state.pos[v] = world.model.rest[v] + noise3(seed) * by;
        world.state.vel[v] = noise3(seed) * speed;
    }
}

/// The incremental potential of a step from `before` without damping.
pub fn phi(before: &World, pos: &[Vec3]) -> Real {
    let (h, model) = (before.params.dt_s, &before.model);
    let target = |v: usize| before.state.pos[v] + (before.state.vel[v] + before.params.fall() * h) * h;
    let moved = (0..pos.len()).filter(|v| model.inv_mass[*v] > 0.0);
    let inertial: Real =
        moved.map(|v| 0.5 * model.mass[v] * (pos[v] - target(v)).length_squared() / (h * h)).sum();
    let mut there = before.clone();
    there.state.pos.copy_from_slice(pos);
    inertial + world_energy(&there, EnergyKind::Elastic)
}

#[test]
fn no_sweep_raises_the_potential_from_any_state() {
    for (law, descent) in ways() {
        let mut world = world_of(scene(vec![by(descent, beam(law, [4, 2, 2], 0.0))]), 5e-3);
        let mut seed = 4;
        for far in [0.0, 0.005, 0.05] {
            wild(&mut world, far, 2.0, &mut seed);
            let mut last = Real::INFINITY;
            for sweeps in 1..12 {
                let mut next = world.clone();
                steps(&mut next, sweeps, 1);
                let now = phi(&world, &next.state.pos);
                assert!(
                    now <= last * (1.0 + 1e-12),
                    "{law:?} {descent:?} {far}: sweep {sweeps}: {last} {now}"
                );
                last = now;
            }
        }
    }
}

/// E(x⁺) + ½|v⁺ − v − h g|² ≤ E(xⁿ) + ½|v + h g|², however wild the start and few the sweeps; with damping, free and held.
#[test]
fn a_step_never_rises_above_where_it_starts() {
    let mut seed = 14;
    for ((law, descent), tau, held) in
        ways().flat_map(|l| [0.0, 0.01].map(|t| (l, t))).flat_map(|(l, t)| [true, false].map(|h| (l, t, h)))
    {
        let mut body = by(descent, beam(law, [4, 2, 2], tau));
        if !held {
            body.attachments.clear();
        }
        let mut world = world_of(scene(vec![body]), 4e-3);
        for round in 0..100u32 {
            wild(&mut world, if round % 2 == 0 { 0.03 } else { 0.003 }, 1.5, &mut seed);
            let before = world.clone();
            steps(&mut world, 1 + round % 4, 1);
            let fall = world.params.fall() * world.params.dt_s;
            let kinetic = |change: &dyn Fn(usize) -> Vec3| -> Real {
                let free = (0..world.model.mass.len()).filter(|v| world.model.inv_mass[*v] > 0.0);
                free.map(|v| 0.5 * world.model.mass[v] * change(v).length_squared()).sum()
            };
            let (was, is) = (&before.state.vel, &world.state.vel);
            let start = world_energy(&before, EnergyKind::Elastic) + kinetic(&|v| was[v] + fall);
            let end = world_energy(&world, EnergyKind::Elastic) + kinetic(&|v| is[v] - was[v] - fall);
            assert!(end <= start * (1.0 + 1e-9), "{law:?} {descent:?} {tau} {held} {round}: {start} {end}");
        }
    }
}

/// The reduced kernel against the textbook one, with F and cofactors, vertex by vertex in the same order.
#[test]
fn the_reduced_kernel_is_the_full_one() {
    let mut world = world_of(scene(vec![beam(Law::NeoHookean, [6, 3, 3], 0.0)]), 5e-3);
    let mut seed = 41;
    wild(&mut world, 0.002, 0.1, &mut seed);
    let (before, sweeps) = (world.clone(), 20);
    steps(&mut world, sweeps, 1);
    let mut twin: Vec<Vec3> = (0..before.state.pos.len())
        .map(|v| {
            let free = f64::from(u8::from(before.model.inv_mass[v] > 0.0));
            let h = before.params.dt_s;
            before.state.pos[v] + (before.state.vel[v] + before.params.fall() * h) * (h * free)
        })
        .collect();
    let target = twin.clone();
    if phi(&before, &twin) > phi(&before, &before.state.pos) {
        twin.copy_from_slice(&before.state.pos);
    }
    for _ in 0..sweeps {
        for group in &solid(&before).layout.groups {
            for v in group.vertices.iter().filter(|v| **v != NONE) {
                full_kernel(&before, *v as usize, &target, &mut twin);
            }
        }
    }
    let worst = twin.iter().zip(&world.state.pos).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max);
    assert!(worst < 1e-13, "{worst:e}");
}

fn full_kernel(world: &World, v: usize, target: &[Vec3], pos: &mut [Vec3]) {
    let (h, region) = (world.params.dt_s, &solid(world).regions[0]);
    let mu = region.young / (2.0 * (1.0 + region.poisson));
    let lambda = region.young * region.poisson / ((1.0 + region.poisson) * (1.0 - 2.0 * region.poisson)) + mu;
    let inertia = world.model.mass[v] / (h * h);
    let mut force = (target[v] - pos[v]) * inertia;
    let mut matrix = Mat3::from_diagonal(Vec3::splat(inertia));
    for tet in &world.model.tets {
        let Some(corner) = tet.nodes.iter().position(|n| n.at() == v) else { continue };
        let [a, b, c, d] = tet.nodes.map(|n| pos[n.at()]);
        let f = Mat3::from_cols(b - a, c - a, d - a) * tet.inverse;
        let cofactor = f.inverse().transpose() * f.determinant();
        let g = tet.gradients()[corner];
        let n = cofactor * g;
        let more = lambda * (f.determinant() - 1.0 - mu / lambda);
        force -= (f * g * mu + n * more) * tet.volume;
        let square = Mat3::from_cols(n * n.x, n * n.y, n * n.z);
        matrix += (Mat3::from_diagonal(Vec3::splat(mu * g.length_squared())) + square * lambda) * tet.volume;
    }
    pos[v] += matrix.inverse() * force;
}

/// Many sweeps end where Newton's method on the whole potential ends.
#[test]
fn sweeps_converge_to_the_exact_minimum() {
    for (law, descent) in ways() {
        let long = if descent == Way::Quadratic { 2 } else { 3 };
        let mut world = world_of(scene(vec![by(descent, beam(law, [long, 1, 1], 0.0))]), 5e-3);
        let mut seed = 6;
        // Newton's method without a search finds no minimum from farther off where nodes are so near to each other.
        wild(&mut world, if descent == Way::Quadratic { 5e-4 } else { 0.002 }, 0.2, &mut seed);
        let before = world.clone();
        steps(&mut world, if descent == Way::Vertex { 3000 } else { 60 }, 1);
        let worst = apart(&newton(&before), &world.state.pos);
        assert!(worst < 1e-10, "{law:?} {descent:?}: {worst:e}");
    }
}

fn apart(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max)
}

/// The factor is of another substep or another stiffness; the minimum is the same as by vertices.
#[test]
fn a_factor_serves_other_steps_and_stiffnesses() {
    for (dt_s, stiffness) in [(5e-3, 2e4), (1e-3, 2e4), (1.0 / 30.0, 2e4), (5e-3, 2e3), (5e-3, 3e5)] {
        let ends = [Way::Vertex, Way::Global].map(|descent| {
            let mut world = world_of(scene(vec![by(descent, beam(Law::NeoHookean, [4, 2, 2], 0.0))]), 5e-3);
            wild(&mut world, 0.001, 0.1, &mut 6);
            (world.params.dt_s, world.params.bodies[0].stiffness) = (dt_s, stiffness);
            steps(&mut world, if descent == Way::Vertex { 6000 } else { 80 }, 1);
            world.state.pos
        });
        let worst = apart(&ends[0], &ends[1]);
        assert!(worst < 1e-9, "{dt_s} {stiffness}: {worst:e}");
    }
}

/// A factor made without damping ends where one made with it does.
#[test]
fn a_factor_serves_other_dampings() {
    for (law, way) in ways().filter(|w| w.1 != Way::Vertex) {
        let ends = [0.0, 4e-3].map(|tau| {
            let mut world = world_of(scene(vec![by(way, beam(law, [4, 2, 2], tau))]), 5e-3);
            wild(&mut world, 0.001, 0.1, &mut 6);
            world.params.bodies[0].relaxation = 4e-3;
            steps(&mut world, 60, 1);
            world.state.pos
        });
        let worst = apart(&ends[0], &ends[1]);
        assert!(worst < 1e-9, "{law:?} {way:?}: {worst:e}");
    }
}

/// However far a body has turned, a few steps leave as little.
#[test]
fn a_factor_turns_with_the_body() {
    [Way::Global, Way::Quadratic].into_iter().for_each(turns_with_the_body);
}

fn turns_with_the_body(way: Way) {
    let left = [Vec3::ZERO, Vec3::new(1.5, -2.0, 0.4)].map(|turn| {
        let turn = serosa_geometry::rotation::from_rotation_vector(turn);
        let mut body = by(way, beam(Law::NeoHookean, [8, 2, 2], 0.0));
        body.attachments.clear();
        let mut world = world_of(weightless(vec![body]), 5e-3);
        wild(&mut world, 1e-3, 0.05, &mut 9);
        world.state.pos.iter_mut().for_each(|x| *x = turn * *x);
        world.state.vel.iter_mut().for_each(|v| *v = turn * *v);
        let exact = {
            let mut world = world.clone();
            steps(&mut world, 60, 1);
            world.state.pos
        };
        let start = apart(&exact, &world.state.pos);
        steps(&mut world, 4, 1);
        apart(&exact, &world.state.pos) / start
    });
    assert!(left[0] < 1e-2 && (left[1] / left[0] - 1.0).abs() < 0.01, "{way:?}: {left:?}");
}

/// Newton's method with a dense matrix from differences of forces.
fn newton(before: &World) -> Vec<Vec3> {
    let (h, model) = (before.params.dt_s, &before.model);
    let free: Vec<usize> = (0..model.rest.len()).filter(|v| model.inv_mass[*v] > 0.0).collect();
    let slope = |pos: &[Vec3]| -> Vec<Real> {
        let mut force = vec![Vec3::ZERO; pos.len()];
        body::forces(model, &before.params, pos, &mut force);
        let one = |v: &usize| {
            let target = before.state.pos[*v] + (before.state.vel[*v] + before.params.fall() * h) * h;
            ((pos[*v] - target) * (model.mass[*v] / (h * h)) - force[*v]).to_array()
        };
        free.iter().flat_map(one).collect()
    };
    let mut pos = before.state.pos.clone();
    for _ in 0..30 {
        let g = slope(&pos);
        let columns: Vec<Vec<Real>> = (0..g.len())
            .map(|j| {
                let (mut hi, mut lo) = (pos.clone(), pos.clone());
                hi[free[j / 3]][j % 3] += 1e-7;
                lo[free[j / 3]][j % 3] -= 1e-7;
                slope(&hi).iter().zip(slope(&lo)).map(|(a, b)| (a - b) / 2e-7).collect()
            })
            .collect();
        let step = gauss(columns, g);
        for (j, s) in step.iter().enumerate() {
            pos[free[j / 3]][j % 3] -= s;
        }
    }
    pos
}

/// Solves by elimination with pivots; the matrix by columns.
fn gauss(mut columns: Vec<Vec<Real>>, mut right: Vec<Real>) -> Vec<Real> {
    let n = right.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| columns[k][*i].abs().total_cmp(&columns[k][*j].abs())).unwrap();
        columns.iter_mut().for_each(|c| c.swap(k, pivot));
        right.swap(k, pivot);
        for i in k + 1..n {
            let factor = columns[k][i] / columns[k][k];
            columns[k..].iter_mut().for_each(|c| c[i] -= factor * c[k]);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        right[k] /= columns[k][k];
        for i in 0..k {
            right[i] -= columns[k][i] * right[k];
        }
    }
    right
}

/// Two thousand cells and more, so that threads share the work.
#[test]
fn a_large_body_has_the_same_bits_on_any_number_of_threads() {
    use Way::{Global, Quadratic, Vertex};
    let all = [
        (Law::NeoHookean, 0.0, Vertex, 2),
        (Law::NeoHookean, 5e-3, Vertex, 2),
        (Law::Corotated, 5e-3, Vertex, 2),
        (Law::NeoHookean, 5e-3, Global, 2),
        (Law::Corotated, 5e-3, Quadratic, 1),
    ];
    for (law, tau, descent, fine) in all {
        let bake = baked(&scene(vec![by(descent, beam(law, [12, 6, 6].map(|n| fine * n), tau))]));
        assert!(bake.model.rest.len() > 3000 && bake.model.tets.len() > 2500);
        let mut hashes = Vec::new();
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut world = bake.world();
            pool.install(|| steps(&mut world, 6, 4));
            hashes.push(world.state.hash());
        }
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{law:?} {tau} {descent:?}: {hashes:x?}");
    }
}

/// Strain dies out by the factor 1/(1 + h/τ) a step where inertia is nothing: the viscous force is the elastic one of
/// the strain that the time τ brings.
#[test]
fn damping_has_the_time_that_it_says() {
    for (law, descent) in ways() {
        let tau = 0.2;
        let mut body = flesh(
            "bar",
            (Vec3::ZERO, Vec3::new(0.08, 0.02, 0.02)),
            [4, 1, 1],
            elastic(law, 1e4, 0.0, 1e-3, tau),
        );
        body.attachments = vec![Selector::Name("left".into())];
        let mut world = world_of(weightless(vec![by(descent, body)]), 2e-3);
        let strain = 1e-4;
        world.state.pos.iter_mut().for_each(|p| p.x *= 1.0 + strain);
        let end = |w: &World| w.state.pos.iter().map(|p| p.x).fold(0.0, Real::max) / 0.08 - 1.0;
        steps(&mut world, if descent == Way::Vertex { 400 } else { 4 }, 100);
        let wanted = strain * (1.0 + 2e-3 / tau as Real).powi(-100);
        assert!((end(&world) / wanted - 1.0).abs() < 0.02, "{law:?} {descent:?}: {} {wanted}", end(&world));
    }
}

/// Damping does not brake a body that turns as a whole, however strong it is.
#[test]
fn damping_lets_a_body_spin() {
    let body = flesh(
        "bar",
        (Vec3::ZERO, Vec3::new(0.08, 0.04, 0.04)),
        [4, 2, 2],
        elastic(Law::NeoHookean, 2e4, 0.4, 1000.0, 0.1),
    );
    for (descent, sweeps) in WAYS.into_iter().zip([20, 3, 3]) {
        let mut world = world_of(weightless(vec![by(descent, body.clone())]), 2e-3);
        let spin = Vec3::new(0.0, 0.0, 5.0);
        for v in 0..world.model.rest.len() {
            world.state.vel[v] = spin.cross(world.state.pos[v] - Vec3::new(0.04, 0.02, 0.02));
        }
        let before = momentum(&world).1;
        let energy = world_energy(&world, EnergyKind::Kinetic);
        steps(&mut world, sweeps, 500);
        assert!((momentum(&world).1 - before).length() < 1e-6 * before.length());
        let after = world_energy(&world, EnergyKind::Kinetic);
        assert!((after / energy - 1.0).abs() < 0.01, "{descent:?}: {energy} {after}");
    }
}

/// A body on walls sinks by its weight over their stiffness.
#[test]
fn walls_carry_the_weight() {
    let mut body = flesh(
        "slab",
        (Vec3::ZERO, Vec3::new(0.06, 0.06, 0.02)),
        [3, 3, 1],
        elastic(Law::NeoHookean, 2e5, 0.3, 1000.0, 0.02),
    );
    let RawModel::Solid(model) = &mut body.model else { panic!() };
    let total = 150.0;
    model.walls =
        vec![RawWall { which: Selector::Name("bottom".into()), stiffness: WallStiffness::Total(total) }];
    let bottom = body.geometry.mesh().unwrap().sets["bottom"].clone();
    let mut weight = 0.0;
    for (descent, sweeps) in WAYS.into_iter().zip([60, 4, 4]) {
        let body = by(descent, body.clone());
        let bottom = body.geometry.mesh().unwrap().sets["bottom"].clone();
        let mut world = world_of(scene(vec![body]), 5e-3);
        world.params.bodies[0].drag = 20.0;
        steps(&mut world, sweeps, 400);
        weight = world.model.mass.iter().sum::<Real>() * 9.81;
        let sunk =
            -bottom.iter().map(|v| world.state.pos[*v as usize].z).sum::<Real>() / bottom.len() as Real;
        assert!((sunk / (weight / total) - 1.0).abs() < 1e-3, "{descent:?}: {sunk} {}", weight / total);
    }
    let RawModel::Solid(model) = &mut body.model else { panic!() };
    model.walls[0].stiffness = WallStiffness::ByArea(total / 0.0036);
    let mut by_area = world_of(scene(vec![body]), 5e-3);
    by_area.params.bodies[0].drag = 20.0;
    steps(&mut by_area, 60, 400);
    let sunk = -bottom.iter().map(|v| by_area.state.pos[*v as usize].z).sum::<Real>() / bottom.len() as Real;
    assert!((sunk / (weight / total) - 1.0).abs() < 0.02, "{sunk}");
}

/// A block hangs on another by ties, to corners and to places within tetrahedra.
#[test]
fn ties_carry_the_weight_of_the_other() {
    let material = || elastic(Law::NeoHookean, 5e4, 0.3, 1000.0, 0.02);
    let mut above =
        flesh("above", (Vec3::new(0.0, 0.0, 0.02), Vec3::new(0.04, 0.04, 0.02)), [2, 2, 1], material());
    above.attachments = vec![Selector::Name("top".into())];
    // Its upper corners are no corners of the other, and some lie within it.
    let mut below =
        flesh("below", (Vec3::new(0.005, 0.003, 0.001), Vec3::new(0.03, 0.03, 0.02)), [2, 2, 1], material());
    let RawModel::Solid(model) = &mut below.model else { panic!() };
    model.ties = vec![RawTie {
        which: Selector::Name("top".into()),
        to: "above".into(),
        reach: 0.02,
        stiffness: 100.0,
    }];
    for (descent, sweeps) in WAYS.into_iter().zip([60, 6, 6]) {
        let bodies = [&above, &below].map(|body| by(descent, body.clone()));
        let mut world = world_of(scene(bodies.to_vec()), 5e-3);
        assert!(world.model.ties.iter().any(|t| t.ends[1].weights[0] < 1.0), "within a tetrahedron");
        world.params.bodies.iter_mut().for_each(|b| b.drag = 10.0);
        steps(&mut world, sweeps, 400);
        let mut pull = Vec3::ZERO;
        for tie in &world.model.ties {
            let apart = tie.ends[0].place(&world.state.pos) - tie.ends[1].place(&world.state.pos) - tie.apart;
            pull -= apart * tie.stiffness;
        }
        let below = world.model.bodies[1].vertex_range();
        let weight = world.model.mass[below].iter().sum::<Real>() * 9.81;
        assert!((pull - Vec3::Z * weight).length() < 2e-3 * weight, "{descent:?}: {pull} {weight}");
    }
}

/// Jaws take hold of the end of a beam and lift it: vertices stay in the jaws, the tool feels the pull, and jaws too weak
/// let go.
#[test]
fn jaws_drag_a_solid() {
    for (strength, descent) in [20.0, 0.05].into_iter().flat_map(|s| WAYS.map(|d| (s, d))) {
        let mut raw = weightless(vec![by(descent, beam(Law::NeoHookean, [6, 2, 2], 5e-3))]);
        raw.tools = vec![crate::make::tool("jaws", Vec3::new(0.12, 0.02, 0.06), Vec3::NEG_Z)];
        raw.tools[0].strength = strength;
        raw.tools[0].reach = 0.03;
        let mut world = world_of(raw, 4e-3);
        let mut input = Input::at_rest(&world);
        input.sweeps = if descent == Way::Vertex { 40 } else { 6 };
        crate::make::lead(&mut input, Vec3::new(0.12, 0.02, 0.06), true);
        (0..50).for_each(|_| step(&mut world, &input, &mut || 0));
        assert!(!world.state.grips.is_empty());
        let high = if strength < 1.0 { 0.13 } else { 0.09 };
        crate::make::lead(&mut input, Vec3::new(0.11, 0.02, high), true);
        let mut slipped = 0;
        for _ in 0..500 {
            step(&mut world, &input, &mut || 0);
            slipped += world.report.slipped_out;
        }
        if strength < 1.0 {
            assert!(slipped > 0 && world.state.grips.is_empty(), "{descent:?}: {slipped}");
            continue;
        }
        let tool = &world.model.tools[0];
        for grip in &world.state.grips {
            let held = world.state.pose[tool.rigid.at()].point(grip.at);
            assert!((world.state.pos[grip.vertex.at()] - held).length() < 5e-4);
        }
        let lifted = world
            .state
            .grips
            .iter()
            .map(|g| world.state.pos[g.vertex.at()].z - world.model.rest[g.vertex.at()].z);
        assert!(lifted.fold(Real::INFINITY, Real::min) > 0.01);
        // At rest what the jaws pull with is what bends the beam, and what the hand feels.
        let pull: Vec3 = world.state.grips.iter().map(|g| g.pull).sum();
        let mut forces = vec![Vec3::ZERO; world.model.rest.len()];
        body::forces(&world.model, &world.params, &world.state.pos, &mut forces);
        let bent: Vec3 = world.state.grips.iter().map(|g| forces[g.vertex.at()]).sum();
        assert!((pull + bent).length() < 0.02 * pull.length() && pull.z > 0.0, "{pull} {bent}");
        assert!(
            (world.scratch.hand_force[0] - pull).length() < 0.05 * pull.length(),
            "{pull} {}",
            world.scratch.hand_force[0]
        );
    }
}

/// Strain is none for rigid motion and known for a stretch without change of the others.
#[test]
fn strain_for_colours() {
    [Way::Vertex, Way::Quadratic].into_iter().for_each(has_its_strain);
}

fn has_its_strain(way: Way) {
    let mut world = world_of(weightless(vec![by(way, beam(Law::NeoHookean, [3, 2, 2], 0.0))]), 1e-3);
    let turn = serosa_geometry::rotation::from_rotation_vector(Vec3::new(0.3, 1.0, -0.5));
    let mut strains = Vec::new();
    let moved: Vec<Vec3> = world.model.rest.iter().map(|p| turn * *p + Vec3::ONE).collect();
    body::solid::strain(&world.model, 0, &moved, &mut strains);
    assert!(strains.iter().all(|s| *s < 1e-12));
    let stretched: Vec<Vec3> =
        world.model.rest.iter().map(|p| turn * (*p * Vec3::new(1.1, 1.0, 1.0))).collect();
    body::solid::strain(&world.model, 0, &stretched, &mut strains);
    let green = 0.5 * (1.1 * 1.1 - 1.0);
    assert!(strains.iter().all(|s| (*s - 2.0 / 3.0 * green).abs() < 1e-12));
    run(&mut world, 1);
}
