//! Methods that look on: what each sees of a film, how long it takes and how late it is.

use super::film::Film;
use crate::session::clock::thread_cpu_ns;
use indicatif::ProgressBar;
use serosa_sim::detect::{Finder, Search};
use serosa_sim::model::{Model, PrimKind};
use serosa_sim::params::{Detector, Params};
use serosa_sim::state::Tracked;
use serosa_sim::{PrimId, Row};
use std::collections::BTreeMap;
use std::time::Instant;

/// The share of touching pairs that the tracker must find.
pub const RECALL_MIN: f64 = 0.99;
/// Draws in a step that the search begins and ends with.
const DRAWS: [u32; 2] = [10, 1 << 22];

/// Pairs of segments, the first in the high half, sorted.
pub type Pairs = Vec<u64>;

/// How well a method kept up with the exhaustive one, step by step.
#[derive(Clone, Debug, Default)]
pub struct Score {
    steps: u32,
    /// Sum over the steps of the share that was missed.
    missed: f64,
    /// Steps for which each pair that is missed now has been.
    late: BTreeMap<u64, u32>,
    /// The longest of all times.
    pub worst_delay: u32,
}

impl Score {
    /// Takes a step; one in which nothing touches counts for nothing.
    fn add(&mut self, found: &[u64], all: &[u64]) {
        let missing = all.iter().filter(|pair| found.binary_search(pair).is_err());
        self.late = missing.map(|&pair| (pair, self.late.get(&pair).unwrap_or(&0) + 1)).collect();
        self.worst_delay = self.late.values().copied().fold(self.worst_delay, u32::max);
        if !all.is_empty() {
            self.steps += 1;
            self.missed += self.late.len() as f64 / all.len() as f64;
        }
    }

    /// Mean share of the touching pairs that was found in a step.
    pub fn recall(&self) -> f64 {
        1.0 - self.missed / f64::from(self.steps.max(1))
    }
}

/// What a method did.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Mean time of one detection \[ms\].
    pub ms: f64,
    /// How well it kept up.
    pub score: Score,
}

/// One method on a film.
pub struct Watcher<'a> {
    film: &'a Film,
    detector: Detector,
    params: Params,
    finder: Finder,
    rows: Vec<Row>,
    pairs: Pairs,
    born: Instant,
}

impl<'a> Watcher<'a> {
    /// A method that has seen nothing yet; `random_pairs` is for the tracker.
    pub fn new(film: &'a Film, detector: Detector, random_pairs: u32) -> Self {
        let mut params = film.world.params.clone();
        params.tracker.random_pairs = random_pairs;
        let (finder, rows, pairs) = (Finder::default(), Vec::new(), Vec::new());
        Self { film, detector, params, finder, rows, pairs, born: Instant::now() }
    }

    /// Looks at a frame. Returns the time that it took \[ns\]; what touches is in [`Self::pairs`].
    pub fn look(&mut self, frame: usize) -> u64 {
        let model = &self.film.world.model;
        self.finder.tracker.moment = (frame as u64, 0);
        let start = self.now_ns();
        self.finder.rows(
            model,
            &self.params,
            self.detector,
            (self.film.places(frame), Search::Overlap),
            &mut self.rows,
        );
        let ns = self.now_ns() - start;
        self.pairs.clear();
        let own = self.rows.iter().filter(|row| is_segment(model, row.key.a) && is_segment(model, row.key.b));
        self.pairs.extend(own.map(|row| u64::from(row.key.a.0) << 32 | u64::from(row.key.b.0)));
        ns
    }

    /// CPU time of this thread, or wall time where the system does not tell it \[ns\].
    fn now_ns(&self) -> u64 {
        thread_cpu_ns().unwrap_or_else(|| self.born.elapsed().as_nanos() as u64)
    }

    /// Touching pairs of segments in the frame that was looked at last.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// The active pairs of the tracker.
    pub fn active(&self) -> &[Tracked] {
        &self.finder.tracker.active
    }
}

fn is_segment(model: &Model, prim: PrimId) -> bool {
    matches!(model.prims[prim.at()].kind, PrimKind::Segment(_))
}

/// The complete method over the whole film: its mean time \[ms\] and what touches in every frame.
pub fn complete(film: &Film, bar: &ProgressBar) -> (f64, Vec<Pairs>) {
    let mut watcher = Watcher::new(film, Detector::Grid, 0);
    let mut ns = 0;
    let look = |frame| {
        ns += watcher.look(frame);
        bar.inc(1);
        watcher.pairs().clone()
    };
    let all = (0..film.frames.len()).map(look).collect();
    (ns as f64 * 1e-6 / film.frames.len() as f64, all)
}

/// All pairs on every so many frames, the last among them, and how well the complete method kept up there.
pub fn all_pairs(film: &Film, complete: &[Pairs], every: usize, bar: &ProgressBar) -> Seen {
    let mut watcher = Watcher::new(film, Detector::AllPairs, 0);
    let (mut ns, mut looks, mut score) = (0, 0, Score::default());
    for frame in (0..film.frames.len()).rev().step_by(every) {
        ns += watcher.look(frame);
        looks += 1;
        score.add(&complete[frame], watcher.pairs());
        bar.inc(every as u64);
    }
    Seen { ms: ns as f64 * 1e-6 / f64::from(looks.max(1)), score }
}

/// The tracker over the film, up to where it has missed too much to reach a recall; and whether it did reach it.
pub fn tracker(film: &Film, all: &[Pairs], random_pairs: u32, recall_min: f64) -> (Seen, bool) {
    let mut watcher = Watcher::new(film, Detector::Tracker, random_pairs);
    let touching = all.iter().filter(|pairs| !pairs.is_empty()).count();
    let missed_max = (1.0 - recall_min) * touching as f64;
    let (mut ns, mut score) = (0, Score::default());
    for (frame, all) in all.iter().enumerate() {
        ns += watcher.look(frame);
        score.add(watcher.pairs(), all);
        if score.missed > missed_max {
            return (Seen { ms: ns as f64 * 1e-6 / (frame + 1) as f64, score }, false);
        }
    }
    (Seen { ms: ns as f64 * 1e-6 / film.frames.len() as f64, score }, true)
}

/// The tracker with the fewest draws, of a doubling sequence, that reach the recall asked for; and those that do not.
pub fn search(film: &Film, all: &[Pairs], bar: &ProgressBar) -> (Vec<u32>, Option<(u32, Seen)>) {
    let (mut draws, mut failed) = (DRAWS[0], Vec::new());
    while draws <= DRAWS[1] {
        bar.set_message(format!("{draws} random pairs"));
        let (seen, reached) = tracker(film, all, draws, RECALL_MIN);
        if reached {
            return (failed, Some((draws, seen)));
        }
        failed.push(draws);
        draws *= 2;
    }
    (failed, None)
}
