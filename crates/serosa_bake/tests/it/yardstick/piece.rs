//! A term of the potential over four nodes, and small symmetric matrices.

use serosa_geometry::{Mat3, Real, Vec3};

pub type Square<const N: usize> = [[Real; N]; N];

/// Energy, slope and curvature of a term, nodes one after the other.
#[derive(Clone, Debug)]
pub struct Piece {
    pub energy: Real,
    pub gradient: [Vec3; 4],
    pub hessian: Square<12>,
}

impl Piece {
    pub const NONE: Self = Self { energy: 0.0, gradient: [Vec3::ZERO; 4], hessian: [[0.0; 12]; 12] };

    /// The block of two nodes.
    pub fn block(&self, i: usize, j: usize) -> [[Real; 3]; 3] {
        std::array::from_fn(|p| std::array::from_fn(|q| self.hessian[3 * i + p][3 * j + q]))
    }

    pub fn add_block(&mut self, i: usize, j: usize, m: &Mat3) {
        for q in 0..3 {
            for p in 0..3 {
                self.hessian[3 * i + p][3 * j + q] += m.col(q)[p];
            }
        }
    }

    /// Without the directions along which it curves downwards.
    pub fn projected(mut self) -> Self {
        project(&mut self.hessian);
        self
    }
}

/// a bᵀ.
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Sets eigenvalues below zero to zero.
pub fn project<const N: usize>(m: &mut Square<N>) {
    if is_positive(m) {
        return;
    }
    let (values, vectors) = eigen(*m);
    for (value, vector) in values.iter().zip(&vectors).filter(|(v, _)| **v < 0.0) {
        for i in 0..N {
            for j in 0..N {
                m[i][j] -= value * vector[i] * vector[j];
            }
        }
    }
}

/// Whether Cholesky's elimination goes through.
fn is_positive<const N: usize>(m: &Square<N>) -> bool {
    let mut l = *m;
    for j in 0..N {
        let pivot = l[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<Real>();
        if pivot <= 0.0 || pivot.is_nan() {
            return false;
        }
        l[j][j] = pivot.sqrt();
        for i in j + 1..N {
            l[i][j] = (l[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<Real>()) / l[j][j];
        }
    }
    true
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix, by Jacobi's rotations.
pub fn eigen<const N: usize>(mut m: Square<N>) -> ([Real; N], Square<N>) {
    let mut vectors = [[0.0; N]; N];
    (0..N).for_each(|i| vectors[i][i] = 1.0);
    let size: Real = m.iter().flatten().map(|x| x * x).sum();
    for _ in 0..50 {
        let off: Real =
            (0..N).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| m[i][j] * m[i][j]).sum();
        if off <= 1e-30 * size {
            break;
        }
        for p in 0..N {
            for q in p + 1..N {
                rotate(&mut m, &mut vectors, p, q);
            }
        }
    }
    (std::array::from_fn(|i| m[i][i]), vectors)
}

fn rotate<const N: usize>(m: &mut Square<N>, vectors: &mut Square<N>, p: usize, q: usize) {
    if m[p][q] == 0.0 {
        return;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in m.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..N {
        (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
        (vectors[p][k], vectors[q][k]) =
            (c * vectors[p][k] - s * vectors[q][k], s * vectors[p][k] + c * vectors[q][k]);
    }
}
