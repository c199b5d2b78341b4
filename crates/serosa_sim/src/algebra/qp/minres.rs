//! Minimal residuals: symmetric systems that need not be definite (Paige and Saunders 1975).

use crate::Real;

/// Vectors of an iteration; keeps its room.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// The solution.
    pub x: Vec<Real>,
    /// Orthonormal vectors: the one before, this, the next.
    v: [Vec<Real>; 3],
    /// Directions: the one before, this.
    w: [Vec<Real>; 2],
}

impl Room {
    /// Solves A x = b from x = 0 until the residual is `enough` of |b|, or for `most` products with A. Returns how many
    /// there were, and what is left of |b|.
    pub fn solve(
        &mut self,
        b: &[Real],
        enough: Real,
        most: usize,
        mut product: impl FnMut(&[Real], &mut [Real]),
    ) -> (usize, Real) {
        let n = b.len();
        for x in [&mut self.x].into_iter().chain(&mut self.v).chain(&mut self.w) {
            x.clear();
            x.resize(n, 0.0);
        }
        let length = dot(b, b).sqrt();
        if length <= 0.0 {
            return (0, 0.0);
        }
        self.v[1].iter_mut().zip(b).for_each(|(v, b)| *v = b / length);
        // Rotations: the last but one, the last.
        let mut turns = [[1.0, 0.0]; 2];
        let (mut beta, mut left) = (0.0, length);
        for count in 1..=most {
            let [before, now, next] = &mut self.v;
            product(now, next);
            let alpha = dot(now, next);
            for ((next, now), before) in next.iter_mut().zip(&*now).zip(&*before) {
                *next -= alpha * now + beta * before;
            }
            let norm = dot(next, next).sqrt();
            let [[c0, s0], [c1, s1]] = turns;
            let diagonal = c1 * alpha - c0 * s1 * beta;
            let root = (diagonal * diagonal + norm * norm).sqrt();
            if root <= 0.0 {
                return (count, left / length);
            }
            let (above, far) = (s1 * alpha + c0 * c1 * beta, s0 * beta);
            turns = [[c1, s1], [diagonal / root, norm / root]];
            let [older, old] = &mut self.w;
            for (((older, old), now), x) in older.iter_mut().zip(&*old).zip(&*now).zip(&mut self.x) {
                *older = (now - far * *older - above * old) / root;
                *x += turns[1][0] * left * *older;
            }
            self.w.swap(0, 1);
            left *= -turns[1][1];
            if left.abs() <= enough * length || norm <= 0.0 {
                return (count, left.abs() / length);
            }
            next.iter_mut().for_each(|v| *v /= norm);
            self.v.rotate_left(1);
            beta = norm;
        }
        (most, left.abs() / length)
    }
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_indefinite_system_is_solved() {
        // Eigenvalues of both signs: conjugate gradients would divide by what may be zero.
        let matrix =
            [[2.0, 1.0, 0.0, -1.0], [1.0, 3.0, 0.5, -2.0], [0.0, 0.5, -1.0, 0.3], [-1.0, -2.0, 0.3, -1e-3]];
        let want = [1.0, -2.0, 3.0, 0.5];
        let b = matrix.map(|row| dot(&row, &want));
        let mut room = Room::default();
        let (count, left) = room.solve(&b, 1e-13, 10, |x, y| {
            y.iter_mut().zip(&matrix).for_each(|(y, row)| *y = dot(row, x));
        });
        assert!(count <= 5 && left < 1e-12, "{count} {left}");
        assert!(room.x.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-10), "{:?}", room.x);
        assert_eq!(room.solve(&[0.0; 2], 1e-9, 10, |_, _| ()), (0, 0.0));
    }
}
