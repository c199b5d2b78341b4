//! The walk over a TOML tree: everything is compared with the table of keys, and every mistake is noted.

use super::keys::{Key, Kind, Need, Table};
use super::nearest::nearest;
use super::problem::Problem;
use super::unit::{self, Dim};
use serosa_geometry::Vec3;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value that fits its key.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text, name or file.
    Text(String),
    /// true or false.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A quantity in SI.
    Real(f64),
    /// A quantity whose dimension is not known yet, as written.
    Written(String),
    /// Three quantities in SI, or a direction.
    Vector(Vec3),
    /// Rows of three quantities in SI.
    Triples(Vec<[f64; 3]>),
    /// Rows of numbers that count things, each with where it stands.
    Indices(Vec<(Range<usize>, Vec<u32>)>),
    /// The chosen word.
    Choice(&'static str),
    /// A table.
    Table(Node),
    /// A list of tables.
    List(Vec<Node>),
}

/// A table whose keys have been read.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Where it stands in the file.
    pub span: Range<usize>,
    /// Whether everything in it was right.
    pub sound: bool,
    entries: Vec<(&'static str, Range<usize>, Value)>,
}

impl Node {
    /// The value of a key, if it is there or has a default.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|e| e.0 == key).map(|e| &e.2)
    }

    /// Where a key's value stands; the whole table if it was left out.
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.entries.iter().find(|e| e.0 == key).map_or(self.span.clone(), |e| e.1.clone())
    }

    /// Whether a key stands in the file, and is not a default.
    pub fn is_written(&self, key: &str) -> bool {
        self.entries.iter().any(|e| e.0 == key && e.1 != self.span)
    }

    /// Which of a table's alternatives is present.
    pub fn chosen(&self, one_of: &[&'static str]) -> Option<(&'static str, &Value)> {
        self.entries.iter().find(|e| one_of.contains(&e.0)).map(|e| (e.0, &e.2))
    }

    /// The first entry: the one there is in a sound table of alternatives.
    pub fn only(&self) -> Option<(&'static str, &Value)> {
        self.entries.first().map(|e| (e.0, &e.2))
    }

    /// A text; empty if absent.
    pub fn text(&self, key: &str) -> String {
        match self.get(key) {
            Some(Value::Text(t) | Value::Written(t)) => t.clone(),
            _ => String::new(),
        }
    }

    /// A quantity in SI.
    pub fn real(&self, key: &str) -> Option<f64> {
        match self.get(key) {
            Some(Value::Real(r)) => Some(*r),
            _ => None,
        }
    }

    /// A quantity in SI that is required or has a default; zero in a table that is not sound.
    pub fn si(&self, key: &str) -> f64 {
        self.real(key).unwrap_or(0.0)
    }

    /// A whole number; zero in a table that is not sound.
    pub fn count(&self, key: &str) -> u64 {
        match self.get(key) {
            Some(Value::Count(c)) => *c,
            _ => 0,
        }
    }

    /// true or false; false in a table that is not sound.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Value::Flag(true)))
    }

    /// Three quantities; zero in a table that is not sound.
    pub fn vector(&self, key: &str) -> Vec3 {
        match self.get(key) {
            Some(Value::Vector(v)) => *v,
            _ => Vec3::ZERO,
        }
    }

    /// Rows of three quantities; none if absent.
    pub fn triples(&self, key: &str) -> &[[f64; 3]] {
        match self.get(key) {
            Some(Value::Triples(rows)) => rows,
            _ => &[],
        }
    }

    /// Rows of numbers that count things, each with where it stands; none if absent.
    pub fn indices(&self, key: &str) -> &[(Range<usize>, Vec<u32>)] {
        match self.get(key) {
            Some(Value::Indices(rows)) => rows,
            _ => &[],
        }
    }

    /// The chosen word; empty in a table that is not sound.
    pub fn choice(&self, key: &str) -> &'static str {
        match self.get(key) {
            Some(Value::Choice(c)) => c,
            _ => "",
        }
    }

    /// A table inside this one.
    pub fn table(&self, key: &str) -> Option<&Node> {
        match self.get(key) {
            Some(Value::Table(n)) => Some(n),
            _ => None,
        }
    }

    /// A list of tables inside this one.
    pub fn list(&self, key: &str) -> &[Node] {
        match self.get(key) {
            Some(Value::List(l)) => l,
            _ => &[],
        }
    }
}

