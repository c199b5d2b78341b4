//! Strips and bands as they are baked: free at the start, a band, and a sheet that is as stiff as it says.

use crate::make::{baked, body, floor, scene, springs, weightless};
use serosa_bake::lattice::Lattice;
use serosa_bake::raw::*;
use serosa_bake::{Baked, bake};
use serosa_geometry::generate::intestine::{Intestine, Layout, Strip, free_radius, intestine};
use serosa_geometry::generate::{Sheet, chain, net};
use serosa_geometry::{Aabb, PrimId, Vec3, VertexId, closest_segments};
use serosa_sim::model::{BandBody, BodyKind, FIXED, Model, PrimKind, SpringKind};
use serosa_sim::params::Filter;

pub const GUT: RawBand = RawBand {
    mass: 0.3,
    tube_mass: Some(1.2),
    tube_stretch: 800.0,
    tube_bending: 2.6e-3,
    stiffness: 200.0,
    bending: 1e-4,
    relaxation_s: 0.01,
};

pub fn gut(layout: Layout, rows: usize, columns: usize) -> RawStrip {
    let size = Intestine { layout, rows, columns, origin: Vec3::Z * 0.5, ..Intestine::default() };
    RawStrip {
        strip: intestine(&size).unwrap(),
        radius: 0.02,
        start_radius: None,
        inflation_s: 2.0,
        half_thickness: 0.005,
    }
}

pub fn body_of(raw: RawStrip) -> RawBody {
    body("gut", RawGeometry::Strip(raw), RawModel::Band(GUT))
}

fn ends(model: &Model, prim: PrimId) -> [Vec3; 2] {
    match model.prims[prim.at()].kind {
        PrimKind::Segment(ends) => ends.map(|v| model.rest[v.at()]),
        _ => panic!("a strip has segments only"),
    }
}

fn distance(model: &Model, i: PrimId, j: PrimId) -> f64 {
    let ([a, b], [c, d]) = (ends(model, i), ends(model, j));
    let near = closest_segments(a, b, c, d);
    (a.lerp(b, near.s) - c.lerp(d, near.t)).length()
}

fn band(model: &Model) -> &BandBody {
    match &model.bodies[0].kind {
        BodyKind::Band(band) => band,
        other => panic!("{other:?}"),
    }
}

/// Every pair is looked at: tube and tube, tube and membrane. What is left out is near along the body.
#[test]
fn the_start_is_free_of_overlap() {
    for (layout, rows, columns) in [
        (Layout::ZigZag, 4, 100),
        (Layout::Helicoid, 4, 100),
        (Layout::ZigZag, 8, 400),
        (Layout::Helicoid, 8, 400),
    ] {
        let raw = gut(layout, rows, columns);
        let (tube, edge) = (raw.strip.border_edges() as u32, 4.0 / (columns - 1) as f64);
        let baked = baked(&scene(vec![body_of(raw)]));
        let model = &baked.model;
        let (mut nearest, mut left_out) = (f64::INFINITY, 0);
        for i in 0..tube {
            for j in i + 1..model.prims.len() as u32 {
                let (i, j) = (PrimId(i), PrimId(j));
                if model.may_touch(i, j) {
                    let wide = model.prims[i.at()].radius + model.prims[j.at()].radius;
                    nearest = nearest.min(distance(model, i, j) - wide);
                } else {
                    left_out += 1;
                    let columns_of = |p: PrimId| match model.prims[p.at()].kind {
                        PrimKind::Segment(e) => e.map(|v| v.at() / rows),
                        _ => panic!(),
                    };
                    let (a, b) = (columns_of(i), columns_of(j));
                    let apart = b[0].saturating_sub(a[1]).max(a[0].saturating_sub(b[1]));
                    let reach = core::f64::consts::PI * 0.02;
                    assert!(apart as f64 * edge < reach + 1e-9, "{layout:?}: {i:?} and {j:?}");
                }
            }
        }
        assert!(nearest > 1e-5, "{layout:?} {rows} × {columns}: {nearest}");
        assert!(left_out > 3 * tube, "neighbours are left out");
        assert_eq!(model.excluded.overlapping_at_rest, 0, "the membrane does not touch itself here");
        assert_eq!(model.growths.len(), 1);
        assert!(baked.notes[0].contains("widens to 20.00 mm in 2 s"), "{:?}", baked.notes);
    }
}

