//! Guard: a body that runs away is held for a while, told, and given back.
//!
//! Looked at is, at the start of a step, what came from outside; and where a substep would end, before anything of it is taken
//! over, what it led to. A body that is not a number there, too fast, out of bounds or not to be computed is held: it stands
//! fixed where the substep began, where it was apart from everything, and the substep is made again. So all others meet it
//! standing still, the filter certifies what is left, and what its running away did to them is gone with it.
//!
//! It is held for [`FIRST_S`], then given back without velocity, in the shape in which it was last sound. Each time that it runs
//! away again before it was sound for [`MOST_S`] it is held twice as long, up to [`MOST_S`]; from the [`RESHAPED`]th time on it is
//! given back in its shape at rest, if that fits somewhere without overlap, and is held on if not. Who runs the
//! world may give it back at once ([`Input::release`]).

mod rest;
mod start;

pub(crate) use start::Start;

use crate::body::Substep;
use crate::energy::{EnergyKind, body_energy};
use crate::model::{Body, BodyKind, Model, Pose, Rigid};
use crate::params::Guard;
use crate::report::{Held, StepReport};
use crate::state::{State, Twist};
use crate::{BodyId, Input, Real, Scratch, Vec3, World};
use serde::{Deserialize, Serialize};

/// How long a body is held that has run away once \[s\].
pub const FIRST_S: Real = 0.05;
/// How long a body is held at most, and how long it must stay sound for its past to be forgotten \[s\].
pub const MOST_S: Real = 1.6;
/// From this time on a body is given back in its shape at rest: the one that it ran away from does not hold.
pub const RESHAPED: u32 = 4;
/// The fewest steps for which a body is held.
const FEWEST: u32 = 4;
/// A substep that was made again so often is made once more with nothing moving.
const AGAIN: u32 = 8;

/// Why a body is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// A position or velocity is not a number.
    NotFinite,
    /// Something of it was faster than [`Guard::speed_max`].
    TooFast,
    /// Something of it was farther away than [`Guard::reach_max`].
    OutOfBounds,
    /// Its motion could not be computed.
    NotComputed,
}

impl Fault {
    /// What it did, as the end of a sentence about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotFinite => "was not a number",
            Self::TooFast => "was too fast",
            Self::OutOfBounds => "went out of bounds",
            Self::NotComputed => "could not be computed",
        }
    }
}

/// What the guard remembers of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Steps for which it is still held; 0 where it is not.
    pub left: u32,
    /// How often it ran away, each time soon after the last.
    pub times: u32,
    /// Steps since it was given back, while `times` is remembered.
    pub calm: u32,
    /// Why it was last held.
    pub why: Option<Fault>,
    /// Whether it is held on because its shape at rest does not fit anywhere.
    pub stuck: bool,
}

impl Hold {
    /// Whether it stands fixed.
    pub fn is_held(&self) -> bool {
        self.left > 0
    }
}

/// For how many steps of `dt_s` a body is held that has run away so often.
pub fn steps_held(dt_s: Real, times: u32) -> u32 {
    let doubled = FIRST_S * Real::from(1_u32 << times.saturating_sub(1).min(16));
    in_steps(dt_s, doubled.min(MOST_S))
}

/// A time in steps; the cast saturates.
fn in_steps(dt_s: Real, time_s: Real) -> u32 {
    ((time_s / dt_s).ceil() as u32).max(FEWEST)
}

/// At the start of a step: bodies are given back whose time is up, or that someone asks for, and what came from outside is
/// looked at. O(vertices)
pub(crate) fn begin(world: &mut World, input: &Input) {
    for b in 0..world.model.bodies.len() {
        let by_hand = input.release == Some(BodyId::from(b));
        let dt_s = world.params.dt_s;
        let (is_frozen, hold) = (world.state.frozen[b], &mut world.state.holds[b]);
        if hold.is_held() {
            hold.left -= 1;
            if hold.left == 0 || by_hand {
                give_back(world, b, by_hand);
            }
        } else if is_frozen {
            // Not ours: who froze it from outside has to take that back.
            continue;
        } else if hold.times > 0 {
            hold.calm += 1;
            if hold.calm >= in_steps(dt_s, MOST_S) {
                *hold = Hold::default();
            }
        }
        let World { model, params, state, .. } = world;
        if let Some(why) = fault(&params.guard, model, b, &Moving::of(state)) {
            // Only where it is from outside: no step ends beyond the bounds.
            let placed = in_bounds(&params.guard, model, b, state);
            hold_on(world, b, why);
            if !placed {
                measured(world, b, |world| rest::lay_anyhow(world, b));
            }
        }
    }
}

