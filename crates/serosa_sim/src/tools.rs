//! Tools: from the hand to the target of its coupling.

use crate::input::Hand;
use crate::params::{Params, TURN_MAX};
use crate::state::{State, Twist};
use crate::{Real, Vec3};
use serosa_geometry::rotation;

/// Sets how each tool's target moves during this step: to the hand, at a bounded speed. The hand may jump;
/// the target runs after it, so the coupling never has to answer a jump.
pub(crate) fn lead(params: &Params, state: &mut State, hands: &[Hand]) {
    let dt = params.dt_s;
    for (i, lead) in state.leads.iter_mut().enumerate() {
        let Some(hand) = hands.get(i).map(Hand::pose) else {
            lead.twist = Twist::default();
            continue;
        };
        let turn = rotation::to_rotation_vector(hand.rot * lead.target.rot.conjugate());
        lead.twist = Twist {
            vel: bounded((hand.pos - lead.target.pos) / dt, params.couplings[i].speed_max),
            omega: bounded(turn / dt, TURN_MAX),
        };
    }
}

fn bounded(v: Vec3, max: Real) -> Vec3 {
    let length = v.length();
    if length > max { v * (max / length) } else { v }
}
