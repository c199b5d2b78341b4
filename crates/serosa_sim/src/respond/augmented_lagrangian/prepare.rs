//! From rows and grips to rows at work.

use super::touching::{Source, Touching};
use crate::body::Substep;
use crate::body::flexible::pace;
use crate::model::{BodyKind, Pose};
use crate::row::{Row, Side};
use crate::scratch::{Mobility, Scratch};
use crate::state::{Kept, State};
use crate::{Real, Vec3};

/// Stiffness of a row as a multiple of what its nodes resist with, m/h² where nothing but inertia does.
const FIRMNESS: Real = 2.0;
/// What is held does not give way, and a free corner of the same face would have to go many times as far as it is asked: a
/// row that has no more than this weight there is left to the filter.
const LEVER: Real = 0.25;
/// The share of an old overlap that is taken away in a second, and in a step at most, so that nothing pops.
const MEND: [Real; 2] = [12.0, 0.05];
/// Fastest that a gap smaller than that at rest is opened \[m/s\].
const OPENING: Real = 5e-4;

/// All rows and grips as the sweeps need them, with what is known of rows and which share of it counts.
pub(super) fn prepare(sub: &Substep, state: &State, (kept, fade): (&[Kept], Real), scratch: &mut Scratch) {
    feel(sub, scratch);
    let Scratch { rows, touching, links, felt_inv_mass: inv_mass, rigid_mobility, memory, pos, pose, .. } =
        scratch;
    touching.clear();
    memory.gather(sub.model, rows, kept);
    let mut kept = kept.iter().peekable();
    for (i, row) in rows.iter().enumerate() {
        while kept.next_if(|k| k.key < row.key).is_some() {}
        let bodies = [row.key.a, row.key.b].map(|p| sub.model.prims[p.at()].body.0);
        let own = kept.peek().filter(|k| k.key == row.key).map(|k| **k);
        let known = own.or_else(|| memory.take(bodies, row, (&state.pos, &state.pose)));
        let known = known.map(|kept| (kept, fade));
        if let Some(mut work) = of_row(sub, state, (inv_mass, rigid_mobility), (i, row, bodies), known) {
            if known.is_none() {
                work.expect(work.between(pos, pose));
            }
            touching.push(work);
        }
    }
    for (i, grip) in state.grips.iter().enumerate() {
        let tool = &sub.model.tools[grip.tool.at()];
        let body = sub.model.bodies.iter().position(|b| b.vertices.contains(&grip.vertex.0)).unwrap_or(0);
        let shares = state.grips.iter().filter(|g| g.tool == grip.tool).count();
        let mut work = Touching {
            source: Source::Grip(i as u32),
            sides: [Side::Soft([grip.vertex; 2], [1.0, 0.0]), Side::Rigid(tool.rigid, grip.at)],
            bodies: [body as u32, tool.body.0],
            normal: Vec3::Z,
            offset: 0.0,
            rest: Real::INFINITY,
            goal: 0.0,
            stiffness: 0.0,
            lambda: 0.0,
            friction: 0.0,
            anchor: Vec3::ZERO,
            drag: grip.pull,
            limit: tool.strength / shares as Real,
            slides: false,
            trial: true,
            between: Vec3::ZERO,
            told: (0.0, Vec3::ZERO),
        };
        if firm(&mut work, sub, state, (inv_mass, rigid_mobility)) {
            touching.push(work);
        }
    }
    links.find(sub.model, touching);
}

/// How vertices answer pushes within a substep: inertia alone resists where bodies descend as a whole; a vertex that
/// descends by itself has its neighbours held, and a row as soft as its inertia would have to learn for many sweeps.
fn feel(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { felt_inv_mass, inv_mass, solids, tissues, .. } = scratch;
    felt_inv_mass.clear();
    felt_inv_mass.extend_from_slice(inv_mass);
    let per_h2 = 1.0 / (sub.h * sub.h);
    for (b, body) in sub.model.bodies.iter().enumerate() {
        let felt = felt_inv_mass[body.vertex_range()].iter_mut().enumerate();
        match &body.kind {
            BodyKind::Solid(solid) => felt.for_each(|(v, felt)| {
                if let Some(firmness) = solids[b].firmness(solid, v).filter(|_| *felt > 0.0) {
                    *felt = per_h2 / firmness;
                }
            }),
            // They descend as a whole, but in a few gradients only.
            BodyKind::Tissue(_) => felt.for_each(|(v, felt)| {
                if let Some(give) = tissues[b].compliance(v).filter(|_| *felt > 0.0) {
                    *felt = give;
                }
            }),
            // No inertia at all: they give way as far as they creep.
            BodyKind::Flexible(flexible) => felt.for_each(|(v, felt)| {
                *felt = flexible.give.get(v).map_or(0.0, |give| Real::from(*give) * (pace(sub.h) * per_h2));
            }),
            _ => {}
        }
    }
}

