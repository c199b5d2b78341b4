//! Scene files: TOML, read by our own walk over one table of keys, with every mistake found in one go.

mod build;
mod elements;
mod flexible;
pub mod keys;
mod mesh_file;
mod nearest;
mod organ;
pub mod problem;
pub mod reference;
mod solid;
mod tool;
pub mod unit;
mod walk;
mod world;

pub use problem::Problem;

use serosa_bake::raw::{Move, Place};
use serosa_bake::{Baked, Fault, RawScene, bake, bake_watched};
use serosa_geometry::Mesh;
use std::ops::Range;
use toml::de::DeTable;
use walk::Node;

/// The largest scene file that is read \[bytes\].
pub const SCENE_MAX: usize = 4 << 20;

/// Reads a mesh file named in a scene, or says why it cannot be read.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// A mesh file that a scene used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedFile {
    /// As written in the scene.
    pub path: String,
    /// What it held.
    pub bytes: Vec<u8>,
}

/// A scene that can be stepped, and what it was made of.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// As written.
    pub raw: RawScene,
    /// Ready to step.
    pub baked: Baked,
    /// Mesh files it used.
    pub files: Vec<UsedFile>,
    /// Surfaces of its organs, in the order of the file: they take longer to make than to keep.
    pub organs: Vec<Mesh>,
}

/// A scene without a mistake in its text or its files, not yet baked.
#[derive(Clone, Debug)]
pub struct Draft {
    /// As written.
    pub raw: RawScene,
    /// Mesh files it used.
    pub files: Vec<UsedFile>,
    /// Surfaces of its organs, in the order of the file.
    pub organs: Vec<Mesh>,
    spans: Vec<(Place, Range<usize>)>,
}

/// Where the surfaces of organs come from while a scene is read.
enum Organs {
    /// They are made.
    Made,
    /// As they were made of the same scene before.
    Known(std::vec::IntoIter<Mesh>),
    /// They are not there: it is something else that is asked for.
    LeftOut,
}

impl Draft {
    /// With what was baked of it before.
    pub fn with(self, baked: Baked) -> Loaded {
        Loaded { raw: self.raw, baked, files: self.files, organs: self.organs }
    }

    /// Bakes it, or says all that is wrong with it; `text` is that of the scene. See [`bake_watched`] for `watch`.
    pub fn bake(self, text: &str, watch: &mut dyn FnMut(usize, usize)) -> Result<Loaded, Vec<Problem>> {
        match bake_watched(&self.raw, watch) {
            Ok(baked) => Ok(self.with(baked)),
            Err(faults) => {
                Err(in_order_of_file(faults.into_iter().map(|f| located(f, &self.spans, text)).collect()))
            }
        }
    }
}

/// What a scene says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// One line.
    pub title: String,
    /// A paragraph.
    pub about: String,
}

