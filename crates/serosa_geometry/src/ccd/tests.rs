use super::*;
use crate::{closest_on_segment, closest_segments};
use proptest::prelude::*;

mod queries;

type Corners = [Vec3; 4];
type Detect = fn(Corners, Corners, Real) -> Option<Real>;
type Distance = fn(Corners) -> Real;

/// Each detection with the distance it speaks of.
const BOTH: [(Detect, Distance); 2] =
    [(vertex_triangle, vertex_triangle_distance), (edge_edge, edge_edge_distance)];

fn edge_edge_distance([a0, a1, b0, b1]: Corners) -> Real {
    let pair = closest_segments(a0, a1, b0, b1);
    a0.lerp(a1, pair.s).distance(b0.lerp(b1, pair.t))
}

fn vertex_triangle_distance([p, a, b, c]: Corners) -> Real {
    let side = |a: Vec3, b: Vec3| p.distance(a.lerp(b, closest_on_segment(p, a, b)));
    let sides = side(a, b).min(side(b, c)).min(side(c, a));
    let n = (b - a).cross(c - a);
    let within = [(a, b), (b, c), (c, a)].iter().all(|(u, v)| (*v - *u).cross(p - *u).dot(n) >= 0.0);
    if within && n != Vec3::ZERO { sides.min((p - a).dot(n.normalize()).abs()) } else { sides }
}

fn between(start: Corners, end: Corners, time: Real) -> Corners {
    std::array::from_fn(|k| start[k].lerp(end[k], time))
}

/// The slow twin: advances of distance over the greatest speed, until the distance is within `tolerance` of the gap.
/// The answer is no later than the time for the gap, no earlier than that for the gap and the tolerance.
fn advance(distance: Distance, (start, end): (Corners, Corners), gap: Real, tolerance: Real) -> Option<Real> {
    let speed = 2.0 * (0..4).map(|k| start[k].distance(end[k])).fold(0.0, Real::max);
    let mut time = 0.0;
    while time <= 1.0 {
        let spare = distance(between(start, end, time)) - gap;
        if spare <= tolerance {
            return Some(time);
        }
        time += spare / speed;
    }
    None
}

fn point() -> impl Strategy<Value = Vec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn corners() -> impl Strategy<Value = Corners> {
    [point(), point(), point(), point()]
}

