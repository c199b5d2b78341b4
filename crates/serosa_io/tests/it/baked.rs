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
        assert!(k < 52 || error == BakeError::Damaged, "{k}: {error}");
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
            let at = 52 + next() % (bytes.len() - 60);
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
    forge(ZOO, 6000);
}

/// The same of flexible bodies in contact, with all of their compliance and with a factor of it.
#[test]
fn forged_flexible_bodies_are_refused_or_run() {
    forge(FLEXIBLE, 3000);
}

fn forge(scene: &str, times: usize) {
    let loaded = load(scene, &|_| Ok(PATCH.into())).unwrap_or_else(|problems| panic!("{problems:?}"));
    let bytes = baked::write(scene, &loaded).unwrap();
    let mut state = 5u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..times {
        let mut other = bytes.clone();
        let at = 52 + next() % (bytes.len() - 60);
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

/// Two blocks that touch: of one all of its compliance is kept, of the other a factor.
const FLEXIBLE: &str = r#"serosa = 1
title = "Flexible blocks"
[world]
sweeps = 4
step = "5 ms"
filter = "off"
[[body]]
name = "lower"
shape.block = { corner = [0, 0, 0], size = [0.1, 0.1, 0.1], cell = "5 cm" }
model.flexible = { young = "6 kPa", poisson = 0.4, compliance = "all", control = [{ name = "foot", set = "bottom", move = [{ time = 1, turn = [0, 0, 0.2] }] }] }
[[body]]
name = "upper"
shape.block = { corner = [0, 0, 0.1005], size = [0.1, 0.1, 0.1], cell = "5 cm" }
model.flexible = { young = "6 kPa", poisson = 0.4, compliance = "demand" }
attach = [{ name = "top" }]
"#;

/// Bytes that begin where numbers may.
struct Placed(Vec<u64>, usize);

impl Placed {
    fn of(bytes: &[u8]) -> Self {
        let words = bytes.chunks(8).map(|c| {
            let mut word = [0; 8];
            word[..c.len()].copy_from_slice(c);
            u64::from_ne_bytes(word)
        });
        Self(words.collect(), bytes.len())
    }
}

impl AsRef<[u8]> for Placed {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

#[test]
fn long_arrays_are_read_where_they_lie() {
    use serosa_sim::model::{BodyKind, Compliance};
    let loaded = load(FLEXIBLE, &|_| Err("none".into())).unwrap_or_else(|problems| panic!("{problems:?}"));
    let bytes = baked::write(FLEXIBLE, &loaded).unwrap();
    let placed = Placed::of(&bytes);
    let inside = placed.as_ref().as_ptr_range();
    let (opened, copied) = (BakeFile::open(placed).unwrap(), BakeFile::read(&bytes).unwrap());
    let mut seen = 0;
    for body in &opened.baked.model.bodies {
        let BodyKind::Flexible(body) = &body.kind else { continue };
        let mut arrays = vec![&body.modes];
        if let Compliance::All(all) = &body.compliance {
            arrays.push(all);
        }
        seen += arrays.len();
        for array in arrays {
            assert!(!array.is_empty() && inside.contains(&array.as_ptr().cast()));
        }
    }
    assert_eq!(seen, 3);
    let want = of_bake(&loaded.baked);
    assert_eq!((of_bake(&opened.baked), of_bake(&copied.baked)), (want, want));
    assert_eq!(baked::write(FLEXIBLE, &opened.load().unwrap()).unwrap(), bytes);
    // Where numbers may not begin they are copied.
    struct Shifted(Placed);
    impl AsRef<[u8]> for Shifted {
        fn as_ref(&self) -> &[u8] {
            &self.0.as_ref()[1..]
        }
    }
    let shifted = Shifted(Placed::of(&[&[0], &bytes[..]].concat()));
    assert_eq!(of_bake(&BakeFile::open(shifted).unwrap().baked), want);
    let step_all = |mut world: serosa_sim::World| {
        (0..30).for_each(|_| step(&mut world, &Input::default(), &mut || 0));
        world.state.hash()
    };
    assert_eq!(step_all(opened.baked.world()), step_all(loaded.baked.world()));
    for k in (0..bytes.len()).step_by(97) {
        let mut other = bytes.clone();
        other[k] ^= 1 << (k % 8);
        assert!(BakeFile::open(Placed::of(&other)).is_err(), "{k}");
        assert!(BakeFile::open(Placed::of(&bytes[..k])).is_err(), "{k}");
    }
}

/// What is written for other programs comes back through our own reader: the same triangles, and of every mode the numbers.
#[test]
fn modes_are_exchanged_as_an_inventor_file() {
    use serosa_io::mesh::FORMATS;
    use serosa_sim::model::BodyKind;
    let loaded = load(FLEXIBLE, &|_| Err("none".into())).unwrap_or_else(|problems| panic!("{problems:?}"));
    let model = &loaded.baked.model;
    let written = serosa_io::modes::inventor(model).unwrap();
    assert_eq!(written.remarks, [""; 0]);
    let format = FORMATS.iter().find(|f| f.name == "inventor").unwrap();
    let back = (format.import)(&written.bytes, &mut |_| Err("none".into())).unwrap();
    let (mut parts, mut bodies) = (back.parts.iter(), 0);
    for body in &model.bodies {
        let BodyKind::Flexible(flexible) = &body.kind else { continue };
        bodies += 1;
        let rest = parts.next().unwrap();
        assert_eq!(rest.name, format!("{}-rest", body.name));
        assert_eq!(rest.points[..], model.rest[body.vertices.start as usize..body.vertices.end as usize]);
        for column in 0..flexible.columns() {
            let part = parts.next().unwrap();
            assert_eq!(part.triangles, flexible.triangles);
            for ((x, u), at) in part.points.iter().zip(flexible.mode(column)).zip(&rest.points) {
                let off = (*x - *at - serosa_geometry::Vec3::from_array(u.map(f64::from))).length();
                assert!(off < 1e-15, "{}: {off}", part.name);
            }
        }
    }
    assert_eq!((bodies, parts.next()), (2, None));
    let names: Vec<&str> = back.parts.iter().map(|p| p.name.as_str()).collect();
    for name in ["lower-foot-shift-x", "lower-foot-map-zy", "lower-gravity-z", "upper-gravity-x"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let colors: std::collections::BTreeSet<[u8; 3]> =
        back.materials.iter().map(|m| m.color.map(|c| (255.0 * c) as u8)).collect();
    assert_eq!(colors.into_iter().collect::<Vec<_>>(), [[0, 255, 0], [255, 0, 0], [255, 255, 0], [255; 3]]);
    let none = serosa_io::modes::inventor(&self::loaded().baked.model);
    assert!(none.unwrap_err().contains("no flexible body"));
}

#[test]
fn bytes_that_no_array_holds_are_refused() {
    let mut bytes = written();
    let end = bytes.len() - 8;
    bytes.splice(end..end, [0; 64]);
    let whole = bytes.len() as u64;
    bytes[36..44].copy_from_slice(&whole.to_le_bytes());
    let error = BakeFile::read(&sealed(bytes)).unwrap_err().to_string();
    assert!(error.contains("arrays have other lengths"), "{error}");
}

#[test]
fn organs_of_points_that_are_not_there_are_refused() {
    use serosa_geometry::{Mesh, Vec3};
    let sound = Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]);
    let mut set = sound.clone();
    set.sets.insert("hilum".into(), vec![3]);
    let mut face = sound.clone();
    face.triangles[0][2] = 3;
    let mut point = sound.clone();
    point.points[0].x = f64::NAN;
    let read = |mesh: Mesh| {
        let mut loaded = loaded();
        loaded.organs = vec![mesh];
        BakeFile::read(&baked::write(SCENE, &loaded).unwrap())
    };
    assert!(read(sound).is_ok());
    for mesh in [set, face, point] {
        assert!(read(mesh).unwrap_err().to_string().contains("surface of an organ"));
    }
}
