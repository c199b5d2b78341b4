//! Linear elasticity by boundary elements: a homogeneous body as its closed surface of triangles alone.
//!
//! Somigliana's identity at every node, with displacements and tractions linear over each face, gives K u = L p, where K
//! holds the integrals of Kelvin's tractions and L those of his displacements. A face seen from its own corner is
//! integrated in polar coordinates; the strongly singular block of K on the diagonal follows from rigid translations,
//! which need no tractions: every row of K sums to nothing. Tractions are given by the corners of faces, not by nodes, so
//! that they may jump at edges: then any linear field is reproduced up to the quadrature.
//!
//! Nodes that are held have given displacements and unknown tractions ([`Boundary::hold`]). The paper is silent about
//! where the tractions of held nodes act; here on the faces that are held whole, so that a free face beside stays free.

mod check;
mod kernel;
mod lu;
mod quadrature;
mod solve;

pub use check::{BoundaryFault, NODES_MAX, check};
pub use kernel::Material;
pub use solve::{Compliance, Held, Motion};

use kernel::Kelvin;
use quadrature::{Face, Rules};
use rayon::prelude::*;
use serosa_geometry::{Mat3, Real, Topology, Vec3};

/// A body as the dense matrices of its surface.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// Nodes \[m\].
    points: Vec<Vec3>,
    topology: Topology,
    faces: Vec<Face>,
    kelvin: Kelvin,
    material: Material,
    /// Third parts of the areas of the faces around each node \[m²\].
    areas: Vec<Real>,
    /// Both by rows, 3 n × 3 n; row 3 i + a is for a force at node i along axis a.
    k: Vec<Real>,
    l: Vec<Real>,
}

impl Boundary {
    /// Integrates all faces as seen from all nodes. `watch` is told how many nodes are done. O(n²) for n nodes.
    pub fn assemble(
        points: &[Vec3],
        triangles: &[[u32; 3]],
        material: Material,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Self, BoundaryFault> {
        check(points, triangles, &material)?;
        let faces: Vec<Face> = triangles.iter().map(|t| Face::of(t.map(|v| points[v as usize]))).collect();
        let mut areas = vec![0.0; points.len()];
        for (t, face) in triangles.iter().zip(&faces) {
            t.iter().for_each(|v| areas[*v as usize] += face.area / 3.0);
        }
        let wide = 3 * points.len();
        let mut all = Self {
            topology: Topology::of(triangles, points.len()),
            points: points.to_vec(),
            faces,
            kelvin: Kelvin::of(&material),
            material,
            areas,
            k: vec![0.0; wide * wide],
            l: vec![0.0; wide * wide],
        };
        all.integrate(watch);
        Ok(all)
    }

    /// Rows of nodes are independent: a chunk of them at a time, on all threads, so that there is something to watch.
    fn integrate(&mut self, watch: &mut dyn FnMut(usize)) {
        const CHUNK: usize = 64;
        let wide = 3 * self.points.len();
        let (mut k, mut l) = (std::mem::take(&mut self.k), std::mem::take(&mut self.l));
        let rules = Rules::new();
        let chunks = k.chunks_mut(CHUNK * 3 * wide).zip(l.chunks_mut(CHUNK * 3 * wide));
        for (c, (k, l)) in chunks.enumerate() {
            let rows = k.par_chunks_mut(3 * wide).zip(l.par_chunks_mut(3 * wide)).enumerate();
            rows.for_each(|(i, (k, l))| self.rows_of(&rules, c * CHUNK + i, k, l));
            watch(((c + 1) * CHUNK).min(self.points.len()));
        }
        (self.k, self.l) = (k, l);
    }

    /// The three rows of a node.
    fn rows_of(&self, rules: &Rules, node: usize, k: &mut [Real], l: &mut [Real]) {
        let wide = 3 * self.points.len();
        let mut own = Mat3::ZERO;
        for (face, corners) in self.faces.iter().zip(&self.topology.triangles) {
            let pair = match corners.iter().position(|v| *v as usize == node) {
                Some(corner) => rules.at_corner(&self.kelvin, face, corner),
                None => rules.apart(&self.kelvin, face, self.points[node]),
            };
            for (c, v) in corners.iter().enumerate() {
                add(l, wide, *v as usize, &pair.displacement[c]);
                if *v as usize != node {
                    add(k, wide, *v as usize, &pair.traction[c]);
                    own -= pair.traction[c];
                }
            }
        }
        add(k, wide, node, &own);
    }

    /// Nodes \[m\].
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Corners of the faces.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.topology.triangles
    }

    /// What it is made of.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Third parts of the areas of the faces around each node \[m²\]: a force on a node is a traction of force / area
    /// there, falling to nothing at the nodes around.
    pub fn areas(&self) -> &[Real] {
        &self.areas
    }

    /// K u: what displacements do to the identity of each node.
    pub fn of_displacements(&self, u: &[Vec3]) -> Vec<Vec3> {
        product(&self.k, u)
    }

    /// L p of tractions that are linear over each face and may jump between faces \[Pa\]: one for each corner. O(n²), by
    /// integrating anew.
    pub fn of_tractions(&self, tractions: &[[Vec3; 3]]) -> Vec<Vec3> {
        let rules = Rules::new();
        let loaded: Vec<usize> = (0..self.faces.len()).filter(|f| tractions[*f] != [Vec3::ZERO; 3]).collect();
        let of = |node: usize| {
            let mut sum = Vec3::ZERO;
            for f in &loaded {
                let corners = &self.topology.triangles[*f];
                let pair = match corners.iter().position(|v| *v as usize == node) {
                    Some(corner) => rules.at_corner(&self.kelvin, &self.faces[*f], corner),
                    None => rules.apart(&self.kelvin, &self.faces[*f], self.points[node]),
                };
                (0..3).for_each(|c| sum += pair.displacement[c] * tractions[*f][c]);
            }
            sum
        };
        (0..self.points.len()).into_par_iter().map(of).collect()
    }

    /// Tractions of a stress that is the same everywhere, by the corners of faces \[Pa\].
    pub fn tractions_of(&self, stress: impl Fn(Vec3) -> Mat3) -> Vec<[Vec3; 3]> {
        self.faces.iter().map(|f| f.corners.map(|x| stress(x) * f.normal)).collect()
    }
}

/// Adds a block to three rows, `wide` numbers each, at the columns of a node.
#[inline]
fn add(rows: &mut [Real], wide: usize, node: usize, block: &Mat3) {
    for a in 0..3 {
        let row = block.row(a);
        let at = a * wide + 3 * node;
        rows[at] += row.x;
        rows[at + 1] += row.y;
        rows[at + 2] += row.z;
    }
}

/// Of a square matrix by rows and a vector.
fn product(matrix: &[Real], x: &[Vec3]) -> Vec<Vec3> {
    let wide = 3 * x.len();
    let row = |row: &[Real]| -> Real {
        row.chunks_exact(3).zip(x).map(|(m, x)| m[0] * x.x + m[1] * x.y + m[2] * x.z).sum()
    };
    let sums: Vec<Real> = matrix.par_chunks(wide).map(row).collect();
    sums.chunks_exact(3).map(Vec3::from_slice).collect()
}
