//! Meetings of real organs with one another and with themselves, found by the fast search and by slow ones. The meshes
//! lie beside the project, never in it; where they are missing, these tests say so and pass.

use crate::files_below;
use serosa_geometry::collide::{Cascade, Collider, Meeting, Own, Shells, every_meeting};
use serosa_geometry::surface::{PAIRS_MAX, self_meetings};
use serosa_geometry::weld::weld_within;
use serosa_geometry::{BodyId, Vec3};
use serosa_io::mesh::format_of;
use std::path::{Path, PathBuf};

/// Meshes of up to so many triangles are compared with all pairs, …
const BRUTE_MAX: usize = 5000;
/// … and larger ones of up to these with the search by a grid, which passes over neighbours.
const GRID_MAX: usize = 150_000;

/// The parts of a file as bodies over one array of points. Corners at one place are one.
struct Bodies {
    shells: Shells,
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// To which part each point belongs.
    part: Vec<u32>,
}

impl Bodies {
    fn of(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let format = format_of(&bytes, path.to_str()?)?;
        let scene = (format.import)(&bytes, &mut |_| Err(String::new())).ok()?;
        let mut all =
            Self { shells: Shells::default(), points: Vec::new(), triangles: Vec::new(), part: Vec::new() };
        for (k, part) in scene.parts.iter().enumerate() {
            all.add(&part.points, &part.triangles, k as u32);
        }
        (!all.triangles.is_empty()).then_some(all)
    }

    fn add(&mut self, points: &[Vec3], triangles: &[[u32; 3]], part: u32) {
        let start = self.points.len() as u32;
        let first = weld_within(points, &|_| 0);
        let moved: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| first[i as usize] + start)).collect();
        self.shells.add(&moved, Own::Found);
        self.points.extend_from_slice(points);
        self.part.resize(self.points.len(), part);
        self.triangles.extend(moved);
    }

    /// Moved so that the next search looks at what has changed.
    fn bent(&self, by: f64) -> Vec<Vec3> {
        let size = self.points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let wave = |p: &Vec3| by * size * Vec3::new((9.0 * p.y / size).sin(), (7.0 * p.z / size).sin(), 0.0);
        self.points.iter().map(|p| *p + wave(p)).collect()
    }
}

fn files() -> Vec<PathBuf> {
    files_below(&["organs", "contact"])
}

fn strangers(all: &[Meeting]) -> Vec<Meeting> {
    all.iter().copied().filter(|m| m.a.0 != m.b.0).collect()
}

#[test]
fn small_meshes_meet_as_all_pairs_say_over_several_steps() {
    let (mut compared, mut meetings) = (0, 0);
    for path in files() {
        let Some(bodies) = Bodies::of(&path).filter(|b| b.triangles.len() <= BRUTE_MAX) else { continue };
        let mut collider = Collider::new(bodies.shells.clone(), &bodies.points);
        for by in [0.0, 0.01, 0.012] {
            let points = bodies.bent(by);
            let all = every_meeting(&bodies.shells, &points);
            assert_eq!(collider.find(&points), all, "{} bent by {by}", path.display());
            assert_eq!(
                Cascade::default().find(&bodies.shells, &points),
                strangers(&all),
                "{}",
                path.display()
            );
            meetings += all.len();
        }
        compared += 1;
    }
    assert!(
        files().is_empty() || (compared > 40 && meetings > 1000),
        "{compared} meshes, {meetings} meetings"
    );
}

#[test]
fn large_organs_meet_themselves_as_the_grid_says() {
    let (mut compared, mut met) = (0, 0);
    for path in files() {
        let large = |b: &Bodies| (BRUTE_MAX..GRID_MAX).contains(&b.triangles.len());
        let Some(bodies) = Bodies::of(&path).filter(large) else { continue };
        let mut collider = Collider::new(bodies.shells.clone(), &bodies.points);
        let found = collider.find(&bodies.points);
        let at = |of: (BodyId, u32)| bodies.shells.corners(of.0, of.1);
        let apart = |m: &&Meeting| m.a.0 == m.b.0 && !at(m.a).iter().any(|v| at(m.b).contains(v));
        let part = |i: u32| bodies.part[i as usize];
        let by_grid = self_meetings(&bodies.points, &bodies.triangles, &part, PAIRS_MAX, &mut |_| true);
        assert!(by_grid.complete);
        assert_eq!(found.iter().filter(apart).count() as u64, by_grid.pairs, "{}", path.display());
        (compared, met) = (compared + 1, met + by_grid.pairs);
    }
    assert!(files().is_empty() || (compared > 10 && met > 0), "{compared} meshes, {met} pairs");
}

/// Organs of one atlas touch one another: all of them at once, against the cascade.
#[test]
fn organs_of_an_atlas_meet_as_the_cascade_says() {
    let of_atlas = |p: &PathBuf| p.parent().is_some_and(|f| f.ends_with("organs/bodyparts3d"));
    let mut all =
        Bodies { shells: Shells::default(), points: Vec::new(), triangles: Vec::new(), part: Vec::new() };
    let organs: Vec<Bodies> = files().iter().filter(|p| of_atlas(p)).filter_map(|p| Bodies::of(p)).collect();
    for (organ, k) in organs.iter().zip(0..) {
        all.add(&organ.points, &organ.triangles, k);
    }
    let found = Collider::new(all.shells.clone(), &all.points).find(&all.points).to_vec();
    assert_eq!(strangers(&found), Cascade::default().find(&all.shells, &all.points));
    assert!(organs.is_empty() || strangers(&found).len() > 10, "{}", strangers(&found).len());
}
