//! Elastic energy at the surface, for colour: what lies inside is not known, but the boundary tells enough.

use crate::{Mat3, Real, Vec3};

/// An isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isotropic {
    /// Young's modulus \[Pa\].
    pub young: Real,
    /// Poisson's ratio.
    pub poisson: Real,
}

impl Isotropic {
    /// Elastic energy of a piece of volume under a face \[J/m³\]: its corners at rest and their displacements in the frame
    /// of the body \[m\], and the traction on it \[Pa\].
    ///
    /// Strains along the face are those of its corners; what the face does across itself follows from the traction: the
    /// stress times the normal is what pulls there (James and Pai 1999).
    pub fn density(&self, rest: &[Vec3; 3], moved: &[Vec3; 3], traction: Vec3) -> Real {
        let [e, f] = [rest[1] - rest[0], rest[2] - rest[0]];
        let normal = e.cross(f);
        let size_sq = normal.length_squared();
        if size_sq.is_nan() || size_sq <= 0.0 {
            return 0.0;
        }
        // Gradients of the shares of the second and third corner.
        let [p, q] = [f.cross(normal) / size_sq, normal.cross(e) / size_sq];
        let slope = outer(moved[1] - moved[0], p) + outer(moved[2] - moved[0], q);
        let normal = normal / size_sq.sqrt();
        let [first, second] = [e.normalize(), normal.cross(e.normalize())];
        let strain = |a: Vec3, b: Vec3| 0.5 * (a.dot(slope * b) + b.dot(slope * a));
        let [xx, yy, xy] = [strain(first, first), strain(second, second), strain(first, second)];
        let mu = self.young / (2.0 * (1.0 + self.poisson));
        let lambda = 2.0 * mu * self.poisson / (1.0 - 2.0 * self.poisson);
        let zz = (traction.dot(normal) - lambda * (xx + yy)) / (lambda + 2.0 * mu);
        let [xz, yz] = [first, second].map(|way| traction.dot(way) / (2.0 * mu));
        let trace = xx + yy + zz;
        let squares = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz);
        0.5 * lambda * trace * trace + mu * squares
    }
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The same for all vertices of a surface: the mean of the faces around each, by their areas \[J/m³\]. `forces` on
/// vertices \[N\] pull over a third of the faces around them. O(triangles).
pub fn densities(
    material: &Isotropic,
    triangles: &[[u32; 3]],
    (rest, moved, forces): (&[Vec3], &[Vec3], &[Vec3]),
    out: &mut Vec<Real>,
    areas: &mut Vec<Real>,
) {
    out.clear();
    out.resize(rest.len(), 0.0);
    areas.clear();
    areas.resize(rest.len(), 0.0);
    let corners = |of: &[Vec3], t: &[u32; 3]| t.map(|v| of[v as usize]);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = corners(rest, t);
        0.5 * (b - a).cross(c - a).length()
    };
    for t in triangles {
        t.iter().for_each(|v| areas[*v as usize] += area(t));
    }
    for t in triangles {
        let pull = |v: &u32| forces[*v as usize] * (3.0 / areas[*v as usize]);
        let traction = t.iter().map(pull).sum::<Vec3>() / 3.0;
        let density = material.density(&corners(rest, t), &corners(moved, t), traction);
        t.iter().for_each(|v| out[*v as usize] += density * area(t) / areas[*v as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_energy_of_a_uniform_strain_is_known_from_any_face() {
        let material = Isotropic { young: 3e4, poisson: 0.35 };
        let slope = Mat3::from_cols_array(&[0.01, -0.02, 0.004, 0.007, 0.03, 0.01, -0.02, 0.005, 0.001]);
        let strain = (slope + slope.transpose()) * 0.5;
        let mu = material.young / (2.0 * (1.0 + material.poisson));
        let lambda = 2.0 * mu * material.poisson / (1.0 - 2.0 * material.poisson);
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let stress = Mat3::from_diagonal(Vec3::splat(lambda * trace)) + strain * (2.0 * mu);
        let want: Real =
            stress.to_cols_array().iter().zip(strain.to_cols_array()).map(|(s, e)| 0.5 * s * e).sum();
        for turn in 0..4 {
            let at = |k: Real| Vec3::new(libm::sin(k), libm::cos(2.0 * k), libm::sin(3.0 * k + 1.0));
            let rest = [0.0, 1.3, 2.1].map(|k| at(k + 0.7 * Real::from(turn)));
            let normal = (rest[1] - rest[0]).cross(rest[2] - rest[0]).normalize();
            let got = material.density(&rest, &rest.map(|x| slope * x), stress * normal);
            assert!((got / want - 1.0).abs() < 1e-12, "{got} {want}");
        }
        let flat = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert_eq!(material.density(&flat, &flat, Vec3::ZERO), 0.0);
    }
}
