//! Writes JSON scalars as protobuf fields.
//!
//! Source: OTLP specification, "JSON Protobuf Encoding": protobuf's JSON mapping, in which integers may be texts and
//! have a fraction of zeros and an exponent, ids are hexadecimal, and enums are numbers.

use std::fmt;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::json_fields::{Field, Type, severity};
use crate::texts::{write_text, write_varint};
use crate::wire::{BYTES, FIXED32, FIXED64, VARINT};

/// Largest number of digits of an integer in a text. No 64-bit integer has more.
const MAX_DIGITS: usize = 20;

/// Largest number of a text's characters that an error shows.
const SHOWN_CHARACTERS: usize = 40;

/// Base64 without padding. Accepts any unused last bits, like protobuf's own library.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// A JSON value that is neither an object nor an array.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(&'a str),
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Null => formatter.write_str("null"),
            Scalar::Bool(value) => write!(formatter, "{value}"),
            Scalar::Int(value) => write!(formatter, "{value}"),
            Scalar::Uint(value) => write!(formatter, "{value}"),
            Scalar::Double(value) => write!(formatter, "{value:e}"),
            Scalar::Text(text) => match text.char_indices().nth(SHOWN_CHARACTERS) {
                Some((end, _)) => write!(formatter, "{:?}…", text.get(..end).unwrap_or_default()),
                None => write!(formatter, "{text:?}"),
            },
        }
    }
}

/// Returns a description of the values that this type allows, for error texts.
pub fn expected(kind: Type) -> &'static str {
    match kind {
        Type::Text => "a text",
        Type::Bytes => "a text in base64",
        Type::Id => "a text of hexadecimal digits",
        Type::Bool => "true or false",
        Type::Double => "a finite number, \"NaN\", \"Infinity\" or \"-Infinity\"",
        Type::Int32 => "a whole number from -2147483648 to 2147483647",
        Type::Int64 => "a whole number from -9223372036854775808 to 9223372036854775807",
        Type::Uint32 | Type::Fixed32 => "a whole number from 0 to 4294967295",
        Type::Fixed64 => "a whole number from 0 to 18446744073709551615",
        Type::Severity => "a whole number from 0 to 24, or a name such as SEVERITY_NUMBER_INFO",
        Type::Message(_) => "a JSON object",
    }
}

/// Appends a field. Returns None for a value of another type. Leaves out an empty value unless the field is repeated or
/// a choice, as in protobuf.
pub fn write(field: Field, value: Scalar<'_>, out: &mut Vec<u8>) -> Option<()> {
    match field.kind {
        Type::Text => match value {
            Scalar::Text(text) => write_bytes(field, text.as_bytes(), out),
            _ => return None,
        },
        Type::Bytes => write_bytes(field, &base64(value)?, out),
        Type::Id => write_bytes(field, &id(value)?, out),
        Type::Bool => match value {
            Scalar::Bool(value) => write_number(field, u64::from(value), out),
            _ => return None,
        },
        Type::Int32 => write_number(field, i64::from(i32::try_from(integer(value)?).ok()?) as u64, out),
        Type::Int64 => write_number(field, i64::try_from(integer(value)?).ok()? as u64, out),
        Type::Uint32 => write_number(field, u64::from(u32::try_from(integer(value)?).ok()?), out),
        Type::Severity => write_number(field, severity_number(value)? as u64, out),
        Type::Fixed32 => write_fixed(field, FIXED32, u32::try_from(integer(value)?).ok()?.to_le_bytes(), out),
        Type::Fixed64 => write_fixed(field, FIXED64, u64::try_from(integer(value)?).ok()?.to_le_bytes(), out),
        Type::Double => write_fixed(field, FIXED64, double(value)?.to_le_bytes(), out),
        Type::Message(_) => return None,
    }
    Some(())
}

fn keeps_empty(field: Field) -> bool {
    field.is_choice || field.is_repeated
}

fn write_bytes(field: Field, bytes: &[u8], out: &mut Vec<u8>) {
    if keeps_empty(field) || !bytes.is_empty() {
        write_varint(u64::from(field.number << 3 | BYTES), out);
        write_text(bytes, out);
    }
}

