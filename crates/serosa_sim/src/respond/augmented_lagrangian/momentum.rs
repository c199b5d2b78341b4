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
//! Bodies that only fixed things push are left out: what is fixed takes any impulse.

use super::touching::Touching;
use crate::algebra::principal;
use crate::body::Substep;
use crate::model::BodyKind;
use crate::row::meeting_point;
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
            let pushed = !state.frozen[b] && meets_another(sub, state, scratch, b);
            let whole = match &body.kind {
                _ if !pushed => None,
                BodyKind::Rigid(r) => rigid(scratch, r.at()),
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
            if is_pushed(row, scratch) && row.bodies[0] != row.bodies[1] && sides != [None; 2] {
                let (along, across, _) = row.impulse(sub.h);
                let at = meeting_point(&row.sides, &scratch.pos, &scratch.pose);
                pushes.push(Push { row: k as u32, sides, at, along, across });
            }
        }
    }

    /// Finds the impulses.
    fn explain(&mut self, rows: &[Touching], h: Real) {
        let Self { wholes, pushes, .. } = self;
        for push in pushes.iter() {
            let normal = rows[push.row as usize].normal;
            give(wholes, push, normal * push.along + push.across);
        }
        for _ in 0..ROUNDS {
            let (mut most, mut changed) = (0.0, 0.0);
            for push in pushes.iter_mut() {
                let change = push.mend(wholes, &rows[push.row as usize], h);
                give(wholes, push, change);
                most = Real::max(most, push.along.max(push.across.length()));
                changed = Real::max(changed, change.length());
            }
            if changed <= ENOUGH * most {
                return;
            }
        }
    }

    /// Velocities, and rows, as these impulses have them.
    fn apply(&self, sub: &Substep, scratch: &mut Scratch) {
        for whole in &self.wholes {
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

/// Gives both sides of a row more of its impulse.
fn give(wholes: &mut [Whole], push: &Push, more: Vec3) {
    for (side, more) in push.sides.iter().zip([more, -more]) {
        if let Some(k) = side {
            wholes[*k as usize].push(push.at, more);
        }
    }
}

impl Push {
    /// Changes the impulse so that its sides do there what their steps do, as far as the cone lets it; by how much.
    fn mend(&mut self, wholes: &[Whole], row: &Touching, h: Real) -> Vec3 {
        let before = row.normal * self.along + self.across;
        let of = |k: &Option<u32>| k.map(|k| &wholes[k as usize]);
        let [a, b] = [of(&self.sides[0]), of(&self.sides[1])];
        let beside = |whole: Option<&Whole>| whole.map_or(Vec3::ZERO, |whole| whole.beside_at(self.at));
        let apart = beside(a) - beside(b);
        let give = |dir: Vec3| [a, b].into_iter().flatten().map(|w| w.mobility(self.at, dir)).sum::<Real>();
        if !row.is_grip() {
            let along = self.along - apart.dot(row.normal) / give(row.normal);
            self.along = if along.is_finite() { along.max(0.0) } else { self.along };
        }
        let most = row.most_across(self.along, h);
        let rubs = self.across.length();
        if row.slides() && rubs > 0.0 {
            self.across *= most / rubs;
        } else {
            let slip = row.across(apart);
            let speed = slip.length();
            let against = if speed > 0.0 { slip / give(slip / speed) } else { Vec3::ZERO };
            let across = self.across - against;
            let across = if across.is_finite() { across } else { self.across };
            self.across = across.clamp_length_max(most);
        }
        row.normal * self.along + self.across - before
    }
}

/// Whether rows push it and another body that can move as a whole. What only fixed things push keeps the velocities that its
/// places have: they take any impulse.
fn meets_another(sub: &Substep, state: &State, scratch: &Scratch, b: usize) -> bool {
    scratch.links.rows_of(b).iter().any(|row| {
        let row = &scratch.touching[*row as usize];
        let other = row.bodies[usize::from(row.bodies[0] as usize == b)] as usize;
        other != b && is_pushed(row, scratch) && is_free(sub, state, scratch, other)
    })
}

fn is_pushed(row: &Touching, scratch: &Scratch) -> bool {
    row.is_felt() || row.depth(row.between(&scratch.pos, &scratch.pose)) > 0.0
}

/// Whether nothing but rows holds it.
fn is_free(sub: &Substep, state: &State, scratch: &Scratch, b: usize) -> bool {
    let body = &sub.model.bodies[b];
    let all_move = || scratch.inv_mass[body.vertex_range()].iter().all(|inv_mass| *inv_mass > 0.0);
    match &body.kind {
        _ if state.frozen[b] => false,
        BodyKind::Rigid(r) => scratch.rigid_mobility[r.at()].inv_mass > 0.0,
        BodyKind::Solid(solid) => solid.free && all_move(),
        BodyKind::Springs(_) | BodyKind::Band(_) | BodyKind::Tissue(_) => all_move(),
        BodyKind::Flexible(_) => false,
    }
}

/// A rigid frame that moves; its coupling to a hand counts as mass, as where it descends.
fn rigid(scratch: &Scratch, r: usize) -> Option<Whole> {
    let mobility = scratch.rigid_mobility[r];
    if mobility.inv_mass <= 0.0 {
        return None;
    }
    let (now, free, axes) =
        (&scratch.twist[r], &scratch.target_twist[r], Mat3::from_quat(scratch.pose[r].rot));
    let turn = axes.transpose() * (now.omega - free.omega);
    let spin = |k: usize| if mobility.inv_inertia[k] > 0.0 { turn[k] / mobility.inv_inertia[k] } else { 0.0 };
    Some(Whole {
        body: 0,
        inv_mass: mobility.inv_mass,
        inv_inertia: axes * Mat3::from_diagonal(mobility.inv_inertia) * axes.transpose(),
        center: scratch.pose[r].pos,
        needs: [(now.vel - free.vel) / mobility.inv_mass, axes * Vec3::new(spin(0), spin(1), spin(2))],
        gets: [Vec3::ZERO; 2],
    })
}

/// Vertices that are all free.
fn soft(sub: &Substep, state: &State, scratch: &Scratch, vertices: Range<usize>) -> Option<Whole> {
    if vertices.is_empty() || scratch.inv_mass[vertices.clone()].iter().any(|inv_mass| *inv_mass <= 0.0) {
        return None;
    }
    let (masses, places) = (&sub.model.mass[vertices.clone()], &scratch.pos[vertices.clone()]);
    let mass: Real = masses.iter().sum();
    let center = places.iter().zip(masses).map(|(x, m)| *x * *m).sum::<Vec3>() / mass;
    let (mut impulse, mut moment, mut spread) = (Vec3::ZERO, Vec3::ZERO, Mat3::ZERO);
    for ((v, x), m) in vertices.zip(places).zip(masses) {
        let (arm, more) = (*x - center, (scratch.vel[v] - state.vel[v]) * *m);
        impulse += more;
        moment += arm.cross(more);
        spread += Mat3::from_cols(arm * (arm.x * m), arm * (arm.y * m), arm * (arm.z * m));
    }
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    Some(Whole {
        body: 0,
        inv_mass: 1.0 / mass,
        inv_inertia: inverse(Mat3::from_diagonal(Vec3::splat(trace)) - spread),
        center,
        needs: [impulse - sub.params.fall() * (sub.h * mass), moment],
        gets: [Vec3::ZERO; 2],
    })
}

/// Of the inertia of a body as one piece; about an axis along which it is slender it does not turn.
fn inverse(inertia: Mat3) -> Mat3 {
    let (inertia, axes) = principal(inertia);
    let least = SLENDER * inertia.max_element();
    let inverse = |i: usize| if inertia[i] > least { 1.0 / inertia[i] } else { 0.0 };
    axes * Mat3::from_diagonal(Vec3::new(inverse(0), inverse(1), inverse(2))) * axes.transpose()
}
