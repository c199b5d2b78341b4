//! Detect: from positions to rows.
//!
//! A complete detector makes a row for each allowed pair of primitives that is nearer than a margin, and none
//! else. All pairs and the grid are complete and differ only in how they look; the tracker makes no other rows than
//! they do, but may miss some.

pub mod tracker;

mod active;
mod between;
mod bucket;
mod chunks;
mod crowd;
mod growth;
mod order;
mod own;
pub(crate) mod path;
mod reach;
mod shells;

use between::Way;
use bucket::{Bucket, came_through, row, solid_by};
use chunks::{in_chunks, merge_into};
use crowd::Crowd;
use order::Order;
use own::Own;

pub use active::{Active, active_pairs};
pub use bucket::solid_of;
pub use reach::Reach;
pub use shells::Shells;

use crate::body::Substep;
use crate::filter;
use crate::model::{Body, BodyKind, Model, Pose};
use crate::params::{BodyParams, Detector, Filter, Params};
use crate::report::StepReport;
use crate::row::{Held, Row};
use crate::state::State;
use crate::{PrimId, Real, Scratch, Vec3};
use rayon::prelude::*;
use serosa_geometry::solid::touches_and_ends;
use serosa_geometry::{Aabb, Grid, Plane, Solid};
use tracker::{Sight, Tracker};

/// Skin of the fat boxes, as a share of the mean size of a primitive: a thicker one lasts longer and lists more
/// pairs.
const SKIN: Real = 0.15;
/// Pairs looked at by one thread at a time, or primitives placed.
const CHUNK: usize = 512;

/// Working arrays of detection; grown once, kept.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    solids: Vec<Solid>,
    boxes: Vec<Aabb>,
    grid: Grid,
    /// Which primitives may meet those of other bodies.
    crowd: Crowd,
    /// Boxes grown by a skin when the pairs were listed.
    fat: Vec<Aabb>,
    /// Pairs that may touch and whose fat boxes overlap, first primitive in the high half; sorted, so that rows
    /// come out in order.
    pairs: Vec<u64>,
    /// One per body: pairs of solids with themselves.
    own: Vec<Own>,
    /// Those of them to be looked at, sorted.
    own_pairs: Vec<u64>,
    /// What the tracker keeps.
    pub tracker: Tracker,
    order: Order,
    /// Whether the last search was for what is near.
    was_near: bool,
    buckets: Vec<Bucket>,
    /// What was found of solids with themselves.
    own_found: Bucket,
    /// All near pairs of the last [`Search::Near`], and of those before it in the substep, sorted.
    pub near: Vec<Near>,
    /// Those of the search before it.
    near_before: Vec<Near>,
    /// Rows at vertices: what they hold, whether it is not one that came through a face, and which they are.
    held: Vec<([Held; 2], bool, u32)>,
    /// For each row, whether an earlier one holds the same.
    again: Vec<bool>,
}

/// Which rows are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Search<'a> {
    /// Pairs that overlap, one row where two edges are closest.
    Overlap,
    /// Pairs that may meet within their reaches, into [`Finder::near`], with a row for each touch that may push; at
    /// the ends of edges too.
    Near(&'a Reach),
    /// Pairs that touch on the way from the places to these: every end of an edge with a face, every two edges, and
    /// what touches shapes; each where it first does, the gap as it is at the start. For a response that looks again
    /// at where it has led: what is found may be merged with what it knew by [`Row::held`].
    Between(Places<'a>),
}

/// A near pair and where it is nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The two primitives, the smaller number first.
    pub prims: [PrimId; 2],
    /// Unit, towards the first.
    pub normal: Vec3,
    /// Signed distance \[m\], + is apart.
    pub gap: Real,
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
    let descends = sub.params.response.looks_ahead();
    let room = scratch.rows.capacity();
    scratch.reach.forget();
    if descends || sub.params.filter != Filter::Off {
        reach::look_ahead(sub, state, scratch);
        find_near(sub, state, scratch);
    }
    if descends {
        note_near(state, scratch);
    }
    growth::grow(sub, state, scratch);
    if sub.params.filter != Filter::Off {
        filter::plan(sub, scratch);
    }
    if sub.params.response.presses() {
        shells::find(sub, scratch);
    } else if !descends {
        find_overlaps(sub, state, scratch);
        scratch.finder.merge(&mut scratch.rows);
    }
    report.contacts = scratch.rows.len() as u32;
    report.grown += u32::from(scratch.rows.capacity() > room);
}

