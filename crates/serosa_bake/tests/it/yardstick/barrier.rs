//! The barrier that keeps pairs apart, and friction with last known normal forces.

use super::near::{Kind, Near, crossed};
use super::piece::{Piece, outer};
use serosa_geometry::{Mat3, Real, Vec3};

/// b(g) = −(g − ĝ)² ln(g/ĝ) for gaps below ĝ, times κ.
#[derive(Clone, Copy, Debug)]
pub struct Barrier {
    /// ĝ, the gap below which it acts \[m\].
    pub reach: Real,
    /// κ \[N/m\].
    pub stiffness: Real,
}

impl Barrier {
    /// One that holds a force \[N\] at half its reach \[m\].
    pub fn holding(force: Real, reach: Real) -> Self {
        let unit = Self { reach, stiffness: 1.0 };
        Self { reach, stiffness: -force / unit.at(0.5 * reach)[1] }
    }

    /// Value and two derivatives at a gap; infinite where there is none.
    pub fn at(&self, gap: Real) -> [Real; 3] {
        if gap >= self.reach {
            return [0.0; 3];
        }
        if gap <= 0.0 {
            return [Real::INFINITY; 3];
        }
        let (over, log) = (gap - self.reach, (gap / self.reach).ln());
        let b = -over * over * log;
        let slope = -2.0 * over * log - over * over / gap;
        let bend = -2.0 * log - 4.0 * over / gap + over * over / (gap * gap);
        [b, slope, bend].map(|v| v * self.stiffness)
    }
}

/// A vertex and a triangle, or two edges, that may touch.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub kind: Kind,
    pub nodes: [u32; 4],
    /// The distance at which they touch \[m\].
    pub thickness: Real,
    /// Of edges: |a × b|² below which they count as nearly parallel \[m⁴\].
    pub crossed: Real,
    pub friction: Real,
}

impl Pair {
    pub fn places(&self, pos: &[Vec3]) -> [Vec3; 4] {
        self.nodes.map(|v| pos[v as usize])
    }

    pub fn gap(&self, pos: &[Vec3]) -> Real {
        Near::of(self.kind, &self.places(pos)).distance() - self.thickness
    }

    /// The energy alone \[J\].
    pub fn energy(&self, pos: &[Vec3], barrier: &Barrier) -> Real {
        let gap = self.gap(pos);
        if gap >= barrier.reach { 0.0 } else { barrier.at(gap)[0] * self.mollifier(&self.places(pos))[0] }
    }

    /// With derivatives, not projected.
    pub fn piece(&self, x: &[Vec3; 4], barrier: &Barrier) -> Piece {
        let near = Near::of(self.kind, x);
        let d = near.measure(x);
        let [b, slope, bend] = barrier.at(d.energy - self.thickness);
        let pushed = chain(&d, [b, slope, bend]);
        if self.kind == Kind::VertexTriangle || b == 0.0 {
            return pushed;
        }
        let [m, by, curve] = self.mollifier(x);
        product(&chain(&crossed(x), [m, by, curve]), &pushed)
    }

    /// From 0 for parallel edges to 1: −(c/ε)² + 2 c/ε, with derivatives by c.
    fn mollifier(&self, [a0, a1, b0, b1]: &[Vec3; 4]) -> [Real; 3] {
        if self.kind == Kind::VertexTriangle {
            return [1.0, 0.0, 0.0];
        }
        let (c, e) = ((*a1 - *a0).cross(*b1 - *b0).length_squared(), self.crossed);
        if c >= e {
            [1.0, 0.0, 0.0]
        } else {
            [(2.0 - c / e) * c / e, 2.0 * (1.0 - c / e) / e, -2.0 / (e * e)]
        }
    }

