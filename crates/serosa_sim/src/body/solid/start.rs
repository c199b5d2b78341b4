//! How far a solid falls in a substep, as far as one can tell before it descends.
//!
//! Sweeps are slow to lift a stiff body back from where it would have fallen to, or to let one fall from where it was. So
//! it begins where its acceleration along its weight takes it, found from all that holds it where the substep begins:
//! nothing for a body that rests or hangs, the whole for one in flight.

use super::loads::Where;
use super::material::Moduli;
use super::strain::each_sample_of;
use super::{Among, SolidWork, scale};
use crate::model::SolidBody;
use crate::state::State;
use crate::{Real, Vec3};

/// The share of free fall, from 0 to 1. O(tetrahedra), next to nothing but for those that are held.
pub(super) fn falls(
    among: &Among,
    (b, body): (usize, &SolidBody),
    state: &State,
    works: &[SolidWork],
) -> Real {
    let (sub, contacts) = (among.sub, &among.contacts);
    let weight = sub.params.fall();
    if weight == Vec3::ZERO {
        return 1.0;
    }
    let vertices = sub.model.bodies[b].vertex_range();
    let moves = |v: &usize| sub.model.inv_mass[*v] > 0.0;
    let mass: Real = vertices.clone().filter(moves).map(|v| sub.model.mass[v]).sum();
    let mut held = Vec3::ZERO;
    if vertices.len() > vertices.clone().filter(moves).count() {
        let scale = scale(body, &sub.params.bodies[b]);
        // Inside of the body forces cancel; what is fixed pulls at the rest.
        let fixed = |nodes: &[usize]| nodes.iter().any(|v| !moves(v));
        each_sample_of(sub.model, body, &state.pos, fixed, |s| {
            let stress = Moduli::of(&body.regions[s.tet.region as usize], scale).stress(&s.f) * s.weight;
            let pulled = s.nodes.iter().zip(s.gradients).filter(|(v, _)| moves(v));
            pulled.for_each(|(_, g)| held -= stress * *g);
        });
    }
    held += Where { model: sub.model, works }.pull(b, body);
    for row in contacts.links.rows_of(b).iter().map(|r| &contacts.touching[*r as usize]) {
        // Not what it would push with against frames that are where they would be without it.
        let force = row.pushes();
        for (side, sign) in row.bodies.iter().zip([1.0, -1.0]) {
            held += if *side as usize == b { force * sign } else { Vec3::ZERO };
        }
    }
    let share = 1.0 + held.dot(weight) / (mass * weight.length_squared());
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
}
