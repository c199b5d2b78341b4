//! The header of a PLY file: which elements follow, with which properties, in which encoding.

use crate::mesh::words::{Lines, integer, shown, words};
use crate::mesh::{ImportError, Spot};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As words.
    Ascii,
    /// Least byte first.
    Little,
    /// Greatest byte first.
    Big,
}

/// Types of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    fn named(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"int64" | b"long" => Self::I64,
            b"uint64" | b"ulong" => Self::U64,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Its largest value where it is a whole number, by which colours are divided; 1 for others.
    pub fn full(self) -> f64 {
        match self {
            Self::I8 => f64::from(i8::MAX),
            Self::U8 => f64::from(u8::MAX),
            Self::I16 => f64::from(i16::MAX),
            Self::U16 => f64::from(u16::MAX),
            Self::I32 | Self::I64 => f64::from(i32::MAX),
            Self::U32 | Self::U64 => f64::from(u32::MAX),
            Self::F32 | Self::F64 => 1.0,
        }
    }
}

/// A value, or a list of them, that each row of an element has.
#[derive(Debug)]
pub struct Property {
    pub name: String,
    pub scalar: Scalar,
    /// The type of the length, where it is a list.
    pub list: Option<Scalar>,
}

/// So many rows of the same properties.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    /// The line of the header that names it.
    pub line: usize,
}

/// A whole header.
#[derive(Debug)]
pub struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// The byte after it.
    pub end: usize,
    /// The line after it.
    pub line: usize,
}

/// Reads a header.
pub fn read(bytes: &[u8]) -> Result<Header, ImportError> {
    let mut lines = Lines::new(bytes);
    if lines.next().is_none_or(|(_, line)| line.trim_ascii() != b"ply") {
        let message = "the file does not begin with the line `ply`";
        return Err(ImportError::new(Spot::Line(1), message, "is it a PLY file? name it by its format"));
    }
    let (mut encoding, mut elements) = (None, Vec::new());
    while let Some((number, line)) = lines.next() {
        let mut words = words(line);
        let told = |message: String| {
            let help = "correct the header; remarks in it begin with `comment`";
            ImportError::new(Spot::Line(number), message, help)
        };
        match words.next() {
            Some(b"comment" | b"obj_info") | None => {}
            Some(b"format") => {
                encoding = Some(match words.next() {
                    Some(b"ascii") => Encoding::Ascii,
                    Some(b"binary_little_endian") => Encoding::Little,
                    Some(b"binary_big_endian") => Encoding::Big,
                    other => {
                        return Err(told(format!(
                            "\"{}\" is no format of PLY",
                            shown(other.unwrap_or_default())
                        )));
                    }
                });
            }
            Some(b"element") => elements.push(element(words, number).map_err(told)?),
            Some(b"property") => {
                let last =
                    elements.last_mut().ok_or_else(|| told("a property stands before any element".into()))?;
                last.properties.push(property(words).map_err(told)?);
            }
            Some(b"end_header") => {
                let encoding = encoding.ok_or_else(|| told("the header does not say `format`".into()))?;
                let end = bytes.len() - lines.rest().len();
                return Ok(Header { encoding, elements, end, line: lines.number() });
            }
            Some(word) => return Err(told(format!("\"{}\" is no part of a PLY header", shown(word)))),
        }
    }
    let help = "the file is cut, or is no PLY file: copy it again, or export the mesh anew";
    Err(ImportError::new(Spot::Byte(bytes.len()), "the header does not end with `end_header`", help))
}

fn element<'a>(mut words: impl Iterator<Item = &'a [u8]>, line: usize) -> Result<Element, String> {
    let (Some(name), Some(count)) = (words.next(), words.next()) else {
        return Err("an element needs a name and a count".to_owned());
    };
    let count = integer(count).and_then(|n| u64::try_from(n).ok());
    let count = count.ok_or("the count of an element is a whole number, not below zero")?;
    let name = String::from_utf8_lossy(name).into_owned();
    Ok(Element { name, count, properties: Vec::new(), line })
}

fn property<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<Property, String> {
    let scalar = |word: Option<&[u8]>| {
        let word = word.unwrap_or_default();
        Scalar::named(word).ok_or_else(|| format!("\"{}\" is no type of PLY", shown(word)))
    };
    let (list, scalar) = match words.next() {
        Some(b"list") => (Some(scalar(words.next())?), scalar(words.next())?),
        word => (None, scalar(word)?),
    };
    let name = words.next().ok_or("a property needs a name")?;
    Ok(Property { name: String::from_utf8_lossy(name).into_owned(), scalar, list })
}
