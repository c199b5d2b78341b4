//! Bodies and rows descend one potential together: augmented-Lagrangian contact with a friction cone.
//!
//! Each row pushes with max(0, λ − k·gap), where the multiplier λ is what it pushed with before: the stiffness k
//! only has to catch changes, so a resting contact holds its gap exactly with a soft k. After each sweep λ takes
//! over the push. Friction keeps an anchor, the place where sticking began, and pulls back to it within the cone
//! μλ; a row that slides drags its anchor along at the end of the step. (Not after each sweep: a row would then stick
//! to wherever an unfinished solve has taken it, and a rope on a slope creep.) Multipliers and anchors are saved with
//! the state.
//!
//! The mathematics is that of the incremental potential with rows as in the augmented vertex-block descent of
//! Giles et al. (2025); what differs is that bands and solids may descend as a whole.

mod gauge;
pub(crate) mod links;
mod memory;
pub(crate) mod momentum;
mod node;
mod prepare;
mod rigid;
mod touching;

pub(crate) use gauge::Passes;
pub use links::Links;
pub(crate) use links::{Contacts, each_vertex};
pub(crate) use memory::Memory;
pub(crate) use node::Local;
pub use touching::{Answer, Axes, Touching};

use crate::body::{Substep, band, flexible, solid, springs, tissue};
use crate::model::BodyKind;
use crate::report::StepReport;
pub use crate::row::REST_GAP;
use crate::scratch::Scratch;
use crate::state::{State, Twist};
use crate::{Real, filter};
use serosa_geometry::rotation::to_rotation_vector;
use touching::Source;

/// The filter clips after the first of so many sweeps, so that the others see where things cannot go.
const CLIP_EACH: u32 = 4;
/// The sweeps with which a response goes on, as a share of those of a substep.
const AGAIN: u32 = 2;

/// Sweeps that are made beyond those asked for, at most: each leaves about a third of what a row throws with.
const MORE: u32 = 12;

/// How much of a multiplier is handed to the next step.
const FADE: Real = 0.99;

/// Sweeps in which every body descends, every row updates and the filter clips.
pub(super) fn answer(sub: &Substep, state: &State, scratch: &mut Scratch, report: &mut StepReport) {
    scratch.target_pose.copy_from_slice(&scratch.pose);
    scratch.target_twist.copy_from_slice(&scratch.twist);
    prepare::prepare(sub, state, (&state.kept, FADE), scratch);
    solid::start(sub, state, scratch);
    springs::start(sub, state, scratch);
    tissue::start(sub, state, scratch);
    flexible::start(sub, state, scratch);
    sweeps(sub, state, scratch, (0, sub.sweeps));
    end_sweeps(sub, state, scratch, report);
}

/// Goes on from where everything is, with the rows of a search made again.
pub(super) fn go_on(sub: &Substep, state: &State, scratch: &mut Scratch, report: &mut StepReport) {
    let mut kept = std::mem::take(&mut scratch.kept);
    kept.clear();
    let places = (&scratch.pos[..], &scratch.pose[..]);
    kept.extend(scratch.touching.iter().filter_map(|work| work.kept(places)));
    prepare::prepare(sub, state, (&kept, 1.0), scratch);
    scratch.kept = kept;
    flexible::start(sub, state, scratch);
    let more = sub.sweeps.div_ceil(AGAIN);
    sweeps(sub, state, scratch, (sub.sweeps, sub.sweeps + more));
    end_sweeps(sub, state, scratch, report);
}

/// Momenta from what rows pushed with, and what the next step is to know. Where everything is in the end: impulses are given
/// there, and moments about other places would be none that are kept.
pub(super) fn close(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    momentum::settle(sub, state, scratch);
    tell_rows(sub, scratch);
    store(sub, state, scratch, report);
}

