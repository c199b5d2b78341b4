//! The ways of two cores through a substep, and whether they leave a gap.
//!
//! They are followed from one instant to a later one. At each, the direction in which they are nearest makes a plane that
//! parts them, and that plane stands for as long as no corner reaches it: corners go straight, so the time at which one
//! does is found exactly. What slides along something a rest gap away is followed in a few such advances, however fast it
//! is; advances by the gap over the speed would be as many as the gap fits into the way. What turns is taken to go straight
//! for as long as its bow is small beside the gap.

use crate::model::Pose;
use crate::{Real, Vec3};
use serosa_geometry::rotation::from_rotation_vector;
use serosa_geometry::{closest_on_segment, closest_segment_triangle, closest_segments};

/// The most advances with which a pair is followed through a substep.
const ADVANCES: u32 = 24;
/// The share of the room between two that an advance by their speed uses up.
const USE: Real = 0.9;
/// The share of a gap that a bow may take within an advance.
const BOW: Real = 0.5;
/// How far an advance goes towards the time at which a plane would be reached: there the gap is as small as it may be.
const NEARLY: Real = 0.98;
/// Moments, from a meeting to the end, at which is seen how far two are to be moved apart; and the earliest of them.
const MOMENTS: u32 = 4;
const EARLIEST: Real = 0.02;
/// No more than so many times the bows of both is made up for: a bow begins four times as steeply as it is high.
const BOWS: Real = 8.0;
/// Halvings with which the part of a rod is found that can meet something.
const HALVINGS: u32 = 6;

/// A core and how its corners go through the substep. The last of two is there twice.
pub(crate) struct Path {
    /// Where it begins \[m\].
    pub points: [Vec3; 3],
    /// Where it goes, but for the bow of a turn \[m\].
    pub moves: [Vec3; 3],
    /// The turn of a frame: a rotation vector, and where it turns about at the start \[m\].
    pub spin: Option<(Vec3, Vec3)>,
    pub core: Core,
}

/// What a core is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Core {
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

impl Path {
    /// Of vertices that go straight.
    #[inline(always)]
    pub fn soft(points: [Vec3; 3], moves: [Vec3; 3], core: Core) -> Self {
        Self { points, moves, spin: None, core }
    }

    /// Of a ball or a rod, half as long as that, that goes and turns.
    #[inline(always)]
    pub fn rod(pose: &Pose, half: Real, [shift, turn]: [Vec3; 2]) -> Self {
        let reach = pose.rot * Vec3::Z * half;
        let turned = turn.cross(reach);
        let thrice = |x: Vec3, y: Vec3| [x, y, y];
        Self {
            points: thrice(pose.pos - reach, pose.pos + reach),
            moves: thrice(shift - turned, shift + turned),
            spin: (half > 0.0).then_some((turn, pose.pos)),
            core: Core::Round,
        }
    }

    /// Its corners at a share of the substep \[m\].
    #[inline(always)]
    pub fn at(&self, t: Real) -> [Vec3; 3] {
        match self.spin {
            None => core::array::from_fn(|k| self.points[k] + self.moves[k] * t),
            Some((turn, middle)) => {
                let rot = from_rotation_vector(turn * t);
                core::array::from_fn(|k| {
                    let arm = self.points[k] - middle;
                    middle + (self.moves[k] - turn.cross(arm)) * t + rot * arm
                })
            }
        }
    }

    /// How far a corner may leave the straight way through a share of the substep \[m\].
    #[inline(always)]
    fn bow(&self, share: Real) -> Real {
        // Of an arc from its chord, in position and in time.
        self.spin.map_or(0.0, |(turn, _)| 0.125 * turn.length_squared() * share * share * self.arm())
    }

    /// How far any corner may leave its move \[m\]: an arc from its tangent.
    #[inline(always)]
    pub fn off_tangent(&self) -> Real {
        self.spin.map_or(0.0, |(turn, _)| 0.5 * turn.length_squared() * self.arm())
    }

    #[inline(always)]
    fn arm(&self) -> Real {
        let arm = |p: &Vec3| self.spin.map_or(0.0, |(_, middle)| p.distance_squared(middle));
        self.points.iter().map(arm).fold(0.0, Real::max).sqrt()
    }

