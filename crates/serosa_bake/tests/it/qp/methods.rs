use super::{Dice, feasible};
use crate::cholesky::difference;
use serosa_sim::algebra::qp::{Residual, Solution, Solver, Trouble, Workspace, solve};

#[test]
fn both_forms_of_the_paper_agree_and_come_near_the_exact_answer() {
    let mut dice = Dice::new(11);
    let (mut compared, mut dropped) = (0, 0);
    for _ in 0..60 {
        let made = feasible(12, 14, false, &mut dice);
        let exact = made.solved(Solver::EXACT);
        let [whole, schur] =
            [true, false].map(|whole| made.solved(Solver::Faithful { compliance: 1e-6, rounds: 20, whole }));
        assert!(difference(&whole.velocity, &schur.velocity) < 1e-6);
        if whole.trouble.is_empty() {
            let apart = difference(&whole.velocity, &exact.velocity);
            assert!(apart < 1e-3, "{apart:e}");
            compared += 1;
        } else {
            dropped += usize::from(whole.trouble.iter().any(|t| matches!(t, Trouble::Dropped { .. })));
        }
    }
    assert!(compared > 40, "{compared}, {dropped} dropped");
}

#[test]
fn the_bias_of_the_papers_compliance_shows() {
    let made = feasible(12, 14, false, &mut Dice::new(11));
    let exact = made.solved(Solver::EXACT);
    let apart = |compliance| {
        let solution = made.solved(Solver::Faithful { compliance, rounds: 20, whole: false });
        difference(&solution.velocity, &exact.velocity)
    };
    let (large, small) = (apart(1e-2), apart(1e-4));
    assert!(large > 20.0 * small && small > 0.0, "{large:e} {small:e}");
}

#[test]
fn sweeps_end_at_the_exact_answer() {
    let mut dice = Dice::new(12);
    for k in 0..40 {
        let made = feasible(12, 10, k % 4 == 0, &mut dice);
        let exact = made.solved(Solver::EXACT);
        for factored in [false, true] {
            let large = made.solved(Solver::Large { sweeps: 50_000, tolerance: 1e-12, factored });
            assert_eq!(large.trouble, []);
            let apart = difference(&large.velocity, &exact.velocity);
            assert!(apart < 1e-7, "{k}: {apart:e}");
            assert!(Residual::of(&made.problem(), &large).worst() < 1e-7);
        }
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let made = feasible(60, 50, true, &mut Dice::new(13));
    let run = |threads: usize, solver: Solver| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut factor, mut work) = (made.pattern(), Workspace::default());
            let mut solution = Solution::default();
            factor.refactor(&made.matrix).unwrap();
            solve(&made.problem(), &factor, solver, &mut work, &mut solution);
            solution.velocity.iter().chain(&solution.lambda).map(|x| x.to_bits()).collect::<Vec<u64>>()
        })
    };
    for solver in [Solver::EXACT, Solver::LARGE, Solver::FAITHFUL] {
        let one = run(1, solver);
        assert!([2, 8].into_iter().all(|threads| run(threads, solver) == one), "{solver:?}");
    }
}

#[test]
fn numbers_that_are_none_end_in_a_report() {
    let mut made = feasible(6, 8, false, &mut Dice::new(14));
    made.load[4] = f64::NAN;
    for solver in [Solver::EXACT, Solver::LARGE, Solver::FAITHFUL] {
        // No panic and no endless loop: what comes out is told by the guard of the step.
        let _ = made.solved(solver);
    }
    let mut made = feasible(6, 8, false, &mut Dice::new(14));
    made.matrix.add_diagonal(3, -1e3);
    for (solver, name) in [(Solver::EXACT, "factor"), (Solver::LARGE, "sweeps")] {
        let trouble = made.solved(solver).trouble;
        assert!(trouble.iter().any(|t| matches!(t, Trouble::NotPositive { .. })), "{name}: {trouble:?}");
    }
}
