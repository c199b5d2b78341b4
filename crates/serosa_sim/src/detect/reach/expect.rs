//! What is expected of a substep: before the response, and after it.

use super::{Reach, drift, strayed};
use crate::body::{Substep, is_carried};
use crate::detect::growth;
use crate::model::BodyKind;
use crate::params::Response;
use crate::state::State;
use crate::{Real, Scratch, Vec3};
use serosa_geometry::rotation::to_rotation_vector;

/// The least that anything is expected to stray \[m\], and as a share of its edges.
const LEAST: [Real; 2] = [1e-4, 0.02];
/// What strayed in the last substep may stray so many times as far in this one.
const AGAIN: Real = 1.4;
/// How far a vertex may stray, as a share of its way beside that of its body.
const STRAY: Real = 0.35;
/// The same after the response, as a share of what it was off.
const AFTER: Real = 0.1;
/// What descends with rows may stray by so many times what it would fall from rest: whether it falls is known when it
/// descends.
const FALL: Real = 1.2;

/// Where free motion takes everything. It strays by what it strayed in the last substep, and by what it is not known to do
/// yet.
pub(in crate::detect) fn look_ahead(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let model = sub.model;
    let Scratch { reach, flexibles, pos, pose, .. } = scratch;
    reach.ways.clear();
    reach.ways.extend(pos.iter().zip(&state.pos).map(|(to, from)| finite(*to - *from)));
    reach.turns.clear();
    reach.turns.extend(pose.iter().zip(&state.pose).map(|(to, from)| {
        [finite(to.pos - from.pos), finite(to_rotation_vector(to.rot * from.rot.conjugate()))]
    }));
    // What jaws hold goes with them.
    for grip in &state.grips {
        let r = model.tools[grip.tool.at()].rigid.at();
        let way = pose[r].point(grip.at) - state.pos[grip.vertex.at()];
        if way.is_finite() {
            reach.ways[grip.vertex.at()] = way;
        }
    }
    let descends = sub.params.response == Response::AugmentedLagrangian;
    let fall = FALL * sub.params.fall().length() * sub.h * sub.h;
    let carried = |b: usize| if descends && is_carried(sub, b, state) { fall } else { 0.0 };
    let (ahead, others) = state.ahead.split_at(model.rest.len());
    let (frames_ahead, bodies_ahead) = others.split_at(model.rigids.len());
    reach.strays.clear();
    reach.strays.resize(reach.ways.len(), 0.0);
    reach.commons.clear();
    for (b, body) in model.bodies.iter().enumerate() {
        let (vertices, fall) = (body.vertex_range(), carried(b));
        let drift = drift(vertices.clone(), |v| reach.ways[v]);
        let least = vertices.clone().map(|v| reach.least(v)).fold(0.0, Real::max);
        reach
            .commons
            .push((AGAIN * bodies_ahead[b]).max(least) + if vertices.is_empty() { 0.0 } else { fall });
        for v in vertices.clone() {
            let springs_back = match body.kind {
                BodyKind::Flexible(_) => flexibles[b].touched.springs_back(v - vertices.start).unwrap_or(0.0),
                _ => 0.5 * fall,
            };
            let stray = STRAY * (reach.ways[v] - drift).length() + springs_back;
            reach.strays[v] = stray.max(AGAIN * ahead[v]).max(reach.least(v));
        }
    }
    growth::make_room(sub, state, &mut reach.strays);
    reach.frames.clear();
    reach.frames.extend(model.rigids.iter().zip(frames_ahead).map(|(rigid, ahead)| {
        match rigid.inv_mass > 0.0 {
            true => (AGAIN * ahead).max(LEAST[0]) + carried(rigid.body.at()),
            false => 0.0,
        }
    }));
    reach.first.clone_from(&reach.ways);
    reach.beyond.resize(state.ahead.len(), 0.0);
    reach.gather(model);
}

/// Where the response and the filter have taken everything: from there it strays by a share of what that was off.
pub(in crate::detect) fn look_again(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let model = sub.model;
    let (steps, turns) = scratch.planes.taken();
    let reach = &mut scratch.reach;
    for (b, body) in model.bodies.iter().enumerate() {
        let vertices = body.vertex_range();
        let off = drift(vertices.clone(), |v| steps[v] - reach.ways[v]);
        let least = vertices.clone().map(|v| reach.least(v)).fold(0.0, Real::max);
        reach.commons[b] = (AFTER * off.length()).max(least);
        for v in vertices {
            let far = (steps[v] - reach.ways[v] - off).length();
            reach.strays[v] = (AFTER * far).max(reach.least(v));
        }
    }
    for (r, rigid) in model.rigids.iter().enumerate().filter(|(_, rigid)| rigid.inv_mass > 0.0) {
        reach.frames[r] = (AFTER * strayed(&rigid.shape, reach.turns[r], turns[r])).max(LEAST[0]);
    }
    reach.ways.copy_from_slice(steps);
    reach.turns.copy_from_slice(turns);
    growth::make_room(sub, state, &mut reach.strays);
    reach.gather(model);
}

impl Reach {
    /// The least that a vertex is expected to stray \[m\].
    fn least(&self, v: usize) -> Real {
        LEAST[0].min(LEAST[1] * self.edges[v])
    }
}

/// What is not a number does not move.
fn finite(way: Vec3) -> Vec3 {
    if way.is_finite() { way } else { Vec3::ZERO }
}
