//! The small intestine with its mesentery, as Raghupathi et al. (2003) lay it out: a folded curve on a cylinder,
//! joined to the axis of the cylinder by straight lines.
//!
//! The published tube of 4 m length and 2 cm radius has no room on a cylinder of 15 cm radius and 10 cm length:
//! its shadow, 0.160 m², is larger than the lateral area, 0.094 m². What is generated here is the curve; how wide
//! a tube may be around it at the start, [`free_radius`] says, and the rest is left to inflation.
//!
//! Both layouts are free of self-intersection before they have any thickness. Zig-zag: the line of station s
//! lies in the half-plane of its own angle, and such half-planes meet only on the axis, where stations have
//! heights of their own. Helicoid: it is one.

use super::{Impossible, impossible, named};
use crate::rotation::unit_or;
use crate::{Mesh, Real, Vec3, closest_segments};
use core::f64::consts::{PI, TAU};

/// How the curve runs on its cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Up and down once around the axis, as published, with vertices at all peaks.
    ZigZag,
    /// Several turns around the axis.
    Helicoid,
}

/// The size and place of an intestine with its mesentery. All in metres and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intestine {
    /// How the curve runs.
    pub layout: Layout,
    /// Points from the border to the root, at least 2.
    pub rows: usize,
    /// Points along the border, at least 3.
    pub columns: usize,
    /// Of the curve, summed over its edges.
    pub length: Real,
    /// From the axis to the curve: how wide the mesentery is.
    pub radius: Real,
    /// Of the axis: how long the root is.
    pub height: Real,
    /// Where the axis begins.
    pub origin: Vec3,
    /// Where it points; any length but zero.
    pub direction: Vec3,
    /// Where the curve begins, about the axis: 0 is as far up (z) as possible, or along x of an upright axis.
    pub angle: Real,
}

impl Default for Intestine {
    fn default() -> Self {
        Self {
            layout: Layout::Helicoid,
            rows: 4,
            columns: 100,
            length: 4.0,
            radius: 0.15,
            height: 0.1,
            origin: Vec3::ZERO,
            direction: Vec3::Z,
            angle: 0.0,
        }
    }
}

/// Points in `rows` × `columns`, column by column: row 0 is the border, the last row the root. The mesh has the
/// edges of row 0, then those of the other rows, then those of the columns, and two triangles for each cell.
/// Sets: `border`, `root`, and on the border `first`, `middle`, `last` and `ends`.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Its points, edges, triangles and sets.
    pub mesh: Mesh,
    /// Points from border to root.
    pub rows: usize,
    /// Points along the border.
    pub columns: usize,
}

