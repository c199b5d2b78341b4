//! The default search.

use super::patches::Patches;
use super::stars::Stars;
use super::{Meeting, Own, Shells, own_faces_meet};
use crate::meet::Face;
use crate::{Aabb, Real, Tree, Vec3};

/// The most candidates that are kept unless another bound is given; that it was reached is told.
pub const PAIRS_MAX: usize = 1 << 24;
/// A list is made to hold for so many steps of the motion seen, …
const STEPS_KEPT: Real = 8.0;
/// … or not to be kept at all where it would hold for fewer than these: then a list without margin is cheaper; …
const STEPS_WORTH: Real = 4.0;
/// … but boxes grow by at most this part of the mean size of a triangle: beyond, more candidates cost more than looking
/// again.
const REACH_MAX: Real = 0.25;
/// Of the reach, so that rounding of a distance never hides a part of it.
const SAFELY: Real = 0.999_999;

/// All intersecting pairs of n deforming surfaces, step after step.
///
/// Candidates are pairs of triangles whose boxes, each grown by h, overlap. **They stay complete while no coordinate of
/// a point has moved by more than h** since the list was made: a triangle lies in the hull of its corners, so its box
/// has moved by at most h on each side and lies in the grown one; where boxes overlap now, grown ones overlapped then.
/// So most steps only look at the list. h follows the motion seen; it changes cost, never what is found, so that nothing
/// of a `Collider` needs to be saved with the state of a simulation.
///
/// A step costs O(n) for the check and the candidates, O(n) more for the refit when the list is made anew. Warm, it
/// allocates nothing. The answer is exact (see [`crate::meet`]), and sorted: the same for any history.
#[derive(Clone, Debug)]
pub struct Collider {
    shells: Shells,
    /// Of each body, and a tree over them.
    patches: Vec<Patches>,
    trees: Vec<Tree>,
    /// Of the bodies that are searched for meetings with themselves.
    stars: Vec<Stars>,
    /// Mean size of a triangle \[m\].
    size: Real,
    /// Where the points were when the list was made; empty where there is none.
    anchor: Vec<Vec3>,
    /// How far a coordinate may have gone since \[m\]: the h above.
    reach: Real,
    /// Searches since.
    steps: u32,
    list: Candidates,
    /// Bodies by their lowest x.
    sweep: Vec<(Real, usize)>,
    found: Vec<Meeting>,
}

/// Pairs of triangles that may meet.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Triangles that are in a pair, and what is known of them in this step.
    involved: Vec<u32>,
    boxes: Vec<Aabb>,
    faces: Vec<Face>,
    /// Place of each triangle in `involved`, or [`NOWHERE`].
    place: Vec<u32>,
    /// Places of two triangles; never more than `most`.
    pairs: Vec<[u32; 2]>,
    most: usize,
    /// Pairs that meet, by the triangles' numbers, ascending.
    met: Vec<(u32, u32)>,
}

const NOWHERE: u32 = u32::MAX;

impl Collider {
    /// For some bodies as they lie now; their patches and trees are made here and mended afterwards. O(n log n).
    pub fn new(shells: Shells, points: &[Vec3]) -> Self {
        let made = (0..shells.bodies()).map(|body| Patches::of(&shells, body, points));
        let (patches, trees) = made.unzip();
        let own = (0..shells.bodies()).filter(|body| shells.own[*body] == Own::Found);
        let sizes = (0..shells.triangles.len() as u32)
            .map(|t| Aabb::around(shells.at(t, points)).size().max_element());
        let (sum, count) =
            sizes.filter(|s| s.is_finite()).fold((0.0, 0u32), |(s, n), size| (s + size, n + 1));
        Self {
            patches,
            trees,
            stars: own.map(|body| Stars::of(&shells, body)).collect(),
            size: sum / Real::from(count.max(1)),
            anchor: Vec::with_capacity(points.len()),
            reach: 0.0,
            steps: 0,
            list: Candidates {
                place: vec![NOWHERE; shells.triangles.len()],
                most: PAIRS_MAX,
                ..Candidates::default()
            },
            sweep: Vec::with_capacity(shells.bodies()),
            found: Vec::new(),
            shells,
        }
    }

