//! Many rows without any factor: sweeps over vertices and contacts in turn.
//!
//! A sweep solves for each vertex with its neighbours held, and for each contact with the others held and K taken for its
//! diagonal blocks, forwards and backwards. What stands still under it is the answer: K v = b + Jᵀλ, and every row is
//! content. Sweeps are made faster by the directions of conjugate gradients (Silcowitz-Hansen et al. 2010), restarted where
//! they do worse.

use super::large::answer;
use super::{Kind, Problem, Rows, Solution, Trouble, Workspace};
use crate::Real;

/// Rows of a contact: its normal and two slips.
const MOST: usize = 3;

type Block = [[Real; 3]; 3];

/// A row, or a contact with its slips.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// The last of its nodes.
    last: u32,
    row: u32,
    count: u32,
    parts: u32,
    parts_end: u32,
    /// S among its own rows, K taken for its diagonal blocks.
    own: Block,
}

/// One vertex of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Where its velocity stands.
    at: u32,
    /// Its directions by rows, and how it answers each.
    push: Block,
    give: Block,
}

/// Vectors of the sweeps; keeps its room.
#[derive(Clone, Debug, Default)]
pub(super) struct Free {
    /// By their last nodes; and (first node, group) by their first.
    groups: Vec<Group>,
    backwards: Vec<(u32, u32)>,
    parts: Vec<Part>,
    /// Inverses of the diagonal blocks, by nodes.
    inverse: Vec<Block>,
    /// The means of their diagonals before that.
    weight: Vec<Real>,
    /// By nodes: velocity, b + Jᵀλ, what earlier nodes take from it.
    v: Vec<[Real; 3]>,
    force: Vec<[Real; 3]>,
    taken: Vec<[Real; 3]>,
    lambda: Vec<Real>,
    /// What the load would give if nothing were coupled: the fastest vertex, and |v|² of all.
    speed: Real,
    length: Real,
    /// Of a sweep: the largest change of a row's velocity by its own impulse, and the largest velocity.
    change: Real,
    size: Real,
    /// What a sweep began with, and the last direction: v and λ.
    begun: (Vec<[Real; 3]>, Vec<Real>),
    way: (Vec<[Real; 3]>, Vec<Real>),
}

/// Solves a programme by at most so many sweeps, to a tolerance, starting from the velocities of `solution` as well.
pub(super) fn solve(
    problem: &Problem,
    (sweeps, tolerance): (u32, Real),
    work: &mut Workspace,
    solution: &mut Solution,
) {
    let all = &mut work.free;
    if let Some(vertex) = all.begin(problem, solution) {
        solution.trouble.push(Trouble::NotPositive { vertex });
    }
    let finished = iterate_widest(all, problem, (sweeps, tolerance), &mut solution.rounds);
    if !finished {
        solution.trouble.push(Trouble::Unfinished);
    }
    solution.velocity.clear();
    solution.velocity.resize(problem.load.len(), 0.0);
    for (vertex, v) in problem.matrix.free().iter().zip(&all.v) {
        solution.velocity[3 * *vertex as usize..][..3].copy_from_slice(v);
    }
    solution.lambda.clone_from(&all.lambda);
}

impl Free {
    /// Takes the programme in; says where a diagonal block has no inverse.
    fn begin(&mut self, problem: &Problem, solution: &Solution) -> Option<u32> {
        self.take_vertices(problem, solution);
        self.take_rows(problem, solution);
        let bad = self.inverse.iter().position(|block| *block == [[0.0; 3]; 3]);
        bad.map(|node| problem.matrix.free()[node])
    }

