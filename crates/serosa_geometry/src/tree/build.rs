//! Building a tree from the top: each node is cut where the surface area heuristic is least, seen in bins.
//!
//! Wald, "On fast construction of SAH-based bounding volume hierarchies" (2007). Morton order was refused: its trees
//! are built faster and walked slower, and ours are built once and walked every step.

use super::{DEPTH_MAX, Node, Tree, area, sound};
use crate::{Aabb, Real, Vec3};

/// Items in a leaf, at most.
const LEAF: usize = 4;
/// Bins along an axis.
const BINS: usize = 12;

/// A range of items that becomes a node.
struct Task {
    node: usize,
    from: usize,
    to: usize,
    depth: usize,
}

/// Where to cut: the axis, and the bin with which the second child begins.
struct Cut {
    axis: usize,
    bin: usize,
}

/// Bins of the middles of boxes.
struct Bins {
    low: Vec3,
    scale: Vec3,
}

impl Tree {
    /// Builds the tree anew, in the memory it has. O(n log n); the same boxes give the same tree.
    pub fn build(&mut self, boxes: &[Aabb]) {
        self.items.clear();
        self.items.extend(0..boxes.len() as u32);
        self.nodes.clear();
        if !boxes.is_empty() {
            self.nodes.push(Node { around: Aabb::EMPTY, first: 0, count: 0 });
            let mut tasks = vec![Task { node: 0, from: 0, to: boxes.len(), depth: 0 }];
            while let Some(task) = tasks.pop() {
                self.grow(boxes, &task, &mut tasks);
            }
        }
        self.boxes.clear();
        self.boxes.extend(self.items.iter().map(|i| sound(boxes[*i as usize])));
        self.mend();
        self.area_built = self.area;
    }

    /// Makes a leaf of a range, or cuts it in two.
    fn grow(&mut self, boxes: &[Aabb], task: &Task, tasks: &mut Vec<Task>) {
        let &Task { node, from, to, depth } = task;
        let items = &mut self.items[from..to];
        if items.len() <= LEAF {
            (self.nodes[node].first, self.nodes[node].count) = (from as u32, items.len() as u32);
            return;
        }
        // From here on halves alone keep within the depth.
        let tight = depth + items.len().ilog2() as usize + 1 >= DEPTH_MAX;
        let middle = match (!tight).then(|| best_cut(boxes, items)).flatten() {
            Some((bins, cut)) => partition(items, |i| bins.bin(&boxes[i as usize], cut.axis) < cut.bin),
            None => halve(boxes, items),
        };
        let first = self.nodes.len();
        self.nodes[node].first = first as u32;
        self.nodes.extend([Node { around: Aabb::EMPTY, first: 0, count: 0 }; 2]);
        let (middle, depth) = (from + middle, depth + 1);
        tasks.push(Task { node: first + 1, from: middle, to, depth });
        tasks.push(Task { node: first, from, to: middle, depth });
    }
}

impl Bins {
    fn of(boxes: &[Aabb], items: &[u32]) -> Self {
        let all = Aabb::around(items.iter().map(|i| middle(&boxes[*i as usize])).filter(|m| m.is_finite()));
        let scale = |size: Real| if size > 0.0 { BINS as Real / size } else { 0.0 };
        let size = all.size();
        Self { low: all.min, scale: Vec3::new(scale(size.x), scale(size.y), scale(size.z)) }
    }

    /// The bin of a box. What is not a number comes into the first, what is infinite into the last or first.
    fn bin(&self, b: &Aabb, axis: usize) -> usize {
        let place = (middle(b)[axis] - self.low[axis]) * self.scale[axis];
        (place as usize).min(BINS - 1)
    }
}

/// The cut of least cost, unless all middles are at one place.
fn best_cut(boxes: &[Aabb], items: &[u32]) -> Option<(Bins, Cut)> {
    let bins = Bins::of(boxes, items);
    let mut best = (Real::INFINITY, None);
    for axis in 0..3 {
        if !(bins.scale[axis] > 0.0 && bins.scale[axis].is_finite()) {
            continue;
        }
        let mut held = [(Aabb::EMPTY, 0usize); BINS];
        for i in items {
            let b = &boxes[*i as usize];
            let bin = &mut held[bins.bin(b, axis)];
            *bin = (bin.0.join(sound(*b)), bin.1 + 1);
        }
        let mut above = [(0.0, 0); BINS];
        let (mut around, mut count) = (Aabb::EMPTY, 0);
        for k in (1..BINS).rev() {
            (around, count) = (around.join(held[k].0), count + held[k].1);
            above[k] = (area(&around), count);
        }
        (around, count) = (Aabb::EMPTY, 0);
        for k in 1..BINS {
            (around, count) = (around.join(held[k - 1].0), count + held[k - 1].1);
            let cost = area(&around) * count as Real + above[k].0 * above[k].1 as Real;
            if count > 0 && above[k].1 > 0 && cost < best.0 {
                best = (cost, Some(Cut { axis, bin: k }));
            }
        }
    }
    best.1.map(|cut| (bins, cut))
}

/// Moves the items that belong first to the front; how many they are.
fn partition(items: &mut [u32], first: impl Fn(u32) -> bool) -> usize {
    let mut end = 0;
    for k in 0..items.len() {
        if first(items[k]) {
            items.swap(end, k);
            end += 1;
        }
    }
    end
}

/// Cuts in two halves along the longest axis; equal places by number.
fn halve(boxes: &[Aabb], items: &mut [u32]) -> usize {
    let all = items.iter().fold(Aabb::EMPTY, |all, i| all.join(sound(boxes[*i as usize])));
    let size = all.size();
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let half = items.len() / 2;
    let place = |i: &u32| middle(&boxes[*i as usize])[axis];
    items.select_nth_unstable_by(half, |i, j| place(i).total_cmp(&place(j)).then(i.cmp(j)));
    half
}

/// The middle of a box; not a number for unbounded ones.
fn middle(b: &Aabb) -> Vec3 {
    0.5 * (b.min + b.max)
}
