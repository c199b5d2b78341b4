//! Sheets: open surfaces, which have no inside and lie on what has one.
//!
//! A sheet is as thick as its edges are, and what it lies on stays that far from its middle: a row for every vertex
//! nearer than that, inside or not. The gap is continuous as it comes near, so that nothing jumps when a contact begins.
//! Where a vertex of the solid has come through a face of the sheet, with no vertex of the sheet inside, that vertex is
//! pushed back.

use super::{ALONG, Contact, toward_first};
use crate::row::Row;
use crate::{Real, Vec3};
use serosa_geometry::shape::Nearest;
use serosa_geometry::triangle::Feature;
use serosa_geometry::{Intersection, Of, Shape};

impl Contact<'_> {
    /// Which of the two is a sheet on a solid, and half its thickness.
    pub(super) fn sheet(&self) -> Option<(Of, Real)> {
        let solid = |of: Of| self.shapes[of as usize].is_solid();
        let sheet = [Of::First, Of::Second].into_iter().find(|of| !solid(*of) && solid(of.other()))?;
        Some((sheet, self.shells[sheet as usize].thickness))
    }

    /// The vertices of a sheet that are inside the solid, or nearer to it than half their thickness. O(log n) for each
    /// vertex in the solid's box.
    pub(super) fn lie_on(&self, (of, thick): (Of, Real), intersection: &Intersection, rows: &mut Vec<Row>) {
        let (sheet, solid) = (self.shapes[of as usize], self.shapes[of.other() as usize]);
        let reach = solid.tree.bounds().grown(thick);
        let inside = intersection.inside(of);
        let mut last = 0;
        for (v, p) in sheet.points.iter().enumerate().filter(|(_, p)| reach.contains(**p)) {
            let Some(near) = solid.nearest_from(*p, last) else { continue };
            last = near.face;
            let away = if inside.slot(v as u32).is_some() { -1.0 } else { 1.0 };
            let gap = away * near.distance_sq.sqrt() - thick;
            if gap < 0.0 {
                let out = (*p - near.on.point).try_normalize().map_or(solid.normal(near.face), |n| n * away);
                let held = (solid.topology.triangles[near.face as usize], near.on.weights);
                self.press(of, ([v as u32; 3], [1.0, 0.0, 0.0]), held, (toward_first(of, out), -gap), rows);
            }
        }
    }

    /// The vertices of the solid that have come through a face of the sheet whose own corners are all outside, gathered in
    /// `through`: they stand over the face, and look away from it. O(log n) for each edge that crosses it.
    pub(super) fn push_back(
        &self,
        of: Of,
        intersection: &Intersection,
        through: &mut Vec<u32>,
        rows: &mut Vec<Row>,
    ) {
        let (sheet, solid) = (self.shapes[of as usize], self.shapes[of.other() as usize]);
        through.clear();
        let inside = intersection.inside(of);
        let outside = |face: u32| {
            sheet.topology.triangles[face as usize].iter().all(|corner| inside.slot(*corner).is_none())
        };
        for x in intersection.crossings.of(of.other()).iter().filter(|x| outside(x.face)) {
            let came = |v: &u32| {
                let (normal, out) = (sheet.normal(x.face), outward(solid, *v));
                let way = normal * (solid.points[*v as usize] - x.place(solid)).dot(normal);
                way.dot(out) > 0.0
            };
            through.extend(solid.topology.edges[x.edge as usize].into_iter().filter(came));
        }
        through.sort_unstable();
        through.dedup();
        for v in through.iter() {
            let p = solid.points[*v as usize];
            let over = |near: &Nearest| near.on.feature == Feature::Face;
            let Some(near) = sheet.nearest(p).filter(over) else { continue };
            let Some(out) = (near.on.point - p).try_normalize() else { continue };
            if out.dot(outward(solid, *v)) > -ALONG {
                continue;
            }
            let held = (sheet.topology.triangles[near.face as usize], near.on.weights);
            // As far as it has come through and no farther: with the thickness it would begin with a jump.
            let way = (toward_first(of.other(), out), near.distance_sq.sqrt());
            self.press(of.other(), ([*v; 3], [1.0, 0.0, 0.0]), held, way, rows);
        }
    }
}

/// Where a vertex of the solid looks.
fn outward(solid: &Shape, vertex: u32) -> Vec3 {
    let sum: Vec3 = solid.topology.faces_of(vertex).iter().map(|f| solid.normal(*f)).sum();
    sum.normalize_or_zero()
}