    fn take_vertices(&mut self, problem: &Problem, solution: &Solution) {
        let matrix = problem.matrix;
        let starts = solution.velocity.len() == problem.load.len();
        self.inverse.clear();
        self.weight.clear();
        self.v.clear();
        self.force.clear();
        for (node, vertex) in matrix.free().iter().enumerate() {
            let at = 3 * *vertex as usize;
            let diagonal = matrix.column(node).next().map_or([[0.0; 3]; 3], |(_, block)| *block);
            self.inverse.push(inverse(&diagonal));
            self.weight.push((diagonal[0][0] + diagonal[1][1] + diagonal[2][2]) / 3.0);
            let three = |x: &[Real]| [x[at], x[at + 1], x[at + 2]];
            self.v.push(if starts { three(&solution.velocity) } else { [0.0; 3] });
            self.force.push(three(problem.load));
        }
        let given = self.inverse.iter().zip(&self.force).map(|(inverse, b)| times(inverse, *b));
        (self.speed, self.length) = given.fold((0.0, 0.0), |(speed, length): (Real, Real), v| {
            let square = dot(v, v);
            (speed.max(square.sqrt()), length + square)
        });
    }

    fn take_rows(&mut self, problem: &Problem, solution: &Solution) {
        let (matrix, rows) = (problem.matrix, problem.rows);
        self.lambda.clone_from(&solution.lambda);
        self.groups.clear();
        self.parts.clear();
        for (row, kind) in rows.kinds().iter().enumerate() {
            let count = match kind {
                Kind::Slip => continue,
                Kind::Contact { .. } => MOST,
                Kind::AtLeast | Kind::Equal => 1,
            };
            if rows.moves(row, |v| matrix.node_of(v).is_some()) {
                self.group(problem, row, count);
            }
        }
        self.groups.sort_unstable_by_key(|group| (group.last, group.row));
        self.backwards.clear();
        for (group, g) in self.groups.iter().zip(0..) {
            let parts = &self.parts[group.parts as usize..group.parts_end as usize];
            self.backwards.push((parts.iter().map(|p| p.at).min().unwrap_or(0), g));
        }
        self.backwards.sort_unstable();
    }

    /// Takes in a row, or a contact. Its rows have the same vertices, and one that comes twice is one.
    fn group(&mut self, problem: &Problem, row: usize, count: usize) {
        let first = self.parts.len();
        for (k, term) in problem.rows.terms(row).iter().enumerate() {
            let Some(at) = problem.matrix.node_of(term.vertex) else { continue };
            let same = self.parts[first..].iter().position(|p| p.at == at);
            let slot = same.map_or(self.parts.len(), |k| first + k);
            if same.is_none() {
                self.parts.push(Part { at, ..Part::default() });
            }
            for r in 0..count {
                let direction = problem.rows.terms(row + r)[k].direction;
                (0..3).for_each(|d| self.parts[slot].push[r][d] += direction[d]);
            }
        }
        let mut own = [[0.0; 3]; 3];
        for part in &mut self.parts[first..] {
            for r in 0..count {
                part.give[r] = times(&self.inverse[part.at as usize], part.push[r]);
                let (force, lambda) = (&mut self.force[part.at as usize], self.lambda[row + r]);
                (0..3).for_each(|d| force[d] += lambda * part.push[r][d]);
            }
            for (i, own) in own.iter_mut().enumerate().take(count) {
                (0..count).for_each(|j| own[j] += dot(part.push[i], part.give[j]));
            }
        }
        let last = self.parts[first..].iter().map(|p| p.at).max().unwrap_or(0);
        let [row, count] = [row, count].map(|x| x as u32);
        let [parts, parts_end] = [first, self.parts.len()].map(|x| x as u32);
        self.groups.push(Group { last, row, count, parts, parts_end, own });
    }

    /// Each vertex with the others held, forwards and backwards, and each contact behind the last of its vertices.
    ///
    /// Contacts must not wait for the end: where many of them hold one stiff body, all would answer for the whole of it.
    /// Only the lower half of K is stored: going forwards, what a vertex takes from later ones is put down for them; going
    /// backwards that is still what it was, but for contacts since.
    #[inline(always)]
    fn sweep(&mut self, problem: &Problem) {
        self.taken.clear();
        self.taken.resize(self.v.len(), [0.0; 3]);
        (self.change, self.size) = (0.0, self.speed);
        let mut next = 0;
        for j in 0..self.v.len() {
            let (rows, blocks) = problem.matrix.below(j);
            self.v[j] = self.alone(j, rows, blocks);
            while self.groups.get(next).is_some_and(|g| g.last as usize == j) {
                self.touch(problem.rows, next);
                next += 1;
            }
            let v = self.v[j];
            for (i, block) in rows.iter().zip(blocks) {
                let (taken, more) = (&mut self.taken[*i as usize], times(block, v));
                *taken = [taken[0] + more[0], taken[1] + more[1], taken[2] + more[2]];
            }
        }
        for j in (0..self.v.len()).rev() {
            let (rows, blocks) = problem.matrix.below(j);
            self.v[j] = self.alone(j, rows, blocks);
            while next > 0 && self.backwards[next - 1].0 as usize == j {
                next -= 1;
                self.touch(problem.rows, self.backwards[next].1 as usize);
            }
        }
    }

