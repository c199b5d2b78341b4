//! Pages that hold results between two marks.

use crate::shell;
use std::fs;
use std::ops::Range;

/// Puts a text between the marks of that name in a page: `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
pub fn write(page: &str, name: &str, results: &str) -> Result<(), String> {
    let text = load(page)?;
    let place = between(&text, name).ok_or_else(|| no_place(page, name))?;
    let path = shell::root().join(page);
    fs::write(&path, put(&text, place, results)).map_err(|error| format!("{page}: {error}"))
}

/// What lies between the marks.
pub fn read(page: &str, name: &str) -> Result<String, String> {
    let text = load(page)?;
    between(&text, name).map(|place| text[place].to_owned()).ok_or_else(|| no_place(page, name))
}

fn load(page: &str) -> Result<String, String> {
    fs::read_to_string(shell::root().join(page)).map_err(|error| format!("{page}: {error}"))
}

fn no_place(page: &str, name: &str) -> String {
    format!(
        "{page} has no place for results; put `<!-- {name}: begin -->` and `<!-- {name}: end -->` into it"
    )
}

fn between(text: &str, name: &str) -> Option<Range<usize>> {
    let begin = format!("<!-- {name}: begin -->");
    let (from, to) = (text.find(&begin)? + begin.len(), text.find(&format!("<!-- {name}: end -->"))?);
    (from <= to).then_some(from..to)
}

fn put(text: &str, place: Range<usize>, results: &str) -> String {
    format!("{}\n{}\n\n{}", &text[..place.start], results.trim_end(), &text[place.end..])
}

#[cfg(test)]
mod tests {
    use super::{between, put};

    #[test]
    fn results_replace_what_was_between_the_marks_and_nothing_else() {
        let page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n";
        let once = put(page, between(page, "x").unwrap(), "new\n");
        assert_eq!(once, "a\n<!-- x: begin -->\nnew\n\n<!-- x: end -->\nb\n");
        assert_eq!(once[between(&once, "x").unwrap()].trim(), "new");
        assert_eq!(put(&once, between(&once, "x").unwrap(), "new"), once);
        assert_eq!(between(page, "y"), None);
    }
}
