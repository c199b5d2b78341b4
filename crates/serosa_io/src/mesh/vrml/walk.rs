//! The walk over the tree: the state that nodes of Inventor and VRML 1.0 change, fields seen through prototypes,
//! and what each kind of node does.

use super::look::{Bind, Palette};
use super::matrix::Matrix;
use super::mould::{self, Mould};
use super::table::Kind;
use super::tree::{Era, Held, Node, NodeId, Tree, Value, What};
use super::{Fault, Limits, MAX_DEPTH, fault};
use crate::mesh::Resolve;
use serosa_bake::RawScene;
use serosa_bake::raw::Material;
use serosa_geometry::Vec3;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A node as one prototype's instance sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct At {
    pub(super) node: NodeId,
    /// By its place in [`Walker::frames`]; the first is the file itself.
    pub(super) frame: u32,
}

/// What stands behind `IS` in the body of a prototype.
#[derive(Clone, Copy, Debug)]
struct Frame {
    instance: NodeId,
    proto: u32,
    outer: u32,
}

/// What a node finds when the walk comes to it.
#[derive(Clone)]
pub(super) struct State {
    pub(super) matrix: Matrix,
    /// Length of the unit \[m\].
    pub(super) unit: f64,
    /// What a Switch that inherits takes.
    pub(super) choice: i64,
    /// The nearest name around.
    pub(super) name: Option<Rc<str>>,
    pub(super) coords: Rc<Vec<Vec3>>,
    pub(super) normals: Rc<Vec<Vec3>>,
    pub(super) uvs: Rc<Vec<[f64; 2]>>,
    pub(super) palette: Option<Rc<Palette>>,
    pub(super) texture: Option<Rc<str>>,
    pub(super) material_bind: Bind,
    pub(super) normal_bind: Bind,
    pub(super) clockwise: bool,
    /// How fine solids are, from 0 to 1.
    pub(super) complexity: f64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            matrix: Matrix::IDENTITY,
            unit: 1.0,
            choice: -1,
            name: None,
            coords: Rc::default(),
            normals: Rc::default(),
            uvs: Rc::default(),
            palette: None,
            texture: None,
            material_bind: Bind::Overall,
            normal_bind: Bind::VertexIndexed,
            clockwise: false,
            complexity: 0.5,
        }
    }
}

/// What a visit costs, in numbers looked at.
pub(super) const VISIT: usize = 50;

/// Walks.
pub(super) struct Walker<'r> {
    pub(super) tree: Tree,
    pub(super) resolve: Resolve<'r>,
    frames: Vec<Frame>,
    known_frames: HashMap<(NodeId, u32), u32>,
    pub(super) limits: Limits,
    /// Nodes visited and numbers looked at so far.
    work: Cell<u64>,
    pub(super) output: usize,
    pub(super) depth: usize,
    pub(super) moulds: Vec<Mould>,
    pub(super) materials: Vec<Material>,
    pub(super) known_materials: BTreeMap<String, u32>,
    /// Points and vectors of nodes that were seen already.
    pub(super) vectors: HashMap<At, Rc<Vec<Vec3>>>,
    /// Files that were fetched: what they hold, or nothing where that failed.
    pub(super) files: HashMap<String, Option<Held>>,
    /// Files inside of which the walk is.
    pub(super) inside: Vec<String>,
    /// How many points polygons may still look at.
    pub(super) effort: u64,
}

/// Walks over the top nodes of a file.
pub(super) fn walk(
    tree: Tree,
    roots: &[NodeId],
    resolve: Resolve,
    limits: Limits,
) -> Result<RawScene, Fault> {
    let mut walker = Walker {
        tree,
        resolve,
        frames: vec![Frame { instance: 0, proto: 0, outer: 0 }],
        known_frames: HashMap::new(),
        limits,
        work: Cell::new(0),
        output: 0,
        depth: 0,
        moulds: Vec::new(),
        materials: Vec::new(),
        known_materials: BTreeMap::new(),
        vectors: HashMap::new(),
        files: HashMap::new(),
        inside: Vec::new(),
        effort: limits.work,
    };
    let mut state = State::default();
    for &node in roots {
        walker.visit(At { node, frame: 0 }, &mut state)?;
    }
    walker.finish()
}

