//! The recorder: every input and hash to a file, never skipping.

use crate::Failure;
use crate::scenes::SceneText;
use serosa_io::fingerprint;
use serosa_io::recording::{Header, RecordError, SceneSource, Writer};
use serosa_io::scene::Loaded;
use serosa_sim::{Input, World};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Writes a run to a file as it goes, flushed once a second of simulated time, and of the clock's.
pub struct Recorder {
    writer: Writer<BufWriter<File>>,
    path: PathBuf,
    /// Where an older recording of that name was moved.
    pub moved: Option<PathBuf>,
    flushed: Instant,
}

impl Recorder {
    /// Begins a recording. A file of that name is moved to `NAME.old`, or `NAME.old.2` and so on: nothing is
    /// overwritten.
    pub fn begin(
        path: &Path,
        scene: &SceneText,
        loaded: &Loaded,
        world: &World,
        seed: u64,
    ) -> Result<Self, Failure> {
        let bad = |reason: String| {
            let path = path.display();
            Failure::input(format!(
                "error: {path} cannot be recorded to: {reason}\n  help: choose another file with --record"
            ))
        };
        let moved = move_old(path).map_err(|e| bad(e.to_string()))?;
        let file = File::create(path).map_err(|e| bad(e.to_string()))?;
        let files: Vec<(String, Vec<u8>)> =
            loaded.files.iter().map(|f| (f.path.clone(), f.bytes.clone())).collect();
        let source = SceneSource {
            name: &scene.name,
            text: &scene.text,
            hash: fingerprint::of_scene(&scene.text, &loaded.files),
            bake_hash: fingerprint::of_bake(&loaded.baked),
        };
        let header = Header::new(world, source, seed);
        let writer =
            Writer::create(BufWriter::new(file), &header, &files, world).map_err(|e| bad(e.to_string()))?;
        Ok(Self { writer, path: path.to_owned(), moved, flushed: Instant::now() })
    }

    /// Records the tick that was just taken.
    pub fn tick(&mut self, input: &Input, world: &World) -> Result<(), RecordError> {
        self.writer.tick(input, world, world.state.hash())?;
        if self.flushed.elapsed() >= Duration::from_secs(1) {
            self.flushed = Instant::now();
            self.writer.flush_now()?;
        }
        Ok(())
    }

    /// Ends the recording; returns its path and size \[bytes\].
    pub fn finish(self) -> Result<(PathBuf, u64), RecordError> {
        self.writer.finish()?;
        let size = fs::metadata(&self.path).map_or(0, |m| m.len());
        Ok((self.path, size))
    }

    /// Where it is being written.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Moves a file out of the way, to the first free name.
fn move_old(path: &Path) -> std::io::Result<Option<PathBuf>> {
    if !path.is_file() {
        return Ok(None);
    }
    let name = |i: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if i == 1 { ".old".to_owned() } else { format!(".old.{i}") });
        PathBuf::from(name)
    };
    let free = (1..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(1));
    fs::rename(path, &free)?;
    Ok(Some(free))
}
