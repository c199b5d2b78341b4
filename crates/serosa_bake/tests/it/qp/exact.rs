use super::lemke::lemke;
use super::{Dice, Made, columns, feasible, matrix, solve_dense, terms};
use crate::cholesky::difference;
use crate::counting::allocations;
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::qp::{
    Residual, Rows, Solution, Solver, Term, Trouble, Workspace, form_schur, solve, solve_again,
};

/// v of the oracle.
fn by_lemke(made: &Made) -> Vec<Real> {
    let (n, mut sides) = (made.rows.len(), columns(made));
    sides.push(made.load.clone());
    let solved = solve_dense(&made.matrix, &sides);
    let moved = |i: usize, k: usize| made.rows.velocity(i, &solved[k]);
    let m: Vec<Vec<Real>> = (0..n).map(|i| (0..n).map(|j| moved(i, j)).collect()).collect();
    let q: Vec<Real> = (0..n).map(|i| moved(i, n) - made.rows.asked()[i]).collect();
    let z = lemke(&m, &q).expect("a solution");
    let mut v = solved[n].clone();
    for (j, z) in z.iter().enumerate() {
        v.iter_mut().zip(&solved[j]).for_each(|(v, x)| *v += z * x);
    }
    v
}

#[test]
fn a_thousand_random_programmes_agree_with_lemke() {
    let mut dice = Dice::new(1);
    let (mut worst, mut active) = (0.0 as Real, 0);
    for k in 0..1000 {
        let (nodes, rows) = (4 + dice.below(10), 1 + dice.below(24));
        let made = feasible(nodes, rows, k % 10 == 0, &mut dice);
        let solution = made.solved(Solver::EXACT);
        assert_eq!(solution.trouble, [], "{k}");
        let residual = Residual::of(&made.problem(), &solution);
        assert!(residual.worst() < 1e-9, "{k}: {residual:?}");
        worst = worst.max(difference(&solution.velocity, &by_lemke(&made)));
        active += solution.lambda.iter().filter(|l| **l > 0.0).count();
    }
    assert!(worst < 1e-8, "{worst:e}");
    assert!(active > 2000, "{active} rows pushed: the programmes are too easy");
}

#[test]
fn twenty_thousand_small_ones_end() {
    let mut dice = Dice::new(2);
    let (mut infeasible, mut rounds) = (0, 0);
    for k in 0..20_000 {
        let nodes = 2 + dice.below(3);
        let fixed: Vec<bool> = (0..nodes).map(|n| n > 0 && k % 5 == 0 && n == 1).collect();
        let matrix = matrix(nodes, &fixed, &mut dice);
        let load: Vec<Real> = (0..3 * nodes).map(|_| (3.0 * dice.wide()).round()).collect();
        let mut rows = Rows::default();
        for _ in 0..1 + dice.below(12) {
            // Whole numbers: rows are often equal, opposite or zero, and ties abound.
            let whole = |t: Term| Term { direction: t.direction.map(|d| (1.4 * d).round()), ..t };
            let equal = dice.wide() > 0.8;
            rows.push(terms(nodes, &mut dice).into_iter().map(whole), dice.wide().round(), equal);
        }
        let made = Made { matrix, load, rows };
        let solution = made.solved(Solver::EXACT);
        assert!(solution.velocity.iter().chain(&solution.lambda).all(|x| x.is_finite()), "{k}");
        assert!(!solution.trouble.contains(&Trouble::Unfinished), "{k}");
        rounds = rounds.max(solution.rounds);
        if solution.trouble.is_empty() {
            let residual = Residual::of(&made.problem(), &solution);
            assert!(residual.worst() < 1e-7, "{k}: {residual:?}");
        } else {
            infeasible += 1;
        }
    }
    assert!(rounds < 200, "{rounds}");
    assert!((100..19_000).contains(&infeasible), "{infeasible}");
}

