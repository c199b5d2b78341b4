//! Stiffness matrices against naive assembly, factors against dense ones, orders by their fill, solves by their bits.

use crate::counting::allocations;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::amd;
use serosa_bake::assemble::{
    Lame, add_inertia, elastic_stiffness, laplacian, lumped_masses, shape_gradients,
};
use serosa_bake::cholesky::{FactorError, dissect, factor, factor_in_order};
use serosa_geometry::{Real, Vec3};
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::Factor;
use serosa_sim::algebra::sparse::{Fronts, Precision};

/// A solid of cubes of six tetrahedra, corners shaken.
pub struct Solid {
    pub points: Vec<Vec3>,
    pub tets: Vec<[u32; 4]>,
    fixed: Vec<bool>,
}

impl Solid {
    /// Cubes of 1 cm for which `keep` holds; the lowest layer of points is fixed.
    fn of(cells: [usize; 3], keep: impl Fn([usize; 3]) -> bool) -> Self {
        let [nx, ny, nz] = cells;
        let mut points = Vec::new();
        let mut of_corner = vec![u32::MAX; (nx + 1) * (ny + 1) * (nz + 1)];
        let mut tets = Vec::new();
        let mut random = noise(17);
        for cell in 0..nx * ny * nz {
            let at = [cell / (ny * nz), cell / nz % ny, cell % nz];
            if !keep(at) {
                continue;
            }
            let corners: [u32; 8] = core::array::from_fn(|b| {
                let c = [at[0] + (b & 1), at[1] + (b >> 1 & 1), at[2] + (b >> 2)];
                let slot = &mut of_corner[(c[0] * (ny + 1) + c[1]) * (nz + 1) + c[2]];
                if *slot == u32::MAX {
                    *slot = points.len() as u32;
                    let shake = 0.2 * Vec3::new(random(), random(), if c[2] == 0 { 0.0 } else { random() });
                    points.push(0.01 * (Vec3::from(c.map(|k| k as Real)) + shake));
                }
                *slot
            });
            for [i, j] in [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]] {
                tets.push([corners[0], corners[i], corners[j], corners[7]]);
            }
        }
        let fixed = points.iter().map(|p| p.z == 0.0).collect();
        Self { points, tets, fixed }
    }

    /// A lump like an organ, about `n` cells across.
    pub fn lump(n: usize) -> Self {
        let [nx, ny, nz] = [n * 4 / 3, n, n * 2 / 3];
        Self::of([nx, ny, nz], |c| {
            let [x, y, z] = [0, 1, 2].map(|k| (c[k] as Real + 0.5) / [nx, ny, nz][k] as Real * 2.0 - 1.0);
            x * x + y * y + z * z < 0.95 + 0.12 * (5.0 * x).sin() * (4.0 * y).sin()
        })
    }

    pub fn elastic(&self) -> BlockMatrix<3> {
        let soft_and_hard = |k: usize| Lame::of(if k.is_multiple_of(7) { 30e3 } else { 3e3 }, 0.45);
        let materials: Vec<Lame> = (0..self.tets.len()).map(soft_and_hard).collect();
        elastic_stiffness(&self.points, &self.tets, &materials, &self.fixed)
    }

    fn implicit(&self) -> BlockMatrix<1> {
        let mut matrix = laplacian(&self.points, &self.tets, &vec![2e3; self.tets.len()], &self.fixed);
        let masses = lumped_masses(&self.points, &self.tets, &vec![1e3; self.tets.len()]);
        add_inertia(&mut matrix, &masses, 1.0 / 60.0);
        matrix
    }

    /// Forces on free vertices.
    pub fn load(&self, width: usize) -> Vec<Real> {
        let mut random = noise(5);
        let free = |k: usize| !self.fixed[k / width];
        (0..width * self.points.len()).map(|k| if free(k) { random() } else { 0.0 }).collect()
    }
}

/// Numbers from −1 to 1.
pub fn noise(seed: u64) -> impl FnMut() -> Real {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as Real / (1u64 << 30) as Real - 1.0
    }
}

