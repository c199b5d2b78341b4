//! What the surfaces of flexible bodies show of their deformation, for pages that ask.

use serosa_bake::raw::{Inside, RawBody, RawFlexible, RawGeometry, RawModel, RawTets};
use serosa_bake::solid;
use serosa_geometry::{Mesh, Vec3};
use serosa_io::scene::Loaded;
use serosa_io::wire::{Quantity, Values};
use serosa_sim::World;
use serosa_sim::body::flexible::{self, Gauge, Lame};
use serosa_sim::model::{BodyKind, FlexibleBody, Region};

/// Measures the surfaces of a scene.
#[derive(Debug)]
pub struct Surfaces {
    /// Of each flexible body its number and the material of each triangle.
    bodies: Vec<(usize, Vec<Lame>)>,
    gauge: Gauge,
    values: Vec<Vec<f64>>,
}

impl Surfaces {
    /// Finds what lies under each triangle. O(tetrahedra).
    pub fn of(loaded: &Loaded) -> Self {
        let bodies = loaded.baked.model.bodies.iter().zip(&loaded.raw.bodies).enumerate();
        let flexible = bodies.filter_map(|(b, (body, raw))| match (&body.kind, &raw.model) {
            (BodyKind::Flexible(own), RawModel::Flexible(flexible)) => {
                let rest = &loaded.baked.model.rest[body.vertex_range()];
                Some((b, materials(own, rest, raw, flexible)))
            }
            _ => None,
        });
        let bodies: Vec<(usize, Vec<Lame>)> = flexible.collect();
        Self { values: vec![Vec::new(); bodies.len()], bodies, gauge: Gauge::default() }
    }

    /// A quantity at all vertices of all flexible bodies. O(triangles).
    pub fn read(&mut self, world: &World, quantity: Quantity) -> Values {
        let wanted = match quantity {
            Quantity::Area => flexible::Quantity::Area,
            Quantity::Xx => flexible::Quantity::Strain(0, 0),
            Quantity::Yy => flexible::Quantity::Strain(1, 1),
            Quantity::Zz => flexible::Quantity::Strain(2, 2),
            Quantity::Xy => flexible::Quantity::Strain(0, 1),
            Quantity::Yz => flexible::Quantity::Strain(1, 2),
            Quantity::Zx => flexible::Quantity::Strain(2, 0),
            Quantity::Energy => flexible::Quantity::Energy,
        };
        for ((b, materials), out) in self.bodies.iter().zip(&mut self.values) {
            let body = &world.model.bodies[*b];
            if let BodyKind::Flexible(own) = &body.kind {
                let places = (&world.model.rest[body.vertex_range()], &world.state.pos[body.vertex_range()]);
                let moment = (&world.state, &world.scratch);
                self.gauge.read(wanted, (*b, own, materials), moment, places, out);
            }
        }
        Values::of(quantity, self.bodies.iter().zip(&self.values).map(|((b, _), values)| (*b, &values[..])))
    }
}

/// The material under each triangle of a body.
fn materials(body: &FlexibleBody, rest: &[Vec3], raw: &RawBody, flexible: &RawFlexible) -> Vec<Lame> {
    let nodes = |t: &[u32; 3]| t.map(|v| body.nodes[v as usize]);
    match &raw.geometry {
        RawGeometry::Tets(tets) => {
            let laws = solid::materials(tets, &flexible.base, &flexible.regions).unwrap_or_default();
            let around = around(tets);
            let one = |t: &[u32; 3]| {
                let [a, b, c] = nodes(t).map(|v| &around[v as usize][..]);
                let own = a.iter().find(|tet| b.contains(tet) && c.contains(tet));
                own.and_then(|tet| laws.get(*tet as usize)).map_or(of(&flexible.base), |m| m.0)
            };
            body.triangles.iter().map(one).collect()
        }
        // What was filled is known no longer: the part that holds the middle of a triangle is what lies under it.
        _ => {
            let middle = |t: &[u32; 3]| t.iter().map(|v| rest[*v as usize]).sum::<Vec3>() / 3.0;
            body.triangles.iter().map(|t| of(region(flexible, middle(t)))).collect()
        }
    }
}

