//! The files that the checks read, each read and scanned once.

use std::fs;
use std::ops::Range;

use super::scan;
use crate::shell;

/// All files of the repository that git tracks or would track, in the order of their paths.
pub struct Tree {
    /// Every path, relative to the root, with `/` between folders.
    pub files: Vec<String>,
    /// The paths that git tracks already.
    pub tracked: Vec<String>,
    /// The files that people write: those with one of the extensions in [`WRITTEN`].
    pub pages: Vec<Page>,
    /// The Rust sources under `crates/` and `xtask/`, scanned.
    pub sources: Vec<Source>,
}

/// The extensions of the files that people write by hand.
const WRITTEN: [&str; 5] = [".md", ".rs", ".toml", ".ts", ".yml"];

fn is_written(path: &str) -> bool {
    WRITTEN.iter().any(|end| path.ends_with(end))
}

/// A file and its text.
pub struct Page {
    pub path: String,
    pub text: String,
}

/// A scanned Rust source.
pub struct Source {
    pub path: String,
    pub code: String,
    pub comments: String,
    /// The file is compiled for tests only.
    pub only_tests: bool,
    test_spans: Vec<Range<usize>>,
}

impl Source {
    /// Whether the code at a place is compiled for tests only.
    pub fn in_tests(&self, at: usize) -> bool {
        self.only_tests || self.test_spans.iter().any(|span| span.contains(&at))
    }

    /// Whether the file lies in the `src` of one of these crates.
    pub fn in_src_of(&self, crates: &[&str]) -> bool {
        crates.iter().any(|name| self.path.starts_with(&format!("crates/{name}/src/")))
    }

    /// The places where `needle` stands in the code, as whole words: `Instant` is not found in
    /// `Instants`, nor `print!` in `eprint!`. A needle that ends in `_` is a beginning.
    pub fn find(&self, needle: &str) -> Vec<usize> {
        let code = self.code.as_bytes();
        let wordly = |byte: Option<&u8>| byte.is_some_and(|&b| scan::is_word(b));
        let head = wordly(needle.as_bytes().first());
        let tail = wordly(needle.as_bytes().last()) && !needle.ends_with('_');
        let whole = |&at: &usize| {
            let before = at.checked_sub(1).and_then(|at| code.get(at));
            !(head && wordly(before) || tail && wordly(code.get(at + needle.len())))
        };
        self.code.match_indices(needle).map(|(at, _)| at).filter(whole).collect()
    }

    /// The line of a place in the code or in the comments.
    pub fn line(&self, at: usize) -> usize {
        scan::line_of(&self.code, at)
    }

    /// The paths, without extension, of the files that this one declares as modules for tests only.
    fn test_modules(&self) -> Vec<String> {
        let stem = self.path.trim_end_matches(".rs");
        let folder =
            ["/lib", "/main", "/mod"].iter().find_map(|name| stem.strip_suffix(name)).unwrap_or(stem);
        let is_file = |end: usize| self.code[end..].trim_start().starts_with(';');
        scan::declarations(&self.code)
            .iter()
            .filter(|item| item.keyword == "mod" && is_file(item.end) && self.in_tests(item.at))
            .map(|item| format!("{folder}/{}", item.name))
            .collect()
    }
}

impl Tree {
    /// Reads the repository.
    pub fn read() -> Result<Self, String> {
        let root = shell::root();
        let listed = |options: &[&str]| -> Result<Vec<String>, String> {
            let names = shell::capture("git", &[&["ls-files", "-z"], options].concat())?;
            let there = |name: &&str| root.join(name).is_file();
            let mut names: Vec<String> = names.split('\0').filter(there).map(str::to_owned).collect();
            names.sort();
            Ok(names)
        };
        let files = listed(&["--cached", "--others", "--exclude-standard"])?;
        let mut pages = Vec::new();
        for path in files.iter().filter(|path| is_written(path)) {
            let bytes = fs::read(root.join(path)).map_err(|why| format!("make {path} readable ({why})"))?;
            pages.push(Page { path: path.clone(), text: String::from_utf8_lossy(&bytes).into_owned() });
        }
        Ok(Self::new(files, listed(&[])?, pages))
    }

    fn new(files: Vec<String>, tracked: Vec<String>, pages: Vec<Page>) -> Self {
        let ours = |path: &str| path.starts_with("crates/") || path.starts_with("xtask/");
        let rust = pages.iter().filter(|page| page.path.ends_with(".rs") && ours(&page.path));
        let mut sources: Vec<Source> = rust.map(scanned).collect();
        let declared: Vec<String> = sources.iter().flat_map(Source::test_modules).collect();
        for source in &mut sources {
            let below = |module: &String| {
                let rest = source.path.strip_prefix(module.as_str());
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            source.only_tests |= declared.iter().any(below);
        }
        Self { files, tracked, pages, sources }
    }

    /// A tree of files in memory, all of them tracked.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let page = |&(path, text): &(&str, &str)| Page { path: path.to_owned(), text: text.to_owned() };
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        Self::new(paths.clone(), paths, files.iter().filter(|(path, _)| is_written(path)).map(page).collect())
    }

    /// Whether a path is a file of the tree or a folder that holds one.
    pub fn holds(&self, path: &str) -> bool {
        let inside = |rest: &str| path.is_empty() || rest.is_empty() || rest.starts_with('/');
        self.files.iter().any(|file| file.strip_prefix(path).is_some_and(inside))
    }

    /// A page by its path.
    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.path == path)
    }
}

fn scanned(page: &Page) -> Source {
    let scan::Masked { code, comments } = scan::mask(&page.text);
    let folders = ["/tests/", "/benches/", "/examples/"];
    let only_tests = folders.iter().any(|folder| page.path.contains(folder));
    let test_spans = scan::test_spans(&code);
    Source { path: page.path.clone(), code, comments, only_tests, test_spans }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_declared_for_tests_are_only_tests() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "mod rows;\n#[cfg(test)]\nmod oracle;"),
            ("crates/a/src/rows.rs", "#[cfg(test)] mod tests;\nfn f() {}"),
            ("crates/a/src/rows/tests.rs", ""),
            ("crates/a/src/oracle.rs", "mod dense;"),
            ("crates/a/src/oracle/dense.rs", ""),
            ("crates/a/src/oracles.rs", ""),
            ("crates/a/tests/it/main.rs", ""),
        ]);
        let only_tests: Vec<bool> = tree.sources.iter().map(|source| source.only_tests).collect();
        assert_eq!(only_tests, [false, false, true, true, true, false, true]);
    }

    #[test]
    fn needles_are_whole_words() {
        let tree =
            Tree::of(&[("crates/a/src/lib.rs", "Instants; Instant::now(); eprint!(); q.from_rotation_x(1)")]);
        let source = &tree.sources[0];
        assert_eq!(source.find("Instant"), [10]);
        assert_eq!(source.find("print!").len(), 0);
        assert_eq!(source.find("from_rotation_").len(), 1);
    }

    #[test]
    fn a_tree_holds_files_and_folders() {
        let tree = Tree::of(&[("docs/a.md", "")]);
        assert!(tree.holds("docs/a.md") && tree.holds("docs") && tree.holds(""));
        assert!(!tree.holds("doc") && !tree.holds("docs/a"));
    }
}
