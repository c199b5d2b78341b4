//! Shells: the surfaces that responses to penetration look at.

use crate::raw::{RawBody, RawGeometry, RawSolid};
use serosa_geometry::generate::organ::surface_of;
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::implicit::{Implicit, Operator, Part, Shape};
use serosa_geometry::{BodyId, Fineness, Mesh, Real, Topology, Vec3};
use serosa_sim::model::{BodyKind, Model, Shell};

/// Points of the surface that stands for a round solid.
const POINTS: usize = 482;
/// Edges of the surface of a capsule, as a share of its radius, where that takes more points.
const EDGE: Real = 0.5;

/// What is wrong with a surface as a shell, in words.
pub fn fault(mesh: &Mesh) -> Option<(String, &'static str)> {
    let topology = Topology::of(&mesh.triangles, mesh.points.len());
    if mesh.triangles.is_empty() {
        let help = "use a surface: a membrane, an organ or a mesh of triangles";
        return Some(("it has no triangles that could be pressed into".to_owned(), help));
    }
    let crowded = topology.crowded.first().map(|e| topology.edges[*e as usize]);
    if let Some([v, w]) = crowded {
        let message = format!("more than two triangles meet at the edge of points {v} and {w}");
        return Some((message, "take the mesh apart there; `serosa query info FILE` shows all such edges"));
    }
    if let Some(e) = topology.flipped.first() {
        let [v, w] = topology.edges[*e as usize];
        let message =
            format!("the triangles at the edge of points {v} and {w} disagree about which side is out");
        return Some((
            message,
            "give all triangles one orientation; `serosa query info FILE` shows such edges",
        ));
    }
    if topology.is_closed() && volume(mesh) < 0.0 {
        let message = "the surface is inside out: its triangles run clockwise seen from outside".to_owned();
        return Some((message, "turn the triangles round"));
    }
    None
}

/// The enclosed volume \[m³\], negative where a closed surface is inside out.
fn volume(mesh: &Mesh) -> Real {
    let corner = |v: u32| mesh.points[v as usize] - mesh.points[0];
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum::<Real>() / 6.0
}

/// Adds the shell of a body, where it has one.
pub fn add(model: &mut Model, body: BodyId, raw: Option<&RawBody>, solid: Option<RawSolid>) {
    match (&model.bodies[body.at()].kind, raw.map(|raw| &raw.geometry)) {
        (BodyKind::Rigid(r), _) => {
            let frame = *r;
            if let Some(Mesh { points, triangles, .. }) = solid.and_then(surface) {
                model.shells.push(Shell { body, triangles, frame: Some((frame, points)), thickness: 0.0 });
            }
        }
        (_, Some(RawGeometry::Mesh { mesh, radius })) if !mesh.triangles.is_empty() => {
            let closed = Topology::of(&mesh.triangles, mesh.points.len()).is_closed();
            let thickness = if closed { 0.0 } else { *radius };
            model.shells.push(Shell { body, triangles: mesh.triangles.clone(), frame: None, thickness });
        }
        _ => {}
    }
}

/// The surface of a solid about its centre, a capsule's along z. A plane has none.
fn surface(solid: RawSolid) -> Option<Mesh> {
    match solid {
        RawSolid::Plane => None,
        RawSolid::Sphere { radius } => even_sphere(Vec3::ZERO, radius, POINTS).ok(),
        RawSolid::Capsule { length, radius } => {
            let half = Vec3::Z * (0.5 * length);
            let shape = Shape::Capsule { ends: [-half, half], radii: [radius; 2] };
            let recipe = Implicit {
                parts: vec![Part { shape, operator: Operator::Join, blend: 0.0 }],
                ..Implicit::default()
            };
            surface_of(&recipe, Fineness::Edge(EDGE * radius)).ok()
        }
        RawSolid::Cuboid { size } => Some(cuboid(size * 0.5)),
    }
}

fn cuboid(half: Vec3) -> Mesh {
    let points = (0..8).map(|k| {
        let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        half * Vec3::new(sign(1), sign(2), sign(4))
    });
    // Corners of each side, anticlockwise seen from outside.
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_triangles(points.collect(), triangles)
}