/// Reads what a scene says of itself, and makes nothing of it: organs take time. Mistakes of form are told.
pub fn headline(text: &str) -> Result<Headline, Vec<Problem>> {
    let (toml, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors.iter().map(|e| not_toml(e, text)).collect();
    let root = walk::walk(&keys::SCENE, toml.get_ref(), head(text), &mut problems);
    let headline = Headline { title: root.text("title"), about: root.text("about") };
    if problems.is_empty() { Ok(headline) } else { Err(in_order_of_file(problems)) }
}

/// Reads and bakes a scene, or says all that is wrong with it, in the order of the file.
pub fn load(text: &str, read_file: FileReader) -> Result<Loaded, Vec<Problem>> {
    read(text, read_file)?.bake(text, &mut |_, _| {})
}

/// Reads a scene, or says all that is wrong with it, in the order of the file; what can be baked of a scene with
/// mistakes is baked, to find those that only show then.
pub fn read(text: &str, read_file: FileReader) -> Result<Draft, Vec<Problem>> {
    read_with(text, read_file, Organs::Made)
}

/// The same with the surfaces of organs that were made of this very scene before.
pub(crate) fn read_known(
    text: &str,
    read_file: FileReader,
    organs: Vec<Mesh>,
) -> Result<Draft, Vec<Problem>> {
    read_with(text, read_file, Organs::Known(organs.into_iter()))
}

/// The mesh files of a scene that has organs as well, without making these; of others there is nothing to be gained.
/// None where something is wrong with it.
pub fn files_beside_organs(text: &str, read_file: FileReader) -> Option<Vec<UsedFile>> {
    let (toml, errors) = DeTable::parse_recoverable(text);
    let mut problems = Vec::new();
    let root = walk::walk(&keys::SCENE, toml.get_ref(), head(text), &mut problems);
    if text.len() > SCENE_MAX || !errors.is_empty() || !problems.is_empty() {
        return None;
    }
    let built = build::build(&root, read_file, Organs::LeftOut, &mut problems);
    (!built.organs.is_empty()).then_some(built.files)
}

fn read_with(text: &str, read_file: FileReader, organs: Organs) -> Result<Draft, Vec<Problem>> {
    if text.len() > SCENE_MAX {
        let message = format!("a scene file of {} MB is too large", text.len() >> 20);
        return Err(vec![Problem::new(0..0, message, "put meshes into files of their own")]);
    }
    let (toml, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors.iter().map(|e| not_toml(e, text)).collect();
    let root = walk::walk(&keys::SCENE, toml.get_ref(), head(text), &mut problems);
    let built = build::build(&root, read_file, organs, &mut problems);
    if problems.is_empty() {
        let build::Built { raw, files, organs, spans } = built;
        return Ok(Draft { raw, files, organs, spans });
    }
    if !built.raw.bodies.is_empty()
        && let Err(faults) = bake(&built.raw)
    {
        problems.extend(faults.into_iter().map(|f| located(f, &built.spans, text)));
    }
    Err(in_order_of_file(problems))
}

fn in_order_of_file(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by_key(|p| p.span.start);
    problems.dedup();
    problems
}

/// The moves of each tool, in the order of `tools`, from a script file.
pub fn load_script(text: &str, tools: &[&str]) -> Result<Vec<Vec<Move>>, Vec<Problem>> {
    let (toml, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors.iter().map(|e| not_toml(e, text)).collect();
    let root = walk::walk(&keys::SCRIPT, toml.get_ref(), head(text), &mut problems);
    let moves: Vec<&Node> = root.list("move").iter().filter(|n| n.sound).collect();
    for node in moves.iter().filter(|n| !tools.contains(&n.text("tool").as_str())) {
        let message = format!("the scene has no tool called \"{}\"", node.text("tool"));
        let help =
            if tools.is_empty() { "it has no tools".into() } else { format!("it has: {}", tools.join(", ")) };
        problems.push(Problem::new(node.span_of("tool"), message, help));
    }
    let of = |tool: &str| moves.iter().copied().filter(|n| n.text("tool") == tool).collect::<Vec<_>>();
    tools.iter().for_each(|tool| tool::in_order(of(tool), &mut problems));
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(tools.iter().map(|tool| of(tool).into_iter().map(tool::movement).collect()).collect())
}

/// Mistakes about the whole file point at its first line.
fn head(text: &str) -> Range<usize> {
    0..text.find('\n').unwrap_or(text.len())
}

fn not_toml(error: &toml::de::Error, text: &str) -> Problem {
    let span = error.span().unwrap_or(head(text));
    Problem::new(span, error.message(), "correct the TOML here; the rest was read as far as possible")
}

fn located(fault: Fault, spans: &[(Place, Range<usize>)], text: &str) -> Problem {
    let span = spans.iter().find(|s| s.0 == fault.place).map_or(head(text), |s| s.1.clone());
    Problem { span, message: fault.message, help: fault.help }
}