    /// All pairs of triangles that meet with the points where they are now, ascending. There must be as many points in
    /// every call. Triangles with a corner that is not finite meet nothing.
    pub fn find(&mut self, points: &[Vec3]) -> &[Meeting] {
        if !self.holds(points) {
            self.search(points);
            if !self.is_complete() && self.reach > 0.0 {
                // Too many with a margin may be few enough without.
                self.reach = 0.0;
                self.search(points);
            }
        }
        self.list.decide(&self.shells, points);
        for stars in &self.stars {
            self.list.decide_neighbours(&self.shells, stars, points);
        }
        self.list.met.sort_unstable();
        self.list.met.dedup();
        self.found.clear();
        self.found.extend(self.list.met.iter().map(|&(i, j)| self.shells.meeting(i, j)));
        &self.found
    }

    /// Forgets the list of candidates: the next search begins from nothing.
    pub fn forget(&mut self) {
        self.anchor.clear();
        self.reach = 0.0;
    }

    /// The same with another bound on the candidates than [`PAIRS_MAX`]: eight bytes are kept of each.
    pub fn bounded(mut self, candidates: usize) -> Self {
        self.list.most = candidates;
        self
    }

    /// False where the bound on candidates was reached, so that there may be more pairs than were found.
    pub fn is_complete(&self) -> bool {
        self.list.pairs.len() < self.list.most
    }

    /// The bodies, as given.
    pub fn shells(&self) -> &Shells {
        &self.shells
    }

    /// Whether the last call made the list of candidates anew.
    pub fn has_searched(&self) -> bool {
        self.steps == 0
    }

    /// How many candidates there are.
    pub fn candidates(&self) -> usize {
        self.list.pairs.len()
    }

    /// Whether the list still holds; if not, chooses how far it shall hold next time.
    fn holds(&mut self, points: &[Vec3]) -> bool {
        if self.anchor.len() != points.len() {
            return false;
        }
        self.steps += 1;
        let (mut moved, mut sum) = (Vec3::ZERO, Vec3::ZERO);
        for (p, a) in points.iter().zip(&self.anchor) {
            let by = (*p - *a).abs();
            (moved, sum) = (moved.max(by), sum + by);
        }
        let moved = moved.max_element();
        // A sum that is not finite tells of coordinates that are not numbers, which no comparison would.
        if moved <= self.reach * SAFELY && sum.is_finite() {
            return true;
        }
        let step = moved / Real::from(self.steps);
        let reach = (step * STEPS_KEPT).min(self.size * REACH_MAX);
        self.reach = if sum.is_finite() && reach >= STEPS_WORTH * step { reach } else { 0.0 };
        false
    }

    /// Makes the list of candidates.
    fn search(&mut self, points: &[Vec3]) {
        self.anchor.clear();
        self.anchor.extend_from_slice(points);
        self.steps = 0;
        self.list.clear();
        for (patches, tree) in self.patches.iter_mut().zip(&mut self.trees) {
            patches.refit(points, self.reach);
            tree.refit(|patch| *patches.around(patch));
        }
        self.sweep.clear();
        self.sweep.extend(self.trees.iter().zip(0..).map(|(tree, body)| (tree.bounds().min.x, body)));
        self.sweep.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for k in 0..self.sweep.len() {
            let (_, a) = self.sweep[k];
            self.within(a, points);
            let around = self.trees[a].bounds();
            for l in k + 1..self.sweep.len() {
                let (low, b) = self.sweep[l];
                if low > around.max.x {
                    break;
                }
                if around.overlaps(&self.trees[b].bounds()) {
                    self.between([a.min(b), a.max(b)], points);
                }
            }
        }
    }

