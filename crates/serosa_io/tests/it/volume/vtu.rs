//! XML files of VTK: every way to write the numbers, and our own writer.

use super::samples::{self, Coding, Sink};
use super::{open, refusal};
use serosa_bake::RawScene;
use serosa_io::mesh::{FORMATS, format_of};

/// How arrays are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Words,
    Inline,
    Raw,
    Base64,
}

pub fn base64(bytes: &[u8]) -> String {
    let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits: Vec<u8> = chunk.iter().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1)).collect();
        let quad =
            bits.chunks(6).map(|six| (0..6).fold(0, |sum, i| sum * 2 + six.get(i).copied().unwrap_or(0)));
        text.extend(quad.map(|six| letters[usize::from(six)]));
        text.extend(std::iter::repeat_n('=', 3 - chunk.len()));
    }
    text
}

/// A file in the making.
struct Writer {
    way: Way,
    coding: Coding,
    wide: bool,
    zip: bool,
    appended: Vec<u8>,
}

impl Writer {
    fn header(&self, numbers: &[usize]) -> Vec<u8> {
        let mut sink = Sink { out: Vec::new(), coding: self.coding };
        for number in numbers {
            if self.wide { sink.long(*number as i64) } else { sink.int(*number as i32) }
        }
        sink.out
    }

    /// Header and data, both in base64 where that is asked for, each padded on its own.
    fn packed(&self, data: &[u8]) -> [Vec<u8>; 2] {
        if !self.zip {
            return [self.header(&[data.len()]), data.to_vec()];
        }
        let blocks: Vec<&[u8]> = data.chunks(64).collect();
        let zipped: Vec<Vec<u8>> =
            blocks.iter().map(|block| miniz_oxide::deflate::compress_to_vec_zlib(block, 6)).collect();
        let mut numbers = vec![blocks.len(), 64, data.len() % 64];
        numbers.extend(zipped.iter().map(Vec::len));
        [self.header(&numbers), zipped.concat()]
    }

    fn array(&mut self, text: &mut String, kind: &str, name: &str, width: usize, put: &dyn Fn(&mut Sink)) {
        let coding = if self.way == Way::Words { Coding::Text } else { self.coding };
        let mut sink = Sink { out: Vec::new(), coding };
        put(&mut sink);
        let parts = self.packed(&sink.out);
        let (format, inner) = match self.way {
            Way::Words => ("ascii".to_owned(), String::from_utf8(sink.out).unwrap()),
            Way::Inline => ("binary".to_owned(), parts.iter().map(|part| base64(part)).collect()),
            Way::Raw | Way::Base64 => {
                let offset = self.appended.len();
                for part in parts {
                    let part = if self.way == Way::Raw { part } else { base64(&part).into_bytes() };
                    self.appended.extend(part);
                }
                (format!("appended\" offset=\"{offset}"), String::new())
            }
        };
        let head = format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
        text.push_str(&format!("<DataArray {head} format=\"{format}\">\n{inner}\n</DataArray>\n"));
    }
}

/// The sample mesh as an unstructured grid.
pub fn grid(way: Way, coding: Coding, wide: bool, zip: bool) -> Vec<u8> {
    let mut writer = Writer { way, coding, wide, zip, appended: Vec::new() };
    let order = if coding == Coding::Big { "BigEndian" } else { "LittleEndian" };
    let header = if wide { "UInt64" } else { "UInt32" };
    let zipped = if zip { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{order}\" \
         header_type=\"{header}\"{zipped}>\n<!-- by hand --><UnstructuredGrid>\n\
         <Piece NumberOfPoints=\"5\" NumberOfCells=\"5\">\n<Points>\n"
    );
    let [corners, ends, kinds, regions] = samples::vtk_numbers();
    let put_points = |sink: &mut Sink| samples::POINTS.as_flattened().iter().for_each(|x| sink.real(*x));
    writer.array(&mut text, "Float64", "Points", 3, &put_points);
    text.push_str("</Points>\n<Cells>\n");
    writer.array(&mut text, "Int64", "connectivity", 1, &|s| corners.iter().for_each(|n| s.long(*n)));
    writer.array(&mut text, "Int32", "offsets", 1, &|s| ends.iter().for_each(|n| s.int(*n as i32)));
    writer.array(&mut text, "UInt8", "types", 1, &|s| kinds.iter().for_each(|n| s.byte(*n as u8)));
    text.push_str("</Cells>\n<CellData>\n");
    writer.array(&mut text, "Int32", "gmsh:physical", 1, &|s| regions.iter().for_each(|n| s.int(*n as i32)));
    text.push_str("</CellData>\n<PointData>\n");
    writer.array(&mut text, "Float32", "heat", 1, &|s| (0..5).for_each(|_| s.float(37.0)));
    text.push_str("</PointData>\n</Piece>\n</UnstructuredGrid>\n");
    let mut bytes = text.into_bytes();
    if way == Way::Raw || way == Way::Base64 {
        let encoding = if way == Way::Raw { "raw" } else { "base64" };
        bytes.extend(format!("<AppendedData encoding=\"{encoding}\">\n_").as_bytes());
        bytes.extend(&writer.appended);
        bytes.extend(b"\n</AppendedData>\n");
    }
    bytes.extend(b"</VTKFile>\n");
    bytes
}

