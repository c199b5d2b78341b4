//! Strain limits: springs, and edges of tissue and of solids, that may not be longer, or shorter, than so much.
//!
//! |d + h w| ≤ l_max is a ball. A row with the direction n, n·(d + h w) ≤ l_max, is one of the half-spaces around it: the
//! ends may still leave the ball sideways, by about |h w|²/2l. Where they do, the direction in which they did gets a row
//! too, and the programme is solved again: cutting planes, which close in on the ball. n·(d + h w) ≥ l_min leaves nothing
//! out: a spring that is long enough along any direction is.

use super::{Build, Constraint, PART_SPEED};
use crate::body::Substep;
use crate::body::system::Edge;
use crate::model::{BodyKind, SpringKind};
use crate::row::{Node, RowKey, Slot};
use crate::state::State;
use crate::{Real, Vec3, VertexId};
use serosa_geometry::rotation::unit_or;

/// A limit gets a row where a spring is within this share of it, at the start or where the free motion leads.
const NEAR: Real = 0.01;
/// What a spring may be longer where the substep ends, as a share.
const LET_PASS: Real = 1e-5;
/// A row turns where the cosine of the turn is larger: what it then leaves out is as little.
const SAME: Real = 0.9999;

/// One limit of one edge, along one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// The number of the spring; edges of solids, which are none, come after all of these.
    edge: u32,
    pub ends: [VertexId; 2],
    /// From the first end to the second, unit.
    pub dir: Vec3,
    /// Whether it may not be longer; otherwise not shorter.
    pub longest: bool,
    /// Which of the rows of this limit it is.
    cut: u8,
    /// What the speed of lengthening is asked to be, below it or above \[m/s\].
    pub speed: Real,
    /// \[N s\]
    pub lambda: Real,
}

/// The edges of all bodies that have limits, by number, and these \[m\].
fn limited<'a>(sub: &Substep<'a>, solids: &'a [Edge]) -> impl Iterator<Item = (u32, Edge, [Real; 2])> {
    let (model, params) = (sub.model, sub.params);
    let limits = move |b: usize| {
        let own = &params.bodies[b];
        let some = own.stretch_max.is_finite() || own.stretch_min > -1.0;
        some.then_some([1.0 + own.stretch_min, 1.0 + own.stretch_max])
    };
    let springs = model.bodies.iter().enumerate().filter_map(move |(b, body)| match &body.kind {
        BodyKind::Springs(s) => Some((limits(b)?, b, s.springs())),
        BodyKind::Tissue(t) => Some((limits(b)?, b, t.springs.start as usize..t.springs.end as usize)),
        _ => None,
    });
    let springs = springs.flat_map(move |(limits, b, springs)| {
        let along = springs.filter(|i| model.springs[*i].kind != SpringKind::Bend);
        along.map(move |i| {
            let spring = &model.springs[i];
            (i as u32, Edge { ends: spring.ends, rest_m: spring.rest_m, body: b as u32 }, limits)
        })
    });
    let first = model.springs.len() as u32;
    let solids = (first..).zip(solids).filter_map(move |(i, e)| Some((i, *e, limits(e.body as usize)?)));
    springs.chain(solids).map(|(i, edge, limits)| (i, edge, limits.map(|l| l * edge.rest_m)))
}

fn between(edge: &Edge, pos: &[Vec3]) -> Vec3 {
    pos[edge.ends[1].at()] - pos[edge.ends[0].at()]
}

