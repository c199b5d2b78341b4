//! What is filled: a surface of triangles, or a function. Both answer on which side a point is, and how deep.

use serosa_geometry::isosurface::Field;
use serosa_geometry::weld::weld;
use serosa_geometry::{Aabb, Distance, Near, Real, Sign, Topology, Vec3};
use std::sync::Arc;

/// Something with an inside.
pub(super) struct Body<'a> {
    kind: Kind<'a>,
    /// Around all of it.
    pub bounds: Aabb,
    /// What a value may grow by a metre, at most: 1 for distances.
    pub steepness: Real,
    /// Whether the side changes at the surface only. Where it is open the winding number changes in its holes too.
    pub is_tight: bool,
}

enum Kind<'a> {
    Surface(Box<Distance>),
    Function(Field<'a>),
}

/// The value of a recipe of blended shapes may grow faster than a distance where it is bent, tapered or uneven.
const STEEPNESS_OF_FUNCTIONS: Real = 2.0;

impl<'a> Body<'a> {
    /// Of a surface; points at one place count as one. A surface that is inside out as a whole is turned.
    pub fn of_surface(points: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let first = weld(points);
        let mut faces: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| first[i as usize])).collect();
        faces.retain(|[a, b, c]| a != b && b != c && c != a);
        if volume(points, &faces) < 0.0 {
            faces.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let topology = Topology::of(&faces, points.len());
        let is_tight = topology.is_closed() && topology.is_oriented();
        let bounds = Aabb::around(faces.iter().flatten().map(|i| points[*i as usize]));
        let distance = Distance::with(Arc::new(topology), points, Sign::Winding);
        Self { kind: Kind::Surface(Box::new(distance)), bounds, steepness: 1.0, is_tight }
    }

    /// Of a function that is negative inside.
    pub fn of_function(field: Field<'a>) -> Self {
        let bounds = field.bounds;
        Self { kind: Kind::Function(field), bounds, steepness: STEEPNESS_OF_FUNCTIONS, is_tight: true }
    }

    /// The surface, where it is one of triangles.
    pub fn surface(&self) -> Option<&Distance> {
        match &self.kind {
            Kind::Surface(distance) => Some(distance),
            Kind::Function(_) => None,
        }
    }

    /// Signed distances, or values like them: negative inside. O(log n) for each point.
    pub fn values(&self, at: &[Vec3]) -> Vec<Real> {
        match &self.kind {
            Kind::Surface(distance) => {
                let mut found = vec![Near::NOTHING; at.len()];
                distance.signed_all(at, &mut found);
                found.iter().map(|near| near.distance).collect()
            }
            Kind::Function(field) => at.iter().map(|p| sound((field.value)(*p))).collect(),
        }
    }

    /// The point of the surface nearest to one that is no farther than `reach` from it.
    pub fn project(&self, p: Vec3, reach: Real) -> Option<Vec3> {
        match &self.kind {
            Kind::Surface(distance) => {
                let near = distance.closest(p);
                (near.distance <= reach).then_some(near.point)
            }
            Kind::Function(field) => {
                let q = field.project(p, reach, 6);
                (sound((field.value)(q)).abs() <= 1e-3 * reach).then_some(q)
            }
        }
    }
}

/// What is not a number is outside.
fn sound(value: Real) -> Real {
    if value.is_nan() { Real::INFINITY } else { value }
}

/// Volume by the divergence theorem, negative where a closed surface is inside out \[m³\].
pub(super) fn volume(points: &[Vec3], triangles: &[[u32; 3]]) -> Real {
    let Some(first) = triangles.first() else { return 0.0 };
    // From a point nearby, so that little is lost to rounding far from the origin.
    let origin = points[first[0] as usize];
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| points[i as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(six).sum::<Real>() / 6.0
}
