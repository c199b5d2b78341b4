//! Columns of the compliance: all there from the bake, or solved for when a vertex is first touched.

use crate::algebra::sparse::Fronts;
use crate::model::{Compliance, FlexibleBody, NONE};
use crate::{Mat3, Real, Vec3};

/// Numbers that the columns of one body may take, 256 MB; beyond it all are forgotten and those of now are solved anew.
const ROOM: usize = 1 << 26;

/// Columns that were solved for. What they are does not depend on which were solved for before or beside them: a solve does
/// the same for each side, however many there are.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Where those of each vertex stand, by 9 n numbers; [`NONE`] where they were not needed yet.
    place: Vec<u32>,
    /// Whether a node is solved for, or held.
    yields: Vec<bool>,
    values: Vec<f32>,
    /// Vertices that are solved for now.
    missing: Vec<u32>,
    solved: Vec<Real>,
    fronts: Fronts,
}

impl Columns {
    /// Sees to it that the columns of vertices are at hand.
    ///
    /// Cost where some have to be solved for: see [`Factor::solve`](crate::algebra::Factor::solve). Forces on single
    /// vertices leave most of a factor at rest on the way up.
    pub fn prepare(&mut self, body: &FlexibleBody, vertices: impl Iterator<Item = u32>) {
        let Compliance::Demand(factor) = &body.compliance else { return };
        let n = body.nodes.len();
        if self.place.len() != n {
            self.place.clear();
            self.place.resize(n, NONE);
            self.values.clear();
            self.yields.clear();
            self.yields.resize(factor.nodes(), false);
            factor.order().iter().for_each(|node| self.yields[*node as usize] = true);
        }
        self.missing.clear();
        self.missing.extend(vertices.filter(|v| self.place[*v as usize] == NONE));
        self.missing.sort_unstable();
        self.missing.dedup();
        if self.missing.is_empty() {
            return;
        }
        let sides = 3 * self.missing.len();
        self.solved.clear();
        self.solved.resize(3 * sides * factor.nodes(), 0.0);
        for (i, vertex) in self.missing.iter().enumerate() {
            let node = body.nodes[*vertex as usize] as usize;
            // What an element holds gives way to no force; a solve would leave it as it is, a metre a newton.
            if !self.yields[node] {
                continue;
            }
            (0..3).for_each(|k| self.solved[(3 * node + k) * sides + 3 * i + k] = 1.0);
        }
        factor.solve(&mut self.solved, sides, &mut self.fronts);
        for (i, vertex) in self.missing.iter().enumerate() {
            self.place[*vertex as usize] = (self.values.len() / (9 * n)) as u32;
            for side in 3 * i..3 * i + 3 {
                for node in &body.nodes {
                    let at = 3 * *node as usize * sides + side;
                    self.values.extend([0, 1, 2].map(|axis| self.solved[at + axis * sides] as f32));
                }
            }
        }
    }

    /// Forgets all columns where they have taken too much room. To be asked before those of a substep are prepared.
    pub fn make_room(&mut self) {
        if self.values.len() > ROOM {
            self.values.clear();
            self.place.fill(NONE);
        }
    }

    /// Displacements of all vertices by unit forces on one along x, y and z, in the body's own axes \[m/N\]: x, y, z of each
    /// vertex in turn. Those of a vertex that was not prepared are empty.
    #[inline]
    pub fn of<'a>(&'a self, body: &'a FlexibleBody, vertex: u32) -> [&'a [f32]; 3] {
        let n = 3 * body.nodes.len();
        let (all, place) = match &body.compliance {
            Compliance::None => return [&[]; 3],
            Compliance::All(all) => (&all[..], vertex),
            Compliance::Demand(_) => (&self.values[..], self.place.get(vertex as usize).map_or(NONE, |p| *p)),
        };
        let start = 3 * n * place as usize;
        [0, 1, 2].map(|k| all.get(start + k * n..start + (k + 1) * n).unwrap_or(&[]))
    }
}

/// How a vertex moves by a force, from the columns of the vertex that is pushed.
#[inline]
pub fn block(columns: &[&[f32]; 3], vertex: u32) -> Mat3 {
    let at = 3 * vertex as usize;
    let column = |k: usize| match columns[k].get(at..at + 3) {
        Some(&[x, y, z]) => Vec3::new(Real::from(x), Real::from(y), Real::from(z)),
        _ => Vec3::ZERO,
    };
    Mat3::from_cols(column(0), column(1), column(2))
}
