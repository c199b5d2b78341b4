//! The oracle: Lemke's method on a dense complementarity problem, ties broken by lexicographic order, so that it ends.

use serosa_geometry::Real;

/// z ≥ 0 with M z + q ≥ 0 and z · (M z + q) = 0, M positive semidefinite; nothing where there is none.
pub fn lemke(m: &[Vec<Real>], q: &[Real]) -> Option<Vec<Real>> {
    let n = q.len();
    if q.iter().all(|q| *q >= 0.0) {
        return Some(vec![0.0; n]);
    }
    // Columns: w (n), z (n), z₀, q. Basis: which column each row is for.
    let row = |i: usize| {
        let mut row = vec![0.0; 2 * n + 2];
        row[i] = 1.0;
        (0..n).for_each(|j| row[n + j] = -m[i][j]);
        row[2 * n] = -1.0;
        row[2 * n + 1] = q[i];
        row
    };
    let mut table: Vec<Vec<Real>> = (0..n).map(row).collect();
    let mut basis: Vec<usize> = (0..n).collect();
    let start = (0..n).min_by(|a, b| q[*a].total_cmp(&q[*b]))?;
    pivot(&mut table, start, 2 * n);
    let mut entering = basis[start] + n;
    basis[start] = 2 * n;
    for _ in 0..100 * n + 1000 {
        let leave = (0..n).filter(|i| table[*i][entering] > 1e-9).min_by(|a, b| {
            let key = |i: usize, k: usize| table[i][k] / table[i][entering];
            let order = (0..=n).map(|k| if k == 0 { 2 * n + 1 } else { k - 1 });
            // z₀ leaves as soon as it may.
            let z0 = |i: usize| basis[i] != 2 * n;
            let close = |x: Real, y: Real| (x - y).abs() <= 1e-13 * (x.abs() + y.abs());
            if close(key(*a, 2 * n + 1), key(*b, 2 * n + 1)) && (!z0(*a) || !z0(*b)) {
                return z0(*a).cmp(&z0(*b));
            }
            order.map(|k| key(*a, k).total_cmp(&key(*b, k))).find(|o| o.is_ne()).unwrap_or(a.cmp(b))
        })?;
        let left = basis[leave];
        pivot(&mut table, leave, entering);
        basis[leave] = entering;
        if left == 2 * n {
            let mut z = vec![0.0; n];
            for (i, column) in basis.iter().enumerate() {
                if (n..2 * n).contains(column) {
                    z[column - n] = table[i][2 * n + 1].max(0.0);
                }
            }
            return Some(z);
        }
        entering = if left < n { left + n } else { left - n };
    }
    None
}

fn pivot(table: &mut [Vec<Real>], row: usize, column: usize) {
    let scale = 1.0 / table[row][column];
    table[row].iter_mut().for_each(|x| *x *= scale);
    let own = table[row].clone();
    for (i, other) in table.iter_mut().enumerate() {
        let factor = other[column];
        if i != row && factor != 0.0 {
            other.iter_mut().zip(&own).for_each(|(x, p)| *x -= factor * p);
        }
    }
}

#[test]
fn lemke_solves_a_known_problem() {
    let m = vec![vec![2.0, 1.0], vec![1.0, 2.0]];
    let z = lemke(&m, &[-5.0, -6.0]).unwrap();
    assert!((z[0] - 4.0 / 3.0).abs() < 1e-12 && (z[1] - 7.0 / 3.0).abs() < 1e-12, "{z:?}");
    assert_eq!(lemke(&m, &[1.0, -2.0]).unwrap(), [0.0, 1.0]);
}
