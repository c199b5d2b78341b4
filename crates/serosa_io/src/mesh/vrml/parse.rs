//! Text to the node tree: VRML 1.0, VRML 2.0, classic X3D and Inventor ASCII. What follows the name of a field says
//! by itself what it is (a number, a string, a word, a node), so that one grammar serves every dialect; the table
//! then says whether it is what the field wants.

use super::lex::{Lexer, Token, short};
use super::proto::Interface;
use super::table::{Class, Holds, Type, class};
use super::tree::{Era, Field, Held, Node, NodeId, Tree, Value, What};
use super::{Fault, HELP, MAX_DEPTH, fault};
use crate::mesh::Spot;
use std::collections::HashMap;
use std::rc::Rc;

/// Names of one scope: those of a file, or of the body of a prototype.
#[derive(Default)]
pub(super) struct Scope {
    /// What `DEF` named; `None` while the node is still being read.
    pub(super) nodes: HashMap<String, Option<NodeId>>,
    pub(super) protos: HashMap<String, u32>,
    /// The prototype whose body this is.
    pub(super) within: Option<String>,
}

/// Reads one file.
pub(super) struct Parser<'a, 't> {
    pub(super) lexer: Lexer<'a>,
    pub(super) tree: &'t mut Tree,
    pub(super) era: Era,
    pub(super) scopes: Vec<Scope>,
    depth: usize,
}

/// The top nodes of a text, added to a tree, and its prototypes.
pub(super) fn parse(bytes: &[u8], era: Era, tree: &mut Tree) -> Result<Held, Fault> {
    let lexer = Lexer::new(bytes, era);
    let mut parser = Parser { lexer, tree, era, scopes: vec![Scope::default()], depth: 0 };
    let first = parser.tree.protos.len() as u32;
    let mut roots = Vec::new();
    while parser.lexer.peek()? != Token::End {
        if !parser.statement()? {
            roots.extend(parser.node()?);
        }
    }
    let protos = (first..parser.tree.protos.len() as u32).collect();
    Ok((roots, protos))
}