    /// The velocity of a vertex with its neighbours held. Two sums, so that one need not wait for the other.
    #[inline(always)]
    fn alone(&self, j: usize, rows: &[u32], blocks: &[Block]) -> [Real; 3] {
        let mut sums = [minus(self.force[j], self.taken[j]), [0.0; 3]];
        let ((pairs, row), (twos, block)) = (rows.as_chunks::<2>(), blocks.as_chunks::<2>());
        for (rows, blocks) in pairs.iter().zip(twos) {
            for k in 0..2 {
                sums[k] = minus(sums[k], times_turned(&blocks[k], self.v[rows[k] as usize]));
            }
        }
        for (row, block) in row.iter().zip(block) {
            sums[0] = minus(sums[0], times_turned(block, self.v[*row as usize]));
        }
        times(&self.inverse[j], core::array::from_fn(|d| sums[0][d] + sums[1][d]))
    }

    /// A contact with all others held.
    #[inline(always)]
    fn touch(&mut self, rows: &Rows, group: usize) {
        let group = &self.groups[group];
        let (row, count) = (group.row as usize, group.count as usize);
        let parts = &self.parts[group.parts as usize..group.parts_end as usize];
        let lambda = &mut self.lambda[row..row + count];
        let v = |part: &Part| self.v[part.at as usize];
        let mut u = [parts.iter().map(|p| dot(p.push[0], v(p))).sum(), 0.0, 0.0];
        // What neither presses nor must is one in three of a pile's contacts.
        let rests = lambda.iter().all(|l| *l == 0.0) && rows.kinds()[row] != Kind::Equal;
        if rests && u[0] >= rows.asked()[row] {
            self.size = self.size.max(u[0].abs());
            return;
        }
        for part in parts {
            let v = v(part);
            (1..MOST).for_each(|r| u[r] += dot(part.push[r], v));
        }
        let new = answer(rows, row, &group.own, u, lambda);
        let mut step = [0.0; MOST];
        for (k, l) in lambda.iter_mut().enumerate() {
            step[k] = new[k] - *l;
            *l = new[k];
            self.change = self.change.max((step[k] * group.own[k][k]).abs());
            self.size = self.size.max(u[k].abs());
        }
        if step == [0.0; MOST] {
            return;
        }
        for part in parts {
            let (v, force) = (&mut self.v[part.at as usize], &mut self.force[part.at as usize]);
            for d in 0..3 {
                v[d] += step[0] * part.give[0][d] + step[1] * part.give[1][d] + step[2] * part.give[2][d];
                force[d] += step[0] * part.push[0][d] + step[1] * part.push[1][d] + step[2] * part.push[2][d];
            }
        }
    }

    /// The change of v in a sweep over all of it, |Δv|² / |v|², and the energy of the changes of v and of λ, by the diagonal of
    /// K and of S. A body that rests is told by λ alone.
    #[inline(always)]
    fn progress(&self) -> (Real, Real) {
        let (mut change, mut length, mut energy) = (0.0, 0.0, 0.0);
        for ((v, begun), weight) in self.v.iter().zip(&self.begun.0).zip(&self.weight) {
            let d = minus(*v, *begun);
            length += dot(*v, *v);
            change += dot(d, d);
            energy += weight * dot(d, d);
        }
        for group in &self.groups {
            for k in 0..group.count as usize {
                let step = self.lambda[group.row as usize + k] - self.begun.1[group.row as usize + k];
                energy += group.own[k][k] * step * step;
            }
        }
        (change / length.max(self.length).max(Real::MIN_POSITIVE), energy)
    }

