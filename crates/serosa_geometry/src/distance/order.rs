//! An order of points in which neighbours are near one another.

use crate::{Aabb, Real, Vec3};

/// Bits of a coordinate in a key.
const BITS: u32 = 10;

/// Keys of the points, each with the [`number`] of one, along Morton's curve through their box. O(n log n).
pub(super) fn sorted<'a>(points: &[Vec3], keys: &'a mut [u64]) -> &'a [u64] {
    let keys = &mut keys[..points.len()];
    let around = Aabb::around(points.iter().copied().filter(|p| p.is_finite()));
    let scale = Real::from(1 << BITS) / around.size().max_element();
    for ((i, p), key) in points.iter().enumerate().zip(keys.iter_mut()) {
        let [x, y, z] =
            ((*p - around.min) * scale).to_array().map(|x| spread((x as u32).min((1 << BITS) - 1)));
        *key = u64::from(x | y << 1 | z << 2) << 32 | i as u64;
    }
    keys.sort_unstable();
    keys
}

/// The number of the point behind a key.
pub(super) fn number(key: u64) -> usize {
    (key & 0xffff_ffff) as usize
}

/// The bits of a number, two places left free after each.
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x030000ff;
    let x = (x | x << 8) & 0x0300f00f;
    let x = (x | x << 4) & 0x030c30c3;
    (x | x << 2) & 0x09249249
}
