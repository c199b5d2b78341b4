//! Bodies: free motion and the end of a substep.
//!
//! Each body model knows its free motion, its energy and its forces. The spring body's published integrator
//! knows nothing of contacts, so its whole implicit solve belongs to Predict, and the responses correct it
//! afterwards.

pub mod band;
pub mod flexible;
pub mod rigid;
pub mod solid;
pub mod springs;
pub mod system;
pub mod tissue;

mod curve;

use crate::model::{BodyKind, Model};
use crate::params::{Filter, Params, Response};
use crate::report::StepReport;
use crate::row::Row;
use crate::state::State;
use crate::{Real, Scratch, Vec3};

/// How much of [`State::ahead`] is left to the next substep when nothing was held back.
const LOOKOUT: Real = 0.8;

/// What the bodies are told of a substep.
pub(crate) struct Substep<'a> {
    pub(crate) model: &'a Model,
    pub(crate) params: &'a Params,
    /// Its length \[s\].
    pub(crate) h: Real,
    /// Passes of iterative solvers.
    pub(crate) sweeps: u32,
}

/// Predict: the motion every body would make if nothing touched it, into `scratch`.
pub(crate) fn predict(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    // Free motion knows no rows, not even those of another response in an earlier step.
    scratch.touching.clear();
    scratch.links.clear();
    let together = sub.params.response == Response::Qp;
    if together {
        system::predict(sub, state, scratch);
    }
    for (b, body) in sub.model.bodies.iter().enumerate() {
        match &body.kind {
            kind if together && (system::moved_together(kind) || matches!(kind, BodyKind::Rigid(_))) => {}
            BodyKind::Springs(springs) => springs::predict(sub, b, springs, state, scratch),
            BodyKind::Band(band) => band::predict(sub, b, band, state, scratch),
            BodyKind::Tissue(tissue) => tissue::predict(sub, b, tissue, state, scratch),
            BodyKind::Rigid(r) => rigid::predict(sub, *r, state, scratch),
            BodyKind::Flexible(body) => flexible::predict(sub, b, body, state, scratch, report),
            BodyKind::Solid(_) => {}
        }
    }
    if !together {
        solid::predict(sub, state, scratch);
    }
}

/// Whether a soft body that descends with rows was held up in the last substep: by these, or where it is fixed.
pub(crate) fn is_carried(sub: &Substep, b: usize, state: &State) -> bool {
    let (model, vertices) = (sub.model, sub.model.bodies[b].vertex_range());
    let body = |prim: crate::PrimId| model.prims[prim.at()].body.at();
    sub.params.response == Response::AugmentedLagrangian
        && (model.inv_mass[vertices].contains(&0.0)
            || state.kept.iter().any(|kept| body(kept.key.a) == b || body(kept.key.b) == b))
}

/// Finish: takes the new positions and velocities over, after drag; sums the contact forces.
pub(crate) fn finish(sub: &Substep, state: &mut State, scratch: &mut Scratch) {
    let (model, params) = (sub.model, sub.params);
    for (b, body) in model.bodies.iter().enumerate() {
        let keep = 1.0 / (1.0 + sub.h * params.bodies[b].drag);
        let range = body.vertex_range();
        if params.bodies[b].drag > 0.0 {
            scratch.vel[range].iter_mut().for_each(|v| *v *= keep);
            if let BodyKind::Rigid(r) = body.kind {
                scratch.twist[r.at()].vel *= keep;
                scratch.twist[r.at()].omega *= keep;
            }
        }
    }
    for (t, tool) in model.tools.iter().enumerate() {
        let r = tool.rigid.at();
        let force = || {
            let (frame, coupling) = (&model.rigids[r], &params.couplings[t]);
            let goes = (&state.pose[r], &scratch.twist[r], sub.h);
            rigid::hand_force(frame, tool, coupling, goes, &state.leads[t])
        };
        scratch.hand_force[t] = if state.frozen[tool.body.at()] { Vec3::ZERO } else { force() };
    }
    state.pos.copy_from_slice(&scratch.pos);
    state.vel.copy_from_slice(&scratch.vel);
    state.pose.copy_from_slice(&scratch.pose);
    state.twist.copy_from_slice(&scratch.twist);
    // What was seen too late once is looked out for a while longer.
    if params.filter != Filter::Off {
        for (ahead, wanted) in
            state.ahead.iter_mut().zip(scratch.planes.look_out(model, &scratch.reach, &scratch.rows))
        {
            let wanted = wanted.max(LOOKOUT * *ahead);
            *ahead = if wanted < 1e-5 { 0.0 } else { wanted };
        }
    }
    state.radius.iter_mut().zip(&scratch.growth).for_each(|(r, more)| *r += more);
    for row in &scratch.rows {
        let force = push(row) / params.dt_s;
        scratch.contact_force[model.prims[row.key.a.at()].body.at()] += force;
        scratch.contact_force[model.prims[row.key.b.at()].body.at()] -= force;
    }
}

/// The impulse of a row on its side A \[N s\].
pub fn push(row: &Row) -> Vec3 {
    row.normal * row.lambda + row.slip
}

/// Elastic force on every vertex at given positions \[N\], added to `out`. For tests and probes: the frame
/// works with impulses.
pub fn forces(model: &Model, params: &Params, pos: &[Vec3], out: &mut [Vec3]) {
    for (b, body) in model.bodies.iter().enumerate() {
        match &body.kind {
            BodyKind::Springs(s) => springs::forces(&model.springs[s.springs()], &params.bodies[b], pos, out),
            BodyKind::Band(band) => band::forces(model, band, &params.bodies[b], pos, out),
            BodyKind::Tissue(tissue) => tissue::forces(model, tissue, b, &params.bodies[b], pos, out),
            BodyKind::Solid(solid) => solid::forces(model, solid, &params.bodies[b], pos, out),
            BodyKind::Flexible(_) | BodyKind::Rigid(_) => {}
        }
    }
    solid::tie_forces(model, pos, out);
}