#[test]
fn tubes_start_as_wide_as_is_free() {
    let start = |layout, rows, columns| {
        let raw = gut(layout, rows, columns);
        let reach = core::f64::consts::PI * raw.radius;
        let free = free_radius(&raw.strip.border(), reach);
        let start = baked(&scene(vec![body_of(raw)])).model.prims[0].radius;
        assert!(start < free && start > 0.9 * free, "{start} of {free}");
        start
    };
    assert!((start(Layout::Helicoid, 4, 100) - 0.98 * 0.0117).abs() < 2e-4);
    assert!((start(Layout::ZigZag, 4, 100) - 0.98 * 0.0093).abs() < 2e-4);
    start(Layout::Helicoid, 8, 400);
    start(Layout::ZigZag, 8, 400);
}

/// The membrane is thicker than its root is long for each column: what touches there is left out, and what may
/// touch does not.
#[test]
fn a_membrane_that_may_touch_itself_starts_apart() {
    for layout in [Layout::ZigZag, Layout::Helicoid] {
        let mut body = body_of(gut(layout, 4, 100));
        body.membrane_contact = true;
        let baked = baked(&scene(vec![body]));
        let (model, mut left_out) = (&baked.model, 0);
        assert!(model.prims.iter().skip(99).all(|p| p.membrane));
        for i in 99..model.prims.len() as u32 {
            for j in i + 1..model.prims.len() as u32 {
                let (i, j) = (PrimId(i), PrimId(j));
                let apart = distance(model, i, j) > 0.01;
                assert!(apart || !model.may_touch(i, j), "{layout:?}: {i:?} and {j:?}");
                left_out += u32::from(!apart && model.excluded.contains(i, j));
            }
        }
        assert!(left_out > 1000, "{left_out}");
        let counted = model.excluded.overlapping_at_rest;
        assert_eq!(counted > 0, baked.notes[0].contains("pairs of edges"), "{:?}", baked.notes);
    }
}

#[test]
fn masses_are_those_asked_for_and_the_root_is_held() {
    let baked = baked(&scene(vec![body_of(gut(Layout::Helicoid, 4, 100))]));
    let model = &baked.model;
    assert!((model.mass.iter().sum::<f64>() - 1.5).abs() < 1e-12);
    let border: f64 = model.mass.iter().step_by(4).sum();
    assert!(border > 1.2 && border < 1.35, "{border}");
    for (v, w) in model.inv_mass.iter().enumerate() {
        assert_eq!(*w == 0.0, v % 4 == 3, "{v}");
    }
    let length: f64 = model.springs.iter().filter(|s| s.kind == SpringKind::Tube).map(|s| s.rest_m).sum();
    assert!((length - 4.0).abs() < 1e-12, "{length}");
}

#[test]
fn coupled_vertices_are_near_in_the_order_of_the_band() {
    for (rows, columns, expected) in [(4, 100, 6), (8, 400, 14)] {
        let baked = baked(&scene(vec![body_of(gut(Layout::Helicoid, rows, columns))]));
        let (model, band) = (&baked.model, band(&baked.model));
        assert_eq!(band.unknowns as usize, (rows - 1) * columns);
        assert_eq!(band.half_band, expected);
        let mut numbers: Vec<u32> = model.unknown.iter().copied().filter(|u| *u != FIXED).collect();
        assert!(numbers.is_sorted(), "column by column");
        numbers.dedup();
        assert_eq!(numbers.len(), band.unknowns as usize);
        let near = |nodes: &[VertexId]| {
            let of = |v: &VertexId| model.unknown[v.at()];
            for a in nodes.iter().map(of).filter(|u| *u != FIXED) {
                for b in nodes.iter().map(of).filter(|u| *u != FIXED) {
                    assert!(a.abs_diff(b) <= band.half_band);
                }
            }
        };
        model.springs.iter().for_each(|s| near(&s.ends));
        model.rods.iter().for_each(|r| near(&r.nodes));
        model.bends.iter().for_each(|b| near(&b.nodes));
        assert_eq!(model.rods.len(), columns - 2);
    }
}

