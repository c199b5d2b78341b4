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
const CELLS: usize = 6;

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
        let cube = Cube { beads: &beads, corner, bent };
        for (k, nominal) in NOMINAL.into_iter().enumerate() {
            let plate = Vec3::Z * (nominal * EDGE);
            let pos = cube.press(plate, cube.bent.points(), 4)?;
            lines.extend(cube.lines(nominal, order, "", &cube.errors(k, &pos)));
            if order == Order::Quadratic {
                let (fitted, errors) = cube.fit(k, plate, pos)?;
                lines.extend(cube.lines(nominal, order, ", plate fitted", &errors));
                let case = format!("Truth Cube, {} %", 100.0 * nominal);
                let line = Line::new(case, "fitted", cube.bent.len(), "way of the plate, mm").absolute();
                lines.push(line.values(1e3 * fitted.length(), 1e3 * plate.length()));
            }
        }
    }
    Ok(lines)
}

/// The cube and its beads.
struct Cube<'a> {
    beads: &'a [Bead],
    corner: Vec3,
    bent: Bent,
}

impl Cube<'_> {
    /// Where it is at rest with the plate so far from where it was, beginning somewhere.
    fn press(&self, plate: Vec3, from: &[Vec3], steps: u32) -> Result<Vec<Vec3>, StaticsError> {
        let rest = |v: &u32| self.bent.points()[*v as usize];
        let pressed = self.bent.nodes(|p| p.z == 0.0).into_iter().map(|v| (v, rest(&v) + plate));
        let still = self.bent.nodes(|p| p.z == 1.0).into_iter().map(|v| (v, rest(&v)));
        let loads = Loads { held: pressed.chain(still).collect(), ..Loads::default() };
        self.bent.settle_from(from, &loads, steps)
    }

    /// From where each bead was measured to where it is here \[m\].
    fn errors(&self, k: usize, pos: &[Vec3]) -> Vec<Vec3> {
        let off = |b: &Bead| self.bent.place((b[0] - self.corner) / EDGE, pos) - b[k + 1];
        self.beads.iter().map(off).collect()
    }

    /// The plate is not where the table says: beads next to it have gone farther, and aside. Its three displacements are
    /// fitted by two steps of Gauss and Newton.
    fn fit(&self, k: usize, mut plate: Vec3, mut pos: Vec<Vec3>) -> Result<(Vec3, Vec<Vec3>), StaticsError> {
        let step = 0.002 * EDGE;
        let mut errors = self.errors(k, &pos);
        for _ in 0..2 {
            let mut slopes = Vec::new();
            for axis in Vec3::AXES {
                let moved = self.errors(k, &self.press(plate + axis * step, &pos, 1)?);
                slopes.push(moved.iter().zip(&errors).map(|(m, e)| (*m - *e) / step).collect::<Vec<_>>());
            }
            let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(x, y)| x.dot(*y)).sum::<f64>();
            let column = |j: usize| Vec3::from_array([0, 1, 2].map(|i| dot(&slopes[i], &slopes[j])));
            let normal = serosa_geometry::Mat3::from_cols(column(0), column(1), column(2));
            plate -= normal.inverse() * Vec3::from_array([0, 1, 2].map(|i| dot(&slopes[i], &errors)));
            pos = self.press(plate, &pos, 1)?;
            errors = self.errors(k, &pos);
        }
        Ok((plate, errors))
    }

    fn lines(&self, nominal: f64, order: Order, how: &str, errors: &[Vec3]) -> [Line; 2] {
        let line = |quantity| {
            let case = format!("Truth Cube, {} %{how}", 100.0 * nominal);
            Line::new(case, format!("{} NeoHookean", order.name()), self.bent.len(), quantity).absolute()
        };
        let mean = errors.iter().map(|e| e.length()).sum::<f64>() / errors.len() as f64;
        let worst = errors.iter().map(|e| e.length()).fold(0.0, f64::max);
        [
            line("mean bead error, mm").values(1e3 * mean, 0.0),
            line("worst bead error, mm").values(1e3 * worst, 0.0),
        ]
    }
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
