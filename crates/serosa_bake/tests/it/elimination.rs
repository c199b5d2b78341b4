//! Factors made in the step against dense ones and those of the bake.

use crate::cholesky::{Solid, difference, noise, residual};
use serosa_bake::cholesky::{elimination, factor};
use serosa_geometry::Real;
use serosa_sim::algebra::elimination::lanes::{Lanes, Run};
use serosa_sim::algebra::sparse::{Fronts, Precision};
use serosa_sim::algebra::tiles::Column;

#[test]
fn a_lump_is_solved_as_by_the_factor_of_the_bake() {
    for n in [2, 5, 9] {
        let solid = Solid::lump(n);
        let mut matrix = solid.elastic();
        let baked = factor(&matrix, &solid.points, Precision::Double).unwrap();
        let mut step = elimination(&matrix, &solid.points).unwrap();
        let (b, mut room) = (solid.load(3), Vec::new());
        step.refactor(&matrix).unwrap();
        let (mut x, mut want) = (b.clone(), b.clone());
        step.solve(&mut x, &mut room);
        baked.solve(&mut want, 1, &mut Fronts::default());
        assert!(residual(&matrix, &x, &b) < 1e-13);
        assert!(difference(&x, &want) < 1e-10);
        // Other numbers, the same pattern.
        (0..solid.points.len() as u32).for_each(|v| matrix.add_diagonal(v, 1e3 * f64::from(v % 7)));
        step.refactor(&matrix).unwrap();
        x.clone_from(&b);
        step.solve(&mut x, &mut room);
        assert!(residual(&matrix, &x, &b) < 1e-13);
    }
}

#[test]
fn sparse_sides_are_solved_along_their_paths() {
    let solid = Solid::lump(6);
    let matrix = solid.elastic();
    let mut step = elimination(&matrix, &solid.points).unwrap();
    step.refactor(&matrix).unwrap();
    let (mut lanes, mut random) = (Lanes::default(), noise(5));
    let (mut kept, mut runs): (Vec<Column>, Vec<Run>) = Default::default();
    for round in 0..3 {
        lanes.prepare(&step);
        let mut sides = vec![vec![0.0; 3 * solid.points.len()]; 8];
        for (lane, side) in sides.iter_mut().enumerate().skip(round) {
            for _ in 0..2 {
                let vertex = ((random() * 0.5 + 0.5) * solid.points.len() as Real) as usize;
                let numbers = [random(), random(), random()];
                lanes.add(&step, lane, vertex as u32, numbers);
                (0..3).for_each(|d| side[3 * vertex + d] += numbers[d]);
            }
        }
        kept.clear();
        runs.clear();
        lanes.forward(&step, &mut kept, &mut runs);
        assert!(kept.len() < step.unknowns());
        for (lane, side) in sides.iter().enumerate() {
            let mut want = Vec::new();
            step.bring(side, &mut want);
            step.forward(&mut want);
            for run in &runs {
                for u in run.from..run.to {
                    let got = kept[run.at + (u - run.from) as usize][lane];
                    assert!((got - want[u as usize]).abs() < 1e-12, "{got} {}", want[u as usize]);
                    want[u as usize] = 0.0;
                }
            }
            assert!(want.iter().all(|x| *x == 0.0));
        }
    }
}
