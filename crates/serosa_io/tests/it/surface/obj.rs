use super::{again, fault, format, part, read, sample};
use serosa_geometry::Vec3;
use serosa_io::mesh::Resolve;

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn groups_share_their_vertices_and_become_sets() {
    let part =
        part("obj", format!("{SQUARE}g left\nf 4/1/1 3//2 1\ng right all # both\nf -4 -3 -2\n").as_bytes());
    assert_eq!((part.points.len(), part.triangles.len()), (4, 2));
    assert_eq!(part.points[3], Vec3::Y, "vertices keep the numbers of the file");
    assert_eq!((&part.sets["left"], &part.sets["right"]), (&vec![0, 2, 3], &vec![0, 1, 2]));
    assert_eq!(part.sets.len(), 3);
}

#[test]
fn objects_are_sets_or_the_name_of_the_whole() {
    let one = part("obj", format!("o my liver\n{SQUARE}g a\nf 1 2 3\ng b\nf 1 3 4\n").as_bytes());
    assert_eq!((one.name.as_str(), one.sets.len()), ("my liver", 2));
    let two = part("obj", format!("{SQUARE}o a\nf 1 2 3\no b\ng c\nf 1 3 4\n").as_bytes());
    assert_eq!((two.name.as_str(), &two.sets["a"], &two.sets["b"]), ("", &vec![0, 1, 2], &vec![0, 2, 3]));
    assert_eq!(two.sets["c"], two.sets["b"], "a group lies within its object");
    let late = part("obj", format!("{SQUARE}f 1 2 3\no b\nf 1 3 4\n").as_bytes());
    assert_eq!((late.name.as_str(), late.sets.len()), ("", 1));
}

#[test]
fn polygons_lines_and_dots_are_read() {
    let one = part("obj", format!("{SQUARE}v 5 5 5\nf 1 2 3 4\nl 4 5 1\ng tip\np 5 5 1\n").as_bytes());
    assert_eq!((one.triangles, one.lines), (vec![[0, 1, 2], [0, 2, 3]], vec![[3, 4], [4, 0]]));
    assert_eq!(one.sets["tip"], [0, 4]);
    let cut = part("obj", format!("{SQUARE}f 1 2 \\\r\n 3 4 \\\n").as_bytes());
    assert_eq!(cut.triangles.len(), 2, "a line may go on after a backslash");
}

