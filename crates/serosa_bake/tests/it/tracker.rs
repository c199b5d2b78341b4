//! The stochastic tracker against all pairs.

use crate::counting::allocations;
use crate::make::{baked, body, floor, noise3, run, scene, solid, springs};
use serosa_bake::Baked;
use serosa_bake::raw::{RawBody, RawGeometry, RawModel, RawSolid};
use serosa_geometry::generate::{Helix, Sheet, chain, chain_through, helix, net};
use serosa_geometry::{PrimId, Vec3};
use serosa_sim::detect::{Active, Finder, Places, Search, active_pairs, solid_of, tracker::Sight};
use serosa_sim::model::{Model, PrimKind};
use serosa_sim::params::{Detector, Response};
use serosa_sim::state::Tracked;
use serosa_sim::{Input, World, step};
use std::collections::BTreeSet;

/// A pair of primitives.
type Pair = (u32, u32);

fn tube(name: &str, points: Vec<Vec3>, radius: f64) -> RawBody {
    let model = RawModel::Springs { mass: 1.0, stiffness: 2e3, damping: 1.0, bending: 0.0, tube: None };
    let geometry = RawGeometry::Mesh { mesh: chain_through(points), radius };
    RawBody { friction: 0.3, drag: 1.0, ..body(name, geometry, model) }
}

/// A smooth curve: a straight line and three waves of random size.
fn wavy(from: Vec3, to: Vec3, nodes: usize, seed: &mut u64) -> Vec<Vec3> {
    let waves: Vec<(Vec3, f64)> = (1..4).map(|k| (noise3(seed) * 0.04, f64::from(k) * 2.0)).collect();
    let at = |i: usize| {
        let s = i as f64 / (nodes - 1) as f64;
        from.lerp(to, s) + waves.iter().map(|(size, k)| *size * (k * s + size.x * 50.0).sin()).sum::<Vec3>()
    };
    (0..nodes).map(at).collect()
}

/// A tube that falls in loose turns, of which the later overtake the earlier.
fn falling(nodes: usize) -> Baked {
    let turns = Helix { base: Vec3::Z * 0.03, nodes, spacing: 0.04, radius: 0.15, pitch: 0.06 };
    let wobble = |(i, p): (usize, Vec3)| p + p.with_z(0.0) * (0.3 * (0.7 * i as f64).sin());
    let points = helix(&turns).points.into_iter().enumerate().map(wobble).collect();
    let mut raw = scene(vec![tube("tube", points, 0.02), floor()]);
    raw.world.dt_s = 4e-3;
    raw.world.detector = Detector::Tracker;
    baked(&raw)
}

/// Touching pairs of segments that a detector finds where the world is.
fn found(world: &World, finder: &mut Finder, detector: Detector) -> BTreeSet<Pair> {
    let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
    let mut rows = Vec::new();
    finder.rows(&world.model, &world.params, detector, (at, Search::Overlap), &mut rows);
    assert!(rows.is_sorted_by_key(|r| r.key));
    let segment = |p: PrimId| matches!(world.model.prims[p.at()].kind, PrimKind::Segment(_));
    rows.iter().filter(|r| segment(r.key.a) && segment(r.key.b)).map(|r| (r.key.a.0, r.key.b.0)).collect()
}

/// The pairs of a set that hang together with one of them over neighbours: the slow twin of the flood.
fn region(model: &Model, all: &BTreeSet<Pair>, first: Pair) -> BTreeSet<Pair> {
    let near = |p: u32, q: u32| model.neighbourhood(PrimId(p)).any(|n| n.0 == q);
    let joined = |x: Pair, y: Pair| (near(x.0, y.0) && near(x.1, y.1)) || (near(x.0, y.1) && near(x.1, y.0));
    let mut region = BTreeSet::from([first]);
    loop {
        let more: Vec<Pair> = all
            .iter()
            .filter(|p| !region.contains(*p) && region.iter().any(|q| joined(**p, *q)))
            .copied()
            .collect();
        if more.is_empty() {
            return region;
        }
        region.extend(more);
    }
}

