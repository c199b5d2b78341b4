//! Detect: from positions to rows.
//!
//! A complete detector makes a row for each allowed pair of primitives that is nearer than a margin, and none
//! else. All pairs and the grid are complete and differ only in how they look; the tracker makes no other rows than
//! they do, but may miss some.

pub mod tracker;

mod growth;

use crate::body::Substep;
use crate::filter;
use crate::model::{Model, Pose, PrimKind, Shape};
use crate::params::{BodyParams, Detector, Filter, Params, Response};
use crate::report::StepReport;
use crate::row::{Held, Node, Row, RowKey};
use crate::state::State;
use crate::{Mat3, PrimId, Real, Scratch, Vec3};
use rayon::prelude::*;
use serosa_geometry::rotation::to_rotation_vector;
use serosa_geometry::solid::{touches, touches_and_ends};
use serosa_geometry::{Aabb, Cuboid, Grid, Plane, Round, Solid, Touch};
use tracker::{Sight, Tracker};

/// Proximity rows are made for pairs nearer than this, however slow everything is \[m\].
const NEAR_MIN: Real = 4e-4;
/// And for pairs nearer than this only, however fast: what is faster is held back by the filter \[m\].
const NEAR_MAX: Real = 2e-2;
/// Proximity rows reach so many times as far as the farthest motion in the substep: both sides may move.
const AHEAD: Real = 2.4;
/// Skin of the fat boxes, as a share of the mean size of a primitive: a thicker one lasts longer and lists more
/// pairs.
const SKIN: Real = 0.15;
/// Work done by one thread at a time: primitives, cells or pairs. The partition does not depend on the number
/// of threads, and buckets are joined in order, so the rows do not either.
const CHUNK: usize = 512;

/// Working arrays of detection; grown once, kept.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    solids: Vec<Solid>,
    boxes: Vec<Aabb>,
    grid: Grid,
    /// Boxes grown by a skin when the pairs were listed.
    fat: Vec<Aabb>,
    /// Pairs that may touch and whose fat boxes overlap, first primitive in the high half; sorted, so that rows
    /// come out in order.
    pairs: Vec<u64>,
    /// What the tracker keeps.
    pub tracker: Tracker,
    pair_buckets: Vec<Vec<u64>>,
    row_buckets: Vec<Vec<Row>>,
    /// Rows at vertices: what they hold, and which they are.
    held: Vec<([Held; 2], u32)>,
    /// For each row, whether an earlier one holds the same.
    again: Vec<bool>,
}

/// Which rows are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Pairs nearer than this \[m\].
    pub margin: Real,
    /// Rows also at the ends of edges that are near one another, not only where two edges are closest.
    pub ends: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self::OVERLAP
    }
}

impl Search {
    /// Pairs that overlap, one row where two edges are closest.
    pub const OVERLAP: Self = Self { margin: 0.0, ends: false };

    /// Pairs nearer than a margin, rows at the ends of edges too.
    pub fn near(margin: Real) -> Self {
        Self { margin, ends: true }
    }
}

/// Where things are.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// One per vertex \[m\].
    pub pos: &'a [Vec3],
    /// One per rigid frame.
    pub pose: &'a [Pose],
    /// One per primitive \[m\].
    pub radius: &'a [Real],
}

