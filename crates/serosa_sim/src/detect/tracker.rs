//! The tracker: the stochastic detection of Raghupathi et al. (2003), section 4.1.
//!
//! It follows local minima of the distance between segments from step to step. In every substep
//!
//! 1. each active pair moves once, to the nearest pair of its neighbourhood, and is dropped when it is farther
//!    apart than `reach` times the sum of its radii;
//! 2. `random_pairs` pairs are drawn from all of them, and those nearer than that become active. They move once in
//!    each substep from then on;
//! 3. active pairs that have met become one;
//! 4. from those that touch, a flood over the neighbours collects all touching pairs around them.
//!
//! Two segments of tubes move together: nine tests along a curve. A segment of a tube and one of a membrane take
//! turns: the first goes to its neighbour nearest to the second, then the second to its own nearest to the first.
//! That is nine tests on a net of squares, seventeen where it has diagonals; the paper counts twelve at most.
//! Membranes do not meet membranes. Neighbours share a vertex.
//!
//! **It is not complete.** A new contact is missed until a pair is drawn from its basin, the pairs from which the
//! moves lead to it. If the basin is a share p of all pairs, that takes 1 / (n p) substeps on average with n draws in
//! each; p falls with the square of the number of segments. Contacts of segments with anything that is not a
//! segment (planes, boxes, balls, tools) are all found: every such pair is listed. It follows segments alone: contacts of
//! segments with the faces of meshes are not looked for, those of shapes with faces are.
//!
//! Cost of a substep: O(9 active + random pairs + 9 touching + primitives × shapes), on one thread. It reads and
//! writes in a fixed order, so its bits do not depend on the number of threads.

use crate::model::{Model, PrimKind};
use crate::params;
use crate::random::{below, philox};
use crate::state::Tracked;
use crate::{PrimId, Real};
use serosa_geometry::{Solid, closest_segments};

/// Pairs for which there is room from the start, for each segment. In a packed heap of tubes a segment touches fewer;
/// without it the number of active pairs, which random draws keep changing, would make arrays grow now and then.
const ROOM: usize = 8;

/// The tracker and its working arrays; grown once, kept.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    /// The active pairs, sorted, each once. While the stage runs those of `State::tracked` are here.
    pub active: Vec<Tracked>,
    /// Step and substep, by which pairs are drawn.
    pub moment: (u64, u32),
    /// Segments of tubes.
    tubes: Vec<PrimId>,
    /// All segments.
    segments: Vec<PrimId>,
    /// All that is not a segment.
    shapes: Vec<PrimId>,
    /// Touching pairs of segments.
    touching: Vec<Tracked>,
    /// Touching pairs whose neighbours have not been looked at.
    front: Vec<Tracked>,
    /// Pairs that the flood has looked at.
    seen: PairSet,
    /// What was found, the first primitive in the high half, sorted.
    pairs: Vec<u64>,
}

/// What there is to see.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// Fixed.
    pub model: &'a Model,
    /// How to look.
    pub params: &'a params::Tracker,
    /// Primitives in world space.
    pub solids: &'a [Solid],
    /// Gap below which a pair touches \[m\].
    pub margin: Real,
}

impl Tracker {
    /// Moves the active pairs, draws new ones and floods. Afterwards [`Self::pairs`] are those of segments that
    /// touch, as far as they are known, and those with a shape that may touch.
    pub fn find(&mut self, sight: Sight) {
        self.sort_out(sight.model);
        self.make_room(sight.model.prims.len());
        self.follow(sight);
        self.draw(sight);
        self.active.sort_unstable();
        self.active.dedup();
        self.flood(sight);
        self.list(sight.model);
    }

    /// What [`Self::find`] found, sorted, the first primitive in the high half.
    pub fn pairs(&self) -> &[u64] {
        &self.pairs
    }

    /// Trades the active pairs with the saved ones, before and after the stage.
    pub(crate) fn trade(&mut self, saved: &mut Vec<Tracked>) {
        std::mem::swap(&mut self.active, saved);
    }

    fn sort_out(&mut self, model: &Model) {
        self.tubes.clear();
        self.segments.clear();
        self.shapes.clear();
        for (i, prim) in model.prims.iter().enumerate() {
            let id = PrimId::from(i);
            match prim.kind {
                PrimKind::Shape(_) => self.shapes.push(id),
                PrimKind::Triangle(_) => {}
                PrimKind::Segment(_) => {
                    self.segments.push(id);
                    if !prim.membrane {
                        self.tubes.push(id);
                    }
                }
            }
        }
    }