/// A matrix as dense rows over all vertices, by multiplication with unit vectors.
fn dense<const W: usize>(matrix: &BlockMatrix<W>) -> Vec<Vec<Real>> {
    let n = W * matrix.vertices();
    let column = |k: usize| {
        let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
        unit[k] = 1.0;
        matrix.multiply(&unit, &mut column);
        column
    };
    (0..n).map(column).collect()
}

/// Solves a dense symmetric system in the unknowns of free vertices, by Cholesky without any ordering.
fn solve_dense(rows: &[Vec<Real>], b: &[Real]) -> Vec<Real> {
    let free: Vec<usize> = (0..b.len()).filter(|k| rows[*k][*k] != 0.0).collect();
    let n = free.len();
    let mut l = vec![vec![0.0; n]; n];
    for j in 0..n {
        for i in j..n {
            let sum: Real = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let rest: Real = rows[free[i]][free[j]] - sum;
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    let mut y: Vec<Real> = free.iter().map(|k| b[*k]).collect();
    for i in 0..n {
        let sum: Real = (0..i).map(|k| l[i][k] * y[k]).sum();
        y[i] = (y[i] - sum) / l[i][i];
    }
    for i in (0..n).rev() {
        let sum: Real = (i + 1..n).map(|k| l[k][i] * y[k]).sum();
        y[i] = (y[i] - sum) / l[i][i];
    }
    let mut x = b.to_vec();
    free.iter().zip(y).for_each(|(k, y)| x[*k] = y);
    x
}

fn largest(values: impl Iterator<Item = Real>) -> Real {
    values.map(Real::abs).fold(0.0, Real::max)
}

pub fn difference(a: &[Real], b: &[Real]) -> Real {
    largest(a.iter().zip(b).map(|(a, b)| a - b)) / largest(b.iter().copied())
}

fn solved(factor: &Factor, b: &[Real], sides: usize) -> Vec<Real> {
    let mut x = b.to_vec();
    factor.solve(&mut x, sides, &mut Fronts::default());
    x
}

/// ‖A x − b‖ over ‖b‖, in the greatest component.
pub fn residual<const W: usize>(matrix: &BlockMatrix<W>, x: &[Real], b: &[Real]) -> Real {
    let mut product = vec![0.0; b.len()];
    matrix.multiply(x, &mut product);
    difference(&product, b)
}

#[test]
fn stiffness_is_the_second_derivative_of_the_energy() {
    let solid = Solid::of([2, 2, 1], |_| true);
    let none_fixed = vec![false; solid.points.len()];
    let lame = Lame { lambda: 5.0e3, mu: 2.0e3 };
    let matrix = elastic_stiffness(&solid.points, &solid.tets, &vec![lame; solid.tets.len()], &none_fixed);
    // Energy of linear elasticity, straight from its definition: V (μ ε:ε + λ/2 (tr ε)²).
    let energy = |u: &[Real]| -> Real {
        let of_tet = |tet: &[u32; 4]| {
            let (volume, g) = shape_gradients(tet.map(|v| solid.points[v as usize]));
            let mut strain = [[0.0; 3]; 3];
            for (v, g) in tet.iter().zip(g) {
                let (u, g) = (&u[3 * *v as usize..], g.to_array());
                for (p, row) in strain.iter_mut().enumerate() {
                    for (q, e) in row.iter_mut().enumerate() {
                        *e += 0.5 * (u[p] * g[q] + u[q] * g[p]);
                    }
                }
            }
            let trace: Real = (0..3).map(|k| strain[k][k]).sum();
            let square: Real = strain.iter().flatten().map(|e| e * e).sum();
            volume * (lame.mu * square + 0.5 * lame.lambda * trace * trace)
        };
        solid.tets.iter().map(of_tet).sum()
    };
    let rows = dense(&matrix);
    let n = rows.len();
    // A quadratic form is known from its values on pairs of unit vectors.
    let unit = |i: usize, j: usize| {
        let mut u = vec![0.0; n];
        u[i] += 1.0;
        u[j] += 1.0;
        energy(&u)
    };
    let single: Vec<Real> = (0..n).map(|i| unit(i, i) / 4.0).collect();
    for i in 0..n {
        for j in 0..n {
            let want = if i == j { 2.0 * single[i] } else { unit(i, j) - single[i] - single[j] };
            assert!((rows[i][j] - want).abs() < 1e-9 * largest(single.iter().copied()), "{i} {j}");
        }
    }
}

#[test]
fn rigid_motion_meets_no_stiffness() {
    let solid = Solid::of([3, 2, 2], |_| true);
    let none_fixed = vec![false; solid.points.len()];
    let lame = vec![Lame::of(1e3, 0.3); solid.tets.len()];
    let matrix = elastic_stiffness(&solid.points, &solid.tets, &lame, &none_fixed);
    let turned = |p: &Vec3| Vec3::new(1.0, 2.0, 3.0) + Vec3::new(0.3, -0.2, 0.5).cross(*p);
    let u: Vec<Real> = solid.points.iter().flat_map(|p| turned(p).to_array()).collect();
    let mut force = vec![0.0; u.len()];
    matrix.multiply(&u, &mut force);
    assert!(largest(force.into_iter()) < 1e-10);
}

#[test]
fn solutions_agree_with_a_dense_factor() {
    for (solid, name) in [
        (Solid::of([2, 2, 2], |_| true), "cube"),
        (Solid::of([9, 1, 2], |_| true), "plank"),
        (Solid::of([5, 4, 3], |c| c != [2, 2, 1]), "hollow"),
        (Solid::of([5, 2, 2], |c| c[0] != 2), "two pieces"),
    ] {
        let (matrix, b) = (solid.elastic(), solid.load(3));
        let want = solve_dense(&dense(&matrix), &b);
        let got = solved(&factor(&matrix, &solid.points, Precision::Double).unwrap(), &b, 1);
        assert!(difference(&got, &want) < 1e-10, "{name}: {}", difference(&got, &want));
        let rough = solved(&factor(&matrix, &solid.points, Precision::Single).unwrap(), &b, 1);
        assert!(difference(&rough, &want) < 1e-3, "{name}: {}", difference(&rough, &want));
        let (matrix, b) = (solid.implicit(), solid.load(1));
        let want = solve_dense(&dense(&matrix), &b);
        let got = solved(&factor(&matrix, &solid.points, Precision::Double).unwrap(), &b, 1);
        assert!(difference(&got, &want) < 1e-10, "{name}, scalar: {}", difference(&got, &want));
    }
}

#[test]
fn fixed_vertices_keep_what_they_hold() {
    let solid = Solid::of([3, 3, 3], |_| true);
    let (matrix, mut b) = (solid.elastic(), solid.load(3));
    let fixed: Vec<usize> = (0..b.len()).filter(|k| solid.fixed[k / 3]).collect();
    fixed.iter().for_each(|k| b[*k] = *k as Real);
    let x = solved(&factor(&matrix, &solid.points, Precision::Double).unwrap(), &b, 1);
    assert!(fixed.iter().all(|k| x[*k] == *k as Real));
}

#[test]
fn three_sides_at_once_are_three_solves_to_the_bit() {
    let solid = Solid::lump(12);
    let (matrix, b) = (solid.implicit(), solid.load(3));
    for precision in [Precision::Double, Precision::Single] {
        let factor = factor(&matrix, &solid.points, precision).unwrap();
        let together = solved(&factor, &b, 3);
        for side in 0..3 {
            let one: Vec<Real> = b.iter().skip(side).step_by(3).copied().collect();
            let alone = solved(&factor, &one, 1);
            assert!(
                alone
                    .iter()
                    .zip(together.iter().skip(side).step_by(3))
                    .all(|(a, b)| a.to_bits() == b.to_bits())
            );
        }
    }
}

#[test]
fn a_lump_is_solved_to_the_last_digits() {
    let solid = Solid::lump(16);
    let (matrix, b) = (solid.elastic(), solid.load(3));
    let factor = factor(&matrix, &solid.points, Precision::Double).unwrap();
    let residual = residual(&matrix, &solved(&factor, &b, 1), &b);
    assert!(residual < 1e-11, "{residual}");
}

#[test]
fn nested_dissection_fills_less_than_other_orders() {
    let solid = Solid::lump(20);
    let matrix = solid.implicit();
    let graph = dissect::Graph::of(&matrix);
    let fill = |order: Vec<u32>| factor_in_order(&matrix, order, Precision::Single).unwrap().entries();
    let natural: Vec<u32> = (0..graph.len() as u32).collect();
    let places: Vec<Vec3> = matrix.free().iter().map(|v| solid.points[*v as usize]).collect();
    let ours = fill(dissect::order(&graph, &places));
    let (amd, natural) = (fill(minimum_degree(&graph)), fill(natural));
    assert!(ours < amd && amd < natural, "ours {ours}, minimum degree {amd}, natural {natural}");
}

/// The order of approximate minimum degree, by faer.
fn minimum_degree(graph: &dissect::Graph) -> Vec<u32> {
    let n = graph.len();
    let mut starts = vec![0];
    let mut rows = Vec::new();
    for node in 0..n {
        let mut column: Vec<usize> = graph.neighbours(node).iter().map(|k| *k as usize).collect();
        column.push(node);
        column.sort_unstable();
        rows.extend(column);
        starts.push(rows.len());
    }
    let pattern = faer::sparse::SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let (mut order, mut places) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
    amd::order(&mut order, &mut places, pattern, amd::Control::default(), MemStack::new(&mut memory))
        .unwrap();
    order.into_iter().map(|k| k as u32).collect()
}

#[test]
fn bits_do_not_depend_on_threads() {
    let solid = Solid::lump(18);
    let (matrix, b) = (solid.elastic(), solid.load(3));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let factor = factor(&matrix, &solid.points, Precision::Single).unwrap();
            let x: Vec<u64> = solved(&factor, &b, 1).into_iter().map(Real::to_bits).collect();
            (factor, x)
        })
    };
    let one = on(1);
    assert!([2, 8].into_iter().all(|threads| on(threads) == one));
}

