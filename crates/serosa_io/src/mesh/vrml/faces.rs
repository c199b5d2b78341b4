//! Lists of indices to triangles, with what each corner wears.

use super::Fault;
use super::cut::cut;
use super::look::{Bind, Palette};
use super::mould::Mould;
use super::walk::{At, Walker};
use serosa_geometry::Vec3;
use std::collections::HashMap;
use std::rc::Rc;

/// Where a shape takes its points and all else from.
pub(super) struct Sources {
    pub(super) coords: Rc<Vec<Vec3>>,
    pub(super) normals: Rc<Vec<Vec3>>,
    pub(super) normal_bind: Bind,
    pub(super) normal_index: Vec<i64>,
    pub(super) uvs: Rc<Vec<[f64; 2]>>,
    pub(super) uv_index: Vec<i64>,
    /// Colours of faces or corners, by `tint_bind`.
    pub(super) tints: Option<Rc<Palette>>,
    pub(super) tint_bind: Bind,
    pub(super) tint_index: Vec<i64>,
    /// The material beneath colours of corners.
    pub(super) beneath: Option<Rc<Palette>>,
    pub(super) texture: Option<Rc<str>>,
    pub(super) clockwise: bool,
}

/// How a run of indices becomes triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Polygon,
    Strip,
    /// A strip of quads, each of which is one face.
    QuadStrip,
    Fan,
    Triangles,
    Quads,
}

/// A corner: its point, its place in the list of indices, and how many corners came before.
#[derive(Clone, Copy)]
struct Corner {
    point: u32,
    position: usize,
    vertex: usize,
}

/// Where in a shape a triangle is.
#[derive(Clone, Copy)]
struct Place {
    face: usize,
    part: usize,
}

fn pick(bind: Bind, index: &[i64], corner: Corner, place: Place) -> Option<usize> {
    let listed = |at: usize, usual: usize| match index.is_empty() {
        true => Some(usual),
        false => index.get(at).and_then(|&i| usize::try_from(i).ok()),
    };
    match bind {
        Bind::Overall => Some(0),
        Bind::Part => Some(place.part),
        Bind::PartIndexed => listed(place.part, place.part),
        Bind::Face => Some(place.face),
        Bind::FaceIndexed => listed(place.face, place.face),
        Bind::Vertex => Some(corner.vertex),
        Bind::VertexIndexed => listed(corner.position, corner.point as usize),
    }
}

/// Puts triangles into a mould.
struct Maker<'a> {
    sources: &'a Sources,
    mould: &'a mut Mould,
    /// Numbers of materials by numbers of colours.
    materials: HashMap<usize, u32>,
    normals_fail: bool,
    uvs_fail: bool,
    colors_fail: bool,
}

