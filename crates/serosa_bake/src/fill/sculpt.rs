//! Makes the boundary a manifold: no edge of more than two faces, no point at which two sheets of it touch.
//!
//! Where the body is thinner than the lattice, its parts may touch in a point or along an edge, through which no force
//! is passed in any sensible way. All but the largest part at such a place are removed: angles stay as they are. To
//! double the points there was refused: parts would begin at no distance from one another.

use super::cut::Raw;
use super::faces::{NONE, Sets, boundary, neighbours};

/// Sculpts; answers how many tetrahedra were removed. O(n log n) for each round; one or two are usual.
pub(super) fn sculpt(raw: &mut Raw) -> usize {
    let before = raw.tets.len();
    loop {
        let beyond = neighbours(&raw.tets);
        let mut removed = smaller_stars(raw, &beyond);
        if !removed.contains(&true) {
            removed = smaller_sheets(raw, &beyond);
        }
        if !removed.contains(&true) {
            return before - raw.tets.len();
        }
        let mut removed = removed.iter();
        raw.tets.retain(|_| !removed.next().is_some_and(|r| *r));
    }
}

/// What to remove so that each edge of the boundary has two faces; or, where it is so, that no point pinches it.
fn smaller_sheets(raw: &Raw, beyond: &[[u32; 4]]) -> Vec<bool> {
    let faces: Vec<[u32; 3]> = boundary(&raw.tets, beyond).into_iter().map(|f| f.0).collect();
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (face, f) in faces.iter().zip(0..) {
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            edges.push(([a.min(b), a.max(b)], 4 * f + k as u32));
        }
    }
    edges.sort_unstable();
    let groups = || edges.chunk_by(|a, b| a.0 == b.0);
    let crowded: Vec<[u32; 2]> = groups().filter(|g| g.len() > 2).map(|g| g[0].0).collect();
    match crowded.is_empty() {
        false => smaller_fans(raw, beyond, &crowded),
        true => pinched_stars(raw, &faces, groups()),
    }
}

/// Around points where tetrahedra hang together in several parts, all but the largest part.
fn smaller_stars(raw: &Raw, beyond: &[[u32; 4]]) -> Vec<bool> {
    let mut sets = Sets::new(4 * raw.tets.len());
    for ((tet, beyond), t) in raw.tets.iter().zip(beyond).zip(0u32..) {
        for other in beyond.iter().filter(|b| **b != NONE && **b > t) {
            let there = raw.tets[*other as usize];
            for (p, k) in tet.iter().zip(0u32..) {
                if let Some(l) = there.iter().position(|q| q == p) {
                    sets.join(4 * t + k, 4 * other + l as u32);
                }
            }
        }
    }
    let mut volume = vec![0.0; 4 * raw.tets.len()];
    for t in 0..raw.tets.len() as u32 {
        (0..4).for_each(|k| volume[sets.find(4 * t + k) as usize] += raw.volume(t));
    }
    let mut largest = vec![NONE; raw.points.len()];
    for (p, corner) in raw.tets.iter().flatten().zip(0u32..) {
        let (part, best) = (sets.find(corner), &mut largest[*p as usize]);
        if *best == NONE || volume[part as usize] > volume[*best as usize] {
            *best = part;
        }
    }
    let mut corner = 0..;
    let mut is_smaller = |p: u32| corner.next().is_some_and(|c| sets.find(c) != largest[p as usize]);
    raw.tets.iter().map(|tet| tet.map(&mut is_smaller).contains(&true)).collect()
}

/// Of the fans of tetrahedra around each crowded edge all but the largest.
fn smaller_fans(raw: &Raw, beyond: &[[u32; 4]], crowded: &[[u32; 2]]) -> Vec<bool> {
    let mut at = vec![false; raw.points.len()];
    crowded.iter().flatten().for_each(|p| at[*p as usize] = true);
    // Edges and the tetrahedra around them.
    let mut around: Vec<([u32; 2], u32)> = Vec::new();
    for (tet, t) in raw.tets.iter().zip(0u32..) {
        for (p, q) in tet.iter().flat_map(|p| tet.iter().map(move |q| (p, q))) {
            let edge = [*p, *q];
            if p < q && at[*p as usize] && at[*q as usize] && crowded.binary_search(&edge).is_ok() {
                around.push((edge, t));
            }
        }
    }
    around.sort_unstable();
    let mut removed = vec![false; raw.tets.len()];
    for group in around.chunk_by(|a, b| a.0 == b.0) {
        let mut sets = Sets::new(group.len());
        for (i, (edge, t)) in group.iter().enumerate() {
            for (k, other) in beyond[*t as usize].iter().enumerate() {
                // Across faces that have the edge, which are opposite to corners that it has not.
                let shares = !edge.contains(&raw.tets[*t as usize][k]);
                if let Some(j) = group.iter().position(|(_, u)| shares && u == other) {
                    sets.join(i as u32, j as u32);
                }
            }
        }
        let mut volume = vec![0.0; group.len()];
        for (i, (_, t)) in group.iter().enumerate() {
            volume[sets.find(i as u32) as usize] += raw.volume(*t);
        }
        let largest = (0..group.len()).fold(0, |best, i| if volume[i] > volume[best] { i } else { best });
        for (i, (_, t)) in group.iter().enumerate() {
            removed[*t as usize] |= sets.find(i as u32) != largest as u32;
        }
    }
    removed
}

/// Everything around points at which sheets of the boundary touch though what they bound hangs together there: the mouth
/// of a pocket or tunnel that has closed to a point.
fn pinched_stars<'a>(
    raw: &Raw,
    faces: &[[u32; 3]],
    edges: impl Iterator<Item = &'a [([u32; 2], u32)]>,
) -> Vec<bool> {
    let mut sets = Sets::new(4 * faces.len());
    for pair in edges {
        if let [(ends, f), (_, g)] = pair {
            for p in ends {
                let corner = |side: &u32| {
                    let k = faces[*side as usize / 4].iter().position(|q| q == p).unwrap_or(0);
                    side / 4 * 4 + k as u32
                };
                sets.join(corner(f), corner(g));
            }
        }
    }
    let mut first = vec![NONE; raw.points.len()];
    let mut pinched = vec![false; raw.points.len()];
    for (face, f) in faces.iter().zip(0u32..) {
        for (p, k) in face.iter().zip(0u32..) {
            let (own, part) = (&mut first[*p as usize], sets.find(4 * f + k));
            pinched[*p as usize] |= *own != NONE && *own != part;
            *own = part;
        }
    }
    raw.tets.iter().map(|tet| tet.iter().any(|p| pinched[*p as usize])).collect()
}
