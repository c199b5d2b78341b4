//! Respond: rows are answered. Each response consumes the same rows and knows nothing of shapes.

pub mod augmented_lagrangian;
pub mod carried;
pub mod displacement_velocity;
pub mod grip;
pub mod penetration;
pub mod qp;

use crate::body::{Substep, solid};
use crate::params::{Filter, Response};
use crate::report::StepReport;
use crate::row::{Node, Row, place};
use crate::scratch::{Mobility, Scratch};
use crate::state::{State, Twist};
use crate::{Real, Vec3, detect, filter, model::Pose};
use serosa_geometry::rotation::from_rotation_vector;

/// The stage: corrects `scratch` by its rows, and by what the jaws of tools hold.
pub(crate) fn answer(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    if sub.params.response == Response::AugmentedLagrangian {
        return augmented_lagrangian::answer(sub, state, scratch, report);
    }
    if sub.params.response == Response::Qp {
        return qp::answer(sub, state, scratch, report);
    }
    let presses = sub.params.response.presses();
    if presses {
        carried::prepare(sub, scratch);
    }
    let Scratch { pos, vel, pose, twist, inv_mass, felt_inv_mass, rigid_mobility, carried, rows, .. } =
        scratch;
    let (row_work, shares, grip_work) = (&mut scratch.row_work, &mut scratch.shares, &mut scratch.grip_work);
    let inv_mass = if presses { felt_inv_mass } else { inv_mass };
    let mut motion = Motion { pos, vel, pose, twist, inv_mass, rigid_mobility, carried };
    match sub.params.response {
        Response::DisplacementVelocity | Response::Projection | Response::ConsistentPenetration => {
            displacement_velocity::prepare(&motion, rows, row_work);
        }
        Response::AugmentedLagrangian | Response::Qp | Response::Ignore => row_work.clear(),
    }
    if presses {
        penetration::prepare((sub, state, &scratch.tissues), &motion, rows, row_work, shares);
    }
    grip::prepare(sub, &state.grips, grip_work);
    for _ in 0..sub.sweeps {
        if presses {
            penetration::sweep_velocities(&mut motion, row_work, sub.h);
        } else {
            displacement_velocity::sweep(&mut motion, row_work, sub.h);
        }
        grip::sweep(&mut motion, grip_work, sub.h);
    }
    if presses {
        penetration::follow(&mut motion, row_work, sub.h);
        // What jaws hold has moved with the rest.
        grip::sweep(&mut motion, grip_work, sub.h);
        carried::spread(sub, &mut motion, &scratch.found_pos);
        (0..sub.sweeps).for_each(|_| penetration::sweep_positions(&mut motion, row_work, shares));
    }
    displacement_velocity::store(rows, row_work);
    grip::slip(sub, &motion, state, grip_work, report);
}

/// Whether a response goes on, since the filter has stopped something, or something has come near that has no row.
pub(crate) fn would_go_on(sub: &Substep, state: &State, scratch: &Scratch) -> bool {
    sub.params.response == Response::AugmentedLagrangian
        && (filter::stops_far(sub, state, scratch) || filter::leaves_unanswered(sub, state, scratch))
}

/// The stage goes on with the rows of that.
pub(crate) fn go_on(sub: &Substep, state: &State, scratch: &mut Scratch, report: &mut StepReport) {
    augmented_lagrangian::go_on(sub, state, scratch, report);
}

/// When no more rows are found: velocities are what the response did, whatever of it is then clipped.
pub(crate) fn velocities(sub: &Substep, state: &mut State, scratch: &mut Scratch) {
    if sub.params.response == Response::AugmentedLagrangian {
        augmented_lagrangian::velocities(sub, state, scratch);
    }
}

/// The end of the stage, where everything is in the end: the inside of what the filter has stopped follows its surface, momenta
/// are those that impulses explain, and the next step gets what it is to know.
pub(crate) fn close(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    if sub.params.response == Response::AugmentedLagrangian {
        if filter::stops(scratch) {
            solid::follow(sub, state, scratch);
        }
        augmented_lagrangian::close(sub, state, scratch, report);
    }
}

