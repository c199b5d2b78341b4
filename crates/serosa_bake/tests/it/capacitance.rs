//! Contact with a body whose compliance is known, against solving it anew.

use faer::linalg::solvers::DenseSolveCore;
use faer::prelude::Solve;
use faer::{Mat, MatRef};
use serosa_bake::boundary::{Boundary, Compliance, Material};
use serosa_geometry::generate::sphere::even_sphere;
use serosa_geometry::{Mesh, Real, Vec3};
use serosa_sim::algebra::Capacitance;

const RADIUS: Real = 0.05;

/// A ball that stands on its lowest nodes.
fn ball(nodes: usize) -> (Mesh, Compliance) {
    let mesh = even_sphere(Vec3::ZERO, RADIUS, nodes).unwrap();
    let material = Material { young: 1e4, poisson: 0.4 };
    let boundary = Boundary::assemble(&mesh.points, &mesh.triangles, material, &mut |_| {}).unwrap();
    let low = |v: &u32| mesh.points[*v as usize].z < -0.7 * RADIUS;
    let held: Vec<u32> = (0..nodes as u32).filter(low).collect();
    let compliance = boundary.hold(&held).unwrap().compliance(&mut |_| {});
    (mesh, compliance)
}

/// The rows and columns of some numbers.
fn part(matrix: MatRef<Real>, rows: &[usize], columns: &[usize]) -> Mat<Real> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| matrix[(rows[i], columns[j])])
}

fn largest(m: &Mat<Real>) -> Real {
    m.norm_max()
}

#[test]
fn the_update_equals_a_new_solution() {
    let (mesh, compliance) = ball(120);
    let n = 3 * mesh.points.len();
    let all = MatRef::from_row_major_slice(&compliance.matrix, n, n);
    let loose: Vec<usize> = (0..n).filter(|i| compliance.matrix[i * n + i] > 0.0).collect();
    let g = part(all, &loose, &loose);
    let stiffness = g.partial_piv_lu().inverse();
    // Already pressed by something; now some nodes are put elsewhere.
    let load = Mat::from_fn(loose.len(), 1, |i, _| libm::sin(3.0 * i as Real));
    let free = &g * &load;
    let (moved, others): (Vec<usize>, Vec<usize>) = (0..loose.len()).partition(|i| i % 7 == 0);
    let wanted = Mat::from_fn(moved.len(), 1, |i, _| 1e-3 * libm::cos(i as Real));
    let whole = part(g.as_ref(), &moved, &moved);
    let by_rows: Vec<Real> =
        (0..moved.len() * moved.len()).map(|k| whole[(k / moved.len(), k % moved.len())]).collect();
    let away: Vec<Real> = (0..moved.len()).map(|i| wanted[(i, 0)] - free[(moved[i], 0)]).collect();
    let mut forces = Vec::new();
    assert!(Capacitance::default().displace(&by_rows, &away, &mut forces));
    let forces = Mat::from_fn(forces.len(), 1, |i, _| forces[i]);
    let updated = &free + part(g.as_ref(), &(0..loose.len()).collect::<Vec<_>>(), &moved) * forces;
    // Anew: the moved ones are given, the others balance what is left.
    let inner = part(stiffness.as_ref(), &others, &others);
    let right = part(load.as_ref(), &others, &[0]) - part(stiffness.as_ref(), &others, &moved) * &wanted;
    let solved = inner.partial_piv_lu().solve(&right);
    let anew = Mat::from_fn(loose.len(), 1, |i, _| match moved.binary_search(&i) {
        Ok(k) => wanted[(k, 0)],
        Err(_) => solved[(others.partition_point(|o| *o < i), 0)],
    });
    let error = largest(&(&updated - &anew)) / largest(&anew);
    assert!(error < 1e-8, "{error:e}");
}

