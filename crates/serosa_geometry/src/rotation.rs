//! Rotations by their vectors, through `libm`, so that every platform gives the same bits.

use crate::{Quat, Real, Vec3};

/// The rotation about `vector` by the angle |`vector`| [rad].
pub fn from_rotation_vector(vector: Vec3) -> Quat {
    let half = 0.5 * vector.length();
    // Below 1e-8 rad sin(x)/x is 1 to the last bit.
    let scale = if half < 1e-8 { 0.5 } else { 0.5 * libm::sin(half) / half };
    let v = vector * scale;
    Quat::from_xyzw(v.x, v.y, v.z, libm::cos(half)).normalize()
}

/// The rotation vector of a unit quaternion: axis times angle, the angle in [0, π].
pub fn to_rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = Vec3::new(q.x, q.y, q.z);
    let sin_half = v.length();
    if sin_half < 1e-12 {
        return v * 2.0;
    }
    v * (2.0 * libm::atan2(sin_half, q.w) / sin_half)
}

/// The shortest rotation that takes the unit vector `from` to the unit vector `to`.
pub fn between(from: Vec3, to: Vec3) -> Quat {
    let c = from.dot(to);
    if c < -1.0 + 1e-12 {
        let axis = any_perpendicular(from);
        return Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
    }
    let axis = from.cross(to);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + c).normalize()
}

/// A unit vector perpendicular to the unit vector `n`, a fixed function of it.
pub fn any_perpendicular(n: Vec3) -> Vec3 {
    let seed = if n.x.abs() < 0.6 { Vec3::X } else { Vec3::Y };
    n.cross(seed).normalize_or(Vec3::Z)
}

/// `v` made unit length, or `fallback` where it is too short to have a direction.
pub fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    let length: Real = v.length();
    if length > 1e-12 { v / length } else { fallback }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vector_and_quaternion_agree(x in -1.7..1.7, y in -1.7..1.7, z in -1.7..1.7) {
            let v = Vec3::new(x, y, z);
            prop_assert!((to_rotation_vector(from_rotation_vector(v)) - v).length() < 1e-12);
        }

        #[test]
        fn between_takes_one_to_the_other(x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0) {
            let a = unit_or(Vec3::new(x, y, z), Vec3::X);
            let b = unit_or(Vec3::new(z, -x, y + 0.5), Vec3::Y);
            prop_assert!((between(a, b) * a - b).length() < 1e-9);
            prop_assert!((between(a, -a) * a + a).length() < 1e-9);
        }
    }

    #[test]
    fn a_quarter_turn_about_z() {
        let q = from_rotation_vector(Vec3::Z * core::f64::consts::FRAC_PI_2);
        assert!((q * Vec3::X - Vec3::Y).length() < 1e-15);
    }
}
