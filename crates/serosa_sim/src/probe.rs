//! Probes: named quantities that a scene asks to be measured.

use crate::cover::Cover;
use crate::energy::{EnergyKind, body_energy, world_energy};
use crate::model::{BodyKind, Spring, SpringKind};
use crate::{BodyId, Real, RigidId, ToolId, Vec3, VertexId, World};
use serde::{Deserialize, Serialize};

/// A named measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// Name, unique in the scene.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
}

/// What a probe measures, in SI units.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Measure {
    /// Where something is \[m\]; three numbers.
    Position(Place),
    /// Distance between two places \[m\].
    Distance(Place, Place),
    /// Length of a tube, or the total length of the stretch springs of a body \[m\].
    Length(BodyId),
    /// Size of the contact force on a body, averaged over the step \[N\].
    ContactForce(BodyId),
    /// Size of the force of the hand on a tool \[N\].
    HandForce(ToolId),
    /// Size of the force that a body's material exerts on some of its vertices, with the weight of those that are
    /// fixed \[N\]: on fixed ones, the load they carry.
    SupportForce(BodyId, Vec<VertexId>),
    /// An energy of one body, or of all \[J\].
    Energy(EnergyKind, Option<BodyId>),
    /// Force \[N\], or torque about its origin \[N m\], that a control element puts on its flexible body; three numbers.
    Reaction(BodyId, u32, ReactionKind),
    /// The share of a box that a body hides, from 0 to 1.
    Cover(Cover),
    /// Size of the load that some control elements of a flexible body, and its attachments if so said, carry \[N\].
    Carried {
        /// The flexible body.
        body: BodyId,
        /// Which of its elements.
        elements: Vec<u32>,
        /// Whether its attachments are meant as well.
        attached: bool,
    },
}

/// What a control element does to its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReactionKind {
    /// \[N\]
    Force,
    /// \[N m\]
    Torque,
}

/// Something with a position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Place {
    /// The mean of some vertices.
    Vertices(Vec<VertexId>),
    /// A point of a rigid frame, in its own coordinates.
    Frame(RigidId, Vec3),
}

impl Probe {
    /// How many numbers it gives.
    pub fn width(&self) -> usize {
        if matches!(self.measure, Measure::Position(_) | Measure::Reaction(..)) { 3 } else { 1 }
    }

    /// The unit of its numbers.
    pub fn unit(&self) -> &'static str {
        match self.measure {
            Measure::Position(_) | Measure::Distance(..) | Measure::Length(_) => "m",
            Measure::Reaction(_, _, ReactionKind::Torque) => "N m",
            Measure::ContactForce(_)
            | Measure::HandForce(_)
            | Measure::SupportForce(..)
            | Measure::Carried { .. }
            | Measure::Reaction(..) => "N",
            Measure::Energy(..) => "J",
            Measure::Cover(_) => "of 1",
        }
    }

    /// Measures, adding [`Self::width`] numbers to `out`.
    pub fn read(&self, world: &World, out: &mut Vec<Real>) {
        match &self.measure {
            Measure::Position(place) => out.extend(place.at(world).to_array()),
            Measure::Distance(a, b) => out.push((a.at(world) - b.at(world)).length()),
            Measure::Length(b) => out.push(length(world, *b)),
            Measure::ContactForce(b) => out.push(world.scratch.contact_force[b.at()].length()),
            Measure::HandForce(t) => out.push(world.scratch.hand_force[t.at()].length()),
            Measure::SupportForce(b, vertices) => out.push(support(world, *b, vertices).length()),
            Measure::Energy(kind, Some(b)) => out.push(body_energy(world, *b, *kind)),
            Measure::Energy(kind, None) => out.push(world_energy(world, *kind)),
            Measure::Reaction(b, element, kind) => {
                let all = &world.scratch.flexibles[b.at()].reactions;
                let both = all.get(*element as usize).copied().unwrap_or_default();
                out.extend(both[usize::from(*kind == ReactionKind::Torque)].to_array());
            }
            Measure::Cover(cover) => out.push(cover.share(world)),
            Measure::Carried { body, elements, attached } => {
                let BodyKind::Flexible(flexible) = &world.model.bodies[body.at()].kind else {
                    return out.push(0.0);
                };
                let (work, fall) = (&world.scratch.flexibles[body.at()], world.params.fall());
                out.push(work.carried(flexible, fall, (elements, *attached)).length());
            }
        }
    }
}