/// Reads a table by its description, noting every mistake.
pub fn walk(table: &'static Table, toml: &DeTable, span: Range<usize>, problems: &mut Vec<Problem>) -> Node {
    let before = problems.len();
    let mut node = Node { span, sound: false, entries: Vec::new() };
    for (word, value) in toml.iter() {
        match table.keys.iter().find(|k| k.name == word.get_ref()) {
            Some(key) => {
                if let Some(v) = read(key, value.get_ref(), value.span(), problems) {
                    node.entries.push((key.name, value.span(), v));
                }
            }
            None => problems.push(unknown_key(table, word)),
        }
    }
    for key in table.keys {
        let present = toml.iter().any(|(word, _)| word.get_ref() == key.name);
        match key.need {
            _ if present => {}
            Need::Required => problems.push(Problem::new(
                node.span.clone(),
                format!("{} needs the key `{}`", table.name, key.name),
                format!("{} Write {}", key.help, example(key)),
            )),
            Need::Default(text) => {
                if let Some(value) = default_of(key, text, node.span.clone()) {
                    node.entries.push((key.name, node.span.clone(), value));
                }
            }
            Need::Optional => {}
        }
    }
    check_alternatives(table, toml, &node.span, problems);
    node.sound = problems.len() == before;
    node
}

fn check_alternatives(table: &Table, toml: &DeTable, span: &Range<usize>, problems: &mut Vec<Problem>) {
    if table.one_of.is_empty() {
        return;
    }
    let present: Vec<_> = toml.iter().filter(|(w, _)| table.one_of.contains(&w.get_ref().as_ref())).collect();
    // A word that was meant as one of them has been reported as unknown already.
    let strangers = toml.iter().any(|(w, _)| !table.keys.iter().any(|k| k.name == w.get_ref()));
    let all = table.one_of.join(", ");
    if present.is_empty() && !strangers {
        let message = format!("{} needs one of: {all}", table.name);
        problems.push(Problem::new(span.clone(), message, "write exactly one of them"));
    }
    for (word, _) in present.iter().skip(1) {
        let message = format!("`{}` stands beside `{}`", word.get_ref(), present[0].0.get_ref());
        problems.push(Problem::new(word.span(), message, format!("keep exactly one of: {all}")));
    }
}

