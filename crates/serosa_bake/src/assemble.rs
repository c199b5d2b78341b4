//! Stiffness matrices of meshes of tetrahedra.

use crate::statics::element::{Sample, linear, quadratic};
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::BlockMatrix;

pub use serosa_sim::body::flexible::Lame;

/// Volume of a tetrahedron \[m³\] and the gradients of its four linear shape functions \[1/m\]. Gradients are not finite
/// where the volume is zero.
pub fn shape_gradients(corners: [Vec3; 4]) -> (Real, [Vec3; 4]) {
    let [a, b, c] = [1, 2, 3].map(|k| corners[k] - corners[0]);
    let six_volumes = a.dot(b.cross(c));
    let [g1, g2, g3] = [b.cross(c), c.cross(a), a.cross(b)].map(|g| g / six_volumes);
    (six_volumes / 6.0, [-(g1 + g2 + g3), g1, g2, g3])
}

/// The stiffness of linear elasticity \[N/m\]: block (i, j) of a tetrahedron of volume V is
/// V (λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ·gⱼ) I), with the gradients g of its shape functions.
///
/// One material for each tetrahedron. Cost: 10 blocks a tetrahedron, each with a search in its column.
pub fn elastic_stiffness(
    points: &[Vec3],
    tets: &[[u32; 4]],
    materials: &[Lame],
    fixed: &[bool],
) -> BlockMatrix<3> {
    let mut matrix = BlockMatrix::of_elements(tets, fixed);
    for (tet, lame) in tets.iter().zip(materials) {
        add_element(&mut matrix, tet, &[linear(tet.map(|v| points[v as usize]))], *lame);
    }
    matrix
}

/// The same of quadratic tetrahedra, integrated by four samples: ten nodes each, corners and then the middles of
/// [`MIDDLES`](serosa_sim::model::MIDDLES). Cost: 55 blocks a tetrahedron.
pub fn quadratic_stiffness(
    points: &[Vec3],
    elements: &[[u32; 10]],
    materials: &[Lame],
    fixed: &[bool],
) -> BlockMatrix<3> {
    let mut matrix = BlockMatrix::of_elements(elements, fixed);
    for (nodes, lame) in elements.iter().zip(materials) {
        add_element(&mut matrix, nodes, &quadratic(&nodes.map(|v| points[v as usize])), *lame);
    }
    matrix
}

fn add_element<const N: usize>(
    matrix: &mut BlockMatrix<3>,
    nodes: &[u32; N],
    samples: &[Sample<N>],
    lame: Lame,
) {
    for i in 0..N {
        for j in 0..=i {
            let mut block = [[0.0; 3]; 3];
            for Sample { gradients: g, weight } in samples {
                let (a, b) = (g[i].to_array(), g[j].to_array());
                let trace = lame.mu * g[i].dot(g[j]);
                for p in 0..3 {
                    for q in 0..3 {
                        let diagonal = if p == q { trace } else { 0.0 };
                        block[p][q] +=
                            weight * (lame.lambda * a[p] * b[q] + lame.mu * b[p] * a[q] + diagonal);
                    }
                }
            }
            matrix.add(nodes[i], nodes[j], block);
        }
    }
}

/// The Laplacian of linear shape functions: entry (i, j) of a tetrahedron of volume V is w V gᵢ·gⱼ, w its weight. With
/// w = 2μ it stands for the elastic stiffness of each direction in corotational and projective schemes.
pub fn laplacian(points: &[Vec3], tets: &[[u32; 4]], weights: &[Real], fixed: &[bool]) -> BlockMatrix<1> {
    let mut matrix = BlockMatrix::of_elements(tets, fixed);
    for (tet, weight) in tets.iter().zip(weights) {
        let (volume, g) = shape_gradients(tet.map(|v| points[v as usize]));
        for i in 0..4 {
            for j in 0..=i {
                matrix.add(tet[i], tet[j], [[weight * volume * g[i].dot(g[j])]]);
            }
        }
    }
    matrix
}

/// A quarter of the mass of each tetrahedron at each of its corners \[kg\], one density for each \[kg/m³\].
pub fn lumped_masses(points: &[Vec3], tets: &[[u32; 4]], densities: &[Real]) -> Vec<Real> {
    let mut masses = vec![0.0; points.len()];
    for (tet, density) in tets.iter().zip(densities) {
        let quarter = 0.25 * density * shape_gradients(tet.map(|v| points[v as usize])).0;
        tet.iter().for_each(|v| masses[*v as usize] += quarter);
    }
    masses
}

/// Adds m / h² to each diagonal: what implicit steps of h seconds add to a stiffness.
pub fn add_inertia<const W: usize>(matrix: &mut BlockMatrix<W>, masses: &[Real], step_s: Real) {
    masses.iter().zip(0..).for_each(|(mass, v)| matrix.add_diagonal(v, mass / (step_s * step_s)));
}
