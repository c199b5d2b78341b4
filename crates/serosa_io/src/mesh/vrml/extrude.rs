//! The Extrusion of VRML 2.0 and X3D: a cross-section led along a spine (ISO/IEC 14772-1, 6.18).

use super::Fault;
use super::faces::{Cut, Sources};
use super::look::{pairs, vectors};
use super::matrix::Matrix;
use super::mould::Mould;
use super::walk::{At, Walker};
use serosa_geometry::Vec3;
use std::rc::Rc;

impl Walker<'_> {
    pub(super) fn extrusion(&mut self, at: At, sources: &mut Sources) -> Result<Mould, Fault> {
        let mut section = pairs(self.numbers(at, "crossSection"));
        if section.is_empty() {
            section = vec![[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
        }
        let mut spine = vectors(self.numbers(at, "spine"));
        if spine.is_empty() {
            spine = vec![Vec3::ZERO, Vec3::Y];
        }
        if spine.len() < 2 || section.len() < 2 {
            return Ok(Mould::new(Rc::default()));
        }
        let ring_is_closed = section.first() == section.last() && section.len() > 3;
        if ring_is_closed {
            section.pop();
        }
        self.limits.check_output(self.output.saturating_add(section.len().saturating_mul(spine.len())))?;
        let mut rings = self.rings(at, &spine, &section);
        let size = section.len();
        let extent = rings.iter().fold(0.0f64, |most, p| most.max(p.abs().max_element()));
        let (first, last) = (&rings[..size], &rings[rings.len() - size..]);
        let meets = first.iter().zip(last).all(|(a, b)| (*a - *b).length() <= 1e-9 * extent);
        let spine_is_closed = spine.len() > 2 && meets;
        if spine_is_closed {
            rings.truncate(rings.len() - size);
        }
        let rounds = rings.len() / size;
        let mut index = walls(size, rounds, ring_is_closed, spine_is_closed);
        let count = size as i64;
        if size > 2 && !spine_is_closed && self.flag(at, "beginCap", true) {
            index.extend((0..count).rev().chain([-1]));
        }
        if size > 2 && !spine_is_closed && self.flag(at, "endCap", true) {
            let start = (rounds as i64 - 1) * count;
            index.extend((start..start + count).chain([-1]));
        }
        sources.coords = Rc::new(rings);
        let mut mould = self.mould(sources);
        self.faces(at, sources, (&index, Cut::Polygon), None, &mut mould)?;
        Ok(mould)
    }

    /// The cross-section at every point of the spine.
    fn rings(&self, at: At, spine: &[Vec3], section: &[[f64; 2]]) -> Vec<Vec3> {
        let scales = pairs(self.numbers(at, "scale"));
        let turns: Vec<Matrix> = self
            .numbers(at, "orientation")
            .chunks_exact(4)
            .map(|r| Matrix::rotation(Vec3::new(r[0], r[1], r[2]), r[3]))
            .collect();
        let axes = axes(spine);
        let mut points = Vec::with_capacity(spine.len() * section.len());
        for (i, (&place, [x, y, z])) in spine.iter().zip(axes).enumerate() {
            let scale = scales.get(i).or(scales.last()).copied().unwrap_or([1.0, 1.0]);
            let turn = turns.get(i).or(turns.last()).copied().unwrap_or(Matrix::IDENTITY);
            for [a, b] in section {
                let p = turn.point(Vec3::new(a * scale[0], 0.0, b * scale[1]));
                points.push(place + x * p.x + y * p.y + z * p.z);
            }
        }
        points
    }
}

/// Quads between neighbouring rings, each ended by −1.
fn walls(size: usize, rounds: usize, ring_is_closed: bool, spine_is_closed: bool) -> Vec<i64> {
    let columns = if ring_is_closed { size } else { size - 1 };
    let rows = if spine_is_closed { rounds } else { rounds - 1 };
    let mut index = Vec::with_capacity(rows * columns * 5);
    for row in 0..rows {
        let (here, there) = (row * size, (row + 1) % rounds * size);
        for column in 0..columns {
            let next = (column + 1) % size;
            let corners = [here + column, here + next, there + next, there + column];
            index.extend(corners.map(|i| i as i64));
            index.push(-1);
        }
    }
    index
}

/// The x, y and z axes of the cross-section at every point of the spine.
fn axes(spine: &[Vec3]) -> Vec<[Vec3; 3]> {
    let count = spine.len();
    let closed = count > 2 && spine[0] == spine[count - 1];
    let before = |i: usize| {
        if i > 0 {
            spine[i - 1]
        } else if closed {
            spine[count - 2]
        } else {
            spine[0]
        }
    };
    let after = |i: usize| {
        if i + 1 < count {
            spine[i + 1]
        } else if closed {
            spine[1]
        } else {
            spine[count - 1]
        }
    };
    let mut ys: Vec<Vec3> = (0..count).map(|i| (after(i) - before(i)).normalize_or_zero()).collect();
    let bend = |i: usize| (after(i) - spine[i]).cross(before(i) - spine[i]).normalize_or_zero();
    let mut zs: Vec<Vec3> = (0..count).map(bend).collect();
    // Where the spine turns back on itself or stands still, the direction of a neighbour holds.
    fill(&mut ys, Vec3::Y);
    if zs.iter().all(|z| *z == Vec3::ZERO) {
        return ys.iter().map(|&y| straight(y)).collect();
    }
    fill(&mut zs, Vec3::Z);
    for i in 1..count {
        if zs[i].dot(zs[i - 1]) < 0.0 {
            zs[i] = -zs[i];
        }
    }
    ys.iter().zip(&zs).map(|(&y, &z)| [y.cross(z), y, z]).collect()
}

/// Zero vectors take the one before, the first ones the first that is not zero.
fn fill(list: &mut [Vec3], usual: Vec3) {
    let mut last = list.iter().copied().find(|v| *v != Vec3::ZERO).unwrap_or(usual);
    for v in list {
        if *v == Vec3::ZERO {
            *v = last;
        }
        last = *v;
    }
}

/// The axes turned by the shortest way so that y goes along a straight spine.
fn straight(y: Vec3) -> [Vec3; 3] {
    let axis = Vec3::Y.cross(y);
    let angle = libm::atan2(axis.length(), Vec3::Y.dot(y));
    let axis = if axis.length() < 1e-12 { Vec3::X } else { axis };
    let turn = Matrix::rotation(axis, angle);
    [turn.point(Vec3::X), turn.point(Vec3::Y), turn.point(Vec3::Z)]
}
