//! Solids beside theory, published reference values and measured tissue: what `docs/validation.md` shows.
//!
//! Every line has a value, what it should be, and by how much it is off. Lines with a bound are checks.

mod beams;
mod cube;
mod curves;
mod mesh;
mod plate;

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use serde_json::json;
use serosa_bake::statics::StaticsError;

/// One comparison.
pub(super) struct Line {
    case: String,
    /// Elements and law.
    method: String,
    /// Elements.
    n: usize,
    quantity: &'static str,
    value: f64,
    reference: f64,
    /// By how much it may be off; none where it only informs.
    bound: Option<f64>,
    /// Whether `bound` and what is off are shares of the reference.
    relative: bool,
}

impl Line {
    /// A comparison relative to its reference.
    fn new(case: impl Into<String>, method: impl Into<String>, n: usize, quantity: &'static str) -> Self {
        let (case, method) = (case.into(), method.into());
        Self { case, method, n, quantity, value: 0.0, reference: 0.0, bound: None, relative: true }
    }

    fn values(self, value: f64, reference: f64) -> Self {
        Self { value, reference, ..self }
    }

    fn within(self, bound: f64) -> Self {
        Self { bound: Some(bound), ..self }
    }

    /// The same, in the unit of the quantity.
    fn absolute(self) -> Self {
        Self { relative: false, ..self }
    }

    fn off(&self) -> f64 {
        let off = self.value - self.reference;
        if self.relative { off / self.reference.abs() } else { off }
    }

    fn holds(&self) -> bool {
        self.bound.is_none_or(|bound| self.off().abs() <= bound)
    }
}

/// (title, what it takes, cases)
type Case = (&'static str, fn() -> Result<Vec<Line>, StaticsError>);

const CASES: &[Case] = &[
    ("patch test", beams::patch),
    ("cantilever", beams::cantilever),
    ("elastica", beams::elastica),
    ("torsion", beams::torsion),
    ("NAFEMS LE10", plate::le10),
    ("NAFEMS GNL5", beams::gnl5),
    ("Truth Cube", cube::truth_cube),
    ("shear of clot and myocardium", curves::shear),
];

/// Runs all cases, or those of one size at most.
pub fn bench(_args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    report.text("case                      method                     elements  quantity                        value      reference        off");
    let mut broken = Vec::new();
    for (name, run) in CASES {
        let bar = crate::command::run::progress(1, name);
        let lines = run().map_err(|fault| Failure::CheckFailed(format!("{name}: {fault}")))?;
        bar.finish_and_clear();
        if lines.is_empty() {
            report.text(&format!("{name}: skipped, its measured data are not here"));
        }
        for line in lines {
            tell(&line, report);
            if !line.holds() {
                broken.push(format!(
                    "{}, {}: {} is off by {:.4}",
                    line.case,
                    line.method,
                    line.quantity,
                    line.off()
                ));
            }
        }
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

fn tell(line: &Line, report: &mut Report) {
    let object = json!({
        "bench": "validation", "case": line.case, "method": line.method, "n": line.n, "quantity": line.quantity,
        "value": line.value, "reference": line.reference, "off": line.off(), "relative": line.relative,
        "bound": line.bound, "holds": line.holds(),
    });
    let off =
        if line.relative { format!("{:+.2} %", 100.0 * line.off()) } else { format!("{:+.3e}", line.off()) };
    let text = format!(
        "{:<25} {:<26} {:>8}  {:<28} {:>12.5e}  {:>12.5e}  {off:>9}{}",
        line.case,
        line.method,
        line.n,
        line.quantity,
        line.value,
        line.reference,
        if line.holds() { "" } else { "  too much" },
    );
    report.line(&object, &text);
}
