//! What a step did, substep by substep: seen after the filter, before the new places are taken over.

use super::momentum::{Unkept, unkept};
use crate::body::{Substep, push, rigid, springs};
use crate::detect::Near;
use crate::model::{Body, BodyKind, Model, Pose, PrimKind};
use crate::params::Response;
use crate::respond::augmented_lagrangian::REST_GAP;
use crate::row::{RowKey, Side};
use crate::state::{State, Twist};
use crate::{PrimId, Real, Scratch, Vec3, VertexId, World};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// A plane holds what is cut off at an angle to it of which this is the sine, at least.
const TOWARDS: Real = 1e-3;

/// What was lost, by cause \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Drag of rows and jaws that slid, times their slip.
    pub friction: Real,
    /// Dampers of couplings and springs, and drag of the surroundings.
    pub damping: Real,
    /// Kinetic energy that the impulses of the last clip of each substep took.
    pub filter: Real,
    /// What the guard took from bodies that it held or gave back in their shape at rest; less than nothing where it gave some.
    pub guard: Real,
}

impl Losses {
    /// All of them.
    pub fn total(&self) -> Real {
        self.friction + self.damping + self.filter + self.guard
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.friction += more.friction;
        self.damping += more.damping;
        self.filter += more.filter;
        self.guard += more.guard;
    }
}

/// What the last step did.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Whether it is kept at all; otherwise nothing here is written or read.
    pub on: bool,
    /// Put in by hands \[J\].
    pub hands_j: Real,
    /// Put in by radii that grew \[J\].
    pub growth_j: Real,
    /// What was lost to known causes.
    pub losses: Losses,
    /// What rows and jaws can give back; it stays from step to step \[J\].
    pub contact_j: Real,
    /// Momentum that nothing explains, of the worst substep.
    pub unkept: Unkept,
    /// Steps that the filter shortened though no near pair held them.
    pub unheld: u32,
    /// The most that one of them was shortened by \[m\].
    pub unheld_m: Real,
    /// Before the last clip: positions \[m\], poses; before its impulses: kinetic energy \[J\].
    pos: Vec<Vec3>,
    pose: Vec<Pose>,
    kinetic: Real,
    /// One per body: whether something pushes it in this substep.
    pub(super) joined: Vec<bool>,
}

impl Tally {
    /// At the start of a step.
    pub(crate) fn begin(&mut self) {
        (self.hands_j, self.growth_j, self.losses) = (0.0, 0.0, Losses::default());
        (self.unkept, self.unheld, self.unheld_m) = (Unkept::default(), 0, 0.0);
    }
}

/// An impulse between two bodies in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impulse {
    /// The bodies of A and of B.
    pub(super) bodies: [usize; 2],
    pub(super) sides: [Side; 2],
    /// Along the normal, and across it, on A \[N s\].
    pub(super) along: Vec3,
    pub(super) across: Vec3,
    /// Whether what is across is lost to friction.
    slides: bool,
    /// How much the radii of the pair grew \[m\].
    growth: Real,
    /// What it can give back from where it is \[J\].
    returns: Real,
}

impl Impulse {
    pub(super) fn whole(&self) -> Vec3 {
        self.along + self.across
    }
}

/// All impulses of a substep, in the order of their rows.
pub(super) fn each_impulse(sub: &Substep, scratch: &Scratch, mut each: impl FnMut(Impulse)) {
    let model = sub.model;
    for stop in scratch.planes.impulses().iter().filter(|stop| stop.lambda > 0.0) {
        each(Impulse {
            bodies: [stop.key.a, stop.key.b].map(|prim| model.prims[prim.at()].body.at()),
            sides: stop.sides,
            along: stop.normal * stop.lambda,
            across: Vec3::ZERO,
            slides: false,
            growth: 0.0,
            returns: 0.0,
        });
    }
    if sub.params.response == Response::AugmentedLagrangian {
        for work in &scratch.touching {
            let (along, across, slides) = work.felt();
            let between = work.between(&scratch.pos, &scratch.pose);
            let growth = work.row().map_or(0.0, |key| grown(scratch, key));
            each(Impulse {
                bodies: work.bodies.map(|b| b as usize),
                sides: work.sides,
                along: along * sub.h,
                across: across * sub.h,
                slides,
                growth,
                returns: work.returns(between),
            });
        }
        return;
    }
    // Limits of springs are no contacts: they are within a body.
    let rows = scratch.rows.iter().filter(|row| row.key.a.at() < model.prims.len());
    for row in rows {
        let depth = (REST_GAP - row.gap_at(&scratch.pos, &scratch.pose)).max(0.0);
        each(Impulse {
            bodies: [row.key.a, row.key.b].map(|prim| model.prims[prim.at()].body.at()),
            sides: row.sides,
            along: row.normal * row.lambda,
            across: push(row) - row.normal * row.lambda,
            slides: true,
            growth: grown(scratch, row.key),
            returns: depth * row.lambda / sub.h,
        });
    }
}