    fn make_room(&mut self, prims: usize) {
        let room = ROOM * self.segments.len();
        for list in [&mut self.active, &mut self.touching, &mut self.front] {
            list.reserve(room.saturating_sub(list.len()));
        }
        self.pairs.clear();
        self.pairs.reserve(room + self.shapes.len() * prims);
        self.seen.make_room(room);
    }

    /// One move of each active pair. Those left alone by what they followed are dropped.
    fn follow(&mut self, sight: Sight) {
        self.active.retain_mut(|pair| {
            let (moved, distance) = sight.moved(*pair);
            *pair = moved;
            distance < sight.reach(moved)
        });
    }

    /// Pairs at random: a segment of a tube and any other, so that two membranes are never drawn.
    fn draw(&mut self, sight: Sight) {
        if self.tubes.is_empty() {
            return;
        }
        let (tick, substep) = self.moment;
        for draw in 0..sight.params.random_pairs {
            let [x, y, ..] = philox(sight.params.seed, [draw, substep, tick as u32, (tick >> 32) as u32]);
            let a = self.tubes[below(self.tubes.len(), x)];
            let b = self.segments[below(self.segments.len(), y)];
            let pair = ordered(a, b);
            if sight.distance(pair) < sight.reach(pair) && sight.allowed(pair) {
                self.active.push(pair);
            }
        }
    }

    /// All touching pairs that can be reached from a touching active pair by steps to neighbours, of one segment or
    /// of both at once, without leaving touching pairs. Each pair is tested once.
    fn flood(&mut self, sight: Sight) {
        self.touching.clear();
        self.seen.clear();
        for k in 0..self.active.len() {
            self.reach(sight, self.active[k]);
            while let Some(pair) = self.front.pop() {
                for a in sight.model.neighbourhood(pair.a) {
                    for b in sight.model.neighbourhood(pair.b) {
                        self.reach(sight, ordered(a, b));
                    }
                }
            }
        }
        self.touching.sort_unstable();
    }

    /// Takes a pair into the flood if it touches and was not looked at before.
    #[inline]
    fn reach(&mut self, sight: Sight, pair: Tracked) {
        if self.seen.insert(key(pair)) && sight.touches(pair) && sight.allowed(pair) {
            self.touching.push(pair);
            self.front.push(pair);
        }
    }

    /// The touching pairs and every pair with a shape that may touch, in order.
    fn list(&mut self, model: &Model) {
        let Self { shapes, touching, pairs, .. } = self;
        pairs.clear();
        let mut touching = touching.iter().map(|pair| key(*pair)).peekable();
        let mut add = |a: PrimId, b: PrimId| {
            if model.may_touch(a, b) {
                let next = key(Tracked { a, b });
                while let Some(before) = touching.next_if(|k| *k < next) {
                    pairs.push(before);
                }
                pairs.push(next);
            }
        };
        let mut later = shapes.as_slice();
        for a in (0..model.prims.len()).map(PrimId::from) {
            match later.split_first() {
                Some((&shape, rest)) if shape == a => {
                    later = rest;
                    (a.at() + 1..model.prims.len()).for_each(|b| add(a, PrimId::from(b)));
                }
                _ => later.iter().for_each(|&shape| add(a, shape)),
            }
        }
        pairs.extend(touching);
    }
}

