//! Programmes to be timed on: contacts of a soft lattice, as other solvers were timed on them, and a pile of soft bodies.

use serosa_geometry::generate::sphere;
use serosa_geometry::{Mesh, Real, Vec3};
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::qp::{Problem, Rows, Term};
use serosa_sim::random::philox;
use std::collections::BTreeMap;

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

/// Soft bodies of a pile, by columns, rows and layers, and the vertices of each: as many as the organs of `organ-pile` have.
const PILE: [usize; 3] = [2, 2, 3];
const VERTICES: usize = 460;
/// Their radius \[m\], how much nearer than touching they lie \[m\], mass \[kg\], and stiffnesses of edges and across them \[N/m\].
const RADIUS: Real = 0.04;
const PRESSED: Real = 0.005;
const ORGAN: Real = 0.15;
const EDGE: Real = 200.0;
const BEND: Real = 100.0;
/// Step \[s\], friction, how fast bodies come together \[1/s\], and at random \[m/s\].
const PILE_STEP: Real = 0.003;
const FRICTION: Real = 0.4;
const CLOSING: Real = 5.0;
const SPEED: Real = 0.1;

/// A pile and what is known of it.
pub struct Pile {
    pub made: Made,
    /// Velocities before the contacts \[m/s\].
    pub before: Vec<Real>,
    centers: Vec<Vec3>,
}

/// A pile of soft bodies on a floor with `contacts` contacts, all with friction, each body coming down and a little its own
/// way.
pub fn pile(contacts: usize, seed: u64) -> Pile {
    let mut dice = Dice::new(seed);
    let [nx, ny, nz] = PILE;
    let apart = 2.0 * RADIUS - PRESSED;
    let place = |k: usize| Vec3::from([k % nx, k / nx % ny, k / (nx * ny)].map(|c| c as Real)) * apart;
    let centers: Vec<Vec3> = (0..nx * ny * nz).map(place).collect();
    let meshes: Vec<Mesh> =
        centers.iter().filter_map(|c| sphere::even_sphere(*c, RADIUS, VERTICES).ok()).collect();
    let points: Vec<Vec3> = meshes.iter().flat_map(|m| m.points.iter().copied()).collect();
    let matrix = tissue(&meshes);
    let mass = ORGAN / VERTICES as Real;
    let foot = Vec3::new(apart / 2.0, apart / 2.0, -RADIUS);
    let mut before = Vec::with_capacity(3 * points.len());
    for center in &centers {
        let own = Vec3::new(dice.normal(), dice.normal(), dice.normal()) * SPEED;
        let speed = (foot - *center) * CLOSING + own;
        (0..VERTICES).for_each(|_| before.extend(speed.to_array()));
    }
    let load = before.iter().map(|v| mass * v).collect();
    let made = Made { rows: touching(&meshes, &centers, contacts), points, matrix, load };
    Pile { made, before, centers }
}

impl Pile {
    /// Impulse and turning impulse over the radius that contacts give to each body.
    pub fn wrenches(&self, lambda: &[Real]) -> Vec<[Vec3; 2]> {
        let mut pushes = vec![0.0; self.before.len()];
        lambda.iter().enumerate().for_each(|(i, l)| self.made.rows.push_with(i, *l, &mut pushes));
        let mut all = vec![[Vec3::ZERO; 2]; self.centers.len()];
        for (v, push) in pushes.chunks_exact(3).enumerate() {
            let (body, push) = (v / VERTICES, Vec3::from_slice(push));
            all[body][0] += push;
            all[body][1] += (self.made.points[v] - self.centers[body]).cross(push) / RADIUS;
        }
        all
    }
}

/// M + h² times the stiffness of all edges, and of springs between the far corners of neighbouring triangles.
fn tissue(meshes: &[Mesh]) -> BlockMatrix<3> {
    let mut springs: Vec<([u32; 2], Real, Vec3)> = Vec::new();
    for (m, mesh) in meshes.iter().enumerate() {
        let mut add = |a: u32, b: u32, stiffness: Real| {
            let way = (mesh.points[a as usize] - mesh.points[b as usize]).normalize();
            springs.push(([a, b].map(|v| v + (m * VERTICES) as u32), stiffness, way));
        };
        mesh.edges.iter().for_each(|[a, b]| add(*a, *b, EDGE));
        let mut far: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for [a, b, c] in &mesh.triangles {
            for (p, q, corner) in [(a, b, c), (b, c, a), (c, a, b)] {
                if let Some(other) = far.insert([*p.min(q), *p.max(q)], *corner) {
                    add(other, *corner, BEND);
                }
            }
        }
    }
    let edges: Vec<[u32; 2]> = springs.iter().map(|s| s.0).collect();
    let count = meshes.len() * VERTICES;
    let mut matrix = BlockMatrix::of_elements(&edges, &vec![false; count]);
    for ([a, b], stiffness, way) in springs {
        let d = way.to_array();
        let block = |sign: Real| d.map(|p| d.map(|q| sign * PILE_STEP * PILE_STEP * stiffness * p * q));
        matrix.add(a, a, block(1.0));
        matrix.add(b, b, block(1.0));
        matrix.add(a, b, block(-1.0));
    }
    (0..count as u32).for_each(|v| matrix.add_diagonal(v, ORGAN / VERTICES as Real));
    matrix
}

/// Gap, vertices with their weights, normal.
type Touching = (Real, Vec<(u32, Real)>, Vec3);

/// The nearest contacts: vertices with triangles of neighbouring bodies, and with the floor.
fn touching(meshes: &[Mesh], centers: &[Vec3], contacts: usize) -> Rows {
    let floor = PRESSED / 2.0 - RADIUS;
    let mut all: Vec<Touching> = Vec::new();
    for (m, mesh) in meshes.iter().enumerate() {
        let global = |body: usize, v: u32| (body * VERTICES) as u32 + v;
        for (p, v) in mesh.points.iter().zip(0..) {
            all.push((p.z - floor, vec![(global(m, v), 1.0)], Vec3::Z));
            let near = |n: &usize| *n != m && centers[*n].distance(centers[m]) < 2.1 * RADIUS;
            for n in (0..meshes.len()).filter(near) {
                let gap = p.distance(centers[n]) - RADIUS;
                if gap < RADIUS / 4.0 {
                    let foot = centers[n] + (*p - centers[n]).normalize() * RADIUS;
                    let middle =
                        |t: &[u32; 3]| t.map(|v| meshes[n].points[v as usize]).iter().sum::<Vec3>() / 3.0;
                    let nearest = |a: &&[u32; 3], b: &&[u32; 3]| {
                        middle(a).distance(foot).total_cmp(&middle(b).distance(foot))
                    };
                    let Some(t) = meshes[n].triangles.iter().min_by(nearest) else { continue };
                    let weights = [(global(m, v), 1.0)].into_iter();
                    let weights = weights.chain(t.iter().map(|v| (global(n, *v), -1.0 / 3.0))).collect();
                    all.push((gap, weights, (*p - centers[n]).normalize()));
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1[0].0.cmp(&b.1[0].0)));
    let mut rows = Rows::default();
    for (gap, weights, normal) in all.into_iter().take(contacts) {
        rows.push_contact(&weights, normal, -gap.max(0.0) / PILE_STEP, FRICTION);
    }
    rows
}
