//! Momenta at the end of a substep are those that impulses of rows explain, to the last digits, however few the sweeps.
//!
//! Bodies descend in turn, against rows whose push changes in between; what each made of its own place adds up to no
//! momentum that is kept. So impulses are sought that explain what the positions did: with J_b the impulse and moment that
//! free body b would need for its step, and p the impulses of rows within their cones, rounds over the rows lower
//!
//! ```text
//! Σ_b |Σ p − J_b|² / M_b
//! ```
//!
//! from what the rows pushed with. Then the momentum of each free body is what it was, with gravity and these impulses; its
//! vertices keep what they do beside that. Each row gives both of its sides the same impulse at one point, where they touch
//! when the substep ends, so linear and angular momentum are kept wherever the rounds end; they only decide how well
//! velocities follow positions. A row that slides keeps the way in which it rubs.
//!
//! At a common minimum of all bodies without friction this changes nothing: there inertia balances the rows. With friction
//! it adds the couple that rows leave out: friction acts at surfaces, and rows at the middles of segments and triangles.
//!
//! They are found where sides felt them, on the middles of what is soft, and given where sides meet: friction acts at surfaces, and
//! were it found there, pushes along a rope would be moved about to make up for a couple that it never felt. What is held takes
//! any couple, and its rows act where the other side felt them.
//!
//! In a single sweep rows that are taken to stick stop more than their cones let them, and velocities from within the cones would
//! not follow: a box at rest would see-saw. There what meets only things that are held keeps the velocities of its places.
//!
//! Rows tell these impulses: they are what was exchanged. What the sweeps found is what they begin with in the next step. The two
//! differ where sweeps are few: rows under a plate on a sheet, that forget a hundredth of their push in each step, told 89 % of
//! its weight.

use super::touching::Touching;
use crate::algebra::principal;
use crate::body::Substep;
use crate::model::{BodyKind, Pose};
use crate::row::{Side, meeting_point};
use crate::scratch::Scratch;
use crate::state::State;
use crate::{Mat3, Real, Vec3};
use std::ops::Range;

/// The share of its largest inertia below which a body does not turn as a whole.
const SLENDER: Real = 1e-3;
/// Rounds over the rows, at most.
const ROUNDS: u32 = 40;
/// They end when no impulse changes by more than this share of the largest.
const ENOUGH: Real = 1e-4;

/// Working arrays.
#[derive(Clone, Debug, Default)]
pub struct Settling {
    /// One per body: its place among those that nothing holds but rows.
    slots: Vec<Option<u32>>,
    wholes: Vec<Whole>,
    pushes: Vec<Push>,
}

/// A free body as if it were one piece.
#[derive(Clone, Copy, Debug)]
struct Whole {
    body: u32,
    /// Whether another free body pushes it.
    met: bool,
    /// \[1/kg\]
    inv_mass: Real,
    /// About its centre \[1/(kg m²)\].
    inv_inertia: Mat3,
    /// Its centre when the substep ends \[m\].
    center: Vec3,
    /// What its step needs beside gravity: an impulse \[N s\] and its moment about the centre \[N m s\].
    needs: [Vec3; 2],
    /// What it gets by its rows.
    gets: [Vec3; 2],
}

/// The impulse of a row.
#[derive(Clone, Copy, Debug)]
struct Push {
    row: u32,
    /// Free bodies of A and of B.
    sides: [Option<u32>; 2],
    /// Where its sides felt it when they descended: on the middles of what is soft \[m\].
    felt: [Vec3; 2],
    /// Where it acts \[m\].
    at: Vec3,
    /// Along the normal \[N s\].
    along: Real,
    /// Across it, on A \[N s\].
    across: Vec3,
}

impl Whole {
    /// What it does beside its step when it gets what it gets: a velocity \[m/s\] and a rate of turning \[rad/s\].
    fn beside(&self) -> [Vec3; 2] {
        let [impulse, moment] = [0, 1].map(|k| self.gets[k] - self.needs[k]);
        [impulse * self.inv_mass, self.inv_inertia * moment]
    }

