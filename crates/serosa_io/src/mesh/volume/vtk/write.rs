//! Writes `.vtu`: points, lines, triangles, tetrahedra and their regions, a piece for each part. Numbers are base64,
//! so that every bit comes back.

use super::array::to_base64;
use crate::mesh::Export;
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use std::fmt::Write;

/// Writes an unstructured grid.
pub fn export(scene: &RawScene) -> Result<Export, String> {
    if scene.parts.iter().all(|part| part.points.is_empty()) {
        return Err("there are no points to write".to_owned());
    }
    let regions = |part: &Part| !part.triangle_regions.is_empty() || !part.tet_regions.is_empty();
    let with_regions = scene.parts.iter().any(regions);
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
         byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
    );
    for part in &scene.parts {
        piece(&mut text, part, with_regions);
    }
    text.push_str("</UnstructuredGrid>\n</VTKFile>\n");
    Ok(Export { bytes: text.into_bytes(), remarks: remarks(scene) })
}

fn piece(text: &mut String, part: &Part, with_regions: bool) {
    let cells = part.lines.len() + part.triangles.len() + part.tets.len();
    let points = part.points.len();
    // Writing into a String cannot fail.
    let _ = writeln!(text, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>");
    let places: Vec<u8> = part.points.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes).collect();
    array(text, "Float64", "Points\" NumberOfComponents=\"3", &places);
    text.push_str("</Points>\n<Cells>\n");
    let lines = part.lines.iter().map(|cell| (3, cell.as_slice()));
    let triangles = part.triangles.iter().map(|cell| (5, cell.as_slice()));
    let tets = part.tets.iter().map(|cell| (10, cell.as_slice()));
    let (mut list, mut ends, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, corners) in lines.chain(triangles).chain(tets) {
        list.extend(corners.iter().flat_map(|corner| i64::from(*corner).to_le_bytes()));
        ends.extend((list.len() as i64 / 8).to_le_bytes());
        kinds.push(kind);
    }
    array(text, "Int64", "connectivity", &list);
    array(text, "Int64", "offsets", &ends);
    array(text, "UInt8", "types", &kinds);
    text.push_str("</Cells>\n");
    if with_regions {
        let of = |regions: &[i64], count: usize| {
            (0..count).map(|i| regions.get(i).copied().unwrap_or(0)).collect()
        };
        let numbers: [Vec<i64>; 3] = [
            of(&[], part.lines.len()),
            of(&part.triangle_regions, part.triangles.len()),
            of(&part.tet_regions, part.tets.len()),
        ];
        let bytes: Vec<u8> = numbers.into_iter().flatten().flat_map(i64::to_le_bytes).collect();
        text.push_str("<CellData Scalars=\"region\">\n");
        array(text, "Int64", "region", &bytes);
        text.push_str("</CellData>\n");
    }
    text.push_str("</Piece>\n");
}

fn array(text: &mut String, kind: &str, name: &str, bytes: &[u8]) {
    let all = [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
    let data = to_base64(&all);
    let _ =
        writeln!(text, "<DataArray type=\"{kind}\" Name=\"{name}\" format=\"binary\">\n{data}\n</DataArray>");
}

fn remarks(scene: &RawScene) -> Vec<String> {
    let any = |has: fn(&Part) -> bool| scene.parts.iter().any(has);
    let left_out = [
        (any(|p| !p.name.is_empty()), "names of parts"),
        (any(|p| !p.normals.is_empty()), "normals"),
        (any(|p| !p.uvs.is_empty()), "texture coordinates"),
        (any(|p| !p.colors.is_empty()), "colours"),
        (any(|p| !p.triangle_materials.is_empty()), "materials"),
        (any(|p| !p.sets.is_empty()), "named sets of points"),
    ];
    let names: Vec<&str> = left_out.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
    if names.is_empty() {
        Vec::new()
    } else {
        vec![format!("Left out of the VTU file: {}.", names.join(", "))]
    }
}