/// The same stage once more in a substep, since steps went where nothing had been searched for, or were shortened: what is
/// near where things go now, and what that adds to the rows of a response that descends.
pub(crate) fn find_again(sub: &Substep, state: &State, scratch: &mut Scratch, expect_anew: bool) {
    if expect_anew {
        reach::look_again(sub, state, scratch);
    }
    let descends = sub.params.response.looks_ahead();
    std::mem::swap(&mut scratch.rows, &mut scratch.spare_rows);
    // What has been stopped by a pair would go on again if that were forgotten, and strayed from where it was stopped.
    let keeps = !expect_anew && !growth::grows(sub, state);
    if keeps {
        std::mem::swap(&mut scratch.finder.near, &mut scratch.finder.near_before);
    } else {
        scratch.reach.look_at_all();
    }
    find_near(sub, state, scratch);
    if keeps {
        scratch.finder.keep_near();
    }
    growth::grow(sub, state, scratch);
    filter::plan(sub, scratch);
    let Scratch { rows, spare_rows: before, reach, .. } = scratch;
    if descends {
        keep_known(rows, before, reach);
        note_near(state, scratch);
    } else {
        std::mem::swap(rows, before);
    }
}

/// Rows that were known go on as they were, and none that pushed is lost, nor any that was not looked for.
fn keep_known(rows: &mut Vec<Row>, before: &mut Vec<Row>, reach: &Reach) {
    let found = rows.len();
    before.retain(|old| match rows[..found].binary_search_by_key(&old.key, |row| row.key) {
        Ok(k) => {
            (rows[k].lambda, rows[k].slip) = (old.lambda, old.slip);
            false
        }
        Err(_) => old.lambda > 0.0 || !reach.is_fresh(old.key.a, old.key.b),
    });
    merge_into(rows, before, |row| row.key);
}

/// All near pairs and their rows, where things are before they move.
fn find_near(sub: &Substep, state: &State, scratch: &mut Scratch) {
    // The guarantee of the filter needs a complete search.
    let complete = match sub.params.detector {
        Detector::Tracker => Detector::Grid,
        complete => complete,
    };
    let at = Places { pos: &state.pos, pose: &state.pose, radius: &state.radius };
    let search = (at, Search::Near(&scratch.reach));
    scratch.finder.rows(sub.model, sub.params, complete, search, &mut scratch.rows);
}

/// The rows that are answered are those of a search for what is near, for the audit.
fn note_near(state: &State, scratch: &mut Scratch) {
    scratch.found_pos.copy_from_slice(&state.pos);
    scratch.found_pose.copy_from_slice(&state.pose);
    scratch.found_radius.copy_from_slice(&state.radius);
    scratch.found_near = true;
}

/// All overlaps where the free motion has led.
fn find_overlaps(sub: &Substep, state: &mut State, scratch: &mut Scratch) {
    scratch.found_pos.copy_from_slice(&scratch.pos);
    scratch.found_pose.copy_from_slice(&scratch.pose);
    scratch.found_radius.copy_from_slice(&state.radius);
    scratch.found_radius.iter_mut().zip(&scratch.growth).for_each(|(r, more)| *r += more);
    scratch.found_near = false;
    let at = Places { pos: &scratch.pos, pose: &scratch.pose, radius: &scratch.found_radius };
    scratch.finder.tracker.moment = (state.tick, scratch.substep);
    scratch.finder.tracker.trade(&mut state.tracked);
    let search = (at, Search::Overlap);
    scratch.finder.rows(sub.model, sub.params, sub.params.detector, search, &mut scratch.rows);
    scratch.finder.tracker.trade(&mut state.tracked);
}

/// The gap of two primitives where they are nearest \[m\].
pub(crate) fn gap(model: &Model, places: Places, (a, b): (PrimId, PrimId)) -> Option<Real> {
    let (x, y) = (solid_of(model, a, places), solid_of(model, b, places));
    touches_and_ends(&x, &y, Real::INFINITY, |_, _| false, &mut |_| {}).map(|touch| touch.gap)
}

