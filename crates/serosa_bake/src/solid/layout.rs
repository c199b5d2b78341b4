//! The order in which the vertices of a solid are worked on; see [`Layout`].

use serosa_geometry::{Aabb, Vec3};
use serosa_sim::body::solid::opposite;
use serosa_sim::model::{Group, LANES, Layout, NONE, Part, SECTION};

/// Vertices of a part, about: enough to fill the lanes of every colour, few enough for the fastest cache.
const PART: usize = 384;

/// What touches what.
struct Graph {
    /// For each vertex its tetrahedra, ascending, as four times the number and the corner.
    stars: Rows,
    /// For each vertex its neighbours, ascending.
    rings: Rows,
}

/// Rows of numbers, one after the other.
struct Rows {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Rows {
    /// Pairs of a row and an entry, each kept once, ascending.
    fn of(rows: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; rows + 1];
        pairs.iter().for_each(|p| starts[p.0 as usize + 1] += 1);
        (0..rows).for_each(|i| starts[i + 1] += starts[i]);
        Self { starts, all: pairs.into_iter().map(|p| p.1).collect() }
    }

    fn row(&self, i: u32) -> &[u32] {
        &self.all[self.starts[i as usize] as usize..self.starts[i as usize + 1] as usize]
    }
}

impl Graph {
    fn of(vertices: usize, tets: &[[u32; 4]]) -> Self {
        let corners =
            tets.iter().enumerate().flat_map(|(t, n)| (0..4).map(move |c| (n[c], (4 * t + c) as u32)));
        let sides = tets.iter().flat_map(|n| {
            (0..4).flat_map(move |i| (0..4).filter(move |j| *j != i).map(move |j| (n[i], n[j])))
        });
        Self { stars: Rows::of(vertices, corners.collect()), rings: Rows::of(vertices, sides.collect()) }
    }
}

/// Lays out the vertices of tetrahedra; `fixed` ones are ascending and stay. O(tetrahedra log tetrahedra).
pub fn layout(points: &[Vec3], tets: &[[u32; 4]], fixed: &[u32]) -> Layout {
    let graph = Graph::of(points.len(), tets);
    let mut free: Vec<u32> = (0..points.len() as u32).filter(|v| fixed.binary_search(v).is_err()).collect();
    let mut boxes = Vec::new();
    cut(points, &graph, &mut free, &mut boxes);
    let (boxes, phases) = phased(&graph, boxes, points.len());
    let mut layout = Layout { phases, ..Layout::default() };
    layout.places = vec![NONE; points.len()];
    layout.seats = vec![NONE; points.len()];
    let colored: Vec<Vec<Vec<u32>>> = boxes.iter().map(|own| colors(&graph, own)).collect();
    for (p, colors) in colored.iter().enumerate() {
        for (i, v) in colors.iter().flatten().enumerate() {
            layout.places[*v as usize] = (p * SECTION + i) as u32;
        }
    }
    let last = boxes.len() * SECTION;
    fixed.iter().zip(last..).for_each(|(v, place)| layout.places[*v as usize] = place as u32);
    layout.size = (last + fixed.len()) as u32;
    layout.corners = tets.iter().map(|t| t.map(|v| layout.places[v as usize])).collect();
    let mut local = vec![NONE; points.len()];
    for colors in &colored {
        pack(&mut layout, (&graph, tets), colors, &mut local);
    }
    layout
}

/// Cuts a box across its longest side, until every part and what is around it fit.
fn cut(points: &[Vec3], graph: &Graph, vertices: &mut [u32], out: &mut Vec<Vec<u32>>) {
    let fits = |own: &[u32]| own.len() <= PART && own.len() + around(graph, own).len() < SECTION;
    if vertices.is_empty() {
        return;
    }
    if vertices.len() == 1 || fits(vertices) {
        vertices.sort_unstable();
        return out.push(vertices.to_vec());
    }
    let sides = Aabb::around(vertices.iter().map(|v| points[*v as usize]));
    let size = sides.max - sides.min;
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let key = |v: &u32| points[*v as usize][axis];
    vertices.sort_unstable_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
    let (low, high) = vertices.split_at_mut(vertices.len() / 2);
    cut(points, graph, low, out);
    cut(points, graph, high, out);
}

