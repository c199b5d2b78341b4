//! Where everything is expected to go in a substep, and how far it may stray from there: so far detection has to look.
//!
//! Only motion apart counts. Two primitives can meet where one goes towards the other, not where both are fast; what falls
//! together is as near as what lies still. Nothing bounds a motion: what the response and the filter did in the end is
//! compared with what was searched for ([`Reach::holds`]), and where it went beyond, the search is made again, farther.

use super::{Places, growth};
use crate::body::Substep;
use crate::model::{Body, BodyKind, Model, Pose, PrimKind, Shape};
use crate::params::Response;
use crate::row::REST_GAP;
use crate::state::State;
use crate::{PrimId, Real, Scratch, Vec3};
use serosa_geometry::rotation::to_rotation_vector;
use serosa_geometry::{Aabb, Touch};

/// The least that anything is expected to stray \[m\], and as a share of its edges.
const LEAST: [Real; 2] = [1e-4, 0.02];
/// What strayed in the last substep may stray so many times as far in this one.
const AGAIN: Real = 1.2;
/// How far a vertex may stray, as a share of its way beside that of its body.
const STRAY: Real = 0.35;
/// What descends with rows may stray by so many times what it would fall from rest: whether it falls is known when it
/// descends.
const FALL: Real = 1.2;
/// A touch gets a row where the free motion, erring by this share of what its sides may stray, would close its gap.
const DOUBT: Real = 0.5;
/// A list of pairs should last for so many steps more, as far as that is not more than a few primitives.
const STRIDES: [Real; 2] = [2.0, 2.0];
/// How much of what may be strayed is used before the search is made again.
const USE: Real = 0.9;
/// What has strayed too far may stray so many times as far when the search is made again.
const FARTHER: Real = 1.3;

/// Where things go in a substep: at each share of it a vertex is that share of its way on, and no farther from there than it
/// may stray; and so each point of a rigid frame.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Where each vertex is expected to go \[m\].
    pub ways: Vec<Vec3>,
    /// How far each vertex may stray from its way \[m\].
    pub strays: Vec<Real>,
    /// Where each rigid frame is expected to go: a shift \[m\] and a rotation vector.
    pub turns: Vec<[Vec3; 2]>,
    /// How far any point of a rigid frame may stray, but for its bow \[m\].
    pub frames: Vec<Real>,
    /// One per primitive: as far as any of its points may stray \[m\].
    pub prims: Vec<Real>,
    /// One per primitive: the mean of its ways \[m\].
    mids: Vec<Vec3>,
    /// One per primitive: how far any of its points may be from there, and half of a gap at rest \[m\].
    spreads: Vec<Real>,
    /// One per vertex: a length of the surface or rope about it \[m\].
    pub(crate) edges: Vec<Real>,
    /// What was expected before the search was made again.
    before: Vec<Vec3>,
    turns_before: Vec<[Vec3; 2]>,
    /// Where each vertex was first expected to go in this substep \[m\].
    first: Vec<Vec3>,
    /// One per vertex, then per frame: how far it went from where it was expected, where that was too far \[m\].
    beyond: Vec<Real>,
}

impl Reach {
    /// Room for what a model has.
    pub(crate) fn of(model: &Model) -> Self {
        Self { edges: edges(model), ..Self::default() }
    }

    /// What stands still and may stray so far in any direction, one of these for each primitive \[m\].
    pub fn around(model: &Model, prims: Vec<Real>) -> Self {
        let mut reach = Self {
            ways: vec![Vec3::ZERO; model.rest.len()],
            turns: vec![[Vec3::ZERO; 2]; model.rigids.len()],
            prims,
            ..Self::default()
        };
        reach.bound(model);
        reach
    }

    /// Ways and strays of primitives, from those of their vertices and frames. O(primitives).
    pub fn bound(&mut self, model: &Model) {
        let Self { ways, turns, prims, mids, spreads, .. } = self;
        mids.clear();
        spreads.clear();
        for (prim, stray) in model.prims.iter().zip(prims) {
            let (mid, spread) = match prim.kind {
                PrimKind::Shape(r) => {
                    let ([shift, turn], shape) = (turns[r.at()], &model.rigids[r.at()].shape);
                    (shift, farthest(shape, turn))
                }
                ref soft => {
                    let ways = soft.vertices().iter().map(|v| ways[v.at()]);
                    let mid = ways.clone().sum::<Vec3>() / soft.vertices().len() as Real;
                    (mid, ways.map(|way| (way - mid).length()).fold(0.0, Real::max))
                }
            };
            mids.push(mid);
            // Rows are made up to the gap at which things rest.
            spreads.push(spread + *stray + 0.5 * REST_GAP);
        }
    }

