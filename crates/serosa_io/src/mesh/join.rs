//! Parts put together, and what a part must have once any of its triangles has it.

use serosa_bake::RawScene;
use serosa_bake::raw::{Material, Part};
use serosa_geometry::{Mesh, Vec3};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Stands for a normal, texture coordinate or material that a triangle does not have, while a part is being read.
pub const MISSING: u32 = u32::MAX;

/// All parts of a scene as one mesh: points in the order of the parts, edges from triangles and lines. Where there
/// are several parts, the name of each becomes a set of its points. Points that coincide stay apart.
pub fn joined(scene: &RawScene) -> Mesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut lines: BTreeSet<[u32; 2]> = BTreeSet::new();
    for part in &scene.parts {
        let base = points.len() as u32;
        points.extend(&part.points);
        triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + base)));
        lines.extend(part.lines.iter().map(|&[a, b]| [a.min(b) + base, a.max(b) + base]));
    }
    let mut mesh = Mesh::from_triangles(points, triangles);
    // The edges of triangles are sorted; lines come after them.
    lines.retain(|line| mesh.edges.binary_search(line).is_err());
    mesh.edges.extend(lines);
    mesh.sets = sets(scene);
    mesh
}

/// The sets of all parts, numbered through, and the parts themselves as sets where there are several.
fn sets(scene: &RawScene) -> BTreeMap<String, Vec<u32>> {
    let mut sets: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut base = 0;
    for part in &scene.parts {
        let count = part.points.len() as u32;
        for (name, set) in &part.sets {
            sets.entry(name.clone()).or_default().extend(set.iter().map(|v| v + base));
        }
        if scene.parts.len() > 1 && !part.name.is_empty() {
            let set = sets.entry(part.name.clone()).or_default();
            set.extend(base..base + count);
            set.sort_unstable();
            set.dedup();
        }
        base += count;
    }
    sets
}

/// All parts of a scene as one part, for formats that know only one.
pub fn one_part(scene: &RawScene) -> Cow<'_, Part> {
    if let [part] = scene.parts.as_slice() {
        return Cow::Borrowed(part);
    }
    let mut all = Part::default();
    scene.parts.iter().for_each(|part| append(&mut all, part));
    all.sets = sets(scene);
    complete(&mut all, &mut Vec::new());
    Cow::Owned(all)
}

fn append(all: &mut Part, part: &Part) {
    let (points, triangles, tets) = (all.points.len(), all.triangles.len(), all.tets.len());
    let base = points as u32;
    all.points.extend(&part.points);
    all.lines.extend(part.lines.iter().map(|l| l.map(|v| v + base)));
    all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + base)));
    all.tets.extend(part.tets.iter().map(|t| t.map(|v| v + base)));
    let [normals, uvs] = [all.normals.len() as u32, all.uvs.len() as u32];
    all.normals.extend(&part.normals);
    all.uvs.extend(&part.uvs);
    let more = part.triangles.len();
    let shift = |from: &[[u32; 3]], by: u32| from.iter().map(|t| t.map(|v| v + by)).collect::<Vec<_>>();
    fill(&mut all.triangle_normals, triangles, &shift(&part.triangle_normals, normals), more, [MISSING; 3]);
    fill(&mut all.triangle_uvs, triangles, &shift(&part.triangle_uvs, uvs), more, [MISSING; 3]);
    fill(&mut all.triangle_materials, triangles, &part.triangle_materials, more, MISSING);
    fill(&mut all.triangle_regions, triangles, &part.triangle_regions, more, 0);
    fill(&mut all.tet_regions, tets, &part.tet_regions, part.tets.len(), 0);
    fill(&mut all.colors, points, &part.colors, part.points.len(), [1.0; 4]);
}

/// Appends `more` values, or `none` where there are not any; stays empty where neither side has values.
fn fill<T: Clone>(all: &mut Vec<T>, before: usize, values: &[T], more: usize, none: T) {
    if all.is_empty() && values.is_empty() {
        return;
    }
    all.resize(before, none.clone());
    all.extend_from_slice(values);
    all.resize(before + more, none);
}

