//! Scene files: what is read, and how mistakes are told.

use serosa_io::scene::{Loaded, Problem, load, load_script, reference};
use serosa_sim::params::{Detector, Tracker};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn no_files(path: &str) -> Result<Vec<u8>, String> {
    Err(format!("no file {path} in this test"))
}

fn read(text: &str) -> Result<Loaded, Vec<Problem>> {
    load(text, &no_files)
}

fn mistakes(text: &str) -> Vec<(usize, usize, String)> {
    let problems = read(text).expect_err("should be refused");
    problems.iter().map(|p| (p.line_column(text).0, p.line_column(text).1, p.message.clone())).collect()
}

/// One organ and one tool in fifteen lines.
const SMALL: &str = r#"serosa = 1
title = "A membrane and a probe"

[[body]]
name = "membrane"
shape.membrane = { corner = [0, 0, 0], along = ["20 cm", 0, 0], across = [0, "20 cm", 0], columns = 9, rows = 9, radius = "1 mm" }
model.springs = { mass = "50 g", stiffness = "300 N/m" }
attach = [{ name = "border" }]

[[tool]]
name = "probe"
shape.capsule = { length = "20 cm", radius = "5 mm" }
tip = ["10 cm", "10 cm", "3 cm"]
"#;

#[test]
fn one_organ_and_one_tool_take_fifteen_lines() {
    assert!(SMALL.lines().count() <= 15);
    let loaded = read(SMALL).unwrap();
    let model = &loaded.baked.model;
    assert_eq!((model.rest.len(), model.tools.len(), model.bodies.len()), (81, 1, 2));
    assert!((model.mass.iter().sum::<f64>() - 0.05).abs() < 1e-12);
    assert_eq!(model.inv_mass.iter().filter(|w| **w == 0.0).count(), 32);
    assert_eq!(loaded.baked.params.dt_s, 1e-3);
    let coupling = &loaded.baked.params.couplings[0];
    assert_eq!(coupling.stiffness, 400.0);
    assert!(
        (coupling.damping_of(0.04) - 2.0 * (400.0f64 * 0.04).sqrt()).abs() < 1e-12,
        "critical by default"
    );
}

#[test]
fn the_tracker_is_chosen_and_set() {
    let world =
        "[world]\ndetector = \"tracker\"\ntracker = { random_pairs = 200, reach = 2, seed = 9 }\n\n[[body]]";
    let params = read(&SMALL.replacen("[[body]]", world, 1)).unwrap().baked.params;
    assert_eq!(params.detector, Detector::Tracker);
    assert_eq!(params.tracker, Tracker { random_pairs: 200, reach: 2.0, seed: 9 });
    assert_eq!(read(SMALL).unwrap().baked.params.tracker, Tracker::default());
}

#[test]
fn a_budget_is_a_time_that_a_step_can_take() {
    let with =
        |budget: &str| SMALL.replacen("[[body]]", &format!("[world]\nbudget = {budget}\n\n[[body]]"), 1);
    let loaded = read(&with("\"0.8 ms\"")).unwrap();
    assert_eq!((loaded.raw.world.budget_s, read(SMALL).unwrap().raw.world.budget_s), (Some(0.8e-3), None));
    assert!(loaded.baked.notes.is_empty(), "{:?}", loaded.baked.notes);
    let late = read(&with("\"16 ms\"")).unwrap().baked.notes;
    assert!(late.len() == 1 && late[0].contains("does not keep up with the clock"), "{late:?}");
    for bad in
        ["0", "\"0 ms\"", "\"-3 ms\"", "nan", "inf", "\"365 d\"", "31536000", "\"5 mm\"", "\"soon\"", "true"]
    {
        let told = mistakes(&with(bad));
        assert!(told.len() == 1 && (told[0].0, told[0].1) == (5, 10), "{bad}: {told:?}");
    }
}

