//! The table of keys: every word of a scene file, with its kind, unit, range and help.
//!
//! The reader, the JSON schema and the reference page are all made from this one table.

mod body;
mod flexible;
mod organ;
mod probe;
mod solid;
mod tool;
mod tracker;

pub use organ::PARTS;
pub use tool::SCRIPT;

use super::unit::Dim;
use body::BODY;
use probe::PROBE;
use tool::TOOL;

/// The version of the scene format that this program reads.
pub const VERSION: u64 = 1;

/// A table of a scene file.
#[derive(Debug)]
pub struct Table {
    /// What it is, for headings and messages.
    pub name: &'static str,
    /// What it is for.
    pub help: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// Keys of which exactly one must be present.
    pub one_of: &'static [&'static str],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// As written.
    pub name: &'static str,
    /// What may stand there.
    pub kind: Kind,
    /// Whether it must.
    pub need: Need,
    /// What it means.
    pub help: &'static str,
}

/// Whether a key must be present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It must.
    Required,
    /// It may be left out, and then nothing takes its place.
    Optional,
    /// It may be left out, and then this stands in its place, as it would be written.
    Default(&'static str),
}

/// What may stand behind a key.
#[derive(Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A name: letters, digits, - and _.
    Name,
    /// The name of a body or tool of this scene.
    BodyName,
    /// The name of a tool of this scene.
    ToolName,
    /// The path of a mesh file, from the scene file's folder.
    File,
    /// true or false.
    Flag,
    /// A whole number in a range.
    Count(u64, u64),
    /// A quantity in a range, in SI.
    Quantity(Dim, f64, f64),
    /// A quantity whose dimension another key decides.
    AnyQuantity,
    /// Three quantities, each within ± the bound.
    Vector(Dim, f64),
    /// A list of rows of three quantities, each with its range.
    Triples(&'static [(Dim, f64, f64); 3]),
    /// A list of rows of numbers that count things, from 0 on; so many at least and at most in a row.
    Indices(usize, usize),
    /// Three numbers, not all zero; only the direction counts.
    Direction,
    /// One of some words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// A table.
    Table(&'static Table),
    /// A list of tables.
    List(&'static Table),
}

impl Key {
    /// The table behind the key, if there is one.
    pub fn table(&self) -> Option<&'static Table> {
        match self.kind {
            Kind::Table(t) | Kind::List(t) => Some(t),
            _ => None,
        }
    }
}

/// Every table reachable from the scene, in the order of first mention.
pub fn tables() -> Vec<&'static Table> {
    let mut all: Vec<&'static Table> = vec![&SCENE];
    let mut next = 0;
    while next < all.len() {
        for key in all[next].keys {
            if let Some(t) = key.table().filter(|t| !all.iter().any(|a| std::ptr::eq(*a, *t))) {
                all.push(t);
            }
        }
        next += 1;
    }
    all
}

const fn key(name: &'static str, kind: Kind, need: Need, help: &'static str) -> Key {
    Key { name, kind, need, help }
}

const fn table(name: &'static str, help: &'static str, keys: &'static [Key]) -> Table {
    Table { name, help, keys, one_of: &[] }
}

const fn choice(
    name: &'static str,
    help: &'static str,
    keys: &'static [Key],
    one_of: &'static [&'static str],
) -> Table {
    Table { name, help, keys, one_of }
}

use Kind::{AnyQuantity, Choice, Count, List, Quantity, Text, Vector};
use Need::{Default, Optional, Required};

/// Positions lie within this of the origin \[m\].
const SPACE: f64 = 100.0;
const POSITION: Kind = Vector(Dim::Length, SPACE);
const RADIUS: Kind = Quantity(Dim::Length, 1e-5, 10.0);
const MASS: Kind = Quantity(Dim::Mass, 1e-9, 1e4);
const STIFFNESS: Kind = Quantity(Dim::Stiffness, 0.0, 1e9);

/// The whole file.
pub static SCENE: Table = table(
    "scene",
    "A scene file is TOML. Quantities are written with their unit, as in `\"2 cm\"` or `\"3 kPa\"`; plain \
     numbers are SI (metres, kilograms, seconds). The z axis points up.",
    &[
        key("serosa", Count(VERSION, VERSION), Required, "Version of the scene format: 1."),
        key("title", Text, Required, "One line for lists and window titles."),
        key("about", Text, Default("\"\""), "A paragraph for people: what is seen and what to try."),
        key("world", Kind::Table(&WORLD), Default("{}"), "Forces, step and methods."),
        key("body", List(&BODY), Required, "The things in the scene: organs, ropes, tables."),
        key("tool", List(&TOOL), Optional, "Instruments, each led by a hand."),
        key("probe", List(&PROBE), Optional, "Quantities to measure."),
        key("tune", List(&TUNE), Optional, "Parameters the user may turn while the scene runs."),
        key("camera", Kind::Table(&CAMERA), Optional, "Where to look from; all of the scene if left out."),
        key("text", List(&TEXT), Optional, "Texts shown at places in the scene."),
    ],
);

