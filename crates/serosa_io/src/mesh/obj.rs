//! Wavefront OBJ, through the `tobj` crate.

use super::ImportError;
use serosa_geometry::{Mesh, Vec3};

/// Reads an OBJ file: all objects together, polygons cut into triangles. Materials are passed over.
pub fn import_obj(bytes: &[u8]) -> Result<Mesh, ImportError> {
    let bad = |reason: String| ImportError::Malformed { format: "OBJ", reason };
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..Default::default()
    };
    let (models, _) = tobj::load_obj_buf(&mut &bytes[..], &options, |_| Ok(Default::default()))
        .map_err(|e| bad(e.to_string()))?;
    let mut points: Vec<Vec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for model in models {
        let base = points.len() as u32;
        let coordinates = model.mesh.positions.chunks_exact(3);
        points.extend(coordinates.map(|c| Vec3::new(c[0], c[1], c[2])));
        let count = points.len() as u32;
        for t in model.mesh.indices.chunks_exact(3) {
            let t = [t[0], t[1], t[2]].map(|i| i.saturating_add(base));
            if t.iter().any(|&i| i >= count) {
                return Err(bad(format!("a face names vertex {}, of {count}", t[0].max(t[1]).max(t[2]) + 1)));
            }
            if t[0] == t[1] || t[1] == t[2] || t[0] == t[2] {
                return Err(bad(format!("a face uses vertex {} twice", t[0].max(t[1]) + 1)));
            }
            triangles.push(t);
        }
    }
    if triangles.is_empty() {
        return Err(ImportError::Empty("faces"));
    }
    if let Some(i) = points.iter().position(|p| !p.is_finite()) {
        return Err(bad(format!("vertex {} is not finite", i + 1)));
    }
    Ok(Mesh::from_triangles(points, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_becomes_two_triangles() {
        let mesh = import_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").unwrap();
        assert_eq!((mesh.points.len(), mesh.triangles.len(), mesh.edges.len()), (4, 2, 5));
    }

    #[test]
    fn broken_files_are_refused() {
        assert!(import_obj(b"v 0 0 zero\nf 1 2 3\n").is_err());
        assert!(import_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 9\n").is_err());
        assert!(import_obj(b"").is_err());
        assert!(import_obj(&[0xff, 0xfe, 0, 1, 2]).is_err());
    }
}
