//! Pairs of primitives into order.

use std::ops::Range;

/// Working arrays of a sort; grown once, kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Where the next pair of each first primitive goes, and where they end.
    nexts: Vec<u32>,
    ends: Vec<u32>,
}

impl Order {
    /// Sorts pairs whose first primitives, which are their high halves, are among some: by these in one counting pass, each
    /// pair put where it belongs in exchange for the one that was there, then each short run by itself. O(pairs + primitives)
    /// and the short runs; takes no second list, which a violent moment would make large.
    pub fn sort(&mut self, pairs: &mut [u64], prims: Range<u32>) {
        let Self { nexts, ends } = self;
        let first = |pair: u64| (pair >> 32) as usize - prims.start as usize;
        ends.clear();
        ends.resize(prims.len(), 0);
        pairs.iter().for_each(|pair| ends[first(*pair)] += 1);
        nexts.clear();
        let mut end = 0;
        for count in ends.iter_mut() {
            nexts.push(end);
            end += *count;
            *count = end;
        }
        let mut start = 0;
        for i in 0..ends.len() {
            // Those of earlier primitives are in their places: what is out of place here belongs to later ones.
            while nexts[i] < ends[i] {
                let at = nexts[i] as usize;
                let next = &mut nexts[first(pairs[at])];
                pairs.swap(at, *next as usize);
                *next += 1;
            }
            pairs[start..ends[i] as usize].sort_unstable();
            start = ends[i] as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_into_order() {
        let (mut order, mut seed) = (Order::default(), 1_u64);
        let mut some = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for count in [0, 1, 2, 50, 3000] {
            let mut pairs: Vec<u64> = (0..count).map(|_| (40 + some(90)) << 32 | some(1000)).collect();
            let mut slow = pairs.clone();
            slow.sort_unstable();
            order.sort(&mut pairs, 40..130);
            assert_eq!(pairs, slow);
        }
    }
}