#[test]
fn every_mistake_is_told_with_its_place() {
    let text = r#"serosa = 1
title = "Mistakes"
[world]
stepp = "1 ms"
detector = "gird"
[[body]]
name = "rope"
shape.chain = { from = [0, 0, 0], to = ["3 kg", 0, 0], nodes = 1, radius = "5 mm" }
model.springs = { mass = nan, stiffness = "2 kN/m" }
[[body]]
name = "skin"
shape.net = { corner = [0, 0, 0], along = [1, 0, 0], across = [0, 1, 0], columns = 5, rows = 5, radius = "1 mm" }
model.springs = { mass = 1, stiffness = "2 kN/m" }
attach = [{ name = "boarder" }]
[[probe]]
name = "a"
length = "ropee"
[[probe]]
name = "b"
length = "rope"
"#;
    let expected = [
        (4, 1, "`stepp` is not a key of world"),
        (5, 12, "\"gird\" is not known as detector"),
        (8, 41, "\"3 kg\" is a mass, but a length is wanted here"),
        (8, 64, "`nodes` must be from 2 to 1000000"),
        (9, 26, "nan is not a finite number"),
        (14, 20, "this body has no set called \"boarder\""),
        (17, 10, "there is no body or tool called \"ropee\""),
    ];
    let found = mistakes(text);
    let found: Vec<(usize, usize, &str)> = found.iter().map(|(l, c, m)| (*l, *c, m.as_str())).collect();
    assert_eq!(found, expected, "a probe of a broken body is not blamed again");
}

fn with(change: (&str, &str)) -> Vec<(usize, usize, String)> {
    assert!(SMALL.contains(change.0), "{}", change.0);
    mistakes(&SMALL.replace(change.0, change.1))
}

#[test]
fn single_mistakes_have_their_message() {
    let cases = [
        (("serosa = 1", "serosa = 2"), "this scene is written for format 2, this program reads 1"),
        (("serosa = 1", ""), "scene needs the key `serosa`"),
        (("\"50 g\"", "-1"), "`mass` cannot be -1 kg"),
        (("\"50 g\"", "\"50 gramms\""), "the unit \"gramms\" is not known"),
        (("\"50 g\"", "[1]"), "`mass` is a mass, not a list"),
        (("\"50 g\"", "inf"), "inf is not a finite number"),
        (("columns = 9", "columns = 9.5"), "`columns` is a whole number, not a number"),
        (("columns = 9", "columns = 99999999999999999999"), "`columns` must be from 2 to 5000"),
        (("name = \"probe\"", "name = \"membrane\""), "the name \"membrane\" is used twice"),
        (("name = \"probe\"", "name = \"my probe\""), "`name` is not a name that can be used"),
        (("[\"10 cm\", \"10 cm\", \"3 cm\"]", "[0, 0]"), "`tip` has 2 numbers, not three"),
        (
            ("name = \"border\"", "name = \"border\", box = { min = [0,0,0], max = [1,1,1] }"),
            "`name` stands beside `box`",
        ),
        (("name = \"border\"", "box = { min = [5,5,5], max = [6,6,6] }"), "this attachment holds no vertex"),
        (("attach =", "friction = 1000\nattach ="), "`friction` cannot be 1000"),
        (("[[tool]]", "[world]\noverlaps = \"shrug\"\n[[tool]]"), "\"shrug\" is not known as overlaps"),
        (("[[tool]]", "[world]\nstep = \"1 min\"\n[[tool]]"), "`step` cannot be 1 min"),
        (("[[tool]]", "[world]\nfilter = \"maybe\"\n[[tool]]"), "\"maybe\" is not known as filter"),
        (("across = [0, \"20 cm\", 0]", "across = [1, 0, 0]"), "`along` and `across` do not span a sheet"),
        (("model.springs", "model.fixed = {}\nmodel.springs"), "`springs` stands beside `fixed`"),
        (("shape.capsule", "shape.cylinder"), "`cylinder` is not a key of tool.shape"),
    ];
    for (change, message) in cases {
        let found = with(change);
        assert_eq!(found.len(), 1, "{change:?}: {found:?}");
        assert_eq!(found[0].2, message, "{change:?}");
    }
}

