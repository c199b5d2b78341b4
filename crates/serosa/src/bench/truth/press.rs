//! What is pressed pushes back with its own force, and what rests on a slope stays.

use super::play::{Play, center};
use super::scene::{self, Cube, HALF, Scene, Tool};
use super::{Case, Row};
use crate::Failure;

/// How far a force may be from the converged one, in motion and at rest.
const FORCE: [f64; 2] = [0.05, 0.02];
/// Errors below this share of a force are none.
const NOTHING: f64 = 1e-3;
/// Passes on fine meshes, and how far forces on these may be from that on the finest.
const FINE: u32 = 60;
const MESH: f64 = 0.05;
/// The same where the radius of contact spans two edges alone.
const COARSE: f64 = 0.2;
/// Passes that are many enough.
const CONVERGED: u32 = 300;
/// How far off the slip of a cube may be before it sticks \[m\].
const SLIP: f64 = 1e-4;
/// The farthest that it creeps in a second and a half \[m\].
const CREEP: f64 = 1e-5;
/// The force of a hand that presses nothing \[N\].
const NO_FORCE: f64 = 0.01;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for sweeps in [2, 5, 12, 60] {
        cases.push(Case::new(format!("pr{sweeps}"), false, move || pressed(sweeps, 8e-3)));
    }
    cases.push(Case::new("pr5, coarse", true, || pressed(5, 0.02)));
    cases.push(Case::new("meshes", false, meshes));
    for (sweeps, step_ms) in [(5, 8.0), (10, 8.0), (10, 2.0)] {
        let name = format!("ss{sweeps}, {step_ms} ms");
        cases.push(Case::new(name, sweeps == 5, move || slips(sweeps, 1e-3 * step_ms)));
    }
    cases.push(Case::new("part", true, part));
    cases
}

/// The force of a hand on a ball that is led by a centimetre into a pad: the last while it moves, and at rest; each with
/// the error that the gauge tells.
fn force(sweeps: u32, cell: f64) -> Result<[[f64; 2]; 2], Failure> {
    let like = Cube {
        cell,
        young: 5e3,
        density: 1060.0,
        friction: 0.1,
        more: ", relaxation = 0.02",
        ..Cube::default()
    };
    let pad = scene::block("pad", [-0.04, -0.04, -0.04], [0.08, 0.08, 0.04], &like);
    let tool = Tool {
        shape: "sphere = { radius = 0.01 }",
        stiffness: 2e4,
        friction: 0.2,
        more: "",
        tip: [0.0, 0.0, 0.012],
        moves: &[(0.192, [0.0; 3], false)],
    };
    let scene = Scene { substeps: 2, ..Scene::new(0.016) }
        .sweeps(sweeps)
        .with(pad)
        .with("attach = [{ name = \"bottom\" }]\nself_contact = false\n")
        .with(tool.text("probe"));
    let mut play = Play::new(&scene)?;
    let hand = |play: &Play| {
        let told = play.world().report.error.map_or(f64::NAN, |e| e.force_n);
        [play.world().scratch.hand_force[0].length(), told]
    };
    play.run(0.192, |_| {})?;
    let moving = hand(&play);
    play.run(0.24, |_| {})?;
    Ok([moving, hand(&play)])
}

/// That force, beside what it comes to with very many passes.
fn pressed(sweeps: u32, cell: f64) -> Result<Vec<Row>, Failure> {
    let (few, many) = (force(sweeps, cell)?, force(CONVERGED, cell)?);
    let told = |k: usize| {
        let (error, scale) = ((few[k][0] - many[k][0]).abs(), NOTHING * many[k][0]);
        (few[k][1].max(scale) / error.max(scale)).ln() / 3f64.ln()
    };
    Ok(vec![
        Row::share("force in motion", "N", few[0][0], many[0][0], FORCE[0]),
        Row::share("force at rest", "N", few[1][0], many[1][0], FORCE[1]),
        Row::new("error told in motion over that made", "log3", told(0), 0.0, 1.0),
        Row::new("error told at rest over that made", "log3", told(1), 0.0, 1.0),
    ])
}

/// That force at rest on three meshes: where the radius of contact spans two, three and four edges.
fn meshes() -> Result<Vec<Row>, Failure> {
    let [coarse, middle, fine] = [4e-3, 8e-2 / 30.0, 2e-3].map(|cell| force(FINE, cell));
    let (coarse, middle, fine) = (coarse?[1][0], middle?[1][0], fine?[1][0]);
    Ok(vec![
        Row::share("force at rest, cells of 4 mm", "N", coarse, fine, COARSE),
        Row::share("force at rest, cells of 2.7 mm", "N", middle, fine, MESH),
        Row::share("force at rest, cells of 2 mm", "N", fine, fine, MESH),
    ])
}

/// How far a soft cube goes down a soft slope, at nine tenths of the limit of friction, within half a second and in the
/// second and a half after it \[m\].
fn way(sweeps: u32, step_s: f64) -> Result<[f64; 2], Failure> {
    let like = Cube { young: 2e4, friction: 0.5, more: ", relaxation = 0.005", ..Cube::default() };
    let base = scene::block("base", [-0.04, -0.03, -0.02], [0.08, 0.06, 0.02], &Cube { cell: 0.01, ..like });
    let bar = Cube { center: [0.0, -0.3e-3, HALF + 1.12e-3], ..like };
    // 24.2 degrees: their tangent is 0.45.
    let scene = Scene { gravity: [4.0256, 0.0, -8.9457], ..Scene::new(step_s) }
        .sweeps(sweeps)
        .with(base)
        .with("attach = [{ name = \"bottom\" }]\n")
        .with(bar.body("bar"));
    let mut play = Play::new(&scene)?;
    let b = play.body("bar");
    let from = center(play.world(), b).x;
    play.run(0.5, |_| {})?;
    let half = center(play.world(), b).x;
    play.run(1.5, |_| {})?;
    Ok([half - from, center(play.world(), b).x - half])
}

/// It goes as far as with very many passes, and does not creep. (Loaded at once it swings to nearly twice its load, beyond
/// the limit of friction: it slips a little before it sticks, and the farther the less a long step damps that.)
fn slips(sweeps: u32, step_s: f64) -> Result<Vec<Row>, Failure> {
    let (usual, converged) = (way(sweeps, step_s)?, way(CONVERGED, step_s)?);
    Ok(vec![
        Row::new("way until it sticks", "m", usual[0], converged[0], SLIP),
        Row::new("creep after that", "m", usual[1], 0.0, CREEP),
    ])
}

/// A tool that begins inside a held block is put beside it, and its hand with it.
fn part() -> Result<Vec<Row>, Failure> {
    let like = Cube { cell: 0.01, ..Cube::default() };
    let tool = Tool {
        shape: "capsule = { length = 0.3, radius = 0.005 }",
        stiffness: 400.0,
        friction: 0.2,
        more: "",
        tip: [0.0, 0.0, -0.005],
        moves: &[],
    };
    let scene = Scene { part: true, ..Scene::weightless(5e-3) }
        .with(scene::block("block", [-0.03, -0.03, -0.04], [0.06, 0.06, 0.04], &like))
        .with("attach = [{ name = \"bottom\" }]\n")
        .with(tool.text("probe"));
    let mut play = Play::new(&scene)?;
    let mut most: f64 = 0.0;
    play.run(0.5, |world| most = most.max(world.scratch.hand_force[0].length()))?;
    Ok(vec![Row::new("largest force of the hand", "N", most, 0.0, NO_FORCE)])
}
