//! glTF 2.0, as text or as one binary file (GLB). Every node that wears a mesh is a part, its transforms applied.
//! Texture coordinates are turned to point upwards, as in other formats; here they point down.

mod accessor;
mod base64;
mod container;
mod document;
mod export;

pub use export::export;

use super::join::{MISSING, complete, complete_materials, push_triangle, say_flat, unit};
use super::{ImportError, Resolve, Spot};
use accessor::Accessors;
use document::{Document, Node, Primitive};
use serosa_bake::RawScene;
use serosa_bake::raw::{Material, Part};
use serosa_geometry::{Mat3, Quat, Vec3};
use std::collections::BTreeMap;

/// Whether it is a GLB file, or a JSON object that has an `asset`.
pub fn begins(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let has = |part: &[u8]| part.windows(7).any(|w| w == b"\"asset\"");
    let (head, tail) = (&text[..text.len().min(1 << 16)], &text[text.len().saturating_sub(1 << 16)..]);
    bytes.starts_with(b"glTF") || text.starts_with(b"{") && (has(head) || has(tail))
}

const ANEW: &str = "export the mesh anew";

fn wrong(message: impl Into<String>) -> ImportError {
    ImportError::new(Spot::Whole, message, ANEW)
}

/// Reads a glTF or GLB file.
pub fn import(bytes: &[u8], resolve: Resolve) -> Result<RawScene, ImportError> {
    let (json, chunk) = container::split(bytes)?;
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        let spot = if chunk.is_some() { Spot::Byte(20) } else { Spot::Line(error.line()) };
        ImportError::new(spot, format!("the JSON of the file is not sound: {error}"), ANEW)
    })?;
    let mut remarks = Vec::new();
    check_extensions(&document, &mut remarks)?;
    let buffers = container::buffers(&document, chunk, resolve)?;
    let size: usize = buffers.iter().map(|b| b.len()).sum();
    let mut reader = Reader {
        accessors: Accessors::new(&document, &buffers, size.saturating_add(bytes.len())),
        document: &document,
        parts: Vec::new(),
        flat: 0,
    };
    reader.scene()?;
    let Reader { mut parts, flat, .. } = reader;
    if parts.iter().all(|p| p.points.is_empty()) {
        return Err(ImportError::new(
            Spot::Whole,
            "the file holds no meshes",
            "export the mesh with its triangles",
        ));
    }
    say_flat(flat, &mut remarks);
    parts.iter_mut().for_each(|part| complete(part, &mut remarks));
    say_others(&document, &mut remarks);
    let materials = (0..document.materials.len()).map(|i| material(&document, i)).collect();
    let mut scene = RawScene { parts, materials, remarks, ..RawScene::default() };
    complete_materials(&mut scene);
    Ok(scene)
}

fn check_extensions(document: &Document, remarks: &mut Vec<String>) -> Result<(), ImportError> {
    for name in document.extensions_required.iter().take(64) {
        match name.as_str() {
            "KHR_draco_mesh_compression" | "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
                let message = format!("the mesh is compressed with {name}, which is not read");
                return Err(ImportError::new(Spot::Whole, message, "export it without compression"));
            }
            "KHR_mesh_quantization" => {}
            name => remarks.push(format!("The file requires the extension {name:?}, which was passed over.")),
        }
    }
    Ok(())
}

fn say_others(document: &Document, remarks: &mut Vec<String>) {
    let morphs = document.meshes.iter().flat_map(|m| &m.primitives).any(|p| !p.targets.is_empty());
    let cases = [
        (!document.skins.is_empty(), "Skins were passed over: the mesh is as it rests."),
        (!document.animations.is_empty(), "Animations were passed over."),
        (morphs, "Morph targets were passed over."),
        (!document.cameras.is_empty(), "Cameras were passed over."),
    ];
    remarks.extend(cases.iter().filter(|c| c.0).map(|c| c.1.to_owned()));
}

fn material(document: &Document, i: usize) -> Material {
    let from = &document.materials[i];
    let base = from.pbr_metallic_roughness.base_color_factor.unwrap_or([1.0; 4]).map(|c| c.clamp(0.0, 1.0));
    let blends = from.alpha_mode.as_deref().is_some_and(|mode| mode != "OPAQUE");
    let texture = from.pbr_metallic_roughness.base_color_texture.as_ref();
    let image =
        texture.and_then(|t| document.textures.get(t.index)?.source).and_then(|s| document.images.get(s));
    let named = |i: &document::Image| i.uri.clone().filter(|u| !u.starts_with("data:")).or(i.name.clone());
    Material {
        name: from.name.clone().unwrap_or_default(),
        color: [base[0], base[1], base[2]],
        transparency: if blends { 1.0 - base[3] } else { 0.0 },
        texture: image.and_then(named),
    }
}

