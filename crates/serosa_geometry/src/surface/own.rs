//! Where a surface meets itself.

use super::repeats;
use crate::meet::triangles_meet;
use crate::weld::weld;
use crate::{Aabb, Grid, Vec3};

/// The most pairs of faces with overlapping boxes that are looked at; a surface of a million faces has some ten million.
pub const PAIRS_MAX: u64 = 200_000_000;

/// Faces that meet others of the same surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meetings {
    /// Faces that meet another one, ascending.
    pub faces: Vec<u32>,
    /// How many pairs of faces meet.
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
    let (mut seen, mut pairs, mut meets) = (0, 0, vec![false; faces.len()]);
    let mut complete = true;
    for job in 0..grid.jobs() {
        if seen >= limit || (job % 4096 == 0 && !progress(job as f64 / grid.jobs() as f64)) {
            complete = false;
            break;
        }
        grid.pairs_in(job, &boxes, |i, j| {
            seen += 1;
            let (i, j) = (sound[i as usize], sound[j as usize]);
            let (a, b) = (&faces[i as usize], &faces[j as usize]);
            if seen <= limit && !a.iter().any(|p| b.contains(p)) && triangles_meet(&corners(i), &corners(j)) {
                pairs += 1;
                (meets[i as usize], meets[j as usize]) = (true, true);
            }
        });
    }
    let faces = meets.iter().zip(0..).filter(|(m, _)| **m).map(|(_, f)| f).collect();
    Meetings { faces, pairs, complete: complete && seen <= limit }
}
