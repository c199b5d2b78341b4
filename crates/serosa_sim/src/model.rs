//! `Model`: everything about a scene that does not change while it runs. Made by `serosa_bake`.

mod check;
mod flexible;
mod floats;
mod solid;

pub use flexible::{
    Compliance, ControlElement, FlexibleBody, Limits, MODE_BLOCK, MODES, MeanRotation, Weight,
};
pub use floats::Floats;
pub use solid::{
    Coarse, Descent, Global, Group, HANDLE_MODES, Knot, LANES, Law, Layout, MIDDLES, NONE, Part, Quadratic,
    Region, SAMPLE, SECTION, Share, Skin, SolidBody, Tet, Tie, Wall,
};

use crate::probe::Probe;
use crate::row::REST_GAP;
use crate::{BodyId, PrimId, Quat, Real, RigidId, Vec3, VertexId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Vertices of one block of a spring body; see [`SpringBody`].
pub const BLOCK: u32 = 512;

/// Everything fixed. All arrays are over all bodies; each body owns ranges of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Model {
    /// Bodies in the order of the scene file, tools last.
    pub bodies: Vec<Body>,
    /// Rest positions \[m\], one per vertex.
    pub rest: Vec<Vec3>,
    /// Masses \[kg\], one per vertex; fixed vertices keep theirs.
    pub mass: Vec<Real>,
    /// 1/mass \[1/kg\], one per vertex; 0 for fixed vertices.
    pub inv_mass: Vec<Real>,
    /// Springs, ordered as [`SpringBody`] says.
    pub springs: Vec<Spring>,
    /// Stencils by which membranes resist bending.
    pub bends: Vec<Bend>,
    /// Stencils by which tubes resist bending.
    pub rods: Vec<Rod>,
    /// Triangles of tissue.
    pub faces: Vec<Face>,
    /// Pairs of triangles by which tissue resists bending.
    pub folds: Vec<Fold>,
    /// Tetrahedra of solids.
    pub tets: Vec<Tet>,
    /// Springs between solids.
    pub ties: Vec<Tie>,
    /// Surfaces that solids carry along, for those who look; no step reads them.
    pub skins: Vec<Skin>,
    /// One per vertex: its place in the order of its band, [`FIXED`] where it has none.
    pub unknown: Vec<u32>,
    /// Rigid frames: rigid and fixed shapes, tools.
    pub rigids: Vec<Rigid>,
    /// Collision primitives.
    pub prims: Vec<Prim>,
    /// For each primitive the later primitives that it may not touch.
    pub excluded: Exclusions,
    /// Which segments meet at a vertex.
    pub neighbours: Neighbours,
    /// Tools in the order of the scene file.
    pub tools: Vec<Tool>,
    /// Tubes that widen when the scene starts.
    pub growths: Vec<Growth>,
    /// Surfaces that may press into one another, in the order of their bodies; only for responses that look for them.
    pub shells: Vec<Shell>,
    /// The order in which the unknowns of a quadratic programme are eliminated (see [`crate::body::system`]); empty where
    /// the scene has none.
    pub order: Vec<u32>,
    /// What the scene asks to be measured.
    pub probes: Vec<Probe>,
}

/// A surface of triangles that may press into others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shell {
    /// Its body.
    pub body: BodyId,
    /// Corners, anticlockwise seen from outside, counted from the first vertex of the body or the first point of the
    /// frame.
    pub triangles: Vec<[u32; 3]>,
    /// Of a rigid shape: its frame, and its points in it \[m\].
    pub frame: Option<(RigidId, Vec<Vec3>)>,
    /// Half the thickness of an open sheet, which what it lies on stays away from its middle; 0 of what has an inside \[m\].
    pub thickness: Real,
}

/// In [`Model::unknown`]: a vertex that no band solves for.
pub const FIXED: u32 = u32::MAX;

/// A named body and its shares of the arrays.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Name, unique in the scene.
    pub name: String,
    /// What it is made of.
    pub kind: BodyKind,
    /// Its vertices.
    pub vertices: Range<u32>,
    /// Its collision primitives.
    pub prims: Range<u32>,
    /// Whether its primitives may touch one another.
    pub self_contact: bool,
    /// Whether primitives of its membrane may touch one another as well.
    pub membrane_contact: bool,
}

impl Body {
    /// Its vertices, as array positions.
    pub fn vertex_range(&self) -> Range<usize> {
        self.vertices.start as usize..self.vertices.end as usize
    }
}

