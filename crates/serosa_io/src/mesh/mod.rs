//! Mesh files: bytes in, a [`RawScene`] of parts out, and back. Importers take bytes, not paths.
//!
//! A format is one row of [`FORMATS`] and one file. Numbers stay in the file's own units and in its own order:
//! nothing is welded, repaired or turned, and what is not taken over is said in [`RawScene::remarks`].

mod gltf;
mod join;
mod obj;
mod off;
mod ply;
mod stl;
mod weld;
mod words;

pub use join::joined;

use serosa_bake::RawScene;

/// Fetches a file that another one names (an Inline, a buffer, a material library), or says why it cannot.
pub type Resolve<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Writes a scene's parts, or says why it cannot.
pub type Exporter = fn(&RawScene) -> Result<Export, String>;

/// A format of mesh files.
#[derive(Debug)]
pub struct Format {
    /// Short name, as in `--from stl`.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Endings of file names, in small letters, without the dot.
    pub extensions: &'static [&'static str],
    /// Whether bytes begin as this format does. Asked before the ending is.
    pub begins: fn(&[u8]) -> bool,
    /// Reads it.
    pub import: fn(&[u8], Resolve) -> Result<RawScene, ImportError>,
    /// Writes it, where it can be written.
    pub export: Option<Exporter>,
    /// What is kept and what is not, for people.
    pub keeps: &'static str,
}

/// A written file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Export {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the format cannot hold and was left out, in whole sentences.
    pub remarks: Vec<String>,
}

/// Every format, in the order in which bytes are looked at.
pub static FORMATS: &[Format] = &[
    Format {
        name: "gltf",
        about: "glTF 2.0, text or binary",
        extensions: &["glb", "gltf"],
        begins: gltf::begins,
        import: gltf::import,
        export: Some(gltf::export),
        keeps: "nodes as parts with their transforms, triangles, lines, normals, texture coordinates, colours, \
                materials; written as GLB with single precision; no tetrahedra, sets or regions, no compression",
    },
    Format {
        name: "ply",
        about: "Polygon file format, text or binary",
        extensions: &["ply"],
        begins: ply::begins,
        import: ply::import,
        export: Some(ply::export),
        keeps: "points, polygons (cut into fans), strips, edges, tetrahedra, sets, normals, colours, texture \
                coordinates, regions; written as binary, parts joined, materials left out",
    },
    Format {
        name: "off",
        about: "Object file format, text",
        extensions: &["off", "coff", "noff"],
        begins: off::begins,
        import: off::import,
        export: Some(off::export),
        keeps: "points, polygons (cut into fans), colours of points, normals; colours of faces are left out; \
                written with points, triangles and colours",
    },
    Format {
        name: "stl",
        about: "Stereolithography, binary or text",
        extensions: &["stl"],
        begins: stl::begins,
        import: stl::import,
        export: Some(stl::export),
        keeps: "triangles, whose equal corners become one point, and solids as parts; written as binary with single \
                precision, parts joined, nothing but triangles",
    },
    Format {
        name: "obj",
        about: "Wavefront OBJ",
        extensions: &["obj"],
        begins: obj::begins,
        import: obj::import,
        export: Some(obj::export),
        keeps: "points, polygons (cut into fans), lines, groups as sets, normals, texture coordinates, colours of \
                points, materials with their libraries; written with the names of materials alone",
    },
];

/// The format of some bytes: as they begin, else by the ending of the name.
pub fn format_of(bytes: &[u8], name: &str) -> Option<&'static Format> {
    let ending = name.rsplit_once('.').map_or(String::new(), |(_, e)| e.to_ascii_lowercase());
    let begins = FORMATS.iter().find(|f| (f.begins)(bytes));
    begins.or_else(|| FORMATS.iter().find(|f| f.extensions.contains(&ending.as_str())))
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The whole file.
    Whole,
    /// A line, from 1.
    Line(usize),
    /// A byte, from 0.
    Byte(usize),
}

/// Why a mesh file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ImportError {
    /// Where.
    pub spot: Spot,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl ImportError {
    /// An error at a place.
    pub fn new(spot: Spot, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { spot, message: message.into(), help: help.into() }
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.spot {
            Spot::Whole => write!(f, "{}", self.message),
            Spot::Line(line) => write!(f, "line {line}: {}", self.message),
            Spot::Byte(byte) => write!(f, "byte {byte}: {}", self.message),
        }
    }
}
