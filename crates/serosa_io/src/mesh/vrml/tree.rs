//! The node tree that every dialect is read into: nodes in one list, pointing to each other by number, so that
//! nothing recurses over them unasked, not even when they are let go.

use super::lex::short;
use super::table::Class;
use crate::mesh::Spot;
use std::rc::Rc;

/// The two manners of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Inventor and VRML 1.0: nodes change a state that later nodes find.
    Old,
    /// VRML 2.0 and X3D: nodes hold what they need.
    New,
}

/// A node, by its place in [`Tree::nodes`].
pub(super) type NodeId = u32;

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Nothing: `field ~`, `NULL` or an empty list.
    None,
    /// Numbers, flat.
    Numbers(Vec<f64>),
    /// Unquoted words: truth values, enumerations, masks.
    Words(Vec<String>),
    /// Strings.
    Texts(Vec<String>),
    /// Nodes.
    Nodes(Vec<NodeId>),
    /// `IS` and the name of a field of the prototype around.
    Is(String),
}

/// A field of a node.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Box<str>,
    pub(super) value: Value,
}

/// What a node is.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A row of the table.
    Known(&'static Class),
    /// An instance of a prototype, by its place in [`Tree::protos`].
    Instance(u32),
    /// Anything else.
    Unknown,
}

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) what: What,
    pub(super) era: Era,
    /// As `DEF` calls it.
    pub(super) name: Option<Rc<str>>,
    pub(super) spot: Spot,
    pub(super) fields: Vec<Field>,
    /// Nodes written inside it without a field, as Inventor does.
    pub(super) children: Vec<NodeId>,
}

/// A prototype.
#[derive(Debug)]
pub(super) struct Proto {
    pub(super) name: String,
    /// Fields of its interface that have a value to start with, and the types of all.
    pub(super) defaults: Vec<Field>,
    pub(super) types: Vec<(String, String)>,
    /// Its nodes, of which the first is what an instance is.
    pub(super) body: Vec<NodeId>,
    /// Where an external one is to be found.
    pub(super) urls: Vec<String>,
}

/// What one file holds: its top nodes, and its prototypes.
pub(super) type Held = (Vec<NodeId>, Vec<u32>);

/// Everything read.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) protos: Vec<Proto>,
    pub(super) remarks: Remarks,
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// What a node is called in messages.
    pub(super) fn title(&self, id: NodeId) -> String {
        let node = self.node(id);
        match node.what {
            What::Known(class) => class.name.to_owned(),
            What::Instance(proto) => short(&self.protos[proto as usize].name),
            What::Unknown => "unknown node".to_owned(),
        }
    }
}

/// Sentences about what was not taken over, each said once with how often it holds.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    said: Vec<(String, usize)>,
    more: usize,
}

impl Remarks {
    /// Most different sentences.
    const MOST: usize = 100;

    /// Notes a sentence, without its full stop.
    pub(super) fn say(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        match self.said.iter().position(|(said, _)| *said == sentence) {
            Some(place) => self.said[place].1 += 1,
            None if self.said.len() < Self::MOST => self.said.push((sentence, 1)),
            None => self.more += 1,
        }
    }

    /// The sentences, in the order of their first time.
    pub(super) fn into_sentences(self) -> Vec<String> {
        let often = |(sentence, count)| match count {
            1 => format!("{sentence}."),
            _ => format!("{sentence} ({count} times)."),
        };
        let more = (self.more > 0).then(|| format!("{} more remarks were left out.", self.more));
        self.said.into_iter().map(often).chain(more).collect()
    }
}
