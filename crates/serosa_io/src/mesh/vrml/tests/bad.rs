use super::*;
use crate::mesh::vrml::{Limits, import_within};
use std::fmt::Write;

fn refused(text: &str) -> String {
    let error = read(text).expect_err(text);
    assert!(!error.help.is_empty());
    error.to_string()
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cases = [
        ("Shape { geometry USE ball }", "line 2: USE ball, but no DEF ball before"),
        ("DEF a Group { children USE a }", "line 2: USE a stands inside the node that DEF a names"),
        ("PROTO P [ ] { Group { children\nP { } } }", "line 3: the PROTO P contains itself"),
        ("Coordinate { point [ 0 0 1e999 ] }", "line 2: the number 1e999 is too large"),
        ("Coordinate { point [ 0 0 nan ] }", "line 2: a list mixes numbers"),
        ("Coordinate { point [ nan nan nan ] }", "numbers should stand here, not `nan`"),
        ("Coordinate { point [ 0 0\n0 1 ] }", "line 3: the field point of Coordinate: 4 numbers"),
        ("Box { size 1 2 }", "line 2: the field size of Box: 2 numbers, 3 are wanted"),
        ("\nGroup { children [\nBox { }", "`]` is missing: found the end"),
        ("\nGroup {\n", "line 3: Group, which begins here, is not finished"),
        ("Group { children \"x", "has no closing quote"),
        (
            "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 ] } coordIndex [ 0 0 7 -1 ] } }",
            "names the point 7",
        ),
        ("ROUTE a.b TO", "the name of a node in a ROUTE is expected"),
        ("}", "a node is expected, found `}`"),
        ("Box", "`Box` is no node"),
        ("ElevationGrid { xDimension 99999999 zDimension 99999999 height [ 1 ] }", "1 heights for"),
        ("PROTO P [ field SFWhat a 1 ] { }", "`SFWhat` is no type of fields"),
        (
            "Transform { scale 1e300 1e300 1e300 children Transform { scale 1e300 1 1 children Shape { geometry Box { } } } }",
            "not finite once transformed",
        ),
    ];
    for (body, wanted) in cases {
        let error = refused(&format!("#VRML V2.0 utf8\n{body}"));
        assert!(error.contains(wanted), "{body}: {error}");
    }
    assert!(refused("Box { }").contains("line 1: the first line"));
    assert!(refused("#Inventor V2.1 ascii\nCoordinate3 { point [ 0 0 0 ] } QuadMesh { verticesPerColumn 9 verticesPerRow 4294967296 }").contains("QuadMesh wants"));
    assert!(refused("#Inventor V2.1 ascii\nFaceSet { numVertices 4 }").contains("wants more points"));
    assert!(refused("<X3D><Scene><Shape USE='a'/></Scene></X3D>").contains("USE a, but no DEF"));
    assert!(refused("<X3D><Scene><ProtoDeclare name='P'><ProtoBody><ProtoInstance name='P'/></ProtoBody></ProtoDeclare></Scene></X3D>").contains("contains itself"));
    assert!(
        refused("<X3D><Scene><Coordinate point='1 2 nan'/></Scene></X3D>")
            .contains("nan is no finite number")
    );
}

#[test]
fn packed_and_foreign_bytes_are_refused_with_advice() {
    let cases: [(&[u8], &str, &str); 4] = [
        (b"\x1F\x8B\x08\x00", "gzip", "gunzip"),
        (b"\xE0\x00\x00\x01", "Fast Infoset", ".x3d"),
        (b"\xFF\xFE#\0V\0", "UTF-16", "UTF-8"),
        (b"#Inventor V1.0 binary\n", "not read", "ASCII"),
    ];
    for (bytes, wanted, advice) in cases {
        let error = import(bytes, &mut |_| Err(String::new())).unwrap_err();
        assert!(error.message.contains(wanted) && error.help.contains(advice), "{error:?}");
    }
}

