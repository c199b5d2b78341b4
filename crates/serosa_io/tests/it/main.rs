//! The tests of this crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod baked;
mod collide;
mod factor;
mod fill;
mod filled;
mod memory;
mod organ;
mod quadratic;
mod recording;
mod scene;
mod surface;
mod volume;
mod vrml;

use std::path::{Path, PathBuf};

/// All files below some folders of the data beside the project, sorted; where there are none, says so.
#[allow(clippy::print_stdout)]
fn files_below(folders: &[&str]) -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut folders: Vec<PathBuf> = folders.iter().map(|name| data.join(name)).collect();
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        println!("skipped: there is no {} beside the project", missing.display());
        return Vec::new();
    }
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
