//! Distances of vertex and triangle, and of two edges, with their first and second derivatives.
//!
//! The squared distance is the least of |Σ wᵢ(s) xᵢ|² over the parameters s of the closest feature, so its derivatives
//! follow from those of that square for any feature: the slope is that at fixed s, and what s gains by following is
//! taken off the curvature.

use super::piece::{Piece, outer};
use serosa_geometry::{Feature, Real, Vec3, closest_on_triangle, closest_segments};

/// Which kind of pair the four nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vertex, then the corners of a triangle.
    VertexTriangle,
    /// The ends of one edge, then those of the other.
    EdgeEdge,
}

/// The closest points of a pair: their difference is Σ weights · x.
#[derive(Clone, Debug)]
pub struct Near {
    pub weights: [Real; 4],
    /// How the weights change along the parameters of the closest feature.
    ways: Vec<[Real; 4]>,
    /// Σ weights · x.
    pub apart: Vec3,
}

impl Near {
    pub fn of(kind: Kind, x: &[Vec3; 4]) -> Self {
        let (weights, ways) = match kind {
            Kind::VertexTriangle => on_triangle(x),
            Kind::EdgeEdge => on_edges(x),
        };
        let apart = weights.iter().zip(x).map(|(w, x)| *x * *w).sum();
        Self { weights, ways, apart }
    }

    /// \[m\]
    pub fn distance(&self) -> Real {
        self.apart.length()
    }

    /// The distance with its derivatives.
    pub fn measure(&self, x: &[Vec3; 4]) -> Piece {
        let (w, r, d) = (&self.weights, self.apart, self.distance());
        let n = r / d;
        let tangents: Vec<Vec3> =
            self.ways.iter().map(|b| b.iter().zip(x).map(|(b, x)| *x * *b).sum()).collect();
        let mixed = |a: usize, i: usize, axis: usize| w[i] * tangents[a][axis] + self.ways[a][i] * r[axis];
        let follow = inverse(&tangents);
        let mut piece = Piece { energy: d, gradient: w.map(|w| n * w), ..Piece::NONE };
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                let mut half = if p == q { w[i] * w[j] } else { 0.0 };
                for a in 0..tangents.len() {
                    for b in 0..tangents.len() {
                        half -= mixed(a, i, p) * follow[a][b] * mixed(b, j, q);
                    }
                }
                // Of the distance, from half the curvature of its square.
                piece.hessian[3 * i + p][3 * j + q] = (half - w[i] * w[j] * n[p] * n[q]) / d;
            }
        }
        piece
    }
}

fn on_triangle([p, a, b, c]: &[Vec3; 4]) -> ([Real; 4], Vec<[Real; 4]>) {
    let on = closest_on_triangle(*p, &[*a, *b, *c]);
    let [u, v, w] = on.weights;
    let way = |from: usize, to: usize| {
        let mut way = [0.0; 4];
        (way[from + 1], way[to + 1]) = (1.0, -1.0);
        way
    };
    let ways = match on.feature {
        Feature::Vertex(_) => Vec::new(),
        Feature::Edge(k) => vec![way(k as usize, (k as usize + 1) % 3)],
        Feature::Face => vec![way(0, 1), way(0, 2)],
    };
    ([1.0, -u, -v, -w], ways)
}

fn on_edges([a0, a1, b0, b1]: &[Vec3; 4]) -> ([Real; 4], Vec<[Real; 4]>) {
    let near = closest_segments(*a0, *a1, *b0, *b1);
    let (s, t) = (near.s, near.t);
    let (a, b) = (*a1 - *a0, *b1 - *b0);
    let parallel = a.cross(b).length_squared() <= 1e-12 * a.length_squared() * b.length_squared();
    let mut ways = Vec::new();
    // Of parallel edges one parameter follows the other; their energy is none.
    if s > 0.0 && s < 1.0 && !parallel {
        ways.push([-1.0, 1.0, 0.0, 0.0]);
    }
    if t > 0.0 && t < 1.0 {
        ways.push([0.0, 0.0, 1.0, -1.0]);
    }
    ([1.0 - s, s, t - 1.0, -t], ways)
}

/// Of the products of at most two tangents.
fn inverse(tangents: &[Vec3]) -> [[Real; 2]; 2] {
    match tangents {
        [] => [[0.0; 2]; 2],
        [t] => [[1.0 / t.length_squared(), 0.0], [0.0; 2]],
        [s, t, ..] => {
            let (a, b, c) = (s.length_squared(), s.dot(*t), t.length_squared());
            let det = a * c - b * b;
            [[c / det, -b / det], [-b / det, a / det]]
        }
    }
}

/// |a × b|² of two edges with its derivatives: how far they are from parallel.
pub fn crossed([a0, a1, b0, b1]: &[Vec3; 4]) -> Piece {
    let (a, b) = (*a1 - *a0, *b1 - *b0);
    let (aa, bb, ab) = (a.length_squared(), b.length_squared(), a.dot(b));
    let (da, db) = ((a * bb - b * ab) * 2.0, (b * aa - a * ab) * 2.0);
    let unit = serosa_geometry::Mat3::IDENTITY;
    let haa = (unit * bb - outer(b, b)) * 2.0;
    let hbb = (unit * aa - outer(a, a)) * 2.0;
    let hab = outer(a, b) * 4.0 - outer(b, a) * 2.0 - unit * (2.0 * ab);
    let mut piece = Piece { energy: aa * bb - ab * ab, gradient: [-da, da, -db, db], ..Piece::NONE };
    for (i, si) in [(0, -1.0), (1, 1.0)] {
        for (j, sj) in [(0, -1.0), (1, 1.0)] {
            piece.add_block(i, j, &(haa * (si * sj)));
            piece.add_block(2 + i, 2 + j, &(hbb * (si * sj)));
            piece.add_block(i, 2 + j, &(hab * (si * sj)));
            piece.add_block(2 + i, j, &(hab.transpose() * (si * sj)));
        }
    }
    piece
}
