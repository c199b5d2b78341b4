//! Filter: steps are clipped so that nothing passes through anything.
//!
//! Every near pair of primitives gets one of two certificates for the whole substep.
//!
//! *It stays apart as it is*: the motion of two capsules is followed from one end of the substep to the other in
//! advances that their distance and their speeds allow, and leaves a gap at every instant.
//!
//! *A plane stays between*: a plane is put between the pair where it is at the start, and every vertex of either
//! side is kept on its side of it. Both convex hulls then stay on their sides for the whole (linear) motion, so the
//! pair cannot touch, whatever the response wanted. Only pairs without the first certificate pay this price: a
//! plane also forbids one tube to tilt on another.
//!
//! A step that is clipped for one pair takes the first certificate from the other pairs of its vertices, and they are
//! looked at again; planes are only ever added, so this ends. Pairs that are not near cannot meet either: no vertex
//! moves as far as it reaches, and what is not near is farther apart than its reaches together.
//!
//! A pure function of rows and steps: the direction of a plane comes from a row, but is not trusted. Where the
//! two hulls do not lie on their sides of any such plane, the pair may only open or slide along it.
//!
//! The guarantee starts from a separated state and holds in f64 with a margin of [`MARGIN`]. A shape turned by an
//! angle a leaves the chord of its motion by at most a² r/2 at a distance r; rigid frames pay for that too.

use crate::body::Substep;
use crate::detect::Near;
use crate::model::{BodyKind, Model, Pose, PrimKind, Shape};
use crate::params::Filter;
use crate::state::{State, Twist};
use crate::{Mat3, PrimId, Real, RigidId, Scratch, Vec3};
use serosa_geometry::closest_segments;
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// The gap that is always left between primitives \[m\].
pub const MARGIN: Real = 1e-6;
/// How much of the room between a pair a step may use up.
const USE: Real = 0.9;
/// Corners of one primitive.
const CORNERS: usize = 8;
/// The most advances with which a pair is followed through a substep.
const ADVANCES: u32 = 12;
/// Rounds after which the pairs still in doubt get their planes unasked.
const ROUNDS: u32 = 6;

/// Motion along `dir` is at most `most`, once its pair has a plane.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    dir: Vec3,
    most: Real,
    pair: u32,
}

/// A half-space for a point of a rigid frame.
#[derive(Clone, Copy, Debug)]
struct Arm {
    /// From the frame's origin, in the world \[m\].
    arm: Vec3,
    /// Which of all arms, as found.
    order: u32,
    half: HalfSpace,
}

/// A near pair.
#[derive(Clone, Copy, Debug)]
struct Pair {
    prims: [PrimId; 2],
    /// Both are capsules or balls: their motion can be followed.
    round: bool,
    /// The sum of their radii at the end of the substep \[m\].
    radii: Real,
    /// The normal of the plane between, towards the first.
    normal: Vec3,
    /// How far either end of either side may go towards the other, where a side is a segment \[m\].
    most: [[Real; 2]; 2],
    /// A plane stays between.
    planed: bool,
    /// To be looked at in this round.
    doubt: bool,
}

/// A step of a rigid frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Turn {
    shift: Vec3,
    turn: Vec3,
}

/// The certificates of a substep.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// Farthest that a vertex was to move which only its reach held back \[m\]. 0 where there is none.
    pub(crate) wanted: Real,
    pairs: Vec<Pair>,
    /// Half-spaces by vertex: first the vertex of each, as found.
    found: Vec<(u32, HalfSpace)>,
    /// Row starts, two more than there are vertices.
    starts: Vec<u32>,
    halves: Vec<HalfSpace>,
    /// Half-spaces by rigid frame, sorted.
    arms: Vec<(u32, Arm)>,
    /// Steps as allowed so far, one per vertex \[m\].
    steps: Vec<Vec3>,
    /// The same for rigid frames.
    turns: Vec<Turn>,
    /// Vertices and frames of pairs that got a plane in this round, each vertex once.
    touched: Vec<u32>,
    /// Whether a vertex is among `touched`.
    is_touched: Vec<bool>,
    touched_frames: Vec<u32>,
}

/// Looks at all near pairs: those nearer at the start of the substep than their reaches together.
/// Cost: linear in pairs and vertices.
pub(crate) fn plan(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let Scratch { planes, finder, pos, pose, growth, .. } = scratch;
    planes.pairs.clear();
    planes.found.clear();
    planes.arms.clear();
    for pair in &finder.near {
        planes.separate(sub.model, state, pair, growth, (pos, pose));
    }
    planes.sort(state.pos.len());
}

