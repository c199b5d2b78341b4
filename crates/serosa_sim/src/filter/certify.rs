//! Every near pair gets its certificate: steps are shortened until it stays apart, or a plane is put between.

use super::USE;
use super::impulse::Impulses;
use super::lookout::Lookout;
use super::scene::{Scene, each_corner, each_node};
use super::shorten::{Arm, HalfSpace, Turn, clip_within, turn_within};
use crate::algebra::widest;
use crate::detect::path::{Core, Meeting, Path, apart_in_the_end, as_far_as_near, closing, follow, lacks};
use crate::detect::{Near, Reach};
use crate::model::{Model, PrimKind, Shape};
use crate::row::{REST_GAP, Row};
use crate::{PrimId, Real, Vec3, VertexId};

/// Rounds in which pairs are parted before planes stand still.
const PARTINGS: u32 = 20;
/// The first of them in which either side of a pair goes back by half, whatever it weighs. What is light between two that are
/// heavy would be sent to and fro, and they would never learn of one another.
const EVEN: u32 = 6;
/// Rounds after which the pairs still in doubt get their planes unasked.
const ROUNDS: u32 = 6;

/// The least by which a pair is parted, as a share of its gap at rest.
const LEAST: Real = 0.05;

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

/// A pair that is asked only where it ends.
#[inline]
fn in_the_end(pair: &Near) -> Meeting {
    Meeting { normal: pair.normal, time: 1.0 }
}

/// What a pair does in a substep.
enum Look {
    /// It stays apart, and by its gap at rest.
    Apart,
    /// It stays apart.
    Closer,
    /// It meets.
    Meets(Meeting),
}

/// The certificates of a substep.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    pub(super) lookout: Lookout,
    /// Whether a pair is to be looked at in this round.
    doubts: Vec<bool>,
    /// The plane of each pair, or none.
    planes: Vec<u32>,
    /// The pairs whose steps were shortened, each once, in the order in which they were first.
    pub(super) stops: Vec<u32>,
    /// Whether a pair is among them.
    is_stop: Vec<bool>,
    /// The pairs that were seen to stay apart, but perhaps by less than at rest; some more than once.
    pub(super) closers: Vec<u32>,
    /// Impulses of the pairs that were shortened.
    pub(super) impulses: Impulses,
    /// How far either side of a pair may go towards the other, one for each plane.
    fronts: Vec<[Front; 2]>,
    /// The pairs of each vertex, then of each rigid frame, in their order: where they start, two more than there are
    /// vertices and frames.
    starts: Vec<u32>,
    links: Vec<u32>,
    /// Steps as allowed so far, one per vertex \[m\].
    pub(super) steps: Vec<Vec3>,
    /// The same for rigid frames.
    pub(super) turns: Vec<Turn>,
    /// Steps as they are before planes stand still, one per vertex \[m\].
    pub(super) wanted: Vec<Vec3>,
    /// The same for rigid frames.
    pub(super) wanted_turns: Vec<Turn>,
    /// The allowed steps of frames as shifts and rotation vectors.
    pub(super) taken: Vec<[Vec3; 2]>,
    /// Vertices, and behind them frames, of pairs that got a plane in this round, each once.
    touched: Vec<u32>,
    /// Whether a vertex or frame is among `touched`.
    pub(super) is_touched: Vec<bool>,
    /// Half-spaces of the vertex or frame at hand.
    halves: Vec<HalfSpace>,
    arms: Vec<Arm>,
}

impl Planes {
    /// One per vertex: how far it should be free to stray in the next substep, for what the last clip saw \[m\]; none
    /// where nothing was clipped.
    pub(crate) fn look_out(&mut self, model: &Model, reach: &Reach, rows: &[Row]) -> &[Real] {
        self.lookout.spread(model, reach, rows);
        &self.lookout.ahead
    }

    /// The steps of vertices and of frames as the last clip has left them.
    pub(crate) fn taken(&self) -> (&[Vec3], &[[Vec3; 2]]) {
        (&self.steps, &self.taken)
    }

