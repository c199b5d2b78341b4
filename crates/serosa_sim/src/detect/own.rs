//! Pairs of a body with itself, listed patch by patch.
//!
//! Neighbours of neighbours are always near, and stay as far apart as they were for as long as the body hardly deforms
//! about them, however fast it goes and turns: what two primitives do together changes no distance. So a surface is cut
//! into patches, and each two that may meet list their pairs with how far apart they are. A list is made anew when the two
//! have gone apart from one rigid motion, or may in this substep, by as much as it reaches beyond what was needed: where a
//! tool pokes, not all over the body.

mod couple;
mod going;
mod patches;

use super::chunks::{WAVE, in_chunks};
use super::crowd::join;
use super::order::Order;
use super::{Places, Search, halves};
use crate::model::{Body, Model};
use crate::{Mat3, PrimId, Real, Vec3};
use couple::{Couple, Listed, Listing, Pieces};
use going::{Course, Going};
use patches::{Fit, Patches};
use serosa_geometry::{Aabb, Grid, Solid};

/// Lists made by one thread at a time.
const CHUNK: usize = 4;
/// How far beyond what is needed a list reaches, as a share of the mean size of a primitive.
const SKIN: Real = 0.25;
/// And as a multiple of it.
const MORE: Real = 1.3;
/// A patch that has gone apart by this share of the skin is measured from anew where a list is made anew.
const AFRESH: Real = 0.25;
/// Lists that nobody reads may take as much room as those that are read, and so much more.
const WASTE: usize = 1 << 12;
/// Only the patches are asked that are expected elsewhere where these are fewer than one in so many.
const FEW: usize = 4;
/// Couples for which there is room at first, for each patch, and pairs in a chunk of lists.
const ROOM: [usize; 2] = [12, 1 << 10];

/// The pairs of one body with itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    patches: Patches,
    /// Where the vertices of each patch were when they were last measured from \[m\], and the radii of primitives.
    then: Vec<Vec3>,
    then_radii: Vec<Real>,
    /// Where they are, and the places and radii of the body of which that is so.
    now: Vec<Vec3>,
    seen: (Vec<Vec3>, Vec<Real>),
    /// One per patch: its rigid motion since.
    fits: Vec<Fit>,
    offs: Vec<Real>,
    /// One per primitive: as far as it has gone beside the motion of its patch, and grown \[m\].
    fars: Vec<Real>,
    /// One per primitive: where it stands, and where it goes.
    boxes: Vec<Aabb>,
    goes: Vec<Going>,
    /// One per patch: the same of all of it, and how far its farthest primitive has gone.
    extents: Vec<Extent>,
    /// Boxes that patches may sweep beside the mean of the body.
    swept: Vec<Aabb>,
    grid: Grid,
    /// Patches that may meet, sorted, and by how much \[m\].
    meets: Vec<(u64, Real)>,
    /// Pairs of patches with a list, sorted.
    couples: Vec<Couple>,
    before: Vec<Couple>,
    /// Lists, one after the other, each from near to far; some that nobody reads between them.
    lists: Vec<Listed>,
    spare: Vec<Listed>,
    /// Which of them are asked, and by how much either two may come nearer \[m\].
    asked: Vec<(u32, Real)>,
    /// Those whose lists are to be made, and what makes them.
    stale: Vec<(u32, Real)>,
    buckets: Vec<Listing>,
    /// Primitives as lists are made of them, if they stand where they are placed.
    pieces: Pieces,
    placed: bool,
    counts: Vec<usize>,
    order: Order,
    /// Patches that are expected elsewhere than in the search before, and whether these are so few that only they are asked;
    /// whether that was a search for what is near.
    fresh: Vec<u32>,
    is_partial: bool,
    was_near: bool,
    /// The mean size of a primitive \[m\].
    size: Real,
}

/// A patch as a whole.
#[derive(Clone, Copy, Debug)]
struct Extent {
    bounds: Aabb,
    course: Course,
    /// How far any of it has gone beside its motion \[m\].
    far: Real,
}

impl Own {
    /// Forgets all lists.
    pub fn forget(&mut self) {
        self.then.clear();
    }

