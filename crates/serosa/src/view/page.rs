//! The files of the page, embedded in the program.

/// (path, media type, bytes).
pub type Asset = (&'static str, &'static str, &'static [u8]);

/// All files of the page and the pictures of the scenes.
pub const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The file at a path; `/` is the page itself.
pub fn find(path: &str) -> Option<&'static Asset> {
    let path = if path == "/" { "/index.html" } else { path };
    ASSETS.iter().find(|a| a.0 == path)
}
