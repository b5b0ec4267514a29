//! Writes OTLP values as text, with a letter for each value's type (see schema/columns.py).
//!
//! Source: OpenTelemetry specification, "AnyValue representation for non-OTLP protocols". Simple values are written as
//! they are, arrays and maps as JSON. In JSON, bytes are base64 strings, NaN and the infinities are strings, and an
//! empty value is null.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::double::write_double;
use crate::json_write::write_quoted;
use crate::pieces::{Payload, Run};
use crate::wire::{Fields, Malformed, Wire, text};

/// Largest number of map entries that are compared one by one. Larger maps use a hash table.
const FEW_ENTRIES: usize = 8;

/// One value. Arrays and maps are not decoded yet.
enum Value<'a> {
    Empty,
    Text(&'a [u8]),
    Bool(bool),
    Int(i64),
    Double(f64),
    Bytes(&'a [u8]),
    Array(Run<'a>),
    Map(Run<'a>),
}

/// Appends the text of an encoded AnyValue and returns the letter of its type.
pub fn write_text(any_value: Payload<'_>, out: &mut Vec<u8>) -> Result<u8, Malformed> {
    Ok(match read(any_value)? {
        Value::Empty => b'n',
        Value::Text(value) => {
            out.extend_from_slice(value);
            b's'
        }
        Value::Bool(value) => {
            out.extend_from_slice(if value { b"true" } else { b"false" });
            b'b'
        }
        Value::Int(value) => {
            out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            b'i'
        }
        Value::Double(value) => {
            write_double(value, out);
            b'd'
        }
        Value::Bytes(value) => {
            out.extend_from_slice(STANDARD.encode(value).as_bytes());
            b'x'
        }
        nested => {
            write_json(&nested, out)?;
            b'j'
        }
    })
}

/// Returns the text of an encoded AnyValue that has nothing but a text, like nearly all values.
#[inline]
pub fn as_plain_text(any_value: &[u8]) -> Option<&[u8]> {
    match any_value {
        [0x0a, size @ 0..=0x7f, text @ ..] if text.len() == usize::from(*size) => Some(text),
        [0x0a, low @ 0x80..=0xff, high @ 0..=0x7f, text @ ..]
            if text.len() == usize::from(*low & 0x7f) | usize::from(*high) << 7 =>
        {
            Some(text)
        }
        _ => None,
    }
}

/// Returns key and value of an encoded KeyValue. If the key occurs twice, the last one counts.
pub fn read_pair(pair: &[u8]) -> Result<(&[u8], Payload<'_>), Malformed> {
    let (mut key, mut value): (&[u8], Payload<'_>) = (b"", Payload::default());
    let mut fields = Fields::new(pair);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, Wire::Bytes(bytes)) => key = bytes,
            (2, Wire::Bytes(bytes)) => value.add(pair, 2, bytes),
            _ => {}
        }
    }
    Ok((key, value))
}

/// Returns the key of an encoded KeyValue.
#[inline]
pub fn read_key(pair: &[u8]) -> Result<&[u8], Malformed> {
    // Fast path for a short key followed by a short value, as in nearly all pairs.
    if let [0x0a, size @ 0..=0x7f, rest @ ..] = pair {
        if let Some((key, [0x12, size @ 0..=0x7f, value @ ..])) = rest.split_at_checked(usize::from(*size)) {
            if value.len() == usize::from(*size) {
                return Ok(key);
            }
        }
    }
    let mut key: &[u8] = b"";
    let mut fields = Fields::new(pair);
    while let Some(field) = fields.next_field()? {
        if let (1, Wire::Bytes(bytes)) = field {
            key = bytes;
        }
    }
    Ok(key)
}

/// Returns the pairs in the order in which keys first occur, each with the key's last value.
pub fn last_values<'a>(
    pairs: impl Iterator<Item = Result<(&'a [u8], Payload<'a>), Malformed>>,
) -> Result<Vec<(&'a [u8], Payload<'a>)>, Malformed> {
    let mut kept: Vec<(&[u8], Payload<'_>)> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    for pair in pairs {
        let (key, value) = pair?;
        let place = if kept.len() <= FEW_ENTRIES {
            kept.iter().position(|(other, _)| *other == key)
        } else {
            if places.is_empty() {
                places = kept.iter().enumerate().map(|(place, (other, _))| (*other, place)).collect();
            }
            match places.entry(key) {
                Entry::Occupied(entry) => Some(*entry.get()),
                Entry::Vacant(entry) => {
                    entry.insert(kept.len());
                    None
                }
            }
        };
        match place.and_then(|place| kept.get_mut(place)) {
            Some(earlier) => earlier.1 = value,
            None => kept.push((key, value)),
        }
    }
    Ok(kept)
}

