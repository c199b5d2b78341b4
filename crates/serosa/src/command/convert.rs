//! `serosa convert`: a mesh file in another format, and what was lost on the way.

use crate::cli::ConvertArgs;
use crate::scenes::{MESH_MAX, read_bounded};
use crate::{Console, Failure};
use serosa_io::mesh::{FORMATS, Format, format_of};
use std::fs;
use std::io::Write;
use std::path::Path;

/// The formats, for the help: what they are, and which can be written.
pub fn formats() -> String {
    let mut text = String::from("Formats (* can be written too):");
    for format in FORMATS {
        let star = if format.export.is_some() { "*" } else { " " };
        text.push_str(&format!("\n  {:<6}{star} {}", format.name, format.about));
    }
    text
}

/// Reads one mesh file and writes another; what is left out is told beside the result.
pub fn convert(args: &ConvertArgs, console: &mut Console) -> Result<(), Failure> {
    let (from, to) = (args.input.display(), args.output.display());
    if args.output.exists() && !args.force {
        return Err(failure(&format!("{to} is there already"), "give --force to overwrite it"));
    }
    let target = target(args)?;
    let Some(export) = target.export else {
        let names: Vec<&str> = FORMATS.iter().filter(|f| f.export.is_some()).map(|f| f.name).collect();
        let help = format!("these can: {}", names.join(", "));
        return Err(failure(&format!("{} cannot be written", target.about), &help));
    };
    let bytes = read_bounded(&args.input, MESH_MAX)
        .map_err(|reason| failure(&format!("{from} cannot be read: {reason}"), "give a mesh file"))?;
    let source = match &args.from {
        Some(name) => named(name)?,
        None => format_of(&bytes, &args.input.to_string_lossy()).ok_or_else(|| {
            let help = format!("name its format with --from: {}", names());
            failure(&format!("neither the bytes nor the ending of {from} tell its format"), &help)
        })?,
    };
    let scene = (source.import)(&bytes, &mut |name| beside(&args.input, name))
        .map_err(|error| failure(&format!("{from}, read as {}: {error}", source.name), &error.help))?;
    let written = export(&scene).map_err(|reason| {
        failure(&format!("{to} cannot be written as {}: {reason}", target.name), "choose another format")
    })?;
    save(&args.output, &written.bytes, args.force)
        .map_err(|reason| failure(&format!("{to} cannot be written: {reason}"), "choose another place"))?;
    for remark in scene.remarks.iter().chain(&written.remarks) {
        console.note(format!("note: {remark}"));
    }
    let count = |of: fn(&serosa_bake::raw::Part) -> usize| scene.parts.iter().map(of).sum::<usize>();
    console.say(format!(
        "{to}: {} parts, {} points, {} lines, {} triangles, {} tetrahedra",
        scene.parts.len(),
        count(|p| p.points.len()),
        count(|p| p.lines.len()),
        count(|p| p.triangles.len()),
        count(|p| p.tets.len())
    ));
    Ok(())
}

fn failure(message: &str, help: &str) -> Failure {
    Failure::input(format!("error: {message}\n  help: {help}"))
}

fn names() -> String {
    let names: Vec<&str> = FORMATS.iter().map(|f| f.name).collect();
    names.join(", ")
}

fn named(name: &str) -> Result<&'static Format, Failure> {
    let found = FORMATS.iter().find(|f| f.name == name);
    found
        .ok_or_else(|| failure(&format!("there is no format \"{name}\""), &format!("there are: {}", names())))
}

/// The format to write: nothing is there yet whose bytes could tell.
fn target(args: &ConvertArgs) -> Result<&'static Format, Failure> {
    match &args.to {
        Some(name) => named(name),
        None => format_of(&[], &args.output.to_string_lossy()).ok_or_else(|| {
            let help = format!("name its format with --to: {}", names());
            failure(&format!("the ending of {} tells no format", args.output.display()), &help)
        }),
    }
}

/// A file that the mesh file names, or that differs from it only in its ending.
fn beside(input: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = match name.strip_prefix('.') {
        Some(ending) if !ending.contains(['.', '/', '\\']) => input.with_extension(ending),
        _ => input.parent().unwrap_or(Path::new("")).join(name),
    };
    read_bounded(&path, MESH_MAX)
}

/// Writes a file whole or not at all: a full disk must not leave half a mesh where a good one was.
fn save(path: &Path, bytes: &[u8], force: bool) -> Result<(), String> {
    let name = path.file_name().ok_or("it has no file name")?;
    let mut draft = name.to_os_string();
    draft.push(format!(".{}.part", std::process::id()));
    let draft = path.with_file_name(draft);
    let written = fs::File::create_new(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| match path.exists() && !force {
        true => Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists)),
        false => fs::rename(&draft, path),
    });
    moved.map_err(|error| {
        let _ = fs::remove_file(&draft);
        error.to_string()
    })
}
