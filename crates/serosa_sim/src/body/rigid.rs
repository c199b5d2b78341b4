//! Rigid frames: free rigid bodies, fixed shapes, and tools tied to the hand.

use super::Substep;
use crate::model::{Pose, Rigid, Tool};
use crate::params::Coupling;
use crate::scratch::Mobility;
use crate::state::{Lead, State, Twist};
use crate::{Mat3, Quat, RigidId, Scratch, Vec3};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// A free body turns by no more at once \[rad\]: its momentum is kept whatever this is, its energy to second order.
const TURN: f64 = 0.1;
/// In so many parts at most.
const PARTS: f64 = 64.0;

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
            let coupling = &sub.params.couplings[t];
            let lead = &mut state.leads[t];
            lead.target = advance(lead.target, &lead.twist, sub.h);
            let next = follow(rigid, &sub.model.tools[t], coupling, (pose, twist), lead, sub.h);
            scratch.rigid_mobility[r.at()] = coupled_mobility(rigid, coupling, sub.h);
            (advance(pose, &next, sub.h), next)
        }
        None => fall(rigid, pose, twist, sub.params.fall(), sub.h),
    };
}

/// How a tool in the hand answers a contact: as the implicit step of its coupling does, so that a tool held
/// against something feels the full force of the hand and not the share that its own mass would leave.
fn coupled_mobility(rigid: &Rigid, coupling: &Coupling, h: f64) -> Mobility {
    let mass = rigid.mass + h * coupling.damping_of(rigid.mass) + h * h * coupling.stiffness;
    let turn = h * coupling.turn_damping + h * h * coupling.turn_stiffness;
    Mobility { inv_mass: 1.0 / mass, inv_inertia: (rigid.inertia + turn).recip() }
}

/// The pose and velocity of the centre of mass that a lead asks for.
pub(crate) fn led_center(tool: &Tool, lead: &Lead) -> (Vec3, Vec3) {
    let arm = lead.target.rot * -tool.tip;
    (lead.target.pos + arm, lead.twist.vel + lead.twist.omega.cross(arm))
}

/// The force of the hand on its tool in a substep of `h` that began at a pose and ended with a twist \[N\]: what the implicit
/// coupling gave, wherever the filter has stopped the tool.
pub(crate) fn hand_force(
    rigid: &Rigid,
    tool: &Tool,
    coupling: &Coupling,
    (from, twist, h): (&Pose, &Twist, f64),
    lead: &Lead,
) -> Vec3 {
    let (center, vel) = led_center(tool, lead);
    (center - from.pos - twist.vel * h) * coupling.stiffness
        + (vel - twist.vel) * coupling.damping_of(rigid.mass)
}

/// A pose moved by a constant twist for the time `h`.
fn advance(pose: Pose, twist: &Twist, h: f64) -> Pose {
    Pose { pos: pose.pos + twist.vel * h, rot: turned(pose.rot, twist.omega * h) }
}

fn turned(rot: Quat, by: Vec3) -> Quat {
    (from_rotation_vector(by) * rot).normalize()
}

/// Free fall. The angular momentum is what is kept: the angular velocity is read off it in the orientation
/// half way, the frame turns with that, and the new velocity is read off the same momentum again. Second
/// order, so a tumbling box neither gains nor loses energy in the long run; what turns fast turns in parts.
fn fall(rigid: &Rigid, pose: Pose, twist: Twist, gravity: Vec3, h: f64) -> (Pose, Twist) {
    let vel = twist.vel + gravity * h;
    let momentum = pose.rot * (rigid.inertia * (pose.rot.conjugate() * twist.omega));
    let omega_in = |rot: Quat| rot * (rigid.inv_inertia * (rot.conjugate() * momentum));
    let parts = (twist.omega.length() * h / TURN).ceil().clamp(1.0, PARTS);
    let part = h / parts;
    let mut rot = pose.rot;
    for _ in 0..parts as u32 {
        let half_way = turned(rot, omega_in(rot) * (0.5 * part));
        rot = turned(rot, omega_in(half_way) * part);
    }
    (Pose { pos: pose.pos + vel * h, rot }, Twist { vel, omega: omega_in(rot) })
}

/// The twist of a tool after `h` under its coupling, by backward Euler, so that any stiffness is stable:
/// (m + h c + h² k) v⁺ = m v + h k (target⁺ − x) + h c v_target, and likewise for the turn.
fn follow(
    rigid: &Rigid,
    tool: &Tool,
    coupling: &Coupling,
    (pose, twist): (Pose, Twist),
    lead: &Lead,
    h: f64,
) -> Twist {
    let (center, center_vel) = led_center(tool, lead);
    let (k, c) = (coupling.stiffness, coupling.damping_of(rigid.mass));
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
