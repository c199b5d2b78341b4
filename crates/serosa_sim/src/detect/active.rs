//! Active pairs: those that a detector has kept its eye on, for whoever wants to see them. No step calls this.

use super::{Places, halves, solid_of};
use crate::model::{PrimKind, Shape};
use crate::params::Detector;
use crate::{PrimId, Real, Vec3, World};
use serosa_geometry::solid::touches;

/// A pair that the detector follows, and where its two are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Active {
    /// The two primitives, the smaller number first.
    pub prims: [PrimId; 2],
    /// The closest points of their cores (of the surface, where one has no core) \[m\].
    pub ends: [Vec3; 2],
    /// Signed distance of their surfaces \[m\], + is apart.
    pub gap: Real,
}

/// The pairs that the last step kept its eye on, placed where things are now: the nearest `most` of them, sorted by
/// primitives, into `out`. Returns how many there are.
///
/// - The tracker: its active pairs, the local minima of the distance that it follows.
/// - A search for what is near: all pairs nearer than their reaches together.
/// - The grid, in a search for overlaps: pairs of its list that the tracker would follow, nearer than `reach` times
///   the sum of their radii from core to core.
/// - All pairs, in a search for overlaps: it keeps none but those that touch.
///
/// Cost: O(pairs), after a search for overlaps by the grid O(pairs listed).
pub fn active_pairs(world: &World, most: usize, out: &mut Vec<Active>) -> usize {
    out.clear();
    let finder = &world.scratch.finder;
    let mut add = |a: PrimId, b: PrimId, margin: Real| out.extend(place(world, [a, b], margin));
    let any = Real::INFINITY;
    match world.params.detector {
        _ if world.scratch.found_near => finder.near.iter().for_each(|n| add(n.prims[0], n.prims[1], any)),
        Detector::Tracker => world.state.tracked.iter().for_each(|t| add(t.a, t.b, any)),
        Detector::Grid => finder.pairs.iter().chain(&finder.own_pairs).for_each(|pair| {
            let (a, b) = halves(*pair);
            let thickness = depth(world, a) + depth(world, b);
            add(a, b, (world.params.tracker.reach - 1.0) * thickness);
        }),
        Detector::AllPairs => world.scratch.rows.iter().for_each(|row| add(row.key.a, row.key.b, any)),
    }
    // Pairs of a body with itself are listed apart; the rows of a pair come to lie beside each other.
    out.sort_unstable_by_key(|pair| pair.prims);
    out.dedup_by_key(|pair| pair.prims);
    let all = out.len();
    if all > most {
        // Equal gaps are told apart by their primitives, so that a scene at rest always shows the same.
        let nearer = |x: &Active, y: &Active| x.gap.total_cmp(&y.gap).then(x.prims.cmp(&y.prims));
        out.select_nth_unstable_by(most, nearer);
        out.truncate(most);
        out.sort_unstable_by_key(|pair| pair.prims);
    }
    all
}

/// How deep the core of a primitive lies below its surface \[m\].
fn depth(world: &World, prim: PrimId) -> Real {
    let round = match world.model.prims[prim.at()].kind {
        PrimKind::Segment(_) | PrimKind::Triangle(_) => true,
        PrimKind::Shape(r) => {
            matches!(world.model.rigids[r.at()].shape, Shape::Ball | Shape::Capsule { .. })
        }
    };
    if round { world.state.radius[prim.at()] } else { 0.0 }
}

/// Where two primitives are closest, if their gap is below a margin; nothing where that is not a number, as of a body
/// that ran away.
fn place(world: &World, [a, b]: [PrimId; 2], margin: Real) -> Option<Active> {
    let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
    let (x, y) = (solid_of(&world.model, a, at), solid_of(&world.model, b, at));
    let mut nearest: Option<Active> = None;
    touches(&x, &y, margin, &mut |touch| {
        if nearest.is_none_or(|n| touch.gap < n.gap) {
            let ends =
                [touch.on_a + touch.normal * depth(world, a), touch.on_b - touch.normal * depth(world, b)];
            nearest = Some(Active { prims: [a, b], ends, gap: touch.gap });
        }
    });
    nearest.filter(|n| n.ends.iter().all(|end| end.is_finite()))
}
