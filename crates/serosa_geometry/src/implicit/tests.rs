use super::*;
use crate::Quat;
use crate::rotation::from_rotation_vector;
use proptest::prelude::*;

fn ball(center: Vec3, radius: Real) -> Shape {
    Shape::Ball { center, radius }
}

fn alone(shape: Shape) -> Implicit {
    Implicit { parts: vec![Part::join(shape, 0.0)], ..Implicit::default() }
}

/// The least distance to many balls along the axis: what a capsule is.
fn cone_slowly(p: Vec3, ends: [Vec3; 2], radii: [Real; 2]) -> Real {
    let n = 20_000;
    let at = |k: usize| k as Real / n as Real;
    let ball = |t: Real| (p - ends[0].lerp(ends[1], t)).length() - (radii[0] + (radii[1] - radii[0]) * t);
    (0..=n).map(|k| ball(at(k))).fold(Real::INFINITY, Real::min)
}

proptest! {
    #[test]
    fn a_capsule_is_the_hull_of_its_balls(
        p in prop::array::uniform3(-2.0..2.0), b in prop::array::uniform3(-1.0..1.0), ra in 0.1..0.8, rb in 0.1..0.8,
    ) {
        let (p, ends, radii) = (Vec3::from_array(p), [Vec3::ZERO, Vec3::from_array(b)], [ra, rb]);
        let value = Shape::Capsule { ends, radii }.value(p);
        let slow = cone_slowly(p, ends, radii);
        prop_assert!((value - slow).abs() < 1e-6, "{value} {slow}");
    }

    #[test]
    fn blending_is_symmetric_smooth_and_never_above_the_lesser(a in -1.0..1.0f64, b in -1.0..1.0f64, k in 1e-3..0.5f64) {
        let v = blend(a, b, k);
        prop_assert_eq!(v.to_bits(), blend(b, a, k).to_bits());
        prop_assert!(v <= a.min(b) && v >= a.min(b) - k / 6.0 - 1e-15);
        let h = 1e-6;
        let slope = (blend(a + h, b, k) - blend(a - h, b, k)) / (2.0 * h);
        prop_assert!((-1e-6..=1.0 + 1e-6).contains(&slope), "{slope}");
    }

    #[test]
    fn what_is_inside_is_inside_the_bounds(
        p in prop::array::uniform3(-0.4..0.4), radius in 0.06..0.3, to in 0.3..2.0, turn in prop::array::uniform3(-2.0..2.0),
    ) {
        let semi = Vec3::new(0.05, 0.03, 0.12);
        let turn = from_rotation_vector(Vec3::from_array(turn));
        let whole = Implicit {
            parts: vec![
                Part::join(Shape::Ellipsoid { center: Vec3::new(0.01, 0.02, 0.0), semi, turn }, 0.0),
                Part::join(ball(Vec3::new(0.05, 0.0, 0.05), 0.03), 0.04),
                Part::cut(Shape::HalfSpace { point: -Vec3::Z, normal: Vec3::Z }, 0.01),
            ],
            taper: Some(Taper { at: Vec3::ZERO, along: Vec3::X, length: 0.1, to }),
            bend: Some(Bend { at: Vec3::ZERO, along: Vec3::Z, towards: Vec3::Y, radius }),
            bumps: Some(Bumps { height: 0.003, size: 0.02, seed: 7 }),
        };
        let p = Vec3::from_array(p);
        let value = whole.value(p);
        let bounds = whole.bounds().unwrap();
        prop_assert!(value >= 0.0 || bounds.contains(p), "{value} at {p} outside {bounds:?}");
    }
}

#[test]
fn an_ellipsoid_is_right_to_first_order_at_its_surface() {
    let semi = Vec3::new(0.5, 0.2, 0.3);
    let shape = Shape::Ellipsoid { center: Vec3::ZERO, semi, turn: Quat::IDENTITY };
    for d in [Vec3::X, Vec3::new(1.0, 2.0, -1.0), Vec3::new(0.3, -0.2, 0.9)] {
        let on = semi * d.normalize();
        let normal = (on / (semi * semi)).normalize();
        assert!(shape.value(on).abs() < 1e-15);
        for h in [1e-4, 1e-5] {
            let error = (shape.value(on + normal * h) - h).abs();
            assert!(error < 30.0 * h * h, "{d}: {error} at {h}");
        }
    }
    assert!(shape.value(Vec3::ZERO) < 0.0);
}

#[test]
fn a_straight_tube_is_a_capsule_and_one_through_an_arc_stays_near_it() {
    let points: Vec<Vec3> = (0..5).map(|i| Vec3::X * i as Real * 0.1).collect();
    let tube = Shape::tube(&points, &[0.05]);
    let capsule = Shape::Capsule { ends: [Vec3::ZERO, Vec3::X * 0.4], radii: [0.05; 2] };
    for p in [Vec3::new(0.2, 0.1, 0.0), Vec3::new(-0.1, 0.0, 0.02), Vec3::new(0.33, 0.0, 0.01)] {
        assert!((tube.value(p) - capsule.value(p)).abs() < 1e-12);
    }
    let on = |a: Real| Vec3::new(libm::cos(a), libm::sin(a), 0.0);
    let arc: Vec<Vec3> = (0..9).map(|i| on(0.25 * i as Real)).collect();
    let tube = Shape::tube(&arc, &[0.1]);
    let away = (tube.value(on(1.1) * 1.3) - 0.2).abs();
    assert!(away < 1e-3, "{away}");
}

