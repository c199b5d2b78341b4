//! The reference step: projected Newton on the incremental potential with barriers, steps cut short before anything
//! touches.

use super::barrier::{Barrier, Pair, Rub};
use super::bodies::{Bodies, Ground, spring_energy, spring_piece};
use super::near::Kind;
use super::piece::{Piece, outer};
use serosa_bake::cholesky::factor;
use serosa_geometry::ccd::{edge_edge, vertex_triangle};
use serosa_geometry::{Mat3, Real, Vec3};
use serosa_sim::World;
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::sparse::{Fronts, Precision};

/// What a step may leave of any gap.
const LEFT: Real = 0.1;
/// Newton steps of one solve, and solves with new friction of one step of time.
const ITERATIONS: usize = 200;
const LAGS: usize = 40;

/// How exactly things are done.
#[derive(Clone, Copy, Debug)]
pub struct Exactness {
    /// A solve has ended where no node goes farther in a Newton step \[m\].
    pub step: Real,
    /// Friction has settled where no force changes by more than this \[N\].
    pub friction: Real,
    /// Speed below which friction is not all of its limit \[m/s\].
    pub creep: Real,
}

/// A world in the hands of the reference solver.
pub struct Yardstick {
    pub bodies: Bodies,
    pub h: Real,
    pub fall: Vec3,
    pub pos: Vec<Vec3>,
    pub vel: Vec<Vec3>,
    pub barrier: Barrier,
    pub exact: Exactness,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// Newton steps in all.
    pub iterations: usize,
    /// Solves with new friction.
    pub lags: usize,
    /// The last Newton step \[m\].
    pub last_step: Real,
    /// What is not balanced \[N\].
    pub residual: Real,
    /// The smallest gap at any accepted place \[m\].
    pub least_gap: Real,
    /// The change of friction forces by the last solve \[N\].
    pub friction_change: Real,
}

/// The potential of one step of time.
struct Potential<'a> {
    yard: &'a Yardstick,
    target: Vec<Vec3>,
    rubs: Vec<Rub>,
}

impl Yardstick {
    /// Of a world as it is; `radius` is half the thickness of solids.
    pub fn of(world: &World, radius: Real, barrier: Barrier, exact: Exactness) -> Self {
        let bodies = Bodies::of(world, radius);
        let mut pos = world.state.pos.clone();
        pos.extend_from_slice(&bodies.rest[pos.len()..]);
        let mut vel = world.state.vel.clone();
        vel.resize(pos.len(), Vec3::ZERO);
        let h = world.params.dt_s / Real::from(world.params.substeps.max(1));
        Self { bodies, h, fall: world.params.fall(), pos, vel, barrier, exact }
    }

    /// All pairs, and the gaps to half-spaces: the smallest gap anywhere \[m\].
    pub fn least_gap(&self, pos: &[Vec3]) -> Real {
        let near = self.bodies.pairs(pos, pos, 2.0 * self.barrier.reach);
        let pairs = near.iter().map(|p| p.gap(pos)).fold(Real::INFINITY, Real::min);
        self.grounds(pos).map(|(.., gap)| gap).fold(pairs, Real::min)
    }

    /// Vertices and what they stay out of: vertex, half-space or box, and gap \[m\].
    fn grounds(&self, pos: &[Vec3]) -> impl Iterator<Item = (u32, usize, Real)> {
        let b = &self.bodies;
        b.grounds.iter().enumerate().flat_map(move |(k, g)| {
            let free = b.vertices.iter().filter(|v| !b.fixed[**v as usize]);
            free.map(move |v| (*v, k, g.measure(pos[*v as usize]).0 - b.radius[*v as usize]))
        })
    }

