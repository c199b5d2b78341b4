//! What follows from the pattern of a factor: the tree of its panels, who gathers from whom, what goes to threads.

use super::{Factor, Stored, Values, kernel};
use crate::Real;

/// No panel.
pub(super) const NONE: u32 = u32::MAX;
/// Subtrees of at most this share of all entries go to one thread: small enough to be spread evenly over a few
/// threads, large enough that what joins them, which one thread does, is little.
const SHARES: usize = 8;
/// Factors of fewer entries are solved by one thread: handing work over would cost more than it saves.
const SMALL: usize = 200_000;
/// No solve needs more room than that \[numbers\].
const ROOM_MAX: usize = 1 << 36;

/// Why panels do not make a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsound {
    /// Sizes, places or numbers of entries disagree.
    Shape,
    /// A panel does not stand behind its whole subtree, or touches what its parent does not.
    Tree,
    /// A pivot is not positive and finite.
    Pivot,
}

impl core::fmt::Display for Unsound {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        f.write_str(match self {
            Self::Shape => "a factor whose sizes disagree",
            Self::Tree => "a factor whose panels are no tree",
            Self::Pivot => "a factor with a pivot that is not positive and finite",
        })
    }
}

/// What follows from the pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub panels: Vec<Panel>,
    /// For each entry of the tails, its place in the front of the parent.
    pub places: Vec<u32>,
    /// Independent subtrees for threads, as ranges of panels, ascending.
    pub subtrees: Vec<[u32; 2]>,
    /// The panels behind them, one range each.
    pub joints: Vec<[u32; 2]>,
    /// Numbers of all fronts together, for one side.
    pub room: usize,
}

/// A panel and its place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    /// First place that is its own.
    pub start: usize,
    /// How many are.
    pub columns: usize,
    /// Where its tail begins, and how long it is.
    pub tail: usize,
    pub rows: usize,
    /// Where its entries begin and end.
    pub value: usize,
    pub value_end: usize,
    /// Where its front begins, for one side.
    pub front: usize,
    /// Numbers in it that mean something, and all.
    pub height: usize,
    pub room: usize,
    pub parent: u32,
    pub first_child: u32,
    /// The next child of its parent.
    pub sibling: u32,
}

impl TryFrom<Stored> for Factor {
    type Error = Unsound;

    fn try_from(stored: Stored) -> Result<Self, Unsound> {
        let plan = Plan::of(&stored)?;
        Ok(Self { stored, plan })
    }
}

impl Plan {
    fn of(stored: &Stored) -> Result<Self, Unsound> {
        check_order(stored)?;
        let mut plan = Self::default();
        plan.lay_out(stored)?;
        plan.grow_tree(stored)?;
        check_pivots(stored, &plan.panels)?;
        plan.divide(stored.values.len());
        Ok(plan)
    }

    /// Where everything begins and ends.
    fn lay_out(&mut self, stored: &Stored) -> Result<(), Unsound> {
        let width = stored.width as usize;
        let (mut start, mut tail, mut value) = (0, 0, 0usize);
        for [columns, rows] in stored.sizes.iter().map(|s| s.map(|n| n as usize)) {
            if columns == 0 || columns > stored.order.len() - start || rows > stored.tails.len() - tail {
                return Err(Unsound::Shape);
            }
            let height = width * (columns + rows);
            let value_end = value + kernel::entries(width * columns, height);
            if value_end > stored.values.len() {
                return Err(Unsound::Shape);
            }
            let later = &stored.tails[tail..tail + rows];
            let within = |row: &u32| (start + columns..stored.order.len()).contains(&(*row as usize));
            if !later.is_sorted_by(|a, b| a < b) || !later.iter().all(within) {
                return Err(Unsound::Shape);
            }
            let (front, room) = (self.room, kernel::room(height));
            self.panels.push(Panel {
                start,
                columns,
                tail,
                rows,
                value,
                value_end,
                front,
                height,
                room,
                parent: NONE,
                first_child: NONE,
                sibling: NONE,
            });
            self.room += room;
            (start, tail, value) = (start + columns, tail + rows, value_end);
        }
        let all = start == stored.order.len() && tail == stored.tails.len() && value == stored.values.len();
        if all && self.room < ROOM_MAX { Ok(()) } else { Err(Unsound::Shape) }
    }

