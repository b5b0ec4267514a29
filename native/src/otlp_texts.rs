//! Edits the texts of an encoded OTLP request, at any depth.

use crate::double::write_double;
use crate::wire::{Fields, Malformed, Wire};
use crate::write_field::{begin_field, end_field};

/// Number of AnyValue's field for a text.
const TEXT_VALUE: u32 = 1;

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
