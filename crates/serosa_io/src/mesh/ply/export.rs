//! Writes PLY, binary with the least byte first. Lines, tetrahedra and sets are elements of their own.

use crate::mesh::Export;
use crate::mesh::join::{MISSING, one_each, one_part};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::fmt::Write;

/// Names that sets cannot have, as they mean something else.
const TAKEN: &[&str] = &[
    "vertex",
    "face",
    "edge",
    "2d_element",
    "triangle",
    "tristrips",
    "tristrip",
    "3d_element",
    "tetrahedron",
    "tetrahedra",
    "tet",
    "cell",
    "1d_element",
    "line",
    "polyline",
];

/// Writes all parts as one.
pub fn export(scene: &RawScene) -> Result<Export, String> {
    let part = one_part(scene);
    let plan = Plan::new(&part);
    let mut text = plan.header(&part);
    text.push_str("end_header\n");
    let mut bytes = text.into_bytes();
    plan.vertices(&part, &mut bytes);
    plan.faces(&part, &mut bytes);
    for (i, tet) in part.tets.iter().enumerate() {
        bytes.push(4);
        tet.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        if plan.tet_regions {
            bytes.extend_from_slice(&(part.tet_regions[i] as i32).to_le_bytes());
        }
    }
    let sets = part.sets.iter().filter(|(name, _)| fits(name)).flat_map(|(_, set)| set);
    part.lines.as_flattened().iter().chain(sets).for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
    Ok(Export { bytes, remarks: plan.remarks(scene, &part) })
}

/// What is written, and how.
struct Plan {
    /// For each point the number of its normal.
    normals: Option<Vec<u32>>,
    /// For each point the number of its texture coordinate.
    uvs: Option<Vec<u32>>,
    /// Texture coordinates at the corners of faces, where a point has several.
    wedges: bool,
    /// Colours as whole numbers to 255, where that is exact.
    bytes: bool,
    regions: bool,
    tet_regions: bool,
}

impl Plan {
    fn new(part: &Part) -> Self {
        let each = |numbers: &[[u32; 3]]| {
            let some = !numbers.is_empty();
            some.then(|| one_each(&part.triangles, numbers, part.points.len())).flatten()
        };
        let uvs = each(&part.triangle_uvs);
        let short =
            |regions: &[i64]| !regions.is_empty() && regions.iter().all(|r| i32::try_from(*r).is_ok());
        Self {
            normals: each(&part.triangle_normals),
            wedges: uvs.is_none() && !part.triangle_uvs.is_empty(),
            uvs,
            bytes: part.colors.iter().flatten().all(|c| (f64::from(byte(*c)) / 255.0) as f32 == *c),
            regions: short(&part.triangle_regions),
            tet_regions: short(&part.tet_regions),
        }
    }

    fn header(&self, part: &Part) -> String {
        let mut text = String::from("ply\nformat binary_little_endian 1.0\ncomment written by Serosa\n");
        let mut element = |name: &str, count: usize, groups: &[(bool, &str, &str)]| {
            // Writing into a text cannot fail, hence `let _`.
            let _ = writeln!(text, "element {name} {count}");
            for (_, kind, names) in groups.iter().filter(|g| g.0) {
                for name in names.split(' ') {
                    let _ = writeln!(text, "property {kind} {name}");
                }
            }
        };
        let (colored, list) = (!part.colors.is_empty(), "list uchar uint");
        let vertex = [
            (true, "double", "x y z"),
            (self.normals.is_some(), "double", "nx ny nz"),
            (colored, if self.bytes { "uchar" } else { "float" }, "red green blue alpha"),
            (self.uvs.is_some(), "double", "u v"),
        ];
        element("vertex", part.points.len(), &vertex);
        let wedges = (self.wedges, "list uchar double", "texcoord");
        let face = [(true, list, "vertex_indices"), wedges, (self.regions, "int", "region")];
        element("face", part.triangles.len(), &face);
        if !part.tets.is_empty() {
            let tet = [(true, list, "vertex_indices"), (self.tet_regions, "int", "region")];
            element("3d_element", part.tets.len(), &tet);
        }
        if !part.lines.is_empty() {
            element("edge", part.lines.len(), &[(true, "uint", "vertex1 vertex2")]);
        }
        for (name, set) in part.sets.iter().filter(|(name, _)| fits(name)) {
            element(name, set.len(), &[(true, "uint", "vertex_index")]);
        }
        text
    }

    fn vertices(&self, part: &Part, out: &mut Vec<u8>) {
        let vector =
            |out: &mut Vec<u8>, v: &[f64]| v.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        for (i, point) in part.points.iter().enumerate() {
            vector(out, &point.to_array());
            if let Some(normals) = &self.normals {
                let normal = part.normals.get(normals[i] as usize).copied().unwrap_or(Vec3::Z);
                vector(out, &normal.to_array());
            }
            if let Some(color) = part.colors.get(i) {
                match self.bytes {
                    true => out.extend(color.map(byte)),
                    false => color.iter().for_each(|c| out.extend_from_slice(&c.to_le_bytes())),
                }
            }
            if let Some(uvs) = &self.uvs {
                vector(out, &part.uvs.get(uvs[i] as usize).copied().unwrap_or_default());
            }
        }
    }

    fn faces(&self, part: &Part, out: &mut Vec<u8>) {
        for (i, triangle) in part.triangles.iter().enumerate() {
            out.push(3);
            triangle.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
            if self.wedges {
                out.push(6);
                let uvs = part.triangle_uvs[i].iter().flat_map(|t| part.uvs[*t as usize]);
                uvs.for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
            }
            if self.regions {
                out.extend_from_slice(&(part.triangle_regions[i] as i32).to_le_bytes());
            }
        }
    }

    fn remarks(&self, scene: &RawScene, part: &Part) -> Vec<String> {
        let unused = |each: &Option<Vec<u32>>| each.as_ref().is_some_and(|e| e.contains(&MISSING));
        let large = |regions: &[i64], written: bool| !regions.is_empty() && !written;
        let regions =
            large(&part.triangle_regions, self.regions) || large(&part.tet_regions, self.tet_regions);
        let cases = [
            (scene.parts.len() > 1, "Parts were joined: PLY knows only one."),
            (
                self.normals.is_none() && !part.triangle_normals.is_empty(),
                "Normals were left out: PLY knows one for each point, and some points have several.",
            ),
            (
                unused(&self.normals) || unused(&self.uvs),
                "Points that no triangle uses were given a normal or texture coordinate, as PLY wants one for all.",
            ),
            (!scene.materials.is_empty(), "Materials were left out: PLY has none."),
            (regions, "Regions with numbers beyond 32 bits were left out."),
            (
                part.sets.keys().any(|name| !fits(name)),
                "Sets were left out whose names have blanks, or mean something else in PLY.",
            ),
        ];
        cases.iter().filter(|c| c.0).map(|c| c.1.to_owned()).collect()
    }
}

fn byte(channel: f32) -> u8 {
    (channel * 255.0).round() as u8
}

fn fits(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '\\') && !TAKEN.contains(&name)
}
