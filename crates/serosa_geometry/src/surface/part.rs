//! Loops of open edges, and components: faces joined by edges.

use super::side::{Joined, Sides};
use crate::{Aabb, Real, Vec3};

/// Open edges that follow one another.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its points in order.
    pub points: Vec<u32>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// Length of all its edges.
    pub length: Real,
    /// Mean of its points.
    pub center: Vec3,
}

/// Faces joined by edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its first face.
    pub first_face: u32,
    /// Faces.
    pub faces: usize,
    /// Points − edges + faces, where a pinched point counts once for each fan of faces around it.
    pub euler: i64,
    /// Loops of open edges; those that touch in a pinched point count as one.
    pub loops: usize,
    /// Whether every edge has two faces.
    pub closed: bool,
    /// Whether its faces could be turned so that all agree: not so for a Möbius strip.
    pub orientable: bool,
    /// Number of handles; known where the component is an orientable surface, open or closed, without crowded edges.
    pub genus: Option<u64>,
    /// Box around it.
    pub bounds: Aabb,
    /// Area of its faces.
    pub area: Real,
    /// Enclosed volume where it is closed and its faces agree; negative where it is inside out.
    pub volume: Option<Real>,
}

/// Sums over faces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// Of all faces.
    pub area: Real,
    /// Sum of the area vectors.
    pub vector_area: Vec3,
    /// Of the cones from a point to all faces.
    pub volume: Real,
}

/// Sums over some faces; `from` should be near, since the volumes of far cones cancel badly.
pub fn measure(points: &[Vec3], faces: impl Iterator<Item = [u32; 3]>, from: Vec3) -> Measure {
    faces.fold(Measure::default(), |sum, face| {
        let [a, b, c] = face.map(|i| points[i as usize] - from);
        let vector = 0.5 * (b - a).cross(c - a);
        Measure {
            area: sum.area + vector.length(),
            vector_area: sum.vector_area + vector,
            volume: sum.volume + a.dot(b.cross(c)) / 6.0,
        }
    })
}

/// Joins open edges where they meet. Where more than two meet in a point, any of them is followed.
pub fn loops(points: &[Vec3], open: &[[u32; 2]]) -> Vec<Loop> {
    // (end, edge), sorted: all edges that end in a point lie beside one another.
    let mut ends: Vec<(u32, u32)> = open.iter().zip(0..).flat_map(|(e, i)| [(e[0], i), (e[1], i)]).collect();
    ends.sort_unstable();
    let mut used = vec![false; open.len()];
    let next = |point: u32, used: &[bool]| {
        let from = ends.partition_point(|e| e.0 < point);
        let here = ends[from..].iter().take_while(|e| e.0 == point);
        // Preferably one that goes on in the same direction: neighbouring holes that touch stay apart.
        let free: Vec<u32> = here.map(|e| e.1).filter(|e| !used[*e as usize]).collect();
        free.iter().find(|e| open[**e as usize][0] == point).or(free.first()).copied()
    };
    let mut all = Vec::new();
    for start in 0..open.len() {
        if std::mem::replace(&mut used[start], true) {
            continue;
        }
        let mut path = open[start].to_vec();
        while path[path.len() - 1] != path[0] {
            let end = path[path.len() - 1];
            let Some(edge) = next(end, &used) else { break };
            used[edge as usize] = true;
            let [a, b] = open[edge as usize];
            path.push(if a == end { b } else { a });
        }
        all.push(one_loop(points, path));
    }
    all
}

fn one_loop(points: &[Vec3], mut path: Vec<u32>) -> Loop {
    let at = |i: u32| points[i as usize];
    let length = path.windows(2).map(|w| at(w[0]).distance(at(w[1]))).sum();
    let closed = path.len() > 1 && path.first() == path.last();
    if closed {
        path.pop();
    }
    let center = path.iter().map(|i| at(*i)).sum::<Vec3>() / path.len() as Real;
    Loop { points: path, closed, length, center }
}

/// All components, in the order of their first faces.
pub fn components(points: &[Vec3], faces: &[[u32; 3]], sound: &[u32], sides: &Sides) -> Vec<Component> {
    let mut joined = Joined::new(faces.len());
    for edge in sides.edges() {
        edge[1..].iter().for_each(|side| joined.join(edge[0].face, side.face));
    }
    let mut order: Vec<(u32, u32)> = sound.iter().map(|f| (joined.find(*f), *f)).collect();
    order.sort_unstable();
    let groups: Vec<&[(u32, u32)]> = order.chunk_by(|a, b| a.0 == b.0).collect();
    let mut part_of = vec![0; faces.len()];
    for (group, part) in groups.iter().zip(0..) {
        group.iter().for_each(|(_, f)| part_of[*f as usize] = part);
    }
    let mut tallies = vec![Tally::default(); groups.len()];
    for edge in sides.edges() {
        let tally: &mut Tally = &mut tallies[part_of[edge[0].face as usize]];
        tally.edges += 1;
        tally.open += usize::from(edge.len() == 1);
        tally.crowded += usize::from(edge.len() > 2);
        tally.flipped += usize::from(edge.len() == 2 && edge[0].forward == edge[1].forward);
    }
    sides.fans(faces).iter().for_each(|(_, face)| tallies[part_of[*face as usize]].fans += 1);
    sides.rims(faces).iter().for_each(|face| tallies[part_of[*face as usize]].loops += 1);
    let mut ways = both_ways(faces.len(), sides);
    let one = |(group, tally): (&&[(u32, u32)], &mut Tally)| {
        let first = group[0].1;
        tally.orientable = tally.crowded == 0 && ways.find(2 * first) != ways.find(2 * first + 1);
        component(points, faces, group, tally)
    };
    groups.iter().zip(&mut tallies).map(one).collect()
}

/// What is counted of a component.
#[derive(Clone, Debug, Default)]
struct Tally {
    fans: usize,
    edges: usize,
    open: usize,
    crowded: usize,
    flipped: usize,
    loops: usize,
    orientable: bool,
}

/// Each face as it is (2f) and turned (2f + 1), joined where the two of neighbours agree. A component that can be
/// oriented falls into two parts, any other hangs together.
fn both_ways(faces: usize, sides: &Sides) -> Joined {
    let mut ways = Joined::new(2 * faces);
    for edge in sides.edges().filter(|e| e.len() == 2) {
        let (f, g) = (2 * edge[0].face, 2 * edge[1].face);
        let turned = u32::from(edge[0].forward == edge[1].forward);
        ways.join(f, g + turned);
        ways.join(f + 1, g + 1 - turned);
    }
    ways
}

fn component(points: &[Vec3], faces: &[[u32; 3]], group: &[(u32, u32)], tally: &Tally) -> Component {
    let corners = || group.iter().map(|(_, f)| faces[*f as usize]);
    let bounds = Aabb::around(corners().flatten().map(|i| points[i as usize]));
    let measured = measure(points, corners(), 0.5 * (bounds.min + bounds.max));
    let euler = tally.fans as i64 - tally.edges as i64 + group.len() as i64;
    let closed = tally.open + tally.crowded == 0;
    // χ = 2 − 2g − b for a surface with b loops.
    let twice = 2 - euler - tally.loops as i64;
    Component {
        first_face: group[0].1,
        faces: group.len(),
        euler,
        loops: tally.loops,
        closed,
        orientable: tally.orientable,
        genus: (tally.orientable && twice >= 0).then_some(twice as u64 / 2),
        bounds,
        area: measured.area,
        volume: (closed && tally.flipped == 0).then_some(measured.volume),
    }
}
