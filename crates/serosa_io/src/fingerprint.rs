//! Fingerprints: 64 bits that tell two texts or two bakes apart.

use crate::scene::UsedFile;
use serde::Serialize;
use serosa_bake::Baked;

/// FNV-1a over bytes. Tells files apart; not for secrets.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// Over bytes, many times as fast: for files of hundreds of megabytes. Every change of a single byte changes it, since each
/// word goes into its lane, and each lane into the result, by steps that can be undone.
pub fn of_many_bytes(bytes: &[u8]) -> u64 {
    let mix = |h: u64, word: u64| (h ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let mut lanes = [1u64, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let words = block.as_chunks::<8>().0;
        for k in 0..4 {
            lanes[k] = mix(lanes[k], u64::from_le_bytes(words[k]));
        }
    }
    let start = rest.iter().fold(bytes.len() as u64, |h, b| mix(h, u64::from(*b)));
    lanes.into_iter().fold(start, mix)
}

/// Of a scene file and the files it used.
pub fn of_scene(text: &str, files: &[UsedFile]) -> u64 {
    let mut all = text.as_bytes().to_vec();
    files.iter().for_each(|f| all.extend(of_bytes(&f.bytes).to_le_bytes()));
    of_bytes(&all)
}

/// Of everything that a bake fixed: a recording replays only with the same.
pub fn of_bake(baked: &Baked) -> u64 {
    #[derive(Serialize)]
    struct All<'a>(&'a serosa_sim::Model, &'a serosa_sim::Params);
    // Plain data of known length: serialising it to memory cannot fail.
    postcard::to_stdvec(&All(&baked.model, &baked.params)).map_or(0, |bytes| of_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_changed_bit_or_length_changes_the_hash_of_many() {
        let bytes: Vec<u8> = (0..77u8).collect();
        let whole = of_many_bytes(&bytes);
        for k in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[k / 8] ^= 1 << (k % 8);
            assert_ne!(of_many_bytes(&other), whole, "bit {k}");
        }
        assert!((0..77).all(|n| of_many_bytes(&bytes[..n]) != whole));
    }
}
