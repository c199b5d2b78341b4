//! Surfaces of triangles that have pressed into one another: rows from how deep they are.
//!
//! Looked for where the free motion has led, since only there do things overlap. Every two shells whose boxes overlap are
//! intersected exactly; what of one is inside the other then gets a depth and a way out, by regions (MedVR) or
//! consistently (LAPAROS), and a row for each. See `docs/models/penetration.md`.

mod sheets;

use crate::body::Substep;
use crate::model::{Model, Pose, Shape as Solid, Shell};
use crate::params::{Params, Response};
use crate::row::{Row, RowKey, Side};
use crate::{PrimId, Real, RigidId, Scratch, Vec3, VertexId};
use serosa_geometry::consistent::{Consistent, Penetration};
use serosa_geometry::overlap::{Inner, Overlap};
use serosa_geometry::triangle::closest_on_triangle;
use serosa_geometry::{Aabb, Grid, Intersection, Of, Shape, Topology, Tree};

/// How far a point's own way out must agree with that of its region: the cosine of the angle between them.
const ALONG: Real = 0.5;

/// So much of its length an edge may be deeper between its ends than these, with consistent depths: a mesh is no nearer to
/// the round surface that is meant where that turns by 5° along an edge.
const SLACK: Real = 0.01;

/// Working arrays; grown once, kept.
#[derive(Clone, Debug, Default)]
pub struct Shells {
    /// One per shell of the model.
    surfaces: Vec<Surface>,
    boxes: Vec<Aabb>,
    grid: Grid,
    /// Shells whose boxes overlap, sorted.
    pairs: Vec<(u32, u32)>,
    intersection: Intersection,
    overlap: Overlap,
    consistent: Consistent,
    /// Vertices that have come through a sheet.
    through: Vec<u32>,
}

/// A shell as the searches need it.
#[derive(Clone, Debug)]
struct Surface {
    topology: Topology,
    tree: Tree,
    /// Where the points of a rigid shell are \[m\].
    placed: Vec<Vec3>,
    /// Whether tree and points are those of this substep.
    fitted: bool,
}

impl Surface {
    fn of(model: &Model, shell: &Shell) -> Self {
        let points = match &shell.frame {
            Some((_, points)) => points.clone(),
            None => model.rest[model.bodies[shell.body.at()].vertex_range()].to_vec(),
        };
        let topology = Topology::of(&shell.triangles, points.len());
        let boxes: Vec<Aabb> = topology.triangles.iter().map(|t| around(&points, t)).collect();
        Self { tree: Tree::of(&boxes), placed: points, topology, fitted: false }
    }
}

fn around(points: &[Vec3], triangle: &[u32; 3]) -> Aabb {
    Aabb::around(triangle.map(|v| points[v as usize]))
}

/// Where everything is: vertices \[m\] and rigid frames.
type At<'a> = (&'a [Vec3], &'a [Pose]);

/// Two shells and what is needed to make rows of them.
struct Contact<'a> {
    model: &'a Model,
    shells: [&'a Shell; 2],
    shapes: [&'a Shape<'a>; 2],
    at: At<'a>,
    friction: Real,
    /// Whether the surfaces cross. What is wholly inside does not, and leaves as a whole.
    crosses: bool,
}

/// A place of one side: vertices of the shell and their weights.
type Hold = ([u32; 3], [Real; 3]);

/// The stage for surfaces: rows where the free motion has led.
pub(super) fn find(sub: &Substep, scratch: &mut Scratch) {
    let Scratch { shells, rows, pos, pose, found_pos, found_pose, .. } = scratch;
    found_pos.copy_from_slice(pos);
    found_pose.copy_from_slice(pose);
    shells.rows(sub.model, sub.params, (pos, pose), rows);
}

impl Shells {
    /// All rows of all shells that overlap, in the order of the shells and of their vertices.
    ///
    /// O(n) for n vertices, besides what overlaps; see [`Intersection`] and what follows it. Allocates nothing when warm.
    pub fn rows(&mut self, model: &Model, params: &Params, (pos, pose): At, rows: &mut Vec<Row>) {
        rows.clear();
        self.place(model, pos, pose);
        for k in 0..self.pairs.len() {
            let (i, j) = self.pairs[k];
            let pair = (i as usize, j as usize);
            self.fit(model, pair.0, pos);
            self.fit(model, pair.1, pos);
            self.meet((model, params), pair, (pos, pose), rows);
        }
        planes(model, params, (pos, pose), rows);
    }

