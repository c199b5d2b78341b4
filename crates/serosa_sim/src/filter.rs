//! Filter: steps are shortened so that nothing passes through anything.
//!
//! Every near pair of primitives gets one of two certificates for the whole substep.
//!
//! *It stays apart as it is*: either along the direction in which it is nearest at the start, where a gap that is there
//! at both ends of the (linear) motion is there at every instant; or the motion of two capsules, or of a capsule and a
//! triangle, is followed from one end of the substep to the other ([`crate::detect::path`]). A pair that does not stay apart is first parted:
//! its corners are moved back along the direction in which it first meets until the gap is there in the end, each side by as
//! much as it is light. Only what both sides do apart is taken back; a tissue that a tool pushes along goes with it, and what
//! slides past something is not held up by it.
//!
//! *A plane stays between*: where pairs part one another in vain, a plane is put between each where it is at the start, and
//! every vertex of either side is kept on its side of it. Both convex hulls then stay on their sides for the whole motion,
//! so the pair cannot touch, whatever the response wanted. To stand still is always allowed, so these planes can be kept
//! all at once; but they stop what goes together.
//!
//! A step that is shortened for one pair takes the first certificate from the other pairs of its vertices, and they are
//! looked at again; pairs are parted in so many rounds only, and planes are only ever added, so this ends. Pairs that are
//! not near cannot meet as long as everything goes where it was expected, but for what it may stray. Where that does not
//! hold in the end the search is made again, farther ([`Reach::holds`]). In the last searches planes stand still, and what they
//! shorten is let stop anywhere on its way ([`Reach::let_stop`]); the very last lets everything, and is enough for whatever planes
//! do.
//!
//! What is stopped is stopped by an impulse ([`impulse`]): velocities are changed by what acts between the sides of a pair,
//! equal and opposite, never by what the shortened step was.
//!
//! The guarantee starts from a separated state and holds in f64 with a margin of a hundredth of the gap at rest, at most
//! [`MARGIN`]. A shape turned by an angle a leaves the chord of its motion by at most a² r/2 at a distance r; rigid frames
//! pay for that too.

mod certify;
mod impulse;
mod lookout;
mod scene;
mod shorten;

pub use certify::Planes;
pub(crate) use scene::margin;
pub(crate) use shorten::Shortened;

use crate::body::Substep;
use crate::detect::Near;
use crate::model::{BodyKind, Pose, PrimKind};
use crate::params::Filter;
use crate::row::{REST_GAP, Side};
use crate::state::State;
use crate::{PrimId, Real, Scratch, Vec3, VertexId};
use certify::certify;
use scene::Scene;
use serosa_geometry::rotation::from_rotation_vector;
use shorten::Turn;

/// The gap that is always left between primitives that are not thinner than a millimetre \[m\].
pub const MARGIN: Real = REST_GAP * MARGIN_SHARE;
/// The gap that is always left, as a share of the gap at rest.
const MARGIN_SHARE: Real = 1e-2;
/// How much of the room between a pair a step may use up.
const USE: Real = 0.9;
/// Searches after which planes stand still, and what they shorten may stop anywhere on its way.
const SEARCHES: u32 = 5;
/// Searches after that, the last of which lets everything stop anywhere.
const STOPS: u32 = 3;

/// What is stopped by less than this share of the gap at rest needs no more sweeps.
const FAR: Real = 0.5;

/// Brings the near pairs of each vertex and of each frame together. Cost: linear in pairs and vertices.
pub(crate) fn plan(sub: &Substep, scratch: &mut Scratch) {
    scratch.planes.link(sub.model, &scratch.finder.near, scratch.pos.len());
}

/// Shortens all steps, as [`take`] will take them over. False where something then goes where nothing was searched for: the
/// search is to be made again, and this too. `search` counts the searches of a substep, from 0.
/// Cost: linear in vertices and near pairs, but for pairs whose neighbours were shortened.
pub(crate) fn clip(sub: &Substep, state: &State, scratch: &mut Scratch, search: u32) -> bool {
    if sub.params.filter == Filter::Off {
        return true;
    }
    let last = search >= SEARCHES;
    shorten(sub, state, scratch, !last);
    let Scratch { planes, reach, .. } = scratch;
    planes.taken.clear();
    planes.taken.extend(planes.turns.iter().map(|turn| [turn.shift, turn.turn]));
    // What planes that stand still leave has been searched for.
    if search >= SEARCHES + STOPS || reach.holds(sub.model, &planes.steps, &planes.taken) {
        return true;
    }
    if search + 1 >= SEARCHES {
        let_stop(sub, state, scratch, search + 1 >= SEARCHES + STOPS);
    }
    false
}

