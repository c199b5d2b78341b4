//! How far an answer is from one: measured on the programme itself, whatever found it.

use super::{Kind, Problem, Solution};
use crate::Real;

/// What an answer leaves of the conditions of optimality, each over the largest number of its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// |K v − b − Jᵀλ| over |b|; where that is zero, over |Jᵀλ|.
    pub stationarity: Real,
    /// How far rows are missed, over |c|; where that is zero, over what the load would give by K's diagonal.
    pub primal: Real,
    /// How far λ is below zero, over the largest |λ|.
    pub dual: Real,
    /// |λ (J v − c)| over |b| |c|.
    pub complementarity: Real,
    /// Slips: how far impulses are outside their cones, or dissipate less than they could; over the largest λ, and the
    /// largest slip or what the load would give.
    pub cone: Real,
}

impl Residual {
    /// Of an answer. Cost: one product with K and J.
    pub fn of(problem: &Problem, solution: &Solution) -> Self {
        let (rows, v, lambda) = (problem.rows, &solution.velocity, &solution.lambda);
        let mut force = vec![0.0; v.len()];
        problem.matrix.multiply(v, &mut force);
        (0..rows.len()).for_each(|i| rows.push_with(i, -lambda[i], &mut force));
        let mut free = vec![false; v.len()];
        problem.matrix.free().iter().for_each(|v| free[3 * *v as usize..][..3].fill(true));
        let only_free = |x: &[Real]| largest(x.iter().zip(&free).filter(|f| *f.1).map(|x| *x.0));
        force.iter_mut().zip(problem.load).for_each(|(f, b)| *f -= b);
        let found = only_free(&force);
        let b = match only_free(problem.load) {
            0.0 => {
                let mut pushed = vec![0.0; v.len()];
                (0..rows.len()).for_each(|i| rows.push_with(i, lambda[i], &mut pushed));
                only_free(&pushed)
            }
            b => b,
        };
        let moved: Vec<Real> = (0..rows.len()).map(|i| rows.velocity(i, v)).collect();
        let c = match largest(rows.asked().iter().copied()) {
            0.0 => free_speed(problem),
            c => c,
        };
        let mut all = Self { stationarity: over(found, b), ..Self::default() };
        let most = largest(lambda.iter().copied());
        for (i, kind) in rows.kinds().iter().enumerate() {
            let gap = moved[i] - rows.asked()[i];
            match kind {
                Kind::Equal => all.primal = all.primal.max(over(gap.abs(), c)),
                Kind::AtLeast | Kind::Contact { .. } => {
                    all.primal = all.primal.max(over(-gap, c));
                    all.dual = all.dual.max(over(-lambda[i], most));
                    all.complementarity = all.complementarity.max(over((lambda[i] * gap).abs(), b * c));
                }
                Kind::Slip => {}
            }
        }
        all.cone = cone(problem, &moved, lambda, most);
        all
    }

    /// The largest of all.
    pub fn worst(&self) -> Real {
        [self.stationarity, self.primal, self.dual, self.complementarity, self.cone]
            .into_iter()
            .fold(0.0, |a: Real, b| if b.is_nan() { Real::INFINITY } else { a.max(b) })
    }
}

/// The largest velocity of a row that the load would give if nothing were coupled.
fn free_speed(problem: &Problem) -> Real {
    let speed = |(column, v): (usize, &u32)| {
        let block = problem.matrix.column(column).next().map_or([[1.0; 3]; 3], |(_, block)| *block);
        (0..3).map(|d| (problem.load[3 * *v as usize + d] / block[d][d]).abs()).fold(0.0, Real::max)
    };
    let fastest = problem.matrix.free().iter().enumerate().map(speed).fold(0.0, Real::max);
    let rows = 0..problem.rows.len();
    fastest * largest(rows.flat_map(|i| problem.rows.terms(i)).flat_map(|t| t.direction))
}

fn cone(problem: &Problem, moved: &[Real], lambda: &[Real], most: Real) -> Real {
    let asked = problem.rows.asked();
    let slip = |i: usize| [moved[i + 1] - asked[i + 1], moved[i + 2] - asked[i + 2]];
    let contacts = problem.rows.kinds().iter().enumerate().filter_map(|(i, kind)| match kind {
        Kind::Contact { friction } => Some((i, *friction)),
        _ => None,
    });
    let fastest = contacts.clone().map(|(i, _)| length(slip(i))).fold(free_speed(problem), Real::max);
    let miss = |(i, friction): (usize, Real)| {
        let (t, u) = ([lambda[i + 1], lambda[i + 2]], slip(i));
        let radius = friction * lambda[i].max(0.0);
        let idle = radius * length(u) + t[0] * u[0] + t[1] * u[1];
        over(length(t) - radius, most).max(over(idle, most * fastest))
    };
    contacts.map(miss).fold(0.0, Real::max)
}

#[inline]
pub(super) fn length(x: [Real; 2]) -> Real {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

fn largest(values: impl Iterator<Item = Real>) -> Real {
    values.map(Real::abs).fold(0.0, Real::max)
}

/// What is above zero of a, over b; 0 / 0 is nothing.
fn over(a: Real, b: Real) -> Real {
    if a <= 0.0 { 0.0 } else { a / b }
}
