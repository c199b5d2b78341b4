//! Solids: tetrahedra with their materials, masses and order of work; walls and ties.

mod coarse;
mod descent;
pub mod filled;
pub mod layout;
pub mod raise;
mod ties;

pub use descent::RawDescent;

use crate::Fault;
use crate::assemble::Lame;
use crate::raw::{Inside, Place, RawElastic, RawGeometry, RawModel, RawScene, RawTets, WallStiffness};
use crate::scene::Baked;
use crate::select::select;
use crate::springs::{Skin, add_skin, add_vertices};
use crate::tissue::sides;
use serosa_geometry::tets::Tets;
use serosa_geometry::{Mat3, Mesh, Real, Vec3, VertexId};
use serosa_sim::model::{BodyKind, Descent, Model, Region, SolidBody, Tet, Wall};

/// Vertices lie within this of the origin \[m\].
const SPACE: Real = 200.0;
/// A tetrahedron whose volume is less than this part of a regular one's with its longest edge is a sliver.
const SLIVER: Real = 1e-3;
/// The most tetrahedra at one vertex.
const CROWD: usize = 1000;
/// Densities of tissue, and of anything else in an operating theatre, are between these \[kg/m³\].
const DENSITIES: std::ops::RangeInclusive<Real> = 100.0..=20_000.0;
/// Thickness of a surface for which none is given \[m\], but no more than this part of its mean edge.
const THICKNESS: Real = 1e-3;
const THIN: Real = 0.2;
/// No organ is longer \[m\].
const LONG: Real = 10.0;

/// What is wrong with tetrahedra; nothing when they can be used. O(tetrahedra log tetrahedra).
pub fn faults(raw: &RawTets, place: Place) -> Vec<Fault> {
    let (points, tets) = (&raw.mesh.points, &raw.tets);
    let mut faults = Vec::new();
    let mut say = |message: String, help: &str| faults.push(Fault::new(place, message, help));
    if tets.is_empty() {
        say(
            "model.solid needs tetrahedra, and this shape has none".into(),
            "use shape.block or a mesh of them",
        );
        return faults;
    }
    if let Some(i) = points.iter().position(|p| !p.is_finite()) {
        say(format!("vertex {i} is not a finite position"), "correct it in the mesh file");
        return faults;
    }
    if let Some(i) = points.iter().position(|p| p.abs().max_element() > SPACE) {
        let help = "check `unit`: a mesh in millimetres needs unit = \"1 mm\"";
        say(format!("vertex {i} lies more than {SPACE} m from the origin"), help);
    }
    if let Some(t) = tets.iter().position(|t| t.iter().any(|v| *v as usize >= points.len())) {
        say(
            format!("tetrahedron {t} names a vertex beyond the last, {}", points.len() - 1),
            "correct the mesh file",
        );
        return faults;
    }
    shape_faults(points, tets, &mut say);
    let middles = raise::faults(raw, place);
    if !middles.is_empty() {
        faults.extend(middles);
        return faults;
    }
    let mut crowd = vec![0usize; points.len()];
    let nodes = tets.iter().flatten().chain(raw.middles.iter().flatten());
    nodes.for_each(|v| crowd[*v as usize] += 1);
    let mut say = |message: String, help: &str| faults.push(Fault::new(place, message, help));
    let alone = crowd.iter().filter(|c| **c == 0).count();
    if alone > 0 {
        say(format!("{alone} vertices belong to no tetrahedron"), "remove them from the mesh");
    }
    if let Some(v) = crowd.iter().position(|c| *c > CROWD) {
        say(format!("{} tetrahedra meet at vertex {v}, more than {CROWD}", crowd[v]), "mesh it more evenly");
    }
    faults
}

fn shape_faults(points: &[Vec3], tets: &[[u32; 4]], say: &mut impl FnMut(String, &str)) {
    let facts = Tets::of(points, tets);
    let first = |list: &[u32]| list.first().copied().unwrap_or_default();
    if !facts.inverted.is_empty() {
        let (count, t) = (facts.inverted.len(), first(&facts.inverted));
        let message = format!("{count} tetrahedra are inside out, tetrahedron {t} among them");
        say(message, "exchange two of their corners");
    }
    let slivers: Vec<u32> =
        (0..tets.len() as u32).filter(|t| is_sliver(points, &tets[*t as usize])).collect();
    if !slivers.is_empty() {
        let (count, t) = (slivers.len(), slivers[0]);
        let message = format!("{count} tetrahedra have next to no volume, tetrahedron {t} among them");
        say(message, "remove them, or mesh the body anew");
    }
    if facts.crowded_faces > 0 {
        let message = format!("{} faces belong to more than two tetrahedra", facts.crowded_faces);
        say(message, "remove tetrahedra that are there twice or overlap");
    }
}

