//! Materials of an OBJ file: which triangle wears which, and the libraries (MTL) that describe them.

use crate::mesh::Resolve;
use crate::mesh::join::{MISSING, plain};
use crate::mesh::words::{Lines, Words, finite, words};
use serosa_bake::raw::{Material, Part};
use std::collections::BTreeMap;

/// The most libraries that are fetched for a file.
const LIBRARIES_MAX: usize = 64;

/// Materials as they are named and described.
#[derive(Default)]
pub struct Materials {
    /// Those that are worn, in the order of their first use.
    pub worn: Vec<Material>,
    /// What could not be taken over.
    pub remarks: Vec<String>,
    numbers: BTreeMap<String, u32>,
    described: BTreeMap<String, Material>,
    current: Option<u32>,
    libraries: Vec<String>,
}

impl Materials {
    /// `usemtl name`: what the next triangles wear.
    pub fn wear(&mut self, name: String, part: &mut Part) {
        part.triangle_materials.resize(part.triangles.len(), self.current.unwrap_or(MISSING));
        let next = self.worn.len() as u32;
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            let material = self.described.get(&name).cloned();
            self.worn.push(material.unwrap_or_else(|| plain(name)));
        }
        self.current = Some(number);
    }

    /// Notes what the triangle just read wears.
    pub fn dress(&self, materials: &mut Vec<u32>) {
        if let Some(current) = self.current {
            materials.push(current);
        }
    }

    /// `mtllib file`: the rest of the line is one name, or else several.
    pub fn library(&mut self, line: &Words, resolve: Resolve) {
        let whole = line.name();
        if whole.is_empty() || self.libraries.contains(&whole) || self.libraries.len() == LIBRARIES_MAX {
            return;
        }
        self.libraries.push(whole.clone());
        let bytes = resolve(&whole).or_else(|reason| {
            let several: Vec<&str> = whole.split_whitespace().take(LIBRARIES_MAX).collect();
            if several.len() < 2 {
                return Err(reason);
            }
            let mut all = Vec::new();
            for name in several {
                all.extend(resolve(name)?);
                all.push(b'\n');
            }
            Ok(all)
        });
        match bytes {
            Ok(bytes) => self.describe(&bytes),
            Err(reason) => {
                self.remarks.push(format!("The materials of \"{whole}\" could not be read: {reason}."))
            }
        }
    }

    fn describe(&mut self, bytes: &[u8]) {
        for material in read_library(bytes) {
            if let Some(&number) = self.numbers.get(&material.name) {
                self.worn[number as usize] = material.clone();
            }
            self.described.insert(material.name.clone(), material);
        }
    }
}

/// Reads the materials of a library. What it says besides colour, transparency and texture is passed over, and so
/// are its mistakes: a mesh is not refused for its paint.
fn read_library(bytes: &[u8]) -> Vec<Material> {
    let mut materials: Vec<Material> = Vec::new();
    for (_, line) in Lines::new(bytes) {
        let mut words = words(line);
        let key = words.next().unwrap_or_default();
        if key == b"newmtl" {
            materials.push(plain(words.name()));
            continue;
        }
        let Some(material) = materials.last_mut() else { continue };
        let rest = words.clone();
        let mut number = || words.next().and_then(finite).map(|v| v.clamp(0.0, 1.0) as f32);
        match key {
            b"Kd" => {
                if let (Some(r), Some(g), Some(b)) = (number(), number(), number()) {
                    material.color = [r, g, b];
                }
            }
            b"d" => {
                let opaque = rest.clone().last().and_then(finite);
                material.transparency = opaque.map_or(0.0, |d| 1.0 - d.clamp(0.0, 1.0) as f32);
            }
            b"Tr" => material.transparency = number().unwrap_or(0.0),
            b"map_Kd" => material.texture = texture(&rest),
            _ => {}
        }
    }
    materials
}

/// The file of a texture: the rest of the line, or its last word where options stand before it.
fn texture(words: &Words) -> Option<String> {
    let name = words.name();
    let name = match name.starts_with('-') {
        true => name.split_whitespace().last().unwrap_or_default().to_owned(),
        false => name,
    };
    (!name.is_empty()).then_some(name)
}
