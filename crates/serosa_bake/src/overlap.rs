//! Bodies that overlap at the start: found, told with their place, and moved apart where the user wants it.

use crate::Fault;
use crate::raw::{Overlaps, Place, RawScene, RawTool};
use crate::scene::{Baked, show};
use serosa_geometry::{BodyId, Distance, PrimId, Real, Topology, Vec3};
use serosa_sim::World;
use serosa_sim::detect::{Finder, Places, Search, Shells};
use serosa_sim::model::{BodyKind, Model, Pose, PrimKind, Shape};
use serosa_sim::params::{Detector, Filter, Params, Response};
use serosa_sim::row::{Held, Row};
use std::sync::Arc;

/// Overlaps deeper than this are noted \[m\].
const NOTED: Real = 1e-6;
/// So many pairs of bodies that overlap are named.
const TOLD: usize = 8;
/// Bodies that are moved apart are left this far from each other \[m\]: what a contact keeps.
const CLEARANCE: Real = serosa_sim::respond::augmented_lagrangian::REST_GAP;
/// So often bodies are moved before they are given up.
const ROUNDS: usize = 200;
/// Places along a rod that are asked whether they lie inside a surface.
const SAMPLES: usize = 17;

/// Two bodies that overlap at the start, or one that overlaps itself.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    bodies: [BodyId; 2],
    /// The first or the second, where all of it is inside the other.
    inside: Option<usize>,
    depth_m: Real,
    at: Vec3,
    /// Unit: where the first has to go to be free.
    way_out: Vec3,
}

/// Looks for overlaps at the start and does with them what the scene asks for: they are refused where the filter is on,
/// noted where it is off, or parted.
///
/// # Errors
/// Overlaps that are refused, and those that cannot be parted.
pub(crate) fn settle(raw: &RawScene, baked: &mut Baked) -> Result<(), Vec<Fault>> {
    if raw.world.response.presses() {
        let notes = told(&of_surfaces(baked), baked);
        baked.notes.extend(notes);
        return Ok(());
    }
    let overlaps = match raw.world.overlaps {
        Overlaps::Refuse => at_start(baked),
        Overlaps::Part => part(raw, baked),
    };
    if raw.world.filter == Filter::Off {
        let notes = told(&overlaps, baked);
        baked.notes.extend(notes);
        return Ok(());
    }
    let faults: Vec<Fault> = overlaps.iter().take(TOLD).map(|o| o.fault(raw, baked)).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

impl Overlap {
    fn names<'a>(&self, baked: &'a Baked) -> [&'a str; 2] {
        self.bodies.map(|b| baked.model.bodies[b.at()].name.as_str())
    }

    /// The one inside and the one around it.
    fn nested<'a>(&self, baked: &'a Baked) -> Option<[&'a str; 2]> {
        let [a, b] = self.names(baked);
        self.inside.map(|k| if k == 0 { [a, b] } else { [b, a] })
    }

    fn note(&self, baked: &Baked) -> String {
        let ([a, b], depth_mm) = (self.names(baked), self.depth_m * 1e3);
        if let Some([inner, outer]) = self.nested(baked) {
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
        let (depth_mm, at) = (self.depth_m * 1e3, show(self.at));
        let what = match self.nested(baked) {
            _ if a == b => format!("\"{a}\" overlaps itself by"),
            Some([inner, outer]) => format!("\"{inner}\" lies inside \"{outer}\", by"),
            None => format!("\"{a}\" and \"{b}\" overlap by"),
        };
        let tied = if self.are_tied(&baked.model) { "; they are tied to each other" } else { "" };
        let message =
            format!("{what} {depth_mm:.2} mm at the start, near {at} m, and the filter is on{tied}");
        Fault::new(place, message, self.help(raw, baked))
    }

    fn are_tied(&self, model: &Model) -> bool {
        let joins =
            |t: &serosa_sim::model::Tie| self.bodies.iter().all(|b| t.ends.iter().any(|k| k.body == *b));
        self.bodies[0] != self.bodies[1] && model.ties.iter().any(joins)
    }

    fn help(&self, raw: &RawScene, baked: &Baked) -> String {
        let model = &baked.model;
        if self.bodies[0] == self.bodies[1] {
            return "the filter only keeps apart what begins apart: make it thinner, or write self_contact = false".into();
        }
        if self.are_tied(model) {
            return "they overlap beyond what is tied: leave a gap between them, wider than their surfaces are \
                    thick, or tie more of them; ties hold across a gap"
                .into();
        }
        match (raw.world.overlaps, self.bodies.map(|b| is_held(model, b))) {
            (Overlaps::Part, [true, true]) => {
                "both are held where they are, so that none can be moved: move one in the scene".into()
            }
            (Overlaps::Part, _) => "there is no room for them: move them apart in the scene".into(),
            (Overlaps::Refuse, [true, true]) => {
                "move them apart: the filter only keeps apart what begins apart, or write filter = \"off\""
                    .into()
            }
            (Overlaps::Refuse, _) => {
                "move them apart: the filter only keeps apart what begins apart; or write \
                                      overlaps = \"part\" to have them moved, or filter = \"off\""
                    .into()
            }
        }
    }
}

