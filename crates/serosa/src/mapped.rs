//! Files that are read where they lie.

use memmap2::Mmap;
use serosa_io::baked::{BAKE_MAX, BakeFile};
use std::fs::File;
use std::path::Path;

/// A bake file, or why it cannot be used. Its long arrays are read in place: what several processes run of one bake is in
/// memory once, and what is not touched can be given back.
pub fn read_bake(path: &Path) -> Result<BakeFile, String> {
    BakeFile::open(map(path, BAKE_MAX)?).map_err(|e| e.to_string())
}

/// A file as memory, or why not; never more than `most` bytes.
fn map(path: &Path, most: u64) -> Result<Mmap, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let meta = file.metadata().map_err(|e| e.to_string())?;
    if !meta.is_file() {
        return Err("it is not a file".to_owned());
    }
    if meta.len() > most {
        return Err(format!("it has {} MB, more than {} MB", meta.len() >> 20, most >> 20));
    }
    // SAFETY: bytes behind a map must not change. Bake files are replaced by moving a whole new one into their place
    // (`whole::write`), never written into or cut, so an open one stays as its checksum was found to be.
    #[allow(unsafe_code)]
    unsafe { Mmap::map(&file) }.map_err(|e| e.to_string())
}