    /// The normal force at some positions, and friction with it.
    pub fn rub(&self, pos: &[Vec3], barrier: &Barrier) -> Option<Rub> {
        let x = self.places(pos);
        let near = Near::of(self.kind, &x);
        let d = near.distance();
        let force = -barrier.at(d - self.thickness)[1] * self.mollifier(&x)[0];
        (force > 0.0).then(|| Rub {
            nodes: self.nodes,
            weights: near.weights,
            tangential: Mat3::IDENTITY - outer(near.apart, near.apart) * (1.0 / (d * d)),
            limit: self.friction * force,
        })
    }
}

/// Of a function of a quantity: f(q).
fn chain(q: &Piece, [f, slope, bend]: [Real; 3]) -> Piece {
    let g: [Real; 12] = std::array::from_fn(|i| q.gradient[i / 3][i % 3]);
    Piece {
        energy: f,
        gradient: q.gradient.map(|g| g * slope),
        hessian: std::array::from_fn(|i| {
            std::array::from_fn(|j| slope * q.hessian[i][j] + bend * g[i] * g[j])
        }),
    }
}

fn product(a: &Piece, b: &Piece) -> Piece {
    let flat = |p: &Piece| -> [Real; 12] { std::array::from_fn(|i| p.gradient[i / 3][i % 3]) };
    let (ga, gb) = (flat(a), flat(b));
    Piece {
        energy: a.energy * b.energy,
        gradient: std::array::from_fn(|i| a.gradient[i] * b.energy + b.gradient[i] * a.energy),
        hessian: std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                a.hessian[i][j] * b.energy + b.hessian[i][j] * a.energy + ga[i] * gb[j] + ga[j] * gb[i]
            })
        }),
    }
}

/// Friction of a contact whose normal force, normal and weights are those of another moment: μλ f₀(|u|), u the way that
/// the contact has gone along itself.
#[derive(Clone, Debug)]
pub struct Rub {
    pub nodes: [u32; 4],
    pub weights: [Real; 4],
    /// 1 − n nᵀ.
    pub tangential: Mat3,
    /// μλ \[N\].
    pub limit: Real,
}

impl Rub {
    fn way(&self, pos: &[Vec3], old: &[Vec3]) -> Vec3 {
        let far = |(v, w): (&u32, Real)| (pos[*v as usize] - old[*v as usize]) * w;
        self.tangential * self.nodes.iter().zip(self.weights).map(far).sum::<Vec3>()
    }

    /// The friction force on the first side \[N\]. `still` is the way below which it is not all of the limit \[m\].
    pub fn force(&self, pos: &[Vec3], old: &[Vec3], still: Real) -> Vec3 {
        let u = self.way(pos, old);
        u * (-self.limit * smooth(u.length(), still)[1])
    }

    /// \[J\]
    pub fn energy(&self, pos: &[Vec3], old: &[Vec3], still: Real) -> Real {
        self.limit * smooth(self.way(pos, old).length(), still)[0]
    }

    pub fn piece(&self, pos: &[Vec3], old: &[Vec3], still: Real) -> Piece {
        let u = self.way(pos, old);
        let y = u.length();
        let [f0, over, bend] = smooth(y, still);
        let along = if y > 0.0 { outer(u, u) * ((bend - over) / (y * y)) } else { Mat3::ZERO };
        let curve = (self.tangential * over + along) * self.limit;
        let mut piece = Piece { energy: self.limit * f0, ..Piece::NONE };
        for i in 0..4 {
            piece.gradient[i] = u * (self.limit * over * self.weights[i]);
            (0..4).for_each(|j| piece.add_block(i, j, &(curve * (self.weights[i] * self.weights[j]))));
        }
        piece
    }
}

/// f₀, f₁(y)/y and f₁′ for f₁ = 2y/ε − y²/ε² below ε and 1 above, f₀ its integral that is y above.
fn smooth(y: Real, still: Real) -> [Real; 3] {
    if y >= still {
        return [y, 1.0 / y, 0.0];
    }
    let e = still;
    [y * y / e - y * y * y / (3.0 * e * e) + e / 3.0, 2.0 / e - y / (e * e), 2.0 / e - 2.0 * y / (e * e)]
}
