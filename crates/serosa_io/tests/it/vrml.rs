//! The VRML family against what Coin 4.0 makes of the same files.

use serosa_bake::RawScene;
use serosa_geometry::Vec3;
use serosa_io::mesh::{ImportError, format_of};
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
        let dots = part.points.iter().copied().filter(|_| lone);
        for p in used.chain(dots) {
            (m.low, m.high) = (m.low.min(p), m.high.max(p));
        }
    }
    m
}

fn vector(text: &str) -> Option<Vec3> {
    let numbers: Vec<f64> = text.trim_matches(['[', ']']).split(',').filter_map(|n| n.trim().parse().ok()).collect();
    (numbers.len() == 3).then(|| Vec3::new(numbers[0], numbers[1], numbers[2]))
}

#[test]
fn dump() {
    let Some(folder) = data() else { return };
    let table = std::fs::read_to_string(folder.join("expected_coin.tsv")).unwrap();
    for line in table.lines().skip(2) {
        let c: Vec<&str> = line.split('\t').collect();
        let got = import(&folder.join(c[0]));
        match (got, c.get(2).copied()) {
            (Ok(scene), Some("yes")) => {
                let m = measure(&scene);
                let n = |i: usize| c[i].parse::<f64>().unwrap();
                let mut bad = String::new();
                if m.triangles as f64 != n(3) { bad += &format!(" triangles {} coin {}", m.triangles, n(3)); }
                if m.lines as f64 != n(4) { bad += &format!(" lines {} coin {}", m.lines, n(4)); }
                if m.points as f64 != n(5) { bad += &format!(" points {} coin {}", m.points, n(5)); }
                if (m.volume - n(6)).abs() > 1e-4 * n(6).abs().max(1e-5) { bad += &format!(" volume {} coin {}", m.volume, n(6)); }
                if let (Some(low), Some(high)) = (vector(c[7]), vector(c[8])) {
                    let size = (high - low).length();
                    let off = (m.low - low).abs().max((m.high - high).abs()).max_element();
                    if off > 1e-4 * size { bad += &format!(" box {:?} {:?} coin {:?} {:?}", m.low, m.high, low, high); }
                }
                if !bad.is_empty() { println!("{}:{bad} {:?}", c[0], scene.remarks); }
            }
            (Err(e), Some("yes")) => println!("{}: REFUSED {e}", c[0]),
            (Ok(s), _) => println!("{}: READ, coin not: {:?}", c[0], s.remarks),
            (Err(e), _) => println!("{}: both refuse: {e}", c[0]),
        }
    }
}
