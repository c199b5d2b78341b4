//! Fig. 8 of the paper: which pairs the tracker follows, among all that are as near.

use super::film::{DT, Film, RADIUS};
use super::watch::Watcher;
use crate::Failure;
use serosa_geometry::{PrimId, closest_segments};
use serosa_sim::params::{Detector, Tracker};
use std::fmt::Write;
use std::path::Path;

/// The moments that are shown, as shares of the film: while the turns fall onto each other, and at rest.
const MOMENTS: [f64; 2] = [0.3, 1.0];
/// Side of the plot and its distance from the left and the top \[px\].
const SIDE: f64 = 400.0;
const MARGIN: [f64; 2] = [56.0, 40.0];
/// Segments between two ticks.
const TICK: usize = 20;

/// Shows the tracker the film and draws a figure at each moment.
pub fn draw(folder: &Path, film: &Film, random_pairs: u32, frames: usize) -> Result<(), Failure> {
    let cannot = |path: &Path, error: std::io::Error| {
        let message = format!("error: {} cannot be written: {error}", path.display());
        Failure::input(message + "\n  help: name a folder that can be written to after --svg")
    };
    std::fs::create_dir_all(folder).map_err(|e| cannot(folder, e))?;
    let moments = MOMENTS.map(|share| (share * frames as f64) as usize - 1);
    let mut watcher = Watcher::new(film, Detector::Tracker, random_pairs);
    for frame in 0..frames {
        watcher.look(frame);
        if let Some(k) = moments.iter().position(|m| *m == frame) {
            let active: Vec<_> = watcher.active().iter().map(|p| (p.a.at(), p.b.at())).collect();
            let path = folder.join(format!("intestine-{}.svg", k + 1));
            std::fs::write(&path, figure(film, frame, &active)).map_err(|e| cannot(&path, e))?;
        }
    }
    Ok(())
}

/// All pairs that may touch and are nearer than a pair is followed.
fn near(film: &Film, frame: usize) -> Vec<(usize, usize)> {
    let (pos, model) = (&film.frames[frame], &film.world.model);
    let reach = Tracker::default().reach * 2.0 * RADIUS;
    let close = |i: usize, j: usize| {
        let p = closest_segments(pos[i], pos[i + 1], pos[j], pos[j + 1]);
        (pos[i].lerp(pos[i + 1], p.s) - pos[j].lerp(pos[j + 1], p.t)).length() < reach
    };
    let n = pos.len() - 1;
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| model.may_touch(PrimId::from(i), PrimId::from(j)) && close(i, j)).collect()
}

/// A plot of pairs of segments, (i, j) at (x, y): squares for those that are near, dots for those that are active.
fn figure(film: &Film, frame: usize, active: &[(usize, usize)]) -> String {
    let n = film.frames[frame].len() - 1;
    let near = near(film, frame);
    let cell = SIDE / n as f64;
    let at = |(i, j): (usize, usize)| (MARGIN[0] + i as f64 * cell, MARGIN[1] + SIDE - (j + 1) as f64 * cell);
    let size = [MARGIN[0] + SIDE + 24.0, MARGIN[1] + SIDE + 56.0];
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
        size[0], size[1]
    );
    let time = (frame + 1) as f64 * DT;
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"24\" font-size=\"14\">Pairs of {n} segments after {time:.1} s</text>",
        MARGIN[0]
    );
    svg += &axes(n, cell);
    let mut path = String::new();
    for &pair in &near {
        let (x, y) = at(pair);
        let _ = write!(path, "M{x:.1} {y:.1}h{cell:.1}v{cell:.1}h-{cell:.1}z");
    }
    let _ = writeln!(svg, "<path d=\"{path}\" fill=\"#9bbcd8\"/>");
    for &pair in active {
        let (x, y) = at(pair);
        let (x, y) = (x + 0.5 * cell, y + 0.5 * cell);
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"#b3261e\"/>");
    }
    // The lower right half is empty: the first of a pair has the smaller number.
    let (x, y) = (MARGIN[0] + 0.5 * SIDE, MARGIN[1] + 0.86 * SIDE);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{0}\" width=\"8\" height=\"8\" fill=\"#9bbcd8\"/>\
         <text x=\"{1}\" y=\"{2}\">{3} nearer than the threshold</text>\n\
         <circle cx=\"{4}\" cy=\"{5}\" r=\"2.2\" fill=\"#b3261e\"/><text x=\"{1}\" y=\"{6}\">{7} active</text>\n</svg>",
        y - 8.0,
        x + 16.0,
        y,
        near.len(),
        x + 4.0,
        y + 14.0,
        y + 18.0,
        active.len()
    );
    svg
}

/// Frame, ticks and labels.
fn axes(n: usize, cell: f64) -> String {
    let (left, top, bottom) = (MARGIN[0], MARGIN[1], MARGIN[1] + SIDE);
    let mut svg = format!(
        "<rect x=\"{left}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#444\"/>\n"
    );
    for i in (0..=n).step_by(TICK) {
        let (x, y) = (left + i as f64 * cell, bottom - i as f64 * cell);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {bottom}v5M{left} {y:.1}h-5\" stroke=\"#444\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{i}</text>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{i}</text>",
            bottom + 18.0,
            left - 8.0,
            y + 4.0
        );
    }
    let middle = [left + 0.5 * SIDE, top + 0.5 * SIDE];
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">segment i</text>\
         <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">segment j</text>",
        middle[0],
        bottom + 38.0,
        middle[1]
    );
    svg
}
