//! The thesis's two figures: time against the steps of the motion, on a logarithmic scale that holds its times and ours.

use super::{Outcome, PUBLISHED, both};
use crate::Failure;
use crate::bench::walk::{Step, mean};
use serosa_sim::Stage;
use std::fmt::Write;
use std::path::Path;

/// Size of the plot and its distance from the left and the top \[px\].
const SIZE: [f64; 2] = [640.0, 320.0];
const MARGIN: [f64; 2] = [64.0, 40.0];
/// Powers of ten of the least and the greatest time \[ms\].
const DECADES: [i32; 2] = [-3, 2];

/// One line of a figure.
struct Curve<'a> {
    name: &'a str,
    color: &'a str,
    /// (time since the start \[s\], time taken \[ms\])
    points: Vec<(f64, f64)>,
}

/// Draws both figures into a folder.
pub fn draw(folder: &Path, outcome: &Outcome) -> Result<(), Failure> {
    let cannot = |path: &Path, error: std::io::Error| {
        let message = format!("error: {} cannot be written: {error}", path.display());
        Failure::input(message + "\n  help: name a folder that can be written to after --svg")
    };
    std::fs::create_dir_all(folder).map_err(|e| cannot(folder, e))?;
    let of_steps = |name, color, of: &dyn Fn(&Step) -> f64| Curve {
        name,
        color,
        points: outcome.steps.iter().zip(1..).map(|(s, k)| (f64::from(k) * outcome.dt_s, of(s))).collect(),
    };
    let of_frames = |name, color, method: usize| Curve {
        name,
        color,
        points: outcome.watcher.seen[method]
            .frames
            .iter()
            .map(|f| (f.0 as f64 * outcome.dt_s, f.1))
            .collect(),
    };
    let total = vec![
        of_frames("all pairs of triangles", "#8a8a8a", 2),
        of_frames("the thesis's cascade of cells, detection alone", "#c77700", 1),
        of_steps("detection and response", "#1f5fa8", &both),
    ];
    let response = vec![
        of_steps("response and free motion of the tissue", "#4c8c4a", &|s| {
            s.stage(Stage::Respond) + s.stage(Stage::Predict)
        }),
        of_steps("response", "#1f5fa8", &|s| s.stage(Stage::Respond)),
    ];
    let touching = outcome.touching();
    let means = [mean(&touching, both), mean(&touching, |s| s.stage(Stage::Respond))];
    let figures = [
        ("medvr-1.svg", "Detection and response of a step (Figure 5.1)", total),
        ("medvr-2.svg", "Response of a step (Figure 5.2)", response),
    ];
    for (k, (file, title, curves)) in figures.into_iter().enumerate() {
        let path = folder.join(file);
        std::fs::write(&path, figure(title, &curves, means[k], PUBLISHED[k]))
            .map_err(|e| cannot(&path, e))?;
    }
    Ok(())
}

fn figure(title: &str, curves: &[Curve], mean: f64, published: f64) -> String {
    let end = curves.iter().flat_map(|c| c.points.last()).map(|p| p.0).fold(1.0, f64::max).ceil();
    let x = |s: f64| MARGIN[0] + SIZE[0] * s / end;
    let size = [MARGIN[0] + SIZE[0] + 24.0, MARGIN[1] + SIZE[1] + 64.0 + 18.0 * curves.len() as f64];
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n\
         <text x=\"{2}\" y=\"24\" font-size=\"14\">{title}</text>\n",
        size[0], size[1], MARGIN[0]
    );
    svg += &axes(end);
    for (ms, color, name) in
        [(published, "#b3261e", "the thesis's mean"), (mean, "#1f5fa8", "mean in contact")]
    {
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {1:.1}h{2}\" stroke=\"{color}\" stroke-dasharray=\"5 4\" fill=\"none\"/>\
             <text x=\"{3}\" y=\"{4:.1}\" fill=\"{color}\" text-anchor=\"end\">{name}: {ms:.3} ms</text>",
            MARGIN[0],
            y(ms),
            SIZE[0],
            MARGIN[0] + SIZE[0] - 4.0,
            y(ms) - 4.0
        );
    }
    for (k, curve) in curves.iter().enumerate() {
        let mut path = String::new();
        for (i, &(s, ms)) in curve.points.iter().enumerate() {
            let _ = write!(path, "{}{:.1} {:.1}", if i == 0 { "M" } else { "L" }, x(s), y(ms));
        }
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" stroke=\"{0}\" stroke-width=\"1\" fill=\"none\"/>\
             <path d=\"M{1} {2:.1}h24\" stroke=\"{0}\" stroke-width=\"2\"/><text x=\"{3}\" y=\"{4:.1}\">{5}</text>",
            curve.color,
            MARGIN[0],
            MARGIN[1] + SIZE[1] + 56.0 + 18.0 * k as f64,
            MARGIN[0] + 32.0,
            MARGIN[1] + SIZE[1] + 60.0 + 18.0 * k as f64,
            curve.name
        );
    }
    svg + "</svg>\n"
}

/// Where a time is drawn; what is beyond the scale lies on its edge.
fn y(ms: f64) -> f64 {
    let [low, high] = DECADES.map(f64::from);
    let share = (ms.max(1e-9).log10() - low) / (high - low);
    MARGIN[1] + SIZE[1] * (1.0 - share.clamp(0.0, 1.0))
}

/// Frame, ticks and labels.
fn axes(end: f64) -> String {
    let ([left, top], [width, height]) = (MARGIN, SIZE);
    let bottom = top + height;
    let mut svg = format!(
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#444\"/>\n"
    );
    for power in DECADES[0]..=DECADES[1] {
        let ms = 10f64.powi(power);
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {0:.1}h-5M{left} {0:.1}h{width}\" stroke=\"#444\" stroke-opacity=\"0.25\"/>\
             <text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{ms}</text>",
            y(ms),
            left - 8.0,
            y(ms) + 4.0
        );
    }
    for second in 0..=end as u32 {
        let x = left + width * f64::from(second) / end;
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {bottom}v5\" stroke=\"#444\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{second}</text>",
            bottom + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">time since the motion began [s]</text>\
         <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">time of a step [ms]</text>",
        left + 0.5 * width,
        bottom + 36.0,
        top + 0.5 * height
    );
    svg
}
