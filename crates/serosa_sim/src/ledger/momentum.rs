//! Momentum of what touches.
//!
//! Counted are the bodies that something pushes in the substep and that nothing holds: no fixed vertex, no wall, no tie, not
//! frozen. What they gain beside their weight, beside the force of the hand and beside the pushes of what is not counted, nothing
//! explains. Pushes between two that are counted cancel, and need not be known.
//!
//! The angular balance is taken about the middle of what pushes. Tools are not counted in it: a hand may hold them by any
//! torque. Moments are taken where things are at the end of the substep, and where they were at its start: an implicit step is exact in the
//! first, one whose angular momentum was mended in the second, and the drift of an integrator in free spin lies between them. So the error
//! is the least on the way from one to the other. About the line of what is slender, a rope, nothing is asked: its vertices hold no
//! spin about it.

use super::tally::{Impulse, each_impulse};
use crate::body::{Substep, rigid};
use crate::model::{BodyKind, Model};
use crate::respond::augmented_lagrangian::momentum::{acts_at, turns};
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3, World};

/// The scale is never less than this share of all momenta by size: what rounding does is no error.
const ROUNDING: Real = 1e-8;
/// Of axes that are orthonormal but for rounding.
const SQUARE: Real = 1e-6;

/// Momentum that nothing explains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unkept {
    /// As a share of the impulse exchanged.
    pub linear: Real,
    /// As a share of the impulse exchanged times the size of what exchanged it.
    pub angular: Real,
    /// The impulse exchanged where the linear one is worst \[N s\].
    pub exchanged: Real,
}

impl Unkept {
    /// The worse of each; what is not a number is worst.
    pub(super) fn take_worse(&mut self, other: &Self) {
        if other.linear > self.linear || other.linear.is_nan() {
            (self.linear, self.exchanged) = (other.linear, other.exchanged);
        }
        if other.angular > self.angular || other.angular.is_nan() {
            self.angular = other.angular;
        }
    }
}

/// Sums over what is counted.
#[derive(Default)]
struct Sums {
    linear: Vec3,
    /// By moments where things were and where they are.
    angular: [Vec3; 2],
    /// Sizes of all momenta \[N s\].
    size: Real,
    /// The farthest of what is counted from the middle \[m\].
    arm: Real,
    /// \[N s\]
    exchanged: Real,
}

/// A thing with mass before and after.
struct Particle {
    mass: Real,
    places: [Vec3; 2],
    velocities: [Vec3; 2],
    /// Change of its own spin \[N m s\].
    spin: Vec3,
}

/// Of one substep. O(vertices + rows).
pub(super) fn unkept(sub: &Substep, state: &State, scratch: &Scratch, counted: &mut Vec<bool>) -> Unkept {
    let Some(middle) = join(sub, scratch, counted) else { return Unkept::default() };
    let mut sums = Sums::default();
    for b in (0..counted.len()).filter(|b| counted[*b]) {
        let is_tool = tool_of(sub.model, b).is_some();
        let fall = if is_tool { Vec3::ZERO } else { sub.params.fall() * sub.h };
        each_particle(sub, state, scratch, b, |p| sums.take(&p, fall, middle, !is_tool));
        if let Some(t) = tool_of(sub.model, b) {
            sums.linear -= hand(sub, state, scratch, t) * sub.h;
        }
    }
    each_impulse(sub, scratch, |row| {
        let [a, b] = row.bodies.map(|b| counted[b]);
        if a || b {
            sums.exchanged += row.whole().length();
        }
        for (side, own, other, sign) in [(0, a, b, 1.0), (1, b, a, -1.0)] {
            if own && !other {
                sums.linear -= row.whole() * sign;
            }
            let spins = |k: usize| counted[row.bodies[k]] && tool_of(sub.model, row.bodies[k]).is_none();
            if spins(side) && !spins(1 - side) {
                sums.turn(&row, (sign, [a, b]), (state, scratch), middle);
            }
        }
    });
    for b in (0..counted.len()).filter(|b| counted[*b]) {
        sums.leave_out_slender(sub, (state, scratch), (b, counted), middle);
    }
    sums.shares()
}

/// The same of the last substep of a world, told where it began; for those who look at one step. Drag, which comes after
/// it, counts as unexplained.
pub fn of_last_substep(world: &World, start: &State) -> Unkept {
    let (model, params) = (&*world.model, &world.params);
    let h = params.dt_s / Real::from(params.substeps.max(1));
    let sub = Substep { model, params, h, sweeps: world.report.sweeps };
    unkept(&sub, start, &world.scratch, &mut Vec::new())
}

impl Sums {
    fn take(&mut self, p: &Particle, fall: Vec3, middle: Vec3, turns: bool) {
        let gained = (p.velocities[1] - p.velocities[0] - fall) * p.mass;
        self.linear += gained;
        self.size += p.mass * (p.velocities[0].length() + p.velocities[1].length());
        self.arm = self.arm.max((p.places[1] - middle).length());
        if turns {
            for (sum, place) in self.angular.iter_mut().zip(p.places) {
                *sum += (place - middle).cross(gained) + p.spin;
            }
        }
    }

