//! How far a step is from where more passes would take it.
//!
//! Forces on hands swing about what they come to: rows learn while bodies follow, and solids are corrected in every other pass.
//! So the changes of the last passes are read as those of something that swings and dies away, c″ = α c′ + β c; all that would
//! follow adds up to ((α + β) c′ + β c) / (1 − α − β). That is believed as far as it is like what the last cycle of passes
//! changed; where there are too few passes, as much is left as a usual convergence leaves. Places do not swing: cycles
//! that shrink by a ratio ρ leave ρ / (1 − ρ) of the last one, and what is slowest is seen last.
//!
//! A gauge of one substep: what earlier ones left is in forces, since elastic bodies forget where they were, but not in places,
//! where friction keeps it.

use crate::body::Substep;
use crate::report::Estimate;
use crate::scratch::Scratch;
use crate::{Real, Vec3};

/// Passes of a cycle: solids are corrected in one of them.
const CYCLE: usize = 2;
/// Moments at which forces are looked at, the last ones; the first pass begins where nothing is known, and tells nothing.
const LOOKS: usize = 5;
/// What is left of the force that the last pass changed, where there are too few of them, and of that of a cycle.
const FEW: Real = 2.0 / 3.0;
const USUAL: Real = 1.0;
/// What may be left, of the last cycle.
const BOUNDS: [Real; 2] = [0.2, 2.0];
/// The ratios by which cycles of places converge: not below the first, which is believed of a single pass.
const RATIOS: [Real; 2] = [0.7, 0.9];

/// What the last passes changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passes {
    /// Passes that have begun.
    begun: usize,
    /// What hands pull with before each of the last passes and now, one for each tool, the latest first \[N\].
    pulls: [Vec<Vec3>; LOOKS],
    /// Moments at which positions are known.
    known: usize,
    /// Positions before the last cycle and before the one before it \[m\].
    before: [Vec<Vec3>; 2],
    /// Positions before the last pass \[m\].
    last: Vec<Vec3>,
}

impl Passes {
    /// At the start of the passes of a substep.
    pub fn clear(&mut self) {
        (self.begun, self.known) = (0, 0);
    }
}

/// Before a pass of so many: where everything is, if that will matter. O(tools), and O(vertices) in three of them.
pub(super) fn before(sub: &Substep, scratch: &mut Scratch, (pass, passes): (u32, u32)) {
    look(sub, scratch);
    let Scratch { passes: Passes { begun, known, before, last, .. }, pos, .. } = scratch;
    *begun += 1;
    let left = passes.saturating_sub(pass) as usize;
    if left <= 1 {
        last.clone_from(pos);
    }
    if left == CYCLE || left == 2 * CYCLE {
        *known += 1;
        before.swap(0, 1);
        before[0].clone_from(pos);
    }
}

/// What hands pull with, but for what does not change in a substep.
fn look(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { passes: Passes { pulls, .. }, pose, .. } = scratch;
    pulls.rotate_right(1);
    pulls[0].clear();
    pulls[0].extend(sub.model.tools.iter().zip(&sub.params.couplings).map(|(tool, coupling)| {
        let rigid = &sub.model.rigids[tool.rigid.at()];
        pose[tool.rigid.at()].pos * -(coupling.stiffness + coupling.damping_of(rigid.mass) / sub.h)
    }));
}

/// What more passes would change, and how far the last one moved something \[m\]. O(vertices).
pub(super) fn after(sub: &Substep, scratch: &mut Scratch) -> (Estimate, Real) {
    look(sub, scratch);
    let Scratch { passes: Passes { begun, pulls, known, before, last }, pos, .. } = scratch;
    let moved = farthest(last, pos);
    let position_m = match *known {
        2.. => fades(farthest(&before[0], pos), farthest(&before[1], &before[0])),
        _ => fades(moved, 0.0),
    };
    (Estimate { position_m, force_n: swings(pulls, *begun) }, moved)
}

/// The largest distance between two states.
fn farthest(from: &[Vec3], to: &[Vec3]) -> Real {
    from.iter().zip(to).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max)
}

/// What is left of something that shrinks with every cycle, of which the last two are known; of the older nothing, perhaps.
fn fades(last: Real, older: Real) -> Real {
    let [least, most] = RATIOS;
    let ratio = if older > 0.0 { (last / older).clamp(least, most) } else { least };
    last * (ratio / (1.0 - ratio))
}

