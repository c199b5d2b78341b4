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
            Compliance::All(found.matrix.iter().map(|g| *g as f32).collect::<Vec<_>>().into())
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
        let (count, columns) = (given.len(), motions.len());
        let (volume, center) = held.volume();
        let mut forces = Forces::of(&given, &motions);
        if chosen.held.is_empty() {
            forces.balance(rigid_motions(chosen, center), density * volume);
        }
        let mut energy = vec![0.0; columns * columns];
        let mut moment = vec![0.0; 3 * columns];
        for k in 0..count {
            energy[k * columns..][..count].copy_from_slice(&forces.row(k)[..count]);
            // Betti: weight moves as far by a motion of what is held as its reactions are moved.
            (0..3).for_each(|axis| moment[axis * columns + k] = -forces.row(k)[count + axis]);
        }
        // What is held does not move by weight: the two kinds of modes share no energy.
        let sag = held.sag(&motions[count..], density) * density;
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            energy[(count + i) * columns + count + j] = 0.5 * (sag.row(i)[j] + sag.row(j)[i]);
            moment[i * columns + count + j] = sag.row(i)[j];
        }
        let weight = Weight { mass: density * volume, center, moment };
        Self { motions, reaction: forces.reaction(), energy, weight }
    }
}

/// What the motions of control elements are resisted with: for each of them a row of forces, one by each mode.
///
/// Collocation leaves Betti's law and the balance of forces to the fineness of the surface. Both hold here: what a hand feels
/// is then the slope of the energy, and nothing pushes a body that moves as a whole.
struct Forces {
    values: Vec<Real>,
    columns: usize,
}

impl Forces {
    fn of(given: &[Vec<Vec3>], motions: &[Motion]) -> Self {
        let work = |k: usize, l: usize| {
            given[k].iter().zip(&motions[l].reaction).map(|(u, f)| u.dot(*f)).sum::<Real>()
        };
        let (count, columns) = (given.len(), motions.len());
        let value = |k: usize, l: usize| if l < count { 0.5 * (work(k, l) + work(l, k)) } else { work(k, l) };
        let values = (0..count * columns).map(|at| value(at / columns, at % columns)).collect();
        Self { values, columns }
    }

    fn row(&self, k: usize) -> &[Real] {
        &self.values[k * self.columns..][..self.columns]
    }

    fn count(&self) -> usize {
        self.columns - 3
    }

    /// Takes out what resists motions as a whole, and lets their reactions carry the weight of a mass \[kg\]; least where little
    /// resists.
    fn balance(&mut self, rigid: Vec<Rigid>, mass: Real) {
        let (count, columns) = (self.count(), self.columns);
        let metric: Vec<Real> = (0..count).map(|k| self.row(k)[k]).collect();
        for Rigid { motion, center } in orthonormal(rigid, &metric) {
            let felt: Vec<Real> = motion.iter().zip(&metric).map(|(r, m)| r * m).collect();
            let along = |l: usize| (0..count).map(|k| motion[k] * self.row(k)[l]).sum::<Real>();
            let forces: Vec<Real> = (0..columns).map(along).collect();
            let own = dot(&motion, &forces[..count]);
            for k in 0..count {
                let row = &mut self.values[k * columns..][..columns];
                for l in 0..count {
                    row[l] += own * felt[k] * felt[l] - forces[k] * felt[l] - felt[k] * forces[l];
                }
                for axis in 0..3 {
                    row[count + axis] -= felt[k] * (mass * center[axis] + forces[count + axis]);
                }
            }
        }
    }

    /// See [`FlexibleBody::reaction`]: a force goes with a shift, a torque with a turn.
    fn reaction(&self) -> Vec<Real> {
        let mut rows = Vec::with_capacity(6 * self.count() / MODES * self.columns);
        for first in (0..self.count()).step_by(MODES) {
            (0..3).for_each(|k| rows.extend(self.row(first + k)));
            for k in 0..3 {
                let (next, last) = ((k + 1) % 3, (k + 2) % 3);
                let entry = |row: usize, column: usize| self.row(first + 3 + 3 * row + column);
                rows.extend(entry(last, next).iter().zip(entry(next, last)).map(|(a, b)| a - b));
            }
        }
        rows
    }
}

/// A motion of a body as a whole.
struct Rigid {
    /// How it moves control elements, by their modes.
    motion: Vec<Real>,
    /// And the centre of mass \[m by unit\].
    center: Vec3,
}

/// Shifts along the axes and turns about them through the centre.
fn rigid_motions(chosen: &Chosen, center: Vec3) -> Vec<Rigid> {
    let mut all = Vec::new();
    for axis in Vec3::AXES {
        let (mut shift, mut turn) = (Vec::new(), Vec::new());
        for element in &chosen.elements {
            shift.extend(axis.to_array());
            shift.extend([0.0; MODES - 3]);
            turn.extend(axis.cross(element.origin - center).to_array());
            turn.extend((0..9).map(|at| axis.cross(Vec3::AXES[at % 3])[at / 3]));
        }
        all.push(Rigid { motion: shift, center: axis });
        all.push(Rigid { motion: turn, center: Vec3::ZERO });
    }
    all
}

/// The same motions, each of size one and square to those before by weights of the modes; without those of no size.
fn orthonormal(rigid: Vec<Rigid>, metric: &[Real]) -> Vec<Rigid> {
    let product = |a: &[Real], b: &[Real]| a.iter().zip(b).zip(metric).map(|((a, b), m)| a * b * m).sum();
    let mut found: Vec<Rigid> = Vec::new();
    for Rigid { mut motion, mut center } in rigid {
        let before: Real = product(&motion, &motion);
        for other in &found {
            let share: Real = product(&motion, &other.motion);
            motion.iter_mut().zip(&other.motion).for_each(|(a, b)| *a -= share * b);
            center -= other.center * share;
        }
        let size: Real = product(&motion, &motion);
        if size > 1e-9 * before {
            let size = size.sqrt();
            motion.iter_mut().for_each(|a| *a /= size);
            found.push(Rigid { motion, center: center / size });
        }
    }
    found
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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
