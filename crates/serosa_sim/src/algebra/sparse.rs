//! The Cholesky factor of a sparse symmetric matrix, made once in the bake, and the solves with it.
//!
//! Columns that share their pattern form a **panel** (a supernode); panels form a tree, children before parents, each
//! subtree contiguous. In a solve every panel has a **front**: its own unknowns, then those of its ancestors that it
//! touches. Going up the tree a front gathers what its children owe their ancestors; going down it gathers what its
//! parent has found. A panel thus reads its children's or its parent's front alone, always in the same order, and
//! independent subtrees may be worked on by different threads without a bit changing.
//!
//! The entries stand in the order in which both passes read them: the memory of a factor is streamed twice a solve,
//! and that is what a solve costs.

mod gradual;
mod kernel;
mod plan;
#[cfg(test)]
mod tests;

use crate::Real;
use kernel::Entry;
use plan::{NONE, Plan};
use serde::{Deserialize, Serialize};

pub use gradual::{Gradual, Spot};
pub use plan::Unsound;

/// How exactly the entries of a factor are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits: half the memory and half the time of a solve, seven digits. Enough to precondition.
    Single,
    /// 64 bits.
    Double,
}

/// A Cholesky factor, ready to solve.
///
/// An unknown is a node of `width` numbers. Vectors are those of all `nodes`; nodes that are not in the order of
/// elimination are no unknowns, and a solve leaves them as they are.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Factor {
    stored: Stored,
    plan: Plan,
}

impl Serialize for Factor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

/// What of a factor is kept in a file; the rest follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stored {
    /// Numbers of a node.
    width: u32,
    /// Nodes of a vector.
    nodes: u32,
    /// The node eliminated at each place.
    order: Vec<u32>,
    /// For each panel, how many places are its own and how many later ones it touches.
    sizes: Vec<[u32; 2]>,
    /// The later places that each panel touches, ascending.
    tails: Vec<u32>,
    /// See [`kernel`] for their order.
    values: Values,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Values {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

/// A panel as the bake hands it over.
#[derive(Clone, Copy, Debug)]
pub struct RawPanel<'a> {
    /// How many places are its own, behind those of earlier panels.
    pub columns: usize,
    /// Later places that it touches, ascending.
    pub tail: &'a [u32],
    /// Dense, by columns: `width · columns` of them, each of `width · (columns + tail)` entries. Above the diagonal
    /// nothing is read.
    pub values: &'a [Real],
}

/// Room for solves, grown once.
#[derive(Clone, Debug, Default)]
pub struct Fronts(Vec<Real>);