    /// The force with which half-spaces and fixed shapes push on what moves, friction apart \[N\].
    pub fn support(&self) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (v, k, gap) in self.grounds(&self.pos) {
            sum -= self.bodies.grounds[k].measure(self.pos[v as usize]).1 * self.barrier.at(gap)[1];
        }
        for pair in self.bodies.pairs(&self.pos, &self.pos, self.barrier.reach) {
            let piece = pair.piece(&pair.places(&self.pos), &self.barrier);
            let moved =
                pair.nodes.iter().zip(piece.gradient).filter(|(v, _)| !self.bodies.fixed[**v as usize]);
            sum -= moved.map(|(_, g)| g).sum::<Vec3>();
        }
        sum
    }

    /// The force with which everything pushes on one node, friction apart \[N\].
    pub fn push_on(&self, node: usize) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for pair in self.bodies.pairs(&self.pos, &self.pos, self.barrier.reach) {
            let piece = pair.piece(&pair.places(&self.pos), &self.barrier);
            let own = pair.nodes.iter().zip(piece.gradient).filter(|(v, _)| **v as usize == node);
            sum -= own.map(|(_, g)| g).sum::<Vec3>();
        }
        sum
    }

    /// Contacts with their friction where everything is at `pos`.
    fn rubs(&self, pos: &[Vec3]) -> Vec<Rub> {
        let b = &self.bodies;
        let pairs = b.pairs(pos, pos, self.barrier.reach).into_iter().filter(|p| p.friction > 0.0);
        let mut rubs: Vec<Rub> = pairs.filter_map(|p| p.rub(pos, &self.barrier)).collect();
        for (v, k, gap) in self.grounds(pos) {
            let (ground, force) = (&b.grounds[k], -self.barrier.at(gap)[1]);
            let friction = (ground.friction * b.friction[v as usize]).sqrt();
            if friction * force > 0.0 {
                let n = ground.measure(pos[v as usize]).1;
                let tangential = Mat3::IDENTITY - outer(n, n);
                let (nodes, weights) = ([v; 4], [1.0, 0.0, 0.0, 0.0]);
                rubs.push(Rub { nodes, weights, tangential, limit: friction * force });
            }
        }
        rubs
    }

    /// One step of time by backward Euler.
    pub fn step(&mut self) -> Told {
        let h = self.h;
        let go = |v: usize| if self.bodies.fixed[v] { Vec3::ZERO } else { (self.vel[v] + self.fall * h) * h };
        let target: Vec<Vec3> = (0..self.pos.len()).map(|v| self.pos[v] + go(v)).collect();
        let rubs = self.rubs(&self.pos);
        let mut told = Told { least_gap: self.least_gap(&self.pos), ..Told::default() };
        let mut potential = Potential { yard: self, target, rubs };
        let mut pos = self.pos.clone();
        loop {
            potential.descend(&mut pos, &mut told);
            told.lags += 1;
            let next = self.rubs(&pos);
            told.friction_change = potential.friction_change(&pos, &next);
            if told.friction_change <= self.exact.friction || told.lags >= LAGS {
                break;
            }
            potential.rubs = next;
        }
        self.vel = pos.iter().zip(&self.pos).map(|(x, old)| (*x - *old) / h).collect();
        self.pos = pos;
        told
    }
}

/// The barrier of a vertex over a half-space or a box, on the first of four nodes.
pub fn ground_piece(ground: &Ground, x: Vec3, [energy, slope, bend]: [Real; 3]) -> Piece {
    let n = ground.measure(x).1;
    let mut piece = Piece { energy, ..Piece::NONE };
    piece.gradient[0] = n * slope;
    piece.add_block(0, 0, &(outer(n, n) * bend + ground.curvature(x) * slope));
    piece
}

