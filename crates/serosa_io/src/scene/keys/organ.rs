//! Organs: ready ones, and recipes of blended shapes.

use super::Kind::{Choice, Count, Direction, List, Quantity, Vector};
use super::Need::{Default, Optional, Required};
use super::body::{PLANE, SPHERE};
use super::{Dim, Key, Kind, POSITION, RADIUS, SPACE, Table, choice, key, table};

const AT: Key = key("at", POSITION, Default("[0, 0, 0]"), "Where its origin lies.");
const TURN: Key = key(
    "turn",
    Vector(Dim::Angle, 10.0),
    Default("[0, 0, 0]"),
    "Rotation about its origin as axis times angle.",
);
const SCALE: Key = key("scale", Quantity(Dim::None, 0.01, 100.0), Default("1"), "How many times as large.");
const EDGE: Key = key(
    "edge",
    Quantity(Dim::Length, 1e-5, 10.0),
    Optional,
    "Mean length of its edges, about. Not beside `vertices`; without either there are 1,000 vertices.",
);
const VERTICES: Key = key("vertices", Count(12, 500_000), Optional, "How many vertices it has, exactly.");
const SKIN: Key = key("radius", RADIUS, Default("\"1 mm\""), "Half the thickness of its skin.");

pub(super) static READY: Table = table(
    "shape.kidney, shape.liver, shape.gallbladder, shape.stomach, shape.spleen, shape.colon",
    "The closed surface of an organ of the size it has in an adult, as it lies in a patient who stands: x to the patient's left, y to the back, z up; its origin is in its middle. It is drawn as that organ unless `look` says otherwise. Sets: of kidney and spleen `hilum`, of the liver `back`, of the gallbladder `neck` and `fundus`, of the stomach `inlet` and `outlet`, of the colon `first` and `last`.",
    &[AT, TURN, SCALE, EDGE, VERTICES, SKIN],
);

pub(super) static BALL: Table = table(
    "shape.ball",
    "The surface of a ball, of nearly even triangles. Sets: `top`, `bottom`.",
    &[
        key("center", POSITION, Required, "Its centre."),
        key("size", Quantity(Dim::Length, 1e-4, 10.0), Required, "Its diameter."),
        key("vertices", Count(12, 500_000), Default("1000"), "How many vertices it has, exactly."),
        SKIN,
    ],
);

pub(super) static ORGAN: Table = table(
    "shape.organ",
    "The closed surface of a solid made of parts: each is joined to what stands before it, cut out of it, or kept of it; where surfaces come within the blend radius of each other they flow together. Parts thinner than an edge are lost.",
    &[
        key(
            "part",
            List(&PART),
            Required,
            "The parts, in the order in which they are put together; at most 256.",
        ),
        key("taper", Kind::Table(&TAPER), Optional, "Narrows or widens the whole along an axis."),
        key("bend", Kind::Table(&BEND), Optional, "Bends the whole to an arc, after the taper."),
        key("bumps", Kind::Table(&BUMPS), Optional, "Makes the surface uneven."),
        AT,
        TURN,
        SCALE,
        EDGE,
        VERTICES,
        SKIN,
    ],
);

/// Shapes of a part.
pub const PARTS: &[&str] = &["ball", "ellipsoid", "capsule", "tube", "torus", "plane"];

static PART: Table = choice(
    "shape.organ.part",
    "A part of an organ.",
    &[
        key("ball", Kind::Table(&SPHERE), Optional, "A ball."),
        key("ellipsoid", Kind::Table(&ELLIPSOID), Optional, "An ellipsoid."),
        key("capsule", Kind::Table(&CONE), Optional, "A rod with round ends, of one radius or of two."),
        key("tube", List(&STATION), Optional, "A tube along a smooth curve through points."),
        key("torus", Kind::Table(&TORUS), Optional, "A ring."),
        key("plane", Kind::Table(&PLANE), Optional, "A half-space: only to cut or to keep."),
        key(
            "how",
            Choice(&[
                ("join", "added to what stands before it"),
                ("cut", "taken away from it"),
                ("keep", "only what lies in both stays"),
            ]),
            Default("\"join\""),
            "How it is put together with what stands before it; the first part is taken as it is.",
        ),
        key(
            "blend",
            Quantity(Dim::Length, 0.0, 10.0),
            Default("0"),
            "Over which the surfaces flow together.",
        ),
    ],
    PARTS,
);

static ELLIPSOID: Table = table(
    "part.ellipsoid",
    "An ellipsoid.",
    &[
        key("center", POSITION, Required, "Its centre."),
        key(
            "size",
            Vector(Dim::Length, SPACE),
            Required,
            "Its extents along its own axes, each larger than zero.",
        ),
        key("turn", Vector(Dim::Angle, 10.0), Default("[0, 0, 0]"), "Rotation as axis times angle."),
    ],
);

static CONE: Table = table(
    "part.capsule",
    "The hull of two balls.",
    &[
        key("from", POSITION, Required, "Centre of the first ball."),
        key("to", POSITION, Required, "Centre of the second."),
        key("radius", RADIUS, Required, "Of the first ball, and of the second where it has none of its own."),
        key("end_radius", RADIUS, Optional, "Of the second ball."),
    ],
);

static STATION: Table = table(
    "part.tube",
    "A point that a tube goes through; it needs two or more, at most 256.",
    &[key("at", POSITION, Required, "Where."), key("radius", RADIUS, Required, "How wide it is there.")],
);

static TORUS: Table = table(
    "part.torus",
    "A ring.",
    &[
        key("center", POSITION, Required, "Its centre."),
        key("axis", Direction, Default("[0, 0, 1]"), "Through its hole."),
        key("ring_radius", RADIUS, Required, "From the centre to the middle of the ring."),
        key("radius", RADIUS, Required, "Half the thickness of the ring."),
    ],
);

static TAPER: Table = table(
    "shape.organ.taper",
    "Sections across an axis are scaled: by 1 where it begins, by `to` where it ends, evenly between.",
    &[
        AT,
        key("along", Direction, Default("[0, 0, 1]"), "Where it leads."),
        key("length", Quantity(Dim::Length, 1e-5, SPACE), Required, "Over which it happens."),
        key("to", Quantity(Dim::None, 0.05, 20.0), Required, "The scale at its end."),
    ],
);

static BEND: Table = table(
    "shape.organ.bend",
    "What was straight along an axis becomes an arc.",
    &[
        key("at", POSITION, Default("[0, 0, 0]"), "A point that stays where it is."),
        key("along", Direction, Default("[0, 0, 1]"), "Along what was straight."),
        key(
            "towards",
            Direction,
            Default("[1, 0, 0]"),
            "Where the middle of the arc lies; made perpendicular to `along`.",
        ),
        key("radius", Quantity(Dim::Length, 1e-4, SPACE), Required, "Of the arc."),
    ],
);

static BUMPS: Table = table(
    "shape.organ.bumps",
    "Smooth unevenness, the same each time.",
    &[
        key("height", Quantity(Dim::Length, 0.0, 1.0), Required, "Of the highest bumps."),
        key("size", Quantity(Dim::Length, 1e-4, 10.0), Required, "From one bump to the next, about."),
        key("seed", Count(0, 4_294_967_295), Default("1"), "Another number gives other bumps."),
    ],
);
