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

use crate::Real;
use crate::model::{Group, LANES, Layout, Part, SECTION};

/// One number of each vertex of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lane(pub [Real; LANES]);

/// A position, padded so that it never crosses a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Spot(pub [Real; 4]);

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
        refresh(layout, part, section, others);
        sweep_part(layout, weights, part, section);
    }
}

/// Copies the vertices around a part.
fn refresh(layout: &Layout, part: &Part, section: &mut [Spot; SECTION], others: &Others) {
    let halo = &layout.halo[part.halo.start as usize..part.halo.end as usize];
    for (spot, &place) in section[part.own as usize..].iter_mut().zip(halo) {
        let place = place as usize;
        *spot =
            if place < others.before.len() { others.before[place] } else { others.after[place - others.end] };
    }
}

/// Calls the kernel compiled for the widest units of this machine. Lanes keep the order of the source in each of them.
fn sweep_part(layout: &Layout, weights: &Weights, part: &Part, section: &mut [Spot; SECTION]) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
            // SAFETY: the machine has the units for which the kernel is compiled.
            #[allow(unsafe_code)]
            return unsafe { wide::sweep_512(layout, weights, part, section) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has the units for which the kernel is compiled.
            #[allow(unsafe_code)]
            return unsafe { wide::sweep_256(layout, weights, part, section) };
        }
    }
    sweep_here(layout, weights, part, section);
}

/// The kernel for wider units.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Layout, Part, SECTION, Spot, Weights, sweep_here};

    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn sweep_512(layout: &Layout, weights: &Weights, part: &Part, section: &mut [Spot; SECTION]) {
        sweep_here(layout, weights, part, section);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sweep_256(layout: &Layout, weights: &Weights, part: &Part, section: &mut [Spot; SECTION]) {
        sweep_here(layout, weights, part, section);
    }
}

#[inline(always)]
fn sweep_here(layout: &Layout, weights: &Weights, part: &Part, section: &mut [Spot; SECTION]) {
    let groups = part.groups.start as usize..part.groups.end as usize;
    for (group, held) in layout.groups[groups.clone()].iter().zip(&weights.held[groups]) {
        move_group(layout, weights, (group, held), section);
    }
}

/// Three numbers of each vertex.
type Lane3 = [Lane; 3];

#[inline(always)]
fn each(f: impl Fn(usize) -> Real) -> Lane {
    Lane(std::array::from_fn(f))
}

#[inline(always)]
fn load(section: &[Spot; SECTION], places: &[u16; LANES]) -> Lane3 {
    let spots: [Spot; LANES] = std::array::from_fn(|k| section[places[k] as usize % SECTION]);
    [0, 1, 2].map(|c| each(|k| spots[k].0[c]))
}

#[inline(always)]
fn minus(a: &Lane3, b: &Lane3) -> Lane3 {
    std::array::from_fn(|c| each(|k| a[c].0[k] - b[c].0[k]))
}

#[inline(always)]
fn cross(a: &Lane3, b: &Lane3) -> Lane3 {
    let one = |i: usize, j: usize| each(|k| a[i].0[k] * b[j].0[k] - a[j].0[k] * b[i].0[k]);
    [one(1, 2), one(2, 0), one(0, 1)]
}

#[inline(always)]
fn move_group(
    layout: &Layout,
    weights: &Weights,
    (group, held): (&Group, &Held),
    section: &mut [Spot; SECTION],
) {
    let x = load(section, &group.own);
    let mut f: Lane3 = std::array::from_fn(|c| each(|k| held.pull[c].0[k] - held.diag.0[k] * x[c].0[k]));
    let edges = group.edges.start as usize..group.edges.end as usize;
    for (places, weight) in layout.edges[edges.clone()].iter().zip(&weights.edges[edges]) {
        let other = load(section, places);
        f = std::array::from_fn(|c| each(|k| f[c].0[k] - weight.0[k] * other[c].0[k]));
    }
    // Diagonal, then yz, zx, xy.
    let mut diagonal = [held.diag; 3];
    let mut mixed = [Lane([0.0; LANES]); 3];
    let faces = group.faces.start as usize..group.faces.end as usize;
    for (corners, weight) in layout.faces[faces.clone()].iter().zip(&weights.faces[faces]) {
        let [a, b, c] = [0, 1, 2].map(|i| load(section, &corners[i]));
        let n = cross(&minus(&b, &a), &minus(&c, &a));
        let d = minus(&x, &a);
        let volume = each(|k| n[0].0[k] * d[0].0[k] + n[1].0[k] * d[1].0[k] + n[2].0[k] * d[2].0[k]);
        let w: Lane3 = std::array::from_fn(|c| each(|k| weight.kappa.0[k] * n[c].0[k]));
        let more = each(|k| volume.0[k] - weight.beta.0[k]);
        f = std::array::from_fn(|c| each(|k| f[c].0[k] - more.0[k] * w[c].0[k]));
        diagonal = std::array::from_fn(|c| each(|k| diagonal[c].0[k] + w[c].0[k] * n[c].0[k]));
        mixed = std::array::from_fn(|c| each(|k| mixed[c].0[k] + w[(c + 1) % 3].0[k] * n[(c + 2) % 3].0[k]));
    }
    let step = solve(&diagonal, &mixed, &f);
    for k in 0..LANES {
        section[group.own[k] as usize % SECTION] =
            Spot([x[0].0[k] + step[0].0[k], x[1].0[k] + step[1].0[k], x[2].0[k] + step[2].0[k], 0.0]);
    }
}

/// Symmetric positive definite systems by cofactors.
#[inline(always)]
fn solve(diagonal: &Lane3, mixed: &Lane3, f: &Lane3) -> Lane3 {
    // Of the row i: the diagonal cofactor, and that of the two others' common entry.
    let straight: Lane3 = std::array::from_fn(|i| {
        let (j, l) = ((i + 1) % 3, (i + 2) % 3);
        each(|k| diagonal[j].0[k] * diagonal[l].0[k] - mixed[i].0[k] * mixed[i].0[k])
    });
    let askew: Lane3 = std::array::from_fn(|i| {
        let (j, l) = ((i + 1) % 3, (i + 2) % 3);
        each(|k| mixed[j].0[k] * mixed[l].0[k] - mixed[i].0[k] * diagonal[i].0[k])
    });
    let inverse = each(|k| {
        let sum = diagonal[0].0[k] * straight[0].0[k]
            + mixed[2].0[k] * askew[2].0[k]
            + mixed[1].0[k] * askew[1].0[k];
        1.0 / sum
    });
    std::array::from_fn(|i| {
        let (j, l) = ((i + 1) % 3, (i + 2) % 3);
        each(|k| {
            let sum = straight[i].0[k] * f[i].0[k] + askew[l].0[k] * f[j].0[k] + askew[j].0[k] * f[l].0[k];
            sum * inverse.0[k]
        })
    })
}
