//! Blocks of linear or quadratic tetrahedra, bent into shape, and uniform loads on their faces.

use serosa_bake::statics::element::with_middles;
use serosa_bake::statics::{Body, Loads, StaticsError};
use serosa_geometry::Vec3;
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::tets::Tets;
use serosa_sim::body::solid::Elastic;
use serosa_sim::model::{Law, Region};

/// A material.
pub fn law(law: Law, young: f64, poisson: f64) -> Elastic {
    Elastic::of(&Region { name: String::new(), law, young, poisson, density: 1.0 })
}

/// Which tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Linear,
    Quadratic,
}

impl Order {
    pub const BOTH: [Self; 2] = [Self::Linear, Self::Quadratic];

    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Quadratic => "quadratic",
        }
    }
}

/// A body of either order.
pub enum Any {
    Linear(Body<4>),
    Quadratic(Body<10>),
}

/// A block in its own coordinates from 0 to 1, and where its nodes are.
pub struct Bent {
    pub body: Any,
    /// Of each node, before bending.
    pub local: Vec<Vec3>,
    /// Outer faces: corners, and their middles where there are any (of the sides ab, bc, ca).
    faces: Vec<([u32; 3], Option<[u32; 3]>)>,
}

impl Bent {
    /// A block of so many cells, whose nodes are placed by `shape`.
    pub fn of(cells: [usize; 3], order: Order, law: Elastic, shape: impl Fn(Vec3) -> Vec3) -> Self {
        let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size: Vec3::ONE, cells });
        let outer = Tets::of(&mesh.points, &tets).boundary;
        let laws = vec![law; tets.len()];
        let bend = |points: &[Vec3]| points.iter().map(|p| shape(*p)).collect::<Vec<_>>();
        match order {
            Order::Linear => {
                let faces = outer.into_iter().map(|f| (f, None)).collect();
                let body = Any::Linear(Body::linear(bend(&mesh.points), tets, laws));
                Self { body, local: mesh.points, faces }
            }
            Order::Quadratic => {
                let (points, elements) = with_middles(&mesh.points, &tets);
                let middle = middles(&elements);
                let of = |a: u32, b: u32| middle[&[a.min(b), a.max(b)]];
                let faces = outer
                    .into_iter()
                    .map(|[a, b, c]| ([a, b, c], Some([of(a, b), of(b, c), of(c, a)])))
                    .collect();
                let body = Any::Quadratic(Body::quadratic(bend(&points), elements, laws));
                Self { body, local: points, faces }
            }
        }
    }

    /// Nodes at rest.
    pub fn points(&self) -> &[Vec3] {
        match &self.body {
            Any::Linear(body) => &body.points,
            Any::Quadratic(body) => &body.points,
        }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        match &self.body {
            Any::Linear(body) => body.elements.len(),
            Any::Quadratic(body) => body.elements.len(),
        }
    }

    /// Nodes whose place in the block is one asked for.
    pub fn nodes(&self, which: impl Fn(Vec3) -> bool) -> Vec<u32> {
        (0..self.local.len() as u32).filter(|v| which(self.local[*v as usize])).collect()
    }

    /// Forces on nodes of an even traction \[Pa\] on the faces whose nodes all are at places asked for. Nodes of quadratic faces
    /// are taken where they are at rest, curved or not.
    pub fn traction(&self, which: impl Fn(Vec3) -> bool, traction: Vec3) -> Vec<(u32, Vec3)> {
        let points = self.points();
        let at = |v: u32| points[v as usize];
        let mut forces = vec![Vec3::ZERO; points.len()];
        for (corners, middles) in &self.faces {
            if !corners.iter().all(|v| which(self.local[*v as usize])) {
                continue;
            }
            let Some(middles) = middles else {
                let [a, b, c] = corners.map(at);
                let third = traction * ((b - a).cross(c - a).length() / 6.0);
                corners.iter().for_each(|v| forces[*v as usize] += third);
                continue;
            };
            let nodes = [corners[0], corners[1], corners[2], middles[0], middles[1], middles[2]];
            for (values, area) in triangle_samples(&nodes.map(at)) {
                nodes.iter().zip(values).for_each(|(v, n)| forces[*v as usize] += traction * (n * area));
            }
        }
        let loaded = forces.into_iter().zip(0..).filter(|(f, _)| *f != Vec3::ZERO);
        loaded.map(|(f, v)| (v, f)).collect()
    }

    /// Where it is at rest under loads that are put on in steps.
    pub fn settle(&self, loads: &Loads, steps: u32) -> Result<Vec<Vec3>, StaticsError> {
        self.settle_from(self.points(), loads, steps)
    }

    /// The same, beginning somewhere.
    pub fn settle_from(&self, from: &[Vec3], loads: &Loads, steps: u32) -> Result<Vec<Vec3>, StaticsError> {
        match &self.body {
            Any::Linear(body) => body.settle(from, loads, steps),
            Any::Quadratic(body) => body.settle(from, loads, steps),
        }
    }

    /// Elastic forces on all nodes.
    pub fn forces(&self, pos: &[Vec3]) -> Vec<Vec3> {
        match &self.body {
            Any::Linear(body) => body.forces(pos),
            Any::Quadratic(body) => body.forces(pos),
        }
    }
}

fn middles(elements: &[[u32; 10]]) -> std::collections::HashMap<[u32; 2], u32> {
    let mut all = std::collections::HashMap::new();
    for nodes in elements {
        for (k, edge) in serosa_bake::statics::element::MIDDLES.iter().enumerate() {
            let [a, b] = edge.map(|i| nodes[i]);
            all.insert([a.min(b), a.max(b)], nodes[4 + k]);
        }
    }
    all
}

/// Values of the shape functions of a quadratic triangle at three samples, and the area of each.
fn triangle_samples(nodes: &[Vec3; 6]) -> [([f64; 6], f64); 3] {
    std::array::from_fn(|k| {
        let mut l = [1.0 / 6.0; 3];
        l[k] = 2.0 / 3.0;
        let [a, b, c] = l;
        let values = [
            a * (2.0 * a - 1.0),
            b * (2.0 * b - 1.0),
            c * (2.0 * c - 1.0),
            4.0 * a * b,
            4.0 * b * c,
            4.0 * c * a,
        ];
        let along_b = [1.0 - 4.0 * a, 4.0 * b - 1.0, 0.0, 4.0 * (a - b), 4.0 * c, -4.0 * c];
        let along_c = [1.0 - 4.0 * a, 0.0, 4.0 * c - 1.0, -4.0 * b, 4.0 * b, 4.0 * (a - c)];
        let slope = |by: [f64; 6]| nodes.iter().zip(by).map(|(x, s)| *x * s).sum::<Vec3>();
        (values, slope(along_b).cross(slope(along_c)).length() / 6.0)
    })
}

/// The mean of a quantity over nodes.
pub fn mean(nodes: &[u32], of: impl Fn(usize) -> f64) -> f64 {
    nodes.iter().map(|v| of(*v as usize)).sum::<f64>() / nodes.len() as f64
}
