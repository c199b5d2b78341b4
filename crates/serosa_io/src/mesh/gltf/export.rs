//! Writes GLB: each part a node with a mesh, triangles by material, lines and dots as they are.

use crate::mesh::Export;
use crate::mesh::join::MISSING;
use serde_json::{Value, json};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::collections::{BTreeMap, HashMap};

/// Writes a scene as a GLB file.
pub fn export(scene: &RawScene) -> Result<Export, String> {
    let mut writer = Writer::default();
    for part in scene.parts.iter().filter(|p| !p.points.is_empty()) {
        writer.part(part)?;
    }
    let json = writer.json(scene);
    let remarks = lost(scene, writer.doubled);
    Ok(Export { bytes: glb(&json, &writer.bytes)?, remarks })
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// Whether a point had to become several vertices.
    doubled: bool,
}

impl Writer {
    fn part(&mut self, part: &Part) -> Result<(), String> {
        let (vertices, triangles) = split(part);
        self.doubled |= vertices.len() > part.points.len();
        let points: Vec<[f64; 3]> = vertices.iter().map(|v| part.points[v[0] as usize].to_array()).collect();
        let mut attributes = BTreeMap::from([("POSITION", self.vectors(&points, true)?)]);
        if !part.triangle_normals.is_empty() {
            let normal =
                |v: &[u32; 3]| part.normals.get(v[1] as usize).copied().unwrap_or(Vec3::Z).to_array();
            attributes
                .insert("NORMAL", self.vectors(&vertices.iter().map(normal).collect::<Vec<_>>(), false)?);
        }
        if !part.triangle_uvs.is_empty() {
            let uv = |v: &[u32; 3]| part.uvs.get(v[2] as usize).map_or([0.0, 1.0], |[u, v]| [*u, 1.0 - v]);
            attributes
                .insert("TEXCOORD_0", self.vectors(&vertices.iter().map(uv).collect::<Vec<_>>(), false)?);
        }
        if !part.colors.is_empty() {
            let color = |v: &[u32; 3]| part.colors[v[0] as usize].map(f64::from);
            attributes
                .insert("COLOR_0", self.vectors(&vertices.iter().map(color).collect::<Vec<_>>(), false)?);
        }
        let mut primitives = Vec::new();
        let mut groups: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
        for (i, triangle) in triangles.iter().enumerate() {
            groups.entry(part.triangle_materials.get(i).copied()).or_default().extend(triangle);
        }
        for (material, corners) in groups {
            let mut primitive = json!({ "attributes": attributes, "indices": self.numbers(&corners) });
            if let Some(material) = material {
                primitive["material"] = json!(material);
            }
            primitives.push(primitive);
        }
        if !part.lines.is_empty() {
            let numbers = self.numbers(part.lines.as_flattened());
            primitives.push(json!({ "attributes": attributes, "indices": numbers, "mode": 1 }));
        }
        if primitives.is_empty() {
            primitives.push(json!({ "attributes": attributes, "mode": 0 }));
        }
        self.nodes.push(json!({ "name": part.name, "mesh": self.meshes.len() }));
        self.meshes.push(json!({ "name": part.name, "primitives": primitives }));
        Ok(())
    }

    fn view(&mut self, from: usize, target: u32) -> usize {
        let length = self.bytes.len() - from;
        self.views.push(json!({ "buffer": 0, "byteOffset": from, "byteLength": length, "target": target }));
        self.views.len() - 1
    }

    fn vectors<const N: usize>(&mut self, vectors: &[[f64; N]], bounds: bool) -> Result<usize, String> {
        let from = self.bytes.len();
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for vector in vectors {
            for (k, v) in vector.iter().enumerate() {
                let single = *v as f32;
                if !single.is_finite() {
                    return Err(format!("the number {v:e} is too large for glTF; choose a larger unit"));
                }
                self.bytes.extend_from_slice(&single.to_le_bytes());
                (min[k], max[k]) = (min[k].min(single), max[k].max(single));
            }
        }
        let view = self.view(from, 34962);
        let shape = format!("VEC{N}");
        let mut accessor =
            json!({ "bufferView": view, "componentType": 5126, "count": vectors.len(), "type": shape });
        if bounds {
            accessor["min"] = json!(min.to_vec());
            accessor["max"] = json!(max.to_vec());
        }
        self.accessors.push(accessor);
        Ok(self.accessors.len() - 1)
    }

