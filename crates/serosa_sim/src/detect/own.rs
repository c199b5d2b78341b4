//! Pairs of a solid with itself, listed in its own frame.
//!
//! Neighbours of neighbours are always near, and stay as far apart as they were for as long as the body hardly deforms,
//! however fast it goes: what two primitives do together changes no distance. So the pairs of a solid are listed with how
//! far apart they are, and looked at again only when the body has deformed, or may in this substep, by as much.

use super::{Places, Reach, halves};
use crate::algebra::best_rotation;
use crate::model::{Body, Model};
use crate::{Mat3, PrimId, Real, Vec3};
use rayon::prelude::*;
use serosa_geometry::solid::touches_and_ends;
use serosa_geometry::{Aabb, Grid, Solid};

/// How far beyond what is needed a list reaches, as a share of the mean size of a primitive.
const SKIN: Real = 0.1;
/// And as a multiple of it.
const MORE: Real = 1.3;
/// What a listed pair costs, one that is looked at, and one that is listed anew, about.
const COSTS: [u64; 3] = [1, 50, 100];
/// Pairs measured by one thread at a time.
const CHUNK: usize = 512;

/// The pairs of one solid with itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    /// Where its vertices were when it was listed \[m\].
    pos: Vec<Vec3>,
    /// The pairs that were no farther apart than `cut`, sorted, and how far that was \[m\].
    pairs: Vec<u64>,
    gaps: Vec<Real>,
    cut: Real,
    /// What the list has cost since it was made.
    spent: u64,
    /// How many of its pairs were looked at when it was made.
    fresh: u64,
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
    /// **Theorem.** No other pair of the body is nearer than it may come in this substep. Proof: let every vertex have
    /// gone, and be free to go, to within `far` of where it was and a rigid motion common to all. The distance of two primitives
    /// changes by what their vertices do apart, at most 2 `far`. A pair that is not added was farther apart than that. ∎
    ///
    /// O(vertices + pairs listed); all anew where the body has deformed too far.
    pub fn pairs(
        &mut self,
        model: &Model,
        body: &Body,
        (at, reach): (Places, Option<&Reach>),
        solids: &[Solid],
        out: &mut Vec<u64>,
    ) {
        let vertices = body.vertex_range();
        let mut near = 2.0 * self.far(body, at, reach);
        if self.pos.len() != vertices.len() || near.is_nan() || near > self.cut || self.is_dear() {
            self.spent = 0;
            self.pos.clear();
            self.pos.extend_from_slice(&at.pos[vertices]);
            near = 2.0 * self.far(body, at, reach);
            self.list(model, body, near, solids);
        }
        let near = near * (1.0 + 1e-9) + 1e-12;
        let (listed, before) = (self.pairs.iter().zip(&self.gaps), out.len());
        out.extend(listed.filter(|(_, gap)| **gap <= near).map(|(pair, _)| *pair));
        let looked = (out.len() - before) as u64;
        self.fresh = if self.spent == 0 { looked } else { self.fresh };
        self.spent += COSTS[0] * self.pairs.len() as u64 + COSTS[1] * looked.saturating_sub(self.fresh) + 1;
    }

    /// Whether the list has cost as much as one that fits better: one made for a fast moment has many pairs, and of one
    /// whose body has turned since many are looked at.
    fn is_dear(&self) -> bool {
        self.spent > COSTS[2] * (self.pairs.len() + self.boxes.len()) as u64
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
        let way = |v: usize| end.pos[v] - at.pos[v];
        let far = vertices.clone().map(|v| way(v).length()).fold(0.0, Real::max);
        self.pos.clear();
        self.pos.extend_from_slice(&at.pos[vertices]);
        let wider = (0..model.prims.len()).map(|p| end.radius[p] - at.radius[p]).fold(0.0, Real::max);
        self.list(model, body, 2.0 * (far + wider), solids);
        out.extend_from_slice(&self.pairs);
    }

    /// How far any vertex has gone, and may go, beside a rigid motion common to all \[m\].
    fn far(&self, body: &Body, at: Places, reach: Option<&Reach>) -> Real {
        let vertices = body.vertex_range();
        if self.pos.len() != vertices.len() {
            return Real::NAN;
        }
        // A vertex may be anywhere along its way: half of it away from its middle.
        let way = |v: usize| reach.map_or(Vec3::ZERO, |reach| reach.ways[v] * 0.5);
        let stray =
            |v: usize| reach.map_or(0.0, |reach| reach.strays.get(v).copied().unwrap_or(Real::INFINITY));
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
        let step = |v: usize| at.pos[v] - here - turn * (self.pos[v - first] - then) + way(v);
        let mean = vertices.clone().map(step).sum::<Vec3>() / count;
        vertices.map(|v| (step(v) - mean).length() + way(v).length() + stray(v)).fold(0.0, Real::max)
    }

    fn list(&mut self, model: &Model, body: &Body, near: Real, solids: &[Solid]) {
        let (first, prims) = (body.prims.start, body.prims.start as usize..body.prims.end as usize);
        self.boxes.clear();
        self.boxes.extend(solids[prims.clone()].iter().map(Solid::bounds));
        self.centers.clear();
        self.centers.extend(solids[prims].iter().map(ball));
        let size =
            self.boxes.iter().map(|b| b.size().max_element()).sum::<Real>() / self.boxes.len().max(1) as Real;
        self.cut = if near.is_finite() { MORE * near + SKIN * size } else { Real::INFINITY };
        let grown = if self.cut.is_finite() { 0.5 * self.cut } else { 1e3 };
        self.boxes.iter_mut().for_each(|b| *b = b.grown(grown));
        self.grid.build(&self.boxes, |i| model.group(PrimId(first + i)));
        self.pairs.clear();
        let (centers, cut) = (&self.centers, self.cut);
        for job in 0..self.grid.jobs() {
            self.grid.pairs_in(job, &self.boxes, |i, j| {
                let ((x, r), (y, s)) = (centers[i as usize], centers[j as usize]);
                if x.distance(y) - r - s <= cut && model.may_touch(PrimId(first + i), PrimId(first + j)) {
                    self.pairs.push((u64::from(first + i) << 32) | u64::from(first + j));
                }
            });
        }
        self.pairs.sort_unstable();
        self.gaps.clear();
        self.gaps.resize(self.pairs.len(), 0.0);
        let jobs = self.gaps.par_chunks_mut(CHUNK).zip(self.pairs.par_chunks(CHUNK));
        jobs.for_each(|(gaps, pairs)| {
            for (gap, pair) in gaps.iter_mut().zip(pairs) {
                let [x, y] = <[PrimId; 2]>::from(halves(*pair)).map(|p| &solids[p.at()]);
                let nearest = touches_and_ends(x, y, Real::INFINITY, |_, _| true, &mut |_| {});
                // Not a number: better a pair too many.
                *gap = nearest.map_or(0.0, |touch| if touch.gap.is_nan() { 0.0 } else { touch.gap });
            }
        });
        let mut k = 0;
        let (cut, gaps) = (self.cut, &self.gaps);
        self.pairs.retain(|_| {
            k += 1;
            gaps[k - 1] <= cut
        });
        self.gaps.retain(|gap| *gap <= cut);
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
