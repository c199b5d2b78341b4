//! Solids: blocks and files of tetrahedra, materials, walls and ties.

use super::Kind::{Choice, Count, Direction, File, Flag, Indices, List, Name, Quantity, Triples, Vector};
use super::Need::{Default, Optional, Required};
use super::body::{SPHERE, STRETCH_MAX, STRETCH_MIN, UPRIGHT_BOX};
use super::{Dim, Kind, POSITION, SPACE, Table, choice, key, table};

pub(super) static BLOCK: Table = table(
    "shape.block",
    "A block of tetrahedra, six in each cell. Sets: `left`, `right` (ends of x), `front`, `back` (of y), `bottom`, `top` (of z).",
    &[
        key("corner", POSITION, Default("[0, 0, 0]"), "Its lowest corner."),
        key("size", Vector(Dim::Length, SPACE), Required, "Its edges, each larger than zero."),
        key(
            "cell",
            Quantity(Dim::Length, 1e-5, 10.0),
            Required,
            "Edge of a cell, about: a whole number of them fits.",
        ),
    ],
);

pub(super) static TUBE: Table = table(
    "shape.tube",
    "A tube or cable of tetrahedra, six in each cell, straight or along an arc. Sets: `start`, `end` (as long as `control`), `first`, `middle`, `last` (single sections), `outer`, `inner`.",
    &[
        key("from", POSITION, Default("[0, 0, 0]"), "The middle of its first end."),
        key("direction", Direction, Default("[1, 0, 0]"), "Where it leads there."),
        key("towards", Direction, Default("[0, 1, 0]"), "Where it bends, if it does."),
        key("length", Quantity(Dim::Length, 1e-4, SPACE), Required, "Along its middle."),
        key("outer_diameter", Quantity(Dim::Length, 1e-4, 10.0), Required, "Of its outside."),
        key("inner_diameter", Quantity(Dim::Length, 1e-5, 10.0), Required, "Of its bore."),
        key(
            "control",
            Quantity(Dim::Length, 0.0, SPACE),
            Optional,
            "Length of the sets `start` and `end`; the outer diameter if left out.",
        ),
        key(
            "curvature",
            Quantity(Dim::Curvature, 0.0, 1e4),
            Default("0"),
            "Of its middle at rest, one by the radius; 0 for a straight tube.",
        ),
        key("axial", Count(1, 100_000), Required, "Cells along it."),
        key("azimuthal", Count(3, 10_000), Required, "Cells around it."),
        key("radial", Count(1, 1000), Required, "Cells through its wall."),
        key(
            "hollow",
            Flag,
            Default("true"),
            "Whether its bore is part of its surface; false for a cable, whose bore is too narrow to be seen.",
        ),
    ],
);

pub(super) static TETS: Table = table(
    "shape.tets",
    "Tetrahedra from a file, among others Gmsh, Medit, VTK or TetGen; its parts are joined. Those inside out are turned, and counted in a note. Of elements of higher order the corners are taken.",
    &[
        key("file", File, Required, "Path from the folder of the scene file."),
        key(
            "unit",
            Quantity(Dim::Length, 1e-6, 1000.0),
            Default("\"1 m\""),
            "Length of one unit of the file.",
        ),
        key("at", POSITION, Default("[0, 0, 0]"), "Where the origin of the file lies."),
    ],
);

pub(super) static ELEMENTS: Table = table(
    "shape.elements",
    "Tetrahedra written out, as in table 1 of Klimenko, Nikitina and Nikitin (2004); larger ones go into a file for shape.tets. Nodes are counted from 0. Those inside out are turned, and counted in a note.",
    &[
        key("nodes", Triples(&[(Dim::Length, -SPACE, SPACE); 3]), Required, "Where each node lies."),
        key("tets", Indices(4, 4), Required, "The nodes of each tetrahedron."),
        key(
            "materials",
            Triples(&[(Dim::Density, 0.0, 1e9), (Dim::Pressure, 0.0, 1e12), (Dim::None, -1.0, 1.0)]),
            Optional,
            "Density, Young's modulus and Poisson's ratio of each tetrahedron, for model.flexible; those of the model if left out.",
        ),
        key(
            "strips",
            Indices(3, 1 << 20),
            Optional,
            "The nodes of each strip of triangles of the surface that is seen and touched; all of the surface if left out.",
        ),
        key(
            "flags",
            Kind::Text,
            Optional,
            "A character for each node: those of one character are the set `control-` and it. `0`, `-` and `.` are none; blanks do not count.",
        ),
        key("at", POSITION, Default("[0, 0, 0]"), "Where the origin of the nodes lies."),
    ],
);

pub(super) const YOUNG: Kind = Quantity(Dim::Pressure, 0.0, 1e12);
pub(super) const POISSON: Kind = Quantity(Dim::None, -1.0, 1.0);
pub(super) const DENSITY: Kind = Quantity(Dim::Density, 0.0, 1e9);
const LAW: Kind = Choice(&[
    ("neo-hookean", "stable neo-Hookean: soft tissue under large strains, and the fastest"),
    ("corotated", "linear in a frame that turns with each tetrahedron (Stomakhin et al. 2012)"),
]);

const DESCENT: Kind = Choice(&[
    (
        "auto",
        "all at once, now and then, where the sweeps are too few for vertices alone and it takes no longer",
    ),
    ("vertex", "every vertex in turn to its exact minimum: soft, short and small bodies"),
    (
        "global",
        "all at once in every sweep, on a factor made when the scene is baked: stiff, slender and finely cut bodies, two sweeps and more",
    ),
]);

