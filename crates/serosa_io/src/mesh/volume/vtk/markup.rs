//! As much XML as VTK files have: tags with attributes, text, comments. No entities of their own, no namespaces.

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// `<name attribute="value">`
    Open(Tag<'a>),
    /// `</name>`
    Close(&'a str),
    /// What stands between tags, and its byte.
    Text(usize, &'a [u8]),
}

/// A tag that opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Its byte.
    pub at: usize,
    /// Its name.
    pub name: &'a str,
    attributes: Vec<(&'a str, String)>,
    /// Whether it closes itself.
    pub closed: bool,
}

impl Tag<'_> {
    /// The value of an attribute, empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.attributes.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| value)
    }
}

/// A place in XML.
#[derive(Clone, Debug)]
pub struct Markup<'a> {
    bytes: &'a [u8],
    /// Its byte.
    pub at: usize,
}

/// A fault and its byte.
type Fault = (usize, String);

impl<'a> Markup<'a> {
    /// The beginning of a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// What comes next; none at the end of the file.
    pub fn next(&mut self) -> Result<Option<Event<'a>>, Fault> {
        loop {
            let rest = &self.bytes[self.at..];
            let Some(first) = rest.first() else { return Ok(None) };
            if *first != b'<' {
                let end = rest.iter().position(|b| *b == b'<').unwrap_or(rest.len());
                let event = Event::Text(self.at, &rest[..end]);
                self.at += end;
                return Ok(Some(event));
            }
            match rest {
                [b'<', b'!', b'-', b'-', ..] => self.pass(b"-->", "a comment")?,
                [b'<', b'?', ..] => self.pass(b"?>", "an instruction")?,
                [b'<', b'!', ..] => self.pass(b">", "a declaration")?,
                _ => return self.tag().map(Some),
            }
        }
    }

    fn pass(&mut self, end: &[u8], what: &str) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        match rest.windows(end.len()).position(|window| window == end) {
            Some(found) => {
                self.at += found + end.len();
                Ok(())
            }
            None => Err((self.at, format!("{what} has no end"))),
        }
    }

    fn tag(&mut self) -> Result<Event<'a>, Fault> {
        let at = self.at;
        let rest = &self.bytes[at + 1..];
        let mut quote = None;
        let end = rest.iter().position(|byte| {
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(*byte),
                (Some(open), byte) if open == *byte => quote = None,
                _ => {}
            }
            quote.is_none() && *byte == b'>'
        });
        let Some(end) = end else { return Err((at, "a tag has no end".to_owned())) };
        let inner = std::str::from_utf8(&rest[..end]);
        let inner = inner.map_err(|e| (at + 1 + e.valid_up_to(), "the tag is not UTF-8".to_owned()))?;
        self.at = at + end + 2;
        if let Some(name) = inner.strip_prefix('/') {
            return Ok(Event::Close(name.trim()));
        }
        let (inner, closed) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
        let name = inner.split(char::is_whitespace).next().unwrap_or_default();
        if name.is_empty() {
            return Err((at, "a tag has no name".to_owned()));
        }
        let attributes = attributes(&inner[name.len()..]).map_err(|message| (at, message))?;
        Ok(Event::Open(Tag { at, name, attributes, closed }))
    }
}

fn attributes(text: &str) -> Result<Vec<(&str, String)>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let parts = rest.split_once('=').and_then(|(name, tail)| {
            let tail = tail.trim_start();
            let quote = tail.chars().next().filter(|c| *c == '"' || *c == '\'')?;
            let (value, tail) = tail[1..].split_once(quote)?;
            Some((name.trim(), value, tail.trim_start()))
        });
        let Some((name, value, tail)) = parts else {
            return Err("an attribute needs the form name=\"value\"".to_owned());
        };
        found.push((name, plain(value)));
        rest = tail;
    }
    Ok(found)
}

/// The five characters that XML writes in words.
fn plain(value: &str) -> String {
    let words = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    words.iter().fold(value.to_owned(), |text, (word, sign)| text.replace(word, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_texts_and_comments_are_told_apart() {
        let text = b"<?xml?><!-- <a> --><A x='1>' y = \"&lt;2&amp;\"> 3 <B/></A>";
        let mut markup = Markup::new(text);
        let mut seen = Vec::new();
        while let Some(event) = markup.next().unwrap() {
            seen.push(event);
        }
        let Event::Open(tag) = &seen[0] else { panic!("{seen:?}") };
        assert_eq!((tag.name, tag.get("x"), tag.get("y"), tag.get("z")), ("A", "1>", "<2&", ""));
        assert!(matches!(&seen[1], Event::Text(_, b" 3 ")));
        assert!(matches!(&seen[2], Event::Open(tag) if tag.closed && tag.name == "B"));
        assert_eq!(seen[3..], [Event::Close("A")]);
    }

    #[test]
    fn broken_tags_are_refused() {
        for text in ["<a", "<!-- ", "<a b>", "<a b=c>", "< >", "<a b=\"c>", "<a \u{e9}=>"] {
            assert!(Markup::new(text.as_bytes()).next().is_err(), "{text}");
        }
    }
}
