//! Energies and momenta of a world, for reports, probes and tests.

use crate::body::{band, flexible, solid, springs, tissue};
use crate::model::BodyKind;
use crate::{BodyId, Real, Vec3, World};
use serde::{Deserialize, Serialize};

/// Which energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EnergyKind {
    /// Of motion.
    Kinetic,
    /// Of stretched springs.
    Elastic,
    /// Of height, zero at the origin.
    Gravity,
    /// Their sum.
    Total,
}

/// The energy of one body \[J\]. Fixed vertices and fixed shapes hold none; a tool has no weight.
pub fn body_energy(world: &World, b: BodyId, kind: EnergyKind) -> Real {
    match kind {
        EnergyKind::Kinetic => kinetic(world, b),
        EnergyKind::Elastic => elastic(world, b),
        EnergyKind::Gravity => gravity(world, b),
        EnergyKind::Total => kinetic(world, b) + elastic(world, b) + gravity(world, b),
    }
}

/// The energy of all bodies \[J\].
pub fn world_energy(world: &World, kind: EnergyKind) -> Real {
    (0..world.model.bodies.len()).map(|b| body_energy(world, BodyId::from(b), kind)).sum()
}

fn kinetic(world: &World, b: BodyId) -> Real {
    let (model, state) = (&world.model, &world.state);
    let body = &model.bodies[b.at()];
    let vertices: Real = body
        .vertex_range()
        .filter(|&v| model.inv_mass[v] > 0.0)
        .map(|v| 0.5 * model.mass[v] * state.vel[v].length_squared())
        .sum();
    let BodyKind::Rigid(r) = body.kind else { return vertices };
    let (rigid, twist) = (&model.rigids[r.at()], &state.twist[r.at()]);
    if rigid.inv_mass == 0.0 {
        return vertices;
    }
    let spin = state.pose[r.at()].rot.conjugate() * twist.omega;
    vertices + 0.5 * rigid.mass * twist.vel.length_squared() + 0.5 * spin.dot(rigid.inertia * spin)
}

fn elastic(world: &World, b: BodyId) -> Real {
    match &world.model.bodies[b.at()].kind {
        BodyKind::Springs(s) => {
            springs::energy(&world.model.springs[s.springs()], &world.params.bodies[b.at()], &world.state.pos)
        }
        BodyKind::Band(band) => {
            band::energy(&world.model, band, &world.params.bodies[b.at()], &world.state.pos)
        }
        BodyKind::Tissue(body) => {
            tissue::energy(&world.model, body, b.at(), &world.params.bodies[b.at()], &world.state.pos)
        }
        BodyKind::Solid(body) => {
            let (model, pos) = (&world.model, &world.state.pos);
            solid::energy(model, body, &world.params.bodies[b.at()], pos)
                + solid::tie_energy(model, b.at(), pos)
        }
        BodyKind::Flexible(body) => {
            flexible::energies(body, &world.scratch.flexibles[b.at()], world.params.fall())[0]
        }
        BodyKind::Rigid(_) => 0.0,
    }
}

fn gravity(world: &World, b: BodyId) -> Real {
    let (model, state, g) = (&world.model, &world.state, world.params.fall());
    let body = &model.bodies[b.at()];
    if let BodyKind::Flexible(own) = &body.kind {
        return flexible::energies(own, &world.scratch.flexibles[b.at()], g)[1];
    }
    let vertices: Real = body
        .vertex_range()
        .filter(|&v| model.inv_mass[v] > 0.0)
        .map(|v| -model.mass[v] * g.dot(state.pos[v]))
        .sum();
    match body.kind {
        BodyKind::Rigid(r) if model.rigids[r.at()].inv_mass > 0.0 && !is_tool(world, b) => {
            vertices - model.rigids[r.at()].mass * g.dot(state.pose[r.at()].pos)
        }
        _ => vertices,
    }
}

fn is_tool(world: &World, b: BodyId) -> bool {
    world.model.tools.iter().any(|t| t.body == b)
}

/// Linear and angular momentum (about the origin) of everything that moves \[N s\], \[N m s\].
pub fn momentum(world: &World) -> (Vec3, Vec3) {
    let (model, state) = (&world.model, &world.state);
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for v in (0..model.rest.len()).filter(|&v| model.inv_mass[v] > 0.0) {
        let p = state.vel[v] * model.mass[v];
        linear += p;
        angular += state.pos[v].cross(p);
    }
    for (i, rigid) in model.rigids.iter().enumerate().filter(|(_, r)| r.inv_mass > 0.0) {
        let (pose, twist) = (&state.pose[i], &state.twist[i]);
        let p = twist.vel * rigid.mass;
        linear += p;
        let spin = pose.rot * (rigid.inertia * (pose.rot.conjugate() * twist.omega));
        angular += pose.pos.cross(p) + spin;
    }
    (linear, angular)
}