    fn turn(
        &mut self,
        row: &Impulse,
        (sign, free): (Real, [bool; 2]),
        (state, scratch): (&State, &Scratch),
        middle: Vec3,
    ) {
        let start = acts_at(&row.sides, free, (&state.pos, &state.pose));
        let end = acts_at(&row.sides, free, (&scratch.pos, &scratch.pose));
        for (sum, place) in self.angular.iter_mut().zip([start, end]) {
            *sum -= (place - middle).cross(row.whole() * sign);
        }
    }

    /// Vertices in a line hold no spin about it: what is left about that axis is taken out.
    fn leave_out_slender(
        &mut self,
        sub: &Substep,
        (state, scratch): (&State, &Scratch),
        (b, counted): (usize, &[bool]),
        middle: Vec3,
    ) {
        let body = &sub.model.bodies[b];
        if !matches!(body.kind, BodyKind::Springs(_) | BodyKind::Band(_)) {
            return;
        }
        let turns = turns(sub, scratch, body.vertex_range());
        if turns.abs_diff_eq(Mat3::IDENTITY, SQUARE) {
            return;
        }
        let mut own = Self::default();
        each_particle(sub, state, scratch, b, |p| own.take(&p, sub.params.fall() * sub.h, middle, true));
        each_impulse(sub, scratch, |row| {
            if row.bodies[0] != row.bodies[1] {
                let sides = row.bodies.iter().zip([1.0, -1.0]).filter(|(body, _)| **body == b);
                let free = row.bodies.map(|b| counted[b]);
                sides.for_each(|(_, sign)| own.turn(&row, (sign, free), (state, scratch), middle));
            }
        });
        for (sum, own) in self.angular.iter_mut().zip(own.angular) {
            *sum -= own - turns * own;
        }
    }

    fn shares(&self) -> Unkept {
        let scale = self.exchanged + ROUNDING * self.size;
        if scale == 0.0 {
            return Unkept::default();
        }
        let [from, to] = self.angular;
        let way = to - from;
        let share =
            if way == Vec3::ZERO { 0.0 } else { (-from.dot(way) / way.length_squared()).clamp(0.0, 1.0) };
        let angular = (from + way * share).length();
        Unkept {
            linear: self.linear.length() / scale,
            angular: if angular == 0.0 { 0.0 } else { angular / (scale * self.arm) },
            exchanged: self.exchanged,
        }
    }
}

/// Marks the bodies that are counted; the middle of what pushes them, none where nothing does.
fn join(sub: &Substep, scratch: &Scratch, counted: &mut Vec<bool>) -> Option<Vec3> {
    counted.clear();
    counted.resize(sub.model.bodies.len(), false);
    let (mut sum, mut middle) = (0.0, Vec3::ZERO);
    each_impulse(sub, scratch, |row| {
        let size = row.whole().length();
        if size != 0.0 {
            row.bodies.iter().for_each(|b| counted[*b] = true);
            sum += size;
            middle += row.sides[0].place(&scratch.pos, &scratch.pose) * size;
        }
    });
    for (b, counted) in counted.iter_mut().enumerate() {
        *counted &= !is_held(sub.model, scratch, b);
    }
    (sum != 0.0 && counted.contains(&true)).then(|| middle / sum)
}

/// Whether anything but rows and a hand can push a body.
fn is_held(model: &Model, scratch: &Scratch, b: usize) -> bool {
    let body = &model.bodies[b];
    let fixed = scratch.inv_mass[body.vertex_range()].contains(&0.0);
    fixed
        || match &body.kind {
            BodyKind::Solid(solid) => !solid.free,
            BodyKind::Rigid(r) => scratch.rigid_mobility[r.at()].inv_mass == 0.0,
            BodyKind::Flexible(_) => true,
            BodyKind::Springs(_) | BodyKind::Band(_) | BodyKind::Tissue(_) => false,
        }
}

fn tool_of(model: &Model, b: usize) -> Option<usize> {
    model.tools.iter().position(|t| t.body.at() == b)
}

/// The force of the hand on a tool where the substep ends \[N\].
fn hand(sub: &Substep, state: &State, scratch: &Scratch, t: usize) -> Vec3 {
    let (tool, coupling) = (&sub.model.tools[t], &sub.params.couplings[t]);
    let (pose, twist) = (&state.pose[tool.rigid.at()], &scratch.twist[tool.rigid.at()]);
    rigid::hand_force(
        &sub.model.rigids[tool.rigid.at()],
        tool,
        coupling,
        (pose, twist, sub.h),
        &state.leads[t],
    )
}

fn each_particle(sub: &Substep, state: &State, scratch: &Scratch, b: usize, mut each: impl FnMut(Particle)) {
    let body = &sub.model.bodies[b];
    if let BodyKind::Rigid(r) = body.kind {
        let (r, rigid) = (r.at(), &sub.model.rigids[r.at()]);
        let spin = |pose: &crate::model::Pose, omega: Vec3| {
            pose.rot * (rigid.inertia * (pose.rot.conjugate() * omega))
        };
        return each(Particle {
            mass: rigid.mass,
            places: [state.pose[r].pos, scratch.pose[r].pos],
            velocities: [state.twist[r].vel, scratch.twist[r].vel],
            spin: spin(&scratch.pose[r], scratch.twist[r].omega) - spin(&state.pose[r], state.twist[r].omega),
        });
    }
    for v in body.vertex_range() {
        each(Particle {
            mass: sub.model.mass[v],
            places: [state.pos[v], scratch.pos[v]],
            velocities: [state.vel[v], scratch.vel[v]],
            spin: Vec3::ZERO,
        });
    }
}
