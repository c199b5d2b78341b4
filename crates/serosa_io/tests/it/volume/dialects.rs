//! Every dialect of one mesh gives the same part.

use super::samples::{self, Coding};
use super::{import, open, refusal};
use serosa_geometry::Vec3;
use serosa_io::mesh::format_of;

const CODINGS: [Coding; 3] = [Coding::Text, Coding::Little, Coding::Big];

#[test]
fn every_gmsh_gives_the_same_part() {
    assert_eq!(open("msh", &samples::gmsh_old("1", Coding::Text)).parts, [samples::part()]);
    let mut named = samples::part();
    named.sets.insert("a side".to_owned(), vec![0, 1, 2]);
    named.sets.insert("lower".to_owned(), vec![0, 1, 2, 4]);
    for coding in CODINGS {
        let files = [
            samples::gmsh_old("2.2", coding),
            samples::gmsh_new("4", coding),
            samples::gmsh_new("4.0", coding),
            samples::gmsh_new("4.1", coding),
        ];
        for (i, file) in files.iter().enumerate() {
            assert_eq!(format_of(file, "a").map(|f| f.name), Some("msh"));
            let scene = open("msh", file);
            assert_eq!(scene.parts, std::slice::from_ref(&named), "{coding:?} {i}");
            assert_eq!(scene.remarks, [""; 0]);
        }
    }
}

#[test]
fn gmsh_without_physical_groups_has_entities_as_regions() {
    let nodes =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
    let text = format!(
        "{nodes}$Elements\n2\n1 4 2 0 9 1 2 3 4\n2 2 3 0 8 5 1 2 3\n$EndElements\n$Foo\nx\n$EndFoo\n"
    );
    let scene = open("msh", text.as_bytes());
    assert_eq!((&scene.parts[0].tet_regions, &scene.parts[0].triangle_regions), (&vec![9], &vec![8]));
    assert_eq!(scene.remarks, ["The section $Foo was left out."]);
    let text = format!("{nodes}$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n");
    assert!(open("msh", text.as_bytes()).parts[0].tet_regions.is_empty());
}

#[test]
fn every_legacy_grid_gives_the_same_part() {
    for coding in [Coding::Text, Coding::Big] {
        for newest in [false, true] {
            let file = samples::vtk_grid(coding, newest);
            assert_eq!(format_of(&file, "a").map(|f| f.name), Some("vtk"));
            let scene = open("vtk", &file);
            assert_eq!(scene.parts, [samples::part()], "{coding:?} {newest}");
            assert_eq!(scene.remarks, ["Data were left out: \"pressure\" of cells."]);
        }
    }
}

#[test]
fn every_legacy_surface_gives_the_same_part() {
    for coding in [Coding::Text, Coding::Big] {
        for newest in [false, true] {
            let scene = open("vtk", &samples::vtk_surface(coding, newest));
            let part = &scene.parts[0];
            assert_eq!(part.lines, [[2, 3], [3, 4]]);
            assert_eq!(part.triangles, [[0, 2, 3], [0, 3, 1], [1, 4, 2], [0, 1, 2], [2, 1, 3]]);
            assert_eq!(part.triangle_regions, [8, 8, 9, 10, 10]);
            assert_eq!((part.normals[4], &part.triangle_normals), (Vec3::Z, &part.triangles));
            assert_eq!((part.uvs[2], &part.triangle_uvs), ([4.0, 5.0], &part.triangles));
            assert_eq!(part.colors, [[1.0, 0.0, 0.2, 1.0]; 5]);
            assert_eq!(scene.remarks, ["Data were left out: \"v\" of points."]);
        }
    }
}

#[test]
fn tetgen_and_medit_give_the_same_part_too() {
    let files = [(".node", samples::NODE), (".ele", samples::ELE), (".face", samples::FACE)];
    for (format, (_, bytes)) in ["node", "ele", "face"].into_iter().zip(files) {
        let mut part = import(format, bytes, &files).unwrap().parts.remove(0);
        assert_eq!(part.sets.remove("marker 4"), Some(vec![1, 2]));
        part.lines.push([0, 1]);
        assert_eq!(part, samples::part());
    }
    assert_eq!(open("mesh", samples::MEDIT).parts, [samples::part()]);
}