fn unknown_key(table: &Table, word: &Spanned<std::borrow::Cow<str>>) -> Problem {
    let message = format!("`{}` is not a key of {}", word.get_ref(), table.name);
    let help = match nearest(word.get_ref(), table.keys.iter().map(|k| k.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if table.keys.is_empty() => "leave it empty: {}".to_owned(),
        None => {
            let keys: Vec<&str> = table.keys.iter().map(|k| k.name).collect();
            let home =
                super::keys::tables().into_iter().find(|t| t.keys.iter().any(|k| k.name == word.get_ref()));
            let home =
                home.map_or(String::new(), |t| format!("; `{}` is a key of {}", word.get_ref(), t.name));
            format!("its keys are: {}{home}", keys.join(", "))
        }
    };
    Problem::new(word.span(), message, help)
}

/// A way to write a key, for messages.
pub fn example(key: &Key) -> String {
    let name = key.name;
    match &key.kind {
        Kind::Text => format!("{name} = \"…\""),
        Kind::Name | Kind::BodyName | Kind::ToolName => format!("{name} = \"liver\""),
        Kind::File => format!("{name} = \"liver.obj\""),
        Kind::Flag => format!("{name} = true"),
        Kind::Count(min, _) => format!("{name} = {min}"),
        Kind::Quantity(dim, ..) => match dim.symbols().nth(1).or(dim.symbols().next()) {
            Some(symbol) => format!("{name} = \"2 {symbol}\""),
            None => format!("{name} = 0.3"),
        },
        Kind::AnyQuantity => format!("{name} = \"2 N/m\""),
        Kind::Vector(..) | Kind::Direction => format!("{name} = [0, 0, 1]"),
        Kind::Triples(_) => format!("{name} = [[0, 0, 1], [0, 1, 0]]"),
        Kind::Indices(least, _) => format!("{name} = [{:?}, …]", (0..*least).collect::<Vec<_>>()),
        Kind::Choice(words) => format!("{name} = \"{}\"", words[0].0),
        Kind::Table(_) => format!("{name} = {{ … }}"),
        Kind::List(_) => format!("[[{name}]]"),
    }
}

fn default_of(key: &Key, text: &str, span: Range<usize>) -> Option<Value> {
    let toml = DeValue::parse(text).ok()?;
    let mut none = Vec::new();
    let mut value = read(key, toml.get_ref(), span.clone(), &mut none)?;
    if let Value::Table(node) = &mut value {
        node.span = span;
    }
    Some(value)
}

fn read(key: &Key, value: &DeValue, span: Range<usize>, problems: &mut Vec<Problem>) -> Option<Value> {
    let mut wrong = |wanted: &str| {
        let message = format!("`{}` is {wanted}, not {}", key.name, kind_name(value));
        problems.push(Problem::new(span.clone(), message, format!("write {}", example(key))));
    };
    match (&key.kind, value) {
        (Kind::Text | Kind::File, DeValue::String(s)) => Some(Value::Text(s.to_string())),
        (Kind::Text, DeValue::Integer(i)) if key.name == "at" => Some(Value::Text(i.to_string())),
        (Kind::Name | Kind::BodyName | Kind::ToolName, DeValue::String(s)) => name(key, s, span, problems),
        (Kind::Flag, DeValue::Boolean(b)) => Some(Value::Flag(*b)),
        (Kind::Count(min, max), DeValue::Integer(i)) => count(key, i, (*min, *max), span, problems),
        (Kind::Quantity(dim, min, max), v) => {
            let si = quantity(key.name, *dim, v, span.clone(), problems)?;
            in_range(key.name, *dim, si, (*min, *max), span, problems).map(Value::Real)
        }
        (Kind::AnyQuantity, DeValue::String(s)) => Some(Value::Written(s.to_string())),
        (Kind::AnyQuantity, DeValue::Integer(i)) => Some(Value::Written(i.to_string())),
        (Kind::AnyQuantity, DeValue::Float(f)) => Some(Value::Written(f.to_string())),
        (Kind::Vector(dim, bound), DeValue::Array(_)) => vector(key, *dim, *bound, value, span, problems),
        (Kind::Triples(row), DeValue::Array(_)) => {
            rows(value, problems, |item, problems| triple(key, row, item, problems)).map(Value::Triples)
        }
        (Kind::Indices(least, most), DeValue::Array(_)) => {
            rows(value, problems, |item, problems| indices(key, (*least, *most), item, problems))
                .map(Value::Indices)
        }
        (Kind::Direction, DeValue::Array(_)) => direction(key, value, span, problems),
        (Kind::Choice(words), DeValue::String(s)) => choose(key, words, s, span, problems),
        (Kind::Table(table), DeValue::Table(t)) => Some(Value::Table(walk(table, t, span, problems))),
        (Kind::List(table), DeValue::Array(items)) => {
            let mut list = Vec::new();
            for item in items.iter() {
                match item.get_ref() {
                    DeValue::Table(t) => list.push(walk(table, t, item.span(), problems)),
                    other => problems.push(Problem::new(
                        item.span(),
                        format!("each {} is a table, not {}", key.name, kind_name(other)),
                        format!("write {}", example(key)),
                    )),
                }
            }
            Some(Value::List(list))
        }
        (kind, _) => {
            wrong(wanted(kind));
            None
        }
    }
}

fn wanted(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Name | Kind::BodyName | Kind::ToolName | Kind::File => "a text",
        Kind::Flag => "true or false",
        Kind::Count(..) => "a whole number",
        Kind::Quantity(..) | Kind::AnyQuantity => "a quantity",
        Kind::Vector(..) | Kind::Direction => "a list of three numbers",
        Kind::Triples(_) | Kind::Indices(..) => "a list of lists of numbers",
        Kind::Choice(_) => "one of some words",
        Kind::Table(_) => "a table",
        Kind::List(_) => "a list of tables",
    }
}

