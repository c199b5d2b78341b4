//! The linear system of a substep, and conjugate gradients on it.
//!
//! Matrix-free: a product with the matrix is one pass over the elements, of about the cost of one pass of impulses
//! over them, but k of them reach as far as k² passes would. One thread and one order, so the bits are always the same.

use super::element::{Along, Bent, Spread};
use crate::algebra::widest;
use crate::{Real, Vec3};

/// Conjugate gradients end when the squared error, as the preconditioner measures it, has fallen to this share.
const CLOSE: Real = 1e-16;

/// Masses and elements, linear in the velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub along: Vec<Along>,
    pub spread: Vec<Spread>,
    pub bent: Vec<Bent>,
    /// Gradient of the enclosed volume \[m²\], one per vertex; empty where it is not kept.
    pub swell: Vec<Vec3>,
    pub swell_rate: Real,
    /// Impulse for a unit of speed by inertia and restoration \[kg\], one per vertex.
    pub weight: Vec<Real>,
    /// The preconditioner: 1 over a diagonal; 0 for vertices that do not move.
    pub inverse: Vec<Real>,
    /// What is left to solve \[N s\], one per vertex.
    pub residual: Vec<Vec3>,
    direction: Vec<Vec3>,
    image: Vec<Vec3>,
}

impl System {
    /// Improves `vel` by at most so many conjugate gradients. Each costs O(elements).
    pub fn solve(&mut self, vel: &mut [Vec3], most: u32) {
        self.direction.clear();
        self.direction.extend(self.residual.iter().zip(&self.inverse).map(|(r, w)| *r * *w));
        self.image.clear();
        self.image.resize(self.residual.len(), Vec3::ZERO);
        let mut rho = dot(&self.residual, &self.direction);
        let enough = rho * CLOSE;
        for _ in 0..most {
            let mut image = std::mem::take(&mut self.image);
            self.apply(&self.direction, &mut image);
            self.image = image;
            let alpha = rho / dot(&self.direction, &self.image);
            if !alpha.is_finite() {
                break;
            }
            let next = self.advance(vel, alpha);
            if next <= enough || next.is_nan() {
                break;
            }
            let beta = next / rho;
            rho = next;
            let weighed = self.residual.iter().zip(&self.inverse);
            self.direction.iter_mut().zip(weighed).for_each(|(d, (r, w))| *d = *r * *w + *d * beta);
        }
    }

    /// Takes a step along the direction; gives the new squared error.
    fn advance(&mut self, vel: &mut [Vec3], alpha: Real) -> Real {
        let mut sum = Vec3::ZERO;
        let moved = vel.iter_mut().zip(&self.direction);
        let left = self.residual.iter_mut().zip(&self.image).zip(&self.inverse);
        for ((v, d), ((r, q), w)) in moved.zip(left) {
            *v += *d * alpha;
            *r -= *q * alpha;
            sum += *r * *r * *w;
        }
        sum.x + sum.y + sum.z
    }

    /// out = A p.
    pub fn apply(&self, p: &[Vec3], out: &mut [Vec3]) {
        let system = self;
        widest!(apply(system, p, out))
    }

    #[inline(always)]
    fn apply_here(&self, p: &[Vec3], out: &mut [Vec3]) {
        out.iter_mut().zip(p).zip(&self.weight).for_each(|((o, p), w)| *o = *p * *w);
        for e in &self.along {
            let [a, b] = e.ends.map(|v| v as usize);
            let f = e.answer(p[b] - p[a]);
            out[a] -= f;
            out[b] += f;
        }
        for e in &self.spread {
            let [a, b, c] = e.corners.map(|v| v as usize);
            let push = e.grads[0].dot(p[b] - p[a]) + e.grads[1].dot(p[c] - p[a]);
            let (f, g) = (e.grads[0] * push, e.grads[1] * push);
            out[a] -= f + g;
            out[b] += f;
            out[c] += g;
        }
        for e in &self.bent {
            let [a, b, c, d] = e.nodes.map(|v| v as usize);
            let [f, g, k] = e.grads;
            let push = f.dot(p[b] - p[a]) + g.dot(p[c] - p[a]) + k.dot(p[d] - p[a]);
            let (f, g, k) = (f * push, g * push, k * push);
            out[a] -= f + g + k;
            out[b] += f;
            out[c] += g;
            out[d] += k;
        }
        if !self.swell.is_empty() {
            let push = self.swell_rate * dot(&self.swell, p);
            out.iter_mut().zip(&self.swell).for_each(|(o, g)| *o += *g * push);
        }
    }
}

/// The kernel for AVX2.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{System, Vec3};

    #[target_feature(enable = "avx2")]
    pub(super) fn apply(system: &System, p: &[Vec3], out: &mut [Vec3]) {
        super::apply(system, p, out);
    }
}

#[inline(always)]
fn apply(system: &System, p: &[Vec3], out: &mut [Vec3]) {
    system.apply_here(p, out);
}

impl Along {
    /// The impulse on the second end for a relative velocity of the ends.
    #[inline]
    pub fn answer(&self, apart: Vec3) -> Vec3 {
        self.grad * self.grad.dot(apart) + apart * self.across
    }
}

fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    let sum: Vec3 = a.iter().zip(b).map(|(a, b)| *a * *b).sum();
    sum.x + sum.y + sum.z
}