    /// The same at a point \[m/s\].
    fn beside_at(&self, at: Vec3) -> Vec3 {
        let [shift, turn] = self.beside();
        shift + turn.cross(at - self.center)
    }

    /// Speed along a direction that a unit impulse along it at a point gives \[1/kg\].
    fn mobility(&self, at: Vec3, dir: Vec3) -> Real {
        let lever = (at - self.center).cross(dir);
        self.inv_mass + lever.dot(self.inv_inertia * lever)
    }

    fn push(&mut self, at: Vec3, impulse: Vec3) {
        self.gets[0] += impulse;
        self.gets[1] += (at - self.center).cross(impulse);
    }
}

/// Sets the momenta of all bodies that nothing holds but rows. O(vertices + rows × rounds).
pub(super) fn settle(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let mut settling = std::mem::take(&mut scratch.settling);
    settling.gather(sub, state, scratch);
    if !settling.pushes.is_empty() {
        settling.explain(&scratch.touching, sub.h);
        settling.apply(sub, scratch);
    }
    scratch.settling = settling;
}

impl Settling {
    /// All free bodies, and all rows that push one of them.
    fn gather(&mut self, sub: &Substep, state: &State, scratch: &Scratch) {
        let Self { slots, wholes, pushes } = self;
        slots.clear();
        wholes.clear();
        pushes.clear();
        for (b, body) in sub.model.bodies.iter().enumerate() {
            let pushed = !state.frozen[b] && meets_another(scratch, b);
            let whole = match &body.kind {
                _ if !pushed => None,
                BodyKind::Rigid(r) => rigid(sub, state, scratch, r.at()),
                BodyKind::Solid(solid) if !solid.free => None,
                BodyKind::Solid(_) | BodyKind::Springs(_) | BodyKind::Band(_) | BodyKind::Tissue(_) => {
                    soft(sub, state, scratch, body.vertex_range())
                }
                BodyKind::Flexible(_) => None,
            };
            slots.push(whole.map(|_| wholes.len() as u32));
            wholes.extend(whole.map(|whole| Whole { body: b as u32, ..whole }));
        }
        for (k, row) in scratch.touching.iter().enumerate() {
            let sides = row.bodies.map(|b| slots[b as usize]);
            if let [Some(a), Some(b)] = sides
                && a != b
                && is_pushed(row, scratch)
            {
                [a, b].iter().for_each(|k| wholes[*k as usize].met = true);
            }
            if is_pushed(row, scratch) && row.bodies[0] != row.bodies[1] && sides != [None; 2] {
                let (along, across, _) = row.impulse(sub.h);
                let at = acts_at(&row.sides, sides.map(|side| side.is_some()), (&scratch.pos, &scratch.pose));
                let felt = [0, 1].map(|k| row.sides[k].place(&scratch.pos, &scratch.pose));
                pushes.push(Push { row: k as u32, sides, felt, at, along, across });
            }
        }
    }

    /// Finds the impulses: by what they do where they were felt, since there they explain what descended; given where they act.
    fn explain(&mut self, rows: &[Touching], h: Real) {
        let Self { wholes, pushes, .. } = self;
        for push in pushes.iter() {
            let impulse = push.impulse(&rows[push.row as usize]);
            push.give(wholes, push.felt, impulse);
        }
        for _ in 0..ROUNDS {
            let (mut most, mut changed) = (0.0, 0.0);
            for push in pushes.iter_mut() {
                let change = push.mend(wholes, &rows[push.row as usize], h);
                push.give(wholes, push.felt, change);
                most = Real::max(most, push.along.max(push.across.length()));
                changed = Real::max(changed, change.length());
            }
            if changed <= ENOUGH * most {
                break;
            }
        }
        wholes.iter_mut().for_each(|whole| whole.gets = [Vec3::ZERO; 2]);
        for push in pushes.iter() {
            push.give(wholes, [push.at; 2], push.impulse(&rows[push.row as usize]));
        }
    }

