//! From tables of a scene file to solids.

use super::problem::Problem;
use super::walk::{Node, Value};
use crate::mesh::{FORMATS, format_of};
use serosa_bake::RawScene;
use serosa_bake::fill::{Fill, Size};
use serosa_bake::raw::{Inside, RawDescent, RawElastic, RawTets, RawTie, RawWall, Selector, WallStiffness};
use serosa_geometry::generate::block::{Block, block};
use serosa_geometry::generate::tube::{Tube, tube};
use serosa_geometry::tets::Tets;
use serosa_geometry::{Aabb, Mesh, Vec3};
use serosa_sim::model::{Law, Region};
use std::collections::BTreeSet;

/// How many vertices a block asks for; a problem where it has no size.
pub fn block_of(n: &Node) -> Result<(Block, u64), Problem> {
    let (size, cell) = (n.vector("size"), n.si("cell"));
    if size.min_element() < 1e-5 {
        let help = "write three lengths larger than 10 um";
        return Err(Problem::new(n.span_of("size"), "a block needs three edges larger than zero", help));
    }
    let cells = size.to_array().map(|s| ((s / cell).round() as usize).max(1));
    let count = cells.iter().fold(1u64, |all, n| all.saturating_mul(*n as u64 + 1));
    Ok((Block { corner: n.vector("corner"), size, cells }, count))
}

/// How many more vertices a block of quadratic tetrahedra has: all of the grid of half its cells that are no corners.
pub fn middles_of(block: &Block) -> u64 {
    let count = |per: u64| block.cells.iter().fold(1u64, |all, n| all.saturating_mul(per * *n as u64 + 1));
    count(2) - count(1)
}

/// Tetrahedra of a surface that says nothing about them: linear ones, and quadratic ones with as many nodes.
const TETS: [usize; 2] = [10_000, 1250];

/// Whether the tetrahedra of a solid have ten nodes, by the table of its model.
pub fn is_quadratic(model: &Node) -> bool {
    model.choice("element") == "quadratic"
}

/// How the surface of a solid is to be filled, by the table of its model.
pub fn fill_of(model: &Node) -> Result<Fill, Problem> {
    let tets = TETS[usize::from(is_quadratic(model))];
    let Some(n) = model.table("fill") else { return Ok(Fill::with_tets(tets)) };
    let size = match (n.real("edge"), n.get("tets")) {
        (Some(_), Some(_)) => {
            return Err(Problem::new(n.span_of("edge"), "`edge` stands beside `tets`", "keep one of them"));
        }
        (Some(edge), None) => Size::Edge(edge),
        (None, Some(_)) => Size::Tets(n.count("tets") as usize),
        (None, None) => Size::Tets(tets),
    };
    Ok(Fill { size, coarsest: n.si("coarsest"), ..Fill::with_tets(tets) })
}

/// A block, made.
pub fn made(shape: &Block) -> RawTets {
    let (mesh, tets) = block(shape);
    RawTets { mesh, tets, ..RawTets::default() }
}

/// The tube that a table asks for and how many vertices it has; a problem where its bore is no bore or its bend too tight.
pub fn tube_of(n: &Node) -> Result<(Tube, u64), Problem> {
    let [outer, inner] = ["outer_diameter", "inner_diameter"].map(|key| 0.5 * n.si(key));
    if inner >= outer {
        let help = "write a smaller `inner_diameter`";
        return Err(Problem::new(n.span_of("inner_diameter"), "this tube has no wall", help));
    }
    let (curvature, length) = (n.si("curvature"), n.si("length"));
    if curvature * outer >= 1.0 || curvature * length >= core::f64::consts::TAU {
        let help =
            "write a smaller `curvature`: the tube may be as thick as its bend at most, and go round once";
        return Err(Problem::new(n.span_of("curvature"), "this tube runs into itself", help));
    }
    let cells = ["axial", "azimuthal", "radial"].map(|key| n.count(key));
    let tube = Tube {
        from: n.vector("from"),
        direction: n.vector("direction"),
        towards: n.vector("towards"),
        length,
        radii: [outer, inner],
        curvature,
        control: n.real("control").unwrap_or(2.0 * outer),
        cells: cells.map(|c| c as usize),
        hollow: n.flag("hollow"),
    };
    Ok((tube, (cells[0] + 1).saturating_mul(cells[1]).saturating_mul(cells[2] + 1)))
}

/// A tube, made.
pub fn wound(shape: &Tube) -> RawTets {
    let (mesh, tets) = tube(shape);
    RawTets { mesh, tets, ..RawTets::default() }
}

