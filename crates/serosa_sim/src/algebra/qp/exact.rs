//! The exact answer: a primal–dual active set with a finite fallback.
//!
//! With S positive definite the multipliers are the only ones with w = S λ − q, 0 ≤ w ⊥ λ ≥ 0. A set of rows is taken as
//! equalities; rows that push the wrong way leave it, rows that are missed join it, all at once as long as their number
//! falls below the least ever seen (block principal pivoting, Júdice and Pires 1994). Where it does not, λ descends
//! ½ λᵀS λ − qᵀλ, few rows joining at a time (Lawson and Hanson 1974), which ends for every programme. (Exchanging the last
//! wrong row alone ends too, but a taut net of a hundred strain limits is not to be waited for.)
//!
//! Dependent rows make S singular. A compliance cures that, and as it acts on the change of λ alone, from one solve to
//! the next, it leaves no bias (a proximal point, Rockafellar 1976).

use super::super::elimination::Elimination;
use super::schur::Schur;
use super::{Kind, Problem, Solution, Trouble, Workspace, friction, velocity_of};
use crate::Real;
use crate::algebra::Dense;

/// The compliance over the diagonal of S: large against rounding, small against what distinguishes rows.
const COMPLIANCE: Real = 1e-8;
/// Proximal rounds: two or three do, as each takes all but about this share of what is left.
const PROXIMAL: u32 = 12;
/// What is left of a row's velocity, over the largest of all, where proximal rounds end.
const ENOUGH: Real = 1e-13;
/// How far a row may be missed, over the largest velocity, before it joins the set.
const MISSED: Real = 1e-12;
/// What rounding may leave of the velocities that single rows give, which are large where rows contradict each other.
const ROUNDING: Real = 1e-14;
/// Rows that miss more than that for good, over the largest velocity, cannot be satisfied.
const INFEASIBLE: Real = 1e-9;
/// Rounds of exchanging all that do not lower their number before the descent begins.
const PATIENCE: u32 = 3;
/// Rounds at most, for each row and all. Never seen to be reached; a bound that can be stated.
const ROUNDS: usize = 10;

/// Which rows hold with equality, and all that is found with them.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveSet {
    active: Vec<bool>,
    /// Rows of the set, in the order of the factor; and those of the set that is factored.
    list: Vec<u32>,
    held: Vec<u32>,
    dense: Dense,
    x: Vec<Real>,
    /// What pushes beside the rows sought.
    base: Vec<Real>,
    /// c − J K⁻¹ base
    q: Vec<Real>,
    /// The multipliers around which λ is sought.
    centre: Vec<Real>,
    lambda: Vec<Real>,
    /// S λ
    moved: Vec<Real>,
    wrong: Vec<u32>,
    /// The set with the fewest wrong rows.
    best: Vec<bool>,
    /// Its λ, then where the descent has come; and rows that rounding keeps from joining there.
    reached: Vec<Real>,
    barred: Vec<bool>,
    /// Rows that joined last and are still there.
    joined: Vec<u32>,
    /// Whether a row can be moved at all.
    loose: Vec<bool>,
    /// The largest velocity that rows speak of.
    size: Real,
}

/// What a set works with.
struct Around<'a> {
    problem: &'a Problem<'a>,
    factor: &'a Elimination,
    schur: &'a mut Schur,
    place: &'a mut Vec<Real>,
    vertex: &'a mut Vec<Real>,
}

/// Solves a programme; with friction, normals and slips in turn.
pub(super) fn solve(
    problem: &Problem,
    factor: &Elimination,
    staggers: (u32, Real),
    work: &mut Workspace,
    solution: &mut Solution,
) {
    begin(problem, factor, work);
    if problem.rows.kinds().contains(&Kind::Slip) {
        friction::stagger(problem, factor, staggers, work, solution);
    } else {
        normals(problem, factor, work, solution);
    }
    velocity_of(problem, factor, &solution.lambda, &mut work.place, &mut solution.velocity);
}

