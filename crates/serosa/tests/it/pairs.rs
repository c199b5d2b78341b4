//! `serosa query pairs`, against shapes whose answer is known and against the exhaustive search on organs.

use crate::query::data;
use crate::tell::tell;
use serde_json::{Value, json};
use serosa_geometry::meet::triangles_meet;
use serosa_io::mesh::format_of;
use std::path::Path;

fn ask(a: &Path, b: &Path) -> Value {
    let told = tell(&["query", "pairs", a.to_str().unwrap(), b.to_str().unwrap(), "--json"]);
    assert_eq!(told.code, 0, "{}", told.err);
    told.json()
}

#[test]
fn pairs_are_in_the_order_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    // Two squares of two faces each, one across the other along x = 1, and one that touches the first with a corner.
    let a = file("a.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3\nf 1 3 4\n");
    let b = file("b.obj", "v 1 0.5 -1\nv 1 0.6 -1\nv 1 0.6 1\nv 1 0.5 1\nf 1 2 3\nf 1 3 4\n");
    let c = file("c.off", "OFF\n3 1 0\n0 2 0\n0 3 1\n1 3 1\n3 0 1 2\n");
    let answer = ask(&a, &b);
    assert_eq!(answer["pairs"], json!([[0, 0], [0, 1]]));
    assert_eq!(
        (&answer["count"], &answer["triangles_a"], &answer["complete"]),
        (&json!(2), &json!(2), &json!(true))
    );
    assert_eq!(ask(&b, &a)["pairs"], json!([[0, 0], [1, 0]]));
    assert_eq!(ask(&a, &c)["pairs"], json!([[1, 0]]), "touching counts");
    assert_eq!(ask(&b, &c)["pairs"], json!([]));
    let text = tell(&["query", "pairs", a.to_str().unwrap(), b.to_str().unwrap()]);
    assert!(
        text.code == 0 && text.out.contains("2 pairs of triangles meet, of 2 in A and 2 in B"),
        "{}",
        text.out
    );
    let points = file("points.obj", "v 0 0 0\n");
    let told = tell(&["query", "pairs", a.to_str().unwrap(), points.to_str().unwrap()]);
    assert!(
        told.code == 2 && told.err.contains("holds no faces") && told.err.contains("help"),
        "{}",
        told.err
    );
    let told = tell(&["query", "pairs", a.to_str().unwrap(), "no-such.obj"]);
    assert!(told.code == 2 && told.err.contains("cannot be read"), "{}", told.err);
}

/// Corners of every triangle, part after part, as the file has them.
fn corners(path: &Path) -> Vec<[serosa_geometry::Vec3; 3]> {
    let bytes = std::fs::read(path).unwrap();
    let format = format_of(&bytes, path.to_str().unwrap()).unwrap();
    let scene = (format.import)(&bytes, &mut |_| Err(String::new())).unwrap();
    scene.parts.iter().flat_map(|p| p.triangles.iter().map(|t| t.map(|i| p.points[i as usize]))).collect()
}

#[test]
fn organs_meet_as_all_pairs_say() {
    let Some(data) = data() else { return };
    let organs = data.join("organs/bodyparts3d");
    let cubes = data.join("contact/ipc_toolkit/two-cubes-intersecting.ply");
    let cases = [
        (organs.join("liver.stl"), organs.join("gallbladder.stl")),
        (organs.join("duodenum.stl"), organs.join("pancreas.stl")),
        (organs.join("kidney_left.stl"), organs.join("spleen.stl")),
        (cubes.clone(), cubes),
    ];
    let mut met = 0;
    for (a, b) in cases {
        let (of_a, of_b) = (corners(&a), corners(&b));
        let others = |i: usize| of_b.iter().enumerate().map(move |(j, t)| (i, j, t));
        let all = of_a.iter().enumerate().flat_map(|(i, t)| others(i).map(move |(i, j, u)| (i, j, t, u)));
        let slow: Vec<[usize; 2]> =
            all.filter(|(_, _, t, u)| triangles_meet(t, u)).map(|(i, j, _, _)| [i, j]).collect();
        let answer = ask(&a, &b);
        assert_eq!(answer["pairs"], json!(slow), "{} {}", a.display(), b.display());
        met += slow.len();
    }
    assert!(met > 0);
}
