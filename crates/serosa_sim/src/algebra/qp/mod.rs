//! Quadratic programmes of contact: min ½ vᵀK v − bᵀv, so that J v ≥ c, J v = c and slips obey Coulomb.
//!
//! With multipliers λ the answer is K v = b + Jᵀλ, 0 ≤ λ ⊥ J v − c ≥ 0: K v = b is an implicit step without contacts
//! (Raghupathi and Faure 2006, in this engine's signs). With K's factor the multipliers alone are left, on the Schur
//! complement S = J K⁻¹ Jᵀ.

mod exact;
mod faithful;
mod friction;
mod large;
mod minres;
mod residual;
mod rows;
mod schur;
mod sweeps;

use super::blocks::BlockMatrix;
use super::elimination::Elimination;
use crate::Real;

pub use residual::Residual;
pub use rows::{Kind, Rows, Term};

/// A quadratic programme. Vectors are over all vertices, three numbers each; what is no unknown of `matrix` stands still.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// K, symmetric and positive definite.
    pub matrix: &'a BlockMatrix<3>,
    /// b.
    pub load: &'a [Real],
    /// J, c and what they ask.
    pub rows: &'a Rows,
}

/// How a programme is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// The active set of the paper, signs and loop mended: all violators are exchanged at once, what toggles too often is
    /// dropped. Frictionless: slips are left out.
    Faithful {
        /// The compliance L over the diagonal of J diag(K)⁻¹ Jᵀ; the paper has 1e-3. It leaves a bias.
        compliance: Real,
        /// Rounds at most.
        rounds: u32,
        /// Whether the whole system of v and λ is iterated on, as in section 5.1, or S, as in section 5.2.
        whole: bool,
    },
    /// The exact answer: primal–dual active set, finite for every programme; friction by staggered projections.
    Exact {
        /// Rounds of normals and slips in turn at most, where there is friction.
        staggers: u32,
        /// What is enough of these: what the impulses' change in a round moves, over what they move.
        tolerance: Real,
    },
    /// Nonsmooth nonlinear conjugate gradients on sweeps over the rows, for thousands of them.
    Large {
        /// Sweeps at most.
        sweeps: u32,
        /// What is enough: how much a row's impulse still changes its velocity in a sweep, over the largest velocity.
        tolerance: Real,
        /// Whether K's factor is used: then contacts feel all of K at once, at the price of a solve along the tree for each.
        /// Without it a sweep goes over vertices as well, and stiff bodies need more of them. A matrix with terms of one
        /// rank is solved with its factor in any case: vertex by vertex such a term gives way too slowly.
        factored: bool,
    },
}

impl Solver {
    /// As in the paper.
    pub const FAITHFUL: Self = Self::Faithful { compliance: 1e-3, rounds: 20, whole: true };
    /// To the last digits.
    pub const EXACT: Self = Self::Exact { staggers: 400, tolerance: 1e-11 };
    /// To about one part in a hundred.
    pub const LARGE: Self = Self::Large { sweeps: 60, tolerance: 0.015, factored: false };
}

/// What a solve may have to report. It ends with numbers in any case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trouble {
    /// No velocities satisfy all rows. Found is the compromise that leaves the least squares of what rows miss, each
    /// measured by how hard it is to move (1/√S).
    Infeasible {
        /// The row that misses most.
        row: u32,
        /// By how much \[m/s\].
        missing: Real,
    },
    /// Rounds or sweeps ran out.
    Unfinished,
    /// A row toggled too often and was dropped, as the paper does.
    Dropped {
        /// Which.
        row: u32,
    },
    /// K is not positive definite. Without its factor nothing moves; by sweeps the vertex alone stands still.
    NotPositive {
        /// Where that shows.
        vertex: u32,
    },
}

/// An answer; handed back in, it is where the next solve starts from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// v, three numbers for each vertex. On the way in: where sweeps without a factor begin, where its length is right.
    pub velocity: Vec<Real>,
    /// λ \[N s\], one for each row. On the way in: a guess where its length is that of the rows, else none.
    pub lambda: Vec<Real>,
    /// Rounds of the active set, or sweeps.
    pub rounds: u32,
    /// What went wrong, empty where all is well.
    pub trouble: Vec<Trouble>,
}

