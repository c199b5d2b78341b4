//! Guard: a body that runs away, is not finite or could not be computed is rolled back, frozen and reported.

use crate::model::{BodyKind, Model};
use crate::params::{Guard, Params};
use crate::report::StepReport;
use crate::state::{State, Twist};
use crate::{BodyId, Scratch, Vec3};

/// Takes bodies that left the bounds out of the motion: their positions become those before the step, their
/// velocities zero, and they stand fixed from now on while the others go on.
pub(crate) fn check(
    model: &Model,
    params: &Params,
    state: &mut State,
    scratch: &Scratch,
    report: &mut StepReport,
) {
    for (b, body) in model.bodies.iter().enumerate() {
        let sound = || sound(&params.guard, state, &body.kind, body.vertex_range());
        if state.frozen[b] || !scratch.lost[b] && sound() {
            continue;
        }
        for v in body.vertex_range() {
            (state.pos[v], state.vel[v]) = (scratch.before.pos[v], Vec3::ZERO);
        }
        if let BodyKind::Rigid(r) = body.kind {
            (state.pose[r.at()], state.twist[r.at()]) = (scratch.before.pose[r.at()], Twist::default());
        }
        for (i, _) in model.tools.iter().enumerate().filter(|(_, t)| t.body.at() == b) {
            state.leads[i] = scratch.before.leads[i];
        }
        state.frozen[b] = true;
        report.quarantined.push(BodyId::from(b));
    }
}

fn sound(guard: &Guard, state: &State, kind: &BodyKind, vertices: std::ops::Range<usize>) -> bool {
    // Written so that NaN is unsound.
    let near = |p: Vec3| p.length_squared() <= guard.reach_max * guard.reach_max;
    let slow = |v: Vec3| v.length_squared() <= guard.speed_max * guard.speed_max;
    let rigid = match kind {
        BodyKind::Rigid(r) => {
            let (pose, twist) = (&state.pose[r.at()], &state.twist[r.at()]);
            near(pose.pos) && slow(twist.vel) && pose.rot.is_finite() && twist.omega.is_finite()
        }
        BodyKind::Springs(_)
        | BodyKind::Band(_)
        | BodyKind::Tissue(_)
        | BodyKind::Solid(_)
        | BodyKind::Flexible(_) => true,
    };
    rigid && vertices.into_iter().all(|v| near(state.pos[v]) && slow(state.vel[v]))
}
