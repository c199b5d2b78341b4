//! Where a surface meets itself.

use super::repeats;
use crate::meet::{meet_beyond_corner, triangles_meet};
use crate::weld::weld;
use crate::{Aabb, Grid, Vec3};

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
    /// How many pairs of faces meet; folds are not counted.
    pub pairs: u64,
    /// False where the search ended at its limit, so that there may be more.
    pub complete: bool,
}

/// Where a surface meets itself, found with a grid. Touching counts; faces that share a corner do not, by number or by
/// place, since every face touches its neighbours. `limit` bounds the pairs looked at, see [`PAIRS_MAX`], and
/// `progress` is told now and then how much of the whole is done, from 0 to 1; it ends the search by answering false.
pub fn self_meetings(
    points: &[Vec3],
    triangles: &[[u32; 3]],
    limit: u64,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Meetings {
    let first = weld(points);
    let faces: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| first[i as usize])).collect();
    let corners = |f: u32| faces[f as usize].map(|i| points[i as usize]);
    let sound: Vec<u32> = (0..faces.len() as u32).filter(|f| !repeats(&faces[*f as usize])).collect();
    let boxes: Vec<Aabb> = sound.iter().map(|f| Aabb::around(corners(*f))).collect();
    let mut grid = Grid::default();
    grid.build(&boxes, |_| 0);
    let (mut seen, mut pairs, mut complete) = (0, 0, true);
    let (mut meets, mut folds) = (vec![false; faces.len()], vec![false; faces.len()]);
    for job in 0..grid.jobs() {
        if seen >= limit || (job % 4096 == 0 && !progress(job as f64 / grid.jobs() as f64)) {
            complete = false;
            break;
        }
        grid.pairs_in(job, &boxes, |i, j| {
            seen += 1;
            if seen > limit {
                return;
            }
            let (i, j) = (sound[i as usize], sound[j as usize]);
            match how(points, &faces[i as usize], &faces[j as usize]) {
                How::Apart => {}
                How::Folds => (folds[i as usize], folds[j as usize]) = (true, true),
                How::Meets => {
                    pairs += 1;
                    (meets[i as usize], meets[j as usize]) = (true, true);
                }
            }
        });
    }
    let marked = |all: &[bool]| all.iter().zip(0..).filter(|(m, _)| **m).map(|(_, f)| f).collect();
    Meetings { faces: marked(&meets), folded: marked(&folds), pairs, complete: complete && seen <= limit }
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
