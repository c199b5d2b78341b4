//! Files and functions stay small enough to be read in one go.

use super::Finding;
use super::scan::{self, Function};
use super::tree::{Source, Tree};

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 70;
const TEST_FUNCTION_LINES: usize = 100;
const PARAMETERS: usize = 7;

/// An exception: the file, the function (`*` for the file's own length), its limit and the reason.
type Exception = (&'static str, &'static str, usize, &'static str);

const EXCEPTIONS: &[Exception] =
    &[("crates/serosa_sim/src/step.rs", "step", 100, "the frame reads as one list")];

/// Files, functions and parameter lists within their limits.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let within = |source: &Source| {
        let functions = scan::functions(&source.code).into_iter();
        let functions = functions.flat_map(|function| check_function(source, &function));
        functions.chain(check_file(source)).collect::<Vec<_>>()
    };
    tree.sources.iter().flat_map(within).collect()
}

/// The limit for a function or a file, and the reason where it is an exception.
fn limit(path: &str, name: &str, usual: usize) -> (usize, String) {
    let exception = EXCEPTIONS.iter().find(|(file, function, ..)| *file == path && *function == name);
    exception.map_or((usual, String::new()), |(_, _, lines, reason)| (*lines, format!(" ({reason})")))
}

fn check_file(source: &Source) -> Option<Finding> {
    let lines = source.code.lines().count();
    let (limit, reason) = limit(&source.path, "*", FILE_LINES);
    let message = || format!("the file has {lines} lines, {limit} at most{reason}; split it by what it does");
    (lines > limit).then(|| Finding::new(&source.path, lines, message()))
}

fn check_function(source: &Source, function: &Function) -> Vec<Finding> {
    let Function { name, at, lines, params } = function;
    let usual = if source.in_tests(*at) { TEST_FUNCTION_LINES } else { FUNCTION_LINES };
    let (limit, reason) = limit(&source.path, name, usual);
    let mut findings = Vec::new();
    let mut find = |message| findings.push(Finding::new(&source.path, source.line(*at), message));
    if *lines > limit {
        find(format!(
            "`{name}` has {lines} lines, {limit} at most{reason}; move a part with a name of its own out"
        ));
    }
    if *params > PARAMETERS {
        find(format!(
            "`{name}` has {params} parameters, {PARAMETERS} at most; group those that belong together"
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages for one file.
    fn messages(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).iter().map(ToString::to_string).collect()
    }

    /// A function of so many lines.
    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    work();\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_found() {
        assert_eq!(messages("crates/a/src/b.rs", &function("f", 70)), [""; 0]);
        let found = messages("crates/a/src/b.rs", &format!("\n\n{}", function("f", 71)));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/a/src/b.rs:3: `f` has 71 lines, 70 at most;"), "{found:?}");
    }

    #[test]
    fn tests_may_be_longer() {
        let module = |lines| format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function("f", lines));
        assert_eq!(messages("crates/a/src/b.rs", &module(100)).len(), 0);
        assert_eq!(messages("crates/a/src/b.rs", &module(101)).len(), 1);
        assert_eq!(messages("crates/a/tests/it/main.rs", &function("f", 100)).len(), 0);
    }

    #[test]
    fn exceptions_hold_for_their_name_and_limit_alone() {
        let path = "crates/serosa_sim/src/step.rs";
        assert_eq!(messages(path, &function("step", 100)).len(), 0);
        assert_eq!(messages(path, &function("detect", 100)).len(), 1);
        let found = messages(path, &function("step", 101));
        assert!(found[0].contains("100 at most (the frame reads as one list);"), "{found:?}");
    }

    #[test]
    fn long_files_and_long_parameter_lists_are_found() {
        assert_eq!(messages("xtask/src/a.rs", &"\n".repeat(600)).len(), 0);
        assert_eq!(messages("xtask/src/a.rs", &"\n".repeat(601)).len(), 1);
        assert_eq!(messages("viewer/src/a.rs", &"\n".repeat(601)).len(), 0, "not one of ours");
        let list = |count: usize| format!("fn f({}) {{}}", "x: u8, ".repeat(count));
        assert_eq!(messages("crates/a/src/b.rs", &list(7)).len(), 0);
        assert_eq!(messages("crates/a/src/b.rs", &list(8)).len(), 1);
    }
}
