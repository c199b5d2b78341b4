//! Beams and rods: where theory has an answer.

use super::Line;
use super::mesh::{Any, Bent, Order, law, mean};
use serosa_bake::statics::{Loads, StaticsError};
use serosa_geometry::Vec3;
use serosa_sim::model::Law;
use std::f64::consts::PI;

/// A linear field on the boundary gives the same field inside, on a mesh without any order.
pub fn patch() -> Result<Vec<Line>, StaticsError> {
    let mut lines = Vec::new();
    for order in Order::BOTH {
        for kind in [Law::NeoHookean, Law::Corotated] {
            let bent = Bent::of([3, 3, 3], order, law(kind, 1e4, 0.45), |p| p * 0.1);
            let field =
                |x: Vec3| x + Vec3::new(0.02 * x.y + 0.01 * x.x, 0.015 * x.z, 0.03 * x.x - 0.01 * x.y);
            let outer = bent.nodes(|p| p.min_element() == 0.0 || p.max_element() == 1.0);
            let held = outer.iter().map(|v| (*v, field(bent.points()[*v as usize]))).collect();
            let pos = bent.settle(&Loads { held, ..Loads::default() }, 1)?;
            let off = pos.iter().zip(bent.points()).map(|(x, p)| (*x - field(*p)).length());
            lines.push(
                Line::new("patch test", format!("{} {kind:?}", order.name()), bent.len(), "error / size")
                    .values(off.fold(0.0, f64::max) / 0.1, 0.0)
                    .absolute()
                    .within(1e-9),
            );
        }
    }
    Ok(lines)
}

/// Length over thickness of the cantilever.
const SLENDER: f64 = 8.0;

/// A beam held at one end, with a small force at the other.
fn cantilever_tip(across: usize, order: Order, poisson: f64) -> Result<(f64, usize), StaticsError> {
    let (thick, young) = (0.1, 1e6);
    let along = (across as f64 * SLENDER) as usize;
    let size = Vec3::new(SLENDER * thick, thick, thick);
    let bent = Bent::of([along, across, across], order, law(Law::Corotated, young, poisson), |p| p * size);
    let force = 1e-5 * young * thick * thick;
    let loads = Loads {
        held: bent.nodes(|p| p.x == 0.0).into_iter().map(|v| (v, bent.points()[v as usize])).collect(),
        forces: bent.traction(|p| p.x == 1.0, Vec3::Z * (force / (thick * thick))),
        ..Loads::default()
    };
    let pos = bent.settle(&loads, 1)?;
    let end = bent.nodes(|p| p.x == 1.0);
    let tip = mean(&end, |v| pos[v].z - bent.points()[v].z);
    Ok((tip / theory(thick, young, poisson, force), bent.len()))
}

/// Timoshenko's beam with Cowper's shear coefficient for a square.
fn theory(thick: f64, young: f64, poisson: f64, force: f64) -> f64 {
    let (length, area) = (SLENDER * thick, thick * thick);
    let inertia = area * area / 12.0;
    let shear = young / (2.0 * (1.0 + poisson));
    let coefficient = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    force * length.powi(3) / (3.0 * young * inertia) + force * length / (coefficient * shear * area)
}

pub fn cantilever() -> Result<Vec<Line>, StaticsError> {
    let mut lines = Vec::new();
    for poisson in [0.0, 0.3, 0.45] {
        let mut tips = Vec::new();
        for across in [4, 8, 16] {
            let (tip, n) = cantilever_tip(across, Order::Linear, poisson)?;
            tips.push(tip);
            let case = format!("cantilever, nu {poisson}");
            lines.push(
                Line::new(case, format!("linear, {across} across"), n, "tip / theory").values(tip, 1.0),
            );
        }
        let (rise, ratio) = (tips[2] - tips[1], (tips[1] - tips[0]) / (tips[2] - tips[1]));
        let limit = tips[2] + rise / (ratio - 1.0);
        let case = format!("cantilever, nu {poisson}");
        lines.push(
            Line::new(case.clone(), "linear, limit of three", 0, "tip / theory")
                .values(limit, 1.0)
                .within(0.03),
        );
        let order = ratio.log2();
        lines.push(
            Line::new(case.clone(), "linear, limit of three", 0, "order").values(order, 2.0).absolute(),
        );
        for (across, bound) in [(4, 0.03), (8, 0.03)] {
            let (tip, n) = cantilever_tip(across, Order::Quadratic, poisson)?;
            let method = format!("quadratic, {across} across");
            lines.push(Line::new(case.clone(), method, n, "tip / theory").values(tip, 1.0).within(bound));
        }
    }
    Ok(lines)
}

/// (P L² / E I, tip drop / L, tip shortening / L), from the closed form of Bisshopp & Drucker (1945).
const ELASTICA: [(f64, f64, f64); 3] =
    [(1.0, 0.301720774, 0.0564332363), (4.0, 0.669964181, 0.328941242), (10.0, 0.810609025, 0.554995598)];

