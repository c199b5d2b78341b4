//! Flexible bodies: theory, an independent assembly, superposition, rigid motions, reactions, and what is refused.

use serosa_bake::flexible::gradients::descend;
use serosa_bake::flexible::{Chosen, System, choose};
use serosa_bake::raw::{
    ControlMove, Place, RawBody, RawCompliance, RawControl, RawFlexible, RawGeometry, RawMethod, RawModel,
    RawScene, RawTets, Selector,
};
use serosa_bake::{Fault, bake};
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::rotation::from_rotation_vector;
use serosa_geometry::{Aabb, Mat3, Quat, Vec3};
use serosa_sim::body::flexible::{
    FlexibleWork, Gauge, Lame, Quantity, angle_of, energies, largest_strain, shape,
};
use serosa_sim::model::{BodyKind, FlexibleBody, Law, Limits, MODES, MeanRotation, Pose, Region};
use serosa_sim::report::Nonlinear;
use serosa_sim::state::Affine;
use serosa_sim::{Control, Input, World, step};

const YOUNG: f64 = 1e5;

fn block_of(size: Vec3, cells: [usize; 3]) -> RawTets {
    let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size, cells });
    RawTets { mesh, tets, ..RawTets::default() }
}

fn control(name: &str, set: &str) -> RawControl {
    RawControl {
        name: name.into(),
        which: Selector::Name(set.into()),
        speed_max: 1e3,
        by_force: false,
        moves: Vec::new(),
    }
}

pub fn flexible(controls: Vec<RawControl>) -> RawFlexible {
    RawFlexible {
        method: RawMethod::Finite,
        base: Region { name: "it".into(), law: Law::Corotated, young: YOUNG, poisson: 0.3, density: 1000.0 },
        regions: Vec::new(),
        controls,
        rotation: MeanRotation::Polar,
        limits: Limits { strain: 10.0, stretch: 10.0, angle: 1.5 },
        compliance: RawCompliance::None,
        thickness: None,
    }
}

pub fn scene(tets: RawTets, model: RawFlexible) -> RawScene {
    let body = RawBody::new("it", RawGeometry::Tets(tets), RawModel::Flexible(Box::new(model)));
    RawScene { bodies: vec![body], ..RawScene::default() }
}

pub fn bar() -> RawTets {
    block_of(Vec3::new(0.4, 0.1, 0.1), [8, 2, 2])
}

pub fn both_ends() -> RawFlexible {
    flexible(vec![control("left", "left"), control("right", "right")])
}

fn world(tets: RawTets, model: RawFlexible) -> World {
    bake(&scene(tets, model)).unwrap().world()
}

fn body(world: &World) -> &FlexibleBody {
    match &world.model.bodies[0].kind {
        BodyKind::Flexible(body) => body,
        _ => panic!("no flexible body"),
    }
}

fn materials(tets: &RawTets, poisson: f64) -> Vec<(Lame, f64)> {
    vec![(Lame::of(YOUNG, poisson), 1000.0); tets.tets.len()]
}

/// Held at its left end, nothing else.
fn held(tets: &RawTets) -> Chosen {
    Chosen::of(tets.mesh.points.len(), Vec::new(), tets.mesh.sets["left"].clone())
}

/// Forces of an assembly of its own leave nothing of the load to 1e-8.
fn balanced(tets: &RawTets, system: &System, chosen: &Chosen, u: &[f64]) {
    let forces = elastic_forces(tets, Lame::of(YOUNG, 0.3), u);
    let largest = forces.iter().fold(0.0f64, |m, f| m.max(f.abs()));
    for (i, (f, load)) in forces.iter().zip(system.load(2)).enumerate() {
        assert!(
            !chosen.free((i / 3) as u32) || (f - load).abs() < 1e-8 * largest,
            "{i}: {f} {load} of {largest}"
        );
    }
}

