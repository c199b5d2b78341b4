//! What the filter stops, it stops by impulses between the sides of a pair.
//!
//! A step that was shortened leaves the velocity that the response gave: where that still takes the sides of the pair towards
//! one another, an impulse along the normal takes it away, without a bounce. Both sides get the same, at the points where
//! they are nearest in the end, so linear and angular momentum are kept; and no such impulse raises the kinetic energy, since it does
//! no work on what it ends with. One after the other, in some rounds.

use crate::body::Substep;
use crate::detect::{self, Places};
use crate::respond::Motion;
use crate::row::{Row, Slot};
use crate::{Real, Scratch};

/// Rounds over the pairs.
const ROUNDS: u32 = 8;

/// The pairs as rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Impulses {
    pub(super) rows: Vec<Row>,
}

/// Stops the pairs that were shortened. O(rounds × such pairs).
pub(super) fn stop(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { planes, finder, pos, pose, found_radius: radius, .. } = scratch;
    let mut impulses = std::mem::take(&mut planes.impulses);
    let at = Places { pos, pose, radius };
    impulses.rows.clear();
    for k in &planes.stops {
        impulses.rows.extend(detect::nearest(
            (sub.model, &sub.params.bodies),
            at,
            finder.near[*k as usize].prims,
        ));
    }
    let Scratch { pos, vel, pose, twist, inv_mass, rigid_mobility, .. } = scratch;
    let mut motion = Motion { pos, vel, pose, twist, inv_mass, rigid_mobility, carried: &mut [] };
    for _ in 0..ROUNDS {
        for row in &mut impulses.rows {
            push(&mut motion, row);
        }
    }
    scratch.planes.impulses = impulses;
}

/// Takes away the speed with which the sides of a row go towards one another, and gives back what was taken too much.
fn push(motion: &mut Motion, row: &mut Row) {
    let n = row.normal;
    let speed: Real = row.slots().map(|Slot { node, weight }| weight * motion.velocity(node).dot(n)).sum();
    let give: Real =
        row.slots().map(|Slot { node, weight }| weight * weight * motion.mobility(node, n)).sum();
    let after = (row.lambda - speed / give).max(0.0);
    let more = after - row.lambda;
    if give > 0.0 && more.is_finite() && more != 0.0 {
        row.lambda = after;
        row.slots().for_each(|Slot { node, weight }| motion.push_velocity(node, n * (weight * more)));
    }
}
