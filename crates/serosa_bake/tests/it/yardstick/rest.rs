//! The yardstick against theory: weights, slopes, the indentation of Hertz.

use super::{Barrier, Exactness, Told, Yardstick};
use crate::make::{baked, floor, scene, solid};
use crate::specimens::{elastic, flesh};
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawScene, RawSolid, Selector};
use serosa_geometry::{Real, Vec3};
use serosa_sim::World;
use serosa_sim::model::{Law, Region};

pub const EXACT: Exactness = Exactness { step: 1e-9, friction: 1e-6, creep: 1e-5 };

pub fn weight(world: &World) -> Real {
    let free = (0..world.model.rest.len()).filter(|v| world.model.inv_mass[*v] > 0.0);
    free.map(|v| world.model.mass[v]).sum::<Real>() * world.params.gravity
}

fn world_of(bodies: Vec<RawBody>, dt_s: Real) -> World {
    let mut raw: RawScene = scene(bodies);
    raw.world.dt_s = dt_s;
    baked(&raw).world()
}

/// A block just above a plane.
fn block_on_plane(dt_s: Real, reach: Real) -> World {
    let block = flesh(
        "block",
        (Vec3::new(0.0, 0.0, 0.5 * reach), Vec3::new(0.04, 0.04, 0.02)),
        [2, 2, 1],
        elastic(Law::NeoHookean, 2e4, 0.4, 1000.0, 0.0),
    );
    world_of(vec![floor(), block], dt_s)
}

fn converged(told: &Told) {
    assert!(told.last_step <= 1e-9 && told.least_gap > 0.0, "{told:?}");
}

/// What lies still is pushed with its weight, shared by all half-spaces and boxes alike.
#[test]
fn a_block_at_rest_is_carried() {
    let reach = 1e-4;
    for on_box in [false, true] {
        let mut world = block_on_plane(0.02, reach);
        if on_box {
            let slab = RawSolid::Cuboid { size: Vec3::new(0.2, 0.2, 0.1) };
            let slab = solid("floor", slab, Vec3::new(0.02, 0.02, -0.05), RawModel::Fixed);
            let block = flesh(
                "block",
                (Vec3::new(0.0, 0.0, 0.5 * reach), Vec3::new(0.04, 0.04, 0.02)),
                [2, 2, 1],
                elastic(Law::NeoHookean, 2e4, 0.4, 1000.0, 0.0),
            );
            world = world_of(vec![slab, block], 0.02);
        }
        let weight = weight(&world);
        let mut yard = Yardstick::of(&world, 0.0, Barrier::holding(weight / 9.0, reach), EXACT);
        for _ in 0..60 {
            converged(&yard.step());
        }
        let push = yard.support();
        assert!((push - Vec3::Z * weight).length() < 1e-5 * weight, "{on_box}: {push} {weight}");
        let fastest = yard.vel.iter().map(|v| v.length()).fold(0.0, Real::max);
        assert!(fastest < 1e-6, "{on_box}: {fastest}");
    }
}

/// Steps in which a block comes to rest.
const SETTLING: u32 = 30;

/// A block on a slope of a given tangent; how far it has gone down it at the end, and its weight.
struct Slope {
    friction: Real,
    tangent: Real,
    size: Real,
    region: Region,
    dt_s: Real,
}

impl Slope {
    fn run(&self, steps: u32) -> Real {
        let (reach, size) = (1e-3 * self.size, Vec3::splat(self.size));
        let mut material = elastic(Law::Corotated, 1.0, 0.0, 1.0, 0.0);
        material.base = self.region.clone();
        let mut block = flesh("block", (Vec3::Z * 0.4 * reach, size), [2, 2, 1], material);
        let mut plane = floor();
        (block.friction, plane.friction) = (self.friction, self.friction);
        let mut raw = scene(vec![plane, block]);
        raw.world.dt_s = self.dt_s;
        // The slope is a floor and gravity leans.
        raw.world.gravity = Vec3::new(self.tangent, 0.0, -1.0).normalize() * 9.81;
        let world = baked(&raw).world();
        let weight = weight(&world);
        let exact = Exactness { step: 1e-9 * self.size, friction: 1e-7 * weight, ..EXACT };
        let mut yard = Yardstick::of(&world, 0.0, Barrier::holding(weight / 9.0, reach), exact);
        let middle = |yard: &Yardstick| {
            let mass: Real = yard.bodies.mass.iter().sum();
            yard.pos.iter().zip(&yard.bodies.mass).map(|(x, m)| *x * *m).sum::<Vec3>() / mass
        };
        // It finds its rest where it cannot slide: a hundredth of its weight more or less decides later on.
        yard.bodies.friction.fill(1.0);
        yard.bodies.grounds[0].friction = 1.0;
        for _ in 0..SETTLING {
            yard.step();
            yard.vel.iter_mut().for_each(|v| *v *= 0.5);
        }
        yard.vel.fill(Vec3::ZERO);
        yard.bodies.friction.fill(self.friction);
        yard.bodies.grounds[0].friction = self.friction;
        let start = middle(&yard);
        for _ in 0..steps {
            let told = yard.step();
            assert!(told.last_step <= exact.step && told.least_gap > 0.0, "{told:?}");
        }
        (middle(&yard) - start).x
    }

