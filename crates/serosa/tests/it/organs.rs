//! The scenes with surfaces that press: what the eye expects of them.

use serosa::scenes::{find, load};
use serosa::session::{Device, Session};
use serosa_sim::Vec3;
use serosa_sim::audit::Auditor;

/// A built-in scene, its tools led as it says.
fn session(name: &str) -> Session {
    let loaded = load(&find(name).unwrap()).unwrap();
    Session::new(loaded.baked.world(), Device::of_scene(&loaded.raw))
}

/// Runs until a time, and gives the greatest speed from another on \[m/s\].
fn run(session: &mut Session, until_s: f64, from_s: f64) -> f64 {
    let mut fastest: f64 = 0.0;
    while session.world.state.tick as f64 * session.world.params.dt_s < until_s - 1e-9 {
        session.step().unwrap();
        if session.world.state.tick as f64 * session.world.params.dt_s > from_s {
            fastest = session.world.state.vel.iter().map(|v| v.length()).fold(fastest, f64::max);
        }
    }
    fastest
}

/// The farthest that a vertex of a body is from a shape, and the size of the shape \[m\].
fn off(session: &Session, body: &str, shape: &[Vec3]) -> (f64, f64) {
    let body = session.world.model.bodies.iter().find(|b| b.name == body).unwrap();
    let (here, shape) = (&session.world.state.pos[body.vertex_range()], &shape[body.vertex_range()]);
    let far = here.iter().zip(shape).map(|(x, r)| (*x - *r).length()).fold(0.0, f64::max);
    (far, serosa_geometry::Aabb::around(shape.iter().copied()).size().max_element())
}

#[test]
fn the_pile_comes_to_rest() {
    let mut session = session("organ-pile");
    let fastest = run(&mut session, 3.3, 3.0);
    assert!(fastest < 0.02, "{fastest} m/s");
    let audit = Auditor::default().check(&session.world);
    assert!(audit.deepest_m < 1e-3 && audit.missed == 0, "{audit:?}");
}

#[test]
fn the_liver_is_still_dented_and_comes_back() {
    let mut session = session("instrument-press");
    let still = run(&mut session, 1.0, 0.8);
    assert!(still < 1e-4, "{still} m/s before anything touches it");
    let hung = session.world.state.pos.clone();
    run(&mut session, 4.0, 4.0);
    let (dent, size) = off(&session, "liver", &hung);
    assert!(dent > 0.05 * size, "{dent} m of {size}");
    run(&mut session, 9.0, 9.0);
    let (left, _) = off(&session, "liver", &hung);
    assert!(left < 0.002 * size, "{left} m of {size} left");
}

#[test]
fn the_kidneys_are_dented_and_come_back() {
    let mut session = session("kidney-press");
    let made = session.world.model.rest.clone();
    run(&mut session, 4.5, 4.5);
    let ((soft, size), (stiff, _)) = (off(&session, "soft", &made), off(&session, "stiff", &made));
    assert!(stiff > 1e-3 && soft > stiff, "{soft} and {stiff} m");
    run(&mut session, 9.0, 9.0);
    let (left, _) = off(&session, "stiff", &made);
    assert!(left < 0.01 * size, "{left} m of {size} left");
}

#[test]
fn the_mesh_lies_on_the_tissue() {
    let mut session = session("mesh-drape");
    let fastest = run(&mut session, 2.0, 1.8);
    assert!(fastest < 0.01, "{fastest} m/s");
    let audit = Auditor::default().check(&session.world);
    // The rows ask for half the thickness, 1 mm: less than that is missing.
    assert!(audit.deepest_m < 0.5e-3 && audit.missed == 0, "{audit:?}");
}
