//! Bakes that are kept in the user's cache, so that a scene that is costly to bake is baked once.
//!
//! A bake is kept where it took longer than [`COSTLY`], under the hash of all it was made from. Entries that are damaged
//! are said and baked anew; a cache that cannot be written is said, and done without. The folder is kept below
//! [`KEPT_MAX`]: what was not used for longest goes first. It may be removed at any time.

use crate::command::run::bar;
use crate::{mapped, whole};
use serosa_io::baked::{self, BakeFile};
use serosa_io::scene::{self, Draft, FileReader, Loaded, Problem, UsedFile};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Bakes that take longer are kept.
pub const COSTLY: Duration = Duration::from_millis(200);
/// The most that all kept bakes may take \[bytes\].
pub const KEPT_MAX: u64 = 4 << 30;

/// Where bakes are kept, and which.
#[derive(Clone, Debug)]
pub struct Cache {
    /// None where the user has no such folder.
    pub folder: Option<PathBuf>,
    /// Bakes that take longer are kept.
    pub costly: Duration,
    /// The most that all of them may take \[bytes\].
    pub most: u64,
}

impl Cache {
    /// The user's: `serosa` in `$XDG_CACHE_HOME`, else in `~/.cache`, or in `%LOCALAPPDATA%`.
    pub fn of_user() -> Self {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let home = || folder("HOME").map(|home| home.join(".cache"));
        let base = folder("XDG_CACHE_HOME").or_else(home).or_else(|| folder("LOCALAPPDATA"));
        Self { folder: base.map(|base| base.join("serosa")), costly: COSTLY, most: KEPT_MAX }
    }

    /// Reads a scene and has it baked, now or before; or says all that is wrong with it. What is worth knowing of the
    /// cache goes to `say`.
    pub fn load(
        &self,
        text: &str,
        read_file: FileReader,
        say: &mut dyn FnMut(String),
    ) -> Result<Loaded, Vec<Problem>> {
        if let Some(loaded) = self.recall(text, read_file) {
            return Ok(loaded);
        }
        let start = Instant::now();
        let draft = scene::read(text, read_file)?;
        // Files are read again with a kept bake, organs are not made again.
        let start = if draft.organs.is_empty() { Instant::now() } else { start };
        self.bake(draft, text, start, say)
    }

    /// A kept bake of a scene with organs, which are in it: to read the scene first would be to make them again. None
    /// where there is no such bake, or it cannot be used.
    fn recall(&self, text: &str, read_file: FileReader) -> Option<Loaded> {
        let folder = self.folder.as_ref().filter(|folder| folder.exists())?;
        let files = scene::files_beside_organs(text, read_file)?;
        let path = folder.join(entry(baked::key(text, &files)));
        found(&path, text, &files).ok()?.load().ok()
    }

    /// The same of a scene that was read; what is worth keeping took its time from `start` on.
    fn bake(
        &self,
        draft: Draft,
        text: &str,
        start: Instant,
        say: &mut dyn FnMut(String),
    ) -> Result<Loaded, Vec<Problem>> {
        let path = self.folder.as_ref().map(|f| f.join(entry(baked::key(text, &draft.files))));
        if let Some(path) = path.as_deref().filter(|path| path.exists()) {
            match found(path, text, &draft.files) {
                Ok(bake) => return Ok(draft.with(bake.baked)),
                Err(why) => say(format!("note: {} cannot be used and is baked anew: {why}", path.display())),
            }
        }
        let loaded = bake_with_bar(draft, text)?;
        let took = start.elapsed();
        if let Some(path) = path.filter(|_| took > self.costly)
            && let Err(why) = self.keep(&path, text, &loaded)
        {
            say(format!(
                "note: baked in {:.1} s, and again next time, as {} cannot be written: {why}\n  help: set \
                 XDG_CACHE_HOME to a folder that can be, or keep the bake with `serosa bake SCENE -o FILE`",
                took.as_secs_f64(),
                path.display()
            ));
        }
        Ok(loaded)
    }

    fn keep(&self, path: &Path, text: &str, loaded: &Loaded) -> Result<(), String> {
        let bytes = baked::write(text, loaded).map_err(|e| e.to_string())?;
        if bytes.len() as u64 > self.most {
            return Err(format!("it has {} MB, more than the cache may hold", bytes.len() >> 20));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        whole::write(path, &bytes).map_err(|e| e.to_string())?;
        self.prune(folder);
        Ok(())
    }

    /// Removes what was not used for longest, until the rest is small enough.
    fn prune(&self, folder: &Path) {
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|e| e.path().extension().is_some_and(|x| x == "bake"))
            .filter_map(|e| e.metadata().ok().and_then(|m| Some((m.modified().ok()?, m.len(), e.path()))))
            .collect();
        kept.sort_by(|a, b| b.cmp(a));
        let mut sum = 0;
        for (_, bytes, path) in kept {
            sum += bytes;
            if sum > self.most {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// The file of a bake.
fn entry(key: u64) -> String {
    format!("{key:016x}.bake")
}

/// A kept bake, if it is sound and of just this scene.
fn found(path: &Path, text: &str, files: &[UsedFile]) -> Result<BakeFile, String> {
    let bake = mapped::read_bake(path)?;
    if !bake.is_of(text, files) {
        return Err("it is the bake of another scene".into());
    }
    // It was used just now; where that cannot be noted it only goes earlier.
    let _ = File::options().append(true).open(path).and_then(|f| f.set_modified(SystemTime::now()));
    Ok(bake)
}

/// Bakes with a progress bar on a terminal, which shows once it takes long.
pub fn bake_with_bar(draft: Draft, text: &str) -> Result<Loaded, Vec<Problem>> {
    let title = if draft.raw.title.is_empty() { "scene" } else { &draft.raw.title };
    let bar = bar(0, format!("baking {title}"), "parts");
    let loaded = draft.bake(text, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    loaded
}
