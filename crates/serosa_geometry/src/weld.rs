//! Points at the same place made one: formats that give each face corners of its own tear a surface apart.

use crate::Vec3;

/// For each point the number of the first one at exactly the same place. Points that are not finite stay alone.
pub fn weld(points: &[Vec3]) -> Vec<u32> {
    weld_within(points, &|_| 0)
}

/// The same, where points of different parts stay apart.
pub fn weld_within(points: &[Vec3], part: &dyn Fn(u32) -> u32) -> Vec<u32> {
    // Adding 0 makes -0 and 0 the same place.
    let key = |i: u32| (part(i), (points[i as usize] + 0.0).to_array().map(f64::to_bits));
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|i| (key(*i), *i));
    let mut first: Vec<u32> = (0..points.len() as u32).collect();
    for pair in order.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if points[b as usize].is_finite() && key(a) == key(b) {
            first[b as usize] = first[a as usize];
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_become_the_first_of_them() {
        let points = [Vec3::X, Vec3::ZERO, Vec3::X, -Vec3::ZERO, Vec3::NAN, Vec3::NAN, Vec3::X];
        assert_eq!(weld(&points), [0, 1, 0, 1, 4, 5, 0]);
        assert_eq!(weld(&[]), [0u32; 0]);
        assert_eq!(weld_within(&points, &|i| u32::from(i > 1)), [0, 1, 2, 3, 4, 5, 2]);
    }
}
