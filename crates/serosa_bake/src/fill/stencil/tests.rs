//! The bounds on all angles, searched for a counterexample.

use super::*;
use serosa_geometry::{Real, Vec3, tets::Tets};
use std::cell::RefCell;

/// A tetrahedron of the lattice: two centres, and the edge between their cells.
const KEYS: [[i32; 3]; 4] = [[1, 1, 1], [3, 1, 1], [2, 2, 0], [2, 2, 2]];

fn place(key: [i32; 3]) -> Vec3 {
    Vec3::from(key.map(f64::from))
}

/// The fourteen edges of a lattice point.
fn edges() -> Vec<(Vec3, Real)> {
    let mut edges = Vec::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        edges.extend([(axis * 2.0, WARP_LONG), (axis * -2.0, WARP_LONG)]);
    }
    for k in 0..8 {
        let sign = |bit: i32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        edges.push((Vec3::new(sign(0), sign(1), sign(2)), WARP_SHORT));
    }
    edges
}

/// Everything that may be chosen: sides, which edge each warped corner went along and how far, where edges are cut.
#[derive(Clone)]
struct Choice {
    mirrored: bool,
    sides: [Side; 4],
    along: [usize; 4],
    warp: [Real; 4],
    cut: [[Real; 4]; 4],
}

impl Choice {
    /// Smallest and greatest angle of what the stencil gives \[degrees\].
    fn angles(&self) -> Option<(Real, Real)> {
        let mut keys = KEYS;
        if self.mirrored {
            keys.iter_mut().for_each(|k| k[0] = 4 - k[0]);
            keys.swap(2, 3);
        }
        let mut points: Vec<Vec3> = keys.iter().map(|k| place(*k)).collect();
        for slot in (0..4).filter(|s| self.sides[*s] == Side::On) {
            let (edge, most) = edges()[self.along[slot]];
            points[slot] += edge * (most * self.warp[slot]);
        }
        if !self.is_possible(&keys) {
            return None;
        }
        let points = RefCell::new(points);
        let crossing = |p: usize, m: usize| {
            let most = if p ^ 1 == m { WARP_LONG } else { WARP_SHORT };
            let at = place(keys[p]).lerp(place(keys[m]), most + (1.0 - 2.0 * most) * self.cut[p][m]);
            let mut points = points.borrow_mut();
            // Asked for twice, it must be one point, as in the mesh.
            let known = points.iter().position(|p| *p == at);
            known.unwrap_or_else(|| {
                points.push(at);
                points.len() - 1
            }) as u32
        };
        let corners = Corners { points: [0, 1, 2, 3], sides: self.sides, keys, crossing: &crossing };
        let mut tets = Vec::new();
        corners.fill(|t| tets.push(t));
        let facts = Tets::of(&points.borrow(), &tets);
        assert!(facts.inverted.is_empty() && facts.flat.is_empty(), "{:?}", self.sides);
        Some((facts.least_angle?.to_degrees(), facts.greatest_angle?.to_degrees()))
    }
}

impl Choice {
    /// Whether corners can have moved so: along an edge to a corner of the other sign, and not two towards one another,
    /// since an edge is no longer cut once an end of it has moved.
    fn is_possible(&self, keys: &[[i32; 3]; 4]) -> bool {
        let towards = |slot: usize| {
            let at = place(keys[slot]) + edges()[self.along[slot]].0;
            let moved = self.sides[slot] == Side::On && self.warp[slot] > 0.0;
            (0..4).find(|other| moved && place(keys[*other]) == at)
        };
        let towards = [0, 1, 2, 3].map(towards);
        let mutual = (0..4).any(|s| towards[s].is_some_and(|other| towards[other] == Some(s)));
        let fits = |signs: usize| {
            (0..4).all(|s| {
                let inside = signs >> s & 1 == 1;
                let kept = self.sides[s] == Side::On || inside == (self.sides[s] == Side::Inside);
                kept && towards[s].is_none_or(|other| inside != (signs >> other & 1 == 1))
            })
        };
        !mutual && (0..16).any(fits)
    }
}

/// A small generator: the search must be the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    /// Often an end of the range, where extremes are.
    fn extreme(&mut self) -> Real {
        let x = self.roll();
        if x < 0.3 {
            0.0
        } else if x < 0.6 {
            1.0
        } else {
            self.roll()
        }
    }

    fn change(&mut self, of: &Choice) -> Choice {
        let mut new = of.clone();
        for slot in 0..4 {
            if self.roll() < 0.3 {
                new.along[slot] = (self.roll() * 14.0) as usize;
            }
            if self.roll() < 0.3 {
                new.warp[slot] = self.extreme();
            }
            for other in 0..4 {
                if self.roll() < 0.2 {
                    new.cut[slot][other] = self.extreme();
                }
            }
        }
        new
    }
}

#[test]
fn no_angle_is_beyond_the_bounds() {
    let mut dice = Dice(7);
    let all = [Side::Inside, Side::On, Side::Outside];
    let (mut least, mut greatest): (Real, Real) = (180.0, 0.0);
    for (case, mirrored) in (0..81).flat_map(|c| [(c, false), (c, true)]) {
        let sides = [case % 3, case / 3 % 3, case / 9 % 3, case / 27].map(|s| all[s]);
        for goal in [-1.0, 1.0] {
            let mut best = Choice { mirrored, sides, along: [0; 4], warp: [0.0; 4], cut: [[0.5; 4]; 4] };
            for _ in 0..1200 {
                let next = dice.change(&best);
                let (Some(old), Some(new)) = (best.angles(), next.angles()) else { continue };
                let worse = if goal < 0.0 { new.0 <= old.0 } else { new.1 >= old.1 };
                best = if worse { next } else { best };
            }
            let (low, high) = best.angles().unwrap_or((90.0, 90.0));
            (least, greatest) = (least.min(low), greatest.max(high));
        }
    }
    assert!(least >= LEAST_ANGLE && greatest <= GREATEST_ANGLE, "{least} {greatest}");
    // The search comes near the bounds, so it would see them broken.
    assert!(least < LEAST_ANGLE + 0.2 && greatest > GREATEST_ANGLE - 0.2, "{least} {greatest}");
}
