//! Discs around pieces of a surface: what a box cannot say, that a piece is flat.

use glam::Vec3;

/// Error of a length computed in single precision, as a part of the size of the surface and the way to the point: forty
/// roundings and more, where a triangle is as large as the surface.
pub(super) const ERROR: f32 = 4e-6;

/// A cylinder around some triangles, along their mean normal.
///
/// The box around a piece of surface that is not along the axes comes nearer than the piece by half its size; a disc by
/// its curvature alone. Between two spheres that overlap, a third of the triangles is looked at that boxes would ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Disc {
    pub center: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// Half the height.
    pub half: f32,
    pub radius: f32,
}

impl Disc {
    /// Around some triangles near a point; places are at most `size` from the origin.
    pub fn of(middle: Vec3, size: f32, triangles: &[[Vec3; 3]; 4]) -> Self {
        let sum: Vec3 = triangles.iter().map(|&[a, b, c]| (b - a).cross(c - a)).sum();
        let normal = sum.try_normalize().unwrap_or(Vec3::Z);
        let (mut low, mut high, mut wide_sq) = (f32::INFINITY, f32::NEG_INFINITY, 0.0f32);
        for corner in triangles.as_flattened() {
            let to = *corner - middle;
            let height = normal.dot(to);
            (low, high) = (height.min(low), height.max(high));
            wide_sq = (to - normal * height).length_squared().max(wide_sq);
        }
        let center = middle + normal * (0.5 * (low + high));
        Self { center, normal, half: 0.5 * (high - low), radius: wide_sq.sqrt() }.grown(size)
    }

    /// Around two others.
    pub fn join(size: f32, a: &Self, b: &Self) -> Self {
        // Wide ones count more: the square of the radius is an area.
        let sum = a.normal * (a.radius * a.radius) + b.normal * (b.radius * b.radius);
        let normal = sum.try_normalize().unwrap_or(a.normal);
        let (ends_a, wide_a) = a.extent(normal);
        let (ends_b, wide_b) = b.extent(normal);
        let to = b.center - a.center;
        let height = normal.dot(to);
        let aside = to - normal * height;
        let (low, high) = ((-ends_a).min(height - ends_b), ends_a.max(height + ends_b));
        // Along the line between the two circles, seen from above.
        let apart = aside.length();
        let (left, right) = ((-wide_a).min(apart - wide_b), wide_a.max(apart + wide_b));
        let along = if apart > 0.0 { aside * (0.5 * (left + right) / apart) } else { Vec3::ZERO };
        let center = a.center + normal * (0.5 * (low + high)) + along;
        Self { center, normal, half: 0.5 * (high - low), radius: 0.5 * (right - left) }.grown(size)
    }

    /// Half height and radius of a cylinder around this one, along another axis.
    fn extent(&self, axis: Vec3) -> (f32, f32) {
        let cos = self.normal.dot(axis).abs();
        let sin = self.normal.cross(axis).length();
        (self.half * cos + self.radius * sin, self.radius + self.half * sin)
    }

    /// Larger by what rounding can have taken.
    fn grown(self, size: f32) -> Self {
        Self { half: self.half + ERROR * size, radius: self.radius + ERROR * size, ..self }
    }
}
