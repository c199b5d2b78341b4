//! Momenta at the end of a substep: what rows have given, to the last digits, however few the sweeps.
//!
//! Bodies descend in turn, against rows whose push changes in between; what each made of its own place adds up to no
//! momentum that is kept. What a row pushes with in the end is one number for both its sides. So of every body that nothing
//! else holds the momentum is what it was, with gravity, and the impulses of its rows; its vertices keep what they do beside
//! that. Both sides of a row feel it at one point, where they touch when the substep begins: so the moments cancel too, and
//! where a side is held at its core, the couple of friction about it is carried by the whole of its body.
//!
//! At a body's own minimum this changes nothing: there inertia balances its rows.

use crate::algebra::principal;
use crate::body::Substep;
use crate::model::BodyKind;
use crate::row::meeting_point;
use crate::scratch::Scratch;
use crate::state::{State, Twist};
use crate::{Mat3, Real, Vec3};
use std::ops::Range;

/// The share of its largest inertia below which a body does not turn as a whole.
const SLENDER: Real = 1e-3;

/// What rows give a body: an impulse \[N s\] and its moment about where the body is when the substep begins \[N m s\].
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    impulse: Vec3,
    moment: Vec3,
    /// Whether any row pushes.
    pushed: bool,
}

/// Sets the momenta of all bodies that nothing holds but rows. O(vertices + rows).
pub(super) fn settle(sub: &Substep, state: &State, scratch: &mut Scratch) {
    for (b, body) in sub.model.bodies.iter().enumerate().filter(|(b, _)| !state.frozen[*b]) {
        let vertices = body.vertex_range();
        let is_free = match &body.kind {
            BodyKind::Rigid(r) => {
                let mobility = scratch.rigid_mobility[r.at()];
                if mobility.inv_mass > 0.0 {
                    let (at, rot) = (state.pose[r.at()].pos, state.pose[r.at()].rot);
                    let given = given(state, scratch, b, (at, sub.h));
                    let spin = rot * (mobility.inv_inertia * (rot.conjugate() * given.moment));
                    let free = &scratch.target_twist[r.at()];
                    scratch.twist[r.at()] =
                        Twist { vel: free.vel + given.impulse * mobility.inv_mass, omega: free.omega + spin };
                }
                false
            }
            BodyKind::Solid(solid) => solid.free,
            BodyKind::Springs(_) | BodyKind::Band(_) | BodyKind::Tissue(_) => {
                scratch.inv_mass[vertices.clone()].iter().all(|inv_mass| *inv_mass > 0.0)
            }
            BodyKind::Flexible(_) => false,
        };
        if is_free && !vertices.is_empty() {
            settle_body(sub, state, scratch, (b, vertices));
        }
    }
}

fn settle_body(sub: &Substep, state: &State, scratch: &mut Scratch, (b, vertices): (usize, Range<usize>)) {
    let mass = &sub.model.mass[vertices.clone()];
    let before = Whole::of(mass, &state.pos[vertices.clone()], &state.vel[vertices.clone()]);
    let given = given(state, scratch, b, (before.center, sub.h));
    if !given.pushed {
        return;
    }
    let now = Whole::of(mass, &scratch.pos[vertices.clone()], &scratch.vel[vertices.clone()]);
    let fall = sub.params.fall() * (sub.h * before.mass);
    let shift = (before.impulse + fall + given.impulse - now.impulse) / now.mass;
    let turn = now.spun_by(before.spin + given.moment - now.spin);
    if shift.is_finite() && turn.is_finite() {
        let Scratch { pos, vel, .. } = scratch;
        for v in vertices {
            vel[v] += shift + turn.cross(pos[v] - now.center);
        }
    }
}

/// The impulses of the rows of a body, and their moments about a point.
fn given(state: &State, scratch: &Scratch, b: usize, (about, h): (Vec3, Real)) -> Given {
    let mut given = Given::default();
    for row in scratch.links.rows_of(b).iter().map(|r| &scratch.touching[*r as usize]) {
        let push = row.pushes() * h;
        if push == Vec3::ZERO || row.bodies[0] == row.bodies[1] {
            continue;
        }
        let push = if row.bodies[0] as usize == b { push } else { -push };
        given.impulse += push;
        given.moment += (meeting_point(&row.sides, &state.pos, &state.pose) - about).cross(push);
        given.pushed = true;
    }
    given
}

/// A body as if it were one piece.
struct Whole {
    mass: Real,
    center: Vec3,
    /// \[N s\]
    impulse: Vec3,
    /// Angular momentum about its centre \[N m s\].
    spin: Vec3,
    inertia: Mat3,
}

impl Whole {
    /// How it turns by an angular momentum \[rad/s\]; not about an axis along which it is slender.
    fn spun_by(&self, spin: Vec3) -> Vec3 {
        let (inertia, axes) = principal(self.inertia);
        let least = SLENDER * inertia.max_element();
        let local = axes.transpose() * spin;
        let turn = |i: usize| if inertia[i] > least { local[i] / inertia[i] } else { 0.0 };
        axes * Vec3::new(turn(0), turn(1), turn(2))
    }

    fn of(mass: &[Real], pos: &[Vec3], vel: &[Vec3]) -> Self {
        let total: Real = mass.iter().sum();
        let center = pos.iter().zip(mass).map(|(x, m)| *x * *m).sum::<Vec3>() / total;
        let (mut impulse, mut spin, mut spread) = (Vec3::ZERO, Vec3::ZERO, Mat3::ZERO);
        for ((x, v), m) in pos.iter().zip(vel).zip(mass) {
            let (arm, p) = (*x - center, *v * *m);
            impulse += p;
            spin += arm.cross(p);
            spread += Mat3::from_cols(arm * (arm.x * m), arm * (arm.y * m), arm * (arm.z * m));
        }
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        Self { mass: total, center, impulse, spin, inertia: Mat3::from_diagonal(Vec3::splat(trace)) - spread }
    }
}
