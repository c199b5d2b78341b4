//! Detect: from positions to rows.
//!
//! Every detector is complete: it makes a row for each allowed pair of primitives that is nearer than the
//! margin at the predicted positions, and none else. They differ only in how they look.

use crate::model::{Model, Pose, PrimKind, Shape};
use crate::params::{BodyParams, Detector, Params};
use crate::report::StepReport;
use crate::row::{Node, Row, RowKey};
use crate::state::State;
use crate::{Mat3, PrimId, Real, Scratch, Vec3};
use rayon::prelude::*;
use serosa_geometry::solid::touches;
use serosa_geometry::{Aabb, Cuboid, Grid, Plane, Round, Solid, Touch};

/// Displacement–velocity rows are made only where things overlap.
const MARGIN: Real = 0.0;
/// Primitives placed, or jobs of the search done, by one thread at a time. The partition does not depend on
/// the number of threads, and buckets are joined in order, so the rows do not either.
const CHUNK: usize = 512;

/// Working arrays of detection; grown once, kept.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    solids: Vec<Solid>,
    boxes: Vec<Aabb>,
    grid: Grid,
    buckets: Vec<Vec<Row>>,
}

/// Where things are.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// One per vertex \[m\].
    pub pos: &'a [Vec3],
    /// One per rigid frame.
    pub pose: &'a [Pose],
    /// One per primitive \[m\].
    pub radius: &'a [Real],
}

/// The stage: rows at the predicted positions, into `scratch.rows`.
pub(crate) fn find(
    model: &Model,
    params: &Params,
    state: &State,
    scratch: &mut Scratch,
    report: &mut StepReport,
) {
    scratch.found_pos.copy_from_slice(&scratch.pos);
    scratch.found_pose.copy_from_slice(&scratch.pose);
    let places = Places { pos: &scratch.pos, pose: &scratch.pose, radius: &state.radius };
    let room = scratch.rows.capacity();
    scratch.finder.rows(model, params, params.detector, places, &mut scratch.rows);
    report.contacts = scratch.rows.len() as u32;
    report.grown += u32::from(scratch.rows.capacity() > room);
}

impl Finder {
    /// All rows at some places, sorted by key, into `rows`.
    pub fn rows(
        &mut self,
        model: &Model,
        params: &Params,
        detector: Detector,
        places: Places,
        rows: &mut Vec<Row>,
    ) {
        self.place(model, places);
        let jobs = match detector {
            Detector::AllPairs => model.prims.len(),
            Detector::Grid => {
                self.grid.build(&self.boxes);
                self.grid.jobs()
            }
        };
        let used = jobs.div_ceil(CHUNK);
        if self.buckets.len() < used {
            self.buckets.resize(used, Vec::new());
        }
        let (solids, boxes, grid) = (&self.solids, &self.boxes, &self.grid);
        self.buckets[..used].par_iter_mut().enumerate().for_each(|(chunk, bucket)| {
            bucket.clear();
            for job in chunk * CHUNK..jobs.min((chunk + 1) * CHUNK) {
                let mut meet = |i: u32, j: u32| {
                    let pair = (PrimId(i), PrimId(j));
                    if model.may_touch(pair.0, pair.1) {
                        touches(&solids[pair.0.at()], &solids[pair.1.at()], MARGIN, &mut |touch| {
                            bucket.push(row(model, &params.bodies, places, pair, &touch));
                        });
                    }
                };
                match detector {
                    Detector::AllPairs => {
                        ((job + 1) as u32..model.prims.len() as u32).for_each(|j| meet(job as u32, j));
                    }
                    Detector::Grid => grid.pairs_in(job, boxes, meet),
                }
            }
        });
        rows.clear();
        for bucket in &self.buckets[..used] {
            rows.extend_from_slice(bucket);
        }
        rows.sort_unstable_by_key(|row| row.key);
    }

    /// Primitives in world space, and their boxes.
    fn place(&mut self, model: &Model, places: Places) {
        let n = model.prims.len();
        self.solids.resize(n, Solid::Plane(Plane { normal: Vec3::Z, offset: 0.0 }));
        self.boxes.resize(n, Aabb::EMPTY);
        let chunks = self.solids.par_chunks_mut(CHUNK).zip(self.boxes.par_chunks_mut(CHUNK));
        chunks.enumerate().for_each(|(chunk, (solids, boxes))| {
            for (k, (solid, bounds)) in solids.iter_mut().zip(boxes).enumerate() {
                *solid = solid_of(model, PrimId::from(chunk * CHUNK + k), places);
                *bounds = solid.bounds();
            }
        });
    }
}

/// A primitive in world space.
pub fn solid_of(model: &Model, prim: PrimId, at: Places) -> Solid {
    let radius = at.radius[prim.at()];
    let rigid = match model.prims[prim.at()].kind {
        PrimKind::Segment([a, b]) => {
            return Solid::Round(Round { a: at.pos[a.at()], b: at.pos[b.at()], radius });
        }
        PrimKind::Shape(r) => r,
    };
    let pose = &at.pose[rigid.at()];
    match model.rigids[rigid.at()].shape {
        Shape::Ball => Solid::Round(Round { a: pose.pos, b: pose.pos, radius }),
        Shape::Capsule { half } => {
            let reach = pose.rot * Vec3::Z * half;
            Solid::Round(Round { a: pose.pos - reach, b: pose.pos + reach, radius })
        }
        Shape::Cuboid { half } => {
            Solid::Cuboid(Cuboid { center: pose.pos, axes: Mat3::from_quat(pose.rot), half })
        }
        Shape::Plane => {
            let normal = pose.rot * Vec3::Z;
            Solid::Plane(Plane { normal, offset: normal.dot(pose.pos) })
        }
    }
}

/// From a touch to a row: who is held where, with which weight.
fn row(model: &Model, bodies: &[BodyParams], at: Places, pair: (PrimId, PrimId), touch: &Touch) -> Row {
    let mu = |p: PrimId| bodies[model.prims[p.at()].body.at()].friction;
    let key = RowKey { a: pair.0, b: pair.1, feature: touch.feature };
    let mut row = Row::new(key, touch.normal, touch.gap, (mu(pair.0) * mu(pair.1)).sqrt());
    let sides = [(pair.0, touch.s, touch.on_a, 1.0), (pair.1, touch.t, touch.on_b, -1.0)];
    for (prim, along, point, sign) in sides {
        match model.prims[prim.at()].kind {
            PrimKind::Segment([a, b]) => {
                row.hold(Node::Vertex(a), sign * (1.0 - along), at.pos[a.at()]);
                row.hold(Node::Vertex(b), sign * along, at.pos[b.at()]);
            }
            PrimKind::Shape(r) => row.hold(Node::Rigid(r, at.pose[r.at()].local(point)), sign, point),
        }
    }
    row
}
