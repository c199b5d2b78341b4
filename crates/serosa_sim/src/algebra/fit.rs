//! The rotation that fits one set of points to another, and principal axes.

use crate::{Mat3, Quat, Real, Vec3};

/// Rounds of Jacobi's method. It converges quadratically; four rounds are enough, more do nothing.
const ROUNDS: usize = 8;

/// The rotation R that makes Σ (R r)·x largest, given `covariance` = Σ x rᵀ: of all rotations it brings the points r
/// nearest to the points x. A turn, never a reflection, and sound for flat sets of points; where several are equally
/// good, one of them, always the same.
///
/// Horn's method (1987): the unit quaternion is the eigenvector of a symmetric 4 × 4 matrix to its largest eigenvalue,
/// found by Jacobi's rotations, with sums, products, quotients and roots alone.
pub fn best_rotation(covariance: Mat3) -> Quat {
    // s[i][j] = Σ r_i x_j
    let s = [covariance.x_axis, covariance.y_axis, covariance.z_axis].map(|c| c.to_array());
    let (xy, yz, zx) = (s[0][1] + s[1][0], s[1][2] + s[2][1], s[2][0] + s[0][2]);
    let (x, y, z) = (s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]);
    let mut m = [
        [s[0][0] + s[1][1] + s[2][2], x, y, z],
        [x, s[0][0] - s[1][1] - s[2][2], xy, zx],
        [y, xy, s[1][1] - s[0][0] - s[2][2], yz],
        [z, zx, yz, s[2][2] - s[0][0] - s[1][1]],
    ];
    let mut vectors = [[0.0; 4]; 4];
    (0..4).for_each(|i| vectors[i][i] = 1.0);
    for _ in 0..ROUNDS {
        for p in 0..3 {
            for q in p + 1..4 {
                turn(&mut m, &mut vectors, p, q);
            }
        }
    }
    let best = (1..4).fold(0, |best, i| if m[i][i] > m[best][best] { i } else { best });
    let [w, x, y, z] = [0, 1, 2, 3].map(|i: usize| vectors[i][best]);
    let q = Quat::from_xyzw(x, y, z, w);
    if q.is_finite() { q.normalize() } else { Quat::IDENTITY }
}

/// The principal values of a symmetric matrix, and its axes as columns, right-handed. In no order, by the same rotations.
pub fn principal(matrix: Mat3) -> (Vec3, Mat3) {
    let mut m = [0, 1, 2].map(|i| matrix.row(i).to_array());
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..ROUNDS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            turn(&mut m, &mut vectors, p, q);
        }
    }
    let column = |c: usize| Vec3::new(vectors[0][c], vectors[1][c], vectors[2][c]);
    let axes = Mat3::from_cols(column(0), column(1), column(2));
    (Vec3::new(m[0][0], m[1][1], m[2][2]), axes)
}

/// One rotation of Jacobi's, in the plane of p and q, that makes m[p][q] zero.
fn turn<const N: usize>(m: &mut [[Real; N]; N], vectors: &mut [[Real; N]; N], p: usize, q: usize) {
    let off = m[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (m[q][q] - m[p][p]) / (2.0 * off);
    let t = if theta < 0.0 { -1.0 } else { 1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in m.iter_mut().chain(vectors.iter_mut()) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (old_p, old_q) = (m[p], m[q]);
    m[p] = std::array::from_fn(|k| c * old_p[k] - s * old_q[k]);
    m[q] = std::array::from_fn(|k| s * old_p[k] + c * old_q[k]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::rotation::from_rotation_vector;

    fn covariance(x: &[Vec3], r: &[Vec3]) -> Mat3 {
        let mut sum = Mat3::ZERO;
        for (x, r) in x.iter().zip(r) {
            sum += Mat3::from_cols(*x * r.x, *x * r.y, *x * r.z);
        }
        sum
    }

    #[test]
    fn principal_axes_put_a_matrix_together_again() {
        for k in 0..40 {
            let turn =
                Mat3::from_quat(from_rotation_vector(Vec3::new(0.3 * k as Real, 1.0, -0.1 * k as Real)));
            let values = Vec3::new(1.0 - 0.1 * k as Real, 2.0, if k % 3 == 0 { 2.0 } else { -3.0 });
            let matrix = turn * Mat3::from_diagonal(values) * turn.transpose();
            let (found, axes) = principal(matrix);
            let again = axes * Mat3::from_diagonal(found) * axes.transpose();
            assert!((again - matrix).abs_diff_eq(Mat3::ZERO, 1e-13), "{again} {matrix}");
            assert!((axes.determinant() - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn a_turn_is_found_again_even_for_flat_points() {
        for height in [0.0, 1.0] {
            let points: Vec<Vec3> = (0..20)
                .map(f64::from)
                .map(|t| Vec3::new(libm::sin(t), libm::cos(2.0 * t), height * libm::sin(3.0 * t)))
                .collect();
            for k in 0..100 {
                let t = f64::from(k);
                let turn = from_rotation_vector(
                    Vec3::new(libm::sin(t), libm::cos(1.7 * t), libm::sin(0.3 * t)) * 3.0,
                );
                let turned: Vec<Vec3> = points.iter().map(|p| turn * *p).collect();
                let found = best_rotation(covariance(&turned, &points));
                let worst = points.iter().map(|p| (found * *p - turn * *p).length()).fold(0.0, f64::max);
                assert!(worst < 1e-14, "{worst:e}");
            }
        }
    }

    #[test]
    fn no_turn_nearby_fits_better() {
        let points: Vec<Vec3> = (0..20)
            .map(f64::from)
            .map(|t| Vec3::new(libm::sin(t), libm::cos(2.0 * t), libm::sin(3.0 * t)))
            .collect();
        let bent: Vec<Vec3> =
            points.iter().map(|p| Vec3::new(p.x + 0.4 * p.y * p.y, 0.5 * p.y - 0.3 * p.z, -p.z)).collect();
        let error =
            |q: Quat| -> f64 { points.iter().zip(&bent).map(|(p, x)| (q * *p - *x).length_squared()).sum() };
        let found = best_rotation(covariance(&bent, &points));
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
            for angle in [1e-3, 0.1, 1.0, 3.0] {
                assert!(error(from_rotation_vector(axis * angle) * found) > error(found));
            }
        }
    }
}