    /// Its foremost corner along a direction, at the start and at the end \[m\].
    #[inline(always)]
    pub fn levels(&self, dir: Vec3) -> [Real; 2] {
        [&self.points, &self.at(1.0)].map(|p| foremost(p, dir))
    }

    /// What of a rod can meet another core that comes within `apart` of it: long shafts turn, and their far ends go to where
    /// nothing is. Rigorous: the rest is farther off than both sides go.
    pub fn near(mut self, other: &Self, apart: Real) -> Self {
        let common = (other.moves[0] + other.moves[1] + other.moves[2]) / 3.0;
        let own = |m: &Vec3| (*m - common).length();
        let swept = other.moves.iter().map(own).fold(0.0, Real::max) + other.off_tangent();
        let [from, to] = [self.points[0], self.points[1]];
        let speeds = [own(&self.moves[0]), own(&self.moves[1])];
        let [x, y, z] = other.points;
        let middle = (x + y + z) / 3.0;
        let size = match other.core {
            Core::Round => 0.0,
            _ => other.points.iter().map(|q| q.distance_squared(middle)).fold(0.0, Real::max).sqrt(),
        };
        let least = swept + self.off_tangent() + apart + size;
        let room = |s: Real| {
            let p = from.lerp(to, s);
            let nearest =
                if other.core == Core::Round { x.lerp(y, closest_on_segment(p, x, y)) } else { middle };
            p.distance(nearest) - least - (speeds[0] + (speeds[1] - speeds[0]) * s)
        };
        // Where it is nearest is never cut off; the room is convex along the rod.
        let nearest = match other.core {
            Core::Round => closest_segments(from, to, other.points[0], other.points[1]).s,
            _ => closest_on_segment(other.points[0], from, to),
        };
        let cut = |far: Real| {
            if !(room(far) > 0.0 && room(nearest) <= 0.0) {
                return far;
            }
            let (mut near, mut far) = (nearest, far);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (near + far);
                if room(middle) > 0.0 { far = middle } else { near = middle }
            }
            far
        };
        let [s, t] = [cut(0.0), cut(1.0)];
        let of = |[x, y, _]: [Vec3; 3]| [x.lerp(y, s), x.lerp(y, t), x.lerp(y, t)];
        (self.points, self.moves) = (of(self.points), of(self.moves));
        self
    }
}

#[inline(always)]
fn foremost(corners: &[Vec3; 3], dir: Vec3) -> Real {
    corners.iter().map(|p| p.dot(dir)).fold(Real::NEG_INFINITY, Real::max)
}

/// From B to A where two cores that are known are nearest \[m\]. Two triangles never make a pair.
#[inline(always)]
fn between((a, [a0, a1, a2]): (Core, &[Vec3; 3]), (b, [b0, b1, b2]): (Core, &[Vec3; 3])) -> Vec3 {
    match (a, b) {
        (Core::Triangle, _) => {
            let (s, on) = closest_segment_triangle(*b0, *b1, &[*a0, *a1, *a2]);
            on.point - b0.lerp(*b1, s)
        }
        (_, Core::Triangle) => {
            let (s, on) = closest_segment_triangle(*a0, *a1, &[*b0, *b1, *b2]);
            a0.lerp(*a1, s) - on.point
        }
        _ => {
            let c = closest_segments(*a0, *a1, *b0, *b1);
            a0.lerp(*a1, c.s) - b0.lerp(*b1, c.t)
        }
    }
}

/// The ways of both sides of a pair, of rods as far as they can come as near as `apart`.
#[inline(always)]
pub(crate) fn as_far_as_near([mut a, mut b]: [Path; 2], apart: Real) -> [Path; 2] {
    let is_rod = |p: &Path| p.spin.is_some() && p.core == Core::Round;
    if a.core.is_known() && b.core.is_known() {
        if is_rod(&a) {
            a = a.near(&b, apart);
        }
        if is_rod(&b) {
            b = b.near(&a, apart);
        }
    }
    [a, b]
}

