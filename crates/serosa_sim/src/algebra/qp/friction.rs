//! Friction to the last digits: normals and slips in turn (staggered projections, Kaufman et al. 2008).
//!
//! With the normal impulses known, slips minimise ½ λᵀS λ − gᵀλ over discs of radius μ λₙ: sweeps over the contacts, each
//! solved exactly with the others held, find which of them stick; Newton steps on these and along the rims of the others
//! finish. With the slips known, normals are a programme without friction.

use super::super::elimination::Elimination;
use super::residual::length;
use super::schur::Schur;
use super::{Kind, Problem, Solution, Trouble, Workspace, exact, velocity_of};
use crate::Real;
use crate::algebra::Dense;

/// How much finer than rounds slips are found: over the largest of their impulses. Never finer than rounding.
const FINER: Real = 1e-3;
const FINEST: Real = 1e-14;
/// Newton steps at most in a round, with a sweep before each.
const NEWTON: usize = 60;
/// The compliance of Newton steps, over the diagonal: slips of contacts that depend on one another are not unique.
const COMPLIANCE: Real = 1e-10;
/// Steps along the rims are shortened at most so often.
const SHORTEN: usize = 12;

/// The contacts that slip or stick, and their impulses.
#[derive(Clone, Debug, Default)]
pub(super) struct Slips {
    /// Normal rows, and the radius of each disc.
    contacts: Vec<(u32, Real)>,
    /// S between the slips, by rows, and the contacts that it is of.
    s: Vec<Real>,
    gathered: Vec<u32>,
    g: Vec<Real>,
    lambda: Vec<Real>,
    tried: Vec<Real>,
    u: Vec<Real>,
    /// Directions of a Newton step: slip and what it is multiplied with, two numbers each.
    ways: Vec<(usize, [Real; 2], Real)>,
    step: Vec<Real>,
    dense: Dense,
    before: Vec<Real>,
}

/// Rounds of normals and slips until neither changes, measured by the motion that the change makes: impulses of contacts that
/// depend on one another may wander for ever. Normals have the last word, so that nothing overlaps.
pub(super) fn stagger(
    problem: &Problem,
    factor: &Elimination,
    (rounds, tolerance): (u32, Real),
    work: &mut Workspace,
    solution: &mut Solution,
) {
    work.slips.gathered.clear();
    for _ in 0..rounds {
        work.slips.before.clone_from(&solution.lambda);
        exact::normals(problem, factor, work, solution);
        velocity_without_slips(problem, factor, work, solution);
        let Workspace { schur, slips, vertex, .. } = work;
        slips.gather(problem, factor, schur, &solution.lambda, vertex);
        slips.solve((FINER * tolerance).max(FINEST));
        slips.hand_over(problem, &mut solution.lambda);
        if changed(problem, factor, work, &solution.lambda) <= tolerance {
            return exact::normals(problem, factor, work, solution);
        }
    }
    exact::normals(problem, factor, work, solution);
    solution.trouble.push(Trouble::Unfinished);
}

/// What the change of all impulses in a round moves, over what they move: √(δᵀS δ / λᵀS λ).
fn changed(problem: &Problem, factor: &Elimination, work: &mut Workspace, lambda: &[Real]) -> Real {
    let Workspace { slips, place, vertex, .. } = work;
    let mut moved = |impulse: &dyn Fn(usize) -> Real| {
        vertex.fill(0.0);
        (0..lambda.len()).for_each(|i| problem.rows.push_with(i, impulse(i), vertex));
        factor.bring(vertex, place);
        factor.forward(place);
        place.iter().map(|z| z * z).sum::<Real>() - factor.taken(vertex)
    };
    let (change, all) = (moved(&|i| lambda[i] - slips.before[i]), moved(&|i| lambda[i]));
    if change > 0.0 { (change / all).sqrt() } else { 0.0 }
}

/// v of the normals alone, into `work.vertex`.
fn velocity_without_slips(
    problem: &Problem,
    factor: &Elimination,
    work: &mut Workspace,
    solution: &Solution,
) {
    let Workspace { slips, place, vertex, .. } = work;
    slips.tried.clone_from(&solution.lambda);
    for (lambda, kind) in slips.tried.iter_mut().zip(problem.rows.kinds()) {
        if *kind == Kind::Slip {
            *lambda = 0.0;
        }
    }
    velocity_of(problem, factor, &slips.tried, place, vertex);
}

