//! What holds a solid from outside: springs to walls, ties to other solids, jaws. All are springs of no length to a
//! place that is known while the body is swept, so they change nothing but the diagonal and the pull of a vertex.
//!
//! A tie that holds n vertices of the body is shared out among them by a majoriser that touches it where they are now:
//! ½ k |Σ wᵢ dᵢ + r|² ≤ Σ ½ k W |wᵢ| |dᵢ + sgn(wᵢ) r/W|², W = Σ |wᵢ|. It is exact for one vertex, and never lets a
//! sweep raise the potential.

use super::SolidWork;
use super::prepare::vec;
use super::sweep::Weights;
use crate::body::Substep;
use crate::model::{BodyKind, LANES, Model, SolidBody};
use crate::respond::Motion;
use crate::row::Node;
use crate::scratch::{Mobility, Scratch};
use crate::state::Grip;
use crate::{Real, Vec3, VertexId};
use std::ops::Range;

/// A spring from a vertex to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Counted from the first of the body.
    pub vertex: u32,
    /// \[N/m\]
    pub stiffness: Real,
    target: Vec3,
}

/// A vertex that loads may hold, as it is without them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bare {
    seat: Seat,
    diag: Real,
    pull: Vec3,
}

/// Which group and lane.
#[derive(Clone, Copy, Debug)]
struct Seat(u32, u8);

/// A vertex of a solid in jaws. The tool has felt the pull of the last substep already; the spring, as stiff as the tool
/// is heavy, has only to catch changes of it, so that a pull that lasts holds the vertex exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    /// Which grip.
    pub grip: u32,
    pub vertex: VertexId,
    /// Where the jaws would be, and beyond as far as the last pull asks for \[m\].
    pub place: Vec3,
    /// \[N/m\]
    pub stiffness: Real,
    /// Most force \[N\].
    pub limit: Real,
}

impl Hold {
    /// Stiffness with which it holds a vertex there: less where the force would be too large.
    fn firmness(&self, at: Vec3) -> Real {
        let away = (at - self.place).length();
        if self.stiffness * away > self.limit { self.limit / away } else { self.stiffness }
    }

    /// Force on a vertex there \[N\].
    pub fn force(&self, at: Vec3) -> Vec3 {
        (self.place - at) * self.firmness(at)
    }

    /// Its potential \[J\]: a parabola, and a cone beyond the limit.
    fn energy(&self, at: Vec3) -> Real {
        let away = (at - self.place).length();
        if self.stiffness * away <= self.limit {
            return 0.5 * self.stiffness * away * away;
        }
        self.limit * (away - 0.5 * self.limit / self.stiffness)
    }
}

/// The solid that a vertex belongs to.
pub(crate) fn solid_of(model: &Model, vertex: VertexId) -> Option<usize> {
    let b = model.bodies.partition_point(|body| body.vertices.end <= vertex.0);
    model.bodies.get(b).filter(|body| matches!(body.kind, BodyKind::Solid(_))).map(|_| b)
}

/// A tool feels a pull on a vertex that it holds \[N\].
pub(super) fn recoil(sub: &Substep, grip: &Grip, pull: Vec3, scratch: &mut Scratch) {
    let held = Node::Rigid(sub.model.tools[grip.tool.at()].rigid, grip.at);
    let Scratch { pose, twist, rigid_mobility, .. } = scratch;
    let (pos, vel, inv_mass, carried) = (&mut [], &mut [], &[], &mut []);
    let mut motion = Motion { pos, vel, pose, twist, inv_mass, rigid_mobility, carried };
    motion.push_velocity(held, pull * -sub.h);
    motion.push_position(held, pull * (-sub.h * sub.h));
}

/// Finds what jaws hold of a body.
pub(super) fn hold(
    sub: &Substep,
    vertices: Range<usize>,
    grips: &[Grip],
    (mobility, pose): (&[Mobility], &[crate::model::Pose]),
    out: &mut Vec<Hold>,
) {
    out.clear();
    for (i, grip) in grips.iter().enumerate().filter(|(_, g)| vertices.contains(&g.vertex.at())) {
        let tool = &sub.model.tools[grip.tool.at()];
        let shares = grips.iter().filter(|g| g.tool == grip.tool).count() as Real;
        let Mobility { inv_mass, inv_inertia } = mobility[tool.rigid.at()];
        let yields = inv_mass + grip.at.length_squared() * inv_inertia.max_element();
        // A tool that does not yield at all holds as if it had a ton.
        let mass = 1.0 / yields.max(1e-3);
        let stiffness = mass / (shares * sub.h * sub.h);
        out.push(Hold {
            grip: i as u32,
            vertex: grip.vertex,
            place: pose[tool.rigid.at()].point(grip.at) + grip.pull / stiffness,
            stiffness,
            limit: tool.strength / shares,
        });
    }
}

/// Whether anything may hold the body.
pub(super) fn any(model: &Model, b: usize, body: &SolidBody, work: &SolidWork) -> bool {
    !body.walls.is_empty() || !work.holds.is_empty() || ties(model, b).next().is_some()
}

/// Whether ties hold the body.
pub(super) fn tied(model: &Model, b: usize) -> bool {
    ties(model, b).next().is_some()
}

fn ties(model: &Model, b: usize) -> impl Iterator<Item = &crate::model::Tie> {
    model.ties.iter().filter(move |t| t.ends.iter().any(|k| k.body.at() == b))
}

/// Where vertices are: in the works of their bodies.
pub(super) struct Where<'a> {
    pub model: &'a Model,
    pub works: &'a [SolidWork],
}

