//! `cargo xtask truth [--quick]`: scenes whose answer is known, put into docs/results/truth.md.

use crate::{marked, shell};
use serde_json::Value;

const PAGE: &str = "docs/results/truth.md";

/// Runs the cases, writes them into the page (the quick ones alone are only shown), and fails where one is not as it should
/// be.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let quick = match arguments {
        [] => false,
        [word] if word == "--quick" => true,
        _ => return Err("write `cargo xtask truth` or `cargo xtask truth --quick`".to_owned()),
    };
    let program = shell::program()?;
    println!("{}", if quick { "this takes seconds" } else { "this takes some minutes" });
    let mut words = vec!["bench", "truth", "--json"];
    words.extend(quick.then_some("--quick"));
    // What fails is told as well: the page shows it.
    let output = shell::command(&program, &words).output().map_err(|e| shell::cannot_start(&program, &e))?;
    let told = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if lines.is_empty() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let table = table(&lines);
    println!("{table}");
    if !quick {
        marked::write(PAGE, "truth", &table)?;
    }
    let wrong = lines.iter().filter(|line| !holds(line)).count();
    if wrong == 0 {
        Ok(())
    } else {
        Err(format!("{wrong} of {} figures are not what they should be", lines.len()))
    }
}

/// Whether a figure is as it should be, or is not judged.
fn holds(line: &Value) -> bool {
    line["ok"] == true || line["judged"] == false
}

fn table(lines: &[Value]) -> String {
    let right = lines.iter().filter(|line| holds(line)).count();
    let mut table = format!(
        "{right} of {} figures are as they should be.\n\n\
         | case | quantity | value | expected | allowed | |\n|---|---|---:|---:|---:|---|\n",
        lines.len()
    );
    lines.iter().for_each(|line| table += &row(line));
    table
}

fn row(line: &Value) -> String {
    let word = |key: &str| line[key].as_str().unwrap_or("");
    let figure = |key: &str| number(line[key].as_f64().unwrap_or(f64::NAN));
    let unit = if word("unit").is_empty() { String::new() } else { format!(", {}", word("unit")) };
    let verdict = match (line["ok"] == true, holds(line)) {
        (true, _) => "",
        (false, true) => "slow",
        (false, false) => "**wrong**",
    };
    format!(
        "| {} | {}{unit} | {} | {} | {} | {verdict} |\n",
        word("case"),
        word("quantity"),
        figure("value"),
        figure("expected"),
        figure("allowed"),
    )
}

/// Four digits, or as a power where that would be none.
fn number(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_said_and_what_is_not_judged_does_not_count() {
        let line = |ok: bool, judged: bool| {
            json!({"case": "a", "quantity": "way", "unit": "m", "value": 0.5, "expected": 1, "allowed": 1e-9, "ok": ok,
                   "judged": judged})
        };
        assert_eq!(row(&line(true, true)), "| a | way, m | 0.5000 | 1.0000 | 1.00e-9 |  |\n");
        assert!(row(&line(false, true)).contains("**wrong**"));
        assert!(row(&line(false, false)).contains("slow"));
        let all = [line(true, true), line(false, true), line(false, false)];
        assert!(table(&all).starts_with("2 of 3 figures"), "{}", table(&all));
    }
}
