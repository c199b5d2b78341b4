//! Surfaces in scenes that become solids: their tetrahedra, their sets, the surface carried along, and bad ones.

use crate::make::{body, scene};
use crate::specimens::elastic;
use serosa_bake::fill::Fill;
use serosa_bake::raw::{Place, RawBody, RawFilled, RawGeometry, RawModel, Recipe, Selector};
use serosa_bake::{bake, bake_watched};
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::implicit::{Implicit, Part, Shape};
use serosa_geometry::rotation::from_rotation_vector;
use serosa_geometry::{Mesh, Vec3};
use serosa_sim::model::Law;

const CENTER: Vec3 = Vec3::new(0.3, -0.1, 0.2);
const RADIUS: f64 = 0.05;

fn filled(name: &str, surface: Mesh, recipe: Option<Recipe>, how: Fill) -> RawBody {
    let geometry = RawGeometry::Filled(Box::new(RawFilled { surface, recipe, how, quadratic: false }));
    body(name, geometry, RawModel::Solid(elastic(Law::NeoHookean, 1e4, 0.4, 1000.0, 0.0)))
}

fn surface() -> Mesh {
    even_sphere(CENTER, RADIUS, 600).unwrap()
}

/// The same ball at twice its own size, and turned.
fn recipe() -> Recipe {
    let ball = Shape::Ball { center: Vec3::X * 0.01, radius: 0.5 * RADIUS };
    let shape = Implicit { parts: vec![Part::join(ball, 0.0)], ..Implicit::default() };
    let turn = from_rotation_vector(Vec3::Z * core::f64::consts::FRAC_PI_2);
    Recipe { shape, turn, scale: 2.0, at: CENTER - Vec3::Y * 0.02 }
}

fn held(mut body: RawBody, name: &str) -> RawBody {
    body.attachments.push(Selector::Name(name.into()));
    body
}

/// Place, message and help of the one fault.
fn fault(bodies: Vec<RawBody>) -> (Place, String, String) {
    let faults = bake(&scene(bodies)).expect_err("should be refused");
    assert_eq!(faults.len(), 1, "{faults:?}");
    (faults[0].place, faults[0].message.clone(), faults[0].help.clone())
}

#[test]
fn a_surface_and_its_recipe_become_the_same_ball() {
    let whole = 4.0 / 3.0 * core::f64::consts::PI * RADIUS.powi(3) * 1000.0;
    for (recipe, off) in [(None, 0.03), (Some(recipe()), 0.02)] {
        let ball = filled("ball", surface(), recipe, Fill::with_tets(4000));
        let baked = bake(&scene(vec![held(ball, "bottom")])).unwrap();
        let model = &baked.model;
        assert!(model.tets.len().abs_diff(4000) < 400, "{}", model.tets.len());
        let mass: f64 = model.mass.iter().sum();
        assert!((mass / whole - 1.0).abs() < off, "{mass} kg of {whole}");
        let far = model.rest.iter().map(|p| p.distance(CENTER)).fold(0.0, f64::max);
        assert!((far / RADIUS - 1.0).abs() < 0.01, "{far}");
        let line = &baked.notes[0];
        assert!(line.contains("tetrahedra of edge") && line.contains("smallest angle"), "{line}");
        assert!(line.contains(&format!("filled with {} ", model.tets.len())), "{line}");
    }
}

#[test]
fn the_surface_is_carried_along() {
    let ball = held(filled("ball", surface(), Some(recipe()), Fill::with_edge(0.012)), "bottom");
    let other = held(filled("other", surface(), None, Fill::with_edge(0.015)), "top");
    let baked = bake(&scene(vec![ball, other])).unwrap();
    assert_eq!(baked.model.skins.len(), 2);
    let turn = from_rotation_vector(Vec3::new(0.4, -1.0, 0.3));
    let moved: Vec<Vec3> = baked.model.rest.iter().map(|p| turn * *p * 1.3 + Vec3::Y).collect();
    for (skin, b) in baked.model.skins.iter().zip(0..) {
        let range = baked.model.bodies[b].vertex_range();
        assert!(skin.points.iter().flat_map(|p| p.0).all(|v| range.contains(&v.at())), "its own body");
        for (place, p) in skin.places(&baked.model.rest).zip(&surface().points) {
            assert!(place.distance(*p) < 1e-12, "at rest it is where it was made");
        }
        for (place, p) in skin.places(&moved).zip(&surface().points) {
            assert!(place.distance(turn * *p * 1.3 + Vec3::Y) < 1e-12, "what is affine is exact");
        }
    }
}

