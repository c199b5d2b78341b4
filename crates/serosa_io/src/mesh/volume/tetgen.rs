//! TetGen (and, in the plane, Triangle): points in `.node`, tetrahedra in `.ele`, triangles in `.face`.
//!
//! Whichever is opened asks for the others by their endings. Numbers begin at 0 or 1, as the points say.

use super::cursor::{Cursor, shown};
use super::draft::{Draft, Shape};
use crate::mesh::{ImportError, Resolve, Spot};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::collections::{BTreeMap, HashMap};

const HELP: &str = "run TetGen anew; the files of a mesh belong side by side";
/// With more markers than this they are numbers of points, not sets.
const MARKERS_MAX: usize = 64;

/// Reads a `.ele` file, with its `.node` and, where there is one, its `.face`.
pub fn import_ele(bytes: &[u8], resolve: Resolve) -> Result<RawScene, ImportError> {
    let nodes = needed(resolve)?;
    let faces = resolve(".face").ok();
    scene(&nodes, Some(bytes), faces.as_deref(), ".ele")
}

/// Reads a `.node` file, with its `.ele` and `.face` where there are any.
pub fn import_node(bytes: &[u8], resolve: Resolve) -> Result<RawScene, ImportError> {
    let (tets, faces) = (resolve(".ele").ok(), resolve(".face").ok());
    scene(bytes, tets.as_deref(), faces.as_deref(), ".node")
}

/// Reads a `.face` file, with its `.node` and, where there is one, its `.ele`.
pub fn import_face(bytes: &[u8], resolve: Resolve) -> Result<RawScene, ImportError> {
    let nodes = needed(resolve)?;
    let tets = resolve(".ele").ok();
    scene(&nodes, tets.as_deref(), Some(bytes), ".face")
}

fn needed(resolve: Resolve) -> Result<Vec<u8>, ImportError> {
    resolve(".node").map_err(|reason| {
        let message = format!("the points, in the .node file beside it, cannot be read: {reason}");
        ImportError::new(Spot::Whole, message, HELP)
    })
}

fn scene(
    nodes: &[u8],
    tets: Option<&[u8]>,
    faces: Option<&[u8]>,
    own: &str,
) -> Result<RawScene, ImportError> {
    // A fault in a file that was not asked for by name has to say which it is in.
    let told = |file: &str, error: ImportError| {
        if file == own {
            error
        } else {
            ImportError { message: format!("in the {file} file: {}", error.message), ..error }
        }
    };
    let mut mesh = Mesh::default();
    mesh.nodes(nodes).map_err(|error| told(".node", error))?;
    if let Some(bytes) = tets {
        mesh.elements(bytes).map_err(|error| told(".ele", error))?;
    }
    if let Some(bytes) = faces {
        mesh.faces(bytes).map_err(|error| told(".face", error))?;
    }
    if tets.is_none() && faces.is_none() {
        mesh.remarks
            .push("There is no .ele or .face file beside it: the points are joined by nothing.".to_owned());
    }
    let mut remarks = mesh.remarks;
    let parts: Vec<Part> = vec![mesh.draft.finish(&mut remarks)];
    Ok(RawScene { parts, remarks, ..RawScene::default() })
}

#[derive(Default)]
struct Mesh {
    draft: Draft,
    /// Number in the file → number of the point. Only looked up.
    ids: HashMap<i64, u32>,
    remarks: Vec<String>,
}

/// A line of numbers, and its byte.
struct Row<'a> {
    at: usize,
    words: Vec<&'a str>,
}

/// Lines that hold something besides a remark.
struct Rows<'a>(Cursor<'a>);

