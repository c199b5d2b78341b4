//! The wire between the program and its page.
//!
//! Text messages are JSON: [`ToServer`] from the page, [`ToPage`] to it. The TypeScript types of both are made
//! from the types here (`viewer/src/wire.ts`), and a test says whether they are fresh. Frames are binary, laid out
//! as [`Frame`] says, little-endian.

mod frame;
mod mesh;

pub use frame::{Contact, Element, Frame, FrameEncoder, Led, Pairs, Quality, STAGES, Values, Wants};
pub use mesh::{FactInfo, MESH_POST_MAX, MeshAnswer, MeshInfo, SHOWN_TRIANGLES_MAX};

use serde::{Deserialize, Serialize};

/// The largest text message that a page may send \[bytes\]: a scene file of the largest size, and some.
pub const TO_SERVER_MAX: usize = crate::scene::SCENE_MAX + 4096;

/// What a page may say. Anything but `Drive`, `Pairs` and `Values` is heard only from the driver.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToServer {
    /// Become the driver; the present one is told.
    Drive,
    /// Send this page the pairs that the detector follows, or no longer. Any page may ask: the others do not notice.
    Pairs {
        /// Whether frames are to carry them.
        show: bool,
    },
    /// Send this page a number for each vertex of flexible bodies, or no longer. Any page may ask, as for pairs.
    Values {
        /// Which; null for none.
        of: Option<Quantity>,
    },
    /// Back to the gallery: nothing runs.
    Gallery,
    /// Open a built-in scene.
    Open {
        /// Its name.
        scene: String,
    },
    /// Open a scene file dropped on the page.
    OpenText {
        /// The name of the file.
        name: String,
        /// What it holds.
        text: String,
    },
    /// Run.
    Play,
    /// Stand still.
    Pause,
    /// Take one step.
    Step,
    /// Begin the scene again.
    Reset,
    /// Simulated seconds for each second, from 0.01 to 10.
    Speed {
        /// 1 is real time.
        value: f64,
    },
    /// Where a hand holds its tool.
    Hand {
        /// Number of the tool.
        tool: usize,
        /// Of the tip \[m\].
        position: [f64; 3],
        /// Quaternion x, y, z, w.
        rotation: [f64; 4],
        /// Whether the jaws are closed.
        grip: bool,
    },
    /// Where a control element of a flexible body is to be.
    Control {
        /// Its number among all of the scene.
        element: usize,
        /// Of its origin \[m\].
        position: [f64; 3],
        /// Quaternion x, y, z, w.
        rotation: [f64; 4],
        /// How many times as long along each axis, before it is turned.
        scale: [f64; 3],
        /// Force on it \[N\], where forces lead it.
        force: [f64; 3],
        /// Torque on it about its origin \[N m\], where forces lead it.
        torque: [f64; 3],
    },
    /// Turn a tunable.
    Tune {
        /// Its number.
        index: usize,
        /// In SI.
        value: f64,
    },
    /// Give a body back at once that the guard holds.
    Release {
        /// Number of the body.
        body: usize,
    },
    /// Begin to record; the scene begins again, so that the recording holds all of it.
    Record,
    /// End the recording, or leave a replay.
    Stop,
    /// Replay a recording made from this page.
    Replay {
        /// Its name in [`Status::recordings`].
        name: String,
    },
    /// Go to a time of the replay.
    Seek {
        /// \[s\]
        time_s: f64,
    },
}

/// What can be told of the surfaces of flexible bodies, as it is at each vertex. Strains are in the body's own axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Relative change of area.
    Area,
    /// Strain along x.
    Xx,
    /// Strain along y.
    Yy,
    /// Strain along z.
    Zz,
    /// Shear of x against y.
    Xy,
    /// Shear of y against z.
    Yz,
    /// Shear of z against x.
    Zx,
    /// Elastic energy of a piece of volume \[J/m³\].
    Energy,
}

impl Quantity {
    /// All of them; frames say one by its number here, from 1.
    pub const ALL: [Self; 8] =
        [Self::Area, Self::Xx, Self::Yy, Self::Zz, Self::Xy, Self::Yz, Self::Zx, Self::Energy];
}

/// What the page is told in words. Frames come beside these, in binary.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToPage {
    /// First: who you are, and what there is.
    Hello {
        /// Your number.
        client: u32,
        /// Version of the program.
        version: String,
        /// The built-in scenes.
        gallery: Vec<GalleryEntry>,
    },
    /// A scene was opened, or nothing is open any more.
    Scene {
        /// Grows with every scene opened; frames say by it whose they are.
        generation: u32,
        /// The scene, or null in the gallery.
        scene: Option<Box<SceneInfo>>,
    },
    /// Who drives and what runs.
    Status(Status),
    /// What is wrong with a scene that was to be opened.
    Problems {
        /// Of the file.
        name: String,
        /// All mistakes.
        problems: Vec<ProblemInfo>,
    },
    /// Something the user should know.
    Notice {
        /// `info` or `warning`.
        level: String,
        /// A whole sentence.
        text: String,
    },
}

