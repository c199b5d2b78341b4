//! Wavefront OBJ, read by our own hand: vertices keep the numbers of the file, groups become sets, and a mistake
//! is told with its line. (The `tobj` crate gives every group vertices of its own, which tears a mesh apart.)

mod export;
mod groups;
mod material;

pub use export::export;

use super::join::{MISSING, complete, complete_materials, push_triangle, say_flat, unit};
use super::words::{Lines, Words, finite, integer, real, shown, words};
use super::{ImportError, Resolve, Spot};
use groups::Groups;
use material::Materials;
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::collections::BTreeMap;

/// Whether the first line of a text that is more than a remark or a name is a vertex, or names a library of materials.
pub fn begins(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let first = Lines::new(head).find_map(|(_, line)| {
        let mut words = words(line);
        let names = |w: &[u8]| w[0] == b'#' || matches!(w, b"o" | b"g" | b"s" | b"usemtl");
        words.next().filter(|w| !names(w)).map(|w| (w, words))
    });
    match first {
        Some((b"v", numbers)) => numbers.clone().count() >= 3 && numbers.take(3).all(|w| finite(w).is_some()),
        Some((word, _)) => word == b"mtllib",
        None => false,
    }
}

/// Reads an OBJ file as one part.
pub fn import(bytes: &[u8], resolve: Resolve) -> Result<RawScene, ImportError> {
    let mut reader = Reader::default();
    for (number, line) in Lines::continued(bytes) {
        let told = |m| ImportError::new(Spot::Line(number), m, "correct the line, or export the mesh anew");
        reader.line(line, resolve).map_err(told)?;
    }
    if reader.part.points.is_empty() {
        let help = "is it an OBJ file with `v` and `f` or `l` lines?";
        return Err(ImportError::new(Spot::Whole, "the file holds no points, faces or lines", help));
    }
    Ok(reader.finish())
}

/// A corner of a face: numbers of its point, texture coordinate and normal.
type Corner = [u32; 3];

#[derive(Default)]
struct Reader {
    part: Part,
    groups: Groups,
    materials: Materials,
    corners: Vec<Corner>,
    /// Triangles and lines that use a point twice.
    flat: usize,
    /// Numbers of normals and texture coordinates that do not exist.
    astray: usize,
    /// Colours that are no numbers.
    colorless: usize,
    /// Words at the beginning of lines that were passed over.
    others: BTreeMap<String, usize>,
}