#[test]
fn probes_of_solids_are_checked() {
    let probe = |body: &str| format!("{SMALL}\n[[probe]]\nname = \"p\"\n{body}\n");
    let found = mistakes(&probe("position = { body = \"probe\", at = \"handle\" }"));
    assert!(found[0].2.contains("is a solid and has no part called \"handle\""), "{found:?}");
    let found = mistakes(&probe("length = \"probe\""));
    assert!(found[0].2.contains("has no edges to measure"), "{found:?}");
}

/// Small files that ask for large things: refused before anything is made, and in good time.
#[test]
fn hostile_sizes_are_refused_quickly() {
    let chain = |i: usize| {
        format!(
            "[[body]]\nname = \"c{i}\"\nmodel.springs = {{ mass = 1, stiffness = 1 }}\n\
             shape.chain = {{ from = [0,0,0], to = [1,0,0], nodes = 1000000, radius = \"1 mm\" }}\n"
        )
    };
    let many: String = (0..500).map(chain).collect();
    let start = std::time::Instant::now();
    let found = mistakes(&format!("serosa = 1\ntitle = \"many\"\n{many}"));
    assert!(
        found.len() <= 3 && found.iter().any(|f| f.2.contains("more than 2000000 vertices")),
        "{}",
        found.len()
    );
    let long = SMALL.replace("\"50 g\"", &format!("\"{}\"", "-".repeat(1_000_000)));
    assert!(mistakes(&long)[0].2.contains("too long for a quantity"));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn mesh_files_come_through_the_reader_and_are_kept() {
    let text = r#"serosa = 1
title = "Mesh"
[[body]]
name = "patch"
shape.mesh = { file = "patch.obj", unit = "1 mm", radius = "0.1 mm" }
model.springs = { mass = 0.1, stiffness = 10 }
"#;
    let obj = b"v 0 0 0\nv 10 0 0\nv 10 10 0\nv 0 10 0\nf 1 2 3 4\n";
    let loaded =
        load(text, &|path| if path == "patch.obj" { Ok(obj.to_vec()) } else { no_files(path) }).unwrap();
    assert_eq!(loaded.baked.model.rest[2].to_array(), [0.01, 0.01, 0.0]);
    assert_eq!(loaded.files.len(), 1);
    assert!(mistakes(text)[0].2.contains("no file patch.obj"));
    let broken = load(text, &|_| Ok(b"v 1 2\nf 1 2 9".to_vec())).expect_err("broken");
    assert!(broken[0].message.contains("line 1: vertex 1 needs three finite numbers"), "{broken:?}");
}

#[test]
fn meshes_come_in_any_format_and_with_the_files_they_name() {
    let text = |file: &str| {
        format!(
            "serosa = 1\ntitle = \"Mesh\"\n[[body]]\nname = \"patch\"\nmodel.springs = {{ mass = 0.1, stiffness = 10 }}\n\
             shape.mesh = {{ file = \"{file}\", unit = \"1 mm\", radius = \"0.1 mm\" }}\n"
        )
    };
    let gltf = |buffer: &str| {
        format!(
            r#"{{"asset": {{}}, "buffers": [{{"byteLength": 36, "uri": "{buffer}"}}], "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}]}}"#
        )
    };
    let corners: Vec<u8> =
        [0f32, 0., 0., 10., 0., 0., 0., 10., 0.].iter().flat_map(|v| v.to_le_bytes()).collect();
    let files = |path: &str| match path {
        "parts/a.gltf" => Ok(gltf("b%20c.bin").into_bytes()),
        "parts/out.gltf" => Ok(gltf("../../secret.bin").into_bytes()),
        "parts/b c.bin" => Ok(corners.clone()),
        "misnamed.obj" => Ok(b"OFF 3 1 0\n0 0 0\n10 0 0\n0 10 0\n3 0 1 2\n".to_vec()),
        "dots.obj" => Ok(b"v 0 0 0\nv 1 0 0\n".to_vec()),
        "tets.ply" => {
            Ok(b"ply\nformat ascii 1.0\nelement vertex 4\nproperty int x\nproperty int y\nproperty int z\n\
                           element 3d_element 1\nproperty list int int vertex_indices\nend_header\n\
                           0 0 0\n1 0 0\n0 1 0\n0 0 1\n4 0 1 2 3\n"
                .to_vec())
        }
        "secret.bin" | "parts/../../secret.bin" => panic!("a file outside of the mesh's folder was read"),
        _ => Ok(b"neither fish nor fowl".to_vec()),
    };
    let loaded = load(&text("parts/a.gltf"), &files).unwrap();
    assert_eq!(loaded.baked.model.rest[1].to_array(), [0.01, 0.0, 0.0]);
    let paths: Vec<&str> = loaded.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["parts/a.gltf", "parts/b c.bin"], "a recording holds both");
    assert_eq!(load(&text("misnamed.obj"), &files).unwrap().baked.model.rest[2].to_array(), [0.0, 0.01, 0.0]);
    let cases = [
        ("parts/out.gltf", "it is not in the folder of the mesh file", "beside this one"),
        ("dots.obj", "\"dots.obj\" as Wavefront OBJ holds no faces or lines", "export the surface"),
        ("tets.ply", "holds 1 tetrahedra, but no faces or lines", "export the surface"),
        ("a.xyz", "\"a.xyz\" is of no known mesh format", ".stl"),
        ("a.ply", "line 1: the file does not begin with the line `ply`", "name it by its format"),
    ];
    for (file, message, help) in cases {
        let problems = load(&text(file), &files).expect_err(file);
        assert!(
            problems[0].message.contains(message) && problems[0].help.contains(help),
            "{file}: {problems:?}"
        );
    }
}