impl Potential<'_> {
    fn still(&self) -> Real {
        self.yard.exact.creep * self.yard.h
    }

    /// The largest change of the friction on a node.
    fn friction_change(&self, pos: &[Vec3], next: &[Rub]) -> Real {
        let mut forces = vec![Vec3::ZERO; pos.len()];
        for (rubs, sign) in [(&self.rubs[..], -1.0), (next, 1.0)] {
            for rub in rubs {
                let force = rub.force(pos, &self.yard.pos, self.still()) * sign;
                rub.nodes.iter().zip(rub.weights).for_each(|(v, w)| forces[*v as usize] += force * w);
            }
        }
        forces.iter().map(|f| f.length()).fold(0.0, Real::max)
    }

    fn energy(&self, pos: &[Vec3], pairs: &[Pair]) -> Real {
        let (yard, b) = (self.yard, &self.yard.bodies);
        let inertia =
            |v: usize| 0.5 * b.mass[v] * pos[v].distance_squared(self.target[v]) / (yard.h * yard.h);
        let moved = (0..pos.len()).filter(|v| !b.fixed[*v]).map(inertia).sum::<Real>();
        let elastic = b.elements.iter().map(|e| e.energy(pos)).sum::<Real>()
            + b.springs.iter().map(|s| spring_energy(s, pos)).sum::<Real>();
        let contact = pairs.iter().map(|p| p.energy(pos, &yard.barrier)).sum::<Real>()
            + yard.grounds(pos).map(|(.., gap)| yard.barrier.at(gap)[0]).sum::<Real>();
        let friction = self.rubs.iter().map(|r| r.energy(pos, &yard.pos, self.still())).sum::<Real>();
        moved + elastic + contact + friction
    }

    /// All terms over four nodes, projected.
    fn pieces(&self, pos: &[Vec3], pairs: &[Pair]) -> Vec<([u32; 4], Piece)> {
        let (yard, b) = (self.yard, &self.yard.bodies);
        let mut all: Vec<([u32; 4], Piece)> =
            b.elements.iter().map(|e| (e.nodes, e.piece(pos, true))).collect();
        for spring in &b.springs {
            let [i, j] = spring.0.ends.map(|v| v.at() as u32);
            all.push(([i, j, j, j], spring_piece(spring, pos, true)));
        }
        for pair in pairs.iter().filter(|p| p.gap(pos) < yard.barrier.reach) {
            all.push((pair.nodes, pair.piece(&pair.places(pos), &yard.barrier).projected()));
        }
        for (v, k, gap) in yard.grounds(pos).filter(|(.., gap)| *gap < yard.barrier.reach) {
            all.push((
                [v; 4],
                ground_piece(&b.grounds[k], pos[v as usize], yard.barrier.at(gap)).projected(),
            ));
        }
        all.extend(self.rubs.iter().map(|r| (r.nodes, r.piece(pos, &yard.pos, self.still()))));
        all
    }

    /// The slope \[N\] of the potential, and Newton's step from it.
    fn newton(&self, pos: &[Vec3], pairs: &[Pair]) -> (Vec<Vec3>, Vec<Vec3>) {
        let (yard, b) = (self.yard, &self.yard.bodies);
        let pieces = self.pieces(pos, pairs);
        let quads: Vec<[u32; 4]> = pieces.iter().map(|(nodes, _)| *nodes).collect();
        let mut matrix = BlockMatrix::<3>::of_elements(&quads, &b.fixed);
        let per = |v: usize| b.mass[v] / (yard.h * yard.h);
        let mut slope: Vec<Vec3> = (0..pos.len()).map(|v| (pos[v] - self.target[v]) * per(v)).collect();
        (0..pos.len()).for_each(|v| matrix.add_diagonal(v as u32, per(v)));
        for (nodes, piece) in &pieces {
            for i in 0..4 {
                slope[nodes[i] as usize] += piece.gradient[i];
                (0..=i).for_each(|j| matrix.add(nodes[i], nodes[j], piece.block(i, j)));
            }
        }
        slope.iter_mut().zip(&b.fixed).filter(|(_, fixed)| **fixed).for_each(|(s, _)| *s = Vec3::ZERO);
        let mut step: Vec<Real> = slope.iter().flat_map(|s| (-*s).to_array()).collect();
        let factor = factor(&matrix, pos, Precision::Double).unwrap();
        factor.solve(&mut step, 1, &mut Fronts::default());
        let step = step.chunks_exact(3).zip(&b.fixed);
        (slope, step.map(|(s, fixed)| if *fixed { Vec3::ZERO } else { Vec3::from_slice(s) }).collect())
    }

    /// How much of a step leaves a tenth of every gap, at every instant.
    fn room(&self, pos: &[Vec3], to: &[Vec3], pairs: &[Pair]) -> Real {
        let yard = self.yard;
        let mut room: Real = 1.0;
        for pair in pairs {
            let least = pair.thickness + LEFT * pair.gap(pos);
            let hit = match pair.kind {
                Kind::VertexTriangle => vertex_triangle(pair.places(pos), pair.places(to), least),
                Kind::EdgeEdge => edge_edge(pair.places(pos), pair.places(to), least),
            };
            room = room.min(hit.unwrap_or(1.0));
        }
        for (v, k, gap) in yard.grounds(pos) {
            // The plane at the nearest point has the whole shape behind it.
            let n = yard.bodies.grounds[k].measure(pos[v as usize]).1;
            let nearer = -n.dot(to[v as usize] - pos[v as usize]);
            if nearer > (1.0 - LEFT) * gap {
                room = room.min((1.0 - LEFT) * gap / nearer);
            }
        }
        room
    }

    fn descend(&mut self, pos: &mut Vec<Vec3>, told: &mut Told) {
        let (yard, b) = (self.yard, &self.yard.bodies);
        let rounding: Real = b.elements.iter().map(|e| e.rounding()).sum();
        for _ in 0..ITERATIONS {
            let near = b.pairs(pos, pos, yard.barrier.reach);
            let (slope, step) = self.newton(pos, &near);
            told.residual = slope.iter().map(|s| s.length()).fold(0.0, Real::max);
            told.last_step = step.iter().map(|s| s.length()).fold(0.0, Real::max);
            told.iterations += 1;
            let to: Vec<Vec3> = pos.iter().zip(&step).map(|(x, s)| *x + *s).collect();
            let pairs = b.pairs(pos, &to, yard.barrier.reach);
            let before = self.energy(pos, &pairs);
            let falls: Real = slope.iter().zip(&step).map(|(s, d)| -s.dot(*d)).sum();
            let mut share = self.room(pos, &to, &pairs);
            let noise = rounding + 1e-14 * before.abs();
            let next = loop {
                let next: Vec<Vec3> = pos.iter().zip(&step).map(|(x, s)| *x + *s * share).collect();
                if self.energy(&next, &pairs) <= before - 1e-4 * share * falls + noise || share < 1e-12 {
                    break next;
                }
                share *= 0.5;
            };
            *pos = next;
            told.least_gap = told.least_gap.min(yard.least_gap(pos));
            assert!(told.least_gap > 0.0, "penetration");
            if told.last_step <= yard.exact.step {
                return;
            }
        }
        panic!("Newton's method has not ended: {told:?}");
    }
}
