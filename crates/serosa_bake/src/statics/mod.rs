//! Bodies at rest under loads: Newton's method on the whole of the elastic energy, exactly.
//!
//! Not what the frame does, but what it is measured by: the same laws, with linear or quadratic tetrahedra, each step by a
//! sparse factor of the exact tangent. Loads may be put on in steps, and prescribed displacements with them.

pub mod element;

use crate::cholesky::{FactorError, dissect, factor_in_order};
use element::{Sample, linear, quadratic};
use serosa_geometry::{Mat3, Real, Vec3};
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::sparse::{Fronts, Precision};
use serosa_sim::body::solid::Elastic;

/// Steps are halved at most so often where they do not lower the energy.
const HALVINGS: u32 = 12;
/// Newton steps of one load.
const STEPS: u32 = 100;
/// At rest when no force is larger than this part of the largest inner force.
const AT_REST: Real = 1e-9;

/// A body as it is analysed.
#[derive(Clone, Debug)]
pub struct Body<const N: usize> {
    /// Nodes at rest \[m\].
    pub points: Vec<Vec3>,
    /// Nodes of each element.
    pub elements: Vec<[u32; N]>,
    /// The law of each element.
    pub laws: Vec<Elastic>,
    /// Where it is integrated: so many samples for each element.
    samples: Vec<Sample<N>>,
}

/// What holds and loads a body.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// Nodes that are held, and where \[m\].
    pub held: Vec<(u32, Vec3)>,
    /// Nodes held along one axis (0, 1, 2) where they are at rest: rollers.
    pub rollers: Vec<(u32, usize)>,
    /// Forces on nodes \[N\].
    pub forces: Vec<(u32, Vec3)>,
}

/// Why no rest was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StaticsError {
    /// The tangent has no factor even when it is strengthened.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// Newton's method did not end.
    #[error("no rest was found: forces of {left:e} N are left after {steps} steps")]
    Unsettled {
        /// The largest force that is left \[N\].
        left: Real,
        /// Newton steps taken.
        steps: u32,
    },
}

impl Body<4> {
    /// Linear tetrahedra.
    pub fn linear(points: Vec<Vec3>, elements: Vec<[u32; 4]>, laws: Vec<Elastic>) -> Self {
        let samples = elements.iter().map(|e| linear(e.map(|v| points[v as usize]))).collect();
        Self { points, elements, laws, samples }
    }
}

impl Body<10> {
    /// Quadratic tetrahedra.
    pub fn quadratic(points: Vec<Vec3>, elements: Vec<[u32; 10]>, laws: Vec<Elastic>) -> Self {
        let samples = elements.iter().flat_map(|e| quadratic(&e.map(|v| points[v as usize]))).collect();
        Self { points, elements, laws, samples }
    }
}

impl<const N: usize> Body<N> {
    /// Elements with their laws and samples.
    fn parts(&self) -> impl Iterator<Item = (&[u32; N], &Elastic, &[Sample<N>])> {
        let each = (self.samples.len() / self.elements.len().max(1)).max(1);
        self.elements.iter().zip(&self.laws).zip(self.samples.chunks(each)).map(|((e, l), s)| (e, l, s))
    }

    /// The deformation gradients at the samples of each element.
    pub fn gradients(&self, pos: &[Vec3]) -> Vec<Mat3> {
        let mut all = Vec::with_capacity(self.samples.len());
        for (nodes, _, samples) in self.parts() {
            all.extend(samples.iter().map(|s| deformation(nodes, s, pos)));
        }
        all
    }

    /// Elastic energy \[J\].
    pub fn energy(&self, pos: &[Vec3]) -> Real {
        let of = |(nodes, law, samples): (&[u32; N], &Elastic, &[Sample<N>])| -> Real {
            samples.iter().map(|s| law.density(&deformation(nodes, s, pos)) * s.weight).sum()
        };
        self.parts().map(of).sum()
    }

