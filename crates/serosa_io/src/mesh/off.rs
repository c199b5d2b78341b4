//! OFF: points and polygons as plain text. `C` in the first word means colours, `N` normals, `ST` texture coordinates.

use super::join::{one_part, push_triangle, say_flat, unit};
use super::words::{Lines, finite, integer, real, shown, words};
use super::{Export, ImportError, Resolve, Spot};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::fmt::Write;

const HELP: &str = "correct the line, or export the mesh anew";

/// Whether the first word is `OFF` or one of its kinds.
pub fn begins(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    Content::new(head).next().is_some_and(|(_, line)| kind(line).is_some())
}

/// Lines without remarks, empty ones passed over.
struct Content<'a>(Lines<'a>);

impl<'a> Content<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self(Lines::new(bytes))
    }
}

impl<'a> Iterator for Content<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.find_map(|(number, line)| {
            let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
            let line = line[..end].trim_ascii();
            (!line.is_empty()).then_some((number, line))
        })
    }
}

/// What the first word says, and what follows it on its line.
struct Kind<'a> {
    uvs: bool,
    colors: bool,
    normals: bool,
    /// Points of four or any number of coordinates.
    other: bool,
    rest: &'a [u8],
}

fn kind(line: &[u8]) -> Option<Kind<'_>> {
    let at = line.windows(3).take(8).position(|w| w == b"OFF")?;
    let (mut word, rest) = (&line[..at], &line[at + 3..]);
    let mut take = |prefix: &[u8]| {
        let rest = word.strip_prefix(prefix);
        word = rest.unwrap_or(word);
        rest.is_some()
    };
    let (uvs, colors, normals) = (take(b"ST"), take(b"C"), take(b"N"));
    let other = take(b"4") | take(b"n");
    let sound = word.is_empty() && rest.first().is_none_or(|b| b.is_ascii_whitespace() || b.is_ascii_digit());
    sound.then_some(Kind { uvs, colors, normals, other, rest })
}

/// Reads an OFF file as one part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let mut lines = Content::new(bytes);
    let Some((number, first)) = lines.next() else {
        return Err(ImportError::new(Spot::Whole, "the file is empty", "export the mesh anew"));
    };
    let told = |message: String| ImportError::new(Spot::Line(number), message, HELP);
    // The word may be missing where the ending of the file says what it is.
    let bare = Kind { uvs: false, colors: false, normals: false, other: false, rest: first };
    let kind = kind(first).or_else(|| first[0].is_ascii_digit().then_some(bare));
    let kind =
        kind.ok_or_else(|| told(format!("the file begins with \"{}\" and not with OFF", shown(first))))?;
    if kind.other || kind.rest.trim_ascii_start().starts_with(b"BINARY") {
        return Err(told("four-dimensional and binary OFF files are not read".to_owned()));
    }
    let (number, counts) = match kind.rest.trim_ascii() {
        b"" => lines.next().unwrap_or((number, b"")),
        rest => (number, rest),
    };
    let mut counts = words(counts).map(integer);
    let (Some(Some(points @ 0..)), Some(Some(faces @ 0..))) = (counts.next(), counts.next()) else {
        let message = "here the numbers of points and of faces must stand";
        return Err(ImportError::new(Spot::Line(number), message, HELP));
    };
    let mut reader = Reader::default();
    reader.read(&kind, &mut lines, points as u64, faces as u64)?;
    reader.finish()
}

#[derive(Default)]
struct Reader {
    part: Part,
    corners: Vec<u32>,
    flat: usize,
    /// Faces of one or two corners.
    thin: usize,
    painted: usize,
}

impl Reader {
    fn read(&mut self, kind: &Kind, lines: &mut Content, points: u64, faces: u64) -> Result<(), ImportError> {
        for i in 0..points {
            let (number, line) = lines.next().ok_or_else(|| cut("points", i, points))?;
            self.point(kind, line).map_err(|m| ImportError::new(Spot::Line(number), m, HELP))?;
        }
        for i in 0..faces {
            let (number, line) = lines.next().ok_or_else(|| cut("faces", i, faces))?;
            self.face(line).map_err(|m| ImportError::new(Spot::Line(number), m, HELP))?;
        }
        Ok(())
    }

