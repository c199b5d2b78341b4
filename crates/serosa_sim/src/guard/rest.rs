//! A body laid back in its shape at rest: where it is, as nearly as that goes, or else where the scene put it; and only where it
//! overlaps nothing.

use crate::algebra::best_rotation;
use crate::detect::{Places, Search};
use crate::guard::Fault;
use crate::model::{BodyKind, Model, Pose, PrimKind, Shape};
use crate::params::{Detector, Params};
use crate::state::{Affine, Lead, State, Twist};
use crate::{Mat3, PrimId, Quat, Real, Scratch, Vec3, World};
use serosa_geometry::triangle::solid_angle;

/// Lays a body back if its shape at rest fits: true where it is sound as it is then. A rigid shape has no other: it is laid
/// back only from out of bounds.
pub(super) fn lay(world: &mut World, b: usize) -> bool {
    let (is_rigid, why) = (is_rigid(&world.model, b), world.state.holds[b].why);
    if is_rigid && why != Some(Fault::OutOfBounds) {
        return true;
    }
    let here = if why == Some(Fault::OutOfBounds) { None } else { nearest(&world.model, &world.state, b) };
    here.into_iter().chain([Pose::IDENTITY]).any(|at| try_at(world, b, at))
}

/// The same of a body that is nowhere: beside the scene if need be, and where the scene put it if there is no room at all.
pub(super) fn lay_anyhow(world: &mut World, b: usize) {
    let aside = || aside(&world.model, &world.params, &world.state, b);
    let places = [Some(Pose::IDENTITY), aside()];
    if !places.into_iter().flatten().any(|at| try_at(world, b, at)) {
        let World { model, state, scratch, .. } = world;
        put(model, state, scratch, b, Pose::IDENTITY);
        take_over(model, state, scratch, b);
        state.holds[b].stuck = true;
    }
}

fn try_at(world: &mut World, b: usize, at: Pose) -> bool {
    let World { model, params, state, scratch, .. } = world;
    put(model, state, scratch, b, at);
    let fits = fits(model, params, state, scratch, b);
    if fits {
        take_over(model, state, scratch, b);
    }
    fits
}

fn is_rigid(model: &Model, b: usize) -> bool {
    matches!(model.bodies[b].kind, BodyKind::Rigid(_))
}

/// Whether a body can be anywhere but where the scene put it.
fn is_loose(model: &Model, b: usize) -> bool {
    let body = &model.bodies[b];
    match &body.kind {
        BodyKind::Rigid(_) => true,
        // Where its control elements are says where it is.
        BodyKind::Flexible(_) => false,
        _ => body.vertex_range().all(|v| model.inv_mass[v] > 0.0),
    }
}

/// Where the shape at rest lies nearest to what a loose body is now: a motion of the scene as it was at the start.
fn nearest(model: &Model, state: &State, b: usize) -> Option<Pose> {
    let range = model.bodies[b].vertex_range();
    if !is_loose(model, b) || range.is_empty() {
        return None;
    }
    let (rest, now) = (&model.rest[range.clone()], &state.pos[range.clone()]);
    let mass = &model.mass[range];
    let total: Real = mass.iter().sum();
    let middle = |at: &[Vec3]| at.iter().zip(mass).map(|(x, m)| *x * *m).sum::<Vec3>() / total;
    let (from, to) = (middle(rest), middle(now));
    let mut covariance = Mat3::ZERO;
    for ((r, x), m) in rest.iter().zip(now).zip(mass) {
        let (r, x) = (*r - from, (*x - to) * *m);
        covariance += Mat3::from_cols(x * r.x, x * r.y, x * r.z);
    }
    let rot = best_rotation(covariance);
    let pose = Pose { pos: to - rot * from, rot };
    pose.pos.is_finite().then_some(pose)
}

/// Beside everything, against the way things fall.
fn aside(model: &Model, params: &Params, state: &State, b: usize) -> Option<Pose> {
    let up = -params.down;
    if !is_loose(model, b) || !up.is_finite() {
        return None;
    }
    let (mut top, mut bottom, mut thick) = (Real::NEG_INFINITY, Real::INFINITY, 0.0);
    for (p, prim) in model.prims.iter().enumerate() {
        let own = prim.body.at() == b;
        let mut see = |x: Vec3, size: Real| {
            if own {
                bottom = bottom.min(x.dot(up) - size);
            } else if x.is_finite() {
                top = top.max(x.dot(up) + size);
            }
        };
        match prim.kind {
            PrimKind::Shape(r) if model.rigids[r.at()].shape == Shape::Plane => {}
            PrimKind::Shape(r) => {
                let rigid = &model.rigids[r.at()];
                let at = if own { rigid.rest.pos } else { state.pose[r.at()].pos };
                see(at, rigid.shape.arm() + state.radius[p]);
            }
            ref soft => {
                let places = if own { &model.rest } else { &state.pos };
                soft.vertices().iter().for_each(|v| see(places[v.at()], state.radius[p]));
            }
        }
        thick = Real::max(thick, state.radius[p]);
    }
    let rise = top - bottom + thick;
    (rise.is_finite() && rise < params.guard.reach_max)
        .then_some(Pose { pos: up * rise.max(0.0), rot: Quat::IDENTITY })
}

