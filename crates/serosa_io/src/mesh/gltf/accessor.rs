//! Accessors: how numbers lie in the buffers of a glTF file.

use super::document::{Accessor, Document};
use super::wrong;
use crate::mesh::{ImportError, Spot};
use std::borrow::Cow;

/// Values that are read even from a small file, in all: room for meshes used many times.
const VALUES_MIN: usize = 4 << 20;

/// Reads accessors of a document.
pub struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a [Cow<'a, [u8]>],
    /// Rows that may still be read, so that a small file cannot ask for a large memory.
    budget: usize,
}

/// Bytes in rows.
#[derive(Clone, Copy)]
struct Rows<'a> {
    bytes: &'a [u8],
    stride: usize,
    component: u32,
}

impl Rows<'_> {
    /// A component of a row, as it is written.
    fn get(&self, row: usize, k: usize) -> f64 {
        let at = row * self.stride + k * size(self.component);
        let tail = &self.bytes[at..];
        macro_rules! number {
            ($type:ty) => {
                tail.first_chunk().map_or(0.0, |bytes| <$type>::from_le_bytes(*bytes) as f64)
            };
        }
        match self.component {
            5120 => number!(i8),
            5121 => number!(u8),
            5122 => number!(i16),
            5123 => number!(u16),
            5125 => number!(u32),
            _ => number!(f32),
        }
    }
}

/// Bytes of a component; 0 for types that glTF does not have.
fn size(component: u32) -> usize {
    match component {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => 0,
    }
}

/// What a normalised value is divided by.
fn full(component: u32) -> f64 {
    match component {
        5120 => 127.0,
        5121 => 255.0,
        5122 => 32767.0,
        5123 => 65535.0,
        5125 => 4_294_967_295.0,
        _ => 1.0,
    }
}

fn width(shape: &str) -> usize {
    match shape {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 0,
    }
}

impl<'a> Accessors<'a> {
    /// Accessors of a document, of whose size the most that may be read depends.
    pub fn new(document: &'a Document, buffers: &'a [Cow<'a, [u8]>], size: usize) -> Self {
        Self { document, buffers, budget: size.max(VALUES_MIN) }
    }

    /// Takes rows off what may still be read.
    pub fn spend(&mut self, rows: usize) -> Result<(), ImportError> {
        let left = self.budget.checked_sub(rows);
        self.budget = left.ok_or_else(|| {
            let help = "use each mesh fewer times, or export the parts one by one";
            ImportError::new(Spot::Whole, format!("with {rows} more rows the file asks for too much"), help)
        })?;
        Ok(())
    }

    /// Vectors of so many components.
    pub fn vectors<const N: usize>(&mut self, index: usize) -> Result<Vec<[f64; N]>, ImportError> {
        let accessor = self.accessor(index)?;
        if width(&accessor.shape) != N {
            return Err(wrong(format!("accessor {index} is {:?}, and must be VEC{N}", accessor.shape)));
        }
        self.read(index, accessor)
    }

    /// Colours, with or without their opacity.
    pub fn colors(&mut self, index: usize) -> Result<Vec<[f32; 4]>, ImportError> {
        let channel = |c: f64| if c.is_finite() { c.clamp(0.0, 1.0) as f32 } else { 1.0 };
        let accessor = self.accessor(index)?;
        if accessor.shape == "VEC3" {
            let colors = self.read::<3>(index, accessor)?;
            return Ok(colors.into_iter().map(|[r, g, b]| [r, g, b, 1.0].map(channel)).collect());
        }
        Ok(self.vectors::<4>(index)?.into_iter().map(|c| c.map(channel)).collect())
    }

    /// Whole numbers.
    pub fn numbers(&mut self, index: usize) -> Result<Vec<u32>, ImportError> {
        let accessor = self.accessor(index)?;
        if accessor.shape != "SCALAR" || !matches!(accessor.component_type, 5121 | 5123 | 5125) {
            return Err(wrong(format!("accessor {index} does not hold numbers of vertices")));
        }
        Ok(self.read::<1>(index, accessor)?.into_iter().map(|[v]| v as u32).collect())
    }

    fn accessor(&self, index: usize) -> Result<&'a Accessor, ImportError> {
        self.document.accessors.get(index).ok_or_else(|| wrong(format!("accessor {index} does not exist")))
    }

    fn read<const N: usize>(
        &mut self,
        index: usize,
        accessor: &Accessor,
    ) -> Result<Vec<[f64; N]>, ImportError> {
        let told = |reason: String| wrong(format!("accessor {index}: {reason}"));
        let (component, count) = (accessor.component_type, accessor.count);
        if size(component) == 0 {
            return Err(told(format!("the component type {component} is none of glTF")));
        }
        self.spend(count).map_err(|mut error| {
            error.message = format!("accessor {index}: {}", error.message);
            error
        })?;
        let row = N * size(component);
        let divide = if accessor.normalized { full(component) } else { 1.0 };
        let value = |v: f64| if accessor.normalized { (v / divide).max(-1.0) } else { v };
        let mut values = vec![[0.0; N]; count];
        if let Some(view) = accessor.buffer_view {
            let rows = self.rows(view, accessor.byte_offset, count, component, row).map_err(told)?;
            for (i, vector) in values.iter_mut().enumerate() {
                *vector = std::array::from_fn(|k| value(rows.get(i, k)));
            }
        }
        if let Some(sparse) = &accessor.sparse {
            if sparse.count > count || !matches!(sparse.indices.component_type, 5121 | 5123 | 5125) {
                return Err(told("its sparse rows are not sound".to_owned()));
            }
            let (places, from) = (&sparse.indices, &sparse.values);
            let wide = size(places.component_type);
            let at =
                self.rows(places.buffer_view, places.byte_offset, sparse.count, places.component_type, wide);
            let (at, from) = (
                at.map_err(told)?,
                self.rows(from.buffer_view, from.byte_offset, sparse.count, component, row).map_err(told)?,
            );
            for i in 0..sparse.count {
                let place = at.get(i, 0) as usize;
                let vector =
                    values.get_mut(place).ok_or_else(|| told(format!("sparse row {place} is beyond")))?;
                *vector = std::array::from_fn(|k| value(from.get(i, k)));
            }
        }
        Ok(values)
    }

    /// Rows of a view, all of which are there.
    fn rows(
        &self,
        view: usize,
        offset: usize,
        count: usize,
        component: u32,
        row: usize,
    ) -> Result<Rows<'a>, String> {
        let from =
            self.document.buffer_views.get(view).ok_or_else(|| format!("view {view} does not exist"))?;
        let buffer =
            self.buffers.get(from.buffer).ok_or_else(|| format!("buffer {} does not exist", from.buffer))?;
        let end = from.byte_offset.checked_add(from.byte_length);
        let bytes = end.and_then(|end| buffer.get(from.byte_offset..end));
        let bytes = bytes.ok_or_else(|| format!("view {view} goes beyond buffer {}", from.buffer))?;
        let stride = from.byte_stride.filter(|s| *s > 0).unwrap_or(row);
        let last =
            count.saturating_sub(1).checked_mul(stride).and_then(|n| n.checked_add(offset)?.checked_add(row));
        match last {
            Some(last) if count == 0 || last <= bytes.len() => {
                Ok(Rows { bytes: bytes.get(offset..).unwrap_or_default(), stride, component })
            }
            _ => Err(format!("{count} rows go beyond the {} bytes of view {view}", bytes.len())),
        }
    }
}