impl Factor {
    /// A factor of panels, for vectors of `nodes` nodes of `width` numbers; `order` says which node is eliminated at
    /// each place.
    pub fn new<'a>(
        width: usize,
        nodes: usize,
        order: Vec<u32>,
        panels: impl Iterator<Item = RawPanel<'a>>,
        precision: Precision,
    ) -> Result<Self, Unsound> {
        let (mut sizes, mut tails) = (Vec::new(), Vec::new());
        let mut values = match precision {
            Precision::Single => Values::Single(Vec::new()),
            Precision::Double => Values::Double(Vec::new()),
        };
        for panel in panels {
            let height = width * (panel.columns + panel.tail.len());
            if panel.values.len() != width * panel.columns * height {
                return Err(Unsound::Shape);
            }
            sizes.push([panel.columns as u32, panel.tail.len() as u32]);
            tails.extend_from_slice(panel.tail);
            match &mut values {
                Values::Single(all) => kernel::pack(panel.values, height, |x| {
                    all.extend(x.iter().map(|x| *x as f32));
                }),
                Values::Double(all) => kernel::pack(panel.values, height, |x| all.extend_from_slice(x)),
            }
        }
        Stored { width: width as u32, nodes: nodes as u32, order, sizes, tails, values }.try_into()
    }

    /// The same factor kept in 32 bits, as if it had been made so.
    pub fn narrowed(&self) -> Result<Self, Unsound> {
        let values = match &self.stored.values {
            Values::Single(all) => all.clone(),
            Values::Double(all) => all.iter().map(|x| *x as f32).collect(),
        };
        let Stored { width, nodes, order, sizes, tails, .. } = &self.stored;
        let (order, sizes, tails) = (order.clone(), sizes.clone(), tails.clone());
        let (width, nodes, values) = (*width, *nodes, Values::Single(values));
        Stored { width, nodes, order, sizes, tails, values }.try_into()
    }

    /// Numbers of a node.
    pub fn width(&self) -> usize {
        self.stored.width as usize
    }

    /// Nodes of a vector, unknown or not.
    pub fn nodes(&self) -> usize {
        self.stored.nodes as usize
    }

    /// The nodes solved for, as they are eliminated.
    pub fn order(&self) -> &[u32] {
        &self.stored.order
    }

    /// Numbers solved for.
    pub fn unknowns(&self) -> usize {
        self.width() * self.stored.order.len()
    }

    /// Stored entries, a few of them zeros that fill whole lanes.
    pub fn entries(&self) -> usize {
        match &self.stored.values {
            Values::Single(all) => all.len(),
            Values::Double(all) => all.len(),
        }
    }

    /// Memory of the entries \[bytes\], which a solve reads twice.
    pub fn bytes(&self) -> usize {
        match &self.stored.values {
            Values::Single(all) => size_of_val(&all[..]),
            Values::Double(all) => size_of_val(&all[..]),
        }
    }

    /// Solves in place for `sides` right-hand sides at once. Entry r of the number k of a node i is
    /// `x[(i · width + k) · sides + r]`: a matrix of width 1 solves for points with 3 sides.
    ///
    /// Cost: 4 · entries · sides operations, and all entries read from memory twice, whatever the number of sides. The
    /// same bits on any number of threads. Allocates only when the fronts become larger than they ever were. A vector of
    /// another length is left as it is.
    pub fn solve(&self, x: &mut [Real], sides: usize, fronts: &mut Fronts) {
        if x.len() != self.nodes() * self.width() * sides || sides == 0 {
            debug_assert!(false, "a vector of {} numbers", x.len());
            return;
        }
        let fronts = &mut fronts.0;
        fronts.clear();
        fronts.resize(self.plan.room * sides, 0.0);
        self.fill(x, sides, fronts);
        match &self.stored.values {
            Values::Single(values) => self.descend(values, sides, fronts),
            Values::Double(values) => self.descend(values, sides, fronts),
        }
        self.empty(x, sides, fronts);
    }

    /// Both passes: up the tree, where subtrees come before what joins them, and down again.
    fn descend<S: Entry>(&self, values: &[S], sides: usize, fronts: &mut [Real]) {
        let pass = Pass { factor: self, values, sides };
        pass.over_subtrees(&self.plan.subtrees, fronts, 0, Way::Up);
        self.plan.joints.iter().for_each(|joint| pass.over(joint, fronts, 0, Way::Up));
        for joint in self.plan.joints.iter().rev() {
            pass.hand_down(joint[0] as usize, fronts, 0);
            pass.over(joint, fronts, 0, Way::Down);
        }
        // The roots of subtrees are handed theirs here, while all fronts are at hand.
        self.plan.subtrees.iter().for_each(|tree| pass.hand_down(tree[1] as usize - 1, fronts, 0));
        pass.over_subtrees(&self.plan.subtrees, fronts, 0, Way::Down);
    }

    /// Puts right-hand sides into the fronts, in the order of elimination.
    fn fill(&self, x: &[Real], sides: usize, fronts: &mut [Real]) {
        self.for_each_place(sides, |at, step, node| {
            for (k, row) in x[node..node + self.width() * sides].chunks_exact(sides).enumerate() {
                row.iter().enumerate().for_each(|(r, number)| fronts[at + r * step + k] = *number);
            }
        });
    }

    /// Takes the solutions out of the fronts.
    fn empty(&self, x: &mut [Real], sides: usize, fronts: &[Real]) {
        self.for_each_place(sides, |at, step, node| {
            for (k, row) in x[node..node + self.width() * sides].chunks_exact_mut(sides).enumerate() {
                row.iter_mut().enumerate().for_each(|(r, number)| *number = fronts[at + r * step + k]);
            }
        });
    }

    /// Calls with where the numbers of each node stand in the fronts, how far sides are apart there, and where the node
    /// stands in a vector.
    #[inline]
    fn for_each_place(&self, sides: usize, mut call: impl FnMut(usize, usize, usize)) {
        let (width, order) = (self.width(), &self.stored.order);
        for panel in &self.plan.panels {
            let at = panel.front * sides;
            for (k, node) in order[panel.start..panel.start + panel.columns].iter().enumerate() {
                call(at + width * k, panel.room, *node as usize * width * sides);
            }
        }
    }
}

/// Which way through the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// Calls with the numbers of a node as a constant where they are those of a point.
macro_rules! for_points {
    ($width:ident, $call:ident($($arg:expr),*)) => {
        if $width == 3 { $call(3, $($arg),*) } else { $call($width, $($arg),*) }
    };
}

/// What all panels of a solve need.
#[derive(Clone, Copy)]
struct Pass<'a, S> {
    factor: &'a Factor,
    values: &'a [S],
    sides: usize,
}

