//! Surfaces that have pressed into one another are moved apart: MedVR's projection and LAPAROS's consistent penetration,
//! which differ in their rows alone.
//!
//! Each row in turn is closed by moving its vertices along its normal. Two soft bodies share the depth by their
//! compliances, where the thesis gives each a half: by how far the place yields to a force within the step, which is the
//! diagonal of the body's implicit system. What is three times as stiff yields a third as much as the other, and a sheet
//! that nothing holds yields to an organ. A rigid body does not yield, and so tissue follows an instrument wherever the
//! hand leads it. What one row has moved the next one sees, so that a depth found from both sides is not taken twice.
//!
//! Velocities are corrected apart and first, as in [`super::displacement_velocity`]: by masses, with friction, so that
//! momentum is kept and a tool feels what it presses. What a body's restoration passes on to the whole of it moves the
//! whole of it; see [`super::carried`].

use super::Motion;
use super::displacement_velocity::{RowWork, correct_velocity};
use crate::body::Substep;
use crate::body::tissue::TissueWork;
use crate::row::Row;
use crate::state::State;
use crate::{BodyId, Real, VertexId};

/// How much of its depth side A and side B of a row take; 0 for what cannot yield.
pub type Share = [Real; 2];

/// Finds out who yields how much, one share for each row at work, and lets bodies take impulses over.
pub(crate) fn prepare(
    (sub, state, tissues): (&Substep, &State, &[TissueWork]),
    motion: &Motion,
    rows: &[Row],
    work: &mut [RowWork],
    shares: &mut Vec<Share>,
) {
    shares.clear();
    for w in work.iter_mut() {
        let row = &rows[w.row as usize];
        w.leeway = row.gap_at(&state.pos, &state.pose).max(0.0) / sub.h;
        let bodies = [row.key.a, row.key.b].map(|p| sub.model.prims[p.at()].body);
        w.pass_on(motion, bodies[0], 1.0);
        w.pass_on(motion, bodies[1], -1.0);
        let side = |body: BodyId, sign: Real| -> Real {
            let own = w.soft().iter().filter(|(_, weight, _)| weight * sign > 0.0);
            let first = sub.model.bodies[body.at()].vertices.start;
            let one = |(v, weight, inv_mass): &(VertexId, Real, Real)| {
                let yields = tissues[body.at()].compliance((v.0 - first) as usize).unwrap_or(*inv_mass);
                weight * sign * yields
            };
            own.map(one).sum()
        };
        let [a, b] = [side(bodies[0], 1.0), side(bodies[1], -1.0)];
        shares.push(if a + b > 0.0 { [a / (a + b), b / (a + b)] } else { [0.0; 2] });
    }
}

/// One pass over the velocities of the rows in order, at the end of a substep of `h` seconds.
pub fn sweep_velocities(motion: &mut Motion, work: &mut [RowWork], h: Real) {
    for row in work {
        correct_velocity(motion, row, h);
    }
}

/// After the passes over the velocities: what the impulses did to these they have done for the whole substep, so the
/// positions follow.
pub fn follow(motion: &mut Motion, work: &[RowWork], h: Real) {
    for row in work.iter().filter(|row| row.lambda > 0.0) {
        row.push_position(motion, row.normal * (row.lambda * h));
    }
}

/// One pass over the positions, after the velocities: bodies carried by their contacts have been moved by then.
pub fn sweep_positions(motion: &mut Motion, work: &[RowWork], shares: &[Share]) {
    for (row, share) in work.iter().zip(shares) {
        correct_position(motion, row, share);
    }
}

/// Moves the vertices of either side so that the place they hold goes as far as its share.
fn correct_position(motion: &mut Motion, row: &RowWork, share: &Share) {
    let gap = row.gap(motion);
    if !(gap < 0.0 && gap.is_finite()) {
        return;
    }
    for (sign, share) in [1.0, -1.0].into_iter().zip(*share).filter(|(_, share)| *share > 0.0) {
        let own = || row.soft().iter().filter(move |(_, weight, _)| weight * sign > 0.0);
        let squares: Real = own().map(|(_, weight, _)| weight * weight).sum();
        for (v, weight, _) in own() {
            motion.pos[v.at()] += row.normal * (-gap * share * weight / squares);
        }
    }
}