/// The corners of a primitive's core. A plane has none: its row knows its side.
struct Hull {
    points: [Vec3; CORNERS],
    len: usize,
}

/// How far one side of a pair may go.
#[derive(Clone, Copy)]
struct Front {
    /// Towards the other side.
    dir: Vec3,
    /// Where its foremost corner stands along `dir` \[m\].
    at: Real,
    /// How far that corner may advance \[m\].
    most: Real,
}

impl Planes {
    fn separate(
        &mut self,
        model: &Model,
        state: &State,
        near: &Near,
        growth: &[Real],
        (pos, pose): (&[Vec3], &[Pose]),
    ) {
        let (n, [a, b]) = (near.normal, near.prims);
        // Not as arrays: a hull is large, and arrays of it are made by copying.
        let (hull_a, hull_b) =
            (hull(model, a, &state.pos, &state.pose), hull(model, b, &state.pos, &state.pose));
        let (next_a, next_b) = (hull(model, a, pos, pose), hull(model, b, pos, pose));
        let radius = |p: PrimId| state.radius[p.at()] + growth[p.at()];
        // Lowest of A and highest of B along the normal, radii as they will be.
        let low = level(&hull_a, n, Real::min).unwrap_or_else(|| plane_level(model, a, state, n)) - radius(a);
        let high =
            level(&hull_b, n, Real::max).unwrap_or_else(|| plane_level(model, b, state, n)) + radius(b);
        let room = (low - high - MARGIN).max(0.0) * USE;
        let moves = |from: &Hull, to: &Hull, sign: Real| {
            (0..from.len).map(|i| sign * (to.points[i] - from.points[i]).dot(n)).fold(0.0, Real::max)
        };
        let (da, db) = (moves(&hull_a, &next_a, -1.0), moves(&hull_b, &next_b, 1.0));
        let share = match (model.prim_moves(a), model.prim_moves(b)) {
            (true, false) => 1.0,
            (false, true) => 0.0,
            _ if da + db > 0.0 && (da + db).is_finite() => da / (da + db),
            _ => 0.5,
        };
        let front_a = Front { dir: -n, at: -low - radius(a), most: room * share };
        let front_b = Front { dir: n, at: high - radius(b), most: room * (1.0 - share) };
        let most_a = self.bound(model, a, &hull_a, &state.pose, front_a);
        let most_b = self.bound(model, b, &hull_b, &state.pose, front_b);
        let round = |h: &Hull| h.len == 1 || h.len == 2;
        self.pairs.push(Pair {
            prims: [a, b],
            round: round(&hull_a) && round(&hull_b),
            radii: radius(a) + radius(b),
            normal: n,
            most: [most_a, most_b],
            planed: false,
            doubt: false,
        });
    }

    /// Half-spaces for one side of the pair to come: each corner may go as far as the foremost one. Returns how far
    /// the ends of a segment may go.
    fn bound(&mut self, model: &Model, prim: PrimId, hull: &Hull, pose: &[Pose], front: Front) -> [Real; 2] {
        let pair = self.pairs.len() as u32;
        let half = |p: Vec3| HalfSpace {
            dir: front.dir,
            most: front.most + (front.at - p.dot(front.dir)).max(0.0),
            pair,
        };
        match model.prims[prim.at()].kind {
            PrimKind::Segment([v, w]) => {
                let halves = [half(hull.points[0]), half(hull.points[1])];
                self.found.extend([(v.0, halves[0]), (w.0, halves[1])]);
                [halves[0].most, halves[1].most]
            }
            PrimKind::Shape(r) => {
                for p in &hull.points[..hull.len] {
                    let order = self.arms.len() as u32;
                    self.arms.push((r.0, Arm { arm: *p - pose[r.at()].pos, order, half: half(*p) }));
                }
                [0.0; 2]
            }
        }
    }

    /// Brings the half-spaces of each vertex together, in the order in which they were found.
    fn sort(&mut self, vertices: usize) {
        self.starts.clear();
        self.starts.resize(vertices + 2, 0);
        for (v, _) in &self.found {
            self.starts[*v as usize + 2] += 1;
        }
        for v in 2..vertices + 2 {
            self.starts[v] += self.starts[v - 1];
        }
        let nothing = HalfSpace { dir: Vec3::ZERO, most: 0.0, pair: 0 };
        self.halves.clear();
        self.halves.resize(self.found.len(), nothing);
        for (v, half) in &self.found {
            let next = &mut self.starts[*v as usize + 1];
            self.halves[*next as usize] = *half;
            *next += 1;
        }
        // Not the stable sort, which allocates.
        self.arms.sort_unstable_by_key(|(r, a)| (*r, a.order));
    }

