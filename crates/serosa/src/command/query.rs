//! `serosa query`: what files hold, and what the program knows.

mod depth;
mod distance;
mod pairs;
mod shape;

pub use depth::depth;
pub use distance::{distance, inside};
pub use pairs::pairs;
pub use shape::Shape;

use crate::cli::InfoArgs;
use crate::inspect::{self, Patience};
use crate::scenes::{MESH_MAX, read_bounded};
use crate::{Console, Failure, diagnostics};
use serosa_io::mesh::FORMATS;
use std::path::Path;

/// Says what a mesh file holds and what is wrong with it.
pub fn info(args: &InfoArgs, console: &mut Console) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let bytes = bytes_of(&args.file)?;
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let patience = Patience::new("looking at the mesh");
    let mut progress = |part| {
        patience.tell(part);
        true
    };
    let found = inspect::inspect(&name, &bytes, &mut |file| beside(folder, file), &mut progress);
    drop(patience);
    let found = found.map_err(|e| Failure::BadInput(diagnostics::render_import(&name, &bytes, &e)))?;
    match args.json {
        true => console.say(inspect::as_json(&found)),
        false => inspect::say(&found, console),
    }
    Ok(())
}

/// The bytes of a mesh file.
fn bytes_of(file: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(file, MESH_MAX).map_err(|reason| {
        let name = file.display();
        Failure::input(format!(
            "error: {name} cannot be read: {reason}\n  help: give the path of a mesh file"
        ))
    })
}

/// A file that a mesh file names: beside it, or in a folder beside it.
fn beside(folder: &Path, file: &str) -> Result<Vec<u8>, String> {
    match Path::new(file).is_relative() {
        true => read_bounded(&folder.join(file), MESH_MAX),
        false => Err("only files beside the mesh are read".to_owned()),
    }
}

/// Prints the page about formats.
pub fn formats(console: &mut Console) {
    console.say(formats_page().trim_end());
}

/// `docs/formats.md`: every format, what is read and written, and what is kept.
pub fn formats_page() -> String {
    let mut page = String::from(
        "# Mesh formats\n\nMade by `serosa query formats` from the table in `crates/serosa_io/src/mesh/mod.rs`; a test \
         says whether it is fresh.\nA file is known by how it begins, else by its ending.\n\n\
         | format | name | endings | read | written | keeps |\n|---|---|---|---|---|---|\n",
    );
    for f in FORMATS {
        let endings: Vec<String> = f.extensions.iter().map(|e| format!("`.{e}`")).collect();
        let written = if f.export.is_some() { "yes" } else { "no" };
        page.push_str(&format!(
            "| {} | `{}` | {} | yes | {written} | {} |\n",
            f.about,
            f.name,
            endings.join(" "),
            f.keeps
        ));
    }
    page.push_str(
        "\nNumbers stay in the file's own unit and points in its own order; nothing is repaired or turned.\n\
         `serosa query info FILE` says what a file holds, in which unit it probably is, and what is wrong with it.\n",
    );
    page
}