/// How far the end of a motion is to be moved apart along the normal of a meeting, so that a gap is there from the meeting on
/// \[m\]: what turns dips on its way, and half of a shift has been made by half of the way. No farther than they came nearer,
/// and what so much more makes up for bows.
pub(crate) fn lacks([a, b]: [&Path; 2], Meeting { normal: n, time }: Meeting, gap: Real) -> Real {
    let first = time.max(EARLIEST);
    let apart = |t: Real| -foremost(&a.at(t), -n) - foremost(&b.at(t), n);
    let lack = |k: u32| {
        let t = first + (1.0 - first) * Real::from(k) / Real::from(MOMENTS);
        (gap - apart(t)) / t
    };
    let most = (apart(0.0) - apart(1.0)).max(0.0) + (a.bow(1.0) + b.bow(1.0)) * BOWS;
    // What lacks in the end is never too much.
    (0..=MOMENTS).map(lack).fold(Real::NEG_INFINITY, Real::max).min(most).max(lack(MOMENTS))
}

/// How far apart two cores that are known are in the end \[m\].
pub(crate) fn apart_in_the_end(a: &Path, b: &Path) -> Real {
    between((a.core, &a.at(1.0)), (b.core, &b.at(1.0))).length()
}

/// Where two cores that are followed first may not be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    /// From B to A where they are nearest.
    pub normal: Vec3,
    /// The share of the substep.
    pub time: Real,
}

/// Whether the motion of two cores that are known leaves them `apart` at every instant; otherwise where they first may not be.
#[inline(always)]
pub(crate) fn follow([a, b]: [&Path; 2], normal: Vec3, apart: Real, speed: Real) -> Option<Meeting> {
    let (mut t, mut n) = (0.0, normal);
    let meeting = |normal: Vec3, time: Real| Some(Meeting { normal, time });
    for _ in 0..ADVANCES {
        let (pa, pb) = (a.at(t), b.at(t));
        let way = between((a.core, &pa), (b.core, &pb));
        let towards = way / way.length();
        // Along the direction in which they are nearest, whatever rounding has done to that.
        let room = -foremost(&pa, -towards) - foremost(&pb, towards) - apart;
        if room.is_nan() || room <= 0.0 {
            // Cores that are as good as met tell no direction.
            return meeting(if -room < 0.5 * apart { towards } else { n }, t);
        }
        n = towards;
        let end = t + straight([a, b], BOW * room).min(1.0 - t);
        let least = apart + a.bow(end - t) + b.bow(end - t);
        let holds = stands(n, (&pa, &a.at(end)), (&pb, &b.at(end)), least);
        if holds >= 1.0 && end >= 1.0 {
            return None;
        }
        let on = if holds >= 1.0 { end - t } else { NEARLY * holds * (end - t) };
        t += on.max(USE * room / speed);
        if t >= 1.0 {
            return None;
        }
    }
    meeting(n, t)
}

/// The share of the substep in which the bows of both are no more than so much \[m\].
#[inline(always)]
fn straight(paths: [&Path; 2], most: Real) -> Real {
    let whole: Real = paths.iter().map(|p| p.bow(1.0)).sum();
    if whole > most { (most / whole).sqrt() } else { 1.0 }
}

/// The share of a straight motion for which all corners of A are ahead of all corners of B by `least` along a direction.
#[inline(always)]
fn stands(n: Vec3, a: (&[Vec3; 3], &[Vec3; 3]), b: (&[Vec3; 3], &[Vec3; 3]), least: Real) -> Real {
    let room = |a: &[Vec3; 3], b: &[Vec3; 3]| -foremost(a, -n) - foremost(b, n) - least;
    if room(a.1, b.1) >= 0.0 {
        return 1.0;
    }
    let mut share: Real = 1.0;
    for (from_a, to_a) in a.0.iter().zip(a.1) {
        for (from_b, to_b) in b.0.iter().zip(b.1) {
            let (from, to) = (n.dot(*from_a - *from_b) - least, n.dot(*to_a - *to_b) - least);
            // What is not a number does not hold.
            if to.is_nan() || to < 0.0 {
                share = share.min((from / (from - to)).max(0.0));
            }
        }
    }
    share
}

