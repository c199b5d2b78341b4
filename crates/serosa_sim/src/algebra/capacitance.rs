//! Contact of a body whose compliance is known: the capacitance of the nodes that are touched.
//!
//! A body that gives way by W f to forces f on some of its nodes, and is to be displaced there, needs the forces
//! W⁻¹ (wanted − free): the update of Sherman, Morrison and Woodbury, as James and Pai (1999) use it. What is touched can
//! only be pushed: 0 ≤ f ⊥ gap + W f ≥ 0, found by an active set (Lawson and Hanson) whose factor gains and loses one
//! row at a time.

use crate::Real;

/// A row whose pivot keeps less of its diagonal entry says what others say already.
const PIVOT_LEAST: Real = 1e-13;
/// Gaps down to this part of the deepest are closed.
const CLOSED: Real = 1e-13;

/// The factor of some rows and columns of a compliance. Keeps its room.
#[derive(Clone, Debug, Default)]
pub struct Capacitance {
    /// Rows of the lower triangle of W = L Lᵀ, one after the other.
    factor: Vec<Real>,
    /// Which rows of W they are.
    active: Vec<usize>,
    /// Forces at which all active gaps are closed.
    closing: Vec<Real>,
}

/// How a contact was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// Rows that joined or left the active set.
    pub updates: u32,
    /// Whether no gap is left open that should be closed.
    pub settled: bool,
}

/// Where row `i` of a packed lower triangle begins.
#[inline]
const fn row(i: usize) -> usize {
    i * (i + 1) / 2
}

impl Capacitance {
    /// Forces that displace all nodes by what is wanted, pushing or pulling: W f = wanted. `w` is n × n by rows, symmetric and
    /// positive definite. False where it is not. O(n³).
    pub fn displace(&mut self, w: &[Real], wanted: &[Real], forces: &mut Vec<Real>) -> bool {
        let n = wanted.len();
        self.clear();
        let whole = (0..n).all(|i| self.join(w, n, i));
        forces.clear();
        forces.extend_from_slice(wanted);
        if whole {
            self.solve(forces);
        }
        whole
    }

