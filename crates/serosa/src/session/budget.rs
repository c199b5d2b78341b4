//! The budget: how many passes a step may make, from how long the last ones took.
//!
//! A step costs what it costs whatever it does, and so much more for each pass; both are measured. The number of
//! passes goes with the input, which is recorded: a replay makes the same passes and needs no clock. The filter always
//! runs, so a short budget never costs penetration. It does not cost truth either: passes do not fall below what the gauge
//! needs for the forces on hands to be right, and where these take longer than the budget, simulated time slows.

use serosa_sim::{Stage, StepReport};

/// How much of the budget is used: the rest is for steps that take longer than those before.
const USE: f64 = 0.9;
/// Steps over which times are averaged.
const MEMORY: f64 = 8.0;
/// A time counts for at most so many times the mean: one hold-up says nothing of the steps to come.
const SURPRISE: f64 = 3.0;
/// Passes rise by at most this share in a step; they fall faster, since being late is felt at once.
const RISE: f64 = 0.05;
/// The number of passes is left alone until another is better by this much.
const HOLD: f64 = 0.75;

/// The most that the force on a hand may be wrong by, as the gauge estimates it, before more passes are made; one less
/// is tried when it was below the second for so many steps.
const WRONG: [f64; 2] = [0.05, 0.01];
const PATIENCE: u32 = 50;

/// Chooses the passes of each step so that it takes no longer than was asked for.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Time of a step that is aimed at \[ns\].
    aim_ns: f64,
    /// The scene's own number of passes: as many as are ever made.
    most: u32,
    /// Time of a step without its passes, and of one pass \[ns\]; none before the first step.
    costs: Option<[f64; 2]>,
    /// As many passes as fit, smoothed.
    fitting: f64,
    sweeps: u32,
    /// Passes that forces need, and for how many steps fewer might have done.
    least: u32,
    calm: u32,
}

impl Budget {
    /// For steps of at most `budget_s` seconds and `most` passes. It begins with all of them.
    pub fn new(budget_s: f64, most: u32) -> Self {
        let most = most.max(1);
        Self {
            aim_ns: USE * budget_s * 1e9,
            most,
            costs: None,
            fitting: f64::from(most),
            sweeps: most,
            least: 1,
            calm: 0,
        }
    }

    /// Passes of the next step, from those that forces need to the scene's own number.
    pub fn sweeps(&self) -> u32 {
        self.sweeps
    }

    /// Takes in how long the last step took \[ns\], how its stages shared that, and by which share of itself the force on a
    /// hand may be wrong.
    pub fn note(&mut self, wall_ns: u64, report: &StepReport, wrong: f64) {
        self.need(report.sweeps, wrong);
        let passes = [Stage::Predict, Stage::Respond].map(|s| report.stage_ns[s as usize]);
        let swept = passes.iter().sum::<u64>().min(wall_ns);
        self.weigh([(wall_ns - swept) as f64, swept as f64 / f64::from(report.sweeps.max(1))]);
    }

    /// Learns how many passes forces need.
    fn need(&mut self, made: u32, wrong: f64) {
        self.calm = if wrong > WRONG[1] { 0 } else { self.calm + 1 };
        if wrong > WRONG[0] && made <= self.least {
            self.least = (self.least + 1).min(self.most);
        } else if wrong > WRONG[0] {
            self.least = made.min(self.most);
        } else if self.calm >= PATIENCE {
            (self.least, self.calm) = ((self.least - 1).max(1), 0);
        }
    }

