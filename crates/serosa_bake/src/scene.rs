//! The whole bake: bodies, tools, probes and tunables, with all faults collected.

use crate::raw::{Place, RawBody, RawGeometry, RawModel, RawScene, RawSolid};
use crate::solid::filled;
use crate::{Fault, exclude, neighbours, rigid, shells, solid, strip};
use serosa_geometry::{BodyId, PrimId, Vec3};
use serosa_sim::World;
use serosa_sim::detect::{Finder, Places, Shells};
use serosa_sim::model::{Body, BodyKind, Model, Pose, PrimKind};
use serosa_sim::params::{BodyParams, Detector, Filter, Params, Response};
use serosa_sim::row::{Held, Row};
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
    let parts = fillings + raw.bodies.len() + 3;
    let mut oven = Oven { raw, model: Model::default(), params: params(raw), faults: Vec::new() };
    oven.check_names();
    oven.check_size();
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    let filled = filled::fill_all(raw, &mut |done| watch(done, parts));
    let raw: &RawScene = &filled.scene;
    (oven.raw, oven.faults) = (raw, filled.faults.clone());
    for (i, body) in raw.bodies.iter().enumerate() {
        watch(fillings + i, parts);
        oven.add_body(i, body);
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
    oven.model.excluded = exclude::exclusions(&oven.model).map_err(|body| {
        let message =
            "this body is so much thicker than its edges are long that everything touches everything";
        let help = "use a smaller radius or fewer nodes, or write self_contact = false";
        vec![Fault::new(Place::Body(body), message, help)]
    })?;
    oven.fit_tubes();
    if !oven.faults.is_empty() {
        return Err(oven.faults);
    }
    oven.model.skins = filled.skins(&oven.model);
    watch(parts - 2, parts);
    oven.model.neighbours = neighbours::neighbours(&oven.model);
    watch(parts - 1, parts);
    let mut baked = Baked { model: Arc::new(oven.model), params: oven.params, notes: Vec::new() };
    baked.notes.clone_from(&filled.notes);
    baked.notes.extend(notes(raw, &baked));
    if raw.world.response.presses() {
        let overlaps = pressed_at_start(&baked);
        baked.notes.extend(told(&overlaps, &baked));
        return Ok(baked);
    }
    match starting_overlap(&baked) {
        Some(overlap) if raw.world.filter != Filter::Off => return Err(vec![overlap.fault(raw, &baked)]),
        Some(overlap) if overlap.depth_m > NOTED => baked.notes.push(overlap.note(&baked)),
        _ => {}
    }
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

/// A scene in the making.
pub(crate) struct Oven<'a> {
    pub raw: &'a RawScene,
    pub model: Model,
    pub params: Params,
    pub faults: Vec<Fault>,
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

/// What is worth knowing about a scene without being wrong.
fn notes(raw: &RawScene, baked: &Baked) -> Vec<String> {
    let (mut notes, model) = (Vec::new(), &baked.model);
    let left_out = model.excluded.overlapping_at_rest;
    if left_out > 0 {
        notes.push(format!(
            "{left_out} pairs of edges and faces lie closer at rest than they are thick (crossing diagonals, say) \
             and are left out of self-contact"
        ));
    }
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
    let boxes = |s: &RawGeometry| matches!(s, RawGeometry::Solid { solid: RawSolid::Cuboid { .. }, .. });
    let count = raw.bodies.iter().filter(|b| boxes(&b.geometry)).count();
    if count > 1 && raw.bodies.iter().any(|b| boxes(&b.geometry) && matches!(b.model, RawModel::Rigid { .. }))
    {
        notes.push("boxes do not collide with boxes: two of them can pass through each other".to_owned());
    }
    let (budget_s, dt_s) = (raw.world.budget_s.unwrap_or(0.0), raw.world.dt_s);
    if budget_s > dt_s {
        notes.push(format!(
            "a step of {} ms that takes all of its budget of {} ms does not keep up with the clock",
            dt_s * 1e3,
            budget_s * 1e3
        ));
    }
    notes.extend(solid::notes(raw, baked));
    notes
}

/// Overlaps deeper than this are noted \[m\].
const NOTED: f64 = 1e-6;

/// So many pairs of bodies that overlap are named.
const TOLD: usize = 8;

/// Two bodies that overlap at the start.
struct Overlap {
    bodies: [BodyId; 2],
    /// The first or the second, where every vertex of it is inside the other.
    inside: Option<usize>,
    depth_m: f64,
    at: Vec3,
}

impl Overlap {
    fn names<'a>(&self, baked: &'a Baked) -> [&'a str; 2] {
        self.bodies.map(|b| baked.model.bodies[b.at()].name.as_str())
    }

    fn note(&self, baked: &Baked) -> String {
        let ([a, b], depth_mm) = (self.names(baked), self.depth_m * 1e3);
        if let Some(k) = self.inside {
            let (inner, outer) = if k == 0 { (a, b) } else { (b, a) };
            return format!(
                "\"{inner}\" lies inside \"{outer}\" at the start, {depth_mm:.2} mm deep, and will be pushed out"
            );
        }
        format!("\"{a}\" and \"{b}\" overlap by {depth_mm:.2} mm at the start and will be pushed apart")
    }

    fn fault(&self, raw: &RawScene, baked: &Baked) -> Fault {
        let [a, b] = self.names(baked);
        // Tools come after the bodies, and are easier to move.
        let last = self.bodies[0].at().max(self.bodies[1].at());
        let place = match last.checked_sub(raw.bodies.len()) {
            Some(tool) => Place::Tool(tool),
            None => Place::Body(last),
        };
        let what =
            if a == b { format!("\"{a}\" overlaps itself") } else { format!("\"{a}\" and \"{b}\" overlap") };
        let (depth_mm, at) = (self.depth_m * 1e3, show(self.at));
        let message = format!("{what} by {depth_mm:.2} mm at the start, near {at} m, and the filter is on");
        Fault::new(
            place,
            message,
            "move them apart: the filter only keeps apart what begins apart, or write filter = \"off\"",
        )
    }
}

