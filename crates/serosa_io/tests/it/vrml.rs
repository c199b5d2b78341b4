//! The VRML family against what Coin 4.0 makes of the same files.

#![allow(clippy::print_stdout)] // says what was skipped, and how files differ

use serosa_bake::RawScene;
use serosa_geometry::Vec3;
use serosa_io::mesh::{FORMATS, ImportError, format_of};
use std::path::{Path, PathBuf};

/// The folder of test data, if it is there.
fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vrml");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no {}", folder.display());
    None
}

/// Reads a file; what it names is looked for beside it.
fn import(path: &Path) -> Result<RawScene, ImportError> {
    let bytes = std::fs::read(path).unwrap();
    let format = format_of(&bytes, path.to_str().unwrap()).unwrap();
    let folder = path.parent().unwrap().to_owned();
    let mut resolve = |name: &str| std::fs::read(folder.join(name)).map_err(|e| e.to_string());
    (format.import)(&bytes, &mut resolve)
}

/// What is compared. The box is that of the points that anything uses.
#[derive(Debug, Default)]
struct Measure {
    triangles: usize,
    lines: usize,
    points: usize,
    volume: f64,
    low: Vec3,
    high: Vec3,
}

fn measure(scene: &RawScene) -> Measure {
    let mut m = Measure { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY, ..Measure::default() };
    for part in &scene.parts {
        m.triangles += part.triangles.len();
        m.lines += part.lines.len();
        let lone = part.triangles.is_empty() && part.lines.is_empty();
        m.points += if lone { part.points.len() } else { 0 };
        let at = |i: u32| part.points[i as usize];
        m.volume += part.triangles.iter().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0).sum::<f64>();
        let used = part.triangles.iter().flatten().chain(part.lines.iter().flatten()).map(|&i| at(i));
        for p in used.chain(part.points.iter().copied().filter(|_| lone)) {
            (m.low, m.high) = (m.low.min(p), m.high.max(p));
        }
    }
    m
}

