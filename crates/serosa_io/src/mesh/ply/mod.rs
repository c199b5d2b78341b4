//! PLY: text or binary, elements of any properties in any order. Read are vertices, faces, strips, edges, and the
//! elements by which OpenSurgSim adds tetrahedra (`3d_element`), threads (`1d_element`) and sets of vertices.

mod export;
mod header;
mod source;

pub use export::export;

use super::join::{MISSING, complete, push_triangle, say_flat, unit};
use super::{ImportError, Resolve, Spot};
use header::{Element, Property};
use serosa_bake::RawScene;
use serosa_bake::raw::Part;
use serosa_geometry::Vec3;
use source::Source;

/// Whether the first line is `ply`.
pub fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [b'p', b'l', b'y', b'\n' | b'\r' | b' ', ..])
}

/// Reads a PLY file as one part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let header = header::read(bytes)?;
    let Some(vertex) = header.elements.iter().find(|e| e.name == "vertex") else {
        return Err(ImportError::new(
            Spot::Whole,
            "the header has no element `vertex`",
            "export the mesh anew",
        ));
    };
    let source = Source::new(bytes, header.end, header.line, header.encoding);
    let mut reader = Reader { source, vertices: vertex.count, ..Reader::new(bytes) };
    for element in header.elements.iter().filter(|e| !e.properties.is_empty()) {
        reader.element(element)?;
    }
    reader.finish()
}

struct Reader<'a> {
    source: Source<'a>,
    part: Part,
    /// Vertices that the header counts.
    vertices: u64,
    list: Vec<f64>,
    corners: Vec<u32>,
    wedges: Vec<f64>,
    remarks: Vec<String>,
    flat: usize,
    thin: usize,
}

/// What an element is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Vertex,
    Face,
    Strips,
    Tets,
    Threads,
    Edges,
    Set,
    Other,
}

fn role(element: &Element) -> Role {
    match (element.name.as_str(), element.properties.as_slice()) {
        ("vertex", _) => Role::Vertex,
        ("face" | "2d_element" | "triangle", _) => Role::Face,
        ("tristrips" | "tristrip", _) => Role::Strips,
        ("3d_element" | "tetrahedron" | "tetrahedra" | "tet" | "cell", _) => Role::Tets,
        ("1d_element" | "line" | "polyline", _) => Role::Threads,
        ("edge", _) => Role::Edges,
        (_, [Property { name, list: None, .. }]) if name == "vertex_index" => Role::Set,
        _ => Role::Other,
    }
}

