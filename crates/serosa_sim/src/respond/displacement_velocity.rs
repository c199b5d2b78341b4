//! The displacement–velocity correction of the 2003 intestine simulator, with its signs and masses corrected.
//!
//! For each row in turn: if the two sides approach, an impulse along the normal stops them; friction may add
//! a tangential impulse of at most μ times it; if they overlap, positions are moved apart by the same
//! weights. Printed (3) has the wrong sign on the second body and printed (8) on the distance, and both
//! leave out the masses; with them linear momentum is conserved exactly, angular momentum by the velocity
//! part. Velocities and displacements are corrected apart: pushing apart adds no speed.

use super::Motion;
use crate::row::Row;
use crate::{Real, Vec3};

/// `sweeps` passes over the rows in order, at the end of a substep of `h` seconds. The paper makes one pass;
/// more let piles settle. A row that is not finite is passed over, so that a body that has gone wrong cannot
/// spoil its neighbours.
pub fn answer(motion: &mut Motion, rows: &mut [Row], sweeps: u32, h: Real) {
    for _ in 0..sweeps {
        for row in rows.iter_mut() {
            let softness = compliance(motion, row, row.normal);
            // Nothing to move, or not a number.
            if !(softness > 0.0 && softness.is_finite()) {
                continue;
            }
            correct_velocity(motion, row, softness, h);
            correct_position(motion, row, softness);
        }
    }
}

/// D = Σ weight² × mobility: the relative speed along `dir` for a unit impulse \[1/kg\].
fn compliance(motion: &Motion, row: &Row, dir: Vec3) -> Real {
    row.slots().iter().map(|s| s.weight * s.weight * motion.mobility(s.node, dir)).sum()
}

fn correct_velocity(motion: &mut Motion, row: &mut Row, softness: Real, h: Real) {
    let approach = -relative_velocity(motion, row).dot(row.normal);
    if approach > 0.0 && approach.is_finite() {
        let impulse = approach / softness;
        row.lambda += impulse;
        push(row, row.normal * impulse, |node, p| motion.push_velocity(node, p));
    }
    if row.friction > 0.0 && row.lambda > 0.0 {
        rub(motion, row, h);
    }
}

/// Coulomb friction, which the paper leaves out: the impulse that would stop the sliding, kept within μ λ over
/// all passes together. The predicted positions have slid already by `h` times that speed, so they are taken
/// back as well; without this a resting thing creeps down a slope by h² g in every step.
fn rub(motion: &mut Motion, row: &mut Row, h: Real) {
    let velocity = relative_velocity(motion, row);
    let sliding = velocity - row.normal * velocity.dot(row.normal);
    let speed = sliding.length();
    if !(speed > 1e-12 && speed.is_finite()) {
        return;
    }
    let softness = compliance(motion, row, sliding / speed);
    let wanted = row.slip - sliding / softness;
    let (size, limit) = (wanted.length(), row.friction * row.lambda);
    let allowed = if size > limit { wanted * (limit / size) } else { wanted };
    let more = allowed - row.slip;
    row.slip = allowed;
    push(row, more, |node, p| {
        motion.push_velocity(node, p);
        motion.push_position(node, p * h);
    });
}

fn correct_position(motion: &mut Motion, row: &Row, softness: Real) {
    let gap = row.gap_at(motion.pos, motion.pose);
    if gap < 0.0 {
        push(row, row.normal * (-gap / softness), |node, p| motion.push_position(node, p));
    }
}

/// Velocity of side A as seen from side B \[m/s\].
fn relative_velocity(motion: &Motion, row: &Row) -> Vec3 {
    row.slots().iter().map(|s| motion.velocity(s.node) * s.weight).sum()
}

/// Hands each node its share of an impulse on side A.
fn push(row: &Row, impulse: Vec3, mut give: impl FnMut(crate::row::Node, Vec3)) {
    for slot in row.slots() {
        give(slot.node, impulse * slot.weight);
    }
}
