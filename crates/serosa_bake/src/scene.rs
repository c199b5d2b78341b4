//! The whole bake: bodies, tools, probes and tunables, with all faults collected.

use crate::raw::{
    Place, RawBody, RawGeometry, RawMeasure, RawModel, RawPlace, RawScene, RawSolid, RawTunable, Selector,
};
use crate::{Fault, exclude, neighbours, rigid, select, springs};
use serosa_geometry::{BodyId, Mesh, PrimId, ToolId, Vec3, VertexId};
use serosa_sim::World;
use serosa_sim::model::{Body, BodyKind, Model, Prim};
use serosa_sim::params::{BodyParams, Detector, Params, Target, Tunable};
use serosa_sim::probe::{Measure, Place as ProbePlace, Probe};
use std::sync::Arc;

/// The most vertices a scene may have.
pub const VERTICES_MAX: usize = 2_000_000;

/// A scene that can be stepped.
#[derive(Clone, Debug)]
pub struct Baked {
    /// Fixed.
    pub model: Arc<Model>,
    /// As the scene starts.
    pub params: Params,
    /// Things worth knowing that are not faults, in whole sentences.
    pub notes: Vec<String>,
}

impl Baked {
    /// A world at its start.
    pub fn world(&self) -> World {
        World::new(self.model.clone(), self.params.clone())
    }
}

/// Makes a model of a raw scene, or says all that is wrong with it.
pub fn bake(raw: &RawScene) -> Result<Baked, Vec<Fault>> {
    let mut oven = Oven { raw, model: Model::default(), params: params(raw), faults: Vec::new() };
    oven.check_names();
    oven.check_size();
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    raw.bodies.iter().enumerate().for_each(|(i, body)| oven.add_body(i, body));
    oven.add_tools();
    oven.add_probes();
    raw.tunables.iter().enumerate().for_each(|(i, tunable)| oven.add_tunable(i, tunable));
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    oven.model.excluded = exclude::exclusions(&oven.model).map_err(|body| {
        let message =
            "this body is so much thicker than its edges are long that everything touches everything";
        let help = "use a smaller radius or fewer nodes, or write self_contact = false";
        vec![Fault::new(Place::Body(body), message, help)]
    })?;
    oven.model.neighbours = neighbours::neighbours(&oven.model);
    let mut baked = Baked { model: Arc::new(oven.model), params: oven.params, notes: Vec::new() };
    baked.notes = notes(raw, &baked);
    Ok(baked)
}

fn params(raw: &RawScene) -> Params {
    let w = &raw.world;
    Params {
        dt_s: w.dt_s,
        substeps: w.substeps,
        sweeps: w.sweeps,
        down: w.gravity.try_normalize().unwrap_or(Vec3::NEG_Z),
        gravity: w.gravity.length(),
        detector: w.detector,
        tracker: w.tracker,
        response: w.response,
        filter: w.filter,
        ..Params::default()
    }
}

struct Oven<'a> {
    raw: &'a RawScene,
    model: Model,
    params: Params,
    faults: Vec<Fault>,
}

