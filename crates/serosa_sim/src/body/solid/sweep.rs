//! One pass over the vertices of a solid: each goes to its exact minimum with its neighbours held.
//!
//! With one vertex free, J of a tetrahedron is affine in it, so the whole potential is a quadratic of that vertex. Its
//! gradient and its 3 × 3 matrix split into a Laplacian with constant weights and a term for every opposite face (a b c),
//! with c = (b − a) × (c − a) and J = c·(x − a)/(6 V₀):
//!
//! ```text
//! f = pull − diag x − Σ weight x_j − Σ κ (c·(x − a) − β) c        H = diag I + Σ κ c cᵀ        x += H⁻¹ f
//! ```
//!
//! κ = k/(36 V₀) and β = 6 V₀ α for the energy ½ k V₀ (J − α)². No step raises the potential, from any state, inverted
//! ones too, and there is no length of a step to choose.

use super::lanes::{Lane, Section, Spot, Wide, apart, dot, in_lanes, minor};
use crate::model::{Group, LANES, Layout, Part, SECTION};
use rayon::prelude::*;

/// A face at work: κ and β.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceWeight {
    pub kappa: Lane,
    pub beta: Lane,
}

/// A group of vertices at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Inertia, springs and Laplacian \[N/m\].
    pub diag: Lane,
    /// What does not depend on positions \[N\].
    pub pull: [Lane; 3],
}

/// All numbers of a sweep but positions.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    pub edges: Vec<Lane>,
    pub faces: Vec<FaceWeight>,
    pub held: Vec<Held>,
}

/// Bodies of fewer vertices are swept by one thread.
const FEW: usize = 3000;

/// One sweep over all vertices. O(tetrahedra); parts of a phase run side by side where threads are free.
pub(super) fn sweep(layout: &Layout, weights: &Weights, flow: &mut [Spot]) {
    let many = layout.places.len() >= FEW;
    for phase in &layout.phases {
        let (first, last) = (phase.start as usize, phase.end as usize);
        let (before, rest) = flow.split_at_mut(first * SECTION);
        let (here, after) = rest.split_at_mut((last - first) * SECTION);
        let others = Others { before, after, end: last * SECTION };
        side_by_side(layout, weights, &layout.parts[first..last], here, &others, many);
    }
}

/// Copies of the vertices around each part, as they are now.
pub(super) fn refresh(layout: &Layout, flow: &mut [Spot]) {
    for phase in &layout.phases {
        let (first, last) = (phase.start as usize, phase.end as usize);
        let (before, rest) = flow.split_at_mut(first * SECTION);
        let (here, after) = rest.split_at_mut((last - first) * SECTION);
        let others = Others { before, after, end: last * SECTION };
        for (part, section) in layout.parts[first..last].iter().zip(here.as_chunks_mut::<SECTION>().0) {
            refresh_part(layout, part, section, &others);
        }
    }
}

pub(super) fn sections(flow: &[Spot]) -> &[Section] {
    flow.as_chunks::<SECTION>().0
}

/// Forces −∇Φ at every vertex that moves, by places; copies around parts are fresh. O(tetrahedra).
pub(super) fn slopes(layout: &Layout, weights: &Weights, flow: &[Spot], out: &mut [Spot]) {
    let jobs = sections(flow).par_iter().zip(out.as_chunks_mut::<SECTION>().0).zip(&layout.parts);
    jobs.for_each(|((section, out), part)| slope_part(layout, weights, part, section, out));
}

/// Positions of the other phases.
struct Others<'a> {
    before: &'a [Spot],
    after: &'a [Spot],
    /// The place at which `after` begins.
    end: usize,
}

fn side_by_side(
    layout: &Layout,
    weights: &Weights,
    parts: &[Part],
    sections: &mut [Spot],
    others: &Others,
    many: bool,
) {
    if many && parts.len() > 1 {
        let mid = parts.len() / 2;
        let (low, high) = sections.split_at_mut(mid * SECTION);
        rayon::join(
            || side_by_side(layout, weights, &parts[..mid], low, others, many),
            || side_by_side(layout, weights, &parts[mid..], high, others, many),
        );
        return;
    }
    for (part, section) in parts.iter().zip(sections.as_chunks_mut::<SECTION>().0) {
        refresh_part(layout, part, section, others);
        sweep_part(layout, weights, part, section);
    }
}