impl Maker<'_> {
    fn triangle(&mut self, walker: &mut Walker, corners: [Corner; 3], place: Place) {
        let sources = self.sources;
        self.mould.triangles.push(corners.map(|c| c.point));
        if !sources.normals.is_empty() && !self.normals_fail {
            let number = |c| pick(sources.normal_bind, &sources.normal_index, c, place);
            let found = corners.map(|c| number(c).filter(|&n| n < sources.normals.len()));
            self.normals_fail = found.iter().any(Option::is_none);
            self.mould.triangle_normals.push(found.map(|n| n.unwrap_or(0) as u32));
        }
        if !sources.uvs.is_empty() && !self.uvs_fail {
            let number = |c| pick(Bind::VertexIndexed, &sources.uv_index, c, place);
            let found = corners.map(|c| number(c).filter(|&n| n < sources.uvs.len()));
            self.uvs_fail = found.iter().any(Option::is_none);
            self.mould.triangle_uvs.push(found.map(|n| n.unwrap_or(0) as u32));
        }
        if sources.tint_bind.is_by_vertex() {
            for corner in corners {
                self.tint(corner, place);
            }
        }
        self.material(walker, corners[0], place);
    }

    /// The colour of a corner, where corners have one.
    fn tint(&mut self, corner: Corner, place: Place) {
        let sources = self.sources;
        if sources.tints.is_none() || !sources.tint_bind.is_by_vertex() {
            return;
        }
        let count = self.mould.palette.len();
        let number = pick(sources.tint_bind, &sources.tint_index, corner, place).filter(|&n| n < count);
        self.colors_fail |= number.is_none();
        let number = number.unwrap_or(count.saturating_sub(1)) as u32;
        self.mould.tints.push((corner.point, number));
    }

    fn material(&mut self, walker: &mut Walker, corner: Corner, place: Place) {
        let sources = self.sources;
        let (palette, number) = match &sources.tints {
            Some(tints) if !sources.tint_bind.is_by_vertex() => {
                let number = pick(sources.tint_bind, &sources.tint_index, corner, place);
                (Some(tints), number.unwrap_or(0).min(tints.colors.len().saturating_sub(1)))
            }
            _ => (sources.beneath.as_ref(), 0),
        };
        let Some(palette) = palette else {
            return;
        };
        let texture = sources.texture.as_deref();
        let noted =
            self.materials.entry(number).or_insert_with(|| walker.note_material(palette, number, texture));
        self.mould.triangle_materials.push(*noted);
    }
}

