//! A free solid as a whole among rows: one step of its six rigid motions.
//!
//! No element resists these, so inertia and rows alone decide them; but sweeps, which take a vertex with its neighbours
//! held, are as slow at them as the body is stiff. So between sweeps the body takes a step as if it were rigid.

use super::prepare::Solid;
use super::strain::tets;
use super::{Among, SolidWork, fill};
use crate::algebra::Six;
use crate::model::SolidBody;
use crate::{Mat3, Quat, Real, Vec3};
use serosa_geometry::rotation::from_rotation_vector;
use std::ops::Range;

/// A step that raises the potential is halved at most so often, then given up.
const HALVINGS: u32 = 4;

/// One step of a body that nothing holds but rows; not turned where the descent could not follow before the next sweep.
/// O(vertices + rows).
pub(super) fn carry(
    among: &mut Among,
    (b, body): (usize, &SolidBody),
    may_turn: bool,
    works: &mut [SolidWork],
) {
    if !body.free || !among.contacts.any(b) {
        return;
    }
    let SolidWork { made_for, inertia, flow, guess, .. } = &mut works[b];
    let model = among.sub.model;
    let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
    let vertices = model.bodies[b].vertex_range();
    let turns = may_turn || !solid.turns();
    let (center, mut six) = free(among, &vertices, inertia);
    push(among, b, center, &mut six);
    let Some((shift, turn)) = (if turns { six.solve() } else { six.shift().map(|s| (s, Vec3::ZERO)) }) else {
        return;
    };
    guess.clear();
    guess.extend_from_slice(&among.contacts.pos[vertices.clone()]);
    let before = among.whole(b, &vertices, inertia);
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let turned = if turns { from_rotation_vector(turn * share) } else { Quat::IDENTITY };
        let (turned, to) = (Mat3::from_quat(turned), center + shift * share);
        let pos = &mut among.contacts.pos[vertices.clone()];
        pos.iter_mut().zip(&*guess).for_each(|(x, from)| *x = turned * (*from - center) + to);
        if among.whole(b, &vertices, inertia).0 <= before.0 + 1e-12 * before.1 {
            return fill(body, &among.contacts.pos[vertices], flow);
        }
        share *= 0.5;
    }
    among.contacts.pos[vertices].copy_from_slice(guess);
}

impl Among<'_> {
    /// What a rigid motion of a body changes of Φ, and the sum of the sizes of its terms \[J\].
    fn whole(&self, b: usize, vertices: &Range<usize>, inertia: &[Real]) -> (Real, Real) {
        let (pos, target) = (&self.contacts.pos[vertices.clone()], &self.target[vertices.clone()]);
        let far = pos.iter().zip(target).zip(inertia);
        let inertial: Real = far.map(|((x, y), m)| 0.5 * m * (*x - *y).length_squared()).sum();
        let rows = self.contacts.links.rows_of(b).iter().map(|r| &self.contacts.touching[*r as usize]);
        rows.map(|row| row.potential(row.between(self.contacts.pos, self.contacts.pose)))
            .fold((inertial, inertial), |sum, p| (sum.0 + p, sum.1 + p.abs()))
    }
}

/// Centre of mass, and the system of inertia about it.
fn free(among: &Among, vertices: &Range<usize>, inertia: &[Real]) -> (Vec3, Six) {
    let (pos, target) = (&among.contacts.pos[vertices.clone()], &among.target[vertices.clone()]);
    let total: Real = inertia.iter().sum();
    let center = pos.iter().zip(inertia).map(|(x, m)| *x * *m).sum::<Vec3>() / total;
    let (mut away, mut torque, mut spread) = (Vec3::ZERO, Vec3::ZERO, Mat3::ZERO);
    for ((x, y), m) in pos.iter().zip(target).zip(inertia) {
        let (arm, way) = (*x - center, (*y - *x) * *m);
        away += way;
        torque += arm.cross(way);
        spread += Mat3::from_cols(arm * (arm.x * m), arm * (arm.y * m), arm * (arm.z * m));
    }
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let mut six = Six::diagonal(total);
    six.add_turning(Mat3::from_diagonal(Vec3::splat(trace)) - spread);
    six.add_rhs(away, torque);
    (center, six)
}

/// Adds the rows of a body, but for those with itself.
fn push(among: &Among, b: usize, center: Vec3, six: &mut Six) {
    let contacts = &among.contacts;
    for row in contacts.links.rows_of(b).iter().map(|r| &contacts.touching[*r as usize]) {
        if row.bodies[0] == row.bodies[1] {
            continue;
        }
        let answer = row.answer(row.between(contacts.pos, contacts.pose));
        let (side, sign) = if row.bodies[0] as usize == b { (0, 1.0) } else { (1, -1.0) };
        let (arm, force) = (row.sides[side].place(contacts.pos, contacts.pose) - center, answer.force * sign);
        six.add_rhs(force, arm.cross(force));
        six.add_block(arm, answer.matrix);
    }
}
