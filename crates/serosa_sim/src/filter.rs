//! Filter: steps are clipped so that nothing passes through anything.
//!
//! Every near pair of primitives gets one of two certificates for the whole substep.
//!
//! *It stays apart as it is*: either along the direction in which it is nearest at the start, where a gap that is there
//! at both ends of the (linear) motion is there at every instant; or the motion of two capsules, or of a capsule and a
//! triangle, is followed from one end of the substep to the other in advances that their distance and their speeds
//! allow.
//!
//! *A plane stays between*: a plane is put between the pair where it is at the start, and every vertex of either
//! side is kept on its side of it. Both convex hulls then stay on their sides for the whole motion, so the
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

mod lookout;
mod path;
mod shorten;

use crate::algebra::widest;
use crate::body::Substep;
use crate::detect::{Near, Reach};
use crate::model::{BodyKind, Model, PrimKind, Shape};
use crate::params::Filter;
use crate::row::Row;
use crate::state::{State, Twist};
use crate::{Mat3, PrimId, Real, Scratch, Vec3, VertexId};
use lookout::Lookout;
use path::{Core, Path, closing, follow};
use serosa_geometry::rotation::from_rotation_vector;
use shorten::{Arm, HalfSpace, Shortened, Turn, clip_within, turn_within, within};

/// The gap that is always left between primitives \[m\].
pub const MARGIN: Real = 1e-6;
/// How much of the room between a pair a step may use up.
const USE: Real = 0.9;
/// Rounds after which the pairs still in doubt get their planes unasked.
const ROUNDS: u32 = 6;

/// Of a pair that has no plane.
const NONE: u32 = u32::MAX;

/// How far one side of a pair may go towards the other.
#[derive(Clone, Copy, Debug)]
struct Front {
    /// Where its foremost corner stands along that direction \[m\].
    at: Real,
    /// How far that corner may advance \[m\]. Others may go as far as it.
    most: Real,
}

impl Front {
    /// How far a corner may go along `dir`, which is towards the other side.
    #[inline]
    fn half_space(&self, dir: Vec3, corner: Vec3) -> HalfSpace {
        HalfSpace { dir, most: self.most + (self.at - corner.dot(dir)).max(0.0) }
    }
}

/// From a side of a pair towards the other.
#[inline]
fn towards(pair: &Near, side: usize) -> Vec3 {
    if side == 0 { -pair.normal } else { pair.normal }
}

/// The certificates of a substep.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    lookout: Lookout,
    /// Whether a pair is to be looked at in this round.
    doubts: Vec<bool>,
    /// The plane of each pair, or none.
    planes: Vec<u32>,
    /// How far either side of a pair may go towards the other, one for each plane.
    fronts: Vec<[Front; 2]>,
    /// The pairs of each vertex, then of each rigid frame, in their order: where they start, two more than there are
    /// vertices and frames.
    starts: Vec<u32>,
    links: Vec<u32>,
    /// Steps as allowed so far, one per vertex \[m\].
    steps: Vec<Vec3>,
    /// The same for rigid frames.
    turns: Vec<Turn>,
    /// Steps of rigid frames as asked for.
    wanted_turns: Vec<Turn>,
    /// Vertices, and behind them frames, of pairs that got a plane in this round, each once.
    touched: Vec<u32>,
    /// Whether a vertex or frame is among `touched`.
    is_touched: Vec<bool>,
    /// Half-spaces of the vertex or frame at hand.
    halves: Vec<HalfSpace>,
    arms: Vec<Arm>,
}

/// What the filter looks at and does not change.
#[derive(Clone, Copy)]
struct Scene<'a> {
    model: &'a Model,
    state: &'a State,
    growth: &'a [Real],
    /// All near pairs, with the radii of the end of the substep.
    pairs: &'a [Near],
    /// Steps asked for, one per vertex \[m\].
    wanted: &'a [Vec3],
}

impl Scene<'_> {
    /// The radii of a pair together, as they are at the end of the substep \[m\].
    #[inline]
    fn thickness(&self, pair: &Near) -> Real {
        let radius = |p: PrimId| self.state.radius[p.at()] + self.growth[p.at()];
        radius(pair.prims[0]) + radius(pair.prims[1])
    }
}

/// Brings the near pairs of each vertex and of each frame together. Cost: linear in pairs and vertices.
pub(crate) fn plan(sub: &Substep, scratch: &mut Scratch) {
    scratch.planes.link(sub.model, &scratch.finder.near, scratch.pos.len());
}

