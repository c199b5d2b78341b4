//! A world as the reference solver sees it: nodes, tetrahedra, springs, surfaces and fixed shapes.

use super::barrier::Pair;
use super::near::{Kind, Near};
use super::piece::{Piece, Square, outer, project};
use serosa_geometry::{Aabb, Mat3, Real, Vec3};
use serosa_sim::World;
use serosa_sim::body::solid::Elastic;
use serosa_sim::body::springs;
use serosa_sim::model::{BodyKind, Model, Pose, PrimKind, Rigid, Shape, Spring, SpringKind};
use serosa_sim::params::BodyParams;
use std::collections::BTreeSet;

/// Edges count as nearly parallel where |a × b|² is below this share of |a|² |b|² at rest.
const PARALLEL: Real = 1e-3;

/// What vertices stay out of: a half-space, or a box. Corners and edges of a box are nodes and edges of their own.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    pose: Pose,
    /// Half the edges of a box.
    half: Option<Vec3>,
    pub friction: Real,
}

impl Ground {
    /// How far a point is outside \[m\], and the unit vector that leads farther; none inside of a box.
    pub fn measure(&self, x: Vec3) -> (Real, Vec3) {
        let local = self.pose.local(x);
        match self.half {
            None => (local.z, self.pose.rot * Vec3::Z),
            Some(half) => {
                let off = local - local.clamp(-half, half);
                (off.length(), self.pose.rot * off.normalize_or_zero())
            }
        }
    }

    /// How the vector turns as the point moves: beside an edge about it, beside a corner all around \[1/m\].
    pub fn curvature(&self, x: Vec3) -> Mat3 {
        let (Some(half), (d, n)) = (self.half, self.measure(x)) else { return Mat3::ZERO };
        let local = self.pose.local(x);
        let turn = Mat3::from_quat(self.pose.rot);
        let outside = Vec3::from_array([0, 1, 2].map(|k| Real::from(u8::from(local[k].abs() > half[k]))));
        (turn * Mat3::from_diagonal(outside) * turn.transpose() - outer(n, n)) * (1.0 / d)
    }
}

/// A tetrahedron with its law.
pub struct Element {
    pub nodes: [u32; 4],
    inverse: Mat3,
    gradients: [Vec3; 4],
    volume: Real,
    law: Elastic,
}

/// Everything that does not change. The corners of fixed shapes are nodes that do not move.
#[derive(Default)]
pub struct Bodies {
    pub rest: Vec<Vec3>,
    pub mass: Vec<Real>,
    pub fixed: Vec<bool>,
    /// Half the thickness at each node \[m\].
    pub radius: Vec<Real>,
    pub friction: Vec<Real>,
    /// Nodes that share a number do not touch one another: fixed shapes.
    rigid: Vec<bool>,
    pub elements: Vec<Element>,
    pub springs: Vec<(Spring, BodyParams)>,
    pub vertices: Vec<u32>,
    pub edges: Vec<[u32; 2]>,
    pub triangles: Vec<[u32; 3]>,
    pub grounds: Vec<Ground>,
}

impl Bodies {
    /// Of a world; `radius` is half the thickness of surfaces of tetrahedra \[m\]. Damping and drag are not known here.
    pub fn of(world: &World, radius: Real) -> Self {
        let model = &world.model;
        let mut all = Self::default();
        for (v, rest) in model.rest.iter().enumerate() {
            all.node(*rest, model.mass[v], model.inv_mass[v] == 0.0);
        }
        for (b, body) in model.bodies.iter().enumerate() {
            let params = &world.params.bodies[b];
            body.vertex_range().for_each(|v| all.friction[v] = params.friction);
            match &body.kind {
                BodyKind::Solid(_) => {
                    body.vertex_range().for_each(|v| all.radius[v] = radius);
                    all.tetrahedra(model, b);
                }
                BodyKind::Springs(own) => {
                    all.springs.extend(model.springs[own.springs()].iter().map(|s| (*s, *params)));
                    all.faces(model, b);
                }
                BodyKind::Rigid(r) => all.shape(world, &model.rigids[r.at()], b),
                other => panic!("the reference solver does not know {other:?}"),
            }
        }
        all.trace_edges();
        all
    }

    fn node(&mut self, at: Vec3, mass: Real, fixed: bool) -> u32 {
        self.rest.push(at);
        self.mass.push(mass);
        self.fixed.push(fixed);
        self.radius.push(0.0);
        self.friction.push(0.0);
        self.rigid.push(false);
        self.rest.len() as u32 - 1
    }