/// Points of whole coordinates.
fn whole(unit: i32) -> impl Strategy<Value = Vec3> {
    let one = move || (-64..64).prop_map(move |i: i32| Real::from(i * unit));
    (one(), one(), one()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

/// Whether two answers are the same but for rounding.
fn agree(a: Option<Real>, b: Option<Real>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn equals_the_slow_twin(start in corners(), end in corners(), gap in 0.0..0.3) {
        for (detect, distance) in BOTH {
            let (tolerance, slow) = (1e-4, advance(distance, (start, end), gap, 1e-4));
            match slow {
                None => prop_assert_eq!(detect(start, end, gap), None),
                Some(slow) => {
                    let wider = detect(start, end, gap + tolerance);
                    prop_assert!(wider.is_some_and(|t| t <= slow), "{wider:?} {slow}");
                    let fast = detect(start, end, gap).unwrap_or(1.0);
                    prop_assert!(fast >= slow - 1e-12, "{fast} {slow}");
                }
            }
        }
    }

    #[test]
    fn no_sample_before_the_answer_is_nearer(start in corners(), end in corners(), gap in 0.0..0.3) {
        for (detect, distance) in BOTH {
            let answer = detect(start, end, gap).unwrap_or(1.0);
            for time in (0..200).map(|k| answer * Real::from(k) / 200.0).take_while(|t| *t < answer) {
                prop_assert!(distance(between(start, end, time)) > gap - 1e-12);
            }
        }
    }

    #[test]
    fn what_is_made_to_meet_meets_by_then(start in corners(), end in corners(), time in 0.0..1.0,
                                          u in 0.01..0.49, v in 0.01..0.49) {
        let [_, a, b, c] = between(start, end, time);
        let mut moved = (start, end);
        let miss = a + (b - a) * u + (c - a) * v - between(start, end, time)[0];
        for corners in [&mut moved.0, &mut moved.1] {
            corners[0] += miss;
        }
        let hit = vertex_triangle(moved.0, moved.1, 0.0);
        prop_assert!(hit.is_some_and(|t| t <= time + 1e-12), "{hit:?} {time}");

        let [a0, a1, b0, b1] = between(start, end, time);
        let mut moved = (start, end);
        let miss = b0.lerp(b1, v) - a0.lerp(a1, u);
        for corners in [&mut moved.0, &mut moved.1] {
            corners[0] += miss;
            corners[1] += miss;
        }
        let hit = edge_edge(moved.0, moved.1, 0.0);
        prop_assert!(hit.is_some_and(|t| t <= time + 1e-12), "{hit:?} {time}");
    }

    /// In whole numbers both the motion and the sixteenth at which it meets are exact, borders and corners included, and
    /// so is the promise: no later, not even by the last digit.
    #[test]
    fn never_later_than_an_exact_meeting(at in [whole(4), whole(4), whole(4), whole(4)],
                                         by in [whole(1), whole(1), whole(1), whole(1)],
                                         (i, j) in (0..=4_i32, 0..=4_i32), sixteenth in 0..=16_i32) {
        let share = |a: Vec3, b: Vec3, i: i32| (a * Real::from(4 - i) + b * Real::from(i)) / 4.0;
        let [p, a, b, c] = at;
        let k = j.min(4 - i);
        let on_face = (a * Real::from(4 - i - k) + b * Real::from(i) + c * Real::from(k)) / 4.0;
        let apart = share(p, a, i) - share(b, c, j);
        let cases: [(Detect, Corners); 2] =
            [(vertex_triangle, [on_face, a, b, c]), (edge_edge, [p, a, b + apart, c + apart])];
        for (detect, met) in cases {
            let moved = |n: i32| std::array::from_fn(|k| met[k] + by[k] * Real::from(n));
            let answer = detect(moved(-sixteenth), moved(16 - sixteenth), 0.0);
            prop_assert!(answer.is_some_and(|t| t <= Real::from(sixteenth) / 16.0), "{answer:?}");
        }
    }

    #[test]
    fn the_order_of_corners_does_not_matter(s in corners(), e in corners(), gap in 0.0..0.2) {
        let one = vertex_triangle(s, e, gap);
        for [i, j, k] in [[2, 3, 1], [3, 2, 1], [1, 3, 2]] {
            prop_assert!(agree(one, vertex_triangle([s[0], s[i], s[j], s[k]], [e[0], e[i], e[j], e[k]], gap)));
        }
        let one = edge_edge(s, e, gap);
        for [i, j, k, l] in [[1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1]] {
            prop_assert!(agree(one, edge_edge([s[i], s[j], s[k], s[l]], [e[i], e[j], e[k], e[l]], gap)));
        }
    }

    #[test]
    fn scale_and_place_do_not_matter(s in corners(), e in corners(), gap in 0.0..0.2, scale in 1e-6..1e6, to in point()) {
        for (detect, _) in BOTH {
            let one = detect(s, e, gap);
            for exact in [2.0_f64.powi(-300), 2.0_f64.powi(300)] {
                prop_assert_eq!(one, detect(s.map(|p| p * exact), e.map(|p| p * exact), gap * exact));
            }
            prop_assert!(agree(one, detect(s.map(|p| (p + to) * scale), e.map(|p| (p + to) * scale), gap * scale)));
        }
    }

    #[test]
    fn a_slide_near_by_is_no_hit(a in point(), b in point(), c in point(), shift in point(), height in -12.0..-1.0) {
        prop_assume!((b - a).cross(c - a).length() > 0.1);
        let n = (b - a).cross(c - a).normalize();
        let p = (a + b + c) / 3.0 + n * libm::pow(10.0, height);
        let along = (shift - n * n.dot(shift)) * 0.1;
        prop_assert_eq!(vertex_triangle([p, a, b, c], [p + along, a, b, c], 0.0), None);
    }

    #[test]
    fn a_turn_near_by_is_no_hit(start in corners(), axis in point(), angle in -1.0..1.0, height in -6.0..-1.0) {
        let [_, a, b, c] = start;
        prop_assume!((b - a).cross(c - a).length() > 0.1);
        // Corners move straight, not on arcs: the plane through them is what the vertex has to stay above.
        // A turning plane leaves the arc by θ²/8, so a turn takes about θ/√(8 height) advances: here up to fifty.
        let angle = angle * (100.0 * libm::sqrt(libm::pow(10.0, height))).min(1.0);
        let turn = crate::Quat::from_axis_angle(axis.normalize(), angle);
        let over = |[a, b, c]: [Vec3; 3]| {
            let n = (b - a).cross(c - a).normalize();
            [(a + b + c) / 3.0 + n * libm::pow(10.0, height), a, b, c]
        };
        let (start, end) = (over([a, b, c]), over([turn * a, turn * b, turn * c]));
        prop_assume!((0..=100).all(|k| {
            let [p, a, b, c] = between(start, end, Real::from(k) / 100.0);
            (b - a).cross(c - a).normalize().dot(p - a) > libm::pow(10.0, height - 1.0)
        }));
        prop_assert_eq!(vertex_triangle(start, end, 0.0), None);
    }
}

const FLAT: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

fn falling(p: Vec3, by: Real, triangle: [Vec3; 3], gap: Real) -> Option<Real> {
    let with = |p| [p, triangle[0], triangle[1], triangle[2]];
    vertex_triangle(with(p), with(p - Vec3::Z * by), gap)
}

/// No later than the true time, and no earlier than rounding takes it.
fn at(answer: Option<Real>, time: Real) -> bool {
    answer.is_some_and(|t| t <= time && t > time - 1e-12)
}

#[test]
fn a_vertex_falls_on_a_triangle() {
    let p = Vec3::new(0.25, 0.25, 1.0);
    assert!(at(falling(p, 2.0, FLAT, 0.0), 0.5));
    assert!(at(falling(p, 2.0, FLAT, 0.5), 0.25));
    assert!(at(falling(p, 1.0, FLAT, 0.0), 1.0), "touched at the very end");
    assert_eq!(falling(p, 0.999, FLAT, 0.0), None);
    assert_eq!(falling(p - Vec3::Z, 1.0, FLAT, 0.0), Some(0.0), "touched at the start");
    assert_eq!(falling(p, 1.0, FLAT, 2.0), Some(0.0), "nearer than the gap at the start");
    assert!(at(falling(Vec3::new(0.0, 0.0, 1.0), 2.0, FLAT, 0.0), 0.5), "on a corner");
    assert_eq!(falling(Vec3::new(-1e-9, 0.0, 1.0), 2.0, FLAT, 0.0), None, "past a corner");
}

#[test]
fn triangles_without_an_area_are_segments_and_points() {
    let needle = [Vec3::ZERO, Vec3::X, Vec3::X * 0.5];
    assert!(at(falling(Vec3::new(0.7, 0.0, 1.0), 2.0, needle, 0.0), 0.5));
    assert_eq!(falling(Vec3::new(0.7, 1e-9, 1.0), 2.0, needle, 0.0), None);
    assert!(at(falling(Vec3::Z, 2.0, [Vec3::ZERO; 3], 0.0), 0.5));
    assert_eq!(falling(Vec3::Z + Vec3::X * 1e-9, 2.0, [Vec3::ZERO; 3], 0.0), None);
    assert_eq!(falling(Vec3::ZERO, 0.0, [Vec3::ZERO; 3], 0.0), Some(0.0));
}

#[test]
fn edges_may_be_parallel_or_points() {
    let edges = |lift: Real, shift: Real| {
        [Vec3::ZERO, Vec3::X, Vec3::new(shift, 0.0, lift), Vec3::new(1.0 + shift, 0.0, lift)]
    };
    assert!(at(edge_edge(edges(1.0, 0.5), edges(-1.0, 0.5), 0.0), 0.5), "side by side");
    assert_eq!(edge_edge(edges(1.0, 1.0 + 1e-9), edges(-1.0, 1.0 + 1e-9), 0.0), None, "end past end");
    assert!(at(edge_edge(edges(0.0, 2.0), edges(0.0, 0.0), 0.0), 0.5), "on one line, end to end");
    assert_eq!(edge_edge(edges(1e-9, 2.0), edges(1e-9, -2.0), 0.0), None, "one glides along the other");
    assert_eq!(edge_edge(edges(0.0, 0.5), edges(0.0, 0.7), 0.0), Some(0.0), "one in the other");
    let point = |z: Real| [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.0, z), Vec3::new(0.5, 0.0, z)];
    assert!(at(edge_edge(point(1.0), point(-1.0), 0.0), 0.5));
}

#[test]
fn hostile_numbers_are_a_hit_at_the_start() {
    let (far, near) = ([Vec3::Z * 3.0, Vec3::ZERO, Vec3::X, Vec3::Y], Vec3::splat(0.1));
    for (detect, _) in BOTH {
        for bad in [Real::NAN, Real::INFINITY, -Real::INFINITY] {
            for k in 0..12 {
                let mut broken = far;
                broken[k % 4][k / 4] = bad;
                assert_eq!(detect(broken, far, 0.0), Some(0.0));
                assert_eq!(detect(far, broken, 0.0), Some(0.0));
            }
        }
        assert_eq!(detect(far, far, Real::NAN), Some(0.0));
        assert_eq!(detect(far, far, Real::INFINITY), Some(0.0));
        assert_eq!(detect(far, far, -1.0), None, "a gap below 0 counts as 0");
        for scale in [1e-320, 1e-300, 1e-150, 1e150, 1e300, 5e307] {
            let (start, end) = (far.map(|p| p * scale), far.map(|p| (p + near) * scale));
            assert_eq!(detect(start, end, 0.0), None, "{scale}");
        }
        assert_eq!(
            detect(far.map(|p| p * 1e308), far.map(|p| p * -1e308), 0.0),
            Some(0.0),
            "differences overflow"
        );
    }
}