impl Oven<'_> {
    fn fault(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault::new(place, message, help));
    }

    fn check_names(&mut self) {
        let bodies = self.raw.bodies.iter().enumerate().map(|(i, b)| (b.name.as_str(), Place::Body(i)));
        let tools = self.raw.tools.iter().enumerate().map(|(i, t)| (t.name.as_str(), Place::Tool(i)));
        let probes = self.raw.probes.iter().enumerate().map(|(i, p)| (p.name.as_str(), Place::Probe(i)));
        let mut faults = repeated(bodies.chain(tools));
        faults.extend(repeated(probes));
        self.faults.extend(faults);
        if self.raw.bodies.is_empty() {
            self.fault(
                Place::Scene,
                "the scene has no body",
                "add a [[body]]; `serosa scenes rope-drop` shows one",
            );
        }
    }

    fn check_size(&mut self) {
        let vertices: usize = self.raw.bodies.iter().map(vertex_count).sum();
        if vertices > VERTICES_MAX {
            let message = format!("the scene has {vertices} vertices, more than {VERTICES_MAX}");
            self.fault(Place::Scene, message, "use fewer nodes, columns or rows");
        }
    }

    fn add_body(&mut self, i: usize, raw: &RawBody) {
        let place = Place::Body(i);
        let (vertices, prims) = (self.model.rest.len() as u32, self.model.prims.len() as u32);
        let kind = match (&raw.geometry, raw.model) {
            (RawGeometry::Mesh { mesh, radius }, RawModel::Springs { .. }) => {
                let found = springs::faults(mesh, place);
                let fixed = self.fixed_vertices(i, raw, mesh);
                if !found.is_empty() {
                    return self.faults.extend(found);
                }
                let tuned = format!("{}.bending", raw.name);
                let bends = self.raw.tunables.iter().any(|t| t.target == tuned);
                BodyKind::Springs(springs::add(&mut self.model, mesh, (*radius, bends), raw.model, &fixed))
            }
            (RawGeometry::Solid { solid, pose }, RawModel::Fixed) => {
                BodyKind::Rigid(rigid::add(&mut self.model, *solid, *pose, None))
            }
            (RawGeometry::Solid { solid: RawSolid::Plane, .. }, RawModel::Rigid { .. }) => {
                return self.fault(place, "a plane has no end and cannot move", "write model.fixed = {}");
            }
            (RawGeometry::Solid { solid, pose }, RawModel::Rigid { mass }) => {
                BodyKind::Rigid(rigid::add(&mut self.model, *solid, *pose, Some(mass)))
            }
            (RawGeometry::Mesh { .. }, _) => {
                return self.fault(
                    place,
                    "a chain, net, membrane or mesh needs model.springs",
                    "write model.springs = { mass = …, stiffness = … }",
                );
            }
            (RawGeometry::Solid { .. }, RawModel::Springs { .. }) => {
                return self.fault(
                    place,
                    "a plane, sphere, capsule or box cannot be made of springs",
                    "write model.rigid = { mass = … } or model.fixed = {}",
                );
            }
        };
        if matches!(kind, BodyKind::Rigid(_)) && !raw.attachments.is_empty() {
            self.fault(
                Place::Attachment(i, 0),
                "only bodies made of springs can be attached",
                "write model.fixed = {} to hold a solid where it is",
            );
        }
        self.close_body(raw, kind, vertices, prims);
    }

    fn close_body(&mut self, raw: &RawBody, kind: BodyKind, vertices: u32, prims: u32) {
        self.model.bodies.push(Body {
            name: raw.name.clone(),
            kind,
            vertices: vertices..self.model.rest.len() as u32,
            prims: prims..self.model.prims.len() as u32,
            self_contact: raw.self_contact,
        });
        let (stiffness, bending, damping) = match raw.model {
            RawModel::Springs { stiffness, bending, damping, .. } => (stiffness, bending, damping),
            _ => (0.0, 0.0, 0.0),
        };
        self.params.bodies.push(BodyParams {
            stiffness,
            bending,
            damping,
            bend_share: if stiffness > 0.0 { (bending / stiffness).min(1.0) } else { 0.0 },
            drag: raw.drag,
            friction: raw.friction,
        });
    }

    fn fixed_vertices(&mut self, i: usize, raw: &RawBody, mesh: &Mesh) -> Vec<u32> {
        let mut fixed = Vec::new();
        for (k, selector) in raw.attachments.iter().enumerate() {
            match select::select(mesh, selector) {
                Some(vertices) if vertices.is_empty() => {
                    let b = mesh.bounds();
                    let help = format!("the body reaches from {} to {} m", show(b.min), show(b.max));
                    self.fault(Place::Attachment(i, k), "this attachment holds no vertex", help);
                }
                Some(vertices) => fixed.extend(vertices),
                None => {
                    let name = if let Selector::Name(name) = selector { name } else { "" };
                    let help = format!("this body has the sets: {}", select::names(mesh));
                    self.fault(
                        Place::Attachment(i, k),
                        format!("this body has no set called \"{name}\""),
                        help,
                    );
                }
            }
        }
        fixed.sort_unstable();
        fixed.dedup();
        fixed
    }

    fn add_tools(&mut self) {
        for (i, raw) in self.raw.tools.iter().enumerate() {
            if matches!(raw.solid, RawSolid::Plane) {
                self.fault(Place::Tool(i), "a tool cannot be a plane", "use a capsule, a sphere or a box");
                continue;
            }
            let prims = self.model.prims.len() as u32;
            let (tool, coupling) = rigid::add_tool(&mut self.model, raw);
            let vertices = self.model.rest.len() as u32;
            self.model.bodies.push(Body {
                name: raw.name.clone(),
                kind: BodyKind::Rigid(tool.rigid),
                vertices: vertices..vertices,
                prims: prims..prims + 1,
                self_contact: false,
            });
            self.params.bodies.push(BodyParams { friction: raw.friction, ..BodyParams::default() });
            self.params.couplings.push(coupling);
            self.model.tools.push(tool);
        }
    }

    fn add_probes(&mut self) {
        for (i, raw) in self.raw.probes.iter().enumerate() {
            if let Some(measure) = self.measure(Place::Probe(i), &raw.measure) {
                self.model.probes.push(Probe { name: raw.name.clone(), measure });
            }
        }
    }

    fn measure(&mut self, place: Place, raw: &RawMeasure) -> Option<Measure> {
        Some(match raw {
            RawMeasure::Position(p) => Measure::Position(self.place(place, p)?),
            RawMeasure::Distance(a, b) => Measure::Distance(self.place(place, a)?, self.place(place, b)?),
            RawMeasure::Length(name) => {
                let body = self.body(place, name)?;
                if let BodyKind::Rigid(_) = self.model.bodies[body.at()].kind {
                    self.fault(
                        place,
                        format!("\"{name}\" has no edges to measure"),
                        "name a body made of springs",
                    );
                    return None;
                }
                Measure::Length(body)
            }
            RawMeasure::ContactForce(name) => Measure::ContactForce(self.body(place, name)?),
            RawMeasure::HandForce(name) => Measure::HandForce(self.tool(place, name)?),
            RawMeasure::SupportForce(p) => match (self.body(place, &p.body)?, self.place(place, p)?) {
                (body, ProbePlace::Vertices(vertices)) => Measure::SupportForce(body, vertices),
                _ => {
                    self.fault(place, "only a body made of springs has a support", "name such a body");
                    return None;
                }
            },
            RawMeasure::Energy(kind, None) => Measure::Energy(*kind, None),
            RawMeasure::Energy(kind, Some(name)) => Measure::Energy(*kind, Some(self.body(place, name)?)),
        })
    }

    fn body(&mut self, place: Place, name: &str) -> Option<BodyId> {
        let found = self.model.body(name);
        if found.is_none() {
            let names: Vec<&str> = self.model.bodies.iter().map(|b| b.name.as_str()).collect();
            let help = format!("the scene has: {}", names.join(", "));
            self.fault(place, format!("there is no body or tool called \"{name}\""), help);
        }
        found
    }

    fn tool(&mut self, place: Place, name: &str) -> Option<ToolId> {
        let found = self.model.tools.iter().position(|t| t.name == name).map(ToolId::from);
        if found.is_none() {
            let names: Vec<&str> = self.model.tools.iter().map(|t| t.name.as_str()).collect();
            let help = format!("the scene has the tools: {}", names.join(", "));
            self.fault(place, format!("there is no tool called \"{name}\""), help);
        }
        found
    }

    fn place(&mut self, place: Place, raw: &RawPlace) -> Option<ProbePlace> {
        let id = self.body(place, &raw.body)?;
        if let BodyKind::Rigid(r) = self.model.bodies[id.at()].kind {
            if !raw.at.is_empty() {
                let message = format!("\"{}\" is a solid and has no part called \"{}\"", raw.body, raw.at);
                self.fault(place, message, "leave `at` out: its centre, or the tip of a tool, is meant");
                return None;
            }
            let tip = self.model.tools.iter().find(|t| t.rigid == r).map_or(Vec3::ZERO, |t| t.tip);
            return Some(ProbePlace::Frame(r, tip));
        }
        let first = self.model.bodies[id.at()].vertices.start;
        let RawGeometry::Mesh { mesh, .. } = &self.raw.bodies[id.at()].geometry else { return None };
        let all = mesh.points.len() as u32;
        let chosen: Option<Vec<u32>> = match raw.at.as_str() {
            "" => Some((0..all).collect()),
            name => match name.parse::<u32>() {
                Ok(v) if v < all => Some(vec![v]),
                _ => mesh.sets.get(name).cloned(),
            },
        };
        let Some(chosen) = chosen else {
            let help = format!("use a vertex number below {all} or one of: {}", select::names(mesh));
            self.fault(place, format!("\"{}\" is no part of body \"{}\"", raw.at, raw.body), help);
            return None;
        };
        Some(ProbePlace::Vertices(chosen.into_iter().map(|v| VertexId(first + v)).collect()))
    }

    fn add_tunable(&mut self, i: usize, raw: &RawTunable) {
        let place = Place::Tunable(i);
        let Some(target) = self.target(place, &raw.target) else { return };
        let start = self.params.value(target);
        if raw.min >= raw.max || !(raw.min..=raw.max).contains(&start) {
            let size = raw.unit.1;
            let message = format!(
                "the range {} to {} {} does not hold the value the scene starts with, {}",
                raw.min / size,
                raw.max / size,
                raw.unit.0,
                start / size
            );
            return self.fault(place, message, "choose min below and max above that value");
        }
        let name = if raw.name.is_empty() { raw.target.clone() } else { raw.name.clone() };
        let (unit, min, max) = (raw.unit.clone(), raw.min, raw.max);
        self.params.tunables.push(Tunable { name, target, unit, min, max, start });
    }

    fn target(&mut self, place: Place, path: &str) -> Option<Target> {
        if path == "gravity" {
            return Some(Target::Gravity);
        }
        let (name, key) = path.rsplit_once('.').unwrap_or((path, ""));
        let springs = |b: BodyId, this: &Self| matches!(this.model.bodies[b.at()].kind, BodyKind::Springs(_));
        let found = match key {
            "coupling" => Target::CouplingStiffness(self.tool(place, name)?),
            "friction" => Target::Friction(self.body(place, name)?),
            "drag" => Target::Drag(self.body(place, name)?),
            "stiffness" | "bending" | "damping" => {
                let b = self.body(place, name)?;
                if !springs(b, self) {
                    self.fault(
                        place,
                        format!("\"{name}\" is not made of springs"),
                        "name a body with model.springs",
                    );
                    return None;
                }
                match key {
                    "stiffness" => Target::Stiffness(b),
                    "bending" => Target::Bending(b),
                    _ => Target::Damping(b),
                }
            }
            _ => {
                let help = "write gravity, BODY.stiffness, BODY.bending, BODY.damping, BODY.drag, \
                            BODY.friction or TOOL.coupling";
                self.fault(place, format!("\"{path}\" cannot be tuned"), help);
                return None;
            }
        };
        Some(found)
    }
}

