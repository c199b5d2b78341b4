//! Surfaces in files: every dialect from small samples, what is written is read back, real organs, broken files.

mod data;
mod gltf;
mod hostile;
mod obj;
mod off;
mod ply;
mod speed;
mod stl;

use serosa_bake::RawScene;
use serosa_bake::raw::{Material, Part};
use serosa_geometry::Vec3;
use serosa_io::mesh::{FORMATS, Format, format_of, joined};

fn format(name: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.name == name).expect("a known format")
}

fn no_file(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("there is no file {name}"))
}

/// Reads a sound file.
fn read(name: &str, bytes: &[u8]) -> RawScene {
    let scene = (format(name).import)(bytes, &mut no_file);
    let scene = scene.unwrap_or_else(|e| panic!("{name}: {e} ({})", String::from_utf8_lossy(bytes)));
    check(&scene).unwrap_or_else(|e| panic!("{name}: {e}"));
    scene
}

/// The only part of a sound file.
fn part(name: &str, bytes: &[u8]) -> Part {
    let mut scene = read(name, bytes);
    assert_eq!(scene.parts.len(), 1, "{name}");
    scene.parts.remove(0)
}

/// What is wrong with a file.
fn fault(name: &str, bytes: &[u8]) -> String {
    let error = (format(name).import)(bytes, &mut no_file).expect_err("refused");
    assert!(!error.help.is_empty());
    error.to_string()
}

/// What is read of what is written.
fn again(name: &str, scene: &RawScene) -> RawScene {
    let export = format(name).export.expect("can be written")(scene).expect("written");
    let found = format_of(&export.bytes, "without ending").expect("known by its bytes");
    assert_eq!(found.name, name);
    read(name, &export.bytes)
}

/// Whether every number in a scene points at something, and everything is finite.
fn check(scene: &RawScene) -> Result<(), String> {
    for part in &scene.parts {
        let below = |list: &[u32], count: usize, what: &str| match list.iter().find(|v| **v as usize >= count)
        {
            Some(v) => Err(format!("{what}: {v} of {count}")),
            None => Ok(()),
        };
        let whole = |n: usize, count: usize, what: &str| match n == 0 || n == count {
            true => Ok(()),
            false => Err(format!("{what}: {n} for {count}")),
        };
        let (points, triangles) = (part.points.len(), part.triangles.len());
        below(part.triangles.as_flattened(), points, "triangles")?;
        below(part.lines.as_flattened(), points, "lines")?;
        below(part.tets.as_flattened(), points, "tets")?;
        below(part.triangle_normals.as_flattened(), part.normals.len(), "normals")?;
        below(part.triangle_uvs.as_flattened(), part.uvs.len(), "uvs")?;
        below(&part.triangle_materials, scene.materials.len(), "materials")?;
        whole(part.triangle_normals.len(), triangles, "normals")?;
        whole(part.triangle_uvs.len(), triangles, "uvs")?;
        whole(part.triangle_materials.len(), triangles, "materials")?;
        whole(part.triangle_regions.len(), triangles, "regions")?;
        whole(part.tet_regions.len(), part.tets.len(), "regions of tets")?;
        whole(part.colors.len(), points, "colours")?;
        for (name, set) in &part.sets {
            below(set, points, name)?;
            if !set.is_sorted_by(|a, b| a < b) {
                return Err(format!("the set {name} is not ascending"));
            }
        }
        let finite = part.points.iter().chain(&part.normals).all(|p| p.is_finite())
            && part.uvs.iter().flatten().all(|v| v.is_finite())
            && part.colors.iter().flatten().all(|v| v.is_finite());
        if !finite || part.triangles.iter().any(|[a, b, c]| a == b || b == c || c == a) {
            return Err("something is not finite, or a triangle uses a point twice".to_owned());
        }
    }
    Ok(())
}

/// A tetrahedron with all that a part can have and that stands at points.
fn sample() -> RawScene {
    let points = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.125, -0.5, 1e-3f32.into())];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let part = Part {
        name: "tetrahedron".to_owned(),
        normals: vec![Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::new(0.6, 0.8, 0.0)],
        triangle_normals: triangles.clone(),
        uvs: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.25], [0.5, 0.5]],
        triangle_uvs: triangles.clone(),
        colors: (0..4u8).map(|i| [f32::from(i) / 255.0, 0.0, 1.0, 1.0]).collect(),
        triangle_materials: vec![0, 0, 1, 1],
        triangle_regions: vec![7, 7, -1, 3],
        lines: vec![[3, 0]],
        tets: vec![[0, 1, 2, 3]],
        tet_materials: vec![],
        tet_regions: vec![12],
        sets: [("held".to_owned(), vec![0, 2]), ("top".to_owned(), vec![3])].into(),
        points,
        triangles,
    };
    let red = Material { name: "red".to_owned(), color: [1.0, 0.0, 0.0], ..Material::default() };
    let glass = Material {
        name: "glass".to_owned(),
        color: [0.5; 3],
        transparency: 0.75,
        texture: Some("a b.png".into()),
    };
    RawScene { parts: vec![part], materials: vec![red, glass], ..RawScene::default() }
}

#[test]
fn joined_parts_keep_their_names_as_sets_and_their_lines_as_edges() {
    let mut scene = sample();
    scene.parts.push(Part {
        name: "thread".to_owned(),
        points: vec![Vec3::X, Vec3::Y],
        lines: vec![[1, 0]],
        sets: [("held".to_owned(), vec![1])].into(),
        ..Part::default()
    });
    let mesh = joined(&scene);
    assert_eq!((mesh.points.len(), mesh.triangles.len(), mesh.edges.len()), (6, 4, 7));
    assert_eq!(mesh.edges[6], [4, 5], "lines come after the edges of triangles, and each edge once");
    assert_eq!((&mesh.sets["held"][..], &mesh.sets["thread"][..]), (&[0, 2, 5][..], &[4, 5][..]));
    scene.parts.truncate(1);
    assert!(!joined(&scene).sets.contains_key("tetrahedron"), "a single part is the mesh itself");
}

#[test]
fn a_wrong_ending_is_seen_through() {
    for format in FORMATS.iter().filter(|f| ["gltf", "ply", "off", "stl", "obj"].contains(&f.name)) {
        let bytes = format.export.unwrap()(&sample()).unwrap().bytes;
        let wrong = if format.name == "ply" { "organ.stl" } else { "organ.ply" };
        assert_eq!(format_of(&bytes, wrong).map(|f| f.name), Some(format.name));
    }
    assert_eq!(format_of(b"nothing known", "a/b.GLB").map(|f| f.name), Some("gltf"));
    assert!(format_of(b"nothing known", "a.b/c").is_none());
}
