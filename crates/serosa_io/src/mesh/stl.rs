//! STL, binary and ASCII. The format has no numbers of points: those that are exactly equal are made one, for
//! otherwise no two triangles would hang together. Facet normals follow from the corners and are not read.

use super::join::{one_part, plane_normal, push_triangle, say_flat};
use super::weld::Welder;
use super::words::{Lines, finite, words};
use super::{Export, ImportError, Resolve, Spot};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;

/// Bytes before the first triangle of a binary file: a header that nobody reads, and the number of triangles.
const HEAD: usize = 84;
/// Bytes of a triangle: normal, three corners, and two bytes in which some programs hide a colour.
const TRIANGLE: usize = 50;

/// Whether the size is that of a binary file of as many triangles as it says, or the text begins with `solid`.
pub fn begins(bytes: &[u8]) -> bool {
    let exact =
        stated(bytes).is_some_and(|n| n > 0 && HEAD as u64 + n * TRIANGLE as u64 == bytes.len() as u64);
    exact || is_text(bytes)
}

/// Reads an STL file; each solid of an ASCII file is a part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let exact =
        stated(bytes).is_some_and(|n| n > 0 && HEAD as u64 + n * TRIANGLE as u64 == bytes.len() as u64);
    let scene = if !exact && is_text(bytes) { text(bytes)? } else { binary(bytes)? };
    if scene.parts.iter().all(|p| p.triangles.is_empty()) {
        let help = "export the mesh again, and look whether anything was selected";
        return Err(ImportError::new(Spot::Whole, "the file holds no triangles", help));
    }
    Ok(scene)
}

/// The number of triangles that a binary file says it has.
fn stated(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..HEAD)?;
    Some(u64::from(u32::from_le_bytes([count[0], count[1], count[2], count[3]])))
}

/// Whether it begins with the word `solid` and goes on as ASCII files do. Binary ones may begin so as well.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    let mut lines = Lines::new(head).map(|(_, line)| line.trim_ascii_start()).skip_while(|l| l.is_empty());
    let starts = |line: &[u8], word: &str| {
        let end = line.get(word.len()).is_none_or(u8::is_ascii_whitespace);
        end && line.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word.as_bytes()))
    };
    lines.next().is_some_and(|line| starts(line, "solid"))
        && (lines.any(|line| starts(line, "facet") || starts(line, "endsolid")) || bytes.len() < HEAD)
}

fn binary(bytes: &[u8]) -> Result<RawScene, ImportError> {
    let Some(stated) = stated(bytes) else {
        let message = format!("the file ends after {} bytes, within its header", bytes.len());
        return Err(ImportError::new(Spot::Byte(bytes.len()), message, "is it an STL file? copy it again"));
    };
    let body = &bytes[HEAD..];
    let fits = (body.len() / TRIANGLE) as u64;
    if stated > fits {
        let message = format!("the header says {stated} triangles, and there are bytes for {fits}");
        let help = "the file is cut, or is no STL file: copy it again, or export the mesh anew";
        return Err(ImportError::new(Spot::Byte(80), message, help));
    }
    let count = stated as usize;
    let mut part = Part { triangles: Vec::with_capacity(count), ..Part::default() };
    let (mut welder, mut flat, mut colored) = (Welder::new(), 0, 0);
    for (i, triangle) in body.chunks_exact(TRIANGLE).take(count).enumerate() {
        let mut corners = [0; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let at = 12 + 12 * k;
            let [x, y, z] = [0, 4, 8].map(|n| f64::from(single(triangle, at + n)));
            let point = Vec3::new(x, y, z);
            if !point.is_finite() {
                let message = format!("corner {} of triangle {} is not finite", k + 1, i + 1);
                return Err(ImportError::new(
                    Spot::Byte(HEAD + i * TRIANGLE + at),
                    message,
                    "export the mesh anew",
                ));
            }
            *corner = welder.place(&mut part.points, point);
        }
        push_triangle(&mut part.triangles, corners, &mut flat);
        colored += usize::from(triangle[48..] != [0, 0]);
    }
    let mut remarks = vec![welded(3 * count, part.points.len())];
    say_flat(flat, &mut remarks);
    if colored > 0 {
        remarks.push(format!(
            "{colored} triangles have attribute bytes, perhaps colours; they were passed over."
        ));
    }
    let after = body.len() - count * TRIANGLE;
    if after > 0 {
        remarks.push(format!("{after} bytes after the last triangle were passed over."));
    }
    Ok(RawScene { parts: vec![part], remarks, ..RawScene::default() })
}

