//! What a page is told of a scene before its first frame.

use crate::scenes::{BUILT_IN, find};
use crate::view::page;
use serosa_bake::raw::{Finish, Inside, RawBody, RawGeometry, RawModel, RawScene, RawStrip};
use serosa_geometry::{BodyId, Mesh, Vec3, VertexId};
use serosa_io::scene::{Headline, Loaded, Problem, headline};
use serosa_io::wire::{
    BodyInfo, CameraInfo, ElementInfo, GalleryEntry, GoalInfo, Look, ProbeInfo, ProblemInfo, SceneInfo,
    SolidShape, Surface, TextInfo, ToolInfo, TunableInfo,
};
use serosa_sim::model::{Body, BodyKind, ControlElement, Model, PrimKind, Shape};
use serosa_sim::probe::{Measure, Probe};

/// The built-in scenes.
pub fn gallery() -> Vec<GalleryEntry> {
    let entry = |name: &str| {
        let Headline { title, about } = headline(&find(name).ok()?.text).ok()?;
        let picture = format!("/pictures/{name}.jpg");
        let picture = page::find(&picture).is_some().then_some(picture);
        Some(GalleryEntry { name: name.to_owned(), title, about, picture })
    };
    BUILT_IN.iter().filter_map(|s| entry(s.name)).collect()
}

/// A scene as it is drawn.
pub fn scene_info(name: &str, loaded: &Loaded) -> SceneInfo {
    let (raw, model, params) = (&loaded.raw, &loaded.baked.model, &loaded.baked.params);
    let tool = |t: &serosa_sim::model::Tool| ToolInfo {
        name: t.name.clone(),
        body: t.body.at(),
        rigid: t.rigid.at(),
        tip: t.tip.to_array(),
    };
    let probe = |p: &Probe| ProbeInfo { name: p.name.clone(), unit: p.unit().to_owned(), width: p.width() };
    let tunable = |t: &serosa_sim::params::Tunable| TunableInfo {
        name: t.name.clone(),
        unit: t.unit.0.clone(),
        unit_size: t.unit.1,
        min: t.min,
        max: t.max,
        value: t.start,
    };
    SceneInfo {
        name: name.to_owned(),
        title: raw.title.clone(),
        about: raw.about.clone(),
        dt_s: params.dt_s,
        sweeps: params.sweeps,
        budget_ms: raw.world.budget_s.map(|s| 1e3 * s),
        bodies: model.bodies.iter().enumerate().map(|(i, b)| body(raw, model, i, b)).collect(),
        tools: model.tools.iter().map(tool).collect(),
        elements: serosa_sim::body::flexible::elements(model).map(|e| element(model, e)).collect(),
        probes: model.probes.iter().map(probe).collect(),
        tunables: params.tunables.iter().map(tunable).collect(),
        camera: raw.camera.map(|c| CameraInfo {
            eye: c.eye.to_array(),
            target: c.target.to_array(),
            angle: c.angle,
        }),
        texts: raw.texts.iter().map(|t| TextInfo { text: t.text.clone(), at: t.at.to_array() }).collect(),
        goals: model.probes.iter().enumerate().filter_map(goal).collect(),
        notes: loaded.baked.notes.iter().map(|n| sentence(n)).collect(),
    }
}

fn goal((probe, p): (usize, &Probe)) -> Option<GoalInfo> {
    let Measure::Cover(c) = &p.measure else { return None };
    Some(GoalInfo { probe, min: c.min.to_array(), max: c.max.to_array(), from: c.from.to_array() })
}

