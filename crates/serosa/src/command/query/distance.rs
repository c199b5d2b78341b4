//! `serosa query distance` and `serosa query inside`.

use super::Shape;
use crate::cli::TwoArgs;
use crate::inspect::{Patience, part_of};
use crate::{Console, Failure};
use serde_json::json;
use serosa_geometry::surface::{PAIRS_MAX, self_meetings};
use serosa_geometry::weld::weld_within;
use serosa_geometry::{Distance, Near, Sign, Surface, Topology};
use std::sync::Arc;

/// Vertices shown in text; `--json` gives all.
const SHOWN: usize = 20;
/// Vertices between two strokes of the progress bar.
const CHUNK: usize = 4096;
/// Part of the whole, by time, that looking at the surface takes; a guess for the progress bar.
const LOOKING: f64 = 0.5;

/// A surface ready to be asked, and what must be said of it.
struct Ready {
    distance: Distance,
    remarks: Vec<String>,
    inside_out: bool,
}

/// Signed distance of each vertex of A to B.
pub fn distance(args: &TwoArgs, console: &mut Console) -> Result<(), Failure> {
    let (a, b, ready, found) = answer(args)?;
    if args.json {
        let finite = |near: &Near| near.distance.is_finite().then_some(near.distance);
        let nearest = |near: &Near| near.distance.is_finite().then(|| near.point.to_array());
        let triangle = |near: &Near| near.distance.is_finite().then_some(near.triangle);
        console.say(json!({
            "a": a.name, "b": b.name, "vertices": a.points.len(), "triangles": b.triangles.len(),
            "sign": sign_name(&ready), "inside_out": ready.inside_out, "remarks": ready.remarks,
            "distance": found.iter().map(finite).collect::<Vec<_>>(),
            "nearest": found.iter().map(nearest).collect::<Vec<_>>(),
            "triangle": found.iter().map(triangle).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    tell(&ready, console);
    let finite: Vec<f64> = found.iter().map(|n| n.distance).filter(|d| d.is_finite()).collect();
    let (least, most) =
        finite.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), d| (l.min(*d), m.max(*d)));
    let inside = finite.iter().filter(|d| **d < 0.0).count();
    console.say(format!("{} vertices, {inside} inside; distances from {least:.6} to {most:.6}", found.len()));
    for (i, near) in found.iter().enumerate().take(SHOWN) {
        match near.distance.is_finite() {
            true => console.say(format!("{i:>8} {:>14.6}  triangle {}", near.distance, near.triangle)),
            false => console.say(format!("{i:>8} not finite")),
        }
    }
    say_rest(found.len(), console);
    Ok(())
}

/// The vertices of A that are inside B; those on its surface are not.
pub fn inside(args: &TwoArgs, console: &mut Console) -> Result<(), Failure> {
    let (a, b, ready, found) = answer(args)?;
    let all: Vec<usize> =
        found.iter().enumerate().filter(|(_, n)| n.distance < 0.0).map(|(i, _)| i).collect();
    if args.json {
        console.say(json!({
            "a": a.name, "b": b.name, "vertices": a.points.len(), "triangles": b.triangles.len(),
            "sign": sign_name(&ready), "inside_out": ready.inside_out, "remarks": ready.remarks,
            "count": all.len(), "inside": all,
        }));
        return Ok(());
    }
    tell(&ready, console);
    console.say(format!("{} of {} vertices inside", all.len(), found.len()));
    all.iter().take(SHOWN).for_each(|i| console.say(format!("{i:>8}")));
    say_rest(all.len(), console);
    Ok(())
}

/// Reads both files and asks for every vertex.
fn answer(args: &TwoArgs) -> Result<(Shape, Shape, Ready, Vec<Near>), Failure> {
    let (a, b) = (Shape::read(&args.a)?, Shape::read_surface(&args.b)?);
    let patience = Patience::new("measuring");
    let mut ready = prepare(&b, &patience);
    let mut found = vec![Near::NOTHING; a.points.len()];
    for (chunk, (points, near)) in a.points.chunks(CHUNK).zip(found.chunks_mut(CHUNK)).enumerate() {
        let done = (chunk * CHUNK) as f64 / a.points.len() as f64;
        patience.tell(LOOKING + (1.0 - LOOKING) * done);
        ready.distance.signed_all(points, near);
    }
    let lost = found.iter().filter(|n| !n.distance.is_finite()).count();
    if lost > 0 {
        ready
            .remarks
            .push(format!("{lost} vertices of A are not finite, or so far that they have no distance"));
    }
    Ok((a, b, ready, found))
}

/// Chooses how signs are found, and says why. Corners at one place are one point, since some formats tear surfaces apart.
fn prepare(b: &Shape, patience: &Patience) -> Ready {
    let part = part_of(&b.sizes);
    let facts = Surface::of_parts(&b.points, &b.triangles, &part);
    let mut progress = |done: f64| {
        patience.tell(LOOKING * done);
        true
    };
    let meetings = self_meetings(&b.points, &b.triangles, &part, PAIRS_MAX, &mut progress);
    let first = weld_within(&b.points, &part);
    let inside_out = facts.volume.is_some_and(|v| v < 0.0);
    let welded = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| first[i as usize]);
        if inside_out { [a, c, b] } else { [a, b, c] }
    };
    let triangles: Vec<[u32; 3]> = b.triangles.iter().map(welded).collect();
    let crossing = meetings.crossing().len();
    let clean = facts.is_watertight() && facts.is_oriented() && crossing == 0 && facts.not_finite.is_empty();
    let sign = if clean { Sign::Pseudonormal } else { Sign::Winding };
    let topology = Arc::new(Topology::of(&triangles, b.points.len()));
    let distance = Distance::with(topology, &b.points, sign);
    let mut remarks = faults(&facts, crossing);
    if !meetings.complete {
        remarks.push("the search for places where B meets itself ended at its limit".to_owned());
    }
    if sign == Sign::Winding {
        remarks.push("signs are by winding number: inside where it is above one half".to_owned());
    }
    Ready { distance, remarks, inside_out }
}

/// What is wrong with a surface whose inside is asked for, in whole sentences.
fn faults(facts: &Surface, crossing: usize) -> Vec<String> {
    let inward = facts.components.iter().filter(|c| c.volume.is_some_and(|v| v < 0.0)).count();
    let inside_out = facts.volume.is_some_and(|v| v < 0.0);
    let all = [
        (facts.open_edges.len(), "edges of B are open"),
        (facts.crowded_edges.len(), "edges of B have more than two faces"),
        (facts.flipped_edges.len(), "edges of B lie between faces that disagree about outside"),
        (crossing, "faces of B meet others"),
        (facts.not_finite.len(), "points of B are not finite; their faces are passed over"),
        (if inside_out { 0 } else { inward }, "components of B face inward: cavities, or inside out"),
    ];
    let mut said: Vec<String> =
        all.iter().filter(|f| f.0 > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if inside_out {
        said.push("B is inside out: its faces are turned for this answer".to_owned());
    }
    said
}

fn sign_name(ready: &Ready) -> &'static str {
    match ready.distance.sign() {
        Sign::Pseudonormal => "pseudonormal",
        Sign::Winding => "winding",
    }
}

fn tell(ready: &Ready, console: &mut Console) {
    ready.remarks.iter().for_each(|remark| console.say(format!("note: {remark}")));
}

fn say_rest(count: usize, console: &mut Console) {
    if count > SHOWN {
        console.say(format!("     ... {} more; --json gives all", count - SHOWN));
    }
}
