//! Tetrahedra of ten nodes, which do not lock.
//!
//! The nodes are the entries of a symmetric table of four by four: y_cc is the corner c, y_cd the middle of the edge cd.
//! With barycentric coordinates l the body is at Σ l_c (2 l_c − 1) y_cc + Σ 4 l_c l_d y_cd, and its slopes along them
//! are e_c = 4 Σ_k l_k y_ck − y_cc. As edges are straight at rest, F = (e_b − e_a, e_c − e_a, e_d − e_a) · inverse, with
//! the inverse of the four corners. The energy is summed over four samples of a quarter of the volume each.
//!
//! J of a sample is affine in one node, so here too the whole potential is a quadratic of that node, and it can go to
//! its exact minimum. That is what is done where steps as a whole do not help, and about jaws and ties; nodes go one
//! after the other, by one thread.

use super::lanes::{Lane, Spot};
use super::loads::Load;
use super::material::{cofactor, polar};
use super::prepare::{CHUNK, Nearness, Solid, Stuff, Turning, spot, vec};
use super::sweep::{Held, Weights};
use crate::model::{LANES, MIDDLES, NONE, Quadratic, SAMPLE, Tet};
use crate::respond::augmented_lagrangian::Local;
use crate::{Mat3, Quat, Real, Vec3};
use rayon::prelude::*;

/// Which node stands where in the table.
pub(super) const TABLE: [[usize; 4]; 4] = [[0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3]];
/// 4 l of all corners, and what the corner of the sample has more.
const ALL: Real = 4.0 * SAMPLE[1];
const MORE: Real = 4.0 * (SAMPLE[0] - SAMPLE[1]);

/// F at the four samples of a tetrahedron.
#[inline]
fn deformations(tet: &Tet, y: &[Vec3; 10]) -> [Mat3; 4] {
    let all: [Vec3; 4] = std::array::from_fn(|c| {
        let [p, q, r, s] = TABLE[c].map(|i| y[i]);
        (p + q + r + s) * ALL - y[c]
    });
    std::array::from_fn(|k| {
        let [a, b, c, d] = std::array::from_fn(|c| all[c] + y[TABLE[c][k]] * MORE);
        Mat3::from_cols(b - a, c - a, d - a) * tet.inverse
    })
}

/// The slopes of an energy along the ten nodes, given those along F at the samples.
#[inline]
fn spread(tet: &Tet, stresses: &[Mat3; 4]) -> [Vec3; 10] {
    let back = tet.inverse.transpose();
    let along: [[Vec3; 4]; 4] = std::array::from_fn(|k| {
        let q = stresses[k] * back;
        [-(q.x_axis + q.y_axis + q.z_axis), q.x_axis, q.y_axis, q.z_axis]
    });
    let sums: [Vec3; 4] =
        std::array::from_fn(|c| (along[0][c] + along[1][c] + along[2][c] + along[3][c]) * ALL);
    std::array::from_fn(|i| match i {
        0..4 => sums[i] * (1.0 - 1.0 / ALL) + along[i][i] * MORE,
        _ => {
            let [c, d] = MIDDLES[i - 4];
            sums[c] + sums[d] + (along[d][c] + along[c][d]) * MORE
        }
    })
}

/// Gradients of the ten shape functions at the four samples \[1/m\].
pub(super) fn gradients(tet: &Tet) -> [[Vec3; 10]; 4] {
    let g = tet.gradients();
    std::array::from_fn(|k| {
        let l = |c: usize| SAMPLE[usize::from(c != k)];
        std::array::from_fn(|i| match i {
            0..4 => g[i] * (4.0 * l(i) - 1.0),
            _ => {
                let [c, d] = MIDDLES[i - 4];
                (g[c] * l(d) + g[d] * l(c)) * 4.0
            }
        })
    })
}