fn is_sliver(points: &[Vec3], tet: &[u32; 4]) -> bool {
    let [a, b, c, d] = tet.map(|v| points[v as usize]);
    let sides = [b - a, c - a, d - a, c - b, d - b, d - c];
    let longest = sides.iter().map(|s| s.length()).fold(0.0, Real::max);
    let regular = longest * longest * longest * core::f64::consts::SQRT_2 / 12.0;
    (b - a).dot((c - a).cross(d - a)).abs() / 6.0 <= SLIVER * regular
}

/// What is wrong with materials.
pub fn material_faults(raw: &RawElastic, place: Place) -> Vec<Fault> {
    let mut faults = region_faults(std::iter::once(&raw.base), &raw.regions, place);
    if !(raw.relaxation_s >= 0.0 && raw.relaxation_s.is_finite()) {
        let message = format!("the relaxation is {} s", raw.relaxation_s);
        faults.push(Fault::new(place, message, "write a time of zero or more"));
    }
    faults
}

/// What is wrong with a material and with those of parts.
pub fn region_faults<'a>(
    base: impl Iterator<Item = &'a Region>,
    parts: &'a [(Inside, Region)],
    place: Place,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut say = |message: String, help: &str| faults.push(Fault::new(place, message, help));
    for Region { name, young, poisson, density, .. } in base.chain(parts.iter().map(|r| &r.1)) {
        if !(*young > 0.0 && young.is_finite()) {
            say(
                format!("Young's modulus of \"{name}\" is {young} Pa"),
                "write one above zero: tissue has 1 to 100 kPa",
            );
        }
        if !(0.0..0.5).contains(poisson) {
            let message = format!("Poisson's ratio of \"{name}\" is {poisson}");
            say(
                message,
                "write one from 0 to less than 0.5: 0.45 to 0.49 for tissue, which keeps its volume",
            );
        }
        if !(*density > 0.0 && density.is_finite()) {
            say(
                format!("the density of \"{name}\" is {density} kg/m3"),
                "write one above zero: tissue has 1060 kg/m3",
            );
        }
    }
    faults
}

fn regions(raw: &RawElastic) -> impl Iterator<Item = &Region> {
    std::iter::once(&raw.base).chain(raw.regions.iter().map(|r| &r.1))
}

/// Adds the vertices and tetrahedra of a solid without [`faults`] to the model; ties come when all bodies are there.
/// `Err` where a region or a wall holds nothing. O(tetrahedra log tetrahedra).
pub fn add(
    model: &mut Model,
    raw: &RawTets,
    elastic: &RawElastic,
    fixed: &[u32],
) -> Result<SolidBody, (String, String)> {
    let (points, regions) = (&raw.mesh.points, regions(elastic).cloned().collect::<Vec<_>>());
    let which = assign(raw, &elastic.regions)?;
    let mut masses = vec![0.0; points.len()];
    let mut tets: Vec<Tet> = raw.tets.iter().zip(&which).map(|(nodes, r)| tet(points, nodes, *r)).collect();
    for (t, (tet, nodes)) in tets.iter().zip(&raw.tets).enumerate() {
        let mass = tet.volume * regions[tet.region as usize].density;
        let middles = raw.middles.get(t);
        let corner = if middles.is_some() { raise::SHARES[0] } else { 0.25 };
        nodes.iter().for_each(|v| masses[*v as usize] += corner * mass);
        middles.iter().for_each(|m| m.iter().for_each(|v| masses[*v as usize] += raise::SHARES[1] * mass));
    }
    let first = add_vertices(model, points, masses, fixed);
    tets.iter_mut().for_each(|t| t.nodes = t.nodes.map(|v| VertexId(first + v.0)));
    let start = model.tets.len() as u32;
    model.tets.extend(tets);
    let walls = walls(raw, elastic, first)?;
    let mut body = SolidBody {
        tets: start..model.tets.len() as u32,
        regions,
        free: fixed.is_empty() && walls.is_empty() && elastic.ties.is_empty(),
        walls,
        descent: Descent::Vertex,
        quadratic: None,
        layout: Box::default(),
        coarse: Box::default(),
    };
    if raw.middles.is_empty() {
        *body.layout = layout::layout(points, &raw.tets, fixed);
    } else {
        raise::lay_out(&mut body, raw, fixed);
    }
    Ok(body)
}

