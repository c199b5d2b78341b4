//! One vertex descends: what its body does to it is a quadratic, what its rows do is not.

use super::links::Contacts;
use crate::{Mat3, Real, Vec3};

/// Rounds of Newton's method at one vertex: one, unless a row begins or ceases to push on the way.
const ROUNDS: u32 = 3;
/// A step that raises the potential is halved at most so often, then given up.
const HALVINGS: u32 = 5;

/// A vertex as its body sees it: Φ changes by −force · d + ½ d · matrix d as it moves by d.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub force: Vec3,
    pub matrix: Mat3,
}

impl Local {
    /// How much Φ of the body changes \[J\].
    #[inline]
    pub fn change(&self, d: Vec3) -> Real {
        0.5 * d.dot(self.matrix * d) - d.dot(self.force)
    }
}

impl Contacts<'_> {
    /// Moves a vertex to where the potential of its body and of its rows is less, next to the minimum, with all else
    /// where it is; `change` says from all positions by how much that of its body changes, which `local` may only come near. Never raises the
    /// potential. Returns where it is now.
    #[inline]
    pub fn lower(&mut self, vertex: usize, local: &Local, change: impl Fn(&[Vec3], Vec3) -> Real) -> Vec3 {
        let here = self.pos[vertex];
        let links = self.links.of(vertex);
        let each = || links.iter().map(|link| (&self.touching[link.row as usize], link.weight));
        let mut start = (0.0, 0.0);
        for (row, _) in each() {
            let potential = row.potential(row.between(self.pos, self.pose));
            start = (start.0 + potential, start.1 + potential.abs());
        }
        let (mut d, mut phi, rounding) = (Vec3::ZERO, start.0, 1e-13 * start.1);
        for _ in 0..ROUNDS {
            let (mut force, mut matrix) = (local.force - local.matrix * d, local.matrix);
            for (row, weight) in each() {
                let answer = row.answer(row.between(self.pos, self.pose) + d * weight);
                force += answer.force * weight;
                matrix += answer.matrix * (weight * weight);
            }
            let step = matrix.inverse() * force;
            let mut share = 1.0;
            let mut better = None;
            for _ in 0..HALVINGS {
                let to = d + step * share;
                let rows: Real =
                    each().map(|(row, w)| row.potential(row.between(self.pos, self.pose) + to * w)).sum();
                let there = change(self.pos, to) + rows;
                if there <= phi + rounding {
                    better = Some((to, there));
                    break;
                }
                share *= 0.5;
            }
            let Some(found) = better else { break };
            (d, phi) = found;
            if share == 1.0 {
                break;
            }
        }
        self.pos[vertex] = here + d;
        self.pos[vertex]
    }
}
