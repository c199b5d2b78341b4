//! Rigid frames: free rigid bodies, fixed shapes, and tools tied to the hand.

use super::Substep;
use crate::model::{Pose, Rigid, Tool};
use crate::params::Coupling;
use crate::state::{State, Twist};
use crate::{Mat3, RigidId, Scratch, Vec3};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// Free motion of a rigid frame. Tools do not fall: the hand carries them.
pub(super) fn predict(sub: &Substep, r: RigidId, state: &mut State, scratch: &mut Scratch) {
    let (rigid, pose, twist) = (&sub.model.rigids[r.at()], state.pose[r.at()], state.twist[r.at()]);
    if scratch.rigid_mobility[r.at()].inv_mass == 0.0 {
        (scratch.pose[r.at()], scratch.twist[r.at()]) = (pose, Twist::default());
        return;
    }
    let tool = sub.model.tools.iter().position(|t| t.rigid == r);
    (scratch.pose[r.at()], scratch.twist[r.at()]) = match tool {
        Some(t) => {
            let tool = &sub.model.tools[t];
            let lead = &mut state.leads[t];
            lead.target = advance(lead.target, &lead.twist, sub.h);
            let next = follow(rigid, tool, &sub.params.couplings[t], (pose, twist), lead, sub.h);
            scratch.hand_force[t] = (next.vel - twist.vel) * (rigid.mass / sub.h);
            (advance(pose, &next, sub.h), next)
        }
        None => fall(rigid, pose, twist, sub.params.gravity, sub.h),
    };
}

/// A pose moved by a constant twist for the time `h`.
fn advance(pose: Pose, twist: &Twist, h: f64) -> Pose {
    Pose {
        pos: pose.pos + twist.vel * h,
        rot: (from_rotation_vector(twist.omega * h) * pose.rot).normalize(),
    }
}

/// Free fall. The angular momentum is what is kept: the frame turns with the angular velocity it has, then
/// the velocity is read off the same momentum in the new orientation.
fn fall(rigid: &Rigid, pose: Pose, twist: Twist, gravity: Vec3, h: f64) -> (Pose, Twist) {
    let moving = Twist { vel: twist.vel + gravity * h, omega: twist.omega };
    let next = advance(pose, &moving, h);
    let momentum = pose.rot * (rigid.inertia * (pose.rot.conjugate() * twist.omega));
    let omega = next.rot * (rigid.inv_inertia * (next.rot.conjugate() * momentum));
    (next, Twist { vel: moving.vel, omega })
}

/// The twist of a tool after `h` under its coupling, by backward Euler, so that any stiffness is stable:
/// (m + h c + h² k) v⁺ = m v + h k (target⁺ − x) + h c v_target, and likewise for the turn.
fn follow(
    rigid: &Rigid,
    tool: &Tool,
    coupling: &Coupling,
    (pose, twist): (Pose, Twist),
    lead: &crate::state::Lead,
    h: f64,
) -> Twist {
    let arm = lead.target.rot * -tool.tip;
    let center = lead.target.pos + arm;
    let center_vel = lead.twist.vel + lead.twist.omega.cross(arm);
    let (k, c) = (coupling.stiffness, coupling.damping);
    let vel = (twist.vel * rigid.mass + (center - pose.pos) * (h * k) + center_vel * (h * c))
        / (rigid.mass + h * c + h * h * k);

    let (k, c) = (coupling.turn_stiffness, coupling.turn_damping);
    let axes = Mat3::from_quat(pose.rot);
    let inertia = axes * Mat3::from_diagonal(rigid.inertia) * axes.transpose();
    let turn = to_rotation_vector(lead.target.rot * pose.rot.conjugate());
    let rhs = inertia * twist.omega + turn * (h * k) + lead.twist.omega * (h * c);
    let omega = (inertia + Mat3::from_diagonal(Vec3::splat(h * c + h * h * k))).inverse() * rhs;
    Twist { vel, omega }
}
