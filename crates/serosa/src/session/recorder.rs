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

/// Writes a run to a file as it goes, flushed once a simulated second.
pub struct Recorder {
    writer: Writer<BufWriter<File>>,
    path: PathBuf,
}

impl Recorder {
    /// Begins a recording. A file of that name is kept beside it as `NAME.old`, never overwritten in place.
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
        keep_old(path).map_err(|e| bad(e.to_string()))?;
        let file = File::create(path).map_err(|e| bad(e.to_string()))?;
        let files: Vec<(String, Vec<u8>)> =
            loaded.files.iter().map(|f| (f.path.clone(), f.bytes.clone())).collect();
        let source = SceneSource {
            name: &scene.name,
            text: &scene.text,
            hash: fingerprint::of_bytes(scene.text.as_bytes()),
            bake_hash: fingerprint::of_bake(&loaded.baked),
        };
        let header = Header::new(world, source, seed);
        let writer =
            Writer::create(BufWriter::new(file), &header, &files, world).map_err(|e| bad(e.to_string()))?;
        Ok(Self { writer, path: path.to_owned() })
    }

    /// Records the tick that was just taken.
    pub fn tick(&mut self, input: &Input, world: &World) -> Result<(), RecordError> {
        self.writer.tick(input, world, world.state.hash())
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

fn keep_old(path: &Path) -> std::io::Result<()> {
    if path.is_file() {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        fs::rename(path, old)?;
    }
    Ok(())
}
