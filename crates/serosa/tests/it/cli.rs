//! The command line as scripts use it.

use crate::tell::{program, tell, told};
use serosa::scenes::BUILT_IN;

#[test]
fn run_prints_one_object_with_every_promised_field() {
    let told = tell(&["run", "membrane-poke", "--steps", "300", "--threads", "2", "--audit=10", "--json"]);
    assert_eq!(told.code, 0, "{told:?}");
    let json = told.json();
    let fields = [
        "scene",
        "steps",
        "dt_s",
        "threads",
        "vertices",
        "elements",
        "ms",
        "cpu_ms",
        "stage_ms",
        "contacts",
        "deepest_penetration_m",
        "missed_contacts",
        "truncated",
        "quarantined",
        "energy_j",
        "hash",
        "probes",
    ];
    for field in fields {
        assert!(json.get(field).is_some(), "{field} in {json}");
    }
    for part in ["mean", "p50", "p99", "max"] {
        assert!(json["ms"][part].as_f64().unwrap() > 0.0);
    }
    assert_eq!((json["steps"].as_u64(), json["missed_contacts"].as_u64()), (Some(300), Some(0)));
    assert_eq!(json["hash"].as_str().unwrap().len(), 16);
    assert_eq!(json["probes"]["tip"].as_array().unwrap().len(), 3);
    assert!(json["stage_ms"]["detect"].as_f64().unwrap() > 0.0);
    let last = tell(&["run", "membrane-poke", "--steps", "5", "--audit=100", "--json"]).json();
    assert_eq!((last["audited_steps"].as_u64(), last["missed_contacts"].as_u64()), (Some(1), Some(0)));
    let plain = tell(&["run", "membrane-poke", "--steps", "5", "--json"]).json();
    assert!(plain["missed_contacts"].is_null() && plain["deepest_penetration_m"].is_null());
}

#[test]
fn equal_hashes_for_any_number_of_threads() {
    let hash = |threads: &str| {
        tell(&["run", "coil", "--steps", "500", "--threads", threads, "--json"]).json()["hash"].clone()
    };
    assert_eq!(hash("1"), hash("2"));
    assert_eq!(hash("1"), hash("8"));
}

#[test]
fn random_motion_follows_its_seed() {
    let hash = |seed: &str, input: &str| {
        let args = ["run", "membrane-poke", "--steps", "400", "--seed", seed, "--input", input, "--json"];
        tell(&args).json()["hash"].clone()
    };
    assert_eq!(hash("1", "random"), hash("1", "random:0.5"));
    assert_ne!(hash("1", "random"), hash("2", "random"));
    assert_ne!(hash("1", "random"), hash("1", "random:1.5"));
}

#[test]
fn a_script_leads_the_tool() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("press.toml");
    let script = "[[move]]\ntool = \"probe\"\ntime = 0.4\ntip = [0.03, 0.02, 0.05]\n";
    std::fs::write(&path, script).unwrap();
    let path = path.to_str().unwrap();
    let json = tell(&["run", "membrane-poke", "--steps", "600", "--input", path, "--json"]).json();
    let tip: Vec<f64> =
        json["probes"]["tip"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    for (is, should) in tip.iter().zip([0.03, 0.02, 0.05]) {
        assert!((is - should).abs() < 1e-4, "{tip:?}");
    }
    std::fs::write(path, script.replace("probe", "prob")).unwrap();
    let bad = tell(&["run", "membrane-poke", "--input", path]);
    assert_eq!(bad.code, 2);
    assert!(bad.err.contains("no tool called \"prob\"") && bad.err.contains(":2:8"), "{}", bad.err);
}

