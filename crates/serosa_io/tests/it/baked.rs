//! Bake files: what comes back, and what is refused.

use serosa_bake::BAKER;
use serosa_io::baked::{self, BakeError, BakeFile, FORMAT};
use serosa_io::fingerprint::{of_bake, of_many_bytes};
use serosa_io::scene::{Loaded, load};
use serosa_sim::{Input, step};

const SCENE: &str = r#"serosa = 1
title = "A chain and a mesh"
[[body]]
name = "chain"
shape.chain = { from = [0, 0, 0.2], to = [0.1, 0, 0.2], nodes = 8, radius = "2 mm" }
model.springs = { mass = "10 g", stiffness = 200 }
attach = [{ name = "first" }]
[[body]]
name = "patch"
shape.mesh = { file = "patch.obj", radius = "1 mm" }
model.springs = { mass = "10 g", stiffness = 200 }
"#;
const PATCH: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0.1 0.1 0\nf 1 2 3\nf 2 4 3\n";

fn loaded() -> Loaded {
    load(SCENE, &|_| Ok(PATCH.into())).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn written() -> Vec<u8> {
    baked::write(SCENE, &loaded()).unwrap()
}

/// With a checksum that fits.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let sum = of_many_bytes(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn a_bake_comes_back_and_steps_alike() {
    let (original, bytes) = (loaded(), written());
    let file = BakeFile::read(&bytes).unwrap();
    assert!(file.is_of(SCENE, &original.files) && !file.is_of("", &original.files));
    let back = file.load().unwrap();
    assert_eq!(of_bake(&back.baked), of_bake(&original.baked));
    assert_eq!((back.raw.title, &back.baked.notes), (original.raw.title, &original.baked.notes));
    let hash = |mut world: serosa_sim::World| {
        (0..50).for_each(|_| step(&mut world, &Input::default(), &mut || 0));
        world.state.hash()
    };
    assert_eq!(hash(back.baked.world()), hash(original.baked.world()));
    assert_eq!(baked::write(SCENE, &file.load().unwrap()).unwrap(), bytes, "written again, the same bytes");
}

#[test]
fn the_key_follows_all_that_a_bake_is_made_from() {
    let files = loaded().files;
    let key = baked::key(SCENE, &files);
    assert_ne!(key, baked::key(&SCENE.replace("nodes = 8", "nodes = 9"), &files));
    let mut other = files.clone();
    other[0].bytes.push(b'\n');
    assert_ne!(key, baked::key(SCENE, &other));
    other = files;
    other[0].path.push('x');
    assert_ne!(key, baked::key(SCENE, &other));
}

#[test]
fn other_files_are_refused_by_name() {
    let error = |bytes: &[u8]| BakeFile::read(bytes).unwrap_err();
    assert_eq!(error(b""), BakeError::Foreign);
    assert_eq!(error(b"title = \"a scene\""), BakeError::Foreign);
    let mut newer = written();
    newer[8] = 7;
    assert_eq!(error(&newer), BakeError::Format { found: 7 });
    assert!(error(&newer).to_string().contains(&format!("reads format {FORMAT}")));
    let mut other = written();
    other[12..28].copy_from_slice(b"0123456789abcdef");
    assert_eq!(error(&other), BakeError::OtherBaker { found: "0123456789abcdef".into() });
    assert!(error(&other).to_string().contains(BAKER));
}

