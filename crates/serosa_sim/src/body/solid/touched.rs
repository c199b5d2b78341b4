//! Solids among rows.
//!
//! Rows hold few vertices, each in its own directions. All others go to their minima together, as without rows, while
//! those are pinned; then those go to theirs, one after the other, with all their rows. Only they see other bodies, so
//! the insides of all bodies can be swept at the same time.

use super::carry::carry;
use super::coarse::correct;
use super::lanes::Spot;
use super::loads::{self, Bare};
use super::prepare::{Solid, spot, vec};
use super::strain::tets;
use super::sweep::Weights;
use super::{
    Among, SolidWork, begin, end, end_sweep, fill, land, prepare_sweep, ready, solids, turns_before,
};
use crate::body::Substep;
use crate::model::{Body, BodyKind, LANES, Layout, Model, NONE, SECTION, SolidBody};
use crate::respond::augmented_lagrangian::{Contacts, Links, Local};
use crate::state::State;
use crate::{Mat3, Real, Scratch, Vec3};
use rayon::prelude::*;

/// Diagonal of a vertex that is to stay where it is \[N/m\]: what moves it by less than the last digit of a micrometre.
const PINNED: Real = 1e30;

/// The coarse correction follows the first of so many sweeps: after each of them it costs more and gives no more.
const CORRECT_EACH: u32 = 2;

/// Sweeps in which the inside follows its surface.
const FOLLOW: u32 = 2;

impl SolidWork {
    /// What resists a push on a vertex while its neighbours are held, but for its volume \[N/m\]; nothing where it is fixed.
    pub fn firmness(&self, body: &SolidBody, v: usize) -> Option<Real> {
        let seat = body.layout.seats[v];
        (seat != NONE).then(|| self.weights.held[seat as usize / LANES].diag.0[seat as usize % LANES])
    }
}

/// Where solids begin a substep among rows.
pub(crate) fn start(sub: &Substep, state: &State, scratch: &mut Scratch) {
    each(sub, state, scratch, |among, (b, body), works| {
        begin(among, (b, body), state, works);
        let vertices = sub.model.bodies[b].vertex_range();
        if !body.coarse.is_empty() {
            works[b].coarse.turn(&body.coarse, &sub.model.rest[vertices.clone()], &state.pos[vertices]);
        }
        read(among, (b, body), works);
    });
}

/// One pass over all vertices that no row holds: these see nothing but their own body, and all bodies are swept at once,
/// `beside` them what does not see them either; but for bodies that are tied, which go one after the other.
pub(crate) fn descend_inside(
    sub: &Substep,
    state: &State,
    scratch: &mut Scratch,
    pass: u32,
    beside: impl FnOnce(&mut Scratch) + Send,
) {
    each(sub, state, scratch, |among, (b, body), works| {
        // The filter may have clipped what the last pass did.
        fill(body, &among.contacts.pos[sub.model.bodies[b].vertex_range()], &mut works[b].flow);
        works[b].swept = prepare_sweep(among, (b, body), pass, works);
        // Two that are tied would both go all the way to where the other was.
        if works[b].swept && loads::tied(sub.model, b) {
            works[b].swept = false;
            works[b].sweep(sub.model, body);
            end_sweep(among, (b, body), works);
        }
    });
    let mut works = std::mem::take(&mut scratch.solids);
    let sweep = |(work, body): (&mut SolidWork, &Body)| {
        if let BodyKind::Solid(body) = &body.kind
            && work.swept
        {
            work.sweep(sub.model, body);
        }
    };
    // Each body is a job of its own, so that whoever is free takes the next.
    let jobs = works.par_iter_mut().zip(&sub.model.bodies).with_max_len(1);
    rayon::join(|| jobs.for_each(sweep), || beside(scratch));
    scratch.solids = works;
    each(sub, state, scratch, |among, (b, body), works| {
        if core::mem::take(&mut works[b].swept) {
            end_sweep(among, (b, body), works);
        }
        read(among, (b, body), works);
        carry(among, (b, body), turns_before(pass + 1, body), works);
        if pass.is_multiple_of(CORRECT_EACH) {
            correct(among, (b, body), works);
        }
    });
}