impl Where<'_> {
    fn vertex(&self, b: usize, v: VertexId) -> Vec3 {
        let BodyKind::Solid(body) = &self.model.bodies[b].kind else { return self.model.rest[v.at()] };
        let first = self.model.bodies[b].vertices.start;
        let place = body.layout.places[(v.0 - first) as usize] as usize;
        self.works[b].flow.get(place).map_or(self.model.rest[v.at()], |spot| vec(*spot))
    }

    fn knot(&self, knot: &crate::model::Knot) -> Vec3 {
        knot.nodes.iter().zip(knot.weights).map(|(v, w)| self.vertex(knot.body.at(), *v) * w).sum()
    }

    /// Potential of all that holds a body \[J\].
    pub fn energy(&self, b: usize, body: &SolidBody) -> Real {
        let walls =
            body.walls.iter().map(|w| 0.5 * w.stiffness * (self.vertex(b, w.vertex) - w.at).length_squared());
        let holds = self.works[b].holds.iter().map(|h| h.energy(self.vertex(b, h.vertex)));
        let ties = ties(self.model, b).map(|t| {
            let apart = self.knot(&t.ends[0]) - self.knot(&t.ends[1]) - t.apart;
            0.5 * t.stiffness * apart.length_squared()
        });
        walls.sum::<Real>() + holds.sum::<Real>() + ties.sum::<Real>()
    }

    /// Force of walls and ties on a body \[N\].
    pub fn pull(&self, b: usize, body: &SolidBody) -> Vec3 {
        let walls = body.walls.iter().map(|w| (w.at - self.vertex(b, w.vertex)) * w.stiffness);
        let ties = ties(self.model, b).map(|t| {
            let apart = self.knot(&t.ends[0]) - self.knot(&t.ends[1]) - t.apart;
            let own = |k: usize, sign: Real| if t.ends[k].body.at() == b { sign } else { 0.0 };
            apart * (t.stiffness * (own(1, 1.0) - own(0, 1.0)))
        });
        walls.sum::<Vec3>() + ties.sum::<Vec3>()
    }

    /// All springs of a body, where everything is now.
    pub fn loads(&self, b: usize, body: &SolidBody, out: &mut Vec<Load>) {
        out.clear();
        let first = self.model.bodies[b].vertices.start;
        let local = |v: VertexId| v.0 - first;
        out.extend(body.walls.iter().map(|w| Load {
            vertex: local(w.vertex),
            stiffness: w.stiffness,
            target: w.at,
        }));
        out.extend(self.works[b].holds.iter().map(|h| Load {
            vertex: local(h.vertex),
            stiffness: h.firmness(self.vertex(b, h.vertex)),
            target: h.place,
        }));
        for tie in ties(self.model, b) {
            let apart = self.knot(&tie.ends[0]) - self.knot(&tie.ends[1]) - tie.apart;
            let own = || tie.ends.iter().zip([1.0, -1.0]).filter(|(knot, _)| knot.body.at() == b);
            let whole: Real = own().map(|(knot, _)| knot.weights.iter().sum::<Real>()).sum();
            for (knot, sign) in own() {
                for (v, w) in knot.nodes.iter().zip(knot.weights).filter(|(_, w)| *w > 0.0) {
                    let target = self.vertex(b, *v) - apart * (sign / whole);
                    out.push(Load { vertex: local(*v), stiffness: tie.stiffness * whole * w, target });
                }
            }
        }
    }
}

/// The seats of all vertices that are loaded, as they are without loads.
pub(super) fn bare(body: &SolidBody, loads: &[Load], weights: &Weights, out: &mut Vec<Bare>) {
    out.clear();
    for load in loads {
        let Some(seat) = seat(body, load.vertex) else { continue };
        let (held, k) = (&weights.held[seat.0 as usize], seat.1 as usize);
        let pull = Vec3::new(held.pull[0].0[k], held.pull[1].0[k], held.pull[2].0[k]);
        out.push(Bare { seat, diag: held.diag.0[k], pull });
    }
}

/// Takes all loads off.
pub(super) fn unload(bare: &[Bare], weights: &mut Weights) {
    for Bare { seat, diag, pull } in bare {
        let (held, k) = (&mut weights.held[seat.0 as usize], seat.1 as usize);
        held.diag.0[k] = *diag;
        (0..3).for_each(|c| held.pull[c].0[k] = pull[c]);
    }
}

/// Makes a vertex so firm that it stays at its place, and keeps how it was.
pub(super) fn pin(
    body: &SolidBody,
    (vertex, place): (u32, Vec3),
    firmness: Real,
    weights: &mut Weights,
    out: &mut Vec<Bare>,
) {
    let Some(seat) = seat(body, vertex) else { return };
    let (held, k) = (&mut weights.held[seat.0 as usize], seat.1 as usize);
    let pull = Vec3::new(held.pull[0].0[k], held.pull[1].0[k], held.pull[2].0[k]);
    out.push(Bare { seat, diag: held.diag.0[k], pull });
    held.diag.0[k] = firmness;
    (0..3).for_each(|c| held.pull[c].0[k] = firmness * place[c]);
}

/// Puts loads on.
pub(super) fn load(body: &SolidBody, loads: &[Load], weights: &mut Weights) {
    for load in loads {
        let Some(seat) = seat(body, load.vertex) else { continue };
        let (held, k) = (&mut weights.held[seat.0 as usize], seat.1 as usize);
        held.diag.0[k] += load.stiffness;
        (0..3).for_each(|c| held.pull[c].0[k] += load.stiffness * load.target[c]);
    }
}

/// None where the vertex is fixed.
fn seat(body: &SolidBody, vertex: u32) -> Option<Seat> {
    let seat = *body.layout.seats.get(vertex as usize)?;
    (seat != crate::model::NONE).then(|| Seat(seat / LANES as u32, (seat % LANES as u32) as u8))
}
