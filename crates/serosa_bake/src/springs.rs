//! Spring bodies: masses, springs in blocks, capsules along the edges, faces between them.

use crate::Fault;
use crate::raw::{Place, RawModel};
use crate::tissue::sides;
use serosa_geometry::{BodyId, Mesh, Real, Vec3, VertexId};
use serosa_sim::model::{BLOCK, FIXED, Model, Prim, PrimKind, Spring, SpringBody, SpringKind};
use std::collections::BTreeSet;

/// Vertices lie within this of the origin \[m\].
const SPACE: Real = 200.0;
/// A bend spring joins the far ends of two edges that meet at a vertex at less than about 25° from straight.
const STRAIGHT: Real = -0.9;

/// What is wrong with a mesh that should become springs; nothing when it can be used.
pub fn faults(mesh: &Mesh, place: Place) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut say = |message: String, help: &str| faults.push(Fault::new(place, message, help));
    let n = mesh.points.len();
    if n < 2 || mesh.edges.is_empty() {
        say(
            format!("a spring body of {n} vertices and {} edges cannot be made", mesh.edges.len()),
            "give it at least two vertices joined by an edge",
        );
        return faults;
    }
    if let Some(i) = mesh.points.iter().position(|p| !p.is_finite()) {
        say(format!("vertex {i} is not a finite position"), "correct it in the mesh file");
    } else if let Some(i) = mesh.points.iter().position(|p| p.abs().max_element() > SPACE) {
        say(
            format!("vertex {i} lies more than {SPACE} m from the origin"),
            "check `unit`: a mesh in millimetres needs unit = \"1 mm\"",
        );
    }
    if let Some(e) = mesh.edges.iter().find(|e| e.iter().any(|&v| v as usize >= n)) {
        say(
            format!("edge {}–{} names a vertex beyond the last, {}", e[0], e[1], n - 1),
            "correct the mesh file",
        );
        return faults;
    }
    if let Some(t) = mesh.triangles.iter().find(|t| t.iter().any(|&v| v as usize >= n)) {
        say(
            format!("triangle {}–{}–{} names a vertex beyond the last, {}", t[0], t[1], t[2], n - 1),
            "correct the mesh file",
        );
        return faults;
    }
    let length = |e: &[u32; 2]| (mesh.points[e[0] as usize] - mesh.points[e[1] as usize]).length();
    if let Some(e) = mesh.edges.iter().find(|e| length(e) <= 1e-9) {
        say(format!("edge {}–{} has no length", e[0], e[1]), "move its ends apart or merge them");
    }
    let mut joined = vec![false; n];
    mesh.edges.iter().flatten().for_each(|&v| joined[v as usize] = true);
    let alone = joined.iter().filter(|j| !**j).count();
    if alone > 0 {
        say(format!("{alone} vertices belong to no edge"), "remove them from the mesh");
    }
    faults
}

/// What a mesh touches with.
#[derive(Clone, Copy, Debug)]
pub struct Skin {
    /// Half the thickness of edges and faces \[m\].
    pub radius: Real,
    /// Whether its triangles are faces that can be touched, where it has any.
    pub faces: bool,
}

/// Adds the primitives of a body of surface or threads: a capsule along each edge, then a round triangle for each
/// triangle. With faces, an edge that only braces two of them (the other diagonal of a cell) is none of the surface.
pub(crate) fn add_skin(
    model: &mut Model,
    mesh: &Mesh,
    edges: impl Iterator<Item = [u32; 2]>,
    first: u32,
    skin: Skin,
) {
    let body = BodyId::from(model.bodies.len());
    let prim = |kind: PrimKind| Prim { body, kind, radius: skin.radius, membrane: false };
    let braces = if skin.faces { braces(mesh) } else { BTreeSet::new() };
    let edges = edges.filter(|e| !braces.contains(e));
    model.prims.extend(edges.map(|e| prim(PrimKind::Segment(e.map(|v| VertexId(first + v))))));
    if skin.faces {
        let triangles = mesh.triangles.iter();
        model.prims.extend(triangles.map(|t| prim(PrimKind::Triangle(t.map(|v| VertexId(first + v))))));
    }
}

/// Pairs of vertices across a side from each other that are no side themselves, the smaller first.
fn braces(mesh: &Mesh) -> BTreeSet<[u32; 2]> {
    let sides = sides(mesh);
    let across = |(side, faces): (&[u32; 2], &Vec<u32>)| {
        let [a, b] = faces[..] else { return None };
        let apex = |f: u32| mesh.triangles[f as usize].into_iter().find(|v| !side.contains(v));
        let (v, w) = (apex(a)?, apex(b)?);
        Some([v.min(w), v.max(w)])
    };
    sides.iter().filter_map(across).filter(|e| !sides.contains_key(e)).collect()
}

