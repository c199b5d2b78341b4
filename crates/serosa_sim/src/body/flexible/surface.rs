//! Strain and elastic energy at the surface, for colour: what lies inside is not known, but the boundary tells enough.

use super::Frame;
use crate::model::FlexibleBody;
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3};

/// The two stiffnesses of an isotropic linear material \[Pa\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ, against change of volume.
    pub lambda: Real,
    /// μ, against change of shape.
    pub mu: Real,
}

/// What can be told of a deformed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Relative change of area.
    Area,
    /// A component of the strain, by two of the body's own axes.
    Strain(usize, usize),
    /// Elastic energy of a piece of volume \[J/m³\].
    Energy,
}

impl Lame {
    /// Of Young's modulus \[Pa\] and Poisson's ratio, which must be below one half.
    pub fn of(young: Real, poisson: Real) -> Self {
        let mu = young / (2.0 * (1.0 + poisson));
        Self { lambda: 2.0 * mu * poisson / (1.0 - 2.0 * poisson), mu }
    }

    /// Strain of the material under a face, in the axes of its corners: where they are at rest and by how much they are
    /// displaced in the frame of the body \[m\], and the traction on it \[Pa\]. Nothing for a face without area.
    ///
    /// Along the face the strain is that of its corners; what it does across follows from the traction: the stress times
    /// the normal is what pulls there (James and Pai 1999).
    pub fn strain(&self, rest: &[Vec3; 3], moved: &[Vec3; 3], traction: Vec3) -> Mat3 {
        let [e, f] = [rest[1] - rest[0], rest[2] - rest[0]];
        let normal = e.cross(f);
        let size_sq = normal.length_squared();
        if size_sq.is_nan() || size_sq <= 0.0 {
            return Mat3::ZERO;
        }
        // Gradients of the shares of the second and third corner.
        let [p, q] = [f.cross(normal) / size_sq, normal.cross(e) / size_sq];
        let slope = outer(moved[1] - moved[0], p) + outer(moved[2] - moved[0], q);
        let normal = normal / size_sq.sqrt();
        let [first, second] = [e.normalize(), normal.cross(e.normalize())];
        let strain = |a: Vec3, b: Vec3| 0.5 * (a.dot(slope * b) + b.dot(slope * a));
        let [xx, yy, xy] = [strain(first, first), strain(second, second), strain(first, second)];
        let Self { lambda, mu } = *self;
        let zz = (traction.dot(normal) - lambda * (xx + yy)) / (lambda + 2.0 * mu);
        let [xz, yz] = [first, second].map(|way| traction.dot(way) / (2.0 * mu));
        let own = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        let axes = Mat3::from_cols(first, second, normal);
        axes * own * axes.transpose()
    }

    /// Elastic energy of a piece of volume under a strain \[J/m³\].
    pub fn energy(&self, strain: &Mat3) -> Real {
        let Self { lambda, mu } = *self;
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let squares: Real = strain.to_cols_array().iter().map(|e| e * e).sum();
        0.5 * lambda * trace * trace + mu * squares
    }
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Room to measure surfaces in.
#[derive(Clone, Debug, Default)]
pub struct Gauge {
    /// Of the faces around each vertex \[m²\].
    areas: Vec<Real>,
    /// Force on each vertex from what touches it, in the body's own axes \[N\].
    forces: Vec<Vec3>,
    /// Displacements in the frame of the body \[m\].
    moved: Vec<Vec3>,
}

impl Gauge {
    /// A quantity at all vertices of a body in a world, whose vertices at rest and now are given: the mean of the faces
    /// around each, by their areas. `materials` are those of its triangles. O(triangles).
    ///
    /// What touches the body pulls on its surface; under control elements and held nodes what pulls is not known, and is
    /// taken for nothing.
    pub fn read(
        &mut self,
        quantity: Quantity,
        (b, body, materials): (usize, &FlexibleBody, &[Lame]),
        (state, scratch): (&State, &Scratch),
        (rest, pos): (&[Vec3], &[Vec3]),
        out: &mut Vec<Real>,
    ) {
        let own = &state.controls[body.first as usize..][..body.elements.len()];
        let frame = Frame::of(body, own.iter().map(|c| c.at));
        self.moved.clear();
        self.moved.extend(pos.iter().zip(rest).map(|(x, rest)| frame.local(*x) - *rest));
        self.forces.clear();
        self.forces.resize(rest.len(), Vec3::ZERO);
        for (v, force) in scratch.flexibles.get(b).into_iter().flat_map(|work| work.touched.forces()) {
            self.forces[v as usize] = force;
        }
        self.measure(quantity, (&body.triangles, materials), rest, out);
    }

