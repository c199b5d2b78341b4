//! Boundary elements against theory: linear fields, spheres, bars, weight, and what is refused.

use serosa_bake::boundary::{Boundary, BoundaryFault, Compliance, Material};
use serosa_bake::statics::element::with_middles;
use serosa_bake::statics::{Body, Loads};
use serosa_geometry::generate::{block::Block, block::block, sphere::even_sphere};
use serosa_geometry::{Mat3, Mesh, Real, Vec3};
use serosa_sim::body::solid::Elastic;
use serosa_sim::model::{Law, Region};

const RUBBER: Material = Material { young: 2e6, poisson: 0.3 };

fn of(mesh: &Mesh, material: Material) -> Boundary {
    Boundary::assemble(&mesh.points, &mesh.triangles, material, &mut |_| {}).unwrap()
}

/// The outer surface of a block, without the points inside.
fn block_surface(size: Vec3, cells: [usize; 3]) -> Mesh {
    let (mesh, _) = block(&Block { corner: Vec3::ZERO, size, cells });
    let mut number = vec![u32::MAX; mesh.points.len()];
    let mut points = Vec::new();
    let mut triangles = mesh.triangles;
    for v in triangles.iter_mut().flatten() {
        let old = *v as usize;
        if number[old] == u32::MAX {
            number[old] = points.len() as u32;
            points.push(mesh.points[old]);
        }
        *v = number[old];
    }
    Mesh::from_triangles(points, triangles)
}

fn stress(material: &Material, slope: &Mat3) -> Mat3 {
    let mu = material.shear();
    let lambda = 2.0 * mu * material.poisson / (1.0 - 2.0 * material.poisson);
    let trace = slope.col(0).x + slope.col(1).y + slope.col(2).z;
    Mat3::from_diagonal(Vec3::splat(lambda * trace)) + (*slope + slope.transpose()) * mu
}

fn most(v: impl Iterator<Item = Vec3>) -> Real {
    v.map(|v| v.length()).fold(0.0, Real::max)
}

#[test]
fn any_linear_field_solves_the_equations_of_a_surface() {
    let bar = block_surface(Vec3::new(0.3, 0.1, 0.1), [6, 2, 2]);
    let ball = even_sphere(Vec3::new(0.3, 0.2, 0.1), 0.05, 200).unwrap();
    let slopes = [
        Mat3::from_cols_array(&[0.01, 0.0, 0.0, 0.0, -0.003, 0.0, 0.0, 0.0, -0.003]),
        Mat3::from_cols_array(&[0.01, -0.02, 0.004, 0.007, 0.03, 0.01, -0.02, 0.005, 0.001]),
        // A turn: no strain.
        Mat3::from_cols_array(&[0.0, 0.02, -0.01, -0.02, 0.0, 0.03, 0.01, -0.03, 0.0]),
    ];
    for mesh in [&bar, &ball] {
        let boundary = of(mesh, RUBBER);
        for slope in &slopes {
            let field: Vec<Vec3> = mesh.points.iter().map(|x| *slope * *x + Vec3::X).collect();
            let left = boundary.of_displacements(&field);
            let right = boundary.of_tractions(&boundary.tractions_of(|_| stress(&RUBBER, slope)));
            let size = most(field.iter().map(|u| *u - Vec3::X));
            let error = most(left.iter().zip(&right).map(|(a, b)| *a - *b)) / size;
            assert!(error < 2e-5, "{error:e}");
        }
    }
}

#[test]
fn a_sphere_shrinks_under_pressure_as_the_formula_says() {
    let (radius, pressure) = (0.05, 1e4);
    for poisson in [0.0, 0.3, 0.45] {
        let material = Material { poisson, ..RUBBER };
        let mesh = even_sphere(Vec3::ZERO, radius, 800).unwrap();
        let boundary = of(&mesh, material);
        let free = boundary.hold(&[]).unwrap();
        let press = Mat3::from_diagonal(Vec3::splat(-pressure));
        let motion = free.solve(&[], &boundary.tractions_of(|_| press));
        let want = -pressure * radius * (1.0 - 2.0 * poisson) / material.young;
        for (x, u) in mesh.points.iter().zip(&motion.displacement) {
            let error = (*u - *x / radius * want).length() / want.abs();
            assert!(error < 0.01, "ν {poisson}: {error}");
        }
    }
}

/// Displacements by forces on the nodes.
fn pushed(compliance: &Compliance, forces: &[Vec3]) -> Vec<Vec3> {
    let n = 3 * forces.len();
    let row = |i: usize| -> Real {
        compliance.matrix[i * n..][..n].chunks(3).zip(forces).map(|(g, f)| f.dot(Vec3::from_slice(g))).sum()
    };
    (0..forces.len()).map(|i| Vec3::new(row(3 * i), row(3 * i + 1), row(3 * i + 2))).collect()
}

