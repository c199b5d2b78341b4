//! One small free body of every model and shape. A new body model adds its line here, and the whole
//! conformance kit applies to it untouched.

use crate::make::{body, solid, springs};
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawSolid};
use serosa_geometry::generate::{Helix, Sheet, chain, helix, membrane, net};
use serosa_geometry::{Mesh, Vec3};

pub struct Specimen {
    pub name: &'static str,
    pub body: RawBody,
    /// Vertices that feel no force under any affine deformation: the patch test.
    pub inner: Vec<usize>,
}

fn sheet() -> Sheet {
    Sheet { corner: Vec3::ZERO, along: Vec3::X * 0.2, across: Vec3::Y * 0.15, columns: 7, rows: 6 }
}

fn inside(mesh: &Mesh) -> Vec<usize> {
    let border = &mesh.sets["border"];
    (0..mesh.points.len()).filter(|i| !border.contains(&(*i as u32))).collect()
}

pub fn all() -> Vec<Specimen> {
    let straight = chain(Vec3::ZERO, Vec3::new(0.3, 0.1, 0.0), 12);
    let wound = Helix { base: Vec3::ZERO, nodes: 30, spacing: 0.01, radius: 0.03, pitch: 0.02 };
    let bent = RawModel::Springs { mass: 0.1, stiffness: 500.0, damping: 0.05, bending: 50.0, tube: None };
    let rigid = RawModel::Rigid { mass: 0.2 };
    let free = |name, body| Specimen { name, body, inner: Vec::new() };
    vec![
        Specimen {
            name: "chain",
            inner: (1..11).collect(),
            body: springs("chain", straight, 0.1, 500.0, 0.05),
        },
        Specimen {
            name: "net",
            inner: inside(&net(&sheet())),
            body: springs("net", net(&sheet()), 0.1, 500.0, 0.05),
        },
        Specimen {
            name: "membrane",
            inner: inside(&membrane(&sheet())),
            body: springs("membrane", membrane(&sheet()), 0.1, 500.0, 0.05),
        },
        free(
            "helix with bending",
            body("helix", RawGeometry::Mesh { mesh: helix(&wound), radius: 1e-3 }, bent),
        ),
        free("ball", solid("ball", RawSolid::Sphere { radius: 0.05 }, Vec3::X, rigid)),
        free("rod", solid("rod", RawSolid::Capsule { length: 0.2, radius: 0.02 }, Vec3::X, rigid)),
        free("box", solid("box", RawSolid::Cuboid { size: Vec3::new(0.1, 0.2, 0.3) }, Vec3::X, rigid)),
    ]
}
