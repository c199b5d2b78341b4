//! Constraints of a quadratic programme: sparse rows of few vertices each.

use crate::{Real, Vec3};

/// What of a direction, over the largest of its row, is taken for rounding.
const CANCELLED: Real = 1e-13;

/// What a row asks of its velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// J v ≥ c, λ ≥ 0.
    AtLeast,
    /// J v = c.
    Equal,
    /// J v ≥ c, λ ≥ 0, and the two rows behind it are its [`Kind::Slip`]s.
    Contact {
        /// Coulomb's coefficient: the slips' impulse is at most that many times λ.
        friction: Real,
    },
    /// One of the two directions across a contact's normal; c is the slip that counts as none.
    Slip,
}

/// One vertex of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Which.
    pub vertex: u32,
    /// What its velocity is multiplied with.
    pub direction: [Real; 3],
}

/// Rows J, c. Cleared and filled in every step; keeps its room.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    ends: Vec<u32>,
    terms: Vec<Term>,
    asked: Vec<Real>,
    kinds: Vec<Kind>,
}

impl Rows {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.terms.clear();
        self.asked.clear();
        self.kinds.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Adds a row that is no contact: Σ direction · v(vertex) ≥ or = `asked`.
    pub fn push(&mut self, terms: impl IntoIterator<Item = Term>, asked: Real, equal: bool) {
        self.row(terms, asked, if equal { Kind::Equal } else { Kind::AtLeast });
    }

    /// Adds a contact: a normal row `n · Σ weight v(vertex) ≥ asked`, and with friction two rows across it. The normal
    /// is a unit vector.
    pub fn push_contact(&mut self, weights: &[(u32, Real)], normal: Vec3, asked: Real, friction: Real) {
        let along = |d: Vec3| {
            let term =
                move |(vertex, w): &(u32, Real)| Term { vertex: *vertex, direction: (d * *w).to_array() };
            weights.iter().map(term)
        };
        self.push_contact_along(along, normal, asked, friction);
    }

    /// The same for points of any kind: `along` gives the terms by which they move along a direction.
    pub fn push_contact_along<I: IntoIterator<Item = Term>>(
        &mut self,
        along: impl Fn(Vec3) -> I,
        normal: Vec3,
        asked: Real,
        friction: Real,
    ) {
        if friction <= 0.0 {
            return self.row(along(normal), asked, Kind::AtLeast);
        }
        self.row(along(normal), asked, Kind::Contact { friction });
        for across in Self::across(normal) {
            self.row(along(across), 0.0, Kind::Slip);
        }
    }

    /// The directions of the two slips of a contact with friction.
    pub fn across(normal: Vec3) -> [Vec3; 2] {
        let across = normal.any_orthonormal_vector();
        [across, normal.cross(across)]
    }

    fn row(&mut self, terms: impl IntoIterator<Item = Term>, asked: Real, kind: Kind) {
        self.terms.extend(terms);
        self.ends.push(self.terms.len() as u32);
        self.asked.push(asked);
        self.kinds.push(kind);
    }

    /// The vertices of a row.
    pub fn terms(&self, row: usize) -> &[Term] {
        let from = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        &self.terms[from..self.ends[row] as usize]
    }

    /// What each row asks, c.
    pub fn asked(&self) -> &[Real] {
        &self.asked
    }

    /// What kind each row is.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// J v of one row; `v` is over all vertices.
    #[inline]
    pub fn velocity(&self, row: usize, v: &[Real]) -> Real {
        let dot = |t: &Term| {
            let (at, d) = (3 * t.vertex as usize, t.direction);
            d[0] * v[at] + d[1] * v[at + 1] + d[2] * v[at + 2]
        };
        self.terms(row).iter().map(dot).sum()
    }

    /// Whether a row moves anything: its vertices are not all held, and those that come twice do not cancel.
    pub(super) fn moves(&self, row: usize, free: impl Fn(u32) -> bool) -> bool {
        let terms = self.terms(row);
        let most = terms.iter().flat_map(|t| t.direction).fold(0.0, |m: Real, d| m.max(d.abs()));
        let moved = |t: &Term| {
            let same = |d: usize| terms.iter().filter(|o| o.vertex == t.vertex).map(move |o| o.direction[d]);
            free(t.vertex) && (0..3).any(|d| same(d).sum::<Real>().abs() > CANCELLED * most)
        };
        terms.iter().any(moved)
    }

    /// Adds λ Jᵀ of one row to a vector over all vertices.
    #[inline]
    pub fn push_with(&self, row: usize, lambda: Real, x: &mut [Real]) {
        for t in self.terms(row) {
            let at = 3 * t.vertex as usize;
            (0..3).for_each(|d| x[at + d] += lambda * t.direction[d]);
        }
    }
}
