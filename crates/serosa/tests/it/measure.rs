//! `serosa query distance` and `serosa query inside`, against tables and shapes whose answers are known.

use crate::query::data;
use crate::tell::tell;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The cube from 0 to 2, outward, as an OBJ file; its lid is the last two faces.
const CUBE: &str = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 2 2 0\nv 0 0 2\nv 2 0 2\nv 0 2 2\nv 2 2 2\n\
    f 1 3 4\nf 1 4 2\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\nf 5 6 8\nf 5 8 7\n";
/// Points alone: the middle, near an edge outside, off a corner, on a face.
const POINTS: &str = "v 1 1 1\nv 1 2.3 2.4\nv 3 3 3\nv 0.6 0.5 2\n";

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn ask(what: &str, a: &Path, b: &Path) -> Value {
    let told = tell(&["query", what, a.to_str().unwrap(), b.to_str().unwrap(), "--json"]);
    assert_eq!(told.code, 0, "{}", told.err);
    told.json()
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The faces of an OBJ file turned inside out.
fn turned(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("f ") {
        Some(face) => format!("f {}\n", face.split(' ').rev().collect::<Vec<_>>().join(" ")),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// libigl, VTK and a search through all triangles agree about these tables; they have twelve digits.
#[test]
fn distances_to_organs_are_as_the_tables_say() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (organ, size) in [("liver", 199.0), ("gallbladder", 46.0)] {
        let table = data.join(format!("contact/derived_sdf/bp3d_{organ}_sdf.csv"));
        let table = std::fs::read_to_string(table).unwrap();
        let rows: Vec<Vec<f64>> =
            table.lines().skip(1).map(|row| row.split(',').map(|v| v.parse().unwrap()).collect()).collect();
        assert_eq!(rows.len(), 3000);
        let points = rows.iter().fold(String::new(), |mut text, r| {
            writeln!(text, "v {} {} {}", r[0], r[1], r[2]).unwrap();
            text
        });
        let points = file(folder.path(), "points.obj", &points);
        let mesh = data.join(format!("organs/bodyparts3d/{organ}.stl"));
        let answer = ask("distance", &points, &mesh);
        assert_eq!(answer["sign"], "pseudonormal", "{}", answer["remarks"]);
        let is = numbers(&answer["distance"]);
        let worst = rows.iter().zip(&is).map(|(row, d)| (row[3] - d).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9 * size, "{organ}: {worst}");
        let inside = ask("inside", &points, &mesh);
        let should: Vec<f64> = (0..3000).filter(|i| rows[*i][3] < 0.0).map(|i| i as f64).collect();
        assert!(should.len() > 500 && numbers(&inside["inside"]) == should);
    }
}

#[test]
fn points_alone_are_measured_to_a_cube() {
    let folder = tempfile::tempdir().unwrap();
    let points = file(folder.path(), "points.obj", POINTS);
    let cube = file(folder.path(), "cube.obj", CUBE);
    let should = [-1.0, 0.5, 3.0f64.sqrt(), 0.0];
    let close = |answer: &Value| {
        numbers(&answer["distance"]).iter().zip(should).all(|(is, should)| (is - should).abs() < 1e-12)
    };
    let answer = ask("distance", &points, &cube);
    assert!(close(&answer) && answer["remarks"] == Value::Array(Vec::new()), "{answer}");
    assert_eq!(answer["nearest"][2], serde_json::json!([2.0, 2.0, 2.0]));
    assert_eq!(ask("inside", &points, &cube)["inside"], serde_json::json!([0]));
    // Inside out: turned, and said.
    let inward = file(folder.path(), "inward.obj", &turned(CUBE));
    let answer = ask("distance", &points, &inward);
    assert!(close(&answer) && answer["inside_out"] == true, "{answer}");
    assert!(answer["remarks"].to_string().contains("inside out"));
    let table = tell(&["query", "distance", points.to_str().unwrap(), inward.to_str().unwrap()]).out;
    assert!(table.contains("inside out") && table.contains("4 vertices, 1 inside"), "{table}");
}

#[test]
fn faults_of_the_surface_are_said_and_answered_by_winding() {
    let folder = tempfile::tempdir().unwrap();
    let points = file(folder.path(), "points.obj", POINTS);
    let lines: Vec<&str> = CUBE.lines().collect();
    let open = file(folder.path(), "open.obj", &lines[..lines.len() - 1].join("\n"));
    let crowded = file(folder.path(), "crowded.obj", &format!("{CUBE}v 1 1 5\nf 5 6 9\n"));
    let disagree = file(folder.path(), "disagree.obj", &CUBE.replace("f 1 2 6\n", "f 6 2 1\n"));
    for (mesh, words) in [(open, "open"), (crowded, "more than two faces"), (disagree, "disagree")] {
        let answer = ask("inside", &points, &mesh);
        assert_eq!(
            (&answer["sign"], &answer["inside"]),
            (&"winding".into(), &serde_json::json!([0])),
            "{words}"
        );
        assert!(answer["remarks"].to_string().contains(words), "{answer}");
    }
    // Two cubes in one another: what is in both is inside, and so is what is in one.
    let shifted = CUBE.lines().map(|line| match line.strip_prefix("v ") {
        Some(v) => {
            let v: Vec<f64> = v.split(' ').map(|x| x.parse::<f64>().unwrap() + 0.5).collect();
            format!("v {} {} {}\n", v[0], v[1], v[2])
        }
        None => format!(
            "f {}\n",
            line[2..]
                .split(' ')
                .map(|i| (i.parse::<u32>().unwrap() + 8).to_string() + " ")
                .collect::<String>()
        ),
    });
    let both = file(folder.path(), "both.obj", &(CUBE.to_owned() + &shifted.collect::<String>()));
    let places = file(folder.path(), "places.obj", "v 1 1 1\nv 0.2 0.2 0.2\nv 2.3 2.3 2.3\nv 2.3 2.3 0.2\n");
    let answer = ask("inside", &places, &both);
    assert_eq!(
        (&answer["sign"], &answer["inside"]),
        (&"winding".into(), &serde_json::json!([0, 1, 2])),
        "{answer}"
    );
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let points = file(folder.path(), "points.obj", POINTS);
    let cube = file(folder.path(), "cube.obj", CUBE);
    let path = |p: &Path| p.to_str().unwrap().to_owned();
    for (a, b, wanted) in [
        (path(&cube), path(&points), "holds no faces"),
        ("no-such.obj".to_owned(), path(&cube), "cannot be read"),
        (path(&cube), "no-such.obj".to_owned(), "cannot be read"),
    ] {
        for what in ["distance", "inside"] {
            let told = tell(&["query", what, &a, &b]);
            assert_eq!(told.code, 2, "{told:?}");
            assert!(told.err.contains(wanted) && told.err.contains("help"), "{}", told.err);
        }
    }
}