/// A solid whose tetrahedra have ten nodes. Its places are its vertices.
pub(super) struct Ten<'a> {
    pub solid: &'a Solid<'a>,
    pub quadratic: &'a Quadratic,
}

impl Ten<'_> {
    fn nodes(&self, t: usize, flow: &[Spot]) -> [Vec3; 10] {
        self.quadratic.nodes[t].map(|v| vec(flow[v as usize]))
    }

    fn stuff(&self, t: usize) -> &Stuff {
        &self.solid.stuff[self.solid.tets[t].region as usize]
    }

    /// Inertia alone; what samples resist has no constant weights.
    pub fn weigh(&self, weights: &mut Weights) {
        let none = Lane([0.0; LANES]);
        weights.edges.clear();
        weights.faces.clear();
        weights.held.clear();
        let groups = self.solid.inertia.len().div_ceil(LANES);
        weights.held.resize(groups, Held { diag: none, pull: [none; 3] });
        for (v, m) in self.solid.inertia.iter().enumerate() {
            weights.held[v / LANES].diag.0[v % LANES] = *m;
        }
    }

    /// Of inertia, towards `target`.
    pub fn pull(&self, weights: &mut Weights, target: &[Vec3]) {
        for (v, (m, y)) in self.solid.inertia.iter().zip(target).enumerate() {
            (0..3).for_each(|c| weights.held[v / LANES].pull[c].0[v % LANES] = y[c] * m);
        }
    }

    /// The start of a substep at the positions `flow`.
    pub fn remember(&self, turning: &mut Turning, flow: &[Spot]) {
        let n = 4 * self.solid.tets.len();
        turning.old.resize(n, Mat3::IDENTITY);
        turning.turns.resize(n, [Quat::IDENTITY; 2]);
        turning.drawn.resize(n, Mat3::ZERO);
        turning.aims.resize(n, 0.0);
        let corotated = self.solid.is_corotated();
        let Turning { old, turns, aims, .. } = turning;
        let jobs = old.as_chunks_mut::<4>().0.par_chunks_mut(CHUNK);
        let jobs = jobs.zip(turns.par_chunks_mut(4 * CHUNK)).zip(aims.par_chunks_mut(4 * CHUNK));
        jobs.enumerate().for_each(|(job, ((old, turns), aims))| {
            for (i, old) in old.iter_mut().enumerate() {
                let t = job * CHUNK + i;
                *old = deformations(&self.solid.tets[t], &self.nodes(t, flow));
                for (k, f) in old.iter().enumerate() {
                    aims[4 * i + k] = self.stuff(t).aim(f.determinant());
                    turns[4 * i + k] = [Quat::IDENTITY, if corotated { polar(f) } else { Quat::IDENTITY }];
                }
            }
        });
    }

    /// Turns the samples nearer to where they are, and finds what draws them.
    pub fn turn(&self, turning: &mut Turning, flow: &[Spot], how: Nearness) {
        let Turning { old, turns, drawn, .. } = turning;
        let jobs = turns.par_chunks_mut(4 * CHUNK).zip(drawn.par_chunks_mut(4 * CHUNK));
        jobs.enumerate().for_each(|(job, (turns, drawn))| {
            for i in 0..turns.len() / 4 {
                let t = job * CHUNK + i;
                let stuff = self.stuff(t);
                for (k, f) in deformations(&self.solid.tets[t], &self.nodes(t, flow)).iter().enumerate() {
                    let to = stuff.turn(&mut turns[4 * i + k], f, &old[4 * t + k], how);
                    drawn[4 * i + k] = to * (2.0 * stuff.moduli.shear);
                }
            }
        });
    }

    /// Elastic energy, and that of damping with the rotations as they are \[J\].
    pub fn potential(&self, turning: &mut Turning, flow: &[Spot], damped: bool) -> Real {
        let Turning { old, turns, sums, .. } = turning;
        let n = self.solid.tets.len();
        sums.resize(n.div_ceil(CHUNK), 0.0);
        sums.par_iter_mut().enumerate().for_each(|(job, sum)| {
            *sum = 0.0;
            for t in job * CHUNK..((job + 1) * CHUNK).min(n) {
                let (tet, stuff) = (&self.solid.tets[t], self.stuff(t));
                let mut density = 0.0;
                for (k, f) in deformations(tet, &self.nodes(t, flow)).iter().enumerate() {
                    let from = damped.then(|| (&old[4 * t + k], turns[4 * t + k][0]));
                    density += stuff.density(f, from);
                }
                *sum += density * (0.25 * tet.volume);
            }
        });
        sums.iter().sum()
    }

    /// Stress of a sample, and the pressure of its volume over its cofactor \[Pa\].
    fn stress(&self, (t, k): (usize, usize), f: &Mat3, turning: &Turning) -> (Mat3, Mat3) {
        let (stuff, turns) = (self.stuff(t), self.solid.turns());
        let aim = if turns { turning.aims[4 * t + k] } else { stuff.aim(1.0) };
        let cofactor = cofactor(f);
        let mut stress = *f * stuff.stretch() + cofactor * (stuff.bulk() * (f.determinant() - aim));
        if turns {
            stress -= turning.drawn[4 * t + k];
        }
        (stress, cofactor)
    }

    /// Forces −∇Φ of all vertices: first of each tetrahedron, then gathered.
    pub fn slopes(&self, turning: &mut Turning, weights: &Weights, flow: &[Spot], out: &mut [Spot]) {
        let mut shares = std::mem::take(&mut turning.shares);
        shares.resize(self.solid.tets.len(), [Vec3::ZERO; 10]);
        shares.par_chunks_mut(CHUNK).enumerate().for_each(|(job, shares)| {
            for (i, share) in shares.iter_mut().enumerate() {
                let t = job * CHUNK + i;
                let tet = &self.solid.tets[t];
                let f = deformations(tet, &self.nodes(t, flow));
                let stresses =
                    std::array::from_fn(|k| self.stress((t, k), &f[k], turning).0 * (-0.25 * tet.volume));
                *share = spread(tet, &stresses);
            }
        });
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(job, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let v = job * CHUNK + i;
                let (pull, diag) = held(weights, v);
                let own = pull - vec(flow[v]) * diag;
                *out = spot(self.quadratic.star(v).fold(own, |sum, (t, node)| sum + shares[t][node]));
            }
        });
        turning.shares = shares;
    }

    /// The rotation of each vertex: next to the mean of F in the middles of its tetrahedra.
    pub fn rotations(&self, flow: &[Spot], out: &mut [Mat3]) {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(job, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                let (mut sum, mut volume) = (Mat3::ZERO, 0.0);
                for (t, _) in self.quadratic.star(job * CHUNK + i) {
                    let (tet, y) = (&self.solid.tets[t], self.nodes(t, flow));
                    // There 4 l = 1, and corners count for nothing.
                    let [a, b, c, d] = std::array::from_fn(|c| {
                        (0..4).filter(|k| *k != c).map(|k| y[TABLE[c][k]]).sum::<Vec3>()
                    });
                    sum += Mat3::from_cols(b - a, c - a, d - a) * tet.inverse * tet.volume;
                    volume += tet.volume;
                }
                *out = Mat3::from_quat(polar(&(sum * (1.0 / volume))));
            }
        });
    }

    /// Moves vertices to their minima, one after the other, with the rotations as they are.
    pub fn sweep(&self, turning: &Turning, weights: &Weights, flow: &mut [Spot], which: Option<&[u32]>) {
        let seats = &self.solid.body.layout.seats;
        let mut go = |v: usize| {
            if seats[v] != NONE {
                self.go_to_minimum(v, turning, weights, flow);
            }
        };
        match which {
            Some(which) => which.iter().for_each(|v| go(*v as usize)),
            None => (0..seats.len()).for_each(go),
        }
    }

    fn go_to_minimum(&self, v: usize, turning: &Turning, weights: &Weights, flow: &mut [Spot]) {
        let Local { force, matrix } = self.local(v, turning, weights, flow);
        flow[v] = spot(vec(flow[v]) + matrix.inverse() * force);
    }

    /// What its own body does to a vertex.
    pub fn local(&self, v: usize, turning: &Turning, weights: &Weights, flow: &[Spot]) -> Local {
        let (pull, mut diag) = held(weights, v);
        let mut force = pull - vec(flow[v]) * diag;
        let mut matrix = Mat3::ZERO;
        for (t, node) in self.quadratic.star(v) {
            let (tet, stuff) = (&self.solid.tets[t], self.stuff(t));
            let (gradients, weight) = (gradients(tet), 0.25 * tet.volume);
            for (k, f) in deformations(tet, &self.nodes(t, flow)).iter().enumerate() {
                let (stress, cofactor) = self.stress((t, k), f, turning);
                let g = gradients[k][node];
                force -= stress * g * weight;
                diag += stuff.stretch() * weight * g.length_squared();
                let n = cofactor * g;
                let by = n * (stuff.bulk() * weight);
                matrix += Mat3::from_cols(by * n.x, by * n.y, by * n.z);
            }
        }
        matrix += Mat3::from_diagonal(Vec3::splat(diag));
        Local { force, matrix }
    }

    /// The vertices that loads hold, and those with which they share a tetrahedron, ascending.
    pub fn around(&self, loads: &[Load], out: &mut Vec<u32>) {
        out.clear();
        for load in loads {
            let around = self.quadratic.star(load.vertex as usize);
            around.for_each(|(t, _)| out.extend_from_slice(&self.quadratic.nodes[t]));
        }
        out.sort_unstable();
        out.dedup();
    }
}

