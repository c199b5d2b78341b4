//! Everything that moves as one linear system: an implicit step of springs, solids, tissue, bands and rigid frames, before
//! contacts.
//!
//! Backward Euler, linearised where the substep begins and solved for the new velocity:
//!
//! ```text
//! K v = b,    K = M + h C + h² S,    b = M v₀ + h f
//! ```
//!
//! f are the forces where the substep begins, S and C how they resist displacements and velocities, made positive
//! element by element: K is symmetric and positive definite by construction. (The right-hand side in print, Raghupathi
//! and Faure 2006, (1), has ∂f/∂v where ∂f/∂x belongs; solved for v and not for its change it does not appear.) A rigid
//! frame enters by what it would do alone, with the mass that its hand lends it; only rows couple it to others.
//!
//! Unknowns are those of vertices, then two for each rigid frame, linear and angular velocity, then two for the rest shape
//! of each tissue body that goes along with it. What is fixed is none.

mod tissue;

use super::band::BandWork;
use super::solid::firmness;
use super::springs::constants;
use super::{Substep, band, rigid};
use crate::algebra::elimination::NotPositive;
use crate::algebra::small::along_and_across;
use crate::algebra::{BlockMatrix, Elimination};
use crate::model::{BodyKind, Model, Spring, TissueBody};
use crate::params::BodyParams;
use crate::scratch::Mobility;
use crate::state::{State, Twist};
use crate::{Mat3, Real, RigidId, Scratch, Vec3, VertexId, World};
use serosa_geometry::rotation::unit_or;
use std::ops::Range;

/// The matrix of a substep, its factor and the motion without rows. Vectors have three numbers for each unknown.
#[derive(Clone, Debug)]
pub struct System {
    /// K.
    pub matrix: BlockMatrix<3>,
    /// Its factor.
    pub factor: Elimination,
    /// b \[N s\], \[N m s\].
    pub load: Vec<Real>,
    /// K⁻¹ b.
    pub free: Vec<Real>,
    /// Why there is no factor, where there is none.
    pub trouble: Option<Trouble>,
    /// The edges of all solids, for their strain limits.
    pub(crate) edges: Vec<Edge>,
    room: Vec<Real>,
}

/// Two vertices of one body, and how far they are from each other at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub ends: [VertexId; 2],
    /// \[m\]
    pub rest_m: Real,
    pub body: u32,
}

/// Each edge of the tetrahedra of each solid once, in the order of their ends.
fn solid_edges(model: &Model) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (b, body) in model.bodies.iter().enumerate() {
        let BodyKind::Solid(solid) = &body.kind else { continue };
        let mut pairs = Vec::new();
        let tets = &model.tets[solid.tets.start as usize..solid.tets.end as usize];
        tets.iter().for_each(|t| all_pairs(&t.nodes.map(|v| v.0), &mut pairs));
        pairs.iter_mut().for_each(|ends| ends.sort_unstable());
        pairs.sort_unstable();
        pairs.dedup();
        let rest = |[a, c]: [u32; 2]| (model.rest[a as usize] - model.rest[c as usize]).length();
        edges.extend(pairs.into_iter().map(|ends| Edge {
            ends: ends.map(VertexId),
            rest_m: rest(ends),
            body: b as u32,
        }));
    }
    edges
}

/// Why nothing can be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trouble {
    /// The substep has no length, or none that is a number.
    NoTime,
    /// K is not positive definite; elimination stopped at this unknown.
    NotPositive(u32),
}

/// The first of the two unknowns of a rigid frame.
pub fn unknown_of(model: &Model, r: RigidId) -> u32 {
    model.rest.len() as u32 + 2 * r.0
}

/// The body that an unknown belongs to.
pub fn body_of(model: &Model, unknown: u32) -> usize {
    match (unknown as usize).checked_sub(model.rest.len()) {
        Some(k) if k / 2 < model.rigids.len() => model.rigids[k / 2].body.at(),
        Some(k) => {
            let shape = |(_, _, first): &(usize, &TissueBody, u32)| *first == unknown - k as u32 % 2;
            tissue::shapes(model).find(shape).map_or(0, |(b, ..)| b)
        }
        None => model.bodies.partition_point(|b| b.vertices.end <= unknown),
    }
}

