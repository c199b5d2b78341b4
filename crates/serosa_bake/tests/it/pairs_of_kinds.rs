//! Every kind of body dropped on every kind: it flies freely until it touches, comes to rest without overlap, is carried with
//! its weight, and neither energy nor momentum comes from nothing on the way.

use crate::make::*;
use crate::solid_contact::ground;
use crate::specimens::{ORGAN, elastic, flesh, organ, organ_mesh};
use serosa_bake::raw::*;
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::generate::{Sheet, chain, membrane};
use serosa_geometry::{Mesh, Quat, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::ledger::Ledger;
use serosa_sim::model::{BodyKind, Law, Limits, MeanRotation, Region};
use serosa_sim::params::Filter;
use serosa_sim::{Input, World, step};

/// How far what is dropped falls \[m\].
const DROP: f64 = 4e-3;
/// Steps of a run, and those at its end in which things are to be at rest.
const STEPS: u32 = 700;
const STILL: u32 = 100;
/// Every so many steps is looked at exhaustively.
const AUDIT: u32 = 20;
/// Half the thickness of what is thin \[m\].
const THIN: f64 = 1e-3;
/// The same of ropes that carry.
const THICK: f64 = 4e-3;

const FIRM: RawTissue = RawTissue {
    mass: SurfaceMass::Total(0.02),
    stiffness: 150.0,
    area: 80.0,
    bending: 1e-4,
    bulk: 5000.0,
    restoration: 60.0,
    relaxation_s: 0.02,
    ..ORGAN
};

fn mesh_of(mesh: Mesh, radius: f64, model: RawModel) -> RawBody {
    body("body", RawGeometry::Mesh { mesh, radius }, model)
}

fn springs_of(mass: f64, stiffness: f64) -> RawModel {
    RawModel::Springs { mass, stiffness, damping: 0.1, bending: 0.0, tube: None }
}

/// A rope along x whose middle is there.
fn line(middle: Vec3, length: f64, nodes: usize) -> Mesh {
    let half = Vec3::X * (0.5 * length);
    chain(middle - half, middle + half, nodes)
}

/// A sheet whose middle is there.
fn sheet(middle: Vec3, across: f64, nodes: usize) -> Mesh {
    let corner = middle - Vec3::new(0.5, 0.5, 0.0) * across;
    membrane(&Sheet {
        corner,
        along: Vec3::X * across,
        across: Vec3::Y * across,
        columns: nodes,
        rows: nodes,
    })
}

/// A cushion: a cube with its corners and edges rounded, its lowest point at the origin.
fn cushion(cuts: u32, size: Vec3) -> Mesh {
    let mut mesh = organ_mesh(cuts, Vec3::ONE);
    for p in &mut mesh.points {
        let squarer = *p / p.abs().max_element().powf(0.7);
        *p = squarer * size * 0.5;
    }
    let low = mesh.points.iter().map(|p| p.z).fold(0.0, f64::min);
    mesh.points.iter_mut().for_each(|p| p.z -= low);
    mesh
}

fn tissue(mesh: Mesh, mass: f64) -> RawBody {
    organ("body", mesh, RawTissue { mass: SurfaceMass::Total(mass), ..FIRM })
}

const TOPS: [&str; 6] = ["springs", "membrane", "band", "tissue", "solid", "rigid"];

/// What is dropped: its lowest point at the height 0, none of it as wide as what carries it.
fn top(kind: &str) -> RawBody {
    let mut body = match kind {
        "springs" => mesh_of(line(Vec3::Z * THIN, 0.04, 9), THIN, springs_of(0.01, 200.0)),
        "membrane" => mesh_of(sheet(Vec3::Z * THIN, 0.036, 6), THIN, springs_of(0.01, 100.0)),
        "band" => {
            let rope =
                RawBand { mass: 0.01, tube_stretch: 100.0, tube_bending: 1e-4, relaxation_s: 0.02, ..ROPE };
            mesh_of(line(Vec3::Z * 2.0 * THIN, 0.04, 9), 2.0 * THIN, RawModel::Band(rope))
        }
        "tissue" => {
            let mut mesh = cushion(2, Vec3::new(0.04, 0.04, 0.015));
            mesh.points.iter_mut().for_each(|p| p.z += THIN);
            tissue(mesh, 0.02)
        }
        "solid" => {
            let corner = Vec3::new(-0.015, -0.015, 6e-4);
            let material = elastic(Law::NeoHookean, 2e4, 0.4, 1000.0, 0.01);
            flesh("body", (corner, Vec3::new(0.03, 0.03, 0.015)), [2, 2, 1], material)
        }
        "rigid" => {
            let size = Vec3::new(0.035, 0.035, 0.01);
            solid("body", RawSolid::Cuboid { size }, Vec3::Z * 5e-3, RawModel::Rigid { mass: 0.02 })
        }
        other => panic!("{other}"),
    };
    body.name = "top".into();
    (body.friction, body.drag) =
        (0.5, if matches!(kind, "springs" | "membrane" | "band") { 15.0 } else { 0.0 });
    body
}

const SUPPORTS: [&str; 10] = [
    "springs",
    "membrane",
    "band",
    "tissue",
    "solid",
    "rigid",
    "flexible",
    "hung springs",
    "hung membrane",
    "hung band",
];

fn flexible() -> RawBody {
    let size = Vec3::new(0.08, 0.08, 0.03);
    let (mesh, tets) = block(&Block { corner: Vec3::new(-0.04, -0.04, -0.0305), size, cells: [4, 4, 2] });
    let model = RawFlexible {
        method: RawMethod::Finite,
        base: Region { name: "soft".into(), law: Law::Corotated, young: 2e4, poisson: 0.4, density: 1000.0 },
        regions: Vec::new(),
        controls: Vec::new(),
        rotation: MeanRotation::Polar,
        limits: Limits { strain: f64::INFINITY, stretch: f64::INFINITY, angle: 1.0 },
        compliance: RawCompliance::All,
        thickness: Some(THIN),
    };
    let geometry = RawGeometry::Tets(RawTets { mesh, tets, ..RawTets::default() });
    let mut body = body("low", geometry, RawModel::Flexible(Box::new(model)));
    body.attachments = vec![Selector::Name("bottom".into())];
    body
}

/// Three ropes beside one another.
fn ropes(one: impl Fn(Vec3) -> RawBody, hung: bool) -> Vec<RawBody> {
    let place = |k: i32| {
        let mut body = one(Vec3::new(0.0, 0.012 * f64::from(k), -THICK));
        body.name = format!("rope {k}");
        if hung {
            body.attachments = vec![Selector::Name("ends".into())];
        }
        body
    };
    (-1..=1).map(place).collect()
}

/// What carries: its highest point at the height 0, and how deep below that the floor lies.
fn support(kind: &str) -> (Vec<RawBody>, f64) {
    let hung = kind.starts_with("hung");
    let (mut bodies, deep) = match kind {
        "springs" | "hung springs" => {
            let one =
                |at| mesh_of(line(at, 0.08, 13), THICK, springs_of(0.02, if hung { 500.0 } else { 200.0 }));
            (ropes(one, hung), 2.0 * THICK)
        }
        "band" | "hung band" => {
            let rope =
                RawBand { mass: 0.02, tube_stretch: 200.0, tube_bending: 1e-3, relaxation_s: 0.02, ..ROPE };
            (ropes(|at| mesh_of(line(at, 0.08, 13), THICK, RawModel::Band(rope)), hung), 2.0 * THICK)
        }
        "membrane" | "hung membrane" => {
            let mut body = mesh_of(sheet(-Vec3::Z * THIN, 0.08, 11), THIN, springs_of(0.03, 300.0));
            if hung {
                body.attachments = vec![Selector::Name("border".into())];
            }
            (vec![body], 2.0 * THIN)
        }
        "tissue" => {
            let mut mesh = cushion(3, Vec3::new(0.09, 0.09, 0.025));
            let high = mesh.points.iter().map(|p| p.z).fold(0.0, f64::max);
            mesh.points.iter_mut().for_each(|p| p.z -= high + THIN);
            (vec![tissue(mesh, 0.05)], high + 2.0 * THIN)
        }
        "solid" => {
            let corner = Vec3::new(-0.04, -0.04, -0.0206);
            let material = elastic(Law::NeoHookean, 2e4, 0.4, 1000.0, 0.01);
            (vec![flesh("low", (corner, Vec3::new(0.08, 0.08, 0.02)), [4, 4, 1], material)], 0.0212)
        }
        "rigid" => {
            let size = Vec3::new(0.08, 0.08, 0.02);
            let body =
                solid("low", RawSolid::Cuboid { size }, -Vec3::Z * 0.01, RawModel::Rigid { mass: 0.1 });
            (vec![body], 0.02)
        }
        "flexible" => (vec![flexible()], 0.1),
        other => panic!("{other}"),
    };
    bodies.iter_mut().for_each(|b| (b.friction, b.drag) = (0.5, if hung { 30.0 } else { 0.0 }));
    (bodies, if hung { 0.1 } else { deep + 2e-4 })
}

/// What is asked of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// Rows between the two push.
    Touch,
    /// Until then it is where it is without the filter: by how much not \[m\].
    Flight,
    /// The fastest of all in the last steps \[m/s\], and how far the top went in them \[m\].
    Speed,
    Creep,
    /// The deepest overlap \[m\]; pairs missed by the detector; pairs too near that nothing answers.
    Overlap,
    Missed,
    Unanswered,
    /// What rows lift the top with, and what the floor carries, off the weights by this share of the top's.
    Load,
    Ground,
    /// By the ledger.
    Energy,
    Momentum,
    Spin,
    LostMotion,
    /// Bodies taken out.
    Frozen,
}
use Check::*;

