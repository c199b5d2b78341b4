//! Quadratic tetrahedra: four nodes raised to ten.

use super::SolidBody;
use crate::Fault;
use crate::raw::{Place, RawTets};
use crate::statics::element::with_middles;
use serosa_geometry::{Mesh, Real, Vec3};
use serosa_sim::model::{Layout, MIDDLES, Model, NONE, Quadratic};
use std::borrow::Cow;
use std::collections::HashMap;

/// The most vertices of a body of quadratic tetrahedra: it descends on a factor, and to bake that of so many takes two
/// gigabytes (0.75 were found for 23,000).
pub const NODES_MAX: usize = 50_000;
/// Middles are this near to the middles of edges, as a part of these.
const STRAIGHT: Real = 1e-9;
/// Shares of the mass of a tetrahedron at its corners and at its middles: those of the diagonal of the consistent mass,
/// 6 and 32 of 216 (Hinton, Rock and Zienkiewicz 1976). All are positive, and their sum is the whole.
pub const SHARES: [Real; 2] = [1.0 / 36.0, 4.0 / 27.0];

impl RawTets {
    /// With a node in the middle of every edge: outer triangles are cut in four, and a set that has both ends of an edge
    /// gets its middle. As it is where it has middles. O(tetrahedra).
    pub fn raised(self) -> Self {
        if !self.middles.is_empty() {
            return self;
        }
        let (points, elements) = with_middles(&self.mesh.points, &self.tets);
        let mut middle = HashMap::new();
        for nodes in &elements {
            for (k, edge) in MIDDLES.iter().enumerate() {
                let [a, b] = edge.map(|i| nodes[i]);
                middle.insert([a.min(b), a.max(b)], nodes[4 + k]);
            }
        }
        let between = |a: u32, b: u32| middle.get(&[a.min(b), a.max(b)]).copied();
        let cut = |&[a, b, c]: &[u32; 3]| match (between(a, b), between(b, c), between(c, a)) {
            (Some(ab), Some(bc), Some(ca)) => vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]],
            _ => vec![[a, b, c]],
        };
        let mut mesh = Mesh::from_triangles(points, self.mesh.triangles.iter().flat_map(cut).collect());
        let mut edges: Vec<_> = middle.into_iter().collect();
        edges.sort_unstable_by_key(|(_, m)| *m);
        for (name, set) in &self.mesh.sets {
            let inside = |v: &u32| set.binary_search(v).is_ok();
            let more = edges.iter().filter(|([a, b], _)| inside(a) && inside(b)).map(|e| e.1);
            // The middles have higher numbers than all corners.
            mesh.sets.insert(name.clone(), set.iter().copied().chain(more).collect());
        }
        let middles = elements.iter().map(|n| std::array::from_fn(|k| n[4 + k])).collect();
        Self { mesh, middles, ..self }
    }

    /// The ten nodes of a tetrahedron that has middles.
    fn ten(&self, t: usize) -> [u32; 10] {
        std::array::from_fn(|i| if i < 4 { self.tets[t][i] } else { self.middles[t][i - 4] })
    }

    /// Tetrahedra between neighbouring nodes: eight of each that has middles.
    pub(crate) fn pieces(&self) -> Cow<'_, [[u32; 4]]> {
        if self.middles.is_empty() {
            return Cow::Borrowed(&self.tets);
        }
        Cow::Owned((0..self.tets.len()).flat_map(|t| pieces(&self.ten(t))).collect())
    }
}

/// Eight tetrahedra between the ten nodes of one: four at its corners, four around the diagonal from ab to cd.
pub(crate) fn pieces(&[a, b, c, d, ab, bc, ca, ad, bd, cd]: &[u32; 10]) -> [[u32; 4]; 8] {
    [
        [a, ab, ca, ad],
        [ab, b, bc, bd],
        [ca, bc, c, cd],
        [ad, bd, cd, d],
        [cd, ab, ca, bc],
        [cd, ab, bc, bd],
        [cd, ab, bd, ad],
        [cd, ab, ad, ca],
    ]
}

