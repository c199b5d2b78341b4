//! Terms of one rank beside a sparse matrix, against the same matrix written in full.

use super::{Dice, Made, feasible};
use crate::cholesky::difference;
use serosa_geometry::Vec3;
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::qp::{Residual, Solver};

/// A programme whose matrix has two such terms, which overlap, and the same with all blocks.
fn both(dice: &mut Dice, friction: bool) -> [Made; 2] {
    let nodes = 14;
    let mut sparse = feasible(nodes, 10, false, dice);
    if friction {
        for _ in 0..4 {
            let pair = [dice.below(nodes) as u32, dice.below(nodes) as u32];
            let weights = [(pair[0], 1.0), (pair[1], -1.0)];
            sparse.rows.push_contact(&weights, dice.vector().normalize_or(Vec3::Z), -0.05, 0.4);
        }
    }
    let pairs: Vec<[u32; 2]> = (0..nodes as u32).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
    let mut full = BlockMatrix::of_elements(&pairs, &vec![false; nodes]);
    for (column, vertex) in sparse.matrix.free().iter().enumerate() {
        for (row, block) in sparse.matrix.column(column) {
            full.add(sparse.matrix.free()[row as usize], *vertex, *block);
        }
    }
    for (k, (first, count, rate)) in [(1, 9, 40.0), (6, 7, 3.0)].into_iter().enumerate() {
        let gradient: Vec<[f64; 3]> = (0..count).map(|_| dice.vector().to_array()).collect();
        sparse.matrix.add_rank(first, count);
        sparse.matrix.set_rank(k, rate, gradient.iter().copied());
        for (i, a) in (first..).zip(&gradient) {
            for (j, b) in (first..=i).zip(&gradient) {
                full.add(i, j, a.map(|p| b.map(|q| rate * p * q)));
            }
        }
    }
    let dense = Made { matrix: full, load: sparse.load.clone(), rows: sparse.rows.clone() };
    [sparse, dense]
}

#[test]
fn terms_of_one_rank_are_as_if_written_in_full() {
    let mut dice = Dice::new(21);
    for k in 0..40 {
        let pair = both(&mut dice, false);
        let x: Vec<f64> = (0..pair[0].load.len()).map(|_| dice.wide()).collect();
        let products = [0, 1].map(|i| {
            let mut y = vec![0.0; x.len()];
            pair[i].matrix.multiply(&x, &mut y);
            y
        });
        assert!(difference(&products[0], &products[1]) < 1e-13);
        for solver in [
            Solver::EXACT,
            Solver::Faithful { compliance: 1e-3, rounds: 20, whole: true },
            Solver::Faithful { compliance: 1e-3, rounds: 20, whole: false },
            Solver::Large { sweeps: 50_000, tolerance: 1e-13, factored: true },
            Solver::Large { sweeps: 50_000, tolerance: 1e-13, factored: false },
        ] {
            let [sparse, dense] = [0, 1].map(|i| pair[i].solved(solver));
            // The paper's compliance is measured by the diagonal, which has not the whole of it here.
            let within = if matches!(solver, Solver::Faithful { .. }) { 1e-2 } else { 1e-8 };
            let apart = difference(&sparse.velocity, &dense.velocity);
            assert!(apart < within, "{k} {solver:?}: {apart:e}");
            if !matches!(solver, Solver::Faithful { .. }) {
                let left = Residual::of(&pair[0].problem(), &sparse).worst();
                assert!(left < 1e-8, "{k} {solver:?}: {left:e}");
            }
        }
    }
}

#[test]
fn friction_beside_terms_of_one_rank_is_as_if_written_in_full() {
    let mut dice = Dice::new(22);
    for k in 0..20 {
        let pair = both(&mut dice, true);
        let [sparse, dense] = [0, 1].map(|i| pair[i].solved(Solver::EXACT));
        if sparse.trouble.is_empty() && dense.trouble.is_empty() {
            let apart = difference(&sparse.velocity, &dense.velocity);
            assert!(apart < 1e-7, "{k}: {apart:e}");
        }
    }
}