#[test]
fn mistakes_in_gmsh_files_are_told_with_their_place() {
    let text = String::from_utf8(samples::gmsh_old("2.2", Coding::Text)).unwrap();
    let cases = [
        ("$Nodes\n5", "$Nodes\n6", "line 17: \"$EndNodes\" stands where a number belongs"),
        ("$Nodes\n5", "$Nodes\n4", "line 15: \"40\" stands where $Nodes should end"),
        ("$Nodes\n5", "$Nodes\n4294967295", "line 10: 4294967295 nodes are announced"),
        ("$Elements\n5", "$Elements\n4", "stands where $Elements should end"),
        ("0.25", "nan", "line 12: NaN stands where a finite number belongs"),
        ("0.25", "\u{fffd}", "stands where a number belongs"),
        ("\n3 0.1", "\n8 0.1", "line 14: node 8 is given twice"),
        ("41 1 3 1 17 8", "41 1 3 1 17 9", "line 23: node 9 is used, but not given"),
        ("3 4 2", "3 99 2", "elements of type 99 are not known"),
        ("2.2 0 8", "3.0 0 8", "line 2: version 3 of Gmsh meshes is not known"),
        ("2.2 0 8", "2.2 0 4", "numbers of 4 bytes"),
        ("2.2 0 8", "2.2 1 8", "the mark of the byte order is not 1"),
        ("\"lower\"", "lower", "line 7: a physical name needs"),
        ("$EndElements", "", "the end of the file stands where $Elements should end"),
    ];
    for (from, to, wanted) in cases {
        assert!(text.contains(from), "{from}");
        let error = refusal("msh", text.replacen(from, to, 1).as_bytes());
        assert!(error.contains(wanted), "{from:?} → {to:?}: {error}");
    }
    let text = String::from_utf8(samples::gmsh_new("4.1", Coding::Text)).unwrap();
    let error = refusal("msh", text.replace("2 5 1 40", "2 6 1 40").as_bytes());
    assert!(error.contains("6 nodes are announced, but their blocks hold 5"), "{error}");
    let error = refusal("msh", text.replace("5 5 1 5", "5 4 1 5").as_bytes());
    assert!(error.contains("4 elements are announced, but their blocks hold 5"), "{error}");
    let mut binary = samples::gmsh_new("4.1", Coding::Little);
    assert!(refusal("msh", &binary[..binary.len() - 60]).starts_with("byte "));
    let mark = binary.windows(5).position(|w| w == [1, 0, 0, 0, b'\n']).unwrap();
    binary[mark..mark + 4].copy_from_slice(&[0, 0, 0, 1]);
    let error = refusal("msh", &binary);
    assert!(error.contains("are announced, but only"), "the wrong byte order: {error}");
}

#[test]
fn cells_of_other_shapes_are_cut_and_said() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n\
                7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n3\n1 5 2 4 1 1 2 3 4 5 6 7 8\n2 3 2 4 1 1 2 3 4\n\
                3 11 2 4 1 1 2 4 5 1 2 3 4 5 6\n$EndElements\n";
    let scene = open("msh", text.as_bytes());
    assert_eq!((scene.parts[0].tets.len(), scene.parts[0].triangles.len()), (7, 2));
    assert_eq!(scene.parts[0].tet_regions, [4; 7]);
    let wanted = [
        "1 hexahedra were cut into tetrahedra, faces at their lowest-numbered point.",
        "1 tetrahedra of higher order were read by their corners; the points between stay, and nothing uses them.",
    ];
    assert_eq!(scene.remarks, wanted);
    let turned = text.replace("3 11 2 4 1 1 2 4 5", "3 11 2 4 1 2 1 4 5");
    assert_eq!(open("msh", turned.as_bytes()).remarks[2], "1 of 7 tetrahedra are turned inside out.");
}

#[test]
fn mistakes_in_legacy_files_are_told_with_their_place() {
    let text = String::from_utf8(samples::vtk_grid(Coding::Text, false)).unwrap();
    let cases = [
        ("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", "a VTK dataset \"STRUCTURED_POINTS\" holds no mesh"),
        ("UNSTRUCTURED_GRID", "STRUCTURED_GRID", "a VTK dataset \"STRUCTURED_GRID\" holds no mesh"),
        ("ASCII", "UTF", "line 3: \"UTF\" stands where ASCII or BINARY belongs"),
        ("POINTS 5", "POINTS 4", "stands where a keyword belongs"),
        ("POINTS 5", "POINTS 6", "line 7: \"METADATA\" stands where a number belongs"),
        ("POINTS 5", "POINTS 4294967295", "line 5: 12884901885 numbers are announced"),
        ("POINTS 5 double", "POINTS 5 quad", "\"quad\" is no type of numbers"),
        ("0.25", "inf", "line 5: point 1 is not finite"),
        ("4 0 1 2 3 ", "4 0 1 2 5 ", "line 10: cell 3 uses point 5, and there are 5, from 0"),
        ("4 0 1 2 3 ", "19 0 1 2 3 ", "cell 3 of 5 announces 19 points"),
        ("3 0 1 2 ", "3 0 1 -2 ", "cell 1 uses point -2"),
        ("CELL_TYPES 5", "CELL_TYPES 4", "stands where a keyword belongs"),
        ("3 5 5 10 10", "3 5 5 10 12", "cell 4 has 4 points, but its type, 12, has 8"),
        ("3 5 5 10 10", "3 5 5 10 99", "cell 4 is of type 99, which is not known"),
        ("CELL_DATA 5", "CELL_DATA 6", "data of 6 cells are announced, but there are 5"),
        ("SCALARS", "SCALERS", "\"SCALERS\" stands where data of points or cells belong"),
    ];
    for (from, to, wanted) in cases {
        assert!(text.contains(from), "{from}");
        let error = refusal("vtk", text.replacen(from, to, 1).as_bytes());
        assert!(error.contains(wanted), "{from:?} → {to:?}: {error}");
    }
    let error = refusal("vtk", &samples::vtk_grid(Coding::Little, false));
    assert!(error.contains("announces 33554432 points"), "the wrong byte order: {error}");
    let binary = samples::vtk_grid(Coding::Big, true);
    let error = refusal("vtk", &binary[..300]);
    assert!(error.starts_with("byte ") && error.contains("follow"), "{error}");
}