    fn tetrahedra(&mut self, model: &Model, b: usize) {
        let BodyKind::Solid(body) = &model.bodies[b].kind else { panic!("a solid") };
        assert!(body.walls.is_empty() && body.quadratic.is_none() && model.ties.is_empty());
        let mut faces = std::collections::BTreeMap::new();
        for tet in &model.tets[body.tets.start as usize..body.tets.end as usize] {
            let nodes = tet.nodes.map(|v| v.at() as u32);
            let law = Elastic::of(&body.regions[tet.region as usize]);
            let (inverse, gradients, volume) = (tet.inverse, tet.gradients(), tet.volume);
            self.elements.push(Element { nodes, inverse, gradients, volume, law });
            for [i, j, k] in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
                let face = [nodes[i], nodes[j], nodes[k]];
                let mut key = face;
                key.sort_unstable();
                // A face of two tetrahedra is inside.
                if faces.insert(key, face).is_some() {
                    faces.remove(&key);
                }
            }
        }
        self.triangles.extend(faces.values());
    }

    fn faces(&mut self, model: &Model, b: usize) {
        let range = model.bodies[b].prims.clone();
        for prim in &model.prims[range.start as usize..range.end as usize] {
            if let PrimKind::Triangle(corners) = prim.kind {
                corners.iter().for_each(|v| self.radius[v.at()] = prim.radius);
                self.triangles.push(corners.map(|v| v.at() as u32));
            }
        }
    }

    /// A fixed shape: a half-space, a point with a radius, or the surface of a box.
    fn shape(&mut self, world: &World, rigid: &Rigid, b: usize) {
        assert_eq!(rigid.inv_mass, 0.0, "the reference solver knows fixed shapes alone");
        let (pose, friction) = (rigid.rest, world.params.bodies[b].friction);
        let mut corner = |at: Vec3, radius: Real| {
            let node = self.node(pose.point(at), 1.0, true) as usize;
            (self.radius[node], self.friction[node], self.rigid[node]) = (radius, friction, true);
            node as u32
        };
        match rigid.shape {
            Shape::Plane => self.grounds.push(Ground { pose, half: None, friction }),
            Shape::Ball => {
                let prim = &world.model.prims[world.model.bodies[b].prims.start as usize];
                let center = corner(Vec3::ZERO, prim.radius);
                self.vertices.push(center);
            }
            Shape::Cuboid { half } => {
                let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let nodes: Vec<u32> = (0..8)
                    .map(|i| corner(half * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2)), 0.0))
                    .collect();
                let beside = |i: u32| (0..3).map(move |bit| [i, i | 1 << bit]).filter(|[i, j]| i != j);
                let edges = (0..8).flat_map(beside).map(|e| e.map(|i| nodes[i as usize]));
                self.edges.extend(edges);
                self.vertices.extend(&nodes);
                self.grounds.push(Ground { pose, half: Some(half), friction });
            }
            Shape::Capsule { .. } => panic!("the reference solver does not know capsules"),
        }
    }

    fn trace_edges(&mut self) {
        let mut edges: BTreeSet<[u32; 2]> = self.edges.iter().copied().collect();
        let mut vertices: BTreeSet<u32> = self.vertices.iter().copied().collect();
        for t in &self.triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                edges.insert([a.min(b), a.max(b)]);
                vertices.insert(a);
            }
        }
        self.edges = edges.into_iter().collect();
        self.vertices = vertices.into_iter().collect();
    }

    /// Whether some of these nodes move and all of them are different.
    fn may_meet(&self, nodes: [u32; 4]) -> bool {
        let same = (0..4).any(|i| nodes[..i].contains(&nodes[i]));
        !same
            && nodes.iter().any(|v| !self.fixed[*v as usize])
            && !nodes.iter().all(|v| self.rigid[*v as usize])
    }

    fn pair(&self, kind: Kind, nodes: [u32; 4]) -> Pair {
        // The first node of each side speaks for it.
        let other = if kind == Kind::VertexTriangle { 1 } else { 2 };
        let (a, b) = (nodes[0] as usize, nodes[other] as usize);
        let edge = |i: usize| self.rest[nodes[i] as usize].distance_squared(self.rest[nodes[i + 1] as usize]);
        Pair {
            kind,
            nodes,
            thickness: self.radius[a] + self.radius[b],
            crossed: if kind == Kind::EdgeEdge { PARALLEL * edge(0) * edge(2) } else { 0.0 },
            friction: (self.friction[a] * self.friction[b]).sqrt(),
        }
    }

    /// All pairs that come within `reach` while everything goes straight from `from` to `to`, boxes tell; pairs that
    /// touch at rest are left out, as neighbours are.
    pub fn pairs(&self, from: &[Vec3], to: &[Vec3], reach: Real) -> Vec<Pair> {
        let around = |nodes: &[u32], grow: Real| {
            let thick = nodes.iter().map(|v| self.radius[*v as usize]).fold(0.0, Real::max);
            let places = nodes.iter().flat_map(|v| [from[*v as usize], to[*v as usize]]);
            Aabb::around(places).grown(thick + grow)
        };
        let corners: Vec<Aabb> = self.vertices.iter().map(|v| around(&[*v], reach)).collect();
        let edges: Vec<Aabb> = self.edges.iter().map(|e| around(e, 0.5 * reach)).collect();
        let mut found = Vec::new();
        let mut consider = |kind: Kind, nodes: [u32; 4]| {
            if self.may_meet(nodes) {
                let pair = self.pair(kind, nodes);
                if Near::of(kind, &pair.places(&self.rest)).distance() > pair.thickness {
                    found.push(pair);
                }
            }
        };
        for &[a, b, c] in &self.triangles {
            let face = around(&[a, b, c], 0.0);
            let near = self.vertices.iter().zip(&corners).filter(|(_, corner)| corner.overlaps(&face));
            near.for_each(|(v, _)| consider(Kind::VertexTriangle, [*v, a, b, c]));
        }
        for (i, &[a, b]) in self.edges.iter().enumerate() {
            let later = self.edges[i + 1..].iter().zip(&edges[i + 1..]);
            let near = later.filter(|(_, other)| other.overlaps(&edges[i]));
            near.for_each(|(&[c, d], _)| consider(Kind::EdgeEdge, [a, b, c, d]));
        }
        found
    }
}