/// Gives triangles without normals their own and those without texture coordinates the origin, where other
/// triangles of the part have them; drops both where none has.
pub fn complete(part: &mut Part, remarks: &mut Vec<String>) {
    let lacks = |list: &[[u32; 3]]| list.iter().filter(|t| t.contains(&MISSING)).count();
    let total = part.triangles.len();
    match lacks(&part.triangle_normals) {
        0 => {}
        n if n == total => part.triangle_normals.clear(),
        n => {
            remarks.push(format!(
                "{n} of {total} triangles have no normals and were given those of their planes."
            ));
            for (normals, corners) in part.triangle_normals.iter_mut().zip(&part.triangles) {
                if normals.contains(&MISSING) {
                    *normals = [part.normals.len() as u32; 3];
                    part.normals.push(plane_normal(&part.points, corners));
                }
            }
        }
    }
    match lacks(&part.triangle_uvs) {
        0 => {}
        n if n == total => part.triangle_uvs.clear(),
        n => {
            remarks
                .push(format!("{n} of {total} triangles have no texture coordinates and were given 0, 0."));
            let none = part.uvs.len() as u32;
            part.uvs.push([0.0; 2]);
            for uvs in part.triangle_uvs.iter_mut().filter(|t| t.contains(&MISSING)) {
                *uvs = [none; 3];
            }
        }
    }
    if part.triangle_normals.is_empty() {
        part.normals = Vec::new();
    }
    if part.triangle_uvs.is_empty() {
        part.uvs = Vec::new();
    }
}

/// Gives triangles without material a plain grey one, where others have materials.
pub fn complete_materials(scene: &mut RawScene) {
    let none = scene.materials.len() as u32;
    let mut used = false;
    for material in scene.parts.iter_mut().flat_map(|p| &mut p.triangle_materials).filter(|m| **m == MISSING)
    {
        *material = none;
        used = true;
    }
    if used {
        scene.materials.push(plain(String::new()));
    }
}

/// A grey material.
pub fn plain(name: String) -> Material {
    Material { name, color: [0.8; 3], ..Material::default() }
}

/// The normal of a triangle's plane, or zero where it has none.
pub fn plane_normal(points: &[Vec3], &[a, b, c]: &[u32; 3]) -> Vec3 {
    let [a, b, c] = [a, b, c].map(|v| points[v as usize]);
    (b - a).cross(c - a).normalize_or_zero()
}

/// A vector as a normal: made unit where it visibly is not, and zero where it has no direction.
pub fn unit(v: Vec3) -> Vec3 {
    // Rounding to single precision leaves this much; such normals keep their bits.
    if (v.length_squared() - 1.0).abs() < 1e-6 {
        return v;
    }
    if v.is_finite() { v.normalize_or_zero() } else { Vec3::ZERO }
}

/// For each point the one number that its triangles give it (of a normal, say), [`MISSING`] where no triangle uses
/// it; none where a point has two.
pub fn one_each(triangles: &[[u32; 3]], numbers: &[[u32; 3]], points: usize) -> Option<Vec<u32>> {
    let mut each = vec![MISSING; points];
    for (corner, number) in triangles.iter().flatten().zip(numbers.iter().flatten()) {
        let known = &mut each[*corner as usize];
        if *known != MISSING && known != number {
            return None;
        }
        *known = *number;
    }
    Some(each)
}

/// Adds what a triangle needs to be one, or counts it among those left out because they use a point twice.
pub fn push_triangle(triangles: &mut Vec<[u32; 3]>, corners: [u32; 3], flat: &mut usize) -> bool {
    let [a, b, c] = corners;
    let sound = a != b && b != c && c != a;
    match sound {
        true => triangles.push(corners),
        false => *flat += 1,
    }
    sound
}

/// What is said of triangles left out because they use a point twice.
pub fn say_flat(flat: usize, remarks: &mut Vec<String>) {
    if flat > 0 {
        remarks.push(format!("{flat} triangles or lines that use a point twice were left out."));
    }
}