/// What of a row is kept where it is no list: places of coordinates, normals, colours and texture coordinates.
fn slot(name: &str) -> Option<usize> {
    let name = name.strip_prefix("diffuse_").unwrap_or(name);
    Some(match name {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        "nx" => 3,
        "ny" => 4,
        "nz" => 5,
        "red" | "r" => 6,
        "green" | "g" => 7,
        "blue" | "b" => 8,
        "alpha" | "a" => 9,
        "u" | "s" | "texture_u" | "texture_s" => 10,
        "v" | "t" | "texture_v" | "texture_t" => 11,
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            source: Source::new(bytes, 0, 1, header::Encoding::Ascii),
            part: Part::default(),
            vertices: 0,
            list: Vec::new(),
            corners: Vec::new(),
            wedges: Vec::new(),
            remarks: Vec::new(),
            flat: 0,
            thin: 0,
        }
    }

    fn element(&mut self, element: &Element) -> Result<(), ImportError> {
        match role(element) {
            Role::Vertex => self.vertices(element),
            Role::Face | Role::Strips | Role::Tets | Role::Threads => self.cells(element, role(element)),
            Role::Edges => self.edges(element),
            Role::Set => self.set(element),
            Role::Other => {
                for _ in 0..element.count {
                    self.row(element, |_, _, _| {})?;
                }
                if element.count > 0 {
                    let (name, count) = (&element.name, element.count);
                    self.remarks.push(format!("The element `{name}` was passed over, {count} rows of it."));
                }
                Ok(())
            }
        }
    }

    /// Reads a row; `take` is handed the place of each property with its value, or the list read last.
    fn row(
        &mut self,
        element: &Element,
        mut take: impl FnMut(usize, f64, &[f64]),
    ) -> Result<(), ImportError> {
        for (i, property) in element.properties.iter().enumerate() {
            let Some(length) = property.list else {
                take(i, self.source.number(property.scalar)?, &[]);
                continue;
            };
            let length = self.source.length(length)?;
            self.list.clear();
            for _ in 0..length {
                self.list.push(self.source.number(property.scalar)?);
            }
            take(i, 0.0, &self.list);
        }
        self.source.end_row()
    }

    fn vertices(&mut self, element: &Element) -> Result<(), ImportError> {
        let slots: Vec<Option<usize>> =
            element.properties.iter().map(|p| slot(&p.name).filter(|_| p.list.is_none())).collect();
        let has = |from: usize, to: usize| (from..to).all(|k| slots.contains(&Some(k)));
        if let Some(name) = ["x", "y", "z"].iter().zip(0..).find(|(_, k)| !has(*k, k + 1)).map(|p| p.0) {
            let message = format!("the vertices have no property `{name}`");
            return Err(ImportError::new(Spot::Line(element.line), message, "correct the header"));
        }
        let (normals, colors, alpha, uvs) = (has(3, 6), has(6, 9), has(9, 10), has(10, 12));
        let kept = |k: usize| [true, normals, colors, uvs][if k < 3 { 0 } else { (k / 3).min(3) }];
        self.say_skipped(element, |i| slots[i].is_some_and(|k| if k == 9 { colors } else { kept(k) }));
        let mut full = [1.0; 12];
        for (property, slot) in element.properties.iter().zip(&slots) {
            if let Some(k @ 6..=9) = *slot {
                full[k] = property.scalar.full();
            }
        }
        let mut v = [0.0; 12];
        v[9] = 1.0;
        for i in 0..element.count {
            let spot = self.source.spot();
            self.row(element, |i, value, _| {
                if let Some(k) = slots[i] {
                    v[k] = value / full[k];
                }
            })?;
            let point = Vec3::new(v[0], v[1], v[2]);
            if !point.is_finite() {
                let message = format!("vertex {i} (from 0) is not finite");
                let here = self.source.since(spot);
                return Err(ImportError::new(here, message, "export the mesh anew"));
            }
            self.part.points.push(point);
            if normals {
                self.part.normals.push(unit(Vec3::new(v[3], v[4], v[5])));
            }
            if colors {
                let channel = |c: f64| if c.is_finite() { c.clamp(0.0, 1.0) as f32 } else { 1.0 };
                let alpha = if alpha { v[9] } else { 1.0 };
                self.part.colors.push([v[6], v[7], v[8], alpha].map(channel));
            }
            if uvs {
                self.part.uvs.push([v[10], v[11]]);
            }
        }
        Ok(())
    }

    fn say_skipped(&mut self, element: &Element, kept: impl Fn(usize) -> bool) {
        let skipped = element.properties.iter().enumerate().filter(|(i, _)| !kept(*i));
        let names: Vec<String> = skipped.take(16).map(|(_, p)| format!("`{}`", p.name)).collect();
        if !names.is_empty() && element.count > 0 {
            let names = names.join(", ");
            self.remarks
                .push(format!("Properties of the element `{}` were passed over: {names}.", element.name));
        }
    }

    /// Elements whose rows are lists of vertices.
    fn cells(&mut self, element: &Element, role: Role) -> Result<(), ImportError> {
        let named =
            |p: &Property| matches!(p.name.as_str(), "vertex_indices" | "vertex_index" | "vertex_indexes");
        let lists = || element.properties.iter().enumerate().filter(|(_, p)| p.list.is_some());
        let Some(main) = lists().find(|(_, p)| named(p)).or_else(|| lists().next()).map(|(i, _)| i) else {
            let message = format!("the element `{}` has no list of vertices", element.name);
            return Err(ImportError::new(Spot::Line(element.line), message, "correct the header"));
        };
        let place = |name: &str, list: bool| {
            element
                .properties
                .iter()
                .position(|p| p.name == name && p.list.is_some() == list && role != Role::Threads)
        };
        let region = place("region", false).filter(|_| role != Role::Strips);
        let texture = place("texcoord", true).filter(|_| role == Role::Face);
        self.say_skipped(element, |i| i == main || Some(i) == region || Some(i) == texture);
        let (mut other, mut numbers, mut wedges) = (0, Vec::new(), std::mem::take(&mut self.wedges));
        for row in 0..element.count {
            let spot = self.source.spot();
            let mut label = 0.0;
            wedges.clear();
            self.row(element, |i, value, list| {
                if i == main {
                    numbers.clear();
                    numbers.extend_from_slice(list);
                } else if Some(i) == texture {
                    wedges.extend_from_slice(list);
                } else if Some(i) == region {
                    label = value;
                }
            })?;
            self.check(&numbers, role, spot, element, row)?;
            let region = region.map(|_| label as i64);
            match (role, self.corners.as_slice()) {
                (Role::Face, _) => self.face(&wedges, region),
                (Role::Strips, _) => self.strip(),
                (Role::Tets, &[a, b, c, d]) => {
                    self.part.tets.push([a, b, c, d]);
                    self.part.tet_regions.extend(region);
                }
                (Role::Threads, corners) => {
                    self.part.lines.extend(corners.windows(2).filter(|p| p[0] != p[1]).map(|p| [p[0], p[1]]));
                }
                _ => other += 1,
            }
        }
        if other > 0 {
            self.remarks.push(format!("{other} cells that are no tetrahedra were left out."));
        }
        self.wedges = wedges;
        Ok(())
    }

    /// Numbers of vertices as they must be: whole, and not beyond the last. Strips are cut by -1.
    fn check(
        &mut self,
        list: &[f64],
        role: Role,
        at: Spot,
        of: &Element,
        row: u64,
    ) -> Result<(), ImportError> {
        self.corners.clear();
        for &number in list {
            if role == Role::Strips && number == -1.0 {
                self.corners.push(MISSING);
                continue;
            }
            if !(number >= 0.0 && number < self.vertices as f64 && number.fract() == 0.0) {
                let (name, count) = (&of.name, self.vertices);
                let message =
                    format!("row {row} of the element `{name}` names vertex {number}, of {count} (from 0)");
                let here = self.source.since(at);
                return Err(ImportError::new(here, message, "export the mesh anew"));
            }
            self.corners.push(number as u32);
        }
        Ok(())
    }

    fn face(&mut self, wedges: &[f64], region: Option<i64>) {
        let count = self.corners.len();
        if count < 3 {
            self.thin += 1;
            return;
        }
        let textured = wedges.len() == 2 * count;
        let base = self.part.uvs.len() as u32;
        let mut used = false;
        for k in 1..count - 1 {
            let corners = [0, k, k + 1];
            let before = self.part.triangles.len();
            let triangle = corners.map(|i| self.corners[i]);
            if push_triangle(&mut self.part.triangles, triangle, &mut self.flat) {
                self.part.triangle_regions.extend(region);
                if textured {
                    used = true;
                    self.part.triangle_uvs.resize(before, [MISSING; 3]);
                    self.part.triangle_uvs.push(corners.map(|i| base + i as u32));
                }
            }
        }
        if used {
            self.part.uvs.extend(wedges.chunks_exact(2).map(|uv| [uv[0], uv[1]]));
        }
    }

    /// Each triangle of a strip shares two vertices with the one before; every other one is turned.
    fn strip(&mut self) {
        for strip in self.corners.split(|v| *v == MISSING) {
            for (k, t) in strip.windows(3).enumerate() {
                let triangle = if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
                // Strips repeat vertices on purpose, to turn; that leaves nothing to say.
                push_triangle(&mut self.part.triangles, triangle, &mut 0);
            }
        }
    }

    fn edges(&mut self, element: &Element) -> Result<(), ImportError> {
        let place = |name: &str| element.properties.iter().position(|p| p.name == name && p.list.is_none());
        let (Some(first), Some(second)) = (place("vertex1"), place("vertex2")) else {
            let message = "the element `edge` has no properties `vertex1` and `vertex2`";
            return Err(ImportError::new(Spot::Line(element.line), message, "correct the header"));
        };
        self.say_skipped(element, |i| i == first || i == second);
        for row in 0..element.count {
            let spot = self.source.spot();
            let mut ends = [0.0; 2];
            self.row(element, |i, value, _| {
                if i == first {
                    ends[0] = value;
                } else if i == second {
                    ends[1] = value;
                }
            })?;
            self.check(&ends, Role::Edges, spot, element, row)?;
            match self.corners.as_slice() {
                &[a, b] if a != b => self.part.lines.push([a, b]),
                _ => self.flat += 1,
            }
        }
        Ok(())
    }

    /// An element that only names vertices, such as `boundary_condition`, is a set of its name.
    fn set(&mut self, element: &Element) -> Result<(), ImportError> {
        let mut set = Vec::new();
        for row in 0..element.count {
            let spot = self.source.spot();
            let mut number = 0.0;
            self.row(element, |_, value, _| number = value)?;
            self.check(&[number], Role::Set, spot, element, row)?;
            set.extend_from_slice(&self.corners);
        }
        set.sort_unstable();
        set.dedup();
        self.part.sets.insert(element.name.clone(), set);
        Ok(())
    }

    fn finish(mut self) -> Result<RawScene, ImportError> {
        if self.part.points.is_empty() {
            let help = "export the mesh again, and look whether anything was selected";
            return Err(ImportError::new(Spot::Whole, "the file holds no vertices", help));
        }
        let (part, remarks) = (&mut self.part, &mut self.remarks);
        if !part.normals.is_empty() {
            part.triangle_normals = part.triangles.clone();
        }
        if !part.triangle_uvs.is_empty() {
            part.triangle_uvs.resize(part.triangles.len(), [MISSING; 3]);
        } else if !part.uvs.is_empty() {
            part.triangle_uvs = part.triangles.clone();
        }
        if part.triangle_regions.len() != part.triangles.len() {
            part.triangle_regions = Vec::new();
        }
        let endless = |uv: &&mut [f64; 2]| uv.iter().any(|c| !c.is_finite());
        let lost = part.uvs.iter_mut().filter(endless).map(|uv| *uv = [0.0; 2]).count();
        if lost > 0 {
            remarks.push(format!("{lost} texture coordinates were not finite and became (0, 0)."));
        }
        complete(part, remarks);
        say_flat(self.flat, remarks);
        if self.thin > 0 {
            remarks.push(format!("{} faces of fewer than three vertices were left out.", self.thin));
        }
        let left = self.source.left();
        if left > 0 {
            remarks.push(format!("{left} bytes after the last element were passed over."));
        }
        Ok(RawScene { parts: vec![self.part], remarks: self.remarks, ..RawScene::default() })
    }
}