impl Slips {
    /// The contacts that press, S between their slips, and what these have to stop.
    fn gather(
        &mut self,
        problem: &Problem,
        factor: &Elimination,
        schur: &mut Schur,
        lambda: &[Real],
        v: &[Real],
    ) {
        let rows = problem.rows;
        self.contacts.clear();
        self.lambda.clear();
        self.g.clear();
        for (i, kind) in rows.kinds().iter().enumerate() {
            let Kind::Contact { friction } = kind else { continue };
            if lambda[i] > 0.0 {
                let radius = friction * lambda[i];
                self.contacts.push((i as u32, radius));
                let old = [lambda[i + 1], lambda[i + 2]];
                self.lambda.extend(onto_disc(old, radius));
                self.g.extend([i + 1, i + 2].map(|t| rows.asked()[t] - rows.velocity(t, v)));
            }
        }
        if self.contacts.iter().map(|c| c.0).eq(self.gathered.iter().copied()) {
            return;
        }
        self.gathered.clear();
        self.gathered.extend(self.contacts.iter().map(|c| c.0));
        let slips = self.contacts.iter().flat_map(|(i, _)| [*i as usize + 1, *i as usize + 2]);
        schur.take_in(rows, factor, slips);
        let (n, contacts) = (self.g.len(), &self.contacts);
        let row = |k: usize| contacts[k / 2].0 as usize + 1 + k % 2;
        self.s.clear();
        self.s.extend((0..n * n).map(|k| schur.entry(row(k / n), row(k % n))));
    }

    /// The impulses of all slips: those of contacts that do not press are zero.
    fn hand_over(&self, problem: &Problem, lambda: &mut [Real]) {
        for (l, kind) in lambda.iter_mut().zip(problem.rows.kinds()) {
            if *kind == Kind::Slip {
                *l = 0.0;
            }
        }
        for ((i, _), own) in self.contacts.iter().zip(self.lambda.chunks_exact(2)) {
            lambda[*i as usize + 1..*i as usize + 3].copy_from_slice(own);
        }
    }

    /// Minimises over the discs, until impulses change by less than `enough` of the largest.
    fn solve(&mut self, enough: Real) {
        let most = self.contacts.iter().fold(0.0, |m: Real, c| m.max(c.1));
        for _ in 0..NEWTON {
            let moved = self.sweep();
            if moved <= enough * most {
                return;
            }
            self.newton();
        }
    }

    /// S λ − g of one slip.
    fn slip(&self, k: usize, lambda: &[Real]) -> Real {
        let n = self.g.len();
        self.s[k * n..(k + 1) * n].iter().zip(lambda).map(|(s, l)| s * l).sum::<Real>() - self.g[k]
    }

    /// Each contact in turn, the others held; the largest change.
    fn sweep(&mut self) -> Real {
        let (n, mut moved) = (self.g.len(), 0.0 as Real);
        for c in 0..self.contacts.len() {
            let (a, b) = (2 * c, 2 * c + 1);
            let block = [self.s[a * n + a], self.s[a * n + b], self.s[b * n + b]];
            let (old, u) = ([self.lambda[a], self.lambda[b]], [a, b].map(|k| self.slip(k, &self.lambda)));
            let pull =
                [block[0] * old[0] + block[1] * old[1] - u[0], block[1] * old[0] + block[2] * old[1] - u[1]];
            let new = within_disc(block, pull, self.contacts[c].1);
            moved = moved.max((new[0] - old[0]).abs()).max((new[1] - old[1]).abs());
            self.lambda[a..=b].copy_from_slice(&new);
        }
        moved
    }

