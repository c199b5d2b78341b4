//! Many rows: sweeps over contacts, made faster by nonsmooth nonlinear conjugate gradients (Silcowitz-Hansen et al. 2010).
//!
//! S is never formed. With K = L Lᵀ and z = Lᵀ v, a row's velocity is y · z with y = L⁻¹ Jᵀ, which is zero outside the paths of its
//! few vertices to the root of the elimination; an impulse moves z along y. For bodies that are only coupled by contacts these
//! paths end with the body, and a sweep costs a few tens of operations for each row and vertex of the bodies. Terms of one rank
//! take γ u s from a row's velocity, s = w · (b + Jᵀλ); z knows nothing of them.

use super::super::elimination::Elimination;
use super::super::elimination::lanes::{Lanes, Run};
use super::super::tiles::{Column, TILE};
use super::friction::onto_disc;
use super::{Kind, Problem, Rows, Solution, Trouble, Workspace};
use crate::Real;

/// Rows of a contact: its normal and two slips.
const MOST: usize = 3;
/// Contacts whose y are found together.
const TOGETHER: usize = 2;

/// A row, or a contact with its slips.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// The first row, and how many.
    row: usize,
    count: usize,
    runs: usize,
    runs_end: usize,
    /// S among its own rows.
    own: [[Real; MOST]; MOST],
}

/// All y, the multipliers and the directions of the conjugate gradients.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweeps {
    /// In the order of rows.
    groups: Vec<Group>,
    /// By where they touch the tree: (first unknown, group).
    queue: Vec<(u32, u32)>,
    runs: Vec<Run>,
    /// For each run of a group its rows one after the other.
    y: Vec<Real>,
    lanes: Lanes,
    kept: Vec<Column>,
    found: Vec<Run>,
    z: Vec<Real>,
    lambda: Vec<Real>,
    /// Terms of one rank: √γ u of each row, term after term, √γ s now, and by the load alone.
    taken: Vec<Real>,
    pressed: Vec<Real>,
    loaded: Vec<Real>,
    /// What a sweep began with, and the last direction: of z and of λ.
    begun: [Vec<Real>; 2],
    way: [Vec<Real>; 2],
}

/// Solves a programme by at most so many sweeps, to a tolerance.
pub(super) fn solve(
    problem: &Problem,
    factor: &Elimination,
    (sweeps, tolerance): (u32, Real),
    work: &mut Workspace,
    solution: &mut Solution,
) {
    let all = &mut work.sweeps;
    all.take_in(problem.rows, factor);
    all.meet_ranks(problem, factor);
    all.lambda.clone_from(&solution.lambda);
    factor.bring(problem.load, &mut all.z);
    factor.forward(&mut all.z);
    let enough = tolerance * all.size(problem.rows);
    all.push_all();
    let finished = iterate_widest(all, problem.rows, (sweeps, enough), &mut solution.rounds);
    if !finished {
        solution.trouble.push(Trouble::Unfinished);
    }
    solution.lambda.clone_from(&all.lambda);
    factor.backward(&mut all.z);
    solution.velocity.clear();
    solution.velocity.resize(problem.load.len(), 0.0);
    factor.take_back(&all.z, &mut solution.velocity);
    all.press();
    for ((w, share), pressed) in factor.answers().zip(&all.pressed) {
        let less = share.sqrt() * pressed;
        solution.velocity.iter_mut().zip(w).for_each(|(v, w)| *v -= less * w);
    }
}

impl Sweeps {
    /// Finds y of all rows. Cost: eight sides for each two contacts, along their paths.
    fn take_in(&mut self, rows: &Rows, factor: &Elimination) {
        self.groups.clear();
        self.queue.clear();
        for (row, kind) in rows.kinds().iter().enumerate() {
            let count = match kind {
                Kind::Slip => continue,
                Kind::Contact { .. } => MOST,
                Kind::AtLeast | Kind::Equal => 1,
            };
            if !rows.moves(row, |v| factor.first_unknown(v).is_some()) {
                continue;
            }
            let first = |t: &super::Term| factor.first_unknown(t.vertex).unwrap_or(0) as u32;
            let first = rows.terms(row).iter().map(first).min().unwrap_or(0);
            self.queue.push((first, self.groups.len() as u32));
            self.groups.push(Group { row, count, ..Group::default() });
        }
        self.queue.sort_unstable();
        self.runs.clear();
        self.y.clear();
        self.lanes.prepare(factor);
        let queue = core::mem::take(&mut self.queue);
        for pair in queue.chunks(TOGETHER) {
            for (k, (_, g)) in pair.iter().enumerate() {
                let group = self.groups[*g as usize];
                for r in 0..group.count {
                    for term in rows.terms(group.row + r) {
                        self.lanes.add(factor, k * TILE / TOGETHER + r, term.vertex, term.direction);
                    }
                }
            }
            self.kept.clear();
            self.found.clear();
            self.lanes.forward(factor, &mut self.kept, &mut self.found);
            for (k, (_, g)) in pair.iter().enumerate() {
                self.keep(*g as usize, k * TILE / TOGETHER);
            }
        }
        self.queue = queue;
    }

