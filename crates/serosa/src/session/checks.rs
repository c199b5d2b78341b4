//! What an audit asks of a run, and what it lets pass: the one table of limits.

use super::Session;
use serde_json::{Value, json};
use serosa_sim::model::BodyKind;
use serosa_sim::params::{Filter, Response};

/// What is asked of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Contacts that the detector's exhaustive twin finds and that have no row.
    Missed,
    /// Overlap with the filter on \[m\].
    Overlap,
    /// Pairs that came too near with nothing to stand for them, by geometry alone.
    Unanswered,
    /// The most by which energy rose, as a share of the largest (kinetic + elastic + |work|).
    Energy,
    /// Momentum that nothing explains, as a share of the impulse exchanged.
    Momentum,
    /// Angular momentum that nothing explains, as a share of the impulse exchanged and the size of what exchanged it.
    Spin,
    /// Steps that the filter shortened though no near pair held them.
    LostMotion,
}

/// A check and the most that it lets pass.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// What is asked.
    pub check: Check,
    /// The most that passes.
    pub most: f64,
}

/// All limits that an audit fails on. The last five judge the default response alone (`Check::is_asked`): others are told and
/// not judged.
pub const LIMITS: [Limit; 7] = [
    Limit { check: Check::Missed, most: 0.0 },
    Limit { check: Check::Overlap, most: 1e-6 },
    Limit { check: Check::Unanswered, most: 0.0 },
    Limit { check: Check::Energy, most: 0.01 },
    Limit { check: Check::Momentum, most: 1e-6 },
    Limit { check: Check::Spin, most: 1e-6 },
    Limit { check: Check::LostMotion, most: 0.0 },
];

/// A limit that a run has broken.
#[derive(Clone, Copy, Debug)]
pub struct Broken {
    /// Which one.
    pub limit: Limit,
    /// What was seen.
    pub value: f64,
}

impl Check {
    /// Its key in reports.
    pub fn key(self) -> &'static str {
        match self {
            Self::Missed => "missed_contacts",
            Self::Overlap => "deepest_penetration_m",
            Self::Unanswered => "unanswered_contacts",
            Self::Energy => "energy_gain",
            Self::Momentum => "momentum_error",
            Self::Spin => "spin_error",
            Self::LostMotion => "lost_motion",
        }
    }

    /// Whether a session is asked: published responses keep neither energy nor momentum and are not; what control elements
    /// put into flexible bodies is summed by trapezoids, which is too coarse to judge.
    fn is_asked(self, session: &Session) -> bool {
        let world = &session.world;
        let default = world.params.response == Response::AugmentedLagrangian;
        let has_elements =
            |kind: &BodyKind| matches!(kind, BodyKind::Flexible(own) if !own.elements.is_empty());
        let led = || world.model.bodies.iter().any(|b| has_elements(&b.kind));
        match self {
            Self::Missed => true,
            Self::Overlap => !matches!(world.params.filter, Filter::Off),
            Self::Unanswered | Self::Momentum | Self::Spin | Self::LostMotion => default,
            Self::Energy => default && !led(),
        }
    }

    /// What a session has seen.
    pub fn value(self, session: &Session) -> f64 {
        let (seen, ledger) = (&session.seen, &session.ledger);
        match self {
            Self::Missed => seen.missed as f64,
            Self::Overlap => seen.deepest_m,
            Self::Unanswered => seen.unanswered as f64,
            Self::Energy => ledger.gain,
            Self::Momentum => ledger.unkept.linear,
            Self::Spin => ledger.unkept.angular,
            Self::LostMotion => ledger.unheld as f64,
        }
    }

    fn words(self, session: &Session, value: f64) -> String {
        let audits = session.seen.audits;
        match self {
            Self::Missed => format!("{value} contacts were missed in {audits} audited steps"),
            Self::Overlap => format!("an overlap of {value:.2e} m with the filter on"),
            Self::Unanswered => {
                format!(
                    "{value} pairs came too near with no row and no plane for them, in {audits} audited steps"
                )
            }
            Self::Energy => {
                format!(
                    "energy rose by {:.2e} J, {:.2} % of the largest there was",
                    session.ledger.gain_j,
                    100.0 * value
                )
            }
            Self::Momentum => {
                format!("{value:.1e} of the impulse exchanged in a step is explained by nothing")
            }
            Self::Spin => format!("{value:.1e} of the moment exchanged in a step is explained by nothing"),
            Self::LostMotion => format!(
                "{value} steps were shortened though nothing near held them, by {:.3} mm at most",
                1e3 * session.ledger.unheld_m
            ),
        }
    }
}

