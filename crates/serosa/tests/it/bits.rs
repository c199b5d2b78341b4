//! Same inputs, same bits: for every built-in scene, on any number of threads, and after save and restore.

use serosa::scenes::{BUILT_IN, find, load};
use serosa::session::{Device, Session};
use serosa_io::scene::Loaded;

/// Steps of the small scenes.
const STEPS: u64 = 10_000;
/// Steps of those with an intestine: the tube has widened, folds lie on folds.
const LONG: u64 = 2_500;
/// Steps of those with surfaces that press: the instrument is in the organ, the mesh lies on the tissue.
const PRESSED: u64 = 400;
/// Steps of solids of tetrahedra.
const SOLID: u64 = 400;

/// Steps of quadratic programmes: the cable is off its pulley, the ball in the net, the bars on their seam.
const PROGRAMME: u64 = 300;

/// Steps of flexible bodies: each has turned, widened or been drawn out.
const FLEXIBLE: u64 = 120;

/// Steps of solids in contact.
const CONTACT: u64 = 60;

/// Runs a scene with random tools and returns the hash at the end; `restore` saves half way, throws the world
/// away and goes on with the saved state.
fn run((name, loaded): (&str, &Loaded), steps: u64, threads: usize, restore: bool) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let world = loaded.baked.world();
        let device = Device::random(&world, 7, 0.3);
        let mut session = Session::new(world, device);
        for i in 0..steps {
            if restore && i == steps / 2 {
                let saved = postcard::to_stdvec(&session.world.state).unwrap();
                session.world = loaded.baked.world();
                session.world.state = postcard::from_bytes(&saved).unwrap();
            }
            session.step().unwrap();
        }
        assert!(session.seen.quarantined.is_empty(), "{name}: {:?}", session.seen.quarantined);
        session.world.state.hash()
    })
}

/// One scene, four times over.
fn same_bits(name: &str, steps: u64) {
    let loaded = load(&find(name).unwrap()).unwrap();
    let run = |threads, restore| run((name, &loaded), steps, threads, restore);
    let one = run(1, false);
    assert_eq!(one, run(2, false), "{name} on 2 threads");
    assert_eq!(one, run(8, false), "{name} on 8 threads");
    assert_eq!(one, run(2, true), "{name} after a restore");
}

#[test]
fn coil_gives_the_same_bits() {
    same_bits("coil", STEPS);
}

#[test]
fn cloth_fold_gives_the_same_bits() {
    same_bits("cloth-fold", PRESSED);
}

#[test]
fn colon_access_gives_the_same_bits() {
    same_bits("colon-access", LONG);
}

#[test]
fn intestine_gives_the_same_bits() {
    same_bits("intestine", LONG);
}

#[test]
fn intestine_2003_gives_the_same_bits() {
    same_bits("intestine-2003", LONG);
}

#[test]
fn intestine_8x400_gives_the_same_bits() {
    same_bits("intestine-8x400", 50);
}

#[test]
fn kidney_press_gives_the_same_bits() {
    same_bits("kidney-press", PRESSED);
}

#[test]
fn instrument_press_gives_the_same_bits() {
    same_bits("instrument-press", PRESSED);
}

#[test]
fn mesh_drape_gives_the_same_bits() {
    same_bits("mesh-drape", PRESSED);
}

#[test]
fn organ_pile_gives_the_same_bits() {
    same_bits("organ-pile", 150);
}

#[test]
fn membrane_poke_gives_the_same_bits() {
    same_bits("membrane-poke", STEPS);
}

#[test]
fn net_on_sphere_gives_the_same_bits() {
    same_bits("net-on-sphere", STEPS);
}

#[test]
fn rope_drop_gives_the_same_bits() {
    same_bits("rope-drop", STEPS);
}

#[test]
fn beam_bend_gives_the_same_bits() {
    same_bits("beam-bend", SOLID);
}

#[test]
fn beam_twist_gives_the_same_bits() {
    same_bits("beam-twist", SOLID);
}

#[test]
fn liver_hang_gives_the_same_bits() {
    same_bits("liver-hang", SOLID);
}

#[test]
fn tumour_gives_the_same_bits() {
    same_bits("tumour", SOLID);
}

#[test]
fn quadratic_programmes_give_the_same_bits() {
    for name in ["cable-pulley", "cable-cylinder", "edge-on-seam", "strain-limit", "suture-thread"] {
        same_bits(name, PROGRAMME);
    }
}

#[test]
fn flexible_bodies_give_the_same_bits() {
    for name in ["bem-contact", "cable-spring", "plate-block", "tube-connector", "tube-sag"] {
        same_bits(name, FLEXIBLE);
    }
}

#[test]
fn scenes_of_contact_give_the_same_bits() {
    for name in ["drape", "gallbladder-lift", "liver-press", "squeeze", "twist"] {
        same_bits(name, CONTACT);
    }
    same_bits("abdomen", CONTACT / 3);
}