/// The body models. A new one is one arm here and one file in `body/`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BodyKind {
    /// Point masses joined by damped springs.
    Springs(SpringBody),
    /// A tube, or a tube with its membrane, solved as one band.
    Band(BandBody),
    /// A surface that resists stretching, bending and changes of its volume.
    Tissue(TissueBody),
    /// Tetrahedra that resist changes of shape and volume.
    Solid(SolidBody),
    /// A surface whose shapes were computed beforehand.
    Flexible(Box<FlexibleBody>),
    /// A rigid shape, movable or fixed.
    Rigid(RigidId),
}

/// Point masses and damped springs.
///
/// The vertices are cut into blocks of [`BLOCK`]; springs inside a block come first, block by block, then
/// the springs between blocks. Blocks can be solved at the same time, each in its own order, and the result
/// does not depend on how many threads share them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpringBody {
    /// For each block, the springs inside it.
    pub blocks: Vec<Range<u32>>,
    /// Springs between blocks, and with them the end of all springs of this body.
    pub between: Range<u32>,
}

impl SpringBody {
    /// All springs of the body.
    pub fn springs(&self) -> Range<usize> {
        let start = self.blocks.first().map_or(self.between.start, |b| b.start);
        start as usize..self.between.end as usize
    }
}

/// A tube, or a tube along the border of a membrane, whose vertices in the order of [`Model::unknown`] are
/// coupled only to near ones: its matrix is a band.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BandBody {
    /// Its springs.
    pub springs: Range<u32>,
    /// Its bending stencils of the membrane.
    pub bends: Range<u32>,
    /// Its bending stencils of the tube.
    pub rods: Range<u32>,
    /// Vertices that move.
    pub unknowns: u32,
    /// The largest difference of [`Model::unknown`] between two coupled vertices.
    pub half_band: u32,
}

/// A surface of triangles: an organ by its surface, or a sheet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TissueBody {
    /// Its springs, one along each edge.
    pub springs: Range<u32>,
    /// Its triangles.
    pub faces: Range<u32>,
    /// Its pairs of triangles; none where it does not resist bending.
    pub folds: Range<u32>,
    /// The volume that every change of a fold's is measured by \[m³\]: √2/12 of the mean edge's cube, the volume of a
    /// regular tetrahedron. That of the fold itself may be next to nothing.
    pub fold_volume: Real,
    /// The volume enclosed at rest \[m³\]; none where the surface does not keep it.
    pub volume: Option<Real>,
    /// Centre of its masses at rest \[m\].
    pub center: Vec3,
    /// Whether it is held so that it can neither move nor turn as a whole: then the rest shape stays where it is.
    pub held: bool,
    /// How it is moved.
    pub integrator: Integrator,
}

/// How tissue is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Integrator {
    /// Backward Euler, linearised once a step.
    #[default]
    Implicit,
    /// Verlet's explicit scheme, as published; stable for small steps only.
    Verlet,
}

/// A triangle of tissue: energy = area stiffness / (2 A₀) · (A − A₀)².
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Face {
    /// Its corners, anticlockwise seen from outside.
    pub corners: [VertexId; 3],
    /// For each corner the opposite side, a spring of the body, counted from its first.
    pub sides: [u32; 3],
    /// Area at rest A₀ \[m²\].
    pub area: Real,
}

/// Two triangles at an edge, taken as a tetrahedron: energy = k/(2 Ṽ²) · (V − V₀)².
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Fold {
    /// The ends of the edge, then the two vertices across it.
    pub nodes: [VertexId; 4],
    /// Signed volume at rest V₀ \[m³\].
    pub volume: Real,
}

/// Resists the curving of a membrane: energy = ½ bending · share · |Σ weight · x|².
///
/// Linear in the positions, so its matrix is constant; the weights add up to zero, so neither translation nor
/// rotation costs anything beyond the curvature itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bend {
    /// Three vertices in line.
    pub nodes: [VertexId; 3],
    /// Second difference along the line \[1/m²\].
    pub weights: [Real; 3],
    /// The area it stands for \[m²\].
    pub share: Real,
}

/// Resists the curving of a tube: energy = tube bending / (2 length) · |κ|², with the discrete curvature κ of
/// Bergou et al. (2008).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rod {
    /// Three vertices along the tube.
    pub nodes: [VertexId; 3],
    /// Half the length of both edges at rest \[m\].
    pub length: Real,
}

/// A tube that widens when the scene starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Growth {
    /// Its primitives.
    pub prims: Range<u32>,
    /// Its radius in the end \[m\]; it starts with [`Prim::radius`].
    pub to: Real,
    /// How long it takes \[s\].
    pub duration_s: Real,
}

/// A damped spring between two vertices.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spring {
    /// Its ends.
    pub ends: [VertexId; 2],
    /// Rest length \[m\].
    pub rest_m: Real,
    /// Which of the body's stiffnesses it takes.
    pub kind: SpringKind,
    /// How much of that stiffness: 1 where it is given for each spring, 1/length \[1/m\] along a tube, area by
    /// squared length in a membrane whose stiffness is given for the sheet.
    pub share: Real,
}

