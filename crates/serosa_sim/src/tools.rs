//! Tools: from the hand to the target of its coupling, and what the jaws take hold of.

use crate::input::{Control, Hand};
use crate::model::Model;
use crate::params::{Params, TURN_MAX};
use crate::state::{Grip, State, Twist};
use crate::{Real, ToolId, Vec3, VertexId};
use serosa_geometry::rotation;

/// The most vertices that one pair of jaws holds.
pub const GRIPS_MAX: usize = 64;

/// The stage: targets follow the hands, jaws open and close.
pub(crate) fn lead(model: &Model, params: &Params, state: &mut State, hands: &[Hand]) {
    for i in 0..state.leads.len() {
        let hand = hands.get(i);
        follow(params, state, i, hand);
        let closed = hand.map_or(state.closed[i], Hand::grips);
        if closed && !state.closed[i] {
            grasp(model, state, i);
        }
        if !closed {
            state.grips.retain(|g| g.tool.at() != i);
        }
        state.closed[i] = closed;
    }
}

/// What control elements are led to.
pub(crate) fn direct(state: &mut State, controls: &[Control]) {
    state.controls.iter_mut().zip(controls).for_each(|(c, goal)| c.goal = *goal);
}

/// Sets how a tool's target moves during this step: to the hand, at a bounded speed. The hand may jump; the
/// target runs after it, so the coupling never has to answer a jump.
fn follow(params: &Params, state: &mut State, i: usize, hand: Option<&Hand>) {
    let (dt, lead) = (params.dt_s, &mut state.leads[i]);
    let Some(hand) = hand.map(Hand::pose) else {
        lead.twist = Twist::default();
        return;
    };
    let turn = rotation::to_rotation_vector(hand.rot * lead.target.rot.conjugate());
    lead.twist = Twist {
        vel: bounded((hand.pos - lead.target.pos) / dt, params.couplings[i].speed_max),
        omega: bounded(turn / dt, TURN_MAX),
    };
}

fn bounded(v: Vec3, max: Real) -> Vec3 {
    let length = v.length();
    if length > max { v * (max / length) } else { v }
}

/// Jaws that close hold the nearest vertices within reach of the tip, each where it is. O(vertices), and only
/// in the step in which they close.
fn grasp(model: &Model, state: &mut State, i: usize) {
    let tool = &model.tools[i];
    let pose = state.pose[tool.rigid.at()];
    let tip = pose.point(tool.tip);
    let mut nearest = [(Real::INFINITY, VertexId(0)); GRIPS_MAX];
    let nearest = &mut nearest[..(tool.holds as usize).clamp(1, GRIPS_MAX)];
    let last = nearest.len() - 1;
    for (v, pos) in state.pos.iter().enumerate().filter(|(v, _)| model.inv_mass[*v] > 0.0) {
        let distance = (*pos - tip).length();
        let farthest = nearest[last].0;
        if distance <= tool.reach && distance < farthest {
            nearest[last] = (distance, VertexId::from(v));
            nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
    }
    for (_, vertex) in nearest.iter().filter(|n| n.0.is_finite()) {
        let at = pose.local(state.pos[vertex.at()]);
        state.grips.push(Grip { tool: ToolId::from(i), vertex: *vertex, at, slipped: 0.0, pull: Vec3::ZERO });
    }
}
