//! `serosa query depth` on boxes whose overlaps are known.

use crate::query::data;
use crate::tell::tell;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[rustfmt::skip]
const FACES: [[u32; 3]; 12] = [
    [1, 3, 4], [1, 4, 2], [1, 2, 6], [1, 6, 5], [3, 7, 8], [3, 8, 4],
    [1, 5, 7], [1, 7, 3], [2, 4, 8], [2, 8, 6], [5, 6, 8], [5, 8, 7],
];

/// A box as an OBJ file, without its first `open` faces.
fn cuboid(folder: &Path, name: &str, from: [f64; 3], to: [f64; 3], open: usize) -> PathBuf {
    let mut text = String::new();
    for k in 0..8 {
        let at = |axis: usize| if k >> axis & 1 == 0 { from[axis] } else { to[axis] };
        text += &format!("v {} {} {}\n", at(0), at(1), at(2));
    }
    FACES[open..].iter().for_each(|[a, b, c]| text += &format!("f {a} {b} {c}\n"));
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn ask(a: &Path, b: &Path) -> Value {
    let told = tell(&["query", "depth", a.to_str().unwrap(), b.to_str().unwrap(), "--json"]);
    assert_eq!(told.code, 0, "{}", told.err);
    told.json()
}

fn near(value: &Value, wanted: &[f64]) -> bool {
    let all = value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap());
    all.zip(wanted).all(|(x, y)| (x - y).abs() < 1e-9)
}

#[test]
fn a_box_pressed_into_the_lid_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let below = cuboid(folder.path(), "b.obj", [0.0; 3], [4.0, 4.0, 2.0], 0);
    let above = cuboid(folder.path(), "a.obj", [1.0, 1.0, 1.7], [2.0, 2.5, 5.0], 0);
    let found = ask(&above, &below);
    let [region] = &found["regions"].as_array().unwrap()[..] else { panic!("{found}") };
    assert!(
        (region["depth"].as_f64().unwrap() - 0.3).abs() < 1e-9
            && near(&region["direction"], &[0.0, 0.0, 1.0])
    );
    assert_eq!(found["inside"]["a"], serde_json::json!([0, 1, 2, 3]), "its bottom");
    for vertex in found["consistent"]["a"].as_array().unwrap() {
        assert!(
            (vertex["depth"].as_f64().unwrap() - 0.3).abs() < 1e-9
                && near(&vertex["direction"], &[0.0, 0.0, 1.0])
        );
    }
    // The other way round, A leaves the other way.
    let swapped = ask(&below, &above);
    assert!(near(&swapped["regions"][0]["direction"], &[0.0, 0.0, -1.0]));
    let told = tell(&["query", "depth", above.to_str().unwrap(), below.to_str().unwrap()]);
    assert!(
        told.code == 0 && told.out.contains("depth 0.300000, A leaves along (0.0000, 0.0000, 1.0000)"),
        "{}",
        told.out
    );
}

#[test]
fn what_has_no_inside_is_said_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = cuboid(folder.path(), "whole.obj", [0.0; 3], [2.0; 3], 0);
    let open = cuboid(folder.path(), "open.obj", [1.5, 0.5, 0.5], [3.0, 1.0, 1.0], 2);
    let found = ask(&open, &whole);
    assert!(found["remarks"][0].as_str().unwrap().contains("A has no inside (4 edges are open)"), "{found}");
    assert!((found["regions"][0]["depth"].as_f64().unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(found["inside"]["b"], serde_json::json!([]));
    let [open, whole] = [open, whole].map(|f| f.to_str().unwrap().to_owned());
    let refused = tell(&["query", "depth", &open, &open]);
    assert!(refused.code == 2 && refused.err.contains("neither mesh has an inside"), "{}", refused.err);
    let points = folder.path().join("points.obj");
    std::fs::write(&points, "v 1 1 1\n").unwrap();
    let refused = tell(&["query", "depth", points.to_str().unwrap(), &whole]);
    assert!(refused.code == 2 && refused.err.contains("holds no faces"), "{}", refused.err);
}

/// A gallbladder in its bed: the two surfaces overlap in several places, whichever is called A.
#[test]
fn organs_of_an_atlas_overlap_the_same_both_ways() {
    let Some(data) = data() else { return };
    let [liver, gallbladder] =
        ["liver", "gallbladder"].map(|organ| data.join(format!("organs/bodyparts3d/{organ}.stl")));
    let depths = |found: &Value| -> Vec<f64> {
        let regions = found["regions"].as_array().unwrap().iter();
        let mut all: Vec<f64> = regions.map(|r| r["depth"].as_f64().unwrap()).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (one, other) = (depths(&ask(&liver, &gallbladder)), depths(&ask(&gallbladder, &liver)));
    assert!(one.len() > 1 && one.len() == other.len(), "{one:?} {other:?}");
    assert!(one.iter().zip(&other).all(|(x, y)| (x - y).abs() <= 1e-9 * x), "{one:?} {other:?}");
    let cube = data.join("contact/ipc_toolkit/cube.ply");
    assert!(depths(&ask(&cube, &cube)).iter().all(|d| *d < 1e-9), "a mesh lies on itself, not in itself");
}
