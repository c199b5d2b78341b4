//! The JSON of a glTF file, as far as it is read. What is not named here is passed over without being kept.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A whole document.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Document {
    pub scene: Option<usize>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<BufferView>,
    pub buffers: Vec<Buffer>,
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    pub images: Vec<Image>,
    pub skins: Vec<IgnoredAny>,
    pub animations: Vec<IgnoredAny>,
    pub cameras: Vec<IgnoredAny>,
    pub extensions_required: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Scene {
    pub nodes: Vec<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Node {
    pub name: Option<String>,
    pub mesh: Option<usize>,
    pub children: Vec<usize>,
    /// By columns.
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub struct Primitive {
    #[serde(default)]
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    #[serde(default = "triangles")]
    pub mode: u32,
    #[serde(default)]
    pub targets: Vec<IgnoredAny>,
}

fn triangles() -> u32 {
    4
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub struct Sparse {
    pub count: usize,
    pub indices: SparsePlaces,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparsePlaces {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Material {
    pub name: Option<String>,
    pub pbr_metallic_roughness: Paint,
    pub alpha_mode: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Paint {
    pub base_color_factor: Option<[f32; 4]>,
    pub base_color_texture: Option<TextureInfo>,
}

#[derive(Deserialize)]
pub struct TextureInfo {
    pub index: usize,
}

#[derive(Deserialize)]
pub struct Texture {
    pub source: Option<usize>,
}

#[derive(Deserialize)]
pub struct Image {
    pub uri: Option<String>,
    pub name: Option<String>,
}