/// Room for solves, grown once, and the Schur complement as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    schur: schur::Schur,
    set: exact::ActiveSet,
    slips: friction::Slips,
    sweeps: large::Sweeps,
    free: sweeps::Free,
    watch: faithful::Watch,
    krylov: minres::Room,
    /// A vector in the order of elimination.
    place: Vec<Real>,
    /// A vector over all vertices.
    vertex: Vec<Real>,
}

/// Factors K anew and solves; see [`solve`]. Where K is not positive definite nothing moves, and that is reported.
pub fn solve_anew(
    problem: &Problem,
    factor: &mut Elimination,
    solver: Solver,
    work: &mut Workspace,
    solution: &mut Solution,
) {
    match factor.refactor(problem.matrix) {
        Ok(()) => solve(problem, factor, solver, work, solution),
        Err(not) => {
            solution.velocity.clear();
            solution.velocity.resize(problem.load.len(), 0.0);
            solution.lambda.clear();
            solution.lambda.resize(problem.rows.len(), 0.0);
            solution.rounds = 0;
            solution.trouble.clear();
            solution.trouble.push(Trouble::NotPositive { vertex: not.vertex });
        }
    }
}

/// Solves a programme with the factor of its matrix at hand, starting from `solution.lambda`.
///
/// The same bits on any number of threads. Allocates only where more rows or unknowns come than ever before.
pub fn solve(
    problem: &Problem,
    factor: &Elimination,
    solver: Solver,
    work: &mut Workspace,
    solution: &mut Solution,
) {
    work.schur.begin(problem.rows.len());
    solve_again(problem, factor, solver, work, solution);
}

/// As [`solve`], for the matrix and the rows J of the last solve, or those of [`form_schur`]: what is known of their Schur
/// complement is used again. Loads and what rows ask may differ.
pub fn solve_again(
    problem: &Problem,
    factor: &Elimination,
    solver: Solver,
    work: &mut Workspace,
    solution: &mut Solution,
) {
    debug_assert_eq!(problem.load.len(), 3 * problem.matrix.vertices());
    solution.rounds = 0;
    solution.trouble.clear();
    if solution.lambda.len() != problem.rows.len() {
        solution.lambda.clear();
        solution.lambda.resize(problem.rows.len(), 0.0);
    }
    match solver {
        Solver::Faithful { compliance, rounds, whole } => {
            let how = faithful::Faithful { compliance, rounds, whole };
            how.solve(problem, factor, work, solution);
        }
        Solver::Exact { staggers, tolerance } => {
            exact::solve(problem, factor, (staggers, tolerance), work, solution);
        }
        Solver::Large { sweeps, tolerance, factored: false } if problem.matrix.ranks().is_empty() => {
            sweeps::solve(problem, (sweeps, tolerance), work, solution);
        }
        Solver::Large { sweeps, tolerance, .. } => {
            large::solve(problem, factor, (sweeps, tolerance), work, solution);
        }
    }
}

/// Forms the Schur complement of all rows, for [`solve_again`].
pub fn form_schur(problem: &Problem, factor: &Elimination, work: &mut Workspace) {
    work.schur.begin(problem.rows.len());
    work.schur.take_in(problem.rows, factor, 0..problem.rows.len());
}

/// What is not free stands still.
fn still(problem: &Problem, v: &mut [Real]) {
    for (vertex, v) in v.chunks_exact_mut(3).enumerate() {
        if problem.matrix.node_of(vertex as u32).is_none() {
            v.fill(0.0);
        }
    }
}

/// v = K⁻¹ (b + Jᵀλ)
fn velocity_of(
    problem: &Problem,
    factor: &Elimination,
    lambda: &[Real],
    place: &mut Vec<Real>,
    velocity: &mut Vec<Real>,
) {
    velocity.clear();
    velocity.extend_from_slice(problem.load);
    for (row, lambda) in lambda.iter().enumerate() {
        if *lambda != 0.0 {
            problem.rows.push_with(row, *lambda, velocity);
        }
    }
    factor.solve(velocity, place);
    still(problem, velocity);
}
