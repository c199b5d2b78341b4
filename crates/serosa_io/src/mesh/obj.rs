//! Wavefront OBJ, read by our own hand: vertices keep the numbers of the file, groups become sets, and a mistake
//! is told with its line. (The `tobj` crate gives every group vertices of its own, which tears a mesh apart.)

use super::{ImportError, Resolve, Spot};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::{Mesh, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Reads `v`, `f`, `l`, `g` and `o`; polygons are cut into fans. Everything else (normals, textures, materials)
/// is passed over.
pub fn import_obj(bytes: &[u8]) -> Result<Mesh, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::default();
    for (i, line) in text.lines().enumerate() {
        let told =
            |reason| ImportError::new(Spot::Line(i + 1), reason, "correct the line, or export the mesh anew");
        reader.line(line).map_err(told)?;
    }
    if reader.triangles.is_empty() && reader.lines.is_empty() {
        let help = "is it an OBJ file with `f` or `l` lines?";
        return Err(ImportError::new(Spot::Whole, "the file holds no faces or lines", help));
    }
    Ok(reader.mesh())
}

/// Reads an OBJ file as one part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let Mesh { points, edges, triangles, sets } = import_obj(bytes)?;
    let lines = if triangles.is_empty() { edges } else { Vec::new() };
    let part = Part { points, lines, triangles, sets, ..Part::default() };
    Ok(RawScene { parts: vec![part], ..RawScene::default() })
}

#[derive(Default)]
struct Reader {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
    groups: Vec<String>,
    sets: BTreeMap<String, BTreeSet<u32>>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => self.vertex(&words.collect::<Vec<_>>()),
            Some("f") => self.face(&self.corners(words)?),
            Some("l") => self.polyline(&self.corners(words)?),
            Some("g" | "o") => {
                self.groups = words.map(str::to_owned).collect();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn vertex(&mut self, words: &[&str]) -> Result<(), String> {
        let number = |i: usize| words.get(i).and_then(|w| w.parse::<f64>().ok()).filter(|v| v.is_finite());
        match (number(0), number(1), number(2)) {
            (Some(x), Some(y), Some(z)) => {
                self.points.push(Vec3::new(x, y, z));
                Ok(())
            }
            _ => Err("a vertex needs three finite numbers".to_owned()),
        }
    }

    /// Vertex numbers of a face or line: `7`, `7/1`, `7/1/3`, `7//3`, from 1, or negative from the last.
    fn corners<'a>(&self, words: impl Iterator<Item = &'a str>) -> Result<Vec<u32>, String> {
        let count = self.points.len() as i64;
        words
            .map(|word| {
                let first = word.split('/').next().unwrap_or_default();
                let number: i64 = first.parse().map_err(|_| format!("\"{word}\" is not a vertex number"))?;
                let index = if number < 0 { count + number } else { number - 1 };
                match (0..count).contains(&index) {
                    true => Ok(index as u32),
                    false => Err(format!("vertex {number} is named, of {count} so far")),
                }
            })
            .collect()
    }

    fn face(&mut self, corners: &[u32]) -> Result<(), String> {
        if corners.len() < 3 {
            return Err("a face needs three vertices".to_owned());
        }
        let distinct: BTreeSet<&u32> = corners.iter().collect();
        if distinct.len() < corners.len() {
            return Err("a face uses a vertex twice".to_owned());
        }
        let fan = corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]);
        self.triangles.extend(fan);
        self.note(corners);
        Ok(())
    }

    fn polyline(&mut self, corners: &[u32]) -> Result<(), String> {
        if corners.len() < 2 || corners.windows(2).any(|p| p[0] == p[1]) {
            return Err("a line needs two different vertices".to_owned());
        }
        self.lines.extend(corners.windows(2).map(|p| [p[0].min(p[1]), p[0].max(p[1])]));
        self.note(corners);
        Ok(())
    }

    fn note(&mut self, corners: &[u32]) {
        for group in &self.groups {
            self.sets.entry(group.clone()).or_default().extend(corners);
        }
    }

    fn mesh(self) -> Mesh {
        let mut mesh = Mesh::from_triangles(self.points, self.triangles);
        let known: BTreeSet<[u32; 2]> = mesh.edges.iter().copied().collect();
        let more: BTreeSet<[u32; 2]> = self.lines.into_iter().filter(|e| !known.contains(e)).collect();
        mesh.edges.extend(more);
        mesh.sets = self.sets.into_iter().map(|(name, set)| (name, set.into_iter().collect())).collect();
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn groups_share_their_vertices_and_become_sets() {
        let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng left\nf 4/1/1 3//2 1\ng right\nf -4 -3 -2\n";
        let mesh = import_obj(text.as_bytes()).unwrap();
        assert_eq!((mesh.points.len(), mesh.triangles.len(), mesh.edges.len()), (4, 2, 5));
        assert_eq!(mesh.points[3], Vec3::Y, "vertices keep the numbers of the file");
        assert_eq!(mesh.sets["left"], [0, 2, 3]);
        assert_eq!(mesh.sets["right"], [0, 1, 2]);
    }

    #[test]
    fn polygons_and_lines_are_read() {
        let mesh = import_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nf 1 2 3 4\nl 4 5\n").unwrap();
        assert_eq!((mesh.triangles.len(), mesh.edges.len()), (2, 6));
        assert_eq!(import_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2 3\n").unwrap().edges, [[0, 1], [1, 2]]);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let cases = [
            ("v 0 0 zero\n", "line 1: a vertex needs three finite numbers"),
            ("v 0 0 nan\n", "line 1: a vertex needs three finite numbers"),
            ("v 0 0 0\nv 1 0 0\n\nf 1 2 9\n", "line 4: vertex 9 is named, of 2 so far"),
            ("v 0 0 0\nf 1 0 1\n", "line 2: vertex 0 is named"),
            ("v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face needs three vertices"),
            ("v 0 0 0\nv 1 0 0\nf 1 2 2\n", "line 3: a face uses a vertex twice"),
            ("v 0 0 0\nf a b c\n", "line 2: \"a\" is not a vertex number"),
            ("", "holds no faces"),
        ];
        for (text, wanted) in cases {
            let error = import_obj(text.as_bytes()).expect_err("refused").to_string();
            assert!(error.contains(wanted), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = import_obj(&bytes);
        }

        #[test]
        fn words_in_any_order_are_read_or_refused(words in prop::collection::vec("v|f|l|g|\n|1|-2|0\\.5|nan|2/3|/|#", 0..60)) {
            let _ = import_obj(words.join(" ").as_bytes());
        }
    }
}