    /// Adds all pairs that may matter to `out`, sorted.
    ///
    /// **Theorem.** No other pair of the body is nearer than it may come in this substep, and none gets a row. Proof: a
    /// pair matters if its gap is less than its margin ([`Going::margin`], which has half a gap at rest of each side in it). Let two
    /// patches have listed all pairs that were no farther apart than `cut`. Since then every vertex has gone to within its
    /// `far` of one rigid motion of its patch, these two differ on either patch by no more than [`Fit::differ`], and radii
    /// have grown: the gap of a pair has changed by no more than both `far`s and that together, at most by `used` and what
    /// the two have gone since they were measured from anew. A pair that is not listed was farther apart than `cut`, which
    /// is more than that change and the largest margin of the two patches. Patches that are not asked are farther apart, box
    /// from box, than their largest margin. ∎
    ///
    /// O(vertices + primitives + pairs of patches + pairs looked at), and the lists that are made anew.
    ///
    /// Asks where everything goes ([`Self::go`]) to have been found.
    pub fn pairs(
        &mut self,
        model: &Model,
        body: &Body,
        (solids, search): (&[Solid], Search),
        out: &mut Vec<u64>,
    ) {
        self.asked.clear();
        if self.is_partial {
            self.meet_again();
            self.pick_again();
        } else {
            self.meet();
            self.pick();
        }
        self.make(model, body, &solids[body.prims.start as usize..body.prims.end as usize]);
        let before = out.len();
        let fresh = |pair: u64| match search {
            Search::Near(reach) => reach.is_fresh(halves(pair).0, halves(pair).1),
            Search::Overlap | Search::Between(_) => true,
        };
        self.gather(body, fresh, out);
        self.order.sort(&mut out[before..], body.prims.clone());
    }

    /// Where everything is and goes; in a search that looks again at a few pairs, where these go.
    /// O(vertices + primitives)
    pub fn go(&mut self, model: &Model, body: &Body, (at, search): (Places, Search), solids: &[Solid]) {
        let prims = body.prims.start as usize..body.prims.end as usize;
        if !self.patches.fit(prims.len()) {
            self.patches = Patches::cut(model, body);
            self.forget();
        }
        let is_placed = self.place(body, at, &solids[prims]);
        let was_near = std::mem::replace(&mut self.was_near, matches!(search, Search::Near(_)));
        let Self { patches, goes, extents, boxes, fars, fresh, .. } = self;
        let all = patches.len();
        fresh.clear();
        fresh.extend((0..all as u32).filter(|patch| match search {
            Search::Near(reach) if is_placed && was_near => {
                patches.of(*patch).iter().any(|p| reach.is_fresh_prim(PrimId(body.prims.start + p)))
            }
            _ => true,
        }));
        self.is_partial = fresh.len() * FEW < all;
        goes.resize(body.prims.len(), Going::default());
        extents.resize(all, Extent { bounds: Aabb::EMPTY, course: Course::default(), far: 0.0 });
        for patch in fresh {
            let prims = patches.of(*patch);
            let course = going::turn(model, (body.prims.start, prims), (at, search), goes);
            let prims = prims.iter().map(|p| *p as usize);
            let bounds = prims.clone().map(|p| boxes[p]).fold(Aabb::EMPTY, join);
            let far = prims.map(|p| fars[p]).fold(0.0, worse);
            extents[*patch as usize] = Extent { bounds, course, far };
        }
    }

    /// How much nearer two primitives of the body may come \[m\], which are counted from its first.
    #[inline]
    pub fn margin(&self, a: usize, b: usize) -> Real {
        self.goes[a].margin(&self.goes[b])
    }

    /// Where everything is, and how far it has gone. Searches of one substep ask it of the same places: whether this one did.
    fn place(&mut self, body: &Body, at: Places, solids: &[Solid]) -> bool {
        let pos = &at.pos[body.vertex_range()];
        let radii = &at.radius[body.prims.start as usize..body.prims.end as usize];
        let anew = self.then.is_empty();
        if !anew && self.seen.0 == pos && self.seen.1 == radii {
            return true;
        }
        self.placed = false;
        self.seen.0.clear();
        self.seen.0.extend_from_slice(pos);
        self.seen.1.clear();
        self.seen.1.extend_from_slice(radii);
        self.patches.gather(pos, &mut self.now);
        self.boxes.clear();
        self.boxes.extend(solids.iter().map(Solid::bounds));
        if anew {
            let finite = || self.boxes.iter().map(|b| b.size().max_element()).filter(|s| s.is_finite());
            self.size = finite().sum::<Real>() / finite().count().max(1) as Real;
            self.couples.clear();
            self.lists.clear();
            self.make_room();
            self.measure_afresh();
        } else {
            self.measure();
        }
        false
    }

