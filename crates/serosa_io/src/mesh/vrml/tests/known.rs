use super::*;

#[test]
fn a_transform_scales_turns_and_shifts_in_that_order() {
    let scene = new("Transform { translation 10 0 0 rotation 0 0 1 1.5707963267948966 scale 2 1 1
        children Transform { translation 3 0 0 children DEF box Shape { geometry Box { size 1 1 1 } } } }");
    assert_eq!((scene.parts.len(), scene.parts[0].name.as_str()), (1, "box"));
    assert!(near(middle(&scene.parts[0]), Vec3::new(10.0, 6.0, 0.0)));
    assert!((volume(&scene) - 2.0).abs() < 1e-12);
}

#[test]
fn the_state_leaks_out_of_groups_and_not_out_of_separators() {
    let scene = old("Separator { Translation { translation 5 0 0 } }
        Group { Translation { translation 1 0 0 } Material { diffuseColor 1 0 0 } }
        TransformSeparator { Translation { translation 0 9 0 } Material { diffuseColor 0 1 0 } }
        DEF a Cube { }");
    assert!(near(middle(&scene.parts[0]), Vec3::X));
    assert_eq!(scene.materials[0].color, [0.0, 1.0, 0.0]);
    assert_eq!(scene.parts[0].triangle_materials, [0; 12]);
}

#[test]
fn a_used_node_is_there_again_with_the_state_of_its_place() {
    let scene = old("DEF a Cube { width 1 height 1 depth 1 } Translation { translation 2 0 0 } USE a");
    assert_eq!(scene.parts.len(), 2);
    assert!(near(middle(&scene.parts[1]), Vec3::X * 2.0));
    let scene = new(
        "Group { children [ DEF s Shape { geometry Box { } } Transform { translation 0 7 0 children USE s } ] }",
    );
    assert!(near(middle(&scene.parts[1]), Vec3::Y * 7.0));
}

#[test]
fn a_prototype_gives_each_instance_its_own_fields() {
    let scene = new("PROTO Block [ field SFVec3f at 1 2 3 exposedField MFNode inside [] field SFNode look NULL ] {
          Transform { translation IS at children [ Shape { appearance Appearance { material IS look } geometry Box { size 1 1 1 } }
            Group { children IS inside } ] } }
        PROTO Twice [ field SFVec3f where 0 0 0 ] { Group { children [ Block { at IS where } Block { } ] } }
        Block { at 4 0 0 look Material { diffuseColor 0 0 1 transparency 0.5 } inside Shape { geometry Sphere { } } }
        Twice { where 0 0 9 }");
    let places: Vec<Vec3> = scene.parts.iter().filter(|p| p.points.len() == 8).map(middle).collect();
    let wanted = [Vec3::X * 4.0, Vec3::Z * 9.0, Vec3::new(1.0, 2.0, 3.0)];
    assert!(places.iter().zip(wanted).all(|(a, b)| near(*a, b)), "{places:?}");
    assert_eq!((scene.parts.len(), scene.parts[1].triangles.len()), (4, 390));
    assert_eq!((scene.materials[0].color, scene.materials[0].transparency), ([0.0, 0.0, 1.0], 0.5));
}

#[test]
fn prototypes_and_scenes_of_other_files_are_fetched() {
    let files = [
        (
            "lib.wrl",
            "#VRML V2.0 utf8\nPROTO Other [ ] { Group { } }\nPROTO Ball [ field SFFloat r 2 ] { Shape { geometry Sphere { radius IS r } } }",
        ),
        ("box.iv", "#Inventor V2.1 ascii\nTranslation { translation 1 0 0 } Cube { }"),
        ("bare.wrl", "Shape { geometry Cone { } }"),
    ];
    let text = "#VRML V2.0 utf8\nEXTERNPROTO Ball [ field SFFloat r ] [ \"gone.wrl#Ball\" \"lib.wrl#Ball\" ]
        Ball { r 1 } Inline { url [ \"box.iv\" ] } Inline { url \"bare.wrl\" } Inline { url \"nowhere.wrl\" }";
    let scene = read_with(text, &files).unwrap();
    let counts: Vec<usize> = scene.parts.iter().map(|p| p.triangles.len()).collect();
    assert_eq!(counts, [390, 12, 38]);
    assert!(near(middle(&scene.parts[1]), Vec3::X));
    assert!(scene.remarks.iter().any(|r| r.contains("nowhere.wrl")), "{:?}", scene.remarks);
    let included = read_with("#Inventor V2.1 ascii\nFile { name \"box.iv\" } Cube { }", &files).unwrap();
    assert!(near(middle(&included.parts[1]), Vec3::X), "what a File moves stays moved");
}

#[test]
fn switches_levels_arrays_and_copies_choose_and_multiply() {
    assert_eq!(old("Switch { Cube { } }").parts.len(), 0);
    assert_eq!(old("Switch { whichChild -3 Cube { } Cube { } }").parts.len(), 2);
    assert_eq!(new("Switch { whichChoice 1 choice [ Box { } Sphere { } ] }").parts[0].triangles.len(), 390);
    assert_eq!(new("LOD { level [ Cone { } Sphere { } ] }").parts[0].triangles.len(), 38);
    let scene = old(
        "Array { numElements1 2 numElements2 3 separation1 4 0 0 separation2 0 5 0 origin CENTER Cube { } }",
    );
    assert_eq!(scene.parts.len(), 6);
    assert!(near(middle(&scene.parts[0]), Vec3::new(-2.0, -5.0, 0.0)));
    let scene = old(
        "MultipleCopy { matrix [ 1 0 0 0 0 1 0 0 0 0 1 0 7 0 0 1, 2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1 ] Cube { } }",
    );
    assert!(near(middle(&scene.parts[0]), Vec3::X * 7.0));
    assert!((volume(&scene) - 72.0).abs() < 1e-9);
}

#[test]
fn clockwise_and_mirrored_faces_are_turned_outwards() {
    let faces = "coordIndex [ 0 2 1 -1 0 1 3 -1 1 2 3 -1 2 0 3 -1 ]";
    let inwards = "coordIndex [ 0 1 2 -1 0 3 1 -1 1 3 2 -1 2 3 0 -1 ]";
    let points = "point [ 0 0 0 1 0 0 0 1 0 0 0 1 ]";
    let shape = |faces: &str, ccw: &str| {
        format!("Shape {{ geometry IndexedFaceSet {{ {ccw} coord Coordinate {{ {points} }} {faces} }} }}")
    };
    let sixth = 1.0 / 6.0;
    assert!((volume(&new(&shape(faces, ""))) - sixth).abs() < 1e-15);
    assert!((volume(&new(&shape(inwards, "ccw FALSE"))) - sixth).abs() < 1e-15);
    let mirrored = format!("Transform {{ scale -1 1 1 children {} }}", shape(faces, ""));
    assert!((volume(&new(&mirrored)) - sixth).abs() < 1e-15);
    let scene = old(&format!(
        "ShapeHints {{ vertexOrdering CLOCKWISE }} Coordinate3 {{ {points} }} IndexedFaceSet {{ {inwards} }}"
    ));
    assert!((volume(&scene) - sixth).abs() < 1e-15);
}

#[test]
fn solids_grids_and_extrusions_have_their_volumes() {
    assert!((volume(&new("Extrusion { }")) - 4.0).abs() < 1e-12);
    let bent = "Extrusion { crossSection [ 0 1, 1 -0.5, -1 -0.5, 0 1 ] spine [ 0 0 0, 0 5 0, 5 5 0 ] }";
    assert!(volume(&new(bent)) > 10.0);
    let turned = "Extrusion { spine [ 0 0 0, 3 0 0 ] scale [ 1 1, 2 1 ] orientation [ 0 1 0 0, 0 1 0 0 ] }";
    assert!((volume(&new(turned)) - 18.0).abs() < 1e-9, "{}", volume(&new(turned)));
    let grid = "ElevationGrid { xDimension 3 zDimension 2 xSpacing 2 zSpacing 4 height [ 1 1 1 1 1 1 ] }";
    assert!((volume(&new(grid)) - 16.0 / 3.0).abs() < 1e-12, "open below: a third of what stands under it");
    let quads = "Coordinate3 { point [ 0 1 0, 1 1 0, 0 1 1, 1 1 1 ] } QuadMesh { verticesPerColumn 2 verticesPerRow 2 }";
    assert!((volume(&old(quads)) - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(old("Cylinder { parts (SIDES | TOP) }").parts[0].triangles.len(), 58);
    assert_eq!(new("Cone { bottom FALSE }").parts[0].triangles.len(), 20);
    assert!((volume(&old("Units { units INCHES } Cube { }")) - 8.0 * 0.0254f64.powi(3)).abs() < 1e-12);
}

#[test]
fn strips_fans_and_sets_of_x3d_are_read() {
    let points = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 1 1 0, 0 2 0, 1 2 0 ] }";
    let triangles = |body: &str| new(&format!("Shape {{ geometry {body} }}")).parts[0].triangles.clone();
    let strip = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]];
    assert_eq!(triangles(&format!("TriangleStripSet {{ stripCount 6 {points} }}")), strip);
    assert_eq!(triangles(&format!("IndexedTriangleStripSet {{ index [ 0 1 2 3 4 5 -1 ] {points} }}")), strip);
    assert_eq!(triangles(&format!("TriangleFanSet {{ fanCount [ 3 3 ] {points} }}")), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(
        triangles(&format!("IndexedTriangleFanSet {{ index [ 0 1 3 2 ] {points} }}")),
        [[0, 1, 3], [0, 3, 2]]
    );
    assert_eq!(triangles(&format!("TriangleSet {{ {points} }}")), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(triangles(&format!("IndexedTriangleSet {{ index [ 5 4 3 ] {points} }}")), [[5, 4, 3]]);
    assert_eq!(
        triangles(&format!("IndexedQuadSet {{ index [ 0 1 3 2 ] {points} }}")),
        [[0, 1, 3], [0, 3, 2]]
    );
    let lines = new(&format!("Shape {{ geometry LineSet {{ vertexCount [ 3 2 ] {points} }} }}"));
    assert_eq!(lines.parts[0].lines, [[0, 1], [1, 2], [3, 4]]);
    assert_eq!(new(&format!("Shape {{ geometry PointSet {{ {points} }} }}")).parts[0].points.len(), 6);
}

#[test]
fn colours_normals_and_textures_follow_their_bindings() {
    let scene = new("Shape { appearance Appearance { material DEF skin Material { diffuseColor 1 0 0 } texture ImageTexture { url \"a.png\" } }
        geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 1 1 0 ] } coordIndex [ 0 1 2 -1 1 3 2 -1 ]
          normal Normal { vector [ 0 0 2, 0 0 -1 ] } normalPerVertex FALSE
          texCoord TextureCoordinate { point [ 0 0 1 0 0 1 1 1 ] }
          color Color { color [ 1 1 1, 0 1 0, 0 0 1, 1 0 1 ] } } }");
    let part = &scene.parts[0];
    assert_eq!((part.triangle_normals.as_slice(), part.normals[0]), ([[0; 3], [1; 3]].as_slice(), Vec3::Z));
    assert_eq!((part.triangle_uvs[1], part.uvs[3]), ([1, 3, 2], [1.0, 1.0]));
    assert_eq!(part.colors[1], [0.0, 1.0, 0.0, 1.0]);
    let material = &scene.materials[0];
    assert_eq!((material.name.as_str(), material.texture.as_deref()), ("skin", Some("a.png")));
    let scene = old("Material { diffuseColor [ 1 0 0, 0 1 0 ] transparency 0.25 } MaterialBinding { value PER_FACE_INDEXED }
        Coordinate3 { point [ 0 0 0 1 0 0 0 1 0 1 1 0 ] } IndexedFaceSet { coordIndex [ 0 1 2 -1 1 3 2 -1 ] materialIndex [ 1 0 ] }");
    assert_eq!(scene.parts[0].triangle_materials, [0, 1]);
    assert_eq!((scene.materials[0].color, scene.materials[1].transparency), ([0.0, 1.0, 0.0], 0.25));
    let scene = old("Coordinate3 { point [ 0 0 0 1 0 0 0 1 0 ] } PackedColor { orderedRGBA [ 0xff000080 0x00ff00ff 0x0000ffff ] }
        MaterialBinding { value PER_VERTEX } FaceSet { numVertices 3 }");
    assert_eq!(scene.parts[0].colors[2], [0.0, 0.0, 1.0, 1.0]);
    assert!((scene.parts[0].colors[0][3] - 128.0 / 255.0).abs() < 1e-6);
}

#[test]
fn the_same_scene_in_three_dialects_is_the_same() {
    let xml = "<X3D version='3.3'><Scene><Transform translation='1 2 3'><Shape DEF='tri'><Appearance><Material diffuseColor='1 0 0'/></Appearance>
        <IndexedFaceSet coordIndex='0 1 2 -1'><Coordinate point='0 0 0, 1 0 0, 0 1 0'/></IndexedFaceSet></Shape></Transform></Scene></X3D>";
    let body = "Transform { translation 1 2 3 children DEF tri Shape { appearance Appearance { material Material { diffuseColor 1 0 0 } }
        geometry IndexedFaceSet { coordIndex [ 0 1 2 -1 ] coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } } } }";
    let inventor = "Translation { translation 1 2 3 } Material { diffuseColor 1 0 0 } Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] }
        DEF tri IndexedFaceSet { coordIndex [ 0 1 2 -1 ] }";
    let scenes = [
        read(xml).unwrap(),
        new(body),
        read(&format!("#X3D V3.0 utf8\nPROFILE Immersive\nCOMPONENT Core:1\nMETA \"a\" \"b\"\n{body}"))
            .unwrap(),
        old(inventor),
        read(&format!("#VRML V1.0 ascii\n{inventor}")).unwrap(),
    ];
    for scene in &scenes[1..] {
        assert_eq!((&scene.parts, &scene.materials), (&scenes[0].parts, &scenes[0].materials));
    }
}

