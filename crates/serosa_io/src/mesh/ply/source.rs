//! The body of a PLY file as a stream of numbers.

use super::header::{Encoding, Scalar};
use crate::mesh::words::{real, shown};
use crate::mesh::{ImportError, Spot};

/// Where the next number stands.
pub struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    encoding: Encoding,
}

impl<'a> Source<'a> {
    /// Begins at a byte, which is that of a line.
    pub fn new(bytes: &'a [u8], at: usize, line: usize, encoding: Encoding) -> Self {
        Self { bytes, at, line, encoding }
    }

    /// Bytes still to come; no list is longer than that.
    pub fn room(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Bytes still to come that are not blank.
    pub fn left(&self) -> usize {
        match self.encoding {
            Encoding::Ascii => self.bytes[self.at..].trim_ascii().len(),
            _ => self.room(),
        }
    }

    /// Here.
    pub fn spot(&self) -> Spot {
        match self.encoding {
            Encoding::Ascii => Spot::Line(self.line),
            _ => Spot::Byte(self.at),
        }
    }

    /// Where that stands which was read since `before`: a text may have had line ends in front of it.
    pub fn since(&self, before: Spot) -> Spot {
        if self.encoding == Encoding::Ascii { self.spot() } else { before }
    }

    /// The next number.
    pub fn number(&mut self, scalar: Scalar) -> Result<f64, ImportError> {
        match self.encoding {
            Encoding::Ascii => self.word(),
            Encoding::Little => self.binary(scalar, false),
            Encoding::Big => self.binary(scalar, true),
        }
    }

    /// The next length of a list.
    pub fn length(&mut self, scalar: Scalar) -> Result<usize, ImportError> {
        let spot = self.spot();
        let length = self.number(scalar)?;
        if !(length >= 0.0 && length.fract() == 0.0) {
            let message = format!("a list has the length {length}");
            return Err(ImportError::new(self.since(spot), message, "export the mesh anew"));
        }
        if length > self.room() as f64 {
            return Err(self.cut());
        }
        Ok(length as usize)
    }

    /// What is said where the file ends too early.
    pub fn cut(&self) -> ImportError {
        let help = "the file is cut, or its header counts too much: copy it again, or export the mesh anew";
        ImportError::new(self.spot(), "the file ends within its data", help)
    }

    fn word(&mut self) -> Result<f64, ImportError> {
        while let Some(byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            let lone = *byte == b'\r' && self.bytes.get(self.at + 1) != Some(&b'\n');
            self.line += usize::from(*byte == b'\n' || lone);
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.cut());
        }
        self.at += end;
        real(&rest[..end]).ok_or_else(|| {
            let message = format!("\"{}\" is not a number", shown(&rest[..end]));
            ImportError::new(self.spot(), message, "correct the line, or export the mesh anew")
        })
    }

    fn binary(&mut self, scalar: Scalar, big: bool) -> Result<f64, ImportError> {
        macro_rules! number {
            ($type:ty) => {{
                const SIZE: usize = size_of::<$type>();
                let Some(bytes) = self.bytes[self.at..].first_chunk::<SIZE>() else { return Err(self.cut()) };
                self.at += SIZE;
                let value = if big { <$type>::from_be_bytes(*bytes) } else { <$type>::from_le_bytes(*bytes) };
                value as f64
            }};
        }
        Ok(match scalar {
            Scalar::I8 => number!(i8),
            Scalar::U8 => number!(u8),
            Scalar::I16 => number!(i16),
            Scalar::U16 => number!(u16),
            Scalar::I32 => number!(i32),
            Scalar::U32 => number!(u32),
            Scalar::I64 => number!(i64),
            Scalar::U64 => number!(u64),
            Scalar::F32 => number!(f32),
            Scalar::F64 => number!(f64),
        })
    }

    /// Ends a row: in a text nothing may follow on its line, or the header does not fit the data.
    pub fn end_row(&mut self) -> Result<(), ImportError> {
        if self.encoding != Encoding::Ascii {
            return Ok(());
        }
        let rest = &self.bytes[self.at..];
        match rest.iter().position(|b| !matches!(b, b' ' | b'\t' | 0x0b | 0x0c)) {
            Some(i) if !matches!(rest[i], b'\n' | b'\r') => {
                let message = "the line has more numbers than its element has properties";
                Err(ImportError::new(self.spot(), message, "correct the line or the header"))
            }
            _ => Ok(()),
        }
    }
}
