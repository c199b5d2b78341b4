//! A mesh file, read for questions of geometry.

use super::{beside, bytes_of};
use crate::inspect::{self, Contents};
use crate::{Failure, diagnostics};
use serosa_geometry::Vec3;
use serosa_geometry::tets::Tets;
use std::path::Path;

/// Points and faces of a mesh file, in its own unit and order.
#[derive(Debug)]
pub struct Shape {
    /// Name of the file.
    pub name: String,
    /// All points of all parts.
    pub points: Vec<Vec3>,
    /// All triangles; the surface of the tetrahedra where there are none.
    pub triangles: Vec<[u32; 3]>,
    /// Points, triangles and tetrahedra of each part.
    pub sizes: Vec<[usize; 3]>,
}

impl Shape {
    /// Reads a file, which may be points alone.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let name = file.display().to_string();
        let bytes = bytes_of(file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let read = inspect::read(&name, &bytes, &mut |file| beside(folder, file))
            .map_err(|e| Failure::BadInput(diagnostics::render_import(&name, &bytes, &e)))?;
        let Contents { points, mut triangles, tets, sizes, .. } = read;
        if triangles.is_empty() && !tets.is_empty() {
            triangles = Tets::of(&points, &tets).boundary;
        }
        if points.is_empty() {
            return Err(Failure::input(format!(
                "error: {name} holds no points\n  help: give a mesh file with at least one vertex"
            )));
        }
        Ok(Self { name, points, triangles, sizes })
    }

    /// Reads a file that must hold faces.
    pub fn read_surface(file: &Path) -> Result<Self, Failure> {
        let shape = Self::read(file)?;
        if shape.triangles.is_empty() {
            return Err(Failure::input(format!(
                "error: {} holds no faces\n  help: give a mesh file with triangles or tetrahedra; points alone have no \
                 surface",
                shape.name
            )));
        }
        Ok(shape)
    }
}
