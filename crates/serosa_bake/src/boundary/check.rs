//! Whether a surface bounds one body.

use super::kernel::Material;
use serosa_geometry::{Aabb, Real, Surface, Vec3};

/// Most nodes of a surface: its two dense matrices take 144 bytes for each pair of nodes, 5 GB here.
pub const NODES_MAX: usize = 6000;
/// Edges named in an error.
const NAMED: usize = 4;
/// Closed means that the area vectors sum to less than this part of the area.
const CLOSED: Real = 1e-9;

/// Why a surface is not taken, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BoundaryFault {
    /// No triangles.
    #[error("there are no triangles: give a closed surface")]
    Empty,
    /// A corner that is the number of no point.
    #[error("triangle {triangle} has a corner that is no point: mend the triangles")]
    NoPoint {
        /// The triangle.
        triangle: usize,
    },
    /// A point that is not finite.
    #[error("point {point} is not finite: mend the surface")]
    NotFinite {
        /// The point.
        point: u32,
    },
    /// A point of no triangle.
    #[error("{points} points belong to no triangle: take them away")]
    Unused {
        /// How many.
        points: usize,
    },
    /// Edges of one triangle.
    #[error(
        "the surface is open: {count} edges have one triangle only, {places}; close it, boundary elements need a whole body"
    )]
    Open {
        /// How many.
        count: usize,
        /// Where the first of them are.
        places: String,
    },
    /// Points at one place.
    #[error(
        "the surface is closed only where points at one place count as one: weld its {points} double points"
    )]
    Torn {
        /// How many.
        points: usize,
    },
    /// Edges of three triangles or more.
    #[error("{count} edges have more than two triangles, {places}: take the walls inside away")]
    Crowded {
        /// How many.
        count: usize,
        /// Where the first of them are.
        places: String,
    },
    /// Neighbours that do not agree.
    #[error(
        "triangles disagree about which side is outside along {count} edges, {places}: turn them all one way"
    )]
    Flipped {
        /// How many.
        count: usize,
        /// Where the first of them are.
        places: String,
    },
    /// A triangle without area.
    #[error("triangle {triangle} near {at} has no area: take it away or mend its corners")]
    Degenerate {
        /// The triangle.
        triangle: u32,
        /// Its middle \[m\].
        at: Vec3,
    },
    /// Parts that touch in a point.
    #[error("parts of the surface touch in point {point} at {at} alone: pull them apart there")]
    Pinched {
        /// The point.
        point: u32,
        /// Where \[m\].
        at: Vec3,
    },
    /// More than one piece.
    #[error(
        "the surface has {pieces} pieces, the second around {at}: make each a body of its own, fill hollows"
    )]
    Pieces {
        /// How many.
        pieces: usize,
        /// The middle of the second \[m\].
        at: Vec3,
    },
    /// The sum of its areas is not nothing.
    #[error(
        "the areas of the surface sum to {sum} m² instead of nothing: it is open or its triangles disagree"
    )]
    VectorArea {
        /// The sum.
        sum: Vec3,
    },
    /// The inside is outside.
    #[error("the surface is inside out, it encloses {volume:e} m³: turn all its triangles")]
    InsideOut {
        /// Volume \[m³\].
        volume: Real,
    },
    /// Too many nodes.
    #[error("a surface of {nodes} nodes is too fine for dense boundary elements: take {most} or fewer")]
    TooFine {
        /// How many.
        nodes: usize,
        /// How many there may be.
        most: usize,
    },
    /// No such material.
    #[error(
        "there is no material of Young's modulus {young} Pa and Poisson's ratio {poisson}: take a positive modulus and a ratio in (−1, 0.5)"
    )]
    Material {
        /// Young's modulus \[Pa\].
        young: Real,
        /// Poisson's ratio.
        poisson: Real,
    },
    /// Nothing holds the body.
    #[error("held nodes do not keep the body in place: hold three or more that are not on a line, or none")]
    Loose,
    /// The matrix has no inverse.
    #[error("the system of the surface has no solution: look for faces that nearly touch one another")]
    Singular,
}