pub(super) const ELEMENT: Kind = Choice(&[
    (
        "linear",
        "four nodes: the fastest; too stiff where tissue keeps its volume (they lock), unless they are small",
    ),
    (
        "quadratic",
        "ten nodes, six in the middles of edges: right at Poisson's ratios up to 0.49 with few of them; `descent` is global, at most 50,000 nodes; not with response `qp`",
    ),
]);

pub(super) static SOLID: Table = table(
    "model.solid",
    "Tetrahedra of an elastic material, moved by backward Euler: vertices go to their minimum in turn or all at once (`descent`), and the world's `sweeps` say how often. It touches others, and itself, with response = \"augmented-lagrangian\" or \"qp\"; tools can hold it with any.",
    &[
        key(
            "young",
            YOUNG,
            Required,
            "Young's modulus. It is what `NAME.stiffness` tunes; regions keep their ratios to it.",
        ),
        key("poisson", POISSON, Default("0.45"), "Poisson's ratio, from 0 to less than one half."),
        key("density", DENSITY, Default("\"1060 kg/m3\""), "Mass of a piece of volume."),
        key("law", LAW, Default("\"neo-hookean\""), "How it resists large strains."),
        key(
            "relaxation",
            Quantity(Dim::Time, 0.0, 10.0),
            Default("\"5 ms\""),
            "Viscous forces are the elastic ones of the strain that this time brings.",
        ),
        key("element", ELEMENT, Default("\"linear\""), "How tetrahedra bend."),
        key("descent", DESCENT, Default("\"auto\""), "How a step finds its end."),
        key(
            "thickness",
            Quantity(Dim::Length, 1e-5, 0.05),
            Optional,
            "Of its surface, as others touch it (response = \"augmented-lagrangian\" or \"qp\"): half of it lies outside. 1 mm where none is given, or a fifth of the mean edge of the surface where that is less.",
        ),
        STRETCH_MAX,
        STRETCH_MIN,
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
            "How a surface is filled with tetrahedra; without it there are about 10,000, or 1,250 quadratic ones. Not for shapes that have tetrahedra.",
        ),
        key("wall", List(&WALL), Optional, "Springs that hold vertices where they are at rest."),
        key("tie", List(&TIE), Optional, "Springs to another solid."),
    ],
);

pub(super) static FILL: Table = table(
    "model.solid.fill",
    "A closed surface (an organ, a ball, a mesh file) is filled with tetrahedra and drawn as it is, moved by them. Write `edge` or `tets`. All surfaces of a scene are filled with at most 2,000,000.",
    &[
        key("edge", Quantity(Dim::Length, 1e-5, 10.0), Optional, "Length of edges at the surface, about."),
        key("tets", Count(20, 2_000_000), Optional, "Number of tetrahedra, about."),
        key(
            "coarsest",
            Quantity(Dim::None, 1.0, 64.0),
            Default("4"),
            "How many times longer edges may be deep inside.",
        ),
    ],
);

pub(super) static REGION: Table = choice(
    "model.solid.region",
    "Tetrahedra of another material, chosen by a ball or a box that holds their centres, or by the number of their region in the file. What is not said is as in the body.",
    &[
        key("name", Name, Required, "What it is called."),
        key("ball", Kind::Table(&SPHERE), Optional, "Those with their centres in a ball."),
        key("box", Kind::Table(&UPRIGHT_BOX), Optional, "Those with their centres in a box."),
        key("number", Count(0, 1_000_000_000), Optional, "Those of a region of the file."),
        key("young", YOUNG, Optional, "Young's modulus."),
        key("poisson", POISSON, Optional, "Poisson's ratio."),
        key("density", DENSITY, Optional, "Mass of a piece of volume."),
    ],
    &["ball", "box", "number"],
);

static WALL: Table = choice(
    "model.solid.wall",
    "Springs that hold vertices where they are at rest, as ligaments and the wall of the abdomen do. Write `stiffness` or `bedding`.",
    &[
        key("name", Kind::Text, Optional, "A named set of the shape."),
        key("box", Kind::Table(&UPRIGHT_BOX), Optional, "All vertices in a box."),
        key("plane", Kind::Table(&super::body::PLANE), Optional, "All vertices on or below a plane."),
        key("stiffness", Quantity(Dim::Stiffness, 0.0, 1e9), Optional, "Of all of them together."),
        key("bedding", Quantity(Dim::Bedding, 0.0, 1e12), Optional, "Of a piece of the surface."),
    ],
    &["name", "box", "plane"],
);

static TIE: Table = choice(
    "model.solid.tie",
    "Springs from vertices to another solid: to the place of it that each lies in, or to its nearest vertex. They have no tension at the start.",
    &[
        key("name", Kind::Text, Optional, "A named set of the shape."),
        key("box", Kind::Table(&UPRIGHT_BOX), Optional, "All vertices in a box."),
        key("plane", Kind::Table(&super::body::PLANE), Optional, "All vertices on or below a plane."),
        key("to", Kind::BodyName, Required, "The other solid."),
        key("reach", Quantity(Dim::Length, 0.0, 10.0), Default("\"5 mm\""), "The farthest that is tied."),
        key("stiffness", Quantity(Dim::Stiffness, 0.0, 1e9), Required, "Of all of them together."),
    ],
    &["name", "box", "plane"],
);
