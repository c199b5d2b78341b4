//! Where a surface meets itself.

use super::repeats;
use crate::meet::{meet_beyond_corner, triangles_meet};
use crate::weld::weld_within;
use crate::{Aabb, Grid, Real, Vec3};

/// The most pairs of faces with overlapping boxes that are looked at; a surface of a million faces has some ten million.
pub const PAIRS_MAX: u64 = 200_000_000;

/// Faces that meet others of the same surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meetings {
    /// Faces that meet another one, ascending.
    pub faces: Vec<u32>,
    /// Faces that share one corner with another face, by number or by place, and meet it beyond that corner: a fold too
    /// sharp. They are not among `faces` for it.
    pub folded: Vec<u32>,
    /// Faces that meet a face of another part; neither are they among `faces`.
    pub between: Vec<u32>,
    /// How many pairs of faces of one part meet; folds are not counted.
    pub pairs: u64,
    /// False where the search ended at its limit, so that there may be more.
    pub complete: bool,
}

/// Where a surface meets itself, found with a grid. Touching counts; faces that share a corner do not, by number or by
/// place, since every face touches its neighbours. `part` says of each point to which part it belongs, and parts may
/// touch one another. `limit` bounds the pairs looked at, see [`PAIRS_MAX`], and
/// `progress` is told now and then how much of the whole is done, from 0 to 1; it ends the search by answering false.
pub fn self_meetings(
    points: &[Vec3],
    triangles: &[[u32; 3]],
    part: &dyn Fn(u32) -> u32,
    limit: u64,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Meetings {
    let first = weld_within(points, part);
    let faces: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| first[i as usize])).collect();
    let sorted = BySize::of(points, &faces);
    let (mut seen, mut pairs) = (0, 0);
    let none = || vec![false; faces.len()];
    let (mut meets, mut folds, mut between) = (none(), none(), none());
    let complete = sorted.pairs(&mut |step| match step {
        Step::Done(part) => seen <= limit && progress(part),
        Step::Pair(i, j) => {
            seen += 1;
            match if seen > limit { How::Apart } else { how(points, &faces[i], &faces[j]) } {
                How::Apart => {}
                How::Folds => (folds[i], folds[j]) = (true, true),
                How::Meets if part(faces[i][0]) != part(faces[j][0]) => {
                    (between[i], between[j]) = (true, true);
                }
                How::Meets => {
                    pairs += 1;
                    (meets[i], meets[j]) = (true, true);
                }
            }
            true
        }
    });
    let marked = |all: &[bool]| all.iter().zip(0..).filter(|(m, _)| **m).map(|(_, f)| f).collect();
    let (faces, folded, between) = (marked(&meets), marked(&folds), marked(&between));
    Meetings { faces, folded, between, pairs, complete: complete && seen <= limit }
}

impl Meetings {
    /// Faces that meet others or are folded onto a neighbour, ascending.
    pub fn crossing(&self) -> Vec<u32> {
        let mut all = [&self.faces[..], &self.folded].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Faces in classes of like size, small ones first. A part that a machinist drew has faces of a thousand to one, and in
/// one grid for all the large ones would each be compared with every other.
struct BySize {
    /// Numbers of the faces.
    faces: Vec<u32>,
    /// Their boxes.
    boxes: Vec<Aabb>,
    /// The class of each.
    classes: Vec<u64>,
}

/// What the search tells.
enum Step {
    /// How much is done; the search ends where the answer is false.
    Done(f64),
    /// Two faces whose boxes overlap.
    Pair(usize, usize),
}

impl BySize {
    fn of(points: &[Vec3], faces: &[[u32; 3]]) -> Self {
        let around = |f: u32| Aabb::around(faces[f as usize].map(|i| points[i as usize]));
        // Sizes of one class are within a factor of eight: three steps of the binary exponent.
        let class = |f: u32| (around(f).size().max_element().to_bits() >> 52) / 3;
        let finite = |f: &u32| faces[*f as usize].iter().all(|i| points[*i as usize].is_finite());
        let mut all: Vec<(u64, u32)> = (0..faces.len() as u32)
            .filter(|f| !repeats(&faces[*f as usize]) && finite(f))
            .map(|f| (class(f), f))
            .collect();
        all.sort_unstable();
        let boxes = all.iter().map(|(_, f)| around(*f)).collect();
        Self { faces: all.iter().map(|a| a.1).collect(), boxes, classes: all.iter().map(|a| a.0).collect() }
    }

    /// Every pair whose boxes overlap, once, found where the larger class is at home: there the smaller faces are one
    /// group, whose pairs among themselves are found already. False where `step` ended it.
    fn pairs(&self, step: &mut dyn FnMut(Step) -> bool) -> bool {
        let mut grid = Grid::default();
        let mut start = 0;
        for class in self.classes.chunk_by(|a, b| a == b) {
            let end = start + class.len();
            let sum: Real = self.boxes[start..end].iter().map(|b| b.size().max_element()).sum();
            let boxes = &self.boxes[..end];
            grid.build_sized(boxes, sum / class.len() as Real, |i| u32::from((i as usize) < start));
            for job in 0..grid.jobs() {
                let done = start as Real + class.len() as Real * job as Real / grid.jobs() as Real;
                if job % 1024 == 0 && !step(Step::Done(done / self.faces.len() as Real)) {
                    return false;
                }
                let at = |i: u32| self.faces[i as usize] as usize;
                grid.pairs_in(job, boxes, |i, j| {
                    step(Step::Pair(at(i), at(j)));
                });
            }
            start = end;
        }
        true
    }
}

enum How {
    Apart,
    Meets,
    Folds,
}

/// How two faces stand to one another. Two shared corners say nothing: neighbours over an edge.
fn how(points: &[Vec3], a: &[u32; 3], b: &[u32; 3]) -> How {
    let at = |face: [u32; 3]| face.map(|i| points[i as usize]);
    let turned = |face: &[u32; 3], k: usize| [face[k], face[(k + 1) % 3], face[(k + 2) % 3]];
    let mut shared = (0..9).map(|k| (k / 3, k % 3)).filter(|(i, j)| a[*i] == b[*j]);
    let meets = match (shared.next(), shared.next()) {
        (None, _) if triangles_meet(&at(*a), &at(*b)) => return How::Meets,
        (Some((i, j)), None) => meet_beyond_corner(&at(turned(a, i)), &at(turned(b, j))),
        _ => false,
    };
    if meets { How::Folds } else { How::Apart }
}
