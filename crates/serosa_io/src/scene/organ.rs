//! From tables of a scene file to the surfaces of organs.

use super::keys::PARTS;
use super::problem::Problem;
use super::walk::{Node, Value};
use serosa_bake::raw::{Finish, Recipe};
use serosa_geometry::generate::organ::{Organ, organ, surface_of};
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::implicit::{Bend, Bumps, Implicit, Operator, Part, Shape, Taper};
use serosa_geometry::rotation::{any_perpendicular, from_rotation_vector, unit_or};
use serosa_geometry::{Fineness, Mesh, Quat, Vec3};

/// Vertices of an organ that says nothing about them.
const VERTICES: usize = 1000;

/// The organ that a shape names.
pub fn named(shape: &str) -> Option<Organ> {
    match shape {
        "kidney" => Some(Organ::Kidney),
        "liver" => Some(Organ::Liver),
        "gallbladder" => Some(Organ::Gallbladder),
        "stomach" => Some(Organ::Stomach),
        "spleen" => Some(Organ::Spleen),
        "colon" => Some(Organ::Colon),
        _ => None,
    }
}

/// As the scene says, or as the shape suggests.
pub fn look(look: &str, shape: &str) -> Finish {
    match look {
        "table" => Finish::Table,
        "tissue" => Finish::Tissue,
        "bowel" => Finish::Bowel,
        "steel" => Finish::Steel,
        "weave" => Finish::Weave,
        "rubber" => Finish::Rubber,
        "plastic" => Finish::Plastic,
        _ => named(look).or(named(shape)).map_or(Finish::Plain, finish),
    }
}

/// What an organ is drawn as.
pub fn finish(organ: Organ) -> Finish {
    match organ {
        Organ::Kidney => Finish::Kidney,
        Organ::Liver => Finish::Liver,
        Organ::Gallbladder => Finish::Gallbladder,
        Organ::Stomach => Finish::Stomach,
        Organ::Spleen => Finish::Spleen,
        Organ::Colon => Finish::Colon,
    }
}

/// An organ that is asked for: checked, counted, and not made yet.
pub struct Order<'a> {
    node: &'a Node,
    what: What,
    fineness: Fineness,
}

enum What {
    Ball,
    Ready(Organ),
    Free(Box<Implicit>),
}

impl<'a> Order<'a> {
    /// What a table asks for; `None` for shapes that are no organ.
    pub fn of(shape: &str, node: &'a Node) -> Option<Result<Self, Problem>> {
        let what = match (shape, named(shape)) {
            (_, Some(organ)) => What::Ready(organ),
            ("ball", _) => What::Ball,
            ("organ", _) => match recipe(node) {
                Ok(recipe) => What::Free(Box::new(recipe)),
                Err(problem) => return Some(Err(problem)),
            },
            _ => return None,
        };
        let fineness = match (node.real("edge"), node.get("vertices")) {
            (Some(_), Some(_)) => {
                let message = "`edge` stands beside `vertices`";
                return Some(Err(Problem::new(node.span_of("edge"), message, "keep one of them")));
            }
            // Organs are made in their own size and scaled afterwards.
            (Some(edge), None) => Fineness::Edge(edge / node.si("scale")),
            (None, Some(_)) => Fineness::Vertices(node.count("vertices") as usize),
            (None, None) => Fineness::Vertices(VERTICES),
        };
        Some(Ok(Self { node, what, fineness }))
    }

    /// About how many vertices it will have at most.
    pub fn vertices(&self) -> u64 {
        let bounds = match &self.what {
            What::Ball => return self.node.count("vertices"),
            What::Ready(organ) => organ.recipe().bounds(),
            What::Free(recipe) => recipe.bounds(),
        };
        // What has no bounds is refused when it is made.
        bounds.map_or(0, |b| self.fineness.vertices_in(b) as u64)
    }

    /// Makes it.
    pub fn make(&self) -> Result<Mesh, Problem> {
        let n = self.node;
        let made = match &self.what {
            What::Ball => return self.ball(),
            What::Ready(which) => organ(*which, self.fineness),
            What::Free(recipe) => surface_of(recipe, self.fineness),
        };
        let mut mesh = made.map_err(|e| Problem::new(n.span.clone(), e.message, e.help))?;
        let (turn, scale, at) = (from_rotation_vector(n.vector("turn")), n.si("scale"), n.vector("at"));
        mesh.points.iter_mut().for_each(|p| *p = at + turn * (*p * scale));
        Ok(mesh)
    }

