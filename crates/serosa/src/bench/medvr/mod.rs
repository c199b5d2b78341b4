//! Figures 5.1 and 5.2 of the MedVR thesis (Pavithran 2008) run again: how long detection and response take, step by
//! step, while two soft organs are pressed into one another and let go. The scene is `kidney-press`.
//!
//! The thesis names its mean times but not its meshes. Beside the step's own stages, its cascade of cells, our search for
//! intersecting triangles and all pairs are shown the same places, and must find the same.

mod plot;
mod watch;

use super::Report;
use super::walk::{Step, mean, p99, walk};
use crate::Failure;
use crate::cli::BenchArgs;
use crate::command::run::pool;
use crate::scenes::{self, SceneText};
use serde_json::json;
use serosa_io::scene::Loaded;
use serosa_sim::{Stage, World};
use watch::{METHODS, Watcher};

/// The scene, and what its organs are made of as it stands.
const SCENE: &str = "kidney-press";
const AS_WRITTEN: &str = "vertices = 1000";
/// Triangles of an organ as the scene has it, and in the larger case.
const PLAIN: usize = 1996;
const LARGE: usize = 10_000;
/// Simulated time of the motion \[s\].
const SECONDS: f64 = 7.0;
/// Every so many steps the methods are shown the places, and all pairs are looked at, of the smaller organs alone.
const EVERY: usize = 4;
const BRUTE_EVERY: usize = 40;
/// Mean times of the thesis \[ms\]: detection and response together, response alone.
const PUBLISHED: [f64; 2] = [2.303, 1.884];
/// The promise for two organs of [`LARGE`] triangles: detection and response \[ms\].
const MS_MAX: f64 = 2.0;

/// Runs the motion at both sizes.
pub fn bench(args: &BenchArgs, report: &mut Report) -> Result<(), Failure> {
    let pool = pool(1)?;
    let largest = args.largest.map_or(usize::MAX, |n| n as usize);
    if args.svg.is_some() && largest < PLAIN {
        return Err(Failure::input(format!(
            "error: the figures show {PLAIN} triangles; leave --largest out"
        )));
    }
    report.text(HEADINGS);
    let plain = pool.install(|| run("pressing", PLAIN.min(largest)))?;
    plain.tell(report);
    if let Some(folder) = &args.svg {
        plot::draw(folder, &plain)?;
    }
    let mut broken = plain.broken(false);
    if largest >= LARGE {
        let large = pool.install(|| run("organs-10000", LARGE))?;
        large.tell(report);
        broken.extend(large.broken(args.strict));
    }
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::CheckFailed(broken.join("\n"))),
    }
}

/// The motion at one size.
struct Outcome {
    case: &'static str,
    /// Triangles of an organ.
    triangles: usize,
    dt_s: f64,
    steps: Vec<Step>,
    watcher: Watcher,
    frozen: bool,
}

fn run(case: &'static str, triangles: usize) -> Result<Outcome, Failure> {
    let Loaded { raw, baked, .. } = organs(triangles)?;
    let mut world: World = baked.world();
    let mut watcher = Watcher::new(&world);
    let dt_s = world.params.dt_s;
    let steps = (SECONDS / dt_s).round() as usize;
    let (mut tick, mut frozen) = (0, false);
    let steps = walk(&raw, &mut world, steps, |world| {
        frozen |= !world.report.quarantined.is_empty();
        if tick % EVERY == 0 {
            watcher.look(world, tick, triangles <= PLAIN && tick % BRUTE_EVERY == 0);
        }
        tick += 1;
    });
    let triangles = world.model.shells[0].triangles.len();
    Ok(Outcome { case, triangles, dt_s, steps, watcher, frozen })
}

/// The scene with organs of so many triangles; a closed surface has half as many vertices, and two.
fn organs(triangles: usize) -> Result<Loaded, Failure> {
    let scene = scenes::find(SCENE)?;
    let text = scene.text.replace(AS_WRITTEN, &format!("vertices = {}", triangles / 2 + 2));
    scenes::load(&SceneText { text, ..scene })
}