/// The most negative gap of the rows where the substep ends \[m\]; 0 when nothing overlaps.
pub(crate) fn deepest(sub: &Substep, scratch: &Scratch) -> Real {
    let Scratch { rows, pos, pose, found_radius: radius, .. } = scratch;
    // A row keeps its normal: what goes fast past an edge is not as deep as it has it.
    let whole = sub.params.filter == Filter::Planes;
    let places = detect::Places { pos, pose, radius };
    let measured =
        |row: &Row| whole.then(|| detect::gap(sub.model, places, (row.key.a, row.key.b))).flatten();
    rows.iter()
        .map(|row| (row, row.gap_at(pos, pose)))
        .filter(|(_, gap)| *gap < 0.0)
        .map(|(row, gap)| measured(row).map_or(gap, |found| found.max(gap)))
        .fold(0.0, Real::min)
}

/// Positions and velocities that a response may change, and how the nodes answer impulses.
pub struct Motion<'a> {
    /// One per vertex \[m\].
    pub pos: &'a mut [Vec3],
    /// One per vertex \[m/s\].
    pub vel: &'a mut [Vec3],
    /// One per rigid frame.
    pub pose: &'a mut [Pose],
    /// One per rigid frame.
    pub twist: &'a mut [Twist],
    /// One per vertex \[1/kg\].
    pub inv_mass: &'a [Real],
    /// One per rigid frame.
    pub rigid_mobility: &'a [Mobility],
    /// One per body; empty where the response passes nothing on.
    pub carried: &'a mut [carried::Carried],
}

impl Motion<'_> {
    /// Where a node is \[m\].
    #[inline]
    pub fn place(&self, node: Node) -> Vec3 {
        place(node, self.pos, self.pose)
    }

    /// Velocity of a node \[m/s\].
    #[inline]
    pub fn velocity(&self, node: Node) -> Vec3 {
        match node {
            Node::Vertex(v) => self.vel[v.at()],
            Node::Rigid(r, local) => {
                let twist = &self.twist[r.at()];
                twist.vel + twist.omega.cross(self.pose[r.at()].rot * local)
            }
        }
    }

    /// Speed along `dir` that a unit impulse along `dir` gives the node \[1/kg\].
    #[inline]
    pub fn mobility(&self, node: Node, dir: Vec3) -> Real {
        match node {
            Node::Vertex(v) => self.inv_mass[v.at()],
            Node::Rigid(r, local) => {
                let (mobility, rot) = (&self.rigid_mobility[r.at()], self.pose[r.at()].rot);
                let torque = rot.conjugate() * (rot * local).cross(dir);
                mobility.inv_mass + torque.dot(mobility.inv_inertia * torque)
            }
        }
    }

    /// Changes velocities by an impulse at the node \[N s\].
    #[inline]
    pub fn push_velocity(&mut self, node: Node, impulse: Vec3) {
        match node {
            Node::Vertex(v) => self.vel[v.at()] += impulse * self.inv_mass[v.at()],
            Node::Rigid(r, local) => {
                let turn = self.turn(r.at(), local, impulse);
                let twist = &mut self.twist[r.at()];
                twist.vel += impulse * self.rigid_mobility[r.at()].inv_mass;
                twist.omega += turn;
            }
        }
    }

    /// Changes positions as the impulse would change velocities \[kg m\].
    #[inline]
    pub fn push_position(&mut self, node: Node, impulse: Vec3) {
        match node {
            Node::Vertex(v) => self.pos[v.at()] += impulse * self.inv_mass[v.at()],
            Node::Rigid(r, local) => {
                let turn = self.turn(r.at(), local, impulse);
                let pose = &mut self.pose[r.at()];
                pose.pos += impulse * self.rigid_mobility[r.at()].inv_mass;
                pose.rot = (from_rotation_vector(turn) * pose.rot).normalize();
            }
        }
    }

    fn turn(&self, r: usize, local: Vec3, impulse: Vec3) -> Vec3 {
        let rot = self.pose[r].rot;
        rot * (self.rigid_mobility[r].inv_inertia * (rot.conjugate() * (rot * local).cross(impulse)))
    }
}