impl Walker<'_> {
    /// Triangles of runs of indices, each run ended by a negative one. `part` is given where all are one part.
    pub(super) fn faces(
        &mut self,
        at: At,
        sources: &Sources,
        (index, cut): (&[i64], Cut),
        part: Option<usize>,
        mould: &mut Mould,
    ) -> Result<(), Fault> {
        self.spend(at, index.len())?;
        let mut maker = Maker {
            sources,
            mould,
            materials: HashMap::new(),
            normals_fail: false,
            uvs_fail: false,
            colors_fail: false,
        };
        let mut place = Place { face: 0, part: 0 };
        let mut vertex = 0;
        let mut run = Vec::new();
        for position in 0..=index.len() {
            match index.get(position) {
                Some(&point) if point >= 0 => {
                    let point = self.known_point(at, point, &sources.coords)?;
                    run.push(Corner { point, position, vertex });
                    vertex += 1;
                }
                _ if run.is_empty() => {}
                _ => {
                    let here = Place { face: place.face, part: part.unwrap_or(place.part) };
                    place.face += self.run(&run, cut, here, &mut maker);
                    place.part += 1;
                    run.clear();
                    self.limits.check_output(self.output + maker.mould.triangles.len())?;
                }
            }
        }
        let failed = [
            (maker.normals_fail, "normals"),
            (maker.uvs_fail, "texture coordinates"),
            (maker.colors_fail, "colours"),
        ];
        if maker.normals_fail {
            maker.mould.triangle_normals.clear();
        }
        if maker.uvs_fail {
            maker.mould.triangle_uvs.clear();
        }
        for (_, what) in failed.iter().filter(|(fails, _)| *fails) {
            let title = self.tree.title(at.node);
            let kept = if *what == "colours" { "the last is used" } else { "they were left out" };
            self.tree.remarks.say(format!("{title} names {what} that are not there; {kept}"));
        }
        Ok(())
    }

    pub(super) fn known_point(&self, at: At, point: i64, coords: &[Vec3]) -> Result<u32, Fault> {
        if (point as usize) < coords.len() {
            return Ok(point as u32);
        }
        let title = self.tree.title(at.node);
        let message = format!("{title} names the point {point}, but there are {}, from 0", coords.len());
        self.fault(at, message, "correct its indices, or export the mesh anew")
    }

    /// Triangles of one run; how many faces they are.
    fn run(&mut self, run: &[Corner], cut: Cut, place: Place, maker: &mut Maker) -> usize {
        let smallest = if cut == Cut::Quads { 4 } else { 3 };
        if run.len() < smallest {
            self.tree.remarks.say("A face of fewer than three corners was left out");
            return 1;
        }
        let stepped = |face: usize| Place { face: place.face + face, part: place.part };
        match cut {
            Cut::Polygon => {
                self.polygon(run, place, maker);
                1
            }
            Cut::Strip | Cut::QuadStrip => {
                for (i, three) in run.windows(3).enumerate() {
                    let corners = match i % 2 {
                        0 => [three[0], three[1], three[2]],
                        _ => [three[1], three[0], three[2]],
                    };
                    let face = if cut == Cut::QuadStrip { i / 2 } else { i };
                    maker.triangle(self, corners, stepped(face));
                }
                if cut == Cut::QuadStrip { (run.len() - 2) / 2 } else { run.len() - 2 }
            }
            Cut::Fan => {
                for (i, two) in run[1..].windows(2).enumerate() {
                    maker.triangle(self, [run[0], two[0], two[1]], stepped(i));
                }
                run.len() - 2
            }
            Cut::Triangles => {
                for (i, three) in run.chunks_exact(3).enumerate() {
                    maker.triangle(self, [three[0], three[1], three[2]], stepped(i));
                }
                run.len() / 3
            }
            Cut::Quads => {
                for (i, four) in run.chunks_exact(4).enumerate() {
                    self.polygon(four, stepped(i), maker);
                }
                run.len() / 4
            }
        }
    }

    fn polygon(&mut self, run: &[Corner], place: Place, maker: &mut Maker) {
        if let [a, b, c] = run {
            maker.triangle(self, [*a, *b, *c], place);
            return;
        }
        let points: Vec<Vec3> = run.iter().map(|c| maker.sources.coords[c.point as usize]).collect();
        let mut triangles = Vec::with_capacity(run.len() - 2);
        if !cut(&points, &mut self.effort, &mut triangles) {
            self.tree.remarks.say("Polygons of very many corners were cut into fans, which may overlap");
        }
        for triangle in triangles {
            maker.triangle(self, triangle.map(|i| run[i as usize]), place);
        }
    }

    /// Lines along runs of indices, with the colours of their ends.
    pub(super) fn lines(
        &mut self,
        at: At,
        sources: &Sources,
        index: &[i64],
        mould: &mut Mould,
    ) -> Result<(), Fault> {
        self.spend(at, index.len())?;
        let mut before = None;
        let (mut vertex, mut face, mut ends) = (0, 0, Vec::new());
        for (position, &point) in index.iter().enumerate() {
            if point < 0 {
                before = None;
                face += 1;
                continue;
            }
            let point = self.known_point(at, point, &sources.coords)?;
            mould.lines.extend(before.map(|b| [b, point]));
            before = Some(point);
            ends.push((Corner { point, position, vertex }, Place { face, part: face }));
            vertex += 1;
        }
        self.tint_all(&ends, sources, mould);
        self.limits.check_output(self.output + mould.lines.len())
    }

    /// Points that stand alone, with their colours.
    pub(super) fn dots(
        &mut self,
        at: At,
        sources: &Sources,
        range: std::ops::Range<usize>,
        mould: &mut Mould,
    ) -> Result<(), Fault> {
        self.spend(at, range.len())?;
        mould.dots = range.map(|i| i as u32).collect();
        let corner = |(i, &point): (usize, &u32)| {
            (Corner { point, position: i, vertex: i }, Place { face: i, part: i })
        };
        let ends: Vec<(Corner, Place)> = mould.dots.iter().enumerate().map(corner).collect();
        self.tint_all(&ends, sources, mould);
        Ok(())
    }

    fn tint_all(&self, ends: &[(Corner, Place)], sources: &Sources, mould: &mut Mould) {
        let mut maker = Maker {
            sources,
            mould,
            materials: HashMap::new(),
            normals_fail: false,
            uvs_fail: false,
            colors_fail: false,
        };
        for &(corner, place) in ends {
            maker.tint(corner, place);
        }
    }
}