fn single(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn welded(corners: usize, points: usize) -> String {
    format!(
        "{corners} corners became {points} points: those exactly equal were made one, as STL has no numbers."
    )
}

fn text(bytes: &[u8]) -> Result<RawScene, ImportError> {
    let mut reader = Text::default();
    let mut last = 1;
    for (number, line) in Lines::new(bytes) {
        let told = |m| ImportError::new(Spot::Line(number), m, "correct the line, or export the mesh anew");
        reader.line(line).map_err(told)?;
        last = number;
    }
    if reader.open {
        let message =
            if reader.facet { "the file ends within a facet" } else { "the file ends without `endsolid`" };
        let help = "the file is cut: copy it again, or add the line if nothing else is missing";
        return Err(ImportError::new(Spot::Line(last), message, help));
    }
    reader.parts.pop_if(|p| p.triangles.is_empty());
    let points = reader.parts.iter().map(|p| p.points.len()).sum();
    let mut remarks = vec![welded(reader.count, points)];
    say_flat(reader.flat, &mut remarks);
    if reader.others > 0 {
        remarks.push(format!("{} lines that are no part of STL were passed over.", reader.others));
    }
    Ok(RawScene { parts: reader.parts, remarks, ..RawScene::default() })
}

#[derive(Default)]
struct Text {
    parts: Vec<Part>,
    welder: Option<Welder>,
    corners: Vec<u32>,
    /// Within a solid.
    open: bool,
    /// Within a facet.
    facet: bool,
    count: usize,
    flat: usize,
    others: usize,
}

impl Text {
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let mut words = words(line);
        let Some(first) = words.next() else { return Ok(()) };
        // No word of STL is longer than eight letters.
        let mut key = [0; 8];
        key.iter_mut().zip(first).for_each(|(k, b)| *k = b.to_ascii_lowercase());
        match &key[..first.len().min(8)] {
            b"vertex" => return self.vertex([words.next(), words.next(), words.next()]),
            b"facet" if self.facet => return Err("a facet begins within another".to_owned()),
            b"facet" if !self.open => return Err("a facet stands outside of any solid".to_owned()),
            b"facet" => {
                self.facet = true;
                self.corners.clear();
            }
            b"endfacet" => return self.end_facet(),
            // Its corners would be taken for those of the new solid.
            b"solid" if self.facet => return Err("a solid begins within a facet".to_owned()),
            b"solid" => {
                // Solids without triangles leave nothing, so that many of them cannot fill the memory.
                self.parts.pop_if(|p| p.triangles.is_empty());
                self.parts.push(Part { name: words.name(), ..Part::default() });
                self.welder = None;
                self.open = true;
            }
            b"endsolid" if self.facet => return Err("a solid ends within a facet".to_owned()),
            b"endsolid" => self.open = false,
            b"outer" | b"endloop" => {}
            _ => self.others += 1,
        }
        Ok(())
    }

    fn vertex(&mut self, numbers: [Option<&[u8]>; 3]) -> Result<(), String> {
        let [Some(x), Some(y), Some(z)] = numbers.map(|n| n.and_then(finite)) else {
            return Err(format!("vertex {} needs three finite numbers", self.count + 1));
        };
        let Some(part) = self.parts.last_mut().filter(|_| self.facet) else {
            return Err("a vertex stands outside of any facet".to_owned());
        };
        self.count += 1;
        let welder = self.welder.get_or_insert_with(Welder::new);
        self.corners.push(welder.place(&mut part.points, Vec3::new(x, y, z)));
        Ok(())
    }

    fn end_facet(&mut self) -> Result<(), String> {
        let (Some(part), [first, rest @ ..]) = (self.parts.last_mut(), self.corners.as_slice()) else {
            return Err("a facet has no vertices".to_owned());
        };
        if rest.len() < 2 {
            return Err(format!("a facet has {} vertices, and needs three", self.corners.len()));
        }
        for pair in rest.windows(2) {
            push_triangle(&mut part.triangles, [*first, pair[0], pair[1]], &mut self.flat);
        }
        self.facet = false;
        self.corners.clear();
        Ok(())
    }
}

/// Writes all triangles as binary STL.
pub fn export(scene: &RawScene) -> Result<Export, String> {
    let part = one_part(scene);
    let count =
        u32::try_from(part.triangles.len()).map_err(|_| "STL holds no more than 4294967295 triangles")?;
    let mut bytes = Vec::with_capacity(HEAD + TRIANGLE * part.triangles.len());
    // Not beginning with `solid`, by which ASCII files are known.
    bytes.extend_from_slice(b"binary STL, written by Serosa");
    bytes.resize(80, b' ');
    bytes.extend_from_slice(&count.to_le_bytes());
    for triangle in &part.triangles {
        let normal = plane_normal(&part.points, triangle);
        for p in std::iter::once(normal).chain(triangle.map(|v| part.points[v as usize])) {
            for v in p.to_array() {
                let single = v as f32;
                if !single.is_finite() {
                    return Err(format!("the coordinate {v:e} is too large for STL; choose a larger unit"));
                }
                bytes.extend_from_slice(&single.to_le_bytes());
            }
        }
        bytes.extend_from_slice(&[0, 0]);
    }
    Ok(Export { bytes, remarks: lost(scene) })
}

fn lost(scene: &RawScene) -> Vec<String> {
    let parts = &scene.parts;
    let any = |has: fn(&Part) -> bool| parts.iter().any(has);
    let cases = [
        (parts.len() > 1, "Parts were joined: binary STL knows only one."),
        (any(|p| !p.lines.is_empty()), "Lines were left out: STL has none."),
        (any(|p| !p.tets.is_empty()), "Tetrahedra were left out: STL has none."),
        (any(|p| !p.sets.is_empty()), "Sets were left out: STL has none."),
        (
            !scene.materials.is_empty() || any(|p| !p.colors.is_empty()),
            "Colours were left out: STL has none.",
        ),
        (any(|p| !p.normals.is_empty()), "Normals were replaced by those of the triangles' planes."),
        (any(|p| !p.uvs.is_empty()), "Texture coordinates were left out: STL has none."),
        (any(|p| !p.triangle_regions.is_empty()), "Regions were left out: STL has none."),
    ];
    let mut remarks: Vec<String> = cases.iter().filter(|c| c.0).map(|c| c.1.to_owned()).collect();
    let exact = |p: &Part| p.points.iter().all(|p| p.to_array().iter().all(|v| f64::from(*v as f32) == *v));
    if !parts.iter().all(exact) {
        remarks.push("Coordinates were rounded to single precision, about seven digits.".to_owned());
    }
    remarks
}
