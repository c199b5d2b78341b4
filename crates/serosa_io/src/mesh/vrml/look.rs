//! Properties that shapes find in the state: points, normals, materials and how they are bound.

use super::Fault;
use super::table::Kind;
use super::walk::{At, State, Walker};
use serosa_bake::raw::Material;
use serosa_geometry::Vec3;
use std::rc::Rc;

/// What a property of a list belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bind {
    Overall,
    Part,
    PartIndexed,
    Face,
    FaceIndexed,
    Vertex,
    VertexIndexed,
}

impl Bind {
    /// As Inventor and VRML 1.0 write it.
    fn named(word: Option<&str>, usual: Self) -> Self {
        match word {
            Some("OVERALL" | "NONE") => Self::Overall,
            Some("PER_PART") => Self::Part,
            Some("PER_PART_INDEXED") => Self::PartIndexed,
            Some("PER_FACE") => Self::Face,
            Some("PER_FACE_INDEXED") => Self::FaceIndexed,
            Some("PER_VERTEX") => Self::Vertex,
            Some("PER_VERTEX_INDEXED") => Self::VertexIndexed,
            _ => usual,
        }
    }

    pub(super) fn is_by_vertex(self) -> bool {
        matches!(self, Self::Vertex | Self::VertexIndexed)
    }
}

/// Colours in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Palette {
    pub(super) name: String,
    pub(super) colors: Vec<[f32; 3]>,
    pub(super) transparency: Vec<f32>,
}

/// The colour of nodes that give none.
const GREY: [f32; 3] = [0.8; 3];

impl Palette {
    fn len(&self) -> usize {
        self.colors.len() + self.transparency.len()
    }

    pub(super) fn color(&self, number: usize) -> [f32; 3] {
        self.colors.get(number).or(self.colors.last()).copied().unwrap_or(GREY)
    }

    pub(super) fn transparency(&self, number: usize) -> f32 {
        self.transparency.get(number).or(self.transparency.last()).copied().unwrap_or(0.0)
    }

    /// Its colours with their alphas.
    pub(super) fn tints(&self) -> Vec<[f32; 4]> {
        let count = self.colors.len().max(self.transparency.len());
        let tint = |i| {
            let [r, g, b] = self.color(i);
            [r, g, b, (1.0 - f64::from(self.transparency(i))) as f32]
        };
        (0..count).map(tint).collect()
    }
}

/// Red, green and blue in threes.
pub(super) fn colors(numbers: &[f64]) -> Vec<[f32; 3]> {
    numbers.chunks_exact(3).map(|c| [c[0] as f32, c[1] as f32, c[2] as f32]).collect()
}

/// Whether a texture may be kept by its name: data written in place of one may be of any length.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 1000
}

fn packed(numbers: &[f64]) -> Palette {
    let byte = |n: f64, shift: u32| ((n as u64 >> shift) & 0xFF) as f32 / 255.0;
    Palette {
        name: String::new(),
        colors: numbers.iter().map(|&n| [byte(n, 24), byte(n, 16), byte(n, 8)]).collect(),
        transparency: numbers.iter().map(|&n| 1.0 - byte(n, 0)).collect(),
    }
}

pub(super) fn vectors(numbers: &[f64]) -> Vec<Vec3> {
    numbers.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect()
}

pub(super) fn pairs(numbers: &[f64]) -> Vec<[f64; 2]> {
    numbers.chunks_exact(2).map(|v| [v[0], v[1]]).collect()
}

