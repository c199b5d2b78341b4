//! X3D in XML to the node tree.

use super::lex::{number, short};
use super::parse::{Scope, check};
use super::table::{Holds, Type, class, type_named};
use super::tree::{Era, Field, Held, Node, NodeId, Proto, Tree, Value, What};
use super::xml::{self, Element};
use super::{Fault, fault};
use crate::mesh::Spot;
use std::rc::Rc;

const HELP: &str = "correct the element, or export the file anew";

/// The top nodes of a document, added to a tree, and its prototypes.
pub(super) fn parse(bytes: &[u8], tree: &mut Tree) -> Result<Held, Fault> {
    let elements = xml::read(bytes)?;
    if elements[0].name != "X3D" {
        let message = format!("the root is <{}>, not <X3D>", short(&elements[0].name));
        return Err(fault(Spot::Line(elements[0].line), message, "is it an X3D file?"));
    }
    let first = tree.protos.len() as u32;
    let mut reader = Reader { elements: &elements, tree, scopes: vec![Scope::default()] };
    let mut roots = Vec::new();
    for &id in &elements[0].children {
        if elements[id].name == "Scene" {
            for &child in &elements[id].children {
                roots.extend(reader.node(child)?.map(|(node, _)| node));
            }
        } else if elements[id].name == "head" {
            reader.head(id);
        }
    }
    let protos = (first..tree.protos.len() as u32).collect();
    Ok((roots, protos))
}

struct Reader<'a, 't> {
    elements: &'a [Element],
    tree: &'t mut Tree,
    scopes: Vec<Scope>,
}

