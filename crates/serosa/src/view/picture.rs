//! From a world to the frames that pages see, with times averaged over what was stepped between them.

use super::hub::Hub;
use super::replay::Playback;
use crate::session::Session;
use serosa_io::wire::{Contact, Element, Frame, FrameEncoder, Led, Pairs, Quality, STAGES};
use serosa_sim::body::push;
use serosa_sim::detect::{Active, active_pairs};
use serosa_sim::model::{BodyKind, ControlElement, PrimKind};
use serosa_sim::report::Refusal;
use serosa_sim::row::{Row, Side};
use serosa_sim::state::Controlled;
use serosa_sim::{BodyId, StepReport, Vec3, World, probe};
use std::time::Instant;

/// Contacts shown at most; the rest are counted only.
const CONTACTS_MAX: usize = 2000;
/// Pairs shown at most, the nearest; the rest are counted only.
const PAIRS_MAX: usize = 2000;
/// Over this time the rate is measured \[s\].
const RATE_WINDOW: f64 = 0.5;

/// Makes frames.
#[derive(Debug, Default)]
pub struct Picture {
    /// Of the open scene; the first scene has 1.
    pub generation: u32,
    number: u32,
    encoder: FrameEncoder,
    steps: u32,
    stage_ns: [u64; STAGES],
    cpu_ns: u64,
    step_ms: f32,
    stage_ms: [f32; STAGES],
    rate: Rate,
    probes: Vec<f64>,
    active: Vec<Active>,
    /// Points of all skins that solids carry along \[m\].
    skin: Vec<Vec3>,
}

/// How fast simulated time passes, measured over a window.
#[derive(Debug, Default)]
struct Rate {
    since: Option<(Instant, f64)>,
    value: f32,
}

impl Rate {
    fn at(&mut self, time_s: f64) -> f32 {
        let now = Instant::now();
        match self.since {
            Some((start, simulated)) if time_s >= simulated => {
                let wall = now.duration_since(start).as_secs_f64();
                if wall >= RATE_WINDOW {
                    self.value = ((time_s - simulated) / wall) as f32;
                    self.since = Some((now, time_s));
                }
            }
            _ => self.since = Some((now, time_s)),
        }
        self.value
    }
}

impl Picture {
    /// Another scene, or the same from its start.
    pub fn restart(&mut self) {
        self.encoder = FrameEncoder::default();
        self.rate = Rate::default();
        (self.step_ms, self.stage_ms) = (0.0, [0.0; STAGES]);
    }

    /// Time stands still: what was measured before says nothing any more.
    pub fn stand(&mut self) {
        self.rate = Rate::default();
    }

    /// Takes one step of a replay or of a session. False when a replay has ended.
    pub fn step(&mut self, playback: Option<&mut Playback>, session: &mut Session, hub: &Hub) -> bool {
        if let Some(playback) = playback {
            if playback.ended() {
                return false;
            }
            playback.step();
            return true;
        }
        let before = crate::session::clock::thread_cpu_ns();
        if let Err(error) = session.step() {
            hub.notice("warning", format!("The recording has ended: {error}"));
            session.recorder = None;
        }
        if let (Some(before), Some(after)) = (before, crate::session::clock::thread_cpu_ns()) {
            self.cpu_ns += after.saturating_sub(before);
        }
        for (sum, ns) in self.stage_ns.iter_mut().zip(session.world.report.stage_ns) {
            *sum += ns;
        }
        self.steps += 1;
        true
    }

    /// A frame of the world as it is now; `closed` says of each tool whether its jaws are to be closed.
    pub fn frame(&mut self, world: &World, time_s: f64, closed: impl Fn(usize) -> bool) -> Frame {
        self.number += 1;
        let sections = self.sections(world);
        // The tube of a strip comes first among its primitives, its membrane last.
        let tubes = world.model.bodies.iter().filter_map(|b| {
            let last = world.model.prims.get(b.prims.end.checked_sub(1)? as usize)?;
            last.membrane.then(|| world.state.radius[b.prims.start as usize])
        });
        probe::read_all(world, &mut self.probes);
        self.average();
        let state = &world.state;
        let tools = state.leads.iter().enumerate().map(|(i, lead)| Led {
            target: lead.target,
            force: world.scratch.hand_force[i].length(),
            holds: state.grips.iter().any(|g| g.tool.at() == i),
            closed: closed(i),
        });
        Frame {
            generation: self.generation,
            number: self.number,
            time_s,
            tick: state.tick,
            real_time: self.rate.at(time_s),
            step_ms: self.step_ms,
            stage_ms: self.stage_ms,
            contacts: world.report.contacts,
            deepest_mm: (-world.report.deepest_m * 1e3) as f32,
            quality: quality(&world.report),
            sections,
            tubes: tubes.collect(),
            poses: state.pose.clone(),
            tools: tools.collect(),
            elements: elements(world),
            shown: contacts(world),
            pairs: None,
            values: Vec::new(),
            probes: self.probes.clone(),
        }
    }

