//! Built-in scenes, and how a SCENE argument becomes a loaded scene.

use crate::cache::Cache;
use crate::{Console, Failure, diagnostics, mapped};
use serosa_io::baked::{BakeFile, MAGIC};
use serosa_io::scene::{self, Loaded, Problem, SCENE_MAX};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene that is part of the program: its name and its file.
#[derive(Debug)]
pub struct BuiltIn {
    /// As given on the command line.
    pub name: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// All built-in scenes in the order of the gallery: the same files that tests and benchmarks use.
        pub const BUILT_IN: &[BuiltIn] =
            &[$(BuiltIn { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),*];
    };
}

built_in![
    "liver-press",
    "gallbladder-lift",
    "abdomen",
    "intestine",
    "colon-access",
    "intestine-8x400",
    "intestine-2003",
    "coil",
    "membrane-poke",
    "net-on-sphere",
    "cloth-fold",
    "rope-drop",
    "drape",
    "squeeze",
    "twist",
    "kidney-press",
    "instrument-press",
    "mesh-drape",
    "organ-pile",
    "beam-bend",
    "beam-twist",
    "liver-hang",
    "tumour",
    "cable-pulley",
    "cable-cylinder",
    "strain-limit",
    "suture-thread",
    "edge-on-seam",
    "tube-connector",
    "tube-sag",
    "cable-spring",
    "plate-block",
    "bem-contact",
];

/// A scene as given: its name and text.
#[derive(Clone, Debug)]
pub struct SceneText {
    /// The name or path given.
    pub name: String,
    /// TOML.
    pub text: String,
    /// The bake file that it was given as.
    pub bake: Option<Arc<BakeFile>>,
}

impl SceneText {
    /// A scene given as text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), bake: None }
    }

    /// Where its mesh files are looked for: beside the scene file.
    pub fn folder(&self) -> PathBuf {
        Path::new(&self.name).parent().unwrap_or(Path::new("")).to_owned()
    }
}

/// Finds a SCENE: a built-in one by its name, otherwise a scene file or a bake file.
pub fn find(scene: &str) -> Result<SceneText, Failure> {
    if let Some(built_in) = BUILT_IN.iter().find(|s| s.name == scene) {
        return Ok(SceneText::new(scene, built_in.text));
    }
    if starts_with(Path::new(scene), MAGIC) == Some(true) {
        return find_bake(scene);
    }
    let bytes = read_bounded(Path::new(scene), SCENE_MAX as u64).map_err(|reason| {
        let names: Vec<&str> = BUILT_IN.iter().map(|s| s.name).collect();
        Failure::input(format!(
            "error: the scene \"{scene}\" cannot be read: {reason}\n  \
             help: give a scene file, or one of the built-in scenes: {}",
            names.join(", ")
        ))
    })?;
    if bytes.starts_with(MCAP_MAGIC) {
        return Err(Failure::input(format!(
            "error: {scene} is a recording, not a scene\n  help: `serosa replay {scene}` re-simulates it"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::input(format!(
            "error: {scene} is not a text file: byte {at} is not UTF-8\n  help: save the scene as UTF-8 text"
        ))
    })?;
    Ok(SceneText::new(scene, text))
}

fn find_bake(path: &str) -> Result<SceneText, Failure> {
    let bake = mapped::read_bake(Path::new(path))
        .map_err(|reason| Failure::input(format!("error: the bake {path} cannot be used: {reason}")))?;
    Ok(SceneText { name: path.to_owned(), text: bake.text.clone(), bake: Some(Arc::new(bake)) })
}

/// Whether a file begins with these bytes; none where there is none.
pub fn starts_with(path: &Path, magic: &[u8]) -> Option<bool> {
    let mut first = vec![0; magic.len()];
    let mut file = File::open(path).ok()?;
    Some(file.read_exact(&mut first).is_ok() && first == magic)
}

/// Reads and bakes a scene; mesh files are looked for beside the scene file.
pub fn load_or_problems(scene: &SceneText) -> Result<Loaded, Vec<Problem>> {
    match &scene.bake {
        Some(bake) => bake.load(),
        None => scene::load(&scene.text, &reader(&scene.folder())),
    }
}

/// Reads mesh files of a folder.
pub fn reader(folder: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> {
    |path| read_bounded(&folder.join(path), MESH_MAX)
}

/// The same, with the problems written out.
pub fn load(scene: &SceneText) -> Result<Loaded, Failure> {
    load_or_problems(scene).map_err(|problems| written_out(scene, &problems))
}

/// The same; what is costly to bake is taken from the user's cache, or kept there.
pub fn load_kept(scene: &SceneText, console: &mut Console) -> Result<Loaded, Failure> {
    if scene.bake.is_some() {
        return load(scene);
    }
    let say = &mut |note| console.note(note);
    let loaded = Cache::of_user().load(&scene.text, &reader(&scene.folder()), say);
    loaded.map_err(|problems| written_out(scene, &problems))
}

fn written_out(scene: &SceneText, problems: &[Problem]) -> Failure {
    Failure::BadInput(diagnostics::render(&scene.name, &scene.text, problems))
}

/// The first bytes of every MCAP file.
pub const MCAP_MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// The largest mesh file that is read \[bytes\].
pub const MESH_MAX: u64 = 1 << 30;

/// A file's bytes, or why not; never more than `most`.
pub fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let meta = fs::metadata(path).map_err(|e| e.to_string())?;
    if !meta.is_file() {
        return Err("it is not a file".to_owned());
    }
    if meta.len() > most {
        return Err(format!("it has {} MB, more than {} MB", meta.len() >> 20, most >> 20));
    }
    fs::read(path).map_err(|e| e.to_string())
}
