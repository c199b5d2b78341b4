//! Problems in files, shown with the line they are in.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serosa_io::mesh::{ImportError, Spot};
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

/// Why a mesh file could not be read: with the line where there is one.
pub fn render_import(name: &str, bytes: &[u8], error: &ImportError) -> String {
    let help = &error.help;
    let Spot::Line(line) = error.spot else {
        return format!("error: {name}: {error}\n  help: {help}");
    };
    let found = bytes.split(|b| *b == b'\n').nth(line.saturating_sub(1)).unwrap_or_default();
    // Lines of mesh files may be long; what a terminal shows of one is enough.
    let source: String = String::from_utf8_lossy(found).trim_end().chars().take(100).collect();
    let span = AnnotationKind::Primary.span(0..source.len()).label(String::new());
    let snippet = Snippet::source(source).path(name).line_start(line).annotation(span);
    let title = Level::ERROR.primary_title(error.message.as_str());
    Renderer::plain().render(&[title.element(snippet).element(Level::HELP.message(help.as_str()))])
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
