//! What the step calls allocates nothing once its buffers have grown.

use crate::counting::allocations;
use serosa_geometry::consistent::Consistent;
use serosa_geometry::overlap::Overlap;
use serosa_geometry::{Aabb, Distance, Intersection, Near, Of, Shape, Topology, Tree, Vec3};

/// An octahedron, each face cut in four `times` times and every point moved onto the ball.
fn ball(times: u32, centre: Vec3) -> (Vec<Vec3>, Topology) {
    let mut points = vec![Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    let mut faces =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..times {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                points.push((points[a as usize] + points[b as usize]).normalize());
                points.len() as u32 - 1
            })
        };
        let cut = |&[a, b, c]: &[u32; 3]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.iter().flat_map(cut).collect();
    }
    let topology = Topology::of(&faces, points.len());
    (points.into_iter().map(|p| p + centre).collect(), topology)
}

#[test]
fn a_warm_search_for_overlap_and_depth_allocates_nothing() {
    let (a, of_a) = ball(4, Vec3::ZERO);
    let (mut b, of_b) = ball(4, Vec3::new(1.6, 0.03, 0.05));
    let around = |points: &[Vec3], topology: &Topology, f: u32| {
        Aabb::around(topology.triangles[f as usize].map(|v| points[v as usize]))
    };
    let boxes = |points: &[Vec3], of: &Topology| -> Vec<Aabb> {
        (0..of.triangles.len() as u32).map(|f| around(points, of, f)).collect()
    };
    let tree_a = Tree::of(&boxes(&a, &of_a));
    let mut tree_b = Tree::of(&boxes(&b, &of_b));
    let (mut found, mut overlap, mut consistent) =
        (Intersection::default(), Overlap::default(), Consistent::default());
    let mut search = |b: &[Vec3], tree_b: &mut Tree| {
        tree_b.refit(|f| around(b, &of_b, f));
        let a = Shape { points: &a, topology: &of_a, tree: &tree_a };
        let b = Shape { points: b, topology: &of_b, tree: tree_b };
        found.find(&a, &b);
        let regions = overlap.find(&a, &b, &found).len();
        (regions, consistent.find([&a, &b], Of::First, &found, None).len())
    };
    assert!(matches!(search(&b, &mut tree_b), (1, 20..)));
    // A little apart, so that there is less of everything.
    b.iter_mut().for_each(|p| p.x += 0.05);
    let mut answer = (0, 0);
    assert_eq!(allocations(|| answer = search(&b, &mut tree_b)), 0);
    assert!(matches!(answer, (1, 20..)));
    // And one wholly inside the other.
    b.iter_mut().for_each(|p| *p = 0.3 * (*p - Vec3::new(1.65, 0.0, 0.0)));
    assert_eq!(search(&b, &mut tree_b), (1, 0));
    assert_eq!(allocations(|| answer = search(&b, &mut tree_b)), 0);
}

#[test]
fn warm_signed_distances_allocate_nothing() {
    let (a, _) = ball(4, Vec3::ZERO);
    let (mut b, topology) = ball(4, Vec3::new(0.9, 0.03, 0.05));
    let mut distance = Distance::of(topology.into(), &b);
    let mut found = vec![Near::NOTHING; a.len()];
    distance.signed_all(&a, &mut found);
    b.iter_mut().for_each(|p| *p *= 1.0 + 0.02 * p.x);
    let mut inside = 0;
    let counted = allocations(|| {
        distance.refit(&b);
        distance.signed_all(&a, &mut found);
        inside = found.iter().filter(|near| near.distance < 0.0).count();
    });
    assert_eq!(counted, 0);
    assert!((100..a.len() - 100).contains(&inside));
}
