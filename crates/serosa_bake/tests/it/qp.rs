//! Quadratic programmes: the exact answer against Lemke's method and closed forms, the others against the exact one.

mod exact;
mod friction;
mod lemke;
mod methods;
mod ranks;

use crate::cholesky::noise;
use serosa_bake::cholesky::dissect::Graph;
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::qp::{Problem, Rows, Solution, Solver, Term, Workspace, solve_anew};
use serosa_sim::algebra::{BlockMatrix, Elimination};

/// A programme with what it refers to.
pub struct Made {
    pub matrix: BlockMatrix<3>,
    pub load: Vec<Real>,
    pub rows: Rows,
}

impl Made {
    pub fn problem(&self) -> Problem<'_> {
        Problem { matrix: &self.matrix, load: &self.load, rows: &self.rows }
    }

    pub fn pattern(&self) -> Elimination {
        let order: Vec<u32> = (0..Graph::of(&self.matrix).len() as u32).collect();
        Elimination::of(&self.matrix, &order).unwrap()
    }

    pub fn solved(&self, solver: Solver) -> Solution {
        let mut solution = Solution::default();
        solve_anew(&self.problem(), &mut self.pattern(), solver, &mut Workspace::default(), &mut solution);
        solution
    }
}

/// Random numbers of several kinds.
pub struct Dice(Box<dyn FnMut() -> Real>);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut noise = noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for _ in 0..4 {
            noise();
        }
        Self(Box::new(noise))
    }

    /// From −1 to 1.
    pub fn wide(&mut self) -> Real {
        self.0()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (((self.0)() * 0.5 + 0.5) * n as Real) as usize % n
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.wide(), self.wide(), self.wide())
    }
}

/// A random positive definite matrix over `nodes` vertices, all free but `fixed`.
pub fn matrix(nodes: usize, fixed: &[bool], dice: &mut Dice) -> BlockMatrix<3> {
    let elements: Vec<[u32; 3]> = (0..2 * nodes)
        .map(|_| [0; 3].map(|_| dice.below(nodes) as u32))
        .filter(|[a, b, c]| a != b && b != c && a != c)
        .collect();
    let mut matrix = BlockMatrix::of_elements(&elements, fixed);
    for element in &elements {
        // Two directions that are resisted.
        for _ in 0..2 {
            let way = [0; 3].map(|_| dice.vector().to_array());
            for (i, a) in element.iter().zip(&way) {
                for (j, b) in element.iter().zip(&way).filter(|(j, _)| *j <= i) {
                    matrix.add(*i, *j, a.map(|p| b.map(|q| p * q)));
                }
            }
        }
    }
    (0..nodes as u32).for_each(|v| matrix.add_diagonal(v, 0.3 + 0.2 * dice.wide()));
    matrix
}

/// A random row of two or three vertices.
pub fn terms(nodes: usize, dice: &mut Dice) -> Vec<Term> {
    let count = 2 + dice.below(2);
    (0..count)
        .map(|_| Term { vertex: dice.below(nodes) as u32, direction: dice.vector().to_array() })
        .collect()
}

pub fn velocity(terms: &[Term], v: &[Real]) -> Real {
    terms.iter().map(|t| (0..3).map(|d| t.direction[d] * v[3 * t.vertex as usize + d]).sum::<Real>()).sum()
}

/// Rows that some velocities satisfy, a few of them just so; dependent ones among them where asked.
pub fn feasible(nodes: usize, rows: usize, dependent: bool, dice: &mut Dice) -> Made {
    let matrix = matrix(nodes, &vec![false; nodes], dice);
    let load = (0..3 * nodes).map(|_| dice.wide()).collect();
    let inside: Vec<Real> = (0..3 * nodes).map(|_| 0.3 * dice.wide()).collect();
    let mut all: Vec<(Vec<Term>, Real)> = Vec::new();
    for k in 0..rows {
        if dependent && k > 2 && k % 4 == 0 {
            let [p, q] = [dice.below(k), dice.below(k)];
            let half = |t: &Term| Term { vertex: t.vertex, direction: t.direction.map(|d| 0.5 * d) };
            let both = all[p].0.iter().chain(&all[q].0).map(half).collect();
            all.push((both, 0.5 * (all[p].1 + all[q].1)));
        } else {
            let terms = terms(nodes, dice);
            let room = if dice.wide() > 0.6 { 0.0 } else { 0.2 * dice.wide().abs() };
            let asked = velocity(&terms, &inside) - room;
            all.push((terms, asked));
        }
    }
    let mut rows = Rows::default();
    all.into_iter().for_each(|(terms, asked)| rows.push(terms, asked, false));
    Made { matrix, load, rows }
}

/// K⁻¹ b for many b, by dense elimination.
pub fn solve_dense(matrix: &BlockMatrix<3>, sides: &[Vec<Real>]) -> Vec<Vec<Real>> {
    let n = 3 * matrix.vertices();
    let mut table: Vec<Vec<Real>> = vec![vec![0.0; n + sides.len()]; n];
    for k in 0..n {
        let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
        unit[k] = 1.0;
        matrix.multiply(&unit, &mut column);
        (0..n).for_each(|i| table[i][k] = column[i]);
    }
    for i in 0..n {
        if table[i][i] == 0.0 {
            table[i][i] = 1.0;
        }
        (0..sides.len()).for_each(|s| table[i][n + s] = sides[s][i]);
    }
    for k in 0..n {
        let own = table[k].clone();
        for (i, row) in table.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / own[k];
            let _ = i;
            row.iter_mut().zip(&own).for_each(|(x, p)| *x -= factor * p);
        }
    }
    (0..sides.len()).map(|s| (0..n).map(|i| table[i][n + s] / table[i][i]).collect()).collect()
}

/// Jᵀ of each row.
pub fn columns(made: &Made) -> Vec<Vec<Real>> {
    let column = |i: usize| {
        let mut column = vec![0.0; made.load.len()];
        made.rows.push_with(i, 1.0, &mut column);
        column
    };
    (0..made.rows.len()).map(column).collect()
}