    /// Room for what comes and goes.
    fn make_room(&mut self) {
        let room = ROOM[0] * self.patches.len();
        self.meets.reserve(room);
        self.couples.reserve(room);
        self.before.reserve(room);
        self.stale.reserve(room);
        self.asked.reserve(room);
        self.counts.reserve(room);
        self.spare.reserve(2 * WASTE);
    }

    /// Measures how far everything has gone from here on.
    fn measure_afresh(&mut self) {
        self.then.clone_from(&self.now);
        self.then_radii.clone_from(&self.seen.1);
        self.fits.clear();
        self.measure();
    }

    fn measure(&mut self) {
        let Self { patches, then, then_radii, now, seen, fits, offs, fars, .. } = self;
        patches.measure(then, now, (fits, offs, fars));
        for ((far, then), now) in fars.iter_mut().zip(then_radii).zip(&seen.1) {
            *far += (*now - *then).max(0.0);
        }
    }

    /// The patches that may meet, and by how much: those whose boxes are no farther apart than their largest margin. The
    /// boxes that are entered in the grid hold all that, beside the mean of all.
    fn meet(&mut self) {
        let Self { extents, swept, grid, meets, .. } = self;
        let mean =
            extents.iter().map(|extent| extent.course.way).sum::<Vec3>() / extents.len().max(1) as Real;
        swept.clear();
        swept.extend(extents.iter().map(|extent| {
            let most = (extent.course.way - mean).length() + extent.course.spread;
            if most.is_nan() { Aabb::ALL } else { extent.bounds.grown(most) }
        }));
        grid.build(swept, |_| 0);
        meets.clear();
        let need = |p: u32, q: u32| extents[p as usize].course.margin(&extents[q as usize].course);
        meets.extend((0..extents.len() as u32).map(|p| (key(p, p), need(p, p))));
        for job in 0..grid.jobs() {
            grid.pairs_in(job, swept, |p, q| {
                let need = need(p, q);
                let beyond = extents[p as usize].bounds.grown(need);
                if need.is_nan() || beyond.overlaps(&extents[q as usize].bounds) {
                    meets.push((key(p, q), need));
                }
            });
        }
        meets.sort_unstable_by_key(|(key, _)| *key);
    }

    /// The same for patches that are expected elsewhere. O(such patches · patches)
    fn meet_again(&mut self) {
        let Self { extents, meets, fresh, .. } = self;
        meets.clear();
        for p in fresh.iter() {
            let one = &extents[*p as usize];
            for (q, other) in (0..).zip(extents.iter()) {
                let need = one.course.margin(&other.course);
                let is_near = q == *p || need.is_nan() || one.bounds.grown(need).overlaps(&other.bounds);
                if is_near && (q >= *p || fresh.binary_search(&q).is_err()) {
                    meets.push((key(q.min(*p), q.max(*p)), need));
                }
            }
        }
        meets.sort_unstable_by_key(|(key, _)| *key);
    }

    /// Which of these have lists that hold, and which are to be made; all other lists stay.
    fn pick_again(&mut self) {
        self.stale.clear();
        for i in 0..self.meets.len() {
            let (key, need) = self.meets[i];
            let (bend, far) = self.gone(key);
            let found = self.couples.binary_search_by_key(&key, |couple| couple.key);
            let (Ok(at) | Err(at)) = found;
            if found.is_err() {
                self.couples.insert(at, Couple::new(key));
            }
            if found.is_err() || !self.couples[at].holds(need, bend + far) {
                self.couples[at] = Couple { bend, ..Couple::new(key) };
                self.stale.push((at as u32, need));
            }
            self.asked.push((at as u32, need));
        }
    }