#[test]
fn bad_words_are_answered_with_2_and_what_to_do() {
    let cases: &[(&[&str], &str)] = &[
        (&["run", "nosuch"], "built-in scenes: liver-press"),
        (&["run"], "Usage"),
        (&["rnu", "coil"], "unrecognized subcommand 'rnu'"),
        (&["run", "coil", "--steps", "many"], "invalid value"),
        (&["run", "coil", "--threads", "0"], "1..=256"),
        (&["run", "coil", "--audit=0"], "from 1 up"),
        (&["run", "coil", "--input", "random"], "no tool that --input could lead"),
        (&["run", "membrane-poke", "--input", "random:fast"], "random:0.5"),
        (&["run", "membrane-poke", "--input", "random:-1"], "random:0.5"),
        (&["run", "membrane-poke", "--input", "no-such-file"], "cannot be used"),
        (&["run", "coil", "--steps", "1", "--record", "no/such/folder/a.mcap"], "--record"),
        (&["replay", "no-such-file"], "cannot be replayed"),
        (&["scenes", "nosuch"], "there are: liver-press"),
        (&["bench", "nosuch"], "there are: chain"),
        (&["bench", "chain", "--svg", "figures"], "leave --svg out"),
        (&["bench", "intestine", "--largest", "50", "--svg", "figures"], "leave --largest out"),
        (&["bench", "chain", "--quick"], "leave --quick and --only out"),
        (&["bench", "truth", "--only", "nosuch"], "no case has such a name"),
        (&["check", "."], "cannot be read"),
        (&["run", "Cargo.toml"], "mistakes in Cargo.toml"),
    ];
    for (args, wanted) in cases {
        let told = tell(args);
        assert_eq!(told.code, 2, "{args:?}: {told:?}");
        assert!(told.err.contains(wanted), "{args:?}: {}", told.err);
    }
}

#[test]
fn scenes_are_listed_and_printed() {
    let list = tell(&["scenes"]);
    assert_eq!(list.code, 0);
    for scene in BUILT_IN {
        assert!(list.out.contains(scene.name));
        let printed = tell(&["scenes", scene.name]);
        assert_eq!(printed.out.trim(), scene.text.trim());
        assert_eq!(tell(&["check", scene.name]).code, 0);
    }
}

#[test]
fn check_tells_what_lies_inside_another_at_the_start() {
    let scene = r#"serosa = 1
title = "Swallowed"
[world]
response = "projection"
[[body]]
name = "stone"
shape.ball = { center = [0, 0, "1 cm"], size = "2 cm", vertices = 60 }
model.tissue = { mass = "10 g", stiffness = "100 N/m", restoration = "20 1/s" }
[[body]]
name = "bladder"
shape.ball = { center = [0, 0, 0], size = "8 cm", vertices = 200 }
model.tissue = { mass = "100 g", stiffness = "100 N/m", restoration = "20 1/s" }
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("swallowed.toml");
    std::fs::write(&path, scene).unwrap();
    let told = tell(&["check", path.to_str().unwrap()]);
    let note = "note: \"stone\" lies inside \"bladder\" at the start";
    assert!(told.code == 0 && told.out.contains(note), "{}{}", told.out, told.err);
}

#[test]
fn check_tells_five_mistakes_of_five() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("five.toml");
    let text = "serosa = 1\ntitle = \"five\"\nabuot = \"\"\n[world]\nstep = \"1 min\"\nresponse = \"penalty\"\n\
                [[body]]\nname = \"rope\"\nshape.chain = { from = [0, 0, 0], to = [1, 0, 0], nodes = 1, radius = \"3 kg\" }\n\
                model.springs = { mass = 1, stiffness = 1 }\n";
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let told = tell(&["check", path]);
    assert_eq!(told.code, 2);
    assert!(told.err.contains("5 mistakes in"), "{}", told.err);
    let places = [(3, 1), (5, 8), (6, 12), (9, 59), (9, 71)];
    for (line, column) in places {
        assert!(told.err.contains(&format!("five.toml:{line}:{column}")), "{line}:{column} in {}", told.err);
    }
    let json = tell(&["check", path, "--json"]).json();
    assert_eq!(json["ok"], false);
    assert_eq!(json["problems"].as_array().unwrap().len(), 5);
}