    /// Boxes around all shells, and which of them overlap.
    fn place(&mut self, model: &Model, pos: &[Vec3], pose: &[Pose]) {
        if self.surfaces.len() != model.shells.len() {
            self.surfaces = model.shells.iter().map(|shell| Surface::of(model, shell)).collect();
        }
        self.boxes.clear();
        for (shell, surface) in model.shells.iter().zip(&mut self.surfaces) {
            surface.fitted = false;
            if let Some((r, points)) = &shell.frame {
                surface.placed.clear();
                surface.placed.extend(points.iter().map(|p| pose[r.at()].point(*p)));
            }
            let points = points_of(model, shell, surface, pos);
            // What is not a number is nowhere, and touches nothing.
            let sound = points.iter().all(|p| p.is_finite());
            let around = |p: &[Vec3]| Aabb::around(p.iter().copied()).grown(shell.thickness);
            self.boxes.push(if sound { around(points) } else { Aabb::EMPTY });
        }
        self.grid.build(&self.boxes, |_| 0);
        self.pairs.clear();
        for job in 0..self.grid.jobs() {
            self.grid.pairs_in(job, &self.boxes, |i, j| {
                if model.may_press(i as usize, j as usize) {
                    self.pairs.push((i, j));
                }
            });
        }
        self.pairs.sort_unstable();
    }

    /// Fits the tree of a shell to where it is.
    fn fit(&mut self, model: &Model, i: usize, pos: &[Vec3]) {
        let surface = &mut self.surfaces[i];
        if std::mem::replace(&mut surface.fitted, true) {
            return;
        }
        let Surface { topology, tree, placed, .. } = surface;
        let points = match model.shells[i].frame {
            Some(_) => &placed[..],
            None => &pos[model.bodies[model.shells[i].body.at()].vertex_range()],
        };
        tree.refit(|face| around(points, &topology.triangles[face as usize]));
    }

    /// The rows of two shells.
    fn meet(
        &mut self,
        (model, params): (&Model, &Params),
        (i, j): (usize, usize),
        at: At,
        rows: &mut Vec<Row>,
    ) {
        let Self { surfaces, intersection, overlap, consistent, through, .. } = self;
        let shells = [&model.shells[i], &model.shells[j]];
        let shape = |k: usize| {
            let surface = &surfaces[k];
            let points = points_of(model, &model.shells[k], surface, at.0);
            Shape { points, topology: &surface.topology, tree: &surface.tree }
        };
        let (a, b) = (shape(i), shape(j));
        intersection.find(&a, &b);
        let mu = shells.map(|shell| params.bodies[shell.body.at()].friction);
        let crosses = [Of::First, Of::Second].iter().any(|of| !intersection.crossings.of(*of).is_empty());
        let friction = (mu[0] * mu[1]).sqrt();
        let contact = Contact { model, shells, shapes: [&a, &b], at, friction, crosses };
        if let Some(sheet) = contact.sheet() {
            contact.lie_on(sheet, intersection, rows);
            contact.push_back(sheet.0, intersection, through, rows);
        } else if params.response == Response::ConsistentPenetration {
            for of in [Of::First, Of::Second] {
                let sides = [contact.shapes[of as usize], contact.shapes[of.other() as usize]];
                consistent.find(sides, of, intersection, None);
                contact.press_vertices(of, consistent, rows);
                consistent.edges(sides, of, intersection, SLACK, |point| contact.press_edge(point, rows));
            }
        } else {
            overlap.find(&a, &b, intersection);
            contact.press_regions(overlap, rows);
        }
    }

    /// The slow twin: the vertices of soft shells inside others, each asked by itself, at the same places.
    pub fn inside_slowly(&mut self, model: &Model, (pos, pose): At, mut report: impl FnMut(VertexId)) {
        self.place(model, pos, pose);
        (0..model.shells.len()).for_each(|i| self.fit(model, i, pos));
        for (i, shell) in model.shells.iter().enumerate().filter(|(_, shell)| shell.frame.is_none()) {
            for v in model.bodies[shell.body.at()].vertex_range() {
                let inside = (0..model.shells.len()).filter(|j| model.may_press(i, *j)).any(|j| {
                    let surface = &self.surfaces[j];
                    let points = points_of(model, &model.shells[j], surface, pos);
                    let shape = Shape { points, topology: &surface.topology, tree: &surface.tree };
                    let of = if i < j { Of::First } else { Of::Second };
                    shape.is_solid() && shape.winding_about(pos[v], of) > 0
                });
                if inside {
                    report(VertexId::from(v));
                }
            }
        }
    }
}

