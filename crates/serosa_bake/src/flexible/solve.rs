//! The modes: block elimination of what is moved and held, one factor, a solve for each mode.

use super::{Chosen, motion};
use crate::assemble::{Lame, elastic_stiffness, quadratic_stiffness};
use crate::cholesky::{FactorError, factor};
use crate::raw::RawTets;
use crate::solid::raise;
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::sparse::{Fronts, Precision};
use serosa_sim::algebra::{BlockMatrix, Factor};
use serosa_sim::model::MODES;

/// Right-hand sides that are solved at once: with more, their fronts leave the nearest memory.
pub const SIDES: usize = 9;

/// What is solved: K u = f with some nodes moved and some held.
pub struct System<'a> {
    /// Nodes at rest \[m\].
    pub points: &'a [Vec3],
    /// Mass of each node \[kg\].
    pub masses: Vec<Real>,
    /// The stiffness of all nodes \[N/m\].
    pub whole: BlockMatrix<3>,
    /// That of the nodes that are neither moved nor held.
    pub matrix: BlockMatrix<3>,
    chosen: &'a Chosen,
}

/// All modes of a body.
pub struct Solution {
    /// Displacements \[m by unit\]: for each number of each node one row of all columns.
    pub modes: Vec<Real>,
    /// See [`FlexibleBody::reaction`](serosa_sim::model::FlexibleBody::reaction).
    pub reaction: Vec<Real>,
    /// See [`FlexibleBody::energy`](serosa_sim::model::FlexibleBody::energy).
    pub energy: Vec<Real>,
    /// Of the nodes that are neither moved nor held.
    pub factor: Factor,
    columns: usize,
}

impl Solution {
    /// Columns of the modes.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

impl<'a> System<'a> {
    /// Assembles a body of linear or quadratic tetrahedra, one material and density for each.
    pub fn of(raw: &'a RawTets, materials: &[(Lame, Real)], chosen: &'a Chosen) -> Self {
        let points = &raw.mesh.points[..];
        let laws: Vec<Lame> = materials.iter().map(|m| m.0).collect();
        let bound: Vec<bool> = (0..points.len() as u32).map(|v| !chosen.free(v)).collect();
        let none = vec![false; points.len()];
        let ten: Vec<[u32; 10]> = raw.tets.iter().zip(&raw.middles).map(|(t, m)| join(t, m)).collect();
        let assembled = |fixed: &[bool]| match ten.is_empty() {
            true => elastic_stiffness(points, &raw.tets, &laws, fixed),
            false => quadratic_stiffness(points, &ten, &laws, fixed),
        };
        Self {
            points,
            masses: masses(raw, materials),
            whole: assembled(&none),
            matrix: assembled(&bound),
            chosen,
        }
    }

    /// How many modes there are.
    pub fn columns(&self) -> usize {
        MODES * self.chosen.elements.len() + 3
    }

    /// The displacements that a mode prescribes, zero elsewhere \[m\].
    pub fn prescribed(&self, column: usize) -> Vec<Real> {
        let mut u = vec![0.0; 3 * self.points.len()];
        if let Some(element) = self.chosen.elements.get(column / MODES) {
            for v in &element.nodes {
                let at = 3 * *v as usize;
                let moved = motion(column % MODES, self.points[*v as usize] - element.origin);
                u[at..at + 3].copy_from_slice(&moved.to_array());
            }
        }
        u
    }

    /// The forces that a mode puts on nodes: weight by unit gravity \[N\].
    pub fn load(&self, column: usize) -> Vec<Real> {
        let axis = (column + 3).checked_sub(self.columns());
        let of = |mass: &Real| [0, 1, 2].map(|k| if axis == Some(k) { *mass } else { 0.0 });
        self.masses.iter().flat_map(of).collect()
    }

    /// What is left for the free nodes to balance \[N\].
    pub fn right_side(&self, column: usize) -> Vec<Real> {
        let (moved, mut side) = (self.prescribed(column), vec![0.0; 3 * self.points.len()]);
        self.whole.multiply(&moved, &mut side);
        side.iter_mut().zip(self.load(column)).for_each(|(s, load)| *s = load - *s);
        side
    }

    /// Factors once and solves for all modes; `watch` hears how many of how many parts are done.
    pub fn solve(&self, watch: &mut dyn FnMut(usize, usize)) -> Result<Solution, FactorError> {
        let columns = self.columns();
        let parts = 2 * columns;
        let factor = factor(&self.matrix, self.points, Precision::Double)?;
        watch(columns, parts);
        let mut modes = vec![0.0; 3 * self.points.len() * columns];
        let mut fronts = Fronts::default();
        for start in (0..columns).step_by(SIDES) {
            let sides = SIDES.min(columns - start);
            let mut x = vec![0.0; 3 * self.points.len() * sides];
            for r in 0..sides {
                let side = self.right_side(start + r);
                side.iter().enumerate().for_each(|(i, s)| x[i * sides + r] = *s);
            }
            factor.solve(&mut x, sides, &mut fronts);
            for r in 0..sides {
                self.keep(start + r, x.iter().skip(r).step_by(sides), &mut modes);
            }
            watch(columns + start + sides, parts);
        }
        Ok(self.close(modes, factor))
    }