/// So many sweeps, and more as long as a row throws its sides apart.
fn sweeps(sub: &Substep, state: &State, scratch: &mut Scratch, (first, end): (u32, u32)) {
    scratch.passes.clear();
    for sweep in first..end + MORE {
        if sweep >= end && !throws(scratch) {
            break;
        }
        gauge::before(sub, scratch, (sweep - first, end - first));
        // Frames first: what is soft is to follow them to where rows let them go, not to where they would be without.
        for (b, body) in sub.model.bodies.iter().enumerate() {
            if let BodyKind::Rigid(r) = body.kind {
                rigid::descend(sub, b as u32, r, scratch);
            }
        }
        solid::descend_inside(sub, state, scratch, sweep, |scratch| descend_bands(sub, state, scratch));
        for (b, body) in sub.model.bodies.iter().enumerate() {
            match &body.kind {
                BodyKind::Rigid(r) => rigid::descend(sub, b as u32, *r, scratch),
                BodyKind::Springs(body) => springs::descend(sub, b, body, state, scratch),
                BodyKind::Solid(body) => solid::descend_touched(sub, (b, body), state, scratch),
                BodyKind::Flexible(body) => flexible::descend(sub, b, body, state, scratch),
                BodyKind::Tissue(body) => tissue::descend(sub, b, body, state, scratch),
                BodyKind::Band(_) => {}
            }
        }
        // The last clip is the Filter stage.
        if (sweep - first).is_multiple_of(CLIP_EACH) && sweep + 1 < end {
            filter::clip_on_the_way(sub, state, scratch);
        }
        let Scratch { pos, pose, touching, .. } = scratch;
        for row in touching.iter_mut() {
            row.update(row.between(pos, pose));
        }
    }
}

/// Whether a row pushes that has opened by more than its gap at rest: what it learnt against something that has gone would
/// throw its sides. O(rows)
fn throws(scratch: &Scratch) -> bool {
    scratch.touching.iter().any(Touching::throws)
}

/// All positions are where the response would have them, and rows know their impulses.
fn end_sweeps(sub: &Substep, state: &State, scratch: &mut Scratch, report: &mut StepReport) {
    flexible::spread(sub, state, scratch);
    solid::settle(sub, state, scratch);
    tissue::settle(sub, state, scratch);
    tell_rows(sub, scratch);
    let (error, moved) = gauge::after(sub, scratch);
    report.residual_m = Some(moved.max(report.residual_m.unwrap_or(0.0)));
    report.error = Some(error.after(report.error.unwrap_or_default()));
}

/// Rows know what they pushed with; they are found by their keys, since a search may have been made again.
fn tell_rows(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { rows, touching, .. } = scratch;
    for work in touching.iter() {
        if let Some(key) = work.row()
            && let Ok(i) = rows.binary_search_by_key(&key, |row| row.key)
        {
            (rows[i].lambda, rows[i].slip) = (work.told.0 * sub.h, work.told.1 * sub.h);
        }
    }
}

/// Bands see of other bodies what rows hold, and so nothing of the insides of solids.
fn descend_bands(sub: &Substep, state: &State, scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate() {
        if let BodyKind::Band(band) = &body.kind {
            band::descend(sub, b, band, state, scratch);
        }
    }
}

/// Velocities are what the positions did.
pub(super) fn velocities(sub: &Substep, state: &mut State, scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate() {
        match body.kind {
            BodyKind::Band(_) | BodyKind::Springs(_) | BodyKind::Tissue(_) => {
                for v in body.vertex_range() {
                    scratch.vel[v] = (scratch.pos[v] - state.pos[v]) / sub.h;
                }
                if let BodyKind::Springs(springs) = &body.kind {
                    springs::finish(sub, b, springs, scratch);
                }
            }
            BodyKind::Rigid(r) if !state.frozen[b] => {
                let (pose, free) = (&scratch.pose[r.at()], &scratch.target_pose[r.at()]);
                // Not the twist of now: the filter may have clipped on the way.
                let before = &scratch.target_twist[r.at()];
                scratch.twist[r.at()] = Twist {
                    vel: before.vel + (pose.pos - free.pos) / sub.h,
                    omega: before.omega + to_rotation_vector(pose.rot * free.rot.conjugate()) / sub.h,
                };
            }
            BodyKind::Solid(ref solid) => solid::finish(sub, (b, solid), state, scratch),
            _ => {}
        }
    }
}

/// Multipliers and anchors go to the state, and grips that cannot hold slip.
fn store(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { pos, pose, touching, .. } = scratch;
    state.kept.clear();
    for work in touching.iter() {
        match work.source {
            Source::Row(..) => state.kept.extend(work.kept((pos, pose))),
            Source::Grip(i) => {
                let grip = &mut state.grips[i as usize];
                grip.pull = work.drag;
                if work.drag.length() >= 0.999 * work.limit {
                    grip.slipped += work.between.length();
                    let tool = &sub.model.tools[grip.tool.at()];
                    grip.at = pose[tool.rigid.at()].local(work.sides[0].place(pos, pose));
                }
            }
        }
    }
    let before = state.grips.len();
    state.grips.retain(|g| g.slipped <= sub.model.tools[g.tool.at()].reach);
    report.slipped_out += (before - state.grips.len()) as u32;
    // Near pairs that did not push touched nothing.
    report.contacts = state.kept.len() as u32;
}
