//! What can be said of a solid made of tetrahedra.

use crate::meet::orientation;
use crate::{Real, Surface, Vec3};

/// Faults and measures of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tets {
    /// Of negative volume, exactly.
    pub inverted: Vec<u32>,
    /// Of no volume, exactly, or with a corner that is not finite.
    pub flat: Vec<u32>,
    /// Faces of more than two tetrahedra.
    pub crowded_faces: usize,
    /// Sum of all volumes, inverted ones negative.
    pub volume: Real,
    /// Smallest angle between two faces of one tetrahedron \[rad\], of those with a volume.
    pub least_angle: Option<Real>,
    /// Greatest.
    pub greatest_angle: Option<Real>,
    /// Mean over tetrahedra of the smallest angle of each; 70.5° in a regular one.
    pub mean_least_angle: Option<Real>,
    /// Faces of one tetrahedron, anticlockwise seen from outside where that one is not inverted.
    pub boundary: Vec<[u32; 3]>,
}

impl Tets {
    /// Looks at tetrahedra. Every corner must be the number of a point.
    pub fn of(points: &[Vec3], tets: &[[u32; 4]]) -> Self {
        let mut all = Self::default();
        let (mut least, mut greatest, mut sum, mut count) = (Real::INFINITY, 0.0, 0.0, 0);
        for (tet, i) in tets.iter().zip(0..) {
            let [a, b, c, d] = tet.map(|p| points[p as usize]);
            let finite = [a, b, c, d].iter().all(|p| p.is_finite());
            // The predicate is negative for a tetrahedron of positive volume.
            let sign = if finite { -orientation(a, b, c, d) } else { 0 };
            if sign == 0 {
                all.flat.push(i);
                continue;
            }
            if sign < 0 {
                all.inverted.push(i);
            }
            all.volume += (b - a).dot((c - a).cross(d - a)) / 6.0;
            let angles = dihedral_angles([a, b, c, d]);
            let low = angles.iter().fold(Real::INFINITY, |m, v| m.min(*v));
            least = least.min(low);
            greatest = angles.iter().fold(greatest, |m: Real, v| m.max(*v));
            (sum, count) = (sum + low, count + 1);
        }
        if count > 0 {
            all.least_angle = Some(least);
            all.greatest_angle = Some(greatest);
            all.mean_least_angle = Some(sum / Real::from(count));
        }
        (all.boundary, all.crowded_faces) = boundary(tets);
        all
    }

    /// The surface of the solid.
    pub fn surface(&self, points: &[Vec3]) -> Surface {
        Surface::of(points, &self.boundary)
    }
}

/// The faces of `a b c d`, anticlockwise seen from outside where its volume is positive.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The six angles between faces \[rad\].
fn dihedral_angles(p: [Vec3; 4]) -> [Real; 6] {
    let normals = FACES.map(|[i, j, k]| (p[j] - p[i]).cross(p[k] - p[i]));
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    pairs.map(|(i, j)| {
        let (m, n) = (normals[i], normals[j]);
        // Outward normals of faces at an angle φ are at π − φ; by sine and cosine, which small angles need.
        libm::atan2(m.cross(n).length(), -m.dot(n))
    })
}

/// Faces that only one tetrahedron has, and how many faces more than two have.
fn boundary(tets: &[[u32; 4]]) -> (Vec<[u32; 3]>, usize) {
    let face = |tet: &[u32; 4], corners: [usize; 3]| {
        let face = corners.map(|k| tet[k]);
        let mut sorted = face;
        sorted.sort_unstable();
        (sorted, face)
    };
    let mut all: Vec<([u32; 3], [u32; 3])> =
        tets.iter().flat_map(|t| FACES.map(|corners| face(t, corners))).collect();
    all.sort_unstable();
    let groups = || all.chunk_by(|a, b| a.0 == b.0);
    let outer = groups().filter(|g| g.len() == 1).map(|g| g[0].1).collect();
    (outer, groups().filter(|g| g.len() > 2).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of six tetrahedra about one diagonal.
    fn cube() -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let points =
            (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real)).collect();
        let tets = [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]].map(|[i, j]| [0, i, j, 7]);
        (points, tets.to_vec())
    }

    #[test]
    fn a_cube_of_six() {
        let (points, tets) = cube();
        let facts = Tets::of(&points, &tets);
        assert!((facts.volume - 1.0).abs() < 1e-12, "{facts:?}");
        assert_eq!((facts.inverted.len(), facts.flat.len(), facts.crowded_faces), (0, 0, 0));
        assert_eq!(facts.boundary.len(), 12);
        let degrees = |a: Option<Real>| a.unwrap().to_degrees();
        assert!(
            (degrees(facts.least_angle) - 45.0).abs() < 1e-9
                && (degrees(facts.greatest_angle) - 90.0).abs() < 1e-9
        );
        let skin = facts.surface(&points);
        assert!(skin.is_watertight() && skin.is_oriented());
        assert!((skin.volume.unwrap() - 1.0).abs() < 1e-12, "outward");
    }

    #[test]
    fn a_regular_one_and_its_mirror() {
        let points =
            [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
        let regular = libm::acos(1.0 / 3.0);
        let facts = Tets::of(&points, &[[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 2, 2]]);
        assert_eq!((facts.inverted.len(), &facts.flat[..]), (1, &[2][..]));
        assert!(facts.volume.abs() < 1e-12, "they cancel");
        for angle in [facts.least_angle, facts.greatest_angle, facts.mean_least_angle] {
            assert!((angle.unwrap() - regular).abs() < 1e-12);
        }
    }

    #[test]
    fn a_missing_one_opens_nothing_but_a_crowded_face_is_counted() {
        let (points, tets) = cube();
        let fewer = Tets::of(&points, &tets[..5]);
        assert!(fewer.surface(&points).is_watertight());
        let again = [tets.clone(), vec![tets[0], tets[0]]].concat();
        assert_eq!(Tets::of(&points, &again).crowded_faces, 4);
    }
}
