//! Flexible bodies in a model: linear elasticity solved beforehand, shape by shape.

use super::Floats;
use crate::algebra::Factor;
use crate::{Real, Vec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Modes of one control element: three shifts, then the nine entries of a linear map, row by row.
pub const MODES: usize = 12;
/// Vertices of a block of [`FlexibleBody::modes`]: so many that their sums stay in the registers of AVX2.
pub const MODE_BLOCK: usize = 32;

/// A body whose shape is a sum of precomputed ones (Green's functions; Klimenko, Nikitina and Nikitin 2004).
///
/// Its vertices are those of its surface alone. It has no inertia: each step sets it anew, from where its control
/// elements are, from gravity and from what touches it. In its own frame, which turns and moves with the mean of its
/// control elements, vertex i is displaced by Σ cₖ uᵢₖ, with [`Self::columns`] coefficients c: for each element the
/// shift and the linear map (less identity) by which it moves its nodes, in the order of [`MODES`], then gravity.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlexibleBody {
    /// Where its elements begin in [`State::controls`](crate::State::controls).
    pub first: u32,
    /// What moves it.
    pub elements: Vec<ControlElement>,
    /// Whether some of its nodes are fixed in the world: then its frame stays where it is.
    pub held: bool,
    /// For each vertex its node in the mesh that was solved, ascending.
    pub nodes: Vec<u32>,
    /// Its surface, anticlockwise seen from outside, counted from its first vertex.
    pub triangles: Vec<[u32; 3]>,
    /// u: for each block of [`MODE_BLOCK`] vertices, for each column, x of all its vertices, then y, then z \[m by unit\];
    /// zeros where the last block has no vertex.
    pub modes: Floats,
    /// Force \[N\] and torque about its origin \[N m\] that each element puts on the body, by columns: 6 rows for each
    /// element.
    pub reaction: Vec<Real>,
    /// Twice the elastic energy \[J\] as a symmetric form of the coefficients, by rows.
    pub energy: Vec<Real>,
    /// How it weighs.
    pub weight: Weight,
    /// How it yields to forces on its surface.
    pub compliance: Compliance,
    /// About how far each vertex gives way to a force on it alone \[m/N\]: what rows are made as stiff as. Empty where it does
    /// not yield.
    pub give: Vec<f32>,
    /// How its frame turns.
    pub rotation: MeanRotation,
    /// How far linear elasticity is trusted.
    pub limits: Limits,
}

/// Nodes that move by one affine map, x ↦ origin + shift + A (x − origin).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ControlElement {
    /// Name, unique in the body.
    pub name: String,
    /// The middle of its nodes at rest \[m\].
    pub origin: Vec3,
    /// Its vertices on the surface, counted from the first of the body, ascending.
    pub vertices: Vec<u32>,
    /// Fastest that it follows what leads it \[m/s\].
    pub speed_max: Real,
    /// Of an element led by forces, how it yields to them: from force \[N\] and torque \[N m\] to shift \[m\] and turn
    /// \[rad\], by rows. None where it is led by positions.
    pub softness: Option<[[Real; 6]; 6]>,
}

/// What gravity does to a flexible body.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Weight {
    /// Of all of it \[kg\].
    pub mass: Real,
    /// The centre of its mass at rest \[m\].
    pub center: Vec3,
    /// How the coefficients move mass \[kg m by unit\]: three rows.
    pub moment: Vec<Real>,
}

/// How a flexible body yields to forces on its surface, elements held.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub enum Compliance {
    /// Not at all: it pushes others and nothing pushes it.
    #[default]
    None,
    /// Displacements of all vertices by unit forces on all vertices \[m/N\]: 3n columns of 3n numbers, x, y, z of each
    /// vertex in turn.
    All(Floats),
    /// Columns are solved for when they are first needed.
    Demand(Arc<Factor>),
}

/// How the frame of a flexible body turns with its control elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeanRotation {
    /// The rotation nearest to the mean of theirs, which favours no axis.
    #[default]
    Polar,
    /// The mean made orthonormal column by column, as published: the first axis is kept.
    GramSchmidt,
}

/// Beyond these, linear elasticity is not trusted and control elements are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Relative change of area of any triangle.
    pub strain: Real,
    /// Shift of any element relative to the others \[m\].
    pub stretch: Real,
    /// Turn of any element relative to the mean \[rad\].
    pub angle: Real,
}

impl FlexibleBody {
    /// Coefficients of a shape: [`MODES`] for each element and three of gravity.
    pub fn columns(&self) -> usize {
        MODES * self.elements.len() + 3
    }

    /// The numbers of a column, x, y, z of each vertex in turn.
    pub fn mode(&self, column: usize) -> impl Iterator<Item = [f32; 3]> {
        (0..self.nodes.len()).map(move |v| self.numbers(v, column))
    }

    /// How a vertex moves by a mode, in the body's own axes \[m by unit\].
    pub fn moved_by(&self, vertex: usize, column: usize) -> Vec3 {
        Vec3::from_array(self.numbers(vertex, column).map(Real::from))
    }

    fn numbers(&self, v: usize, column: usize) -> [f32; 3] {
        let block = (v / MODE_BLOCK * self.columns() + column) * 3 * MODE_BLOCK + v % MODE_BLOCK;
        [0, 1, 2].map(|axis| self.modes[block + axis * MODE_BLOCK])
    }

    /// Lays modes out in blocks: `at(vertex, column)` gives the displacement of a vertex.
    pub fn lay_out(vertices: usize, columns: usize, at: impl Fn(usize, usize) -> [f32; 3]) -> Floats {
        let mut modes = vec![0.0; vertices.div_ceil(MODE_BLOCK) * columns * 3 * MODE_BLOCK];
        for v in 0..vertices {
            for column in 0..columns {
                let block = (v / MODE_BLOCK * columns + column) * 3 * MODE_BLOCK + v % MODE_BLOCK;
                for (axis, value) in at(v, column).into_iter().enumerate() {
                    modes[block + axis * MODE_BLOCK] = value;
                }
            }
        }
        modes.into()
    }
}
