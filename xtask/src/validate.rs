//! `cargo xtask validate`: solids beside theory and measurement, put into docs/validation.md.

use crate::{marked, shell};
use serde_json::Value;

/// Runs the comparisons, prints them, writes them into the page, and fails where one is off by too much.
pub fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(more) = arguments.first() {
        return Err(format!("`{more}` is not expected; write `cargo xtask validate`"));
    }
    let program = shell::program()?;
    println!("this takes some minutes");
    let told = shell::capture(&program, &["bench", "validation", "--json"])?;
    let lines: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut table = String::from(
        "| case | elements and law | elements | quantity | value | reference | off | allowed |\n\
         |---|---|---:|---|---:|---:|---:|---:|\n",
    );
    lines.iter().for_each(|line| table += &row(line));
    println!("{table}");
    marked::write("docs/validation.md", "solids", &table)?;
    let broken: Vec<String> = lines.iter().filter(|l| l["holds"] == false).map(row).collect();
    if broken.is_empty() { Ok(()) } else { Err(format!("off by too much:\n{}", broken.concat())) }
}

fn row(line: &Value) -> String {
    let word = |key: &str| line[key].as_str().unwrap_or("").to_owned();
    let relative = line["relative"] == true;
    let share = |value: &Value| match (value.as_f64(), relative) {
        (None, _) => String::new(),
        (Some(v), true) => format!("{:.2} %", 100.0 * v),
        (Some(v), false) => number(v),
    };
    let count = line["n"].as_u64().filter(|n| *n > 0).map_or(String::new(), |n| n.to_string());
    format!(
        "| {} | {} | {count} | {} | {} | {} | {} | {} |\n",
        word("case"),
        word("method"),
        word("quantity"),
        number(line["value"].as_f64().unwrap_or(f64::NAN)),
        number(line["reference"].as_f64().unwrap_or(f64::NAN)),
        share(&line["off"]),
        share(&line["bound"]),
    )
}

/// Four digits, or as a power where that would be none.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}
