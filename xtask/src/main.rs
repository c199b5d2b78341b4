//! The project's own tasks, started as `cargo xtask COMMAND`.

mod bless;
mod browser;
mod marked;
mod shell;
mod shots;
mod soak;
mod test;
mod tidy;
mod truth;
mod validate;

use std::process::ExitCode;

/// One row of the command table.
struct Task {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const TASKS: &[Task] = &[
    Task {
        name: "test",
        arguments: "[--no-browser] [FILTER...]",
        about: "format, tidy, clippy, build, page, all tests, browser; with a filter, only the tests it names",
        run: test::run,
    },
    Task {
        name: "tidy",
        arguments: "",
        about: "the rules of the house: arrows, sizes, rooms, words, paths, links, licences",
        run: tidy::run,
    },
    Task {
        name: "bless",
        arguments: "[REASON...]",
        about: "lets the tests rewrite their golden files, and shows what changed",
        run: bless::run,
    },
    Task {
        name: "shots",
        arguments: "",
        about: "renders every scene and the page to docs/pictures/ in a browser",
        run: shots::run,
    },
    Task {
        name: "soak",
        arguments: "[STEPS] [SCENE...] [--write]",
        about: "long runs with violent tools, all promises checked; --write puts them into docs/validation.md",
        run: soak::run,
    },
    Task {
        name: "truth",
        arguments: "[--quick]",
        about: "scenes whose answer is known; puts the table into docs/results/truth.md, or shows the quick cases",
        run: truth::run,
    },
    Task {
        name: "validate",
        arguments: "",
        about: "solids beside theory and measured tissue; puts the table into docs/validation.md",
        run: validate::run,
    },
];

/// Exit codes: 0 fine, 1 a check failed, 2 the command itself is not understood.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("help", String::as_str);
    if matches!(name, "help" | "-h" | "--help") {
        print_help();
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("xtask: there is no command `{name}`; run `cargo xtask help` for the list");
        return ExitCode::from(2);
    };
    match (task.run)(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask {name}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("Usage: cargo xtask COMMAND\n");
    for task in TASKS {
        println!("  {:<6} {:<26} {}", task.name, task.arguments, task.about);
    }
}
