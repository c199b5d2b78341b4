//! A body as a whole: how it drifts and turns, and where its rest shape would lie.

use crate::algebra::{Six, best_rotation};
use crate::{Mat3, Real, Vec3};

/// Masses in a body: how much, where, and how they resist turning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Whole {
    total: Real,
    pub center: Vec3,
    inertia: Mat3,
    /// 0 where the masses lie in one line.
    inverse_inertia: Mat3,
}

impl Whole {
    /// O(vertices), in one fixed order.
    pub fn of(mass: &[Real], pos: &[Vec3]) -> Self {
        let (total, center) = Self::middle(mass, pos);
        let (mut squares, mut mixed) = (Vec3::ZERO, Vec3::ZERO);
        for (m, x) in mass.iter().zip(pos) {
            let arm = *x - center;
            let weighed = arm * *m;
            squares += weighed * arm;
            mixed += weighed * Vec3::new(arm.y, arm.z, arm.x);
        }
        let diagonal = Vec3::splat(squares.x + squares.y + squares.z) - squares;
        let Vec3 { x: xy, y: yz, z: zx } = -mixed;
        let inertia = Mat3::from_cols(
            Vec3::new(diagonal.x, xy, zx),
            Vec3::new(xy, diagonal.y, yz),
            Vec3::new(zx, yz, diagonal.z),
        );
        let size = (diagonal.x + diagonal.y + diagonal.z) / 3.0;
        let sound = inertia.determinant() > 1e-9 * size * size * size;
        Self { total, center, inertia, inverse_inertia: if sound { inertia.inverse() } else { Mat3::ZERO } }
    }

    /// The sum of some masses, and their centre.
    fn middle(mass: &[Real], pos: &[Vec3]) -> (Real, Vec3) {
        let (mut total, mut sum) = (0.0, Vec3::ZERO);
        for (m, x) in mass.iter().zip(pos) {
            total += m;
            sum += *x * *m;
        }
        (total, sum / total)
    }

    /// The centre alone. O(vertices).
    pub fn center_of(mass: &[Real], pos: &[Vec3]) -> Vec3 {
        Self::middle(mass, pos).1
    }

    /// How it resists being moved as if it were rigid, about its centre.
    pub fn system(&self) -> Six {
        let mut six = Six::diagonal(self.total);
        six.add_turning(self.inertia);
        six
    }

    /// The motion that an impulse at a place gives it.
    pub fn pushed(&self, place: Vec3, impulse: Vec3) -> Drift {
        let spin = (place - self.center).cross(impulse);
        Drift { center: self.center, vel: impulse / self.total, omega: self.inverse_inertia * spin }
    }

    /// The motion with the same linear and angular momentum that deforms nothing. O(vertices).
    pub fn drift(&self, mass: &[Real], pos: &[Vec3], vel: &[Vec3]) -> Drift {
        self.drift_of(mass, pos, vel.iter().copied())
    }

    /// The same of velocities that come one by one.
    #[inline(always)]
    pub fn drift_of(&self, mass: &[Real], pos: &[Vec3], vel: impl Iterator<Item = Vec3>) -> Drift {
        let (mut linear, mut spin) = (Vec3::ZERO, Vec3::ZERO);
        for ((m, x), v) in mass.iter().zip(pos).zip(vel) {
            let p = v * *m;
            linear += p;
            spin += (*x - self.center).cross(p);
        }
        Drift { center: self.center, vel: linear / self.total, omega: self.inverse_inertia * spin }
    }
}

/// The motion of a rigid body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drift {
    pub center: Vec3,
    pub vel: Vec3,
    pub omega: Vec3,
}

impl Drift {
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
    turn: Mat3,
}

impl Lie {
    /// Where it was made.
    pub const STILL: Self = Self { from: Vec3::ZERO, to: Vec3::ZERO, turn: Mat3::IDENTITY };

    /// Where it is nearest to the masses (shape matching, Müller et al. 2005): Σ m |x − goal|² is least. Pulls towards
    /// such goals add up to nothing, and so do their moments. The centres of the masses at rest and now are `from` and
    /// `to`. O(vertices).
    pub fn nearest(mass: &[Real], rest: &[Vec3], from: Vec3, pos: &[Vec3], to: Vec3) -> Self {
        let mut columns = [Vec3::ZERO; 3];
        for ((m, r), x) in mass.iter().zip(rest).zip(pos) {
            let (x, r) = ((*x - to) * *m, *r - from);
            columns[0] += x * r.x;
            columns[1] += x * r.y;
            columns[2] += x * r.z;
        }
        let turn = best_rotation(Mat3::from_cols(columns[0], columns[1], columns[2]));
        Self { from, to, turn: Mat3::from_quat(turn) }
    }

    /// The goal of a vertex.
    pub fn goal(&self, rest: Vec3) -> Vec3 {
        self.to + self.turn * (rest - self.from)
    }
}