impl<'a> Parser<'a, '_> {
    pub(super) fn next(&mut self) -> Result<Token<'a>, Fault> {
        self.lexer.next()
    }

    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(fault(self.lexer.spot(), message, HELP))
    }

    pub(super) fn word(&mut self, what: &str) -> Result<String, Fault> {
        match self.next()? {
            Token::Word(word) => Ok(word.into_owned()),
            other => self.fault(format!("{what} is expected, found {}", other.show())),
        }
    }

    pub(super) fn expect(&mut self, wanted: &Token, place: &str) -> Result<(), Fault> {
        match self.next()? {
            token if token == *wanted => Ok(()),
            other => self.fault(format!("{} is expected {place}, found {}", wanted.show(), other.show())),
        }
    }

    /// A statement that is no node, if one stands here.
    pub(super) fn statement(&mut self) -> Result<bool, Fault> {
        let Token::Word(word) = self.lexer.peek()? else {
            return Ok(false);
        };
        let words = match &*word {
            "PROTO" => return self.proto().map(|()| true),
            "EXTERNPROTO" => return self.extern_proto().map(|()| true),
            "ROUTE" => return self.route().map(|()| true),
            "PROFILE" if self.era == Era::New => 1,
            "COMPONENT" | "EXPORT" if self.era == Era::New => 1,
            "META" if self.era == Era::New => 2,
            "UNIT" if self.era == Era::New => 3,
            "IMPORT" if self.era == Era::New => 3,
            _ => return Ok(false),
        };
        if matches!(&*word, "UNIT" | "IMPORT") {
            self.tree.remarks.say(format!("A statement {word} was passed over"));
        }
        self.next()?;
        for _ in 0..words {
            if let sign @ (Token::Open | Token::Close | Token::End) = self.next()? {
                return self.fault(format!("{word} is cut short by {}", sign.show()));
            }
        }
        self.rename()?;
        Ok(true)
    }

    /// `AS name`, and the `.name` of an import.
    fn rename(&mut self) -> Result<(), Fault> {
        if self.lexer.peek()? == Token::Dot {
            self.next()?;
            self.next()?;
        }
        if self.lexer.peek()? == Token::Word("AS".into()) {
            self.next()?;
            self.word("a name after AS")?;
        }
        Ok(())
    }

    fn route(&mut self) -> Result<(), Fault> {
        self.next()?;
        for part in 0..2 {
            if part == 1 {
                let to = self.word("TO")?;
                if to != "TO" {
                    return self.fault(format!("TO is expected in a ROUTE, found `{}`", short(&to)));
                }
            }
            self.word("the name of a node in a ROUTE")?;
            self.expect(&Token::Dot, "in a ROUTE")?;
            self.word("the name of a field in a ROUTE")?;
        }
        self.tree.remarks.say("A ROUTE was passed over: nothing moves by itself here");
        Ok(())
    }

    /// A node, with `DEF` or `USE`; nothing for `NULL`.
    pub(super) fn node(&mut self) -> Result<Option<NodeId>, Fault> {
        let word = self.word("a node")?;
        match word.as_str() {
            "NULL" => Ok(None),
            "USE" => self.named().map(Some),
            "DEF" => {
                let name = self.word("a name after DEF")?;
                let kind = self.word("a node after DEF and its name")?;
                self.scope().nodes.insert(name.clone(), None);
                let id = self.typed(&kind, Some(&name))?;
                self.scope().nodes.insert(name, Some(id));
                Ok(Some(id))
            }
            _ => self.typed(&word, None).map(Some),
        }
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn named(&mut self) -> Result<NodeId, Fault> {
        let name = self.word("a name after USE")?;
        let shown = short(&name);
        match self.scope().nodes.get(&name).copied() {
            Some(Some(id)) => Ok(id),
            Some(None) => self.fault(format!("USE {shown} stands inside the node that DEF {shown} names")),
            None => self.fault(format!("USE {shown}, but no DEF {shown} before")),
        }
    }

    /// What a name stands for: a prototype in sight first, then the table.
    fn what(&mut self, kind: &str) -> Result<What, Fault> {
        for scope in self.scopes.iter().rev() {
            if scope.within.as_deref() == Some(kind) {
                return self.fault(format!("the PROTO {} contains itself", short(kind)));
            }
            if let Some(&proto) = scope.protos.get(kind) {
                return Ok(What::Instance(proto));
            }
        }
        Ok(class(kind).map_or(What::Unknown, What::Known))
    }

    /// A node whose kind has been read, and its body.
    fn typed(&mut self, kind: &str, name: Option<&str>) -> Result<NodeId, Fault> {
        let spot = self.lexer.spot();
        let what = self.what(kind)?;
        if self.lexer.peek()? != Token::Open {
            let found = self.lexer.peek()?.show();
            return self.fault(format!("`{}` is no node: `{{` should follow, not {found}", short(kind)));
        }
        self.next()?;
        let vrml97 = kind.starts_with("VRML") && class(kind).is_some_and(|c| c.name != kind);
        let era = if vrml97 { Era::New } else { self.era };
        let name = name.map(Rc::from);
        let mut node = Node { what, era, name, spot, fields: Vec::new(), children: Vec::new() };
        if matches!(what, What::Unknown) && !self.is_declared()? {
            self.tree.remarks.say(format!("The node {} is not known and was left out", short(kind)));
            self.skip_body(kind, spot)?;
        } else {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                let help = "flatten the scene: no program writes nodes so deep";
                return Err(fault(spot, format!("nodes are nested more than {MAX_DEPTH} deep"), help));
            }
            self.body(kind, &mut node)?;
            self.depth -= 1;
        }
        Ok(self.tree.add(node))
    }

    /// Whether a body begins with the fields that an unknown node declares.
    fn is_declared(&self) -> Result<bool, Fault> {
        let first = self.lexer.peek()?;
        Ok(matches!(first, Token::Word(word) if matches!(&*word, "fields" | "isA")))
    }

    /// Passes over a body by counting braces.
    fn skip_body(&mut self, kind: &str, begin: Spot) -> Result<(), Fault> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.next()? {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::End => return Err(unfinished(kind, begin)),
                _ => {}
            }
        }
        Ok(())
    }

    fn body(&mut self, kind: &str, node: &mut Node) -> Result<(), Fault> {
        loop {
            let ahead = self.lexer.peek()?;
            match &ahead {
                Token::Close => {
                    self.next()?;
                    return Ok(());
                }
                Token::End => return Err(unfinished(kind, node.spot)),
                Token::Word(word) => self.member(kind, word, node)?,
                other => {
                    self.next()?;
                    let found = other.show();
                    return self
                        .fault(format!("a field or a node is expected in {}, found {found}", short(kind)));
                }
            }
        }
    }

    /// One field, child or statement of a body.
    fn member(&mut self, kind: &str, word: &str, node: &mut Node) -> Result<(), Fault> {
        if self.statement()? {
            return Ok(());
        }
        if matches!(word, "DEF" | "USE" | "NULL") {
            node.children.extend(self.node()?);
            return Ok(());
        }
        self.next()?;
        let after = self.lexer.peek()?;
        let class = match node.what {
            What::Known(class) => Some(class),
            _ => None,
        };
        let listed = class.is_some_and(|c| c.field(word).is_some());
        match word {
            "fields" | "inputs" | "outputs" if after == Token::ListOpen && !listed => self.skip_list(),
            "isA" if node.era == Era::Old => {
                let names = self.value(None, kind, word)?;
                if let (Value::Texts(names) | Value::Words(names), What::Unknown) = (names, node.what) {
                    let known = names.iter().find_map(|name| super::table::class(name));
                    node.what = known.map_or(What::Unknown, What::Known);
                }
                Ok(())
            }
            _ if class.is_some_and(Class::declares) && Interface::named(word).is_some() => {
                self.declared_field(kind).map(|_| ())
            }
            _ if after == Token::Open && !listed => {
                node.children.push(self.typed(word, None)?);
                Ok(())
            }
            _ => self.field(kind, word, node),
        }
    }

    fn skip_list(&mut self) -> Result<(), Fault> {
        let begin = self.lexer.spot();
        loop {
            match self.next()? {
                Token::ListClose => return Ok(()),
                Token::End => return Err(unfinished("a list", begin)),
                _ => {}
            }
        }
    }

    fn field(&mut self, kind: &str, word: &str, node: &mut Node) -> Result<(), Fault> {
        let wanted = match node.what {
            What::Known(class) => {
                let wanted = class.field(word);
                let event = matches!(word, "metadata" | "addChildren" | "removeChildren")
                    || word.starts_with("set_")
                    || word.ends_with("_changed");
                if wanted.is_none() && class.lists_fields() && !event {
                    let (field, node) = (short(word), class.name);
                    self.tree
                        .remarks
                        .say(format!("The field {field} of {node} is not known and was passed over"));
                }
                wanted
            }
            What::Instance(proto) => self.tree.protos[proto as usize].type_of(word),
            What::Unknown => None,
        };
        let value = self.value(wanted, kind, word)?;
        self.connection()?;
        let ignored = self.lexer.peek()? == Token::Tilde;
        if ignored {
            self.next()?;
        }
        let value = if ignored { Value::None } else { value };
        node.fields.push(Field { name: word.into(), value });
        Ok(())
    }

    /// `= node . field` after a value: passed over.
    fn connection(&mut self) -> Result<(), Fault> {
        if self.lexer.peek()? != Token::Equals {
            return Ok(());
        }
        self.next()?;
        if self.lexer.peek()? == Token::Word("USE".into()) {
            self.next()?;
            self.word("a name after USE")?;
        } else if self.node()?.is_none() {
            return self.fault("a field is connected to NULL");
        }
        self.expect(&Token::Dot, "in the connection of a field")?;
        self.word("the name of a field after `.`")?;
        self.tree.remarks.say("The connection of a field was passed over; its written value holds");
        Ok(())
    }

    /// The value of a field, checked against what the field wants.
    pub(super) fn value(&mut self, wanted: Option<Type>, kind: &str, field: &str) -> Result<Value, Fault> {
        let value = match self.lexer.peek()? {
            Token::ListOpen => {
                self.next()?;
                self.list(wanted)?
            }
            Token::Number(_) => self.numbers()?,
            Token::Tilde => Value::None,
            Token::ParenOpen => self.mask()?,
            Token::Text(text) => {
                self.next()?;
                Value::Texts(vec![text])
            }
            Token::Word(word) if word == "IS" => {
                self.next()?;
                Value::Is(self.word("a name after IS")?)
            }
            Token::Word(_) if self.node_is_ahead(wanted)? => {
                self.node()?.map_or(Value::None, |id| Value::Nodes(vec![id]))
            }
            Token::Word(word) => {
                self.next()?;
                Value::Words(vec![word.into_owned()])
            }
            other => {
                self.next()?;
                let (field, found) = (short(field), other.show());
                return self
                    .fault(format!("the field {field} of {} has no value: found {found}", short(kind)));
            }
        };
        match check(wanted, &value) {
            Ok(()) => Ok(value),
            Err(reason) => self.fault(format!("the field {} of {}: {reason}", short(field), short(kind))),
        }
    }

    /// Whether the word that follows begins a node.
    fn node_is_ahead(&self, wanted: Option<Type>) -> Result<bool, Fault> {
        if let Some(wanted) = wanted {
            return Ok(wanted.holds == Holds::Node);
        }
        let mut ahead = self.lexer.clone();
        match ahead.next()? {
            Token::Word(word) if matches!(&*word, "DEF" | "USE" | "NULL") => Ok(true),
            Token::Word(_) => Ok(ahead.next()? == Token::Open),
            _ => Ok(false),
        }
    }

    fn numbers(&mut self) -> Result<Value, Fault> {
        let mut numbers = Vec::new();
        loop {
            let before = self.lexer.clone();
            match self.lexer.next()? {
                Token::Number(number) => numbers.push(number),
                _ => {
                    self.lexer = before;
                    return Ok(Value::Numbers(numbers));
                }
            }
        }
    }

    /// `(A | B)`
    fn mask(&mut self) -> Result<Value, Fault> {
        self.next()?;
        let mut words = Vec::new();
        loop {
            match self.next()? {
                Token::ParenClose => return Ok(Value::Words(words)),
                Token::Bar => {}
                Token::Word(word) => words.push(word.into_owned()),
                other => return self.fault(format!("a word or `)` is expected, found {}", other.show())),
            }
        }
    }

    /// What follows `[`: all of one kind.
    fn list(&mut self, wanted: Option<Type>) -> Result<Value, Fault> {
        let mut list = Value::None;
        loop {
            let found = match self.lexer.peek()? {
                Token::ListClose => {
                    self.next()?;
                    return Ok(list);
                }
                Token::Number(_) => self.numbers()?,
                Token::ParenOpen => self.mask()?,
                Token::Text(text) => {
                    self.next()?;
                    Value::Texts(vec![text])
                }
                Token::Word(_) if self.node_is_ahead(wanted)? => match self.node()? {
                    Some(id) => Value::Nodes(vec![id]),
                    None => return self.fault("NULL stands in a list of nodes"),
                },
                Token::Word(word) => {
                    self.next()?;
                    Value::Words(vec![word.into_owned()])
                }
                other => return self.fault(format!("`]` is missing: found {}", other.show())),
            };
            list = match (list, found) {
                (Value::None, found) => found,
                (Value::Numbers(list), Value::Numbers(more)) => Value::Numbers(join(list, more)),
                (Value::Texts(list), Value::Texts(more)) => Value::Texts(join(list, more)),
                (Value::Words(list), Value::Words(more)) => Value::Words(join(list, more)),
                (Value::Nodes(list), Value::Nodes(more)) => Value::Nodes(join(list, more)),
                _ => return self.fault("a list mixes numbers, words, strings or nodes"),
            };
        }
    }
}

