//! The organs of the scene `organ-pile`, at rest on one another, as one programme: their masses and velocities, the springs
//! along their edges, and contacts with friction between the surfaces as they lie.

use super::problem::Made;
use crate::{Failure, scenes};
use serosa_geometry::segment::closest_segments;
use serosa_geometry::{Aabb, Distance, Real, Topology, Vec3};
use serosa_sim::algebra::BlockMatrix;
use serosa_sim::algebra::qp::Rows;
use serosa_sim::model::{Body, BodyKind, Shell};
use serosa_sim::{Input, World, step};
use std::ops::Range;
use std::sync::Arc;

/// When the organs lie still \[s\].
const SETTLED: Real = 3.0;
/// How far apart two surfaces may be where they are looked at \[m\].
const REACH: Real = 0.005;
/// Overlaps are parted by this share of them in a step, and never faster than this \[m/s\], as the response does.
const PART: (Real, Real) = (0.2, 0.5);
/// Two edges are a contact where their surfaces look at one another: the cosines of both with the way between them add up
/// to more.
const FACING: Real = 1.0;

/// A pile and what is known of it.
pub struct Pile {
    pub made: Made,
    /// Velocities without contacts, if nothing deformed \[m/s\].
    pub before: Vec<Real>,
    /// Vertices, middle and size of each organ \[m\].
    organs: Vec<(Range<usize>, Vec3, Real)>,
}

/// The scene when it has come to rest. Cost: a thousand steps.
pub fn settled() -> Result<World, Failure> {
    let mut world = scenes::load(&scenes::find("organ-pile")?)?.baked.world();
    let input = Input::at_rest(&world);
    while (world.state.tick as Real) * world.params.dt_s < SETTLED {
        step(&mut world, &input, &mut || 0);
    }
    Ok(world)
}

/// The programme of the next step, with the nearest `contacts` contacts.
pub fn pile(world: &World, contacts: usize) -> Pile {
    let (model, state, h) = (&world.model, &world.state, world.params.dt_s);
    let (matrix, load) = nets(world, h);
    let mut all = touching(world);
    all.sort_by(|a, b| a.gap.total_cmp(&b.gap).then(a.weights[0].0.cmp(&b.weights[0].0)));
    all.truncate(contacts);
    let mut rows = Rows::default();
    for near in &all {
        let asked = if near.gap >= 0.0 { -near.gap / h } else { (-near.gap * PART.0 / h).min(PART.1) };
        rows.push_contact(&near.weights, near.normal, asked, near.friction);
    }
    let tissues = model.bodies.iter().filter(|b| matches!(b.kind, BodyKind::Tissue(_)));
    let organ = |vertices: Range<usize>| {
        let here = &state.pos[vertices.clone()];
        let middle = here.iter().sum::<Vec3>() / here.len() as Real;
        let square = here.iter().map(|x| x.distance_squared(middle)).sum::<Real>() / here.len() as Real;
        (vertices, middle, square.sqrt())
    };
    Pile {
        made: Made { points: state.pos.clone(), matrix, load, rows },
        before: state.vel.iter().flat_map(|v| (*v + world.params.fall() * h).to_array()).collect(),
        organs: tissues.map(|b| organ(b.vertex_range())).collect(),
    }
}

/// K and b of a step of h seconds, each organ a net of masses along the edges of its surface, at rest as it lies:
/// M + h² times the stiffness of its springs, and the impulses that it would go on falling with.
fn nets(world: &World, h: Real) -> (BlockMatrix<3>, Vec<Real>) {
    let (model, state) = (&world.model, &world.state);
    let springs = |body: &Body| match &body.kind {
        BodyKind::Tissue(tissue) => tissue.springs.start as usize..tissue.springs.end as usize,
        _ => 0..0,
    };
    let mut fixed = vec![true; model.rest.len()];
    let (mut pairs, mut load) = (Vec::new(), vec![0.0; 3 * model.rest.len()]);
    for body in model.bodies.iter().filter(|b| matches!(b.kind, BodyKind::Tissue(_))) {
        body.vertex_range().for_each(|v| fixed[v] = model.inv_mass[v] == 0.0);
        pairs.extend(model.springs[springs(body)].iter().map(|s| s.ends.map(|v| v.0)));
    }
    let mut matrix = BlockMatrix::of_elements(&pairs, &fixed);
    for (body, material) in model.bodies.iter().zip(&world.params.bodies) {
        for spring in &model.springs[springs(body)] {
            let [a, b] = spring.ends;
            let d = (state.pos[b.at()] - state.pos[a.at()]).normalize_or_zero().to_array();
            let rate = h * h * material.stiffness * spring.share;
            let block = |sign: Real| d.map(|p| d.map(|q| sign * rate * p * q));
            [a, b].iter().for_each(|v| matrix.add(v.0, v.0, block(1.0)));
            matrix.add(a.0, b.0, block(-1.0));
        }
    }
    for v in (0..fixed.len()).filter(|v| !fixed[*v]) {
        matrix.add_diagonal(v as u32, model.mass[v]);
        let falls = (state.vel[v] + world.params.fall() * h) * model.mass[v];
        load[3 * v..3 * v + 3].copy_from_slice(&falls.to_array());
    }
    (matrix, load)
}

impl Pile {
    /// Impulse and turning impulse over the size that contacts give to each organ.
    pub fn wrenches(&self, lambda: &[Real]) -> Vec<[Vec3; 2]> {
        let mut pushes = vec![0.0; self.before.len()];
        lambda.iter().enumerate().for_each(|(i, l)| self.made.rows.push_with(i, *l, &mut pushes));
        let wrench = |(vertices, middle, size): &(Range<usize>, Vec3, Real)| {
            let push = |v: usize| Vec3::from_slice(&pushes[3 * v..3 * v + 3]);
            let turn = |v: usize| (self.made.points[v] - *middle).cross(push(v)) / *size;
            [vertices.clone().map(push).sum(), vertices.clone().map(turn).sum()]
        };
        self.organs.iter().map(wrench).collect()
    }
}