#[test]
fn tunables_have_units_and_ranges() {
    let tune = |body: &str| format!("{SMALL}\n[[tune]]\n{body}\n");
    let good = read(&tune("target = \"membrane.stiffness\"\nmin = \"100 N/m\"\nmax = \"1 kN/m\"")).unwrap();
    let tunable = &good.baked.params.tunables[0];
    assert_eq!((tunable.min, tunable.max, tunable.start), (100.0, 1000.0, 300.0));
    assert_eq!(tunable.unit, ("kN/m".to_owned(), 1000.0));
    let bad = [
        ("target = \"membrane.colour\"\nmin = 0\nmax = 1", "\"membrane.colour\" cannot be tuned"),
        ("target = \"liver.stiffness\"\nmin = 0\nmax = 1", "there is no body or tool called \"liver\""),
        (
            "target = \"gravity\"\nmin = 0\nmax = \"3 kg\"",
            "\"3 kg\" is a mass, but an acceleration is wanted here",
        ),
        (
            "target = \"probe.coupling\"\nmin = 1\nmax = 2",
            "does not hold the value the scene starts with, 400",
        ),
        ("target = \"membrane.friction\"\nmin = 0\nmax = 1e300", "`max` cannot be 1"),
        ("target = \"membrane.friction\"\nmin = 3\nmax = 2", "`max` is not above `min`"),
    ];
    for (text, message) in bad {
        let found = mistakes(&tune(text));
        assert!(found.len() == 1 && found[0].2.contains(message), "{text}: {found:?}");
    }
}

#[test]
fn scripts_are_read_by_the_same_rules() {
    let text = "[[move]]\ntool = \"probe\"\ntime = \"1 s\"\ntip = [0, 0, \"1 cm\"]\n\
                [[move]]\ntool = \"probe\"\ntime = 2\ntip = [0, 0, 0]\ndirection = [1, 0, 0]\n";
    let moves = load_script(text, &["other", "probe"]).unwrap();
    assert_eq!((moves[0].len(), moves[1].len(), moves[1][0].tip.z), (0, 2, 0.01));
    let late = text.replace("time = 2", "time = 0.5");
    assert!(load_script(&late, &["probe"]).expect_err("order")[0].message.contains("after one at 1 s"));
    assert!(load_script(text, &["hook"]).expect_err("tool")[0].message.contains("no tool called \"probe\""));
}

#[test]
fn the_scenes_of_the_project_are_sound() {
    let folder = root().join("scenes");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let loaded = read(&text).unwrap_or_else(|p| panic!("{}: {p:?}", path.display()));
        assert!(!loaded.raw.about.is_empty() && loaded.raw.camera.is_some(), "{}", path.display());
        count += 1;
    }
    assert!(count >= 4);
}

