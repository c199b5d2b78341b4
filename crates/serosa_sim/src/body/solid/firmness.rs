//! How tetrahedra resist small changes of shape, made positive: the elements of an implicit step's matrix.
//!
//! With F = U Σ Vᵀ, U and V rotations, the second derivative of both laws falls apart in the axes U and V: a 3 × 3
//! matrix among the stretches, and for each pair of axes a 2 × 2 one among its shears (as in Smith et al. 2019). Each
//! part is made positive semidefinite by itself, so the whole is the nearest that is.

use super::material::{Moduli, gradient, polar};
use super::strain::tets;
use crate::algebra::principal;
use crate::body::Substep;
use crate::model::{Law, SolidBody, Tet};
use crate::{Mat3, Real, Vec3};

/// One tetrahedron in a substep.
pub(crate) struct Firmness<'a> {
    /// Which.
    pub tet: &'a Tet,
    /// First Piola–Kirchhoff stress times volume \[J\]: the force on a corner is −stress · gradient.
    pub stress: Mat3,
    /// U, and the gradients of the shape functions in the axes V \[1/m\].
    turn: Mat3,
    gradients: [Vec3; 4],
    /// Among the stretches \[J\].
    straight: Mat3,
    /// For each axis, among the shears of the other two, (i, j) and (j, i) in cyclic order: ii, ij, jj \[J\].
    shears: [[Real; 3]; 3],
}

/// All tetrahedra of a solid at given positions. With damping: over a substep it adds what [`super`] says of it.
pub(crate) fn elements<'a>(
    sub: &'a Substep,
    (b, body): (usize, &'a SolidBody),
    pos: &'a [Vec3],
) -> impl Iterator<Item = Firmness<'a>> {
    let params = &sub.params.bodies[b];
    let (scale, viscous) = (super::scale(body, params), params.relaxation / sub.h);
    tets(sub.model, body).iter().map(move |tet| {
        let moduli = Moduli::of(&body.regions[tet.region as usize], scale);
        Firmness::of(tet, &moduli, viscous, &gradient(tet, tet.nodes.map(|v| pos[v.at()])))
    })
}

/// The two axes beside one, in cyclic order.
const BESIDE: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

impl<'a> Firmness<'a> {
    fn of(tet: &'a Tet, moduli: &Moduli, viscous: Real, f: &Mat3) -> Self {
        let rotation = Mat3::from_quat(polar(f));
        let stretch = rotation.transpose() * *f;
        let (sigma, axes) = principal((stretch + stretch.transpose()) * 0.5);
        let area = Vec3::new(sigma.y * sigma.z, sigma.z * sigma.x, sigma.x * sigma.y);
        let pressure = moduli.bulk * (sigma.x * area.x - moduli.aim);
        let outer = Mat3::from_cols(area * area.x, area * area.y, area * area.z);
        let crossed = Mat3::from_cols(
            Vec3::new(0.0, sigma.z, sigma.y),
            Vec3::new(sigma.z, 0.0, sigma.x),
            Vec3::new(sigma.y, sigma.x, 0.0),
        );
        let elastic = positive(
            Mat3::from_diagonal(Vec3::splat(moduli.stretch())) + outer * moduli.bulk + crossed * pressure,
        );
        let rubbing = 2.0 * moduli.shear * viscous;
        let straight = elastic + Mat3::from_diagonal(Vec3::splat(rubbing)) + outer * (moduli.lame * viscous);
        let shears = [0, 1, 2].map(|k| {
            let [i, j] = BESIDE[k].map(|i| sigma[i]);
            let [own, mixed] = shear(moduli, i + j, pressure * sigma[k]);
            let share = rubbing / (i * i + j * j).max(Real::MIN_POSITIVE);
            [own + share * i * i, mixed + share * i * j, own + share * j * j].map(|x| x * tet.volume)
        });
        Self {
            tet,
            stress: moduli.stress(f) * tet.volume,
            turn: rotation * axes,
            gradients: tet.gradients().map(|g| axes.transpose() * g),
            straight: straight * tet.volume,
            shears,
        }
    }

    /// How the force on corner `a` resists a motion of corner `b` \[N/m\].
    pub fn block(&self, a: usize, b: usize) -> Mat3 {
        let (g, h) = (self.gradients[a], self.gradients[b]);
        let mut m = [[0.0; 3]; 3];
        for k in 0..3 {
            let [i, j] = BESIDE[k];
            let [ii, ij, jj] = self.shears[k];
            m[k][k] += self.straight.col(k)[k] * g[k] * h[k];
            // A shear (i, j) moves along i where the gradient has j.
            m[i][i] += ii * g[j] * h[j];
            m[j][j] += jj * g[i] * h[i];
            m[i][j] += ij * g[j] * h[i] + self.straight.col(j)[i] * g[i] * h[j];
            m[j][i] += ij * g[i] * h[j] + self.straight.col(i)[j] * g[j] * h[i];
        }
        let inner = Mat3::from_cols_array_2d(&m).transpose();
        self.turn * inner * self.turn.transpose()
    }

    /// The forces on the corners with which it resists motions of them \[N\]: the twin of [`Self::block`].
    pub fn resist(&self, moves: [Vec3; 4]) -> [Vec3; 4] {
        let mut d = Mat3::ZERO;
        for (x, g) in moves.iter().zip(self.gradients) {
            let x = self.turn.transpose() * *x;
            d += Mat3::from_cols(x * g.x, x * g.y, x * g.z);
        }
        let stretched = self.straight * Vec3::new(d.x_axis.x, d.y_axis.y, d.z_axis.z);
        let mut p = Mat3::from_diagonal(stretched);
        for ([i, j], [ii, ij, jj]) in BESIDE.into_iter().zip(self.shears) {
            let (x, y) = (d.col(j)[i], d.col(i)[j]);
            p.col_mut(j)[i] = ii * x + ij * y;
            p.col_mut(i)[j] = ij * x + jj * y;
        }
        self.gradients.map(|g| self.turn * (p * g))
    }
}

