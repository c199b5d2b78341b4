//! The Truth Cube (Kerdok et al., Medical Image Analysis 7, 2003): a cube of silicone of 80 mm, held at two faces and
//! pressed; 343 beads inside were measured at three compressions.

use super::Line;
use super::mesh::{Any, Bent, Order, law};
use serosa_bake::statics::element::values;
use serosa_bake::statics::{Loads, StaticsError};
use serosa_geometry::{Aabb, Vec3};
use serosa_sim::model::Law;

/// Edge \[m\].
const EDGE: f64 = 0.08;
/// Young's modulus as measured \[Pa\], and Poisson's ratio near that of silicone.
const YOUNG: f64 = 15.3e3;
const POISSON: f64 = 0.499;
/// Compressions as the table names them.
const NOMINAL: [f64; 3] = [0.05, 0.125, 0.1825];
const CELLS: usize = 8;

/// Places of a bead before and at the three compressions \[m\].
type Bead = [Vec3; 4];

/// The measured table; none where it is not here.
fn beads() -> Option<Vec<Bead>> {
    let text = std::fs::read_to_string(super::curves::data("fem/truth_cube/uniaxial_positions.csv")?).ok()?;
    let mut beads = Vec::new();
    for line in text.lines() {
        let numbers: Vec<f64> = line.split(',').filter_map(|w| w.trim().parse().ok()).collect();
        if numbers.len() == 15 {
            let at = |k: usize| Vec3::from_slice(&numbers[3 * k + 3..3 * k + 6]) * 1e-3;
            beads.push([at(0), at(1), at(2), at(3)]);
        }
    }
    (!beads.is_empty()).then_some(beads)
}

pub fn truth_cube() -> Result<Vec<Line>, StaticsError> {
    let Some(beads) = beads() else { return Ok(Vec::new()) };
    // Beads stand in the middle of the cube; the lower face is pressed up against the upper one.
    let around = Aabb::around(beads.iter().map(|b| b[0]));
    let corner = (around.min + around.max) * 0.5 - Vec3::splat(0.5 * EDGE);
    let mut lines = Vec::new();
    for order in Order::BOTH {
        let bent = Bent::of([CELLS; 3], order, law(Law::NeoHookean, YOUNG, POISSON), |p| corner + p * EDGE);
        for (k, nominal) in NOMINAL.into_iter().enumerate() {
            let pressed = bent.nodes(|p| p.z == 0.0).into_iter().map(|v| {
                (v, bent.points()[v as usize] + Vec3::Z * (nominal * EDGE))
            });
            let still = bent.nodes(|p| p.z == 1.0).into_iter().map(|v| (v, bent.points()[v as usize]));
            let loads = Loads { held: pressed.chain(still).collect(), ..Loads::default() };
            let pos = bent.settle(&loads, 4)?;
            let errors: Vec<f64> = beads
                .iter()
                .map(|b| {
                    let found = bent.place((b[0] - corner) / EDGE, &pos);
                    (found - b[k + 1]).length() * 1e3
                })
                .collect();
            let line = |q| {
                Line::new(
                    format!("Truth Cube, {} %", 100.0 * nominal),
                    format!("{} NeoHookean", order.name()),
                    bent.len(),
                    q,
                )
                .absolute()
            };
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            let moved = beads.iter().map(|b| (b[k + 1] - b[0]).length() * 1e3).sum::<f64>() / beads.len() as f64;
            lines.push(line("mean bead error, mm").values(mean, 0.0));
            lines.push(line("worst bead error, mm").values(errors.iter().copied().fold(0.0, f64::max), 0.0));
            lines.push(line("mean bead way, mm").values(moved, moved));
        }
    }
    Ok(lines)
}

impl Bent {
    /// Where a point of the block, given from 0 to 1, has gone.
    fn place(&self, at: Vec3, pos: &[Vec3]) -> Vec3 {
        let find = |corners: [u32; 4]| {
            let [a, b, c, d] = corners.map(|v| self.local[v as usize]);
            let l = serosa_geometry::Mat3::from_cols(b - a, c - a, d - a).inverse() * (at - a);
            [1.0 - l.x - l.y - l.z, l.x, l.y, l.z]
        };
        let least = |l: &[f64; 4]| l.iter().copied().fold(f64::INFINITY, f64::min);
        let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
        let mut keep = |l: [f64; 4], place: &dyn Fn() -> Vec3| {
            if least(&l) > best.0 {
                best = (least(&l), place());
            }
        };
        match &self.body {
            Any::Linear(body) => body.elements.iter().for_each(|e| {
                let l = find(*e);
                keep(l, &|| (0..4).map(|k| pos[e[k] as usize] * l[k]).sum());
            }),
            Any::Quadratic(body) => body.elements.iter().for_each(|e| {
                let l = find([e[0], e[1], e[2], e[3]]);
                keep(l, &|| e.iter().zip(values(l)).map(|(v, n)| pos[*v as usize] * n).sum());
            }),
        }
        best.1
    }
}
