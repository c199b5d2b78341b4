//! The whole bake: bodies, tools, probes and tunables, with all faults collected.

use crate::raw::{Place, RawBody, RawGeometry, RawModel, RawScene, RawSolid};
use crate::solid::filled;
use crate::{Fault, exclude, flexible, neighbours, overlap, rigid, shells, solid, strip};
use serosa_geometry::{BodyId, PrimId, Vec3};
use serosa_sim::World;
use serosa_sim::model::{Body, BodyKind, Model, PrimKind};
use serosa_sim::params::{BodyParams, Detector, Filter, Params};
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
    bake_watched(raw, &mut |_, _| {})
}

/// The same; `watch` is told, again and again, how many parts of the work are done and how many there are.
pub fn bake_watched(raw: &RawScene, watch: &mut dyn FnMut(usize, usize)) -> Result<Baked, Vec<Fault>> {
    // What is filled, bodies, then what all of them need: exclusions, neighbours, the look at the start.
    let fillings = filled::parts(raw);
    let shares = shares(raw);
    let parts = fillings + shares.iter().sum::<usize>() + 3;
    let mut oven =
        Oven { raw, model: Model::default(), params: params(raw), faults: Vec::new(), notes: Vec::new() };
    oven.check_names();
    oven.check_size();
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    let filled = filled::fill_all(raw, &mut |done| watch(done, parts));
    let raw: &RawScene = &filled.scene;
    (oven.raw, oven.faults) = (raw, filled.faults.clone());
    let mut done = fillings;
    for (i, (body, share)) in raw.bodies.iter().zip(&shares).enumerate() {
        watch(done, parts);
        oven.add_body(i, body, &mut |part| watch(done + part, parts));
        done += share;
    }
    watch(parts - 3, parts);
    oven.add_ties();
    oven.choose_descents();
    oven.add_tools();
    oven.add_shells();
    oven.add_probes();
    raw.tunables.iter().enumerate().for_each(|(i, tunable)| oven.add_tunable(i, tunable));
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    let (excluded, left_out) = exclude::exclusions(&oven.model).map_err(|body| {
        let message =
            "this body is so much thicker than its edges are long that everything touches everything";
        let help = "use a smaller radius or fewer nodes, or write self_contact = false";
        vec![Fault::new(Place::Body(body), message, help)]
    })?;
    oven.model.excluded = excluded;
    oven.fit_tubes();
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    oven.model.skins = filled.skins(&oven.model);
    oven.order_unknowns();
    watch(parts - 2, parts);
    oven.model.neighbours = neighbours::neighbours(&oven.model);
    watch(parts - 1, parts);
    let mut baked = Baked { model: Arc::new(oven.model), params: oven.params, notes: oven.notes };
    baked.notes.extend(filled.notes.clone());
    baked.notes.extend(told_left_out(&baked.model, &left_out));
    baked.notes.extend(notes(raw, &baked));
    overlap::settle(raw, &mut baked)?;
    Ok(baked)
}

/// Parts of the work that each body is, for those who watch.
fn shares(raw: &RawScene) -> Vec<usize> {
    let one = |b: &RawBody| if matches!(b.model, RawModel::Flexible(_)) { flexible::PARTS } else { 1 };
    raw.bodies.iter().map(one).collect()
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
        solver: w.solver,
        filter: w.filter,
        ..Params::default()
    }
}

/// A scene in the making.
pub(crate) struct Oven<'a> {
    pub raw: &'a RawScene,
    pub model: Model,
    pub params: Params,
    pub faults: Vec<Fault>,
    pub notes: Vec<String>,
}

impl Oven<'_> {
    pub(crate) fn fault(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) {
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

    /// Gives all tubes that widen the radius they start with, and forgets those that are wide already.
    fn fit_tubes(&mut self) {
        for (i, body) in self.raw.bodies.iter().enumerate() {
            if let RawGeometry::Strip(raw) = &body.geometry
                && let Err(fault) = strip::fit(&mut self.model, i, raw)
            {
                self.faults.push(fault);
            }
        }
        let prims = &self.model.prims;
        self.model.growths.retain(|g| prims[g.prims.start as usize].radius < g.to);
    }

    /// Surfaces for the responses that look for them.
    fn add_shells(&mut self) {
        if !self.raw.world.response.presses() || !self.faults.is_empty() {
            return;
        }
        if self.raw.world.filter != Filter::Off {
            let message = "this response moves apart what overlaps, and with the filter on nothing ever does";
            self.fault(Place::Scene, message, "write filter = \"off\"");
        }
        for (i, raw) in self.raw.bodies.iter().enumerate() {
            let solid = match &raw.geometry {
                RawGeometry::Solid { solid, .. } => Some(*solid),
                RawGeometry::Mesh { mesh, .. } => {
                    if let Some((message, help)) = shells::fault(mesh) {
                        let message = format!("\"{}\" cannot be pressed: {message}", raw.name);
                        self.fault(Place::Body(i), message, help);
                    }
                    None
                }
                // Refused with its body.
                RawGeometry::Tets(_) | RawGeometry::Filled(_) => None,
                RawGeometry::Strip(_) => {
                    let message = "this response moves surfaces apart, and an intestine has none";
                    self.fault(Place::Body(i), message, "write response = \"displacement-velocity\"");
                    None
                }
            };
            shells::add(&mut self.model, BodyId::from(i), Some(raw), solid);
        }
        for (i, raw) in self.raw.tools.iter().enumerate() {
            let body = BodyId::from(self.raw.bodies.len() + i);
            shells::add(&mut self.model, body, None, Some(raw.solid));
        }
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
                membrane_contact: false,
            });
            self.params.bodies.push(BodyParams { friction: raw.friction, ..BodyParams::default() });
            self.params.couplings.push(coupling);
            self.model.tools.push(tool);
        }
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
    body.geometry.mesh().map_or(0, |mesh| mesh.points.len())
}

