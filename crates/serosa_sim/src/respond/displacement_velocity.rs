//! The displacement–velocity correction of the 2003 intestine simulator, with its signs and masses corrected.
//!
//! For each row in turn: if the two sides approach, an impulse along the normal stops them (over several passes
//! it is the sum that may only push, so that passes converge: a box at rest does not walk); friction may add
//! a tangential impulse of at most μ times it; if they overlap, positions are moved apart by the same
//! weights. Printed (3) has the wrong sign on the second body and printed (8) on the distance, and both
//! leave out the masses; with them linear momentum is conserved exactly, angular momentum by the velocity
//! part. Velocities and displacements are corrected apart: pushing apart adds no speed.

use super::Motion;
use crate::row::{Node, Row};
use crate::{BodyId, Real, RigidId, Vec3, VertexId};

/// A row as the passes need it: only what can move, with everything fixed folded into the offset.
#[derive(Clone, Copy, Debug)]
pub struct RowWork {
    /// Which row.
    pub(super) row: u32,
    /// Vertices: index, weight, 1/mass.
    soft: [(VertexId, Real, Real); 6],
    softs: u8,
    /// Points of rigid frames: frame, place in it, weight.
    stiff: [(RigidId, Vec3, Real); 2],
    stiffs: u8,
    /// Bodies that pass impulses on: which, where it is pushed, and 1 for side A or −1.
    whole: [(BodyId, Vec3, Real); 2],
    wholes: u8,
    pub(super) normal: Vec3,
    offset: Real,
    friction: Real,
    /// Speed at which the sides may approach and meet no sooner than the substep ends \[m/s\].
    pub(super) leeway: Real,
    /// D = Σ weight² × mobility along the normal: relative speed for a unit impulse \[1/kg\].
    softness: Real,
    pub(super) lambda: Real,
    slip: Vec3,
}

/// Prepares the rows of a substep. A row that is not finite is passed over, so that a body that has gone wrong
/// cannot spoil its neighbours.
pub fn prepare(motion: &Motion, rows: &[Row], work: &mut Vec<RowWork>) {
    work.clear();
    work.extend(rows.iter().enumerate().filter_map(|(i, row)| prepare_row(motion, i, row)));
}

/// One pass over the rows in order, at the end of a substep of `h` seconds. The paper makes one pass; more let
/// piles settle.
pub fn sweep(motion: &mut Motion, work: &mut [RowWork], h: Real) {
    for row in work.iter_mut() {
        correct_velocity(motion, row, h);
        correct_position(motion, row);
    }
}

/// Writes the impulses back to the rows.
pub fn store(rows: &mut [Row], work: &[RowWork]) {
    for done in work {
        let row = &mut rows[done.row as usize];
        (row.lambda, row.slip) = (done.lambda, done.slip);
    }
}

fn prepare_row(motion: &Motion, i: usize, row: &Row) -> Option<RowWork> {
    let mut work = RowWork {
        row: i as u32,
        soft: [(VertexId(0), 0.0, 0.0); 6],
        softs: 0,
        stiff: [(RigidId(0), Vec3::ZERO, 0.0); 2],
        stiffs: 0,
        whole: [(BodyId(0), Vec3::ZERO, 0.0); 2],
        wholes: 0,
        normal: row.normal,
        offset: row.offset,
        friction: row.friction,
        leeway: 0.0,
        softness: 0.0,
        lambda: 0.0,
        slip: Vec3::ZERO,
    };
    for slot in row.slots() {
        let mobility = motion.mobility(slot.node, row.normal);
        work.softness += slot.weight * slot.weight * mobility;
        match slot.node {
            _ if mobility == 0.0 => work.offset -= slot.weight * motion.place(slot.node).dot(row.normal),
            Node::Vertex(v) => {
                work.soft[work.softs as usize] = (v, slot.weight, mobility);
                work.softs += 1;
            }
            Node::Rigid(r, local) => {
                work.stiff[work.stiffs as usize] = (r, local, slot.weight);
                work.stiffs += 1;
            }
        }
    }
    // Nothing to move, or not a number.
    (work.softness > 0.0 && work.softness.is_finite()).then_some(work)
}

impl RowWork {
    pub(super) fn soft(&self) -> &[(VertexId, Real, Real)] {
        &self.soft[..self.softs as usize]
    }

    fn stiff(&self) -> &[(RigidId, Vec3, Real)] {
        &self.stiff[..self.stiffs as usize]
    }

    fn whole(&self) -> &[(BodyId, Vec3, Real)] {
        &self.whole[..self.wholes as usize]
    }

    /// Lets a body take over its part of the impulses on a side, at the place that the vertices there hold.
    pub(super) fn pass_on(&mut self, motion: &Motion, body: BodyId, sign: Real) {
        let side = self.soft().iter().filter(|(_, weight, _)| weight * sign > 0.0);
        let place: Vec3 = side.map(|(v, weight, _)| motion.pos[v.at()] * (weight * sign)).sum();
        if motion.carried[body.at()].is_moved() {
            self.softness += motion.carried[body.at()].mobility(place, self.normal);
            self.whole[self.wholes as usize] = (body, place, sign);
            self.wholes += 1;
        }
    }

