//! A scene as it is run: stepped by its own script, looked at after each step.

use super::scene::Scene;
use crate::Failure;
use crate::scenes::{self, SceneText};
use crate::session::{Device, Session};
use serosa_sim::model::BodyKind;
use serosa_sim::{BodyId, Vec3, World};

/// A run.
pub(super) struct Play {
    session: Session,
}

impl Play {
    /// The start of a scene.
    pub fn new(scene: &Scene) -> Result<Self, Failure> {
        let text = SceneText::new("truth", scene.text());
        let loaded = scenes::load(&text)?;
        let device = Device::of_scene(&loaded.raw, &loaded.baked.model);
        Ok(Self { session: Session::new(loaded.baked.world(), device) })
    }

    /// The same scene with the filter and without it.
    pub fn pair(scene: &Scene) -> Result<[Self; 2], Failure> {
        Ok([Self::new(scene)?, Self::new(&Scene { filter: false, ..scene.clone() })?])
    }

    /// What is run.
    pub fn world(&self) -> &World {
        &self.session.world
    }

    /// Throws a body.
    pub fn throw(&mut self, body: &str, velocity: Vec3) {
        let b = self.body(body);
        let world = &mut self.session.world;
        let body = &world.model.bodies[b.at()];
        world.state.vel[body.vertex_range()].fill(velocity);
        if let BodyKind::Rigid(r) = body.kind {
            world.state.twist[r.at()].vel = velocity;
        }
    }

    /// Goes on for a time.
    pub fn run(&mut self, seconds: f64, mut look: impl FnMut(&World)) -> Result<(), Failure> {
        let steps = (seconds / self.session.world.params.dt_s).round() as u64;
        for _ in 0..steps {
            self.session.step().map_err(Failure::input)?;
            look(&self.session.world);
        }
        Ok(())
    }

    /// Time of a step on the simulating thread, as the middle one of all had it \[ms\].
    pub fn step_ms(&self) -> f64 {
        self.session.seen.cpu.percentile_ms(0.5)
    }

    /// The body of that name. The names are those of the scenes of this benchmark.
    pub fn body(&self, name: &str) -> BodyId {
        let bodies = &self.session.world.model.bodies;
        BodyId::from(bodies.iter().position(|b| b.name == name).unwrap_or_default())
    }
}

/// Momentum \[N s\] and mass \[kg\] of a body.
pub(super) fn momentum(world: &World, b: BodyId) -> (Vec3, f64) {
    let body = &world.model.bodies[b.at()];
    if let BodyKind::Rigid(r) = body.kind {
        let mass = world.model.rigids[r.at()].mass;
        return (world.state.twist[r.at()].vel * mass, mass);
    }
    let of = |v: usize| (world.state.vel[v] * world.model.mass[v], world.model.mass[v]);
    body.vertex_range().map(of).fold((Vec3::ZERO, 0.0), |(p, m), (q, n)| (p + q, m + n))
}

/// The speed of its centre \[m/s\].
pub(super) fn velocity(world: &World, b: BodyId) -> Vec3 {
    let (momentum, mass) = momentum(world, b);
    momentum / mass
}

/// The centre of mass of a body \[m\].
pub(super) fn center(world: &World, b: BodyId) -> Vec3 {
    let body = &world.model.bodies[b.at()];
    if let BodyKind::Rigid(r) = body.kind {
        return world.state.pose[r.at()].pos;
    }
    let of = |v: usize| (world.state.pos[v] * world.model.mass[v], world.model.mass[v]);
    let (moment, mass) = body.vertex_range().map(of).fold((Vec3::ZERO, 0.0), |(p, m), (q, n)| (p + q, m + n));
    moment / mass
}

/// How far apart two runs of a body are at their farthest, as a share of the way it went in the second.
pub(super) fn apart(worlds: [&World; 2], b: BodyId, from: Vec3) -> f64 {
    let way = (center(worlds[1], b) - from).length();
    let body = &worlds[0].model.bodies[b.at()];
    let places = |k: usize| -> (&[Vec3], usize) {
        match body.kind {
            BodyKind::Rigid(r) => (&[], r.at()),
            _ => (&worlds[k].state.pos[body.vertex_range()], 0),
        }
    };
    let ((first, r), (second, _)) = (places(0), places(1));
    if first.is_empty() {
        return (worlds[0].state.pose[r].pos - worlds[1].state.pose[r].pos).length() / way;
    }
    // A number that is none stays one.
    let farthest = first.iter().zip(second).map(|(p, q)| (*p - *q).length());
    farthest.fold(0.0, |most, d| if d > most || d.is_nan() { d } else { most }) / way
}