/// What was shortened may stop anywhere from here on; or all.
fn let_stop(sub: &Substep, state: &State, scratch: &mut Scratch, all: bool) {
    let Scratch { planes, reach, pos, pose, .. } = scratch;
    std::mem::swap(&mut planes.steps, &mut planes.wanted);
    std::mem::swap(&mut planes.turns, &mut planes.wanted_turns);
    aim(state, (pos, pose), planes);
    planes.taken.clear();
    planes.taken.extend(planes.turns.iter().map(|turn| [turn.shift, turn.turn]));
    let (short, short_turns, vertices) = (&planes.wanted, &planes.wanted_turns, planes.steps.len());
    let is_short = |node: usize| match node.checked_sub(vertices) {
        None => short[node] != planes.steps[node],
        Some(r) => short_turns[r] != planes.turns[r],
    };
    reach.let_stop(sub.model, (&planes.steps, &planes.taken), is_short, all);
}

/// Shortens all steps on the way of a response, which goes on from there: where nothing was searched for is not asked.
pub(crate) fn clip_on_the_way(sub: &Substep, state: &State, scratch: &mut Scratch) {
    if sub.params.filter != Filter::Off {
        shorten(sub, state, scratch, true);
        move_to(sub, state, scratch);
    }
}

/// Steps to where the response would have everything; what is not a number stays.
fn aim(state: &State, (pos, pose): (&[Vec3], &[Pose]), planes: &mut Planes) {
    let finite = |step: Vec3| if step.is_finite() { step } else { Vec3::ZERO };
    planes.steps.clear();
    planes.steps.extend(pos.iter().zip(&state.pos).map(|(to, from)| finite(*to - *from)));
    planes.turns.clear();
    planes.turns.extend(pose.iter().zip(&state.pose).map(|(to, from)| Turn::between(from, to).finite()));
}

fn shorten(sub: &Substep, state: &State, scratch: &mut Scratch, parts: bool) {
    let planes = &mut scratch.planes;
    aim(state, (&scratch.pos, &scratch.pose), planes);
    planes.is_touched.clear();
    planes.is_touched.resize(planes.steps.len() + planes.turns.len(), false);
    let pairs = &scratch.finder.near[..];
    planes.begin(pairs.len());
    let scene = Scene {
        model: sub.model,
        state,
        growth: &scratch.growth,
        inv_mass: &scratch.inv_mass,
        mobility: &scratch.rigid_mobility,
        pairs,
    };
    certify(planes, &scene, parts);
}

/// Whether anything was stopped.
pub(crate) fn stops(scratch: &Scratch) -> bool {
    !scratch.planes.stops.is_empty()
}

/// Whether anything was stopped that would have gone farther than a share of the gap at rest. O(vertices of stopped pairs).
pub(crate) fn stops_far(sub: &Substep, state: &State, scratch: &Scratch) -> bool {
    let Scratch { planes, finder, pos, pose, .. } = scratch;
    planes.stops.iter().map(|k| &finder.near[*k as usize]).any(|pair| {
        let [a, b] = pair.prims;
        let most = FAR * sub.model.rest_gap((a, b), &state.radius);
        pair.prims.iter().any(|prim| match sub.model.prims[prim.at()].kind {
            PrimKind::Shape(r) => {
                let shift = pose[r.at()].pos - state.pose[r.at()].pos;
                (planes.turns[r.at()].shift - shift).length() > most
            }
            ref soft => {
                let cut = |v: &VertexId| (planes.steps[v.at()] - (pos[v.at()] - state.pos[v.at()])).length();
                soft.vertices().iter().any(|v| cut(v) > most)
            }
        })
    })
}