#[test]
fn moves_end_in_a_local_minimum_of_the_distance() {
    let mut seed = 3;
    for _ in 0..50 {
        let one = wavy(Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0), 40, &mut seed);
        let other = wavy(Vec3::new(0.1, -0.5, 0.1), Vec3::new(-0.1, 0.5, 0.1), 50, &mut seed);
        let world = baked(&scene(vec![tube("one", one, 0.01), tube("other", other, 0.01)])).world();
        let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
        let solids: Vec<_> =
            (0..world.model.prims.len()).map(|i| solid_of(&world.model, PrimId::from(i), at)).collect();
        let sight =
            Sight { model: &world.model, params: &world.params.tracker, solids: &solids, margin: 0.0 };
        let (mut pair, mut distance) = (Tracked { a: PrimId(12), b: PrimId(39 + 30) }, f64::INFINITY);
        let mut moves = 0;
        loop {
            let (next, d) = sight.moved(pair);
            assert!(d <= distance, "never uphill");
            moves += 1;
            if next == pair {
                break;
            }
            (pair, distance) = (next, d);
        }
        assert!(moves > 1 && moves < 90, "{moves}");
        let own = sight.moved(pair).1;
        for i in pair.a.0.saturating_sub(1)..=pair.a.0 + 1 {
            for j in pair.b.0 - 1..=pair.b.0 + 1 {
                if (0..39).contains(&i) && (39..39 + 49).contains(&j) {
                    let mut gap = f64::INFINITY;
                    let mut keep = |t: serosa_geometry::Touch| gap = t.gap;
                    let (a, b) = (&solids[i as usize], &solids[j as usize]);
                    serosa_geometry::solid::touches(a, b, f64::INFINITY, &mut keep);
                    assert!(own <= gap + 0.02 + 1e-12, "{pair:?} is no minimum: ({i}, {j}) is nearer");
                }
            }
        }
    }
}

#[test]
fn a_flood_finds_exactly_the_region_of_its_seed() {
    let mut world = falling(150).world();
    world.params.detector = Detector::Grid;
    run(&mut world, 300);
    let all = found(&world, &mut Finder::default(), Detector::AllPairs);
    world.params.tracker.random_pairs = 0;
    let mut regions = BTreeSet::new();
    for &(a, b) in &all {
        let mut finder = Finder::default();
        finder.tracker.active = vec![Tracked { a: PrimId(a), b: PrimId(b) }];
        let flooded = found(&world, &mut finder, Detector::Tracker);
        assert_eq!(flooded, region(&world.model, &all, (a, b)));
        regions.insert(flooded);
    }
    assert!(regions.len() > 3 && regions.len() < all.len(), "{} of {}", regions.len(), all.len());
}

#[test]
fn what_is_no_segment_is_never_missed() {
    let mut raw = scene(vec![
        solid("ball", RawSolid::Sphere { radius: 0.1 }, Vec3::Z * 0.1, RawModel::Fixed),
        springs("rope", chain(Vec3::new(-0.3, 0.0, 0.25), Vec3::new(0.3, 0.01, 0.25), 40), 0.1, 500.0, 0.1),
        floor(),
        solid("box", RawSolid::Cuboid { size: Vec3::splat(0.1) }, Vec3::X * 0.2, RawModel::Fixed),
    ]);
    raw.world.detector = Detector::Tracker;
    let mut world = baked(&raw).world();
    let mut most = 0;
    for _ in 0..300 {
        run(&mut world, 1);
        let at = Places { pos: &world.state.pos, pose: &world.state.pose, radius: &world.state.radius };
        let (mut some, mut all) = (Vec::new(), Vec::new());
        Finder::default().rows(
            &world.model,
            &world.params,
            Detector::Tracker,
            (at, Search::Overlap),
            &mut some,
        );
        Finder::default().rows(
            &world.model,
            &world.params,
            Detector::AllPairs,
            (at, Search::Overlap),
            &mut all,
        );
        all.retain(|r| {
            [r.key.a, r.key.b].iter().any(|p| matches!(world.model.prims[p.at()].kind, PrimKind::Shape(_)))
        });
        assert_eq!(some, all);
        most = most.max(all.len());
    }
    assert!(most > 5, "{most}");
}

