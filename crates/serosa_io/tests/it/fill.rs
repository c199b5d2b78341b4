//! Organs from outside the project, filled with tetrahedra. They lie beside it, never in it; where they are missing, this
//! test says so and passes.

use crate::files_below;
use serosa_bake::fill::{Fill, FillFault, Filled, LEAST_ANGLE, fill};
use serosa_geometry::tets::Tets;
use serosa_geometry::{Aabb, Vec3};
use serosa_io::mesh::format_of;
use std::path::Path;

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

/// Edges of a twentieth of the body: fine enough for most, and quick.
#[test]
fn every_organ_is_filled_with_good_tetrahedra() {
    let (mut solid, mut thin) = (0, Vec::new());
    for path in files_below(&["organs"]) {
        let Some((points, triangles)) = surface(&path) else { continue };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let edge = Aabb::around(points.iter().copied()).size().max_element() / 20.0;
        match fill(&points, &triangles, &Fill::with_edge(edge), &mut |_| {}) {
            Ok(filled) => {
                check(&name, &filled);
                let report = &filled.report;
                assert!(report.off_surface < 1.5 * edge, "{name}: {}", report.off_surface / edge);
                solid += 1;
            }
            Err(fault) => {
                // Bowels and ducts of the Visible Human are walls, far thinner than this edge.
                assert!(matches!(fault, FillFault::TooCoarse { .. }), "{name}: {fault}");
                thin.push(name);
            }
        }
    }
    assert!(solid + thin.len() == 0 || (solid >= 34 && thin.len() <= 4), "{solid} {thin:?}");
}

#[test]
fn an_organ_has_as_many_tetrahedra_as_asked_for() {
    let Some(path) = files_below(&["organs"]).into_iter().find(|p| p.ends_with("bodyparts3d/duodenum.stl"))
    else {
        return;
    };
    let (points, triangles) = surface(&path).unwrap();
    let filled = fill(&points, &triangles, &Fill::with_tets(50_000), &mut |_| {}).unwrap();
    check("duodenum", &filled);
    let report = &filled.report;
    assert!(report.tets.abs_diff(50_000) < 2600, "{}", report.tets);
    assert!((report.volume / report.surface_volume.unwrap() - 1.0).abs() < 0.02, "{report:?}");
    assert!(report.off_surface < 0.6 * report.edge && report.missed_surface.unwrap() < 0.6 * report.edge);
}