/// Adds what others touch of a solid whose vertices begin at `first`: edges and triangles of its outer surface.
pub fn add_surface(model: &mut Model, mesh: &Mesh, first: u32, thickness: Option<Real>) {
    let edges: Vec<[u32; 2]> = sides(mesh).into_keys().collect();
    let length = |e: &[u32; 2]| (mesh.points[e[0] as usize] - mesh.points[e[1] as usize]).length();
    let mean = edges.iter().map(length).sum::<Real>() / edges.len().max(1) as Real;
    let thickness = thickness.unwrap_or(THICKNESS.min(THIN * mean));
    add_skin(model, mesh, edges.into_iter(), first, Skin { radius: 0.5 * thickness, faces: true });
}

fn tet(points: &[Vec3], nodes: &[u32; 4], region: u32) -> Tet {
    let [a, b, c, d] = nodes.map(|v| points[v as usize]);
    let edges = Mat3::from_cols(b - a, c - a, d - a);
    Tet { nodes: nodes.map(VertexId), inverse: edges.inverse(), volume: edges.determinant() / 6.0, region }
}

/// What is wrong with the materials that a file gives to tetrahedra.
pub fn own_material_fault(raw: &RawTets, place: Place) -> Option<Fault> {
    let sound = |[density, young, poisson]: &[Real; 3]| {
        *density > 0.0
            && *young > 0.0
            && density.is_finite()
            && young.is_finite()
            && (0.0..0.5).contains(poisson)
    };
    let t = raw.materials.iter().position(|m| !sound(m))?;
    let [density, young, poisson] = raw.materials[t];
    let message = format!(
        "tetrahedron {t} of the file has a density of {density} kg/m3, Young's modulus {young} Pa and Poisson's ratio {poisson}"
    );
    let help = "write the first two above zero and a ratio from 0 to less than 0.5";
    Some(Fault::new(place, message, help))
}

/// Stiffness and density of each tetrahedron \[kg/m³\]; `Err` where a part holds none.
pub fn materials(
    raw: &RawTets,
    base: &Region,
    parts: &[(Inside, Region)],
) -> Result<Vec<(Lame, Real)>, (String, String)> {
    let region = |r: u32| if r == 0 { base } else { &parts[r as usize - 1].1 };
    let one = |(t, r): (usize, u32)| match raw.materials.get(t).filter(|_| r == 0) {
        Some([density, young, poisson]) => (Lame::of(*young, *poisson), *density),
        None => (Lame::of(region(r).young, region(r).poisson), region(r).density),
    };
    Ok(assign(raw, parts)?.into_iter().enumerate().map(one).collect())
}

/// The region of each tetrahedron.
fn assign(raw: &RawTets, parts: &[(Inside, Region)]) -> Result<Vec<u32>, (String, String)> {
    let mut which = vec![0; raw.tets.len()];
    let centers = || {
        raw.tets
            .iter()
            .map(|t| t.iter().map(|v| raw.mesh.points[*v as usize]).sum::<Vec3>() * 0.25)
            .enumerate()
    };
    for (r, (inside, region)) in parts.iter().enumerate() {
        let held: Vec<usize> = match inside {
            Inside::Number(n) => (0..which.len()).filter(|t| raw.regions.get(*t) == Some(n)).collect(),
            Inside::Ball { center, radius } => {
                centers().filter(|(_, x)| x.distance(*center) <= *radius).map(|x| x.0).collect()
            }
            Inside::Box(b) => centers().filter(|(_, x)| b.contains(*x)).map(|x| x.0).collect(),
        };
        if held.is_empty() {
            let mut numbers = raw.regions.clone();
            numbers.sort_unstable();
            numbers.dedup();
            let help = match inside {
                Inside::Number(_) => format!("the file has the regions {numbers:?}"),
                _ => "move or widen it until it holds the centre of one, or mesh the body finer".to_owned(),
            };
            return Err((format!("the region \"{}\" holds no tetrahedron", region.name), help));
        }
        held.into_iter().for_each(|t| which[t] = r as u32 + 1);
    }
    Ok(which)
}

fn walls(raw: &RawTets, elastic: &RawElastic, first: u32) -> Result<Vec<Wall>, (String, String)> {
    let mesh = &raw.mesh;
    let mut walls = Vec::new();
    for wall in &elastic.walls {
        let held = select(mesh, &wall.which).unwrap_or_default();
        if held.is_empty() {
            let help = format!("this body has the sets: {}", crate::select::names(mesh));
            return Err(("a wall holds no vertex".into(), help));
        }
        let (share, areas) = (1.0 / held.len() as Real, areas(mesh, &held));
        walls.extend(held.into_iter().map(|v| Wall {
            vertex: VertexId(first + v),
            at: mesh.points[v as usize],
            stiffness: match wall.stiffness {
                WallStiffness::Total(k) => k * share,
                WallStiffness::ByArea(k) => k * areas[v as usize],
            },
        }));
    }
    Ok(walls)
}