/// The vertices around some, ascending.
fn around(graph: &Graph, own: &[u32]) -> Vec<u32> {
    let mut inside = own.to_vec();
    inside.sort_unstable();
    let mut all: Vec<u32> = own.iter().flat_map(|v| graph.rings.row(*v)).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|v| inside.binary_search(v).is_err());
    all
}

/// Parts that share no edge go into one phase. Gives the parts phase by phase.
fn phased(
    graph: &Graph,
    boxes: Vec<Vec<u32>>,
    vertices: usize,
) -> (Vec<Vec<u32>>, Vec<std::ops::Range<u32>>) {
    let mut part_of = vec![NONE; vertices];
    for (p, own) in boxes.iter().enumerate() {
        own.iter().for_each(|v| part_of[*v as usize] = p as u32);
    }
    let mut phase = vec![usize::MAX; boxes.len()];
    let mut filled = Vec::new();
    for (p, own) in boxes.iter().enumerate() {
        let near = around(graph, own);
        let taken: Vec<usize> =
            near.iter().filter_map(|v| phase.get(part_of[*v as usize] as usize).copied()).collect();
        // Of the phases that are free the emptiest, so that each has work for all threads.
        let open = (0..filled.len()).filter(|c| !taken.contains(c)).min_by_key(|c| filled[*c]);
        phase[p] = open.unwrap_or(filled.len());
        if phase[p] == filled.len() {
            filled.push(0u32);
        }
        filled[phase[p]] += 1;
    }
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by_key(|p| phase[*p]);
    let mut ranges = Vec::new();
    let mut start = 0;
    for count in filled {
        ranges.push(start..start + count);
        start += count;
    }
    let mut boxes: Vec<Option<Vec<u32>>> = boxes.into_iter().map(Some).collect();
    (order.iter().filter_map(|p| boxes[*p].take()).collect(), ranges)
}

/// Colours in which no two vertices share an edge, greedily in the order of numbers; in each colour those with as many
/// tetrahedra stand together.
fn colors(graph: &Graph, own: &[u32]) -> Vec<Vec<u32>> {
    let mut color = std::collections::BTreeMap::<u32, usize>::new();
    let mut colors: Vec<Vec<u32>> = Vec::new();
    for v in own {
        let taken: Vec<usize> = graph.rings.row(*v).iter().filter_map(|w| color.get(w).copied()).collect();
        let free = (0..).find(|c| !taken.contains(c)).unwrap_or(0);
        if free == colors.len() {
            colors.push(Vec::new());
        }
        colors[free].push(*v);
        color.insert(*v, free);
    }
    for all in &mut colors {
        all.sort_by_key(|v| (graph.stars.row(*v).len(), *v));
    }
    colors
}

/// Adds a part. `local` is [`NONE`] for all vertices before and after.
fn pack(layout: &mut Layout, (graph, tets): (&Graph, &[[u32; 4]]), colors: &[Vec<u32>], local: &mut [u32]) {
    let own: Vec<u32> = colors.iter().flatten().copied().collect();
    let halo = around(graph, &own);
    own.iter().chain(&halo).zip(0..).for_each(|(v, i)| local[*v as usize] = i);
    let starts = (layout.halo.len() as u32, layout.groups.len() as u32);
    layout.halo.extend(halo.iter().map(|v| layout.places[*v as usize]));
    for color in colors {
        for lanes in color.chunks(LANES) {
            pack_group(layout, (graph, tets), lanes, local);
        }
    }
    layout.parts.push(Part {
        own: own.len() as u32,
        halo: starts.0..layout.halo.len() as u32,
        groups: starts.1..layout.groups.len() as u32,
    });
    own.iter().chain(&halo).for_each(|v| local[*v as usize] = NONE);
}

