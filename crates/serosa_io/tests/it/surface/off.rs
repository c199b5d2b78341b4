use super::{again, fault, part, read, sample};
use serosa_geometry::Vec3;

const BODY: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

#[test]
fn heads_of_every_kind_are_read() {
    for head in
        ["OFF\n4 1 0\n", "OFF\n# made by hand\n\n4 1\n", "OFF 4 1 4 # counts\n", "\t OFF4 1 0\n", "4 1 0\n"]
    {
        let part = part("off", format!("{head}{BODY}").as_bytes());
        assert_eq!((part.points.len(), part.triangles), (4, vec![[0, 1, 2], [0, 2, 3]]), "{head:?}");
    }
}

#[test]
fn colours_and_normals_are_read() {
    let bytes = part("off", b"COFF\n3 1 0\n0 0 0 255 0 0\n1 0 0 0 51 0 0\n0 1 0 0 0 0 255\n3 0 1 2\n");
    assert_eq!(bytes.colors, [[1.0, 0.0, 0.0, 1.0], [0.0, 0.2, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    let reals =
        part("off", b"CNOFF\n3 1 0\n0 0 0 0 0 2 1 0.5 0\n1 0 0 0 0 1 0 1 0\n0 1 0 1 0 0 0 0 1\n3 0 1 2\n");
    assert_eq!(
        (reals.colors[0], reals.normals[0], reals.normals[2]),
        ([1.0, 0.5, 0.0, 1.0], Vec3::Z, Vec3::X)
    );
    assert_eq!(reals.triangle_normals, reals.triangles);
    let mapped = part("off", b"STOFF\n3 1 0\n0 0 0 0.5 1\n1 0 0 0 0\n0 1 0 1 1\n3 0 1 2\n");
    assert_eq!((mapped.uvs[0], mapped.triangle_uvs[0]), ([0.5, 1.0], [0, 1, 2]));
    let painted = read("off", b"OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 1.0 0 0 0.5\n2 0 1\n");
    assert!(
        painted.remarks[0].contains("fewer than three") && painted.remarks[1].contains("colours of 1 faces")
    );
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cases = [
        ("", "the file is empty"),
        ("LUMP\n", "line 1: the file begins with \"LUMP\" and not with OFF"),
        ("4OFF\n1 0 0\n", "line 1: four-dimensional and binary OFF files are not read"),
        ("OFF BINARY\n", "line 1: four-dimensional and binary"),
        ("OFF\n4 x\n", "line 2: here the numbers of points"),
        ("OFF\n-4 1 0\n", "line 2: here the numbers of points"),
        ("OFF\n2 0 0\n0 0 0\n", "the file ends after 1 of 2 points"),
        ("OFF\n4000000000 4000000000 0\n0 0 0\n", "the file ends after 1 of 4000000000 points"),
        ("OFF\n1 1 0\n0 0 nan\n3 0 0 0\n", "line 3: point 0 needs three finite numbers"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "line 4: point 1 is named, of 1"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0\n", "line 4: a face of 3 corners has only 2"),
        ("OFF\n1 1 0\n0 0 0\n99999999999 0 0\n", "line 4: a face of 99999999999 corners has only 2"),
        ("OFF\n1 2 0\n0 0 0\n3 0 0 0\n", "the file ends after 1 of 2 faces"),
        ("OFF\n0 0 0\n", "holds no points"),
    ];
    for (text, wanted) in cases {
        let error = fault("off", text.as_bytes());
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let wanted = sample();
    let found = again("off", &wanted);
    let (a, b) = (&wanted.parts[0], &found.parts[0]);
    assert_eq!((&a.points, &a.triangles, &a.colors), (&b.points, &b.triangles, &b.colors));
}