/// A third of every triangle at a vertex that has all its corners among `held`, which are ascending \[m²\].
fn areas(mesh: &Mesh, held: &[u32]) -> Vec<Real> {
    let mut areas = vec![0.0; mesh.points.len()];
    let inside = |t: &&[u32; 3]| t.iter().all(|v| held.binary_search(v).is_ok());
    for t in mesh.triangles.iter().filter(inside) {
        let [a, b, c] = t.map(|v| mesh.points[v as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        t.iter().for_each(|v| areas[*v as usize] += third);
    }
    areas
}

/// What is worth knowing about the solids of a scene.
pub fn notes(raw: &RawScene, baked: &Baked) -> Vec<String> {
    let mut notes = Vec::new();
    for (b, body) in raw.bodies.iter().enumerate() {
        let (RawModel::Solid(elastic), BodyKind::Solid(solid)) = (&body.model, &baked.model.bodies[b].kind)
        else {
            continue;
        };
        let name = &body.name;
        if let RawGeometry::Tets(RawTets { turned: turned @ 1.., .. }) = &body.geometry {
            notes.push(format!(
                "{turned} tetrahedra of \"{name}\" were inside out in the file and have been turned"
            ));
        }
        for region in regions(elastic).filter(|r| !DENSITIES.contains(&r.density)) {
            notes.push(format!(
                "\"{name}\" has a density of {} kg/m3; tissue has about 1060. Was it written for millimetres?",
                region.density
            ));
        }
        let rest = &baked.model.rest[baked.model.bodies[b].vertex_range()];
        let bounds = serosa_geometry::Aabb::around(rest.iter().copied());
        let long = (bounds.max - bounds.min).max_element();
        if long > LONG {
            notes.push(format!("\"{name}\" is {long:.0} m long. Are its millimetres taken for metres?"));
        }
        let touches = baked.params.response.looks_ahead();
        if solid.free && baked.params.gravity > 0.0 && !touches {
            notes.push(format!(
                "nothing holds \"{name}\", and with this response solids touch nothing: it will fall for ever. Write \
                 `attach`, or response = \"augmented-lagrangian\""
            ));
        }
        let (pieces, loose) = pieces(&baked.model, b, solid);
        if pieces > 1 {
            let falling = match loose {
                0 => String::new(),
                n if solid.free || baked.params.gravity == 0.0 => format!("; nothing holds {n} of them"),
                n => {
                    format!("; nothing holds {n} of them, which will fall: mend the surface, or attach them")
                }
            };
            notes.push(format!("\"{name}\" consists of {pieces} pieces that do not hang together{falling}"));
        }
    }
    notes
}

/// How many sets of tetrahedra share no vertex with one another, and how many of these nothing holds.
fn pieces(model: &Model, body: usize, solid: &SolidBody) -> (usize, usize) {
    let range = model.bodies[body].vertex_range();
    let mut parent: Vec<usize> = (0..range.len()).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    let mut join = |nodes: &[usize]| {
        for v in &nodes[1..] {
            let (a, b) = (root(&mut parent, nodes[0]), root(&mut parent, *v));
            parent[a.max(b)] = a.min(b);
        }
    };
    for tet in &model.tets[solid.tets.start as usize..solid.tets.end as usize] {
        join(&tet.nodes.map(|v| v.at() - range.start));
    }
    for nodes in solid.quadratic.iter().flat_map(|q| &q.nodes) {
        join(&nodes.map(|v| v as usize));
    }
    let knots = model.ties.iter().flat_map(|tie| &tie.ends).filter(|knot| knot.body.at() == body);
    let tied = knots.flat_map(|k| k.nodes.into_iter().zip(k.weights)).filter(|(_, w)| *w != 0.0).map(|k| k.0);
    let walled = solid.walls.iter().map(|w| w.vertex);
    let fixed = range.clone().filter(|v| model.inv_mass[*v] == 0.0);
    let mut held: Vec<usize> =
        tied.chain(walled).map(|v| v.at()).chain(fixed).map(|v| v - range.start).collect();
    held.iter_mut().for_each(|v| *v = root(&mut parent, *v));
    held.sort_unstable();
    held.dedup();
    let pieces = (0..parent.len()).filter(|v| parent[*v] == *v).count();
    (pieces, pieces - held.len())
}
