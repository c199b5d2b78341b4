//! What a substep changes before it is known to end well.

use crate::report::{Mark, StepReport};
use crate::state::{Controlled, Grip, Kept, Lead, State, Tracked};

/// Where a substep began, to begin it again.
#[derive(Clone, Debug, Default)]
pub struct Start {
    leads: Vec<Lead>,
    controls: Vec<Controlled>,
    grips: Vec<Grip>,
    kept: Vec<Kept>,
    tracked: Vec<Tracked>,
    report: Mark,
    /// How often the substep was begun again.
    pub(super) tries: u32,
    /// One per body: whether its free motion is not sound.
    pub(super) wild: Vec<bool>,
    /// Whether nothing is to move for what is left of the step.
    pub(super) all_stand: bool,
}

impl Start {
    /// Notes it. Positions and velocities are not among it: they are taken over at the end alone.
    pub(crate) fn note(&mut self, state: &State, report: &StepReport) {
        self.leads.clone_from(&state.leads);
        self.controls.clone_from(&state.controls);
        self.grips.clone_from(&state.grips);
        self.kept.clone_from(&state.kept);
        self.tracked.clone_from(&state.tracked);
        self.report = report.mark();
        self.tries = 0;
    }

    /// Goes back to it.
    pub(super) fn restore(&mut self, state: &mut State, report: &mut StepReport) {
        state.leads.clone_from(&self.leads);
        state.controls.clone_from(&self.controls);
        state.grips.clone_from(&self.grips);
        state.kept.clone_from(&self.kept);
        state.tracked.clone_from(&self.tracked);
        report.back_to(&self.report);
        self.tries += 1;
    }
}
