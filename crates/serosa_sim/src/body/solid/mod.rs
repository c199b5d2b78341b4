//! Solids of tetrahedra, moved by backward Euler: every substep descends the incremental potential
//!
//! ```text
//! Φ(x) = |x − y|²_M/(2 h²) + Σ E(x) + Σ D(x; xⁿ) + springs,      y = xⁿ + h v + h² g
//! ```
//!
//! vertex by vertex (see [`sweep`](self)); it begins at y, or at xⁿ where Φ is less there. No block of the descent raises
//! Φ, so E(x⁺) + ½|v⁺ − v − h g|² ≤ E(xⁿ) + ½|v + h g|², however few the sweeps. Rigid motions of a free body are solved
//! apart, and its momenta kept exactly.
//!
//! Walls and ties hold them as springs of the same potential, and jaws too, but for the augmented Lagrangian: there rows
//! and jaws are part of Φ, and the body descends with them (see [`touched`](self)).

mod carry;
mod coarse;
mod energy;
pub(crate) mod firmness;
mod global;
mod lanes;
mod loads;
mod material;
mod prepare;
mod quadratic;
mod start;
mod strain;
mod sweep;
mod tangent;
mod touched;
mod turn;
mod whole;

pub use energy::{energy, forces, region_energy, tie_energy, tie_forces};
pub use prepare::opposite;
pub use strain::strain;
pub use tangent::{Elastic, Tangent};

use super::Substep;
use crate::model::{BodyKind, Descent, Global, Law, Model, SolidBody};
use crate::params::{BodyParams, Response};
use crate::respond::augmented_lagrangian::{Contacts, Links};
use crate::state::State;
use crate::{Real, Scratch, Vec3};
use coarse::CoarseWork;
use global::{Quasi, Shares, Stiffer};
use lanes::Spot;
pub(crate) use loads::solid_of;
use loads::{Bare, Hold, Load, Where};
use material::Moduli;
use prepare::{Nearness, Solid, Stuff, Turning, places, spot, vec};
use strain::tets;
use sweep::Weights;
pub(crate) use touched::{descend_inside, descend_touched, finish, follow, settle, start};
use whole::Whole;

/// Damping turns with the body again before these sweeps, the first with one that is free: rotations change little.
const TURN_FREE: u32 = 2;
const TURN_AT: u32 = 8;
/// The corotated law turns before each of so many sweeps, and then before every so many-th: a turn costs three sweeps.
const TURN_EACH: u32 = 4;
/// Φ is known to this share of itself and of what would press all tetrahedra flat.
const ROUNDING: Real = 1e-14;
/// A body that descends as a whole is at its minimum where a step would gain less than this share of what would press
/// all tetrahedra flat: strains are known to 1e-10.
const STILL: Real = 1e-20;

/// Working arrays of one solid.
#[derive(Clone, Debug, Default)]
pub struct SolidWork {
    /// What the weights were made for.
    made_for: Vec<Stuff>,
    made_for_h: Real,
    /// Mass over h², one per vertex \[N/m\].
    inertia: Vec<Real>,
    weights: Weights,
    turning: Turning,
    /// Positions in the order of the layout.
    flow: Vec<Spot>,
    /// Where the substep would begin \[m\].
    guess: Vec<Vec3>,
    holds: Vec<Hold>,
    loads: Vec<Load>,
    bare: Vec<Bare>,
    /// Vertices that rows hold, as they are otherwise.
    pinned: Vec<Bare>,
    /// Whether this pass sweeps it.
    swept: bool,
    /// Vertices about loads.
    near: Vec<u32>,
    /// Φ where the substep begins \[J\].
    start: Real,
    /// Moduli times volumes, all of them \[J\].
    stored: Real,
    /// Of a body that descends as a whole.
    quasi: Quasi,
    coarse: CoarseWork,
}

/// Young's modulus of the first region over what it was baked with.
fn scale(body: &SolidBody, params: &BodyParams) -> Real {
    body.regions.first().map_or(1.0, |r| params.stiffness / r.young)
}