/// The matrix of a model with all its numbers zero.
pub fn pattern(model: &Model) -> BlockMatrix<3> {
    let mut fixed = vec![true; model.rest.len()];
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for body in &model.bodies {
        match &body.kind {
            BodyKind::Springs(s) => {
                pairs.extend(model.springs[s.springs()].iter().map(|s| s.ends.map(|v| v.0)));
            }
            BodyKind::Solid(s) => {
                let tets = &model.tets[s.tets.start as usize..s.tets.end as usize];
                tets.iter().for_each(|t| all_pairs(&t.nodes.map(|v| v.0), &mut pairs));
            }
            BodyKind::Tissue(t) => tissue::add_pairs(model, t, &mut pairs),
            BodyKind::Band(own) => band::add_pairs(model, own, &mut pairs),
            BodyKind::Flexible(_) | BodyKind::Rigid(_) => continue,
        }
        body.vertex_range().for_each(|v| fixed[v] = model.inv_mass[v] == 0.0);
    }
    for tie in &model.ties {
        let mut nodes = [0; 8];
        tie.ends.iter().flat_map(|k| k.nodes).zip(&mut nodes).for_each(|(v, n)| *n = v.0);
        all_pairs(&nodes, &mut pairs);
    }
    fixed.extend(model.rigids.iter().flat_map(|r| [r.inv_mass == 0.0; 2]));
    for (b, _, first) in tissue::shapes(model) {
        fixed.extend([false; 2]);
        pairs.extend(model.bodies[b].vertices.clone().flat_map(|v| [[v, first], [v, first + 1]]));
    }
    pairs.retain(|[a, b]| a != b);
    let mut matrix = BlockMatrix::of_elements(&pairs, &fixed);
    for (b, _) in tissue::swollen(model) {
        let vertices = &model.bodies[b].vertices;
        matrix.add_rank(vertices.start, vertices.len());
    }
    matrix
}

fn all_pairs(nodes: &[u32], pairs: &mut Vec<[u32; 2]>) {
    for (k, a) in nodes.iter().enumerate() {
        pairs.extend(nodes[..k].iter().map(|b| [*a, *b]));
    }
}

impl System {
    /// Of a model, eliminated in its own order, or from first to last where it has none.
    ///
    /// Cost: the blocks of the factor.
    pub fn of(model: &Model) -> Option<Self> {
        let matrix = pattern(model);
        let in_line = || (0..matrix.free().len() as u32).collect::<Vec<_>>();
        let factor =
            Elimination::of(&matrix, &model.order).or_else(|| Elimination::of(&matrix, &in_line()))?;
        let numbers = 3 * matrix.vertices();
        let (load, free) = (vec![0.0; numbers], vec![0.0; numbers]);
        let edges = solid_edges(model);
        Some(Self { matrix, factor, load, free, trouble: None, edges, room: Vec::new() })
    }

    /// K and b where the substep begins. Cost: linear in springs, tetrahedra and ties. Allocates nothing.
    fn assemble(&mut self, sub: &Substep, state: &State, scratch: &Scratch) {
        self.matrix.clear();
        self.load.fill(0.0);
        let model = sub.model;
        for v in 0..model.rest.len() {
            let moves = scratch.inv_mass[v] > 0.0;
            // What is frozen stands still, whatever it is.
            self.matrix.add_diagonal(v as u32, if moves { model.mass[v] } else { 1.0 });
            if moves {
                self.push(v, (state.vel[v] + sub.params.fall() * sub.h) * model.mass[v]);
            }
        }
        let moves = |v: u32| scratch.inv_mass[v as usize] > 0.0;
        let pos = &state.pos;
        for (b, body) in model.bodies.iter().enumerate() {
            let material = &sub.params.bodies[b];
            match &body.kind {
                BodyKind::Springs(s) => {
                    for spring in &model.springs[s.springs()] {
                        let (push, rate) = linearised(spring, material, pos, sub.h);
                        let ends = spring.ends.map(|v| v.0);
                        self.push(ends[0] as usize, -push);
                        self.push(ends[1] as usize, push);
                        self.couple(ends, [-1.0, 1.0], rate, moves);
                    }
                }
                BodyKind::Solid(s) => {
                    for element in firmness::elements(sub, (b, s), pos) {
                        self.add_element(&element, sub.h, moves);
                    }
                    for wall in &s.walls {
                        let pull = (wall.at - pos[wall.vertex.at()]) * wall.stiffness;
                        self.push(wall.vertex.at(), pull * sub.h);
                        if moves(wall.vertex.0) {
                            self.matrix.add_diagonal(wall.vertex.0, wall.stiffness * sub.h * sub.h);
                        }
                    }
                }
                BodyKind::Tissue(_) => self.add_tissue(body, &scratch.tissues[b], state.frozen[b], moves),
                BodyKind::Band(_) if !state.frozen[b] => {
                    self.add_band((sub, body.vertex_range()), &scratch.bands[b]);
                }
                BodyKind::Band(_) | BodyKind::Flexible(_) | BodyKind::Rigid(_) => {}
            }
        }
        self.add_shapes(model, scratch, &state.frozen);
        self.add_ties(sub, pos, moves);
        for (r, mobility) in scratch.rigid_mobility.iter().enumerate() {
            self.add_frame(model, RigidId::from(r), mobility, &state.pose[r].rot.into(), &scratch.twist[r]);
        }
    }

