//! What can be said of a surface of triangles: where it is open, how it hangs together, what is wrong with it.
//!
//! Corners at exactly the same place count as one point, as in [`crate::weld`]. Nothing is repaired.

mod fault;
mod own;
mod part;
pub(crate) mod side;

pub use own::{Meetings, PAIRS_MAX, self_meetings};
pub use part::{Component, Loop};

use crate::weld::weld_within;
use crate::{Aabb, Real, Vec3};
use side::Sides;

/// A face whose smallest height is below this part of its longest side is called a needle.
pub const NEEDLE: Real = 0.01;

/// Faults and measures of a surface. Numbers of points and faces are those of the lists given; of points at one place
/// the first is named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Points that are not finite.
    pub not_finite: Vec<u32>,
    /// Points that no face uses.
    pub unused_points: usize,
    /// Points at a place where there is one already.
    pub duplicate_points: usize,
    /// Faces with the same three corners as an earlier one, turned or not.
    pub duplicate_faces: Vec<u32>,
    /// Faces that have a corner twice, by number or by place; they take no part in anything below.
    pub collapsed_faces: Vec<u32>,
    /// Other faces without area.
    pub flat_faces: Vec<u32>,
    /// Other faces that are long and thin: see [`NEEDLE`].
    pub needles: Vec<u32>,
    /// Sides of one face only, as that face runs along them.
    pub open_edges: Vec<[u32; 2]>,
    /// Sides of more than two faces.
    pub crowded_edges: Vec<[u32; 2]>,
    /// Sides along which two faces run the same way: one of them is inside out.
    pub flipped_edges: Vec<[u32; 2]>,
    /// Points at which parts of the surface touch that no edge joins there.
    pub pinched_points: Vec<u32>,
    /// Open edges, joined.
    pub loops: Vec<Loop>,
    /// Faces joined by edges, in the order of their first faces.
    pub components: Vec<Component>,
    /// Whether the surface is open in more places where points count by number instead of by place.
    pub torn: bool,
    /// Box around the finite points.
    pub bounds: Option<Aabb>,
    /// Of all faces.
    pub area: Real,
    /// Enclosed volume, where every edge has two faces that agree; negative where the surface is inside out.
    pub volume: Option<Real>,
    /// Sum of the area vectors of all faces: zero for a closed surface whose faces agree.
    pub vector_area: Vec3,
}

impl Surface {
    /// Looks at a surface. Every corner must be the number of a point.
    pub fn of(points: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        Self::of_parts(points, triangles, &|_| 0)
    }

    /// Looks at several surfaces together: points of different parts, by number, are never one. Organs of an atlas that
    /// share a wall are each whole, and not one surface with walls inside.
    pub fn of_parts(points: &[Vec3], triangles: &[[u32; 3]], part: &dyn Fn(u32) -> u32) -> Self {
        let first = weld_within(points, part);
        let faces: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| first[i as usize])).collect();
        let mut all = Self::default();
        all.look_at_points(points, triangles, &first);
        let sound = all.look_at_faces(points, &faces);
        let sides = Sides::of(&faces, &sound);
        all.open_edges = sides.open();
        all.crowded_edges = sides.crowded();
        all.flipped_edges = sides.flipped();
        let fans = sides.fans(&faces);
        all.pinched_points = fans.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[0].0).collect();
        all.pinched_points.dedup();
        all.loops = part::loops(points, &all.open_edges);
        all.components = part::components(points, &faces, &sound, &sides);
        all.torn = all.duplicate_points > 0 && is_torn(triangles, &all);
        let middle = all.bounds.map_or(Vec3::ZERO, |b| 0.5 * (b.min + b.max));
        let measured = part::measure(points, sound.iter().map(|f| faces[*f as usize]), middle);
        (all.area, all.vector_area) = (measured.area, measured.vector_area);
        all.volume = (all.is_watertight() && all.is_oriented()).then_some(measured.volume);
        all
    }

    /// Whether every edge has exactly two faces.
    pub fn is_watertight(&self) -> bool {
        !self.components.is_empty() && self.open_edges.is_empty() && self.crowded_edges.is_empty()
    }

    /// Whether neighbouring faces agree about which side is outside.
    pub fn is_oriented(&self) -> bool {
        self.flipped_edges.is_empty()
    }
}

/// Whether the surface is open in more places where points count by number.
fn is_torn(triangles: &[[u32; 3]], welded: &Surface) -> bool {
    let sound: Vec<u32> = (0..triangles.len() as u32).filter(|f| !repeats(&triangles[*f as usize])).collect();
    Sides::of(triangles, &sound).open().len() > welded.open_edges.len()
}

/// Whether a face has a corner twice.
fn repeats([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || a == c
}

#[cfg(test)]
mod tests;
