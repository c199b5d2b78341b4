//! Bad input through scene files: a clear error, the guard, or a right answer; told, and never a hang.

use crate::tell::{Told, tell};
use serde_json::Value;

/// Writes a scene and runs it, with an audit.
fn run(text: &str, steps: &str) -> Told {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    std::fs::write(&path, text).unwrap();
    tell(&["run", path.to_str().unwrap(), "--steps", steps, "--threads", "2", "--audit=10", "--json"])
}

fn scene(world: &str, rest: &str) -> String {
    format!(
        "serosa = 1\ntitle = \"bad\"\n[world]\n{world}\n[[body]]\nname = \"floor\"\nshape.plane = {{}}\nmodel.fixed = {{}}\n{rest}"
    )
}

fn ball(name: &str, height: f64, mass: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nshape.sphere = {{ center = [0, 0, {height}], radius = \"1 cm\" }}\n\
         model.rigid = {{ mass = \"{mass}\" }}\n[[probe]]\nname = \"{name}\"\nposition = {{ body = \"{name}\" }}\n"
    )
}

fn cube(name: &str, height: f64, density: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nshape.block = {{ corner = [\"-1 cm\", \"-1 cm\", {height}], \
         size = [\"2 cm\", \"2 cm\", \"2 cm\"], cell = \"1 cm\" }}\n\
         model.solid = {{ young = \"20 kPa\", density = \"{density}\" }}\n\
         [[probe]]\nname = \"{name}\"\nposition = {{ body = \"{name}\" }}\n"
    )
}

#[track_caller]
fn is_apart(json: &Value) {
    assert_eq!(json["missed_contacts"], 0, "{json}");
    assert!(json["deepest_penetration_m"].as_f64().unwrap() <= 1e-6, "{json}");
    for (name, place) in json["probes"].as_object().unwrap() {
        let height = place[2].as_f64();
        assert!(height.is_some_and(|z| z > -1e-6 && z < 1e3), "{name} in {json}");
    }
}

#[test]
fn bodies_that_begin_in_overlap_are_refused_by_name_and_place() {
    let told = run(&scene("", &(ball("one", 0.05, "10 g") + &ball("other", 0.06, "10 g"))), "10");
    assert_ne!(told.code, 0, "{told:?}");
    for word in ["one", "other", "overlap by 10.00 mm", "help"] {
        assert!(told.err.contains(word), "{word} in {told:?}");
    }
    let parted = run(
        &scene("overlaps = \"part\"", &(ball("one", 0.05, "10 g") + &ball("other", 0.06, "10 g"))),
        "300",
    );
    is_apart(&parted.json());
}

/// A nanogram under ten tons, and ten tons beside a nanogram, hard and soft.
#[test]
fn masses_of_a_nanogram_and_of_ten_tons_meet_and_stay_apart() {
    let pairs = [
        ball("light", 0.0102, "1e-9 kg") + &ball("heavy", 0.0305, "1e4 kg"),
        ball("heavy", 0.0102, "1e4 kg") + &ball("light", 0.0305, "1e-9 kg"),
        cube("soft", 0.001, "1000 kg/m3") + &ball("heavy", 0.032, "1e4 kg"),
        cube("soft", 0.001, "1000 kg/m3") + &ball("light", 0.032, "1e-9 kg"),
    ];
    // Ten tons crush a soft cube: these steps take long.
    for (pair, steps) in pairs.iter().zip(["400", "400", "60", "400"]) {
        is_apart(&run(&scene("", pair), steps).json());
    }
}

/// A hand told to go at a million metres a second is refused with the key; at the most that a file may say, and pushed as
/// strongly, it passes through nothing.
#[test]
fn a_tool_as_fast_as_may_be_passes_through_nothing() {
    let tool = |speed: &str| {
        format!(
            "[[tool]]\nname = \"probe\"\nshape.capsule = {{ length = \"10 cm\", radius = \"5 mm\" }}\n\
             tip = [0, 0, \"20 cm\"]\ncoupling = {{ stiffness = \"1e6 N/m\", speed = \"{speed}\" }}\n\
             [[tool.move]]\ntime = \"20 ms\"\ntip = [0, 0, \"-20 m\"]\n\
             [[tool.move]]\ntime = \"40 ms\"\ntip = [\"30 m\", 0, \"30 m\"]\n"
        )
    };
    let rest = cube("soft", 0.001, "1000 kg/m3") + &ball("stone", 0.032, "10 g");
    let refused = run(&scene("", &(rest.clone() + &tool("1e6 m/s"))), "200");
    assert_ne!(refused.code, 0, "{refused:?}");
    for word in ["speed = \"1e6 m/s\"", "100 m/s", "help"] {
        assert!(refused.err.contains(word), "{word} in {refused:?}");
    }
    is_apart(&run(&scene("", &(rest + &tool("100 m/s"))), "200").json());
}

/// Steps of a microsecond: what falls falls as it should, and what lies lies.
#[test]
fn steps_of_a_microsecond_give_the_same_fall() {
    let rest = ball("free", 0.5, "10 g") + &cube("lies", 0.001, "1000 kg/m3");
    let json = run(&scene("step = \"1 us\"", &rest), "2000").json();
    is_apart(&json);
    assert_eq!(json["quarantined"], 0, "{json}");
    let fallen = 0.5 - json["probes"]["free"][2].as_f64().unwrap();
    let exact = 0.5 * 9.81 * 0.002 * 0.002;
    assert!((fallen / exact - 1.0).abs() < 2e-3, "{fallen} for {exact}");
}

/// What falls without end runs away again and again: that is told with its name, why and how often, and nothing else suffers.
#[test]
fn what_falls_for_ever_is_told() {
    let world = "step = \"4 ms\"\ngravity = [0, 0, -1000]";
    let stone = "[[body]]\nname = \"stone\"\nshape.sphere = { center = [0, 0, 0], radius = \"1 cm\" }\n\
                 model.rigid = { mass = \"10 g\" }\n";
    let text = format!("serosa = 1\ntitle = \"bad\"\n[world]\n{world}\n{stone}");
    let json = run(&text, "500").json();
    let guard = &json["guard"][0];
    assert_eq!((&json["quarantined"], guard["body"].as_str()), (&Value::from(1), Some("stone")), "{json}");
    assert_eq!((guard["why"].as_str(), guard["times"].as_u64()), (Some("was too fast"), Some(5)), "{json}");
    assert_eq!(guard["held"], true);
    assert!(json["ledger"]["losses_j"]["guard"].as_f64().unwrap() > 0.0, "{json}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("falls.toml");
    std::fs::write(&path, &text).unwrap();
    let told = tell(&["run", path.to_str().unwrap(), "--steps", "500"]);
    let words = "WARNING: \"stone\" was too fast 5 times, first at ";
    assert!(told.err.contains(words) || told.out.contains(words), "{told:?}");
}