/// The tetrahedra of a file, joined, those inside out turned; points without any are left out. Where its triangles are strips
/// they are the surface that is seen: none of them may lie inside.
pub fn tets_of(scene: &RawScene, (unit, at): (f64, Vec3), strips: bool) -> Result<Option<RawTets>, String> {
    let (mut raw, mut seen) = (RawTets::default(), BTreeSet::new());
    for part in scene.parts.iter().filter(|p| !p.tets.is_empty()) {
        let mut place = vec![u32::MAX; part.points.len()];
        for tet in &part.tets {
            for v in tet {
                let slot = &mut place[*v as usize];
                if *slot == u32::MAX {
                    *slot = raw.mesh.points.len() as u32;
                    raw.mesh.points.push(part.points[*v as usize] * unit + at);
                }
            }
            raw.tets.push(tet.map(|v| place[v as usize]));
        }
        raw.regions.resize(raw.tets.len() - part.tets.len(), 0);
        raw.regions.extend(&part.tet_regions);
        raw.regions.resize(raw.tets.len(), 0);
        raw.materials.extend(&part.tet_materials);
        let triangles = part.triangles.iter().filter(|_| strips);
        seen.extend(triangles.map(|t| sorted(t.map(|v| place[v as usize]))));
        for (name, set) in &part.sets {
            let all = raw.mesh.sets.entry(name.clone()).or_default();
            all.extend(set.iter().map(|v| place[*v as usize]).filter(|v| *v != u32::MAX));
            all.sort_unstable();
        }
    }
    let inverted = Tets::of(&raw.mesh.points, &raw.tets).inverted;
    inverted.iter().for_each(|t| raw.tets[*t as usize].swap(2, 3));
    raw.turned = inverted.len();
    let mut boundary = Tets::of(&raw.mesh.points, &raw.tets).boundary;
    if !seen.is_empty() {
        let outside: BTreeSet<[u32; 3]> = boundary.iter().map(|t| sorted(*t)).collect();
        if let Some([a, b, c]) = seen.difference(&outside).next() {
            return Err(format!(
                "the triangle of nodes {a}, {b} and {c} is in a strip and no outer face of a tetrahedron"
            ));
        }
        boundary.retain(|t| seen.contains(&sorted(*t)));
    }
    let sets = std::mem::take(&mut raw.mesh.sets);
    raw.mesh = Mesh { sets, ..Mesh::from_triangles(raw.mesh.points, boundary) };
    // Parts without them leave them to the scene.
    if raw.materials.len() != raw.tets.len() {
        raw.materials.clear();
    }
    Ok((!raw.tets.is_empty()).then_some(raw))
}

fn sorted(mut t: [u32; 3]) -> [u32; 3] {
    t.sort_unstable();
    t
}

/// Reads the file of tetrahedra that a table names, and adds it to the files used.
pub fn read(
    n: &Node,
    read_file: super::FileReader,
    files: &mut Vec<super::UsedFile>,
) -> Result<RawTets, Problem> {
    let path = n.text("file");
    let wrong = |message: String, help: String| Problem::new(n.span_of("file"), message, help);
    let bytes = read_file(&path).map_err(|reason| {
        let message = format!("the mesh file \"{path}\" cannot be read: {reason}");
        wrong(message, "write a path from the folder of the scene file".to_owned())
    })?;
    let Some(format) = format_of(&bytes, &path) else {
        let known: Vec<&str> = FORMATS.iter().flat_map(|f| f.extensions.iter().copied()).collect();
        let help = format!("known are: {}", known.join(", "));
        return Err(wrong(format!("\"{path}\" is of no known mesh format"), help));
    };
    let mut alone = |name: &str| Err(format!("a file of tetrahedra stands alone, and this one names {name}"));
    let scene = (format.import)(&bytes, &mut alone)
        .map_err(|error| wrong(format!("\"{path}\" as {}: {error}", format.about), error.help))?;
    match tets_of(&scene, (n.si("unit"), n.vector("at")), format.name == "flex") {
        Ok(Some(raw)) => {
            files.push(super::UsedFile { path, bytes });
            Ok(raw)
        }
        Err(message) => {
            let help = "mend its strips, or leave them out: the whole surface is then seen".to_owned();
            Err(wrong(format!("\"{path}\": {message}"), help))
        }
        Ok(None) => Err(wrong(
            format!("\"{path}\" as {} holds no tetrahedra", format.about),
            "export the volume of the mesh; for a surface use shape.mesh".to_owned(),
        )),
    }
}