    /// The box that a primitive may sweep, from the box where it stands.
    #[inline]
    pub(super) fn swept(&self, prim: PrimId, at: Aabb) -> Aabb {
        let (mid, spread) = (self.mids[prim.at()], self.spreads[prim.at()]);
        Aabb { min: at.min + mid.min(Vec3::ZERO), max: at.max + mid.max(Vec3::ZERO) }.grown(spread)
    }

    /// The same for as long as a list of pairs should last, among primitives of a size \[m\].
    pub(super) fn fat(&self, prim: PrimId, swept: Aabb, size: Real) -> Aabb {
        let (mid, spread) = (self.mids[prim.at()], self.spreads[prim.at()]);
        let on = (mid * STRIDES[0]).clamp_length_max(STRIDES[1] * size);
        let all = Aabb { min: swept.min + on.min(Vec3::ZERO), max: swept.max + on.max(Vec3::ZERO) };
        all.grown(if spread.is_finite() { (STRIDES[0] * spread).min(0.5 * size) } else { 0.0 })
    }

    /// How much nearer two primitives may come to one another at most \[m\].
    #[inline]
    pub(super) fn margin(&self, a: PrimId, b: PrimId) -> Real {
        let apart = (self.mids[a.at()] - self.mids[b.at()]).length();
        apart + self.spreads[a.at()] + self.spreads[b.at()]
    }

    /// How far a primitive may advance along `dir` \[m\]; negative where it surely goes back.
    #[inline]
    fn advance(&self, model: &Model, at: Places, prim: PrimId, dir: Vec3) -> Real {
        let on = match model.prims[prim.at()].kind {
            PrimKind::Shape(r) => {
                let [shift, turn] = self.turns[r.at()];
                let shape = &model.rigids[r.at()].shape;
                shift.dot(dir) + ahead(shape, &at.pose[r.at()], turn, dir)
            }
            ref soft => {
                soft.vertices().iter().map(|v| self.ways[v.at()].dot(dir)).fold(Real::NEG_INFINITY, Real::max)
            }
        };
        on + self.prims[prim.at()]
    }

    /// Whether a pair that is nearest at that touch may meet. Otherwise there is a plane between, square to the normal
    /// and going evenly, that neither side reaches.
    #[inline]
    pub(super) fn may_meet(
        &self,
        model: &Model,
        at: Places,
        (a, b): (PrimId, PrimId),
        nearest: &Touch,
    ) -> bool {
        let n = nearest.normal;
        let nearer = self.advance(model, at, a, -n) + self.advance(model, at, b, n);
        // Not a number: better a pair too many.
        nearest.gap.is_nan() || nearer.is_nan() || nearest.gap < nearer.max(0.0)
    }

    /// Whether a touch may push in this substep, where contacts keep a gap of `rest` \[m\]. What meets without having seemed
    /// to is seen when the steps are known.
    #[inline]
    pub(super) fn may_push(
        &self,
        model: &Model,
        at: Places,
        (a, b): (PrimId, PrimId),
        (touch, rest): (&Touch, Real),
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
        let room = touch.gap + opens - errs(a) - errs(b);
        room.is_nan() || room <= rest
    }

    /// Whether nothing that touches strayed farther from its way than was searched for. Where something did, it may stray
    /// farther from now on. O(vertices + frames).
    pub(crate) fn holds(&mut self, model: &Model, steps: &[Vec3], turns: &[[Vec3; 2]]) -> bool {
        let mut holds = true;
        for v in 0..steps.len() {
            let far = (steps[v] - self.ways[v]).length();
            if !(far <= USE * self.strays[v]) && !model.neighbours.at(v.into()).is_empty() {
                self.beyond[v] = self.beyond[v].max(far);
                self.strays[v] = if far.is_finite() { FARTHER * far / USE } else { Real::INFINITY };
                holds = false;
            }
        }
        for (r, turn) in turns.iter().enumerate() {
            let far = strayed(&model.rigids[r].shape, self.turns[r], *turn);
            if !(far <= USE * self.frames[r]) {
                let beyond = &mut self.beyond[steps.len() + r];
                *beyond = beyond.max(far);
                self.frames[r] = if far.is_finite() { FARTHER * far / USE } else { Real::INFINITY };
                holds = false;
            }
        }
        if !holds {
            self.gather(model);
        }
        holds
    }