fn points_of<'a>(model: &Model, shell: &Shell, surface: &'a Surface, pos: &'a [Vec3]) -> &'a [Vec3] {
    match shell.frame {
        Some(_) => &surface.placed,
        None => &pos[model.bodies[shell.body.at()].vertex_range()],
    }
}

impl Contact<'_> {
    /// MedVR: one direction for each region, a row for each of its points.
    fn press_regions(&self, overlap: &Overlap, rows: &mut Vec<Row>) {
        for region in overlap.regions() {
            let points = &overlap.points()[region.points.start as usize..region.points.end as usize];
            let points = || points.iter().filter(|p| !self.leads_on(p.of, &p.corners, p.out));
            // The deepest point of a wide and shallow region is now here, now there, and what follows it never rests.
            let mean: Vec3 = points().map(|p| toward_first(p.of, p.out) * p.distance).sum();
            let mean = mean.try_normalize().filter(|_| !region.enclosed).unwrap_or(region.normal);
            for point in points() {
                let own = toward_first(point.of, point.out);
                let along = own.dot(mean);
                let way = match region.enclosed {
                    true => (region.normal, point.push),
                    false if along >= ALONG => (mean, point.distance * along),
                    // The region's direction leads it along the surface or deeper: it leaves by its own exit.
                    false => (own, point.distance),
                };
                self.press(point.of, (point.corners, point.weights), self.exit(point), way, rows);
            }
        }
    }

    /// LAPAROS: a direction for each vertex. The other side is held where the vertex comes out.
    fn press_vertices(&self, of: Of, found: &Consistent, rows: &mut Vec<Row>) {
        let other = self.shapes[of.other() as usize];
        // Vertices that follow one another mostly lie beside one another: the last exit is a good guess.
        let mut last = 0;
        let leads_out = |p: &&Penetration| p.depth > 0.0 && !self.leads_on(of, &[p.vertex; 3], p.direction);
        for p in found.found().iter().filter(leads_out) {
            let out = self.shapes[of as usize].points[p.vertex as usize] + p.direction * p.depth;
            let Some(exit) = other.nearest_from(out, last) else { continue };
            last = exit.face;
            let held = (other.topology.triangles[exit.face as usize], exit.on.weights);
            let way = (toward_first(of, p.direction), p.depth);
            self.press(of, ([p.vertex; 3], [1.0, 0.0, 0.0]), held, way, rows);
        }
    }

    /// What LAPAROS misses: an edge that is deepest between its ends. It leaves by its own way.
    fn press_edge(&self, point: &Inner, rows: &mut Vec<Row>) {
        let ends = |k: usize| self.shapes[point.of as usize].points[point.corners[k] as usize];
        let depth = point.distance - SLACK * ends(0).distance(ends(1));
        if depth > 0.0 && !self.leads_on(point.of, &point.corners, point.out) {
            let way = (toward_first(point.of, point.out), depth);
            self.press(point.of, (point.corners, point.weights), self.exit(point), way, rows);
        }
    }

    /// Whether the way out of a vertex or an edge of a rigid surface leads on, where that surface looks: through the far
    /// wall of tissue that it has pressed flat, or through a fold. Its row would draw the tissue over it, against all
    /// the rows beside it. What is rigid leaves backwards. Tissue is not asked, since it may be what is folded, and the
    /// way out of what is rigid is right all the same.
    fn leads_on(&self, of: Of, [v, w, _]: &[u32; 3], out: Vec3) -> bool {
        if !self.crosses || self.shells[of as usize].frame.is_none() {
            return false;
        }
        let Shape { topology, .. } = self.shapes[of as usize];
        let beside = |face: &&u32| topology.triangles[**face as usize].contains(w);
        let around = topology.faces_of(*v).iter().filter(beside);
        around.map(|face| self.shapes[of as usize].normal(*face)).sum::<Vec3>().dot(out) > 0.0
    }

    /// Where a point of one side leaves the other.
    fn exit(&self, point: &Inner) -> Hold {
        let other = self.shapes[point.of.other() as usize];
        let weights = closest_on_triangle(point.exit, &other.face(point.face)).weights;
        (other.topology.triangles[point.face as usize], weights)
    }

    /// A row that pushes a place of one side, `depth` deep in the other, out along the normal, which points from the
    /// second shell to the first.
    fn press(&self, of: Of, inner: Hold, outer: Hold, (normal, depth): (Vec3, Real), rows: &mut Vec<Row>) {
        let (Some(own), Some(other)) = (self.prim(of, &inner), self.prim(of.other(), &outer)) else { return };
        let (inner, outer) = (self.side(of, &inner), self.side(of.other(), &outer));
        let (prims, sides) = match of {
            Of::First => ([own, other], [inner, outer]),
            Of::Second => ([other, own], [outer, inner]),
        };
        let key = RowKey { a: prims[0], b: prims[1], feature: 0 };
        rows.push(row(key, sides, (normal, -depth, self.friction), self.at));
    }

    fn side(&self, of: Of, (corners, weights): &Hold) -> Side {
        let shell = self.shells[of as usize];
        if let Some((r, points)) = &shell.frame {
            return Side::Rigid(*r, (0..3).map(|k| points[corners[k] as usize] * weights[k]).sum());
        }
        let [u, v, w] = corners.map(|local| self.vertex(shell, local));
        // Of an edge the second end is there twice, of a vertex all three are one.
        match v == w {
            true => Side::Soft([u, v], [weights[0], weights[1] + weights[2]]),
            false => Side::Face([u, v, w], *weights),
        }
    }

    fn vertex(&self, shell: &Shell, local: u32) -> VertexId {
        VertexId(self.model.bodies[shell.body.at()].vertices.start + local)
    }

    /// A primitive of the body that stands for the place in the key of a row.
    fn prim(&self, of: Of, (corners, _): &Hold) -> Option<PrimId> {
        let shell = self.shells[of as usize];
        match shell.frame {
            Some(_) => Some(PrimId(self.model.bodies[shell.body.at()].prims.start)),
            None => self.model.neighbours.at(self.vertex(shell, corners[0])).first().copied(),
        }
    }
}

