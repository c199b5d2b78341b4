//! A small scanner of Rust source: enough to tell code from comments and literals, to find
//! functions with their length and parameters, and to know which parts are compiled for tests only.
//!
//! A real parser was refused: it would be the largest dependency of the workspace, for rules that
//! need only brackets and names.

use std::ops::Range;

/// A source split in two texts as long as itself, line for line; what belongs to neither is blank.
pub struct Masked {
    /// The code, without comments and without string and character literals.
    pub code: String,
    /// The comments alone.
    pub comments: String,
}

/// Separates code from comments and literals.
pub fn mask(text: &str) -> Masked {
    let source = text.as_bytes();
    let blank: Vec<u8> = source.iter().map(|&b| if b == b'\n' { b'\n' } else { b' ' }).collect();
    let (mut code, mut comments) = (blank.clone(), blank);
    let mut at = 0;
    while at < source.len() {
        if let Some(end) = comment_end(source, at) {
            comments[at..end].copy_from_slice(&source[at..end]);
            at = end;
        } else if let Some(end) = literal_end(source, at) {
            at = end;
        } else {
            code[at] = source[at];
            at += 1;
        }
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Masked { code: text(code), comments: text(comments) }
}

/// Where the comment that opens at `at` ends, if one opens there. Block comments nest.
fn comment_end(source: &[u8], at: usize) -> Option<usize> {
    if source[at..].starts_with(b"//") {
        return Some(find_byte(source, at, b'\n'));
    }
    if !source[at..].starts_with(b"/*") {
        return None;
    }
    let (mut end, mut depth) = (at + 2, 1);
    while end < source.len() && depth > 0 {
        let step = match &source[end..] {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        end += step.0;
        depth += step.1;
    }
    Some(end)
}

/// Where the string or character literal that opens at `at` ends, if one opens there.
fn literal_end(source: &[u8], at: usize) -> Option<usize> {
    match source[at] {
        b'"' => Some(quoted_end(source, at + 1, b'"')),
        b'\'' => char_end(source, at),
        b'r' | b'b' | b'c' if at == 0 || !is_word(source[at - 1]) => raw_string_end(source, at),
        _ => None,
    }
}

/// The end of `r"…"`, `r#"…"#` and their `br` and `cr` forms; `None` for names, `r#type` included.
fn raw_string_end(source: &[u8], at: usize) -> Option<usize> {
    let r = if source[at] == b'r' { at } else { at + 1 };
    if source.get(r) != Some(&b'r') {
        return None;
    }
    let hashes = source[r + 1..].iter().take_while(|&&b| b == b'#').count();
    let open = r + 1 + hashes;
    if source.get(open) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'#'; hashes + 1];
    close[0] = b'"';
    let body = &source[open + 1..];
    let length = body.windows(close.len()).position(|window| window == close);
    Some(length.map_or(source.len(), |length| open + 1 + length + close.len()))
}

/// The end of a character literal; `None` where the quote begins a lifetime or a label.
fn char_end(source: &[u8], at: usize) -> Option<usize> {
    let first = *source.get(at + 1)?;
    if first == b'\\' {
        return Some(quoted_end(source, at + 1, b'\''));
    }
    let width = match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    let close = at + 1 + width;
    (source.get(close) == Some(&b'\'')).then_some(close + 1)
}

/// The place after the closing quote, escapes respected.
fn quoted_end(source: &[u8], mut at: usize, quote: u8) -> usize {
    while at < source.len() && source[at] != quote {
        at += if source[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(source.len())
}

fn find_byte(source: &[u8], at: usize, byte: u8) -> usize {
    source[at..].iter().position(|&b| b == byte).map_or(source.len(), |length| at + length)
}

/// Whether a byte can stand in a name.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The number, from 1, of the line that holds the byte at `at`.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1
}

/// The names, keywords and numbers of a text, each with its place.
pub fn words(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|&&b| is_word(b)).count();
        if length > 0 {
            words.push((at, &text[at..at + length]));
        }
        at += length + 1;
    }
    words
}

