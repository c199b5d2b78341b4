//! The frame of a flexible body: the rotation and the place that its control elements have in common.

use crate::algebra::best_rotation;
use crate::model::{ControlElement, FlexibleBody, MeanRotation};
use crate::state::Affine;
use crate::{Mat3, Real, Vec3};

/// Takes the place x of the body at rest to `to + rot (x − from)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// How it is turned.
    pub rot: Mat3,
    /// The middle of the origins of the elements at rest \[m\].
    pub from: Vec3,
    /// The middle of where they are \[m\].
    pub to: Vec3,
}

impl Default for Frame {
    fn default() -> Self {
        Self { rot: Mat3::IDENTITY, from: Vec3::ZERO, to: Vec3::ZERO }
    }
}

impl Frame {
    /// The frame of a body whose elements are at these places; that of the world where nodes of it are fixed.
    pub fn of(body: &FlexibleBody, at: impl Iterator<Item = Affine> + Clone) -> Self {
        if body.held || body.elements.is_empty() {
            return Self::default();
        }
        let share = 1.0 / body.elements.len() as Real;
        let from = body.elements.iter().map(|e| e.origin).sum::<Vec3>() * share;
        let to = at.clone().map(|a| a.pose.pos).sum::<Vec3>() * share;
        let turns = at.map(|a| Mat3::from_quat(a.pose.rot));
        let mean = turns.fold(Mat3::ZERO, |sum, turn| sum + turn) * share;
        let rot = match body.rotation {
            MeanRotation::Polar => Mat3::from_quat(best_rotation(mean)),
            MeanRotation::GramSchmidt => gram_schmidt(mean),
        };
        Self { rot, from, to }
    }

    /// Where a place at rest is taken \[m\].
    #[inline]
    pub fn point(&self, rest: Vec3) -> Vec3 {
        self.to + self.rot * (rest - self.from)
    }

    /// The place that is taken there: the inverse of [`Self::point`] \[m\].
    #[inline]
    pub fn local(&self, at: Vec3) -> Vec3 {
        self.from + self.rot.transpose() * (at - self.to)
    }

    /// The displacement of an element in this frame: the shift of its origin \[m\], and the linear map about it less
    /// identity.
    pub fn relative(&self, element: &ControlElement, at: &Affine) -> (Vec3, Mat3) {
        let back = self.rot.transpose();
        let shift = back * (at.pose.pos - self.to) - (element.origin - self.from);
        let map = back * (Mat3::from_quat(at.pose.rot) * Mat3::from_diagonal(at.scale));
        (shift, map - Mat3::IDENTITY)
    }
}

/// The first column made unit, the second brought across it, the third as their product. Identity where the first two
/// columns are in line.
pub fn gram_schmidt(mean: Mat3) -> Mat3 {
    let first = mean.x_axis.normalize_or_zero();
    let second = (mean.y_axis - first * first.dot(mean.y_axis)).normalize_or_zero();
    let made = Mat3::from_cols(first, second, first.cross(second));
    if made.determinant() > 0.5 { made } else { Mat3::IDENTITY }
}

/// The angle of a rotation \[rad\].
pub fn angle_of(rotation: Mat3) -> Real {
    let trace = rotation.x_axis.x + rotation.y_axis.y + rotation.z_axis.z;
    libm::acos((0.5 * (trace - 1.0)).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::rotation::from_rotation_vector;

    fn turn(v: [Real; 3]) -> Mat3 {
        Mat3::from_quat(from_rotation_vector(Vec3::from_array(v)))
    }

    fn polar(m: Mat3) -> Mat3 {
        Mat3::from_quat(best_rotation(m))
    }

    fn apart(a: Mat3, b: Mat3) -> Real {
        angle_of(a.transpose() * b)
    }

    /// Both agree where there is one rotation; the polar mean turns with the world and with the body, the published one
    /// with the world alone.
    #[test]
    fn means_of_rotations() {
        let (a, b) = (turn([0.3, 0.2, -0.9]), turn([-0.2, 0.7, 0.1]));
        assert!(apart(polar(a), a) < 1e-7 && apart(gram_schmidt(a), a) < 1e-7);
        let mean = (a + b) * 0.5;
        let half = apart(a, b) * 0.5;
        assert!((apart(polar(mean), a) - half).abs() < 1e-7 && (apart(polar(mean), b) - half).abs() < 1e-7);
        let q = turn([1.0, -0.4, 0.3]);
        assert!(apart(polar(q * mean), q * polar(mean)) < 1e-7);
        assert!(apart(polar(mean * q), polar(mean) * q) < 1e-7);
        assert!(apart(gram_schmidt(q * mean), q * gram_schmidt(mean)) < 1e-7);
        assert!(apart(gram_schmidt(mean * q), gram_schmidt(mean) * q) > 0.05);
        assert!(apart(gram_schmidt(mean), polar(mean)) > 0.01);
    }
}
