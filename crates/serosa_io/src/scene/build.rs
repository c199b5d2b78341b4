//! From a checked tree to a raw scene. Parts with mistakes are left out, so that the rest can still be
//! checked in the same go.

use super::elements;
use super::flexible;
use super::mesh_file;
use super::nearest::nearest;
use super::organ::{self, Order};
use super::problem::Problem;
use super::solid;
use super::tool;
use super::unit::{self, Dim};
use super::walk::{Node, Value};
use super::world;
use super::{FileReader, Organs, UsedFile};
use serosa_bake::raw::{
    Camera, Place, RawBand, RawBody, RawFilled, RawGeometry, RawMeasure, RawModel, RawPlace, RawProbe,
    RawScene, RawSolid, RawStrip, RawTets, RawTissue, RawTunable, SpringTube, SurfaceMass, Text,
};
use serosa_bake::scene::VERTICES_MAX;
use serosa_geometry::generate::intestine::{Intestine, Layout, intestine};
use serosa_geometry::{Aabb, Mesh, Vec3, generate, rotation};
use serosa_sim::energy::EnergyKind;
use serosa_sim::model::{Integrator, Pose};
use serosa_sim::probe::ReactionKind;
use std::ops::Range;

/// A raw scene, where its parts stand in the file, and the mesh files it used.
pub struct Built {
    pub raw: RawScene,
    pub spans: Vec<(Place, Range<usize>)>,
    pub files: Vec<UsedFile>,
    /// Surfaces of organs, in the order of the file.
    pub organs: Vec<Mesh>,
}

/// Builds what is sound and notes what is wrong beyond the form of the keys.
pub fn build(root: &Node, read_file: FileReader, organs: Organs, problems: &mut Vec<Problem>) -> Built {
    let names = |key: &str| root.list(key).iter().map(|n| n.text("name")).filter(|n| !n.is_empty()).collect();
    let mut builder = Builder {
        bodies: names("body"),
        tools: names("tool"),
        broken: Vec::new(),
        vertices: 0,
        read_file,
        organs,
        problems,
        built: Built { raw: RawScene::default(), spans: Vec::new(), files: Vec::new(), organs: Vec::new() },
    };
    builder.scene(root);
    builder.built
}

struct Builder<'a> {
    /// Names of all bodies in the file, broken ones included.
    bodies: Vec<String>,
    /// Names of all tools in the file, broken ones included.
    tools: Vec<String>,
    /// Names of what could not be built.
    broken: Vec<String>,
    /// Vertices asked for so far.
    vertices: u64,
    read_file: FileReader<'a>,
    organs: Organs,
    problems: &'a mut Vec<Problem>,
    built: Built,
}