    /// Forgets what went too far in an earlier substep.
    pub(super) fn forget(&mut self) {
        self.beyond.fill(0.0);
    }

    /// One per vertex, then per frame: how far it went from where it was expected, where that was too far \[m\].
    pub(crate) fn beyond(&self) -> &[Real] {
        &self.beyond
    }

    /// How far a step of a vertex is off its free motion \[m\].
    pub(crate) fn off_way(&self, v: usize, step: Vec3) -> Vec3 {
        step - self.first[v]
    }

    /// Lets everything stop anywhere on its way, and on that to where the response would have it: so far as planes that
    /// stand still can send it.
    pub(crate) fn hold_all(&mut self, model: &Model, steps: &[Vec3], turns: &[[Vec3; 2]]) {
        for (stray, (step, way)) in self.strays.iter_mut().zip(steps.iter().zip(&self.ways)) {
            *stray = stray.max(FARTHER * (step.length() + way.length()));
        }
        for (r, turn) in turns.iter().enumerate() {
            let shape = &model.rigids[r].shape;
            let most = [*turn, self.turns[r]].map(|[shift, turn]| shift.length() + farthest(shape, turn));
            self.frames[r] = self.frames[r].max(FARTHER * (most[0] + most[1]));
        }
        self.gather(model);
    }

    /// Strays of primitives, from those of vertices and frames, and what follows from them.
    fn gather(&mut self, model: &Model) {
        let Self { strays, frames, prims, .. } = self;
        prims.clear();
        prims.extend(model.prims.iter().map(|prim| match prim.kind {
            PrimKind::Shape(r) => frames[r.at()],
            ref soft => soft.vertices().iter().map(|v| strays[v.at()]).fold(0.0, Real::max),
        }));
        self.bound(model);
    }
}

/// The height of the bow of a point that a shape turns \[m\]: the arc leaves its first tangent by that.
fn bow(shape: &Shape, turn: Vec3) -> Real {
    0.5 * turn.length_squared() * shape.arm()
}

/// How far a turn takes any corner of a shape \[m\].
fn farthest(shape: &Shape, turn: Vec3) -> Real {
    match shape {
        Shape::Ball => 0.0,
        Shape::Plane if turn == Vec3::ZERO => 0.0,
        // A plane that turns sweeps everything.
        Shape::Plane => Real::INFINITY,
        Shape::Capsule { .. } | Shape::Cuboid { .. } => turn.length() * shape.arm() + bow(shape, turn),
    }
}

/// How far a turn may take the foremost corner of a shape along `dir` \[m\].
fn ahead(shape: &Shape, pose: &Pose, turn: Vec3, dir: Vec3) -> Real {
    let lever = dir.cross(turn);
    match *shape {
        Shape::Ball | Shape::Plane => farthest(shape, turn),
        Shape::Capsule { half } => (pose.rot * Vec3::Z * half).dot(lever).abs() + bow(shape, turn),
        Shape::Cuboid { half } => {
            let local = pose.rot.conjugate() * lever;
            (local.abs() * half).element_sum() + bow(shape, turn)
        }
    }
}

/// How far a step takes any corner of a shape from where another does \[m\].
fn strayed(shape: &Shape, expected: [Vec3; 2], step: [Vec3; 2]) -> Real {
    if step == expected {
        return 0.0;
    }
    let turned = match shape {
        Shape::Ball => 0.0,
        _ => farthest(shape, step[1] - expected[1]) + bow(shape, step[1]),
    };
    (step[0] - expected[0]).length() + turned
}

/// The longest edge at each vertex at rest \[m\]; 0 where nothing touches.
fn edges(model: &Model) -> Vec<Real> {
    let mut longest = vec![0.0; model.rest.len()];
    for prim in &model.prims {
        let corners = prim.kind.vertices();
        for (k, a) in corners.iter().enumerate() {
            let b = corners[(k + 1) % corners.len()];
            let length = model.rest[a.at()].distance(model.rest[b.at()]);
            [*a, b].iter().for_each(|v| longest[v.at()] = Real::max(longest[v.at()], length));
        }
    }
    longest
}

