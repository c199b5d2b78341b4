//! What a page is told of a mesh file dropped on it. The file is posted to `/mesh`, and the answer is JSON.

use serde::Serialize;

/// The largest mesh file that a page may post \[bytes\].
pub const MESH_POST_MAX: usize = 64 << 20;
/// More triangles than this are not drawn; the facts are told all the same.
pub const SHOWN_TRIANGLES_MAX: usize = 300_000;

/// The answer at `/mesh`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MeshAnswer {
    /// It could be read.
    Mesh(Box<MeshInfo>),
    /// It could not.
    Refused {
        /// What is wrong, with its line or byte.
        message: String,
        /// What to do.
        help: String,
    },
}

/// A mesh and its faults. Lists are empty where it is not drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MeshInfo {
    /// Of the file.
    pub name: String,
    /// All that is known, in words.
    pub facts: Vec<FactInfo>,
    /// Why it is not drawn, if it is not.
    pub note: Option<String>,
    /// x, y, z of all points in turn, from the middle of the mesh \[m\], by the unit guessed.
    pub points: Vec<f32>,
    /// Triples of points, one after another.
    pub triangles: Vec<u32>,
    /// Ends of edges of one face only, six coordinates each.
    pub open: Vec<f32>,
    /// The same of edges with more than two faces.
    pub crowded: Vec<f32>,
    /// The same of edges whose faces disagree.
    pub flipped: Vec<f32>,
    /// Faces that meet others.
    pub crossing: Vec<u32>,
    /// Faces without area, and needles.
    pub degenerate: Vec<u32>,
}

/// A line of the table of facts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FactInfo {
    /// What it is about.
    pub name: String,
    /// What is known; may have several lines.
    pub value: String,
}
