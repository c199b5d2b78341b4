//! Jaws: a held vertex goes where the tool that holds it goes, three equalities, as long as its share of the strength
//! suffices. Beyond it the jaws pull with all they have and the vertex slips.

use super::{Build, Constraint};
use crate::body::Substep;
use crate::report::StepReport;
use crate::row::{Node, Slot};
use crate::state::State;
use crate::{Model, Real, RigidId, Scratch, ToolId, Vec3, VertexId};

/// A vertex in jaws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    grip: u32,
    pub vertex: VertexId,
    pub tool: ToolId,
    rigid: RigidId,
    /// In the frame of the tool \[m\].
    at: Vec3,
    /// Most impulse in this substep \[N s\].
    limit: Real,
    /// On the vertex \[N s\].
    pub impulse: Vec3,
    /// Whether it pulls with all it has.
    pub slips: bool,
}

pub(super) fn begin(model: &Model, state: &State, h: Real, holds: &mut Vec<Hold>) {
    holds.clear();
    for (i, grip) in state.grips.iter().enumerate() {
        let tool = &model.tools[grip.tool.at()];
        let shares = state.grips.iter().filter(|g| g.tool == grip.tool).count();
        holds.push(Hold {
            grip: i as u32,
            vertex: grip.vertex,
            tool: grip.tool,
            rigid: tool.rigid,
            at: grip.at,
            limit: tool.strength * h / shares as Real,
            impulse: grip.pull * h,
            slips: false,
        });
    }
}

/// Jaws that hold more than they can slip; whether any does that did not.
pub(super) fn look_again(holds: &mut [Hold]) -> bool {
    let mut changed = false;
    for hold in holds.iter_mut().filter(|h| !h.slips) {
        let size = hold.impulse.length();
        if size > hold.limit * (1.0 + 1e-9) {
            (hold.impulse, hold.slips, changed) = (hold.impulse * (hold.limit / size), true, true);
        }
    }
    changed
}

/// What jaws pulled with goes to the state; what slipped is held where it now is, or let go.
pub(super) fn store(
    sub: &Substep,
    state: &mut State,
    scratch: &Scratch,
    holds: &[Hold],
    report: &mut StepReport,
) {
    for hold in holds {
        let (grip, pose) = (&mut state.grips[hold.grip as usize], &scratch.pose[hold.rigid.at()]);
        grip.pull = hold.impulse / sub.h;
        if hold.slips {
            let place = scratch.pos[hold.vertex.at()];
            grip.slipped += (place - pose.point(hold.at)).length();
            grip.at = pose.local(place);
        }
    }
    let before = state.grips.len();
    state.grips.retain(|g| g.slipped <= sub.model.tools[g.tool.at()].reach);
    report.slipped_out += (before - state.grips.len()) as u32;
}

impl Build<'_> {
    pub(super) fn hold(&mut self, i: u32, hold: &Hold, h: Real, load: &mut [Real]) {
        let ends = [(Node::Vertex(hold.vertex), 1.0), (Node::Rigid(hold.rigid, hold.at), -1.0)];
        let slots = || ends.into_iter().map(|(node, weight)| Slot { node, weight });
        if hold.slips {
            for term in self.terms(slots(), hold.impulse) {
                let at = 3 * term.vertex as usize;
                (0..3).for_each(|d| load[at + d] += term.direction[d]);
            }
            return;
        }
        let place = self.state.pose[hold.rigid.at()].point(hold.at);
        let away = place - self.state.pos[hold.vertex.at()];
        for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let source = Constraint::Held(i, k as u8);
            self.push(slots(), axis, (away[k] / h, true), (source, hold.impulse[k]));
        }
    }
}
