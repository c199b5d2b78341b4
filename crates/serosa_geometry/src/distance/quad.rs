//! Discs of single triangles, four at a time and in single precision: bounds that cost little.

use crate::meet::Triangle;
use crate::{Aabb, Real, Vec3};
use core::ops::Range;

/// Sine of the angle of two sides below which a triangle is taken for a ball: its normal is not exact enough.
const THIN: Real = 1e-6;
/// Error of a height above a disc, as a part of all lengths involved: some times that of single precision.
const ERROR: f32 = 1e-6;

/// A length of four triangles each.
type Lane = [f32; 4];

/// Four triangles as discs without height.
#[derive(Clone, Copy, Debug, Default)]
struct Quad {
    center: [Lane; 3],
    /// Unit normals; zero for a ball.
    normal: [Lane; 3],
    radius: Lane,
    triangles: [u32; 4],
}

/// All triangles in the order of a tree, from the middle of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Quads {
    all: Vec<Quad>,
    middle: Vec3,
    /// From the middle to the farthest corner, at most.
    size: f32,
}

/// A point as the quads see it.
pub(super) struct Probe {
    point: [f32; 3],
    /// Lengths involved: of the surface, and from its middle to the point.
    scale: f32,
}

impl Quads {
    /// Takes the triangles with these numbers, in this order. O(n).
    pub fn fill(&mut self, bounds: &Aabb, items: &[u32], corners: impl Fn(u32) -> Triangle) {
        self.middle = 0.5 * (bounds.min + bounds.max);
        self.size = (0.5 * bounds.size().length()) as f32;
        self.all.clear();
        for four in items.chunks(4) {
            let mut quad = Quad::default();
            for k in 0..4 {
                // The last place of all is filled with a triangle again, which is harmless.
                let t = four[k.min(four.len() - 1)];
                quad.put(k, t, corners(t).map(|p| p - self.middle));
            }
            self.all.push(quad);
        }
    }

    /// A point, prepared.
    pub fn probe(&self, p: Vec3) -> Probe {
        let from = p - self.middle;
        let scale = self.size + from.length() as f32;
        Probe { point: [from.x as f32, from.y as f32, from.z as f32], scale }
    }

    /// Hands out triangles near some places that may be within the bound [m²], and takes the new bound from each answer.
    #[inline]
    pub fn within(
        &self,
        probe: &Probe,
        places: Range<usize>,
        bound: &mut Real,
        look: &mut impl FnMut(u32) -> Real,
    ) {
        for quad in &self.all[places.start / 4..places.end.div_ceil(4)] {
            let least = quad.distance_sq(probe);
            for k in 0..4 {
                // In this form what is not a number is looked at.
                let beyond = least[k] > (*bound * (1.0 + Real::from(ERROR))) as f32 * (1.0 + ERROR);
                if !beyond {
                    *bound = look(quad.triangles[k]);
                }
            }
        }
    }
}

impl Quad {
    fn put(&mut self, k: usize, t: u32, [a, b, c]: Triangle) {
        let (ab, ac) = (b - a, c - a);
        let n = ab.cross(ac);
        let thin = n.length_squared() <= THIN * THIN * ab.length_squared() * ac.length_squared();
        let n = if thin { Vec3::ZERO } else { n * (1.0 / n.length()) };
        let center = (a + b + c) * (1.0 / 3.0);
        let far_sq = [a, b, c].map(|p| p.distance_squared(center));
        for axis in 0..3 {
            self.center[axis][k] = center[axis] as f32;
            self.normal[axis][k] = n[axis] as f32;
        }
        self.radius[k] = far_sq[0].max(far_sq[1]).max(far_sq[2]).sqrt() as f32;
        self.triangles[k] = t;
    }

    /// At most the squares of the distances to the four, but for a part [`ERROR`] [m²].
    #[inline]
    fn distance_sq(&self, probe: &Probe) -> Lane {
        let mut out = [0.0; 4];
        let lost = ERROR * probe.scale;
        for (k, out) in out.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|axis| probe.point[axis] - self.center[axis][k]);
            let height = x * self.normal[0][k] + y * self.normal[1][k] + z * self.normal[2][k];
            // The error of the squares is twice that of a length, times the length.
            let aside_sq = x * x + y * y + z * z - height * height - 4.0 * lost * probe.scale;
            let above = (height.abs() - lost).max(0.0);
            let beside = (aside_sq.max(0.0).sqrt() - (self.radius[k] + lost)).max(0.0);
            *out = above * above + beside * beside;
        }
        out
    }
}