/// The stage: rows into `scratch.rows`. Responses that correct a free motion see where it has led; those that
/// descend see what is near before it begins, and so does the filter.
pub(crate) fn find(sub: &Substep, state: &mut State, scratch: &mut Scratch, report: &mut StepReport) {
    let descends = sub.params.response == Response::AugmentedLagrangian;
    let room = (scratch.rows.capacity(), scratch.near.capacity());
    if descends || sub.params.filter != Filter::Off {
        // A stretched rope that is let go moves farther than its velocity says; the filter has seen it by then.
        let farthest = farthest(sub.model, state, scratch).max(state.ahead);
        let margin = (AHEAD * farthest).clamp(NEAR_MIN, NEAR_MAX);
        let at = Places { pos: &state.pos, pose: &state.pose, radius: &state.radius };
        // The guarantee of the filter needs a complete search.
        let complete = match sub.params.detector {
            Detector::Tracker => Detector::Grid,
            complete => complete,
        };
        let search = (at, Search::near(margin));
        scratch.finder.rows(sub.model, sub.params, complete, search, &mut scratch.near);
        growth::grow(sub, state, scratch, margin);
        if sub.params.filter != Filter::Off {
            filter::plan(sub, state, scratch, margin);
        }
        if descends {
            scratch.found(&state.pos, &state.pose, &state.radius, Search::near(margin));
            scratch.rows.clone_from(&scratch.near);
        }
    } else {
        growth::grow(sub, state, scratch, 0.0);
    }
    if !descends {
        scratch.found_radius.clone_from(&state.radius);
        scratch.found_radius.iter_mut().zip(&scratch.growth).for_each(|(r, more)| *r += more);
        scratch.searched = Search::OVERLAP;
        scratch.found_pos.copy_from_slice(&scratch.pos);
        scratch.found_pose.copy_from_slice(&scratch.pose);
        let at = Places { pos: &scratch.pos, pose: &scratch.pose, radius: &scratch.found_radius };
        scratch.finder.tracker.moment = (state.tick, scratch.substep);
        scratch.finder.tracker.trade(&mut state.tracked);
        let search = (at, Search::OVERLAP);
        scratch.finder.rows(sub.model, sub.params, sub.params.detector, search, &mut scratch.rows);
        scratch.finder.tracker.trade(&mut state.tracked);
    }
    scratch.finder.merge(&mut scratch.rows);
    report.contacts = scratch.rows.len() as u32;
    let grown = scratch.rows.capacity() > room.0 || scratch.near.capacity() > room.1;
    report.grown += u32::from(grown);
}

/// The longest way that the free motion takes any point of any primitive \[m\].
fn farthest(model: &Model, state: &State, scratch: &Scratch) -> Real {
    let vertices = scratch.pos.iter().zip(&state.pos).map(|(to, from)| (*to - *from).length());
    let frames = scratch.pose.iter().zip(&state.pose).zip(&model.rigids).map(|((to, from), rigid)| {
        let turn = to_rotation_vector(to.rot * from.rot.conjugate()).length();
        (to.pos - from.pos).length() + turn * rigid.shape.arm()
    });
    vertices.chain(frames).filter(|d| d.is_finite()).fold(0.0, Real::max)
}

impl Finder {
    /// All rows of a search at some places, sorted by key, into `rows`; those that hold the same vertex are all
    /// there. With the tracker, those that it knows: it goes on from `tracker.active`, and leaves there what it
    /// follows now.
    pub fn rows(
        &mut self,
        model: &Model,
        params: &Params,
        detector: Detector,
        (places, search): (Places, Search),
        rows: &mut Vec<Row>,
    ) {
        rows.clear();
        if !model.anything_may_touch() {
            return;
        }
        self.place(model, places, search.margin);
        let looked = match detector {
            Detector::Grid => {
                if !self.list_holds() {
                    self.list_pairs(model);
                }
                self.pairs.len()
            }
            Detector::AllPairs => model.prims.len(),
            Detector::Tracker => {
                self.tracker.find(Sight {
                    model,
                    params: &params.tracker,
                    solids: &self.solids,
                    margin: search.margin,
                });
                self.tracker.pairs().len()
            }
        };
        let pairs = if detector == Detector::Tracker { self.tracker.pairs() } else { &self.pairs };
        let (solids, boxes) = (&self.solids, &self.boxes);
        in_chunks(looked, &mut self.row_buckets, |k, bucket| {
            let mut meet = |a: PrimId, b: PrimId| {
                let (x, y) = (&solids[a.at()], &solids[b.at()]);
                let mut emit = |touch| bucket.push(row(model, &params.bodies, places, (a, b), &touch));
                if search.ends {
                    touches_and_ends(x, y, search.margin, &mut emit);
                } else {
                    touches(x, y, search.margin, &mut emit);
                }
            };
            match detector {
                Detector::Grid | Detector::Tracker => {
                    let (a, b) = (PrimId((pairs[k] >> 32) as u32), PrimId(pairs[k] as u32));
                    if boxes[a.at()].overlaps(&boxes[b.at()]) {
                        meet(a, b);
                    }
                }
                Detector::AllPairs => {
                    let a = PrimId::from(k);
                    let later = (k + 1..model.prims.len()).map(PrimId::from);
                    later.filter(|&b| model.may_touch(a, b)).for_each(|b| meet(a, b));
                }
            }
        });
        join_buckets(&self.row_buckets, rows);
    }

