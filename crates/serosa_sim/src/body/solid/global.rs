//! A solid that descends as a whole: quasi-Newton steps on the factor of its linear body at rest.
//!
//! With A that body, factored in the bake, and R a rotation for each vertex, taken where the substep begins, R A⁻¹ Rᵀ
//! stands for the inverse of the Hessian: exact for small strains, however far the body has turned. What it misses is
//! learnt from the steps of the substep (L-BFGS, Nocedal 1980, started with the factor as Liu et al. 2017 do). Pairs of
//! steps and gradients keep A⁻¹ of the latter, so an iteration takes one solve, one gradient and one potential.
//!
//! A step is taken where it lowers Φ, after having been shortened where need be; where no length does, the vertices are
//! swept instead, which always does. Jaws and ties are not in the factor, so what they hold is swept after each step.

use super::lanes::Spot;
use super::material::polar;
use super::prepare::{Solid, vec};
use super::sweep::{refresh, sections};
use crate::algebra::sparse::Fronts;
use crate::model::{Global, LANES, Layout, NONE, SECTION, SolidBody};
use crate::{Mat3, Real, Vec3};
use rayon::prelude::*;

/// Steps that are remembered.
const MEMORY: usize = 6;
/// A step is shortened so often before the vertices are swept instead.
const SHORTER: usize = 4;
/// Share of the decrease that the slope promises with which a step is content.
const CONTENT: Real = 1e-4;

/// Working arrays of a solid that descends as a whole; vectors have one entry for each vertex of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Quasi {
    /// Positions at rest in the order of the layout, copies as well.
    rest: Vec<Spot>,
    /// Forces −∇Φ by places \[N\].
    pub slopes: Vec<Spot>,
    /// Rotation of each place from rest.
    turns: Vec<Mat3>,
    /// Where the last step began, the forces −∇Φ there \[N\], and A⁻¹ of them \[m\].
    last: Point,
    /// The same of this step.
    here: Point,
    /// The step \[m\].
    step: Vec<Vec3>,
    /// The newest first.
    pairs: Vec<Pair>,
    /// How many of them are of this substep.
    known: usize,
    /// Positions that are tried, and what the loops subtract from the forces.
    trial: Vec<Vec3>,
    /// For the solves.
    flat: Vec<Real>,
    fronts: Fronts,
    /// Φ where the body is \[J\].
    pub phi: Real,
    /// A over the factor, for a body along the first step.
    stiffer: Real,
}

#[derive(Clone, Debug, Default)]
struct Point {
    pos: Vec<Vec3>,
    force: Vec<Vec3>,
    solved: Vec<Vec3>,
}

/// A step s, what it changed the gradient by, y, and A⁻¹ y.
#[derive(Clone, Debug, Default)]
struct Pair {
    step: Vec<Vec3>,
    change: Vec<Vec3>,
    solved: Vec<Vec3>,
    /// s·y.
    curvature: Real,
    /// As the step is gone through.
    share: Real,
}

fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// y += s x.
fn add(y: &mut [Vec3], s: Real, x: &[Vec3]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += *x * s);
}

/// How much stiffer a substep is than the one for which the factor was made: its inertia, and its elasticity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stiffer {
    pub inertia: Real,
    pub elastic: Real,
}

