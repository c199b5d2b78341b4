//! `serosa query pairs`.

use super::Shape;
use crate::cli::TwoArgs;
use crate::{Console, Failure};
use serde_json::json;
use serosa_geometry::collide::{Collider, Own, PAIRS_MAX, Shells};

/// Pairs shown in text; `--json` gives all.
const SHOWN: usize = 20;

/// Lists the triangles of A and B that have a point in common. What A or B has with itself is not looked for.
pub fn pairs(args: &TwoArgs, console: &mut Console) -> Result<(), Failure> {
    let (a, b) = (Shape::read_surface(&args.a)?, Shape::read_surface(&args.b)?);
    let mut points = a.points;
    let behind = points.len() as u32;
    points.extend(b.points);
    let mut shells = Shells::default();
    shells.add(&a.triangles, Own::Ignored);
    shells.add(&b.triangles.iter().map(|t| t.map(|i| i + behind)).collect::<Vec<_>>(), Own::Ignored);
    let mut collider = Collider::new(shells, &points);
    let found: Vec<[u32; 2]> = collider.find(&points).iter().map(|m| [m.a.1, m.b.1]).collect();
    let complete = collider.is_complete();
    let lost = points.iter().filter(|p| !p.is_finite()).count();
    let mut remarks = Vec::new();
    if lost > 0 {
        remarks.push(format!("{lost} points are not finite; their faces meet nothing"));
    }
    if !complete {
        remarks.push(format!("the search ended at {PAIRS_MAX} candidates; there may be more pairs"));
    }
    if args.json {
        console.say(json!({
            "a": a.name, "b": b.name, "triangles_a": a.triangles.len(), "triangles_b": b.triangles.len(),
            "count": found.len(), "pairs": found, "complete": complete, "remarks": remarks,
        }));
        return Ok(());
    }
    remarks.iter().for_each(|remark| console.say(format!("note: {remark}")));
    console.say(format!(
        "{} pairs of triangles meet, of {} in A and {} in B",
        found.len(),
        a.triangles.len(),
        b.triangles.len()
    ));
    found.iter().take(SHOWN).for_each(|[i, j]| console.say(format!("{i:>8} {j:>8}")));
    if found.len() > SHOWN {
        console.say(format!("     ... {} more; --json gives all", found.len() - SHOWN));
    }
    Ok(())
}
