//! Files of tetrahedra and surfaces: every dialect of every format, the shared data, and damage.

mod damage;
mod data;
mod dialects;
mod samples;
mod vtu;

use serosa_bake::RawScene;
use serosa_io::mesh::{FORMATS, ImportError};

/// Reads a file by the name of its format; `files` lie beside it.
fn import(format: &str, bytes: &[u8], files: &[(&str, &[u8])]) -> Result<RawScene, ImportError> {
    let format = FORMATS.iter().find(|f| f.name == format).expect("a known format");
    let mut resolve = |name: &str| {
        let found = files.iter().find(|(other, _)| *other == name);
        found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| format!("there is no {name}"))
    };
    (format.import)(bytes, &mut resolve)
}

/// Reads a file that stands alone.
fn open(format: &str, bytes: &[u8]) -> RawScene {
    import(format, bytes, &[]).unwrap_or_else(|error| panic!("{format}: {error}"))
}

/// Why a file is refused.
fn refusal(format: &str, bytes: &[u8]) -> String {
    match import(format, bytes, &[]) {
        Ok(scene) => panic!("{format} was read: {:?}", scene.parts),
        Err(error) => {
            assert!(!error.help.is_empty());
            error.to_string()
        }
    }
}