    fn halves(&self, v: u32) -> &[HalfSpace] {
        &self.halves[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    fn arms(&self, r: u32) -> &[(u32, Arm)] {
        let first = self.arms.partition_point(|(k, _)| *k < r);
        let len = self.arms[first..].partition_point(|(k, _)| *k == r);
        &self.arms[first..first + len]
    }

    /// The allowed part of a vertex's step under the planes put so far.
    fn clip_step(&self, v: u32, step: Vec3) -> Vec3 {
        let halves = || self.halves(v).iter().filter(|h| self.pairs[h.pair as usize].planed);
        let mut dx = step;
        for _ in 0..3 {
            let mut fits = true;
            for h in halves() {
                let over = dx.dot(h.dir) - h.most;
                if over > 0.0 {
                    dx -= h.dir * over;
                }
                fits &= over <= 0.0;
            }
            if fits {
                return dx;
            }
        }
        // In a corner the passes may not have come to rest: what is left is shortened as a whole.
        dx * halves().map(|h| share_of(dx.dot(h.dir), h.most)).fold(1.0, Real::min)
    }

    /// The same for a rigid frame.
    fn clip_turn(&self, r: u32, wanted: Turn) -> Turn {
        let arms = || self.arms(r).iter().map(|(_, a)| a).filter(|a| self.pairs[a.half.pair as usize].planed);
        let mut now = wanted;
        for _ in 0..3 {
            for a in arms() {
                let over = now.ahead(a) - a.half.most;
                if over > 0.0 {
                    now.shift -= a.half.dir * over;
                }
            }
        }
        let share = arms().map(|a| share_of(now.ahead(a), a.half.most)).fold(1.0, Real::min);
        Turn { shift: now.shift * share, turn: now.turn * share }
    }

    /// Whether a pair stays apart in the steps as they are.
    fn stays_apart(&self, model: &Model, state: &State, pair: &Pair) -> bool {
        if !pair.round {
            return false;
        }
        let (a, b) = (self.path(model, state, pair.prims[0]), self.path(model, state, pair.prims[1]));
        let apart = pair.radii + MARGIN + a.bow + b.bow;
        // What both do together changes no distance.
        let common = (a.moves[0] + a.moves[1] + b.moves[0] + b.moves[1]) * 0.25;
        let fastest = |p: &Path| p.moves.iter().map(|m| (*m - common).length()).fold(0.0, Real::max);
        let speed = fastest(&a) + fastest(&b);
        let mut t = 0.0;
        for _ in 0..ADVANCES {
            let at = |p: &Path, k: usize| p.points[k] + p.moves[k] * t;
            let (a0, a1, b0, b1) = (at(&a, 0), at(&a, 1), at(&b, 0), at(&b, 1));
            let c = closest_segments(a0, a1, b0, b1);
            let room = (a0.lerp(a1, c.s) - b0.lerp(b1, c.t)).length() - apart;
            if room.is_nan() || room <= 0.0 {
                return false;
            }
            if t + room / speed >= 1.0 {
                return true;
            }
            t += USE * room / speed;
        }
        false
    }

    /// The core of a primitive and where its ends go.
    fn path(&self, model: &Model, state: &State, prim: PrimId) -> Path {
        match model.prims[prim.at()].kind {
            PrimKind::Segment(ends) => Path {
                points: ends.map(|v| state.pos[v.at()]),
                moves: ends.map(|v| self.steps[v.at()]),
                bow: 0.0,
            },
            PrimKind::Shape(r) => {
                let hull = hull(model, prim, &state.pos, &state.pose);
                let points = [hull.points[0], hull.points[hull.len.max(1) - 1]];
                let (turn, origin) = (&self.turns[r.at()], state.pose[r.at()].pos);
                let moves = points.map(|p| turn.shift + turn.turn.cross(p - origin));
                let arm = points.map(|p| (p - origin).length());
                Path { points, moves, bow: 0.5 * turn.turn.length_squared() * arm[0].max(arm[1]) }
            }
        }
    }

    /// Whether the steps keep both sides of a pair on their sides of its plane.
    fn plane_holds(&self, model: &Model, pair: u32) -> bool {
        let own = &self.pairs[pair as usize];
        let side = |k: usize, dir: Vec3| match model.prims[own.prims[k].at()].kind {
            PrimKind::Segment(ends) => {
                ends.iter().zip(own.most[k]).all(|(v, most)| self.steps[v.at()].dot(dir) <= most)
            }
            PrimKind::Shape(RigidId(r)) => {
                let own = self.arms(r).iter().filter(|(_, a)| a.half.pair == pair);
                own.into_iter().all(|(_, a)| self.turns[r as usize].ahead(a) <= a.half.most)
            }
        };
        side(0, -own.normal) && side(1, own.normal)
    }

    /// One round over the pairs in doubt: those without a certificate get a plane. Returns whether any did.
    fn round(&mut self, model: &Model, state: &State, unasked: bool) -> bool {
        self.touched.clear();
        self.touched_frames.clear();
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            if !pair.doubt {
                continue;
            }
            self.pairs[k].doubt = false;
            if pair.planed
                || !unasked && (self.plane_holds(model, k as u32) || self.stays_apart(model, state, &pair))
            {
                continue;
            }
            self.pairs[k].planed = true;
            for prim in pair.prims {
                match model.prims[prim.at()].kind {
                    PrimKind::Segment(ends) => ends.iter().for_each(|v| {
                        if !std::mem::replace(&mut self.is_touched[v.at()], true) {
                            self.touched.push(v.0);
                        }
                    }),
                    PrimKind::Shape(r) => self.touched_frames.push(r.0),
                }
            }
        }
        !(self.touched.is_empty() && self.touched_frames.is_empty())
    }

    /// Clips what the round touched, and puts the pairs of what changed in doubt.
    fn clip_touched(&mut self, wanted: &[Vec3], wanted_turns: impl Fn(u32) -> Turn) {
        for k in 0..self.touched.len() {
            let v = self.touched[k];
            self.is_touched[v as usize] = false;
            let clipped = self.clip_step(v, wanted[v as usize]);
            if clipped != self.steps[v as usize] {
                self.steps[v as usize] = clipped;
                let own = self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize;
                for h in &self.halves[own] {
                    self.pairs[h.pair as usize].doubt = true;
                }
            }
        }
        self.touched_frames.sort_unstable();
        self.touched_frames.dedup();
        for k in 0..self.touched_frames.len() {
            let r = self.touched_frames[k];
            let clipped = self.clip_turn(r, wanted_turns(r));
            if clipped != self.turns[r as usize] {
                self.turns[r as usize] = clipped;
                let first = self.arms.partition_point(|(k, _)| *k < r);
                for (_, a) in self.arms[first..].iter().take_while(|(k, _)| *k == r) {
                    self.pairs[a.half.pair as usize].doubt = true;
                }
            }
        }
    }
}

impl Turn {
    /// From one pose to another.
    fn between(from: &Pose, to: &Pose) -> Self {
        Self { shift: to.pos - from.pos, turn: to_rotation_vector(to.rot * from.rot.conjugate()) }
    }

