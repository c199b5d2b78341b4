//! The frame: one step, as a list of stages.

use crate::body::Substep;
use crate::report::{Stage, Stopwatch, Timer};
use crate::{Input, World, body, detect, filter, guard, ledger, respond, tools};

/// The most passes that an input may ask for; a recording from elsewhere cannot make a step endless.
pub const SWEEPS_MAX: u32 = 10_000;

/// Advances a world by one step of `params.dt_s`.
///
/// Cannot fail: trouble is counted in `world.report`. Allocates nothing once the buffers have grown.
/// No stage calls another.
pub fn step(world: &mut World, input: &Input, watch: Stopwatch) {
    let World { model, params, state, scratch, report } = world;
    let mut timer = Timer::start(watch);
    report.clear();
    params.tune(&input.tunables);
    let h = params.dt_s / f64::from(params.substeps.max(1));
    let sweeps = if input.sweeps > 0 { input.sweeps.min(SWEEPS_MAX) } else { params.sweeps };
    let sub = Substep { model, params, h, sweeps };
    report.sweeps = sweeps;

    scratch.begin(model, state);
    // A number that is none would pass from body to body before the end of the step.
    guard::check(model, params, state, scratch, report);
    if !report.quarantined.is_empty() {
        scratch.begin(model, state);
    }
    tools::lead(model, params, state, &input.hands);
    tools::direct(state, &input.controls);
    timer.mark(report, Stage::Tools);

    for substep in 0..params.substeps.max(1) {
        scratch.substep = substep;
        body::predict(&sub, state, scratch, report);
        timer.mark(report, Stage::Predict);

        detect::find(&sub, state, scratch, report);
        timer.mark(report, Stage::Detect);

        respond::answer(&sub, state, scratch, report);
        timer.mark(report, Stage::Respond);

        ledger::before_filter(&sub, scratch);
        let shortened = filter::clip(&sub, state, scratch);
        ledger::after_filter(&sub, state, scratch);
        report.truncated += shortened.vertices;
        report.violated += shortened.attachments;
        report.deepest_m = report.deepest_m.min(respond::deepest(scratch));
        timer.mark(report, Stage::Filter);

        body::finish(&sub, state, scratch);
        timer.mark(report, Stage::Finish);
    }

    guard::check(model, params, state, scratch, report);
    state.tick += 1;
    timer.mark(report, Stage::Guard);
}
