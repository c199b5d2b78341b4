//! What rows remember when a contact changes its primitives.
//!
//! A contact that slides from one triangle to the next, or is found from another edge of the same vertex, is another row. What
//! pushed there and where it stuck has not changed: a row without a memory takes over that of the nearest one of the same two
//! bodies that is no longer there.

use crate::model::{Model, Pose};
use crate::row::Row;
use crate::state::Kept;
use crate::{Real, Vec3};

/// A contact goes no farther in a step, of its gap at rest: about the radius of what touches.
const NEAR: Real = 5.0;

/// Memories whose rows are gone, by bodies and then along x.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    lost: Vec<Lost>,
}

#[derive(Clone, Copy, Debug)]
struct Lost {
    bodies: [u32; 2],
    kept: Kept,
    taken: bool,
}

impl Memory {
    /// Finds what no row of `rows` takes up; both are sorted by their keys. O(rows + lost log lost).
    pub fn gather(&mut self, model: &Model, rows: &[Row], kept: &[Kept]) {
        self.lost.clear();
        let mut rows = rows.iter().peekable();
        for kept in kept {
            while rows.next_if(|row| row.key < kept.key).is_some() {}
            if rows.peek().is_some_and(|row| row.key == kept.key) {
                continue;
            }
            if let [Some(a), Some(b)] = [kept.key.a, kept.key.b].map(|p| model.prims.get(p.at())) {
                self.lost.push(Lost { bodies: [a.body.0, b.body.0], kept: *kept, taken: false });
            }
        }
        let order = |lost: &Lost| (lost.bodies, lost.kept.at.x);
        self.lost.sort_unstable_by(|a, b| {
            let ((p, x), (q, y)) = (order(a), order(b));
            p.cmp(&q).then(x.total_cmp(&y)).then(a.kept.key.cmp(&b.kept.key))
        });
    }

    /// The nearest that is left for a row at that place, which is then taken.
    pub fn take(&mut self, bodies: [u32; 2], row: &Row, (pos, pose): (&[Vec3], &[Pose])) -> Option<Kept> {
        if self.lost.is_empty() {
            return None;
        }
        let (at, near) = (row.sides[1].place(pos, pose), NEAR * row.rest);
        let before = |lost: &Lost| (lost.bodies, lost.kept.at.x) < (bodies, at.x - near);
        let first = self.lost.partition_point(before);
        let within = |lost: &&mut Lost| lost.bodies == bodies && lost.kept.at.x <= at.x + near;
        let far = |lost: &Lost| lost.kept.at.distance_squared(at);
        let free = self.lost[first..].iter_mut().take_while(within).filter(|lost| !lost.taken);
        let nearest =
            free.min_by(|a, b| far(a).total_cmp(&far(b))).filter(|lost| far(lost) <= near * near)?;
        nearest.taken = true;
        Some(nearest.kept)
    }
}
