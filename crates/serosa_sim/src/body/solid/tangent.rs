//! How the stress of a law changes with the deformation: the exact tangent, for Newton's method at rest and for checks.

use super::material::{Moduli, cofactor, inner, polar};
use crate::model::{Law, Region};
use crate::{Mat3, Real, Vec3};

/// A law with its constants, seen from outside the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic(Moduli);

impl Elastic {
    /// The law of a region.
    pub fn of(region: &Region) -> Self {
        Self(Moduli::of(region, 1.0))
    }

    /// Energy of a piece of volume at the deformation gradient F \[J/m³\].
    pub fn density(&self, f: &Mat3) -> Real {
        self.0.density(f)
    }

    /// How finely the energy of a piece of volume is told: below this rounding decides \[J/m³\].
    pub fn rounding(&self) -> Real {
        8.0 * Real::EPSILON * (self.0.stretch() + self.0.bulk)
    }

    /// First Piola–Kirchhoff stress \[Pa\].
    pub fn stress(&self, f: &Mat3) -> Mat3 {
        self.0.stress(f)
    }

    /// Cauchy's stress \[Pa\].
    pub fn cauchy(&self, f: &Mat3) -> Mat3 {
        self.stress(f) * f.transpose() * (1.0 / f.determinant())
    }

    /// How the stress changes at F, as a map of changes of F.
    pub fn tangent(&self, f: &Mat3) -> Tangent {
        let law = &self.0;
        let turn = match law.law {
            Law::NeoHookean => None,
            Law::Corotated => {
                let r = Mat3::from_quat(polar(f));
                let s = r.transpose() * *f;
                let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
                // Of (tr S) 1 − S, by which the spin of R follows from the skew part of Rᵀ dF.
                let spin = Mat3::from_diagonal(Vec3::splat(trace)) - (s + s.transpose()) * 0.5;
                Some((r, spin.inverse()))
            }
        };
        let pressure = law.bulk * (f.determinant() - law.aim);
        Tangent { stretch: law.stretch(), bulk: law.bulk, pressure, f: *f, cofactor: cofactor(f), turn }
    }
}

/// The derivative of a stress at one deformation.
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    stretch: Real,
    bulk: Real,
    pressure: Real,
    f: Mat3,
    cofactor: Mat3,
    /// The rotation of F, and what turns with it; none where the law does not turn.
    turn: Option<(Mat3, Mat3)>,
}

impl Tangent {
    /// The change of the stress for a change of F, to first order.
    pub fn along(&self, df: &Mat3) -> Mat3 {
        let (f, d) = (&self.f, df);
        let cofactor_change = Mat3::from_cols(
            d.y_axis.cross(f.z_axis) + f.y_axis.cross(d.z_axis),
            d.z_axis.cross(f.x_axis) + f.z_axis.cross(d.x_axis),
            d.x_axis.cross(f.y_axis) + f.x_axis.cross(d.y_axis),
        );
        let volume =
            self.cofactor * (self.bulk * inner(&self.cofactor, df)) + cofactor_change * self.pressure;
        let shape = match &self.turn {
            None => *df,
            Some((r, by_skew)) => {
                let skew = r.transpose() * *df;
                // Twice the axial vector of the skew part.
                let twice = Vec3::new(
                    skew.y_axis.z - skew.z_axis.y,
                    skew.z_axis.x - skew.x_axis.z,
                    skew.x_axis.y - skew.y_axis.x,
                );
                let w = *by_skew * twice;
                let spin = Mat3::from_cols(
                    Vec3::new(0.0, w.z, -w.y),
                    Vec3::new(-w.z, 0.0, w.x),
                    Vec3::new(w.y, -w.x, 0.0),
                );
                *df - *r * spin
            }
        };
        shape * self.stretch + volume
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tangent_is_the_slope_of_the_stress() {
        let mut seed = 3u64;
        let mut some = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as Real / (1u64 << 52) as Real - 1.0
        };
        for law in [Law::NeoHookean, Law::Corotated] {
            let region = Region { name: String::new(), law, young: 3.0, poisson: 0.4, density: 1.0 };
            let elastic = Elastic::of(&region);
            for _ in 0..50 {
                let f = Mat3::from_cols_array(&std::array::from_fn(|_| 0.4 * some())) + Mat3::IDENTITY;
                let df = Mat3::from_cols_array(&std::array::from_fn(|_| some()));
                let e = 1e-5;
                let slope = (elastic.stress(&(f + df * e)) - elastic.stress(&(f - df * e))) * (0.5 / e);
                let off = slope - elastic.tangent(&f).along(&df);
                assert!(inner(&off, &off) < 1e-14 * (1.0 + inner(&slope, &slope)), "{law:?} {off}");
            }
        }
    }
}
