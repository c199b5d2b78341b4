//! Tissue.
use crate::make::{baked, floor, run, scene, weightless};
use crate::specimens::{ORGAN, organ, organ_mesh};
use serosa_bake::raw::*;
use serosa_geometry::Vec3;
use serosa_sim::{Input, step};

#[test]
#[ignore]
fn speed() {
    for cuts in [5] {
        for (name, m) in [
            ("all", RawTissue { mass: SurfaceMass::Total(0.2), ..ORGAN }),
            ("whole", RawTissue { bending: 0.0, mass: SurfaceMass::Total(0.2), ..ORGAN }),
            ("folds", RawTissue { bulk: 0.0, mass: SurfaceMass::Total(0.2), ..ORGAN }),
        ] {
            for dt in [1.0 / 60.0, 1.0 / 500.0] {
                for sweeps in [0, 1, 2, 3, 5, 10] {
                    let mut raw = weightless(vec![organ("organ", organ_mesh(cuts, Vec3::new(0.05, 0.04, 0.03)), m)]);
                    raw.bodies[0].self_contact = false;
                    raw.world.dt_s = dt;
                    raw.world.sweeps = sweeps;
                    let mut world = baked(&raw).world();
                    world.params.sweeps = sweeps;
                    let input = Input::at_rest(&world);
                    let mut seed = 1;
                    world.state.vel.iter_mut().for_each(|v| *v = crate::make::noise3(&mut seed) * 0.05);
                    run(&mut world, 5);
                    let mut best = u64::MAX;
                    for _ in 0..40 {
                        let t0 = std::time::Instant::now();
                        let mut w = || t0.elapsed().as_nanos() as u64;
                        step(&mut world, &input, &mut w);
                        best = best.min(world.report.times_ns[serosa_sim::Stage::Predict as usize]);
                    }
                    println!("{name} {cuts} dt {dt:.4} sweeps {sweeps}: {:.3} ms", best as f64 * 1e-6);
                }
            }
        }
    }
}