    /// How far backward Euler goes with the acceleration g (sin − μ cos).
    fn theory(&self, steps: u32) -> Real {
        let down = 9.81 * (self.tangent - self.friction) / (1.0 + self.tangent * self.tangent).sqrt();
        let steps = Real::from(steps);
        down * self.dt_s * self.dt_s * 0.5 * steps * (steps + 1.0)
    }
}

#[test]
fn a_slope_holds_at_0_51_and_slides_at_0_49() {
    let region =
        Region { name: "rubber".into(), law: Law::NeoHookean, young: 1e7, poisson: 0.4, density: 1000.0 };
    let slope = |friction| Slope { friction, tangent: 0.5, size: 0.05, region: region.clone(), dt_s: 0.01 };
    let held = slope(0.51).run(100);
    // It creeps below the speed that friction does not see.
    assert!(held.abs() < 100.0 * 0.01 * EXACT.creep, "{held}");
    let (slid, theory) = (slope(0.49).run(100), slope(0.49).theory(100));
    assert!((slid / theory - 1.0).abs() < 0.01, "{slid} {theory}");
}

/// The slopes of another program's scenes, read from its files: 0.49 slides as theory has it; 0.5, which is the slope
/// itself, is told and not judged.
#[test]
#[allow(clippy::print_stdout)]
fn slopes_of_another_program() {
    let Some(folder) = super::oracle::data("ipc_friction") else { return };
    for name in ["0.49", "0.5"] {
        let text =
            std::fs::read_to_string(folder.join(format!("slopeTest_highSchoolPhysics_{name}.txt"))).unwrap();
        let words = |key: &str| -> Vec<Real> {
            let line = text.lines().find_map(|l| l.strip_prefix(key)).unwrap();
            line.split_whitespace().map(|w| w.parse().unwrap()).collect()
        };
        let (time, density, stiffness) = (words("time "), words("density "), words("stiffness "));
        let ground = words("halfSpace ");
        assert!(text.contains("energy FCR"), "fixed corotated");
        let region = Region {
            name: "cube".into(),
            law: Law::Corotated,
            young: stiffness[0],
            poisson: stiffness[1],
            density: density[0],
        };
        let slope =
            Slope { friction: ground[7], tangent: ground[3] / ground[4], size: 1.0, region, dt_s: time[1] };
        let steps = (time[0] / time[1]).round() as u32;
        let (went, theory) = (slope.run(steps), slope.theory(steps));
        println!("friction {name}: {went} m in {} s, theory {theory} m", time[0]);
        if name == "0.49" {
            assert!((went / theory - 1.0).abs() < 0.01, "{went} {theory}");
        }
    }
}

/// The force of a ball pressed into a block of so many cells, over that of Hertz, F = 4/3 E/(1 − ν²) √R δ^(3/2).
fn indentation(cells: [usize; 3], deep: Real) -> Real {
    let (radius, young, poisson, side) = (0.1, 1e5, 0.3, 0.2);
    let mut block =
        flesh("block", (Vec3::ZERO, Vec3::ONE), cells, elastic(Law::NeoHookean, young, poisson, 1000.0, 0.0));
    block.attachments = vec![Selector::Name("bottom".into())];
    let RawGeometry::Tets(tets) = &mut block.geometry else { panic!("tetrahedra") };
    // Finer towards the place that is pressed; the other sides are far away.
    for p in &mut tets.mesh.points {
        let spread = |s: Real| s.signum() * (0.25 * s.abs() + 0.75 * s.abs().powi(3));
        let aside = |s: Real| 0.5 * side * spread(2.0 * s - 1.0);
        *p = Vec3::new(aside(p.x), aside(p.y), -side * spread(1.0 - p.z));
    }
    let reach = 2e-5;
    let ball = solid("ball", RawSolid::Sphere { radius }, Vec3::Z * (radius + 0.5 * reach), RawModel::Fixed);
    let mut raw = scene(vec![block, ball]);
    (raw.world.gravity, raw.world.dt_s) = (Vec3::ZERO, 10.0);
    let world = baked(&raw).world();
    let theory = 4.0 / 3.0 * young / (1.0 - poisson * poisson) * radius.sqrt() * deep.powf(1.5);
    let mut yard = Yardstick::of(&world, 0.0, Barrier::holding(theory / 30.0, reach), EXACT);
    // The ball is a heavy point that nothing stops; so slow that the block is at rest in every step.
    let node = yard.pos.len() - 1;
    (yard.bodies.fixed[node], yard.bodies.mass[node]) = (false, 1e9);
    for _ in 0..2 {
        yard.vel.fill(Vec3::ZERO);
        yard.vel[node] = -Vec3::Z * (0.5 * deep / yard.h);
        converged(&yard.step());
    }
    yard.push_on(node).z / theory
}

/// Linear tetrahedra are too stiff, the more so the larger they are; what two meshes tend to is Hertz's force.
#[test]
fn a_ball_indents_as_hertz_says() {
    let [coarse, fine] = [[8, 8, 6], [16, 16, 12]].map(|cells| indentation(cells, 2e-3));
    let limit = (4.0 * fine - coarse) / 3.0;
    assert!(fine < coarse && (limit - 1.0).abs() < 0.1, "{coarse} {fine} {limit}");
}