    fn push(&mut self, unknown: usize, more: Vec3) {
        self.load[3 * unknown..3 * unknown + 3].iter_mut().zip(more.to_array()).for_each(|(l, m)| *l += m);
    }

    /// Adds Jᵀ rate J, J the difference of some vertices with weights.
    fn couple<const N: usize>(
        &mut self,
        nodes: [u32; N],
        weights: [Real; N],
        rate: Mat3,
        moves: impl Fn(u32) -> bool,
    ) {
        for (k, (a, w)) in nodes.iter().zip(weights).enumerate().filter(|(_, (a, _))| moves(**a)) {
            for (l, (b, u)) in nodes[..=k].iter().zip(weights).enumerate().filter(|(_, (b, _))| moves(**b)) {
                // A vertex that is named twice stands on the diagonal from both sides.
                let twice = if a == b && l < k { 2.0 } else { 1.0 };
                self.matrix.add(*a, *b, rows_of(rate * (w * u * twice)));
            }
        }
    }

    fn add_element(&mut self, element: &firmness::Firmness, h: Real, moves: impl Fn(u32) -> bool) {
        let (nodes, gradients) = (element.tet.nodes.map(|v| v.0), element.tet.gradients());
        for a in 0..4 {
            self.push(nodes[a] as usize, element.stress * gradients[a] * -h);
            for b in (0..=a).filter(|b| moves(nodes[a]) && moves(nodes[*b])) {
                self.matrix.add(nodes[a], nodes[b], rows_of(element.block(a, b) * (h * h)));
            }
        }
    }

    fn add_ties(&mut self, sub: &Substep, pos: &[Vec3], moves: impl Fn(u32) -> bool) {
        for tie in &sub.model.ties {
            let pull = (tie.ends[0].place(pos) - tie.ends[1].place(pos) - tie.apart) * tie.stiffness;
            let (mut nodes, mut weights) = ([0; 8], [0.0; 8]);
            for (k, (knot, sign)) in tie.ends.iter().zip([1.0, -1.0]).enumerate() {
                for i in 0..4 {
                    (nodes[4 * k + i], weights[4 * k + i]) = (knot.nodes[i].0, sign * knot.weights[i]);
                }
            }
            for (v, w) in nodes.iter().zip(weights) {
                self.push(*v as usize, pull * (-w * sub.h));
            }
            let rate = Mat3::from_diagonal(Vec3::splat(tie.stiffness * sub.h * sub.h));
            self.couple(nodes, weights, rate, &moves);
        }
    }

    /// A band: the matrix of its own Newton step, times h², and its forces. Its inertia is there already.
    fn add_band(&mut self, (sub, vertices): (&Substep, Range<usize>), work: &BandWork) {
        let (model, square) = (sub.model, sub.h * sub.h);
        for v in vertices.filter(|v| model.inv_mass[*v] > 0.0) {
            self.matrix
                .add_column(v as u32, |row| work.block(model, row, v as u32).map(|r| r.map(|x| x * square)));
            self.matrix.add_diagonal(v as u32, -model.mass[v]);
            self.push(v, work.force(model, v) * sub.h);
        }
    }

    /// A rigid frame: its masses, and what moves it as it would go alone.
    fn add_frame(&mut self, model: &Model, r: RigidId, mobility: &Mobility, axes: &Axes, twist: &Twist) {
        let (linear, angular) = frame_masses(mobility, axes);
        let first = unknown_of(model, r);
        self.matrix.add(first, first, rows_of(linear));
        self.matrix.add(first + 1, first + 1, rows_of(angular));
        if mobility.inv_mass > 0.0 {
            self.push(first as usize, linear * twist.vel);
            self.push(first as usize + 1, angular * twist.omega);
        }
    }