/// Reference page and schema are made from the table of keys; `cargo xtask bless` rewrites them.
#[test]
fn the_reference_and_the_schema_are_fresh() {
    let schema = serde_json::to_string_pretty(&reference::schema()).unwrap() + "\n";
    for (file, fresh) in [("scene.md", reference::markdown()), ("scene.schema.json", schema)] {
        let path = root().join("docs/reference").join(file);
        if std::env::var_os("SEROSA_BLESS").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == fresh, "docs/reference/{file} is stale: run `cargo xtask bless`");
    }
}

#[test]
fn the_schema_knows_every_key_of_a_scene() {
    let schema = reference::schema();
    let tool = &schema["$defs"]["tool"];
    assert_eq!(tool["properties"]["mass"]["default"], "40 g");
    assert_eq!(tool["required"], serde_json::json!(["name", "shape", "tip"]));
    assert_eq!(schema["properties"]["world"]["$ref"], "#/$defs/world");
    assert_eq!(schema["$defs"]["world"]["properties"]["detector"]["enum"][0], "grid");
    assert_eq!(schema["$defs"]["shape"]["oneOf"].as_array().unwrap().len(), 22);
}

const GUT: &str = r#"serosa = 1
title = "An intestine"
[world]
response = "augmented-lagrangian"
filter = "on"
[[body]]
name = "gut"
shape.intestine = { at = [0, 0, "20 cm"], direction = [0, 1, 0] }
model.band = { mass = "300 g", tube_mass = "1.2 kg" }
[[tool]]
name = "probe"
shape.capsule = { length = "20 cm", radius = "5 mm" }
tip = [0, 0, "60 cm"]
[[probe]]
name = "covered"
cover = { body = "gut", box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] } }
[[tune]]
target = "gut.tube_bending"
min = 0
max = "20 mN m2"
[[tune]]
target = "gut.bending"
min = 0
max = "1 mN m"
"#;

/// Strain limits are the same keys of springs, tissue and solids.
#[test]
fn strain_limits_reach_every_model_that_has_them() {
    let scene = |response: &str| {
        format!(
            r#"
serosa = 1
title = "limits"
[world]
response = "{response}"
[[body]]
name = "skin"
shape.ball = {{ center = [0.3, 0, 0], size = "8 cm", vertices = 60 }}
model.tissue = {{ mass = "50 g", stretch_max = "10 %", stretch_min = "-5 %" }}
[[body]]
name = "block"
shape.block = {{ corner = [1, 0, 0], size = [0.1, 0.1, 0.1], cell = "5 cm" }}
model.solid = {{ young = "20 kPa", stretch_max = "20 %" }}
"#
        )
    };
    match read(&scene("qp")) {
        Ok(loaded) => {
            let limits: Vec<_> =
                loaded.baked.params.bodies.iter().map(|b| [b.stretch_min, b.stretch_max]).collect();
            assert_eq!(limits, [[-0.05, 0.1], [-1.0, 0.2]]);
        }
        Err(problems) => panic!("{problems:?}"),
    }
    let problems = read(&scene("augmented-lagrangian")).unwrap_err();
    assert!(problems.iter().any(|p| p.message.contains("strain limits")), "{problems:?}");
}

#[test]
fn an_intestine_has_its_defaults() {
    let loaded = read(GUT).unwrap();
    let (model, params) = (&loaded.baked.model, &loaded.baked.params);
    assert_eq!(model.rest.len(), 400);
    let gut = &params.bodies[0];
    assert_eq!((gut.tube_stretch, gut.stiffness, gut.relaxation), (800.0, 200.0, 0.01));
    assert!((gut.tube_bending - 2.6e-3).abs() < 1e-15 && (gut.bending - 1e-4).abs() < 1e-15);
    assert_eq!(params.filter, serosa_sim::params::Filter::Planes);
    assert_eq!((model.growths[0].to, model.growths[0].duration_s), (0.02, 2.0));
    assert!(!model.bodies[0].membrane_contact);
    let length: f64 = model.prims[..99].iter().map(|p| p.radius).sum::<f64>() / 99.0;
    assert!((length - 0.0115).abs() < 1e-4, "{length}");
    assert_eq!(params.tunables[0].unit, ("mN m2".to_owned(), 1e-3));
    assert_eq!(model.probes[0].unit(), "of 1");
}

