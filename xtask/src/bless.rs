//! `cargo xtask bless`: the one way in which golden values change.

use crate::shell;

/// Runs all tests with `SEROSA_BLESS=1`, which makes them rewrite their golden files instead of
/// comparing with them, and shows the files that differ afterwards.
pub fn run(reason: &[String]) -> Result<(), String> {
    let arguments = ["test", "--release", "--workspace", "--locked", "--no-fail-fast"];
    let status = shell::command("cargo", &arguments)
        .env("SEROSA_BLESS", "1")
        .status()
        .map_err(|error| shell::cannot_start("cargo", &error))?;
    if !status.success() {
        return Err("tests fail for another reason than their golden values; mend them, then bless again \
                    (golden files may be half rewritten: look at `git status`)"
            .to_owned());
    }
    let changes = shell::capture("git", &["status", "--short"])?;
    if changes.is_empty() {
        println!("Nothing changed: every golden file already holds what the tests produce.");
        return Ok(());
    }
    println!("\nThe working tree now differs in:\n{changes}");
    println!("Read `git diff` before committing; a golden value that changed without a reason is a bug.");
    match reason {
        [] => println!("The reason belongs in the commit message."),
        words => println!("The reason belongs in the commit message:\n\n    Bless: {}", words.join(" ")),
    }
    Ok(())
}
