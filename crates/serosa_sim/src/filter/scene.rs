//! What the filter looks at: near pairs, how thick and how light their sides are, and their corners.

use super::MARGIN_SHARE;
use crate::detect::Near;
use crate::model::{Model, PrimKind, Shape};
use crate::scratch::Mobility;
use crate::state::State;
use crate::{Mat3, PrimId, Real, Vec3};

/// What the filter looks at and does not change.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) growth: &'a [Real],
    /// How light vertices and frames are \[1/kg\].
    pub(super) inv_mass: &'a [Real],
    pub(super) mobility: &'a [Mobility],
    /// All near pairs, with the radii of the end of the substep.
    pub(super) pairs: &'a [Near],
}

impl Scene<'_> {
    /// The radii of a pair together, as they are at the end of the substep \[m\].
    #[inline]
    pub(super) fn thickness(&self, pair: &Near) -> Real {
        let radius = |p: PrimId| self.state.radius[p.at()] + self.growth[p.at()];
        radius(pair.prims[0]) + radius(pair.prims[1])
    }

    /// The gap at rest of a pair \[m\].
    #[inline]
    pub(super) fn rest_gap(&self, pair: &Near) -> Real {
        self.model.rest_gap((pair.prims[0], pair.prims[1]), &self.state.radius)
    }

    /// The gap that is always left between a pair \[m\].
    #[inline]
    pub(super) fn margin(&self, pair: &Near) -> Real {
        margin(self.model, &self.state.radius, (pair.prims[0], pair.prims[1]))
    }

    /// How light a side of a pair is \[1/kg\].
    #[inline]
    pub(super) fn lightness(&self, prim: PrimId) -> Real {
        match self.model.prims[prim.at()].kind {
            PrimKind::Shape(r) => self.mobility[r.at()].inv_mass,
            ref soft => soft.vertices().iter().map(|v| self.inv_mass[v.at()]).fold(0.0, Real::max),
        }
    }
}

/// The gap that is always left between a pair \[m\].
#[inline]
pub(crate) fn margin(model: &Model, radius: &[Real], pair: (PrimId, PrimId)) -> Real {
    MARGIN_SHARE * model.rest_gap(pair, radius)
}

/// The vertices of a pair, and its frames behind all vertices.
#[inline(always)]
pub(super) fn each_node(model: &Model, vertices: usize, pair: &Near, mut each: impl FnMut(usize)) {
    for prim in pair.prims {
        match model.prims[prim.at()].kind {
            PrimKind::Shape(r) => each(vertices + r.at()),
            ref soft => soft.vertices().iter().for_each(|v| each(v.at())),
        }
    }
}

/// The corners of a primitive's core at the start of the substep.
pub(super) fn each_corner(scene: &Scene, prim: PrimId, mut each: impl FnMut(Vec3)) {
    let rigid = match scene.model.prims[prim.at()].kind {
        PrimKind::Shape(r) => r,
        ref soft => return soft.vertices().iter().for_each(|v| each(scene.state.pos[v.at()])),
    };
    let pose = &scene.state.pose[rigid.at()];
    match scene.model.rigids[rigid.at()].shape {
        Shape::Ball => each(pose.pos),
        Shape::Capsule { half } => {
            let reach = pose.rot * Vec3::Z * half;
            each(pose.pos - reach);
            each(pose.pos + reach);
        }
        Shape::Cuboid { half } => {
            let axes = Mat3::from_quat(pose.rot);
            for k in 0..8 {
                let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                each(pose.pos + axes * (half * Vec3::new(sign(1), sign(2), sign(4))));
            }
        }
        Shape::Plane => {}
    }
}