/// All probes of the scene, in its order, one after another.
pub fn read_all(world: &World, out: &mut Vec<Real>) {
    out.clear();
    for probe in &world.model.probes {
        probe.read(world, out);
    }
}

impl Place {
    fn at(&self, world: &World) -> Vec3 {
        match self {
            Self::Vertices(vertices) => {
                let sum: Vec3 = vertices.iter().map(|v| world.state.pos[v.at()]).sum();
                sum / vertices.len().max(1) as Real
            }
            Self::Frame(r, local) => world.state.pose[r.at()].point(*local),
        }
    }
}

fn springs_of(world: &World, b: BodyId) -> std::ops::Range<usize> {
    match &world.model.bodies[b.at()].kind {
        BodyKind::Springs(s) => s.springs(),
        BodyKind::Band(b) => b.springs.start as usize..b.springs.end as usize,
        BodyKind::Tissue(t) => t.springs.start as usize..t.springs.end as usize,
        BodyKind::Solid(_) | BodyKind::Flexible(_) | BodyKind::Rigid(_) => 0..0,
    }
}

fn length(world: &World, b: BodyId) -> Real {
    let pos = &world.state.pos;
    let one = |s: &Spring| (pos[s.ends[1].at()] - pos[s.ends[0].at()]).length();
    let springs = &world.model.springs[springs_of(world, b)];
    let tube = springs.iter().any(|s| s.kind == SpringKind::Tube);
    let kind = if tube { SpringKind::Tube } else { SpringKind::Stretch };
    springs.iter().filter(|s| s.kind == kind).map(one).sum()
}

/// What the material does to some vertices, and the weight of those that are fixed. A fixed vertex is not moved, so that
/// there is no inertia in it.
fn support(world: &World, b: BodyId, vertices: &[VertexId]) -> Vec3 {
    let model = &world.model;
    let fixed = vertices.iter().filter(|v| model.inv_mass[v.at()] == 0.0);
    let weight: Real = fixed.map(|v| model.mass[v.at()]).sum();
    pulls(world, b, vertices) + world.params.fall() * weight
}

/// For springs, the impulses they gave in the last substep, per time: the force as the integrator applied it. For others
/// the elastic forces where they are, of bands with those of damping.
fn pulls(world: &World, b: BodyId, vertices: &[VertexId]) -> Vec3 {
    let (model, material, pos) = (&world.model, &world.params.bodies[b.at()], &world.state.pos);
    let h = world.params.dt_s / Real::from(world.params.substeps.max(1));
    let mut forces = vec![Vec3::ZERO; pos.len()];
    match &model.bodies[b.at()].kind {
        BodyKind::Tissue(tissue) => {
            crate::body::tissue::forces(model, tissue, b.at(), material, pos, &mut forces);
        }
        BodyKind::Solid(solid) => crate::body::solid::forces(model, solid, material, pos, &mut forces),
        BodyKind::Band(band) => {
            // Where the last substep began, in what moved freely as in what the response moved.
            let before: Vec<Vec3> = pos.iter().zip(&world.state.vel).map(|(x, v)| *x - *v * h).collect();
            crate::body::band::forces(model, band, material, pos, &mut forces);
            crate::body::band::damping(model, band, (material, h), [&before, pos], &mut forces);
        }
        BodyKind::Springs(_) => return spring_pulls(world, b, vertices, h),
        BodyKind::Flexible(_) | BodyKind::Rigid(_) => {}
    }
    vertices.iter().map(|v| forces[v.at()]).sum()
}

fn spring_pulls(world: &World, b: BodyId, vertices: &[VertexId], h: Real) -> Vec3 {
    let mut force = Vec3::ZERO;
    for i in springs_of(world, b) {
        let push = world.scratch.springs[i].push() / h;
        let [a, c] = world.model.springs[i].ends;
        // `vertices` is ascending.
        if vertices.binary_search(&a).is_ok() {
            force -= push;
        }
        if vertices.binary_search(&c).is_ok() {
            force += push;
        }
    }
    force
}
