//! Nested dissection: the order in which the factor of a solid's matrix stays sparse.
//!
//! A set of nodes is cut in two by a plane; the nodes at the cut, the separator, are eliminated after both halves, which
//! are dissected in turn (George 1973). Planes are tried in 13 directions, at 5 places each, and that with the fewest
//! nodes at one side of it wins; of the nodes at both sides the separator takes the fewest that part the halves.

use super::cover::smallest_cover;
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::BlockMatrix;
use std::ops::Range;

/// Sets as small as this are eliminated as they stand.
const LEAF: usize = 8;
/// Where planes are tried: the share of nodes before them.
const CUTS: [Real; 5] = [0.4, 0.45, 0.5, 0.55, 0.6];
/// Normals of the planes: to the faces, edges and corners of a cube.
const DIRECTIONS: [[Real; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// Which nodes of a matrix are coupled.
#[derive(Clone, Debug)]
pub struct Graph {
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl Graph {
    /// Of the nodes of a matrix.
    pub fn of<const W: usize>(matrix: &BlockMatrix<W>) -> Self {
        let count = matrix.free().len();
        let edges: Vec<[u32; 2]> =
            (0..count).flat_map(|j| matrix.column(j).skip(1).map(move |(i, _)| [i, j as u32])).collect();
        Self::of_edges(count, &edges)
    }

    /// Of edges, each once.
    pub fn of_edges(count: usize, edges: &[[u32; 2]]) -> Self {
        let mut starts = vec![0; count + 1];
        edges.iter().flatten().for_each(|node| starts[*node as usize + 1] += 1);
        (0..count).for_each(|n| starts[n + 1] += starts[n]);
        let (mut next, mut others) = (starts.clone(), vec![0; 2 * edges.len()]);
        for [a, b] in edges {
            for (from, to) in [(a, b), (b, a)] {
                others[next[*from as usize] as usize] = *to;
                next[*from as usize] += 1;
            }
        }
        Self { starts, others }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes coupled to one.
    pub fn neighbours(&self, node: usize) -> &[u32] {
        &self.others[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// The order of elimination of nodes at `places`, which must be finite.
///
/// Cost: 13 sorts of all nodes, then 13 passes over them and their neighbours for each halving, so 13 · n · log n.
pub fn order(graph: &Graph, places: &[Vec3]) -> Vec<u32> {
    let mut dissector = Dissector {
        graph,
        part: vec![0; graph.len()],
        lines: DIRECTIONS.map(|normal| in_line(places, normal.into())),
        rank: vec![0; graph.len()],
        spans: Vec::new(),
    };
    let mut nodes: Vec<u32> = (0..graph.len() as u32).collect();
    // Parts are disjoint ranges of `nodes`, each with a number of its own by which its nodes are known.
    let (mut open, mut parts) = (vec![(0..nodes.len(), 0)], 0);
    while let Some((range, part)) = open.pop() {
        if range.len() <= LEAF {
            continue;
        }
        let from = range.start;
        let [left, right] = dissector.cut(&mut nodes, range, part, [parts + 1, parts + 2]);
        open.push((from..from + left, parts + 1));
        open.push((from + left..from + left + right, parts + 2));
        parts += 2;
    }
    nodes
}

/// All nodes along a direction, those at one place by their numbers.
fn in_line(places: &[Vec3], normal: Vec3) -> Vec<u32> {
    let mut line: Vec<(Real, u32)> =
        places.iter().zip(0..).map(|(at, node)| (at.dot(normal), node)).collect();
    line.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    line.into_iter().map(|(_, node)| node).collect()
}

struct Dissector<'a> {
    graph: &'a Graph,
    /// The part that each node is in.
    part: Vec<u32>,
    /// For each direction the nodes along it, those of a part in the range that it has of all.
    lines: [Vec<u32>; DIRECTIONS.len()],
    /// The place of each node along the direction that is tried.
    rank: Vec<u32>,
    /// Least and greatest rank of each node's neighbours.
    spans: Vec<[u32; 2]>,
}

/// A plane through a part: how many nodes are at it on the side that has fewer there, and how many are before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    at_plane: usize,
    direction: usize,
    before: usize,
}

impl Dissector<'_> {
    /// Arranges the nodes of a part as left, right, separator; returns the sizes of the first two.
    fn cut(&mut self, nodes: &mut [u32], range: Range<usize>, part: u32, halves: [u32; 2]) -> [usize; 2] {
        let best = (0..DIRECTIONS.len()).flat_map(|d| self.best_along(range.clone(), part, d)).min();
        let Some(best) = best else { return [range.len(), 0] };
        self.line_up(range.clone(), part, best.direction);
        let line = &self.lines[best.direction][range.clone()];
        let mut sides: Vec<(u8, u32)> = line.iter().map(|node| (0, *node)).collect();
        sides[best.before..].iter_mut().for_each(|(side, _)| *side = 1);
        self.separate(&mut sides, best.before, part);
        // Stable: nodes of a half stay in line.
        sides.sort_by_key(|(side, _)| *side);
        let mut sizes = [0; 3];
        for ((side, node), to) in sides.iter().zip(&mut nodes[range.clone()]) {
            *to = *node;
            sizes[*side as usize] += 1;
            // Separators belong to no part any more.
            self.part[*node as usize] = halves.get(*side as usize).copied().unwrap_or(u32::MAX);
        }
        self.part_lines(range, halves);
        [sizes[0], sizes[1]]
    }

    /// Arranges all lines of a part that was cut as left, right, separator. What is in line stays so.
    fn part_lines(&mut self, range: Range<usize>, [left, right]: [u32; 2]) {
        let mut arranged = Vec::with_capacity(range.len());
        for line in &mut self.lines {
            let line = &mut line[range.clone()];
            arranged.clear();
            for wanted in [left, right, u32::MAX] {
                arranged.extend(line.iter().filter(|node| self.part[**node as usize] == wanted));
            }
            line.copy_from_slice(&arranged);
        }
    }

    /// Moves to the separator, side 2, the fewest nodes that touch all edges across the plane. Those may be of both
    /// sides, and are fewer than all nodes at the plane of either.
    fn separate(&mut self, sides: &mut [(u8, u32)], before: usize, part: u32) {
        let left: Vec<usize> = (0..before).filter(|r| self.spans[*r][1] as usize >= before).collect();
        let right: Vec<usize> =
            (before..sides.len()).filter(|r| (self.spans[*r][0] as usize) < before).collect();
        let across = |rank: &usize| {
            let others = self.graph.neighbours(sides[*rank].1 as usize).iter();
            let inside =
                others.filter(|n| self.part[**n as usize] == part).map(|n| self.rank[*n as usize] as usize);
            inside.filter_map(|r| right.binary_search(&r).ok()).map(|r| r as u32).collect()
        };
        let edges: Vec<Vec<u32>> = left.iter().map(across).collect();
        let (of_left, of_right) = smallest_cover(&edges, right.len());
        let chosen = left.iter().zip(of_left).chain(right.iter().zip(of_right));
        chosen.filter(|(_, inside)| *inside).for_each(|(rank, _)| sides[*rank].0 = 2);
    }

    /// The smallest separator of planes in one direction.
    fn best_along(&mut self, range: Range<usize>, part: u32, direction: usize) -> Option<Cut> {
        let cuts = CUTS.map(|share| (share * range.len() as Real) as usize);
        self.line_up(range, part, direction);
        let mut counts = [[0; 2]; CUTS.len()];
        for (rank, [low, high]) in self.spans.iter().enumerate() {
            for (cut, count) in cuts.iter().zip(&mut counts) {
                count[0] += usize::from(rank < *cut && *high as usize >= *cut);
                count[1] += usize::from(rank >= *cut && (*low as usize) < *cut);
            }
        }
        let all = cuts.iter().zip(counts);
        all.map(|(before, [a, b])| Cut { at_plane: a.min(b), direction, before: *before }).min()
    }

    /// Ranks the nodes of a part along a direction, and finds the ranks of their neighbours in the part.
    fn line_up(&mut self, range: Range<usize>, part: u32, direction: usize) {
        let line = &self.lines[direction][range];
        for (node, rank) in line.iter().zip(0..) {
            self.rank[*node as usize] = rank;
        }
        self.spans.clear();
        for (node, rank) in line.iter().zip(0..) {
            let mut span = [rank, rank];
            for other in self.graph.neighbours(*node as usize) {
                if self.part[*other as usize] == part {
                    let other = self.rank[*other as usize];
                    span = [span[0].min(other), span[1].max(other)];
                }
            }
            self.spans.push(span);
        }
    }
}
