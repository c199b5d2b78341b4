//! Searches for the closest triangles of several near points at once: one walk of the tree, every disc tested for all
//! of them, each point with its own bound.

use super::disc::{Disc, ERROR};
use super::lanes::{LANES, Lane, bounds};
use super::{Distance, Near, ROUNDING};
use crate::{Real, Vec3};

/// Nodes that are opened together: their tests do not wait for one another.
const BATCH: usize = 8;
/// Nodes kept for later. Beyond what one batch may add and one way down the tree, at most 48 levels, they are opened one by
/// one.
const STACK: usize = 256;
const ROOM: usize = 2 * BATCH + 50;
/// Triangles that are kept until they are decided upon.
const KEPT: usize = 64;

/// Some points and the nearest that was found for each.
#[repr(align(64))]
pub(super) struct Packet {
    points: [Vec3; LANES],
    /// From the middle of the surface.
    single: [Lane; 3],
    /// What rounding takes from a distance [m], in single precision and in double: what lies so near behind the nearest
    /// is looked at too.
    lost: Lane,
    /// Beyond this nothing is looked at [m²].
    limit: Lane,
    /// Nodes to be opened, and at most the squares of their distances [m²].
    stack: [u32; STACK],
    stack_least: [Lane; STACK],
    /// Triangles that may be nearest to some point, and at most the squares of their distances [m²].
    kept: [u32; KEPT],
    kept_least: [Lane; KEPT],
    count: usize,
    /// The nearest of those that are decided: the square of the distance [m²], and where.
    nearest: [(Real, Near); LANES],
}

impl Packet {
    /// Without points: lanes that stay so never ask for anything.
    pub fn new() -> Self {
        Self {
            points: [Vec3::ZERO; LANES],
            single: [[0.0; LANES]; 3],
            lost: [0.0; LANES],
            // Nothing is as near as that.
            limit: [-1.0; LANES],
            stack: [0; STACK],
            stack_least: [[0.0; LANES]; STACK],
            kept: [0; KEPT],
            kept_least: [[0.0; LANES]; KEPT],
            count: 0,
            nearest: [(Real::INFINITY, Near::NOTHING); LANES],
        }
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        (self.limit, self.nearest) = ([-1.0; LANES], [(Real::INFINITY, Near::NOTHING); LANES]);
    }

    /// Takes a point, with a hint: a triangle that may be near, and a place on it. What is not finite stays without answer.
    pub fn put(&mut self, k: usize, p: Vec3, distance: &Distance, hint: &Near) {
        if !p.is_finite() {
            return;
        }
        let from = p - distance.middle;
        let scale = distance.size + from.length() as f32;
        self.points[k] = p;
        for axis in 0..3 {
            self.single[axis][k] = from[axis] as f32;
        }
        self.lost[k] = ERROR * scale + (distance.rounding + ROUNDING * p.abs().max_element()) as f32;
        self.limit[k] = limit(distance.bound_from(p, hint));
    }

    /// Finds what is nearest to each point.
    pub fn search(&mut self, distance: &Distance) {
        self.walk(distance);
        self.decide(distance);
    }