/// A linear map and a shift.
#[derive(Clone, Copy)]
struct Transform {
    linear: Mat3,
    shift: Vec3,
}

impl Transform {
    const NONE: Self = Self { linear: Mat3::IDENTITY, shift: Vec3::ZERO };

    fn of(node: &Node) -> Self {
        if let Some(m) = &node.matrix {
            let column = |i: usize| Vec3::new(m[4 * i], m[4 * i + 1], m[4 * i + 2]);
            return Self { linear: Mat3::from_cols(column(0), column(1), column(2)), shift: column(3) };
        }
        let turn = node.rotation.map_or(Mat3::IDENTITY, |q| {
            let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
            let q = if (length - 1.0).abs() < 1e-6 || length == 0.0 { q } else { q.map(|v| v / length) };
            Mat3::from_quat(Quat::from_array(q))
        });
        let scale = node.scale.map_or(Vec3::ONE, Vec3::from_array);
        let shift = node.translation.map_or(Vec3::ZERO, Vec3::from_array);
        Self { linear: turn * Mat3::from_diagonal(scale), shift }
    }

    fn then(self, outer: Self) -> Self {
        Self { linear: outer.linear * self.linear, shift: outer.linear * self.shift + outer.shift }
    }

    /// For normals: the cofactors, which exist even where the map is flat.
    fn for_normals(&self) -> Mat3 {
        let Mat3 { x_axis: x, y_axis: y, z_axis: z } = self.linear;
        let sign = if self.linear.determinant() < 0.0 { -1.0 } else { 1.0 };
        Mat3::from_cols(y.cross(z) * sign, z.cross(x) * sign, x.cross(y) * sign)
    }
}

struct Reader<'a> {
    document: &'a Document,
    accessors: Accessors<'a>,
    parts: Vec<Part>,
    flat: usize,
}

