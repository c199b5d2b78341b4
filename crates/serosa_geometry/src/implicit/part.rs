//! Single shapes, and how one is put together with what stands before it.

use super::tube::{STATIONS_MAX, Tube, cone};
use crate::generate::{Impossible, impossible};
use crate::{Aabb, Quat, Real, Vec3};

/// A shape by itself. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Ball {
        /// Its centre.
        center: Vec3,
        /// Its radius.
        radius: Real,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Its centre.
        center: Vec3,
        /// Half its extents along its own axes.
        semi: Vec3,
        /// From its own axes to those of the recipe.
        turn: Quat,
    },
    /// A rod with round ends, of two radii: the hull of two balls.
    Capsule {
        /// Centres of the balls.
        ends: [Vec3; 2],
        /// Their radii.
        radii: [Real; 2],
    },
    /// Capsules joined end to end.
    Tube(Tube),
    /// Everything below a plane; without bounds, so only to cut or to keep.
    HalfSpace {
        /// A point of the plane.
        point: Vec3,
        /// Unit, out of the solid side.
        normal: Vec3,
    },
    /// A ring.
    Torus {
        /// Its centre.
        center: Vec3,
        /// Unit, through the hole.
        axis: Vec3,
        /// From the centre to the middle of the ring.
        major: Real,
        /// Half the thickness of the ring.
        minor: Real,
    },
}

/// How a part is put together with what stands before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operator {
    /// Both: a smooth union.
    #[default]
    Join,
    /// What was there without the part: a smooth difference.
    Cut,
    /// What is in both: a smooth intersection.
    Keep,
}

/// A shape and how it is put on.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What.
    pub shape: Shape,
    /// How.
    pub operator: Operator,
    /// Within this of each other two surfaces flow together \[m\]; at 0 they meet in a crease.
    pub blend: Real,
}

/// The lesser of two values, rounded where they are within `k` of each other; twice continuously differentiable, so
/// that highlights on the surface show no seam. Never above the lesser, and by k/6 below it at most.
pub fn blend(a: Real, b: Real, k: Real) -> Real {
    let h = (k - (a - b).abs()).max(0.0);
    if h > 0.0 { a.min(b) - h * h * h / (6.0 * k * k) } else { a.min(b) }
}

impl Part {
    /// Joined with a blend.
    pub fn join(shape: Shape, blend: Real) -> Self {
        Self { shape, operator: Operator::Join, blend }
    }

    /// Cut out with a blend.
    pub fn cut(shape: Shape, blend: Real) -> Self {
        Self { shape, operator: Operator::Cut, blend }
    }

    /// The value of what stood before, with this part put on.
    pub(super) fn onto(&self, value: Real, p: Vec3) -> Real {
        // What is farther than the blend from what stands there changes nothing, and need not be known.
        match self.operator {
            Operator::Join => blend(value, self.shape.value_below(p, value + self.blend), self.blend),
            Operator::Cut => -blend(-value, self.shape.value_below(p, self.blend - value), self.blend),
            Operator::Keep => -blend(-value, -self.shape.value(p), self.blend),
        }
    }

    pub(super) fn check(&self, i: usize) -> Result<(), Impossible> {
        let number = i + 1;
        if !(self.blend.is_finite() && self.blend >= 0.0) {
            let message = format!("the blend radius of part {number} is {}", self.blend);
            return impossible(message, "use zero or a positive length");
        }
        if let Shape::HalfSpace { .. } = self.shape
            && (i == 0 || self.operator == Operator::Join)
        {
            let message = format!("part {number} adds a half-space, which has no end");
            return impossible(
                message,
                "cut with half-spaces, or keep what lies in them, after another part",
            );
        }
        if !self.shape.is_sound() {
            let message =
                format!("part {number} has a size that is not positive, or a number that is not finite");
            return impossible(message, "give every shape positive sizes; a tube needs two points");
        }
        Ok(())
    }
}

impl Shape {
    /// A tube along the smooth curve through `points`, see [`Tube::along`].
    pub fn tube(points: &[Vec3], radii: &[Real]) -> Self {
        Self::Tube(Tube::along(points, radii))
    }

    /// The value at a point.
    pub fn value(&self, p: Vec3) -> Real {
        self.value_below(p, Real::INFINITY)
    }

    /// The value at a point where it is below `most`, else anything from there on.
    fn value_below(&self, p: Vec3, most: Real) -> Real {
        match self {
            Self::Ball { center, radius } => (p - *center).length() - radius,
            Self::Ellipsoid { center, semi, turn } => ellipsoid(turn.conjugate() * (p - *center), *semi),
            Self::Capsule { ends: [a, b], radii: [ra, rb] } => cone(p, (*a, *ra), (*b, *rb)),
            Self::Tube(tube) => tube.value_below(p, most),
            Self::HalfSpace { point, normal } => (p - *point).dot(*normal),
            Self::Torus { center, axis, major, minor } => {
                let d = p - *center;
                let along = d.dot(*axis);
                let across = (d - *axis * along).length() - major;
                libm::sqrt(along * along + across * across) - minor
            }
        }
    }

    /// A box around it.
    pub fn bounds(&self) -> Aabb {
        let ball = |center: Vec3, radius: Real| Aabb { min: center - radius, max: center + radius };
        match self {
            Self::Ball { center, radius } => ball(*center, *radius),
            Self::Ellipsoid { center, semi, turn } => {
                let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|e| *turn * (e * semi.dot(e)));
                let reach = |k: usize| libm::sqrt(x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
                let reach = Vec3::new(reach(0), reach(1), reach(2));
                Aabb { min: *center - reach, max: *center + reach }
            }
            Self::Capsule { ends, radii } => ball(ends[0], radii[0]).join(ball(ends[1], radii[1])),
            Self::Tube(tube) => tube.bounds(),
            Self::HalfSpace { .. } => Aabb::ALL,
            Self::Torus { center, major, minor, .. } => ball(*center, major + minor),
        }
    }

    fn is_sound(&self) -> bool {
        let positive = |r: Real| r.is_finite() && r > 0.0;
        let unit = |v: Vec3| (v.length() - 1.0).abs() < 1e-6;
        match self {
            Self::Ball { center, radius } => center.is_finite() && positive(*radius),
            Self::Ellipsoid { center, semi, turn } => {
                let sizes = semi.to_array().into_iter().all(positive);
                center.is_finite() && sizes && (turn.length() - 1.0).abs() < 1e-6
            }
            Self::Capsule { ends, radii } => {
                ends.iter().all(|e| e.is_finite()) && radii.iter().all(|r| positive(*r))
            }
            Self::Tube(tube) => {
                let stations = tube.stations();
                let sound = stations.iter().all(|(p, r)| p.is_finite() && positive(*r));
                (2..=STATIONS_MAX + 1).contains(&stations.len()) && sound
            }
            Self::HalfSpace { point, normal } => point.is_finite() && unit(*normal),
            Self::Torus { center, axis, major, minor } => {
                center.is_finite() && unit(*axis) && positive(*major) && positive(*minor)
            }
        }
    }
}

/// Right at the surface to first order: the defect of |p/semi| = 1 over its slope.
fn ellipsoid(p: Vec3, semi: Vec3) -> Real {
    let scaled = p / semi;
    let (k0, k1) = (scaled.length(), (scaled / semi).length());
    if k1 > 0.0 { k0 * (k0 - 1.0) / k1 } else { -semi.min_element() }
}