/// Tip of a cantilever under unit gravity across it.
fn tip(tets: &RawTets) -> f64 {
    let chosen = held(tets);
    let materials = materials(tets, 0.3);
    let system = System::of(tets, &materials, &chosen);
    let solved = system.solve(&mut |_, _| {}).unwrap();
    if tets.middles.is_empty() {
        let u: Vec<f64> = solved.modes.iter().skip(2).step_by(3).copied().collect();
        balanced(tets, &system, &chosen, &u);
    }
    let right = &tets.mesh.sets["right"];
    let sunk = |v: &u32| solved.modes[(3 * *v as usize + 2) * 3 + 2];
    right.iter().map(sunk).sum::<f64>() / right.len() as f64
}

/// Euler, Bernoulli and Timoshenko: w L⁴/(8 E I) + w L²/(2 κ G A), with Cowper's κ of a rectangle.
fn theory(length: f64, side: f64) -> f64 {
    let (load, poisson) = (1000.0 * side * side, 0.3);
    let shear = YOUNG / (2.0 * (1.0 + poisson));
    let kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let second = side.powi(4) / 12.0;
    load * length.powi(4) / (8.0 * YOUNG * second)
        + load * length * length / (2.0 * kappa * shear * side * side)
}

/// Linear tetrahedra are too stiff, less so the finer they are, and lead to the theory; quadratic ones are there at once.
#[test]
fn cantilevers_converge_to_timoshenko() {
    let (length, side) = (0.8, 0.1);
    let beam = |across: usize| block_of(Vec3::new(length, side, side), [8 * across, across, across]);
    let [coarse, middle, fine] = [4, 8, 16].map(|across| tip(&beam(across)));
    let order = ((middle - coarse) / (fine - middle)).log2();
    let limit = fine + (fine - middle) / (2f64.powf(order) - 1.0);
    let wanted = theory(length, side);
    println!(
        "{} {} {} order {order} limit {}",
        coarse / wanted,
        middle / wanted,
        fine / wanted,
        limit / wanted
    );
    assert!(order >= 1.7, "order {order}");
    assert!((limit / wanted - 1.0).abs() < 0.03, "limit {}", limit / wanted);
    let quadratic = tip(&beam(4).raised());
    println!("quadratic {}", quadratic / wanted);
    assert!((quadratic / wanted - 1.0).abs() < 0.03, "quadratic {}", quadratic / wanted);
}

/// K u, element by element from strains and stresses, with nothing of the assembly.
fn elastic_forces(tets: &RawTets, lame: Lame, u: &[f64]) -> Vec<f64> {
    let mut forces = vec![0.0; u.len()];
    for nodes in &tets.tets {
        let [a, b, c, d] = nodes.map(|v| tets.mesh.points[v as usize]);
        let edges = Mat3::from_cols(b - a, c - a, d - a);
        let [ua, ub, uc, ud] = nodes.map(|v| Vec3::from_slice(&u[3 * v as usize..]));
        let slope = Mat3::from_cols(ub - ua, uc - ua, ud - ua) * edges.inverse();
        let strain = (slope + slope.transpose()) * 0.5;
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let stress = strain * (2.0 * lame.mu) + Mat3::from_diagonal(Vec3::splat(lame.lambda * trace));
        // Force on a corner: stress times a third of the area normals of the faces at it.
        let pull = stress * edges.inverse().transpose() * (edges.determinant() / 6.0);
        let corners = [-(pull.x_axis + pull.y_axis + pull.z_axis), pull.x_axis, pull.y_axis, pull.z_axis];
        for (v, f) in nodes.iter().zip(corners) {
            forces[3 * *v as usize..3 * *v as usize + 3]
                .iter_mut()
                .zip(f.to_array())
                .for_each(|(s, f)| *s += f);
        }
    }
    forces
}

