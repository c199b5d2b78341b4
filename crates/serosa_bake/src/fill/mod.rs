//! From a surface to a solid of tetrahedra.
//!
//! Isosurface stuffing (Labelle and Shewchuk, ACM Trans. Graph. 26, 2007): a lattice of good tetrahedra is laid behind the
//! body (`background`), its points are asked on which side of the surface they are (`body`), those very near it are
//! moved onto it (`cut`) and tetrahedra that still cross it are cut by fixed patterns (`stencil`). Whatever the surface
//! is, no angle between faces is below [`LEAST_ANGLE`] or above [`GREATEST_ANGLE`]. What is inside is said by the winding
//! number, so that holes and overlaps do no harm. Then the boundary is made a manifold (`sculpt`) and points move to
//! where angles get better (`smooth`), which leaves 16° and more on organs.
//!
//! All edges at the surface are of one length, which the bound on angles needs; inside they grow by powers of two.
//! Details smaller than an edge are lost, and creases are rounded.
//!
//! One thread, and nothing depends on the order of a hash: the same surface gives the same bits.

mod background;
mod body;
mod cut;
mod embed;
mod faces;
mod fault;
mod octree;
mod report;
mod sculpt;
mod smooth;
mod stencil;

pub use embed::{Embedded, Oriented, embed, orient, weights};
pub use fault::FillFault;
pub use report::FillReport;
pub use stencil::{GREATEST_ANGLE, LEAST_ANGLE};

use background::Background;
use body::Body;
use cut::Raw;
use octree::{CELLS_MAX, Octree, TooMany};
use serosa_geometry::generate::Impossible;
use serosa_geometry::isosurface::Field;
use serosa_geometry::{Implicit, Real, Vec3};

/// How fine tetrahedra are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Length of edges at the surface, about \[m\]: the lattice's are as long, or √3/2 of it.
    Edge(Real),
    /// Number of tetrahedra, about: within a twentieth, but for small numbers, in which there are jumps.
    Tets(usize),
}

/// How to fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// How fine.
    pub size: Size,
    /// How many times longer edges may be inside than at the surface: 1 for even ones; else what is below a power of two
    /// counts as the next smaller power.
    pub coarsest: Real,
    /// Rounds of smoothing; 0 for none.
    pub rounds: usize,
    /// More tetrahedra than this are refused, before memory is taken for them.
    pub most: usize,
}

impl Fill {
    /// With edges of a length at the surface, inside up to four times as long.
    pub fn with_edge(edge: Real) -> Self {
        Self { size: Size::Edge(edge), coarsest: 4.0, rounds: 3, most: usize::MAX }
    }

    /// With about so many tetrahedra.
    pub fn with_tets(tets: usize) -> Self {
        Self { size: Size::Tets(tets), ..Self::with_edge(1.0) }
    }

    /// With edges of one length everywhere.
    pub fn even(self) -> Self {
        Self { coarsest: 1.0, ..self }
    }

    /// How often edges double inside.
    fn doublings(&self) -> Result<u8, FillFault> {
        match self.coarsest >= 1.0 {
            true => Ok((0..=16).rev().find(|n| Real::from(1 << n) <= self.coarsest).unwrap_or(0)),
            false => Err(FillFault::BadGrading { coarsest: self.coarsest }),
        }
    }
}

/// A body of tetrahedra, all of positive volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    /// Positions \[m\].
    pub points: Vec<Vec3>,
    /// Corners; pieces that do not hang together one after the other, the largest first.
    pub tets: Vec<[u32; 4]>,
    /// What can be said of it.
    pub report: FillReport,
}

/// Fills a surface with tetrahedra. Triangles are anticlockwise seen from outside; all the other way round does as well.
/// `progress` hears how much is done, from 0 to 1.
///
/// O(c log n) for c cubes of the lattice, of which there are about six for each tetrahedron at the surface, and n triangles.
///
/// # Errors
/// See [`FillFault`]. A surface that is open in places, or a body in several pieces, is none: the report says so.
pub fn fill(
    points: &[Vec3],
    triangles: &[[u32; 3]],
    how: &Fill,
    progress: &mut dyn FnMut(f64),
) -> Result<Filled, FillFault> {
    check(points, triangles)?;
    let body = Body::of_surface(points, triangles);
    fill_body(&body, how, progress)
}

