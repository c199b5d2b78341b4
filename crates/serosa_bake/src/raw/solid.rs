//! Solids as written: tetrahedra, surfaces to be filled with them, materials, walls and ties.

use super::{RawDescent, Selector};
use crate::fill::Fill;
use serosa_geometry::{Aabb, Implicit, Mesh, Quat, Real, Vec3};
use serosa_sim::model::Region;

/// Tetrahedra as written.
#[derive(Clone, Debug, Default)]
pub struct RawTets {
    /// Points, sets, and the outer triangles.
    pub mesh: Mesh,
    /// Four points each, of positive volume.
    pub tets: Vec<[u32; 4]>,
    /// The number of each one's region as the file gives it; empty where there are none.
    pub regions: Vec<i64>,
    /// Of each one density \[kg/m³\], Young's modulus \[Pa\] and Poisson's ratio, where the file gives them and regions do not;
    /// only flexible bodies ask. Empty where there are none.
    pub materials: Vec<[Real; 3]>,
    /// How many were inside out in the file and have been turned.
    pub turned: usize,
    /// Of quadratic tetrahedra the nodes in the middles of their edges, in the order of
    /// [`MIDDLES`](serosa_sim::model::MIDDLES); empty where they are
    /// linear. Made by [`RawTets::raised`].
    pub middles: Vec<[u32; 6]>,
}

/// A body to be filled with tetrahedra.
#[derive(Clone, Debug)]
pub struct RawFilled {
    /// What one sees of it, in world coordinates. Its sets go over to the tetrahedra.
    pub surface: Mesh,
    /// What it was made from, where it was made from a function, which is sharper than its triangles.
    pub recipe: Option<Recipe>,
    /// How it is filled; lengths are those of the world.
    pub how: Fill,
    /// Whether with quadratic tetrahedra.
    pub quadratic: bool,
}

/// A function in a place of its own: `at + turn · scale · p`.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// About its own origin.
    pub shape: Implicit,
    /// How it is turned.
    pub turn: Quat,
    /// How many times as large.
    pub scale: Real,
    /// Where its origin lies \[m\].
    pub at: Vec3,
}

/// The mechanics of a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct RawElastic {
    /// What it is made of.
    pub base: Region,
    /// What parts of it are made of instead; the last that holds a tetrahedron counts.
    pub regions: Vec<(Inside, Region)>,
    /// Viscous forces are the elastic ones of the strain that this time brings \[s\].
    pub relaxation_s: Real,
    /// Springs to where vertices are at rest.
    pub walls: Vec<RawWall>,
    /// Springs to other solids.
    pub ties: Vec<RawTie>,
    /// How it descends.
    pub descent: RawDescent,
    /// Of its surface, as others touch it: half of it lies outside of the tetrahedra \[m\]. None chooses by the size of
    /// the tetrahedra.
    pub thickness: Option<Real>,
}

/// Which tetrahedra.
#[derive(Clone, Debug, PartialEq)]
pub enum Inside {
    /// Those of a region of the file.
    Number(i64),
    /// Those with their centres in a ball.
    Ball {
        /// \[m\]
        center: Vec3,
        /// \[m\]
        radius: Real,
    },
    /// Those with their centres in a box.
    Box(Aabb),
}

/// Springs that hold vertices where they are at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct RawWall {
    /// Which vertices.
    pub which: Selector,
    /// How firmly.
    pub stiffness: WallStiffness,
}

/// How firmly a wall holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WallStiffness {
    /// All its vertices together \[N/m\].
    Total(Real),
    /// Each piece of the surface around them \[N/m³\].
    ByArea(Real),
}

/// Springs from vertices to another solid: to the place of it that each lies in at rest, or to its nearest vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTie {
    /// Which vertices; those too far from the other body are left out.
    pub which: Selector,
    /// The name of the other body.
    pub to: String,
    /// The farthest that is tied \[m\].
    pub reach: Real,
    /// Of all together \[N/m\].
    pub stiffness: Real,
}
