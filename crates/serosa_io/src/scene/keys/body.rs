//! Bodies: shapes, models and attachments.

use super::Kind::{Choice, Count, Direction, File, Flag, List, Name, Quantity, Text, Vector};
use super::Need::{Default, Optional, Required};
use super::flexible::FLEXIBLE;
use super::organ::{BALL, ORGAN, READY};
use super::solid::{BLOCK, ELEMENTS, SOLID, TETS, TUBE};
use super::{Dim, Key, Kind, MASS, POSITION, RADIUS, SPACE, STIFFNESS, Table, choice, key, table};

pub(super) static BODY: Table = table(
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
        key(
            "self_contact",
            Flag,
            Default("true"),
            "Whether its parts may touch one another; those of model.flexible only where this is written, since they hardly ever come so far.",
        ),
        key(
            "membrane_contact",
            Flag,
            Default("false"),
            "Whether parts of an intestine's membrane may touch one another as well. It is soft and thin, so leaving this out changes little and saves much.",
        ),
        key("attach", List(&ATTACH), Optional, "Vertices held where they are."),
        key(
            "look",
            Choice(&[
                ("table", "a covered table"),
                ("tissue", "moist, dark tissue; a plane becomes the floor of the abdomen"),
                ("bowel", "a chain as small intestine, a fixed rod as colon"),
                ("steel", "brushed steel"),
                ("kidney", "brownish red"),
                ("liver", "dark red-brown"),
                ("gallbladder", "green"),
                ("stomach", "pink"),
                ("spleen", "purple"),
                ("colon", "pale pink"),
                ("weave", "a membrane as a surgical mesh of pale threads"),
                ("rubber", "a closed surface as amber rubber, parts of other materials grey"),
                ("plastic", "a closed surface as clear plastic"),
            ]),
            Optional,
            "What it is drawn as; nothing else depends on it. Without it planes are tables, intestines are bowel, and organs are what they are.",
        ),
    ],
);

static SHAPE: Table = choice(
    "shape",
    "The geometry of a body. Edges of chains, nets, membranes, organs and meshes collide as capsules.",
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
        key(
            "intestine",
            Kind::Table(&INTESTINE),
            Optional,
            "A small intestine with its mesentery: a folded tube, joined by a membrane to the vessels.",
        ),
        key("mesh", Kind::Table(&MESH), Optional, "A mesh from a file."),
        key("kidney", Kind::Table(&READY), Optional, "A right kidney, 11 cm long."),
        key("liver", Kind::Table(&READY), Optional, "A liver, 22 cm wide."),
        key("gallbladder", Kind::Table(&READY), Optional, "A gallbladder, 9 cm long."),
        key("stomach", Kind::Table(&READY), Optional, "A stomach, 25 cm long."),
        key("spleen", Kind::Table(&READY), Optional, "A spleen, 12 cm long."),
        key(
            "colon",
            Kind::Table(&READY),
            Optional,
            "A colon without its sigmoid, 80 cm long: it frames the small intestine.",
        ),
        key("ball", Kind::Table(&BALL), Optional, "The surface of a ball."),
        key(
            "organ",
            Kind::Table(&ORGAN),
            Optional,
            "The surface of a solid of your own, made of blended parts.",
        ),
        key("block", Kind::Table(&BLOCK), Optional, "A block of tetrahedra."),
        key("tube", Kind::Table(&TUBE), Optional, "A tube or cable of tetrahedra."),
        key("tets", Kind::Table(&TETS), Optional, "Tetrahedra from a file."),
        key("elements", Kind::Table(&ELEMENTS), Optional, "Tetrahedra written out."),
        key("plane", Kind::Table(&PLANE), Optional, "A half-space: floor or wall."),
        key("sphere", Kind::Table(&SPHERE), Optional, "A ball."),
        key("capsule", Kind::Table(&CAPSULE), Optional, "A rod with round ends."),
        key("box", Kind::Table(&BOX), Optional, "A box."),
    ],
    &[
        "chain",
        "helix",
        "net",
        "membrane",
        "intestine",
        "mesh",
        "kidney",
        "liver",
        "gallbladder",
        "stomach",
        "spleen",
        "colon",
        "ball",
        "organ",
        "block",
        "tube",
        "tets",
        "elements",
        "plane",
        "sphere",
        "capsule",
        "box",
    ],
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

