//! Solves that are made a part at a time, so that no step pays for the whole of one.

use super::kernel::Entry;
use super::{Factor, Pass, Values, Way};
use crate::Real;

/// Where the numbers of an unknown node stand in the fronts: its panel, and which number of it is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    panel: u32,
    number: u32,
}

/// A solve for unit loads that is under way. What it finds has the bits that [`Factor::solve`] finds: a panel reads the
/// fronts of its children or of its parent alone, and these come before it here as there.
#[derive(Clone, Debug, Default)]
pub struct Gradual {
    fronts: Vec<Real>,
    sides: usize,
    /// Panel and place in the fronts of each load, by panel.
    loads: Vec<(u32, usize)>,
    /// Loads that have been laid on.
    laid: usize,
    /// Panels gone through, on the way up and on the way down.
    done: usize,
}

impl Factor {
    /// Where each node stands; none where it is no unknown.
    pub fn spots(&self) -> Vec<Option<Spot>> {
        let mut spots = vec![None; self.nodes()];
        for (panel, p) in (0..).zip(&self.plan.panels) {
            for (k, node) in (0..).zip(&self.stored.order[p.start..p.start + p.columns]) {
                spots[*node as usize] = Some(Spot { panel, number: k * self.stored.width });
            }
        }
        spots
    }

    /// Begins a solve with a side for each of some unit loads: which number of which node. Allocates only where there are
    /// other numbers of sides than before.
    pub fn begin(&self, loads: impl Iterator<Item = (Spot, usize)> + Clone, work: &mut Gradual) {
        let sides = loads.clone().count();
        let numbers = self.plan.room * sides;
        if work.fronts.len() != numbers {
            // Left to the system to clear, as far as it is used.
            work.fronts = vec![0.0; numbers];
        }
        (work.sides, work.laid, work.done) = (sides, 0, 0);
        work.loads.clear();
        work.loads
            .extend(loads.enumerate().map(|(side, (spot, k))| (spot.panel, self.at(spot, side, sides) + k)));
        work.loads.sort_unstable();
    }

    /// Goes on with a solve while there are operations left, and takes those made from them; a panel is the least that is
    /// done. Whether the solve has ended.
    pub fn go_on(&self, work: &mut Gradual, operations: &mut usize) -> bool {
        let all = 2 * self.plan.panels.len();
        while work.done < all && *operations > 0 {
            let made = match &self.stored.values {
                Values::Single(values) => self.one(values, work),
                Values::Double(values) => self.one(values, work),
            };
            *operations = operations.saturating_sub(made);
        }
        work.done == all
    }

    /// What a solve that has ended found for a node and a side.
    pub fn found<'a>(&self, work: &'a Gradual, spot: Spot, side: usize) -> &'a [Real] {
        let at = self.at(spot, side, work.sides);
        &work.fronts[at..at + self.width()]
    }

    fn at(&self, spot: Spot, side: usize, sides: usize) -> usize {
        let panel = &self.plan.panels[spot.panel as usize];
        panel.front * sides + side * panel.room + spot.number as usize
    }

    /// The next panel; how many operations that took.
    fn one<S: Entry>(&self, values: &[S], work: &mut Gradual) -> usize {
        let Gradual { fronts, sides, loads, laid, done } = work;
        let (panels, pass) = (&self.plan.panels, Pass { factor: self, values, sides: *sides });
        let up = *done < panels.len();
        let s = if up { *done } else { 2 * panels.len() - 1 - *done };
        let (panel, range) = (&panels[s], [s as u32, s as u32 + 1]);
        let own = panel.front * *sides..(panel.front + panel.room) * *sides;
        if up {
            fronts[own.clone()].fill(0.0);
            while let Some((_, at)) = loads.get(*laid).filter(|(panel, _)| *panel as usize == s) {
                fronts[*at] = 1.0;
                *laid += 1;
            }
            pass.over(&range, fronts, 0, Way::Up);
        } else {
            pass.hand_down(s, fronts, 0);
            pass.over(&range, fronts, 0, Way::Down);
        }
        *done += 1;
        let columns = self.width() * panel.columns;
        let moved = |side: &[Real]| side[..columns].iter().any(|x| *x != 0.0);
        let entries =
            if fronts[own].chunks_exact(panel.room).any(moved) { panel.value_end - panel.value } else { 0 };
        (entries + panel.room) * *sides
    }
}
