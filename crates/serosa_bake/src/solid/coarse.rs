//! The coarse space of a solid: what sweeps are slow at, in a few unknowns.
//!
//! A sweep takes strain out of a body over one edge at a time; what spans it from end to end takes as many sweeps as there
//! are edges, squared. So after every other sweep the body takes a step in the space of some handles that shift and strain what is
//! around them and are blended (a two-level correction; blended affine handles as in Gilles et al. 2011):
//!
//! ```text
//! d(v) = Σ_c N_c(v) (t_c + L_c (X_v − X_c)),      Σ_c N_c = 1
//! ```
//!
//! N_c falls with the way from a handle to v through the body, so that loops of a bowel that lie side by side do not move
//! together. The matrices are those of inertia, walls and linear elasticity at rest in this space (Galerkin).

use serosa_geometry::{Real, Vec3};
use serosa_sim::model::{Coarse, HANDLE_MODES as MODES, Model, Share, SolidBody, Tet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Vertices of a handle, and the most handles of a body.
const PER_HANDLE: usize = 40;
const HANDLES: usize = 16;
/// A body of fewer vertices has none: sweeps see all of it.
const FEWEST: usize = 20;
/// How far a handle reaches, of the farthest that a vertex is from its nearest.
const REACH: Real = 1.3;

/// The coarse space of body `b`, none where it has few vertices. O(handles · vertices log vertices + tetrahedra · shares²).
pub fn choose(model: &Model, b: usize, body: &SolidBody) -> Coarse {
    let vertices = model.bodies[b].vertex_range();
    let count = vertices.len().div_ceil(PER_HANDLE).min(HANDLES);
    let mut coarse = Coarse::default();
    if vertices.len() < FEWEST || body.quadratic.is_some() {
        return coarse;
    }
    let tets = &model.tets[body.tets.start as usize..body.tets.end as usize];
    let (centers, ways) = Graph::of(model, tets, vertices.clone()).spread(count);
    let nearest = |v: usize| ways.iter().map(|way| way[v]).fold(Real::INFINITY, Real::min);
    let far = (0..vertices.len()).map(nearest).filter(|w| w.is_finite()).fold(0.0, Real::max);
    let (rest, reach) = (&model.rest[vertices.clone()], REACH * far);
    let bump = |way: Real| {
        let near = (1.0 - (way / reach) * (way / reach)).max(0.0);
        if way < reach { near * near } else { 0.0 }
    };
    coarse.handles = centers.iter().map(|c| rest[*c]).collect();
    for v in 0..vertices.len() {
        coarse.starts.push(coarse.shares.len() as u32);
        if model.inv_mass[vertices.start + v] == 0.0 {
            continue;
        }
        let sum: Real = ways.iter().map(|way| bump(way[v])).sum();
        for (handle, way) in ways.iter().enumerate().filter(|(_, way)| bump(way[v]) > 0.0) {
            let weight = bump(way[v]) / sum;
            let off = (rest[v] - coarse.handles[handle]) * (weight / far);
            coarse.shares.push(Share { handle: handle as u32, modes: [weight, off.x, off.y, off.z] });
        }
    }
    coarse.starts.push(coarse.shares.len() as u32);
    let n = coarse.functions();
    (coarse.mass, coarse.walls) = (vec![0.0; n * n], vec![0.0; n * n]);
    for (v, at) in vertices.clone().enumerate() {
        add(
            &mut coarse.mass,
            n,
            &coarse.shares[coarse.starts[v] as usize..coarse.starts[v + 1] as usize],
            model.mass[at],
        );
    }
    for wall in &body.walls {
        let v = wall.vertex.at() - vertices.start;
        let shares = &coarse.shares[coarse.starts[v] as usize..coarse.starts[v + 1] as usize];
        add(&mut coarse.walls, n, shares, wall.stiffness);
    }
    coarse.elastic = elastic(&coarse, body, tets, vertices.start);
    coarse
}

/// Adds what one vertex brings to a matrix of functions.
fn add(into: &mut [Real], n: usize, shares: &[Share], by: Real) {
    for a in shares {
        for b in shares {
            for (i, x) in a.modes.iter().enumerate() {
                for (j, y) in b.modes.iter().enumerate() {
                    into[(MODES * a.handle as usize + i) * n + MODES * b.handle as usize + j] += by * x * y;
                }
            }
        }
    }
}

/// Linear elasticity at rest.
fn elastic(coarse: &Coarse, body: &SolidBody, tets: &[Tet], first: usize) -> Vec<Real> {
    let n = coarse.functions();
    let mut all = vec![0.0; 9 * n * n];
    let mut slopes: Vec<(usize, [Vec3; MODES])> = Vec::new();
    for tet in tets {
        slopes.clear();
        for (v, g) in tet.nodes.iter().zip(tet.gradients()) {
            for share in coarse.of(v.at() - first) {
                let handle = share.handle as usize;
                let at = slopes.iter().position(|(h, _)| *h == handle).unwrap_or_else(|| {
                    slopes.push((handle, [Vec3::ZERO; MODES]));
                    slopes.len() - 1
                });
                slopes[at].1.iter_mut().zip(share.modes).for_each(|(slope, s)| *slope += g * s);
            }
        }
        let region = &body.regions[tet.region as usize];
        let (young, nu) = (region.young * tet.volume, region.poisson);
        let shear = young / (2.0 * (1.0 + nu));
        let lame = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
        let functions =
            || slopes.iter().flat_map(|(h, s)| s.iter().enumerate().map(move |(i, s)| (MODES * h + i, *s)));
        for (s, g) in functions() {
            for (t, h) in functions() {
                let even = shear * g.dot(h);
                for i in 0..3 {
                    let row = &mut all[(3 * s + i) * 3 * n + 3 * t..][..3];
                    for (j, entry) in row.iter_mut().enumerate() {
                        let straight = if i == j { even } else { 0.0 };
                        *entry += lame * g[i] * h[j] + shear * g[j] * h[i] + straight;
                    }
                }
            }
        }
    }
    all
}

/// Vertices and the edges between them.
struct Graph {
    starts: Vec<usize>,
    edges: Vec<(usize, Real)>,
}

impl Graph {
    fn of(model: &Model, tets: &[Tet], vertices: Range<usize>) -> Self {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for tet in tets {
            for a in tet.nodes {
                let others = tet.nodes.iter().filter(|b| **b != a);
                pairs.extend(others.map(|b| (a.at() - vertices.start, b.at() - vertices.start)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let rest = &model.rest[vertices.clone()];
        let mut starts = vec![0; vertices.len() + 1];
        pairs.iter().for_each(|(a, _)| starts[a + 1] += 1);
        (0..vertices.len()).for_each(|v| starts[v + 1] += starts[v]);
        Self { starts, edges: pairs.iter().map(|(a, b)| (*b, rest[*a].distance(rest[*b]))).collect() }
    }

    /// Ways from a vertex along edges \[m\] (Dijkstra 1959).
    fn ways(&self, from: usize) -> Vec<Real> {
        let mut ways = vec![Real::INFINITY; self.starts.len() - 1];
        ways[from] = 0.0;
        // Lengths are not negative, so their bits are in their order.
        let mut next = BinaryHeap::from([Reverse((0u64, from))]);
        while let Some(Reverse((bits, v))) = next.pop() {
            let way = Real::from_bits(bits);
            if way > ways[v] {
                continue;
            }
            for (other, length) in &self.edges[self.starts[v]..self.starts[v + 1]] {
                if way + length < ways[*other] {
                    ways[*other] = way + length;
                    next.push(Reverse(((way + length).to_bits(), *other)));
                }
            }
        }
        ways
    }

    /// Vertices far from one another, and the ways from each.
    fn spread(&self, count: usize) -> (Vec<usize>, Vec<Vec<Real>>) {
        let farthest = |near: &[Real]| {
            let mut best = 0;
            for (v, way) in near.iter().enumerate() {
                if *way > near[best] {
                    best = v;
                }
            }
            best
        };
        let mut centers = vec![farthest(&self.ways(0))];
        let mut ways = vec![self.ways(centers[0])];
        let mut near = ways[0].clone();
        while centers.len() < count {
            let next = farthest(&near);
            let way = self.ways(next);
            near.iter_mut().zip(&way).for_each(|(near, way)| *near = near.min(*way));
            centers.push(next);
            ways.push(way);
        }
        (centers, ways)
    }
}