/// Where everything is expected to go: where `scratch` has it. It strays by what it strayed in the last substep, and by what
/// it is not known to do yet.
pub(super) fn look_ahead(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let model = sub.model;
    expect(model, state, scratch);
    let Scratch { reach, flexibles, .. } = scratch;
    // What jaws hold goes with them.
    for grip in &state.grips {
        let r = model.tools[grip.tool.at()].rigid.at();
        let way = scratch.pose[r].point(grip.at) - state.pos[grip.vertex.at()];
        if way.is_finite() {
            reach.ways[grip.vertex.at()] = way;
        }
    }
    let descends = sub.params.response == Response::AugmentedLagrangian;
    let fall = FALL * sub.params.fall().length() * sub.h * sub.h;
    reach.strays.clear();
    reach.strays.resize(reach.ways.len(), 0.0);
    for (b, body) in model.bodies.iter().enumerate() {
        let (vertices, drift) = (body.vertex_range(), drift(body, &reach.ways));
        let carried = descends && crate::body::is_carried(sub, b, state);
        for v in vertices.clone() {
            let more = match body.kind {
                BodyKind::Flexible(_) => flexibles[b].touched.springs_back(v - vertices.start).unwrap_or(0.0),
                _ if carried => fall,
                _ => 0.0,
            };
            let least = LEAST[0].min(LEAST[1] * reach.edges[v]);
            let stray = STRAY * (reach.ways[v] - drift).length() + more;
            reach.strays[v] = stray.max(AGAIN * state.ahead[v]).max(least);
        }
    }
    growth::make_room(sub, state, &mut reach.strays);
    reach.frames.clear();
    let ahead = &state.ahead[model.rest.len()..];
    reach.frames.extend(model.rigids.iter().zip(ahead).map(|(rigid, ahead)| {
        let carried = descends && rigid.inv_mass > 0.0 && crate::body::is_carried(sub, rigid.body.at(), state);
        let stray = if rigid.inv_mass > 0.0 { LEAST[0] } else { 0.0 };
        stray.max(AGAIN * ahead) + if carried { fall } else { 0.0 }
    }));
    reach.first.clone_from(&reach.ways);
    reach.beyond.resize(state.ahead.len(), 0.0);
    reach.gather(model);
}

/// The same where the response has said what it makes of the step: from there it strays as far as that was off.
pub(super) fn look_again(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let model = sub.model;
    let reach = &mut scratch.reach;
    std::mem::swap(&mut reach.before, &mut reach.ways);
    std::mem::swap(&mut reach.turns_before, &mut reach.turns);
    expect(model, state, scratch);
    let Reach { ways, before, strays, turns, turns_before, frames, edges, .. } = &mut scratch.reach;
    for (v, stray) in strays.iter_mut().enumerate() {
        *stray = (STRAY * (ways[v] - before[v]).length()).max(LEAST[0].min(LEAST[1] * edges[v]));
    }
    for (r, stray) in frames.iter_mut().enumerate() {
        let rigid = &model.rigids[r];
        let least = if rigid.inv_mass > 0.0 { LEAST[0] } else { 0.0 };
        *stray = (STRAY * strayed(&rigid.shape, turns_before[r], turns[r])).max(least);
    }
    growth::make_room(sub, state, strays);
    scratch.reach.gather(model);
}

/// Ways and turns to where `scratch` has everything.
fn expect(model: &Model, state: &State, scratch: &mut Scratch) {
    let Scratch { reach, pos, pose, .. } = scratch;
    reach.ways.clear();
    reach.ways.extend(pos.iter().zip(&state.pos).map(|(to, from)| finite(*to - *from)));
    reach.turns.clear();
    reach.turns.extend(pose.iter().zip(&state.pose).map(|(to, from)| {
        [finite(to.pos - from.pos), finite(to_rotation_vector(to.rot * from.rot.conjugate()))]
    }));
    debug_assert_eq!(model.rest.len(), reach.ways.len());
}

/// What is not a number does not move.
fn finite(way: Vec3) -> Vec3 {
    if way.is_finite() { way } else { Vec3::ZERO }
}

/// The mean of the ways of a body \[m\].
fn drift(body: &Body, ways: &[Vec3]) -> Vec3 {
    let vertices = body.vertex_range();
    let count = vertices.len().max(1) as Real;
    ways[vertices].iter().sum::<Vec3>() / count
}