    /// Velocity of side A as seen from side B \[m/s\].
    fn relative_velocity(&self, motion: &Motion) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for &(v, weight, _) in self.soft() {
            sum += motion.vel[v.at()] * weight;
        }
        for &(r, local, weight) in self.stiff() {
            sum += motion.velocity(Node::Rigid(r, local)) * weight;
        }
        for &(b, place, sign) in self.whole() {
            sum += motion.carried[b.at()].velocity(place) * sign;
        }
        sum
    }

    /// Relative speed along a vector for a unit impulse along it; the same in every direction without frames.
    fn softness_along(&self, motion: &Motion, along: Vec3) -> Real {
        if self.stiffs == 0 && self.wholes == 0 {
            return self.softness;
        }
        let dir = along.normalize_or_zero();
        let soft: Real = self.soft().iter().map(|(_, weight, w)| weight * weight * w).sum();
        let one = |&(r, local, weight): &(RigidId, Vec3, Real)| {
            weight * weight * motion.mobility(Node::Rigid(r, local), dir)
        };
        let carried = |&(b, place, _): &(BodyId, Vec3, Real)| motion.carried[b.at()].mobility(place, dir);
        soft + self.stiff().iter().map(one).sum::<Real>() + self.whole().iter().map(carried).sum::<Real>()
    }

    /// Gives each node its share of an impulse on side A.
    fn push_velocity(&self, motion: &mut Motion, impulse: Vec3) {
        for &(v, weight, w) in self.soft() {
            motion.vel[v.at()] += impulse * (weight * w);
        }
        for &(r, local, weight) in self.stiff() {
            motion.push_velocity(Node::Rigid(r, local), impulse * weight);
        }
        for &(b, place, sign) in self.whole() {
            motion.carried[b.at()].push(place, impulse * sign);
        }
    }

    /// Moves each node by its share, as an impulse would change its velocity.
    pub(super) fn push_position(&self, motion: &mut Motion, impulse: Vec3) {
        for &(v, weight, w) in self.soft() {
            motion.pos[v.at()] += impulse * (weight * w);
        }
        for &(r, local, weight) in self.stiff() {
            motion.push_position(Node::Rigid(r, local), impulse * weight);
        }
    }

    pub(super) fn gap(&self, motion: &Motion) -> Real {
        let mut along = -self.offset;
        for &(v, weight, _) in self.soft() {
            along += weight * motion.pos[v.at()].dot(self.normal);
        }
        for &(r, local, weight) in self.stiff() {
            along += weight * motion.place(Node::Rigid(r, local)).dot(self.normal);
        }
        along
    }
}

/// Ends the approach by an impulse, and the sliding by friction.
pub(super) fn correct_velocity(motion: &mut Motion, row: &mut RowWork, h: Real) {
    let velocity = row.relative_velocity(motion);
    let approach = -velocity.dot(row.normal) - row.leeway;
    // The impulse over all passes may only push; a later pass may take back what an earlier one gave too much.
    let total = (row.lambda + approach / row.softness).max(0.0);
    let more = if total.is_finite() { total - row.lambda } else { 0.0 };
    if more != 0.0 {
        row.lambda = total;
        row.push_velocity(motion, row.normal * more);
    }
    if row.friction > 0.0 && row.lambda > 0.0 {
        // The impulse along the normal leaves the sliding as it was, but for the turn of rigid frames.
        let velocity =
            if row.stiffs == 0 && row.wholes == 0 { velocity } else { row.relative_velocity(motion) };
        rub(motion, row, velocity, h);
    }
}

/// Coulomb friction, which the paper leaves out: the impulse that would stop the sliding, kept within μ λ over
/// all passes together. The predicted positions have slid already by `h` times that speed, so they are taken
/// back as well; without this a resting thing creeps down a slope by h² g in every step.
fn rub(motion: &mut Motion, row: &mut RowWork, velocity: Vec3, h: Real) {
    let sliding = velocity - row.normal * velocity.dot(row.normal);
    let speed_sq = sliding.length_squared();
    if !(speed_sq > 1e-24 && speed_sq.is_finite()) {
        return;
    }
    let wanted = row.slip - sliding * (1.0 / row.softness_along(motion, sliding));
    let (size_sq, limit) = (wanted.length_squared(), row.friction * row.lambda);
    let allowed = if size_sq > limit * limit { wanted * (limit / size_sq.sqrt()) } else { wanted };
    let more = allowed - row.slip;
    row.slip = allowed;
    row.push_velocity(motion, more);
    row.push_position(motion, more * h);
}

fn correct_position(motion: &mut Motion, row: &RowWork) {
    let gap = row.gap(motion);
    if gap < 0.0 {
        row.push_position(motion, row.normal * (-gap / row.softness));
    }
}