/// Limits that may be reached in this substep, with the multipliers that they had in the last.
pub(super) fn begin(
    (sub, solids): (&Substep, &[Edge]),
    state: &State,
    free: &[Vec3],
    limits: &mut Vec<Limit>,
) {
    limits.clear();
    let first = state.kept.partition_point(|kept| kept.key < RowKey::of_limit(0, true));
    let mut kept = state.kept[first..].iter().peekable();
    for (i, edge, [least, most]) in limited(sub, solids) {
        let (now, then) = (between(&edge, &state.pos), between(&edge, free));
        let lengths = [now.length(), then.length()];
        let dir = unit_or(now, Vec3::Z);
        if lengths[0].max(lengths[1]) > most * (1.0 - NEAR) {
            limits.push(Limit::of((i, &edge), dir, (true, most), now, sub.h));
        }
        if let Some(limit) = limits.last_mut().filter(|limit| limit.edge == i) {
            while kept.next_if(|kept| kept.key < limit.row_key()).is_some() {}
            let known = kept.peek().filter(|kept| kept.key == limit.row_key());
            limit.lambda = known.map_or(0.0, |kept| kept.lambda * sub.h);
        }
        if lengths[0].min(lengths[1]) < least * (1.0 + NEAR) {
            limits.push(Limit::of((i, &edge), dir, (false, least), now, sub.h));
        }
    }
}

/// Edges that are too long where the substep ends get a row along the direction that they have there; whether any did.
/// A row nearly along it turns instead: two of them would make the programme nearly singular.
pub(super) fn look_again(
    (sub, solids): (&Substep, &[Edge]),
    state: &State,
    pos: &[Vec3],
    limits: &mut Vec<Limit>,
) -> bool {
    let (known, mut changed) = (limits.len(), false);
    for (i, edge, [least, most]) in limited(sub, solids) {
        let (now, then) = (between(&edge, &state.pos), between(&edge, pos));
        let length = then.length();
        // One that was too long before is drawn in slowly.
        let most = most.max(now.length() - PART_SPEED * sub.h);
        let found = if length > most * (1.0 + LET_PASS) {
            Limit::of((i, &edge), then / length, (true, most), now, sub.h)
        } else if length < least * (1.0 - LET_PASS) && now.length() >= least * (1.0 + NEAR) {
            Limit::of((i, &edge), unit_or(now, Vec3::Z), (false, least), now, sub.h)
        } else {
            continue;
        };
        changed = true;
        let first = limits[..known].partition_point(|limit| limit.key() < found.key());
        let own = limits[first..known].iter().take_while(|limit| limit.key() == found.key());
        match own.zip(first..).find(|(limit, _)| limit.dir.dot(found.dir) > SAME) {
            Some((Limit { lambda, cut, .. }, k)) => limits[k] = Limit { lambda: *lambda, cut: *cut, ..found },
            None => {
                let own = limits[first..].iter().filter(|limit| limit.key() == found.key()).count();
                limits.push(Limit { cut: own as u8, ..found });
            }
        }
    }
    limits.sort_unstable_by_key(|limit| (limit.key(), limit.cut));
    changed
}

impl Limit {
    fn of(
        (number, edge): (u32, &Edge),
        dir: Vec3,
        (longest, length): (bool, Real),
        now: Vec3,
        h: Real,
    ) -> Self {
        let speed = (length - now.dot(dir)) / h;
        let speed = if longest { speed.max(-PART_SPEED) } else { speed.min(PART_SPEED) };
        Self { edge: number, ends: edge.ends, dir, longest, cut: 0, speed, lambda: 0.0 }
    }

    /// By which its multiplier is kept.
    pub(super) fn row_key(&self) -> RowKey {
        RowKey::of_limit(self.edge, self.longest)
    }

    /// Their order.
    fn key(&self) -> (u32, bool) {
        (self.edge, !self.longest)
    }
}

impl Build<'_> {
    pub(super) fn limit(&mut self, i: u32, limit: &Limit) {
        let sign = if limit.longest { -1.0 } else { 1.0 };
        let slots = limit.ends.iter().zip([-sign, sign]);
        let slots = slots.map(|(v, weight)| Slot { node: Node::Vertex(*v), weight });
        self.push(slots, limit.dir, (sign * limit.speed, false), (Constraint::Limit(i), limit.lambda));
    }
}
