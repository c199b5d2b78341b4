//! The equations of a Newton step, by conjugate gradients.

use super::super::whole::Drift;
use super::{Descent, Tissue, TissueWork};
use crate::respond::augmented_lagrangian::Contacts;
use crate::row::Side;
use crate::{Mat3, Real, Vec3};

/// The most conjugate gradients of a pass.
const GRADIENTS: u32 = 6;
/// They end when the squared error, as the preconditioner measures it, has fallen to this share.
const CLOSE: Real = 1e-6;

/// A row as the body's matrix has it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// The vertices of the body that it holds, counted from the first; those beyond `count` are none.
    nodes: [u32; 6],
    /// By how much A's point goes away from B's as each of them moves.
    weights: [Real; 6],
    count: usize,
    /// \[kg\]
    matrix: Mat3,
}

impl Held {
    fn add(&mut self, node: usize, weight: Real) {
        (self.nodes[self.count], self.weights[self.count]) = (node as u32, weight);
        self.count += 1;
    }

    fn knots(&self) -> impl Iterator<Item = (usize, Real)> {
        self.nodes.iter().zip(self.weights).take(self.count).map(|(v, w)| (*v as usize, w))
    }
}

impl Tissue<'_> {
    /// What the rows of the body add.
    pub(super) fn touch(&self, work: &mut TissueWork, b: usize, contacts: &Contacts) {
        let TissueWork { system, descent, .. } = work;
        let (h, first) = (self.clock.h, self.vertices.start);
        descent.rows.clear();
        for row in contacts.links.rows_of(b).iter().map(|r| &contacts.touching[*r as usize]) {
            let answer = row.answer(row.between(contacts.pos, contacts.pose));
            let mut held = Held { matrix: answer.matrix * (h * h), ..Held::default() };
            for ((side, sign), _) in
                row.sides.iter().zip([1.0, -1.0]).zip(row.bodies).filter(|s| s.1 as usize == b)
            {
                match side {
                    Side::Soft(ends, weights) => {
                        ends.iter().zip(weights).for_each(|(v, w)| held.add(v.at() - first, sign * w));
                    }
                    Side::Face(corners, weights) => {
                        corners.iter().zip(weights).for_each(|(v, w)| held.add(v.at() - first, sign * w));
                    }
                    Side::Rigid(..) => {}
                }
                if let (Some(rigid), true) = (&mut descent.rigid, row.bodies[0] != row.bodies[1]) {
                    let arm = side.place(contacts.pos, contacts.pose) - self.whole.center;
                    rigid.add_block(arm, held.matrix);
                }
            }
            for (v, w) in held.knots() {
                system.residual[v] += answer.force * (w * h);
                descent.blocks[v] += held.matrix * (w * w);
            }
            if held.matrix != Mat3::ZERO {
                descent.rows.push(held);
            }
        }
    }

    /// The preconditioner. By the formula of Sherman and Morrison it knows the enclosed volume too, which is of one rank.
    pub(super) fn invert(&self, work: &mut TissueWork) {
        let TissueWork { system, descent, .. } = work;
        for (block, w) in descent.blocks.iter_mut().zip(&self.model.inv_mass[self.vertices.clone()]) {
            *block = if *w > 0.0 { block.inverse() } else { Mat3::ZERO };
        }
        descent.swollen.clear();
        descent.swollen.extend(system.swell.iter().zip(&descent.blocks).map(|(g, block)| *block * *g));
        let size = system.swell_rate * dot(&system.swell, &descent.swollen);
        descent.swollen_share = system.swell_rate / (1.0 + size);
    }

    /// The preconditioner at work on the residual, into `eased`.
    fn ease(&self, work: &mut TissueWork, here: &[Vec3]) {
        let TissueWork { system, descent, .. } = work;
        descent.eased.clear();
        descent.eased.extend(system.residual.iter().zip(&descent.blocks).map(|(r, block)| *block * *r));
        if !system.swell.is_empty() {
            let share = descent.swollen_share * dot(&system.swell, &descent.eased);
            descent.eased.iter_mut().zip(&descent.swollen).for_each(|(z, s)| *z -= *s * share);
        }
        if let Some(mut rigid) = descent.rigid {
            let (mut push, mut spin, center) = (Vec3::ZERO, Vec3::ZERO, self.whole.center);
            for (r, x) in system.residual.iter().zip(here) {
                push += *r;
                spin += (*x - center).cross(*r);
            }
            rigid.add_rhs(push, spin);
            if let Some((vel, omega)) = rigid.solve() {
                let drift = Drift { center, vel, omega };
                descent.eased.iter_mut().zip(here).for_each(|(z, x)| *z += drift.at(*x));
            }
        }
    }

    /// The matrix times the direction, into `image`.
    fn apply(&self, work: &mut TissueWork, here: &[Vec3]) {
        let TissueWork { system, descent, .. } = work;
        descent.image.resize(descent.direction.len(), Vec3::ZERO);
        system.apply(&descent.direction, &mut descent.image);
        for row in &descent.rows {
            let apart: Vec3 = row.knots().map(|(v, w)| descent.direction[v] * w).sum();
            let push = row.matrix * apart;
            row.knots().for_each(|(v, w)| descent.image[v] += push * w);
        }
        if !descent.shape.is_empty() && !self.body.held {
            // The shape goes where the body goes as a whole.
            let (drift, rate) =
                (self.whole.drift(self.mass(), here, &descent.direction), self.restoration().1);
            for ((q, x), m) in descent.image.iter_mut().zip(here).zip(self.mass()) {
                *q -= drift.at(*x) * (rate * m);
            }
        }
    }

    /// Conjugate gradients, into `step`.
    pub(super) fn solve(&self, work: &mut TissueWork, here: &[Vec3]) {
        work.descent.step.clear();
        work.descent.step.resize(here.len(), Vec3::ZERO);
        self.ease(work, here);
        let mut rho = dot(&work.system.residual, &work.descent.eased);
        let enough = rho * CLOSE;
        work.descent.direction.clear();
        work.descent.direction.extend_from_slice(&work.descent.eased);
        for _ in 0..GRADIENTS {
            self.apply(work, here);
            let Descent { direction, image, step, .. } = &mut work.descent;
            let alpha = rho / dot(direction, image);
            if !alpha.is_finite() {
                break;
            }
            step.iter_mut().zip(&*direction).for_each(|(s, d)| *s += *d * alpha);
            work.system.residual.iter_mut().zip(&*image).for_each(|(r, q)| *r -= *q * alpha);
            self.ease(work, here);
            let next = dot(&work.system.residual, &work.descent.eased);
            if next <= enough || next.is_nan() {
                break;
            }
            let beta = next / rho;
            rho = next;
            let Descent { direction, eased, .. } = &mut work.descent;
            direction.iter_mut().zip(eased).for_each(|(d, z)| *d = *z + *d * beta);
        }
        // As a whole it goes where its rows and its inertia want it, whatever the gradients have left.
        if let Some(mut rigid) = work.descent.rigid {
            rigid.add_rhs(work.system.residual.iter().sum(), Vec3::ZERO);
            if let Some(shift) = rigid.shift() {
                work.descent.step.iter_mut().for_each(|s| *s += shift);
            }
        }
    }
}

fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    let sum: Vec3 = a.iter().zip(b).map(|(a, b)| *a * *b).sum();
    sum.x + sum.y + sum.z
}