    /// The part that takes corners at most `arm` from the origin no farther than `reach`.
    fn within(self, reach: Real, arm: Real) -> Self {
        let angle = self.turn.length();
        let farthest = self.shift.length() + (angle + 0.5 * angle * angle) * arm;
        if !farthest.is_finite() {
            Self::default()
        } else if farthest > reach {
            let share = reach / farthest;
            Self { shift: self.shift * share, turn: self.turn * share }
        } else {
            self
        }
    }

    /// How far an arm goes along its half-space.
    fn ahead(&self, a: &Arm) -> Real {
        let bow = 0.5 * self.turn.length_squared() * a.arm.length();
        (self.shift + self.turn.cross(a.arm)).dot(a.half.dir) + bow
    }
}

/// A capsule's core and where its ends go in the substep, but for a bow that they may leave the straight by.
struct Path {
    points: [Vec3; 2],
    moves: [Vec3; 2],
    bow: Real,
}

/// The part of a step that is no longer than `most`; nothing of one that is not finite.
fn within(step: Vec3, most: Real) -> Vec3 {
    let length = step.length();
    if !length.is_finite() {
        Vec3::ZERO
    } else if length > most {
        step * (most / length)
    } else {
        step
    }
}

/// How much of a motion `ahead` stays within `most`.
fn share_of(ahead: Real, most: Real) -> Real {
    if ahead <= most { 1.0 } else { (most / ahead).max(0.0) }
}

fn level(hull: &Hull, n: Vec3, pick: fn(Real, Real) -> Real) -> Option<Real> {
    hull.points[..hull.len].iter().map(|p| p.dot(n)).reduce(pick)
}

/// Where a half-space ends along `n`, which is its normal or the opposite.
fn plane_level(model: &Model, prim: PrimId, state: &State, n: Vec3) -> Real {
    match model.prims[prim.at()].kind {
        PrimKind::Shape(r) => state.pose[r.at()].pos.dot(n),
        PrimKind::Segment(_) => 0.0,
    }
}

fn hull(model: &Model, prim: PrimId, pos: &[Vec3], pose: &[Pose]) -> Hull {
    let mut hull = Hull { points: [Vec3::ZERO; CORNERS], len: 0 };
    let rigid = match model.prims[prim.at()].kind {
        PrimKind::Segment([v, w]) => {
            (hull.points[0], hull.points[1], hull.len) = (pos[v.at()], pos[w.at()], 2);
            return hull;
        }
        PrimKind::Shape(r) => r,
    };
    let pose = &pose[rigid.at()];
    match model.rigids[rigid.at()].shape {
        Shape::Ball => (hull.points[0], hull.len) = (pose.pos, 1),
        Shape::Capsule { half } => {
            let reach = pose.rot * Vec3::Z * half;
            (hull.points[0], hull.points[1], hull.len) = (pose.pos - reach, pose.pos + reach, 2);
        }
        Shape::Cuboid { half } => {
            let axes = Mat3::from_quat(pose.rot);
            for (k, p) in hull.points.iter_mut().enumerate() {
                let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                *p = pose.pos + axes * (half * Vec3::new(sign(1), sign(2), sign(4)));
            }
            hull.len = CORNERS;
        }
        Shape::Plane => {}
    }
    hull
}

/// Clips all steps. Returns the number of vertices and frames whose step is shorter than the response wanted.
/// Cost: linear in vertices and near pairs, but for pairs whose neighbours were clipped.
pub(crate) fn clip(sub: &Substep, state: &State, scratch: &mut Scratch) -> u32 {
    if sub.params.filter == Filter::Off {
        return 0;
    }
    let (model, planes) = (sub.model, &mut scratch.planes);
    let (pos, pose, wanted) = (&scratch.pos, &scratch.pose, &mut scratch.wanted);
    wanted.clear();
    let ways = pos.iter().zip(&state.pos).map(|(to, from)| *to - *from);
    wanted.extend(ways.zip(&scratch.reach.vertices).map(|(way, reach)| within(way, USE * reach)));
    let frames = &scratch.reach.frames;
    let turn = |r: u32| {
        let (r, arm) = (r as usize, model.rigids[r as usize].shape.arm());
        Turn::between(&state.pose[r], &pose[r]).within(USE * frames[r], arm)
    };
    planes.steps.clone_from(wanted);
    planes.is_touched.clear();
    planes.is_touched.resize(wanted.len(), false);
    planes.turns.clear();
    planes.turns.extend((0..pose.len() as u32).map(turn));
    planes.pairs.iter_mut().for_each(|p| (p.planed, p.doubt) = (false, true));
    let mut round = 0;
    while planes.round(model, state, round >= ROUNDS) {
        planes.clip_touched(wanted, turn);
        round += 1;
    }
    take(sub, state, scratch)
}

/// Takes over the steps that were shortened.
fn take(sub: &Substep, state: &State, scratch: &mut Scratch) -> u32 {
    let Scratch { planes, pos, vel, pose, twist, lost, reach, .. } = scratch;
    let mut truncated = 0;
    planes.wanted = 0.0;
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        for v in body.vertex_range() {
            let (step, wanted) = (planes.steps[v], pos[v] - state.pos[v]);
            if step != wanted {
                truncated += 1;
                lost[b] |= !wanted.is_finite();
                if wanted.is_finite() && step.length() > USE * USE * reach.vertices[v] {
                    planes.wanted = planes.wanted.max(wanted.length());
                }
                pos[v] = state.pos[v] + step;
                vel[v] = step / sub.h;
            }
        }
        if let BodyKind::Rigid(r) = body.kind {
            let (from, to, allowed) = (&state.pose[r.at()], &mut pose[r.at()], &planes.turns[r.at()]);
            if *allowed != Turn::between(from, to) {
                truncated += 1;
                to.pos = from.pos + allowed.shift;
                to.rot = (from_rotation_vector(allowed.turn) * from.rot).normalize();
                twist[r.at()] = Twist { vel: allowed.shift / sub.h, omega: allowed.turn / sub.h };
            }
        }
    }
    truncated
}