fn body(raw: &RawScene, model: &Model, i: usize, body: &Body) -> BodyInfo {
    let geometry = raw.bodies.get(i).map(|b| &b.geometry);
    let look = match (&body.kind, geometry) {
        (BodyKind::Rigid(r), _) => Look::Solid {
            rigid: r.at(),
            shape: solid(model, r.at()),
            movable: model.rigids[r.at()].inv_mass > 0.0,
        },
        (BodyKind::Flexible(flexible), _) => {
            let rest = model.rest[body.vertex_range()].to_vec();
            let mesh = Mesh::from_triangles(rest, flexible.triangles.clone());
            let spots = raw.bodies.get(i).map_or_else(Vec::new, spots);
            let own = flexible.nodes.iter().filter_map(|n| spots.get(*n as usize)).copied().collect();
            // What does not yield at all is not held, but led.
            let held = if flexible.give.is_empty() { Vec::new() } else { held(model, body) };
            spotted(threads_or_skin(&mesh, 0.0, held), own)
        }
        (_, Some(RawGeometry::Mesh { mesh, radius })) => {
            // Surfaces that press one another touch where they are, others as thick as their edges.
            let shell = model.shells.iter().find(|shell| shell.body.at() == i);
            soft(model, body, mesh, shell.map_or(*radius, |shell| shell.thickness))
        }
        (_, Some(RawGeometry::Strip(raw))) => strip(model, body, raw),
        (_, Some(RawGeometry::Tets(tets))) => {
            spotted(soft(model, body, &tets.mesh, 0.0), spots(&raw.bodies[i]))
        }
        (_, Some(RawGeometry::Filled(filled))) => {
            spotted(skin(model, i, &filled.surface), spots(&raw.bodies[i]))
        }
        // Soft bodies are only made from meshes, strips and tetrahedra.
        (_, _) => {
            Look::Threads { rest: Vec::new(), edges: Vec::new(), radius: 0.0, chain: false, held: Vec::new() }
        }
    };
    let flexible = matches!(body.kind, BodyKind::Flexible(_));
    BodyInfo { name: body.name.clone(), look, surface: surface(raw, i), flexible }
}

fn element(model: &Model, (body, element): (BodyId, &ControlElement)) -> ElementInfo {
    let own = model.bodies[body.at()].vertices.start;
    let at = |v: &u32| model.rest[(own + v) as usize];
    let reach = element.vertices.iter().map(|v| (at(v) - element.origin).abs()).fold(Vec3::ZERO, Vec3::max);
    ElementInfo {
        name: element.name.clone(),
        body: body.at(),
        origin: element.origin.to_array(),
        reach: reach.to_array(),
        vertices: element.vertices.clone(),
        give: element.softness.map(|soft| {
            let mean = |from: usize| (from..from + 3).map(|k| soft[k][k]).sum::<f64>() / 3.0;
            [mean(0), mean(3)]
        }),
    }
}

/// As the scene says; tools, which come after the bodies, are of steel.
fn surface(raw: &RawScene, i: usize) -> Surface {
    match raw.bodies.get(i).map(|b| b.finish) {
        None | Some(Finish::Steel) => Surface::Steel,
        Some(Finish::Table) => Surface::Table,
        Some(Finish::Tissue) => Surface::Tissue,
        Some(Finish::Bowel) => Surface::Bowel,
        Some(Finish::Kidney) => Surface::Kidney,
        Some(Finish::Liver) => Surface::Liver,
        Some(Finish::Gallbladder) => Surface::Gallbladder,
        Some(Finish::Stomach) => Surface::Stomach,
        Some(Finish::Spleen) => Surface::Spleen,
        Some(Finish::Colon) => Surface::Colon,
        Some(Finish::Weave) => Surface::Weave,
        Some(Finish::Rubber) => Surface::Rubber,
        Some(Finish::Plastic) => Surface::Plastic,
        Some(Finish::Plain) => Surface::Plain,
    }
}

fn rest(mesh: &Mesh) -> Vec<f32> {
    mesh.points.iter().flat_map(|p| p.to_array().map(|v| v as f32)).collect()
}

/// Vertices of a body held where they are, counted within it.
fn held(model: &Model, body: &Body) -> Vec<u32> {
    let start = body.vertices.start;
    let fixed = body.vertices.clone().filter(|v| model.inv_mass[*v as usize] == 0.0);
    fixed.map(|v| v - start).collect()
}

fn soft(model: &Model, body: &Body, mesh: &Mesh, radius: f64) -> Look {
    threads_or_skin(mesh, radius, held(model, body))
}

/// The surface of a solid that was filled. Points that hang on held vertices more than on others are held.
fn skin(model: &Model, i: usize, mesh: &Mesh) -> Look {
    let carried = model.skins.iter().find(|s| s.body.at() == i).map_or(&[][..], |s| &s.points);
    let fixed = |nodes: &[VertexId; 4], weights: &[f64; 4]| -> f64 {
        nodes.iter().zip(weights).filter(|(v, _)| model.inv_mass[v.at()] == 0.0).map(|(_, w)| w).sum()
    };
    let held = carried.iter().zip(0..).filter(|((nodes, w), _)| fixed(nodes, w) > 0.5).map(|(_, p)| p);
    threads_or_skin(mesh, 0.0, held.collect())
}

