//! One vertex descends: what its body does to it is a quadratic, what its rows do is not.

use super::links::Contacts;
use crate::{Mat3, Real, Vec3};

/// Rounds of Newton's method at one vertex: one, unless a row begins or ceases to push on the way.
const ROUNDS: u32 = 3;
/// A step that raises the potential is halved at most so often, then given up.
const HALVINGS: u32 = 5;

/// A vertex has seldom more rows; of those beyond, what is kept for the others is found anew each time.
const ROWS: usize = 16;

/// A vertex as its body sees it: Φ changes by −force · d + ½ d · matrix d as it moves by d.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub force: Vec3,
    pub matrix: Mat3,
}

impl Local {
    /// How much Φ of the body changes \[J\].
    #[inline]
    pub fn change(&self, d: Vec3) -> Real {
        0.5 * d.dot(self.matrix * d) - d.dot(self.force)
    }
}

impl Contacts<'_> {
    /// Moves a vertex to where the potential of its body and of its rows is less, next to the minimum, with all else
    /// where it is; `change` says from all positions by how much that of its body changes, which `local` may only come near. Never raises the
    /// potential. Returns where it is now.
    #[inline]
    pub fn lower(&mut self, vertex: usize, local: &Local, change: impl Fn(&[Vec3], Vec3) -> Real) -> Vec3 {
        let here = self.pos[vertex];
        let links = self.links.of(vertex);
        let row = |i: usize| &self.touching[links[i].row as usize];
        let mut betweens = [Vec3::ZERO; ROWS];
        for (i, between) in betweens.iter_mut().enumerate().take(links.len()) {
            *between = row(i).between(self.pos, self.pose);
        }
        // Each with its weight and where its sides are.
        let each = || {
            links.iter().enumerate().map(|(i, link)| {
                let between = betweens.get(i).copied();
                (row(i), link.weight, between.unwrap_or_else(|| row(i).between(self.pos, self.pose)))
            })
        };
        let mut start = (0.0, 0.0);
        for (row, _, between) in each() {
            let potential = row.potential(between);
            start = (start.0 + potential, start.1 + potential.abs());
        }
        let (mut d, mut phi, rounding) = (Vec3::ZERO, start.0, 1e-13 * start.1);
        for _ in 0..ROUNDS {
            let (mut force, mut matrix) = (local.force - local.matrix * d, local.matrix);
            for (row, weight, between) in each() {
                let answer = row.answer(between + d * weight);
                force += answer.force * weight;
                matrix += answer.matrix * (weight * weight);
            }
            let phi_at = |to: Vec3| {
                let rows = each().map(|(row, w, between)| row.potential(between + to * w));
                change(self.pos, to) + rows.sum::<Real>()
            };
            let step = matrix.inverse() * force;
            let mut share = 1.0;
            let mut better = None;
            for _ in 0..HALVINGS {
                let to = d + step * share;
                let there = phi_at(to);
                if there <= phi + rounding {
                    better = Some((to, there));
                    break;
                }
                share *= 0.5;
            }
            if better.is_none() {
                // As if all rows pushed and stuck: shorter, but never too long.
                let firm: Real = each().map(|(row, w, _)| row.stiffness * w * w).sum();
                let to = d + (local.matrix + Mat3::from_diagonal(Vec3::splat(firm))).inverse() * force;
                better = Some((to, phi_at(to))).filter(|found| found.1 <= phi + rounding);
            }
            let Some(found) = better else { break };
            (d, phi) = found;
            if share == 1.0 {
                break;
            }
        }
        self.pos[vertex] = here + d;
        self.pos[vertex]
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::Links;
    use super::super::touching::{Source, Touching};
    use super::*;
    use crate::VertexId;
    use crate::model::{Body, BodyKind, Model, SpringBody};
    use crate::row::{RowKey, Side};

    fn some(seed: &mut u64) -> Real {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    fn some_vec(seed: &mut u64) -> Vec3 {
        Vec3::new(some(seed), some(seed), some(seed))
    }

    /// A row that holds vertex 0 with a weight, against vertex 1.
    fn row(seed: &mut u64) -> Touching {
        let weight = 0.5 + 0.5 * some(seed).abs();
        let (normal, drag) = (some_vec(seed).normalize(), some_vec(seed));
        Touching {
            source: Source::Row(0, RowKey::default()),
            sides: [
                Side::Soft([VertexId(0), VertexId(1)], [weight, 1.0 - weight]),
                Side::Soft([VertexId(1); 2], [1.0, 0.0]),
            ],
            bodies: [0, 0],
            normal,
            offset: 0.2 * some(seed),
            rest: 1e-4,
            goal: 1e-4,
            stiffness: 50.0 * (1.1 + some(seed)),
            lambda: 2.0 * some(seed).max(0.0),
            friction: 0.5,
            anchor: Vec3::ZERO,
            drag: drag - normal * drag.dot(normal),
            limit: some(seed).max(0.0),
            slides: false,
            trial: false,
            between: Vec3::ZERO,
            told: (0.0, Vec3::ZERO),
        }
    }

    fn model() -> Model {
        let kind = BodyKind::Springs(SpringBody { blocks: Vec::new(), between: 0..0 });
        let body = Body {
            name: "two".into(),
            kind,
            vertices: 0..2,
            prims: 0..0,
            self_contact: false,
            membrane_contact: false,
        };
        Model { rest: vec![Vec3::ZERO; 2], bodies: vec![body], ..Model::default() }
    }

    /// From any place, with rows that push, stick, slide, begin and cease.
    #[test]
    fn no_vertex_raises_the_potential_and_all_find_the_minimum() {
        let (mut seed, model) = (1, model());
        for _ in 0..2000 {
            let touching: Vec<Touching> = (0..4).map(|_| row(&mut seed)).collect();
            let mut links = Links::default();
            links.find(&model, &touching);
            let n = some_vec(&mut seed);
            let matrix = Mat3::from_diagonal(Vec3::splat(5.0)) + Mat3::from_cols(n * n.x, n * n.y, n * n.z);
            let (aim, mut pos) = (some_vec(&mut seed), vec![some_vec(&mut seed), some_vec(&mut seed)]);
            let mut contacts = Contacts { pos: &mut pos, pose: &[], touching: &touching, links: &links };
            let phi = |c: &Contacts| {
                let away = c.pos[0] - aim;
                0.5 * away.dot(matrix * away) + c.potential(0)
            };
            for _ in 0..200 {
                let before = phi(&contacts);
                let local = Local { force: matrix * (aim - contacts.pos[0]), matrix };
                contacts.lower(0, &local, |_, d| local.change(d));
                let after = phi(&contacts);
                assert!(after <= before + 1e-12 * (1.0 + before.abs()), "{before} {after}");
            }
            let left = matrix * (aim - contacts.pos[0]) + contacts.force(0);
            // Of forces of some 10 N.
            assert!(left.length() < 1e-4, "{left}");
        }
    }
}
