//! Points that are exactly equal become one, for files that have no numbers of points.

use serosa_geometry::Vec3;
use std::hash::{BuildHasher, RandomState};

/// Numbers points as they come; equal ones get the same number.
///
/// An open table of numbers, half empty. Its hash is seeded anew each time, so that no file can be made to which it
/// is slow; only equality decides what is found, so the seed never reaches a result.
pub struct Welder {
    slots: Vec<u32>,
    seed: u64,
    /// Numbers given out last, in turn: neighbouring triangles share corners, which are then found without looking.
    recent: [u32; 4],
    turn: usize,
}

const FREE: u32 = u32::MAX;

impl Welder {
    /// An empty table.
    pub fn new() -> Self {
        Self { slots: vec![FREE; 64], seed: RandomState::new().hash_one(0) | 1, recent: [FREE; 4], turn: 0 }
    }

    /// The number of a point among `points`, to which it is added where it is new.
    pub fn place(&mut self, points: &mut Vec<Vec3>, point: Vec3) -> u32 {
        // Minus zero and zero are the same place.
        let point = point + Vec3::ZERO;
        if let Some(&known) = self.recent.iter().find(|i| points.get(**i as usize) == Some(&point)) {
            return known;
        }
        if points.len() * 2 >= self.slots.len() {
            self.grow(points);
        }
        let slot = self.find(points, point);
        if self.slots[slot] == FREE {
            self.slots[slot] = points.len() as u32;
            points.push(point);
        }
        self.turn = (self.turn + 1) % self.recent.len();
        self.recent[self.turn] = self.slots[slot];
        self.slots[slot]
    }

    fn find(&self, points: &[Vec3], point: Vec3) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hash(point) & mask;
        while self.slots[slot] != FREE && points[self.slots[slot] as usize] != point {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self, points: &[Vec3]) {
        self.slots = vec![FREE; self.slots.len() * 2];
        for (i, &point) in points.iter().enumerate() {
            let slot = self.find(points, point);
            self.slots[slot] = i as u32;
        }
    }

    fn hash(&self, point: Vec3) -> usize {
        let fold = |h: u64, v: f64| {
            let product = u128::from(h ^ v.to_bits()) * u128::from(self.seed ^ 0x9e37_79b9_7f4a_7c15);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let h = fold(fold(fold(self.seed, point.x), point.y), point.z);
        (h ^ (h >> 32)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_are_one_and_keep_the_order_of_the_file() {
        let (mut welder, mut points) = (Welder::new(), Vec::new());
        let grid = |i: u32| Vec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100));
        for i in (0..1000).chain((0..1000).rev()) {
            assert_eq!(welder.place(&mut points, grid(i)), i);
        }
        assert_eq!(points.len(), 1000);
        assert_eq!(welder.place(&mut points, Vec3::new(-0.0, 0.0, -0.0)), 0, "zero has no sign here");
        assert_eq!(
            welder.place(&mut points, Vec3::new(f64::MIN_POSITIVE, 0.0, 0.0)),
            1000,
            "near is not equal"
        );
    }
}