/// What a body descends among.
struct Among<'a> {
    sub: &'a Substep<'a>,
    /// Where vertices would be without forces, one for each \[m\].
    target: &'a [Vec3],
    contacts: Contacts<'a>,
}

/// Predict, for all solids: the whole motion. Cost: O(sweeps × tetrahedra). Bodies that are tied descend in turn, sweep
/// by sweep. Goes after all others, since jaws hold where their tools are. Where the response descends with the bodies,
/// the inertial target alone.
pub(super) fn predict(sub: &Substep, state: &mut State, scratch: &mut Scratch) {
    let mut works = std::mem::take(&mut scratch.solids);
    let descends = sub.params.response == Response::AugmentedLagrangian;
    if !descends {
        for grip in state.grips.iter().filter(|g| solid_of(sub.model, g.vertex).is_some()) {
            loads::recoil(sub, grip, grip.pull, scratch);
        }
    }
    for (b, body) in solids(sub.model) {
        aim(sub, b, state, scratch);
        weigh(sub, (b, body), &mut works[b]);
        // Bodies that are tied look at one another before each begins, and the filter may have held some back.
        fill(body, &state.pos[sub.model.bodies[b].vertex_range()], &mut works[b].flow);
        works[b].holds.clear();
        if !descends {
            let frames = (&scratch.rigid_mobility[..], &scratch.pose[..]);
            let vertices = sub.model.bodies[b].vertex_range();
            loads::hold(sub, vertices, &state.grips, frames, &mut works[b].holds);
        }
    }
    if !descends {
        descend_alone(sub, state, scratch, &mut works);
    }
    scratch.solids = works;
}

/// All sweeps of a free motion.
fn descend_alone(sub: &Substep, state: &mut State, scratch: &mut Scratch, works: &mut [SolidWork]) {
    let Scratch { pos, target, pose, .. } = scratch;
    let none = Links::default();
    let contacts = Contacts { pos, pose, touching: &[], links: &none };
    let mut among = Among { sub, target, contacts };
    for (b, body) in solids(sub.model).filter(|(b, _)| !state.frozen[*b]) {
        begin(&mut among, (b, body), state, works);
    }
    for pass in 0..sub.sweeps {
        for (b, body) in solids(sub.model).filter(|(b, _)| !state.frozen[*b]) {
            descend(&mut among, (b, body), pass, works);
        }
    }
    for (b, body) in solids(sub.model) {
        if state.frozen[b] {
            continue;
        }
        land(sub, (b, body), state, scratch, works);
        end(sub, (b, body), state, scratch, works);
    }
}

fn solids(model: &Model) -> impl Iterator<Item = (usize, &SolidBody)> {
    model.bodies.iter().enumerate().filter_map(|(b, body)| match &body.kind {
        BodyKind::Solid(solid) => Some((b, solid)),
        _ => None,
    })
}

/// The inertial target of a body; one that is frozen stays where it is.
fn aim(sub: &Substep, b: usize, state: &State, scratch: &mut Scratch) {
    let fall = sub.params.fall() * sub.h;
    // Whether it falls is seen when it descends; until then it goes on as it did in the last substep.
    let carried = if super::is_carried(sub, b, state) { fall * sub.h } else { Vec3::ZERO };
    for v in sub.model.bodies[b].vertex_range() {
        let free = scratch.inv_mass[v] > 0.0;
        scratch.vel[v] = if free { state.vel[v] + fall } else { Vec3::ZERO };
        scratch.target[v] = state.pos[v] + scratch.vel[v] * sub.h;
        scratch.pos[v] = scratch.target[v] - if free { carried } else { Vec3::ZERO };
    }
}