#[test]
fn corners_have_normals_texture_coordinates_and_colours() {
    let text = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 nan 0 1\nv 0 1 0 1.0\nvt 0.5\nvt 0 1 0\nvn 0 0 2\n\
                f 1/1/1 2/2/1 3/-1/-1\nf 1 3 4\nf 1/7/9 3/1/1 4/1/1\n";
    let scene = read("obj", text.as_bytes());
    let part = &scene.parts[0];
    assert_eq!((part.uvs[0], part.uvs[1], part.normals[0]), ([0.5, 0.0], [0.0, 1.0], Vec3::Z));
    assert_eq!((part.triangle_uvs[0], part.triangle_normals[0]), ([0, 1, 1], [0, 0, 0]));
    assert_eq!(part.normals[part.triangle_normals[1][0] as usize], Vec3::Z, "that of its plane");
    assert_eq!((part.colors[1], part.colors[2], part.colors[3]), ([0.0, 1.0, 0.0, 1.0], [1.0; 4], [1.0; 4]));
    let said = scene.remarks.join(" ");
    for wanted in
        ["2 of 3 triangles have no normals", "have no texture", "2 corners name", "1 points have colours"]
    {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn materials_come_from_libraries() {
    let library = "newmtl red\nKd 1 0 0\nd 0.25\nillum 2\nnewmtl Material #2\nKd 0 1 oops\nTr 0.5\n\
                   map_Kd -s 1 1 1 skin.png\nnewmtl unused\nmap_Kd my skin.png\n";
    let mut asked = Vec::new();
    let resolve: Resolve = &mut |name: &str| {
        asked.push(name.to_owned());
        if name == "my lib.mtl" { Ok(library.as_bytes().to_vec()) } else { Err("it is missing".to_owned()) }
    };
    let text = format!(
        "mtllib my lib.mtl\nmtllib my lib.mtl\nmtllib gone.mtl\n{SQUARE}f 1 2 3\nusemtl red\nf 1 3 4\n\
                        usemtl Material #2\nf 1 2 4\nusemtl red\nf 2 3 4\ns off\ns 1\n"
    );
    let scene = (format("obj").import)(text.as_bytes(), resolve).unwrap();
    assert_eq!(asked, ["my lib.mtl", "gone.mtl"]);
    assert_eq!(scene.parts[0].triangle_materials, [2, 0, 1, 0]);
    let [red, second, none] = &scene.materials[..] else { panic!("{:?}", scene.materials) };
    assert_eq!((red.color, red.transparency), ([1.0, 0.0, 0.0], 0.75));
    assert_eq!(
        (second.color, second.transparency, second.texture.as_deref()),
        ([0.8; 3], 0.5, Some("skin.png"))
    );
    assert_eq!(none.name, "");
    let said = scene.remarks.join(" ");
    assert!(
        said.contains("\"gone.mtl\" could not be read: it is missing")
            && said.contains("2 lines that begin with \"s\"")
    );
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cases = [
        ("v 0 0 zero\n", "line 1: vertex 1 needs three finite numbers"),
        ("v 0 0 0\r\nv 0 0 nan\n", "line 2: vertex 2 needs three finite numbers"),
        ("v 0 0 1e999\n", "line 1: vertex 1 needs three finite numbers"),
        ("v 0 0 0\nv 1 0 0\n\nf 1 2 9\n", "line 4: vertex 9 is named, of 2 so far"),
        ("v 0 0 0\nf 1 0 1\n", "line 2: vertex 0 is named"),
        ("v 0 0 0\nf -2 1 1\n", "line 2: vertex -2 is named"),
        ("v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face needs three vertices"),
        ("v 0 0 0\nl 1\n", "line 2: a line needs two vertices"),
        ("v 0 0 0\nf a b c\n", "line 2: \"a\" is not a vertex number"),
        ("vn 0 1\n", "line 1: a normal needs three numbers"),
        ("vt inf\n", "line 1: a texture coordinate needs finite numbers"),
        ("", "holds no points"),
        ("\u{0}\u{1}\u{2} hello", "holds no points"),
    ];
    for (text, wanted) in cases {
        let error = fault("obj", text.as_bytes());
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
    assert!(fault("obj", b"v 0 0 0\nf \xff\xfe 1 1").contains("line 2"));
    let groups = format!("v 0 0 0\ng{}\n", " a b".repeat(20));
    assert!(fault("obj", groups.as_bytes()).contains("line 2: a face belongs to more than 32 groups"));
}

#[test]
fn faces_that_use_a_vertex_twice_are_left_out_and_said() {
    let scene = read("obj", format!("{SQUARE}f 1 2 2\nf 1 2 3 3\nl 1 1\n").as_bytes());
    assert_eq!((scene.parts[0].triangles.len(), scene.parts[0].lines.len()), (1, 0));
    assert!(
        scene.remarks[0].starts_with("3 triangles or lines that use a point twice"),
        "{:?}",
        scene.remarks
    );
}

#[test]
fn what_is_written_is_read_back() {
    let mut wanted = sample();
    let part = &mut wanted.parts[0];
    (part.tets, part.tet_regions, part.triangle_regions) = Default::default();
    part.triangle_normals[2] = [3, 0, 0];
    let found = again("obj", &wanted);
    assert_eq!(found.parts, wanted.parts);
    let names =
        |scene: &serosa_bake::RawScene| scene.materials.iter().map(|m| m.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found), names(&wanted));
    let remarks = format("obj").export.unwrap()(&sample()).unwrap().remarks.join(" ");
    assert!(
        remarks.contains("1 tetrahedra") && remarks.contains("regions") && remarks.contains("Materials"),
        "{remarks}"
    );
}

#[test]
fn parts_are_written_as_objects() {
    let mut scene = sample();
    scene.parts.push(scene.parts[0].clone());
    scene.parts[1].name = "second".to_owned();
    let found = again("obj", &scene);
    assert_eq!((found.parts[0].points.len(), found.parts[0].triangles.len()), (8, 8));
    assert_eq!(found.parts[0].sets["second"], [4, 5, 6, 7]);
    assert_eq!(found.parts[0].sets["held"], [0, 2, 4, 6]);
}