/// The answer at `/door`: whether a WebSocket would be let in. A browser does not tell its page why one was refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Door {
    /// Why not, or null where it is open.
    pub refused: Option<Refusal>,
}

/// Why a page is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It was not loaded from where the program answers.
    Elsewhere,
    /// Its address carries no token, or one that the program does not know.
    Token,
    /// Too many pages are open.
    Full,
}

/// A scene in the gallery.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GalleryEntry {
    /// To open it by.
    pub name: String,
    /// One line.
    pub title: String,
    /// A paragraph.
    pub about: String,
    /// Address of its picture, if there is one.
    pub picture: Option<String>,
}

/// Who drives and what runs; sent whenever it changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Status {
    /// The driver's number, if there is one.
    pub driver: Option<u32>,
    /// How many pages are connected.
    pub clients: u32,
    /// Whether time runs.
    pub playing: bool,
    /// Simulated seconds for each second, as asked.
    pub speed: f64,
    /// Values of the tunables, in SI.
    pub tunables: Vec<f64>,
    /// Name of the recording being written.
    pub recording: Option<String>,
    /// The recording being replayed.
    pub replay: Option<ReplayInfo>,
    /// Recordings that can be replayed, newest first.
    pub recordings: Vec<String>,
    /// Bodies that ran away not long ago, in their order.
    pub held: Vec<HeldInfo>,
    /// Why control elements are stopped now, a sentence each; empty where none is.
    pub stopped: Vec<String>,
}

/// A body that ran away.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HeldInfo {
    /// Its number.
    pub body: usize,
    /// Its name.
    pub name: String,
    /// What it did, as the end of a sentence about it.
    pub why: String,
    /// How often it ran away, each time soon after the last.
    pub times: u32,
    /// Whether it still stands fixed; otherwise it was given back.
    pub is_held: bool,
    /// Whether it is held on because its shape at rest does not fit anywhere.
    pub stuck: bool,
}

/// A replay in progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReplayInfo {
    /// Of the recording.
    pub name: String,
    /// Its length \[s\].
    pub duration_s: f64,
    /// First time at which it differed from the recording \[s\].
    pub differs_at_s: Option<f64>,
}

/// A mistake in a scene file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProblemInfo {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The line it is in.
    pub source: String,
}

/// All that a page needs to draw a scene before its first frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SceneInfo {
    /// As opened.
    pub name: String,
    /// One line.
    pub title: String,
    /// A paragraph.
    pub about: String,
    /// Time of one step \[s\].
    pub dt_s: f64,
    /// Passes that the scene asks for in each step.
    pub sweeps: u32,
    /// Time that a step may take on the clock \[ms\], where the scene says so.
    pub budget_ms: Option<f64>,
    /// All bodies, tools last, in the order of frames.
    pub bodies: Vec<BodyInfo>,
    /// All tools.
    pub tools: Vec<ToolInfo>,
    /// Control elements of all flexible bodies, in the order of frames.
    pub elements: Vec<ElementInfo>,
    /// All probes, in the order of frames.
    pub probes: Vec<ProbeInfo>,
    /// All tunables.
    pub tunables: Vec<TunableInfo>,
    /// Where to look from.
    pub camera: Option<CameraInfo>,
    /// Texts in the scene.
    pub texts: Vec<TextInfo>,
    /// Boxes that are to be laid free.
    pub goals: Vec<GoalInfo>,
    /// Worth knowing.
    pub notes: Vec<String>,
}

/// A body as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// How to draw it.
    pub look: Look,
    /// What its surface is.
    pub surface: Surface,
    /// Whether it is a flexible body: there are [`Values`] of it.
    pub flexible: bool,
}

/// What a surface is drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// As the shape suggests.
    #[default]
    Plain,
    /// A covered table.
    Table,
    /// Moist, dark tissue.
    Tissue,
    /// Bowel.
    Bowel,
    /// Brushed steel.
    Steel,
    /// A kidney: brownish red.
    Kidney,
    /// A liver: dark red-brown.
    Liver,
    /// A gallbladder: green.
    Gallbladder,
    /// A stomach: pink.
    Stomach,
    /// A spleen: purple.
    Spleen,
    /// A colon: pale pink.
    Colon,
    /// A sheet woven of pale threads.
    Weave,
    /// Amber rubber.
    Rubber,
    /// Clear plastic.
    Plastic,
}

