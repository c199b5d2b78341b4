//! Files that were damaged: they are read or refused, in time and in memory.

use super::{check, format, no_file, sample};
use crate::memory::most;
use std::time::Instant;

/// The most that any small file may cost \[bytes\]: glTF may repeat a mesh four million times.
const MEMORY_MAX: usize = 256 << 20;

/// A small generator of numbers (xorshift), so that a failure can be had again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let written = ["obj", "stl", "ply", "off", "gltf"]
        .map(|name| (name, format(name).export.unwrap()(&sample()).unwrap().bytes));
    let mut samples: Vec<(&str, Vec<u8>)> = written.into();
    let facet =
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    samples
        .push(("stl", format!("solid a\n{facet}{facet}endsolid a\nsolid b\n{facet}endsolid\n").into_bytes()));
    samples.push((
        "ply",
        b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n\
          property uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int vertex_indices\nproperty list uchar \
          float texcoord\nelement tristrips 1\nproperty list int int vertex_indices\nelement held 1\nproperty int vertex_index\n\
          end_header\n0 0 0 1 2 3\n1 0 0 4 5 6\n0 1 0 7 8 9\n3 0 1 2 6 0 0 1 0 0 1\n4 0 1 2 -1\n2\n".to_vec(),
    ));
    samples.push((
        "off",
        b"CNOFF # head\n3 1 0\n0 0 0 0 0 2 1 0.5 0\n1 0 0 0 0 1 0 1 0\n0 1 0 1 0 0 0 0 1\n3 0 1 2 255 0 0\n"
            .to_vec(),
    ));
    samples.push((
        "obj",
        b"mtllib a.mtl\no x\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\ng a b\nusemtl m\nf 1/1/1 2/1/1 3/1/1 4/1/1\nl 1 2\np 3\nf -4//1 -3//1 -2//1\n".to_vec(),
    ));
    samples.push((
        "gltf",
        br#"{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 40, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAECAA=="}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 4}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}, {"bufferView": 1, "componentType": 5121,
        "count": 3, "type": "SCALAR"}, {"componentType": 5126, "count": 4, "type": "VEC3", "sparse": {"count": 3,
        "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 0}}}], "nodes": [{"mesh": 0, "children": [1]}, {"scale": [1, 2, 3], "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}, {"attributes": {"POSITION": 2}, "mode": 5}]}]}"#.to_vec(),
    ));
    samples
}

/// Words that mean something in one of the formats.
const WORDS: [&[u8]; 24] = [
    b"nan",
    b"-1",
    b"4294967295",
    b"1e999",
    b"\n",
    b"\r",
    b" ",
    b"\\\n",
    b"v ",
    b"f ",
    b"solid",
    b"facet",
    b"endfacet",
    b"element face 9\n",
    b"property list uchar int vertex_indices\n",
    b"OFF",
    b"#",
    b"/",
    b"{",
    b"]",
    b"\"count\":",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\0",
    b"\"sparse\":",
];

fn damaged(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 | 2 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            3 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            4 => {
                let end = (at + dice.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = dice.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let end = (at + dice.below(6)).min(bytes.len());
                bytes.splice(at..end, WORDS[dice.below(WORDS.len())].iter().copied());
            }
        }
    }
    bytes
}

/// A hundred thousand for each of the five formats.
const ROUNDS: usize = 500_000;

#[test]
fn damaged_files_are_read_or_refused() {
    let samples = samples();
    let (mut dice, mut sound) = (Dice(0x5eed), 0);
    for i in 0..ROUNDS {
        let (name, bytes) = &samples[i % samples.len()];
        let bytes = damaged(bytes, &mut dice);
        let (result, held) = most(|| (format(name).import)(&bytes, &mut no_file));
        assert!(
            held < MEMORY_MAX,
            "{name}: {held} bytes for {}: {:?}",
            bytes.len(),
            String::from_utf8_lossy(&bytes)
        );
        match result {
            Ok(scene) => {
                sound += 1;
                check(&scene)
                    .unwrap_or_else(|e| panic!("{name}: {e}: {:?}", String::from_utf8_lossy(&bytes)));
                if i % 16 == 0 {
                    for format in ["obj", "stl", "ply", "off", "gltf"].map(format) {
                        let _ = format.export.unwrap()(&scene);
                    }
                }
            }
            Err(error) => assert!(!error.message.is_empty() && !error.help.is_empty()),
        }
        for format in serosa_io::mesh::FORMATS {
            let _ = (format.begins)(&bytes);
        }
    }
    assert!((ROUNDS / 10..ROUNDS - ROUNDS / 10).contains(&sound), "{sound} of {ROUNDS} were read");
}

#[test]
fn every_cut_of_every_sample_is_answered() {
    for (name, bytes) in samples() {
        for end in 0..bytes.len() {
            if let Ok(scene) = (format(name).import)(&bytes[..end], &mut no_file) {
                check(&scene).unwrap();
            }
        }
    }
}

#[test]
fn ten_million_empty_lines_end() {
    let start = Instant::now();
    let mut empty = vec![b'\n'; 10_000_000];
    assert!(super::fault("obj", &empty).contains("holds no points"));
    assert!(super::fault("off", &empty).contains("is empty"));
    assert!(super::fault("ply", &empty).contains("line 1"));
    assert!(super::fault("gltf", &empty).contains("line 10000001"));
    super::format_of(&empty, "a.stl")
        .map(|f| (f.import)(&empty, &mut no_file).expect_err("no triangles"))
        .unwrap();
    empty.extend(b"v 0 0 0\nf 1 2 3\n");
    assert!(super::fault("obj", &empty).contains("line 10000002: vertex 2 is named"));
    let slashes = b"\\\n".repeat(1_000_000);
    assert!(super::fault("obj", &slashes).contains("holds no points"));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_small_file_cannot_ask_for_a_mesh_without_end() {
    let start = Instant::now();
    let zeros = |count: usize| {
        format!(r#""accessors": [{{"componentType": 5126, "count": {count}, "type": "VEC3"}}]"#)
    };
    let repeated = |what: &str, n: usize| vec![what; n].join(",");
    let primitives = repeated(r#"{"attributes": {"POSITION": 0}, "mode": 5}"#, 10_000);
    let nodes = repeated(r#"{"mesh": 0}"#, 10_000);
    for (count, nodes) in [(1_000_000, ""), (100, &nodes[..]), (0, &nodes[..])] {
        let accessors = zeros(count);
        let text = format!(
            r#"{{"asset": {{}}, {accessors}, "meshes": [{{"primitives": [{primitives}]}}], "nodes": [{nodes}]}}"#
        );
        let (error, held) = most(|| super::fault("gltf", text.as_bytes()));
        assert!(error.contains("asks for too much") && held < MEMORY_MAX, "{count}: {error}, {held} bytes");
    }
    let groups = format!(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\n{}",
        "g a b c d e f g h i j k l m n o p q r s t u v w x y z\nf 1 2 3\n".repeat(100_000)
    );
    let (scene, held) = most(|| super::read("obj", groups.as_bytes()));
    assert!(scene.parts[0].sets.len() == 26 && held < MEMORY_MAX, "{held} bytes");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
