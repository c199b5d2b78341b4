//! Friction beside the states that another implementation of the same friction wrote down: two cubes that slide on one
//! another, with energies, slopes and curvatures.
//!
//! The files `friction-force-jacobian` beside them cannot serve: they are flat and hold no answers.

use super::barrier::Rub;
use super::near::{Kind, Near};
use super::piece::outer;
use serde_json::Value;
use serosa_geometry::{Mat3, Real, Vec3};
use std::path::{Path, PathBuf};

/// A folder of the data that lie beside the project; where there is none, says so.
#[allow(clippy::print_stdout)]
pub fn data(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/contact").join(name);
    if !folder.is_dir() {
        println!("skipped: there is no ../shared/data/contact/{name} beside the project");
        return None;
    }
    Some(folder)
}

fn numbers(value: &Value) -> Vec<Real> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<Real>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn points(value: &Value) -> Vec<Vec3> {
    rows(value).iter().map(|r| Vec3::new(r[0], r[1], r[2])).collect()
}

/// Pairs as that program numbers them: the first of a vertex and a triangle is −1 − vertex; of a vertex and an edge the
/// last is how many such pairs there are, less than 0. Those are pairs with a triangle without its third corner.
fn pair(ids: &[Real], [s, t]: [Real; 2]) -> (Kind, [u32; 4], [Real; 4]) {
    let whole = |k: usize| ids[k] as i64;
    if whole(0) >= 0 {
        let nodes = std::array::from_fn(|k| whole(k) as u32);
        return (Kind::EdgeEdge, nodes, [1.0 - s, s, t - 1.0, -t]);
    }
    let third = if whole(3) < 0 { whole(2) } else { whole(3) };
    let nodes = [-1 - whole(0), whole(1), whole(2), third].map(|v| v as u32);
    (Kind::VertexTriangle, nodes, [1.0, s + t - 1.0, -s, -t])
}

/// Friction as it is written in a state; our own closest points and normals must be those of the file.
fn rubs(state: &Value) -> Vec<Rub> {
    let lagged = points(&state["V_lagged"]);
    let (ids, places) = (rows(&state["mmcvids"]), rows(&state["closest_point_coordinates"]));
    let (forces, bases) = (numbers(&state["normal_force_magnitudes"]), rows(&state["tangent_bases"]));
    let friction = state["mu"].as_f64().unwrap();
    let mut all = Vec::new();
    for (k, ids) in ids.iter().enumerate() {
        let (kind, nodes, weights) = pair(ids, [places[k][0], places[k][1]]);
        let near = Near::of(kind, &nodes.map(|v| lagged[v as usize]));
        let off = near.weights.iter().zip(weights).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
        assert!(off < 1e-9, "{:?} {weights:?}", near.weights);
        let column = |c: usize| Vec3::new(bases[3 * k][c], bases[3 * k + 1][c], bases[3 * k + 2][c]);
        let tangential = outer(column(0), column(0)) + outer(column(1), column(1));
        let n = near.apart.normalize();
        let off = tangential - (Mat3::IDENTITY - outer(n, n));
        assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-9), "{off}");
        all.push(Rub { nodes, weights, tangential, limit: friction * forces[k] });
    }
    all
}

#[test]
fn friction_is_that_of_another_implementation() {
    let Some(folder) = data("ipc_toolkit/friction/cube_cube") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let state: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let (old, pos) = (points(&state["V_start"]), points(&state["V_end"]));
        let still = state["epsv_times_h_squared"].as_f64().unwrap().sqrt();
        let n = 3 * pos.len();
        let (mut energy, mut slope, mut bend) = (0.0, vec![0.0; n], vec![0.0; n * n]);
        for rub in rubs(&state) {
            let piece = rub.piece(&pos, &old, still);
            energy += piece.energy;
            let at = |k: usize| 3 * rub.nodes[k / 3] as usize + k % 3;
            for i in 0..12 {
                slope[at(i)] += piece.gradient[i / 3][i % 3];
                (0..12).for_each(|j| bend[at(i) * n + at(j)] += piece.hessian[i][j]);
            }
        }
        let wanted = state["energy"].as_f64().unwrap();
        assert!((energy / wanted - 1.0).abs() < 1e-10, "{path:?}: {energy} {wanted}");
        let wanted = numbers(&state["gradient"]);
        let size = wanted.iter().fold(0.0, |m: Real, g| m.max(g.abs()));
        let worst = slope.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
        assert!(worst < 1e-10 * size, "{path:?}: {worst} {size}");
        let triplets = rows(&state["hessian_triplets"]);
        let size = triplets.iter().fold(0.0, |m: Real, t| m.max(t[2].abs()));
        triplets.iter().for_each(|t| bend[t[0] as usize * n + t[1] as usize] -= t[2]);
        let worst = bend.iter().fold(0.0, |m: Real, b| m.max(b.abs()));
        assert!(worst < 1e-8 * size, "{path:?}: {worst} {size}");
        seen += 1;
    }
    assert_eq!(seen, 8);
}