#[test]
fn stencils_see_curvature_and_nothing_else() {
    let baked = baked(&scene(vec![body_of(gut(Layout::ZigZag, 4, 100))]));
    for bend in &baked.model.bends {
        let [a, b, c] = bend.nodes.map(|v| baked.model.rest[v.at()]);
        let (before, after) = ((b - a).length(), (c - b).length());
        let sum: f64 = bend.weights.iter().sum();
        assert!(sum.abs() < 1e-12 * bend.weights[1].abs());
        // Along the line itself: a slope gives nothing, a parabola t²/2 gives one.
        let at = [-before, 0.0, after];
        let moment = |k: i32| -> f64 { at.iter().zip(bend.weights).map(|(t, w)| w * t.powi(k)).sum() };
        assert!(moment(1).abs() < 1e-12 * bend.weights[0] * before);
        assert!((0.5 * moment(2) - 1.0).abs() < 1e-12);
        assert!(bend.share > 0.0);
    }
}

/// A square sheet of unit stiffness, pulled along x between two clamps that let it narrow.
fn stiffness_of_a_patch(n: usize, stretch: f64) -> f64 {
    let points: Vec<Vec3> =
        (0..n * n).map(|i| Vec3::new((i / n) as f64, (i % n) as f64, 0.0) / (n - 1) as f64).collect();
    let lattice = Lattice { points: &points, rows: n, columns: n };
    let links = lattice.links();
    let mut pos: Vec<Vec3> = points.iter().map(|p| Vec3::new(p.x * (1.0 + stretch), p.y, 0.0)).collect();
    let force = |pos: &[Vec3]| {
        let mut force = vec![Vec3::ZERO; pos.len()];
        for l in &links {
            let [a, b] = l.ends.map(|v| v as usize);
            let d = pos[b] - pos[a];
            let pull = d.normalize() * (l.share * (d.length() - lattice.length(l.ends)));
            force[a] += pull;
            force[b] -= pull;
        }
        force
    };
    for _ in 0..40 * n * n {
        let force = force(&pos);
        for (i, p) in pos.iter_mut().enumerate() {
            let clamped = i / n == 0 || i / n == n - 1;
            p.y += 0.15 * force[i].y;
            p.x += if clamped { 0.0 } else { 0.15 * force[i].x };
        }
    }
    let force = force(&pos);
    -(n * (n - 1)..n * n).map(|i| force[i].x).sum::<f64>() / stretch
}

/// One metre by one metre of a sheet with E t = 1 N/m pulls with 1 N for a stretch of one.
#[test]
fn a_sheet_is_as_stiff_as_it_says_however_fine() {
    for n in [5, 9, 17] {
        let got = stiffness_of_a_patch(n, 1e-4);
        assert!((got - 1.0).abs() < 0.02, "{n}: {got}");
    }
}

#[test]
fn a_rope_is_a_band_in_the_order_of_its_path() {
    let mut mesh = chain(Vec3::ZERO, Vec3::X, 11);
    mesh.edges.reverse();
    let rope = RawBand { tube_mass: None, ..GUT };
    let mut body = body("rope", RawGeometry::Mesh { mesh, radius: 0.005 }, RawModel::Band(rope));
    body.attachments = vec![Selector::Name("first".into())];
    let baked = baked(&weightless(vec![body]));
    let model = &baked.model;
    assert_eq!((band(model).unknowns, band(model).half_band), (10, 2));
    assert_eq!((model.springs.len(), model.rods.len(), model.bends.len()), (10, 9, 0));
    assert_eq!((model.unknown[0], model.unknown[1], model.unknown[10]), (FIXED, 0, 9));
    assert!(model.springs.iter().all(|s| (s.share * s.rest_m - 1.0).abs() < 1e-12));
}

#[test]
fn the_published_strip_is_made_of_springs() {
    let tube = Some(SpringTube { mass: 1.2, stiffness: 2000.0 });
    let springs = RawModel::Springs { mass: 0.3, stiffness: 150.0, damping: 0.1, bending: 0.0, tube };
    let baked = baked(&scene(vec![body("gut", RawGeometry::Strip(gut(Layout::ZigZag, 4, 100)), springs)]));
    let count = |kind| baked.model.springs.iter().filter(|s| s.kind == kind).count();
    assert_eq!(count(SpringKind::Tube), 99);
    // Rows 1 and 2, three edges in each column, two diagonals in each cell; the root is held and has none.
    assert_eq!(count(SpringKind::Stretch), 2 * 99 + 3 * 100 + 2 * 3 * 99);
    assert!(baked.model.springs.iter().all(|s| s.share == 1.0));
    assert_eq!(baked.params.bodies[0].tube_stretch, 2000.0);
    assert!((baked.model.mass.iter().sum::<f64>() - 1.5).abs() < 1e-12);
}

