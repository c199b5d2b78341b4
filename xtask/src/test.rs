//! `cargo xtask test`: everything that must hold before a change goes in, cheapest stage first.

use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::{browser, shell, tidy};

/// A stage before the tests: its name, and what it does.
type Stage = (&'static str, fn() -> Result<(), String>);

const STAGES: &[Stage] = &[
    ("format", format),
    ("tidy", || tidy::run(&[])),
    ("clippy", clippy),
    ("build", build),
    ("page", browser::check_page),
    ("wasm", wasm),
];

/// Leaves the last stage out.
const NO_BROWSER: &str = "--no-browser";

/// Runs the stages in order and stops at the first that fails. With filters, only the tests run.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let start = Instant::now();
    let (options, filters): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|argument| argument == NO_BROWSER);
    if filters.is_empty() {
        for (name, stage) in STAGES {
            heading(name, start);
            stage().map_err(|why| format!("stage `{name}` failed: {why}"))?;
        }
    }
    heading("test", start);
    let skips = shell::root().join("target/skipped-tests.txt");
    forget(&skips)?;
    let outcome = run_tests(&filters, &skips);
    let skipped = fs::read_to_string(&skips).unwrap_or_default();
    skipped.lines().for_each(|line| println!("{line}"));
    let (mut tally, all_ran) = outcome?;
    let mut judged = verdict(&tally, all_ran).map_err(|why| format!("stage `test` failed: {why}"));
    if judged.is_ok() && filters.is_empty() {
        heading("browser", start);
        judged = in_browser(options.is_empty(), &mut tally);
    }
    println!("{tally}, {} skipped for absent data, in {}", skipped.lines().count(), Elapsed(start.elapsed()));
    judged
}

/// The tests of the page, unless they are not wanted; then that is said.
fn in_browser(wanted: bool, tally: &mut Tally) -> Result<(), String> {
    if !wanted {
        println!("left out, as {NO_BROWSER} asks: nothing is said about the page");
        return Ok(());
    }
    browser::run(tally).map_err(|why| format!("stage `browser` failed: {why}"))
}

fn heading(name: &str, start: Instant) {
    println!("== {name} (begins after {})", Elapsed(start.elapsed()));
}

fn format() -> Result<(), String> {
    shell::pass_through("cargo", &["fmt", "--all", "--", "--check"], "run `cargo fmt --all`")
}

fn clippy() -> Result<(), String> {
    let arguments =
        ["clippy", "--release", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::pass_through("cargo", &arguments, "mend what clippy names above")
}

fn build() -> Result<(), String> {
    let arguments = ["build", "--release", "--locked", "--workspace"];
    shell::pass_through("cargo", &arguments, "mend the compile errors above")
}

/// The core builds for the browser as well, where that target is installed.
fn wasm() -> Result<(), String> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let folder = shell::command("rustc", &["--print", "target-libdir", "--target", TARGET]).output();
    let folder = folder.map_err(|error| shell::cannot_start("rustc", &error))?.stdout;
    if !Path::new(String::from_utf8_lossy(&folder).trim()).is_dir() {
        println!("skipped: {TARGET} is not installed (`rustup target add {TARGET}`)");
        return Ok(());
    }
    let arguments = ["build", "--release", "--locked", "--package", "serosa_sim", "--target", TARGET];
    shell::pass_through("cargo", &arguments, "keep files, clocks and threads out of the core")
}

/// Makes sure that the list of skipped tests starts empty and that its folder is there.
fn forget(skips: &Path) -> Result<(), String> {
    let folder = skips.parent().unwrap_or(skips);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(skips, ""))
        .map_err(|error| format!("cannot write {} ({error}); make its folder writable", skips.display()))
}

