//! A small reader of XML: elements, attributes and lines, nothing else. Comments, processing instructions and the
//! document type are passed over; only the five entities of XML itself and numbers are known, so that none can
//! expand.

use super::lex::short;
use super::{Fault, MAX_DEPTH, fault};
use crate::mesh::Spot;

const HELP: &str = "correct the XML, or export the file anew";

/// An element.
#[derive(Debug)]
pub(super) struct Element {
    /// Without its namespace.
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// By their places in the list of elements.
    pub(super) children: Vec<usize>,
    pub(super) line: usize,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// The elements of a document; the root is the first.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Element>, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader { text: &text, at: 0, line: 1, elements: Vec::new(), open: Vec::new() };
    while reader.piece()? {}
    match reader.open.last() {
        Some(&id) => {
            let element = &reader.elements[id];
            let message = format!("<{}> is not closed when the file ends", short(&element.name));
            let help = "the file is cut short: fetch or export it again";
            Err(fault(Spot::Line(element.line), message, help))
        }
        None if reader.elements.is_empty() => Err(fault(Spot::Whole, "the XML holds no element", HELP)),
        None => Ok(reader.elements),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    elements: Vec<Element>,
    open: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(fault(Spot::Line(self.line), message, HELP))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + bytes];
        self.line += passed.iter().filter(|&&b| b == b'\n').count();
        self.at += bytes;
    }

    /// Passes over what ends with a mark.
    fn pass(&mut self, mark: &str, what: &str) -> Result<(), Fault> {
        match self.rest().find(mark) {
            Some(found) => {
                self.advance(found + mark.len());
                Ok(())
            }
            None => self.fault(format!("{what} has no `{mark}`")),
        }
    }

    /// One mark-up after any text; false at the end.
    fn piece(&mut self) -> Result<bool, Fault> {
        let Some(found) = self.rest().find('<') else {
            return Ok(false);
        };
        self.advance(found);
        let rest = self.rest();
        if rest.starts_with("<!--") {
            self.pass("-->", "a comment")?;
        } else if rest.starts_with("<![CDATA[") {
            self.pass("]]>", "CDATA")?;
        } else if rest.starts_with("<?") {
            self.pass("?>", "a processing instruction")?;
        } else if rest.starts_with("<!") {
            self.document_type()?;
        } else if rest.starts_with("</") {
            self.close()?;
        } else {
            self.element()?;
        }
        Ok(true)
    }

    fn document_type(&mut self) -> Result<(), Fault> {
        let sign = self.rest().find(['>', '[']);
        match sign.map(|at| (at, self.rest().as_bytes()[at])) {
            Some((at, b'>')) => {
                self.advance(at + 1);
                Ok(())
            }
            Some(_) => {
                self.pass("]", "the document type")?;
                self.pass(">", "the document type")
            }
            None => self.fault("the document type has no `>`"),
        }
    }

    fn name(&mut self) -> Result<String, Fault> {
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/' | '=' | '<' | '"' | '\'');
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        if name.is_empty() {
            return self.fault("a name is missing");
        }
        self.advance(length);
        Ok(name.rsplit(':').next().unwrap_or(name).to_owned())
    }

    fn blanks(&mut self) {
        let length = self.rest().find(|c: char| !c.is_ascii_whitespace()).unwrap_or(self.rest().len());
        self.advance(length);
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.advance(2);
        let name = self.name()?;
        let open = self.open.pop().map(|id| (self.elements[id].name.clone(), self.elements[id].line));
        match open {
            Some((open, _)) if open == name => self.pass(">", "a closing tag"),
            Some((open, line)) => {
                let (name, open) = (short(&name), short(&open));
                self.fault(format!("</{name}> closes <{open}> of line {line}"))
            }
            None => self.fault(format!("</{}> closes nothing", short(&name))),
        }
    }

    fn element(&mut self) -> Result<(), Fault> {
        self.advance(1);
        let line = self.line;
        let name = self.name()?;
        let mut attributes = Vec::new();
        let closed = loop {
            self.blanks();
            let rest = self.rest();
            if rest.starts_with("/>") {
                self.advance(2);
                break true;
            }
            if rest.starts_with('>') {
                self.advance(1);
                break false;
            }
            if rest.is_empty() || rest.starts_with('<') {
                return self.fault(format!("<{}> has no `>`", short(&name)));
            }
            attributes.push(self.attribute()?);
        };
        let id = self.elements.len();
        if let Some(&parent) = self.open.last() {
            self.elements[parent].children.push(id);
        }
        self.elements.push(Element { name, attributes, children: Vec::new(), line });
        if !closed {
            self.open.push(id);
        }
        if self.open.len() > MAX_DEPTH {
            return self.fault(format!("elements are nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    fn attribute(&mut self) -> Result<(String, String), Fault> {
        let name = self.name()?;
        self.blanks();
        if !self.rest().starts_with('=') {
            return self.fault(format!("the attribute {} has no `=`", short(&name)));
        }
        self.advance(1);
        self.blanks();
        let quote = match self.rest().as_bytes().first() {
            Some(b'"') => '"',
            Some(b'\'') => '\'',
            _ => return self.fault(format!("the attribute {} has no quotes", short(&name))),
        };
        self.advance(1);
        let Some(length) = self.rest().find(quote) else {
            return self.fault(format!("the attribute {} has no closing quote", short(&name)));
        };
        let value = self.unescape(&self.rest()[..length])?;
        self.advance(length + 1);
        Ok((name, value))
    }

    fn unescape(&self, raw: &str) -> Result<String, Fault> {
        let mut pieces = raw.split('&');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let Some((entity, rest)) = piece.split_once(';') else {
                return self.fault("`&` begins no entity: write `&amp;`");
            };
            let sign = match entity {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => entity.strip_prefix('#').and_then(|number| {
                    let code = match number.strip_prefix('x') {
                        Some(hex) => u32::from_str_radix(hex, 16),
                        None => number.parse(),
                    };
                    code.ok().and_then(char::from_u32)
                }),
            };
            match sign {
                Some(sign) => text.push(sign),
                None => return self.fault(format!("the entity &{}; is not known", short(entity))),
            }
            text.push_str(rest);
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_entities_are_read() {
        let text = b"<?xml version='1.0'?>\n<!DOCTYPE X3D [ <!ENTITY a 'b'> ]>\n<x:A b='1 &lt; &#x41;'><!-- <no/> -->\n<C/></x:A>";
        let elements = read(text).unwrap();
        assert_eq!((elements[0].name.as_str(), elements[0].attribute("b")), ("A", Some("1 < A")));
        assert_eq!((elements[0].children.as_slice(), elements[1].line), ([1].as_slice(), 4));
    }

    #[test]
    fn broken_markup_is_told_with_its_line() {
        let cases = [
            ("<A>\n<B></A>", "line 2: </A> closes <B> of line 2"),
            ("\n<A b=c/>", "line 2: the attribute b has no quotes"),
            ("<A", "line 1: <A> has no `>`"),
            ("<A>", "line 1: <A> is not closed"),
            ("<A b='&lol;'/>", "line 1: the entity &lol; is not known"),
            ("</A>", "closes nothing"),
            ("plain", "holds no element"),
        ];
        for (text, wanted) in cases {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        assert!(read("<A>".repeat(1_000_000).as_bytes()).unwrap_err().to_string().contains("nested"));
    }
}