/// By forces on nodes the pressure is along normals that are smooth, and what is not symmetric is left out: both shrink
/// with the edges.
#[test]
fn compliance_is_nearly_symmetric_and_comes_near_the_formula() {
    let (radius, pressure) = (0.05, 1e4);
    let mut last = (1.0, 1.0);
    for nodes in [150, 600] {
        let mesh = even_sphere(Vec3::ZERO, radius, nodes).unwrap();
        let boundary = of(&mesh, RUBBER);
        let compliance = boundary.hold(&[]).unwrap().compliance(&mut |_| {});
        let forces = mesh.points.iter().zip(boundary.areas()).map(|(x, a)| *x * (-pressure / radius * a));
        let motion = pushed(&compliance, &forces.collect::<Vec<_>>());
        let want = -pressure * (1.0 - 2.0 * RUBBER.poisson) / RUBBER.young;
        let error =
            most(motion.iter().zip(&mesh.points).map(|(u, x)| *u - *x * want)) / (want.abs() * radius);
        let now = (compliance.asymmetry, error);
        assert!(now.0 < 0.8 * last.0 && now.1 < 0.8 * last.1, "{nodes}: {now:?} after {last:?}");
        last = now;
    }
    assert!(last.0 < 0.02 && last.1 < 0.02, "{last:?}");
}

#[test]
fn compliance_resists_every_force() {
    let bar = block_surface(Vec3::new(0.3, 0.1, 0.1), [6, 2, 2]);
    let boundary = of(&bar, Material { poisson: 0.45, ..RUBBER });
    let held = left_end(&bar);
    let compliance = boundary.hold(&held).unwrap().compliance(&mut |_| {});
    let n = 3 * bar.points.len();
    let free: Vec<usize> = (0..n).filter(|i| !held.contains(&((i / 3) as u32))).collect();
    let matrix = faer::Mat::from_fn(free.len(), free.len(), |i, j| compliance.matrix[free[i] * n + free[j]]);
    let values = matrix.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
    assert!(values[0] > 0.0, "{} of {}", values[0], values[values.len() - 1]);
    let held_rows = held.iter().flat_map(|v| [0, 1, 2].map(|a| 3 * *v as usize + a));
    assert!(held_rows.flat_map(|i| &compliance.matrix[i * n..][..n]).all(|g| *g == 0.0));
}

fn left_end(mesh: &Mesh) -> Vec<u32> {
    (0..mesh.points.len() as u32).filter(|v| mesh.points[*v as usize].x == 0.0).collect()
}

#[test]
fn a_bar_is_drawn_out_and_held_with_what_draws_it() {
    let size = Vec3::new(0.3, 0.1, 0.08);
    let bar = block_surface(size, [6, 2, 2]);
    let boundary = of(&bar, RUBBER);
    let held = boundary.hold(&left_end(&bar)).unwrap();
    let pull = 1e4;
    let strain = pull / RUBBER.young;
    let field =
        |x: Vec3| Vec3::new(strain * x.x, -RUBBER.poisson * strain * x.y, -RUBBER.poisson * strain * x.z);
    let at = |v: &u32| bar.points[*v as usize];
    let displaced: Vec<Vec3> = held.nodes().iter().map(|v| field(at(v))).collect();
    let at_end = |t: &[u32; 3]| t.iter().all(|v| at(v).x == size.x);
    let drawn = |t| if at_end(t) { [Vec3::X * pull; 3] } else { [Vec3::ZERO; 3] };
    let tractions: Vec<[Vec3; 3]> = bar.triangles.iter().map(drawn).collect();
    let motion = held.solve(&displaced, &tractions);
    let error = most(motion.displacement.iter().zip(&bar.points).map(|(u, x)| *u - field(*x)));
    assert!(error < 1e-4 * strain * size.x, "{error:e}");
    let held_with: Vec3 = motion.reaction.iter().sum();
    let force = Vec3::X * (pull * size.y * size.z);
    assert!((held_with + force).length() < 1e-4 * force.length(), "{held_with} {force}");
}

fn law(material: &Material) -> Elastic {
    let Material { young, poisson } = *material;
    Elastic::of(&Region { name: String::new(), law: Law::Corotated, young, poisson, density: 1000.0 })
}

/// A short beam that is held at its left end and sags: nodes of the surface of quadratic tetrahedra and of boundary
/// elements of the same cells.
#[test]
fn finite_and_boundary_elements_agree_about_a_body() {
    let (size, cells) = (Vec3::new(0.2, 0.1, 0.1), [12, 6, 6]);
    let bar = block_surface(size, cells);
    let weight = Vec3::NEG_Z * 10.0;
    let boundary = of(&bar, RUBBER);
    let motion = boundary.hold(&left_end(&bar)).unwrap().weigh(weight);
    let (mesh, tets) = block(&Block { corner: Vec3::ZERO, size, cells });
    let (nodes, elements) = with_middles(&mesh.points, &tets);
    let laws = vec![law(&RUBBER); elements.len()];
    let body = Body::quadratic(nodes, elements, laws);
    let held = (0..body.points.len() as u32).filter(|v| body.points[*v as usize].x == 0.0);
    let loads = Loads {
        held: held.map(|v| (v, body.points[v as usize])).collect(),
        forces: body.weight(1.0, weight),
        ..Loads::default()
    };
    let pos = body.settle(&body.points, &loads, 1).unwrap();
    let of_fem = |x: &Vec3| {
        let v = body.points.iter().position(|p| p.abs_diff_eq(*x, 1e-9)).unwrap();
        pos[v] - body.points[v]
    };
    let deepest = most(motion.displacement.iter().copied());
    let error = most(motion.displacement.iter().zip(&bar.points).map(|(u, x)| *u - of_fem(x))) / deepest;
    assert!(error < 0.03, "{error}");
    let held_with: Vec3 = motion.reaction.iter().sum();
    let all = weight * (size.x * size.y * size.z);
    assert!((held_with + all).length() < 0.01 * all.length(), "{held_with} {all}");
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let mesh = even_sphere(Vec3::ZERO, 0.05, 150).unwrap();
    let bits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let compliance = of(&mesh, RUBBER).hold(&[0, 50, 100, 149]).unwrap().compliance(&mut |_| {});
            compliance.matrix.iter().map(|g| g.to_bits()).collect::<Vec<_>>()
        })
    };
    let one = bits(1);
    assert!(one == bits(2) && one == bits(8));
}

