//! The iteration of the paper (Raghupathi and Faure 2006, Algorithm 1), with what is wrong in print mended.
//!
//! As printed the multipliers of pushing rows come out negative while (9) asks for the opposite, the compliance has one sign in
//! (23) and the other in (24), and the loop returns to where it forgets its set. Here K v = b + Jᵀλ, J v + L λ = c on
//! the set; rows with λ < 0 leave it, rows that are missed join it, all at once. That may cycle: rows that left too often
//! are dropped for good, as in section 7.2, and reported.

use super::super::elimination::Elimination;
use super::{Kind, Problem, Solution, Trouble, Workspace};
use crate::Real;
use crate::algebra::Dense;

/// A row that left the set that often is dropped.
const TOGGLES: u8 = 3;
/// How far a row may be missed, over the largest velocity, before it joins the set.
const MISSED: Real = 1e-9;
/// What is enough of an iteration on the whole system.
const ENOUGH: Real = 1e-13;

/// See [`super::Solver::Faithful`].
pub(super) struct Faithful {
    pub compliance: Real,
    pub rounds: u32,
    pub whole: bool,
}

/// What a row is to the iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Watched {
    active: bool,
    dropped: bool,
    left: u8,
    /// Its entry on the diagonal of J diag(K)⁻¹ Jᵀ, and L.
    soft: Real,
    compliance: Real,
}

/// The rows of an iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    rows: Vec<Watched>,
    list: Vec<u32>,
    q: Vec<Real>,
    /// What makes the diagonal of the whole system one: by unknowns, then by the rows of the set.
    scale: Vec<Real>,
    rhs: Vec<Real>,
    product: Vec<Real>,
    dense: Dense,
}

impl Faithful {
    pub fn solve(
        &self,
        problem: &Problem,
        factor: &Elimination,
        work: &mut Workspace,
        solution: &mut Solution,
    ) {
        let rows = problem.rows;
        let v = &mut solution.velocity;
        v.clear();
        v.extend_from_slice(problem.load);
        factor.solve(v, &mut work.place);
        super::still(problem, v);
        work.watch.begin(problem, self.compliance, v);
        let size = (0..rows.len()).map(|i| rows.asked()[i].abs().max(rows.velocity(i, v).abs()));
        let missed = MISSED * size.fold(0.0, Real::max);
        for _ in 0..self.rounds {
            solution.rounds += 1;
            work.watch.collect();
            if self.whole {
                solve_whole(problem, work, solution);
            } else {
                solve_schur(problem, factor, work, solution);
            }
            if !work.watch.exchange(problem, missed, solution) {
                return;
            }
        }
        solution.trouble.push(Trouble::Unfinished);
    }
}

impl Watch {
    /// The set of rows that are missed at v, which is free of them; fixed rows always.
    fn begin(&mut self, problem: &Problem, compliance: Real, v: &[Real]) {
        let rows = problem.rows;
        self.scale.clear();
        self.scale.resize(v.len(), 0.0);
        for (column, vertex) in problem.matrix.free().iter().enumerate() {
            if let Some((_, block)) = problem.matrix.column(column).next() {
                (0..3).for_each(|d| self.scale[3 * *vertex as usize + d] = 1.0 / block[d][d].sqrt());
            }
        }
        self.rows.clear();
        self.q.clear();
        for (i, kind) in rows.kinds().iter().enumerate() {
            let soft = |t: &super::Term| {
                let at = 3 * t.vertex as usize;
                (0..3).map(|d| (t.direction[d] * self.scale[at + d]).powi(2)).sum::<Real>()
            };
            let own: Real = rows.terms(i).iter().map(soft).sum();
            let q = rows.asked()[i] - rows.velocity(i, v);
            let active = *kind == Kind::Equal || (*kind != Kind::Slip && q > 0.0);
            let moves = rows.moves(i, |v| problem.matrix.node_of(v).is_some());
            let dropped = *kind == Kind::Slip || !moves;
            let active = active && !dropped;
            self.rows.push(Watched { active, dropped, left: 0, soft: own, compliance: compliance * own });
            self.q.push(q);
        }
    }

