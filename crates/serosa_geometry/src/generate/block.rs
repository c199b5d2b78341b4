//! Blocks of tetrahedra.

use crate::tets::Tets;
use crate::{Mesh, Real, Vec3};

/// A block cut into cells, and each cell into six tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its lowest corner [m].
    pub corner: Vec3,
    /// Its edges [m].
    pub size: Vec3,
    /// Cells along each edge, at least one.
    pub cells: [usize; 3],
}

/// The six tetrahedra of a cell about the diagonal of its corners 0 and 7; bit k of a corner's number says which end of
/// axis k it is at.
pub(super) const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// Points, outer triangles and sets of a block, and its tetrahedra. Cells are mirrored along every axis in turn, so that
/// the block has no direction in which its diagonals lean. Sets: `left`, `right` (ends of x), `front`, `back` (of y),
/// `bottom`, `top` (of z).
pub fn block(block: &Block) -> (Mesh, Vec<[u32; 4]>) {
    let n = block.cells.map(|c| c.max(1));
    let index = |i: [usize; 3]| ((i[2] * (n[1] + 1) + i[1]) * (n[0] + 1) + i[0]) as u32;
    let mut points = Vec::new();
    let mut tets = Vec::new();
    let mut sets = std::collections::BTreeMap::<String, Vec<u32>>::new();
    let names = [["left", "right"], ["front", "back"], ["bottom", "top"]];
    for k in 0..=n[2] {
        for j in 0..=n[1] {
            for i in 0..=n[0] {
                let at = [i, j, k];
                let share = Vec3::from_array([0, 1, 2].map(|a| at[a] as Real / n[a] as Real));
                points.push(block.corner + block.size * share);
                for a in 0..3 {
                    if at[a] == 0 {
                        sets.entry(names[a][0].to_owned()).or_default().push(index(at));
                    }
                    if at[a] == n[a] {
                        sets.entry(names[a][1].to_owned()).or_default().push(index(at));
                    }
                }
            }
        }
    }
    for k in 0..n[2] {
        for j in 0..n[1] {
            for i in 0..n[0] {
                let cell = [i, j, k];
                let corner =
                    |c: usize| index(std::array::from_fn(|a| cell[a] + ((c >> a & 1) ^ (cell[a] & 1))));
                // An odd number of mirrors turns a tetrahedron inside out.
                let odd = (i + j + k) % 2 == 1;
                tets.extend(SIX.map(|[a, b, c, d]| {
                    let (b, c) = if odd { (c, b) } else { (b, c) };
                    [a, b, c, d].map(corner)
                }));
            }
        }
    }
    let boundary = Tets::of(&points, &tets).boundary;
    (Mesh { sets, ..Mesh::from_triangles(points, boundary) }, tets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_whole_and_its_cells_fit() {
        let (mesh, tets) =
            block(&Block { corner: Vec3::ONE, size: Vec3::new(3.0, 2.0, 1.0), cells: [4, 3, 2] });
        let facts = Tets::of(&mesh.points, &tets);
        assert_eq!((facts.inverted.len(), facts.flat.len(), facts.crowded_faces), (0, 0, 0));
        assert!((facts.volume - 6.0).abs() < 1e-12);
        assert_eq!(facts.boundary.len(), 2 * 2 * (4 * 3 + 3 * 2 + 2 * 4), "no faces inside are open");
        assert_eq!((mesh.sets["left"].len(), mesh.sets["top"].len()), (12, 20));
        assert!(mesh.sets["right"].iter().all(|v| mesh.points[*v as usize].x == 4.0));
        assert!(facts.surface(&mesh.points).is_watertight());
    }
}