    /// Candidates of two bodies, the smaller number first.
    fn between(&mut self, [a, b]: [usize; 2], points: &[Vec3]) {
        let (low, high) = self.patches.split_at_mut(b);
        let (of_a, of_b) = (&mut low[a], &mut high[0]);
        let (shells, list, by) = (&self.shells, &mut self.list, self.reach);
        self.trees[a].pairs(&self.trees[b], |p, q| {
            of_a.look_at(p, shells, points, by);
            of_b.look_at(q, shells, points, by);
            for (i, around) in of_a.of_patch(p).filter(|(_, b)| b.overlaps(of_b.around(q))) {
                for (j, _) in of_b.of_patch(q).filter(|(_, b)| b.overlaps(around)) {
                    list.add(i, j);
                }
            }
        });
    }

    /// Candidates of a body with itself, where it is asked for.
    fn within(&mut self, body: usize, points: &[Vec3]) {
        if self.shells.own[body] == Own::Ignored {
            return;
        }
        let (patches, shells, list) = (&mut self.patches[body], &self.shells, &mut self.list);
        for p in 0..patches.len() {
            patches.look_at(p, shells, points, self.reach);
        }
        let mut add = |i: u32, j: u32| {
            // Neighbours are not kept: their stars know them.
            if shells.asks(body, i, j) && shells.share_nothing(i, j) {
                list.add(i.min(j), i.max(j));
            }
        };
        for p in 0..patches.len() {
            let mut rest = patches.of_patch(p);
            while let Some((i, around)) = rest.next() {
                rest.clone().filter(|(_, b)| b.overlaps(around)).for_each(|(j, _)| add(i, j));
            }
        }
        self.trees[body].self_pairs(|p, q| {
            for (i, around) in patches.of_patch(p).filter(|(_, b)| b.overlaps(patches.around(q))) {
                patches.of_patch(q).filter(|(_, b)| b.overlaps(around)).for_each(|(j, _)| add(i, j));
            }
        });
    }
}

impl Candidates {
    fn clear(&mut self) {
        for t in self.involved.drain(..) {
            self.place[t as usize] = NOWHERE;
        }
        self.pairs.clear();
    }

    #[inline]
    fn add(&mut self, i: u32, j: u32) {
        if self.pairs.len() < self.most {
            let pair = [i, j].map(|t| {
                let place = &mut self.place[t as usize];
                if *place == NOWHERE {
                    *place = self.involved.len() as u32;
                    self.involved.push(t);
                }
                *place
            });
            self.pairs.push(pair);
        }
    }

    /// Decides every pair with the points where they are now.
    fn decide(&mut self, shells: &Shells, points: &[Vec3]) {
        self.boxes.clear();
        self.faces.clear();
        for &t in &self.involved {
            let corners = shells.at(t, points);
            let finite = corners.iter().all(|p| p.is_finite());
            self.boxes.push(if finite { Aabb::around(corners) } else { Aabb::EMPTY });
            self.faces.push(Face::of(corners));
        }
        self.met.clear();
        // Pairs of one body have no corner in common here.
        for &[k, l] in &self.pairs {
            let (k, l) = (k as usize, l as usize);
            if self.boxes[k].overlaps(&self.boxes[l]) {
                if self.faces[k].meets(&self.faces[l]) {
                    self.met.push((self.involved[k], self.involved[l]));
                }
            }
        }
    }

    /// Decides pairs with a corner in common that their stars do not.
    fn decide_neighbours(&mut self, shells: &Shells, stars: &Stars, points: &[Vec3]) {
        stars.doubtful(points, |i, j| {
            let [a, b] = [i, j].map(|t| shells.at(t, points));
            let finite = a.iter().chain(&b).all(|p| p.is_finite());
            let corners = |t: u32| &shells.triangles[t as usize];
            if finite && own_faces_meet((corners(i), &Face::of(a)), (corners(j), &Face::of(b))) {
                self.met.push((i.min(j), i.max(j)));
            }
        });
    }
}
