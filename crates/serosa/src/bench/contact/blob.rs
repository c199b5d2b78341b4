//! Soft blobs and what they meet: the scenes on which other engines were measured, point for point.

use serosa_bake::raw::{
    RawBody, RawDescent, RawElastic, RawGeometry, RawModel, RawScene, RawSolid, RawTets, Selector, at,
};
use serosa_geometry::generate::sphere::globe;
use serosa_geometry::tets::Tets;
use serosa_geometry::{Aabb, Mesh, Vec3};
use serosa_sim::model::{Law, Region};
use serosa_sim::params::{Filter, Response};

/// \[m\]
const RADIUS: f64 = 0.05;
const GRAVITY: f64 = 9.81;
/// Thickness of the surface of a blob \[m\]: the two that are pressed start a millimetre apart.
const THICKNESS: f64 = 5e-4;
/// A frame of a screen \[s\].
pub const FRAME: f64 = 1.0 / 60.0;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// A blob, bent as a liver is, falls on a box.
    DropBox,
    /// A blob falls on a ball.
    DropSphere,
    /// A blob falls on another, which is held at its lowest layer, at three times its weight.
    Press,
}

impl Case {
    pub fn name(self) -> &'static str {
        match self {
            Self::DropBox => "drop-box",
            Self::DropSphere => "drop-sphere",
            Self::Press => "press",
        }
    }
}

/// How a case is computed.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub descent: RawDescent,
    /// Steps in a frame, and sweeps in a step.
    pub substeps: u32,
    pub sweeps: u32,
    /// Cells along an edge of a blob: 6 k³ tetrahedra.
    pub cells: usize,
}

/// Cells of the cube from −1 to 1, pulled towards a ball by `roundness`, and bent by `bump`.
pub fn blob(k: usize, roundness: f64, bump: f64) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let (mut points, mut tets) = (Vec::new(), Vec::new());
    let side = k + 1;
    for node in 0..side * side * side {
        let at = [node / (side * side), node / side % side, node % side];
        let cube = Vec3::from_array(at.map(|i| -1.0 + 2.0 * i as f64 / k as f64));
        let round = cube.abs().max_element() / cube.length().max(1e-12);
        let scale = if cube == Vec3::ZERO { 0.8 } else { roundness * round + (1.0 - roundness) * 0.8 };
        let mut p = cube * scale;
        p.z += bump * ((2.2 * p.x).cos() - 1.0) + 0.5 * bump * p.x * p.y;
        points.push(p * RADIUS);
    }
    for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for cell in 0..k * k * k {
            let mut at = [cell / (k * k), cell / k % k, cell % k];
            let node = |at: [usize; 3]| ((at[0] * side + at[1]) * side + at[2]) as u32;
            let mut tet = [node(at); 4];
            for (i, axis) in axes.into_iter().enumerate() {
                at[axis] += 1;
                tet[i + 1] = node(at);
            }
            let [a, b, c, d] = tet.map(|v| points[v as usize]);
            if (b - a).cross(c - a).dot(d - a) < 0.0 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    (points, tets)
}

/// Moves points so that the lowest is at a height.
fn put(points: &mut [Vec3], low: f64) {
    let least = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    points.iter_mut().for_each(|p| p.z += low - least);
}

fn soft(name: &str, (points, tets): (Vec<Vec3>, Vec<[u32; 4]>), descent: RawDescent) -> RawBody {
    let base = Region { name: name.into(), law: Law::NeoHookean, young: 1e5, poisson: 0.45, density: 1000.0 };
    let elastic = RawElastic {
        base,
        regions: vec![],
        relaxation_s: 0.0,
        walls: vec![],
        ties: vec![],
        descent,
        thickness: Some(THICKNESS),
    };
    let boundary = Tets::of(&points, &tets).boundary;
    let mesh = Mesh::from_triangles(points, boundary);
    let geometry = RawGeometry::Tets(RawTets { mesh, tets, ..RawTets::default() });
    // The others look at no contacts of a blob with itself either.
    RawBody { friction: 0.3, self_contact: false, ..RawBody::new(name, geometry, RawModel::Solid(elastic)) }
}

fn fixed(name: &str, solid: RawSolid, place: Vec3) -> RawBody {
    let geometry = RawGeometry::Solid { solid, pose: at(place) };
    RawBody { friction: 0.3, ..RawBody::new(name, geometry, RawModel::Fixed) }
}

/// Its scene; the blob that falls is the last body.
pub fn scene(case: Case, how: How) -> RawScene {
    let (roundness, bump) = match case {
        Case::DropBox => (0.85, 0.3),
        Case::DropSphere => (0.85, 0.0),
        Case::Press => (0.5, 0.0),
    };
    let mut falls = blob(how.cells, roundness, bump);
    let (mut low, mut gravity) = (0.005, GRAVITY);
    let below = match case {
        Case::DropBox => {
            let size = Vec3::new(0.4, 0.4, 0.1);
            fixed("box", RawSolid::Cuboid { size }, Vec3::new(0.0, 0.0, -0.05))
        }
        Case::DropSphere => fixed("ball", RawSolid::Sphere { radius: BALL }, Vec3::new(0.0, 0.0, -BALL)),
        Case::Press => {
            let mut lies = blob(how.cells, roundness, bump);
            put(&mut lies.0, 0.0);
            low += lies.0.iter().map(|p| p.z).fold(0.0, f64::max) - 0.004;
            gravity *= 3.0;
            let mut body = soft("lower", lies, how.descent);
            let held = Aabb { min: Vec3::splat(-1.0), max: Vec3::new(1.0, 1.0, 0.01 - 1e-12) };
            body.attachments = vec![Selector::Box(held)];
            body
        }
    };
    put(&mut falls.0, low);
    let mut raw = RawScene { bodies: vec![below, soft("blob", falls, how.descent)], ..RawScene::default() };
    let world = &mut raw.world;
    (world.dt_s, world.substeps, world.sweeps) = (FRAME, how.substeps, how.sweeps);
    world.gravity = Vec3::NEG_Z * gravity;
    (world.response, world.filter) = (Response::AugmentedLagrangian, Filter::Planes);
    raw
}

/// \[m\]
const BALL: f64 = 0.15;

/// The surface of what does not move, as the others were judged: triangles of the box, or of a ball of 96 slices.
pub fn still_surface(case: Case) -> Option<Mesh> {
    match case {
        Case::DropBox => {
            let (mesh, _) =
                serosa_geometry::generate::block::block(&serosa_geometry::generate::block::Block {
                    corner: Vec3::new(-0.2, -0.2, -0.1),
                    size: Vec3::new(0.4, 0.4, 0.1),
                    cells: [1; 3],
                });
            Some(mesh)
        }
        Case::DropSphere => Some(globe(Vec3::new(0.0, 0.0, -BALL), BALL, 96)),
        Case::Press => None,
    }
}
