//! A tree of boxes, refitted while what they hold moves.

mod build;
mod walk;

use crate::{Aabb, Real};

/// Levels below the root; walks keep a fixed stack for so many. The builder keeps to it for any number of items.
const DEPTH_MAX: usize = 47;
/// The sum of areas, as a multiple of that after building, at which a tree is worth building anew.
const WORN: Real = 1.5;

/// A node: the box around all below it, and where that is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    around: Aabb,
    /// The first of its items, or the first of its two children, which lie beside one another behind it.
    first: u32,
    /// Items of a leaf; 0 for an inner node.
    count: u32,
}

/// A binary tree over boxes: which overlap, which are near.
///
/// Building is O(n log n), refitting O(n), and a walk costs O(log n) and what it finds where boxes overlap little. A
/// walk allocates nothing, and its order follows the shape of the tree, which differs between a tree refitted and one
/// built anew: whoever needs an order sorts. Boxes that are not numbers hold nothing and are never found.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Parents before children.
    nodes: Vec<Node>,
    /// Numbers of the items, those of a leaf beside one another.
    items: Vec<u32>,
    /// Their boxes, in the same order.
    boxes: Vec<Aabb>,
    /// Sum of the areas of all nodes after building.
    area_built: Real,
    /// And now.
    area: Real,
}

impl Tree {
    /// Builds a tree over boxes; item i is box i.
    pub fn of(boxes: &[Aabb]) -> Self {
        let mut tree = Self::default();
        tree.build(boxes);
        tree
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The two children of a node, which have greater numbers; the root is node 0. `None` for a leaf.
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let node = &self.nodes[node as usize];
        (node.count == 0).then_some([node.first, node.first + 1])
    }

    /// The items of a leaf, at most four; none of an inner node.
    pub fn items_of(&self, leaf: u32) -> &[u32] {
        let node = &self.nodes[leaf as usize];
        &self.items[node.first as usize..][..node.count as usize]
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.around)
    }

    /// Takes new boxes for the same items and mends every node. O(n), allocates nothing.
    pub fn refit(&mut self, mut box_of: impl FnMut(u32) -> Aabb) {
        for (item, b) in self.items.iter().zip(&mut self.boxes) {
            *b = sound(box_of(*item));
        }
        self.mend();
    }

    /// How much larger the boxes are, together, than when the tree was built: the cost of walks grows like it.
    pub fn growth(&self) -> Real {
        if self.area_built > 0.0 { self.area / self.area_built } else { 1.0 }
    }

    /// Whether the tree has grown so much that building it anew pays.
    pub fn is_worn(&self) -> bool {
        self.growth() > WORN
    }

    /// Boxes of all nodes from those of the items, children before parents.
    fn mend(&mut self) {
        self.area = 0.0;
        for at in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[at];
            let first = first as usize;
            let around = match count {
                0 => self.nodes[first].around.join(self.nodes[first + 1].around),
                _ => {
                    self.boxes[first..first + count as usize].iter().fold(Aabb::EMPTY, |all, b| all.join(*b))
                }
            };
            self.nodes[at].around = around;
            self.area += area(&around);
        }
    }
}

/// The box, or the empty one where it is not numbers: joined with others, it must not spoil them.
#[inline]
fn sound(b: Aabb) -> Aabb {
    if b.min.cmple(b.max).all() { b } else { Aabb::EMPTY }
}

/// Half the surface of a box; 0 for the empty one.
#[inline]
fn area(b: &Aabb) -> Real {
    let s = b.size();
    if s.x < 0.0 { 0.0 } else { s.x * s.y + s.y * s.z + s.z * s.x }
}

#[cfg(test)]
mod tests;
