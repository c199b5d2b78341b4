//! The shared data: every file opens with the counts that were measured of it, and broken ones are refused.

use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_io::mesh::{ImportError, format_of};
use std::path::{Path, PathBuf};

/// The folder of shared data, if it is there; a test that is skipped says so.
#[allow(clippy::print_stderr)]
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let there = folder.join("SOURCES.md").exists();
    if !there {
        eprintln!("skipped: there is no {}", folder.display());
    }
    there.then_some(folder)
}

fn open(path: &Path) -> Result<RawScene, ImportError> {
    let bytes = std::fs::read(path).unwrap();
    let format = format_of(&bytes, &path.to_string_lossy()).expect("a known format");
    (format.import)(&bytes, &mut |ending| {
        std::fs::read(path.with_extension(ending.trim_start_matches('.'))).map_err(|e| e.to_string())
    })
}

/// Files and what was measured of them, from the tables of SOURCES.md.
fn measured(folder: &Path) -> Vec<(PathBuf, String)> {
    let text = std::fs::read_to_string(folder.join("SOURCES.md")).unwrap();
    let mut section = "";
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            section = name.trim();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, file, _, _, measured, _] = cells[..] {
            let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
            if ["msh", "vtk", "vtu", "node", "ele"].contains(&ending) {
                rows.push((folder.join(section).join(file), measured.to_owned()));
            }
        }
    }
    rows
}

/// The number before a word.
fn number(text: &str, word: &str) -> Option<f64> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let at = words.iter().position(|w| *w == word)?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

/// Of all tetrahedra, whichever way they are turned.
fn volume(part: &Part) -> f64 {
    let of = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|i| part.points[i as usize]);
        (b - a).cross(c - a).dot(d - a).abs() / 6.0
    };
    part.tets.iter().map(of).sum()
}

fn turned(scene: &RawScene) -> usize {
    let remark = scene.remarks.iter().find(|remark| remark.contains("inside out"));
    remark.map_or(0, |remark| remark.split(' ').next().unwrap().parse().unwrap())
}

/// Cells of other shapes are cut here and were not there.
fn is_cut(scene: &RawScene) -> bool {
    scene.remarks.iter().any(|remark| remark.contains("were cut"))
}

#[test]
fn every_file_opens_with_its_counts() {
    let Some(folder) = shared() else { return };
    let mut counted = 0;
    for (path, measured) in measured(&folder) {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        if name.contains("broken") {
            continue;
        }
        let scene = open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scene.parts.len(), 1, "{name}");
        let part = &scene.parts[0];
        if is_cut(&scene) {
            assert_eq!(turned(&scene), 0, "{name}");
            continue;
        }
        if let (Some(nodes), Some(tets)) = (number(&measured, "nodes"), number(&measured, "tets")) {
            assert_eq!((part.points.len() as f64, part.tets.len() as f64), (nodes, tets), "{name}");
            let neg =
                measured.split("neg ").nth(1).and_then(|t| t.split(',').next()?.parse().ok()).unwrap_or(0);
            assert_eq!(turned(&scene), neg, "{name}");
            let wanted =
                measured.split(" V ").nth(1).and_then(|t| t.split(';').next()?.trim().parse::<f64>().ok());
            let wanted = wanted.unwrap_or_else(|| panic!("{name}: no volume in {measured}"));
            assert!((volume(part) - wanted).abs() < 1e-3 * wanted.abs(), "{name}: {} {wanted}", volume(part));
            counted += 1;
        }
        if let (Some(triangles), Some(points)) = (number(&measured, "tri"), number(&measured, "v")) {
            assert_eq!(
                (part.triangles.len() as f64, part.points.len() as f64),
                (triangles, points),
                "{name}"
            );
            counted += 1;
        }
    }
    eprintln!("{counted} files have the counts that were measured");
    assert!(counted > 40, "{counted}");
}

#[test]
fn hexahedra_are_cut_into_as_many_tetrahedra_as_fill_them() {
    let Some(folder) = shared() else { return };
    let scene = open(&folder.join("tets/caribou/deformed_liver_volume_hexahedrons.vtu")).unwrap();
    assert_eq!(scene.parts[0].tets.len(), 6 * 1165);
    let beam = open(&folder.join("tets/caribou/beam_q1.vtu")).unwrap();
    assert!((volume(&beam.parts[0]) - 18_000.0).abs() < 1e-6, "{}", volume(&beam.parts[0]));
}

#[test]
fn dialects_of_one_mesh_agree() {
    let Some(folder) = shared() else { return };
    let files = ["22_ascii", "22_binary", "41_ascii", "41_binary"];
    let parts = files
        .map(|name| open(&folder.join(format!("tets/gmsh_dialects/{name}.msh"))).unwrap().parts.remove(0));
    assert_eq!(parts[0], parts[1]);
    assert_eq!(parts[2], parts[3]);
    assert_eq!((parts[0].tets.len(), &parts[0].tet_regions), (5, &parts[2].tet_regions));
    assert_eq!(parts[0].tet_regions, [1, 2, 2, 2, 3]);
    let sides = open(&folder.join("tets/gmsh_dialects/gmsh_physical_sides_3d_v41.msh")).unwrap();
    let part = &sides.parts[0];
    assert_eq!((&part.triangle_regions, &part.tet_regions), (&vec![31, 32, 33], &vec![41, 42]));
    assert_eq!((&part.sets["interface"], part.sets.len()), (&vec![0, 1, 2], 5));
}

#[test]
fn broken_files_are_refused_by_their_fault() {
    let Some(folder) = shared() else { return };
    let cases = [
        (
            "tets/sofa/Armadillo_Tetra_4406_for_test_broken.vtu",
            "it holds 4338 numbers, but the points announced need 4335",
        ),
        ("tets/sofa/liver_for_test_broken.vtk", "do the data before hold as many numbers as they say?"),
    ];
    for (name, wanted) in cases {
        let error = open(&folder.join(name)).map(drop).unwrap_err();
        assert!(error.to_string().contains(wanted), "{name}: {error}");
    }
}
