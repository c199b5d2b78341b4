//! Mesh importers: bytes in, geometry out. They take bytes, not paths.

mod obj;

pub use obj::import_obj;

/// Why a mesh file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The bytes are not in the format.
    #[error("not a readable {format} file: {reason}")]
    Malformed {
        /// The format that was expected.
        format: &'static str,
        /// What was wrong, and where.
        reason: String,
    },
    /// The file is right but holds nothing that can be used.
    #[error("the file holds no {0}")]
    Empty(&'static str),
}