impl Builder<'_> {
    fn scene(&mut self, root: &Node) {
        self.built.raw.title = root.text("title");
        self.built.raw.about = root.text("about");
        if let Some(world) = root.table("world").filter(|w| w.sound) {
            self.built.raw.world = world::world(world);
        }
        for node in root.list("body") {
            match if node.sound { self.body(node) } else { None } {
                Some(body) => {
                    let i = self.built.raw.bodies.len();
                    self.mark(Place::Body(i), node.span_of("name"));
                    self.mark(Place::Fill(i), solid::fill_span(node));
                    for (k, attach) in node.list("attach").iter().enumerate() {
                        self.mark(Place::Attachment(i, k), attach.span_of("name"));
                    }
                    self.built.raw.bodies.push(body);
                }
                None => self.broken.push(node.text("name")),
            }
        }
        for node in root.list("tool") {
            if node.sound {
                tool::in_order(node.list("move"), self.problems);
                self.mark(Place::Tool(self.built.raw.tools.len()), node.span_of("name"));
                self.built.raw.tools.push(tool::tool(node));
            } else {
                self.broken.push(node.text("name"));
            }
        }
        for node in root.list("probe").iter().filter(|n| n.sound) {
            if let Some(probe) = self.probe(node) {
                let at = node.chosen(PROBE_KINDS).map_or("name", |c| c.0);
                self.mark(Place::Probe(self.built.raw.probes.len()), node.span_of(at));
                self.built.raw.probes.push(probe);
            }
        }
        for node in root.list("tune").iter().filter(|n| n.sound) {
            if let Some(tunable) = self.tunable(node) {
                self.mark(Place::Tunable(self.built.raw.tunables.len()), node.span_of("target"));
                self.built.raw.tunables.push(tunable);
            }
        }
        self.built.raw.camera = root.table("camera").filter(|n| n.sound).map(|n| Camera {
            eye: n.vector("eye"),
            target: n.vector("target"),
            angle: n.si("angle"),
        });
        let texts = root.list("text").iter().filter(|n| n.sound);
        self.built.raw.texts = texts.map(|n| Text { text: n.text("text"), at: n.vector("at") }).collect();
    }

    fn mark(&mut self, place: Place, span: Range<usize>) {
        self.built.spans.push((place, span));
    }

    fn problem(&mut self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::new(span, message, help));
    }

    /// What was made; a problem is kept, and nothing given.
    fn sound<T>(&mut self, made: Result<T, Problem>) -> Option<T> {
        made.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn body(&mut self, node: &Node) -> Option<RawBody> {
        let (shape, Value::Table(geometry)) = node.table("shape")?.only()? else { return None };
        let (model, Value::Table(material)) = node.table("model")?.only()? else { return None };
        Some(RawBody {
            name: node.text("name"),
            geometry: match model {
                "flexible" if flexible::is_boundary(material) => self.unfilled(shape, geometry, material)?,
                "solid" | "flexible" => self.filled(shape, geometry, material)?,
                _ => self.geometry(shape, geometry)?,
            },
            model: match model {
                "springs" => RawModel::Springs {
                    mass: material.si("mass"),
                    stiffness: material.si("stiffness"),
                    damping: material.si("damping"),
                    bending: material.si("bending"),
                    tube: self.spring_tube(material)?,
                },
                "band" => RawModel::Band(band(material)),
                "tissue" => RawModel::Tissue(self.tissue(material)?),
                "solid" => RawModel::Solid(self.sound(solid::elastic(node.text("name"), material))?),
                "flexible" => RawModel::Flexible(Box::new(flexible::flexible(
                    node.text("name"),
                    material,
                    self.problems,
                ))),
                "rigid" => RawModel::Rigid { mass: material.si("mass") },
                _ => RawModel::Fixed,
            },
            friction: node.si("friction"),
            drag: node.si("drag"),
            stretch: [("stretch_min", -1.0), ("stretch_max", f64::INFINITY)]
                .map(|(key, none)| material.real(key).unwrap_or(none)),
            self_contact: node.flag("self_contact")
                && (model != "flexible" || node.is_written("self_contact")),
            membrane_contact: node.flag("membrane_contact"),
            attachments: node.list("attach").iter().filter_map(solid::selector).collect(),
            finish: organ::look(node.choice("look"), shape),
        })
    }

    /// The tube's own springs: both keys or neither. `None` where one is missing.
    fn spring_tube(&mut self, n: &Node) -> Option<Option<SpringTube>> {
        match (n.real("tube_mass"), n.real("tube_stiffness")) {
            (Some(mass), Some(stiffness)) => Some(Some(SpringTube { mass, stiffness })),
            (None, None) => Some(None),
            (mass, _) => {
                let (has, lacks) = match mass {
                    Some(_) => ("tube_mass", "tube_stiffness"),
                    None => ("tube_stiffness", "tube_mass"),
                };
                let message = format!("`{has}` stands without `{lacks}`");
                self.problem(n.span_of(has), message, "write both, or neither");
                None
            }
        }
    }

    /// `None` where its mass is missing or said twice.
    fn tissue(&mut self, n: &Node) -> Option<RawTissue> {
        let mass = match (n.real("mass"), n.real("surface_density")) {
            (Some(mass), None) => SurfaceMass::Total(mass),
            (None, Some(density)) => SurfaceMass::ByArea(density),
            (Some(_), Some(_)) => {
                let help = "leave one of them out";
                self.problem(n.span_of("mass"), "tissue has both `mass` and `surface_density`", help);
                return None;
            }
            (None, None) => {
                let help = "write mass = \"200 g\" or surface_density = \"3 kg/m2\"";
                self.problem(n.span.clone(), "tissue has neither `mass` nor `surface_density`", help);
                return None;
            }
        };
        Some(RawTissue {
            mass,
            stiffness: n.si("stiffness"),
            area: n.si("area"),
            bending: n.si("bending"),
            bulk: n.si("bulk"),
            restoration: n.si("restoration"),
            relaxation_s: n.si("relaxation"),
            integrator: if n.choice("integrator") == "verlet" {
                Integrator::Verlet
            } else {
                Integrator::Implicit
            },
        })
    }

    /// The geometry of a solid: where it is a surface, one to be filled.
    fn filled(&mut self, shape: &str, n: &Node, model: &Node) -> Option<RawGeometry> {
        let how = self.sound(solid::fill_of(model))?;
        let recipe = Order::of(shape, n).and_then(Result::ok).map(|order| order.recipe());
        let quadratic = solid::is_quadratic(model);
        if quadratic && shape == "block" {
            // The others count when they are there.
            let (block, _) = self.sound(solid::block_of(n))?;
            self.count(solid::middles_of(&block), n)?;
        }
        match self.geometry(shape, n)? {
            RawGeometry::Mesh { mesh: surface, .. } if recipe.is_some() || shape == "mesh" => {
                self.sound(solid::without_skin(n))?;
                Some(RawGeometry::Filled(Box::new(RawFilled { surface, recipe, how, quadratic })))
            }
            RawGeometry::Tets(tets) if quadratic && model.get("fill").is_none() => {
                Some(RawGeometry::Tets(tets.raised()))
            }
            other => {
                if model.get("fill").is_some() {
                    let help = "leave it out; blocks and shape.tets have tetrahedra already";
                    self.problem(model.span_of("fill"), "`fill` is for closed surfaces", help);
                    return None;
                }
                Some(other)
            }
        }
    }

    /// The surface that boundary elements cover: nothing is filled.
    fn unfilled(&mut self, shape: &str, n: &Node, model: &Node) -> Option<RawGeometry> {
        self.sound(flexible::surface_alone(model))?;
        match self.geometry(shape, n)? {
            RawGeometry::Tets(tets) => Some(RawGeometry::Mesh { mesh: solid::outside(&tets), radius: 0.0 }),
            other => Some(other),
        }
    }

    /// The surface of an organ.
    fn organ(&mut self, order: &Order) -> Option<Mesh> {
        let known = match &mut self.organs {
            Organs::Made => None,
            Organs::Known(known) => known.next(),
            Organs::LeftOut => Some(Mesh::default()),
        };
        let mesh = known.map_or_else(|| self.sound(order.make()), Some)?;
        self.built.organs.push(mesh.clone());
        Some(mesh)
    }

    fn geometry(&mut self, shape: &str, n: &Node) -> Option<RawGeometry> {
        let order = match Order::of(shape, n) {
            Some(Err(problem)) => {
                self.problems.push(problem);
                return None;
            }
            Some(Ok(order)) => Some(order),
            None => None,
        };
        let threads_of = n.count("nodes").max(n.count("columns") * n.count("rows"));
        self.count(order.as_ref().map_or(threads_of, Order::vertices), n)?;
        let radius = n.si("radius");
        let threads = |mesh: Mesh| Some(RawGeometry::Mesh { mesh, radius });
        let simple = |solid, pos, rot| Some(RawGeometry::Solid { solid, pose: Pose { pos, rot } });
        if let Some(order) = order {
            return self.organ(&order).and_then(threads);
        }
        match shape {
            "chain" => threads(generate::chain(n.vector("from"), n.vector("to"), n.count("nodes") as usize)),
            "helix" => threads(generate::helix(&generate::Helix {
                base: n.vector("base"),
                nodes: n.count("nodes") as usize,
                spacing: n.si("spacing"),
                radius: n.si("turn_radius"),
                pitch: n.si("pitch"),
            })),
            "net" => threads(generate::net(&self.sheet(n)?)),
            "membrane" => threads(generate::membrane(&self.sheet(n)?)),
            "intestine" => self.intestine(n).map(RawGeometry::Strip),
            "mesh" => threads(self.mesh(n)?),
            "block" => {
                let (block, vertices) = self.sound(solid::block_of(n))?;
                self.count(vertices, n)?;
                Some(RawGeometry::Tets(solid::made(&block)))
            }
            "tube" => {
                let (tube, vertices) = self.sound(solid::tube_of(n))?;
                self.count(vertices, n)?;
                Some(RawGeometry::Tets(solid::wound(&tube)))
            }
            "tets" | "elements" => self.tets(shape, n).map(RawGeometry::Tets),
            "plane" => {
                let turn = rotation::between(Vec3::Z, n.vector("normal"));
                simple(RawSolid::Plane, n.vector("point"), turn)
            }
            "sphere" => {
                simple(RawSolid::Sphere { radius }, n.vector("center"), serosa_geometry::Quat::IDENTITY)
            }
            "capsule" => {
                let (a, b) = (n.vector("from"), n.vector("to"));
                let turn = rotation::between(Vec3::Z, rotation::unit_or(b - a, Vec3::Z));
                simple(RawSolid::Capsule { length: (b - a).length(), radius }, (a + b) * 0.5, turn)
            }
            "box" => {
                let size = n.vector("size");
                if size.min_element() < 1e-5 {
                    let help = "write three lengths larger than 10 um";
                    self.problem(n.span_of("size"), "a box needs three edges larger than zero", help);
                    return None;
                }
                let turn = rotation::from_rotation_vector(n.vector("turn"));
                simple(RawSolid::Cuboid { size }, n.vector("center"), turn)
            }
            _ => None,
        }
    }

    /// Tetrahedra of a file, or written out.
    fn tets(&mut self, shape: &str, n: &Node) -> Option<RawTets> {
        self.count(n.triples("nodes").len() as u64, n)?;
        let made = match shape {
            "elements" => elements::elements(n),
            _ => solid::read(n, self.read_file, &mut self.built.files),
        };
        self.sound(made)
    }

    /// Counts vertices before anything is made, so that a small file cannot ask for a large memory. `None` where they
    /// are too many; said once is enough.
    fn count(&mut self, wanted: u64, n: &Node) -> Option<()> {
        let before = self.vertices;
        self.vertices = before.saturating_add(wanted);
        if before <= VERTICES_MAX as u64 && self.vertices > VERTICES_MAX as u64 {
            let message = format!("with this body the scene has more than {VERTICES_MAX} vertices");
            self.problem(
                n.span.clone(),
                message,
                "use fewer nodes, columns, rows or vertices, or longer edges",
            );
        }
        (self.vertices <= VERTICES_MAX as u64).then_some(())
    }

    fn sheet(&mut self, n: &Node) -> Option<generate::Sheet> {
        let sheet = generate::Sheet {
            corner: n.vector("corner"),
            along: n.vector("along"),
            across: n.vector("across"),
            columns: n.count("columns") as usize,
            rows: n.count("rows") as usize,
        };
        if sheet.along.cross(sheet.across).length() < 1e-12 {
            let help = "give the two sides different directions";
            self.problem(n.span_of("across"), "`along` and `across` do not span a sheet", help);
            return None;
        }
        Some(sheet)
    }

    fn intestine(&mut self, n: &Node) -> Option<RawStrip> {
        let size = Intestine {
            layout: if n.choice("layout") == "zig-zag" { Layout::ZigZag } else { Layout::Helicoid },
            rows: n.count("rows") as usize,
            columns: n.count("columns") as usize,
            length: n.si("length"),
            radius: n.si("width"),
            height: n.si("root"),
            origin: n.vector("at"),
            direction: n.vector("direction"),
            angle: n.si("angle"),
        };
        match intestine(&size) {
            Ok(strip) => Some(RawStrip {
                strip,
                radius: n.si("radius"),
                start_radius: n.real("start_radius"),
                inflation_s: n.si("inflation"),
                half_thickness: 0.5 * n.si("thickness"),
            }),
            Err(error) => {
                self.problem(n.span.clone(), error.message, error.help);
                None
            }
        }
    }

    fn mesh(&mut self, n: &Node) -> Option<Mesh> {
        match mesh_file::read(&n.text("file"), self.read_file) {
            Ok((mut mesh, files)) => {
                let (unit, at) = (n.si("unit"), n.vector("at"));
                mesh.points.iter_mut().for_each(|p| *p = *p * unit + at);
                self.built.files.extend(files);
                Some(mesh)
            }
            Err((message, help)) => {
                self.problem(n.span_of("file"), message, help);
                None
            }
        }
    }

    fn probe(&mut self, node: &Node) -> Option<RawProbe> {
        let (kind, value) = node.chosen(PROBE_KINDS)?;
        let span = node.span_of(kind);
        let measure = match (kind, value) {
            ("position", Value::Table(n)) => RawMeasure::Position(self.place(n)?),
            ("support_force", Value::Table(n)) => RawMeasure::SupportForce(self.place(n)?),
            ("distance", Value::Table(n)) => {
                RawMeasure::Distance(self.place(n.table("from")?)?, self.place(n.table("to")?)?)
            }
            ("energy", Value::Table(n)) => {
                let body = n.get("body").is_some().then(|| n.text("body"));
                if let Some(name) = &body {
                    self.known(name, true, n.span_of("body"))?;
                }
                RawMeasure::Energy(energy_kind(n.choice("kind")), body)
            }
            ("reaction", Value::Table(n)) => {
                let body = n.text("body");
                self.known(&body, true, n.span_of("body"))?;
                let torque = n.choice("kind") == "torque";
                let kind = if torque { ReactionKind::Torque } else { ReactionKind::Force };
                RawMeasure::Reaction(body, n.text("control"), kind)
            }
            ("cover", Value::Table(n)) => {
                let body = n.text("body");
                self.known(&body, true, n.span_of("body"))?;
                let goal = n.table("box")?;
                let goal = Aabb { min: goal.vector("min"), max: goal.vector("max") };
                RawMeasure::Cover { body, goal, from: n.vector("from") }
            }
            ("hand_force", Value::Text(name)) => {
                self.known(name, false, span)?;
                RawMeasure::HandForce(name.clone())
            }
            ("length", Value::Text(name)) => {
                self.known(name, true, span)?;
                RawMeasure::Length(name.clone())
            }
            ("contact_force", Value::Text(name)) => {
                self.known(name, true, span)?;
                RawMeasure::ContactForce(name.clone())
            }
            _ => return None,
        };
        Some(RawProbe { name: node.text("name"), measure })
    }

    fn place(&mut self, node: &Node) -> Option<RawPlace> {
        let body = node.text("body");
        self.known(&body, true, node.span_of("body"))?;
        Some(RawPlace { body, at: node.text("at") })
    }

    /// Whether a name belongs to something that was built; a name that belongs to nothing is a mistake, and
    /// one that belongs to a broken part has been answered for already.
    fn known(&mut self, name: &str, bodies_too: bool, span: Range<usize>) -> Option<()> {
        let bodies = self.bodies.iter().filter(|_| bodies_too);
        let all: Vec<&str> = bodies.chain(&self.tools).map(String::as_str).collect();
        if all.contains(&name) {
            return (!self.broken.iter().any(|b| b == name)).then_some(());
        }
        let kind = if bodies_too { "body or tool" } else { "tool" };
        let help = match nearest(name, all.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if all.is_empty() => format!("the scene has no {kind} yet"),
            None => format!("the scene has: {}", all.join(", ")),
        };
        self.problem(span, format!("there is no {kind} called \"{name}\""), help);
        None
    }

    fn tunable(&mut self, node: &Node) -> Option<RawTunable> {
        let target = node.text("target");
        let dim = match target.rsplit_once('.') {
            None if target == "gravity" => Some(Dim::Acceleration),
            None => None,
            Some((name, key)) => {
                self.known(name, key != "coupling", node.span_of("target"))?;
                let body = self.built.raw.bodies.iter().find(|b| b.name == name);
                let banded = body.is_some_and(|b| matches!(b.model, RawModel::Band(_) | RawModel::Tissue(_)));
                match key {
                    "bending" if banded => Some(Dim::Moment),
                    "tube_stretch" => Some(Dim::Force),
                    "tube_bending" => Some(Dim::Rigidity),
                    "relaxation" => Some(Dim::Time),
                    "stiffness" if body.is_some_and(|b| matches!(b.model, RawModel::Solid(_))) => {
                        Some(Dim::Pressure)
                    }
                    "stiffness" | "bending" | "area" | "coupling" => Some(Dim::Stiffness),
                    "damping" => Some(Dim::Damping),
                    "drag" | "restoration" => Some(Dim::Rate),
                    "bulk" => Some(Dim::Pressure),
                    "friction" => Some(Dim::None),
                    _ => None,
                }
            }
        };
        let Some(dim) = dim else {
            let help = "write gravity, BODY.stiffness, BODY.bending, BODY.damping, BODY.drag, BODY.friction, \
                        BODY.tube_stretch, BODY.tube_bending, BODY.relaxation, BODY.area, BODY.bulk, \
                        BODY.restoration or TOOL.coupling";
            self.problem(node.span_of("target"), format!("\"{target}\" cannot be tuned"), help);
            return None;
        };
        let mut bound = |key: &str| match unit::parse(&node.text(key), dim) {
            Ok((si, ..)) if !(0.0..=most(dim)).contains(&si) => {
                let help = format!("write a value from 0 to {}", dim.show(most(dim)));
                self.problem(node.span_of(key), format!("`{key}` cannot be {}", dim.show(si)), help);
                None
            }
            Ok(q) => Some(q),
            Err((message, help)) => {
                self.problem(node.span_of(key), message, help);
                None
            }
        };
        let (min, max) = (bound("min"), bound("max"));
        let ((min, ..), (max, symbol, size)) = (min?, max?);
        if min >= max {
            self.problem(node.span_of("max"), "`max` is not above `min`", "write a larger `max`");
            return None;
        }
        Some(RawTunable { name: node.text("name"), target, min, max, unit: (symbol.to_owned(), size) })
    }
}

