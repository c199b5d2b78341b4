//! What may soon touch a flexible body, so that the columns of what it touches are there in time.

use crate::model::{Body, BodyKind, Model, Pose, Shape};
use crate::state::State;
use crate::{Real, Vec3};
use serosa_geometry::Aabb;

/// How far around a body is looked, as a part of the diagonal of the box around it.
const LOOK: Real = 0.5;

/// The other bodies, as they are seen from afar.
#[derive(Clone, Debug, Default)]
pub(super) struct Others {
    all: Vec<Other>,
    /// What is farther than this is left out \[m\].
    look: Real,
}

#[derive(Clone, Copy, Debug)]
enum Other {
    Rigid(Pose, Shape, Real),
    /// The box around a soft body.
    Soft(Aabb),
}

impl Others {
    /// All bodies but number `b`. O(vertices).
    pub(super) fn see(&mut self, model: &Model, state: &State, b: usize) {
        let around = |body: &Body| Aabb::around(state.pos[body.vertex_range()].iter().copied());
        self.look = LOOK * around(&model.bodies[b]).size().length();
        self.all.clear();
        let touched = |(i, body): &(usize, &Body)| *i != b && !body.prims.is_empty();
        self.all.extend(model.bodies.iter().enumerate().filter(touched).map(|(_, body)| match body.kind {
            BodyKind::Rigid(r) => {
                let radius = state.radius[body.prims.start as usize];
                Other::Rigid(state.pose[r.at()], model.rigids[r.at()].shape, radius)
            }
            _ => Other::Soft(around(body)),
        }));
    }

    /// How far a place is from the nearest of them \[m\]; none beyond where is looked.
    pub(super) fn nearest(&self, place: Vec3) -> Option<Real> {
        let gap = |other: &Other| match other {
            Other::Soft(around) => (place - place.clamp(around.min, around.max)).length(),
            Other::Rigid(pose, shape, radius) => {
                let local = pose.local(place);
                match shape {
                    Shape::Ball => local.length() - radius,
                    Shape::Capsule { half } => {
                        (local - Vec3::Z * local.z.clamp(-half, *half)).length() - radius
                    }
                    Shape::Cuboid { half } => (local.abs() - *half).max(Vec3::ZERO).length(),
                    Shape::Plane => local.z,
                }
            }
        };
        let least = self.all.iter().map(gap).fold(Real::INFINITY, Real::min);
        (least < self.look).then_some(least)
    }
}
