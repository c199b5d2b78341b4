//! Which primitives may meet those of other bodies at all.
//!
//! Most of a body meets nobody: its primitives lie outside of the boxes of all bodies that its own box overlaps. Only the
//! others are entered in the grid. Planes bound no box; what reaches into them is asked by itself.

use crate::PrimId;
use crate::model::{Model, PrimKind, Shape};
use serosa_geometry::Aabb;

/// A body that overlaps more others than this has all its primitives entered.
const MANY: usize = 16;

/// The primitives to be entered.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    /// Ascending.
    pub live: Vec<PrimId>,
    /// One per live primitive.
    pub boxes: Vec<Aabb>,
    /// Primitives that are planes.
    pub planes: Vec<PrimId>,
    /// A box around each body, planes not counted, by its lower end along x.
    bodies: Vec<(Aabb, u32)>,
    /// Pairs of bodies whose boxes overlap, either way round, sorted.
    meets: Vec<(u32, u32)>,
}

impl Crowd {
    /// Finds them from a box for each primitive. O(primitives + bodies log bodies + bodies that are beside one another along x).
    pub fn meet(&mut self, model: &Model, boxes: &[Aabb]) {
        let Self { live, boxes: entered, planes, bodies, meets } = self;
        planes.clear();
        bodies.clear();
        for (b, body) in model.bodies.iter().enumerate() {
            let mut around = Aabb::EMPTY;
            for p in body.prims.clone().map(PrimId) {
                match model.prims[p.at()].kind {
                    PrimKind::Shape(r) if model.rigids[r.at()].shape == Shape::Plane => planes.push(p),
                    _ => around = join(around, boxes[p.at()]),
                }
            }
            bodies.push((around, b as u32));
        }
        bodies.sort_unstable_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x).then(a.1.cmp(&b.1)));
        meets.clear();
        for (i, (a, x)) in bodies.iter().enumerate() {
            for (b, y) in bodies[i + 1..].iter().take_while(|(b, _)| b.min.x <= a.max.x) {
                if a.overlaps(b) {
                    meets.extend([(*x, *y), (*y, *x)]);
                }
            }
        }
        meets.sort_unstable();
        bodies.sort_unstable_by_key(|(_, b)| *b);
        live.clear();
        entered.clear();
        for (b, body) in model.bodies.iter().enumerate() {
            let first = meets.partition_point(|(x, _)| (*x as usize) < b);
            let others = &meets[first..][..meets[first..].partition_point(|(x, _)| *x as usize == b)];
            let among = |around: &Aabb| {
                others.len() > MANY || others.iter().any(|(_, y)| bodies[*y as usize].0.overlaps(around))
            };
            for p in body.prims.clone().map(PrimId) {
                let around = boxes[p.at()];
                if !others.is_empty() && planes.binary_search(&p).is_err() && among(&around) {
                    live.push(p);
                    entered.push(around);
                }
            }
        }
    }
}

/// What is not a number may be anywhere.
pub(super) fn join(a: Aabb, b: Aabb) -> Aabb {
    if b.min.is_nan() || b.max.is_nan() { Aabb::ALL } else { a.join(b) }
}