/// Every mode is in balance by an assembly of its own, reactions are what that leaves on control elements, energies the
/// work done, and conjugate gradients come to the same.
#[test]
fn modes_balance_by_an_independent_assembly() {
    let tets = bar();
    let chosen = choose(&tets, &both_ends(), &[], Place::Body(0)).unwrap();
    let materials = materials(&tets, 0.3);
    let system = System::of(&tets, &materials, &chosen);
    let solved = system.solve(&mut |_, _| {}).unwrap();
    let columns = solved.columns();
    assert_eq!(columns, 27);
    let column = |k: usize| -> Vec<f64> { solved.modes.iter().skip(k).step_by(columns).copied().collect() };
    for k in 0..columns {
        let u = column(k);
        let mut forces = elastic_forces(&tets, Lame::of(YOUNG, 0.3), &u);
        let largest = forces.iter().fold(1e-12f64, |m, f| m.max(f.abs()));
        let work: f64 = forces.iter().zip(&u).map(|(f, u)| f * u).sum();
        assert!((solved.energy[k * columns + k] - work).abs() < 1e-8 * work.abs().max(1e-12));
        forces.iter_mut().zip(system.load(k)).for_each(|(f, load)| *f -= load);
        for (i, f) in forces.iter().enumerate().filter(|(i, _)| chosen.free((i / 3) as u32)) {
            assert!(f.abs() < 1e-8 * largest, "mode {k}, {i}: {f} of {largest}");
        }
        for (e, own) in chosen.elements.iter().enumerate() {
            let at = |v: &u32| Vec3::from_slice(&forces[3 * *v as usize..]);
            let arm = |v: &u32| tets.mesh.points[*v as usize] - own.origin;
            let force: Vec3 = own.nodes.iter().map(at).sum();
            let torque: Vec3 = own.nodes.iter().map(|v| arm(v).cross(at(v))).sum();
            let both = force.to_array().into_iter().chain(torque.to_array());
            for (row, wanted) in both.enumerate() {
                let found = solved.reaction[(6 * e + row) * columns + k];
                assert!((found - wanted).abs() < 1e-8 * largest, "mode {k}: {found} {wanted}");
            }
        }
        // A flat set has nothing to scale across itself.
        let slow = descend(&system, k, 1e-12, 10_000);
        let far = u.iter().fold(1e-12f64, |m, x| m.max(x.abs()));
        let off = u.iter().zip(&slow.mode).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-8 * far && (slow.steps > 0 || far <= 1e-12), "mode {k}: {off} of {far}");
    }
}

fn place(world: &World, at: &[Affine], gravity: Vec3) -> Vec<Vec3> {
    let (body, mut work) = (body(world), FlexibleWork::default());
    work.place(body, at.iter().copied(), gravity);
    let mut pos = world.model.rest.clone();
    shape(body, &work, &world.model.rest, &mut pos);
    pos
}

fn at(world: &World, moves: [(Vec3, Vec3, Vec3); 2]) -> Vec<Affine> {
    let elements = body(world).elements.iter().zip(moves);
    elements
        .map(|(e, (shift, turn, scale))| Affine {
            pose: Pose { pos: e.origin + shift, rot: from_rotation_vector(turn) },
            scale,
        })
        .collect()
}

/// Shifts, scalings and gravity add up as they do in linear elasticity.
#[test]
fn motions_are_superposed() {
    let world = world(bar(), both_ends());
    let still = (Vec3::ZERO, Vec3::ZERO, Vec3::ONE);
    let moved = |k: usize| {
        let first = (Vec3::new(0.01, -0.02, 0.005), Vec3::ZERO, Vec3::ONE);
        let second = (Vec3::new(-0.004, 0.01, 0.0), Vec3::ZERO, Vec3::new(1.0, 1.2, 0.9));
        let pick = |bit: usize, it| if k & bit != 0 { it } else { still };
        let gravity = if k & 4 != 0 { Vec3::new(0.0, 1.0, -3.0) } else { Vec3::ZERO };
        place(&world, &at(&world, [pick(1, first), pick(2, second)]), gravity)
    };
    let (rest, all) = (&world.model.rest, moved(7));
    let [a, b, c] = [1, 2, 4].map(moved);
    for v in 0..rest.len() {
        let sum = (a[v] - rest[v]) + (b[v] - rest[v]) + (c[v] - rest[v]);
        let wanted = all[v] - rest[v];
        assert!((sum - wanted).length() < 1e-6 * wanted.length().max(0.01), "{sum} {wanted}");
    }
}