#[test]
fn a_warm_solve_allocates_nothing() {
    // Large enough to be divided among threads.
    let solid = Solid::lump(14);
    let (matrix, b) = (solid.elastic(), solid.load(3));
    let factor = factor(&matrix, &solid.points, Precision::Double).unwrap();
    let (mut x, mut fronts) = (b.clone(), Fronts::default());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| (0..20).for_each(|_| factor.solve(&mut x, 1, &mut fronts)));
    x.copy_from_slice(&b);
    assert_eq!(allocations(&pool, || factor.solve(&mut x, 1, &mut fronts)), 0);
}

#[test]
fn what_moves_without_resistance_is_named() {
    let mut solid = Solid::of([3, 2, 2], |_| true);
    solid.fixed.fill(false);
    let error = factor(&solid.elastic(), &solid.points, Precision::Double).unwrap_err();
    assert!(matches!(error, FactorError::NotPositive { .. }), "{error}");
    let mut matrix = solid.implicit();
    matrix.add_diagonal(4, Real::NAN);
    assert!(factor(&matrix, &solid.points, Precision::Double).is_err());
}

#[test]
fn a_body_without_free_vertices_has_an_empty_factor() {
    let mut solid = Solid::of([1, 1, 1], |_| true);
    solid.fixed.fill(true);
    let factor = factor(&solid.elastic(), &solid.points, Precision::Double).unwrap();
    let x = vec![2.0; 3 * solid.points.len()];
    assert_eq!((factor.unknowns(), solved(&factor, &x, 1)), (0, x));
}

#[test]
fn a_narrowed_factor_is_the_one_made_narrow() {
    let solid = Solid::lump(9);
    let laws = vec![Lame::of(1e4, 0.4); solid.tets.len()];
    let matrix = elastic_stiffness(&solid.points, &solid.tets, &laws, &solid.fixed);
    let [wide, narrow] =
        [Precision::Double, Precision::Single].map(|p| factor(&matrix, &solid.points, p).unwrap());
    assert!(wide.bytes() == 2 * narrow.bytes());
    assert_eq!(wide.narrowed(), Ok(narrow.clone()));
    assert_eq!(narrow.narrowed(), Ok(narrow));
}