    /// Writes a column: what was solved for free nodes, what was prescribed for others.
    pub fn keep<'x>(&self, column: usize, solved: impl Iterator<Item = &'x Real>, modes: &mut [Real]) {
        let (columns, moved) = (self.columns(), self.prescribed(column));
        for (i, (x, moved)) in solved.zip(moved).enumerate() {
            let free = self.chosen.free((i / 3) as u32);
            modes[i * columns + column] = if free { *x } else { moved };
        }
    }

    /// Reactions and energies of all modes.
    fn close(&self, modes: Vec<Real>, factor: Factor) -> Solution {
        let columns = self.columns();
        let mut reaction = vec![0.0; 6 * self.chosen.elements.len() * columns];
        let mut energy = vec![0.0; columns * columns];
        let mut forces = vec![0.0; 3 * self.points.len()];
        for column in 0..columns {
            let u: Vec<Real> = modes.iter().skip(column).step_by(columns).copied().collect();
            self.whole.multiply(&u, &mut forces);
            for (row, force) in modes.chunks_exact(columns).zip(&forces) {
                let all = energy.iter_mut().skip(column).step_by(columns).zip(row);
                all.for_each(|(e, other)| *e += other * force);
            }
            forces.iter_mut().zip(self.load(column)).for_each(|(f, load)| *f -= load);
            for (e, element) in self.chosen.elements.iter().enumerate() {
                for v in &element.nodes {
                    let force = Vec3::from_slice(&forces[3 * *v as usize..]);
                    let torque = (self.points[*v as usize] - element.origin).cross(force);
                    for (k, part) in force.to_array().into_iter().chain(torque.to_array()).enumerate() {
                        reaction[(6 * e + k) * columns + column] += part;
                    }
                }
            }
        }
        Solution { modes, reaction, energy, factor, columns }
    }
}

fn join(corners: &[u32; 4], middles: &[u32; 6]) -> [u32; 10] {
    std::array::from_fn(|i| if i < 4 { corners[i] } else { middles[i - 4] })
}

/// Masses of nodes: a quarter of each tetrahedron at its corners; quadratic ones as solids share theirs.
fn masses(raw: &RawTets, materials: &[(Lame, Real)]) -> Vec<Real> {
    let mut masses = vec![0.0; raw.mesh.points.len()];
    for (t, (nodes, (_, density))) in raw.tets.iter().zip(materials).enumerate() {
        let corners = nodes.map(|v| raw.mesh.points[v as usize]);
        let mass = density * crate::assemble::shape_gradients(corners).0;
        let middles = raw.middles.get(t);
        let corner = if middles.is_some() { raise::SHARES[0] } else { 0.25 };
        nodes.iter().for_each(|v| masses[*v as usize] += corner * mass);
        middles.into_iter().flatten().for_each(|v| masses[*v as usize] += raise::SHARES[1] * mass);
    }
    masses
}

/// How an element yields to force and torque, all others held: the inverse of its own rigid part of the reactions. None
/// where nothing else holds the body.
pub fn softness(reaction: &[Real], columns: usize, element: usize) -> Option<[[Real; 6]; 6]> {
    let entry = |row: usize, k: usize| reaction[(6 * element + row) * columns + MODES * element + k];
    // A small turn θ is the map x ↦ θ × x.
    let turned = |row: usize, axis: usize| {
        let [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
        entry(row, 3 + 3 * q + p) - entry(row, 3 + 3 * p + q)
    };
    let mut stiff: [[Real; 12]; 6] = std::array::from_fn(|row| {
        std::array::from_fn(|k| match k {
            0..3 => entry(row, k),
            3..6 => turned(row, k - 3),
            _ => Real::from(u8::from(k - 6 == row)),
        })
    });
    let scale: [Real; 6] = std::array::from_fn(|k| stiff[k][k].abs());
    for k in 0..6 {
        let largest = (k..6).max_by(|a, b| stiff[*a][k].abs().total_cmp(&stiff[*b][k].abs()))?;
        stiff.swap(k, largest);
        if stiff[k][k].is_nan() || stiff[k][k].abs() <= 1e-9 * scale[k] {
            return None;
        }
        let pivot = stiff[k].map(|x| x / stiff[k][k]);
        for (row, other) in stiff.iter_mut().enumerate() {
            let by = other[k];
            if row == k {
                *other = pivot;
            } else {
                other.iter_mut().zip(pivot).for_each(|(x, p)| *x -= by * p);
            }
        }
    }
    Some(stiff.map(|row| std::array::from_fn(|k| row[6 + k])))
}