fn join<T>(mut list: Vec<T>, more: Vec<T>) -> Vec<T> {
    list.extend(more);
    list
}

fn unfinished(kind: &str, begin: Spot) -> Fault {
    let message = format!("{}, which begins here, is not finished when the file ends", short(kind));
    fault(begin, message, "the file is cut short: fetch or export it again")
}

/// Whether a value is what a field wants.
pub(super) fn check(wanted: Option<Type>, value: &Value) -> Result<(), String> {
    let Some(Type { holds, many, .. }) = wanted else {
        return Ok(());
    };
    match (holds, value) {
        (_, Value::None | Value::Is(_)) | (Holds::Image, Value::Numbers(_)) => Ok(()),
        (Holds::Numbers(size), Value::Numbers(numbers)) if many => match numbers.len() % size {
            0 => Ok(()),
            _ => Err(format!("{} numbers, which is no multiple of {size}", numbers.len())),
        },
        (Holds::Numbers(size), Value::Numbers(numbers)) => match numbers.len() == size {
            true => Ok(()),
            false => Err(format!("{} numbers, {size} are wanted", numbers.len())),
        },
        (Holds::Bool, Value::Numbers(_) | Value::Words(_)) => Ok(()),
        (Holds::Word | Holds::Mask, Value::Words(_) | Value::Numbers(_)) => Ok(()),
        (Holds::Text, Value::Texts(_) | Value::Words(_)) => Ok(()),
        (Holds::Node, Value::Nodes(nodes)) if many || nodes.len() <= 1 => Ok(()),
        (Holds::Node, Value::Nodes(_)) => Err("several nodes, one is wanted".to_owned()),
        _ => {
            let wanted = match holds {
                Holds::Numbers(_) | Holds::Image => "numbers",
                Holds::Bool => "TRUE or FALSE",
                Holds::Word | Holds::Mask => "a word",
                Holds::Text => "a string",
                Holds::Node => "a node",
            };
            Err(format!("{wanted} should stand here, not {}", shown(value)))
        }
    }
}

fn shown(value: &Value) -> String {
    let first = |list: &[String]| list.first().map_or(String::new(), |w| short(w));
    match value {
        Value::Numbers(_) => "numbers".to_owned(),
        Value::Words(words) => format!("`{}`", first(words)),
        Value::Texts(texts) => format!("\"{}\"", first(texts)),
        Value::Nodes(_) => "a node".to_owned(),
        Value::None | Value::Is(_) => "nothing".to_owned(),
    }
}
