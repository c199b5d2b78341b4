//! Filter: steps are clipped so that nothing passes through anything.
//!
//! For each near pair of primitives a plane is put between them where they are at the start of the substep, and
//! every vertex of either side is kept on its side of it for the whole substep. Both convex hulls then stay on
//! their sides of one plane for the whole (linear) motion, so the pair cannot touch, whatever the response did.
//! Pairs that are not near cannot meet either: no vertex moves farther than half of what separates them.
//!
//! A pure function of rows and steps: the direction of a plane comes from a row, but is not trusted. Where the
//! two hulls do not lie on their sides of any such plane, the pair may only open or slide along it.
//!
//! The guarantee starts from a separated state and holds in f64 with a margin of [`MARGIN`]. A shape turned by an
//! angle a leaves the chord of its motion by at most a² r/2 at a distance r; rigid frames pay for that too.

use crate::body::Substep;
use crate::model::{BodyKind, Model, Pose, PrimKind, Shape};
use crate::params::Filter;
use crate::row::{Row, RowKey};
use crate::state::{State, Twist};
use crate::{Mat3, PrimId, Real, Scratch, Vec3};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// The gap that is always left between primitives \[m\].
pub const MARGIN: Real = 1e-6;
/// How much of the room between a pair a step may use up.
const USE: Real = 0.9;
/// Vertices of one primitive.
const CORNERS: usize = 8;

/// Motion along `dir` is at most `most`.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    dir: Vec3,
    most: Real,
}

/// A half-space for a point of a rigid frame.
#[derive(Clone, Copy, Debug)]
struct Arm {
    /// From the frame's origin, in the world \[m\].
    arm: Vec3,
    half: HalfSpace,
}

/// The planes of a substep.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// Farthest that any vertex may move \[m\].
    reach: Real,
    /// Half-spaces by vertex: first the vertex of each, as found.
    found: Vec<(u32, HalfSpace)>,
    /// Row starts, one more than there are vertices.
    starts: Vec<u32>,
    halves: Vec<HalfSpace>,
    /// Half-spaces by rigid frame, sorted.
    arms: Vec<(u32, Arm)>,
}

/// Puts planes between the pairs of the rows `near`: all pairs nearer than `margin` at the start of the substep.
/// `growth` is how much the radius of each primitive grows in it. Cost: linear in rows and vertices.
pub(crate) fn plan(sub: &Substep, state: &State, scratch: &mut Scratch, margin: Real) {
    let Scratch { planes, near, pos, pose, growth, .. } = scratch;
    let most = growth.iter().copied().fold(0.0, Real::max);
    planes.reach = (0.45 * margin - most).max(0.0);
    planes.found.clear();
    planes.arms.clear();
    let mut last = None;
    for row in near.iter() {
        // One plane for a pair, from its first row.
        let pair = RowKey { feature: 0, ..row.key };
        if last != Some(pair) {
            planes.separate(sub.model, state, row, growth, (pos, pose));
        }
        last = Some(pair);
    }
    planes.sort(state.pos.len());
}

