//! How far everything may go in a substep, and so how far detection and filter have to look.

mod alone;
mod calm;

use super::{Places, growth};
use crate::body::Substep;
use crate::model::{BodyKind, Model, PrimKind};
use crate::params::Response;
use crate::respond::augmented_lagrangian::REST_GAP;
use crate::state::State;
use crate::{PrimId, Real, Scratch, Vec3};
use serosa_geometry::rotation::to_rotation_vector;
use serosa_geometry::{Aabb, Touch};

/// The least that a vertex may stray, however slow it is \[m\].
const LEAST: Real = 2e-4;
/// The longest reach, however fast: what is faster is held back by the filter \[m\].
const MOST: Real = 3e-2;
/// Ways as a multiple of the free motion: contacts may send a vertex farther.
const AHEAD: Real = 1.2;
/// How far a vertex may stray from its way, as a share of it.
const STRAY: Real = 0.35;
/// Solids and springs that descend with rows stray farther, by what they would fall from rest: whether they do is known when
/// they descend.
const FALL: Real = 1.2;
/// A touch gets a row where the free motion, erring by this share of what its sides may stray, would close its gap.
const DOUBT: Real = 0.5;
/// Fat boxes hold what goes on as it does for so many steps more.
const STRIDES: Real = 3.0;

/// How far things may go in a substep. A vertex goes anywhere along its way, and strays from it by so much; a rigid
/// frame takes none of its points farther than so much. The filter holds back what would go beyond.
///
/// So a side of a pair comes nearer to the other by at most what [`Self::advance`] says. Turns of a rope that fall
/// together hardly come nearer: near is not what is fast, but what may meet.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Longer than the free motion takes each vertex \[m\].
    pub ways: Vec<Vec3>,
    /// How far each vertex may stray from its way \[m\].
    pub strays: Vec<Real>,
    /// How far each rigid frame may take its points \[m\].
    pub frames: Vec<Real>,
    /// Where the free motion takes each rigid frame: a shift \[m\] and a rotation vector.
    pub turns: Vec<[Vec3; 2]>,
    /// One per primitive: as far as any of its points strays or is taken \[m\].
    pub prims: Vec<Real>,
    /// One per primitive: the most that it may come nearer to anything \[m\].
    pub farthest: Vec<Real>,
    /// One per vertex: a step that all of its body takes, from which way and stray are counted \[m\]. Nothing but for
    /// bodies that meet nobody.
    pub common: Vec<Vec3>,
    /// A box around all that each body may sweep.
    bodies: Vec<Aabb>,
    /// One per vertex: the longest edge at it at rest, on surfaces; no bound elsewhere \[m\].
    pub(crate) edges: Vec<Real>,
}

impl Reach {
    /// Room for what a model has.
    pub(crate) fn of(model: &Model) -> Self {
        Self { edges: calm::edges(model), ..Self::default() }
    }

    /// What stands still and may move so far in any direction, one reach per primitive \[m\].
    pub fn around(model: &Model, prims: Vec<Real>) -> Self {
        Self {
            ways: vec![Vec3::ZERO; model.rest.len()],
            strays: Vec::new(),
            frames: Vec::new(),
            turns: vec![[Vec3::ZERO; 2]; model.rigids.len()],
            common: Vec::new(),
            bodies: Vec::new(),
            edges: Vec::new(),
            farthest: prims.clone(),
            prims,
        }
    }

    /// How far a step of a vertex is off its free motion \[m\].
    pub(crate) fn off_way(&self, v: usize, step: Vec3) -> Vec3 {
        step - self.common[v] - self.ways[v] / AHEAD
    }

    /// The box that a primitive may sweep, from the box where it stands.
    #[inline]
    pub(super) fn swept(&self, model: &Model, prim: PrimId, at: Aabb, steps: Real) -> Aabb {
        match model.prims[prim.at()].kind {
            PrimKind::Shape(_) => at.grown(steps * self.prims[prim.at()]),
            ref soft => {
                let ways = soft.vertices().iter().map(|v| self.ways[v.at()] * steps);
                let none = (Vec3::ZERO, Vec3::ZERO);
                let (low, high) = ways.fold(none, |(low, high), way| (low.min(way), high.max(way)));
                Aabb { min: at.min + low, max: at.max + high }.grown(self.prims[prim.at()])
            }
        }
    }

    /// The same for as long as a list of pairs should last.
    pub(super) fn fat(&self, model: &Model, prim: PrimId, at: Aabb) -> Aabb {
        let far = self.swept(model, prim, at, STRIDES);
        let vertex = model.prims[prim.at()].kind.vertices().first();
        let Some(common) = vertex.and_then(|v| self.common.get(v.at())) else { return far };
        Aabb { min: far.min.min(far.min + *common * STRIDES), max: far.max.max(far.max + *common * STRIDES) }
    }

    /// The most that any point of a primitive may go along `dir` \[m\].
    #[inline]
    fn advance(&self, model: &Model, prim: PrimId, dir: Vec3) -> Real {
        let stray = self.prims[prim.at()];
        match model.prims[prim.at()].kind {
            PrimKind::Shape(_) => stray,
            ref soft => {
                stray + soft.vertices().iter().map(|v| self.ways[v.at()].dot(dir)).fold(0.0, Real::max)
            }
        }
    }