/// Which vertices a table means.
pub fn selector(node: &Node) -> Option<Selector> {
    if let Some(b) = node.table("box") {
        return Some(Selector::Box(Aabb { min: b.vector("min"), max: b.vector("max") }));
    }
    if let Some(p) = node.table("plane") {
        return Some(Selector::Plane { point: p.vector("point"), normal: p.vector("normal") });
    }
    Some(Selector::Name(node.text("name")))
}

/// Refuses half the thickness of a skin for what has an inside.
pub fn without_skin(shape: &Node) -> Result<(), Problem> {
    if !shape.is_written("radius") {
        return Ok(());
    }
    let help = "leave it out, and write thickness = \"1 mm\" in its model for how others touch it";
    Err(Problem::new(shape.span_of("radius"), "`radius` is for skins, and a solid has an inside", help))
}

/// The mechanics that a table asks for.
pub fn elastic(name: String, n: &Node) -> Result<RawElastic, Problem> {
    let base = Region {
        name,
        law: if n.choice("law") == "corotated" { Law::Corotated } else { Law::NeoHookean },
        young: n.si("young"),
        poisson: n.si("poisson"),
        density: n.si("density"),
    };
    let mut walls = Vec::new();
    for node in n.list("wall") {
        let stiffness = match (node.real("stiffness"), node.real("bedding")) {
            (Some(k), None) => WallStiffness::Total(k),
            (None, Some(k)) => WallStiffness::ByArea(k),
            _ => {
                let help =
                    "write stiffness = \"200 N/m\" for all its vertices, or bedding = \"50 kPa/m\" by area";
                return Err(Problem::new(
                    node.span.clone(),
                    "a wall has either `stiffness` or `bedding`",
                    help,
                ));
            }
        };
        walls.extend(selector(node).map(|which| RawWall { which, stiffness }));
    }
    let tie = |node: &Node| {
        Some(RawTie {
            which: selector(node)?,
            to: node.text("to"),
            reach: node.si("reach"),
            stiffness: node.si("stiffness"),
        })
    };
    Ok(RawElastic {
        regions: n.list("region").iter().filter_map(|node| region(&base, node)).collect(),
        relaxation_s: n.si("relaxation"),
        descent: match n.choice("descent") {
            "vertex" => RawDescent::Vertex,
            "global" => RawDescent::Global,
            _ => RawDescent::Auto,
        },
        thickness: n.real("thickness"),
        walls,
        ties: n.list("tie").iter().filter_map(tie).collect(),
        base,
    })
}

/// A part of another material.
pub fn region(base: &Region, n: &Node) -> Option<(Inside, Region)> {
    let inside = match n.chosen(&["ball", "box", "number"])? {
        ("ball", Value::Table(b)) => Inside::Ball { center: b.vector("center"), radius: b.si("radius") },
        ("box", Value::Table(b)) => Inside::Box(Aabb { min: b.vector("min"), max: b.vector("max") }),
        _ => Inside::Number(n.count("number") as i64),
    };
    let region = Region {
        name: n.text("name"),
        law: base.law,
        young: n.real("young").unwrap_or(base.young),
        poisson: n.real("poisson").unwrap_or(base.poisson),
        density: n.real("density").unwrap_or(base.density),
    };
    Some((inside, region))
}

/// The surface of tetrahedra, without what is inside.
pub fn outside(tets: &RawTets) -> Mesh {
    let mut number = vec![None; tets.mesh.points.len()];
    tets.mesh.triangles.iter().flatten().for_each(|v| number[*v as usize] = Some(0));
    let mut points = Vec::new();
    for (number, at) in number.iter_mut().zip(&tets.mesh.points).filter(|(n, _)| n.is_some()) {
        *number = Some(points.len() as u32);
        points.push(*at);
    }
    let of = |v: &u32| number[*v as usize];
    let triangles = tets.mesh.triangles.iter().map(|t| t.map(|v| of(&v).unwrap_or(0))).collect();
    let mut mesh = Mesh::from_triangles(points, triangles);
    let kept = |set: &Vec<u32>| set.iter().filter_map(of).collect();
    mesh.sets = tets.mesh.sets.iter().map(|(name, set)| (name.clone(), kept(set))).collect();
    mesh
}

/// Where a body says how it is filled, or else where its shape stands.
pub fn fill_span(node: &Node) -> std::ops::Range<usize> {
    let solid = node.table("model").and_then(|m| m.table("solid").or(m.table("flexible")));
    match solid.filter(|s| s.get("fill").is_some()) {
        Some(solid) => solid.span_of("fill"),
        None => node.span_of("shape"),
    }
}
