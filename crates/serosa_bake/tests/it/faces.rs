//! Faces of meshes: what touches them, once; found by the grid, on the way, and kept apart by the filter.

use crate::make::*;
use serosa_bake::raw::*;
use serosa_geometry::generate::{Sheet, membrane, net};
use serosa_geometry::solid::{touches, touches_and_ends};
use serosa_geometry::triangle::{closest_on_triangle, crossing};
use serosa_geometry::{Feature, PrimId, Vec3, VertexId, closest_segments};
use serosa_sim::audit::Auditor;
use serosa_sim::detect::{Finder, Places, Reach, Search, solid_of};
use serosa_sim::model::{Model, PrimKind};
use serosa_sim::params::{Detector, Filter};
use serosa_sim::row::{Row, Side};
use serosa_sim::{Input, World, step};

fn sheet(name: &str, middle: Vec3, sides: [Vec3; 2], n: usize) -> RawBody {
    let [along, across] = sides;
    let corner = middle - (along + across) * 0.5;
    let mut body =
        springs(name, membrane(&Sheet { corner, along, across, columns: n, rows: n }), 0.02, 200.0, 0.02);
    body.friction = 0.2;
    body
}

/// Sheets, ropes and shapes thrown together.
fn crowd(seed: &mut u64) -> RawScene {
    let mut bodies = Vec::new();
    for i in 0..3 {
        let turn = serosa_geometry::rotation::from_rotation_vector(noise3(seed) * 0.2);
        let sides = [turn * Vec3::X * 0.1, turn * Vec3::Y * 0.1];
        bodies.push(sheet(&format!("sheet{i}"), Vec3::Z * 0.05 * f64::from(i), sides, 5));
    }
    let at = Vec3::new(0.0, 0.0, 0.15);
    let chain = serosa_geometry::generate::chain(at - Vec3::X * 0.05, at + Vec3::X * 0.05, 7);
    bodies.push(springs("chain", chain, 0.02, 200.0, 0.02));
    let shapes = [
        RawSolid::Sphere { radius: 0.01 },
        RawSolid::Capsule { length: 0.08, radius: 0.003 },
        RawSolid::Cuboid { size: Vec3::new(0.03, 0.02, 0.03) },
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let at = Vec3::new(0.09, 0.04 * i as f64 - 0.04, 0.02);
        bodies.push(solid(&format!("shape{i}"), shape, at, RawModel::Rigid { mass: 0.05 }));
    }
    weightless(bodies)
}

fn triangle(model: &Model, prim: PrimId) -> Option<[VertexId; 3]> {
    match model.prims[prim.at()].kind {
        PrimKind::Triangle(corners) => Some(corners),
        _ => None,
    }
}

fn throw(world: &mut World, seed: &mut u64, by: f64) {
    world.state.pos.iter_mut().for_each(|p| *p += noise3(seed) * by);
    for pose in &mut world.state.pose {
        pose.pos += noise3(seed) * by;
        let turn = serosa_geometry::rotation::from_rotation_vector(noise3(seed) * by * 10.0);
        pose.rot = (turn * pose.rot).normalize();
    }
}

fn places(world: &World) -> Places<'_> {
    Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius }
}

#[test]
fn membranes_have_faces_and_nets_have_none() {
    let flat = Sheet { corner: Vec3::ZERO, along: Vec3::X, across: Vec3::Y, columns: 5, rows: 4 };
    let model = baked(&scene(vec![springs("skin", membrane(&flat), 0.1, 500.0, 0.0)])).model;
    let faces = (0..model.prims.len()).filter(|p| triangle(&model, PrimId::from(*p)).is_some()).count();
    assert_eq!(faces, 2 * 4 * 3);
    // Of the two diagonals of a cell one is a side of its triangles; the other is a spring alone.
    assert_eq!(model.prims.len() - faces, 4 * 4 + 5 * 3 + 4 * 3);
    assert_eq!(model.springs.len(), 4 * 4 + 5 * 3 + 2 * 4 * 3);
    assert_eq!(model.excluded.overlapping_at_rest, 0);
    for i in (0..model.prims.len()).map(PrimId::from) {
        for j in (i.at() + 1..model.prims.len()).map(PrimId::from).filter(|j| triangle(&model, *j).is_some())
        {
            let own = model.prims[j.at()].kind.vertices();
            let shares = model.prims[i.at()].kind.vertices().iter().any(|v| own.contains(v));
            let never = shares || triangle(&model, i).is_some();
            assert!(!(never && model.may_touch(i, j)), "{i:?} {j:?}");
        }
    }
    let threads = baked(&scene(vec![springs("net", net(&flat), 0.1, 500.0, 0.0)])).model;
    assert!(threads.prims.iter().all(|p| matches!(p.kind, PrimKind::Segment(_))));
}