#[test]
fn the_bench_finds_the_same_pairs() {
    let told = tell(&["bench", "chain", "--json", "--largest", "1000"]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines: Vec<serde_json::Value> = told.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    for line in lines {
        assert_eq!((line["bench"].as_str(), line["same_pairs"].as_bool()), (Some("chain"), Some(true)));
        // One contact a link with the plane, and one or two with the next turn.
        let (pairs, links) = (line["pairs"].as_u64().unwrap(), line["n"].as_u64().unwrap());
        assert!(pairs > 2 * links, "{pairs} contacts of {links} links");
    }
}

#[test]
fn surfaces_are_written_and_read_in_every_format() {
    let told = tell(&["bench", "import", "--json", "--largest", "2000"]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines: Vec<serde_json::Value> = told.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for name in ["gltf", "ply", "off", "stl", "obj"] {
        let line = lines.iter().find(|l| l["method"] == name).expect(name);
        assert!(line["n"].as_u64() == Some(1922) && line["ms"].as_f64() > Some(0.0), "{line}");
    }
}

#[test]
fn programmes_are_solved_to_the_last_digits() {
    let told = tell(&["bench", "qp", "--json", "--largest", "50"]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines: Vec<serde_json::Value> = told.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for case in ["random", "local"] {
        for method in
            ["exact", "exact-step", "exact-warm", "exact-rounds", "faithful", "faithful-schur", "large"]
        {
            let line = lines.iter().find(|l| l["case"] == case && l["method"] == method).expect(method);
            assert!(line["n"] == 50 && line["unknowns"] == 501 && line["ms"].as_f64() > Some(0.0), "{line}");
            let most = if method.starts_with("exact") { 1e-9 } else { 1.0 };
            assert!(line["residual"].as_f64().unwrap() < most, "{line}");
        }
    }
}

/// A thousand contacts with friction of the scene `organ-pile`, at rest: the sweeps against the exact answer.
#[test]
fn the_pile_of_organs_is_solved_to_two_per_cent() {
    let told = tell(&["bench", "qp", "--json", "--largest", "3000"]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines: Vec<serde_json::Value> = told.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |rows: u64, method: &str| {
        let same = |l: &&serde_json::Value| l["case"] == "pile" && l["n"] == rows && l["method"] == method;
        lines.iter().find(same).unwrap().clone()
    };
    for rows in [600, 3000] {
        assert!(of(rows, "exact")["residual"].as_f64().unwrap() < 1e-9);
        // Of two ways to the last digits neither knows the other.
        let most =
            [("large", 0.02), ("large-warm", 0.02), ("large-factored", 1e-3), ("large-to-the-end", 1e-7)];
        for (method, most) in most {
            let line = of(rows, method);
            for error in ["error_velocity", "error_wrench"] {
                assert!(line[error].as_f64().unwrap() < most, "{line}");
            }
        }
    }
}

#[test]
fn the_published_table_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    let figures = folder.path().join("figures");
    let told =
        tell(&["bench", "intestine", "--json", "--largest", "100", "--svg", figures.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    let lines: Vec<serde_json::Value> = told.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let methods: Vec<_> =
        lines.iter().map(|l| (l["n"].as_u64().unwrap(), l["method"].as_str().unwrap())).collect();
    let of = |n| [(n, "stochastic"), (n, "complete"), (n, "all-pairs")];
    assert_eq!(methods, [of(50), of(100)].concat());
    let published = lines.iter().map(|l| l["published_ms"].as_f64());
    assert!(published.eq([Some(10.0), None, Some(30.0), Some(17.0), None, Some(120.0)]));
    for line in &lines {
        assert_eq!((line["case"].as_str(), line["threads"].as_u64()), (Some("settling"), Some(1)));
        let (recall, stochastic) = (line["recall"].as_f64().unwrap(), line["method"] == "stochastic");
        assert!(if stochastic { (0.99..=1.0).contains(&recall) } else { recall == 1.0 }, "{line}");
        assert_eq!(line["random_pairs"].is_u64(), stochastic);
        assert!(line["ms"].as_f64() > Some(0.0) && line["contacts"].as_f64() > Some(1.0));
        assert!(line["worst_delay_steps"].as_u64() > Some(0) || !stochastic);
    }
    for figure in ["intestine-1.svg", "intestine-2.svg"] {
        let svg = std::fs::read_to_string(figures.join(figure)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.matches("<circle").count() > 10);
    }
}

#[test]
fn the_program_itself_runs_and_helps() {
    let output = program().args(["run", "rope-drop", "--steps", "50", "--json"]).output().unwrap();
    let run = told(&output);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["steps"], 50);
    let help = told(&program().arg("--help").output().unwrap());
    assert!(help.code == 0 && help.out.contains("Exit codes: 0 fine, 1 a check failed, 2 bad input."));
    for command in ["run", "check", "replay", "scenes", "bench"] {
        assert!(help.out.contains(command));
        assert_eq!(told(&program().args([command, "--help"]).output().unwrap()).code, 0);
    }
    assert_eq!(told(&program().arg("frobnicate").output().unwrap()).code, 2);
}