/// How much the radii of a row's pair grew in this substep \[m\].
fn grown(scratch: &Scratch, key: RowKey) -> Real {
    scratch.growth[key.a.at()] + scratch.growth[key.b.at()]
}

/// What the filter is about to clip.
pub(crate) fn before_filter(scratch: &mut Scratch) {
    if !scratch.tally.on {
        return;
    }
    let Scratch { tally, pos, pose, .. } = scratch;
    tally.pos.clone_from(pos);
    tally.pose.clone_from(pose);
}

/// What it is about to stop.
pub(crate) fn before_stop(sub: &Substep, scratch: &mut Scratch) {
    if scratch.tally.on {
        scratch.tally.kinetic = kinetic(sub.model, scratch);
    }
}

/// What the substep did. O(vertices + rows + springs).
pub(crate) fn after_filter(sub: &Substep, state: &State, scratch: &mut Scratch) {
    if !scratch.tally.on {
        return;
    }
    // Moved out while the rest is read; nothing is allocated.
    let mut tally = std::mem::take(&mut scratch.tally);
    tally.losses.filter += tally.kinetic - kinetic(sub.model, scratch);
    hands(sub, state, scratch, &mut tally);
    rows(sub, state, scratch, &mut tally);
    tally.losses.damping += dampers(sub, state, scratch);
    look_for_unheld(sub, state, scratch, &mut tally);
    let found = unkept(sub, state, scratch, &mut tally.joined);
    tally.unkept.take_worse(&found);
    scratch.tally = tally;
}

/// Where the substep leads, as energy of motion \[J\].
fn kinetic(model: &Model, scratch: &Scratch) -> Real {
    model.bodies.iter().enumerate().map(|(b, _)| kinetic_of(model, scratch, b)).sum()
}

/// The same of one body.
fn kinetic_of(model: &Model, scratch: &Scratch, b: usize) -> Real {
    let body = &model.bodies[b];
    match body.kind {
        BodyKind::Flexible(_) => 0.0,
        BodyKind::Rigid(r) if model.rigids[r.at()].inv_mass > 0.0 => {
            let (rigid, Twist { vel, omega }) = (&model.rigids[r.at()], &scratch.twist[r.at()]);
            let spin = scratch.pose[r.at()].rot.conjugate() * *omega;
            0.5 * rigid.mass * vel.length_squared() + 0.5 * spin.dot(rigid.inertia * spin)
        }
        _ => {
            let moving = body.vertex_range().filter(|v| model.inv_mass[*v] > 0.0);
            moving.map(|v| 0.5 * model.mass[v] * scratch.vel[v].length_squared()).sum()
        }
    }
}

/// Energy of the springs of couplings where the world is \[J\].
pub(super) fn couplings(world: &World) -> Real {
    let (model, state) = (&world.model, &world.state);
    let mut sum = 0.0;
    // Those of tools that are held too: they have it again when they are given back.
    for ((tool, coupling), lead) in model.tools.iter().zip(&world.params.couplings).zip(&state.leads) {
        let pose = &state.pose[tool.rigid.at()];
        let away = rigid::led_center(tool, lead).0 - pose.pos;
        let turn = to_rotation_vector(lead.target.rot * pose.rot.conjugate());
        sum += 0.5 * coupling.stiffness * away.length_squared()
            + 0.5 * coupling.turn_stiffness * turn.length_squared();
    }
    sum
}