impl<'a> Reader<'a, '_> {
    fn fault<T>(&self, element: &Element, message: impl Into<String>) -> Result<T, Fault> {
        Err(fault(Spot::Line(element.line), message, HELP))
    }

    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn head(&mut self, id: usize) {
        let units = self.elements[id].children.iter().any(|&child| self.elements[child].name == "unit");
        if units {
            self.tree.remarks.say("A unit of the head was passed over: numbers stay as written");
        }
    }

    fn required(&self, element: &'a Element, attribute: &str) -> Result<&'a str, Fault> {
        match element.attribute(attribute) {
            Some(value) => Ok(value),
            None => self.fault(element, format!("<{}> has no {attribute}", short(&element.name))),
        }
    }

    /// The node of an element and the field of its parent that it belongs to; nothing for statements.
    fn node(&mut self, id: usize) -> Result<Option<(NodeId, String)>, Fault> {
        let element = &self.elements[id];
        match element.name.as_str() {
            "ProtoDeclare" => return self.proto(element).map(|()| None),
            "ExternProtoDeclare" => return self.extern_proto(element).map(|()| None),
            "ROUTE" => {
                self.tree.remarks.say("A ROUTE was passed over: nothing moves by itself here");
                return Ok(None);
            }
            "IMPORT" | "EXPORT" | "field" | "fieldValue" | "IS" | "meta" | "LayerSet" => return Ok(None),
            _ => {}
        }
        let what = self.what(element)?;
        let container = match what {
            What::Known(class) => class.container(),
            _ => "children",
        };
        let container = element.attribute("containerField").unwrap_or(container).to_owned();
        if let Some(name) = element.attribute("USE") {
            return match self.scope().nodes.get(name).copied() {
                Some(Some(node)) => Ok(Some((node, container))),
                Some(None) => self.fault(element, format!("USE {0} stands inside DEF {0}", short(name))),
                None => self.fault(element, format!("USE {0}, but no DEF {0} before", short(name))),
            };
        }
        if matches!(what, What::Unknown) {
            let name = short(&element.name);
            self.tree.remarks.say(format!("The node {name} is not known and was left out"));
        }
        let def = element.attribute("DEF").map(str::to_owned);
        if let Some(name) = &def {
            self.scope().nodes.insert(name.clone(), None);
        }
        let node = self.build(element, what)?;
        if let Some(name) = def {
            self.tree.nodes[node as usize].name = Some(Rc::from(name.as_str()));
            self.scope().nodes.insert(name, Some(node));
        }
        Ok(Some((node, container)))
    }

    fn what(&self, element: &Element) -> Result<What, Fault> {
        if element.name != "ProtoInstance" {
            return Ok(class(&element.name).map_or(What::Unknown, What::Known));
        }
        let Some(name) = element.attribute("name") else {
            return self.fault(element, "<ProtoInstance> has no name");
        };
        for scope in self.scopes.iter().rev() {
            if scope.within.as_deref() == Some(name) {
                return self.fault(element, format!("the prototype {} contains itself", short(name)));
            }
            if let Some(&proto) = scope.protos.get(name) {
                return Ok(What::Instance(proto));
            }
        }
        self.fault(element, format!("no prototype {} is declared before", short(name)))
    }

    fn build(&mut self, element: &'a Element, what: What) -> Result<NodeId, Fault> {
        let spot = Spot::Line(element.line);
        let mut fields = Vec::new();
        if let What::Known(class) = what {
            for (name, text) in &element.attributes {
                if let Some(wanted) = class.field(name) {
                    let value = self.value(element, name, wanted, text)?;
                    fields.push(Field { name: name.as_str().into(), value });
                }
            }
        }
        if !matches!(what, What::Unknown) {
            for &child in &element.children {
                self.member(child, what, &mut fields)?;
            }
        }
        let node = Node { what, era: Era::New, name: None, spot, fields, children: Vec::new() };
        Ok(self.tree.add(node))
    }

    /// A child of an element: a node, the value of a field, or connections.
    fn member(&mut self, child: usize, what: What, fields: &mut Vec<Field>) -> Result<(), Fault> {
        let elements = self.elements;
        let element = &elements[child];
        match (element.name.as_str(), what) {
            ("fieldValue", What::Instance(proto)) => {
                let name = self.required(element, "name")?;
                let wanted = self.tree.protos[proto as usize].type_of(name);
                let value = self.field_value(element, name, wanted)?;
                fields.push(Field { name: name.into(), value });
            }
            ("IS", _) => {
                for &id in &element.children {
                    let (field, of) = (
                        self.required(&elements[id], "nodeField")?,
                        self.required(&elements[id], "protoField")?,
                    );
                    fields.push(Field { name: field.into(), value: Value::Is(of.to_owned()) });
                }
            }
            _ => {
                let Some((node, container)) = self.node(child)? else {
                    return Ok(());
                };
                let slot = fields.iter_mut().find(|f| *f.name == *container);
                match slot.map(|f| &mut f.value) {
                    Some(Value::Nodes(nodes)) => nodes.push(node),
                    _ => fields.push(Field { name: container.into(), value: Value::Nodes(vec![node]) }),
                }
            }
        }
        Ok(())
    }

    /// The value of a `field` or `fieldValue`: its attribute, or the nodes in it.
    fn field_value(
        &mut self,
        element: &'a Element,
        name: &str,
        wanted: Option<Type>,
    ) -> Result<Value, Fault> {
        if let (Some(text), Some(wanted)) = (element.attribute("value"), wanted) {
            return self.value(element, name, wanted, text);
        }
        let mut nodes = Vec::new();
        for &child in &element.children {
            nodes.extend(self.node(child)?.map(|(node, _)| node));
        }
        Ok(if nodes.is_empty() { Value::None } else { Value::Nodes(nodes) })
    }

    fn value(&self, element: &Element, name: &str, wanted: Type, text: &str) -> Result<Value, Fault> {
        let value = match wanted.holds {
            Holds::Numbers(_) | Holds::Image => self.numbers(element, name, text)?,
            Holds::Bool | Holds::Word | Holds::Mask => {
                let words = text.split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | '|'));
                Value::Words(words.filter(|w| !w.is_empty()).map(str::to_owned).collect())
            }
            Holds::Text if wanted.many => Value::Texts(strings(text)),
            Holds::Text => Value::Texts(vec![text.to_owned()]),
            Holds::Node => Value::None,
        };
        let value = match &value {
            Value::Numbers(numbers) if numbers.is_empty() => Value::None,
            _ => value,
        };
        match check(Some(wanted), &value) {
            Ok(()) => Ok(value),
            Err(reason) => self.fault(element, format!("{name} of <{}>: {reason}", short(&element.name))),
        }
    }

    fn numbers(&self, element: &Element, name: &str, text: &str) -> Result<Value, Fault> {
        let words = text.split(|c: char| c.is_ascii_whitespace() || c == ',').filter(|w| !w.is_empty());
        let mut numbers = Vec::new();
        for word in words {
            match number(word) {
                Some(value) if value.is_finite() => numbers.push(value),
                _ => {
                    let message =
                        format!("{name} of <{}>: {} is no finite number", short(&element.name), short(word));
                    return self.fault(element, message);
                }
            }
        }
        Ok(Value::Numbers(numbers))
    }

    fn interface(&mut self, element: &'a Element, proto: &mut Proto) -> Result<(), Fault> {
        for &id in &element.children {
            let field = &self.elements[id];
            if field.name == "field" {
                let (name, kind) = (self.required(field, "name")?, self.required(field, "type")?);
                let Some(wanted) = type_named(kind) else {
                    return self.fault(field, format!("{} is no type of fields", short(kind)));
                };
                proto.types.push((name.to_owned(), kind.to_owned()));
                let value = self.field_value(field, name, Some(wanted))?;
                proto.defaults.push(Field { name: name.into(), value });
            }
        }
        Ok(())
    }

    fn proto(&mut self, element: &'a Element) -> Result<(), Fault> {
        let name = self.required(element, "name")?.to_owned();
        let mut proto =
            Proto { name: name.clone(), defaults: vec![], types: vec![], body: vec![], urls: vec![] };
        for &id in &element.children {
            let part = &self.elements[id];
            match part.name.as_str() {
                "ProtoInterface" => self.interface(part, &mut proto)?,
                "ProtoBody" => {
                    self.scopes.push(Scope { within: Some(name.clone()), ..Scope::default() });
                    for &child in &part.children {
                        proto.body.extend(self.node(child)?.map(|(node, _)| node));
                    }
                    self.scopes.pop();
                }
                _ => {}
            }
        }
        self.declare(name, proto);
        Ok(())
    }

    fn extern_proto(&mut self, element: &'a Element) -> Result<(), Fault> {
        let name = self.required(element, "name")?.to_owned();
        let urls = strings(element.attribute("url").unwrap_or_default());
        let mut proto = Proto { name: name.clone(), defaults: vec![], types: vec![], body: vec![], urls };
        self.interface(element, &mut proto)?;
        proto.defaults.clear();
        self.declare(name, proto);
        Ok(())
    }

    fn declare(&mut self, name: String, proto: Proto) {
        self.tree.protos.push(proto);
        let id = self.tree.protos.len() as u32 - 1;
        self.scope().protos.insert(name, id);
    }
}

/// The strings of an attribute: each in quotes, or the whole where there are none.
fn strings(text: &str) -> Vec<String> {
    if !text.contains('"') {
        return if text.trim().is_empty() { Vec::new() } else { vec![text.trim().to_owned()] };
    }
    let mut strings = Vec::new();
    let mut current: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (&mut current, sign) {
            (None, '"') => current = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => strings.extend(current.take()),
            (Some(string), '\\') => string.extend(signs.next()),
            (Some(string), _) => string.push(sign),
        }
    }
    strings.extend(current);
    strings
}