/// Two surfaces where they are near one another.
struct Near {
    /// \[m\], + is apart.
    gap: Real,
    weights: Vec<(u32, Real)>,
    normal: Vec3,
    friction: Real,
}

/// A surface as it lies.
struct Surface {
    distance: Distance,
    /// The bounds of all.
    bounds: Aabb,
    /// Unit, outwards, of each vertex.
    normals: Vec<Vec3>,
    /// The first of its vertices; none where it does not move.
    first: Option<u32>,
    friction: Real,
}

impl Surface {
    fn of(world: &World, shell: &Shell) -> Self {
        let body = &world.model.bodies[shell.body.at()];
        let points: Vec<Vec3> = match &shell.frame {
            Some((r, points)) => points.iter().map(|p| world.state.pose[r.at()].point(*p)).collect(),
            None => world.state.pos[body.vertex_range()].to_vec(),
        };
        let mut normals = vec![Vec3::ZERO; points.len()];
        for t in &shell.triangles {
            let [a, b, c] = t.map(|v| points[v as usize]);
            t.iter().for_each(|v| normals[*v as usize] += (b - a).cross(c - a));
        }
        let topology = Arc::new(Topology::of(&shell.triangles, points.len()));
        Self {
            bounds: Aabb::around(points.iter().copied()).grown(REACH),
            distance: Distance::of(topology, &points),
            normals: normals.into_iter().map(Vec3::normalize_or_zero).collect(),
            first: matches!(body.kind, BodyKind::Tissue(_)).then_some(body.vertices.start),
            friction: world.params.bodies[shell.body.at()].friction,
        }
    }

    /// Vertices with weights, in the numbers of the world; nothing where it does not move.
    fn weights(&self, own: &[u32], weights: &[Real]) -> impl Iterator<Item = (u32, Real)> {
        let moved = self.first.map(|first| own.iter().map(move |v| v + first).zip(weights.iter().copied()));
        moved.into_iter().flatten()
    }

    /// A vertex of this with the surface of another.
    fn vertex(&self, v: u32, other: &Self) -> Option<Near> {
        let p = self.distance.points()[v as usize];
        if !other.bounds.contains(p) {
            return None;
        }
        let near = other.distance.signed(p);
        let apart = (p - near.point) * near.distance.signum();
        let corners = other.distance.topology().triangles.get(near.triangle as usize)?;
        let other_weights = near.weights.map(|w| -w);
        (near.distance < REACH && apart.length() > 0.0).then(|| Near {
            gap: near.distance,
            weights: self.weights(&[v], &[1.0]).chain(other.weights(corners, &other_weights)).collect(),
            normal: apart.normalize(),
            friction: (self.friction * other.friction).sqrt(),
        })
    }

    /// An edge of this with an edge of another, where they are nearest between their ends.
    fn edges(&self, [a, b]: [u32; 2], other: &Self, [c, d]: [u32; 2]) -> Option<Near> {
        let ([p, q], [r, s]) = (self.ends([a, b]), other.ends([c, d]));
        let at = closest_segments(p, q, r, s);
        let apart = p.lerp(q, at.s) - r.lerp(s, at.t);
        let inside = |x: Real| x > 0.0 && x < 1.0;
        if !inside(at.s) || !inside(at.t) || apart.length() == 0.0 || apart.length() > REACH {
            return None;
        }
        let outwards = other.normals[c as usize] + other.normals[d as usize]
            - self.normals[a as usize]
            - self.normals[b as usize];
        let facing = 0.5 * outwards.dot(apart.normalize());
        (facing.abs() > FACING).then(|| Near {
            gap: apart.length() * facing.signum(),
            weights: self
                .weights(&[a, b], &[1.0 - at.s, at.s])
                .chain(other.weights(&[c, d], &[at.t - 1.0, -at.t]))
                .collect(),
            normal: apart.normalize() * facing.signum(),
            friction: (self.friction * other.friction).sqrt(),
        })
    }

    fn ends(&self, edge: [u32; 2]) -> [Vec3; 2] {
        edge.map(|v| self.distance.points()[v as usize])
    }

    /// Its edges with their bounds, those near another surface.
    fn edges_near(&self, other: &Self) -> Vec<([u32; 2], Aabb)> {
        let edges = self.distance.topology().edges.iter();
        let bounded = edges.map(|e| (*e, Aabb::around(self.ends(*e))));
        bounded.filter(|(_, bounds)| bounds.overlaps(&other.bounds)).collect()
    }
}

/// Vertices of organs with all surfaces, and edges of organs with one another, where they are near.
fn touching(world: &World) -> Vec<Near> {
    let all: Vec<Surface> = world.model.shells.iter().map(|shell| Surface::of(world, shell)).collect();
    let mut found = Vec::new();
    for (k, organ) in all.iter().enumerate().filter(|(_, s)| s.first.is_some()) {
        for (l, other) in all.iter().enumerate().filter(|(l, _)| *l != k) {
            let vertices = 0..organ.distance.points().len() as u32;
            found.extend(vertices.filter_map(|v| organ.vertex(v, other)));
            if l < k || other.first.is_none() {
                continue;
            }
            let there = other.edges_near(organ);
            for (edge, bounds) in organ.edges_near(other) {
                let bounds = bounds.grown(REACH);
                let near = there.iter().filter(|(_, b)| b.overlaps(&bounds));
                found.extend(near.filter_map(|(e, _)| organ.edges(edge, other, *e)));
            }
        }
    }
    found
}