/// Gives a body back; held on is what runs away again and again and whose shape at rest does not fit, but for what someone
/// asks for.
fn give_back(world: &mut World, b: usize, by_hand: bool) {
    let again = world.state.holds[b].times >= RESHAPED;
    let mut fits = true;
    if again {
        measured(world, b, |world| fits = rest::lay(world, b));
    }
    let World { params, state, report, .. } = world;
    let hold = &mut state.holds[b];
    hold.stuck = !fits;
    if fits || by_hand {
        (hold.left, hold.calm, hold.stuck) = (0, 0, false);
        state.frozen[b] = false;
        report.released.push(BodyId::from(b));
    } else {
        hold.left = in_steps(params.dt_s, MOST_S);
    }
}

/// After free motion: notes whose is not sound. It may yet be stopped by what is in its way; but of several that are not sound
/// in the end these are to blame. O(vertices)
pub(crate) fn look_ahead(sub: &Substep, scratch: &mut Scratch) {
    let mut wild = std::mem::take(&mut scratch.start.wild);
    wild.clear();
    let Scratch { pos, vel, pose, twist, .. } = &*scratch;
    let free = Moving { pos, vel, pose, twist };
    let bodies = 0..sub.model.bodies.len();
    wild.extend(bodies.map(|b| fault(&sub.params.guard, sub.model, b, &free).is_some()));
    scratch.start.wild = wild;
}

/// Where a substep would end: true where all bodies are sound there. Otherwise those that are not are held where it began, and
/// it is to be made again. O(vertices)
pub(crate) fn contain(
    sub: &Substep,
    state: &mut State,
    scratch: &mut Scratch,
    report: &mut StepReport,
) -> bool {
    let guard = &sub.params.guard;
    let last = scratch.start.tries >= AGAIN;
    let (mut all_sound, mut any_held) = (true, false);
    // First those that ran away by themselves, and where there are none, all others.
    for (b, body, wild) in [true, false]
        .into_iter()
        .flat_map(|wild| sub.model.bodies.iter().enumerate().map(move |(b, body)| (b, body, wild)))
    {
        if state.frozen[b] || scratch.start.wild[b] != wild || !wild && any_held {
            continue;
        }
        let Scratch { pos, vel, pose, twist, .. } = &*scratch;
        let found = fault(guard, sub.model, b, &Moving { pos, vel, pose, twist });
        let lost = scratch.lost[b].then_some(Fault::NotComputed);
        if let Some(why) = found.or(lost) {
            (all_sound, any_held) = (false, any_held || wild);
            scratch.tally.losses.guard += if scratch.tally.on { motion(sub.model, body, state) } else { 0.0 };
            stop(sub.model, b, state);
            held(sub.params.dt_s, b, why, state, report);
        }
    }
    if all_sound {
        return true;
    }
    if last {
        // Bodies that run away one after the other for as long as one looks: in this step nothing moves any more.
        scratch.start.all_stand = true;
        state.frozen.fill(true);
    }
    scratch.start.restore(state, report);
    scratch.lost.fill(false);
    scratch.free(sub.model, state);
    false
}

/// Ends a step: what was stopped by nobody's fault goes on, and what is held is told.
pub(crate) fn tell(state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    if std::mem::take(&mut scratch.start.all_stand) {
        state.frozen.clone_from(&scratch.before.frozen);
        state.holds.iter().zip(&mut state.frozen).for_each(|(hold, frozen)| *frozen |= hold.is_held());
    }
    for (b, hold) in state.holds.iter().enumerate() {
        if let (true, Some(why)) = (hold.is_held(), hold.why) {
            let (body, times, left) = (BodyId::from(b), hold.times, hold.left);
            report.held.push(Held { body, why, times, left, stuck: hold.stuck });
        }
    }
}

/// Holds a body where it is at the start of a step.
fn hold_on(world: &mut World, b: usize, why: Fault) {
    let World { model, params, state, scratch, report } = world;
    if scratch.tally.on {
        scratch.tally.losses.guard += motion(model, &model.bodies[b], state);
    }
    stop(model, b, state);
    held(params.dt_s, b, why, state, report);
}

/// Notes that a body is held from now on.
fn held(dt_s: Real, b: usize, why: Fault, state: &mut State, report: &mut StepReport) {
    let times = state.holds[b].times.saturating_add(1);
    state.holds[b] = Hold { left: steps_held(dt_s, times), times, calm: 0, why: Some(why), stuck: false };
    state.frozen[b] = true;
    report.quarantined.push(BodyId::from(b));
}

