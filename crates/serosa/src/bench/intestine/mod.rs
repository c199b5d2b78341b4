//! Table 1 of Raghupathi et al. (2003) run again, and carried on to longer tubes: an isolated tube settles on a plane
//! from a loose helix, and the published stochastic detection, the complete one and all pairs look on.
//!
//! The motion is driven by complete detection; every method is then shown the same predicted positions, on one
//! thread, and its CPU time is taken. The stochastic one gets the fewest random pairs, of a doubling sequence, with
//! which it finds 99 % of the touching pairs of segments in a step on average.

mod film;
mod plot;
mod watch;

use super::Report;
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::{pool, progress};
use film::{Film, STEPS};
use indicatif::ProgressBar;
use serde_json::json;
use serosa_sim::params::Tracker;
use watch::{Pairs, Seen};

/// Segments of the tubes, each with the published times of the stochastic method and of all pairs \[ms\].
const SIZES: [(u32, Option<[f64; 2]>); 7] = [
    (50, Some([10.0, 30.0])),
    (100, Some([17.0, 120.0])),
    (200, Some([27.0, 473.0])),
    (500, None),
    (1000, None),
    (2000, None),
    (5000, None),
];
/// The size of which figures are drawn, as published.
const DRAWN: u32 = 100;
/// All pairs are timed on so many frames of larger tubes: segments for each frame that is left out.
const SPARSE: usize = 100;
/// The promise: complete detection grows at most as n to this power between these sizes.
const GROWTH_MAX: f64 = 1.2;
const GROWTH: [u32; 2] = [500, 5000];
/// The promise: from so many segments on it is no slower than the stochastic one.
const FASTER_FROM: u32 = 200;

/// All methods at one size.
struct Outcome {
    n: u32,
    published: Option<[f64; 2]>,
    /// Mean number of touching pairs of segments in a step.
    contacts: f64,
    complete_ms: f64,
    /// All pairs, and how well the complete method kept up with it.
    all_pairs: Seen,
    /// Numbers of random pairs that were not enough, and the first that was.
    too_few: Vec<u32>,
    tracker: Option<(u32, Seen)>,
    /// Recall with as many random pairs as a scene gets by default.
    recall_by_default: f64,
}

/// Runs all methods at every size and checks what is promised.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let pool = pool(1)?;
    let largest = args.largest.unwrap_or(u32::MAX).max(SIZES[0].0);
    if args.svg.is_some() && largest < DRAWN {
        return Err(Failure::input(format!("error: the figures show {DRAWN} segments; leave --largest out")));
    }
    report.text(HEADINGS);
    let mut outcomes = Vec::new();
    for (n, published) in SIZES.into_iter().filter(|size| size.0 <= largest) {
        let bar = progress(3 * STEPS as u64, &format!("{n} segments"));
        let (film, all, outcome) = pool.install(|| run(n, published, &bar))?;
        bar.finish_and_clear();
        outcome.tell(report);
        if let (Some(folder), DRAWN) = (&args.svg, n) {
            let draws = outcome.tracker.as_ref().map_or(Tracker::default().random_pairs, |t| t.0);
            plot::draw(folder, &film, draws, all.len())?;
        }
        outcomes.push(outcome);
    }
    promises(&outcomes, report)
}

/// One size: the film, what touches in each of its frames, and what all methods made of it.
fn run(
    n: u32,
    published: Option<[f64; 2]>,
    bar: &ProgressBar,
) -> Result<(Film, Vec<Pairs>, Outcome), Failure> {
    let film = film::settle(n, bar)?;
    let (complete_ms, all) = watch::complete(&film, bar);
    let every = (n as usize / SPARSE).max(1);
    let all_pairs = watch::all_pairs(&film, &all, every, bar);
    let (too_few, tracker) = watch::search(&film, &all, bar);
    let (by_default, _) = watch::tracker(&film, &all, Tracker::default().random_pairs, 0.0);
    let contacts = all.iter().map(Vec::len).sum::<usize>() as f64 / all.len() as f64;
    let recall_by_default = by_default.score.recall();
    let outcome =
        Outcome { n, published, contacts, complete_ms, all_pairs, too_few, tracker, recall_by_default };
    Ok((film, all, outcome))
}

const HEADINGS: &str = "A tube settles on a plane: time of one detection, share of the touching pairs found, longest \
                        delay in steps.\n\
                        segments  method      random pairs  ms a step  published  recall  delay  touching";

