//! Flexible bodies: solutions of linear elasticity for all that control elements and gravity can do.
//!
//! The nodes of control elements and of attachments are taken out of the stiffness matrix; what is left is factored once,
//! and solved for twelve motions of each element and three directions of gravity. Only rows of the surface are kept.

pub mod boundary;
mod faults;
pub mod gradients;
mod solve;

pub use faults::{Chosen, Own, choose, choose_nodes};
pub use solve::{SIDES, Solution, System, softness};

use crate::assemble::Lame;
use crate::cholesky::FactorError;
use crate::raw::{RawCompliance, RawFlexible, RawTets};
use crate::springs::{Skin, add_skin, add_vertices};
use serosa_geometry::{Mesh, Real, Vec3};
use serosa_sim::algebra::sparse::Fronts;
use serosa_sim::model::{Compliance, ControlElement, FlexibleBody, MODES, Model, Weight};
use std::sync::Arc;

/// Compliances of surfaces of no more vertices are kept whole: 36 bytes for each pair, 23 MB for 800.
const WHOLE: usize = 800;
/// Thickness of a surface for which none is given \[m\], but no more than this part of its mean edge.
const THICKNESS: Real = 1e-3;
const THIN: Real = 0.2;
/// Parts of the work that one body is, for those who watch.
pub const PARTS: usize = 50;

/// The outer nodes of a mesh of tetrahedra, ascending, and its outer triangles in their numbers. O(triangles log).
pub fn surface(mesh: &Mesh) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut nodes: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let place = |v: u32| nodes.binary_search(&v).unwrap_or_default() as u32;
    let triangles = mesh.triangles.iter().map(|t| t.map(place)).collect();
    (nodes, triangles)
}

/// Bakes a body without faults and adds its surface to the model; `touched` says whether others can touch it. `watch` hears
/// how many of [`PARTS`] are done.
///
/// Cost: one sparse factor, about n² operations for a solid of n nodes and n for a long tube, then twelve solves for each
/// element and three more; a whole compliance takes three for each vertex.
pub fn add(
    model: &mut Model,
    raw: &RawTets,
    (flexible, materials): (&RawFlexible, &[(Lame, Real)]),
    chosen: &Chosen,
    touched: bool,
    watch: &mut dyn FnMut(usize),
) -> Result<FlexibleBody, FactorError> {
    let system = System::of(raw, materials, chosen);
    watch(PARTS / 10);
    let solution = system.solve(&mut |done, all| watch(PARTS / 10 + PARTS * 7 / 10 * done / all.max(1)))?;
    let (nodes, triangles) = surface(&raw.mesh);
    let compliance = compliance(&system, &solution, flexible.compliance, touched, &nodes)?;
    watch(PARTS - 1);
    let first = model.bodies.iter().map(controls_of).sum::<usize>() as u32;
    let points: Vec<Vec3> = nodes.iter().map(|v| raw.mesh.points[*v as usize]).collect();
    let masses = nodes.iter().map(|v| system.masses[*v as usize].max(1e-12)).collect();
    let give = give(&compliance, &system, &nodes);
    let yields = !give.is_empty();
    let stays = |v: &u32| !yields || !chosen.free(*v);
    let fixed = (0..nodes.len() as u32).filter(|v| stays(&nodes[*v as usize])).collect::<Vec<_>>();
    let start = add_vertices(model, &points, masses, &fixed);
    if touched {
        add_surface(model, &points, &triangles, start, flexible.thickness);
    }
    let columns = solution.columns();
    let modes = FlexibleBody::lay_out(nodes.len(), columns, |v, column| {
        let node = nodes[v] as usize;
        [0, 1, 2].map(|axis| solution.modes[(3 * node + axis) * columns + column] as f32)
    });
    Ok(FlexibleBody {
        first,
        elements: elements(flexible, chosen, &nodes, (&solution.reaction, columns)),
        held: !chosen.held.is_empty(),
        nodes,
        triangles,
        modes,
        reaction: solution.reaction.clone(),
        energy: solution.energy.clone(),
        weight: weight(&system, &solution),
        give,
        compliance,
        rotation: flexible.rotation,
        limits: flexible.limits,
    })
}

/// Control elements as the step knows them.
fn elements(
    flexible: &RawFlexible,
    chosen: &Chosen,
    nodes: &[u32],
    (reaction, columns): (&[Real], usize),
) -> Vec<ControlElement> {
    let each = flexible.controls.iter().zip(&chosen.elements).enumerate();
    let one = each.map(|(i, (control, own))| {
        let on_surface = own.nodes.iter().filter_map(|v| nodes.binary_search(v).ok());
        ControlElement {
            name: control.name.clone(),
            origin: own.origin,
            vertices: on_surface.map(|v| v as u32).collect(),
            speed_max: control.speed_max,
            softness: control.by_force.then(|| softness(reaction, columns, i)).flatten(),
        }
    });
    one.collect()
}

fn controls_of(body: &serosa_sim::model::Body) -> usize {
    match &body.kind {
        serosa_sim::model::BodyKind::Flexible(other) => other.elements.len(),
        _ => 0,
    }
}