impl Strip {
    /// The strip over given points.
    ///
    /// The points must be `rows` × `columns`, column by column.
    pub fn through(points: Vec<Vec3>, rows: usize, columns: usize) -> Self {
        let at = |row: usize, column: usize| (column * rows + row) as u32;
        let mut mesh = Mesh { points, ..Mesh::default() };
        for row in 0..rows {
            mesh.edges.extend((1..columns).map(|c| [at(row, c - 1), at(row, c)]));
        }
        for column in 0..columns {
            mesh.edges.extend((1..rows).map(|r| [at(r - 1, column), at(r, column)]));
        }
        for column in 1..columns {
            for row in 1..rows {
                let [a, b] = [at(row - 1, column - 1), at(row - 1, column)];
                let [c, d] = [at(row, column), at(row, column - 1)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let last = columns - 1;
        mesh.sets = named([
            ("border", (0..columns).map(|c| at(0, c)).collect()),
            ("root", (0..columns).map(|c| at(rows - 1, c)).collect()),
            ("first", vec![at(0, 0)]),
            ("middle", vec![at(0, last / 2)]),
            ("last", vec![at(0, last)]),
            ("ends", vec![at(0, 0), at(0, last)]),
        ]);
        Self { mesh, rows, columns }
    }

    /// The points of row 0.
    pub fn border(&self) -> Vec<Vec3> {
        self.mesh.points.iter().step_by(self.rows).copied().collect()
    }

    /// How many edges row 0 has: they come first.
    pub fn border_edges(&self) -> usize {
        self.columns - 1
    }
}

/// An edge turns by less than this about the axis \[rad\]: beyond it a polygon is no picture of a curve.
const TURN_MAX: Real = 0.5 * PI;
/// Of the axis, how much a stroke of the zig-zag is meant to take.
const STROKE: Real = 0.82;

/// The curve, and its mesentery as straight lines from the curve to the axis.
pub fn intestine(size: &Intestine) -> Result<Strip, Impossible> {
    if size.rows < 2 || size.columns < 3 {
        let message = format!("{} rows and {} columns make no strip", size.rows, size.columns);
        return impossible(message, "use at least 2 rows and 3 columns");
    }
    if !(size.radius > 0.0 && size.height > 0.0 && size.length > 0.0 && size.direction.length() > 0.0) {
        return impossible("an intestine needs a length, a radius and an axis", "write values above zero");
    }
    let curve = match size.layout {
        Layout::ZigZag => zig_zag(size)?,
        Layout::Helicoid => helicoid(size)?,
    };
    let axis = unit_or(size.direction, Vec3::Z);
    let up = Vec3::Z - axis * axis.z;
    let zero = unit_or(if up.length() > 1e-6 { up } else { Vec3::X - axis * axis.x }, Vec3::X);
    let side = axis.cross(zero);
    let mut points = Vec::with_capacity(size.rows * size.columns);
    for (i, (angle, z)) in curve.into_iter().enumerate() {
        let angle = angle + size.angle;
        let out = (zero * libm::cos(angle) + side * libm::sin(angle)) * size.radius;
        let border = size.origin + axis * z + out;
        let root = size.origin + axis * (size.height * i as Real / (size.columns - 1) as Real);
        let share = 1.0 / (size.rows - 1) as Real;
        points.extend((0..size.rows).map(|row| border.lerp(root, row as Real * share)));
    }
    Ok(Strip::through(points, size.rows, size.columns))
}

/// Angle and height of each column. All edges are equally long: chord² + (2 amplitude / k)², with k edges in a
/// stroke, so the amplitude for a length follows without search.
fn zig_zag(size: &Intestine) -> Result<Vec<(Real, Real)>, Impossible> {
    let edges = size.columns - 1;
    let wanted = size.length / (STROKE * size.height);
    let per_stroke = (edges as Real / wanted).round().max(1.0);
    let strokes = edges as Real / per_stroke;
    // One stroke of room between the last and the first.
    let turn = TAU * strokes / (strokes + 1.0) / edges as Real;
    let (edge, chord) = (size.length / edges as Real, 2.0 * size.radius * libm::sin(0.5 * turn));
    if turn > TURN_MAX || edge <= chord {
        let shortest = chord * edges as Real;
        let message = format!("a zig-zag around the cylinder is at least {shortest:.3} m long");
        return impossible(message, "ask for a larger length, a smaller radius or more columns");
    }
    let amplitude = 0.5 * per_stroke * (edge * edge - chord * chord).sqrt();
    if 2.0 * amplitude > size.height {
        let message = format!(
            "a zig-zag of {} columns and {} m needs an axis of {:.3} m",
            size.columns,
            size.length,
            2.0 * amplitude
        );
        return impossible(message, "use more columns, a longer axis or a shorter length");
    }
    // Peaks lie at the last column and at every `per_stroke` columns before it.
    let height = |i: usize| {
        let phase = (edges - i) as Real / per_stroke;
        let within = phase - 2.0 * (0.5 * phase).floor();
        0.5 * size.height + amplitude * (1.0 - 2.0 * (1.0 - within).abs())
    };
    Ok((0..size.columns).map(|i| (turn * i as Real, height(i))).collect())
}

/// Angle and height of each column. All edges are equally long: (2 R sin(turn/2))² + (H/n)².
fn helicoid(size: &Intestine) -> Result<Vec<(Real, Real)>, Impossible> {
    let edges = (size.columns - 1) as Real;
    let (edge, rise) = (size.length / edges, size.height / edges);
    if edge <= rise {
        let message = format!("{} m of intestine is not longer than its axis", size.length);
        return impossible(message, "ask for a larger length or a shorter axis");
    }
    let chord = (edge * edge - rise * rise).sqrt();
    let sine = chord / (2.0 * size.radius);
    if sine > libm::sin(0.5 * TURN_MAX) {
        let columns = size.length / (2.0 * size.radius * libm::sin(0.5 * TURN_MAX)) + 2.0;
        let message = format!("{} columns are too few for {} m on this cylinder", size.columns, size.length);
        return impossible(message, format!("use at least {columns:.0} columns"));
    }
    let turn = 2.0 * libm::asin(sine);
    Ok((0..size.columns).map(|i| (turn * i as Real, rise * i as Real)).collect())
}

/// The widest tube around a polygon that does not touch itself \[m\]: half the least distance of two edges that
/// are `reach` or more apart along it. Every pair is looked at.
pub fn free_radius(curve: &[Vec3], reach: Real) -> Real {
    let edges: Vec<[Vec3; 2]> = curve.windows(2).map(|w| [w[0], w[1]]).collect();
    let mut nearest = Real::INFINITY;
    for (i, [a, b]) in edges.iter().enumerate() {
        let mut way = 0.0;
        for [c, d] in &edges[(i + 1).min(edges.len())..] {
            if way > 0.0 && way >= reach {
                let near = closest_segments(*a, *b, *c, *d);
                nearest = nearest.min((a.lerp(*b, near.s) - c.lerp(*d, near.t)).length());
            }
            way += (*d - *c).length();
        }
    }
    0.5 * nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(curve: &[Vec3]) -> Real {
        curve.windows(2).map(|w| (w[1] - w[0]).length()).sum()
    }

    #[test]
    fn lengths_are_as_asked() {
        for layout in [Layout::ZigZag, Layout::Helicoid] {
            for (rows, columns) in [(4, 100), (8, 400), (3, 1501)] {
                let strip = intestine(&Intestine { layout, rows, columns, ..Intestine::default() }).unwrap();
                assert_eq!(strip.mesh.points.len(), rows * columns);
                let got = length(&strip.border());
                assert!((got - 4.0).abs() < 1e-12, "{layout:?} {columns}: {got}");
                let root: Vec<Vec3> =
                    strip.mesh.points.iter().skip(rows - 1).step_by(rows).copied().collect();
                assert!((length(&root) - 0.1).abs() < 1e-12);
                let heights = strip
                    .border()
                    .iter()
                    .map(|p| p.z)
                    .fold((1.0, -1.0), |(lo, hi): (Real, Real), z| (lo.min(z), hi.max(z)));
                assert!(heights.0 >= -1e-12 && heights.1 <= 0.1 + 1e-12, "{heights:?}");
            }
        }
    }

    #[test]
    fn free_radii_are_those_of_the_published_size() {
        let free = |layout, columns| {
            let strip = intestine(&Intestine { layout, columns, ..Intestine::default() }).unwrap();
            free_radius(&strip.border(), PI * 0.01)
        };
        let near = |got: Real, want: Real| assert!((got / want - 1.0).abs() < 0.02, "{got} for {want}");
        near(free(Layout::ZigZag, 99), 0.0091);
        near(free(Layout::ZigZag, 100), 0.0091);
        near(free(Layout::Helicoid, 100), 0.0117);
        near(free(Layout::Helicoid, 400), 0.0117);
    }

    /// In a zig-zag every vertex that is not a peak lies in the middle of a straight stroke.
    #[test]
    fn peaks_are_vertices() {
        let size = Intestine { layout: Layout::ZigZag, columns: 400, ..Intestine::default() };
        let heights: Vec<Real> = zig_zag(&size).unwrap().iter().map(|c| c.1).collect();
        let (lo, hi) = heights.iter().fold((1.0, 0.0), |(lo, hi): (Real, Real), z| (lo.min(*z), hi.max(*z)));
        for w in heights.windows(3) {
            let turns = (w[1] - w[0]) * (w[2] - w[1]) < 0.0;
            let peak = (w[1] - lo).abs() < 1e-12 || (w[1] - hi).abs() < 1e-12;
            assert_eq!(turns, peak, "{w:?}");
            assert!(((w[1] - w[0]).abs() - (w[2] - w[1]).abs()).abs() < 1e-12);
        }
    }

    #[test]
    fn the_axis_may_lie_anywhere() {
        let axis = Vec3::new(0.3, 0.9, 0.1).normalize();
        let origin = Vec3::new(1.0, 2.0, 3.0);
        let size = Intestine { origin, direction: axis * 7.0, angle: 1.0, ..Intestine::default() };
        let strip = intestine(&size).unwrap();
        for p in strip.border() {
            let d = p - origin;
            assert!(((d - axis * d.dot(axis)).length() - 0.15).abs() < 1e-12);
        }
        let highest = intestine(&Intestine { angle: 0.0, ..size }).unwrap().mesh.points[0] - origin;
        assert!((highest.z - 0.15 * (1.0 - axis.z * axis.z).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_impossible_is_refused() {
        let default = Intestine::default();
        let refused = |size: Intestine, what: &str| {
            let error = intestine(&size).unwrap_err();
            assert!(error.message.contains(what), "{error:?}");
        };
        refused(Intestine { columns: 2, ..default }, "make no strip");
        refused(Intestine { rows: 1, ..default }, "make no strip");
        refused(Intestine { columns: 10, ..default }, "too few");
        refused(Intestine { length: 0.05, ..default }, "not longer than its axis");
        refused(Intestine { direction: Vec3::ZERO, ..default }, "needs a length");
        let zig_zag = Intestine { layout: Layout::ZigZag, ..default };
        refused(Intestine { length: 0.5, ..zig_zag }, "at least");
        refused(Intestine { columns: 30, ..zig_zag }, "needs an axis");
    }
}
