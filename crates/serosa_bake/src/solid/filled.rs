//! Surfaces that become solids: filled with tetrahedra, and carried along by them.

use super::raise::NODES_MAX;
use crate::Fault;
use crate::fill::{Embedded, Fill, FillFault, FillReport, Filled, Size, embed, fill, fill_implicit};
use crate::raw::{Place, RawFilled, RawGeometry, RawModel, RawScene, RawTets};
use serosa_geometry::tets::Tets;
use serosa_geometry::{BodyId, Distance, Mesh, Real, Topology, VertexId};
use serosa_sim::model::{Model, Skin};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most tetrahedra that all surfaces of a scene may be filled with: about a minute of work and two gigabytes.
pub const TETS_MAX: usize = 2_000_000;
/// Parts of the work that one filling is, for those who watch.
const PARTS: usize = 50;

/// A scene whose surfaces have been filled.
pub(crate) struct Fillings<'a> {
    /// With tetrahedra in the place of surfaces.
    pub scene: Cow<'a, RawScene>,
    /// One line on each filling.
    pub notes: Vec<String>,
    /// What could not be filled; it stays as it was.
    pub faults: Vec<Fault>,
    /// For each body that was filled, how its surface lies in its tetrahedra.
    embedded: Vec<(usize, Vec<Embedded>)>,
}

/// The bodies that are to be filled.
fn wanted(raw: &RawScene) -> impl Iterator<Item = (usize, &RawFilled)> {
    raw.bodies.iter().enumerate().filter_map(|(i, body)| match (&body.geometry, &body.model) {
        (RawGeometry::Filled(what), RawModel::Solid(_) | RawModel::Flexible(_)) => Some((i, &**what)),
        _ => None,
    })
}

/// How many parts of the work there are.
pub(crate) fn parts(raw: &RawScene) -> usize {
    PARTS * wanted(raw).count()
}

/// Fills all surfaces that are to be solids; `watch` hears how many parts are done.
pub(crate) fn fill_all<'a>(raw: &'a RawScene, watch: &mut dyn FnMut(usize)) -> Fillings<'a> {
    let mut all =
        Fillings { scene: Cow::Borrowed(raw), notes: Vec::new(), faults: Vec::new(), embedded: Vec::new() };
    let mut left = TETS_MAX;
    for (k, (i, what)) in wanted(raw).enumerate() {
        let mut progress = |part: Real| watch(PARTS * k + (PARTS as Real * part) as usize);
        match fill_one(what, left, &mut progress) {
            Ok(filled) => {
                left -= filled.tets.len().min(left);
                all.notes.extend(told(&raw.bodies[i].name, &filled.report));
                let mut made = tets_of(filled, &what.surface);
                if what.quadratic {
                    made = made.raised();
                }
                // What has too many nodes is refused with its body.
                if !what.quadratic || made.mesh.points.len() <= NODES_MAX {
                    all.embedded.push((i, embed(&what.surface.points, &made.mesh.points, &made.pieces())));
                }
                all.scene.to_mut().bodies[i].geometry = RawGeometry::Tets(made);
            }
            Err(fault) => all.faults.push(fault_of(&fault, left, Place::Fill(i))),
        }
    }
    all
}

impl Fillings<'_> {
    /// The surfaces, for the model that was made of the scene.
    pub fn skins(&self, model: &Model) -> Vec<Skin> {
        let one = |(i, embedded): &(usize, Vec<Embedded>)| {
            let RawGeometry::Tets(raw) = &self.scene.bodies[*i].geometry else { return None };
            // Of a flexible body the surface of the tetrahedra is all there is.
            if matches!(self.scene.bodies[*i].model, RawModel::Flexible(_)) {
                return None;
            }
            let first = model.bodies[*i].vertices.start;
            let pieces = raw.pieces();
            let nodes = |piece: u32| pieces[piece as usize].map(|v| VertexId(first + v));
            let points = embedded.iter().map(|e| (nodes(e.tet), e.weights)).collect();
            Some(Skin { body: BodyId::from(*i), points })
        };
        self.embedded.iter().filter_map(one).collect()
    }
}

fn fill_one(what: &RawFilled, most: usize, progress: &mut dyn FnMut(Real)) -> Result<Filled, FillFault> {
    if let Size::Tets(asked) = what.how.size
        && asked > most
    {
        return Err(FillFault::BadCount { asked, nearest: most });
    }
    let how = Fill { most, ..what.how };
    let Some(recipe) = &what.recipe else {
        return fill(&what.surface.points, &what.surface.triangles, &how, progress);
    };
    // A recipe is filled in its own size and then put where it belongs.
    let scale = recipe.scale;
    let size = match how.size {
        Size::Edge(edge) => Size::Edge(edge / scale),
        Size::Tets(tets) => Size::Tets(tets),
    };
    let mut filled =
        fill_implicit(&recipe.shape, &Fill { size, ..how }, progress).map_err(|f| f.scaled(scale))?;
    filled.points.iter_mut().for_each(|p| *p = recipe.at + recipe.turn * (*p * scale));
    let report = &mut filled.report;
    report.edge *= scale;
    report.off_surface *= scale;
    report.volume *= scale * scale * scale;
    Ok(filled)
}