    /// Elastic forces on the nodes \[N\].
    pub fn forces(&self, pos: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.points.len()];
        for (nodes, law, samples) in self.parts() {
            for sample in samples {
                let stress = law.stress(&deformation(nodes, sample, pos)) * sample.weight;
                for (v, g) in nodes.iter().zip(sample.gradients) {
                    out[*v as usize] -= stress * g;
                }
            }
        }
        out
    }

    /// Weight of a body of that density, shared by the shape functions as they are integrated \[N\].
    pub fn weight(&self, density: Real, gravity: Vec3) -> Vec<(u32, Vec3)> {
        let mut share = vec![0.0; self.points.len()];
        for (nodes, _, samples) in self.parts() {
            let volume: Real = samples.iter().map(|s| s.weight).sum();
            for (i, v) in nodes.iter().enumerate() {
                // The integrals of quadratic shape functions: −1/20 at corners, 1/5 at middles.
                let part = if N == 4 {
                    0.25
                } else if i < 4 {
                    -0.05
                } else {
                    0.2
                };
                share[*v as usize] += part * volume;
            }
        }
        share.into_iter().zip(0..).map(|(volume, v)| (v, gravity * (density * volume))).collect()
    }

    /// The tangent \[N/m\] at some positions.
    fn tangent(&self, pos: &[Vec3], fixed: &[bool]) -> BlockMatrix<3> {
        let mut matrix = BlockMatrix::of_elements(&self.elements, fixed);
        let mut blocks = [[[[0.0; 3]; 3]; N]; N];
        for (nodes, law, samples) in self.parts() {
            blocks.iter_mut().flatten().for_each(|b| *b = [[0.0; 3]; 3]);
            for sample in samples {
                add_sample(law, sample, &deformation(nodes, sample, pos), &mut blocks);
            }
            for i in 0..N {
                for j in 0..=i {
                    matrix.add(nodes[i], nodes[j], blocks[i][j]);
                }
            }
        }
        matrix
    }

    /// Where the body is at rest under the loads, from `start`. Loads and displacements of held nodes are put on in so many
    /// equal steps.
    pub fn settle(&self, start: &[Vec3], loads: &Loads, steps: u32) -> Result<Vec<Vec3>, StaticsError> {
        let mut rest = Rest::of(self, loads, start);
        for step in 1..=steps {
            rest.load(step as Real / steps as Real);
            rest.settle()?;
        }
        Ok(rest.pos)
    }
}

fn deformation<const N: usize>(nodes: &[u32; N], sample: &Sample<N>, pos: &[Vec3]) -> Mat3 {
    let mut f = Mat3::ZERO;
    for (v, g) in nodes.iter().zip(sample.gradients) {
        let x = pos[*v as usize];
        f += Mat3::from_cols(x * g.x, x * g.y, x * g.z);
    }
    f
}

/// Adds the lower blocks of one sample.
fn add_sample<const N: usize>(
    law: &Elastic,
    sample: &Sample<N>,
    f: &Mat3,
    blocks: &mut [[[[Real; 3]; 3]; N]; N],
) {
    let (tangent, g) = (law.tangent(f), &sample.gradients);
    for j in 0..N {
        for (q, axis) in Vec3::AXES.into_iter().enumerate() {
            let by = g[j] * sample.weight;
            let change = tangent.along(&Mat3::from_cols(axis * by.x, axis * by.y, axis * by.z));
            for i in j..N {
                let column = change * g[i];
                blocks[i][j].iter_mut().zip(column.to_array()).for_each(|(row, c)| row[q] += c);
            }
        }
    }
}

/// A body on its way to rest.
struct Rest<'a, const N: usize> {
    body: &'a Body<N>,
    loads: &'a Loads,
    start: Vec<Vec3>,
    pos: Vec<Vec3>,
    fixed: Vec<bool>,
    /// How much of the loads is on.
    share: Real,
    order: Vec<u32>,
    fronts: Fronts,
}

impl<'a, const N: usize> Rest<'a, N> {
    fn of(body: &'a Body<N>, loads: &'a Loads, start: &[Vec3]) -> Self {
        let mut fixed = vec![false; start.len()];
        loads.held.iter().for_each(|(v, _)| fixed[*v as usize] = true);
        let pattern = BlockMatrix::<3>::of_elements(&body.elements, &fixed);
        let places: Vec<Vec3> = pattern.free().iter().map(|v| body.points[*v as usize]).collect();
        let order = dissect::order(&dissect::Graph::of(&pattern), &places);
        let (start, pos) = (start.to_vec(), start.to_vec());
        Self { body, loads, start, pos, fixed, share: 0.0, order, fronts: Fronts::default() }
    }

    fn load(&mut self, share: Real) {
        for (v, to) in &self.loads.held {
            let from = self.start[*v as usize];
            self.pos[*v as usize] = from + (*to - from) * share;
        }
        self.share = share;
    }