/// Sheets that lie closer to themselves than they are thick are let be, and counted.
#[test]
fn folds_closer_at_rest_than_thick_are_counted() {
    let flat =
        Sheet { corner: Vec3::ZERO, along: Vec3::X * 0.1, across: Vec3::Y * 0.1, columns: 11, rows: 11 };
    let mut mesh = membrane(&flat);
    // One half is laid on the other, half a cell aside.
    for p in &mut mesh.points {
        if p.x > 0.051 {
            *p = Vec3::new(0.1047 - p.x, p.y + 0.0031, 1.5e-3);
        }
    }
    let baked = baked(&scene(vec![springs("fold", mesh, 0.1, 500.0, 0.0)]));
    let (model, left_out) = (&baked.model, baked.model.excluded.overlapping_at_rest);
    let of_faces = model.excluded.partners.iter().filter(|p| triangle(model, **p).is_some()).count();
    assert!(left_out > 50 && of_faces > 100, "{left_out} {of_faces}");
    assert!(baked.notes.iter().any(|n| n.contains("closer at rest")), "{:?}", baked.notes);
}

#[test]
fn the_grid_finds_what_all_pairs_find() {
    let mut seed = 11;
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    let mut of_faces = [0; 3];
    for round in 0..18 {
        let mut world = baked(&crowd(&mut seed)).world();
        let (mut grid, mut every) = (Finder::default(), Finder::default());
        for tick in 0..12 {
            throw(&mut world, &mut seed, [1e-4, 2e-3, 1e-2][tick % 3]);
            let mut reach = Reach::around(&world.model, vec![3e-3; world.model.prims.len()]);
            reach.ways.iter_mut().for_each(|way| *way = noise3(&mut seed) * 4e-3);
            reach.bound(&world.model);
            let mut later = world.clone();
            throw(&mut later, &mut seed, 0.02);
            let searches = [Search::Overlap, Search::Near(&reach), Search::Between(places(&later))];
            for (k, search) in searches.into_iter().enumerate() {
                let (model, params, at) = (&world.model, &world.params, places(&world));
                grid.rows(model, params, Detector::Grid, (at, search), &mut fast);
                every.rows(model, params, Detector::AllPairs, (at, search), &mut slow);
                assert!(fast == slow, "round {round}, tick {tick}, search {k}");
                assert!(grid.near == every.near, "round {round}, tick {tick}, search {k}");
                assert!(fast.is_sorted_by_key(|row| row.key));
                if k != 1 {
                    grid.merge(&mut fast);
                }
                of_faces[k] += once(model, &fast);
            }
        }
    }
    assert!(of_faces.iter().all(|n| *n > 400), "{of_faces:?}");
}

