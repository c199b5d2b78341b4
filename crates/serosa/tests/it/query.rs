//! `serosa query`: facts of mesh files, against what others measured of them.

use crate::tell::tell;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The public meshes beside the project, where they are; the tests that need them say so where they are not.
#[allow(clippy::print_stderr)]
pub fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
    }
    folder.is_dir().then_some(folder)
}

fn info(path: &Path) -> Value {
    let told = tell(&["query", "info", "--json", path.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{}: {}", path.display(), told.err);
    told.json()
}

/// File, triangles, watertight, faces that meet others, those and the ones folded at a corner, volume.
/// All but the first count of faces are as SOURCES.md there has them, for meshes whose faces never merely touch: the
/// program that measured them counts folds with the rest, and touching not at all.
type Measured = (&'static str, u64, bool, u64, u64, Option<f64>);

const MEASURED: &[Measured] = &[
    ("organs/sofa/liver-smooth.obj", 4384, true, 6, 8, Some(39.27)),
    ("organs/sofa/liver.obj", 274, true, 0, 0, Some(36.57)),
    ("organs/sofa/liver2.obj", 2336, true, 0, 0, Some(1.147)),
    ("instruments/opensurgsim/L_forcep.obj", 84, true, 0, 0, Some(2.313e-6)),
    ("instruments/opensurgsim/staple.obj", 224, true, 0, 0, Some(1.548e-8)),
    ("instruments/opensurgsim/stapler_handle.obj", 364, true, 0, 0, Some(0.0001812)),
    ("instruments/surrol/block.obj", 176, true, 0, 0, Some(1.004e-6)),
    ("instruments/surrol/gauze.obj", 1518, true, 0, 0, Some(6.841e-7)),
    ("instruments/surrol/needle_40mm.obj", 574, true, 0, 0, Some(4.494e-8)),
    ("instruments/surrol/peg_with_board.obj", 1916, true, 770, 770, Some(0.00035)),
    ("contact/ipc_erleben/triMeshes/plane.obj", 2, false, 0, 0, None),
    ("contact/ipc_erleben/triMeshes/erleben/crack.obj", 36, true, 0, 0, Some(7.0)),
    ("fem/sofa_phantom_cylinder/cylinder_Surface.obj", 3052, true, 0, 0, Some(0.0002006)),
    ("fem/sofa_phantom_cylinder/truthCylinder-Deformed.obj", 3440, true, 0, 0, Some(0.0001988)),
];

#[test]
fn public_meshes_are_as_others_measured_them() {
    let Some(data) = data() else { return };
    for (file, triangles, watertight, meeting, crossing, volume) in MEASURED {
        let json = info(&data.join(file));
        assert_eq!(json["triangles"], *triangles, "{file}");
        assert_eq!(json["watertight"], *watertight, "{file}");
        assert_eq!(json["self_intersections"], *meeting, "{file}");
        assert_eq!(json["crossing_faces"], *crossing, "{file}");
        match (json["volume"].as_f64(), volume) {
            (Some(is), Some(should)) => assert!((is / should - 1.0).abs() < 1e-3, "{file}: {is}"),
            (is, should) => assert!(is.is_none() && should.is_none(), "{file}: {is:?}"),
        }
    }
    // Genus, and where convex pieces were laid against one another: touching counts, edges are crowded.
    assert_eq!(info(&data.join("instruments/surrol/block.obj"))["component_list"][0]["genus"], 1);
    let pieces = info(&data.join("instruments/surrol/block_vhacd.obj"));
    assert_eq!((&pieces["open_edges"], &pieces["crowded_edges"]), (&0.into(), &10.into()));
    assert!(pieces["self_intersections"].as_u64() > Some(0));
}

/// The number before some words, or after them.
fn number<T: std::str::FromStr>(text: &str, before: &str, after: &str) -> Option<T> {
    let found =
        text.split(", ").find_map(|part| part.strip_prefix(before)?.strip_suffix(after)?.parse().ok());
    found.or_else(|| text.strip_prefix(before)?.split_once(after)?.0.parse().ok())
}

/// Every organ of a format that is read, against its row in the list of sources: triangles, watertight or how many open
/// and crowded edges, watertight parts, volume, and whether it meets itself at all. How often it does is only told for
/// some above, since the other program has a tolerance and passes over touching.
#[test]
fn every_organ_is_as_its_row_says() {
    let Some(data) = data() else { return };
    let list = std::fs::read_to_string(data.join("SOURCES.md")).unwrap();
    let (mut folder, mut compared) = ("", 0);
    for line in list.lines() {
        folder = line.strip_prefix("### ").unwrap_or(folder);
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let ([file, _, _, row], true) = (&cells[..], folder.starts_with("organs/")) else { continue };
        let ending = file.rsplit('.').next().unwrap_or_default();
        let known = serosa_io::mesh::FORMATS.iter().any(|f| f.extensions.contains(&ending));
        let Some(triangles) = number::<u64>(row, "", " tri").filter(|_| known) else { continue };
        let json = info(&data.join(folder).join(file));
        compared += 1;
        assert_eq!(json["triangles"], triangles, "{file}: {row}");
        match number::<u64>(row, "", " watertight parts") {
            Some(parts) => assert_eq!(json["watertight_parts"], parts, "{file}: {row}"),
            None => assert_eq!(json["watertight"], row.contains(", watertight"), "{file}: {row}"),
        }
        if let Some((_, open)) = row.split_once("OPEN (") {
            let edges =
                format!("{} border, {} non-manifold edges", json["open_edges"], json["crowded_edges"]);
            assert!(open.starts_with(&edges), "{file}: {row}: {edges}");
        }
        if let Some(told) = number::<f64>(row, "V ", "") {
            let is = json["volume"].as_f64().unwrap_or_default();
            assert!((is / told - 1.0).abs() < 2e-3, "{file}: {row}: {is}");
        }
        let meets = number::<u64>(row, "self-int faces ", "").map(|n| n > 0);
        let found = json["crossing_faces"].as_u64().map(|n| n > 0);
        assert!(meets.is_none() || meets == found, "{file}: {row}");
    }
    assert!(compared > 10, "{compared} organs");
}

#[test]
fn every_promised_field_is_there_and_the_table_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("liver.obj");
    std::fs::write(&path, "v 0 0 0\nv 210 0 0\nv 0 210 0\nv 0 0 210\ng side\nf 1 3 2\nf 1 2 4\nf 1 4 3\n")
        .unwrap();
    let json = info(&path);
    let fields = [
        "vertices",
        "triangles",
        "tetrahedra",
        "components",
        "watertight",
        "oriented",
        "self_intersections",
        "bbox",
    ];
    for field in fields {
        assert!(json.get(field).is_some(), "{field} in {json}");
    }
    assert_eq!(
        (&json["watertight"], &json["oriented"], &json["loops"][0]["edges"]),
        (&false.into(), &true.into(), &3.into())
    );
    assert_eq!((&json["unit"]["name"], &json["bbox"]["max"][0]), (&"millimetres".into(), &210.0.into()));
    let table = tell(&["query", "info", path.to_str().unwrap()]);
    assert_eq!(table.code, 0);
    for words in [
        "NO: 3 open edges in 1 loops",
        "open at (70, 70, 70)",
        "millimetres, since a liver is about 0.2 m",
        "side",
    ] {
        assert!(table.out.contains(words), "{words} in {}", table.out);
    }
}

#[test]
fn bad_files_are_answered_with_2_their_place_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let cases = [
        (file("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n"), "a.obj:3"),
        (file("empty.obj", ""), "the file holds no"),
        (file("b.nothing", "hello"), "no mesh file that the program knows"),
        ("no-such.obj".to_owned(), "cannot be read"),
        (folder.path().to_str().unwrap().to_owned(), "it is not a file"),
    ];
    for (path, wanted) in cases {
        let told = tell(&["query", "info", &path]);
        assert_eq!(told.code, 2, "{path}: {told:?}");
        assert!(told.err.contains(wanted) && told.err.contains("help"), "{path}: {}", told.err);
    }
}

#[test]
fn the_page_about_formats_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
    let page = tell(&["query", "formats"]).out;
    if std::env::var_os("SEROSA_BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == page, "docs/formats.md is stale: run `cargo xtask bless`");
}
