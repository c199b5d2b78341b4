//! Elements of four nodes, with linear shape functions, and of ten, with quadratic ones.

use serosa_geometry::{Mat3, Real, Vec3};
pub use serosa_sim::model::MIDDLES;
use serosa_sim::model::SAMPLE;
use std::collections::HashMap;

/// A place at which an element is integrated: F = Σ xᵢ gᵢᵀ there.
#[derive(Clone, Copy, Debug)]
pub struct Sample<const N: usize> {
    /// The gradients g of the shape functions at rest \[1/m\]; they add up to zero.
    pub gradients: [Vec3; N],
    /// The volume that it stands for \[m³\].
    pub weight: Real,
}

/// The sample of a linear tetrahedron, whose gradients are the same everywhere.
pub fn linear(corners: [Vec3; 4]) -> Sample<4> {
    let (weight, gradients) = crate::assemble::shape_gradients(corners);
    Sample { gradients, weight }
}

/// The four samples of a quadratic tetrahedron: corners, then the middles of [`MIDDLES`], which need not lie on
/// straight edges.
pub fn quadratic(nodes: &[Vec3; 10]) -> [Sample<10>; 4] {
    std::array::from_fn(|k| {
        let by_place = slopes(sample(k));
        // dX/dξ, and from it the gradients in space.
        let mut frame = Mat3::ZERO;
        for (x, s) in nodes.iter().zip(by_place) {
            frame += Mat3::from_cols(*x * s.x, *x * s.y, *x * s.z);
        }
        let back = frame.inverse().transpose();
        Sample { gradients: by_place.map(|s| back * s), weight: frame.determinant() / 24.0 }
    })
}

/// Barycentric coordinates of a sample.
fn sample(k: usize) -> [Real; 4] {
    std::array::from_fn(|c| SAMPLE[usize::from(c != k)])
}

/// Values of the ten shape functions at barycentric coordinates.
pub fn values(l: [Real; 4]) -> [Real; 10] {
    std::array::from_fn(|i| match i {
        0..4 => l[i] * (2.0 * l[i] - 1.0),
        _ => 4.0 * l[MIDDLES[i - 4][0]] * l[MIDDLES[i - 4][1]],
    })
}

/// Slopes of the ten shape functions along the barycentric coordinates of the last three corners.
fn slopes(l: [Real; 4]) -> [Vec3; 10] {
    let of = |k: usize| [Vec3::NEG_ONE, Vec3::X, Vec3::Y, Vec3::Z][k];
    std::array::from_fn(|i| match i {
        0..4 => of(i) * (4.0 * l[i] - 1.0),
        _ => {
            let [a, b] = MIDDLES[i - 4];
            (of(a) * l[b] + of(b) * l[a]) * 4.0
        }
    })
}

/// The deformation gradient of a quadratic tetrahedron at one of its corners, from its nodes at rest and now.
pub fn at_corner(rest: &[Vec3; 10], now: &[Vec3; 10], corner: usize) -> Mat3 {
    let mut at = [0.0; 4];
    at[corner] = 1.0;
    let by_place = slopes(at);
    let frame = |nodes: &[Vec3; 10]| {
        let each = nodes.iter().zip(by_place);
        each.fold(Mat3::ZERO, |sum, (x, s)| sum + Mat3::from_cols(*x * s.x, *x * s.y, *x * s.z))
    };
    frame(now) * frame(rest).inverse()
}

/// Adds a node in the middle of every edge: the points with the new ones behind them, and ten nodes for each
/// tetrahedron. Nodes are numbered in the order of the tetrahedra.
pub fn with_middles(points: &[Vec3], tets: &[[u32; 4]]) -> (Vec<Vec3>, Vec<[u32; 10]>) {
    let mut points = points.to_vec();
    let mut middle = HashMap::new();
    let mut elements = Vec::with_capacity(tets.len());
    for tet in tets {
        let mut nodes = [0; 10];
        nodes[..4].copy_from_slice(tet);
        for (k, edge) in MIDDLES.iter().enumerate() {
            let [a, b] = edge.map(|i| tet[i]);
            nodes[4 + k] = *middle.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                points.push((points[a as usize] + points[b as usize]) * 0.5);
                points.len() as u32 - 1
            });
        }
        elements.push(nodes);
    }
    (points, elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Straight edges give the volume exactly, quadratic fields their gradients exactly.
    #[test]
    fn quadratic_fields_have_their_gradients() {
        let corners =
            [Vec3::ZERO, Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.1), Vec3::new(0.1, 0.3, 1.1)];
        let (points, elements) = with_middles(&corners, &[[0, 1, 2, 3]]);
        let nodes = elements[0].map(|v| points[v as usize]);
        let field = |x: Vec3| 3.0 * x.x * x.y - x.z * x.z + 2.0 * x.y;
        let slope = |x: Vec3| Vec3::new(3.0 * x.y, 3.0 * x.x + 2.0, -2.0 * x.z);
        let samples = quadratic(&nodes);
        for (k, sample) in samples.iter().enumerate() {
            let place: Vec3 = nodes.iter().zip(values(super::sample(k))).map(|(x, v)| *x * v).sum();
            let found: Vec3 = nodes.iter().zip(sample.gradients).map(|(x, g)| g * field(*x)).sum();
            assert!((found - slope(place)).length() < 1e-12, "{found} {}", slope(place));
        }
        let volume: Real = samples.iter().map(|s| s.weight).sum();
        assert!((volume - linear(corners).weight).abs() < 1e-14);
    }
}
