//! Walks over trees: what overlaps, what is nearest.

use super::{DEPTH_MAX, Node, Tree, area};
use crate::{Aabb, Real};

impl Tree {
    /// Every item whose box overlaps a box, once.
    pub fn overlapping(&self, with: &Aabb, mut found: impl FnMut(u32)) {
        self.walk_places(
            |_, around| around.overlaps(with),
            |k| {
                if self.boxes[k].overlaps(with) {
                    found(self.items[k]);
                }
            },
        );
    }

    /// Goes down from the root: into a node where `enter`, given its number and its box, says so; `visit` gets the items
    /// of the leaves entered. Nodes are numbered as in what [`Self::gather`] makes.
    pub fn walk(&self, enter: impl FnMut(usize, &Aabb) -> bool, mut visit: impl FnMut(u32)) {
        self.walk_places(enter, |k| visit(self.items[k]));
    }

    fn walk_places(&self, mut enter: impl FnMut(usize, &Aabb) -> bool, mut visit: impl FnMut(usize)) {
        let mut stack = [0u32; DEPTH_MAX + 1];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let at = stack[top] as usize;
            let node = &self.nodes[at];
            if !enter(at, &node.around) {
                continue;
            }
            if node.count == 0 {
                (stack[top], stack[top + 1]) = (node.first + 1, node.first);
                top += 2;
                continue;
            }
            leaf(node).for_each(&mut visit);
        }
    }

    /// Makes something for every node, children before parents: of the items of a leaf, or of what was made for the two
    /// children. O(n); what is made replaces what `out` held.
    pub fn gather<T: Default>(
        &self,
        out: &mut Vec<T>,
        of: impl Fn(&Aabb, &[u32]) -> T,
        join: impl Fn(&Aabb, &T, &T) -> T,
    ) {
        out.clear();
        out.resize_with(self.nodes.len(), T::default);
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let first = node.first as usize;
            out[at] = match node.count {
                0 => join(&node.around, &out[first], &out[first + 1]),
                _ => of(&node.around, &self.items[leaf(node)]),
            };
        }
    }

    /// Every pair of an item of this tree and one of another whose boxes overlap, once.
    pub fn pairs(&self, other: &Self, mut found: impl FnMut(u32, u32)) {
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            self.pairs_below((0, other, 0), &mut found);
        }
    }

    /// Every pair of items of this tree whose boxes overlap, once, the smaller number first.
    pub fn self_pairs(&self, mut found: impl FnMut(u32, u32)) {
        let mut found = |i: u32, j: u32| found(i.min(j), i.max(j));
        for node in &self.nodes {
            if node.count == 0 {
                // Two items meet below the one node where their ways part.
                self.pairs_below((node.first, self, node.first + 1), &mut found);
                continue;
            }
            for k in leaf(node) {
                for l in k + 1..leaf(node).end {
                    if self.boxes[k].overlaps(&self.boxes[l]) {
                        found(self.items[k], self.items[l]);
                    }
                }
            }
        }
    }

    /// Pairs of an item below one node and an item below another.
    fn pairs_below(&self, (a, other, b): (u32, &Self, u32), found: &mut impl FnMut(u32, u32)) {
        let mut stack = [(0u32, 0u32); 2 * DEPTH_MAX + 2];
        stack[0] = (a, b);
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (i, j) = stack[top];
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if !a.around.overlaps(&b.around) {
                continue;
            }
            if a.count > 0 && b.count > 0 {
                self.pairs_of_leaves(a, other, b, found);
                continue;
            }
            // The larger node is opened: so both come down together.
            let open_a = b.count > 0 || (a.count == 0 && area(&a.around) >= area(&b.around));
            (stack[top], stack[top + 1]) =
                if open_a { ((a.first + 1, j), (a.first, j)) } else { ((i, b.first + 1), (i, b.first)) };
            top += 2;
        }
    }

    fn pairs_of_leaves(&self, a: &Node, other: &Self, b: &Node, found: &mut impl FnMut(u32, u32)) {
        // Where leaves only graze one another, most items of the one are nowhere near the other.
        for k in leaf(a).filter(|k| self.boxes[*k].overlaps(&b.around)) {
            for l in leaf(b) {
                if self.boxes[k].overlaps(&other.boxes[l]) {
                    found(self.items[k], other.items[l]);
                }
            }
        }
    }

    /// Branch and bound: looks at items, near ones first, as long as their node may hold something within the bound.
    ///
    /// `lower` gives a bound from below for all that a node, given by number and box, holds. `visit` looks at an item and
    /// answers the new bound, which should only shrink. Every item below nodes whose `lower` is at most the final bound
    /// is visited: an equal one too, so that ties can be decided by number.
    pub fn nearest(
        &self,
        lower: impl Fn(usize, &Aabb) -> Real,
        mut bound: Real,
        mut visit: impl FnMut(u32) -> Real,
    ) {
        let mut stack = [(Real::NEG_INFINITY, 0u32); DEPTH_MAX + 1];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let (least, at) = stack[top];
            if least > bound {
                continue;
            }
            let mut node = &self.nodes[at as usize];
            while node.count == 0 {
                let first = node.first as usize;
                let (a, b) = (&self.nodes[first], &self.nodes[first + 1]);
                let (least_a, least_b) = (lower(first, &a.around), lower(first + 1, &b.around));
                let second_first = least_b < least_a;
                let (near, far) = if second_first { (least_b, least_a) } else { (least_a, least_b) };
                if far <= bound {
                    stack[top] = (far, node.first + u32::from(!second_first));
                    top += 1;
                }
                if near > bound {
                    break;
                }
                node = if second_first { b } else { a };
            }
            for k in leaf(node) {
                bound = visit(self.items[k]);
            }
        }
    }
}

/// Places of a leaf's items; none for an inner node.
#[inline]
fn leaf(node: &Node) -> core::ops::Range<usize> {
    node.first as usize..(node.first + node.count) as usize
}
