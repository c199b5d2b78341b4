//! Work on all threads in chunks, and what they found joined in order.

use rayon::prelude::*;

/// Chunks that are worked on at a time, and so buckets: enough for many threads. What chunks have found is joined before the
/// next begin, so that room is needed for what so many find and not for the most that each has ever found.
pub(super) const WAVE: usize = 16;

/// Does jobs 0 to `jobs`, so many at a time on one thread, each chunk into a bucket of its own, and gives the buckets to
/// `join`, which empties them, in order. Neither the partition nor the order depends on the number of threads, so what is
/// joined does not either.
pub(super) fn in_chunks<T: Send + Default>(
    (jobs, chunk): (usize, usize),
    buckets: &mut Vec<T>,
    work: impl Fn(usize, &mut T) + Sync,
    mut join: impl FnMut(&mut T),
) {
    buckets.resize_with(WAVE, T::default);
    for start in (0..jobs).step_by(WAVE * chunk) {
        let used = (jobs - start).div_ceil(chunk).min(WAVE);
        buckets[..used].par_iter_mut().enumerate().for_each(|(k, bucket)| {
            let first = start + k * chunk;
            (first..jobs.min(first + chunk)).for_each(|job| work(job, bucket));
        });
        buckets[..used].iter_mut().for_each(&mut join);
    }
}

/// Joins a sorted list into another, from the back. O(both), nothing where the one is empty.
pub(super) fn merge_into<T: Copy, K: Ord>(all: &mut Vec<T>, more: &[T], key: impl Fn(&T) -> K) {
    let mut own = all.len();
    all.extend_from_slice(more);
    let mut to = all.len();
    for item in more.iter().rev() {
        while own > 0 && key(&all[own - 1]) > key(item) {
            (own, to) = (own - 1, to - 1);
            all[to] = all[own];
        }
        to -= 1;
        all[to] = *item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_in_order_whatever_their_number() {
        for (jobs, chunk) in
            [(0, 5), (1, 5), (5, 5), (WAVE * 5 - 1, 5), (WAVE * 5 + 1, 5), (1000, 3), (7, 1000)]
        {
            let (mut buckets, mut all) = (Vec::new(), Vec::new());
            // Each job reports itself as often as its number says, up to three times; twice, so that buckets are used again.
            for _ in 0..2 {
                all.clear();
                let work =
                    |job: usize, bucket: &mut Vec<usize>| bucket.extend(std::iter::repeat_n(job, job % 4));
                in_chunks((jobs, chunk), &mut buckets, work, |bucket| all.append(bucket));
            }
            let slow: Vec<usize> = (0..jobs).flat_map(|job| std::iter::repeat_n(job, job % 4)).collect();
            assert_eq!(all, slow, "{jobs} jobs in chunks of {chunk}");
            assert_eq!(buckets.len(), WAVE);
        }
    }

    #[test]
    fn sorted_lists_are_joined_in_order() {
        let cases: [(&[i32], &[i32]); 5] = [
            (&[], &[]),
            (&[2, 5], &[]),
            (&[], &[1, 2, 3]),
            (&[1, 4, 9], &[2, 3, 10, 12]),
            (&[7, 8], &[1, 2, 9]),
        ];
        for (a, b) in cases {
            let mut joined = a.to_vec();
            merge_into(&mut joined, b, |x| *x);
            let mut sorted = [a, b].concat();
            sorted.sort_unstable();
            assert_eq!(joined, sorted);
        }
    }
}
