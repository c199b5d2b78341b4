//! The frame: one step, as a list of stages.

use crate::body::Substep;
use crate::filter::Shortened;
use crate::report::{Stage, StepReport, Stopwatch, Timer};
use crate::state::State;
use crate::{Input, Scratch, World, body, detect, filter, guard, ledger, respond, tools};

/// The most passes that an input may ask for; a recording from elsewhere cannot make a step endless.
pub const SWEEPS_MAX: u32 = 10_000;

/// How often in a substep a response goes on with what the filter has stopped.
const ROUNDS: u32 = 1;

/// Advances a world by one step of `params.dt_s`.
///
/// Cannot fail: trouble is counted in `world.report`. Allocates nothing once the buffers have grown.
/// No stage calls another.
pub fn step(world: &mut World, input: &Input, watch: Stopwatch) {
    let mut timer = Timer::start(watch);
    world.report.clear();
    world.params.tune(&input.tunables);
    world.scratch.tally.begin();
    guard::begin(world, input);
    let World { model, params, state, scratch, report } = world;
    timer.mark(report, Stage::Guard);

    let h = params.dt_s / f64::from(params.substeps.max(1));
    let sweeps = if input.sweeps > 0 { input.sweeps.min(SWEEPS_MAX) } else { params.sweeps };
    let sub = Substep { model, params, h, sweeps };
    report.sweeps = sweeps;
    scratch.begin(model, state);
    tools::lead(model, params, state, &input.hands);
    tools::direct(state, &input.controls);
    timer.mark(report, Stage::Tools);

    for substep in 0..params.substeps.max(1) {
        scratch.substep = substep;
        scratch.start.note(state, report);
        // Once, but where a body runs away: then again with that body standing still.
        let shortened = loop {
            let shortened = advance(&sub, state, scratch, report, &mut timer);
            let is_sound = guard::contain(&sub, state, scratch, report);
            timer.mark(report, Stage::Guard);
            if is_sound {
                break shortened;
            }
        };
        ledger::after_filter(&sub, state, scratch);
        report.truncated += shortened.vertices;
        report.violated += shortened.attachments;
        report.deepest_m = report.deepest_m.min(respond::deepest(&sub, scratch));
        timer.mark(report, Stage::Filter);

        body::finish(&sub, state, scratch);
        timer.mark(report, Stage::Finish);
    }

    guard::tell(state, scratch, report);
    state.tick += 1;
    timer.mark(report, Stage::Guard);
}

/// One substep, up to where it would end.
fn advance(
    sub: &Substep,
    state: &mut State,
    scratch: &mut Scratch,
    report: &mut StepReport,
    timer: &mut Timer,
) -> Shortened {
    body::predict(sub, state, scratch, report);
    timer.mark(report, Stage::Predict);

    guard::look_ahead(sub, scratch);
    timer.mark(report, Stage::Guard);

    detect::find(sub, state, scratch, report);
    timer.mark(report, Stage::Detect);

    respond::answer(sub, state, scratch, report);
    timer.mark(report, Stage::Respond);

    let mut known = false;
    for round in 0.. {
        let mut search = 0;
        while !filter::clip(sub, state, scratch, search) {
            // Where everything goes is known when bodies have descended once; later only what strays from there is new.
            detect::find_again(sub, state, scratch, !std::mem::replace(&mut known, true));
            search += 1;
        }
        timer.mark(report, Stage::Filter);
        if round >= ROUNDS || !respond::would_go_on(sub, state, scratch) {
            break;
        }
        if !std::mem::replace(&mut known, true) {
            detect::find_again(sub, state, scratch, true);
            timer.mark(report, Stage::Detect);
        }
        respond::go_on(sub, state, scratch, report);
        timer.mark(report, Stage::Respond);
    }
    respond::velocities(sub, state, scratch);
    ledger::before_filter(scratch);
    let shortened = filter::take(sub, state, scratch);
    timer.mark(report, Stage::Filter);

    respond::close(sub, state, scratch, report);
    timer.mark(report, Stage::Respond);

    ledger::before_stop(sub, scratch);
    filter::stop(sub, scratch);
    timer.mark(report, Stage::Filter);
    shortened
}
