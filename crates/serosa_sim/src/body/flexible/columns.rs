//! Columns of the compliance: all there from the bake, or solved for before a vertex is touched, a part in each step, and
//! at the latest when it is.

use super::ahead::Others;
use crate::algebra::Factor;
use crate::algebra::sparse::{Fronts, Gradual, Spot};
use crate::model::{Compliance, FlexibleBody, Model, NONE};
use crate::state::State;
use crate::{Mat3, Real, Vec3};

/// Numbers that the columns of one body may take, 256 MB; beyond it all are forgotten and those of now are solved anew.
const ROOM: usize = 1 << 26;
/// Vertices that are solved for at once: the factor is read once for all of them.
const BATCH: usize = 8;
/// Multiplications that are made beforehand in a simulated second: some tenths of it, on one core of 2020.
const RATE: Real = 2e9;
/// What it costs to find the nearest of some vertices, and to write a number down, in multiplications.
const LOOKING: usize = 100;
const WRITING: usize = 8;

/// Columns that were solved for. What they are does not depend on which were solved for before or beside them, or when: a
/// solve does the same for each side, however many there are.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Where those of each vertex stand, by 9 n numbers; [`NONE`] where they were not needed yet.
    place: Vec<u32>,
    /// Where each node stands in the factor; none where it is held and gives way to no force.
    spots: Vec<Option<Spot>>,
    values: Vec<f32>,
    /// Vertices that are solved for now.
    missing: Vec<u32>,
    solved: Vec<Real>,
    fronts: Fronts,
    /// Vertices that are solved for beforehand, three sides each, and how far that is.
    ahead: Vec<u32>,
    gradual: Gradual,
    others: Others,
    /// Vertices that were touched before their columns were there.
    late: u32,
    /// Whether nothing was left to be solved for when it was last looked.
    rests: bool,
}

impl Columns {
    fn begin(&mut self, body: &FlexibleBody, factor: &Factor) {
        let n = body.nodes.len();
        if self.place.len() != n {
            self.place.clear();
            self.place.resize(n, NONE);
            self.spots = factor.spots();
            self.ahead.clear();
            self.values.clear();
            // At once: moving them as they grow would be a stall of its own. What is not written takes no memory.
            self.values.reserve_exact((9 * n * n).min(ROOM + 9 * n * BATCH));
        }
    }

    /// Whether the columns of a vertex are not at hand; never of what is held.
    fn lacks(&self, body: &FlexibleBody, vertex: u32) -> bool {
        self.place[vertex as usize] == NONE && self.spots[body.nodes[vertex as usize] as usize].is_some()
    }

    /// Sees to it that the columns of vertices are at hand.
    ///
    /// Cost where some have to be solved for: see [`Factor::solve`](crate::algebra::Factor::solve). Forces on single
    /// vertices leave most of a factor at rest on the way up.
    pub fn prepare(&mut self, body: &FlexibleBody, vertices: impl Iterator<Item = u32>) {
        let Compliance::Demand(factor) = &body.compliance else { return };
        self.begin(body, factor);
        let mut missing = core::mem::take(&mut self.missing);
        missing.clear();
        missing.extend(vertices.filter(|v| self.lacks(body, *v)));
        missing.sort_unstable();
        missing.dedup();
        self.late += missing.len() as u32;
        missing.chunks(BATCH).for_each(|vertices| self.solve(body, factor, vertices));
        self.missing = missing;
    }

    fn solve(&mut self, body: &FlexibleBody, factor: &Factor, vertices: &[u32]) {
        let (n, sides) = (body.nodes.len(), 3 * vertices.len());
        self.solved.clear();
        self.solved.resize(3 * sides * factor.nodes(), 0.0);
        for (i, vertex) in vertices.iter().enumerate() {
            let node = body.nodes[*vertex as usize] as usize;
            (0..3).for_each(|k| self.solved[(3 * node + k) * sides + 3 * i + k] = 1.0);
        }
        factor.solve(&mut self.solved, sides, &mut self.fronts);
        for (i, vertex) in vertices.iter().enumerate() {
            self.place[*vertex as usize] = (self.values.len() / (9 * n)) as u32;
            for side in 3 * i..3 * i + 3 {
                for node in &body.nodes {
                    let at = 3 * *node as usize * sides + side;
                    self.values.extend([0, 1, 2].map(|axis| self.solved[at + axis * sides] as f32));
                }
            }
        }
    }

    /// Solves for what may be touched soon, nearest first, as much of it as a substep of `h` can bear: the columns of a first
    /// touch take longer than a step. Whatever has been solved for when, nothing moves otherwise for it.
    pub fn look_ahead(&mut self, (b, body): (usize, &FlexibleBody), model: &Model, state: &State, h: Real) {
        let Compliance::Demand(factor) = &body.compliance else { return };
        self.begin(body, factor);
        let (n, mut left) = (body.nodes.len(), (h * RATE) as usize);
        while left > 0 {
            if self.ahead.is_empty() {
                if 2 * self.values.len() > ROOM || !self.choose((b, body), model, state) {
                    return;
                }
                let spots = self.ahead.iter().filter_map(|v| self.spots[body.nodes[*v as usize] as usize]);
                factor.begin(spots.flat_map(|spot| (0..3).map(move |k| (spot, k))), &mut self.gradual);
                left = left.saturating_sub(LOOKING * n);
            }
            if !factor.go_on(&mut self.gradual, &mut left) {
                return;
            }
            let Some(vertex) = self.ahead.pop() else { return };
            // It may have been touched meanwhile.
            if self.place[vertex as usize] == NONE {
                self.place[vertex as usize] = (self.values.len() / (9 * n)) as u32;
                let first = 3 * self.ahead.len();
                for side in first..first + 3 {
                    for node in &body.nodes {
                        let spot = self.spots[*node as usize];
                        let moved =
                            spot.map_or(&[0.0; 3][..], |spot| factor.found(&self.gradual, spot, side));
                        self.values.extend(moved.iter().map(|x| *x as f32));
                    }
                }
            }
            left = left.saturating_sub(9 * n * WRITING);
        }
    }

    /// The nearest vertices whose columns are lacking; whether there are any. Where all is done it is looked again in every
    /// eighth step.
    fn choose(&mut self, (b, body): (usize, &FlexibleBody), model: &Model, state: &State) -> bool {
        if self.rests && !state.tick.is_multiple_of(8) {
            return false;
        }
        self.others.see(model, state, b);
        let mut nearest = [(Real::INFINITY, NONE); BATCH];
        let pos = &state.pos[model.bodies[b].vertex_range()];
        for (v, place) in (0..).zip(pos) {
            let gap = self.others.nearest(*place).filter(|gap| *gap < nearest[BATCH - 1].0);
            if let Some(gap) = gap.filter(|_| self.lacks(body, v)) {
                nearest[BATCH - 1] = (gap, v);
                nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
        }
        self.ahead.extend(nearest.iter().map(|(_, v)| *v).take_while(|v| *v != NONE));
        self.rests = self.ahead.is_empty();
        !self.rests
    }

    /// How many vertices were touched before their columns were there: each of them cost its step a part of a solve.
    pub fn late(&self) -> u32 {
        self.late
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
