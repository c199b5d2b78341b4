use super::{again, fault, format, part, read, sample};
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use serosa_io::mesh::Resolve;

/// A document around a buffer of 9 floats (a triangle), 3 bytes of numbers and whatever is given.
fn document(rest: &str) -> String {
    // 0 0 0, 1 0 0, 0 1 0; then 0 1 2 and one byte of nothing.
    let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAECAA==";
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"byteLength": 40, "uri": "data:application/octet-stream;base64,{data}"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 4}}],
        {rest}}}"#
    )
}

const ACCESSORS: &str = r#""accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
    {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}]"#;

fn triangle(rest: &str) -> String {
    document(&format!(
        r#"{ACCESSORS}, "meshes": [{{"name": "m", "primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}]{rest}"#
    ))
}

#[test]
fn embedded_buffers_are_read_with_or_without_nodes() {
    let plain = part("gltf", triangle("").as_bytes());
    assert_eq!(
        (plain.name.as_str(), plain.points, plain.triangles),
        ("m", vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])
    );
    let nodes = r#", "scene": 0, "scenes": [{"nodes": [1]}], "nodes": [
        {"mesh": 0, "name": "child", "matrix": [0,1,0,0, -1,0,0,0, 0,0,1,0, 5,0,0,1]},
        {"children": [0], "translation": [0, 0, 1], "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476], "scale": [2, 2, 2]},
        {"mesh": 0, "name": "elsewhere"}]"#;
    let turned = part("gltf", triangle(nodes).as_bytes());
    assert_eq!(turned.name, "child");
    let wanted = [Vec3::new(0.0, 10.0, 1.0), Vec3::new(-2.0, 10.0, 1.0), Vec3::new(0.0, 8.0, 1.0)];
    assert!(turned.points.iter().zip(wanted).all(|(p, w)| (*p - w).length() < 1e-12), "{:?}", turned.points);
    let mirrored = part("gltf", triangle(r#", "nodes": [{"mesh": 0, "scale": [-1, 1, 1]}]"#).as_bytes());
    assert_eq!(mirrored.triangles, [[0, 2, 1]], "a mirror turns triangles inside out");
}

#[test]
fn strips_fans_lines_and_loops_are_read() {
    let square = |mode: u32| {
        let numbers = r#"{"componentType": 5126, "count": 4, "type": "VEC3", "sparse": {"count": 3,
            "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 0}}}"#;
        let text = format!(
            r#""accessors": [{numbers}], "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "mode": {mode}}}]}}]"#
        );
        part("gltf", document(&text).as_bytes())
    };
    assert_eq!(
        square(5).points,
        [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ZERO],
        "the fourth is not among the sparse ones"
    );
    assert_eq!(
        (square(5).triangles, square(6).triangles),
        (vec![[0, 1, 2], [2, 1, 3]], vec![[0, 1, 2], [0, 2, 3]])
    );
    assert_eq!((square(1).lines, square(3).lines.len(), square(2).lines.len()), (vec![[0, 1], [2, 3]], 3, 4));
    assert_eq!(square(0).points.len(), 4);
}

#[test]
fn whole_numbers_are_normalised_and_materials_taken() {
    let rest = r#""accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 0, "byteOffset": 12, "componentType": 5121, "count": 3, "type": "VEC4", "normalized": true},
            {"bufferView": 0, "componentType": 5120, "count": 3, "type": "VEC3", "normalized": true},
            {"bufferView": 0, "componentType": 5123, "count": 3, "type": "VEC2", "normalized": true}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1, "NORMAL": 2, "TEXCOORD_0": 3}, "material": 1},
            {"attributes": {"POSITION": 0}}]}],
        "materials": [{}, {"name": "skin", "alphaMode": "BLEND", "pbrMetallicRoughness":
            {"baseColorFactor": [1, 0.5, 0, 0.25], "baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"uri": "skin.png"}], "skins": [{}], "animations": [{}], "extensionsRequired": ["KHR_x"]"#;
    let scene = read("gltf", document(rest).as_bytes());
    let part = &scene.parts[0];
    assert_eq!(part.colors[0], [0.0, 0.0, f32::from(0x80u8) / 255.0, f32::from(0x3fu8) / 255.0]);
    assert_eq!((part.triangle_uvs[0], part.uvs[0], part.points.len()), ([0, 1, 2], [0.0, 1.0], 6));
    assert_eq!(part.triangle_materials, [1, 2], "what has none gets a grey one");
    assert_eq!(part.normals.last(), Some(&Vec3::Z), "what has none gets that of its plane");
    let skin = &scene.materials[1];
    assert_eq!(
        (skin.color, skin.transparency, skin.texture.as_deref()),
        ([1.0, 0.5, 0.0], 0.75, Some("skin.png"))
    );
    let said = scene.remarks.join(" ");
    for wanted in ["Skins", "Animations", "\"KHR_x\"", "1 of 2 triangles have no normals"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn buffers_beside_the_file_are_asked_for() {
    let text = triangle("").replace("data:application/octet-stream;base64,", "my%20buffer.bin?");
    let end = text.find("bin?").unwrap() + 3;
    let text = format!("{}{}", &text[..end], &text[end + text[end..].find('"').unwrap()..]);
    let mut bytes = Vec::new();
    [0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes.extend([0, 1, 2, 0]);
    let resolve: Resolve =
        &mut |name: &str| if name == "my buffer.bin" { Ok(bytes.clone()) } else { Err(name.to_owned()) };
    assert_eq!((format("gltf").import)(text.as_bytes(), resolve).unwrap().parts[0].triangles.len(), 1);
    let error = (format("gltf").import)(text.as_bytes(), &mut super::no_file).unwrap_err();
    assert!(
        error.message.contains("buffer 0 cannot be read") && error.help.contains("my buffer.bin"),
        "{error:?}"
    );
    bytes.truncate(39);
    let resolve: Resolve = &mut |_: &str| Ok(bytes.clone());
    assert!(
        (format("gltf").import)(text.as_bytes(), resolve).unwrap_err().message.contains("39 of 40 bytes")
    );
}

#[test]
fn mistakes_are_named() {
    let with = |old: &str, new: &str| triangle("").replace(old, new);
    let cases = [
        ("{\n\n\"asset\": 3,, }".to_owned(), "line 3: the JSON of the file is not sound"),
        (r#"{"asset": {}}"#.to_owned(), "holds no meshes"),
        (
            triangle(r#", "extensionsRequired": ["KHR_draco_mesh_compression"]"#),
            "compressed with KHR_draco_mesh_compression",
        ),
        (
            triangle(r#", "extensionsRequired": ["EXT_meshopt_compression"]"#),
            "compressed with EXT_meshopt_compression",
        ),
        (
            triangle(
                r#", "nodes": [{"children": [1]}, {"children": [0], "mesh": 0}], "scenes": [{"nodes": [0]}]"#,
            ),
            "node 0 is named twice",
        ),
        (triangle(r#", "nodes": [{"children": [7]}]"#), "node 7 does not exist"),
        (triangle(r#", "nodes": [{"mesh": 7}]"#), "mesh 7 does not exist"),
        (with("\"indices\": 1", "\"indices\": 9"), "mesh 0, primitive 0: accessor 9 does not exist"),
        (with("\"indices\": 1", "\"indices\": 0"), "accessor 0 does not hold numbers"),
        (with("\"POSITION\": 0", "\"POSITION\": 1"), "accessor 1 is \"SCALAR\", and must be VEC3"),
        (with("\"POSITION\"", "\"NORMAL\""), "it has no POSITION"),
        (with("\"indices\": 1", "\"mode\": 8"), "the mode 8 is none"),
        (with("\"indices\": 1", "\"material\": 8"), "material 8 does not exist"),
        (
            with("5126, \"count\": 3", "5126, \"count\": 4"),
            "accessor 0: 4 rows go beyond the 36 bytes of view 0",
        ),
        (with("5126, \"count\": 3", "5126, \"count\": 4000000000"), "accessor 0: with 4000000000 more rows"),
        (
            with(
                "\"bufferView\": 0, \"componentType\": 5126, \"count\": 3",
                "\"componentType\": 5126, \"count\": 4000000000",
            ),
            "asks for too much",
        ),
        (with("5126, \"count\": 3", "5126, \"count\": 2"), "vertex 2 is named, of 2"),
        (with("5126", "5130"), "the component type 5130"),
        (with("\"byteLength\": 36", "\"byteLength\": 360"), "view 0 goes beyond buffer 0"),
        (with("\"byteLength\": 40", "\"byteLength\": 400"), "buffer 0 has 40 of 400 bytes"),
        (with(";base64,AAAA", ";base64,****"), "letter 0 of it is no base64"),
        (with(";base64", ""), "not written as base64"),
        (with("AACAPw", "AADAfw"), "vertex 1 (from 0, accessor 0) is not finite"),
    ];
    for (text, wanted) in cases {
        let error = fault("gltf", text.as_bytes());
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn binary_files_that_are_cut_are_named() {
    let bytes = format("gltf").export.unwrap()(&sample()).unwrap().bytes;
    assert!(fault("gltf", &bytes[..7]).contains("byte 7: the file ends within its header"));
    assert!(fault("gltf", &bytes[..bytes.len() - 1]).contains("the file ends after"));
    let mut old = bytes.clone();
    old[4] = 1;
    assert!(fault("gltf", &old).contains("byte 4: the file is of version 1 of GLB"));
    let mut long = bytes.clone();
    long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(fault("gltf", &long).contains("byte 12: a chunk of 4294967295 bytes goes beyond"));
}

#[test]
fn what_is_written_is_read_back() {
    let mut wanted = sample();
    let first = &mut wanted.parts[0];
    (first.tets, first.tet_regions, first.triangle_regions, first.sets) = Default::default();
    first.normals[3] = Vec3::X;
    wanted.parts.push(Part { name: "dots".to_owned(), points: vec![Vec3::ONE], ..Part::default() });
    let found = again("gltf", &wanted);
    assert_eq!(found.parts, wanted.parts);
    assert_eq!(found.materials, wanted.materials);
}

#[test]
fn seams_double_their_points() {
    let mut scene = sample();
    scene.parts[0].triangle_normals[2] = [0, 0, 0];
    let found = again("gltf", &scene);
    assert!(found.parts[0].points.len() > 4 && found.parts[0].points[..4] == scene.parts[0].points[..]);
    let corners = |p: &Part| {
        let points = p.triangles.as_flattened().iter().map(|v| p.points[*v as usize]);
        let normals = p.triangle_normals.as_flattened().iter().map(|v| p.normals[*v as usize].as_vec3());
        points.zip(normals).collect::<Vec<_>>()
    };
    assert_eq!(corners(&found.parts[0]), corners(&scene.parts[0]));
    let remarks = format("gltf").export.unwrap()(&scene).unwrap().remarks.join(" ");
    assert!(remarks.contains("doubled") && remarks.contains("Tetrahedra"), "{remarks}");
}