/// A slender beam bent far round by a force at its end that keeps its direction.
pub fn elastica() -> Result<Vec<Line>, StaticsError> {
    let (thick, length, young) = (0.02, 1.0, 1e6);
    let stiffness = young * f64::powi(thick, 4) / 12.0;
    let size = Vec3::new(length, thick, thick);
    let mut lines = Vec::new();
    for kind in [Law::Corotated, Law::NeoHookean] {
        let bent = Bent::of([50, 1, 2], Order::Quadratic, law(kind, young, 0.0), |p| p * size);
        for (alpha, drop, shortening) in ELASTICA {
            let force = alpha * stiffness / (length * length);
            let loads = Loads {
                held: bent
                    .nodes(|p| p.x == 0.0)
                    .into_iter()
                    .map(|v| (v, bent.points()[v as usize]))
                    .collect(),
                forces: bent.traction(|p| p.x == 1.0, Vec3::NEG_Z * (force / (thick * thick))),
                ..Loads::default()
            };
            let pos = bent.settle(&loads, (4.0 * alpha).ceil() as u32)?;
            let end = bent.nodes(|p| p.x == 1.0);
            let (z, x) = (mean(&end, |v| pos[v].z - bent.points()[v].z), mean(&end, |v| length - pos[v].x));
            let line = |q| {
                Line::new(format!("elastica, {alpha}"), format!("quadratic {kind:?}"), bent.len(), q)
                    .within(0.02)
            };
            lines.push(line("drop / length").values(-z / length, drop));
            lines.push(line("shortening / length").values(x / length, shortening));
        }
    }
    Ok(lines)
}

/// A square made round: circles stay circles about the middle.
fn round(p: Vec3, radius: f64) -> Vec3 {
    let (u, v) = (2.0 * p.x - 1.0, 2.0 * p.y - 1.0);
    let (x, y) = (u * (1.0 - 0.5 * v * v).sqrt(), v * (1.0 - 0.5 * u * u).sqrt());
    Vec3::new(x * radius, y * radius, 0.0)
}

/// A round rod, its ends turned against each other at a fixed distance: torque and axial force (Rivlin 1949).
pub fn torsion() -> Result<Vec<Line>, StaticsError> {
    let (radius, length, shear) = (0.02, 0.06, 1e4);
    let mut lines = Vec::new();
    for (poisson, twist) in [(0.3, 0.01), (0.495, 0.5), (0.495, 1.5)] {
        let young = 2.0 * (1.0 + poisson) * shear;
        let place = |p: Vec3| round(p, radius) + Vec3::Z * (p.z * length);
        let bent = Bent::of([6, 6, 10], Order::Quadratic, law(Law::NeoHookean, young, poisson), place);
        let turned = |x: Vec3, by: f64| {
            let (s, c) = by.sin_cos();
            Vec3::new(c * x.x - s * x.y, s * x.x + c * x.y, x.z)
        };
        // Both ends are turned in their planes; there the surface stays round, as theory has it.
        let ends = bent.nodes(|p| p.z == 0.0 || p.z == 1.0);
        let held = ends.iter().map(|v| {
            let x = bent.points()[*v as usize];
            (*v, turned(x, twist * (x.z / length - 0.5)))
        });
        let loads = Loads { held: held.collect(), ..Loads::default() };
        let pos = bent.settle(&loads, (8.0 * twist).ceil() as u32)?;
        let forces = bent.forces(&pos);
        let top = bent.nodes(|p| p.z == 1.0);
        // What the rod pulls with is minus what holds it.
        let torque: f64 = top.iter().map(|v| -pos[*v as usize].cross(forces[*v as usize]).z).sum();
        let axial: f64 = top.iter().map(|v| -forces[*v as usize].z).sum();
        let per_length = twist / length;
        let line = |q| {
            Line::new(format!("torsion, {twist} rad, nu {poisson}"), "quadratic NeoHookean", bent.len(), q)
        };
        let theory = PI * shear * per_length * radius.powi(4) / 2.0;
        lines.push(line("torque, N m").values(torque, theory).within(0.03));
        if poisson > 0.4 {
            let theory = -PI * shear * per_length.powi(2) * radius.powi(4) / 4.0;
            lines.push(line("axial force, N").values(axial, theory).within(0.1));
        }
    }
    Ok(lines)
}

/// NAFEMS GNL5: a beam pushed along its length far beyond buckling, with a small force aside.
pub fn gnl5() -> Result<Vec<Line>, StaticsError> {
    let (length, thick, young) = (3.2, 0.1, 210e9);
    let size = Vec3::new(length, thick, thick);
    let bent = Bent::of([64, 2, 1], Order::Quadratic, law(Law::Corotated, young, 0.0), |p| p * size);
    let Any::Quadratic(body) = &bent.body else { return Ok(Vec::new()) };
    let end = bent.nodes(|p| p.x == 1.0);
    let load = Vec3::new(-3.844e6, -3.844e3, 0.0) / (thick * thick);
    let full = Loads {
        held: bent.nodes(|p| p.x == 0.0).into_iter().map(|v| (v, bent.points()[v as usize])).collect(),
        forces: bent.traction(|p| p.x == 1.0, load),
        ..Loads::default()
    };
    let (mut pos, mut lowest, mut last) = (bent.points().to_vec(), 0.0f64, [0.0; 2]);
    // Fine steps about the load that buckles, a ninth of all.
    let shares = (1..=20).map(|k| 0.01 * f64::from(k)).chain((1..=40).map(|k| 0.2 + 0.02 * f64::from(k)));
    for share in shares {
        let forces = full.forces.iter().map(|(v, f)| (*v, *f * share)).collect();
        let loads = Loads { forces, held: full.held.clone(), rollers: Vec::new() };
        pos = body.settle(&pos, &loads, 1)?;
        last = [0, 1].map(|axis| mean(&end, |v| pos[v][axis] - bent.points()[v][axis]));
        lowest = lowest.min(last[1]);
    }
    let line = |q| Line::new("NAFEMS GNL5", "quadratic Corotated", bent.len(), q).absolute();
    Ok(vec![
        line("most tip v, m").values(lowest, -2.58).within(0.04),
        line("final tip v, m").values(last[1], -1.36).within(0.04),
        line("final tip u, m").values(last[0], -5.04).within(0.06),
    ])
}
