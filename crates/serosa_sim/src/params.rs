//! `Params`: what the user chooses, and may change between steps.

use crate::{BodyId, Real, ToolId, Vec3};
use serde::{Deserialize, Serialize};

/// All choices. Stepping with other parameters is allowed at any tick; changes travel with the `Input`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// Time of one step \[s\].
    pub dt_s: Real,
    /// Equal parts into which a step is cut.
    pub substeps: u32,
    /// Passes over springs and over rows in a substep, unless the input asks for another number.
    pub sweeps: u32,
    /// Where free bodies fall, unit.
    pub down: Vec3,
    /// How fast they fall \[m/s²\].
    pub gravity: Real,
    /// How contacts are found.
    pub detector: Detector,
    /// How the tracker looks, where it is the detector.
    pub tracker: Tracker,
    /// How contacts are answered.
    pub response: Response,
    /// How the quadratic programme is solved, where it is the response.
    pub solver: Solver,
    /// Whether steps are clipped so that nothing can pass through anything.
    pub filter: Filter,
    /// When the guard takes a body out of the motion.
    pub guard: Guard,
    /// One per body.
    pub bodies: Vec<BodyParams>,
    /// One per tool.
    pub couplings: Vec<Coupling>,
    /// What the scene lets its user turn, in the order of the scene file.
    pub tunables: Vec<Tunable>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            dt_s: 1e-3,
            substeps: 1,
            sweeps: 10,
            down: Vec3::NEG_Z,
            gravity: 9.81,
            detector: Detector::Grid,
            tracker: Tracker::default(),
            response: Response::DisplacementVelocity,
            solver: Solver::Exact,
            filter: Filter::Off,
            guard: Guard::default(),
            bodies: Vec::new(),
            couplings: Vec::new(),
            tunables: Vec::new(),
        }
    }
}

/// How contacts are found. All pairs and the grid find the same; the tracker may miss some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detector {
    /// Every pair: quadratic, the twin that the others are compared with.
    AllPairs,
    /// A sorted grid: near-linear.
    Grid,
    /// Pairs of segments followed from step to step, new ones drawn at random (Raghupathi et al. 2003): what it has
    /// not come upon yet it does not find. The published way, kept to be compared with.
    Tracker,
}

/// How the tracker looks; see [`crate::detect::tracker`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tracker {
    /// Pairs drawn in every substep.
    pub random_pairs: u32,
    /// How far a pair is followed, as a multiple of the sum of its radii.
    pub reach: Real,
    /// Other seeds draw other pairs.
    pub seed: u64,
}

impl Default for Tracker {
    fn default() -> Self {
        // The paper names neither number; these are the reconstruction that reproduces its behaviour at its sizes.
        Self { random_pairs: 50, reach: 1.5, seed: 0 }
    }
}

/// How contacts are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// Displacements and velocities corrected apart (Raghupathi et al. 2003, with corrected signs).
    DisplacementVelocity,
    /// Bodies and contacts descend one potential together; multipliers are kept from step to step.
    AugmentedLagrangian,
    /// Surfaces that overlap are moved apart region by region, each along one direction (MedVR 2008).
    Projection,
    /// Surfaces that overlap are moved apart vertex by vertex, by depths and directions that change smoothly (LAPAROS,
    /// after Heidelberger et al. 2004).
    ConsistentPenetration,
    /// Springs, solids, rigid shapes and contacts as one quadratic programme for the new velocities (QP-Collide,
    /// Raghupathi and Faure 2006, with corrected signs).
    Qp,
    /// Contacts are found and reported, not answered.
    Ignore,
}

impl Response {
    /// Whether it moves surfaces apart that have pressed into one another.
    pub fn presses(self) -> bool {
        matches!(self, Self::Projection | Self::ConsistentPenetration)
    }

    /// Whether it takes its rows from what is near before things move, not from where free motion has led.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Self::AugmentedLagrangian | Self::Qp)
    }
}

/// How a quadratic programme is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Solver {
    /// To the last digits, friction too.
    #[default]
    Exact,
    /// The active set of the paper, without friction and with its compliance.
    Faithful,
    /// Sweeps over thousands of rows, to a few parts in a hundred.
    Large,
}

/// Whether steps are clipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Filter {
    /// Steps are taken as the response leaves them; fast things may pass through thin ones.
    Off,
    /// Steps are clipped by planes between near pairs: from a separated start nothing passes through anything.
    Planes,
}

/// The bounds beyond which a body is called runaway.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// Fastest allowed \[m/s\]. A surgical scene stays below 10; a rope falling for 10 s reaches 98.
    pub speed_max: Real,
    /// Farthest allowed from the origin \[m\].
    pub reach_max: Real,
}

impl Default for Guard {
    fn default() -> Self {
        Self { speed_max: 200.0, reach_max: 1000.0 }
    }
}

/// Material choices of one body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyParams {
    /// Of each stretch spring \[N/m\]; of a solid Young's modulus of its first region \[Pa\], to which the others keep
    /// their ratios.
    pub stiffness: Real,
    /// Of each bend spring \[N/m\].
    pub bending: Real,
    /// Of each stretch spring \[N s/m\].
    pub damping: Real,
    /// Share of that damping which bend springs have, as their stiffness was to the stretch springs' at first.
    pub bend_share: Real,
    /// The strain that no stretch spring exceeds, as a quadratic programme keeps it; infinite for none.
    pub stretch_max: Real,
    /// The strain below which no stretch spring falls; −1 for none.
    pub stretch_min: Real,
    /// Rate at which motion through the surroundings dies out \[1/s\].
    pub drag: Real,
    /// Coulomb coefficient; a contact takes the geometric mean of its two bodies.
    pub friction: Real,
    /// Along a tube \[N\]: force for a stretch of one.
    pub tube_stretch: Real,
    /// Across a tube \[N m²\]: moment for a curvature of one.
    pub tube_bending: Real,
    /// Of a band, tissue or solid: viscous forces are the elastic ones of the strain that this time brings \[s\].
    pub relaxation: Real,
    /// Of tissue, against changes of area \[N/m\]: tension for a change of one.
    pub area: Real,
    /// Of tissue, against changes of the enclosed volume \[Pa\]: pressure for a change of one.
    pub bulk: Real,
    /// Of tissue: rate at which it swings back to its rest shape \[1/s\].
    pub restoration: Real,
}