    /// The parent of a panel is that of the first later place it touches; all that it touches must be in the
    /// parent's front. Cost: the fronts of all parents once for each child.
    fn grow_tree(&mut self, stored: &Stored) -> Result<(), Unsound> {
        let mut panel_of = vec![0u32; stored.order.len()];
        for (p, s) in self.panels.iter().zip(0..) {
            panel_of[p.start..p.start + p.columns].fill(s);
        }
        self.places.reserve(stored.tails.len());
        // The subtree of a panel begins here.
        let mut first: Vec<u32> = (0..self.panels.len() as u32).collect();
        for s in 0..self.panels.len() {
            let (tail, rows) = (self.panels[s].tail, self.panels[s].rows);
            let later = &stored.tails[tail..tail + rows];
            let Some(next) = later.first() else { continue };
            let parent = panel_of[*next as usize];
            self.panels[s].parent = parent;
            let p = &self.panels[parent as usize];
            let theirs = &stored.tails[p.tail..p.tail + p.rows];
            let mut at = 0;
            for row in later {
                let row = *row as usize;
                let place = if row < p.start + p.columns {
                    row - p.start
                } else {
                    at += theirs[at..].iter().position(|t| *t as usize == row).ok_or(Unsound::Tree)?;
                    p.columns + at
                };
                self.places.push(place as u32);
            }
            first[parent as usize] = first[parent as usize].min(first[s]);
        }
        // Children in ascending order, and each subtree without a gap: sizes add up.
        for s in (0..self.panels.len()).rev() {
            let parent = self.panels[s].parent;
            if parent != NONE {
                self.panels[s].sibling = self.panels[parent as usize].first_child;
                self.panels[parent as usize].first_child = s as u32;
            }
        }
        self.check_contiguous(&first)
    }

    /// Whether every subtree is a range of panels.
    fn check_contiguous(&self, first: &[u32]) -> Result<(), Unsound> {
        let mut sizes = vec![1u32; self.panels.len()];
        for (s, panel) in self.panels.iter().enumerate() {
            if s as u32 + 1 - first[s] != sizes[s] {
                return Err(Unsound::Tree);
            }
            if panel.parent != NONE {
                sizes[panel.parent as usize] += sizes[s];
            }
        }
        Ok(())
    }

    /// Cuts the tree into subtrees for threads and the panels that join them. The same cut for any number of threads.
    fn divide(&mut self, entries: usize) {
        let mut work: Vec<usize> = self.panels.iter().map(|p| p.value_end - p.value).collect();
        let mut first: Vec<u32> = (0..self.panels.len() as u32).collect();
        for (s, panel) in self.panels.iter().enumerate() {
            if panel.parent != NONE {
                let parent = panel.parent as usize;
                work[parent] += work[s];
                first[parent] = first[parent].min(first[s]);
            }
        }
        let most = if entries < SMALL { entries } else { entries / SHARES };
        for (s, panel) in self.panels.iter().enumerate() {
            let small = work[s] <= most;
            let inside = panel.parent != NONE && work[panel.parent as usize] <= most;
            match (small, inside) {
                (true, false) => self.subtrees.push([first[s], s as u32 + 1]),
                (false, _) => self.joints.push([s as u32, s as u32 + 1]),
                _ => {}
            }
        }
    }
}

/// Whether every node of the order exists and is eliminated once.
fn check_order(stored: &Stored) -> Result<(), Unsound> {
    if stored.width == 0 || stored.width > 3 || stored.order.len() > stored.nodes as usize {
        return Err(Unsound::Shape);
    }
    let mut sorted = stored.order.clone();
    sorted.sort_unstable();
    let once = sorted.is_sorted_by(|a, b| a < b);
    if once && sorted.last().is_none_or(|n| *n < stored.nodes) { Ok(()) } else { Err(Unsound::Shape) }
}

fn check_pivots(stored: &Stored, panels: &[Panel]) -> Result<(), Unsound> {
    let sound = |x: Real| x > 0.0 && x.is_finite();
    let width = stored.width as usize;
    let all = panels.iter().all(|p| match &stored.values {
        Values::Single(v) => kernel::pivots(&v[p.value..p.value_end], width * p.columns, p.height).all(sound),
        Values::Double(v) => kernel::pivots(&v[p.value..p.value_end], width * p.columns, p.height).all(sound),
    });
    if all { Ok(()) } else { Err(Unsound::Pivot) }
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Single(all) => all.len(),
            Self::Double(all) => all.len(),
        }
    }
}
