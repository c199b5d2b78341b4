//! What a push on a vertex does to the whole of its body.
//!
//! Tissue pulls its vertices towards its rest shape within the same implicit step in which it predicts them. The impulse
//! that stops such a vertex is therefore larger than its mass times its speed: by 1 + ρ, with ρ = ω² h (h + τ), for the
//! restoration ω and the relaxation τ. Only the part 1/(1 + ρ) of an impulse stays with the vertex. The rest shape
//! passes the others on to the whole body, as a motion that deforms nothing; a held body gives them to what holds it.
//! Without this a step takes back only 1/(1 + ρ) of the weight, and a body sinks into what carries it, the deeper the
//! stronger it is damped.

use super::Motion;
use crate::body::Substep;
use crate::body::tissue::{Drift, Whole, resistance};
use crate::model::BodyKind;
use crate::scratch::Scratch;
use crate::{Real, Vec3};

/// A body as a whole, moved by the part of every impulse that does not stay with the vertices pushed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried {
    whole: Whole,
    /// What the impulses so far have made of it.
    drift: Drift,
    /// ρ/(1 + ρ): the part passed on; 0 where nothing is.
    part: Real,
}

impl Carried {
    /// Whether anything is passed on.
    pub fn is_moved(&self) -> bool {
        self.part > 0.0
    }

    /// What is added to the velocity at a place \[m/s\].
    pub fn velocity(&self, place: Vec3) -> Vec3 {
        self.drift.at(place)
    }

    /// Speed along `dir` at a place that a unit impulse along `dir` there gives the whole \[1/kg\].
    pub fn mobility(&self, place: Vec3, dir: Vec3) -> Real {
        self.part * self.whole.pushed(place, dir).at(place).dot(dir)
    }

    /// Takes over its part of an impulse at a place \[N s\].
    pub fn push(&mut self, place: Vec3, impulse: Vec3) {
        let more = self.whole.pushed(place, impulse * self.part);
        self.drift.vel += more.vel;
        self.drift.omega += more.omega;
    }
}

/// Finds how bodies pass impulses on where they are now, and 1/mass of their vertices as a push feels it. O(vertices).
pub(super) fn prepare(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { carried, felt_inv_mass, inv_mass, pos, .. } = scratch;
    carried.clear();
    felt_inv_mass.clear();
    felt_inv_mass.extend_from_slice(inv_mass);
    for (b, body) in sub.model.bodies.iter().enumerate() {
        let mut of_body = Carried::default();
        if let BodyKind::Tissue(tissue) = &body.kind {
            let range = body.vertex_range();
            let rho = resistance(sub, b, tissue);
            felt_inv_mass[range.clone()].iter_mut().for_each(|w| *w /= 1.0 + rho);
            if inv_mass[range.clone()].iter().all(|w| *w > 0.0) {
                let whole = Whole::of(&sub.model.mass[range.clone()], &pos[range]);
                of_body = Carried {
                    whole,
                    drift: Drift { center: whole.center, ..Drift::default() },
                    part: rho / (1.0 + rho),
                };
            }
        }
        carried.push(of_body);
    }
}

/// Gives all vertices what their bodies have taken over, as velocity and as the way that it leads in the substep. They
/// were at `places` when the bodies were looked at; at any others the turn would have a momentum of its own.
pub(super) fn spread(sub: &Substep, motion: &mut Motion, places: &[Vec3]) {
    for (body, carried) in sub.model.bodies.iter().zip(&*motion.carried).filter(|(_, c)| c.is_moved()) {
        for v in body.vertex_range() {
            let more = carried.velocity(places[v]);
            motion.vel[v] += more;
            motion.pos[v] += more * sub.h;
        }
    }
}