impl Element {
    fn gradient(&self, pos: &[Vec3]) -> Mat3 {
        let [a, b, c, d] = self.nodes.map(|v| pos[v as usize]);
        Mat3::from_cols(b - a, c - a, d - a) * self.inverse
    }

    /// \[J\]
    pub fn energy(&self, pos: &[Vec3]) -> Real {
        self.volume * self.law.density(&self.gradient(pos))
    }

    /// What rounding makes of the energy \[J\].
    pub fn rounding(&self) -> Real {
        self.volume * self.law.rounding()
    }

    /// With derivatives, projected if asked: the curvature by F has nine eigenvalues, the rest of it is sums of squares.
    pub fn piece(&self, pos: &[Vec3], projected: bool) -> Piece {
        let f = self.gradient(pos);
        let (stress, tangent) = (self.law.stress(&f), self.law.tangent(&f));
        let mut by_f: Square<9> = [[0.0; 9]; 9];
        for k in 0..9 {
            let mut change = Mat3::ZERO;
            change.col_mut(k / 3)[k % 3] = 1.0;
            let along = tangent.along(&change);
            (0..9).for_each(|i| by_f[i][k] = along.col(i / 3)[i % 3]);
        }
        if projected {
            project(&mut by_f);
        }
        let g = &self.gradients;
        let mut piece = Piece { energy: self.volume * self.law.density(&f), ..Piece::NONE };
        piece.gradient = g.map(|g| stress * g * self.volume);
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                let sum: Real =
                    (0..9).map(|k| g[i][k / 3] * by_f[3 * (k / 3) + p][3 * (k % 3) + q] * g[j][k % 3]).sum();
                piece.hessian[3 * i + p][3 * j + q] = self.volume * sum;
            }
        }
        piece
    }
}

/// The energy of a spring \[J\]: the engine's own.
pub fn spring_energy((spring, params): &(Spring, BodyParams), pos: &[Vec3]) -> Real {
    springs::energy(std::slice::from_ref(spring), params, pos)
}

/// A spring with derivatives, on the first two of four nodes; without what a pressed spring gains aside, if asked.
pub fn spring_piece((spring, params): &(Spring, BodyParams), pos: &[Vec3], projected: bool) -> Piece {
    let k = spring.share
        * match spring.kind {
            SpringKind::Stretch => params.stiffness,
            SpringKind::Bend => params.bending,
            SpringKind::Tube => params.tube_stretch,
        };
    let [a, b] = spring.ends.map(|v| pos[v.at()]);
    let (along, length) = ((b - a).normalize(), (b - a).length());
    let aside = 1.0 - spring.rest_m / length;
    let aside = if projected { aside.max(0.0) } else { aside };
    let curve = (outer(along, along) * (1.0 - aside) + Mat3::IDENTITY * aside) * k;
    let pull = along * (k * (length - spring.rest_m));
    let mut piece = Piece { energy: 0.5 * k * (length - spring.rest_m).powi(2), ..Piece::NONE };
    (piece.gradient[0], piece.gradient[1]) = (-pull, pull);
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        piece.add_block(i, j, &(curve * if i == j { 1.0 } else { -1.0 }));
    }
    piece
}