/// Where everything would be with a body laid so, into the scratch.
fn put(model: &Model, state: &State, scratch: &mut Scratch, b: usize, at: Pose) {
    scratch.pos.copy_from_slice(&state.pos);
    scratch.pose.copy_from_slice(&state.pose);
    for v in model.bodies[b].vertex_range() {
        let is_still = at == Pose::IDENTITY;
        scratch.pos[v] = if is_still { model.rest[v] } else { at.point(model.rest[v]) };
    }
    if let BodyKind::Rigid(r) = model.bodies[b].kind {
        let rest = model.rigids[r.at()].rest;
        scratch.pose[r.at()] = Pose { pos: at.point(rest.pos), rot: at.rot * rest.rot };
    }
}

/// Whether a body touches nothing there, lies in nothing, and nothing lies in it. O(n log n)
fn fits(model: &Model, params: &Params, state: &State, scratch: &mut Scratch, b: usize) -> bool {
    let body_of = |p: PrimId| model.prims[p.at()].body.at();
    // Thicker by what contacts keep.
    let gap = |p: usize| model.rest_gap((PrimId::from(p), PrimId::from(p)), &state.radius);
    scratch.found_radius.clear();
    scratch.found_radius.extend(state.radius.iter().enumerate().map(|(p, r)| r + 0.5 * gap(p)));
    let Scratch { finder, spare_rows: rows, pos, pose, found_radius: radius, .. } = scratch;
    let at = Places { pos, pose, radius };
    finder.rows(model, params, Detector::Grid, (at, Search::Overlap), rows);
    let overlaps = rows.iter().any(|row| match [body_of(row.key.a), body_of(row.key.b)] {
        // With itself it is as near as it is at rest.
        [x, y] if x == b && y == b => row.gap < -gap(row.key.a.at()) - gap(row.key.b.at()),
        [x, y] => x == b || y == b,
    });
    rows.clear();
    !overlaps
        && !(0..model.bodies.len()).any(|o| o != b && (lies_in(model, at, b, o) || lies_in(model, at, o, b)))
}

/// Whether a body that touches another lies within its surface: if so, with any of its points.
fn lies_in(model: &Model, at: Places, inner: usize, outer: usize) -> bool {
    let point = model.bodies[inner].prims.clone().next().and_then(|p| match model.prims[p as usize].kind {
        PrimKind::Shape(r) if model.rigids[r.at()].shape == Shape::Plane => None,
        PrimKind::Shape(r) => Some(at.pose[r.at()].pos),
        ref soft => soft.vertices().first().map(|v| at.pos[v.at()]),
    });
    let Some(point) = point else { return false };
    let outer = &model.bodies[outer].prims;
    let prims = &model.prims[outer.start as usize..outer.end as usize];
    let seen: Real = prims
        .iter()
        .map(|prim| match prim.kind {
            PrimKind::Triangle(corners) => solid_angle(point, &corners.map(|v| at.pos[v.at()])),
            _ => 0.0,
        })
        .sum();
    // Of a closed surface it is the whole sphere inside and nothing outside.
    seen.abs() > 2.0 * std::f64::consts::PI
}

/// Takes over what was put, and forgets what was between this body and others.
fn take_over(model: &Model, state: &mut State, scratch: &Scratch, b: usize) {
    let body = &model.bodies[b];
    let range = body.vertex_range();
    state.pos[range.clone()].copy_from_slice(&scratch.pos[range.clone()]);
    state.vel[range.clone()].fill(Vec3::ZERO);
    match &body.kind {
        BodyKind::Rigid(r) => {
            (state.pose[r.at()], state.twist[r.at()]) = (scratch.pose[r.at()], Twist::default());
            for (tool, lead) in model.tools.iter().zip(&mut state.leads).filter(|(t, _)| t.rigid == *r) {
                let pose = scratch.pose[r.at()];
                let target = Pose { pos: pose.point(tool.tip), rot: pose.rot };
                *lead = Lead { target, twist: Twist::default() };
            }
        }
        BodyKind::Flexible(flexible) => {
            let first = flexible.first as usize;
            for (element, control) in flexible.elements.iter().zip(&mut state.controls[first..]) {
                let pose = Pose { pos: element.origin, rot: Quat::IDENTITY };
                control.at = Affine { pose, scale: Vec3::ONE };
            }
        }
        _ => {}
    }
    let own = |p: PrimId| model.prims[p.at()].body.at() == b;
    state.kept.retain(|kept| !own(kept.key.a) && !own(kept.key.b));
    let holds = |t: crate::ToolId| model.tools[t.at()].body.at() == b;
    state.grips.retain(|grip| !range.contains(&grip.vertex.at()) && !holds(grip.tool));
    state.tracked.retain(|pair| !own(pair.a) && !own(pair.b));
}
