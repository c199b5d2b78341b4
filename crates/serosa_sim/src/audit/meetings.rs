//! What meets, by geometry alone: pairs that came nearer than their thickness and the rest gap, and nobody answered.
//!
//! A search of its own, over all pairs of primitives that the model lets touch, with distances of its own. It asks no detector
//! what may push or how far anything may go: where a pair has come too near, something must stand for it, a row at the same
//! closest points or a plane of the filter.

use super::nearest::{Core, Nearest};
use crate::model::{Model, Pose};
use crate::respond::augmented_lagrangian::REST_GAP;
use crate::row::{Row, Side};
use crate::{PrimId, Real, Vec3, World};
use serosa_geometry::Aabb;

/// A pair approaches that has come nearer by this share of the rest gap in the substep.
const APPROACH: Real = 1e-3;

/// A moment of a world.
#[derive(Clone, Copy)]
struct Moment<'a> {
    model: &'a Model,
    pos: &'a [Vec3],
    pose: &'a [Pose],
    radius: &'a [Real],
}

impl Moment<'_> {
    fn core(&self, prim: PrimId) -> Core {
        Core::of(self.model, prim, self.pos, self.pose)
    }

    fn thickness(&self, [a, b]: [PrimId; 2]) -> Real {
        self.radius[a.at()] + self.radius[b.at()]
    }

    /// The closest points of a pair, and its gap \[m\]; none where it does not touch in this way.
    fn nearest(&self, pair: [PrimId; 2]) -> Option<(Nearest, Real)> {
        let nearest = Nearest::of(&self.core(pair[0]), &self.core(pair[1]))?;
        Some((nearest, nearest.distance - self.thickness(pair)))
    }
}

/// The search, with its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    planes: Vec<u32>,
}

impl Meetings {
    /// How many pairs that approach are too near at the end of the step and unanswered. With responses that correct a free
    /// motion: how many overlap where that has led and have no row. O(n log n + pairs whose boxes overlap along an axis).
    pub(super) fn unanswered(&mut self, world: &World) -> u32 {
        let (model, seen, state) = (&*world.model, &world.scratch, &world.state);
        let found =
            Moment { model, pos: &seen.found_pos, pose: &seen.found_pose, radius: &seen.found_radius };
        let ahead = world.params.response.looks_ahead();
        let (start, end, near) = if ahead {
            let end = Moment { model, pos: &state.pos, pose: &state.pose, radius: &state.radius };
            (Some(found), end, REST_GAP)
        } else {
            (None, found, 0.0)
        };
        let mut count = 0;
        self.each_pair(&end, near, |pair| {
            let Some((nearest, gap)) = end.nearest(pair).filter(|(_, gap)| *gap < near) else { return };
            let before = start.and_then(|start| start.nearest(pair));
            let approaches =
                start.is_none() || before.is_none_or(|(_, before)| gap < before - APPROACH * REST_GAP);
            count += u32::from(approaches && !is_answered(world, start.as_ref(), &end, pair, &nearest));
        });
        count
    }

    /// All pairs that may touch and whose boxes, with that much around them, overlap.
    fn each_pair(&mut self, at: &Moment, near: Real, mut each: impl FnMut([PrimId; 2])) {
        let count = at.model.prims.len();
        let Self { boxes, order, planes } = self;
        boxes.clear();
        order.clear();
        planes.clear();
        for p in 0..count {
            let prim = PrimId::from(p);
            let core = at.core(prim);
            boxes.push(core.bounds().grown(at.radius[p] + near));
            if core.is_plane() { planes.push(p as u32) } else { order.push(p as u32) }
        }
        let left = |p: u32| boxes[p as usize].min.x;
        order.sort_unstable_by(|a, b| left(*a).total_cmp(&left(*b)).then(a.cmp(b)));
        let mut look = |p: u32, q: u32| {
            let pair = [PrimId(p.min(q)), PrimId(p.max(q))];
            if at.model.may_touch(pair[0], pair[1]) {
                each(pair);
            }
        };
        for (k, &p) in order.iter().enumerate() {
            let own = &boxes[p as usize];
            let others = order[k + 1..].iter().take_while(|q| left(**q) <= own.max.x);
            others.filter(|q| own.overlaps(&boxes[**q as usize])).for_each(|q| look(p, *q));
            planes.iter().for_each(|q| look(p, *q));
        }
    }
}

/// Whether something stands for a pair: a row of its own, a row of the same bodies at the same closest points, a row that
/// holds what both are made of where they are as near, or a plane of the filter.
fn is_answered(
    world: &World,
    start: Option<&Moment>,
    end: &Moment,
    pair: [PrimId; 2],
    nearest: &Nearest,
) -> bool {
    let near = &world.scratch.finder.near;
    let listed = near.binary_search_by_key(&pair, |near| near.prims);
    if start.is_some() && listed.is_ok_and(|k| world.scratch.planes.stands(k)) {
        return true;
    }
    let bodies = pair.map(|p| end.model.prims[p.at()].body);
    world.scratch.rows.iter().any(|row| {
        let key = [row.key.a, row.key.b];
        if key == pair {
            return true;
        }
        if key[0].at() >= end.model.prims.len() {
            return false;
        }
        let of = key.map(|p| end.model.prims[p.at()].body);
        [[0, 1], [1, 0]].iter().any(|order| {
            order.map(|k| of[k]) == bodies && stands_there(row, *order, start, end, pair, nearest)
        })
    })
}

/// Whether a row, its sides in that order, stands where a pair is nearest.
fn stands_there(
    row: &Row,
    order: [usize; 2],
    start: Option<&Moment>,
    end: &Moment,
    pair: [PrimId; 2],
    nearest: &Nearest,
) -> bool {
    let places = order.map(|k| row.sides[k].place(end.pos, end.pose));
    // Its points are where they were when the substep began, and have slid with what they hold.
    let slid = start.map_or(0.0, |start| {
        let before = order.map(|k| row.sides[k].place(start.pos, start.pose));
        ((places[0] - places[1]) - (before[0] - before[1])).length()
    });
    let reach = end.thickness(pair) + REST_GAP + slid;
    if places.iter().zip(&nearest.points).all(|(p, q)| (*p - *q).length() <= reach) {
        return true;
    }
    // Of two edges side by side no place is the closest.
    let holds = |k: usize| match row.sides[order[k]] {
        Side::Rigid(r, _) => end.model.rigids[r.at()].body == end.model.prims[pair[k].at()].body,
        ref soft => {
            let own = end.model.prims[pair[k].at()].kind.vertices();
            soft.vertices().iter().any(|v| own.contains(v))
        }
    };
    let as_near = (places[0] - places[1]).length() <= nearest.distance + end.thickness(pair) + REST_GAP;
    nearest.level && holds(0) && holds(1) && as_near
}
