//! What can be said of a filling.

use super::body::{self, Body};
use super::cut::Raw;
use serosa_geometry::tets::Tets;
use serosa_geometry::{Distance, Near, Real, Topology, Vec3};
use std::sync::Arc;

/// What can be said of a filling.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FillReport {
    /// Length of the lattice's edges at the surface \[m\].
    pub edge: Real,
    /// Tetrahedra.
    pub tets: usize,
    /// Points.
    pub points: usize,
    /// Smallest angle between two faces of one tetrahedron \[rad\].
    pub least_angle: Real,
    /// Mean over tetrahedra of the smallest angle of each; 70.5° in a regular one, 60° in those of the lattice.
    pub mean_least_angle: Real,
    /// Greatest angle.
    pub greatest_angle: Real,
    /// From the boundary to the surface, at most \[m\]: at its points and the middles of its edges and faces.
    pub off_surface: Real,
    /// From the surface to the boundary, at most \[m\]: at its points and the middles of its faces, those inside the body
    /// aside. Parts too thin for the edge are lost, and this is where it is seen. `None` where a function was filled.
    pub missed_surface: Option<Real>,
    /// Of the tetrahedra \[m³\].
    pub volume: Real,
    /// Of the surface by the divergence theorem \[m³\]; parts that overlap count twice. `None` where it is open, and where
    /// a function was filled.
    pub surface_volume: Option<Real>,
    /// Tetrahedra of each piece that hangs together, in the order in which they stand: the largest first.
    pub pieces: Vec<usize>,
    /// Sides of one triangle only: what is inside was found by the winding number, and holes are closed by it.
    pub open_edges: usize,
    /// Tetrahedra removed where parts touched along an edge or in a point.
    pub removed: usize,
}

/// Measures a filling.
pub(super) fn report(body: &Body, raw: &Raw, edge: Real) -> FillReport {
    let facts = Tets::of(&raw.points, &raw.tets);
    let mut report = FillReport {
        edge,
        tets: raw.tets.len(),
        points: raw.points.len(),
        least_angle: facts.least_angle.unwrap_or(0.0),
        mean_least_angle: facts.mean_least_angle.unwrap_or(0.0),
        greatest_angle: facts.greatest_angle.unwrap_or(0.0),
        volume: facts.volume,
        ..FillReport::default()
    };
    let samples = samples(&raw.points, &facts.boundary, true);
    report.off_surface = body.distances(&samples).into_iter().fold(0.0, Real::max);
    if let Some(surface) = body.surface() {
        let faces = &surface.topology().triangles;
        report.open_edges = surface.topology().open.len();
        report.surface_volume = body.is_tight.then(|| body::volume(surface.points(), faces));
        report.missed_surface = Some(missed(surface, raw, &facts.boundary, edge));
    }
    report
}

/// Points of faces, their middles and, where asked for, those of their edges.
fn samples(points: &[Vec3], faces: &[[u32; 3]], edges: bool) -> Vec<Vec3> {
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut all: Vec<Vec3> = used.iter().map(|i| points[*i as usize]).collect();
    for face in faces {
        let [a, b, c] = face.map(|i| points[i as usize]);
        all.push((a + b + c) / 3.0);
        if edges {
            all.extend([(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0]);
        }
    }
    all
}

/// The greatest distance from the surface to the boundary.
fn missed(surface: &Distance, raw: &Raw, faces: &[[u32; 3]], edge: Real) -> Real {
    let topology = Arc::new(Topology::of(faces, raw.points.len()));
    let boundary = Distance::of(topology, &raw.points);
    let samples = samples(surface.points(), &surface.topology().triangles, false);
    let mut found = vec![Near::NOTHING; samples.len()];
    boundary.closest_all(&samples, &mut found);
    let mut far: Vec<(Real, Vec3)> =
        found.iter().map(|n| n.distance).zip(samples).filter(|(d, _)| d.is_finite()).collect();
    far.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    // Where a surface overlaps itself some of it lies inside, and is no boundary. The farthest that does not counts.
    let inner = |p: Vec3| around(edge).iter().all(|by| surface.winding(p + *by) > 0.5);
    far.iter().find(|(_, p)| !inner(*p)).map_or(0.0, |f| f.0)
}

/// Some steps away from a point of a surface, of which at least one leads outside if that is near.
fn around(edge: Real) -> [Vec3; 6] {
    let step = 0.2 * edge;
    [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(|axis| axis * step)
}
