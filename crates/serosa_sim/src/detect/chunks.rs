//! Work on all threads in chunks, and what they found joined in order.

use rayon::prelude::*;

/// Work done by one thread at a time: primitives, cells or pairs. The partition does not depend on the number
/// of threads, and buckets are joined in order, so the rows do not either.
pub(super) const CHUNK: usize = 512;

/// Does jobs 0 to `jobs`, a chunk at a time, each chunk into a bucket of its own.
pub(super) fn in_chunks<T: Send + Clear>(
    jobs: usize,
    buckets: &mut Vec<T>,
    work: impl Fn(usize, &mut T) + Sync,
) {
    let used = jobs.div_ceil(CHUNK);
    if buckets.len() < used {
        buckets.resize_with(used, T::default);
    }
    buckets[used..].iter_mut().for_each(T::clear);
    buckets[..used].par_iter_mut().enumerate().for_each(|(chunk, bucket)| {
        bucket.clear();
        (chunk * CHUNK..jobs.min((chunk + 1) * CHUNK)).for_each(|job| work(job, bucket));
    });
}

/// Joins a sorted list in parts into a sorted one, from the back. O(both), nothing where the parts are empty.
pub(super) fn merge_into<'a, T: Copy + 'a, K: Ord>(
    all: &mut Vec<T>,
    parts: impl DoubleEndedIterator<Item = &'a [T]> + Clone,
    key: impl Fn(&T) -> K,
) {
    let mut own = all.len();
    parts.clone().for_each(|part| all.extend_from_slice(part));
    let mut to = all.len();
    if own == 0 {
        return;
    }
    for item in parts.rev().flat_map(|part| part.iter().rev()) {
        while own > 0 && key(&all[own - 1]) > key(item) {
            (own, to) = (own - 1, to - 1);
            all[to] = all[own];
        }
        to -= 1;
        all[to] = *item;
    }
}

/// Something that can be emptied and keeps its room.
pub(super) trait Clear: Default {
    fn clear(&mut self);
}

impl<T> Clear for Vec<T> {
    fn clear(&mut self) {
        Vec::clear(self);
    }
}

#[cfg(test)]
mod tests {
    use super::merge_into;

    #[test]
    fn sorted_lists_are_joined_in_order() {
        let cases: [(&[i32], &[&[i32]]); 5] = [
            (&[], &[]),
            (&[2, 5], &[&[]]),
            (&[], &[&[1], &[2, 3]]),
            (&[1, 4, 9], &[&[2], &[], &[3, 10], &[12]]),
            (&[7, 8], &[&[1, 2], &[9]]),
        ];
        for (a, b) in cases {
            let mut joined = a.to_vec();
            merge_into(&mut joined, b.iter().copied(), |x| *x);
            let mut sorted = [a, &b.concat()].concat();
            sorted.sort_unstable();
            assert_eq!(joined, sorted);
        }
    }
}
