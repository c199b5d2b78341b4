//! Tetrahedra written out in a scene file.

use super::problem::Problem;
use super::solid::tets_of;
use super::walk::Node;
use crate::mesh::volume::flexible::{flagged, triangles};
use serosa_bake::RawScene;
use serosa_bake::raw::{Part, RawTets};
use serosa_geometry::Vec3;

/// The tetrahedra of a table, or the first thing that is wrong with them.
pub fn elements(n: &Node) -> Result<RawTets, Problem> {
    let wrong = |key: &str, message: String, help: &str| Err(Problem::new(n.span_of(key), message, help));
    let part = part(n)?;
    if part.tets.is_empty() {
        return wrong("tets", "there are no tetrahedra".into(), "write tets = [[0, 1, 2, 3]]");
    }
    let mut used = vec![false; part.points.len()];
    part.tets.as_flattened().iter().for_each(|v| used[*v as usize] = true);
    if let Some(node) = used.iter().position(|used| !used) {
        let message = format!("node {node} belongs to no tetrahedron");
        return wrong("nodes", message, "leave it out and count the others anew, or write its tetrahedra");
    }
    let scene = RawScene { parts: vec![part], ..RawScene::default() };
    match tets_of(&scene, (1.0, n.vector("at")), true) {
        Ok(Some(raw)) => Ok(raw),
        Ok(None) => wrong("tets", "there are no tetrahedra".into(), "write tets = [[0, 1, 2, 3]]"),
        Err(message) => wrong("strips", message, "write strips of outer triangles, or leave them out"),
    }
}

/// The table as a part of a mesh, numbers of nodes and lengths of lists checked.
fn part(n: &Node) -> Result<Part, Problem> {
    let points: Vec<Vec3> = n.triples("nodes").iter().map(|p| Vec3::from_array(*p)).collect();
    let materials = n.triples("materials");
    let mut part = Part { points, tet_materials: materials.to_vec(), ..Part::default() };
    for (span, row) in n.indices("tets").iter().chain(n.indices("strips")) {
        if let Some(v) = row.iter().find(|v| **v as usize >= part.points.len()) {
            let message = format!("there is no node {v}: they go from 0 to {}", part.points.len() as i64 - 1);
            return Err(Problem::new(
                span.clone(),
                message,
                "nodes are counted from 0, in the order of `nodes`",
            ));
        }
    }
    for (span, row) in n.indices("tets") {
        if let Some(v) = row.iter().enumerate().find_map(|(k, v)| row[..k].contains(v).then_some(v)) {
            let message = format!("a tetrahedron has the node {v} twice");
            return Err(Problem::new(span.clone(), message, "write four different nodes"));
        }
    }
    part.tets = n.indices("tets").iter().filter_map(|(_, row)| row[..].try_into().ok()).collect();
    part.triangles = n.indices("strips").iter().flat_map(|(_, row)| triangles(row)).collect();
    if n.get("materials").is_some() && materials.len() != part.tets.len() {
        let message = format!("there are {} materials for {} tetrahedra", materials.len(), part.tets.len());
        let help =
            "write [density, Young's modulus, Poisson's ratio] for each tetrahedron, or leave them out";
        return Err(Problem::new(n.span_of("materials"), message, help));
    }
    let flags: Vec<char> = n.text("flags").chars().filter(|c| !c.is_whitespace()).collect();
    if n.get("flags").is_some() && flags.len() != part.points.len() {
        let message = format!("there are {} flags for {} nodes", flags.len(), part.points.len());
        return Err(Problem::new(n.span_of("flags"), message, "write a character for each node, . for none"));
    }
    for (node, flag) in flags.into_iter().enumerate() {
        if let Some(name) = flagged(flag) {
            part.sets.entry(name).or_default().push(node as u32);
        }
    }
    Ok(part)
}