    /// The factor, and the motion without rows. A tube folded nearly flat has entries so large that rounding hides the
    /// inertia of its vertices; then bands are given a little more.
    fn settle(&mut self, model: &Model) {
        self.trouble = None;
        let mut found = self.factor.refactor(&self.matrix);
        for share in band::STRENGTHS.into_iter().filter(|share| *share > 0.0) {
            let Err(NotPositive { vertex }) = found else { break };
            if !matches!(model.bodies[body_of(model, vertex)].kind, BodyKind::Band(_)) {
                break;
            }
            for body in model.bodies.iter().filter(|body| matches!(body.kind, BodyKind::Band(_))) {
                body.vertices.clone().for_each(|v| self.matrix.strengthen(v, share));
            }
            found = self.factor.refactor(&self.matrix);
        }
        if let Err(NotPositive { vertex }) = found {
            self.trouble = Some(Trouble::NotPositive(vertex));
            return self.free.fill(0.0);
        }
        self.free.clone_from(&self.load);
        self.factor.solve(&mut self.free, &mut self.room);
    }
}

/// The orientation of a frame.
struct Axes(Mat3);

impl From<crate::Quat> for Axes {
    fn from(rot: crate::Quat) -> Self {
        Self(Mat3::from_quat(rot))
    }
}

/// Mass and inertia in world axes; ones where nothing moves.
fn frame_masses(mobility: &Mobility, Axes(axes): &Axes) -> (Mat3, Mat3) {
    if mobility.inv_mass == 0.0 {
        return (Mat3::IDENTITY, Mat3::IDENTITY);
    }
    let linear = Mat3::from_diagonal(Vec3::splat(1.0 / mobility.inv_mass));
    let inertia = Mat3::from_diagonal(mobility.inv_inertia.recip());
    (linear, *axes * inertia * axes.transpose())
}

fn rows_of(m: Mat3) -> [[Real; 3]; 3] {
    m.transpose().to_cols_array_2d()
}

/// A spring in a substep: its impulse on the second end \[N s\], and how a speed between its ends changes it \[kg\].
///
/// Along the spring h (c + h k). Across it a spring under tension resists turning, h² k (1 − l₀/l); one under pressure
/// helps it, which is left out, so that the matrix stays positive.
fn linearised(spring: &Spring, material: &BodyParams, pos: &[Vec3], h: Real) -> (Vec3, Mat3) {
    let (dir, push, [along, across]) = parts(spring, material, pos, h);
    (dir * push, along_and_across(dir, along, across))
}

fn parts(spring: &Spring, material: &BodyParams, pos: &[Vec3], h: Real) -> (Vec3, Real, [Real; 2]) {
    let (k, c) = constants(spring, material);
    let between = pos[spring.ends[1].at()] - pos[spring.ends[0].at()];
    let length = between.length();
    let tight = if length > spring.rest_m { k * (1.0 - spring.rest_m / length) } else { 0.0 };
    let push = -h * k * (length - spring.rest_m);
    (unit_or(between, Vec3::Z), push, [h * (c + h * k), h * h * tight])
}

/// What elements need before the matrix is made: tissue and bands are linearised where the substep begins.
fn prepare(sub: &Substep, state: &State, scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        match &body.kind {
            BodyKind::Tissue(own) => {
                super::tissue::linearise(sub, b, own, &state.pos, &mut scratch.tissues[b])
            }
            BodyKind::Band(own) => band::linearise(sub, b, own, state, scratch),
            _ => {}
        }
    }
}

/// Predict, for all that moves together: the motion without rows. Rigid frames first, each by itself.
pub(super) fn predict(sub: &Substep, state: &mut State, scratch: &mut Scratch) {
    let timed = sub.h > 0.0 && sub.h.is_finite();
    for body in &sub.model.bodies {
        match body.kind {
            BodyKind::Rigid(r) if timed => rigid::predict(sub, r, state, scratch),
            BodyKind::Rigid(r) => scratch.pose[r.at()] = state.pose[r.at()],
            _ => {}
        }
    }
    let Some(mut system) = scratch.system.take().or_else(|| System::of(sub.model)) else { return };
    if timed {
        prepare(sub, state, scratch);
        system.assemble(sub, state, scratch);
        system.settle(sub.model);
    } else {
        // Nothing moves, and hands lead nowhere.
        state.leads.clone_from(&scratch.before.leads);
        system.trouble = Some(Trouble::NoTime);
    }
    for body in sub.model.bodies.iter().filter(|b| moved_together(&b.kind)) {
        for v in body.vertex_range() {
            scratch.vel[v] = if timed { velocity(&system.free, v) } else { state.vel[v] };
            scratch.pos[v] = if timed { state.pos[v] + scratch.vel[v] * sub.h } else { state.pos[v] };
        }
    }
    scratch.system = Some(system);
}