impl Reader {
    fn line(&mut self, line: &[u8], resolve: Resolve) -> Result<(), String> {
        let mut words = words(line);
        match words.next() {
            Some(b"v") => self.vertex(words),
            Some(b"f") => self.face(words),
            Some(b"vn") => {
                let [x, y, z] = self.numbers::<3>(words, 3).ok_or("a normal needs three numbers")?;
                self.part.normals.push(unit(Vec3::new(x, y, z)));
                Ok(())
            }
            Some(b"vt") => {
                let uv = self.numbers::<2>(words, 1).filter(|uv| uv.iter().all(|v| v.is_finite()));
                self.part.uvs.push(uv.ok_or("a texture coordinate needs finite numbers")?);
                Ok(())
            }
            Some(b"l") => self.polyline(words),
            Some(b"p") => {
                self.read_corners(words)?;
                self.groups.dots.extend(self.corners.iter().map(|c| c[0]));
                Ok(())
            }
            Some(b"g") => self.groups.group(words, &self.part),
            Some(b"o") => {
                self.groups.object(words.name(), &self.part);
                Ok(())
            }
            Some(b"usemtl") => {
                self.materials.wear(words.name(), &mut self.part);
                Ok(())
            }
            Some(b"mtllib") => {
                self.materials.library(&words, resolve);
                Ok(())
            }
            Some(word) if word[0] != b'#' => {
                let word = shown(word);
                if self.others.len() < 8 || self.others.contains_key(&word) {
                    *self.others.entry(word).or_default() += 1;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The first numbers of a line, at least `least`; zeros for the rest.
    fn numbers<const N: usize>(&self, words: Words, least: usize) -> Option<[f64; N]> {
        let (mut numbers, mut count) = ([0.0; N], 0);
        for (number, word) in numbers.iter_mut().zip(words.take_while(|w| w[0] != b'#')) {
            *number = real(word)?;
            count += 1;
        }
        (count >= least).then_some(numbers)
    }

    /// Three coordinates; three more are a colour, as scanners and sculpting programs write it.
    fn vertex(&mut self, words: Words) -> Result<(), String> {
        let points = &mut self.part.points;
        let mut numbers = words.clone().take_while(|w| w[0] != b'#');
        let mut next = || numbers.next().and_then(finite);
        let (Some(x), Some(y), Some(z)) = (next(), next(), next()) else {
            return Err(format!("vertex {} needs three finite numbers", points.len() + 1));
        };
        points.push(Vec3::new(x, y, z));
        let color = [numbers.next(), numbers.next(), numbers.next()];
        if let [Some(r), Some(g), Some(b)] = color {
            let channel = |word: &[u8]| finite(word).map(|v| v.clamp(0.0, 1.0) as f32);
            self.part.colors.resize(self.part.points.len() - 1, [1.0; 4]);
            self.part.colors.push(match (channel(r), channel(g), channel(b)) {
                (Some(r), Some(g), Some(b)) => [r, g, b, 1.0],
                _ => {
                    self.colorless += 1;
                    [1.0; 4]
                }
            });
        }
        Ok(())
    }

    /// Corners of a face or line: `7`, `7/1`, `7/1/3`, `7//3`, from 1, or negative from the last.
    fn read_corners(&mut self, words: Words) -> Result<(), String> {
        self.corners.clear();
        let counts = [self.part.points.len(), self.part.uvs.len(), self.part.normals.len()];
        for word in words.take_while(|w| w[0] != b'#') {
            let mut corner = [MISSING; 3];
            for (i, number) in word.split(|&b| b == b'/').take(3).enumerate() {
                if i > 0 && number.is_empty() {
                    continue;
                }
                let number =
                    integer(number).ok_or_else(|| format!("\"{}\" is not a vertex number", shown(word)))?;
                let count = counts[i] as i64;
                let index = if number < 0 { count + number } else { number - 1 };
                match (0..count).contains(&index) {
                    true => corner[i] = index as u32,
                    false if i == 0 => return Err(format!("vertex {number} is named, of {count} so far")),
                    false => self.astray += 1,
                }
            }
            self.corners.push(corner);
        }
        Ok(())
    }

    fn face(&mut self, words: Words) -> Result<(), String> {
        self.read_corners(words)?;
        let [first, rest @ ..] = self.corners.as_slice() else {
            return Err("a face needs three vertices".to_owned());
        };
        if rest.len() < 2 {
            return Err("a face needs three vertices".to_owned());
        }
        let part = &mut self.part;
        for pair in rest.windows(2) {
            let corners = [first, &pair[0], &pair[1]];
            let before = part.triangles.len();
            if !push_triangle(&mut part.triangles, corners.map(|c| c[0]), &mut self.flat) {
                continue;
            }
            number(&mut part.triangle_uvs, before, corners.map(|c| c[1]));
            number(&mut part.triangle_normals, before, corners.map(|c| c[2]));
            self.materials.dress(&mut part.triangle_materials);
        }
        Ok(())
    }

    fn polyline(&mut self, words: Words) -> Result<(), String> {
        self.read_corners(words)?;
        if self.corners.len() < 2 {
            return Err("a line needs two vertices".to_owned());
        }
        for pair in self.corners.windows(2) {
            let [a, b] = [pair[0][0], pair[1][0]];
            match a != b {
                true => self.part.lines.push([a, b]),
                false => self.flat += 1,
            }
        }
        Ok(())
    }

    fn finish(mut self) -> RawScene {
        let mut part = self.part;
        let mut remarks = self.materials.remarks;
        self.groups.finish(&mut part);
        if !part.colors.is_empty() {
            part.colors.resize(part.points.len(), [1.0; 4]);
        }
        for (list, none) in [(&mut part.triangle_uvs, MISSING), (&mut part.triangle_normals, MISSING)] {
            if !list.is_empty() {
                list.resize(part.triangles.len(), [none; 3]);
            }
        }
        say_flat(self.flat, &mut remarks);
        complete(&mut part, &mut remarks);
        if self.astray > 0 {
            let n = self.astray;
            remarks.push(format!(
                "{n} corners name normals or texture coordinates that the file does not have."
            ));
        }
        if self.colorless > 0 {
            remarks.push(format!(
                "{} points have colours that are no numbers; they became white.",
                self.colorless
            ));
        }
        for (word, count) in self.others {
            remarks.push(format!("{count} lines that begin with \"{word}\" were passed over."));
        }
        let mut scene = RawScene { parts: vec![part], remarks, ..RawScene::default() };
        scene.materials = std::mem::take(&mut self.materials.worn);
        complete_materials(&mut scene);
        scene
    }
}

/// Notes three numbers of a triangle; nothing is kept as long as none has any.
fn number(list: &mut Vec<[u32; 3]>, before: usize, numbers: [u32; 3]) {
    if list.is_empty() && numbers.contains(&MISSING) {
        return;
    }
    list.resize(before, [MISSING; 3]);
    list.push(numbers);
}
