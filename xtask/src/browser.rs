//! The page's own checks: its types, and its tests in a real browser.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::shell;
use crate::test::{Tally, pass_lines};

/// Names under which a Chromium is found on the PATH.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// What to do where there is no browser.
const ADVICE: &str = "install the Debian package `chromium` (apt-get install chromium), name a browser in \
                      SEROSA_CHROMIUM, or leave the browser tests out with --no-browser";

/// Stage `page`: the page's types are sound.
pub fn check_page() -> Result<(), String> {
    install_packages()?;
    let status = npm(&["run", "--silent", "check"]).status().map_err(|error| no_node(&error))?;
    if status.success() {
        Ok(())
    } else {
        Err("mend the errors in viewer/src that tsc names above".to_owned())
    }
}

/// Stage `browser`: presses every button of the page in a Chromium, against the program just built, and counts.
pub fn run(tally: &mut Tally) -> Result<(), String> {
    let mut tests = script(&[
        "--test",
        "--test-reporter=spec",
        "viewer/tests/parts.test.mjs",
        "viewer/tests/browser.test.mjs",
        "viewer/tests/flexible.test.mjs",
        "viewer/tests/guard.test.mjs",
        "viewer/tests/mesh.test.mjs",
    ])?;
    let child = tests.stdout(Stdio::piped()).spawn().map_err(|error| no_node(&error))?;
    let mut here = Tally::default();
    let all_ran = pass_lines(child, "node", |line| count(&mut here, line))?;
    tally.join(&here);
    match here {
        Tally { failed: 1.., .. } => {
            let advice = "node --test --test-name-pattern=NAME viewer/tests/browser.test.mjs";
            Err(format!("mend the page as the tests above say; `{advice}` runs one alone"))
        }
        Tally { passed: 1.., .. } if all_ran => Ok(()),
        _ => Err("the browser tests stopped early; mend the error that node shows above".to_owned()),
    }
}

/// Node with a script of ours, a browser and the program that lies beside this one.
pub fn script(arguments: &[&str]) -> Result<Command, String> {
    install_packages()?;
    let browser = find_or_install()?;
    println!("browser: {}", browser.display());
    let mut command = shell::command("node", arguments);
    command.env("SEROSA_CHROMIUM", browser).env("SEROSA_BIN", program()?);
    Ok(command)
}

/// Installs what viewer/package-lock.json names, if it is not there yet.
fn install_packages() -> Result<(), String> {
    let viewer = shell::root().join("viewer");
    if !is_older(&viewer.join("node_modules/.package-lock.json"), &viewer.join("package-lock.json")) {
        return Ok(());
    }
    let status = npm(&["ci", "--no-audit", "--no-fund"]).status().map_err(|error| no_node(&error))?;
    let advice = "`npm ci` in viewer/ failed; it needs the network once, mend what it says above";
    if status.success() { Ok(()) } else { Err(advice.to_owned()) }
}

/// Whether a file is missing or older than another.
fn is_older(file: &Path, than: &Path) -> bool {
    let age = |path: &Path| -> Option<SystemTime> { fs::metadata(path).and_then(|m| m.modified()).ok() };
    age(file).is_none() || age(file) < age(than)
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = shell::command(if cfg!(windows) { "npm.cmd" } else { "npm" }, arguments);
    command.current_dir(shell::root().join("viewer"));
    command
}

fn no_node(error: &std::io::Error) -> String {
    format!("cannot start Node.js ({error}); install Node.js 20 or newer with npm")
}

/// The program, which cargo builds into the folder of this one.
fn program() -> Result<PathBuf, String> {
    let path =
        std::env::current_exe().map_err(|error| format!("this program cannot find itself: {error}"))?;
    let path = path.with_file_name(format!("serosa{}", std::env::consts::EXE_SUFFIX));
    let missing = || format!("{} is missing; run `cargo build --release`", path.display());
    if path.is_file() { Ok(path) } else { Err(missing()) }
}