    fn point(&mut self, kind: &Kind, line: &[u8]) -> Result<(), String> {
        let part = &mut self.part;
        let number = part.points.len();
        let mut numbers = words(line);
        let triple = |numbers: &mut dyn FnMut() -> Option<f64>| {
            Some(Vec3::new(numbers()?, numbers()?, numbers()?)).filter(|p| p.is_finite())
        };
        let mut next = || numbers.next().and_then(finite);
        let point = triple(&mut next).ok_or_else(|| format!("point {number} needs three finite numbers"))?;
        part.points.push(point);
        if kind.normals {
            let normal =
                triple(&mut next).ok_or_else(|| format!("the normal of point {number} is missing"))?;
            part.normals.push(unit(normal));
        }
        if kind.uvs {
            // They stand last, whatever the colours are.
            let all: Vec<f64> = words(line).filter_map(finite).collect();
            let [.., u, v] = all[..] else { return Err(format!("point {number} has no texture coordinate")) };
            part.uvs.push([u, v]);
        }
        if kind.colors {
            let Some(color) = triple(&mut next) else {
                return Err(format!("the colour of point {number} is missing"));
            };
            let [r, g, b] = color.to_array().map(|v| v as f32);
            let alpha = if kind.uvs { None } else { next() };
            // Whole numbers reach to 255, others to 1; which it is shows only when all are known.
            part.colors.push([r, g, b, alpha.map_or(f32::NAN, |a| a as f32)]);
        }
        Ok(())
    }

    fn face(&mut self, line: &[u8]) -> Result<(), String> {
        let mut numbers = words(line);
        let count = numbers.next().and_then(integer).filter(|n| *n >= 0);
        let count = count.ok_or("a face begins with the number of its corners")? as usize;
        let points = self.part.points.len();
        self.corners.clear();
        for word in numbers.by_ref().take(count) {
            let number =
                integer(word).ok_or_else(|| format!("\"{}\" is not the number of a point", shown(word)))?;
            if !(0..points as i64).contains(&number) {
                return Err(format!("point {number} is named, of {points} (from 0)"));
            }
            self.corners.push(number as u32);
        }
        if self.corners.len() < count {
            return Err(format!("a face of {count} corners has only {}", self.corners.len()));
        }
        self.painted += usize::from(numbers.next().is_some_and(|w| real(w).is_some()));
        match self.corners.as_slice() {
            [first, rest @ ..] if count > 2 => rest.windows(2).for_each(|pair| {
                push_triangle(&mut self.part.triangles, [*first, pair[0], pair[1]], &mut self.flat);
            }),
            _ => self.thin += 1,
        }
        Ok(())
    }

    fn finish(self) -> Result<RawScene, ImportError> {
        let mut part = self.part;
        if part.points.is_empty() {
            return Err(ImportError::new(Spot::Whole, "the file holds no points", "export the mesh anew"));
        }
        let most = part.colors.iter().flatten().fold(0.0, |most: f32, c| most.max(*c));
        let full = if most > 1.0 { 255.0 } else { 1.0 };
        for color in &mut part.colors {
            *color = color.map(|c| if c.is_nan() { 1.0 } else { (c / full).clamp(0.0, 1.0) });
        }
        if !part.normals.is_empty() {
            part.triangle_normals = part.triangles.clone();
        }
        if !part.uvs.is_empty() {
            part.triangle_uvs = part.triangles.clone();
        }
        let mut remarks = Vec::new();
        say_flat(self.flat, &mut remarks);
        if self.thin > 0 {
            remarks.push(format!("{} faces of fewer than three corners were left out.", self.thin));
        }
        if self.painted > 0 {
            remarks.push(format!("The colours of {} faces were passed over.", self.painted));
        }
        Ok(RawScene { parts: vec![part], remarks, ..RawScene::default() })
    }
}

fn cut(what: &str, found: u64, wanted: u64) -> ImportError {
    let message = format!("the file ends after {found} of {wanted} {what}");
    ImportError::new(Spot::Whole, message, "the file is cut: copy it again, or correct its counts")
}

/// Writes points, their colours and triangles.
pub fn export(scene: &RawScene) -> Result<Export, String> {
    let part = one_part(scene);
    let colored = !part.colors.is_empty();
    let mut text = String::from(if colored { "COFF\n" } else { "OFF\n" });
    // Writing into a text cannot fail, hence `let _`.
    let _ = writeln!(text, "{} {} 0", part.points.len(), part.triangles.len());
    for (i, p) in part.points.iter().enumerate() {
        let _ = write!(text, "{:?} {:?} {:?}", p.x, p.y, p.z);
        if let Some([r, g, b, a]) = part.colors.get(i) {
            let _ = write!(text, " {r:?} {g:?} {b:?} {a:?}");
        }
        text.push('\n');
    }
    for [a, b, c] in &part.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    let cases = [
        (scene.parts.len() > 1, "Parts were joined: OFF knows only one."),
        (
            !part.lines.is_empty() || !part.tets.is_empty(),
            "Lines and tetrahedra were left out: OFF has none.",
        ),
        (
            !part.sets.is_empty() || !part.triangle_regions.is_empty(),
            "Sets and regions were left out: OFF has none.",
        ),
        (!part.normals.is_empty() || !part.uvs.is_empty(), "Normals and texture coordinates were left out."),
        (!scene.materials.is_empty(), "Materials were left out: OFF has none."),
    ];
    let remarks = cases.iter().filter(|c| c.0).map(|c| c.1.to_owned()).collect();
    Ok(Export { bytes: text.into_bytes(), remarks })
}
