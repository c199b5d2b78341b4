//! Small files with known answers, bad files, and files that chance has spoiled.

mod bad;
mod known;
mod spoiled;
mod written;

use super::{Fault, import};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;

fn read(text: &str) -> Result<RawScene, Fault> {
    import(text.as_bytes(), &mut |name| Err(format!("no file {name}")))
}

fn read_with(text: &str, files: &[(&str, &str)]) -> Result<RawScene, Fault> {
    import(text.as_bytes(), &mut |name| match files.iter().find(|(n, _)| *n == name) {
        Some((_, text)) => Ok(text.as_bytes().to_vec()),
        None => Err("not there".to_owned()),
    })
}

fn new(body: &str) -> RawScene {
    read(&format!("#VRML V2.0 utf8\n{body}")).unwrap()
}

fn old(body: &str) -> RawScene {
    read(&format!("#Inventor V2.1 ascii\n{body}")).unwrap()
}

fn volume(scene: &RawScene) -> f64 {
    let one = |part: &Part| -> f64 {
        let at = |i: u32| part.points[i as usize];
        part.triangles.iter().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0).sum()
    };
    scene.parts.iter().map(one).sum()
}

/// The middle of the box around a part.
fn middle(part: &Part) -> Vec3 {
    let low = part.points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = part.points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    (low + high) / 2.0
}

fn near(a: Vec3, b: Vec3) -> bool {
    (a - b).length() < 1e-12
}