#[test]
fn bytes_that_are_not_utf8_do_no_harm() {
    let text =
        b"#VRML V2.0 utf8\n#\x95\xBD\xFF\nDEF a\xFFb Shape { geometry Box { } }\nWorldInfo { info \"\xFE\" }";
    let scene = import(text, &mut |_| Err(String::new())).unwrap();
    assert_eq!(scene.parts[0].name, "a\u{FFFD}b");
    let marked = [b"\xEF\xBB\xBF".as_slice(), b"#VRML V2.0 utf8\nBox { }"].concat();
    assert_eq!(import(&marked, &mut |_| Err(String::new())).unwrap().parts.len(), 1);
}

#[test]
fn a_million_levels_do_not_overflow_the_stack() {
    let deep = 1_000_000;
    let nested = format!("#Inventor V2.1 ascii\n{}", "Group { ".repeat(deep));
    assert!(refused(&nested).contains("nested more than 200 deep"));
    let fields = format!("#VRML V2.0 utf8\n{}", "Group { children [ ".repeat(deep));
    assert!(refused(&fields).contains("nested more than 200 deep"));
    let unknown = format!("#VRML V2.0 utf8\n{}{}", "Odd { ".repeat(deep), "} ".repeat(deep));
    assert_eq!(read(&unknown).unwrap().parts.len(), 0);
    let protos = format!("#VRML V2.0 utf8\n{}", "PROTO P [ ] { ".repeat(deep));
    assert!(refused(&protos).contains("too deep"));
    let defaults = format!("#VRML V2.0 utf8\n{}", "PROTO P [ field SFNode a Group { ".repeat(deep));
    assert!(refused(&defaults).contains("deep"));
}

#[test]
fn a_chain_of_uses_is_as_bounded_as_nesting() {
    let mut text = "#VRML V2.0 utf8\nDEF n0 Shape { geometry Box { } }\n".to_owned();
    for i in 1..1000 {
        writeln!(text, "DEF n{i} Group {{ children USE n{} }}", i - 1).unwrap();
    }
    assert!(refused(&text).contains("use each other more than 200 deep"));
    let mut text = "#VRML V2.0 utf8\nPROTO P0 [ ] { Box { } }\n".to_owned();
    for i in 1..1000 {
        writeln!(text, "PROTO P{i} [ ] {{ P{} {{ }} }}", i - 1).unwrap();
    }
    text.push_str("P999 { }");
    assert!(refused(&text).contains("too deep"));
}

#[test]
fn bombs_are_refused() {
    let small = Limits { output: 200_000, work: 20_000_000 };
    let within = |text: &str| {
        import_within(text.as_bytes(), &mut |_| Err(String::new()), small).expect_err(text).to_string()
    };
    let mut shapes = "#VRML V2.0 utf8\nDEF n0 Shape { geometry Sphere { } }\n".to_owned();
    let mut hollow = "#VRML V2.0 utf8\nDEF n0 Group { }\n".to_owned();
    for i in 1..60 {
        for text in [&mut shapes, &mut hollow] {
            writeln!(text, "DEF n{i} Group {{ children [ USE n{0} USE n{0} ] }}", i - 1).unwrap();
        }
    }
    assert!(within(&shapes).contains("points and triangles"));
    assert!(within(&hollow).contains("too large to be walked over"));
    let mut protos = "#VRML V2.0 utf8\nPROTO P0 [ ] { Group { } }\n".to_owned();
    for i in 1..60 {
        writeln!(protos, "PROTO P{i} [ ] {{ Group {{ children [ P{0} {{ }} P{0} {{ }} ] }} }}", i - 1)
            .unwrap();
    }
    protos.push_str("P59 { }");
    assert!(within(&protos).contains("too large"));
    let array = |inside: &str| {
        format!(
            "#Inventor V2.1 ascii\nArray {{ numElements1 32767 numElements2 32767 numElements3 32767 {inside} }}"
        )
    };
    assert!(within(&array("Cube { }")).contains("points and triangles"));
    assert!(within(&array("")).contains("too large"));
    assert!(
        within("#Inventor V2.1 ascii\nArray { numElements1 0 numElements2 1e18 numElements3 1e18 }")
            .contains("too large")
    );
    let idle = format!(
        "#VRML V2.0 utf8\nDEF a Shape {{ geometry IndexedFaceSet {{ coordIndex [ {} ] }} }}\n{}",
        "-1 ".repeat(9999),
        "USE a ".repeat(99_999)
    );
    assert!(within(&idle).contains("too large"));
    let spine = format!(
        "#VRML V2.0 utf8\nExtrusion {{ spine [ {} ] crossSection [ {} ] }}",
        "0 1 0 ".repeat(5000),
        "0 1 ".repeat(5000)
    );
    assert!(within(&spine).contains("points and triangles"));
}

