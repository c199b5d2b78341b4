//! Data arrays of XML files: text, base64 or raw bytes, compressed or not.

use super::data::Kind;
use crate::mesh::volume::cursor::{Order, shown};

/// How the bytes of a file are to be read.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    /// Of numbers.
    pub order: Order,
    /// Bytes of a number in the header of an array: 4 or 8.
    pub header: usize,
    /// Whether arrays are deflated, in blocks.
    pub deflated: bool,
}

/// Bytes as they stand, or as base64, in which padding may end any part of the data.
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    bytes: &'a [u8],
    base64: bool,
    held: Vec<u8>,
}

impl<'a> Stream<'a> {
    /// Bytes as they stand.
    pub fn raw(bytes: &'a [u8]) -> Self {
        Self { bytes, base64: false, held: Vec::new() }
    }

    /// Base64, to its end or the next tag.
    pub fn base64(bytes: &'a [u8]) -> Self {
        let end = bytes.iter().position(|b| *b == b'<').unwrap_or(bytes.len());
        Self { bytes: &bytes[..end], base64: true, held: Vec::new() }
    }

    /// Most bytes that can still come.
    fn left(&self) -> usize {
        self.held.len() + self.bytes.len()
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        if count > self.left() {
            return Err(format!("{count} bytes are announced, but at most {} follow", self.left()));
        }
        while self.base64 && self.held.len() < count {
            self.quad()?;
        }
        if self.base64 {
            let rest = self.held.split_off(count);
            return Ok(std::mem::replace(&mut self.held, rest));
        }
        let (taken, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        Ok(taken.to_vec())
    }

    /// Four letters are three bytes, or fewer where they end in `=`.
    fn quad(&mut self) -> Result<(), String> {
        let (mut sum, mut letters, mut pads) = (0_u32, 0, 0);
        while letters + pads < 4 {
            let Some((byte, rest)) = self.bytes.split_first() else {
                return Err("the base64 text ends too early".to_owned());
            };
            self.bytes = rest;
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' if letters >= 2 => {
                    pads += 1;
                    sum <<= 6;
                    continue;
                }
                byte if byte.is_ascii_whitespace() => continue,
                byte => return Err(format!("\"{}\" is no letter of base64", shown(&[*byte]))),
            };
            if pads > 0 {
                return Err("a letter follows the padding of base64".to_owned());
            }
            sum = sum << 6 | u32::from(value);
            letters += 1;
        }
        self.held.extend(&sum.to_be_bytes()[1..4 - pads]);
        Ok(())
    }
}

/// Numbers of an array in bytes. `budget` is how many bytes may still be taken: neither by inflating nor by naming
/// the same data again and again may a small file fill the memory.
pub fn numbers(mut stream: Stream, kind: Kind, how: Bytes, budget: &mut usize) -> Result<Vec<f64>, String> {
    let size = |stream: &mut Stream| -> Result<usize, String> {
        let number = how.order.u64(&stream.take(how.header)?);
        usize::try_from(number).map_err(|_| format!("{number} bytes are announced"))
    };
    let mut spend = |bytes: usize| -> Result<(), String> {
        let left = budget.checked_sub(bytes);
        *budget = left.ok_or("the arrays come to far more than the file can honestly hold")?;
        Ok(())
    };
    let first = size(&mut stream)?;
    let bytes = match how.deflated {
        false => {
            let taken = stream.take(first)?;
            spend(first)?;
            taken
        }
        true => {
            if first.saturating_mul(how.header) > stream.left() {
                return Err(format!("{first} blocks are announced, which the data have no room for"));
            }
            if first == 0 {
                return Ok(Vec::new());
            }
            let (block, last) = (size(&mut stream)?, size(&mut stream)?);
            let sizes = (0..first).map(|_| size(&mut stream)).collect::<Result<Vec<usize>, String>>()?;
            let mut all = Vec::new();
            for (i, packed) in sizes.iter().enumerate() {
                let whole = if i + 1 == first && last > 0 { last } else { block };
                let packed = stream.take(*packed)?;
                spend(whole)?;
                let inflated = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&packed, whole);
                let inflated =
                    inflated.map_err(|_| format!("block {i} is damaged, or longer than announced"))?;
                if inflated.len() != whole {
                    let found = inflated.len();
                    return Err(format!("block {i} holds {found} bytes, and {whole} are announced"));
                }
                all.extend(inflated);
            }
            all
        }
    };
    let one = kind.bytes(1);
    if bytes.len() % one != 0 {
        return Err(format!("{} bytes are no whole count of numbers of {one} bytes", bytes.len()));
    }
    Ok(kind.read(&bytes, bytes.len() / one, how.order))
}

/// Numbers of an array in words.
pub fn words(text: &[u8]) -> Result<Vec<f64>, String> {
    let text = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    text.map(|word| {
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        number.ok_or_else(|| format!("\"{}\" stands where a number belongs", shown(word)))
    })
    .collect()
}

/// Bytes in base64.
pub fn to_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let sum = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(sum >> (18 - 6 * i) & 63) as usize];
            text.push(if i > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_in_rfc_4648() {
        let pairs =
            [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (plain, coded) in pairs {
            assert_eq!(to_base64(plain.as_bytes()), coded);
            assert_eq!(Stream::base64(coded.as_bytes()).take(plain.len()).unwrap(), plain.as_bytes());
        }
        let joined = Stream::base64(b" Zg==Zm 8=\nZm9v<").take(6).unwrap();
        assert_eq!(joined, b"ffofoo", "padding may stand between parts");
        for bad in ["Z", "Zg", "Zg=Z", "Z===", "Z*==", "===="] {
            assert!(Stream::base64(bad.as_bytes()).take(1).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_bursts() {
        let how = Bytes { order: Order::Little, header: 8, deflated: true };
        let mut bytes = Vec::new();
        for number in [1_u64, 1 << 40, 1 << 40, 4] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([0; 4]);
        let mut budget = 1 << 20;
        let error = numbers(Stream::raw(&bytes), Kind::Double, how, &mut budget).unwrap_err();
        assert!(error.contains("come to far more"), "{error}");
        bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(numbers(Stream::raw(&bytes), Kind::Double, how, &mut budget).unwrap_err().contains("blocks"));
    }
}
