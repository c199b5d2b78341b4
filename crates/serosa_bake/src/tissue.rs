//! Tissue: masses by area, springs, triangles, folds, capsules along the edges.

use crate::Fault;
use crate::raw::{Place, RawTissue, SurfaceMass};
use crate::springs::{self, Skin, add_vertices};
use serosa_geometry::surface::Surface;
use serosa_geometry::{Mesh, Real, Vec3, VertexId};
use serosa_sim::model::{Face, Fold, Model, Spring, SpringKind, TissueBody};
use serosa_sim::{Params, body};
use std::collections::BTreeMap;

/// Rounds in which the stiffest motion is looked for.
const ROUNDS: usize = 60;

/// What is wrong with a mesh that should become tissue, beyond what is wrong with any mesh of springs; `whole` where it
/// is to keep the volume it encloses.
pub fn faults(mesh: &Mesh, whole: bool, place: Place) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut say = |message: String, help: &str| faults.push(Fault::new(place, message, help));
    if mesh.triangles.is_empty() {
        say("model.tissue needs a surface of triangles".into(), "use a surface, or write model.springs");
        return faults;
    }
    let n = mesh.points.len();
    if let Some(t) = mesh.triangles.iter().find(|t| t.iter().any(|v| *v as usize >= n)) {
        say(format!("triangle {t:?} names a vertex beyond the last, {}", n - 1), "correct the mesh file");
        return faults;
    }
    let surface = Surface::of(&mesh.points, &mesh.triangles);
    let first = |list: &[[u32; 2]]| list.first().map_or(String::new(), |e| format!("{}–{}", e[0], e[1]));
    let thin = surface.collapsed_faces.len() + surface.flat_faces.len();
    if let Some(f) = surface.collapsed_faces.iter().chain(&surface.flat_faces).next() {
        say(format!("{thin} triangles have no area, triangle {f} among them"), "remove them from the mesh");
    }
    if let Some(f) = surface.duplicate_faces.first() {
        let count = surface.duplicate_faces.len();
        say(format!("{count} triangles are there twice, triangle {f} among them"), "remove one of each");
    }
    if !surface.crowded_edges.is_empty() {
        let (count, edge) = (surface.crowded_edges.len(), first(&surface.crowded_edges));
        let message = format!("{count} edges have more than two triangles, edge {edge} among them");
        say(message, "cut the mesh so that no more than two meet at an edge");
    }
    if !surface.flipped_edges.is_empty() {
        let (count, edge) = (surface.flipped_edges.len(), first(&surface.flipped_edges));
        let message = format!("the triangles at {count} edges disagree about the outside, at {edge} first");
        say(message, "turn triangles around until neighbours agree");
    }
    if surface.unused_points > 0 {
        let message = format!("{} vertices belong to no triangle", surface.unused_points);
        say(message, "remove them from the mesh");
    }
    if surface.torn {
        let message =
            format!("the surface is torn: {} vertices lie where another lies", surface.duplicate_points);
        say(message, "weld them, so that the triangles share them");
    }
    if faults.is_empty() {
        faults.extend(volume_faults(&surface, mesh, whole, place));
    }
    faults
}

/// What is wrong with the inside of a sound surface.
fn volume_faults(surface: &Surface, mesh: &Mesh, whole: bool, place: Place) -> Option<Fault> {
    let (message, help) = match surface.volume {
        None if whole => {
            let open = surface.open_edges.len();
            let first = surface.open_edges.first().copied().unwrap_or_default();
            let message = format!(
                "the surface is open at {open} edges, {}–{} first, and encloses no volume",
                first[0], first[1]
            );
            (message, "close it, or leave `bulk` out; `bending` resists folding on open surfaces too")
        }
        Some(volume) if volume <= 0.0 => {
            ("the surface is inside out".into(), "turn its triangles around: anticlockwise seen from outside")
        }
        Some(_) if whole && surface.components.len() > 1 => {
            let message =
                format!("the surface has {} parts, which would share one volume", surface.components.len());
            (message, "make each part a body of its own, or leave `bulk` out")
        }
        _ if springs_beside(mesh) > 0 => {
            let message = format!("{} edges belong to no triangle", springs_beside(mesh));
            (message, "remove them from the mesh; tissue is made of triangles")
        }
        _ => return None,
    };
    Some(Fault::new(place, message, help))
}

