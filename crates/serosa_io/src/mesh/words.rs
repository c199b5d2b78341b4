//! Text cut into lines and words where it lies, as bytes: nothing is copied, and nothing has to be UTF-8.

/// Lines with their numbers, from 1; they end with `\n`, `\r\n` or `\r`. A mark of UTF-8 in front is passed over.
pub struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
    continued: bool,
}

impl<'a> Lines<'a> {
    /// The lines of a text.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), number: 1, continued: false }
    }

    /// The lines of a text in which a `\` at the end of a line joins the next one to it.
    pub fn continued(bytes: &'a [u8]) -> Self {
        Self { continued: true, ..Self::new(bytes) }
    }

    /// What has not been given out yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The number of the next line.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (number, mut from) = (self.number, 0);
        loop {
            let tail = self.rest.get(from..).unwrap_or_default();
            let end =
                tail.iter().position(|&b| b == b'\n' || b == b'\r').map_or(self.rest.len(), |n| from + n);
            let two = self.rest[end..].starts_with(b"\r\n");
            let next = (end + if two { 2 } else { 1 }).min(self.rest.len());
            self.number += 1;
            if self.continued && end > from && self.rest[end - 1] == b'\\' && next > end {
                from = next;
                continue;
            }
            let line = &self.rest[..end];
            self.rest = &self.rest[next..];
            return Some((number, line));
        }
    }
}

/// The words of a line: what stands between blanks. A `\` counts as a blank, as continued lines have them.
pub fn words(line: &[u8]) -> Words<'_> {
    Words { rest: line }
}

/// See [`words`].
#[derive(Clone)]
pub struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    /// The rest of the line as a name: without blanks around it, and whatever is no UTF-8 replaced.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(self.rest.trim_ascii()).into_owned()
    }
}

fn blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\\' || byte == 0x0b
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&b| !blank(b))?;
        let tail = &self.rest[start..];
        let end = tail.iter().position(|&b| blank(b)).unwrap_or(tail.len());
        self.rest = &tail[end..];
        Some(&tail[..end])
    }
}

/// A number as programs write it; `nan` and `inf` are numbers too.
pub fn real(word: &[u8]) -> Option<f64> {
    simple(word).or_else(|| std::str::from_utf8(word).ok()?.parse().ok())
}

/// A number that is neither `nan` nor `inf`.
pub fn finite(word: &[u8]) -> Option<f64> {
    real(word).filter(|v| v.is_finite())
}

/// Numbers of few digits without an exponent, which are nearly all: digits and power of ten are then exact as they
/// are, and a single division rounds as it should (Clinger, "How to read floating point numbers accurately", 1990).
fn simple(word: &[u8]) -> Option<f64> {
    const TENS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (digits, sign) = match word {
        [b'-', rest @ ..] => (rest, -1.0),
        [b'+', rest @ ..] => (rest, 1.0),
        _ => (word, 1.0),
    };
    let (mut value, mut count, mut places, mut point) = (0u64, 0, 0, false);
    for &byte in digits {
        match byte {
            b'0'..=b'9' if count < 15 => {
                value = value * 10 + u64::from(byte - b'0');
                count += 1;
                places += usize::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    (count > 0).then(|| sign * (value as f64 / TENS[places]))
}

/// A whole number.
pub fn integer(word: &[u8]) -> Option<i64> {
    let (digits, negative) = match word {
        [b'-', rest @ ..] => (rest, true),
        [b'+', rest @ ..] => (rest, false),
        _ => (word, false),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(byte - b'0');
    }
    Some(if negative { -value } else { value })
}

/// A word for a message: not too long, and whatever is no UTF-8 replaced.
pub fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(40)]);
    let mut text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if word.len() > 40 {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_end_in_three_ways_and_are_counted() {
        let lines: Vec<_> = Lines::new(b"\xef\xbb\xbfa\r\nb\rc\n\nd").collect();
        assert_eq!(lines, [(1, &b"a"[..]), (2, b"b"), (3, b"c"), (4, b""), (5, b"d")]);
        let lines: Vec<_> = Lines::continued(b"a\\\nb\nc\\").collect();
        assert_eq!(lines, [(1, &b"a\\\nb"[..]), (3, b"c\\")]);
        assert_eq!(words(lines[0].1).collect::<Vec<_>>(), [b"a", b"b"]);
    }

    #[test]
    fn what_is_no_number_is_none() {
        for word in ["", "-", ".", "1.2.3", "0x10", "1,5", "e5", "--1", "1_0"] {
            assert_eq!(real(word.as_bytes()), None, "{word}");
        }
        assert_eq!(finite(b"inf"), None);
        assert_eq!(
            (integer(b"-12"), integer(b"+7"), integer(b"9999999999999999999")),
            (Some(-12), Some(7), None)
        );
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_the_standard_library_reads_them(v in any::<f64>(), places in 0usize..18) {
            for text in [format!("{v:?}"), format!("{v:.places$}"), format!("{:.places$}", v % 1000.0)] {
                let (ours, theirs) = (real(text.as_bytes()).unwrap(), text.parse::<f64>().unwrap());
                prop_assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan(), "{}", text);
            }
        }
    }
}