    fn weigh(&mut self, seen: [f64; 2]) {
        let means = self.costs.unwrap_or(seen);
        let blend = |k: usize| means[k] + (seen[k].min(SURPRISE * means[k] + 1.0) - means[k]) / MEMORY;
        let [fixed, each] = [blend(0), blend(1)];
        self.costs = Some([fixed, each]);
        let fitting = ((self.aim_ns - fixed) / each.max(1.0)).clamp(1.0, f64::from(self.most));
        self.fitting = if fitting < self.fitting {
            0.5 * (fitting + self.fitting)
        } else {
            fitting.min(self.fitting * (1.0 + RISE))
        };
        if (self.fitting - f64::from(self.sweeps)).abs() >= HOLD {
            self.sweeps = self.fitting.round() as u32;
        }
        self.sweeps = self.sweeps.clamp(self.least, self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::device::SplitMix;

    /// A clock that is made up: a step takes `fixed` and `each` for every pass \[ms\].
    fn step(budget: &mut Budget, [fixed, each]: [f64; 2]) -> f64 {
        let ns = |ms: f64| (ms * 1e6) as u64;
        let swept = each * f64::from(budget.sweeps());
        let mut report = StepReport { sweeps: budget.sweeps(), ..StepReport::default() };
        report.stage_ns[Stage::Predict as usize] = ns(0.25 * swept);
        report.stage_ns[Stage::Respond as usize] = ns(0.75 * swept);
        report.stage_ns[Stage::Detect as usize] = ns(fixed);
        budget.note(ns(fixed + swept), &report, 0.0);
        fixed + swept
    }

    #[test]
    fn it_settles_where_a_step_fits_and_stays_there() {
        let mut budget = Budget::new(10e-3, 40);
        assert_eq!(budget.sweeps(), 40, "it begins with what the scene asks for");
        (0..50).for_each(|_| _ = step(&mut budget, [2.0, 0.5]));
        // 9 ms of 10 are used: 2 + 14 × 0.5.
        let settled = budget.sweeps();
        assert_eq!(settled, 14);
        for _ in 0..1000 {
            assert!(step(&mut budget, [2.0, 0.5]) <= 10.0);
            assert_eq!(budget.sweeps(), settled, "nothing has changed, and it does not hunt");
        }
    }

    #[test]
    fn noise_neither_drives_it_about_nor_one_hold_up_down() {
        let (mut budget, mut random) = (Budget::new(10e-3, 40), SplitMix(3));
        let (mut changes, mut last, mut sum) = (0, 0, 0.0);
        for i in 0..2000 {
            let wobble = 0.9 + 0.2 * random.unit();
            let spent = step(&mut budget, [2.0 * wobble, 0.5 * wobble]);
            if i >= 100 {
                (changes, sum) = (changes + u32::from(budget.sweeps() != last), sum + spent);
                assert!((12..=16).contains(&budget.sweeps()), "{}", budget.sweeps());
            }
            last = budget.sweeps();
        }
        assert!(changes < 200, "{changes} changes in 1900 steps");
        assert!((sum / 1900.0 - 9.0).abs() < 0.5, "{}", sum / 1900.0);
        step(&mut budget, [400.0, 0.5]);
        assert!(budget.sweeps() >= 8, "one page fault: {}", budget.sweeps());
    }

    #[test]
    fn it_follows_load_that_comes_and_goes() {
        let mut budget = Budget::new(10e-3, 40);
        (0..100).for_each(|_| _ = step(&mut budget, [2.0, 0.25]));
        let calm = budget.sweeps();
        (0..40).for_each(|_| _ = step(&mut budget, [5.0, 1.0]));
        let busy = budget.sweeps();
        assert!((27..=29).contains(&calm) && (3..=5).contains(&busy), "{calm} {busy}");
        (0..100).for_each(|_| _ = step(&mut budget, [2.0, 0.25]));
        assert_eq!(budget.sweeps(), calm);
    }

    #[test]
    fn it_is_bounded_whatever_the_clock_says() {
        let mut late = Budget::new(1e-5, 40);
        (0..100).for_each(|_| _ = step(&mut late, [50.0, 5.0]));
        assert_eq!(late.sweeps(), 1, "a budget that cannot be met still moves");
        let mut rich = Budget::new(1.0, 7);
        (0..100).for_each(|_| _ = step(&mut rich, [0.0, 0.0]));
        assert_eq!(rich.sweeps(), 7, "never more than the scene asks for");
        let mut random = SplitMix(9);
        for _ in 0..10_000 {
            let report = StepReport {
                sweeps: random.bits() as u32,
                stage_ns: [random.bits() >> 3; 7],
                ..Default::default()
            };
            rich.note(random.bits(), &report, random.unit());
            assert!((1..=7).contains(&rich.sweeps()));
        }
    }

    #[test]
    fn forces_keep_their_passes_whatever_the_clock_says() {
        let mut budget = Budget::new(1e-5, 40);
        let report = |budget: &Budget| StepReport { sweeps: budget.sweeps(), ..StepReport::default() };
        // Seven passes are needed for five per cent.
        let wrong = |sweeps: u32| 0.35 / f64::from(sweeps);
        for i in 0..500 {
            let now = report(&budget);
            budget.note(1_000_000, &now, wrong(now.sweeps));
            assert!(i < 50 || (6..=7).contains(&budget.sweeps()), "{i}: {}", budget.sweeps());
        }
        // The hand lets go.
        for _ in 0..500 {
            let now = report(&budget);
            budget.note(1_000_000, &now, 0.0);
        }
        assert_eq!(budget.sweeps(), 1);
    }
}
