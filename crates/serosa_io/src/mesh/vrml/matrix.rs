//! Transforms as the family writes them: a point is a row and stands to the left of the matrix.

use serosa_geometry::Vec3;

/// Four rows; the last holds the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [[f64; 4]; 4]);

impl Matrix {
    pub(super) const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);

    pub(super) fn translation(t: Vec3) -> Self {
        let mut m = Self::IDENTITY;
        m.0[3][..3].copy_from_slice(&t.to_array());
        m
    }

    pub(super) fn scale(s: Vec3) -> Self {
        let mut m = Self::IDENTITY;
        for axis in 0..3 {
            m.0[axis][axis] = s[axis];
        }
        m
    }

    /// About an axis of any length, by an angle; nothing where the axis has no length.
    pub(super) fn rotation(axis: Vec3, angle: f64) -> Self {
        let length = axis.length();
        if !(length > 1e-12 && length.is_finite() && angle.is_finite()) || angle == 0.0 {
            return Self::IDENTITY;
        }
        let n = axis / length;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let mut m = Self::IDENTITY;
        for row in 0..3 {
            let unit = [Vec3::X, Vec3::Y, Vec3::Z][row];
            let turned = unit * cos + n.cross(unit) * sin + n * (n.dot(unit) * (1.0 - cos));
            m.0[row][..3].copy_from_slice(&turned.to_array());
        }
        m
    }

    /// First this, then the other.
    pub(super) fn then(&self, other: &Self) -> Self {
        let mut product = [[0.0; 4]; 4];
        for (row, line) in product.iter_mut().enumerate() {
            for (column, cell) in line.iter_mut().enumerate() {
                *cell = (0..4).map(|k| self.0[row][k] * other.0[k][column]).sum();
            }
        }
        Self(product)
    }

    /// A point, divided by its weight where the matrix gives it one.
    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        let column = |c: usize| p.x * self.0[0][c] + p.y * self.0[1][c] + p.z * self.0[2][c] + self.0[3][c];
        let (q, w) = (Vec3::new(column(0), column(1), column(2)), column(3));
        if w == 1.0 || w == 0.0 { q } else { q / w }
    }

    fn row(&self, row: usize) -> Vec3 {
        Vec3::new(self.0[row][0], self.0[row][1], self.0[row][2])
    }

    /// Negative where it turns things inside out.
    pub(super) fn determinant(&self) -> f64 {
        self.row(0).dot(self.row(1).cross(self.row(2)))
    }

    /// A normal: by the inverse transposed, up to its length.
    pub(super) fn normal(&self, n: Vec3) -> Vec3 {
        let (a, b, c) = (self.row(0), self.row(1), self.row(2));
        let turned = b.cross(c) * n.x + c.cross(a) * n.y + a.cross(b) * n.z;
        if self.determinant() < 0.0 { -turned } else { turned }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_and_a_shift() {
        let m = Matrix::rotation(Vec3::Z * 3.0, std::f64::consts::FRAC_PI_2);
        assert!((m.point(Vec3::X) - Vec3::Y).length() < 1e-15);
        let both = m.then(&Matrix::translation(Vec3::new(1.0, 2.0, 3.0)));
        assert!((both.point(Vec3::X) - Vec3::new(1.0, 3.0, 3.0)).length() < 1e-15);
        assert!((m.determinant() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn normals_stay_across_the_surface() {
        let m = Matrix::scale(Vec3::new(1.0, 4.0, 1.0));
        let (along, normal) = (Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, -1.0, 0.0));
        assert!(m.point(along).dot(m.normal(normal)).abs() < 1e-15);
        let mirror = Matrix::scale(Vec3::new(-1.0, 1.0, 1.0));
        assert_eq!(mirror.normal(Vec3::Y), Vec3::Y);
    }
}