/// Edges that are no side of a triangle.
fn springs_beside(mesh: &Mesh) -> usize {
    let sides = sides(mesh);
    mesh.edges.iter().filter(|e| !sides.contains_key(*e)).count()
}

/// The triangles at every edge, by number, smaller vertex first.
pub(crate) fn sides(mesh: &Mesh) -> BTreeMap<[u32; 2], Vec<u32>> {
    let mut sides = BTreeMap::<[u32; 2], Vec<u32>>::new();
    for (f, [a, b, c]) in mesh.triangles.iter().enumerate() {
        for (u, v) in [(*b, *c), (*c, *a), (*a, *b)] {
            sides.entry([u.min(v), u.max(v)]).or_default().push(f as u32);
        }
    }
    sides
}

/// A tissue body in the making.
pub struct Making<'a> {
    /// Its surface, without [`faults`].
    pub mesh: &'a Mesh,
    /// What it touches with.
    pub skin: Skin,
    /// Whether it is to have folds.
    pub folds: bool,
    /// Whether it is to keep its volume.
    pub whole: bool,
    /// Vertices that stay where they are, ascending.
    pub fixed: &'a [u32],
}

/// Adds the vertices, elements and primitives of a tissue body to the model. O(triangles log triangles).
pub fn add(model: &mut Model, making: &Making, raw: &RawTissue) -> TissueBody {
    let Making { mesh, skin, folds, whole, fixed } = *making;
    let areas: Vec<Real> = mesh.triangles.iter().map(|t| area(&mesh.points, t)).collect();
    let masses = lumped(mesh, &areas, raw.mass);
    let center =
        mesh.points.iter().zip(&masses).map(|(p, m)| *p * *m).sum::<Vec3>() / masses.iter().sum::<Real>();
    let first = add_vertices(model, &mesh.points, masses, fixed);
    let sides = sides(mesh);
    let springs = model.springs.len() as u32;
    model.springs.extend(sides.iter().map(|(e, faces)| {
        let rest_m = (mesh.points[e[0] as usize] - mesh.points[e[1] as usize]).length();
        let around: Real = faces.iter().map(|f| areas[*f as usize]).sum();
        // A net of regular triangles is then a sheet of that Young's modulus times thickness.
        let share = around / (rest_m * rest_m);
        Spring { ends: e.map(|v| VertexId(first + v)), rest_m, kind: SpringKind::Stretch, share }
    }));
    let faces = model.faces.len() as u32;
    add_faces(model, mesh, first, &sides, &areas);
    let bends = model.folds.len() as u32;
    if folds {
        add_folds(model, mesh, first, &sides);
    }
    springs::add_skin(model, mesh, sides.keys().copied(), first, skin);
    let edge = model.springs[springs as usize..].iter().map(|s| s.rest_m).sum::<Real>() / sides.len() as Real;
    TissueBody {
        springs: springs..model.springs.len() as u32,
        faces: faces..model.faces.len() as u32,
        folds: bends..model.folds.len() as u32,
        fold_volume: core::f64::consts::SQRT_2 / 12.0 * edge * edge * edge,
        volume: if whole { Surface::of(&mesh.points, &mesh.triangles).volume } else { None },
        center,
        held: is_held(mesh, fixed),
        integrator: raw.integrator,
    }
}

fn area(points: &[Vec3], [a, b, c]: &[u32; 3]) -> Real {
    let [a, b, c] = [a, b, c].map(|v| points[*v as usize]);
    0.5 * (b - a).cross(c - a).length()
}

/// Each triangle's mass goes to its corners in equal shares.
fn lumped(mesh: &Mesh, areas: &[Real], mass: SurfaceMass) -> Vec<Real> {
    let density = match mass {
        SurfaceMass::Total(mass) => mass / areas.iter().sum::<Real>(),
        SurfaceMass::ByArea(density) => density,
    };
    let mut masses = vec![0.0; mesh.points.len()];
    for (t, area) in mesh.triangles.iter().zip(areas) {
        t.iter().for_each(|v| masses[*v as usize] += density * area / 3.0);
    }
    masses
}

