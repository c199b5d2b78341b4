//! A mesh that a scene names: found, told by its format, read, and its parts joined.

use super::{FileReader, UsedFile};
use crate::mesh::{FORMATS, format_of, joined};
use serosa_geometry::Mesh;

/// What is wrong, and what to do.
type Wrong = (String, String);

/// Reads a mesh in any known format, in the units of its file, with the files that it was made of.
pub fn read(path: &str, read_file: FileReader) -> Result<(Mesh, Vec<UsedFile>), Wrong> {
    let bytes = read_file(path).map_err(|reason| {
        let message = format!("the mesh file \"{path}\" cannot be read: {reason}");
        (message, "write a path from the folder of the scene file".to_owned())
    })?;
    let Some(format) = format_of(&bytes, path) else {
        let endings: Vec<String> =
            FORMATS.iter().flat_map(|f| f.extensions).map(|e| format!(".{e}")).collect();
        let help = format!("use a file of a known format: {}", endings.join(", "));
        return Err((format!("\"{path}\" is of no known mesh format"), help));
    };
    let mut others = Vec::new();
    let mut resolve = |name: &str| {
        let path = beside(path, name)?;
        let bytes = read_file(&path)?;
        others.push(UsedFile { path, bytes: bytes.clone() });
        Ok(bytes)
    };
    let scene = (format.import)(&bytes, &mut resolve)
        .map_err(|error| (format!("\"{path}\" as {}: {error}", format.about), error.help))?;
    let mesh = joined(&scene);
    if mesh.edges.is_empty() {
        let tets: usize = scene.parts.iter().map(|p| p.tets.len()).sum();
        let (what, help) = match tets {
            0 => ("no faces or lines".to_owned(), "export the surface or the lines of the mesh"),
            n => (format!("{n} tetrahedra, but no faces or lines"), "export the surface of the mesh with it"),
        };
        return Err((format!("\"{path}\" as {} holds {what}", format.about), help.to_owned()));
    }
    let mut files = vec![UsedFile { path: path.to_owned(), bytes }];
    files.extend(others);
    Ok((mesh, files))
}

/// The path of a file that a mesh file names. Only files in its own folder and below are read, so that a mesh from
/// elsewhere cannot make a recording carry away others.
fn beside(path: &str, name: &str) -> Result<String, String> {
    let outside =
        name.starts_with(['/', '\\']) || name.contains(':') || name.split(['/', '\\']).any(|p| p == "..");
    if outside {
        return Err("it is not in the folder of the mesh file".to_owned());
    }
    let folder = path.rfind(['/', '\\']).map_or("", |end| &path[..=end]);
    Ok(format!("{folder}{name}"))
}
