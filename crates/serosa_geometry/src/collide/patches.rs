//! The triangles of a body in patches of a few that lie together, and a tree over these.
//!
//! A tree of patches refits several times faster than one of triangles: neighbours share their points, so that a patch
//! of eight has some nine points where its triangles have twenty-four corners, and there are eight times fewer nodes.
//! Boxes of single triangles are only made in patches that meet others.

use super::Shells;
use crate::{Aabb, Real, Tree, Vec3};

/// Triangles of a patch.
const PATCH: usize = 8;

/// The patches of a body.
#[derive(Clone, Debug)]
pub(super) struct Patches {
    /// Triangles, numbered over all bodies, patch after patch; all are full but the last.
    faces: Vec<u32>,
    /// Points of each patch, each once, and where they end.
    points: Vec<u32>,
    ends: Vec<u32>,
    /// Boxes of the triangles, in the order of `faces`; true for patches of this refit that were looked at.
    boxes: Vec<Aabb>,
    looked_at: Vec<bool>,
    /// Boxes of the patches.
    around: Vec<Aabb>,
}

impl Patches {
    /// Patches of a body as it lies now, which stay while it deforms, and a tree over them. O(n log n).
    pub(super) fn of(shells: &Shells, body: usize, points: &[Vec3]) -> (Self, Tree) {
        let mut faces: Vec<u32> = shells.range(body).collect();
        let middle = |t: u32| shells.at(t, points).iter().sum::<Vec3>();
        gather(&mut faces, &middle);
        let patches = faces.len().div_ceil(PATCH);
        let mut all = Self {
            points: Vec::with_capacity(faces.len() * 2),
            ends: Vec::with_capacity(patches),
            boxes: vec![Aabb::EMPTY; faces.len()],
            looked_at: vec![false; patches],
            around: vec![Aabb::EMPTY; patches],
            faces,
        };
        for patch in all.faces.chunks(PATCH) {
            let mut corners: Vec<u32> = patch.iter().flat_map(|t| shells.triangles[*t as usize]).collect();
            corners.sort_unstable();
            corners.dedup();
            all.points.extend(corners);
            all.ends.push(all.points.len() as u32);
        }
        all.refit(points, 0.0);
        let tree = Tree::of(&all.around);
        (all, tree)
    }

    /// Takes new points; all boxes are grown by `by`. O(n), allocates nothing.
    pub(super) fn refit(&mut self, points: &[Vec3], by: Real) {
        let mut start = 0;
        for (end, b) in self.ends.iter().zip(&mut self.around) {
            *b = around(&self.points[start..*end as usize], points).grown(by);
            start = *end as usize;
        }
        self.looked_at.fill(false);
    }

    /// The box of a patch.
    #[inline]
    pub(super) fn around(&self, patch: u32) -> &Aabb {
        &self.around[patch as usize]
    }

    /// Makes the boxes of a patch's triangles, unless they are made.
    pub(super) fn look_at(&mut self, patch: u32, shells: &Shells, points: &[Vec3], by: Real) {
        if !core::mem::replace(&mut self.looked_at[patch as usize], true) {
            let range = range(patch, self.faces.len());
            for (face, b) in self.faces[range.clone()].iter().zip(&mut self.boxes[range]) {
                *b = around(&shells.triangles[*face as usize], points).grown(by);
            }
        }
    }

    /// The triangles of a patch that was looked at, with their boxes.
    #[inline]
    pub(super) fn of_patch(&self, patch: u32) -> impl Iterator<Item = (u32, &Aabb)> + Clone {
        let range = range(patch, self.faces.len());
        self.faces[range.clone()].iter().copied().zip(&self.boxes[range])
    }

    /// Number of patches.
    pub(super) fn len(&self) -> u32 {
        self.ends.len() as u32
    }
}

fn range(patch: u32, faces: usize) -> core::ops::Range<usize> {
    let start = patch as usize * PATCH;
    start..(start + PATCH).min(faces)
}

/// The box around some points, leaving out what is not a number.
#[inline]
fn around(which: &[u32], points: &[Vec3]) -> Aabb {
    which.iter().map(|i| points[*i as usize]).fold(Aabb::EMPTY, |b, p| {
        // In this order, since a comparison with what is not a number keeps the second.
        Aabb { min: p.min(b.min), max: p.max(b.max) }
    })
}

/// Orders triangles so that those of a patch lie together: halves along the longest axis, down to patches.
fn gather(faces: &mut [u32], middle: &impl Fn(u32) -> Vec3) {
    if faces.len() <= PATCH {
        return;
    }
    let size = Aabb::around(faces.iter().map(|t| middle(*t)).filter(|m| m.is_finite())).size();
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    // Whole patches on the left.
    let half = faces.len().div_ceil(PATCH) / 2 * PATCH;
    let place = |t: &u32| middle(*t)[axis];
    faces.select_nth_unstable_by(half, |i, j| place(i).total_cmp(&place(j)).then(i.cmp(j)));
    let (left, right) = faces.split_at_mut(half);
    gather(left, middle);
    gather(right, middle);
}
