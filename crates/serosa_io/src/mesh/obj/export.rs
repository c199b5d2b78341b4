//! Writes OBJ: parts as objects, sets as groups of dots (`p`), which keep exactly their points.

use crate::mesh::Export;
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use std::fmt::Write;

/// Writes a scene as an OBJ file.
pub fn export(scene: &RawScene) -> Result<Export, String> {
    let mut writer = Writer { scene, text: String::new(), renamed: 0, base: [1; 3], material: None };
    for part in &scene.parts {
        writer.part(part);
    }
    let remarks = writer.remarks();
    Ok(Export { bytes: writer.text.into_bytes(), remarks })
}

struct Writer<'a> {
    scene: &'a RawScene,
    text: String,
    /// Names that had blanks in them.
    renamed: usize,
    /// Numbers of the next point, texture coordinate and normal.
    base: [usize; 3],
    material: Option<u32>,
}

// Writing into a text cannot fail, hence `let _`.
impl Writer<'_> {
    fn part(&mut self, part: &Part) {
        if !part.name.is_empty() || self.scene.parts.len() > 1 {
            let name = part.name.replace(['\n', '\r'], " ");
            let _ = writeln!(self.text, "o {name}");
        }
        for (i, p) in part.points.iter().enumerate() {
            let _ = match part.colors.get(i) {
                Some([r, g, b, _]) => {
                    writeln!(self.text, "v {:?} {:?} {:?} {r:?} {g:?} {b:?}", p.x, p.y, p.z)
                }
                None => writeln!(self.text, "v {:?} {:?} {:?}", p.x, p.y, p.z),
            };
        }
        for [u, v] in &part.uvs {
            let _ = writeln!(self.text, "vt {u:?} {v:?}");
        }
        for n in &part.normals {
            let _ = writeln!(self.text, "vn {:?} {:?} {:?}", n.x, n.y, n.z);
        }
        for i in 0..part.triangles.len() {
            self.triangle(part, i);
        }
        let base = self.base[0];
        for [a, b] in &part.lines {
            let _ = writeln!(self.text, "l {} {}", *a as usize + base, *b as usize + base);
        }
        for (name, set) in &part.sets {
            self.set(name, set);
        }
        self.base[0] += part.points.len();
        self.base[1] += part.uvs.len();
        self.base[2] += part.normals.len();
    }

    fn triangle(&mut self, part: &Part, i: usize) {
        let material = part.triangle_materials.get(i).copied();
        if material.is_some() && material != self.material {
            let name = material.and_then(|m| self.scene.materials.get(m as usize)).map(|m| m.name.as_str());
            let _ = writeln!(self.text, "usemtl {}", name.unwrap_or_default().replace(['\n', '\r'], " "));
            self.material = material;
        }
        self.text.push('f');
        let [points, uvs, normals] = self.base;
        for k in 0..3 {
            let at = |list: &[[u32; 3]], base: usize| list.get(i).map(|t| t[k] as usize + base);
            let _ = write!(self.text, " {}", part.triangles[i][k] as usize + points);
            let _ = match (at(&part.triangle_uvs, uvs), at(&part.triangle_normals, normals)) {
                (None, None) => Ok(()),
                (Some(t), None) => write!(self.text, "/{t}"),
                (None, Some(n)) => write!(self.text, "//{n}"),
                (Some(t), Some(n)) => write!(self.text, "/{t}/{n}"),
            };
        }
        self.text.push('\n');
    }

    fn set(&mut self, name: &str, set: &[u32]) {
        let mut word: String =
            name.chars().map(|c| if c.is_whitespace() || c == '\\' { '_' } else { c }).collect();
        if word.is_empty() || word.starts_with('#') {
            word.insert(0, '_');
        }
        self.renamed += usize::from(word != name);
        let _ = writeln!(self.text, "g {word}");
        for chunk in set.chunks(16) {
            self.text.push('p');
            for v in chunk {
                let _ = write!(self.text, " {}", *v as usize + self.base[0]);
            }
            self.text.push('\n');
        }
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let parts = &self.scene.parts;
        if !self.scene.materials.is_empty() {
            remarks.push(
                "Materials are named, but not described: an OBJ file keeps colours and textures in a second file."
                    .to_owned(),
            );
        }
        let tets: usize = parts.iter().map(|p| p.tets.len()).sum();
        if tets > 0 {
            remarks.push(format!("{tets} tetrahedra were left out: OBJ has none."));
        }
        if parts.iter().any(|p| !p.triangle_regions.is_empty()) {
            remarks.push("The regions of triangles were left out: OBJ has none.".to_owned());
        }
        if parts.iter().flat_map(|p| &p.colors).any(|c| c[3] != 1.0) {
            remarks.push("The transparency of points was left out: OBJ has none.".to_owned());
        }
        if self.renamed > 0 {
            remarks
                .push(format!("{} sets were renamed: groups have no blanks in their names.", self.renamed));
        }
        remarks
    }
}
