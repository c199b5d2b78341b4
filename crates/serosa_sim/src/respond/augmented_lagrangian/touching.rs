//! A row at work: what it pushes and pulls with.

use crate::algebra::small::along_and_across;
use crate::model::Pose;
use crate::row::{RowKey, Side};
use crate::state::Kept;
use crate::{Mat3, Real, Vec3};

/// In the first sweep a row is taken to stick as long as its pull is less than so many times its limit. Free motion
/// goes 2 n limits too far where a vertex sticks in n rows that could hold it; taken for sliding it would be thrown
/// back beyond its anchor, and forth again in the next sweep.
const TRIAL: Real = 5.0;

/// A row at work, or a vertex held in jaws.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    /// Which row, or which grip.
    pub(super) source: Source,
    /// A and B.
    pub sides: [Side; 2],
    /// Their bodies.
    pub bodies: [u32; 2],
    pub(super) normal: Vec3,
    pub(super) offset: Real,
    /// The gap that its pair keeps at rest \[m\]; without end for a grip.
    pub(super) rest: Real,
    /// The gap that it keeps in this substep \[m\].
    pub(super) goal: Real,
    /// \[N/m\]
    pub(super) stiffness: Real,
    /// Push along the normal \[N\].
    pub(super) lambda: Real,
    pub(super) friction: Real,
    /// From B's point to where A's is not carried from its anchor, across the normal; for a grip, in all directions \[m\].
    pub(super) anchor: Vec3,
    /// Push across the normal \[N\].
    pub(super) drag: Vec3,
    /// Most that `drag` may reach \[N\].
    pub(super) limit: Real,
    /// Whether the pull has gone beyond the limit.
    pub(super) slides: bool,
    /// Before the first sweep: the pull is that of the free motion, and most of it will be gone.
    pub(super) trial: bool,
    /// From B's point to A's when the multipliers were last updated \[m\].
    pub(super) between: Vec3,
    /// What it pushed with in this substep, along its normal and across it, on A \[N\]: what the last update found, until
    /// momenta are settled.
    pub(super) told: (Real, Vec3),
}

/// Where a row at work comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// Its number and key.
    Row(u32, RowKey),
    Grip(u32),
}

/// What a row does at some positions.
pub struct Answer {
    /// On side A \[N\].
    pub force: Vec3,
    /// How that changes as A moves, positive semidefinite \[N/m\].
    pub matrix: Mat3,
    /// \[J\]
    pub potential: Real,
}

/// What a row does at some positions, by directions.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// On side A \[N\].
    pub force: Vec3,
    /// Orthonormal.
    pub dirs: [Vec3; 3],
    /// How much the force falls as A moves along each of them \[N/m\], not negative.
    pub stiffness: [Real; 3],
}

impl Touching {
    /// Whether one of its sides belongs to that body.
    pub fn holds(&self, body: u32) -> bool {
        self.bodies[0] == body || self.bodies[1] == body
    }

    /// What it hands on; nothing of a row that does not push.
    pub(super) fn kept(&self, (pos, pose): (&[Vec3], &[Pose])) -> Option<Kept> {
        let Source::Row(_, key) = self.source else { return None };
        let stick = if self.slides { Vec3::ZERO } else { self.carried(self.between) };
        (self.lambda > 0.0).then_some(Kept {
            key,
            lambda: self.lambda,
            stick,
            drag: self.drag,
            goal: self.goal,
            at: self.sides[1].place(pos, pose),
            normal: self.normal,
        })
    }

    /// Whether it pushes though it has opened by more than its gap at rest.
    pub(super) fn throws(&self) -> bool {
        self.lambda > 0.0 && self.between.dot(self.normal) - self.offset > self.rest
    }

    /// Whether it pushes or pulls, as far as the multipliers know.
    pub fn is_felt(&self) -> bool {
        self.lambda > 0.0 || self.is_grip()
    }

    /// From B's point to A's \[m\].
    #[inline]
    pub fn between(&self, pos: &[Vec3], pose: &[Pose]) -> Vec3 {
        self.sides[0].place(pos, pose) - self.sides[1].place(pos, pose)
    }

    #[inline]
    pub(super) fn is_grip(&self) -> bool {
        matches!(self.source, Source::Grip(_))
    }

    /// The part of a vector in which friction acts: across the normal, for a grip all of it.
    #[inline]
    pub(super) fn across(&self, v: Vec3) -> Vec3 {
        if self.is_grip() { v } else { v - self.normal * v.dot(self.normal) }
    }

    /// How far A's point is from its anchor.
    #[inline]
    pub(super) fn carried(&self, between: Vec3) -> Vec3 {
        self.across(between) - self.anchor
    }

