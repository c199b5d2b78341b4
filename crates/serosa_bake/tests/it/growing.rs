//! Tubes that widen until their folds fill the room.

use crate::counting::allocations;
use crate::make::*;
use serosa_bake::raw::*;
use serosa_geometry::generate::intestine::{Intestine, intestine};
use serosa_geometry::{PrimId, Vec3};
use serosa_sim::audit::Auditor;
use serosa_sim::detect::{Finder, Places, Reach, Search};
use serosa_sim::filter::MARGIN;
use serosa_sim::params::{Detector, Filter};
use serosa_sim::{Input, World, step};

/// Under half of a bowel: 1.8 m in turns that leave 12 mm free, and are to become 17 mm wide.
fn bowel() -> World {
    let size = Intestine {
        rows: 4,
        columns: 60,
        length: 1.8,
        radius: 0.12,
        height: 0.06,
        origin: Vec3::new(0.0, -0.03, 0.15),
        direction: Vec3::Y,
        ..Intestine::default()
    };
    let strip = RawStrip {
        strip: intestine(&size).unwrap(),
        radius: 0.017,
        start_radius: None,
        inflation_s: 1.0,
        half_thickness: 5e-4,
    };
    let band = RawBand {
        mass: 0.1,
        tube_mass: Some(0.5),
        tube_stretch: 800.0,
        tube_bending: 2.6e-3,
        stiffness: 200.0,
        bending: 1e-4,
        relaxation_s: 0.01,
    };
    let mut gut = body("gut", RawGeometry::Strip(strip), RawModel::Band(band));
    (gut.friction, gut.drag) = (0.1, 2.0);
    let mut raw = lagrangian(vec![gut, floor()], Filter::Planes);
    (raw.world.dt_s, raw.world.sweeps) = (2e-3, 2);
    baked(&raw).world()
}

fn tube_length(world: &World) -> f64 {
    (1..60).map(|c| (world.state.pos[4 * c] - world.state.pos[4 * (c - 1)]).length()).sum()
}

/// Which segments of the tube have something within a millimetre.
fn touched(world: &World) -> usize {
    let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
    let reach = Reach::around(&world.model, vec![0.5e-3; world.model.prims.len()]);
    let mut finder = Finder::default();
    let search = (at, Search::Near(&reach));
    finder.rows(&world.model, &world.params, Detector::AllPairs, search, &mut Vec::new());
    let mut near = [false; 59];
    for PrimId(p) in finder.near.iter().flat_map(|pair| pair.prims) {
        if let Some(near) = near.get_mut(p as usize) {
            *near = true;
        }
    }
    near.iter().filter(|n| **n).count()
}

#[test]
fn a_bowel_widens_until_it_is_full() {
    let mut world = bowel();
    let start = world.state.radius[0];
    assert!(start < 0.0125, "{start}");
    let mut auditor = Auditor::default();
    let mut worst = 0.0f64;
    let mut settled = Vec::new();
    for tick in 0..2000 {
        run(&mut world, 1);
        worst = worst.max((tube_length(&world) / 1.8 - 1.0).abs());
        if tick == 1750 {
            settled.clone_from(&world.state.pos);
        }
        if tick % 20 == 0 {
            let audit = auditor.check(&world);
            assert!(audit.deepest_m <= 0.0 && audit.missed == 0, "tick {tick}: {audit:?}");
        }
    }
    let narrowest = world.state.radius[..59].iter().copied().fold(1.0, f64::min);
    assert!(narrowest > 0.999 * 0.017, "{narrowest}");
    let moved = world.state.pos.iter().zip(&settled).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    assert!(moved < 2e-4, "it comes to rest: {moved} m in the last half second");
    assert!(worst < 0.02, "length off by {worst}");
    assert!(touched(&world) > 40, "{} of 59", touched(&world));
    assert!(world.state.frozen.iter().all(|f| !f));
}

/// Growth once took its share of the whole gap in every substep, the filter's margin with it, until folds touched.
#[test]
fn a_tube_that_widens_leaves_the_margin_of_the_filter() {
    let mut world = bowel();
    world.params.dt_s = 1e-2;
    let (mut finder, mut rows, mut least) = (Finder::default(), Vec::new(), 1.0f64);
    for _ in 0..300 {
        run(&mut world, 1);
        let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
        let reach = Reach::around(&world.model, vec![5e-5; world.model.prims.len()]);
        let search = (at, Search::Near(&reach));
        finder.rows(&world.model, &world.params, Detector::AllPairs, search, &mut rows);
        least = finder.near.iter().map(|pair| pair.gap).fold(least, f64::min);
    }
    assert!((0.99 * MARGIN..1e-4).contains(&least), "{least}");
}

/// Growth, contacts and certificates in arrays that have been that large before.
#[test]
fn a_warm_growing_step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = bowel();
    let start = world.state.clone();
    let input = Input::at_rest(&world);
    // Twice: which lists are made when depends on those that there were.
    for _ in 0..2 {
        pool.install(|| run(&mut world, 300));
        world.state.clone_from(&start);
        world.state.kept.reserve(10_000);
    }
    let mut most = 0;
    let count = allocations(&pool, || {
        for _ in 0..300 {
            step(&mut world, &input, &mut || 0);
            most = most.max(world.report.contacts);
        }
    });
    assert_eq!(count, 0);
    assert!(world.state.radius[0] > 0.0125 && most > 5, "{most}");
}

/// From any tick of the growth a fresh world goes on with the same bits.
#[test]
fn a_saved_growth_goes_on_with_the_same_bits() {
    let mut world = bowel();
    run(&mut world, 120);
    let mut fresh = World::new(world.model.clone(), world.params.clone());
    fresh.state = world.state.clone();
    run(&mut world, 60);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    pool.install(|| run(&mut fresh, 60));
    assert_eq!(world.state.hash(), fresh.state.hash());
}