/// Notes on overlaps: the first of them by name, the others by their number.
fn told(overlaps: &[Overlap], baked: &Baked) -> Vec<String> {
    let mut notes: Vec<String> = overlaps.iter().take(TOLD).map(|overlap| overlap.note(baked)).collect();
    if overlaps.len() > TOLD {
        notes.push(format!("{} more pairs of bodies overlap at the start", overlaps.len() - TOLD));
    }
    notes
}

/// The overlaps of surfaces at the start, the deepest of each two bodies, in the order of the bodies.
fn pressed_at_start(baked: &Baked) -> Vec<Overlap> {
    let (world, mut rows) = (baked.world(), Vec::new());
    let at = (&world.state.pos[..], &world.state.pose[..]);
    let regions = Params { response: Response::Projection, ..baked.params.clone() };
    Shells::default().rows(&baked.model, &regions, at, &mut rows);
    let body = |p: PrimId| baked.model.prims[p.at()].body;
    let pair = |row: &Row| [body(row.key.a), body(row.key.b)];
    rows.sort_by_key(pair);
    let overlaps = rows.chunk_by(|a, b| pair(a) == pair(b)).filter_map(|rows| {
        let overlap = deepest(baked, rows, at).filter(|overlap| overlap.depth_m > NOTED)?;
        Some(Overlap { inside: swallowed(baked, overlap.bodies, rows), ..overlap })
    });
    overlaps.collect()
}

/// Which of two bodies has a row for each of its vertices.
fn swallowed(baked: &Baked, bodies: [BodyId; 2], rows: &[Row]) -> Option<usize> {
    (0..2).find(|k| {
        let range = baked.model.bodies[bodies[*k].at()].vertex_range();
        let alone = |row: &&Row| matches!(row.held()[*k], Held::Vertex(v) if range.contains(&v.at()));
        !range.is_empty() && rows.iter().filter(alone).count() >= range.len()
    })
}

/// The deepest overlap at the start.
fn starting_overlap(baked: &Baked) -> Option<Overlap> {
    let world = baked.world();
    let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
    let mut rows = Vec::new();
    Finder::default().rows(
        &world.model,
        &world.params,
        Detector::Grid,
        (at, serosa_sim::detect::Search::Overlap),
        &mut rows,
    );
    deepest(baked, &rows, (at.pos, at.pose))
}

fn deepest(baked: &Baked, rows: &[Row], (pos, pose): (&[Vec3], &[Pose])) -> Option<Overlap> {
    let deepest: &Row = rows.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).filter(|r| r.gap < -1e-9)?;
    let body = |p: PrimId| baked.model.prims[p.at()].body;
    Some(Overlap {
        bodies: [body(deepest.key.a), body(deepest.key.b)],
        inside: None,
        depth_m: -deepest.gap,
        at: deepest.sides[0].place(pos, pose),
    })
}