#[test]
fn a_file_that_breaks_off_or_goes_on_is_refused() {
    let bytes = written();
    for length in 8..bytes.len() {
        let error = BakeFile::read(&bytes[..length]).unwrap_err();
        assert!(matches!(error, BakeError::Length { .. }), "{length}: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(BakeFile::read(&longer), Err(BakeError::Length { .. })));
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = written();
    for k in 0..bytes.len() {
        let mut other = bytes.clone();
        other[k] ^= 1 << (k % 8);
        let error = BakeFile::read(&other).unwrap_err();
        assert!(k < 44 || error == BakeError::Damaged, "{k}: {error}");
    }
}

/// Whoever makes the checksum fit gets an error or some other bake, and memory stays in proportion.
#[test]
fn forged_contents_do_no_harm() {
    let bytes = written();
    let mut state = 3u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut other = bytes.clone();
        for _ in 0..1 + next() % 4 {
            let at = 44 + next() % (bytes.len() - 52);
            // Runs of 0xFF are the lengths that ask for most.
            let run = (next() % 10).min(bytes.len() - 8 - at);
            other[at..at + run].fill(if next() % 2 == 0 { 0xFF } else { next() as u8 });
        }
        refused += usize::from(BakeFile::read(&sealed(other)).is_err());
    }
    assert!(refused > 1000, "{refused}");
    let mut other = bytes.clone();
    other[28] ^= 1;
    let error = BakeFile::read(&sealed(other)).unwrap_err().to_string();
    assert!(error.contains("not the one it was baked from"), "{error}");
}

/// One of each kind of body, with what holds them together.
const ZOO: &str = r#"serosa = 1
title = "One of each"
[world]
sweeps = 4
response = "displacement-velocity"
[[body]]
name = "patch"
shape.mesh = { file = "patch.obj", radius = "1 mm" }
model.springs = { mass = "10 g", stiffness = 200 }
[[body]]
name = "rope"
shape.chain = { from = [0, 0, 0.3], to = [0.1, 0, 0.3], nodes = 6, radius = "2 mm" }
model.band = { mass = "10 g", tube_stretch = "20 N", tube_bending = "1e-6 N m2" }
[[body]]
name = "ball"
shape.ball = { center = [0.3, 0, 0], size = "8 cm", vertices = 60 }
model.tissue = { mass = "50 g", stiffness = 30 }
[[body]]
name = "slow"
shape.block = { corner = [0.5, 0, 0], size = [0.1, 0.1, 0.1], cell = "5 cm" }
model.solid = { young = "6 kPa", poisson = 0.4, density = "1000 kg/m3", descent = "vertex" }
attach = [{ name = "left" }]
[[body]]
name = "whole"
shape.block = { corner = [0.6, 0, 0], size = [0.1, 0.1, 0.1], cell = "5 cm" }
model.solid = { young = "6 kPa", poisson = 0.4, density = "1000 kg/m3", descent = "global", tie = [{ name = "left", to = "slow", reach = "1 mm", stiffness = "100 N/m" }] }
[[body]]
name = "ten"
shape.block = { corner = [0.7, 0, 0], size = [0.1, 0.1, 0.1], cell = "5 cm" }
model.solid = { young = "6 kPa", poisson = 0.49, density = "1000 kg/m3", element = "quadratic", tie = [{ name = "left", to = "whole", reach = "1 mm", stiffness = "100 N/m" }] }
[[body]]
name = "floor"
shape.plane = { point = [0, 0, -0.1] }
model.fixed = {}
[[tool]]
name = "jaws"
shape.capsule = { length = "20 cm", radius = "5 mm" }
tip = [0, 0, 0.1]
grasp = { reach = "2 cm", strength = "10 N" }
[[probe]]
name = "p"
hand_force = "jaws"
"#;

/// Numbers that point elsewhere are refused; what is not refused can be stepped, wherever it leads.
#[test]
fn forged_models_are_refused_or_run() {
    let loaded = load(ZOO, &|_| Ok(PATCH.into())).unwrap_or_else(|problems| panic!("{problems:?}"));
    let bytes = baked::write(ZOO, &loaded).unwrap();
    let mut state = 5u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..6000 {
        let mut other = bytes.clone();
        let at = 44 + next() % (bytes.len() - 52);
        other[at] = next() as u8;
        let Ok(forged) = BakeFile::read(&sealed(other)) else {
            refused += 1;
            continue;
        };
        let mut world = forged.baked.world();
        let input = Input::at_rest(&world);
        (0..2).for_each(|_| step(&mut world, &input, &mut || 0));
        ran += 1;
    }
    assert!(refused > 100 && ran > 100, "{refused} refused, {ran} run");
}