/// The corners of a primitive's core and its radius. A plane has none: its row knows its side.
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
        row: &Row,
        growth: &[Real],
        (pos, pose): (&[Vec3], &[Pose]),
    ) {
        let n = row.normal;
        let (a, b) = (row.key.a, row.key.b);
        let hulls = [a, b].map(|p| hull(model, p, &state.pos, &state.pose));
        let next = [a, b].map(|p| hull(model, p, pos, pose));
        let radius = |p: PrimId| state.radius[p.at()] + growth[p.at()];
        // Lowest of A and highest of B along the normal, radii as they will be.
        let low = level(&hulls[0], n, Real::min).map_or(Real::NEG_INFINITY, |x| x - radius(a));
        let high = level(&hulls[1], n, Real::max).map_or(Real::INFINITY, |x| x + radius(b));
        let (low, high) = if hulls[0].len == 0 {
            (plane_level(model, a, state, n), high)
        } else if hulls[1].len == 0 {
            (low, plane_level(model, b, state, n))
        } else {
            (low, high)
        };
        let room = (low - high - MARGIN).max(0.0) * USE;
        let moves = |k: usize, sign: Real| {
            let (from, to) = (&hulls[k], &next[k]);
            (0..from.len).map(|i| sign * (to.points[i] - from.points[i]).dot(n)).fold(0.0, Real::max)
        };
        let (da, db) = (moves(0, -1.0), moves(1, 1.0));
        let share = match (model.prim_moves(a), model.prim_moves(b)) {
            (true, false) => 1.0,
            (false, true) => 0.0,
            _ if da + db > 0.0 && (da + db).is_finite() => da / (da + db),
            _ => 0.5,
        };
        let front_a = Front { dir: -n, at: -low - radius(a), most: room * share };
        let front_b = Front { dir: n, at: high - radius(b), most: room * (1.0 - share) };
        self.bound(model, a, &hulls[0], &state.pose, front_a);
        self.bound(model, b, &hulls[1], &state.pose, front_b);
    }

    /// Half-spaces for one side: each corner may go as far as the foremost one.
    fn bound(&mut self, model: &Model, prim: PrimId, hull: &Hull, pose: &[Pose], front: Front) {
        let half =
            |p: Vec3| HalfSpace { dir: front.dir, most: front.most + (front.at - p.dot(front.dir)).max(0.0) };
        match model.prims[prim.at()].kind {
            PrimKind::Segment(ends) => {
                for (v, p) in ends.iter().zip(&hull.points) {
                    self.found.push((v.0, half(*p)));
                }
            }
            PrimKind::Shape(r) => {
                for p in &hull.points[..hull.len] {
                    self.arms.push((r.0, Arm { arm: *p - pose[r.at()].pos, half: half(*p) }));
                }
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
        let nothing = HalfSpace { dir: Vec3::ZERO, most: 0.0 };
        self.halves.clear();
        self.halves.resize(self.found.len(), nothing);
        for (v, half) in &self.found {
            let next = &mut self.starts[*v as usize + 1];
            self.halves[*next as usize] = *half;
            *next += 1;
        }
        self.arms.sort_by_key(|(r, _)| *r);
    }

    fn halves(&self, v: usize) -> &[HalfSpace] {
        &self.halves[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// The allowed part of a vertex's step, and whether it is less than the whole.
    fn clip_step(&self, v: usize, step: Vec3) -> (Vec3, bool) {
        let halves = self.halves(v);
        let mut dx = if step.is_finite() { step } else { Vec3::ZERO };
        let length = dx.length();
        let mut cut = !step.is_finite();
        if length > self.reach {
            dx *= self.reach / length;
            cut = true;
        }
        if halves.iter().all(|h| dx.dot(h.dir) <= h.most) {
            return (dx, cut);
        }
        for _ in 0..3 {
            for h in halves {
                let over = dx.dot(h.dir) - h.most;
                if over > 0.0 {
                    dx -= h.dir * over;
                }
            }
        }
        // In a corner the passes may not have come to rest: what is left is shortened as a whole.
        let share = halves.iter().map(|h| share_of(dx.dot(h.dir), h.most)).fold(1.0, Real::min);
        (dx * share, true)
    }

    /// The same for a rigid frame: its shift and its turn.
    fn clip_frame(&self, r: u32, shift: Vec3, turn: Vec3) -> (Vec3, Vec3, bool) {
        let first = self.arms.partition_point(|(k, _)| *k < r);
        let arms = || self.arms[first..].iter().take_while(|(k, _)| *k == r).map(|(_, a)| a);
        let (mut shift, mut turn) = (shift, turn);
        if !(shift.is_finite() && turn.is_finite()) {
            return (Vec3::ZERO, Vec3::ZERO, true);
        }
        let angle_sq = |turn: Vec3| turn.length_squared();
        let ahead = |a: &Arm, shift: Vec3, turn: Vec3| {
            (shift + turn.cross(a.arm)).dot(a.half.dir) + 0.5 * angle_sq(turn) * a.arm.length()
        };
        let reach = |a: &Arm| (shift + turn.cross(a.arm)).length() + 0.5 * angle_sq(turn) * a.arm.length();
        let farthest = arms().map(reach).fold(shift.length(), Real::max);
        let mut cut = farthest > self.reach;
        if cut {
            (shift, turn) = (shift * (self.reach / farthest), turn * (self.reach / farthest));
        }
        if arms().all(|a| ahead(a, shift, turn) <= a.half.most) {
            return (shift, turn, cut);
        }
        cut = true;
        for _ in 0..3 {
            for a in arms() {
                let over = ahead(a, shift, turn) - a.half.most;
                if over > 0.0 {
                    shift -= a.half.dir * over;
                }
            }
        }
        let share = arms().map(|a| share_of(ahead(a, shift, turn), a.half.most)).fold(1.0, Real::min);
        (shift * share, turn * share, cut)
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

/// Clips all steps by the planes. Returns the number of vertices and frames whose step is shorter than wanted.
pub(crate) fn clip(sub: &Substep, state: &State, scratch: &mut Scratch) -> u32 {
    let mut truncated = 0;
    if sub.params.filter == Filter::Off {
        return truncated;
    }
    let Scratch { planes, pos, vel, pose, twist, .. } = scratch;
    for (b, body) in sub.model.bodies.iter().enumerate() {
        if state.frozen[b] {
            continue;
        }
        for v in body.vertex_range() {
            let (dx, cut) = planes.clip_step(v, pos[v] - state.pos[v]);
            if cut {
                truncated += 1;
                pos[v] = state.pos[v] + dx;
                vel[v] = dx / sub.h;
            }
        }
        if let BodyKind::Rigid(r) = body.kind {
            let (from, to) = (&state.pose[r.at()], &mut pose[r.at()]);
            let turn = to_rotation_vector(to.rot * from.rot.conjugate());
            let (shift, turn, cut) = planes.clip_frame(r.0, to.pos - from.pos, turn);
            if cut {
                truncated += 1;
                to.pos = from.pos + shift;
                to.rot = (from_rotation_vector(turn) * from.rot).normalize();
                twist[r.at()] = Twist { vel: shift / sub.h, omega: turn / sub.h };
            }
        }
    }
    truncated
}
