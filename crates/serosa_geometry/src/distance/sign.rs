//! On which side of the surface a point lies.

use super::{Distance, Near};
use crate::triangle::{Feature, angle_at, area_vector};
use crate::{Real, Topology, Vec3};

/// How the sign of a distance is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// By the pseudonormal at the closest point: the normal of a face, the sum of two at an edge, the sum weighted by
    /// angles at a vertex. Right for closed surfaces that agree about outside and do not meet themselves; there it costs
    /// next to nothing. Bærentzen and Aanæs, IEEE Trans. Vis. Comput. Graph. 11 (2005).
    ///
    /// Where a face around the closest point is a line, which has no normal, the winding number decides.
    Pseudonormal,
    /// By the generalised winding number, inside above one half: sensible for open surfaces and right where a closed one
    /// meets itself. Jacobson et al., ACM Trans. Graph. 32 (2013).
    Winding,
}

impl Sign {
    /// The cheapest that is right for a surface as far as its topology tells: pseudonormals where it is closed and
    /// oriented. Whether a surface meets itself is not seen here.
    pub fn fitting(topology: &Topology) -> Self {
        match topology.is_closed() && topology.is_oriented() && topology.collapsed.is_empty() {
            true => Self::Pseudonormal,
            false => Self::Winding,
        }
    }
}

impl Distance {
    /// Whether `p` is inside, where `near` is the closest point to it. A point on the surface is not.
    pub fn is_inside(&self, p: Vec3, near: &Near) -> bool {
        let side = match self.sign {
            Sign::Pseudonormal => self.side(p - near.point, near),
            Sign::Winding => None,
        };
        side.map_or_else(|| self.winding(p) > 0.5, |side| side < 0.0)
    }

    /// The unit pseudonormal at a point of the surface; `None` where a face around it has no normal, or they cancel.
    pub fn normal_at(&self, near: &Near) -> Option<Vec3> {
        let mut sum = Vec3::ZERO;
        self.weighted_normals(near, |n, angle| sum += n * angle())?;
        sum.try_normalize()
    }

    /// Positive before the surface and negative behind it; `to` leads from the closest point to the one asked for.
    ///
    /// Where all faces around a vertex agree about the side, so does any sum of them: no angle is needed.
    fn side(&self, to: Vec3, near: &Near) -> Option<Real> {
        let (mut before, mut behind) = (false, false);
        self.weighted_normals(near, |n, _| {
            let side = n.dot(to);
            (before, behind) = (before || side > 0.0, behind || side < 0.0);
        })?;
        if before != behind {
            return Some(if before { 1.0 } else { -1.0 });
        }
        let mut sum = 0.0;
        self.weighted_normals(near, |n, angle| sum += n.dot(to) * angle())?;
        (sum != 0.0).then_some(sum)
    }

    /// Hands out the unit normals of the faces around a point of the surface, in the order of their numbers, with what
    /// gives the weight of each. `None` where one has no normal.
    fn weighted_normals(&self, near: &Near, mut each: impl FnMut(Vec3, &dyn Fn() -> Real)) -> Option<()> {
        let unit = |t: u32| area_vector(&self.corners(t)).map(|n| n * (1.0 / n.length()));
        let topology = &self.topology;
        match near.feature {
            Feature::Face => each(unit(near.triangle)?, &|| 1.0),
            Feature::Edge(k) => {
                let edge = *topology.triangle_edges.get(near.triangle as usize)?.get(k as usize)?;
                for face in topology.edge_faces.get(edge as usize)? {
                    if (*face as usize) < topology.triangles.len() {
                        each(unit(*face)?, &|| 1.0);
                    }
                }
            }
            Feature::Vertex(k) => {
                let vertex = *topology.triangles.get(near.triangle as usize)?.get(k as usize)?;
                for face in topology.faces_of(vertex) {
                    let at = topology.triangles[*face as usize].iter().position(|v| *v == vertex)?;
                    each(unit(*face)?, &|| angle_at(&self.corners(*face), at));
                }
            }
        }
        Some(())
    }
}
