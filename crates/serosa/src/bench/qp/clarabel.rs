//! Clarabel, an interior-point solver of others, on the same programmes: an independent judge.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use serosa_sim::algebra::qp::{Problem, Solution};

/// A programme without equalities or friction in Clarabel's form: min ½ xᵀP x + qᵀx, A x ≤ b.
pub struct Posed {
    p: CscMatrix<f64>,
    q: Vec<f64>,
    a: CscMatrix<f64>,
    b: Vec<f64>,
}

impl Posed {
    pub fn of(problem: &Problem) -> Self {
        let n = problem.load.len();
        // Upper half of K: the stored lower half by rows.
        let mut upper: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
        for ([i, j], block) in problem.matrix.pairs().zip(problem.matrix.blocks()) {
            let [i, j] = [i, j].map(|node| 3 * problem.matrix.free()[node as usize] as usize);
            for p in 0..3 {
                for q in (0..3).filter(|q| i != j || *q <= p) {
                    upper[i + p].push((j + q, block[p][q]));
                }
            }
        }
        let mut across: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
        for row in 0..problem.rows.len() {
            for term in problem.rows.terms(row) {
                (0..3).for_each(|d| across[3 * term.vertex as usize + d].push((row, -term.direction[d])));
            }
        }
        Self {
            p: csc(n, upper),
            q: problem.load.iter().map(|b| -b).collect(),
            a: csc(problem.rows.len(), across),
            b: problem.rows.asked().iter().map(|c| -c).collect(),
        }
    }

    /// Set-up and solve, on one thread; nothing where it is refused.
    pub fn solve(&self) -> Option<Solution> {
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            // Without it, a scalar factor that takes ten times as long where rows fill it.
            direct_solve_method: "faer".into(),
            ..DefaultSettings::default()
        };
        let cones = [NonnegativeConeT(self.b.len())];
        let mut solver = DefaultSolver::new(&self.p, &self.q, &self.a, &self.b, &cones, settings).ok()?;
        solver.solve();
        Some(Solution {
            velocity: solver.solution.x,
            lambda: solver.solution.z,
            rounds: solver.solution.iterations,
            trouble: Vec::new(),
        })
    }
}

/// Columns to a matrix of so many rows; what comes twice is added up.
fn csc(rows: usize, columns: Vec<Vec<(usize, f64)>>) -> CscMatrix<f64> {
    let n = columns.len();
    let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for mut column in columns {
        column.sort_by_key(|(row, _)| *row);
        for same in column.chunk_by(|a, b| a.0 == b.0) {
            places.push(same[0].0);
            values.push(same.iter().map(|(_, x)| x).sum());
        }
        starts.push(places.len());
    }
    CscMatrix::new(rows, n, starts, places, values)
}