#[test]
fn mistakes_of_an_intestine_have_their_message() {
    let cases = [
        (("direction = [0, 1, 0]", "direction = [0, 1, 0], columns = 2"), "`columns` must be from 3 to 2000"),
        (("direction = [0, 1, 0]", "columns = 12"), "12 columns are too few for 4 m on this cylinder"),
        (("direction = [0, 1, 0]", "length = \"9 cm\""), "0.09 m of intestine is not longer than its axis"),
        (("direction = [0, 1, 0]", "start_radius = \"15 mm\""), "a tube of radius 15.00 mm does not fit"),
        (("direction = [0, 1, 0]", "start_radius = \"3 cm\""), "the tube starts with a radius of 30.00 mm"),
        (("tube_mass = \"1.2 kg\"", "stiffness = \"-1 N/m\""), "`stiffness` cannot be -1"),
        ((", tube_mass = \"1.2 kg\"", ""), "the tube of an intestine needs a mass of its own"),
        (("\"60 cm\"", "\"21 cm\""), "\"gut\" and \"probe\" overlap by"),
        (("max = [0.1, 0.1, 0.1]", "max = [0.1, 0.1, -0.1]"), "the box of `cover` has no volume"),
        (("body = \"gut\", box", "body = \"probe\", box"), "\"probe\" is a solid and hides nothing"),
        (("\"1 mN m\"", "\"1 N/m\""), "\"1 N/m\" is a stiffness, but a bending stiffness of a sheet"),
        (("gut.tube_bending", "probe.tube_bending"), "\"probe\" has no tube_bending"),
        (
            (
                "model.band = { mass = \"300 g\", tube_mass",
                "model.springs = { mass = 1, stiffness = 1, tube_mass",
            ),
            "`tube_mass` stands without `tube_stiffness`",
        ),
    ];
    for ((from, to), expected) in cases {
        assert!(GUT.contains(from), "{from}");
        let found = mistakes(&GUT.replace(from, to));
        assert!(found.iter().any(|m| m.2.starts_with(expected)), "{to}: {found:?}");
    }
}

/// Two tetrahedra written out: the first stands on three nodes that a control element moves, the second hangs on it.
const ELEMENTS: &str = r#"serosa = 1
title = "Two tetrahedra"

[[body]]
name = "pair"
model.flexible = { young = "1 MPa", poisson = 0.3, control = [{ name = "foot", set = "control-a" }] }

[body.shape.elements]
nodes = [[0, 0, 0], ["1 cm", 0, 0], [0, "1 cm", 0], [0, 0, "1 cm"], ["1 cm", "1 cm", "1 cm"]]
tets = [[0, 1, 2, 3], [1, 2, 3, 4]]
materials = [["1000 kg/m3", "100 kPa", 0.3], ["7850 kg/m3", "200 GPa", 0.28]]
strips = [[0, 1, 3, 4, 2], [4, 1, 2, 0]]
flags = "aaa . ."
"#;

#[test]
fn tetrahedra_written_out_are_those_of_a_file() {
    use serosa_bake::raw::{RawGeometry, RawTets};
    let tets = |loaded: Loaded| match &loaded.raw.bodies[0].geometry {
        RawGeometry::Tets(tets) => tets.clone(),
        other => panic!("{other:?}"),
    };
    let written: RawTets = tets(read(ELEMENTS).unwrap_or_else(|problems| panic!("{problems:?}")));
    assert_eq!(written.tets.len(), 2);
    assert_eq!(written.materials, [[1000.0, 1e5, 0.3], [7850.0, 2e11, 0.28]]);
    assert_eq!(written.mesh.sets["control-a"], [0, 1, 2]);
    assert_eq!(written.mesh.triangles.len(), 5, "the strips leave one of six outer faces out");
    let file = "5 2 2\n0 0 0  0.01 0 0  0 0.01 0  0 0 0.01  0.01 0.01 0.01\n0 1 2 3  1 2 3 4\n\
                1000 1e5 0.3  7850 2e11 0.28\n5 4\n0 1 3 4 2  4 1 2 0\naaa..\n";
    let at = ELEMENTS.find("[body.shape.elements]").unwrap();
    let from_file = format!("{}shape.tets = {{ file = \"pair.flex\" }}\n", &ELEMENTS[..at]);
    let read_file = |_: &str| Ok(file.as_bytes().to_vec());
    let filed = tets(load(&from_file, &read_file).unwrap_or_else(|problems| panic!("{problems:?}")));
    assert_eq!(
        (&filed.mesh, &filed.tets, &filed.materials),
        (&written.mesh, &written.tets, &written.materials)
    );
}

