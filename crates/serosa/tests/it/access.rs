//! The scene `colon-access` does what it says: its own tools lay the colon free, and nothing passes through anything.

use serosa::scenes::{find, load};
use serosa::session::{Device, Session};
use serosa_sim::probe::read_all;

/// When the tools begin \[s\].
const BEFORE: f64 = 2.9;
/// When they have ended \[s\], and for how long the colon has to stay free \[s\].
const AFTER: f64 = 8.5;
const STAYS: f64 = 1.5;
/// The largest force of a hand \[N\].
const FORCE_MAX: f64 = 8.0;

#[test]
fn the_tools_of_colon_access_lay_the_colon_free() {
    let loaded = load(&find("colon-access").unwrap()).unwrap();
    let mut session = Session::new(loaded.baked.world(), Device::of_scene(&loaded.raw, &loaded.baked.model));
    session.audit_every = Some(100);
    let at = |name: &str| session.world.model.probes.iter().position(|p| p.name == name).unwrap();
    let (covered, hands) = (at("covered"), [at("hand_probe"), at("hand_grasper")]);
    let mut values = Vec::new();
    let mut seen = 0;
    while session.time_s() < AFTER + STAYS {
        session.step().unwrap();
        if !session.world.state.tick.is_multiple_of(50) {
            continue;
        }
        values.clear();
        read_all(&session.world, &mut values);
        let (time, share) = (session.time_s(), values[covered]);
        if (2.0..BEFORE).contains(&time) {
            seen += 1;
            assert!(share > 0.8, "covered by {share} at {time} s, before the tools come");
        } else if time > AFTER {
            seen += 1;
            assert!(share < 0.02, "still covered by {share} at {time} s");
        }
        for hand in hands {
            assert!(values[hand] < FORCE_MAX, "a hand presses with {} N at {time} s", values[hand]);
        }
    }
    assert!(seen > 40, "only {seen} looks");
    let seen = &session.seen;
    assert!(seen.quarantined.is_empty(), "{:?}", seen.quarantined);
    assert!(seen.audits >= 100 && seen.missed == 0, "{} contacts missed", seen.missed);
    assert!(seen.deepest_m < 1e-6, "an overlap of {} m", seen.deepest_m);
}

/// A hand does not jump: between the places of the script it is slower than this \[m/s\].
#[test]
fn the_tools_of_colon_access_move_as_hands_do() {
    let loaded = load(&find("colon-access").unwrap()).unwrap();
    for tool in &loaded.raw.tools {
        let mut from = (0.0, tool.tip);
        for m in &tool.moves {
            let speed = (m.tip - from.1).length() / (m.time_s - from.0).max(1e-9);
            assert!(speed < 0.3, "{} moves at {speed} m/s up to {} s", tool.name, m.time_s);
            from = (m.time_s, m.tip);
        }
    }
}