fn add_faces(
    model: &mut Model,
    mesh: &Mesh,
    first: u32,
    sides: &BTreeMap<[u32; 2], Vec<u32>>,
    areas: &[Real],
) {
    let number: BTreeMap<[u32; 2], u32> = sides.keys().copied().zip(0..).collect();
    let side = |a: u32, b: u32| number[&[a.min(b), a.max(b)]];
    model.faces.extend(mesh.triangles.iter().zip(areas).map(|(&[a, b, c], area)| Face {
        corners: [a, b, c].map(|v| VertexId(first + v)),
        sides: [side(b, c), side(c, a), side(a, b)],
        area: *area,
    }));
}

/// One tetrahedron for every two triangles at an edge. (LAPAROS takes every triangle with every neighbouring vertex,
/// which finds each of these twice and adds others that say the same.)
fn add_folds(model: &mut Model, mesh: &Mesh, first: u32, sides: &BTreeMap<[u32; 2], Vec<u32>>) {
    for (&[a, b], faces) in sides {
        let [f, g] = faces[..] else { continue };
        let across =
            |f: u32| mesh.triangles[f as usize].into_iter().find(|v| *v != a && *v != b).unwrap_or(a);
        let nodes = [a, b, across(f), across(g)];
        let [o, u, v, w] = nodes.map(|v| mesh.points[v as usize]);
        let volume = (u - o).dot((v - o).cross(w - o)) / 6.0;
        model.folds.push(Fold { nodes: nodes.map(|v| VertexId(first + v)), volume });
    }
}

/// Whether three held vertices are not in one line.
fn is_held(mesh: &Mesh, fixed: &[u32]) -> bool {
    let at = |i: usize| mesh.points[fixed[i] as usize];
    let [_, _, _, ..] = fixed else { return false };
    let reach = mesh.bounds().size().length();
    let far = (1..fixed.len())
        .map(|i| at(i) - at(0))
        .fold(Vec3::ZERO, |best, d| if d.length() > best.length() { d } else { best });
    (1..fixed.len()).any(|i| far.cross(at(i) - at(0)).length() > 1e-6 * reach * reach)
}

/// Whether Verlet's scheme stands the step `h`; if not, the longest that it stands \[s\], about.
///
/// The fastest swing about the rest shape is found by the power method on the forces, which have the damping of the
/// relaxation time τ: an explicit step stands h² ω²/4 + h τ ω²/2 < 1.
pub fn verlet_limit(model: &Model, params: &Params, b: usize, h: Real) -> Option<Real> {
    let vertices = model.bodies[b].vertex_range();
    let tiny = 1e-7 * (model.springs.iter().map(|s| s.rest_m).fold(1.0, Real::min));
    let mut swing: Vec<Vec3> =
        (0..model.rest.len()).map(|v| if vertices.contains(&v) { seeded(v) } else { Vec3::ZERO }).collect();
    let (mut omega_sq, mut force) = (0.0, vec![Vec3::ZERO; model.rest.len()]);
    for _ in 0..ROUNDS {
        let pos: Vec<Vec3> = model.rest.iter().zip(&swing).map(|(r, s)| *r + *s * tiny).collect();
        force.fill(Vec3::ZERO);
        body::forces(model, params, &pos, &mut force);
        let (mut up, mut down, mut largest) = (0.0, 0.0, 0.0);
        for v in vertices.clone() {
            let next = force[v] * (-model.inv_mass[v] / tiny);
            up += model.mass[v] * next.dot(swing[v]);
            down += model.mass[v] * swing[v].length_squared();
            largest = next.length().max(largest);
            swing[v] = next;
        }
        omega_sq = up / down;
        vertices.clone().for_each(|v| swing[v] /= largest);
    }
    let tau = params.bodies[b].relaxation;
    let stands = |h: Real| h * omega_sq * (0.25 * h + 0.5 * tau) < 1.0;
    (!stands(h)).then(|| {
        let c = 2.0 / omega_sq;
        // h²/4 + h τ/2 = 1/ω²
        (tau * tau + 2.0 * c).sqrt() - tau
    })
}

/// Some direction for each number, none alike.
fn seeded(v: usize) -> Vec3 {
    let one = |k: u64| {
        let mixed = (3 * v as u64 + k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 11) as Real / (1u64 << 53) as Real - 0.5
    };
    Vec3::new(one(0), one(1), one(2))
}
