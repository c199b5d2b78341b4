//! Legacy VTK, versions 2.0 to 5.1, text or binary (which is big-endian): surfaces and unstructured grids.

use super::data::Kind;
use super::grid::Grid;
use crate::mesh::volume::cursor::{Coding, Cursor, Order, shown};
use crate::mesh::volume::draft::refuse_empty;
use crate::mesh::{ImportError, Resolve};
use serosa_bake::RawScene;

const HELP: &str = "save the mesh anew; binary VTK files are big-endian";

/// Whether bytes begin as a legacy VTK file.
pub fn begins(bytes: &[u8]) -> bool {
    bytes.get(..22).is_some_and(|start| start.eq_ignore_ascii_case(b"# vtk DataFile Version"))
}

/// Reads a legacy VTK file as one part.
pub fn import(bytes: &[u8], _resolve: Resolve) -> Result<RawScene, ImportError> {
    let mut reader = Reader::new(bytes)?;
    while reader.keyword()? {}
    reader.scene()
}

/// Cells as written: how many, and their numbers.
pub(super) enum Layout {
    Listed(usize, Vec<f64>),
    Indexed(Vec<f64>, Vec<f64>),
}

pub(super) struct Reader<'a> {
    pub cursor: Cursor<'a>,
    surface: bool,
    pub grid: Grid,
    /// Vertices, lines, polygons and strips of a surface: data of cells follow this order, not the file's.
    groups: [Option<(usize, Layout)>; 4],
    cells: Option<(usize, Layout)>,
    types: Option<Vec<f64>>,
    /// Cells that data of cells are for.
    pub cell_count: Option<usize>,
    pub remarks: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, ImportError> {
        let mut cursor = Cursor::new(bytes, HELP);
        if !begins(bytes) {
            return Err(cursor.fault("the file does not begin with \"# vtk DataFile Version\""));
        }
        cursor.line();
        cursor.line();
        let at = cursor.at();
        let coding = match cursor.word().to_ascii_uppercase().as_slice() {
            b"ASCII" => Coding::Text,
            b"BINARY" => Coding::Binary(Order::Big),
            word => {
                let message = format!("\"{}\" stands where ASCII or BINARY belongs", shown(word));
                return Err(cursor.fault_at(at, message));
            }
        };
        cursor.line();
        cursor.coding = coding;
        Ok(Self {
            cursor,
            surface: false,
            grid: Grid::default(),
            groups: [None, None, None, None],
            cells: None,
            types: None,
            cell_count: None,
            remarks: Vec::new(),
        })
    }

    /// A section; false at the end of the file.
    fn keyword(&mut self) -> Result<bool, ImportError> {
        self.cursor.skip_space();
        let at = self.cursor.at();
        let Some(line) = self.cursor.line() else { return Ok(false) };
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let keyword = words.first().copied().unwrap_or_default().to_ascii_uppercase();
        match keyword.as_str() {
            "DATASET" => self.dataset(at, &words)?,
            "POINTS" => self.points(at, &words)?,
            "VERTICES" => self.groups[0] = Some((at, self.layout(at, &words)?)),
            "LINES" => self.groups[1] = Some((at, self.layout(at, &words)?)),
            "POLYGONS" => self.groups[2] = Some((at, self.layout(at, &words)?)),
            "TRIANGLE_STRIPS" => self.groups[3] = Some((at, self.layout(at, &words)?)),
            "CELLS" => self.cells = Some((at, self.layout(at, &words)?)),
            "CELL_TYPES" => {
                let count = self.count(at, &words, 1)?;
                self.types = Some(self.numbers(at, Kind::Signed(4), count, "CELL_TYPES")?);
            }
            "METADATA" => self.metadata(),
            "FIELD" => self.field(at, &words, None)?,
            "POINT_DATA" | "CELL_DATA" => {
                self.assemble()?;
                return self.attributes(at, &words, keyword == "POINT_DATA");
            }
            _ => {
                let message = format!(
                    "\"{}\" stands where a keyword belongs: do the data before hold as many numbers as they say?",
                    shown(words.first().copied().unwrap_or_default().as_bytes())
                );
                return Err(self.cursor.fault_at(at, message));
            }
        }
        Ok(true)
    }

    fn dataset(&mut self, at: usize, words: &[&str]) -> Result<(), ImportError> {
        let kind = words.get(1).copied().unwrap_or_default().to_ascii_uppercase();
        match kind.as_str() {
            "POLYDATA" => self.surface = true,
            "UNSTRUCTURED_GRID" => {}
            _ => {
                let mut error =
                    self.cursor.fault_at(at, format!("a VTK dataset {kind:?} holds no mesh to take"));
                error.help = "save it as POLYDATA or UNSTRUCTURED_GRID: in ParaView, `Extract Surface` or \
                              `Append Datasets` turns a grid into one"
                    .into();
                return Err(error);
            }
        }
        Ok(())
    }

    /// A number in the line of a keyword.
    pub fn count(&self, at: usize, words: &[&str], place: usize) -> Result<usize, ImportError> {
        let number = words.get(place).and_then(|word| word.parse().ok());
        let wanted = || format!("{} needs a number in place {place}", words.first().unwrap_or(&""));
        number.ok_or_else(|| self.cursor.fault_at(at, wanted()))
    }

    /// A type of numbers in the line of a keyword.
    pub fn kind(&self, at: usize, words: &[&str], place: usize) -> Result<Kind, ImportError> {
        let word = words.get(place).copied().unwrap_or_default();
        let wanted = || format!("\"{}\" is no type of numbers that is known here", shown(word.as_bytes()));
        Kind::legacy(word).ok_or_else(|| self.cursor.fault_at(at, wanted()))
    }

    /// So many numbers, from the line after a keyword on.
    pub fn numbers(
        &mut self,
        at: usize,
        kind: Kind,
        count: usize,
        what: &str,
    ) -> Result<Vec<f64>, ImportError> {
        let enough = || i64::try_from(count).unwrap_or(i64::MAX);
        match self.cursor.coding {
            Coding::Text => {
                self.cursor.room(at, enough(), 2, "numbers")?;
                let mut numbers = Vec::with_capacity(count);
                for _ in 0..count {
                    numbers.push(self.number(what)?);
                }
                Ok(numbers)
            }
            Coding::Binary(order) => {
                let bytes = kind.bytes(count);
                self.cursor.room(at, i64::try_from(bytes).unwrap_or(i64::MAX), 1, "bytes of numbers")?;
                Ok(kind.read(self.cursor.take(bytes, what)?, count, order))
            }
        }
    }

    /// A number of a text, finite or not: what must be finite is asked for later.
    fn number(&mut self, what: &str) -> Result<f64, ImportError> {
        let word = self.cursor.word();
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        number.ok_or_else(|| match word {
            [] => self.cursor.fault(format!("the file ends in the middle of {what}")),
            _ => {
                let at = self.cursor.at() - word.len();
                let message = format!("\"{}\" stands where a number belongs, in {what}", shown(word));
                self.cursor.fault_at(at, message)
            }
        })
    }

    fn points(&mut self, at: usize, words: &[&str]) -> Result<(), ImportError> {
        let (count, kind) = (self.count(at, words, 1)?, self.kind(at, words, 2)?);
        let numbers = self.numbers(at, kind, count.saturating_mul(3), "POINTS")?;
        self.grid.place(&numbers).map_err(|message| self.cursor.fault_at(at, message))
    }

    fn layout(&mut self, at: usize, words: &[&str]) -> Result<Layout, ImportError> {
        let (count, size) = (self.count(at, words, 1)?, self.count(at, words, 2)?);
        let name = words.first().copied().unwrap_or_default();
        if !self.cursor.rest().trim_ascii_start().starts_with(b"OFFSETS") {
            let list = self.numbers(at, Kind::Signed(4), size, name)?;
            return Ok(Layout::Listed(count, list));
        }
        let mut both = [Vec::new(), Vec::new()];
        for ((numbers, wanted), length) in both.iter_mut().zip(["OFFSETS", "CONNECTIVITY"]).zip([count, size])
        {
            self.cursor.skip_space();
            let at = self.cursor.at();
            let line = String::from_utf8_lossy(self.cursor.line().unwrap_or_default());
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() != Some(&wanted) {
                return Err(self.cursor.fault_at(at, format!("{wanted} is missing in {name}")));
            }
            let kind = self.kind(at, &words, 1)?;
            *numbers = self.numbers(at, kind, length, wanted)?;
        }
        let [offsets, list] = both;
        match offsets.first() {
            Some(first) if *first != 0.0 => {
                Err(self.cursor.fault_at(at, "the first of the OFFSETS is not 0"))
            }
            _ => Ok(Layout::Indexed(offsets.get(1..).unwrap_or_default().to_vec(), list)),
        }
    }

    /// Notes about the array before: names, ranges. They end with an empty line.
    pub fn metadata(&mut self) {
        while self.cursor.line().is_some_and(|line| !line.is_empty()) {}
    }

    /// Puts the cells together, once all of them are read.
    pub fn assemble(&mut self) -> Result<(), ImportError> {
        if self.cell_count.is_some() {
            return Ok(());
        }
        let kinds = [2, 4, 7, 6];
        let mut groups = std::mem::take(&mut self.groups);
        for (group, kind) in groups.iter_mut().zip(kinds) {
            if let Some((at, layout)) = group.take().filter(|_| self.surface) {
                self.add(at, &|_| kind, layout)?;
            }
        }
        if let Some((at, layout)) = self.cells.take().filter(|_| !self.surface) {
            let count = match &layout {
                Layout::Listed(count, _) => *count,
                Layout::Indexed(ends, _) => ends.len(),
            };
            let types = self.types.take().unwrap_or_default();
            if types.len() != count {
                let message = format!("there are {count} CELLS, but {} CELL_TYPES", types.len());
                return Err(self.cursor.fault_at(at, message));
            }
            // A type that is no byte is no type.
            self.add(at, &|i| if (0.0..255.0).contains(&types[i]) { types[i] as u8 } else { 255 }, layout)?;
        }
        self.cell_count = Some(self.grid.cells());
        Ok(())
    }

    fn add(&mut self, at: usize, kinds: &dyn Fn(usize) -> u8, layout: Layout) -> Result<(), ImportError> {
        let added = match layout {
            Layout::Listed(count, list) => self.grid.listed(kinds, count, &list),
            Layout::Indexed(ends, list) => self.grid.indexed(kinds, &ends, &list),
        };
        added.map_err(|message| self.cursor.fault_at(at, message))
    }

    fn scene(mut self) -> Result<RawScene, ImportError> {
        self.assemble()?;
        let parts = vec![self.grid.part(&mut self.remarks)];
        refuse_empty(&parts, HELP)?;
        Ok(RawScene { parts, remarks: self.remarks, ..RawScene::default() })
    }
}