/// The most that passes.
const LIMITS: [(Check, f64); 14] = [
    (Touch, 0.0),
    (Flight, 0.0),
    (Speed, 2e-3),
    (Creep, 5e-5),
    (Overlap, 0.0),
    (Missed, 0.0),
    (Unanswered, 0.0),
    (Load, 0.02),
    (Ground, 0.02),
    (Energy, 0.01),
    (Momentum, 1e-6),
    (Spin, 1e-6),
    (LostMotion, 0.0),
    (Frozen, 0.0),
];

/// Pairs that break a limit, and by what was seen when this was written. One that breaks it no more is to be taken out.
const KNOWN: &[(&str, &str, Check, f64)] = &[];

/// What was seen of a pair, in the order of [`LIMITS`].
type Seen = [f64; LIMITS.len()];

fn note(seen: &mut Seen, check: Check, value: f64) {
    let at = &mut seen[check as usize];
    if value > *at || value.is_nan() {
        *at = value;
    }
}

/// The limits that are broken. What is not a number breaks any.
fn broken(seen: &Seen) -> Vec<(Check, f64)> {
    let each = LIMITS.iter().zip(seen).map(|((check, most), value)| (*check, *most, *value));
    each.filter(|(_, most, value)| value.is_nan() || value > most).map(|(check, _, v)| (check, v)).collect()
}

