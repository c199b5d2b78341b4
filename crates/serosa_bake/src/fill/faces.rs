//! Which tetrahedra share a face, and what hangs together by them.

/// Stands beyond the boundary.
pub(super) const NONE: u32 = u32::MAX;

/// The faces of `a b c d`, each opposite to one corner, anticlockwise seen from outside where the volume is positive.
pub(super) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// For each tetrahedron what lies beyond the face opposite to each corner, or [`NONE`]. O(n log n).
pub(super) fn neighbours(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut sides: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * tets.len());
    for (tet, t) in tets.iter().zip(0u32..) {
        for (face, k) in FACES.iter().zip(0u32..) {
            let mut corners = face.map(|i| tet[i]);
            corners.sort_unstable();
            sides.push((corners, 4 * t + k));
        }
    }
    sides.sort_unstable();
    let mut beyond = vec![[NONE; 4]; tets.len()];
    for pair in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a), (_, b)] = *pair {
            beyond[a as usize / 4][a as usize % 4] = b / 4;
            beyond[b as usize / 4][b as usize % 4] = a / 4;
        }
    }
    beyond
}

/// Faces of one tetrahedron only, outward, each with that one.
pub(super) fn boundary(tets: &[[u32; 4]], beyond: &[[u32; 4]]) -> Vec<([u32; 3], u32)> {
    let mut faces = Vec::new();
    for ((tet, beyond), t) in tets.iter().zip(beyond).zip(0..) {
        let outer = FACES.iter().zip(beyond).filter(|(_, b)| **b == NONE);
        faces.extend(outer.map(|(face, _)| (face.map(|i| tet[i]), t)));
    }
    faces
}

/// Sets that are joined step by step; the least number stands for a set.
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub fn find(&mut self, mut a: u32) -> u32 {
        while self.0[a as usize] != a {
            let above = self.0[self.0[a as usize] as usize];
            self.0[a as usize] = above;
            a = above;
        }
        a
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
