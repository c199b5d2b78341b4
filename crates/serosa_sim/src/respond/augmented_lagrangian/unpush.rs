//! A row that pushes ends its substep closed. Where sweeps were too few for that, it pushes and has opened all the same, and
//! its sides leave one another with a speed that no contact gives them. So much of its push is taken back as makes them
//! leave no faster than the row lets them: never more than it pushed with, so linear and angular momentum are kept, and no
//! energy comes of it, since what is taken back goes against the way that the sides go apart.

use super::touching::Touching;
use crate::body::Substep;
use crate::respond::Motion;
use crate::row::{Side, Slot};
use crate::scratch::Scratch;
use crate::state::State;
use crate::{Real, Vec3};

/// Rounds over the rows: one gives back what another took.
const ROUNDS: u32 = 4;

/// Takes pushes back that would throw. O(rounds × rows)
pub(super) fn take_back(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let Scratch { pos, vel, twist, inv_mass, rigid_mobility, touching, taken_back, .. } = scratch;
    taken_back.clear();
    taken_back.extend(touching.iter().map(|row| (row.lambda, fastest(row, state, sub.h))));
    // Sides lie opposite one another where the substep began, and there their impulses act.
    let mut poses = std::mem::take(&mut scratch.target_pose);
    poses.copy_from_slice(&state.pose);
    let mut motion =
        Motion { pos, vel, pose: &mut poses, twist, inv_mass, rigid_mobility, carried: &mut [] };
    for _ in 0..ROUNDS {
        for (row, (most, fastest)) in touching.iter_mut().zip(taken_back.iter()) {
            if *most > 0.0 && !row.is_grip() {
                mend(&mut motion, row, (*most, *fastest), sub.h);
            }
        }
    }
    scratch.target_pose = poses;
}

/// The speed with which a row lets its sides part \[m/s\].
fn fastest(row: &Touching, state: &State, h: Real) -> Real {
    (row.depth(row.between(&state.pos, &state.pose)) / h).max(0.0)
}

fn mend(motion: &mut Motion, row: &mut Touching, (most, fastest): (Real, Real), h: Real) {
    let n = row.normal;
    let slots = |side: &[Side; 2]| side[0].slots(1.0).chain(side[1].slots(-1.0));
    let (mut speed, mut give) = (0.0, 0.0);
    for Slot { node, weight } in slots(&row.sides) {
        speed += weight * motion.velocity(node).dot(n);
        give += weight * weight * motion.mobility(node, n);
    }
    let after = (row.lambda - (speed - fastest) / (give * h)).clamp(0.0, most);
    let more = (after - row.lambda) * h;
    if more != 0.0 && more.is_finite() {
        row.lambda = after;
        let impulse: Vec3 = n * more;
        slots(&row.sides).for_each(|Slot { node, weight }| motion.push_velocity(node, impulse * weight));
    }
}
