//! Moves points so that the worst angles around them get better; those of the boundary stay on the surface.

use super::body::Body;
use super::cut::Raw;
use super::faces::{boundary, neighbours};
use serosa_geometry::{Near, Real, Vec3};

/// Around points where every sine is above this nothing is tried: the lattice itself has 0.87.
const GOOD: Real = 0.8;
/// A point that is brought back to the surface may worsen angles down to this sine (20°), not further.
const FAIR: Real = 0.34;
/// Parts of the way to the middle of the neighbours that are tried.
const STEPS: [Real; 3] = [1.0, 0.5, 0.25];
/// A point off the surface by less than this part of an edge is on it.
const ON: Real = 1e-6;

/// Lists of numbers, one for each point.
struct Rows {
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Rows {
    fn of(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; rows + 1];
        pairs.clone().for_each(|(row, _)| starts[row as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let (mut next, mut values) = (starts.clone(), vec![0; starts[rows] as usize]);
        for (row, value) in pairs {
            values[next[row as usize] as usize] = value;
            next[row as usize] += 1;
        }
        Self { starts, values }
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.values[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// A mesh whose points move.
struct Moving<'a> {
    body: &'a Body<'a>,
    raw: &'a mut Raw,
    /// Tetrahedra of each point.
    tets: Rows,
    /// Neighbours of each point of the boundary along it, each twice; none inside.
    rim: Rows,
    /// Points of the boundary, ascending.
    outer: Vec<u32>,
    /// Of each of them the point of the surface found last.
    nears: Vec<Near>,
    /// Length of the smallest edges.
    size: Real,
}

/// Rounds over all points, in their order. O(n) for each, and a few closest points for each point of the boundary.
///
/// No angle gets worse than it was, but for those above 20° near points that come back to the surface.
pub(super) fn smooth(body: &Body, raw: &mut Raw, size: Real, rounds: usize, progress: &mut dyn FnMut(f64)) {
    let faces = boundary(&raw.tets, &neighbours(&raw.tets));
    let of_tets = raw.tets.iter().zip(0..).flat_map(|(tet, t)| tet.map(|p| (p, t)));
    let tets = Rows::of(raw.points.len(), of_tets);
    let along = faces.iter().flat_map(|&([a, b, c], _)| [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)]);
    let rim = Rows::of(raw.points.len(), along);
    let outer: Vec<u32> = (0..raw.points.len() as u32).filter(|p| !rim.row(*p as usize).is_empty()).collect();
    let nears = vec![Near::NOTHING; outer.len()];
    let mut moving = Moving { body, raw, tets, rim, outer, nears, size };
    moving.settle();
    for round in 0..rounds {
        progress(round as Real / rounds as Real);
        moving.improve_outer();
        for p in 0..moving.raw.points.len() {
            moving.improve(p);
        }
    }
    moving.settle();
}

impl Moving<'_> {
    /// Least sine of the angles between faces around a point; not positive where a tetrahedron is inverted.
    fn quality(&self, p: usize) -> Real {
        let worst = |least: Real, t: &u32| least.min(self.raw.least_sine(*t));
        self.tets.row(p).iter().fold(Real::INFINITY, worst)
    }

    /// Brings points of the boundary that have come off the surface back to it.
    fn settle(&mut self) {
        let at: Vec<Vec3> = self.outer.iter().map(|p| self.raw.points[*p as usize]).collect();
        let on = self.body.project(&at, self.size, &mut self.nears);
        for (k, new) in on.into_iter().enumerate() {
            let (p, old) = (self.outer[k] as usize, at[k]);
            let Some(new) = new.filter(|new| new.distance(old) > ON * self.size) else { continue };
            let before = self.quality(p).min(FAIR);
            for step in STEPS {
                self.raw.points[p] = old.lerp(new, step);
                if self.quality(p) >= before {
                    break;
                }
                self.raw.points[p] = old;
            }
        }
    }

    /// Moves points of the boundary along it, to places all chosen before the first moves.
    fn improve_outer(&mut self) {
        let mut left: Vec<usize> = (0..self.outer.len()).collect();
        left.retain(|k| self.quality(self.outer[*k] as usize) <= GOOD);
        for step in STEPS {
            let towards = |k: &usize| {
                let p = self.outer[*k] as usize;
                self.raw.points[p].lerp(self.middle(p), step)
            };
            let at: Vec<Vec3> = left.iter().map(towards).collect();
            let mut nears: Vec<Near> = left.iter().map(|k| self.nears[*k]).collect();
            let on = self.body.project(&at, 0.5 * self.size, &mut nears);
            let mut still = Vec::new();
            for ((k, new), near) in left.iter().zip(on).zip(nears) {
                self.nears[*k] = near;
                let Some(new) = new else { continue };
                if !self.try_at(self.outer[*k] as usize, new) {
                    still.push(*k);
                }
            }
            left = still;
        }
    }

    /// Moves a point within.
    fn improve(&mut self, p: usize) {
        if self.rim.row(p).is_empty() && self.quality(p) <= GOOD {
            let (old, middle) = (self.raw.points[p], self.middle(p));
            STEPS.iter().find(|step| self.try_at(p, old.lerp(middle, **step)));
        }
    }

    /// Moves a point if the worst angle around it gets better.
    fn try_at(&mut self, p: usize, new: Vec3) -> bool {
        let (old, before) = (self.raw.points[p], self.quality(p));
        self.raw.points[p] = new;
        let better = self.quality(p) > before;
        if !better {
            self.raw.points[p] = old;
        }
        better
    }

    /// The middle of the neighbours: along the boundary, or of all.
    fn middle(&self, p: usize) -> Vec3 {
        let place = |q: &u32| self.raw.points[*q as usize];
        let rim = self.rim.row(p);
        if !rim.is_empty() {
            return rim.iter().map(place).sum::<Vec3>() / rim.len() as Real;
        }
        let around = self.tets.row(p);
        let sum: Vec3 = around.iter().flat_map(|t| &self.raw.tets[*t as usize]).map(place).sum();
        let own = self.raw.points[p] * around.len() as Real;
        (sum - own) / (3 * around.len()) as Real
    }
}

impl Raw {
    /// Corners of a tetrahedron.
    fn corners(&self, tet: u32) -> [Vec3; 4] {
        self.tets[tet as usize].map(|p| self.points[p as usize])
    }

    /// Volume of a tetrahedron \[m³\].
    pub fn volume(&self, tet: u32) -> Real {
        let [a, b, c, d] = self.corners(tet);
        (b - a).dot((c - a).cross(d - a)) / 6.0
    }

    /// The least sine of its angles between faces; not positive where it is inverted.
    ///
    /// Of two faces with area vectors m and n, |m × n| is the length of their edge times 6 volumes.
    fn least_sine(&self, tet: u32) -> Real {
        let [a, b, c, d] = self.corners(tet);
        let (ab, ac, ad, bc, bd, cd) = (b - a, c - a, d - a, c - b, d - b, d - c);
        let volume = ab.dot(ac.cross(ad));
        let [fa, fb, fc, fd] =
            [bc.cross(bd), ac.cross(ad), ab.cross(ad), ab.cross(ac)].map(|n| n.length_squared());
        let pairs =
            [(cd, fa * fb), (bd, fa * fc), (bc, fa * fd), (ad, fb * fc), (ac, fb * fd), (ab, fc * fd)];
        let least = pairs.iter().fold(Real::INFINITY, |least, (e, f)| least.min(e.length_squared() / f));
        volume * least.sqrt()
    }
}
