//! What is expected of a substep: before the response, and after it.

use super::{Reach, drift, strayed};
use crate::body::{Substep, is_carried};
use crate::detect::growth;
use crate::detect::own::spin;
use crate::model::{BodyKind, Model, PrimKind, Rigid};
use crate::params::Response;
use crate::state::State;
use crate::{Real, Scratch, Vec3};
use serosa_geometry::rotation::to_rotation_vector;

/// The least that anything is expected to stray \[m\], and as a share of its edges.
pub(super) const LEAST: [Real; 2] = [1e-4, 0.02];
/// What strayed in the last substep may stray so many times as far in this one.
const AGAIN: Real = 1.4;
/// How far a vertex may stray, as a share of its way beside that of its body.
const STRAY: Real = 0.35;
/// Of solids: how far a vertex may stray, as a share of how far its way goes from those of its neighbours, of what it would
/// fall from rest, and of what it strayed in the last substep. A surface is near to much of itself, so that to look far costs
/// more than to search again for what has strayed: then its way is known, and what is near it are a hundred times fewer.
const OWN_STRAY: Real = 0.1;
const OWN_FALL: Real = 0.1;
const OWN_AGAIN: Real = 0.3;
/// The last at most so many edges.
const OWN_EDGES: Real = 0.05;
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
    reach.part_along_edges(model);
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
            let (stray, again) = match body.kind {
                BodyKind::Solid(_) => {
                    let again = (OWN_AGAIN * ahead[v]).min(OWN_EDGES * reach.edges[v]);
                    (OWN_STRAY * reach.strays[v] + OWN_FALL * fall, again)
                }
                _ => (STRAY * (reach.ways[v] - drift).length() + springs_back, AGAIN * ahead[v]),
            };
            reach.strays[v] = stray.max(again).max(reach.least(v));
        }
    }
    growth::make_room(sub, state, &mut reach.strays);
    reach.frames.clear();
    reach.frames.extend(model.rigids.iter().zip(frames_ahead).map(|(rigid, ahead)| {
        match rigid.inv_mass > 0.0 {
            true => again(model, rigid, *ahead).max(LEAST[0]) + carried(rigid.body.at()),
            false => 0.0,
        }
    }));
    reach.first.clone_from(&reach.ways);
    reach.known = false;
    reach.begin_anew(model, state);
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
    // What was followed strays by all that it may: rows are to know of that.
    reach.known = true;
    reach.begin_anew(model, state);
    growth::make_room(sub, state, &mut reach.strays);
    reach.gather(model);
}

/// How far a frame may stray that strayed so far in the last substep \[m\]. A tool that was once sent far is not near to everything
/// for long.
fn again(model: &Model, rigid: &Rigid, ahead: Real) -> Real {
    let prims = &model.bodies[rigid.body.at()].prims;
    let own = &model.prims[prims.start as usize..prims.end as usize];
    let size = own.iter().map(|p| p.radius).fold(0.0, Real::max);
    (AGAIN * ahead).min(size.max(OWN_AGAIN * ahead))
}

impl Reach {
    /// Strays are how far ways go apart along edges.
    fn part_along_edges(&mut self, model: &Model) {
        let Self { ways, strays, .. } = self;
        strays.clear();
        strays.resize(ways.len(), 0.0);
        for prim in &model.prims {
            if let PrimKind::Segment([a, b]) = prim.kind {
                let apart = (ways[a.at()] - ways[b.at()]).length();
                [a, b].iter().for_each(|v| strays[v.at()] = strays[v.at()].max(apart));
            }
        }
    }

    /// Nothing has strayed yet, and bodies turn as their ways do.
    fn begin_anew(&mut self, model: &Model, state: &State) {
        let count = state.ahead.len();
        self.beyond.resize(count, 0.0);
        self.times.clear();
        self.times.resize(count, 0);
        self.moved.resize(count, false);
        self.all_moved = true;
        self.stops = false;
        self.turned.clear();
        self.turned.resize(self.ways.len(), Vec3::ZERO);
        for body in model.bodies.iter().filter(|body| body.self_contact && !body.vertices.is_empty()) {
            let (at, ways) = (&state.pos[body.vertex_range()], &self.ways[body.vertex_range()]);
            let count = at.len() as Real;
            let [middle, way] = [at, ways].map(|all| all.iter().sum::<Vec3>() / count);
            let turn = spin(at.iter().zip(ways).map(|(at, goes)| (*at - middle, *goes - way)));
            let turned = self.turned[body.vertex_range()].iter_mut().zip(at);
            turned.for_each(|(turned, at)| *turned = finite(turn.cross(*at - middle)));
        }
    }

    /// The least that a vertex is expected to stray \[m\].
    pub(super) fn least(&self, v: usize) -> Real {
        LEAST[0].min(LEAST[1] * self.edges[v])
    }
}

/// What is not a number does not move.
fn finite(way: Vec3) -> Vec3 {
    if way.is_finite() { way } else { Vec3::ZERO }
}
