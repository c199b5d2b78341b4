//! How far a step is from where more passes would take it.
//!
//! Cycles of passes that converge by a ratio ρ leave ρ / (1 − ρ) of what the last one changed (Aitken 1926); ρ is negative where
//! they swing about. It is read off the last two cycles, of places and of the forces on hands apart. What earlier steps have left
//! is in it: a step that begins behind has the farther to go.

use crate::body::Substep;
use crate::report::Estimate;
use crate::scratch::Scratch;
use crate::{Real, Vec3};

/// The slowest convergence that is believed, and that of a single cycle, which tells nothing of it.
const SLOWEST: Real = 0.95;
const UNKNOWN: Real = 0.9;
/// What is left, of the last change, where it swings about more than the one before.
const RESTLESS: Real = 3.0;

/// Passes of a cycle: solids are corrected in one of them.
const CYCLE: u32 = 2;

/// What the last passes changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passes {
    /// How many moments are known.
    known: u32,
    /// Positions before the last cycle and before the one before it \[m\]; before the last two passes where there are not so many.
    before: [Vec<Vec3>; 2],
    /// The same of what hands pull with, one for each tool \[N\].
    pulls: [Vec<Vec3>; 2],
    /// What hands pull with now.
    pull: Vec<Vec3>,
    /// Positions before the last pass \[m\].
    last: Vec<Vec3>,
}

impl Passes {
    /// At the start of the passes of a substep.
    pub fn clear(&mut self) {
        self.known = 0;
    }
}

/// Before a pass of so many: where everything is, if that will matter. O(vertices) in four of them.
pub(super) fn before(sub: &Substep, scratch: &mut Scratch, (pass, passes): (u32, u32)) {
    let left = passes.saturating_sub(pass);
    if left <= 1 {
        let Scratch { passes, pos, .. } = scratch;
        passes.last.clone_from(pos);
    }
    let apart = if passes >= 2 * CYCLE { CYCLE } else { 1 };
    if left == 0 || left > 2 * apart || !left.is_multiple_of(apart) {
        return;
    }
    let Scratch { passes, pos, .. } = scratch;
    passes.known += 1;
    passes.before.swap(0, 1);
    passes.before[0].clone_from(pos);
    look(sub, scratch);
    let Passes { pulls, pull, .. } = &mut scratch.passes;
    pulls.swap(0, 1);
    pulls[0].clone_from(pull);
}

/// What hands pull with, but for what does not change in a substep.
fn look(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { passes, pose, .. } = scratch;
    passes.pull.clear();
    passes.pull.extend(sub.model.tools.iter().zip(&sub.params.couplings).map(|(tool, coupling)| {
        let rigid = &sub.model.rigids[tool.rigid.at()];
        pose[tool.rigid.at()].pos * -(coupling.stiffness + coupling.damping_of(rigid.mass) / sub.h)
    }));
}

/// What more passes would change, and how far the last one moved something \[m\]. O(vertices).
pub(super) fn after(sub: &Substep, scratch: &mut Scratch) -> (Estimate, Real) {
    look(sub, scratch);
    let Scratch { passes: Passes { known, before, pulls, pull, last }, pos, .. } = scratch;
    let older = usize::from(*known > 1);
    let position_m = left(pos, [&before[0], &before[older]]);
    let force_n = left(pull, [&pulls[0], &pulls[older]]);
    let moved = last.iter().zip(pos).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max);
    (Estimate { position_m, force_n }, moved)
}

/// What is left where something is now, was before the last cycle, and before the one before it. The older may be the last:
/// then nobody knows how it converges.
fn left(now: &[Vec3], [last, older]: [&[Vec3]; 2]) -> Real {
    let (mut along, mut square, mut most) = (0.0, 0.0, 0.0);
    for ((now, last), older) in now.iter().zip(last).zip(older) {
        let (here, there) = (*now - *last, *last - *older);
        along += here.dot(there);
        square += there.length_squared();
        most = here.length().max(most);
    }
    let ratio = along / square;
    let left = if square == 0.0 {
        // Nothing moved before the last pass, or there was none.
        UNKNOWN / (1.0 - UNKNOWN)
    } else if ratio <= -1.0 {
        RESTLESS
    } else {
        let ratio = ratio.min(SLOWEST);
        (ratio / (1.0 - ratio)).abs()
    };
    most * left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_passes_are_known_exactly() {
        for ratio in [-0.7, 0.1, 0.5, 0.9] {
            // Two things on their way to 0, one ten times as far.
            let at = |n: i32| {
                [Vec3::X * libm::pow(ratio, f64::from(n)), Vec3::Y * (10.0 * libm::pow(ratio, f64::from(n)))]
            };
            let (found, exact) = (left(&at(4), [&at(3), &at(2)]), at(4)[1].length());
            assert!((found - exact).abs() < 1e-9, "{found} {exact}");
        }
        assert_eq!(left(&[Vec3::X], [&[Vec3::X], &[Vec3::X]]), 0.0, "nothing moves");
        let single = left(&[Vec3::X], [&[Vec3::ZERO], &[Vec3::ZERO]]);
        assert!((single - 9.0).abs() < 1e-12, "one pass tells little: {single}");
    }
}