    /// Which lists hold, and which are to be made.
    fn pick(&mut self) {
        std::mem::swap(&mut self.couples, &mut self.before);
        self.couples.clear();
        self.stale.clear();
        let (mut old, mut bends) = (0, 0.0);
        for k in 0..self.meets.len() {
            let (key, need) = self.meets[k];
            while self.before.get(old).is_some_and(|couple| couple.key < key) {
                self.keep(old);
                old += 1;
            }
            let gone = self.gone(key);
            let most = gone.0 + gone.1;
            self.asked.push((self.couples.len() as u32, need));
            let known = self.before.get(old).filter(|couple| couple.key == key);
            let holds =
                |couple: &&Couple| couple.holds(need, most) && !couple.is_dear(need, most, SKIN * self.size);
            match known.filter(holds) {
                Some(couple) => self.couples.push(Couple { bend: gone.0, ..*couple }),
                None => {
                    self.stale.push((self.couples.len() as u32, need));
                    self.couples.push(Couple { bend: gone.0, ..Couple::new(key) });
                    bends = worse(bends, most);
                }
            }
            old += usize::from(known.is_some());
        }
        (old..self.before.len()).for_each(|old| self.keep(old));
        if bends.is_nan() || bends > AFRESH * SKIN * self.size {
            self.begin_afresh();
        }
    }

    /// Keeps a list that nobody asks for while it holds.
    fn keep(&mut self, old: usize) {
        let couple = self.before[old];
        let (bend, far) = self.gone(couple.key);
        if couple.holds(0.0, bend + far) {
            self.couples.push(Couple { bend, ..couple });
        }
    }

    /// How far two patches have gone apart from one rigid motion, and either from its own \[m\].
    fn gone(&self, key: u64) -> (Real, Real) {
        let (p, q) = halves(key);
        let bend = if p == q { 0.0 } else { self.fits[p.at()].differ(&self.fits[q.at()]) };
        (bend, self.extents[p.at()].far + self.extents[q.at()].far)
    }

    /// Measures from here on; the lists there are have used up what was gone until now.
    fn begin_afresh(&mut self) {
        for k in 0..self.couples.len() {
            let (bend, far) = self.gone(self.couples[k].key);
            let couple = &mut self.couples[k];
            (couple.used, couple.bend) = (couple.used + bend + far, 0.0);
        }
        self.stale.iter().for_each(|(k, _)| self.couples[*k as usize].used = 0.0);
        self.measure_afresh();
        for (extent, patch) in self.extents.iter_mut().zip(0..) {
            extent.far = self.patches.of(patch).iter().map(|p| self.fars[*p as usize]).fold(0.0, worse);
        }
    }

    /// Makes the lists that do not hold.
    fn make(&mut self, model: &Model, body: &Body, solids: &[Solid]) {
        self.tidy();
        let Self { patches, extents, couples, lists, stale, buckets, counts, pieces, placed, size, .. } =
            self;
        let (stale, mut start) = (&stale[..], lists.len());
        for (k, need) in stale {
            let couple = &mut couples[*k as usize];
            let (p, q) = halves(couple.key);
            let far = extents[p.at()].far + extents[q.at()].far;
            // What has been gone until now is counted twice: then, and as long as it is measured from there.
            couple.used = couple.bend + far;
            couple.cut = couple.used * 2.0 + MORE * need + SKIN * *size;
        }
        let known = &couples[..];
        if !std::mem::replace(placed, true) {
            let patches = (0..patches.len() as u32).map(|patch| patches.of(patch));
            pieces.place((model, body.prims.start, solids), patches);
        }
        let pieces = &*pieces;
        let made = |k: usize, listing: &mut Listing| {
            let couple = &known[stale[k].0 as usize];
            let (p, q) = halves(couple.key);
            let two = [p, q].map(|patch| (patch, extents[patch.at()].bounds));
            listing.list(model, pieces, two, couple.cut);
        };
        counts.clear();
        // A chunk may be found to hold as much as any before.
        buckets.resize_with(WAVE, Listing::default);
        let most = buckets.iter().map(|listing| listing.pairs.capacity()).fold(ROOM[1], usize::max);
        buckets.iter_mut().for_each(|listing| listing.reserve((most, CHUNK)));
        in_chunks((stale.len(), CHUNK), buckets, made, |listing| {
            counts.append(&mut listing.counts);
            let found = listing.pairs.len();
            lists.append(&mut listing.pairs);
            if nearly_full(found, listing.pairs.capacity()) {
                listing.pairs.reserve(2 * found);
            }
        });
        for ((k, _), count) in stale.iter().zip(counts) {
            let couple = &mut couples[*k as usize];
            (couple.start, couple.count) = (start, *count);
            start += *count;
        }
        self.leave_room();
    }