/// Sets the stiffness; false where nothing can move, or only by a lever that is too long, or something is not a number.
fn firm(
    work: &mut Touching,
    sub: &Substep,
    state: &State,
    (inv_mass, rigid): (&[Real], &[Mobility]),
) -> bool {
    let softness: Real =
        work.sides.iter().map(|s| mobility(s, inv_mass, rigid, &state.pose, work.normal)).sum();
    if softness < LEVER * LEVER * beside_held(work, sub, inv_mass) {
        return false;
    }
    work.stiffness = FIRMNESS / (softness * sub.h * sub.h);
    work.stiffness.is_finite() && work.anchor.is_finite()
}

/// Of a touch on a flexible body that partly holds what an element leads or the world fixes: how the loosest corner gives
/// way. Nothing where all corners are free.
fn beside_held(work: &Touching, sub: &Substep, inv_mass: &[Real]) -> Real {
    let flexible = |b: &u32| matches!(sub.model.bodies[*b as usize].kind, BodyKind::Flexible(_));
    let sides = work.sides.iter().zip(&work.bodies).filter(|(_, body)| flexible(body));
    let corners = sides.flat_map(|(side, _)| side.vertices()).map(|v| inv_mass[v.at()]);
    if corners.clone().all(|give| give > 0.0) { 0.0 } else { corners.fold(0.0, Real::max) }
}

fn of_row(
    sub: &Substep,
    state: &State,
    mobility: (&[Real], &[Mobility]),
    (i, row, bodies): (usize, &Row, [u32; 2]),
    memory: Option<(Kept, Real)>,
) -> Option<Touching> {
    let goal = goal(row, memory.map(|(kept, _)| kept.goal), sub.h);
    let mut work = Touching {
        source: Source::Row(i as u32, row.key),
        sides: row.sides,
        bodies,
        normal: row.normal,
        offset: row.offset + goal,
        rest: row.rest,
        goal,
        stiffness: 0.0,
        lambda: 0.0,
        friction: row.friction,
        anchor: Vec3::ZERO,
        drag: Vec3::ZERO,
        limit: 0.0,
        slides: false,
        trial: true,
        between: Vec3::ZERO,
        told: (0.0, Vec3::ZERO),
    };
    // The points of a touch lie opposite one another, along the normal: there the anchor begins.
    if let Some((kept, fade)) = memory {
        work.lambda = fade * kept.lambda;
        work.anchor = -work.across(kept.stick);
        work.drag = work.across(kept.drag);
        work.limit = work.friction * work.lambda;
    }
    firm(&mut work, sub, state, mobility).then_some(work)
}

/// The gap that a row keeps at the end of a substep \[m\]: that at rest, or one that is smaller opens slowly. It opens from
/// the gap that it has or kept before: were a load to make it smaller for good, it would sink.
fn goal(row: &Row, before: Option<Real>, h: Real) -> Real {
    if row.gap < 0.0 {
        let mended = (MEND[0] * h).min(MEND[1]);
        return row.gap * (1.0 - mended);
    }
    row.rest.min(row.gap.max(before.unwrap_or(0.0)) + OPENING * h)
}

/// Speed along `dir` for a unit impulse along it \[1/kg\].
fn mobility(side: &Side, inv_mass: &[Real], rigid: &[Mobility], pose: &[Pose], dir: Vec3) -> Real {
    match *side {
        Side::Rigid(r, local) => {
            let (mobility, rot) = (&rigid[r.at()], pose[r.at()].rot);
            let torque = rot.conjugate() * (rot * local).cross(dir);
            mobility.inv_mass + torque.dot(mobility.inv_inertia * torque)
        }
        Side::Soft([v, w], [s, t]) => s * s * inv_mass[v.at()] + t * t * inv_mass[w.at()],
        Side::Face(vertices, weights) => {
            vertices.iter().zip(weights).map(|(v, w)| w * w * inv_mass[v.at()]).sum()
        }
    }
}
