use super::*;
use crate::sample::{Body, lump};

fn search(a: &Body, b: &Body, normals: Option<&[Vec3]>) -> Vec<Penetration> {
    let (a, b) = (a.shape(), b.shape());
    let mut intersection = Intersection::default();
    intersection.find(&a, &b);
    Consistent::default().find([&a, &b], Of::First, &intersection, normals).to_vec()
}

/// Above the lid of a box every way out is the same, and theory gives the depth of every vertex: how far it is below
/// the lid, as long as no edge leads out by a wall.
#[test]
fn a_sphere_pressed_half_way_into_a_box_has_the_exact_depth_and_moves_smoothly() {
    let (ball, cube) = (Body::sphere(8).moved(|p| 0.6 * p), Body::cube(5));
    let step = 0.002;
    let mut before: Vec<Option<Real>> = vec![None; ball.points.len()];
    let mut most = 0;
    for k in 0..=300 {
        let height = 1.6 - step * f64::from(k);
        let moved = ball.clone().moved(|p| p + Vec3::new(0.13, 0.07, height));
        let found = search(&moved, &cube, None);
        most = most.max(found.len());
        let mut now: Vec<Option<Real>> = vec![None; ball.points.len()];
        for f in &found {
            let exact = 1.0 - moved.points[f.vertex as usize].z;
            assert!((f.depth - exact).abs() <= 0.05 * exact + 1e-12, "{f:?} but {exact}");
            assert!(f.direction.distance(Vec3::Z) < 1e-9);
            now[f.vertex as usize] = Some(f.depth);
        }
        for (old, new) in before.iter().zip(&now) {
            let change = (new.unwrap_or(0.0) - old.unwrap_or(0.0)).abs();
            assert!(change <= 2.0 * step, "a depth jumped by {change} at {height}");
        }
        before = now;
    }
    assert!(most > ball.points.len() / 3, "half the ball went in: {most}");
}

/// Between round bodies the depth is that of planes through the rim, carried inwards: never less than the overlap 2 (1 − c)
/// on the axis, c being the cosine of the rim's angle, and at most (1 − c)(1 + 2 c), which is where the planes of the rim
/// meet the axis. So theory allows half as much again, and no more.
#[test]
fn two_spheres_have_a_depth_between_the_overlap_and_the_planes_of_the_rim() {
    for apart in [1.95, 1.9, 1.7, 1.5, 1.2] {
        let (a, b) = (Body::sphere(13), Body::sphere(13).moved(|p| p + Vec3::new(apart, 0.0, 0.0)));
        let found = search(&a, &b, None);
        let deepest = found.iter().max_by(|x, y| x.depth.total_cmp(&y.depth)).unwrap();
        let c = 0.5 * apart;
        let (least, most) = (2.0 * (1.0 - c), (1.0 - c) * (1.0 + 2.0 * c));
        assert!((least - 0.01..most + 0.01).contains(&deepest.depth), "{apart}: {least} {most} {deepest:?}");
        for f in &found {
            assert!(f.direction.dot(-Vec3::X) > c - 0.1, "{apart}: {f:?}");
        }
    }
}

/// Moved and turned together, the answer turns along. (No edge runs exactly through another here: which of the two faces
/// beside it gives the normal would be decided by rounding.)
#[test]
fn nothing_depends_on_where_the_bodies_lie() {
    let (a, b) = (lump(8, 0.2), lump(8, 0.9).moved(|p| p + Vec3::new(1.2, 0.1, 0.013)));
    let turn = crate::Quat::from_axis_angle(Vec3::new(1.0, 2.0, 2.0) / 3.0, 0.7);
    let to = |p: Vec3| turn * p + Vec3::new(3.0, -2.0, 1.0);
    let (here, there) = (search(&a, &b, None), search(&a.clone().moved(to), &b.clone().moved(to), None));
    assert!(here.len() > 20 && here.len() == there.len());
    for (x, y) in here.iter().zip(&there) {
        assert_eq!((x.vertex, x.layer), (y.vertex, y.layer));
        assert!((x.depth - y.depth).abs() < 1e-9 && (turn * x.direction).distance(y.direction) < 1e-9);
    }
}

/// Vertices and faces of the penetrating body in another order: the same bits for the same vertex.
#[test]
fn the_order_of_faces_does_not_matter() {
    let (a, b) = (lump(8, 0.2), lump(8, 0.9).moved(|p| p + Vec3::new(1.2, 0.1, 0.0)));
    let shuffled = |body: &Body| {
        let n = body.topology.triangles.len();
        let faces: Vec<_> = (0..n).map(|f| body.topology.triangles[f * 37 % n]).collect();
        assert_eq!(n % 37, 28, "37 runs through all faces");
        Body::of(body.points.clone(), &faces)
    };
    assert_eq!(search(&a, &b, None), search(&shuffled(&a), &shuffled(&b), None));
}

#[test]
fn a_body_wholly_inside_leaves_by_the_nearest_wall() {
    let ball = Body::sphere(4).moved(|p| 0.2 * p + Vec3::new(0.1, 0.7, 0.0));
    let found = search(&ball, &Body::cube(3), None);
    assert_eq!(found.len(), ball.points.len());
    for f in &found {
        assert!(f.direction.distance(Vec3::Y) < 1e-12);
        assert!((f.depth - (1.0 - ball.points[f.vertex as usize].y)).abs() < 1e-12);
    }
}

/// On a ball cut coarsely, normals interpolated from its vertices lead out more nearly along the radius.
#[test]
fn smooth_normals_are_nearer_to_those_of_the_round_body() {
    let (a, b) = (Body::sphere(12).moved(|p| 0.5 * p + Vec3::new(0.0, 0.0, 1.3)), Body::sphere(4));
    let radial = |found: &[Penetration]| -> Real {
        let border = found.iter().filter(|f| f.layer == 0);
        border.map(|f| f.direction.distance(a.points[f.vertex as usize].normalize())).sum()
    };
    let (flat, smooth) = (search(&a, &b, None), search(&a, &b, Some(&b.points)));
    assert!(radial(&smooth) < radial(&flat));
}
