//! Why something cannot be filled.

use serosa_geometry::Real;

/// Why something cannot be filled, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FillFault {
    /// No triangles.
    #[error("there are no triangles: give a surface that encloses something")]
    Empty,
    /// A corner that is the number of no point.
    #[error("triangle {triangle} has corner {corner}, and there are {points} points: mend the triangles")]
    NoPoint {
        /// The triangle.
        triangle: usize,
        /// The number that is too large.
        corner: u32,
        /// Number of points.
        points: usize,
    },
    /// A point that is not finite.
    #[error("point {point} is not finite: mend the surface, or take the triangles at it away")]
    NotFinite {
        /// The point.
        point: u32,
    },
    /// A length that is not positive.
    #[error("an edge of {edge:e} m cannot be made: ask for a positive length")]
    BadEdge {
        /// What was asked for.
        edge: Real,
    },
    /// A grading below 1.
    #[error("edges inside cannot be {coarsest} times as long as at the surface: ask for 1 or more")]
    BadGrading {
        /// What was asked for.
        coarsest: Real,
    },
    /// No number of tetrahedra.
    #[error(
        "{asked} tetrahedra cannot be made of this surface; nearest were {nearest}: ask for another number"
    )]
    BadCount {
        /// What was asked for.
        asked: usize,
        /// What was reached.
        nearest: usize,
    },
    /// An open surface that goes around nothing.
    #[error(
        "the surface encloses nothing: {open} of its edges have one triangle only; \
         close it, or give both sides of a sheet"
    )]
    Open {
        /// Edges of one triangle.
        open: usize,
    },
    /// A closed surface without volume.
    #[error("the surface encloses nothing: it is flat, or what is outside of it is said to be inside")]
    Hollow,
    /// An edge too long for the body.
    #[error(
        "no tetrahedron of edge {edge:.3e} m fits into the body: ask for an edge of {fitting:.3e} m or less"
    )]
    TooCoarse {
        /// What was asked for.
        edge: Real,
        /// What would fit, about.
        fitting: Real,
    },
    /// An edge too short.
    #[error(
        "edges of {edge:.3e} m would need about {cells:.1e} cubes, more than memory holds: \
         ask for an edge of {fitting:.3e} m or more"
    )]
    TooFine {
        /// What was asked for.
        edge: Real,
        /// Cubes needed, about.
        cells: Real,
        /// What would fit, about.
        fitting: Real,
    },
    /// A recipe that cannot be followed.
    #[error("{message}: {help}")]
    Impossible {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
}

impl FillFault {
    /// The same of a body that many times as large.
    pub(crate) fn scaled(self, by: Real) -> Self {
        match self {
            Self::TooCoarse { edge, fitting } => Self::TooCoarse { edge: edge * by, fitting: fitting * by },
            Self::TooFine { edge, cells, fitting } => {
                Self::TooFine { edge: edge * by, cells, fitting: fitting * by }
            }
            Self::BadEdge { edge } => Self::BadEdge { edge: edge * by },
            other => other,
        }
    }
}