    /// Keeps one of the rows that hold the same: a knot of a net on a table is found from each of the four
    /// threads that meet in it, and would be pushed four times. The first by key stays. Rows that do not push go.
    pub fn merge(&mut self, rows: &mut Vec<Row>) {
        self.held.clear();
        let at_vertex = |row: &Row| row.held.iter().any(|h| matches!(h, Held::Vertex(_)));
        let found = rows.iter().enumerate().filter(|(_, row)| at_vertex(row));
        self.held.extend(found.map(|(i, row)| (row.held, i as u32)));
        self.held.sort_unstable();
        self.again.clear();
        self.again.resize(rows.len(), false);
        for pair in self.held.windows(2) {
            self.again[pair[1].1 as usize] = pair[0].0 == pair[1].0;
        }
        let mut i = 0;
        rows.retain(|row| {
            i += 1;
            row.pushes() && !self.again[i - 1]
        });
    }

    /// Throws the list of pairs away, so that the next search begins from nothing.
    pub fn forget(&mut self) {
        self.fat.clear();
    }

    /// Whether the list of pairs is still complete: every box lies in its fat box.
    ///
    /// **Theorem.** While it is, no pair outside the list is nearer than the margin.
    /// Proof: a primitive lies in its box shrunk by half the margin, so two primitives nearer than the margin have
    /// boxes that overlap. Each box lies in its fat box, so the fat boxes overlap. Fat boxes have not changed since
    /// the list was made of all pairs whose fat boxes overlap: the pair is in the list. ∎
    ///
    /// This is the skin of a Verlet list, with a box for each primitive in place of one largest displacement for
    /// all: one fast tool does not spoil the list of a slow bowel. It holds for any motion, for turning and growing
    /// shapes too. Within a substep the filter lets no vertex move farther than 0.45 margins, so a pair
    /// outside the list cannot touch at any instant of it either. Cost: six comparisons a primitive.
    fn list_holds(&self) -> bool {
        let inside = |b: &Aabb, fat: &Aabb| fat.min.cmple(b.min).all() && b.max.cmple(fat.max).all();
        self.fat.len() == self.boxes.len() && self.boxes.iter().zip(&self.fat).all(|(b, fat)| inside(b, fat))
    }

    /// All pairs that may touch and whose fat boxes overlap, sorted.
    fn list_pairs(&mut self, model: &Model) {
        let finite = || self.boxes.iter().map(|b| b.size().max_element()).filter(|s| s.is_finite());
        let skin = SKIN * finite().sum::<Real>() / finite().count().max(1) as Real;
        self.fat.clear();
        self.fat.extend(self.boxes.iter().map(|b| b.grown(skin)));
        self.grid.build(&self.fat, |i| model.group(PrimId(i)));
        let (grid, boxes) = (&self.grid, &self.fat);
        in_chunks(grid.jobs(), &mut self.pair_buckets, |job, bucket| {
            grid.pairs_in(job, boxes, |i, j| {
                if model.may_touch(PrimId(i), PrimId(j)) {
                    bucket.push((u64::from(i) << 32) | u64::from(j));
                }
            });
        });
        join_buckets(&self.pair_buckets, &mut self.pairs);
        self.pairs.sort_unstable();
    }

    /// Primitives in world space, and their boxes, grown by half the margin.
    fn place(&mut self, model: &Model, places: Places, margin: Real) {
        let n = model.prims.len();
        self.solids.resize(n, Solid::Plane(Plane { normal: Vec3::Z, offset: 0.0 }));
        self.boxes.resize(n, Aabb::EMPTY);
        let chunks = self.solids.par_chunks_mut(CHUNK).zip(self.boxes.par_chunks_mut(CHUNK));
        chunks.enumerate().for_each(|(chunk, (solids, boxes))| {
            for (k, (solid, bounds)) in solids.iter_mut().zip(boxes).enumerate() {
                *solid = solid_of(model, PrimId::from(chunk * CHUNK + k), places);
                *bounds = solid.bounds().grown(0.5 * margin);
            }
        });
    }
}