fn world_of(kind: &str, on: &str, filter: Filter) -> World {
    let (mut bodies, deep) = support(on);
    let mut floor = ground();
    let RawGeometry::Solid { pose, .. } = &mut floor.geometry else { panic!("a plane") };
    pose.pos.z = -deep;
    bodies.insert(0, floor);
    let mut dropped = top(kind);
    // Ropes lie across those that carry them.
    let turn = if matches!(kind, "springs" | "band") { 1.3 } else { 0.3 };
    place(&mut dropped, Vec3::new(1.3e-3, 0.7e-3, DROP), turn);
    bodies.push(dropped);
    baked(&lagrangian(bodies, filter)).world()
}

/// Moves and turns about the vertical.
fn place(body: &mut RawBody, shift: Vec3, turn: f64) {
    let rot = Quat::from_rotation_z(turn);
    match &mut body.geometry {
        RawGeometry::Solid { pose, .. } => (pose.pos, pose.rot) = (rot * pose.pos + shift, rot * pose.rot),
        RawGeometry::Mesh { mesh, .. } => mesh.points.iter_mut().for_each(|p| *p = rot * *p + shift),
        RawGeometry::Tets(tets) => tets.mesh.points.iter_mut().for_each(|p| *p = rot * *p + shift),
        _ => panic!("placed as it is"),
    }
}

