//! How much of a box a body still hides: what an exercise in laying folds aside is measured by.

use crate::model::PrimKind;
use crate::{BodyId, Real, Vec3, VertexId, World};
use serde::{Deserialize, Serialize};
use serosa_geometry::{closest_segments, rotation};

/// Lines of sight along each side of the box's shadow.
const SIDE: usize = 24;
/// How far beyond the box something still hides it \[m\].
pub const REACH: Real = 0.5;

/// A box and what may hide it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cover {
    /// What may hide it.
    pub body: BodyId,
    /// Lowest corner \[m\].
    pub min: Vec3,
    /// Highest corner \[m\].
    pub max: Vec3,
    /// Towards the eye, unit.
    pub from: Vec3,
    /// The skin of the body, where it has one; its edges hide by their own thickness.
    pub triangles: Vec<[VertexId; 3]>,
}

/// Lines of sight through a box: the shadow of the box along `from`, cut into [`SIDE`]² cells.
struct Sight<'a> {
    cover: &'a Cover,
    across: [Vec3; 2],
    low: [Real; 2],
    step: [Real; 2],
    hidden: [bool; SIDE * SIDE],
}

impl Cover {
    /// The share of the lines of sight through the box that are hidden, from 0 to 1.
    pub fn share(&self, world: &World) -> Real {
        let mut sight = Sight::through(self);
        let (pos, body) = (&world.state.pos, &world.model.bodies[self.body.at()]);
        for i in body.prims.start as usize..body.prims.end as usize {
            if let PrimKind::Segment(ends) = world.model.prims[i].kind {
                sight.hide_behind_round(ends.map(|v| pos[v.at()]), world.state.radius[i]);
            }
        }
        for t in &self.triangles {
            sight.hide_behind_triangle(t.map(|v| pos[v.at()]));
        }
        let (mut lines, mut hidden) = (0u32, 0u32);
        for cell in 0..SIDE * SIDE {
            if sight.line(cell).is_some() {
                lines += 1;
                hidden += u32::from(sight.hidden[cell]);
            }
        }
        Real::from(hidden) / Real::from(lines.max(1))
    }
}

impl<'a> Sight<'a> {
    fn through(cover: &'a Cover) -> Self {
        let u = rotation::any_perpendicular(cover.from);
        let across = [u, cover.from.cross(u)];
        let (mut low, mut high) = ([Real::INFINITY; 2], [Real::NEG_INFINITY; 2]);
        for k in 0..8 {
            let pick = |bit: usize, lo: Real, hi: Real| if k >> bit & 1 == 0 { lo } else { hi };
            let (a, b) = (cover.min, cover.max);
            let corner = Vec3::new(pick(0, a.x, b.x), pick(1, a.y, b.y), pick(2, a.z, b.z));
            for axis in 0..2 {
                let at = across[axis].dot(corner);
                (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at));
            }
        }
        let step = [0, 1].map(|k| (high[k] - low[k]) / SIDE as Real);
        Self { cover, across, low, step, hidden: [false; SIDE * SIDE] }
    }

    /// Where a cell's line of sight runs: from the far side of the box to [`REACH`] before it; `None` where it
    /// misses the box.
    fn line(&self, cell: usize) -> Option<[Vec3; 2]> {
        let at = [cell % SIDE, cell / SIDE];
        let place = |k: usize| self.across[k] * (self.low[k] + (at[k] as Real + 0.5) * self.step[k]);
        let (foot, from) = (place(0) + place(1), self.cover.from);
        let (mut near, mut far) = (Real::NEG_INFINITY, Real::INFINITY);
        for axis in 0..3 {
            let (lo, hi) = (self.cover.min[axis] - foot[axis], self.cover.max[axis] - foot[axis]);
            if from[axis].abs() < 1e-12 {
                if lo > 0.0 || hi < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (lo / from[axis], hi / from[axis]);
            (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
        }
        (near <= far).then(|| [foot + from * near, foot + from * (far + REACH)])
    }

    /// Cells whose centre may lie within `by` of the shadow of some points, along one side.
    fn cells(&self, axis: usize, points: &[Vec3], by: Real) -> core::ops::Range<usize> {
        let places = points.iter().map(|p| self.across[axis].dot(*p));
        let (lo, hi) =
            places.fold((Real::INFINITY, Real::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)));
        // Casts saturate, and what is not a number becomes 0.
        let cell = |x: Real| ((x - self.low[axis]) / self.step[axis]).clamp(0.0, SIDE as Real);
        cell(lo - by).floor() as usize..cell(hi + by).ceil() as usize
    }

    fn hide_behind_round(&mut self, [a, b]: [Vec3; 2], radius: Real) {
        let columns = self.cells(0, &[a, b], radius);
        for row in self.cells(1, &[a, b], radius) {
            for cell in columns.clone().map(|column| row * SIDE + column) {
                if self.hidden[cell] {
                    continue;
                }
                if let Some([near, far]) = self.line(cell) {
                    let c = closest_segments(a, b, near, far);
                    let distance_sq = (a.lerp(b, c.s) - near.lerp(far, c.t)).length_squared();
                    self.hidden[cell] = distance_sq < radius * radius;
                }
            }
        }
    }

    fn hide_behind_triangle(&mut self, corners: [Vec3; 3]) {
        let columns = self.cells(0, &corners, 0.0);
        for row in self.cells(1, &corners, 0.0) {
            for cell in columns.clone().map(|column| row * SIDE + column) {
                if !self.hidden[cell]
                    && let Some(line) = self.line(cell)
                {
                    self.hidden[cell] = crosses(line, corners);
                }
            }
        }
    }
}

/// Whether a segment passes through a triangle (Möller and Trumbore 1997).
fn crosses([near, far]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (way, ab, ac, start) = (far - near, b - a, c - a, near - a);
    let (p, q) = (way.cross(ac), start.cross(ab));
    let det = ab.dot(p);
    if det == 0.0 {
        return false;
    }
    let (u, v, t) = (start.dot(p) / det, way.dot(q) / det, ac.dot(q) / det);
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)
}