/// Adds a spring body's vertices, springs and primitives to the model; `bends` asks for bend springs even where
/// their stiffness is zero at first. The mesh has no [`faults`].
pub fn add(
    model: &mut Model,
    mesh: &Mesh,
    (skin, bends): (Skin, bool),
    raw: &RawModel,
    fixed: &[u32],
) -> SpringBody {
    let &RawModel::Springs { mass, bending, .. } = raw else {
        return SpringBody { blocks: Vec::new(), between: 0..0 };
    };
    let first = add_vertices(model, &mesh.points, lumped(mesh, mass), fixed);
    let mut links: Vec<([u32; 2], SpringKind)> =
        mesh.edges.iter().map(|&e| (e, SpringKind::Stretch)).collect();
    if bending > 0.0 || bends {
        links.extend(across(mesh).into_iter().map(|e| (e, SpringKind::Bend)));
    }
    let spring_body = add_links(model, first, &mesh.points, links);
    add_skin(model, mesh, mesh.edges.iter().copied(), first, skin);
    spring_body
}

/// Adds vertices with their masses, some of them held; gives the number of the first.
pub(crate) fn add_vertices(model: &mut Model, points: &[Vec3], masses: Vec<Real>, fixed: &[u32]) -> u32 {
    let first = model.rest.len() as u32;
    model.rest.extend_from_slice(points);
    let mut inv: Vec<Real> = masses.iter().map(|m| 1.0 / m).collect();
    fixed.iter().for_each(|&v| inv[v as usize] = 0.0);
    model.mass.extend(masses);
    model.inv_mass.extend(inv);
    model.unknown.resize(model.rest.len(), FIXED);
    first
}

/// Adds springs between vertices that begin at `first`, in blocks.
pub(crate) fn add_links(
    model: &mut Model,
    first: u32,
    points: &[Vec3],
    mut links: Vec<([u32; 2], SpringKind)>,
) -> SpringBody {
    let first_spring = model.springs.len() as u32;
    // Inside blocks first, block by block; the sort is stable, so each block keeps the order of the mesh.
    let blocks = (points.len() as u32).div_ceil(BLOCK);
    let block_of = |e: &[u32; 2]| if e[0] / BLOCK == e[1] / BLOCK { e[0] / BLOCK } else { blocks };
    links.sort_by_key(|(e, _)| block_of(e));
    let start = |b: u32| first_spring + links.partition_point(|(e, _)| block_of(e) < b) as u32;
    let body = SpringBody {
        blocks: (0..blocks).map(|b| start(b)..start(b + 1)).collect(),
        between: start(blocks)..first_spring + links.len() as u32,
    };
    model.springs.extend(links.iter().map(|&(e, kind)| Spring {
        ends: e.map(|v| VertexId(first + v)),
        rest_m: (points[e[0] as usize] - points[e[1] as usize]).length(),
        kind,
        share: 1.0,
    }));
    body
}

/// The body's mass shared out by half the length of the edges at each vertex, as for threads of one thickness.
pub(crate) fn lumped(mesh: &Mesh, mass: Real) -> Vec<Real> {
    let mut share = vec![0.0; mesh.points.len()];
    let mut total = 0.0;
    for e in &mesh.edges {
        let length = (mesh.points[e[0] as usize] - mesh.points[e[1] as usize]).length();
        e.iter().for_each(|&v| share[v as usize] += 0.5 * length);
        total += length;
    }
    share.iter().map(|s| mass * s / total).collect()
}

/// Pairs of vertices two edges apart, in line with the vertex between them, and not joined by an edge.
pub(crate) fn across(mesh: &Mesh) -> Vec<[u32; 2]> {
    let mut around = vec![Vec::new(); mesh.points.len()];
    for &[a, b] in &mesh.edges {
        around[a as usize].push(b);
        around[b as usize].push(a);
    }
    let mut pairs = Vec::new();
    for (v, ring) in around.iter().enumerate() {
        let dir = |w: u32| (mesh.points[w as usize] - mesh.points[v]).normalize_or_zero();
        for (k, &a) in ring.iter().enumerate() {
            for &b in &ring[k + 1..] {
                if dir(a).dot(dir(b)) < STRAIGHT {
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs.retain(|p| !around[p[0] as usize].contains(&p[1]));
    pairs
}
