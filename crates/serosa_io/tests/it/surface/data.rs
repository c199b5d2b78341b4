//! Organs, instruments and deliberately bad files from outside the project. They lie beside it, never in it; where
//! they are missing, these tests say so and pass.

use super::{RawScene, check, format, format_of, joined, no_file};
use std::path::{Path, PathBuf};

#[allow(clippy::print_stdout)]
fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.join("SOURCES.md").is_file() {
        println!("skipped: there is no ../shared/data beside the project");
        return None;
    }
    Some(folder)
}

/// A row of the list of files: path, and what was measured of it by other programs.
fn rows(folder: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder.join("SOURCES.md")).unwrap();
    let (mut rows, mut section) = (Vec::new(), "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            section = name;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, file, _, _, measured, ..] = cells[..] {
            rows.push((format!("{section}/{file}"), measured.to_owned()));
        }
    }
    rows
}

/// The number before a word, as in `690 tri, 347 v`.
fn counted(measured: &str, word: &str) -> Option<usize> {
    measured.split(", ").find_map(|part| part.strip_suffix(word)?.trim().parse().ok())
}

const ENDINGS: [&str; 6] = [".stl", ".ply", ".obj", ".off", ".glb", ".gltf"];

/// Files that are broken on purpose, and what is said of them.
const BROKEN: [(&str, &str); 12] = [
    ("empty.obj", "holds no points"),
    ("obj_empty.obj", "holds no points"),
    ("notenoughindices.obj", "line 9: a face needs three vertices"),
    ("empty.ply", "holds no vertices"),
    ("ply_empty_ascii.ply", "holds no vertices"),
    ("ply_empty_bin.ply", "holds no vertices"),
    ("ply_empty_header.ply", "no element `vertex`"),
    ("empty.stl", "holds no triangles"),
    ("stl_empty_ascii.stl", "holds no triangles"),
    ("stl_empty_bin.stl", "holds no triangles"),
    ("WrongDataTetrahedron.ply", "line 4: \"MeshPy\" is no part of a PLY header"),
    ("WrongPlyTetrahedron.ply", "line 4: \"MeshPy\" is no part of a PLY header"),
];

#[test]
fn organs_and_instruments_open_with_the_counts_that_others_measured() {
    let Some(folder) = data() else { return };
    let (mut opened, mut counts, mut faults) = (0, 0, Vec::new());
    for (path, measured) in rows(&folder) {
        let name = path.rsplit('/').next().unwrap();
        let known = ENDINGS.iter().any(|e| name.to_lowercase().ends_with(e));
        let Ok(bytes) = std::fs::read(folder.join(&path)) else { continue };
        if !known || BROKEN.iter().any(|b| b.0 == name) {
            continue;
        }
        let format = format_of(&bytes, &path).unwrap();
        let scene = match (format.import)(&bytes, &mut no_file) {
            Ok(scene) => scene,
            Err(error) => {
                faults.push(format!("{path}: {error}"));
                continue;
            }
        };
        opened += 1;
        faults.extend(rewritten(&scene).into_iter().map(|f| format!("{path}: {f}")));
        faults.extend(check(&scene).err().map(|e| format!("{path}: {e}")));
        let triangles: usize = scene.parts.iter().map(|p| p.triangles.len()).sum();
        let points: usize = scene.parts.iter().map(|p| p.points.len()).sum();
        if let Some(wanted) = counted(&measured, "tri") {
            counts += 1;
            if wanted != triangles {
                faults.push(format!("{path}: {triangles} triangles, {wanted} measured; {:?}", scene.remarks));
            }
        }
        // Others make equal points one, which only STL asks for.
        match counted(&measured, "v") {
            Some(wanted) if format.name == "stl" && wanted != points => {
                faults.push(format!("{path}: {points} points, {wanted} measured"));
            }
            Some(wanted) if wanted > points => faults.push(format!("{path}: {points} points of {wanted}")),
            _ => {}
        }
        if let Some(wanted) = counted(&measured, "parts").filter(|n| *n != scene.parts.len()) {
            faults.push(format!("{path}: {} parts, {wanted} measured", scene.parts.len()));
        }
    }
    println!("{opened} files opened, {counts} of them with triangles counted by others");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(opened > 100 && counts > 100, "{opened} {counts}");
}

/// What is lost when a scene is written and read again in each format.
fn rewritten(scene: &RawScene) -> Vec<String> {
    let count = |s: &RawScene| s.parts.iter().map(|p| p.triangles.len()).sum::<usize>();
    let wanted = count(scene);
    let mut faults = Vec::new();
    for name in ["gltf", "ply", "off", "stl", "obj"] {
        let format = format(name);
        let bytes = match format.export.unwrap()(scene) {
            Ok(export) => export.bytes,
            Err(why) => {
                faults.push(format!("cannot be written as {name}: {why}"));
                continue;
            }
        };
        match (format.import)(&bytes, &mut no_file) {
            // Single precision may let the corners of thin triangles meet.
            Ok(found) if count(&found) == wanted || name == "stl" && count(&found) <= wanted => {}
            // What has no triangles leaves an STL file empty.
            Err(_) if name == "stl" && wanted == 0 => {}
            Ok(found) => faults.push(format!("as {name} {} of {wanted} triangles", count(&found))),
            Err(why) => faults.push(format!("as {name}: {why}")),
        }
    }
    assert_eq!(joined(scene).triangles.len(), wanted);
    faults
}

#[test]
fn broken_files_are_answered_by_naming_the_fault() {
    let Some(folder) = data() else { return };
    let rows = rows(&folder);
    for (name, wanted) in BROKEN {
        let path = rows.iter().map(|r| &r.0).find(|path| path.rsplit('/').next() == Some(name)).expect(name);
        let bytes = std::fs::read(folder.join(path)).unwrap();
        let error =
            (format_of(&bytes, path).unwrap().import)(&bytes, &mut no_file).expect_err(name).to_string();
        assert!(error.contains(wanted), "{name}: {error}");
        if name.starts_with("Wrong") {
            // Without the line that spoils the header, the next fault is found.
            let text = String::from_utf8(bytes).unwrap().replace("MeshPy options", "comment");
            let error = super::fault("ply", text.as_bytes());
            let deeper = error.contains("more numbers than") || error.contains("no property `z`");
            assert!(deeper, "{name}: {error}");
        }
    }
}
