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
        case.task.scene,
        case.task.lead,
        case.task.seed,
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
        "| {} | {} | {} | {} | {} | {} | {} | {:.1e} | {} | {:.0} / {} | {} | {:.0} → {:.0} | {:.2} / {:.2} | {} | {:.2} | {:.0e} | {:.0e} | {} |",
        case.task.scene,
        case.task.lead,
        case.task.seed,
        case.task.steps,
        number(&report["dt_s"]) * 1e3,
        number(&report["audited_steps"]),
        number(&report["missed_contacts"]),
        number(&report["deepest_penetration_m"]),
        number(&report["quarantined"]),
        number(&contacts["mean"]),
        number(&contacts["max"]),
        number(&report["truncated"]),
        number(&report["memory_mb"]["start"]),
        number(&report["memory_mb"]["end"]),
        number(&report["cpu_ms"]["mean"]),
        number(&report["cpu_ms"]["p99"]),
        number(&report["unanswered_contacts"]),
        100.0 * number(&report["ledger"]["energy_gain"]),
        number(&report["ledger"]["momentum_error"]),
        number(&report["ledger"]["spin_error"]),
        number(&report["ledger"]["lost_motion"]),
    )
}

/// Writes results into the page; those of runs that were not made stay.
pub fn write(cases: &[Case], threads: &[(String, bool)]) -> Result<(), String> {
    let before = marked::read(PAGE, "soak")?;
    marked::write(PAGE, "soak", &merged(&before, cases, threads))
}

const PAGE: &str = "docs/validation.md";

fn merged(before: &str, cases: &[Case], threads: &[(String, bool)]) -> String {
    let mut table = String::from(
        "| scene | tools | seed | steps | of, ms | audited | missed | deepest overlap, m | frozen | contacts mean / max | \
         steps of vertices shortened | memory, MB | CPU ms a step, mean / 99 % | unanswered | energy gained, % | \
         momentum unkept | moment unkept | steps shortened for nothing |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let new: Vec<String> = cases.iter().map(row).collect();
    for (scene, lead, seed) in super::runs(&super::SCENES) {
        let of = |line: &&str| line.starts_with(&format!("| {scene} | {lead} | {seed} |"));
        let line = new.iter().map(String::as_str).find(of).or_else(|| before.lines().find(of));
        line.iter().for_each(|line| table += &format!("{line}\n"));
    }
    table.push('\n');
    for scene in super::SCENES {
        let of = |line: &&str| line.starts_with(&format!("{scene}:"));
        let old = before.lines().filter_map(|line| line.strip_prefix("- ")).find(of);
        let line = threads.iter().map(|(line, _)| line.as_str()).find(of).or(old);
        line.iter().for_each(|line| table += &format!("- {line}\n"));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::Task;
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_not_run_stays_and_what_was_run_is_replaced() {
        let before = "| scene |\n| intestine | random:2 | 9 | old\n| intestine | script | 0 | old\n| twist | random:2 | 9 | old\n\n\
                      - twist: old\n- drape: old\n";
        let case = |scene, lead, seed| {
            let task = Task { scene, lead, seed, steps: 5 };
            Case { task, report: json!({"missed_contacts": 0}), broken: Vec::new() }
        };
        let cases = [case("twist", "random:2", 9), case("intestine", "script", 0)];
        let text = merged(before, &cases, &[("twist: new".to_owned(), true)]);
        assert!(text.contains("| intestine | random:2 | 9 | old\n| intestine | script | 0 | 5 |"), "{text}");
        assert!(text.contains("\n| twist | random:2 | 9 | 5 |"), "{text}");
        assert_eq!(text.matches("| twist |").count(), 1, "{text}");
        assert!(text.ends_with("- twist: new\n- drape: old\n"), "{text}");
        // Nothing new changes nothing.
        assert_eq!(merged(&text, &[], &[]), text);
    }
}