/// Tetrahedra with their outer faces, and with the sets of the surface.
fn tets_of(filled: Filled, surface: &Mesh) -> RawTets {
    let boundary = Tets::of(&filled.points, &filled.tets).boundary;
    let mut mesh = Mesh::from_triangles(filled.points, boundary);
    mesh.sets = sets(&mesh, surface);
    RawTets { mesh, tets: filled.tets, ..RawTets::default() }
}

/// The sets of a surface, as outer vertices of tetrahedra: those nearest to a point of the set. A set that is smaller than
/// the faces of the tetrahedra gets the vertices next to it.
fn sets(mesh: &Mesh, surface: &Mesh) -> BTreeMap<String, Vec<u32>> {
    let mut outer: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    outer.sort_unstable();
    outer.dedup();
    let skin =
        Distance::of(Arc::new(Topology::of(&surface.triangles, surface.points.len())), &surface.points);
    let nearest = |v: &u32| {
        let near = skin.closest(mesh.points[*v as usize]);
        let triangle = surface.triangles.get(near.triangle as usize)?;
        (0..3).max_by(|a, b| near.weights[*a].total_cmp(&near.weights[*b])).map(|k| triangle[k])
    };
    let owner: Vec<(u32, Option<u32>)> = outer.iter().map(|v| (*v, nearest(v))).collect();
    let next_to = |p: &u32| {
        let at = surface.points[*p as usize];
        let apart = |v: &u32| mesh.points[*v as usize].distance_squared(at);
        outer.iter().copied().min_by(|a, b| apart(a).total_cmp(&apart(b)))
    };
    let one = |(name, set): (&String, &Vec<u32>)| {
        let holds = |p: &u32| set.binary_search(p).is_ok();
        let mut found: Vec<u32> =
            owner.iter().filter(|(_, p)| p.as_ref().is_some_and(holds)).map(|o| o.0).collect();
        if found.is_empty() {
            found = set.iter().filter_map(next_to).collect();
            found.sort_unstable();
            found.dedup();
        }
        (name.clone(), found)
    };
    surface.sets.iter().map(one).collect()
}

/// A line on a filling, and what is worth knowing besides.
fn told(name: &str, report: &FillReport) -> Vec<String> {
    let off = report.missed_surface.map_or(report.off_surface, |missed| missed.max(report.off_surface));
    let litres = match report.surface_volume {
        Some(whole) => format!("{:.4} l of {:.4} l", report.volume * 1e3, whole * 1e3),
        None => format!("{:.4} l", report.volume * 1e3),
    };
    let mut notes = vec![format!(
        "\"{name}\" is filled with {} tetrahedra of edge {:.2} mm: smallest angle {:.1}° (mean of them {:.1}°), \
         at most {:.2} mm off its surface, {litres}",
        report.tets,
        report.edge * 1e3,
        report.least_angle.to_degrees(),
        report.mean_least_angle.to_degrees(),
        off * 1e3,
    )];
    if report.open_edges > 0 {
        notes.push(format!(
            "the surface of \"{name}\" is open at {} edges; its holes were closed to fill it",
            report.open_edges
        ));
    }
    notes
}

/// What to tell of a fault, with the keys of the scene.
fn fault_of(fault: &FillFault, most: usize, place: Place) -> Fault {
    let mm = |length: &Real| length * 1e3;
    match fault {
        FillFault::Open { open } => Fault::new(
            place,
            format!("the surface encloses nothing: {open} of its edges have one triangle only"),
            "close it, give both sides of a sheet, or write model.tissue for a sheet",
        ),
        FillFault::Hollow => {
            Fault::new(place, "the surface encloses nothing", "look at it with `serosa query info FILE`")
        }
        FillFault::Empty => {
            Fault::new(place, "there are no triangles to fill", "model.solid needs a closed surface")
        }
        FillFault::TooCoarse { edge, fitting } => Fault::new(
            place,
            format!("no tetrahedron of edge {:.3} mm fits into the body", mm(edge)),
            format!("write fill = {{ edge = \"{:.3} mm\" }} or less", mm(fitting)),
        ),
        FillFault::TooFine { edge, fitting, .. } => Fault::new(
            place,
            format!("edges of {:.3} mm would make more than {most} tetrahedra", mm(edge)),
            format!(
                "write fill = {{ edge = \"{:.3} mm\" }} or more; a scene has at most {TETS_MAX}",
                mm(fitting)
            ),
        ),
        FillFault::BadCount { asked, nearest } if nearest == &most => Fault::new(
            place,
            format!("with {asked} more the scene has more than {TETS_MAX} tetrahedra"),
            format!("write fill = {{ tets = {most} }} or less"),
        ),
        FillFault::BadCount { asked, nearest: 0 } => Fault::new(
            place,
            format!("{asked} tetrahedra cannot be made of this surface"),
            "ask for more of them, or write fill = { edge = … }",
        ),
        FillFault::BadCount { asked, nearest } => Fault::new(
            place,
            format!("{asked} tetrahedra cannot be made of this surface"),
            format!("write fill = {{ tets = {nearest} }}, which was nearest"),
        ),
        FillFault::Impossible { message, help } => Fault::new(place, message, help),
        other => {
            let text = other.to_string();
            let (message, help) = text.rsplit_once(": ").unwrap_or((&text, "look at the surface"));
            Fault::new(place, message, help)
        }
    }
}
