//! Flexible bodies: linear elasticity whose solutions were computed when the scene was baked.
//!
//! The shape of a body is a weighted sum of few precomputed ones: how its control elements are moved gives the weights.
//! What rotation they have in common is taken out first and given to the whole body, so that only the rest has to be
//! small; where it is not, the elements stay where they are and the report says why (Klimenko, Nikitina and Nikitin
//! 2004; corrections in `docs/models/flexible.md`).

mod ahead;
mod columns;
mod frame;
mod sum;
mod surface;
mod touched;

pub use frame::{Frame, angle_of};
pub use sum::{largest_strain, shape};
pub use surface::{Gauge, Lame, Quantity};
pub(crate) use touched::{descend, pace, spread, start};

use crate::body::Substep;
use crate::model::{BodyKind, ControlElement, FlexibleBody, Limits, MODES, Model, Weight};
use crate::params::TURN_MAX;
use crate::report::{Nonlinear, Refusal, StepReport};
use crate::state::{Affine, Controlled, State};
use crate::{BodyId, Mat3, Real, Scratch, Vec3};
use serosa_geometry::rotation::{from_rotation_vector, to_rotation_vector};

/// Fastest that the scale of a control element changes \[1/s\].
const GROW_MAX: Real = 10.0;
/// Values that differ by less than this share are taken for the same when it is asked which element is at a limit.
const ROUNDING: Real = 1e-9;

/// What a step computes of a flexible body.
#[derive(Clone, Debug, Default)]
pub struct FlexibleWork {
    /// Where its elements are to be.
    next: Vec<Affine>,
    /// Where its frame is.
    pub frame: Frame,
    /// Weights of the modes in that frame.
    pub coefficients: Vec<Real>,
    /// The same, as modes are kept.
    weights: Vec<f32>,
    /// Force \[N\] and torque about its origin \[N m\] that each element puts on the body, in the world.
    pub reactions: Vec<[Vec3; 2]>,
    /// What others do to it.
    pub touched: touched::Touched,
}

/// An element, what is too much about it, how much it is and how much it may be.
type Excess = (Option<u32>, Nonlinear, [Real; 2]);

impl FlexibleWork {
    /// Frame, coefficients and reactions for elements at given places.
    pub fn place(&mut self, body: &FlexibleBody, at: impl Iterator<Item = Affine> + Clone, gravity: Vec3) {
        self.frame = Frame::of(body, at.clone());
        self.coefficients.clear();
        for (element, at) in body.elements.iter().zip(at) {
            let (shift, map) = self.frame.relative(element, &at);
            self.coefficients.extend(shift.to_array());
            let rows = map.transpose();
            [rows.x_axis, rows.y_axis, rows.z_axis]
                .iter()
                .for_each(|r| self.coefficients.extend(r.to_array()));
        }
        self.coefficients.extend((self.frame.rot.transpose() * gravity).to_array());
        self.weights.clear();
        self.weights.extend(self.coefficients.iter().map(|c| *c as f32));
        self.reactions.clear();
        let columns = body.columns();
        for rows in body.reaction.chunks_exact(6 * columns) {
            let row = |k: usize| dot(&rows[k * columns..(k + 1) * columns], &self.coefficients);
            let pair = [Vec3::new(row(0), row(1), row(2)), Vec3::new(row(3), row(4), row(5))];
            self.reactions.push(pair.map(|v| self.frame.rot * v));
        }
    }