#[test]
fn shapes_that_share_points_take_their_own() {
    let scene = old("Coordinate3 { point [ 0 0 0 1 0 0 0 1 0 5 5 5 6 5 5 5 6 5 ] }
        IndexedFaceSet { coordIndex [ 0 1 2 -1 ] } IndexedFaceSet { coordIndex [ 5 3 4 -1 ] }");
    assert_eq!((scene.parts[0].points.len(), scene.parts[1].triangles[0]), (3, [2, 0, 1]));
    let alone =
        old("Coordinate3 { point [ 0 0 0 1 0 0 0 1 0 5 5 5 ] } IndexedFaceSet { coordIndex [ 0 1 2 -1 ] }");
    assert_eq!(
        alone.parts[0].points.len(),
        4,
        "points that nothing uses stay where no other shape wants them"
    );
}

#[test]
fn unknown_nodes_are_left_out_or_taken_for_what_they_say_they_are() {
    let scene = old("Wild { thing [ { } ] other { a b } } Cube { }
        Tame { fields [ SFFloat width, MFString isA ] isA [ \"Wilder\", \"Cube\" ] width 5 }");
    assert_eq!(scene.parts.len(), 2);
    assert!(scene.remarks[0].contains("Wild"), "{:?}", scene.remarks);
    assert_eq!(middle(&scene.parts[1]), Vec3::ZERO);
    assert!((volume(&scene) - 28.0).abs() < 1e-12);
}

#[test]
fn faces_without_extent_are_kept_and_told() {
    let scene =
        old("Coordinate3 { point [ 0 0 0 1 0 0 ] } IndexedFaceSet { coordIndex [ 0 1 1 -1 0 1 -1 ] }");
    assert_eq!(scene.parts[0].triangles, [[0, 1, 1]]);
    assert!(scene.remarks.iter().any(|r| r.contains("use a point twice")), "{:?}", scene.remarks);
    assert!(scene.remarks.iter().any(|r| r.contains("fewer than three corners")));
}
