//! A world is stepped along the motion of its tools, on one thread, and every stage timed by the thread's CPU clock.

use crate::session::Device;
use crate::session::clock::thread_cpu_ns;
use serosa_bake::raw::RawScene;
use serosa_sim::{Input, Stage, World, step};
use std::time::Instant;

/// What was seen of one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// In the order of [`Stage::ALL`] \[ms\].
    pub stages: [f64; 7],
    /// Rows.
    pub contacts: u32,
    /// The most negative gap that was left \[m\].
    pub deepest_m: f64,
}

impl Step {
    /// All stages \[ms\].
    pub fn ms(&self) -> f64 {
        self.stages.iter().sum()
    }

    /// One stage \[ms\].
    pub fn stage(&self, stage: Stage) -> f64 {
        self.stages[stage as usize]
    }
}

/// Takes so many steps along the motion that the scene gives its tools; `look` sees the world after each.
pub fn walk(raw: &RawScene, world: &mut World, steps: usize, mut look: impl FnMut(&World)) -> Vec<Step> {
    let (mut device, mut input) = (Device::of_scene(raw, &world.model), Input::at_rest(world));
    let start = Instant::now();
    let mut clock = || thread_cpu_ns().unwrap_or_else(|| start.elapsed().as_nanos() as u64);
    let mut seen = Vec::with_capacity(steps);
    for tick in 0..steps as u64 {
        device.read(tick, world.params.dt_s, &mut input);
        step(world, &input, &mut clock);
        let report = &world.report;
        seen.push(Step {
            stages: report.stage_ns.map(|ns| ns as f64 * 1e-6),
            contacts: report.contacts,
            deepest_m: report.deepest_m,
        });
        look(world);
    }
    seen
}

/// The mean of a quantity of some steps; 0 of none.
pub fn mean<T>(steps: &[T], of: impl Fn(&T) -> f64) -> f64 {
    steps.iter().map(of).sum::<f64>() / steps.len().max(1) as f64
}

/// The time of a step \[ms\] that only one in a hundred exceeds.
pub fn p99<T>(steps: &[T], of: impl Fn(&T) -> f64) -> f64 {
    let mut times: Vec<f64> = steps.iter().map(of).collect();
    times.sort_unstable_by(f64::total_cmp);
    times.get((times.len() * 99 / 100).min(times.len().saturating_sub(1))).copied().unwrap_or(0.0)
}