impl Quasi {
    /// The start of a substep at the positions `flow`. O(vertices).
    pub fn begin(&mut self, solid: &Solid, rest: &[Vec3], flow: &mut [Spot], phi: Real) {
        let (body, layout, n) = (solid.body, &solid.body.layout, rest.len());
        if self.rest.len() != flow.len() {
            self.rest.clone_from(&flow.to_vec());
            super::fill(body, rest, &mut self.rest);
            refresh(layout, &mut self.rest);
            self.slopes.resize(flow.len(), Spot::default());
            self.turns.resize(flow.len(), Mat3::IDENTITY);
            self.pairs = vec![Pair::default(); MEMORY];
            for all in [&mut self.step, &mut self.trial] {
                all.resize(n, Vec3::ZERO);
            }
            for point in [&mut self.last, &mut self.here] {
                for all in [&mut point.pos, &mut point.force, &mut point.solved] {
                    all.resize(n, Vec3::ZERO);
                }
            }
            for pair in &mut self.pairs {
                for all in [&mut pair.step, &mut pair.change, &mut pair.solved] {
                    all.resize(n, Vec3::ZERO);
                }
            }
            self.flat.resize(3 * n, 0.0);
        }
        (self.known, self.phi, self.stiffer) = (0, phi, 0.0);
        refresh(layout, flow);
        match solid.ten() {
            Some(ten) => ten.rotations(flow, &mut self.turns),
            None => self.turn(layout, flow),
        }
    }

    /// The rotation of each vertex: next to the map that best takes its edges at rest to where they are.
    fn turn(&mut self, layout: &Layout, flow: &[Spot]) {
        let jobs = sections(flow).par_iter().zip(sections(&self.rest)).zip(&layout.parts);
        jobs.zip(self.turns.par_chunks_mut(SECTION)).for_each(|(((here, rest), part), turns)| {
            for group in &layout.groups[part.groups.start as usize..part.groups.end as usize] {
                let edges = &layout.edges[group.edges.start as usize..group.edges.end as usize];
                for k in (0..LANES).filter(|&k| group.vertices[k] != NONE) {
                    let own = group.own[k] as usize;
                    let (mut spread, mut rest_spread) = (Mat3::ZERO, Mat3::ZERO);
                    for edge in edges.iter().filter(|e| (e[k] as usize) < SECTION - 1) {
                        let other = edge[k] as usize;
                        let a = vec(here[other]) - vec(here[own]);
                        let b = vec(rest[other]) - vec(rest[own]);
                        spread += Mat3::from_cols(a * b.x, a * b.y, a * b.z);
                        rest_spread += Mat3::from_cols(b * b.x, b * b.y, b * b.z);
                    }
                    turns[own] = Mat3::from_quat(polar(&(spread * rest_spread.inverse())));
                }
            }
        });
    }

    /// Finds the next step from the positions `flow` and the forces there; what it promises to lower Φ by, to first
    /// order \[J\], nothing where there is nothing to gain. One solve.
    pub fn aim(
        &mut self,
        body: &SolidBody,
        global: &Global,
        flow: &[Spot],
        (inertia, stiffer): (&[Real], Stiffer),
    ) -> Real {
        std::mem::swap(&mut self.last, &mut self.here);
        for (v, &place) in body.layout.places.iter().enumerate() {
            self.here.pos[v] = vec(flow[place as usize]);
            let moves = body.layout.seats[v] != NONE;
            self.here.force[v] = if moves { vec(self.slopes[place as usize]) } else { Vec3::ZERO };
        }
        self.solve(body, global);
        self.learn();
        if self.stiffer == 0.0 {
            self.stiffer = self.along_first(inertia, stiffer);
        }
        self.bend();
        dot(&self.step, &self.here.force)
    }

    /// R A⁻¹ Rᵀ of the forces.
    fn solve(&mut self, body: &SolidBody, global: &Global) {
        let Self { flat, turns, here, fronts, .. } = self;
        let places = || body.layout.places.iter().zip(&body.layout.seats);
        for ((x, f), (&place, &seat)) in flat.chunks_exact_mut(3).zip(&here.force).zip(places()) {
            let turned = if seat == NONE { *f } else { turns[place as usize].transpose() * *f };
            x.copy_from_slice(&turned.to_array());
        }
        global.factor.solve(flat, 1, fronts);
        for ((x, s), (&place, &seat)) in flat.chunks_exact(3).zip(&mut here.solved).zip(places()) {
            let x = Vec3::new(x[0], x[1], x[2]);
            *s = if seat == NONE { Vec3::ZERO } else { turns[place as usize] * x };
        }
    }

