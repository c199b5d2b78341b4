//! Kelvin's solution: a point force in an endless elastic solid.

use core::f64::consts::PI;
use serosa_geometry::{Mat3, Real, Vec3};

/// A homogeneous, isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus \[Pa\], positive.
    pub young: Real,
    /// Poisson's ratio, in (−1, 0.5).
    pub poisson: Real,
}

impl Material {
    /// Shear modulus \[Pa\].
    pub fn shear(&self) -> Real {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// Whether there is such a material that boundary elements can take: 0.5, which keeps every volume, they cannot.
    pub fn is_sound(&self) -> bool {
        self.young > 0.0 && self.young.is_finite() && self.poisson > -1.0 && self.poisson < 0.5
    }
}

/// The two kernels of a material. Row i of a matrix is for a force along axis i, column j the component along j; `r` goes
/// from the force to where its effect is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kelvin {
    /// 3 − 4ν.
    spread: Real,
    /// 1 − 2ν.
    shrink: Real,
    /// 1 / (16 π μ (1 − ν)).
    give: Real,
    /// 1 / (8 π (1 − ν)).
    pull: Real,
}

impl Kelvin {
    pub fn of(material: &Material) -> Self {
        let nu = material.poisson;
        Self {
            spread: 3.0 - 4.0 * nu,
            shrink: 1.0 - 2.0 * nu,
            give: 1.0 / (16.0 * PI * material.shear() * (1.0 - nu)),
            pull: 1.0 / (8.0 * PI * (1.0 - nu)),
        }
    }

    /// u*: how far things are displaced by a unit force \[m/N\].
    #[inline]
    pub fn displacement(&self, r: Vec3) -> Mat3 {
        let per = 1.0 / r.length();
        let way = r * per;
        let by = way * (self.give * per);
        Mat3::from_diagonal(Vec3::splat(self.spread * self.give * per)) + outer(by, way)
    }

    /// p*: with what tractions a cut of normal `n` there pulls, for a unit force \[1/m²\].
    #[inline]
    pub fn traction(&self, r: Vec3, n: Vec3) -> Mat3 {
        let per = 1.0 / r.length();
        let way = r * per;
        let size = -self.pull * per * per;
        let across = way.dot(n) * size;
        let turn = size * self.shrink;
        let even = Mat3::from_diagonal(Vec3::splat(across * self.shrink)) + outer(way * (3.0 * across), way);
        even - outer(way * turn, n) + outer(n * turn, way)
    }
}

/// a bᵀ.
#[inline]
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUFF: Material = Material { young: 3.0, poisson: 0.3 };

    #[test]
    fn tractions_are_those_of_the_displacements() {
        let kelvin = Kelvin::of(&STUFF);
        let (r, n) = (Vec3::new(0.4, -0.7, 1.1), Vec3::new(0.6, 0.48, 0.64));
        let mu = STUFF.shear();
        let lambda = 2.0 * mu * STUFF.poisson / (1.0 - 2.0 * STUFF.poisson);
        let traction = kelvin.traction(r, n);
        for i in 0..3 {
            let at = |x: Vec3| kelvin.displacement(x).row(i);
            let step = 1e-5;
            // Column k: how the displacement changes along axis k.
            let slope = Mat3::from_cols_array_2d(&[0, 1, 2].map(|k| {
                let d = Vec3::AXES[k] * step;
                ((at(r + d) - at(r - d)) / (2.0 * step)).to_array()
            }));
            let volume = slope.col(0).x + slope.col(1).y + slope.col(2).z;
            let want = n * (lambda * volume) + (slope * n + slope.transpose() * n) * mu;
            assert!((traction.row(i) - want).length() < 1e-9, "{i}: {} {want}", traction.row(i));
        }
    }

    #[test]
    fn a_unit_force_is_balanced_by_the_tractions_around_it() {
        let kelvin = Kelvin::of(&STUFF);
        // The sphere in equal areas: bands of equal height.
        let (mut sum, count) = (Mat3::ZERO, 400);
        for i in 0..count {
            let z = (i as Real + 0.5) / count as Real * 2.0 - 1.0;
            for k in 0..count {
                let angle = 2.0 * PI * (k as Real + 0.5) / count as Real;
                let flat = libm::sqrt(1.0 - z * z);
                let n = Vec3::new(flat * libm::cos(angle), flat * libm::sin(angle), z);
                sum += kelvin.traction(n * 2.0, n) * (16.0 * PI / (count * count) as Real);
            }
        }
        assert!((sum + Mat3::IDENTITY).abs_diff_eq(Mat3::ZERO, 1e-4), "{sum}");
    }
}
