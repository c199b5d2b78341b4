use super::*;

/// The arrow [[4, 0, 2], [0, 9, 3], [2, 3, 6]] as three panels: two leaves and what joins them.
/// Its factor has columns (2, 0, 1), (0, 3, 1), (0, 0, 2).
fn arrow(precision: Precision) -> Factor {
    let panels = [
        RawPanel { columns: 1, tail: &[2], values: &[2.0, 1.0] },
        RawPanel { columns: 1, tail: &[2], values: &[3.0, 1.0] },
        RawPanel { columns: 1, tail: &[], values: &[2.0] },
    ];
    Factor::new(1, 4, vec![3, 0, 2], panels.into_iter(), precision).unwrap()
}

fn spoiled(spoil: impl FnOnce(&mut Stored)) -> Unsound {
    let mut stored = arrow(Precision::Double).stored;
    spoil(&mut stored);
    Factor::try_from(stored).unwrap_err()
}

#[test]
fn an_arrow_is_solved_and_what_is_no_unknown_stays() {
    for precision in [Precision::Single, Precision::Double] {
        // Node 3 is eliminated first, then 0, then 2; node 1 is none of them. A · (1, 2, 3) = (10, 27, 26).
        let mut x = vec![27.0, 7.0, 26.0, 10.0];
        arrow(precision).solve(&mut x, 1, &mut Fronts::default());
        let error = [2.0, 7.0, 3.0, 1.0].iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
        assert!(error < 1e-6, "{x:?}");
    }
}

#[test]
fn groups_of_every_width_solve_a_dense_panel() {
    for n in 1..30 {
        // L has 2 on its diagonal and (i − j) / 10 below it.
        let l = |i: usize, j: usize| if i == j { 2.0 } else { (i - j) as Real / 10.0 };
        let values: Vec<Real> =
            (0..n * n).map(|k| if k % n < k / n { Real::NAN } else { l(k % n, k / n) }).collect();
        let panel = RawPanel { columns: n, tail: &[], values: &values };
        let order = (0..n as u32).collect();
        let factor = Factor::new(1, n, order, [panel].into_iter(), Precision::Double).unwrap();
        let entry = |i: usize, j: usize| (0..=i.min(j)).map(|k| l(i, k) * l(j, k)).sum::<Real>();
        let want: Vec<Real> = (0..n).map(|k| 1.0 + k as Real * 0.5).collect();
        let mut x: Vec<Real> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * want[j]).sum()).collect();
        factor.solve(&mut x, 1, &mut Fronts::default());
        let error = want.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
        assert!(error < 1e-9, "{n}: {error}");
    }
}

/// To the last bit, whatever the parts are.
#[test]
fn a_solve_in_parts_finds_what_a_solve_finds() {
    let factor = arrow(Precision::Single);
    let spots = factor.spots();
    assert!(spots[1].is_none(), "no unknown");
    let nodes = [2, 0, 3];
    let mut x = vec![0.0; 4 * nodes.len()];
    nodes.iter().enumerate().for_each(|(side, node)| x[node * nodes.len() + side] = 1.0);
    factor.solve(&mut x, nodes.len(), &mut Fronts::default());
    let mut work = Gradual::default();
    for part in [1, 60, usize::MAX] {
        factor.begin(nodes.iter().map(|node| (spots[*node].unwrap(), 0)), &mut work);
        let mut parts = 1;
        while !factor.go_on(&mut work, &mut part.clone()) {
            parts += 1;
        }
        assert!(if part == 1 { parts == 6 } else { parts < 6 }, "{parts} parts");
        for (side, node) in (0..nodes.len()).flat_map(|side| nodes.map(|node| (side, node))) {
            let found = factor.found(&work, spots[node].unwrap(), side)[0];
            assert_eq!(found.to_bits(), x[node * nodes.len() + side].to_bits(), "{node} {side}");
        }
    }
}

#[test]
fn unsound_factors_are_refused() {
    assert_eq!(spoiled(|s| s.order[0] = 4), Unsound::Shape, "a node that is not there");
    assert_eq!(spoiled(|s| s.order[0] = 0), Unsound::Shape, "a node twice");
    assert_eq!(spoiled(|s| s.nodes = 2), Unsound::Shape);
    assert_eq!(spoiled(|s| s.width = 0), Unsound::Shape);
    assert_eq!(spoiled(|s| s.width = u32::MAX), Unsound::Shape);
    assert_eq!(spoiled(|s| s.sizes[0] = [u32::MAX, u32::MAX]), Unsound::Shape);
    assert_eq!(spoiled(|s| s.sizes[0] = [0, 1]), Unsound::Shape);
    assert_eq!(spoiled(|s| s.sizes.truncate(2)), Unsound::Shape);
    assert_eq!(spoiled(|s| s.tails[0] = 0), Unsound::Shape, "an earlier place");
    assert_eq!(spoiled(|s| s.tails[0] = 9), Unsound::Shape);
    assert_eq!(spoiled(|s| s.values = Values::Single(vec![1.0; 3])), Unsound::Shape);
    let zero = |s: &mut Stored| {
        s.values = match &s.values {
            Values::Double(all) => Values::Double(vec![0.0; all.len()]),
            Values::Single(all) => Values::Single(vec![0.0; all.len()]),
        };
    };
    assert_eq!(spoiled(zero), Unsound::Pivot);
    // Two leaves whose ancestors stand between them and each other: no subtree is a range.
    let crossed = [
        RawPanel { columns: 1, tail: &[2], values: &[1.0, 0.0] },
        RawPanel { columns: 1, tail: &[3], values: &[1.0, 0.0] },
        RawPanel { columns: 1, tail: &[], values: &[1.0] },
        RawPanel { columns: 1, tail: &[], values: &[1.0] },
    ];
    let order = vec![0, 1, 2, 3];
    assert_eq!(Factor::new(1, 4, order, crossed.into_iter(), Precision::Double), Err(Unsound::Tree));
    // A panel that touches what its parent does not.
    let loose = [
        RawPanel { columns: 1, tail: &[1, 2], values: &[1.0, 0.0, 0.0] },
        RawPanel { columns: 1, tail: &[], values: &[1.0] },
        RawPanel { columns: 1, tail: &[], values: &[1.0] },
    ];
    assert_eq!(Factor::new(1, 3, vec![0, 1, 2], loose.into_iter(), Precision::Double), Err(Unsound::Tree));
}