/// A rigid motion of all control elements moves the body rigidly: no strain, no reaction, its place exact.
#[test]
fn rigid_motions_strain_nothing() {
    for rotation in [MeanRotation::Polar, MeanRotation::GramSchmidt] {
        let world = world(bar(), RawFlexible { rotation, ..both_ends() });
        let (turn, shift, center) =
            (Vec3::new(0.4, -0.9, 1.3), Vec3::new(0.3, -0.2, 0.5), Vec3::new(0.2, 0.0, 0.1));
        let moved = |x: Vec3| center + shift + from_rotation_vector(turn) * (x - center);
        let elements = body(&world).elements.iter();
        let at: Vec<Affine> = elements
            .map(|e| Affine {
                pose: Pose { pos: moved(e.origin), rot: from_rotation_vector(turn) },
                scale: Vec3::ONE,
            })
            .collect();
        let pos = place(&world, &at, Vec3::ZERO);
        for (x, rest) in pos.iter().zip(&world.model.rest) {
            assert!((*x - moved(*rest)).length() < 1e-5 * 0.4, "{x} {}", moved(*rest));
        }
        assert!(largest_strain(&body(&world).triangles, &world.model.rest, &pos) < 1e-5);
        let mut work = FlexibleWork::default();
        work.place(body(&world), at.iter().copied(), Vec3::ZERO);
        for [force, torque] in &work.reactions {
            assert!(force.length() < 1e-6 * YOUNG * 0.01 && torque.length() < 1e-6 * YOUNG * 0.001);
        }
    }
}

/// Gravity is turned into the frame of the body: a tube held upside down hangs as one that was never turned.
#[test]
fn gravity_stays_where_it_is() {
    let world = world(bar(), both_ends());
    let turn = from_rotation_vector(Vec3::new(std::f64::consts::PI, 0.0, 0.0));
    let at = |rot: Quat| -> Vec<Affine> {
        let elements = body(&world).elements.iter();
        elements.map(|e| Affine { pose: Pose { pos: rot * e.origin, rot }, scale: Vec3::ONE }).collect()
    };
    let g = Vec3::new(0.0, 0.0, -9.81);
    let upright = place(&world, &at(Quat::IDENTITY), g);
    let over = place(&world, &at(turn), g);
    let lowest = |pos: &[Vec3], rest: &dyn Fn(usize) -> Vec3| {
        (0..pos.len()).map(|v| (pos[v] - rest(v)).z).fold(0.0, f64::min)
    };
    let a = lowest(&upright, &|v| world.model.rest[v]);
    let b = lowest(&over, &|v| turn * world.model.rest[v]);
    assert!(a < -1e-4 && (a / b - 1.0).abs() < 0.02, "{a} {b}");
}

fn lead(world: &mut World, controls: Vec<Control>, steps: usize) {
    let input = Input { controls, ..Input::default() };
    (0..steps).for_each(|_| step(world, &input, &mut || 0));
}

