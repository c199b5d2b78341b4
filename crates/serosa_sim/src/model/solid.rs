//! Solids: bodies of tetrahedra, and the order in which their vertices are worked on.

use crate::algebra::Factor;
use crate::{BodyId, Mat3, Real, Vec3, VertexId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Vertices worked on together: a vector of double precision in the units of AVX2. Eight are no faster,
/// since gathering positions takes most of the time, and leave more lanes empty.
pub const LANES: usize = 4;

/// Places of a [`Part`]: its vertices, those around them, and one that nobody reads. A power of two, so that a place
/// needs no check.
pub const SECTION: usize = 1024;

/// A solid of tetrahedra.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SolidBody {
    /// Its tetrahedra, in [`Model::tets`](super::Model::tets).
    pub tets: Range<u32>,
    /// What they are made of; the first is that of the body, whose stiffness may be tuned.
    pub regions: Vec<Region>,
    /// Springs to places that do not move.
    pub walls: Vec<Wall>,
    /// Whether nothing holds it: no fixed vertex, no wall and no tie.
    pub free: bool,
    /// How it descends.
    pub descent: Descent,
    /// Where its tetrahedra have ten nodes; those of four have none.
    pub quadratic: Option<Box<Quadratic>>,
    /// The order of its vertices.
    pub layout: Box<Layout>,
    /// What is corrected after each sweep; nothing in bodies of few vertices and in those that descend as a whole.
    pub coarse: Box<Coarse>,
}

/// Functions of a handle of a [`Coarse`] space: a shift, and three by which it strains.
pub const HANDLE_MODES: usize = 4;

/// A coarse space of a solid: handles that shift and strain what is around them, blended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Coarse {
    /// Where each handle is at rest \[m\].
    pub handles: Vec<Vec3>,
    /// For each vertex of the body where its shares begin, and one more.
    pub starts: Vec<u32>,
    /// What handles do to vertices; nothing to those that are fixed.
    pub shares: Vec<Share>,
    /// Of functions in pairs, by rows: mass \[kg\].
    pub mass: Vec<Real>,
    /// The same of walls \[N/m\].
    pub walls: Vec<Real>,
    /// The same of linear elasticity at rest, three rows and columns for each function \[N/m\].
    pub elastic: Vec<Real>,
}

/// What a handle does to a vertex.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Share {
    /// Which handle.
    pub handle: u32,
    /// Values of its functions.
    pub modes: [Real; HANDLE_MODES],
}

impl Coarse {
    /// Whether there is nothing to correct.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// How many functions there are.
    pub fn functions(&self) -> usize {
        HANDLE_MODES * self.handles.len()
    }

    /// The shares of a vertex of the body.
    #[inline]
    pub fn of(&self, v: usize) -> &[Share] {
        &self.shares[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}

/// How a solid descends its potential.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub enum Descent {
    /// Vertex by vertex, each to its exact minimum with its neighbours held.
    #[default]
    Vertex,
    /// All vertices at once, by quasi-Newton steps on a factor.
    Global(Box<Global>),
}

/// The linear body at rest, factored: M/h² + (1 + τ/h) K + walls, K the stiffness of linear elasticity.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Of width 3, one node for each vertex of the body; fixed ones are no unknowns.
    pub factor: Factor,
    /// The substep for which it was made \[s\].
    pub substep_s: Real,
    /// The relaxation for which it was made \[s\].
    pub relaxation_s: Real,
    /// A step is taken in every so many-th sweep.
    pub every: u32,
}

/// The elastic law of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Law {
    /// Stable neo-Hookean without logarithm: μ/2 (|F|² − 3) + λ/2 (J − a)², a = 1 + μ/λ, with λ that of Lamé plus μ.
    #[default]
    NeoHookean,
    /// Corotated: μ |F − R|² + λ/2 (J − 1)², R the rotation next to F, with λ that of Lamé (Stomakhin et al. 2012).
    Corotated,
}

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// What people call it.
    pub name: String,
    /// Its law.
    pub law: Law,
    /// Young's modulus at rest \[Pa\].
    pub young: Real,
    /// Poisson's ratio at rest, from 0 to less than one half.
    pub poisson: Real,
    /// \[kg/m³\]
    pub density: Real,
}

/// A tetrahedron.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tet {
    /// Its corners; of positive volume at rest.
    pub nodes: [VertexId; 4],
    /// The inverse of its edges at rest, from the first corner \[1/m\]: F = (edges now) · inverse.
    pub inverse: Mat3,
    /// At rest \[m³\].
    pub volume: Real,
    /// Its material, in [`SolidBody::regions`].
    pub region: u32,
}

impl Tet {
    /// Gradients of the four shape functions at rest \[1/m\]; they add up to zero.
    #[inline]
    pub fn gradients(&self) -> [Vec3; 4] {
        let [a, b, c] = [0, 1, 2].map(|i| self.inverse.row(i));
        [-(a + b + c), a, b, c]
    }
}

/// Edges of a tetrahedron in the order of its middle nodes, as in Gmsh but for the last two, as in VTK: ab, bc, ca, ad,
/// bd, cd.
pub const MIDDLES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Barycentric coordinates of the four samples of a quadratic tetrahedron, one at each corner: the larger for that, the
/// smaller for the three others. They integrate quadratics exactly.
pub const SAMPLE: [Real; 2] = [0.585_410_196_624_968_5, 0.138_196_601_125_010_5];

