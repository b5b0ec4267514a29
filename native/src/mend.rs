//! Replaces text that is not UTF-8, so that the sender does not lose the other records of the request.
//!
//! Source: Unicode standard, "U+FFFD Substitution of Maximal Subparts", which Rust's and Python's decoders follow.

use crate::double::write_double;
use crate::texts::write_varint;
use crate::wire::{BYTES, Fields, Malformed, Wire};

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// Number of AnyValue's field for a text.
const TEXT_VALUE: u32 = 1;

/// A request with only UTF-8 text, and the number of byte sequences that were replaced.
pub struct Mended {
    /// The request. Each replacement takes three bytes, so the request may be three times as long as before.
    pub request: Vec<u8>,
    /// Number of byte sequences that were not UTF-8. Each was replaced by one U+FFFD.
    pub replaced: u64,
}

/// Returns the request with U+FFFD for bytes that are not UTF-8. Unknown fields stay unchanged.
pub fn mend(request: &[u8]) -> Result<Mended, Malformed> {
    let mut mended = Mended { request: Vec::with_capacity(request.len()), replaced: 0 };
    let replaced = &mut mended.replaced;
    edit_texts(Kind::Request, Fields::new(request), &mut mended.request, &mut |_, text, out| {
        let valid = std::str::from_utf8(text).is_ok();
        if !valid {
            *replaced += write_mended(text, out);
        }
        !valid
    })?;
    Ok(mended)
}

/// Appends the bytes as UTF-8, and returns the number of replaced sequences.
pub fn write_mended(bytes: &[u8], out: &mut Vec<u8>) -> u64 {
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

/// The messages of OTLP that contain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Request,
    ResourceLogs,
    Resource,
    Entity,
    ScopeLogs,
    Scope,
    Record,
    KeyValue,
    AnyValue,
    Array,
    Map,
}

enum Part {
    Text,
    Message(Kind),
    Other,
}

/// Returns the content of a length-delimited field.
///
/// Source: opentelemetry/proto/{collector/logs,logs,resource,common}/v1.
fn part(kind: Kind, number: u32) -> Part {
    match (kind, number) {
        (Kind::Request, 1) => Part::Message(Kind::ResourceLogs),
        (Kind::ResourceLogs, 1) => Part::Message(Kind::Resource),
        (Kind::ResourceLogs, 2) => Part::Message(Kind::ScopeLogs),
        (Kind::Resource, 1) | (Kind::Scope, 3) | (Kind::Record, 6) | (Kind::Map, 1) => Part::Message(Kind::KeyValue),
        (Kind::Resource, 3) => Part::Message(Kind::Entity),
        (Kind::ScopeLogs, 1) => Part::Message(Kind::Scope),
        (Kind::ScopeLogs, 2) => Part::Message(Kind::Record),
        (Kind::Record, 5) | (Kind::KeyValue, 2) | (Kind::Array, 1) => Part::Message(Kind::AnyValue),
        (Kind::AnyValue, 5) => Part::Message(Kind::Array),
        (Kind::AnyValue, 6) => Part::Message(Kind::Map),
        (Kind::ResourceLogs | Kind::ScopeLogs, 3)
        | (Kind::Entity, 1..=4)
        | (Kind::Scope, 1 | 2)
        | (Kind::Record, 3 | 12)
        | (Kind::KeyValue | Kind::AnyValue, 1) => Part::Text,
        _ => Part::Other,
    }
}

/// Appends a message's fields. `edit` appends the replacement for a text, or returns false and appends nothing. For a
/// value that is a number, `edit` gets the text with which the number is stored; a replacement makes the value a text.
/// Each byte is copied once per enclosing message, of which there are at most 100.
pub fn edit_texts(
    kind: Kind,
    mut fields: Fields<'_>,
    out: &mut Vec<u8>,
    edit: &mut impl FnMut(Kind, &[u8], &mut Vec<u8>) -> bool,
) -> Result<(), Malformed> {
    loop {
        let (field, encoded) = fields.next_encoded()?;
        match field {
            None => {
                out.extend_from_slice(encoded);
                return Ok(());
            }
            Some((number, Wire::Bytes(inner))) => match part(kind, number) {
                Part::Text => write_edited(number, inner, encoded, out, |text, out| edit(kind, text, out)),
                Part::Message(inner_kind) => {
                    let start = begin_field(number, out);
                    edit_texts(inner_kind, fields.within(inner)?, out, edit)?;
                    end_field(start, out);
                }
                Part::Other => out.extend_from_slice(encoded),
            },
            Some((number, wire)) => match number_text(kind, number, wire) {
                Some(text) => write_edited(TEXT_VALUE, &text, encoded, out, |text, out| edit(kind, text, out)),
                None => out.extend_from_slice(encoded),
            },
        }
    }
}

/// Appends field `number` with the replacement of the text, or the field as it is encoded if `edit` replaces nothing.
fn write_edited(
    number: u32,
    text: &[u8],
    encoded: &[u8],
    out: &mut Vec<u8>,
    edit: impl FnOnce(&[u8], &mut Vec<u8>) -> bool,
) {
    let before = out.len();
    let start = begin_field(number, out);
    if edit(text, out) {
        end_field(start, out);
    } else {
        out.truncate(before);
        out.extend_from_slice(encoded);
    }
}

/// Returns the text that is stored of a value if the field is a number; None for other fields.
fn number_text(kind: Kind, number: u32, wire: Wire<'_>) -> Option<Vec<u8>> {
    match (kind, number, wire) {
        (Kind::AnyValue, 3, Wire::Varint(value)) => Some(itoa::Buffer::new().format(value as i64).as_bytes().to_vec()),
        (Kind::AnyValue, 4, Wire::Fixed64(bits)) => {
            let mut text = Vec::new();
            write_double(f64::from_bits(bits), &mut text);
            Some(text)
        }
        _ => None,
    }
}

/// Begins a length-delimited field. Returns the index in `out` at which its value starts.
pub fn begin_field(number: u32, out: &mut Vec<u8>) -> usize {
    write_varint(u64::from(number << 3 | BYTES), out);
    out.push(0); // the length of a short value
    out.len()
}

/// Writes the length of the value that starts at `start` and ends at the end of `out`.
pub fn end_field(start: usize, out: &mut Vec<u8>) {
    let size = out.len() - start;
    if size < 0x80 {
        if let Some(length) = out.get_mut(start - 1) {
            *length = size as u8;
        }
        return;
    }
    let mut length = Vec::with_capacity(5);
    write_varint(size as u64, &mut length);
    out.splice(start - 1..start, length);
}