    /// Keeps the lanes of a group, without what is zero in all of them.
    fn keep(&mut self, group: usize, lane: usize) {
        let group = &mut self.groups[group];
        group.runs = self.runs.len();
        for run in &self.found {
            let part = &self.kept[run.at..run.at + (run.to - run.from) as usize];
            let some = |c: &Column| c[lane..lane + group.count].iter().any(|x| *x != 0.0);
            let (Some(first), Some(last)) = (part.iter().position(some), part.iter().rposition(some)) else {
                continue;
            };
            let (from, to) = (run.from + first as u32, run.from + last as u32 + 1);
            self.runs.push(Run { from, to, at: self.y.len() });
            for r in 0..group.count {
                self.y.extend(part[first..=last].iter().map(|c| c[lane + r]));
            }
            for c in &part[first..=last] {
                for (i, own) in group.own.iter_mut().enumerate().take(group.count) {
                    (0..group.count).for_each(|j| own[j] += c[lane + i] * c[lane + j]);
                }
            }
        }
        group.runs_end = self.runs.len();
    }

    /// What terms of one rank take from the velocities of rows, and from S.
    fn meet_ranks(&mut self, problem: &Problem, factor: &Elimination) {
        let count = problem.rows.len();
        self.taken.clear();
        self.loaded.clear();
        for (w, share) in factor.answers() {
            let root = share.sqrt();
            self.taken.extend((0..count).map(|row| root * problem.rows.velocity(row, w)));
            self.loaded.push(root * w.iter().zip(problem.load).map(|(w, b)| w * b).sum::<Real>());
        }
        self.pressed.clone_from(&self.loaded);
        for taken in self.taken.chunks_exact(count.max(1)) {
            for group in &mut self.groups {
                let u = &taken[group.row..group.row + group.count];
                for (i, own) in group.own.iter_mut().enumerate().take(group.count) {
                    (0..group.count).for_each(|j| own[j] -= u[i] * u[j]);
                }
            }
        }
    }

    /// What terms of one rank feel of all multipliers.
    fn press(&mut self) {
        let count = self.lambda.len().max(1);
        for ((pressed, loaded), taken) in
            self.pressed.iter_mut().zip(&self.loaded).zip(self.taken.chunks_exact(count))
        {
            *pressed = loaded + taken.iter().zip(&self.lambda).map(|(u, l)| u * l).sum::<Real>();
        }
    }

    /// The velocities of a group's rows.
    #[inline(always)]
    fn moved(&self, group: &Group) -> [Real; MOST] {
        let mut u = velocities(&self.runs[group.runs..group.runs_end], &self.y, group.count, &self.z);
        for (pressed, taken) in self.pressed.iter().zip(self.taken.chunks_exact(self.lambda.len().max(1))) {
            u.iter_mut().zip(&taken[group.row..group.row + group.count]).for_each(|(u, t)| *u -= t * pressed);
        }
        u
    }

    /// The largest velocity that rows speak of, before any of them pushes.
    fn size(&self, rows: &Rows) -> Real {
        let speak = |group: &Group| {
            let moved = self.moved(group);
            let asked = &rows.asked()[group.row..group.row + group.count];
            moved.iter().chain(asked).fold(0.0, |m: Real, u| m.max(u.abs()))
        };
        self.groups.iter().map(speak).fold(0.0, Real::max)
    }

    /// Moves z by all multipliers.
    fn push_all(&mut self) {
        for group in &self.groups {
            let mut lambda = [0.0; MOST];
            lambda[..group.count].copy_from_slice(&self.lambda[group.row..group.row + group.count]);
            if lambda != [0.0; MOST] {
                move_along(&self.runs[group.runs..group.runs_end], &self.y, lambda, group.count, &mut self.z);
            }
        }
        self.press();
    }

    /// Once over all groups, each solved with the others held; the largest change of a row's velocity by itself.
    #[inline(always)]
    fn sweep(&mut self, rows: &Rows) -> Real {
        let mut change = 0.0 as Real;
        for group in &self.groups {
            let (runs, range) = (&self.runs[group.runs..group.runs_end], group.row..group.row + group.count);
            let u = self.moved(group);
            let count = self.lambda.len();
            let lambda = &mut self.lambda[range.clone()];
            let new = answer(rows, group.row, &group.own, u, lambda);
            let mut step = [0.0; MOST];
            for (k, l) in lambda.iter_mut().enumerate() {
                step[k] = new[k] - *l;
                *l = new[k];
                change = change.max((step[k] * group.own[k][k]).abs());
            }
            if step != [0.0; MOST] {
                move_along(runs, &self.y, step, group.count, &mut self.z);
                for (pressed, taken) in self.pressed.iter_mut().zip(self.taken.chunks_exact(count)) {
                    *pressed += taken[range.clone()].iter().zip(step).map(|(t, s)| t * s).sum::<Real>();
                }
            }
        }
        change
    }
}

