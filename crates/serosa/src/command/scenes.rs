//! `serosa scenes`: what is built in.

use crate::cli::ScenesArgs;
use crate::scenes::BUILT_IN;
use crate::{Console, Failure, diagnostics};
use serosa_io::scene::headline;

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
        let problems = |p: Vec<_>| Failure::BadInput(diagnostics::render(scene.name, scene.text, &p));
        let said = headline(scene.text).map_err(problems)?;
        console.say(format!("{:<16} {}", scene.name, said.title));
        console.say(format!("{:<16} {}", "", said.about));
    }
    Ok(())
}
