//! `serosa query depth`: where two meshes overlap, how deep, and which way out.

use super::Shape;
use crate::cli::TwoArgs;
use crate::inspect::{Patience, part_of};
use crate::{Console, Failure};
use serde_json::{Value, json};
use serosa_geometry::consistent::{Consistent, Penetration};
use serosa_geometry::overlap::{Inner, Overlap, Region};
use serosa_geometry::weld::weld_within;
use serosa_geometry::{self as geometry, Aabb, Intersection, Of, Surface, Topology, Tree};

/// A mesh ready to be asked, and what must be said of it.
struct Ready {
    name: String,
    shape: Shape,
    topology: Topology,
    tree: Tree,
    inside_out: bool,
    /// Why it has no inside, where it has none.
    open: Option<String>,
}

/// What was found.
struct Answer {
    intersection: Intersection,
    overlap: Overlap,
    consistent: [Vec<Penetration>; 2],
    remarks: Vec<String>,
}

/// Says where A and B overlap.
pub fn depth(args: &TwoArgs, console: &mut Console) -> Result<(), Failure> {
    let [a, b] = [prepare("A", Shape::read_surface(&args.a)?)?, prepare("B", Shape::read_surface(&args.b)?)?];
    if let (Some(why_a), Some(why_b)) = (&a.open, &b.open) {
        return Err(Failure::input(format!(
            "error: neither mesh has an inside, so that there is no depth\n  {}: {why_a}\n  {}: {why_b}\n  help: close one \
             of them; `serosa query info` says where they are open, and `serosa query pairs` which of their faces meet",
            a.shape.name, b.shape.name
        )));
    }
    let patience = Patience::new("looking for overlaps");
    let answer = search(&a, &b);
    drop(patience);
    match args.json {
        true => console.say(as_json(&a, &b, &answer)),
        false => say(&answer, console),
    }
    Ok(())
}

/// Corners at one place become one point, named by the first, since some formats tear surfaces apart; a mesh that is
/// inside out is turned.
fn prepare(name: &str, shape: Shape) -> Result<Ready, Failure> {
    let part = part_of(&shape.sizes);
    let facts = Surface::of_parts(&shape.points, &shape.triangles, &part);
    if let Some(point) = facts.not_finite.first() {
        return Err(Failure::input(format!(
            "error: point {point} of {} is not finite\n  help: export the mesh anew; places must be numbers",
            shape.name
        )));
    }
    let first = weld_within(&shape.points, &part);
    let inside_out = facts.volume.is_some_and(|v| v < 0.0);
    let welded = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| first[i as usize]);
        if inside_out { [a, c, b] } else { [a, b, c] }
    };
    let triangles: Vec<[u32; 3]> = shape.triangles.iter().map(welded).collect();
    let around = |t: &[u32; 3]| Aabb::around(t.map(|v| shape.points[v as usize]));
    let tree = Tree::of(&triangles.iter().map(around).collect::<Vec<_>>());
    let topology = Topology::of(&triangles, shape.points.len());
    let open = why_open(&topology);
    Ok(Ready { name: name.to_owned(), shape, topology, tree, inside_out, open })
}

fn why_open(topology: &Topology) -> Option<String> {
    let faults = [
        (topology.open.len(), "edges are open"),
        (topology.crowded.len(), "edges have more than two faces"),
        (topology.flipped.len(), "edges lie between faces that disagree about outside"),
    ];
    let said: Vec<String> =
        faults.iter().filter(|f| f.0 > 0).map(|(n, what)| format!("{n} {what}")).collect();
    match said.is_empty() && topology.edges.is_empty() {
        true => Some("it has no face with three corners".to_owned()),
        false => (!said.is_empty()).then(|| said.join(", ")),
    }
}

impl Ready {
    fn shape(&self) -> geometry::Shape<'_> {
        geometry::Shape { points: &self.shape.points, topology: &self.topology, tree: &self.tree }
    }
}