    /// Goes on along the last direction, that far of it, turns it by the last step, and begins there.
    #[inline(always)]
    fn go_on(&mut self, share: Real) {
        for group in self.groups.iter().filter(|_| share != 0.0) {
            let row = group.row as usize;
            let mut more = [0.0; MOST];
            (0..group.count as usize).for_each(|k| more[k] = share * self.way.1[row + k]);
            for part in &self.parts[group.parts as usize..group.parts_end as usize] {
                let force = &mut self.force[part.at as usize];
                let push = &part.push;
                for (d, force) in force.iter_mut().enumerate() {
                    *force += more[0] * push[0][d] + more[1] * push[1][d] + more[2] * push[2][d];
                }
            }
        }
        let (v, begun, way) = (&mut self.v, &mut self.begun, &mut self.way);
        extrapolate(v.as_flattened_mut(), begun.0.as_flattened_mut(), way.0.as_flattened_mut(), share);
        extrapolate(&mut self.lambda, &mut begun.1, &mut way.1, share);
    }
}

/// Sweeps and directions until little changes; whether that was reached.
#[inline(always)]
fn iterate(all: &mut Free, problem: &Problem, (sweeps, tolerance): (u32, Real), rounds: &mut u32) -> bool {
    all.way.0.clear();
    all.way.0.resize(all.v.len(), [0.0; 3]);
    all.way.1.clear();
    all.way.1.resize(all.lambda.len(), 0.0);
    all.begun.0.clone_from(&all.v);
    all.begun.1.clone_from(&all.lambda);
    let mut before = 0.0;
    for sweep in 1..=sweeps {
        *rounds += 1;
        all.sweep(problem);
        let (moved, energy) = all.progress();
        if all.change <= tolerance * all.size && moved <= tolerance * tolerance {
            return true;
        }
        if sweep == sweeps {
            break;
        }
        // The first sweep, and one that did worse than the last, starts anew.
        let share = if sweep == 1 || energy > before { 0.0 } else { energy / before };
        before = energy;
        all.go_on(share);
    }
    false
}

#[inline(always)]
fn extrapolate(x: &mut [Real], begun: &mut [Real], way: &mut [Real], share: Real) {
    for ((x, begun), way) in x.iter_mut().zip(begun).zip(way) {
        let step = *x - *begun;
        *x += share * *way;
        *way = share * *way + step;
        *begun = *x;
    }
}

#[inline(always)]
fn dot(a: [Real; 3], b: [Real; 3]) -> Real {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn minus(a: [Real; 3], b: [Real; 3]) -> [Real; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn times(m: &Block, x: [Real; 3]) -> [Real; 3] {
    [dot(m[0], x), dot(m[1], x), dot(m[2], x)]
}

#[inline(always)]
fn times_turned(m: &Block, x: [Real; 3]) -> [Real; 3] {
    core::array::from_fn(|d| m[0][d] * x[0] + m[1][d] * x[1] + m[2][d] * x[2])
}

/// Of a symmetric block; zero where it is not positive, and the vertex stands still.
fn inverse(m: &Block) -> Block {
    let cross = |a: [Real; 3], b: [Real; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let det = dot(m[0], columns[0]);
    let positive = m[0][0] > 0.0 && m[0][0] * m[1][1] > m[0][1] * m[1][0] && det > 0.0;
    let over = if positive { 1.0 / det } else { 0.0 };
    columns.map(|c| c.map(|x| x * over))
}

fn iterate_widest(all: &mut Free, problem: &Problem, until: (u32, Real), rounds: &mut u32) -> bool {
    super::super::widest!(iterate(all, problem, until, rounds))
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Free, Problem, Real};

    #[target_feature(enable = "avx2")]
    pub(super) fn iterate(all: &mut Free, problem: &Problem, until: (u32, Real), rounds: &mut u32) -> bool {
        super::iterate(all, problem, until, rounds)
    }
}
