//! Pairs of a solid with itself, listed in its own frame.
//!
//! Neighbours of neighbours are always near, and stay as far apart as they were for as long as the body hardly deforms,
//! however fast it goes: what two primitives do together changes no distance. So the pairs of a solid are listed with how
//! far apart they are, and looked at again only when the body has deformed, or may in this substep, by as much.

use super::{Places, Reach, halves};
use crate::algebra::best_rotation;
use crate::model::{Body, Model};
use crate::respond::augmented_lagrangian::REST_GAP;
use crate::{Mat3, PrimId, Real, Vec3};
use rayon::prelude::*;
use serosa_geometry::solid::touches_and_ends;
use serosa_geometry::{Aabb, Grid, Solid};

/// How far beyond what is needed the cut of a primitive reaches, as a share of their mean size.
const SKIN: Real = 0.05;
/// And as a multiple of it.
const MORE: Real = 1.3;
/// What a listed pair costs, one that is looked at, and one that is listed anew, about.
const COSTS: [u64; 3] = [1, 50, 100];
/// Pairs measured by one thread at a time, and those listed before they are.
const CHUNK: usize = 512;
const BLOCK: usize = 1 << 15;

/// The pairs of one solid with itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    /// Where its vertices were when it was listed \[m\].
    pos: Vec<Vec3>,
    /// Radii of its primitives then \[m\].
    radii: Vec<Real>,
    /// The pairs that were no farther apart than their cuts together, sorted, and how far that was \[m\].
    listed: Vec<(u64, Real)>,
    /// One per primitive: as far as its vertices may go before the list has to be made anew \[m\].
    cuts: Vec<Real>,
    /// One per primitive: as far as any of its vertices has gone and may go, see [`Self::measure`] \[m\].
    fars: Vec<Real>,
    /// The same for each vertex, strays not counted.
    vertex_fars: Vec<Real>,
    /// What the list has cost since it was made.
    spent: u64,
    /// How far its vertices are counted to go on the average, and how far they would be by a list made now \[m\].
    means: [Real; 2],
    boxes: Vec<Aabb>,
    /// A ball around each primitive.
    centers: Vec<(Vec3, Real)>,
    grid: Grid,
}

impl Own {
    /// Forgets the list.
    pub fn forget(&mut self) {
        self.pos.clear();
    }

    /// Adds all pairs that may matter to `out`.
    ///
    /// **Theorem.** No other pair of the body is nearer than it may come in this substep, and none gets a row. Proof: let
    /// every vertex of a primitive have gone, and go, to within its `far` of where it was and a rigid motion common to all,
    /// a step of the mean among it, and let its `far` hold by how much its radius has grown. The gap of two primitives changes by
    /// what their vertices do apart and their radii grow, at most by both fars together. A pair that is not added was farther apart than that. A row is made where the gap that the ways leave
    /// along the normal is at most [`REST_GAP`] and both strays: what ways do together leaves no gap along any normal. ∎
    ///
    /// O(vertices + primitives + pairs listed); all anew where a primitive has gone farther than its cut.
    pub fn pairs(
        &mut self,
        model: &Model,
        body: &Body,
        (at, reach): (Places, Option<&Reach>),
        solids: &[Solid],
        out: &mut Vec<u64>,
    ) {
        let vertices = body.vertex_range();
        self.measure(model, body, at, reach);
        let held = self.fars.iter().zip(&self.cuts).all(|(far, cut)| far <= cut);
        if self.cuts.len() != self.fars.len() || !held || self.is_dear() {
            self.spent = 0;
            self.pos.clear();
            self.pos.extend_from_slice(&at.pos[vertices]);
            self.radii.clear();
            self.radii.extend_from_slice(&at.radius[body.prims.start as usize..body.prims.end as usize]);
            self.measure(model, body, at, reach);
            self.list(model, body, solids);
        }
        let (first, before) = (body.prims.start, out.len());
        let far = |prim: PrimId| self.fars[(prim.0 - first) as usize];
        let near = |pair: u64| {
            let (a, b) = halves(pair);
            (far(a) + far(b)) * (1.0 + 1e-9) + 1e-12
        };
        out.extend(self.listed.iter().filter(|(pair, gap)| *gap <= near(*pair)).map(|(pair, _)| *pair));
        let looked = (out.len() - before) as u64;
        let needless = looked as Real * (1.0 - self.shrinks(self.means[0]));
        self.spent += COSTS[0] * self.listed.len() as u64 + COSTS[1] * needless as u64 + 1;
    }