/// Tetrahedra of ten nodes: four corners, and six that are at rest in the middles of edges.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Quadratic {
    /// The nodes of each tetrahedron of the body, counted from the first vertex of the body: corners, then the middles
    /// of [`MIDDLES`].
    pub nodes: Vec<[u32; 10]>,
    /// For each vertex where its tetrahedra begin in `stars`, and one more.
    pub starts: Vec<u32>,
    /// Tetrahedra at each vertex, ascending: ten times their number, and which node the vertex is.
    pub stars: Vec<u32>,
}

impl Quadratic {
    /// Of tetrahedra with so many vertices. O(tetrahedra).
    pub fn of(nodes: Vec<[u32; 10]>, vertices: usize) -> Self {
        let mut starts = vec![0; vertices + 1];
        nodes.iter().flatten().for_each(|v| starts[*v as usize + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let (mut next, mut stars) = (starts.clone(), vec![0; 10 * nodes.len()]);
        for (v, entry) in nodes.iter().flatten().zip(0..) {
            stars[next[*v as usize] as usize] = entry;
            next[*v as usize] += 1;
        }
        Self { nodes, starts, stars }
    }

    /// The tetrahedra at a vertex, each with which of its nodes that is.
    pub fn star(&self, v: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = &self.stars[self.starts[v] as usize..self.starts[v + 1] as usize];
        all.iter().map(|entry| (*entry as usize / 10, *entry as usize % 10))
    }
}

/// A spring from a vertex to a place that does not move; its energy is ½ k |x − at|².
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Wall {
    /// The vertex.
    pub vertex: VertexId,
    /// The place \[m\].
    pub at: Vec3,
    /// k \[N/m\]
    pub stiffness: Real,
}

/// A point of a solid: a corner, or a place in a tetrahedron.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Knot {
    /// Whose.
    pub body: BodyId,
    /// The vertices around.
    pub nodes: [VertexId; 4],
    /// Their weights, never negative; they add up to one.
    pub weights: [Real; 4],
}

impl Knot {
    /// Where it is.
    pub fn place(&self, pos: &[Vec3]) -> Vec3 {
        self.nodes.iter().zip(self.weights).map(|(v, w)| pos[v.at()] * w).sum()
    }
}

/// A spring of no length between points of two solids; its energy is ½ k |(a − b) − apart|².
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tie {
    /// Its ends a and b.
    pub ends: [Knot; 2],
    /// From b to a at rest \[m\].
    pub apart: Vec3,
    /// k \[N/m\]
    pub stiffness: Real,
}

/// The order in which the vertices of a solid are worked on.
///
/// The vertices that move are cut into parts, boxes of a few hundred. Parts of one phase share no edge, so they are
/// swept at the same time, each on its own copy of itself and of the vertices around it, which fits the fastest cache.
/// Within a part vertices of one colour share no edge, and are moved [`LANES`] at a time. Nothing depends on the number
/// of threads.
///
/// Positions stand in sections of [`SECTION`] places, one for each part: first its own vertices, then those around it.
/// A last stretch has the fixed vertices.
///
/// Bodies of quadratic tetrahedra have no parts: the place and the seat of each vertex are its own number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Layout {
    /// Phase by phase.
    pub parts: Vec<Part>,
    /// The parts of each phase.
    pub phases: Vec<Range<u32>>,
    /// For each vertex of the body the place of its own copy.
    pub places: Vec<u32>,
    /// For each vertex of the body its group times [`LANES`] and its lane; [`NONE`] where fixed.
    pub seats: Vec<u32>,
    /// For each part the places from which the vertices around it are copied, one range after the other.
    pub halo: Vec<u32>,
    /// Vertices of one colour, part by part.
    pub groups: Vec<Group>,
    /// Neighbours of each group, as places in the section of its part.
    pub edges: Vec<[u16; LANES]>,
    /// Opposite faces of each group, each seen anticlockwise from the vertex, as three places of ten bits in the section of
    /// its part, the first lowest.
    pub faces: Vec<[u32; LANES]>,
    /// For each face its tetrahedron, from the first of the body, four times, and which corner the vertex is;
    /// [`NONE`] where a lane has none.
    pub sources: Vec<[u32; LANES]>,
    /// The corners of each tetrahedron of the body, as places.
    pub corners: Vec<[u32; 4]>,
    /// Places in all.
    pub size: u32,
}

/// In [`Layout::sources`] and [`Group::vertices`]: no tetrahedron, or no vertex.
pub const NONE: u32 = u32::MAX;

/// A box of vertices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// How many vertices are its own.
    pub own: u32,
    /// The vertices around it, in [`Layout::halo`].
    pub halo: Range<u32>,
    /// In [`Layout::groups`].
    pub groups: Range<u32>,
}

/// Vertices of one colour.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// Counted from the first of the body; [`NONE`] where a lane has none.
    pub vertices: [u32; LANES],
    /// Their places in the section.
    pub own: [u16; LANES],
    /// In [`Layout::edges`].
    pub edges: Range<u32>,
    /// In [`Layout::faces`].
    pub faces: Range<u32>,
}

/// A surface finer than the tetrahedra of a solid, carried along by them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Skin {
    /// The solid.
    pub body: BodyId,
    /// For each point the corners of a tetrahedron and their weights, whose sum is 1; negative ones reach out of it.
    pub points: Vec<([VertexId; 4], [Real; 4])>,
}

impl Skin {
    /// Where its points are, given where the vertices are \[m\]. O(points).
    pub fn places<'a>(&'a self, pos: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
        self.points.iter().map(|(nodes, w)| nodes.iter().zip(w).map(|(v, w)| pos[v.at()] * *w).sum())
    }
}