fn refusal(scene: &RawScene) -> (Place, String, String) {
    let fault = bake(scene).expect_err("should be refused").swap_remove(0);
    (fault.place, fault.message, fault.help)
}

fn refused(scene: &RawScene, what: &str) {
    let (_, message, help) = refusal(scene);
    assert!(message.contains(what), "{message}");
    assert!(!help.is_empty());
}

#[test]
fn strips_that_cannot_be_are_refused() {
    let good = gut(Layout::Helicoid, 4, 100);
    let wide = RawStrip { start_radius: Some(0.013), ..good.clone() };
    let (place, message, help) = refusal(&scene(vec![body_of(wide)]));
    assert_eq!(place, Place::Body(0));
    assert!(message.contains("radius 13.00 mm does not fit"), "{message}");
    assert!(help.contains("below 11.7"), "{help}");
    let shrinking = RawStrip { start_radius: Some(0.03), ..good.clone() };
    refused(&scene(vec![body_of(shrinking)]), "cannot shrink");
    let thick = RawStrip { half_thickness: 0.03, ..good.clone() };
    refused(&scene(vec![body_of(thick)]), "the membrane is too thick");
    let short = Strip { columns: 2, ..good.strip.clone() };
    refused(&scene(vec![body_of(RawStrip { strip: short, ..good.clone() })]), "do not make a strip");
    let massless = RawModel::Band(RawBand { tube_mass: None, ..GUT });
    let geometry = RawGeometry::Strip(good.clone());
    refused(&scene(vec![body("gut", geometry.clone(), massless)]), "needs a mass of its own");
    refused(&scene(vec![body("gut", geometry, RawModel::Fixed)]), "needs model.band or model.springs");
    let sheet = Sheet { corner: Vec3::ZERO, along: Vec3::X, across: Vec3::Y, columns: 4, rows: 4 };
    let net = RawGeometry::Mesh { mesh: net(&sheet), radius: 0.01 };
    refused(&scene(vec![body("net", net, RawModel::Band(GUT))]), "in one open line");
    let rope = RawGeometry::Mesh { mesh: chain(Vec3::ZERO, Vec3::X, 5), radius: 0.01 };
    refused(&scene(vec![body("rope", rope, RawModel::Band(GUT))]), "no membrane beside its tube");
}

#[test]
fn rings_and_forks_are_no_ropes() {
    let rope = RawModel::Band(RawBand { tube_mass: None, ..GUT });
    let mut ring = chain(Vec3::ZERO, Vec3::X, 4);
    ring.edges.push([0, 3]);
    let mut fork = chain(Vec3::ZERO, Vec3::X, 5);
    fork.edges[3] = [1, 4];
    fork.points[4].y = 0.3;
    let mut two = chain(Vec3::ZERO, Vec3::X, 5);
    two.edges = vec![[0, 1], [2, 3], [3, 4], [2, 4]];
    two.points[4].y = 0.3;
    for mesh in [ring, fork, two] {
        let body = body("rope", RawGeometry::Mesh { mesh, radius: 0.001 }, rope.clone());
        refused(&scene(vec![body]), "in one open line");
    }
}

fn probe_at(tip: Vec3) -> RawTool {
    RawTool {
        name: "probe".into(),
        solid: RawSolid::Capsule { length: 0.3, radius: 0.005 },
        tip,
        direction: Vec3::NEG_Z,
        mass: 0.04,
        friction: 0.2,
        stiffness: 400.0,
        damping: None,
        turn_stiffness: 0.5,
        speed_max: 2.0,
        reach: 0.006,
        strength: 5.0,
        holds: 8,
        moves: Vec::new(),
    }
}

