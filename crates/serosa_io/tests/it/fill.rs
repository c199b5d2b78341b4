//! Organs from outside the project, filled with tetrahedra. They lie beside it, never in it; where they are missing, this
//! test says so and passes.

use serosa_bake::fill::{Fill, Filled, LEAST_ANGLE, fill};
use serosa_geometry::tets::Tets;
use serosa_geometry::{Aabb, Vec3};
use serosa_io::mesh::format_of;
use std::path::{Path, PathBuf};

#[allow(clippy::print_stdout)]
fn organs() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/organs")];
    if !folders[0].is_dir() {
        println!("skipped: there is no ../shared/data/organs beside the project");
        return Vec::new();
    }
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// All triangles of a file, as one surface.
fn surface(path: &Path) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
    let bytes = std::fs::read(path).unwrap();
    let format = format_of(&bytes, path.to_str()?)?;
    let scene = (format.import)(&bytes, &mut |_| Err(String::new())).ok()?;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for part in &scene.parts {
        let start = points.len() as u32;
        points.extend_from_slice(&part.points);
        triangles.extend(part.triangles.iter().map(|t| t.map(|i| i + start)));
    }
    (!triangles.is_empty()).then_some((points, triangles))
}

/// What must hold of every filling, found again from its tetrahedra alone.
fn check(name: &str, filled: &Filled) {
    let facts = Tets::of(&filled.points, &filled.tets);
    assert_eq!((facts.inverted.len(), facts.flat.len(), facts.crowded_faces), (0, 0, 0), "{name}");
    let least = facts.least_angle.unwrap().to_degrees();
    assert!(least >= LEAST_ANGLE, "{name}: {least}");
    let skin = facts.surface(&filled.points);
    assert!(skin.is_watertight() && skin.is_oriented(), "{name}");
    assert!(skin.pinched_points.is_empty(), "{name}: {}", skin.pinched_points.len());
    assert_eq!(filled.report.pieces.iter().sum::<usize>(), filled.tets.len(), "{name}");
}

#[test]
#[allow(clippy::print_stdout)]
fn every_organ_is_filled_with_good_tetrahedra() {
    let mut count = 0;
    for path in organs() {
        let Some((points, triangles)) = surface(&path) else { continue };
        let name = path.file_name().unwrap().to_string_lossy();
        if std::env::var("ORGAN").is_ok_and(|o| !name.contains(&o)) { continue; }
        let size = Aabb::around(points.iter().copied()).size();
        let edge = size.max_element() / 40.0;
        let start = std::time::Instant::now();
        let filled = fill(&points, &triangles, &Fill::with_edge(edge), &mut |_| {});
        let time = start.elapsed().as_secs_f64();
        let filled = match filled { Ok(f) => f, Err(e) => { println!("{name}: {} triangles: {e}", triangles.len()); continue } };
        let r = &filled.report;
        println!("{name:38} {:7} tri {:7} tets {time:6.3} s  {:5.1} {:5.1} {:6.1} deg, off {:.3} missed {:.3} e, volume {:.4}, pieces {:?} removed {} open {}",
            triangles.len(), r.tets, r.least_angle.to_degrees(), r.mean_least_angle.to_degrees(), r.greatest_angle.to_degrees(),
            r.off_surface / edge, r.missed_surface.unwrap() / edge, r.surface_volume.map_or(0.0, |v| r.volume / v), &r.pieces[..r.pieces.len().min(4)], r.removed, r.open_edges);
        if let Err(e) = std::panic::catch_unwind(|| check(&name, &filled)) { println!("BAD {e:?}"); }
        count += 1;
    }
    println!("{count}");
}
