//! What the quadratic programmes of a session had to say.

use serde_json::{Value, json};
use serosa_sim::Model;
use serosa_sim::respond::qp::{Difficulty, QpReport};

/// Different troubles that are told apart; more are counted with the last.
const TOLD: usize = 16;

/// Sums and extremes over all steps.
#[derive(Debug, Default)]
pub struct Programmes {
    steps: u64,
    rows: [u64; 2],
    passes: [u64; 2],
    rounds: [u64; 2],
    residual: f64,
    /// What went wrong, in how many steps, and when first \[s\].
    pub trouble: Vec<(Difficulty, u64, f64)>,
}

impl Programmes {
    /// Takes in the report of a step that ended at `time_s`.
    pub fn note(&mut self, report: &QpReport, time_s: f64) {
        if report.passes == 0 && report.trouble.is_empty() {
            return;
        }
        self.steps += 1;
        let add = |[sum, most]: &mut [u64; 2], x: u32| {
            (*sum, *most) = (*sum + u64::from(x), (*most).max(u64::from(x)));
        };
        add(&mut self.rows, report.rows);
        add(&mut self.passes, report.passes);
        add(&mut self.rounds, report.rounds);
        self.residual = self.residual.max(report.residual);
        for trouble in &report.trouble {
            let known = self.trouble.iter().position(|(known, ..)| same(known, trouble));
            if known.is_none() && self.trouble.len() < TOLD {
                self.trouble.push((*trouble, 1, time_s));
                continue;
            }
            let last = self.trouble.len() - 1;
            let (worst, count, _) = &mut self.trouble[known.unwrap_or(last)];
            *count += 1;
            if known.is_some() {
                worsen(worst, trouble);
            }
        }
    }

    /// For `--json`; null where there were none.
    pub fn json(&self, model: &Model) -> Value {
        if self.steps == 0 {
            return Value::Null;
        }
        let of = |[sum, most]: [u64; 2]| json!({ "mean": sum as f64 / self.steps as f64, "max": most });
        let trouble = self.trouble.iter().map(
            |(what, count, first_s)| json!({ "what": what.words(model), "steps": count, "first_s": first_s }),
        );
        json!({
            "rows": of(self.rows),
            "passes": of(self.passes),
            "rounds": of(self.rounds),
            "residual_max": self.residual,
            "trouble": trouble.collect::<Vec<_>>(),
        })
    }
}

/// Whether two troubles are about the same.
fn same(a: &Difficulty, b: &Difficulty) -> bool {
    match (a, b) {
        (Difficulty::Infeasible { what: a, .. }, Difficulty::Infeasible { what: b, .. }) => a == b,
        _ => a == b,
    }
}

/// Keeps the larger miss.
fn worsen(known: &mut Difficulty, more: &Difficulty) {
    if let (Difficulty::Infeasible { missing: a, .. }, Difficulty::Infeasible { missing: b, .. }) =
        (known, more)
    {
        *a = a.max(*b);
    }
}