    /// The curvature along A⁻¹ f of the substep over that of the factor: there inertia is known, and the rest is elastic.
    fn along_first(&self, inertia: &[Real], stiffer: Stiffer) -> Real {
        let whole = dot(&self.here.solved, &self.here.force);
        // With the inertia of this substep.
        let moved: Real = self.here.solved.iter().zip(inertia).map(|(s, m)| m * s.length_squared()).sum();
        let made = moved / stiffer.inertia;
        let now = moved + (whole - made).max(0.0) * stiffer.elastic;
        if whole > 0.0 && now > 0.0 { now / whole } else { 1.0 }
    }

    /// Remembers what the last step has shown.
    fn learn(&mut self) {
        if self.known == 0 {
            self.known = 1;
            return;
        }
        self.pairs.rotate_right(1);
        let (pair, here, last) = (&mut self.pairs[0], &self.here, &self.last);
        for v in 0..here.pos.len() {
            pair.step[v] = here.pos[v] - last.pos[v];
            pair.change[v] = last.force[v] - here.force[v];
            pair.solved[v] = last.solved[v] - here.solved[v];
        }
        pair.curvature = dot(&pair.step, &pair.change);
        let firm = dot(&pair.change, &pair.solved);
        if pair.curvature > 1e-3 * firm && firm > 0.0 && pair.curvature.is_finite() {
            self.known = (self.known + 1).min(MEMORY + 1);
        } else {
            // It would make the matrix indefinite, or next to it.
            self.pairs.rotate_left(1);
        }
    }

    /// The two loops of L-BFGS, with A⁻¹ of what they subtract at hand.
    fn bend(&mut self) {
        let Self { step, trial, pairs, here, known, stiffer, .. } = self;
        let (rest, pairs) = (trial, &mut pairs[..*known - 1]);
        rest.copy_from_slice(&here.force);
        step.copy_from_slice(&here.solved);
        for pair in pairs.iter_mut() {
            pair.share = dot(&pair.step, rest) / pair.curvature;
            add(rest, -pair.share, &pair.change);
            add(step, -pair.share, &pair.solved);
        }
        let softer = match pairs.first() {
            Some(pair) => pair.curvature / dot(&pair.change, &pair.solved),
            None => 1.0 / *stiffer,
        };
        step.iter_mut().for_each(|s| *s *= softer);
        for pair in pairs.iter().rev() {
            let back = dot(&pair.change, step) / pair.curvature;
            add(step, pair.share - back, &pair.step);
        }
    }

    /// Goes a share of the step, from where it begins.
    pub fn go(&mut self, body: &SolidBody, share: Real, flow: &mut [Spot]) {
        let Self { trial, here, step, .. } = self;
        for ((x, from), s) in trial.iter_mut().zip(&here.pos).zip(step) {
            *x = *from + *s * share;
        }
        super::fill(body, trial, flow);
    }
}

/// Shares of a step to be tried: all of it, then where a parabola through what was found has its minimum.
pub(super) struct Shares {
    pub share: Real,
    left: usize,
}

impl Shares {
    pub fn new() -> Self {
        Self { share: 1.0, left: SHORTER }
    }

    /// Whether Φ has sunk enough, from `before` to `after`, where the slope promises `slope` for the whole step.
    pub fn is_content(&self, [before, after]: [Real; 2], slope: Real, rounding: Real) -> bool {
        after <= before - CONTENT * self.share * slope + rounding
    }

    /// A shorter one; whether there is.
    pub fn shorten(&mut self, [before, after]: [Real; 2], slope: Real) -> bool {
        let above = after - before + slope * self.share;
        let best = 0.5 * slope * self.share / above;
        let factor = if best.is_finite() { best.clamp(0.1, 0.5) } else { 0.1 };
        self.share *= factor;
        self.left -= 1;
        self.left > 0
    }
}