/// A browser; installed first where there is none and we may.
fn find_or_install() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("SEROSA_CHROMIUM").map(PathBuf::from) {
        let wrong = || format!("SEROSA_CHROMIUM names {}, which is no file; correct it", named.display());
        return if named.is_file() { Ok(named) } else { Err(wrong()) };
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = find(&folders, &NAMES) {
        return Ok(found);
    }
    if find(&folders, &["apt-get"]).is_none() || !is_root() {
        return Err(format!("there is no Chromium; {ADVICE}"));
    }
    println!("no Chromium: installing the Debian package `chromium`");
    for arguments in [&["update"][..], &["install", "-y", "chromium"]] {
        let status = shell::command("apt-get", arguments).env("DEBIAN_FRONTEND", "noninteractive").status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("`apt-get {}` failed; {ADVICE}", arguments.join(" ")));
        }
    }
    find(&folders, &NAMES).ok_or_else(|| format!("the package brought no browser; {ADVICE}"))
}

/// The first of some programs that one of the folders holds; the order of the names counts first.
fn find(folders: &OsStr, names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(folders).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

fn is_root() -> bool {
    shell::capture("id", &["-u"]).is_ok_and(|user| user.trim() == "0")
}

/// Adds a line of node's summary, such as `ℹ pass 12` or `# fail 1`; ignores any other.
fn count(tally: &mut Tally, line: &str) {
    let Some((_, summary)) = line.split_once("ℹ ").or_else(|| line.split_once("# ")) else { return };
    let Some((word, number)) = summary.split_once(' ') else { return };
    // Colours may follow the number.
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let Ok(number) = number[..digits].parse::<u64>() else { return };
    match word {
        "pass" => tally.passed += number,
        "fail" | "cancelled" => tally.failed += number,
        "skipped" | "todo" => tally.ignored += number,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| count(&mut tally, line));
        tally
    }

    #[test]
    fn both_of_nodes_summaries_are_counted() {
        let lines = [
            "tests 9",
            "suites 0",
            "pass 5",
            "fail 1",
            "cancelled 2",
            "skipped 1",
            "todo 0",
            "duration_ms 8.5",
        ];
        let wanted = Tally { passed: 5, failed: 3, ignored: 1 };
        assert_eq!(counted(&lines.map(|line| format!("ℹ {line}")).each_ref().map(String::as_str)), wanted);
        assert_eq!(counted(&lines.map(|line| format!("# {line}")).each_ref().map(String::as_str)), wanted);
        assert_eq!(counted(&["\u{1b}[34mℹ pass 24\u{1b}[39m"]).passed, 24);
    }

    #[test]
    fn other_lines_are_not_counted() {
        let lines = ["✔ pass 3 (12 ms)", "# Subtest: fail 2 of them", "pass 7", "ℹ pass many", "# pass", ""];
        assert_eq!(counted(&lines), Tally::default());
    }

    #[test]
    fn a_program_is_found_by_the_order_of_its_names() {
        let folder =
            |name: &str| std::env::temp_dir().join(format!("serosa-xtask-{}-{name}", std::process::id()));
        let (first, second) = (folder("a"), folder("b"));
        for (folder, name) in [(&first, "google-chrome"), (&second, "chromium")] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), "").unwrap();
        }
        fs::create_dir_all(first.join("chromium")).unwrap();
        let folders = std::env::join_paths([&first, &second]).unwrap();
        assert_eq!(find(&folders, &NAMES), Some(second.join("chromium")), "a folder is no program");
        assert_eq!(find(first.as_os_str(), &NAMES), Some(first.join("google-chrome")));
        assert_eq!(find(OsStr::new(""), &["no-such-program"]), None);
        fs::remove_dir_all(first).unwrap();
        fs::remove_dir_all(second).unwrap();
    }

    #[test]
    fn packages_are_installed_where_the_lock_file_is_newer_or_nothing_is_there() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(is_older(&here.join("missing"), &here));
        assert!(!is_older(&here, &here));
    }
}
