//! Terms of one rank beside a factor (Sherman and Morrison).
//!
//! With K = A + Σ r g gᵀ, one after the other, K⁻¹ = A⁻¹ − Σ γ w wᵀ: w answers g by what is there before it, and
//! γ = r/(1 + r g·w). The factor of A stays sparse. All numbers of the correction are of w alone, so the paths of a row's
//! few vertices to the root of the tree stay short too.

use super::{Elimination, WIDTH};
use crate::Real;
use crate::algebra::BlockMatrix;

/// The terms of a matrix as a solve needs them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    terms: Vec<Term>,
    /// A vector in the order of elimination.
    room: Vec<Real>,
}

#[derive(Clone, Debug, Default)]
struct Term {
    /// w, over all vertices.
    answer: Vec<Real>,
    /// γ
    share: Real,
}

impl Ranks {
    /// Room for those of a matrix.
    pub fn of(matrix: &BlockMatrix<WIDTH>) -> Self {
        let term = || Term { answer: vec![0.0; WIDTH * matrix.vertices()], share: 0.0 };
        let terms: Vec<Term> = matrix.ranks().iter().map(|_| term()).collect();
        let room = Vec::with_capacity(if terms.is_empty() { 0 } else { WIDTH * matrix.free().len() });
        Self { terms, room }
    }
}

impl Elimination {
    /// How many terms of one rank the matrix has.
    pub fn ranks(&self) -> usize {
        self.ranks.terms.len()
    }

    /// The answer w of each term, over all vertices, and γ: K⁻¹ is that of the sparse part less Σ γ w wᵀ.
    pub fn answers(&self) -> impl Iterator<Item = (&[Real], Real)> {
        self.ranks.terms.iter().map(|term| (term.answer.as_slice(), term.share))
    }

    /// What the terms of one rank take from x · K⁻¹ x, which the sparse part alone would give.
    pub fn taken(&self, x: &[Real]) -> Real {
        self.answers().map(|(w, share)| share * dot(w, x) * dot(w, x)).sum()
    }

    /// The answers of a matrix just factored. Cost: a solve for each.
    pub(super) fn meet_ranks(&mut self, matrix: &BlockMatrix<WIDTH>) {
        let mut ranks = core::mem::take(&mut self.ranks);
        for (k, rank) in matrix.ranks().iter().enumerate() {
            let (known, rest) = ranks.terms.split_at_mut(k);
            let Some(term) = rest.first_mut() else { break };
            term.answer.fill(0.0);
            term.share = 0.0;
            if rank.rate() > 0.0 {
                rank.add_to(1.0, &mut term.answer);
                self.solve_with(known, &mut term.answer, &mut ranks.room);
                term.share = rank.rate() / (1.0 + rank.rate() * rank.along(&term.answer));
            }
        }
        self.ranks = ranks;
    }

    /// Solves in place; `x` is over all vertices, and stays as it is where they are not free. `room` is overwritten.
    ///
    /// Cost: 4 · entries operations; the factor is read from memory twice.
    pub fn solve(&self, x: &mut [Real], room: &mut Vec<Real>) {
        self.solve_with(&self.ranks.terms, x, room);
    }

    fn solve_with(&self, terms: &[Term], x: &mut [Real], room: &mut Vec<Real>) {
        self.bring(x, room);
        self.forward(room);
        self.backward(room);
        // w · K x₀ of the right-hand side: it must be taken before the answer overwrites it.
        for term in terms.iter().filter(|term| term.share > 0.0) {
            let pushed = term.share * dot(&term.answer, x);
            for (v, z) in self.order.iter().zip(room.chunks_exact_mut(WIDTH)) {
                let w = &term.answer[WIDTH * *v as usize..WIDTH * (*v as usize + 1)];
                (0..WIDTH).for_each(|d| z[d] -= pushed * w[d]);
            }
        }
        self.take_back(room, x);
    }
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
