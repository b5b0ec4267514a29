//! Writes values as the JSON of the API (backend/logs/values.py), byte for byte as orjson writes them.

use std::io::Write;
use std::time::{Duration, UNIX_EPOCH};

/// Largest integer that JavaScript represents exactly. Larger ones are written as strings.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends a text in quotes. Escapes what JSON requires and nothing else.
pub fn write_quoted(text: &str, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Returns the number of bytes that the escapes of `write_quoted` add to a text.
pub fn escape_bytes(text: &[u8]) -> u64 {
    // Sums in one byte are vectorized. A piece of 51 bytes or fewer adds at most 255.
    text.chunks(32).map(|piece| u64::from(piece.iter().map(|byte| added_bytes(*byte)).sum::<u8>())).sum()
}

/// Returns the number of bytes that the escape of a byte adds: one for `\n`, five for `\u0001`.
#[inline]
fn added_bytes(byte: u8) -> u8 {
    let is_short = matches!(byte, b'"' | b'\\' | 0x08..=0x0a | 0x0c | 0x0d);
    u8::from(is_short) + 5 * u8::from(byte < 0x20 && !is_short)
}

/// Returns true if a text is ASCII that `write_quoted` writes without an escape. Reads eight bytes at a time.
#[inline]
pub fn is_simple(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk() else {
        return other_bits(text.iter().fold(repeated(b' '), |word, byte| word << 8 | u64::from(*byte))) == 0;
    };
    let words = text.chunks_exact(size_of::<u64>()).filter_map(|chunk| chunk.try_into().ok());
    words.fold(other_bits(u64::from_le_bytes(*last)), |found, word| found | other_bits(u64::from_le_bytes(word))) == 0
}

/// Returns a number that is not 0 if a byte of the word needs an escape or is not ASCII.
///
/// Source: "Determine if a word has a byte less than n" in Bit Twiddling Hacks,
/// <https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord>.
#[inline]
fn other_bits(word: u64) -> u64 {
    let less = |word: u64, than: u8| word.wrapping_sub(repeated(than)) & !word;
    let escaped = less(word, b' ') | less(word ^ repeated(b'"'), 1) | less(word ^ repeated(b'\\'), 1);
    (escaped | word) & repeated(0x80)
}

const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; size_of::<u64>()])
}

/// Appends bytes as a text in quotes. Bytes that are not UTF-8 become U+FFFD.
pub fn write_quoted_bytes(text: &[u8], out: &mut Vec<u8>) {
    write_quoted(&String::from_utf8_lossy(text), out);
}

/// Appends the bytes in hexadecimal digits.
pub fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |half: u8| HEX.get(usize::from(half)).copied().unwrap_or_default();
    out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
}

/// Appends a number.
pub fn write_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a time as RFC 3339 in UTC with nine digits of fraction. `ns` counts from the Unix epoch.
pub fn write_time(ns: u64, out: &mut Vec<u8>) {
    // Writing to memory cannot fail. 64 bits of nanoseconds end before the year 9999, the last one that humantime
    // writes.
    let _ = write!(out, "{}", humantime::format_rfc3339_nanos(UNIX_EPOCH + Duration::from_nanos(ns)));
}

/// Appends an attribute's value, which is stored as text with the letter of its type (schema/columns.py).
pub fn write_value(letter: u8, text: &[u8], out: &mut Vec<u8>) {
    match letter {
        b'i' => write_token(text, out),
        b'd' => write_double(text, out),
        b'b' => out.extend_from_slice(if text == b"true" { b"true" } else { b"false" }),
        b'n' => out.extend_from_slice(b"null"),
        b'j' => write_nested(text, out),
        _ => write_quoted_bytes(text, out),
    }
}

/// Appends a double, which is stored as Python writes it. NaN and the infinities become strings.
fn write_double(text: &[u8], out: &mut Vec<u8>) {
    match std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite()) {
        Some(number) => out.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes()),
        None => write_quoted_bytes(text, out),
    }
}

