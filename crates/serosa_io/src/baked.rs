//! Bake files: a scene, the mesh files it used, and what was baked of them.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SEROSABK` |
//! | 4 | format, [`FORMAT`] |
//! | 16 | which state of the code baked, [`serosa_bake::BAKER`] |
//! | 8 | hash of the scene and its files, [`key`] |
//! | 8 | length of the file |
//! | 8 | length of the contents |
//! | that many | contents: postcard of scene text, files, model, parameters, notes, surfaces of organs, lengths of arrays |
//! | each at the next multiple of 64 | arrays of 32-bit floats: of each flexible body its modes, then its compliance where all of it is kept |
//! | 8 | checksum of all before it |
//!
//! Integers and floats are little-endian. [`BakeFile::open`] leaves the arrays where they are, so that of a file that is
//! mapped into memory only what is small is copied. Model and parameters are those of one state of the code, so a file is read only by the
//! same; the scene inside bakes anew anywhere.

use crate::fingerprint::{of_bytes, of_many_bytes};
use crate::scene::{Loaded, Problem, UsedFile, read_known};
use serde::{Deserialize, Serialize};
use serosa_bake::{BAKER, Baked};
use serosa_geometry::Mesh;
use serosa_sim::model::{BodyKind, Compliance, FlexibleBody, Floats};
use serosa_sim::{Model, Params};
use std::borrow::Cow;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// The first bytes of every bake file.
pub const MAGIC: &[u8; 8] = b"SEROSABK";
/// Number of the layout described here. A reader knows one layout only.
pub const FORMAT: u32 = 4;
/// The largest bake file that is read \[bytes\].
pub const BAKE_MAX: u64 = 16 << 30;
/// Bytes before the contents.
const HEAD: usize = 8 + 4 + 16 + 8 + 8 + 8;
/// Arrays begin at multiples of it: a line of the cache.
const ALIGN: usize = 64;

/// Why bytes are no bake file that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BakeError {
    /// It does not begin as bake files do.
    #[error("this is not a bake file: it does not begin with {}", MAGIC.escape_ascii())]
    Foreign,
    /// Of a layout that this program does not know.
    #[error("a bake file of format {found}, this program reads format {FORMAT}; bake the scene again")]
    Format {
        /// What it says.
        found: u32,
    },
    /// Baked by another state of the code.
    #[error("baked by another build of the program ({found}, this is {BAKER}); bake the scene again")]
    OtherBaker {
        /// What it says.
        found: String,
    },
    /// Shorter or longer than it says.
    #[error("the bake file breaks off: it has {has} bytes and should have {should}; bake the scene again")]
    Length {
        /// Bytes there are.
        has: u64,
        /// Bytes there should be.
        should: u64,
    },
    /// Some bytes are not those that were written.
    #[error("the bake file is damaged: its checksum does not fit its bytes; bake the scene again")]
    Damaged,
    /// The checksum fits, but the contents make no sense.
    #[error("the contents of the bake file cannot be read: {0}; bake the scene again")]
    Contents(String),
}

/// What a bake file holds.
#[derive(Clone, Debug)]
pub struct BakeFile {
    /// The whole text of the scene file.
    pub text: String,
    /// The mesh files it used.
    pub files: Vec<UsedFile>,
    /// What was baked of them.
    pub baked: Baked,
    /// Surfaces of the organs of the scene, in its order.
    pub organs: Vec<Mesh>,
}

#[derive(Serialize, Deserialize)]
struct Contents<'a> {
    text: Cow<'a, str>,
    files: Vec<(Cow<'a, str>, Cow<'a, [u8]>)>,
    model: Cow<'a, Model>,
    params: Cow<'a, Params>,
    notes: Cow<'a, [String]>,
    organs: Cow<'a, [Mesh]>,
    /// Numbers in each array.
    arrays: Vec<u64>,
}

/// Hash of all that a bake is made from: the scene, its files, and the code that bakes.
pub fn key(text: &str, files: &[UsedFile]) -> u64 {
    let mut all = of_bytes(BAKER.as_bytes()).to_le_bytes().to_vec();
    all.extend(of_many_bytes(text.as_bytes()).to_le_bytes());
    for file in files {
        all.extend(of_bytes(file.path.as_bytes()).to_le_bytes());
        all.extend(of_many_bytes(&file.bytes).to_le_bytes());
    }
    of_bytes(&all)
}