/// Every contact is there once, no face is held at its own corners, and gaps are measured along normals. Returns how
/// many are of faces.
fn once(model: &Model, rows: &[Row]) -> usize {
    let mut held: Vec<_> = rows.iter().map(Row::held).collect();
    held.sort_unstable();
    assert!(held.windows(2).all(|w| w[0] != w[1]));
    let of_faces = rows.iter().filter(|row| {
        let corners =
            row.sides.iter().find_map(|s| if let Side::Face(c, w) = s { Some((c, w)) } else { None });
        let Some((corners, weights)) = corners else { return false };
        assert!(weights.iter().all(|w| *w > 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let vertices = row.slots().filter_map(|s| match s.node {
            serosa_sim::row::Node::Vertex(v) if !corners.contains(&v) => Some(v),
            _ => None,
        });
        // A single vertex, or a point of a frame.
        assert!(vertices.count() <= 1, "{row:?}");
        assert!(model.may_touch(row.key.a, row.key.b));
        true
    });
    of_faces.count()
}

/// On the way of random fast motions, every sample of a vertex near the inside of a face, or of two edges near one
/// another, has its row.
#[test]
fn nothing_that_touches_on_the_way_is_missed() {
    let mut seed = 5;
    let (mut rows, mut touching, mut of_shapes) = (Vec::new(), [0; 2], 0);
    for round in 0..25 {
        let mut world = baked(&crowd(&mut seed)).world();
        throw(&mut world, &mut seed, 1e-3);
        let mut later = world.clone();
        let speed = [0.01, 0.05, 0.3][round % 3];
        later.state.pos.iter_mut().for_each(|p| *p += noise3(&mut seed) * speed);
        for pose in &mut later.state.pose {
            pose.pos += noise3(&mut seed) * speed.min(0.1);
            let turn = serosa_geometry::rotation::from_rotation_vector(noise3(&mut seed) * 0.3);
            pose.rot = (turn * pose.rot).normalize();
        }
        let search = Search::Between(places(&later));
        let mut finder = Finder::default();
        finder.rows(&world.model, &world.params, Detector::Grid, (places(&world), search), &mut rows);
        let pair_has = |a: PrimId, b: PrimId| rows.iter().any(|r| (r.key.a, r.key.b) == (a, b));
        for k in 0..=60 {
            let t = f64::from(k) / 60.0;
            let at = |v: VertexId| world.state.pos[v.at()].lerp(later.state.pos[v.at()], t);
            sample(&world, at, pair_has, &mut touching);
            sample_shapes((&world, &later), t, &rows, &mut of_shapes);
        }
    }
    assert!(of_shapes > 500, "{of_shapes}");
    assert!(touching.iter().all(|n| *n > 2000), "{touching:?}");
}

fn sample(
    world: &World,
    at: impl Fn(VertexId) -> Vec3,
    has: impl Fn(PrimId, PrimId) -> bool,
    touching: &mut [u32; 2],
) {
    let model = &world.model;
    let prims = || (0..model.prims.len()).map(PrimId::from);
    for i in prims() {
        let PrimKind::Segment(a) = model.prims[i.at()].kind else { continue };
        let [p, q] = a.map(&at);
        for j in prims().filter(|j| *j != i) {
            let (low, high) = (i.min(j), i.max(j));
            if !model.may_touch(low, high) {
                continue;
            }
            let thickness = world.state.radius[i.at()] + world.state.radius[j.at()] - 1e-9;
            match model.prims[j.at()].kind {
                PrimKind::Segment(b) if i < j => {
                    let [r, s] = b.map(&at);
                    let near = closest_segments(p, q, r, s);
                    if p.lerp(q, near.s).distance(r.lerp(s, near.t)) < thickness {
                        touching[0] += 1;
                        assert!(has(i, j), "edges {i:?} {j:?}");
                    }
                }
                PrimKind::Triangle(corners) => {
                    let t = corners.map(&at);
                    for (v, end) in a.into_iter().zip([p, q]) {
                        let on = closest_on_triangle(end, &t);
                        if on.feature == Feature::Face && end.distance(on.point) < thickness {
                            touching[1] += 1;
                            // Where it first came near a side, the row is that of the side.
                            let side = |w: &[VertexId; 2]| w.iter().all(|v| corners.contains(v));
                            let beside = prims().any(|k| match model.prims[k.at()].kind {
                                PrimKind::Segment(b) => {
                                    side(&b) && at_vertex(model, v).any(|own| has(own.min(k), own.max(k)))
                                }
                                _ => false,
                            });
                            let own = at_vertex(model, v).any(|own| has(own.min(j), own.max(j)));
                            assert!(own || beside, "vertex {v:?} and {j:?}");
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Every edge that is in a shape has a row with it; so has every shape that is over the inside of a face and within its
/// thickness, with the face or beside it.
fn sample_shapes((from, to): (&World, &World), t: f64, rows: &[Row], touching: &mut u32) {
    let model = &from.model;
    let pos: Vec<Vec3> = from.state.pos.iter().zip(&to.state.pos).map(|(a, b)| a.lerp(*b, t)).collect();
    let pose: Vec<_> = poses((from, to), t);
    let at = Places { pos: &pos, pose: &pose, radius: &from.state.radius };
    let prims = || (0..model.prims.len()).map(PrimId::from);
    for shape in prims().filter(|p| matches!(model.prims[p.at()].kind, PrimKind::Shape(_))) {
        for soft in prims().filter(|p| model.prims[p.at()].kind.vertices().len() > 1) {
            let (i, j) = (shape.min(soft), shape.max(soft));
            let (x, y) = (solid_of(model, i, at), solid_of(model, j, at));
            // What is so deep is not beside the arc that a frame turns along.
            touches(&x, &y, -1e-5, &mut |_| {
                *touching += 1;
                let own = model.prims[soft.at()].kind.vertices();
                let near = |p: PrimId| match own.len() {
                    2 => p == soft,
                    _ => model.prims[p.at()].kind.vertices().iter().any(|v| own.contains(v)),
                };
                let has = |r: &Row| r.key.a == shape && near(r.key.b) || r.key.b == shape && near(r.key.a);
                assert!(rows.iter().any(has), "{shape:?} {soft:?} at {t}");
            });
        }
    }
}

fn poses((from, to): (&World, &World), t: f64) -> Vec<serosa_sim::model::Pose> {
    let both = from.state.pose.iter().zip(&to.state.pose);
    both.map(|(a, b)| serosa_sim::model::Pose { pos: a.pos.lerp(b.pos, t), rot: a.rot.slerp(b.rot, t) })
        .collect()
}

fn at_vertex(model: &Model, v: VertexId) -> impl Iterator<Item = PrimId> {
    model.neighbours.at(v).iter().copied()
}

/// A probe thinner than the cells of a membrane, led into the middle of a face, takes the membrane along.
#[test]
fn a_thin_tool_does_not_fit_between_the_edges() {
    for (column, tip) in
        [Vec3::new(0.008, 0.003, 0.02), Vec3::new(-0.003, 0.001, 0.02)].into_iter().enumerate()
    {
        let mut skin = sheet("skin", Vec3::ZERO, [Vec3::X * 0.1, Vec3::Y * 0.1], 6);
        skin.attachments = vec![Selector::Name("border".into())];
        skin.drag = 5.0;
        let mut raw = weightless(vec![skin]);
        raw.world.sweeps = 20;
        raw.tools.push(RawTool {
            solid: RawSolid::Capsule { length: 0.2, radius: 0.0015 },
            ..tool("probe", tip, Vec3::NEG_Z)
        });
        let mut world = baked(&raw).world();
        let mut input = Input::at_rest(&world);
        let mut auditor = Auditor::default();
        for k in 0..600 {
            let depth = 0.03 * (f64::from(k) / 400.0).min(1.0);
            lead(&mut input, tip - Vec3::Z * depth, false);
            step(&mut world, &input, &mut || 0);
            assert_eq!(auditor.check(&world).missed, 0);
        }
        let [rod] = &world.state.pose[..] else { panic!("one tool") };
        let (low, high) = (rod.point(Vec3::Z * -0.1), rod.point(Vec3::Z * 0.1));
        let faces = (0..world.model.prims.len()).filter_map(|p| triangle(&world.model, PrimId::from(p)));
        for face in faces {
            let t = face.map(|v| world.state.pos[v.at()]);
            assert!(crossing(low, high, &t).is_none(), "{column}: through {face:?}");
        }
        let force = world.scratch.contact_force[world.model.tools[0].body.at()];
        assert!(force.z > 0.05 && world.state.pos.iter().any(|p| p.z < -0.003), "{column}: {force}");
    }
}

/// Thrown about with the filter on, no instant of any step has a pair in contact that was not.
#[test]
fn the_filter_keeps_faces_apart() {
    let mut seed = 3;
    for round in 0..8 {
        let mut raw = crowd(&mut seed);
        raw.world.filter = Filter::Planes;
        let mut world = baked(&raw).world();
        let input = Input::at_rest(&world);
        for tick in 0..15 {
            world.state.vel.iter_mut().for_each(|v| *v = noise3(&mut seed) * 20.0);
            for twist in &mut world.state.twist {
                (twist.vel, twist.omega) = (noise3(&mut seed) * 20.0, noise3(&mut seed) * 50.0);
            }
            let from = world.clone();
            step(&mut world, &input, &mut || 0);
            stays_apart(&from, &world, (round, tick));
            assert!(Auditor::default().check(&world).deepest_m <= 0.0, "round {round}, tick {tick}");
        }
    }
}

fn stays_apart(from: &World, to: &World, when: (i32, i32)) {
    let model = &from.model;
    let faces: Vec<usize> =
        (0..model.prims.len()).filter(|p| triangle(model, PrimId::from(*p)).is_some()).collect();
    for k in 0..=6 {
        let t = f64::from(k) / 6.0;
        let pos: Vec<Vec3> = from.state.pos.iter().zip(&to.state.pos).map(|(a, b)| a.lerp(*b, t)).collect();
        let pose = poses((from, to), t);
        let at = Places { pos: &pos, pose: &pose, radius: &from.state.radius };
        let solids: Vec<_> = (0..model.prims.len()).map(|p| solid_of(model, PrimId::from(p), at)).collect();
        for &f in &faces {
            for other in (0..model.prims.len()).filter(|p| *p != f) {
                let (i, j) = (f.min(other), f.max(other));
                if model.may_touch(PrimId::from(i), PrimId::from(j)) {
                    let never = |_, _| true;
                    let near =
                        touches_and_ends(&solids[i], &solids[j], f64::INFINITY, never, &mut |_| {}).unwrap();
                    assert!(near.gap > 0.0, "{when:?} at {t}: {i} {j} {}", near.gap);
                }
            }
        }
    }
}

/// A sheet that falls on a box folds over it and comes to rest on itself without passing through.
#[test]
fn a_sheet_lies_on_itself() {
    // Two sheets of one body, one over the other: their cells do not match, so that vertices meet faces.
    let flat = |z: f64, n: usize, side: f64| {
        let corner = Vec3::new(-0.5 * side, -0.5 * side, z);
        membrane(&Sheet { corner, along: Vec3::X * side, across: Vec3::Y * side, columns: n, rows: n })
    };
    let (mut mesh, over) = (flat(0.004, 7, 0.12), flat(0.03, 4, 0.08));
    let first = mesh.points.len() as u32;
    mesh.points.extend(over.points);
    mesh.edges.extend(over.edges.iter().map(|e| e.map(|v| v + first)));
    mesh.triangles.extend(over.triangles.iter().map(|t| t.map(|v| v + first)));
    mesh.sets.clear();
    let mut body = springs("sheets", mesh, 0.05, 200.0, 0.05);
    (body.friction, body.drag) = (0.5, 2.0);
    let mut raw = scene(vec![floor(), body]);
    (raw.world.sweeps, raw.world.substeps) = (20, 2);
    let mut world = baked(&raw).world();
    let mut auditor = Auditor::default();
    let input = Input::at_rest(&world);
    let mut of_faces = 0;
    for _ in 0..700 {
        step(&mut world, &input, &mut || 0);
        assert_eq!(auditor.check(&world).missed, 0);
        of_faces += once(&world.model, &world.scratch.rows);
    }
    assert!(of_faces > 100, "{of_faces}");
    let (low, high) = world.state.pos.split_at(first as usize);
    let mean = |p: &[Vec3]| p.iter().map(|p| p.z).sum::<f64>() / p.len() as f64;
    assert!(
        (mean(low) - 0.001).abs() < 1e-4 && (mean(high) - 0.003).abs() < 2e-4,
        "{} {}",
        mean(low),
        mean(high)
    );
    assert!(high.iter().all(|p| p.z > 0.0025), "{high:?}");
}
