//! Which segments meet at a vertex.

use serosa_geometry::PrimId;
use serosa_sim::model::{Model, Neighbours, PrimKind};

/// The segments at every vertex, ascending. Cost: O(vertices + segments).
pub fn neighbours(model: &Model) -> Neighbours {
    let mut starts = vec![0u32; model.rest.len() + 1];
    for prim in &model.prims {
        if let PrimKind::Segment(ends) = prim.kind {
            ends.iter().for_each(|v| starts[v.at() + 1] += 1);
        }
    }
    for v in 0..model.rest.len() {
        starts[v + 1] += starts[v];
    }
    let mut next = starts.clone();
    let mut segments = vec![PrimId(0); starts[model.rest.len()] as usize];
    for (i, prim) in model.prims.iter().enumerate() {
        let PrimKind::Segment(ends) = prim.kind else { continue };
        for v in ends {
            segments[next[v.at()] as usize] = PrimId::from(i);
            next[v.at()] += 1;
        }
    }
    Neighbours { starts, segments }
}