/// The bytes of a bake file.
pub fn write(text: &str, loaded: &Loaded) -> Result<Vec<u8>, BakeError> {
    let files = loaded.files.iter().map(|f| (f.path.as_str().into(), Cow::Borrowed(&f.bytes[..])));
    let (model, arrays) = without_arrays(&loaded.baked.model);
    let contents = Contents {
        text: text.into(),
        files: files.collect(),
        model,
        params: Cow::Borrowed(&loaded.baked.params),
        notes: Cow::Borrowed(&loaded.baked.notes),
        organs: Cow::Borrowed(&loaded.organs),
        arrays: arrays.iter().map(|a| a.len() as u64).collect(),
    };
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(BAKER.as_bytes());
    bytes.extend(key(text, &loaded.files).to_le_bytes());
    bytes.extend([0; 16]);
    let mut bytes = postcard::to_extend(&contents, bytes).map_err(|e| BakeError::Contents(e.to_string()))?;
    let length = (bytes.len() - HEAD) as u64;
    bytes[HEAD - 8..HEAD].copy_from_slice(&length.to_le_bytes());
    for array in &arrays {
        bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
        bytes.extend(array.iter().flat_map(|x| x.to_le_bytes()));
    }
    let whole = bytes.len() as u64 + 8;
    bytes[HEAD - 16..HEAD - 8].copy_from_slice(&whole.to_le_bytes());
    bytes.extend(of_many_bytes(&bytes).to_le_bytes());
    Ok(bytes)
}

impl BakeFile {
    /// Reads a bake file, or says why it cannot be used. Memory stays in proportion to the bytes given.
    pub fn read(bytes: &[u8]) -> Result<Self, BakeError> {
        Self::read_with(bytes, &|range| copied(&bytes[range]))
    }

    /// The same of bytes that stay where they are, such as a file that is mapped into memory: arrays are not copied, where
    /// this machine keeps numbers as the file does.
    pub fn open<S>(source: S) -> Result<Self, BakeError>
    where
        S: AsRef<[u8]> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    {
        let source = Arc::new(source);
        Self::read_with((*source).as_ref(), &|range| {
            let part = Part { source: source.clone(), range };
            match bytemuck::try_cast_slice::<u8, f32>(part.bytes()) {
                Ok(_) if cfg!(target_endian = "little") => Floats::of(part),
                _ => copied(part.bytes()),
            }
        })
    }

    fn read_with(bytes: &[u8], array: &dyn Fn(Range<usize>) -> Floats) -> Result<Self, BakeError> {
        let Unwrapped { contents, arrays, key: stored } = unwrapped(bytes)?;
        let broken = |e: postcard::Error| BakeError::Contents(e.to_string());
        let (contents, rest) = postcard::take_from_bytes::<Contents>(contents).map_err(broken)?;
        if !rest.is_empty() {
            return Err(BakeError::Contents(format!("{} bytes are left over", rest.len())));
        }
        let file = |(path, bytes): (Cow<str>, Cow<[u8]>)| UsedFile {
            path: path.into_owned(),
            bytes: bytes.into_owned(),
        };
        let mut model = contents.model.into_owned();
        let ranges = ranges(arrays, &contents.arrays)
            .ok_or_else(|| BakeError::Contents("its arrays have other lengths".into()))?;
        let mut places = array_places(&mut model);
        if places.len() != ranges.len() {
            return Err(BakeError::Contents("its arrays are of another model".into()));
        }
        places.iter_mut().zip(ranges).for_each(|(place, range)| **place = array(range));
        let baked = Baked {
            model: Arc::new(model),
            params: contents.params.into_owned(),
            notes: contents.notes.into_owned(),
        };
        baked.model.check(&baked.params).map_err(BakeError::Contents)?;
        let organs = contents.organs.into_owned();
        if !organs.iter().all(is_sound) {
            return Err(BakeError::Contents("the surface of an organ has points that are not there".into()));
        }
        let files: Vec<UsedFile> = contents.files.into_iter().map(file).collect();
        let text = contents.text.into_owned();
        if key(&text, &files) != stored {
            return Err(BakeError::Contents("its scene is not the one it was baked from".into()));
        }
        Ok(Self { text, files, baked, organs })
    }

    /// Whether it was baked from just that.
    pub fn is_of(&self, text: &str, files: &[UsedFile]) -> bool {
        self.text == text && self.files == files
    }

    /// The scene inside, with what was baked of it.
    pub fn load(&self) -> Result<Loaded, Vec<Problem>> {
        let draft = read_known(&self.text, &self.reader(), self.organs.clone())?;
        Ok(draft.with(self.baked.clone()))
    }

