//! Which rows hold a vertex, and which a body.

use super::touching::Touching;
use crate::model::{Model, Pose};
use crate::row::Side;
use crate::{Real, Vec3};

/// A row at a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Which row at work.
    pub row: u32,
    /// By how much A's point goes away from B's as the vertex moves.
    pub weight: Real,
}

/// The rows of each vertex and of each body, ascending. Written once a substep.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Where those of each vertex start, two more than there are vertices.
    starts: Vec<u32>,
    links: Vec<Link>,
    /// The same for bodies.
    body_starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Links {
    /// The rows of a vertex.
    #[inline]
    pub fn of(&self, vertex: usize) -> &[Link] {
        match (self.starts.get(vertex), self.starts.get(vertex + 1)) {
            (Some(&a), Some(&b)) => &self.links[a as usize..b as usize],
            _ => &[],
        }
    }

    /// The rows of a body.
    #[inline]
    pub fn rows_of(&self, body: usize) -> &[u32] {
        match (self.body_starts.get(body), self.body_starts.get(body + 1)) {
            (Some(&a), Some(&b)) => &self.rows[a as usize..b as usize],
            _ => &[],
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.body_starts.clear();
    }

    /// Finds the links of all rows. O(vertices + rows).
    pub(super) fn find(&mut self, model: &Model, touching: &[Touching]) {
        let Self { starts, links, body_starts, rows } = self;
        sort_out(model.rest.len(), touching, starts, links, |row, emit| each_vertex(row, emit));
        sort_out(model.bodies.len(), touching, body_starts, rows, |row, emit| {
            let [a, b] = row.bodies.map(|b| b as usize);
            emit(a, 1.0);
            if a != b {
                emit(b, -1.0);
            }
        });
    }
}

/// What stands in a list: a row, and a weight where that matters.
trait Entry: Clone + Default {
    fn of(row: u32, weight: Real) -> Self;
}

impl Default for Link {
    fn default() -> Self {
        Self { row: 0, weight: 0.0 }
    }
}

impl Entry for Link {
    fn of(row: u32, weight: Real) -> Self {
        Self { row, weight }
    }
}

impl Entry for u32 {
    fn of(row: u32, _: Real) -> Self {
        row
    }
}

/// Rows by what they hold, in one counting pass.
fn sort_out<E: Entry>(
    count: usize,
    touching: &[Touching],
    starts: &mut Vec<u32>,
    entries: &mut Vec<E>,
    each: impl Fn(&Touching, &mut dyn FnMut(usize, Real)),
) {
    starts.clear();
    starts.resize(count + 2, 0);
    touching.iter().for_each(|row| each(row, &mut |k, _| starts[k + 2] += 1));
    (2..count + 2).for_each(|k| starts[k] += starts[k - 1]);
    entries.clear();
    entries.resize(starts[count + 1] as usize, E::default());
    for (r, row) in touching.iter().enumerate() {
        each(row, &mut |k, weight| {
            let next = &mut starts[k + 1];
            entries[*next as usize] = E::of(r as u32, weight);
            *next += 1;
        });
    }
}

/// The vertices that a row holds, each with its weight, positive on side A.
pub(crate) fn each_vertex(row: &Touching, emit: &mut dyn FnMut(usize, Real)) {
    for (side, sign) in row.sides.iter().zip([1.0, -1.0]) {
        match side {
            Side::Soft(ends, weights) => {
                let held = ends.iter().zip(weights).filter(|(_, w)| **w != 0.0);
                held.for_each(|(v, w)| emit(v.at(), sign * w));
            }
            Side::Face(corners, weights) => {
                let held = corners.iter().zip(weights).filter(|(_, w)| **w != 0.0);
                held.for_each(|(v, w)| emit(v.at(), sign * w));
            }
            Side::Rigid(..) => {}
        }
    }
}

/// Where everything is, and the rows at work there.
pub(crate) struct Contacts<'a> {
    /// One per vertex \[m\].
    pub pos: &'a mut [Vec3],
    /// One per rigid frame.
    pub pose: &'a [Pose],
    pub touching: &'a [Touching],
    pub links: &'a Links,
}

impl Contacts<'_> {
    /// Potential of all rows of a body \[J\].
    pub fn potential(&self, body: usize) -> Real {
        let rows = self.links.rows_of(body).iter().map(|r| &self.touching[*r as usize]);
        rows.map(|row| row.potential(row.between(self.pos, self.pose))).sum()
    }

    /// Whether any row holds a body.
    pub fn any(&self, body: usize) -> bool {
        !self.links.rows_of(body).is_empty()
    }

    /// Force of all rows on a vertex \[N\].
    pub fn force(&self, vertex: usize) -> Vec3 {
        let force = |link: &Link| {
            let row = &self.touching[link.row as usize];
            row.answer(row.between(self.pos, self.pose)).force * link.weight
        };
        self.links.of(vertex).iter().map(force).sum()
    }
}
