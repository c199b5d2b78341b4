//! Gmsh meshes: 1.0, 2.x, 4.0 and 4.1, as text or binary.
//!
//! A file is a row of sections, `$Nodes` to `$EndNodes`. Nodes and elements bear numbers of any kind; points keep the
//! order of the file. A region is the physical group of an element where the file has any, else its entity.

mod elements;
mod nodes;

use super::cursor::{Coding, Cursor, Order, shown};
use super::draft::{Draft, Shape, refuse_empty};
use crate::mesh::{ImportError, Resolve};
use serosa_bake::RawScene;
use serosa_geometry::Vec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const HELP: &str = "save the mesh anew, in Gmsh as version 2.2 or 4.1";

/// The versions that are laid out differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
    Four,
    FourOne,
}

/// An element as read; which of its numbers is its region is known at the end.
#[derive(Clone, Copy, Debug)]
struct Element {
    kind: elements::Kind,
    /// First of its corners in [`Reader::corners`].
    first: usize,
    physical: i64,
    entity: i64,
}

/// Whether bytes begin as a Gmsh mesh.
pub fn begins(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    [&b"$MeshFormat"[..], b"$NOD", b"$Comments"].iter().any(|word| start.starts_with(word))
}

/// Reads a Gmsh mesh as one part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let mut reader = Reader {
        cursor: Cursor::new(bytes, HELP),
        version: Version::One,
        points: Vec::new(),
        ids: HashMap::new(),
        elements: Vec::new(),
        corners: Vec::new(),
        entities: BTreeMap::new(),
        names: BTreeMap::new(),
        remarks: Vec::new(),
    };
    while let Some(line) = reader.cursor.line() {
        match line.strip_prefix(b"$") {
            Some(name) => reader.section(name)?,
            None if line.is_empty() => {}
            None => {
                let at = reader.cursor.at() - 1;
                let message = format!("\"{}\" stands outside of every section", shown(line));
                return Err(reader.cursor.fault_at(at, message));
            }
        }
    }
    reader.scene()
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    version: Version,
    points: Vec<Vec3>,
    /// Number of a node in the file → number of its point. Only looked up, so its order reaches nothing.
    ids: HashMap<i64, u32>,
    elements: Vec<Element>,
    corners: Vec<u32>,
    /// Physical groups of an entity, by dimension and number.
    entities: BTreeMap<(u8, i64), Vec<i64>>,
    names: BTreeMap<(u8, i64), String>,
    remarks: Vec<String>,
}