impl Planes {
    /// One per vertex: how far it should be free to stray in the next substep, for what the last clip saw \[m\]; none
    /// where nothing was clipped.
    pub(crate) fn look_out(&mut self, model: &Model, reach: &Reach, rows: &[Row]) -> &[Real] {
        self.lookout.spread(model, reach, rows);
        &self.lookout.ahead
    }

    /// The near pairs whose planes a vertex, or a frame numbered behind all vertices, had to stay on its side of in the last
    /// clip.
    pub(crate) fn holding<'a>(&'a self, node: usize, near: &'a [Near]) -> impl Iterator<Item = &'a Near> {
        let planned = node + 1 < self.starts.len();
        let links = if planned { self.links(node) } else { &[] };
        links.iter().filter(|k| self.stands(**k as usize)).map(|k| &near[*k as usize])
    }

    /// Whether a near pair, by its number, got a plane in the last clip.
    pub(crate) fn stands(&self, pair: usize) -> bool {
        self.planes.get(pair).is_some_and(|plane| *plane != NONE)
    }

    fn link(&mut self, model: &Model, pairs: &[Near], vertices: usize) {
        let nodes = vertices + model.rigids.len();
        self.starts.clear();
        self.starts.resize(nodes + 2, 0);
        for pair in pairs {
            each_node(model, vertices, pair, |node| self.starts[node + 2] += 1);
        }
        for node in 2..nodes + 2 {
            self.starts[node] += self.starts[node - 1];
        }
        self.links.clear();
        self.links.resize(self.starts[nodes + 1] as usize, 0);
        for (k, pair) in pairs.iter().enumerate() {
            each_node(model, vertices, pair, |node| {
                let next = &mut self.starts[node + 1];
                self.links[*next as usize] = k as u32;
                *next += 1;
            });
        }
    }

    /// All of so many pairs are in doubt, and none has a plane.
    fn begin(&mut self, pairs: usize) {
        self.doubts.clear();
        self.doubts.resize(pairs, true);
        self.planes.clear();
        self.planes.resize(pairs, NONE);
        self.fronts.clear();
    }

