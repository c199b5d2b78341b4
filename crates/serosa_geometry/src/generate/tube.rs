//! Tubes and cables of tetrahedra.

use super::block::SIX;
use crate::rotation::any_perpendicular;
use crate::tets::Tets;
use crate::{Mesh, Real, Vec3};
use std::collections::BTreeMap;

/// A tube along a straight line or an arc, cut into cells and each cell into six tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// The middle of its first end [m].
    pub from: Vec3,
    /// Where it leads there, unit.
    pub direction: Vec3,
    /// Where it bends, if it does.
    pub towards: Vec3,
    /// Along its middle [m].
    pub length: Real,
    /// Outer and inner radius [m]; the inner one is above zero.
    pub radii: [Real; 2],
    /// Of its middle [1/m]; 0 where it is straight.
    pub curvature: Real,
    /// Length of the sets at its ends [m].
    pub control: Real,
    /// Cells along it, around it (at least three) and through its wall.
    pub cells: [usize; 3],
    /// Whether its bore is part of its surface; a cable has one that is too narrow to be seen.
    pub hollow: bool,
}

impl Tube {
    /// Places of the middle `s` along it, and the directions across: towards the centre of the bend, and out of its plane.
    fn section(&self, s: Real) -> (Vec3, [Vec3; 2]) {
        let along = self.direction;
        let across = (self.towards - along * along.dot(self.towards)).try_normalize();
        let across = across.unwrap_or_else(|| any_perpendicular(along));
        let angle = s * self.curvature;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let place = if self.curvature == 0.0 {
            along * s
        } else {
            (along * sin + across * (1.0 - cos)) / self.curvature
        };
        (self.from + place, [across * cos - along * sin, along.cross(across)])
    }

    fn place(&self, [i, k, j]: [usize; 3]) -> Vec3 {
        let [along, around, through] = self.cells;
        let (middle, [u, v]) = self.section(self.length * i as Real / along as Real);
        let [outer, inner] = self.radii;
        let radius = inner + (outer - inner) * k as Real / through as Real;
        let angle = core::f64::consts::TAU * j as Real / around as Real;
        middle + (u * libm::cos(angle) + v * libm::sin(angle)) * radius
    }
}

/// Points, outer triangles and sets of a tube, and its tetrahedra. Sets: `start`, `end` (so long as `control` says), `first`,
/// `middle`, `last` (single sections), `outer`, `inner`. O(cells).
pub fn tube(tube: &Tube) -> (Mesh, Vec<[u32; 4]>) {
    let [along, around, through] = tube.cells;
    let index = |[i, k, j]: [usize; 3]| ((i * (through + 1) + k) * around + j % around) as u32;
    let mut points = Vec::new();
    let mut sets = BTreeMap::<String, Vec<u32>>::new();
    for i in 0..=along {
        let s = tube.length * i as Real / along as Real;
        let near = 1e-9 * tube.length;
        for (k, j) in (0..=through).flat_map(|k| (0..around).map(move |j| (k, j))) {
            let names = [
                (s <= tube.control + near, "start"),
                (s >= tube.length - tube.control - near, "end"),
                (i == 0, "first"),
                (i == along / 2, "middle"),
                (i == along, "last"),
                (k == through, "outer"),
                (k == 0, "inner"),
            ];
            for (_, name) in names.iter().filter(|n| n.0) {
                sets.entry((*name).to_owned()).or_default().push(index([i, k, j]));
            }
            points.push(tube.place([i, k, j]));
        }
    }
    // Cells are mirrored in turn where that closes around the tube.
    let mirrors = [true, true, around.is_multiple_of(2)];
    let mut tets = Vec::new();
    for cell in
        (0..along * through * around).map(|n| [n / around / through, n / around % through, n % around])
    {
        let turned: [usize; 3] = std::array::from_fn(|a| if mirrors[a] { cell[a] & 1 } else { 0 });
        let corner = |c: usize| index(std::array::from_fn(|a| cell[a] + ((c >> a & 1) ^ turned[a])));
        let odd = turned.iter().sum::<usize>() % 2 == 1;
        tets.extend(SIX.map(|[a, b, c, d]| {
            let (b, c) = if odd { (c, b) } else { (b, c) };
            [a, b, c, d].map(corner)
        }));
    }
    let mut boundary = Tets::of(&points, &tets).boundary;
    if !tube.hollow {
        let bore = &sets["inner"];
        boundary.retain(|t| !t.iter().all(|v| bore.binary_search(v).is_ok()));
    }
    (Mesh { sets, ..Mesh::from_triangles(points, boundary) }, tets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(curvature: Real, cells: [usize; 3], hollow: bool) -> Tube {
        Tube {
            from: Vec3::new(0.1, 0.2, 0.3),
            direction: Vec3::new(0.6, 0.8, 0.0),
            towards: Vec3::Z,
            length: 0.4,
            radii: [0.01, 0.006],
            curvature,
            control: 0.02,
            cells,
            hollow,
        }
    }

    fn outer(mesh: &Mesh) -> usize {
        mesh.triangles.iter().flatten().collect::<std::collections::BTreeSet<_>>().len()
    }

    #[test]
    fn tubes_are_whole() {
        for (curvature, around) in [(0.0, 12), (5.0, 12), (5.0, 7)] {
            let (mesh, tets) = tube(&sample(curvature, [40, around, 2], true));
            let facts = Tets::of(&mesh.points, &tets);
            assert_eq!((facts.inverted.len(), facts.flat.len(), facts.crowded_faces), (0, 0, 0));
            let n = around as Real;
            let section =
                0.5 * n * libm::sin(core::f64::consts::TAU / n) * (0.01f64.powi(2) - 0.006f64.powi(2));
            assert!((facts.volume / (0.4 * section) - 1.0).abs() < 2e-2, "{}", facts.volume);
            assert!(facts.surface(&mesh.points).is_watertight());
            assert_eq!(mesh.sets["first"].len(), 3 * around);
            assert_eq!(mesh.sets["start"].len(), 3 * around * 3);
        }
    }

    /// The published counts of tetrahedra, nodes and surface nodes (Klimenko et al. 2004, table 3).
    #[test]
    fn published_tubes_have_their_counts() {
        let counts = [
            ([96, 48, 2], true, [55_296, 13_968, 9408]),
            ([200, 24, 2], true, [57_600, 14_472, 9696]),
            ([120, 24, 4], false, [69_120, 14_520, 3096]),
        ];
        for (cells, hollow, wanted) in counts {
            let (mesh, tets) = tube(&sample(0.0, cells, hollow));
            assert_eq!([tets.len(), mesh.points.len(), outer(&mesh)], wanted);
        }
    }
}