    /// What some elements, and attachments if so said, put on the body, contacts included \[N\]. What nothing moves is in
    /// balance: attachments carry what is left of weight, contacts and elements.
    pub(crate) fn carried(
        &self,
        body: &FlexibleBody,
        gravity: Vec3,
        (elements, attached): (&[u32], bool),
    ) -> Vec3 {
        // Betti: a contact acts on an element as the vertex that it pushes follows the element.
        let pull = |e: usize| {
            let reaction = self.reactions.get(e).map_or(Vec3::ZERO, |both| both[0]);
            let each = self.touched.forces().map(|(v, force)| {
                let along = |axis: usize| body.moved_by(v as usize, MODES * e + axis).dot(force);
                Vec3::new(along(0), along(1), along(2))
            });
            reaction - self.frame.rot * each.sum::<Vec3>()
        };
        let sum: Vec3 = elements.iter().map(|e| pull(*e as usize)).sum();
        if !attached {
            return sum;
        }
        let all: Vec3 = (0..body.elements.len()).map(pull).sum();
        let pressed = self.frame.rot * self.touched.forces().map(|(_, force)| force).sum::<Vec3>();
        sum - all - pressed - gravity * body.weight.mass
    }

    /// What exceeds the limits, apart from strains. Of two elements that are drawn apart both are as far from the mean
    /// but for rounding: the one is meant that is on its way for longer in this substep. Its angle comes before its stretch.
    fn exceeded(&self, body: &FlexibleBody, next: &[Affine], now: &[Controlled]) -> Option<Excess> {
        let Limits { stretch: stretch_max, angle: angle_max, .. } = body.limits;
        let each = self.coefficients.chunks_exact(MODES).zip(&body.elements).zip(next).zip(now).enumerate();
        let all = each.flat_map(|(i, (((c, element), at), now))| {
            let stretch = Vec3::from_slice(&c[..3]).length();
            let angle = angle_of(self.frame.rot.transpose() * Mat3::from_quat(at.pose.rot));
            let way = time_for(element, &now.at, at);
            [(Nonlinear::Angle, [angle, angle_max]), (Nonlinear::Stretch, [stretch, stretch_max])]
                .map(|(why, values)| (way, (Some(i as u32), why, values)))
        });
        if !all.clone().any(|(_, (.., [value, limit]))| beyond(value, limit)) {
            return None;
        }
        let about = all.filter(|(_, (.., [value, limit]))| beyond(*value, limit * (1.0 - ROUNDING)));
        about.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, excess)| excess)
    }
}

/// How long an element is on its way from one place to another, at its fastest \[s\].
fn time_for(element: &ControlElement, from: &Affine, to: &Affine) -> Real {
    let turn = to_rotation_vector(to.pose.rot * from.pose.rot.conjugate()).length();
    let times = [from.pose.pos.distance(to.pose.pos) / element.speed_max, turn / TURN_MAX];
    times.into_iter().fold(from.scale.distance(to.scale) / GROW_MAX, Real::max)
}