/// Runs `cargo test`, passing its output through, and counts. The flag says whether cargo was content.
///
/// Tests that lack their data append a line to the file named by `SEROSA_SKIPS`: the test harness
/// swallows what passing tests print.
fn run_tests(filters: &[String], skips: &Path) -> Result<(Tally, bool), String> {
    let child =
        shell::command("cargo", &["test", "--release", "--locked", "--workspace", "--no-fail-fast", "--"])
            .args(filters)
            .env("SEROSA_SKIPS", skips)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| shell::cannot_start("cargo", &error))?;
    let mut tally = Tally::default();
    let all_ran = pass_lines(child, "cargo", |line| tally.add(line))?;
    Ok((tally, all_ran))
}

/// Prints each line of a program's output and shows it to `each`; says whether the program was content.
pub fn pass_lines(mut child: Child, name: &str, mut each: impl FnMut(&str)) -> Result<bool, String> {
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            each(&line);
        }
    }
    let status = child.wait().map_err(|error| shell::cannot_start(name, &error))?;
    Ok(status.success())
}

fn verdict(tally: &Tally, all_ran: bool) -> Result<(), String> {
    match tally {
        Tally { failed: 1.., .. } => Err("mend the tests named above; \
            `cargo xtask test NAME` runs one alone, `cargo xtask bless REASON` renews golden values"
            .to_owned()),
        _ if !all_ran => Err("`cargo test` stopped early; mend the error it shows above".to_owned()),
        Tally { passed: 0, .. } => Err("no test ran; check the spelling of the filter".to_owned()),
        _ => Ok(()),
    }
}

/// What the test binaries say of themselves, summed.
#[derive(Debug, Default, PartialEq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, or never came to an end.
    pub failed: u64,
    /// Tests that did not run.
    pub ignored: u64,
}

impl Tally {
    /// Adds what others counted.
    pub fn join(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 3 ignored; …`; ignores any other.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let words: Vec<&str> = result.split_whitespace().collect();
        for pair in words.windows(2) {
            let Ok(count) = pair[0].parse::<u64>() else { continue };
            match pair[1].trim_end_matches(';') {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tests passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

/// A duration as people say it: `8.4 s`, `5 min 12 s`.
struct Elapsed(Duration);

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            0..60 => write!(f, "{:.1} s", self.0.as_secs_f64()),
            seconds => write!(f, "{} min {} s", seconds / 60, seconds % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tally_sums_the_binaries_and_ignores_other_lines() {
        let mut tally = Tally::default();
        for line in [
            "running 15 tests",
            "test a::b ... ok",
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 7 filtered out; finished in 0.10s",
            "9 passed; 9 failed",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s",
        ] {
            tally.add(line);
        }
        assert_eq!(tally, Tally { passed: 16, failed: 2, ignored: 3 });
        assert_eq!(tally.to_string(), "16 tests passed, 2 failed, 3 ignored");
    }

    #[test]
    fn tallies_join() {
        let mut tally = Tally { passed: 1, failed: 2, ignored: 3 };
        tally.join(&Tally { passed: 10, failed: 20, ignored: 30 });
        assert_eq!(tally, Tally { passed: 11, failed: 22, ignored: 33 });
    }

    #[test]
    fn tally_reads_coloured_results() {
        let mut tally = Tally::default();
        tally.add("test result: \u{1b}[32mok\u{1b}(B\u{1b}[m. 5 passed; 0 failed; 0 ignored; 0 measured");
        assert_eq!(tally.passed, 5);
    }

    #[test]
    fn verdict_wants_tests_that_ran_and_passed() {
        let fine = Tally { passed: 3, failed: 0, ignored: 0 };
        assert!(verdict(&fine, true).is_ok());
        assert!(verdict(&fine, false).is_err(), "cargo failed although every counted test passed");
        assert!(verdict(&Tally::default(), true).is_err(), "a filter that matches nothing");
        assert!(verdict(&Tally { failed: 1, ..fine }, false).is_err());
    }

    #[test]
    fn elapsed_reads_as_people_say_it() {
        assert_eq!(Elapsed(Duration::from_millis(8_440)).to_string(), "8.4 s");
        assert_eq!(Elapsed(Duration::from_secs(312)).to_string(), "5 min 12 s");
    }
}
