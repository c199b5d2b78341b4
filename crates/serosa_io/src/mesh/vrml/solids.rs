//! Boxes, balls, cylinders and cones as triangles, as fine as Coin makes them when nobody asks for more.

use super::Fault;
use super::faces::{Cut, Sources};
use super::look::Bind;
use super::mould::Mould;
use super::table::Kind;
use super::walk::{At, Walker};
use serosa_geometry::Vec3;
use std::f64::consts::{PI, TAU};
use std::rc::Rc;

/// How fine a solid is.
#[derive(Clone, Copy)]
struct Fineness {
    /// Sides of cylinders and cones.
    sides: usize,
    /// Slices and rings of balls.
    slices: usize,
    rings: usize,
}

impl Fineness {
    /// At the usual complexity of one half: 20 sides, 15 slices, 14 rings.
    fn of(complexity: f64) -> Self {
        let (sides, slices) = ((complexity * 40.0) as usize, (complexity * 30.0) as usize);
        Self { sides: sides.max(4), slices: slices.max(4), rings: slices.max(3) - 1 }
    }
}

/// Points, and for each part the polygons that it is made of, each ended by −1.
struct Body {
    points: Vec<Vec3>,
    parts: Vec<(usize, Vec<i64>)>,
}

impl Walker<'_> {
    pub(super) fn primitive(
        &mut self,
        (at, kind): (At, Kind),
        complexity: f64,
        sources: &mut Sources,
    ) -> Result<Mould, Fault> {
        let fine = Fineness::of(complexity);
        let body = match kind {
            Kind::Cuboid => {
                let side = |field| self.number(at, field, 2.0);
                cuboid(self.vector(at, "size", Vec3::new(side("width"), side("height"), side("depth"))))
            }
            Kind::Sphere => ball(fine, self.number(at, "radius", 1.0)),
            Kind::Cylinder => {
                let (radius, height) = (self.number(at, "radius", 1.0), self.number(at, "height", 2.0));
                let sides = self.has(at, "side", "SIDES");
                cylinder(
                    fine.sides,
                    [radius, height],
                    [sides, self.has(at, "top", "TOP"), self.has(at, "bottom", "BOTTOM")],
                )
            }
            _ => {
                let (radius, height) = (self.number(at, "bottomRadius", 1.0), self.number(at, "height", 2.0));
                cone(
                    fine.sides,
                    [radius, height],
                    [self.has(at, "side", "SIDES"), self.has(at, "bottom", "BOTTOM")],
                )
            }
        };
        sources.coords = Rc::new(body.points);
        sources.normals = Rc::default();
        sources.uvs = Rc::default();
        sources.clockwise = false;
        if !matches!(sources.tint_bind, Bind::Part | Bind::PartIndexed) {
            sources.tint_bind = Bind::Overall;
        }
        let mut mould = self.mould(sources);
        for (part, index) in &body.parts {
            self.faces(at, sources, (index, Cut::Polygon), Some(*part), &mut mould)?;
        }
        Ok(mould)
    }

    /// Whether a part of a solid is there: by its flag, or by the mask of old files.
    fn has(&self, at: At, flag: &str, word: &str) -> bool {
        let parts = self.words(at, "parts");
        let masked = parts.is_empty() || parts.iter().any(|p| p == word || p == "ALL");
        masked && self.flag(at, flag, true)
    }
}

fn cuboid(size: Vec3) -> Body {
    let half = size / 2.0;
    let sign = |bit: usize| if bit != 0 { 1.0 } else { -1.0 };
    let corner = |i: usize| half * Vec3::new(sign(i & 1), sign(i & 2), sign(i & 4));
    // Front, back, left, right, top, bottom, as Inventor numbers them.
    let faces = [[4, 5, 7, 6], [1, 0, 2, 3], [0, 4, 6, 2], [5, 1, 3, 7], [6, 7, 3, 2], [0, 1, 5, 4]];
    let parts = faces.iter().enumerate().map(|(part, f)| (part, vec![f[0], f[1], f[2], f[3], -1])).collect();
    Body { points: (0..8).map(corner).collect(), parts }
}

/// Points around the y axis, anticlockwise seen from above.
fn ring(radius: f64, y: f64, count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |i| {
        let angle = TAU * i as f64 / count as f64;
        Vec3::new(radius * libm::sin(angle), y, radius * libm::cos(angle))
    })
}

fn ball(Fineness { slices, rings, .. }: Fineness, radius: f64) -> Body {
    let mut points = vec![Vec3::Y * radius];
    for i in 1..rings {
        let angle = PI * i as f64 / rings as f64;
        points.extend(ring(radius * libm::sin(angle), radius * libm::cos(angle), slices));
    }
    points.push(Vec3::NEG_Y * radius);
    let last = points.len() as i64 - 1;
    let place = |ring: usize, slice: usize| (1 + ring * slices + slice % slices) as i64;
    let mut index = Vec::new();
    for slice in 0..slices {
        index.extend([0, place(0, slice), place(0, slice + 1), -1]);
        for ring in 0..rings - 2 {
            index.extend([place(ring, slice), place(ring + 1, slice), place(ring + 1, slice + 1)]);
            index.extend([place(ring, slice + 1), -1]);
        }
        index.extend([place(rings - 2, slice), last, place(rings - 2, slice + 1), -1]);
    }
    Body { points, parts: vec![(0, index)] }
}

fn cylinder(count: usize, [radius, height]: [f64; 2], [sides, top, bottom]: [bool; 3]) -> Body {
    let points = ring(radius, -height / 2.0, count).chain(ring(radius, height / 2.0, count)).collect();
    let count = count as i64;
    let side = |i: i64| [i, (i + 1) % count, count + (i + 1) % count, count + i, -1];
    let parts = [
        (sides, (0, (0..count).flat_map(side).collect())),
        (top, (1, (count..2 * count).chain([-1]).collect())),
        (bottom, (2, (0..count).rev().chain([-1]).collect())),
    ];
    Body { points, parts: parts.into_iter().filter(|(there, _)| *there).map(|(_, part)| part).collect() }
}

fn cone(count: usize, [radius, height]: [f64; 2], [sides, bottom]: [bool; 2]) -> Body {
    let tip = Vec3::Y * (height / 2.0);
    let points = ring(radius, -height / 2.0, count).chain([tip]).collect();
    let count = count as i64;
    let side = |i: i64| [i, (i + 1) % count, count, -1];
    let parts = [
        (sides, (0, (0..count).flat_map(side).collect::<Vec<i64>>())),
        (bottom, (1, (0..count).rev().chain([-1]).collect())),
    ];
    Body { points, parts: parts.into_iter().filter(|(there, _)| *there).map(|(_, part)| part).collect() }
}