    /// The points that are drawn of all soft bodies: those of its skin, where a solid carries one, else its vertices.
    fn sections(&mut self, world: &World) -> Vec<(u32, Vec<u8>)> {
        self.skin.clear();
        let mut drawn = Vec::with_capacity(world.model.bodies.len());
        for skin in &world.model.skins {
            let start = self.skin.len();
            self.skin.extend(skin.places(&world.state.pos));
            drawn.push((skin.body.at(), start..self.skin.len()));
        }
        let soft = world.model.bodies.iter().enumerate().filter_map(|(i, b)| match b.kind {
            BodyKind::Springs(_)
            | BodyKind::Band(_)
            | BodyKind::Tissue(_)
            | BodyKind::Solid(_)
            | BodyKind::Flexible(_) => {
                let skin = drawn.iter().find(|(body, _)| *body == i);
                let own = || &world.state.pos[b.vertex_range()];
                Some((i, skin.map_or_else(own, |(_, range)| &self.skin[range.clone()])))
            }
            BodyKind::Rigid(_) => None,
        });
        self.encoder.sections(self.number, soft)
    }

    /// The pairs that the detector follows, for a frame that is to have them. Cost: O(pairs).
    pub fn pairs(&mut self, world: &World) -> Pairs {
        let all = active_pairs(world, PAIRS_MAX, &mut self.active);
        Pairs { shown: self.active.iter().map(|pair| pair.ends).collect(), all: all as u32 }
    }

    /// Means over the steps since the last frame; where there were none, they stay as they are.
    fn average(&mut self) {
        if self.steps > 0 {
            let per_step = |ns: u64| (ns as f64 * 1e-6 / f64::from(self.steps)) as f32;
            (self.step_ms, self.stage_ms) = (per_step(self.cpu_ns), self.stage_ns.map(per_step));
            (self.steps, self.cpu_ns, self.stage_ns) = (0, 0, [0; STAGES]);
        }
    }
}

/// All control elements.
fn elements(world: &World) -> Vec<Element> {
    let all = serosa_sim::body::flexible::elements(&world.model).zip(&world.state.controls);
    let one = |((body, _), control): ((BodyId, &ControlElement), &Controlled)| {
        let BodyKind::Flexible(flexible) = &world.model.bodies[body.at()].kind else { return None };
        let own =
            world.state.controls[flexible.first as usize..].iter().position(|c| std::ptr::eq(c, control))?;
        let stops = |r: &&Refusal| r.body == body && r.element.is_none_or(|e| e as usize == own);
        let stopped = world.report.refusals.iter().find(stops).map_or(0, |r| r.why as u8 + 1);
        let pulls = world.scratch.flexibles[body.at()].reactions.get(own);
        let force = pulls.map_or(0.0, |[force, _]| force.length());
        Some(Element { pose: control.at.pose, scale: control.at.scale, force, stopped })
    };
    all.filter_map(one).collect()
}

fn quality(report: &StepReport) -> Quality {
    Quality {
        sweeps: report.sweeps,
        error_mm: report.error.map(|e| (e.position_m * 1e3) as f32),
        error_n: report.error.map(|e| e.force_n as f32),
        truncated: report.truncated,
        violated: report.violated,
    }
}

/// The contacts that push, at most [`CONTACTS_MAX`].
fn contacts(world: &World) -> Vec<Contact> {
    let h = world.params.dt_s / f64::from(world.params.substeps.max(1));
    let one =
        |row: &Row| Contact { at: touch(world, row), normal: row.normal, force: push(row).length() / h };
    world.scratch.rows.iter().filter(|r| r.lambda > 0.0).take(CONTACTS_MAX).map(one).collect()
}

/// Where a row touches, on the surface of its side A. Rows hold segments and triangles by their cores: the surface is a
/// radius away.
fn touch(world: &World, row: &Row) -> Vec3 {
    let [side, _] = row.sides;
    let held = side.place(&world.state.pos, &world.state.pose);
    match side {
        Side::Face(..) if !matches!(world.model.prims[row.key.a.at()].kind, PrimKind::Triangle(_)) => held,
        Side::Soft(..) | Side::Face(..) => held - row.normal * world.state.radius[row.key.a.at()],
        Side::Rigid(..) => held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_sim::{Input, step};

    /// A thick tube lies on the floor and another, held at both ends, across it.
    const CROSSED: &str = r#"
serosa = 1
title = "Crossed"
[world]
step = "2 ms"
[[body]]
name = "lower"
shape.chain = { from = ["-20 cm", 0, "20.2 mm"], to = ["20 cm", 0, "20.2 mm"], nodes = 12, radius = "2 cm" }
model.springs = { mass = 1, stiffness = "1 kN/m", damping = 1 }
[[body]]
name = "upper"
shape.chain = { from = [0, "-20 cm", "60.5 mm"], to = [0, "20 cm", "60.5 mm"], nodes = 12, radius = "2 cm" }
model.springs = { mass = 1, stiffness = "1 kN/m", damping = 1 }
attach = [{ name = "ends" }]
[[body]]
name = "floor"
shape.plane = {}
model.fixed = {}
"#;

    #[test]
    fn contacts_lie_on_surfaces_not_in_the_axes_of_tubes() {
        let mut world = serosa_io::scene::load(CROSSED, &|_| Err("none".into())).unwrap().baked.world();
        let input = Input::at_rest(&world);
        let (mut on_floor, mut between) = (0, 0);
        for _ in 0..200 {
            step(&mut world, &input, &mut || 0);
            for contact in contacts(&world) {
                if contact.at.z < 0.02 {
                    on_floor += 1;
                    assert!(contact.at.z.abs() < 2e-3, "{contact:?}");
                } else {
                    between += 1;
                    assert!((contact.at.z - 0.04).abs() < 4e-3, "{contact:?}");
                }
            }
        }
        assert!(on_floor > 100 && between > 10, "{on_floor} {between}");
    }
}
