//! Replaces text that is not UTF-8, so that the sender does not lose the other records of the request.
//!
//! Source: Unicode standard, "U+FFFD Substitution of Maximal Subparts", which Rust's and Python's decoders follow.

use crate::otlp_texts::{Kind, edit_texts};
use crate::wire::{Fields, Malformed};

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// A request with only UTF-8 text.
pub struct Replaced {
    /// The request. Each replacement takes three bytes, so the request may be three times as long as before.
    pub request: Vec<u8>,
    /// Number of byte sequences that were not UTF-8. Each was replaced by one U+FFFD.
    pub sequences: u64,
}

/// Returns the request with U+FFFD for bytes that are not UTF-8. Unknown fields stay unchanged.
pub fn replace_invalid(request: &[u8]) -> Result<Replaced, Malformed> {
    let mut replaced = Replaced { request: Vec::with_capacity(request.len()), sequences: 0 };
    let sequences = &mut replaced.sequences;
    edit_texts(Kind::Request, Fields::new(request), &mut replaced.request, &mut |_, text, out| {
        let valid = std::str::from_utf8(text).is_ok();
        if !valid {
            *sequences += write_valid(text, out);
        }
        !valid
    })?;
    Ok(replaced)
}

/// Appends the bytes as UTF-8, and returns the number of replaced sequences.
pub fn write_valid(bytes: &[u8], out: &mut Vec<u8>) -> u64 {
    let mut replaced = 0;
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            out.extend_from_slice(REPLACEMENT);
            replaced += 1;
        }
    }
    replaced
}
