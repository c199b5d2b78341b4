//! An inspection in words and as JSON.

use super::Inspection;
use super::unit::short;
use crate::Console;
use serde_json::{Value, json};
use serosa_geometry::Vec3;
use serosa_geometry::surface::{Component, Loop};

/// Loops, components and materials that are told one by one; the rest are counted.
const SHOWN: usize = 5;
/// The same in JSON.
const SHOWN_JSON: usize = 1000;

/// Writes the table.
pub fn say(i: &Inspection, console: &mut Console) {
    console.say(format!("{}: {}, {} bytes", i.name, i.format.about, i.bytes));
    for (what, value) in facts(i) {
        let mut lines = value.lines();
        console.say(format!("  {what:<18} {}", lines.next().unwrap_or_default()));
        lines.for_each(|line| console.say(format!("  {:<18} {line}", "")));
    }
}

/// Name and value of every fact, for people. A value may have several lines.
pub fn facts(i: &Inspection) -> Vec<(&'static str, String)> {
    let s = &i.surface;
    let mut rows = vec![(
        "points",
        counted(
            i.points.len(),
            &[
                (s.duplicate_points, "at a place taken already"),
                (s.unused_points, "in no face"),
                (s.not_finite.len(), "not finite"),
            ],
        ),
    )];
    rows.push(("triangles", face_row(i)));
    if let Some((tets, closed)) = &i.solid {
        rows.push((
            "tetrahedra",
            counted(
                i.tets.len(),
                &[
                    (tets.inverted.len(), "inverted"),
                    (tets.flat.len(), "without volume"),
                    (tets.crowded_faces, "faces shared by more than two"),
                ],
            ),
        ));
        let degrees = |a: Option<f64>| a.map_or("–".to_owned(), |a| format!("{:.1}°", a.to_degrees()));
        rows.push((
            "angles in them",
            format!(
                "{} to {}, smallest of each {} on the mean",
                degrees(tets.least_angle),
                degrees(tets.greatest_angle),
                degrees(tets.mean_least_angle)
            ),
        ));
        rows.push((
            "their surface",
            format!(
                "{}, {} faces; volume {}",
                if *closed { "watertight" } else { "OPEN" },
                tets.boundary.len(),
                short(tets.volume)
            ),
        ));
    }
    if i.sizes.len() > 1 {
        rows.push(("parts", parts(i)));
    }
    if let Some(b) = s.bounds {
        rows.push(("box", format!("{} to {}, size {}", vector(b.min), vector(b.max), vector(b.size()))));
        rows.push(("unit", i.guess.reason.clone()));
    }
    if !i.faces().is_empty() {
        rows.extend(surface_rows(i));
    }
    rows.extend(look_rows(i));
    rows
}

fn face_row(i: &Inspection) -> String {
    let s = &i.surface;
    let faults = [
        (s.collapsed_faces.len(), "with a corner twice"),
        (s.flat_faces.len(), "without area"),
        (s.needles.len(), "needles"),
        (s.duplicate_faces.len(), "twice"),
    ];
    match i.triangles.is_empty() {
        true => "0".to_owned(),
        false => counted(i.triangles.len(), &faults),
    }
}

fn surface_rows(i: &Inspection) -> Vec<(&'static str, String)> {
    let (s, m) = (&i.surface, &i.meetings);
    let mut rows = vec![("watertight", watertight(i))];
    rows.push(("orientation", orientation(i)));
    rows.push(("components", components(&s.components)));
    let more = if m.complete { "" } else { " or more: the search ended at its limit" };
    let pairs = match m.pairs {
        0 => format!("none{more}"),
        pairs => format!("{} faces in {pairs} pairs{more}", m.faces.len()),
    };
    let folds = match m.folded.len() {
        0 => String::new(),
        n => format!("\nand {n} faces folded onto a neighbour at a corner"),
    };
    rows.push(("self-intersections", pairs + &folds));
    if !m.between.is_empty() {
        rows.push(("between parts", format!("{} faces meet another part", m.between.len())));
    }
    let volume = s.volume.map_or_else(|| "not enclosed".to_owned(), short);
    rows.push(("area, volume", format!("{}, {volume}", short(s.area))));
    rows
}

