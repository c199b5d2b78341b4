//! `serosa scenes`: what is built in.

use crate::cli::ScenesArgs;
use crate::scenes::{BUILT_IN, find};
use crate::{Console, Failure};

/// Lists the built-in scenes with a line on each; with a name, prints that scene's file.
pub fn list(args: &ScenesArgs, console: &mut Console) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        let Some(scene) = BUILT_IN.iter().find(|s| s.name == name) else {
            let names: Vec<&str> = BUILT_IN.iter().map(|s| s.name).collect();
            return Err(Failure::input(format!(
                "error: there is no built-in scene called \"{name}\"\n  help: there are: {}",
                names.join(", ")
            )));
        };
        console.say(scene.text.trim_end());
        return Ok(());
    }
    for scene in BUILT_IN {
        let loaded = crate::scenes::load(&find(scene.name)?)?;
        console.say(format!("{:<16} {}", scene.name, loaded.raw.title));
        console.say(format!("{:<16} {}", "", loaded.raw.about));
    }
    Ok(())
}