/// Sees which rows can be moved at all.
pub(super) fn begin(problem: &Problem, factor: &Elimination, work: &mut Workspace) {
    let rows = problem.rows;
    work.set.loose.clear();
    work.set.loose.extend((0..rows.len()).map(|i| rows.moves(i, |v| factor.first_unknown(v).is_some())));
    work.set.held.clear();
}

/// Rows without slips: λ from `solution`, and into it. Slips are given, and push as they are.
pub(super) fn normals(
    problem: &Problem,
    factor: &Elimination,
    work: &mut Workspace,
    solution: &mut Solution,
) {
    let rows = problem.rows;
    let Workspace { schur, set, place, vertex, .. } = work;
    set.base.clear();
    set.base.extend_from_slice(problem.load);
    for row in (0..rows.len()).filter(|i| rows.kinds()[*i] == Kind::Slip) {
        rows.push_with(row, solution.lambda[row], &mut set.base);
    }
    vertex.clone_from(&set.base);
    factor.solve(vertex, place);
    // What is not free stands still.
    set.q.clear();
    set.q.extend((0..rows.len()).map(|i| rows.asked()[i] - moved(problem, factor, i, vertex)));
    let speak = |i: usize| rows.asked()[i].abs().max((rows.asked()[i] - set.q[i]).abs());
    set.size = (0..rows.len()).map(speak).fold(0.0, Real::max);
    set.guess(problem, &solution.lambda);
    let mut around = Around { problem, factor, schur, place, vertex };
    solution.trouble.clear();
    if set.approach(&mut around, &mut solution.rounds) {
        solution.trouble.extend(set.missed_most(&around));
    } else {
        solution.trouble.push(Trouble::Unfinished);
    }
    for (i, kind) in rows.kinds().iter().enumerate() {
        if *kind != Kind::Slip {
            solution.lambda[i] = set.lambda[i];
        }
    }
}

/// J v of a row, of its free vertices.
fn moved(problem: &Problem, factor: &Elimination, row: usize, v: &[Real]) -> Real {
    let dot = |t: &super::Term| match factor.first_unknown(t.vertex) {
        Some(_) => (0..3).map(|d| t.direction[d] * v[3 * t.vertex as usize + d]).sum(),
        None => 0.0,
    };
    problem.rows.terms(row).iter().map(dot).sum()
}

impl ActiveSet {
    /// The set to begin with: what pushed last; without a guess, what is missed without rows.
    fn guess(&mut self, problem: &Problem, lambda: &[Real]) {
        let cold = lambda.iter().all(|l| *l == 0.0);
        let kinds = problem.rows.kinds();
        let in_set = |i: usize| match kinds[i] {
            _ if !self.loose[i] => false,
            Kind::Slip => false,
            Kind::Equal => true,
            Kind::AtLeast | Kind::Contact { .. } if cold => self.q[i] > 0.0,
            Kind::AtLeast | Kind::Contact { .. } => lambda[i] > 0.0,
        };
        self.active.clear();
        self.active.extend((0..kinds.len()).map(in_set));
        self.centre.clear();
        self.centre.extend((0..kinds.len()).map(|i| if self.active[i] { lambda[i] } else { 0.0 }));
    }

    /// Proximal rounds until λ moves no velocity any more; whether they ended.
    fn approach(&mut self, around: &mut Around, rounds: &mut u32) -> bool {
        let mut last = Real::INFINITY;
        for round in 0..PROXIMAL {
            if !self.pivot(around, rounds) {
                return false;
            }
            let schur = &*around.schur;
            let moved = |i: &u32| {
                let i = *i as usize;
                COMPLIANCE * schur.entry(i, i) * (self.lambda[i] - self.centre[i]).abs()
            };
            let change = self.list.iter().map(moved).fold(0.0, Real::max);
            self.centre.clone_from(&self.lambda);
            // What does not become less is missed for good: no velocities satisfy the rows.
            if change <= ENOUGH * self.size || (round > 1 && change > 0.5 * last) {
                return true;
            }
            last = change;
        }
        true
    }

