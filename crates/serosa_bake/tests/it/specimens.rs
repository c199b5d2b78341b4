//! One small free body of every model and shape, and some that are placed. A new body model adds its line here, and the whole
//! conformance kit applies to it untouched.

use crate::make::{ROPE, body, rope, solid, springs};
use serosa_bake::raw::{
    RawBand, RawBody, RawCompliance, RawControl, RawDescent, RawElastic, RawFlexible, RawGeometry, RawMethod,
    RawModel, RawSolid, RawStrip, RawTets, RawTissue, Selector, SurfaceMass,
};
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::generate::intestine::Strip;
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::generate::{Helix, Sheet, chain, helix, membrane, net};
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::model::{Integrator, Law, Limits, MeanRotation, Region};
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

/// The mechanics of a small organ.
pub const ORGAN: RawTissue = RawTissue {
    mass: SurfaceMass::Total(0.05),
    stiffness: 40.0,
    area: 20.0,
    bending: 1e-4,
    bulk: 2000.0,
    restoration: 30.0,
    relaxation_s: 5e-3,
    integrator: Integrator::Implicit,
};

/// A ball of tissue: an octahedron, each edge cut in 2^`cuts`, blown up and stretched along its axes.
pub fn organ_mesh(cuts: u32, axes: Vec3) -> Mesh {
    let mut points = vec![Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z];
    let mut faces: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..cuts {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for &[a, b, c] in &faces {
            let mut middle = |u: u32, v: u32| {
                *middles.entry([u.min(v), u.max(v)]).or_insert_with(|| {
                    points.push((points[u as usize] + points[v as usize]).normalize());
                    points.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = finer;
    }
    points.iter_mut().for_each(|p| *p *= axes);
    Mesh::from_triangles(points, faces)
}

pub fn organ(name: &str, mesh: Mesh, material: RawTissue) -> RawBody {
    body(name, RawGeometry::Mesh { mesh, radius: 1e-3 }, RawModel::Tissue(material))
}

/// One material, nothing held.
pub fn elastic(law: Law, young: f64, poisson: f64, density: f64, relaxation_s: f64) -> RawElastic {
    let base = Region { name: "flesh".into(), law, young, poisson, density };
    RawElastic {
        base,
        regions: Vec::new(),
        relaxation_s,
        walls: Vec::new(),
        ties: Vec::new(),
        descent: RawDescent::Vertex,
        thickness: None,
    }
}

/// A block of tetrahedra.
pub fn flesh(name: &str, (corner, size): (Vec3, Vec3), cells: [usize; 3], material: RawElastic) -> RawBody {
    let (mesh, tets) = block(&Block { corner, size, cells });
    body(name, RawGeometry::Tets(RawTets { mesh, tets, ..Default::default() }), RawModel::Solid(material))
}

/// Light and large: the kit deforms by a tenth of a metre what has no springs.
fn light(law: Law, relaxation_s: f64) -> Specimen {
    let body = flesh("block", (Vec3::ZERO, LIGHT), [4, 2, 2], elastic(law, 1e4, 0.4, 1.0, relaxation_s));
    let inner = light_inside(&body);
    let name = match (law, relaxation_s > 0.0) {
        (Law::NeoHookean, false) => "solid",
        (Law::NeoHookean, true) => "damped solid",
        (Law::Corotated, false) => "corotated solid",
        (Law::Corotated, true) => "damped corotated solid",
    };
    Specimen { name, body, inner, response: Response::DisplacementVelocity }
}

const LIGHT: Vec3 = Vec3::new(4.0, 2.0, 2.0);

fn light_inside(body: &RawBody) -> Vec<usize> {
    let points = body.geometry.mesh().map_or(&[][..], |mesh| &mesh.points);
    let inside = |p: &Vec3| p.min_element() > 0.1 && (LIGHT - *p).min_element() > 0.1;
    (0..points.len()).filter(|v| inside(&points[*v])).collect()
}

/// With a node in the middle of every edge.
pub fn raised(mut body: RawBody) -> RawBody {
    let RawGeometry::Tets(tets) = body.geometry else { panic!("tetrahedra") };
    body.geometry = RawGeometry::Tets(tets.raised());
    body
}

/// A solid as a whole, of quadratic tetrahedra.
fn quadratic(name: &'static str, specimen: Specimen) -> Specimen {
    let mut specimen = whole(name, specimen);
    specimen.body = raised(specimen.body);
    specimen.inner = light_inside(&specimen.body);
    specimen
}

/// The same, as a whole.
fn whole(name: &'static str, mut specimen: Specimen) -> Specimen {
    if let RawModel::Solid(model) = &mut specimen.body.model {
        model.descent = RawDescent::Global;
    }
    specimen.name = name;
    specimen
}

fn sheet() -> Sheet {
    Sheet { corner: Vec3::ZERO, along: Vec3::X * 0.2, across: Vec3::Y * 0.15, columns: 7, rows: 6 }
}

/// The membrane's triangles without its crossing diagonals.
fn skin() -> Mesh {
    let mesh = membrane(&sheet());
    let sets = mesh.sets.clone();
    Mesh { sets, ..Mesh::from_triangles(mesh.points, mesh.triangles) }
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
    let ball = solid("ball", RawSolid::Sphere { radius: 0.05 }, Vec3::X, rigid.clone());
    let bar = solid("rod", RawSolid::Capsule { length: 0.2, radius: 0.02 }, Vec3::X, rigid.clone());
    let brick = solid("box", RawSolid::Cuboid { size: Vec3::new(0.1, 0.2, 0.3) }, Vec3::X, rigid.clone());
    let ball_of = |material| organ("organ", organ_mesh(2, Vec3::new(0.05, 0.04, 0.03)), material);
    let bare = RawTissue { bulk: 0.0, restoration: 0.0, ..ORGAN };
    vec![
        light(Law::NeoHookean, 0.0),
        light(Law::NeoHookean, 5e-3),
        light(Law::Corotated, 0.0),
        light(Law::Corotated, 5e-3),
        whole("solid as a whole", light(Law::NeoHookean, 0.0)),
        whole("damped corotated solid as a whole", light(Law::Corotated, 5e-3)),
        quadratic("quadratic solid", light(Law::NeoHookean, 0.0)),
        quadratic("damped quadratic solid", light(Law::NeoHookean, 5e-3)),
        quadratic("corotated quadratic solid", light(Law::Corotated, 0.0)),
        quadratic("damped corotated quadratic solid", light(Law::Corotated, 5e-3)),
        free("tissue", ball_of(ORGAN)),
        free("tissue without restoration", ball_of(bare)),
        band("tissue that descends", &ball_of(ORGAN), Vec::new(), descends),
        band("bare tissue that descends", &ball_of(bare), Vec::new(), descends),
        Specimen {
            name: "tissue as a sheet",
            inner: inside(&membrane(&sheet())),
            response: corrects,
            body: organ("sheet", skin(), bare),
        },
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

/// The mechanics of a body that is placed, not moved: soft enough to sag to the floor.
fn sagging(method: RawMethod, compliance: RawCompliance, controls: Vec<RawControl>) -> RawModel {
    RawModel::Flexible(Box::new(RawFlexible {
        method,
        base: Region { name: "soft".into(), law: Law::Corotated, young: 3e3, poisson: 0.4, density: 1000.0 },
        regions: Vec::new(),
        controls,
        rotation: MeanRotation::Polar,
        limits: Limits { strain: f64::INFINITY, stretch: f64::INFINITY, angle: 1.0 },
        compliance,
        thickness: Some(1e-3),
    }))
}

/// Bodies without inertia, which are where their control elements, their weight and their contacts put them. They neither
/// fall nor keep momentum; what a step promises of any body they keep too.
pub fn placed() -> Vec<Specimen> {
    let size = Vec3::new(0.2, 0.04, 0.02);
    let (mesh, tets) = block(&Block { corner: Vec3::new(0.0, 0.0, 2e-3), size, cells: [10, 2, 1] });
    let bar = RawTets { mesh, tets, ..RawTets::default() };
    let hand = RawControl {
        name: "hand".into(),
        which: Selector::Name("left".into()),
        speed_max: 1.0,
        by_force: false,
        moves: Vec::new(),
    };
    let tets = |name, compliance| Specimen {
        name,
        inner: Vec::new(),
        response: Response::AugmentedLagrangian,
        body: body(
            "bar",
            RawGeometry::Tets(bar.clone()),
            sagging(RawMethod::Finite, compliance, vec![hand.clone()]),
        ),
    };
    let mesh = even_sphere(Vec3::Z * 0.052, 0.05, 100).unwrap();
    let model = sagging(RawMethod::Boundary, RawCompliance::All, Vec::new());
    let mut drop = body("drop", RawGeometry::Mesh { mesh, radius: 0.0 }, model);
    drop.attachments = vec![Selector::Plane { point: Vec3::Z * 0.09, normal: Vec3::NEG_Z }];
    vec![
        tets("flexible bar", RawCompliance::All),
        tets("flexible bar on demand", RawCompliance::Demand),
        Specimen {
            name: "flexible drop of boundary elements",
            inner: Vec::new(),
            response: Response::AugmentedLagrangian,
            body: drop,
        },
    ]
}
