//! Replaces text in JSON that is not UTF-8 or has half a surrogate pair, so that the request is not refused for it.

use crate::invalid_utf8::write_valid;

/// Returns the JSON with U+FFFD for bytes that are not UTF-8 and for halves of surrogate pairs, and the number of
/// replacements. JavaScript writes such a half if a text was cut within an emoji.
pub fn replace_invalid(json: &[u8]) -> (Vec<u8>, u64) {
    let mut text = Vec::with_capacity(json.len());
    let mut replaced = write_valid(json, &mut text);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_slice();
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let size = match unit(escape) {
            None => 2,
            Some(0xd800..=0xdbff) if escape.get(6..).and_then(unit).is_some_and(|low| low >> 10 == 0x37) => 12,
            Some(0xd800..=0xdfff) => {
                out.extend_from_slice(b"\\ufffd");
                replaced += 1;
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            Some(_) => 6,
        };
        let (escape, after) = escape.split_at(size.min(escape.len()));
        out.extend_from_slice(escape);
        rest = after;
    }
    out.extend_from_slice(rest);
    (out, replaced)
}

/// Returns the number of the escape `\uXXXX` at the beginning of the text.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |number, digit| Some(number << 4 | char::from(*digit).to_digit(16)? as u16))
}
