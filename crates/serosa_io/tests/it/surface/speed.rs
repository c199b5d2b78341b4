//! What a file of a hundred thousand triangles costs; `serosa bench import` measures a million.

use super::{RawScene, format, no_file};
use crate::memory::most;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::time::Instant;

/// A wavy sheet of `2 n²` triangles.
fn sheet(n: u32) -> RawScene {
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let wave =
        |i: u32, j: u32| f64::from((0.1 * (f64::from(i) * 0.37).sin() * (f64::from(j) * 0.23).cos()) as f32);
    let grid = (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j)));
    let points =
        grid.map(|(i, j)| Vec3::new(f64::from(i) / 1024.0, f64::from(j) / 1024.0, wave(i, j))).collect();
    let cells = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let cut =
        |(i, j)| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]];
    let part = Part { points, triangles: cells.flat_map(cut).collect(), ..Part::default() };
    RawScene { parts: vec![part], ..RawScene::default() }
}

#[test]
fn many_triangles_take_little_time_and_memory() {
    let wanted = sheet(224);
    let result = wanted.parts[0].points.len() * 24 + wanted.parts[0].triangles.len() * 12;
    for name in ["stl", "ply", "obj", "off", "gltf"] {
        let bytes = format(name).export.unwrap()(&wanted).unwrap().bytes;
        let mut best = f64::INFINITY;
        let mut memory = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let (scene, held) = most(|| (format(name).import)(&bytes, &mut no_file).unwrap());
            memory = held;
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(scene.parts[0].triangles.len(), 2 * 224 * 224);
            assert_eq!(scene.parts[0].points.len(), 225 * 225);
        }
        let memory = memory as f64 / result as f64;
        println!(
            "{name:<5} {:>6.1} MB {:>7.1} ms, memory {memory:.1} times the result",
            bytes.len() as f64 / 1e6,
            1e3 * best
        );
        assert!(best < 1.0 && memory < 6.0, "{name}");
    }
}
