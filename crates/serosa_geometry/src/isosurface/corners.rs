//! A closed surface as a table of half-edges that can be flipped, split and collapsed.
//!
//! Face f has the half-edges 3f, 3f+1, 3f+2; half-edge h leaves the vertex `from[h]` for the next one of its face, and
//! `twin[h]` runs the other way in the face beside it.

use crate::{Mesh, Vec3};

const GONE: u32 = u32::MAX;

/// The table.
pub(super) struct Corners {
    pub points: Vec<Vec3>,
    from: Vec<u32>,
    twin: Vec<u32>,
    /// A half-edge that leaves each vertex; GONE where the vertex is.
    leaving: Vec<u32>,
}

pub(super) fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

pub(super) fn prev(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

impl Corners {
    /// The table of a mesh that is closed, manifold and oriented. O(n log n).
    pub fn of(mesh: &Mesh) -> Self {
        let from: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        let mut leaving = vec![GONE; mesh.points.len()];
        let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(from.len());
        for h in 0..from.len() as u32 {
            let (a, b) = (from[h as usize], from[next(h) as usize]);
            leaving[a as usize] = h;
            sides.push((a.min(b), a.max(b), h));
        }
        sides.sort_unstable();
        let mut twin = vec![GONE; from.len()];
        for pair in sides.chunks_exact(2) {
            debug_assert_eq!((pair[0].0, pair[0].1), (pair[1].0, pair[1].1));
            twin[pair[0].2 as usize] = pair[1].2;
            twin[pair[1].2 as usize] = pair[0].2;
        }
        Self { points: mesh.points.clone(), from, twin, leaving }
    }

    /// The mesh, without what is gone, numbered in the order of the table.
    pub fn mesh(&self) -> Mesh {
        let mut number = vec![GONE; self.points.len()];
        let mut points = Vec::with_capacity(self.points.len());
        for v in self.each_vertex() {
            number[v as usize] = points.len() as u32;
            points.push(self.points[v as usize]);
        }
        let faces = self.from.chunks_exact(3).filter(|f| f[0] != GONE);
        let triangles = faces.map(|f| [f[0], f[1], f[2]].map(|v| number[v as usize])).collect();
        Mesh::from_triangles(points, triangles)
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.leaving.iter().filter(|h| **h != GONE).count()
    }

    /// Numbers of the vertices there are.
    pub fn each_vertex(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.leaving.len() as u32).filter(|v| self.leaving[*v as usize] != GONE)
    }

    /// How many half-edges there ever were.
    pub fn len(&self) -> u32 {
        self.from.len() as u32
    }

    /// Whether this is the half-edge of an edge by which it is visited: the lower one, and there.
    pub fn leads(&self, h: u32) -> bool {
        self.from[h as usize] != GONE && h < self.twin[h as usize]
    }

    pub fn twin(&self, h: u32) -> u32 {
        self.twin[h as usize]
    }

    pub fn start(&self, h: u32) -> u32 {
        self.from[h as usize]
    }

    pub fn end(&self, h: u32) -> u32 {
        self.from[next(h) as usize]
    }

    pub fn point(&self, v: u32) -> Vec3 {
        self.points[v as usize]
    }

    /// Half-edges that leave a vertex, around it.
    pub fn around(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.leaving[v as usize];
        let mut at = Some(first);
        core::iter::from_fn(move || {
            let h = at?;
            let after = self.twin[prev(h) as usize];
            at = (after != first).then_some(after);
            Some(h)
        })
    }

    /// How many edges meet at a vertex.
    pub fn valence(&self, v: u32) -> usize {
        self.around(v).count()
    }

    /// Whether an edge joins two vertices.
    pub fn joined(&self, a: u32, b: u32) -> bool {
        self.around(a).any(|h| self.end(h) == b)
    }

    /// Turns the edge within its two faces (a, b, c), (b, a, d), to run from c to d. They must not be joined yet.
    pub fn flip(&mut self, h: u32) {
        let t = self.twin(h);
        let (a, b, c, d) = (self.start(h), self.start(t), self.start(prev(h)), self.start(prev(t)));
        let [bc, ca, ad, db] = [next(h), prev(h), next(t), prev(t)].map(|e| self.twin(e));
        let (f, g) = (h / 3 * 3, t / 3 * 3);
        self.face(f, [d, b, c], [db, bc, g + 2]);
        self.face(g, [c, a, d], [ca, ad, f + 2]);
    }

    /// Puts a vertex on the edge, and edges from it to the two corners opposite.
    pub fn split(&mut self, h: u32, middle: Vec3) {
        let t = self.twin(h);
        let (a, b, c, d) = (self.start(h), self.start(t), self.start(prev(h)), self.start(prev(t)));
        let [bc, ca, ad, db] = [next(h), prev(h), next(t), prev(t)].map(|e| self.twin(e));
        let m = self.points.len() as u32;
        self.points.push(middle);
        self.leaving.push(GONE);
        let (f, g) = (h / 3 * 3, t / 3 * 3);
        let (p, q) = (self.len(), self.len() + 3);
        self.from.resize(self.from.len() + 6, GONE);
        self.twin.resize(self.twin.len() + 6, GONE);
        self.face(f, [a, m, c], [q, p + 2, ca]);
        self.face(p, [m, b, c], [g, bc, f + 1]);
        self.face(g, [b, m, d], [p, q + 2, db]);
        self.face(q, [m, a, d], [f, ad, g + 1]);
    }

    /// Whether the two ends of an edge can become one vertex and leave a manifold: they have no neighbours in common but
    /// the two corners opposite, and those keep three edges (the link condition).
    pub fn can_collapse(&self, h: u32) -> bool {
        let t = self.twin(h);
        let (a, b, c, d) = (self.start(h), self.end(h), self.start(prev(h)), self.start(prev(t)));
        let common = self.around(a).filter(|e| self.end(*e) != b && self.joined(b, self.end(*e))).count();
        common == 2 && c != d && self.valence(c) > 3 && self.valence(d) > 3
    }

    /// Makes the two ends of an edge one vertex, the first, at a place of its own.
    pub fn collapse(&mut self, h: u32, place: Vec3) {
        let t = self.twin(h);
        let (a, b, c, d) = (self.start(h), self.end(h), self.start(prev(h)), self.start(prev(t)));
        let rays: Vec<u32> = self.around(b).collect();
        let [cb, ac, da, bd] = [next(h), prev(h), next(t), prev(t)].map(|e| self.twin(e));
        for ray in rays {
            self.from[ray as usize] = a;
        }
        for (x, y) in [(cb, ac), (da, bd)] {
            self.twin[x as usize] = y;
            self.twin[y as usize] = x;
        }
        for face in [h / 3 * 3, t / 3 * 3] {
            self.from[face as usize..face as usize + 3].fill(GONE);
        }
        self.leaving[a as usize] = ac;
        self.leaving[b as usize] = GONE;
        self.leaving[c as usize] = cb;
        self.leaving[d as usize] = da;
        self.points[a as usize] = place;
    }

    /// Writes a face: its corners, and the half-edges beside each of its own.
    fn face(&mut self, f: u32, corners: [u32; 3], twins: [u32; 3]) {
        for (k, (corner, twin)) in (f..).zip(corners.into_iter().zip(twins)) {
            self.from[k as usize] = corner;
            self.twin[k as usize] = twin;
            self.twin[twin as usize] = k;
            self.leaving[corner as usize] = k;
        }
    }
}
