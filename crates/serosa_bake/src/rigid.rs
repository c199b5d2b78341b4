//! Rigid frames: mass properties of simple solids.

use crate::raw::{RawSolid, RawTool};
use core::f64::consts::PI;
use serosa_geometry::{BodyId, Real, RigidId, Vec3, rotation};
use serosa_sim::model::{Model, Pose, Prim, PrimKind, Rigid, Shape, Tool};
use serosa_sim::params::Coupling;

/// The shape of a solid in the engine, and its radius.
fn shape(solid: RawSolid) -> (Shape, Real) {
    match solid {
        RawSolid::Plane => (Shape::Plane, 0.0),
        RawSolid::Sphere { radius } => (Shape::Ball, radius),
        RawSolid::Capsule { length, radius } => (Shape::Capsule { half: 0.5 * length }, radius),
        RawSolid::Cuboid { size } => (Shape::Cuboid { half: size * 0.5 }, 0.0),
    }
}

/// Principal moments of inertia of a solid of even density about its centre \[kg m²\].
pub fn inertia(solid: RawSolid, mass: Real) -> Vec3 {
    match solid {
        RawSolid::Plane => Vec3::ZERO,
        RawSolid::Sphere { radius } => Vec3::splat(0.4 * mass * radius * radius),
        RawSolid::Cuboid { size } => {
            let sq = size * size;
            Vec3::new(sq.y + sq.z, sq.x + sq.z, sq.x + sq.y) * (mass / 12.0)
        }
        RawSolid::Capsule { length, radius } => {
            // A cylinder and two half balls, shared out by volume.
            let (r2, cylinder, ball) =
                (radius * radius, length * radius * radius * PI, radius * radius * radius * 4.0 / 3.0 * PI);
            let density = mass / (cylinder + ball);
            let (mc, mb) = (cylinder * density, ball * density);
            let axial = mc * r2 / 2.0 + mb * r2 * 0.4;
            // Half balls: their centres lie 3/8 r beyond the ends of the core.
            let side = mc * (length * length / 12.0 + r2 / 4.0)
                + mb * (0.4 * r2 + length * length / 4.0 + 3.0 / 8.0 * length * radius);
            Vec3::new(side, side, axial)
        }
    }
}

/// Adds a rigid frame with its primitive; `mass` is `None` for a fixed one.
pub fn add(model: &mut Model, solid: RawSolid, pose: Pose, mass: Option<Real>) -> RigidId {
    let (body, id) = (BodyId::from(model.bodies.len()), RigidId::from(model.rigids.len()));
    let (shape, radius) = shape(solid);
    let moments = inertia(solid, mass.unwrap_or(0.0));
    let movable = mass.is_some();
    model.rigids.push(Rigid {
        body,
        shape,
        mass: mass.unwrap_or(0.0),
        inv_mass: mass.map_or(0.0, |m| 1.0 / m),
        inertia: moments,
        inv_inertia: if movable { moments.recip() } else { Vec3::ZERO },
        rest: pose,
    });
    model.prims.push(Prim { body, kind: PrimKind::Shape(id), radius, membrane: false });
    id
}

/// Adds a tool's frame; the tool itself and its coupling are returned.
pub fn add_tool(model: &mut Model, raw: &RawTool) -> (Tool, Coupling) {
    // A shaft points along −z of its frame, and its tip is the end of the core.
    let tip = match raw.solid {
        RawSolid::Capsule { length, .. } => Vec3::NEG_Z * (0.5 * length),
        _ => Vec3::ZERO,
    };
    let rot = rotation::between(Vec3::NEG_Z, raw.direction);
    let pose = Pose { pos: raw.tip - rot * tip, rot };
    let rigid = add(model, raw.solid, pose, Some(raw.mass));
    let body = BodyId::from(model.bodies.len());
    let moment = model.rigids[rigid.at()].inertia.max_element();
    let coupling = Coupling {
        stiffness: raw.stiffness,
        damping: raw.damping,
        turn_stiffness: raw.turn_stiffness,
        turn_damping: 2.0 * (raw.turn_stiffness * moment).sqrt(),
        speed_max: raw.speed_max,
    };
    let radius = model.prims.last().map_or(0.0, |p| p.radius);
    let (reach, strength) = (radius + raw.reach, raw.strength);
    (Tool { name: raw.name.clone(), body, rigid, tip, reach, strength, holds: raw.holds }, coupling)
}
