//! One small mesh in every dialect, written here by hand: two tetrahedra, their common face and a side, an edge.

use serosa_bake::raw::Part;
use serosa_geometry::Vec3;

/// How a sample is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Text,
    Little,
    Big,
}

pub const POINTS: [[f64; 3]; 5] =
    [[0.1, 0.0, 0.0], [1.0, 0.0, 0.25], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, -0.5, -1.0]];
/// Numbers of the points in files that have any.
const IDS: [i64; 5] = [3, 1, 17, 8, 40];
/// Gmsh type, VTK type, physical group, entity, points.
const CELLS: &[(i32, u8, i32, i32, &[usize])] = &[
    (1, 3, 0, 5, &[0, 1]),
    (2, 5, 31, 1, &[0, 1, 2]),
    (2, 5, 32, 2, &[1, 2, 3]),
    (4, 10, 41, 1, &[0, 1, 2, 3]),
    (4, 10, 42, 2, &[0, 2, 1, 4]),
];

/// The part that all dialects hold.
pub fn part() -> Part {
    Part {
        points: POINTS.map(Vec3::from).to_vec(),
        lines: vec![[0, 1]],
        triangles: vec![[0, 1, 2], [1, 2, 3]],
        tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]],
        triangle_regions: vec![31, 32],
        tet_regions: vec![41, 42],
        ..Part::default()
    }
}

/// Bytes as they are written.
pub struct Sink {
    pub out: Vec<u8>,
    pub coding: Coding,
}

impl Sink {
    pub fn text(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
    }

    fn put(&mut self, text: String, little: &[u8]) {
        match self.coding {
            Coding::Text => self.text(&(text + " ")),
            Coding::Little => self.out.extend(little),
            Coding::Big => self.out.extend(little.iter().rev()),
        }
    }

    pub fn byte(&mut self, n: u8) {
        self.put(n.to_string(), &[n]);
    }

    pub fn int(&mut self, n: i32) {
        self.put(n.to_string(), &n.to_le_bytes());
    }

    pub fn long(&mut self, n: i64) {
        self.put(n.to_string(), &n.to_le_bytes());
    }

    pub fn float(&mut self, n: f64) {
        self.put(n.to_string(), &(n as f32).to_le_bytes());
    }

    pub fn real(&mut self, n: f64) {
        self.put(n.to_string(), &n.to_le_bytes());
    }

    /// The end of a line where there are any.
    pub fn end(&mut self) {
        if self.coding == Coding::Text {
            self.text("\n");
        }
    }
}

fn gmsh_head(version: &str, coding: Coding) -> Sink {
    let mut sink = Sink { out: Vec::new(), coding };
    if version != "1" {
        let kind = i32::from(coding != Coding::Text);
        sink.text(&format!("$MeshFormat\n{version} {kind} 8\n"));
        if kind == 1 {
            sink.int(1);
            sink.text("\n");
        }
        sink.text("$EndMeshFormat\n$PhysicalNames\n2\n2 31 \"a side\"\n3 42 \"lower\"\n$EndPhysicalNames\n");
    }
    sink
}

/// Gmsh before version 4.
pub fn gmsh_old(version: &str, coding: Coding) -> Vec<u8> {
    let one = version == "1";
    let mut sink = gmsh_head(version, coding);
    sink.text(if one { "$NOD\n5\n" } else { "$Nodes\n5\n" });
    for (id, point) in IDS.iter().zip(POINTS) {
        sink.int(*id as i32);
        point.iter().for_each(|x| sink.real(*x));
        sink.end();
    }
    sink.text(if one { "$ENDNOD\n$ELM\n5\n" } else { "\n$EndNodes\n$Elements\n5\n" });
    for (i, (kind, _, physical, entity, corners)) in CELLS.iter().enumerate() {
        if coding == Coding::Text {
            sink.int(i as i32);
            sink.int(*kind);
            if !one {
                sink.int(2);
            }
        } else {
            [*kind, 1, 2, i as i32].iter().for_each(|n| sink.int(*n));
        }
        sink.int(*physical);
        sink.int(*entity);
        if one {
            sink.int(corners.len() as i32);
        }
        corners.iter().for_each(|c| sink.int(IDS[*c] as i32));
        sink.end();
    }
    sink.text(if one { "$ENDELM\n" } else { "\n$EndElements\n" });
    sink.out
}

