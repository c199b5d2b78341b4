//! What is kept of one tetrahedron of the lattice, given on which side of the surface its corners are.
//!
//! After Labelle and Shewchuk, ACM Trans. Graph. 26 (2007). Corners 0 and 1 are the ends of one long edge,
//! 2 and 3 of the other; the four edges between them are short.

/// Longest part of a long edge by which a corner is moved onto the surface.
pub(super) const WARP_LONG: f64 = 0.28;
/// Of a short edge.
///
/// Both were found by a search for the worst angles that any surface can make, as the test beside this makes one. It
/// lets each corner move by itself along any of its edges, as long as an edge is not used from both ends; under that rule
/// the pair published, 0.24999 and 0.41189, leaves angles of 9.3°.
pub(super) const WARP_SHORT: f64 = 0.4;
/// No angle between faces of what is kept is below this \[degrees\]: the worst that the search found, which is no proof.
/// Smoothing makes no sine of an angle worse than it was.
pub const LEAST_ANGLE: f64 = 10.5;
/// Nor above this, before points are smoothed.
pub const GREATEST_ANGLE: f64 = 163.8;

/// On which side of the surface a corner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

/// A tetrahedron of the lattice, of positive volume.
pub(super) struct Corners<'a> {
    /// Numbers of the corners.
    pub points: [u32; 4],
    /// Of each.
    pub sides: [Side; 4],
    /// Places in the lattice.
    pub keys: [[i32; 3]; 4],
    /// The point at which the surface crosses the edge from a corner inside to one outside, by slots.
    pub crossing: &'a dyn Fn(usize, usize) -> u32,
}

/// Two corners of a prism above one another.
#[derive(Clone, Copy)]
struct Column {
    top: u32,
    bottom: u32,
}

impl Corners<'_> {
    /// Hands out the tetrahedra that fill the part inside. None where no corner is inside.
    pub fn fill(&self, mut emit: impl FnMut([u32; 4])) {
        let (plus, minus) = (self.slots(Side::Inside), self.slots(Side::Outside));
        match (plus.as_slice(), minus.as_slice()) {
            ([], _) => {}
            (_, []) => emit(self.points),
            ([p], _) => {
                let mut tet = self.points;
                minus.as_slice().iter().for_each(|m| tet[*m] = (self.crossing)(*p, *m));
                emit(tet);
            }
            ([p, q], [m]) => self.fill_pyramid([*p, *q], *m, &mut emit),
            ([p, q], [m, n]) => self.fill_wedge([*p, *q], [*m, *n], &mut emit),
            _ => self.fill_frustum(&plus.0, minus.0[0], &mut emit),
        }
    }

    /// Two corners inside, one on the surface.
    fn fill_pyramid(&self, [p, q]: [usize; 2], m: usize, emit: &mut impl FnMut([u32; 4])) {
        let (x, y) = if self.is_before(p, q, m) { (p, q) } else { (q, p) };
        let (mut near, mut far) = (self.points, self.points);
        near[m] = (self.crossing)(y, m);
        (far[y], far[m]) = (near[m], (self.crossing)(x, m));
        emit(near);
        emit(far);
    }

    /// Two corners inside, two outside.
    fn fill_wedge(&self, [p, q]: [usize; 2], [m, n]: [usize; 2], emit: &mut impl FnMut([u32; 4])) {
        let over = Column { top: self.points[p], bottom: self.points[q] };
        let column = |m| Column { top: (self.crossing)(p, m), bottom: (self.crossing)(q, m) };
        // The two diagonals at the edge inside leave from different ends (that is what the parity is for), so that
        // the order of all three columns is known.
        match self.is_before(p, q, m) {
            true => fill_prism([column(n), over, column(m)], is_even([n, p, m, q]), emit),
            false => fill_prism([column(m), over, column(n)], is_even([m, p, n, q]), emit),
        }
    }

    /// Three corners inside, one outside.
    fn fill_frustum(&self, plus: &[usize; 4], m: usize, emit: &mut impl FnMut([u32; 4])) {
        let mut order = [plus[0], plus[1], plus[2]];
        order.sort_unstable_by(|x, y| match (x == y, self.is_before(*x, *y, m)) {
            (true, _) => core::cmp::Ordering::Equal,
            (_, true) => core::cmp::Ordering::Less,
            _ => core::cmp::Ordering::Greater,
        });
        let column = |x: usize| Column { top: self.points[x], bottom: (self.crossing)(x, m) };
        let [x, y, z] = order;
        fill_prism(order.map(column), is_even([x, y, z, m]), emit);
    }

    /// Which diagonal cuts what is left of a face with corners `x` and `y` inside and `m` outside: from `x` to the
    /// crossing beyond `y` (true), or from `y`.
    ///
    /// Both tetrahedra at the face must agree. Where one of the cut edges is long, the diagonal ends on it. Where both are
    /// short, it leaves from the end that exceeds `m` in an odd number of coordinates: so the diagonals of faces that are
    /// neighbours around a long edge leave from different ends.
    fn is_before(&self, x: usize, y: usize, m: usize) -> bool {
        if y ^ 1 == m || x ^ 1 == m {
            return y ^ 1 == m;
        }
        let greater = self.keys[x].iter().zip(&self.keys[m]).filter(|(a, b)| a > b).count();
        greater % 2 == 1
    }

    fn slots(&self, side: Side) -> Slots {
        let (mut slots, mut count) = ([0; 4], 0);
        for (slot, _) in self.sides.iter().enumerate().filter(|(_, s)| **s == side) {
            slots[count] = slot;
            count += 1;
        }
        Slots(slots, count)
    }
}

/// A few of the four slots, ascending.
struct Slots([usize; 4], usize);

impl Slots {
    fn as_slice(&self) -> &[usize] {
        &self.0[..self.1]
    }
}

/// Cuts a prism into three: the diagonal between two columns leads from the top of the earlier to the bottom of the
/// later.
fn fill_prism([a, b, c]: [Column; 3], positive: bool, emit: &mut impl FnMut([u32; 4])) {
    let tets = [
        [a.top, b.top, c.top, c.bottom],
        [a.top, b.top, c.bottom, b.bottom],
        [a.top, b.bottom, c.bottom, a.bottom],
    ];
    for [p, q, r, s] in tets {
        emit(if positive { [p, q, r, s] } else { [p, q, s, r] });
    }
}

/// Whether an order of the four slots keeps the sign of the volume.
fn is_even(order: [usize; 4]) -> bool {
    let swaps = (0..4).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|(j, i)| order[*j] > order[*i]);
    swaps.count() % 2 == 0
}

#[cfg(test)]
mod tests;
