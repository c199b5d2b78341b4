//! The gauge: what quality the steps of a run have reached, in numbers and in plain words.

use serde_json::{Value, json};
use serosa_sim::StepReport;

/// What the reports of many steps say about how well they were solved.
#[derive(Clone, Debug, Default)]
pub struct Gauge {
    steps: u64,
    sweeps_sum: u64,
    /// Fewest and most passes of a step.
    sweeps: [u32; 2],
    /// Steps that told a residual, their sum and the largest \[m\].
    residuals: (u64, f64, f64),
    /// Estimates of the error of positions \[m\] and of forces on hands \[N\]: their sums and the largest, of the same steps.
    errors: [(f64, f64); 2],
    /// Deepest overlap left, by the rows' own measure \[m\], positive.
    pub deepest_m: f64,
    /// Steps of vertices shortened by the filter.
    pub truncated: u64,
    /// Attachments that held such a vertex.
    pub violated: u64,
}

impl Gauge {
    /// Takes in a step.
    pub fn note(&mut self, report: &StepReport) {
        let [fewest, most] = if self.steps == 0 { [report.sweeps; 2] } else { self.sweeps };
        self.sweeps = [fewest.min(report.sweeps), most.max(report.sweeps)];
        self.steps += 1;
        self.sweeps_sum += u64::from(report.sweeps);
        if let Some(residual) = report.residual_m {
            let (n, sum, largest) = self.residuals;
            self.residuals = (n + 1, sum + residual, largest.max(residual));
        }
        if let Some(error) = report.error {
            for ((sum, largest), one) in self.errors.iter_mut().zip([error.position_m, error.force_n]) {
                (*sum, *largest) = (*sum + one, largest.max(one));
            }
        }
        self.deepest_m = self.deepest_m.max(-report.deepest_m);
        self.truncated += u64::from(report.truncated);
        self.violated += u64::from(report.violated);
    }

    /// Mean and largest residual \[m\], where any step told one.
    fn residual(&self) -> Option<[f64; 2]> {
        let (n, sum, largest) = self.residuals;
        (n > 0).then(|| [sum / n as f64, largest])
    }

    /// Mean and largest estimate of the errors of positions \[m\] and of forces on hands \[N\], where any step told one.
    fn errors(&self) -> Option<[[f64; 2]; 2]> {
        let n = self.residuals.0;
        (n > 0).then(|| self.errors.map(|(sum, largest)| [sum / n as f64, largest]))
    }

    fn sweeps_mean(&self) -> f64 {
        self.sweeps_sum as f64 / self.steps.max(1) as f64
    }

    /// All of it; `asked` is the scene's own number of passes.
    pub fn json(&self, asked: u32) -> Value {
        let [fewest, most] = self.sweeps;
        let error = |k: usize| self.errors().map(|all| json!({ "mean": all[k][0], "max": all[k][1] }));
        json!({
            "sweeps": { "mean": self.sweeps_mean(), "min": fewest, "max": most, "asked": asked },
            "residual_m": self.residual().map(|[mean, max]| json!({ "mean": mean, "max": max })),
            "error_m": error(0),
            "error_n": error(1),
            "deepest_m": self.deepest_m,
            "truncated": self.truncated,
            "violated": self.violated,
            "words": self.words(asked),
        })
    }

    /// The same in a sentence.
    pub fn words(&self, asked: u32) -> String {
        let mut words = match self.sweeps {
            [fewest, most] if fewest == most && most == asked => format!("all {asked} passes were made"),
            _ => format!("{:.1} of {asked} passes were made on average", self.sweeps_mean()),
        };
        if let Some([mean, max]) = self.residual() {
            let (mean, max) = (1e3 * mean, 1e3 * max);
            words += &format!("; the last one still moved something by {mean:.3} mm, at most {max:.3} mm");
        }
        if let Some([[mm, _], [newtons, _]]) = self.errors() {
            let mm = 1e3 * mm;
            words += &format!(
                "; more would move places by about {mm:.3} mm and change the force on a hand by {newtons:.3} N on average"
            );
        }
        words += match (self.truncated, self.violated) {
            (0, _) => String::new(),
            (steps, 0) => format!("; the filter shortened {steps} steps of vertices"),
            (steps, held) => {
                format!(
                    "; the filter shortened {steps} steps of vertices, at {held} of which something pulled"
                )
            }
        }
        .as_str();
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_sim::report::Estimate;

    #[test]
    fn it_says_what_was_reached() {
        let mut gauge = Gauge::default();
        let full = StepReport { sweeps: 16, ..StepReport::default() };
        gauge.note(&full);
        assert_eq!(gauge.words(16), "all 16 passes were made");
        assert_eq!(gauge.json(16)["residual_m"], Value::Null, "what nobody measured is not zero");
        gauge.note(&StepReport {
            sweeps: 8,
            residual_m: Some(2e-5),
            error: Some(Estimate { position_m: 4e-5, force_n: 0.02 }),
            truncated: 5,
            violated: 2,
            deepest_m: -1e-4,
            ..full
        });
        let words = gauge.words(16);
        assert_eq!(
            words,
            "12.0 of 16 passes were made on average; the last one still moved something by 0.020 mm, at most 0.020 mm; \
             more would move places by about 0.040 mm and change the force on a hand by 0.020 N on average; \
             the filter shortened 5 steps of vertices, at 2 of which something pulled"
        );
        let json = gauge.json(16);
        assert_eq!((&json["sweeps"]["min"], &json["sweeps"]["asked"]), (&json!(8), &json!(16)));
        assert_eq!((&json["violated"], &json["deepest_m"]), (&json!(2), &json!(1e-4)));
    }
}
