//! `StepReport`: what a step saw and did. Trouble is reported here, never thrown and never hidden.

use crate::guard::Fault;
use crate::model::{BodyKind, Model};
use crate::respond::qp::QpReport;
use crate::{BodyId, Real};

/// The stages of the frame, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Inputs to tools.
    Tools,
    /// Free motion.
    Predict,
    /// Contacts found.
    Detect,
    /// Contacts answered.
    Respond,
    /// Steps clipped.
    Filter,
    /// New positions and velocities.
    Finish,
    /// Runaway bodies taken out.
    Guard,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 7] =
        [Self::Tools, Self::Predict, Self::Detect, Self::Respond, Self::Filter, Self::Finish, Self::Guard];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Predict => "predict",
            Self::Detect => "detect",
            Self::Respond => "respond",
            Self::Filter => "filter",
            Self::Finish => "finish",
            Self::Guard => "guard",
        }
    }
}

/// A clock handed in by the caller: nanoseconds since any fixed moment. The core has none of its own, writes
/// the readings into the report and never reads them, so that time cannot change a result.
pub type Stopwatch<'a> = &'a mut dyn FnMut() -> u64;

/// What about a flexible body is too much for linear elasticity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonlinear {
    /// The change of area of a triangle.
    Strain,
    /// The shift of a control element against the others \[m\].
    Stretch,
    /// The turn of a control element against the mean \[rad\].
    Angle,
}

/// Control elements of a flexible body were not moved on: it would have left the range of linear elasticity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal {
    /// The body.
    pub body: BodyId,
    /// The element, counted from the first of the body; none where it is the whole.
    pub element: Option<u32>,
    /// What is too much.
    pub why: Nonlinear,
    /// How much it would be.
    pub value: Real,
    /// The most that is allowed.
    pub limit: Real,
}

impl Refusal {
    /// As a sentence, with what it would have come to.
    pub fn words(&self, model: &Model) -> String {
        let (what, unit, size) = self.unit();
        format!(
            "{}: it would {what} {:.1} {unit}, and linear elasticity is trusted to {:.1} {unit}.",
            self.who(model),
            self.value * size,
            self.limit * size
        )
    }

    /// As a sentence that stays the same for as long as it is stopped.
    pub fn standing(&self, model: &Model) -> String {
        let (what, unit, size) = self.unit();
        format!(
            "{}: farther, it would {what} more than {:.1} {unit}, beyond which linear elasticity is not trusted.",
            self.who(model),
            self.limit * size
        )
    }

    fn who(&self, model: &Model) -> String {
        let body = &model.bodies[self.body.at()];
        let element = match (&body.kind, self.element) {
            (BodyKind::Flexible(own), Some(e)) => own.elements.get(e as usize).map(|e| e.name.as_str()),
            _ => None,
        };
        let who =
            element.map_or("A control element".to_owned(), |name| format!("The control element \"{name}\""));
        format!("{who} of \"{}\" is stopped", body.name)
    }

    /// What is too much, its unit, and how many of it are one of SI.
    fn unit(&self) -> (&'static str, &'static str, Real) {
        match self.why {
            Nonlinear::Strain => ("change the area of a triangle by", "%", 100.0),
            Nonlinear::Stretch => ("be moved against the others by", "mm", 1e3),
            Nonlinear::Angle => ("be turned against the mean by", "°", 180.0 / core::f64::consts::PI),
        }
    }
}

/// An estimate of what more passes would change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Of the vertex that is farthest from there \[m\].
    pub position_m: Real,
    /// Of the force on the hand that is farthest from there \[N\].
    pub force_n: Real,
}

impl Estimate {
    /// After what was estimated earlier in the step: places keep what they lack, the force on a hand is that of its end.
    pub fn after(self, earlier: Self) -> Self {
        Self { position_m: self.position_m.max(earlier.position_m), force_n: self.force_n }
    }
}