/// Of the shears of two axes whose stretches add up to `sum`: equal on the diagonal, and beside it; positive.
fn shear(moduli: &Moduli, sum: Real, pressure: Real) -> [Real; 2] {
    let turning = match moduli.law {
        Law::NeoHookean => 0.0,
        // What turns along with the rotation of F does not resist.
        Law::Corotated => moduli.stretch() / sum.max(1e-9),
    };
    let (own, mixed) = (moduli.stretch() - turning, turning - pressure);
    let [flip, twist] = [own + mixed, own - mixed].map(|e| e.max(0.0));
    [0.5 * (flip + twist), 0.5 * (flip - twist)]
}

/// The nearest positive semidefinite matrix.
fn positive(matrix: Mat3) -> Mat3 {
    let (values, axes) = principal(matrix);
    if values.min_element() >= 0.0 {
        return matrix;
    }
    axes * Mat3::from_diagonal(values.max(Vec3::ZERO)) * axes.transpose()
}

#[cfg(test)]
mod tests {
    use super::super::tangent::Elastic;
    use super::*;
    use crate::VertexId;
    use crate::model::Region;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    fn tet(seed: &mut u64) -> Tet {
        let edges = Mat3::IDENTITY + Mat3::from_cols_array(&std::array::from_fn(|_| 0.3 * some(seed)));
        let volume = edges.determinant() / 6.0;
        Tet { nodes: [0, 1, 2, 3].map(VertexId), inverse: edges.inverse(), volume, region: 0 }
    }

    /// Where the law is convex, as it is near rest, nothing is clipped and the blocks are the exact tangent.
    #[test]
    fn near_rest_the_blocks_are_the_tangent() {
        let mut seed = 4;
        for law in [Law::NeoHookean, Law::Corotated] {
            let region = Region { name: String::new(), law, young: 3.0, poisson: 0.3, density: 1.0 };
            for _ in 0..30 {
                let tet = tet(&mut seed);
                // Stretched a little: a law resists turning under tension only.
                let f = Mat3::IDENTITY * 1.1
                    + Mat3::from_cols_array(&std::array::from_fn(|_| 0.03 * some(&mut seed)));
                let firmness = Firmness::of(&tet, &Moduli::of(&region, 1.0), 0.0, &f);
                let tangent = Elastic::of(&region).tangent(&f);
                let moves = [0; 4].map(|_| Vec3::from_array([0; 3].map(|_| some(&mut seed))));
                let g = tet.gradients();
                let df =
                    (0..4).map(|a| Mat3::from_cols(moves[a] * g[a].x, moves[a] * g[a].y, moves[a] * g[a].z));
                let stress = tangent.along(&df.fold(Mat3::ZERO, |a, b| a + b)) * tet.volume;
                let resisted = firmness.resist(moves);
                for a in 0..4 {
                    let exact = stress * g[a];
                    let blocks: Vec3 = (0..4).map(|b| firmness.block(a, b) * moves[b]).sum();
                    assert!(
                        (blocks - exact).length() < 1e-12 * (1.0 + exact.length()),
                        "{law:?}: {blocks} {exact}"
                    );
                    assert!((resisted[a] - exact).length() < 1e-12 * (1.0 + exact.length()));
                }
            }
        }
    }

    #[test]
    fn no_motion_is_helped_however_deformed() {
        let mut seed = 9;
        for law in [Law::NeoHookean, Law::Corotated] {
            let region = Region { name: String::new(), law, young: 3.0, poisson: 0.45, density: 1.0 };
            for viscous in [0.0, 2.0] {
                for _ in 0..200 {
                    let tet = tet(&mut seed);
                    let f = Mat3::from_cols_array(&std::array::from_fn(|_| 1.5 * some(&mut seed)));
                    let firmness = Firmness::of(&tet, &Moduli::of(&region, 1.0), viscous, &f);
                    let moves = [0; 4].map(|_| Vec3::from_array([0; 3].map(|_| some(&mut seed))));
                    let work: Real = firmness.resist(moves).iter().zip(moves).map(|(f, x)| f.dot(x)).sum();
                    assert!(work > -1e-10, "{law:?}: {work}");
                }
            }
        }
    }

    /// Damping resists strains and lets turns go.
    #[test]
    fn turning_is_not_damped() {
        let mut seed = 6;
        let region =
            Region { name: String::new(), law: Law::Corotated, young: 0.0, poisson: 0.3, density: 1.0 };
        let soft = Moduli { shear: 1.0, lame: 2.0, ..Moduli::of(&region, 1.0) };
        let tet = tet(&mut seed);
        let f = Mat3::IDENTITY + Mat3::from_cols_array(&std::array::from_fn(|_| 0.3 * some(&mut seed)));
        let rest = tet.inverse.inverse();
        let corners = [Vec3::ZERO, f * rest.x_axis, f * rest.y_axis, f * rest.z_axis];
        let [quiet, rubs] = [0.0, 3.0].map(|viscous| {
            let spin = Vec3::new(0.3, -0.5, 0.7);
            Firmness::of(&tet, &soft, viscous, &f).resist(corners.map(|x| spin.cross(x)))
        });
        for (a, b) in quiet.iter().zip(rubs) {
            assert!((*a - b).length() < 1e-12, "{a} {b}");
        }
    }
}
