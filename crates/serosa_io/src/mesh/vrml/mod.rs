//! The VRML family: VRML 1.0, VRML 2.0 (VRML97), X3D in classic text and in XML, Inventor in ASCII and binary.
//!
//! Every dialect is read into one tree of nodes (`lex`, `parse`, `proto`, `xml` and `x3d`, `binary`), checked against
//! one table (`table`, `classes`), and walked once (`walk` and what stands beside it), which leaves one mould per
//! shape; a mould becomes a part (`mould`). Nothing recurses deeper than [`MAX_DEPTH`], and what a walk may make is
//! bounded by [`Limits`], since a few lines of `USE` can ask for more triangles than there are atoms.

mod binary;
mod classes;
mod cut;
mod extrude;
mod faces;
mod groups;
mod lex;
mod look;
mod matrix;
mod mould;
mod parse;
mod proto;
mod shapes;
mod solids;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod write;
mod x3d;
mod xml;

pub(super) use write::export;

use super::{ImportError as Fault, Resolve, Spot};
use serosa_bake::RawScene;
use tree::{Era, Held, Tree};

/// Deepest nesting of nodes, elements, prototypes and uses.
const MAX_DEPTH: usize = 200;

const HELP: &str = "correct the line, or export the file anew";

fn fault(spot: Spot, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(spot, message, help)
}

/// What one file may ask for.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Points, lines and triangles.
    output: usize,
    /// Numbers looked at; see `walk::VISIT` for what else counts as so many of them.
    work: u64,
}

impl Limits {
    const USUAL: Self = Self { output: 50_000_000, work: 1_000_000_000 };

    fn check_output(&self, count: usize) -> Result<(), Fault> {
        if count <= self.output {
            return Ok(());
        }
        let message = format!("the scene has more than {} points and triangles", self.output);
        Err(fault(Spot::Whole, message, "USE or copies multiply it: export fewer of them"))
    }
}

/// Whether bytes begin as VRML.
pub(super) fn begins_vrml(bytes: &[u8]) -> bool {
    without_mark(bytes).starts_with(b"#VRML V")
}

/// Whether bytes begin as classic X3D.
pub(super) fn begins_x3dv(bytes: &[u8]) -> bool {
    without_mark(bytes).starts_with(b"#X3D V")
}

/// Whether bytes begin as Inventor.
pub(super) fn begins_inventor(bytes: &[u8]) -> bool {
    without_mark(bytes).starts_with(b"#Inventor V")
}

/// Whether bytes begin as X3D in XML.
pub(super) fn begins_x3d(bytes: &[u8]) -> bool {
    let start = without_mark(bytes).trim_ascii_start();
    let head = &start[..start.len().min(4096)];
    start.starts_with(b"<") && head.windows(4).any(|w| w == b"<X3D")
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Reads a file of the family, whichever dialect it says it is.
pub(super) fn import(bytes: &[u8], resolve: Resolve) -> Result<RawScene, Fault> {
    import_within(bytes, resolve, Limits::USUAL)
}

fn import_within(bytes: &[u8], resolve: Resolve, limits: Limits) -> Result<RawScene, Fault> {
    let mut tree = Tree::default();
    let (roots, _) = read(bytes, None, &mut tree)?;
    walk::walk(tree, &roots, resolve, limits)
}

/// The top nodes of a file, added to a tree, and its prototypes. A file that another one names may lack its first
/// line; it is then taken to speak as that one does.
fn read(bytes: &[u8], outer: Option<Era>, tree: &mut Tree) -> Result<Held, Fault> {
    let bytes = without_mark(bytes);
    let first = bytes.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    if bytes.trim_ascii_start().starts_with(b"<") {
        return x3d::parse(bytes, tree);
    }
    if begins_inventor(bytes) && first.windows(6).any(|w| w == b"binary") {
        return binary::parse(bytes, tree);
    }
    let era = match () {
        () if begins_vrml(bytes) => {
            if first[7..].starts_with(b"1") {
                Era::Old
            } else {
                Era::New
            }
        }
        () if begins_x3dv(bytes) => Era::New,
        () if begins_inventor(bytes) => Era::Old,
        () => {
            refuse_packed(bytes)?;
            let Some(era) = outer else {
                let message = "the first line does not say which dialect this is";
                let help = "begin the file with `#VRML V2.0 utf8`, `#VRML V1.0 ascii`, `#X3D V3.3 utf8` or \
                            `#Inventor V2.1 ascii`, whichever it is";
                return Err(fault(Spot::Line(1), message, help));
            };
            tree.remarks
                .say("An inlined file lacks its first line and was read in the manner of the file around");
            era
        }
    };
    parse::parse(bytes, era, tree)
}

/// Refuses what is the family's, but packed.
fn refuse_packed(bytes: &[u8]) -> Result<(), Fault> {
    let (message, help) = match bytes {
        [0x1F, 0x8B, ..] => ("the file is packed by gzip", "unpack it first, as `gunzip` does"),
        [0xE0, 0x00, 0x00, 0x01, ..] => (
            "this is binary X3D (Fast Infoset), which is not read",
            "save it as X3D in XML (.x3d) or as VRML",
        ),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => ("the file is UTF-16", "save it as UTF-8"),
        _ => return Ok(()),
    };
    Err(fault(Spot::Byte(0), message, help))
}
