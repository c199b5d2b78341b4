//! A mesh file dropped on a page: looked at and sent back to that page alone. The simulation does not notice.

use crate::inspect::{self, Inspection};
use serosa_geometry::Vec3;
use serosa_io::wire::{FactInfo, MeshAnswer, MeshInfo, SHOWN_TRIANGLES_MAX};
use std::time::{Duration, Instant};

/// How long a page waits for the search of self-intersections.
const SEARCH: Duration = Duration::from_secs(20);
/// Open edges and faults that are marked, each; what is beyond is counted in the facts.
const MARKED_MAX: usize = 100_000;

/// Looks at a file's bytes.
pub fn look(name: &str, bytes: &[u8]) -> MeshAnswer {
    let start = Instant::now();
    let mut no_files = |file: &str| {
        Err(format!("a file dropped on the page cannot name others ({file}); use `serosa query info`"))
    };
    match inspect::inspect(name, bytes, &mut no_files, &mut |_| start.elapsed() < SEARCH) {
        Ok(found) => MeshAnswer::Mesh(Box::new(told(&found))),
        Err(e) => MeshAnswer::Refused { message: e.to_string(), help: e.help },
    }
}

fn told(found: &Inspection) -> MeshInfo {
    let fact = |(name, value): (&str, String)| FactInfo { name: name.to_owned(), value };
    let facts: Vec<FactInfo> = inspect::facts(found).into_iter().map(fact).collect();
    let info = MeshInfo { name: found.name.clone(), facts, ..MeshInfo::default() };
    let shown = found.faces().len() <= SHOWN_TRIANGLES_MAX && found.points.len() <= 3 * SHOWN_TRIANGLES_MAX;
    if !shown {
        let note = format!("It is too large to be drawn here: more than {SHOWN_TRIANGLES_MAX} triangles.");
        return MeshInfo { note: Some(note), ..info };
    }
    draw(found, info)
}

/// The picture: points in metres about the middle, faces, and where the faults are.
fn draw(found: &Inspection, info: MeshInfo) -> MeshInfo {
    let (s, scale) = (&found.surface, found.guess.size_m);
    let middle = s.bounds.map_or(Vec3::ZERO, |b| 0.5 * (b.min + b.max));
    // A point that is not finite would be no JSON; its faces are left out.
    let place = |p: Vec3| if p.is_finite() { (p - middle) * scale } else { Vec3::ZERO };
    let coordinates = |p: Vec3| place(p).to_array().map(|v| v as f32);
    let drawn = |f: &u32| found.faces()[*f as usize].iter().all(|i| found.points[*i as usize].is_finite());
    let whole = |f: u32| if drawn(&f) { found.faces()[f as usize] } else { [0; 3] };
    let ends = |edge: &[u32; 2]| edge.map(|i| coordinates(found.points[i as usize]));
    let segments = |edges: &[[u32; 2]]| -> Vec<f32> {
        edges.iter().take(MARKED_MAX).flat_map(|e| ends(e).into_iter().flatten()).collect()
    };
    let bad = s.collapsed_faces.iter().chain(&s.flat_faces).chain(&s.needles);
    MeshInfo {
        points: found.points.iter().flat_map(|p| coordinates(*p)).collect(),
        triangles: (0..found.faces().len() as u32).flat_map(whole).collect(),
        open: segments(&s.open_edges),
        crowded: segments(&s.crowded_edges),
        flipped: segments(&s.flipped_edges),
        crossing: found.meetings.crossing().into_iter().take(MARKED_MAX).collect(),
        degenerate: bad.copied().filter(drawn).take(MARKED_MAX).collect(),
        ..info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &[u8] = b"v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";

    #[test]
    fn an_open_mesh_is_told_with_its_rim() {
        let MeshAnswer::Mesh(info) = look("liver.obj", OPEN) else { panic!("it can be read") };
        assert_eq!((info.points.len(), info.triangles.len(), info.open.len()), (12, 9, 3 * 6));
        assert!(
            info.points.iter().all(|v| v.abs() <= 0.05001),
            "millimetres, about the middle: {:?}",
            info.points
        );
        let fact = |name: &str| info.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
        assert!(fact("watertight").is_some_and(|v| v.starts_with("NO: 3 open edges in 1 loops")));
        assert!(info.note.is_none() && info.crossing.is_empty());
    }

    #[test]
    fn what_is_no_mesh_is_refused_with_its_line() {
        let MeshAnswer::Refused { message, help } = look("a.obj", b"v 0 0\n") else { panic!("refused") };
        assert!(message.starts_with("line 1:") && !help.is_empty());
        assert!(matches!(look("a.xyzw", b"hello"), MeshAnswer::Refused { .. }));
    }
}
