//! Jaws: held vertices are kept where they are held, with a bounded force; beyond it they slip, and in the end
//! slip out.

use super::Motion;
use crate::body::Substep;
use crate::body::solid::solid_of;
use crate::report::StepReport;
use crate::row::Node;
use crate::state::{Grip, State};
use crate::{Real, Vec3};

/// A grip as the passes need it.
#[derive(Clone, Copy, Debug)]
pub struct GripWork {
    vertex: Node,
    held: Node,
    /// Largest impulse in this substep \[N s\].
    limit: Real,
    /// Impulse on the vertex so far \[N s\].
    impulse: Vec3,
    /// A solid and its tool have felt each other while it descended.
    felt: bool,
}

/// Prepares the grips of a substep. The strength of a tool is shared by the vertices it holds.
pub(super) fn prepare(sub: &Substep, grips: &[Grip], work: &mut Vec<GripWork>) {
    work.clear();
    for grip in grips {
        let tool = &sub.model.tools[grip.tool.at()];
        let shares = grips.iter().filter(|g| g.tool == grip.tool).count();
        let felt = solid_of(sub.model, grip.vertex).is_some();
        work.push(GripWork {
            vertex: Node::Vertex(grip.vertex),
            held: Node::Rigid(tool.rigid, grip.at),
            limit: tool.strength * sub.h / shares as Real,
            impulse: if felt { grip.pull * sub.h } else { Vec3::ZERO },
            felt,
        });
    }
}

/// One pass: each vertex is drawn back to where it is held, positions and velocities together, as far as the
/// strength allows.
pub(super) fn sweep(motion: &mut Motion, work: &mut [GripWork], h: Real) {
    for grip in work.iter_mut().filter(|grip| !grip.felt) {
        let away = motion.place(grip.vertex) - motion.place(grip.held);
        let distance = away.length();
        if !(distance > 1e-12 && distance.is_finite()) {
            continue;
        }
        let dir = away / distance;
        let softness = motion.mobility(grip.vertex, dir) + motion.mobility(grip.held, dir);
        if softness <= 0.0 {
            continue;
        }
        let wanted = grip.impulse - away / (softness * h);
        let size = wanted.length();
        let allowed = if size > grip.limit { wanted * (grip.limit / size) } else { wanted };
        let more = allowed - grip.impulse;
        grip.impulse = allowed;
        motion.push_velocity(grip.vertex, more);
        motion.push_position(grip.vertex, more * h);
        motion.push_velocity(grip.held, -more);
        motion.push_position(grip.held, -more * h);
    }
}

/// After the last pass: a vertex that could not be held is held where it now is; one that has slipped farther
/// than the jaws reach is let go.
pub(super) fn slip(
    sub: &Substep,
    motion: &Motion,
    state: &mut State,
    work: &[GripWork],
    report: &mut StepReport,
) {
    let mut k = 0;
    state.grips.retain_mut(|grip| {
        let (done, tool) = (&work[k], &sub.model.tools[grip.tool.at()]);
        k += 1;
        if done.impulse.length() < 0.999 * done.limit {
            return true;
        }
        let place = motion.place(done.vertex);
        grip.slipped += (place - motion.place(done.held)).length();
        grip.at = motion.pose[tool.rigid.at()].local(place);
        let holds = grip.slipped <= tool.reach;
        report.slipped_out += u32::from(!holds);
        holds
    });
}
