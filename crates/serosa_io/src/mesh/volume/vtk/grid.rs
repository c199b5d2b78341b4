//! Points, cells and data arrays as VTK has them, on their way to a part.

use crate::mesh::volume::draft::{Draft, Shape};
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;

/// What a data array is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Unit vectors of points.
    Normals,
    /// Texture coordinates of points.
    Texture,
    /// Colours of points, 0 to 1.
    Colors,
    /// Colours of points, 0 to 255.
    ByteColors,
    /// Regions of cells; a lower number is preferred.
    Regions(usize),
}

/// Names under which programs write the region of a cell, the most telling first.
const REGION_NAMES: &[&str] = &[
    "region",
    "regions",
    "gmsh:physical",
    "physical",
    "medit:ref",
    "tetgen:ref",
    "cell_tags",
    "cellentityids",
    "material",
    "materialid",
    "materialids",
    "label",
    "labels",
    "marker",
    "gmsh:geometrical",
];

/// Whether an array of cells, by its name, gives regions.
pub fn region_role(name: &str, width: usize) -> Option<Role> {
    let name = name.to_ascii_lowercase();
    let rank = REGION_NAMES.iter().position(|known| *known == name)?;
    (width == 1).then_some(Role::Regions(rank))
}

/// An array that is taken over.
#[derive(Clone, Debug)]
pub struct Array {
    /// As the file calls it.
    pub name: String,
    /// What for.
    pub role: Role,
    /// Numbers for each point or cell.
    pub width: usize,
    /// All of them.
    pub values: Vec<f64>,
}

/// A mesh as VTK has it.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// Its points.
    pub points: Vec<Vec3>,
    /// Types of its cells.
    types: Vec<u8>,
    /// Where the corners of each cell end.
    ends: Vec<usize>,
    corners: Vec<u32>,
    /// What is taken over.
    pub arrays: Vec<Array>,
    /// Names of what is not.
    pub left_out: Vec<String>,
}

/// The shape of a cell type and how many corners it has; none where that varies.
fn shape(kind: u8) -> Option<(Shape, Option<usize>)> {
    Some(match kind {
        1 | 2 => (Shape::Dot, None),
        3 => (Shape::Line, Some(2)),
        4 => (Shape::Path, None),
        5 => (Shape::Triangle, Some(3)),
        6 => (Shape::Strip, None),
        7 => (Shape::Polygon, None),
        8 => (Shape::Pixel, Some(4)),
        9 => (Shape::Polygon, Some(4)),
        10 => (Shape::Tet, Some(4)),
        11 => (Shape::Voxel, Some(8)),
        12 => (Shape::Hex, Some(8)),
        13 => (Shape::Wedge, Some(6)),
        14 => (Shape::Pyramid, Some(5)),
        21 | 35 | 68 | 75 => (Shape::Line, Some(2)),
        22 | 34 | 69 | 76 => (Shape::Triangle, Some(3)),
        23 | 28 | 30 | 70 | 77 => (Shape::Polygon, Some(4)),
        24 | 71 | 78 => (Shape::Tet, Some(4)),
        25 | 29 | 33 | 72 | 79 => (Shape::Hex, Some(8)),
        26 | 31 | 32 => (Shape::Wedge, Some(6)),
        27 | 37 | 74 | 81 => (Shape::Pyramid, Some(5)),
        // Of Lagrange and Bézier wedges it is not settled which way they turn.
        0 | 15 | 16 | 36 | 41 | 42 | 51..=67 | 73 | 80 => (Shape::Polyhedron, None),
        _ => return None,
    })
}

