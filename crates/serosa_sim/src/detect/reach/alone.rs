//! Bodies that can meet nobody in a substep but themselves.
//!
//! All that such a body does as a whole changes none of its own distances. Its ways and strays, by which pairs are near and
//! the filter clips, are counted from the step of its mean, so that a body in flight is not near to itself for being fast.

use super::Reach;
use crate::detect::growth::OUTWARDS;
use crate::detect::{Places, solid_of};
use crate::model::{BodyKind, Model};
use crate::state::State;
use crate::{PrimId, Real, Vec3};
use serosa_geometry::Aabb;
use std::ops::Range;

/// With more bodies none is asked.
const BODIES_MAX: usize = 256;

/// Finds the bodies that are alone, and takes their common steps out of ways and strays. O(vertices + bodies²).
pub(super) fn leave(
    model: &Model,
    (state, to): (&State, &[Vec3]),
    reach: &mut Reach,
    stray: impl Fn(usize, Real) -> Real,
) {
    reach.common.clear();
    reach.common.resize(reach.ways.len(), Vec3::ZERO);
    if model.bodies.len() > BODIES_MAX {
        return;
    }
    let mut boxes = std::mem::take(&mut reach.bodies);
    boxes.clear();
    boxes.extend((0..model.bodies.len()).map(|b| swept(model, (state, to), reach, b)));
    for (b, body) in model.bodies.iter().enumerate() {
        let free = matches!(&body.kind, BodyKind::Solid(solid) if solid.free);
        let meets = || boxes.iter().enumerate().any(|(c, other)| c != b && boxes[b].overlaps(other));
        if free && !meets() {
            let vertices = body.vertex_range();
            let mean = mean(vertices.clone(), &state.pos, to);
            for v in vertices {
                reach.common[v] = mean;
                let way = (to[v] - state.pos[v] - mean) * super::AHEAD;
                reach.ways[v] = if way.is_finite() { way.clamp_length_max(super::MOST) } else { Vec3::ZERO };
                reach.strays[v] = stray(v, reach.ways[v].length());
            }
        }
    }
    reach.bodies = boxes;
}

/// The mean step of a body \[m\].
fn mean(vertices: Range<usize>, from: &[Vec3], to: &[Vec3]) -> Vec3 {
    let count = vertices.len().max(1) as Real;
    let mean = vertices.map(|v| to[v] - from[v]).sum::<Vec3>() / count;
    if mean.is_finite() { mean } else { Vec3::ZERO }
}

/// A box around all that a body may sweep, whether it is alone or not.
fn swept(model: &Model, (state, to): (&State, &[Vec3]), reach: &Reach, b: usize) -> Aabb {
    let body = &model.bodies[b];
    let prims = body.prims.start as usize..body.prims.end as usize;
    if let BodyKind::Rigid(r) = body.kind {
        let at = Places { pos: &state.pos, pose: &state.pose, radius: &state.radius };
        let around = prims.map(|p| solid_of(model, PrimId::from(p), at).bounds());
        return around.fold(Aabb::EMPTY, Aabb::join).grown(reach.frames[r.at()] * (1.0 + OUTWARDS));
    }
    let radius = state.radius[prims].iter().copied().fold(0.0, Real::max);
    let vertices = body.vertex_range();
    let mean = mean(vertices.clone(), &state.pos, to);
    let (mut low, mut high, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0);
    for v in vertices {
        let (from, way, stray) = (state.pos[v], reach.ways[v], reach.strays[v]);
        // On its own way, or about that of the mean.
        let (end, beside) = (from + way, from + mean);
        let apart = (to[v] - beside).length() * (super::AHEAD + super::STRAY) + stray;
        low = low.min(from - stray).min(end - stray).min(beside - apart);
        high = high.max(from + stray).max(end + stray).max(beside + apart);
        most = Real::max(most, apart);
    }
    // What is not a number may be anywhere.
    let around = Aabb { min: low, max: high };
    if low.is_finite() && high.is_finite() { around.grown(radius + OUTWARDS * most) } else { Aabb::ALL }
}