    /// The pairs of a vertex or frame.
    fn links(&self, node: usize) -> &[u32] {
        &self.links[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Those of them that have a plane, and how far their sides may go.
    fn held<'a>(
        &'a self,
        scene: &Scene<'a>,
        node: usize,
    ) -> impl Iterator<Item = (&'a Near, &'a [Front; 2])> {
        let (planes, fronts, pairs) = (&self.planes, &self.fronts, scene.pairs);
        let held = self.links(node).iter().filter(|k| planes[**k as usize] != NONE);
        held.map(|k| (&pairs[*k as usize], &fronts[planes[*k as usize] as usize]))
    }

    /// The allowed part of a vertex's step under the planes put so far.
    #[inline(always)]
    fn clip_step(&mut self, scene: &Scene, v: usize) -> Vec3 {
        let mut halves = std::mem::take(&mut self.halves);
        halves.clear();
        let corner = scene.state.pos[v];
        for (pair, fronts) in self.held(scene, v) {
            let holds = |prim: PrimId| {
                let own = scene.model.prims[prim.at()].kind.vertices();
                own.iter().any(|corner| corner.at() == v)
            };
            let side = usize::from(!holds(pair.prims[0]));
            halves.push(fronts[side].half_space(towards(pair, side), corner));
        }
        let clipped = clip_within(scene.wanted[v], &halves);
        self.halves = halves;
        clipped
    }

    /// The same for a rigid frame.
    fn clip_turn(&mut self, scene: &Scene, r: usize) -> Turn {
        let mut arms = std::mem::take(&mut self.arms);
        arms.clear();
        let origin = scene.state.pose[r].pos;
        for (pair, fronts) in self.held(scene, scene.wanted.len() + r) {
            for (side, front) in fronts.iter().enumerate() {
                let prim = pair.prims[side];
                if matches!(scene.model.prims[prim.at()].kind, PrimKind::Shape(frame) if frame.at() == r) {
                    each_corner(scene, prim, |p| {
                        arms.push(Arm { arm: p - origin, half: front.half_space(towards(pair, side), p) });
                    });
                }
            }
        }
        let clipped = turn_within(self.wanted_turns[r], &arms);
        self.arms = arms;
        clipped
    }

    /// The plane of a pair, where it is at the start, and how the room between is shared by the steps asked for.
    #[inline(always)]
    fn put_plane(&self, scene: &Scene, pair: &Near) -> [Front; 2] {
        let ([a, b], n) = (pair.prims, pair.normal);
        // How far the foremost corners of A and of B stand along −n and n, radii not counted.
        let ([low, _], [high, _]) = (self.levels(scene, a, -n), self.levels(scene, b, n));
        let room = (-low - high - scene.thickness(pair) - MARGIN).max(0.0) * USE;
        let (da, db) = (self.approach(scene, a, -n), self.approach(scene, b, n));
        let share = match (scene.model.prim_moves(a), scene.model.prim_moves(b)) {
            (true, false) => 1.0,
            (false, true) => 0.0,
            _ if da + db > 0.0 && (da + db).is_finite() => da / (da + db),
            _ => 0.5,
        };
        [Front { at: low, most: room * share }, Front { at: high, most: room * (1.0 - share) }]
    }

    /// How far the steps asked for would take a primitive along `dir` \[m\].
    #[inline(always)]
    fn approach(&self, scene: &Scene, prim: PrimId, dir: Vec3) -> Real {
        match scene.model.prims[prim.at()].kind {
            ref soft @ (PrimKind::Segment(_) | PrimKind::Triangle(_)) => {
                soft.vertices().iter().map(|v| scene.wanted[v.at()].dot(dir)).fold(0.0, Real::max)
            }
            PrimKind::Shape(r) => {
                let (turn, origin) = (&self.wanted_turns[r.at()], scene.state.pose[r.at()].pos);
                let mut most = 0.0;
                each_corner(scene, prim, |p| {
                    most = Real::max(most, (turn.shift + turn.turn.cross(p - origin)).dot(dir));
                });
                most
            }
        }
    }

    /// Whether a pair stays apart under the steps as they are.
    #[inline(always)]
    fn stays_apart(&self, scene: &Scene, pair: &Near) -> bool {
        let apart = scene.thickness(pair) + MARGIN;
        let (a, b) =
            (self.levels(scene, pair.prims[0], -pair.normal), self.levels(scene, pair.prims[1], pair.normal));
        // The foremost corners of either side, at the start and at the end.
        if -a[0] - b[0] >= apart && -a[1] - b[1] >= apart {
            return true;
        }
        let (a, b) = (self.path(scene, pair.prims[0]), self.path(scene, pair.prims[1]));
        let apart = apart + a.bow + b.bow;
        let (speed, gap) = (closing(&a, &b), pair.gap - MARGIN - a.bow - b.bow);
        speed <= gap || a.core.is_known() && b.core.is_known() && follow([&a, &b], (gap, apart), speed)
    }

    /// How far the foremost corner of a primitive's core stands along `dir`, at the start and at the end of the
    /// substep \[m\].
    #[inline(always)]
    fn levels(&self, scene: &Scene, prim: PrimId, dir: Vec3) -> [Real; 2] {
        let r = match scene.model.prims[prim.at()].kind {
            PrimKind::Segment([v, w]) => {
                let (x, y) = (scene.state.pos[v.at()].dot(dir), scene.state.pos[w.at()].dot(dir));
                let (dx, dy) = (self.steps[v.at()].dot(dir), self.steps[w.at()].dot(dir));
                return [x.max(y), (x + dx).max(y + dy)];
            }
            PrimKind::Triangle(corners) => {
                let level = |v: VertexId| {
                    let at = scene.state.pos[v.at()].dot(dir);
                    [at, at + self.steps[v.at()].dot(dir)]
                };
                let [x, y, z] = corners.map(level);
                return [x[0].max(y[0]).max(z[0]), x[1].max(y[1]).max(z[1])];
            }
            PrimKind::Shape(r) => r.at(),
        };
        let (turn, origin) = (&self.turns[r], scene.state.pose[r].pos);
        if scene.model.rigids[r].shape == Shape::Plane {
            // A plane that turns sweeps everything.
            let end = if turn.turn == Vec3::ZERO { turn.shift.dot(dir) } else { Real::INFINITY };
            return [origin.dot(dir), origin.dot(dir) + end];
        }
        let mut levels = [Real::NEG_INFINITY; 2];
        each_corner(scene, prim, |p| {
            let ahead = turn.ahead(&Arm { arm: p - origin, half: HalfSpace { dir, most: 0.0 } });
            levels = [levels[0].max(p.dot(dir)), levels[1].max(p.dot(dir) + ahead)];
        });
        levels
    }

    /// The core of a primitive and where its ends go.
    #[inline(always)]
    fn path(&self, scene: &Scene, prim: PrimId) -> Path {
        let r = match scene.model.prims[prim.at()].kind {
            PrimKind::Segment([v, w]) => {
                return self.soft_path(scene, [v, w, w], Core::Round);
            }
            PrimKind::Triangle(corners) => return self.soft_path(scene, corners, Core::Triangle),
            PrimKind::Shape(r) => r,
        };
        let (turn, pose) = (&self.turns[r.at()], &scene.state.pose[r.at()]);
        let shape = scene.model.rigids[r.at()].shape;
        let (half, core) = match shape {
            Shape::Ball => (0.0, Core::Round),
            Shape::Capsule { half } => (half, Core::Round),
            // A plane that turns sweeps everything; a box is only asked how fast it is.
            Shape::Plane if turn.turn != Vec3::ZERO => (Real::INFINITY, Core::Other),
            Shape::Plane => (0.0, Core::Other),
            Shape::Cuboid { half } => (half.length(), Core::Other),
        };
        let reach = pose.rot * Vec3::Z * half;
        let bow = 0.5 * turn.turn.length_squared() * half;
        let (points, moves) = if core == Core::Round {
            let turned = turn.turn.cross(reach);
            ([pose.pos - reach, pose.pos + reach], [turn.shift - turned, turn.shift + turned])
        } else {
            // No corner is faster than this.
            let fastest = turn.shift.length() + turn.turn.length() * half;
            ([pose.pos; 2], [Vec3::X * fastest, Vec3::X * -fastest])
        };
        let thrice = |[x, y]: [Vec3; 2]| [x, y, y];
        Path { points: thrice(points), moves: thrice(moves), bow, core }
    }

    #[inline(always)]
    fn soft_path(&self, scene: &Scene, corners: [VertexId; 3], core: Core) -> Path {
        let points = corners.map(|v| scene.state.pos[v.at()]);
        Path { points, moves: corners.map(|v| self.steps[v.at()]), bow: 0.0, core }
    }

    /// One round over the pairs in doubt: those without a certificate get a plane. Returns whether any did.
    #[inline(always)]
    fn round(&mut self, scene: &Scene, unasked: bool) -> bool {
        self.touched.clear();
        for (k, pair) in scene.pairs.iter().enumerate() {
            let doubt = std::mem::replace(&mut self.doubts[k], false) && self.planes[k] == NONE;
            if !doubt || !unasked && self.stays_apart(scene, pair) {
                continue;
            }
            self.planes[k] = self.fronts.len() as u32;
            self.fronts.push(self.put_plane(scene, pair));
            let (is_touched, touched) = (&mut self.is_touched, &mut self.touched);
            each_node(scene.model, scene.wanted.len(), pair, |node| {
                if !std::mem::replace(&mut is_touched[node], true) {
                    touched.push(node as u32);
                }
            });
        }
        !self.touched.is_empty()
    }

    /// Clips what the round touched, and puts the pairs of what changed in doubt.
    #[inline(always)]
    fn clip_touched(&mut self, scene: &Scene) {
        let vertices = scene.wanted.len();
        for k in 0..self.touched.len() {
            let node = self.touched[k] as usize;
            self.is_touched[node] = false;
            let changed = if node < vertices {
                let clipped = self.clip_step(scene, node);
                std::mem::replace(&mut self.steps[node], clipped) != clipped
            } else {
                let clipped = self.clip_turn(scene, node - vertices);
                std::mem::replace(&mut self.turns[node - vertices], clipped) != clipped
            };
            if changed {
                let own = self.starts[node] as usize..self.starts[node + 1] as usize;
                for pair in &self.links[own] {
                    self.doubts[*pair as usize] = true;
                }
            }
        }
    }
}

/// The vertices of a pair, and its frames behind all vertices.
#[inline(always)]
fn each_node(model: &Model, vertices: usize, pair: &Near, mut each: impl FnMut(usize)) {
    for prim in pair.prims {
        match model.prims[prim.at()].kind {
            PrimKind::Shape(r) => each(vertices + r.at()),
            ref soft => soft.vertices().iter().for_each(|v| each(v.at())),
        }
    }
}

/// The corners of a primitive's core at the start of the substep.
fn each_corner(scene: &Scene, prim: PrimId, mut each: impl FnMut(Vec3)) {
    let rigid = match scene.model.prims[prim.at()].kind {
        PrimKind::Shape(r) => r,
        ref soft => return soft.vertices().iter().for_each(|v| each(scene.state.pos[v.at()])),
    };
    let pose = &scene.state.pose[rigid.at()];
    match scene.model.rigids[rigid.at()].shape {
        Shape::Ball => each(pose.pos),
        Shape::Capsule { half } => {
            let reach = pose.rot * Vec3::Z * half;
            each(pose.pos - reach);
            each(pose.pos + reach);
        }
        Shape::Cuboid { half } => {
            let axes = Mat3::from_quat(pose.rot);
            for k in 0..8 {
                let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                each(pose.pos + axes * (half * Vec3::new(sign(1), sign(2), sign(4))));
            }
        }
        Shape::Plane => {}
    }
}

/// Clips all steps. Returns what is shorter than the response wanted.
/// Cost: linear in vertices and near pairs, but for pairs whose neighbours were clipped.
pub(crate) fn clip(sub: &Substep, state: &State, scratch: &mut Scratch) -> Shortened {
    if sub.params.filter == Filter::Off {
        return Shortened::default();
    }
    let (model, planes) = (sub.model, &mut scratch.planes);
    let (pos, pose, wanted) = (&scratch.pos, &scratch.pose, &mut scratch.wanted);
    wanted.clear();
    let reach = &scratch.reach;
    // Beside what its body does as a whole, where that meets nobody.
    let steps = pos.iter().zip(&state.pos).zip(&reach.common).map(|((to, from), all)| *to - *from - *all);
    let reaches = reach.ways.iter().zip(&reach.strays);
    wanted.extend(steps.zip(reaches).enumerate().map(|(v, (to, (way, stray)))| {
        // What is inside of a solid touches nothing and goes where it likes.
        let touches = !model.neighbours.at(VertexId::from(v)).is_empty();
        within(to, *way, if touches { USE * stray } else { Real::INFINITY })
    }));
    planes.wanted_turns.clear();
    planes.wanted_turns.extend(pose.iter().enumerate().map(|(r, to)| {
        let arm = model.rigids[r].shape.arm();
        Turn::between(&state.pose[r], to).within(USE * scratch.reach.frames[r], arm)
    }));
    planes.steps.clone_from(wanted);
    planes.turns.clone_from(&planes.wanted_turns);
    planes.is_touched.clear();
    planes.is_touched.resize(wanted.len() + pose.len(), false);
    let pairs = &scratch.finder.near[..];
    planes.begin(pairs.len());
    certify(planes, &Scene { model, state, growth: &scratch.growth, pairs, wanted });
    take(sub, state, scratch)
}

/// The kernel for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Planes, Scene};