fn weight(system: &System, solution: &Solution) -> Weight {
    let mass: Real = system.masses.iter().sum();
    let moment_at_rest: Vec3 = system.masses.iter().zip(system.points).map(|(m, x)| *x * *m).sum();
    let columns = solution.columns();
    let mut moment = vec![0.0; 3 * columns];
    for (node, mass) in system.masses.iter().enumerate() {
        for axis in 0..3 {
            let row = &solution.modes[(3 * node + axis) * columns..][..columns];
            let sums = &mut moment[axis * columns..(axis + 1) * columns];
            sums.iter_mut().zip(row).for_each(|(sum, u)| *sum += mass * u);
        }
    }
    Weight { mass, center: moment_at_rest / mass, moment }
}

/// What others touch: edges and triangles of the surface.
fn add_surface(
    model: &mut Model,
    points: &[Vec3],
    triangles: &[[u32; 3]],
    first: u32,
    thickness: Option<Real>,
) {
    let mesh = Mesh::from_triangles(points.to_vec(), triangles.to_vec());
    let length = |e: &[u32; 2]| (points[e[0] as usize] - points[e[1] as usize]).length();
    let mean = mesh.edges.iter().map(length).sum::<Real>() / mesh.edges.len().max(1) as Real;
    let thickness = thickness.unwrap_or(THICKNESS.min(THIN * mean));
    add_skin(model, &mesh, mesh.edges.iter().copied(), first, Skin { radius: 0.5 * thickness, faces: true });
}

fn compliance(
    system: &System,
    solution: &Solution,
    asked: RawCompliance,
    touched: bool,
    nodes: &[u32],
) -> Result<Compliance, FactorError> {
    let asked = match asked {
        RawCompliance::Auto if !touched => RawCompliance::None,
        RawCompliance::Auto if nodes.len() <= WHOLE => RawCompliance::All,
        RawCompliance::Auto => RawCompliance::Demand,
        other => other,
    };
    match asked {
        RawCompliance::All => Ok(Compliance::All(all_columns(system, solution, nodes).into())),
        RawCompliance::Demand => {
            let unknowns = solution.factor.unknowns();
            let factor = solution.factor.narrowed().map_err(|_| FactorError::TooLarge { unknowns })?;
            Ok(Compliance::Demand(Arc::new(factor)))
        }
        RawCompliance::Auto | RawCompliance::None => Ok(Compliance::None),
    }
}

/// A vertex of linear tetrahedra gives way about so many times as far as with its neighbours held.
const AROUND: Real = 3.0;

/// See [`FlexibleBody::give`]: read off where all is known, else from what resists while the neighbours are held.
fn give(compliance: &Compliance, system: &System, nodes: &[u32]) -> Vec<f32> {
    match compliance {
        Compliance::None => Vec::new(),
        Compliance::All(columns) => whole_give(columns, nodes.len()),
        Compliance::Demand(_) => {
            let resists = |v: u32| {
                let node = system.matrix.node_of(v)?;
                let (_, block) = system.matrix.column(node as usize).find(|(row, _)| *row == node)?;
                Some((block[0][0] + block[1][1] + block[2][2]) / 3.0)
            };
            nodes.iter().map(|v| resists(*v).map_or(0.0, |k| (AROUND / k) as f32)).collect()
        }
    }
}

/// The mean of what each of `n` vertices gives way along three axes, from all columns.
fn whole_give(columns: &[f32], n: usize) -> Vec<f32> {
    let own = |v: usize| (0..3).map(|k| columns[(3 * v + k) * (3 * n + 1)]).sum::<f32>() / 3.0;
    (0..n).map(own).collect()
}

/// Displacements of all `nodes` by unit forces on each of them.
fn all_columns(system: &System, solution: &Solution, nodes: &[u32]) -> Vec<f32> {
    let (n, free) = (nodes.len(), |v: u32| system.matrix.node_of(v).is_some());
    let mut columns = vec![0.0f32; 9 * n * n];
    let (mut x, mut fronts) = (Vec::new(), Fronts::default());
    for start in (0..3 * n).step_by(SIDES) {
        let sides = SIDES.min(3 * n - start);
        x.clear();
        x.resize(3 * system.points.len() * sides, 0.0);
        for r in 0..sides {
            let (v, axis) = (nodes[(start + r) / 3], (start + r) % 3);
            if free(v) {
                x[(3 * v as usize + axis) * sides + r] = 1.0;
            }
        }
        solution.factor.solve(&mut x, sides, &mut fronts);
        for r in 0..sides {
            let column = &mut columns[3 * n * (start + r)..][..3 * n];
            for (v, out) in nodes.iter().zip(column.chunks_exact_mut(3)) {
                for (axis, out) in out.iter_mut().enumerate() {
                    *out = if free(*v) { x[(3 * *v as usize + axis) * sides + r] as f32 } else { 0.0 };
                }
            }
        }
    }
    columns
}

/// Motions that an element can make: displacement of a node `arm` away from its origin.
pub fn motion(k: usize, arm: Vec3) -> Vec3 {
    debug_assert!(k < MODES);
    match k {
        0..3 => Vec3::AXES[k],
        _ => Vec3::AXES[(k - 3) / 3] * arm[(k - 3) % 3],
    }
}
