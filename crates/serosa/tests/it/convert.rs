//! `serosa convert`.

use crate::tell::tell;
use std::fs;

const MSH: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"liver\"\n$EndPhysicalNames\n\
    $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 7 1 2 1 3 4\n$EndElements\n";

#[test]
fn a_mesh_is_converted_and_what_is_lost_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.msh"), MSH).unwrap();
    let told = tell(&["convert", &path("a.msh"), &path("b.vtu")]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.ends_with("b.vtu: 1 parts, 4 points, 0 lines, 0 triangles, 1 tetrahedra\n"), "{told:?}");
    let wanted = "note: 1 of 1 tetrahedra are turned inside out.\n\
                  note: Left out of the VTU file: named sets of points.\n";
    assert_eq!(told.err, wanted);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no draft is left");

    let first = fs::read(path("b.vtu")).unwrap();
    let again = tell(&["convert", &path("b.vtu"), &path("b.vtu")]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.err.contains("is there already\n  help: give --force"), "{again:?}");
    assert_eq!(tell(&["convert", &path("b.vtu"), &path("b.vtu"), "--force"]).code, 0);
    assert_eq!(fs::read(path("b.vtu")).unwrap(), first, "what is written comes back");
}

#[test]
fn formats_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.node"), "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n").unwrap();
    fs::write(path("a.ele"), "1 4 0\n0 0 1 2 3\n").unwrap();
    fs::copy(path("a.ele"), path("a.txt")).unwrap();
    let told = tell(&["convert", &path("a.txt"), &path("b"), "--from", "ele", "--to", "vtu"]);
    assert_eq!(told.code, 0, "the points are found by their ending: {told:?}");
    assert!(told.out.contains("4 points") && told.out.contains("1 tetrahedra"), "{told:?}");
}

#[test]
fn what_cannot_be_converted_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("bad.msh"), MSH.replace("2 1 3 4", "2 1 3 9")).unwrap();
    fs::write(path("what"), "?").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[&path("bad.msh"), &path("b.vtu")], "line 17: node 9 is used, but not given"),
        (&[&path("none.msh"), &path("b.vtu")], "cannot be read"),
        (&[&path("what"), &path("b.vtu")], "name its format with --from"),
        (&[&path("bad.msh"), &path("b")], "name its format with --to"),
        (
            &[&path("bad.msh"), &path("b.node")],
            "TetGen points, with the .ele and .face beside them cannot be written",
        ),
        (&[&path("bad.msh"), &path("b.vtu"), "--from", "foo"], "there is no format \"foo\""),
        (&[folder.path().to_str().unwrap(), &path("b.vtu")], "it is not a file"),
    ];
    for (args, wanted) in cases {
        let told = tell(&[&["convert"], *args].concat());
        assert_eq!(told.code, 2, "{told:?}");
        assert!(told.err.contains(wanted) && told.err.contains("help: "), "{wanted}: {told:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was written");
    let help = tell(&["convert", "--help"]);
    assert!(help.out.contains("vtu   * VTK XML"), "{help:?}");
}
