//! Where the edges of two surfaces pass through each other's faces.

use crate::pierce::{Of, pierce, pierce_from, sides};
use crate::shape::Shape;
use crate::topology::NONE;
use crate::{Real, Vec3};

/// A passage of an edge of one surface through a face of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The edge.
    pub edge: u32,
    /// The face of the other surface.
    pub face: u32,
    /// Where along the edge, 0 at its first end, 1 at its second.
    pub at: Real,
    /// Whether the edge leaves the other shape there, from its first end to its second.
    pub leaving: bool,
}

impl Crossing {
    /// The place, rounded.
    pub fn place(&self, shape: &Shape) -> Vec3 {
        let [p, q] = shape.edge(self.edge);
        p + (q - p) * self.at
    }
}

/// All passages between two surfaces: exact, none missed and none twice, whatever touches (see [`crate::pierce`]).
/// Both lists ascend by edge and then along the edge. The same bits for any order of faces in the trees.
#[derive(Clone, Debug, Default)]
pub struct Crossings {
    first: Vec<Crossing>,
    second: Vec<Crossing>,
}

impl Crossings {
    /// Those of the edges of one of the two shapes.
    pub fn of(&self, of: Of) -> &[Crossing] {
        match of {
            Of::First => &self.first,
            Of::Second => &self.second,
        }
    }

    /// Finds them all. O(pairs of faces whose boxes overlap), and O(k log k) for k passages; allocates nothing when
    /// warm.
    pub fn find(&mut self, a: &Shape, b: &Shape) {
        self.first.clear();
        self.second.clear();
        a.tree.pairs(b.tree, |f, g| self.look_at(a, b, f, g));
        for list in [&mut self.first, &mut self.second] {
            list.sort_unstable_by(|x, y| {
                x.edge.cmp(&y.edge).then(x.at.total_cmp(&y.at)).then(x.face.cmp(&y.face))
            });
        }
    }

    /// The slow twin: all edges of either against all faces of the other.
    pub fn find_slowly(&mut self, a: &Shape, b: &Shape) {
        for (of, from, to) in [(Of::First, a, b), (Of::Second, b, a)] {
            let list = if of == Of::First { &mut self.first } else { &mut self.second };
            list.clear();
            for edge in 0..from.topology.edges.len() as u32 {
                let start = list.len();
                for face in 0..to.topology.triangles.len() as u32 {
                    let passage = pierce(from.edge(edge), &to.face(face), of);
                    list.extend(passage.map(|x| Crossing { edge, face, at: x.at, leaving: x.leaving }));
                }
                list[start..].sort_by(|x, y| x.at.total_cmp(&y.at));
            }
        }
    }

    fn look_at(&mut self, a: &Shape, b: &Shape, f: u32, g: u32) {
        let (s, t) = (a.face(f), b.face(g));
        let of_s = sides(&s, &t, Of::First);
        if one_side(of_s) {
            return;
        }
        let of_t = sides(&t, &s, Of::Second);
        if one_side(of_t) {
            return;
        }
        pass_edges(a, (f, of_s), (g, &t, Of::First), &mut self.first);
        pass_edges(b, (g, of_t), (f, &s, Of::Second), &mut self.second);
    }
}

/// Whether all corners lie on one side, or the other face has no sides.
fn one_side([a, b, c]: [i8; 3]) -> bool {
    a == b && b == c
}

/// Passages through a face of those edges of another that are its own: each edge is looked at with one face only.
fn pass_edges(
    from: &Shape,
    (f, sides): (u32, [i8; 3]),
    (face, t, of): (u32, &[Vec3; 3], Of),
    found: &mut Vec<Crossing>,
) {
    let edges = from.topology.triangle_edges[f as usize];
    for k in 0..3 {
        let next = (k + 1) % 3;
        if sides[k] == sides[next] || edges[k] == NONE || from.topology.edge_faces[edges[k] as usize][0] != f
        {
            continue;
        }
        let corners = from.topology.triangles[f as usize];
        let forward = corners[k] < corners[next];
        let ends = if forward { [sides[k], sides[next]] } else { [sides[next], sides[k]] };
        if let Some(x) = pierce_from(from.edge(edges[k]), ends, t, of) {
            found.push(Crossing { edge: edges[k], face, at: x.at, leaving: x.leaving });
        }
    }
}
