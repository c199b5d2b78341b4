//! Tissue as one of many bodies in one linear system: its matrix in pieces.
//!
//! The elements are those of the free motion, linearised where the substep begins. Two things reach over the whole body, and
//! neither may be written between its vertices. The enclosed volume is of one rank. The rest shape of a free body goes
//! where the body goes: its velocity and its turning are two unknowns without mass of their own, and restoration is what
//! lies between each vertex and them,
//!
//! ```text
//! ½ r Σ m |v − V − Ω × (x − c)|²
//! ```
//!
//! Eliminated, they leave r M less its rigid motions, as shape matching has it: neither a sum nor a moment. The matrix with
//! them is positive definite and as sparse as the surface but for two columns.

use super::{Tissue, TissueWork};
use crate::body::Substep;
use crate::model::TissueBody;
use crate::{Mat3, Real, Vec3};

/// The rest shape as an unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Impulse by restoration for a unit of speed and mass; 0 where there is none.
    rate: Real,
    /// From the centre of the masses to each vertex \[m\].
    arms: Vec<Vec3>,
}

/// Whether the rest shape of a body goes along with it, and is an unknown.
pub(crate) fn shape_is_free(body: &TissueBody) -> bool {
    !body.held
}

/// The pieces of a body where the substep begins. Cost: linear in its elements.
pub(crate) fn linearise(sub: &Substep, b: usize, body: &TissueBody, pos: &[Vec3], work: &mut TissueWork) {
    let tissue = Tissue::new(sub, b, body, pos);
    let here = &pos[tissue.vertices.clone()];
    // About no motion at all: what is left unsolved there are the impulses.
    work.vel.clear();
    work.vel.resize(here.len(), Vec3::ZERO);
    tissue.begin(work, pos);
    let still = core::mem::take(&mut work.vel);
    tissue.linearise(work, here, &still);
    work.vel = still;
    work.shape.rate = tissue.restoration().1;
    work.shape.arms.clear();
    work.shape.arms.extend(here.iter().map(|x| *x - tissue.whole.center));
}

impl TissueWork {
    /// Impulses if nothing moved \[N s\], one per vertex.
    pub(crate) fn impulses(&self) -> &[Vec3] {
        &self.system.residual
    }

    /// Calls `add` with each piece of the matrix between two vertices, counted from the first of the body \[kg\]; their
    /// own masses are none of them.
    pub(crate) fn each_piece(&self, mut add: impl FnMut(u32, u32, Mat3)) {
        for e in &self.system.along {
            let piece = outer(e.grad, e.grad) + Mat3::from_diagonal(Vec3::splat(e.across));
            let [a, b] = e.ends;
            add(a, a, piece);
            add(b, b, piece);
            add(a, b, -piece);
        }
        for e in &self.system.spread {
            let [f, g] = e.grads;
            among(e.corners, [-(f + g), f, g], &mut add);
        }
        for e in &self.system.bent {
            let [f, g, k] = e.grads;
            among(e.nodes, [-(f + g + k), f, g, k], &mut add);
        }
    }

    /// The enclosed volume: its rate, and its gradient at each vertex.
    pub(crate) fn swelling(&self) -> (Real, &[Vec3]) {
        if self.system.swell.is_empty() { (0.0, &[]) } else { (self.system.swell_rate, &self.system.swell) }
    }

    /// Restoration: its rate for a unit of mass, and the arms of all vertices.
    pub(crate) fn restoring(&self) -> (Real, &[Vec3]) {
        (self.shape.rate, &self.shape.arms)
    }

    /// The twin of all that without a matrix, but for the rest shape: masses, elements, the volume, and restoration to
    /// places that stand still.
    pub(crate) fn multiply(&self, x: &[Vec3], out: &mut [Vec3]) {
        self.system.apply(x, out);
    }
}

/// All pairs of an element that is the outer product of its gradients.
fn among<const N: usize>(nodes: [u32; N], grads: [Vec3; N], add: &mut impl FnMut(u32, u32, Mat3)) {
    for k in 0..N {
        for l in 0..=k {
            add(nodes[k], nodes[l], outer(grads[k], grads[l]));
        }
    }
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}