    /// A step on what sticks and along the rims of the rest, shortened until it lowers the energy; none where it never does.
    fn newton(&mut self) {
        self.u.clear();
        for k in 0..self.g.len() {
            let u = self.slip(k, &self.lambda);
            self.u.push(u);
        }
        self.ways.clear();
        for (c, (_, radius)) in self.contacts.iter().enumerate() {
            let (l, u) = ([self.lambda[2 * c], self.lambda[2 * c + 1]], [self.u[2 * c], self.u[2 * c + 1]]);
            let brake = -(l[0] * u[0] + l[1] * u[1]) / (radius * radius);
            if length(l) < radius * (1.0 - 1e-12) || brake <= 0.0 {
                self.ways.push((2 * c, [1.0, 0.0], 0.0));
                self.ways.push((2 * c, [0.0, 1.0], 0.0));
            } else {
                self.ways.push((2 * c, [-l[1] / radius, l[0] / radius], brake));
            }
        }
        let (n, ways, s) = (self.g.len(), &self.ways, &self.s);
        let entry = |i: usize, j: usize| {
            let ((a, p, brake), (b, q, _)) = (ways[i], ways[j]);
            let at = |k: usize, l: usize| s[(a + k) * n + b + l];
            let own = p[0] * (at(0, 0) * q[0] + at(0, 1) * q[1]) + p[1] * (at(1, 0) * q[0] + at(1, 1) * q[1]);
            if i == j { own * (1.0 + COMPLIANCE) + brake } else { own }
        };
        if self.dense.factor(ways.len(), entry).is_err() {
            return;
        }
        self.step.clear();
        self.step.extend(ways.iter().map(|(k, p, _)| -(p[0] * self.u[*k] + p[1] * self.u[k + 1])));
        self.dense.solve(&mut self.step);
        self.walk();
    }

    fn walk(&mut self) {
        let now = self.energy(&self.lambda);
        let mut share = 1.0;
        for _ in 0..SHORTEN {
            self.tried.clone_from(&self.lambda);
            for ((k, way, _), step) in self.ways.iter().zip(&self.step) {
                (0..2).for_each(|d| self.tried[k + d] += share * step * way[d]);
            }
            let rim = |w: &&(usize, [Real; 2], Real)| w.2 > 0.0;
            for (k, ..) in self.ways.iter().filter(rim) {
                let (l, radius) = ([self.tried[*k], self.tried[k + 1]], self.contacts[k / 2].1);
                let scale = radius / length(l);
                (0..2).for_each(|d| self.tried[k + d] = l[d] * scale);
            }
            for (c, (_, radius)) in self.contacts.iter().enumerate() {
                let l = onto_disc([self.tried[2 * c], self.tried[2 * c + 1]], *radius);
                self.tried[2 * c..2 * c + 2].copy_from_slice(&l);
            }
            if self.energy(&self.tried) < now {
                core::mem::swap(&mut self.lambda, &mut self.tried);
                return;
            }
            share *= 0.5;
        }
    }

    fn energy(&self, lambda: &[Real]) -> Real {
        let term = |k: usize| lambda[k] * (0.5 * (self.slip(k, lambda) + self.g[k]) - self.g[k]);
        (0..lambda.len()).map(term).sum()
    }
}

/// The nearest in a disc.
#[inline]
pub(super) fn onto_disc(l: [Real; 2], radius: Real) -> [Real; 2] {
    let far = length(l);
    if far <= radius { l } else { l.map(|x| x * (radius / far)) }
}

/// Minimises ½ xᵀA x − hᵀx over a disc; A = ((a, b), (b, c)) is positive definite.
///
/// On the rim (A + κ) x = h with κ ≥ 0: Newton's method on 1/|x| − 1/radius, which is nearly straight in κ and concave, so
/// that from κ = 0 it never goes too far.
fn within_disc([a, b, c]: [Real; 3], h: [Real; 2], radius: Real) -> [Real; 2] {
    let solve = |kappa: Real, h: [Real; 2]| {
        let (p, r) = (a + kappa, c + kappa);
        let det = p * r - b * b;
        [(r * h[0] - b * h[1]) / det, (p * h[1] - b * h[0]) / det]
    };
    let mut kappa = 0.0;
    let mut x = solve(kappa, h);
    if radius <= 0.0 {
        return [0.0; 2];
    }
    if length(x) <= radius {
        return x;
    }
    for _ in 0..40 {
        let (y, far) = (solve(kappa, x), length(x));
        let slope = (x[0] * y[0] + x[1] * y[1]) / (far * far);
        let more = (far - radius) / (radius * slope);
        kappa += more;
        x = solve(kappa, h);
        // The digits double from here.
        if more <= 1e-8 * kappa {
            break;
        }
    }
    x.map(|v| v * (radius / length(x)))
}