/// The paper's first figure: an edge lies on two triangles across their common edge, so that three rows are dependent.
#[test]
fn an_edge_on_a_seam_is_carried_by_its_weight() {
    let (mass, h, g) = (0.02, 0.01, 9.81);
    let mut matrix = BlockMatrix::of_elements(&[[0u32, 1]], &[false; 2]);
    let stiff = |s: Real| [[s, 0.0, 0.0], [0.0, 0.1 * s, 0.0], [0.0, 0.0, 0.1 * s]];
    (0..2).for_each(|v| matrix.add(v, v, stiff(50.0 * h)));
    matrix.add(1, 0, stiff(-50.0 * h));
    (0..2).for_each(|v| matrix.add_diagonal(v, mass));
    let load = (0..6).map(|k| if k % 3 == 2 { -mass * h * g } else { 0.0 }).collect();
    let mut rows = Rows::default();
    rows.push_contact(&[(0, 1.0)], Vec3::Z, 0.0, 0.0);
    rows.push_contact(&[(1, 1.0)], Vec3::Z, 0.0, 0.0);
    rows.push_contact(&[(0, 0.3), (1, 0.7)], Vec3::Z, 0.0, 0.0);
    let made = Made { matrix, load, rows };
    let large = Solver::Large { sweeps: 500, tolerance: 1e-5, factored: false };
    for solver in [Solver::EXACT, large] {
        let solution = made.solved(solver);
        assert_eq!(solution.trouble, []);
        let total: Real = solution.lambda.iter().sum();
        let tolerance = if solver == Solver::EXACT { 1e-6 } else { 1e-3 };
        assert!((total / (2.0 * mass * h * g) - 1.0).abs() < tolerance, "{total}");
        assert!(solution.velocity.iter().all(|v| v.abs() < tolerance * h * g));
    }
    // The paper's compliance carries the weight as well, but gives way a little.
    for whole in [false, true] {
        let solution = made.solved(Solver::Faithful { compliance: 1e-3, rounds: 20, whole });
        assert_eq!(solution.trouble, []);
        let total: Real = solution.lambda.iter().sum();
        assert!((total / (2.0 * mass * h * g) - 1.0).abs() < 3e-3, "{total}");
    }
}

#[test]
fn opposite_fixed_velocities_meet_in_the_middle() {
    let mut matrix = BlockMatrix::of_elements(&[[0u32]], &[false]);
    matrix.add_diagonal(0, 2.0);
    let mut rows = Rows::default();
    let along = |x: Real| [Term { vertex: 0, direction: [x, 0.0, 0.0] }];
    rows.push(along(1.0), 3.0, true);
    rows.push(along(1.0), -1.0, true);
    rows.push([Term { vertex: 0, direction: [0.0, 1.0, 0.0] }], 0.5, true);
    let made = Made { matrix, load: vec![0.0, 0.0, 4.0], rows };
    let solution = made.solved(Solver::EXACT);
    // The least squares of what is missed: halfway. What can be satisfied is.
    assert!((solution.velocity[0] - 1.0).abs() < 1e-6, "{:?}", solution.velocity);
    assert!((solution.velocity[1] - 0.5).abs() < 1e-9);
    assert!((solution.velocity[2] - 2.0).abs() < 1e-9);
    match solution.trouble[..] {
        [Trouble::Infeasible { row: 0 | 1, missing }] => assert!((missing - 2.0).abs() < 1e-6),
        _ => panic!("{:?}", solution.trouble),
    }
}

