//! Tools and probes as JSON, ten times a second, for programs that plot. A replay does not read them.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use serosa_sim::model::Tool;
use serosa_sim::probe::{Probe, read_all};
use serosa_sim::{Quat, Real, Vec3, World};

/// How often \[Hz\].
const RATE: Real = 10.0;
/// Schemas of all plotted messages, as <https://json-schema.org> has them.
pub const SCHEMA_ENCODING: &str = "jsonschema";

/// Whether a tick is the first in its tenth of a second.
pub fn is_due(tick: u64, dt_s: Real) -> bool {
    let tenth = |tick: u64| (tick as Real * dt_s * RATE + 1e-6).floor();
    tick == 0 || tenth(tick) > tenth(tick - 1)
}

/// Topic of a tool.
pub fn tool_topic(name: &str) -> String {
    format!("/tools/{name}")
}

/// Topic of all probes.
pub const PROBES_TOPIC: &str = "/probes";

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn number() -> Value {
    json!({"type": "number"})
}

fn xyz() -> Value {
    object(json!({"x": number(), "y": number(), "z": number()}))
}

/// Schema of the messages of a tool.
pub fn tool_schema() -> Value {
    object(json!({
        "t": {"type": "number", "description": "simulated time [s]"},
        "position_m": xyz(),
        "rotation": object(json!({"x": number(), "y": number(), "z": number(), "w": number()})),
        "force_n": {"type": "number", "description": "force of the hand on the tool [N]"},
    }))
}

/// Schema of the messages of all probes.
pub fn probes_schema(probes: &[Probe]) -> Value {
    let mut properties = serde_json::Map::new();
    properties.insert("t".into(), number());
    for probe in probes {
        let mut schema = if probe.width() == 3 { xyz() } else { number() };
        schema["description"] = json!(format!("[{}]", probe.unit()));
        properties.insert(key(&probe.name).into(), schema);
    }
    object(Value::Object(properties))
}

/// The key of a probe; the name of the time is taken.
fn key(name: &str) -> &str {
    if name == "t" { "t_" } else { name }
}

/// Decimals are cut to what a plot can show: digits beyond are noise that takes room.
fn decimals(v: Real, scale: Real) -> Real {
    (v * scale).round() / scale
}

/// Six significant digits, for quantities of unknown size.
fn significant(v: Real) -> Real {
    format!("{v:.5e}").parse().unwrap_or(v)
}

#[derive(serde::Serialize)]
struct Xyz {
    x: Real,
    y: Real,
    z: Real,
}

#[derive(serde::Serialize)]
struct Xyzw {
    x: Real,
    y: Real,
    z: Real,
    w: Real,
}

#[derive(serde::Serialize)]
struct ToolPlot {
    t: Real,
    position_m: Xyz,
    rotation: Xyzw,
    force_n: Real,
}

/// A tool in one moment: where its tip is, and the size of the force of the hand.
pub fn tool(world: &World, index: usize, tool: &Tool, t: Real) -> serde_json::Result<Vec<u8>> {
    let pose = world.state.pose.get(tool.rigid.at());
    let (pos, rot) = pose.map_or((Vec3::ZERO, Quat::IDENTITY), |pose| (pose.point(tool.tip), pose.rot));
    let [x, y, z] = pos.to_array().map(|v| decimals(v, 1e6));
    let position_m = Xyz { x, y, z };
    let [x, y, z, w] = rot.to_array().map(|v| decimals(v, 1e5));
    let force = world.scratch.hand_force.get(index).map_or(0.0, |force| force.length());
    serde_json::to_vec(&ToolPlot {
        t: decimals(t, 1e6),
        position_m,
        rotation: Xyzw { x, y, z, w },
        force_n: decimals(force, 1e4),
    })
}

struct ProbesPlot<'a> {
    t: Real,
    probes: &'a [Probe],
    values: &'a [Real],
}

impl Serialize for ProbesPlot<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.probes.len() + 1))?;
        map.serialize_entry("t", &decimals(self.t, 1e6))?;
        let mut values = self.values.iter().map(|v| significant(*v));
        let mut next = || values.next().unwrap_or(Real::NAN);
        for probe in self.probes {
            if probe.width() == 3 {
                map.serialize_entry(key(&probe.name), &Xyz { x: next(), y: next(), z: next() })?;
            } else {
                map.serialize_entry(key(&probe.name), &next())?;
            }
        }
        map.end()
    }
}

/// All probes in one moment. `values` is room to work in.
pub fn probes(world: &World, t: Real, values: &mut Vec<Real>) -> serde_json::Result<Vec<u8>> {
    read_all(world, values);
    serde_json::to_vec(&ProbesPlot { t, probes: &world.model.probes, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_a_second() {
        for dt_s in [1.0 / 240.0, 1e-3, 1.0 / 60.0, 0.1_f64] {
            let ticks = (10.0 / dt_s).round() as u64;
            assert_eq!((1..=ticks).filter(|tick| is_due(*tick, dt_s)).count(), 100, "{dt_s}");
        }
        assert!((1..20).all(|tick| is_due(tick, 0.5)));
    }

    #[test]
    fn digits_are_cut() {
        assert_eq!(significant(123_456_789.0), 123_457_000.0);
        assert_eq!(significant(-1.234_567_8e-9), -1.234_57e-9);
        assert_eq!(significant(0.0), 0.0);
        assert!(significant(f64::NAN).is_nan());
        assert_eq!(decimals(0.123_456_789, 1e6).to_string(), "0.123457");
    }
}