    /// Force, matrix and potential where B's point is `between` away from A's.
    #[inline]
    pub fn answer(&self, between: Vec3) -> Answer {
        let push = self.push(between);
        if self.is_idle(push) {
            return Answer { force: Vec3::ZERO, matrix: Mat3::ZERO, potential: 0.0 };
        }
        let (pull, size) = self.rub(between);
        let mut answer = Answer {
            force: self.normal * push,
            matrix: Mat3::ZERO,
            potential: self.push_potential(push) + self.pull_potential(size),
        };
        let along = if push > 0.0 { self.stiffness } else { 0.0 };
        let (mut across, mut slide) = (0.0, Vec3::ZERO);
        if size > self.most() {
            // Sliding resists turning aside, not going on.
            slide = pull / size;
            across = self.stiffness * self.limit / size;
            answer.force += slide * self.limit;
        } else if self.limit > 0.0 {
            across = self.stiffness;
            answer.force += pull;
        }
        answer.matrix = match (self.is_grip(), slide == Vec3::ZERO) {
            (true, _) => along_and_across(slide, 0.0, across),
            (false, true) => along_and_across(self.normal, along, across),
            (false, false) => {
                along_and_across(self.normal, along, across) - along_and_across(slide, across, 0.0)
            }
        };
        answer
    }

    /// Force and stiffness as [`Self::answer`] has them, the matrix as its directions.
    pub fn axes(&self, between: Vec3) -> Axes {
        let (push, (pull, size)) = (self.push(between), self.rub(between));
        let slides = size > self.most();
        let across = match (slides, self.limit > 0.0) {
            (true, _) => self.stiffness * self.limit / size,
            (false, true) => self.stiffness,
            (false, false) => 0.0,
        };
        let along = if push > 0.0 { self.stiffness } else { 0.0 };
        let way = if slides { pull / size } else { Vec3::ZERO };
        let dirs = match (self.is_grip(), slides) {
            (true, true) => {
                let first = way.any_orthonormal_vector();
                [first, way, first.cross(way)]
            }
            (false, true) => [self.normal, way, self.normal.cross(way)],
            (_, false) => {
                let first = self.normal.any_orthonormal_vector();
                [self.normal, first, self.normal.cross(first)]
            }
        };
        Axes {
            force: self.normal * push + if slides { way * self.limit } else { pull },
            dirs,
            stiffness: [
                if self.is_grip() { across } else { along },
                if slides { 0.0 } else { across },
                across,
            ],
        }
    }

    /// Whether it pushes or pulls where B's point is `between` away from A's, and whether it slides there.
    pub(crate) fn how(&self, between: Vec3) -> (bool, bool) {
        (self.push(between) > 0.0 || self.limit > 0.0, self.rub(between).1 > self.most())
    }

    /// What it pushed with when the multipliers were last updated, on side A \[N\].
    pub(crate) fn pushes(&self) -> Vec3 {
        let push = if self.is_grip() { Vec3::ZERO } else { self.normal * self.lambda };
        push + self.drag
    }

    /// The potential alone \[J\].
    #[inline]
    pub fn potential(&self, between: Vec3) -> Real {
        let push = self.push(between);
        if self.is_idle(push) {
            return 0.0;
        }
        self.push_potential(push) + self.pull_potential(self.rub(between).1)
    }

    /// Whether it does nothing while it pushes with so much. Most rows do nothing most of the time: they are there for
    /// what may meet.
    #[inline]
    fn is_idle(&self, push: Real) -> bool {
        push == 0.0 && self.lambda == 0.0 && self.limit <= 0.0
    }

    #[inline]
    fn push_potential(&self, push: Real) -> Real {
        (push * push - self.lambda * self.lambda) / (2.0 * self.stiffness)
    }

    #[inline]
    fn pull_potential(&self, size: Real) -> Real {
        if size > self.most() {
            self.limit * (size - 0.5 * self.limit) / self.stiffness
        } else {
            0.5 * size * size / self.stiffness
        }
    }

    /// The pull beyond which it slides \[N\].
    #[inline]
    fn most(&self) -> Real {
        if self.trial { TRIAL * self.limit } else { self.limit }
    }

    /// The push along the normal \[N\]; a grip has none.
    #[inline]
    fn push(&self, between: Vec3) -> Real {
        if self.is_grip() {
            return 0.0;
        }
        (self.lambda - self.stiffness * (between.dot(self.normal) - self.offset)).max(0.0)
    }

    /// The pull towards the anchor before the cone bounds it, and its size.
    #[inline]
    fn pull(&self, between: Vec3) -> (Vec3, Real) {
        let pull = self.drag - self.carried(between) * self.stiffness;
        (pull, pull.length())
    }

