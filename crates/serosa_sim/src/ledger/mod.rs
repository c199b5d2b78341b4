//! The ledger: whether a run keeps energy and momentum, step by step.
//!
//! Energy is that of motion, of strain, of couplings, of height, and what rows can give back. From it is taken what hands,
//! growth, tunables and the outside put in. What is left may only fall: the *balance*. By how much it ever rose, as a share of
//! the largest (kinetic + elastic + |work|) so far, is the *gain*.
//!
//! What rows can give back is what was paid into them, pushing while they closed, and never more than what their potential
//! below the rest gap would give (λ x + ½ k x²): a gap that was never closed by a push has nothing to give, and what throws it
//! open is a gain.
//!
//! Momentum: in each substep, of all that touches and that nothing holds, what changed beside gravity, the hands and what the
//! held pushes with, as a share of the impulse exchanged.
//!
//! Losses are told by cause: friction is drag times slip, row by row; damping that of couplings, of drag and of springs; filter the
//! kinetic energy that the last clip took, guard what it took from bodies that ran away. What is left is told as the integrator's: backward Euler, the viscosity of solids,
//! bands and tissue, and what unfinished sweeps lose. Where the filter shortened a step, the strain that this brings is among it.
//!
//! Flexible bodies have no inertia: they hold energy, and no momentum. What control elements put in is summed by trapezoids,
//! so scenes that move them are not to be judged by it.
//!
//! Written out with its limits in docs/models/contact.md. Nothing here changes a run: the ledger reads. It is filled only where it is switched on.

mod momentum;
mod tally;

pub use momentum::{Unkept, of_last_substep};
pub use tally::{Losses, Tally};
pub(crate) use tally::{after_filter, before_filter, before_stop};

use crate::energy::{EnergyKind, body_energy};
use crate::model::BodyKind;
use crate::{BodyId, Input, Real, Vec3, World};
use serosa_geometry::rotation::to_rotation_vector;

/// The scale of energies is never less than this share of that of height: what rounding does is no gain.
const ROUNDING: Real = 1e-9;
/// Nor less than that of all masses at this speed \[m/s\].
const STILL: Real = 1e-5;

/// What a world holds \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: Real,
    /// Of strain, walls and ties.
    pub elastic: Real,
    /// Of the springs between hands and tools.
    pub coupling: Real,
    /// Of height.
    pub gravity: Real,
    /// What rows and jaws can give back.
    pub contact: Real,
}

impl Energies {
    /// All of it.
    pub fn total(&self) -> Real {
        self.kinetic + self.elastic + self.coupling + self.gravity + self.contact
    }

    /// Of a world. O(n)
    pub fn of(world: &World) -> Self {
        let mut all = Self { contact: world.scratch.tally.contact_j, ..Self::default() };
        for (b, body) in world.model.bodies.iter().enumerate() {
            let b = BodyId::from(b);
            // What has no inertia has no energy of motion.
            if !matches!(body.kind, BodyKind::Flexible(_)) {
                all.kinetic += body_energy(world, b, EnergyKind::Kinetic);
            }
            all.elastic += body_energy(world, b, EnergyKind::Elastic);
            all.gravity += body_energy(world, b, EnergyKind::Gravity);
        }
        all.coupling = tally::couplings(world);
        all
    }
}

/// What was put in since the start \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// By hands and scripts: force on the lead times its way, turns too.
    pub hands: Real,
    /// By control elements.
    pub led: Real,
    /// By radii that grew against pushes.
    pub growth: Real,
    /// By tunables.
    pub tunables: Real,
    /// By who set positions or velocities from outside.
    pub outside: Real,
}

impl Work {
    /// All of it.
    pub fn total(&self) -> Real {
        self.hands + self.led + self.growth + self.tunables + self.outside
    }
}

/// The ledger of a run.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// What the world holds now.
    pub energies: Energies,
    /// What it held at the start.
    pub start: Energies,
    /// What was put in.
    pub work: Work,
    /// What was lost to causes that are known.
    pub losses: Losses,
    /// The most by which the balance rose above where it had been, as a share of the largest (kinetic + elastic + |work|)
    /// until then.
    pub gain: Real,
    /// The same \[J\].
    pub gain_j: Real,
    /// Momentum that nothing explains, the worst of all substeps.
    pub unkept: Unkept,
    /// Steps of vertices and frames that the filter shortened though no near pair held them.
    pub unheld: u64,
    /// The most that one of them was shortened by \[m\].
    pub unheld_m: Real,
    /// The lowest balance so far \[J\].
    lowest: Real,
    /// The largest (kinetic + elastic + |work|) so far \[J\].
    largest: Real,
    /// Energy of all masses at the speed below which nothing is judged \[J\].
    still: Real,
    /// Whether a step has been entered.
    begun: bool,
    /// Of each control element in the last step: force \[N\] and torque \[N m\].
    reactions: Vec<[Vec3; 2]>,
}

