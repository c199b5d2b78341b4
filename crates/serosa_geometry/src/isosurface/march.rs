//! Marching tetrahedra: a closed manifold from the signs of a function on a grid.

use super::{Field, NODES_MAX};
use crate::generate::{Impossible, impossible};
use crate::{Mesh, Real, Vec3};

/// A grid over the box, one layer wider on every side.
struct Lattice {
    origin: Vec3,
    spacing: Real,
    /// Points along each axis.
    count: [usize; 3],
}

impl Lattice {
    fn over(field: &Field, spacing: Real) -> Result<Self, Impossible> {
        let size = field.bounds.size() / spacing;
        let nodes = (size.x + 4.0) * (size.y + 4.0) * (size.z + 4.0);
        if !(spacing > 0.0 && nodes <= NODES_MAX as Real) {
            let message = format!("edges of {spacing:.2e} m are too fine for a shape in a box of {:.3} m", {
                field.bounds.size().max_element()
            });
            return impossible(message, "ask for longer edges or fewer vertices");
        }
        let count = size.to_array().map(|s| s.ceil() as usize + 3);
        // Half a layer of room on each side, and the rest shared out.
        let room = Vec3::from_array(count.map(|c| (c - 1) as Real)) * spacing - field.bounds.size();
        Ok(Self { origin: field.bounds.min - 0.5 * room, spacing, count })
    }

    fn at(&self, node: usize) -> Vec3 {
        let [nx, ny, _] = self.count;
        let place = Vec3::new((node % nx) as Real, (node / nx % ny) as Real, (node / (nx * ny)) as Real);
        self.origin + place * self.spacing
    }

    /// Steps from a node to the corners of its cube; bits of the number are axes.
    fn steps(&self) -> [usize; 8] {
        let [nx, ny, _] = self.count;
        core::array::from_fn(|c| (c & 1) + (c >> 1 & 1) * nx + (c >> 2 & 1) * nx * ny)
    }
}

/// The six tetrahedra of a cube: one for each order in which the axes can be walked from corner 0 to corner 7. Cubes
/// beside each other cut their common face the same way.
const TETS: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

/// The surface at the given spacing, with the triangles that the tetrahedra give.
pub(super) fn march(field: &Field, spacing: Real) -> Result<Mesh, Impossible> {
    let lattice = Lattice::over(field, spacing)?;
    let [nx, ny, nz] = lattice.count;
    let values: Vec<Real> = (0..nx * ny * nz).map(|node| (field.value)(lattice.at(node))).collect();
    check_signs(&lattice, &values)?;
    let faces = cut_all(&lattice, &values);
    let mut keys: Vec<u64> = faces.iter().flatten().copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let number = |key: u64| keys.binary_search(&key).unwrap_or(0) as u32;
    let triangles: Vec<[u32; 3]> = faces.iter().map(|f| f.map(number)).collect();
    let steps = lattice.steps();
    let crossing = |key: &u64| {
        let (a, along) = ((key / 8) as usize, (key % 8) as usize);
        let b = a + steps[along];
        let (va, vb) = (values[a], values[b]);
        let t = va / (va - vb);
        // Off the ends, so that no two crossings coincide.
        let t = if t.is_finite() { t.clamp(0.02, 0.98) } else { 0.5 };
        lattice.at(a).lerp(lattice.at(b), t)
    };
    let points: Vec<Vec3> = keys.iter().map(crossing).collect();
    Ok(Mesh { points, triangles, ..Mesh::default() })
}

/// Something is inside, and nothing of it on the outermost layer: there the surface would end.
fn check_signs(lattice: &Lattice, values: &[Real]) -> Result<(), Impossible> {
    let [nx, ny, nz] = lattice.count;
    let mut any = false;
    for (node, _) in values.iter().enumerate().filter(|(_, v)| **v < 0.0) {
        let (x, y, z) = (node % nx, node / nx % ny, node / (nx * ny));
        if x == 0 || y == 0 || z == 0 || x + 1 == nx || y + 1 == ny || z + 1 == nz {
            return impossible("the shape reaches out of its box", "give a box that holds it");
        }
        any = true;
    }
    if any {
        return Ok(());
    }
    let message = format!("nothing of the shape is found at a spacing of {:.2e} m", lattice.spacing);
    impossible(message, "make it larger, ask for shorter edges, or cut less away")
}

/// Triangles of all cubes; corners are edges of the lattice: 8 × the lower node + the way from it.
fn cut_all(lattice: &Lattice, values: &[Real]) -> Vec<[u64; 3]> {
    let [nx, ny, nz] = lattice.count;
    let steps = lattice.steps();
    let mut faces = Vec::new();
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let node = x + nx * (y + ny * z);
                let inside = steps.map(|s| values[node + s] < 0.0);
                if inside.iter().all(|i| *i == inside[0]) {
                    continue;
                }
                for tet in &TETS {
                    cut(node, &steps, tet, &inside, &mut faces);
                }
            }
        }
    }
    faces
}

/// Triangles of one tetrahedron.
fn cut(node: usize, steps: &[usize; 8], tet: &[usize; 4], inside: &[bool; 8], faces: &mut Vec<[u64; 3]>) {
    // Along the walk each corner holds the bits of those before it, so the lower one names the edge.
    let edge = |a: usize, b: usize| {
        let (low, high) = (a.min(b), a.max(b));
        8 * (node + steps[low]) as u64 + (low ^ high) as u64
    };
    let (mut ins, mut outs) = ([0; 4], [0; 4]);
    let (mut n, mut m) = (0, 0);
    for corner in *tet {
        if inside[corner] {
            ins[n] = corner;
            n += 1;
        } else {
            outs[m] = corner;
            m += 1;
        }
    }
    let pairs: &[[(usize, usize); 3]] = match n {
        1 => &[[(0, 0), (0, 1), (0, 2)]],
        2 => &[[(0, 0), (0, 1), (1, 1)], [(0, 0), (1, 1), (1, 0)]],
        3 => &[[(0, 0), (1, 0), (2, 0)]],
        _ => &[],
    };
    for face in pairs {
        let ends = face.map(|(i, o)| (ins[i], outs[o]));
        let middle = ends.map(|(a, b)| corner_of(a) + corner_of(b));
        let outward = (middle[1] - middle[0]).cross(middle[2] - middle[0]);
        // With the middles of the edges this is exact: all numbers are small and whole.
        let turned = outward.dot(corner_of(ends[0].1) - corner_of(ends[0].0)) < 0.0;
        let [a, b, c] = ends.map(|(i, o)| edge(i, o));
        faces.push(if turned { [a, c, b] } else { [a, b, c] });
    }
}

fn corner_of(c: usize) -> Vec3 {
    Vec3::new((c & 1) as Real, (c >> 1 & 1) as Real, (c >> 2 & 1) as Real)
}