#[test]
fn flexible_bodies_touch_themselves_only_where_that_is_written() {
    let touches =
        |text: &str| read(text).unwrap_or_else(|problems| panic!("{problems:?}")).raw.bodies[0].self_contact;
    assert!(!touches(ELEMENTS));
    assert!(touches(&ELEMENTS.replace("name = \"pair\"", "name = \"pair\"\nself_contact = true")));
    let rope = "serosa = 1\ntitle = \"r\"\n[[body]]\nname = \"rope\"\nshape.chain = { from = [0, 0, 0], to = [\"1 m\", 0, 0], nodes = 9, radius = \"1 mm\" }\nmodel.springs = { mass = 1, stiffness = 50 }\n";
    assert!(touches(rope));
}

#[test]
fn mistakes_in_tetrahedra_written_out_have_their_message() {
    let cases = [
        (("[1, 2, 3, 4]]", "[1, 2, 3, 5]]"), 10, "there is no node 5: they go from 0 to 4"),
        (("[1, 2, 3, 4]]", "[1, 2, 3, -4]]"), 10, "`tets` counts things"),
        (("[1, 2, 3, 4]]", "[1, 2, 3]]"), 10, "a row of `tets` has 3 numbers, not 4"),
        (("[1, 2, 3, 4]]", "7]"), 10, "each row of `tets` is a list, not a whole number"),
        (("[[0, 0, 0], [\"1", "[[0, nan, 0], [\"1"), 9, "nan is not a finite number"),
        (("[[0, 0, 0], [\"1", "[[0, \"3 kPa\", 0], [\"1"), 9, "kPa"),
        (("[[0, 0, 0], [\"1", "[[0, 0], [\"1"), 9, "a row of `nodes` has 2 numbers, not 3"),
        ((", [\"7850 kg/m3\", \"200 GPa\", 0.28]", ""), 11, "there are 1 materials for 2 tetrahedra"),
        (("0.28]", "0.6]"), 5, "Poisson's ratio"),
        (("0.28]", "7]"), 11, "`materials` cannot be 7"),
        (("aaa . .", "aaa . . ."), 13, "there are 6 flags for 5 nodes"),
        (("aaa . .", ". . . . ."), 5, "the control element \"foot\" holds no node"),
        (("aaa . .", "a . . . ."), 5, "hang on nothing"),
        (("[4, 1, 2, 0]", "[4, 1, 2, 3]"), 12, "in a strip and no outer face"),
        (("[4, 1, 2, 0]", "[4, 1, 9]"), 12, "there is no node 9"),
        (("[[0, 1, 2, 3], [1, 2, 3, 4]]", "[]"), 11, "there are 2 materials for 0 tetrahedra"),
        (("[0, 1, 2, 3], [1, 2, 3, 4]", "[0, 1, 2, 3], [0, 1, 2, 3]"), 9, "node 4 belongs to no tetrahedron"),
        (("[1, 2, 3, 4]]", "[1, 2, 4, 4]]"), 10, "a tetrahedron has the node 4 twice"),
    ];
    for ((from, to), line, says) in cases {
        assert!(ELEMENTS.contains(from), "{from}");
        let told = mistakes(&ELEMENTS.replace(from, to));
        assert!(told.iter().any(|m| m.0 == line && m.2.contains(says)), "{to}: {told:?}, not {says}");
    }
}
