//! Bundles the page with Node.js and lists its files, and the pictures of the scenes, for embedding.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_PAGE").is_none() {
        return;
    }
    let viewer = root.join("viewer");
    for watched in ["src", "build.mjs", "package.json", "package-lock.json"] {
        println!("cargo::rerun-if-changed={}", viewer.join(watched).display());
    }
    let pictures = root.join("docs/pictures");
    println!("cargo::rerun-if-changed={}", root.join("docs").display());
    let bundle = out.join("page");
    if let Err(why) = build(&viewer, &bundle).and_then(|()| list(&bundle, &pictures, &out)) {
        println!("cargo::error=the page could not be built: {why}");
        println!(
            "cargo::error=install Node.js 20 or newer with npm, or build without the page: \
             cargo build --release --no-default-features"
        );
    }
}

/// Installs what the lock file names, if it is not there yet, and bundles.
fn build(viewer: &Path, bundle: &Path) -> Result<(), String> {
    let lock = viewer.join("package-lock.json");
    let installed = viewer.join("node_modules/.package-lock.json");
    let age = |p: &Path| fs::metadata(p).and_then(|m| m.modified()).ok();
    if age(&installed).is_none() || age(&installed) < age(&lock) {
        run(npm().args(["ci", "--no-audit", "--no-fund"]).current_dir(viewer))?;
    }
    let _ = fs::remove_dir_all(bundle);
    fs::create_dir_all(bundle).map_err(|e| e.to_string())?;
    run(Command::new("node").arg("build.mjs").arg(bundle).current_dir(viewer))
}

fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

fn run(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|e| format!("{shown}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
    Err(format!("{shown} failed: {said}"))
}

/// Writes the table of embedded files: path, media type, bytes.
fn list(bundle: &Path, pictures: &Path, out: &Path) -> Result<(), String> {
    let mut rows = String::new();
    for (folder, prefix) in [(bundle, "/"), (pictures, "/pictures/")] {
        for path in files(folder).map_err(|e| e.to_string())? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let kind = match path.extension().and_then(|e| e.to_str()) {
                Some("html") => "text/html; charset=utf-8",
                Some("js") => "text/javascript; charset=utf-8",
                Some("css") => "text/css; charset=utf-8",
                Some("jpg") => "image/jpeg",
                Some("png") => "image/png",
                Some("svg") => "image/svg+xml",
                _ => continue,
            };
            let full = path.canonicalize().map_err(|e| e.to_string())?;
            rows.push_str(&format!(
                "({:?}, {kind:?}, include_bytes!({:?})),\n",
                format!("{prefix}{name}"),
                full
            ));
        }
    }
    fs::write(out.join("page.rs"), format!("&[\n{rows}]")).map_err(|e| e.to_string())
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut all: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(|e| e.ok().map(|e| e.path())).collect();
    all.sort();
    Ok(all)
}