/// Copies the vertices around a part.
fn refresh_part(layout: &Layout, part: &Part, section: &mut Section, others: &Others) {
    let halo = &layout.halo[part.halo.start as usize..part.halo.end as usize];
    for (spot, &place) in section[part.own as usize..].iter_mut().zip(halo) {
        let place = place as usize;
        *spot =
            if place < others.before.len() { others.before[place] } else { others.after[place - others.end] };
    }
}

/// Calls the kernel compiled for the units of this machine.
fn sweep_part(layout: &Layout, weights: &Weights, part: &Part, section: &mut Section) {
    in_lanes!(sweep_here, sweep_512, sweep_256, (layout, weights, part, section))
}

/// Forces −∇Φ at the vertices of a part.
fn slope_part(layout: &Layout, weights: &Weights, part: &Part, section: &Section, out: &mut Section) {
    in_lanes!(slope_here, slope_512, slope_256, (layout, weights, part, section, out))
}

/// The kernel for wider units. Those of AVX-512 are not used as such, but twice as many registers are.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Layout, Part, Section, Weights, slope_here, sweep_here};
    use core::arch::x86_64::__m256d;

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn sweep_512(layout: &Layout, weights: &Weights, part: &Part, section: &mut Section) {
        sweep_here::<__m256d>(layout, weights, part, section);
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn slope_512(l: &Layout, w: &Weights, part: &Part, section: &Section, out: &mut Section) {
        slope_here::<__m256d>(l, w, part, section, out);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn slope_256(l: &Layout, w: &Weights, part: &Part, section: &Section, out: &mut Section) {
        slope_here::<__m256d>(l, w, part, section, out);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sweep_256(layout: &Layout, weights: &Weights, part: &Part, section: &mut Section) {
        sweep_here::<__m256d>(layout, weights, part, section);
    }
}

#[inline(always)]
fn sweep_here<V: Wide>(layout: &Layout, weights: &Weights, part: &Part, section: &mut Section) {
    let groups = part.groups.start as usize..part.groups.end as usize;
    for (group, held) in layout.groups[groups.clone()].iter().zip(&weights.held[groups]) {
        move_group::<V>(layout, weights, (group, held), section);
    }
}

#[inline(always)]
fn places(of: &[u16; LANES]) -> [usize; LANES] {
    [of[0] as usize, of[1] as usize, of[2] as usize, of[3] as usize]
}

#[inline(always)]
fn move_group<V: Wide>(
    layout: &Layout,
    weights: &Weights,
    (group, held): (&Group, &Held),
    section: &mut Section,
) {
    let x = V::gather(section, places(&group.own));
    let block = gather_block(layout, weights, (group, held), x, section);
    let step = block.solve();
    let moved = V::spots([x[0].plus(step[0]), x[1].plus(step[1]), x[2].plus(step[2])]);
    for (own, spot) in group.own.iter().zip(moved) {
        section[*own as usize % SECTION] = spot;
    }
}

#[inline(always)]
fn slope_here<V: Wide>(
    layout: &Layout,
    weights: &Weights,
    part: &Part,
    section: &Section,
    out: &mut Section,
) {
    let groups = part.groups.start as usize..part.groups.end as usize;
    for (group, held) in layout.groups[groups.clone()].iter().zip(&weights.held[groups]) {
        let x = V::gather(section, places(&group.own));
        let forces = V::spots(gather_block(layout, weights, (group, held), x, section).f);
        for (own, force) in group.own.iter().zip(forces) {
            out[*own as usize % SECTION] = force;
        }
    }
}

/// What the neighbours and faces of a group do to it; what of it nobody reads is not computed.
#[inline(always)]
fn gather_block<V: Wide>(
    layout: &Layout,
    weights: &Weights,
    (group, held): (&Group, &Held),
    x: [V; 3],
    section: &Section,
) -> Block<V> {
    let diag = V::of(&held.diag);
    let away = |c: usize| V::of(&held.pull[c]).minus(diag.times(x[c]));
    let mut block =
        Block { f: [away(0), away(1), away(2)], diagonal: [diag; 3], mixed: [V::of(&Lane::default()); 3] };
    let edges = group.edges.start as usize..group.edges.end as usize;
    for (other, weight) in layout.edges[edges.clone()].iter().zip(&weights.edges[edges]) {
        let [px, py, pz] = V::gather(section, places(other));
        let weight = V::of(weight);
        let [fx, fy, fz] = block.f;
        block.f = [fx.minus(weight.times(px)), fy.minus(weight.times(py)), fz.minus(weight.times(pz))];
    }
    let faces = group.faces.start as usize..group.faces.end as usize;
    for (face, weight) in layout.faces[faces.clone()].iter().zip(&weights.faces[faces]) {
        let corner = |i: u32| V::gather(section, face.map(|word| (word >> (10 * i)) as usize % SECTION));
        block.add(x, [corner(0), corner(1), corner(2)], (V::of(&weight.kappa), V::of(&weight.beta)));
    }
    block
}

/// Gradient f and matrix H of a group: its diagonal, and yz, zx, xy.
struct Block<V> {
    f: [V; 3],
    diagonal: [V; 3],
    mixed: [V; 3],
}

impl<V: Wide> Block<V> {
    /// Adds a face with its κ and β.
    #[inline(always)]
    fn add(&mut self, x: [V; 3], [a, b, c]: [[V; 3]; 3], (kappa, beta): (V, V)) {
        let (u, v) = (apart(b, a), apart(c, a));
        let n = [minor(u[1], v[2], u[2], v[1]), minor(u[2], v[0], u[0], v[2]), minor(u[0], v[1], u[1], v[0])];
        let more = dot(n, apart(x, a)).minus(beta);
        let w = [kappa.times(n[0]), kappa.times(n[1]), kappa.times(n[2])];
        let [fx, fy, fz] = self.f;
        self.f = [fx.minus(more.times(w[0])), fy.minus(more.times(w[1])), fz.minus(more.times(w[2]))];
        let [xx, yy, zz] = self.diagonal;
        self.diagonal = [xx.plus(w[0].times(n[0])), yy.plus(w[1].times(n[1])), zz.plus(w[2].times(n[2]))];
        let [yz, zx, xy] = self.mixed;
        self.mixed = [yz.plus(w[1].times(n[2])), zx.plus(w[2].times(n[0])), xy.plus(w[0].times(n[1]))];
    }

    /// H⁻¹ f by cofactors: H is symmetric and positive definite.
    #[inline(always)]
    fn solve(&self) -> [V; 3] {
        let ([a, b, c], [p, q, r], f) = (self.diagonal, self.mixed, self.f);
        let straight = [minor(b, c, p, p), minor(c, a, q, q), minor(a, b, r, r)];
        let askew = [minor(q, r, p, a), minor(r, p, q, b), minor(p, q, r, c)];
        let whole = dot([a, r, q], [straight[0], askew[2], askew[1]]);
        [
            dot([straight[0], askew[2], askew[1]], f).over(whole),
            dot([askew[2], straight[1], askew[0]], f).over(whole),
            dot([askew[1], askew[0], straight[2]], f).over(whole),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// The vectors of this machine and plain arrays have the same bits.
    #[test]
    fn the_width_of_vectors_does_not_show() {
        let mut seed = 3;
        let mut lane = |low: f64| Lane(std::array::from_fn(|_| low + some(&mut seed)));
        let held =
            (0..40).map(|_| Held { diag: lane(5.0), pull: [lane(0.0), lane(0.0), lane(0.0)] }).collect();
        let faces = (0..400).map(|_| FaceWeight { kappa: lane(1.5), beta: lane(0.0) }).collect();
        let weights = Weights { edges: (0..200).map(|_| lane(0.0)).collect(), faces, held };
        let mut place = |n: u32| ((some(&mut seed) + 1.0) * 0.5 * f64::from(n)) as u32;
        let mut layout = Layout::default();
        for g in 0..40u32 {
            let own = std::array::from_fn(|k| (4 * g as usize + k) as u16);
            let (edges, faces) = (5 * g..5 * g + 5, 10 * g..10 * g + 10);
            layout.groups.push(Group { vertices: [0; LANES], own, edges, faces });
        }
        layout.edges = (0..200).map(|_| std::array::from_fn(|_| place(500) as u16)).collect();
        layout.faces = (0..400)
            .map(|_| std::array::from_fn(|_| place(500) | place(500) << 10 | place(500) << 20))
            .collect();
        let part = Part { own: 160, halo: 0..0, groups: 0..40 };
        let start: Section = std::array::from_fn(|_| Spot(std::array::from_fn(|_| some(&mut seed))));
        let (mut plain, mut wide) = (start, start);
        for _ in 0..3 {
            sweep_here::<Lane>(&layout, &weights, &part, &mut plain);
            sweep_part(&layout, &weights, &part, &mut wide);
        }
        assert!(plain != start && plain.iter().all(|s| s.0.iter().all(|x| x.is_finite())));
        let bits = |s: &Section| s.iter().flat_map(|s| s.0.map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&plain), bits(&wide));
    }
}