fn watertight(i: &Inspection) -> String {
    let s = &i.surface;
    let torn = if s.torn { ", once points at one place are joined" } else { "" };
    if s.is_watertight() {
        return format!("yes{torn}");
    }
    let mut text = format!(
        "NO: {} open edges in {} loops, {} edges with more than two faces{torn}",
        s.open_edges.len(),
        s.loops.len(),
        s.crowded_edges.len()
    );
    for l in s.loops.iter().take(SHOWN) {
        text.push_str(&format!(
            "\nopen at {}: {} edges, {} long",
            vector(rounded(l.center, i)),
            edges(l),
            short(l.length)
        ));
    }
    for edge in s.crowded_edges.iter().take(SHOWN) {
        let middle = 0.5 * (i.points[edge[0] as usize] + i.points[edge[1] as usize]);
        text.push_str(&format!("\nmore than two faces at {}", vector(rounded(middle, i))));
    }
    text
}

fn orientation(i: &Inspection) -> String {
    let s = &i.surface;
    let twisted = s.components.iter().filter(|c| !c.orientable).count();
    let flipped = s.flipped_edges.len();
    match (flipped, s.volume) {
        (0, Some(v)) if v < 0.0 => "consistent, but INSIDE OUT".to_owned(),
        (0, Some(_)) => "consistent, outward".to_owned(),
        (0, None) => "consistent".to_owned(),
        _ if twisted > 0 => {
            format!("NOT consistent: {flipped} edges, and {twisted} components have no outside")
        }
        _ => format!("NOT consistent: neighbours disagree at {flipped} edges"),
    }
}

fn components(all: &[Component]) -> String {
    let genus = |c: &Component| c.genus.map_or("genus unknown".to_owned(), |g| format!("genus {g}"));
    match all {
        [one] => format!("1, {}", genus(one)),
        _ => {
            let mut text = all.len().to_string();
            for c in all.iter().take(SHOWN) {
                let closed = if c.closed { "closed" } else { "open" };
                text.push_str(&format!(
                    "\n{} faces, {closed}, {}, size {}",
                    c.faces,
                    genus(c),
                    vector(c.bounds.size())
                ));
            }
            text + &rest(all.len())
        }
    }
}

fn parts(i: &Inspection) -> String {
    let whole = i.whole.iter().filter(|w| **w).count();
    let mut text = format!("{}, {whole} of them watertight", i.sizes.len());
    for (([points, triangles, tets], part), whole) in
        i.sizes.iter().zip(&i.scene.parts).zip(&i.whole).take(SHOWN)
    {
        let name = if part.name.is_empty() { "without a name" } else { &part.name };
        let closed = if *whole { "watertight" } else { "open" };
        text.push_str(&format!(
            "\n{name}: {points} points, {triangles} triangles, {tets} tetrahedra, {closed}"
        ));
    }
    text + &rest(i.sizes.len())
}

/// Materials, textures, sets and remarks.
fn look_rows(i: &Inspection) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let (mut row, scene) = (
        |what, all: Vec<String>| {
            if !all.is_empty() {
                let shown = all[..all.len().min(SHOWN)].join(", ");
                let more = all.len().saturating_sub(SHOWN);
                rows.push((
                    what,
                    if more > 0 { format!("{}: {shown} and {more} more", all.len()) } else { shown },
                ));
            }
        },
        &i.scene,
    );
    row(
        "materials",
        scene
            .materials
            .iter()
            .map(|m| if m.name.is_empty() { "without a name".to_owned() } else { m.name.clone() })
            .collect(),
    );
    row("textures", textures(i));
    row("sets of points", scene.parts.iter().flat_map(|p| p.sets.keys().cloned()).collect());
    if !scene.remarks.is_empty() {
        rows.push(("remarks", scene.remarks.join("\n")));
    }
    rows
}

fn textures(i: &Inspection) -> Vec<String> {
    i.scene.materials.iter().filter_map(|m| m.texture.clone()).collect()
}