    /// The same; nothing where there is no friction.
    #[inline]
    fn rub(&self, between: Vec3) -> (Vec3, Real) {
        if self.limit > 0.0 { self.pull(between) } else { (Vec3::ZERO, 0.0) }
    }

    /// What it pushed with in the substep along its normal and across it, on side A \[N\], and whether it slid.
    pub(crate) fn felt(&self) -> (Vec3, Vec3, bool) {
        let along = if self.is_grip() { Vec3::ZERO } else { self.normal * self.told.0 };
        (along, self.told.1, self.slides)
    }

    /// The same as impulses of a substep \[N s\], the first along the normal.
    pub(super) fn impulse(&self, h: Real) -> (Real, Vec3, bool) {
        (if self.is_grip() { 0.0 } else { self.lambda * h }, self.drag * h, self.slides)
    }

    /// Whether it slid when the multipliers were last updated.
    pub(super) fn slides(&self) -> bool {
        self.slides
    }

    /// How far below the gap that it keeps it is \[m\]; nothing of a grip.
    pub(super) fn depth(&self, between: Vec3) -> Real {
        if self.is_grip() { 0.0 } else { self.offset - between.dot(self.normal) }
    }

    /// The most that it can rub with, beside an impulse along the normal \[N s\].
    pub(super) fn most_across(&self, along: Real, h: Real) -> Real {
        if self.is_grip() { self.limit * h } else { self.friction * along }
    }

    /// The row that it stands for; none of a grip.
    pub(crate) fn row(&self) -> Option<RowKey> {
        if let Source::Row(_, key) = self.source { Some(key) } else { None }
    }

    /// What it would give back on the way from there to its rest gap and to its anchor \[J\].
    pub(crate) fn returns(&self, between: Vec3) -> Real {
        let below = if self.is_grip() { 0.0 } else { (self.offset - between.dot(self.normal)).max(0.0) };
        let carried = if self.slides { 0.0 } else { self.carried(between).length() };
        let spring = 0.5 * self.stiffness * (below * below + carried * carried);
        self.lambda * below + self.drag.length() * carried + spring
    }

    /// Before its first sweep a row that knows nothing rubs as far as it would push there: with no friction in that sweep, what is
    /// laid on a slope goes down it for a whole step of free fall, and few sweeps do not bring it back.
    pub(super) fn expect(&mut self, between: Vec3) {
        self.limit = self.friction * self.push(between);
    }

    /// The multipliers take over what the row now pushes with.
    pub(super) fn update(&mut self, between: Vec3) {
        if !self.is_grip() {
            self.lambda = self.push(between);
            self.limit = self.friction * self.lambda;
        }
        let (pull, size) = self.rub(between);
        (self.slides, self.trial, self.between) = (size > self.limit, false, between);
        self.drag = if self.slides { pull * (self.limit / size) } else { pull };
        self.told = (self.lambda, self.drag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VertexId;

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    #[test]
    fn directions_say_what_the_matrix_says() {
        let mut seed = 3;
        for round in 0..400 {
            let mut vec = || Vec3::new(some(&mut seed), some(&mut seed), some(&mut seed));
            let vertex = Side::Soft([VertexId(0); 2], [1.0, 0.0]);
            let normal = vec().normalize();
            let mut row = Touching {
                source: if round % 4 == 0 { Source::Grip(0) } else { Source::Row(0, RowKey::default()) },
                sides: [vertex; 2],
                bodies: [0, 1],
                normal,
                offset: 0.0,
                rest: 1e-4,
                goal: 1e-4,
                stiffness: 2.0,
                lambda: 0.3,
                friction: 0.5,
                anchor: Vec3::ZERO,
                drag: Vec3::ZERO,
                limit: if round % 5 == 0 { 0.0 } else { 0.4 },
                slides: false,
                trial: round % 3 == 0,
                between: Vec3::ZERO,
                told: (0.0, Vec3::ZERO),
            };
            row.anchor = row.across(vec() * 0.2);
            let between = vec() * 0.5;
            let (answer, axes) = (row.answer(between), row.axes(between));
            let sum = |m: Mat3, (d, k): (Vec3, Real)| m + Mat3::from_cols(d * d.x, d * d.y, d * d.z) * k;
            let matrix = axes.dirs.into_iter().zip(axes.stiffness).fold(Mat3::ZERO, sum);
            assert!(matrix.abs_diff_eq(answer.matrix, 1e-12), "{round}: {matrix} {}", answer.matrix);
            assert!((axes.force - answer.force).length() < 1e-12, "{round}");
            let square = Mat3::from_cols_array_2d(&axes.dirs.map(|d| d.to_array()));
            assert!((square.transpose() * square).abs_diff_eq(Mat3::IDENTITY, 1e-12), "{round}");
        }
    }
}