/// The inside of what the filter has stopped goes to its minimum with the surface where it was left. What is inside touches
/// nothing and needs no certificate. O(tetrahedra of such solids).
pub(crate) fn follow(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let stopped = std::mem::take(&mut scratch.stopped);
    each(sub, state, scratch, |among, (b, body), works| {
        if !stopped[b] {
            return;
        }
        let vertices = sub.model.bodies[b].vertex_range();
        fill(body, &among.contacts.pos[vertices.clone()], &mut works[b].flow);
        ready(among, (b, body), 1, works);
        let SolidWork { made_for, inertia, weights, turning, flow, pinned, bare, .. } = &mut works[b];
        pinned.clear();
        for (v, _) in vertices.enumerate().filter(|(_, at)| !sub.model.neighbours.at((*at).into()).is_empty())
        {
            let place = vec(flow[body.layout.places[v] as usize]);
            loads::pin(body, (v as u32, place), PINNED, weights, pinned);
        }
        let solid = Solid { body, tets: tets(sub.model, body), stuff: made_for, inertia };
        for _ in 0..FOLLOW {
            solid.sweep(turning, weights, flow, None);
        }
        loads::unload(pinned, weights);
        loads::unload(bare, weights);
        read(among, (b, body), works);
    });
    scratch.stopped = stopped;
}

fn each(
    sub: &Substep,
    state: &State,
    scratch: &mut Scratch,
    mut work: impl FnMut(&mut Among, (usize, &SolidBody), &mut [SolidWork]),
) {
    let Scratch { pos, pose, target, touching, links, solids: works, .. } = scratch;
    let mut among = Among { sub, target, contacts: Contacts { pos, pose, touching, links } };
    for (b, body) in solids(sub.model).filter(|(b, _)| !state.frozen[*b]) {
        work(&mut among, (b, body), works);
    }
}

/// Positions out of the order of the layout.
fn read(among: &mut Among, (b, body): (usize, &SolidBody), works: &[SolidWork]) {
    let pos = &mut among.contacts.pos[among.sub.model.bodies[b].vertex_range()];
    for (x, place) in pos.iter_mut().zip(&body.layout.places) {
        *x = vec(works[b].flow[*place as usize]);
    }
}

/// The vertices of a body that rows hold go to their minima, in the order of their numbers.
pub(crate) fn descend_touched(
    sub: &Substep,
    (b, body): (usize, &SolidBody),
    state: &State,
    scratch: &mut Scratch,
) {
    let Scratch { pos, pose, touching, links, solids: works, .. } = scratch;
    if state.frozen[b] || links.rows_of(b).is_empty() {
        return;
    }
    let SolidWork { made_for, inertia, weights, turning, flow, .. } = &mut works[b];
    let solid = Solid { body, tets: tets(sub.model, body), stuff: made_for, inertia };
    let mut contacts = Contacts { pos, pose, touching, links };
    for (v, at) in sub.model.bodies[b].vertex_range().enumerate() {
        if links.of(at).is_empty() || body.layout.seats[v] == NONE {
            continue;
        }
        let local = match solid.ten() {
            Some(ten) => ten.local(v, turning, weights, flow),
            None => local(&body.layout, weights, flow, v),
        };
        flow[body.layout.places[v] as usize] = spot(contacts.lower(at, &local, |_, d| local.change(d)));
    }
}

/// Ends the sweeps: the whole of solids that nothing pushed is settled.
pub(crate) fn settle(sub: &Substep, state: &State, scratch: &mut Scratch) {
    let mut works = std::mem::take(&mut scratch.solids);
    for (b, body) in solids(sub.model).filter(|(b, _)| !state.frozen[*b]) {
        fill(body, &scratch.pos[sub.model.bodies[b].vertex_range()], &mut works[b].flow);
        land(sub, (b, body), state, scratch, &mut works);
    }
    scratch.solids = works;
}

