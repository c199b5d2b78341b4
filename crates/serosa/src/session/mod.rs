//! A session: the world, what leads its tools, and what watches it.

pub mod budget;
pub mod checks;
pub mod clock;
pub mod control;
pub mod device;
pub mod gauge;
pub mod memory;
pub mod programme;
pub mod recorder;
pub mod runaway;
pub mod times;

use budget::Budget;
use gauge::Gauge;
use runaway::Runaway;
use serosa_sim::audit::{Audit, Auditor};
use serosa_sim::ledger::Ledger;
use serosa_sim::report::Refusal;
use serosa_sim::{BodyId, Control, Hand, Input, World, step};
use std::collections::VecDeque;
use std::time::Instant;
use times::Times;

pub use device::Device;
pub use recorder::Recorder;

/// What a hand hardly feels \[N\].
const FELT_N: f64 = 0.1;

/// A world being run: every step takes its input from a device and is recorded, audited and timed.
pub struct Session {
    /// What is simulated.
    pub world: World,
    /// What leads the tools.
    pub device: Device,
    /// Writes every input and hash, if asked.
    pub recorder: Option<Recorder>,
    /// Chooses the passes of each step from measured times, if asked; otherwise they are the scene's own.
    pub budget: Option<Budget>,
    /// Checks every so many steps, if asked.
    pub audit_every: Option<u64>,
    /// What has been seen so far.
    pub seen: Seen,
    /// Hands that someone leads by hand, one per tool: they outrank the device.
    pub led: Vec<Option<Hand>>,
    /// Control elements that someone moves by hand, one for each: they outrank the device.
    pub moved: Vec<Option<Control>>,
    /// Energy and momentum, kept in every step of a session that is audited.
    pub ledger: Ledger,
    /// What the outside says in the next step.
    pub input: Input,
    /// Bodies that someone asks to be given back, one in a step.
    releases: VecDeque<BodyId>,
    auditor: Auditor,
    start: Instant,
}

/// What a session has seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// Wall time of each step.
    pub wall: Times,
    /// CPU time of each step on the simulating thread, where the system tells it.
    pub cpu: Times,
    /// Sum over steps of the time of each stage \[ns\].
    pub stage_ns: [u64; 7],
    /// Sum of contacts over steps.
    pub contacts_sum: u64,
    /// Most contacts in one step.
    pub contacts_max: u32,
    /// How well the steps were solved.
    pub gauge: Gauge,
    /// Flexible bodies whose control elements were stopped: body, element and why, each once with the first time \[s\].
    pub refusals: Vec<(Refusal, f64)>,
    /// The bodies that the guard held, in the order in which they first ran away.
    pub quarantined: Vec<Runaway>,
    /// Steps audited.
    pub audits: u64,
    /// Contacts missed in audited steps.
    pub missed: u64,
    /// Pairs that came too near with nothing to stand for them, in audited steps.
    pub unanswered: u64,
    /// Deepest overlap in audited steps \[m\].
    pub deepest_m: f64,
    /// What quadratic programmes said, where they are the response.
    pub programmes: programme::Programmes,
    /// Resident memory after a tenth of the steps and at the end \[MB\], where the system tells it.
    pub memory_mb: [Option<f64>; 2],
}

impl Session {
    /// A session at the start of a world.
    pub fn new(world: World, device: Device) -> Self {
        Self {
            led: vec![None; world.model.tools.len()],
            moved: vec![None; world.state.controls.len()],
            ledger: Ledger::default(),
            input: Input::at_rest(&world),
            releases: VecDeque::new(),
            world,
            device,
            recorder: None,
            budget: None,
            audit_every: None,
            seen: Seen::default(),
            auditor: Auditor::default(),
            start: Instant::now(),
        }
    }

    /// By which share of itself the force on a hand may be wrong, as the gauge estimates it; forces that nobody feels count
    /// as [`FELT_N`].
    fn wrong(&self) -> f64 {
        let error = self.world.report.error.map_or(0.0, |e| e.force_n);
        let largest = self.world.scratch.hand_force.iter().map(|f| f.length()).fold(FELT_N, f64::max);
        error / largest
    }

    /// Simulated time \[s\].
    pub fn time_s(&self) -> f64 {
        self.world.state.tick as f64 * self.world.params.dt_s
    }

    /// Whether the jaws of a tool are to be closed: as the hand that leads it says, or else as in the last step.
    pub fn is_closed(&self, tool: usize) -> bool {
        let led = self.led.get(tool).copied().flatten();
        led.as_ref().or(self.input.hands.get(tool)).is_some_and(Hand::grips)
    }

    /// Gives a body back in the next step, or in one of the next where several are asked for.
    pub fn give_back(&mut self, body: BodyId) {
        if body.at() < self.world.model.bodies.len() && !self.releases.contains(&body) {
            self.releases.push_back(body);
        }
    }

