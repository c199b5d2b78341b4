//! The balance of forces and energies of a step with contact: what moved a vertex is what the elements, gravity and
//! the rows say they did.

use crate::make::*;
use serosa_bake::raw::RawBand;
use serosa_geometry::Vec3;
use serosa_sim::energy::{EnergyKind, world_energy};
use serosa_sim::params::Filter;
use serosa_sim::row::Node;
use serosa_sim::{Input, World, body, step};

/// Two ropes that fall crosswise on a floor and on each other, one bent over the other. Nothing is viscous.
fn heap(friction: f64) -> World {
    let band = RawBand {
        mass: 0.05,
        tube_mass: None,
        tube_stretch: 50.0,
        tube_bending: 1e-4,
        stiffness: 0.0,
        bending: 0.0,
        relaxation_s: 0.0,
    };
    let a = rope("a", (Vec3::new(-0.2, 0.0, 0.012), Vec3::new(0.2, 0.0, 0.012)), 17, 0.01, band);
    let b = rope("b", (Vec3::new(0.01, -0.2, 0.06), Vec3::new(0.01, 0.2, 0.05)), 17, 0.01, band);
    let mut raw = lagrangian(vec![a, b, floor()], Filter::Planes);
    raw.bodies.iter_mut().for_each(|b| b.friction = friction);
    raw.world.sweeps = 60;
    baked(&raw).world()
}

/// The force that nothing accounts for, one per vertex \[N\].
fn unexplained(world: &World, before: &World) -> Vec<Vec3> {
    let (model, h) = (&world.model, world.params.dt_s);
    let mut known = vec![Vec3::ZERO; model.rest.len()];
    body::forces(model, &world.params, &world.state.pos, &mut known);
    for row in &world.scratch.rows {
        for slot in row.slots() {
            if let Node::Vertex(v) = slot.node {
                known[v.at()] += body::push(row) * (slot.weight / h);
            }
        }
    }
    (0..model.rest.len())
        .map(|v| {
            let change = (world.state.vel[v] - before.state.vel[v]) * (model.mass[v] / h);
            change - known[v] - world.params.fall() * model.mass[v]
        })
        .collect()
}

#[test]
fn forces_and_energies_of_a_heap_balance() {
    balances(0.0, (6, 1e-6));
}

/// Friction acts at surfaces, half a thickness from where vertices are. Its couple turns each rope as a whole, and no row
/// tells of it: while the ropes slip on one another, more of their steps are odd.
#[test]
fn forces_and_energies_of_a_heap_that_rubs_balance() {
    balances(0.3, (12, 2e-5));
}

/// In all but so many steps, with so little work that nothing explains \[J\].
fn balances(friction: f64, (odd, work): (u32, f64)) {
    let mut world = heap(friction);
    let input = Input::at_rest(&world);
    let weight = 0.1 * 9.81;
    let (mut touched, mut worst_work, mut kept, mut odd_steps) = (0, 0.0_f64, 0, 0);
    for _ in 0..600 {
        let before = world.clone();
        step(&mut world, &input, &mut || 0);
        touched += u32::from(world.report.contacts > 10);
        if world.report.truncated > 0 {
            // A clipped vertex was stopped by the filter, and that is the force that is missing.
            continue;
        }
        kept += 1;
        let forces = unexplained(&world, &before);
        let moved = world.state.pos.iter().zip(&before.state.pos).map(|(to, from)| *to - *from);
        let done: f64 = forces.iter().zip(moved).map(|(f, d)| f.dot(d)).sum();
        let worst_force = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
        assert!(worst_force < 0.1 * weight, "{worst_force}");
        odd_steps += u32::from(worst_force > 1e-3 * weight);
        worst_work = worst_work.max(done.abs());
        // Backward Euler loses energy, rows that push apart give it back at most as they were loaded.
        let total = |w: &World| world_energy(w, EnergyKind::Total);
        assert!(total(&world) <= total(&before) + 1e-5, "{} {}", total(&before), total(&world));
    }
    assert!(touched > 300 && kept > 400, "{touched} {kept}");
    // In a step in which a rope begins to slip, sixty sweeps may not settle which rows hold.
    assert!(odd_steps < odd, "{odd_steps} of {kept} steps");
    assert!(worst_work < work, "{worst_work}");
}
