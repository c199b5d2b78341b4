//! Programmes to be timed on: contacts of a soft lattice, as other solvers were timed on them.

use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::qp::{Problem, Rows, Term};
use serosa_sim::random::philox;

/// A step \[s\], the stiffness of a spring \[N/m\] and the mass of a node \[kg\].
const STEP: Real = 1.0 / 60.0;
const STIFFNESS: Real = 1e3;
const MASS: Real = 0.01;
/// Nodes nearer than that are joined by a spring; nodes of the lattice are 1 apart.
const REACH: Real = 1.25;
/// The share of rows that are halves of the sum of two others.
const DEPENDENT: Real = 0.1;

/// A programme with what it refers to.
pub struct Made {
    /// Where the nodes are: by them the order of elimination is found.
    pub points: Vec<Vec3>,
    pub matrix: BlockMatrix<3>,
    pub load: Vec<Real>,
    pub rows: Rows,
}

impl Made {
    pub fn problem(&self) -> Problem<'_> {
        Problem { matrix: &self.matrix, load: &self.load, rows: &self.rows }
    }
}

/// Random numbers, the same on every machine.
pub struct Dice {
    seed: u64,
    count: u32,
}

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self { seed, count: 0 }
    }

    /// From 0 to 1, neither of them.
    pub fn even(&mut self) -> Real {
        self.count += 1;
        let [a, b, ..] = philox(self.seed, [self.count, 0, 0, 0]);
        ((u64::from(a) << 20 | u64::from(b) >> 12) as Real + 0.5) / (1u64 << 52) as Real
    }

    /// Normally distributed (Box and Muller 1958).
    pub fn normal(&mut self) -> Real {
        (-2.0 * self.even().ln()).sqrt() * (std::f64::consts::TAU * self.even()).cos()
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.even() * n as Real) as usize).min(n - 1)
    }

    /// A unit vector, all directions alike.
    pub fn direction(&mut self) -> Vec3 {
        Vec3::new(self.normal(), self.normal(), self.normal()).normalize()
    }

    /// Three weights that make one, all alike.
    fn weights(&mut self) -> [Real; 3] {
        let w = [0, 1, 2].map(|_| -self.even().ln());
        w.map(|x| x / (w[0] + w[1] + w[2]))
    }

    /// Different numbers below n.
    fn choose<const N: usize>(&mut self, n: usize) -> [usize; N] {
        let mut chosen = [usize::MAX; N];
        for k in 0..N {
            while chosen[k] == usize::MAX || chosen[..k].contains(&chosen[k]) {
                chosen[k] = self.below(n);
            }
        }
        chosen
    }
}

/// A lattice of nodes with springs and `rows` contacts of a node with three others, which are anywhere, or near it where
/// `local`.
pub fn lattice(unknowns: usize, rows: usize, local: bool, seed: u64) -> Made {
    let mut dice = Dice::new(seed);
    let count = unknowns / 3;
    let side = ((count as Real).cbrt().round() as usize).max(2) + 1;
    let shaken = |k: usize, dice: &mut Dice| {
        let at = [k / (side * side), k / side % side, k % side];
        Vec3::from(at.map(|c| c as Real + 0.2 * dice.even()))
    };
    let points: Vec<Vec3> = (0..count).map(|k| shaken(k, &mut dice)).collect();
    let matrix = springs(&points);
    let load = (0..3 * count).map(|_| MASS * STEP * 5.0 * dice.normal()).collect();
    let first = rows - (rows as Real * DEPENDENT) as usize;
    let mut made: Vec<(Vec<Term>, Real)> = Vec::with_capacity(rows);
    for _ in 0..first {
        let mut nodes: [usize; 4] = dice.choose(count);
        if local {
            nodes = near(&points, nodes[0]);
        }
        let (weights, normal) = (dice.weights(), dice.direction());
        // The other solvers ask for J v ≤ c; here rows are at least what they ask.
        let term = |k: usize| Term {
            vertex: nodes[k] as u32,
            direction: (normal * if k == 0 { -1.0 } else { weights[k - 1] }).to_array(),
        };
        made.push(((0..4).map(term).collect(), 0.0));
    }
    made.iter_mut().for_each(|(_, asked)| *asked = -0.002 * dice.normal().abs());
    for _ in first..rows {
        let [p, q] = dice.choose(first);
        let half = |t: &Term| Term { vertex: t.vertex, direction: t.direction.map(|d| 0.5 * d) };
        let both = made[p].0.iter().chain(&made[q].0).map(half).collect();
        made.push((both, 0.5 * (made[p].1 + made[q].1)));
    }
    let mut rows = Rows::default();
    made.into_iter().for_each(|(terms, asked)| rows.push(terms, asked, false));
    Made { points, matrix, load, rows }
}

/// M + h² times the stiffness of springs between all near nodes.
fn springs(points: &[Vec3]) -> BlockMatrix<3> {
    let mut edges = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            if points[i].distance_squared(points[j]) <= REACH * REACH {
                edges.push([i as u32, j as u32]);
            }
        }
    }
    let mut matrix = BlockMatrix::of_elements(&edges, &vec![false; points.len()]);
    for [i, j] in edges {
        let d = (points[i as usize] - points[j as usize]).normalize().to_array();
        let block = |sign: Real| d.map(|p| d.map(|q| sign * STEP * STEP * STIFFNESS * p * q));
        matrix.add(i, i, block(1.0));
        matrix.add(j, j, block(1.0));
        matrix.add(i, j, block(-1.0));
    }
    (0..points.len() as u32).for_each(|v| matrix.add_diagonal(v, MASS));
    matrix
}

/// A node and the sixth to eighth of those near it, itself the first.
fn near(points: &[Vec3], node: usize) -> [usize; 4] {
    let far = |k: usize| points[k].distance_squared(points[node]);
    let mut all: Vec<usize> = (0..points.len()).collect();
    all.sort_by(|a, b| far(*a).total_cmp(&far(*b)).then(a.cmp(b)));
    [all[0], all[5], all[6], all[7]]
}
