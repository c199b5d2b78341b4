//! Random numbers without a state: every draw is a function of its key and counter, so that a run can be resumed
//! anywhere and shared among threads without changing a bit.

/// Multipliers and key increments of the generator, as published.
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: u32 = 10;

/// Philox 4×32 with ten rounds (Salmon et al. 2011): four words for a counter under a key.
#[inline]
pub fn philox(key: u64, counter: [u32; 4]) -> [u32; 4] {
    let mut key = [key as u32, (key >> 32) as u32];
    let mut c = counter;
    for _ in 0..ROUNDS {
        let product = |k: usize, word: u32| u64::from(MULTIPLIERS[k]) * u64::from(word);
        let (low, high) = (product(0, c[0]), product(1, c[2]));
        c = [
            (high >> 32) as u32 ^ c[1] ^ key[0],
            high as u32,
            (low >> 32) as u32 ^ c[3] ^ key[1],
            low as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    c
}

/// A random word as a number below `n`; uneven by at most n / 2³².
#[inline]
pub fn below(n: usize, word: u32) -> usize {
    ((n as u64 * u64::from(word)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that come with the reference implementation.
    #[test]
    fn philox_gives_the_published_words() {
        assert_eq!(philox(0, [0; 4]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox(u64::MAX, [u32::MAX; 4]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let counter = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let words = philox(0x299f_31d0_a409_3822, counter);
        assert_eq!(words, [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn numbers_below_cover_their_range() {
        let mut seen = [0; 7];
        (0..7000).for_each(|i| seen[below(7, philox(1, [i, 0, 0, 0])[0])] += 1);
        assert!(seen.iter().all(|&n| (800..1200).contains(&n)), "{seen:?}");
        assert_eq!((below(5, 0), below(5, u32::MAX), below(1, 77)), (0, 4, 0));
    }
}