/// Takes the velocities of a body away.
fn stop(model: &Model, b: usize, state: &mut State) {
    let body = &model.bodies[b];
    state.vel[body.vertex_range()].fill(Vec3::ZERO);
    if let BodyKind::Rigid(r) = body.kind {
        state.twist[r.at()] = Twist::default();
    }
}

/// Does something to a body and enters what that takes of its energy as lost to the guard.
fn measured(world: &mut World, b: usize, act: impl FnOnce(&mut World)) {
    let energy = |world: &World| match world.scratch.tally.on {
        true => body_energy(world, BodyId::from(b), EnergyKind::Total),
        false => 0.0,
    };
    let before = energy(world);
    act(world);
    let taken = before - energy(world);
    world.scratch.tally.losses.guard += if taken.is_finite() { taken } else { 0.0 };
}

/// Energy of motion of what is finite of a body \[J\]. What has no inertia has none.
fn motion(model: &Model, body: &Body, state: &State) -> Real {
    let finite = |energy: Real| if energy.is_finite() { energy } else { 0.0 };
    match body.kind {
        BodyKind::Flexible(_) => 0.0,
        BodyKind::Rigid(r) => {
            let (rigid, twist) = (&model.rigids[r.at()], &state.twist[r.at()]);
            let spin = state.pose[r.at()].rot.conjugate() * twist.omega;
            let all = rigid.mass * twist.vel.length_squared() + spin.dot(rigid.inertia * spin);
            finite(0.5 * all)
        }
        _ => {
            let moving = body.vertex_range().filter(|v| model.inv_mass[*v] > 0.0);
            moving.map(|v| finite(0.5 * model.mass[v] * state.vel[v].length_squared())).sum()
        }
    }
}

/// Where things are and how they move.
struct Moving<'a> {
    pos: &'a [Vec3],
    vel: &'a [Vec3],
    pose: &'a [Pose],
    twist: &'a [Twist],
}

impl<'a> Moving<'a> {
    fn of(state: &'a State) -> Self {
        Self { pos: &state.pos, vel: &state.vel, pose: &state.pose, twist: &state.twist }
    }
}

/// What is wrong with a body, if anything.
fn fault(guard: &Guard, model: &Model, b: usize, at: &Moving) -> Option<Fault> {
    let body = &model.bodies[b];
    // Written so that NaN is unsound.
    let near = |p: Vec3| p.length_squared() <= guard.reach_max * guard.reach_max;
    let slow = |v: Vec3| v.length_squared() <= guard.speed_max * guard.speed_max;
    let frame = match body.kind {
        BodyKind::Rigid(r) => Some((&model.rigids[r.at()], &at.pose[r.at()], &at.twist[r.at()])),
        _ => None,
    };
    let turns = |rigid: &Rigid, pose: &Pose, twist: &Twist| {
        // So that the farthest corner is not too fast.
        pose.rot.is_finite() && twist.omega.is_finite() && slow(twist.omega * rigid.shape.arm())
    };
    let sound = frame
        .is_none_or(|(r, pose, twist)| near(pose.pos) && slow(twist.vel) && turns(r, pose, twist))
        && body.vertex_range().all(|v| near(at.pos[v]) && slow(at.vel[v]));
    if sound {
        return None;
    }
    let is_finite = body.vertex_range().all(|v| at.pos[v].is_finite() && at.vel[v].is_finite())
        && frame.is_none_or(|(_, pose, twist)| {
            pose.pos.is_finite() && pose.rot.is_finite() && twist.vel.is_finite() && twist.omega.is_finite()
        });
    let is_near = || frame.is_none_or(|f| near(f.1.pos)) && body.vertex_range().all(|v| near(at.pos[v]));
    Some(match is_finite {
        false => Fault::NotFinite,
        true if is_near() => Fault::TooFast,
        true => Fault::OutOfBounds,
    })
}

/// Whether a body is somewhere at all.
fn in_bounds(guard: &Guard, model: &Model, b: usize, state: &State) -> bool {
    let body = &model.bodies[b];
    let near = |p: Vec3| p.length_squared() <= guard.reach_max * guard.reach_max;
    let frame = match body.kind {
        BodyKind::Rigid(r) => near(state.pose[r.at()].pos) && state.pose[r.at()].rot.is_finite(),
        _ => true,
    };
    frame && body.vertex_range().all(|v| near(state.pos[v]))
}