/// Where the descent would begin, into `out`.
fn guess(
    among: &Among,
    (b, body): (usize, &SolidBody),
    state: &State,
    works: &[SolidWork],
    out: &mut Vec<Vec3>,
) {
    let vertices = among.sub.model.bodies[b].vertex_range();
    let target = &among.target[vertices];
    let falls = match (&body.descent, among.sub.params.response) {
        (_, Response::AugmentedLagrangian) => start::falls(among, (b, body), state, works),
        // A factor sees weight and strain at once, vertices do not.
        (Descent::Global(_), _) => 0.0,
        (Descent::Vertex, _) => 1.0,
    };
    let carried = among.sub.params.fall() * (among.sub.h * among.sub.h * (1.0 - falls));
    let start = |(y, m): (&Vec3, &Real)| if *m > 0.0 { *y - carried } else { *y };
    out.clear();
    out.extend(target.iter().zip(&works[b].inertia).map(start));
}

/// Chooses where a substep begins.
fn begin(among: &mut Among, (b, body): (usize, &SolidBody), state: &State, works: &mut [SolidWork]) {
    let (model, vertices) = (among.sub.model, among.sub.model.bodies[b].vertex_range());
    let old = &state.pos[vertices.clone()];
    let mut start = std::mem::take(&mut works[b].guess);
    guess(among, (b, body), state, works, &mut start);
    fill(body, old, &mut works[b].flow);
    // Among rows Φ may rise all the same, when their multipliers change.
    let sure = !among.contacts.any(b);
    let here = if sure { phi(among, (b, body), works, old, false) } else { Real::INFINITY };
    let SolidWork { made_for, inertia, weights, turning, flow, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
    if solid.turns() {
        solid.remember(turning, weights, flow);
    }
    fill(body, &start, flow);
    let whole = matches!(body.descent, Descent::Global(_));
    let how = if whole { Nearness::Nearest } else { Nearness::Nearer };
    if solid.turns() {
        solid.turn(turning, flow, how);
    }
    let there = if sure { phi(among, (b, body), works, &start, true) } else { 0.0 };
    works[b].guess = start;
    works[b].start = if there <= here { there } else { here };
    if there.partial_cmp(&here).is_none_or(std::cmp::Ordering::is_gt) {
        let SolidWork { made_for, inertia, weights, turning, flow, .. } = &mut works[b];
        fill(body, old, flow);
        let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
        if solid.turns() {
            solid.remember(turning, weights, flow);
            solid.turn(turning, flow, how);
        }
    }
    if whole {
        let SolidWork { made_for, inertia, quasi, flow, start, .. } = &mut works[b];
        let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
        quasi.begin(&solid, &model.rest[vertices], flow, *start);
    }
}

/// Makes the weights where materials or the substep have changed.
fn weigh(sub: &Substep, (b, body): (usize, &SolidBody), work: &mut SolidWork) {
    let params = &sub.params.bodies[b];
    let (scale, damping) = (scale(body, params), params.relaxation / sub.h);
    let stuff = |r| Stuff { moduli: Moduli::of(r, scale), damping };
    let same = work.made_for.len() == body.regions.len()
        && work.made_for_h == sub.h
        && work.made_for.iter().zip(&body.regions).all(|(s, r)| *s == stuff(r));
    work.flow.resize(places(body), Spot::default());
    if same {
        // Before the first pass rows ask how firm its vertices are; what was tied to them in the last step is no answer.
        loads::unload(&work.bare, &mut work.weights);
        work.bare.clear();
        return;
    }
    work.made_for.clear();
    work.made_for.extend(body.regions.iter().map(stuff));
    work.made_for_h = sub.h;
    let vertices = sub.model.bodies[b].vertex_range();
    let per = 1.0 / (sub.h * sub.h);
    work.inertia.clear();
    work.inertia
        .extend(vertices.map(|v| if sub.model.inv_mass[v] > 0.0 { sub.model.mass[v] * per } else { 0.0 }));
    let SolidWork { made_for, inertia, weights, turning, .. } = work;
    Solid { body, tets: tets(sub.model, body), stuff: made_for, inertia }.weigh(weights, turning);
    work.bare.clear();
    if !body.coarse.is_empty() {
        work.coarse.weigh(&body.coarse, per, scale * (1.0 + damping));
    }
    let hard = |t: &crate::model::Tet| work.made_for[t.region as usize].hardness() * t.volume;
    work.stored = tets(sub.model, body).iter().map(hard).sum();
}

/// Positions into the order of the layout.
fn fill(body: &SolidBody, pos: &[Vec3], flow: &mut [Spot]) {
    for (x, place) in pos.iter().zip(&body.layout.places) {
        flow[*place as usize] = spot(*x);
    }
}

/// Φ at the positions `pos`, which are those of the work as well \[J\].
fn phi(
    among: &mut Among,
    (b, body): (usize, &SolidBody),
    works: &mut [SolidWork],
    pos: &[Vec3],
    damped: bool,
) -> Real {
    let (model, vertices) = (among.sub.model, among.sub.model.bodies[b].vertex_range());
    let mut held = Where { model, works }.energy(b, body);
    if among.contacts.any(b) {
        among.contacts.pos[vertices.clone()].copy_from_slice(pos);
        held += among.contacts.potential(b);
    }
    let SolidWork { made_for, inertia, turning, flow, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
    let far = pos.iter().zip(&among.target[vertices]).zip(solid.inertia);
    let inertial: Real = far.map(|((x, y), m)| 0.5 * m * (*x - *y).length_squared()).sum();
    inertial + held + solid.potential(turning, flow, damped && solid.turns())
}

/// One pass of one body, with the others where they are.
fn descend(among: &mut Among, (b, body): (usize, &SolidBody), pass: u32, works: &mut [SolidWork]) {
    if prepare_sweep(among, (b, body), pass, works) {
        works[b].sweep(among.sub.model, body);
        end_sweep(among, (b, body), works);
    }
}

/// All of a pass before vertices are swept; whether they are to be.
fn prepare_sweep(
    among: &mut Among,
    (b, body): (usize, &SolidBody),
    pass: u32,
    works: &mut [SolidWork],
) -> bool {
    let (model, mut pass) = (among.sub.model, pass);
    if let Descent::Global(global) = &body.descent {
        let every = global.every.max(1);
        let due = pass.is_multiple_of(every);
        pass /= every;
        let gains = due && leap(among, (b, body), (global, pass), works);
        // What the factor does not know of is a matter of few vertices.
        let held = loads::tied(model, b) || !works[b].holds.is_empty();
        if !(among.contacts.any(b) || gains && held) {
            return false;
        }
    }
    ready(among, (b, body), pass, works);
    let SolidWork { made_for, inertia, weights, flow, loads, near, pinned, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
    if let Some(ten) = solid.ten() {
        ten.around(loads, near);
        let first = model.bodies[b].vertices.start as usize;
        near.retain(|v| among.contacts.links.of(first + *v as usize).is_empty());
    }
    touched::pin(model, (b, body), among.contacts.links, (weights, flow), pinned);
    true
}

/// What follows the sweep of a pass.
fn end_sweep(among: &mut Among, (b, body): (usize, &SolidBody), works: &mut [SolidWork]) {
    if let Descent::Global(_) = body.descent
        && !among.contacts.any(b)
    {
        works[b].quasi.phi = phi_now(among, (b, body), works, Nearness::Nearest);
    }
}

impl SolidWork {
    /// Sweeps all vertices that are not pinned, and lets go of those that are. Sees nothing but its own body.
    fn sweep(&mut self, model: &Model, body: &SolidBody) {
        let Self { made_for, inertia, weights, turning, flow, near, pinned, .. } = self;
        Solid { body, tets: tets(model, body), stuff: made_for, inertia }.sweep(
            turning,
            weights,
            flow,
            Some(near),
        );
        loads::unload(pinned, weights);
    }
}

/// Whether the tetrahedra of a body that descends vertex by vertex turn before a pass. What is held goes nearly where it was
/// expected; what is free may be turned as a whole after a pass.
fn turns_before(pass: u32, body: &SolidBody) -> bool {
    let corotated = body.regions.iter().any(|r| r.law == Law::Corotated);
    let often = corotated && (pass < TURN_EACH || pass.is_multiple_of(TURN_EACH));
    pass > 0 && (often || pass == TURN_AT || body.free && pass == TURN_FREE)
}

/// Weights and pulls for a pass from where everything is now. Tetrahedra turn where it is their time; those of a body
/// that descends as a whole have.
fn ready(among: &Among, (b, body): (usize, &SolidBody), pass: u32, works: &mut [SolidWork]) {
    let model = among.sub.model;
    let target = &among.target[model.bodies[b].vertex_range()];
    let loaded = loads::any(model, b, body, &works[b]);
    if loaded {
        let mut loads = std::mem::take(&mut works[b].loads);
        Where { model, works }.loads(b, body, &mut loads);
        works[b].loads = loads;
    }
    let SolidWork { made_for, inertia, weights, turning, flow, loads, bare, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(model, body), stuff: made_for, inertia };
    loads::unload(bare, weights);
    let whole = matches!(body.descent, Descent::Global(_));
    let turns = solid.turns() && (whole && pass > 0 || turns_before(pass, body));
    if turns && !whole {
        solid.turn(turning, flow, Nearness::Nearer);
    }
    if turns || pass == 0 {
        solid.pull(turning, weights, target);
    }
    bare.clear();
    if loaded {
        loads::bare(body, loads, weights, bare);
        loads::load(body, loads, weights);
    }
}

/// Φ where the body is \[J\], its tetrahedra turned there.
fn phi_now(
    among: &mut Among,
    (b, body): (usize, &SolidBody),
    works: &mut [SolidWork],
    how: Nearness,
) -> Real {
    let SolidWork { made_for, inertia, turning, flow, guess, .. } = &mut works[b];
    let mut pos = std::mem::take(guess);
    for (x, place) in pos.iter_mut().zip(&body.layout.places) {
        *x = vec(flow[*place as usize]);
    }
    let solid = Solid { body, tets: tets(among.sub.model, body), stuff: made_for, inertia };
    if solid.turns() {
        solid.turn(turning, flow, how);
    }
    let phi = phi(among, (b, body), works, &pos, true);
    works[b].guess = pos;
    phi
}

/// One quasi-Newton step; whether there was anything to gain.
fn leap(
    among: &mut Among,
    (b, body): (usize, &SolidBody),
    (global, pass): (&Global, u32),
    works: &mut [SolidWork],
) -> bool {
    let sub = among.sub;
    // Others have moved, or rows push otherwise.
    if loads::tied(sub.model, b) || among.contacts.any(b) {
        works[b].quasi.phi = phi_now(among, (b, body), works, Nearness::Nearest);
    }
    ready(among, (b, body), pass, works);
    let SolidWork { weights, turning, flow, quasi, inertia, made_for, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(sub.model, body), stuff: made_for, inertia };
    solid.slopes(turning, weights, flow, &mut quasi.slopes);
    touched::push(sub.model, (b, body), &among.contacts, &mut quasi.slopes);
    let stiffer = Stiffer {
        inertia: global.substep_s * global.substep_s / (sub.h * sub.h),
        elastic: scale(body, &sub.params.bodies[b]) * (1.0 + made_for.first().map_or(0.0, |s| s.damping))
            / (1.0 + global.relaxation_s / global.substep_s),
    };
    let slope = quasi.aim(body, global, flow, (inertia, stiffer));
    let (before, stored) = (works[b].quasi.phi, works[b].stored);
    if slope.partial_cmp(&(STILL * stored)).is_none_or(std::cmp::Ordering::is_le) {
        return false;
    }
    let rounding = ROUNDING * (before.abs() + stored);
    let (mut shares, mut how) = (Shares::new(), Nearness::Near);
    loop {
        let SolidWork { flow, quasi, .. } = &mut works[b];
        quasi.go(body, shares.share, flow);
        let after = phi_now(among, (b, body), works, how);
        if shares.is_content([before, after], slope, rounding) {
            works[b].quasi.phi = after;
            return true;
        }
        if !shares.shorten([before, after], slope) {
            break;
        }
        // Rotations have gone astray with the step.
        how = Nearness::Nearest;
    }
    let SolidWork { made_for, inertia, weights, turning, flow, quasi, pinned, .. } = &mut works[b];
    quasi.go(body, 0.0, flow);
    let solid = Solid { body, tets: tets(sub.model, body), stuff: made_for, inertia };
    if body.quadratic.is_some() && solid.turns() {
        // Pulls of others are kept, those of samples turn with them.
        solid.turn(turning, flow, Nearness::Nearest);
    }
    touched::pin(sub.model, (b, body), among.contacts.links, (weights, flow), pinned);
    solid.sweep(turning, weights, flow, None);
    loads::unload(pinned, weights);
    works[b].quasi.phi = phi_now(among, (b, body), works, Nearness::Nearest);
    true
}

/// Takes the new positions over; the whole of a free body that nothing pushes is settled.
fn land(
    sub: &Substep,
    (b, body): (usize, &SolidBody),
    state: &State,
    scratch: &mut Scratch,
    works: &mut [SolidWork],
) {
    let vertices = sub.model.bodies[b].vertex_range();
    let flies = flies((b, body), scratch, works);
    let (old, target) = (&state.pos[vertices.clone()], &scratch.target[vertices.clone()]);
    let pos = &mut scratch.pos[vertices.clone()];
    for (x, place) in pos.iter_mut().zip(&body.layout.places) {
        *x = vec(works[b].flow[*place as usize]);
    }
    if flies {
        let SolidWork { made_for, inertia, turning, flow, start, .. } = &mut works[b];
        let solid = Solid { body, tets: tets(sub.model, body), stuff: made_for, inertia };
        let most = (*start - solid.potential(turning, flow, false)) * sub.h * sub.h;
        Whole { mass: &sub.model.mass[vertices], old, target }.settle(pos, most);
    }
}

/// Whether nothing holds or pushes a body.
fn flies((b, body): (usize, &SolidBody), scratch: &Scratch, works: &[SolidWork]) -> bool {
    let pushed = || scratch.links.rows_of(b).iter().any(|r| scratch.touching[*r as usize].is_felt());
    body.free && works[b].holds.is_empty() && !pushed()
}

/// Velocities are what the positions did, and what jaws pull with is kept.
fn end(
    sub: &Substep,
    (b, body): (usize, &SolidBody),
    state: &mut State,
    scratch: &mut Scratch,
    works: &mut [SolidWork],
) {
    let vertices = sub.model.bodies[b].vertex_range();
    let free = flies((b, body), scratch, works);
    for hold in &works[b].holds {
        let grip = &mut state.grips[hold.grip as usize];
        let pull = hold.force(scratch.pos[hold.vertex.at()]);
        if pull.is_finite() {
            loads::recoil(sub, grip, pull - grip.pull, scratch);
            grip.pull = pull;
        }
    }
    let pos = &scratch.pos[vertices.clone()];
    if pos.iter().all(|x| x.is_finite()) {
        let mass = &sub.model.mass[vertices.clone()];
        let wanted = whole::momentum(mass, &scratch.vel[vertices.clone()]);
        vertices.clone().for_each(|v| scratch.vel[v] = (scratch.pos[v] - state.pos[v]) / sub.h);
        if free {
            // A step is so short that the last bits of positions are worth something as velocities.
            let missing = wanted - whole::momentum(mass, &scratch.vel[vertices.clone()]);
            let more = missing / mass.iter().sum::<Real>();
            scratch.vel[vertices].iter_mut().for_each(|v| *v += more);
        }
    } else {
        scratch.lost[b] = true;
        scratch.pos[vertices.clone()].copy_from_slice(&state.pos[vertices.clone()]);
        scratch.vel[vertices].fill(Vec3::ZERO);
    }
}