    /// Whether the list has cost as much as one that fits better: one made for a fast moment has many pairs, and of one
    /// whose body has deformed since many are looked at.
    fn is_dear(&self) -> bool {
        let cut = self.cuts.iter().sum::<Real>() / self.cuts.len().max(1) as Real;
        let anew = self.listed.len() as Real * self.shrinks(cut) + self.boxes.len() as Real;
        self.spent as Real > COSTS[2] as Real * anew
    }

    /// The share of the pairs within so far \[m\] that a list made now would have to look at: on a surface they grow with
    /// the square.
    fn shrinks(&self, far: Real) -> Real {
        let share = (self.means[1] / far).clamp(0.0, 1.0);
        if share.is_nan() { 1.0 } else { share * share }
    }

    /// The same for a search on the way to other places.
    pub fn pairs_between(
        &mut self,
        model: &Model,
        body: &Body,
        (at, end): (Places, Places),
        solids: &[Solid],
        out: &mut Vec<u64>,
    ) {
        let vertices = body.vertex_range();
        self.pos.clear();
        self.pos.extend_from_slice(&at.pos[vertices.clone()]);
        self.vertex_fars.clear();
        self.vertex_fars.extend(vertices.map(|v| end.pos[v].distance(at.pos[v])));
        self.gather(model, body, |_| 0.0);
        for (k, far) in self.fars.iter_mut().enumerate() {
            let prim = body.prims.start as usize + k;
            *far += (end.radius[prim] - at.radius[prim]).max(0.0);
        }
        self.list(model, body, solids);
        out.extend(self.listed.iter().map(|(pair, _)| *pair));
    }

    /// How far each vertex has gone, and may go, beside a rigid motion common to all; and so each primitive. Not a number
    /// where nothing was listed.
    fn measure(&mut self, model: &Model, body: &Body, at: Places, reach: Option<&Reach>) {
        let vertices = body.vertex_range();
        self.vertex_fars.clear();
        if self.pos.len() != vertices.len() {
            self.vertex_fars.resize(vertices.len(), Real::NAN);
            return self.gather(model, body, |_| 0.0);
        }
        let way = |v: usize| reach.map_or(Vec3::ZERO, |reach| reach.ways[v]);
        // Moved out while it is read; nothing is allocated.
        let radii = std::mem::take(&mut self.radii);
        let grown = |p: usize| {
            let then = radii.get(p - body.prims.start as usize);
            then.map_or(0.0, |then| (at.radius[p] - then).max(0.0))
        };
        let stray = |p: usize| reach.map_or(0.0, |reach| reach.prims[p]) + grown(p);
        let (first, count) = (vertices.start, vertices.len().max(1) as Real);
        let now = &at.pos[vertices.clone()];
        let [here, then] = [now, &self.pos].map(|all: &[Vec3]| all.iter().sum::<Vec3>() / count);
        let mut spread = Mat3::ZERO;
        for (x, y) in now.iter().zip(&self.pos) {
            let (x, y) = (*x - here, *y - then);
            spread += Mat3::from_cols(x * y.x, x * y.y, x * y.z);
        }
        // A turn changes no distance either.
        let turn = Mat3::from_quat(best_rotation(spread));
        let gone = |v: usize| (at.pos[v] - here - turn * (self.pos[v - first] - then)).length();
        let drift = vertices.clone().map(way).sum::<Vec3>() / count;
        let mut means = [0.0; 2];
        self.vertex_fars.extend(vertices.map(|v| {
            let goes = (way(v) - drift).length() + 0.5 * REST_GAP;
            let far = gone(v) + goes;
            means = [means[0] + far / count, means[1] + goes / count];
            far
        }));
        self.means = means;
        self.gather(model, body, stray);
        self.radii = radii;
    }