/// Notes on overlaps: the first of them by name, the others by their number.
fn told(overlaps: &[Overlap], baked: &Baked) -> Vec<String> {
    let deep = || overlaps.iter().filter(|overlap| overlap.depth_m > NOTED);
    let mut notes: Vec<String> = deep().take(TOLD).map(|overlap| overlap.note(baked)).collect();
    let more = deep().count().saturating_sub(TOLD);
    if more > 0 {
        notes.push(format!("{more} more pairs of bodies overlap at the start"));
    }
    notes
}

/// The overlaps of surfaces that press one another, the deepest of each two bodies, in the order of the bodies.
fn of_surfaces(baked: &Baked) -> Vec<Overlap> {
    let (world, mut rows) = (baked.world(), Vec::new());
    let at = (&world.state.pos[..], &world.state.pose[..]);
    let regions = Params { response: Response::Projection, ..baked.params.clone() };
    Shells::default().rows(&baked.model, &regions, at, &mut rows);
    by_bodies(&baked.model, rows, at, |bodies, rows| swallowed(&baked.model, bodies, rows))
}

/// The deepest row of each two bodies.
fn by_bodies(
    model: &Model,
    mut rows: Vec<Row>,
    (pos, pose): (&[Vec3], &[Pose]),
    inside: impl Fn([BodyId; 2], &[Row]) -> Option<usize>,
) -> Vec<Overlap> {
    let body = |p: PrimId| model.prims[p.at()].body;
    let pair = |row: &Row| [body(row.key.a), body(row.key.b)];
    rows.sort_by_key(pair);
    let overlap = |rows: &[Row]| {
        let row: &Row = rows.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).filter(|r| r.gap < -1e-9)?;
        let (bodies, at) = (pair(row), row.sides[0].place(pos, pose));
        let inside = inside(bodies, rows);
        Some(Overlap { bodies, inside, depth_m: -row.gap, at, way_out: row.normal })
    };
    rows.chunk_by(|a, b| pair(a) == pair(b)).filter_map(overlap).collect()
}

/// Which of two bodies has a row for each of its vertices.
fn swallowed(model: &Model, bodies: [BodyId; 2], rows: &[Row]) -> Option<usize> {
    (0..2).find(|k| {
        let range = model.bodies[bodies[*k].at()].vertex_range();
        let alone = |row: &&Row| matches!(row.held()[*k], Held::Vertex(v) if range.contains(&v.at()));
        !range.is_empty() && rows.iter().filter(alone).count() >= range.len()
    })
}

