//! `serosa check`: all that is wrong with a scene, or what it holds.

use crate::cli::CheckArgs;
use crate::scenes::{self, SceneText};
use crate::{Console, Failure, diagnostics};
use serde_json::json;
use serosa_io::scene::{Loaded, Problem};

/// Reads a scene and says all that is wrong with it, or what is in it.
pub fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let scene = scenes::find(&args.scene)?;
    match scenes::load_or_problems(&scene) {
        Ok(loaded) if args.json => console.say(json!({
            "scene": scene.name, "ok": true, "problems": [], "notes": loaded.baked.notes,
        })),
        Ok(loaded) => describe(&scene, &loaded, console),
        Err(problems) if args.json => {
            console.say(json!({
                "scene": scene.name, "ok": false, "notes": [],
                "problems": problems.iter().map(|p| as_json(p, &scene.text)).collect::<Vec<_>>(),
            }));
            let count = problems.len();
            return Err(Failure::BadInput(format!("{count} mistakes in {}", scene.name)));
        }
        Err(problems) => {
            return Err(Failure::BadInput(diagnostics::render(&scene.name, &scene.text, &problems)));
        }
    }
    Ok(())
}

fn as_json(problem: &Problem, text: &str) -> serde_json::Value {
    let (line, column) = problem.line_column(text);
    json!({ "line": line, "column": column, "message": problem.message, "help": problem.help })
}

fn describe(scene: &SceneText, loaded: &Loaded, console: &mut Console) {
    let (model, params) = (&loaded.baked.model, &loaded.baked.params);
    console.say(format!("{}: {}", scene.name, loaded.raw.title));
    console.say(format!(
        "  {} bodies, {} tools, {} vertices, {} springs, {} tetrahedra, {} collision primitives",
        model.bodies.len() - model.tools.len(),
        model.tools.len(),
        model.rest.len(),
        model.springs.len(),
        model.tets.len(),
        model.prims.len()
    ));
    console.say(format!(
        "  step {} ms in {} part(s), {} sweeps",
        params.dt_s * 1e3,
        params.substeps,
        params.sweeps
    ));
    for note in &loaded.baked.notes {
        console.say(format!("  note: {note}"));
    }
    console.say("  nothing wrong found");
}
