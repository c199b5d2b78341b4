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
/// It turns no farther: the cosine of the angle between its normals.
const ALIKE: Real = 0.9;

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
        let free = self.lost[first..]
            .iter_mut()
            .take_while(within)
            .filter(|lost| !lost.taken && lost.kept.normal.dot(row.normal) > ALIKE);
        let nearest =
            free.min_by(|a, b| far(a).total_cmp(&far(b))).filter(|lost| far(lost) <= near * near)?;
        nearest.taken = true;
        Some(nearest.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Prim, PrimKind};
    use crate::row::{RowKey, Side};
    use crate::{BodyId, PrimId, VertexId};

    fn key(a: u32, b: u32) -> RowKey {
        RowKey { a: PrimId(a), b: PrimId(b), feature: 0 }
    }

    fn kept(key: RowKey, x: Real) -> Kept {
        let none = Vec3::ZERO;
        Kept { key, lambda: x, stick: none, drag: none, goal: 0.0, at: Vec3::X * x, normal: Vec3::Z }
    }

    /// A row whose side B is vertex 0.
    fn row(key: RowKey) -> Row {
        let side = Side::Soft([VertexId(0); 2], [1.0, 0.0]);
        let none = Vec3::ZERO;
        Row {
            key,
            sides: [side; 2],
            normal: Vec3::Z,
            offset: 0.0,
            gap: 0.0,
            friction: 0.5,
            rest: 1e-4,
            lambda: 0.0,
            slip: none,
        }
    }

    #[test]
    fn a_memory_goes_to_the_nearest_new_row_of_its_bodies_and_to_one_alone() {
        let kind = PrimKind::Segment([VertexId(0); 2]);
        let prim = |body| Prim { body: BodyId(body), kind, radius: 5e-4, membrane: false };
        let model = Model { prims: [0, 0, 1, 1, 1, 2].map(prim).to_vec(), ..Model::default() };
        // Gone are (0, 2) at 1 mm and (1, 2) at 1.4 mm; (0, 3) is still there.
        let before = [kept(key(0, 2), 1e-3), kept(key(0, 3), 1.1e-3), kept(key(1, 2), 1.4e-3)];
        let rows = [row(key(0, 3)), row(key(0, 4)), row(key(1, 4))];
        let mut memory = Memory::default();
        memory.gather(&model, &rows, &before);
        let mut take = |bodies, x: Real| memory.take(bodies, &rows[1], (&[Vec3::X * x], &[])).map(|k| k.key);
        assert_eq!(take([0, 2], 1e-3), None, "of other bodies");
        assert_eq!(take([0, 1], 3e-3), None, "too far");
        assert_eq!(take([0, 1], 1.1e-3), Some(key(0, 2)));
        assert_eq!(take([0, 1], 1.1e-3), Some(key(1, 2)), "what is taken is gone");
        assert_eq!(take([0, 1], 1.1e-3), None);
    }
}
