//! `RawScene`: a scene as written, in SI units, before anything is computed from it.

mod flexible;
mod solid;

pub use crate::solid::RawDescent;
pub use flexible::{ControlMove, RawCompliance, RawControl, RawFlexible, RawMethod};
pub use solid::{Inside, RawElastic, RawFilled, RawTets, RawTie, RawWall, Recipe, WallStiffness};

use serosa_geometry::generate::intestine::Strip;
use serosa_geometry::{Aabb, Mesh, Quat, Real, Vec3};
use serosa_sim::energy::EnergyKind;
use serosa_sim::model::{Integrator, Pose};
use serosa_sim::params::{Detector, Filter, Response, Solver, Tracker};
use serosa_sim::probe::ReactionKind;

/// A scene as written.
#[derive(Clone, Debug, Default)]
pub struct RawScene {
    /// One line for lists and window titles.
    pub title: String,
    /// A paragraph for people.
    pub about: String,
    /// Forces, step and methods.
    pub world: RawWorld,
    /// Organs, ropes, tables.
    pub bodies: Vec<RawBody>,
    /// Instruments, each led by a hand.
    pub tools: Vec<RawTool>,
    /// What to measure.
    pub probes: Vec<RawProbe>,
    /// What the user may turn.
    pub tunables: Vec<RawTunable>,
    /// Where to look from.
    pub camera: Option<Camera>,
    /// Texts shown at places in the scene.
    pub texts: Vec<Text>,
    /// What a mesh file holds: importers fill only these and [`Self::materials`] and [`Self::remarks`].
    pub parts: Vec<Part>,
    /// Materials that parts wear.
    pub materials: Vec<Material>,
    /// What a file held besides and was not taken over, in whole sentences.
    pub remarks: Vec<String>,
}

/// A mesh as a file brings it: in the file's own units, points and faces in the file's own order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// As the file calls it; empty where it has no name.
    pub name: String,
    /// Positions, transforms applied.
    pub points: Vec<Vec3>,
    /// Pairs of points joined by lines.
    pub lines: Vec<[u32; 2]>,
    /// Triangles, anticlockwise seen from outside where the file says which side that is. Polygons are cut.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra, of positive volume where the file's are.
    pub tets: Vec<[u32; 4]>,
    /// For each triangle its three normals, numbers in [`Self::normals`]; empty where there are none.
    pub triangle_normals: Vec<[u32; 3]>,
    /// Normals, unit.
    pub normals: Vec<Vec3>,
    /// For each triangle its three texture coordinates, numbers in [`Self::uvs`]; empty where there are none.
    pub triangle_uvs: Vec<[u32; 3]>,
    /// Texture coordinates.
    pub uvs: Vec<[Real; 2]>,
    /// Colour of each point, red, green, blue, alpha from 0 to 1; empty where there are none.
    pub colors: Vec<[f32; 4]>,
    /// For each triangle a number in [`RawScene::materials`]; empty where there are none.
    pub triangle_materials: Vec<u32>,
    /// For each triangle the number of its region as the file gives it; empty where there are none.
    pub triangle_regions: Vec<i64>,
    /// For each tetrahedron the number of its region as the file gives it; empty where there are none.
    pub tet_regions: Vec<i64>,
    /// For each tetrahedron density \[kg/m³\], Young's modulus \[Pa\] and Poisson's ratio; empty where there are none.
    pub tet_materials: Vec<[Real; 3]>,
    /// Named sets of points, ascending.
    pub sets: std::collections::BTreeMap<String, Vec<u32>>,
}

/// How a part of a mesh file looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// As the file calls it; empty where it has no name.
    pub name: String,
    /// Red, green, blue from 0 to 1.
    pub color: [f32; 3],
    /// From 0, opaque, to 1, invisible.
    pub transparency: f32,
    /// File name of its texture, as written.
    pub texture: Option<String>,
}

/// A part of a scene, by its place in the lists of [`RawScene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The whole scene.
    Scene,
    /// A body.
    Body(usize),
    /// How a body is filled.
    Fill(usize),
    /// An attachment of a body.
    Attachment(usize, usize),
    /// A tool.
    Tool(usize),
    /// A probe.
    Probe(usize),
    /// A tunable parameter.
    Tunable(usize),
}

