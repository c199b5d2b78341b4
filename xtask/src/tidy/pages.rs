//! What is written holds for every reader: no path of one computer, no dead link, no stray blank.

use super::Finding;
use super::scan::is_word;
use super::tree::{Page, Tree};

/// The top folders under which only one person's files lie.
const PRIVATE_FOLDERS: [&str; 4] = ["tmp", "root", "home", "work"];

/// No absolute path into a private folder, and no blank at the end of a line.
pub fn check_paths(tree: &Tree) -> Vec<Finding> {
    let check = |page: &Page, line: usize, text: &str| {
        let mut found = Vec::new();
        if let Some(folder) = PRIVATE_FOLDERS.iter().find(|folder| has_path(text, folder)) {
            let advice = "name a place that every reader has, or make it an argument";
            found.push(Finding::new(&page.path, line, format!("a path under `/{folder}`; {advice}")));
        }
        if text.ends_with(char::is_whitespace) {
            found.push(Finding::new(&page.path, line, "blanks at the end of the line; remove them"));
        }
        found
    };
    let lines = |page: &Page| -> Vec<Finding> {
        (1..).zip(page.text.lines()).flat_map(|(line, text)| check(page, line, text)).collect()
    };
    tree.pages.iter().flat_map(lines).collect()
}

/// Whether a line holds an absolute path into a folder. The same name inside an address or a
/// relative path, such as `example.org/home/`, is none.
fn has_path(line: &str, folder: &str) -> bool {
    let bytes = line.as_bytes();
    let inside = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'-' | b'~' | b'}');
    let absolute = |at: usize| at == 0 || !inside(bytes[at - 1]);
    line.match_indices(&format!("/{folder}/")).any(|(at, _)| absolute(at))
}

/// Relative links in Markdown point at files of the tree.
pub fn check_links(tree: &Tree) -> Vec<Finding> {
    let dead = |page: &Page| -> Vec<Finding> {
        let links = links(&page.text).into_iter();
        let dead = links.filter(|(_, link)| !resolve(&page.path, link).is_some_and(|path| tree.holds(&path)));
        let message = |link: &str| format!("the link `{link}` leads nowhere; correct it or add the file");
        dead.map(|(line, link)| Finding::new(&page.path, line, message(&link))).collect()
    };
    tree.pages.iter().filter(|page| page.path.ends_with(".md")).flat_map(dead).collect()
}

/// The relative links of a Markdown text with their lines, without fragments.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut links = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let fence = text.trim_start().starts_with("```");
        fenced ^= fence;
        if !fenced && !fence {
            let targets = targets(&without_code(text)).into_iter().filter_map(|target| relative(&target));
            links.extend(targets.map(|target| (line, target)));
        }
    }
    links
}

/// A line without its `code`: every second part between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// All that a line links to: `[text](target)`, `[name]: target`, `src="target"`, `href="target"`.
fn targets(line: &str) -> Vec<String> {
    let between = |open: &'static str, close: char| {
        line.split(open).skip(1).filter_map(move |rest| rest.split_once(close)).map(|(target, _)| target)
    };
    let named = line.trim_start().starts_with('[').then(|| line.split_once("]: ")).flatten();
    let named = named.map(|(_, target)| target).into_iter();
    let all = between("](", ')').chain(between("src=\"", '"')).chain(between("href=\"", '"')).chain(named);
    all.map(str::to_owned).collect()
}

/// The path in a target, if it is one: no address, no mere fragment; title and fragment removed.
fn relative(target: &str) -> Option<String> {
    let target = target.trim();
    let bracketed = target.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(inner, _)| inner);
    let target = bracketed.unwrap_or_else(|| target.split_whitespace().next().unwrap_or_default());
    let path = target.split('#').next().unwrap_or_default();
    let address = path.contains("://") || path.starts_with("mailto:");
    (!path.is_empty() && !address).then(|| path.replace("%20", " "))
}

/// The path that a link on a page means, from the root; `None` if it leads out of the tree.
fn resolve(page: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    if link.starts_with('/') {
        parts.clear();
    }
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_paths_and_trailing_blanks_are_found() {
        let private = format!("see /{}/me/notes", "home");
        let page = format!("fine\n{private}\nblank \nhttps://example.org/{}/x\n", "home");
        let found = check_paths(&Tree::of(&[("a.md", &page), ("b.obj", &private)]));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn paths_are_absolute() {
        let tmp = format!("/{}/", "tmp");
        for start in ["", "\"", "file://", " ", "=", "("] {
            assert!(has_path(&format!("{start}{tmp}a"), "tmp"), "{start}");
        }
        for start in ["docs", ".", "..", "~", "{root}", "é"] {
            assert!(!has_path(&format!("{start}{tmp}a"), "tmp"), "{start}");
        }
    }

    #[test]
    fn dead_links_are_found() {
        let page = "\
[alive](../README.md#top) [folder](.) [site](https://example.org/a) [here](#below)
![dead](shot.png \"a title\")
`[code](nowhere)` and [dead](gone.md)
```
[fenced](nowhere)
```
<img src=\"also-dead.png\">
[named]: dead-too.md
[outside](../../elsewhere.md) [rooted](/README.md)
";
        let found = check_links(&Tree::of(&[("docs/a.md", page), ("README.md", "")]));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2, 3, 7, 8, 9]);
        assert!(found[0].message.contains("`shot.png`"));
    }
}