    /// Velocities, and what rows tell, as these impulses have them.
    fn apply(&self, sub: &Substep, scratch: &mut Scratch) {
        for push in &self.pushes {
            if push.along.is_finite() && push.across.is_finite() {
                scratch.touching[push.row as usize].told = (push.along / sub.h, push.across / sub.h);
            }
        }
        for whole in self.wholes.iter().filter(|whole| whole.met || sub.sweeps > 1) {
            let body = &sub.model.bodies[whole.body as usize];
            let [shift, turn] = whole.beside();
            if !(shift.is_finite() && turn.is_finite()) {
                continue;
            }
            if let BodyKind::Rigid(r) = body.kind {
                let twist = &mut scratch.twist[r.at()];
                (twist.vel, twist.omega) = (twist.vel + shift, twist.omega + turn);
            }
            for v in body.vertex_range() {
                scratch.vel[v] += shift + turn.cross(scratch.pos[v] - whole.center);
            }
        }
    }
}

/// Where a row acts: where its sides meet, as momenta ask for, or on the middle of the one side that moves as a whole, as it did
/// when that descended. What is held takes the couple between the two.
pub(crate) fn acts_at(sides: &[Side; 2], free: [bool; 2], (pos, pose): (&[Vec3], &[Pose])) -> Vec3 {
    match free {
        [true, false] => sides[0].place(pos, pose),
        [false, true] => sides[1].place(pos, pose),
        _ => meeting_point(sides, pos, pose),
    }
}

impl Push {
    fn impulse(&self, row: &Touching) -> Vec3 {
        row.normal * self.along + self.across
    }

    /// Gives both sides more, each where it says.
    fn give(&self, wholes: &mut [Whole], at: [Vec3; 2], more: Vec3) {
        for ((side, at), more) in self.sides.iter().zip(at).zip([more, -more]) {
            if let Some(k) = side {
                wholes[*k as usize].push(at, more);
            }
        }
    }

    /// Changes the impulse so that its sides do there what their steps do, as far as the cone lets it; by how much.
    fn mend(&mut self, wholes: &[Whole], row: &Touching, h: Real) -> Vec3 {
        let before = self.impulse(row);
        let of = |side: usize| self.sides[side].map(|k| (&wholes[k as usize], self.felt[side]));
        let [a, b] = [of(0), of(1)];
        let beside = |of: Option<(&Whole, Vec3)>| of.map_or(Vec3::ZERO, |(whole, at)| whole.beside_at(at));
        let apart = beside(a) - beside(b);
        let give = |dir: Vec3| [a, b].into_iter().flatten().map(|(w, at)| w.mobility(at, dir)).sum::<Real>();
        if !row.is_grip() {
            let along = self.along - apart.dot(row.normal) / give(row.normal);
            self.along = if along.is_finite() { along.max(0.0) } else { self.along };
        }
        let most = row.most_across(self.along, h);
        let rubs = self.across.length();
        let across = if row.slides() && rubs > 0.0 {
            // It keeps its way, and rubs less where the step knows of less: a row may have slid in a first sweep alone.
            let way = self.across / rubs;
            way * (rubs - apart.dot(way) / give(way)).max(0.0)
        } else {
            let slip = row.across(apart);
            let speed = slip.length();
            self.across - if speed > 0.0 { slip / give(slip / speed) } else { Vec3::ZERO }
        };
        let across = if across.is_finite() { across } else { self.across };
        self.across = across.clamp_length_max(most);
        self.impulse(row) - before
    }
}

/// Whether rows of another body push it.
fn meets_another(scratch: &Scratch, b: usize) -> bool {
    scratch.links.rows_of(b).iter().any(|row| {
        let row = &scratch.touching[*row as usize];
        row.bodies[0] != row.bodies[1] && is_pushed(row, scratch)
    })
}

fn is_pushed(row: &Touching, scratch: &Scratch) -> bool {
    row.is_felt() || row.depth(row.between(&scratch.pos, &scratch.pose)) > 0.0
}

