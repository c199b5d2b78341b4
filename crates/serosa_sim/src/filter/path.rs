//! The ways of two cores through a substep, and whether they leave a gap.

use super::USE;
use crate::{Real, Vec3};
use serosa_geometry::{closest_segment_triangle, closest_segments};

/// The most advances with which a pair is followed through a substep.
const ADVANCES: u32 = 12;

/// A core and where its corners go in the substep, but for a bow that they may leave the straight by. The last of two is
/// there twice.
pub(super) struct Path {
    pub points: [Vec3; 3],
    pub moves: [Vec3; 3],
    pub bow: Real,
    pub core: Core,
}

/// What a core is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Core {
    /// That of a capsule or a ball.
    Round,
    Triangle,
    /// A box or a plane, of which only the speed is known.
    Other,
}

impl Core {
    /// Whether its motion can be followed.
    #[inline(always)]
    pub fn is_known(self) -> bool {
        self != Self::Other
    }
}

/// How far apart two cores are that are known. Two triangles never make a pair.
#[inline(always)]
fn distance((a, [a0, a1, a2]): (Core, [Vec3; 3]), (b, [b0, b1, b2]): (Core, [Vec3; 3])) -> Real {
    let to_triangle = |p: Vec3, q: Vec3, t: [Vec3; 3]| {
        let (s, on) = closest_segment_triangle(p, q, &t);
        p.lerp(q, s).distance(on.point)
    };
    match (a, b) {
        (Core::Triangle, _) => to_triangle(b0, b1, [a0, a1, a2]),
        (_, Core::Triangle) => to_triangle(a0, a1, [b0, b1, b2]),
        _ => {
            let c = closest_segments(a0, a1, b0, b1);
            (a0.lerp(a1, c.s) - b0.lerp(b1, c.t)).length()
        }
    }
}

/// Whether the motion of two cores that are known leaves a gap at every instant, from a gap to where they are `apart`.
#[inline(always)]
pub(super) fn follow([a, b]: [&Path; 2], (gap, apart): (Real, Real), speed: Real) -> bool {
    let room_at = |t: Real| {
        let at = |p: &Path| (p.core, core::array::from_fn(|k| p.points[k] + p.moves[k] * t));
        distance(at(a), at(b)) - apart
    };
    // Most that meet have met in the end, and need not be followed there.
    let (mut t, mut room) = (0.0, if room_at(1.0) > 0.0 { gap } else { 0.0 });
    for _ in 0..ADVANCES {
        if room.is_nan() || room <= 0.0 {
            return false;
        }
        if t + room / speed >= 1.0 {
            return true;
        }
        t += USE * room / speed;
        room = room_at(t);
    }
    false
}

/// The most that two cores can come nearer in the substep \[m\].
#[inline(always)]
pub(super) fn closing(a: &Path, b: &Path) -> Real {
    // What both do together changes no distance.
    let common = match a.core.is_known() && b.core.is_known() {
        true => (a.moves[0] + a.moves[1] + b.moves[0] + b.moves[1]) * 0.25,
        false => Vec3::ZERO,
    };
    let fastest =
        |p: &Path| p.moves.iter().map(|way| (*way - common).length_squared()).fold(0.0, Real::max).sqrt();
    fastest(a) + fastest(b)
}