fn repeated<'a>(named: impl Iterator<Item = (&'a str, Place)>) -> Vec<Fault> {
    let mut seen = std::collections::BTreeSet::new();
    named
        .filter(|(name, _)| !seen.insert(*name))
        .map(|(name, place)| {
            Fault::new(place, format!("the name \"{name}\" is used twice"), "choose another")
        })
        .collect()
}

fn vertex_count(body: &RawBody) -> usize {
    match &body.geometry {
        RawGeometry::Mesh { mesh, .. } => mesh.points.len(),
        RawGeometry::Solid { .. } => 0,
    }
}

fn show(v: Vec3) -> String {
    format!("({:.3}, {:.3}, {:.3})", v.x, v.y, v.z)
}

/// What is worth knowing about a scene without being wrong.
fn notes(raw: &RawScene, baked: &Baked) -> Vec<String> {
    let mut notes = Vec::new();
    let left_out = baked.model.excluded.overlapping_at_rest;
    if left_out > 0 {
        notes.push(format!(
            "{left_out} pairs of edges lie closer at rest than they are thick (crossing diagonals, say) and \
             are left out of self-contact"
        ));
    }
    if baked.params.detector == Detector::Tracker {
        notes.push(
            "the tracker misses contacts that it has not come upon yet; detector = \"grid\" finds all".into(),
        );
    }
    let boxes = |s: &RawGeometry| matches!(s, RawGeometry::Solid { solid: RawSolid::Cuboid { .. }, .. });
    let count = raw.bodies.iter().filter(|b| boxes(&b.geometry)).count();
    if count > 1 && raw.bodies.iter().any(|b| boxes(&b.geometry) && matches!(b.model, RawModel::Rigid { .. }))
    {
        notes.push("boxes do not collide with boxes: two of them can pass through each other".to_owned());
    }
    notes.extend(starting_overlap(baked));
    notes
}

/// The deepest overlap between two bodies at the start.
fn starting_overlap(baked: &Baked) -> Option<String> {
    let world = baked.world();
    let at = serosa_sim::detect::Places {
        pos: &world.state.pos,
        pose: &world.state.pose,
        radius: &world.state.radius,
    };
    let mut rows = Vec::new();
    let mut finder = serosa_sim::detect::Finder::default();
    finder.rows(&world.model, &world.params, Detector::Grid, at, &mut rows);
    let deepest = rows.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).filter(|r| r.gap < -1e-6)?;
    let name = |p: PrimId| -> &str {
        let Prim { body, .. } = baked.model.prims[p.at()];
        &baked.model.bodies[body.at()].name
    };
    let (a, b) = (name(deepest.key.a), name(deepest.key.b));
    let depth_mm = -deepest.gap * 1e3;
    Some(format!("\"{a}\" and \"{b}\" overlap by {depth_mm:.2} mm at the start and will be pushed apart"))
}