    /// What was nearly full has room for twice as much: which lists are made when depends on those that there were, so that
    /// the same motion may need a little more another time. O(1)
    fn leave_room(&mut self) {
        fn leave<T>(list: &mut Vec<T>) {
            if nearly_full(list.len(), list.capacity()) {
                list.reserve(list.len());
            }
        }
        leave(&mut self.meets);
        leave(&mut self.couples);
        leave(&mut self.before);
        leave(&mut self.stale);
        leave(&mut self.asked);
        leave(&mut self.counts);
        leave(&mut self.lists);
        leave(&mut self.spare);
    }

    /// Puts the lists that are kept side by side where those that nobody reads take more room than they.
    fn tidy(&mut self) {
        let Self { couples, lists, spare, .. } = self;
        let kept: usize = couples.iter().map(|couple| couple.count).sum();
        // Lists are made now and then, so that they would grow long after the first steps.
        let room = (5 * kept / 2 + 2 * WASTE).next_power_of_two();
        lists.reserve((room - kept / 2).saturating_sub(lists.len()));
        if lists.len() <= 2 * kept + WASTE {
            return;
        }
        spare.reserve(room.saturating_sub(spare.len()));
        spare.clear();
        for couple in couples {
            let list = couple.range();
            couple.start = spare.len();
            spare.extend_from_slice(&lists[list]);
        }
        std::mem::swap(lists, spare);
    }

    /// The pairs that may matter, of all lists that are asked for.
    fn gather(&self, body: &Body, fresh: impl Fn(u64) -> bool, out: &mut Vec<u64>) {
        let first = body.prims.start;
        for (k, need) in &self.asked {
            let couple = &self.couples[*k as usize];
            let (p, q) = halves(couple.key);
            let used = couple.used + couple.bend;
            let most = roomy(need + used + self.extents[p.at()].far + self.extents[q.at()].far);
            let far = roomy(most + couple.bin());
            for (pair, gap) in &self.lists[couple.range()] {
                // From near to far, bin by bin: all others are farther. What is not a number is none.
                if *gap > far {
                    break;
                }
                if *gap > most || !fresh(*pair) {
                    continue;
                }
                let (a, b) = halves(*pair);
                let [a, b] = [a, b].map(|prim| (prim.0 - first) as usize);
                let margin = self.margin(a, b);
                let beyond = *gap > roomy(margin + used + self.fars[a] + self.fars[b]);
                // What was gone since may have been aside.
                let is_out = beyond || self.pieces.gap(a, b) > roomy(margin);
                if !is_out {
                    out.push(*pair);
                }
            }
        }
    }
}

/// The turn that takes points nearest to where they go \[rad\]; none where they lie on a line.
pub(super) fn spin(points: impl Iterator<Item = (Vec3, Vec3)>) -> Vec3 {
    let (mut inertia, mut moment, mut size) = (Mat3::ZERO, Vec3::ZERO, 0.0);
    for (at, goes) in points {
        moment += at.cross(goes);
        size += at.length_squared();
        inertia -= Mat3::from_cols(at * at.x, at * at.y, at * at.z);
    }
    inertia += Mat3::from_diagonal(Vec3::splat(size));
    let det = inertia.determinant();
    let turn = inertia.inverse() * moment;
    if det > 1e-6 * size * size * size && turn.is_finite() { turn } else { Vec3::ZERO }
}

/// The larger; none where one is not a number.
fn worse(x: Real, y: Real) -> Real {
    if x.is_nan() || y.is_nan() { Real::NAN } else { x.max(y) }
}

fn nearly_full(len: usize, capacity: usize) -> bool {
    4 * len > 3 * capacity
}

/// With room for rounding \[m\].
#[inline]
fn roomy(far: Real) -> Real {
    far * (1.0 + 1e-9) + 1e-12
}

/// A pair of patches, the smaller number first.
fn key(p: u32, q: u32) -> u64 {
    u64::from(p) << 32 | u64::from(q)
}

/// Anywhere between −1 and 1 along each axis.
#[cfg(test)]
fn noise3(seed: &mut u64) -> Vec3 {
    *seed += 1;
    let words = crate::random::philox(*seed, [0; 4]);
    let [x, y, z, _] = words.map(|word| Real::from(word) / Real::from(1_u32 << 31) - 1.0);
    Vec3::new(x, y, z)
}