fn vector(text: &str) -> Option<Vec3> {
    let numbers = text.trim_matches(['[', ']']).split(',').map(|n| n.trim().parse().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers.filter(|n| n.len() == 3).map(|n| Vec3::new(n[0], n[1], n[2]))
}

/// How a file differs from what Coin makes of it, and why.
enum Differs {
    /// Text is left out here: so many triangles remain, and the box is not compared.
    Text(usize),
    /// Faces that the file calls clockwise are turned outwards here, not by Coin: the volume here.
    Clockwise(f64),
    /// Coin's box is that of whole balls and cylinders, or of boxes turned once more: ours lies inside.
    LooseBox,
    /// Something else: triangles and volume here.
    Other(usize, f64, &'static str),
}
use Differs::{Clockwise, LooseBox, Other, Text};

/// Files that both read, and that differ.
const DIFFERENT: &[(&str, Differs)] = &[
    ("coin/dead_simple/material.iv", Clockwise(-4.0 / 3.0)),
    ("coin/dead_simple/sphere.iv", LooseBox),
    ("coin/dead_simple/text2.iv", Text(12)),
    ("coin/io/correct/bug199-ok.iv", Text(0)),
    ("coin/io/correct/bug199-ok.wrl", Text(0)),
    ("coin/oiv_compliance/antisquish.iv", Other(4680, 1156.7168, "AntiSquish is not applied, with a remark")),
    ("coin/oiv_compliance/faceset.iv", Clockwise(38.0 * 4.0 / 3.0)),
    ("coin/oiv_compliance/indexedfaceset.iv", Clockwise(38.0 * 4.0 / 3.0)),
    ("coin/oiv_compliance/indexedtrianglestripset.iv", Clockwise(38.0 * 4.0 / 3.0)),
    ("coin/oiv_compliance/levelofdetail.iv", Text(0)),
    (
        "coin/oiv_compliance/multiplecopy.iv",
        Other(1528, 184.995, "Coin's box forgets the shapes of an inherited Switch"),
    ),
    (
        "coin/oiv_compliance/resettransform.iv",
        Other(60, 40.0, "Coin's box forgets what comes before a reset of the box"),
    ),
    ("coin/oiv_compliance/rotationxyz.iv", LooseBox),
    ("coin/oiv_compliance/switch.iv", LooseBox),
    ("coin/oiv_compliance/text3.iv", Text(0)),
    (
        "coin/oiv_compliance/transform.iv",
        Other(96, 144.0, "fields marked `~` are ignored here, as Inventor says; Coin uses them"),
    ),
    ("coin/oiv_compliance/trianglestripset.iv", Clockwise(241.33333)),
    ("coin/oiv_compliance/units.iv", LooseBox),
    ("coin/vrml1.0/groups/lod.wrl", LooseBox),
    ("coin/vrml1.0/groups/switch.wrl", LooseBox),
    ("coin/vrml1.0/misc/includefile.wrl", LooseBox),
    ("coin/vrml1.0/misc/wwwinline.wrl", Other(390, 4.01638, "Coin does not fetch the file by itself")),
    ("coin/vrml1.0/properties/material.wrl", LooseBox),
    ("coin/vrml1.0/properties/matrixtransform.wrl", LooseBox),
    ("coin/vrml1.0/properties/shapehints.wrl", Clockwise(-10.2)),
    ("coin/vrml1.0/properties/transform.wrl", LooseBox),
    ("coin/vrml1.0/shapes/asciitext.wrl", Text(0)),
    ("coin/vrml1.0/shapes/indexedfaceset.wrl", Clockwise(26.0 * 4.0 / 3.0)),
    ("coin/vrml1.0/shapes/sphere.wrl", LooseBox),
    ("coin/vrml97/misc/fan-in.wrl", Text(390)),
    ("coin/vrml97/script/simple-boolean.wrl", LooseBox),
    ("openhrp/pa10.main.wrl", Other(328, 0.0112933, "inlined files without a first line are read here")),
    ("sgi_inventor/duck.iv", LooseBox),
    ("sgi_inventor/luxo.iv", LooseBox),
];

/// Files that Coin refuses or has no say on, and that are read here.
const READ_HERE: &[(&str, &str)] = &[
    ("assimp/HelloWorld.wrl", "a field that VRML 2.0 does not know is passed over"),
    ("coin/dead_simple/all-iv.iv", "Coin needs a graphics context; every node is known here"),
    ("coin/io/incorrect/bug029-3.iv", "a DrawStyle says nothing about shape and is passed over"),
];

/// Files that Coin reads and that are refused here.
const REFUSED_HERE: &[(&str, &str)] =
    &[("coin/io/incorrect/bug055-3.wrl", "line 8: a node is expected, found the number 0")];

fn close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-4 * scale.abs()
}

fn check_counts(name: &str, m: &Measure, columns: &[&str], differs: Option<&Differs>) {
    let coin = |i: usize| columns[i].parse::<f64>().unwrap();
    let (triangles, volume) = match differs {
        Some(Text(triangles)) => (*triangles, m.volume),
        Some(Clockwise(volume)) => (coin(3) as usize, *volume),
        Some(Other(triangles, volume, reason)) => {
            println!("{name}: {reason}");
            (*triangles, *volume)
        }
        Some(LooseBox) | None => (coin(3) as usize, coin(6)),
    };
    assert_eq!(m.triangles, triangles, "{name}: triangles");
    assert_eq!((m.lines as f64, m.points as f64), (coin(4), coin(5)), "{name}: lines and points");
    assert!(close(m.volume, volume, volume.abs().max(1e-5)), "{name}: volume {} for {volume}", m.volume);
}

fn check_box(name: &str, m: &Measure, columns: &[&str], differs: Option<&Differs>) {
    let (Some(low), Some(high)) = (vector(columns[7]), vector(columns[8])) else {
        return;
    };
    let slack = Vec3::splat(2e-4 * (high - low).length());
    match differs {
        Some(Text(_) | Other(..)) => {}
        Some(LooseBox) => {
            assert!((m.low - low + slack).min_element() >= 0.0, "{name}: {:?} in {low:?}", m.low);
            assert!((high + slack - m.high).min_element() >= 0.0, "{name}: {:?} in {high:?}", m.high);
        }
        Some(Clockwise(_)) | None => {
            let off = (m.low - low).abs().max((m.high - high).abs());
            assert!(
                (slack - off).min_element() >= 0.0,
                "{name}: box {:?} {:?} for {low:?} {high:?}",
                m.low,
                m.high
            );
        }
    }
}

#[test]
fn files_give_what_coin_makes_of_them() {
    let Some(folder) = data() else { return };
    let table = std::fs::read_to_string(folder.join("expected_coin.tsv")).unwrap();
    let (mut same, mut different, mut refused) = (0, 0, 0);
    for line in table.lines().skip(2) {
        let columns: Vec<&str> = line.split('\t').collect();
        let name = columns[0];
        let differs = DIFFERENT.iter().find(|(n, _)| *n == name).map(|(_, d)| d);
        let expected = REFUSED_HERE.iter().find(|(n, _)| *n == name).map(|(_, message)| *message);
        let read_here = READ_HERE.iter().any(|(n, _)| *n == name);
        match (import(&folder.join(name)), columns[2]) {
            (Ok(scene), "yes") => {
                assert!(expected.is_none(), "{name} should be refused");
                let m = measure(&scene);
                check_counts(name, &m, &columns, differs);
                check_box(name, &m, &columns, differs);
                if differs.is_some() { different += 1 } else { same += 1 }
            }
            (Ok(_), _) => assert!(read_here, "{name} is read, Coin refuses it"),
            (Err(error), "yes") => assert_eq!(Some(error.to_string().as_str()), expected, "{name}"),
            (Err(error), _) => {
                assert!(!read_here, "{name}: {error}");
                assert!(!error.help.is_empty());
                refused += 1;
            }
        }
    }
    println!(
        "{same} files as Coin has them, {different} different for a stated reason, {refused} refused by both"
    );
    assert!(same >= 45 && refused >= 14);
}

#[test]
fn one_organ_by_five_programs_is_the_same() {
    let Some(folder) = data() else { return };
    let folder = folder.join("derived_organ_exports");
    let files = [
        ("appendix.assimp.x3d", 690),
        ("appendix.coin.binary.iv", 690),
        ("appendix.coin.iv", 690),
        ("appendix.coin.vrml1.wrl", 690),
        ("appendix.gmsh.wrl", 690),
        ("appendix.gmsh.x3d", 690),
        ("appendix.meshlab.wrl", 690),
        ("appendix.meshlab.x3d", 690),
        ("appendix.vtk.wrl", 690),
        ("appendix.vtk.x3d", 690),
        ("urinary_bladder.vtk.wrl", 4016),
        ("urinary_bladder.vtk.x3d", 4016),
    ];
    for (name, triangles) in files {
        let m = measure(&import(&folder.join(name)).unwrap());
        let volume = if triangles == 690 { 1891.43 } else { 135_796.0 };
        assert_eq!(m.triangles, triangles, "{name}");
        assert!(close(m.volume, volume, volume), "{name}: {}", m.volume);
    }
    let error = import(&folder.join("urinary_bladder.vtk.x3db")).unwrap_err();
    assert!(error.to_string().contains("Fast Infoset") && error.help.contains(".x3d"), "{error}");
}

#[test]
fn x3d_examples_are_read() {
    let Some(folder) = data() else { return };
    // Faces counted in the files; walls and caps of extrusions worked out; balls have 390 triangles.
    let files = [
        ("x3dom/teapot.x3d", 992, 0),
        ("x3dom/extrusionBasic.x3d", 72, 0),
        ("x3dom/spineFlip.x3d", 60, 0),
        ("x3dom/web3dEdgeCase.x3d", 16, 0),
        ("x3dom/proto_nodes.x3d", 6 * 390, 0),
        ("x3dom/TumbleGroup.x3d", 12, 0),
        ("x3dom/Tongue.x3d", 216, 0),
        ("x3dom/NurbsCurveExample.x3d", 0, 0),
        ("assimp/ComputerKeyboard.x3d", 2020, 0),
        ("assimp/HelloX3dTrademark.x3d", 390, 0),
        ("assimp/IndexedLineSet.x3d", 0, 4),
        ("assimp/HelloWorld.x3dv", 390, 0),
    ];
    for (name, triangles, lines) in files {
        let m = measure(&import(&folder.join(name)).unwrap());
        assert_eq!((m.triangles, m.lines), (triangles, lines), "{name}");
    }
}

#[test]
fn inventor_is_written_and_read_again() {
    let Some(folder) = data() else { return };
    let inventor = FORMATS.iter().find(|f| f.name == "inventor").unwrap();
    let none = &mut |_: &str| Err("none".to_owned());
    let names = [
        "kicad/CP_Elec_5x5.8.wrl",
        "vtk/sextant.wrl",
        "vtk/bridge.wrl",
        "sgi_inventor/apple.iv",
        "assimp/Wuson.wrl",
    ];
    for name in names {
        let scene = import(&folder.join(name)).unwrap();
        let export = (inventor.export.unwrap())(&scene).unwrap();
        let again = (inventor.import)(&export.bytes, none).unwrap();
        assert_eq!(again.parts.len(), scene.parts.len(), "{name}");
        for (a, b) in again.parts.iter().zip(&scene.parts) {
            assert_eq!(
                (&a.points, &a.triangles, &a.lines),
                (&b.points, &b.triangles, &b.lines),
                "{name} {}",
                b.name
            );
            assert_eq!((&a.normals, &a.uvs, &a.colors), (&b.normals, &b.uvs, &b.colors), "{name} {}", b.name);
        }
        let m = [measure(&scene), measure(&again)];
        assert_eq!(m[0].volume, m[1].volume, "{name}");
    }
}