    /// One step. Fails only where the recording cannot be written.
    pub fn step(&mut self) -> Result<(), serosa_io::recording::RecordError> {
        self.device.read(self.world.state.tick, self.world.params.dt_s, &mut self.input);
        for (hand, led) in self.input.hands.iter_mut().zip(&self.led) {
            *hand = led.unwrap_or(*hand);
        }
        for (control, moved) in self.input.controls.iter_mut().zip(&self.moved) {
            *control = moved.unwrap_or(*control);
        }
        self.input.release = self.releases.pop_front();
        if let Some(budget) = &self.budget {
            self.input.sweeps = budget.sweeps();
        }
        if self.audit_every.is_some() {
            self.ledger.begin(&mut self.world, &self.input);
        }
        let (wall, cpu) = (Instant::now(), clock::thread_cpu_ns());
        let start = self.start;
        step(&mut self.world, &self.input, &mut || start.elapsed().as_nanos() as u64);
        let wall_ns = wall.elapsed().as_nanos() as u64;
        self.seen.wall.push(wall_ns);
        let wrong = self.wrong();
        if let Some(budget) = &mut self.budget {
            budget.note(wall_ns, &self.world.report, wrong);
        }
        if let (Some(before), Some(after)) = (cpu, clock::thread_cpu_ns()) {
            self.seen.cpu.push(after.saturating_sub(before));
        }
        self.note_report();
        if self.audit_every.is_some() {
            self.ledger.end(&self.world);
        }
        if self.audit_every.is_some_and(|n| self.world.state.tick.is_multiple_of(n.max(1))) {
            self.audit();
        }
        match &mut self.recorder {
            Some(recorder) => recorder.tick(&self.input, &self.world),
            None => Ok(()),
        }
    }

    fn audit(&mut self) {
        let Audit { missed, unanswered, deepest_m } = self.auditor.check(&self.world);
        self.seen.audits += 1;
        self.seen.missed += u64::from(missed);
        self.seen.unanswered += u64::from(unanswered);
        self.seen.deepest_m = self.seen.deepest_m.max(deepest_m);
    }

    /// Audits the last of `steps` steps, if audits were asked for and none fell on it.
    pub fn audit_now(&mut self, steps: u64) {
        if steps > 0 && self.audit_every.is_some_and(|n| !self.world.state.tick.is_multiple_of(n.max(1))) {
            self.audit();
        }
    }

    fn note_report(&mut self) {
        let (report, seen) = (&self.world.report, &mut self.seen);
        for (sum, ns) in seen.stage_ns.iter_mut().zip(report.stage_ns) {
            *sum += ns;
        }
        seen.contacts_sum += u64::from(report.contacts);
        seen.contacts_max = seen.contacts_max.max(report.contacts);
        seen.programmes.note(&report.qp, self.world.state.tick as f64 * self.world.params.dt_s);
        seen.gauge.note(report);
        for refusal in &report.refusals {
            let same = |(r, _): &(Refusal, f64)| {
                (r.body, r.element, r.why) == (refusal.body, refusal.element, refusal.why)
            };
            if !seen.refusals.iter().any(same) {
                seen.refusals.push((*refusal, self.world.state.tick as f64 * self.world.params.dt_s));
            }
        }
        runaway::note(&self.world, &mut seen.quarantined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::replay;
    use crate::scenes;
    use serosa_io::recording::Recording;

    /// The clock of this machine decides how many passes each step makes, and the recording says it.
    #[test]
    fn a_run_with_a_budget_replays_to_the_same_bits() {
        let scene = scenes::find("membrane-poke").unwrap();
        let loaded = scenes::load(&scene).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mcap");
        let mut session =
            Session::new(loaded.baked.world(), Device::of_scene(&loaded.raw, &loaded.baked.model));
        session.recorder = Some(Recorder::begin(&path, &scene, &loaded, &session.world, 0).unwrap());
        let own = session.world.params.sweeps;
        // Too little, plenty, and what may be enough.
        for budget_s in [1e-6, 1.0, 0.3e-3] {
            session.budget = Some(Budget::new(budget_s, own));
            (0..200).for_each(|_| session.step().unwrap());
        }
        assert_eq!(session.seen.gauge.json(own)["sweeps"]["min"], 1);
        assert_eq!(session.seen.gauge.json(own)["sweeps"]["max"], own);
        session.recorder.take().unwrap().finish().unwrap();
        let recording = Recording::read(&std::fs::read(&path).unwrap()).unwrap();
        let world = replay::open(&recording, None).unwrap();
        let again = replay::compare(&recording, world, (0.0, None), 2).unwrap();
        assert_eq!((again.first_difference, again.to), (None, 600));
        assert_eq!(again.world.state, session.world.state);
    }
}
