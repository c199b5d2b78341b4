//! `serosa bake`: precomputes all that a scene fixes, into a file.

use crate::cli::BakeArgs;
use crate::{Console, Failure, cache, diagnostics, scenes, whole};
use serde_json::json;
use serosa_bake::Baked;
use serosa_io::baked::{self, MAGIC};
use serosa_io::{fingerprint, modes, scene};
use std::path::Path;
use std::time::Instant;

/// Bakes a scene and writes the file, whole or not at all.
pub fn bake(args: &BakeArgs, console: &mut Console) -> Result<(), Failure> {
    let scene = scenes::find(&args.scene)?;
    let path = &args.output;
    let refuse = |reason: &str, help: &str| unwritten(path, reason, help);
    if let Some(other) = args.inventor.as_ref().filter(|other| other.exists() && !args.force) {
        let help = "choose another file, or write --force to replace it";
        return Err(unwritten(other, "there is a file of that name", help));
    }
    if scenes::starts_with(path, MAGIC) == Some(false) && !args.force {
        let help = "choose another file, or write --force to replace it";
        return Err(refuse("there is a file of that name that is no bake", help));
    }
    let problems = |p: Vec<_>| Failure::BadInput(diagnostics::render(&scene.name, &scene.text, &p));
    let start = Instant::now();
    let folder = scene.folder();
    let draft = match &scene.bake {
        Some(bake) => scene::read(&scene.text, &bake.reader()),
        None => scene::read(&scene.text, &scenes::reader(&folder)),
    };
    let loaded = draft.and_then(|draft| cache::bake_with_bar(draft, &scene.text)).map_err(problems)?;
    let took = start.elapsed().as_secs_f64();
    if let Some(path) = &args.inventor {
        exchange(path, &loaded.baked, console)?;
    }
    let bytes = baked::write(&scene.text, &loaded).map_err(|e| refuse(&e.to_string(), "report this"))?;
    whole::write(path, &bytes)
        .map_err(|e| refuse(&e.to_string(), "choose another file with -o, or make room on the disk"))?;
    let hash = format!("{:016x}", fingerprint::of_bake(&loaded.baked));
    let notes = &loaded.baked.notes;
    if args.json {
        console.say(json!({
            "scene": scene.name, "file": path.display().to_string(), "bytes": bytes.len(), "bake_s": took,
            "bake_hash": hash, "vertices": loaded.baked.model.rest.len(), "notes": notes,
        }));
        return Ok(());
    }
    notes.iter().for_each(|note| console.note(format!("note: {note}")));
    console.say(format!(
        "{}: baked in {took:.2} s to {} ({:.1} MB), bake {hash}",
        scene.name,
        path.display(),
        bytes.len() as f64 / 1e6
    ));
    console.say(format!("  `serosa run {}` runs it without baking", path.display()));
    Ok(())
}

/// Writes the shapes of flexible bodies for other programs.
fn exchange(path: &Path, baked: &Baked, console: &mut Console) -> Result<(), Failure> {
    let written = modes::inventor(&baked.model);
    let written =
        written.map_err(|e| unwritten(path, &e, "leave --inventor out, or write model.flexible"))?;
    whole::write(path, &written.bytes)
        .map_err(|e| unwritten(path, &e.to_string(), "choose another file with --inventor"))?;
    written.remarks.iter().for_each(|remark| console.note(format!("note: {remark}")));
    Ok(())
}

fn unwritten(path: &Path, reason: &str, help: &str) -> Failure {
    Failure::input(format!("error: {} cannot be written: {reason}\n  help: {help}", path.display()))
}