/// Beyond a limit control elements stay where they were last allowed, and the report says which and why.
#[test]
fn limits_stop_control_elements_and_say_so() {
    // No number of steps comes to that angle but for rounding.
    let limits = Limits { strain: 0.2, stretch: 0.05, angle: 0.4767 };
    let far = [
        (Vec3::new(0.2, 0.0, 0.0), Quat::IDENTITY, Vec3::ONE, Nonlinear::Stretch),
        (Vec3::ZERO, from_rotation_vector(Vec3::new(2.0, 0.0, 0.0)), Vec3::ONE, Nonlinear::Angle),
        (Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 1.4, 1.0), Nonlinear::Strain),
        (Vec3::ZERO, Quat::IDENTITY, Vec3::new(1.0, 0.6, 1.0), Nonlinear::Strain),
    ];
    for (shift, rot, scale, why) in far {
        let mut world = world(bar(), RawFlexible { limits, ..both_ends() });
        world.params.gravity = 0.0;
        let [a, b] = [0, 1].map(|i| body(&world).elements[i].origin);
        let still = Control::new(a, Quat::IDENTITY, Vec3::ONE).unwrap();
        let goal = Control::new(b + shift, rot, scale).unwrap();
        lead(&mut world, vec![still, goal], 400);
        assert_eq!(world.report.refusals.len(), 1, "{why:?}");
        let refusal = world.report.refusals[0];
        assert_eq!((refusal.why, refusal.value > refusal.limit), (why, true));
        // The one that is led, though both are as far from their mean.
        assert_eq!(refusal.element, (why != Nonlinear::Strain).then_some(1), "{refusal:?}");
        assert!(
            largest_strain(&body(&world).triangles, &world.model.rest, &world.state.pos) <= limits.strain
        );
        // It goes on where it is allowed to.
        lead(&mut world, vec![still, Control::new(b, Quat::IDENTITY, Vec3::ONE).unwrap()], 400);
        assert!(world.report.refusals.is_empty());
        let off = world.state.pos.iter().zip(&world.model.rest).map(|(a, b)| (*a - *b).length());
        assert!(off.fold(0.0, f64::max) < 1e-6);
    }
}

/// Of two elements that are drawn or turned apart, both are as far from their mean: the one that is led is stopped, from
/// the first step on, and where the limit is just what some steps come to.
#[test]
fn the_element_that_is_led_is_the_one_that_is_stopped() {
    let lead = |led: usize, limits: Limits, turn: Vec3, shift: Vec3| {
        let mut world = world(bar(), RawFlexible { limits, ..both_ends() });
        world.params.gravity = 0.0;
        let at = |i: usize| body(&world).elements[i].origin;
        let still = [0, 1].map(|i| Control::new(at(i), Quat::IDENTITY, Vec3::ONE).unwrap());
        let mut controls = still.to_vec();
        controls[led] = Control::new(at(led) + shift, from_rotation_vector(turn), Vec3::ONE).unwrap();
        let input = Input { controls, ..Input::default() };
        for n in 1.. {
            step(&mut world, &input, &mut || 0);
            if let Some(refusal) = world.report.refusals.first() {
                return (n, *refusal);
            }
        }
        unreachable!("{limits:?}");
    };
    let (strain, turn, shift) = (f64::INFINITY, Vec3::X, Vec3::X * 0.2);
    let none = Limits { strain, stretch: f64::INFINITY, angle: f64::INFINITY };
    for led in [0, 1] {
        let first = [
            (Limits { angle: 1e-4, ..none }, turn, Vec3::ZERO, Nonlinear::Angle),
            (Limits { stretch: 1e-5, ..none }, Vec3::ZERO, shift, Nonlinear::Stretch),
        ];
        for (limits, turn, shift, why) in first {
            let (steps, refusal) = lead(led, limits, turn, shift);
            assert_eq!((steps, refusal.element, refusal.why), (1, Some(led as u32), why));
        }
        // What each of the first steps comes to is the limit, a bit more or a bit less.
        let one = lead(led, Limits { angle: 1e-4, ..none }, turn, Vec3::ZERO).1.value;
        for steps in 1..9 {
            for rounding in [-1e-15, 0.0, 1e-15] {
                let angle = one * f64::from(steps) + rounding;
                let (_, refusal) = lead(led, Limits { angle, ..none }, turn, Vec3::ZERO);
                assert_eq!(refusal.element, Some(led as u32), "{steps} steps, {rounding}: {refusal:?}");
            }
        }
    }
}