    /// Looks at everything that may be nearest, in the widest vector units that this machine has.
    fn walk(&mut self, distance: &Distance) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has the units for which the function is compiled.
            #[allow(unsafe_code)]
            return unsafe { walk_wide(self, distance) };
        }
        self.walk_here(distance);
    }

    #[inline(always)]
    fn walk_here(&mut self, distance: &Distance) {
        (self.stack[0], self.stack_least[0]) = (0, [0.0; LANES]);
        let mut top = usize::from(!distance.discs.is_empty());
        let mut open = [0u32; BATCH];
        while top > 0 {
            // Until every point has a bound, the way leads straight to what is near.
            let together = if top + ROOM > STACK || self.is_unbounded() { 1 } else { top.min(BATCH) };
            top -= together;
            let mut count = 0;
            for at in top..top + together {
                open[count] = self.stack[at];
                count += usize::from(!self.is_beyond(&self.stack_least[at]));
            }
            for node in &open[..count] {
                if let Some(children) = distance.tree.children(*node) {
                    top = self.push(distance, top, children);
                    continue;
                }
                for t in distance.tree.items_of(*node) {
                    self.look(distance, *t);
                }
            }
        }
    }

    /// Puts two nodes upon the stack, if they may hold something: the one nearer to the first point on top.
    #[inline(always)]
    fn push(&mut self, distance: &Distance, top: usize, children: [u32; 2]) -> usize {
        let [a, b] = children;
        let least_a = self.least(&distance.discs[a as usize]);
        let least_b = self.least(&distance.discs[b as usize]);
        let (in_a, in_b) = (usize::from(!self.is_beyond(&least_a)), usize::from(!self.is_beyond(&least_b)));
        // What is beyond comes above the new top.
        let up = if least_b[0] < least_a[0] { 1 - in_a } else { in_b };
        (self.stack[top + up], self.stack_least[top + up]) = (a, least_a);
        (self.stack[top + 1 - up], self.stack_least[top + 1 - up]) = (b, least_b);
        top + in_a + in_b
    }

    #[inline(always)]
    fn is_unbounded(&self) -> bool {
        let mut any = false;
        for limit in self.limit {
            any |= limit == f32::INFINITY;
        }
        any
    }

    /// Whether no point comes so near. What is not a number is not beyond: it is looked at.
    #[inline(always)]
    fn is_beyond(&self, least: &Lane) -> bool {
        let mut beyond = true;
        for (least, limit) in least.iter().zip(&self.limit) {
            beyond &= least > limit;
        }
        beyond
    }

    /// At most the squares of the distances to what a disc holds, but for a part [`ERROR`] [m²].
    #[inline(always)]
    fn least(&self, disc: &Disc) -> Lane {
        let mut out = [0.0; LANES];
        for (k, out) in out.iter_mut().enumerate() {
            let to = glam::Vec3::new(self.single[0][k], self.single[1][k], self.single[2][k]) - disc.center;
            let height = to.dot(disc.normal);
            let aside = (to - disc.normal * height).length();
            let above = (height.abs() - (disc.half + self.lost[k])).max(0.0);
            let beside = (aside - (disc.radius + self.lost[k])).max(0.0);
            *out = above * above + beside * beside;
        }
        out
    }

    /// Keeps a triangle if it may be the nearest to some point, by bounds in single precision.
    #[inline(always)]
    fn look(&mut self, distance: &Distance, t: u32) {
        let (below, above) = bounds(&self.single, &distance.flats[t as usize]);
        let mut least = [0.0; LANES];
        for k in 0..LANES {
            let below = (below[k] - self.lost[k]).max(0.0);
            least[k] = below * below;
        }
        (self.kept[self.count], self.kept_least[self.count]) = (t, least);
        let within = !self.is_beyond(&least);
        for k in 0..LANES {
            let above = above[k] + self.lost[k];
            self.limit[k] = (above * above * (1.0 + ERROR) + f32::MIN_POSITIVE).min(self.limit[k]);
        }
        self.count += usize::from(within);
        if self.count == KEPT {
            self.decide(distance);
        }
    }

    /// Decides among the triangles kept which is nearest to each point, in double precision; the first where several are.
    fn decide(&mut self, distance: &Distance) {
        for (t, least) in self.kept[..self.count].iter().zip(&self.kept_least) {
            let mut within = 0u32;
            for (k, (least, limit)) in least.iter().zip(&self.limit).enumerate() {
                let is_beyond = least > limit;
                within |= u32::from(!is_beyond) << k;
            }
            while within != 0 {
                let k = within.trailing_zeros() as usize;
                within &= within - 1;
                let (found, best) = (distance.on(self.points[k], *t), &mut self.nearest[k]);
                if found.0 < best.0 || (found.0 == best.0 && *t < best.1.triangle) {
                    *best = found;
                }
            }
        }
        self.count = 0;
    }

    /// The place nearest to a point, once all is decided.
    pub fn nearest(&self, k: usize) -> Near {
        let (distance_sq, near) = self.nearest[k];
        Near { distance: distance_sq.sqrt(), ..near }
    }
}

/// [`Packet::walk_here`] for AVX2. Wider units do more of the same operations at a time; nothing is fused, and the
/// bits do not depend on it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn walk_wide(packet: &mut Packet, distance: &Distance) {
    packet.walk_here(distance);
}

/// A bound for squares in single precision: above by more than the error of squares here.
#[inline(always)]
fn limit(distance_sq: Real) -> f32 {
    distance_sq as f32 * (1.0 + ERROR) + f32::MIN_POSITIVE
}
