//! The table of keys: every word of a scene file, with its kind, unit, range and help.
//!
//! The reader, the JSON schema and the reference page are all made from this one table.

mod tracker;

use super::unit::Dim;

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

use Kind::{
    AnyQuantity, BodyName, Choice, Count, Direction, File, Flag, List, Name, Quantity, Text, ToolName, Vector,
};
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
            "Passes over springs and contacts in each part. More make long chains stiffer and piles firmer, and cost time in proportion.",
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
                    "displacement-velocity",
                    "displacements and velocities corrected apart (Raghupathi et al. 2003, signs and masses corrected), with friction",
                ),
                ("ignore", "contacts are found and reported, not answered"),
            ]),
            Default("\"displacement-velocity\""),
            "How contacts are answered.",
        ),
        key(
            "filter",
            Choice(&[(
                "off",
                "steps are taken as the response leaves them; fast things may pass through thin ones",
            )]),
            Default("\"off\""),
            "Whether steps are clipped so that nothing can pass through anything.",
        ),
    ],
);

static BODY: Table = table(
    "body",
    "A thing in the scene.",
    &[
        key("name", Name, Required, "Unique among bodies and tools."),
        key("shape", Kind::Table(&SHAPE), Required, "Its geometry: one of the shapes below."),
        key("model", Kind::Table(&MODEL), Required, "Its mechanics: one of the models below."),
        key(
            "friction",
            Quantity(Dim::None, 0.0, 10.0),
            Default("0.3"),
            "Coulomb coefficient; a contact takes the geometric mean of its two bodies.",
        ),
        key(
            "drag",
            Quantity(Dim::Rate, 0.0, 1e4),
            Default("0"),
            "Rate at which motion dies out in the surroundings.",
        ),
        key("self_contact", Flag, Default("true"), "Whether its parts may touch one another."),
        key("attach", List(&ATTACH), Optional, "Vertices held where they are."),
    ],
);

static SHAPE: Table = choice(
    "shape",
    "The geometry of a body. Edges of chains, nets, membranes and meshes collide as capsules.",
    &[
        key("chain", Kind::Table(&CHAIN), Optional, "A straight chain."),
        key("helix", Kind::Table(&HELIX), Optional, "A chain wound upwards as a helix."),
        key("net", Kind::Table(&SHEET), Optional, "A net of threads knotted where they cross."),
        key(
            "membrane",
            Kind::Table(&SHEET),
            Optional,
            "A net with diagonals: it resists shear and is drawn as a skin.",
        ),
        key("mesh", Kind::Table(&MESH), Optional, "A mesh from a file."),
        key("plane", Kind::Table(&PLANE), Optional, "A half-space: floor or wall."),
        key("sphere", Kind::Table(&SPHERE), Optional, "A ball."),
        key("capsule", Kind::Table(&CAPSULE), Optional, "A rod with round ends."),
        key("box", Kind::Table(&BOX), Optional, "A box. Boxes do not collide with boxes."),
    ],
    &["chain", "helix", "net", "membrane", "mesh", "plane", "sphere", "capsule", "box"],
);

static CHAIN: Table = table(
    "shape.chain",
    "A straight chain. Sets: `first`, `last`, `ends`.",
    &[
        key("from", POSITION, Required, "First node."),
        key("to", POSITION, Required, "Last node."),
        key("nodes", Count(2, 1_000_000), Required, "Number of nodes, ends included."),
        key("radius", RADIUS, Required, "Half the thickness."),
    ],
);

static HELIX: Table = table(
    "shape.helix",
    "A chain wound upwards. Sets: `first` (lowest), `last`, `ends`.",
    &[
        key("base", POSITION, Required, "Centre of the lowest turn."),
        key("nodes", Count(2, 1_000_000), Required, "Number of nodes."),
        key("spacing", Quantity(Dim::Length, 1e-5, 10.0), Required, "Length of thread between nodes."),
        key("turn_radius", Quantity(Dim::Length, 1e-5, 10.0), Required, "Radius of the turns."),
        key("pitch", Quantity(Dim::Length, 0.0, 10.0), Required, "Rise in one turn."),
        key("radius", RADIUS, Required, "Half the thickness of the thread."),
    ],
);

static SHEET: Table = table(
    "shape.net, shape.membrane",
    "A rectangular sheet. Sets: `corners`, `border`, `left`, `right` (ends of `along`), `near`, `far` (of `across`).",
    &[
        key("corner", POSITION, Required, "First corner."),
        key("along", POSITION, Required, "One side as a vector."),
        key("across", POSITION, Required, "The other side as a vector."),
        key("columns", Count(2, 5000), Required, "Nodes along."),
        key("rows", Count(2, 5000), Required, "Nodes across."),
        key("radius", RADIUS, Required, "Half the thickness."),
    ],
);