const HEADINGS: &str = "Two organs are pressed into one another and let go: mean time of a step in contact, one thread, CPU \
                        time.\n\
                        triangles  method           ms     p99  published  detection  response  free motion  contacts";

impl Outcome {
    /// The steps in which something touched.
    fn touching(&self) -> Vec<Step> {
        self.steps.iter().filter(|s| s.contacts > 0).copied().collect()
    }

    /// A line for the step, and one for each way to find the triangles that intersect.
    fn tell(&self, report: &mut Report) {
        let (touching, n, case) = (self.touching(), self.triangles, self.case);
        let stage = |stage: Stage| mean(&touching, |s| s.stage(stage));
        let (ms, ms_p99) = (mean(&touching, both), p99(&touching, both));
        let contacts = mean(&touching, |s| f64::from(s.contacts));
        let [detect, respond, free] = [Stage::Detect, Stage::Respond, Stage::Predict].map(stage);
        let plain = case == "pressing";
        let published = PUBLISHED.map(|ms| plain.then_some(ms));
        let object = json!({
            "bench": "medvr", "case": case, "method": "default", "n": n, "ms": ms, "ms_p99": ms_p99,
            "published_ms": published[0], "published_response_ms": published[1], "detect_ms": detect,
            "respond_ms": respond, "free_motion_ms": free, "step_ms": mean(&touching, Step::ms),
            "contacts": contacts, "contacts_max": self.steps.iter().map(|s| s.contacts).max(),
            "steps": touching.len(), "deepest_left_m": self.left(), "dt_s": self.dt_s, "threads": 1,
        });
        let shown = if plain { PUBLISHED[0].to_string() } else { "–".to_owned() };
        report.line(&object, &format!(
            "{n:>9}  step       {ms:>8.3} {ms_p99:>7.3}  {shown:>9}  {detect:>9.3}  {respond:>8.3}  {free:>11.3}  {contacts:>8.0}"
        ));
        let shown = METHODS.iter().zip(&self.watcher.seen).filter(|(_, seen)| !seen.frames.is_empty());
        for (method, seen) in shown {
            let (ms, pairs) = (seen.mean_ms(), seen.mean_pairs());
            let object = json!({
                "bench": "medvr", "case": format!("{case} pairs"), "method": method, "n": n, "ms": ms,
                "published_ms": plain.then_some(PUBLISHED[0] - PUBLISHED[1]), "pairs": pairs,
                "frames": seen.frames.len(), "same_pairs": self.watcher.differing == 0, "threads": 1,
            });
            let text =
                format!("{n:>9}  {method:<9}  {ms:>8.3}  triangles that intersect alone: {pairs:.0} pairs");
            report.line(&object, &text);
        }
    }

    /// The deepest overlap that the response left \[m\].
    fn left(&self) -> f64 {
        self.steps.iter().map(|s| -s.deepest_m).fold(0.0, f64::max)
    }

    /// What is promised and does not hold; times only if asked, since machines differ.
    fn broken(&self, strict: bool) -> Vec<String> {
        let (mut broken, touching) = (Vec::new(), self.touching());
        let case = self.case;
        if self.frozen || touching.is_empty() {
            broken.push(format!("{case}: an organ ran away, or nothing touched"));
        }
        if self.watcher.differing > 0 {
            let count = self.watcher.differing;
            broken.push(format!("{case}: in {count} frames the methods found other triangles"));
        }
        let ms = mean(&touching, both);
        if strict && ms > MS_MAX {
            broken.push(format!("{case}: detection and response take {ms:.2} ms, not within {MS_MAX}"));
        }
        broken
    }
}

/// Detection and response \[ms\].
fn both(step: &Step) -> f64 {
    step.stage(Stage::Detect) + step.stage(Stage::Respond)
}
