//! XML files of VTK, `.vtu` and `.vtp`: one part for each piece.

use super::array::{self, Bytes, Stream};
use super::data::Kind;
use super::grid::{Array, Grid, Role, region_role};
use super::markup::{Event, Markup, Tag};
use crate::mesh::volume::cursor::{Coding, Cursor, Order, shown};
use crate::mesh::volume::draft::refuse_empty;
use crate::mesh::{ImportError, Resolve};
use serosa_bake::RawScene;

const HELP: &str = "save the mesh anew, in ParaView as .vtu or .vtp";

/// Whether bytes begin as an XML file of VTK.
pub fn begins(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1000)];
    start.trim_ascii_start().starts_with(b"<") && start.windows(8).any(|window| window == b"<VTKFile")
}

/// Reads an XML file of VTK.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let mut file = File::default();
    let mut cursor = Cursor::new(bytes, HELP);
    file.read(bytes).map_err(|(at, message)| cursor.fault_at(at, message))?;
    let Some(how) = file.how else {
        return Err(cursor.fault_at(0, "there is no <VTKFile> in the file"));
    };
    if file.appended.is_some_and(|(base64, _)| !base64) {
        cursor.coding = Coding::Binary(how.order);
    }
    // Organs deflate to a third, constant arrays to a thousandth: fifty is honest for a whole file.
    let mut budget = bytes.len().saturating_mul(50).saturating_add(1 << 24);
    let mut remarks = std::mem::take(&mut file.remarks);
    let mut parts = Vec::new();
    for piece in &file.pieces {
        let mut builder = Builder { file: &file, how, budget: &mut budget, grid: Grid::default() };
        builder.build(piece).map_err(|(at, message)| cursor.fault_at(at, message))?;
        parts.push(builder.grid.part(&mut remarks));
    }
    refuse_empty(&parts, HELP)?;
    Ok(RawScene { parts, remarks, ..RawScene::default() })
}

/// A fault and its byte.
type Fault = (usize, String);

/// An array as it stands in the file.
struct Slot<'a> {
    /// `Points`, `Cells`, `PointData` and so on.
    group: &'a str,
    tag: Tag<'a>,
    text: (usize, &'a [u8]),
}

struct Piece<'a> {
    tag: Tag<'a>,
    slots: Vec<Slot<'a>>,
    /// Names of the arrays of normals and of texture coordinates.
    normals: String,
    texture: String,
}

#[derive(Default)]
struct File<'a> {
    how: Option<Bytes>,
    surface: bool,
    pieces: Vec<Piece<'a>>,
    /// Whether the appended data are base64, and their bytes from the first on.
    appended: Option<(bool, &'a [u8])>,
    remarks: Vec<String>,
}

impl<'a> File<'a> {
    fn read(&mut self, bytes: &'a [u8]) -> Result<(), Fault> {
        let mut markup = Markup::new(bytes);
        let mut open: Vec<&str> = Vec::new();
        while let Some(event) = markup.next()? {
            match event {
                Event::Open(tag) if tag.name == "AppendedData" => {
                    self.appended = Some(appended(&tag, &bytes[markup.at..])?);
                    return Ok(());
                }
                Event::Open(tag) => {
                    let (name, closed) = (tag.name, tag.closed);
                    let group = open.last().copied().unwrap_or_default();
                    self.open(tag, group)?;
                    if !closed {
                        open.push(name);
                    }
                }
                Event::Close(name) => {
                    if open.pop() != Some(name) {
                        return Err((
                            markup.at,
                            format!("</{}> closes what is not open", shown(name.as_bytes())),
                        ));
                    }
                }
                Event::Text(at, text) => {
                    let slot = self.pieces.last_mut().and_then(|piece| piece.slots.last_mut());
                    if let Some(slot) = slot.filter(|_| open.last() == Some(&"DataArray")) {
                        slot.text = (at, text);
                    }
                }
            }
        }
        match open.pop() {
            Some(name) => Err((bytes.len(), format!("the file ends inside of <{}>", shown(name.as_bytes())))),
            None => Ok(()),
        }
    }