/// Forces, step and methods.
#[derive(Clone, Debug)]
pub struct RawWorld {
    /// \[m/s²\]
    pub gravity: Vec3,
    /// \[s\]
    pub dt_s: Real,
    /// Parts of a step.
    pub substeps: u32,
    /// Passes of iterative solvers.
    pub sweeps: u32,
    /// Time that a step may take on the clock \[s\]; the session makes fewer passes where it would take longer.
    pub budget_s: Option<Real>,
    /// How contacts are found.
    pub detector: Detector,
    /// How the tracker looks, where it is the detector.
    pub tracker: Tracker,
    /// How contacts are answered.
    pub response: Response,
    /// How a quadratic programme is solved, where it is the response.
    pub solver: Solver,
    /// Whether steps are clipped.
    pub filter: Filter,
    /// What is done with bodies that overlap at the start.
    pub overlaps: Overlaps,
}

/// What is done with bodies that overlap at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaps {
    /// They are a mistake where steps are clipped, and told otherwise.
    #[default]
    Refuse,
    /// They are moved apart before the first step.
    Part,
}

impl Default for RawWorld {
    fn default() -> Self {
        let p = serosa_sim::Params::default();
        Self {
            gravity: p.fall(),
            dt_s: p.dt_s,
            substeps: p.substeps,
            sweeps: p.sweeps,
            budget_s: None,
            detector: p.detector,
            tracker: p.tracker,
            response: p.response,
            solver: p.solver,
            filter: p.filter,
            overlaps: Overlaps::Refuse,
        }
    }
}

/// A body as written.
#[derive(Clone, Debug)]
pub struct RawBody {
    /// Unique name.
    pub name: String,
    /// Where it is and what it looks like.
    pub geometry: RawGeometry,
    /// What it is made of.
    pub model: RawModel,
    /// Coulomb coefficient.
    pub friction: Real,
    /// \[1/s\]
    pub drag: Real,
    /// The strains, least and most, that its springs may have; only a quadratic programme keeps them.
    pub stretch: [Real; 2],
    /// Whether it may touch itself.
    pub self_contact: bool,
    /// Whether its membrane may touch its membrane as well.
    pub membrane_contact: bool,
    /// Vertices held where they are.
    pub attachments: Vec<Selector>,
    /// What it is drawn as.
    pub finish: Finish,
}

/// What a body is drawn as; the simulation does not ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// As its shape suggests.
    #[default]
    Plain,
    /// A covered table.
    Table,
    /// Moist, dark tissue, such as the wall of the abdomen.
    Tissue,
    /// Bowel: a soft chain as small intestine, a fixed rod as colon.
    Bowel,
    /// Brushed steel.
    Steel,
    /// A kidney: brownish red.
    Kidney,
    /// A liver: dark red-brown.
    Liver,
    /// A gallbladder: green.
    Gallbladder,
    /// A stomach: pink.
    Stomach,
    /// A spleen: purple.
    Spleen,
    /// A colon: pale pink.
    Colon,
    /// A sheet woven of polypropylene, as surgical meshes are.
    Weave,
    /// Amber rubber; parts of other materials are grey.
    Rubber,
    /// Clear plastic: one sees through it.
    Plastic,
}

impl RawBody {
    /// A body that is plain in every other way: no friction, no drag, it may touch itself, nothing holds it.
    pub fn new(name: impl Into<String>, geometry: RawGeometry, model: RawModel) -> Self {
        Self {
            name: name.into(),
            geometry,
            model,
            friction: 0.0,
            drag: 0.0,
            stretch: [-1.0, Real::INFINITY],
            self_contact: true,
            membrane_contact: false,
            finish: Finish::Plain,
            attachments: Vec::new(),
        }
    }
}

/// The geometry of a body.
#[derive(Clone, Debug)]
pub enum RawGeometry {
    /// Points and edges; each edge collides as a capsule of this radius \[m\].
    Mesh {
        /// In world coordinates.
        mesh: Mesh,
        /// Half the thickness \[m\].
        radius: Real,
    },
    /// A tube along the border of a membrane, whose last row is held.
    Strip(RawStrip),
    /// Tetrahedra.
    Tets(RawTets),
    /// A surface that is filled with tetrahedra when it is baked, and carried along by them.
    Filled(Box<RawFilled>),
    /// A simple solid at a pose.
    Solid {
        /// Which solid.
        solid: RawSolid,
        /// Where.
        pose: Pose,
    },
}

