//! What tetrahedra resist, one at a time: energies, stresses, and the rotation next to a deformation.
//!
//! Written in full, with the deformation gradient F of every tetrahedron; the sweep has the same mathematics reduced to
//! a Laplacian and opposite faces.

use crate::algebra::best_rotation;
use crate::model::{Law, Region, Tet};
use crate::{Mat3, Quat, Real, Vec3};

/// Rounds of Newton's method for a rotation. It converges quadratically; strains of one half need six.
const ROUNDS: usize = 12;

/// A region's constants at some stiffness \[Pa\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moduli {
    pub law: Law,
    /// μ.
    pub shear: Real,
    /// Lamé's λ.
    pub lame: Real,
    /// Half of it times (J − aim)² is the energy of a volume.
    pub bulk: Real,
    /// The J at which that is none.
    pub aim: Real,
}

impl Moduli {
    /// Of a region as it was written, times `scale`.
    pub fn of(region: &Region, scale: Real) -> Self {
        let (young, nu) = (region.young * scale, region.poisson);
        let shear = young / (2.0 * (1.0 + nu));
        let lame = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
        let (bulk, aim) = match region.law {
            Law::NeoHookean => (lame + shear, 1.0 + shear / (lame + shear)),
            Law::Corotated => (lame, 1.0),
        };
        Self { law: region.law, shear, lame, bulk, aim }
    }

    /// The energy is half of it times |F|², and what is linear in F at a fixed rotation.
    pub fn stretch(&self) -> Real {
        match self.law {
            Law::NeoHookean => self.shear,
            Law::Corotated => 2.0 * self.shear,
        }
    }

    /// Energy of a piece of volume \[J/m³\], none at rest.
    pub fn density(&self, f: &Mat3) -> Real {
        let (square, j) = (square(f), f.determinant());
        let (more, rest) = (j - self.aim, 1.0 - self.aim);
        let volume = 0.5 * self.bulk * (more * more - rest * rest);
        match self.law {
            Law::NeoHookean => 0.5 * self.shear * (square - 3.0) + volume,
            Law::Corotated => {
                self.shear * (square - 2.0 * inner(&Mat3::from_quat(polar(f)), f) + 3.0) + volume
            }
        }
    }

    /// First Piola–Kirchhoff stress \[Pa\].
    pub fn stress(&self, f: &Mat3) -> Mat3 {
        let shape = match self.law {
            Law::NeoHookean => *f * self.shear,
            Law::Corotated => (*f - Mat3::from_quat(polar(f))) * (2.0 * self.shear),
        };
        shape + cofactor(f) * (self.bulk * (f.determinant() - self.aim))
    }
}

/// The deformation gradient of a tetrahedron with the given corners.
#[inline]
pub(super) fn gradient(tet: &Tet, [a, b, c, d]: [Vec3; 4]) -> Mat3 {
    Mat3::from_cols(b - a, c - a, d - a) * tet.inverse
}

/// |F|², the sum of its squares.
#[inline]
pub(super) fn square(f: &Mat3) -> Real {
    inner(f, f)
}