impl Outcome {
    /// A line for each method.
    fn tell(&self, report: &mut Report) {
        let published = |k: usize| self.published.map(|ms| ms[k]);
        match &self.tracker {
            Some((draws, seen)) => self.line(report, "stochastic", seen, published(0), Some(*draws)),
            None => self.not_reached(report, published(0)),
        }
        let complete = Seen { ms: self.complete_ms, score: self.all_pairs.score.clone() };
        self.line(report, "complete", &complete, None, None);
        let exhaustive = Seen { ms: self.all_pairs.ms, score: watch::Score::default() };
        self.line(report, "all-pairs", &exhaustive, published(1), None);
        let too_few: Vec<String> = self.too_few.iter().map(u32::to_string).collect();
        report.text(&format!(
            "          random pairs that are too few: {}; with {}, the default, recall is {:.3}",
            too_few.join(", "),
            Tracker::default().random_pairs,
            self.recall_by_default
        ));
    }

    /// The stochastic method where no number of random pairs was enough.
    fn not_reached(&self, report: &mut Report, published: Option<f64>) {
        let object = json!({
            "bench": "intestine", "case": "settling", "method": "stochastic", "n": self.n, "ms": null,
            "recall": null, "worst_delay_steps": null, "published_ms": published, "random_pairs": null,
            "contacts": self.contacts, "threads": 1, "too_few_random_pairs": self.too_few,
            "recall_by_default": self.recall_by_default,
        });
        let most = self.too_few.last().unwrap_or(&0);
        let text = format!("{:>8}  stochastic  misses more than it may with {most} random pairs too", self.n);
        report.line(&object, &text);
    }

    fn line(
        &self,
        report: &mut Report,
        method: &str,
        seen: &Seen,
        published: Option<f64>,
        draws: Option<u32>,
    ) {
        let mut object = json!({
            "bench": "intestine", "case": "settling", "method": method, "n": self.n, "ms": seen.ms,
            "recall": seen.score.recall(), "worst_delay_steps": seen.score.worst_delay,
            "published_ms": published, "random_pairs": draws, "contacts": self.contacts, "threads": 1,
        });
        if draws.is_some() {
            object["too_few_random_pairs"] = json!(self.too_few);
            object["recall_by_default"] = json!(self.recall_by_default);
        }
        let or_dash = |v: Option<String>| v.unwrap_or_else(|| "–".to_owned());
        let text = format!(
            "{:>8}  {method:<10}  {:>12}  {:>9.4}  {:>9}  {:>6.4}  {:>5}  {:>8.0}",
            self.n,
            or_dash(draws.map(|d| d.to_string())),
            seen.ms,
            or_dash(published.map(|ms| ms.to_string())),
            seen.score.recall(),
            seen.score.worst_delay,
            self.contacts
        );
        report.line(&object, &text);
    }

    /// What is promised of one size and does not hold.
    fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let recall = self.all_pairs.score.recall();
        if recall != 1.0 {
            broken.push(format!(
                "at {} segments complete detection finds a share of {recall}, not all",
                self.n
            ));
        }
        if let Some((_, seen)) =
            self.tracker.as_ref().filter(|t| self.n >= FASTER_FROM && t.1.ms < self.complete_ms)
        {
            broken.push(format!(
                "at {} segments complete detection takes {:.4} ms, the stochastic one {:.4} ms",
                self.n, self.complete_ms, seen.ms
            ));
        }
        broken
    }
}

/// Fails with everything that is promised and does not hold.
fn promises(outcomes: &[Outcome], report: &mut Report) -> Result<(), Failure> {
    let mut broken: Vec<String> = outcomes.iter().flat_map(Outcome::broken).collect();
    let ms = |n: u32| outcomes.iter().find(|o| o.n == n).map(|o| o.complete_ms);
    let mut said = "complete detection finds all".to_owned();
    if let (Some(small), Some(large)) = (ms(GROWTH[0]), ms(GROWTH[1])) {
        let growth = (large / small).ln() / (f64::from(GROWTH[1]) / f64::from(GROWTH[0])).ln();
        said += &format!("; from {} to {} segments its time grows as n^{growth:.2}", GROWTH[0], GROWTH[1]);
        if growth > GROWTH_MAX {
            broken.push(format!("complete detection grows as n^{growth:.2}, not within n^{GROWTH_MAX}"));
        }
    }
    if !broken.is_empty() {
        return Err(Failure::CheckFailed(broken.join("\n")));
    }
    report.text(&said);
    Ok(())
}
