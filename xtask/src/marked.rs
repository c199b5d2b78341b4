//! Pages that hold results between two marks.

use crate::shell;
use std::fs;

/// Puts a text between the marks of that name in a page: `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
pub fn write(page: &str, name: &str, results: &str) -> Result<(), String> {
    let path = shell::root().join(page);
    let text = fs::read_to_string(&path).map_err(|error| format!("{page}: {error}"))?;
    let written = put(&text, name, results).ok_or_else(|| {
        format!(
            "{page} has no place for results; put `<!-- {name}: begin -->` and `<!-- {name}: end -->` into it"
        )
    })?;
    fs::write(&path, written).map_err(|error| format!("{page}: {error}"))
}

fn put(text: &str, name: &str, results: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->"), format!("<!-- {name}: end -->"));
    let (from, to) = text.find(&begin).zip(text.find(&end)).filter(|(from, to)| from < to)?;
    Some(format!("{}\n{}\n\n{}", &text[..from + begin.len()], results.trim_end(), &text[to..]))
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn results_replace_what_was_between_the_marks_and_nothing_else() {
        let page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n";
        let once = put(page, "x", "new\n").unwrap();
        assert_eq!(once, "a\n<!-- x: begin -->\nnew\n\n<!-- x: end -->\nb\n");
        assert_eq!(put(&once, "x", "new").unwrap(), once);
        assert_eq!(put(page, "y", "new"), None);
    }
}
