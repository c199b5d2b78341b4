//! MEDIT `.mesh` files as text (the GMF of INRIA): vertices, edges, triangles, tetrahedra and more, with references.

use super::cursor::{Coding, Cursor, shown};
use super::draft::{Draft, Shape, refuse_empty};
use crate::mesh::{ImportError, Resolve};
use serosa_bake::RawScene;
use serosa_geometry::Vec3;

const HELP: &str = "save the mesh anew, as MEDIT text (.mesh)";

/// Whether bytes begin as a MEDIT file, text or binary.
pub fn begins(bytes: &[u8]) -> bool {
    is_binary(bytes) || first_word(bytes).starts_with(b"MeshVersionFormatted")
}

/// Code 1 in either byte order, a version from 1 to 4, and the keyword of the dimension, 3.
fn is_binary(bytes: &[u8]) -> bool {
    let word = |i: usize| bytes.get(4 * i..4 * i + 4).and_then(|word| word.try_into().ok());
    let reads = |read: fn([u8; 4]) -> u32| {
        let number = |i| word(i).map(read);
        number(0) == Some(1) && matches!(number(1), Some(1..=4)) && number(2) == Some(3)
    };
    reads(u32::from_le_bytes) || reads(u32::from_be_bytes)
}

fn first_word(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    while rest.starts_with(b"#") {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    rest
}

/// Reads a MEDIT file as one part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let cursor = Cursor::new(bytes, HELP);
    if is_binary(bytes) {
        return Err(cursor.fault("this is a binary MEDIT file (.meshb), which is not read"));
    }
    let mut reader = Reader {
        cursor,
        dim: 3,
        points: Vec::new(),
        cells: Vec::new(),
        corners: Vec::new(),
        left_out: Vec::new(),
    };
    while reader.keyword()? {}
    reader.scene()
}

struct Cell {
    shape: Shape,
    higher: bool,
    /// Where its corners end, and where its numbers stand in the file.
    end: usize,
    at: usize,
    reference: i64,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    dim: i64,
    points: Vec<Vec3>,
    cells: Vec<Cell>,
    /// From 1: cells may stand before the vertices.
    corners: Vec<i64>,
    left_out: Vec<String>,
}

/// Shape, corners and points of a kind of cells.
fn kind(word: &[u8]) -> Option<(Shape, usize, usize)> {
    Some(match word {
        b"Edges" => (Shape::Line, 2, 2),
        b"EdgesP2" => (Shape::Line, 2, 3),
        b"Triangles" => (Shape::Triangle, 3, 3),
        b"TrianglesP2" => (Shape::Triangle, 3, 6),
        b"Quadrilaterals" => (Shape::Polygon, 4, 4),
        b"QuadrilateralsQ2" => (Shape::Polygon, 4, 9),
        b"Tetrahedra" => (Shape::Tet, 4, 4),
        b"TetrahedraP2" => (Shape::Tet, 4, 10),
        b"Hexahedra" => (Shape::Hex, 8, 8),
        b"HexahedraQ2" => (Shape::Hex, 8, 27),
        b"Prisms" | b"Pentahedra" => (Shape::Prism, 6, 6),
        b"Pyramids" => (Shape::Pyramid, 5, 5),
        _ => return None,
    })
}