#[test]
fn sets_go_over_to_the_tetrahedra() {
    let mut mesh = surface();
    let cap = mesh.points.iter().zip(0..).filter(|(p, _)| p.z > CENTER.z + 0.6 * RADIUS).map(|(_, i)| i);
    mesh.sets.insert("cap".into(), cap.collect());
    let one = mesh.sets["top"].clone();
    assert!(one.len() < 10, "smaller than a face of the tetrahedra");
    for (name, least) in [("cap", 0.5), ("top", 0.8)] {
        let ball = held(filled("ball", mesh.clone(), Some(recipe()), Fill::with_edge(0.012)), name);
        let model = bake(&scene(vec![ball])).unwrap().model;
        let fixed: Vec<usize> = (0..model.rest.len()).filter(|v| model.inv_mass[*v] == 0.0).collect();
        assert!(!fixed.is_empty(), "{name}");
        for v in &fixed {
            let up = (model.rest[*v] - CENTER) / RADIUS;
            assert!(up.z > least && up.length() > 0.95, "{name}: {up}");
        }
        let outer = |p: &Vec3| p.distance(CENTER) > 0.97 * RADIUS && p.z > CENTER.z + 0.75 * RADIUS;
        let there = model.rest.iter().filter(|p| outer(p)).count();
        assert!(name == "top" || fixed.len() >= there, "{name}: all of the cap, {} of {there}", fixed.len());
    }
}

#[test]
fn bad_surfaces_are_refused_with_what_to_do() {
    let ball = |how| filled("ball", surface(), None, how);
    let (place, message, help) = fault(vec![ball(Fill::with_edge(0.5))]);
    assert_eq!(place, Place::Fill(0));
    assert!(message.contains("no tetrahedron of edge 500.000 mm fits"), "{message}");
    let fitting: f64 = help.split('"').nth(1).and_then(|t| t.split(' ').next()).unwrap().parse().unwrap();
    assert!(bake(&scene(vec![held(ball(Fill::with_edge(fitting * 1e-3)), "top")])).is_ok(), "{help}");

    let small = filled("ball", surface(), Some(recipe()), Fill::with_edge(5e-5));
    let (_, message, help) = fault(vec![small]);
    assert!(message.contains("edges of 0.050 mm would make more than 2000000"), "{message}");
    let fitting: f64 = help.split('"').nth(1).and_then(|t| t.split(' ').next()).unwrap().parse().unwrap();
    assert!((0.1..2.0).contains(&fitting), "{help}");

    let (place, message, _) = fault(vec![
        held(filled("first", surface(), None, Fill::with_tets(2000)), "top"),
        ball(Fill::with_tets(1_999_900)),
    ]);
    assert!(message.contains("more than 2000000 tetrahedra"), "{message}");
    assert_eq!(place, Place::Fill(1));

    let mut open = surface();
    open.triangles.truncate(3);
    let (_, message, _) = fault(vec![filled("rag", open, None, Fill::with_tets(500))]);
    assert!(message.contains("encloses nothing: "), "{message}");
    let (_, message, _) = fault(vec![filled("none", Mesh::default(), None, Fill::with_tets(500))]);
    assert!(message.contains("no triangles"), "{message}");
    let mut broken = surface();
    broken.points[7].y = f64::NAN;
    let (_, message, help) = fault(vec![filled("nan", broken, None, Fill::with_tets(500))]);
    assert!(message.contains("point 7 is not finite") && help.contains("mend"), "{message}: {help}");
}

#[test]
fn a_hole_is_closed_and_said_and_loose_pieces_are_counted() {
    let mut holed = surface();
    holed.triangles.truncate(holed.triangles.len() - 4);
    let baked = bake(&scene(vec![held(filled("ball", holed, None, Fill::with_tets(2000)), "top")])).unwrap();
    assert!(baked.notes.iter().any(|n| n.contains("is open at") && n.contains("holes were closed")));

    let (mut two, far) = (surface(), even_sphere(CENTER + Vec3::X, RADIUS, 600).unwrap());
    let start = two.points.len() as u32;
    two.points.extend(&far.points);
    two.triangles.extend(far.triangles.iter().map(|t| t.map(|i| i + start)));
    let pair = held(filled("pair", two, None, Fill::with_edge(0.02)), "top");
    let notes = bake(&scene(vec![pair])).unwrap().notes;
    let said = |words: &str| notes.iter().any(|n| n.contains(words));
    assert!(said("consists of 2 pieces") && said("nothing holds 1 of them, which will fall"), "{notes:?}");
}

#[test]
fn a_filling_tells_how_far_it_is() {
    let raw = scene(vec![held(filled("ball", surface(), None, Fill::with_tets(3000)), "top")]);
    let mut heard = Vec::new();
    bake_watched(&raw, &mut |done, all| heard.push((done, all))).unwrap();
    assert!(heard.len() > 8 && heard.windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1 == w[1].1), "{heard:?}");
    assert!(heard.iter().any(|(done, all)| *done > all / 4 && *done < all * 3 / 4), "{heard:?}");
}