/// What a spring resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpringKind {
    /// Along an edge of the mesh.
    Stretch,
    /// Across two edges in line: resists bending.
    Bend,
    /// Along a tube.
    Tube,
}

/// A position and an orientation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Position \[m\].
    pub pos: Vec3,
    /// Orientation, unit.
    pub rot: Quat,
}

impl Pose {
    /// At the origin, unturned.
    pub const IDENTITY: Self = Self { pos: Vec3::ZERO, rot: Quat::IDENTITY };

    /// From the frame to the world.
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        self.pos + self.rot * local
    }

    /// From the world to the frame.
    #[inline]
    pub fn local(&self, world: Vec3) -> Vec3 {
        self.rot.conjugate() * (world - self.pos)
    }
}

/// A rigid frame with its origin at the centre of mass and its axes along the principal axes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rigid {
    /// The body it belongs to.
    pub body: BodyId,
    /// Shape in its own frame.
    pub shape: Shape,
    /// Mass \[kg\]; meaningless when fixed.
    pub mass: Real,
    /// 1/mass; 0 when fixed.
    pub inv_mass: Real,
    /// Principal moments of inertia \[kg m²\].
    pub inertia: Vec3,
    /// 1/inertia; 0 when fixed.
    pub inv_inertia: Vec3,
    /// Where it starts.
    pub rest: Pose,
}

/// Shapes of rigid frames, in their own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A ball about the origin; its radius stands in `State::radius`.
    Ball,
    /// A capsule along the z axis: half the length of its core \[m\]; its radius stands in `State::radius`.
    Capsule {
        /// Half the length of the core \[m\].
        half: Real,
    },
    /// A box about the origin.
    Cuboid {
        /// Half of each edge \[m\].
        half: Vec3,
    },
    /// The half-space z < 0.
    Plane,
}

impl Shape {
    /// The farthest of its corners from the origin of its frame, its radius apart \[m\].
    pub fn arm(&self) -> Real {
        match self {
            Self::Ball | Self::Plane => 0.0,
            Self::Capsule { half } => *half,
            Self::Cuboid { half } => half.length(),
        }
    }
}

/// A collision primitive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Prim {
    /// The body it belongs to.
    pub body: BodyId,
    /// What it is.
    pub kind: PrimKind,
    /// Radius at the start \[m\]; 0 for boxes and planes.
    pub radius: Real,
    /// Part of a membrane, not of a tube or thread.
    pub membrane: bool,
}

/// Kinds of collision primitive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum PrimKind {
    /// A capsule between two vertices.
    Segment([VertexId; 2]),
    /// The shape of a rigid frame.
    Shape(RigidId),
    /// A round triangle between three vertices, touched inside of its face: its sides are segments of the body as well.
    /// The triangles of a body come after its segments.
    Triangle([VertexId; 3]),
}

impl PrimKind {
    /// The vertices between which it is; none for the shape of a frame.
    #[inline]
    pub fn vertices(&self) -> &[VertexId] {
        match self {
            Self::Segment(ends) => ends,
            Self::Triangle(corners) => corners,
            Self::Shape(_) => &[],
        }
    }
}

/// Pairs that may not touch, of one body or of two that are tied together, in rows of ascending indices.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Exclusions {
    /// Row starts; one more than there are primitives, or empty for no exclusions at all.
    pub starts: Vec<u32>,
    /// Later partners, ascending within a row.
    pub partners: Vec<PrimId>,
    /// Pairs left out because they lie closer at rest than their radii: far apart along the body, or tied.
    pub overlapping_at_rest: u32,
}

impl Exclusions {
    /// Whether the pair is left out; `i` < `j`.
    #[inline]
    pub fn contains(&self, i: PrimId, j: PrimId) -> bool {
        match (self.starts.get(i.at()), self.starts.get(i.at() + 1)) {
            (Some(&a), Some(&b)) => self.partners[a as usize..b as usize].binary_search(&j).is_ok(),
            _ => false,
        }
    }
}

/// Which segments meet at a vertex, and with it which segments are neighbours: those that share a vertex.
///
/// Kept by vertex, not by segment: the size is then twice the number of segments, whatever meets in one vertex.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Neighbours {
    /// Row starts; one more than there are vertices, or empty where there are no segments.
    pub starts: Vec<u32>,
    /// The segments at each vertex, ascending within a row.
    pub segments: Vec<PrimId>,
}

impl Neighbours {
    /// The segments at a vertex, ascending.
    #[inline]
    pub fn at(&self, vertex: VertexId) -> &[PrimId] {
        match (self.starts.get(vertex.at()), self.starts.get(vertex.at() + 1)) {
            (Some(&a), Some(&b)) => &self.segments[a as usize..b as usize],
            _ => &[],
        }
    }
}

