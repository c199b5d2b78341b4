//! A rough sheet of a million triangles, written and read in every mesh format that can be written.

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use serde_json::json;
use serosa_bake::raw::{Part, RawScene};
use serosa_geometry::Vec3;
use serosa_io::mesh::{FORMATS, Format};
use std::time::Instant;

/// Triangles.
const SIZE: u32 = 1_000_000;
/// Of these the median is told.
const RUNS: usize = 5;
/// The promise for surfaces: a million triangles in this time \[ms\].
const MS_MAX: f64 = 1000.0;

/// Writes the sheet once and reads it several times in each format.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let scene = sheet(args.largest.unwrap_or(SIZE).min(SIZE));
    let n = scene.parts[0].triangles.len();
    for format in FORMATS {
        let Some(export) = format.export else { continue };
        let start = Instant::now();
        let Ok(written) = export(&scene) else { continue };
        let export_ms = start.elapsed().as_secs_f64() * 1e3;
        let ms = read(format, &written.bytes, n)?;
        let megabytes = written.bytes.len() as f64 / 1e6;
        let object = json!({
            "bench": "import", "case": "rough sheet", "method": format.name, "n": n, "ms": ms, "ms_max": MS_MAX,
            "export_ms": export_ms, "bytes": written.bytes.len(), "threads": 1,
        });
        let name = format.name;
        let text = format!(
            "{n:>8} triangles  {name:<5} {megabytes:>6.1} MB  read {ms:>7.1} ms  written {export_ms:>7.1} ms"
        );
        report.line(&object, &text);
    }
    Ok(())
}

/// The median time of reading \[ms\].
fn read(format: &Format, bytes: &[u8], n: usize) -> Result<f64, Failure> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let scene = (format.import)(bytes, &mut |name: &str| Err(format!("{name} is not there")));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let count = scene.map(|s| s.parts.iter().map(|p| p.triangles.len()).sum::<usize>());
        if count != Ok(n) {
            return Err(Failure::CheckFailed(format!(
                "{}: {n} triangles were read as {count:?}",
                format.name
            )));
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

/// A sheet of about so many triangles, two to each cell of a lattice.
fn sheet(triangles: u32) -> RawScene {
    let n = (triangles / 2).isqrt().max(1);
    let point = |k: u32| {
        let (i, j) = (k % (n + 1), k / (n + 1));
        // Heights with many digits, as measured surfaces have them.
        let height = f64::from((i % 17) * (j % 13)) / 2345.0;
        Vec3::new(f64::from(i) / 1024.0, f64::from(j) / 1024.0, height)
    };
    let cell = |k: u32| {
        let a = k / n * (n + 1) + k % n;
        let [b, c, d] = [a + 1, a + n + 2, a + n + 1];
        [[a, b, c], [a, c, d]]
    };
    let part = Part {
        points: (0..(n + 1) * (n + 1)).map(point).collect(),
        triangles: (0..n * n).flat_map(cell).collect(),
        ..Part::default()
    };
    RawScene { parts: vec![part], ..RawScene::default() }
}
