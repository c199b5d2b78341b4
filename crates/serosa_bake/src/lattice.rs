//! A sheet as a lattice of points: the springs and bending stencils that stand for it.
//!
//! **Stretch.** Van Gelder (1998) gives an edge of a triangulated sheet the stiffness E t · Σ area / length², over
//! the triangles at the edge. A lattice with both diagonals covers every cell twice, so the sum has to be shared
//! out anew. With sides of stiffness a and diagonals of stiffness b, a square lattice is the sheet
//! C₁₁ = a + b, C₁₂ = b, shear = b; it is isotropic where a = 2 b, and has the modulus 8 b / 3 then. So b = 3/8 E t
//! and a = 3/4 E t, which is
//!
//! ```text
//! stiffness = 3/4 E t · area / length²
//! ```
//!
//! with half of each adjoining cell as the area of a side and the whole cell as that of a diagonal. On squares this
//! is exact, with Poisson's ratio 1/3, and does not change when the lattice is refined. On rectangles it is not
//! isotropic: in the limit of very thin cells the sheet has 3/4 E t across them and 9/4 E t along them.
//!
//! **Bending.** Second differences along rows and columns, for uneven spacing, each standing for the area of its
//! middle vertex: a quarter of every cell at it.

use serosa_geometry::generate::intestine::Strip;
use serosa_geometry::{Real, Vec3};

/// Points in `rows` × `columns`, column by column.
#[derive(Clone, Copy, Debug)]
pub struct Lattice<'a> {
    /// Where they are \[m\].
    pub points: &'a [Vec3],
    /// Points across.
    pub rows: usize,
    /// Points along.
    pub columns: usize,
}

/// A spring of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Its ends.
    pub ends: [u32; 2],
    /// What it takes of the sheet's stiffness.
    pub share: Real,
}

/// A bending stencil of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Three vertices in line.
    pub nodes: [u32; 3],
    /// Second difference \[1/m²\].
    pub weights: [Real; 3],
    /// The area it stands for \[m²\].
    pub area: Real,
}

impl<'a> From<&'a Strip> for Lattice<'a> {
    fn from(strip: &'a Strip) -> Self {
        Self { points: &strip.mesh.points, rows: strip.rows, columns: strip.columns }
    }
}

impl Lattice<'_> {
    /// The vertex of a row and a column.
    pub fn at(&self, row: usize, column: usize) -> u32 {
        (column * self.rows + row) as u32
    }

    /// The row of a vertex.
    pub fn row_of(&self, vertex: u32) -> usize {
        vertex as usize % self.rows
    }

    fn point(&self, vertex: u32) -> Vec3 {
        self.points[vertex as usize]
    }

    /// Distance of two vertices \[m\].
    pub fn length(&self, [a, b]: [u32; 2]) -> Real {
        (self.point(b) - self.point(a)).length()
    }

    /// Area of the cell between a row and the next, a column and the next \[m²\]: the mean of its two foldings,
    /// since a cell need not be flat.
    pub fn cell(&self, row: usize, column: usize) -> Real {
        let corners = [(0, 0), (0, 1), (1, 1), (1, 0)];
        let corner = corners.map(|(r, c)| self.point(self.at(row + r, column + c)));
        let triangle = |i: usize, j: usize, k: usize| {
            0.5 * (corner[j] - corner[i]).cross(corner[k] - corner[i]).length()
        };
        0.5 * (triangle(0, 1, 2) + triangle(0, 2, 3) + triangle(0, 1, 3) + triangle(1, 2, 3))
    }

    /// A quarter of each cell at each vertex \[m²\].
    pub fn vertex_areas(&self) -> Vec<Real> {
        let mut areas = vec![0.0; self.points.len()];
        for column in 1..self.columns {
            for row in 1..self.rows {
                let quarter = 0.25 * self.cell(row - 1, column - 1);
                for (r, c) in [(row - 1, column - 1), (row - 1, column), (row, column - 1), (row, column)] {
                    areas[self.at(r, c) as usize] += quarter;
                }
            }
        }
        areas
    }

    /// Sides and both diagonals of all cells, column by column.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut add = |ends: [u32; 2], area: Real| {
            let length = self.length(ends);
            links.push(Link { ends, share: 0.75 * area / (length * length) });
        };
        let cell = |row: usize, column: usize| {
            if row + 1 < self.rows && column + 1 < self.columns { self.cell(row, column) } else { 0.0 }
        };
        for column in 0..self.columns {
            for row in 0..self.rows {
                let (here, area) = (self.at(row, column), cell(row, column));
                if row + 1 < self.rows {
                    let before = if column > 0 { cell(row, column - 1) } else { 0.0 };
                    add([here, self.at(row + 1, column)], 0.5 * (area + before));
                }
                if column + 1 < self.columns {
                    let below = if row > 0 { cell(row - 1, column) } else { 0.0 };
                    add([here, self.at(row, column + 1)], 0.5 * (area + below));
                }
                if area > 0.0 {
                    add([here, self.at(row + 1, column + 1)], area);
                    add([self.at(row + 1, column), self.at(row, column + 1)], area);
                }
            }
        }
        links
    }

    /// Three in line along rows and along columns, column by column.
    pub fn curves(&self) -> Vec<Curve> {
        let areas = self.vertex_areas();
        let mut curves = Vec::new();
        let mut add = |nodes: [u32; 3]| {
            let (a, b) = (self.length([nodes[0], nodes[1]]), self.length([nodes[1], nodes[2]]));
            let (first, last) = (2.0 / (a * (a + b)), 2.0 / (b * (a + b)));
            let weights = [first, -(first + last), last];
            curves.push(Curve { nodes, weights, area: areas[nodes[1] as usize] });
        };
        for column in 0..self.columns {
            for row in 0..self.rows {
                if column > 0 && column + 1 < self.columns {
                    add([self.at(row, column - 1), self.at(row, column), self.at(row, column + 1)]);
                }
                if row > 0 && row + 1 < self.rows {
                    add([self.at(row - 1, column), self.at(row, column), self.at(row + 1, column)]);
                }
            }
        }
        curves
    }
}