    /// Elastic energy less the work of the loads \[J\].
    fn energy(&self, pos: &[Vec3]) -> Real {
        let work =
            |(v, f): &(u32, Vec3)| f.dot(pos[*v as usize] - self.body.points[*v as usize]) * self.share;
        self.body.energy(pos) - self.loads.forces.iter().map(work).sum::<Real>()
    }

    /// What is not balanced \[N\], and the largest inner force.
    fn unbalanced(&self) -> (Vec<Real>, Real) {
        let mut forces = self.body.forces(&self.pos);
        let most = forces.iter().map(|f| f.length()).fold(0.0, Real::max);
        self.loads.forces.iter().for_each(|(v, f)| forces[*v as usize] += *f * self.share);
        self.loads.rollers.iter().for_each(|(v, axis)| forces[*v as usize][*axis] = 0.0);
        forces.iter_mut().zip(&self.fixed).filter(|(_, fixed)| **fixed).for_each(|(f, _)| *f = Vec3::ZERO);
        (forces.iter().flat_map(|f| f.to_array()).collect(), most)
    }

    fn settle(&mut self) -> Result<(), StaticsError> {
        let mut left = Real::INFINITY;
        for _ in 0..STEPS {
            let (mut step, most) = self.unbalanced();
            left = step.iter().fold(0.0, |m: Real, f| m.max(f.abs()));
            if left <= AT_REST * most.max(1e-300) {
                return Ok(());
            }
            let slope = self.solve(&mut step)?;
            if !self.advance(&step, slope) {
                break;
            }
        }
        // What rounding leaves is at rest as well.
        let (forces, most) = self.unbalanced();
        let now = forces.iter().fold(0.0, |m: Real, f| m.max(f.abs()));
        if now <= 1e-6 * most {
            Ok(())
        } else {
            Err(StaticsError::Unsettled { left: left.min(now), steps: STEPS })
        }
    }

    /// From forces to a step; returns how fast the energy falls along it \[J\]. Where the tangent is not positive it is
    /// strengthened.
    fn solve(&mut self, step: &mut [Real]) -> Result<Real, StaticsError> {
        let forces = step.to_vec();
        let matrix = self.body.tangent(&self.pos, &self.fixed);
        let scale = matrix_scale(&matrix);
        let mut more = 0.0;
        loop {
            let mut matrix = matrix.clone();
            (0..self.fixed.len() as u32).for_each(|v| matrix.add_diagonal(v, more));
            for (v, axis) in &self.loads.rollers {
                let mut block = [[0.0; 3]; 3];
                block[*axis][*axis] = 1e8 * scale;
                matrix.add(*v, *v, block);
            }
            match factor_in_order(&matrix, self.order.clone(), Precision::Double) {
                Ok(factor) => {
                    factor.solve(step, 1, &mut self.fronts);
                    return Ok(step.iter().zip(&forces).map(|(x, f)| x * f).sum());
                }
                Err(fault) if more > scale => return Err(fault.into()),
                Err(_) => more = if more == 0.0 { 1e-6 * scale } else { 10.0 * more },
            }
        }
    }

    /// Goes along a step as far as the energy falls; false where it does not.
    fn advance(&mut self, step: &[Real], slope: Real) -> bool {
        let before = self.energy(&self.pos);
        // Small strains of a stiff body: what rounding makes of their energies may be more than what a step gains.
        let rounding = |(_, law, samples): (&[u32; N], &Elastic, &[Sample<N>])| {
            law.rounding() * samples.iter().map(|s| s.weight).sum::<Real>()
        };
        let noise = 1e-13 * before.abs() + self.body.parts().map(rounding).sum::<Real>();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let mut next = self.pos.clone();
            for (x, s) in next.iter_mut().zip(step.chunks_exact(3)) {
                *x += Vec3::from_slice(s) * share;
            }
            if self.energy(&next) <= before - 1e-4 * share * slope + noise {
                self.pos = next;
                return true;
            }
            share *= 0.5;
        }
        false
    }
}

/// The largest entry of the diagonal.
fn matrix_scale(matrix: &BlockMatrix<3>) -> Real {
    let diagonal = |n: usize| matrix.column(n).next().map_or(0.0, |(_, b)| b[0][0].max(b[1][1]).max(b[2][2]));
    (0..matrix.free().len()).map(diagonal).fold(0.0, Real::max)
}