/// The whole as one object. Lengths are in the file's unit; `unit` says which that probably is.
pub fn as_json(i: &Inspection) -> Value {
    let (s, m) = (&i.surface, &i.meetings);
    json!({
        "file": i.name, "format": i.format.name, "bytes": i.bytes,
        "vertices": i.points.len(), "triangles": i.triangles.len(), "tetrahedra": i.tets.len(),
        "lines": i.scene.parts.iter().map(|p| p.lines.len()).sum::<usize>(),
        "parts": i.scene.parts.iter().zip(&i.sizes).zip(&i.whole).map(|((p, n), whole)| json!({
            "name": p.name, "vertices": n[0], "triangles": n[1], "tetrahedra": n[2], "watertight": whole,
        })).collect::<Vec<_>>(),
        "bbox": s.bounds.map(|b| json!({ "min": b.min.to_array(), "max": b.max.to_array() })),
        "unit": { "name": i.guess.unit, "metres": i.guess.size_m, "reason": i.guess.reason },
        "watertight": s.is_watertight(), "watertight_parts": i.whole.iter().filter(|w| **w).count(),
        "watertight_as_written": s.is_watertight() && !s.torn,
        "oriented": s.is_oriented(),
        "inside_out": s.volume.is_some_and(|v| v < 0.0),
        "components": s.components.len(),
        "component_list": s.components.iter().take(SHOWN_JSON).map(component_json).collect::<Vec<_>>(),
        "open_edges": s.open_edges.len(), "crowded_edges": s.crowded_edges.len(),
        "flipped_edges": s.flipped_edges.len(), "pinched_points": s.pinched_points.len(),
        "loops": s.loops.iter().take(SHOWN_JSON).map(|l| json!({
            "center": l.center.to_array(), "edges": edges(l), "length": l.length, "closed": l.closed,
        })).collect::<Vec<_>>(),
        "self_intersections": m.faces.len(), "self_intersection_pairs": m.pairs, "folded": m.folded.len(),
        "between_parts": m.between.len(),
        "crossing_faces": m.crossing().len(),
        "self_intersections_complete": m.complete,
        "area": s.area, "volume": s.volume, "vector_area": s.vector_area.to_array(),
        "degenerate": {
            "collapsed": s.collapsed_faces.len(), "flat": s.flat_faces.len(), "needles": s.needles.len(),
        },
        "duplicate_points": s.duplicate_points, "duplicate_triangles": s.duplicate_faces.len(),
        "unused_points": s.unused_points, "not_finite_points": s.not_finite.len(),
        "tets": tets_json(i),
        "materials": i.scene.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
        "textures": textures(i),
        "sets": i.scene.parts.iter().flat_map(|p| p.sets.keys()).collect::<Vec<_>>(),
        "remarks": i.scene.remarks,
    })
}

fn component_json(c: &Component) -> Value {
    json!({
        "triangles": c.faces, "closed": c.closed, "orientable": c.orientable, "genus": c.genus, "euler": c.euler,
        "area": c.area, "volume": c.volume, "bbox": { "min": c.bounds.min.to_array(), "max": c.bounds.max.to_array() },
    })
}

fn tets_json(i: &Inspection) -> Value {
    let Some((tets, closed)) = &i.solid else { return Value::Null };
    let degrees = |a: Option<f64>| a.map(f64::to_degrees);
    json!({
        "inverted": tets.inverted.len(), "flat": tets.flat.len(), "crowded_faces": tets.crowded_faces,
        "volume": tets.volume, "least_angle_deg": degrees(tets.least_angle),
        "greatest_angle_deg": degrees(tets.greatest_angle), "mean_least_angle_deg": degrees(tets.mean_least_angle),
        "surface_triangles": tets.boundary.len(), "surface_watertight": closed,
    })
}

/// A count and, in words, what is wrong with some of them.
fn counted(count: usize, faults: &[(usize, &str)]) -> String {
    let told: Vec<String> =
        faults.iter().filter(|f| f.0 > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if told.is_empty() { count.to_string() } else { format!("{count}; {}", told.join(", ")) }
}

fn rest(count: usize) -> String {
    if count > SHOWN { format!("\nand {} more", count - SHOWN) } else { String::new() }
}

fn edges(l: &Loop) -> usize {
    l.points.len() - usize::from(!l.closed)
}

/// A place without the noise of sums that should be zero.
fn rounded(v: Vec3, i: &Inspection) -> Vec3 {
    let size = i.surface.bounds.map_or(0.0, |b| b.size().max_element());
    Vec3::from_array(v.to_array().map(|x| if x.abs() < 1e-9 * size { 0.0 } else { x }))
}

fn vector(v: Vec3) -> String {
    format!("({})", v.to_array().map(short).join(", "))
}
