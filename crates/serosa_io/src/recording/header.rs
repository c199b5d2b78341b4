//! The first message of a recording: what was simulated, and with what.

use super::{FORMAT, VERSION};
use serde::{Deserialize, Serialize};
use serosa_sim::World;

/// What was simulated, and with what. With the files of the recording it is all that a replay needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Number of the layout: [`FORMAT`].
    pub format: u32,
    /// Version of the program that recorded.
    pub version: String,
    /// The scene as it was asked for: a name or a path.
    pub scene: String,
    /// The whole text of the scene file.
    pub scene_text: String,
    /// Hash of the scene and its files.
    #[serde(with = "hex")]
    pub scene_hash: u64,
    /// Hash of the baked model; a replay with another bake is another run.
    #[serde(with = "hex")]
    pub bake_hash: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Time of one tick \[s\].
    pub dt_s: f64,
    /// Names of the tools, in the order of the hands.
    pub tools: Vec<String>,
    /// Names of the tunables, in the order of the inputs.
    pub tunables: Vec<String>,
    /// The probes.
    pub probes: Vec<ProbeHead>,
}

/// A probe by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeHead {
    /// Name, unique in the scene.
    pub name: String,
    /// SI unit of its numbers.
    pub unit: String,
    /// How many numbers it gives.
    pub width: usize,
}

/// The scene that a header names, as it was asked for and as it was found.
#[derive(Clone, Copy, Debug)]
pub struct SceneSource<'a> {
    /// A name or a path, as asked for.
    pub name: &'a str,
    /// The whole text of the scene file.
    pub text: &'a str,
    /// Hash of the scene and its files.
    pub hash: u64,
    /// Hash of the baked model.
    pub bake_hash: u64,
}

/// A recording of another version of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "recorded by serosa {recorded}, this is {this}: \
     a replay is exact only with the version that recorded it"
)]
pub struct OtherVersion {
    /// The version that recorded.
    pub recorded: String,
    /// The version that reads.
    pub this: String,
}

impl Header {
    /// The header of a run of `world` by this program.
    pub fn new(world: &World, scene: SceneSource, seed: u64) -> Self {
        let probe = |p: &serosa_sim::probe::Probe| ProbeHead {
            name: p.name.clone(),
            unit: p.unit().to_owned(),
            width: p.width(),
        };
        Self {
            format: FORMAT,
            version: VERSION.to_owned(),
            scene: scene.name.to_owned(),
            scene_text: scene.text.to_owned(),
            scene_hash: scene.hash,
            bake_hash: scene.bake_hash,
            seed,
            dt_s: world.params.dt_s,
            tools: world.model.tools.iter().map(|t| t.name.clone()).collect(),
            tunables: world.params.tunables.iter().map(|t| t.name.clone()).collect(),
            probes: world.model.probes.iter().map(probe).collect(),
        }
    }

    /// Whether this program can replay the run bit for bit.
    pub fn check_version(&self) -> Result<(), OtherVersion> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(OtherVersion { recorded: self.version.clone(), this: VERSION.to_owned() })
    }

    /// Ticks in a batch: as many as fit in a second, 1 at least and a mebi at most.
    pub(super) fn ticks_per_second(&self) -> u64 {
        // The float to integer cast saturates; the small addend forgives 1/240 not being exact.
        ((1.0 / self.dt_s + 1e-6) as u64).clamp(1, 1 << 20)
    }

    /// What is wrong with the time of a tick, if anything.
    pub(super) fn check_dt(&self) -> Result<(), String> {
        if self.dt_s.is_finite() && self.dt_s > 0.0 {
            return Ok(());
        }
        Err(format!("a tick of {} s", self.dt_s))
    }
}

/// 64 bits as 16 hexadecimal digits: many JSON readers know no integers beyond 2⁵³.
mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(v: &u64, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format!("{v:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
        let text = String::deserialize(d)?;
        let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let value = if digits { u64::from_str_radix(&text, 16).ok() } else { None };
        value.ok_or_else(|| D::Error::custom(format!("`{text}` is not 16 hexadecimal digits")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_sim::{Model, Params};

    fn header() -> Header {
        let params = Params { dt_s: 1.0 / 240.0, ..Params::default() };
        let world = World::new(Model::default().into(), params);
        let scene = SceneSource { name: "rope", text: "title = \"Rope\"\n", hash: 0x2a, bake_hash: u64::MAX };
        Header::new(&world, scene, 1 << 60)
    }

    #[test]
    fn a_header_comes_back_from_json() {
        let header = header();
        let text = serde_json::to_string(&header).unwrap();
        assert!(text.contains(r#""scene_hash":"000000000000002a","bake_hash":"ffffffffffffffff""#), "{text}");
        assert_eq!(serde_json::from_str::<Header>(&text).unwrap(), header);
        let bad = text.replace("000000000000002a", "+00000000000002a");
        assert!(serde_json::from_str::<Header>(&bad).unwrap_err().to_string().contains("hexadecimal"));
    }

    #[test]
    fn a_second_holds_whole_ticks() {
        let ticks = |dt_s| Header { dt_s, ..header() }.ticks_per_second();
        assert_eq!(ticks(1.0 / 240.0), 240);
        assert_eq!(ticks(1e-3), 1000);
        assert_eq!(ticks(0.3), 3);
        assert_eq!(ticks(7.0), 1);
        assert_eq!(ticks(1e-300), 1 << 20);
        assert!(Header { dt_s: f64::NAN, ..header() }.check_dt().is_err());
        assert!(Header { dt_s: 0.0, ..header() }.check_dt().is_err());
    }

    #[test]
    fn another_version_is_told_by_name() {
        assert_eq!(header().check_version(), Ok(()));
        let other = Header { version: "0.0.9".into(), ..header() };
        assert_eq!(
            other.check_version().unwrap_err().to_string(),
            format!(
                "recorded by serosa 0.0.9, this is {VERSION}: \
                 a replay is exact only with the version that recorded it"
            )
        );
    }
}
