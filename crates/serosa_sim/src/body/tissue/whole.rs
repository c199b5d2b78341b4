//! A body as a whole: how it drifts and turns, and where its rest shape would lie.

use crate::algebra::best_rotation;
use crate::{Mat3, Quat, Real, Vec3};

/// The motion of masses as if they were rigid: the one with the same linear and angular momentum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drift {
    pub center: Vec3,
    pub vel: Vec3,
    pub omega: Vec3,
}

impl Drift {
    /// O(vertices), in one fixed order.
    pub fn of(mass: &[Real], pos: &[Vec3], vel: &[Vec3]) -> Self {
        let total: Real = mass.iter().sum();
        let mean = |of: &[Vec3]| mass.iter().zip(of).map(|(m, x)| *x * *m).sum::<Vec3>() / total;
        let (center, drift) = (mean(pos), mean(vel));
        let (mut spin, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
        for ((m, x), v) in mass.iter().zip(pos).zip(vel) {
            let arm = *x - center;
            spin += arm.cross(*v - drift) * *m;
            let across = arm * *m;
            inertia += Mat3::from_diagonal(Vec3::splat(across.dot(arm)))
                - Mat3::from_cols(arm * across.x, arm * across.y, arm * across.z);
        }
        // Masses in one line do not turn about it.
        let size = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        let sound = inertia.determinant() > 1e-9 * size * size * size;
        let omega = if sound { inertia.inverse() * spin } else { Vec3::ZERO };
        Self { center, vel: drift, omega }
    }

    /// Velocity at a place \[m/s\].
    pub fn at(&self, place: Vec3) -> Vec3 {
        self.vel + self.omega.cross(place - self.center)
    }
}

/// Where the rest shape lies: turned about its centre, and moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lie {
    from: Vec3,
    to: Vec3,
    turn: Quat,
}

impl Lie {
    /// Where it was made.
    pub const STILL: Self = Self { from: Vec3::ZERO, to: Vec3::ZERO, turn: Quat::IDENTITY };

    /// Where it is nearest to the masses (shape matching, Müller et al. 2005): Σ m |x − goal|² is least. Pulls towards
    /// such goals add up to nothing, and so do their moments. O(vertices).
    pub fn nearest(mass: &[Real], rest: &[Vec3], from: Vec3, pos: &[Vec3]) -> Self {
        let total: Real = mass.iter().sum();
        let to = mass.iter().zip(pos).map(|(m, x)| *x * *m).sum::<Vec3>() / total;
        let mut covariance = Mat3::ZERO;
        for ((m, r), x) in mass.iter().zip(rest).zip(pos) {
            let (x, r) = ((*x - to) * *m, *r - from);
            covariance += Mat3::from_cols(x * r.x, x * r.y, x * r.z);
        }
        Self { from, to, turn: best_rotation(covariance) }
    }

    /// The goal of a vertex.
    pub fn goal(&self, rest: Vec3) -> Vec3 {
        self.to + self.turn * (rest - self.from)
    }
}
