//! Spheres made of triangles.

use crate::generate::{Impossible, impossible};
use crate::{Mesh, Real, Vec3};
use core::f64::consts::{PI, TAU};

/// The fewest vertices of an [`even_sphere`].
pub const EVEN_MIN: usize = 12;

/// A sphere of `n` circles of latitude less one, with `n` points each, and two poles: n(n−1) + 2 vertices and
/// 2n(n−1) triangles.
///
/// For n = 16, 32 and 64 these are the 480, 1,984 and 8,064 triangles of the bodies of the LAPAROS paper. It counts 241,
/// 993 and 4,033 vertices for them, but a closed surface of so many triangles has 242, 994 and 4,034 (Euler): one
/// was not counted. Where the vertices are to be those, [`even_sphere`] makes them.
pub fn globe(center: Vec3, radius: Real, n: usize) -> Mesh {
    let n = n.max(3);
    from_rings(center, radius, &vec![n; n - 1])
}

/// A sphere of exactly `vertices` vertices, and 2 · `vertices` − 4 triangles of nearly even size: circles of latitude
/// about an edge apart, each with as many points as its length has edges.
///
/// # Errors
/// Fewer than [`EVEN_MIN`] vertices.
pub fn even_sphere(center: Vec3, radius: Real, vertices: usize) -> Result<Mesh, Impossible> {
    if vertices < EVEN_MIN {
        let message = format!("a sphere of {vertices} vertices is not made");
        return impossible(message, format!("ask for {EVEN_MIN} or more"));
    }
    // Rows of even triangles lie √3/2 of an edge apart; n vertices share 4π: √3/2 edge² each.
    let edge = libm::sqrt(8.0 * PI / (libm::sqrt(3.0) * vertices as Real));
    let rings = ((PI / (0.5 * libm::sqrt(3.0) * edge)).round() as usize).max(3) - 1;
    Ok(from_rings(center, radius, &share(vertices - 2, rings)))
}

/// Shares points out to circles of latitude by their lengths; sums exactly. No circle has fewer than 3.
fn share(points: usize, rings: usize) -> Vec<usize> {
    let length = |i: usize| libm::sin(PI * (i + 1) as Real / (rings + 1) as Real);
    let total: Real = (0..rings).map(length).sum();
    let mut counts: Vec<usize> =
        (0..rings).map(|i| ((points as Real * length(i) / total).floor() as usize).max(3)).collect();
    // What rounding left over goes to the circles with the widest gaps, or comes from those with the narrowest.
    while counts.iter().sum::<usize>() != points {
        let lacking = counts.iter().sum::<usize>() < points;
        let gap = |i: usize| length(i) / counts[i] as Real;
        let widest = (0..rings).max_by(|a, b| gap(*a).total_cmp(&gap(*b)));
        let narrowest = (0..rings).filter(|i| counts[*i] > 3).min_by(|a, b| gap(*a).total_cmp(&gap(*b)));
        match if lacking { widest } else { narrowest } {
            Some(i) if lacking => counts[i] += 1,
            Some(i) => counts[i] -= 1,
            None => break,
        }
    }
    counts
}

/// From the upper pole down. Sets: `top`, `bottom` (the poles).
fn from_rings(center: Vec3, radius: Real, counts: &[usize]) -> Mesh {
    let mut points = vec![center + Vec3::Z * radius];
    let mut triangles = Vec::new();
    let mut above = (0, 1);
    for (i, &count) in counts.iter().enumerate() {
        let tilt = PI * (i + 1) as Real / (counts.len() + 1) as Real;
        let here = (points.len(), count);
        // Every other circle is turned by half a gap, so that triangles are not all one way.
        let start = if i % 2 == 0 { 0.0 } else { 0.5 };
        for k in 0..count {
            let angle = TAU * (k as Real + start) / count as Real;
            let (s, c) = (libm::sin(tilt), libm::cos(tilt));
            points.push(center + radius * Vec3::new(s * libm::cos(angle), s * libm::sin(angle), c));
        }
        stitch(above, here, &points, &mut triangles);
        above = here;
    }
    points.push(center - Vec3::Z * radius);
    let last = points.len() - 1;
    stitch(above, (last, 1), &points, &mut triangles);
    let mut mesh = Mesh::from_triangles(points, triangles);
    mesh.sets = super::named([("top", vec![0]), ("bottom", vec![last as u32])]);
    mesh
}

/// Joins two circles, each (first point, number of points), the upper one first; a pole is a circle of one. Goes around
/// both at once, and steps on where the new edge is the shorter.
fn stitch(upper: (usize, usize), lower: (usize, usize), points: &[Vec3], triangles: &mut Vec<[u32; 3]>) {
    let at = |(first, count): (usize, usize), k: usize| first + k % count;
    let steps = |count: usize| if count > 1 { count } else { 0 };
    let (most_i, most_j) = (steps(upper.1), steps(lower.1));
    let (mut i, mut j) = (0, 0);
    while i < most_i || j < most_j {
        let (a, b) = (at(upper, i), at(lower, j));
        let (a_next, b_next) = (at(upper, i + 1), at(lower, j + 1));
        let along_upper = (points[a_next] - points[b]).length_squared();
        let along_lower = (points[b_next] - points[a]).length_squared();
        if j == most_j || (i < most_i && along_upper <= along_lower) {
            triangles.push([a, b, a_next].map(|v| v as u32));
            i += 1;
        } else {
            triangles.push([a, b, b_next].map(|v| v as u32));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;

    fn least_angle(mesh: &Mesh) -> Real {
        let mut least = Real::INFINITY;
        for t in &mesh.triangles {
            let p = t.map(|i| mesh.points[i as usize]);
            for k in 0..3 {
                let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
                least = least.min(libm::atan2(u.cross(v).length(), u.dot(v)));
            }
        }
        least.to_degrees()
    }

    #[test]
    fn the_bodies_of_the_laparos_paper_have_its_triangles_or_its_vertices() {
        for (n, vertices, triangles) in [(16, 241, 480), (32, 993, 1984), (64, 4033, 8064)] {
            let mesh = globe(Vec3::X, 0.05, n);
            assert_eq!((mesh.points.len(), mesh.triangles.len()), (vertices + 1, triangles));
            let even = even_sphere(Vec3::X, 0.05, vertices).unwrap();
            assert_eq!((even.points.len(), even.triangles.len()), (vertices, triangles - 2));
        }
    }

    #[test]
    fn spheres_are_closed_and_near_the_true_volume() {
        for n in (12..60).chain([241, 993, 4033]) {
            let mesh = even_sphere(Vec3::new(0.1, 0.2, 0.3), 0.05, n).unwrap();
            let surface = Surface::of(&mesh.points, &mesh.triangles);
            assert_eq!(mesh.points.len(), n);
            assert!(surface.is_watertight() && surface.is_oriented(), "{n}");
            assert!(surface.pinched_points.is_empty() && surface.components.len() == 1, "{n}");
            let ball = 4.0 / 3.0 * PI * 0.05 * 0.05 * 0.05;
            let lost = 1.0 - surface.volume.unwrap() / ball;
            assert!(lost > 0.0 && lost < 8.0 / n as Real, "{n} vertices lose {lost}");
            if n > 200 {
                assert!(least_angle(&mesh) > 25.0, "{n}: {}", least_angle(&mesh));
            }
        }
        assert!(even_sphere(Vec3::ZERO, 1.0, 11).is_err());
    }
}