static INTESTINE: Table = table(
    "shape.intestine",
    "A curve on a cylinder, joined to the axis by straight lines (Raghupathi et al. 2003). The axis is the root of the mesentery, where the vessels lie: it is held. A tube of the published width has no room at the start, so it begins as wide as is free and widens. Sets: `border` (the tube), `root`, and on the tube `first`, `middle`, `last`, `ends`.",
    &[
        key(
            "layout",
            Choice(&[
                ("helicoid", "several turns around the axis, evenly spaced"),
                ("zig-zag", "up and down once around the axis, as published"),
            ]),
            Default("\"helicoid\""),
            "How the curve runs at the start.",
        ),
        key("rows", Count(2, 16), Default("4"), "Nodes from tube to root, both included."),
        key("columns", Count(3, 2000), Default("100"), "Nodes along the tube."),
        key("length", Quantity(Dim::Length, 1e-3, SPACE), Default("\"4 m\""), "Of the tube."),
        key("width", Quantity(Dim::Length, 1e-3, 10.0), Default("\"15 cm\""), "From root to tube."),
        key("root", Quantity(Dim::Length, 1e-3, 10.0), Default("\"10 cm\""), "Length of the root."),
        key("radius", RADIUS, Default("\"2 cm\""), "Of the tube, in the end."),
        key("start_radius", RADIUS, Optional, "Of the tube, at the start; as wide as is free if left out."),
        key(
            "inflation",
            Quantity(Dim::Time, 0.0, 1e4),
            Default("\"2 s\""),
            "How long the tube takes to widen.",
        ),
        key("thickness", Quantity(Dim::Length, 1e-5, 1.0), Default("\"1 cm\""), "Of the membrane."),
        key("at", POSITION, Default("[0, 0, 0]"), "Where the root begins."),
        key("direction", Direction, Default("[0, 0, 1]"), "Where the root leads."),
        key(
            "angle",
            Quantity(Dim::Angle, -10.0, 10.0),
            Default("0"),
            "Where the tube begins, about the root: 0 is uppermost, or along x if the root stands upright.",
        ),
    ],
);

static MESH: Table = table(
    "shape.mesh",
    "A mesh from a file, among others OBJ, STL, PLY, OFF or glTF; its parts are joined, and its edges become springs and capsules, its triangles faces that can be touched. Points that coincide stay apart: weld seams before exporting. With model.solid its surface is filled with tetrahedra instead; `radius` then means nothing yet.",
    &[
        key("file", File, Required, "Path from the folder of the scene file."),
        key(
            "unit",
            Quantity(Dim::Length, 1e-6, 1000.0),
            Default("\"1 m\""),
            "Length of one unit of the file.",
        ),
        key("at", POSITION, Default("[0, 0, 0]"), "Where the origin of the file lies."),
        key("radius", RADIUS, Default("\"1 mm\""), "Half the thickness of its edges, or of its skin."),
    ],
);

pub(super) static PLANE: Table = table(
    "shape.plane",
    "A half-space, solid below.",
    &[
        key("point", POSITION, Default("[0, 0, 0]"), "A point of the plane."),
        key("normal", Direction, Default("[0, 0, 1]"), "Out of the solid side."),
    ],
);

pub(super) static SPHERE: Table = table(
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
        key(
            "band",
            Kind::Table(&BAND),
            Optional,
            "A chain, a helix or an intestine that resists stretching and bending, solved as a whole.",
        ),
        key(
            "tissue",
            Kind::Table(&TISSUE),
            Optional,
            "A surface of triangles that keeps its lengths, areas, folds, volume and shape: an organ, or a sheet.",
        ),
        key(
            "solid",
            Kind::Table(&SOLID),
            Optional,
            "Tetrahedra of an elastic material: a block, a file of them, or a closed surface filled with them.",
        ),
        key(
            "flexible",
            Kind::Table(&FLEXIBLE),
            Optional,
            "Tetrahedra of linear elasticity, solved beforehand and moved by control elements: a tube, a cable, a block, a file, or a closed surface.",
        ),
        key("rigid", Kind::Table(&RIGID), Optional, "A movable solid."),
        key("fixed", Kind::Table(&FIXED), Optional, "A solid that stays where it is: `model.fixed = {}`."),
    ],
    &["springs", "band", "tissue", "solid", "flexible", "rigid", "fixed"],
);

/// Strain limits, of everything that has edges.
pub(super) const STRETCH_MAX: Key = key(
    "stretch_max",
    Quantity(Dim::Strain, 0.0, 1e3),
    Optional,
    "The strain that no edge exceeds, as in `\"10 %\"`. Kept by response `qp` alone.",
);
pub(super) const STRETCH_MIN: Key = key(
    "stretch_min",
    Quantity(Dim::Strain, -1.0, 0.0),
    Optional,
    "The strain below which no edge falls, as in `\"-5 %\"`. Kept by response `qp` alone.",
);

static SPRINGS: Table = table(
    "model.springs",
    "Point masses and damped springs along the edges, integrated spring by spring with implicit impulses.",
    &[
        key("mass", MASS, Required, "Of the whole body, shared out by length of edge."),
        key("stiffness", STIFFNESS, Required, "Of each edge. A chain of n edges in a row is n times softer."),
        key("damping", Quantity(Dim::Damping, 0.0, 1e6), Default("0"), "Of each edge."),
        key("bending", STIFFNESS, Default("0"), "Of springs across every two edges in line; 0 for none."),
        key(
            "tube_mass",
            MASS,
            Optional,
            "Of the tube of an intestine, shared out by length; `mass` is then that of its membrane, shared out by area. Goes with `tube_stiffness`.",
        ),
        key("tube_stiffness", STIFFNESS, Optional, "Of each edge along the tube of an intestine."),
        STRETCH_MAX,
        STRETCH_MIN,
    ],
);

