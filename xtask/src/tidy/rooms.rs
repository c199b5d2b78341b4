//! Every room has a name, a purpose in ARCHITECTURE.md, and something in it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::scan::is_word;
use super::tree::Tree;
use super::{Finding, list, text};

const MAP: &str = "ARCHITECTURE.md";

/// A crate with fewer lines of code than this is an empty room.
const FEWEST_LINES: usize = 3;

/// Rooms are on the map; crates are named like their folder; none is empty.
pub fn check(tree: &Tree, workspace: &Value) -> Vec<Finding> {
    let crates: BTreeSet<&str> = tree.files.iter().filter_map(|path| crate_folder(path)).collect();
    let mut findings = check_map(tree, &crates);
    for folder in crates {
        findings.extend(check_crate(tree, workspace, folder));
    }
    findings
}

/// The folder directly under `crates/` that holds a path.
fn crate_folder(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split_once('/').map(|(folder, _)| folder)
}

fn check_map(tree: &Tree, crates: &BTreeSet<&str>) -> Vec<Finding> {
    let Some(map) = tree.page(MAP) else {
        return vec![Finding::new(MAP, 1, "there is no map of the rooms; write one that names each folder")];
    };
    let mut rooms = crates.clone();
    let folders = tree.tracked.iter().filter_map(|path| path.split_once('/')).map(|(folder, _)| folder);
    rooms.extend(folders.filter(|folder| !folder.starts_with('.')));
    let missing = rooms.into_iter().filter(|room| !names(&map.text, room));
    let message = |room: &str| format!("the room `{room}` is not named here; add it with its purpose");
    missing.map(|room| Finding::new(MAP, 1, message(room))).collect()
}

/// Whether a page names a room: the whole word, followed by a backtick or a slash.
fn names(page: &str, room: &str) -> bool {
    let bytes = page.as_bytes();
    page.match_indices(room).any(|(at, _)| {
        let begins = at == 0 || !is_word(bytes[at - 1]);
        begins && matches!(bytes.get(at + room.len()), Some(b'`' | b'/'))
    })
}

fn check_crate(tree: &Tree, workspace: &Value, folder: &str) -> Option<Finding> {
    let manifest = format!("crates/{folder}/Cargo.toml");
    let lies_here = |package: &&Value| text(package, "manifest_path").replace('\\', "/").ends_with(&manifest);
    let Some(package) = list(workspace, "packages").iter().find(lies_here) else {
        return Some(Finding::new(
            &manifest,
            1,
            format!("`{folder}` is no crate; add a manifest or move it away"),
        ));
    };
    let name = text(package, "name");
    if name != folder {
        return Some(Finding::new(
            &manifest,
            1,
            format!("the crate `{name}` lies in `{folder}`; name them alike"),
        ));
    }
    let sources = tree.sources.iter().filter(|source| source.in_src_of(&[folder]));
    let lines = sources.flat_map(|source| source.code.lines()).filter(|line| !line.trim().is_empty()).count();
    let message = || format!("`{folder}` is an empty room; add it when there is something to put in it");
    (lines < FEWEST_LINES).then(|| Finding::new(&manifest, 1, message()))
}

/// At most one integration-test binary for each crate: every further one is linked anew.
pub fn check_test_binaries(tree: &Tree) -> Vec<Finding> {
    let is_binary = |path: &&String| {
        let inside = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/tests/"));
        inside.is_some_and(|(folder, file)| {
            let depth = file.matches('/').count();
            !folder.contains('/')
                && (depth == 0 && file.ends_with(".rs") || depth == 1 && file.ends_with("/main.rs"))
        })
    };
    let mut seen = BTreeSet::new();
    let further = tree.files.iter().filter(is_binary).filter(|path| !seen.insert(crate_folder(path)));
    let advice = "a second integration-test binary; make it a module of tests/it/main.rs";
    further.map(|path| Finding::new(path, 1, advice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FULL: &str = "fn a() {}\nfn b() {}\nfn c() {}\n";

    /// A workspace given as the names of its crates and of their folders.
    fn workspace(crates: &[(&str, &str)]) -> Value {
        let manifest = |folder: &str| format!("/somewhere/crates/{folder}/Cargo.toml");
        let package =
            |(name, folder): &(&str, &str)| json!({"name": name, "manifest_path": manifest(folder)});
        json!({"packages": crates.iter().map(package).collect::<Vec<_>>()})
    }

    #[test]
    fn a_house_in_order_has_no_findings() {
        let tree = Tree::of(&[
            (MAP, "`mesh` and `crates/`; the page in viewer/ knows nothing"),
            ("README.md", ""),
            (".ci/run", ""),
            ("crates/mesh/Cargo.toml", ""),
            ("crates/mesh/src/lib.rs", FULL),
            ("viewer/a.ts", ""),
        ]);
        assert_eq!(check(&tree, &workspace(&[("mesh", "mesh")])), []);
    }

    #[test]
    fn rooms_that_the_map_does_not_name_are_found() {
        let files = [("crates/mesh/Cargo.toml", ""), ("crates/mesh/src/lib.rs", FULL), ("viewer/a.ts", "")];
        let packages = workspace(&[("mesh", "mesh")]);
        let found = check(
            &Tree::of(&[&files[..], &[(MAP, "crates/, mesher/, `viewers`, mesh")]].concat()),
            &packages,
        );
        let named: Vec<bool> =
            ["mesh", "viewer"].map(|room| found.iter().any(|f| f.message.contains(room))).into();
        assert_eq!((found.len(), named), (2, vec![true, true]));
        let found = check(&Tree::of(&files), &packages);
        assert_eq!(found.len(), 1, "a missing map is one finding");
    }

    #[test]
    fn misnamed_empty_and_stray_folders_are_found() {
        let tree = Tree::of(&[
            (MAP, "crates/ a/ b/ c/"),
            ("crates/a/src/lib.rs", FULL),
            ("crates/b/src/lib.rs", "//! A placeholder\n//! with\n//! many\n//! words.\n\nfn main() {}\n"),
            ("crates/c/notes.txt", ""),
        ]);
        let found = check(&tree, &workspace(&[("other", "a"), ("b", "b")]));
        let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(messages[0].contains("name them alike"));
        assert!(messages[1].contains("empty room"));
        assert!(messages[2].contains("no crate"));
    }

    #[test]
    fn a_second_test_binary_is_found() {
        let one = ["crates/a/tests/it/main.rs", "crates/a/tests/it/more.rs", "crates/a/tests/data/x.obj"];
        let files =
            |paths: &[&'static str]| Tree::of(&paths.iter().map(|path| (*path, "")).collect::<Vec<_>>());
        assert_eq!(check_test_binaries(&files(&one)), []);
        let two = [&one[..], &["crates/a/tests/other.rs", "crates/b/tests/it/main.rs"]].concat();
        let found = check_test_binaries(&files(&two));
        assert_eq!(found.iter().map(|finding| finding.path.as_str()).collect::<Vec<_>>(), [two[3]]);
    }
}