    fn open(&mut self, tag: Tag<'a>, group: &'a str) -> Result<(), Fault> {
        match tag.name {
            "VTKFile" => self.file(&tag),
            "Piece" => {
                let (normals, texture) = (String::new(), String::new());
                self.pieces.push(Piece { tag, slots: Vec::new(), normals, texture });
                Ok(())
            }
            "PointData" => {
                if let Some(piece) = self.pieces.last_mut() {
                    piece.normals = tag.get("Normals").to_owned();
                    piece.texture = tag.get("TCoords").to_owned();
                }
                Ok(())
            }
            "DataArray" | "Array" => {
                let text = (tag.at, &[][..]);
                match self.pieces.last_mut() {
                    Some(piece) if group != "FieldData" => piece.slots.push(Slot { group, tag, text }),
                    _ => {
                        let name = shown(tag.get("Name").as_bytes());
                        self.remarks.push(format!("Data were left out: \"{name}\" of the file."));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn file(&mut self, tag: &Tag) -> Result<(), Fault> {
        let fault = |message: String| Err((tag.at, message));
        match tag.get("type") {
            "UnstructuredGrid" => {}
            "PolyData" => self.surface = true,
            other => {
                let wanted = "only UnstructuredGrid and PolyData are read";
                return fault(format!("a VTK file of type {other:?} holds no mesh to take; {wanted}"));
            }
        }
        let order = match tag.get("byte_order") {
            "BigEndian" => Order::Big,
            "LittleEndian" | "" => Order::Little,
            other => return fault(format!("byte_order {other:?} is not known")),
        };
        let header = match tag.get("header_type") {
            "UInt32" | "" => 4,
            "UInt64" => 8,
            other => return fault(format!("header_type {other:?} is not known")),
        };
        let deflated = match tag.get("compressor") {
            "" => false,
            "vtkZLibDataCompressor" => true,
            other => return fault(format!("{other:?} is not known: save with zlib or without compression")),
        };
        self.how = Some(Bytes { order, header, deflated });
        Ok(())
    }
}

/// The data after the mark `_`.
fn appended<'a>(tag: &Tag, rest: &'a [u8]) -> Result<(bool, &'a [u8]), Fault> {
    let base64 = match tag.get("encoding") {
        "raw" => false,
        "base64" => true,
        other => return Err((tag.at, format!("encoding {other:?} of appended data is not known"))),
    };
    match rest.iter().position(|byte| *byte == b'_') {
        Some(mark) => Ok((base64, &rest[mark + 1..])),
        None => Err((tag.at, "appended data have to begin with \"_\"".to_owned())),
    }
}

struct Builder<'a> {
    file: &'a File<'a>,
    how: Bytes,
    budget: &'a mut usize,
    grid: Grid,
}

impl Builder<'_> {
    fn build(&mut self, piece: &Piece) -> Result<(), Fault> {
        let points = count(&piece.tag, "NumberOfPoints")?;
        let at = piece.tag.at;
        match piece.slots.iter().find(|slot| slot.group == "Points") {
            Some(slot) => {
                let numbers = self.numbers(slot, points.checked_mul(3), "points")?;
                self.grid.place(&numbers).map_err(|message| (slot.tag.at, message))?;
            }
            None if points > 0 => return Err((at, "the piece has no <Points>".to_owned())),
            None => {}
        }
        if self.file.surface {
            for (group, kind) in [("Verts", 2), ("Lines", 4), ("Polys", 7), ("Strips", 6)] {
                let cells = count(&piece.tag, &format!("NumberOf{group}"))?;
                self.cells(piece, group, cells, Some(kind))?;
            }
        } else {
            let cells = count(&piece.tag, "NumberOfCells")?;
            self.cells(piece, "Cells", cells, None)?;
        }
        for slot in &piece.slots {
            self.data(piece, slot)?;
        }
        Ok(())
    }

    fn cells(&mut self, piece: &Piece, group: &str, cells: usize, kind: Option<u8>) -> Result<(), Fault> {
        let slot = |name: &str| piece.slots.iter().find(|s| s.group == group && s.tag.get("Name") == name);
        let needed = |name: &str| {
            slot(name)
                .ok_or_else(|| (piece.tag.at, format!("<{group}> of the piece has no array \"{name}\"")))
        };
        if cells == 0 {
            return Ok(());
        }
        let ends = self.numbers(needed("offsets")?, Some(cells), "cells")?;
        let types = match kind {
            None => self.numbers(needed("types")?, Some(cells), "cells")?,
            Some(_) => Vec::new(),
        };
        let list = needed("connectivity")?;
        let at = list.tag.at;
        let list = self.numbers(list, None, "cells")?;
        let of = |i: usize| match kind {
            Some(kind) => kind,
            None if (0.0..255.0).contains(&types[i]) => types[i] as u8,
            None => 255,
        };
        self.grid.indexed(&of, &ends, &list).map_err(|message| (at, message))
    }

    /// Data of points or cells.
    fn data(&mut self, piece: &Piece, slot: &Slot) -> Result<(), Fault> {
        let points = slot.group == "PointData";
        if !points && slot.group != "CellData" {
            return Ok(());
        }
        let (name, bytes) = (slot.tag.get("Name"), slot.tag.get("type") == "UInt8");
        let width = slot.tag.get("NumberOfComponents").parse().unwrap_or(1_usize);
        let is = |role: &str| !name.is_empty() && name == role;
        let role = match points {
            true if width == 3 && is(&piece.normals) => Some(Role::Normals),
            true if (1..=3).contains(&width) && is(&piece.texture) => Some(Role::Texture),
            true if bytes && (width == 3 || width == 4) => Some(Role::ByteColors),
            true => None,
            false => region_role(name, width),
        };
        let Some(role) = role else {
            let whose = if points { "points" } else { "cells" };
            self.grid.left_out.push(format!("\"{}\" of {whose}", shown(name.as_bytes())));
            return Ok(());
        };
        let rows = if points { self.grid.points.len() } else { self.grid.cells() };
        let values = self.numbers(slot, rows.checked_mul(width), "values")?;
        self.grid.arrays.push(Array { name: shown(name.as_bytes()), role, width, values });
        Ok(())
    }

    fn numbers(&mut self, slot: &Slot, wanted: Option<usize>, what: &str) -> Result<Vec<f64>, Fault> {
        let at = slot.tag.at;
        let name = shown(slot.tag.get("Name").as_bytes());
        let told = |message: String| (at, format!("array \"{name}\" in <{}>: {message}", slot.group));
        let kind = slot.tag.get("type");
        let kind = Kind::xml(kind).ok_or_else(|| told(format!("numbers of type {kind:?} are not known")))?;
        let numbers = match slot.tag.get("format") {
            "ascii" | "" => array::words(slot.text.1),
            "binary" => array::numbers(Stream::base64(slot.text.1), kind, self.how, self.budget),
            "appended" => {
                let offset = count(&slot.tag, "offset")?;
                let data =
                    self.file.appended.and_then(|(base64, bytes)| Some((base64, bytes.get(offset..)?)));
                let (base64, bytes) = data.ok_or_else(|| told(format!("there are no data at {offset}")))?;
                let stream = if base64 { Stream::base64(bytes) } else { Stream::raw(bytes) };
                array::numbers(stream, kind, self.how, self.budget)
            }
            other => Err(format!("format {other:?} is not known")),
        };
        let numbers = numbers.map_err(told)?;
        match wanted {
            Some(wanted) if numbers.len() != wanted => {
                let found = numbers.len();
                Err(told(format!("it holds {found} numbers, but the {what} announced need {wanted}")))
            }
            _ => Ok(numbers),
        }
    }
}

/// A count among the attributes of a tag; 0 where there is none.
fn count(tag: &Tag, name: &str) -> Result<usize, Fault> {
    match tag.get(name) {
        "" => Ok(0),
        text => text.trim().parse().map_err(|_| (tag.at, format!("{name}={text:?} is no count"))),
    }
}