/// Pull and stiffness of what holds a vertex: inertia and loads.
fn held(weights: &Weights, v: usize) -> (Vec3, Real) {
    let (held, k) = (&weights.held[v / LANES], v % LANES);
    (Vec3::new(held.pull[0].0[k], held.pull[1].0[k], held.pull[2].0[k]), held.diag.0[k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VertexId;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    fn some_vec(seed: &mut u64) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| some(seed)))
    }

    /// By the table, and by the gradients of the shape functions written out.
    #[test]
    fn the_table_says_what_the_shape_functions_do() {
        let mut seed = 4;
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p + some_vec(&mut seed) * 0.2);
        let [a, b, c, d] = corners;
        let edges = Mat3::from_cols(b - a, c - a, d - a);
        let nodes = [0, 1, 2, 3].map(VertexId);
        let tet = Tet { nodes, inverse: edges.inverse(), volume: edges.determinant() / 6.0, region: 0 };
        let y: [Vec3; 10] = std::array::from_fn(|_| some_vec(&mut seed));
        let gradients = gradients(&tet);
        let stresses = [0; 4].map(|_| Mat3::from_cols_array(&std::array::from_fn(|_| some(&mut seed))));
        let spread = spread(&tet, &stresses);
        for (k, f) in deformations(&tet, &y).iter().enumerate() {
            let mut sum = Mat3::ZERO;
            for (x, g) in y.iter().zip(gradients[k]) {
                sum += Mat3::from_cols(*x * g.x, *x * g.y, *x * g.z);
            }
            assert!((sum - *f).to_cols_array().iter().all(|e| e.abs() < 1e-12), "{sum} {f}");
        }
        for (i, s) in spread.iter().enumerate() {
            let sum: Vec3 = (0..4).map(|k| stresses[k] * gradients[k][i]).sum();
            assert!((sum - *s).length() < 1e-12, "{i}: {sum} {s}");
        }
        assert!(gradients.iter().all(|g| g.iter().sum::<Vec3>().length() < 1e-12));
    }
}
