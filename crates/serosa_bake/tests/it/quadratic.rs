//! Quadratic tetrahedra in motion: masses, theory, and the exact rest of the same mesh.

use crate::make::{baked, scene};
use crate::specimens::{elastic, flesh, raised};
use serosa_bake::raw::{RawBody, RawDescent, RawGeometry, RawModel, Selector};
use serosa_bake::statics::element::with_middles;
use serosa_bake::statics::{Body, Loads};
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::{Real, Vec3};
use serosa_sim::body::solid::Elastic;
use serosa_sim::model::{BodyKind, Descent, Law};
use serosa_sim::{Input, World, step};

const YOUNG: Real = 2e4;
const SIZE: Vec3 = Vec3::new(0.16, 0.02, 0.02);
/// So that the beam sinks by little, as theory has it.
const GRAVITY: Real = 0.05;

/// A beam of tissue that keeps its volume, held at its left end.
fn beam(law: Law, poisson: Real, cells: [usize; 3], quadratic: bool) -> RawBody {
    let mut body = flesh("beam", (Vec3::ZERO, SIZE), cells, elastic(law, YOUNG, poisson, 1000.0, 0.05));
    body.attachments = vec![Selector::Name("left".into())];
    let RawModel::Solid(model) = &mut body.model else { panic!("a solid") };
    model.descent = RawDescent::Global;
    if quadratic { raised(body) } else { body }
}

/// Steps as long as it needs to come to rest.
fn settled(body: RawBody) -> World {
    let mut raw = scene(vec![body]);
    raw.world.gravity = Vec3::NEG_Z * GRAVITY;
    raw.world.dt_s = 0.02;
    let mut world = baked(&raw).world();
    world.params.bodies[0].drag = 5.0;
    let input = Input { sweeps: 10, ..Input::at_rest(&world) };
    (0..600).for_each(|_| step(&mut world, &input, &mut || 0));
    let fastest = world.state.vel.iter().map(|v| v.length()).fold(0.0, Real::max);
    assert!(fastest < 1e-8, "{fastest:e}");
    world
}

/// How far the right end has sunk \[m\].
fn sag(rest: &[Vec3], pos: &[Vec3]) -> Real {
    let end = || (0..rest.len()).filter(|v| (rest[*v].x - SIZE.x).abs() < 1e-9);
    end().map(|v| rest[v].z - pos[v].z).sum::<Real>() / end().count() as Real
}

/// Euler and Bernoulli with Timoshenko's shear.
fn theory(poisson: Real) -> Real {
    let line = 1000.0 * GRAVITY * SIZE.y * SIZE.z;
    let inertia = SIZE.y * SIZE.z.powi(3) / 12.0;
    let stiff = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) * YOUNG / (2.0 * (1.0 + poisson));
    line * SIZE.x.powi(4) / (8.0 * YOUNG * inertia) + line * SIZE.x.powi(2) / (2.0 * stiff * SIZE.y * SIZE.z)
}

/// The whole mass, its centre, and nothing negative; corners weigh a thirty-sixth of each of their tetrahedra.
#[test]
fn masses_are_positive_and_whole() {
    let model = baked(&scene(vec![beam(Law::NeoHookean, 0.45, [8, 2, 1], true)])).model;
    let total: Real = model.mass.iter().sum();
    assert!((total / (1000.0 * SIZE.x * SIZE.y * SIZE.z) - 1.0).abs() < 1e-12, "{total}");
    assert!(model.mass.iter().all(|m| *m > 0.0));
    let center: Vec3 = model.rest.iter().zip(&model.mass).map(|(x, m)| *x * *m).sum::<Vec3>() / total;
    // The block is cut alike in all cells, which are not their own mirror images.
    assert!((center - SIZE * 0.5).length() < 1e-12, "{center}");
}

