use super::*;
use crate::Vec3;
use crate::sample::{Body, lump};
use proptest::prelude::*;

fn intersect(a: &Body, b: &Body) -> Intersection {
    let mut found = Intersection::default();
    found.find(&a.shape(), &b.shape());
    found
}

/// The slow twin: every vertex asked by itself, with all faces.
fn inside_slowly(a: &Body, of: Of, b: &Body) -> Vec<u32> {
    let every = crate::Tree::of(&vec![b.tree.bounds(); b.topology.triangles.len()]);
    let b = crate::Shape { tree: &every, ..b.shape() };
    (0..a.points.len() as u32).filter(|v| b.winding_about(a.points[*v as usize], of) > 0).collect()
}

fn agrees(a: &Body, b: &Body) -> Intersection {
    let fast = intersect(a, b);
    let mut slow = Crossings::default();
    slow.find_slowly(&a.shape(), &b.shape());
    for (of, from, to) in [(Of::First, a, b), (Of::Second, b, a)] {
        assert_eq!(fast.crossings.of(of), slow.of(of));
        assert_eq!(fast.inside(of).vertices(), inside_slowly(from, of, to));
        assert_eq!(fast.inside(of).leaks(), 0);
    }
    fast
}

#[test]
fn lumps_agree_with_the_slow_twin() {
    for seed in 0..4 {
        let turn = crate::Quat::from_rotation_z(0.3 * f64::from(seed));
        let a = lump(8, f64::from(seed));
        let b = lump(6, 0.5).moved(|p| turn * p + Vec3::new(1.3, 0.2, 0.1));
        let found = agrees(&a, &b);
        assert!(
            !found.inside(Of::First).vertices().is_empty() && !found.inside(Of::First).crossed().is_empty()
        );
    }
}

/// A vertex pulled through the far side leaves a pocket that is inside out. An edge from the outside into it crosses as
/// one from the inside to the outside does.
#[test]
fn what_lies_in_a_pocket_that_is_inside_out_is_outside() {
    let mut folded = Body::sphere(6);
    let pulled =
        folded.points.iter().copied().enumerate().max_by(|p, q| p.1.x.total_cmp(&q.1.x)).map(|p| p.0);
    folded.points[pulled.unwrap_or(0)].x = -2.5;
    let folded = folded.moved(|p| p);
    let ball = Body::sphere(6).moved(|p| 0.4 * p + Vec3::new(-1.5, 0.03, 0.02));
    let found = intersect(&ball, &folded);
    assert_eq!(found.inside(Of::First).vertices(), inside_slowly(&ball, Of::First, &folded));
    assert_eq!(found.inside(Of::Second).vertices(), inside_slowly(&folded, Of::Second, &ball));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Cubes on a common grid: corners in corners, edges in edges, faces in faces, nothing but ties.
    #[test]
    fn bodies_on_a_common_grid_agree_with_the_slow_twin(
        at in prop::array::uniform3(-4i32..=4), n in 1usize..4, m in 1usize..4, half in any::<bool>(),
    ) {
        let by = Vec3::from_array(at.map(|k| f64::from(k) * 0.5));
        let scale = if half { 0.5 } else { 1.0 };
        agrees(&Body::cube(n), &Body::cube(m).moved(|p| scale * p + by));
    }
}

#[test]
fn a_body_wholly_inside_is_found_by_one_ray() {
    let (ball, cube) = (Body::sphere(4).moved(|p| 0.3 * p), Body::cube(2));
    let found = agrees(&ball, &cube);
    assert_eq!(found.inside(Of::First).vertices().len(), ball.points.len());
    // In a hollow it is outside: a second wall, turned inwards.
    let mut inner = Body::cube(2).moved(|p| 0.5 * p);
    let turned: Vec<_> = inner.topology.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    inner = Body::of(inner.points, &turned);
    let found = agrees(&ball, &cube.with(&inner));
    assert!(found.inside(Of::First).vertices().is_empty());
    // Of two parts, one inside and one half way, each has its own answer.
    let pair = ball.with(&Body::sphere(4).moved(|p| 0.2 * p + Vec3::X));
    agrees(&pair, &cube);
}

#[test]
fn an_open_surface_has_no_inside() {
    let cube = Body::cube(2);
    let open = Body::of(cube.points.clone(), &cube.topology.triangles[1..]);
    let found = intersect(&Body::sphere(4).moved(|p| 0.9 * p + 0.5), &open);
    assert!(!found.crossings.of(Of::First).is_empty());
    assert!(found.inside(Of::First).vertices().is_empty());
    assert!(!found.inside(Of::Second).vertices().is_empty(), "but lies in a closed one");
}

#[test]
fn a_surface_over_itself_is_reported_and_floods_no_further_than_the_mesh() {
    let doubled = Body::cube(3).with(&Body::cube(3).moved(|p| p + 0.4));
    let found = intersect(&Body::sphere(8).moved(|p| p + 1.0), &doubled);
    assert!(found.inside(Of::First).leaks() > 0);
}

/// The order of faces in a tree follows its shape; a tree built of moved boxes has another.
#[test]
fn the_shape_of_the_trees_does_not_matter() {
    let (a, b) = (lump(9, 1.0), lump(7, 2.0).moved(|p| p + 0.7));
    let (one, two) = (intersect(&a, &b), intersect(&a.scattered(), &b.scattered()));
    for of in [Of::First, Of::Second] {
        assert_eq!(one.crossings.of(of), two.crossings.of(of));
        assert_eq!(one.inside(of).vertices(), two.inside(of).vertices());
    }
}