/// A tool: a rigid body tied to a hand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tool {
    /// Name, unique in the scene.
    pub name: String,
    /// Its body.
    pub body: BodyId,
    /// Its frame.
    pub rigid: RigidId,
    /// The point the hand leads, in the frame \[m\].
    pub tip: Vec3,
    /// What its jaws reach: vertices nearer to the tip than this \[m\].
    pub reach: Real,
    /// Most force with which they hold, shared by the vertices held \[N\]. Beyond it tissue slips.
    pub strength: Real,
    /// How many vertices they hold at most.
    pub holds: u32,
}

/// The gap at rest as a share of the smaller radius, or half the thickness.
const REST_SHARE: Real = 0.2;

impl Model {
    /// Whether the two primitives, `i` < `j`, can ever make a contact.
    #[inline]
    pub fn may_touch(&self, i: PrimId, j: PrimId) -> bool {
        let (a, b) = (&self.prims[i.at()], &self.prims[j.at()]);
        if !self.can_meet(&a.kind, &b.kind) {
            return false;
        }
        if a.body == b.body {
            let body = &self.bodies[a.body.at()];
            let sheet = a.membrane && b.membrane;
            return body.self_contact
                && (!sheet || body.membrane_contact)
                && (self.can_move(a) || self.can_move(b))
                && !self.excluded.contains(i, j);
        }
        (self.can_move(a) || self.can_move(b)) && !self.excluded.contains(i, j)
    }

    /// Whether two kinds meet at all. What touches a triangle elsewhere than inside of its face touches its sides, which
    /// are segments; so triangles meet neither one another nor planes.
    #[inline]
    fn can_meet(&self, a: &PrimKind, b: &PrimKind) -> bool {
        let other = match (a, b) {
            (PrimKind::Triangle(_), other) | (other, PrimKind::Triangle(_)) => other,
            _ => return true,
        };
        match other {
            PrimKind::Segment(_) => true,
            PrimKind::Shape(r) => self.rigids[r.at()].shape != Shape::Plane,
            PrimKind::Triangle(_) => false,
        }
    }

    /// A primitive and the segments that share a vertex with it, itself first.
    #[inline]
    pub fn neighbourhood(&self, prim: PrimId) -> impl Iterator<Item = PrimId> {
        let ends = match self.prims[prim.at()].kind {
            PrimKind::Segment(ends) => ends.map(|v| self.neighbours.at(v)),
            PrimKind::Shape(_) | PrimKind::Triangle(_) => [&[][..]; 2],
        };
        let others = ends.into_iter().flatten().copied().filter(move |&p| p != prim);
        std::iter::once(prim).chain(others)
    }

    /// A number that only primitives share which can never touch one another; 0 for those that have none.
    pub fn group(&self, prim: PrimId) -> u32 {
        let prim = &self.prims[prim.at()];
        let body = &self.bodies[prim.body.at()];
        let shy = !body.self_contact || (prim.membrane && !body.membrane_contact);
        match prim.kind {
            _ if shy => prim.body.0 + 1,
            PrimKind::Triangle(_) => u32::MAX,
            _ => 0,
        }
    }

    /// The gap that two primitives keep where they touch \[m\]: smaller for what is thinner.
    #[inline]
    pub fn rest_gap(&self, (a, b): (PrimId, PrimId), radius: &[Real]) -> Real {
        let size = |p: PrimId| match self.prims[p.at()].kind {
            PrimKind::Segment(_) | PrimKind::Triangle(_) => radius[p.at()],
            PrimKind::Shape(r) => match self.rigids[r.at()].shape {
                Shape::Ball | Shape::Capsule { .. } => radius[p.at()],
                Shape::Cuboid { half } => half.min_element(),
                Shape::Plane => Real::INFINITY,
            },
        };
        REST_GAP.min(REST_SHARE * size(a).min(size(b)))
    }

    /// Whether there are two bodies, or one that may touch itself. O(bodies).
    pub fn anything_may_touch(&self) -> bool {
        self.bodies.len() > 1 || self.bodies.iter().any(|b| b.self_contact)
    }

    /// Whether a primitive can move at all.
    pub fn prim_moves(&self, prim: PrimId) -> bool {
        self.can_move(&self.prims[prim.at()])
    }

    fn can_move(&self, prim: &Prim) -> bool {
        match prim.kind {
            PrimKind::Shape(r) => self.rigids[r.at()].inv_mass > 0.0,
            _ => prim.kind.vertices().iter().any(|v| self.inv_mass[v.at()] > 0.0),
        }
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId::from)
    }
}