    /// From vertices to primitives, with how far each may stray. What is not a number stays none.
    fn gather(&mut self, model: &Model, body: &Body, stray: impl Fn(usize) -> Real) {
        let (first, all) = (body.vertices.start as usize, &self.vertex_fars);
        let worse = |x: Real, y: Real| if x.is_nan() || y.is_nan() { Real::NAN } else { x.max(y) };
        let prims = &model.prims[body.prims.start as usize..body.prims.end as usize];
        self.fars.clear();
        self.fars.extend(prims.iter().zip(body.prims.clone()).map(|(p, number)| {
            let far = p.kind.vertices().iter().map(|v| all[v.at() - first]).fold(0.0, worse);
            worse(far, 0.0) + stray(number as usize)
        }));
    }

    fn list(&mut self, model: &Model, body: &Body, solids: &[Solid]) {
        let (first, prims) = (body.prims.start, body.prims.start as usize..body.prims.end as usize);
        self.boxes.clear();
        self.boxes.extend(solids[prims.clone()].iter().map(Solid::bounds));
        self.centers.clear();
        self.centers.extend(solids[prims].iter().map(ball));
        let size =
            self.boxes.iter().map(|b| b.size().max_element()).sum::<Real>() / self.boxes.len().max(1) as Real;
        self.cuts.clear();
        let cut = |far: &Real| if far.is_finite() { MORE * far + SKIN * size } else { Real::INFINITY };
        self.cuts.extend(self.fars.iter().map(cut));
        for (bounds, cut) in self.boxes.iter_mut().zip(&self.cuts) {
            *bounds = bounds.grown(if cut.is_finite() { *cut } else { 1e3 });
        }
        self.grid.build(&self.boxes, |i| model.group(PrimId(first + i)));
        self.listed.clear();
        let mut kept = 0;
        for job in 0..self.grid.jobs() {
            let (centers, cuts) = (&self.centers, &self.cuts);
            self.grid.pairs_in(job, &self.boxes, |i, j| {
                let ((x, r), (y, s)) = (centers[i as usize], centers[j as usize]);
                let cut = cuts[i as usize] + cuts[j as usize];
                if x.distance(y) - r - s <= cut && model.may_touch(PrimId(first + i), PrimId(first + j)) {
                    self.listed.push(((u64::from(first + i) << 32) | u64::from(first + j), 0.0));
                }
            });
            if self.listed.len() - kept >= BLOCK {
                kept = self.keep_near(kept, first, solids);
            }
        }
        self.keep_near(kept, first, solids);
        self.listed.sort_unstable_by_key(|(pair, _)| *pair);
    }

    /// Measures the pairs listed from number `from` on, drops those that are farther apart than their cuts together, and
    /// returns how many there are now.
    fn keep_near(&mut self, from: usize, first: u32, solids: &[Solid]) -> usize {
        self.listed[from..].par_iter_mut().with_min_len(CHUNK).for_each(|(pair, gap)| {
            let [x, y] = <[PrimId; 2]>::from(halves(*pair)).map(|p| &solids[p.at()]);
            let nearest = touches_and_ends(x, y, Real::INFINITY, |_, _| true, &mut |_| {});
            // Not a number: better a pair too many.
            *gap = nearest.map_or(0.0, |touch| if touch.gap.is_nan() { 0.0 } else { touch.gap });
        });
        let cut = |prim: PrimId| self.cuts[(prim.0 - first) as usize];
        let mut kept = from;
        for k in from..self.listed.len() {
            let (pair, gap) = self.listed[k];
            let (a, b) = halves(pair);
            if gap <= cut(a) + cut(b) {
                self.listed[kept] = (pair, gap);
                kept += 1;
            }
        }
        self.listed.truncate(kept);
        kept
    }
}

/// A ball around what has a core.
fn ball(solid: &Solid) -> (Vec3, Real) {
    match solid {
        Solid::Round(r) => ((r.a + r.b) * 0.5, 0.5 * r.a.distance(r.b) + r.radius),
        Solid::Facet(f) => {
            let center = f.corners.iter().sum::<Vec3>() / 3.0;
            (center, f.corners.iter().map(|c| c.distance(center)).fold(0.0, Real::max) + f.radius)
        }
        Solid::Cuboid(_) | Solid::Plane(_) => (Vec3::ZERO, Real::INFINITY),
    }
}