/// What is no number is beyond all limits.
fn beyond(value: Real, limit: Real) -> bool {
    value.is_nan() || value > limit
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Predict: elements follow what leads them as far as the limits allow, and the body takes the shape that goes with it.
pub(crate) fn predict(
    sub: &Substep,
    b: usize,
    body: &FlexibleBody,
    state: &mut State,
    scratch: &mut Scratch,
    report: &mut StepReport,
) {
    let vertices = sub.model.bodies[b].vertex_range();
    scratch.vel[vertices.clone()].fill(Vec3::ZERO);
    if state.frozen[b] {
        scratch.flexibles[b].touched.energy = 0.0;
        return scratch.pos[vertices.clone()].copy_from_slice(&state.pos[vertices]);
    }
    let first = body.first as usize;
    let own = first..first + body.elements.len();
    let (work, gravity) = (&mut scratch.flexibles[b], sub.params.fall());
    work.place(body, state.controls[own.clone()].iter().map(|c| c.at), gravity);
    touched::recall(sub, (b, body), state, work);
    let mut next = std::mem::take(&mut work.next);
    next.clear();
    next.extend((0..body.elements.len()).map(|i| advance(body, work, i, &state.controls[first + i], sub.h)));
    work.place(body, next.iter().copied(), gravity);
    let (rest, pos) = (&sub.model.rest[vertices.clone()], &mut scratch.pos[vertices]);
    let mut wrong = work.exceeded(body, &next, &state.controls[own.clone()]);
    if wrong.is_none() {
        shape(body, work, rest, pos);
        if body.limits.strain.is_finite() {
            let strain = largest_strain(&body.triangles, rest, pos);
            wrong = beyond(strain, body.limits.strain).then_some((
                None,
                Nonlinear::Strain,
                [strain, body.limits.strain],
            ));
        }
    }
    match wrong {
        None => state.controls[own].iter_mut().zip(&next).for_each(|(c, at)| c.at = *at),
        Some((element, why, [value, limit])) => {
            report.refusals.push(Refusal { body: BodyId::from(b), element, why, value, limit });
            work.place(body, state.controls[own].iter().map(|c| c.at), gravity);
            shape(body, work, rest, pos);
        }
    }
    work.next = next;
    touched::carry(work, pos);
}

/// Where an element is after a substep, on its way to where it is led.
fn advance(body: &FlexibleBody, work: &FlexibleWork, i: usize, now: &Controlled, h: Real) -> Affine {
    let (element, at) = (&body.elements[i], now.at);
    let [shift, turn] = match &element.softness {
        None => {
            let goal = now.goal.pose();
            [goal.pos - at.pose.pos, to_rotation_vector(goal.rot * at.pose.rot.conjugate())]
        }
        Some(softness) => {
            let [force, torque] = now.goal.load();
            let [pulls, turns] = work.reactions[i];
            yielded(softness, &work.frame, [force - pulls, torque - turns])
        }
    };
    let [shift, turn] = [bounded(shift, element.speed_max * h), bounded(turn, TURN_MAX * h)];
    let mut next = at;
    next.pose.pos += shift;
    next.pose.rot = (from_rotation_vector(turn) * at.pose.rot).normalize();
    next.scale += bounded(now.goal.scale() - at.scale, GROW_MAX * h);
    next
}

/// Shift and turn that a force and a torque bring about, all in the world.
fn yielded(softness: &[[Real; 6]; 6], frame: &Frame, load: [Vec3; 2]) -> [Vec3; 2] {
    let [f, t] = load.map(|v| frame.rot.transpose() * v);
    let load = [f.x, f.y, f.z, t.x, t.y, t.z];
    let row = |k: usize| dot(&softness[k], &load);
    [Vec3::new(row(0), row(1), row(2)), Vec3::new(row(3), row(4), row(5))].map(|v| frame.rot * v)
}

fn bounded(v: Vec3, most: Real) -> Vec3 {
    let length = v.length();
    if length > most { v * (most / length) } else { v }
}

/// Elastic energy and that of height \[J\]. What contacts add to both together counts as elastic.
pub fn energies(body: &FlexibleBody, work: &FlexibleWork, gravity: Vec3) -> [Real; 2] {
    let (c, columns) = (&work.coefficients[..], body.columns());
    if c.len() != columns {
        return [0.0; 2];
    }
    let elastic: Real =
        body.energy.chunks_exact(columns).zip(c).map(|(row, own)| 0.5 * own * dot(row, c)).sum();
    let Weight { mass, center, moment } = &body.weight;
    let row = |k: usize| dot(&moment[k * columns..(k + 1) * columns], c);
    let moved = work.frame.rot * Vec3::new(row(0), row(1), row(2));
    [elastic + work.touched.energy, -gravity.dot(work.frame.point(*center) * *mass + moved)]
}

/// The elements of all flexible bodies, in the order of [`State::controls`].
pub fn elements(model: &Model) -> impl Iterator<Item = (BodyId, &ControlElement)> {
    model.bodies.iter().enumerate().flat_map(|(b, body)| {
        let own = match &body.kind {
            BodyKind::Flexible(flexible) => &flexible.elements[..],
            _ => &[],
        };
        own.iter().map(move |e| (BodyId::from(b), e))
    })
}