/// Does jobs 0 to `jobs`, a chunk at a time, each chunk into a bucket of its own.
fn in_chunks<T: Send>(jobs: usize, buckets: &mut Vec<Vec<T>>, work: impl Fn(usize, &mut Vec<T>) + Sync) {
    let used = jobs.div_ceil(CHUNK);
    if buckets.len() < used {
        buckets.resize_with(used, Vec::new);
    }
    buckets[used..].iter_mut().for_each(Vec::clear);
    buckets[..used].par_iter_mut().enumerate().for_each(|(chunk, bucket)| {
        bucket.clear();
        (chunk * CHUNK..jobs.min((chunk + 1) * CHUNK)).for_each(|job| work(job, bucket));
    });
}

fn join_buckets<T: Copy>(buckets: &[Vec<T>], all: &mut Vec<T>) {
    all.clear();
    buckets.iter().for_each(|bucket| all.extend_from_slice(bucket));
}

/// A primitive in world space.
pub fn solid_of(model: &Model, prim: PrimId, at: Places) -> Solid {
    let radius = at.radius[prim.at()];
    let rigid = match model.prims[prim.at()].kind {
        PrimKind::Segment([a, b]) => {
            return Solid::Round(Round { a: at.pos[a.at()], b: at.pos[b.at()], radius });
        }
        PrimKind::Shape(r) => r,
    };
    let pose = &at.pose[rigid.at()];
    match model.rigids[rigid.at()].shape {
        Shape::Ball => Solid::Round(Round { a: pose.pos, b: pose.pos, radius }),
        Shape::Capsule { half } => {
            let reach = pose.rot * Vec3::Z * half;
            Solid::Round(Round { a: pose.pos - reach, b: pose.pos + reach, radius })
        }
        Shape::Cuboid { half } => {
            Solid::Cuboid(Cuboid { center: pose.pos, axes: Mat3::from_quat(pose.rot), half })
        }
        Shape::Plane => {
            let normal = pose.rot * Vec3::Z;
            Solid::Plane(Plane { normal, offset: normal.dot(pose.pos) })
        }
    }
}

/// What the sides of a touch hold. A vertex touches a solid in one place only; elsewhere the feature tells the
/// places of a pair apart.
fn held(model: &Model, (a, b): (PrimId, PrimId), touch: &Touch) -> [Held; 2] {
    let vertex = |prim: PrimId, along: Real| match model.prims[prim.at()].kind {
        PrimKind::Segment([v, _]) if along == 0.0 => Some(v),
        PrimKind::Segment([_, v]) if along == 1.0 => Some(v),
        _ => None,
    };
    match (vertex(a, touch.s), vertex(b, touch.t)) {
        (None, None) => [Held::Prim(a, touch.feature), Held::Prim(b, touch.feature)],
        (v, w) => [v.map_or(Held::Prim(a, 0), Held::Vertex), w.map_or(Held::Prim(b, 0), Held::Vertex)],
    }
}

/// From a touch to a row: who is held where, with which weight.
fn row(model: &Model, bodies: &[BodyParams], at: Places, pair: (PrimId, PrimId), touch: &Touch) -> Row {
    let mu = |p: PrimId| bodies[model.prims[p.at()].body.at()].friction;
    let key = RowKey { a: pair.0, b: pair.1, feature: touch.feature };
    let mut row =
        Row::new(key, held(model, pair, touch), touch.normal, touch.gap, (mu(pair.0) * mu(pair.1)).sqrt());
    let sides = [(pair.0, touch.s, touch.on_a, 1.0), (pair.1, touch.t, touch.on_b, -1.0)];
    for (prim, along, point, sign) in sides {
        match model.prims[prim.at()].kind {
            PrimKind::Segment([a, b]) => {
                row.hold(Node::Vertex(a), sign * (1.0 - along), at.pos[a.at()]);
                row.hold(Node::Vertex(b), sign * along, at.pos[b.at()]);
            }
            PrimKind::Shape(r) => row.hold(Node::Rigid(r, at.pose[r.at()].local(point)), sign, point),
        }
    }
    row
}