impl<'a> Rows<'a> {
    fn next(&mut self, what: &str) -> Result<Row<'a>, ImportError> {
        loop {
            let at = self.0.at();
            let Some(line) = self.0.line() else {
                return Err(self.0.fault(format!("the file ends in the middle of its {what}")));
            };
            let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
            let text = std::str::from_utf8(line);
            let text = text.map_err(|_| self.0.fault_at(at, format!("\"{}\" is no text", shown(line))))?;
            let words: Vec<&str> =
                text.split([' ', '\t', ',', '\r', '\u{b}', '\u{c}']).filter(|w| !w.is_empty()).collect();
            if !words.is_empty() {
                return Ok(Row { at, words });
            }
        }
    }

    fn int(&self, row: &Row, place: usize, what: &str) -> Result<i64, ImportError> {
        let number = row.words.get(place).and_then(|word| word.parse().ok());
        number.ok_or_else(|| {
            let message = format!("{what} needs a whole number in place {}", place + 1);
            self.0.fault_at(row.at, message)
        })
    }

    fn real(&self, row: &Row, place: usize, what: &str) -> Result<f64, ImportError> {
        let number = row.words.get(place).and_then(|word| word.parse().ok()).filter(|n: &f64| n.is_finite());
        number.ok_or_else(|| {
            let message = format!("{what} needs a finite number in place {}", place + 1);
            self.0.fault_at(row.at, message)
        })
    }

    /// The first line: how many there are, and the numbers after that, 0 where there are none.
    fn head(&mut self, least: usize, what: &str) -> Result<(usize, [i64; 3]), ImportError> {
        let row = self.next(what)?;
        let count = self.int(&row, 0, "the first line")?;
        let count = self.0.room(row.at, count, least, what)?;
        let mut more = [0; 3];
        for (i, slot) in more.iter_mut().enumerate().take(row.words.len() - 1) {
            *slot = self.int(&row, i + 1, "the first line")?;
        }
        Ok((count, more))
    }

    fn end(&mut self, what: &str) -> Result<(), ImportError> {
        match self.next(what) {
            Ok(row) => Err(self.0.fault_at(row.at, format!("a line follows after all the {what} announced"))),
            Err(_) => Ok(()),
        }
    }
}

impl Mesh {
    /// `count dimension attributes markers`, then `number x y z attributes… marker`.
    fn nodes(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let mut rows = Rows(Cursor::new(bytes, HELP));
        let (count, [dim, attributes, marked]) = rows.head(6, "points")?;
        let (2 | 3) = dim else {
            return Err(rows.0.fault_at(0, format!("points have 2 or 3 coordinates, not {dim}")));
        };
        let mut markers: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for number in 0..count as u32 {
            let row = rows.next("points")?;
            let id = rows.int(&row, 0, "a point")?;
            let z = if dim == 3 { rows.real(&row, 3, "a point")? } else { 0.0 };
            let point = Vec3::new(rows.real(&row, 1, "a point")?, rows.real(&row, 2, "a point")?, z);
            if self.ids.insert(id, number).is_some() {
                return Err(rows.0.fault_at(row.at, format!("point {id} is given twice")));
            }
            self.draft.part.points.push(point);
            if marked != 0 {
                let place = usize::try_from(1 + dim + attributes.clamp(0, 1 << 20)).unwrap_or(4);
                let marker = rows.int(&row, place, "a point with a marker")?;
                markers.entry(marker).or_default().push(number);
            }
        }
        rows.end("points")?;
        if attributes != 0 {
            self.remarks.push(format!("{attributes} attributes of each point were left out."));
        }
        markers.remove(&0);
        if markers.len() > MARKERS_MAX {
            self.remarks.push(format!("{} different markers of points were left out.", markers.len()));
        } else {
            let named = markers.into_iter().map(|(marker, set)| (format!("marker {marker}"), set));
            self.draft.part.sets = named.collect();
        }
        Ok(())
    }

    fn corner(&self, rows: &Rows, row: &Row, place: usize) -> Result<u32, ImportError> {
        let id = rows.int(row, place, "a cell")?;
        let point = self.ids.get(&id).copied();
        point.ok_or_else(|| rows.0.fault_at(row.at, format!("point {id} is used, but not given")))
    }

    /// `count corners attributes`, then `number corners… attributes…`.
    fn elements(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let mut rows = Rows(Cursor::new(bytes, HELP));
        let (count, [nodes, attributes, _]) = rows.head(8, "tetrahedra")?;
        let (shape, corners, higher) = match nodes {
            4 => (Shape::Tet, 4, false),
            10 => (Shape::Tet, 4, true),
            3 => (Shape::Triangle, 3, false),
            6 => (Shape::Triangle, 3, true),
            _ => {
                let message = format!("elements have 4 or 10 points (in the plane 3 or 6), not {nodes}");
                return Err(rows.0.fault_at(0, message));
            }
        };
        let mut fractions = false;
        for _ in 0..count {
            let row = rows.next("tetrahedra")?;
            rows.int(&row, 0, "a cell")?;
            let mut all = [0; 4];
            for (i, corner) in all[..corners].iter_mut().enumerate() {
                *corner = self.corner(&rows, &row, 1 + i)?;
            }
            let mut region = 0.0;
            if attributes > 0 {
                region = rows.real(&row, 1 + nodes as usize, "a cell with an attribute")?;
                fractions |= region.fract() != 0.0;
            }
            self.draft.add(shape, &all[..corners], region as i64);
            if higher {
                self.draft.note_higher(shape);
            }
        }
        rows.end("tetrahedra")?;
        if fractions {
            self.remarks
                .push("Attributes of tetrahedra are not whole: their fractions were left out.".to_owned());
        }
        if attributes > 1 {
            self.remarks
                .push(format!("{} of {attributes} attributes of each cell were left out.", attributes - 1));
        }
        Ok(())
    }

