//! Flexible bodies: materials, control elements and the scripts that lead them.

use super::Kind::{Choice, List, Name, Quantity, Vector};
use super::Need::{Default, Optional, Required};
use super::body::{PLANE, UPRIGHT_BOX};
use super::solid::{DENSITY, ELEMENT, FILL, POISSON, REGION, YOUNG};
use super::{Dim, Kind, POSITION, Table, choice, key, table};

pub(super) static FLEXIBLE: Table = table(
    "model.flexible",
    "Tetrahedra of linear elasticity, solved when the scene is baked for all that its control elements and gravity can do (Klimenko, Nikitina and Nikitin 2004). It has no inertia: each step it takes the shape that goes with where its control elements are. Touched by others with response = \"augmented-lagrangian\".",
    &[
        key("young", YOUNG, Required, "Young's modulus."),
        key("poisson", POISSON, Default("0.45"), "Poisson's ratio, from 0 to less than one half."),
        key("density", DENSITY, Default("\"1060 kg/m3\""), "Mass of a piece of volume."),
        key(
            "method",
            Choice(&[
                ("fem", "finite elements: tetrahedra, in a sparse matrix"),
                (
                    "bem",
                    "boundary elements: the triangles of a closed surface alone, in a dense matrix; one material, 6,000 vertices at most",
                ),
            ]),
            Default("\"fem\""),
            "How it is solved.",
        ),
        key("element", ELEMENT, Default("\"linear\""), "How tetrahedra bend."),
        key(
            "region",
            List(&REGION),
            Optional,
            "Parts of another material; the last that holds a tetrahedron counts.",
        ),
        key(
            "fill",
            Kind::Table(&FILL),
            Optional,
            "How a surface is filled with tetrahedra. Not for shapes that have tetrahedra.",
        ),
        key(
            "control",
            List(&CONTROL),
            Optional,
            "Control elements: parts of it that are moved, and move it.",
        ),
        key(
            "rotation",
            Choice(&[
                ("polar", "the rotation nearest to the mean of all control elements, which favours no axis"),
                ("gram-schmidt", "the mean made orthonormal column by column, as published"),
            ]),
            Default("\"polar\""),
            "How the body as a whole turns with its control elements.",
        ),
        key(
            "critical_strain",
            Quantity(Dim::Strain, 1e-6, 1e3),
            Default("\"50 %\""),
            "The largest relative change of area of a triangle. Control elements stop where it would be exceeded.",
        ),
        key(
            "critical_stretch",
            Quantity(Dim::Length, 1e-9, 100.0),
            Optional,
            "The longest way of a control element relative to the others.",
        ),
        key(
            "critical_angle",
            Quantity(Dim::Angle, 1e-6, 1.57),
            Default("\"60 deg\""),
            "The largest turn of a control element relative to the body.",
        ),
        key(
            "compliance",
            Choice(&[
                ("auto", "where others can touch it: all for up to 800 vertices, else on demand"),
                ("none", "it pushes others and nothing pushes it"),
                ("all", "of every vertex by every vertex, 36 bytes for each pair"),
                ("demand", "a factor is kept, and columns are solved for when they are first touched"),
            ]),
            Default("\"auto\""),
            "What is kept of how its surface yields to contacts.",
        ),
        key(
            "thickness",
            Quantity(Dim::Length, 1e-5, 0.05),
            Optional,
            "Of its surface, as others touch it: half of it lies outside. 1 mm where none is given, or a fifth of the mean edge of the surface where that is less.",
        ),
    ],
);

static CONTROL: Table = choice(
    "model.flexible.control",
    "Nodes that move together, by a shift, a turn and a scaling about their middle.",
    &[
        key("name", Name, Required, "Unique in the body."),
        key("set", Kind::Text, Optional, "A named set of the shape."),
        key("box", Kind::Table(&UPRIGHT_BOX), Optional, "All nodes in a box."),
        key("plane", Kind::Table(&PLANE), Optional, "All nodes on or below a plane."),
        key(
            "input",
            Choice(&[
                ("position", "it goes where it is led"),
                ("force", "it goes where the forces on it take it; something else must hold the body"),
            ]),
            Default("\"position\""),
            "What leads it.",
        ),
        key("speed", Quantity(Dim::Speed, 1e-6, 100.0), Default("\"1 m/s\""), "The fastest it follows."),
        key("move", List(&CONTROL_MOVE), Optional, "Where it goes when nobody leads it, in order of time."),
    ],
    &["set", "box", "plane"],
);

static CONTROL_MOVE: Table = table(
    "model.flexible.control.move",
    "A place of a control element at a time; between two it moves evenly. All from where it is at rest.",
    &[
        key("time", Quantity(Dim::Time, 0.0, 1e6), Required, "From the start of the run."),
        key("shift", POSITION, Default("[0, 0, 0]"), "How far its middle is moved."),
        key("turn", Vector(Dim::Angle, 10.0), Default("[0, 0, 0]"), "Rotation as axis times angle."),
        key(
            "scale",
            Vector(Dim::None, 100.0),
            Default("[1, 1, 1]"),
            "How many times as long it is along each axis, before it is turned.",
        ),
        key("force", Vector(Dim::Force, 2000.0), Default("[0, 0, 0]"), "Force on it, where forces lead it."),
        key(
            "torque",
            Vector(Dim::Moment, 2000.0),
            Default("[0, 0, 0]"),
            "Torque on it, where forces lead it.",
        ),
    ],
);
