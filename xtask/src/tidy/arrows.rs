//! The crates stand on a line, and each may know only those to its left.

use serde_json::Value;

use super::tree::Tree;
use super::{Finding, list, text};

/// Each crate and its place on the line. Crates that share a place do not know each other.
const LINE: &[(&str, u32)] = &[
    ("serosa_geometry", 0),
    ("serosa_sim", 1),
    ("serosa_bake", 2),
    ("serosa_io", 3),
    ("serosa", 4),
    ("serosa_py", 4),
];

/// The tasks stand beside the line: they know no crate, and no crate knows them.
const BESIDE: &str = "xtask";

fn place(name: &str) -> Option<u32> {
    LINE.iter().find(|(other, _)| *other == name).map(|(_, place)| *place)
}

/// Every dependency between crates of the workspace, whatever its kind, points to the left.
pub fn check(tree: &Tree, workspace: &Value) -> Vec<Finding> {
    let packages = list(workspace, "packages");
    let is_ours = |name: &str| packages.iter().any(|package| text(package, "name") == name);
    let mut findings = Vec::new();
    for package in packages {
        let name = text(package, "name");
        let manifest =
            if name == BESIDE { "xtask/Cargo.toml".into() } else { format!("crates/{name}/Cargo.toml") };
        if name != BESIDE && place(name).is_none() {
            let advice = "add it to the table in xtask/src/tidy and write its reason in ARCHITECTURE.md";
            findings.push(Finding::new(
                &manifest,
                1,
                format!("`{name}` has no place among the crates: {advice}"),
            ));
            continue;
        }
        for dependency in list(package, "dependencies") {
            let other = text(dependency, "name");
            if is_ours(other) && !may_know(name, other) {
                let line = line_naming(tree, &manifest, other);
                findings.push(Finding::new(
                    &manifest,
                    line,
                    complaint(name, other, text(dependency, "kind")),
                ));
            }
        }
    }
    findings
}

fn may_know(name: &str, other: &str) -> bool {
    match (place(name), place(other)) {
        (Some(own), Some(others)) => others < own,
        // A crate without a place is a finding of its own.
        (Some(_), None) => other != BESIDE,
        (None, _) => false,
    }
}

fn complaint(name: &str, other: &str, kind: &str) -> String {
    let kind = if kind.is_empty() { String::new() } else { format!("{kind}-") };
    let order: Vec<&str> = LINE.iter().map(|(name, _)| *name).collect();
    let advice = format!("remove it, or move what is shared to the left in: {}", order.join(", "));
    format!("`{name}` may not have the {kind}dependency `{other}`; {advice}")
}

/// The line of a manifest that names a dependency, or the first.
fn line_naming(tree: &Tree, manifest: &str, dependency: &str) -> usize {
    let names = |line: &str| {
        let rest = line.trim_start().strip_prefix(dependency);
        rest.is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    let page = tree.page(manifest);
    page.and_then(|page| page.text.lines().position(names)).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A dependency and its kind.
    type Arrow = (&'static str, Option<&'static str>);

    /// The findings for a workspace given as crates with their dependencies.
    fn messages(crates: &[(&str, &[Arrow])]) -> Vec<String> {
        let dependency = |(name, kind): &Arrow| json!({"name": name, "kind": kind});
        let package = |(name, arrows): &(&str, &[Arrow])| {
            let dependencies: Vec<Value> = arrows.iter().map(dependency).collect();
            json!({"name": name, "dependencies": dependencies})
        };
        let workspace = json!({"packages": crates.iter().map(package).collect::<Vec<_>>()});
        check(&Tree::of(&[]), &workspace).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_to_the_left_are_fine() {
        let found = messages(&[
            ("serosa_geometry", &[("glam", None)]),
            ("serosa_sim", &[("serosa_geometry", None)]),
            ("serosa_io", &[("serosa_geometry", None), ("serosa_sim", Some("dev"))]),
            ("serosa", &[("serosa_io", None), ("serosa_sim", None)]),
            ("xtask", &[("serde_json", None)]),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn arrows_to_the_right_are_found_in_every_kind() {
        for kind in [None, Some("dev"), Some("build")] {
            let found = messages(&[("serosa_sim", &[("serosa_io", kind)]), ("serosa_io", &[])]);
            assert_eq!(found.len(), 1, "{kind:?}");
            assert!(
                found[0].starts_with("crates/serosa_sim/Cargo.toml:1: `serosa_sim` may not"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn neighbours_at_one_place_do_not_know_each_other() {
        assert_eq!(messages(&[("serosa_py", &[("serosa", None)]), ("serosa", &[])]).len(), 1);
    }

    #[test]
    fn the_tasks_stand_beside() {
        assert_eq!(messages(&[("xtask", &[("serosa_geometry", None)]), ("serosa_geometry", &[])]).len(), 1);
        assert_eq!(messages(&[("serosa", &[("xtask", Some("dev"))]), ("xtask", &[])]).len(), 1);
    }

    #[test]
    fn an_unknown_crate_is_one_finding() {
        let found = messages(&[("serosa_cloud", &[("serosa", None)]), ("serosa", &[("serosa_cloud", None)])]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("write its reason in ARCHITECTURE.md"), "{found:?}");
    }

    #[test]
    fn the_finding_points_at_the_line() {
        let manifest = "[dependencies]\nserosa_io_more = \"1\"\nserosa_io.workspace = true\n";
        let tree = Tree::of(&[("crates/serosa_sim/Cargo.toml", manifest)]);
        assert_eq!(line_naming(&tree, "crates/serosa_sim/Cargo.toml", "serosa_io"), 3);
    }
}
