use super::{again, fault, format, part, read, sample};
use serosa_geometry::Vec3;

fn ascii(header: &str, body: &str) -> Vec<u8> {
    format!("ply\nformat ascii 1.0\n{header}end_header\n{body}").into_bytes()
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
const FACES: &str = "property list uchar int vertex_indices\n";

#[test]
fn texts_are_read_with_properties_in_any_order() {
    let header = "comment by hand\nobj_info none\nelement face 2\nproperty uchar flags\nproperty list uchar uint vertex_index\n\
                  element vertex 4\nproperty double z\nproperty uchar red\nproperty float ny\nproperty float nx\nproperty float nz\n\
                  property uchar green\nproperty uchar blue\nproperty double x\nproperty double y\nproperty float quality\n\
                  property float s\nproperty float t\n";
    let body = "0 3 0 1 2\n1 4 0 1 2 3\n\
                0 255 0 0 2 0 51 0 0 9 0 1\n0 0 0 0 1 0 0 1 0 9 1 0\n0 0 0 0 1 0 0 1 1 9 1 1\n0 0 nan 0 1 0 0 0 1 9 0 0\n";
    let scene = read("ply", &ascii(header, body));
    let part = &scene.parts[0];
    assert_eq!((part.points[1], part.points[2]), (Vec3::X, Vec3::new(1.0, 1.0, 0.0)));
    assert_eq!(part.triangles, [[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        (part.normals[0], part.normals[3], part.triangle_normals[2]),
        (Vec3::Z, Vec3::ZERO, [0, 2, 3])
    );
    assert_eq!((part.colors[0], part.uvs[1]), ([1.0, 0.0, 0.2, 1.0], [1.0, 0.0]));
    let said = scene.remarks.join(" ");
    assert!(said.contains("`flags`") && said.contains("`quality`"), "{said}");
}

#[test]
fn both_orders_of_bytes_are_read() {
    for big in [false, true] {
        let order = if big { "big" } else { "little" };
        let header = format!(
            "ply\r\nformat binary_{order}_endian 1.0\r\nelement vertex 3\r\nproperty short x\r\nproperty double y\r\n\
                              property int8 z\r\nproperty ushort red\r\nproperty ushort green\r\nproperty ushort blue\r\n\
                              element face 1\r\nproperty list ushort uint16 vertex_indices\r\nend_header\r\n"
        );
        let mut bytes = header.into_bytes();

        let mut number = |le: Vec<u8>| {
            let value: Vec<u8> = if big { le.into_iter().rev().collect() } else { le };
            bytes.extend(value);
        };
        for i in 0..3i16 {
            number((-300 * i).to_le_bytes().into());
            number((0.5 * f64::from(i * i)).to_le_bytes().into());
            number((-(i as i8)).to_le_bytes().into());
            for color in [65535u16, 0, 13107] {
                number(color.to_le_bytes().into());
            }
        }
        for value in [3u16, 0, 1, 2] {
            number(value.to_le_bytes().into());
        }
        let part = part("ply", &bytes);
        assert_eq!((part.points[2], part.triangles[0]), (Vec3::new(-600.0, 2.0, -2.0), [0, 1, 2]));
        assert_eq!(part.colors[0], [1.0, 0.0, 0.2, 1.0]);
    }
}

#[test]
fn strips_edges_and_corners_with_texture_coordinates_are_read() {
    let header = format!(
        "element vertex 4\n{XYZ}element tristrips 1\nproperty list int int vertex_indices\n\
                          element edge 2\nproperty int vertex1\nproperty int vertex2\nproperty uchar crease\n"
    );
    let strips =
        part("ply", &ascii(&header, "0 0 0\n1 0 0\n1 1 0\n0 1 0\n9 0 1 2 3 -1 3 2 2 1\n0 1 7\n2 2 7\n"));
    assert_eq!((strips.triangles, strips.lines), (vec![[0, 1, 2], [2, 1, 3]], vec![[0, 1]]));
    let header = format!(
        "element vertex 4\n{XYZ}element face 2\n{FACES}property list uchar float texcoord\nproperty int texnumber\n"
    );
    let body = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 6 0 0 1 0 1 1 0\n4 0 1 2 3 8 0 0 1 0 1 1 0 1 0\n";
    let corners = part("ply", &ascii(&header, body));
    assert_eq!((corners.triangle_uvs[2], corners.uvs.len(), corners.uvs[6]), ([3, 5, 6], 7, [0.0, 1.0]));
}

#[test]
fn the_elements_of_opensurgsim_are_read_and_the_rest_is_said() {
    let header = format!(
        "element vertex 5\n{XYZ}element 3d_element 2\nproperty list uint uint vertex_indices\n\
                          element 1d_element 1\nproperty list uint uint vertex_indices\nelement radius 1\nproperty double value\n\
                          element boundary_condition 3\nproperty uint vertex_index\n"
    );
    let body = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n4 0 1 2 3\n8 0 1 2 3 0 1 2 3\n3 0 3 4\n0.001\n4\n1\n4\n";
    let scene = read("ply", &ascii(&header, body));
    let part = &scene.parts[0];
    assert_eq!((&part.tets[..], &part.lines[..]), (&[[0, 1, 2, 3]][..], &[[0, 3], [3, 4]][..]));
    assert_eq!(part.sets["boundary_condition"], [1, 4]);
    let said = scene.remarks.join(" ");
    assert!(
        said.contains("1 cells that are no tetrahedra") && said.contains("`radius` was passed over, 1 rows"),
        "{said}"
    );
}

#[test]
fn mistakes_are_told_with_their_place() {
    let vertex = format!("element vertex 2\n{XYZ}");
    let cases = [
        (b"plywood".to_vec(), "line 1: the file does not begin with the line `ply`"),
        (b"ply\nformat ascii 1.0\nelement vertex 1\n".to_vec(), "byte 38: the header does not end"),
        (b"ply\nend_header\n".to_vec(), "line 2: the header does not say `format`"),
        (b"ply\nformat utf-8 1.0\n".to_vec(), "line 2: \"utf-8\" is no format of PLY"),
        (ascii("by hand\n", ""), "line 3: \"by\" is no part of a PLY header"),
        (ascii("element vertex -1\n", ""), "line 3: the count of an element"),
        (ascii("property int x\n", ""), "line 3: a property stands before any element"),
        (ascii("element vertex 1\nproperty complex x\n", ""), "line 4: \"complex\" is no type of PLY"),
        (ascii("element face 0\n", ""), "no element `vertex`"),
        (
            ascii("element vertex 1\nproperty int x\nproperty int y\nproperty int zi\n", "0 0 0\n"),
            "line 3: the vertices have no property `z`",
        ),
        (ascii(&vertex, "0 0 0\n"), "line 9: the file ends within its data"),
        (ascii(&vertex, "0 0 0\n0 0 one\n"), "line 9: \"one\" is not a number"),
        (ascii(&vertex, "0 0 0\n0 inf 0\n"), "line 9: vertex 1 (from 0) is not finite"),
        (
            ascii(&vertex, "0 0 0 0\n0 0 0\n"),
            "line 8: the line has more numbers than its element has properties",
        ),
        (
            ascii(&format!("{vertex}element face 1\n{FACES}"), "0 0 0\n0 0 0\n3 0 1 2\n"),
            "line 12: row 0 of the element `face` names vertex 2, of 2",
        ),
        (ascii(&format!("{vertex}element face 1\n{FACES}"), "0 0 0\n0 0 0\n3 0 1 -1\n"), "names vertex -1"),
        (ascii(&format!("{vertex}element face 1\n{FACES}"), "0 0 0\n0 0 0\n3 0 1 0.5\n"), "names vertex 0.5"),
        (
            ascii(&format!("{vertex}element face 1\n{FACES}"), "0 0 0\n0 0 0\n-3 0 1 0\n"),
            "line 12: a list has the length -3",
        ),
        (
            ascii(&format!("{vertex}element face 1\n{FACES}"), "0 0 0\n0 0 0\n4e9 0 1 0\n"),
            "the file ends within its data",
        ),
        (ascii(&format!("element vertex 0\n{XYZ}"), ""), "holds no vertices"),
    ];
    for (bytes, wanted) in cases {
        let error = fault("ply", &bytes);
        assert!(error.contains(wanted), "{:?}: {error}", String::from_utf8_lossy(&bytes));
    }
    let head = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\n{XYZ}element face 9\n{FACES}end_header\n"
    );
    let mut bytes = head.clone().into_bytes();
    bytes.extend([0; 30]);
    assert!(
        fault("ply", &bytes).contains(&format!("byte {}: the file ends within its data", head.len() + 28))
    );
    bytes[head.len() + 18] = 0x80;
    bytes[head.len() + 19] = 0x7f;
    assert!(
        fault("ply", &bytes).contains(&format!("byte {}: vertex 1 (from 0) is not finite", head.len() + 12))
    );
}

#[test]
fn elements_without_properties_end() {
    let header = format!("element nothing 4294967295\nelement vertex 1\n{XYZ}");
    assert_eq!(part("ply", &ascii(&header, "1 2 3\n")).points.len(), 1);
}

#[test]
fn what_is_written_is_read_back() {
    let mut wanted = sample();
    wanted.materials.clear();
    wanted.parts[0].triangle_materials.clear();
    wanted.parts[0].name.clear();
    assert_eq!(again("ply", &wanted).parts, wanted.parts);
    wanted.parts[0].colors[2][1] = 0.123_456;
    assert_eq!(again("ply", &wanted).parts, wanted.parts, "colours between two bytes");
    wanted.parts[0].triangle_uvs[0] = [0, 1, 0];
    let found = again("ply", &wanted);
    let uvs = |s: &serosa_bake::RawScene| {
        let part = &s.parts[0];
        part.triangle_uvs.as_flattened().iter().map(|t| part.uvs[*t as usize]).collect::<Vec<_>>()
    };
    assert_eq!(uvs(&found), uvs(&wanted), "points with two texture coordinates");
    wanted.parts[0].triangle_normals[0] = [1, 1, 1];
    wanted.parts[0].sets.insert("two words".to_owned(), vec![1]);
    let export = format("ply").export.unwrap()(&wanted).unwrap();
    assert_eq!(export.remarks.len(), 2, "{:?}", export.remarks);
}