/// Reads a value. The last member of a oneof counts; consecutive arrays or maps are merged.
fn read(any_value: Payload<'_>) -> Result<Value<'_>, Malformed> {
    match any_value.whole() {
        Some(message) => {
            let mut fields = Fields::new(message);
            read_from(any_value, || fields.next_field())
        }
        None => {
            let mut fields = any_value.fields();
            read_from(any_value, || fields.next_field())
        }
    }
}

/// Reads a value whose fields `next_field` returns one after the other.
#[inline]
fn read_from<'a>(
    any_value: Payload<'a>,
    mut next_field: impl FnMut() -> Result<Option<(u32, Wire<'a>)>, Malformed>,
) -> Result<Value<'a>, Malformed> {
    let (mut value, mut before) = (Value::Empty, 0);
    while let Some(field) = next_field()? {
        value = match (field, value) {
            ((1, Wire::Bytes(bytes)), _) => Value::Text(bytes),
            ((2, Wire::Varint(number)), _) => Value::Bool(number != 0),
            ((3, Wire::Varint(number)), _) => Value::Int(number as i64),
            ((4, Wire::Fixed64(bits)), _) => Value::Double(f64::from_bits(bits)),
            // A `Run` stores its first piece, and finds the further pieces when it is read.
            ((5, Wire::Bytes(_)), earlier @ Value::Array(_)) | ((6, Wire::Bytes(_)), earlier @ Value::Map(_)) => {
                earlier
            }
            ((5, Wire::Bytes(_)), _) => Value::Array(Run { value: any_value, before, number: 5 }),
            ((6, Wire::Bytes(_)), _) => Value::Map(Run { value: any_value, before, number: 6 }),
            ((7, Wire::Bytes(bytes)), _) => Value::Bytes(bytes),
            // Field 8 is an index into a table of strings, which only OpenTelemetry profiles have.
            ((8, Wire::Varint(_)), _) => Value::Empty,
            (_, unchanged) => unchanged,
        };
        before += 1;
    }
    Ok(value)
}

/// Appends the value as JSON. The recursion is as deep as the message, whose depth the survey has bounded.
fn write_json(value: &Value<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    match value {
        Value::Empty => out.extend_from_slice(b"null"),
        Value::Text(value) => write_quoted(text(value)?, out),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Int(value) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Value::Double(value) if value.is_finite() => {
            out.extend_from_slice(zmij::Buffer::new().format_finite(*value).as_bytes());
        }
        Value::Double(value) => {
            out.push(b'"');
            write_double(*value, out);
            out.push(b'"');
        }
        Value::Bytes(value) => {
            out.push(b'"');
            out.extend_from_slice(STANDARD.encode(value).as_bytes());
            out.push(b'"');
        }
        Value::Array(values) => {
            out.push(b'[');
            for (index, inner) in values.elements()?.enumerate() {
                write_comma(index, out);
                write_json(&read(Payload::Whole(inner?))?, out)?;
            }
            out.push(b']');
        }
        Value::Map(pairs) => {
            out.push(b'{');
            let pairs = last_values(pairs.elements()?.map(|pair| read_pair(pair?)))?;
            for (index, (key, inner)) in pairs.iter().enumerate() {
                write_comma(index, out);
                write_quoted(text(key)?, out);
                out.push(b':');
                write_json(&read(*inner)?, out)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn write_comma(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}