/// A row where two primitives are nearest.
pub(crate) fn nearest(of: (&Model, &[BodyParams]), at: Places, [a, b]: [PrimId; 2]) -> Option<Row> {
    let (x, y) = (solid_of(of.0, a, at), solid_of(of.0, b, at));
    let touch = touches_and_ends(&x, &y, Real::INFINITY, |_, _| false, &mut |_| {})?;
    Some(row(of, |r| at.pose[r.at()], at.radius, (a, b), &touch))
}

impl Finder {
    /// All rows of a search at some places, sorted by key, into `rows`; those that hold the same vertex are all
    /// there ([`Self::merge`] leaves one of them). Grid: O(n log n + pairs whose boxes overlap), all pairs: O(n²); both
    /// find the same. With the tracker, those that it knows: it goes on from `tracker.active`, and leaves there what it
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
        if matches!(search, Search::Near(_)) {
            self.near.clear();
        }
        self.place(model, places, search);
        self.go(model, (places, search));
        self.list(model, params, detector, search);
        let Self { solids, boxes, buckets, own, own_found, near, .. } = self;
        let margin = |reach: &Reach, (a, b): (PrimId, PrimId)| {
            let body = model.prims[a.at()].body;
            let (first, one) = (model.bodies[body.at()].prims.start, body == model.prims[b.at()].body);
            match one {
                true => own[body.at()].margin((a.0 - first) as usize, (b.0 - first) as usize),
                false => reach.margin(model, a, b),
            }
        };
        let meet = |pair: (PrimId, PrimId), bucket: &mut Bucket| {
            bucket.meet(model, &params.bodies, (places, search), pair, (solids, margin));
        };
        let overlap = |(a, b): (PrimId, PrimId)| boxes[a.at()].overlaps(&boxes[b.at()]);
        let fresh = |(a, b): (PrimId, PrimId)| match search {
            Search::Near(reach) => reach.is_fresh(a, b),
            Search::Overlap | Search::Between(_) => true,
        };
        if detector == Detector::AllPairs {
            // What may meet sweeps boxes that overlap; what overlaps is looked for without boxes.
            let all = matches!(search, Search::Overlap);
            let may = |pair: &(PrimId, PrimId)| {
                fresh(*pair) && model.may_touch(pair.0, pair.1) && (all || overlap(*pair))
            };
            let work = |a: usize, bucket: &mut Bucket| {
                let pairs = (a + 1..model.prims.len()).map(|b| (PrimId::from(a), PrimId::from(b)));
                pairs.filter(may).for_each(|pair| meet(pair, bucket));
            };
            return in_chunks((model.prims.len(), 1), buckets, work, |bucket| bucket.pour(rows, near));
        }
        let (own_pairs, pairs) = match detector {
            Detector::Grid => (&self.own_pairs[..], &self.pairs[..]),
            _ => (&[][..], self.tracker.pairs()),
        };
        let mut look = |pairs: &[u64], rows: &mut Vec<Row>, near: &mut Vec<Near>| {
            let work = |k: usize, bucket: &mut Bucket| {
                let pair = halves(pairs[k]);
                if fresh(pair) && overlap(pair) {
                    meet(pair, bucket);
                }
            };
            in_chunks((pairs.len(), CHUNK), buckets, work, |bucket| bucket.pour(rows, near));
        };
        own_found.rows.clear();
        own_found.near.clear();
        look(own_pairs, &mut own_found.rows, &mut own_found.near);
        look(pairs, rows, near);
        merge_into(rows, &own_found.rows, |row| (row.key.a, row.key.b));
        merge_into(near, &own_found.near, |near| near.prims);
    }

    /// Pairs that were near in the search before are near still.
    fn keep_near(&mut self) {
        let Self { near, near_before: before, .. } = self;
        let mut k = 0;
        before.retain(|old| {
            k += near[k..].iter().take_while(|pair| pair.prims < old.prims).count();
            near.get(k).is_none_or(|pair| pair.prims != old.prims)
        });
        merge_into(near, before, |pair| pair.prims);
    }

    /// Brings the lists of pairs to be looked at up to date.
    fn list(&mut self, model: &Model, params: &Params, detector: Detector, search: Search) {
        match detector {
            Detector::Grid => {
                if !self.list_holds() {
                    self.list_pairs(model, search);
                }
                self.list_own(model, search);
            }
            Detector::Tracker => {
                let (params, solids) = (&params.tracker, &self.solids[..]);
                self.tracker.find(Sight { model, params, solids, margin: 0.0 });
            }
            Detector::AllPairs => {}
        }
    }

    /// Keeps one of the rows that hold the same: a knot of a net on a table is found from each of the four
    /// threads that meet in it, and would be pushed four times. The first by key stays; of a vertex and a face the first
    /// that saw it come through, since the others take it for one that is on the side where it has got to.
    pub fn merge(&mut self, rows: &mut Vec<Row>) {
        self.held.clear();
        let at_vertex = |held: &[Held; 2]| held.iter().any(|h| matches!(h, Held::Vertex(_)));
        let whole = |row: &Row| !came_through(row);
        let found = rows.iter().zip(0..).map(|(row, i)| (row.held(), whole(row), i));
        self.held.extend(found.filter(|(held, ..)| at_vertex(held)));
        self.held.sort_unstable();
        self.again.clear();
        self.again.resize(rows.len(), false);
        for pair in self.held.windows(2) {
            self.again[pair[1].2 as usize] = pair[0].0 == pair[1].0;
        }
        let mut i = 0;
        rows.retain(|_| {
            i += 1;
            !self.again[i - 1]
        });
    }

    /// Throws the list of pairs away, so that the next search begins from nothing.
    pub fn forget(&mut self) {
        self.own.iter_mut().for_each(Own::forget);
        self.fat.clear();
    }

    /// Whether the list of pairs is still complete: every box lies in its fat box.
    ///
    /// **Theorem.** While it is, no pair outside the list can meet in this substep.
    /// Proof: the box of a primitive holds all that it may sweep within its reach, so two primitives that meet have
    /// boxes that overlap. Each box lies in its fat box, so the fat boxes overlap. Fat boxes have not changed since
    /// the list was made of all pairs whose fat boxes overlap: the pair is in the list. ∎
    ///
    /// This is the skin of a Verlet list, with a box for each primitive in place of one largest displacement for
    /// all: one fast tool does not spoil the list of a slow bowel. It holds for any motion, for turning and growing
    /// shapes too. The filter lets nothing move beyond its reach, so the substep goes as the theorem has it. Cost: six
    /// comparisons a primitive.
    fn list_holds(&self) -> bool {
        let inside = |b: &Aabb, fat: &Aabb| fat.min.cmple(b.min).all() && b.max.cmple(fat.max).all();
        self.fat.len() == self.boxes.len() && self.boxes.iter().zip(&self.fat).all(|(b, fat)| inside(b, fat))
    }

    /// Where the primitives go that may meet others of their bodies.
    fn go(&mut self, model: &Model, (places, search): (Places, Search)) {
        self.own.resize(model.bodies.len(), Own::default());
        for (body, own) in model.bodies.iter().zip(&mut self.own).filter(|(body, _)| meets_itself(body)) {
            own.go(model, body, (places, search), &self.solids);
        }
    }

    /// The pairs of solids with themselves; sorted, since their primitives come body by body.
    fn list_own(&mut self, model: &Model, search: Search) {
        let Self { own, own_pairs: all, solids, .. } = self;
        all.clear();
        for (body, own) in model.bodies.iter().zip(own).filter(|(body, _)| meets_itself(body)) {
            own.pairs(model, body, (solids, search), all);
        }
        debug_assert!(all.is_sorted(), "bodies out of order");
    }

    /// All pairs that may touch and whose fat boxes overlap, sorted; not those of bodies with themselves.
    fn list_pairs(&mut self, model: &Model, search: Search) {
        let finite = || self.boxes.iter().map(|b| b.size().max_element()).filter(|s| s.is_finite());
        let size = finite().sum::<Real>() / finite().count().max(1) as Real;
        let fat = |i: usize, b: &Aabb| match search {
            Search::Near(reach) => reach.fat(PrimId::from(i), *b, size).grown(SKIN * size),
            Search::Overlap | Search::Between(_) => b.grown(SKIN * size),
        };
        self.fat.resize(self.boxes.len(), Aabb::EMPTY);
        let chunks = self.fat.par_chunks_mut(CHUNK).zip(self.boxes.par_chunks(CHUNK));
        chunks.enumerate().for_each(|(chunk, (fats, boxes))| {
            let numbers = chunk * CHUNK..;
            fats.iter_mut().zip(boxes).zip(numbers).for_each(|((out, b), i)| *out = fat(i, b));
        });
        let Self { crowd, fat, pairs, grid, .. } = self;
        crowd.meet(model, fat);
        let group = |k: u32| {
            let prim = crowd.live[k as usize];
            let body = model.prims[prim.at()].body;
            if apart(&model.bodies[body.at()]) { body.0 + 1 } else { model.group(prim) }
        };
        grid.build(&crowd.boxes, group);
        pairs.clear();
        let mut list = |i: PrimId, j: PrimId| {
            if model.may_touch(i, j) {
                pairs.push((u64::from(i.0) << 32) | u64::from(j.0));
            }
        };
        // On one thread: a list lasts for some steps, and buckets would hold all of it again.
        for job in 0..grid.jobs() {
            grid.pairs_in(job, &crowd.boxes, |i, j| list(crowd.live[i as usize], crowd.live[j as usize]));
        }
        for plane in &crowd.planes {
            let Solid::Plane(Plane { normal, offset }) = self.solids[plane.at()] else { continue };
            // One that moves is near to all.
            let high = if model.prim_moves(*plane) { Real::INFINITY } else { offset };
            for (prim, b) in (0..).map(PrimId).zip(fat.iter()) {
                let other = prim > *plane || prim < *plane && crowd.planes.binary_search(&prim).is_err();
                if other && lowest(b, normal) <= high {
                    list(prim.min(*plane), prim.max(*plane));
                }
            }
        }
        self.order.sort(&mut self.pairs, 0..self.boxes.len() as u32);
    }

    /// Primitives in world space, and the boxes that they may sweep.
    fn place(&mut self, model: &Model, places: Places, search: Search) {
        let n = model.prims.len();
        let was_near = std::mem::replace(&mut self.was_near, matches!(search, Search::Near(_)));
        self.solids.resize(n, Solid::Plane(Plane { normal: Vec3::Z, offset: 0.0 }));
        self.boxes.resize(n, Aabb::EMPTY);
        let chunks = self.solids.par_chunks_mut(CHUNK).zip(self.boxes.par_chunks_mut(CHUNK));
        chunks.enumerate().for_each(|(chunk, (solids, boxes))| {
            for (k, (solid, bounds)) in solids.iter_mut().zip(boxes).enumerate() {
                let prim = chunk * CHUNK + k;
                // All stands where it stood in the search before.
                if matches!(search, Search::Near(reach) if was_near && !reach.is_fresh_prim(PrimId::from(prim))) {
                    continue;
                }
                *solid = solid_of(model, PrimId::from(prim), places);
                *bounds = match search {
                    Search::Near(reach) => reach.swept(model, PrimId::from(prim), solid.bounds()),
                    Search::Overlap => solid.bounds(),
                    Search::Between(end) => Way { model, start: places, end }.swept(PrimId::from(prim)),
                };
            }
        });
    }
}

/// Whether the pairs of a body with itself are listed apart: of all that deforms.
fn apart(body: &Body) -> bool {
    !matches!(body.kind, BodyKind::Rigid(_))
}

/// Whether a body has pairs with itself.
fn meets_itself(body: &Body) -> bool {
    apart(body) && body.self_contact && !body.prims.is_empty()
}

/// How low the lowest corner of a box is along a normal; what is not a number is below everything.
fn lowest(b: &Aabb, normal: Vec3) -> Real {
    let low = normal.max(Vec3::ZERO).dot(b.min) + normal.min(Vec3::ZERO).dot(b.max);
    if low.is_nan() { Real::NEG_INFINITY } else { low }
}

/// The two primitives of a pair.
#[inline]
fn halves(pair: u64) -> (PrimId, PrimId) {
    (PrimId((pair >> 32) as u32), PrimId(pair as u32))
}