/// What is left of something that swings, so many passes after its start: the latest first.
fn swings(at: &[Vec<Vec3>; LOOKS], passes: usize) -> Real {
    let change = |k: usize| at[k].iter().zip(&at[k + 1]).map(|(now, before)| *now - *before);
    let largest = |ways: &mut dyn Iterator<Item = Vec3>| ways.map(|w| w.length()).fold(0.0, Real::max);
    if passes < 2 * CYCLE {
        return FEW * if passes == 0 { 0.0 } else { largest(&mut change(0)) };
    }
    let cycle = largest(&mut change(0).zip(change(1)).map(|(a, b)| a + b));
    if passes < LOOKS {
        return USUAL * cycle;
    }
    // Least squares of c″ = α c′ + β c, in relative terms, since later changes are small.
    let (mut cc, mut cd, mut dd, mut ce, mut de) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for k in 0..LOOKS - 3 {
        let three = || change(k).zip(change(k + 1)).zip(change(k + 2));
        let scale: Real = three().map(|((_, d), c)| d.length_squared() + c.length_squared()).sum();
        let per = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        for ((e, d), c) in three() {
            cc += per * c.dot(c);
            cd += per * c.dot(d);
            dd += per * d.dot(d);
            ce += per * c.dot(e);
            de += per * d.dot(e);
        }
    }
    let det = cc * dd - cd * cd;
    let (alpha, beta) = ((de * cc - ce * cd) / det, (dd * ce - cd * de) / det);
    let rest = 1.0 - alpha - beta;
    let dies = det > 1e-9 * (cc + dd) * (cc + dd) && beta.abs() < 1.0 && rest > 0.05;
    if !dies {
        return if det > 0.0 { BOUNDS[1] * cycle } else { USUAL * cycle };
    }
    let left = largest(&mut change(0).zip(change(1)).map(|(d, c)| (d * (alpha + beta) + c * beta) / rest));
    left.clamp(BOUNDS[0] * cycle, BOUNDS[1] * cycle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hands, one ten times as strong, at the last of so many passes.
    fn hands(at: impl Fn(usize) -> Real, pass: usize) -> [Vec<Vec3>; LOOKS] {
        std::array::from_fn(|k| {
            let x = pass.checked_sub(k).map_or(0.0, &at);
            vec![Vec3::X * x, Vec3::Y * (10.0 * x)]
        })
    }

    #[test]
    fn what_swings_and_dies_away_is_known_exactly() {
        for (decay, turn) in [(0.7, 0.9), (0.5, 1.3), (0.75, 0.7)] {
            let at = |n: usize| libm::pow(decay, n as Real) * libm::cos(turn * n as Real);
            for pass in 5..12 {
                let (found, exact) = (swings(&hands(at, pass), pass), 10.0 * at(pass).abs());
                let cycle = 10.0 * (at(pass) - at(pass - 2)).abs();
                let exact = exact.clamp(BOUNDS[0] * cycle, BOUNDS[1] * cycle);
                assert!((found - exact).abs() < 1e-9 * cycle, "{decay} {turn} {pass}: {found} {exact}");
            }
        }
    }

    #[test]
    fn few_passes_and_such_that_change_nothing_are_told_as_what_they_are() {
        let at = |n: usize| libm::pow(0.5, n as Real);
        assert_eq!(swings(&hands(at, 0), 0), 0.0, "no pass was made");
        assert!((swings(&hands(at, 2), 2) - 10.0 * 0.25 * FEW).abs() < 1e-12);
        assert!((swings(&hands(at, 4), 4) - 10.0 * (at(2) - at(4))).abs() < 1e-12);
        for passes in 0..9 {
            assert_eq!(swings(&hands(|_| 3.0, 9), passes), 0.0, "nothing changes");
        }
        assert!(swings(&hands(|n| n as Real * n as Real, 9), 9).is_finite(), "what grows is bounded");
    }

    #[test]
    fn cycles_that_shrink_leave_a_geometric_rest() {
        assert!((fades(0.8, 1.0) - 3.2).abs() < 1e-12);
        assert_eq!((fades(1.0, 0.0), fades(0.1, 1.0)), (fades(1.0, 1.0 / 0.7), fades(0.1, 0.1 / 0.7)));
        assert_eq!(fades(0.0, 0.0), 0.0, "nothing moves");
        assert!((fades(2.0, 1.0) - 18.0).abs() < 1e-9, "what does not shrink is bounded");
    }
}
