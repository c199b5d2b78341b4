//! Inventor binary: the same nodes, each field as the table says, big-endian, padded to fours.

use super::lex::short;
use super::table::{Holds, Kind, Type, class};
use super::tree::{Era, Field, Held, Node, NodeId, Tree, Value, What};
use super::{Fault, MAX_DEPTH, fault};
use crate::mesh::Spot;
use std::collections::HashMap;
use std::rc::Rc;

const HELP: &str = "save the file as Inventor ASCII, as `ivcat` does";

/// The top nodes of a file, added to a tree; it has no prototypes.
pub(super) fn parse(bytes: &[u8], tree: &mut Tree) -> Result<Held, Fault> {
    let line = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    let version = String::from_utf8_lossy(&bytes[..line]).into_owned();
    let flags = match () {
        () if version.starts_with("#Inventor V2.1") => true,
        () if version.starts_with("#Inventor V2.0") => false,
        () => {
            let message = "this version of Inventor binary is not read";
            return Err(fault(Spot::Byte(0), message, HELP));
        }
    };
    let at = (line + 1).min(bytes.len());
    let mut reader = Reader { bytes, at, flags, tree, names: HashMap::new(), depth: 0 };
    let mut roots = Vec::new();
    while reader.at < bytes.len() {
        roots.extend(reader.node()?);
    }
    Ok((roots, Vec::new()))
}

struct Reader<'a, 't> {
    bytes: &'a [u8],
    at: usize,
    /// Whether nodes bear a word of flags, as from 2.1 on.
    flags: bool,
    tree: &'t mut Tree,
    names: HashMap<String, Option<NodeId>>,
    depth: usize,
}

