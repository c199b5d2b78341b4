//! Surfaces that have pressed into one another are moved apart: MedVR's projection and LAPAROS's consistent penetration,
//! which differ in their rows alone.
//!
//! Each row in turn is closed by moving its vertices along its normal. Two soft bodies share the depth by their
//! compliances, where the thesis gives each a half: what is three times as stiff yields a third as much as the other. A
//! rigid body does not yield, and so tissue follows an instrument wherever the hand leads it. What one row has moved
//! the next one sees, so that a depth found from both sides is not taken twice.
//!
//! Velocities are corrected apart and first, as in [`super::displacement_velocity`]: by masses, with friction, so that
//! momentum is kept and a tool feels what it presses. What a body's restoration passes on to the whole of it moves the
//! whole of it; see [`super::carried`].

use super::Motion;
use super::displacement_velocity::{RowWork, correct_velocity};
use crate::body::Substep;
use crate::model::BodyKind;
use crate::params::BodyParams;
use crate::row::Row;
use crate::{BodyId, PrimId, Real};

/// How much of its depth either side of a row takes; 0 for what cannot yield.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Of side A and of side B.
    sides: [Real; 2],
}

/// Finds out who yields how much, one share for each row at work.
pub(crate) fn prepare(
    sub: &Substep,
    motion: &Motion,
    rows: &[Row],
    work: &mut [RowWork],
    shares: &mut Vec<Share>,
) {
    let body = |p: PrimId| sub.model.prims[p.at()].body;
    for w in work.iter_mut() {
        let key = rows[w.row as usize].key;
        w.pass_on(motion, body(key.a), 1.0);
        w.pass_on(motion, body(key.b), -1.0);
    }
    shares.clear();
    shares.extend(work.iter().map(|w| {
        let key = rows[w.row as usize].key;
        let [a, b] = [body(key.a), body(key.b)].map(|b| compliance(sub, b));
        // A side of which all that is held is fixed does not yield either.
        let free = |sign: Real| w.soft().iter().any(|(_, weight, _)| weight * sign > 0.0);
        let [a, b] = [if free(1.0) { a } else { 0.0 }, if free(-1.0) { b } else { 0.0 }];
        let sum = a + b;
        Share { sides: if sum > 0.0 { [a / sum, b / sum] } else { [0.0; 2] } }
    }));
}

/// How far a body yields to a force, up to a factor that all bodies have in common \[m/N\].
fn compliance(sub: &Substep, body: BodyId) -> Real {
    let BodyParams { stiffness, tube_stretch, .. } = sub.params.bodies[body.at()];
    match sub.model.bodies[body.at()].kind {
        BodyKind::Rigid(_) => 0.0,
        _ => 1.0 / (stiffness + tube_stretch).max(1e-9),
    }
}

/// One pass over the velocities of the rows in order, at the end of a substep of `h` seconds.
pub fn sweep_velocities(motion: &mut Motion, work: &mut [RowWork], h: Real) {
    work.iter_mut().for_each(|row| correct_velocity(motion, row, h));
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
    for (sign, share) in [1.0, -1.0].into_iter().zip(share.sides).filter(|(_, share)| *share > 0.0) {
        let own = || row.soft().iter().filter(move |(_, weight, _)| weight * sign > 0.0);
        let squares: Real = own().map(|(_, weight, _)| weight * weight).sum();
        for (v, weight, _) in own() {
            motion.pos[v.at()] += row.normal * (-gap * share * weight / squares);
        }
    }
}