/// Share of the touching pairs that the tracker knows, over a fall led by the complete detector.
fn recall(random_pairs: u32) -> f64 {
    let mut world = falling(120).world();
    world.params.detector = Detector::Grid;
    world.params.tracker.random_pairs = random_pairs;
    let mut finder = Finder::default();
    let (mut known, mut all) = (0, 0);
    for tick in 0..350 {
        run(&mut world, 1);
        finder.tracker.moment = (tick, 0);
        let some = found(&world, &mut finder, Detector::Tracker);
        let every = found(&world, &mut Finder::default(), Detector::Grid);
        assert!(some.is_subset(&every), "it finds nothing that is not there");
        (known, all) = (known + some.len(), all + every.len());
    }
    assert!(all > 5000, "{all}");
    known as f64 / all as f64
}

#[test]
fn more_random_pairs_miss_less() {
    let shares = [0, 5, 50, 1000].map(recall);
    assert!(shares.is_sorted(), "{shares:?}");
    assert_eq!(shares[0], 0.0, "without draws it never begins");
    assert!(shares[1] < 0.95 && shares[3] > 0.99, "{shares:?}");
}

#[test]
fn a_tube_is_followed_onto_a_membrane_and_membranes_pass_unseen() {
    let sheet = |z: f64| Sheet {
        corner: Vec3::new(-0.3, -0.3, z),
        along: Vec3::X * 0.6,
        across: Vec3::Y * 0.6,
        columns: 7,
        rows: 7,
    };
    let sheet_body = |name: &str, z: f64| springs(name, net(&sheet(z)), 0.1, 500.0, 0.1);
    let rope =
        springs("rope", chain(Vec3::new(-0.2, 0.02, 0.1), Vec3::new(0.2, 0.03, 0.1), 11), 0.1, 500.0, 0.1);
    let mut bake = baked(&scene(vec![rope, sheet_body("sheet", 0.0), sheet_body("under", -0.0015)]));
    let mut model = (*bake.model).clone();
    model.prims.iter_mut().filter(|p| p.body.at() > 0).for_each(|p| p.membrane = true);
    bake.model = std::sync::Arc::new(model);
    let mut world = bake.world();
    world.params.tracker = serosa_sim::params::Tracker { random_pairs: 0, reach: 1e3, seed: 0 };
    // From a corner of the sheet and the far end of the rope, one move of each at a time.
    let mut finder = Finder::default();
    finder.tracker.active = vec![Tracked { a: PrimId(9), b: PrimId(10) }];
    (0..20).for_each(|_| assert!(found(&world, &mut finder, Detector::Tracker).is_empty(), "apart"));
    let rope_end = world.model.bodies[0].vertex_range().end;
    world.state.pos[..rope_end].iter_mut().for_each(|p| p.z = 0.0019);
    let every = found(&world, &mut Finder::default(), Detector::AllPairs);
    let across = |p: &Pair| p.0 < 10;
    let some = found(&world, &mut finder, Detector::Tracker);
    assert!(every.iter().any(|p| !across(p)), "the sheets touch");
    assert!(some.iter().all(across) && !some.is_empty(), "{some:?}");
    let touched = every.into_iter().filter(across).collect();
    assert_eq!(some, region(&world.model, &touched, *some.first().unwrap()), "the whole region");
}

#[test]
fn a_tracked_run_gives_the_same_bits_on_any_threads_and_after_a_restore() {
    let bake = falling(100);
    let mut hashes = Vec::new();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = bake.world();
        world.params.substeps = 2;
        pool.install(|| run(&mut world, 150));
        assert!(!world.state.tracked.is_empty() && world.state.fits(&world.model));
        let half = world.state.clone();
        pool.install(|| run(&mut world, 150));
        hashes.push(world.state.hash());
        // In the same world, whose working arrays are those of another moment, and in a new one.
        world.state = half.clone();
        pool.install(|| run(&mut world, 150));
        hashes.push(world.state.hash());
        let mut fresh = bake.world();
        (fresh.state, fresh.params.substeps) = (half, 2);
        pool.install(|| run(&mut fresh, 150));
        hashes.push(fresh.state.hash());
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

#[test]
fn a_warm_tracked_step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = falling(100).world();
    let input = Input::at_rest(&world);
    pool.install(|| run(&mut world, 900));
    let count = allocations(&pool, || (0..200).for_each(|_| step(&mut world, &input, &mut || 0)));
    assert_eq!(count, 0);
    assert!(world.report.contacts > 20 && !world.state.tracked.is_empty());
}

