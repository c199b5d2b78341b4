//! Tells bakes of one state of the code from those of another: a hash of all sources that a bake depends on.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let sources = ["../serosa_geometry/src", "../serosa_sim/src", "src"];
    let mut files = vec![PathBuf::from("../../Cargo.lock")];
    sources.iter().for_each(|folder| collect(Path::new(folder), &mut files));
    files.sort();
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    for file in &files {
        let name = file.to_string_lossy().into_owned().into_bytes();
        for byte in name.into_iter().chain(fs::read(file).unwrap_or_default()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    sources.iter().chain(&["../../Cargo.lock"]).for_each(|path| println!("cargo::rerun-if-changed={path}"));
    println!("cargo::rustc-env=SEROSA_BAKE_ID={hash:016x}");
}

/// All files of a folder and of those in it. A folder that is not there has none.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