    /// The function that it is made from, in its place.
    pub fn recipe(&self) -> Recipe {
        let n = self.node;
        let shape = match &self.what {
            What::Ball => {
                let ball = Shape::Ball { center: Vec3::ZERO, radius: 0.5 * n.si("size") };
                let shape = Implicit { parts: vec![Part::join(ball, 0.0)], ..Implicit::default() };
                return Recipe { shape, turn: Quat::IDENTITY, scale: 1.0, at: n.vector("center") };
            }
            What::Ready(organ) => organ.recipe(),
            What::Free(recipe) => (**recipe).clone(),
        };
        let turn = from_rotation_vector(n.vector("turn"));
        Recipe { shape, turn, scale: n.si("scale"), at: n.vector("at") }
    }

    fn ball(&self) -> Result<Mesh, Problem> {
        let n = self.node;
        let made = even_sphere(n.vector("center"), 0.5 * n.si("size"), n.count("vertices") as usize);
        made.map_err(|e| Problem::new(n.span.clone(), e.message, e.help))
    }
}

fn recipe(n: &Node) -> Result<Implicit, Problem> {
    let parts = n.list("part").iter().zip(0..).map(|(node, i)| part(node, i)).collect::<Result<_, _>>()?;
    let recipe = Implicit {
        parts,
        taper: n.table("taper").map(|t| Taper {
            at: t.vector("at"),
            along: t.vector("along"),
            length: t.si("length"),
            to: t.si("to"),
        }),
        bend: n.table("bend").map(bend).transpose()?,
        bumps: n.table("bumps").map(|b| Bumps {
            height: b.si("height"),
            size: b.si("size"),
            seed: b.count("seed") as u32,
        }),
    };
    recipe.check().map_err(|e| Problem::new(n.span.clone(), e.message, e.help))?;
    Ok(recipe)
}

fn bend(n: &Node) -> Result<Bend, Problem> {
    let (along, towards) = (n.vector("along"), n.vector("towards"));
    let across = towards - along * towards.dot(along);
    if across.length() < 1e-3 {
        let message = "`towards` and `along` are one direction";
        return Err(Problem::new(n.span_of("towards"), message, "bend to a side of what was straight"));
    }
    let towards = unit_or(across, any_perpendicular(along));
    Ok(Bend { at: n.vector("at"), along, towards, radius: n.si("radius") })
}

fn part(node: &Node, i: usize) -> Result<Part, Problem> {
    let operator = match node.choice("how") {
        "cut" => Operator::Cut,
        "keep" => Operator::Keep,
        _ => Operator::Join,
    };
    let Some((kind, value)) = node.chosen(PARTS) else {
        return Err(Problem::new(node.span.clone(), "this part has no shape", "give it one"));
    };
    let shape = match value {
        Value::Table(n) => shape(kind, n)?,
        Value::List(stations) => tube(node, stations)?,
        _ => return Err(Problem::new(node.span_of(kind), "this is no shape", "write a table")),
    };
    if matches!(shape, Shape::HalfSpace { .. }) && (i == 0 || operator == Operator::Join) {
        let message = "a half-space has no end, and cannot be added";
        let help = "put it after another part, and write how = \"cut\" or how = \"keep\"";
        return Err(Problem::new(node.span_of(kind), message, help));
    }
    Ok(Part { shape, operator, blend: node.si("blend") })
}

fn tube(node: &Node, stations: &[Node]) -> Result<Shape, Problem> {
    if !(2..=256).contains(&stations.len()) {
        let message = format!("a tube through {} points", stations.len());
        return Err(Problem::new(node.span_of("tube"), message, "give it 2 to 256 points"));
    }
    let points: Vec<Vec3> = stations.iter().map(|s| s.vector("at")).collect();
    let radii: Vec<f64> = stations.iter().map(|s| s.si("radius")).collect();
    Ok(Shape::tube(&points, &radii))
}

fn shape(kind: &str, n: &Node) -> Result<Shape, Problem> {
    let (center, radius) = (n.vector("center"), n.si("radius"));
    Ok(match kind {
        "ellipsoid" => {
            let size = n.vector("size");
            if size.min_element() < 1e-5 {
                let message = "an ellipsoid needs three extents larger than zero";
                return Err(Problem::new(
                    n.span_of("size"),
                    message,
                    "write three lengths larger than 10 um",
                ));
            }
            Shape::Ellipsoid { center, semi: 0.5 * size, turn: from_rotation_vector(n.vector("turn")) }
        }
        "capsule" => Shape::Capsule {
            ends: [n.vector("from"), n.vector("to")],
            radii: [radius, n.real("end_radius").unwrap_or(radius)],
        },
        "torus" => Shape::Torus { center, axis: n.vector("axis"), major: n.si("ring_radius"), minor: radius },
        "plane" => Shape::HalfSpace { point: n.vector("point"), normal: n.vector("normal") },
        _ => Shape::Ball { center, radius },
    })
}
