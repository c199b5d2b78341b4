//! The numbers of the sweeps: from materials, damping and the length of the substep; and what turns with the body.
//!
//! **Damping.** Over a substep a tetrahedron resists D = τ/h V₀ (μ min_R |F − R Fⁿ|² + λ/2 (J − Jⁿ)²), τ the relaxation
//! time, μ and λ those of Lamé, Fⁿ the deformation at the start. For small strains this is Rayleigh damping by τ times
//! the stiffness at rest: the viscous force is the elastic force of the strain that the time τ brings. No rigid motion
//! is resisted. At a fixed R it has the form of the elastic energy, so it costs a sweep nothing: the Laplacian is
//! heavier, its pull and the aims of the volumes are other numbers. The corotated law is alike, with its own R.
//!
//! Rotations are blocks of the descent, as vertices are: taken anew between sweeps, never further off than before.

use super::lanes::{Lane, Spot};
use super::material::{Moduli, gradient, nearer, polar, square};
use super::quadratic::Ten;
use super::sweep::{FaceWeight, Held, Weights, refresh, slopes, sweep};
use super::turn::{self, Four, Powers, Pulls, Turned};
use crate::model::{LANES, Law, NONE, SECTION, SolidBody, Tet};
use crate::{Mat3, Quat, Real, Vec3};
use rayon::prelude::*;

/// Tetrahedra of one job.
pub(super) const CHUNK: usize = 512;
const FOURS: usize = CHUNK / LANES;

/// A region in a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stuff {
    pub moduli: Moduli,
    /// τ/h.
    pub damping: Real,
}

impl Stuff {
    pub fn stretch(&self) -> Real {
        self.moduli.stretch() + 2.0 * self.moduli.shear * self.damping
    }

    /// The larger of its moduli, about \[Pa\].
    pub fn hardness(&self) -> Real {
        self.stretch() + self.bulk()
    }

    pub fn bulk(&self) -> Real {
        self.moduli.bulk + self.moduli.lame * self.damping
    }

    /// The J to which a volume is drawn that had the J `old`.
    pub fn aim(&self, old: Real) -> Real {
        let Moduli { bulk, lame, aim, .. } = self.moduli;
        let whole = self.bulk();
        if whole > 0.0 { (bulk * aim + lame * self.damping * old) / whole } else { 0.0 }
    }

    /// Energy of a piece of volume, with that of damping from the deformation `old`, where that counts, which `turn`
    /// takes to here \[J/m³\].
    pub fn density(&self, f: &Mat3, from: Option<(&Mat3, Quat)>) -> Real {
        let mut density = self.moduli.density(f);
        if let Some((old, turn)) = from.filter(|_| self.damping > 0.0) {
            let apart = *f - Mat3::from_quat(turn) * *old;
            let more = f.determinant() - old.determinant();
            density +=
                self.damping * (self.moduli.shear * square(&apart) + 0.5 * self.moduli.lame * more * more);
        }
        density
    }

    /// Turns the rotations from `old` and from rest nearer to F; to where they draw F, times twice the shear modulus.
    pub fn turn(&self, [viscous, elastic]: &mut [Quat; 2], f: &Mat3, old: &Mat3, how: Nearness) -> Mat3 {
        let mut drawn = Mat3::ZERO;
        if self.damping > 0.0 {
            let g = *f * old.transpose();
            *viscous = match how {
                Nearness::Nearer => nearer(*viscous, &g),
                Nearness::Near => nearer(nearer(*viscous, &g), &g),
                Nearness::Nearest => polar(&g),
            };
            drawn += Mat3::from_quat(*viscous) * *old * self.damping;
        }
        if self.moduli.law == Law::Corotated {
            *elastic = if how == Nearness::Nearer { nearer(*elastic, f) } else { polar(f) };
            drawn += Mat3::from_quat(*elastic);
        }
        drawn
    }
}

/// How exactly tetrahedra are turned; the nearest rotation takes five times as long as a nearer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nearness {
    /// Nearer than before.
    Nearer,
    /// The elastic ones exactly; the viscous ones, which have little way to go in a substep, nearer twice.
    Near,
    /// Exactly.
    Nearest,
}