/// A keyword and the name it declares: `("struct", "Mesh")`, `("fn", "step")`.
pub struct Declaration<'a> {
    pub keyword: &'a str,
    pub name: &'a str,
    /// The place of the keyword.
    pub at: usize,
    /// The place just after the name.
    pub end: usize,
}

/// Every item that a masked code declares by one of the keywords that are followed by a name.
pub fn declarations<'a>(code: &'a str) -> Vec<Declaration<'a>> {
    const KEYWORDS: [&str; 7] = ["struct", "enum", "trait", "union", "type", "fn", "mod"];
    let declaration = |pair: &[(usize, &'a str)]| {
        let [(at, keyword), (named, name)] = *pair else { return None };
        let only_space = code[at + keyword.len()..named].trim().is_empty();
        let end = named + name.len();
        (only_space && KEYWORDS.contains(&keyword)).then_some(Declaration { keyword, name, at, end })
    };
    words(code).windows(2).filter_map(declaration).collect()
}

/// A function with a body.
#[derive(Debug, PartialEq)]
pub struct Function {
    pub name: String,
    /// The place of its `fn`.
    pub at: usize,
    /// Lines from the one with `fn` to the one with the closing brace.
    pub lines: usize,
    /// Parameters, `self` included, as clippy counts them.
    pub params: usize,
}

/// The functions of a masked code, nested ones and methods included; those without a body
/// (in traits and `extern` blocks) count one line.
pub fn functions(code: &str) -> Vec<Function> {
    let bytes = code.as_bytes();
    let measure = |item: &Declaration<'_>| {
        let open = find_outside(bytes, item.end, b"(")?;
        let close = group_end(bytes, open);
        let body = find_outside(bytes, close, b"{;")?;
        let end = group_end(bytes, body);
        let lines = line_of(code, end) - line_of(code, item.at) + 1;
        let params = count_list(&bytes[open + 1..close.max(open + 2) - 1]);
        Some(Function { name: item.name.to_owned(), at: item.at, lines, params })
    };
    declarations(code).iter().filter(|item| item.keyword == "fn").filter_map(measure).collect()
}

/// The parts that are compiled for tests only: items under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub fn test_spans(code: &str) -> Vec<Range<usize>> {
    let bytes = code.as_bytes();
    let item_after = |at: usize| {
        let end = group_end(bytes, at + 1);
        let attribute: String = code[at + 2..end].split_whitespace().collect();
        if !attribute.starts_with("cfg(test)") && !attribute.starts_with("cfg(all(test") {
            return None;
        }
        find_outside(bytes, end, b"{;").map(|body| at..group_end(bytes, body))
    };
    code.match_indices("#[").filter_map(|(at, _)| item_after(at)).collect()
}

/// The first of `targets` from `at` on that stands outside brackets and angle brackets, or `None`
/// when the enclosing bracket closes first. A `;` is found inside angle brackets too: there the
/// angle was a comparison.
fn find_outside(code: &[u8], mut at: usize, targets: &[u8]) -> Option<usize> {
    let mut angles = 0_usize;
    while at < code.len() {
        let byte = code[at];
        if targets.contains(&byte) && (angles == 0 || byte == b';') {
            return Some(at);
        }
        match byte {
            b'(' | b'[' | b'{' => at = group_end(code, at) - 1,
            b')' | b']' | b'}' => return None,
            b'<' => angles += 1,
            b'>' if !matches!(code[at.saturating_sub(1)], b'-' | b'=') => angles = angles.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The place after the bracket that closes the one at `open`; just after `open` if it is none.
fn group_end(code: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The number of entries of a list separated by commas, a trailing comma allowed.
fn count_list(list: &[u8]) -> usize {
    let (mut from, mut count) = (0, 0);
    while from < list.len() {
        let to = find_outside(list, from, b",").unwrap_or(list.len());
        count += usize::from(!list[from..to].trim_ascii().is_empty());
        from = to + 1;
    }
    count
}

#[cfg(test)]
mod tests;