    fn collect(&mut self) {
        self.list.clear();
        self.list.extend((0..self.rows.len() as u32).filter(|i| self.rows[*i as usize].active));
    }

    /// Rows that pull leave, rows that are missed join; whether any did.
    fn exchange(&mut self, problem: &Problem, missed: Real, solution: &mut Solution) -> bool {
        let rows = problem.rows;
        let mut changed = false;
        for i in 0..rows.len() {
            let row = &mut self.rows[i];
            if row.dropped || rows.kinds()[i] == Kind::Equal {
                continue;
            }
            if row.active && solution.lambda[i] < 0.0 {
                (row.active, row.left, changed) = (false, row.left + 1, true);
                solution.lambda[i] = 0.0;
                if row.left >= TOGGLES {
                    row.dropped = true;
                    solution.trouble.push(Trouble::Dropped { row: i as u32 });
                }
            } else if !row.active && rows.velocity(i, &solution.velocity) < rows.asked()[i] - missed {
                (row.active, changed) = (true, true);
            }
        }
        changed
    }
}

/// Section 5.1, without inverting K: v and λ together, the diagonal made one.
fn solve_whole(problem: &Problem, work: &mut Workspace, solution: &mut Solution) {
    let Workspace { watch, krylov, vertex, .. } = work;
    let (rows, n) = (problem.rows, problem.load.len());
    watch.scale.truncate(n);
    watch.scale.extend(watch.list.iter().map(|i| 1.0 / watch.rows[*i as usize].soft.sqrt()));
    watch.rhs.clear();
    watch.rhs.extend(problem.load.iter().zip(&watch.scale).map(|(b, s)| b * s));
    let asked = watch.list.iter().map(|i| -rows.asked()[*i as usize]);
    watch.rhs.extend(asked.zip(&watch.scale[n..]).map(|(c, s)| c * s));
    vertex.resize(n, 0.0);
    let (scale, list, watched, product) = (&watch.scale, &watch.list, &watch.rows, &mut watch.product);
    krylov.solve(&watch.rhs, ENOUGH, 8 * watch.rhs.len(), |x, y| {
        vertex.iter_mut().zip(x).zip(scale).for_each(|((v, x), s)| *v = x * s);
        product.resize(n, 0.0);
        problem.matrix.multiply(vertex, product);
        for (k, i) in list.iter().enumerate() {
            let i = *i as usize;
            let lambda = x[n + k] * scale[n + k];
            rows.push_with(i, -lambda, product);
            y[n + k] = -(rows.velocity(i, vertex) + watched[i].compliance * lambda) * scale[n + k];
        }
        y[..n].iter_mut().zip(&*product).zip(scale).for_each(|((y, p), s)| *y = p * s);
    });
    solution.velocity.clear();
    solution.velocity.extend(krylov.x[..n].iter().zip(scale).map(|(x, s)| x * s));
    solution.lambda.fill(0.0);
    for (k, i) in list.iter().enumerate() {
        solution.lambda[*i as usize] = krylov.x[n + k] * scale[n + k];
    }
}

/// Section 5.2, K inverted: (J K⁻¹ Jᵀ + L) λ = c − J K⁻¹ b.
fn solve_schur(problem: &Problem, factor: &Elimination, work: &mut Workspace, solution: &mut Solution) {
    let Workspace { watch, schur, place, .. } = work;
    schur.take_in(problem.rows, factor, watch.list.iter().map(|i| *i as usize));
    let (list, watched) = (&watch.list, &watch.rows);
    let entry = |i: usize, j: usize| {
        let s = schur.entry(list[i] as usize, list[j] as usize);
        if i == j { s + watched[list[i] as usize].compliance } else { s }
    };
    watch.rhs.clear();
    watch.rhs.extend(list.iter().map(|i| watch.q[*i as usize]));
    if watch.dense.factor(list.len(), entry).is_ok() {
        watch.dense.solve(&mut watch.rhs);
    }
    solution.lambda.fill(0.0);
    list.iter().zip(&watch.rhs).for_each(|(i, l)| solution.lambda[*i as usize] = *l);
    super::velocity_of(problem, factor, &solution.lambda, place, &mut solution.velocity);
}
