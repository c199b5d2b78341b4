//! Where everything is expected to go in a substep, and how far it may stray from there: so far detection has to look.
//!
//! Only motion apart counts. Two primitives can meet where one goes towards the other, not where both are fast; what falls
//! together is as near as what lies still. Nothing bounds a motion: what the response and the filter did in the end is
//! compared with what was searched for ([`Reach::holds`]), and where it went beyond, the search is made again, farther.

mod expect;

pub(super) use expect::{look_again, look_ahead};

use super::Places;
use super::path::{Core, Path, closing, follow};
use crate::filter;
use crate::model::{Body, BodyKind, Model, Pose, PrimKind, Shape};
use crate::row::REST_GAP;
use crate::{PrimId, Real, Vec3, VertexId};
use expect::LEAST;
use serosa_geometry::{Aabb, Touch};
use std::ops::Range;

/// A touch gets a row where the free motion, erring by this share of what its sides may stray, would close its gap.
const DOUBT: Real = 0.5;
/// A list of pairs should last for so many steps more, as far as that is not more than a few primitives.
const STRIDES: [Real; 2] = [3.0, 4.0];
/// How much of what may be strayed is used before the search is made again.
const USE: Real = 0.9;
/// What has strayed too far may stray so many times as far when the search is made again.
const FARTHER: Real = 1.3;
/// What has strayed is expected where it went, and may stray from there by these shares of how far that was: the first time, and
/// the second.
const NEAR: [Real; 2] = [0.1, 0.4];
/// How many vertices of a body tell where it goes as a whole, at most.
const SAMPLE: usize = 128;