impl RawGeometry {
    /// Its points, edges and sets, where it has any.
    pub fn mesh(&self) -> Option<&Mesh> {
        match self {
            Self::Mesh { mesh, .. } => Some(mesh),
            Self::Strip(raw) => Some(&raw.strip.mesh),
            Self::Tets(raw) => Some(&raw.mesh),
            Self::Filled(raw) => Some(&raw.surface),
            Self::Solid { .. } => None,
        }
    }
}

/// A strip as written.
#[derive(Clone, Debug)]
pub struct RawStrip {
    /// Its points.
    pub strip: Strip,
    /// Of the tube in the end \[m\].
    pub radius: Real,
    /// Of the tube at the start \[m\]; as wide as is free where none is given.
    pub start_radius: Option<Real>,
    /// How long the tube takes to widen \[s\].
    pub inflation_s: Real,
    /// Half the thickness of the membrane \[m\].
    pub half_thickness: Real,
}

/// Simple solids, each about its own origin; lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RawSolid {
    /// The half-space below z = 0.
    Plane,
    /// A ball.
    Sphere {
        /// \[m\]
        radius: Real,
    },
    /// A capsule along z.
    Capsule {
        /// Of the core \[m\].
        length: Real,
        /// \[m\]
        radius: Real,
    },
    /// A box.
    Cuboid {
        /// Edges \[m\].
        size: Vec3,
    },
}

/// The mechanics of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum RawModel {
    /// Point masses and damped springs along the edges.
    Springs {
        /// Of the whole body \[kg\].
        mass: Real,
        /// Of each spring \[N/m\].
        stiffness: Real,
        /// Of each spring \[N s/m\].
        damping: Real,
        /// Of springs across two edges in line \[N/m\]; 0 for none.
        bending: Real,
        /// The tube of a strip, where it differs from the membrane; `mass` is then that of the membrane.
        tube: Option<SpringTube>,
    },
    /// A rope, or a strip, solved as one band.
    Band(RawBand),
    /// A surface of triangles with energies of lengths, areas and volumes.
    Tissue(RawTissue),
    /// Tetrahedra of an elastic material.
    Solid(RawElastic),
    /// Linear elasticity, solved beforehand.
    Flexible(Box<RawFlexible>),
    /// A movable solid.
    Rigid {
        /// \[kg\]
        mass: Real,
    },
    /// A solid that stays.
    Fixed,
}

/// The springs along the border of a strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringTube {
    /// Of all of it \[kg\].
    pub mass: Real,
    /// Of each spring \[N/m\].
    pub stiffness: Real,
}

/// The mechanics of a rope, or of a tube with its membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawBand {
    /// Of a rope, or of the membrane of a strip \[kg\].
    pub mass: Real,
    /// Of the tube of a strip \[kg\].
    pub tube_mass: Option<Real>,
    /// Along the tube or rope \[N\]: force for a stretch of one.
    pub tube_stretch: Real,
    /// Across the tube or rope \[N m²\]: moment for a curvature of one.
    pub tube_bending: Real,
    /// Of the membrane \[N/m\]: Young's modulus times thickness.
    pub stiffness: Real,
    /// Of the membrane \[N m\]: moment by width for a curvature of one.
    pub bending: Real,
    /// Viscous forces are the elastic ones of the strain that this time brings \[s\].
    pub relaxation_s: Real,
}

/// The mechanics of tissue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawTissue {
    /// Its mass.
    pub mass: SurfaceMass,
    /// In its surface \[N/m\]: Young's modulus times thickness.
    pub stiffness: Real,
    /// Against changes of area \[N/m\]: tension for a change of one.
    pub area: Real,
    /// Of its surface \[N m\]: moment by width for a curvature of one; 0 for no virtual tetrahedra.
    pub bending: Real,
    /// Against changes of the enclosed volume \[Pa\]: pressure for a change of one; 0 where it is not kept.
    pub bulk: Real,
    /// Rate at which it swings back to its rest shape \[1/s\]; 0 where it does not.
    pub restoration: Real,
    /// Viscous forces are the elastic ones of the strain that this time brings \[s\].
    pub relaxation_s: Real,
    /// How it is moved.
    pub integrator: Integrator,
}