/// The most that two cores can come nearer in the substep \[m\].
#[inline(always)]
pub(crate) fn closing(a: &Path, b: &Path) -> Real {
    // What both do together changes no distance.
    let common = match a.core.is_known() && b.core.is_known() {
        true => (a.moves[0] + a.moves[1] + b.moves[0] + b.moves[1]) * 0.25,
        false => Vec3::ZERO,
    };
    let fastest =
        |p: &Path| p.moves.iter().map(|way| (*way - common).length_squared()).fold(0.0, Real::max).sqrt();
    // |R a − a| ≤ |turn| |a|: no speed differs from the move by more than this, so these bound speeds too.
    fastest(a) + fastest(b) + 2.0 * (a.off_tangent() + b.off_tangent())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same in every run.
    struct Random(u64);

    impl Random {
        /// Between 0 and 1.
        fn share(&mut self) -> Real {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as Real / (1u64 << 53) as Real
        }
    }

    fn vec(random: &mut Random) -> Vec3 {
        let mut some = || 2.0 * random.share() - 1.0;
        Vec3::new(some(), some(), some())
    }

    fn thrice([x, y]: [Vec3; 2]) -> [Vec3; 3] {
        [x, y, y]
    }

    /// A soft segment, a triangle or a rod that turns, about the origin.
    fn any(random: &mut Random, kind: u32, size: Real, way: Real) -> Path {
        let middle = vec(random);
        let mut near = || middle + vec(random) * size;
        let (p, q, r) = (near(), near(), near());
        let mut move_ = || vec(random) * way;
        let (x, y, z) = (move_(), move_(), move_());
        match kind {
            0 => Path { points: thrice([p, q]), moves: thrice([x, y]), spin: None, core: Core::Round },
            1 => Path { points: [p, q, r], moves: [x, y, z], spin: None, core: Core::Triangle },
            _ => {
                let (turn, half) = (y * 2.0, 0.5 * (q - p) * 4.0);
                let moves = thrice([x - turn.cross(half), x + turn.cross(half)]);
                let points = thrice([middle - half, middle + half]);
                Path { points, moves, spin: Some((turn, middle)), core: Core::Round }
            }
        }
    }

    fn least(a: &Path, b: &Path) -> Real {
        let at = |t: Real| between((a.core, &a.at(t)), (b.core, &b.at(t))).length();
        (0..=2000).map(|k| at(f64::from(k) / 2000.0)).fold(Real::INFINITY, Real::min)
    }

    /// The slow twin: distances at many instants. What is told to stay apart does; nearly all that does is told to.
    #[test]
    fn what_is_followed_stays_apart_and_what_stays_apart_is_followed() {
        let mut random = Random(7);
        let (mut stays, mut doubted) = (0, 0);
        for round in 0..6000_u32 {
            let way = [0.02, 0.2, 1.0][(round % 3) as usize];
            let kind = |k: u32| (round / 3 / k) % 3;
            let (a, b) = (any(&mut random, kind(1), 0.3, way), any(&mut random, kind(3), 0.3, way));
            if a.core == Core::Triangle && b.core == Core::Triangle {
                continue;
            }
            let apart = 0.05 + 0.2 * random.share();
            let start = between((a.core, &a.at(0.0)), (b.core, &b.at(0.0)));
            if start.length() <= apart {
                continue;
            }
            let told = follow([&a, &b], start.normalize(), apart, closing(&a, &b));
            let found = least(&a, &b);
            match told {
                None => {
                    assert!(found >= apart - 1e-12, "{round}: {found} {apart}");
                    stays += 1;
                }
                Some(meeting) => {
                    assert!((meeting.normal.length() - 1.0).abs() < 1e-9);
                    doubted += u32::from(found > apart + 1e-3);
                }
            }
        }
        assert!(stays > 2000 && doubted * 100 < stays, "{stays} {doubted}");
    }

    /// The tip of a rod that turns before a wall: as near in the end as at the start, and nearest half-way.
    #[test]
    fn what_dips_on_its_way_is_parted() {
        let (tip, turn, apart) = (Vec3::X * 0.15, Vec3::Z * 0.2, 0.01);
        let back = Vec3::X * (0.15 * (1.0 - libm::cos(0.2)));
        let moves = thrice([back - turn.cross(tip), back + turn.cross(tip)]);
        let mut rod =
            Path { points: thrice([-tip, tip]), moves, spin: Some((turn, Vec3::ZERO)), core: Core::Round };
        let wall = [Vec3::new(0.0, -1.0, -1.0), Vec3::new(0.0, 1.0, -1.0), Vec3::new(0.0, 0.0, 2.0)];
        let at = Vec3::X * (0.15 + apart + 2e-5);
        let wall = Path::soft(wall.map(|corner| corner + at), [Vec3::ZERO; 3], Core::Triangle);
        let look = |rod: &Path| follow([rod, &wall], -Vec3::X, apart, closing(rod, &wall));
        assert!(apart_in_the_end(&rod, &wall) > apart && look(&rod).is_some());
        for _ in 0..8 {
            let Some(meeting) = look(&rod) else { break };
            let by = lacks([&rod, &wall], meeting, apart + 2e-6).max(5e-6);
            rod.moves = rod.moves.map(|way| way + meeting.normal * by);
        }
        assert_eq!(look(&rod), None);
    }

    #[test]
    fn what_meets_on_its_way_is_parted_in_a_few_rounds() {
        let mut random = Random(5);
        let (mut met, mut left) = (0, 0);
        for round in 0..6000_u32 {
            let way = [0.02, 0.2, 0.6][(round % 3) as usize];
            let (mut a, b) = (any(&mut random, 2, 0.3, way), any(&mut random, round / 3 % 3, 0.3, way));
            let apart = 0.05 + 0.1 * random.share();
            let start = between((a.core, &a.at(0.0)), (b.core, &b.at(0.0)));
            let room = start.length() - apart;
            if room <= 1e-3 {
                continue;
            }
            let look = |a: &Path| follow([a, &b], start.normalize(), apart, closing(a, &b));
            met += u32::from(look(&a).is_some());
            for _ in 0..8 {
                let Some(meeting) = look(&a) else { break };
                let by = lacks([&a, &b], meeting, apart + 0.1 * room).max(5e-6);
                a.moves = a.moves.map(|way| way + meeting.normal * by);
            }
            left += u32::from(look(&a).is_some());
        }
        assert!(met > 100 && left * 50 < met, "{left} of {met}");
    }

    /// A tube that slides along another by ten times its thickness, a hair's breadth away.
    #[test]
    fn what_slides_is_followed() {
        let arc = |angle: Real| Vec3::new(libm::sin(angle), libm::cos(angle), 0.0);
        let beside = [arc(-0.02) * 1.001, arc(0.02) * 1.001];
        let along = arc(0.3) * 1.001 - arc(0.0) * 1.001;
        let a = Path { points: thrice(beside), moves: thrice([along; 2]), spin: None, core: Core::Round };
        let points = thrice([Vec3::Z * -0.2, Vec3::Z * 0.2]);
        let b = Path { points, moves: [Vec3::ZERO; 3], spin: None, core: Core::Round };
        // The chord sinks by a hundredth; the gap is a twentieth of that more.
        let apart = least(&a, &b) - 5e-4;
        assert_eq!(follow([&a, &b], Vec3::Y, apart, closing(&a, &b)), None);
        assert!(follow([&a, &b], Vec3::Y, apart + 6e-4, closing(&a, &b)).is_some());
    }

    #[test]
    fn what_of_a_rod_is_cut_off_meets_nothing() {
        let mut random = Random(11);
        let mut cut = 0;
        for round in 0..3000_u32 {
            let way = [0.02, 0.2][(round % 2) as usize];
            let (a, b) = (any(&mut random, 2, 0.5, way), any(&mut random, round % 3, 0.2, way));
            let apart = 0.05 + 0.1 * random.share();
            let (whole, points) = (least(&a, &b), a.points);
            let near = a.near(&b, apart);
            cut += u32::from(near.points != points);
            let found = least(&near, &b);
            assert!(found == whole || found <= apart || whole > apart, "{round}: {found} {whole} {apart}");
            assert!(whole > apart || (found - whole).abs() < 1e-9, "{round}: {found} {whole} {apart}");
        }
        assert!(cut > 500, "{cut}");
    }
}
