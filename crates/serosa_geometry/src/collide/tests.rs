//! The three searches against one another.

use super::*;
use crate::Real;
use core::f64::consts::{PI, TAU};
use proptest::prelude::*;

/// Numbers in [0, 1) that are the same everywhere (Steele's SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as Real / (1u64 << 53) as Real
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.roll(), self.roll(), self.roll())
    }
}

/// A ball of 2 k (k − 1) triangles around the origin.
fn ball(k: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |ring: u32, slice: u32| match ring {
        0 => 0,
        r if r == k => 1,
        r => 2 + (r - 1) * k + slice % k,
    };
    let mut points = vec![Vec3::Z, -Vec3::Z];
    let mut faces = Vec::new();
    for ring in 0..k {
        let v = PI * Real::from(ring) / Real::from(k);
        for slice in 0..k {
            let u = TAU * Real::from(slice) / Real::from(k);
            if ring > 0 {
                points.push(Vec3::new(
                    libm::sin(v) * libm::cos(u),
                    libm::sin(v) * libm::sin(u),
                    libm::cos(v),
                ));
                faces.push([at(ring, slice), at(ring + 1, slice), at(ring, slice + 1)]);
            }
            if ring + 1 < k {
                faces.push([at(ring, slice + 1), at(ring + 1, slice), at(ring + 1, slice + 1)]);
            }
        }
    }
    (points, faces)
}

/// A smooth motion of all points.
fn wave(points: &[Vec3], amplitude: Real, time: Real) -> Vec<Vec3> {
    let sin = |v: Real| libm::sin(v + time);
    points
        .iter()
        .map(|p| *p + amplitude * Vec3::new(sin(3.0 * p.y), sin(4.0 * p.z), sin(5.0 * p.x)))
        .collect()
}

/// Several bodies as one array of points.
fn shells(bodies: &[(Vec<Vec3>, Vec<[u32; 3]>)], own: Own) -> (Shells, Vec<Vec3>) {
    let (mut shells, mut points) = (Shells::default(), Vec::new());
    for (of, faces) in bodies {
        let start = points.len() as u32;
        let moved: Vec<[u32; 3]> = faces.iter().map(|f| f.map(|i| i + start)).collect();
        shells.add(&moved, own);
        points.extend_from_slice(of);
    }
    (shells, points)
}

fn strangers(all: &[Meeting]) -> Vec<Meeting> {
    all.iter().copied().filter(|m| m.a.0 != m.b.0).collect()
}

/// The default and the cascade against all pairs.
fn agree(shells: &Shells, points: &[Vec3], collider: &mut Collider) -> Vec<Meeting> {
    let all = every_meeting(shells, points);
    assert!(all.is_sorted());
    assert_eq!(collider.find(points), all);
    assert!(collider.is_complete());
    assert_eq!(Cascade::default().find(shells, points), strangers(&all));
    all
}

#[test]
fn ten_thousand_random_triangles() {
    let mut dice = Dice(1);
    let (n, size) = (10_000, 0.3);
    let mut points = Vec::new();
    for _ in 0..n {
        let at = dice.point();
        // Sizes differ a hundredfold.
        let size = size * 0.01f64.powf(dice.roll());
        points.extend([(); 3].map(|()| at + size * (dice.point() - 0.5)));
    }
    let triangles: Vec<[u32; 3]> = (0..n).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mut shells = Shells::default();
    for part in triangles.chunks(2500) {
        shells.add(part, Own::Found);
    }
    let all = agree(&shells, &points, &mut Collider::new(shells.clone(), &points));
    assert!(all.len() > 1000 && strangers(&all).len() < all.len(), "{}", all.len());
}

#[test]
fn deforming_balls_over_many_steps() {
    for (own, k) in [(Own::Ignored, 14), (Own::Found, 10)] {
        let bodies: Vec<_> = [0.0, 0.9, 1.9, 5.0]
            .map(|x| {
                let (points, faces) = ball(k);
                (points.iter().map(|p| *p + Vec3::new(x, 0.3 * x, 0.1)).collect(), faces)
            })
            .to_vec();
        let (shells, rest) = shells(&bodies, own);
        let mut collider = Collider::new(shells.clone(), &rest);
        let mut searches = 0;
        for step in 0..60 {
            // Slow, then fast, then still: the list is kept for long, not at all, and for ever.
            let time = if step < 40 { 0.02 * Real::from(step) } else { 0.4 * Real::from(step.min(50)) };
            let points = wave(&rest, 0.1, time);
            let all = agree(&shells, &points, &mut collider);
            assert!(all.len() > 100, "{}", all.len());
            searches += u32::from(collider.has_searched());
        }
        assert!((5..30).contains(&searches), "{searches} searches in 60 steps");
    }
}

#[test]
fn a_body_through_itself() {
    let (rest, faces) = ball(16);
    // Pinched so far that opposite sides pass through one another.
    let pinch = |t: Real| -> Vec<Vec3> {
        let by = |p: &Vec3| 1.0 - t * libm::exp(-8.0 * p.z * p.z);
        rest.iter().map(|p| Vec3::new(p.x * by(p), p.y, p.z)).collect()
    };
    let (shells, _) = shells(&[(rest.clone(), faces)], Own::Found);
    let mut collider = Collider::new(shells.clone(), &rest);
    let counts: Vec<usize> =
        (0..30).map(|s| agree(&shells, &pinch(0.05 * Real::from(s)), &mut collider).len()).collect();
    assert_eq!(counts[0], 0, "a ball has none");
    assert!(counts[29] > 50, "{counts:?}");
}

