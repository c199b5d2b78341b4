//! Modes by conjugate gradients, as published: the slow twin of the factor.

use super::System;
use serosa_geometry::{Mat3, Real, Vec3};

/// A mode solved iteratively: its displacements \[m by unit\], and the steps it took.
pub struct Descended {
    /// Three numbers for each node.
    pub mode: Vec<Real>,
    /// Iterations.
    pub steps: usize,
}

/// Solves for one mode until its residual is `tolerance` of the right-hand side, or for `most` steps, preconditioned by the
/// blocks of nodes. Cost: one product with the matrix a step; the steps grow with the length of the body in elements.
pub fn descend(system: &System, column: usize, tolerance: Real, most: usize) -> Descended {
    let n = 3 * system.points.len();
    let mut residual = system.right_side(column);
    let free = |i: usize| system.matrix.node_of((i / 3) as u32).is_some();
    (0..n).filter(|i| !free(*i)).for_each(|i| residual[i] = 0.0);
    let blocks = diagonal(system);
    let mut x = vec![0.0; n];
    let mut z = precondition(&blocks, &residual);
    let (mut direction, mut product) = (z.clone(), vec![0.0; n]);
    let mut slope = dot(&residual, &z);
    let end = tolerance * tolerance * dot(&residual, &residual);
    let mut steps = 0;
    while steps < most && dot(&residual, &residual) > end {
        system.matrix.multiply(&direction, &mut product);
        let step = slope / dot(&direction, &product);
        for i in 0..n {
            x[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        z = precondition(&blocks, &residual);
        let next = dot(&residual, &z);
        let share = next / slope;
        direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + share * *d);
        (slope, steps) = (next, steps + 1);
    }
    let moved = system.prescribed(column);
    (0..n).filter(|i| !free(*i)).for_each(|i| x[i] = moved[i]);
    Descended { mode: x, steps }
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of each node's own block; zero for nodes that are not free.
fn diagonal(system: &System) -> Vec<Mat3> {
    let mut all = vec![Mat3::ZERO; system.points.len()];
    for (node, v) in system.matrix.free().iter().enumerate() {
        if let Some((_, b)) = system.matrix.column(node).next() {
            let column = |q: usize| Vec3::new(b[0][q], b[1][q], b[2][q]);
            all[*v as usize] = Mat3::from_cols(column(0), column(1), column(2)).inverse();
        }
    }
    all
}

fn precondition(blocks: &[Mat3], r: &[Real]) -> Vec<Real> {
    let each = blocks.iter().zip(r.chunks_exact(3));
    each.flat_map(|(block, r)| (*block * Vec3::from_slice(r)).to_array()).collect()
}