/// The multipliers of a row or contact, its rows moving at u and the others' multipliers held; `w` is S among its rows.
#[inline(always)]
pub(super) fn answer(
    rows: &Rows,
    row: usize,
    w: &[[Real; MOST]; MOST],
    u: [Real; MOST],
    lambda: &[Real],
) -> [Real; MOST] {
    let asked = &rows.asked()[row..];
    let free = lambda[0] - (u[0] - asked[0]) / w[0][0];
    match rows.kinds()[row] {
        Kind::Equal => [free, 0.0, 0.0],
        Kind::AtLeast | Kind::Slip => [free.max(0.0), 0.0, 0.0],
        Kind::Contact { friction } => {
            let normal = free.max(0.0);
            if normal <= 0.0 {
                return [0.0; MOST];
            }
            let more = normal - lambda[0];
            let slip = [1, 2].map(|k| u[k] - asked[k] + w[k][0] * more);
            let [a, b, c] = [w[1][1], w[1][2], w[2][2]];
            let (over, radius) = (1.0 / (a * c - b * b), friction * normal);
            let stuck = [
                lambda[1] - (c * slip[0] - b * slip[1]) * over,
                lambda[2] - (a * slip[1] - b * slip[0]) * over,
            ];
            if stuck[0] * stuck[0] + stuck[1] * stuck[1] <= radius * radius {
                return [normal, stuck[0], stuck[1]];
            }
            // Slides: a step downhill, no longer than the steepest way allows, and back to the rim. Where the nearest point of
            // the rim is found in full, a sweep takes twice as long, and as many are needed.
            let step = 1.0 / (a.max(c) + b.abs());
            let [s, t] = onto_disc([lambda[1] - slip[0] * step, lambda[2] - slip[1] * step], radius);
            [normal, s, t]
        }
    }
}

/// Sweeps and directions until little changes; whether that was reached.
#[inline(always)]
fn iterate(all: &mut Sweeps, rows: &Rows, (sweeps, enough): (u32, Real), rounds: &mut u32) -> bool {
    all.way[0].clear();
    all.way[0].resize(all.z.len(), 0.0);
    all.way[1].clear();
    all.way[1].resize(all.lambda.len(), 0.0);
    let mut before = 0.0;
    for sweep in 1..=sweeps {
        *rounds += 1;
        all.begun[0].clone_from(&all.z);
        all.begun[1].clone_from(&all.lambda);
        if all.sweep(rows) <= enough {
            return true;
        }
        if sweep == sweeps {
            break;
        }
        let steps = all.lambda.iter().zip(&all.begun[1]).map(|(a, b)| (a - b) * (a - b));
        let gradient: Real = steps.sum();
        let share = if sweep == 1 { 2.0 } else { gradient / before };
        before = gradient;
        // The first sweep, and one that did worse than the last, starts anew.
        let share = if share > 1.0 { 0.0 } else { share };
        for ((x, begun), way) in [&mut all.z, &mut all.lambda].into_iter().zip(&all.begun).zip(&mut all.way) {
            for ((x, begun), way) in x.iter_mut().zip(begun).zip(way) {
                let step = *x - begun;
                *x += share * *way;
                *way = share * *way + step;
            }
        }
        all.press();
    }
    false
}

/// y · z of the rows of a group, four sums each that meet in the end.
#[inline(always)]
fn velocities(runs: &[Run], y: &[Real], count: usize, z: &[Real]) -> [Real; MOST] {
    let mut found = [0.0; MOST];
    for run in runs {
        let len = (run.to - run.from) as usize;
        let z = &z[run.from as usize..run.to as usize];
        for (r, found) in found.iter_mut().enumerate().take(count) {
            let y = &y[run.at + r * len..run.at + (r + 1) * len];
            let ((ys, y), (zs, z)) = (y.as_chunks::<4>(), z.as_chunks::<4>());
            let mut sum = [0.0; 4];
            for (y, z) in ys.iter().zip(zs) {
                sum = core::array::from_fn(|k| sum[k] + y[k] * z[k]);
            }
            y.iter().zip(z).enumerate().for_each(|(k, (y, z))| sum[k] += y * z);
            *found += (sum[0] + sum[2]) + (sum[1] + sum[3]);
        }
    }
    found
}

/// Moves z by multipliers of the rows of a group.
#[inline(always)]
fn move_along(runs: &[Run], y: &[Real], step: [Real; MOST], count: usize, z: &mut [Real]) {
    for run in runs {
        let len = (run.to - run.from) as usize;
        let z = &mut z[run.from as usize..run.to as usize];
        for (r, step) in step.iter().enumerate().take(count) {
            let y = &y[run.at + r * len..run.at + (r + 1) * len];
            z.iter_mut().zip(y).for_each(|(z, y)| *z += step * y);
        }
    }
}

fn iterate_widest(all: &mut Sweeps, rows: &Rows, until: (u32, Real), rounds: &mut u32) -> bool {
    super::super::widest!(iterate(all, rows, until, rounds))
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Real, Rows, Sweeps};

    #[target_feature(enable = "avx2")]
    pub(super) fn iterate(all: &mut Sweeps, rows: &Rows, until: (u32, Real), rounds: &mut u32) -> bool {
        super::iterate(all, rows, until, rounds)
    }
}
