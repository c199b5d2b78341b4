//! A recording played back in the page: every hash compared, any time reached from the keyframe before it.

use crate::command::replay::open;
use serosa_io::recording::Recording;
use serosa_sim::{Hand, Input, World, step};

/// A recording being played.
pub struct Playback {
    /// Of the recording.
    pub name: String,
    /// The world as it is at this time of the recording.
    pub world: World,
    /// First tick whose hash differs.
    pub differs_at: Option<u64>,
    recording: Recording,
    /// (first tick, input) where the input changes.
    inputs: Vec<(u64, Input)>,
    /// Low half of the hash after each tick, from the first.
    hashes: Vec<u32>,
}

impl Playback {
    /// Opens a recording, or says why it cannot be replayed.
    pub fn open(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let recording = Recording::read(bytes).map_err(|e| e.to_string())?;
        let world = open(&recording, None)?;
        let (mut inputs, mut hashes) = (Vec::new(), Vec::new());
        let mut ticks = recording.play();
        while let Some(tick) = ticks.next_tick() {
            if inputs.last().is_none_or(|(_, input)| input != tick.input) {
                inputs.push((tick.tick, tick.input.clone()));
            }
            hashes.push(tick.hash32);
        }
        let mut playback = Self { name: name.to_owned(), world, differs_at: None, recording, inputs, hashes };
        playback.seek(0.0)?;
        Ok(playback)
    }

    /// Its length \[s\].
    pub fn duration_s(&self) -> f64 {
        self.recording.duration_s()
    }

    /// Simulated time since its start \[s\].
    pub fn time_s(&self) -> f64 {
        (self.world.state.tick - self.recording.start_tick()) as f64 * self.world.params.dt_s
    }

    /// Whether the last tick has been taken.
    pub fn ended(&self) -> bool {
        self.world.state.tick >= self.recording.start_tick() + self.hashes.len() as u64
    }

    /// Whether the jaws of a tool were to be closed in the last tick taken.
    pub fn is_closed(&self, tool: usize) -> bool {
        said_at(&self.inputs, self.world.state.tick)
            .and_then(|input| input.hands.get(tool))
            .is_some_and(Hand::grips)
    }

    /// Takes the next tick and compares it.
    pub fn step(&mut self) {
        let tick = self.world.state.tick + 1;
        let Some(input) = said_at(&self.inputs, tick) else { return };
        step(&mut self.world, input, &mut || 0);
        let recorded = self.hashes.get((tick - self.recording.start_tick() - 1) as usize);
        if recorded.is_some_and(|h| *h != self.world.state.hash() as u32) {
            self.differs_at.get_or_insert(tick);
        }
    }

    /// Goes to a time: from the keyframe before it, or from where it is if that is nearer.
    pub fn seek(&mut self, time_s: f64) -> Result<(), String> {
        let (dt, start) = (self.world.params.dt_s, self.recording.start_tick());
        let time_s = if time_s.is_finite() { time_s.clamp(0.0, self.duration_s()) } else { 0.0 };
        let wanted = start + (time_s / dt).round() as u64;
        let (tick, state) =
            self.recording.keyframe_before(wanted).ok_or("the recording holds no keyframe")?;
        let near = (tick..=wanted).contains(&self.world.state.tick) && self.world.state.tick > start;
        if !near {
            if !state.fits(&self.world.model) {
                return Err("a keyframe of the recording does not fit its scene".into());
            }
            self.world.state = state;
            self.world.params.tune(&self.recording.tunables_at(tick).unwrap_or_default());
        }
        while self.world.state.tick < wanted && !self.ended() {
            self.step();
        }
        Ok(())
    }

    /// The scene that was recorded, with its files.
    pub fn scene(&self) -> (&str, &str, &[(String, Vec<u8>)]) {
        (&self.recording.header.scene, &self.recording.header.scene_text, &self.recording.files)
    }
}

/// What the outside said at a tick, from a list of (first tick, input).
fn said_at(inputs: &[(u64, Input)], tick: u64) -> Option<&Input> {
    let at = inputs.partition_point(|(t, _)| *t <= tick);
    at.checked_sub(1).and_then(|i| inputs.get(i)).map(|(_, input)| input)
}
