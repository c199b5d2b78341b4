//! Solids from surfaces in scene files.

use serosa_bake::raw::RawGeometry;
use serosa_geometry::{Aabb, Vec3};
use serosa_io::scene::{Loaded, Problem, load};

fn scene(shape: &str, fill: &str) -> String {
    format!(
        "serosa = 1\ntitle = \"filled\"\n\n[[body]]\nname = \"it\"\n{shape}\n\
         model.solid = {{ young = \"5 kPa\"{fill} }}\n\
         attach = [{{ plane = {{ point = [0, 0, \"-1 cm\"] }} }}]\n"
    )
}

/// A box of twelve triangles, in millimetres; or without its last face.
fn file(path: &str) -> Result<Vec<u8>, String> {
    let faces = [
        "1 3 2", "1 4 3", "5 6 7", "5 7 8", "1 2 6", "1 6 5", "2 3 7", "2 7 6", "3 4 8", "3 8 7", "4 1 5",
        "4 5 8",
    ];
    let points =
        "v 0 0 -30\nv 90 0 -30\nv 90 50 -30\nv 0 50 -30\nv 0 0 10\nv 90 0 10\nv 90 50 10\nv 0 50 10\n";
    let count = if path == "flat.obj" { 2 } else { 12 };
    Ok(format!("{points}{}", faces[..count].iter().map(|f| format!("f {f}\n")).collect::<String>())
        .into_bytes())
}

fn read(text: &str) -> Loaded {
    load(text, &file).unwrap_or_else(|p| panic!("{text}\n{p:?}"))
}

fn refused(text: &str) -> Problem {
    let problems = load(text, &file).expect_err("should be refused");
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].clone()
}

#[test]
fn organs_balls_and_files_are_filled() {
    let shapes = [
        "shape.kidney = { vertices = 400 }",
        "shape.liver = { vertices = 400, scale = 0.5, at = [0, 0, \"1 cm\"], turn = [0, \"20 deg\", 0] }",
        "shape.ball = { center = [0, 0, 0], size = \"6 cm\", vertices = 400 }",
        "shape.organ = { part = [{ ball = { center = [0, 0, 0], radius = \"3 cm\" } }], vertices = 400 }",
        "shape.mesh = { file = \"box.obj\", unit = \"1 mm\" }",
    ];
    for shape in shapes {
        let loaded = read(&scene(shape, ", fill = { tets = 1000 }"));
        let RawGeometry::Filled(filled) = &loaded.raw.bodies[0].geometry else { panic!("{shape}") };
        assert_eq!(filled.recipe.is_none(), shape.contains("mesh"));
        let model = &loaded.baked.model;
        assert!((700..1400).contains(&model.tets.len()), "{shape}: {}", model.tets.len());
        let skin: Vec<_> = model.skins[0].places(&model.rest).collect();
        assert_eq!(skin.len(), filled.surface.points.len());
        let apart = skin.iter().zip(&filled.surface.points).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{shape}: {apart}");
        // The recipe is filled where the surface lies: both have one middle.
        let middle = |p: &[Vec3]| {
            let Aabb { min, max } = Aabb::around(p.iter().copied());
            0.5 * (min + max)
        };
        assert!(middle(&model.rest).distance(middle(&skin)) < 3e-3, "{shape}");
    }
}

#[test]
fn what_is_not_said_is_ten_thousand() {
    let loaded = read(&scene("shape.kidney = { vertices = 400 }", ""));
    assert!(loaded.baked.model.tets.len().abs_diff(10_000) < 1000, "{}", loaded.baked.model.tets.len());
    let edged =
        read(&scene("shape.kidney = { vertices = 400 }", ", fill = { edge = \"8 mm\", coarsest = 1 }"));
    assert!(edged.baked.notes[0].contains("of edge 8.00 mm"), "{:?}", edged.baked.notes);
}

#[test]
fn mistakes_point_at_the_filling() {
    let kidney = "shape.kidney = { vertices = 100 }";
    let text = scene(kidney, ", fill = { edge = \"9 cm\" }");
    let problem = refused(&text);
    assert!(problem.message.contains("no tetrahedron of edge 90.000 mm fits"), "{problem:?}");
    assert_eq!(problem.line_column(&text).0, 7);
    assert!(text[problem.span.clone()].contains("edge"), "{}", &text[problem.span.clone()]);
    let probed = scene(kidney, ", fill = { edge = \"9 cm\" }")
        + "[[probe]]\nname = \"p\"\nposition = { body = \"it\", at = \"hilum\" }\n[[tune]]\ntarget = \"it.stiffness\"\nmin = \"1 kPa\"\nmax = \"9 kPa\"\n";
    assert_eq!(refused(&probed), problem, "who speaks of the body is not blamed");
    let both = refused(&scene(kidney, ", fill = { edge = \"9 mm\", tets = 100 }"));
    assert!(both.message.contains("`edge` stands beside `tets`"));
    let fine = refused(&scene(kidney, ", fill = { edge = \"0.02 mm\" }"));
    assert!(fine.message.contains("more than 2000000 tetrahedra"), "{fine:?}");
    let many = refused(&scene(kidney, ", fill = { tets = 3000000 }"));
    assert!(many.message.contains("`tets` must be from 20 to 2000000"), "{many:?}");
    let block = "shape.block = { size = [\"2 cm\", \"2 cm\", \"4 cm\"], corner = [0, 0, \"-2 cm\"], cell = \"1 cm\" }";
    let block = refused(&scene(block, ", fill = { tets = 100 }"));
    assert!(block.message.contains("`fill` is for closed surfaces"), "{block:?}");
    let skin = refused(&scene("shape.kidney = { vertices = 100, radius = \"9 mm\" }", ""));
    assert!(skin.message.contains("`radius` is for skins") && skin.help.contains("thickness"), "{skin:?}");
    let flat = refused(&scene("shape.mesh = { file = \"flat.obj\", unit = \"1 mm\" }", ""));
    assert!(flat.message.contains("encloses nothing"), "{flat:?}");
}