/// The general formula: types of boundary conditions are swapped at some nodes. With Ξ the answers to given data,
/// C = −Eᵀ Ξ E and v = v₀ + (E + Ξ E) C⁻¹ Eᵀ v₀ (James and Pai 1999); of given forces and asked displacements it is the
/// update above.
#[test]
fn swapped_boundary_conditions_equal_a_new_solution() {
    let (mesh, compliance) = ball(80);
    let n = 3 * mesh.points.len();
    let all = MatRef::from_row_major_slice(&compliance.matrix, n, n);
    let loose: Vec<usize> = (0..n).filter(|i| compliance.matrix[i * n + i] > 0.0).collect();
    // In units in which both are of one size.
    let unit = 1.0 / largest(&part(all, &loose, &loose));
    let xi = Mat::from_fn(loose.len(), loose.len(), |i, j| unit * all[(loose[i], loose[j])]);
    let swapped: Vec<usize> = (0..loose.len()).filter(|i| i % 5 == 1).collect();
    let is_swapped = |i: usize| swapped.binary_search(&i).is_ok();
    // Given: forces, and displacements where swapped.
    let given = Mat::from_fn(loose.len(), 1, |i, _| libm::sin(1.7 * i as Real));
    let kept = Mat::from_fn(loose.len(), 1, |i, _| if is_swapped(i) { 0.0 } else { given[(i, 0)] });
    let put = Mat::from_fn(loose.len(), 1, |i, _| if is_swapped(i) { given[(i, 0)] } else { 0.0 });
    let v0 = &xi * &kept - &put;
    let columns: Vec<usize> = (0..loose.len()).collect();
    let e = Mat::from_fn(loose.len(), swapped.len(), |i, k| Real::from(u8::from(swapped[k] == i)));
    let capacitance = -part(xi.as_ref(), &swapped, &swapped);
    let step = capacitance.partial_piv_lu().solve(part(v0.as_ref(), &swapped, &[0]));
    let v = &v0 + (&e + part(xi.as_ref(), &columns, &swapped)) * step;
    // Anew: −u + Ξ f = 0 with forces unknown where displacements are given.
    let system = Mat::from_fn(loose.len(), loose.len(), |i, j| match is_swapped(j) {
        true => xi[(i, j)],
        false => -Real::from(u8::from(i == j)),
    });
    let right = &put - &xi * &kept;
    let anew = system.partial_piv_lu().solve(&right);
    let error = largest(&(&v - &anew)) / largest(&anew);
    assert!(error < 1e-8, "{error:e}");
}

/// A flat plate pressed on a ball: Hertz says how deep, and where it stops touching.
#[test]
fn a_plate_on_a_ball_pushes_and_never_pulls() {
    let (mesh, compliance) = ball(800);
    let n = mesh.points.len();
    let depth = 0.04 * RADIUS;
    let near: Vec<usize> = (0..n).filter(|v| mesh.points[*v].z > 0.85 * RADIUS).collect();
    let gaps: Vec<Real> = near.iter().map(|v| RADIUS - depth - mesh.points[*v].z).collect();
    // Pushed down: a force on a node moves along −z.
    let w: Vec<Real> = (0..near.len() * near.len())
        .map(|k| compliance.matrix[(3 * near[k / near.len()] + 2) * 3 * n + 3 * near[k % near.len()] + 2])
        .collect();
    let mut forces = vec![0.0; near.len()];
    let pushed = Capacitance::default().push(&w, &gaps, &mut forces);
    assert!(pushed.settled);
    let touching = forces.iter().filter(|f| **f > 0.0).count();
    assert!(touching > 5 && touching < near.len() / 2, "{touching} of {}", near.len());
    for (i, force) in forces.iter().enumerate() {
        let gap =
            gaps[i] + w[i * near.len()..][..near.len()].iter().zip(&forces).map(|(w, f)| w * f).sum::<Real>();
        assert!(*force >= 0.0 && gap > -1e-12 && force * gap < 1e-12, "{force} {gap}");
    }
}