/// How to draw a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Look {
    /// Threads: each edge a tube. A chain's edges follow one another.
    Threads {
        /// Rest positions x, y, z of all vertices in turn \[m\].
        rest: Vec<f32>,
        /// Pairs of vertices, one after another, counted within the body.
        edges: Vec<u32>,
        /// Half the thickness \[m\].
        radius: f64,
        /// Whether the edges make one chain from the first vertex to the last.
        chain: bool,
        /// Vertices held where they are.
        held: Vec<u32>,
    },
    /// A skin of triangles with a thickness.
    Skin {
        /// Rest positions x, y, z of all vertices in turn \[m\].
        rest: Vec<f32>,
        /// Triples of vertices, one after another.
        triangles: Vec<u32>,
        /// Pairs of vertices, one after another.
        edges: Vec<u32>,
        /// Half the thickness \[m\].
        radius: f64,
        /// Vertices held where they are.
        held: Vec<u32>,
        /// How much another material comes to the surface at each vertex, from 0 to 1; empty where none does.
        spots: Vec<f32>,
    },
    /// A tube along the border of a skin. Vertices lie column by column: row 0 is the tube, the last row the root.
    Strip {
        /// Rest positions x, y, z of all vertices in turn \[m\].
        rest: Vec<f32>,
        /// Vertices from tube to root.
        rows: usize,
        /// Vertices along the tube.
        columns: usize,
        /// Triples of vertices, one after another.
        triangles: Vec<u32>,
        /// Pairs of vertices, one after another; those of the tube first.
        edges: Vec<u32>,
        /// Of the tube in the end \[m\]; frames say how wide it is now.
        radius: f64,
        /// Half the thickness of the skin \[m\].
        skin_radius: f64,
        /// Vertices held where they are.
        held: Vec<u32>,
    },
    /// A rigid frame; its pose is in the frames.
    Solid {
        /// Number of the frame.
        rigid: usize,
        /// Its shape.
        shape: SolidShape,
        /// Whether it can move.
        movable: bool,
    },
}

/// A solid about its own origin.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum SolidShape {
    /// A ball.
    Sphere {
        /// \[m\]
        radius: f64,
    },
    /// A rod along z with round ends.
    Capsule {
        /// Of the core \[m\].
        length: f64,
        /// \[m\]
        radius: f64,
    },
    /// A box.
    Box {
        /// Edges \[m\].
        size: [f64; 3],
    },
    /// The half-space below z = 0.
    Plane,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// Number of its body.
    pub body: usize,
    /// Number of its frame.
    pub rigid: usize,
    /// Its tip in the frame \[m\].
    pub tip: [f64; 3],
}

/// A control element of a flexible body.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ElementInfo {
    /// Its name.
    pub name: String,
    /// Number of its body.
    pub body: usize,
    /// The middle of its nodes at rest \[m\].
    pub origin: [f64; 3],
    /// How far it reaches from its middle at rest, along each axis \[m\].
    pub reach: [f64; 3],
    /// Its vertices, counted within the body.
    pub vertices: Vec<u32>,
    /// Where forces lead it, not positions: about how far a force moves it \[m/N\], and a torque turns it \[rad/(N m)\].
    pub give: Option<[f64; 2]>,
}

/// A probe.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProbeInfo {
    /// Its name.
    pub name: String,
    /// Of its numbers.
    pub unit: String,
    /// How many numbers it gives: 1 or 3.
    pub width: usize,
}

/// A tunable.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TunableInfo {
    /// What the user reads.
    pub name: String,
    /// Unit to show it in.
    pub unit: String,
    /// Size of that unit in SI.
    pub unit_size: f64,
    /// SI.
    pub min: f64,
    /// SI.
    pub max: f64,
    /// SI.
    pub value: f64,
}

/// Where to look from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CameraInfo {
    /// \[m\]
    pub eye: [f64; 3],
    /// \[m\]
    pub target: [f64; 3],
    /// Vertical angle of view \[rad\].
    pub angle: f64,
}

/// A text in the scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TextInfo {
    /// What it says.
    pub text: String,
    /// Where \[m\].
    pub at: [f64; 3],
}

/// A box that is to be laid free.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GoalInfo {
    /// Number of the probe that says how much of it is hidden.
    pub probe: usize,
    /// Lowest corner \[m\].
    pub min: [f64; 3],
    /// Highest corner \[m\].
    pub max: [f64; 3],
    /// Towards the eye, unit.
    pub from: [f64; 3],
}

#[cfg(test)]
mod tests;