static BAND: Table = table(
    "model.band",
    "An elastic rope, or a tube with its membrane, moved by backward Euler: Newton's method on a band matrix. Stiffnesses are those of the material and do not change when the body is cut finer.",
    &[
        key(
            "mass",
            MASS,
            Required,
            "Of a rope, shared out by length, or of an intestine's membrane, by area.",
        ),
        key("tube_mass", MASS, Optional, "Of the tube of an intestine, shared out by length."),
        key(
            "tube_stretch",
            Quantity(Dim::Force, 0.0, 1e7),
            Default("\"800 N\""),
            "Along tube or rope: force for a stretch of one, Young's modulus times section. 800 N are 20 kN/m for an edge of 4 cm.",
        ),
        key(
            "tube_bending",
            Quantity(Dim::Rigidity, 0.0, 1e4),
            Default("\"2.6 mN m2\""),
            "Across tube or rope: moment for a curvature of one, Young's modulus times second moment of area. 2.6 mN m2 are a wall of 2.5 mm and 50 kPa around a radius of 2 cm.",
        ),
        key(
            "stiffness",
            STIFFNESS,
            Default("\"200 N/m\""),
            "Of the membrane: Young's modulus times thickness.",
        ),
        key(
            "bending",
            Quantity(Dim::Moment, 0.0, 1e4),
            Default("\"0.1 mN m\""),
            "Of the membrane: moment by width for a curvature of one.",
        ),
        key(
            "relaxation",
            Quantity(Dim::Time, 0.0, 10.0),
            Default("\"10 ms\""),
            "Viscous forces are the elastic ones of the strain that this time brings.",
        ),
    ],
);

static TISSUE: Table = table(
    "model.tissue",
    "A surface of triangles with the energies of Teschner et al. (2004), as the LAPAROS simulator uses them, moved by backward Euler. Stiffnesses are those of the material and do not change when the surface is cut finer. Write `mass` or `surface_density`.",
    &[
        key("mass", MASS, Optional, "Of the whole body, shared out by area."),
        key(
            "surface_density",
            Quantity(Dim::SurfaceDensity, 1e-6, 1e4),
            Optional,
            "Mass of a piece of area.",
        ),
        key(
            "stiffness",
            Quantity(Dim::Stiffness, 0.0, 1e6),
            Default("\"50 N/m\""),
            "Along the surface: Young's modulus times thickness. Kept by the lengths of edges.",
        ),
        key(
            "area",
            Quantity(Dim::Stiffness, 0.0, 1e6),
            Default("\"20 N/m\""),
            "Against changes of area: tension for a change of one. Kept by every triangle.",
        ),
        key(
            "bending",
            Quantity(Dim::Moment, 0.0, 100.0),
            Default("\"0.05 mN m\""),
            "Moment by width for a curvature of one. Kept by virtual tetrahedra, one for every two triangles at an edge; 0 for none.",
        ),
        key(
            "bulk",
            Quantity(Dim::Pressure, 0.0, 1e9),
            Default("0"),
            "Pressure for a change of the enclosed volume of one; 0 where it is not kept. Needs a closed surface.",
        ),
        key(
            "restoration",
            Quantity(Dim::Rate, 0.0, 1e4),
            Default("0"),
            "Every vertex is pulled to its place in the rest shape as if it swung with this rate (2π times its frequency). The rest shape moves with a body that is free, and stays where it is for one that is attached at three places or more. 0 for none: the body then has the shape that its edges, areas and volume leave it.",
        ),
        key(
            "relaxation",
            Quantity(Dim::Time, 0.0, 10.0),
            Default("\"10 ms\""),
            "Viscous forces are the elastic ones of the strain that this time brings.",
        ),
        key(
            "integrator",
            Choice(&[
                (
                    "implicit",
                    "backward Euler: stable at any step; the world's `sweeps` are its conjugate gradients, or, with the augmented Lagrangian, steps of Newton's method with up to six each",
                ),
                (
                    "verlet",
                    "the explicit scheme of the original; refused where the step is too long for it, with the augmented Lagrangian and with the quadratic programme",
                ),
            ]),
            Default("\"implicit\""),
            "How it is moved.",
        ),
        STRETCH_MAX,
        STRETCH_MIN,
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
        key("box", Kind::Table(&UPRIGHT_BOX), Optional, "All vertices in a box."),
        key("plane", Kind::Table(&PLANE), Optional, "All vertices on or below a plane."),
    ],
    &["name", "box", "plane"],
);

pub(super) static UPRIGHT_BOX: Table = table(
    "body.attach.box, probe.cover.box",
    "An upright box.",
    &[
        key("min", POSITION, Required, "Its lowest corner."),
        key("max", POSITION, Required, "Its highest corner."),
    ],
);
