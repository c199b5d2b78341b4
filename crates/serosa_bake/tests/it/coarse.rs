//! The coarse space of solids against energies written apart, and what it is for.

use crate::make::*;
use crate::solid::beam;
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::*;
use serosa_geometry::{Real, Vec3};
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::model::{BodyKind, Coarse, Law};
use serosa_sim::params::Filter;
use serosa_sim::{Input, World, step};

fn coarse(world: &World, b: usize) -> &Coarse {
    let BodyKind::Solid(solid) = &world.model.bodies[b].kind else { panic!("a solid") };
    &solid.coarse
}

/// What functions do to vertices, each moved in its three directions by so much.
fn moved(coarse: &Coarse, by: &[Vec3], v: usize) -> Vec3 {
    let functions = |share: &serosa_sim::model::Share| {
        let first = 4 * share.handle as usize;
        share.modes.iter().zip(&by[first..]).map(|(s, x)| *x * *s).sum::<Vec3>()
    };
    coarse.of(v).iter().map(functions).sum()
}

/// ½ xᵀ A x, where each entry of A stands for the three directions alike.
fn alike(matrix: &[Real], by: &[Vec3]) -> Real {
    let n = by.len();
    let pairs = (0..n * n).map(|k| matrix[k] * by[k / n].dot(by[k % n]));
    0.5 * pairs.sum::<Real>()
}

/// Its matrices are the second differences of energies, for any motion that it knows.
#[test]
fn matrices_are_those_of_the_body() {
    for law in [Law::NeoHookean, Law::Corotated] {
        let mut body = beam(law, [6, 3, 3], 0.0);
        let RawModel::Solid(elastic) = &mut body.model else { panic!("a solid") };
        elastic
            .walls
            .push(RawWall { which: Selector::Name("right".into()), stiffness: WallStiffness::Total(300.0) });
        let world = baked(&lagrangian(vec![body], Filter::Planes)).world();
        let coarse = coarse(&world, 0);
        assert_eq!(coarse.handles.len(), 3, "of 112 vertices");
        let (n, mut seed) = (coarse.functions(), 3);
        for _ in 0..10 {
            let by: Vec<Vec3> = (0..n).map(|_| noise3(&mut seed)).collect();
            let mut there = world.clone();
            let far = 1e-6;
            for (v, pos) in there.state.pos.iter_mut().enumerate() {
                *pos += moved(coarse, &by, v) * far;
            }
            let found = world_energy(&there, EnergyKind::Elastic) / (far * far);
            let mut elastic = alike(&coarse.walls, &by);
            for (s, x) in by.iter().enumerate() {
                for (t, y) in by.iter().enumerate() {
                    for i in 0..3 {
                        let row = &coarse.elastic[(3 * s + i) * 3 * n + 3 * t..][..3];
                        elastic += 0.5 * x[i] * (row[0] * y.x + row[1] * y.y + row[2] * y.z);
                    }
                }
            }
            assert!((found / elastic - 1.0).abs() < 1e-3, "{law:?}: {found} {elastic}");
            let masses = world.model.mass.iter().enumerate();
            let kinetic: Real = masses.map(|(v, m)| 0.5 * m * moved(coarse, &by, v).length_squared()).sum();
            assert!((alike(&coarse.mass, &by) / kinetic - 1.0).abs() < 1e-12, "{law:?}");
        }
    }
}

/// Shifts and even strains of the whole are in it, where nothing is held.
#[test]
fn it_knows_even_strains() {
    let mut body = beam(Law::NeoHookean, [6, 3, 3], 0.0);
    body.attachments.clear();
    let world = baked(&lagrangian(vec![body], Filter::Planes)).world();
    let coarse = coarse(&world, 0);
    for (v, rest) in world.model.rest.iter().enumerate() {
        let sum: Real = coarse.of(v).iter().map(|s| s.modes[0]).sum();
        assert!((sum - 1.0).abs() < 1e-12, "weights add up to {sum}");
        // Σ (X_c N_c + scale of the handle's own strain) is X: strains are over one length for all handles.
        let back: Vec3 = coarse.of(v).iter().map(|s| coarse.handles[s.handle as usize] * s.modes[0]).sum();
        let own: Vec3 = coarse.of(v).iter().map(|s| Vec3::new(s.modes[1], s.modes[2], s.modes[3])).sum();
        let missing = *rest - back;
        assert!(missing.cross(own).length() < 1e-12, "{missing} {own}");
    }
}

/// No pass raises the potential, from any state, with the coarse step in it.
#[test]
fn no_pass_raises_the_potential() {
    for law in [Law::NeoHookean, Law::Corotated] {
        // Rows with itself are not in the potential that is asked for.
        let body = RawBody { self_contact: false, ..beam(law, [8, 3, 3], 0.0) };
        let mut world = baked(&lagrangian(vec![body], Filter::Off)).world();
        world.params.dt_s = 5e-3;
        let mut seed = 4;
        for far in [0.0, 0.005, 0.05] {
            for v in (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] > 0.0) {
                world.state.pos[v] = world.model.rest[v] + noise3(&mut seed) * far;
                world.state.vel[v] = noise3(&mut seed) * 2.0;
            }
            let mut last = Real::INFINITY;
            for sweeps in 1..12 {
                let mut next = world.clone();
                let input = Input { sweeps, ..Input::at_rest(&next) };
                step(&mut next, &input, &mut || 0);
                let now = crate::solid::phi(&world, &next.state.pos);
                assert!(now <= last * (1.0 + 1e-12), "{law:?} {far}: sweep {sweeps}: {last} {now}");
                last = now;
            }
        }
    }
}

/// A long beam sags under its weight in one step of ten passes nearly as far as in one of 3,000; sweeps alone would see half of
/// its length.
#[test]
fn few_passes_do_what_many_do() {
    let sag = |sweeps: u32| {
        let material = elastic(Law::NeoHookean, 2e7, 0.3, 1000.0, 0.0);
        let mut body = flesh("beam", (Vec3::ZERO, Vec3::new(0.4, 0.04, 0.04)), [20, 2, 2], material);
        body.attachments = vec![Selector::Name("left".into())];
        body.self_contact = false;
        if let RawModel::Solid(elastic) = &mut body.model {
            elastic.descent = RawDescent::Vertex;
        }
        let mut world = baked(&lagrangian(vec![body], Filter::Off)).world();
        // So long that nothing but strain resists.
        world.params.dt_s = 1.0;
        let input = Input { sweeps, ..Input::at_rest(&world) };
        step(&mut world, &input, &mut || 0);
        world.state.pos.iter().map(|p| p.z).fold(0.0, Real::min)
    };
    let (few, many) = (sag(10), sag(3000));
    assert!(few / many > 0.75 && few / many < 1.05, "{few} {many}");
}
