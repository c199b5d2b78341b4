//! The curvature of a tube and its derivatives.

use crate::model::Rod;
use crate::{Mat3, Real, Vec3};

/// The discrete curvature at the middle vertex of a rod: κ = 2 e × f / (|e||f| + e·f), of size 2 tan(angle/2).
pub(super) struct Curve {
    e: Vec3,
    f: Vec3,
    /// |e| and |f|.
    lengths: [Real; 2],
    pub(super) kb: Vec3,
    /// 1 / (|e||f| + e·f)
    scale: Real,
}

impl Curve {
    #[inline(always)]
    pub(super) fn of(rod: &Rod, pos: &[Vec3]) -> Self {
        let [a, b, c] = rod.nodes.map(|v| pos[v.at()]);
        let (e, f) = (b - a, c - b);
        let lengths = [e.length(), f.length()];
        let product = lengths[0] * lengths[1];
        // A tube folded flat has no curvature that could be computed: the fold is kept just short of it.
        let scale = 1.0 / (product + e.dot(f)).max(1e-6 * product).max(1e-30);
        Self { e, f, lengths, kb: e.cross(f) * (2.0 * scale), scale }
    }

    /// The derivatives of κ by e and by f. The first vertex moves −e, the last f, the middle e and −f.
    #[inline(always)]
    pub(super) fn levers(&self) -> [Lever; 2] {
        let [le, lf] = self.lengths.map(|l| l.max(1e-30));
        let half = 0.5 * self.kb.length_squared();
        let lever = |arm: Vec3, slope: Vec3| {
            let (arm, slope) = (arm * (2.0 * self.scale), slope * self.scale);
            let bent = self.kb.cross(arm) + slope * half;
            Lever { arm, slope, bent, turn: -(bent + slope * half) }
        };
        [lever(self.f, self.e * (lf / le) + self.f), lever(-self.e, self.f * (le / lf) + self.e)]
    }
}

/// A derivative of κ: the matrix −\[arm\]× − κ slopeᵀ, where \[arm\]× v = arm × v. It is never made: its products with
/// another and with κ are shorter without.
pub(super) struct Lever {
    arm: Vec3,
    slope: Vec3,
    /// κ × arm + ½ κ² slope
    bent: Vec3,
    /// Its transpose times κ.
    pub(super) turn: Vec3,
}

impl Lever {
    /// The change of κ that a change of the edge brings; `kb` is κ.
    pub(super) fn turns(&self, kb: Vec3, edge: Vec3) -> Vec3 {
        -self.arm.cross(edge) - kb * self.slope.dot(edge)
    }

    /// The transpose of that.
    pub(super) fn pulls(&self, kb: Vec3, moment: Vec3) -> Vec3 {
        self.arm.cross(moment) - self.slope * kb.dot(moment)
    }

    /// The product of its transpose and another.
    #[inline(always)]
    pub(super) fn with(&self, other: &Self) -> Mat3 {
        let column =
            |k: usize| self.bent * other.slope[k] + self.slope * other.bent[k] - other.arm * self.arm[k];
        let mut product = Mat3::from_cols(column(0), column(1), column(2));
        let dot = self.arm.dot(other.arm);
        product.x_axis.x += dot;
        product.y_axis.y += dot;
        product.z_axis.z += dot;
        product
    }
}

/// a bᵀ
pub(super) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VertexId;

    const ROD: Rod = Rod { nodes: [VertexId(0), VertexId(1), VertexId(2)], length: 1.0 };
    const POS: [Vec3; 3] = [Vec3::new(0.1, 0.2, -0.3), Vec3::new(1.2, 0.1, 0.4), Vec3::new(1.5, 1.3, 0.2)];

    /// ∂κ/∂e and ∂κ/∂f by central differences: all that lies before, or behind, an edge is moved.
    fn differences() -> [Mat3; 2] {
        let step = 1e-6;
        let by = |moved: &[(usize, Real)]| {
            let at = |way: Vec3| {
                let mut pos = POS;
                moved.iter().for_each(|(v, sign)| pos[*v] += way * *sign);
                Curve::of(&ROD, &pos).kb
            };
            let column = |unit: Vec3| (at(unit * step) - at(unit * -step)) / (2.0 * step);
            Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
        };
        [by(&[(0, -1.0)]), by(&[(2, 1.0)])]
    }

    #[test]
    fn levers_are_the_derivatives_of_the_curvature() {
        let curve = Curve::of(&ROD, &POS);
        let (levers, matrices) = (curve.levers(), differences());
        for (x, m) in levers.iter().zip(matrices) {
            assert!((x.turn - m.transpose() * curve.kb).length() < 1e-8, "{} {m}", x.turn);
            let some = Vec3::new(0.3, -0.7, 0.2);
            assert!((x.turns(curve.kb, some) - m * some).length() < 1e-8);
            assert!((x.pulls(curve.kb, some) - m.transpose() * some).length() < 1e-8);
            for (y, n) in levers.iter().zip(matrices) {
                let (fast, slow) = (x.with(y), m.transpose() * n);
                assert!(fast.abs_diff_eq(slow, 1e-8), "{fast} {slow}");
            }
        }
    }
}