/// All overlaps at the start, the deepest of each two bodies, in their order: of primitives by the complete search, and of
/// what lies so deep inside a closed surface that it does not touch it. Cost: near-linear in primitives, and in
/// vertices times the logarithm of triangles for every closed surface.
fn at_start(baked: &Baked) -> Vec<Overlap> {
    let World { model, params, state, .. } = baked.world();
    let (places, mut rows) =
        (Places { pos: &state.pos, pose: &state.pose, radius: &state.radius }, Vec::new());
    Finder::default().rows(&model, &params, Detector::Grid, (places, Search::Overlap), &mut rows);
    let touching = by_bodies(&model, rows, (places.pos, places.pose), |_, _| None);
    // Distances to a surface say how deep something is better than rows, which push a rod back along itself.
    let mut found: Vec<Overlap> = Vec::new();
    for (outer, surface) in closed_surfaces(&model, places.pos) {
        let others = (0..model.bodies.len()).map(BodyId::from).filter(|b| *b != outer);
        for overlap in others.filter_map(|inner| depth_in(&model, places, (outer, &surface), inner)) {
            match found.iter_mut().find(|o| o.bodies == overlap.bodies) {
                Some(known) if known.depth_m < overlap.depth_m => *known = overlap,
                Some(_) => {}
                None => found.push(overlap),
            }
        }
    }
    let new = |overlap: &Overlap| !found.iter().any(|o| o.bodies == overlap.bodies);
    let mut all: Vec<Overlap> = touching.into_iter().filter(new).collect();
    all.append(&mut found);
    all.sort_by_key(|o| o.bodies);
    all
}

/// The bodies that others touch and that have a closed surface.
fn closed_surfaces(model: &Model, pos: &[Vec3]) -> Vec<(BodyId, Distance)> {
    let surface = |b: usize| {
        let body = &model.bodies[b];
        let own = body.vertices.start;
        let mut triangles = Vec::new();
        for prim in &model.prims[body.prims.start as usize..body.prims.end as usize] {
            if let PrimKind::Triangle(corners) = prim.kind {
                triangles.push(corners.map(|v| v.0 - own));
            }
        }
        let range = body.vertex_range();
        let topology = Topology::of(&triangles, range.len());
        let closed = !triangles.is_empty() && topology.is_closed();
        closed.then(|| (BodyId::from(b), Distance::of(Arc::new(topology), &pos[range])))
    };
    (0..model.bodies.len()).filter_map(surface).collect()
}

/// How deep a body reaches into a closed surface, if it does.
fn depth_in(
    model: &Model,
    places: Places,
    (outer, surface): (BodyId, &Distance),
    inner: BodyId,
) -> Option<Overlap> {
    if model.bodies[inner.at()].prims.is_empty() || !(moves(model, inner) || moves(model, outer)) {
        return None;
    }
    let points = points_of(model, places, inner);
    let radius = places.radius[model.bodies[outer.at()].prims.start as usize];
    let (mut deepest, mut all): (Option<(Real, Vec3, Vec3)>, bool) = (None, !points.is_empty());
    for (p, thick) in points {
        let near = surface.signed(p);
        let depth = thick + radius - near.distance;
        all &= near.distance < 0.0;
        if near.distance < 0.0 && deepest.is_none_or(|(least, ..)| depth > least) {
            deepest = Some((depth, p, near.point - p));
        }
    }
    let (depth_m, at, way) = deepest?;
    let way = way.try_normalize().unwrap_or(Vec3::Z);
    let turned = inner > outer;
    Some(Overlap {
        bodies: if turned { [outer, inner] } else { [inner, outer] },
        inside: all.then_some(usize::from(turned)),
        depth_m,
        at,
        way_out: if turned { -way } else { way },
    })
}

/// Whether anything of a body can move.
fn moves(model: &Model, b: BodyId) -> bool {
    match model.bodies[b.at()].kind {
        BodyKind::Rigid(r) => model.rigids[r.at()].inv_mass > 0.0,
        _ => model.bodies[b.at()].vertex_range().any(|v| model.inv_mass[v] > 0.0),
    }
}