impl Walker<'_> {
    fn finish(mut self) -> Result<RawScene, Fault> {
        let mut conflicts = 0;
        let repeats = |m: &Mould| m.triangles.iter().filter(|[a, b, c]| a == b || b == c || c == a).count();
        let repeated: usize = self.moulds.iter().map(repeats).sum();
        let parts = mould::parts(std::mem::take(&mut self.moulds), &self.limits, &mut conflicts)?;
        if conflicts > 0 {
            let sentence = format!("Faces give {conflicts} points several colours; each keeps its first");
            self.tree.remarks.say(sentence);
        }
        if repeated > 0 {
            self.tree.remarks.say(format!("{repeated} triangles use a point twice; they are kept"));
        }
        if parts.is_empty() {
            self.tree.remarks.say("The file holds no shapes");
        }
        let remarks = self.tree.remarks.into_sentences();
        Ok(RawScene { parts, materials: self.materials, remarks, ..RawScene::default() })
    }

    pub(super) fn node(&self, at: At) -> &Node {
        self.tree.node(at.node)
    }

    pub(super) fn fault<T>(&self, at: At, message: impl Into<String>, help: &str) -> Result<T, Fault> {
        Err(fault(self.node(at).spot, message, help))
    }

    /// Counts work, to be held against the limit at the next visit.
    pub(super) fn charge(&self, work: usize) {
        self.work.set(self.work.get().saturating_add(work as u64));
    }

    /// Counts work towards the limit.
    pub(super) fn spend(&self, at: At, work: usize) -> Result<(), Fault> {
        self.charge(work);
        if self.work.get() <= self.limits.work {
            return Ok(());
        }
        let help = "USE or copies multiply the scene: export fewer of them";
        self.fault(at, "the scene is too large to be walked over", help)
    }

    /// Counts points and triangles towards the limit.
    pub(super) fn produce(&mut self, count: usize) -> Result<(), Fault> {
        self.output += count;
        self.limits.check_output(self.output)
    }

    /// The value of a field, seen through `IS`, and the frame that its nodes belong to.
    pub(super) fn value(&self, at: At, name: &str) -> Option<(&Value, u32)> {
        let mut fields = &self.node(at).fields;
        let (mut frame, mut name) = (at.frame, name);
        for _ in 0..MAX_DEPTH {
            self.charge(fields.len());
            let field = fields.iter().rev().find(|f| *f.name == *name && f.value != Value::None)?;
            let Value::Is(outer) = &field.value else {
                return Some((&field.value, frame));
            };
            let within = self.frames.get(frame as usize).filter(|_| frame != 0)?;
            let given = &self.tree.node(within.instance).fields;
            name = outer;
            match given.iter().any(|f| *f.name == *name) {
                true => {
                    fields = given;
                    frame = within.outer;
                }
                false => fields = &self.tree.protos[within.proto as usize].defaults,
            }
        }
        None
    }

    pub(super) fn numbers(&self, at: At, name: &str) -> &[f64] {
        match self.value(at, name) {
            Some((Value::Numbers(numbers), _)) => {
                self.charge(numbers.len());
                numbers
            }
            _ => &[],
        }
    }

    pub(super) fn number(&self, at: At, name: &str, usual: f64) -> f64 {
        self.numbers(at, name).first().copied().unwrap_or(usual)
    }

    pub(super) fn vector(&self, at: At, name: &str, usual: Vec3) -> Vec3 {
        match self.numbers(at, name) {
            [x, y, z, ..] => Vec3::new(*x, *y, *z),
            _ => usual,
        }
    }

    pub(super) fn turn(&self, at: At, name: &str) -> Matrix {
        match self.numbers(at, name) {
            [x, y, z, angle, ..] => Matrix::rotation(Vec3::new(*x, *y, *z), *angle),
            _ => Matrix::IDENTITY,
        }
    }

    pub(super) fn flag(&self, at: At, name: &str, usual: bool) -> bool {
        match self.value(at, name) {
            Some((Value::Words(words), _)) => words.first().map_or(usual, |w| w.eq_ignore_ascii_case("true")),
            Some((Value::Numbers(numbers), _)) => numbers.first().map_or(usual, |&n| n != 0.0),
            _ => usual,
        }
    }

    pub(super) fn words(&self, at: At, name: &str) -> &[String] {
        match self.value(at, name) {
            Some((Value::Words(words) | Value::Texts(words), _)) => {
                self.charge(words.len());
                words
            }
            _ => &[],
        }
    }

    /// The nodes of a field, prototypes not yet looked into.
    pub(super) fn nodes(&self, at: At, name: &str) -> Vec<At> {
        match self.value(at, name) {
            Some((Value::Nodes(nodes), frame)) => {
                self.charge(nodes.len());
                nodes.iter().map(|&node| At { node, frame }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The first node of a field, as what it is behind its prototypes.
    pub(super) fn part(&mut self, at: At, name: &str) -> Result<Option<At>, Fault> {
        match self.nodes(at, name).first() {
            Some(&first) => self.settle(first),
            None => Ok(None),
        }
    }

    /// What a node is behind its prototypes; nothing where one cannot be had.
    pub(super) fn settle(&mut self, at: At) -> Result<Option<At>, Fault> {
        let mut at = at;
        for _ in 0..MAX_DEPTH {
            let What::Instance(proto) = self.node(at).what else {
                return Ok(Some(at));
            };
            let Some(proto) = self.fetch_proto(at, proto)? else {
                return Ok(None);
            };
            let Some(&body) = self.tree.protos[proto as usize].body.first() else {
                return Ok(None);
            };
            let next = self.frames.len() as u32;
            let frame = *self.known_frames.entry((at.node, at.frame)).or_insert(next);
            if frame == next {
                self.frames.push(Frame { instance: at.node, proto, outer: at.frame });
            }
            at = At { node: body, frame };
        }
        self.fault(at, "prototypes stand inside each other too deep", "write them out")
    }

    pub(super) fn kind(&self, at: At) -> Option<Kind> {
        match self.node(at).what {
            What::Known(class) => Some(class.kind),
            _ => None,
        }
    }

    /// Visits a node; its name holds for what is inside.
    pub(super) fn visit(&mut self, at: At, state: &mut State) -> Result<(), Fault> {
        self.spend(at, VISIT)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let help = "flatten the scene: no program writes nodes so deep";
            return self.fault(at, format!("nodes use each other more than {MAX_DEPTH} deep"), help);
        }
        let outer = state.name.clone();
        if let Some(name) = &self.node(at).name {
            state.name = Some(name.clone());
        }
        if let Some(settled) = self.settle(at)? {
            if let Some(name) = self.node(settled).name.clone().filter(|_| self.node(at).name.is_none()) {
                state.name = Some(name);
            }
            self.enter(settled, state)?;
        }
        state.name = outer;
        self.depth -= 1;
        Ok(())
    }

    fn enter(&mut self, at: At, state: &mut State) -> Result<(), Fault> {
        let Some(kind) = self.kind(at) else {
            return Ok(());
        };
        let old = self.node(at).era == Era::Old;
        match kind {
            Kind::Group if old => self.children(at, state),
            Kind::Group | Kind::Separator => self.children(at, &mut state.clone()),
            Kind::TransformSeparator => {
                let (matrix, unit) = (state.matrix, state.unit);
                self.children(at, state)?;
                (state.matrix, state.unit) = (matrix, unit);
                Ok(())
            }
            Kind::Transform if !old => {
                let mut inner = state.clone();
                inner.matrix = self.placement(at).then(&inner.matrix);
                self.children(at, &mut inner)
            }
            Kind::Switch | Kind::Lod | Kind::Array | Kind::MultipleCopy | Kind::Inline => {
                self.group(at, kind, state)
            }
            Kind::Shape => self.shape(at, state),
            Kind::Quiet | Kind::Data => Ok(()),
            Kind::LeftOut => {
                let title = self.tree.title(at.node);
                self.tree.remarks.say(format!("The shape {title} is not read and was left out"));
                Ok(())
            }
            Kind::Bends => {
                let title = self.tree.title(at.node);
                self.tree
                    .remarks
                    .say(format!("{title} is not applied: shapes below it keep their transform"));
                Ok(())
            }
            _ if kind.is_geometry() => self.geometry(at, kind, state),
            _ if self.moves(at, kind, state) => Ok(()),
            _ => self.property(at, kind, state),
        }
    }

    /// Nodes that move what follows; whether this is one.
    fn moves(&mut self, at: At, kind: Kind, state: &mut State) -> bool {
        let matrix = match kind {
            Kind::Transform => self.placement(at),
            Kind::Translation => Matrix::translation(self.vector(at, "translation", Vec3::ZERO)),
            Kind::Rotation => self.turn(at, "rotation"),
            Kind::RotationXyz => {
                let axis = match self.words(at, "axis").first().map(String::as_str) {
                    Some("Y") => Vec3::Y,
                    Some("Z") => Vec3::Z,
                    _ => Vec3::X,
                };
                Matrix::rotation(axis, self.number(at, "angle", 0.0))
            }
            Kind::Scale => Matrix::scale(self.vector(at, "scaleFactor", Vec3::ONE)),
            Kind::MatrixTransform => matrices(self.numbers(at, "matrix")).next().unwrap_or(Matrix::IDENTITY),
            Kind::ResetTransform => {
                let what = self.words(at, "whatToReset");
                let unwritten = self.node(at).fields.is_empty();
                if unwritten || what.iter().any(|w| w == "TRANSFORM" || w == "ALL") {
                    state.matrix = Matrix::IDENTITY;
                }
                return true;
            }
            Kind::Units => {
                let unit = unit_named(self.words(at, "units").first().map_or("METERS", String::as_str));
                let factor = unit / state.unit;
                state.unit = unit;
                Matrix::scale(Vec3::splat(factor))
            }
            _ => return false,
        };
        state.matrix = matrix.then(&state.matrix);
        true
    }

    /// The matrix of a Transform, of either manner.
    fn placement(&self, at: At) -> Matrix {
        let scale = match self.numbers(at, "scaleFactor") {
            [] => self.vector(at, "scale", Vec3::ONE),
            _ => self.vector(at, "scaleFactor", Vec3::ONE),
        };
        let center = self.vector(at, "center", Vec3::ZERO);
        let (back, forth) = match self.numbers(at, "scaleOrientation") {
            [x, y, z, angle, ..] => {
                let axis = Vec3::new(*x, *y, *z);
                (Matrix::rotation(axis, -angle), Matrix::rotation(axis, *angle))
            }
            _ => (Matrix::IDENTITY, Matrix::IDENTITY),
        };
        Matrix::translation(-center)
            .then(&back)
            .then(&Matrix::scale(scale))
            .then(&forth)
            .then(&self.turn(at, "rotation"))
            .then(&Matrix::translation(center + self.vector(at, "translation", Vec3::ZERO)))
    }
}

/// Matrices out of flat numbers.
pub(super) fn matrices(numbers: &[f64]) -> impl Iterator<Item = Matrix> {
    numbers.chunks_exact(16).map(|sixteen| {
        let mut matrix = Matrix::IDENTITY;
        for (row, line) in matrix.0.iter_mut().enumerate() {
            line.copy_from_slice(&sixteen[4 * row..4 * row + 4]);
        }
        matrix
    })
}

/// Length of a unit \[m\].
fn unit_named(name: &str) -> f64 {
    match name {
        "CENTIMETERS" => 1e-2,
        "MILLIMETERS" => 1e-3,
        "MICROMETERS" | "MICRONS" => 1e-6,
        "NANOMETERS" => 1e-9,
        "ANGSTROMS" => 1e-10,
        "KILOMETERS" => 1e3,
        "FEET" => 0.3048,
        "INCHES" => 0.0254,
        "POINTS" => 0.0254 / 72.0,
        "YARDS" => 0.9144,
        "MILES" => 1609.344,
        "NAUTICAL_MILES" => 1852.0,
        _ => 1.0,
    }
}