    /// Exchanges rows until none is wrong; whether that came to an end.
    fn pivot(&mut self, around: &mut Around, rounds: &mut u32) -> bool {
        let (mut least, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..ROUNDS * (self.active.len() + 1) {
            *rounds += 1;
            if !self.solve_set(around) {
                return false;
            }
            self.find_wrong(around);
            if self.wrong.is_empty() {
                return true;
            }
            if self.wrong.len() < least {
                (least, patience) = (self.wrong.len(), PATIENCE);
                self.best.clone_from(&self.active);
                self.reached.clone_from(&self.lambda);
            } else if patience > 0 {
                patience -= 1;
            } else {
                return self.descend(around, rounds);
            }
            self.wrong.iter().for_each(|i| self.active[*i as usize] ^= true);
        }
        false
    }

    /// From what pushes in the best set down to the least of ½ λᵀS λ − qᵀλ; whether that came to an end.
    ///
    /// The worst rows join, as many at once as have proved to stay; alone, the worst one always does.
    fn descend(&mut self, around: &mut Around, rounds: &mut u32) -> bool {
        let kinds = around.problem.rows.kinds();
        for (i, kind) in kinds.iter().enumerate() {
            self.active[i] = self.best[i] && (*kind == Kind::Equal || self.reached[i] > 0.0);
            self.reached[i] = if self.active[i] { self.reached[i] } else { 0.0 };
        }
        self.barred.clear();
        self.barred.resize(kinds.len(), false);
        self.joined.clear();
        let mut width = kinds.len();
        for _ in 0..ROUNDS * (kinds.len() + 1) {
            *rounds += 1;
            if !self.solve_set(around) {
                return false;
            }
            if self.step_back(kinds) {
                let joined = self.joined.len();
                self.joined.retain(|i| self.active[*i as usize]);
                if self.joined.len() < joined {
                    width = (joined / 2).max(1);
                }
                continue;
            }
            self.reached.clone_from(&self.lambda);
            self.find_wrong(around);
            if !self.join(around, width) {
                return true;
            }
            width = (2 * width).min(kinds.len());
        }
        false
    }

    /// The rows that are missed most, so many at most, join the set; whether there are any.
    fn join(&mut self, around: &Around, width: usize) -> bool {
        let (schur, centre) = (&*around.schur, &self.centre);
        let gap = |i: &u32| {
            let i = *i as usize;
            let pulled = if centre[i] == 0.0 { 0.0 } else { schur.entry(i, i) * centre[i] };
            self.moved[i] - self.q[i] - COMPLIANCE * pulled
        };
        self.wrong.retain(|i| !self.barred[*i as usize]);
        self.wrong.sort_unstable_by(|a, b| gap(a).total_cmp(&gap(b)).then(a.cmp(b)));
        self.joined.clear();
        self.joined.extend(self.wrong.iter().take(width));
        self.joined.iter().for_each(|i| self.active[*i as usize] = true);
        !self.joined.is_empty()
    }

    /// Where rows of the set would pull: goes as far towards it as they let, and they leave. Whether there were any. A row
    /// that leaves just as it has joined, alone, is kept out by rounding until something moves.
    fn step_back(&mut self, kinds: &[Kind]) -> bool {
        let pulls = |i: usize, lambda: Real| kinds[i] != Kind::Equal && lambda <= 0.0;
        let mut share = 1.0 as Real;
        let mut any = false;
        for i in self.list.iter().map(|i| *i as usize).filter(|i| pulls(*i, self.lambda[*i])) {
            let (from, to) = (self.reached[i], self.lambda[i]);
            any = true;
            share = share.min(if from > 0.0 { from / (from - to) } else { 0.0 });
        }
        if !any {
            return false;
        }
        if share > 0.0 {
            self.barred.fill(false);
        } else if let [alone] = self.joined[..]
            && pulls(alone as usize, self.lambda[alone as usize])
        {
            self.barred[alone as usize] = true;
        }
        for i in self.list.iter().map(|i| *i as usize) {
            let (from, to) = (self.reached[i], self.lambda[i]);
            self.reached[i] = from + share * (to - from);
            if pulls(i, to) && (from <= 0.0 || from / (from - to) <= share) {
                (self.reached[i], self.active[i]) = (0.0, false);
            }
        }
        true
    }

    /// λ of the set as equalities, zero elsewhere; whether there is one. As rounding is far below the compliance, there is unless
    /// some number of the programme is none.
    fn solve_set(&mut self, around: &mut Around) -> bool {
        let Around { problem, factor, schur, .. } = around;
        self.list.clear();
        self.list.extend((0..self.active.len() as u32).filter(|i| self.active[*i as usize]));
        schur.take_in(problem.rows, factor, self.list.iter().map(|i| *i as usize));
        schur.sort(&mut self.list);
        let (list, schur) = (&self.list, &*around.schur);
        if self.held != *list {
            let entry = |i: usize, j: usize| {
                let s = schur.entry(list[i] as usize, list[j] as usize);
                if i == j { s + COMPLIANCE * s } else { s }
            };
            if self.dense.factor(list.len(), entry).is_err() {
                self.held.clear();
                self.lambda.clear();
                self.lambda.resize(self.active.len(), 0.0);
                return false;
            }
            self.held.clone_from(list);
        }
        self.x.clear();
        let pull = |i: &u32| {
            let i = *i as usize;
            self.q[i] + COMPLIANCE * schur.entry(i, i) * self.centre[i]
        };
        self.x.extend(list.iter().map(pull));
        self.dense.solve(&mut self.x);
        self.lambda.clear();
        self.lambda.resize(self.active.len(), 0.0);
        list.iter().zip(&self.x).for_each(|(i, x)| self.lambda[*i as usize] = *x);
        true
    }

    /// Rows of the set that pull, and rows beside it that are missed, ascending.
    fn find_wrong(&mut self, around: &mut Around) {
        self.move_rows(around);
        let (kinds, schur) = (around.problem.rows.kinds(), &*around.schur);
        let heavy = |i: &u32| (schur.entry(*i as usize, *i as usize) * self.lambda[*i as usize]).abs();
        let heaviest = self.list.iter().map(heavy).fold(0.0, Real::max);
        let missed = MISSED * self.size + ROUNDING * heaviest;
        self.wrong.clear();
        for (i, kind) in kinds.iter().enumerate() {
            let wrong = match (self.active[i], kind) {
                (_, Kind::Slip) | (true, Kind::Equal) => false,
                (true, _) => self.lambda[i] < 0.0,
                (false, _) => {
                    let pulled = if self.centre[i] == 0.0 { 0.0 } else { schur.entry(i, i) * self.centre[i] };
                    self.loose[i] && self.moved[i] - self.q[i] - COMPLIANCE * pulled < -missed
                }
            };
            if wrong {
                self.wrong.push(i as u32);
            }
        }
    }

    /// The row that is missed most, where that is more than rounding.
    fn missed_most(&self, around: &Around) -> Option<Trouble> {
        let missing = |(i, kind): (usize, &Kind)| {
            let gap = self.q[i] - self.moved[i];
            let missing = match kind {
                Kind::Equal => gap.abs(),
                Kind::AtLeast | Kind::Contact { .. } => gap,
                Kind::Slip => 0.0,
            };
            (missing, i as u32)
        };
        let all = around.problem.rows.kinds().iter().enumerate().map(missing);
        let (missing, row) = all.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        (missing > INFEASIBLE * self.size).then_some(Trouble::Infeasible { row, missing })
    }

    /// S λ of all rows: by S where all of it is known, else by way of the velocities.
    fn move_rows(&mut self, around: &mut Around) {
        let Around { problem, factor, schur, place, vertex } = around;
        if schur.is_whole() {
            return schur.multiply(&self.lambda, &mut self.moved);
        }
        vertex.clear();
        vertex.resize(self.base.len(), 0.0);
        for i in self.list.iter().map(|i| *i as usize) {
            problem.rows.push_with(i, self.lambda[i], vertex);
        }
        factor.solve(vertex, place);
        self.moved.clear();
        self.moved.extend((0..problem.rows.len()).map(|i| moved(problem, factor, i, vertex)));
    }
}