#[test]
fn a_polygon_of_very_many_corners_does_not_hang() {
    let mut text = "#VRML V2.0 utf8\nIndexedFaceSet { convex FALSE coord Coordinate { point [ ".to_owned();
    for i in 1..200_000 {
        write!(text, "{i} {} 0 ", i % 2 * 9).unwrap();
    }
    text.push_str("100000 -1e9 0 ] } coordIndex [ ");
    for i in 0..200_000 {
        write!(text, "{i} ").unwrap();
    }
    text.push_str("] }");
    let scene = read(&text).unwrap();
    assert_eq!(scene.parts[0].triangles.len(), 199_998);
    assert!(scene.remarks.iter().any(|r| r.contains("fans")), "{:?}", scene.remarks);
}

#[test]
fn files_that_include_each_other_are_refused() {
    let files = [
        ("a.wrl", "#VRML V2.0 utf8\nInline { url \"b.wrl\" }"),
        ("b.wrl", "#VRML V2.0 utf8\n\nInline { url \"a.wrl\" }"),
    ];
    let error = read_with(files[0].1, &files).unwrap_err().to_string();
    assert!(error.contains("includes itself"), "{error}");
    let broken = [("c.wrl", "#VRML V2.0 utf8\n\n\nBox")];
    let error = read_with("#VRML V2.0 utf8\nInline { url \"c.wrl\" }", &broken).unwrap_err().to_string();
    assert!(error.contains("line 4: in the file c.wrl"), "{error}");
}

#[test]
fn what_is_small_but_looked_at_often_is_bounded_too() {
    let small = Limits { output: 200_000, work: 20_000_000 };
    let within =
        |text: &str| import_within(text.as_bytes(), &mut |_| Err(String::new()), small).expect_err("a bomb");
    let often = "USE a ".repeat(20_000);
    let many = "1 ".repeat(30_000);
    let fields = format!("#VRML V2.0 utf8\nDEF a Group {{ {} }}\n{often}", "x 1 ".repeat(30_000));
    let colors = format!(
        "#Inventor V2.1 ascii\nMaterial {{ transparency [ {many} ] }} DEF a BaseColor {{ }}\n{often}"
    );
    let uvs = format!("#Inventor V2.1 ascii\nDEF a TextureCoordinate2 {{ point [ {many} ] }}\n{often}");
    let choices = format!("#Inventor V2.1 ascii\nDEF a Switch {{ {} }}\n{often}", "Info { } ".repeat(30_000));
    for bomb in [fields, colors, uvs, choices] {
        let error = within(&bomb).to_string();
        assert!(error.contains("too large to be walked over"), "{error}");
    }
    let name = "n".repeat(1_000_000);
    let named = format!("#Inventor V2.1 ascii\nDEF {name} Array {{ numElements1 1000 Cube {{ }} }}");
    assert_eq!(read(&named).unwrap().parts[999].name.len(), 200);
}