/// Looks for all that boundary elements cannot bear. O(n log n).
pub fn check(points: &[Vec3], triangles: &[[u32; 3]], material: &Material) -> Result<(), BoundaryFault> {
    if !material.is_sound() {
        return Err(BoundaryFault::Material { young: material.young, poisson: material.poisson });
    }
    if triangles.is_empty() {
        return Err(BoundaryFault::Empty);
    }
    if points.len() > NODES_MAX {
        return Err(BoundaryFault::TooFine { nodes: points.len(), most: NODES_MAX });
    }
    let lost = |t: &[u32; 3]| t.iter().any(|v| *v as usize >= points.len());
    if let Some(triangle) = triangles.iter().position(lost) {
        return Err(BoundaryFault::NoPoint { triangle });
    }
    let surface = Surface::of(points, triangles);
    faces(points, triangles, &surface)?;
    joints(points, &surface)?;
    whole(&surface)
}

/// Faults of single points and faces.
fn faces(points: &[Vec3], triangles: &[[u32; 3]], surface: &Surface) -> Result<(), BoundaryFault> {
    if let Some(point) = surface.not_finite.first() {
        return Err(BoundaryFault::NotFinite { point: *point });
    }
    if surface.unused_points > 0 {
        return Err(BoundaryFault::Unused { points: surface.unused_points });
    }
    let bad = surface.collapsed_faces.iter().chain(&surface.flat_faces).min();
    if let Some(triangle) = bad {
        let at = triangles[*triangle as usize].map(|v| points[v as usize]).iter().sum::<Vec3>() / 3.0;
        return Err(BoundaryFault::Degenerate { triangle: *triangle, at });
    }
    Ok(())
}

/// Faults of edges and of points between faces.
fn joints(points: &[Vec3], surface: &Surface) -> Result<(), BoundaryFault> {
    let named = |edges: &[[u32; 2]]| places(points, edges);
    if !surface.open_edges.is_empty() {
        return Err(BoundaryFault::Open {
            count: surface.open_edges.len(),
            places: named(&surface.open_edges),
        });
    }
    if surface.duplicate_points > 0 {
        return Err(BoundaryFault::Torn { points: surface.duplicate_points });
    }
    if !surface.crowded_edges.is_empty() {
        let places = named(&surface.crowded_edges);
        return Err(BoundaryFault::Crowded { count: surface.crowded_edges.len(), places });
    }
    if !surface.flipped_edges.is_empty() {
        let places = named(&surface.flipped_edges);
        return Err(BoundaryFault::Flipped { count: surface.flipped_edges.len(), places });
    }
    if let Some(point) = surface.pinched_points.first() {
        return Err(BoundaryFault::Pinched { point: *point, at: points[*point as usize] });
    }
    Ok(())
}

/// Faults of the surface as a whole.
fn whole(surface: &Surface) -> Result<(), BoundaryFault> {
    if let [_, second, ..] = surface.components.as_slice() {
        let Aabb { min, max } = second.bounds;
        return Err(BoundaryFault::Pieces { pieces: surface.components.len(), at: (min + max) * 0.5 });
    }
    if surface.vector_area.length() > CLOSED * surface.area {
        return Err(BoundaryFault::VectorArea { sum: surface.vector_area });
    }
    match surface.volume {
        Some(volume) if volume > 0.0 => Ok(()),
        volume => Err(BoundaryFault::InsideOut { volume: volume.unwrap_or(0.0) }),
    }
}

/// Where edges are, in words.
fn places(points: &[Vec3], edges: &[[u32; 2]]) -> String {
    let word = |[a, b]: &[u32; 2]| {
        let [p, q] = [*a, *b].map(|v| points[v as usize]);
        format!("from ({}, {}, {}) to ({}, {}, {}) m", p.x, p.y, p.z, q.x, q.y, q.z)
    };
    let mut words: Vec<String> = edges.iter().take(NAMED).map(word).collect();
    if edges.len() > NAMED {
        words.push("…".to_owned());
    }
    words.join(", ")
}