impl Reader<'_> {
    /// A word that is no remark; remarks reach to the end of their line.
    fn word(&mut self) -> &[u8] {
        loop {
            self.cursor.skip_space();
            if !self.cursor.rest().starts_with(b"#") {
                return self.cursor.word();
            }
            self.cursor.line();
        }
    }

    fn pass_remarks(&mut self) {
        self.cursor.skip_space();
        while self.cursor.rest().starts_with(b"#") {
            self.cursor.line();
            self.cursor.skip_space();
        }
    }

    /// A section; false at the end of the file.
    fn keyword(&mut self) -> Result<bool, ImportError> {
        debug_assert_eq!(self.cursor.coding, Coding::Text);
        let word = self.word().to_vec();
        let at = self.cursor.at() - word.len();
        match word.as_slice() {
            b"" | b"End" => return Ok(false),
            b"MeshVersionFormatted" => drop(self.int("MeshVersionFormatted")?),
            b"Dimension" => {
                self.dim = self.int("Dimension")?;
                if self.dim != 2 && self.dim != 3 {
                    return Err(self
                        .cursor
                        .fault_at(at, format!("Dimension {} is neither 2 nor 3", self.dim)));
                }
            }
            b"Vertices" => self.vertices()?,
            word => match kind(word) {
                Some(kind) => self.cells(kind, &shown(word))?,
                None => self.pass(at, word)?,
            },
        }
        Ok(true)
    }

    fn int(&mut self, what: &str) -> Result<i64, ImportError> {
        self.pass_remarks();
        self.cursor.int(what)
    }

    fn real(&mut self, what: &str) -> Result<f64, ImportError> {
        self.pass_remarks();
        self.cursor.real(what)
    }

    fn vertices(&mut self) -> Result<(), ImportError> {
        self.pass_remarks();
        let what = "Vertices";
        let count = self.cursor.count(2 * (self.dim as usize + 1), "vertices")?;
        for _ in 0..count {
            let (x, y) = (self.real(what)?, self.real(what)?);
            let z = if self.dim == 3 { self.real(what)? } else { 0.0 };
            self.int(what)?;
            self.points.push(Vec3::new(x, y, z));
        }
        Ok(())
    }

    fn cells(
        &mut self,
        (shape, corners, nodes): (Shape, usize, usize),
        what: &str,
    ) -> Result<(), ImportError> {
        self.pass_remarks();
        let count = self.cursor.count(2 * (nodes + 1), what)?;
        for _ in 0..count {
            self.pass_remarks();
            let at = self.cursor.at();
            for i in 0..nodes {
                let corner = self.int(what)?;
                if i < corners {
                    self.corners.push(corner);
                }
            }
            let (end, reference) = (self.corners.len(), self.int(what)?);
            self.cells.push(Cell { shape, higher: nodes > corners, end, at, reference });
        }
        Ok(())
    }

    /// Passes over the numbers of a section that is not taken.
    fn pass(&mut self, at: usize, word: &[u8]) -> Result<(), ImportError> {
        if !word[0].is_ascii_alphabetic() {
            let message =
                format!("\"{}\" stands where a keyword belongs: is the count before right?", shown(word));
            return Err(self.cursor.fault_at(at, message));
        }
        self.left_out.push(shown(word));
        loop {
            self.pass_remarks();
            match self.cursor.peek().first() {
                Some(first) if !first.is_ascii_alphabetic() => drop(self.cursor.word()),
                _ => return Ok(()),
            }
        }
    }

    fn scene(self) -> Result<RawScene, ImportError> {
        let mut draft = Draft::default();
        let (mut begin, mut corners) = (0, Vec::new());
        for cell in &self.cells {
            corners.clear();
            for corner in &self.corners[begin..cell.end] {
                if !(1..=self.points.len() as i64).contains(corner) {
                    let message =
                        format!("vertex {corner} is used, and there are {}, from 1", self.points.len());
                    return Err(self.cursor.fault_at(cell.at, message));
                }
                corners.push((corner - 1) as u32);
            }
            begin = cell.end;
            draft.add(cell.shape, &corners, cell.reference);
            if cell.higher {
                draft.note_higher(cell.shape);
            }
        }
        draft.part.points = self.points;
        let mut remarks = Vec::new();
        let parts = vec![draft.finish(&mut remarks)];
        if !self.left_out.is_empty() {
            remarks.push(format!("Sections were left out: {}.", self.left_out.join(", ")));
        }
        refuse_empty(&parts, HELP)?;
        Ok(RawScene { parts, remarks, ..RawScene::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<RawScene, ImportError> {
        import(text.as_bytes(), &mut |_| Err("no".to_owned()))
    }

    const VERTICES: &str = "# of hand\nMeshVersionFormatted 2\nDimension\n3\nVertices 5\n0 0 0 0\n1 0 0 0 # x\n0 1 0 0\n0 0 1 0\n1 1 0 0\n";

    #[test]
    fn cells_and_references_are_read() {
        let rest = "Corners 2\n1\n2\nEdges 1\n1 2 9\nTriangles 1\n1 3 2 4\nQuadrilaterals 1\n1 2 5 3 6\n\
                    Tetrahedra\n1\n1 2 3 4 8\nRequiredTriangles\n1\n1\nEnd\n";
        let scene = open(&format!("{VERTICES}{rest}")).unwrap();
        let part = &scene.parts[0];
        assert_eq!((part.points.len(), &part.lines, &part.tets), (5, &vec![[0, 1]], &vec![[0, 1, 2, 3]]));
        assert_eq!(part.triangles, [[0, 2, 1], [0, 1, 4], [0, 4, 2]]);
        assert_eq!((&part.triangle_regions, &part.tet_regions), (&vec![4, 6, 6], &vec![8]));
        assert_eq!(scene.remarks, ["Sections were left out: Corners, RequiredTriangles."]);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let cases = [
            ("Tetrahedra 1\n1 2 3 6 0\n", "line 12: vertex 6 is used, and there are 5, from 1"),
            ("Tetrahedra 1\n1 2 3 0 0\n", "line 12: vertex 0 is used"),
            (
                "Tetrahedra 2\n1 2 3 4 0\nEnd # of this file",
                "\"End\" stands where a number belongs, in Tetrahedra",
            ),
            ("Tetrahedra 1\n1 2 3 4 0\n1 2 3 5 0\n", "line 13: \"1\" stands where a keyword belongs"),
            ("Tetrahedra 4294967295\n", "4294967295 Tetrahedra are announced"),
            ("Dimension 4\n", "line 11: Dimension 4 is neither"),
            ("", "holds no lines, triangles"),
        ];
        for (rest, wanted) in cases {
            let error = open(&format!("{VERTICES}{rest}")).expect_err("refused").to_string();
            assert!(error.contains(wanted), "{rest:?}: {error}");
        }
        let binary: Vec<u8> = [1_i32, 2, 3, 20].iter().flat_map(|i| i.to_le_bytes()).collect();
        assert!(begins(&binary));
        let error = import(&binary, &mut |_| Err(String::new())).unwrap_err().to_string();
        assert!(error.contains(".meshb"), "{error}");
    }
}