/// What is wrong with middles, where there are any.
pub(super) fn faults(raw: &RawTets, place: Place) -> Vec<Fault> {
    let (points, mut faults) = (&raw.mesh.points, Vec::new());
    if raw.middles.is_empty() {
        return faults;
    }
    let point = |v: u32| points.get(v as usize).copied().unwrap_or(Vec3::NAN);
    let straight = |(tet, middles): (&[u32; 4], &[u32; 6])| {
        MIDDLES.iter().zip(middles).all(|(edge, m)| {
            let [a, b] = edge.map(|i| point(tet[i]));
            ((a + b) * 0.5 - point(*m)).length() <= STRAIGHT * (b - a).length()
        })
    };
    if raw.middles.len() != raw.tets.len() || !raw.tets.iter().zip(&raw.middles).all(straight) {
        let message = "middle nodes of tetrahedra are not in the middles of their edges";
        faults.push(Fault::new(place, message, "leave them out: they are made from the corners"));
    }
    if points.len() > NODES_MAX {
        let message = format!(
            "with quadratic tetrahedra this body has {} vertices, more than {NODES_MAX}",
            points.len()
        );
        let help =
            "mesh it more coarsely: quadratic ones need an eighth as many, or write element = \"linear\"";
        faults.push(Fault::new(place, message, help));
    }
    faults
}

/// Lays out a body whose tetrahedra have middles.
pub(super) fn lay_out(body: &mut SolidBody, raw: &RawTets, fixed: &[u32]) {
    let n = raw.mesh.points.len();
    let nodes = (0..raw.tets.len()).map(|t| raw.ten(t)).collect();
    body.quadratic = Some(Box::new(Quadratic::of(nodes, n)));
    let seat = |v: u32| if fixed.binary_search(&v).is_ok() { NONE } else { v };
    *body.layout = Layout {
        places: (0..n as u32).collect(),
        seats: (0..n as u32).map(seat).collect(),
        size: n as u32,
        ..Layout::default()
    };
}

/// A place in a tetrahedron of a model: nodes around it and their weights, which are never negative. `None` where it
/// lies outside.
pub(super) fn within(
    model: &Model,
    nodes: &[u32; 10],
    first: u32,
    at: Vec3,
) -> Option<([u32; 4], [Real; 4])> {
    pieces(nodes).into_iter().find_map(|piece| {
        let corners = piece.map(|v| model.rest[(first + v) as usize]);
        let weights = crate::fill::weights(at, corners);
        weights.iter().all(|w| *w >= -STRAIGHT).then(|| (piece, weights.map(|w| w.max(0.0))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serosa_geometry::generate::block::{Block, block};
    use serosa_geometry::tets::Tets;

    fn raised() -> RawTets {
        let (mesh, tets) =
            block(&Block { corner: Vec3::ZERO, size: Vec3::new(0.3, 0.2, 0.1), cells: [3, 2, 1] });
        RawTets { mesh, tets, ..RawTets::default() }.raised()
    }

    /// Nodes of a block lie on the grid of half the cell, the pieces fill it, and sets are whole faces of it.
    #[test]
    fn a_block_is_raised_whole() {
        let raw = raised();
        assert_eq!(raw.mesh.points.len(), 7 * 5 * 3);
        let pieces = raw.pieces();
        assert_eq!(pieces.len(), 8 * raw.tets.len());
        let facts = Tets::of(&raw.mesh.points, &pieces);
        assert!(facts.inverted.is_empty() && facts.crowded_faces == 0);
        let volume = |t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|v| raw.mesh.points[v as usize]);
            (b - a).dot((c - a).cross(d - a)) / 6.0
        };
        assert!((pieces.iter().map(volume).sum::<Real>() - 0.006).abs() < 1e-15);
        for (name, axis, at) in [("left", 0, 0.0), ("right", 0, 0.3), ("bottom", 2, 0.0), ("back", 1, 0.2)] {
            let on = |v: &u32| (raw.mesh.points[*v as usize][axis] - at).abs() < 1e-12;
            let wanted: Vec<u32> = (0..raw.mesh.points.len() as u32).filter(on).collect();
            assert_eq!(raw.mesh.sets[name], wanted, "{name}");
        }
        let mut faces: Vec<_> = raw.mesh.triangles.clone();
        let mut outer = facts.boundary;
        for all in [&mut faces, &mut outer] {
            all.iter_mut().for_each(|t| t.sort_unstable());
            all.sort_unstable();
        }
        assert_eq!(faces, outer);
        assert!(super::faults(&raw, Place::Scene).is_empty());
        assert_eq!(raw.clone().raised().mesh.points.len(), raw.mesh.points.len());
    }

    #[test]
    fn crooked_and_missing_middles_are_told() {
        let mut crooked = raised();
        let middle = crooked.middles[0][2] as usize;
        crooked.mesh.points[middle].x += 1e-4;
        let mut missing = raised();
        missing.middles.pop();
        let mut beyond = raised();
        beyond.middles[3][5] = 1_000_000;
        for raw in [crooked, missing, beyond] {
            let found = super::faults(&raw, Place::Scene);
            assert!(found.len() == 1 && found[0].message.contains("middles"), "{found:?}");
        }
    }
}