impl Broken {
    /// As a sentence.
    pub fn words(&self, session: &Session) -> String {
        self.limit.check.words(session, self.value)
    }
}

/// The limits that an audited session has broken. Written so that what is not a number is broken.
pub fn broken(session: &Session) -> Vec<Broken> {
    if session.seen.audits == 0 {
        return Vec::new();
    }
    let asked = LIMITS.into_iter().filter(|limit| limit.check.is_asked(session));
    let seen = asked.map(|limit| Broken { limit, value: limit.check.value(session) });
    seen.filter(|b| b.value.is_nan() || b.value > b.limit.most).collect()
}

/// Energy, momentum and lost motion, for programs.
pub fn json(session: &Session) -> Value {
    if session.seen.audits == 0 {
        return Value::Null;
    }
    let ledger = &session.ledger;
    let (now, work, losses) = (&ledger.energies, &ledger.work, &ledger.losses);
    json!({
        "energy_gain": ledger.gain,
        "energy_gain_j": ledger.gain_j,
        "momentum_error": ledger.unkept.linear,
        "spin_error": ledger.unkept.angular,
        "lost_motion": ledger.unheld,
        "lost_motion_m": ledger.unheld_m,
        "energies_j": {
            "kinetic": now.kinetic, "elastic": now.elastic, "coupling": now.coupling, "gravity": now.gravity,
            "contact": now.contact, "start": ledger.start.total(),
        },
        "work_j": {
            "hands": work.hands, "control_elements": work.led, "growth": work.growth, "tunables": work.tunables,
            "outside": work.outside,
        },
        "losses_j": {
            "friction": losses.friction, "damping": losses.damping, "filter": losses.filter, "guard": losses.guard,
            "integrator": ledger.remainder(),
        },
        "broken": broken(session).iter().map(|b| b.limit.check.key()).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::session::Device;

    /// Each check, broken once; what is not a number breaks it too.
    #[test]
    fn each_limit_can_be_broken() {
        let scene = "serosa = 1\ntitle = \"a ball\"\n[[body]]\nname = \"ball\"\nmodel.rigid = { mass = 0.01 }\n\
                     shape.sphere = { center = [0, 0, 1], radius = 0.01 }\n";
        let loaded = scenes::load(&scenes::SceneText::new("ball", scene)).unwrap();
        let mut session =
            Session::new(loaded.baked.world(), Device::of_scene(&loaded.raw, &loaded.baked.model));
        session.audit_every = Some(1);
        (0..10).for_each(|_| session.step().unwrap());
        assert!(broken(&session).is_empty(), "{:?}", broken(&session));
        let keys =
            |session: &Session| broken(session).iter().map(|b| b.limit.check.key()).collect::<Vec<_>>();
        session.seen.missed = 1;
        assert_eq!(keys(&session), ["missed_contacts"]);
        (session.seen.missed, session.seen.unanswered) = (0, 1);
        assert_eq!(keys(&session), ["unanswered_contacts"]);
        (session.seen.unanswered, session.seen.deepest_m) = (0, 2e-6);
        assert_eq!(keys(&session), ["deepest_penetration_m"]);
        session.seen.deepest_m = 0.0;
        (session.ledger.gain, session.ledger.unheld) = (0.011, 1);
        assert_eq!(keys(&session), ["energy_gain", "lost_motion"]);
        (session.ledger.gain, session.ledger.unheld) = (f64::NAN, 0);
        (session.ledger.unkept.linear, session.ledger.unkept.angular) = (2e-6, f64::NAN);
        assert_eq!(keys(&session), ["energy_gain", "momentum_error", "spin_error"]);
        session.world.params.response = Response::DisplacementVelocity;
        assert!(broken(&session).is_empty(), "published responses are told and not judged");
    }
}
