//! Problems in files, shown with the line they are in.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serosa_io::scene::Problem;

/// The most mistakes that are shown; the rest are counted.
const SHOWN_MAX: usize = 50;

/// All problems of a file, one after another, with a count at the end.
pub fn render(name: &str, text: &str, problems: &[Problem]) -> String {
    let renderer = Renderer::plain();
    let mut all = String::new();
    for problem in problems.iter().take(SHOWN_MAX) {
        let span = clipped(problem, text);
        let snippet = Snippet::source(text)
            .path(name)
            .annotation(AnnotationKind::Primary.span(span).label(String::new()));
        let group = Level::ERROR
            .primary_title(problem.message.as_str())
            .element(snippet)
            .element(Level::HELP.message(problem.help.as_str()));
        all.push_str(&renderer.render(&[group]));
        all.push_str("\n\n");
    }
    let count = problems.len();
    all.push_str(&format!("{count} mistake{} in {name}", if count == 1 { "" } else { "s" }));
    if count > SHOWN_MAX {
        all.push_str(&format!("; the first {SHOWN_MAX} are shown"));
    }
    all
}

/// A span on letter borders and on one line, so that long tables do not fill the screen.
fn clipped(problem: &Problem, text: &str) -> std::ops::Range<usize> {
    let border = |mut i: usize| {
        i = i.min(text.len());
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let start = border(problem.span.start);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    start..border(problem.span.end).clamp(start, line_end)
}