/// Whether something ends nearer than at rest, nearer than it was, and no row stands for it: it was not expected there.
/// O(pairs that are as near in the end).
pub(crate) fn leaves_unanswered(sub: &Substep, state: &State, scratch: &Scratch) -> bool {
    let Scratch { planes, finder, growth, inv_mass, rigid_mobility: mobility, links, touching, .. } = scratch;
    let scene = Scene { model: sub.model, state, growth, inv_mass, mobility, pairs: &finder.near };
    let has_row = |pair: &Near| {
        let [a, b] = pair.prims;
        // One edge speaks for a vertex that others hold too.
        let holds = |side: &Side, prim: PrimId| match (side, &sub.model.prims[prim.at()].kind) {
            (Side::Rigid(r, _), PrimKind::Shape(own)) => r == own,
            (soft, own) => soft.vertices().iter().any(|v| own.vertices().contains(v)),
        };
        let for_both = |[x, y]: &[Side; 2]| holds(x, a) && holds(y, b) || holds(x, b) && holds(y, a);
        let vertices = pair.prims.iter().flat_map(|prim| sub.model.prims[prim.at()].kind.vertices());
        // Those that were answered: a search made again has found others since.
        touching.iter().any(|row| row.row().is_some_and(|key| (key.a, key.b) == (a, b)))
            || vertices
                .flat_map(|v| links.of(v.at()))
                .any(|link| for_both(&touching[link.row as usize].sides))
    };
    sub.params.filter != Filter::Off
        && planes.closers.iter().any(|k| {
            let pair = &scene.pairs[*k as usize];
            !planes.stands(*k as usize) && planes.closes_in(&scene, pair) && !has_row(pair)
        })
}

/// Takes over the steps that were shortened.
pub(crate) fn take(sub: &Substep, state: &State, scratch: &mut Scratch) -> Shortened {
    if sub.params.filter == Filter::Off {
        return Shortened::default();
    }
    let attachments = attachments_shortened(sub, state, scratch);
    scratch.planes.lookout.begin(sub.model, &scratch.reach, &scratch.planes.steps);
    let vertices = move_to(sub, state, scratch);
    scratch.stopped.fill(false);
    for prim in scratch.planes.stops.iter().flat_map(|k| scratch.finder.near[*k as usize].prims) {
        scratch.stopped[sub.model.prims[prim.at()].body.at()] = true;
    }
    Shortened { vertices, attachments }
}

/// Stops by impulses what the shortened steps would have met.
pub(crate) fn stop(sub: &Substep, scratch: &mut Scratch) {
    if sub.params.filter != Filter::Off {
        impulse::stop(sub, scratch);
    }
}

/// Moves everything to the end of its step; how many of the steps were shortened.
fn move_to(sub: &Substep, state: &State, scratch: &mut Scratch) -> u32 {
    let Scratch { planes, pos, pose, lost, .. } = scratch;
    let mut shortened = 0;
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        for v in body.vertex_range() {
            let (step, wanted) = (planes.steps[v], pos[v] - state.pos[v]);
            if step != wanted {
                shortened += 1;
                lost[b] |= !wanted.is_finite();
                pos[v] = state.pos[v] + step;
            }
        }
        if let BodyKind::Rigid(r) = body.kind {
            let (from, to, allowed) = (&state.pose[r.at()], &mut pose[r.at()], &planes.turns[r.at()]);
            if *allowed != Turn::between(from, to) {
                shortened += 1;
                to.pos = from.pos + allowed.shift;
                to.rot = (from_rotation_vector(allowed.turn) * from.rot).normalize();
            }
        }
    }
    shortened
}

/// Attachments with a vertex whose step is shorter than what is asked for. Cost: linear in attachments.
fn attachments_shortened(sub: &Substep, state: &State, scratch: &Scratch) -> u32 {
    let Scratch { planes, pos, .. } = scratch;
    let short = |v: VertexId| planes.steps[v.at()] != pos[v.at()] - state.pos[v.at()];
    let grips = state.grips.iter().filter(|g| short(g.vertex)).count();
    let ties = sub.model.ties.iter();
    let ties = ties.filter(|t| t.ends.iter().flat_map(|k| k.nodes).any(short)).count();
    let walls = sub.model.bodies.iter().filter_map(|body| match &body.kind {
        BodyKind::Solid(solid) => Some(solid.walls.iter().filter(|w| short(w.vertex)).count()),
        _ => None,
    });
    (grips + ties + walls.sum::<usize>()) as u32
}
