//! Precomputed shapes of flexible bodies as a file to exchange: Open Inventor, as published.
//!
//! Klimenko, Nikitina and Nikitin (2004) kept their solutions so: the surface at rest in white, displaced by each motion of
//! each control element in yellow (shifts) and red (linear maps), and by gravity in green. Each is a part of the same
//! triangles, and its points less those at rest are the mode: metres for a shift of 1 m, for an entry 1 of a map, for a
//! gravity of 1 m/s².

use crate::mesh::{Export, FORMATS};
use serosa_bake::RawScene;
use serosa_bake::raw::{Material, Part};
use serosa_geometry::Vec3;
use serosa_sim::Model;
use serosa_sim::model::{Body, BodyKind, FlexibleBody, MODES};

/// White, yellow, red and green: at rest, shifts, maps, gravity.
const COLORS: [(&str, [f32; 3]); 4] = [
    ("rest", [1.0, 1.0, 1.0]),
    ("shift", [1.0, 1.0, 0.0]),
    ("map", [1.0, 0.0, 0.0]),
    ("gravity", [0.0, 1.0, 0.0]),
];
const AXES: [&str; 3] = ["x", "y", "z"];

/// All modes of all flexible bodies as one Inventor file; parts are called `BODY-rest`, `BODY-ELEMENT-shift-x`,
/// `BODY-ELEMENT-map-xy` and `BODY-gravity-x`. An error where there are none.
pub fn inventor(model: &Model) -> Result<Export, String> {
    let material =
        |(name, color): (&str, [f32; 3])| Material { name: name.into(), color, ..Material::default() };
    let mut scene = RawScene { materials: COLORS.map(material).to_vec(), ..RawScene::default() };
    for body in &model.bodies {
        if let BodyKind::Flexible(flexible) = &body.kind {
            scene.parts.extend(parts(model, body, flexible));
        }
    }
    if scene.parts.is_empty() {
        return Err("the scene has no flexible body, whose shapes could be written".into());
    }
    let format = FORMATS.iter().find(|f| f.name == "inventor").and_then(|f| f.export);
    format.ok_or("Inventor files cannot be written")?(&scene)
}

fn parts(model: &Model, body: &Body, flexible: &FlexibleBody) -> Vec<Part> {
    let range = body.vertices.start as usize..body.vertices.end as usize;
    let rest = &model.rest[range];
    let part = |name: String, color: usize, points: Vec<Vec3>| Part {
        name,
        points,
        triangles: flexible.triangles.clone(),
        triangle_materials: vec![color as u32; flexible.triangles.len()],
        ..Part::default()
    };
    let mut all = vec![part(format!("{}-rest", body.name), 0, rest.to_vec())];
    for column in 0..flexible.columns() {
        let (what, color) = called(flexible, column);
        let moved = rest.iter().zip(flexible.mode(column));
        let points = moved.map(|(x, u)| *x + Vec3::from_array(u.map(f64::from))).collect();
        all.push(part(format!("{}-{what}", body.name), color, points));
    }
    all
}

/// What a column is, and its colour.
fn called(flexible: &FlexibleBody, column: usize) -> (String, usize) {
    match (flexible.elements.get(column / MODES), column % MODES) {
        (Some(element), k @ 0..3) => (format!("{}-shift-{}", element.name, AXES[k]), 1),
        (Some(element), k) => (format!("{}-map-{}{}", element.name, AXES[(k - 3) / 3], AXES[(k - 3) % 3]), 2),
        (None, k) => (format!("gravity-{}", AXES[k % 3]), 3),
    }
}