/// Whether the vertices of a body are unknowns of the system.
pub(crate) fn moved_together(kind: &BodyKind) -> bool {
    !matches!(kind, BodyKind::Rigid(_) | BodyKind::Flexible(_))
}

/// Three numbers of a vector.
pub(crate) fn velocity(x: &[Real], unknown: usize) -> Vec3 {
    Vec3::from_slice(&x[3 * unknown..3 * unknown + 3])
}

/// What the springs of all bodies gave in a substep with these velocities, for probes.
pub(crate) fn remember_springs(sub: &Substep, state: &State, x: &[Real], scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate() {
        let BodyKind::Springs(s) = &body.kind else { continue };
        for i in s.springs() {
            let spring = &sub.model.springs[i];
            let (push, rate) = linearised(spring, &sub.params.bodies[b], &state.pos, sub.h);
            let [a, c] = spring.ends.map(|v| velocity(x, v.at()));
            scratch.springs[i].give(push - rate * (c - a));
        }
    }
}

/// The matrix K of a world where it is, for a substep of h seconds; for tests and benchmarks.
pub fn matrix(world: &mut World, h: Real) -> Option<BlockMatrix<3>> {
    let mut system = System::of(&world.model)?;
    world.scratch.begin(&world.model, &world.state);
    let sub = Substep { model: &world.model, params: &world.params, h, sweeps: 1 };
    prepare(&sub, &world.state, &mut world.scratch);
    system.assemble(&sub, &world.state, &world.scratch);
    Some(system.matrix)
}

/// y = K x without a matrix: its twin. Nothing in a world may be frozen.
pub fn product(world: &mut World, h: Real, x: &[Real], y: &mut [Real]) {
    world.scratch.begin(&world.model, &world.state);
    let World { model, params, state, scratch, .. } = world;
    let sub = Substep { model, params, h, sweeps: 1 };
    prepare(&sub, state, scratch);
    let mut out = vec![Vec3::ZERO; y.len() / 3];
    let at = |v: usize| velocity(x, v);
    let speeds: Vec<Vec3> = (0..model.rest.len()).map(at).collect();
    (0..model.rest.len()).for_each(|v| out[v] = at(v) * model.mass[v]);
    for (b, body) in model.bodies.iter().enumerate() {
        match &body.kind {
            BodyKind::Springs(s) => {
                for spring in &model.springs[s.springs()] {
                    let [a, c] = spring.ends.map(|v| v.at());
                    let (dir, _, [along, across]) = parts(spring, &params.bodies[b], &state.pos, h);
                    let speed = at(c) - at(a);
                    let lengthens = dir * speed.dot(dir);
                    let push = lengthens * along + (speed - lengthens) * across;
                    out[a] -= push;
                    out[c] += push;
                }
            }
            BodyKind::Solid(s) => {
                for element in firmness::elements(&sub, (b, s), &state.pos) {
                    let nodes = element.tet.nodes.map(|v| v.at());
                    let forces = element.resist(nodes.map(at));
                    nodes.iter().zip(forces).for_each(|(v, f)| out[*v] += f * (h * h));
                }
                s.walls.iter().for_each(|w| out[w.vertex.at()] += at(w.vertex.at()) * (w.stiffness * h * h));
            }
            BodyKind::Tissue(_) => {
                scratch.tissues[b].multiply(&speeds[body.vertex_range()], &mut out[body.vertex_range()]);
            }
            BodyKind::Band(own) => {
                let here = (state.pos.as_slice(), &scratch.bands[b]);
                band::multiply(&sub, (b, own), here, (at, h * h), &mut out);
            }
            BodyKind::Rigid(_) | BodyKind::Flexible(_) => {}
        }
    }
    tissue::follow(model, &scratch.tissues, at, &mut out);
    for tie in &model.ties {
        let pull = (tie.ends[0].place(&speeds) - tie.ends[1].place(&speeds)) * (tie.stiffness * h * h);
        for (knot, sign) in tie.ends.iter().zip([1.0, -1.0]) {
            knot.nodes.iter().zip(knot.weights).for_each(|(v, w)| out[v.at()] += pull * (sign * w));
        }
    }
    for (r, mobility) in scratch.rigid_mobility.iter().enumerate() {
        let (linear, angular) = frame_masses(mobility, &state.pose[r].rot.into());
        let first = unknown_of(model, RigidId::from(r)) as usize;
        (out[first], out[first + 1]) = (linear * at(first), angular * at(first + 1));
    }
    let known = pattern(model);
    y.fill(0.0);
    for &v in known.free() {
        y[3 * v as usize..3 * v as usize + 3].copy_from_slice(&out[v as usize].to_array());
    }
}