/// The mass of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SurfaceMass {
    /// Of all of it \[kg\], shared out by area.
    Total(Real),
    /// Of each piece of area \[kg/m²\].
    ByArea(Real),
}

/// Which vertices.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// Those in a box.
    Box(Aabb),
    /// Those on or below a plane.
    Plane {
        /// On the plane \[m\].
        point: Vec3,
        /// Upwards, unit.
        normal: Vec3,
    },
    /// A named set of the mesh.
    Name(String),
}

/// A tool as written.
#[derive(Clone, Debug)]
pub struct RawTool {
    /// Unique name.
    pub name: String,
    /// A ball, or a shaft that ends in the tip.
    pub solid: RawSolid,
    /// The tip at the start \[m\].
    pub tip: Vec3,
    /// Where it points, unit.
    pub direction: Vec3,
    /// \[kg\]
    pub mass: Real,
    /// Coulomb coefficient.
    pub friction: Real,
    /// Of the coupling \[N/m\].
    pub stiffness: Real,
    /// Of the coupling \[N s/m\]; critical where none is given.
    pub damping: Option<Real>,
    /// Of the coupling \[N m/rad\].
    pub turn_stiffness: Real,
    /// Fastest that it follows the hand \[m/s\].
    pub speed_max: Real,
    /// How far beyond the surface of the tip its jaws reach \[m\].
    pub reach: Real,
    /// Most force with which they hold \[N\].
    pub strength: Real,
    /// How many vertices they hold at most.
    pub holds: u32,
    /// Where the hand goes when nobody leads it, in order of time.
    pub moves: Vec<Move>,
}

/// A place of a hand at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// From the start of the run \[s\].
    pub time_s: Real,
    /// Where the tip is to be \[m\].
    pub tip: Vec3,
    /// Where it points, unit; as before where none is given.
    pub direction: Option<Vec3>,
    /// Whether the jaws are closed from here on.
    pub grip: bool,
}

/// A probe as written.
#[derive(Clone, Debug)]
pub struct RawProbe {
    /// Unique name.
    pub name: String,
    /// What to measure.
    pub measure: RawMeasure,
}

/// What to measure, by names.
#[derive(Clone, Debug)]
pub enum RawMeasure {
    /// Where something is.
    Position(RawPlace),
    /// How far two things are apart.
    Distance(RawPlace, RawPlace),
    /// How long a body is.
    Length(String),
    /// Contact force on a body or tool.
    ContactForce(String),
    /// Force of the hand on a tool.
    HandForce(String),
    /// Load on a named set of a body.
    SupportForce(RawPlace),
    /// Energy of a body, or of all.
    Energy(EnergyKind, Option<String>),
    /// What a control element of a flexible body puts on it, by names.
    Reaction(String, String, ReactionKind),
    /// How much of a box a body hides.
    Cover {
        /// The body.
        body: String,
        /// The box \[m\].
        goal: Aabb,
        /// Towards the eye, unit.
        from: Vec3,
    },
}

/// A place by name.
#[derive(Clone, Debug)]
pub struct RawPlace {
    /// Body or tool.
    pub body: String,
    /// A named set or the number of a vertex; the whole body, or the tip of a tool, where empty.
    pub at: String,
}

/// A tunable as written.
#[derive(Clone, Debug)]
pub struct RawTunable {
    /// What the user reads; the target where empty.
    pub name: String,
    /// `gravity`, or `BODY.stiffness` and the like.
    pub target: String,
    /// Smallest, SI.
    pub min: Real,
    /// Largest, SI.
    pub max: Real,
    /// Unit for showing, and its size in SI.
    pub unit: (String, Real),
}

/// Where to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The eye \[m\].
    pub eye: Vec3,
    /// What it looks at \[m\].
    pub target: Vec3,
    /// Vertical angle of view \[rad\].
    pub angle: Real,
}

/// A text at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Where \[m\].
    pub at: Vec3,
}

/// A pose from a position alone.
pub fn at(pos: Vec3) -> Pose {
    Pose { pos, rot: Quat::IDENTITY }
}
