//! A body of which some nodes are held, and what moves it.

use super::lu::Lu;
use super::quadrature::Rules;
use super::{Boundary, BoundaryFault, Material};
use rayon::prelude::*;
use serosa_geometry::{Mat3, Real, Vec3};

/// A body held at some nodes; where at none, its mean displacement and its mean turn are nothing, and only loads in
/// balance have a meaning.
#[derive(Clone, Debug)]
pub struct Held<'a> {
    boundary: &'a Boundary,
    /// Nodes, ascending.
    held: Vec<u32>,
    /// Where each node stands among them.
    place: Vec<Option<u32>>,
    /// Faces all of whose corners are held.
    whole: Vec<bool>,
    /// Tractions of held nodes are solved for in this unit \[Pa\], which makes all columns alike.
    unit: Real,
    lu: Lu,
    /// Unknowns.
    n: usize,
}

/// How a body moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Of every node \[m\].
    pub displacement: Vec<Vec3>,
    /// With what each held node is held \[N\], in their order.
    pub reaction: Vec<Vec3>,
}

/// How every node gives way to a force on every other one.
#[derive(Clone, Debug)]
pub struct Compliance {
    /// Symmetric, 3 n × 3 n \[m/N\]; nothing in rows and columns of held nodes.
    pub matrix: Vec<Real>,
    /// Size of what was not symmetric before, as a part of the whole: what collocation leaves of Betti's law.
    pub asymmetry: Real,
}

impl Boundary {
    /// Holds some nodes, named once each in any order. O(n³).
    pub fn hold(&self, held: &[u32]) -> Result<Held<'_>, BoundaryFault> {
        let mut held = held.to_vec();
        held.sort_unstable();
        held.dedup();
        if !held.is_empty() && !self.keeps(&held) {
            return Err(BoundaryFault::Loose);
        }
        let mut place = vec![None; self.points.len()];
        held.iter().zip(0..).for_each(|(v, i)| place[*v as usize] = Some(i));
        let is_whole = |t: &[u32; 3]| t.iter().all(|v| place[*v as usize].is_some());
        let whole: Vec<bool> = self.topology.triangles.iter().map(is_whole).collect();
        let edge = libm::sqrt(self.areas.iter().sum::<Real>() / self.areas.len() as Real);
        let unit = self.material.young / edge;
        let n = 3 * self.points.len() + if held.is_empty() { 6 } else { 0 };
        let mut all = Held { boundary: self, held, place, whole, unit, lu: Lu::default(), n };
        all.lu = Lu::of(all.matrix(), n).ok_or(BoundaryFault::Singular)?;
        Ok(all)
    }

    /// Whether these nodes are not all on one line.
    fn keeps(&self, held: &[u32]) -> bool {
        let at = |v: &u32| self.points[*v as usize];
        let first = at(&held[0]);
        let ways = || held.iter().map(|v| at(v) - first);
        let longest = ways().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        let longest = longest.unwrap_or(Vec3::ZERO);
        ways().any(|way| way.cross(longest).length() > 1e-6 * longest.length_squared())
    }
}

