//! Bodies that ran away in a run: which, when, how often, why, and what became of them.

use serde_json::{Value, json};
use serosa_sim::guard::Fault;
use serosa_sim::{BodyId, World};

/// A body that the guard held.
#[derive(Clone, Debug, PartialEq)]
pub struct Runaway {
    /// Which.
    pub body: BodyId,
    /// Its name.
    pub name: String,
    /// When it first ran away \[s\].
    pub first_s: f64,
    /// When it last did \[s\].
    pub last_s: f64,
    /// How often it did.
    pub times: u32,
    /// Why, the last time.
    pub why: Fault,
    /// Whether it is held still.
    pub is_held: bool,
    /// Whether that is because its shape at rest does not fit anywhere.
    pub stuck: bool,
}

/// Notes what the guard did in the last step of a world.
pub(super) fn note(world: &World, all: &mut Vec<Runaway>) {
    let time = world.state.tick as f64 * world.params.dt_s;
    for body in &world.report.quarantined {
        let Some(why) = world.state.holds[body.at()].why else { continue };
        if let Some(known) = all.iter_mut().find(|r| r.body == *body) {
            (known.last_s, known.times, known.why) = (time, known.times + 1, why);
        } else {
            let (name, times) = (world.model.bodies[body.at()].name.clone(), 1);
            let (first_s, last_s, is_held, stuck) = (time, time, true, false);
            all.push(Runaway { body: *body, name, first_s, last_s, times, why, is_held, stuck });
        }
    }
    for known in all {
        let hold = &world.state.holds[known.body.at()];
        (known.is_held, known.stuck) = (hold.is_held(), hold.stuck);
    }
}

impl Runaway {
    /// As a sentence.
    pub fn words(&self) -> String {
        let Self { name, first_s, last_s, times, why, .. } = self;
        let when = match times {
            1 => format!("at {first_s:.3} s"),
            _ => format!("{times} times, first at {first_s:.3} s, last at {last_s:.3} s"),
        };
        let now = match (self.is_held, self.stuck) {
            (false, _) => "was given back",
            (true, false) => "is held where it last was sound",
            (true, true) => "is held, since its shape at rest does not fit anywhere",
        };
        format!("\"{name}\" {} {when}, and {now}", why.words())
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "body": self.name,
            "why": self.why.words(),
            "times": self.times,
            "first_s": self.first_s,
            "last_s": self.last_s,
            "held": self.is_held,
            "stuck": self.stuck,
        })
    }
}