/// Ends the substep of a solid.
pub(crate) fn finish(
    sub: &Substep,
    (b, body): (usize, &SolidBody),
    state: &mut State,
    scratch: &mut Scratch,
) {
    if state.frozen[b] {
        return;
    }
    let mut works = std::mem::take(&mut scratch.solids);
    end(sub, (b, body), state, scratch, &mut works);
    scratch.solids = works;
}

/// Holds the vertices of a body that rows hold where they are, and keeps what their weights were.
pub(super) fn pin(
    model: &Model,
    (b, body): (usize, &SolidBody),
    links: &Links,
    (weights, flow): (&mut Weights, &[Spot]),
    out: &mut Vec<Bare>,
) {
    out.clear();
    if links.rows_of(b).is_empty() {
        return;
    }
    for (v, _) in model.bodies[b].vertex_range().enumerate().filter(|(_, at)| !links.of(*at).is_empty()) {
        let place = vec(flow[body.layout.places[v] as usize]);
        loads::pin(body, (v as u32, place), PINNED, weights, out);
    }
}

/// Adds the forces of rows on a body, by places.
pub(super) fn push(model: &Model, (b, body): (usize, &SolidBody), contacts: &Contacts, slopes: &mut [Spot]) {
    if !contacts.any(b) {
        return;
    }
    for (v, at) in model.bodies[b].vertex_range().enumerate() {
        if !contacts.links.of(at).is_empty() {
            let place = body.layout.places[v] as usize;
            slopes[place] = spot(vec(slopes[place]) + contacts.force(at));
        }
    }
}

/// What its own body does to a vertex that moves: the scalar twin of the kernel of the sweep.
fn local(layout: &Layout, weights: &Weights, flow: &[Spot], v: usize) -> Local {
    let (seat, own) = (layout.seats[v] as usize, layout.places[v] as usize);
    let (group, held, k) = (&layout.groups[seat / LANES], &weights.held[seat / LANES], seat % LANES);
    let (first, part) = (own / SECTION * SECTION, &layout.parts[own / SECTION]);
    let halo = &layout.halo[part.halo.start as usize..part.halo.end as usize];
    // Of vertices around the part, those themselves, not their copies, which may be old.
    let at = |place: usize| match place.checked_sub(part.own as usize) {
        None => vec(flow[first + place]),
        Some(around) => halo.get(around).map_or(Vec3::ZERO, |place| vec(flow[*place as usize])),
    };
    let x = vec(flow[own]);
    let pull = Vec3::new(held.pull[0].0[k], held.pull[1].0[k], held.pull[2].0[k]);
    let mut force = pull - x * held.diag.0[k];
    let edges = group.edges.start as usize..group.edges.end as usize;
    for (other, weight) in layout.edges[edges.clone()].iter().zip(&weights.edges[edges]) {
        if weight.0[k] != 0.0 {
            force -= at(other[k] as usize) * weight.0[k];
        }
    }
    let mut matrix = Mat3::from_diagonal(Vec3::splat(held.diag.0[k]));
    let faces = group.faces.start as usize..group.faces.end as usize;
    for (face, weight) in layout.faces[faces.clone()].iter().zip(&weights.faces[faces]) {
        if weight.kappa.0[k] == 0.0 {
            continue;
        }
        let [a, b, c] = [0, 1, 2].map(|i| at((face[k] >> (10 * i)) as usize % SECTION));
        let n = (b - a).cross(c - a);
        let by = n * weight.kappa.0[k];
        force -= by * (n.dot(x - a) - weight.beta.0[k]);
        matrix += Mat3::from_cols(by * n.x, by * n.y, by * n.z);
    }
    Local { force, matrix }
}
