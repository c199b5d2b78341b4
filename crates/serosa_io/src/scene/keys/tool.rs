//! Tools and the scripts that lead them.

use super::Kind::{Count, Direction, Flag, List, Name, Quantity, Vector};
use super::Need::{Default, Optional, Required};
use super::{Dim, Kind, MASS, RADIUS, Table, choice, key, table};

/// Where a hand can be.
const TIP: Kind = Vector(Dim::Length, serosa_sim::Hand::REACH);

pub(super) static TOOL: Table = table(
    "tool",
    "An instrument: a rigid body tied to a hand by a spring and a damper.",
    &[
        key("name", Name, Required, "Unique among bodies and tools."),
        key("shape", Kind::Table(&TOOL_SHAPE), Required, "One of the shapes below."),
        key("tip", TIP, Required, "Where its tip starts."),
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
    "Jaws at the tip: when they close they hold the nearest vertices, each where it is.",
    &[
        key("reach", Quantity(Dim::Length, 0.0, 1.0), Default("\"6 mm\""), "From the surface of the tip."),
        key(
            "strength",
            Quantity(Dim::Force, 0.0, 1e4),
            Default("\"5 N\""),
            "Most force with which they hold; beyond it tissue slips, and slips out.",
        ),
        key("vertices", Count(1, 64), Default("8"), "How many vertices they hold at most."),
    ],
);

static TOOL_MOVE: Table = table(
    "tool.move",
    "A place of the hand at a time; between two places it moves evenly.",
    &[
        key("time", Quantity(Dim::Time, 0.0, 1e6), Required, "From the start of the run."),
        key("tip", TIP, Required, "Where the tip is to be."),
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
        key("tip", TIP, Required, "Where the tip is to be."),
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