/// What hands put in, and what the dampers of couplings took.
fn hands(sub: &Substep, state: &State, scratch: &Scratch, tally: &mut Tally) {
    for (t, tool) in sub.model.tools.iter().enumerate() {
        if state.frozen[tool.body.at()] {
            continue;
        }
        let (coupling, mut lead) = (&sub.params.couplings[t], state.leads[t]);
        let (pose, twist) = (&scratch.pose[tool.rigid.at()], &scratch.twist[tool.rigid.at()]);
        let (center, vel) = rigid::led_center(tool, &lead);
        let damping = coupling.damping_of(sub.model.rigids[tool.rigid.at()].mass);
        let (slip, spin) = (vel - twist.vel, lead.twist.omega - twist.omega);
        let force = (center - pose.pos) * coupling.stiffness + slip * damping;
        let turn = to_rotation_vector(lead.target.rot * pose.rot.conjugate());
        let torque = turn * coupling.turn_stiffness + spin * coupling.turn_damping;
        // Where the lead was when the substep began.
        lead.target.pos -= lead.twist.vel * sub.h;
        lead.target.rot = from_rotation_vector(lead.twist.omega * -sub.h) * lead.target.rot;
        let before = rigid::led_center(tool, &lead).0;
        tally.hands_j += force.dot(center - before) + torque.dot(lead.twist.omega) * sub.h;
        tally.losses.damping +=
            sub.h * (damping * slip.length_squared() + coupling.turn_damping * spin.length_squared());
    }
}

/// What rows took in, what they can give back, what friction took and what growth put in.
fn rows(sub: &Substep, state: &State, scratch: &Scratch, tally: &mut Tally) {
    let (mut paid, mut returns) = (0.0, 0.0);
    let (losses, growth) = (&mut tally.losses, &mut tally.growth_j);
    each_impulse(sub, scratch, |row| {
        let place = |side: usize, pos: &[Vec3], pose: &[Pose]| row.sides[side].place(pos, pose);
        let end = place(0, &scratch.pos, &scratch.pose) - place(1, &scratch.pos, &scratch.pose);
        let start = place(0, &state.pos, &state.pose) - place(1, &state.pos, &state.pose);
        let more = end - start;
        let widened = row.along.length() * row.growth / sub.h;
        paid += widened - row.along.dot(more) / sub.h;
        *growth += widened;
        let rubbed = -row.across.dot(more) / sub.h;
        if row.slides {
            losses.friction += rubbed;
        } else {
            paid += rubbed;
        }
        returns += row.returns;
    });
    tally.contact_j = (tally.contact_j + paid).clamp(0.0, returns.max(0.0));
}

/// What dampers of springs take, and the drag that Finish will apply \[J\].
fn dampers(sub: &Substep, state: &State, scratch: &Scratch) -> Real {
    let mut sum = 0.0;
    for (b, body) in sub.model.bodies.iter().enumerate() {
        let material = &sub.params.bodies[b];
        if material.drag > 0.0 {
            let keep = 1.0 / (1.0 + sub.h * material.drag);
            sum += kinetic_of(sub.model, scratch, b) * (1.0 - keep * keep);
        }
        if let BodyKind::Springs(own) = &body.kind {
            for spring in &sub.model.springs[own.springs()] {
                let [v, w] = spring.ends.map(|v| v.at());
                let longer =
                    (scratch.pos[w] - scratch.pos[v]).length() - (state.pos[w] - state.pos[v]).length();
                sum += springs::constants(spring, material).1 * longer * longer / sub.h;
            }
        }
    }
    sum
}

