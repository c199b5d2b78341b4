//! Flexible bodies solved by boundary elements: the same shapes, from the surface alone.

use super::{Chosen, PARTS, add_surface, controls_of, elements, motion, whole_give};
use crate::Fault;
use crate::boundary::{Boundary, BoundaryFault, Held, Material, Motion, check};
use crate::raw::{Place, RawCompliance, RawFlexible};
use crate::springs::add_vertices;
use serosa_geometry::{Mat3, Mesh, Real, Vec3};
use serosa_sim::model::{Compliance, FlexibleBody, MODES, Model, Weight};

/// What is wrong with a body for boundary elements.
pub fn faults(mesh: &Mesh, flexible: &RawFlexible, place: Place) -> Vec<Fault> {
    let mut faults = crate::solid::region_faults(std::iter::once(&flexible.base), &[], place);
    let mut say = |message: String, help: &str| faults.push(Fault::new(place, message, help));
    if !flexible.regions.is_empty() {
        let message = "boundary elements know one material alone, and this body has parts of others";
        say(message.into(), "leave region out, or write method = \"fem\"");
    }
    if flexible.compliance == RawCompliance::Demand {
        let message = "boundary elements have no columns to solve for on demand";
        say(message.into(), "write compliance = \"all\" or leave it out");
    }
    let material = material(flexible);
    if material.is_sound()
        && let Err(fault) = check(&mesh.points, &mesh.triangles, &material)
    {
        say(fault.to_string(), "or fill it with tetrahedra: write method = \"fem\"");
    }
    faults
}

fn material(flexible: &RawFlexible) -> Material {
    Material { young: flexible.base.young, poisson: flexible.base.poisson }
}

/// Bakes a body without faults and adds its surface to the model; `touched` says whether others can touch it. `watch` hears
/// how many of [`PARTS`] are done.
///
/// Cost: n² integrals for n nodes, a dense factor and three solves for each node, (3 n)³ operations each.
pub fn add(
    model: &mut Model,
    mesh: &Mesh,
    flexible: &RawFlexible,
    chosen: &Chosen,
    touched: bool,
    watch: &mut dyn FnMut(usize),
) -> Result<FlexibleBody, BoundaryFault> {
    let n = mesh.points.len();
    let mut part = |from: usize, to: usize, done: usize| watch(PARTS * (from + (to - from) * done / n) / 100);
    let boundary =
        Boundary::assemble(&mesh.points, &mesh.triangles, material(flexible), &mut |d| part(0, 40, d))?;
    let bound = |v: &u32| !chosen.free(*v);
    let held: Vec<u32> = (0..n as u32).filter(bound).collect();
    let held = boundary.hold(&held)?;
    part(40, 60, n);
    let solved = Solved::of(&held, chosen, flexible.base.density);
    part(60, 65, n);
    let compliance = match flexible.compliance {
        RawCompliance::None => Compliance::None,
        RawCompliance::Auto if !touched => Compliance::None,
        _ => {
            let found = held.compliance(&mut |d| part(65, 99, d));
            Compliance::All(found.matrix.iter().map(|g| *g as f32).collect())
        }
    };
    let give = match &compliance {
        Compliance::All(columns) => whole_give(columns, n),
        _ => Vec::new(),
    };
    let first = model.bodies.iter().map(controls_of).sum::<usize>() as u32;
    let stays = |v: &u32| give.is_empty() || !chosen.free(*v);
    let fixed: Vec<u32> = (0..n as u32).filter(stays).collect();
    let area: Real = boundary.areas().iter().sum();
    let masses = boundary.areas().iter().map(|a| solved.weight.mass * a / area).collect();
    let start = add_vertices(model, &mesh.points, masses, &fixed);
    if touched {
        add_surface(model, &mesh.points, &mesh.triangles, start, flexible.thickness);
    }
    let nodes: Vec<u32> = (0..n as u32).collect();
    let columns = solved.motions.len();
    Ok(FlexibleBody {
        first,
        elements: elements(flexible, chosen, &nodes, (&solved.reaction, columns)),
        held: !chosen.held.is_empty(),
        nodes,
        triangles: mesh.triangles.clone(),
        modes: FlexibleBody::lay_out(n, columns, |v, column| {
            solved.motions[column].displacement[v].to_array().map(|u| u as f32)
        }),
        reaction: solved.reaction,
        energy: solved.energy,
        weight: solved.weight,
        give,
        compliance,
        rotation: flexible.rotation,
        limits: flexible.limits,
    })
}

