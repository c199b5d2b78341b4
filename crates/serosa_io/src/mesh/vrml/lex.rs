//! Bytes to tokens, for every text dialect of the family. Works on bytes, so that what is not UTF-8 is no obstacle.

use super::tree::Era;
use super::{Fault, fault};
use crate::mesh::Spot;
use std::borrow::Cow;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `[`
    ListOpen,
    /// `]`
    ListClose,
    /// `(`, only in Inventor and VRML 1.0
    ParenOpen,
    /// `)`, only in Inventor and VRML 1.0
    ParenClose,
    /// `|`, only in Inventor and VRML 1.0
    Bar,
    /// `=`, only in Inventor and VRML 1.0
    Equals,
    /// `.`
    Dot,
    /// `~`, only in Inventor and VRML 1.0
    Tilde,
    /// A name or a keyword.
    Word(Cow<'a, str>),
    /// A finite number.
    Number(f64),
    /// A quoted string, its escapes undone.
    Text(String),
    /// The end of the file.
    End,
}

impl Token<'_> {
    /// As shown in messages.
    pub(super) fn show(&self) -> String {
        match self {
            Self::Open => "`{`".into(),
            Self::Close => "`}`".into(),
            Self::ListOpen => "`[`".into(),
            Self::ListClose => "`]`".into(),
            Self::ParenOpen => "`(`".into(),
            Self::ParenClose => "`)`".into(),
            Self::Bar => "`|`".into(),
            Self::Equals => "`=`".into(),
            Self::Dot => "`.`".into(),
            Self::Tilde => "`~`".into(),
            Self::Word(word) => format!("`{}`", short(word)),
            Self::Number(number) => format!("the number {number}"),
            Self::Text(text) => format!("the string \"{}\"", short(text)),
            Self::End => "the end of the file".into(),
        }
    }
}

/// A word no longer than a message bears.
pub(super) fn short(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// Cuts bytes into tokens.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    era: Era,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], era: Era) -> Self {
        Self { bytes, at: 0, line: 1, era }
    }

    /// Where the last token ended.
    pub(super) fn spot(&self) -> Spot {
        Spot::Line(self.line)
    }

    /// The token after this place, which stays where it is.
    pub(super) fn peek(&self) -> Result<Token<'a>, Fault> {
        self.clone().next()
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token<'a>, Fault> {
        self.skip_blanks();
        let Some(&byte) = self.bytes.get(self.at) else {
            return Ok(Token::End);
        };
        let sign = match byte {
            b'{' => Some(Token::Open),
            b'}' => Some(Token::Close),
            b'[' => Some(Token::ListOpen),
            b']' => Some(Token::ListClose),
            b'.' if !self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => Some(Token::Dot),
            _ if self.era == Era::New => None,
            b'(' => Some(Token::ParenOpen),
            b')' => Some(Token::ParenClose),
            b'|' => Some(Token::Bar),
            b'=' => Some(Token::Equals),
            b'~' => Some(Token::Tilde),
            _ => None,
        };
        if let Some(sign) = sign {
            self.at += 1;
            return Ok(sign);
        }
        match byte {
            b'"' => self.text(),
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(),
            _ => Ok(Token::Word(String::from_utf8_lossy(self.run(false)))),
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b'\r' if self.bytes.get(self.at + 1) != Some(&b'\n') => self.line += 1,
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
                    continue;
                }
                b',' | 0..=b' ' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// The bytes up to the next sign or blank; a point ends a word, not a number.
    fn run(&mut self, number: bool) -> &'a [u8] {
        let old = self.era == Era::Old;
        let ends = |b: &u8| match b {
            0..=b' ' | b',' | b'"' | b'#' | b'{' | b'}' | b'[' | b']' => true,
            b'.' => !number,
            b'(' | b')' | b'|' | b'=' | b'~' => old,
            _ => false,
        };
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(ends).unwrap_or(rest.len()).max(1);
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Result<Token<'a>, Fault> {
        let run = String::from_utf8_lossy(self.run(true));
        match number(&run) {
            Some(value) if value.is_finite() => Ok(Token::Number(value)),
            Some(_) => {
                let message = format!("the number {} is too large", short(&run));
                Err(fault(self.spot(), message, "coordinates must be finite: export the file anew"))
            }
            None => Ok(Token::Word(run)),
        }
    }

    /// A quoted string. In Inventor files `\"` at the end of a line is a backslash and the closing quote, as
    /// old programs write it; everywhere else it is a quote within.
    fn text(&mut self) -> Result<Token<'a>, Fault> {
        let begin = self.spot();
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => {
                    return Err(fault(
                        begin,
                        "a string that begins here has no closing quote",
                        "add the `\"`",
                    ));
                }
                Some(b'"') => break,
                Some(b'\\') => {
                    let next = self.bytes.get(self.at + 1);
                    let ends = matches!(self.bytes.get(self.at + 2), Some(b'\n' | b'\r'));
                    let lone = self.era == Era::Old && next == Some(&b'"') && ends;
                    match next {
                        Some(&b @ (b'"' | b'\\')) if !lone => {
                            bytes.push(b);
                            self.at += 1;
                        }
                        _ => bytes.push(b'\\'),
                    }
                }
                Some(&byte) => {
                    self.line += usize::from(byte == b'\n');
                    bytes.push(byte);
                }
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(Token::Text(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// A number as the family writes it: decimal, or hexadecimal after `0x`.
pub(super) fn number(run: &str) -> Option<f64> {
    let digits = run.trim_start_matches(['+', '-']);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = u64::from_str_radix(hex, 16).ok()? as f64;
        return Some(if run.starts_with('-') { -value } else { value });
    }
    match digits.as_bytes().first() {
        Some(b'0'..=b'9' | b'.') => run.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, era: Era) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text.as_bytes(), era);
        let mut tokens = Vec::new();
        loop {
            match lexer.next().unwrap() {
                Token::End => return tokens,
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn numbers_words_and_signs_are_told_apart() {
        let word = |w: &'static str| Token::Word(w.into());
        let tokens = all("DEF a+0 Box{size +1 -.5,1e3 0xFF # no\n}A.b", Era::New);
        let numbers = [1.0, -0.5, 1000.0, 255.0].map(Token::Number);
        assert_eq!(tokens[..5], [word("DEF"), word("a+0"), word("Box"), Token::Open, word("size")]);
        assert_eq!(tokens[5..9], numbers);
        assert_eq!(tokens[9..], [Token::Close, word("A"), Token::Dot, word("b")]);
        assert_eq!(all("(A|B)~", Era::New), [word("(A|B)~")]);
        assert_eq!(all("(A|B)~", Era::Old).len(), 6);
        assert_eq!(all("3dbox", Era::New), [word("3dbox")]);
    }

    #[test]
    fn strings_end_as_their_dialect_says() {
        assert_eq!(all("\"a\\\"b\\\\\"", Era::New), [Token::Text("a\"b\\".into())]);
        assert_eq!(all("\"\\\"\n", Era::Old), [Token::Text("\\".into())]);
        assert!(Lexer::new(b"\"\\\"\n", Era::New).next().is_err());
        let error = Lexer::new(b"\n 1e999", Era::New).next().unwrap_err();
        assert_eq!(error.to_string(), "line 2: the number 1e999 is too large");
    }
}