/// Steps that the last clip shortened though no pair that could have met in this substep held them.
fn look_for_unheld(sub: &Substep, state: &State, scratch: &Scratch, tally: &mut Tally) {
    let Tally { pos, pose, unheld, unheld_m, .. } = tally;
    let (wanted, near) = (&pos[..], &scratch.finder.near[..]);
    let far = |v: usize| (wanted[v] - state.pos[v]).length();
    let frame = |r: usize| {
        let (from, to) = (&state.pose[r], &pose[r]);
        let turn = to_rotation_vector(to.rot * from.rot.conjugate()).length();
        (to.pos - from.pos).length() + turn * sub.model.rigids[r].shape.arm()
    };
    let goes = |prim: PrimId| match sub.model.prims[prim.at()].kind {
        PrimKind::Shape(r) => frame(r.at()),
        ref soft => soft.vertices().iter().map(|v| far(v.at())).fold(0.0, Real::max),
    };
    // A plane holds what it cuts off towards its other side; where a turn alone was cut off, any may.
    let held = |node: usize, cut: Vec3| {
        let own = |prim: PrimId| match sub.model.prims[prim.at()].kind {
            PrimKind::Shape(r) => node == wanted.len() + r.at(),
            ref soft => soft.vertices().iter().any(|v| v.at() == node),
        };
        let away = |pair: &Near| if own(pair.prims[0]) { -pair.normal } else { pair.normal };
        scratch.planes.holding(node, near).any(|pair| {
            pair.gap <= goes(pair.prims[0]) + goes(pair.prims[1]) + REST_GAP
                && (cut == Vec3::ZERO || cut.dot(away(pair)) > TOWARDS * cut.length())
        })
    };
    let mut note = |node: usize, cut: Vec3, turned: Real| {
        if !held(node, cut) {
            *unheld += 1;
            *unheld_m = unheld_m.max(cut.length() + turned);
        }
    };
    // The inside of a solid touches nothing and follows its surface.
    let solid = |b: &Body| matches!(b.kind, BodyKind::Solid(_));
    let inside = |v: usize| {
        sub.model.neighbours.at(VertexId::from(v)).is_empty()
            && sub.model.bodies.iter().any(|b| solid(b) && b.vertex_range().contains(&v))
    };
    for (v, wanted) in wanted.iter().enumerate() {
        if scratch.pos[v] != *wanted && !inside(v) {
            note(v, *wanted - scratch.pos[v], 0.0);
        }
    }
    for (r, (to, got)) in pose.iter().zip(&scratch.pose).enumerate() {
        if got != to {
            let turn = to_rotation_vector(to.rot * got.rot.conjugate()).length();
            note(wanted.len() + r, to.pos - got.pos, turn * sub.model.rigids[r].shape.arm());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SpringBody;
    use crate::params::Params;

    /// Two vertices on their way; the filter took half of the step of one of them, and of its speed.
    #[test]
    fn a_step_that_is_cut_short_where_nothing_is_near_is_seen_and_so_is_what_it_cost() {
        let body = Body {
            name: "pair".into(),
            kind: BodyKind::Springs(SpringBody { blocks: Vec::new(), between: 0..0 }),
            vertices: 0..2,
            prims: 0..0,
            self_contact: false,
            membrane_contact: false,
        };
        let (rest, mass) = (vec![Vec3::ZERO, Vec3::X], vec![2.0; 2]);
        let model = Model { bodies: vec![body], rest, inv_mass: vec![0.5; 2], mass, ..Model::default() };
        let params = Params { bodies: vec![Default::default()], ..Params::default() };
        let sub = Substep { model: &model, params: &params, h: 1e-3, sweeps: 1 };
        let (state, mut scratch) = (State::start(&model), Scratch::for_model(&model));
        scratch.tally.on = true;
        for cut in [1.0, 0.5] {
            scratch.tally.begin();
            scratch.pos = vec![Vec3::Z * 1e-3, Vec3::X];
            scratch.vel[0] = Vec3::Z;
            before_filter(&mut scratch);
            before_stop(&sub, &mut scratch);
            scratch.pos[VertexId(0).at()].z *= cut;
            scratch.vel[0] *= cut;
            after_filter(&sub, &state, &mut scratch);
            let tally = &scratch.tally;
            let expected = if cut == 1.0 { (0, 0.0, 0.0) } else { (1, 0.5e-3, 0.75) };
            assert_eq!((tally.unheld, tally.unheld_m, tally.losses.filter), expected);
        }
        scratch.tally.on = false;
        scratch.tally.begin();
        before_filter(&mut scratch);
        scratch.pos[0] = Vec3::ZERO;
        after_filter(&sub, &state, &mut scratch);
        assert_eq!(scratch.tally.unheld, 0, "what is switched off sees nothing");
    }
}
