//! Points carried along by tetrahedra, and tetrahedra that are inside out.

use super::faces::{boundary, neighbours};
use serosa_geometry::meet::orientation;
use serosa_geometry::{Aabb, Distance, Real, Topology, Tree, Vec3};
use std::sync::Arc;

/// A point as a mean of the corners of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Embedded {
    /// The tetrahedron.
    pub tet: u32,
    /// Weights of its corners; their sum is 1. Negative ones reach out of it.
    pub weights: [Real; 4],
}

/// For each point the tetrahedron that holds it, the first of several, or beyond the boundary the one nearest to it.
/// Empty where there are no tetrahedra; a point that is not finite gets weights that are not either. O(log n) a point.
pub fn embed(queries: &[Vec3], points: &[Vec3], tets: &[[u32; 4]]) -> Vec<Embedded> {
    if tets.is_empty() {
        return Vec::new();
    }
    let corners = |t: u32| tets[t as usize].map(|p| points[p as usize]);
    let boxes: Vec<Aabb> = (0..tets.len() as u32).map(|t| Aabb::around(corners(t))).collect();
    let tree = Tree::of(&boxes);
    let outer = boundary(tets, &neighbours(tets));
    let faces: Vec<[u32; 3]> = outer.iter().map(|(face, _)| *face).collect();
    let skin = Distance::of(Arc::new(Topology::of(&faces, points.len())), points);
    let one = |p: &Vec3| {
        let mut best: Option<(Real, Embedded)> = None;
        tree.overlapping(&Aabb { min: *p, max: *p }, |tet| {
            let weights = weights(*p, corners(tet));
            let least = weights.iter().fold(Real::INFINITY, |least, w| least.min(*w));
            // Of several that hold it, as on a face, the first; of none, the one it reaches out of least.
            let least = least.min(0.0);
            if best.is_none_or(|(l, e)| least > l || (least == l && tet < e.tet)) {
                best = Some((least, Embedded { tet, weights }));
            }
        });
        if let Some((least, found)) = best
            && least > -ROUNDING
        {
            return found;
        }
        let near = skin.closest(*p).triangle;
        let tet = outer.get(near as usize).map_or(0, |(_, tet)| *tet);
        Embedded { tet, weights: weights(*p, corners(tet)) }
    };
    queries.iter().map(one).collect()
}

/// A point outside by less than this part of a tetrahedron is on its face.
const ROUNDING: Real = 1e-9;

/// Weights of the corners of a tetrahedron for which their mean is `p`.
pub fn weights(p: Vec3, [a, b, c, d]: [Vec3; 4]) -> [Real; 4] {
    let (ab, ac, ad, ap) = (b - a, c - a, d - a, p - a);
    let volume = ab.dot(ac.cross(ad));
    let wb = ap.dot(ac.cross(ad)) / volume;
    let wc = ap.dot(ad.cross(ab)) / volume;
    let wd = ap.dot(ab.cross(ac)) / volume;
    [1.0 - wb - wc - wd, wb, wc, wd]
}

/// What was found when tetrahedra were turned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Oriented {
    /// Tetrahedra that were inside out and are so no longer.
    pub turned: usize,
    /// Those without volume, exactly, or with a corner that is not finite: no order of their corners helps.
    pub flat: Vec<u32>,
}

/// Turns tetrahedra of negative volume the right way round, by the sign of their volume taken exactly. Corners must be
/// numbers of points. Programs differ about the order of corners; all of a mesh being turned is usual, a few are not.
pub fn orient(points: &[Vec3], tets: &mut [[u32; 4]]) -> Oriented {
    let mut found = Oriented::default();
    for (tet, t) in tets.iter_mut().zip(0..) {
        let [a, b, c, d] = tet.map(|p| points[p as usize]);
        let finite = [a, b, c, d].iter().all(|p| p.is_finite());
        // The predicate is negative for a tetrahedron of positive volume.
        match if finite { -orientation(a, b, c, d) } else { 0 } {
            1.. => {}
            0 => found.flat.push(t),
            _ => {
                tet.swap(2, 3);
                found.turned += 1;
            }
        }
    }
    found
}