/// A way out of one side as a normal from the second shell to the first.
fn toward_first(of: Of, out: Vec3) -> Vec3 {
    if of == Of::First { out } else { -out }
}

/// A row with its gap as given: its sides are held a little beside each other.
fn row(key: RowKey, sides: [Side; 2], (normal, gap, friction): (Vec3, Real, Real), (pos, pose): At) -> Row {
    let mut row =
        Row { key, sides, normal, offset: 0.0, gap, friction, rest: 0.0, lambda: 0.0, slip: Vec3::ZERO };
    row.offset = row.gap_at(pos, pose) - gap;
    row
}

/// Vertices of soft shells below planes: a plane has no triangles, and its depth is plain.
fn planes(model: &Model, params: &Params, (pos, pose): At, rows: &mut Vec<Row>) {
    let flat = model.rigids.iter().enumerate().filter(|(_, rigid)| matches!(rigid.shape, Solid::Plane));
    for (r, plane) in flat {
        let (r, normal) = (RigidId::from(r), pose[r].rot * Vec3::Z);
        let level = pose[r.at()].pos.dot(normal);
        let ground = PrimId(model.bodies[plane.body.at()].prims.start);
        for shell in model.shells.iter().filter(|shell| shell.frame.is_none()) {
            let mu = |b: usize| params.bodies[b].friction;
            let friction = (mu(shell.body.at()) * mu(plane.body.at())).sqrt();
            for v in model.bodies[shell.body.at()].vertex_range() {
                let gap = pos[v].dot(normal) - level - shell.thickness;
                let Some(prim) = model.neighbours.at(VertexId::from(v)).first().filter(|_| gap < 0.0) else {
                    continue;
                };
                // The smaller primitive is side A, and normals point to it.
                let side = if *prim < ground { 1.0 } else { -1.0 };
                let key = RowKey { a: (*prim).min(ground), b: (*prim).max(ground), feature: 0 };
                let foot = pos[v] - normal * gap;
                let own = Side::Soft([VertexId::from(v); 2], [1.0, 0.0]);
                let ground = Side::Rigid(r, pose[r.at()].local(foot));
                let sides = if side > 0.0 { [own, ground] } else { [ground, own] };
                rows.push(row(key, sides, (normal * side, gap, friction), (pos, pose)));
            }
        }
    }
}

impl Model {
    /// Whether two shells may press into one another: one of them must be soft, since rigid bodies among themselves have no
    /// depth to share.
    fn may_press(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.shells[i], &self.shells[j]);
        a.body != b.body && (a.frame.is_none() || b.frame.is_none())
    }
}