/// An element led by forces comes to where its reactions are those forces.
#[test]
fn forces_are_balanced_by_reactions() {
    let mut raw = both_ends();
    raw.controls[1].by_force = true;
    let mut world = world(bar(), raw);
    let origins = [0, 1].map(|i| body(&world).elements[i].origin);
    world.params.gravity = 0.0;
    let (force, torque) = (Vec3::new(0.4, 0.05, -0.1), Vec3::new(0.002, -0.003, 0.004));
    let [a, b] = origins.map(|o| Control::new(o, Quat::IDENTITY, Vec3::ONE).unwrap());
    lead(&mut world, vec![a, b.loaded(force, torque)], 300);
    let [pull, turn] = world.scratch.flexibles[0].reactions[1];
    assert!((pull - force).length() < 1e-6 && (turn - torque).length() < 1e-8, "{pull} {turn}");
    let stretched = world.state.controls[1].at.pose.pos - origins[1];
    // A rod of section A under a force F is longer by F L / (E A).
    assert!((stretched.x / (0.4 * 0.4 / (YOUNG * 0.01)) - 1.0).abs() < 0.1, "{stretched}");
}

#[test]
fn control_elements_beyond_the_reach_of_hands_are_refused() {
    let mut far = both_ends();
    let shift = Vec3::X * 40.0;
    far.controls[1].moves = vec![ControlMove { shift, ..still() }];
    let told = refused(bar(), far);
    assert!(told[0].message.contains("\"right\" begins or is led farther than 33 m"), "{told:?}");
}

fn still() -> ControlMove {
    let zero = Vec3::ZERO;
    ControlMove { time_s: 0.0, shift: zero, turn: zero, scale: Vec3::ONE, force: zero, torque: zero }
}

fn refused(tets: RawTets, model: RawFlexible) -> Vec<Fault> {
    bake(&scene(tets, model)).expect_err("it was baked")
}

#[test]
fn bad_bodies_are_refused_by_name() {
    let says = |faults: Vec<Fault>, what: &str| {
        assert!(faults.iter().any(|f| f.message.contains(what) && !f.help.is_empty()), "{faults:?}");
    };
    says(refused(bar(), flexible(Vec::new())), "nothing moves or holds");
    says(refused(bar(), flexible(vec![control("a", "left"), control("b", "bottom")])), "both hold");
    says(refused(bar(), flexible(vec![control("a", "left"), control("a", "right")])), "are called \"a\"");
    says(refused(bar(), flexible(vec![control("a", "nowhere")])), "holds no node");
    for poisson in [0.5, -0.1, f64::NAN] {
        let mut raw = both_ends();
        raw.base.poisson = poisson;
        says(refused(bar(), raw), "Poisson's ratio");
    }
    let alone = RawControl { by_force: true, ..control("a", "left") };
    says(refused(bar(), flexible(vec![alone])), "nothing else holds");
    let mut two = bar();
    let (other, first) = (bar(), two.mesh.points.len() as u32);
    two.mesh.points.extend(other.mesh.points.iter().map(|p| *p + Vec3::new(0.0, 1.0, 0.0)));
    two.mesh.triangles.extend(other.mesh.triangles.iter().map(|t| t.map(|v| v + first)));
    two.tets.extend(other.tets.iter().map(|t| t.map(|v| v + first)));
    says(refused(two.clone(), both_ends()), "pieces of this body hang on nothing");
    // Pieces that are all held are no mistake, and told.
    for (name, nodes) in &other.mesh.sets {
        let all = two.mesh.sets.entry(name.clone()).or_default();
        all.extend(nodes.iter().map(|v| v + first));
    }
    let baked = bake(&scene(two, both_ends())).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert!(baked.notes.iter().any(|n| n.contains("of 2 pieces")), "{:?}", baked.notes);
}