    /// Whether a pair that is nearest at that touch may meet. Otherwise there is a plane between, square to the normal,
    /// that neither side reaches.
    #[inline]
    pub(super) fn may_meet(&self, model: &Model, (a, b): (PrimId, PrimId), nearest: &Touch) -> bool {
        let advance = self.advance(model, a, -nearest.normal) + self.advance(model, b, nearest.normal);
        // Not a number: better a pair too many.
        nearest.gap.is_nan() || advance.is_nan() || nearest.gap < advance
    }

    /// Whether a touch may push in this substep. What meets without having seemed to is kept apart by the filter, and
    /// seen in the next.
    #[inline]
    pub(super) fn may_push(
        &self,
        model: &Model,
        at: Places,
        (a, b): (PrimId, PrimId),
        touch: &Touch,
    ) -> bool {
        let way = |prim: PrimId, along: Real, point: Vec3| match model.prims[prim.at()].kind {
            PrimKind::Segment([v, w]) => self.ways[v.at()].lerp(self.ways[w.at()], along),
            PrimKind::Triangle(corners) => {
                corners.iter().zip(touch.weights).map(|(v, weight)| self.ways[v.at()] * weight).sum()
            }
            PrimKind::Shape(r) => {
                let [shift, turn] = self.turns[r.at()];
                shift + turn.cross(point - at.pose[r.at()].pos)
            }
        };
        let opens = (way(a, touch.s, touch.on_a) - way(b, touch.t, touch.on_b)).dot(touch.normal);
        // What solids and flexible bodies do to their surfaces free motion does not know; nor whether they fall.
        let errs = |prim: PrimId| match model.bodies[model.prims[prim.at()].body.at()].kind {
            BodyKind::Solid(_) | BodyKind::Flexible(_) => self.prims[prim.at()],
            _ => DOUBT * self.prims[prim.at()],
        };
        let doubt = errs(a) + errs(b);
        let room = touch.gap + opens - doubt;
        room.is_nan() || room <= REST_GAP
    }
}

/// Sets all reaches, each from its own free motion: one fast tool does not make detection look farther everywhere.
/// Where the filter held something back in the last substep because it had not looked far enough, a stretched rope
/// that is let go say, it strays that far at least; and as far as what sprang back beside it.
pub(super) fn look_ahead(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let model = sub.model;
    let Scratch { reach, pos, pose, flexibles, .. } = scratch;
    let within = |least: Real, far: Real| if far.is_finite() { far.clamp(least, MOST) } else { MOST };
    let astray = |v: usize, far: Real| within((AHEAD * state.ahead[v]).clamp(LEAST, MOST), far);
    reach.ways.clear();
    reach.ways.extend(pos.iter().zip(&state.pos).map(|(to, from)| {
        let way = (*to - *from) * AHEAD;
        if way.is_finite() { way.clamp_length_max(MOST) } else { Vec3::ZERO }
    }));
    // What jaws hold goes with them.
    for grip in &state.grips {
        let (v, r) = (grip.vertex.at(), model.tools[grip.tool.at()].rigid.at());
        let way = (pose[r].point(grip.at) - state.pos[v]) * AHEAD;
        reach.ways[v] = if way.is_finite() { way.clamp_length_max(MOST) } else { Vec3::ZERO };
    }
    reach.strays.clear();
    reach.strays.extend(reach.ways.iter().enumerate().map(|(v, way)| astray(v, STRAY * way.length())));
    if sub.params.response == Response::AugmentedLagrangian {
        let fall = FALL * sub.params.fall().length() * sub.h * sub.h;
        for (b, body) in model.bodies.iter().enumerate() {
            let first = body.vertex_range().start;
            let more = |v: usize| match body.kind {
                BodyKind::Solid(_) | BodyKind::Springs(_) | BodyKind::Tissue(_) => Some(fall),
                BodyKind::Flexible(_) => flexibles[b].touched.springs_back(v - first),
                _ => None,
            };
            for v in body.vertex_range() {
                if let Some(more) = more(v) {
                    reach.strays[v] = astray(v, STRAY * reach.ways[v].length() + more);
                }
            }
        }
    }
    reach.turns.clear();
    reach.turns.extend(
        pose.iter()
            .zip(&state.pose)
            .map(|(to, from)| [to.pos - from.pos, to_rotation_vector(to.rot * from.rot.conjugate())]),
    );
    reach.frames.clear();
    let arms = model.rigids.iter().map(|rigid| rigid.shape.arm());
    let far =
        |[shift, turn]: &[Vec3; 2], arm: Real| within(LEAST, AHEAD * (shift.length() + turn.length() * arm));
    reach.frames.extend(reach.turns.iter().zip(arms).map(|(turn, arm)| far(turn, arm)));
    let fall = FALL * sub.params.fall().length() * sub.h * sub.h;
    alone::leave(model, (state, pos), reach, |v, way| astray(v, STRAY * way + fall));
    calm::calm(model, reach);
    growth::make_room(sub, state, &mut reach.strays, MOST);
    reach.prims.clear();
    reach.prims.extend(model.prims.iter().map(|prim| match prim.kind {
        PrimKind::Shape(r) => reach.frames[r.at()],
        ref soft => soft.vertices().iter().map(|v| reach.strays[v.at()]).fold(0.0, Real::max),
    }));
    reach.farthest.clear();
    reach.farthest.extend(model.prims.iter().zip(&reach.prims).map(|(prim, stray)| match prim.kind {
        PrimKind::Shape(_) => *stray,
        ref soft => {
            let ways = soft.vertices().iter().map(|v| reach.ways[v.at()].length_squared());
            stray + ways.fold(0.0, Real::max).sqrt()
        }
    }));
}
