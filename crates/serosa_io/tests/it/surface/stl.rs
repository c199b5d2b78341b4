use super::{again, fault, format, part, read, sample};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;

const FACET: &str = "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1e0 -0.0\n endloop\nendfacet\n";

/// A binary file of triangles, with a header of one's own.
fn binary(head: &[u8], count: u32, corners: &[[f32; 3]]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.resize(80, 0);
    bytes.extend(count.to_le_bytes());
    for triangle in corners.chunks(3) {
        bytes.extend([0; 12]);
        triangle.iter().flatten().for_each(|v| bytes.extend(v.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

const TWO: [[f32; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, -0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

#[test]
fn binary_files_are_read_and_equal_points_made_one() {
    let scene = read("stl", &binary(b"", 2, &TWO));
    assert_eq!(
        (scene.parts[0].points.len(), &scene.parts[0].triangles[..]),
        (4, &[[0, 1, 2], [1, 3, 2]][..])
    );
    assert!(scene.remarks[0].contains("6 corners became 4 points"), "{:?}", scene.remarks);
    assert_eq!(part("stl", &binary(b"solid but binary", 2, &TWO)).triangles.len(), 2);
    let mut longer = binary(b"solid facet\n", 2, &TWO);
    longer.extend(b"more");
    longer[84 + 48] = 7;
    let scene = read("stl", &longer);
    assert_eq!(scene.parts[0].triangles.len(), 2);
    assert!(
        scene.remarks[1].contains("attribute") && scene.remarks[2].contains("4 bytes after"),
        "{:?}",
        scene.remarks
    );
}

#[test]
fn texts_are_read_with_and_without_names_and_in_any_case() {
    let plain = part("stl", format!("solid\n{FACET}endsolid\n").as_bytes());
    assert_eq!((plain.name.as_str(), plain.triangles.len(), plain.points[2]), ("", 1, Vec3::Y));
    let scene = read(
        "stl",
        format!("\n solid a b\n{FACET}endsolid a b\nsolid c\n{FACET}{FACET}endsolid\nsolid d\nendsolid")
            .as_bytes(),
    );
    let found: Vec<_> =
        scene.parts.iter().map(|p| (p.name.as_str(), p.points.len(), p.triangles.len())).collect();
    assert_eq!(found, [("a b", 3, 1), ("c", 3, 2)]);
    let loud = format!("solid X\n{FACET}color 1 0 0\nendsolid X\n").to_uppercase().replace('\n', "\r\n");
    assert_eq!(part("stl", loud.as_bytes()).triangles.len(), 1);
    let small = part(
        "stl",
        b"solid\nfacet\nvertex 0 0 0\nvertex 0 0 1\nvertex 1 0 0\nvertex 9 9 9\nendfacet\nendsolid",
    );
    assert_eq!(small.triangles.len(), 2, "polygons are cut");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let cases = [
        (format!("solid\n{FACET}"), "line 8: the file ends without `endsolid`"),
        (format!("solid\n{}", &FACET[..58]), "line 5: vertex 2 needs three finite numbers"),
        (format!("solid\n{}", &FACET[..46]), "line 4: the file ends within a facet"),
        (
            format!("solid\n{}endsolid", FACET.replace("1e0", "inf")),
            "line 6: vertex 3 needs three finite numbers",
        ),
        (
            format!("solid\n{}endsolid", FACET.replace("  vertex 1 0 0\n", "")),
            "line 7: a facet has 2 vertices",
        ),
        ("solid\nvertex 1 2 3\nendsolid".to_owned(), "line 2: a vertex stands outside of any facet"),
        ("solid\nfacet\nvertex 1 2 3\nsolid b\nendsolid".to_owned(), "line 4: a solid begins within a facet"),
        ("solid\nendsolid\nfacet\n".to_owned(), "line 3: a facet stands outside of any solid"),
        ("solid\nfacet\nfacet\nendsolid".to_owned(), "line 3: a facet begins within another"),
        ("solid\nfacet\nendsolid".to_owned(), "line 3: a solid ends within a facet"),
        ("solid Empty\nendsolid Empty".to_owned(), "holds no triangles"),
        ("not an STL file".to_owned(), "byte 15: the file ends after 15 bytes"),
    ];
    for (text, wanted) in cases {
        let error = fault("stl", text.as_bytes());
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
    let cut = binary(b"", 2, &TWO);
    assert!(
        fault("stl", &cut[..140]).contains("byte 80: the header says 2 triangles, and there are bytes for 1")
    );
    assert!(fault("stl", &binary(b"", u32::MAX, &TWO)).contains("says 4294967295 triangles"));
    assert!(fault("stl", &binary(b"", 0, &[])).contains("holds no triangles"));
    let mut bad = TWO;
    bad[4][1] = f32::NAN;
    assert!(fault("stl", &binary(b"", 2, &bad)).contains("byte 158: corner 2 of triangle 2 is not finite"));
}

#[test]
fn what_is_written_is_read_back() {
    let wanted = sample();
    let found = again("stl", &wanted);
    // Points are numbered as triangles come upon them.
    let corners =
        |p: &Part| p.triangles.as_flattened().iter().map(|v| p.points[*v as usize]).collect::<Vec<_>>();
    assert_eq!(corners(&found.parts[0]), corners(&wanted.parts[0]));
    assert_eq!(again("stl", &found).parts, found.parts);
    let remarks = format("stl").export.unwrap()(&wanted).unwrap().remarks;
    assert_eq!(remarks.len(), 7, "{remarks:?}");
    let far = Part {
        points: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 1e300],
        triangles: vec![[0, 1, 2]],
        ..Part::default()
    };
    let far = RawScene { parts: vec![far], ..RawScene::default() };
    assert!(format("stl").export.unwrap()(&far).unwrap_err().contains("too large"));
}