impl Sight<'_> {
    /// The next pair on the way down, and its distance. One that may not touch has none.
    pub fn moved(&self, pair: Tracked) -> (Tracked, Real) {
        let flat = |prim: PrimId| self.model.prims[prim.at()].membrane;
        let mut best = (pair, if self.allowed(pair) { self.distance(pair) } else { Real::INFINITY });
        match (flat(pair.a), flat(pair.b)) {
            (false, false) => {
                for a in self.alike(pair.a) {
                    self.alike(pair.b).for_each(|b| self.improve(&mut best, a, b));
                }
            }
            (false, true) => self.converge(&mut best, pair.a, pair.b),
            (true, false) => self.converge(&mut best, pair.b, pair.a),
            (true, true) => best.1 = Real::INFINITY,
        }
        best
    }

    /// Adaptive convergence: the segment of the tube first, then that of the membrane, seen from where the first is.
    fn converge(&self, best: &mut (Tracked, Real), tube: PrimId, membrane: PrimId) {
        self.alike(tube).for_each(|a| self.improve(best, a, membrane));
        let tube = if best.0.a == membrane { best.0.b } else { best.0.a };
        self.alike(membrane).for_each(|b| self.improve(best, tube, b));
    }

    #[inline]
    fn improve(&self, best: &mut (Tracked, Real), a: PrimId, b: PrimId) {
        let pair = ordered(a, b);
        if pair != best.0 {
            let distance = self.distance(pair);
            if distance < best.1 && self.allowed(pair) {
                *best = (pair, distance);
            }
        }
    }

    /// A segment and its neighbours in the same tube or membrane.
    fn alike(&self, prim: PrimId) -> impl Iterator<Item = PrimId> {
        let flat = self.model.prims[prim.at()].membrane;
        self.model.neighbourhood(prim).filter(move |p| self.model.prims[p.at()].membrane == flat)
    }

    /// Whether the tracker may follow the pair.
    fn allowed(&self, pair: Tracked) -> bool {
        let flat = |prim: PrimId| self.model.prims[prim.at()].membrane;
        pair.a < pair.b && !(flat(pair.a) && flat(pair.b)) && self.model.may_touch(pair.a, pair.b)
    }

    /// Distance of the cores \[m\].
    #[inline]
    fn distance(&self, pair: Tracked) -> Real {
        match (&self.solids[pair.a.at()], &self.solids[pair.b.at()]) {
            (Solid::Round(a), Solid::Round(b)) => {
                let p = closest_segments(a.a, a.b, b.a, b.b);
                (a.a.lerp(a.b, p.s) - b.a.lerp(b.b, p.t)).length()
            }
            _ => Real::INFINITY,
        }
    }

    /// Sum of the radii \[m\].
    #[inline]
    fn thickness(&self, pair: Tracked) -> Real {
        let radius = |prim: PrimId| match &self.solids[prim.at()] {
            Solid::Round(r) => r.radius,
            _ => 0.0,
        };
        radius(pair.a) + radius(pair.b)
    }

    /// Distance of the cores up to which a pair is followed \[m\]; whatever touches is.
    fn reach(&self, pair: Tracked) -> Real {
        let thickness = self.thickness(pair);
        (self.params.reach * thickness).max(thickness + self.margin)
    }

    /// Whether the surfaces are nearer than the margin, decided as for a row.
    fn touches(&self, pair: Tracked) -> bool {
        self.distance(pair) - self.thickness(pair) < self.margin
    }
}

/// The pair in order; one with itself is not allowed.
#[inline]
fn ordered(a: PrimId, b: PrimId) -> Tracked {
    Tracked { a: a.min(b), b: a.max(b) }
}

#[inline]
fn key(pair: Tracked) -> u64 {
    (u64::from(pair.a.0) << 32) | u64::from(pair.b.0)
}

/// A set of pairs: open addressing, at most half full. Nobody reads its order.
#[derive(Clone, Debug, Default)]
struct PairSet {
    /// A power of two of them, or none.
    slots: Vec<u64>,
    /// Slots that are not free.
    used: Vec<u32>,
}

/// Marks a free slot; no pair, since the first of a pair is smaller than the second.
const FREE: u64 = u64::MAX;

impl PairSet {
    /// Cost: O(pairs in it).
    fn clear(&mut self) {
        self.used.drain(..).for_each(|slot| self.slots[slot as usize] = FREE);
    }

    /// Whether the pair was not there yet; now it is.
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.make_room(self.used.len() + 1);
        let last = self.slots.len() - 1;
        // The high bits of the product depend on all bits of the key.
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & last;
        while self.slots[slot] != FREE {
            if self.slots[slot] == key {
                return false;
            }
            slot = (slot + 1) & last;
        }
        self.slots[slot] = key;
        self.used.push(slot as u32);
        true
    }

    /// Room for so many pairs.
    #[inline]
    fn make_room(&mut self, pairs: usize) {
        if 2 * pairs > self.slots.len() {
            self.grow(pairs);
        }
    }

    fn grow(&mut self, pairs: usize) {
        let more = vec![FREE; (4 * pairs).next_power_of_two()];
        self.used.clear();
        self.used.reserve(more.len() / 2);
        let old = std::mem::replace(&mut self.slots, more);
        old.into_iter().filter(|key| *key != FREE).for_each(|key| {
            self.insert(key);
        });
    }
}