static MESH: Table = table(
    "shape.mesh",
    "A mesh from an OBJ file; its edges become springs and capsules.",
    &[
        key("file", File, Required, "Path from the folder of the scene file."),
        key(
            "unit",
            Quantity(Dim::Length, 1e-6, 1000.0),
            Default("\"1 m\""),
            "Length of one unit of the file.",
        ),
        key("at", POSITION, Default("[0, 0, 0]"), "Where the origin of the file lies."),
        key("radius", RADIUS, Required, "Half the thickness of the edges."),
    ],
);

static PLANE: Table = table(
    "shape.plane",
    "A half-space, solid below.",
    &[
        key("point", POSITION, Default("[0, 0, 0]"), "A point of the plane."),
        key("normal", Direction, Default("[0, 0, 1]"), "Out of the solid side."),
    ],
);

static SPHERE: Table = table(
    "shape.sphere",
    "A ball.",
    &[key("center", POSITION, Required, "Its centre."), key("radius", RADIUS, Required, "Its radius.")],
);

static CAPSULE: Table = table(
    "shape.capsule",
    "A rod with round ends.",
    &[
        key("from", POSITION, Required, "One end of the core."),
        key("to", POSITION, Required, "The other end."),
        key("radius", RADIUS, Required, "Its radius."),
    ],
);

static BOX: Table = table(
    "shape.box",
    "A box.",
    &[
        key("center", POSITION, Required, "Its centre."),
        key("size", Vector(Dim::Length, SPACE), Required, "Its edges, each larger than zero."),
        key("turn", Vector(Dim::Angle, 10.0), Default("[0, 0, 0]"), "Rotation as axis times angle."),
    ],
);

static MODEL: Table = choice(
    "model",
    "The mechanics of a body.",
    &[
        key("springs", Kind::Table(&SPRINGS), Optional, "Point masses and damped springs along the edges."),
        key("rigid", Kind::Table(&RIGID), Optional, "A movable solid."),
        key("fixed", Kind::Table(&FIXED), Optional, "A solid that stays where it is: `model.fixed = {}`."),
    ],
    &["springs", "rigid", "fixed"],
);

static SPRINGS: Table = table(
    "model.springs",
    "Point masses and damped springs along the edges, integrated spring by spring with implicit impulses.",
    &[
        key("mass", MASS, Required, "Of the whole body, shared out by length of edge."),
        key("stiffness", STIFFNESS, Required, "Of each edge. A chain of n edges in a row is n times softer."),
        key("damping", Quantity(Dim::Damping, 0.0, 1e6), Default("0"), "Of each edge."),
        key("bending", STIFFNESS, Default("0"), "Of springs across every two edges in line; 0 for none."),
    ],
);

static RIGID: Table =
    table("model.rigid", "A movable solid of even density.", &[key("mass", MASS, Required, "Its mass.")]);
static FIXED: Table = table("model.fixed", "A solid that stays where it is.", &[]);

static ATTACH: Table = choice(
    "body.attach",
    "Vertices held where they are, chosen by a named set, a box or a plane.",
    &[
        key("name", Text, Optional, "A named set of the shape, such as `ends` or `border`."),
        key("box", Kind::Table(&ATTACH_BOX), Optional, "All vertices in a box."),
        key("plane", Kind::Table(&PLANE), Optional, "All vertices on or below a plane."),
    ],
    &["name", "box", "plane"],
);

static ATTACH_BOX: Table = table(
    "body.attach.box",
    "An upright box.",
    &[
        key("min", POSITION, Required, "Its lowest corner."),
        key("max", POSITION, Required, "Its highest corner."),
    ],
);

static TOOL: Table = table(
    "tool",
    "An instrument: a rigid body tied to a hand by a spring and a damper.",
    &[
        key("name", Name, Required, "Unique among bodies and tools."),
        key("shape", Kind::Table(&TOOL_SHAPE), Required, "One of the shapes below."),
        key("tip", POSITION, Required, "Where its tip starts."),
        key("direction", Direction, Default("[0, 0, -1]"), "Where it points."),
        key("mass", MASS, Default("\"40 g\""), "What moves with the hand."),
        key("friction", Quantity(Dim::None, 0.0, 10.0), Default("0.2"), "Coulomb coefficient."),
        key("coupling", Kind::Table(&COUPLING), Default("{}"), "The tie to the hand."),
        key("grasp", Kind::Table(&GRASP), Default("{}"), "What its jaws hold when they close."),
        key(
            "move",
            List(&TOOL_MOVE),
            Optional,
            "Where the hand goes when nobody leads it, in order of time; it sets out from `tip` at time 0.",
        ),
    ],
);

static GRASP: Table = table(
    "tool.grasp",
    "Jaws at the tip: when they close they hold the nearest vertices, at most 8, each where it is.",
    &[
        key("reach", Quantity(Dim::Length, 0.0, 1.0), Default("\"6 mm\""), "From the surface of the tip."),
        key(
            "strength",
            Quantity(Dim::Force, 0.0, 1e4),
            Default("\"5 N\""),
            "Most force with which they hold; beyond it tissue slips, and slips out.",
        ),
    ],
);