    #[target_feature(enable = "avx2")]
    pub(super) fn rounds(planes: &mut Planes, scene: &Scene) {
        super::rounds(planes, scene);
    }
}

fn certify(planes: &mut Planes, scene: &Scene) {
    widest!(rounds(planes, scene))
}

/// Shortens steps until every pair has its certificate.
#[inline(always)]
fn rounds(planes: &mut Planes, scene: &Scene) {
    let mut round = 0;
    while planes.round(scene, round >= ROUNDS) {
        planes.clip_touched(scene);
        round += 1;
    }
}

/// Takes over the steps that were shortened.
fn take(sub: &Substep, state: &State, scratch: &mut Scratch) -> Shortened {
    let attachments = attachments_shortened(sub, state, scratch);
    let Scratch { planes, pos, vel, pose, twist, lost, reach, wanted: held, .. } = scratch;
    let mut truncated = 0;
    planes.lookout.begin(sub.model, reach, pos, &state.pos);
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        for v in body.vertex_range() {
            let (step, wanted) = (planes.steps[v], pos[v] - state.pos[v] - reach.common[v]);
            if step != wanted {
                truncated += 1;
                lost[b] |= !wanted.is_finite();
                // Where no plane was in the way, it should have been free to stray farther.
                let beyond = (wanted - held[v]).length();
                if wanted.is_finite() && beyond > 0.0 && (step - held[v]).length() <= 0.1 * reach.strays[v] {
                    planes.lookout.see(v, reach.strays[v] + beyond);
                }
                let whole = step + reach.common[v];
                pos[v] = state.pos[v] + whole;
                vel[v] = whole / sub.h;
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
    Shortened { vertices: truncated, attachments }
}

/// Attachments with a vertex whose step is shorter than what is asked for. Cost: linear in attachments.
fn attachments_shortened(sub: &Substep, state: &State, scratch: &Scratch) -> u32 {
    let Scratch { planes, pos, reach, .. } = scratch;
    let short = |v: VertexId| planes.steps[v.at()] != pos[v.at()] - state.pos[v.at()] - reach.common[v.at()];
    let grips = state.grips.iter().filter(|g| short(g.vertex)).count();
    let ties = sub.model.ties.iter();
    let ties = ties.filter(|t| t.ends.iter().flat_map(|k| k.nodes).any(short)).count();
    let walls = sub.model.bodies.iter().filter_map(|body| match &body.kind {
        BodyKind::Solid(solid) => Some(solid.walls.iter().filter(|w| short(w.vertex)).count()),
        _ => None,
    });
    (grips + ties + walls.sum::<usize>()) as u32
}
