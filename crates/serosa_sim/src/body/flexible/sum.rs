//! The weighted sum of modes, and the strain it brings.

use super::FlexibleWork;
use crate::algebra::widest;
use crate::model::{FlexibleBody, MODE_BLOCK};
use crate::{Real, Vec3};
use rayon::prelude::*;

/// Blocks that one job sums.
const JOB: usize = 32;
/// Triangles that one job measures.
const TRIANGLES: usize = 2048;

/// The shape of a body: vertices at `rest` go to `pos`. One pass over the modes: 3 · vertices · columns multiplications.
///
/// Each vertex is summed column by column, whoever sums it, so that the bits do not depend on threads or vector units.
pub fn shape(body: &FlexibleBody, work: &FlexibleWork, rest: &[Vec3], pos: &mut [Vec3]) {
    let (weights, frame) = (&work.weights[..], &work.frame);
    let size = 3 * MODE_BLOCK * weights.len();
    let jobs = pos.par_chunks_mut(JOB * MODE_BLOCK).zip(rest.par_chunks(JOB * MODE_BLOCK));
    jobs.zip(body.modes.par_chunks(JOB * size)).for_each(|((pos, rest), modes)| {
        let blocks = pos.chunks_mut(MODE_BLOCK).zip(rest.chunks(MODE_BLOCK)).zip(modes.chunks_exact(size));
        for ((pos, rest), modes) in blocks {
            let mut sum = [0.0f32; 3 * MODE_BLOCK];
            weigh(modes, weights, &mut sum);
            for (k, (pos, rest)) in pos.iter_mut().zip(rest).enumerate() {
                let moved = [0, 1, 2].map(|axis| Real::from(sum[axis * MODE_BLOCK + k]));
                *pos = frame.point(*rest + Vec3::from_array(moved));
            }
        }
    });
}

/// Σ weight · column over one block.
pub fn weigh(modes: &[f32], weights: &[f32], sum: &mut [f32; 3 * MODE_BLOCK]) {
    widest!(add_columns(modes, weights, sum))
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::MODE_BLOCK;

    #[target_feature(enable = "avx2")]
    pub(super) fn add_columns(modes: &[f32], weights: &[f32], sum: &mut [f32; 3 * MODE_BLOCK]) {
        super::add_columns(modes, weights, sum);
    }
}

#[inline(always)]
fn add_columns(modes: &[f32], weights: &[f32], sum: &mut [f32; 3 * MODE_BLOCK]) {
    let mut total = *sum;
    let (columns, _) = modes.as_chunks::<{ 3 * MODE_BLOCK }>();
    for (column, weight) in columns.iter().zip(weights) {
        for (total, m) in total.iter_mut().zip(column) {
            *total += weight * m;
        }
    }
    *sum = total;
}

/// The largest relative change of area of all triangles; infinite where one is no number. O(triangles).
pub fn largest_strain(triangles: &[[u32; 3]], rest: &[Vec3], pos: &[Vec3]) -> Real {
    let area = |at: &[Vec3], t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| at[v as usize]);
        (b - a).cross(c - a).length()
    };
    let strain = |t: &[u32; 3]| {
        let strain = (area(pos, t) / area(rest, t) - 1.0).abs();
        if strain.is_nan() { Real::INFINITY } else { strain }
    };
    let jobs = triangles.par_chunks(TRIANGLES);
    jobs.map(|part| part.iter().map(strain).fold(0.0, Real::max)).reduce(|| 0.0, Real::max)
}
