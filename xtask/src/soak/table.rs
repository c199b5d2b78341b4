//! The results of a soak, for people.

use super::Case;
use crate::marked;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A case on one line, as it comes.
pub fn line(case: &Case) -> String {
    let report = &case.report;
    let verdict = if case.broken.is_empty() { "fine".to_owned() } else { case.broken.join("; ") };
    format!(
        "{}, {}, seed {}: {} audits, {} missed, overlap {:.1e} m, step {:.2} ms: {verdict}",
        case.scene,
        case.lead,
        case.seed,
        number(&report["audited_steps"]),
        number(&report["missed_contacts"]),
        number(&report["deepest_penetration_m"]),
        number(&report["cpu_ms"]["mean"]),
    )
}

/// A case as a row of the table.
fn row(case: &Case) -> String {
    let report = &case.report;
    let contacts = &report["contacts"];
    format!(
        "| {} | {} | {} | {} | {} | {} | {:.1e} | {} | {:.0} / {} | {:.1} → {:.1} | {:.2} / {:.2} |\n",
        case.scene,
        case.lead,
        case.seed,
        case.minutes,
        number(&report["audited_steps"]),
        number(&report["missed_contacts"]),
        number(&report["deepest_penetration_m"]),
        number(&report["quarantined"]),
        number(&contacts["mean"]),
        number(&contacts["max"]),
        number(&report["memory_mb"]["start"]),
        number(&report["memory_mb"]["end"]),
        number(&report["cpu_ms"]["mean"]),
        number(&report["cpu_ms"]["p99"]),
    )
}

/// Writes the results into the page.
pub fn write(cases: &[Case], threads: &[(String, bool)]) -> Result<(), String> {
    let mut table = String::from(
        "| scene | tools | seed | simulated min | audited steps | missed | deepest overlap, m | frozen | contacts mean / \
         max | memory, MB | CPU ms a step, mean / 99 % |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    cases.iter().for_each(|case| table += &row(case));
    table.push('\n');
    threads.iter().for_each(|(line, _)| table += &format!("- {line}\n"));
    marked::write("docs/validation.md", "soak", &table)
}