impl<S: Entry> Pass<'_, S> {
    /// Independent subtrees, on whatever threads there are. `fronts` begins with number `from` of all.
    fn over_subtrees(&self, trees: &[[u32; 2]], fronts: &mut [Real], from: usize, way: Way) {
        match trees {
            [] => {}
            [tree] => self.over(tree, fronts, from, way),
            _ => {
                let (left, right) = trees.split_at(trees.len() / 2);
                let cut = self.factor.plan.panels[right[0][0] as usize].front * self.sides;
                let (before, behind) = fronts.split_at_mut(cut - from);
                rayon::join(
                    || self.over_subtrees(left, before, from, way),
                    || self.over_subtrees(right, behind, cut, way),
                );
            }
        }
    }

    fn over(&self, range: &[u32; 2], fronts: &mut [Real], from: usize, way: Way) {
        let pass = self;
        super::widest!(over(pass, range, fronts, from, way))
    }

    /// A front gathers what its children owe to it and to its ancestors.
    #[inline(always)]
    fn gather_up(&self, s: usize, fronts: &mut [Real], from: usize) {
        let (plan, width) = (&self.factor.plan, self.factor.width());
        let panel = &plan.panels[s];
        let (before, own) = fronts.split_at_mut(panel.front * self.sides - from);
        let mut next = panel.first_child;
        while next != NONE {
            let child = &plan.panels[next as usize];
            let places = &plan.places[child.tail..child.tail + child.rows];
            for r in 0..self.sides {
                let at = child.front * self.sides - from + r * child.room + width * child.columns;
                let own = &mut own[r * panel.room..(r + 1) * panel.room];
                let owed = &before[at..at + width * child.rows];
                for_points!(width, scatter(owed, places, own));
            }
            next = child.sibling;
        }
    }

    /// A front gathers what its parent has found.
    #[inline(always)]
    fn hand_down(&self, s: usize, fronts: &mut [Real], from: usize) {
        let (plan, width) = (&self.factor.plan, self.factor.width());
        let panel = &plan.panels[s];
        if panel.parent == NONE {
            return;
        }
        let parent = &plan.panels[panel.parent as usize];
        let (before, behind) = fronts.split_at_mut(parent.front * self.sides - from);
        let places = &plan.places[panel.tail..panel.tail + panel.rows];
        for r in 0..self.sides {
            let at = panel.front * self.sides - from + r * panel.room + width * panel.columns;
            let parent = &behind[r * parent.room..(r + 1) * parent.room];
            let owed = &mut before[at..at + width * panel.rows];
            for_points!(width, gather(parent, places, owed));
        }
    }
}

/// Adds the numbers of nodes to those at their places.
#[inline(always)]
fn scatter(width: usize, nodes: &[Real], places: &[u32], all: &mut [Real]) {
    for (node, place) in nodes.chunks_exact(width).zip(places) {
        let there = &mut all[width * *place as usize..][..width];
        there.iter_mut().zip(node).for_each(|(sum, number)| *sum += number);
    }
}

/// Takes the numbers of nodes from their places.
#[inline(always)]
fn gather(width: usize, all: &[Real], places: &[u32], nodes: &mut [Real]) {
    for (node, place) in nodes.chunks_exact_mut(width).zip(places) {
        node.copy_from_slice(&all[width * *place as usize..][..width]);
    }
}

/// The kernels for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Entry, Pass, Real, Way};

    #[target_feature(enable = "avx2")]
    pub(super) fn over<S: Entry>(
        pass: &Pass<S>,
        range: &[u32; 2],
        fronts: &mut [Real],
        from: usize,
        way: Way,
    ) {
        super::over(pass, range, fronts, from, way);
    }
}

/// All panels of a range, from the leaves up or from the root down.
#[inline(always)]
fn over<S: Entry>(pass: &Pass<S>, range: &[u32; 2], fronts: &mut [Real], from: usize, way: Way) {
    let (first, last) = (range[0] as usize, range[1] as usize);
    let (plan, sides, width) = (&pass.factor.plan, pass.sides, pass.factor.width());
    for k in 0..last - first {
        let s = if way == Way::Up { first + k } else { last - 1 - k };
        let panel = &plan.panels[s];
        let values = &pass.values[panel.value..panel.value_end];
        match way {
            Way::Up => pass.gather_up(s, fronts, from),
            // The root of a range has been handed its own before.
            Way::Down if k > 0 => pass.hand_down(s, fronts, from),
            Way::Down => {}
        }
        let at = panel.front * sides - from;
        let front = &mut fronts[at..at + panel.room * sides];
        let columns = width * panel.columns;
        // Where nothing has come up, nothing goes on: so for all but the ancestors of a node that is pushed alone.
        let at_rest = |front: &[Real]| front[..columns].iter().all(|x| *x == 0.0);
        match way {
            Way::Up if front.chunks_exact(panel.room).all(at_rest) => {}
            Way::Up => kernel::forward(values, columns, front, panel.room, panel.height),
            Way::Down => kernel::backward(values, columns, front, panel.room, panel.height),
        }
    }
}