    fn numbers(&mut self, numbers: &[u32]) -> usize {
        let from = self.bytes.len();
        numbers.iter().for_each(|v| self.bytes.extend_from_slice(&v.to_le_bytes()));
        let view = self.view(from, 34963);
        let count = numbers.len();
        self.accessors
            .push(json!({ "bufferView": view, "componentType": 5125, "count": count, "type": "SCALAR" }));
        self.accessors.len() - 1
    }

    fn json(&self, scene: &RawScene) -> Value {
        let mut images: Vec<&str> = scene.materials.iter().filter_map(|m| m.texture.as_deref()).collect();
        images.sort_unstable();
        images.dedup();
        let materials = scene.materials.iter().map(|m| {
            let [r, g, b] = m.color;
            let mut base =
                json!({ "baseColorFactor": [r, g, b, 1.0 - m.transparency], "metallicFactor": 0.0 });
            if let Some(i) = m.texture.as_deref().and_then(|t| images.binary_search(&t).ok()) {
                base["baseColorTexture"] = json!({ "index": i });
            }
            let mode = if m.transparency > 0.0 { "BLEND" } else { "OPAQUE" };
            json!({ "name": m.name, "pbrMetallicRoughness": base, "alphaMode": mode })
        });
        let mut root = json!({
            "asset": { "version": "2.0", "generator": "Serosa" },
            "scene": 0,
            "scenes": [{ "nodes": (0..self.nodes.len()).collect::<Vec<_>>() }],
        });
        // Empty lists are not allowed.
        let lists = [
            ("nodes", self.nodes.clone()),
            ("meshes", self.meshes.clone()),
            ("accessors", self.accessors.clone()),
            ("bufferViews", self.views.clone()),
            ("materials", materials.collect()),
            ("textures", (0..images.len()).map(|i| json!({ "source": i })).collect()),
            ("images", images.iter().map(|uri| json!({ "uri": uri })).collect()),
            ("buffers", vec![json!({ "byteLength": self.bytes.len() })]),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            root[name] = Value::Array(list);
        }
        root
    }
}

/// Vertices as glTF has them: one for each point with its normal and texture coordinate. The first such of a point
/// keeps the point's number; others are appended, so that a mesh without seams keeps its numbers.
fn split(part: &Part) -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let mut vertices: Vec<[u32; 3]> = (0..part.points.len() as u32).map(|p| [p, MISSING, MISSING]).collect();
    let mut more: HashMap<[u32; 3], u32> = HashMap::new();
    let mut triangles = part.triangles.clone();
    for (i, triangle) in triangles.iter_mut().enumerate() {
        for (k, corner) in triangle.iter_mut().enumerate() {
            let number = |list: &[[u32; 3]]| list.get(i).map_or(MISSING, |t| t[k]);
            let wanted = [*corner, number(&part.triangle_normals), number(&part.triangle_uvs)];
            let first = &mut vertices[*corner as usize];
            if first[1..] == [MISSING; 2] {
                *first = wanted;
            }
            if *first != wanted {
                let next = vertices.len() as u32;
                *corner = *more.entry(wanted).or_insert(next);
                if *corner == next {
                    vertices.push(wanted);
                }
            }
        }
    }
    (vertices, triangles)
}

fn glb(json: &Value, binary: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let total = u32::try_from(total).map_err(|_| "a GLB file holds no more than 4 GB".to_owned())?;
    let mut bytes = Vec::with_capacity(total as usize);
    bytes.extend_from_slice(b"glTF");
    [2, total, text.len() as u32].iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
    bytes.extend_from_slice(b"JSON");
    bytes.extend_from_slice(&text);
    bytes.extend_from_slice(&(binary.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"BIN\0");
    bytes.extend_from_slice(binary);
    Ok(bytes)
}

fn lost(scene: &RawScene, doubled: bool) -> Vec<String> {
    let parts = &scene.parts;
    let any = |has: fn(&Part) -> bool| parts.iter().any(has);
    let single = |p: &Part| p.points.iter().all(|p| p.to_array().iter().all(|v| f64::from(*v as f32) == *v));
    let cases = [
        (any(|p| !p.tets.is_empty()), "Tetrahedra were left out: glTF has none."),
        (any(|p| !p.sets.is_empty()), "Sets were left out: glTF has none."),
        (any(|p| !p.triangle_regions.is_empty()), "Regions were left out: glTF has none."),
        (any(|p| p.points.is_empty()), "Parts without points were left out."),
        (doubled, "Points with several normals or texture coordinates were doubled."),
        (!parts.iter().all(single), "Coordinates were rounded to single precision, about seven digits."),
    ];
    cases.iter().filter(|c| c.0).map(|c| c.1.to_owned()).collect()
}
