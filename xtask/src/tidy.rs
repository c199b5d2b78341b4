//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Each check is a function from the tree of files to a list of findings. All of them run, and all
//! findings are printed, so that one round is enough to mend everything.

mod arrows;
mod licences;
mod pages;
mod rooms;
mod scan;
mod sizes;
mod tree;
mod words;

use std::fmt;

use serde_json::Value;
use tree::Tree;

use crate::shell;

/// Something to mend, with its place and what to do.
#[derive(Debug, PartialEq)]
struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Runs every check; the error says how many findings were printed.
pub fn run(arguments: &[String]) -> Result<(), String> {
    if let [first, ..] = arguments {
        return Err(format!("`{first}` is not expected; run `cargo xtask tidy` alone"));
    }
    let tree = Tree::read()?;
    let findings = check(&tree, &metadata(&["--no-deps"])?);
    findings.iter().for_each(|finding| println!("{finding}"));
    match findings.len() {
        0 => {
            println!("tidy: {} files, nothing to mend", tree.files.len());
            Ok(())
        }
        count => Err(format!("{count} findings; mend each as its line says")),
    }
}

/// The list of checks. `workspace` is what `cargo metadata --no-deps` says of the crates.
fn check(tree: &Tree, workspace: &Value) -> Vec<Finding> {
    [
        arrows::check(tree, workspace),
        rooms::check(tree, workspace),
        rooms::check_test_binaries(tree),
        sizes::check(tree),
        words::check(tree),
        pages::check_paths(tree),
        pages::check_links(tree),
        licences::check(metadata(&[])),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What cargo knows of the workspace.
fn metadata(options: &[&str]) -> Result<Value, String> {
    let arguments = [&["metadata", "--format-version", "1", "--locked"], options].concat();
    let json = shell::capture("cargo", &arguments).map_err(|why| {
        format!("{why}\nrun `cargo fetch` (it needs the network once) and commit Cargo.lock")
    })?;
    serde_json::from_str(&json).map_err(|error| {
        format!("`cargo metadata` is not understood ({error}); use the Rust that Cargo.toml names")
    })
}

/// The entries of a JSON array; none where there is no array.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// A JSON string; empty where there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