fn kind_name(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn name(key: &Key, text: &str, span: Range<usize>, problems: &mut Vec<Problem>) -> Option<Value> {
    let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    if !text.is_empty() && text.chars().count() <= 64 && text.chars().all(fine) {
        return Some(Value::Text(text.to_owned()));
    }
    let message = format!("`{}` is not a name that can be used", key.name);
    let help = "use 1 to 64 letters, digits, - and _, without spaces";
    problems.push(Problem::new(span, message, help));
    None
}

fn count(
    key: &Key,
    digits: &toml::de::DeInteger,
    (min, max): (u64, u64),
    span: Range<usize>,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    let number = i128::from_str_radix(digits.as_str(), digits.radix()).ok();
    match number.and_then(|n| u64::try_from(n).ok()).filter(|n| (min..=max).contains(n)) {
        Some(n) => Some(Value::Count(n)),
        None if key.name == "serosa" => {
            let message =
                format!("this scene is written for format {}, this program reads {max}", digits.as_str());
            let help = "install the version of Serosa that the scene was written for, or rewrite the scene";
            problems.push(Problem::new(span, message, help));
            None
        }
        None => {
            let message = format!("`{}` must be from {min} to {max}", key.name);
            problems.push(Problem::new(span, message, key.help));
            None
        }
    }
}

fn quantity(
    name: &str,
    dim: Dim,
    value: &DeValue,
    span: Range<usize>,
    problems: &mut Vec<Problem>,
) -> Option<f64> {
    let result = match value {
        DeValue::String(s) => unit::parse(s, dim).map(|q| q.0),
        DeValue::Integer(i) => plain(i.as_str(), i.radix(), dim),
        DeValue::Float(f) => plain(f.as_str(), 10, dim),
        other => Err((
            format!("`{name}` is {}, not {}", dim.name(), kind_name(other)),
            format!("write {}", unit::example(dim)),
        )),
    };
    result.map_err(|(message, help)| problems.push(Problem::new(span, message, help))).ok()
}

fn plain(digits: &str, radix: u32, dim: Dim) -> Result<f64, unit::Complaint> {
    let number = match radix {
        10 => digits.parse::<f64>().ok(),
        _ => i128::from_str_radix(digits, radix).ok().map(|i| i as f64),
    };
    number
        .filter(|n| n.is_finite())
        .ok_or_else(|| (format!("{digits} is not a finite number"), format!("write {}", unit::example(dim))))
}

fn in_range(
    name: &str,
    dim: Dim,
    value: f64,
    (min, max): (f64, f64),
    span: Range<usize>,
    problems: &mut Vec<Problem>,
) -> Option<f64> {
    if (min..=max).contains(&value) {
        return Some(value);
    }
    let message = format!("`{name}` cannot be {}", dim.show(value));
    let help = format!("choose a value from {} to {}", dim.show(min), dim.show(max));
    problems.push(Problem::new(span, message, help));
    None
}

fn vector(
    key: &Key,
    dim: Dim,
    bound: f64,
    value: &DeValue,
    span: Range<usize>,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    let DeValue::Array(items) = value else { return None };
    if items.len() != 3 {
        let message = format!("`{}` has {} numbers, not three", key.name, items.len());
        problems.push(Problem::new(span, message, "write [x, y, z]"));
        return None;
    }
    let mut v = [None; 3];
    for (slot, item) in v.iter_mut().zip(items.iter()) {
        *slot = quantity(key.name, dim, item.get_ref(), item.span(), problems)
            .and_then(|si| in_range(key.name, dim, si, (-bound, bound), item.span(), problems));
    }
    match v {
        [Some(x), Some(y), Some(z)] => Some(Value::Vector(Vec3::new(x, y, z))),
        _ => None,
    }
}

fn direction(key: &Key, value: &DeValue, span: Range<usize>, problems: &mut Vec<Problem>) -> Option<Value> {
    let Some(Value::Vector(v)) = vector(key, Dim::None, 1e6, value, span.clone(), problems) else {
        return None;
    };
    if v.length() < 1e-6 {
        let message = format!("`{}` has no direction", key.name);
        problems.push(Problem::new(span, message, "write a vector that is not zero, such as [0, 0, 1]"));
        return None;
    }
    Some(Value::Vector(v.normalize()))
}

fn choose(
    key: &Key,
    words: &'static [(&'static str, &'static str)],
    text: &str,
    span: Range<usize>,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    if let Some((word, _)) = words.iter().find(|w| w.0 == text) {
        return Some(Value::Choice(word));
    }
    let all: Vec<String> = words.iter().map(|w| format!("\"{}\"", w.0)).collect();
    let help = match nearest(text, words.iter().map(|w| w.0)) {
        Some(near) => format!("did you mean \"{near}\"? Known here: {}", all.join(", ")),
        None => format!("known here: {}", all.join(", ")),
    };
    problems.push(Problem::new(span, format!("\"{text}\" is not known as {}", key.name), help));
    None
}

/// Each row of a list by itself; all of them, or none where one is wrong.
fn rows<T>(
    value: &DeValue,
    problems: &mut Vec<Problem>,
    mut row: impl FnMut(&Spanned<DeValue>, &mut Vec<Problem>) -> Option<T>,
) -> Option<Vec<T>> {
    let DeValue::Array(items) = value else { return None };
    let rows: Vec<T> = items.iter().filter_map(|item| row(item, problems)).collect();
    (rows.len() == items.len()).then_some(rows)
}

/// The items of a row, if it is one of a number of them.
fn row_items<'a, 'i>(
    key: &Key,
    (least, most): (usize, usize),
    row: &'a Spanned<DeValue<'i>>,
    problems: &mut Vec<Problem>,
) -> Option<&'a [Spanned<DeValue<'i>>]> {
    let message = match row.get_ref() {
        DeValue::Array(items) if (least..=most).contains(&items.len()) => return Some(items),
        DeValue::Array(items) if least == most => {
            format!("a row of `{}` has {} numbers, not {least}", key.name, items.len())
        }
        DeValue::Array(items) => {
            format!("a row of `{}` has {} numbers, not {least} or more", key.name, items.len())
        }
        other => format!("each row of `{}` is a list, not {}", key.name, kind_name(other)),
    };
    problems.push(Problem::new(row.span(), message, format!("write {}", example(key))));
    None
}

