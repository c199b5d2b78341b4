//! One small free body of every model and shape. A new body model adds its line here, and the whole
//! conformance kit applies to it untouched.

use crate::make::{ROPE, body, rope, solid, springs};
use serosa_bake::raw::{RawBand, RawBody, RawGeometry, RawModel, RawSolid, RawStrip};
use serosa_geometry::generate::intestine::Strip;
use serosa_geometry::generate::{Helix, Sheet, chain, helix, membrane, net};
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::params::Response;

pub struct Specimen {
    pub name: &'static str,
    pub body: RawBody,
    /// Vertices that feel no force under any affine deformation: the patch test.
    pub inner: Vec<usize>,
    /// How its contacts are answered; a body that can be answered in both ways stands here twice.
    pub response: Response,
}

/// A flat strip of square cells, 4 rows and 12 columns, a tube along its border.
pub fn strip(rows: usize, columns: usize, side: f64, corner: Vec3) -> RawStrip {
    let at = |i: usize| corner + Vec3::new((i / rows) as f64, (i % rows) as f64, 0.0) * side;
    RawStrip {
        strip: Strip::through((0..rows * columns).map(at).collect(), rows, columns),
        radius: 2e-3,
        start_radius: None,
        inflation_s: 0.2,
        half_thickness: 5e-4,
    }
}

/// The mechanics of a bowel and its membrane, small.
pub const GUT: RawBand = RawBand {
    mass: 0.02,
    tube_mass: Some(0.05),
    tube_stretch: 50.0,
    tube_bending: 1e-5,
    stiffness: 100.0,
    bending: 1e-5,
    relaxation_s: 5e-3,
};

/// The same strip with nothing held.
fn free_strip() -> RawBody {
    let mut geometry = strip(4, 12, 0.01, Vec3::ZERO);
    geometry.strip.mesh.sets.remove("root");
    body("strip", RawGeometry::Strip(geometry), RawModel::Band(GUT))
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
    let (corrects, descends) = (Response::DisplacementVelocity, Response::AugmentedLagrangian);
    let free = |name, body| Specimen { name, body, inner: Vec::new(), response: corrects };
    let line = rope("rope", (Vec3::ZERO, Vec3::new(0.3, 0.1, 0.0)), 12, 1e-3, ROPE);
    let sheet_inside: Vec<usize> = (4..44).filter(|i| i % 4 == 1 || i % 4 == 2).collect();
    let band = |name, body: &RawBody, inner: Vec<usize>, response| Specimen {
        name,
        body: body.clone(),
        inner,
        response,
    };
    let gut = free_strip();
    let ball = solid("ball", RawSolid::Sphere { radius: 0.05 }, Vec3::X, rigid);
    let bar = solid("rod", RawSolid::Capsule { length: 0.2, radius: 0.02 }, Vec3::X, rigid);
    let brick = solid("box", RawSolid::Cuboid { size: Vec3::new(0.1, 0.2, 0.3) }, Vec3::X, rigid);
    vec![
        Specimen {
            name: "chain",
            inner: (1..11).collect(),
            response: corrects,
            body: springs("chain", straight, 0.1, 500.0, 0.05),
        },
        Specimen {
            name: "net",
            inner: inside(&net(&sheet())),
            response: corrects,
            body: springs("net", net(&sheet()), 0.1, 500.0, 0.05),
        },
        Specimen {
            name: "membrane",
            inner: inside(&membrane(&sheet())),
            response: corrects,
            body: springs("membrane", membrane(&sheet()), 0.1, 500.0, 0.05),
        },
        free(
            "helix with bending",
            body("helix", RawGeometry::Mesh { mesh: helix(&wound), radius: 1e-3 }, bent),
        ),
        band("rope", &line, (1..11).collect(), corrects),
        band("rope that descends", &line, (1..11).collect(), descends),
        band("strip", &gut, sheet_inside.clone(), corrects),
        band("strip that descends", &gut, sheet_inside, descends),
        free("ball", ball.clone()),
        free("rod", bar.clone()),
        free("box", brick.clone()),
        band("ball that descends", &ball, Vec::new(), descends),
        band("rod that descends", &bar, Vec::new(), descends),
        band("box that descends", &brick, Vec::new(), descends),
    ]
}