impl Reader<'_> {
    /// Visits the nodes of the chosen scene, parents first; without nodes, the meshes as they are.
    fn scene(&mut self) -> Result<(), ImportError> {
        let nodes = &self.document.nodes;
        if nodes.is_empty() {
            return (0..self.document.meshes.len()).try_for_each(|i| self.mesh(i, None, Transform::NONE));
        }
        let mut child = vec![false; nodes.len()];
        for &i in nodes.iter().flat_map(|n| &n.children) {
            *child.get_mut(i).ok_or_else(|| wrong(format!("node {i} does not exist")))? = true;
        }
        let chosen = self.document.scenes.get(self.document.scene.unwrap_or(0));
        let roots =
            chosen.map_or_else(|| (0..nodes.len()).filter(|i| !child[*i]).collect(), |s| s.nodes.clone());
        let mut visited = vec![false; nodes.len()];
        let mut open: Vec<(usize, Transform)> =
            roots.into_iter().rev().map(|i| (i, Transform::NONE)).collect();
        while let Some((i, outer)) = open.pop() {
            let node = nodes.get(i).ok_or_else(|| wrong(format!("node {i} does not exist")))?;
            if std::mem::replace(&mut visited[i], true) {
                return Err(wrong(format!("node {i} is named twice: nodes must be a tree")));
            }
            let transform = Transform::of(node).then(outer);
            if let Some(mesh) = node.mesh {
                self.mesh(mesh, node.name.as_deref(), transform)?;
            }
            open.extend(node.children.iter().rev().map(|c| (*c, transform)));
        }
        Ok(())
    }

    fn mesh(&mut self, i: usize, name: Option<&str>, transform: Transform) -> Result<(), ImportError> {
        let mesh = self.document.meshes.get(i).ok_or_else(|| wrong(format!("mesh {i} does not exist")))?;
        let name = name.or(mesh.name.as_deref()).unwrap_or_default().to_owned();
        // A part costs as much as some rows, even where it holds nothing; so does a primitive.
        self.accessors.spend(64)?;
        let mut part = Part { name, ..Part::default() };
        let mut known = BTreeMap::new();
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(&mut part, primitive, transform, &mut known).map_err(|mut error| {
                error.message = format!("mesh {i}, primitive {k}: {}", error.message);
                error
            })?;
        }
        if !part.colors.is_empty() {
            part.colors.resize(part.points.len(), [1.0; 4]);
        }
        if part.triangle_materials.iter().all(|m| *m == MISSING) {
            part.triangle_materials = Vec::new();
        }
        for list in [&mut part.triangle_normals, &mut part.triangle_uvs] {
            if list.iter().all(|t| t[0] == MISSING) {
                *list = Vec::new();
            }
        }
        self.parts.push(part);
        Ok(())
    }

    fn primitive(
        &mut self,
        part: &mut Part,
        from: &Primitive,
        transform: Transform,
        known: &mut BTreeMap<[Option<usize>; 4], Places>,
    ) -> Result<(), ImportError> {
        self.accessors.spend(1)?;
        let key =
            ["POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"].map(|name| from.attributes.get(name).copied());
        let places = match known.get(&key) {
            Some(places) => *places,
            None => self.vertices(part, key, transform)?,
        };
        known.insert(key, places);
        let corners = match from.indices {
            Some(accessor) => self.accessors.numbers(accessor)?,
            None => {
                self.accessors.spend(places.count as usize)?;
                (0..places.count).collect()
            }
        };
        if let Some(number) = corners.iter().find(|v| **v >= places.count) {
            return Err(wrong(format!("vertex {number} is named, of {} (from 0)", places.count)));
        }
        if let Some(m) = from.material.filter(|m| *m >= self.document.materials.len()) {
            return Err(wrong(format!("material {m} does not exist")));
        }
        let turned = transform.linear.determinant() < 0.0;
        let material = from.material.map_or(MISSING, |m| m as u32);
        let mut unsaid = 0;
        let flat = if from.mode == 4 { &mut self.flat } else { &mut unsaid };
        let mut triangle = |[a, b, c]: [u32; 3]| {
            let corners = if turned { [a, c, b] } else { [a, b, c] };
            if push_triangle(&mut part.triangles, corners.map(|v| v + places.points), flat) {
                let shifted = |base: Option<u32>| base.map_or([MISSING; 3], |base| corners.map(|v| v + base));
                part.triangle_normals.push(shifted(places.normals));
                part.triangle_uvs.push(shifted(places.uvs));
                part.triangle_materials.push(material);
            }
        };
        let line = |pair: &[u32]| [pair[0] + places.points, pair[1] + places.points];
        match from.mode {
            0 => {}
            1 => part.lines.extend(corners.chunks_exact(2).filter(|p| p[0] != p[1]).map(line)),
            2 | 3 => {
                part.lines.extend(corners.windows(2).filter(|p| p[0] != p[1]).map(line));
                if let (2, [first, .., last]) = (from.mode, corners.as_slice()) {
                    part.lines.extend((first != last).then(|| line(&[*last, *first])));
                }
            }
            4 => corners.chunks_exact(3).for_each(|t| triangle([t[0], t[1], t[2]])),
            5 => corners.windows(3).enumerate().for_each(|(i, t)| {
                triangle(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }),
            6 => corners.windows(2).skip(1).for_each(|t| triangle([corners[0], t[0], t[1]])),
            mode => return Err(wrong(format!("the mode {mode} is none of glTF"))),
        }
        Ok(())
    }

    /// Adds the vertices of a primitive to a part.
    fn vertices(
        &mut self,
        part: &mut Part,
        key: [Option<usize>; 4],
        by: Transform,
    ) -> Result<Places, ImportError> {
        let [position, normal, uv, color] = key;
        let position = position.ok_or_else(|| wrong("it has no POSITION"))?;
        let points = self.accessors.vectors::<3>(position)?;
        let count = points.len();
        let room = u32::try_from(part.points.len() + count).is_ok();
        let places = Places {
            count: count as u32,
            points: part.points.len() as u32,
            normals: normal.map(|_| part.normals.len() as u32),
            uvs: uv.map(|_| part.uvs.len() as u32),
        };
        let points = points.into_iter().map(|p| by.linear * Vec3::from_array(p) + by.shift);
        part.points.extend(points);
        if let Some(bad) = part.points[places.points as usize..].iter().position(|p| !p.is_finite()) {
            return Err(wrong(format!("vertex {bad} (from 0, accessor {position}) is not finite")));
        }
        let whole = |n: usize| match n == count && room {
            true => Ok(()),
            false => {
                Err(wrong(format!("{count} positions have {n} normals, colours or texture coordinates")))
            }
        };
        if let Some(accessor) = normal {
            let (normals, turn) = (self.accessors.vectors::<3>(accessor)?, by.for_normals());
            whole(normals.len())?;
            part.normals.extend(normals.into_iter().map(|n| unit(turn * Vec3::from_array(n))));
        }
        if let Some(accessor) = uv {
            let uvs = self.accessors.vectors::<2>(accessor)?;
            whole(uvs.len())?;
            let sound = |v: f64| if v.is_finite() { v } else { 0.0 };
            part.uvs.extend(uvs.into_iter().map(|[u, v]| [sound(u), 1.0 - sound(v)]));
        }
        if let Some(accessor) = color {
            let colors = self.accessors.colors(accessor)?;
            whole(colors.len())?;
            part.colors.resize(places.points as usize, [1.0; 4]);
            part.colors.extend(colors);
        }
        Ok(places)
    }
}

/// Where the vertices of a primitive begin in a part.
#[derive(Clone, Copy)]
struct Places {
    count: u32,
    points: u32,
    normals: Option<u32>,
    uvs: Option<u32>,
}
