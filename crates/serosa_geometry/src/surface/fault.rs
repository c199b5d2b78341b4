//! Faults of single points and faces.

use super::{NEEDLE, Surface, repeats};
use crate::meet::{Triangle, is_flat};
use crate::{Aabb, Vec3};

impl Surface {
    pub(super) fn look_at_points(&mut self, points: &[Vec3], triangles: &[[u32; 3]], first: &[u32]) {
        let mut used = vec![false; points.len()];
        triangles.iter().flatten().for_each(|i| used[*i as usize] = true);
        self.unused_points = used.iter().filter(|u| !**u).count();
        self.duplicate_points = first.iter().zip(0..).filter(|(f, i)| **f != *i).count();
        let broken = points.iter().zip(0..).filter(|(p, _)| !p.is_finite());
        self.not_finite = broken.map(|(_, i)| i).collect();
        let finite = points.iter().copied().filter(|p| p.is_finite());
        let bounds = Aabb::around(finite);
        self.bounds = bounds.min.is_finite().then_some(bounds);
    }

    /// Sorts the faces by their faults. The faces that can take part in a surface: those with three corners.
    pub(super) fn look_at_faces(&mut self, points: &[Vec3], faces: &[[u32; 3]]) -> Vec<u32> {
        let mut sound = Vec::with_capacity(faces.len());
        for (face, f) in faces.iter().zip(0..) {
            if repeats(face) {
                self.collapsed_faces.push(f);
                continue;
            }
            sound.push(f);
            let corners = face.map(|i| points[i as usize]);
            if corners.iter().any(|p| !p.is_finite()) {
                continue;
            }
            if is_flat(&corners) {
                self.flat_faces.push(f);
            } else if is_needle(&corners) {
                self.needles.push(f);
            }
        }
        self.duplicate_faces = duplicates(faces, &sound);
        sound
    }
}

/// Whether the smallest height is small beside the longest side.
fn is_needle(&[a, b, c]: &Triangle) -> bool {
    let sides = [b - a, c - b, a - c].map(|s| s.length_squared());
    let longest_sq = sides[0].max(sides[1]).max(sides[2]);
    (b - a).cross(c - a).length() < NEEDLE * longest_sq
}

fn duplicates(faces: &[[u32; 3]], sound: &[u32]) -> Vec<u32> {
    let sorted = |f: u32| {
        let mut corners = faces[f as usize];
        corners.sort_unstable();
        (corners, f)
    };
    let mut all: Vec<([u32; 3], u32)> = sound.iter().map(|f| sorted(*f)).collect();
    all.sort_unstable();
    let again = all.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1);
    let mut again: Vec<u32> = again.collect();
    again.sort_unstable();
    again
}