    /// The impulses with which the last substep stopped pairs, as rows.
    pub(crate) fn impulses(&self) -> &[Row] {
        &self.impulses.rows
    }

    /// The near pairs that shortened steps in the last clip, of a vertex, or of a frame numbered behind all vertices.
    pub(crate) fn holding<'a>(&'a self, node: usize, near: &'a [Near]) -> impl Iterator<Item = &'a Near> {
        let planned = node + 1 < self.starts.len();
        let links = if planned { self.links(node) } else { &[] };
        links.iter().filter(|k| self.stands(**k as usize)).map(|k| &near[*k as usize])
    }

    /// Whether a near pair, by its number, shortened steps in the last clip.
    pub(crate) fn stands(&self, pair: usize) -> bool {
        self.is_stop.get(pair).copied().unwrap_or(false)
    }

    pub(super) fn link(&mut self, model: &Model, pairs: &[Near], vertices: usize) {
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
    pub(super) fn begin(&mut self, pairs: usize) {
        self.doubts.clear();
        self.doubts.resize(pairs, true);
        self.planes.clear();
        self.planes.resize(pairs, NONE);
        self.fronts.clear();
        self.stops.clear();
        self.closers.clear();
        self.is_stop.clear();
        self.is_stop.resize(pairs, false);
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
    fn clip_step(&mut self, scene: &Scene, wanted: Vec3, v: usize) -> Vec3 {
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
        let clipped = clip_within(wanted, &halves);
        self.halves = halves;
        clipped
    }

    /// The same for a rigid frame.
    fn clip_turn(&mut self, scene: &Scene, r: usize) -> Turn {
        let mut arms = std::mem::take(&mut self.arms);
        arms.clear();
        let origin = scene.state.pose[r].pos;
        for (pair, fronts) in self.held(scene, self.wanted.len() + r) {
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
        let room = (-low - high - scene.thickness(pair) - scene.margin(pair)).max(0.0) * USE;
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
                soft.vertices().iter().map(|v| self.wanted[v.at()].dot(dir)).fold(0.0, Real::max)
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

    /// What a pair does under the steps as they are.
    #[inline(always)]
    fn look(&self, scene: &Scene, pair: &Near) -> Look {
        let margin = scene.margin(pair);
        let apart = scene.thickness(pair) + margin;
        let (a, b) =
            (self.levels(scene, pair.prims[0], -pair.normal), self.levels(scene, pair.prims[1], pair.normal));
        // The foremost corners of either side, at the start and at the end.
        if -a[0] - b[0] >= apart && -a[1] - b[1] >= apart {
            let at_rest = apart - margin + scene.rest_gap(pair);
            return if -a[1] - b[1] >= at_rest { Look::Apart } else { Look::Closer };
        }
        // What is slow needs no more; of what is fast only the part is asked that can come near.
        let [a, b] = pair.prims.map(|prim| self.path(scene, prim));
        if closing(&a, &b) <= pair.gap - margin {
            return Look::Closer;
        }
        let [a, b] = as_far_as_near([a, b], apart);
        let speed = closing(&a, &b);
        let meets = match a.core.is_known() && b.core.is_known() {
            true => follow([&a, &b], pair.normal, apart, speed),
            false => Some(in_the_end(pair)),
        };
        meets.map_or(Look::Closer, Look::Meets)
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

    /// The core of a primitive and where its corners go.
    #[inline(always)]
    fn path(&self, scene: &Scene, prim: PrimId) -> Path {
        let r = match scene.model.prims[prim.at()].kind {
            PrimKind::Segment([v, w]) => return self.soft_path(scene, [v, w, w], Core::Round),
            PrimKind::Triangle(corners) => return self.soft_path(scene, corners, Core::Triangle),
            PrimKind::Shape(r) => r,
        };
        let (Turn { shift, turn }, pose) = (self.turns[r.at()], &scene.state.pose[r.at()]);
        let half = match scene.model.rigids[r.at()].shape {
            Shape::Ball => return Path::rod(pose, 0.0, [shift, turn]),
            Shape::Capsule { half } => return Path::rod(pose, half, [shift, turn]),
            // A plane that turns sweeps everything; a box is only asked how fast it is.
            Shape::Plane if turn != Vec3::ZERO => Real::INFINITY,
            Shape::Plane => 0.0,
            Shape::Cuboid { half } => half.length(),
        };
        // No corner is faster than this.
        let fastest = shift.length() + turn.length() * half;
        Path::soft([pose.pos; 3], [Vec3::new(fastest, 0.0, 0.0); 3], Core::Other)
    }

    #[inline(always)]
    fn soft_path(&self, scene: &Scene, corners: [VertexId; 3], core: Core) -> Path {
        let points = corners.map(|v| scene.state.pos[v.at()]);
        Path::soft(points, corners.map(|v| self.steps[v.at()]), core)
    }

    /// Notes that a pair shortens steps.
    fn stop(&mut self, k: usize) {
        if !std::mem::replace(&mut self.is_stop[k], true) {
            self.stops.push(k as u32);
        }
    }

    /// Where a pair meets that is in doubt and has no certificate. It is in doubt no more.
    #[inline(always)]
    fn meets(&mut self, scene: &Scene, k: usize, unasked: bool) -> Option<Meeting> {
        let doubt = std::mem::replace(&mut self.doubts[k], false) && self.planes[k] == NONE;
        let pair = &scene.pairs[k];
        if !doubt || unasked {
            return doubt.then_some(in_the_end(pair));
        }
        match self.look(scene, pair) {
            Look::Apart => None,
            Look::Closer => {
                self.closers.push(k as u32);
                None
            }
            Look::Meets(meeting) => Some(meeting),
        }
    }

    /// Whether a pair ends nearer than at rest, and nearer than it was.
    pub(super) fn closes_in(&self, scene: &Scene, pair: &Near) -> bool {
        let thickness = scene.thickness(pair);
        let [a, b] = as_far_as_near(pair.prims.map(|prim| self.path(scene, prim)), thickness + REST_GAP);
        let end = match a.core.is_known() && b.core.is_known() {
            true => apart_in_the_end(&a, &b),
            false => {
                let levels = |side: usize, dir: Vec3| self.levels(scene, pair.prims[side], dir)[1];
                -levels(0, -pair.normal) - levels(1, pair.normal)
            }
        };
        end - thickness < scene.rest_gap(pair).min(pair.gap)
    }

    /// One round over the pairs in doubt: those without a certificate are parted, one after the other. Returns whether any
    /// was; the pairs of what was moved are in doubt again.
    #[inline(always)]
    fn part_all(&mut self, scene: &Scene, even: bool) -> bool {
        let mut any = false;
        for k in 0..scene.pairs.len() {
            if let Some(meeting) = self.meets(scene, k, false) {
                any = true;
                self.stop(k);
                self.part(scene, k, meeting, even);
            }
        }
        any
    }

    /// Moves the corners of a pair back until the gap along the normal with which they first meet is there from then on.
    /// What is fixed stays.
    #[inline(always)]
    fn part(&mut self, scene: &Scene, k: usize, meeting: Meeting, even: bool) {
        let pair = &scene.pairs[k];
        let ([a, b], n) = (pair.prims, meeting.normal);
        let apart = scene.thickness(pair) + scene.margin(pair);
        let [x, y] = as_far_as_near(pair.prims.map(|prim| self.path(scene, prim)), apart);
        let is_known = x.core.is_known() && y.core.is_known();
        let (low, high) = match is_known {
            true => (x.levels(-n), y.levels(n)),
            false => (self.levels(scene, a, -n), self.levels(scene, b, n)),
        };
        let room = (-low[0] - high[0] - apart).max(0.0);
        let gap = apart + room * (1.0 - USE);
        let over = match is_known {
            // Where advances have run out nothing is lacking, but what slides so closely is hard to follow.
            true => lacks([&x, &y], meeting, gap).max(LEAST * scene.rest_gap(pair)),
            false => gap + low[1] + high[1],
        };
        let light = [scene.lightness(a), scene.lightness(b)];
        let light = if even { light.map(|light| Real::from(u8::from(light > 0.0))) } else { light };
        let share = light[0] / (light[0] + light[1]);
        if over > 0.0 && share.is_finite() {
            self.hold_back(scene, (a, -n), low[1] - over * share, over * share);
            self.hold_back(scene, (b, n), high[1] - over * (1.0 - share), over * (1.0 - share));
        }
        // Where that was not enough, it is found out.
        self.doubts[k] = true;
    }

    /// Moves what of a primitive would go beyond a level along `dir` back to it, a frame as a whole by `over`.
    #[inline(always)]
    fn hold_back(&mut self, scene: &Scene, (prim, dir): (PrimId, Vec3), level: Real, over: Real) {
        if over <= 0.0 {
            return;
        }
        match scene.model.prims[prim.at()].kind {
            PrimKind::Shape(r) => {
                self.turns[r.at()].shift -= dir * over;
                self.doubt(self.steps.len() + r.at());
            }
            ref soft => {
                for v in soft.vertices().iter().map(|v| v.at()) {
                    let beyond = (scene.state.pos[v] + self.steps[v]).dot(dir) - level;
                    if beyond > 0.0 && scene.inv_mass[v] > 0.0 {
                        self.steps[v] -= dir * beyond;
                        self.doubt(v);
                    }
                }
            }
        }
    }

    /// Puts the pairs of a vertex or frame in doubt.
    #[inline(always)]
    fn doubt(&mut self, node: usize) {
        for pair in &self.links[self.starts[node] as usize..self.starts[node + 1] as usize] {
            self.doubts[*pair as usize] = true;
        }
    }

    /// One round over the pairs in doubt: those without a certificate get a plane. Returns whether any did.
    #[inline(always)]
    fn round(&mut self, scene: &Scene, unasked: bool) -> bool {
        self.touched.clear();
        for (k, pair) in scene.pairs.iter().enumerate() {
            if self.meets(scene, k, unasked).is_none() {
                continue;
            }
            self.planes[k] = self.fronts.len() as u32;
            self.fronts.push(self.put_plane(scene, pair));
            self.stop(k);
            let (is_touched, touched) = (&mut self.is_touched, &mut self.touched);
            each_node(scene.model, self.wanted.len(), pair, |node| {
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
        let vertices = self.wanted.len();
        for k in 0..self.touched.len() {
            let node = self.touched[k] as usize;
            self.is_touched[node] = false;
            let changed = if node < vertices {
                let clipped = self.clip_step(scene, self.wanted[node], node);
                std::mem::replace(&mut self.steps[node], clipped) != clipped
            } else {
                let clipped = self.clip_turn(scene, node - vertices);
                std::mem::replace(&mut self.turns[node - vertices], clipped) != clipped
            };
            if changed {
                self.doubt(node);
            }
        }
    }
}

/// Shortens steps until every pair has its certificate.
#[inline(always)]
fn rounds(planes: &mut Planes, scene: &Scene, parts: bool) {
    let mut parted = 0;
    while parts && parted < PARTINGS && planes.part_all(scene, parted >= EVEN) {
        parted += 1;
    }
    planes.wanted.clone_from(&planes.steps);
    planes.wanted_turns.clone_from(&planes.turns);
    let mut round = 0;
    while planes.round(scene, round >= ROUNDS) {
        planes.clip_touched(scene);
        round += 1;
    }
}

/// The kernel for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Planes, Scene};

    #[target_feature(enable = "avx2")]
    pub(super) fn rounds(planes: &mut Planes, scene: &Scene, parts: bool) {
        super::rounds(planes, scene, parts);
    }
}

pub(super) fn certify(planes: &mut Planes, scene: &Scene, parts: bool) {
    widest!(rounds(planes, scene, parts))
}