/// The sum of the products of entries.
#[inline]
pub(super) fn inner(a: &Mat3, b: &Mat3) -> Real {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// dJ/dF.
#[inline]
pub(super) fn cofactor(f: &Mat3) -> Mat3 {
    let (x, y, z) = (f.x_axis, f.y_axis, f.z_axis);
    Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

/// The rotation next to F, also where it is inverted: of all rotations it makes R : F largest.
pub(super) fn polar(f: &Mat3) -> Quat {
    let mut r = *f;
    // Newton's method (Higham 1986) for what is not near to being inverted; its limit is a rotation.
    if f.determinant() > 0.05 * (square(f) / 3.0) * (square(f) / 3.0).sqrt() {
        for _ in 0..ROUNDS {
            let next = (r + cofactor(&r) * (1.0 / r.determinant())) * 0.5;
            let change = square(&(next - r));
            r = next;
            if change < 1e-28 {
                return Quat::from_mat3(&r).normalize();
            }
        }
    }
    best_rotation(*f)
}

/// A rotation nearer to `f` than `turn` is, or `turn`: one step as by Müller et al. (2016), kept where it is better.
///
/// Their step goes two thirds of the way where `f` is a rotation. Divided by what a rotation leaves of the sum of products of
/// columns, it goes all of it: of 1 + 2 cos α, and 1 of `f` itself, tan α/2 = sin α/(1 + cos α).
#[inline]
pub(super) fn nearer(turn: Quat, f: &Mat3) -> Quat {
    let r = Mat3::from_quat(turn);
    let now = inner(&r, f);
    let axis = r.x_axis.cross(f.x_axis) + r.y_axis.cross(f.y_axis) + r.z_axis.cross(f.z_axis);
    let size = (square(f) * (1.0 / 3.0)).sqrt();
    let half = axis * (1.0 / ((now + size).abs() + 1e-9));
    let next = (Quat::from_xyzw(half.x, half.y, half.z, 1.0) * turn).normalize();
    if inner(&Mat3::from_quat(next), f) > now { next } else { turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::rotation::from_rotation_vector;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    fn some_mat(seed: &mut u64) -> Mat3 {
        Mat3::from_cols_array(&std::array::from_fn(|_| some(seed)))
    }

    #[test]
    fn no_rotation_is_nearer_than_the_polar_one() {
        let mut seed = 5;
        for _ in 0..500 {
            let f = some_mat(&mut seed);
            let best = polar(&f);
            let score = |q: Quat| inner(&Mat3::from_quat(q), &f);
            for _ in 0..20 {
                let other = from_rotation_vector(Vec3::from_array([0; 3].map(|_| some(&mut seed))));
                assert!(score(other * best) <= score(best) + 1e-12);
            }
            let mut turn = Quat::IDENTITY;
            for _ in 0..5 {
                let next = nearer(turn, &f);
                assert!(score(next) >= score(turn));
                turn = next;
            }
        }
    }

    #[test]
    fn stress_is_the_slope_of_energy_inverted_or_not() {
        let mut seed = 8;
        for law in [Law::NeoHookean, Law::Corotated] {
            let region = Region { name: String::new(), law, young: 3.0, poisson: 0.4, density: 1.0 };
            let moduli = Moduli::of(&region, 1.0);
            for _ in 0..100 {
                let f = some_mat(&mut seed) + Mat3::IDENTITY;
                let stress = moduli.stress(&f);
                for (col, row) in [(0, 0), (0, 1), (1, 2), (2, 2)] {
                    let mut change = Mat3::ZERO;
                    change.col_mut(col)[row] = 1e-6;
                    let slope = (moduli.density(&(f + change)) - moduli.density(&(f - change))) / 2e-6;
                    assert!((slope - stress.col(col)[row]).abs() < 1e-6, "{law:?} {slope} {stress}");
                }
            }
        }
    }

    /// Both laws are linear elasticity where strains are small.
    #[test]
    fn small_strains_are_linear() {
        let mut seed = 2;
        for law in [Law::NeoHookean, Law::Corotated] {
            let region = Region { name: String::new(), law, young: 2.0, poisson: 0.3, density: 1.0 };
            let moduli = Moduli::of(&region, 1.5);
            let strain = some_mat(&mut seed) * 1e-6;
            let strain = (strain + strain.transpose()) * 0.5;
            let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
            let linear = strain * (2.0 * moduli.shear) + Mat3::IDENTITY * (moduli.lame * trace);
            let stress = moduli.stress(&(Mat3::IDENTITY + strain));
            assert!(square(&(stress - linear)).sqrt() < 1e-5 * square(&linear).sqrt(), "{law:?}");
        }
    }
}
