//! What is filled: a surface of triangles, or a function. Both answer on which side a point is, and how deep.

use serosa_geometry::isosurface::Field;
use serosa_geometry::weld::weld;
use serosa_geometry::{Aabb, Distance, Near, Real, Sign, Topology, Vec3};
use std::cell::Cell;
use std::sync::Arc;

/// Something with an inside.
pub(super) struct Body<'a> {
    kind: Kind<'a>,
    /// Around all of it.
    pub bounds: Aabb,
    /// Of its surface \[m²\]; about, where it is a function.
    pub area: Real,
    /// Its volume \[m³\]; about.
    pub volume: Real,
    /// What a value may grow by a metre, at most: 1 for distances.
    pub steepness: Real,
    /// Whether the side changes at the surface only. Where it is open the winding number changes in its holes too.
    pub is_tight: bool,
    /// Whether some place was found that the surface goes around more than once: then some of it lies inside.
    pub overlaps: Cell<bool>,
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
        let volume = volume(points, &faces);
        if volume < 0.0 {
            faces.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let double = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a).length();
        let area = faces.iter().map(|t| 0.5 * double(t.map(|i| points[i as usize]))).sum();
        let topology = Topology::of(&faces, points.len());
        let is_tight = topology.is_closed() && topology.is_oriented();
        let bounds = Aabb::around(faces.iter().flatten().map(|i| points[*i as usize]));
        let distance = Distance::with(Arc::new(topology), points, Sign::Winding);
        let (kind, overlaps) = (Kind::Surface(Box::new(distance)), Cell::new(false));
        Self { kind, bounds, area, volume: volume.abs(), steepness: 1.0, is_tight, overlaps }
    }

    /// Of a function that is negative inside.
    pub fn of_function(field: Field<'a>) -> Self {
        let bounds = field.bounds;
        let (steepness, overlaps) = (STEEPNESS_OF_FUNCTIONS, Cell::new(false));
        let size = bounds.size();
        let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
        let (kind, volume) = (Kind::Function(field), size.element_product());
        Self { kind, bounds, area, volume, steepness, is_tight: true, overlaps }
    }

    /// The surface, where it is one of triangles.
    pub fn surface(&self) -> Option<&Distance> {
        match &self.kind {
            Kind::Surface(distance) => Some(distance),
            Kind::Function(_) => None,
        }
    }

    /// Signed distances, or values like them: negative inside. O(log n) for each point.
    ///
    /// What is known around each point may be told; where that is enough, no winding number is needed.
    pub fn values(&self, at: &[Vec3], known: impl Fn(usize) -> Known) -> Vec<Real> {
        let distance = match &self.kind {
            Kind::Surface(distance) => distance,
            Kind::Function(field) => return at.iter().map(|p| sound((field.value)(*p))).collect(),
        };
        let mut found = vec![Near::NOTHING; at.len()];
        distance.closest_all(at, &mut found);
        let signed = |(i, (p, near)): (usize, (&Vec3, &Near))| {
            let told = if self.is_tight { self.side(&known(i), *p, near) } else { None };
            let inside = told.unwrap_or_else(|| self.is_inside(distance, *p));
            if inside { -near.distance } else { near.distance }
        };
        at.iter().zip(&found).enumerate().map(signed).collect()
    }

    /// Whether a point is inside, as far as what is known tells.
    fn side(&self, known: &Known, p: Vec3, near: &Near) -> Option<bool> {
        // Where the balls around two points that the surface leaves free overlap, both are on one side.
        let beside = |(at, value): &&(Vec3, Real)| value.abs() + near.distance > SURE * at.distance(p);
        let witness = known.values.iter().flatten().find(beside).map(|(_, value)| *value < 0.0);
        witness.or_else(|| {
            let along = known.outward.dot(p - near.point);
            let steep = along.abs() > STEEP * near.distance * known.outward.length();
            (steep && !self.overlaps.get()).then_some(along < 0.0)
        })
    }

    fn is_inside(&self, distance: &Distance, p: Vec3) -> bool {
        let winding = distance.winding(p);
        self.overlaps.set(self.overlaps.get() || winding > 1.5);
        winding > 0.5
    }

    /// How far points are from the surface, about.
    pub fn distances(&self, at: &[Vec3]) -> Vec<Real> {
        match &self.kind {
            Kind::Surface(distance) => {
                let mut found = vec![Near::NOTHING; at.len()];
                distance.closest_all(at, &mut found);
                found.iter().map(|near| near.distance).collect()
            }
            Kind::Function(field) => at.iter().map(|p| sound((field.value)(*p)).abs()).collect(),
        }
    }

    /// The points of the surface nearest to some that are no farther than `reach` from it. `nears` is kept from one call
    /// to the next and speeds it up where points are about the same.
    pub fn project(&self, at: &[Vec3], reach: Real, nears: &mut [Near]) -> Vec<Option<Vec3>> {
        match &self.kind {
            Kind::Surface(distance) => {
                distance.closest_all(at, nears);
                nears.iter().map(|near| (near.distance <= reach).then_some(near.point)).collect()
            }
            Kind::Function(field) => {
                let project = |p: &Vec3| {
                    let q = field.project(*p, reach, 6);
                    (sound((field.value)(q)).abs() <= 1e-3 * reach).then_some(q)
                };
                at.iter().map(project).collect()
            }
        }
    }
}

/// Of two balls that only just overlap nothing is said, because of rounding.
const SURE: Real = 1.0 + 1e-9;
/// Cosine of the angle between a way outward and the surface's normal from which on the way tells where outside is.
const STEEP: Real = 0.1;

/// What is known around a point.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// Points near it and the values there.
    pub values: [Option<(Vec3, Real)>; 2],
    /// A way that leads outward through the one place of the surface that is near; zero where none is known.
    pub outward: Vec3,
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