/// The lattice of modes gives back what was laid out.
#[test]
fn modes_are_read_as_they_were_laid_out() {
    let world = world(bar(), both_ends());
    let body = body(&world);
    for (k, element) in body.elements.iter().enumerate() {
        let shifts: Vec<[f32; 3]> = body.mode(MODES * k).collect();
        assert!(element.vertices.iter().all(|v| shifts[*v as usize] == [1.0, 0.0, 0.0]));
    }
}

/// The bar drawn out and sagging, all of it turned, gravity too.
fn drawn(world: &World, turn: Quat, shift: Vec3) -> (FlexibleWork, Vec<Affine>, Vec3) {
    let still = (Vec3::ZERO, Vec3::ZERO, Vec3::ONE);
    let mut all = at(world, [still, (Vec3::new(0.01, -0.02, 0.005), Vec3::ZERO, Vec3::ONE)]);
    all.iter_mut().for_each(|a| a.pose = Pose { pos: turn * a.pose.pos, rot: turn * a.pose.rot });
    all[1].pose.pos += shift;
    let (gravity, mut work) = (turn * Vec3::new(1.0, 2.0, -9.0), FlexibleWork::default());
    work.place(body(world), all.iter().copied(), gravity);
    (work, all, gravity)
}

/// Whatever the world is turned by: the shape turns with it, and what a hand feels is the slope of the energies.
#[test]
fn shapes_turn_with_the_world_and_reactions_are_slopes_of_energies() {
    let world = world(bar(), both_ends());
    let (_, plain, g) = drawn(&world, Quat::IDENTITY, Vec3::ZERO);
    let plain = place(&world, &plain, g);
    for turn in [Vec3::ZERO, Vec3::new(0.5, -0.8, 0.3)].map(from_rotation_vector) {
        let (work, all, g) = drawn(&world, turn, Vec3::ZERO);
        for (x, y) in place(&world, &all, g).iter().zip(&plain) {
            assert!((*x - turn * *y).length() < 1e-7, "{x} {}", turn * *y);
        }
        let total = |shift: Vec3| {
            let (work, _, g) = drawn(&world, turn, shift);
            energies(body(&world), &work, g).iter().sum::<f64>()
        };
        let slope = Vec3::from_array(Vec3::AXES.map(|a| (total(a * 1e-3) - total(a * -1e-3)) / 2e-3));
        let force = work.reactions[1][0];
        assert!((slope - force).length() < 1e-6 * force.length(), "{slope} {force}");
        // Clapeyron: half of what the weight gives as it sags is in the body.
        let at: Vec<Affine> = (body(&world).elements.iter())
            .map(|e| Affine { pose: Pose { pos: turn * e.origin, rot: turn }, scale: Vec3::ONE })
            .collect();
        let (mut work, weight) = (FlexibleWork::default(), &body(&world).weight);
        work.place(body(&world), at.iter().copied(), g);
        let [elastic, height] = energies(body(&world), &work, g);
        let sunk = height + weight.mass * g.dot(turn * weight.center);
        assert!(elastic > 1e-6 && (elastic / (-0.5 * sunk) - 1.0).abs() < 1e-6, "{elastic} {sunk}");
    }
}

#[test]
fn the_mean_rotation_is_the_one_that_was_asked_for() {
    let turn = Vec3::new(1.0, -0.4, 0.3);
    let [polar, published] = [MeanRotation::Polar, MeanRotation::GramSchmidt].map(|rotation| {
        let world = world(bar(), RawFlexible { rotation, ..both_ends() });
        let at = at(&world, [(Vec3::ZERO, Vec3::ZERO, Vec3::ONE), (Vec3::ZERO, turn, Vec3::ONE)]);
        let mut work = FlexibleWork::default();
        work.place(body(&world), at.iter().copied(), Vec3::ZERO);
        work.frame.rot
    });
    assert!(angle_of(polar.transpose() * Mat3::from_quat(from_rotation_vector(turn * 0.5))) < 1e-6);
    assert!(angle_of(polar.transpose() * published) > 0.01);
}

