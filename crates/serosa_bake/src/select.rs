//! Which vertices a selector means.

use crate::raw::Selector;
use serosa_geometry::Mesh;

/// The vertices, ascending; `None` where a name is not known.
pub fn select(mesh: &Mesh, selector: &Selector) -> Option<Vec<u32>> {
    let where_ = |keep: &dyn Fn(serosa_geometry::Vec3) -> bool| {
        (0..mesh.points.len() as u32).filter(|&i| keep(mesh.points[i as usize])).collect()
    };
    match selector {
        Selector::Box(b) => Some(where_(&|p| b.contains(p))),
        Selector::Plane { point, normal } => Some(where_(&|p| normal.dot(p - *point) <= 1e-9)),
        Selector::Name(name) => mesh.sets.get(name).cloned(),
    }
}

/// The names a mesh offers, for messages.
pub fn names(mesh: &Mesh) -> String {
    if mesh.sets.is_empty() {
        return "none".to_owned();
    }
    mesh.sets.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}
