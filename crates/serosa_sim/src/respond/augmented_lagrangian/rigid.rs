//! Rigid frames descend: six unknowns.

use super::links::Links;
use super::touching::Touching;
use crate::algebra::Six;
use crate::body::Substep;
use crate::model::Pose;
use crate::row::Side;
use crate::scratch::{Mobility, Scratch};
use crate::{Mat3, Real, RigidId, Vec3};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// A step of a rigid frame that raises the potential is halved at most so often, then given up.
const HALVINGS: u32 = 6;

/// One Newton step of a rigid frame on inertia, coupling and rows: six unknowns. Shortened where it would raise the
/// potential.
pub(super) fn descend(sub: &Substep, body: u32, r: RigidId, scratch: &mut Scratch) {
    let Scratch { pos, pose, target_pose, rigid_mobility, touching, links, .. } = scratch;
    let frame = Frame {
        rigid: r,
        body,
        mobility: rigid_mobility[r.at()],
        per_h2: 1.0 / (sub.h * sub.h),
        target: target_pose[r.at()],
        rows: touching,
        links,
    };
    if frame.mobility.inv_mass == 0.0 {
        return;
    }
    let from = pose[r.at()];
    let Some((shift, turn)) = frame.system(pos, pose).solve() else { return };
    let before = frame.potential(pos, pose);
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let turned = (from_rotation_vector(turn * share) * from.rot).normalize();
        pose[r.at()] = Pose { pos: from.pos + shift * share, rot: turned };
        // Beyond rounding: at the minimum it cannot fall any more.
        if frame.potential(pos, pose).0 <= before.0 + 1e-12 * before.1 {
            return;
        }
        share *= 0.5;
    }
    pose[r.at()] = from;
}

/// Everything a rigid frame looks at.
struct Frame<'a> {
    rigid: RigidId,
    body: u32,
    mobility: Mobility,
    /// 1/h² \[1/s²\]
    per_h2: Real,
    target: Pose,
    rows: &'a [Touching],
    links: &'a Links,
}

impl Frame<'_> {
    fn rows(&self) -> impl Iterator<Item = &Touching> {
        self.links.rows_of(self.body as usize).iter().map(|r| &self.rows[*r as usize])
    }

    /// The way to the inertial target.
    fn way(&self, now: &Pose) -> (Vec3, Vec3) {
        (self.target.pos - now.pos, to_rotation_vector(self.target.rot * now.rot.conjugate()))
    }

    /// The potential, and the sum of the sizes of its terms \[J\].
    fn potential(&self, pos: &[Vec3], pose: &[Pose]) -> (Real, Real) {
        let now = &pose[self.rigid.at()];
        let (away, turn) = self.way(now);
        let turn = now.rot.conjugate() * turn;
        let spin = turn.dot(turn / self.mobility.inv_inertia);
        let inertia = 0.5 * self.per_h2 * (away.length_squared() / self.mobility.inv_mass + spin);
        self.rows()
            .map(|row| row.potential(row.between(pos, pose)))
            .fold((inertia, inertia), |sum, p| (sum.0 + p, sum.1 + p.abs()))
    }

    /// The Newton system.
    fn system(&self, pos: &[Vec3], pose: &[Pose]) -> Six {
        let now = &pose[self.rigid.at()];
        let linear = self.per_h2 / self.mobility.inv_mass;
        let mut six = Six::diagonal(linear);
        let (away, turn) = self.way(now);
        let axes = Mat3::from_quat(now.rot);
        let inertia = self.mobility.inv_inertia.recip() * self.per_h2;
        for k in 0..3 {
            six.add_outer(Vec3::ZERO, axes.col(k), inertia[k]);
        }
        six.add_rhs(away * linear, axes * (inertia * (axes.transpose() * turn)));
        for row in self.rows() {
            let answer = row.answer(row.between(pos, pose));
            for (side, sign) in row.sides.iter().zip([1.0, -1.0]) {
                if let Side::Rigid(frame, local) = *side
                    && frame == self.rigid
                {
                    let (arm, force) = (now.rot * local, answer.force * sign);
                    six.add_rhs(force, arm.cross(force));
                    six.add_block(arm, answer.matrix);
                }
            }
        }
        six
    }
}
