//! Parts to Inventor 2.1 ASCII.

use crate::mesh::Export;
use serosa_bake::RawScene;
use serosa_bake::raw::{Material, Part};
use serosa_geometry::Vec3;
use std::fmt::Write;

/// Writes the parts of a scene, each under a Separator of its name.
pub(in crate::mesh) fn export(scene: &RawScene) -> Result<Export, String> {
    let mut writer =
        Writer { text: "#Inventor V2.1 ascii\n\nSeparator {\n".to_owned(), remarks: Vec::new(), scene };
    for part in &scene.parts {
        writer.part(part)?;
    }
    writer.text.push_str("}\n");
    Ok(Export { bytes: writer.text.into_bytes(), remarks: writer.remarks })
}

struct Writer<'a> {
    text: String,
    remarks: Vec<String>,
    scene: &'a RawScene,
}

/// How the faces of a part are coloured.
enum Colors {
    None,
    One,
    ByFace(Vec<usize>),
    ByPoint,
}

impl Writer<'_> {
    fn remark(&mut self, sentence: String) {
        if !self.remarks.contains(&sentence) {
            self.remarks.push(sentence);
        }
    }

    fn part(&mut self, part: &Part) -> Result<(), String> {
        check(part, self.scene.materials.len())?;
        self.left_out(part);
        match self.legal(&part.name) {
            Some(name) => self.line(1, &format!("DEF {name} Separator {{")),
            None => self.line(1, "Separator {"),
        }
        self.line(2, "ShapeHints { vertexOrdering COUNTERCLOCKWISE }");
        let colors = self.colors(part);
        self.list(2, "Coordinate3", "point", part.points.iter().map(|p| vector(*p)));
        if !part.triangle_normals.is_empty() {
            self.list(2, "Normal", "vector", part.normals.iter().map(|n| vector(*n)));
            self.line(2, "NormalBinding { value PER_VERTEX_INDEXED }");
        }
        if !part.triangle_uvs.is_empty() {
            let pairs = part.uvs.iter().map(|[u, v]| format!("{u:?} {v:?}"));
            self.list(2, "TextureCoordinate2", "point", pairs);
        }
        if !part.triangles.is_empty() {
            self.faces(part, &colors);
        }
        if !part.lines.is_empty() {
            self.line(2, "IndexedLineSet {");
            self.field(3, "coordIndex", part.lines.iter().map(|[a, b]| format!("{a}, {b}, -1")));
            self.line(2, "}");
        }
        if part.triangles.is_empty() && part.lines.is_empty() {
            self.line(2, "PointSet { }");
        }
        self.line(1, "}");
        Ok(())
    }

    fn faces(&mut self, part: &Part, colors: &Colors) {
        let three = |list: &[[u32; 3]]| -> Vec<String> {
            list.iter().map(|[a, b, c]| format!("{a}, {b}, {c}, -1")).collect()
        };
        self.line(2, "IndexedFaceSet {");
        self.field(3, "coordIndex", three(&part.triangles));
        if let Colors::ByFace(index) = colors {
            self.field(3, "materialIndex", index.iter().map(usize::to_string));
        }
        if !part.triangle_normals.is_empty() {
            self.field(3, "normalIndex", three(&part.triangle_normals));
        }
        if !part.triangle_uvs.is_empty() {
            self.field(3, "textureCoordIndex", three(&part.triangle_uvs));
        }
        self.line(2, "}");
    }

    /// Says what the format, or this writer, does not hold.
    fn left_out(&mut self, part: &Part) {
        let name = if part.name.is_empty() { "a part" } else { &part.name };
        let losses = [
            (!part.tets.is_empty(), "tetrahedra"),
            (!part.triangle_regions.is_empty() || !part.tet_regions.is_empty(), "numbers of regions"),
            (!part.sets.is_empty(), "named sets of points"),
            (
                !part.colors.is_empty() && !part.triangle_materials.is_empty(),
                "materials, since its points have colours",
            ),
        ];
        for (_, what) in losses.iter().filter(|(lost, _)| *lost) {
            self.remark(format!("Of {name} the {what} were left out."));
        }
        if !part.triangles.is_empty() && !part.lines.is_empty() {
            self.remark(format!(
                "Faces and lines of {name} are two shapes, which readers take for two parts."
            ));
        }
    }

    /// Writes the materials of a part and how they are bound.
    fn colors(&mut self, part: &Part) -> Colors {
        if !part.colors.is_empty() {
            let clear = part.colors.iter().any(|c| c[3] != 1.0);
            self.line(2, "Material {");
            self.field(
                3,
                "diffuseColor",
                part.colors.iter().map(|c| format!("{:?} {:?} {:?}", c[0], c[1], c[2])),
            );
            if clear {
                self.field(
                    3,
                    "transparency",
                    part.colors.iter().map(|c| format!("{:?}", 1.0 - f64::from(c[3]))),
                );
            }
            self.line(2, "}");
            self.line(2, "MaterialBinding { value PER_VERTEX_INDEXED }");
            return Colors::ByPoint;
        }
        let mut used: Vec<u32> = Vec::new();
        for &material in &part.triangle_materials {
            if !used.contains(&material) {
                used.push(material);
            }
        }
        let materials: Vec<&Material> = used.iter().map(|&m| &self.scene.materials[m as usize]).collect();
        let Some(first) = materials.first() else {
            return Colors::None;
        };
        if materials.iter().any(|m| m.texture != first.texture) {
            self.remark(format!("Textures of {} differ; the first was written for all.", part.name));
        }
        if let Some(texture) = &first.texture {
            self.line(2, &format!("Texture2 {{ filename {} }}", quoted(texture)));
        }
        let named = materials.len() == 1;
        if !named && materials.iter().any(|m| !m.name.is_empty()) {
            self.remark("Names of materials were left out where a part has several.".to_owned());
        }
        let name = if named { self.legal(&first.name) } else { None };
        self.line(2, &name.map_or("Material {".to_owned(), |name| format!("DEF {name} Material {{")));
        let color = |m: &&Material| format!("{:?} {:?} {:?}", m.color[0], m.color[1], m.color[2]);
        self.field(3, "diffuseColor", materials.iter().map(color));
        if materials.iter().any(|m| m.transparency != 0.0) {
            self.field(3, "transparency", materials.iter().map(|m| format!("{:?}", m.transparency)));
        }
        self.line(2, "}");
        if named {
            return Colors::One;
        }
        self.line(2, "MaterialBinding { value PER_FACE_INDEXED }");
        let place = |m: &u32| used.iter().position(|u| u == m).unwrap_or(0);
        Colors::ByFace(part.triangle_materials.iter().map(place).collect())
    }

    /// A name that `DEF` may bear, changed where it must be.
    fn legal(&mut self, name: &str) -> Option<String> {
        if name.is_empty() {
            return None;
        }
        let fits = |c: char| !c.is_control() && !c.is_whitespace() && !"\"#'+,.[\\]{}()|=~".contains(c);
        let mut legal: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        if legal.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            legal.insert(0, '_');
        }
        if legal != name {
            self.remark(format!("The name {name} is written {legal}, as the format demands."));
        }
        Some(legal)
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:depth$}{line}", "", depth = 2 * depth);
    }

    fn list(&mut self, depth: usize, node: &str, field: &str, values: impl IntoIterator<Item = String>) {
        self.line(depth, &format!("{node} {{"));
        self.field(depth + 1, field, values);
        self.line(depth, "}");
    }

    fn field(&mut self, depth: usize, name: &str, values: impl IntoIterator<Item = String>) {
        self.line(depth, &format!("{name} ["));
        for value in values {
            let _ = writeln!(self.text, "{:depth$}{value},", "", depth = 2 * depth + 2);
        }
        self.line(depth, "]");
    }
}

fn vector(v: Vec3) -> String {
    format!("{:?} {:?} {:?}", v.x, v.y, v.z)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Whether all numbers of a part name something.
fn check(part: &Part, materials: usize) -> Result<(), String> {
    let below = |list: &[[u32; 3]], count: usize| list.iter().flatten().all(|&i| (i as usize) < count);
    let lines = part.lines.iter().flatten().all(|&i| (i as usize) < part.points.len());
    let finite = part.points.iter().chain(&part.normals).all(|p| p.is_finite());
    let sound = finite
        && lines
        && below(&part.triangles, part.points.len())
        && below(&part.triangle_normals, part.normals.len())
        && below(&part.triangle_uvs, part.uvs.len())
        && part.triangle_materials.iter().all(|&m| (m as usize) < materials);
    match sound {
        true => Ok(()),
        false => Err(format!(
            "the part {:?} names points or materials that are not there, or is not finite",
            part.name
        )),
    }
}
