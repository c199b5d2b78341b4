//! All intersecting pairs of triangles of n surfaces that deform: the search of three kinds.
//!
//! [`Collider`] is the one to use: refitted trees of patches, candidates kept while nothing has moved far, exact
//! decisions. [`Cascade`] is the published cell–object–primitive search, kept to compare with, and [`every_meeting`]
//! looks at every pair. All three answer the same, in the same order.

mod cascade;
mod collider;
mod patches;
mod stars;

pub use cascade::Cascade;
pub use collider::{Collider, PAIRS_MAX};

use crate::meet::{Face, Triangle, meet_beyond_corner, meet_beyond_edge, triangles_meet};
use crate::{BodyId, Vec3};

/// Two triangles that have a point in common. Pairs are ordered by their fields: bodies and faces of the first, then of
/// the second; the first is of the smaller body, and of one body the smaller face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meeting {
    /// Body and face of the first triangle; faces are numbered within their body, in the order given.
    pub a: (BodyId, u32),
    /// Body and face of the second one.
    pub b: (BodyId, u32),
}

/// Whether a body is searched for meetings with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// It is: pairs of its faces that share a corner or a side count where they meet beyond it, and faces that have a
    /// corner twice take no part.
    Found,
    /// It is not.
    Ignored,
}

/// The triangles of n bodies over one array of points: the part that stays while the points move.
#[derive(Clone, Debug, Default)]
pub struct Shells {
    /// Corners of all triangles, body after body, as numbers of points.
    triangles: Vec<[u32; 3]>,
    /// Behind the last triangle of each body.
    ends: Vec<u32>,
    own: Vec<Own>,
}

impl Shells {
    /// Adds a body. Its corners are numbers in the array of points that searches are given, whose length they must not
    /// reach; bodies may share points, and then touch there. There must be fewer than 2³² triangles together.
    pub fn add(&mut self, triangles: &[[u32; 3]], own: Own) -> BodyId {
        self.triangles.extend_from_slice(triangles);
        self.ends.push(self.triangles.len() as u32);
        self.own.push(own);
        BodyId::from(self.own.len() - 1)
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.own.len()
    }

    /// The corners of a body's triangle, as numbers of points.
    pub fn corners(&self, body: BodyId, face: u32) -> [u32; 3] {
        self.triangles[(self.range(body.at()).start + face) as usize]
    }

    /// Numbers of a body's triangles among all.
    fn range(&self, body: usize) -> core::ops::Range<u32> {
        let start = if body == 0 { 0 } else { self.ends[body - 1] };
        start..self.ends[body]
    }

    /// The body of a triangle.
    fn body_of(&self, triangle: u32) -> usize {
        self.ends.partition_point(|end| *end <= triangle)
    }

    /// The corners of a triangle.
    #[inline]
    fn at(&self, triangle: u32, points: &[Vec3]) -> Triangle {
        let [a, b, c] = self.triangles[triangle as usize];
        [points[a as usize], points[b as usize], points[c as usize]]
    }

    fn meeting(&self, i: u32, j: u32) -> Meeting {
        let named = |t: u32| {
            let body = self.body_of(t);
            (BodyId::from(body), t - self.range(body).start)
        };
        Meeting { a: named(i), b: named(j) }
    }

    /// Whether a pair of one body is asked for.
    fn asks(&self, body: usize, i: u32, j: u32) -> bool {
        let sound = |t: u32| !repeats(&self.triangles[t as usize]);
        self.own[body] == Own::Found && sound(i) && sound(j)
    }

    /// Whether two triangles have no corner in common, by number.
    fn share_nothing(&self, i: u32, j: u32) -> bool {
        let (a, b) = (&self.triangles[i as usize], &self.triangles[j as usize]);
        !a.iter().any(|v| b.contains(v))
    }
}

/// Every pair of triangles that meet, ascending: the slow twin. O(n²) in the number of triangles.
pub fn every_meeting(shells: &Shells, points: &[Vec3]) -> Vec<Meeting> {
    let mut all = Vec::new();
    for a in 0..shells.bodies() {
        for i in shells.range(a) {
            for b in a..shells.bodies() {
                let others = if a == b { i + 1..shells.range(a).end } else { shells.range(b) };
                let meet = |j: &u32| match a == b {
                    true => shells.asks(a, i, *j) && own_meet(shells, points, i, *j),
                    false => triangles_meet(&shells.at(i, points), &shells.at(*j, points)),
                };
                all.extend(others.filter(meet).map(|j| shells.meeting(i, j)));
            }
        }
    }
    all
}

/// Whether two triangles of one body meet beyond what they share.
fn own_meet(shells: &Shells, points: &[Vec3], i: u32, j: u32) -> bool {
    let (a, b) = (shells.at(i, points), shells.at(j, points));
    let turned = |t: &Triangle, k: usize| [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
    match Shared::of(&shells.triangles[i as usize], &shells.triangles[j as usize]) {
        Shared::Nothing => triangles_meet(&a, &b),
        Shared::Corner(k, l) => meet_beyond_corner(&turned(&a, k), &turned(&b, l)),
        Shared::Side(k, l) => meet_beyond_edge([a[(k + 1) % 3], a[(k + 2) % 3]], a[k], b[l]),
        Shared::All => a.iter().all(|p| p.is_finite()),
    }
}

/// The same of triangles that are prepared.
fn own_faces_meet(a: (&[u32; 3], &Face), b: (&[u32; 3], &Face)) -> bool {
    match Shared::of(a.0, b.0) {
        Shared::Nothing => a.1.meets(b.1),
        Shared::Corner(k, l) => a.1.meets_beyond_corner(k, b.1, l),
        Shared::Side(k, l) => a.1.meets_beyond_edge(k, b.1, l),
        Shared::All => true,
    }
}

/// What two triangles have in common by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shared {
    Nothing,
    /// Which corner of each it is.
    Corner(usize, usize),
    /// Which corner of each is not on it.
    Side(usize, usize),
    All,
}

impl Shared {
    /// Of triangles without repeated corners.
    fn of(a: &[u32; 3], b: &[u32; 3]) -> Self {
        let bits = |of: &[u32; 3], other: &[u32; 3]| {
            of.iter().enumerate().fold(0u8, |bits, (k, v)| bits | (u8::from(other.contains(v)) << k))
        };
        let (in_a, in_b) = (bits(a, b), bits(b, a));
        let first = |bits: u8| bits.trailing_zeros() as usize;
        match in_a.count_ones() {
            0 => Self::Nothing,
            1 => Self::Corner(first(in_a), first(in_b)),
            2 => Self::Side(first(!in_a), first(!in_b)),
            _ => Self::All,
        }
    }
}

/// Whether a triangle has a corner twice, by number.
fn repeats([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || a == c
}

#[cfg(test)]
mod tests;
