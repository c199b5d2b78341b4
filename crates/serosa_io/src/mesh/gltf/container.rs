//! What holds a glTF document: the chunks of a GLB file, and the buffers that a document names.

use super::base64;
use super::document::Document;
use super::{ANEW, wrong};
use crate::mesh::{ImportError, Resolve, Spot};
use std::borrow::Cow;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The JSON of a file, and the binary chunk where it is a GLB file.
pub fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ImportError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    }
    let told = |at: usize, message: String| ImportError::new(Spot::Byte(at), message, "copy the file again");
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(told(bytes.len(), "the file ends within its header".to_owned()));
    };
    if version != 2 {
        let message = format!("the file is of version {version} of GLB; version 2 is read");
        return Err(ImportError::new(Spot::Byte(4), message, "export it as glTF 2.0"));
    }
    if length as usize > bytes.len() {
        let message = format!("the file ends after {} of {length} bytes", bytes.len());
        return Err(told(bytes.len(), message));
    }
    let (mut at, mut json, mut binary) = (12, None, None);
    while at < length as usize {
        let (Some(size), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
            return Err(told(at, "the file ends within the header of a chunk".to_owned()));
        };
        let chunk = bytes.get(at + 8..).and_then(|rest| rest.get(..size as usize));
        let chunk = chunk.ok_or_else(|| told(at, format!("a chunk of {size} bytes goes beyond the file")))?;
        match &kind.to_le_bytes() {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + size as usize;
    }
    let json = json.ok_or_else(|| told(12, "the file has no JSON chunk".to_owned()))?;
    Ok((json, Some(binary.unwrap_or_default())))
}

/// The bytes of all buffers: in the file, beside it, or in their own addresses.
pub fn buffers<'a>(
    document: &Document,
    chunk: Option<&'a [u8]>,
    resolve: Resolve,
) -> Result<Vec<Cow<'a, [u8]>>, ImportError> {
    let mut all = Vec::new();
    for (i, buffer) in document.buffers.iter().enumerate() {
        let bytes = match (&buffer.uri, chunk) {
            (None, Some(chunk)) if i == 0 => Cow::Borrowed(chunk),
            (None, _) => return Err(wrong(format!("buffer {i} has no data"))),
            (Some(uri), _) => Cow::Owned(fetch(uri, resolve).map_err(|(reason, help)| {
                ImportError::new(Spot::Whole, format!("buffer {i} cannot be read: {reason}"), help)
            })?),
        };
        if bytes.len() < buffer.byte_length {
            let message = format!("buffer {i} has {} of {} bytes", bytes.len(), buffer.byte_length);
            return Err(ImportError::new(Spot::Whole, message, "it is cut: copy the file again"));
        }
        all.push(bytes);
    }
    Ok(all)
}

fn fetch(uri: &str, resolve: Resolve) -> Result<Vec<u8>, (String, String)> {
    let anew = |reason: String| (reason, ANEW.to_owned());
    let Some(data) = uri.strip_prefix("data:") else {
        let name = unescaped(uri);
        let help = format!("put the file \"{name}\" beside this one");
        return resolve(&name).map_err(|reason| (reason, help));
    };
    let (kind, text) = data.split_once(',').ok_or_else(|| anew("its address has no data".to_owned()))?;
    if !kind.ends_with(";base64") {
        return Err(anew("its data are not written as base64".to_owned()));
    }
    base64::decode(text.as_bytes()).map_err(|at| anew(format!("letter {at} of it is no base64")))
}

/// A name whose blanks and the like are written as `%20`.
fn unescaped(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
