//! `cargo xtask shots`: a picture of every scene and of the page, for README and gallery.

use crate::{browser, shell};

/// Where the pictures go; the program embeds those of the scenes.
const FOLDER: &str = "docs/pictures";

/// Builds the program, opens every built-in scene in a browser and writes what is seen.
pub fn run(arguments: &[String]) -> Result<(), String> {
    if let [first, ..] = arguments {
        return Err(format!("`{first}` is not expected; run `cargo xtask shots` alone"));
    }
    // The gallery shows the pictures that the program embeds, so it is built again in between.
    for what in ["scenes", "page"] {
        build()?;
        let mut command = browser::script(&["viewer/tests/shots.mjs", FOLDER, what])?;
        let status = command.status().map_err(|error| shell::cannot_start("node", &error))?;
        if !status.success() {
            return Err("the pictures are not complete; mend what the script says above".to_owned());
        }
    }
    println!("Look at each picture in {FOLDER}/ before committing; the next build embeds them.");
    Ok(())
}

fn build() -> Result<(), String> {
    let arguments = ["build", "--release", "--locked", "--package", "serosa"];
    shell::pass_through("cargo", &arguments, "mend the compile errors above")
}