/// A rigid frame that moves; its coupling to a hand counts as mass, as where it descends.
fn rigid(sub: &Substep, state: &State, scratch: &Scratch, r: usize) -> Option<Whole> {
    let mobility = scratch.rigid_mobility[r];
    if mobility.inv_mass <= 0.0 {
        return None;
    }
    let (now, free, axes) =
        (&scratch.twist[r], &scratch.target_twist[r], Mat3::from_quat(scratch.pose[r].rot));
    let own = &sub.model.rigids[r];
    let turns = if mobility.inv_mass == own.inv_mass {
        // From the angular momentum that it had: one that turns while it flies keeps that, and not its rate of turning.
        let before = Mat3::from_quat(state.pose[r].rot);
        let spin = |axes: Mat3, omega: Vec3| axes * (own.inertia * (axes.transpose() * omega));
        spin(axes, now.omega) - spin(before, state.twist[r].omega)
    } else {
        let turn = axes.transpose() * (now.omega - free.omega);
        let spin = |k: usize| {
            if mobility.inv_inertia[k] > 0.0 { turn[k] / mobility.inv_inertia[k] } else { 0.0 }
        };
        axes * Vec3::new(spin(0), spin(1), spin(2))
    };
    Some(Whole {
        body: 0,
        met: false,
        inv_mass: mobility.inv_mass,
        inv_inertia: axes * Mat3::from_diagonal(mobility.inv_inertia) * axes.transpose(),
        center: scratch.pose[r].pos,
        needs: [(now.vel - free.vel) / mobility.inv_mass, turns],
        gets: [Vec3::ZERO; 2],
    })
}

/// Vertices that are all free.
fn soft(sub: &Substep, state: &State, scratch: &Scratch, vertices: Range<usize>) -> Option<Whole> {
    if vertices.is_empty() || scratch.inv_mass[vertices.clone()].iter().any(|inv_mass| *inv_mass <= 0.0) {
        return None;
    }
    let (mass, center, inertia) = as_one(sub, scratch, vertices.clone());
    let (mut impulse, mut moment) = (Vec3::ZERO, Vec3::ZERO);
    for v in vertices {
        let more = (scratch.vel[v] - state.vel[v]) * sub.model.mass[v];
        impulse += more;
        moment += (scratch.pos[v] - center).cross(more);
    }
    Some(Whole {
        body: 0,
        met: false,
        inv_mass: 1.0 / mass,
        inv_inertia: about(inertia, |moment| 1.0 / moment),
        center,
        needs: [impulse - sub.params.fall() * (sub.h * mass), moment],
        gets: [Vec3::ZERO; 2],
    })
}

/// The axes about which vertices turn as one: all but the one along which they are slender. They hold no momentum about
/// that, and what rubs at the surface of a rope has a moment about its line that nothing takes up.
pub(crate) fn turns(sub: &Substep, scratch: &Scratch, vertices: Range<usize>) -> Mat3 {
    about(as_one(sub, scratch, vertices).2, |_| 1.0)
}

/// Vertices as one piece where the substep ends: mass, centre, inertia.
fn as_one(sub: &Substep, scratch: &Scratch, vertices: Range<usize>) -> (Real, Vec3, Mat3) {
    let (masses, places) = (&sub.model.mass[vertices.clone()], &scratch.pos[vertices]);
    let mass: Real = masses.iter().sum();
    let center = places.iter().zip(masses).map(|(x, m)| *x * *m).sum::<Vec3>() / mass;
    let mut spread = Mat3::ZERO;
    for (x, m) in places.iter().zip(masses) {
        let arm = *x - center;
        spread += Mat3::from_cols(arm * (arm.x * m), arm * (arm.y * m), arm * (arm.z * m));
    }
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    (mass, center, Mat3::from_diagonal(Vec3::splat(trace)) - spread)
}

/// Of the moments of a body as one piece about its axes; nothing about one along which it is slender.
fn about(inertia: Mat3, each: impl Fn(Real) -> Real) -> Mat3 {
    let (inertia, axes) = principal(inertia);
    let least = SLENDER * inertia.max_element();
    let of = |i: usize| if inertia[i] > least { each(inertia[i]) } else { 0.0 };
    axes * Mat3::from_diagonal(Vec3::new(of(0), of(1), of(2))) * axes.transpose()
}