impl Reader<'_, '_> {
    fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(fault(Spot::Byte(self.at), message, HELP))
    }

    fn word(&mut self) -> Result<u32, Fault> {
        match self.bytes.get(self.at..self.at + 4) {
            Some(&[a, b, c, d]) => {
                self.at += 4;
                Ok(u32::from_be_bytes([a, b, c, d]))
            }
            _ => {
                let help = "the file is cut short: fetch or export it again";
                Err(fault(Spot::Byte(self.at), "the file ends inside a node", help))
            }
        }
    }

    /// Bytes after their length, padded to fours.
    fn counted(&mut self, length: usize) -> Result<&[u8], Fault> {
        let padded = length.div_ceil(4) * 4;
        let end = self.at.saturating_add(padded);
        if end > self.bytes.len() {
            return self.fault(format!("a string of {length} bytes is longer than the file"));
        }
        let bytes = &self.bytes[self.at..self.at + length];
        self.at = end;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String, Fault> {
        let length = self.word()? as usize;
        Ok(String::from_utf8_lossy(self.counted(length)?).into_owned())
    }

    /// A node, named or not; nothing for `NULL`.
    fn node(&mut self) -> Result<Option<NodeId>, Fault> {
        let begin = self.at;
        let word = self.text()?;
        match word.as_str() {
            "NULL" | "" => Ok(None),
            "USE" => {
                let name = self.text()?;
                match self.names.get(&name).copied() {
                    Some(Some(id)) => Ok(Some(id)),
                    Some(None) => self.fault(format!("USE {0} stands inside DEF {0}", short(&name))),
                    None => self.fault(format!("USE {0}, but no DEF {0} before", short(&name))),
                }
            }
            "DEF" => {
                let name = self.text()?;
                let kind = self.text()?;
                self.names.insert(name.clone(), None);
                let id = self.typed(&kind, Some(&name), begin)?;
                self.names.insert(name, Some(id));
                Ok(Some(id))
            }
            kind => self.typed(kind, None, begin).map(Some),
        }
    }

    fn typed(&mut self, kind: &str, name: Option<&str>, begin: usize) -> Result<NodeId, Fault> {
        let Some(class) = class(kind) else {
            return self.fault(format!("the node `{}` is not known", short(kind)));
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fault(format!("nodes are nested more than {MAX_DEPTH} deep"));
        }
        let is_group = if self.flags { self.word()? & 2 != 0 } else { is_group(class.kind) };
        let count = self.word()?;
        if count > 0xFF {
            return self.fault(format!("the node {kind} declares fields of its own"));
        }
        let mut fields = Vec::new();
        for _ in 0..count {
            let field = self.text()?;
            let Some(wanted) = class.field(&field) else {
                return self.fault(format!("the field {} of {kind} is not known", short(&field)));
            };
            let value = self.value(wanted)?;
            // Bit 0: ignored; bit 1: connected, which has more behind it.
            let flags = self.word()?;
            if flags & 2 != 0 {
                return self.fault(format!("the field {field} of {kind} is connected to another"));
            }
            let value = if flags & 1 != 0 { Value::None } else { value };
            fields.push(Field { name: field.into(), value });
        }
        let mut children = Vec::new();
        if is_group {
            for _ in 0..self.word()? {
                let child = self.node()?;
                children.extend(child);
            }
        }
        self.depth -= 1;
        let (what, name) = (What::Known(class), name.map(Rc::from));
        let node = Node { what, era: Era::Old, name, spot: Spot::Byte(begin), fields, children };
        Ok(self.tree.add(node))
    }

    fn value(&mut self, wanted: Type) -> Result<Value, Fault> {
        let count = if wanted.many { self.word()? as usize } else { 1 };
        match wanted.holds {
            Holds::Numbers(size) => {
                let numbers = count.checked_mul(size).filter(|n| *n <= (self.bytes.len() - self.at) / 4);
                let Some(numbers) = numbers else {
                    return self.fault(format!("{count} values are more than the file has"));
                };
                self.numbers(numbers, wanted)
            }
            Holds::Image => {
                let (width, height, components) = (self.word()?, self.word()?, self.word()?);
                let pixels = u64::from(width) * u64::from(height) * u64::from(components.min(4));
                self.counted(usize::try_from(pixels).unwrap_or(usize::MAX / 8))?;
                Ok(Value::None)
            }
            Holds::Bool => Ok(Value::Numbers(vec![f64::from(self.word()?)])),
            Holds::Word => self.texts(count).map(Value::Words),
            Holds::Text => self.texts(count).map(Value::Texts),
            Holds::Mask => {
                let mut words = Vec::new();
                loop {
                    match self.text()? {
                        word if word.is_empty() => return Ok(Value::Words(words)),
                        word => words.push(word),
                    }
                }
            }
            Holds::Node => {
                let mut nodes = Vec::new();
                for _ in 0..count {
                    let node = self.node()?;
                    nodes.extend(node);
                }
                Ok(if nodes.is_empty() { Value::None } else { Value::Nodes(nodes) })
            }
        }
    }

    fn texts(&mut self, count: usize) -> Result<Vec<String>, Fault> {
        let mut texts = Vec::new();
        for _ in 0..count {
            texts.push(self.text()?);
        }
        Ok(texts)
    }

    fn numbers(&mut self, count: usize, wanted: Type) -> Result<Value, Fault> {
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            let word = self.word()?;
            let number = match wanted.whole {
                Some(true) => f64::from(word as i32),
                Some(false) => f64::from(word),
                None => f64::from(f32::from_bits(word)),
            };
            if !number.is_finite() {
                return self.fault("a number is not finite");
            }
            numbers.push(number);
        }
        Ok(Value::Numbers(numbers))
    }
}

/// Whether nodes of a kind hold others, for versions that do not say.
fn is_group(kind: Kind) -> bool {
    use Kind::{Array, Group, Lod, MultipleCopy, Separator, Switch, TransformSeparator};
    matches!(kind, Group | Separator | TransformSeparator | Switch | Lod | Array | MultipleCopy)
}
