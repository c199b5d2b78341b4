//! Files that are there as a whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Parts of files older than this were left by a process that was killed while it wrote.
const STALE: Duration = Duration::from_secs(600);
/// How names of parts end.
const PART: &str = ".part";

/// Writes a file beside its place and moves it there once it is whole. If anything fails nothing is left, and what was
/// there before stays; a process that is killed meanwhile may leave a hidden `.NAME.N.part`, which the next one removes.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    // The folder of a bare name is this one.
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sweep(folder, name);
    let part = Part(folder.join(part_name(name)));
    let mut file = File::create_new(&part.0)?;
    file.write_all(bytes)?;
    // Otherwise a power cut could leave the new name with nothing behind it.
    file.sync_all()?;
    fs::rename(&part.0, path)
}

/// `.NAME.PID.part`: two processes that write the same file do not meet.
fn part_name(name: &OsStr) -> OsString {
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}{PART}", std::process::id()));
    part
}

/// Removes old parts of a file.
fn sweep(folder: &Path, name: &OsStr) {
    let start = format!(".{}.", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok());
        if found.starts_with(&start) && found.ends_with(PART) && age.is_some_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that is removed unless it was moved away.
struct Part(PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn names(folder: &Path) -> Vec<String> {
        let mut all: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        all.sort();
        all
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_old_parts_go() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at(".a.bake.1.part"), "left").unwrap();
        let old = SystemTime::now() - 2 * STALE;
        File::options().write(true).open(at(".a.bake.1.part")).unwrap().set_modified(old).unwrap();
        fs::write(at(".a.bake.2.part"), "being written").unwrap();
        write(&at("a.bake"), b"one").unwrap();
        write(&at("a.bake"), b"two").unwrap();
        assert_eq!(fs::read(at("a.bake")).unwrap(), b"two");
        assert_eq!(names(folder.path()), [".a.bake.2.part", "a.bake"]);
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), "").unwrap();
        assert!(write(&taken, b"bytes").is_err(), "a folder is in the way");
        assert_eq!(names(folder.path()), ["taken"]);
        assert!(write(&folder.path().join("none/a.bake"), b"bytes").is_err());
    }
}
