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
pub(crate) mod volume;
mod vrml;
mod weld;
mod words;

pub use join::joined;

use serosa_bake::RawScene;

/// Fetches a file that another one names (an Inline, a buffer, a material library), or says why it cannot. A name that
/// is but an ending, `.node`, asks for the file beside the one that is read, of the same name and this ending.
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
        name: "vrml",
        about: "VRML 1.0 and 2.0 (VRML97)",
        extensions: &["wrl", "vrml", "wrz"],
        begins: vrml::begins_vrml,
        import: vrml::import,
        export: None,
        keeps: "one part per shape, transforms applied: polygons (cut), lines, points, solids as triangles, normals, \
                texture coordinates, colours, materials, names; no text, lights, cameras, motion",
    },
    Format {
        name: "x3d",
        about: "X3D in XML",
        extensions: &["x3d", "x3db"],
        begins: vrml::begins_x3d,
        import: vrml::import,
        export: None,
        keeps: "as vrml; binary X3D is refused",
    },
    Format {
        name: "x3dv",
        about: "X3D in classic text",
        extensions: &["x3dv"],
        begins: vrml::begins_x3dv,
        import: vrml::import,
        export: None,
        keeps: "as vrml",
    },
    Format {
        name: "inventor",
        about: "Open Inventor 1.0 to 2.1, ASCII and binary",
        extensions: &["iv"],
        begins: vrml::begins_inventor,
        import: vrml::import,
        export: Some(vrml::export),
        keeps: "as vrml; written as 2.1 ASCII: faces, lines, points, normals, texture coordinates, colours, materials",
    },
    Format {
        name: "msh",
        about: "Gmsh 1.0, 2.x, 4.0, 4.1, text and binary",
        extensions: &["msh"],
        begins: volume::msh::begins,
        import: volume::msh::import,
        export: None,
        keeps: "points, lines, triangles, tetrahedra; other cells cut, higher orders by their corners; physical \
                groups or entities as regions, physical names as sets; no data",
    },
    Format {
        name: "vtk",
        about: "legacy VTK 2.0 to 5.1, POLYDATA and UNSTRUCTURED_GRID, text and binary",
        extensions: &["vtk"],
        begins: volume::vtk::legacy::begins,
        import: volume::vtk::legacy::import,
        export: None,
        keeps: "points, lines, triangles, tetrahedra; other cells cut, higher orders by their corners; normals, \
                texture coordinates and colours of points, regions of cells; no other data",
    },
    Format {
        name: "vtu",
        about: "VTK XML, UnstructuredGrid and PolyData",
        extensions: &["vtu", "vtp"],
        begins: volume::vtk::xml::begins,
        import: volume::vtk::xml::import,
        export: Some(volume::vtk::export),
        keeps: "as vtk, each piece a part; compressed with zlib or not at all; written as UnstructuredGrid: points, \
                lines, triangles, tetrahedra, regions",
    },
    Format {
        name: "ele",
        about: "TetGen tetrahedra, with the .node and .face beside them",
        extensions: &["ele"],
        begins: |_| false,
        import: volume::tetgen::import_ele,
        export: None,
        keeps: "points, triangles, tetrahedra; the first attribute and the markers of faces as regions, markers of \
                points as sets; no other attributes",
    },
    Format {
        name: "node",
        about: "TetGen points, with the .ele and .face beside them",
        extensions: &["node"],
        begins: |_| false,
        import: volume::tetgen::import_node,
        export: None,
        keeps: "as ele",
    },
    Format {
        name: "face",
        about: "TetGen triangles, with the .node and .ele beside them",
        extensions: &["face"],
        begins: |_| false,
        import: volume::tetgen::import_face,
        export: None,
        keeps: "as ele",
    },
    Format {
        name: "mesh",
        about: "MEDIT (INRIA GMF) as text",
        extensions: &["mesh", "meshb"],
        begins: volume::medit::begins,
        import: volume::medit::import,
        export: None,
        keeps: "points, lines, triangles, tetrahedra; other cells cut, higher orders by their corners; references \
                as regions; binary .meshb is refused",
    },
    Format {
        name: "flex",
        about: "Avango flexible materials (Klimenko et al. 2004, table 1) as text",
        extensions: &["flex"],
        begins: |_| false,
        import: volume::flexible::import,
        export: None,
        keeps: "points, tetrahedra with their materials (each kind a region), strips as triangles, control elements as \
                the sets `control-` and their character",
    },
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