impl Walker<'_> {
    /// The points or vectors of a field, made once.
    pub(super) fn vectors(&mut self, at: At, field: &str) -> Result<Rc<Vec<Vec3>>, Fault> {
        // A node has points or vectors, never both lists of three; VertexProperty has, and is asked only once.
        if let Some(known) = self.vectors.get(&at).filter(|_| field != "normal") {
            return Ok(known.clone());
        }
        let made = Rc::new(vectors(self.numbers(at, field)));
        self.spend(at, made.len())?;
        if field != "normal" {
            self.vectors.insert(at, made.clone());
        }
        Ok(made)
    }

    /// Nodes that change what later shapes find.
    pub(super) fn property(&mut self, at: At, kind: Kind, state: &mut State) -> Result<(), Fault> {
        let word = |field: &str| self.words(at, field).first().map(String::as_str);
        match kind {
            Kind::Coordinate3 => state.coords = self.vectors(at, "point")?,
            Kind::Coordinate4 => {
                let four = |v: &[f64]| Vec3::new(v[0], v[1], v[2]) / if v[3] == 0.0 { 1.0 } else { v[3] };
                state.coords = Rc::new(self.numbers(at, "point").chunks_exact(4).map(four).collect());
            }
            Kind::Normal => state.normals = self.vectors(at, "vector")?,
            Kind::TextureCoordinate2 => state.uvs = Rc::new(pairs(self.numbers(at, "point"))),
            Kind::Material => state.palette = Some(Rc::new(self.palette(at, state))),
            Kind::BaseColor => {
                let mut palette = state.palette.as_deref().cloned().unwrap_or_default();
                self.charge(palette.len());
                palette.name = String::new();
                palette.colors = colors(self.numbers(at, "rgb"));
                state.palette = Some(Rc::new(palette));
            }
            Kind::PackedColor => state.palette = Some(Rc::new(packed(self.numbers(at, "orderedRGBA")))),
            Kind::MaterialBinding => state.material_bind = Bind::named(word("value"), Bind::Overall),
            Kind::NormalBinding => state.normal_bind = Bind::named(word("value"), Bind::VertexIndexed),
            Kind::ShapeHints => {
                if let Some(ordering) = word("vertexOrdering") {
                    state.clockwise = ordering == "CLOCKWISE";
                }
            }
            Kind::Complexity => {
                // Inventor says how fine solids are drawn; anything but a number in bounds is the usual.
                let value = self.number(at, "value", state.complexity);
                state.complexity = if (0.0..=1.0).contains(&value) { value } else { 0.5 };
            }
            Kind::Texture2 => {
                let file = self.words(at, "filename").first().filter(|f| is_file_name(f));
                state.texture = file.map(|f| Rc::from(f.as_str()));
            }
            Kind::VertexProperty => self.vertex_property(at, state)?,
            _ => {}
        }
        Ok(())
    }

    /// The colours of a Material of Inventor or VRML 1.0; what it does not give, the state keeps.
    fn palette(&self, at: At, state: &State) -> Palette {
        let before = state.palette.as_deref();
        self.charge(before.map_or(0, Palette::len));
        let colors = colors(self.numbers(at, "diffuseColor"));
        let transparency: Vec<f32> = self.numbers(at, "transparency").iter().map(|&t| t as f32).collect();
        Palette {
            name: self.short_name(at),
            colors: if colors.is_empty() { before.map_or(vec![GREY], |p| p.colors.clone()) } else { colors },
            transparency: if transparency.is_empty() {
                before.map_or(Vec::new(), |p| p.transparency.clone())
            } else {
                transparency
            },
        }
    }

    /// The name of a node, no longer than a name is.
    fn short_name(&self, at: At) -> String {
        self.node(at).name.as_deref().unwrap_or_default().chars().take(200).collect()
    }

    pub(super) fn vertex_property(&mut self, at: At, state: &mut State) -> Result<(), Fault> {
        if !self.numbers(at, "vertex").is_empty() {
            state.coords = self.vectors(at, "vertex")?;
        }
        if !self.numbers(at, "normal").is_empty() {
            state.normals = self.vectors(at, "normal")?;
            let word = self.words(at, "normalBinding").first().map(String::as_str);
            state.normal_bind = Bind::named(word, Bind::VertexIndexed);
        }
        if !self.numbers(at, "texCoord").is_empty() {
            state.uvs = Rc::new(pairs(self.numbers(at, "texCoord")));
        }
        if !self.numbers(at, "orderedRGBA").is_empty() {
            state.palette = Some(Rc::new(packed(self.numbers(at, "orderedRGBA"))));
            let word = self.words(at, "materialBinding").first().map(String::as_str);
            state.material_bind = Bind::named(word, Bind::Overall);
        }
        Ok(())
    }

    /// A Shape of VRML 2.0 or X3D.
    pub(super) fn shape(&mut self, at: At, state: &State) -> Result<(), Fault> {
        let mut inner = state.clone();
        (inner.palette, inner.texture) = (None, None);
        if let Some(appearance) = self.part(at, "appearance")? {
            if let Some(material) = self.part(appearance, "material")? {
                inner.palette = Some(Rc::new(self.material(material)));
            }
            inner.texture = self.texture(appearance)?;
        }
        let geometry = self.nodes(at, "geometry");
        let Some(&geometry) = geometry.first() else {
            self.tree.remarks.say("A Shape without geometry was left out");
            return Ok(());
        };
        // The name of the Shape comes before that of its geometry.
        let named = self.node(at).name.clone();
        let placed = self.moulds.len();
        self.visit(geometry, &mut inner)?;
        if let Some(name) = named {
            for mould in &mut self.moulds[placed..] {
                mould.name = name.chars().take(200).collect();
            }
        }
        Ok(())
    }

    /// The colours of a material of VRML 2.0 or X3D.
    fn material(&self, at: At) -> Palette {
        let fields = ["diffuseColor", "baseColor", "emissiveColor"];
        let found = fields.iter().map(|f| colors(self.numbers(at, f))).find(|c| !c.is_empty());
        let unlit = self.tree.title(at.node) == "UnlitMaterial";
        let usual = if unlit { [1.0; 3] } else { GREY };
        // A material that only glows is drawn grey by its diffuse colour; that is what is kept.
        let glows =
            self.numbers(at, "diffuseColor").is_empty() && !unlit && self.tree.title(at.node) == "Material";
        Palette {
            name: self.short_name(at),
            colors: if glows { vec![usual] } else { found.unwrap_or(vec![usual]) },
            transparency: vec![self.number(at, "transparency", 0.0) as f32],
        }
    }

    fn texture(&mut self, appearance: At) -> Result<Option<Rc<str>>, Fault> {
        let Some(mut texture) = self.part(appearance, "texture")? else {
            return Ok(None);
        };
        if let Some(first) = self.part(texture, "texture")? {
            texture = first;
        }
        let url = self.words(texture, "url").first().filter(|u| is_file_name(u));
        Ok(url.map(|u| Rc::from(u.as_str())))
    }

    /// The number of a material, noted once.
    pub(super) fn note_material(&mut self, palette: &Palette, number: usize, texture: Option<&str>) -> u32 {
        let name = if palette.colors.len() > 1 { "" } else { &palette.name };
        let material = Material {
            name: name.to_owned(),
            color: palette.color(number),
            transparency: palette.transparency(number),
            texture: texture.map(str::to_owned),
        };
        let bits = material.color.map(f32::to_bits);
        let key = format!("{bits:?} {} {:?} {name}", material.transparency.to_bits(), material.texture);
        let next = self.materials.len() as u32;
        let found = *self.known_materials.entry(key).or_insert(next);
        if found == next {
            self.materials.push(material);
        }
        found
    }
}
