//! Walks against all pairs.

use super::*;
use crate::Vec3;
use std::collections::BTreeSet;

/// Numbers from 0 to 1, always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    /// Boxes of all sizes, many alike, some flat.
    fn boxes(&mut self, n: usize) -> Vec<Aabb> {
        let one = |k: usize| {
            let size = if k.is_multiple_of(17) { 0.5 } else { 0.05 };
            let (p, s) = (self.point(), self.point() * size);
            let s = if k.is_multiple_of(5) { s * Vec3::new(1.0, 1.0, 0.0) } else { s };
            Aabb { min: p, max: p + s }
        };
        (0..n).map(one).collect()
    }
}

/// All that must hold of a tree over boxes.
fn check(tree: &Tree, boxes: &[Aabb]) {
    let overlap = |i: u32, j: u32| boxes[i as usize].overlaps(&boxes[j as usize]);
    let n = boxes.len() as u32;
    let mut found = Vec::new();
    tree.self_pairs(|i, j| found.push((i, j)));
    let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(|(i, j)| overlap(*i, *j));
    assert_eq!(found.len(), found.iter().collect::<BTreeSet<_>>().len(), "each once");
    assert!(found.into_iter().collect::<BTreeSet<_>>().into_iter().eq(all));
    for b in boxes.iter().take(50) {
        let mut found = Vec::new();
        tree.overlapping(b, |i| found.push(i));
        found.sort_unstable();
        assert!(found.into_iter().eq((0..n).filter(|i| boxes[*i as usize].overlaps(b))));
    }
    let mut found = Vec::new();
    let other = Tree::of(&boxes[..boxes.len() / 3]);
    tree.pairs(&other, |i, j| found.push((i, j)));
    found.sort_unstable();
    let all = (0..n).flat_map(|i| (0..n / 3).map(move |j| (i, j))).filter(|(i, j)| overlap(*i, *j));
    assert!(found.into_iter().eq(all));
    for (k, p) in boxes.iter().map(|b| b.max * 1.5 - 0.2).enumerate().take(100) {
        let at = |i: u32| boxes[i as usize].distance_sq(p);
        let least = (0..n).map(at).fold(Real::INFINITY, Real::min);
        let start = if k.is_multiple_of(2) { Real::INFINITY } else { at(k as u32) };
        let (mut best, mut all) = (start, BTreeSet::new());
        tree.nearest(
            |_, b| b.distance_sq(p),
            start,
            |i| {
                best = best.min(at(i));
                all.insert(i);
                best
            },
        );
        assert_eq!(best, least);
        assert!((0..n).filter(|i| at(*i) == least).all(|i| all.contains(&i)), "all ties are seen");
    }
}

#[test]
fn walks_find_what_all_pairs_find() {
    let mut random = Random(1);
    for n in [0, 1, 4, 5, 40, 700] {
        let boxes = random.boxes(n);
        check(&Tree::of(&boxes), &boxes);
    }
}

#[test]
fn a_refitted_tree_finds_the_same() {
    let mut random = Random(2);
    let boxes = random.boxes(500);
    let mut tree = Tree::of(&boxes);
    assert!(!tree.is_worn() && tree.growth() == 1.0);
    let moved: Vec<Aabb> = boxes
        .iter()
        .map(|b| {
            let by = random.point() * 0.1;
            Aabb { min: b.min + by, max: b.max + by }
        })
        .collect();
    tree.refit(|i| moved[i as usize]);
    check(&tree, &moved);
    assert_eq!(tree.bounds(), Tree::of(&moved).bounds());
    let shuffled = random.boxes(500);
    tree.refit(|i| shuffled[i as usize]);
    check(&tree, &shuffled);
    assert!(tree.is_worn(), "{}", tree.growth());
    tree.build(&shuffled);
    assert!(!tree.is_worn());
}

#[test]
fn equal_lined_up_and_broken_boxes_end() {
    let one = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    check(&Tree::of(&[one; 200]), &[one; 200]);
    // Each as far from the last as all before together: cuts by area would be very deep.
    let line: Vec<Aabb> = (0..900).map(|i| Aabb { min: Vec3::ONE * (i as Real).exp2(), ..one }).collect();
    let line: Vec<Aabb> = line.iter().map(|b| Aabb { min: b.min, max: b.min * 1.25 }).collect();
    check(&Tree::of(&line), &line);
    let mut broken = Random(3).boxes(300);
    for i in (0..300).step_by(7) {
        broken[i] = Aabb { min: Vec3::NAN, max: Vec3::new(0.5, Real::NAN, 0.5) };
    }
    broken[4] = Aabb::EMPTY;
    let mut tree = Tree::of(&broken);
    let mut found = Vec::new();
    tree.self_pairs(|i, j| found.push((i, j)));
    let sound: Vec<u32> = (0..300).filter(|i| i % 7 != 0 && *i != 4).collect();
    let overlap = |i: &u32, j: &u32| broken[*i as usize].overlaps(&broken[*j as usize]);
    let all: BTreeSet<(u32, u32)> = sound
        .iter()
        .flat_map(|i| sound.iter().filter(move |j| i < j && overlap(i, j)).map(|j| (*i, *j)))
        .collect();
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), all);
    tree.refit(|i| if i == 5 { Aabb::ALL } else { broken[i as usize] });
    let mut with = 0;
    tree.overlapping(&one, |_| with += 1);
    assert_eq!(with, sound.len());
}