/// What depends on the tetrahedra and turns with them; quadratic ones have four entries each, one per sample.
#[derive(Clone, Debug, Default)]
pub(super) struct Turning {
    /// Deformation at the start of the substep.
    pub old: Vec<Mat3>,
    /// From there to here, and from rest to here.
    pub turns: Vec<[Quat; 2]>,
    /// Tetrahedra of four nodes, four at a time: at rest, and what stands in `old` and `turns` for others.
    fours: Vec<Four>,
    turned: Vec<Turned>,
    /// Six times the volumes to which they are drawn \[m³\].
    volumes: Vec<Lane>,
    /// The J to which each sample is drawn.
    pub aims: Vec<Real>,
    /// Pull on the four corners of each of four tetrahedra \[N\].
    pulls: Vec<[Pulls; LANES]>,
    /// Stress that draws a sample \[Pa\].
    pub drawn: Vec<Mat3>,
    /// Forces on the ten nodes of quadratic tetrahedra \[N\].
    pub shares: Vec<[Vec3; 10]>,
    /// Sums of energies, one per job.
    pub sums: Vec<Real>,
    /// The same along a line.
    lines: Vec<Powers>,
}

/// A body in a substep, as far as it is fixed.
pub(super) struct Solid<'a> {
    pub body: &'a SolidBody,
    pub tets: &'a [Tet],
    /// One per region.
    pub stuff: &'a [Stuff],
    /// Mass over h², one per vertex \[N/m\]; 0 where fixed.
    pub inertia: &'a [Real],
}

#[inline]
pub(super) fn spot(x: Vec3) -> Spot {
    Spot([x.x, x.y, x.z, 0.0])
}

#[inline]
pub(super) fn vec(spot: Spot) -> Vec3 {
    Vec3::new(spot.0[0], spot.0[1], spot.0[2])
}