/// A body that the guard holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The body.
    pub body: BodyId,
    /// Why.
    pub why: Fault,
    /// How often it ran away, each time soon after the last.
    pub times: u32,
    /// Steps for which it is still held.
    pub left: u32,
    /// Whether it is held on because its shape at rest does not fit anywhere.
    pub stuck: bool,
}

/// The report of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time spent in each stage \[ns\], in the order of [`Stage::ALL`].
    pub stage_ns: [u64; 7],
    /// Rows that answered contacts in the last substep.
    pub contacts: u32,
    /// Most negative gap left by response and filter, by the rows' own measure \[m\]; 0 when nothing overlaps.
    pub deepest_m: Real,
    /// Passes that were made in each substep.
    pub sweeps: u32,
    /// How far the last pass of the response still moved the vertex that it moved farthest \[m\]: what more passes would
    /// go on to mend. None where the response makes its corrections without descending.
    pub residual_m: Option<Real>,
    /// How far the step is from where more passes would take it; none where the response does not descend.
    pub error: Option<Estimate>,
    /// Vertices whose step the filter shortened.
    pub truncated: u32,
    /// Grips, ties and walls that pull at a vertex whose step the filter shortened: they get less than they ask for.
    pub violated: u32,
    /// Bodies that the guard took out of the motion in this step.
    pub quarantined: Vec<BodyId>,
    /// Bodies that it gave back at the start of this step.
    pub released: Vec<BodyId>,
    /// Bodies that it holds at the end of this step, with why and how often.
    pub held: Vec<Held>,
    /// Flexible bodies whose control elements were stopped in this step, and why.
    pub refusals: Vec<Refusal>,
    /// Vertices that slipped out of jaws in this step.
    pub slipped_out: u32,
    /// Buffers that had to grow: normal while a scene warms up, never afterwards.
    pub grown: u32,
    /// What the quadratic programme has to say, where it is the response.
    pub qp: QpReport,
}

impl StepReport {
    pub(crate) fn clear(&mut self) {
        self.stage_ns = [0; 7];
        (self.contacts, self.deepest_m, self.truncated, self.grown) = (0, 0.0, 0, 0);
        (self.slipped_out, self.sweeps, self.violated, self.residual_m) = (0, 0, 0, None);
        self.error = None;
        self.quarantined.clear();
        self.released.clear();
        self.held.clear();
        self.refusals.clear();
        self.qp.clear();
    }

    /// With room for what so many bodies can say, so that trouble allocates nothing.
    pub(crate) fn with_room(bodies: usize) -> Self {
        let (quarantined, released) = (Vec::with_capacity(bodies), Vec::with_capacity(bodies));
        Self { quarantined, released, held: Vec::with_capacity(bodies), ..Self::default() }
    }

    /// What a substep has added so far.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            refusals: self.refusals.len(),
            trouble: self.qp.trouble.len(),
            solved: [self.qp.passes, self.qp.rounds],
            slipped_out: self.slipped_out,
            residual_m: self.residual_m,
            error: self.error,
        }
    }

    /// Forgets what was added since.
    pub(crate) fn back_to(&mut self, mark: &Mark) {
        self.refusals.truncate(mark.refusals);
        self.qp.trouble.truncate(mark.trouble);
        [self.qp.passes, self.qp.rounds] = mark.solved;
        (self.slipped_out, self.residual_m, self.error) = (mark.slipped_out, mark.residual_m, mark.error);
    }
}

/// How far a report had come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    refusals: usize,
    trouble: usize,
    solved: [u32; 2],
    slipped_out: u32,
    residual_m: Option<Real>,
    error: Option<Estimate>,
}

/// Writes the time since the last reading to a stage.
pub(crate) struct Timer<'a> {
    watch: Stopwatch<'a>,
    last: u64,
}

impl<'a> Timer<'a> {
    pub(crate) fn start(watch: Stopwatch<'a>) -> Self {
        let last = watch();
        Self { watch, last }
    }

    pub(crate) fn mark(&mut self, report: &mut StepReport, stage: Stage) {
        let now = (self.watch)();
        report.stage_ns[stage as usize] += now.saturating_sub(self.last);
        self.last = now;
    }
}
