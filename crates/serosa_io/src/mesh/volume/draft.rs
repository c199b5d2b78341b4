//! A part as it grows: cells of every shape go in, lines, triangles and tetrahedra come out, and what was done to
//! them is counted for the remarks.

use crate::mesh::{ImportError, Spot};
use serosa_bake::raw::Part;
use std::collections::BTreeMap;

/// A shape of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// One point.
    Dot,
    /// Two.
    Line,
    /// Two or more, one after the other.
    Path,
    /// Three.
    Triangle,
    /// Three or more, each a triangle with the two before it, every other one turned.
    Strip,
    /// Three or more around it.
    Polygon,
    /// Four of a rectangle, row by row.
    Pixel,
    /// Four, the fourth above the triangle of the others.
    Tet,
    /// Eight: four below, around it, and four above.
    Hex,
    /// Eight of a box, row by row.
    Voxel,
    /// Six: three below, around it seen from above, and three above.
    Prism,
    /// Six, as VTK has it: three below, around it seen from below, and three above.
    Wedge,
    /// Five: four below, around it, and one above.
    Pyramid,
    /// Bounded by faces of its own.
    Polyhedron,
}

impl Shape {
    /// What many of them are called.
    fn many(self) -> &'static str {
        match self {
            Self::Dot => "single points",
            Self::Line | Self::Path => "lines",
            Self::Triangle => "triangles",
            Self::Strip => "strips",
            Self::Polygon | Self::Pixel => "polygons",
            Self::Tet => "tetrahedra",
            Self::Hex | Self::Voxel => "hexahedra",
            Self::Prism | Self::Wedge => "prisms",
            Self::Pyramid => "pyramids",
            Self::Polyhedron => "polyhedra",
        }
    }
}

/// Faces around a hexahedron, each anticlockwise seen from outside.
const HEX: &[&[usize]] =
    &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
const PRISM: &[&[usize]] = &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const PYRAMID: &[&[usize]] = &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];

/// A part as it grows.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// As far as it is read.
    pub part: Part,
    cut: BTreeMap<&'static str, usize>,
    higher: BTreeMap<&'static str, usize>,
    left_out: BTreeMap<&'static str, usize>,
    collapsed: usize,
}

impl Draft {
    /// Adds a cell. Its points are there; of a cell of higher order only the corners are given.
    pub fn add(&mut self, shape: Shape, corners: &[u32], region: i64) {
        let before = (self.part.lines.len(), self.part.triangles.len(), self.part.tets.len());
        let c = corners;
        match shape {
            Shape::Dot | Shape::Polyhedron => return self.leave_out(shape),
            Shape::Line | Shape::Path => {
                let lines = c.windows(2).filter(|p| p[0] != p[1]).map(|p| [p[0], p[1]]);
                self.part.lines.extend(lines);
            }
            Shape::Triangle | Shape::Polygon => self.polygon(c),
            Shape::Pixel if c.len() == 4 => self.polygon(&[c[0], c[1], c[3], c[2]]),
            Shape::Strip => {
                for (i, t) in c.windows(3).enumerate() {
                    self.triangle(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
                }
            }
            Shape::Tet if c.len() == 4 => self.tet([c[0], c[1], c[2], c[3]]),
            Shape::Hex if c.len() == 8 => self.cut(HEX, c),
            Shape::Voxel if c.len() == 8 => {
                self.cut(HEX, &[c[0], c[1], c[3], c[2], c[4], c[5], c[7], c[6]]);
            }
            Shape::Prism if c.len() == 6 => self.cut(PRISM, c),
            Shape::Wedge if c.len() == 6 => self.cut(PRISM, &[c[0], c[2], c[1], c[3], c[5], c[4]]),
            Shape::Pyramid if c.len() == 5 => self.cut(PYRAMID, c),
            _ => {}
        }
        let after = (self.part.lines.len(), self.part.triangles.len(), self.part.tets.len());
        match shape {
            Shape::Hex | Shape::Voxel | Shape::Prism | Shape::Wedge | Shape::Pyramid if after != before => {
                *self.cut.entry(shape.many()).or_default() += 1;
            }
            _ => {}
        }
        self.collapsed += usize::from(after == before);
        self.part.triangle_regions.resize(after.1, region);
        self.part.tet_regions.resize(after.2, region);
    }

    /// Notes a cell of higher order, of which only the corners are added.
    pub fn note_higher(&mut self, shape: Shape) {
        *self.higher.entry(shape.many()).or_default() += 1;
    }

    /// Notes a cell that is not taken.
    pub fn leave_out(&mut self, shape: Shape) {
        *self.left_out.entry(shape.many()).or_default() += 1;
    }

    /// Cuts a cell into tetrahedra from its lowest-numbered corner, and so each of its faces: two cells that
    /// share a face cut it alike, whatever their shapes. (Dompierre and others, "How to subdivide pyramids,
    /// prisms and hexahedra into tetrahedra", 1999.)
    fn cut(&mut self, faces: &[&[usize]], corners: &[u32]) {
        let Some(lowest) = corners.iter().copied().min() else { return };
        for face in faces {
            let mut ring = [0; 4];
            let ring = &mut ring[..face.len()];
            face.iter().zip(&mut *ring).for_each(|(from, to)| *to = corners[*from]);
            if !ring.contains(&lowest) {
                fan(ring, |[a, b, c]| self.tet([a, c, b, lowest]));
            }
        }
    }

    fn polygon(&mut self, corners: &[u32]) {
        fan(corners, |triangle| self.triangle(triangle));
    }

    fn triangle(&mut self, t: [u32; 3]) {
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            self.part.triangles.push(t);
        }
    }