impl Solid<'_> {
    /// Whether anything turns with the tetrahedra.
    pub fn turns(&self) -> bool {
        self.stuff.iter().any(|s| s.damping > 0.0 || s.moduli.law == Law::Corotated)
    }

    /// Whether the pull depends on rotations from rest.
    pub fn is_corotated(&self) -> bool {
        self.stuff.iter().any(|s| s.moduli.law == Law::Corotated)
    }

    fn corners(&self, t: usize, flow: &[Spot]) -> [Vec3; 4] {
        self.body.layout.corners[t].map(|p| vec(flow[p as usize]))
    }

    /// Its tetrahedra, where they have ten nodes.
    pub fn ten(&self) -> Option<Ten<'_>> {
        self.body.quadratic.as_deref().map(|quadratic| Ten { solid: self, quadratic })
    }

    /// Forces −∇Φ by places, at every vertex that moves, with the rotations as they are. O(tetrahedra).
    pub fn slopes(&self, turning: &mut Turning, weights: &Weights, flow: &mut [Spot], out: &mut [Spot]) {
        match self.ten() {
            Some(ten) => ten.slopes(turning, weights, flow, out),
            None => {
                refresh(&self.body.layout, flow);
                slopes(&self.body.layout, weights, flow, out);
            }
        }
    }

    /// Moves every vertex to its minimum in turn, or of quadratic tetrahedra those of `which`, if that says any.
    /// O(tetrahedra).
    pub fn sweep(&self, turning: &Turning, weights: &Weights, flow: &mut [Spot], which: Option<&[u32]>) {
        match self.ten() {
            Some(ten) => ten.sweep(turning, weights, flow, which),
            None => sweep(&self.body.layout, weights, flow),
        }
    }

    /// Weights that last as long as materials and the substep do, with damping as from a body at rest. O(tetrahedra).
    pub fn weigh(&self, weights: &mut Weights, turning: &mut Turning) {
        let layout = &self.body.layout;
        let none = Lane([0.0; LANES]);
        if let Some(ten) = self.ten() {
            return ten.weigh(weights);
        }
        let fours = self.tets.chunks(LANES).zip(layout.corners.chunks(LANES));
        turning.fours.clear();
        turning.fours.extend(fours.map(|(tets, corners)| Four::of(tets, corners, self.stuff)));
        turning.pulls.resize(turning.fours.len(), Default::default());
        turning.volumes.clear();
        let aims = self.tets.chunks(LANES).map(|tets| {
            let aim = |t: &Tet| 6.0 * t.volume * self.stuff[t.region as usize].aim(1.0);
            Lane(std::array::from_fn(|k| tets.get(k).map_or(0.0, aim)))
        });
        turning.volumes.extend(aims);
        weights.edges.clear();
        weights.edges.resize(layout.edges.len(), none);
        weights.faces.clear();
        weights.faces.resize(layout.faces.len(), FaceWeight { kappa: none, beta: none });
        weights.held.clear();
        // A lane without a vertex stays where nobody reads it.
        weights.held.resize(layout.groups.len(), Held { diag: Lane([1.0; LANES]), pull: [none; 3] });
        for g in 0..layout.groups.len() {
            (0..LANES).for_each(|k| self.weigh_vertex(weights, g, k));
        }
    }

    fn weigh_vertex(&self, weights: &mut Weights, g: usize, k: usize) {
        let (layout, group) = (&self.body.layout, &self.body.layout.groups[g]);
        if group.vertices[k] == NONE {
            return;
        }
        let edges = group.edges.start as usize..group.edges.end as usize;
        let mut diag = self.inertia[group.vertices[k] as usize];
        for e in group.faces.start as usize..group.faces.end as usize {
            let source = layout.sources[e][k];
            if source == NONE {
                continue;
            }
            let (tet, corner) = (&self.tets[source as usize / 4], source as usize % 4);
            let (stuff, grads) = (&self.stuff[tet.region as usize], tet.gradients());
            let share = stuff.stretch() * tet.volume;
            diag += share * grads[corner].length_squared();
            for (i, other) in opposite(corner).into_iter().enumerate() {
                let place = (layout.faces[e][k] >> (10 * i)) as usize % SECTION;
                let at = edges.clone().find(|&at| layout.edges[at][k] as usize == place);
                weights.edges[at.unwrap_or(edges.start)].0[k] += share * grads[corner].dot(grads[other]);
            }
            weights.faces[e].kappa.0[k] = stuff.bulk() / (36.0 * tet.volume);
            weights.faces[e].beta.0[k] = 6.0 * tet.volume * stuff.aim(1.0);
        }
        weights.held[g].diag.0[k] = diag;
    }

    /// How the energy of tetrahedra of four nodes goes along a line, rotations as they are: the coefficients of t² to t⁶
    /// \[J\]. O(tetrahedra), summed in fixed jobs.
    pub fn along(&self, turning: &mut Turning, flow: &[Spot], step: &[Spot]) -> Powers {
        let Turning { fours, volumes, lines, .. } = turning;
        lines.resize(fours.len().div_ceil(FOURS), Powers::default());
        let jobs = fours.par_chunks(FOURS).zip(volumes.par_chunks(FOURS)).zip(lines.par_iter_mut());
        jobs.for_each(|((fours, volumes), line)| *line = turn::along(fours, volumes, flow, step));
        lines.iter().fold(Powers::default(), |sum, line| std::array::from_fn(|k| sum[k] + line[k]))
    }

    /// The start of a substep at the positions `flow`: deformations from which damping is measured. O(tetrahedra).
    pub fn remember(&self, turning: &mut Turning, weights: &mut Weights, flow: &[Spot]) {
        if let Some(ten) = self.ten() {
            return ten.remember(turning, flow);
        }
        let corotated = self.is_corotated();
        let Turning { fours, turned, volumes, .. } = turning;
        turned.resize(fours.len(), Turned::default());
        volumes.resize(fours.len(), Lane::default());
        let jobs = turned.par_chunks_mut(FOURS).zip(volumes.par_chunks_mut(FOURS));
        jobs.zip(fours.par_chunks(FOURS)).for_each(|((turned, volumes), fours)| {
            turn::remember(fours, flow, turned, volumes);
            if corotated {
                for turned in turned {
                    (0..LANES).for_each(|k| turned.set_turns(k, [Quat::IDENTITY, polar(&turned.old(k))]));
                }
            }
        });
        if self.stuff.iter().any(|s| s.damping > 0.0) {
            self.aim(turning, weights);
        }
    }

    /// Aims of the volumes after where they were.
    fn aim(&self, turning: &Turning, weights: &mut Weights) {
        let sources = self.body.layout.sources.par_chunks(CHUNK);
        sources.zip(weights.faces.par_chunks_mut(CHUNK)).for_each(|(sources, faces)| {
            for (source, face) in sources.iter().zip(faces) {
                for k in (0..LANES).filter(|&k| source[k] != NONE) {
                    let tet = source[k] as usize / 4;
                    face.beta.0[k] = turning.volumes[tet / LANES].0[tet % LANES];
                }
            }
        });
    }

    /// Turns the tetrahedra nearer to where they are, and finds what they pull with. O(tetrahedra).
    pub fn turn(&self, turning: &mut Turning, flow: &[Spot], how: Nearness) {
        if let Some(ten) = self.ten() {
            return ten.turn(turning, flow, how);
        }
        let corotated = self.is_corotated();
        let Turning { fours, turned, pulls, .. } = turning;
        let jobs = turned.par_chunks_mut(FOURS).zip(pulls.par_chunks_mut(FOURS)).zip(fours.par_chunks(FOURS));
        jobs.enumerate().for_each(|(job, ((turned, pulls), fours))| {
            if how == Nearness::Nearer {
                return turn::turn(fours, flow, corotated, turned, pulls);
            }
            let first = job * CHUNK;
            for (i, tet) in self.tets[first..].iter().take(CHUNK).enumerate() {
                let (turned, k) = (&mut turned[i / LANES], i % LANES);
                let stuff = &self.stuff[tet.region as usize];
                let f = gradient(tet, self.corners(first + i, flow));
                let mut turns = turned.turns(k);
                let drawn = stuff.turn(&mut turns, &f, &turned.old(k), how);
                turned.set_turns(k, turns);
                pulls[i / LANES][k] = turn::pulls(tet, drawn * (2.0 * stuff.moduli.shear * tet.volume));
            }
        });
    }

    /// Gathers the pulls of inertia, towards `target` (one per vertex of the body), and of what turns.
    pub fn pull(&self, turning: &Turning, weights: &mut Weights, target: &[Vec3]) {
        if let Some(ten) = self.ten() {
            return ten.pull(weights, target);
        }
        let (layout, turns) = (&self.body.layout, self.turns());
        let jobs = layout.groups.par_chunks(CHUNK / LANES).zip(weights.held.par_chunks_mut(CHUNK / LANES));
        jobs.for_each(|(groups, held)| {
            for (group, held) in groups.iter().zip(held) {
                for k in (0..LANES).filter(|&k| group.vertices[k] != NONE) {
                    let v = group.vertices[k] as usize;
                    let mut pull = spot(target[v] * self.inertia[v]);
                    if turns {
                        let faces = group.faces.start as usize..group.faces.end as usize;
                        for source in layout.sources[faces].iter().filter(|s| s[k] != NONE) {
                            let (tet, corner) = (source[k] as usize / 4, source[k] as usize % 4);
                            let more = &turning.pulls[tet / LANES][tet % LANES][corner];
                            pull.0.iter_mut().zip(&more.0).for_each(|(pull, more)| *pull += more);
                        }
                    }
                    (0..3).for_each(|c| held.pull[c].0[k] = pull.0[c]);
                }
            }
        });
    }

    /// Elastic energy, and that of damping with the rotations as they are \[J\]. O(tetrahedra), summed in fixed jobs.
    pub fn potential(&self, turning: &mut Turning, flow: &[Spot], damped: bool) -> Real {
        if let Some(ten) = self.ten() {
            return ten.potential(turning, flow, damped);
        }
        let Turning { turned, sums, .. } = turning;
        let jobs = self.tets.len().div_ceil(CHUNK);
        sums.resize(jobs, 0.0);
        sums.par_iter_mut().enumerate().for_each(|(job, sum)| {
            let all = job * CHUNK..((job + 1) * CHUNK).min(self.tets.len());
            *sum = 0.0;
            for t in all {
                let (tet, stuff) = (&self.tets[t], &self.stuff[self.tets[t].region as usize]);
                let f = gradient(tet, self.corners(t, flow));
                let from =
                    damped.then(|| (turned[t / LANES].old(t % LANES), turned[t / LANES].turns(t % LANES)[0]));
                *sum += stuff.density(&f, from.as_ref().map(|(old, turn)| (old, *turn))) * tet.volume;
            }
        });
        sums.iter().sum()
    }
}

/// The face across from a corner, seen anticlockwise from it.
pub fn opposite(corner: usize) -> [usize; 3] {
    [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]][corner]
}

/// How many places a body has.
pub(super) fn places(body: &SolidBody) -> usize {
    debug_assert!(body.layout.size as usize >= body.layout.parts.len() * SECTION);
    body.layout.size as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_faces_look_at_their_corner() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        for corner in 0..4 {
            let [a, b, c] = opposite(corner).map(|i| points[i]);
            assert!((b - a).cross(c - a).dot(points[corner] - a) > 0.0);
        }
    }
}
