//! Neighbours of one body: whether faces around a common point meet beyond it.
//!
//! Nine tenths of all pairs of overlapping boxes within a body are neighbours at a corner or a side, and nearly none of
//! them meet. Instead of looking at every pair, a star is proved to be sound as a whole:
//!
//! **Theorem.** Let the faces around a point v close up (every side at v has two of them, which agree on their
//! orientation), let all of them face a direction d, and let some direction square to d be covered once by their
//! shadows along d. Then no two of them meet beyond what they share. *Proof.* The shadows are sectors around that of v,
//! each of a positive angle below a half turn, each beginning where another ends; so they go around v a whole number of
//! times, the same for every direction, which is once. Sectors that tile a turn have only borders in common, which are
//! the shadows of shared sides; and faces, standing over their shadows one to one, meet only where these do.
//!
//! Signs count only where they exceed their rounding; whatever is not proved is decided pair by pair.

use super::{Shells, repeats};
use crate::meet::{ROUNDING, UNDERFLOW};
use crate::{Real, Vec3};

/// The stars of a body that is searched for meetings with itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Stars {
    centres: Vec<Star>,
    /// Faces of the stars, one star after the other.
    faces: Vec<u32>,
    /// Of each face, the two corners that follow the centre.
    links: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Star {
    centre: u32,
    /// Behind its last face.
    end: u32,
    /// Whether every side at the centre has two faces that agree.
    closed: bool,
}

impl Stars {
    /// Of a body's sound triangles. O(n log n).
    pub(super) fn of(shells: &Shells, body: usize) -> Self {
        let mut corners: Vec<(u32, u32, [u32; 2])> = shells
            .range(body)
            .map(|t| (t, shells.triangles[t as usize]))
            .filter(|(_, corners)| !repeats(corners))
            .flat_map(|(t, [a, b, c])| [(a, t, [b, c]), (b, t, [c, a]), (c, t, [a, b])])
            .collect();
        corners.sort_unstable();
        let mut all = Self::default();
        for star in corners.chunk_by(|a, b| a.0 == b.0) {
            all.faces.extend(star.iter().map(|(_, face, _)| *face));
            all.links.extend(star.iter().map(|(_, _, link)| *link));
            let end = all.faces.len() as u32;
            all.centres.push(Star { centre: star[0].0, end, closed: closes(star.iter().map(|s| s.2)) });
        }
        all
    }

    /// Every pair of faces with a common point that is not proved to meet in no other. A pair may come twice.
    pub(super) fn doubtful(&self, points: &[Vec3], mut report: impl FnMut(u32, u32)) {
        let mut start = 0;
        for star in &self.centres {
            let range = start..star.end as usize;
            start = range.end;
            if star.closed && is_fan(star.centre, &self.links[range.clone()], points) {
                continue;
            }
            let faces = &self.faces[range];
            for (k, i) in faces.iter().enumerate() {
                faces[k + 1..].iter().for_each(|j| report(*i, *j));
            }
        }
    }
}

/// Whether every corner that begins a link ends exactly one other, and is met no more.
fn closes(links: impl Iterator<Item = [u32; 2]> + Clone) -> bool {
    let sorted = |k: usize| {
        let mut ends: Vec<u32> = links.clone().map(|l| l[k]).collect();
        ends.sort_unstable();
        ends
    };
    let (first, second) = (sorted(0), sorted(1));
    first == second && first.windows(2).all(|w| w[0] != w[1])
}

/// Whether a closed star is proved by the theorem, with d the sum of the faces' areas.
fn is_fan(centre: u32, links: &[[u32; 2]], points: &[Vec3]) -> bool {
    let c = points[centre as usize];
    let arm = |i: u32| points[i as usize] - c;
    let d: Vec3 = links.iter().map(|[p, q]| arm(*p).cross(arm(*q))).sum();
    // Any direction does; this one is covered by the first face, and by no side in meshes that are regular.
    let [p, q] = links[0].map(arm);
    let along = 0.381_966 * p + 0.618_034 * q;
    let mut covers = 0;
    for [u, v] in links.iter().map(|link| link.map(arm)) {
        match (triple(d, u, v), triple(d, u, along), triple(d, along, v)) {
            (1, 1, 1) => covers += 1,
            (1, -1, _) | (1, _, -1) => {}
            _ => return false,
        }
    }
    covers == 1
}

/// The sign of d · (u × v) where u and v are rounded differences and d is any vector; 0 where it is not certain.
#[inline]
fn triple(d: Vec3, u: Vec3, v: Vec3) -> i8 {
    let left = Vec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
    let right = Vec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
    let volume: Real = d.dot(left - right);
    let doubt = d.abs().dot(left.abs() + right.abs()) * ROUNDING + UNDERFLOW;
    i8::from(volume > doubt) - i8::from(volume < -doubt)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A star of `n` faces around the origin that goes `turns` times around, with a rim at a height.
    fn star(n: u32, turns: u32, height: Real) -> (Vec<[u32; 2]>, Vec<Vec3>) {
        let at = |k: u32| {
            let angle = core::f64::consts::TAU * Real::from(k * turns) / Real::from(n);
            Vec3::new(libm::cos(angle), libm::sin(angle), height)
        };
        let points = core::iter::once(Vec3::ZERO).chain((0..n).map(at)).collect();
        ((0..n).map(|k| [1 + k, 1 + (k + 1) % n]).collect(), points)
    }

    #[test]
    fn stars_that_go_around_once_are_proved_and_others_are_not() {
        for (n, turns, height, wanted) in [
            (3, 1, 0.5, true),
            (6, 1, 0.0, true),
            (6, 1, -3.0, true),
            (40, 1, 2.0, true),
            (5, 2, 0.0, false),
            (9, 2, 0.4, false),
            (7, 3, 0.1, false),
        ] {
            let (mut links, points) = star(n, turns, height);
            assert!(closes(links.iter().copied()));
            assert_eq!(is_fan(0, &links, &points), wanted, "{n} faces, {turns} turns");
            links.rotate_left(2);
            assert_eq!(is_fan(0, &links, &points), wanted, "{n} faces, {turns} turns, turned");
            assert!(!closes(links[1..].iter().copied()), "open");
        }
        let (links, mut points) = star(6, 1, 0.0);
        points[3] = Vec3::new(0.5, 0.2, 0.3);
        assert!(!is_fan(0, &links, &points), "one face over another");
        points[3] = Vec3::NAN;
        assert!(!is_fan(0, &links, &points), "not a number");
    }
}
