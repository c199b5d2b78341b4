//! Bodies for the tests of overlap.

use crate::{Aabb, Real, Shape, Topology, Tree, Vec3};
use std::collections::BTreeMap;

/// A surface with all that a [`Shape`] points to.
#[derive(Clone)]
pub struct Body {
    pub points: Vec<Vec3>,
    pub topology: Topology,
    pub tree: Tree,
}

impl Body {
    pub fn of(points: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let topology = Topology::of(triangles, points.len());
        let tree = Tree::of(&boxes(&points, triangles));
        Self { points, topology, tree }
    }

    /// The cube from −1 to 1, every side cut in `n`: 6 n² + 2 vertices, 12 n² triangles.
    pub fn cube(n: usize) -> Self {
        let (mut points, mut numbers, mut triangles) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut number = |at: [usize; 3]| {
            *numbers.entry(at).or_insert_with(|| {
                points.push(Vec3::from_array(at.map(|k| 2.0 * k as Real / n as Real - 1.0)));
                points.len() as u32 - 1
            })
        };
        for (axis, far, i, j) in
            (0..3).flat_map(|x| (0..2).flat_map(move |f| (0..n * n).map(move |k| (x, f, k / n, k % n))))
        {
            let mut corner = |di: usize, dj: usize| {
                let mut at = [far * n; 3];
                (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (i + di, j + dj);
                number(at)
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            let squares = if far == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
            triangles.extend(squares);
        }
        Self::of(points, &triangles)
    }

    /// The unit sphere, from a cube.
    pub fn sphere(n: usize) -> Self {
        // By the tangent of the angle, so that the faces differ less in size.
        let even = |x: Real| libm::tan(x * core::f64::consts::FRAC_PI_4);
        Self::cube(n).moved(|p| Vec3::new(even(p.x), even(p.y), even(p.z)).normalize())
    }

    pub fn moved(mut self, to: impl Fn(Vec3) -> Vec3) -> Self {
        self.points.iter_mut().for_each(|p| *p = to(*p));
        let boxes = boxes(&self.points, &self.topology.triangles);
        self.tree.refit(|f| boxes[f as usize]);
        self
    }

    /// The same with a tree of another shape: built when its faces were elsewhere.
    pub fn scattered(&self) -> Self {
        let elsewhere = |f: usize| Aabb::around([Vec3::splat((f * 7919 % 1000) as Real)]);
        let boxes: Vec<Aabb> = (0..self.topology.triangles.len()).map(elsewhere).collect();
        Self { tree: Tree::of(&boxes), ..self.clone() }.moved(|p| p)
    }

    /// Two bodies as one surface of two parts.
    pub fn with(&self, other: &Self) -> Self {
        let from = self.points.len() as u32;
        let points = self.points.iter().chain(&other.points).copied().collect();
        let shifted = other.topology.triangles.iter().map(|t| t.map(|v| v + from));
        let triangles: Vec<_> = self.topology.triangles.iter().copied().chain(shifted).collect();
        Self::of(points, &triangles)
    }

    pub fn shape(&self) -> Shape<'_> {
        Shape { points: &self.points, topology: &self.topology, tree: &self.tree }
    }
}

fn boxes(points: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Aabb> {
    triangles.iter().map(|t| Aabb::around(t.map(|v| points[v as usize]))).collect()
}

/// A wobbled sphere: star-shaped, with dents, so that two of them cross in many places.
pub fn lump(n: usize, seed: Real) -> Body {
    Body::sphere(n).moved(|p| {
        let wave =
            libm::sin(5.0 * p.x + seed) * libm::sin(6.0 * p.y - seed) + libm::sin(7.0 * p.z + 2.0 * seed);
        p * (1.0 + 0.12 * wave)
    })
}