    /// The same of what has been laid ready.
    fn measure(
        &mut self,
        quantity: Quantity,
        (triangles, materials): (&[[u32; 3]], &[Lame]),
        rest: &[Vec3],
        out: &mut Vec<Real>,
    ) {
        let Self { areas, forces, moved } = self;
        out.clear();
        out.resize(rest.len(), 0.0);
        areas.clear();
        areas.resize(rest.len(), 0.0);
        let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(c - a).length();
        for t in triangles {
            let size = area(t.map(|v| rest[v as usize]));
            t.iter().for_each(|v| areas[*v as usize] += size);
        }
        for (t, material) in triangles.iter().zip(materials) {
            let (rest, moved) = (t.map(|v| rest[v as usize]), t.map(|v| moved[v as usize]));
            let size = area(rest);
            if size.is_nan() || size <= 0.0 {
                continue;
            }
            let traction = t.iter().map(|v| forces[*v as usize] / areas[*v as usize]).sum::<Vec3>();
            let strain = || material.strain(&rest, &moved, traction);
            let value = match quantity {
                Quantity::Area => area([0, 1, 2].map(|k| rest[k] + moved[k])) / size - 1.0,
                Quantity::Strain(a, b) => strain().col(a)[b],
                Quantity::Energy => material.energy(&strain()),
            };
            t.iter().for_each(|v| out[*v as usize] += value * size / areas[*v as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A material, a strain and the stress that goes with it.
    fn strained() -> (Lame, Mat3, Mat3, Mat3) {
        let material = Lame::of(3e4, 0.35);
        let slope = Mat3::from_cols_array(&[0.01, -0.02, 0.004, 0.007, 0.03, 0.01, -0.02, 0.005, 0.001]);
        let strain = (slope + slope.transpose()) * 0.5;
        let Lame { lambda, mu } = material;
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let stress = Mat3::from_diagonal(Vec3::splat(lambda * trace)) + strain * (2.0 * mu);
        (material, slope, strain, stress)
    }

    #[test]
    fn a_uniform_strain_and_its_energy_are_known_from_any_face() {
        let (material, slope, strain, stress) = strained();
        let want: Real =
            stress.to_cols_array().iter().zip(strain.to_cols_array()).map(|(s, e)| 0.5 * s * e).sum();
        for turn in 0..4 {
            let at = |k: Real| Vec3::new(libm::sin(k), libm::cos(2.0 * k), libm::sin(3.0 * k + 1.0));
            let rest = [0.0, 1.3, 2.1].map(|k| at(k + 0.7 * Real::from(turn)));
            let normal = (rest[1] - rest[0]).cross(rest[2] - rest[0]).normalize();
            let got = material.strain(&rest, &rest.map(|x| slope * x), stress * normal);
            assert!((got - strain).to_cols_array().iter().all(|e| e.abs() < 1e-14), "{got} {strain}");
            assert!((material.energy(&got) / want - 1.0).abs() < 1e-12);
        }
        let flat = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert_eq!(material.strain(&flat, &flat, Vec3::ZERO), Mat3::ZERO);
    }

    /// A tetrahedron under a uniform stress: forces on vertices are what pulls on the faces around them.
    #[test]
    fn vertices_get_the_mean_of_their_faces() {
        let (material, slope, _, _) = strained();
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let moved: Vec<Vec3> = rest.iter().map(|x| slope * *x).collect();
        let mut gauge = Gauge { forces: vec![Vec3::ZERO; 4], moved, ..Gauge::default() };
        let mut out = Vec::new();
        let mut read = |quantity| {
            gauge.measure(quantity, (&triangles, &[material; 4]), &rest, &mut out);
            out.clone()
        };
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| rest[v as usize]);
            let [d, e, f] = t.map(|v| rest[v as usize] + slope * rest[v as usize]);
            let (now, then) = ((e - d).cross(f - d).length(), (b - a).cross(c - a).length());
            (0.5 * then, now / then - 1.0)
        };
        let areas = read(Quantity::Area);
        for v in 0..4 {
            let around: Vec<(Real, Real)> = triangles.iter().filter(|t| t.contains(&v)).map(of).collect();
            let sum: Real = around.iter().map(|(size, _)| size).sum();
            let want: Real = around.iter().map(|(size, value)| size * value).sum::<Real>() / sum;
            assert!((areas[v as usize] - want).abs() < 1e-14);
        }
        // With nothing that pulls, each face holds its normal stress at nothing.
        for v in read(Quantity::Energy) {
            assert!(v > 0.0);
        }
        assert_eq!(read(Quantity::Strain(0, 1)), read(Quantity::Strain(1, 0)));
    }

    /// Faces in one plane, pulled by what a uniform stress puts on their vertices.
    #[test]
    fn what_pulls_on_vertices_is_the_traction_of_their_faces() {
        let (material, slope, strain, stress) = strained();
        let rest = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        let triangles = [[0, 1, 2], [0, 2, 3]];
        // A third part of the areas around each.
        let forces = [1.0, 0.5, 1.0, 0.5].map(|area| stress * Vec3::Z * (area / 3.0));
        let moved = rest.map(|x| slope * x).to_vec();
        let mut gauge = Gauge { forces: forces.to_vec(), moved, ..Gauge::default() };
        for (a, b) in [(0, 0), (2, 2), (0, 2), (1, 2)] {
            let mut out = Vec::new();
            gauge.measure(Quantity::Strain(a, b), (&triangles, &[material; 2]), &rest, &mut out);
            assert!(out.iter().all(|e| (e - strain.col(a)[b]).abs() < 1e-14), "{a} {b}: {out:?}");
        }
    }
}