fn triple(
    key: &Key,
    ranges: &[(Dim, f64, f64); 3],
    row: &Spanned<DeValue>,
    problems: &mut Vec<Problem>,
) -> Option<[f64; 3]> {
    let items = row_items(key, (3, 3), row, problems)?;
    let mut found = [None; 3];
    for ((slot, item), (dim, min, max)) in found.iter_mut().zip(items).zip(ranges) {
        *slot = quantity(key.name, *dim, item.get_ref(), item.span(), problems)
            .and_then(|si| in_range(key.name, *dim, si, (*min, *max), item.span(), problems));
    }
    let [Some(x), Some(y), Some(z)] = found else { return None };
    Some([x, y, z])
}

fn indices(
    key: &Key,
    sizes: (usize, usize),
    row: &Spanned<DeValue>,
    problems: &mut Vec<Problem>,
) -> Option<(Range<usize>, Vec<u32>)> {
    let items = row_items(key, sizes, row, problems)?;
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let number = match item.get_ref() {
            DeValue::Integer(i) => u32::from_str_radix(i.as_str(), i.radix()).ok(),
            _ => None,
        };
        match number {
            Some(number) => found.push(number),
            None => {
                let message = format!("`{}` counts things: whole numbers from 0 on", key.name);
                problems.push(Problem::new(item.span(), message, format!("write {}", example(key))));
            }
        }
    }
    (found.len() == items.len()).then(|| (row.span(), found))
}