fn weight(world: &World, b: usize) -> f64 {
    let body = &world.model.bodies[b];
    let all: f64 = match body.kind {
        BodyKind::Rigid(r) if world.model.rigids[r.at()].inv_mass > 0.0 => world.model.rigids[r.at()].mass,
        BodyKind::Flexible(_) => 0.0,
        _ => world.model.mass[body.vertex_range()].iter().sum(),
    };
    all * 9.81
}

/// Where the top is: its vertices, or points of its frame.
fn places(world: &World) -> Vec<Vec3> {
    let body = world.model.bodies.last().unwrap();
    match body.kind {
        BodyKind::Rigid(r) => {
            let pose = &world.state.pose[r.at()];
            [Vec3::X, Vec3::Y, Vec3::Z].map(|e| pose.pos + pose.rot * (e * 0.015)).to_vec()
        }
        _ => world.state.pos[body.vertex_range()].to_vec(),
    }
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

fn fastest(world: &World) -> f64 {
    let frames = world.model.bodies.iter().filter_map(|b| match b.kind {
        BodyKind::Rigid(r) => Some(&world.state.twist[r.at()]),
        _ => None,
    });
    let frames = frames.map(|t| t.vel.length() + 0.02 * t.omega.length());
    world.state.vel.iter().map(|v| v.length()).chain(frames).fold(0.0, f64::max)
}

/// Whether a row between the top and another body than the floor pushes.
fn touches(world: &World) -> bool {
    let top = world.model.bodies.len() - 1;
    world.scratch.rows.iter().any(|row| {
        let bodies = [row.key.a, row.key.b].map(|p| world.model.prims[p.at()].body.at());
        row.lambda > 0.0 && bodies.contains(&top) && !bodies.contains(&0)
    })
}

/// Steps both worlds until rows between top and support push in one of them.
fn fly(world: &World, free: &mut World, seen: &mut Seen) {
    if seen[Touch as usize] == 0.0 {
        return;
    }
    step(free, &Input::at_rest(free), &mut || 0);
    if touches(world) || touches(free) {
        seen[Touch as usize] = 0.0;
    } else {
        note(seen, Flight, apart(&places(world), &places(free)));
    }
}

/// Drops a thing of one kind on another.
fn drop_on(kind: &str, on: &str) -> Seen {
    let (mut world, mut free) = (world_of(kind, on, Filter::Planes), world_of(kind, on, Filter::Off));
    let (mut auditor, mut ledger, input) = (Auditor::default(), Ledger::default(), Input::at_rest(&world));
    let (mut seen, mut rest, mut loads) = ([0.0; LIMITS.len()], Vec::new(), [Vec3::ZERO; 2]);
    seen[Touch as usize] = 1.0;
    let top = world.model.bodies.len() - 1;
    for k in 1..=STEPS {
        ledger.begin(&mut world, &input);
        step(&mut world, &input, &mut || 0);
        ledger.end(&world);
        fly(&world, &mut free, &mut seen);
        let frozen = !world.report.quarantined.is_empty() || world.state.frozen.contains(&true);
        note(&mut seen, Frozen, f64::from(u8::from(frozen)));
        if k % AUDIT == 0 {
            let audit = auditor.check(&world);
            note(&mut seen, Overlap, audit.deepest_m);
            note(&mut seen, Missed, f64::from(audit.missed));
            note(&mut seen, Unanswered, f64::from(audit.unanswered));
        }
        if k + STILL == STEPS {
            rest = places(&world);
        } else if k + STILL > STEPS {
            note(&mut seen, Speed, fastest(&world));
            note(&mut seen, Creep, apart(&rest, &places(&world)));
            loads[0] += world.scratch.contact_force[top] / f64::from(STILL);
            loads[1] += world.scratch.contact_force[0] / f64::from(STILL);
        }
    }
    let (own, all): (f64, f64) = (weight(&world, top), (1..=top).map(|b| weight(&world, b)).sum());
    note(&mut seen, Load, (loads[0] - Vec3::Z * own).length() / own);
    if !on.starts_with("hung") && on != "flexible" {
        note(&mut seen, Ground, (loads[1] + Vec3::Z * all).length() / own);
    }
    let told = [ledger.gain, ledger.unkept.linear, ledger.unkept.angular, ledger.unheld as f64];
    [Energy, Momentum, Spin, LostMotion].into_iter().zip(told).for_each(|(c, v)| note(&mut seen, c, v));
    seen
}

/// Every kind on one support.
#[track_caller]
fn all_on(on: &str) {
    let mut wrong = Vec::new();
    for kind in TOPS {
        let seen = drop_on(kind, on);
        let known = |check: Check| KNOWN.iter().any(|known| (known.0, known.1, known.2) == (kind, on, check));
        let found = broken(&seen);
        let new = found.iter().filter(|(check, _)| !known(*check));
        wrong.extend(new.map(|(check, value)| format!("{kind} on {on}: {check:?} {value:.1e}")));
        let mended =
            LIMITS.iter().filter(|(check, _)| known(*check) && found.iter().all(|(c, _)| c != check));
        wrong.extend(
            mended.map(|(check, _)| format!("{kind} on {on}: {check:?} is mended: take it out of KNOWN")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_limit_can_be_broken() {
    let fine = [0.0; LIMITS.len()];
    assert!(broken(&fine).is_empty());
    for (k, (check, most)) in LIMITS.into_iter().enumerate() {
        assert_eq!(check as usize, k, "in their order");
        for wrong in [most * 1.01 + 1e-300, f64::NAN] {
            let mut seen = fine;
            note(&mut seen, check, wrong);
            assert_eq!(broken(&seen).iter().map(|(c, _)| *c).collect::<Vec<_>>(), [check]);
        }
    }
    let all = |kind: &str, on: &str| TOPS.contains(&kind) && SUPPORTS.contains(&on);
    assert!(KNOWN.iter().all(|(kind, on, _, value)| all(kind, on) && *value > 0.0));
}

#[test]
fn every_kind_rests_on_ropes_of_springs() {
    all_on("springs");
}

#[test]
fn every_kind_rests_on_a_membrane() {
    all_on("membrane");
}

#[test]
fn every_kind_rests_on_bands() {
    all_on("band");
}

#[test]
fn every_kind_rests_on_tissue() {
    all_on("tissue");
}

#[test]
fn every_kind_rests_on_a_solid() {
    all_on("solid");
}

#[test]
fn every_kind_rests_on_a_rigid_body() {
    all_on("rigid");
}

#[test]
fn every_kind_rests_on_a_flexible_body() {
    all_on("flexible");
}

#[test]
fn every_kind_rests_on_ropes_of_springs_that_hang() {
    all_on("hung springs");
}

#[test]
fn every_kind_rests_on_a_membrane_that_hangs() {
    all_on("hung membrane");
}

#[test]
fn every_kind_rests_on_bands_that_hang() {
    all_on("hung band");
}
