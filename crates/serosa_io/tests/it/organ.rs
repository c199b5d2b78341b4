//! Organs in scene files: ready ones, balls and recipes, and how mistakes in them are told.

use serosa_bake::raw::{Finish, RawGeometry};
use serosa_geometry::{Mesh, Surface, Vec3};
use serosa_io::scene::{Loaded, load};

fn body(shape: &str, rest: &str) -> String {
    format!(
        "serosa = 1\ntitle = \"an organ\"\n\n[[body]]\nname = \"it\"\n{shape}\n\
         model.springs = {{ mass = \"150 g\", stiffness = \"300 N/m\" }}\n{rest}"
    )
}

fn read(text: &str) -> Loaded {
    load(text, &|path| Err(format!("no file {path} in this test"))).unwrap_or_else(|p| panic!("{p:?}"))
}

fn mesh(loaded: &Loaded) -> &Mesh {
    match &loaded.raw.bodies[0].geometry {
        RawGeometry::Mesh { mesh, .. } => mesh,
        other => panic!("{other:?}"),
    }
}

/// Line, column and message of the one mistake.
fn mistake(text: &str) -> (usize, usize, String) {
    let problems = load(text, &|_| Err(String::new())).expect_err("should be refused");
    assert_eq!(problems.len(), 1, "{problems:?}");
    let (line, column) = problems[0].line_column(text);
    (line, column, problems[0].message.clone())
}

#[test]
fn ready_organs_have_the_vertices_asked_for_and_their_own_look() {
    let finishes = [
        ("kidney", Finish::Kidney),
        ("liver", Finish::Liver),
        ("gallbladder", Finish::Gallbladder),
        ("stomach", Finish::Stomach),
        ("spleen", Finish::Spleen),
        ("colon", Finish::Colon),
    ];
    for (name, finish) in finishes {
        let loaded = read(&body(&format!("shape.{name} = {{ vertices = 300 }}"), ""));
        let mesh = mesh(&loaded);
        let surface = Surface::of(&mesh.points, &mesh.triangles);
        assert!(surface.is_watertight() && surface.volume.unwrap() > 0.0);
        assert_eq!((mesh.points.len(), loaded.raw.bodies[0].finish), (300, finish));
    }
    let plain = read(&body("shape.kidney = { vertices = 300 }", "look = \"tissue\""));
    assert_eq!(plain.raw.bodies[0].finish, Finish::Tissue);
}

#[test]
fn organs_are_turned_scaled_and_put_in_place() {
    let own = read(&body("shape.kidney = { vertices = 200 }", ""));
    let put = "shape.kidney = { vertices = 200, scale = 0.5, turn = [0, 0, \"90 deg\"], at = [1, 2, 3] }";
    let moved = read(&body(put, ""));
    for (p, q) in mesh(&own).points.iter().zip(&mesh(&moved).points) {
        let wanted = Vec3::new(1.0 - 0.5 * p.y, 2.0 + 0.5 * p.x, 3.0 + 0.5 * p.z);
        assert!((*q - wanted).length() < 1e-12);
    }
    // The edge is that of the organ as it stands in the scene.
    let coarse = read(&body("shape.kidney = { edge = \"6 mm\" }", ""));
    let halved = read(&body("shape.kidney = { edge = \"3 mm\", scale = 0.5 }", ""));
    assert_eq!(mesh(&coarse).triangles, mesh(&halved).triangles);
}

#[test]
fn organs_can_be_held_by_name() {
    let held = read(&body("shape.gallbladder = { vertices = 400 }", "attach = [{ name = \"neck\" }]"));
    let fixed = held.baked.model.inv_mass.iter().filter(|w| **w == 0.0).count();
    assert!(fixed > 3 && fixed < 100, "{fixed}");
}

#[test]
fn a_ball_has_exactly_the_vertices_of_the_laparos_paper() {
    for n in [241, 993, 4033] {
        let shape = format!("shape.ball = {{ center = [0, 0, 1], size = \"10 cm\", vertices = {n} }}");
        let loaded = read(&body(&shape, ""));
        assert_eq!(mesh(&loaded).points.len(), n);
    }
}

const FREE: &str = r#"shape.organ = { edge = "5 mm", bumps = { height = "1 mm", size = "2 cm" }, bend = { radius = "10 cm" }, taper = { length = "8 cm", to = 0.7 }, part = [
    { ellipsoid = { center = [0, 0, 0], size = ["4 cm", "3 cm", "9 cm"] } },
    { capsule = { from = [0, 0, 0], to = [0, "4 cm", 0], radius = "1 cm", end_radius = "5 mm" }, blend = "1 cm" },
    { tube = [{ at = [0, 0, "4 cm"], radius = "8 mm" }, { at = ["1 cm", 0, "7 cm"], radius = "6 mm" }], blend = "5 mm" },
    { torus = { center = [0, 0, "-3.5 cm"], ring_radius = "15 mm", radius = "4 mm" }, blend = "3 mm" },
    { ball = { center = ["2 cm", 0, 0], radius = "1 cm" }, how = "cut", blend = "4 mm" },
    { plane = { point = [0, 0, "6 cm"] }, how = "keep", blend = "4 mm" },
] }"#;

#[test]
fn a_recipe_of_all_shapes_is_closed() {
    let loaded = read(&body(FREE, "look = \"liver\""));
    let surface = Surface::of(&mesh(&loaded).points, &mesh(&loaded).triangles);
    assert!(surface.is_watertight() && surface.is_oriented() && surface.components.len() == 1);
    assert_eq!(loaded.raw.bodies[0].finish, Finish::Liver);
}

#[test]
fn mistakes_in_organs_are_told_where_they_stand() {
    let (line, column, message) = mistake(&body("shape.kidney = { edge = \"5 mm\", vertices = 300 }", ""));
    assert_eq!((line, column, message.as_str()), (6, 25, "`edge` stands beside `vertices`"));
    let free = |part: &str| body(&format!("shape.organ = {{ part = [\n  {part},\n] }}"), "");
    let cases = [
        ("{ plane = {} }", 5, "a half-space has no end"),
        ("{ tube = [{ at = [0, 0, 0], radius = 1 }] }", 5, "a tube through 1 points"),
        ("{ ellipsoid = { center = [0, 0, 0], size = [1, 0, 1] } }", 46, "three extents larger than zero"),
        ("{ ball = { center = [0, 0, 0], radius = \"1 kg\" } }", 0, "is a mass, but a length is wanted"),
        ("{ blend = 1 }", 3, "needs one of: ball, ellipsoid"),
    ];
    for (part, column, message) in cases {
        let told = mistake(&free(part));
        assert_eq!(told.0, 7, "{part}: {told:?}");
        assert!(told.2.contains(message), "{part}: {told:?}");
        assert!(column == 0 || told.1 >= column, "{part}: {told:?}");
    }
    let (_, _, message) = mistake(&body("shape.organ = { part = [] }", ""));
    assert!(message.contains("no parts"), "{message}");
    let flat = "{ ball = { center = [0, 0, 0], radius = 1 } }, { ball = { center = [0, 0, 0], radius = 2 }, how = \"cut\" }";
    assert!(mistake(&free(flat)).2.contains("nothing of the shape"));
}

#[test]
fn organs_that_are_too_fine_are_refused_before_they_are_made() {
    let fine = mistake(&body("shape.liver = { edge = \"50 um\" }", ""));
    assert!(fine.2.contains("more than 2000000 vertices"), "{fine:?}");
    let thin = mistake(&body("shape.liver = { edge = \"0.6 mm\" }", ""));
    assert!(thin.2.contains("too fine"), "{thin:?}");
}