/// Fills a recipe of blended shapes from its function, without a surface between.
///
/// # Errors
/// As [`fill`], and where the recipe cannot be followed.
pub fn fill_implicit(
    shape: &Implicit,
    how: &Fill,
    progress: &mut dyn FnMut(f64),
) -> Result<Filled, FillFault> {
    let told = |Impossible { message, help }| FillFault::Impossible { message, help };
    let bounds = shape.bounds().map_err(told)?;
    let value = |p: Vec3| shape.value(p);
    fill_body(&Body::of_function(Field { value: &value, bounds }), how, progress)
}

/// Whether a surface can be read.
fn check(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), FillFault> {
    if triangles.is_empty() {
        return Err(FillFault::Empty);
    }
    for (triangle, corner) in triangles.iter().enumerate().flat_map(|(t, c)| c.map(|c| (t, c))) {
        match points.get(corner as usize) {
            None => return Err(FillFault::NoPoint { triangle, corner, points: points.len() }),
            Some(p) if !p.is_finite() => return Err(FillFault::NotFinite { point: corner }),
            Some(_) => {}
        }
    }
    Ok(())
}

fn fill_body(body: &Body, how: &Fill, progress: &mut dyn FnMut(f64)) -> Result<Filled, FillFault> {
    progress(0.0);
    let doublings = how.doublings()?;
    let (edge, mut raw) = match how.size {
        Size::Edge(edge) if edge > 0.0 && edge.is_finite() => (edge, stuff(body, edge, doublings, how.most)?),
        Size::Edge(edge) => return Err(FillFault::BadEdge { edge }),
        Size::Tets(0) => return Err(FillFault::BadCount { asked: 0, nearest: 0 }),
        Size::Tets(tets) => stuff_with(body, tets.min(how.most), (doublings, how.most), progress)?,
    };
    progress(0.5);
    let removed = sculpt::sculpt(&mut raw);
    let mut raw = raw.compact();
    smooth::smooth(body, &mut raw, edge, how.rounds, &mut |part| progress(0.5 + 0.4 * part));
    progress(0.9);
    let pieces = sort_pieces(&mut raw);
    let report = FillReport { pieces, removed, ..report::report(body, &raw, edge) };
    progress(1.0);
    Ok(Filled { points: raw.points, tets: raw.tets, report })
}

/// The lattice, cut along the surface, in at most so many tetrahedra.
fn stuff(body: &Body, edge: Real, doublings: u8, most: usize) -> Result<Raw, FillFault> {
    let cells_max = CELLS_MAX.min(most);
    let too_fine = || {
        let cells = Octree::expected(body, edge, doublings);
        FillFault::TooFine { edge, cells, fitting: Octree::fitting(body, doublings, cells_max) }
    };
    if Octree::is_hopeless(body, edge, doublings, cells_max) {
        return Err(too_fine());
    }
    let mut tree = Octree::around(body, edge, doublings, cells_max).map_err(|TooMany| too_fine())?;
    let background = loop {
        tree.balance(body);
        let background = Background::of(&tree, body);
        let seams = background.seams();
        if seams.is_empty() {
            break background;
        }
        if tree.cells.len() + 8 * seams.len() > cells_max {
            return Err(too_fine());
        }
        tree.split(body, &seams);
    };
    let raw = cut::stuff(body, &tree, &background);
    match raw.tets.len() {
        0 => Err(nothing(body, edge)),
        n if n > most => Err(too_fine()),
        _ => Ok(raw),
    }
}

/// Why nothing came out.
fn nothing(body: &Body, edge: Real) -> FillFault {
    let size = body.bounds.size().max_element();
    // Twice the volume for the area is how thick a plate is.
    let fitting = (body.volume / body.area).min(0.5 * edge);
    let open = body.surface().map_or(0, |surface| surface.topology().open.len());
    match fitting > 1e-6 * size {
        true => FillFault::TooCoarse { edge, fitting },
        false if open > 0 => FillFault::Open { open },
        false => FillFault::Hollow,
    }
}

