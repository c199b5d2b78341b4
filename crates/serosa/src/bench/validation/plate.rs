//! NAFEMS LE10: a thick elliptic plate with a hole under pressure; a quarter of it.

use super::Line;
use super::mesh::{Any, Bent, Order, law};
use serosa_bake::statics::{Loads, StaticsError};
use serosa_geometry::{Mat3, Vec3};
use serosa_sim::model::Law;
use std::f64::consts::FRAC_PI_2;

/// Half axes of the hole and of the rim \[m\], and the thickness.
const HOLE: [f64; 2] = [2.0, 1.0];
const RIM: [f64; 2] = [3.25, 2.75];
const THICK: f64 = 0.6;
/// σ_yy at the hole's end of the long axis, on the loaded face \[Pa\].
const SIGMA: f64 = -5.38e6;

/// From the block: x from the hole to the rim, y from the long axis to the short one, z up.
fn place(p: Vec3) -> Vec3 {
    let (s, c) = (p.y * FRAC_PI_2).sin_cos();
    let at = |k: usize, by: f64| (HOLE[k] + (RIM[k] - HOLE[k]) * p.x) * by;
    Vec3::new(at(0, c), at(1, s), THICK * p.z)
}

pub fn le10() -> Result<Vec<Line>, StaticsError> {
    let mut lines = Vec::new();
    for (order, cells) in
        [(Order::Linear, [12, 16, 6]), (Order::Quadratic, [4, 6, 2]), (Order::Quadratic, [8, 12, 4])]
    {
        let material = law(Law::Corotated, 210e9, 0.3);
        let bent = Bent::of(cells, order, material, place);
        let mut rollers: Vec<(u32, usize)> = Vec::new();
        let mut roll = |which: &dyn Fn(Vec3) -> bool, axis: usize| {
            rollers.extend(bent.nodes(which).into_iter().map(|v| (v, axis)));
        };
        roll(&|p| p.y == 0.0, 1);
        roll(&|p| p.y == 1.0, 0);
        roll(&|p| p.x == 1.0, 0);
        roll(&|p| p.x == 1.0, 1);
        roll(&|p| p.x == 1.0 && p.z == 0.5, 2);
        rollers.sort_unstable();
        rollers.dedup();
        let forces = bent.traction(|p| p.z == 1.0, Vec3::NEG_Z * 1e6);
        let pos = bent.settle(&Loads { rollers, forces, ..Loads::default() }, 1)?;
        let stress = stress_at(&bent, &pos, Vec3::new(0.0, 0.0, 1.0), &material);
        let line =
            Line::new("NAFEMS LE10", format!("{} Corotated", order.name()), bent.len(), "sigma_yy at D, MPa");
        let line = line.values(stress.y_axis.y / 1e6, SIGMA / 1e6);
        lines.push(if cells[0] == 8 { line.within(0.03) } else { line });
    }
    Ok(lines)
}

/// Cauchy's stress at the node of a place in the block: the mean over its elements, each at that corner.
fn stress_at(bent: &Bent, pos: &[Vec3], at: Vec3, law: &serosa_sim::body::solid::Elastic) -> Mat3 {
    let node = bent.nodes(|p| p == at)[0];
    let mut sum = Mat3::ZERO;
    let mut count = 0.0;
    match &bent.body {
        Any::Linear(body) => {
            let all = body.gradients(pos);
            for (f, _) in all.iter().zip(&body.elements).filter(|(_, e)| e.contains(&node)) {
                (sum, count) = (sum + law.cauchy(f), count + 1.0);
            }
        }
        Any::Quadratic(body) => {
            for element in body.elements.iter().filter(|e| e.contains(&node)) {
                let Some(corner) = element[..4].iter().position(|v| *v == node) else { continue };
                let f = serosa_bake::statics::element::at_corner(
                    &element.map(|v| body.points[v as usize]),
                    &element.map(|v| pos[v as usize]),
                    corner,
                );
                (sum, count) = (sum + law.cauchy(&f), count + 1.0);
            }
        }
    }
    sum * (1.0 / count)
}