/// Held at its left end, led at its right one.
pub fn half_held(by_force: bool) -> RawScene {
    let mut raw = scene(bar(), flexible(vec![RawControl { by_force, ..control("right", "right") }]));
    raw.bodies[0].attachments = vec![Selector::Name("left".into())];
    raw
}

#[test]
fn what_is_fixed_in_the_world_stays_there() {
    let world = bake(&half_held(false)).unwrap().world();
    let right = body(&world).elements[0].origin;
    let rot = from_rotation_vector(Vec3::new(0.3, 0.0, 0.1));
    let pose = Pose { pos: right + Vec3::new(0.01, 0.02, 0.0), rot };
    let pos = place(&world, &[Affine { pose, scale: Vec3::ONE }], Vec3::ZERO);
    for (x, rest) in pos.iter().zip(&world.model.rest).filter(|(_, rest)| rest.x == 0.0) {
        assert!((*x - *rest).length() < 1e-12, "{x} {rest}");
    }
    // Forces may lead the only element of a body that is held.
    assert!(bake(&half_held(true)).is_ok());
}

#[test]
fn control_elements_go_no_faster_than_they_may() {
    let mut raw = both_ends();
    raw.controls[1].speed_max = 0.1;
    let mut world = world(bar(), raw);
    world.params.gravity = 0.0;
    let [a, b] = [0, 1].map(|i| body(&world).elements[i].origin);
    let [still, goal] = [a, b + Vec3::X * 0.05].map(|x| Control::new(x, Quat::IDENTITY, Vec3::ONE).unwrap());
    lead(&mut world, vec![still, goal], 1);
    let gone = world.state.controls[1].at.pose.pos.x - b.x;
    assert!((gone / (0.1 * world.params.dt_s) - 1.0).abs() < 1e-9, "{gone}");
}

#[test]
fn what_holds_too_much_or_too_little_is_refused() {
    let says = |faults: Vec<Fault>, what: &str| {
        assert!(faults.iter().any(|f| f.message.contains(what)), "{faults:?}");
    };
    let (min, max) = (Vec3::splat(-1e-6), Vec3::new(1e-6, 1.0, 1e-6));
    let line = RawControl { which: Selector::Box(Aabb { min, max }), ..control("a", "") };
    says(refused(bar(), flexible(vec![line])), "hang on nothing");
    says(refused(block_of(Vec3::ONE, [1; 3]), both_ends()), "every node");
    let mut twice = scene(bar(), both_ends());
    twice.bodies[0].attachments = vec![Selector::Name("left".into())];
    says(bake(&twice).expect_err("it was baked"), "and the attachments both hold");
}

/// A turn of the whole body is no strain.
#[test]
fn a_turned_surface_is_not_strained() {
    let mut world = world(bar(), both_ends());
    world.params.gravity = 0.0;
    let turn = from_rotation_vector(Vec3::new(0.4, -0.3, 0.6));
    let goals =
        [0, 1].map(|i| Control::new(turn * body(&world).elements[i].origin, turn, Vec3::ONE).unwrap());
    lead(&mut world, goals.to_vec(), 400);
    let soft = vec![Lame::of(YOUNG, 0.3); body(&world).triangles.len()];
    let (mut gauge, mut out) = (Gauge::default(), Vec::new());
    let places = (&world.model.rest[..], &world.state.pos[..]);
    assert!((places.0[0] - places.1[0]).length() + (places.0[40] - places.1[40]).length() > 0.01);
    for quantity in [Quantity::Strain(0, 0), Quantity::Strain(1, 2), Quantity::Area] {
        gauge.read(quantity, (0, body(&world), &soft), (&world.state, &world.scratch), places, &mut out);
        assert!(out.iter().all(|e| e.abs() < 1e-5), "{quantity:?} {out:?}");
    }
}