/// All modes of a body.
struct Solved {
    motions: Vec<Motion>,
    reaction: Vec<Real>,
    energy: Vec<Real>,
    weight: Weight,
}

impl Solved {
    fn of(held: &Held, chosen: &Chosen, density: Real) -> Self {
        let given = given(held, chosen);
        let mut motions: Vec<Motion> = given.iter().map(|u| held.solve(u, &[])).collect();
        motions.extend(Vec3::AXES.map(|axis| held.weigh(axis * density)));
        let columns = motions.len();
        let still = vec![Vec3::ZERO; held.nodes().len()];
        let given: Vec<&[Vec3]> = given.iter().map(|u| &u[..]).chain([&still[..]; 3]).collect();
        let work = |u: &[Vec3], f: &Motion| u.iter().zip(&f.reaction).map(|(u, f)| u.dot(*f)).sum::<Real>();
        let sag = held.sag(&motions[columns - 3..], density) * density;
        let mut energy = vec![0.0; columns * columns];
        let mut moment = vec![0.0; 3 * columns];
        for k in 0..columns {
            for l in (0..columns - 3).filter(|_| k < columns - 3) {
                // Symmetric but for what collocation leaves of it.
                energy[k * columns + l] = 0.5 * (work(given[k], &motions[l]) + work(given[l], &motions[k]));
            }
            for axis in 0..3 {
                // Betti: weight moves as far by a motion of what is held as its reactions are moved.
                moment[axis * columns + k] = match k.checked_sub(columns - 3) {
                    None => -work(given[k], &motions[columns - 3 + axis]),
                    Some(other) => sag.row(axis)[other],
                };
            }
        }
        // What is held does not move by weight: the two kinds of modes share no energy.
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            let at = (columns - 3 + i) * columns + columns - 3 + j;
            energy[at] = 0.5 * (sag.row(i)[j] + sag.row(j)[i]);
        }
        let (volume, center) = held.volume();
        let weight = Weight { mass: density * volume, center, moment };
        let reaction = reaction(held, chosen, &motions);
        Self { motions, reaction, energy, weight }
    }
}

/// Displacements of held nodes that each motion of each control element brings \[m by unit\].
fn given(held: &Held, chosen: &Chosen) -> Vec<Vec<Vec3>> {
    let mut all = Vec::new();
    for element in &chosen.elements {
        for k in 0..MODES {
            let moved = |v: &u32| match element.nodes.binary_search(v) {
                Ok(_) => motion(k, held.at(*v) - element.origin),
                Err(_) => Vec3::ZERO,
            };
            all.push(held.nodes().iter().map(moved).collect());
        }
    }
    all
}

/// See [`FlexibleBody::reaction`].
fn reaction(held: &Held, chosen: &Chosen, motions: &[Motion]) -> Vec<Real> {
    let mut rows = Vec::with_capacity(6 * chosen.elements.len() * motions.len());
    for element in &chosen.elements {
        let pair = |motion: &Motion| {
            let own = held.nodes().iter().zip(&motion.reaction);
            let own = own.filter(|(v, _)| element.nodes.binary_search(v).is_ok());
            own.fold([Vec3::ZERO; 2], |[force, torque], (v, f)| {
                [force + *f, torque + (held.at(*v) - element.origin).cross(*f)]
            })
        };
        let pairs: Vec<[Vec3; 2]> = motions.iter().map(pair).collect();
        for k in 0..6 {
            rows.extend(pairs.iter().map(|pair| pair[k / 3][k % 3]));
        }
    }
    rows
}

impl Held<'_> {
    /// ∫ u of the motions by weight along each axis: entry (i, j) is the part along i of that by weight along j, per unit of
    /// gravity \[m⁴\]. By Betti's law with the field of a body force, whose tractions and displacements are known.
    fn sag(&self, motions: &[Motion], density: Real) -> Mat3 {
        let squares = self.squares();
        let alpha = self.softening();
        let mut all = [[0.0; 3]; 3];
        for (j, motion) in motions.iter().enumerate() {
            for (i, axis) in Vec3::AXES.into_iter().enumerate() {
                let bulk = self.of_body_force(axis);
                let held: Real =
                    self.nodes().iter().zip(&motion.reaction).map(|(v, f)| bulk(self.at(*v)).dot(*f)).sum();
                let trace = squares.x_axis.x + squares.y_axis.y + squares.z_axis.z;
                let own = squares.row(i)[j] - if i == j { 0.5 * trace } else { 0.0 };
                all[j][i] =
                    held - self.work_of_body_force(axis, &motion.displacement) + density * alpha * own;
            }
        }
        Mat3::from_cols_array_2d(&all)
    }
}