static WORLD: Table = table(
    "world",
    "Forces, step and methods.",
    &[
        key(
            "gravity",
            Vector(Dim::Acceleration, 1000.0),
            Default("[0, 0, -9.81]"),
            "Acceleration of what is free to fall.",
        ),
        key("step", Quantity(Dim::Time, 1e-6, 0.05), Default("\"1 ms\""), "Time of one step."),
        key("substeps", Count(1, 100), Default("1"), "Equal parts into which a step is cut."),
        key(
            "sweeps",
            Count(1, 10_000),
            Default("10"),
            "Passes over springs and contacts in each part. More make long chains stiffer and piles firmer, and cost time in proportion. With response `qp`, the most solves in each part.",
        ),
        key(
            "budget",
            Quantity(Dim::Time, 1e-5, 1.0),
            Optional,
            "Time that a step may take on the clock. On the page fewer sweeps are made where it would take longer, but as many as forces on hands need, and never more than `sweeps`; the filter always runs. `serosa run` makes all of them.",
        ),
        key(
            "detector",
            Choice(&[
                ("grid", "a sorted grid, near-linear in the number of edges"),
                ("all-pairs", "every pair, quadratic; the twin that the grid is compared with"),
                ("tracker", "pairs followed and drawn at random (Raghupathi et al. 2003); may miss some"),
            ]),
            Default("\"grid\""),
            "How contacts are found. Grid and all pairs find the same.",
        ),
        key("tracker", Kind::Table(&tracker::TRACKER), Default("{}"), "How the tracker looks."),
        key(
            "response",
            Choice(&[
                (
                    "augmented-lagrangian",
                    "bodies and contacts descend one potential together, with friction; for ropes, intestines, springs, tissue, solids and tools",
                ),
                (
                    "displacement-velocity",
                    "displacements and velocities corrected apart (Raghupathi et al. 2003, signs and masses corrected), with friction",
                ),
                (
                    "projection",
                    "surfaces that overlap are moved apart region by region, each along one direction (MedVR 2008)",
                ),
                (
                    "consistent-penetration",
                    "surfaces that overlap are moved apart vertex by vertex, by depths that change smoothly (LAPAROS)",
                ),
                (
                    "qp",
                    "springs, bands, tissue, solids, rigid shapes and contacts as one quadratic programme (QP-Collide 2006), with friction and strain limits",
                ),
                ("ignore", "contacts are found and reported, not answered"),
            ]),
            Default("\"augmented-lagrangian\""),
            "How contacts are answered.",
        ),
        key(
            "solver",
            Choice(&[
                ("exact", "to the last digits, friction too; for some hundreds of contacts"),
                ("faithful", "the active set of the paper, signs and loop mended; without friction"),
                ("large", "sweeps over thousands of contacts, to a few parts in a hundred"),
            ]),
            Default("\"exact\""),
            "How the programme of response `qp` is solved.",
        ),
        key(
            "filter",
            Choice(&[
                (
                    "off",
                    "steps are taken as the response leaves them; fast things may pass through thin ones",
                ),
                (
                    "on",
                    "steps are clipped by planes between near pairs: what begins apart never passes through anything",
                ),
            ]),
            Optional,
            "Whether steps are clipped so that nothing can pass through anything. Where nothing is said: on with response `augmented-lagrangian`, off with the published ones.",
        ),
        key(
            "overlaps",
            Choice(&[
                (
                    "refuse",
                    "they are a mistake where the filter is on; where it is off they are told and pushed apart as the scene runs",
                ),
                (
                    "part",
                    "bodies that nothing holds are moved apart before the first step, each pair along the shortest way out, until all are free; what was moved is told. The hand of a tool is moved along with it; where its moves lead it from there stays as written",
                ),
            ]),
            Default("\"refuse\""),
            "What is done with bodies that overlap at the start. The filter keeps apart what begins apart.",
        ),
    ],
);

static TUNE: Table = table(
    "tune",
    "A parameter the user may turn while the scene runs.",
    &[
        key(
            "target",
            Text,
            Required,
            "`gravity`, `BODY.stiffness`, `BODY.bending`, `BODY.damping`, `BODY.drag`, `BODY.friction`, `BODY.tube_stretch`, `BODY.tube_bending`, `BODY.relaxation`, `BODY.area`, `BODY.bulk`, `BODY.restoration` or `TOOL.coupling`.",
        ),
        key("name", Text, Default("\"\""), "What the user reads; the target if left out."),
        key("min", AnyQuantity, Required, "Smallest value."),
        key("max", AnyQuantity, Required, "Largest value."),
    ],
);

static CAMERA: Table = table(
    "camera",
    "Where to look from.",
    &[
        key("eye", POSITION, Required, "The eye."),
        key("target", POSITION, Required, "What it looks at."),
        key("angle", Quantity(Dim::Angle, 0.01, 3.0), Default("\"40 deg\""), "Vertical angle of view."),
    ],
);

static TEXT: Table = table(
    "text",
    "A text in the scene.",
    &[key("text", Text, Required, "What it says."), key("at", POSITION, Required, "Where.")],
);
