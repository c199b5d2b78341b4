//! Probes: what can be measured.

use super::Kind::{BodyName, Choice, Direction, Name, Text, ToolName};
use super::Need::{Default, Optional, Required};
use super::body::UPRIGHT_BOX;
use super::{Kind, Table, choice, key, table};

pub(super) static PROBE: Table = choice(
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
            "Load on some vertices of a body, with the own weight of those that are fixed [N]; on all that is fixed where `at` is left out. Of a flexible body: on its attachments and control elements, each as a whole.",
        ),
        key(
            "reaction",
            Kind::Table(&REACTION),
            Optional,
            "Force [N] or torque [N m] that a control element puts on its flexible body.",
        ),
        key("energy", Kind::Table(&ENERGY), Optional, "An energy [J]."),
        key(
            "cover",
            Kind::Table(&COVER),
            Optional,
            "How much of a goal box a body hides: 1 where all of it, 0 where nothing.",
        ),
    ],
    &[
        "position",
        "distance",
        "length",
        "contact_force",
        "hand_force",
        "support_force",
        "reaction",
        "energy",
        "cover",
    ],
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

static REACTION: Table = table(
    "probe.reaction",
    "What a control element puts on its body, by the matrix of its reactions.",
    &[
        key("body", BodyName, Required, "A body with model.flexible."),
        key("control", Text, Required, "One of its control elements."),
        key(
            "kind",
            Choice(&[("force", "its force"), ("torque", "its torque about its own middle")]),
            Default("\"force\""),
            "Which.",
        ),
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

static COVER: Table = table(
    "probe.cover",
    "A goal box that is to be laid free. Of 24 × 24 parallel lines of sight over its shadow, the share that meets the body in the box or within 0.5 m before it. The page draws the box.",
    &[
        key("body", BodyName, Required, "What hides it: a body with model.springs or model.band."),
        key("box", Kind::Table(&UPRIGHT_BOX), Required, "The goal."),
        key("from", Direction, Default("[0, 0, 1]"), "Where the eye is, seen from the box."),
    ],
);
