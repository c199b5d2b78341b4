//! Prototypes: their declarations in text.

use super::lex::{Token, short};
use super::parse::{Parser, Scope};
use super::table::{Type, type_named};
use super::tree::{Field, Proto, Value};
use super::{Fault, MAX_DEPTH, fault};

/// How a field of an interface may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    /// It only carries events.
    Event,
    /// It has a value to start with.
    Value,
}

impl Interface {
    /// As files write it.
    pub(super) fn named(word: &str) -> Option<Self> {
        match word {
            "eventIn" | "eventOut" | "inputOnly" | "outputOnly" => Some(Self::Event),
            "field" | "exposedField" | "initializeOnly" | "inputOutput" => Some(Self::Value),
            _ => None,
        }
    }
}

impl Proto {
    /// The type of a field of its interface.
    pub(super) fn type_of(&self, field: &str) -> Option<Type> {
        let found = self.types.iter().find(|(name, _)| name == field);
        found.and_then(|(_, kind)| type_named(kind))
    }
}

impl Parser<'_, '_> {
    /// `PROTO name [ interface ] { body }`
    pub(super) fn proto(&mut self) -> Result<(), Fault> {
        self.next()?;
        let spot = self.lexer.spot();
        let name = self.word("a name after PROTO")?;
        if self.scopes.len() > MAX_DEPTH {
            let help = "write the inner prototypes beside each other";
            return Err(fault(spot, "prototypes are nested too deep", help));
        }
        let mut proto =
            Proto { name: name.clone(), defaults: vec![], types: vec![], body: vec![], urls: vec![] };
        self.expect(&Token::ListOpen, "after the name of a PROTO")?;
        while self.lexer.peek()? != Token::ListClose {
            let word = self.word("a field of the interface or `]`")?;
            if Interface::named(&word).is_none() {
                return self.fault(format!("field or exposedField is expected, found `{}`", short(&word)));
            }
            let (field, kind, value) = self.interface_field(&name, &word)?;
            proto.types.push((field.clone(), kind));
            proto.defaults.extend(value.map(|value| Field { name: field.into(), value }));
        }
        self.next()?;
        self.expect(&Token::Open, "before the body of a PROTO")?;
        self.scopes.push(Scope { within: Some(name.clone()), ..Scope::default() });
        while self.lexer.peek()? != Token::Close {
            if self.lexer.peek()? == Token::End {
                let help = "the file is cut short: fetch or export it again";
                return Err(fault(spot, format!("the PROTO {} has no `}}`", short(&name)), help));
            }
            if !self.statement()? {
                let node = self.node()?;
                proto.body.extend(node);
            }
        }
        self.next()?;
        self.scopes.pop();
        self.declare(name, proto);
        Ok(())
    }

    /// `EXTERNPROTO name [ interface ] urls`
    pub(super) fn extern_proto(&mut self) -> Result<(), Fault> {
        self.next()?;
        let name = self.word("a name after EXTERNPROTO")?;
        let mut types = Vec::new();
        self.expect(&Token::ListOpen, "after the name of an EXTERNPROTO")?;
        while self.lexer.peek()? != Token::ListClose {
            let word = self.word("a field of the interface or `]`")?;
            if Interface::named(&word).is_none() {
                return self.fault(format!("field or exposedField is expected, found `{}`", short(&word)));
            }
            let kind = self.word("the type of a field")?;
            types.push((self.word("the name of a field")?, kind));
        }
        self.next()?;
        let urls = match self.value(type_named("MFString"), "EXTERNPROTO", "url")? {
            Value::Texts(urls) => urls,
            _ => Vec::new(),
        };
        let proto = Proto { name: name.clone(), defaults: vec![], types, body: vec![], urls };
        self.declare(name, proto);
        Ok(())
    }

    fn declare(&mut self, name: String, proto: Proto) {
        self.tree.protos.push(proto);
        let id = self.tree.protos.len() as u32 - 1;
        self.scope().protos.insert(name, id);
    }

    /// Type, name and first value of a field of an interface.
    fn interface_field(&mut self, owner: &str, word: &str) -> Result<(String, String, Option<Value>), Fault> {
        let kind = self.word("the type of a field")?;
        let Some(wanted) = type_named(&kind) else {
            return self.fault(format!("`{}` is no type of fields", short(&kind)));
        };
        let field = self.word("the name of a field")?;
        let value = match Interface::named(word) {
            Some(Interface::Value) => Some(self.value(Some(wanted), owner, &field)?),
            _ => None,
        };
        Ok((field, kind, value))
    }

    /// A field that a script declares: read and forgotten. The word before its type has been read.
    pub(super) fn declared_field(&mut self, owner: &str) -> Result<(), Fault> {
        let kind = self.word("the type of a field")?;
        let wanted = type_named(&kind);
        self.word("the name of a field")?;
        // Events have no value, fields have; what follows says which, since the next member begins with a word
        // that no value begins with.
        let valued = match self.lexer.peek()? {
            Token::Close | Token::End => false,
            Token::Word(word) => {
                let member = Interface::named(&word).is_some()
                    || matches!(&*word, "url" | "directOutput" | "mustEvaluate" | "metadata");
                !member
            }
            _ => true,
        };
        if valued {
            self.value(wanted, owner, "a declared field")?;
        }
        Ok(())
    }
}