/// Solids, led by the tools of their scenes: nothing is frozen, and what they hold of energy stays sound.
#[test]
fn solids_live_through_two_thousand_steps() {
    use serosa_sim::energy::{EnergyKind, world_energy};
    for name in ["beam-bend", "beam-twist", "liver-hang", "tumour"] {
        let loaded = load(&find(name).unwrap()).unwrap();
        let world = loaded.baked.world();
        let start = world_energy(&world, EnergyKind::Total);
        let mut session = Session::new(world, Device::of_scene(&loaded.raw, &loaded.baked.model));
        for _ in 0..2000 {
            session.step().unwrap();
            let now = world_energy(&session.world, EnergyKind::Total);
            // No hand does more than a few joules of work on an organ.
            assert!(now.is_finite() && (now - start).abs() < 20.0, "{name}: {start} J, then {now} J");
        }
        assert!(session.seen.quarantined.is_empty(), "{name}: {:?}", session.seen.quarantined);
    }
}

#[test]
fn no_built_in_scene_is_left_out_above() {
    let mut names: Vec<&str> = BUILT_IN.iter().map(|s| s.name).collect();
    names.sort_unstable();
    let tested = [
        "abdomen",
        "beam-bend",
        "beam-twist",
        "bem-contact",
        "cable-cylinder",
        "cable-pulley",
        "cable-spring",
        "cloth-fold",
        "coil",
        "colon-access",
        "drape",
        "edge-on-seam",
        "gallbladder-lift",
        "instrument-press",
        "intestine",
        "intestine-2003",
        "intestine-8x400",
        "kidney-press",
        "liver-hang",
        "liver-press",
        "membrane-poke",
        "mesh-drape",
        "net-on-sphere",
        "organ-pile",
        "plate-block",
        "rope-drop",
        "squeeze",
        "strain-limit",
        "suture-thread",
        "tube-connector",
        "tube-sag",
        "tumour",
        "twist",
    ];
    assert_eq!(names, tested);
}

/// A scene large enough that every stage is cut into several parts.
#[test]
fn a_scene_of_many_blocks_gives_the_same_bits() {
    let text = r#"
serosa = 1
title = "Many blocks"
[world]
step = "2 ms"
[[body]]
name = "net"
shape.net = { corner = ["-60 cm", "-60 cm", "12 cm"], along = ["120 cm", 0, 0], across = [0, "120 cm", 0], columns = 61, rows = 61, radius = "4 mm" }
model.springs = { mass = 1, stiffness = "1 kN/m", damping = 0.1, bending = 10 }
[[body]]
name = "ball"
shape.sphere = { center = [0, 0, 0], radius = "10 cm" }
model.fixed = {}
"#;
    let baked = serosa_io::scene::load(text, &|_| Err("none".into())).unwrap().baked;
    let hash = |threads: usize, restore: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut session = Session::new(baked.world(), Device::Script(Vec::new(), Vec::new()));
            for i in 0..400 {
                if restore && i == 200 {
                    let saved = session.world.state.clone();
                    session.world = baked.world();
                    session.world.state = saved;
                }
                session.step().unwrap();
            }
            assert!(session.seen.contacts_max > 20);
            session.world.state.hash()
        })
    };
    let one = hash(1, false);
    assert_eq!(one, hash(2, false));
    assert_eq!(one, hash(8, false));
    assert_eq!(one, hash(2, true));
}

/// Gravity askew, tuned at every tick: what was tuned before a restore must not show after it. (Once, gravity was
/// normalised anew in every tick, and its last bits told how many ticks had run.)
#[test]
fn tunables_leave_no_trace_of_how_often_they_were_said() {
    let text = r#"
serosa = 1
title = "Askew"
[world]
gravity = [-4.0, -9.4, 7.3]
[[body]]
name = "rope"
shape.chain = { from = [0, 0, 0], to = [1, 0, 0], nodes = 20, radius = "5 mm" }
model.springs = { mass = 0.1, stiffness = 1000 }
attach = [{ name = "first" }]
[[tune]]
target = "gravity"
min = 0
max = 20
[[tune]]
target = "rope.stiffness"
min = 10
max = 10000
"#;
    let baked = serosa_io::scene::load(text, &|_| Err("none".into())).unwrap().baked;
    let run = |restore: bool| {
        let mut session = Session::new(baked.world(), Device::Script(Vec::new(), Vec::new()));
        for i in 0..2000 {
            session.input.tunables[1] = 1000.0 + f64::from(i / 100);
            if restore && i == 1001 {
                let saved = session.world.state.clone();
                session.world = baked.world();
                session.world.state = saved;
            }
            session.step().unwrap();
        }
        session.world.state.hash()
    };
    assert_eq!(run(false), run(true));
}
