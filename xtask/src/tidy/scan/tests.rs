use super::*;

fn code(text: &str) -> String {
    mask(text).code
}

/// The functions of a source as `(name, lines, parameters)`.
fn measured(text: &str) -> Vec<(String, usize, usize)> {
    functions(&code(text)).into_iter().map(|f| (f.name, f.lines, f.params)).collect()
}

#[test]
fn masked_texts_keep_every_line_and_column() {
    let text = "let é = 'é'; // naïve\nlet s = \"a\n{\"; /* b\n c */ end";
    let masked = mask(text);
    for part in [&masked.code, &masked.comments] {
        assert_eq!(part.len(), text.len());
        assert_eq!(part.lines().count(), text.lines().count());
    }
    assert_eq!(masked.code.find("end"), text.find("end"));
    assert_eq!(masked.comments.find("naïve"), text.find("naïve"));
    assert!(masked.code.contains("let é ="));
}

#[test]
fn strings_are_not_code() {
    assert_eq!(code(r#"a("{ \" {", b"{")"#).matches('{').count(), 0);
    assert_eq!(code(r###"a(r"\", r#"{ " {"#, br##"{"# {"##) }"###).matches(['{', '}']).count(), 1);
    assert_eq!(code(r#"a("\\") }"#).matches('}').count(), 1, "an escaped backslash ends no escape");
    assert_eq!(code("a(\"never closed {").matches('{').count(), 0);
}

#[test]
fn raw_names_are_code() {
    assert_eq!(code("let r#type = r; bar\"x\""), "let r#type = r; bar   ");
}

#[test]
fn characters_are_not_code_but_lifetimes_are() {
    assert_eq!(code(r"['{', '\'', '\\', '\u{7b}', b'{', '}', '→', '\n']").matches(['{', '}']).count(), 0);
    assert_eq!(code("'a' 'é' '→' '🫀' x").trim(), "x", "characters of one to four bytes");
    let lifetimes = "fn f<'a, 'b>(x: &'a str, y: &'static str) -> &'a str { 'outer: loop { break 'outer } }";
    assert_eq!(code(lifetimes), lifetimes);
}

#[test]
fn comments_are_not_code() {
    let masked = mask("a /* { /* { */ { */ b // { \"\nc /// it's\nd");
    assert_eq!(masked.code.split_whitespace().collect::<String>(), "abcd");
    assert_eq!(masked.comments.matches('{').count(), 4);
    let slashes = mask("\"http://x\"; y");
    assert!(slashes.comments.trim().is_empty() && slashes.code.contains('y'));
}

#[test]
fn functions_are_measured_from_fn_to_brace() {
    let text = "\
/// fn in_a_comment() {}
#[inline]
pub fn one() -> u8 { 1 }

impl S {
    const fn four(&self, x: u8)
    {
        if x == b'}' { \"}\"; }
    }
}
";
    let expected = [("one".to_owned(), 1, 0), ("four".to_owned(), 4, 2)];
    assert_eq!(measured(text), expected);
}

#[test]
fn nested_functions_count_for_both() {
    let text = "fn outer() {\n    fn inner() {\n    }\n}";
    assert_eq!(measured(text), [("outer".to_owned(), 4, 0), ("inner".to_owned(), 2, 0)]);
}

#[test]
fn signatures_of_every_kind_are_read() {
    let cases = [
        ("fn f() {}", 0),
        ("fn f(self) {}", 1),
        ("fn f(\n    a: u8,\n    b: u8,\n) {}", 2),
        ("fn f(map: BTreeMap<u8, (u8, u8)>, (x, y): (u8, u8)) {}", 2),
        ("fn f<F: Fn(u8, u8) -> u8, const N: usize>(call: F, a: [u8; N]) -> [u8; 3] {}", 2),
        ("fn f<F: Fn() -> u8, G: Fn(u8, u8) -> u8>(calls: (F, G)) {}", 1),
        ("fn f(call: &dyn Fn(u8) -> Vec<u8>, then: fn(u8, u8) -> u8) {}", 2),
        ("fn f(a: Grid<{ N + 1 }, 2>) -> Grid<{ N + 1 }> where T: Into<u8> {}", 1),
        ("fn f(x: for<'a> fn(&'a u8) -> &'a u8, y: impl Iterator<Item = (u8, u8)>) {}", 2),
        ("fn f(a: u8, b: u8);", 2),
    ];
    for (text, params) in cases {
        let lines = text.lines().count();
        assert_eq!(measured(text), [("f".to_owned(), lines, params)], "{text}");
    }
}

#[test]
fn function_pointers_and_macros_are_no_functions() {
    assert_eq!(measured("type F = fn(u8) -> u8; macro_rules! m { () => { fn $name() {} } }"), []);
}

#[test]
fn declarations_name_items() {
    let text =
        code("pub struct Mesh; enum Kind {} // struct Gone\ntrait Fit {} impl Fit for Mesh {} mod rows;");
    let found: Vec<_> = declarations(&text).iter().map(|item| (item.keyword, item.name)).collect();
    assert_eq!(found, [("struct", "Mesh"), ("enum", "Kind"), ("trait", "Fit"), ("mod", "rows")]);
}

#[test]
fn test_spans_hold_the_item_and_no_more() {
    let text = "\
fn before() {}
#[cfg(test)]
#[allow(dead_code)]
mod tests {
    fn inside() {}
}
#[cfg(not(test))]
fn between() {}
#[cfg(all(test, feature = \"x\"))] fn also() {}
#[cfg(test)] const LESS: bool = 1 < 2;
#[cfg(test)] mod oracle;
fn after() {}
";
    let code = code(text);
    let spans = test_spans(&code);
    let inside = |name: &str| {
        let at = code.find(name).expect(name);
        spans.iter().any(|span| span.contains(&at))
    };
    for name in ["inside", "also", "LESS", "oracle"] {
        assert!(inside(name), "{name} is for tests only");
    }
    for name in ["before", "between", "after"] {
        assert!(!inside(name), "{name} is not for tests only");
    }
}

#[test]
fn unbalanced_code_is_survived() {
    for text in ["fn f(", "fn f() {", "fn f)", "#[cfg(test)]", "#[", "}", "'", "r#", "br", "/*", "\"\\", "fn"]
    {
        let masked = mask(text);
        functions(&masked.code);
        test_spans(&masked.code);
    }
}