/// Gmsh 4.0 and 4.1.
pub fn gmsh_new(version: &str, coding: Coding) -> Vec<u8> {
    let newest = version == "4.1";
    let mut sink = gmsh_head(version, coding);
    sink.text("$Entities\n");
    [1, 0, 2, 2].iter().for_each(|n| sink.long(*n));
    sink.end();
    sink.int(1);
    (0..if newest { 3 } else { 6 }).for_each(|_| sink.real(0.0));
    sink.long(0);
    sink.end();
    for (dim, tag) in [(2, 1), (2, 2), (3, 1), (3, 2)] {
        sink.int(tag);
        (0..6).for_each(|_| sink.real(0.5));
        sink.long(1);
        sink.int(tag + if dim == 2 { 30 } else { 40 });
        sink.long(2);
        sink.int(-7);
        sink.int(8);
        sink.end();
    }
    sink.text("\n$EndEntities\n$Nodes\n");
    let head: &[i64] = if newest { &[2, 5, 1, 40] } else { &[2, 5] };
    head.iter().for_each(|n| sink.long(*n));
    sink.end();
    for range in [0..2, 2..5] {
        // The first block lies on a surface and has two parameters a node.
        let more = if range.start == 0 { 2 } else { 0 };
        let (dim, tag) = if more > 0 { (2, 1) } else { (3, 1) };
        let head = if newest { [dim, tag] } else { [tag, dim] };
        head.iter().for_each(|n| sink.int(*n));
        sink.int(i32::from(more > 0));
        sink.long(range.len() as i64);
        sink.end();
        if newest {
            range.clone().for_each(|i| sink.long(IDS[i]));
            sink.end();
        }
        for i in range {
            if !newest {
                sink.int(IDS[i] as i32);
            }
            POINTS[i].iter().for_each(|x| sink.real(*x));
            (0..more).for_each(|_| sink.real(0.75));
            sink.end();
        }
    }
    sink.text("\n$EndNodes\n$Elements\n");
    let head: &[i64] = if newest { &[5, 5, 1, 5] } else { &[5, 5] };
    head.iter().for_each(|n| sink.long(*n));
    sink.end();
    for (i, (kind, _, _, entity, corners)) in CELLS.iter().enumerate() {
        let dim = corners.len() as i32 - 1;
        let head = if newest { [dim, *entity, *kind] } else { [*entity, dim, *kind] };
        head.iter().for_each(|n| sink.int(*n));
        sink.long(1);
        sink.end();
        let mut put = |n: i64| if newest { sink.long(n) } else { sink.int(n as i32) };
        put(i as i64);
        corners.iter().for_each(|c| put(IDS[*c]));
        sink.end();
    }
    sink.text("\n$EndElements\n");
    sink.out
}

/// A legacy VTK grid, in the layout before 5 or after.
pub fn vtk_grid(coding: Coding, newest: bool) -> Vec<u8> {
    let mut sink = vtk_head(coding, newest, "UNSTRUCTURED_GRID");
    sink.text("POINTS 5 double\n");
    POINTS.as_flattened().iter().for_each(|x| sink.real(*x));
    sink.text("\nMETADATA\nINFORMATION 0\n\n");
    let cells: Vec<&[usize]> = CELLS.iter().map(|cell| cell.4).collect();
    vtk_cells(&mut sink, "CELLS", &cells, newest);
    sink.text("CELL_TYPES 5\n");
    CELLS.iter().for_each(|cell| sink.int(i32::from(cell.1)));
    sink.text("\nCELL_DATA 5\nSCALARS pressure float\nLOOKUP_TABLE default\n");
    (0..5).for_each(|_| sink.float(0.5));
    sink.text("\nFIELD FieldData 1\nregion 1 5 long\n");
    CELLS.iter().for_each(|cell| sink.long(i64::from(cell.2)));
    sink.text("\n");
    sink.out
}