/// Adds some vertices of one colour. A lane that has none reads and writes the last place, which nobody else does.
fn pack_group(layout: &mut Layout, (graph, tets): (&Graph, &[[u32; 4]]), lanes: &[u32], local: &[u32]) {
    let nowhere = (SECTION - 1) as u16;
    let place = |v: u32| local[v as usize] as u16;
    let mut group = Group {
        vertices: [NONE; LANES],
        own: [nowhere; LANES],
        edges: layout.edges.len() as u32..0,
        faces: layout.faces.len() as u32..0,
    };
    let longest = |rows: &Rows| lanes.iter().map(|v| rows.row(*v).len()).max().unwrap_or(0);
    for i in 0..longest(&graph.rings) {
        let at = |k: usize| lanes.get(k).and_then(|v| graph.rings.row(*v).get(i));
        layout.edges.push(std::array::from_fn(|k| at(k).map_or(nowhere, |v| place(*v))));
    }
    for i in 0..longest(&graph.stars) {
        let at = |k: usize| lanes.get(k).and_then(|v| graph.stars.row(*v).get(i)).copied();
        layout.sources.push(std::array::from_fn(|k| at(k).unwrap_or(NONE)));
        let corners = |source: u32| {
            opposite(source as usize % 4).map(|c| u32::from(place(tets[source as usize / 4][c])))
        };
        let word = |[a, b, c]: [u32; 3]| a | b << 10 | c << 20;
        layout.faces.push(std::array::from_fn(|k| word(at(k).map_or([nowhere.into(); 3], corners))));
    }
    for (k, v) in lanes.iter().enumerate() {
        (group.vertices[k], group.own[k]) = (*v, place(*v));
        layout.seats[*v as usize] = (layout.groups.len() * LANES + k) as u32;
    }
    (group.edges.end, group.faces.end) = (layout.edges.len() as u32, layout.faces.len() as u32);
    layout.groups.push(group);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let mesh = serosa_geometry::generate::block::block(&serosa_geometry::generate::block::Block {
            corner: Vec3::ZERO,
            size: Vec3::new(1.0, 0.7, 0.5),
            cells: [17, 12, 9],
        });
        (mesh.0.points, mesh.1)
    }

    /// Whatever runs at the same time shares no edge, and every vertex and every face is there once.
    #[test]
    fn neighbours_never_move_at_the_same_time() {
        let (points, tets) = ball();
        let fixed = [3, 5, 100];
        let layout = layout(&points, &tets, &fixed);
        let graph = Graph::of(points.len(), &tets);
        let part_of = |v: u32| layout.places[v as usize] as usize / SECTION;
        for phase in &layout.phases {
            for v in 0..points.len() as u32 {
                if !phase.contains(&(part_of(v) as u32)) {
                    continue;
                }
                for w in graph.rings.row(v).iter().filter(|w| phase.contains(&(part_of(**w) as u32))) {
                    assert_eq!(part_of(v), part_of(*w));
                }
            }
        }
        let mut seen = vec![0; points.len()];
        let mut faces = 0;
        for group in &layout.groups {
            for v in group.vertices.iter().filter(|v| **v != NONE) {
                seen[*v as usize] += 1;
                assert!(group.vertices.iter().all(|w| !graph.rings.row(*v).contains(w)));
            }
            let sources = &layout.sources[group.faces.start as usize..group.faces.end as usize];
            faces += sources.iter().flatten().filter(|s| **s != NONE).count();
        }
        let wanted = (0..points.len() as u32).map(|v| usize::from(!fixed.contains(&v)));
        assert!(seen.into_iter().eq(wanted));
        let held: usize = fixed.iter().map(|v| graph.stars.row(*v).len()).sum();
        assert_eq!(faces, 4 * tets.len() - held);
    }
}