/// Where things go in a substep: at each share of it a vertex is that share of its way on, and no farther from there than it
/// may stray; and so each point of a rigid frame.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Where each vertex is expected to go \[m\].
    pub ways: Vec<Vec3>,
    /// How far each body may stray from there as a whole \[m\].
    pub commons: Vec<Real>,
    /// How far each vertex may stray beside that \[m\].
    pub strays: Vec<Real>,
    /// Where each rigid frame is expected to go: a shift \[m\] and a rotation vector.
    pub turns: Vec<[Vec3; 2]>,
    /// How far any point of a rigid frame may stray, but for its bow \[m\].
    pub frames: Vec<Real>,
    /// One per primitive: as far as any of its points may stray, beside its body as a whole \[m\].
    pub prims: Vec<Real>,
    /// One per primitive: the mean of its ways \[m\].
    mids: Vec<Vec3>,
    /// One per primitive: how far any of its points may be from there beside its body, and half of a gap at rest \[m\].
    spreads: Vec<Real>,
    /// One per vertex: where it would go if its body turned about itself as it does on the whole \[m\]; empty for none.
    turned: Vec<Vec3>,
    /// One per vertex: a length of the surface or rope about it \[m\].
    pub(crate) edges: Vec<Real>,
    /// Where each vertex was first expected to go in this substep \[m\].
    first: Vec<Vec3>,
    /// One per vertex, then per frame, then per body: how far it went from where it was expected, where that was too far
    /// \[m\].
    beyond: Vec<Real>,
    /// The same: how often.
    times: Vec<u8>,
    /// Whether what was shortened may stop anywhere: the last searches of a substep.
    stops: bool,
    /// Whether ways are what the response and the filter did, not what free motion would.
    known: bool,
    /// One per vertex, then per frame: whether it has been expected elsewhere since strays were last gathered; or all have.
    moved: Vec<bool>,
    all_moved: bool,
    /// One per primitive: whether it is expected elsewhere than in the search before; empty for all.
    fresh: Vec<bool>,
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
            commons: vec![0.0; model.bodies.len()],
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
            // Rows are made up to the gap at which things rest.
            let more = *stray + 0.5 * REST_GAP;
            let (mid, spread) = match prim.kind {
                PrimKind::Shape(r) => {
                    let ([shift, turn], shape) = (turns[r.at()], &model.rigids[r.at()].shape);
                    (shift, farthest(shape, turn))
                }
                ref soft => middle(soft, |v| ways[v.at()]),
            };
            mids.push(mid);
            spreads.push(spread + more);
        }
    }

    /// The box that a primitive may sweep, from the box where it stands.
    #[inline]
    pub(super) fn swept(&self, model: &Model, prim: PrimId, at: Aabb) -> Aabb {
        let (mid, spread) = (self.mids[prim.at()], self.spreads[prim.at()] + self.common(model, prim));
        Aabb { min: at.min + mid.min(Vec3::ZERO), max: at.max + mid.max(Vec3::ZERO) }.grown(spread)
    }

    /// The same for as long as a list of pairs should last, among primitives of a size \[m\].
    pub(super) fn fat(&self, prim: PrimId, swept: Aabb, size: Real) -> Aabb {
        let (mid, spread) = (self.mids[prim.at()], self.spreads[prim.at()]);
        let on = (mid * STRIDES[0]).clamp_length_max(STRIDES[1] * size);
        let all = Aabb { min: swept.min + on.min(Vec3::ZERO), max: swept.max + on.max(Vec3::ZERO) };
        all.grown(if spread.is_finite() { (STRIDES[0] * spread).min(0.5 * size) } else { 0.0 })
    }

    /// Where a vertex goes beside the turn of its body \[m\]. What the two of a pair of one body do otherwise brings them no
    /// nearer.
    #[inline]
    pub(super) fn beside(&self, v: VertexId) -> Vec3 {
        self.turned.get(v.at()).map_or(self.ways[v.at()], |turned| self.ways[v.at()] - *turned)
    }

    /// How far any point of a primitive may stray beside its body, and half of a gap at rest \[m\].
    #[inline]
    pub(super) fn stray(&self, prim: PrimId) -> Real {
        self.prims[prim.at()] + 0.5 * REST_GAP
    }

    /// How far a primitive may stray with its body as a whole \[m\].
    #[inline]
    fn common(&self, model: &Model, prim: PrimId) -> Real {
        self.commons[model.prims[prim.at()].body.at()]
    }

    /// How far two primitives may stray with their bodies as a whole \[m\]: nothing where that is one.
    #[inline]
    fn commons(&self, model: &Model, a: PrimId, b: PrimId) -> [Real; 2] {
        let one = model.prims[a.at()].body == model.prims[b.at()].body;
        if one { [0.0; 2] } else { [self.common(model, a), self.common(model, b)] }
    }

    /// How much nearer two primitives of different bodies may come to one another at most \[m\].
    #[inline]
    pub(super) fn margin(&self, model: &Model, a: PrimId, b: PrimId) -> Real {
        let apart = (self.mids[a.at()] - self.mids[b.at()]).length();
        let [x, y] = self.commons(model, a, b);
        apart + self.spreads[a.at()] + self.spreads[b.at()] + x + y
    }

    /// How far a primitive may advance along `dir` beside its body as a whole \[m\]; negative where it surely goes back.
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

    /// Whether a pair that is nearest at that touch may come as near as the filter lets it. Otherwise there is a gap of that
    /// size, square to the normal and going evenly, that neither side reaches.
    #[inline]
    pub(super) fn may_meet(
        &self,
        model: &Model,
        at: Places,
        (a, b): (PrimId, PrimId),
        nearest: &Touch,
    ) -> bool {
        let (n, [x, y]) = (nearest.normal, self.commons(model, a, b));
        let nearer = self.advance(model, at, a, -n) + self.advance(model, at, b, n) + x + y;
        // Not a number: better a pair too many.
        nearest.gap.is_nan()
            || nearer.is_nan()
            || nearest.gap < nearer.max(0.0) + filter::margin(model, at.radius, (a, b))
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
        let [x, y] = self.commons(model, a, b);
        let errs = self.errs(model, a, x) + self.errs(model, b, y);
        let room = touch.gap + opens - errs;
        room.is_nan() || room <= rest && !self.passes(model, at, (a, b), (touch, rest + errs))
    }

    /// How far a primitive may be from where it is expected, as far as rows go by it \[m\].
    #[inline]
    fn errs(&self, model: &Model, prim: PrimId, common: Real) -> Real {
        // What solids and flexible bodies do to their surfaces free motion does not know; nor whether they fall.
        match model.bodies[model.prims[prim.at()].body.at()].kind {
            BodyKind::Solid(_) | BodyKind::Flexible(_) => self.prims[prim.at()] + common,
            _ if self.known => self.prims[prim.at()] + common,
            _ => DOUBT * (self.prims[prim.at()] + common),
        }
    }

    /// Whether a pair that goes towards one another as it is nearest passes by on its way, with that much room: what is fast may
    /// come along the normal and be past before it is there.
    fn passes(
        &self,
        model: &Model,
        at: Places,
        (a, b): (PrimId, PrimId),
        (touch, room): (&Touch, Real),
    ) -> bool {
        if touch.gap <= room {
            return false;
        }
        let (Some(x), Some(y)) = (self.path(model, at, a), self.path(model, at, b)) else { return false };
        let apart = at.radius[a.at()] + at.radius[b.at()] + room;
        follow([&x, &y], touch.normal, apart, closing(&x, &y)).is_none()
    }

    /// How the core of a primitive is expected to go, where that can be followed.
    fn path(&self, model: &Model, at: Places, prim: PrimId) -> Option<Path> {
        let r = match model.prims[prim.at()].kind {
            PrimKind::Shape(r) => r,
            ref soft => {
                let [v, w] = [soft.vertices()[0], soft.vertices()[1]];
                let (last, core) = match *soft {
                    PrimKind::Triangle([.., last]) => (last, Core::Triangle),
                    _ => (w, Core::Round),
                };
                let of = |all: &[Vec3]| [v, w, last].map(|v| all[v.at()]);
                return Some(Path::soft(of(at.pos), of(&self.ways), core));
            }
        };
        let half = match model.rigids[r.at()].shape {
            Shape::Ball => 0.0,
            Shape::Capsule { half } => half,
            Shape::Cuboid { .. } | Shape::Plane => return None,
        };
        Some(Path::rod(&at.pose[r.at()], half, self.turns[r.at()]))
    }

    /// Whether nothing that touches strayed farther from its way than was searched for. What did is expected where it went,
    /// and may stray farther from there. O(vertices + frames).
    pub(crate) fn holds(&mut self, model: &Model, steps: &[Vec3], turns: &[[Vec3; 2]]) -> bool {
        let mut holds = true;
        for (b, body) in model.bodies.iter().enumerate() {
            let vertices = body.vertex_range();
            let off =
                if self.stops { Vec3::ZERO } else { drift(vertices.clone(), |v| steps[v] - self.ways[v]) };
            let off = if beyond(off.length(), self.commons[b]) && !vertices.is_empty() {
                self.follow_body(steps.len() + turns.len() + b, vertices.clone(), off);
                holds = false;
                Vec3::ZERO
            } else {
                off
            };
            for v in vertices.filter(|v| !model.neighbours.at((*v).into()).is_empty()) {
                let far = (steps[v] - self.ways[v] - off).length();
                if beyond(far, self.strays[v]) {
                    self.follow(v, steps[v] - off, far);
                    holds = false;
                }
            }
        }
        for (r, turn) in turns.iter().enumerate() {
            let far = strayed(&model.rigids[r].shape, self.turns[r], *turn);
            if beyond(far, self.frames[r]) {
                self.follow_frame(steps.len() + r, r, *turn, far);
                holds = false;
            }
        }
        if !holds {
            self.gather(model);
        }
        holds
    }

    /// Notes that a vertex, frame or body went too far; how often it has since it was last expected anew.
    fn note(&mut self, node: usize, far: Real) -> u8 {
        self.beyond[node] = self.beyond[node].max(far);
        self.times[node] = self.times[node].saturating_add(1);
        self.times[node]
    }

    /// Whether a pair may do otherwise than in the search before.
    #[inline]
    pub(super) fn is_fresh(&self, a: PrimId, b: PrimId) -> bool {
        self.fresh.is_empty() || self.fresh[a.at()] || self.fresh[b.at()]
    }

    /// The same of a primitive.
    #[inline]
    pub(super) fn is_fresh_prim(&self, prim: PrimId) -> bool {
        self.fresh.is_empty() || self.fresh[prim.at()]
    }

    /// Any pair may.
    pub(super) fn look_at_all(&mut self) {
        self.fresh.clear();
    }

    /// A body that strayed as a whole is expected where it went. Where that was not enough, what it may stray has both in it.
    fn follow_body(&mut self, node: usize, vertices: Range<usize>, off: Vec3) {
        let far = off.length();
        let times = self.note(node, far);
        let b = node + self.commons.len() - self.beyond.len();
        self.moved[vertices.clone()].fill(true);
        if !far.is_finite() {
            self.commons[b] = Real::INFINITY;
            return;
        }
        self.ways[vertices].iter_mut().for_each(|way| *way += off);
        let most = if times == 1 { NEAR[0] * far } else { FARTHER * far / USE };
        self.commons[b] = self.commons[b].max(most);
    }

    /// The same for a vertex. A tube so wide that it has everything in it where a vertex might be is near to hundreds of others:
    /// so it is made no wider than it must be for what was seen.
    fn follow(&mut self, v: usize, step: Vec3, far: Real) {
        let times = self.note(v, far);
        self.moved[v] = true;
        if !far.is_finite() {
            self.strays[v] = Real::INFINITY;
            return;
        }
        let middle = (self.ways[v] + step) * 0.5;
        let (way, stray) = match times {
            _ if self.stops => (self.ways[v], FARTHER * far / USE),
            1 | 2 => (step, NEAR[0] * far),
            3 => (step, NEAR[1] * far),
            4 => (middle, 0.5 * FARTHER * far / USE),
            _ => (self.ways[v], FARTHER * far / USE),
        };
        self.ways[v] = way;
        self.strays[v] = stray.max(self.least(v));
    }

    /// The same for a frame.
    fn follow_frame(&mut self, node: usize, r: usize, turn: [Vec3; 2], far: Real) {
        let times = self.note(node, far);
        self.moved[node] = true;
        let most = match times {
            _ if self.stops || !far.is_finite() => Real::INFINITY,
            1 | 2 => NEAR[0] * far,
            3 => NEAR[1] * far,
            _ => FARTHER * far / USE,
        };
        if most.is_finite() {
            self.turns[r] = turn;
            self.frames[r] = most.max(LEAST[0]);
        } else {
            self.frames[r] = if far.is_finite() { FARTHER * far / USE } else { Real::INFINITY };
        }
    }

    /// Forgets what went too far in an earlier substep.
    pub(super) fn forget(&mut self) {
        self.beyond.fill(0.0);
    }

    /// One per vertex, then per frame, then per body: how far it went from where it was expected, where that was too far
    /// \[m\].
    pub(crate) fn beyond(&self) -> &[Real] {
        &self.beyond
    }

    /// How far steps are off the free motion of a body, as a whole and each beside that \[m\].
    pub(crate) fn off_way(&self, body: &Body, steps: &[Vec3]) -> (Vec3, impl Fn(usize) -> Real) {
        let off = drift(body.vertex_range(), |v| steps[v] - self.first[v]);
        (off, move |v: usize| (steps[v] - self.first[v] - off).length())
    }

    /// Expects everything where the response would have it, but for what `is_short`, or was before: that may stop anywhere on its
    /// way there. Planes that stand still only shorten, and nothing but what has one. `all` lets everything stop.
    pub(crate) fn let_stop(
        &mut self,
        model: &Model,
        (steps, turns): (&[Vec3], &[[Vec3; 2]]),
        is_short: impl Fn(usize) -> bool,
        all: bool,
    ) {
        if !std::mem::replace(&mut self.stops, true) {
            self.times.fill(0);
        }
        self.all_moved = true;
        for (b, body) in model.bodies.iter().enumerate() {
            for v in body.vertex_range() {
                let stops = all || self.times[v] > 0 || is_short(v);
                // A step that is shortened by one plane ends in the ball over its way as a diameter (Thales), and by several
                // never farther off than it is long.
                let share = if all || self.times[v] > 1 { 1.5 } else { 0.5 };
                self.ways[v] = if stops { steps[v] * 0.5 } else { steps[v] };
                self.strays[v] =
                    if stops { FARTHER * share * steps[v].length() } else { 0.0 }.max(self.least(v));
                self.times[v] = self.times[v].max(u8::from(stops));
            }
            self.commons[b] = 0.0;
        }
        for (r, turn) in turns.iter().enumerate() {
            let (shape, node) = (&model.rigids[r].shape, steps.len() + r);
            let stops = all || self.times[node] > 0 || is_short(node);
            let most = FARTHER * 2.0 * (turn[0].length() + farthest(shape, turn[1]));
            self.turns[r] = *turn;
            self.frames[r] = if stops { most.max(LEAST[0]) } else { LEAST[0].min(most) };
            self.times[node] = self.times[node].max(u8::from(stops));
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
        self.tell_fresh(model);
        self.bound(model);
    }

    /// Notes which primitives are expected elsewhere now.
    fn tell_fresh(&mut self, model: &Model) {
        let Self { fresh, moved, all_moved, ways, .. } = self;
        fresh.clear();
        if !std::mem::take(all_moved) {
            fresh.extend(model.prims.iter().map(|prim| match prim.kind {
                PrimKind::Shape(r) => moved[ways.len() + r.at()],
                ref soft => soft.vertices().iter().any(|v| moved[v.at()]),
            }));
        }
        moved.fill(false);
    }
}

