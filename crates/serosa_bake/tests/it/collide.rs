//! The search for intersecting triangles allocates nothing when warm.

use crate::counting::allocations;
use serosa_geometry::collide::{Collider, Own, Shells};
use serosa_geometry::generate::{Sheet, membrane};
use serosa_geometry::{Real, Vec3};

/// Two wavy sheets across one another, at a time.
fn sheets(time: Real) -> (Shells, Vec<Vec3>) {
    let (mut shells, mut points) = (Shells::default(), Vec::new());
    for (across, phase) in [(Vec3::Y, 0.0), (Vec3::new(0.1, 0.2, 1.0), 1.0)] {
        let sheet =
            Sheet { corner: -0.5 * (Vec3::X + across), along: Vec3::X, across, columns: 30, rows: 30 };
        let mesh = membrane(&sheet);
        let start = points.len() as u32;
        let moved: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|i| i + start)).collect();
        shells.add(&moved, Own::Found);
        let wave = |p: &Vec3| Vec3::new(0.0, (9.0 * p.x + time + phase).sin(), (8.0 * p.y - time).cos());
        points.extend(mesh.points.iter().map(|p| *p + 0.05 * wave(p)));
    }
    (shells, points)
}

#[test]
fn a_warm_search_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // Slow motion keeps the list for some steps, fast motion makes it anew in each.
    for pace in [0.002, 0.2] {
        let frames: Vec<Vec<Vec3>> = (0..40).map(|i| sheets(pace * Real::from(i)).1).collect();
        let mut collider = Collider::new(sheets(0.0).0, &frames[0]);
        let (mut searches, mut kept) = (0, 0);
        let mut round = || {
            for frame in &frames {
                assert!(!collider.find(frame).is_empty());
                searches += u32::from(collider.has_searched());
                kept += u32::from(!collider.has_searched());
            }
        };
        round();
        assert_eq!(allocations(&pool, &mut round), 0, "at {pace}");
        assert!(searches > 2 && (kept > 0) == (pace < 0.1), "{searches} searches, {kept} kept at {pace}");
    }
}
