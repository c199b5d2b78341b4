//! Scenes whose answer is known, beside that answer: what theory says, or what the run without the filter does at the same
//! step. Every row has a value, what it should be, and by how much it may be off.

mod flight;
mod meet;
mod play;
mod press;
mod push;
mod scene;
mod slide;

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{bar, pool};
use serde_json::json;

/// One comparison.
struct Row {
    quantity: &'static str,
    unit: &'static str,
    value: f64,
    expected: f64,
    /// How far the value may be from what is expected.
    allowed: f64,
    /// Of time on this machine: judged only where that was asked for.
    timing: bool,
}

impl Row {
    fn new(quantity: &'static str, unit: &'static str, value: f64, expected: f64, allowed: f64) -> Self {
        Self { quantity, unit, value, expected, allowed, timing: false }
    }

    /// What should be as expected to a share of it.
    fn share(quantity: &'static str, unit: &'static str, value: f64, expected: f64, share: f64) -> Self {
        Self::new(quantity, unit, value, expected, share * expected.abs())
    }

    /// Written so that what is not a number does not hold.
    fn holds(&self) -> bool {
        (self.value - self.expected).abs() <= self.allowed
    }

    fn breaks(&self, strict: bool) -> bool {
        !self.holds() && (strict || !self.timing)
    }
}

/// What a case takes.
type Run = Box<dyn Fn() -> Result<Vec<Row>, Failure> + Send + Sync>;

/// A scene and what is asked of it.
struct Case {
    name: String,
    /// Among the few that take seconds altogether.
    quick: bool,
    run: Run,
}

impl Case {
    fn new(
        name: impl Into<String>,
        quick: bool,
        run: impl Fn() -> Result<Vec<Row>, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), quick, run: Box::new(run) }
    }
}

/// All cases, in the order of the page.
fn cases() -> Vec<Case> {
    [flight::cases(), slide::cases(), push::cases(), meet::cases(), press::cases()]
        .into_iter()
        .flatten()
        .collect()
}

/// Runs all cases, the quick ones, or those whose name holds a word.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let asked = |case: &Case| {
        (!args.quick || case.quick) && args.only.as_ref().is_none_or(|word| case.name.contains(word))
    };
    let cases: Vec<Case> = cases().into_iter().filter(asked).collect();
    if cases.is_empty() {
        return Err(Failure::input(
            "error: no case has such a name\n  help: `serosa bench truth` without --only runs them all",
        ));
    }
    report.text(HEADINGS);
    let (pool, bar) = (pool(1)?, bar(cases.len() as u64, "truth".to_owned(), "cases"));
    let (mut rows, mut broken) = (0, Vec::new());
    for case in cases {
        bar.set_message(case.name.clone());
        let found = pool.install(|| (case.run)())?;
        bar.suspend(|| found.iter().for_each(|row| tell(&case.name, row, args.strict, report)));
        bar.inc(1);
        rows += found.len();
        let wrong = found.iter().filter(|row| row.breaks(args.strict));
        broken.extend(
            wrong.map(|row| format!("{}, {}: {:.4e} {}", case.name, row.quantity, row.value, row.unit)),
        );
    }
    bar.finish_and_clear();
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(format!(
            "{} of {rows} figures are not what they should be:\n{}",
            broken.len(),
            broken.join("\n")
        ))),
    }
}

const HEADINGS: &str = "case                                                     quantity                            value     expected      allowed";

fn tell(case: &str, row: &Row, strict: bool, report: &mut Report) {
    let object = json!({
        "bench": "truth", "case": case, "quantity": row.quantity, "unit": row.unit, "value": row.value,
        "expected": row.expected, "allowed": row.allowed, "ok": row.holds(), "judged": strict || !row.timing,
    });
    let text = format!(
        "{case:<56} {:<28} {:>12.5e} {:>12.5e} {:>12.1e} {}{}",
        row.quantity,
        row.value,
        row.expected,
        row.allowed,
        row.unit,
        match (row.holds(), row.breaks(strict)) {
            (true, _) => "",
            (false, true) => "  WRONG",
            (false, false) => "  slow",
        },
    );
    report.line(&object, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_or_no_number_does_not_hold() {
        assert!(Row::share("way", "m", 1.01, 1.0, 0.02).holds());
        assert!(!Row::share("way", "m", 1.03, 1.0, 0.02).holds());
        assert!(!Row::new("way", "m", f64::NAN, 1.0, 1e9).holds());
        assert!(!Row::new("way", "m", 0.0, f64::NAN, 1e9).holds());
        let slow = Row { timing: true, ..Row::new("time", "", 2.0, 0.0, 1.5) };
        assert!(!slow.breaks(false) && slow.breaks(true));
    }

    #[test]
    fn cases_have_names_of_their_own() {
        let mut names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
