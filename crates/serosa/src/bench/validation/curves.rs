//! Measured shear of blood clot and of myocardium, and how far a neo-Hookean law follows.
//!
//! In simple shear by γ the law says a shear stress of μ γ: a straight line, the same in both directions and in every plane
//! of shear. The slope is fitted to small strains; what is left at the largest says what the law cannot do.

use super::Line;
use serosa_bake::statics::StaticsError;
use std::path::PathBuf;

/// Strains up to which the slope is fitted.
const SMALL: f64 = 0.1;

/// A file of the measured data, where they are: beside the project, or where `SEROSA_DATA` says.
pub fn data(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("SEROSA_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    Some(folder.join(name)).filter(|path| path.exists())
}

/// Strain and shear force or stress of a file.
fn curve(name: &str) -> Option<Vec<[f64; 2]>> {
    let text = std::fs::read_to_string(data(name)?).ok()?;
    let row = |line: &str| {
        let mut numbers = line.split(',').map(|w| w.trim().parse::<f64>());
        Some([numbers.next()?.ok()?, numbers.next()?.ok()?])
    };
    let rows: Vec<[f64; 2]> = text.lines().filter_map(row).collect();
    (rows.len() > 10).then_some(rows)
}

const FILES: [(&str, &str); 4] = [
    ("clot C10 T60, x", "fem/blood_clot_shear/C10_T60_x.csv"),
    ("clot C40 T120, x", "fem/blood_clot_shear/C40_T120_x.csv"),
    ("myocardium, mode 1", "fem/myocardium_shear/TSL1/StressStrain_M1.csv"),
    ("myocardium, mode 4", "fem/myocardium_shear/TSL1/StressStrain_M4.csv"),
];

pub fn shear() -> Result<Vec<Line>, StaticsError> {
    let mut lines = Vec::new();
    for (name, file) in FILES {
        let Some(rows) = curve(file) else { continue };
        let small = || rows.iter().filter(|r| r[0].abs() <= SMALL);
        let slope = small().map(|r| r[0] * r[1]).sum::<f64>() / small().map(|r| r[0] * r[0]).sum::<f64>();
        let zero = small().map(|r| r[1]).sum::<f64>() / small().count() as f64;
        let most = rows.iter().map(|r| r[1].abs()).fold(0.0, f64::max);
        for limit in [0.1, 0.2, 0.3] {
            let within = || rows.iter().filter(|r| r[0].abs() <= limit);
            let worst = within().map(|r| (slope * r[0] + zero - r[1]).abs()).fold(0.0, f64::max);
            let quantity = match limit {
                0.1 => "worst, strain to 0.1, of most",
                0.2 => "worst, strain to 0.2, of most",
                _ => "worst, strain to 0.3, of most",
            };
            let line = Line::new(name, "simple shear NeoHookean", within().count(), quantity);
            lines.push(line.values(worst / most, 0.0).absolute());
        }
    }
    Ok(lines)
}