    /// `count markers`, then `number a b c marker`.
    fn faces(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let mut rows = Rows(Cursor::new(bytes, HELP));
        let (count, [marked, ..]) = rows.head(8, "triangles")?;
        for _ in 0..count {
            let row = rows.next("triangles")?;
            rows.int(&row, 0, "a triangle")?;
            let corner = |place| self.corner(&rows, &row, place);
            let corners = [corner(1)?, corner(2)?, corner(3)?];
            let region = if marked != 0 { rows.int(&row, 4, "a triangle with a marker")? } else { 0 };
            self.draft.add(Shape::Triangle, &corners, region);
        }
        rows.end("triangles")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str =
        "# made by hand\n5 3 1 1\n1 0 0 0 9 0\n2 1 0 0 9 7\n3 0 1 0 9 7 # here\n4 0 0 1 9 0\n5 0 0 -1 9 0\n";
    const ELE: &str = "2 4 1\n1 1 2 3 4 5\n2 1 3 2 5 6\n";
    const FACE: &str = "1 1\n1 2 3 4 -1\n";

    fn open(own: &str, files: &[(&str, &str)]) -> Result<RawScene, ImportError> {
        let mut resolve = |name: &str| {
            let found = files.iter().find(|(other, _)| *other == name);
            found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "no such file".to_owned())
        };
        let import = match own {
            ".node" => import_node,
            ".ele" => import_ele,
            _ => import_face,
        };
        let bytes = resolve(own).unwrap();
        import(&bytes, &mut resolve)
    }

    #[test]
    fn whichever_is_opened_brings_the_others() {
        let files = [(".node", NODE), (".ele", ELE), (".face", FACE)];
        let scenes = [".node", ".ele", ".face"].map(|own| open(own, &files).unwrap());
        let part = &scenes[0].parts[0];
        assert_eq!(part.tets, [[0, 1, 2, 3], [0, 2, 1, 4]]);
        assert_eq!((&part.tet_regions, &part.triangles), (&vec![5, 6], &vec![[1, 2, 3]]));
        assert_eq!((&part.triangle_regions, &part.sets["marker 7"]), (&vec![-1], &vec![1, 2]));
        assert!(scenes.iter().all(|scene| scene.parts == scenes[0].parts));
        assert_eq!(scenes[0].remarks, ["1 attributes of each point were left out."]);
    }

    #[test]
    fn numbers_may_begin_at_0_and_lie_in_the_plane() {
        let files = [(".node", "3 2 0 0\n0 0 0\n1 1 0\n2 0 1\n"), (".ele", "1 3 0\n0 0 1 2\n")];
        let part = open(".ele", &files).unwrap().parts.remove(0);
        assert_eq!((part.points[2], part.triangles), (Vec3::Y, vec![[0, 1, 2]]));
        let alone = open(".node", &files[..1]).unwrap();
        assert_eq!((alone.parts[0].points.len(), alone.remarks.len()), (3, 1));
    }

    #[test]
    fn mistakes_are_told_with_file_and_line() {
        let cases = [
            (NODE, "1 4 0\n1 1 2 3 9\n", "line 2: point 9 is used, but not given"),
            (NODE, "2 4 0\n1 1 2 3 4\n# one more\n", "line 4: the file ends in the middle of its tetrahedra"),
            (NODE, "1 4 0\n1 1 2 3 4\n2 1 2 3 5\n", "line 3: a line follows after all"),
            (NODE, "1 5 0\n1 1 2 3 4 5\n", "line 1: elements have 4 or 10 points"),
            (NODE, "4000000000 4 0\n", "line 1: 4000000000 tetrahedra are announced"),
            (
                "1 3 0 0\n1 0 nan 0\n",
                ELE,
                "line 2: in the .node file: a point needs a finite number in place 3",
            ),
            ("1 3 0 0\n1 0 0 0\n1 0 0 0\n", ELE, "in the .node file: a line follows"),
            ("2 3 0 0\n1 0 0 0\n1 0 0 0\n", ELE, "line 3: in the .node file: point 1 is given twice"),
            ("2 7 0 0\n1 0 0 0\n1 0 0 0\n", ELE, "2 or 3 coordinates, not 7"),
        ];
        for (node, ele, wanted) in cases {
            let error = open(".ele", &[(".node", node), (".ele", ele)]).expect_err("refused").to_string();
            assert!(error.contains(wanted), "{ele:?}: {error}");
        }
        let error = open(".ele", &[(".ele", ELE)]).unwrap_err().to_string();
        assert!(error.contains(".node file beside it, cannot be read: no such file"), "{error}");
    }
}
