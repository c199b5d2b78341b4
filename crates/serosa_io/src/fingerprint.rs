//! Fingerprints: 64 bits that tell two texts or two bakes apart.

use crate::scene::UsedFile;
use serde::Serialize;
use serosa_bake::Baked;

/// FNV-1a over bytes. Tells files apart; not for secrets.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01B3))
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
