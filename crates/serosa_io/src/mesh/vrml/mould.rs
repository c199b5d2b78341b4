//! A shape while it is being read, and the part it becomes.

use super::lex::short;
use super::matrix::Matrix;
use super::{Fault, Limits, fault};
use crate::mesh::Spot;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use std::collections::HashMap;
use std::rc::Rc;

/// A shape in its own coordinates.
pub(super) struct Mould {
    pub(super) name: String,
    pub(super) spot: Spot,
    pub(super) matrix: Matrix,
    /// Whether the file says that its faces go clockwise.
    pub(super) clockwise: bool,
    pub(super) coords: Rc<Vec<Vec3>>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) normals: Rc<Vec<Vec3>>,
    pub(super) triangle_normals: Vec<[u32; 3]>,
    pub(super) uvs: Rc<Vec<[f64; 2]>>,
    pub(super) triangle_uvs: Vec<[u32; 3]>,
    pub(super) triangle_materials: Vec<u32>,
    pub(super) lines: Vec<[u32; 2]>,
    /// Points that stand alone.
    pub(super) dots: Vec<u32>,
    /// Points and their colours, numbers in `palette`.
    pub(super) tints: Vec<(u32, u32)>,
    pub(super) palette: Rc<Vec<[f32; 4]>>,
}

impl Mould {
    pub(super) fn new(coords: Rc<Vec<Vec3>>) -> Self {
        Self {
            name: String::new(),
            spot: Spot::Whole,
            matrix: Matrix::IDENTITY,
            clockwise: false,
            coords,
            triangles: Vec::new(),
            normals: Rc::default(),
            triangle_normals: Vec::new(),
            uvs: Rc::default(),
            triangle_uvs: Vec::new(),
            triangle_materials: Vec::new(),
            lines: Vec::new(),
            dots: Vec::new(),
            tints: Vec::new(),
            palette: Rc::default(),
        }
    }

    /// Whether nothing came of it.
    pub(super) fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.lines.is_empty() && self.dots.is_empty()
    }

    /// The points that anything uses, ascending.
    fn used(&self) -> Vec<u32> {
        let corners = self.triangles.iter().flatten().chain(self.lines.iter().flatten());
        let mut used: Vec<u32> = corners.chain(&self.dots).copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

/// The parts of the moulds. Points that nothing uses stay, unless several shapes share their list: then each shape
/// takes its own, lest the list be copied into every one.
pub(super) fn parts(moulds: Vec<Mould>, limits: &Limits, conflicts: &mut usize) -> Result<Vec<Part>, Fault> {
    let mut users: HashMap<usize, usize> = HashMap::new();
    for mould in &moulds {
        *users.entry(Rc::as_ptr(&mould.coords) as usize).or_default() += 1;
    }
    let mut total = moulds.iter().map(|m| m.triangles.len() + m.lines.len()).sum::<usize>();
    let mut parts = Vec::with_capacity(moulds.len());
    for mould in moulds {
        let shared = users.get(&(Rc::as_ptr(&mould.coords) as usize)).is_some_and(|&n| n > 1);
        let part = part(mould, shared, conflicts)?;
        total += part.points.len();
        limits.check_output(total)?;
        parts.push(part);
    }
    Ok(parts)
}

fn part(mould: Mould, shared: bool, conflicts: &mut usize) -> Result<Part, Fault> {
    let used = if shared { mould.used() } else { (0..mould.coords.len() as u32).collect() };
    let mut points = Vec::with_capacity(used.len());
    for &point in &used {
        let placed = mould.matrix.point(mould.coords[point as usize]);
        if !placed.is_finite() {
            let message = format!("a point of {} is not finite once transformed", short(&mould.name));
            return Err(fault(mould.spot, message, "look for huge numbers in the transforms around it"));
        }
        points.push(placed);
    }
    let place = |point: u32| match shared {
        true => used.binary_search(&point).map_or(0, |i| i as u32),
        false => point,
    };
    let inverted = mould.clockwise != (mould.matrix.determinant() < 0.0);
    let colors = colors(&mould, &used, conflicts);
    let turned = |list: Vec<[u32; 3]>| match inverted {
        true => list.into_iter().map(|[a, b, c]| [a, c, b]).collect(),
        false => list,
    };
    let normal = |n: &Vec3| match mould.matrix == Matrix::IDENTITY {
        true => unit(*n),
        false => unit(mould.matrix.normal(*n)),
    };
    let has_normals = !mould.triangle_normals.is_empty();
    Ok(Part {
        normals: if has_normals { mould.normals.iter().map(normal).collect() } else { Vec::new() },
        uvs: if mould.triangle_uvs.is_empty() { Vec::new() } else { mould.uvs.to_vec() },
        name: mould.name,
        points,
        lines: mould.lines.into_iter().map(|line| line.map(place)).collect(),
        triangles: turned(mould.triangles.into_iter().map(|t| t.map(place)).collect()),
        triangle_normals: turned(mould.triangle_normals),
        triangle_uvs: turned(mould.triangle_uvs),
        triangle_materials: mould.triangle_materials,
        colors,
        ..Part::default()
    })
}

/// A normal of length one, left alone where it is so already; nought stays nought.
fn unit(n: Vec3) -> Vec3 {
    let square = n.length_squared();
    if (square - 1.0).abs() < 1e-9 || square == 0.0 || !square.is_finite() { n } else { n / square.sqrt() }
}

/// The colour of each point: the first that a face gives it.
fn colors(mould: &Mould, used: &[u32], conflicts: &mut usize) -> Vec<[f32; 4]> {
    if mould.tints.is_empty() {
        return Vec::new();
    }
    let mut tints = mould.tints.clone();
    tints.sort_by_key(|&(point, _)| point);
    let color = |tint: u32| mould.palette.get(tint as usize).copied().unwrap_or([0.8, 0.8, 0.8, 1.0]);
    *conflicts += tints.windows(2).filter(|w| w[0].0 == w[1].0 && color(w[0].1) != color(w[1].1)).count();
    tints.dedup_by_key(|&mut (point, _)| point);
    let of = |point: &u32| match tints.binary_search_by_key(point, |&(p, _)| p) {
        Ok(i) => color(tints[i].1),
        Err(_) => [0.8, 0.8, 0.8, 1.0],
    };
    used.iter().map(of).collect()
}