    /// Forces that keep all gaps open or closed: 0 ≤ f ⊥ gap + W f ≥ 0. Begins with the nodes that `forces` pushes.
    ///
    /// O(n²) for each node that joins or leaves; each leaves a lower energy ½ f·W f + f·gap, so none comes twice.
    pub fn push(&mut self, w: &[Real], gaps: &[Real], forces: &mut [Real]) -> Pushed {
        let n = gaps.len();
        self.clear();
        for (i, force) in forces.iter_mut().enumerate().take(n) {
            if !(*force > 0.0 && self.join(w, n, i)) {
                *force = 0.0;
            }
        }
        let least = -CLOSED * gaps.iter().fold(0.0, |most: Real, g| most.max(g.abs()));
        let mut pushed = Pushed { updates: 0, settled: false };
        let mut barred = None;
        // Far more than any contact needs: rounding cannot make it endless.
        while pushed.updates < 20 * n as u32 + 20 {
            self.descend(gaps, forces, &mut pushed);
            let open = |i: usize| {
                let reached = self.active.iter().map(|j| w[i * n + j] * forces[*j]).sum::<Real>();
                (i, gaps[i] + reached)
            };
            let outside = (0..n).filter(|i| Some(*i) != barred && !self.active.contains(i)).map(open);
            let deepest = outside.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, gap)| *gap < least);
            let Some((i, _)) = deepest else {
                pushed.settled = barred.is_none_or(|i| open(i).1 >= 1e4 * least);
                return pushed;
            };
            // What depends on the others closes with them, or not at all.
            barred = if self.join(w, n, i) { None } else { Some(i) };
            pushed.updates += 1;
        }
        pushed
    }

    /// Goes to where all active gaps are closed; what would have to pull on the way leaves.
    fn descend(&mut self, gaps: &[Real], forces: &mut [Real], pushed: &mut Pushed) {
        loop {
            let mut closing = std::mem::take(&mut self.closing);
            closing.clear();
            closing.extend(self.active.iter().map(|i| -gaps[*i]));
            self.solve(&mut closing);
            let mut first: Option<(usize, Real)> = None;
            for (k, (i, to)) in self.active.iter().zip(&closing).enumerate() {
                if *to <= 0.0 {
                    let share = if forces[*i] > 0.0 { forces[*i] / (forces[*i] - to) } else { 0.0 };
                    first = first.filter(|f| f.1 <= share).or(Some((k, share)));
                }
            }
            let share = first.map_or(1.0, |f| f.1);
            for (i, to) in self.active.iter().zip(&closing) {
                forces[*i] += share * (to - forces[*i]);
            }
            self.closing = closing;
            let Some((k, _)) = first else { return };
            forces[self.active[k]] = 0.0;
            self.leave(k);
            pushed.updates += 1;
        }
    }

    fn clear(&mut self) {
        self.factor.clear();
        self.active.clear();
    }

    /// Appends a row of W to the factor; false where it depends on those that are there. O(k²).
    fn join(&mut self, w: &[Real], n: usize, i: usize) -> bool {
        let k = self.active.len();
        let start = self.factor.len();
        for (a, j) in self.active.iter().enumerate() {
            let (done, own) = self.factor.split_at(start);
            let before = &done[row(a)..row(a) + a];
            let rest: Real = before.iter().zip(own).map(|(l, y)| l * y).sum();
            let value = (w[i * n + j] - rest) / done[row(a) + a];
            self.factor.push(value);
        }
        let taken: Real = self.factor[start..].iter().map(|y| y * y).sum();
        let (whole, pivot) = (w[i * n + i], w[i * n + i] - taken);
        if !(pivot > PIVOT_LEAST * whole && pivot.is_finite()) {
            self.factor.truncate(start);
            return false;
        }
        self.factor.push(pivot.sqrt());
        self.active.push(i);
        debug_assert_eq!(self.factor.len(), row(k + 1));
        true
    }

    /// Takes row k out of the factor: those below move up, and turns of neighbouring columns make them a triangle again.
    /// O(k²).
    fn leave(&mut self, k: usize) {
        let n = self.active.len();
        self.active.remove(k);
        for i in k + 1..n {
            // Columns from k on have one entry too many: a turn of columns j and j + 1 takes it away in row j + 1.
            let j = i - 1;
            let (a, b) = (self.factor[row(i) + j], self.factor[row(i) + i]);
            let size = (a * a + b * b).sqrt();
            let (c, s) = (a / size, b / size);
            for r in i..n {
                let (x, y) = (self.factor[row(r) + j], self.factor[row(r) + j + 1]);
                self.factor[row(r) + j] = c * x + s * y;
                self.factor[row(r) + j + 1] = c * y - s * x;
            }
        }
        for i in k + 1..n {
            self.factor.copy_within(row(i)..row(i) + i, row(i - 1));
        }
        self.factor.truncate(row(n - 1));
    }

    /// Solves with the factor, in place. O(k²).
    fn solve(&self, x: &mut [Real]) {
        let n = self.active.len();
        for i in 0..n {
            let own = &self.factor[row(i)..row(i) + i + 1];
            let before: Real = own.iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - before) / own[i];
        }
        for i in (0..n).rev() {
            let own = &self.factor[row(i)..row(i) + i + 1];
            x[i] /= own[i];
            let value = x[i];
            x.iter_mut().zip(&own[..i]).for_each(|(x, l)| *x -= l * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    /// Symmetric and positive definite, with neighbours that pull one another along.
    fn compliance(n: usize, seed: &mut u64) -> Vec<Real> {
        let b: Vec<Real> = (0..n * n).map(|_| some(seed)).collect();
        let mut w = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let smooth = 1.0 / (1.0 + 0.3 * i.abs_diff(j) as Real);
                let rough: Real = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
                w[i * n + j] = smooth + 0.1 * rough / n as Real + if i == j { 0.05 } else { 0.0 };
            }
        }
        w
    }

    fn reached(w: &[Real], f: &[Real], i: usize) -> Real {
        w[i * f.len()..][..f.len()].iter().zip(f).map(|(w, f)| w * f).sum()
    }

    #[test]
    fn displacements_are_reached_and_singular_ones_refused() {
        let (n, mut seed) = (40, 1);
        let w = compliance(n, &mut seed);
        let wanted: Vec<Real> = (0..n).map(|_| some(&mut seed)).collect();
        let (mut capacitance, mut forces) = (Capacitance::default(), Vec::new());
        assert!(capacitance.displace(&w, &wanted, &mut forces));
        assert!((0..n).all(|i| (reached(&w, &forces, i) - wanted[i]).abs() < 1e-10));
        assert!(!capacitance.displace(&[1.0, 1.0, 1.0, 1.0], &[1.0, 1.0], &mut forces));
        assert!(
            !capacitance.displace(&[1.0, 1.0, 1.0, 1.0 + 1e-14], &[1.0, 1.0], &mut forces),
            "but for rounding"
        );
    }

    #[test]
    fn contacts_push_never_pull_and_leave_no_overlap() {
        let mut capacitance = Capacitance::default();
        for round in 0..300 {
            let mut seed = round;
            let n = 1 + round as usize % 50;
            let w = compliance(n, &mut seed);
            let gaps: Vec<Real> = (0..n).map(|_| some(&mut seed) + 0.1).collect();
            // Cold, then from a start that is all wrong: the answer is one.
            let (mut cold, mut warm) = (vec![0.0; n], vec![1.0; n]);
            for forces in [&mut cold, &mut warm] {
                let pushed = capacitance.push(&w, &gaps, forces);
                assert!(pushed.settled, "{round}: {pushed:?}");
                for i in 0..n {
                    let gap = gaps[i] + reached(&w, forces, i);
                    assert!(forces[i] >= 0.0 && gap > -1e-10, "{round}: {} {gap}", forces[i]);
                    assert!(forces[i] * gap < 1e-9, "{round}: {} at {gap}", forces[i]);
                }
            }
            assert!(cold.iter().zip(&warm).all(|(a, b)| (a - b).abs() < 1e-8), "{round}");
        }
    }

    #[test]
    fn a_factor_that_lost_rows_is_the_factor_of_the_rest() {
        let (n, mut seed) = (30, 7);
        let w = compliance(n, &mut seed);
        let mut capacitance = Capacitance::default();
        assert!((0..n).all(|i| capacitance.join(&w, n, i)));
        for k in [29, 0, 13, 13, 5, 20] {
            capacitance.leave(k);
        }
        let mut anew = Capacitance::default();
        assert!(capacitance.active.clone().iter().all(|i| anew.join(&w, n, *i)));
        let same = capacitance.factor.iter().zip(&anew.factor).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(same && capacitance.factor.len() == anew.factor.len());
    }

    #[test]
    fn what_says_the_same_twice_is_pushed_once() {
        let w = [1.0, 1.0, 1.0, 1.0];
        for start in [0.0, 0.4] {
            let mut forces = [start; 2];
            assert!(Capacitance::default().push(&w, &[-1.0, -1.0], &mut forces).settled);
            assert!((forces[0] + forces[1] - 1.0).abs() < 1e-12 && forces[0] * forces[1] == 0.0);
        }
    }
}
