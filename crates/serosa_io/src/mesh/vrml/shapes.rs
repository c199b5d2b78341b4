//! Shapes that are lists of points and indices, of either manner.

use super::Fault;
use super::faces::{Cut, Sources};
use super::look::{Bind, Palette, colors, pairs};
use super::mould::Mould;
use super::table::Kind;
use super::tree::Era;
use super::walk::{At, State, Walker};
use serosa_geometry::Vec3;
use std::rc::Rc;

/// A list of indices; `[-1]`, which old files write for none, is none.
fn indices(numbers: &[f64]) -> Vec<i64> {
    match numbers {
        [only] if *only < 0.0 => Vec::new(),
        _ => numbers.iter().map(|&n| n as i64).collect(),
    }
}

impl Walker<'_> {
    /// A node of geometry becomes a mould.
    pub(super) fn geometry(&mut self, at: At, kind: Kind, state: &State) -> Result<(), Fault> {
        let mut own = state.clone();
        if let Some(property) = self.part(at, "vertexProperty")? {
            self.vertex_property(property, &mut own)?;
        }
        let mut sources = match self.node(at).era {
            Era::New => self.sources_new(at, &own)?,
            Era::Old => self.sources_old(at, &own),
        };
        let mut mould = match kind {
            Kind::Cuboid | Kind::Sphere | Kind::Cylinder | Kind::Cone => {
                self.primitive((at, kind), own.complexity, &mut sources)?
            }
            Kind::ElevationGrid => self.elevation_grid(at, &mut sources)?,
            Kind::Extrusion => self.extrusion(at, &mut sources)?,
            _ => self.listed(at, kind, &sources)?,
        };
        if mould.is_empty() {
            let title = self.tree.title(at.node);
            self.tree.remarks.say(format!("{title} gives no triangles, lines or points and was left out"));
            return Ok(());
        }
        self.produce(mould.triangles.len() + mould.lines.len() + mould.dots.len())?;
        // A name of a million letters under an Array would be a bomb of its own.
        mould.name = own.name.as_deref().unwrap_or_default().chars().take(200).collect();
        mould.spot = self.node(at).spot;
        mould.matrix = own.matrix;
        mould.clockwise = sources.clockwise;
        self.moulds.push(mould);
        Ok(())
    }

    fn sources_old(&self, at: At, state: &State) -> Sources {
        let by_vertex = state.material_bind.is_by_vertex();
        let untinted = state.texture.as_ref().map(|_| Rc::default());
        Sources {
            coords: state.coords.clone(),
            normals: state.normals.clone(),
            normal_bind: state.normal_bind,
            normal_index: indices(self.numbers(at, "normalIndex")),
            uvs: state.uvs.clone(),
            uv_index: indices(self.numbers(at, "textureCoordIndex")),
            tints: state.palette.clone(),
            tint_bind: state.material_bind,
            tint_index: indices(self.numbers(at, "materialIndex")),
            beneath: if state.palette.is_some() && by_vertex && state.texture.is_none() {
                None
            } else {
                untinted
            },
            texture: state.texture.clone(),
            clockwise: state.clockwise,
        }
    }

    fn sources_new(&mut self, at: At, state: &State) -> Result<Sources, Fault> {
        let per = |by_vertex| if by_vertex { Bind::VertexIndexed } else { Bind::FaceIndexed };
        let coords = match self.part(at, "coord")? {
            Some(coord) => self.vectors(coord, "point")?,
            None => Rc::default(),
        };
        let normals = match self.part(at, "normal")? {
            Some(normal) => self.vectors(normal, "vector")?,
            None => Rc::default(),
        };
        let uvs = match self.part(at, "texCoord")? {
            Some(texture) => Rc::new(pairs(self.numbers(texture, "point"))),
            None => Rc::default(),
        };
        let color = self.part(at, "color")?;
        let untinted = state.texture.as_ref().map(|_| Rc::default());
        Ok(Sources {
            coords,
            normals,
            normal_bind: per(self.flag(at, "normalPerVertex", true)),
            normal_index: indices(self.numbers(at, "normalIndex")),
            uvs,
            uv_index: indices(self.numbers(at, "texCoordIndex")),
            tints: color.map(|color| Rc::new(self.color(color, state))),
            tint_bind: per(self.flag(at, "colorPerVertex", true)),
            tint_index: indices(self.numbers(at, "colorIndex")),
            beneath: state.palette.clone().or(untinted),
            texture: state.texture.clone(),
            clockwise: !self.flag(at, "ccw", true),
        })
    }

    /// The colours of a Color or ColorRGBA.
    fn color(&self, at: At, state: &State) -> Palette {
        let numbers = self.numbers(at, "color");
        let below = state.palette.as_ref().map_or(0.0, |p| p.transparency(0));
        if self.tree.title(at.node) == "ColorRGBA" {
            let four = numbers.chunks_exact(4);
            let colors = four.clone().map(|c| [c[0] as f32, c[1] as f32, c[2] as f32]).collect();
            let transparency = four.map(|c| (1.0 - c[3]) as f32).collect();
            return Palette { name: String::new(), colors, transparency };
        }
        Palette { name: String::new(), colors: colors(numbers), transparency: vec![below] }
    }

    /// A mould for some points, with the colours that corners may take.
    pub(super) fn mould(&self, sources: &Sources) -> Mould {
        let mut mould = Mould::new(sources.coords.clone());
        mould.normals = sources.normals.clone();
        mould.uvs = sources.uvs.clone();
        if let Some(tints) = sources.tints.as_ref().filter(|_| sources.tint_bind.is_by_vertex()) {
            mould.palette = Rc::new(tints.tints());
            self.charge(mould.palette.len());
        }
        mould
    }

    fn listed(&mut self, at: At, kind: Kind, sources: &Sources) -> Result<Mould, Fault> {
        let mut mould = self.mould(sources);
        let count = sources.coords.len();
        let all = || (0..count as i64).collect::<Vec<i64>>();
        let field = |walker: &Self, name: &str| indices(walker.numbers(at, name));
        let (index, cut) = match kind {
            Kind::IndexedFaceSet => (field(self, "coordIndex"), Cut::Polygon),
            Kind::IndexedTriangleStripSet => {
                let old = field(self, "coordIndex");
                (if old.is_empty() { field(self, "index") } else { old }, Cut::Strip)
            }
            Kind::IndexedTriangleFanSet => (field(self, "index"), Cut::Fan),
            Kind::IndexedTriangleSet => (field(self, "index"), Cut::Triangles),
            Kind::IndexedQuadSet => (field(self, "index"), Cut::Quads),
            Kind::TriangleSet => (all(), Cut::Triangles),
            Kind::QuadSet => (all(), Cut::Quads),
            Kind::FaceSet => (self.runs(at, "numVertices", count)?, Cut::Polygon),
            Kind::TriangleFanSet => (self.runs(at, "fanCount", count)?, Cut::Fan),
            Kind::TriangleStripSet => (self.runs(at, "stripCount", count)?, Cut::Strip),
            Kind::QuadMesh => (self.quad_mesh(at, count)?, Cut::QuadStrip),
            Kind::IndexedLineSet => {
                let index = field(self, "coordIndex");
                self.lines(at, sources, &index, &mut mould)?;
                return Ok(mould);
            }
            Kind::LineSet => {
                let index = self.runs(at, "vertexCount", count)?;
                self.lines(at, sources, &index, &mut mould)?;
                return Ok(mould);
            }
            _ => {
                let start = (self.number(at, "startIndex", 0.0).max(0.0) as usize).min(count);
                let wanted = self.number(at, "numPoints", -1.0);
                let end = if wanted < 0.0 { count } else { start.saturating_add(wanted as usize).min(count) };
                self.dots(at, sources, start..end, &mut mould)?;
                return Ok(mould);
            }
        };
        self.faces(at, sources, (&index, cut), None, &mut mould)?;
        Ok(mould)
    }

    /// Indices of points in order, in runs of the lengths that `numVertices` or another field gives.
    fn runs(&mut self, at: At, field: &str, count: usize) -> Result<Vec<i64>, Fault> {
        let old = self.numbers(at, "numVertices");
        let lengths: Vec<f64> = if old.is_empty() { self.numbers(at, field).to_vec() } else { old.to_vec() };
        let lengths = if lengths.is_empty() { vec![-1.0] } else { lengths };
        let start = self.number(at, "startIndex", 0.0).max(0.0) as usize;
        self.spend(at, lengths.len())?;
        let mut next = start.min(count);
        let mut index = Vec::new();
        for length in lengths {
            let length = if length < 0.0 { count - next } else { length as usize };
            if length > count - next {
                let title = self.tree.title(at.node);
                let message = format!("{title} wants more points than the {count} that there are");
                return self.fault(
                    at,
                    message,
                    "correct the numbers of its vertices, or export the mesh anew",
                );
            }
            index.extend((next..next + length).map(|i| i as i64));
            index.push(-1);
            next += length;
        }
        Ok(index)
    }

    fn quad_mesh(&mut self, at: At, count: usize) -> Result<Vec<i64>, Fault> {
        let size = |field| self.number(at, field, 1.0).max(0.0) as usize;
        let (rows, columns) = (size("verticesPerColumn"), size("verticesPerRow"));
        let start = size("startIndex").min(count) * usize::from(!self.numbers(at, "startIndex").is_empty());
        if rows < 2 || columns < 2 {
            return Ok(Vec::new());
        }
        if rows.checked_mul(columns).is_none_or(|wanted| wanted > count - start) {
            let message = format!("QuadMesh wants {rows} times {columns} points of {count}");
            return self.fault(at, message, "correct its numbers of vertices, or export the mesh anew");
        }
        self.spend(at, rows * columns)?;
        let strip = |row: usize| {
            let place = move |row: usize, column: usize| (start + row * columns + column) as i64;
            (0..columns).flat_map(move |c| [place(row, c), place(row + 1, c)]).chain([-1])
        };
        Ok((0..rows - 1).flat_map(strip).collect())
    }

    fn elevation_grid(&mut self, at: At, sources: &mut Sources) -> Result<Mould, Fault> {
        let size = |field| self.number(at, field, 0.0).max(0.0) as usize;
        let (columns, rows) = (size("xDimension"), size("zDimension"));
        let heights = self.numbers(at, "height");
        if columns.checked_mul(rows) != Some(heights.len()) {
            let message =
                format!("ElevationGrid has {} heights for {columns} times {rows} points", heights.len());
            return self.fault(at, message, "correct its dimensions or its heights");
        }
        let (dx, dz) = (self.number(at, "xSpacing", 1.0), self.number(at, "zSpacing", 1.0));
        let point =
            |(i, &y): (usize, &f64)| Vec3::new((i % columns) as f64 * dx, y, (i / columns) as f64 * dz);
        sources.coords = Rc::new(heights.iter().enumerate().map(point).collect());
        let mut index = Vec::new();
        for row in 1..rows {
            for column in 1..columns {
                let corner = (row * columns + column) as i64;
                let above = corner - columns as i64;
                index.extend([above - 1, corner - 1, corner, above]);
            }
        }
        let mut mould = self.mould(sources);
        self.faces(at, sources, (&index, Cut::Quads), None, &mut mould)?;
        Ok(mould)
    }
}