impl Default for BodyParams {
    fn default() -> Self {
        Self {
            stiffness: 0.0,
            bending: 0.0,
            damping: 0.0,
            bend_share: 0.0,
            stretch_max: Real::INFINITY,
            stretch_min: -1.0,
            drag: 0.0,
            friction: 0.0,
            tube_stretch: 0.0,
            tube_bending: 0.0,
            relaxation: 0.0,
            area: 0.0,
            bulk: 0.0,
            restoration: 0.0,
        }
    }
}

/// The spring–damper between a hand and its tool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coupling {
    /// \[N/m\]
    pub stiffness: Real,
    /// \[N s/m\]; critical where none is given, whatever the stiffness is tuned to.
    pub damping: Option<Real>,
    /// \[N m/rad\]
    pub turn_stiffness: Real,
    /// \[N m s/rad\]
    pub turn_damping: Real,
    /// Fastest that the tool follows the hand \[m/s\]; a hand that jumps is caught up with at this speed.
    pub speed_max: Real,
}

impl Coupling {
    /// The damping for a tool of this mass \[N s/m\].
    pub fn damping_of(&self, mass: Real) -> Real {
        self.damping.unwrap_or(2.0 * (self.stiffness * mass).sqrt())
    }
}

/// Fastest turn with which a tool follows the hand \[rad/s\].
pub const TURN_MAX: Real = 20.0;

/// Something the user may turn while the scene runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tunable {
    /// What the user reads.
    pub name: String,
    /// What it changes.
    pub target: Target,
    /// Unit in which it is shown, and its size in SI.
    pub unit: (String, Real),
    /// Smallest allowed, SI.
    pub min: Real,
    /// Largest allowed, SI.
    pub max: Real,
    /// Value at the start, SI.
    pub start: Real,
}

/// What a tunable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The size of gravity; its direction stays.
    Gravity,
    /// `BodyParams::stiffness`
    Stiffness(BodyId),
    /// `BodyParams::bending`
    Bending(BodyId),
    /// `BodyParams::damping`
    Damping(BodyId),
    /// `BodyParams::drag`
    Drag(BodyId),
    /// `BodyParams::friction`
    Friction(BodyId),
    /// `BodyParams::tube_stretch`
    TubeStretch(BodyId),
    /// `BodyParams::tube_bending`
    TubeBending(BodyId),
    /// `BodyParams::relaxation`
    Relaxation(BodyId),
    /// `BodyParams::area`
    Area(BodyId),
    /// `BodyParams::bulk`
    Bulk(BodyId),
    /// `BodyParams::restoration`
    Restoration(BodyId),
    /// `Coupling::stiffness`
    CouplingStiffness(ToolId),
}

impl Params {
    /// The place a target names.
    fn slot(&mut self, target: Target) -> Option<&mut Real> {
        let bodies = &mut self.bodies;
        match target {
            Target::Gravity => Some(&mut self.gravity),
            Target::Stiffness(b) => bodies.get_mut(b.at()).map(|p| &mut p.stiffness),
            Target::Bending(b) => bodies.get_mut(b.at()).map(|p| &mut p.bending),
            Target::Damping(b) => bodies.get_mut(b.at()).map(|p| &mut p.damping),
            Target::Drag(b) => bodies.get_mut(b.at()).map(|p| &mut p.drag),
            Target::Friction(b) => bodies.get_mut(b.at()).map(|p| &mut p.friction),
            Target::TubeStretch(b) => bodies.get_mut(b.at()).map(|p| &mut p.tube_stretch),
            Target::TubeBending(b) => bodies.get_mut(b.at()).map(|p| &mut p.tube_bending),
            Target::Relaxation(b) => bodies.get_mut(b.at()).map(|p| &mut p.relaxation),
            Target::Area(b) => bodies.get_mut(b.at()).map(|p| &mut p.area),
            Target::Bulk(b) => bodies.get_mut(b.at()).map(|p| &mut p.bulk),
            Target::Restoration(b) => bodies.get_mut(b.at()).map(|p| &mut p.restoration),
            Target::CouplingStiffness(t) => self.couplings.get_mut(t.at()).map(|p| &mut p.stiffness),
        }
    }

    /// The acceleration of free bodies \[m/s²\].
    pub fn fall(&self) -> Vec3 {
        self.down * self.gravity
    }

    /// The value a target has now.
    pub fn value(&mut self, target: Target) -> Real {
        self.slot(target).map_or(0.0, |v| *v)
    }

    /// Takes the values of all tunables, clamped to their ranges; values that are not finite are passed over.
    /// Taking the same values again changes nothing, so that a run does not depend on how often they were said.
    pub fn tune(&mut self, values: &[Real]) {
        for (i, &value) in values.iter().enumerate() {
            let Some(tunable) = self.tunables.get(i) else { break };
            let (target, value) = (tunable.target, value.clamp(tunable.min, tunable.max));
            if let Some(slot) = self.slot(target).filter(|_| value.is_finite()) {
                *slot = value;
            }
        }
    }
}