/// Appends an array or a map, which is stored as compact JSON. Only large integers are written differently.
fn write_nested(json: &[u8], out: &mut Vec<u8>) {
    let mut rest = json;
    while let Some((first, after)) = rest.split_first() {
        let size = match first {
            b'"' => string_size(rest),
            b'-' | b'0'..=b'9' => rest.iter().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(rest.len()),
            _ => {
                out.push(*first);
                rest = after;
                continue;
            }
        };
        let (token, after) = rest.split_at(size.min(rest.len()));
        if *first == b'"' {
            out.extend_from_slice(token)
        } else {
            write_token(token, out)
        }
        rest = after;
    }
}

/// Returns the number of bytes of the string that the JSON begins with, including its quotes.
fn string_size(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(step) = json.get(at..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))) {
        at += step;
        if json.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

/// Appends a number as it is, or in quotes if it is an integer that JavaScript would round.
fn write_token(number: &[u8], out: &mut Vec<u8>) {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let is_large = digits.len() >= 16
        && digits.iter().all(u8::is_ascii_digit)
        && std::str::from_utf8(digits)
            .ok()
            .and_then(|text| text.parse().ok())
            .is_none_or(|size: u64| size > MAX_SAFE_INTEGER);
    if is_large {
        out.push(b'"');
    }
    out.extend_from_slice(number);
    if is_large {
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn values_are_written_as_the_api_shows_them() {
        for (letter, text, json) in [
            (b's', "a\"b\\c\n\u{1}\u{7f}é", r#""a\"b\\c\n\u0001é""#.replace('é', "\u{7f}é")),
            (b'i', "-7", "-7".into()),
            (b'i', "9007199254740991", "9007199254740991".into()),
            (b'i', "-9007199254740992", r#""-9007199254740992""#.into()),
            (b'd', "12.5", "12.5".into()),
            (b'd', "-0.0", "-0.0".into()),
            (b'd', "NaN", r#""NaN""#.into()),
            (b'd', "-Infinity", r#""-Infinity""#.into()),
            (b'b', "true", "true".into()),
            (b'n', "", "null".into()),
            (b'x', "AAE=", r#""AAE=""#.into()),
            (
                b'j',
                r#"{"9007199254740993":[9007199254740993,0.5,-9223372036854775808],"a\"":"1\\"}"#,
                r#"{"9007199254740993":["9007199254740993",0.5,"-9223372036854775808"],"a\"":"1\\"}"#.into(),
            ),
        ] {
            assert_eq!(written(|out| write_value(letter, text.as_bytes(), out)), json);
        }
    }

    #[test]
    fn the_bytes_that_escapes_add_are_those_that_are_written() {
        let characters = (0..0x180).filter_map(char::from_u32);
        // Each place of a word, in texts shorter and longer than a word.
        let placed = characters.flat_map(|character| {
            (0..20).flat_map(move |before| {
                [0, 1, 9].map(|after| "x".repeat(before) + &character.to_string() + &"y".repeat(after))
            })
        });
        for text in placed.chain([String::new(), "\u{1}\"\\".repeat(1000)]) {
            let quoted = written(|out| write_quoted(&text, out));
            let added = quoted.len() - 2 - text.len();
            assert_eq!(escape_bytes(text.as_bytes()), added as u64, "{text:?}");
            assert_eq!(is_simple(text.as_bytes()), added == 0 && text.is_ascii(), "{text:?}");
        }
    }

    #[test]
    fn times_are_written_in_rfc_3339() {
        for (ns, text) in [
            (0, "1970-01-01T00:00:00.000000000Z"),
            (951_782_400_000_000_001, "2000-02-29T00:00:00.000000001Z"),
            (1_700_000_000_123_456_789, "2023-11-14T22:13:20.123456789Z"),
            (i64::MAX as u64, "2262-04-11T23:47:16.854775807Z"),
        ] {
            assert_eq!(written(|out| write_time(ns, out)), text);
        }
    }
}