/// A legacy VTK surface: a line, a square, a strip, and normals, texture coordinates and colours.
pub fn vtk_surface(coding: Coding, newest: bool) -> Vec<u8> {
    let mut sink = vtk_head(coding, newest, "POLYDATA");
    sink.text("POINTS 5 float\n");
    POINTS.as_flattened().iter().for_each(|x| sink.float(*x));
    sink.text("\n");
    vtk_cells(&mut sink, "TRIANGLE_STRIPS", &[&[0, 1, 2, 3]], newest);
    vtk_cells(&mut sink, "LINES", &[&[2, 3, 4]], newest);
    vtk_cells(&mut sink, "POLYGONS", &[&[3, 1, 0, 2], &[4, 2, 1]], newest);
    sink.text("POINT_DATA 5\nNORMALS n float\n");
    (0..5).for_each(|_| [0.0, 0.0, 2.0].iter().for_each(|x| sink.float(*x)));
    sink.text("\nTEXTURE_COORDINATES t 2 float\n");
    (0..10).for_each(|i| sink.float(f64::from(i)));
    sink.text("\nSCALARS c unsigned_char 3\nLOOKUP_TABLE default\n");
    (0..5).for_each(|_| [255, 0, 51].iter().for_each(|x| sink.byte(*x)));
    sink.text("\nVECTORS v float\n");
    (0..15).for_each(|_| sink.float(1.0));
    sink.text("\nCELL_DATA 4\nSCALARS Material int 1\nLOOKUP_TABLE default\n");
    [7, 8, 9, 10].iter().for_each(|x| sink.int(*x));
    sink.text("\n");
    sink.out
}

fn vtk_head(coding: Coding, newest: bool, dataset: &str) -> Sink {
    let mut sink = Sink { out: Vec::new(), coding };
    let version = if newest { "5.1" } else { "3.0" };
    let code = if coding == Coding::Text { "ASCII" } else { "BINARY" };
    sink.text(&format!("# vtk DataFile Version {version}\nby hand\n{code}\nDATASET {dataset}\n"));
    sink
}

fn vtk_cells(sink: &mut Sink, name: &str, cells: &[&[usize]], newest: bool) {
    let size: usize = cells.iter().map(|cell| cell.len()).sum();
    if newest {
        sink.text(&format!("{name} {} {size}\nOFFSETS vtktypeint64\n", cells.len() + 1));
        let mut end = 0;
        sink.long(0);
        for cell in cells {
            end += cell.len() as i64;
            sink.long(end);
        }
        sink.text("\nCONNECTIVITY vtktypeint64\n");
        cells.iter().copied().flatten().for_each(|c| sink.long(*c as i64));
    } else {
        sink.text(&format!("{name} {} {}\n", cells.len(), size + cells.len()));
        for cell in cells {
            sink.int(cell.len() as i32);
            cell.iter().for_each(|c| sink.int(*c as i32));
        }
    }
    sink.text("\n");
}

/// The numbers of each cell of the mesh, for VTK XML: corners, ends, types, regions.
pub fn vtk_numbers() -> [Vec<i64>; 4] {
    let mut numbers = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for (_, kind, physical, _, corners) in CELLS {
        numbers[0].extend(corners.iter().map(|c| *c as i64));
        let end = numbers[0].len() as i64;
        numbers[1].push(end);
        numbers[2].push(i64::from(*kind));
        numbers[3].push(i64::from(*physical));
    }
    numbers
}

pub const NODE: &[u8] = b"5 3 0 1\n1 0.1 0 0 0\n2 1 0 0.25 4\n3 0 1 0 4\n4 0 0 1 0\n5 0 -0.5 -1 0\n";
pub const ELE: &[u8] = b"2 4 1\n1 1 2 3 4 41\n2 1 3 2 5 42\n";
pub const FACE: &[u8] = b"2 1\n1 1 2 3 31\n2 2 3 4 32\n";
pub const MEDIT: &[u8] = b"MeshVersionFormatted 1\nDimension 3\nVertices 5\n0.1 0 0 0\n1 0 0.25 0\n0 1 0 0\n0 0 1 0\n\
    0 -0.5 -1 0\nEdges 1\n1 2 0\nTriangles 2\n1 2 3 31\n2 3 4 32\nTetrahedra 2\n1 2 3 4 41\n1 3 2 5 42\nEnd\n";