    /// Reads the mesh files inside.
    pub fn reader(&self) -> impl Fn(&str) -> Result<Vec<u8>, String> {
        |path| {
            let found = self.files.iter().find(|f| f.path == path);
            found.map(|f| f.bytes.clone()).ok_or("the bake file does not hold it".to_owned())
        }
    }
}

/// Whether a surface is made of points that it has.
fn is_sound(mesh: &Mesh) -> bool {
    let used = mesh.triangles.iter().flatten().chain(mesh.edges.iter().flatten());
    let mut used = used.chain(mesh.sets.values().flatten());
    mesh.points.iter().all(|p| p.is_finite()) && used.all(|i| (*i as usize) < mesh.points.len())
}

/// A range of bytes that something holds.
struct Part<S> {
    source: Arc<S>,
    range: Range<usize>,
}

impl<S: AsRef<[u8]>> Part<S> {
    fn bytes(&self) -> &[u8] {
        &(*self.source).as_ref()[self.range.clone()]
    }
}

impl<S: AsRef<[u8]>> AsRef<[f32]> for Part<S> {
    fn as_ref(&self) -> &[f32] {
        bytemuck::cast_slice(self.bytes())
    }
}

fn copied(bytes: &[u8]) -> Floats {
    bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect::<Vec<_>>().into()
}

/// Where a model keeps long arrays, in the order of the file.
fn array_places(model: &mut Model) -> Vec<&mut Floats> {
    let mut places = Vec::new();
    for body in &mut model.bodies {
        if let BodyKind::Flexible(flexible) = &mut body.kind {
            let FlexibleBody { modes, compliance, .. } = &mut **flexible;
            places.push(modes);
            if let Compliance::All(all) = compliance {
                places.push(all);
            }
        }
    }
    places
}

/// A model without its long arrays, and these. A model that has none is not copied.
fn without_arrays(model: &Model) -> (Cow<'_, Model>, Vec<Floats>) {
    if !model.bodies.iter().any(|body| matches!(body.kind, BodyKind::Flexible(_))) {
        return (Cow::Borrowed(model), Vec::new());
    }
    let mut model = model.clone();
    let arrays = array_places(&mut model).into_iter().map(std::mem::take).collect();
    (Cow::Owned(model), arrays)
}

/// Where arrays of some lengths lie in a range of a file; none where they do not fill it.
fn ranges(all: Range<usize>, lengths: &[u64]) -> Option<Vec<Range<usize>>> {
    let (mut found, mut end) = (Vec::new(), all.start);
    for length in lengths {
        let start = end.checked_next_multiple_of(ALIGN)?;
        end = usize::try_from(*length).ok()?.checked_mul(4)?.checked_add(start)?;
        if end > all.end {
            return None;
        }
        found.push(start..end);
    }
    (end == all.end).then_some(found)
}

/// The parts of a file, once everything around them is right.
struct Unwrapped<'a> {
    contents: &'a [u8],
    arrays: Range<usize>,
    /// Hash of what they were made from.
    key: u64,
}

fn unwrapped(bytes: &[u8]) -> Result<Unwrapped<'_>, BakeError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(BakeError::Foreign)?;
    let has = bytes.len() as u64;
    let short = BakeError::Length { has, should: (HEAD + 8) as u64 };
    let (format, rest) = rest.split_first_chunk::<4>().ok_or(short.clone())?;
    let found = u32::from_le_bytes(*format);
    if found != FORMAT {
        return Err(BakeError::Format { found });
    }
    let (baker, rest) = rest.split_first_chunk::<16>().ok_or(short.clone())?;
    if baker != BAKER.as_bytes() {
        return Err(BakeError::OtherBaker { found: baker.escape_ascii().to_string() });
    }
    let (key, rest) = rest.split_first_chunk::<8>().ok_or(short.clone())?;
    let (whole, rest) = rest.split_first_chunk::<8>().ok_or(short.clone())?;
    let (length, rest) = rest.split_first_chunk::<8>().ok_or(short)?;
    let should = u64::from_le_bytes(*whole).max((HEAD + 8) as u64);
    let Some((rest, checksum)) = rest.split_last_chunk::<8>().filter(|_| should == has) else {
        return Err(BakeError::Length { has, should });
    };
    if of_many_bytes(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*checksum) {
        return Err(BakeError::Damaged);
    }
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|length| *length <= rest.len());
    let length = length.ok_or_else(|| BakeError::Contents("they are longer than the file".into()))?;
    let arrays = HEAD + length..HEAD + rest.len();
    Ok(Unwrapped { contents: &rest[..length], arrays, key: u64::from_le_bytes(*key) })
}