/// The largest value that a tunable of a dimension may reach: what its key allows.
fn most(dim: Dim) -> f64 {
    match dim {
        Dim::Stiffness | Dim::Pressure => 1e9,
        Dim::Damping => 1e6,
        Dim::Rate => 1e4,
        Dim::Acceleration => 1000.0,
        Dim::Force => 1e7,
        Dim::Moment | Dim::Rigidity => 1e4,
        _ => 10.0,
    }
}

/// The measures a probe may take.
const PROBE_KINDS: &[&str] = &[
    "position",
    "distance",
    "length",
    "contact_force",
    "hand_force",
    "support_force",
    "reaction",
    "energy",
    "cover",
];

fn energy_kind(word: &str) -> EnergyKind {
    match word {
        "kinetic" => EnergyKind::Kinetic,
        "elastic" => EnergyKind::Elastic,
        "gravity" => EnergyKind::Gravity,
        _ => EnergyKind::Total,
    }
}

fn band(n: &Node) -> RawBand {
    RawBand {
        mass: n.si("mass"),
        tube_mass: n.real("tube_mass"),
        tube_stretch: n.si("tube_stretch"),
        tube_bending: n.si("tube_bending"),
        stiffness: n.si("stiffness"),
        bending: n.si("bending"),
        relaxation_s: n.si("relaxation"),
    }
}
