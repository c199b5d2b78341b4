//! What holds a body carries its weight, and a probe of its support reads it.

use crate::flexible::{self, bar, both_ends, half_held};
use crate::make::*;
use serosa_bake::bake;
use serosa_bake::raw::*;
use serosa_geometry::{Aabb, Vec3};
use serosa_sim::World;
use serosa_sim::params::Filter;

/// What a probe of the support of a body reads \[N\].
fn load_on(world: &World, body: &str, at: &str) -> f64 {
    let read = |p: &serosa_sim::probe::Probe| {
        let mut out = Vec::new();
        p.read(world, &mut out);
        out[0]
    };
    let name = format!("{body}.{at}");
    world.model.probes.iter().find(|p| p.name == name).map(read).unwrap()
}

/// The probe of [`load_on`].
fn load_probe(body: &str, at: &str) -> RawProbe {
    let measure = RawMeasure::SupportForce(RawPlace { body: body.into(), at: at.into() });
    RawProbe { name: format!("{body}.{at}"), measure }
}

/// A rope that hangs from one end, and one from both.
#[test]
fn a_hanging_rope_weighs_what_it_weighs() {
    let band = RawBand { relaxation_s: 0.02, ..ROPE };
    let tops = |x: f64| {
        let top = Vec3::new(x, 0.0, 0.3);
        Selector::Box(Aabb { min: top - Vec3::splat(1e-3), max: top + Vec3::splat(1e-3) })
    };
    let mut one = rope("one", (Vec3::Z * 0.3, Vec3::Z * 0.1), 21, 2e-3, band);
    (one.attachments, one.drag) = (vec![tops(0.0)], 3.0);
    let mut two = rope("two", (Vec3::new(0.1, 0.0, 0.3), Vec3::new(0.2, 0.0, 0.3)), 21, 2e-3, band);
    (two.attachments, two.drag) = (vec![tops(0.1), tops(0.2)], 3.0);
    let mut raw = lagrangian(vec![one, two], Filter::Off);
    raw.world.dt_s = 2e-3;
    let named = [("one", ""), ("two", ""), ("two", "0"), ("two", "20"), ("one", "20")];
    raw.probes = named.map(|(body, at)| load_probe(body, at)).to_vec();
    let mut world = baked(&raw).world();
    run(&mut world, 3000);
    let weight = ROPE.mass * 9.81;
    let [one, two, left, right, end] = named.map(|(body, at)| load_on(&world, body, at));
    assert!(
        (one / weight - 1.0).abs() < 1e-3 && (two / weight - 1.0).abs() < 1e-3,
        "{one} {two} of {weight} N"
    );
    // Each end bears half of it, and what draws the two together.
    assert!((left / right - 1.0).abs() < 1e-3 && left > 0.5 * weight, "{left} {right}");
    assert!((end / (ROPE.mass / 40.0 * 9.81) - 1.0).abs() < 1e-2, "its free end: {end}");
    // Nothing holds a rope that floats.
    raw.bodies[0].attachments.clear();
    let told = bake(&raw).unwrap_err();
    assert!(told[0].message.contains("nothing holds \"one\""), "{told:?}");
}

/// A bar that stands on its left end, which the world or an element holds, under its weight.
#[test]
fn what_holds_a_flexible_body_carries_its_weight() {
    let weight = 0.4 * 0.1 * 0.1 * 1000.0 * 9.81;
    let read = |raw: &RawScene| {
        let mut world = bake(raw).unwrap().world();
        run(&mut world, 1);
        let mut out = Vec::new();
        world.model.probes.iter().for_each(|p| p.read(&world, &mut out));
        out
    };
    let mut attached = flexible::scene(bar(), flexible::flexible(Vec::new()));
    attached.bodies[0].attachments = vec![Selector::Name("left".into())];
    attached.probes = vec![load_probe("it", ""), load_probe("it", "left")];
    for load in read(&attached) {
        assert!((load / weight - 1.0).abs() < 1e-3, "{load} of {weight} N");
    }
    // By an element at each end, and by both: half each.
    let mut ends = flexible::scene(bar(), both_ends());
    ends.probes = vec![load_probe("it", ""), load_probe("it", "left"), load_probe("it", "right")];
    let loads = read(&ends);
    assert!((loads[0] / weight - 1.0).abs() < 1e-3, "{loads:?} of {weight} N");
    assert!((loads[1] / loads[2] - 1.0).abs() < 1e-3 && loads[1] > 0.49 * weight, "{loads:?}");
    // By attachments at one end and an element at the other.
    let mut both = half_held(false);
    both.probes = vec![load_probe("it", ""), load_probe("it", "left"), load_probe("it", "right")];
    let loads = read(&both);
    assert!((loads[0] / weight - 1.0).abs() < 1e-3, "{loads:?} of {weight} N");
    assert!((loads[1] / loads[2] - 1.0).abs() < 1e-3 && loads[1] > 0.49 * weight, "{loads:?}");
}

#[test]
fn loads_of_parts_of_a_support_are_refused() {
    let mut raw = flexible::scene(bar(), both_ends());
    let corner = raw.bodies[0].geometry.mesh().unwrap().sets["left"][0];
    raw.probes = vec![load_probe("it", &corner.to_string()), load_probe("it", "top")];
    let told: Vec<String> = bake(&raw).unwrap_err().into_iter().map(|f| f.message).collect();
    assert!(told.len() == 2 && told[0].contains("is a part of what holds"), "{told:?}");
}