pub(crate) fn show(v: Vec3) -> String {
    format!("({:.3}, {:.3}, {:.3})", v.x, v.y, v.z)
}

/// A surface that is thicker than its triangles are wide: what lies next to one another is left out of contact, and what
/// is left is coarse.
fn thick(model: &Model, body: &Body) -> Option<String> {
    let prims = &model.prims[body.prims.start as usize..body.prims.end as usize];
    if !prims.iter().any(|p| matches!(p.kind, PrimKind::Triangle(_))) {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0);
    for prim in prims {
        if let PrimKind::Segment([v, w]) = prim.kind {
            (sum, count) = (sum + (model.rest[v.at()] - model.rest[w.at()]).length(), count + 1);
        }
    }
    let (thickness, edge) = (2.0 * prims[0].radius, sum / f64::from(count.max(1)));
    (count > 0 && thickness > edge).then(|| {
        format!(
            "the surface of \"{}\" is {:.1} mm thick and its edges are {:.1} mm long: what is nearer than that along the \
             surface cannot touch. Make it thinner, or its triangles larger",
            body.name,
            thickness * 1e3,
            edge * 1e3
        )
    })
}

/// The pairs that are left out since they lie too close at rest, body by body.
fn told_left_out(model: &Model, left_out: &[(PrimId, PrimId)]) -> Vec<String> {
    let bodies = |(a, b): &(PrimId, PrimId)| [*a, *b].map(|prim| model.prims[prim.at()].body);
    let mut left_out = left_out.to_vec();
    left_out.sort_by_key(bodies);
    let told = |pairs: &[(PrimId, PrimId)]| {
        let corners = model.prims[pairs[0].0.at()].kind.vertices();
        let near = corners
            .first()
            .map_or(String::new(), |v| format!(", the first near {} m", show(model.rest[v.at()])));
        let (count, [a, b]) = (pairs.len(), bodies(&pairs[0]).map(|b| &model.bodies[b.at()].name));
        if a != b {
            return format!(
                "{count} pairs of edges and faces of \"{a}\" and \"{b}\" are tied to each other where some lie \
                 closer at rest than they are thick{near}: they are left out of their contact"
            );
        }
        format!(
            "{count} pairs of edges and faces of \"{a}\" lie closer at rest than they are thick (crossing diagonals, say){near}: they \
             are left out of its contact with itself"
        )
    };
    left_out.chunk_by(|a, b| bodies(a) == bodies(b)).map(told).collect()
}

/// What is worth knowing about a scene without being wrong.
fn notes(raw: &RawScene, baked: &Baked) -> Vec<String> {
    let (mut notes, model) = (Vec::new(), &baked.model);
    for growth in &model.growths {
        let prim = &model.prims[growth.prims.start as usize];
        notes.push(format!(
            "the tube of \"{}\" starts with a radius of {:.2} mm, which is free, and widens to {:.2} mm in {} s",
            model.bodies[prim.body.at()].name,
            prim.radius * 1e3,
            growth.to * 1e3,
            growth.duration_s
        ));
    }
    if baked.params.detector == Detector::Tracker {
        notes.push(
            "the tracker misses contacts that it has not come upon yet; detector = \"grid\" finds all".into(),
        );
        if model.prims.iter().any(|p| matches!(p.kind, PrimKind::Triangle(_))) {
            notes.push(
                "the tracker follows edges: of contacts with faces it finds those of shapes alone".into(),
            );
        }
    }
    let (budget_s, dt_s) = (raw.world.budget_s.unwrap_or(0.0), raw.world.dt_s);
    if budget_s > dt_s {
        notes.push(format!(
            "a step of {} ms that takes all of its budget of {} ms does not keep up with the clock",
            dt_s * 1e3,
            budget_s * 1e3
        ));
    }
    notes.extend(model.bodies.iter().filter_map(|body| thick(model, body)));
    notes.extend(solid::notes(raw, baked));
    notes
}