fn search(a: &Ready, b: &Ready) -> Answer {
    let shapes = [&a.shape(), &b.shape()];
    let (mut intersection, mut overlap) = (Intersection::default(), Overlap::default());
    intersection.find(shapes[0], shapes[1]);
    overlap.find(shapes[0], shapes[1], &intersection);
    let consistent = [Of::First, Of::Second].map(|of| {
        let pair = [shapes[of as usize], shapes[of.other() as usize]];
        Consistent::default().find(pair, of, &intersection, None).to_vec()
    });
    let mut remarks = Vec::new();
    for (mesh, other, of) in [(a, b, Of::Second), (b, a, Of::First)] {
        if mesh.inside_out {
            remarks.push(format!("{} is inside out: its faces are turned for this answer", mesh.name));
        }
        if let Some(why) = &mesh.open {
            let (name, other) = (&mesh.name, &other.name);
            remarks.push(format!("{name} has no inside ({why}): only what of {name} is in {other} is told"));
        }
        let leaks = intersection.inside(of).leaks();
        if leaks > 0 {
            let (name, other) = (&mesh.name, &other.name);
            remarks.push(format!(
                "{name} overlaps itself where {other} crosses it: {leaks} edges are told two ways"
            ));
        }
    }
    Answer { intersection, overlap, consistent, remarks }
}

fn letter(of: Of) -> &'static str {
    match of {
        Of::First => "a",
        Of::Second => "b",
    }
}

fn as_json(a: &Ready, b: &Ready, answer: &Answer) -> Value {
    let crossings = |of| answer.intersection.crossings.of(of).len();
    let consistent = answer.consistent.each_ref().map(|found| {
        let one = |p: &Penetration| {
            json!({ "vertex": p.vertex, "depth": p.depth, "direction": p.direction.to_array(), "layer": p.layer })
        };
        found.iter().map(one).collect::<Vec<_>>()
    });
    let [consistent_a, consistent_b] = consistent;
    json!({
        "a": a.shape.name, "b": b.shape.name, "remarks": answer.remarks,
        "crossing_edges": { "a": crossings(Of::First), "b": crossings(Of::Second) },
        "inside": {
            "a": answer.intersection.inside(Of::First).vertices(),
            "b": answer.intersection.inside(Of::Second).vertices(),
        },
        "regions": answer.overlap.regions().iter().map(|r| region_json(r, answer)).collect::<Vec<_>>(),
        "consistent": { "a": consistent_a, "b": consistent_b },
    })
}

fn region_json(region: &Region, answer: &Answer) -> Value {
    let points = &answer.overlap.points()[region.points.start as usize..region.points.end as usize];
    json!({
        "depth": region.depth, "direction": region.normal.to_array(), "enclosed": region.enclosed,
        "deepest": point_json(&region.deepest),
        "points": points.iter().map(point_json).collect::<Vec<_>>(),
    })
}

fn point_json(point: &Inner) -> Value {
    // A vertex, the two ends of an edge or the three corners of a face.
    let [p, q, r] = point.corners;
    let corners = if p == q { 1 } else { 2 + usize::from(q != r) };
    json!({
        "of": letter(point.of), "vertices": &point.corners[..corners], "weights": &point.weights[..corners],
        "point": point.place.to_array(), "exit": point.exit.to_array(), "triangle": point.face,
        "distance": point.distance, "push": point.push,
    })
}

fn say(answer: &Answer, console: &mut Console) {
    answer.remarks.iter().for_each(|remark| console.say(format!("note: {remark}")));
    let regions = answer.overlap.regions();
    match regions.len() {
        0 => console.say("no overlap"),
        1 => console.say("1 overlap"),
        n => console.say(format!("{n} overlaps")),
    }
    let crossings = [Of::First, Of::Second].map(|of| answer.intersection.crossings.of(of).len());
    if regions.is_empty() && crossings != [0; 2] {
        console.say("but the surfaces cross, inside faces of a mesh that has no inside");
    }
    for (k, region) in regions.iter().enumerate() {
        let [x, y, z] = region.normal.to_array();
        let points = &answer.overlap.points()[region.points.start as usize..region.points.end as usize];
        let count = |of| points.iter().filter(|p| p.of == of).count();
        let enclosed = if region.enclosed { ", wholly inside" } else { "" };
        console.say(format!(
            "{k:>4}  depth {:.6}, A leaves along ({x:.4}, {y:.4}, {z:.4}){enclosed}; points inside: {} of A, {} of B",
            region.depth,
            count(Of::First),
            count(Of::Second)
        ));
    }
}
