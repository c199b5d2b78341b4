//! The surface of a solid that is given by a function: closed, 2-manifold, oriented outward, of nearly even triangles.
//!
//! 1. *March*: each cube of a grid is cut into six tetrahedra, each tetrahedron by a plane. A tetrahedron has no
//!    ambiguous case, so the result is a closed manifold for any function; cubes by themselves (marching cubes, surface
//!    nets) have such cases, which is why they were refused. Its triangles are poor.
//! 2. *Remesh*: long edges are split, short ones collapsed, others flipped until about six edges meet at each vertex;
//!    vertices slide to the middle of their neighbours and back to the surface (after Botsch and Kobbelt 2004). Each of
//!    these keeps the surface a manifold; collapses are made only where the link condition holds.
//!
//! Details smaller than an edge are lost, and creases are followed only by chance.

mod corners;
mod march;
mod remesh;

use crate::generate::{Impossible, impossible};
use crate::{Aabb, Mesh, Real, Vec3};
use corners::Corners;

/// The most grid points: 8 bytes each.
pub const NODES_MAX: usize = 1 << 24;

/// The fewest vertices that may be asked for.
pub const VERTICES_MIN: usize = 12;

/// The most vertices that may be asked for.
pub const VERTICES_MAX: usize = 500_000;

/// How fine the triangles are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fineness {
    /// Mean length of edges, about \[m\].
    Edge(Real),
    /// Number of vertices, exactly.
    Vertices(usize),
}

impl Fineness {
    /// About how many vertices the surface of a solid in this box may have at most, for a solid without folds: those
    /// of the box itself. Vertices of an even mesh have 2 triangles of √3/4 edge² each.
    pub fn vertices_in(self, bounds: Aabb) -> Real {
        match self {
            Self::Vertices(n) => n as Real,
            Self::Edge(edge) => {
                let size = bounds.size();
                let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
                area / (0.5 * libm::sqrt(3.0) * edge * edge)
            }
        }
    }
}

/// A function that is negative inside, and the box its solid lies in.
pub struct Field<'a> {
    /// Any function; where it is not a number counts as outside.
    pub value: &'a dyn Fn(Vec3) -> Real,
    /// Around the solid.
    pub bounds: Aabb,
}

impl Field<'_> {
    /// By central differences.
    fn gradient(&self, p: Vec3, step: Real) -> Vec3 {
        let slope = |e: Vec3| ((self.value)(p + e * step) - (self.value)(p - e * step)) / (2.0 * step);
        Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))
    }

    /// A point brought nearer to the surface by Newton's method, by no more than `reach`.
    pub fn project(&self, p: Vec3, reach: Real, rounds: usize) -> Vec3 {
        let mut q = p;
        for _ in 0..rounds {
            let value = (self.value)(q);
            let slope = self.gradient(q, 1e-3 * reach);
            let step = slope * (value / slope.length_squared());
            if !step.is_finite() || (q - step - p).length() > reach {
                return q;
            }
            q -= step;
            if step.length() < 1e-9 * reach {
                break;
            }
        }
        q
    }
}

/// The surface of a solid. A solid in several pieces gives several closed surfaces.
///
/// O(g + v log v) time for g grid points in the box at the spacing of the edges, and v vertices; memory at most
/// 8 [`NODES_MAX`] bytes beside the mesh.
///
/// # Errors
/// A box that is empty or unbounded; more grid points than [`NODES_MAX`]; a number of vertices that cannot be reached;
/// nothing inside; a solid that reaches out of the box.
pub fn isosurface(field: &Field, fineness: Fineness) -> Result<Mesh, Impossible> {
    let size = field.bounds.size();
    if !(size.is_finite() && size.min_element() > 0.0) {
        return impossible(
            "the shape lies in a box without bounds or without volume",
            "give it a finite size",
        );
    }
    match fineness {
        Fineness::Edge(edge) => {
            let mut corners = begin(field, edge)?;
            remesh::settle(&mut corners, field, edge);
            Ok(corners.mesh())
        }
        Fineness::Vertices(n) => exactly(field, n),
    }
}

/// Rounds of remeshing: beyond this the angles no longer get better.
const ROUNDS: usize = 8;

/// A surface of even triangles. The grid is twice as fine as they are where that is cheap, so that a duct as thin as an edge
/// is not broken.
fn begin(field: &Field, edge: Real) -> Result<Corners, Impossible> {
    let cells = field.bounds.size() / (0.5 * edge);
    let spacing = if cells.x * cells.y * cells.z < NODES_CHEAP { 0.5 * edge } else { edge };
    let mut corners = Corners::of(&march::march(field, spacing)?);
    remesh::even_out(&mut corners, field, edge, ROUNDS);
    Ok(corners)
}

/// So many grid points take well under a second.
const NODES_CHEAP: Real = 1e6;

/// The edge of an even mesh of `n` vertices: each has two triangles of √3/4 edge².
fn edge_for(area: Real, n: usize) -> Real {
    libm::sqrt(2.0 * area / (libm::sqrt(3.0) * n as Real))
}

/// The surface with exactly `n` vertices.
fn exactly(field: &Field, n: usize) -> Result<Mesh, Impossible> {
    if !(VERTICES_MIN..=VERTICES_MAX).contains(&n) {
        let message = format!("a surface of {n} vertices is not made");
        return impossible(message, format!("ask for {VERTICES_MIN} to {VERTICES_MAX} vertices"));
    }
    let mut edge = edge_for(coarse_area(field)?, n);
    let mut corners = begin(field, edge)?;
    for _ in 0..4 {
        let off = corners.vertices() as Real / n as Real;
        if (off - 1.0).abs() < 0.02 {
            break;
        }
        edge *= libm::sqrt(off);
        remesh::even_out(&mut corners, field, edge, 3);
    }
    if !remesh::count_to(&mut corners, field, edge, n) {
        let message =
            format!("this surface has {} vertices and cannot be brought to {n}", corners.vertices());
        return impossible(message, "ask for more vertices: they are too few for its pieces and holes");
    }
    remesh::settle(&mut corners, field, edge);
    Ok(corners.mesh())
}

/// The area of the surface, within a few parts in a hundred, from the coarsest grid that finds it.
fn coarse_area(field: &Field) -> Result<Real, Impossible> {
    let reach = field.bounds.size().max_element();
    let mut last = march::march(field, reach / 24.0);
    for cells in [48.0, 96.0] {
        if last.is_ok() {
            break;
        }
        last = march::march(field, reach / cells);
    }
    let mesh = last?;
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.points[i as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    Ok(mesh.triangles.iter().map(area).sum())
}

#[cfg(test)]
mod tests;