#[test]
fn folds_and_doubles_of_neighbours_are_found() {
    let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.3, 0.0), Vec3::Z, Vec3::new(0.2, 0.2, 1.0)];
    let pairs = |faces: &[[u32; 3]]| {
        let mut shells = Shells::default();
        shells.add(faces, Own::Found);
        agree(&shells, &points, &mut Collider::new(shells.clone(), &points)).len()
    };
    assert_eq!(pairs(&[[0, 1, 2], [1, 0, 4]]), 0, "a ridge");
    assert_eq!(pairs(&[[0, 1, 2], [1, 0, 3]]), 1, "folded flat");
    assert_eq!(pairs(&[[0, 1, 2], [1, 2, 0]]), 1, "twice the same");
    assert_eq!(pairs(&[[0, 1, 2], [1, 3, 5]]), 1, "a corner shared, another touching");
    assert_eq!(pairs(&[[0, 1, 2], [1, 4, 5]]), 0, "a corner shared");
    assert_eq!(pairs(&[[0, 1, 2], [3, 3, 4]]), 0, "a face with a corner twice");
}

#[test]
fn what_is_not_finite_meets_nothing_and_hides_nothing() {
    let bodies: Vec<_> = [0.0, 0.7].map(|x| (ball(9).0.iter().map(|p| *p + x).collect(), ball(9).1)).to_vec();
    let (shells, rest) = shells(&bodies, Own::Found);
    let mut collider = Collider::new(shells.clone(), &rest);
    let sound = agree(&shells, &rest, &mut collider).len();
    let mut dice = Dice(5);
    for bad in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
        let mut points = rest.clone();
        for _ in 0..8 {
            points[(dice.roll() * rest.len() as Real) as usize].y = bad;
        }
        let left = agree(&shells, &points, &mut collider).len();
        assert!(left > 0 && left < sound, "{left} of {sound}");
        assert_eq!(agree(&shells, &rest, &mut collider).len(), sound, "and back");
    }
    let nowhere = vec![Vec3::NAN; rest.len()];
    assert_eq!(agree(&shells, &nowhere, &mut Collider::new(shells.clone(), &nowhere)), []);
    assert_eq!(agree(&Shells::default(), &[], &mut Collider::new(Shells::default(), &[])), []);
}

#[test]
fn the_answer_does_not_depend_on_history_or_place() {
    let bodies: Vec<_> =
        [0.0, 0.8].map(|x| (ball(20).0.iter().map(|p| *p + x).collect(), ball(20).1)).to_vec();
    let (shells, rest) = shells(&bodies, Own::Ignored);
    let mut kept = Collider::new(shells.clone(), &rest);
    for step in 0..20 {
        let points = wave(&rest, 0.05, 0.05 * Real::from(step));
        let mut fresh = Collider::new(shells.clone(), &points);
        let found = fresh.find(&points).to_vec();
        assert_eq!(kept.find(&points), found);
        if step % 7 == 3 {
            kept.forget();
        }
        // A power of two moves no bit of what is on a coarse lattice.
        let coarse: Vec<Vec3> = points.iter().map(|p| (*p * 4096.0).round() / 4096.0).collect();
        let far: Vec<Vec3> = coarse.iter().map(|p| *p + 1048576.0).collect();
        let near = every_meeting(&shells, &coarse);
        assert_eq!(Collider::new(shells.clone(), &far).find(&far), near);
    }
}

#[test]
fn a_bound_on_candidates_is_kept_and_told() {
    let bodies: Vec<_> = [0.0, 0.8].map(|x| (ball(9).0.iter().map(|p| *p + x).collect(), ball(9).1)).to_vec();
    let (shells, rest) = shells(&bodies, Own::Ignored);
    let all = every_meeting(&shells, &rest);
    let mut bounded = Collider::new(shells, &rest).bounded(50);
    let found = bounded.find(&rest).to_vec();
    assert!(!bounded.is_complete() && bounded.candidates() == 50 && found.len() < all.len());
    assert!(found.iter().all(|m| all.contains(m)));
}

#[test]
fn a_thousand_bodies() {
    let mut dice = Dice(9);
    let bodies: Vec<_> = (0..1000)
        .map(|_| {
            let at = 6.0 * dice.point();
            let (points, faces) = ball(3);
            (points.iter().map(|p| *p * 0.4 + at).collect::<Vec<_>>(), faces)
        })
        .collect();
    let (shells, points) = shells(&bodies, Own::Found);
    let all = agree(&shells, &points, &mut Collider::new(shells.clone(), &points));
    assert!(all.len() > 1000);
}

/// Triangles on so coarse a lattice that most touch, lie in one plane, have no area or share corners.
fn coarse() -> impl Strategy<Value = (Vec<[i8; 3]>, Vec<[u32; 3]>)> {
    let points = prop::collection::vec(prop::array::uniform3(0i8..4), 30);
    (points, prop::collection::vec(prop::array::uniform3(0u32..30), 1..40))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn degenerate_triangles((points, triangles) in coarse(), cut in 0..40usize, moved in 0..30usize) {
        let mut points: Vec<Vec3> = points.iter().map(|p| Vec3::from_array(p.map(Real::from))).collect();
        let (first, second) = triangles.split_at(cut.min(triangles.len()));
        let mut shells = Shells::default();
        shells.add(first, Own::Found);
        shells.add(second, Own::Found);
        let mut collider = Collider::new(shells.clone(), &points);
        for _ in 0..3 {
            let all = every_meeting(&shells, &points);
            prop_assert_eq!(collider.find(&points), &all[..]);
            prop_assert_eq!(Cascade::default().find(&shells, &points), strangers(&all));
            points[moved].x += 0.25;
        }
    }
}
