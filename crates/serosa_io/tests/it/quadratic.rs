//! Solids of quadratic tetrahedra in scene files.

use serosa_bake::raw::RawGeometry;
use serosa_io::scene::{Loaded, Problem, load};
use serosa_sim::model::{BodyKind, SolidBody};
use serosa_sim::{Input, step};

/// One tetrahedron of second order as Gmsh writes it, its middles bulging; and one of first order.
fn file(path: &str) -> Result<Vec<u8>, String> {
    let corners = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    let middles = "5 0.5 -0.1 0\n6 0.6 0.6 0\n7 -0.1 0.5 0\n8 0 -0.1 0.5\n9 0 0.6 0.6\n10 0.6 0 0.6\n";
    let (nodes, cell) = match path {
        "ten.msh" => (format!("10\n{corners}{middles}"), "1 11 2 1 1 1 2 3 4 5 6 7 8 9 10"),
        _ => (format!("4\n{corners}"), "1 4 2 1 1 1 2 3 4"),
    };
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{nodes}$EndNodes\n$Elements\n1\n{cell}\n$EndElements\n"
    );
    Ok(text.into_bytes())
}

fn scene(shape: &str, more: &str) -> String {
    format!(
        "serosa = 1\ntitle = \"ten\"\n\n[[body]]\nname = \"it\"\n{shape}\n\
         model.solid = {{ young = \"20 kPa\", poisson = 0.49, element = \"quadratic\"{more} }}\n\
         attach = [{{ plane = {{ point = [0, 0, 0] }} }}]\n"
    )
}

fn read(text: &str) -> Loaded {
    load(text, &file).unwrap_or_else(|p| panic!("{text}\n{p:?}"))
}

fn refused(text: &str) -> Problem {
    let problems = load(text, &file).expect_err("should be refused");
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].clone()
}

fn solid(loaded: &Loaded) -> &SolidBody {
    let BodyKind::Solid(solid) = &loaded.baked.model.bodies[0].kind else { panic!("a solid") };
    solid
}

/// The comment in the scene is true: at the same cells the beam bends further, and comes to rest.
#[test]
fn the_beam_of_the_scene_bends_further() {
    let text = include_str!("../../../../scenes/beam-bend.toml");
    let solid_table = "relaxation = \"10 ms\" }";
    assert!(text.contains("element = \"quadratic\"") && text.contains(solid_table));
    let tip = |text: &str| {
        let loaded = read(text);
        // What is drawn has all nodes.
        let drawn = loaded.raw.bodies[0].geometry.mesh().map(|mesh| mesh.points.len());
        assert_eq!(drawn, Some(loaded.baked.model.rest.len()));
        let mut world = loaded.baked.world();
        let input = Input::at_rest(&world);
        (0..60).for_each(|_| step(&mut world, &input, &mut || 0));
        assert!(world.report.quarantined.is_empty());
        let (rest, pos) = (&world.model.rest, &world.state.pos);
        let end = || (0..rest.len()).filter(|v| (rest[*v].x - 0.2).abs() < 1e-9);
        (rest.len(), end().map(|v| pos[v].z - rest[v].z).sum::<f64>() / end().count() as f64)
    };
    let (nodes, locked) = tip(text);
    let ten = text.replace(solid_table, "relaxation = \"10 ms\", element = \"quadratic\" }");
    let (ten_nodes, free) = tip(&ten);
    assert_eq!((nodes, ten_nodes), (21 * 5 * 5, 41 * 9 * 9));
    assert!(free < 1.02 * locked && locked < -0.02, "{locked} {free}");
}

#[test]
fn surfaces_are_filled_and_carried() {
    let ball = "shape.ball = { center = [0, 0, 0], size = \"6 cm\", vertices = 400 }";
    let loaded = read(&scene(ball, ", fill = { tets = 400 }"));
    let RawGeometry::Filled(filled) = &loaded.raw.bodies[0].geometry else { panic!("a surface") };
    let (model, ten) = (&loaded.baked.model, solid(&loaded).quadratic.as_ref().unwrap());
    assert_eq!(ten.nodes.len(), model.tets.len());
    assert!(loaded.baked.notes.iter().all(|n| !n.contains("pieces")), "{:?}", loaded.baked.notes);
    let apart = |pos: &[serosa_geometry::Vec3]| {
        let points = model.skins[0].places(pos).zip(&filled.surface.points);
        points.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    assert!(apart(&model.rest) < 1e-12);
    let mut world = loaded.baked.world();
    let input = Input::at_rest(&world);
    (0..20).for_each(|_| step(&mut world, &input, &mut || 0));
    assert!(apart(&world.state.pos) > 1e-5 && world.report.quarantined.is_empty());
    let coarse = read(&scene(ball, "")).baked.model.tets.len();
    assert!(coarse.abs_diff(1250) < 200, "{coarse}");
}

/// Files of four nodes and of ten become the same body: curved edges are straightened.
#[test]
fn files_are_read_by_their_corners() {
    let of = |name: &str| {
        let shape = format!("shape.tets = {{ file = \"{name}\" }}");
        let model = read(&scene(&shape, "")).baked.model.clone();
        (model.rest.clone(), model.mass.clone())
    };
    let (four, ten) = (of("four.msh"), of("ten.msh"));
    assert_eq!(four, ten);
    assert_eq!(four.0.len(), 10);
}

#[test]
fn what_cannot_be_is_said() {
    let block =
        |cell: &str| format!("shape.block = {{ size = [\"4 cm\", \"4 cm\", \"4 cm\"], cell = \"{cell}\" }}");
    let vertex = refused(&scene(&block("2 cm"), ", descent = \"vertex\""));
    assert!(vertex.message.contains("cannot descend vertex by vertex"), "{vertex:?}");
    let fine = refused(&scene(&block("1.5 mm"), ""));
    assert!(fine.message.contains("more than 50000"), "{fine:?}");
    let finest = refused(&scene(&block("0.5 mm"), ""));
    assert!(finest.message.contains("more than 2000000 vertices"), "{finest:?}");
    let text = scene(&block("2 cm"), "").replace("quadratic", "cubic");
    let cubic = refused(&text);
    assert!(cubic.message.contains("cubic"), "{cubic:?}");
}
