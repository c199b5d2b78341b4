//! A free solid as a whole: no element resists its six rigid motions, so they are solved apart, and exactly.

use crate::algebra::best_rotation;
use crate::{Mat3, Quat, Real, Vec3};

/// Rounds of Newton's method; it converges quadratically from the best fit.
const ROUNDS: usize = 8;

/// A body between where it was and where it would go.
pub(super) struct Whole<'a> {
    /// One per vertex \[kg\].
    pub mass: &'a [Real],
    /// At the start of the substep \[m\].
    pub old: &'a [Vec3],
    /// Without forces \[m\].
    pub target: &'a [Vec3],
}

impl Whole<'_> {
    fn center(&self, pos: &[Vec3]) -> Vec3 {
        let total: Real = self.mass.iter().sum();
        pos.iter().zip(self.mass).map(|(x, m)| *x * *m).sum::<Vec3>() / total
    }

    /// Σ m a bᵀ about two centres.
    fn spread(&self, a: (&[Vec3], Vec3), b: (&[Vec3], Vec3)) -> Mat3 {
        let mut sum = Mat3::ZERO;
        for ((p, q), m) in a.0.iter().zip(b.0).zip(self.mass) {
            let (p, q) = ((*p - a.1) * *m, *q - b.1);
            sum += Mat3::from_cols(p * q.x, p * q.y, p * q.z);
        }
        sum
    }

    /// Moves the body without deforming it so that its linear and angular momentum are those of the target. Where the
    /// inertial potential \[kg m²\] would be above `most` after that, it is turned to where that potential is least.
    /// O(vertices).
    pub fn settle(&self, pos: &mut [Vec3], most: Real) {
        let (here, old, aim) = (self.center(pos), self.center(self.old), self.center(self.target));
        let to_target = self.spread((self.target, aim), (pos, here));
        let best = best_rotation(to_target);
        let kept = self.momentum_turn(best, (pos, here), old, aim);
        // How far from the target the turned body is, without moving it: |x|² does not change by turning.
        let fit = |turn: Quat| super::material::inner(&Mat3::from_quat(turn), &to_target);
        let squares: Real = pos
            .iter()
            .zip(self.target)
            .zip(self.mass)
            .map(|((x, y), m)| 0.5 * m * ((*x - here).length_squared() + (*y - aim).length_squared()))
            .sum();
        let turn = kept.filter(|q| squares - fit(*q) <= most).unwrap_or(best);
        let turn = Mat3::from_quat(turn);
        pos.iter_mut().for_each(|x| *x = turn * (*x - here) + aim);
    }

    /// The turn Q with Σ m oldᵢ × Q xᵢ = Σ m oldᵢ × targetᵢ, about the centres: the momentum of the substep about where
    /// it began, which is that about where it ends. (The equation of Moser and Veselov for the discrete rigid body.)
    fn momentum_turn(&self, from: Quat, (pos, here): (&[Vec3], Vec3), old: Vec3, aim: Vec3) -> Option<Quat> {
        let spread = self.spread((pos, here), (self.old, old));
        let wanted = axial(&self.spread((self.target, aim), (self.old, old)));
        let size = super::material::square(&spread).sqrt();
        let mut turn = from;
        for _ in 0..ROUNDS {
            let turned = Mat3::from_quat(turn) * spread;
            let missing = wanted - axial(&turned);
            if missing.length() <= 1e-16 * size {
                break;
            }
            let trace = turned.x_axis.x + turned.y_axis.y + turned.z_axis.z;
            // old × (δ × x) = δ (old·x) − x (old·δ)
            let matrix = Mat3::from_diagonal(Vec3::splat(trace)) - turned;
            let half = matrix.inverse() * missing * 0.5;
            turn = (Quat::from_xyzw(half.x, half.y, half.z, 1.0) * turn).normalize();
        }
        let left = (wanted - axial(&(Mat3::from_quat(turn) * spread))).length();
        (left <= 1e-13 * size && turn.is_finite()).then_some(turn)
    }
}

/// Σ m v \[N s\].
pub(super) fn momentum(mass: &[Real], vel: &[Vec3]) -> Vec3 {
    vel.iter().zip(mass).map(|(v, m)| *v * *m).sum()
}

/// Σ b × a of Σ a bᵀ.
fn axial(m: &Mat3) -> Vec3 {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    // m[i][j] = a_i b_j, columns by j: b × a has x = b_y a_z − b_z a_y.
    Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x)
}