/// The tetrahedra about each node.
fn around(raw: &RawTets) -> Vec<Vec<u32>> {
    let Mesh { points, .. } = &raw.mesh;
    let mut around = vec![Vec::new(); points.len()];
    for (t, tet) in raw.tets.iter().enumerate() {
        let middles = raw.middles.get(t).into_iter().flatten();
        tet.iter().chain(middles).for_each(|v| around[*v as usize].push(t as u32));
    }
    around
}

/// The part of a body that holds a place.
fn region(flexible: &RawFlexible, at: Vec3) -> &Region {
    let holds = |inside: &Inside| match inside {
        Inside::Ball { center, radius } => at.distance(*center) <= *radius,
        Inside::Box(b) => b.contains(at),
        Inside::Number(_) => false,
    };
    let part = flexible.regions.iter().rev().find(|(inside, _)| holds(inside));
    part.map_or(&flexible.base, |(_, region)| region)
}

fn of(region: &Region) -> Lame {
    Lame::of(region.young, region.poisson)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_sim::{Control, Input, Quat, step};

    /// A bar of two materials between two plates that are control elements.
    const BAR: &str = r#"
serosa = 1
title = "Bar"
[world]
step = "10 ms"
gravity = [0, 0, 0]
[[body]]
name = "bar"
shape.block = { corner = [0, 0, 0], size = ["10 cm", "2 cm", "2 cm"], cell = "1 cm" }
[body.model.flexible]
young = "1 MPa"
poisson = 0.3
density = "1000 kg/m3"
[[body.model.flexible.region]]
name = "hard"
box = { min = ["5 cm", "-1 m", "-1 m"], max = ["1 m", "1 m", "1 m"] }
young = "4 MPa"
poisson = 0.3
density = "1000 kg/m3"
[[body.model.flexible.control]]
name = "left"
set = "left"
[[body.model.flexible.control]]
name = "right"
set = "right"
"#;

    /// The mean over the vertices between two places along the bar.
    fn mean(world: &World, values: &[f64], from: f64, to: f64) -> f64 {
        let between = |x: &Vec3| x.x > from && x.x < to;
        let all: Vec<f64> =
            world.model.rest.iter().zip(values).filter(|(x, _)| between(x)).map(|(_, v)| *v).collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    /// The parts of a bar that is drawn out share the force: the softer is strained four times as much and stores four
    /// times as much in a volume. The same of a bar that is turned as a whole.
    #[test]
    fn a_bar_of_two_materials_shows_the_strains_and_energies_of_both() {
        let loaded = serosa_io::scene::load(BAR, &|_| Err("none".into())).unwrap();
        let mut surfaces = Surfaces::of(&loaded);
        for turn in [Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.6, 0.8)] {
            let mut world = loaded.baked.world();
            let mut input = Input::at_rest(&world);
            let origin = |i: usize| world.state.controls[i].at.pose.pos;
            let far = Vec3::new(0.005, 0.0, 0.0);
            let [a, b] = [origin(0), origin(1)].map(|x| turn * x);
            input.controls[0] = Control::new(a, turn, Vec3::ONE).unwrap();
            input.controls[1] = Control::new(b + turn * far, turn, Vec3::ONE).unwrap();
            for _ in 0..400 {
                step(&mut world, &input, &mut || 0);
            }
            let mut read = |quantity| {
                surfaces.read(&world, quantity);
                let values = &surfaces.values[0];
                [mean(&world, values, 0.015, 0.035), mean(&world, values, 0.065, 0.085)]
            };
            let [soft, hard] = read(Quantity::Xx);
            assert!((soft / hard - 4.0).abs() < 0.15 && soft > 0.05, "{soft} {hard}");
            let [across, _] = read(Quantity::Yy);
            assert!((across / soft + 0.3).abs() < 0.04, "{across} {soft}");
            let [area, _] = read(Quantity::Area);
            assert!((area / (0.7 * soft) - 1.0).abs() < 0.1, "{area} {soft}");
            let [low, high] = [read(Quantity::Energy), [0.5e6 * soft * soft, 2e6 * hard * hard]];
            assert!((low[0] / high[0] - 1.0).abs() < 0.05 && (low[1] / high[1] - 1.0).abs() < 0.05);
            assert!(read(Quantity::Xy).iter().all(|e| e.abs() < 0.02 * soft));
        }
    }
}