fn write_number(field: Field, number: u64, out: &mut Vec<u8>) {
    if keeps_empty(field) || number != 0 {
        write_varint(u64::from(field.number << 3 | VARINT), out);
        write_varint(number, out);
    }
}

fn write_fixed<const N: usize>(field: Field, wire_type: u32, bytes: [u8; N], out: &mut Vec<u8>) {
    if keeps_empty(field) || bytes != [0; N] {
        write_varint(u64::from(field.number << 3 | wire_type), out);
        out.extend_from_slice(&bytes);
    }
}

/// Returns a number without a fraction, from a JSON number or from one in a text, such as `"7"`, `9.0` or `"1e3"`.
/// Numbers too large for every field may be rounded.
fn integer(value: Scalar<'_>) -> Option<i128> {
    match value {
        Scalar::Int(number) => Some(i128::from(number)),
        Scalar::Uint(number) => Some(i128::from(number)),
        // The JSON reader makes doubles of integers below -2^63, and rounds some of them to -2^63.
        Scalar::Double(number) if number == i64::MIN as f64 => Some(i128::from(i64::MIN) - 1),
        Scalar::Double(number) => (number.is_finite() && number.fract() == 0.0).then_some(number as i128),
        Scalar::Text(text) => match text.strip_prefix('-') {
            Some(rest) => Some(-whole(rest)?),
            None => whole(text),
        },
        _ => None,
    }
}

/// Returns the number of a text of decimal digits, with a fraction and an exponent as in JSON. None if the number is not
/// whole, or has more digits than MAX_DIGITS.
fn whole(text: &str) -> Option<i128> {
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if text.len() <= MAX_DIGITS && are_digits(text) {
        return text.parse().ok(); // nearly all texts, without an allocation
    }
    let (decimal, exponent) = match text.split_once(['e', 'E']) {
        Some((decimal, exponent)) => (decimal, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (digits, point) = match decimal.split_once('.') {
        Some((before, after)) if !before.is_empty() && !after.is_empty() => (format!("{before}{after}"), after.len()),
        Some(_) => return None,
        None => (decimal.to_owned(), 0),
    };
    if !are_digits(&digits) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let zeros = (digits.len() - significant.len()) as i64 - point as i64 + i64::from(exponent);
    let zeros = usize::try_from(zeros).ok().filter(|zeros| significant.len() + zeros <= MAX_DIGITS)?;
    Some(significant.parse::<i128>().ok()? * 10_i128.pow(zeros as u32))
}

/// Returns a severity number. A number that does not fit into 32 bits stays out of range, so that only its record is
/// refused, and not the whole request.
fn severity_number(value: Scalar<'_>) -> Option<i64> {
    const LAST: i64 = i32::MAX as i64;
    match value {
        Scalar::Text(text) if severity(text).is_some() => severity(text),
        _ => Some(integer(value)?.clamp(i128::from(-LAST), i128::from(LAST)) as i64),
    }
}

fn double(value: Scalar<'_>) -> Option<f64> {
    match value {
        Scalar::Int(number) => Some(number as f64),
        Scalar::Uint(number) => Some(number as f64),
        Scalar::Double(number) => Some(number),
        Scalar::Text("NaN") => Some(f64::NAN),
        Scalar::Text("Infinity") => Some(f64::INFINITY),
        Scalar::Text("-Infinity") => Some(f64::NEG_INFINITY),
        Scalar::Text(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// Returns the bytes of an id of any length, as protobuf does; the loader keeps only ids of the right length. An id
/// with an odd number of digits is read as empty, because it can never have the right length.
fn id(value: Scalar<'_>) -> Option<Vec<u8>> {
    let Scalar::Text(text) = value else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    if text.len() % 2 == 1 {
        return text.bytes().all(|byte| digit(byte).is_some()).then(Vec::new);
    }
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
            _ => None,
        })
        .collect()
}

/// Returns the bytes of base64 text, in the standard or URL-safe alphabet, padded or not, as protobuf's mapping allows.
fn base64(value: Scalar<'_>) -> Option<Vec<u8>> {
    let Scalar::Text(text) = value else { return None };
    let text = text.trim_end_matches('=');
    if text.contains(['-', '_']) {
        return BASE64.decode(text.replace('-', "+").replace('_', "/")).ok();
    }
    BASE64.decode(text).ok()
}
