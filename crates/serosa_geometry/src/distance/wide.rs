//! The tree as it is searched: four children a node, their discs tested at once and in single precision.

use super::disc::Disc;
use crate::meet::Triangle;
use crate::topology::NONE;
use crate::{Real, Tree, Vec3};

/// Error of a length computed here, as a part of all lengths involved: some times the last place of single precision.
const ERROR: f32 = 1e-6;
/// Marks the number of a leaf.
const LEAF: u32 = 1 << 31;
/// A tree of boxes has at most 48 levels, two of which are one here; each leaves at most three nodes for later.
const STACK: usize = 80;
/// So far away that its square overflows: where there is no child.
const NOWHERE: f32 = 1e30;

/// Of four discs each.
type Lane = [f32; 4];

/// Four discs, and what is in them.
#[derive(Clone, Copy, Debug, Default)]
struct Quad {
    center: [Lane; 3],
    normal: [Lane; 3],
    half: Lane,
    radius: Lane,
    /// Nodes or, marked, leaves; triangles in a leaf. [`NONE`] where there is nothing.
    within: [u32; 4],
}

/// A tree of discs, four to a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Wide {
    /// The root first.
    nodes: Vec<Quad>,
    /// The node of the binary tree behind each disc of each node.
    sources: Vec<[u32; 4]>,
    leaves: Vec<Quad>,
    /// The leaf of the binary tree behind each leaf.
    leaf_sources: Vec<u32>,
    /// From where places are measured, since single precision has few digits.
    middle: Vec3,
    /// From the middle to the farthest corner, at most.
    size: f32,
}

/// A point as the quads see it.
struct Probe {
    point: [f32; 3],
    /// Lengths involved: of the surface, and from its middle to the point.
    scale: f32,
}

impl Wide {
    /// Takes the shape of a binary tree: every other level is left out.
    pub fn shape(&mut self, tree: &Tree) {
        self.nodes.clear();
        self.sources.clear();
        self.leaf_sources.clear();
        if !tree.is_empty() {
            self.sources.push(grandchildren(tree, 0));
        }
        let mut at = 0;
        while let Some(sources) = self.sources.get(at).copied() {
            at += 1;
            let within = sources.map(|node| match node {
                NONE => NONE,
                leaf if tree.children(leaf).is_none() => {
                    self.leaf_sources.push(leaf);
                    LEAF | (self.leaf_sources.len() as u32 - 1)
                }
                inner => {
                    self.sources.push(grandchildren(tree, inner));
                    self.sources.len() as u32 - 1
                }
            });
            self.nodes.push(Quad { within, ..Quad::default() });
        }
        self.leaves.clear();
        self.leaves.resize(self.leaf_sources.len(), Quad::default());
    }

    /// Takes the discs of the binary tree's nodes, and those of its triangles. O(n), allocates nothing.
    pub fn fill(&mut self, tree: &Tree, discs: &[Disc], corners: impl Fn(u32) -> Triangle) {
        let bounds = tree.bounds();
        self.middle = 0.5 * (bounds.min + bounds.max);
        self.size = (0.5 * bounds.size().length()) as f32;
        for (quad, sources) in self.nodes.iter_mut().zip(&self.sources) {
            for (k, node) in sources.iter().enumerate() {
                quad.put(k, discs.get(*node as usize), self.middle);
            }
        }
        for (quad, leaf) in self.leaves.iter_mut().zip(&self.leaf_sources) {
            let items = tree.items_of(*leaf);
            for k in 0..4 {
                quad.within[k] = items.get(k).copied().unwrap_or(NONE);
                let disc = items.get(k).map(|t| Disc::flat(corners(*t)));
                quad.put(k, disc.as_ref(), self.middle);
            }
        }
    }

    /// Hands out the triangles that may be within a bound [m²], near ones first, and takes the new bound from each answer.
    pub fn search(&self, p: Vec3, bound: Real, mut look: impl FnMut(u32) -> Real) {
        let from = p - self.middle;
        let scale = self.size + from.length() as f32;
        let probe = Probe { point: [from.x as f32, from.y as f32, from.z as f32], scale };
        let mut limit = above(bound);
        let mut stack = [(0.0f32, 0u32); STACK];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let (least, at) = stack[top];
            if least > limit {
                continue;
            }
            let is_leaf = at & LEAF != 0;
            let quad = if is_leaf { &self.leaves[(at & !LEAF) as usize] } else { &self.nodes[at as usize] };
            let (least, bottom) = (quad.distance_sq(&probe), top);
            for (least, within) in least.into_iter().zip(quad.within) {
                // What is not a number is not beyond: it is looked at.
                if least > limit || within == NONE {
                    continue;
                }
                if is_leaf {
                    limit = above(look(within));
                    continue;
                }
                // The nearest comes on top.
                let mut place = top;
                while place > bottom && stack[place - 1].0 < least {
                    stack[place] = stack[place - 1];
                    place -= 1;
                }
                stack[place] = (least, within);
                top += 1;
            }
        }
    }
}

/// The children of a node, each in its place or, where it has some, its own children.
fn grandchildren(tree: &Tree, node: u32) -> [u32; 4] {
    let Some([a, b]) = tree.children(node) else { return [node, NONE, NONE, NONE] };
    let [a, c] = tree.children(a).unwrap_or([a, NONE]);
    let [b, d] = tree.children(b).unwrap_or([b, NONE]);
    [a, c, b, d]
}

/// A little above a square, by more than the error of squares here.
#[inline]
fn above(bound: Real) -> f32 {
    (bound * (1.0 + Real::from(ERROR))) as f32 * (1.0 + ERROR)
}

impl Quad {
    #[inline]
    fn put(&mut self, k: usize, disc: Option<&Disc>, middle: Vec3) {
        let center = disc.map_or([NOWHERE; 3], |d| (d.center - middle).to_array().map(|x| x as f32));
        let normal = disc.map_or([0.0; 3], |d| d.normal.to_array().map(|x| x as f32));
        for axis in 0..3 {
            self.center[axis][k] = center[axis];
            self.normal[axis][k] = normal[axis];
        }
        (self.half[k], self.radius[k]) = disc.map_or((0.0, 0.0), |d| (d.half as f32, d.radius as f32));
    }

    /// At most the squares of the distances to the four, but for a part [`ERROR`] [m²].
    #[inline]
    fn distance_sq(&self, probe: &Probe) -> Lane {
        let mut out = [0.0; 4];
        let lost = ERROR * probe.scale;
        for (k, out) in out.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|axis| probe.point[axis] - self.center[axis][k]);
            let height = x * self.normal[0][k] + y * self.normal[1][k] + z * self.normal[2][k];
            // The error of a square is twice that of the length, times the length.
            let aside_sq = x * x + y * y + z * z - height * height - 4.0 * lost * probe.scale;
            let above = (height.abs() - (self.half[k] + lost)).max(0.0);
            let beside = (aside_sq.max(0.0).sqrt() - (self.radius[k] + lost)).max(0.0);
            *out = above * above + beside * beside;
        }
        out
    }
}