/// With what comes to the surface of other materials.
fn spotted(look: Look, spots: Vec<f32>) -> Look {
    match look {
        Look::Skin { rest, triangles, edges, radius, held, .. } => {
            Look::Skin { rest, triangles, edges, radius, held, spots }
        }
        other => other,
    }
}

/// How much of other materials there is at each point of a solid or flexible body; empty where there are none.
fn spots(raw: &RawBody) -> Vec<f32> {
    let regions = match &raw.model {
        RawModel::Solid(elastic) => &elastic.regions,
        RawModel::Flexible(flexible) => &flexible.regions,
        _ => return Vec::new(),
    };
    let Some(mesh) = raw.geometry.mesh().filter(|_| !regions.is_empty()) else { return Vec::new() };
    let mut spots = vec![0.0f32; mesh.points.len()];
    for (inside, _) in regions {
        let numbered = match (&raw.geometry, inside) {
            (RawGeometry::Tets(tets), Inside::Number(n)) => {
                let corners = tets.regions.iter().zip(&tets.tets).filter(|t| t.0 == n).flat_map(|t| *t.1);
                let middles = tets.regions.iter().zip(&tets.middles).filter(|t| t.0 == n).flat_map(|t| *t.1);
                corners.chain(middles).collect::<Vec<u32>>()
            }
            _ => Vec::new(),
        };
        numbered.iter().for_each(|v| spots[*v as usize] = 1.0);
        for (spot, p) in spots.iter_mut().zip(&mesh.points) {
            // One half where its border is. It is wide, as a capsule lies over it.
            let deep = match inside {
                Inside::Ball { center, radius } => 0.5 + (radius - p.distance(*center)) / (0.5 * radius),
                Inside::Box(b) => f64::from(u8::from(b.contains(*p))),
                Inside::Number(_) => 0.0,
            };
            *spot = spot.max(deep.clamp(0.0, 1.0) as f32);
        }
    }
    spots
}

fn threads_or_skin(mesh: &Mesh, radius: f64, held: Vec<u32>) -> Look {
    let rest = rest(mesh);
    let edges: Vec<u32> = mesh.edges.iter().flatten().copied().collect();
    if mesh.triangles.is_empty() {
        let chain = mesh.edges.iter().zip(0..).all(|(e, i)| *e == [i, i + 1]);
        return Look::Threads { rest, edges, radius, chain, held };
    }
    let triangles = mesh.triangles.iter().flatten().copied().collect();
    Look::Skin { rest, triangles, edges, radius, held, spots: Vec::new() }
}

fn strip(model: &Model, body: &Body, raw: &RawStrip) -> Look {
    let mesh = &raw.strip.mesh;
    Look::Strip {
        rest: rest(mesh),
        rows: raw.strip.rows,
        columns: raw.strip.columns,
        triangles: mesh.triangles.iter().flatten().copied().collect(),
        edges: mesh.edges.iter().flatten().copied().collect(),
        radius: raw.radius,
        skin_radius: raw.half_thickness,
        held: held(model, body),
    }
}

fn solid(model: &Model, rigid: usize) -> SolidShape {
    let own = |kind: &PrimKind| matches!(kind, PrimKind::Shape(r) if r.at() == rigid);
    let radius = model.prims.iter().find(|p| own(&p.kind)).map_or(0.0, |p| p.radius);
    match model.rigids[rigid].shape {
        Shape::Ball => SolidShape::Sphere { radius },
        Shape::Capsule { half } => SolidShape::Capsule { length: 2.0 * half, radius },
        Shape::Cuboid { half } => SolidShape::Box { size: (half * 2.0).to_array() },
        Shape::Plane => SolidShape::Plane,
    }
}

/// A note as a whole sentence: in a list of the page there is nothing before it.
fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let end = if note.ends_with(['.', '!', '?']) { "" } else { "." };
    first.chain(letters).chain(end.chars()).collect()
}

/// A mistake with the line it is in.
pub fn problem_info(problem: &Problem, text: &str) -> ProblemInfo {
    let (line, column) = problem.line_column(text);
    let source = text.lines().nth(line - 1).unwrap_or_default().chars().take(400).collect();
    ProblemInfo { line, column, message: problem.message.clone(), help: problem.help.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn notes_become_sentences() {
        let all = [
            ("two pairs overlap", "Two pairs overlap."),
            ("Done.", "Done."),
            ("\"a\" is held", "\"a\" is held."),
        ];
        for (note, wanted) in all {
            assert_eq!(sentence(note), wanted);
        }
        assert_eq!(sentence("ärger"), "Ärger.");
    }
}