#[test]
fn every_way_gives_the_same_part() {
    for way in [Way::Words, Way::Inline, Way::Raw, Way::Base64] {
        for coding in [Coding::Little, Coding::Big] {
            for (wide, zip) in [(false, false), (true, false), (false, true), (true, true)] {
                let file = grid(way, coding, wide, zip);
                assert_eq!(format_of(&file, "a").map(|f| f.name), Some("vtu"));
                let scene = open("vtu", &file);
                assert_eq!(scene.parts, [samples::part()], "{way:?} {coding:?} {wide} {zip}");
                assert_eq!(scene.remarks, ["Data were left out: \"heat\" of points."]);
            }
        }
    }
}

const SURFACE: &str = "<VTKFile type=\"PolyData\" version=\"0.1\">
<PolyData><Piece NumberOfPoints=\"4\" NumberOfVerts=\"1\" NumberOfLines=\"1\" NumberOfStrips=\"1\" NumberOfPolys=\"1\">
<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 1 1 0</DataArray></Points>
<Verts><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0</DataArray>
<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">1</DataArray></Verts>
<Lines><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 3</DataArray>
<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray></Lines>
<Strips><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>
<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray></Strips>
<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 3 2</DataArray>
<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray></Polys>
<PointData Normals=\"N\"><DataArray type=\"Float32\" Name=\"N\" NumberOfComponents=\"3\" format=\"ascii\">
0 0 1 0 0 1 0 0 1 0 0 1</DataArray></PointData>
<CellData><DataArray type=\"Int32\" Name=\"label\" format=\"ascii\">1 2 3 4</DataArray></CellData>
</Piece></PolyData></VTKFile>";

#[test]
fn a_surface_is_read_and_its_cells_counted_as_vtk_does() {
    let scene = open("vtu", SURFACE.as_bytes());
    let part = &scene.parts[0];
    assert_eq!((&part.lines, part.normals.len()), (&vec![[0, 1], [1, 3]], 4));
    assert_eq!(part.triangles, [[0, 1, 3], [0, 3, 2], [0, 1, 2], [2, 1, 3]]);
    assert_eq!(part.triangle_regions, [3, 3, 4, 4]);
    assert_eq!(scene.remarks, ["1 single points were left out as cells; their points stay."]);
}

#[test]
fn what_is_written_comes_back() {
    let vtu = FORMATS.iter().find(|f| f.name == "vtu").unwrap();
    let mut other = samples::part();
    other.points[0].x = f64::MIN_POSITIVE;
    other.tet_regions.clear();
    let written = RawScene { parts: vec![samples::part(), other], ..RawScene::default() };
    let export = vtu.export.unwrap()(&written).unwrap();
    assert_eq!(export.remarks, [""; 0]);
    let read = open("vtu", &export.bytes);
    assert_eq!((read.parts, read.remarks.len()), (written.parts.clone(), 0));
    let mut named = written;
    named.parts[0].sets.insert("hold".to_owned(), vec![0]);
    named.parts[0].name = "liver".to_owned();
    let remarks = vtu.export.unwrap()(&named).unwrap().remarks;
    assert_eq!(remarks, ["Left out of the VTU file: names of parts, named sets of points."]);
    assert!(vtu.export.unwrap()(&RawScene::default()).is_err());
}

#[test]
fn mistakes_are_told_with_their_place() {
    let text = String::from_utf8(grid(Way::Words, Coding::Little, false, false)).unwrap();
    let cases = [
        (
            "NumberOfPoints=\"5\"",
            "NumberOfPoints=\"4\"",
            "line 6: array \"Points\" in <Points>: it holds 15 numbers, but",
        ),
        ("NumberOfCells=\"5\"", "NumberOfCells=\"6\"", "array \"offsets\" in <Cells>: it holds 5 numbers"),
        ("NumberOfCells=\"5\"", "NumberOfCells=\"-5\"", "NumberOfCells=\"-5\" is no count"),
        ("0.25", "nan", "point 1 is not finite"),
        ("0.25", "x", "\"x\" stands where a number belongs"),
        ("0 1 0 1 2", "0 1 0 1 7", "cell 1 uses point 7, and there are 5"),
        ("type=\"UnstructuredGrid\"", "type=\"ImageData\"", "a VTK file of type \"ImageData\" holds no mesh"),
        ("LittleEndian", "PDP", "line 2: byte_order \"PDP\" is not known"),
        (
            "\"UInt32\"",
            "\"UInt32\" compressor=\"vtkLZ4DataCompressor\"",
            "\"vtkLZ4DataCompressor\" is not known",
        ),
        ("\"Float64\"", "\"Float128\"", "numbers of type \"Float128\" are not known"),
        ("Name=\"types\"", "Name=\"kinds\"", "<Cells> of the piece has no array \"types\""),
        ("</Cells>", "</Cell>", "</Cell> closes what is not open"),
        ("</VTKFile>", "", "the file ends inside of <VTKFile>"),
    ];
    for (from, to, wanted) in cases {
        assert!(text.contains(from), "{from}");
        let error = refusal("vtu", text.replacen(from, to, 1).as_bytes());
        assert!(error.contains(wanted), "{from:?} → {to:?}: {error}");
    }
    let raw = grid(Way::Raw, Coding::Little, true, true);
    let cut = refusal("vtu", &raw[..raw.len() - 200]);
    assert!(cut.starts_with("byte ") && cut.contains("array"), "{cut}");
    let order = String::from_utf8(grid(Way::Inline, Coding::Big, true, false)).unwrap();
    let error = refusal("vtu", order.replace("BigEndian", "LittleEndian").as_bytes());
    assert!(error.contains("bytes are announced"), "the wrong byte order: {error}");
}