static TOOL_MOVE: Table = table(
    "tool.move",
    "A place of the hand at a time; between two places it moves evenly.",
    &[
        key("time", Quantity(Dim::Time, 0.0, 1e6), Required, "From the start of the run."),
        key("tip", POSITION, Required, "Where the tip is to be."),
        key("direction", Direction, Optional, "Where it points; as before if left out."),
        key("grip", Flag, Default("false"), "Whether the jaws are closed from here on."),
    ],
);

/// A script of tool motion, in a file of its own.
pub static SCRIPT: Table = table(
    "script",
    "A script leads tools along given places: `serosa run SCENE --input FILE`.",
    &[key("move", List(&SCRIPT_MOVE), Required, "The places, in order of time for each tool.")],
);

static SCRIPT_MOVE: Table = table(
    "script move",
    "A place of one hand at a time.",
    &[
        key("tool", Name, Required, "Which tool of the scene."),
        key("time", Quantity(Dim::Time, 0.0, 1e6), Required, "From the start of the run."),
        key("tip", POSITION, Required, "Where the tip is to be."),
        key("direction", Direction, Optional, "Where it points; as before if left out."),
        key("grip", Flag, Default("false"), "Whether the jaws are closed from here on."),
    ],
);

static TOOL_SHAPE: Table = choice(
    "tool.shape",
    "The shape of a tool.",
    &[
        key("capsule", Kind::Table(&SHAFT), Optional, "A straight shaft; the tip is the end of its core."),
        key("sphere", Kind::Table(&TIP_BALL), Optional, "A ball alone; the tip is its centre."),
    ],
    &["capsule", "sphere"],
);

static SHAFT: Table = table(
    "tool.shape.capsule",
    "A straight shaft.",
    &[
        key("length", Quantity(Dim::Length, 1e-4, 10.0), Required, "Length of the core."),
        key("radius", RADIUS, Required, "Its radius."),
    ],
);

static TIP_BALL: Table =
    table("tool.shape.sphere", "A ball.", &[key("radius", RADIUS, Required, "Its radius.")]);

static COUPLING: Table = table(
    "tool.coupling",
    "Spring and damper between hand and tool.",
    &[
        key(
            "stiffness",
            Quantity(Dim::Stiffness, 0.0, 1e6),
            Default("\"400 N/m\""),
            "How hard the tool follows the hand.",
        ),
        key("damping", Quantity(Dim::Damping, 0.0, 1e6), Optional, "Critical if left out."),
        key(
            "turn_stiffness",
            Quantity(Dim::TurnStiffness, 0.0, 1e6),
            Default("\"0.5 N m/rad\""),
            "How hard it turns with the hand.",
        ),
        key(
            "speed",
            Quantity(Dim::Speed, 1e-3, 100.0),
            Default("\"2 m/s\""),
            "The fastest it follows; a hand that jumps is caught up with at this speed.",
        ),
    ],
);

static PROBE: Table = choice(
    "probe",
    "A quantity to measure, reported by `run --json` and in recordings.",
    &[
        key("name", Name, Required, "Unique among probes."),
        key("position", Kind::Table(&PLACE), Optional, "Where something is [m]."),
        key("distance", Kind::Table(&BETWEEN), Optional, "How far two places are apart [m]."),
        key("length", BodyName, Optional, "Total length of the edges of a body [m]."),
        key("contact_force", BodyName, Optional, "Size of the contact force on a body or tool [N]."),
        key("hand_force", ToolName, Optional, "Size of the force between hand and tool [N]."),
        key(
            "support_force",
            Kind::Table(&PLACE),
            Optional,
            "Load that a body's springs put on some of its vertices [N].",
        ),
        key("energy", Kind::Table(&ENERGY), Optional, "An energy [J]."),
    ],
    &["position", "distance", "length", "contact_force", "hand_force", "support_force", "energy"],
);

static PLACE: Table = table(
    "probe place",
    "A place on a body or tool.",
    &[
        key("body", BodyName, Required, "A body or tool."),
        key(
            "at",
            Text,
            Default("\"\""),
            "A named set (its middle) or a vertex number; the whole body, or the tip of a tool, if left out.",
        ),
    ],
);

static BETWEEN: Table = table(
    "probe.distance",
    "Two places.",
    &[
        key("from", Kind::Table(&PLACE), Required, "One place."),
        key("to", Kind::Table(&PLACE), Required, "The other."),
    ],
);

static ENERGY: Table = table(
    "probe.energy",
    "An energy.",
    &[
        key(
            "kind",
            Choice(&[
                ("total", "the sum of the others"),
                ("kinetic", "of motion"),
                ("elastic", "of stretched springs"),
                ("gravity", "of height, zero at the origin"),
            ]),
            Default("\"total\""),
            "Which energy.",
        ),
        key("body", BodyName, Optional, "Of one body; of all if left out."),
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
            "`gravity`, `BODY.stiffness`, `BODY.bending`, `BODY.damping`, `BODY.drag`, `BODY.friction` or `TOOL.coupling`.",
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