    fn tet(&mut self, t: [u32; 4]) {
        let twice = (0..4).any(|i| t[..i].contains(&t[i]));
        if !twice {
            self.part.tets.push(t);
        }
    }

    /// The part, with what was done to it.
    pub fn finish(mut self, remarks: &mut Vec<String>) -> Part {
        let part = &mut self.part;
        for regions in [&mut part.triangle_regions, &mut part.tet_regions] {
            // Nothing but zeros is how these formats say that there are no regions.
            if regions.iter().all(|region| *region == 0) {
                regions.clear();
            }
        }
        for (what, count) in &self.cut {
            remarks.push(format!(
                "{count} {what} were cut into tetrahedra, faces at their lowest-numbered point."
            ));
        }
        for (what, count) in &self.higher {
            let stay = "the points between stay, and nothing uses them";
            remarks.push(format!("{count} {what} of higher order were read by their corners; {stay}."));
        }
        for (what, count) in &self.left_out {
            remarks.push(format!("{count} {what} were left out as cells; their points stay."));
        }
        if self.collapsed > 0 {
            remarks.push(format!("{} cells that use a point twice were left out.", self.collapsed));
        }
        let turned = self.part.tets.iter().filter(|tet| volume(&self.part, tet) < 0.0).count();
        if turned > 0 {
            remarks.push(format!("{turned} of {} tetrahedra are turned inside out.", self.part.tets.len()));
        }
        self.part
    }
}

/// Triangles of a polygon, from its lowest-numbered corner.
fn fan(corners: &[u32], mut triangle: impl FnMut([u32; 3])) {
    let lowest = (0..corners.len()).min_by_key(|i| corners[*i]).unwrap_or(0);
    let corner = |i: usize| corners[(lowest + i) % corners.len()];
    for i in 1..corners.len().saturating_sub(1) {
        triangle([corner(0), corner(i), corner(i + 1)]);
    }
}

