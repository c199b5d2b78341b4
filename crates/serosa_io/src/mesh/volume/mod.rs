//! Files of tetrahedra and of the surfaces around them: Gmsh, VTK old and new, TetGen, MEDIT, Avango.
//!
//! All of them go through a [`draft::Draft`], so that a hexahedron is cut, a cell of higher order read and a
//! tetrahedron turned inside out counted in one place. Nothing is repaired.

mod cursor;
mod draft;
pub mod flexible;
pub mod medit;
pub mod msh;
pub mod tetgen;
pub mod vtk;