impl Held<'_> {
    /// Held nodes, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.held
    }

    /// Faces over which the traction of a held node acts: those held whole, or all of its faces where none is.
    fn faces_of(&self, node: u32) -> impl Iterator<Item = usize> {
        let faces = self.boundary.topology.faces_of(node);
        let any = faces.iter().any(|f| self.whole[*f as usize]);
        faces.iter().map(|f| *f as usize).filter(move |f| !any || self.whole[*f])
    }

    /// By columns: those of K for free nodes, those of −L for held ones; and rigid motions where none is held.
    fn matrix(&self) -> Vec<Real> {
        let wide = 3 * self.boundary.points.len();
        let tractions = self.traction_columns();
        let mut values = vec![0.0; self.n * self.n];
        for (node, place) in self.place.iter().enumerate() {
            for a in 0..3 {
                let column = &mut values[(3 * node + a) * self.n..][..wide];
                match place {
                    Some(place) => {
                        let from = &tractions[(3 * *place as usize + a) * wide..][..wide];
                        column.iter_mut().zip(from).for_each(|(x, l)| *x = -l * self.unit);
                    }
                    None => {
                        let rows = self.boundary.k.chunks_exact(wide);
                        column.iter_mut().zip(rows).for_each(|(x, row)| *x = row[3 * node + a]);
                    }
                }
            }
        }
        if self.held.is_empty() {
            self.border(&mut values);
        }
        values
    }

    /// Rows that say that the mean motion is nothing, and columns of forces that take up what is not balanced.
    fn border(&self, values: &mut [Real]) {
        let wide = 3 * self.boundary.points.len();
        let area: Real = self.boundary.areas.iter().sum();
        let size = libm::sqrt(area);
        let middle = self.middle();
        for (node, at) in self.boundary.points.iter().enumerate() {
            let share = self.boundary.areas[node] / area;
            for k in 0..3 {
                let turn = Vec3::AXES[k].cross((*at - middle) / size);
                for (m, motion) in [(k, Vec3::AXES[k]), (3 + k, turn)] {
                    for a in 0..3 {
                        values[(wide + m) * self.n + 3 * node + a] = motion[a];
                        values[(3 * node + a) * self.n + wide + m] = motion[a] * share;
                    }
                }
            }
        }
    }

    fn middle(&self) -> Vec3 {
        let weighted = self.boundary.points.iter().zip(&self.boundary.areas);
        weighted.map(|(x, a)| *x * *a).sum::<Vec3>() / self.boundary.areas.iter().sum::<Real>()
    }

    /// What the tractions of held nodes do to all nodes, by columns.
    fn traction_columns(&self) -> Vec<Real> {
        let (rules, b) = (Rules::new(), self.boundary);
        let wide = 3 * b.points.len();
        let mut values = vec![0.0; 3 * self.held.len() * wide];
        let each = values.par_chunks_mut(3 * wide).zip(&self.held);
        each.for_each(|(columns, held)| {
            for f in self.faces_of(*held) {
                let corners = b.topology.triangles[f].map(|v| v as usize);
                let own = corners.iter().position(|v| *v == *held as usize).unwrap_or(0);
                for (node, at) in b.points.iter().enumerate() {
                    let pair = match corners.iter().position(|v| *v == node) {
                        Some(corner) => rules.at_corner(&b.kelvin, &b.faces[f], corner),
                        None => rules.apart(&b.kelvin, &b.faces[f], *at),
                    };
                    for a in 0..3 {
                        let out = &mut columns[a * wide + 3 * node..][..3];
                        let column = pair.displacement[own].col(a).to_array();
                        out.iter_mut().zip(column).for_each(|(x, y)| *x += y);
                    }
                }
            }
        });
        values
    }

    /// Held nodes are displaced \[m\], in their order, and faces pulled with tractions by their corners \[Pa\], none on
    /// faces that are held whole; an empty list is none at all.
    pub fn solve(&self, displaced: &[Vec3], tractions: &[[Vec3; 3]]) -> Motion {
        let mut moved = vec![Vec3::ZERO; self.boundary.points.len()];
        self.held.iter().zip(displaced).for_each(|(v, u)| moved[*v as usize] = *u);
        let right = self.boundary.of_displacements(&moved);
        let mut x: Vec<Real> = right.iter().flat_map(|r| (-*r).to_array()).collect();
        if !tractions.is_empty() {
            let pulled = self.boundary.of_tractions(tractions);
            x.iter_mut().zip(pulled.iter().flat_map(|p| p.to_array())).for_each(|(x, p)| *x += p);
        }
        x.resize(self.n, 0.0);
        self.lu.solve(&mut x);
        let traction = |v: u32| Vec3::from_slice(&x[3 * v as usize..]) * self.unit;
        let reaction = self.held.iter().map(|v| self.held_with(*v, traction)).collect();
        let free = self.place.iter().zip(moved.iter_mut()).zip(x.chunks_exact(3));
        free.filter(|((place, _), _)| place.is_none()).for_each(|((_, u), x)| *u = Vec3::from_slice(x));
        Motion { displacement: moved, reaction }
    }

    /// The force that tractions of held nodes put on one of them \[N\]: over faces that are held whole it does the same work
    /// as they do, whatever linear motion they make.
    fn held_with(&self, node: u32, traction: impl Fn(u32) -> Vec3) -> Vec3 {
        let own = traction(node);
        let share = |f: usize| match self.whole[f] {
            true => self.boundary.topology.triangles[f].iter().fold(own, |sum, v| sum + traction(*v)) / 12.0,
            false => own / 3.0,
        };
        self.faces_of(node).map(|f| share(f) * self.boundary.faces[f].area).sum()
    }

    /// α = −(1 − 2ν)/E: see [`Self::of_body_force`].
    pub fn softening(&self) -> Real {
        let Material { young, poisson } = self.boundary.material;
        -(1.0 - 2.0 * poisson) / young
    }

    /// A body force f per volume \[N/m³\] is taken up by the stress −(f·x) I, with x from the middle of the surface. Its
    /// displacements are α ((f·x) x − ½ x² f).
    pub fn of_body_force(&self, force: Vec3) -> impl Fn(Vec3) -> Vec3 {
        let (middle, alpha) = (self.middle(), self.softening());
        move |x| {
            let x = x - middle;
            (x * force.dot(x) - force * (0.5 * x.length_squared())) * alpha
        }
    }

    /// The stress of that field.
    fn stress_of_body_force(&self, force: Vec3) -> impl Fn(Vec3) -> Mat3 {
        let middle = self.middle();
        move |x| Mat3::from_diagonal(Vec3::splat(-force.dot(x - middle)))
    }

    /// What the tractions of that field do over displacements \[J\].
    pub fn work_of_body_force(&self, force: Vec3, displacement: &[Vec3]) -> Real {
        let b = self.boundary;
        let tractions = b.tractions_of(self.stress_of_body_force(force));
        let faces = b.topology.triangles.iter().zip(&b.faces).zip(&tractions);
        let work = faces.map(|((corners, face), t)| {
            let u = corners.map(|v| displacement[v as usize]);
            let sum = (t[0] + t[1] + t[2]).dot(u[0] + u[1] + u[2]);
            (sum + t[0].dot(u[0]) + t[1].dot(u[1]) + t[2].dot(u[2])) * face.area / 12.0
        });
        work.sum()
    }

    /// Volume \[m³\] and its centre \[m\].
    pub fn volume(&self) -> (Real, Vec3) {
        let (mut volume, mut moment) = (0.0, Vec3::ZERO);
        self.for_each_cone(|size, [a, b, c]| {
            volume += size;
            moment += (a + b + c) * (0.25 * size);
        });
        (volume, self.middle() + moment / volume)
    }

    /// ∫ x xᵀ over the volume, x from the middle of the surface \[m⁵\].
    pub fn squares(&self) -> Mat3 {
        let mut sum = Mat3::ZERO;
        self.for_each_cone(|size, [a, b, c]| {
            for v in [a + b + c, a, b, c] {
                sum += Mat3::from_cols(v * v.x, v * v.y, v * v.z) * (size / 20.0);
            }
        });
        sum
    }

    /// The cones from the middle of the surface to all faces: signed volume and corners.
    fn for_each_cone(&self, mut each: impl FnMut(Real, [Vec3; 3])) {
        let middle = self.middle();
        for face in &self.boundary.faces {
            let corners @ [a, b, c] = face.corners.map(|x| x - middle);
            each(a.dot(b.cross(c)) / 6.0, corners);
        }
    }

    /// Where a node is \[m\].
    pub fn at(&self, node: u32) -> Vec3 {
        self.boundary.points[node as usize]
    }

    /// Under its own weight, `force` per volume \[N/m³\], held where it is: the field of the body force, and on the surface
    /// what sets it right.
    pub fn weigh(&self, force: Vec3) -> Motion {
        let b = self.boundary;
        let bulk = self.of_body_force(force);
        let stress = self.stress_of_body_force(force);
        let bulk_tractions = b.tractions_of(stress);
        let mut tractions = bulk_tractions.clone();
        for (t, whole) in tractions.iter_mut().zip(&self.whole) {
            *t = if *whole { [Vec3::ZERO; 3] } else { t.map(|t| -t) };
        }
        let held: Vec<Vec3> = self.held.iter().map(|v| -bulk(b.points[*v as usize])).collect();
        let mut motion = self.solve(&held, &tractions);
        motion.displacement.iter_mut().zip(&b.points).for_each(|(u, x)| *u += bulk(*x));
        for (f, _) in self.whole.iter().enumerate().filter(|(_, whole)| **whole) {
            let t = bulk_tractions[f];
            for (c, v) in b.topology.triangles[f].iter().enumerate() {
                // ∫ of the product of two linear shares: twelfths of the area, twice for one with itself.
                let share = (t[0] + t[1] + t[2] + t[c]) * (b.faces[f].area / 12.0);
                if let Some(place) = self.place[*v as usize] {
                    motion.reaction[place as usize] += share;
                }
            }
        }
        motion
    }

    /// How the free nodes give way to forces on them: the columns of K⁻¹ L A⁻¹, made symmetric. `watch` is told how many
    /// nodes are done. O(n³).
    pub fn compliance(&self, watch: &mut dyn FnMut(usize)) -> Compliance {
        const CHUNK: usize = 128;
        let nodes = self.boundary.points.len();
        let wide = 3 * nodes;
        let mut matrix = vec![0.0; wide * wide];
        let free: Vec<usize> = (0..nodes).filter(|v| self.place[*v].is_none()).collect();
        for (c, chunk) in free.chunks(CHUNK).enumerate() {
            let mut right = vec![0.0; 3 * chunk.len() * self.n];
            for (column, k) in right.chunks_exact_mut(self.n).zip(0..) {
                let (node, a) = (chunk[k / 3], k % 3);
                let rows = self.boundary.l.chunks_exact(wide);
                let per = 1.0 / self.boundary.areas[node];
                column.iter_mut().zip(rows).for_each(|(x, row)| *x = row[3 * node + a] * per);
            }
            self.lu.solve(&mut right);
            for (column, k) in right.chunks_exact(self.n).zip(0..) {
                let out = &mut matrix[(3 * chunk[k / 3] + k % 3) * wide..][..wide];
                for node in &free {
                    out[3 * node..3 * node + 3].copy_from_slice(&column[3 * node..3 * node + 3]);
                }
            }
            watch(c * CHUNK + chunk.len());
        }
        let asymmetry = symmetrise(&mut matrix, wide);
        Compliance { matrix, asymmetry }
    }
}

/// Makes a square matrix symmetric; says how large the part was that was not.
fn symmetrise(matrix: &mut [Real], n: usize) -> Real {
    let (mut odd, mut even) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..=i {
            let (a, b) = (matrix[i * n + j], matrix[j * n + i]);
            let mean = 0.5 * (a + b);
            odd += 0.25 * (a - b) * (a - b);
            even += mean * mean;
            (matrix[i * n + j], matrix[j * n + i]) = (mean, mean);
        }
    }
    libm::sqrt(odd / even)
}
