//! A place in the bytes of a file: its lines and words, its numbers as text or binary, and where they stand.

use crate::mesh::{ImportError, Spot};

/// Which end of a binary number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The low one.
    Little,
    /// The high one.
    Big,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As words.
    Text,
    /// As bytes.
    Binary(Order),
}

/// A place in a file. Faults are told by line in text and by byte in binary files.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How the numbers to come are written.
    pub coding: Coding,
    /// What to do about a fault.
    pub help: &'static str,
}

impl<'a> Cursor<'a> {
    /// The beginning of a file of text.
    pub fn new(bytes: &'a [u8], help: &'static str) -> Self {
        let mark = bytes.starts_with(b"\xef\xbb\xbf");
        Self { bytes, at: if mark { 3 } else { 0 }, coding: Coding::Text, help }
    }

    /// Its byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The byte of the number to come.
    pub fn here(&mut self) -> usize {
        if self.coding == Coding::Text {
            self.skip_space();
        }
        self.at
    }

    /// Moves it to a byte.
    pub fn jump(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// What is still to be read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// A fault at a byte.
    pub fn fault_at(&self, at: usize, message: impl Into<String>) -> ImportError {
        let at = at.min(self.bytes.len());
        let spot = match self.coding {
            Coding::Text => Spot::Line(1 + self.bytes[..at].iter().filter(|b| **b == b'\n').count()),
            Coding::Binary(_) => Spot::Byte(at),
        };
        ImportError::new(spot, message, self.help)
    }

    /// A fault here.
    pub fn fault(&self, message: impl Into<String>) -> ImportError {
        self.fault_at(self.at, message)
    }

    /// The rest of the line, without white space around it; none at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        self.jump(self.at + end + 1);
        Some(rest[..end].trim_ascii())
    }

    /// Passes over white space.
    pub fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// The next word, empty at the end of the file.
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        let rest = self.rest();
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The next word without taking it.
    pub fn peek(&self) -> &'a [u8] {
        self.clone().word()
    }

    /// So many bytes.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ImportError> {
        match self.rest().get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(self.fault_at(self.bytes.len(), format!("the file ends in the middle of {what}"))),
        }
    }

    /// A number as text, with what it is for.
    fn parsed<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, ImportError> {
        let word = self.word();
        if word.is_empty() {
            return Err(self.fault(format!("the file ends in the middle of {what}")));
        }
        let at = self.at - word.len();
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        number.ok_or_else(|| {
            self.fault_at(at, format!("\"{}\" stands where a number belongs, in {what}", shown(word)))
        })
    }

    /// A real number that is finite: text, or 8 bytes.
    pub fn real(&mut self, what: &str) -> Result<f64, ImportError> {
        let at = self.here();
        let number: f64 = match self.coding {
            Coding::Text => self.parsed(what)?,
            Coding::Binary(order) => f64::from_bits(order.u64(self.take(8, what)?)),
        };
        match number.is_finite() {
            true => Ok(number),
            false => {
                Err(self.fault_at(at, format!("{number} stands where a finite number belongs, in {what}")))
            }
        }
    }

    /// A whole number: text, or 4 bytes.
    pub fn int(&mut self, what: &str) -> Result<i64, ImportError> {
        match self.coding {
            Coding::Text => self.parsed(what),
            Coding::Binary(order) => Ok(i64::from(order.u32(self.take(4, what)?).cast_signed())),
        }
    }

    /// A whole number: text, or 8 bytes.
    pub fn long(&mut self, what: &str) -> Result<i64, ImportError> {
        match self.coding {
            Coding::Text => self.parsed(what),
            Coding::Binary(order) => Ok(order.u64(self.take(8, what)?).cast_signed()),
        }
    }

    /// A count as text, of things that take at least so many bytes each: what the file has no room for is
    /// refused before any memory is asked for.
    pub fn count(&mut self, least: usize, what: &str) -> Result<usize, ImportError> {
        let at = self.here();
        let count: i64 = self.parsed(&format!("the number of {what}"))?;
        self.room(at, count, least, what)
    }

    /// A count that was read at a byte, held against the bytes that are left.
    pub fn room(&self, at: usize, count: i64, least: usize, what: &str) -> Result<usize, ImportError> {
        // The last number of a text may do without its separator.
        let most = (self.rest().len() + 1) / least.max(1);
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => {
                let left = self.rest().len();
                let message = format!("{count} {what} are announced, but only {left} bytes follow");
                Err(self.fault_at(at, message))
            }
        }
    }
}

impl Order {
    /// Of 4 bytes.
    pub fn u32(self, bytes: &[u8]) -> u32 {
        self.u64(bytes) as u32
    }

    /// Of 8 bytes or fewer.
    pub fn u64(self, bytes: &[u8]) -> u64 {
        let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match self {
            Self::Big => bytes.iter().fold(0, join),
            Self::Little => bytes.iter().rev().fold(0, join),
        }
    }
}

/// A word as a message shows it: printable and short.
pub fn shown(word: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(word).chars().take(24).collect();
    text.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_stand_on_their_lines() {
        let mut cursor = Cursor::new(b"\xef\xbb\xbfone 2\r\n\n 3.5 nan", "");
        assert_eq!(cursor.word(), b"one");
        assert_eq!(cursor.int("it").unwrap(), 2);
        assert_eq!(cursor.real("it").unwrap(), 3.5);
        let error = cursor.real("it").unwrap_err().to_string();
        assert_eq!(error, "line 3: NaN stands where a finite number belongs, in it");
        assert_eq!(cursor.int("it").unwrap_err().to_string(), "line 3: the file ends in the middle of it");
    }

    #[test]
    fn both_orders_are_read() {
        for (order, bytes) in [(Order::Little, 7_i32.to_le_bytes()), (Order::Big, 7_i32.to_be_bytes())] {
            let mut cursor = Cursor::new(&bytes, "");
            cursor.coding = Coding::Binary(order);
            assert_eq!(cursor.int("it").unwrap(), 7);
            assert_eq!(
                cursor.int("it").unwrap_err().to_string(),
                "byte 4: the file ends in the middle of it"
            );
        }
    }

    #[test]
    fn a_count_that_does_not_fit_asks_for_no_memory() {
        for word in ["4294967295", "-1", "9223372036854775807"] {
            let error = Cursor::new(word.as_bytes(), "").count(2, "nodes").unwrap_err().to_string();
            assert_eq!(error, format!("line 1: {word} nodes are announced, but only 0 bytes follow"));
        }
    }
}