impl Ledger {
    /// Before a step: what tunables and the outside did since the last one. Tunes the world as the step will.
    pub fn begin(&mut self, world: &mut World, input: &Input) {
        world.scratch.tally.on = true;
        let found = Energies::of(world);
        if !self.begun {
            self.begun = true;
            (self.start, self.energies, self.lowest) = (found, found, found.total());
            self.largest = scale_of(&found, 0.0);
            let moving = world.model.rigids.iter().filter(|r| r.inv_mass > 0.0).map(|r| r.mass);
            self.still = 0.5 * STILL * STILL * world.model.mass.iter().copied().chain(moving).sum::<Real>();
            each_reaction(world, |all| self.reactions.push(all));
        }
        world.params.tune(&input.tunables);
        let tuned = Energies::of(world);
        // What is not a number the guard takes out again in this step, and nobody can say what it was.
        if tuned.total().is_finite() {
            self.work.outside += found.total() - self.energies.total();
            self.work.tunables += tuned.total() - found.total();
            self.energies = tuned;
        }
    }

    /// After the step that was begun.
    pub fn end(&mut self, world: &World) {
        let tally = &world.scratch.tally;
        self.energies = Energies::of(world);
        self.work.hands += tally.hands_j;
        self.work.growth += tally.growth_j;
        self.lead(world);
        self.losses.add(&tally.losses);
        self.unkept.take_worse(&tally.unkept);
        self.unheld += u64::from(tally.unheld);
        self.unheld_m = self.unheld_m.max(tally.unheld_m);
        // What the guard gave, laying a body back, is nobody's gain.
        self.lowest -= tally.losses.guard.min(0.0);
        let (balance, work) = (self.balance(), self.work.total());
        self.largest = self.largest.max(scale_of(&self.energies, work));
        let rise = balance - self.lowest;
        let least = self.still.max(ROUNDING * self.energies.gravity.abs());
        let share = rise / self.largest.max(least).max(Real::MIN_POSITIVE);
        // What is not a number is a gain.
        if share > self.gain || share.is_nan() {
            (self.gain, self.gain_j) = (share, rise);
        }
        self.lowest = self.lowest.min(balance);
    }

    /// What the world holds less what was put in \[J\].
    pub fn balance(&self) -> Real {
        self.energies.total() - self.work.total()
    }

    /// What was lost to no cause that is told apart \[J\].
    pub fn remainder(&self) -> Real {
        self.start.total() - self.balance() - self.losses.total()
    }

    /// What control elements put in.
    fn lead(&mut self, world: &World) {
        let (from, to) = (&world.scratch.before.controls, &world.state.controls);
        let (reactions, work, mut k) = (&mut self.reactions, &mut self.work.led, 0);
        each_reaction(world, |now| {
            if let (Some(last), Some(from), Some(to)) = (reactions.get_mut(k), from.get(k), to.get(k)) {
                let shift = to.at.pose.pos - from.at.pose.pos;
                let turn = to_rotation_vector(to.at.pose.rot * from.at.pose.rot.conjugate());
                *work += 0.5 * ((now[0] + last[0]).dot(shift) + (now[1] + last[1]).dot(turn));
                *last = now;
            }
            k += 1;
        });
    }
}

fn scale_of(energies: &Energies, work: Real) -> Real {
    energies.kinetic + energies.elastic + energies.coupling + work.abs()
}

/// What each control element puts on its body.
fn each_reaction(world: &World, mut each: impl FnMut([Vec3; 2])) {
    for (b, body) in world.model.bodies.iter().enumerate() {
        if let BodyKind::Flexible(own) = &body.kind {
            let all = &world.scratch.flexibles[b].reactions;
            (0..own.elements.len()).for_each(|e| each(all.get(e).copied().unwrap_or_default()));
        }
    }
}
