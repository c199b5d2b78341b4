//! Every dependency may be used by everyone.

use serde_json::Value;

use super::{Finding, list, text};

/// The licences that ask for nothing but their mention.
const PERMISSIVE: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Zlib",
    "ISC",
    "Unicode-3.0",
    "CC0-1.0",
    "Unlicense",
    "0BSD",
    "BSL-1.0",
];

/// The dependencies of all platforms, from `cargo metadata`. Not knowing them is a finding too.
pub fn check(metadata: Result<Value, String>) -> Vec<Finding> {
    match metadata {
        Ok(metadata) => list(&metadata, "packages").iter().filter_map(check_package).collect(),
        Err(why) => vec![Finding::new("Cargo.lock", 1, why)],
    }
}

fn check_package(package: &Value) -> Option<Finding> {
    let licence = text(package, "license");
    if package["source"].is_null() || is_permissive(licence) {
        return None;
    }
    let (name, version) = (text(package, "name"), text(package, "version"));
    let licence = if licence.is_empty() { "no licence expression" } else { licence };
    let advice = "use another crate, or add the licence to xtask/src/tidy/licences.rs if it is permissive";
    Some(Finding::new("Cargo.lock", 1, format!("{name} {version} has `{licence}`; {advice}")))
}

/// Whether a licence expression leaves a permissive choice: of `OR`, one part; of `AND`, every part.
///
/// A `WITH` clause only adds permissions. The old `MIT/Apache-2.0` means `OR`. What cannot be
/// understood is not permissive.
fn is_permissive(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    let granted = any_of(&mut rest);
    granted == Some(true) && rest.is_empty()
}

/// `all_of OR all_of …`; `None` where the expression is malformed.
fn any_of(tokens: &mut &[&str]) -> Option<bool> {
    let mut granted = all_of(tokens)?;
    while take(tokens, "OR") {
        granted |= all_of(tokens)?;
    }
    Some(granted)
}

/// `one AND one …`, which binds tighter than `OR`.
fn all_of(tokens: &mut &[&str]) -> Option<bool> {
    let mut granted = one(tokens)?;
    while take(tokens, "AND") {
        granted &= one(tokens)?;
    }
    Some(granted)
}

/// A licence with or without an exception, or an expression in parentheses.
fn one(tokens: &mut &[&str]) -> Option<bool> {
    if take(tokens, "(") {
        let granted = any_of(tokens)?;
        return take(tokens, ")").then_some(granted);
    }
    let id = next(tokens)?;
    if take(tokens, "WITH") {
        next(tokens)?;
    }
    Some(PERMISSIVE.contains(&id))
}

fn next<'a>(tokens: &mut &[&'a str]) -> Option<&'a str> {
    let (first, rest) = tokens.split_first()?;
    *tokens = rest;
    Some(first)
}

fn take(tokens: &mut &[&str], token: &str) -> bool {
    let found = tokens.first() == Some(&token);
    if found {
        *tokens = &tokens[1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn permissive_expressions_are_granted() {
        for expression in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "GPL-3.0 OR MIT",
            "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "(MIT OR (GPL-2.0 AND ISC)) AND (GPL-2.0 OR Zlib)",
            "GPL-3.0 AND ISC OR MIT",
        ] {
            assert!(is_permissive(expression), "{expression}");
        }
    }

    #[test]
    fn other_expressions_are_not() {
        for expression in [
            "",
            "GPL-3.0",
            "MITX",
            "MIT AND GPL-3.0",
            "(MIT OR Apache-2.0) AND MPL-2.0",
            "MIT AND (GPL-2.0 OR LGPL-3.0)",
            "GPL-3.0 OR MIT AND MPL-2.0",
            "MIT OR",
            "(MIT",
            "MIT)",
            "MIT ISC",
            "MIT WITH",
        ] {
            assert!(!is_permissive(expression), "{expression}");
        }
    }

    #[test]
    fn only_foreign_packages_are_asked() {
        let registry = "registry";
        let packages = json!({"packages": [
            {"name": "ours", "version": "1", "source": null, "license": null},
            {"name": "fine", "version": "1", "source": registry, "license": "MIT"},
            {"name": "bare", "version": "1", "source": registry, "license": null},
            {"name": "copyleft", "version": "2", "source": registry, "license": "GPL-3.0"},
        ]});
        let found = check(Ok(packages));
        assert_eq!(found.len(), 2);
        assert!(found[0].message.starts_with("bare 1 has `no licence expression`"));
        assert!(found[1].message.starts_with("copyleft 2 has `GPL-3.0`"));
        assert_eq!(check(Err("no network".to_owned())).len(), 1);
    }
}