/// Pieces that are passed over could not have been the least.
#[test]
fn a_tube_is_the_least_of_all_its_pieces_to_the_bit() {
    let stations: Vec<(Vec3, Real)> = (0..60)
        .map(|k| {
            let a = 0.37 * k as Real;
            let at = Vec3::new(libm::cos(a), libm::sin(1.3 * a), 0.02 * k as Real) * (0.1 + 0.01 * k as Real);
            (at, 0.02 + 0.015 * libm::sin(2.1 * a))
        })
        .collect();
    let tube = Shape::Tube(Tube::through(stations.clone()));
    for k in 0..5000 {
        let t = k as Real;
        let p = Vec3::new(libm::sin(1.7 * t), libm::sin(2.3 * t), libm::cos(0.9 * t)) * (0.0002 * t);
        let piece =
            |w: &[(Vec3, Real)]| Shape::Capsule { ends: [w[0].0, w[1].0], radii: [w[0].1, w[1].1] }.value(p);
        let slow = stations.windows(2).map(piece).fold(Real::INFINITY, Real::min);
        assert_eq!(tube.value(p).to_bits(), slow.to_bits(), "{p}");
    }
}

#[test]
fn a_bent_rod_is_an_arc() {
    let rod = Shape::Capsule { ends: [-0.1 * Vec3::Z, 0.1 * Vec3::Z], radii: [0.01; 2] };
    let bend = Bend { at: Vec3::ZERO, along: Vec3::Z, towards: Vec3::X, radius: 0.1 };
    let bent = Implicit { bend: Some(bend), ..alone(rod) };
    // One radian along an arc of 0.1 m about (0.1, 0, 0).
    for angle in [-0.9, 0.0, 0.6] {
        let middle = Vec3::new(0.1 - 0.1 * libm::cos(angle), 0.0, 0.1 * libm::sin(angle));
        assert!((bent.value(middle) + 0.01).abs() < 1e-12);
    }
    assert!(bent.value(Vec3::new(0.0, 0.0, 0.09)) > 0.0);
}

#[test]
fn operators_join_cut_and_keep() {
    let with = |operator| {
        let second = Part { shape: ball(Vec3::X, 1.0), operator, blend: 0.0 };
        Implicit { parts: vec![Part::join(ball(Vec3::ZERO, 1.0), 0.0), second], ..Implicit::default() }
    };
    let inside = |operator, x: Real| with(operator).value(Vec3::X * x) < 0.0;
    let row = |operator| [-0.5, 0.5, 1.5].map(|x| inside(operator, x));
    assert_eq!(row(Operator::Join), [true, true, true]);
    assert_eq!(row(Operator::Cut), [true, false, false]);
    assert_eq!(row(Operator::Keep), [false, true, false]);
}

#[test]
fn bumps_stay_within_their_height_and_are_smooth() {
    let bumps = Bumps { height: 0.002, size: 0.03, seed: 1 };
    let (mut least, mut most): (Real, Real) = (0.0, 0.0);
    for k in 0..20_000 {
        let t = k as Real * 1e-4;
        let p = Vec3::new(t, 0.7 * t - 0.3, -1.3 * t);
        let height = bumps.height_at(p);
        (least, most) = (least.min(height), most.max(height));
        let step = (bumps.height_at(p + 1e-5) - height).abs();
        assert!(step < 2e-5 * 0.002 / 0.03 * 10.0, "{step}");
    }
    assert!(least < -0.0008 && most > 0.0008 && most < 0.002 && least > -0.002, "{least} {most}");
}

#[test]
fn recipes_that_cannot_be_followed_are_refused() {
    let plane = Shape::HalfSpace { point: Vec3::ZERO, normal: Vec3::Z };
    let said = |i: &Implicit| i.bounds().unwrap_err().message;
    assert!(said(&Implicit::default()).contains("no parts"));
    assert!(said(&alone(plane.clone())).contains("half-space"));
    assert!(said(&alone(ball(Vec3::ZERO, 0.0))).contains("not positive"));
    assert!(said(&alone(ball(Vec3::NAN, 1.0))).contains("not finite"));
    assert!(said(&alone(Shape::tube(&[Vec3::ZERO], &[1.0]))).contains("part 1"));
    assert!(said(&alone(Shape::tube(&[], &[]))).contains("part 1"));
    let mut many = alone(ball(Vec3::ZERO, 1.0));
    many.parts = vec![many.parts[0].clone(); PARTS_MAX + 1];
    assert!(said(&many).contains("257 parts"));
    let mut sound = alone(ball(Vec3::ZERO, 1.0));
    sound.parts.push(Part { blend: Real::NAN, ..Part::cut(plane, 0.0) });
    assert!(said(&sound).contains("part 2"));
}