/// A row that nothing free takes part in is missed for good; the rest goes on.
#[test]
fn a_row_of_fixed_vertices_is_named() {
    let mut matrix = BlockMatrix::of_elements(&[[0u32, 1]], &[true, false]);
    matrix.add_diagonal(1, 1.0);
    let mut rows = Rows::default();
    rows.push([Term { vertex: 0, direction: [1.0, 0.0, 0.0] }], 0.25, false);
    rows.push([Term { vertex: 1, direction: [0.0, 0.0, 1.0] }], 0.0, false);
    let made = Made { matrix, load: vec![9.0, 9.0, 9.0, 0.0, 0.0, -1.0], rows };
    for solver in [Solver::EXACT, Solver::LARGE, Solver::FAITHFUL] {
        let solution = made.solved(solver);
        let soft = if solver == Solver::FAITHFUL { 1.1e-3 } else { 1e-12 };
        assert!(solution.velocity.iter().all(|v| v.abs() < soft), "{solver:?} {:?}", solution.velocity);
        if solver == Solver::EXACT {
            assert_eq!(solution.trouble, [Trouble::Infeasible { row: 0, missing: 0.25 }]);
        }
    }
}

#[test]
fn a_matrix_without_a_factor_is_named_and_nothing_moves() {
    let mut matrix = BlockMatrix::of_elements(&[[0u32, 1], [1, 2]], &[false; 3]);
    matrix.add_diagonal(0, 1.0);
    matrix.add_diagonal(1, 1.0);
    matrix.add_diagonal(2, -1.0);
    let made = Made { matrix, load: vec![1.0; 9], rows: Rows::default() };
    let solution = made.solved(Solver::EXACT);
    assert_eq!(solution.trouble, [Trouble::NotPositive { vertex: 2 }]);
    assert_eq!(solution.velocity, [0.0; 9]);
}

#[test]
fn no_rows_are_no_trouble() {
    let mut matrix = BlockMatrix::of_elements(&[[0u32]], &[false]);
    matrix.add_diagonal(0, 2.0);
    let made = Made { matrix, load: vec![1.0, 2.0, 4.0], rows: Rows::default() };
    for solver in [Solver::EXACT, Solver::LARGE, Solver::FAITHFUL] {
        let solution = made.solved(solver);
        let most = if solver == Solver::LARGE { 0.05 } else { 1e-12 };
        assert!(difference(&solution.velocity, &[0.5, 1.0, 2.0]) < most, "{solver:?}");
        assert_eq!(solution.trouble, []);
    }
}

#[test]
fn the_last_answer_saves_rounds_and_a_known_complement_changes_nothing() {
    let made = feasible(40, 60, true, &mut Dice::new(3));
    let (mut factor, mut work) = (made.pattern(), Workspace::default());
    factor.refactor(&made.matrix).unwrap();
    let problem = made.problem();
    let mut cold = Solution::default();
    solve(&problem, &factor, Solver::EXACT, &mut work, &mut cold);
    let mut warm = cold.clone();
    solve(&problem, &factor, Solver::EXACT, &mut work, &mut warm);
    assert!(warm.rounds < cold.rounds, "{} {}", warm.rounds, cold.rounds);
    assert!(difference(&warm.velocity, &cold.velocity) < 1e-11);
    form_schur(&problem, &factor, &mut work);
    let mut again = Solution::default();
    solve_again(&problem, &factor, Solver::EXACT, &mut work, &mut again);
    assert!(difference(&again.velocity, &cold.velocity) < 1e-11);
}

#[test]
fn warm_solves_allocate_nothing() {
    let mut made = feasible(30, 40, true, &mut Dice::new(4));
    (0..6).for_each(|k| made.rows.push_contact(&[(k, 1.0), (k + 9, -1.0)], Vec3::Z, 0.01, 0.4));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (mut factor, mut work) = (made.pattern(), Workspace::default());
    for solver in [Solver::EXACT, Solver::LARGE, Solver::FAITHFUL] {
        let mut solution = Solution::default();
        let mut once = |solution: &mut Solution| {
            solution.lambda.fill(0.0);
            let problem = made.problem();
            serosa_sim::algebra::qp::solve_anew(&problem, &mut factor, solver, &mut work, solution);
        };
        once(&mut solution);
        once(&mut solution);
        assert_eq!(allocations(&pool, || once(&mut solution)), 0, "{solver:?}");
        assert!(solution.lambda.iter().any(|l| *l > 0.0));
    }
}