/// Places of a body, each with how thick it is there \[m\].
fn points_of(model: &Model, places: Places, b: BodyId) -> Vec<(Vec3, Real)> {
    let body = &model.bodies[b.at()];
    let thick = places.radius[body.prims.start as usize];
    let BodyKind::Rigid(r) = body.kind else {
        return places.pos[body.vertex_range()].iter().map(|p| (*p, thick)).collect();
    };
    let pose = &places.pose[r.at()];
    match model.rigids[r.at()].shape {
        Shape::Ball => vec![(pose.pos, thick)],
        Shape::Capsule { half } => {
            let along = |k: usize| 2.0 * k as Real / (SAMPLES - 1) as Real - 1.0;
            (0..SAMPLES).map(|k| (pose.point(Vec3::Z * half * along(k)), thick)).collect()
        }
        Shape::Cuboid { half } => {
            let sign = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            let corner = |k: usize| half * Vec3::new(sign(k, 1), sign(k, 2), sign(k, 4));
            (0..8).map(|k| (pose.point(corner(k)), 0.0)).chain([(pose.pos, 0.0)]).collect()
        }
        Shape::Plane => Vec::new(),
    }
}

/// Whether something holds a body where it is: then it is not moved out of the way of others.
fn is_held(model: &Model, b: BodyId) -> bool {
    let body = &model.bodies[b.at()];
    let walls = matches!(&body.kind, BodyKind::Solid(solid) if !solid.walls.is_empty());
    let tied = model.ties.iter().any(|t| t.ends.iter().any(|k| k.body == b));
    match body.kind {
        BodyKind::Rigid(r) => model.rigids[r.at()].inv_mass == 0.0,
        _ => walls || tied || body.vertex_range().any(|v| model.inv_mass[v] == 0.0),
    }
}

/// Moves bodies apart that overlap, as they are and without turning them: each pair by its depth along the shortest
/// way out of its deepest place, shared evenly, or all of it by the one that nothing holds; and so on until all are
/// free. What was moved is noted. Returns what could not be parted.
fn part(raw: &RawScene, baked: &mut Baked) -> Vec<Overlap> {
    let mut moved = vec![Vec3::ZERO; baked.model.bodies.len()];
    let mut left = at_start(baked);
    for _ in 0..ROUNDS {
        let model = Arc::make_mut(&mut baked.model);
        let mut any = false;
        for overlap in left.iter().filter(|o| o.bodies[0] != o.bodies[1]) {
            let free = overlap.bodies.map(|b| if is_held(model, b) { 0.0 } else { 1.0 });
            let sum: Real = free.iter().sum();
            let way = overlap.way_out * (overlap.depth_m + CLEARANCE);
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                if free[k] > 0.0 {
                    let shift = way * (sign * free[k] / sum);
                    shift_body(model, overlap.bodies[k], shift);
                    moved[overlap.bodies[k].at()] += shift;
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
        left = at_start(baked);
    }
    for (b, by) in moved.iter().enumerate().filter(|(_, by)| by.length() > NOTED) {
        let (name, far, way) = (&baked.model.bodies[b].name, by.length() * 1e3, show(*by));
        let hand = b.checked_sub(raw.bodies.len()).map_or("", |tool| led_along(&raw.tools[tool]));
        baked.notes.push(format!(
            "\"{name}\" overlapped others at the start and was moved by {far:.2} mm, {way} m{hand}"
        ));
    }
    left
}

/// What becomes of the hand of a tool that was moved: it begins where its tool does, or else it would pull it back.
fn led_along(tool: &RawTool) -> &'static str {
    if tool.moves.iter().any(|m| m.tip != tool.tip) {
        ", and its hand with it; the places that it is led to from there stay as written"
    } else {
        ", and its hand with it"
    }
}

/// Moves a body that nothing holds.
fn shift_body(model: &mut Model, b: BodyId, by: Vec3) {
    let range = model.bodies[b.at()].vertex_range();
    model.rest[range].iter_mut().for_each(|p| *p += by);
    if let BodyKind::Rigid(r) = model.bodies[b.at()].kind {
        model.rigids[r.at()].rest.pos += by;
    }
}