/// Whether something went too far for what it may stray. What is not a number is beyond everything.
fn beyond(far: Real, most: Real) -> bool {
    far.is_nan() || far > USE * most
}

/// The mean of what the vertices of a primitive do, and how far any does otherwise \[m\].
#[inline(always)]
fn middle(soft: &PrimKind, of: impl Fn(VertexId) -> Vec3) -> (Vec3, Real) {
    match *soft {
        PrimKind::Segment([v, w]) => {
            let (x, y) = (of(v), of(w));
            ((x + y) * 0.5, 0.5 * (x - y).length())
        }
        PrimKind::Triangle(corners) => {
            let all = corners.map(of);
            let mid = (all[0] + all[1] + all[2]) / 3.0;
            (mid, all.iter().map(|x| (*x - mid).length_squared()).fold(0.0, Real::max).sqrt())
        }
        PrimKind::Shape(_) => (Vec3::ZERO, 0.0),
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

/// What most vertices of a body do \[m\]: the median of each coordinate, of a sample. A mean would follow a few that are sent far,
/// and all others would seem to have strayed.
fn drift(vertices: Range<usize>, of: impl Fn(usize) -> Vec3) -> Vec3 {
    if vertices.is_empty() {
        return Vec3::ZERO;
    }
    let stride = vertices.len().div_ceil(SAMPLE);
    let (mut all, mut count) = ([[0.0; SAMPLE]; 3], 0);
    for v in vertices.step_by(stride) {
        let does = of(v);
        (all[0][count], all[1][count], all[2][count]) = (does.x, does.y, does.z);
        count += 1;
    }
    let [x, y, z] =
        all.each_mut().map(|line| *line[..count].select_nth_unstable_by(count / 2, Real::total_cmp).1);
    Vec3::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_that_are_sent_far_do_not_take_their_body_along() {
        for count in [5, 100, 1000] {
            let goes = |v: usize| if v % 5 == 1 { Vec3::splat(1.0) } else { Vec3::X * 0.01 };
            assert_eq!(drift(0..count, goes), Vec3::X * 0.01);
        }
        assert_eq!(drift(3..3, |_| Vec3::NAN), Vec3::ZERO);
    }
}
