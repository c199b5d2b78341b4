//! Generators of chains, nets, membranes, organs and spheres. Built-in scenes make their own geometry with these.

pub mod block;
pub mod intestine;
pub mod organ;
pub mod sphere;
pub mod tube;

use crate::{Mesh, Real, Vec3};
use core::f64::consts::TAU;

/// Why something cannot be made, in whole sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Impossible {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

pub(crate) fn impossible<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, Impossible> {
    Err(Impossible { message: message.into(), help: help.into() })
}

/// A straight chain of `nodes` ≥ 2 points from `from` to `to`. Sets: `first`, `last`, `ends`.
pub fn chain(from: Vec3, to: Vec3, nodes: usize) -> Mesh {
    let step = 1.0 / (nodes.max(2) - 1) as Real;
    chain_through((0..nodes.max(2)).map(|i| from.lerp(to, i as Real * step)).collect())
}

/// The size of a [`helix`]: a chain of `nodes` points, `spacing` apart along the thread, wound upwards about
/// the vertical through `base` with the given `radius` and `pitch` (rise per turn). All in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    /// Centre of the lowest turn.
    pub base: Vec3,
    /// Number of points.
    pub nodes: usize,
    /// Arc length between neighbouring points.
    pub spacing: Real,
    /// Radius of the turns.
    pub radius: Real,
    /// Rise per turn.
    pub pitch: Real,
}

/// A chain wound as a helix. Sets: `first` (lowest), `last` (highest), `ends`.
pub fn helix(h: &Helix) -> Mesh {
    let turn = libm::hypot(TAU * h.radius, h.pitch);
    let point = |i: usize| {
        let turns = i as Real * h.spacing / turn;
        let angle = TAU * turns;
        h.base + Vec3::new(h.radius * libm::cos(angle), h.radius * libm::sin(angle), h.pitch * turns)
    };
    chain_through((0..h.nodes.max(2)).map(point).collect())
}

/// A chain through given points, joined in order. Sets: `first`, `last`, `ends`.
pub fn chain_through(points: Vec<Vec3>) -> Mesh {
    let last = points.len().saturating_sub(1) as u32;
    let edges = (0..last).map(|i| [i, i + 1]).collect();
    let sets = [("first", vec![0]), ("last", vec![last]), ("ends", vec![0, last])];
    Mesh { points, edges, triangles: Vec::new(), sets: named(sets) }
}

/// The layout of a sheet: `columns` × `rows` points, the first at `corner`, the others along `along` and
/// `across`, the full sides of the sheet as vectors [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// First point.
    pub corner: Vec3,
    /// Side with `columns` points.
    pub along: Vec3,
    /// Side with `rows` points.
    pub across: Vec3,
    /// Points along, at least 2.
    pub columns: usize,
    /// Points across, at least 2.
    pub rows: usize,
}

/// A net: threads along both sides, knotted where they cross, no diagonals.
/// Sets: `corners`, `border`, and the sides `left`, `right` (ends of `along`), `near`, `far` (of `across`).
pub fn net(sheet: &Sheet) -> Mesh {
    sheet_mesh(sheet, false)
}

/// A membrane: a net with both diagonals of every cell, so that it resists shear, and triangles to draw.
/// Sets as for a [`net`].
pub fn membrane(sheet: &Sheet) -> Mesh {
    sheet_mesh(sheet, true)
}

fn sheet_mesh(sheet: &Sheet, diagonals: bool) -> Mesh {
    let (nu, nv) = (sheet.columns.max(2), sheet.rows.max(2));
    let at = |i: usize, j: usize| (j * nu + i) as u32;
    let mut mesh = Mesh::default();
    for j in 0..nv {
        for i in 0..nu {
            let (u, v) = (i as Real / (nu - 1) as Real, j as Real / (nv - 1) as Real);
            mesh.points.push(sheet.corner + sheet.along * u + sheet.across * v);
        }
    }
    for j in 0..nv {
        for i in 0..nu {
            let (right, up) = (i + 1 < nu, j + 1 < nv);
            if right {
                mesh.edges.push([at(i, j), at(i + 1, j)]);
            }
            if up {
                mesh.edges.push([at(i, j), at(i, j + 1)]);
            }
            if right && up && diagonals {
                mesh.edges.push([at(i, j), at(i + 1, j + 1)]);
                mesh.edges.push([at(i + 1, j), at(i, j + 1)]);
                mesh.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                mesh.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    let select = |keep: &dyn Fn(usize, usize) -> bool| -> Vec<u32> {
        (0..nv * nu).filter(|&k| keep(k % nu, k / nu)).map(|k| k as u32).collect()
    };
    let (iend, jend) = (nu - 1, nv - 1);
    mesh.sets = named([
        ("corners", select(&|i, j| (i == 0 || i == iend) && (j == 0 || j == jend))),
        ("border", select(&|i, j| i == 0 || i == iend || j == 0 || j == jend)),
        ("left", select(&|i, _| i == 0)),
        ("right", select(&|i, _| i == iend)),
        ("near", select(&|_, j| j == 0)),
        ("far", select(&|_, j| j == jend)),
    ]);
    mesh
}

fn named<const N: usize>(sets: [(&str, Vec<u32>); N]) -> std::collections::BTreeMap<String, Vec<u32>> {
    sets.into_iter().map(|(name, set)| (name.to_owned(), set)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helix_keeps_its_spacing_and_radius() {
        let h = Helix { base: Vec3::Z, nodes: 200, spacing: 0.002, radius: 0.05, pitch: 0.02 };
        let mesh = helix(&h);
        assert_eq!((mesh.points.len(), mesh.edges.len()), (200, 199));
        for p in &mesh.points {
            assert!((p.truncate().length() - 0.05).abs() < 1e-12);
        }
        for e in &mesh.edges {
            let d = (mesh.points[e[0] as usize] - mesh.points[e[1] as usize]).length();
            assert!((d - 0.002).abs() < 1e-6, "a chord is a little shorter than its arc: {d}");
        }
    }

    #[test]
    fn a_membrane_is_a_disk_by_euler() {
        let sheet = Sheet { corner: Vec3::ZERO, along: Vec3::X, across: Vec3::Y, columns: 5, rows: 4 };
        let m = membrane(&sheet);
        let one_diagonal = m.edges.len() - m.triangles.len() / 2;
        assert_eq!(m.points.len() + m.triangles.len(), one_diagonal + 1);
        assert_eq!(m.sets["border"].len(), 2 * (5 + 4) - 4);
        assert_eq!(m.sets["corners"], [0, 4, 15, 19]);
        assert_eq!(net(&sheet).edges.len(), 5 * 3 + 4 * 4);
    }
}