/// With the filter on nothing may begin inside anything; without it that is only worth a note.
#[test]
fn a_tool_that_starts_inside_a_tube_is_refused_where_steps_are_clipped() {
    let raw = gut(Layout::Helicoid, 4, 100);
    let inside = raw.strip.border()[40];
    let mut scene = scene(vec![body_of(raw), floor()]);
    scene.tools = vec![probe_at(inside)];
    let notes = bake(&scene).unwrap().notes;
    assert!(notes.iter().any(|n| n.contains("overlap by")), "{notes:?}");
    scene.world.filter = Filter::Planes;
    let (place, message, _) = refusal(&scene);
    assert_eq!(place, Place::Tool(0));
    assert!(message.contains("\"gut\" and \"probe\" overlap by"), "{message}");
    assert!(message.contains(&format!("near ({:.1}", inside.x)[..8]), "{message} {inside}");
    scene.tools = vec![probe_at(Vec3::new(0.5, 0.5, 0.5))];
    assert!(bake(&scene).is_ok());
}

/// The goal box is hidden by what lies in or before it, seen from the eye, and by nothing else.
#[test]
fn cover_counts_lines_of_sight() {
    let share = |baked: &Baked| {
        let mut out = Vec::new();
        serosa_sim::probe::read_all(&baked.world(), &mut out);
        out[0]
    };
    let covered = |mesh: serosa_geometry::Mesh, radius: f64, from: Vec3| {
        let rope = springs("rope", mesh, 1.0, 1.0, 0.0);
        let rope = RawBody {
            geometry: RawGeometry::Mesh { mesh: rope.geometry.mesh().unwrap().clone(), radius },
            ..rope
        };
        let mut scene = scene(vec![rope]);
        let goal = Aabb { min: Vec3::splat(-0.1), max: Vec3::splat(0.1) };
        let measure = RawMeasure::Cover { body: "rope".into(), goal, from };
        scene.probes = vec![RawProbe { name: "covered".into(), measure }];
        share(&baked(&scene))
    };
    let rope = |z: f64| chain(Vec3::new(-1.0, 0.0, z), Vec3::new(1.0, 0.0, z), 5);
    assert_eq!(covered(rope(0.3), 0.05, Vec3::Z), 0.5, "a band of half the width");
    assert_eq!(covered(rope(-0.3), 0.05, Vec3::Z), 0.0, "below the box");
    assert_eq!(covered(rope(-0.3), 0.05, Vec3::NEG_Z), 0.5, "seen from below");
    assert_eq!(covered(rope(0.7), 0.05, Vec3::Z), 0.0, "out of reach");
    assert_eq!(covered(rope(0.0), 1.0, Vec3::new(1.0, 1.0, 1.0).normalize()), 1.0);
    assert_eq!(covered(rope(0.0), 0.05, Vec3::X), covered(rope(0.0), 0.05, Vec3::NEG_X));
    let sheet = Sheet {
        corner: Vec3::new(-1.0, -1.0, 0.3),
        along: Vec3::X,
        across: Vec3::Y * 2.0,
        columns: 2,
        rows: 2,
    };
    let skin = covered(serosa_geometry::generate::membrane(&sheet), 1e-4, Vec3::Z);
    assert_eq!(skin, 0.5, "half under a skin whose edges are far away");
}

/// A probe of the goal is read in every frame: it must cost little and allocate nothing.
#[test]
fn a_warm_read_of_the_goal_allocates_nothing() {
    let mut scene = scene(vec![body_of(gut(Layout::Helicoid, 4, 100))]);
    let goal = Aabb { min: Vec3::new(0.05, -0.05, 0.5), max: Vec3::new(0.15, 0.05, 0.56) };
    let measure = RawMeasure::Cover { body: "gut".into(), goal, from: Vec3::Z };
    scene.probes = vec![RawProbe { name: "covered".into(), measure }];
    let world = baked(&scene).world();
    let mut out = Vec::with_capacity(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let read = |out: &mut Vec<f64>| serosa_sim::probe::read_all(&world, out);
    assert_eq!(crate::counting::allocations(&pool, || read(&mut out)), 0);
    assert!(out[0] > 0.5, "{out:?}");
    let start = std::time::Instant::now();
    (0..100).for_each(|_| read(&mut out));
    let each = start.elapsed().as_secs_f64() / 100.0;
    assert!(each < 5e-3, "{each} s");
}