/// Tries of a number of tetrahedra.
const TRIES: usize = 8;
/// What is near enough to a number asked for, by the logarithm of the ratio.
const CLOSE: Real = 0.05;
/// What is too far from it.
const FAR: Real = 0.4;

/// Tries lengths of edges until there are about so many tetrahedra: the number goes with a power of the length, which is
/// learnt on the way.
fn stuff_with(
    body: &Body,
    asked: usize,
    (doublings, most): (u8, usize),
    progress: &mut dyn FnMut(f64),
) -> Result<(Real, Raw), FillFault> {
    let size = body.bounds.size();
    // As if the box were a third full, at twelve tetrahedra a cube, and a bit larger: coarse tries cost little.
    let volume = size.max(Vec3::splat(1e-3 * size.max_element())).element_product();
    let mut edge = 1.3 * libm::cbrt(4.0 * volume / asked as Real).min(0.5 * size.max_element());
    let mut power = if doublings == 0 { 3.0 } else { 2.4 };
    let mut best: Option<(Real, Raw)> = None;
    let mut last = None;
    let off = |raw: &Raw| libm::log(raw.tets.len() as Real / asked as Real);
    for attempt in 0..TRIES {
        progress(0.5 * attempt as Real / TRIES as Real);
        let raw = match stuff(body, edge, doublings, most) {
            Err(FillFault::TooCoarse { .. }) if attempt + 1 < TRIES => {
                edge *= 0.5;
                continue;
            }
            tried => tried?,
        };
        let by = off(&raw);
        if let Some((longer, before)) = last.replace((edge, by)) {
            let slope: Real = (by - before) / libm::log(longer / edge);
            power = if slope.is_finite() { slope.clamp(1.5, 4.0) } else { power };
        }
        if best.as_ref().is_none_or(|(_, old)| by.abs() < off(old).abs()) {
            best = Some((edge, raw));
        }
        if by.abs() < CLOSE {
            break;
        }
        edge *= libm::exp(by / power);
    }
    match best {
        Some((edge, raw)) if off(&raw).abs() < FAR => Ok((edge, raw)),
        other => Err(FillFault::BadCount { asked, nearest: other.map_or(0, |(_, raw)| raw.tets.len()) }),
    }
}

/// Puts the tetrahedra of each piece together, the largest first; answers how many each has.
fn sort_pieces(raw: &mut Raw) -> Vec<usize> {
    let mut sets = faces::Sets::new(raw.tets.len());
    for (beyond, t) in faces::neighbours(&raw.tets).iter().zip(0..) {
        beyond.iter().filter(|b| **b != faces::NONE).for_each(|b| sets.join(t, *b));
    }
    let mut count = vec![0usize; raw.tets.len()];
    let piece: Vec<u32> = (0..raw.tets.len() as u32).map(|t| sets.find(t)).collect();
    piece.iter().for_each(|p| count[*p as usize] += 1);
    let mut order: Vec<usize> = (0..raw.tets.len()).collect();
    order.sort_by_key(|t| (core::cmp::Reverse(count[piece[*t] as usize]), piece[*t]));
    raw.tets = order.iter().map(|t| raw.tets[*t]).collect();
    count.retain(|c| *c > 0);
    count.sort_unstable_by(|a, b| b.cmp(a));
    count
}

impl Filled {
    /// Leaves out all but the first pieces, which are the largest. The report is as it was but for what it counts.
    pub fn keep_pieces(&mut self, pieces: usize) {
        self.report.pieces.truncate(pieces);
        self.tets.truncate(self.report.pieces.iter().sum());
        let raw =
            Raw { points: std::mem::take(&mut self.points), tets: std::mem::take(&mut self.tets) }.compact();
        (self.points, self.tets) = (raw.points, raw.tets);
        (self.report.tets, self.report.points) = (self.tets.len(), self.points.len());
    }
}