#[test]
fn a_few_segments_and_lost_positions_are_no_trouble() {
    for nodes in [2, 3, 4, 30] {
        let mut world = falling(nodes).world();
        run(&mut world, 50);
        let n = world.model.rest.len();
        world.state.pos[n - 1] = Vec3::NAN;
        world.state.tracked = (1..n as u32 - 1).map(|b| Tracked { a: PrimId(0), b: PrimId(b) }).collect();
        let mut finder = Finder::default();
        finder.tracker.active = world.state.tracked.clone();
        found(&world, &mut finder, Detector::Tracker);
        run(&mut world, 50);
        assert_eq!(world.state.holds[0].times, 1);
        assert!(world.state.pos.iter().all(|p| p.is_finite()));
    }
}

#[test]
fn a_saved_list_that_does_not_fit_is_refused() {
    let bake = falling(30);
    let fits = |pairs: &[Pair]| {
        let mut state = bake.world().state;
        state.tracked = pairs.iter().map(|p| Tracked { a: PrimId(p.0), b: PrimId(p.1) }).collect();
        state.fits(&bake.model)
    };
    assert!(fits(&[(0, 9), (0, 12), (3, 4)]));
    assert!(!fits(&[(3, 4), (0, 9)]) && !fits(&[(0, 9), (0, 9)]), "sorted, each once");
    assert!(!fits(&[(9, 0)]) && !fits(&[(0, 29)]) && !fits(&[(0, 1 << 30)]), "two segments in order");
}

/// What is shown of a world, by its slow twin: the cores sampled finely.
#[test]
fn active_pairs_are_placed_where_their_cores_are_closest() {
    let mut world = falling(60).world();
    run(&mut world, 200);
    let mut shown: Vec<Active> = Vec::new();
    let all = active_pairs(&world, usize::MAX, &mut shown);
    let known: Vec<[PrimId; 2]> = world.state.tracked.iter().map(|t| [t.a, t.b]).collect();
    assert!(all > 10 && shown.iter().map(|p| p.prims).eq(known.iter().copied()), "{all}");
    for pair in &shown {
        let cores = pair.prims.map(|p| match world.model.prims[p.at()].kind {
            PrimKind::Segment(ends) => ends.map(|v| world.state.pos[v.at()]),
            _ => panic!("the tracker follows segments"),
        });
        let along = |[a, b]: [Vec3; 2]| (0..=400).map(move |i| a.lerp(b, f64::from(i) / 400.0));
        let sampled = along(cores[0])
            .flat_map(|p| along(cores[1]).map(move |q| p.distance(q)))
            .fold(f64::INFINITY, f64::min);
        let length = pair.ends[0].distance(pair.ends[1]);
        assert!((length - sampled).abs() < 1e-4, "{length} {sampled}");
        assert!((pair.gap - (length - 0.04)).abs() < 1e-12, "{pair:?}");
        for (end, core) in pair.ends.iter().zip(cores) {
            let off = along(core).map(|p| p.distance(*end)).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-4, "an end lies on its core: {off}");
        }
    }
    let mut few = Vec::new();
    assert_eq!((active_pairs(&world, 5, &mut few), few.len()), (all, 5));
    let widest = few.iter().map(|p| p.gap).fold(f64::NEG_INFINITY, f64::max);
    let nearer = |p: &&Active| p.gap < widest;
    assert!(shown.iter().filter(nearer).all(|p| few.contains(p)), "the nearest are kept");
    assert!(few.is_sorted_by_key(|p| p.prims));
}

/// Whichever way a world looks, what touches is among what it shows.
#[test]
fn whatever_touches_is_an_active_pair_of_a_complete_detector() {
    for (detector, response) in [
        (Detector::Grid, Response::DisplacementVelocity),
        (Detector::AllPairs, Response::DisplacementVelocity),
        (Detector::Grid, Response::AugmentedLagrangian),
    ] {
        let mut world = falling(60).world();
        (world.params.detector, world.params.response) = (detector, response);
        run(&mut world, 200);
        let mut shown = Vec::new();
        active_pairs(&world, usize::MAX, &mut shown);
        let shown: BTreeSet<[PrimId; 2]> = shown.iter().map(|p| p.prims).collect();
        let touching = world.scratch.rows.iter().map(|r| [r.key.a, r.key.b]);
        assert!(
            world.scratch.rows.len() > 10 && touching.clone().all(|p| shown.contains(&p)),
            "{detector:?}"
        );
    }
}
