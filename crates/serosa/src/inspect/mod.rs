//! What a mesh file holds and what is wrong with it, for `serosa query info` and for the page.

mod patience;
mod table;
mod unit;

pub use patience::Patience;
pub use table::{as_json, facts, say};
pub use unit::{Guess, guess};

use serosa_bake::RawScene;
use serosa_geometry::surface::{Meetings, PAIRS_MAX, self_meetings};
use serosa_geometry::tets::Tets;
use serosa_geometry::{Surface, Vec3};
use serosa_io::mesh::{FORMATS, Format, ImportError, Resolve, Spot, format_of};

/// A mesh file, looked at. Lengths are in the file's own unit; the parts are numbered through,
/// and judged each by itself.
#[derive(Debug)]
pub struct Inspection {
    /// Of the file.
    pub name: String,
    /// Its size \[bytes\].
    pub bytes: usize,
    /// How it was read.
    pub format: &'static Format,
    /// Parts without their points, faces and tetrahedra, which are below; materials and remarks.
    pub scene: RawScene,
    /// All points.
    pub points: Vec<Vec3>,
    /// All triangles.
    pub triangles: Vec<[u32; 3]>,
    /// All tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Points, triangles and tetrahedra of each part.
    pub sizes: Vec<[usize; 3]>,
    /// Whether each part has triangles, or tetrahedra alone, whose every edge has two faces.
    pub whole: Vec<bool>,
    /// The triangles; where there are none, the surface of the tetrahedra.
    pub surface: Surface,
    /// Where that surface meets itself.
    pub meetings: Meetings,
    /// The tetrahedra, and whether their surface is watertight.
    pub solid: Option<(Tets, bool)>,
    /// In which unit it is written, probably.
    pub guess: Guess,
}

impl Inspection {
    /// The faces that [`Self::surface`] and [`Self::meetings`] number.
    pub fn faces(&self) -> &[[u32; 3]] {
        match &self.solid {
            Some((tets, _)) if self.triangles.is_empty() => &tets.boundary,
            _ => &self.triangles,
        }
    }
}

/// What a mesh file holds, its parts numbered through.
#[derive(Debug)]
pub struct Contents {
    /// How it was read.
    pub format: &'static Format,
    /// Parts without what is below; materials and remarks.
    pub scene: RawScene,
    /// All points, in the file's own unit.
    pub points: Vec<Vec3>,
    /// All triangles.
    pub triangles: Vec<[u32; 3]>,
    /// All tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Points, triangles and tetrahedra of each part.
    pub sizes: Vec<[usize; 3]>,
}

/// Reads a mesh file; every number in it is that of a point.
pub fn read(name: &str, bytes: &[u8], resolve: Resolve) -> Result<Contents, ImportError> {
    let format = format_of(bytes, name).ok_or_else(unknown)?;
    let mut scene = (format.import)(bytes, resolve)?;
    let (mut points, mut triangles, mut tets, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in &mut scene.parts {
        let from = points.len() as u32;
        sizes.push([part.points.len(), part.triangles.len(), part.tets.len()]);
        triangles.extend(part.triangles.drain(..).map(|t| t.map(|i| i + from)));
        tets.extend(part.tets.drain(..).map(|t| t.map(|i| i + from)));
        points.append(&mut part.points);
    }
    check_numbers(points.len(), &triangles, &tets)?;
    Ok(Contents { format, scene, points, triangles, tets, sizes })
}

/// To which part each point belongs, by number.
pub fn part_of(sizes: &[[usize; 3]]) -> impl Fn(u32) -> u32 + use<> {
    let sum = |end: &mut u32, n: &[usize; 3]| {
        *end += n[0] as u32;
        Some(*end)
    };
    let ends: Vec<u32> = sizes.iter().scan(0, sum).collect();
    move |point| ends.partition_point(|end| *end <= point) as u32
}

/// Reads a mesh file and looks at it. `progress` hears how much is done, from 0 to 1, and ends the search for
/// self-intersections by answering false.
pub fn inspect(
    name: &str,
    bytes: &[u8],
    resolve: Resolve,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Inspection, ImportError> {
    let Contents { format, scene, points, triangles, tets, sizes } = read(name, bytes, resolve)?;
    let part = part_of(&sizes);
    let solid = (!tets.is_empty()).then(|| Tets::of(&points, &tets));
    let skin = solid.as_ref().map(|s| Surface::of_parts(&points, &s.boundary, &part));
    let closed = skin.as_ref().is_some_and(Surface::is_watertight);
    let surface = match skin {
        Some(skin) if triangles.is_empty() => skin,
        _ => Surface::of_parts(&points, &triangles, &part),
    };
    let faces = solid.as_ref().filter(|_| triangles.is_empty()).map_or(&triangles, |s| &s.boundary);
    let mut whole = vec![false; sizes.len()];
    faces.iter().for_each(|f| whole[part(f[0]) as usize] = true);
    let faults = surface.open_edges.iter().chain(&surface.crowded_edges);
    faults.for_each(|edge| whole[part(edge[0]) as usize] = false);
    let meetings = self_meetings(&points, faces, &part, PAIRS_MAX, progress);
    let size = surface.bounds.map_or(0.0, |b| b.size().max_element());
    let guess = guess(name, format.name, size);
    let solid = solid.map(|s| (s, closed));
    let (name, bytes) = (name.to_owned(), bytes.len());
    Ok(Inspection {
        name,
        bytes,
        format,
        scene,
        points,
        triangles,
        tets,
        sizes,
        whole,
        surface,
        meetings,
        solid,
        guess,
    })
}

fn unknown() -> ImportError {
    let known: Vec<String> =
        FORMATS.iter().map(|f| format!("{} (.{})", f.about, f.extensions.join(", ."))).collect();
    let help = format!("these are known, by how they begin or by their ending: {}", known.join("; "));
    ImportError::new(Spot::Whole, "this is no mesh file that the program knows", help)
}

/// Importers promise it; a file that breaks the promise is refused and not a panic later on.
fn check_numbers(points: usize, triangles: &[[u32; 3]], tets: &[[u32; 4]]) -> Result<(), ImportError> {
    let highest = triangles.iter().flatten().chain(tets.iter().flatten()).max();
    match highest {
        Some(i) if *i as usize >= points => Err(ImportError::new(
            Spot::Whole,
            format!("a face names point {i} of {points}"),
            "export the mesh anew: the file is damaged",
        )),
        _ => Ok(()),
    }
}