impl Reader<'_> {
    fn section(&mut self, name: &[u8]) -> Result<(), ImportError> {
        match name {
            b"MeshFormat" => self.format()?,
            b"PhysicalNames" => self.physical_names()?,
            b"Entities" => self.entities()?,
            b"Nodes" | b"NOD" => self.nodes()?,
            b"Elements" | b"ELM" => self.elements()?,
            b"Comments" => return self.skip(name),
            _ => {
                self.skip(name)?;
                self.remarks.push(format!("The section ${} was left out.", shown(name)));
                return Ok(());
            }
        }
        self.close(name)
    }

    /// `$EndNodes`, `$ENDNOD`: if it is not here, the section holds more or less than it says.
    fn close(&mut self, name: &[u8]) -> Result<(), ImportError> {
        self.cursor.skip_space();
        let at = self.cursor.at();
        let word = self.cursor.word();
        let (end, name) = (word.get(..4), shown(name));
        if end.is_some_and(|end| end.eq_ignore_ascii_case(b"$End")) && word[4..] == *name.as_bytes() {
            return Ok(());
        }
        let found =
            if word.is_empty() { "the end of the file".to_owned() } else { format!("\"{}\"", shown(word)) };
        let message = format!("{found} stands where ${name} should end: does it hold as many as it says?");
        Err(self.cursor.fault_at(at, message))
    }

    /// Passes over a section, to the end of the file if it does not end before.
    fn skip(&mut self, name: &[u8]) -> Result<(), ImportError> {
        let end = [b"$End", name].concat();
        let rest = self.cursor.rest();
        // One search over the bytes: a binary section has no lines.
        let found = rest.windows(end.len()).position(|window| window == end);
        let Some(found) = found else {
            return Err(self.cursor.fault(format!("${} has no end", shown(name))));
        };
        self.cursor.jump(self.cursor.at() + found + end.len());
        Ok(())
    }

    fn format(&mut self) -> Result<(), ImportError> {
        let at = self.cursor.at();
        let what = "$MeshFormat";
        let version = self.cursor.real(what)?;
        let (kind, size) = (self.cursor.int(what)?, self.cursor.int(what)?);
        self.version = match version {
            v if (2.0..3.0).contains(&v) => Version::Two,
            v if (4.0..4.05).contains(&v) => Version::Four,
            v if (4.05..5.0).contains(&v) => Version::FourOne,
            _ => {
                return Err(self
                    .cursor
                    .fault_at(at, format!("version {version} of Gmsh meshes is not known")));
            }
        };
        if size != 8 {
            return Err(self
                .cursor
                .fault_at(at, format!("numbers of {size} bytes are not known, only of 8")));
        }
        match kind {
            0 => Ok(()),
            1 => {
                self.cursor.line();
                let one = self.cursor.take(4, "the mark of the byte order")?;
                let order = [Order::Little, Order::Big].into_iter().find(|order| order.u32(one) == 1);
                match order {
                    Some(order) => self.cursor.coding = Coding::Binary(order),
                    None => return Err(self.cursor.fault_at(at, "the mark of the byte order is not 1")),
                }
                Ok(())
            }
            _ => Err(self.cursor.fault_at(at, format!("file type {kind} is neither 0, text, nor 1, binary"))),
        }
    }

    /// Always text: `dimension number "name"`.
    fn physical_names(&mut self) -> Result<(), ImportError> {
        let count = self.cursor.count(7, "physical names")?;
        self.cursor.line();
        for _ in 0..count {
            let at = self.cursor.at();
            let line = String::from_utf8_lossy(self.cursor.line().unwrap_or_default());
            let name = line.split_once('"').and_then(|(_, rest)| Some(rest.rsplit_once('"')?.0));
            let mut words = line.split_whitespace();
            let mut number = || words.next().and_then(|w| w.parse::<i64>().ok());
            match (number(), number(), name) {
                (Some(dim @ 0..=3), Some(tag), Some(name)) => {
                    self.names.insert((dim as u8, tag.saturating_abs()), name.to_owned());
                }
                _ => {
                    let message = "a physical name needs its dimension, its number and a name in quotes";
                    return Err(self.cursor.fault_at(at, message));
                }
            }
        }
        Ok(())
    }

    /// Physical groups of an element: one in old files, any number in new ones.
    fn groups(&self, element: &Element) -> Vec<i64> {
        match self.entities.get(&(element.kind.dim, element.entity)) {
            Some(groups) => groups.clone(),
            None => vec![element.physical],
        }
    }

    fn corners(&self, element: &Element) -> &[u32] {
        &self.corners[element.first..element.first + element.kind.corners]
    }

    fn scene(mut self) -> Result<RawScene, ImportError> {
        let grouped: BTreeSet<u8> =
            self.elements.iter().filter(|e| e.physical != 0).map(|e| e.kind.dim).collect();
        let mut sets: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        let mut draft = Draft::default();
        for element in &self.elements {
            let region = if grouped.contains(&element.kind.dim) { element.physical } else { element.entity };
            let corners = self.corners(element);
            for group in if self.names.is_empty() { Vec::new() } else { self.groups(element) } {
                if let Some(name) = self.names.get(&(element.kind.dim, group.saturating_abs())) {
                    sets.entry(name).or_default().extend(corners);
                }
            }
            // A single point says no more than the set it is in.
            if element.kind.shape != Shape::Dot {
                draft.add(element.kind.shape, corners, region);
            }
            if element.kind.nodes > element.kind.corners {
                draft.note_higher(element.kind.shape);
            }
        }
        draft.part.points = self.points;
        draft.part.sets =
            sets.into_iter().map(|(n, set)| (n.to_owned(), set.into_iter().collect())).collect();
        if self.entities.values().any(|groups| groups.len() > 1) {
            let remark = "An entity is in more than one physical group: its region is the first of them.";
            self.remarks.push(remark.to_owned());
        }
        let parts = vec![draft.finish(&mut self.remarks)];
        refuse_empty(&parts, HELP)?;
        Ok(RawScene { parts, remarks: self.remarks, ..RawScene::default() })
    }
}
