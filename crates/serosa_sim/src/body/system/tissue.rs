//! Tissue in the system: its vertices, its enclosed volume, and its rest shape where that goes along.

use super::{System, rows_of, unknown_of};
use crate::body::tissue::{self, TissueWork};
use crate::model::{Body, BodyKind, Model, TissueBody};
use crate::{Mat3, RigidId, Scratch, Vec3};

/// All tissue bodies.
fn tissues(model: &Model) -> impl Iterator<Item = (usize, &TissueBody)> {
    model.bodies.iter().enumerate().filter_map(|(b, body)| match &body.kind {
        BodyKind::Tissue(tissue) => Some((b, tissue)),
        _ => None,
    })
}

/// Those whose enclosed volume is a term of one rank, in the order of these.
pub(super) fn swollen(model: &Model) -> impl Iterator<Item = (usize, &TissueBody)> {
    tissues(model).filter(|(_, tissue)| tissue.volume.is_some())
}

/// Those whose rest shape goes along, each with the first of the two unknowns of it: linear and angular velocity.
pub(super) fn shapes(model: &Model) -> impl Iterator<Item = (usize, &TissueBody, u32)> {
    let first = unknown_of(model, RigidId::from(model.rigids.len()));
    let free = tissues(model).filter(|(_, tissue)| tissue::shape_is_free(tissue));
    free.zip((first..).step_by(2)).map(|((b, tissue), unknown)| (b, tissue, unknown))
}

/// Vertices that share an element.
pub(super) fn add_pairs(model: &Model, body: &TissueBody, pairs: &mut Vec<[u32; 2]>) {
    let faces = &model.faces[body.faces.start as usize..body.faces.end as usize];
    let folds = &model.folds[body.folds.start as usize..body.folds.end as usize];
    faces.iter().for_each(|f| super::all_pairs(&f.corners.map(|v| v.0), pairs));
    folds.iter().for_each(|f| super::all_pairs(&f.nodes.map(|v| v.0), pairs));
}

impl System {
    /// The elements of a body, but for what reaches over all of it.
    pub(super) fn add_tissue(
        &mut self,
        body: &Body,
        work: &TissueWork,
        frozen: bool,
        moves: impl Fn(u32) -> bool,
    ) {
        if frozen {
            return;
        }
        let first = body.vertices.start;
        for (v, impulse) in body.vertex_range().zip(work.impulses()).filter(|(v, _)| moves(*v as u32)) {
            self.push(v, *impulse);
        }
        work.each_piece(|a, b, piece| {
            if moves(first + a) && moves(first + b) {
                self.matrix.add(first + a, first + b, rows_of(piece));
            }
        });
    }

    /// What reaches over whole bodies: enclosed volumes, and restoration with the shapes that go along.
    pub(super) fn add_shapes(&mut self, model: &Model, scratch: &Scratch, frozen: &[bool]) {
        for (k, (b, _)) in swollen(model).enumerate().filter(|(_, (b, _))| !frozen[*b]) {
            let (rate, gradient) = scratch.tissues[b].swelling();
            self.matrix.set_rank(k, rate, gradient.iter().map(|g| g.to_array()));
        }
        for (b, _) in tissues(model).filter(|(b, _)| !frozen[*b]) {
            let rate = scratch.tissues[b].restoring().0;
            for v in model.bodies[b].vertices.clone().filter(|v| scratch.inv_mass[*v as usize] > 0.0) {
                self.matrix.add_diagonal(v, rate * model.mass[v as usize]);
            }
        }
        for (b, _, shape) in shapes(model) {
            let (rate, arms) = scratch.tissues[b].restoring();
            if frozen[b] || rate == 0.0 {
                (0..2).for_each(|k| self.matrix.add_diagonal(shape + k, 1.0));
                continue;
            }
            let (mut total, mut inertia) = (0.0, Mat3::ZERO);
            for (v, arm) in model.bodies[b].vertices.clone().zip(arms) {
                let weight = rate * model.mass[v as usize];
                let cross = crossing(*arm);
                total += weight;
                inertia += cross.transpose() * cross * weight;
                if scratch.inv_mass[v as usize] > 0.0 {
                    self.matrix.add(v, shape, rows_of(Mat3::from_diagonal(Vec3::splat(-weight))));
                    // Ω × arm = −arm × Ω.
                    self.matrix.add(v, shape + 1, rows_of(cross * weight));
                }
            }
            self.matrix.add_diagonal(shape, total);
            self.matrix.add(shape + 1, shape + 1, rows_of(inertia));
        }
    }
}

/// The matrix of arm × …
fn crossing(arm: Vec3) -> Mat3 {
    Mat3::from_cols(arm.cross(Vec3::X), arm.cross(Vec3::Y), arm.cross(Vec3::Z))
}

/// The part of the twin that rest shapes have: they go along, and what pulls at vertices pulls back at them.
pub(super) fn follow(model: &Model, works: &[TissueWork], at: impl Fn(usize) -> Vec3, out: &mut [Vec3]) {
    for (b, _, shape) in shapes(model) {
        let (rate, arms) = works[b].restoring();
        let shape = shape as usize;
        let (vel, omega) = (at(shape), at(shape + 1));
        if rate == 0.0 {
            (out[shape], out[shape + 1]) = (vel, omega);
            continue;
        }
        for (v, arm) in model.bodies[b].vertex_range().zip(arms) {
            let weight = rate * model.mass[v];
            let goes = vel + omega.cross(*arm);
            out[v] -= goes * weight;
            let pull = (at(v) - goes) * weight;
            out[shape] -= pull;
            out[shape + 1] -= arm.cross(pull);
        }
    }
}