#[test]
fn surfaces_that_bound_no_body_are_refused_and_told_where() {
    let ball = even_sphere(Vec3::ZERO, 0.05, 100).unwrap();
    let fault = |points: &[Vec3], triangles: &[[u32; 3]]| {
        Boundary::assemble(points, triangles, RUBBER, &mut |_| {}).unwrap_err()
    };
    let open = fault(&ball.points, &ball.triangles[1..]);
    let corner = ball.points[ball.triangles[0][0] as usize];
    assert!(
        matches!(&open, BoundaryFault::Open { count: 3, places }
        if places.contains(&format!("({}, {}, {})", corner.x, corner.y, corner.z))),
        "{open}"
    );
    let mut flat = ball.clone();
    let [a, b, c] = flat.triangles[5].map(|v| v as usize);
    flat.points[b] = Vec3::new(0.04, 0.0, 0.0);
    flat.points[c] = Vec3::new(0.02, 0.0, 0.0);
    flat.points[a] = Vec3::new(0.03, 0.0, 0.0);
    assert!(matches!(fault(&flat.points, &flat.triangles), BoundaryFault::Degenerate { triangle: 5, .. }));
    let mut two = ball.clone();
    two.points.extend(ball.points.iter().map(|p| *p + Vec3::X));
    two.triangles.extend(ball.triangles.iter().map(|t| t.map(|v| v + 100)));
    assert!(
        matches!(fault(&two.points, &two.triangles), BoundaryFault::Pieces { pieces: 2, at } if (at - Vec3::X).length() < 0.01)
    );
    let turned: Vec<[u32; 3]> = ball.triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    assert!(matches!(fault(&ball.points, &turned), BoundaryFault::InsideOut { volume } if volume < 0.0));
    let mut one_turned = ball.triangles.clone();
    one_turned[9].swap(0, 1);
    assert!(matches!(fault(&ball.points, &one_turned), BoundaryFault::Flipped { count: 3, .. }));
    let mut lost = ball.triangles.clone();
    lost[3][1] = 100;
    assert_eq!(fault(&ball.points, &lost), BoundaryFault::NoPoint { triangle: 3 });
    assert_eq!(fault(&ball.points, &[]), BoundaryFault::Empty);
    let mut more = ball.points.clone();
    more.push(Vec3::ONE);
    assert_eq!(fault(&more, &ball.triangles), BoundaryFault::Unused { points: 1 });
    let mut lost = ball.clone();
    lost.points[7].y = Real::NAN;
    assert_eq!(fault(&lost.points, &lost.triangles), BoundaryFault::NotFinite { point: 7 });
    // Two tetrahedra that share points 0 and 1, point 0 alone, or none though two are at one place.
    let tet = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let faces = |v: [u32; 4]| [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t| t.map(|i: usize| v[i]));
    let pair = |points: &[Vec3], v: [u32; 4]| {
        fault(&[&tet, points].concat(), &[faces([0, 1, 2, 3]), faces(v)].concat())
    };
    let far = [Vec3::new(0.0, -1.0, -0.1), Vec3::new(0.0, -0.1, -1.0), Vec3::new(-1.0, 0.1, 0.2)];
    assert!(matches!(pair(&far[..2], [0, 1, 4, 5]), BoundaryFault::Crowded { count: 1, .. }));
    assert!(matches!(pair(&far, [0, 4, 6, 5]), BoundaryFault::Pinched { point: 0, .. }));
    let apart = [&[Vec3::ZERO], &far[..]].concat();
    assert!(matches!(pair(&apart, [4, 5, 7, 6]), BoundaryFault::Torn { .. }));
    for poisson in [0.5, -1.0, Real::NAN] {
        let answer =
            Boundary::assemble(&ball.points, &ball.triangles, Material { poisson, ..RUBBER }, &mut |_| {});
        assert!(matches!(answer, Err(BoundaryFault::Material { .. })), "{poisson}");
    }
    assert_eq!(of(&ball, RUBBER).hold(&[1, 7]).unwrap_err(), BoundaryFault::Loose);
}