fn volume(part: &Part, tet: &[u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|i| part.points[i as usize]);
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// Refuses a file in which nothing is joined to anything.
pub fn refuse_empty(parts: &[Part], help: &str) -> Result<(), ImportError> {
    let empty = |p: &Part| p.lines.is_empty() && p.triangles.is_empty() && p.tets.is_empty();
    match parts.iter().all(empty) {
        true => {
            let message = "the file holds no lines, triangles or tetrahedra";
            Err(ImportError::new(Spot::Whole, message, help))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::Vec3;
    use std::collections::BTreeSet;

    fn cube(numbers: [u32; 8]) -> Draft {
        let mut draft = Draft::default();
        let at = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
        draft.part.points = vec![Vec3::ZERO; 8];
        for (number, at) in numbers.iter().zip(at) {
            draft.part.points[*number as usize] = Vec3::from(at.map(f64::from));
        }
        draft
    }

    fn total(draft: &Draft) -> f64 {
        let volumes: Vec<f64> = draft.part.tets.iter().map(|tet| volume(&draft.part, tet)).collect();
        assert!(volumes.iter().all(|v| *v > 1e-3), "{volumes:?}");
        volumes.iter().sum()
    }

    #[test]
    fn every_shape_is_cut_into_tetrahedra_of_its_volume() {
        let numberings = [[0, 1, 2, 3, 4, 5, 6, 7], [7, 3, 5, 1, 6, 2, 4, 0], [4, 6, 0, 2, 1, 7, 3, 5]];
        for n in numberings {
            let pick = |at: &[usize]| at.iter().map(|i| n[*i]).collect::<Vec<u32>>();
            let cases = [
                (Shape::Hex, pick(&[0, 1, 2, 3, 4, 5, 6, 7]), 1.0),
                (Shape::Voxel, pick(&[0, 1, 3, 2, 4, 5, 7, 6]), 1.0),
                (Shape::Prism, pick(&[0, 1, 2, 4, 5, 6]), 0.5),
                (Shape::Wedge, pick(&[0, 2, 1, 4, 6, 5]), 0.5),
                (Shape::Pyramid, pick(&[0, 1, 2, 3, 4]), 1.0 / 3.0),
                (Shape::Tet, pick(&[0, 1, 3, 4]), 1.0 / 6.0),
                (Shape::Hex, pick(&[0, 1, 2, 2, 4, 5, 6, 6]), 0.5),
            ];
            for (shape, corners, wanted) in cases {
                let mut draft = cube(n);
                draft.add(shape, &corners, 5);
                assert!((total(&draft) - wanted).abs() < 1e-12, "{shape:?} {n:?}");
                assert_eq!(draft.part.tet_regions, vec![5; draft.part.tets.len()]);
            }
        }
    }

    /// Two prisms and a pyramid on a hexahedron: each inner triangle is used twice, each outer one once.
    #[test]
    fn neighbours_of_any_shape_cut_their_common_face_alike() {
        let mut draft = Draft::default();
        draft.part.points = vec![Vec3::ZERO; 13];
        draft.add(Shape::Hex, &[7, 3, 5, 1, 6, 2, 4, 0], 0);
        draft.add(Shape::Pyramid, &[6, 2, 4, 0, 8], 0);
        draft.add(Shape::Prism, &[1, 5, 12, 7, 3, 9], 0);
        let mut seen: std::collections::BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for tet in &draft.part.tets {
            for skip in 0..4 {
                let face: BTreeSet<u32> = (0..4).filter(|i| *i != skip).map(|i| tet[i]).collect();
                *seen.entry(face.into_iter().collect()).or_default() += 1;
            }
        }
        let outer = seen.values().filter(|n| **n == 1).count();
        assert!(seen.values().all(|n| *n <= 2));
        // Of the hexahedron 4 squares, of the pyramid 4 triangles, of the prism 2 triangles and 2 squares.
        assert_eq!(outer, 8 + 4 + 2 + 4);
    }

    #[test]
    fn what_was_done_is_said() {
        let mut draft = cube([0, 1, 2, 3, 4, 5, 6, 7]);
        draft.add(Shape::Tet, &[0, 1, 4, 3], 0);
        draft.add(Shape::Tet, &[0, 1, 1, 3], 0);
        draft.add(Shape::Strip, &[0, 1, 2, 3, 3, 4], 2);
        draft.add(Shape::Dot, &[0], 0);
        draft.add(Shape::Pixel, &[0, 1, 3, 2], 3);
        let mut remarks = Vec::new();
        let part = draft.finish(&mut remarks);
        assert_eq!(part.triangles, [[0, 1, 2], [2, 1, 3], [0, 1, 2], [0, 2, 3]]);
        assert_eq!((part.triangle_regions, part.tet_regions), (vec![2, 2, 3, 3], vec![]));
        let wanted = [
            "1 single points were left out as cells; their points stay.",
            "1 cells that use a point twice were left out.",
            "1 of 1 tetrahedra are turned inside out.",
        ];
        assert_eq!(remarks, wanted);
    }
}