impl Grid {
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.types.len()
    }

    /// Adds a cell by the numbers of its points.
    pub fn cell(&mut self, kind: u8, numbers: &[f64]) -> Result<(), String> {
        let cell = self.types.len();
        let Some((shape, corners)) = shape(kind) else {
            return Err(format!("cell {cell} is of type {kind}, which is not known"));
        };
        let linear = kind < 21;
        let least = corners.unwrap_or(match shape {
            Shape::Path => 2,
            Shape::Strip | Shape::Polygon => 3,
            _ => 0,
        });
        let fits = if linear && corners.is_some() { numbers.len() == least } else { numbers.len() >= least };
        if !fits {
            let found = numbers.len();
            return Err(format!("cell {cell} has {found} points, but its type, {kind}, has {least}"));
        }
        // A polyhedron lists its faces where others list points.
        for number in if shape == Shape::Polyhedron { &[] } else { numbers } {
            let count = self.points.len();
            if !(*number >= 0.0 && *number < count as f64 && number.fract() == 0.0) {
                return Err(format!("cell {cell} uses point {number}, and there are {count}, from 0"));
            }
            self.corners.push(*number as u32);
        }
        self.types.push(kind);
        self.ends.push(self.corners.len());
        Ok(())
    }

    /// Adds cells given as `count points…` one after the other; their types, or one for all.
    pub fn listed(&mut self, kinds: &dyn Fn(usize) -> u8, count: usize, list: &[f64]) -> Result<(), String> {
        let mut rest = list;
        for i in 0..count {
            let length = rest.first().copied().unwrap_or(-1.0);
            let taken = rest.get(1..).and_then(|tail| tail.get(..whole(length)?));
            let Some(numbers) = taken else {
                let left = rest.len();
                return Err(format!("cell {i} of {count} announces {length} points, of {left} numbers left"));
            };
            self.cell(kinds(i), numbers)?;
            rest = &rest[1 + numbers.len()..];
        }
        match rest.len() {
            0 => Ok(()),
            left => Err(format!("{left} numbers are left over after {count} cells")),
        }
    }

    /// Adds cells given by the place where the points of each end; their types, or one for all.
    pub fn indexed(&mut self, kinds: &dyn Fn(usize) -> u8, ends: &[f64], list: &[f64]) -> Result<(), String> {
        let mut begin = 0;
        for (i, end) in ends.iter().enumerate() {
            let taken = whole(*end).and_then(|end| list.get(begin..end));
            let Some(numbers) = taken else {
                let count = list.len();
                return Err(format!("cell {i} reaches from {begin} to {end}, of {count} numbers of points"));
            };
            self.cell(kinds(i), numbers)?;
            begin += numbers.len();
        }
        match list.len() - begin {
            0 => Ok(()),
            left => Err(format!("{left} numbers of points are left over after {} cells", ends.len())),
        }
    }

    /// Sets the points from three numbers each.
    pub fn place(&mut self, numbers: &[f64]) -> Result<(), String> {
        if let Some(bad) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(format!("point {} is not finite", bad / 3));
        }
        if numbers.len() / 3 > u32::MAX as usize {
            return Err("there are too many points".to_owned());
        }
        self.points = numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
        Ok(())
    }

    /// The part, with what was left out.
    pub fn part(mut self, remarks: &mut Vec<String>) -> Part {
        let regions = self.regions();
        let mut draft = Draft::default();
        draft.part.points = std::mem::take(&mut self.points);
        let mut begin = 0;
        for (i, (kind, end)) in self.types.iter().zip(&self.ends).enumerate() {
            let corners = &self.corners[begin..*end];
            begin = *end;
            let Some((shape, count)) = shape(*kind) else { continue };
            if *kind > 20 && shape != Shape::Polyhedron {
                draft.note_higher(shape);
            }
            let corners = &corners[..count.unwrap_or(corners.len())];
            draft.add(shape, corners, regions.get(i).copied().unwrap_or(0));
        }
        let mut part = draft.finish(remarks);
        for array in self.arrays {
            dress(&mut part, &array, remarks);
        }
        if !self.left_out.is_empty() {
            remarks.push(format!("Data were left out: {}.", self.left_out.join(", ")));
        }
        part
    }

    /// The best array of regions; the others are left out.
    fn regions(&mut self) -> Vec<i64> {
        let rank = |array: &Array| match array.role {
            Role::Regions(rank) => rank,
            _ => usize::MAX,
        };
        let whole = |array: &Array| array.values.iter().all(|v| v.fract() == 0.0);
        let regions = self.arrays.iter().filter(|array| rank(array) < usize::MAX);
        let best = regions.clone().filter(|array| whole(array)).min_by_key(|array| rank(array));
        let others = regions.filter(|array| best.is_none_or(|best| !std::ptr::eq(*array, best)));
        self.left_out.extend(others.map(|array| format!("\"{}\" of cells", array.name)));
        best.map_or(Vec::new(), |array| array.values.iter().map(|v| *v as i64).collect())
    }
}

fn whole(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number as usize)
}

/// Takes over normals, texture coordinates or colours, one for each point.
fn dress(part: &mut Part, array: &Array, remarks: &mut Vec<String>) {
    let rows = array.values.chunks_exact(array.width.max(1));
    match array.role {
        Role::Normals => {
            let normals: Vec<Vec3> = rows.map(|n| Vec3::new(n[0], n[1], n[2]).normalize_or_zero()).collect();
            if normals.contains(&Vec3::ZERO) {
                remarks.push("Normals were left out: some have no direction.".to_owned());
                return;
            }
            part.triangle_normals = part.triangles.clone();
            part.normals = normals;
        }
        Role::Texture => {
            if array.values.iter().any(|v| !v.is_finite()) {
                remarks.push("Texture coordinates were left out: some are not finite.".to_owned());
                return;
            }
            part.uvs = rows.map(|uv| [uv[0], uv.get(1).copied().unwrap_or(0.0)]).collect();
            part.triangle_uvs = part.triangles.clone();
        }
        Role::Colors | Role::ByteColors => {
            let most = if array.role == Role::Colors { 1.0 } else { 255.0 };
            let share = |v: Option<&f64>| v.map_or(1.0, |v| (v / most).clamp(0.0, 1.0) as f32);
            part.colors = rows.map(|c| [0, 1, 2, 3].map(|i| share(c.get(i)))).collect();
            for color in part.colors.iter_mut().flatten().filter(|c| c.is_nan()) {
                *color = 0.0;
            }
        }
        Role::Regions(_) => {}
    }
}
