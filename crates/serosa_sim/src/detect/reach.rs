//! How far everything may go in a substep, and so how far detection and filter have to look.

use crate::model::{Model, PrimKind};
use crate::state::State;
use crate::{Real, Scratch};
use serosa_geometry::rotation::to_rotation_vector;

/// The least reach, however slow a vertex is \[m\].
const LEAST: Real = 2e-4;
/// The longest reach, however fast: what is faster is held back by the filter \[m\].
const MOST: Real = 3e-2;
/// Reach as a multiple of the way that the free motion takes a vertex: contacts may send it farther.
const AHEAD: Real = 1.2;

/// How far things reach \[m\]. The filter lets nothing move as far as that.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// One per vertex.
    pub vertices: Vec<Real>,
    /// One per rigid frame.
    pub frames: Vec<Real>,
    /// One per primitive: as far as any of its points.
    pub prims: Vec<Real>,
}

/// Sets all reaches, each from its own free motion: one fast tool does not make detection look farther everywhere.
/// Where the filter held something back in the last substep because it had not looked far enough, a stretched rope
/// that is let go say, everything reaches that far at least.
pub(super) fn look_ahead(model: &Model, state: &State, scratch: &mut Scratch) {
    let Scratch { reach, pos, pose, .. } = scratch;
    let least = (AHEAD * state.ahead).clamp(LEAST, MOST);
    let of = |way: Real| if way.is_finite() { (AHEAD * way).clamp(least, MOST) } else { MOST };
    reach.vertices.clear();
    reach.vertices.extend(pos.iter().zip(&state.pos).map(|(to, from)| of((*to - *from).length())));
    reach.frames.clear();
    reach.frames.extend(pose.iter().zip(&state.pose).zip(&model.rigids).map(|((to, from), rigid)| {
        let turn = to_rotation_vector(to.rot * from.rot.conjugate()).length();
        of((to.pos - from.pos).length() + turn * rigid.shape.arm())
    }));
    reach.prims.clear();
    reach.prims.extend(model.prims.iter().map(|prim| match prim.kind {
        PrimKind::Segment([v, w]) => reach.vertices[v.at()].max(reach.vertices[w.at()]),
        PrimKind::Shape(r) => reach.frames[r.at()],
    }));
}