/// What moves comes to rest where Newton's method finds the rest of the same mesh under the same weights.
#[test]
fn a_beam_settles_where_statics_says() {
    for (law, poisson) in [(Law::NeoHookean, 0.45), (Law::NeoHookean, 0.49), (Law::Corotated, 0.45)] {
        let world = settled(beam(law, poisson, [8, 1, 1], true));
        let moved = sag(&world.model.rest, &world.state.pos);
        let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size: SIZE, cells: [8, 1, 1] });
        let BodyKind::Solid(solid) = &world.model.bodies[0].kind else { panic!("a solid") };
        let (nodes, elements) = with_middles(&mesh.points, &tets);
        let laws = vec![Elastic::of(&solid.regions[0]); tets.len()];
        let statics = Body::quadratic(nodes, elements, laws);
        let held = (0..statics.points.len() as u32).filter(|v| statics.points[*v as usize].x == 0.0);
        let held: Vec<(u32, Vec3)> = held.map(|v| (v, statics.points[v as usize])).collect();
        let lumped = world.model.mass.iter().zip(0..).map(|(m, v)| (v, Vec3::NEG_Z * (m * GRAVITY)));
        let exact = |forces| {
            let loads = Loads { held: held.clone(), forces, ..Loads::default() };
            sag(&statics.points, &statics.settle(&statics.points, &loads, 1).unwrap())
        };
        let (same, consistent) =
            (exact(lumped.collect()), exact(statics.weight(1000.0, Vec3::NEG_Z * GRAVITY)));
        println!("{law:?} {poisson}: moved {moved:e}, at rest {same:e}, consistent weight {consistent:e}");
        assert!((moved / same - 1.0).abs() < 1e-4, "{law:?} {poisson}: {moved} {same}");
        // Weights lumped at nodes are not those of the shape functions, but nearly.
        assert!((moved / consistent - 1.0).abs() < 2e-3, "{law:?} {poisson}: {moved} {consistent}");
    }
}

/// At as many nodes linear tetrahedra are far too stiff.
#[test]
fn quadratic_beams_do_not_lock() {
    for poisson in [0.45, 0.49] {
        let linear = settled(beam(Law::NeoHookean, poisson, [32, 4, 4], false));
        let quadratic = settled(beam(Law::NeoHookean, poisson, [16, 2, 2], true));
        assert_eq!(linear.model.rest.len(), quadratic.model.rest.len());
        let off = [&linear, &quadratic].map(|w| sag(&w.model.rest, &w.state.pos) / theory(poisson) - 1.0);
        println!(
            "nu {poisson}, {} nodes: linear {:.4}, quadratic {:.4}",
            linear.model.rest.len(),
            off[0],
            off[1]
        );
        // The held end, which cannot become thinner, is 2 % of it and no error.
        assert!(off[1].abs() < 0.07 && off[0] < -3.0 * off[1].abs(), "{poisson}: {off:?}");
    }
}

/// `auto` descends as a whole; vertex by vertex is refused, and so are more nodes than a factor should have.
#[test]
fn other_descents_are_refused() {
    let with = |descent| {
        let mut body = beam(Law::NeoHookean, 0.45, [4, 1, 1], true);
        let RawModel::Solid(model) = &mut body.model else { panic!("a solid") };
        model.descent = descent;
        body
    };
    let model = baked(&scene(vec![with(RawDescent::Auto)])).model;
    let BodyKind::Solid(solid) = &model.bodies[0].kind else { panic!("a solid") };
    assert!(matches!(solid.descent, Descent::Global(_)));
    let faults = serosa_bake::bake(&scene(vec![with(RawDescent::Vertex)])).unwrap_err();
    assert!(faults.len() == 1 && faults[0].message.contains("cannot descend vertex by vertex"), "{faults:?}");
    assert!(faults[0].help.contains("global"), "{faults:?}");
    let mut large = with(RawDescent::Auto);
    let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size: SIZE, cells: [100, 13, 13] });
    large.geometry =
        RawGeometry::Tets(serosa_bake::raw::RawTets { mesh, tets, ..Default::default() }.raised());
    let faults = serosa_bake::bake(&scene(vec![large])).unwrap_err();
    assert!(faults.len() == 1 && faults[0].message.contains("more than 50000"), "{faults:?}");
}
